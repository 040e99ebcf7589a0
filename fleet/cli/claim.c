/*
 * xylem fleet claim, resume and release: who writes a session. `resume` is a claim that shows the head at once, before the
 * history comes: the claim's answer has it, and its acknowledgement proves what it shows.
 */
#include "base/clock.h"
#include "base/value.h"
#include "fleet/claim.h"
#include "fleet/cli/cli.h"
#include "fleet/puller.h"
#include "xylem/segment.h"
#include "xylem/store.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#define PAUSE_MS 100
#define STEPS_MAX 100u /* an engine that answers nonsense */

struct claim_options {
    bool force;
    bool json;
    bool allow_single;
};

static const struct xylem_cli__option claim_table[] = {
    {"force", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct claim_options, force),
     "also from an owner that was heard from within the last minute", NULL},
    XYLEM_CLI__JSON_ROW(struct claim_options),
    FLEET_CLI_SINGLE_ROW(struct claim_options),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

struct claiming {
    struct fleet_cli fleet;
    struct fleet_claim claim;
    char id[1][XYLEM_SESSION_ID_BYTES_MAX + 1];
    char owner[FLEET_HOST_BYTES_MAX + 1]; /* before the claim; empty: none */
    uint64_t silent_ms;
    bool json;
    bool shows_head;
    struct xylem_cli__text head; /* of the claim's answer */
};

/* --- The claim ---------------------------------------------------------------------------------------------------- */

static void note_owner(struct claiming *claiming, const struct fleet_row *row)
{
    size_t bytes = row->unowned ? 0 : xylem_cli__least(row->host.bytes, sizeof claiming->owner - 1);
    memcpy(claiming->owner, bytes > 0 ? row->host.data : "", bytes);
    claiming->owner[bytes] = '\0';
    claiming->silent_ms = row->silent_ms;
}

static void keep_head(struct claiming *claiming, const struct fleet_row *row)
{
    xylem_cli__text_clear(&claiming->head);
    if (claiming->json) {
        fleet_cli_json_head(&claiming->head, row);
    } else {
        fleet_cli_add_head(&claiming->fleet, &claiming->head, row);
    }
}

/* One request of the claim. */
static int step(struct claiming *claiming, enum fleet_claim_act act)
{
    struct fleet_cli *fleet = &claiming->fleet;
    struct fleet_request request = {.ask = act == FLEET_CLAIM_ROW ? FLEET_ROW : FLEET_CLAIM,
                                    .session = xylem_view_of(claiming->id[0]),
                                    .epoch = claiming->claim.seen,
                                    .host = xylem_view_of(fleet->config.host)};
    struct fleet_answer answer;
    memcpy(request.owner, fleet->token, sizeof request.owner);
    fleet_claim_sent(&claiming->claim);
    int code = fleet_cli_ask(fleet, &request, &answer);
    if (code < 0) {
        return code;
    }
    if (answer.outcome != FLEET_UNKNOWN && (code = fleet_cli_check(fleet, &answer)) < 0) {
        return code;
    }
    if (act == FLEET_CLAIM_ROW && answer.outcome == FLEET_DONE && !answer.rows[0].mine) {
        note_owner(claiming, &answer.rows[0]);
    }
    if (answer.outcome == FLEET_DONE && answer.row_count > 0 && claiming->shows_head) {
        keep_head(claiming, &answer.rows[0]);
    }
    fleet_claim_answer(&claiming->claim, &answer);
    if (answer.outcome == FLEET_UNKNOWN) {
        poll(NULL, 0, PAUSE_MS);
    }
    return 0;
}

static int refuse(struct claiming *claiming, enum fleet_claim_act act)
{
    struct xylem_cli *cli = claiming->fleet.cli;
    const char *id = claiming->id[0];
    const char *owner = *claiming->owner != '\0' ? claiming->owner : "another host";
    switch (act) {
    case FLEET_CLAIM_LIVES:
        return xylem_cli__fail(cli, XYLEM_E_CONFLICT,
                               "%s has the session %s, and was heard from %" PRIu64
                               " s ago: end it there (`xylem fleet release %s`), or take it with --force; what %s then "
                               "adds is kept there as a fork",
                               owner, id, claiming->silent_ms / 1000, id, owner);
    case FLEET_CLAIM_LOST:
        return xylem_cli__fail(cli, XYLEM_E_CONFLICT,
                               "another host claimed the session %s first: `xylem fleet sessions` says who has it", id);
    case FLEET_CLAIM_FREED:
        return xylem_cli__fail(cli, XYLEM_E_FREED, "the session %s was freed by its owner, and cannot go on", id);
    case FLEET_CLAIM_MISSING:
        return xylem_cli__fail(cli, XYLEM_E_NOT_FOUND, "the fleet has no session %s", id);
    default:
        return xylem_cli__fail(cli, XYLEM_E_OUTCOME_UNKNOWN,
                               "it is not known whether the claim of %s was acknowledged: say it again, a claim said "
                               "twice is one claim; `xylem fleet status` says what the engine waits for",
                               id);
    }
}

