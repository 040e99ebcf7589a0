#include "judge/policy/engine/grants.h"

#include "base/buffer.h"
#include "judge/policy/engine/engine.h"
#include "judge/policy/words/paths.h"

/* Adds a grant. `directory` without data: the grant holds in every directory. */
static bool offer(struct xylem_policy__judge *judge, struct xylem_view program, const char *rule,
                  struct xylem_view directory)
{
    struct xylem_buffer text = {0};
    if (xylem_base__buffer_add_format(&text, "%.*s (%s)%s%.*s", (int)program.bytes, program.data, rule,
                                      directory.data ? " in " : "", (int)directory.bytes,
                                      directory.data ? directory.data : "") < 0) {
        judge->failed = true;
        return false;
    }
    struct xylem_verdict *verdict = judge->verdict;
    struct xylem_view grant = xylem_base__buffer_view(&text);
    /* A screen must show the text as it is: two different grants must not look alike. */
    bool added =
        xylem_policy__view_is_printed(grant) && !xylem_policy__view_has(grant, '\x7f') &&
        xylem_policy__add_once(judge, &verdict->grants, &verdict->grant_count, &verdict->grant_capacity, grant);
    xylem_buffer_release(&text);
    return added;
}

void xylem_policy__grant(struct xylem_policy__judge *judge, const struct xylem_policy__command *command,
                         struct xylem_view program, const char *rule, const struct xylem_shell__word *const *paths,
                         size_t path_count)
{
    bool inner = command->behind_wrapper || judge->code_depth > 0;
    bool operands = false;
    bool dashes = false;
    if (inner || xylem_policy__is_lifted(judge) ||
        (!paths && !offer(judge, program, rule, (struct xylem_view){NULL, 0}))) {
        return;
    }
    for (size_t i = 0; i < path_count; i++) {
        bool option = !dashes && paths[i]->literal && xylem_policy__view_begins(paths[i]->text, "-");
        dashes |= option && paths[i]->text.bytes == 2 && paths[i]->text.data[1] == '-';
        if (option) {
            continue;
        }
        operands = true;
        if (!paths[i]->literal || judge->place.unknown || judge->place.count == 0) {
            return;
        }
        for (size_t k = 0; k < judge->place.count; k++) { /* each directory in which the shell may stand */
            struct xylem_view whole = xylem_policy__path_joined(&judge->arena, judge->place.paths[k], paths[i]->text);
            struct xylem_view around = xylem_policy__path_around(&judge->arena, whole);
            if (!around.data || !offer(judge, program, rule, around)) {
                return;
            }
        }
    }
    judge->granted_count += !paths || operands;
}
