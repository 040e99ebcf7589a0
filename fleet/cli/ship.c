/* xylem fleet ship: brings the changes of this store's sessions to the engine. */
#include "fleet/cli/choice.h"
#include "fleet/shipper.h"
#include "xylem/store.h"

#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define CONNECT_AGAIN_MS 1000

#define BACKLOG_MS 1000u /* a backlog that stays so long is told to a program, and so often */

struct shipping {
    struct fleet_cli *fleet;
    bool sync;
    struct fleet_cli_choice choice;
    struct fleet_shipper *shipper;
    uint64_t last_lsn; /* the last acknowledgement that was told */
    uint64_t backlog;  /* at the end */
    uint64_t told_backlog;
    uint64_t look_ms; /* at the backlog again, for a program */
};

/* --- What would go ------------------------------------------------------------------------------------------------ */

struct dry {
    struct fleet_cli_choice *choice;
    struct xylem_cli__table table;
    uint64_t count;
};

static void add_dry_row(struct xylem_cli *cli, struct xylem_cli__table *table, const struct xylem_session *session,
                        const char *reason)
{
    fleet_cli_add_cell(cli, table, session->id);
    xylem_cli__table_add_count(table, session->history.count);
    xylem_cli__table_add(table, xylem_view_of(session->epoch > 0 ? "yes" : "no"));
    fleet_cli_add_cell(cli, table, session->cwd);
    xylem_cli__addf(&table->cell, "%s%s", reason ? "held: " : "goes", reason ? reason : "");
    xylem_cli__table_end_cell(table);
}

static void add_dry_document(struct xylem_cli__text *text, const struct xylem_session *session, const char *reason)
{
    xylem_cli__json_begin(text, '{');
    xylem_cli__member_string(text, "session", session->id);
    xylem_cli__member_count(text, "changes", session->history.count);
    xylem_cli__member_bool(text, "shipped_before", session->epoch > 0);
    xylem_cli__member_maybe(text, "cwd", session->cwd);
    xylem_cli__member_bool(text, "goes", !reason);
    xylem_cli__member_maybe(text, "reason", xylem_view_of(reason));
    xylem_cli__json_end(text, '}');
}

