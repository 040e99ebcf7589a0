/*
 * Makes the handle of a run: of a new run, or of a run that goes on. The lease and the first entries are committed
 * together, so nobody meets a ledger without a start, or an owner without a decision.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/utf8.h"
#include "sequence/run.h"
#include "store/lease.h"
#include "store/store.h"

static int check_options(const struct xylem_run_options *options, struct xylem_error *err)
{
    size_t bytes = 0;
    int code;
    if (options->total_runs > XYLEM_RUN_ITERATIONS_MAX) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "a run has 1 to %u iterations, not %" PRIu32,
                                XYLEM_RUN_ITERATIONS_MAX, options->total_runs);
    }
    if ((code = xylem_sequence__check_id(options->sequence_id, XYLEM_SEQUENCE_ID_BYTES_MAX, "the id of the sequence",
                                         err)) < 0 ||
        (code = xylem_sequence__check_id(options->session, XYLEM_SESSION_ID_BYTES_MAX, "the session of the host",
                                         err)) < 0 ||
        (code = xylem_sequence__check_entry(options->entry, err)) < 0 || !options->substitute) {
        return code;
    }
    if (options->arg_count > XYLEM_RUN_ARGS_MAX) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "a run has at most %u arguments, not %zu", XYLEM_RUN_ARGS_MAX,
                                options->arg_count);
    }
    for (size_t i = 0; i < options->arg_count; i++) {
        struct xylem_view arg = options->args[i];
        if (xylem_base__view_lacks_bytes(arg) || (arg.bytes > 0 && !xylem_base__wtf8_valid(arg.data, arg.bytes))) {
            return xylem_base__fail(err, XYLEM_E_MALFORMED, "argument %zu of the run is not WTF-8", i + 1);
        }
        if (arg.bytes > XYLEM_RUN_ARGS_BYTES_MAX || (bytes += arg.bytes) > XYLEM_RUN_ARGS_BYTES_MAX) {
            return xylem_base__fail(err, XYLEM_E_LIMIT, "the arguments of a run have at most %u bytes together",
                                    XYLEM_RUN_ARGS_BYTES_MAX);
        }
    }
    return XYLEM_OK;
}

/* --- Start ------------------------------------------------------------------------------------------------------ */

/*
 * CONFLICT if a run with a living owner is in the session of the host. The rows of owners are the list of runs to ask:
 * a run that is going on has an owner.
 */
static int check_not_busy(struct xylem_txn *txn, struct xylem_view host_session, struct xylem_error *err)
{
    uint64_t number = 0;
    int found;
    while ((found = xylem_store__owned_after(&number, txn, number, err)) == 1) {
        struct xylem_session session;
        struct xylem_lease_owner owner;
        struct xylem_view run_id;
        struct xylem_run_state state;
        int code = xylem_session_read(&session, txn, number, err);
        if (code == XYLEM_OK && (session.name_space.bytes > 0 || !xylem_run_of_session(&run_id, session.id))) {
            continue;
        }
        if (code < 0 || (code = xylem_lease_read(&owner, txn, number, err)) < 0) {
            return code;
        }
        if (code == 0 || !owner.alive || (code = xylem_run_read(&state, txn, run_id, err)) == XYLEM_E_NOT_FOUND) {
            continue; /* nobody alive has the lease, or the session is a fork of a ledger: no run */
        }
        if (code < 0) {
            return code;
        }
        bool here = xylem_base__view_equal(state.host_session, host_session);
        if (here && !xylem_sequence__has_ended(&state) && state.phase != XYLEM_RUN_DAMAGED) {
            struct xylem_view host = xylem_view_of(owner.host);
            code = xylem_base__fail(err, XYLEM_E_CONFLICT,
                                    "run %s of this session is still going on, in process %" PRId64 " on %.*s",
                                    state.run_id, owner.pid, XYLEM_BASE__SHOWN(host));
        }
        xylem_run_state_release(&state);
        if (code < 0) {
            return code;
        }
    }
    return found;
}

/* A call that makes a handle: of a new run, or of a run that goes on. */
struct opening {
    struct xylem_run *run;
    /* Of a start. */
    const struct xylem_run_options *options;
    const struct xylem_view *args; /* NULL: none are given */
    const char *run_id;
    /* Of a run that goes on. */
    struct xylem_view opened_id;
    enum xylem_run_decision decision;
    struct xylem_view session;
    int64_t now_ms;
};

