/* Nudges: whether the model must be told about readonly. docs/rehydration.md has the rules and a table of cases. */
#include "base/value.h"
#include "replay/pieces.h"

/* The newest delivered nudge. */
struct nudge {
    struct xylem_replay__found found;
    bool told_on; /* the direction of the delivered nudge */
    bool seen_on; /* a nudge "on", delivered or not, lies on the visited part of the path */
};

#define KINDS(KIND) KIND("readonly-nudge") KIND("agenticoding-readonly-nudge")
XYLEM_REPLAY__DEFINE_KINDS(struct nudge, KINDS);

/* The previous readonly. NULL: not known, or the session starts, so there is no previous state. */
static const bool *previous_of(const struct xylem_event *event)
{
    return event->type != XYLEM_EVENT_SESSION_START ? event->previous_readonly : NULL;
}

static int visit_nudge(void *context, struct xylem_visit *visit)
{
    struct nudge *nudge = context;
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
    if (!nudge->found.found && xylem_value_bool(xylem_base__value_get(visit->data, XYLEM_BASE__LITERAL("delivered")))) {
        nudge->told_on = on;
        int code = xylem_replay__found_set(&nudge->found, visit);
        if (code < 0) {
            return code;
        }
    }
    /*
     * Behind the newest delivered nudge an older nudge matters in one case only: the model was told "off", readonly
     * changed since, and no nudge "on" was visited. Then an older "on" makes a nudge "off" due. Without a previous
     * readonly no change is known.
     */
    bool on_matters = previous_of(nudge->found.event) && !nudge->seen_on;
    return nudge->found.found && !on_matters ? XYLEM_VISIT_DONE : XYLEM_VISIT_GO_ON;
}

static void join(void *older, const void *newer)
{
    struct nudge *nudge = older;
    const struct nudge *added = newer;
    bool seen_on = nudge->seen_on || added->seen_on;
    if (added->found.found) {
        *nudge = *added;
    }
    nudge->seen_on = seen_on;
}

/* The first fitting row of the table in docs/rehydration.md. */
static enum xylem_nudge_why why_nudge(const struct xylem_state *state, const struct nudge *nudge)
{
    const struct xylem_replay__readonly *readonly = xylem_replay__context(state, XYLEM_REPLAY__AT_readonly);
    const bool *previous = previous_of(nudge->found.event);
    bool enabled = state->readonly.enabled;
    bool changed = previous && *previous != enabled;
    bool outdated = readonly->found.found && nudge->found.lsn < readonly->found.lsn;
    if (!enabled && nudge->found.found && !nudge->told_on && !changed) {
        return XYLEM_NUDGE_TOLD;
    }
    if (!enabled && !nudge->seen_on) {
        return XYLEM_NUDGE_NEVER_ON;
    }
    if (!nudge->found.found) {
        return XYLEM_NUDGE_NOT_TOLD;
    }
    if (nudge->told_on != enabled) {
        return XYLEM_NUDGE_TOLD_OTHER;
    }
    if (enabled && outdated) {
        return XYLEM_NUDGE_OUTDATED;
    }
    return changed ? XYLEM_NUDGE_CHANGED : XYLEM_NUDGE_TOLD;
}

static void decide(struct xylem_state *state, const void *context)
{
    const struct nudge *nudge = context;
    state->nudge.direction_on = state->readonly.enabled;
    state->nudge.why = why_nudge(state, nudge);
    state->nudge.due = state->nudge.why >= XYLEM_NUDGE_NOT_TOLD;
    state->nudge.told_on = nudge->told_on;
    state->nudge.told_position = nudge->found.position;
    state->nudge.told_entry_id = nudge->found.id;
}

