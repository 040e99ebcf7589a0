/* One request and its answer, for verbs that ask one thing after the other. */
#include "base/value.h"
#include "fleet/cli/cli.h"

#include <string.h>

#define PAGE_ROWS 500u
#define BEGINNING_BYTES_MIN 8u

int fleet_cli_send(struct fleet_cli *fleet, struct fleet_request *request, struct fleet_answer *answer)
{
    memcpy(request->owner, fleet->token, sizeof request->owner);
    int code = fleet_wait(answer, &fleet->waiting, request, &fleet->cli->err);
    return code == 0 && xylem_cli__interrupted() ? XYLEM_E_STOPPED : code;
}

int fleet_cli_check(struct fleet_cli *fleet, const struct fleet_answer *answer)
{
    static const int codes[FLEET_OUTCOME_COUNT] = {
        [FLEET_RETRY] = XYLEM_E_BUSY,
        [FLEET_UNKNOWN] = XYLEM_E_OUTCOME_UNKNOWN,
        [FLEET_REFUSED] = XYLEM_E_CONFLICT,
        [FLEET_UNREACHABLE] = XYLEM_E_IO,
    };
    int code = codes[answer->outcome];
    return code == 0 ? 0 : xylem_cli__fail(fleet->cli, code, "%s", answer->text);
}

int fleet_cli_ask(struct fleet_cli *fleet, struct fleet_request *request, struct fleet_answer *answer)
{
    int code = fleet_cli_send(fleet, request, answer);
    return code < 0 ? code : fleet_cli_check(fleet, answer);
}

int fleet_cli_each_row(struct fleet_cli *fleet, fleet_cli_visitor *visit, void *context)
{
    fleet_cli_id behind;
    struct fleet_request request = {.ask = FLEET_LIST, .limit = PAGE_ROWS};
    struct fleet_answer answer = {.row_count = 1};
    int code = 0;
    while (code == 0 && answer.row_count > 0 && (code = fleet_cli_ask(fleet, &request, &answer)) == 0) {
        for (size_t i = 0; code == 0 && i < answer.row_count; i++) {
            struct xylem_view id = answer.rows[i].id;
            if (id.bytes >= sizeof behind || (request.behind.data && xylem_base__view_order(id, request.behind) <= 0)) {
                return xylem_cli__fail(fleet->cli, XYLEM_E_IO, "the engine lists sessions without an order");
            }
            memcpy(behind, id.data, id.bytes);
            request.behind = (struct xylem_view){behind, id.bytes};
            code = visit(fleet, context, &answer.rows[i]);
        }
    }
    return code;
}

/* --- Words that mean sessions ------------------------------------------------------------------------------------- */

struct search {
    struct xylem_view word;
    struct xylem_base__tree tree;
    struct xylem_cli__candidates candidates;
};

int fleet_cli_add_id(struct fleet_cli *fleet, struct xylem_view id)
{
    fleet_cli_id copy = "";
    memcpy(copy, id.data, xylem_cli__least(id.bytes, sizeof copy - 1));
    return xylem_cli__list_add(fleet->cli, &fleet->ids, &fleet->id_count, &fleet->id_capacity, copy, sizeof copy);
}

static int look_at(struct fleet_cli *fleet, void *context, const struct fleet_row *row)
{
    struct search *search = context;
    struct fleet_cli_about about;
    fleet_cli_about(&about, &search->tree, row->about);
    bool begins = search->word.bytes >= BEGINNING_BYTES_MIN && xylem_base__view_begins(row->id, search->word);
    if (!begins && !(about.name.data && xylem_base__view_equal(about.name, search->word))) {
        return 0;
    }
    xylem_cli__candidate(&search->candidates, row->id);
    return search->candidates.count > 1 ? 0 : fleet_cli_add_id(fleet, row->id);
}

static int find(struct fleet_cli *fleet, const char *word)
{
    struct search search = {.word = xylem_view_of(word)};
    struct fleet_request request = {.ask = FLEET_ROW, .session = search.word};
    struct fleet_answer answer = {.outcome = FLEET_NO};
    bool may_be_id = search.word.bytes > 0 && search.word.bytes <= XYLEM_SESSION_ID_BYTES_MAX;
    int code = may_be_id ? fleet_cli_ask(fleet, &request, &answer) : 0;
    if (code < 0 || answer.outcome == FLEET_DONE) {
        return code < 0 ? code : fleet_cli_add_id(fleet, search.word);
    }
    code = fleet_cli_each_row(fleet, look_at, &search);
    xylem_base__tree_release(&search.tree);
    code = xylem_cli__candidates_end(fleet->cli, &search.candidates, code, search.word,
                                     "sessions of the fleet have this beginning or name");
    return code == XYLEM_E_NOT_FOUND
               ? xylem_cli__fail(fleet->cli, code, "the fleet has no session '%s': `xylem fleet sessions` lists them",
                                 word)
               : code;
}

int fleet_cli_find(struct fleet_cli *fleet, char **words)
{
    int code = 0;
    for (; code == 0 && *words; words++) {
        code = find(fleet, *words);
    }
    return code;
}