/* The epoch that the store has of the session: a claim below would be of no use here. */
static int know_epoch(struct claiming *claiming)
{
    struct xylem_cli *cli = claiming->fleet.cli;
    struct xylem_session session;
    int code = xylem_begin(&cli->txn, cli->store, XYLEM_READ, &cli->err);
    if (code < 0) {
        return code;
    }
    code = xylem_cli__session_exact(cli, &session, xylem_view_of(claiming->id[0]));
    claiming->claim.known = code > 0 ? session.epoch : 0;
    xylem_abort(cli->txn);
    cli->txn = NULL;
    return code < 0 ? code : 0;
}

static int claim(struct claiming *claiming, bool force)
{
    enum fleet_claim_act act = FLEET_CLAIM_ROW;
    int64_t begun_ms = xylem_base__steady_ms();
    fleet_claim_begin(&claiming->claim, force);
    int code = know_epoch(claiming);
    for (unsigned step_count = 0; code == 0 && step_count < STEPS_MAX; step_count++) {
        if (claiming->claim.doubted && fleet_cli_waited(claiming->fleet.cli, begun_ms)) {
            break;
        }
        act = fleet_claim_next(&claiming->claim);
        if (act != FLEET_CLAIM_ROW && act != FLEET_CLAIM_SEND) {
            break;
        }
        code = step(claiming, act);
    }
    act = fleet_claim_next(&claiming->claim);
    return code < 0 ? code : act == FLEET_CLAIM_WON ? 0 : refuse(claiming, act);
}

/* --- The rest of the session -------------------------------------------------------------------------------------- */

static int turn(void *work, struct fleet_turn *next, uint64_t now_ms, struct xylem_error *err)
{
    return fleet_puller_turn(next, work, now_ms, err);
}

static int start(struct fleet_puller **puller, struct fleet_cli_told *told, char (*ids)[XYLEM_SESSION_ID_BYTES_MAX + 1],
                 size_t count, bool all, uint64_t own_epoch)
{
    struct fleet_cli *fleet = told->fleet;
    struct xylem_cli *cli = fleet->cli;
    struct fleet_puller_options options = {.tell = fleet_cli_tell, .context = told, .all = all, .follow = told->follow};
    memcpy(options.token, fleet->token, sizeof options.token);
    int code = fleet_puller_new(puller, cli->store, fleet->engine, &options, &cli->err);
    for (size_t i = 0; code == 0 && i < count; i++) {
        code = fleet_puller_add(*puller, xylem_view_of(ids[i]), own_epoch > 0, own_epoch, &cli->err);
    }
    return code;
}

int fleet_cli_bring(struct fleet_cli_told *told, char (*ids)[XYLEM_SESSION_ID_BYTES_MAX + 1], size_t count, bool all,
                    uint64_t own_epoch)
{
    struct fleet_puller *puller = NULL;
    int code = 1;
    while (code == 1) {
        code = start(&puller, told, ids, count, all, own_epoch);
        code = code == 0 ? fleet_cli_turns(told, turn, puller, told->follow) : code;
        told->problem_count += code == 0 && fleet_puller_failed(puller) > 0 ? 1 : 0;
        fleet_puller_free(puller);
        puller = NULL;
        if (code == 1 && (code = fleet_cli_give_way(told->fleet)) == 0) {
            code = 1;
        }
    }
    return code;
}

/* --- The verbs ---------------------------------------------------------------------------------------------------- */

static int put_head(struct claiming *claiming)
{
    struct xylem_cli *cli = claiming->fleet.cli;
    int code = claiming->json ? 0 : xylem_cli__put(cli, &claiming->head);
    return code < 0 ? code : xylem_cli__flush(cli);
}

