/* The data of a mark. replay/mark.c reads marks. */
#include <string.h>

#include "base/buffer.h"
#include "base/json.h"
#include "sequence/run_state.h"

static const char *const events[] = {
    [XYLEM_MARK_BEGIN] = "begin", [XYLEM_MARK_END] = "end", [XYLEM_MARK_STOP] = "stop"};

/* An interrupted run waits for a decision, like a paused run. NULL: the run goes on. */
static const char *outcome_of(enum xylem_run_phase phase)
{
    switch (phase) {
    case XYLEM_RUN_DONE:
        return "done";
    case XYLEM_RUN_FAILED:
        return "failed";
    case XYLEM_RUN_STOPPED:
        return "stopped";
    case XYLEM_RUN_PAUSED:
    case XYLEM_RUN_INTERRUPTED:
        return "paused";
    default:
        return NULL;
    }
}

static int add_member(struct xylem_buffer *buffer, const char *before, const char *text)
{
    int code = xylem_base__buffer_add_text(buffer, before);
    return code < 0 ? code : xylem_buffer_add_json_string(buffer, xylem_view_of(text));
}

static int write_mark(struct xylem_buffer *buffer, const struct xylem_run_state *state, enum xylem_mark_event event)
{
    const char *outcome = event == XYLEM_MARK_BEGIN ? NULL : outcome_of(state->phase);
    const char *word = outcome && state->code != XYLEM_RUN_CODE_NONE ? xylem_run_code_word(state->code) : NULL;
    int code;
    if ((code = add_member(buffer, "{\"version\":1,\"runId\":", state->run_id)) < 0 ||
        (code = xylem_base__buffer_add_text(buffer, ",\"sequenceId\":")) < 0 ||
        (code = xylem_buffer_add_json_string(buffer, state->sequence_id)) < 0 ||
        (code = add_member(buffer, ",\"event\":", events[event])) < 0 ||
        (code = xylem_base__buffer_add_text(buffer, ",\"runIndex\":")) < 0 ||
        (code = xylem_base__json_add_integer(buffer, state->run_index)) < 0 ||
        (code = xylem_base__buffer_add_text(buffer, ",\"totalRuns\":")) < 0 ||
        (code = xylem_base__json_add_integer(buffer, state->total_runs)) < 0 ||
        (outcome && (code = add_member(buffer, ",\"outcome\":", outcome)) < 0) ||
        (word && (code = add_member(buffer, ",\"code\":", word)) < 0)) {
        return code;
    }
    return xylem_buffer_add(buffer, "}", 1);
}

int xylem_run_mark_json(struct xylem_buffer *buffer, const struct xylem_run_state *state, enum xylem_mark_event event)
{
    size_t before = buffer->bytes;
    if ((unsigned)event > XYLEM_MARK_STOP || xylem_sequence__lacks_place(state) ||
        strlen(state->run_id) != XYLEM_UUID_TEXT_BYTES - 1 || state->sequence_id.bytes == 0 ||
        state->total_runs > XYLEM_RUN_ITERATIONS_MAX || state->run_index >= state->total_runs) {
        return XYLEM_E_ARGUMENT;
    }
    int code = write_mark(buffer, state, event);
    if (code < 0 && buffer->data) {
        buffer->bytes = before;
        buffer->data[before] = '\0';
    }
    return code;
}
