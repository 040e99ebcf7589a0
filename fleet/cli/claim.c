/*
 * xylem fleet claim, resume and release: who writes a session. `resume` is a claim that shows the head at once, before the
 * history comes: the claim's answer has it, and its acknowledgement proves what it shows.
 */
#include "base/clock.h"
#include "base/value.h"
#include "fleet/claim.h"
#include "fleet/cli/cli.h"
#include "xylem/segment.h"
#include "xylem/store.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#define PAUSE_MS 100
#define STEPS_MAX 100u /* an engine that answers nonsense */

struct claiming {
    struct fleet_cli *fleet;
    struct fleet_claim claim;
    const char *id;
    char owner[FLEET_HOST_BYTES_MAX + 1]; /* before the claim; empty: none */
    uint64_t silent_ms;
    bool shows_head;
    struct xylem_cli__text head; /* of the claim's answer */
};

/* --- The claim ---------------------------------------------------------------------------------------------------- */

static void note_owner(struct claiming *claiming, const struct fleet_row *row)
{
    struct xylem_view owner = fleet_cli_owner(row);
    (void)snprintf(claiming->owner, sizeof claiming->owner, "%.*s", (int)owner.bytes, owner.data ? owner.data : "");
    claiming->silent_ms = row->silent_ms;
}

/* One request of the claim. */
static int step(struct claiming *claiming, enum fleet_claim_act act)
{
    struct fleet_cli *fleet = claiming->fleet;
    struct fleet_request request = {.ask = act == FLEET_CLAIM_ROW ? FLEET_ROW : FLEET_CLAIM,
                                    .session = xylem_view_of(claiming->id),
                                    .epoch = claiming->claim.seen,
                                    .host = xylem_view_of(fleet->config.host)};
    struct fleet_answer answer;
    fleet_claim_sent(&claiming->claim);
    int code = fleet_cli_send(fleet, &request, &answer);
    code = code == 0 && answer.outcome != FLEET_UNKNOWN ? fleet_cli_check(fleet, &answer) : code;
    if (code < 0) {
        return code;
    }
    if (answer.outcome == FLEET_DONE && answer.row_count > 0) {
        if (act == FLEET_CLAIM_ROW && !answer.rows[0].mine) {
            note_owner(claiming, &answer.rows[0]);
        }
        xylem_cli__text_clear(&claiming->head);
        fleet_cli_add_head(fleet, &claiming->head, &answer.rows[0]);
    }
    fleet_claim_answer(&claiming->claim, &answer);
    poll(NULL, 0, answer.outcome == FLEET_UNKNOWN ? PAUSE_MS : 0);
    return 0;
}

static int refuse(struct claiming *claiming, enum fleet_claim_act act)
{
    struct xylem_cli *cli = claiming->fleet->cli;
    const char *id = claiming->id;
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
    struct xylem_cli *cli = claiming->fleet->cli;
    struct xylem_session session;
    int code = xylem_begin(&cli->txn, cli->store, XYLEM_READ, &cli->err);
    code = code < 0 ? code : xylem_cli__session_exact(cli, &session, xylem_view_of(claiming->id));
    claiming->claim.known = code > 0 ? session.epoch : 0;
    xylem_abort(cli->txn);
    cli->txn = NULL;
    return code < 0 ? code : 0;
}

static int claim(struct claiming *claiming)
{
    int64_t begun_ms = xylem_base__steady_ms();
    enum fleet_claim_act act = FLEET_CLAIM_ROW;
    fleet_claim_begin(&claiming->claim, claiming->fleet->given->force);
    int code = know_epoch(claiming);
    for (unsigned count = 0; code == 0 && count < STEPS_MAX; count++) {
        act = fleet_claim_next(&claiming->claim);
        bool late = claiming->claim.doubted && fleet_cli_waited(claiming->fleet->cli, begun_ms);
        if ((act != FLEET_CLAIM_ROW && act != FLEET_CLAIM_SEND) || late) {
            break;
        }
        code = step(claiming, act);
    }
    return code < 0 ? code : act == FLEET_CLAIM_WON ? 0 : refuse(claiming, act);
}