static int check_whole(const struct xylem_run_state *state, struct xylem_error *err)
{
    return state->phase != XYLEM_RUN_DAMAGED
               ? XYLEM_OK
               : xylem_base__fail(err, XYLEM_E_MALFORMED, "the ledger of run %s is damaged: %.*s", state->run_id,
                                  XYLEM_BASE__SHOWN(state->message));
}

/* Reads the state of the run as it is in the transaction. MALFORMED if the new entries do not fit the ledger. */
static int load(struct xylem_run *run, struct xylem_txn *txn, struct xylem_view run_id, struct xylem_error *err)
{
    xylem_run_state_release(&run->state); /* of an attempt before, for which the map was too small */
    int code = xylem_sequence__run_read(&run->state, &run->ledger, txn, run_id, err);
    return code < 0 ? code : check_whole(&run->state, err);
}

/* The ledger, its first entries and its lease, in one transaction: a start leaves all of them, or nothing. */
static int change_start(struct xylem_txn *txn, void *context, struct xylem_error *err)
{
    struct opening *opening = context;
    const struct xylem_run_options *options = opening->options;
    const struct xylem_run_state place = {.attempt = 1};
    struct xylem_sequence__ledger ledger = {.session = 0};
    struct xylem_sequence__events events = {.time_ms = opening->now_ms};
    struct xylem_session session;
    char id[XYLEM_UUID_TEXT_BYTES + sizeof XYLEM_SEQUENCE__SESSION];
    memcpy(id, XYLEM_SEQUENCE__SESSION, sizeof XYLEM_SEQUENCE__SESSION);
    strcat(id, opening->run_id);
    struct xylem_session_options made = {
        .id = xylem_view_of(id), .cwd = options->cwd, .parent = options->session, .created_ms = &opening->now_ms};
    struct xylem_sequence__event *start = xylem_sequence__event_add(&events, XYLEM_SEQUENCE__START, &place, &ledger);
    start->run_id = xylem_view_of(opening->run_id);
    start->sequence_id = options->sequence_id;
    start->steps = options->steps;
    start->step_count = options->step_count;
    start->args = opening->args;
    start->arg_count = options->substitute ? options->arg_count : 0;
    start->total_runs = options->total_runs ? options->total_runs : 1;
    start->fresh = options->fresh;
    start->origin = options->session;
    start->origin_entry = options->entry;
    start->started_ms = opening->now_ms;
    if (!options->fresh) {
        xylem_sequence__event_add(&events, XYLEM_SEQUENCE__BEGIN, &place, &ledger)->session = options->session;
    }
    int code;
    if ((code = check_not_busy(txn, options->session, err)) < 0 ||
        (code = xylem_session_create(&session, txn, &made, err)) < 0) {
        return code;
    }
    ledger.session = session.number;
    if ((code = xylem_store__lease_take(txn, opening->run->lease, ledger.session, err)) < 0 ||
        (code = xylem_sequence__events_append(&ledger, txn, &events, err)) < 0) {
        return code;
    }
    return load(opening->run, txn, xylem_view_of(opening->run_id), err);
}

/* Runs the change that makes the run, and frees the run after a failure. */
static int open_run(struct xylem_run **run, struct xylem_store *store,
                    int (*change)(struct xylem_txn *txn, void *context, struct xylem_error *err),
                    struct opening *opening, struct xylem_error *err)
{
    struct xylem_run *made = calloc(1, sizeof *made);
    if (!made) {
        return xylem_base__fail_memory(err);
    }
    made->store = store;
    opening->run = made;
    opening->now_ms = xylem_base__now_ms();
    int code;
    if ((code = xylem_store__lease_new(&made->lease, store, err)) < 0 ||
        (code = xylem_store__in_transaction(store, change, opening, err)) < 0) {
        free(made->lease);
        xylem_sequence__run_free(made);
        return code;
    }
    *run = made;
    return XYLEM_OK;
}

