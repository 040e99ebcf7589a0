/* Readonly: the newest valid toggle on the path decides. */
#include "base/value.h"
#include "replay/reducers.h"

#define KINDS(KIND) KIND("readonly") KIND("agenticoding-readonly")
XYLEM_REPLAY__DEFINE_KINDS(readonly, KINDS)

/* What an export writes in place of redacted data, and an import into another store takes as data: it means the same. */
static bool is_placeholder(const struct xylem_value *data)
{
    return xylem_value_count(data) == 1 &&
           xylem_value_type(xylem_base__value_get(data, XYLEM_BASE__LITERAL("redacted"))) == XYLEM_VALUE_STRING;
}

int xylem_replay__readonly_visit(void *context, struct xylem_visit *visit)
{
    struct xylem_replay__readonly *readonly = context;
    /* It fails closed: that a toggle was here is known, what it said is not, so writing stays forbidden. */
    bool redacted = visit->data_code == XYLEM_E_REDACTED || is_placeholder(visit->data);
    const struct xylem_value *enabled = xylem_base__value_get(visit->data, XYLEM_BASE__LITERAL("enabled"));
    if (!redacted) {
        const char *problem = xylem_replay__data_problem(visit);
        if (problem) {
            return xylem_replay__skip(visit, problem);
        }
        if (!enabled) {
            return xylem_replay__skip(visit, "enabled is missing");
        }
        if (xylem_value_type(enabled) != XYLEM_VALUE_BOOL) {
            return xylem_replay__skip(visit, "enabled is no bool");
        }
    }
    readonly->found = true;
    readonly->enabled = redacted || xylem_value_bool(enabled);
    xylem_replay__source_set(&readonly->source, visit->entry);
    return XYLEM_VISIT_DONE;
}