/* --- Taking over -------------------------------------------------------------------------------------------------- */

static void add_members(struct claiming *claiming)
{
    struct xylem_cli__text *members = &claiming->fleet->members;
    struct xylem_view head = xylem_cli__text_view(&claiming->head);
    xylem_cli__member_string(members, "session", xylem_view_of(claiming->id));
    xylem_cli__member_count(members, "epoch", claiming->claim.epoch);
    xylem_cli__member_maybe(members, "from_host", xylem_view_of(*claiming->owner != '\0' ? claiming->owner : NULL));
    if (claiming->shows_head) {
        xylem_cli__json_key(members, "head");
        xylem_cli__add_bytes(members, head.data, head.bytes);
    }
}

/* Says who had the session, and how to go on. */
static int put_end(struct claiming *claiming)
{
    struct xylem_cli *cli = claiming->fleet->cli;
    struct xylem_cli__text text = {0};
    xylem_cli__add(&text, *claiming->owner != '\0' ? "claimed from " : "claimed");
    xylem_cli__add_shown(cli, &text, xylem_view_of(claiming->owner), XYLEM_CLI__ONE_LINE, SIZE_MAX);
    xylem_cli__addf(&text, ", epoch %" PRIu64 "; go on with ", claiming->claim.epoch);
    xylem_cli__add_named(cli, &text, "open", claiming->id);
    xylem_cli__add(&text, "\n");
    return xylem_cli__put_output(cli, &text, false);
}

static int bring(struct claiming *claiming)
{
    struct fleet_cli *fleet = claiming->fleet;
    bool json = fleet->given->form.json;
    char left[2 * XYLEM_SESSION_ID_BYTES_MAX + 120];
    int code = json || !claiming->shows_head ? 0 : fleet_cli_put_now(fleet, &claiming->head, false);
    code = code == 0 ? fleet_cli_bring(fleet, false, claiming->claim.epoch) : code;
    (void)snprintf(left, sizeof left,
                   "the claim of %s is won, and its history is not complete here: `xylem fleet resume %s` goes on",
                   claiming->id, claiming->id);
    add_members(claiming);
    code = fleet_cli_told(fleet, code, "complete", "the store has all of the session already", left);
    return code == 0 && !json ? put_end(claiming) : code;
}

static int take_over(struct fleet_cli *fleet, char **arguments, bool shows_head)
{
    struct claiming claiming = {.fleet = fleet, .shows_head = shows_head};
    int code = fleet_cli_engine(fleet, fleet->given->allow_single);
    code = code == 0 ? fleet_cli_find(fleet, arguments) : code;
    code = code == 0 ? xylem_cli__open_or_make(fleet->cli) : code;
    code = code == 0 ? fleet_cli_token(fleet) : code;
    if (code == 0) {
        claiming.id = fleet->ids[0];
        code = claim(&claiming);
        code = code == 0 ? bring(&claiming) : code;
    }
    xylem_cli__text_release(&claiming.head);
    return code;
}

static int run_claim(struct fleet_cli *fleet, char **arguments)
{
    return take_over(fleet, arguments, false);
}

static int run_resume(struct fleet_cli *fleet, char **arguments)
{
    return take_over(fleet, arguments, true);
}

/* release takes no --force. */
static const struct xylem_cli__option table[] = {
    FLEET_CLI_FLAG("force", 0, force, "also from an owner that was heard from within the last minute"), FLEET_CLI_JSON,
    FLEET_CLI_SINGLE, FLEET_CLI_END};

