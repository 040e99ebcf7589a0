/* xylem fleet ship: brings the changes of this store's sessions to the engine. */
#include "fleet/cli/choice.h"
#include "fleet/shipper.h"
#include "xylem/store.h"

#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>

#define CONNECT_AGAIN_MS 1000

#define BACKLOG_MS 1000u /* a backlog that stays so long is told to a program, and so often */

struct ship_options {
    struct xylem_cli__list directories;
    struct xylem_cli__list except;
    bool all;
    bool follow;
    bool sync;
    bool dry_run;
    bool json;
    bool allow_single;
};

static const struct xylem_cli__option ship_table[] = {
    {"dir", 'd', "DIR", XYLEM_CLI__LIST, offsetof(struct ship_options, directories),
     "sessions whose directory is DIR or below DIR", NULL},
    {"all", 'a', NULL, XYLEM_CLI__FLAG, offsetof(struct ship_options, all), "every session of the store", NULL},
    {"except", 0, "SESSION", XYLEM_CLI__LIST, offsetof(struct ship_options, except),
     "hold this session and its forks back", NULL},
    {"follow", 'f', NULL, XYLEM_CLI__FLAG, offsetof(struct ship_options, follow),
     "go on with what is committed to the store, until interrupted", NULL},
    {"sync", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct ship_options, sync),
     "send each change at once, and print `acknowledged LSN`", NULL},
    {"dry-run", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct ship_options, dry_run),
     "say what would go, and ask no engine", NULL},
    XYLEM_CLI__JSON_ROW(struct ship_options),
    FLEET_CLI_SINGLE_ROW(struct ship_options),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

struct shipping {
    const struct ship_options *given;
    bool sync;
    struct fleet_cli fleet;
    struct fleet_cli_choice choice;
    struct fleet_cli_told told;
    struct fleet_shipper *shipper;
    uint64_t last_lsn; /* the last acknowledgement that was told */
    uint64_t backlog;  /* at the end */
    uint64_t told_backlog;
    uint64_t look_ms; /* at the backlog again, for a program */
};

/* --- What would go ------------------------------------------------------------------------------------------------ */

struct dry {
    struct shipping *shipping;
    struct xylem_cli__table table;
    struct xylem_cli__text documents;
    uint64_t count;
    uint64_t held_count;
};

