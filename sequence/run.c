/*
 * Leads a run from action to action. The newest entry of the ledger is the state; a call checks the state, appends the
 * next event, and commits. A call appends below the newest entry alone, and only with the lease of the ledger:
 *
 *     newest entry             next()                        other calls
 *     start, begin, end,       (nothing) -> EXECUTE          claim() -> claim
 *     resume                   reset     -> NEW_SESSION      pause() -> pause, stop() -> finish
 *                              finish    -> FINISHED
 *     claim                    ARGUMENT                      done() -> end, failed() and stop() -> end and finish
 *     reset                    ARGUMENT                      in_session() -> begin, failed() and stop() -> finish
 *     pause                    ARGUMENT                      close()
 *     finish                   FINISHED                      close()
 *
 * A failed call leaves the ledger and the run as they were, so the call can be repeated. After CONFLICT and
 * OUTCOME_UNKNOWN the handle does not know the ledger any more: the run is lost, and can only be closed.
 */
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/value.h"
#include "sequence/run.h"

static int check_usable(const struct xylem_run *run, struct xylem_error *err)
{
    if (!run) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "the run is NULL");
    }
    if (run->lost) {
        return xylem_base__fail(err, run->lost, "an earlier call lost the ledger of run %s: close the run",
                                run->state.run_id);
    }
    return XYLEM_OK;
}

/* Adds an event at the place of the run. */
static struct xylem_sequence__event *add(struct xylem_sequence__events *events, enum xylem_sequence__event_type type,
                                         const struct xylem_run *run)
{
    return xylem_sequence__event_add(events, type, &run->state, &run->ledger);
}

/* --- Actions ---------------------------------------------------------------------------------------------------- */

static void give_action(struct xylem_action *action, const struct xylem_run *run, enum xylem_action_type type)
{
    const struct xylem_run_state *state = &run->state;
    *action = (struct xylem_action){
        .type = type,
        .run_index = state->run_index,
        .step_index = state->step_index,
        .attempt = state->attempt,
        .step = run->step,
        .state = state,
    };
}

/* Writes what comes when no step does: a new session between two iterations, or the end behind the last step. */
static int next_iteration(struct xylem_action *action, struct xylem_run *run, struct xylem_error *err)
{
    struct xylem_sequence__events events = {.count = 0};
    bool resets = xylem_sequence__session_missing(&run->state);
    struct xylem_sequence__event *event = add(&events, resets ? XYLEM_SEQUENCE__RESET : XYLEM_SEQUENCE__FINISH, run);
    if (resets) {
        event->fresh = event->run_index == 0;
        event->run_index -= event->fresh ? 0u : 1u;
    } else {
        event->step_index--; /* the last step, not the place behind */
        event->outcome = XYLEM_SEQUENCE__DONE;
    }
    int code = xylem_sequence__events_commit(run, &events, err);
    if (code == XYLEM_OK) {
        give_action(action, run, resets ? XYLEM_ACTION_NEW_SESSION : XYLEM_ACTION_FINISHED);
    }
    return code;
}

/* Ends the run, since the step `at` can no longer be run. `step` lies in the run's resolution. */
static int next_unresolved(struct xylem_action *action, struct xylem_run *run, size_t at, struct xylem_step *step,
                           struct xylem_error *err)
{
    struct xylem_sequence__events events = {.count = 0};
    struct xylem_buffer message = {NULL, 0, 0};
    struct xylem_sequence__event *finish = add(&events, XYLEM_SEQUENCE__FINISH, run);
    int code = xylem_base__buffer_add_format(&message, "step %zu of %zu: ", at + 1, run->state.step_count);
    if (code < 0 || xylem_buffer_add(&message, step->message.data, step->message.bytes) < 0) {
        xylem_buffer_release(&message);
        return xylem_base__fail_memory(err);
    }
    finish->step_index = (uint32_t)at;
    finish->outcome = XYLEM_SEQUENCE__FAILED;
    finish->code = XYLEM_RUN_CODE_UNRESOLVED;
    finish->message = xylem_sequence__message_cut(xylem_base__buffer_view(&message));
    code = xylem_sequence__events_commit(run, &events, err);
    if (code == XYLEM_OK) {
        run->step = step;
        give_action(action, run, XYLEM_ACTION_FINISHED);
    }
    xylem_buffer_release(&message);
    return code;
}

/* Adds the claim of the step that the run gives. */
static struct xylem_sequence__event *add_claim(struct xylem_sequence__events *events, const struct xylem_run *run)
{
    struct xylem_sequence__event *claim = add(events, XYLEM_SEQUENCE__CLAIM, run);
    claim->kind = run->step->kind;
    claim->name = run->step->name;
    claim->path = run->step->path;
    claim->hash = run->step->hash;
    return claim;
}

