/* Readonly: the newest valid toggle on the path decides. */
#include "base/value.h"
#include "replay/pieces.h"

#define KINDS(KIND) KIND("readonly") KIND("agenticoding-readonly")
XYLEM_REPLAY__DEFINE_KINDS(struct xylem_replay__readonly, KINDS);

static int visit_toggle(void *context, struct xylem_visit *visit)
{
    struct xylem_replay__readonly *readonly = context;
    const char *problem = xylem_replay__data_problem(visit);
    /* Fail closed: the direction of a redacted toggle is unknown, so writing is forbidden. */
    bool redacted = problem && xylem_replay__is_redacted(visit);
    const struct xylem_value *enabled = xylem_base__value_get(visit->data, XYLEM_BASE__LITERAL("enabled"));
    if (!redacted) {
        if (problem) {
            return xylem_replay__skip(visit, problem);
        }
        if (!enabled) {
            return xylem_replay__skip(visit, "enabled is missing");
        }
        if (xylem_value_type(enabled) != XYLEM_VALUE_BOOL) {
            return xylem_replay__skip(visit, "enabled is not a boolean");
        }
    }
    readonly->enabled = redacted || xylem_value_bool(enabled);
    return xylem_replay__found_set(&readonly->found, visit);
}

static void decide(struct xylem_state *state, const void *context)
{
    const struct xylem_replay__readonly *readonly = context;
    const struct xylem_event *event = readonly->found.event;
    bool flag_wins = event->flag_readonly && event->type == XYLEM_EVENT_SESSION_START && !event->flag_is_fallback;
    if (readonly->found.found && !flag_wins) {
        state->readonly.enabled = readonly->enabled;
        state->readonly.from = XYLEM_FROM_PATH;
        state->readonly.position = readonly->found.position;
        state->readonly.entry_id = readonly->found.id;
        return;
    }
    state->readonly.enabled = event->flag_readonly && event->type != XYLEM_EVENT_TOGGLED;
    state->readonly.from = state->readonly.enabled ? XYLEM_FROM_FLAG : XYLEM_FROM_DEFAULT;
}

static void write_json(struct xylem_base__writer *writer, const struct xylem_state *state, enum xylem_detail detail)
{
    static const char *const from[] = {
        [XYLEM_FROM_DEFAULT] = "default", [XYLEM_FROM_FLAG] = "flag", [XYLEM_FROM_PATH] = "path"};
    xylem_base__write_flag(writer, "\"readonly\":", state->readonly.enabled);
    if (detail >= XYLEM_DETAIL_WHOLE) {
        xylem_base__write_member(writer, ",\"readonly_from\":", xylem_view_of(from[state->readonly.from]));
        xylem_base__write_member(writer, ",\"readonly_entry\":", state->readonly.entry_id);
    }
}

static void say(struct xylem_replay__words *words, const struct xylem_state *state,
                const struct xylem_words_options *options)
{
    const struct xylem_state *other = options->other;
    bool on = state->readonly.enabled;
    xylem_replay__say_tone(words, on ? "on" : "off", on ? XYLEM_TONE_WARN : XYLEM_TONE_GOOD);
    if (options->detail < XYLEM_DETAIL_WHOLE) {
        return;
    }
    xylem_replay__say(words, on ? "   " : "  ");
    if (state->readonly.from == XYLEM_FROM_PATH) {
        xylem_replay__say(words, "decided by ");
        xylem_replay__say_entry(words, state->readonly.position, state->readonly.entry_id);
    } else {
        xylem_replay__say(words, state->readonly.from == XYLEM_FROM_FLAG ? "decided by the flag"
                                                                         : "the default: nothing decides");
    }
    if (other && !xylem_base__view_equal(state->readonly.entry_id, other->readonly.entry_id)) {
        bool decided = other->readonly.from == XYLEM_FROM_PATH;
        xylem_replay__say(words, decided ? " and by " : ", and there by nothing");
        if (decided) {
            xylem_replay__say_entry(words, other->readonly.position, other->readonly.entry_id);
        }
    }
}

const struct xylem_replay__piece xylem_replay__readonly_piece = {
    .kinds = kinds,
    .parsed = parsed,
    .visit = visit_toggle,
    .decide = decide,
    .json = write_json,
    .words = say,
};