/* A session that was not chosen is no row: who ships one directory has no use for a list of all others. */
static int look_at(struct xylem_cli *cli, void *context, const struct xylem_session *session)
{
    struct dry *dry = context;
    struct fleet_cli *fleet = dry->choice->fleet;
    const char *reason = NULL;
    if (session->owner.bytes > 0 || session->state == XYLEM_SESSION_IMPORTING ||
        session->state == XYLEM_SESSION_FREED) {
        return 0;
    }
    int ships = fleet_cli_ships(dry->choice, cli->txn, session, &reason);
    if (ships < 0 || (ships == 0 && fleet_cli_unchosen(reason))) {
        return ships;
    }
    reason = ships == 1 ? NULL : reason;
    dry->count += (uint64_t)ships;
    if (fleet->given->form.json) {
        add_dry_document(&fleet->members, session, reason);
    } else {
        add_dry_row(cli, &dry->table, session, reason);
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
    struct fleet_cli *fleet = shipping->fleet;
    struct dry dry = {.choice = &shipping->choice, .table = {.columns = columns, .column_count = 5}};
    struct xylem_cli__text text = {0};
    int code = xylem_cli__each_session(fleet->cli, look_at, &dry);
    if (code == 0 && fleet->given->form.json) {
        code = fleet_cli_put_list(fleet, "sessions");
    } else if (code == 0) {
        code = xylem_cli__table_put(fleet->cli, &dry.table);
        xylem_cli__add_counted(&text, dry.count, "session would go", "sessions would go");
        xylem_cli__add(&text, "; nothing was sent\n");
        code = code == 0 ? xylem_cli__put(fleet->cli, &text) : code;
    }
    xylem_cli__text_release(&text);
    xylem_cli__table_release(&dry.table);
    return code;
}

/* --- Shipping ----------------------------------------------------------------------------------------------------- */

/* An event that is no news: a line for a person, a document for a program. */
static int tell_event(struct shipping *shipping, const char *event, const char *member, uint64_t count)
{
    struct xylem_cli__text text = {0};
    if (shipping->fleet->given->form.json) {
        xylem_cli__json_document(&text);
        xylem_cli__member_string(&text, "event", xylem_view_of(event));
        xylem_cli__member_count(&text, member, count);
        xylem_cli__json_end(&text, '}');
    } else {
        xylem_cli__addf(&text, "%s %" PRIu64 "\n", event, count);
    }
    return fleet_cli_put_now(shipping->fleet, &text, shipping->fleet->given->form.json);
}

/*
 * A host that must not act before two nodes have its entry waits for a line with an lsn that is not smaller than the
 * entry's: the cursor moves over acknowledged changes alone. Changes of sessions that are held back, foreign or fenced
 * are passed, and were news before.
 */
static int tell_acknowledged(struct shipping *shipping)
{
    uint64_t lsn = fleet_shipper_acknowledged(shipping->shipper);
    if (lsn == shipping->last_lsn) {
        return 0;
    }
    shipping->last_lsn = lsn;
    return tell_event(shipping, "acknowledged", "lsn", lsn);
}

/* A program that follows shows a lag: a backlog that stays, and the end of a backlog. */
static int tell_backlog(struct shipping *shipping, uint64_t now_ms)
{
    bool stays = shipping->backlog > 0;
    bool is_due = stays && shipping->look_ms > 0 && now_ms >= shipping->look_ms;
    shipping->look_ms = !stays ? 0 : is_due || shipping->look_ms == 0 ? now_ms + BACKLOG_MS : shipping->look_ms;
    if (shipping->backlog == shipping->told_backlog || (stays && !is_due)) {
        return 0;
    }
    shipping->told_backlog = shipping->backlog;
    return tell_event(shipping, "backlog", "changes", shipping->backlog);
}

static int turn(struct fleet_turn *next, struct fleet_cli *fleet, void *context, uint64_t now_ms)
{
    struct shipping *shipping = context;
    int code = fleet_shipper_turn(next, shipping->shipper, now_ms, &fleet->cli->err);
    shipping->backlog = fleet_shipper_backlog(shipping->shipper);
    bool follows = code == 0 && fleet->given->follow;
    code = follows && shipping->sync ? tell_acknowledged(shipping) : code;
    return code == 0 && follows && fleet->given->form.json ? tell_backlog(shipping, now_ms) : code;
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
        fleet_cli_tell(shipping->fleet, news);
    }
}

static int start(struct fleet_cli *fleet, void *context)
{
    struct shipping *shipping = context;
    struct xylem_cli *cli = fleet->cli;
    const struct fleet_shipper_options options = {.host = xylem_view_of(fleet->config.host),
                                                  .ships = ships,
                                                  .tell = tell,
                                                  .context = shipping,
                                                  .group_ms = shipping->sync ? 0 : fleet->config.group_ms};
    struct xylem_base__numbers missed = {NULL, 0, 0};
    int code = fleet_shipper_new(&shipping->shipper, cli->store, fleet->waiting.engine, &options, &cli->err);
    if (code == 0) {
        memcpy(fleet->token, fleet_shipper_token(shipping->shipper), sizeof fleet->token);
        code = fleet_cli_missed(&shipping->choice, &missed);
    }
    for (size_t i = 0; code == 0 && i < missed.count; i++) {
        code = fleet_shipper_add(shipping->shipper, missed.list[i], &cli->err);
    }
    free(missed.list);
    return code;
}

static void end(struct fleet_cli *fleet, void *context)
{
    struct shipping *shipping = context;
    struct xylem_error err;
    if (shipping->shipper) { /* a note that cannot be written is behind: the next ship sends again */
        (void)fleet_shipper_note(shipping->shipper, &err);
    }
    (void)fleet;
    fleet_shipper_free(shipping->shipper);
    shipping->shipper = NULL;
}