/* Says who had the session, and how to go on. */
static int put_end(struct claiming *claiming, struct fleet_cli_told *told)
{
    struct xylem_cli *cli = claiming->fleet.cli;
    struct xylem_cli__text text = {0};
    struct xylem_cli__text members = {0};
    const char *id = claiming->id[0];
    bool done = told->problem_count == 0 && !told->gave_up;
    xylem_cli__member_string(&members, "session", xylem_view_of(id));
    xylem_cli__member_count(&members, "epoch", claiming->claim.epoch);
    xylem_cli__member_maybe(&members, "from_host",
                            *claiming->owner != '\0' ? xylem_view_of(claiming->owner) : (struct xylem_view){NULL, 0});
    xylem_cli__member_bool(&members, "complete", done);
    if (claiming->json && claiming->shows_head) {
        struct xylem_view head = xylem_cli__text_view(&claiming->head);
        xylem_cli__json_key(&members, "head");
        xylem_cli__add_bytes(&members, head.data, head.bytes);
    }
    int code = fleet_cli_told_end(told, &members, "the store has all of the session already");
    xylem_cli__text_release(&members);
    if (code == 0 && !claiming->json && done) {
        xylem_cli__add(&text, *claiming->owner != '\0' ? "claimed from " : "claimed");
        xylem_cli__add_shown(cli, &text, xylem_view_of(claiming->owner), XYLEM_CLI__ONE_LINE, SIZE_MAX);
        xylem_cli__addf(&text, ", epoch %" PRIu64 "; go on with `xylem open ", claiming->claim.epoch);
        xylem_cli__add_shown(cli, &text, xylem_view_of(id), XYLEM_CLI__EXACT, SIZE_MAX);
        xylem_cli__add(&text, "`\n");
        code = xylem_cli__put_output(cli, &text, false);
    }
    if (code == 0 && !done) {
        xylem_cli__note(cli,
                        "the claim of %s is won, and its history is not complete here: `xylem fleet resume %s` goes on",
                        id, id);
        code = XYLEM_CLI__PROBLEM;
    }
    return code;
}

static int take_over(struct xylem_cli *cli, char **arguments, const struct claim_options *given, bool shows_head)
{
    struct claiming claiming = {.json = given->json, .shows_head = shows_head};
    struct fleet_cli *fleet = &claiming.fleet;
    struct fleet_cli_told told = {.fleet = fleet, .json = given->json};
    int code;
    if ((code = fleet_cli_engine(fleet, cli, given->allow_single)) == 0 &&
        (code = fleet_cli_find(fleet, claiming.id[0], arguments[0])) == 0 &&
        (code = xylem_cli__open_or_make(cli)) == 0 && (code = fleet_cli_token(fleet)) == 0 &&
        (code = claim(&claiming, given->force)) == 0 && (code = put_head(&claiming)) == 0) {
        code = fleet_cli_bring(&told, claiming.id, 1, false, claiming.claim.epoch);
        int ended = code == 0 ? put_end(&claiming, &told) : fleet_cli_told_end(&told, NULL, "nothing came");
        code = code == 0 ? ended : code;
    }
    xylem_cli__text_release(&claiming.head);
    fleet_cli_end(fleet);
    return code;
}

static int run_claim(struct xylem_cli *cli, char **arguments, const void *options)
{
    return take_over(cli, arguments, options, false);
}

static int run_resume(struct xylem_cli *cli, char **arguments, const void *options)
{
    return take_over(cli, arguments, options, true);
}

const struct xylem_cli__command fleet_cli_claim = {
    .name = "fleet claim",
    .summary = "Take a session over: this store owns it from now on",
    .usage = "ID [--force] [--json] [--allow-single]",
    .details =
        "ID is the id of a session of the fleet, a beginning of 8 characters or more, or its name (`xylem fleet\n"
        "sessions`). Claims the session, brings its history here, and makes this store its owner. The owner before is\n"
        "told at its next shipment; what it had not shipped stays there as a fork. A claim said twice is one claim. A\n"
        "session whose owner was heard from within the last minute needs --force.\n",
    .options = claim_table,
    .options_bytes = sizeof(struct claim_options),
    .arguments_min = 1,
    .arguments_max = 1,
    .run = run_claim,
};

const struct xylem_cli__command fleet_cli_resume = {
    .name = "fleet resume",
    .summary = "Go on with a session of another host",
    .usage = "ID [--force] [--json] [--allow-single]",
    .details =
        "As `xylem fleet claim`, and shows the session's head at once: its leaf, its state and the newest entries, as\n"
        "two nodes have them, before the history arrives. `xylem open ID` then goes on.\n",
    .options = claim_table,
    .options_bytes = sizeof(struct claim_options),
    .arguments_min = 1,
    .arguments_max = 1,
    .run = run_resume,
};

/* --- Letting go --------------------------------------------------------------------------------------------------- */

struct release_options {
    bool json;
    bool allow_single;
};