/* Resolves the step that comes; at the beginning of an iteration the whole sequence. */
static int next_step(struct xylem_action *action, struct xylem_run *run, const struct xylem_catalogue *catalogue,
                     struct xylem_error *err)
{
    const struct xylem_run_state *state = &run->state;
    struct xylem_resolution *resolution = &run->resolution;
    size_t from = state->step_index;
    size_t count = from == 0 ? state->step_count : 1;
    int code =
        xylem_sequence_resolve(resolution, catalogue, state->steps + from, count, state->args, state->arg_count, err);
    if (code < 0) {
        return code;
    }
    if (resolution->problem == XYLEM_SEQUENCE_STEP) {
        size_t at = resolution->first_problem;
        return next_unresolved(action, run, from + at, &resolution->steps[at], err);
    }
    if (resolution->problem != XYLEM_SEQUENCE_FINE) { /* a start refuses such a sequence */
        return xylem_base__fail(err, XYLEM_E_MALFORMED, "the ledger of run %s is damaged: %.*s", state->run_id,
                                XYLEM_BASE__SHOWN(xylem_base__buffer_view(&resolution->message)));
    }
    bool changed = false;
    struct xylem_sequence__events events = {.count = 0};
    run->step = &resolution->steps[0];
    if ((code = xylem_sequence__compare_before(&changed, run, add_claim(&events, run), err)) < 0) {
        run->step = NULL;
        return code;
    }
    run->step->warnings |= changed ? XYLEM_STEP_WARN_CHANGED : 0;
    run->claims = true;
    give_action(action, run, XYLEM_ACTION_EXECUTE);
    return XYLEM_OK;
}

int xylem_run_next(struct xylem_action *action, struct xylem_run *run, const struct xylem_catalogue *catalogue,
                   struct xylem_error *err)
{
    int code = check_usable(run, err);
    if (code < 0) {
        return code;
    }
    if (!action || !catalogue) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "xylem_run_next: the action or the catalogue is NULL");
    }
    switch (run->ledger.newest) {
    case XYLEM_SEQUENCE__CLAIM:
    case XYLEM_SEQUENCE__RESET:
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "the end of the action before was not reported");
    case XYLEM_SEQUENCE__PAUSE:
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "the run is paused: close the run");
    case XYLEM_SEQUENCE__FINISH:
        run->step = NULL; /* of the action before, whose catalogue may be gone */
        give_action(action, run, XYLEM_ACTION_FINISHED);
        return XYLEM_OK;
    default:
        break;
    }
    run->step = NULL;
    run->claims = false;
    xylem_resolution_release(&run->resolution);
    if (xylem_sequence__session_missing(&run->state) || run->state.step_index == run->state.step_count) {
        return next_iteration(action, run, err);
    }
    return next_step(action, run, catalogue, err);
}

static bool is_digest(struct xylem_view hash)
{
    return hash.bytes == XYLEM_RUN_TEXT_HASH_DIGITS && hash.data &&
           xylem_base__skip(hash, 0, XYLEM_BASE__HEX_DIGITS) == hash.bytes;
}

int xylem_run_claim(struct xylem_run *run, struct xylem_view text_hash, struct xylem_error *err)
{
    struct xylem_sequence__events events = {.count = 0};
    int code = check_usable(run, err);
    if (code < 0) {
        return code;
    }
    if (!run->claims || !is_digest(text_hash)) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT,
                                run->claims ? "the hash of a text has %u digits, from 0 to 9 and a to f"
                                            : "xylem_run_claim: no step was given",
                                XYLEM_RUN_TEXT_HASH_DIGITS);
    }
    memcpy(run->text_hash, text_hash.data, sizeof run->text_hash);
    add_claim(&events, run)->text_hash = (struct xylem_view){run->text_hash, sizeof run->text_hash};
    return xylem_sequence__events_commit(run, &events, err);
}

/* --- Ends of actions -------------------------------------------------------------------------------------------- */

int xylem_run_done(struct xylem_run *run, struct xylem_view entry, struct xylem_error *err)
{
    struct xylem_sequence__events events = {.count = 0};
    int code;
    if ((code = check_usable(run, err)) < 0 || (code = xylem_sequence__check_entry(entry, err)) < 0) {
        return code;
    }
    if (run->ledger.newest != XYLEM_SEQUENCE__CLAIM) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "xylem_run_done: no step is open");
    }
    struct xylem_sequence__event *end = add(&events, XYLEM_SEQUENCE__END, run);
    end->outcome = XYLEM_SEQUENCE__DONE;
    end->entry = entry;
    end->done_count++;
    return xylem_sequence__events_commit(run, &events, err);
}