static void add_dry_row(struct xylem_cli *cli, struct dry *dry, const struct xylem_session *session, const char *reason)
{
    struct xylem_cli__text *cell = &dry->table.cell;
    xylem_cli__add_shown(cli, cell, session->id, XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_cli__table_end_cell(&dry->table);
    xylem_cli__table_add_count(&dry->table, session->history.count);
    xylem_cli__table_add(&dry->table, xylem_view_of(session->epoch > 0 ? "yes" : "no"));
    xylem_cli__add_shown(cli, cell, session->cwd.data ? session->cwd : xylem_view_of("-"), XYLEM_CLI__ONE_LINE,
                         SIZE_MAX);
    xylem_cli__table_end_cell(&dry->table);
    xylem_cli__addf(cell, "%s%s", reason ? "held: " : "goes", reason ? reason : "");
    xylem_cli__table_end_cell(&dry->table);
}

static void add_dry_document(struct dry *dry, const struct xylem_session *session, const char *reason)
{
    struct xylem_cli__text *text = &dry->documents;
    xylem_cli__json_begin(text, '{');
    xylem_cli__member_string(text, "session", session->id);
    xylem_cli__member_count(text, "changes", session->history.count);
    xylem_cli__member_bool(text, "shipped_before", session->epoch > 0);
    xylem_cli__member_maybe(text, "cwd", session->cwd);
    xylem_cli__member_bool(text, "goes", !reason);
    xylem_cli__member_maybe(text, "reason", reason ? xylem_view_of(reason) : (struct xylem_view){NULL, 0});
    xylem_cli__json_end(text, '}');
}

/* A session that was not chosen is no row: who ships one directory has no use for a list of all others. */
static int look_at(struct xylem_cli *cli, void *context, const struct xylem_session *session)
{
    struct dry *dry = context;
    const char *reason = NULL;
    bool own =
        session->owner.bytes == 0 && session->state != XYLEM_SESSION_IMPORTING && session->state != XYLEM_SESSION_FREED;
    int ships = own ? fleet_cli_ships(&dry->shipping->choice, cli->txn, session, &reason) : 0;
    if (ships < 0 || !own || (ships == 0 && fleet_cli_unchosen(reason))) {
        return ships < 0 ? ships : 0;
    }
    reason = ships == 1 ? NULL : reason;
    dry->count += ships == 1 ? 1 : 0;
    dry->held_count += ships == 1 ? 0 : 1;
    if (dry->shipping->given->json) {
        add_dry_document(dry, session, reason);
    } else {
        add_dry_row(cli, dry, session, reason);
    }
    return 0;
}

static int run_dry(struct shipping *shipping)
{
    static const struct xylem_cli__column columns[] = {{.title = "SESSION", .whole = true},
                                                       {.title = "CHANGES", .right = true},
                                                       {.title = "BEFORE"},
                                                       {.title = "DIRECTORY", .cut_cells = 12},
                                                       {.title = "WHAT", .cut_cells = 12}};
    struct xylem_cli *cli = shipping->fleet.cli;
    struct dry dry = {.shipping = shipping, .table = {.columns = columns, .column_count = 5}};
    struct xylem_cli__text text = {0};
    int code = xylem_cli__each_session(cli, look_at, &dry);
    if (code == 0 && shipping->given->json) {
        xylem_cli__json_document(&text);
        xylem_cli__member_list(&text, "sessions", &dry.documents);
        xylem_cli__json_end(&text, '}');
    } else if (code == 0 && (code = xylem_cli__table_put(cli, &dry.table)) == 0) {
        xylem_cli__add_counted(&text, dry.count, "session would go", "sessions would go");
        xylem_cli__add(&text, "; nothing was sent\n");
    }
    code = code == 0 ? xylem_cli__put_output(cli, &text, shipping->given->json) : code;
    xylem_cli__text_release(&text);
    xylem_cli__text_release(&dry.documents);
    xylem_cli__table_release(&dry.table);
    return code;
}

/* --- Shipping ----------------------------------------------------------------------------------------------------- */

/*
 * A host that must not act before two nodes have its entry waits for a line with an lsn that is not smaller than the
 * entry's: the cursor moves over acknowledged changes alone. Changes of sessions that are held back, foreign or fenced
 * are passed, and were news before.
 */
static int tell_acknowledged(struct shipping *shipping)
{
    struct xylem_cli *cli = shipping->fleet.cli;
    uint64_t lsn = fleet_shipper_acknowledged(shipping->shipper);
    struct xylem_cli__text text = {0};
    if (lsn == shipping->last_lsn) {
        return 0;
    }
    shipping->last_lsn = lsn;
    if (shipping->given->json) {
        xylem_cli__json_document(&text);
        xylem_cli__member_string(&text, "event", xylem_view_of("acknowledged"));
        xylem_cli__member_count(&text, "lsn", lsn);
        xylem_cli__json_end(&text, '}');
    } else {
        xylem_cli__addf(&text, "acknowledged %" PRIu64 "\n", lsn);
    }
    int code = xylem_cli__put_output(cli, &text, shipping->given->json);
    return code < 0 ? code : xylem_cli__flush(cli);
}

/* A program that follows shows a lag: a backlog that stays, and the end of a backlog. */
static int tell_backlog(struct shipping *shipping, uint64_t now_ms)
{
    struct xylem_cli *cli = shipping->fleet.cli;
    struct xylem_cli__text text = {0};
    bool stays = shipping->backlog > 0;
    bool is_due = stays && shipping->look_ms > 0 && now_ms >= shipping->look_ms;
    shipping->look_ms = !stays ? 0 : is_due || shipping->look_ms == 0 ? now_ms + BACKLOG_MS : shipping->look_ms;
    if (shipping->backlog == shipping->told_backlog || (stays && !is_due)) {
        return 0;
    }
    shipping->told_backlog = shipping->backlog;
    xylem_cli__json_document(&text);
    xylem_cli__member_string(&text, "event", xylem_view_of("backlog"));
    xylem_cli__member_count(&text, "changes", shipping->backlog);
    xylem_cli__json_end(&text, '}');
    int code = xylem_cli__put_output(cli, &text, true);
    return code < 0 ? code : xylem_cli__flush(cli);
}

static int turn(void *work, struct fleet_turn *next, uint64_t now_ms, struct xylem_error *err)
{
    struct shipping *shipping = work;
    int code = fleet_shipper_turn(next, shipping->shipper, now_ms, err);
    shipping->backlog = fleet_shipper_backlog(shipping->shipper);
    bool follows = code == 0 && shipping->given->follow;
    int told = follows && shipping->sync ? tell_acknowledged(shipping) : 0;
    told = told == 0 && follows && shipping->given->json ? tell_backlog(shipping, now_ms) : told;
    return told < 0 ? told : code;
}

static int ships(void *context, struct xylem_txn *txn, const struct xylem_session *session, const char **reason)
{
    struct shipping *shipping = context;
    return fleet_cli_ships(&shipping->choice, txn, session, reason);
}

static void tell(void *context, const struct fleet_news *news)
{
    struct shipping *shipping = context;
    if (news->type != FLEET_NEWS_HELD || !news->text || !fleet_cli_unchosen(news->text)) {
        fleet_cli_tell(&shipping->told, news);
    }
}

static int add_missed(struct shipping *shipping)
{
    struct xylem_base__numbers missed = {NULL, 0, 0};
    int code = fleet_cli_missed(&shipping->choice, &missed);
    for (size_t i = 0; code == 0 && i < missed.count; i++) {
        code = fleet_shipper_add(shipping->shipper, missed.list[i], &shipping->fleet.cli->err);
    }
    free(missed.list);
    return code;
}

static int follow(struct shipping *shipping)
{
    struct xylem_cli *cli = shipping->fleet.cli;
    const struct fleet_shipper_options options = {
        .host = xylem_view_of(shipping->fleet.config.host),
        .ships = ships,
        .tell = tell,
        .context = shipping,
        .group_ms = shipping->sync ? 0 : shipping->fleet.config.group_ms,
    };
    int code = 1;
    while (code == 1) {
        code = fleet_shipper_new(&shipping->shipper, cli->store, shipping->fleet.engine, &options, &cli->err);
        code = code == 0 ? add_missed(shipping) : code;
        code = code == 0 ? fleet_cli_turns(&shipping->told, turn, shipping, shipping->given->follow) : code;
        if (code == 0 || (code == XYLEM_E_STOPPED && shipping->shipper)) {
            int noted = fleet_shipper_note(shipping->shipper, &cli->err);
            code = noted < 0 ? noted : code;
        }
        fleet_shipper_free(shipping->shipper);
        shipping->shipper = NULL;
        if (code == 1 && (code = fleet_cli_give_way(&shipping->fleet)) == 0) {
            code = 1;
        }
    }
    return code;
}

/* A ship that follows waits for its engine: a host starts before the network is there. */
static int reach(struct shipping *shipping)
{
    struct xylem_cli *cli = shipping->fleet.cli;
    int code = fleet_cli_connect(&shipping->fleet, shipping->given->allow_single);
    for (bool told = false; code == XYLEM_E_IO && shipping->given->follow; told = true) {
        if (!told) {
            xylem_cli__note(cli, "waiting for the engine: %s", cli->err.text);
        }
        poll(NULL, 0, CONNECT_AGAIN_MS);
        code = xylem_cli__interrupted() ? XYLEM_E_STOPPED
                                        : fleet_cli_connect(&shipping->fleet, shipping->given->allow_single);
    }
    return code;
}

static int end(struct shipping *shipping, int code)
{
    struct xylem_cli__text members = {0};
    bool all = code == 0 && shipping->backlog == 0 && shipping->told.problem_count == 0;
    xylem_cli__member_bool(&members, "acknowledged", all);
    xylem_cli__member_count(&members, "backlog", shipping->backlog);
    int told = fleet_cli_told_end(&shipping->told, &members,
                                  all ? "everything that was chosen is acknowledged already" : NULL);
    xylem_cli__text_release(&members);
    if (code == 0 && !all && !shipping->given->follow) {
        xylem_cli__note(shipping->fleet.cli,
                        "not everything is acknowledged: `xylem fleet status` says why, and the next "
                        "`xylem fleet ship` goes on");
        code = XYLEM_CLI__PROBLEM;
    }
    return told < 0 ? told : code;
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct ship_options *given = options;
    struct shipping shipping = {.given = given};
    struct fleet_cli *fleet = &shipping.fleet;
    int code = 0;
    shipping.told = (struct fleet_cli_told){.fleet = fleet, .follow = given->follow, .json = given->json};
    fleet->cli = cli;
    if ((code = given->dry_run ? fleet_config_read(&fleet->config, &cli->err) : fleet_cli_nodes(fleet, cli)) == 0 &&
        (code = xylem_cli__open_reading(cli)) == 0) {
        code = fleet_cli_choose(&shipping.choice, fleet, arguments, &given->directories, given->all, &given->except);
    }
    shipping.sync = given->sync || fleet->config.sync;
    if (code == 0 && given->dry_run) {
        code = run_dry(&shipping);
    } else if (code == 0) {
        xylem_cli__close_store(cli);
        if ((code = reach(&shipping)) == 0 && (code = xylem_cli__open_writing(cli)) == 0) {
            code = end(&shipping, follow(&shipping));
        }
    }
    fleet_cli_choice_release(&shipping.choice);
    fleet_cli_end(fleet);
    return code;
}

const struct xylem_cli__command fleet_cli_ship = {
    .name = "fleet ship",
    .summary = "Bring the changes of this store's sessions to the fleet",
    .usage = "[SESSION...] [--dir DIR]... [--all] [--except SESSION]... [--follow] [--sync] [--dry-run] [--json] "
             "[--allow-single]",
    .details =
        "Nothing goes without a choice: SESSION, --dir, --all, or lines `directory DIR` of ~/.config/xylem/fleet. A\n"
        "SESSION goes with the sessions that it is a fork of, and sessions that the fleet has go on with each ship.\n"
        "--except, and lines `except SESSION`, hold a session back, and every fork of it.\n\n"
        "A change is acknowledged when two nodes have it on their disks. The exit code is 0 if all is acknowledged, 1\n"
        "if something is not. What another host took over meanwhile is not sent: what only this store has becomes a\n"
        "session of its own, and a line says so.\n\n"
        "--follow goes on until interrupted; each event is a line. With --sync, and `sync` in the configuration, a\n"
        "line `acknowledged LSN` follows each acknowledgement: two nodes have all changes of the chosen sessions up "
        "to\n"
        "that lsn. A host that must not act before waits for an LSN that is not smaller than its entry's. An event "
        "that\n"
        "says that a session is held back, in use, or another host's comes before the line that passes its changes.\n",
    .options = ship_table,
    .options_bytes = sizeof(struct ship_options),
    .arguments_max = SIZE_MAX,
    .arguments = {XYLEM_CLI__SESSION},
    .run = run,
};
