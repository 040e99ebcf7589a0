/* Nudges: what the model was told of readonly, and whether a nudge "on" belongs to the path at all. */
#include "base/value.h"
#include "replay/reducers.h"

#define KINDS(KIND) KIND("readonly-nudge") KIND("agenticoding-readonly-nudge")
XYLEM_REPLAY__DEFINE_KINDS(nudge, KINDS)

int xylem_replay__nudge_visit(void *context, struct xylem_visit *visit)
{
    struct xylem_replay__nudge *nudge = context;
    const char *problem = xylem_replay__data_problem(visit);
    if (problem) {
        return xylem_replay__skip(visit, problem);
    }
    const struct xylem_value *direction = xylem_base__value_get(visit->data, XYLEM_BASE__LITERAL("direction"));
    struct xylem_view text = xylem_value_string(direction);
    bool on = xylem_base__view_equal(text, XYLEM_BASE__LITERAL("on"));
    if (!direction) {
        return xylem_replay__skip(visit, "direction is missing");
    }
    if (!on && !xylem_base__view_equal(text, XYLEM_BASE__LITERAL("off"))) {
        return xylem_replay__skip(visit, "direction is neither \"on\" nor \"off\"");
    }
    nudge->seen_on = nudge->seen_on || on;
    if (!nudge->told && xylem_value_bool(xylem_base__value_get(visit->data, XYLEM_BASE__LITERAL("delivered")))) {
        nudge->told = true;
        nudge->told_on = on;
        xylem_replay__source_set(&nudge->source, visit->entry);
    }
    /*
     * Older nudges cannot change what was told last. They can still be the first "on" of the path, which counts where
     * the model was told "off" and readonly changed since: not if the caller knows that it did not.
     */
    return nudge->told && (nudge->seen_on || nudge->only_told) ? XYLEM_VISIT_DONE : XYLEM_VISIT_GO_ON;
}