int xylem_run_in_session(struct xylem_run *run, struct xylem_view session, struct xylem_error *err)
{
    struct xylem_sequence__events events = {.count = 0};
    int code;
    if ((code = check_usable(run, err)) < 0 ||
        (code = xylem_sequence__check_id(session, XYLEM_SESSION_ID_BYTES_MAX, "the session of the host", err)) < 0) {
        return code;
    }
    if (run->ledger.newest != XYLEM_SEQUENCE__RESET) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "xylem_run_in_session: no new session was asked for");
    }
    struct xylem_sequence__event *begin = add(&events, XYLEM_SEQUENCE__BEGIN, run);
    begin->attempt = 1;
    begin->session = session;
    return xylem_sequence__events_commit(run, &events, err);
}

/* Ends the run; a step that is open fails. */
static int end_run(struct xylem_run *run, enum xylem_sequence__outcome outcome, enum xylem_run_code code,
                   struct xylem_view message, struct xylem_error *err)
{
    struct xylem_sequence__events events = {.count = 0};
    struct xylem_view cut = xylem_sequence__message_cut(message);
    if (run->ledger.newest == XYLEM_SEQUENCE__CLAIM) {
        struct xylem_sequence__event *end = add(&events, XYLEM_SEQUENCE__END, run);
        end->outcome = XYLEM_SEQUENCE__FAILED;
        end->code = code;
        end->message = cut;
    }
    struct xylem_sequence__event *finish = add(&events, XYLEM_SEQUENCE__FINISH, run);
    finish->outcome = outcome;
    finish->code = code;
    finish->message = cut;
    return xylem_sequence__events_commit(run, &events, err);
}

int xylem_run_failed(struct xylem_run *run, enum xylem_run_code code, struct xylem_view message,
                     struct xylem_error *err)
{
    int usable = check_usable(run, err);
    if (usable < 0) {
        return usable;
    }
    if (code < XYLEM_RUN_CODE_UNRESOLVED || code > XYLEM_RUN_CODE_HOST || xylem_base__view_lacks_bytes(message)) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "xylem_run_failed: the code is not the code of a failure");
    }
    if (run->ledger.newest != XYLEM_SEQUENCE__CLAIM && run->ledger.newest != XYLEM_SEQUENCE__RESET) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "xylem_run_failed: no action is open");
    }
    return end_run(run, XYLEM_SEQUENCE__FAILED, code, message, err);
}

int xylem_run_stop(struct xylem_run *run, struct xylem_view message, struct xylem_error *err)
{
    int usable = check_usable(run, err);
    if (usable < 0) {
        return usable;
    }
    if (run->ledger.newest == XYLEM_SEQUENCE__FINISH || run->ledger.newest == XYLEM_SEQUENCE__PAUSE ||
        xylem_base__view_lacks_bytes(message)) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "xylem_run_stop: the run has ended, or is paused");
    }
    return end_run(run, XYLEM_SEQUENCE__STOPPED, XYLEM_RUN_CODE_USER, message, err);
}

int xylem_run_pause(struct xylem_run *run, enum xylem_run_code code, struct xylem_view message, struct xylem_error *err)
{
    struct xylem_sequence__events events = {.count = 0};
    int usable = check_usable(run, err);
    if (usable < 0) {
        return usable;
    }
    if ((code != XYLEM_RUN_CODE_LEFT && code != XYLEM_RUN_CODE_SHUTDOWN) || xylem_base__view_lacks_bytes(message) ||
        run->ledger.newest == XYLEM_SEQUENCE__FINISH || run->ledger.newest == XYLEM_SEQUENCE__PAUSE) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT,
                                "xylem_run_pause: the run has ended or is paused, or the code "
                                "is neither left nor shutdown");
    }
    if (run->ledger.newest == XYLEM_SEQUENCE__CLAIM || run->ledger.newest == XYLEM_SEQUENCE__RESET) {
        return XYLEM_OK;
    }
    struct xylem_sequence__event *pause = add(&events, XYLEM_SEQUENCE__PAUSE, run);
    pause->code = code;
    pause->message = xylem_sequence__message_cut(message);
    return xylem_sequence__events_commit(run, &events, err);
}

int xylem_run_close(struct xylem_run *run, struct xylem_error *err)
{
    if (!run) {
        return XYLEM_OK;
    }
    int code = xylem_lease_release(run->lease, err);
    if (code == XYLEM_E_BUSY || code == XYLEM_E_FORKED) {
        return code;
    }
    xylem_sequence__run_free(run);
    return code;
}
