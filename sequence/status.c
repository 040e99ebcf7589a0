/* The status line of a run or of a recording, and the notice of a resumed session. */
#include <inttypes.h>
#include <string.h>

#include "base/value.h"
#include "sequence/cells.h"
#include "sequence/run_state.h"
#include "sequence/status.h"

/* --- Signs -------------------------------------------------------------------------------------------------------- */

enum sign { RECORDING, RUNNING, PAUSED, CUT_OFF, FAILED, STOPPED, DONE, DOT };

static const char *sign_of(const struct xylem_sequence__line *line, enum sign sign)
{
    static const char *const signs[][2] = {
        [RECORDING] = {"\u25cf", "*"}, [RUNNING] = {"\u27f3", "~"}, [PAUSED] = {"\u23f8", "="},
        [CUT_OFF] = {"\u26a0", "!"},   [FAILED] = {"\u2717", "x"},  [STOPPED] = {"\u25a0", "#"},
        [DONE] = {"\u2713", "+"},      [DOT] = {"\u00b7", "-"},
    };
    return signs[sign][line->ascii];
}

static void say_dot(struct xylem_sequence__line *line)
{
    xylem_sequence__line_format(line, " %s ", sign_of(line, DOT));
}

/* --- The run ------------------------------------------------------------------------------------------------------ */

bool xylem_sequence__is_own(const struct xylem_run_state *state, struct xylem_view own_session)
{
    struct xylem_view session = state->host_session;
    return !own_session.data || !session.data || xylem_base__view_equal(session, own_session);
}

bool xylem_sequence__is_open(const struct xylem_run_state *state)
{
    return state->phase == XYLEM_RUN_RUNNING || state->phase == XYLEM_RUN_RESETTING ||
           state->phase == XYLEM_RUN_PAUSED || state->phase == XYLEM_RUN_INTERRUPTED;
}

static bool is_other(const struct xylem_run_state *state, const struct xylem_sequence_text_options *options)
{
    return options && !xylem_sequence__is_own(state, options->own_session);
}

/* The number of the step for people: the present step, or the last step behind the end of an iteration. */
static size_t step_number(const struct xylem_run_state *state)
{
    return state->step_index < state->step_count ? state->step_index + 1u : state->step_count;
}

/* The first two groups of a UUID, such as `01a1f9f7-22cb`; any other id whole. */
static void add_session(struct xylem_sequence__line *line, struct xylem_view id)
{
    bool uuid = id.bytes == XYLEM_UUID_TEXT_BYTES - 1 && id.data[8] == '-' && id.data[13] == '-';
    xylem_sequence__line_add(line, (struct xylem_view){id.data, uuid ? 13 : id.bytes});
}

/* The first line of the step that is not empty; an ellipsis stands for further lines. */
static void add_step(struct xylem_sequence__line *line, struct xylem_view step)
{
    struct xylem_view shown;
    bool more = true;
    do {
        more = xylem_sequence__first_line(&shown, &step, step);
    } while (more && shown.bytes == 0);
    xylem_sequence__line_add(line, shown);
    if (more && step.bytes > 0) {
        xylem_sequence__line_add(line, xylem_view_of(line->ascii ? " ~" : " \u2026"));
    }
}

static void add_own(struct xylem_sequence__line *line, const struct xylem_run_state *state)
{
    switch (state->phase) {
    case XYLEM_RUN_RESETTING:
        xylem_sequence__line_say(line, "new session");
        return;
    case XYLEM_RUN_PAUSED:
        xylem_sequence__line_format(line, "paused before step %zu/%zu", step_number(state), state->step_count);
        return;
    case XYLEM_RUN_STOPPED:
        xylem_sequence__line_format(line, "stopped at step %zu/%zu", step_number(state), state->step_count);
        return;
    case XYLEM_RUN_INTERRUPTED:
        xylem_sequence__line_format(line, "step %zu/%zu was cut off", step_number(state), state->step_count);
        return;
    default:
        break;
    }
    xylem_sequence__line_format(line, "step %zu/%zu", step_number(state), state->step_count);
    if (state->phase == XYLEM_RUN_FAILED && state->code != XYLEM_RUN_CODE_NONE) {
        say_dot(line);
        xylem_sequence__line_say(line, xylem_run_code_word(state->code));
    } else if (state->phase == XYLEM_RUN_RUNNING && state->step_count > 0) {
        say_dot(line);
        add_step(line, state->steps[step_number(state) - 1]);
    }
}

