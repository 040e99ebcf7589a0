/* One request and its answer, for verbs that ask one thing after the other. */
#include "base/clock.h"
#include "base/value.h"
#include "fleet/cli/cli.h"
#include "fleet/shipper.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define RETRIES_MAX 8u
#define RETRY_MS 10 /* doubles with each */
#define LOOK_MS 200 /* between two looks for an interrupt */
#define PAGE_ROWS 500u
#define BEGINNING_BYTES_MIN 8u

/* Waits for the answer of the last request. */
static int await(struct fleet_cli *fleet, struct fleet_answer *answer)
{
    struct fleet_engine *engine = fleet->engine;
    int64_t end_ms = xylem_base__steady_ms() + FLEET_DEADLINE_MS;
    for (;;) {
        int code = engine->poll(engine, answer, &fleet->cli->err);
        if (code < 0 || (code == 1 && answer->number == fleet->number)) {
            return code < 0 ? code : 0;
        }
        if (xylem_cli__interrupted()) {
            engine->drop(engine, fleet->number);
            return XYLEM_E_STOPPED;
        }
        if (code == 0 && xylem_base__steady_ms() >= end_ms) {
            engine->drop(engine, fleet->number); /* is answered, too */
            end_ms = INT64_MAX;
        } else if (code == 0) {
            struct pollfd fd = {.fd = engine->fd(engine), .events = POLLIN};
            poll(&fd, 1, LOOK_MS);
        }
    }
}

int fleet_cli_ask(struct fleet_cli *fleet, const struct fleet_request *request, struct fleet_answer *answer)
{
    for (unsigned attempt = 0;; attempt++) {
        int code = fleet->engine->submit(fleet->engine, ++fleet->number, request, &fleet->cli->err);
        code = code < 0 ? code : await(fleet, answer);
        if (code < 0 || answer->outcome != FLEET_RETRY || attempt == RETRIES_MAX) {
            return code;
        }
        poll(NULL, 0, RETRY_MS << attempt);
    }
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

int fleet_cli_each_row(struct fleet_cli *fleet, fleet_cli_visitor *visit, void *context)
{
    char behind[XYLEM_SESSION_ID_BYTES_MAX];
    struct fleet_request request = {.ask = FLEET_LIST, .limit = PAGE_ROWS};
    struct fleet_answer answer;
    size_t count = PAGE_ROWS;
    int code = 0;
    memcpy(request.owner, fleet->token, sizeof request.owner);
    while (code == 0 && count > 0) {
        if ((code = fleet_cli_ask(fleet, &request, &answer)) < 0 || (code = fleet_cli_check(fleet, &answer)) < 0) {
            return code;
        }
        count = answer.row_count;
        if (count > 0) {
            struct xylem_view last = answer.rows[count - 1].id;
            if (request.behind.data && xylem_base__view_order(last, request.behind) <= 0) {
                return xylem_cli__fail(fleet->cli, XYLEM_E_IO, "the engine lists sessions without an order");
            }
            request.behind = (struct xylem_view){behind, xylem_cli__least(last.bytes, sizeof behind)};
            memcpy(behind, last.data, request.behind.bytes);
        }
        for (size_t i = 0; code == 0 && i < count; i++) {
            code = visit(fleet, context, &answer.rows[i]);
        }
    }
    return code;
}

/* --- A word that means a session ---------------------------------------------------------------------------------- */

struct search {
    struct xylem_view word;
    struct xylem_base__tree tree;
    struct xylem_cli__candidates candidates;
    char *id;
};

static void copy_id(char *id, struct xylem_view view)
{
    size_t bytes = xylem_cli__least(view.bytes, XYLEM_SESSION_ID_BYTES_MAX);
    memcpy(id, view.data, bytes);
    id[bytes] = '\0';
}

static int look_at(struct fleet_cli *fleet, void *context, const struct fleet_row *row)
{
    struct search *search = context;
    struct fleet_cli_about about;
    (void)fleet;
    fleet_cli_about(&about, &search->tree, row->about);
    bool begins = search->word.bytes >= BEGINNING_BYTES_MIN && xylem_base__view_begins(row->id, search->word);
    if (begins || (about.name.data && xylem_base__view_equal(about.name, search->word))) {
        xylem_cli__candidate(&search->candidates, row->id);
        copy_id(search->id, row->id);
    }
    return 0;
}

int fleet_cli_find(struct fleet_cli *fleet, char id[XYLEM_SESSION_ID_BYTES_MAX + 1], const char *word)
{
    struct search search = {.word = xylem_view_of(word), .id = id};
    const struct fleet_request request = {.ask = FLEET_ROW, .session = search.word};
    struct fleet_answer answer;
    bool may_be_id = search.word.bytes > 0 && search.word.bytes <= XYLEM_SESSION_ID_BYTES_MAX;
    int code = may_be_id ? fleet_cli_ask(fleet, &request, &answer) : 0;
    code = code == 0 && may_be_id ? fleet_cli_check(fleet, &answer) : code;
    if (code < 0 || (may_be_id && answer.outcome == FLEET_DONE)) {
        if (code == 0) {
            copy_id(id, search.word);
        }
        return code;
    }
    code = fleet_cli_each_row(fleet, look_at, &search);
    xylem_base__tree_release(&search.tree);
    code = xylem_cli__candidates_end(fleet->cli, &search.candidates, code, search.word,
                                     "sessions of the fleet have this beginning or name");
    return code != XYLEM_E_NOT_FOUND
               ? code
               : xylem_cli__fail(fleet->cli, code, "the fleet has no session '%s': `xylem fleet sessions` lists them",
                                 word);
}