static const struct xylem_cli__option release_table[] = {XYLEM_CLI__JSON_ROW(struct release_options),
                                                         FLEET_CLI_SINGLE_ROW(struct release_options),
                                                         {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

static const char nobody[] = "nobody (released)"; /* the owner, in the store */

struct releasing {
    struct fleet_cli fleet;
    uint64_t number;
    uint64_t epoch;
    uint64_t count; /* changes */
    char id[XYLEM_SESSION_ID_BYTES_MAX + 1];
};

static int look_up(struct releasing *releasing, const char *word)
{
    struct xylem_cli *cli = releasing->fleet.cli;
    struct xylem_session session;
    int code = xylem_cli__open_reading(cli);
    if (code == 0 && (code = xylem_cli__session_kept(cli, &session, word)) == 0) {
        releasing->number = session.number;
        releasing->epoch = session.epoch;
        releasing->count = session.history.count;
        memcpy(releasing->id, session.id.data, session.id.bytes);
        if (session.owner.bytes > 0 || session.epoch == 0) {
            code = xylem_cli__fail(cli, XYLEM_E_CONFLICT, "the session %s is not this store's to release: %s",
                                   releasing->id, session.epoch == 0 ? "it was never shipped" : "another host owns it");
        }
    }
    xylem_cli__close_store(cli);
    return code;
}

/* The mark in the store: nothing more is appended here until a claim. */
static int let_go(struct xylem_cli *cli, void *context)
{
    struct releasing *releasing = context;
    return xylem_session_follow(cli->txn, releasing->number, xylem_view_of(nobody), releasing->epoch, &cli->err);
}

static int release(struct releasing *releasing)
{
    struct fleet_cli *fleet = &releasing->fleet;
    struct fleet_request request = {
        .ask = FLEET_LOOK, .session = xylem_view_of(releasing->id), .epoch = releasing->epoch};
    struct fleet_answer answer;
    memcpy(request.owner, fleet->token, sizeof request.owner);
    int code = fleet_cli_ask(fleet, &request, &answer);
    if (code < 0 || (code = fleet_cli_check(fleet, &answer)) < 0) {
        return code;
    }
    if (answer.outcome == FLEET_NO || !answer.rows[0].mine || answer.rows[0].epoch != releasing->epoch) {
        return xylem_cli__fail(fleet->cli, XYLEM_E_CONFLICT,
                               "another host owns the session %s by now: `xylem fleet ship` settles that here",
                               releasing->id);
    }
    if (answer.rows[0].next != releasing->count + 1) {
        return xylem_cli__fail(fleet->cli, XYLEM_E_CONFLICT,
                               "the fleet does not have all of the session %s yet: `xylem fleet ship %s` first",
                               releasing->id, releasing->id);
    }
    request.ask = FLEET_RELEASE;
    code = fleet_cli_ask(fleet, &request, &answer);
    return code < 0 ? code : fleet_cli_check(fleet, &answer);
}

static int run_release(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct release_options *given = options;
    struct releasing releasing = {.number = 0};
    struct xylem_cli__text text = {0};
    int code;
    if ((code = fleet_cli_engine(&releasing.fleet, cli, given->allow_single)) == 0 &&
        (code = look_up(&releasing, arguments[0])) == 0 && (code = xylem_cli__open_writing(cli)) == 0 &&
        (code = fleet_cli_token(&releasing.fleet)) == 0 && (code = release(&releasing)) == 0 &&
        (code = xylem_cli__change(cli, let_go, &releasing)) == 0) {
        if (given->json) {
            xylem_cli__json_document(&text);
            xylem_cli__member_string(&text, "session", xylem_view_of(releasing.id));
            xylem_cli__member_bool(&text, "released", true);
            xylem_cli__json_end(&text, '}');
        } else {
            xylem_cli__addf(&text, "%s has no owner now; `xylem fleet resume %s` goes on, here or on another host\n",
                            releasing.id, releasing.id);
        }
        code = xylem_cli__put_output(cli, &text, given->json);
    }
    fleet_cli_end(&releasing.fleet);
    return code;
}

const struct xylem_cli__command fleet_cli_release = {
    .name = "fleet release",
    .summary = "Let go of a session, so that another host takes it over without --force",
    .usage = "SESSION [--json] [--allow-single]",
    .details =
        "All of the session must be acknowledged (`xylem fleet ship SESSION`). The session stays readable here;\n"
        "nothing is appended until a claim.\n",
    .options = release_table,
    .options_bytes = sizeof(struct release_options),
    .arguments_min = 1,
    .arguments_max = 1,
    .arguments = {XYLEM_CLI__SESSION},
    .run = run_release,
};
