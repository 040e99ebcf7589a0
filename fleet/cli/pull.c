/* xylem fleet pull: brings sessions of the fleet into this store, to look at. */
#include "fleet/cli/cli.h"

#include <stdlib.h>
#include <string.h>

struct pull_options {
    bool all;
    bool head_only;
    bool follow;
    bool json;
};

static const struct xylem_cli__option pull_table[] = {
    {"all", 'a', NULL, XYLEM_CLI__FLAG, offsetof(struct pull_options, all), "every session of the fleet", NULL},
    {"head-only", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct pull_options, head_only),
     "only show where each session stands; the store stays as it is", NULL},
    {"follow", 'f', NULL, XYLEM_CLI__FLAG, offsetof(struct pull_options, follow),
     "go on with what their owners ship, until interrupted", NULL},
    XYLEM_CLI__JSON_ROW(struct pull_options),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

struct ids {
    char (*list)[XYLEM_SESSION_ID_BYTES_MAX + 1];
    size_t count;
    size_t capacity;
};

static int find_all(struct fleet_cli *fleet, struct ids *ids, char **words)
{
    char id[XYLEM_SESSION_ID_BYTES_MAX + 1] = "";
    int code = 0;
    for (; code == 0 && *words; words++) {
        code = fleet_cli_find(fleet, id, *words);
        code =
            code == 0 ? xylem_cli__list_add(fleet->cli, &ids->list, &ids->count, &ids->capacity, id, sizeof id) : code;
    }
    return code;
}

/* --- Heads -------------------------------------------------------------------------------------------------------- */

static int add_id(struct fleet_cli *fleet, void *context, const struct fleet_row *row)
{
    struct ids *ids = context;
    char id[XYLEM_SESSION_ID_BYTES_MAX + 1] = "";
    memcpy(id, row->id.data, xylem_cli__least(row->id.bytes, XYLEM_SESSION_ID_BYTES_MAX));
    return xylem_cli__list_add(fleet->cli, &ids->list, &ids->count, &ids->capacity, id, sizeof id);
}

static void add_document(struct xylem_cli__text *text, const struct fleet_row *row)
{
    xylem_cli__json_begin(text, '{');
    xylem_cli__member_string(text, "session", row->id);
    xylem_cli__member_maybe(text, "host", row->unowned ? (struct xylem_view){NULL, 0} : row->host);
    xylem_cli__member_count(text, "epoch", row->epoch);
    xylem_cli__member_count(text, "changes", row->next - 1);
    xylem_cli__json_key(text, "head");
    fleet_cli_json_head(text, row);
    xylem_cli__json_end(text, '}');
}

/* The requests go one after the other: a head is one read. */
static int put_heads(struct fleet_cli *fleet, struct ids *ids, bool json)
{
    struct xylem_cli__text text = {0};
    struct fleet_answer answer;
    int code = 0;
    if (json) {
        xylem_cli__json_document(&text);
        xylem_cli__member_begin(&text, "sessions", '[');
    }
    for (size_t i = 0; code == 0 && i < ids->count; i++) {
        const struct fleet_request request = {.ask = FLEET_ROW, .session = xylem_view_of(ids->list[i])};
        code = fleet_cli_ask(fleet, &request, &answer);
        code = code == 0 ? fleet_cli_check(fleet, &answer) : code;
        if (code < 0 || answer.outcome == FLEET_NO) { /* a session that went away in between */
            continue;
        }
        if (json) {
            xylem_cli__json_separate(&text);
            add_document(&text, &answer.rows[0]);
        } else {
            xylem_cli__add(&text, i > 0 ? "\n" : "");
            fleet_cli_add_head(fleet, &text, &answer.rows[0]);
        }
    }
    if (json) {
        xylem_cli__json_end(&text, ']');
        xylem_cli__json_end(&text, '}');
    }
    if (code < 0) {
        xylem_cli__text_release(&text);
        return code;
    }
    return xylem_cli__put_output(fleet->cli, &text, json);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static int pull(struct fleet_cli *fleet, struct ids *ids, const struct pull_options *given)
{
    struct fleet_cli_told told = {.fleet = fleet, .follow = given->follow, .json = given->json};
    struct xylem_cli__text members = {0};
    int code = xylem_cli__open_or_make(fleet->cli);
    code = code == 0 ? fleet_cli_token(fleet) : code;
    code = code == 0 ? fleet_cli_bring(&told, ids->list, ids->count, given->all, 0) : code;
    bool done = code == 0 && told.problem_count == 0 && !told.gave_up;
    xylem_cli__member_bool(&members, "complete", done);
    int ended = code == 0 ? fleet_cli_told_end(&told, &members, "the store has all of it already") : 0;
    xylem_cli__text_release(&members);
    if (code == 0 && ended == 0 && !done) {
        xylem_cli__note(fleet->cli, "not everything came: the next `xylem fleet pull` goes on where this one ended");
        return XYLEM_CLI__PROBLEM;
    }
    return code == 0 ? ended : code;
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct pull_options *given = options;
    struct fleet_cli fleet = {.cli = cli};
    struct ids ids = {.list = NULL};
    if (given->all == (arguments[0] != NULL)) {
        return xylem_cli__usage(
            cli,
            given->all
                ? "--all names every session: give no ID"
                : "nothing says which sessions come: `xylem fleet sessions` lists the ids, --all takes every session");
    }
    if (given->head_only && given->follow) {
        return xylem_cli__usage(cli, "--head-only and --follow cannot be combined");
    }
    int code = fleet_cli_engine(&fleet, cli, true);
    code = code == 0 ? find_all(&fleet, &ids, arguments) : code;
    if (code == 0 && given->head_only) {
        code = given->all ? fleet_cli_each_row(&fleet, add_id, &ids) : 0;
        code = code == 0 ? put_heads(&fleet, &ids, given->json) : code;
    } else if (code == 0) {
        code = pull(&fleet, &ids, given);
    }
    free(ids.list);
    fleet_cli_end(&fleet);
    return code;
}

const struct xylem_cli__command fleet_cli_pull = {
    .name = "fleet pull",
    .summary = "Bring sessions of other hosts here, to look at",
    .usage = "ID...|--all [--head-only|--follow] [--json]",
    .details =
        "ID is the id of a session of the fleet, a beginning of 8 characters or more, or its name. The sessions that "
        "a\n"
        "fork needs come with it. A session that came is followed: it is read, searched and forked as any\n"
        "other, and its owner alone appends to it; `xylem fleet resume` takes it over. A pull goes on where the last\n"
        "one ended. Sessions that this store owns are left alone.\n",
    .options = pull_table,
    .options_bytes = sizeof(struct pull_options),
    .arguments_max = SIZE_MAX,
    .run = run,
};