static void write_json(struct xylem_base__writer *writer, const struct xylem_state *state, enum xylem_detail detail)
{
    static const char *const why[] = {[XYLEM_NUDGE_NEVER_ON] = "never-on", [XYLEM_NUDGE_TOLD] = "told",
                                      [XYLEM_NUDGE_NOT_TOLD] = "not-told", [XYLEM_NUDGE_TOLD_OTHER] = "told-other",
                                      [XYLEM_NUDGE_OUTDATED] = "outdated", [XYLEM_NUDGE_CHANGED] = "changed"};
    xylem_base__write_flag(writer, "\"nudge\":{\"due\":", state->nudge.due);
    xylem_base__write(writer, state->nudge.direction_on ? ",\"direction\":\"on\"" : ",\"direction\":\"off\"");
    if (detail >= XYLEM_DETAIL_WHOLE) {
        xylem_base__write_member(writer, ",\"why\":", xylem_view_of(why[state->nudge.why]));
        xylem_base__write(writer, ",\"told\":");
        if (state->nudge.told_entry_id.data) {
            xylem_base__write(writer, state->nudge.told_on ? "{\"direction\":\"on\"" : "{\"direction\":\"off\"");
            xylem_base__write_member(writer, ",\"entry\":", state->nudge.told_entry_id);
            xylem_base__write(writer, "}");
        } else {
            xylem_base__write(writer, "null");
        }
    }
    xylem_base__write(writer, "}");
}

/* The reason why a nudge is due or not, for people. The words may follow the id of the delivered nudge. */
static const char *why_words(const struct xylem_state *state, const struct xylem_event *event)
{
    bool is_new = event && event->type == XYLEM_EVENT_SESSION_START && event->reason == XYLEM_REASON_NEW;
    switch (state->nudge.why) {
    case XYLEM_NUDGE_NEVER_ON:
        return is_new ? "a new session starts from nothing" : "readonly is off, and the path has no nudge \"on\"";
    case XYLEM_NUDGE_NOT_TOLD:
        return is_new                    ? "a new session was told nothing"
               : state->readonly.enabled ? "the path has no delivered nudge"
                                         : "the path has a nudge \"on\", but no delivered one";
    case XYLEM_NUDGE_OUTDATED:
        return ", before the toggle";
    case XYLEM_NUDGE_CHANGED:
        return state->readonly.enabled ? ", but readonly was off" : ", but readonly was on";
    case XYLEM_NUDGE_TOLD:
    case XYLEM_NUDGE_TOLD_OTHER:
        break;
    }
    return "";
}

static void say(struct xylem_replay__words *words, const struct xylem_state *state,
                const struct xylem_words_options *options)
{
    bool on = state->nudge.direction_on;
    if (options->detail < XYLEM_DETAIL_WHOLE) {
        if (state->nudge.due) {
            xylem_replay__say(words, on ? "due: on" : "due: off");
        } else if (options->detail == XYLEM_DETAIL_VALUE) {
            xylem_replay__say_tone(words, "not due", XYLEM_TONE_GOOD);
        }
        return;
    }
    xylem_replay__say(words, !state->nudge.due ? "none due" : on ? "due: readonly went on" : "due: readonly went off");
    if (options->detail == XYLEM_DETAIL_EXPLAINED) {
        xylem_replay__say_break(words);
        if (state->nudge.why != XYLEM_NUDGE_NEVER_ON && state->nudge.why != XYLEM_NUDGE_NOT_TOLD) {
            xylem_replay__say(words, state->nudge.told_on ? "told on by " : "told off by ");
            xylem_replay__say_entry(words, state->nudge.told_position, state->nudge.told_entry_id);
        }
        xylem_replay__say(words, why_words(state, options->event));
    }
}

/* The direction counts only if a nudge is due. */
static bool differs(const struct xylem_state *a, const struct xylem_state *b)
{
    return a->nudge.due != b->nudge.due || (a->nudge.due && a->nudge.direction_on != b->nudge.direction_on);
}

const struct xylem_replay__piece xylem_replay__nudge_piece = {
    .kinds = kinds,
    .parsed = parsed,
    .needs = XYLEM_PIECE_READONLY,
    .visit = visit_nudge,
    .decide = decide,
    .join = join,
    .json = write_json,
    .words = say,
    .differs = differs,
};