static void add_status(struct xylem_sequence__line *line, const struct xylem_run_state *state,
                       const struct xylem_sequence_text_options *options)
{
    static const enum sign signs[] = {
        [XYLEM_RUN_RUNNING] = RUNNING,     [XYLEM_RUN_RESETTING] = RUNNING, [XYLEM_RUN_PAUSED] = PAUSED,
        [XYLEM_RUN_INTERRUPTED] = CUT_OFF, [XYLEM_RUN_DONE] = DONE,         [XYLEM_RUN_FAILED] = FAILED,
        [XYLEM_RUN_STOPPED] = STOPPED,     [XYLEM_RUN_DAMAGED] = FAILED,    [XYLEM_RUN_REDACTED] = STOPPED,
    };
    bool inherited = xylem_sequence__is_open(state) && is_other(state, options);
    bool lacks_place = xylem_sequence__lacks_place(state);
    if (!inherited) {
        xylem_sequence__line_format(line, "%s ", sign_of(line, signs[state->phase]));
    }
    xylem_sequence__line_say(line, "sequence");
    if (state->phase != XYLEM_RUN_DONE && !lacks_place) {
        xylem_sequence__line_format(line, " %" PRIu32 "/%" PRIu32, state->run_index + 1, state->total_runs);
    }
    say_dot(line);
    if (inherited) {
        xylem_sequence__line_say(line, state->phase == XYLEM_RUN_PAUSED        ? "paused in "
                                       : state->phase == XYLEM_RUN_INTERRUPTED ? "cut off in "
                                                                               : "runs in ");
        add_session(line, state->host_session);
    } else if (state->phase == XYLEM_RUN_DONE) {
        xylem_sequence__line_format(line, "%" PRIu32 " run%s", state->total_runs, state->total_runs == 1 ? "" : "s");
    } else if (lacks_place) {
        xylem_sequence__line_say(line, xylem_run_phase_word(state->phase));
    } else {
        add_own(line, state);
    }
}

/* Gives the code of the line, and takes the text of a failed line away. */
static int end(const struct xylem_sequence__line *line, size_t before)
{
    if (line->code < 0 && line->text->data) {
        line->text->bytes = before;
        line->text->data[before] = '\0';
    }
    return line->code;
}

int xylem_run_status(struct xylem_buffer *text, const struct xylem_run_state *state,
                     const struct xylem_sequence_text_options *options)
{
    size_t before = text->bytes;
    struct xylem_sequence__line line = xylem_sequence__line_begin(text, options);
    add_status(&line, state, options);
    return end(&line, before);
}

/* --- The recording ------------------------------------------------------------------------------------------------ */

int xylem_recorder_status(struct xylem_buffer *text, const struct xylem_recorder *recorder,
                          const struct xylem_sequence_text_options *options)
{
    size_t before = text->bytes;
    const struct xylem_view *steps = NULL;
    size_t count = 0;
    bool changed = false;
    struct xylem_sequence__line line = xylem_sequence__line_begin(text, options);
    xylem_recorder_steps(&steps, &count, &changed, recorder);
    xylem_sequence__line_format(&line, "%s recording", sign_of(&line, RECORDING));
    say_dot(&line);
    xylem_sequence__line_format(&line, count == 1 ? "%zu step" : "%zu steps", count);
    say_dot(&line);
    xylem_sequence__line_say(&line, "Enter adds, Ctrl+Enter ends, Esc cancels");
    return end(&line, before);
}

/* --- The notice --------------------------------------------------------------------------------------------------- */

static void say_place(struct xylem_sequence__line *line, const struct xylem_run_state *state)
{
    xylem_sequence__line_format(line, "run %" PRIu32 " of %" PRIu32, state->run_index + 1, state->total_runs);
}

static void add_running(struct xylem_sequence__line *line, const struct xylem_run_state *state)
{
    xylem_sequence__line_say(line, "The sequence runs");
    if (state->owned) {
        xylem_sequence__line_format(line, " in process %" PRId64 " on ", state->owner.pid);
        xylem_sequence__line_say(line, state->owner.host);
    }
    if (state->host_session.data) {
        xylem_sequence__line_say(line, state->owned ? ", in session " : " in session ");
        add_session(line, state->host_session);
    }
    xylem_sequence__line_say(line, ".");
}

/* Of a run of another session: that session alone can go on with the run. */
static void add_elsewhere(struct xylem_sequence__line *line, const struct xylem_run_state *state)
{
    bool paused = state->phase == XYLEM_RUN_PAUSED;
    xylem_sequence__line_say(line, "The sequence of session ");
    add_session(line, state->host_session);
    xylem_sequence__line_say(line, paused ? " is paused in " : " was cut off in ");
    say_place(line, state);
    xylem_sequence__line_format(line, ", %s step %zu of %zu.", paused ? "before" : "in", step_number(state),
                                state->step_count);
}

static void add_paused(struct xylem_sequence__line *line, const struct xylem_run_state *state)
{
    xylem_sequence__line_say(line, "The sequence is paused in ");
    say_place(line, state);
    xylem_sequence__line_format(line, ", before step %zu of %zu. /sequence goes on or ends it.", step_number(state),
                                state->step_count);
}

static void add_interrupted(struct xylem_sequence__line *line, const struct xylem_run_state *state)
{
    xylem_sequence__line_format(line, "Step %zu of %zu in ", step_number(state), state->step_count);
    say_place(line, state);
    xylem_sequence__line_say(line,
                             " was being executed, and its end is not stored; whether it took effect is not known. "
                             "/sequence asks.");
}

int xylem_run_notice(struct xylem_buffer *text, const struct xylem_run_state *state,
                     const struct xylem_sequence_text_options *options)
{
    size_t before = text->bytes;
    struct xylem_sequence__line line = xylem_sequence__line_begin(text, options);
    line.cells_max = SIZE_MAX;
    if (!xylem_sequence__is_open(state)) {
        return XYLEM_OK;
    }
    if (state->phase == XYLEM_RUN_RUNNING || state->phase == XYLEM_RUN_RESETTING) {
        add_running(&line, state);
    } else if (is_other(state, options)) {
        add_elsewhere(&line, state);
    } else if (state->phase == XYLEM_RUN_PAUSED) {
        add_paused(&line, state);
    } else {
        add_interrupted(&line, state);
    }
    return end(&line, before);
}