FLEET_CLI_VERB(claim, table, .arguments_min = 1, .arguments_max = 1, .usage = "ID [--force] [--json] [--allow-single]",
               .summary = "Take a session over: this store owns it from now on",
               .details =
                   "ID is the id of a session of the fleet, a beginning of 8 characters or more, or its name (`xylem "
                   "fleet sessions`). Claims the session, brings its history here, and makes this store its owner. The "
                   "owner before is told at its next shipment; what it had not shipped stays there as a fork. A claim "
                   "said twice is one claim. A session whose owner was heard from within the last minute needs "
                   "--force.\n");

FLEET_CLI_VERB(resume, table, .arguments_min = 1, .arguments_max = 1, .usage = "ID [--force] [--json] [--allow-single]",
               .summary = "Go on with a session of another host",
               .details =
                   "As `xylem fleet claim`, and shows the session's head at once: its leaf, its state and the newest "
                   "entries, as two nodes have them, before the history arrives. `xylem open ID` then goes on.\n");

/* --- Letting go --------------------------------------------------------------------------------------------------- */

static const char nobody[] = "nobody (released)"; /* the owner, in the store */

struct releasing {
    uint64_t number;
    uint64_t epoch;
    uint64_t count; /* changes */
    fleet_cli_id id;
};

static int look_up(struct releasing *releasing, struct xylem_cli *cli, const char *word)
{
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

static int release(struct fleet_cli *fleet, const struct releasing *releasing)
{
    const char *id = releasing->id;
    struct fleet_request request = {.ask = FLEET_LOOK, .session = xylem_view_of(id), .epoch = releasing->epoch};
    struct fleet_answer answer;
    int code = fleet_cli_ask(fleet, &request, &answer);
    if (code < 0) {
        return code;
    }
    if (answer.outcome == FLEET_NO || !answer.rows[0].mine || answer.rows[0].epoch != releasing->epoch) {
        return xylem_cli__fail(fleet->cli, XYLEM_E_CONFLICT,
                               "another host owns the session %s by now: `xylem fleet ship` settles that here", id);
    }
    if (answer.rows[0].next != releasing->count + 1) {
        return xylem_cli__fail(fleet->cli, XYLEM_E_CONFLICT,
                               "the fleet does not have all of the session %s yet: `xylem fleet ship %s` first", id,
                               id);
    }
    request.ask = FLEET_RELEASE;
    return fleet_cli_ask(fleet, &request, &answer);
}

static int run_release(struct fleet_cli *fleet, char **arguments)
{
    struct xylem_cli *cli = fleet->cli;
    struct releasing releasing = {.number = 0};
    struct xylem_cli__text text = {0};
    int code = fleet_cli_engine(fleet, fleet->given->allow_single);
    code = code == 0 ? look_up(&releasing, cli, arguments[0]) : code;
    code = code == 0 ? xylem_cli__open_writing(cli) : code;
    code = code == 0 ? fleet_cli_token(fleet) : code;
    code = code == 0 ? release(fleet, &releasing) : code;
    code = code == 0 ? xylem_cli__change(cli, let_go, &releasing) : code;
    if (code < 0) {
        return code;
    }
    if (fleet->given->form.json) {
        xylem_cli__json_document(&text);
        xylem_cli__member_string(&text, "session", xylem_view_of(releasing.id));
        xylem_cli__member_bool(&text, "released", true);
        xylem_cli__json_end(&text, '}');
    } else {
        xylem_cli__addf(&text, "%s has no owner now; `xylem fleet resume %s` goes on, here or on another host\n",
                        releasing.id, releasing.id);
    }
    return xylem_cli__put_output(cli, &text, fleet->given->form.json);
}

FLEET_CLI_VERB(release, table + 1, .arguments_min = 1, .arguments_max = 1, .arguments = {XYLEM_CLI__SESSION},
               .usage = "SESSION [--json] [--allow-single]",
               .summary = "Let go of a session, so that another host takes it over without --force",
               .details = "All of the session must be acknowledged (`xylem fleet ship SESSION`). The session stays "
                          "readable here; nothing is appended until a claim.\n");