int xylem_run_start(struct xylem_run **run, char run_id[XYLEM_UUID_TEXT_BYTES], struct xylem_resolution *resolution,
                    struct xylem_store *store, const struct xylem_catalogue *catalogue,
                    const struct xylem_run_options *options, struct xylem_error *err)
{
    static const struct xylem_view no_args[1];
    struct xylem_resolution own = {.step_count = 0};
    struct xylem_resolution *found = resolution ? resolution : &own;
    char id[XYLEM_UUID_TEXT_BYTES] = "";
    struct opening opening = {.options = options, .run_id = id};
    int code;
    if (!run || !run_id || !store || !catalogue || !options || (options->step_count > 0 && !options->steps) ||
        (options->substitute && options->arg_count > 0 && !options->args)) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "xylem_run_start: an argument is NULL");
    }
    opening.args = !options->substitute ? NULL : options->args ? options->args : no_args;
    if ((code = check_options(options, err)) < 0 ||
        (code = xylem_sequence_resolve(found, catalogue, options->steps, options->step_count, opening.args,
                                       options->arg_count, err)) < 0) {
        goto out;
    }
    if (found->problem != XYLEM_SEQUENCE_FINE) {
        code = xylem_base__fail(err, XYLEM_E_MALFORMED, "the sequence cannot be run: %.*s",
                                XYLEM_BASE__SHOWN(xylem_base__buffer_view(&found->message)));
        goto out;
    }
    if ((code = xylem_base__uuid_v7(id, err)) == XYLEM_OK &&
        (code = open_run(run, store, change_start, &opening, err)) == XYLEM_OK) {
        memcpy(run_id, id, sizeof id);
    }
out:
    xylem_resolution_release(&own);
    return code;
}

/* --- Open ------------------------------------------------------------------------------------------------------- */

/* CONFLICT if the run has a living owner or has ended; MALFORMED if the ledger is damaged. */
static int check_ownerless(const struct xylem_run_state *state, const struct xylem_sequence__ledger *ledger,
                           struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_session session;
    int code = check_whole(state, err);
    if (code < 0) {
        return code;
    }
    if (xylem_sequence__has_ended(state)) {
        return xylem_base__fail(err, XYLEM_E_CONFLICT, "run %s has ended: it is %s", state->run_id,
                                xylem_run_phase_word(state->phase));
    }
    if (state->owned && state->owner.alive) {
        code = xylem_session_read(&session, txn, ledger->session, err);
        return code < 0 ? code : xylem_store__fail_leased(err, &session, "the ledger", &state->owner);
    }
    return XYLEM_OK;
}

static int check_decision(const struct xylem_run_state *state, enum xylem_run_decision decision,
                          struct xylem_view session, struct xylem_error *err)
{
    bool interrupted = state->phase == XYLEM_RUN_INTERRUPTED;
    if (interrupted != (decision != XYLEM_RUN_CONTINUE)) {
        return xylem_base__fail(
            err, XYLEM_E_CONFLICT, "run %s is %s: %s", state->run_id, xylem_run_phase_word(state->phase),
            interrupted ? "retry or skip the step, or stop the run" : "no step waits for a decision");
    }
    if (!xylem_sequence__session_missing(state) && !xylem_base__view_equal(state->session, session)) {
        return xylem_base__fail(err, XYLEM_E_CONFLICT, "run %s goes on in the session %.*s, not in %.*s", state->run_id,
                                XYLEM_BASE__SHOWN(state->session), XYLEM_BASE__SHOWN(session));
    }
    return XYLEM_OK;
}

/* Adds the events of a decision. LIMIT: XYLEM_STEP_ATTEMPTS_MAX. */
static int resume_events(struct xylem_sequence__events *events, const struct opening *opening,
                         const struct xylem_run_state *state, const struct xylem_sequence__ledger *ledger,
                         struct xylem_error *err)
{
    struct xylem_run_state place = *state;
    if (opening->decision == XYLEM_RUN_SKIP) {
        struct xylem_sequence__event *end = xylem_sequence__event_add(events, XYLEM_SEQUENCE__END, state, ledger);
        end->outcome = XYLEM_SEQUENCE__SKIPPED;
        end->skipped_count++;
        place.skipped_count++;
        place.step_index++;
        place.attempt = 1;
        if (place.step_index == place.step_count && place.run_index + 1 < place.total_runs) {
            place.run_index++;
            place.step_index = 0;
        }
    } else if (opening->decision == XYLEM_RUN_RETRY || ledger->newest == XYLEM_SEQUENCE__RESET) {
        place.attempt++;
    }
    if (place.attempt > XYLEM_STEP_ATTEMPTS_MAX && ledger->newest == XYLEM_SEQUENCE__RESET) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "the new session of run %u was attempted %u times: stop the run",
                                state->run_index + 1, XYLEM_STEP_ATTEMPTS_MAX);
    }
    if (place.attempt > XYLEM_STEP_ATTEMPTS_MAX) {
        return xylem_base__fail(err, XYLEM_E_LIMIT,
                                "step %u of run %u was attempted %u times: skip it, or stop the run",
                                state->step_index + 1, state->run_index + 1, XYLEM_STEP_ATTEMPTS_MAX);
    }
    struct xylem_sequence__event *resume = xylem_sequence__event_add(events, XYLEM_SEQUENCE__RESUME, &place, ledger);
    resume->resume_count++;
    resume->decision = opening->decision;
    resume->session = opening->session;
    return XYLEM_OK;
}

