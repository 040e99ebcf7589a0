#include "fleet/engine.h"

#include "base/value.h"

bool fleet_ask_writes(enum fleet_ask ask)
{
    return ask != FLEET_ROW && ask != FLEET_READ && ask != FLEET_LIST;
}

const char *fleet_ask_word(enum fleet_ask ask)
{
    static const char *const words[] = {
        [FLEET_ROW] = "row",         [FLEET_CLAIM] = "claim",     [FLEET_LOOK] = "look",
        [FLEET_APPEND] = "append",   [FLEET_REWRITE] = "rewrite", [FLEET_FREE] = "free",
        [FLEET_RELEASE] = "release", [FLEET_READ] = "read",       [FLEET_LIST] = "list",
    };
    return (unsigned)ask < FLEET_ASK_COUNT ? words[ask] : "unknown request";
}

const char *fleet_outcome_word(enum fleet_outcome outcome)
{
    static const char *const words[] = {
        [FLEET_DONE] = "done",       [FLEET_NO] = "no",           [FLEET_RETRY] = "retry",
        [FLEET_UNKNOWN] = "unknown", [FLEET_REFUSED] = "refused", [FLEET_UNREACHABLE] = "unreachable",
    };
    return (unsigned)outcome < FLEET_OUTCOME_COUNT ? words[outcome] : "unknown outcome";
}

bool fleet_piece_fits(const struct fleet_piece *piece, const struct xylem_segment *segment, struct xylem_view session)
{
    return !segment->name_space.data && xylem_base__view_equal(segment->session, session) &&
           segment->freed == (piece->from == 0) &&
           (segment->freed ||
            (segment->from == piece->from && segment->to == piece->to && segment->chain == piece->chain));
}
