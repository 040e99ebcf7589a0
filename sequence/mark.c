/* The data of a mark. replay/mark.c reads marks. */
#include <string.h>

#include "base/json_writer.h"
#include "sequence/run_state.h"

static const char *const events[] = {
    [XYLEM_MARK_BEGIN] = "begin", [XYLEM_MARK_END] = "end", [XYLEM_MARK_STOP] = "stop"};

/* An interrupted run waits for a decision, like a paused run. NULL: the run goes on. */
static const char *const outcomes[XYLEM_RUN_PHASE_COUNT] = {
    [XYLEM_RUN_DONE] = "done",     [XYLEM_RUN_FAILED] = "failed",      [XYLEM_RUN_STOPPED] = "stopped",
    [XYLEM_RUN_PAUSED] = "paused", [XYLEM_RUN_INTERRUPTED] = "paused",
};

int xylem_run_mark_json(struct xylem_buffer *buffer, const struct xylem_run_state *state, enum xylem_mark_event event)
{
    size_t before = buffer->bytes;
    if ((unsigned)event > XYLEM_MARK_STOP || xylem_sequence__lacks_place(state) ||
        strlen(state->run_id) != XYLEM_UUID_TEXT_BYTES - 1 || state->sequence_id.bytes == 0 ||
        state->total_runs > XYLEM_RUN_ITERATIONS_MAX || state->run_index >= state->total_runs) {
        return XYLEM_E_ARGUMENT;
    }
    struct xylem_base__writer writer = {buffer, XYLEM_OK};
    bool ends = event != XYLEM_MARK_BEGIN && (unsigned)state->phase < XYLEM_RUN_PHASE_COUNT;
    const char *outcome = ends ? outcomes[state->phase] : NULL;
    xylem_base__write_member(&writer, "{\"version\":1,\"runId\":", xylem_view_of(state->run_id));
    xylem_base__write_member(&writer, ",\"sequenceId\":", state->sequence_id);
    xylem_base__write_member(&writer, ",\"event\":", xylem_view_of(events[event]));
    xylem_base__write_counted(&writer, ",\"runIndex\":", state->run_index);
    xylem_base__write_counted(&writer, ",\"totalRuns\":", state->total_runs);
    if (outcome) {
        xylem_base__write_member(&writer, ",\"outcome\":", xylem_view_of(outcome));
    }
    if (outcome && state->code != XYLEM_RUN_CODE_NONE) {
        xylem_base__write_member(&writer, ",\"code\":", xylem_view_of(xylem_run_code_word(state->code)));
    }
    xylem_base__write(&writer, "}");
    return xylem_base__write_end(&writer, before);
}