static int change_open(struct xylem_txn *txn, void *context, struct xylem_error *err)
{
    struct opening *opening = context;
    struct xylem_run_state state = {.phase = XYLEM_RUN_DAMAGED};
    struct xylem_sequence__ledger ledger;
    struct xylem_sequence__events events = {.time_ms = opening->now_ms};
    int code;
    if ((code = xylem_sequence__run_read(&state, &ledger, txn, opening->opened_id, err)) < 0 ||
        (code = check_ownerless(&state, &ledger, txn, err)) < 0 ||
        (code = check_decision(&state, opening->decision, opening->session, err)) < 0 ||
        (code = resume_events(&events, opening, &state, &ledger, err)) < 0 ||
        (code = xylem_store__lease_take(txn, opening->run->lease, ledger.session, err)) < 0 ||
        (code = xylem_sequence__events_append(&ledger, txn, &events, err)) < 0) {
        goto out;
    }
    code = load(opening->run, txn, opening->opened_id, err);
out:
    xylem_run_state_release(&state);
    return code;
}

int xylem_run_open(struct xylem_run **run, struct xylem_store *store, struct xylem_view run_id,
                   enum xylem_run_decision decision, struct xylem_view session, struct xylem_error *err)
{
    struct opening opening = {.opened_id = run_id, .decision = decision, .session = session};
    if (!run || !store || xylem_base__view_lacks_bytes(run_id) || (unsigned)decision > XYLEM_RUN_SKIP) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "xylem_run_open: an argument is NULL, or no decision");
    }
    int code = xylem_sequence__check_id(session, XYLEM_SESSION_ID_BYTES_MAX, "the session of the host", err);
    return code < 0 ? code : open_run(run, store, change_open, &opening, err);
}

/* --- End without a handle --------------------------------------------------------------------------------------- */

struct ending {
    struct xylem_view run_id;
    struct xylem_view message;
};

/* A run without a living owner needs no lease for one transaction: nobody else writes meanwhile. */
static int change_end(struct xylem_txn *txn, void *context, struct xylem_error *err)
{
    const struct ending *ending = context;
    struct xylem_run_state state = {.phase = XYLEM_RUN_DAMAGED};
    struct xylem_sequence__ledger ledger;
    struct xylem_sequence__events events = {.time_ms = xylem_base__now_ms()};
    int code;
    if ((code = xylem_sequence__run_read(&state, &ledger, txn, ending->run_id, err)) < 0 ||
        (code = check_ownerless(&state, &ledger, txn, err)) < 0) {
        goto out;
    }
    struct xylem_sequence__event *finish = xylem_sequence__event_add(&events, XYLEM_SEQUENCE__FINISH, &state, &ledger);
    finish->outcome = XYLEM_SEQUENCE__STOPPED;
    finish->code = XYLEM_RUN_CODE_USER;
    finish->message = xylem_sequence__message_cut(ending->message);
    if ((code = xylem_sequence__events_append(&ledger, txn, &events, err)) == XYLEM_OK && state.owned) {
        code = xylem_store__owner_remove(txn, ledger.session, err);
    }
out:
    xylem_run_state_release(&state);
    return code;
}

int xylem_run_end(struct xylem_store *store, struct xylem_view run_id, struct xylem_view message,
                  struct xylem_error *err)
{
    struct ending ending = {run_id, message};
    if (!store || xylem_base__view_lacks_bytes(run_id) || xylem_base__view_lacks_bytes(message)) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "xylem_run_end: an argument is NULL");
    }
    return xylem_store__in_transaction(store, change_end, &ending, err);
}
