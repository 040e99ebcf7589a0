/* xylem fleet pull: brings sessions of the fleet into this store, to look at. */
#include "fleet/cli/cli.h"
#include "fleet/puller.h"

#include <string.h>

/* --- Bringing ----------------------------------------------------------------------------------------------------- */

struct bringing {
    bool all;
    uint64_t own_epoch;
    struct fleet_puller *puller;
};

static int start(struct fleet_cli *fleet, void *context)
{
    struct bringing *bringing = context;
    struct xylem_cli *cli = fleet->cli;
    struct fleet_puller_options options = {
        .tell = fleet_cli_tell, .context = fleet, .all = bringing->all, .follow = fleet->given->follow};
    memcpy(options.token, fleet->token, sizeof options.token);
    int code = fleet_puller_new(&bringing->puller, cli->store, fleet->waiting.engine, &options, &cli->err);
    for (size_t i = 0; code == 0 && i < fleet->id_count; i++) {
        code = fleet_puller_add(bringing->puller, xylem_view_of(fleet->ids[i]), bringing->own_epoch > 0,
                                bringing->own_epoch, &cli->err);
    }
    return code;
}

static int turn(struct fleet_turn *next, struct fleet_cli *fleet, void *context, uint64_t now_ms)
{
    struct bringing *bringing = context;
    return fleet_puller_turn(next, bringing->puller, now_ms, &fleet->cli->err);
}

static void end(struct fleet_cli *fleet, void *context)
{
    struct bringing *bringing = context;
    fleet->problem_count += bringing->puller ? fleet_puller_failed(bringing->puller) : 0;
    fleet_puller_free(bringing->puller);
    bringing->puller = NULL;
}

int fleet_cli_bring(struct fleet_cli *fleet, bool all, uint64_t own_epoch)
{
    struct bringing bringing = {.all = all, .own_epoch = own_epoch};
    const struct fleet_cli_work work = {start, turn, end, &bringing};
    return fleet_cli_work(fleet, &work);
}

/* --- Heads -------------------------------------------------------------------------------------------------------- */

static int add_id(struct fleet_cli *fleet, void *context, const struct fleet_row *row)
{
    (void)context;
    return fleet_cli_add_id(fleet, row->id);
}

static void add_head(struct fleet_cli *fleet, struct xylem_cli__text *text, const struct fleet_row *row)
{
    if (!fleet->given->form.json) {
        xylem_cli__add(text, text->bytes.bytes > 0 ? "\n" : "");
        fleet_cli_add_head(fleet, text, row);
        return;
    }
    xylem_cli__json_separate(text);
    xylem_cli__json_begin(text, '{');
    xylem_cli__member_string(text, "session", row->id);
    xylem_cli__member_maybe(text, "host", fleet_cli_owner(row));
    xylem_cli__member_count(text, "epoch", row->epoch);
    xylem_cli__member_count(text, "changes", row->next - 1);
    xylem_cli__json_key(text, "head");
    fleet_cli_add_head(fleet, text, row);
    xylem_cli__json_end(text, '}');
}

/* The requests go one after the other: a head is one read. */
static int put_heads(struct fleet_cli *fleet)
{
    struct fleet_answer answer;
    int code = fleet->given->all ? fleet_cli_each_row(fleet, add_id, NULL) : 0;
    for (size_t i = 0; code == 0 && i < fleet->id_count; i++) {
        struct fleet_request request = {.ask = FLEET_ROW, .session = xylem_view_of(fleet->ids[i])};
        code = fleet_cli_ask(fleet, &request, &answer);
        if (code == 0 && answer.outcome == FLEET_DONE) { /* else the session went away in between */
            add_head(fleet, &fleet->members, &answer.rows[0]);
        }
    }
    return code < 0                  ? code
           : fleet->given->form.json ? fleet_cli_put_list(fleet, "sessions")
                                     : xylem_cli__put(fleet->cli, &fleet->members);
}

/* --- The verb ----------------------------------------------------------------------------------------------------- */

static int run_pull(struct fleet_cli *fleet, char **arguments)
{
    const struct fleet_cli_given *given = fleet->given;
    const char *wrong =
        given->all && arguments[0] ? "--all names every session: give no ID"
        : !given->all && !arguments[0]
            ? "nothing says which sessions come: `xylem fleet sessions` lists the ids, --all takes every session"
        : given->head_only && given->follow ? "--head-only and --follow cannot be combined"
                                            : NULL;
    if (wrong) {
        return xylem_cli__usage(fleet->cli, "%s", wrong);
    }
    int code = fleet_cli_engine(fleet, true);
    code = code == 0 ? fleet_cli_find(fleet, arguments) : code;
    if (code < 0 || given->head_only) {
        return code < 0 ? code : put_heads(fleet);
    }
    code = xylem_cli__open_or_make(fleet->cli);
    code = code == 0 ? fleet_cli_token(fleet) : code;
    code = code == 0 ? fleet_cli_bring(fleet, given->all, 0) : code;
    return fleet_cli_told(fleet, code, "complete", "the store has all of it already",
                          "not everything came: the next `xylem fleet pull` goes on where this one ended");
}

static const struct xylem_cli__option table[] = {
    FLEET_CLI_FLAG("all", 'a', all, "every session of the fleet"),
    FLEET_CLI_FLAG("head-only", 0, head_only, "only show where each session stands; the store stays as it is"),
    FLEET_CLI_FLAG("follow", 'f', follow, "go on with what their owners ship, until interrupted"), FLEET_CLI_JSON,
    FLEET_CLI_END};

FLEET_CLI_VERB(pull, table, .arguments_max = SIZE_MAX, .usage = "ID...|--all [--head-only|--follow] [--json]",
               .summary = "Bring sessions of other hosts here, to look at",
               .details =
                   "ID is the id of a session of the fleet, a beginning of 8 characters or more, or its name. The "
                   "sessions that a fork needs come with it. A session that came is followed: it is read, searched and "
                   "forked as any other, and its owner alone appends to it; `xylem fleet resume` takes it over. A pull "
                   "goes on where the last one ended. Sessions that this store owns are left alone.\n");