/* A ship that follows waits for its engine: a host starts before the network is there. */
static int reach(struct fleet_cli *fleet)
{
    int code = fleet_cli_connect(fleet, fleet->given->allow_single);
    for (bool told = false; code == XYLEM_E_IO && fleet->given->follow; told = true) {
        if (!told) {
            xylem_cli__note(fleet->cli, "waiting for the engine: %s", fleet->cli->err.text);
        }
        poll(NULL, 0, CONNECT_AGAIN_MS);
        code = xylem_cli__interrupted() ? XYLEM_E_STOPPED : fleet_cli_connect(fleet, fleet->given->allow_single);
    }
    return code;
}

static int ship(struct shipping *shipping)
{
    struct fleet_cli *fleet = shipping->fleet;
    const struct fleet_cli_work work = {start, turn, end, shipping};
    xylem_cli__close_store(fleet->cli);
    int code = reach(fleet);
    code = code == 0 ? xylem_cli__open_writing(fleet->cli) : code;
    code = code == 0 ? fleet_cli_work(fleet, &work) : code;
    fleet->problem_count += shipping->backlog > 0 && !fleet->given->follow ? 1 : 0;
    xylem_cli__member_count(&fleet->members, "backlog", shipping->backlog);
    return fleet_cli_told(fleet, code, "acknowledged", "everything that was chosen is acknowledged already",
                          "not everything is acknowledged: `xylem fleet status` says why, and the next `xylem fleet "
                          "ship` goes on");
}

static int run_ship(struct fleet_cli *fleet, char **arguments)
{
    struct xylem_cli *cli = fleet->cli;
    bool dry = fleet->given->dry_run;
    struct shipping shipping = {.fleet = fleet};
    int code = dry ? fleet_config_read(&fleet->config, &cli->err) : fleet_cli_nodes(fleet);
    code = code == 0 ? xylem_cli__open_reading(cli) : code;
    code = code == 0 ? fleet_cli_choose(&shipping.choice, fleet, arguments) : code;
    shipping.sync = fleet->given->sync || fleet->config.sync;
    code = code < 0 ? code : dry ? run_dry(&shipping) : ship(&shipping);
    fleet_cli_choice_release(&shipping.choice);
    return code;
}

static const struct xylem_cli__option table[] = {
    FLEET_CLI_ROW("dir", 'd', "DIR", LIST, directories, "sessions whose directory is DIR or below DIR"),
    FLEET_CLI_FLAG("all", 'a', all, "every session of the store"),
    FLEET_CLI_ROW("except", 0, "SESSION", LIST, except, "hold this session and its forks back"),
    FLEET_CLI_FLAG("follow", 'f', follow, "go on with what is committed to the store, until interrupted"),
    FLEET_CLI_FLAG("sync", 0, sync, "send each change at once, and print `acknowledged LSN`"),
    FLEET_CLI_FLAG("dry-run", 0, dry_run, "say what would go, and ask no engine"),
    FLEET_CLI_JSON,
    FLEET_CLI_SINGLE,
    FLEET_CLI_END};

FLEET_CLI_VERB(
    ship, table, .arguments_max = SIZE_MAX, .arguments = {XYLEM_CLI__SESSION},
    .summary = "Bring the changes of this store's sessions to the fleet",
    .usage = "[SESSION...] [--dir DIR]... [--all] [--except SESSION]... [--follow] [--sync] [--dry-run] [--json] "
             "[--allow-single]",
    .details =
        "Nothing goes without a choice: SESSION, --dir, --all, or lines `directory DIR` of ~/.config/xylem/fleet. A "
        "SESSION goes with the sessions that it is a fork of, and sessions that the fleet has go on with each ship. "
        "--except, and lines `except SESSION`, hold a session back, and every fork of it.\n\n"
        "A change is acknowledged when two nodes have it on their disks. The exit code is 0 if all is acknowledged, 1 "
        "if something is not. What another host took over meanwhile is not sent: what only this store has becomes a "
        "session of its own, and a line says so.\n\n"
        "--follow goes on until interrupted; each event is a line. With --sync, and `sync` in the configuration, a "
        "line `acknowledged LSN` follows each acknowledgement: two nodes have all changes of the chosen sessions up to "
        "that lsn. A host that must not act before waits for an LSN that is not smaller than its entry's. An event "
        "that says that a session is held back, in use, or another host's comes before the line that passes its "
        "changes.\n");
