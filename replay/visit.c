/* What every piece says in the same words. */
#include "branch/arena.h"
#include "replay/pieces.h"

int xylem_replay__found_set(struct xylem_replay__found *found, const struct xylem_visit *visit)
{
    found->found = true;
    found->position = visit->entry->position;
    return xylem_branch__arena_copy(&found->id, found->storage, visit->entry->id);
}

const char *xylem_replay__data_problem(const struct xylem_visit *visit)
{
    if (visit->data_code == XYLEM_E_REDACTED) {
        return "the data was redacted";
    }
    if (visit->data_code != XYLEM_OK) {
        return "the data cannot be decoded";
    }
    if (!visit->data) {
        return "there is no data";
    }
    return xylem_value_type(visit->data) == XYLEM_VALUE_MAP ? NULL : "the data is no map";
}

int xylem_replay__skip(struct xylem_visit *visit, const char *reason)
{
    visit->reason = reason;
    return XYLEM_VISIT_SKIP;
}
