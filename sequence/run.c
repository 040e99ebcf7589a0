/*
 * Leads a run from action to action. The newest entry of the ledger is the state; a call checks the state, appends the
 * next event, and commits. A call appends below the newest entry alone, and only with the lease of the ledger:
 *
 *     newest entry             next()                        other calls
 *     start, begin, end,       claim    -> EXECUTE           pause() -> pause, stop() -> finish
 *     resume                   reset    -> NEW_SESSION
 *                              finish   -> FINISHED
 *     claim                    ARGUMENT                      done() -> end, failed() and stop() -> end and finish
 *     reset                    ARGUMENT                      in_session() -> begin, failed() and stop() -> finish
 *     pause                    ARGUMENT                      close()
 *     finish                   FINISHED                      close()
 *
 * A failed call leaves the ledger and the run as they were, so the call can be repeated. After CONFLICT and
 * OUTCOME_UNKNOWN the handle does not know the ledger any more: the run is lost, and can only be closed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/utf8.h"
#include "branch/arena.h"
#include "format/hash.h"
#include "sequence/run_state.h"
#include "store/lease.h"
#include "store/store.h"

#define TEXT_HASH_BYTES 17u
#define EVENTS_MAX 2u

struct xylem_run {
    struct xylem_store *store;
    struct xylem_lease *lease;
    struct xylem_run_state state;
    struct xylem_sequence__ledger ledger;
    struct xylem_resolution resolution; /* of the present action */
    const struct xylem_step *step;      /* of the present action, in `resolution`; or NULL */
    struct xylem_buffer text;
    char text_hash[TEXT_HASH_BYTES];
    int lost; /* CONFLICT or OUTCOME_UNKNOWN: the run can only be closed; else 0 */
};

static void run_free(struct xylem_run *run)
{
    xylem_run_state_release(&run->state);
    xylem_resolution_release(&run->resolution);
    xylem_buffer_release(&run->text);
    free(run);
}

/* --- Appending -------------------------------------------------------------------------------------------------- */

/* The events of one append. */
struct events {
    struct xylem_sequence__event list[EVENTS_MAX];
    size_t count;
    int64_t time_ms;
};

/* Adds an event at the present place of the run, with its counters. */
static struct xylem_sequence__event *add_event(struct events *events, enum xylem_sequence__event_type type,
                                               const struct xylem_run_state *state,
                                               const struct xylem_sequence__ledger *ledger)
{
    struct xylem_sequence__event *event = &events->list[events->count++];
    *event = (struct xylem_sequence__event){
        .type = type,
        .run_index = state->run_index,
        .step_index = state->step_index,
        .attempt = state->attempt,
        .done_count = state->done_count,
        .skipped_count = state->skipped_count,
        .resume_count = ledger->resume_count,
    };
    return event;
}

/* An id that exists was written by nobody who went on from the newest entry: somebody moved the leaf of the ledger. */
static int fail_exists(const struct xylem_sequence__event *event, struct xylem_error *err)
{
    char id[XYLEM_SEQUENCE__EVENT_ID_BYTES];
    if (event->type == XYLEM_SEQUENCE__CLAIM) {
        return xylem_base__fail(err, XYLEM_E_CONFLICT, "step %u of run %u was claimed before", event->step_index + 1,
                                event->run_index + 1);
    }
    xylem_sequence__event_id(id, event);
    return xylem_base__fail(err, XYLEM_E_CONFLICT, "the ledger has the entry %s already", id);
}

/* Appends the events below the newest entry, in a transaction; moves the ledger. */
static int append_events(struct xylem_sequence__ledger *ledger, struct xylem_txn *txn, const struct events *events,
                         struct xylem_error *err)
{
    struct xylem_new_entry entries[EVENTS_MAX];
    struct xylem_buffer data[EVENTS_MAX] = {{NULL, 0, 0}};
    char ids[EVENTS_MAX][XYLEM_SEQUENCE__EVENT_ID_BYTES];
    struct xylem_append_options options = {.expected_leaf = &ledger->leaf};
    struct xylem_position first;
    int code = XYLEM_OK;
    for (size_t i = 0; code == XYLEM_OK && i < events->count; i++) {
        xylem_sequence__event_id(ids[i], &events->list[i]);
        code = xylem_sequence__event_write(&data[i], &events->list[i]);
        entries[i] = (struct xylem_new_entry){
            .id = xylem_view_of(ids[i]),
            .kind = {XYLEM_CLASS_CUSTOM, xylem_view_of(XYLEM_SEQUENCE__KIND)},
            .time_ms = &events->time_ms,
            .format = XYLEM_FORMAT_JSON,
            .payload = xylem_base__buffer_view(&data[i]),
        };
    }
    if (code < 0) {
        code = xylem_base__fail_memory(err);
    } else {
        code = xylem_append(&first, txn, ledger->session, entries, events->count, &options, err);
    }
    for (size_t i = 0; i < EVENTS_MAX; i++) {
        xylem_buffer_release(&data[i]);
    }
    if (code == XYLEM_E_EXISTS) {
        return fail_exists(&events->list[0], err);
    }
    if (code == XYLEM_OK) {
        ledger->leaf = (struct xylem_position){first.branch, first.depth + events->count - 1};
    }
    return code;
}

struct step_change {
    struct xylem_run *run;
    const struct events *events;
    struct xylem_position leaf; /* after the append */
    bool changed;               /* path or hash of the claimed step differ from those of the iteration before */
};

/* True if a step of the iteration before had another path or hash. Without that claim there is nothing to compare. */
static bool has_changed(const struct xylem_run *run, struct xylem_txn *txn, const struct xylem_sequence__event *claim)
{
    struct xylem_sequence__event before = *claim;
    struct xylem_position at;
    struct xylem_entry entry;
    struct xylem_document *document = NULL;
    char id[XYLEM_SEQUENCE__EVENT_ID_BYTES];
    if (claim->type != XYLEM_SEQUENCE__CLAIM || claim->run_index == 0) {
        return false;
    }
    before.run_index--;
    before.attempt = 1;
    xylem_sequence__event_id(id, &before);
    bool changed = xylem_find(&at, txn, run->ledger.session, xylem_view_of(id), NULL) == XYLEM_OK &&
                   xylem_entry_read(&entry, txn, at, NULL) == XYLEM_OK &&
                   xylem_document_new(&document, &entry, NULL) == XYLEM_OK &&
                   !xylem_sequence__event_read(&before, entry.id, xylem_document_value(document)) &&
                   (!xylem_base__view_equal(before.path, claim->path) ||
                    !xylem_base__view_equal(before.hash, claim->hash));
    xylem_document_free(document);
    return changed;
}

static int change_step(struct xylem_txn *txn, void *context, struct xylem_error *err)
{
    struct step_change *change = context;
    struct xylem_sequence__ledger ledger = change->run->ledger;
    change->changed = has_changed(change->run, txn, &change->events->list[0]);
    int code = append_events(&ledger, txn, change->events, err);
    change->leaf = ledger.leaf;
    return code;
}

/* Keeps a view of the caller as long as the run. A view without data stays without data. */
static int keep(struct xylem_run *run, struct xylem_view *view, struct xylem_error *err)
{
    if (view->data && xylem_branch__arena_copy(view, &run->state.storage, *view) < 0) {
        return xylem_base__fail_memory(err);
    }
    return XYLEM_OK;
}

/* Commits the events, and moves the run to the last event. */
static int commit_events(struct xylem_run *run, struct events *events, bool *changed, struct xylem_error *err)
{
    struct step_change change = {.run = run, .events = events};
    struct xylem_sequence__event *last = &events->list[events->count - 1];
    events->time_ms = xylem_base__now_ms();
    int code;
    if ((code = keep(run, &last->message, err)) < 0 || (code = keep(run, &last->session, err)) < 0) {
        return code;
    }
    code = xylem_store__in_transaction(run->store, change_step, &change, err);
    if (code == XYLEM_E_CONFLICT || code == XYLEM_E_OUTCOME_UNKNOWN) {
        run->lost = code;
    }
    if (code < 0) {
        return code;
    }
    run->ledger.leaf = change.leaf;
    run->state.newest_ms = events->time_ms;
    const char *problem = xylem_sequence__apply(&run->state, &run->ledger, last);
    if (problem) {
        run->lost = XYLEM_E_CORRUPT;
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "the run cannot go on: %s", problem);
    }
    if (changed) {
        *changed = change.changed;
    }
    return XYLEM_OK;
}

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

/* --- Arguments -------------------------------------------------------------------------------------------------- */

/* An id of the host: 1 to `max` bytes of WTF-8. */
static int check_id(struct xylem_view id, size_t max, const char *what, struct xylem_error *err)
{
    if (id.bytes == 0 || xylem_base__view_lacks_bytes(id)) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "%s is empty", what);
    }
    if (id.bytes > max) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "%s has %zu bytes, at most %zu are allowed", what, id.bytes, max);
    }
    if (!xylem_base__wtf8_valid(id.data, id.bytes)) {
        return xylem_base__fail(err, XYLEM_E_MALFORMED, "%s is not WTF-8", what);
    }
    return XYLEM_OK;
}

/* The same, or no id. */
static int check_maybe(struct xylem_view id, size_t max, const char *what, struct xylem_error *err)
{
    return id.data ? check_id(id, max, what, err) : XYLEM_OK;
}

static int check_args(const struct xylem_run_options *options, struct xylem_error *err)
{
    size_t bytes = 0;
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

static int check_options(const struct xylem_run_options *options, struct xylem_error *err)
{
    int code;
    if (options->total_runs > XYLEM_RUN_ITERATIONS_MAX) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "a run has 1 to %u iterations, not %" PRIu32,
                                XYLEM_RUN_ITERATIONS_MAX, options->total_runs);
    }
    if ((code = check_id(options->sequence_id, XYLEM_SEQUENCE_ID_BYTES_MAX, "the id of the sequence", err)) < 0 ||
        (code = check_id(options->session, XYLEM_SESSION_ID_BYTES_MAX, "the session of the host", err)) < 0 ||
        (code = check_maybe(options->entry, XYLEM_ENTRY_ID_BYTES_MAX, "the entry of the host", err)) < 0) {
        return code;
    }
    return options->substitute ? check_args(options, err) : XYLEM_OK;
}

/* --- Start ------------------------------------------------------------------------------------------------------ */

/* CONFLICT if the ledger belongs to a run with a living owner that runs in the session of the host. */
static int check_other_run(struct xylem_txn *txn, uint64_t ledger_session, struct xylem_view host_session,
                           struct xylem_error *err)
{
    struct xylem_session session;
    struct xylem_lease_owner owner;
    struct xylem_view run_id;
    struct xylem_run_state state;
    int code;
    if ((code = xylem_session_read(&session, txn, ledger_session, err)) < 0) {
        return code;
    }
    if (!xylem_run_of_session(&run_id, session.id)) {
        return XYLEM_OK;
    }
    if ((code = xylem_lease_read(&owner, txn, ledger_session, err)) < 0 || code == 0 || !owner.alive) {
        return code < 0 ? code : XYLEM_OK;
    }
    code = xylem_run_read(&state, txn, run_id, err);
    if (code < 0) {
        return code == XYLEM_E_MEMORY || code == XYLEM_E_IO ? code : XYLEM_OK; /* another's damage */
    }
    bool here = xylem_base__view_equal(state.session.data ? state.session : state.origin, host_session);
    if (here && !xylem_sequence__has_ended(&state) && state.phase != XYLEM_RUN_DAMAGED) {
        struct xylem_view host = xylem_view_of(owner.host);
        code = xylem_base__fail(err, XYLEM_E_CONFLICT,
                                "run %s of this session is still going on, in process %" PRId64 " on %.*s",
                                state.run_id, owner.pid, XYLEM_BASE__SHOWN(host));
    }
    xylem_run_state_release(&state);
    return code;
}

/* The rows of owners are the list of runs to ask: a run that is going on has an owner. */
static int check_not_busy(struct xylem_txn *txn, struct xylem_view host_session, struct xylem_error *err)
{
    uint64_t session = 0;
    int found;
    while ((found = xylem_store__owned_after(&session, txn, session, err)) == 1) {
        int code = check_other_run(txn, session, host_session, err);
        if (code < 0) {
            return code;
        }
    }
    return found;
}

/* A call that makes a handle: of a new run, or of a run that goes on. */
struct opening {
    struct xylem_run *run;
    const struct xylem_run_options *options; /* of a start */
    const char *run_id;
    struct xylem_view opened_id; /* of an open */
    enum xylem_run_decision decision;
    struct xylem_view session;
    int64_t now_ms;
};

static void first_events(struct events *events, const struct opening *opening)
{
    const struct xylem_run_options *options = opening->options;
    const struct xylem_run_state place = {.attempt = 1};
    const struct xylem_sequence__ledger empty = {.session = 0};
    static const struct xylem_view no_args[1];
    struct xylem_sequence__event *start = add_event(events, XYLEM_SEQUENCE__START, &place, &empty);
    start->run_id = xylem_view_of(opening->run_id);
    start->sequence_id = options->sequence_id;
    start->steps = options->steps;
    start->step_count = options->step_count;
    start->args = !options->substitute ? NULL : options->args ? options->args : no_args;
    start->arg_count = options->substitute ? options->arg_count : 0;
    start->total_runs = options->total_runs ? options->total_runs : 1;
    start->fresh = options->fresh;
    start->origin = options->session;
    start->origin_entry = options->entry;
    start->started_ms = opening->now_ms;
    if (!options->fresh) {
        add_event(events, XYLEM_SEQUENCE__BEGIN, &place, &empty)->session = options->session;
    }
}

/* Reads the state of the run as it is in the transaction. */
static int load(struct xylem_run *run, struct xylem_txn *txn, struct xylem_view run_id, struct xylem_error *err)
{
    xylem_run_state_release(&run->state); /* of an attempt before, for which the map was too small */
    return xylem_sequence__run_read(&run->state, &run->ledger, txn, run_id, err);
}

/* The ledger, its first entries and its lease, in one transaction: a start leaves all of them, or nothing. */
static int change_start(struct xylem_txn *txn, void *context, struct xylem_error *err)
{
    struct opening *opening = context;
    const struct xylem_run_options *options = opening->options;
    struct xylem_sequence__ledger ledger = {.session = 0};
    struct events events = {.time_ms = opening->now_ms};
    struct xylem_session session;
    char id[XYLEM_UUID_TEXT_BYTES + sizeof XYLEM_SEQUENCE__SESSION];
    memcpy(id, XYLEM_SEQUENCE__SESSION, sizeof XYLEM_SEQUENCE__SESSION);
    strcat(id, opening->run_id);
    struct xylem_session_options made = {
        .id = xylem_view_of(id), .cwd = options->cwd, .parent = options->session, .created_ms = &opening->now_ms};
    first_events(&events, opening);
    int code;
    if ((code = check_not_busy(txn, options->session, err)) < 0 ||
        (code = xylem_session_create(&session, txn, &made, err)) < 0) {
        return code;
    }
    ledger.session = session.number;
    if ((code = xylem_store__lease_take(txn, opening->run->lease, ledger.session, err)) < 0 ||
        (code = append_events(&ledger, txn, &events, err)) < 0) {
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
        xylem_store__lease_drop(made->lease);
        run_free(made);
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
    const struct xylem_view *args = !options->substitute ? NULL : options->args ? options->args : no_args;
    if ((code = check_options(options, err)) < 0 ||
        (code = xylem_sequence_resolve(found, catalogue, options->steps, options->step_count, args,
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

/* CONFLICT if the run has a living owner or has ended; CORRUPT if the ledger is damaged. */
static int check_ownerless(const struct xylem_run_state *state, const struct xylem_sequence__ledger *ledger,
                           struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_session session;
    int code;
    if (state->phase == XYLEM_RUN_DAMAGED) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "the ledger of run %s is damaged: %.*s", state->run_id,
                                XYLEM_BASE__SHOWN(state->message));
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
        return xylem_base__fail(err, XYLEM_E_CONFLICT, "run %s is %s: %s", state->run_id,
                                xylem_run_phase_word(state->phase),
                                interrupted ? "retry or skip the step, or stop the run" : "no step waits for a decision");
    }
    if (!xylem_sequence__session_missing(state) && !xylem_base__view_equal(state->session, session)) {
        return xylem_base__fail(err, XYLEM_E_CONFLICT, "run %s goes on in the session %.*s, not in %.*s", state->run_id,
                                XYLEM_BASE__SHOWN(state->session), XYLEM_BASE__SHOWN(session));
    }
    return XYLEM_OK;
}

/* Adds the events of a decision. LIMIT: XYLEM_STEP_ATTEMPTS_MAX. */
static int resume_events(struct events *events, const struct opening *opening, const struct xylem_run_state *state,
                         const struct xylem_sequence__ledger *ledger, struct xylem_error *err)
{
    struct xylem_run_state place = *state;
    if (opening->decision == XYLEM_RUN_SKIP) {
        struct xylem_sequence__event *end = add_event(events, XYLEM_SEQUENCE__END, state, ledger);
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
    if (place.attempt > XYLEM_STEP_ATTEMPTS_MAX) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "step %u of run %u was attempted %u times: skip it, or stop the run",
                                state->step_index + 1, state->run_index + 1, XYLEM_STEP_ATTEMPTS_MAX);
    }
    struct xylem_sequence__event *resume = add_event(events, XYLEM_SEQUENCE__RESUME, &place, ledger);
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
    struct events events = {.time_ms = opening->now_ms};
    int code;
    if ((code = xylem_sequence__run_read(&state, &ledger, txn, opening->opened_id, err)) < 0 ||
        (code = check_ownerless(&state, &ledger, txn, err)) < 0 ||
        (code = check_decision(&state, opening->decision, opening->session, err)) < 0 ||
        (code = resume_events(&events, opening, &state, &ledger, err)) < 0 ||
        (code = xylem_store__lease_take(txn, opening->run->lease, ledger.session, err)) < 0 ||
        (code = append_events(&ledger, txn, &events, err)) < 0) {
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
    int code = check_id(session, XYLEM_SESSION_ID_BYTES_MAX, "the session of the host", err);
    return code < 0 ? code : open_run(run, store, change_open, &opening, err);
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
        .text = type == XYLEM_ACTION_EXECUTE ? xylem_base__buffer_view(&run->text) : (struct xylem_view){NULL, 0},
        .state = state,
    };
}

static int next_reset(struct xylem_action *action, struct xylem_run *run, struct xylem_error *err)
{
    struct events events = {.count = 0};
    struct xylem_sequence__event *reset = add_event(&events, XYLEM_SEQUENCE__RESET, &run->state, &run->ledger);
    reset->fresh = run->state.run_index == 0;
    reset->run_index = reset->fresh ? 0 : reset->run_index - 1;
    int code = commit_events(run, &events, NULL, err);
    if (code == XYLEM_OK) {
        give_action(action, run, XYLEM_ACTION_NEW_SESSION);
    }
    return code;
}

static int next_finish(struct xylem_action *action, struct xylem_run *run, struct xylem_error *err)
{
    struct events events = {.count = 0};
    struct xylem_sequence__event *finish = add_event(&events, XYLEM_SEQUENCE__FINISH, &run->state, &run->ledger);
    finish->step_index--; /* the last step, not the place behind */
    finish->outcome = XYLEM_SEQUENCE__DONE;
    int code = commit_events(run, &events, NULL, err);
    if (code == XYLEM_OK) {
        give_action(action, run, XYLEM_ACTION_FINISHED);
    }
    return code;
}

/* Ends the run, since the step `at` can no longer be run. `step` lies in the run's resolution. */
static int next_unresolved(struct xylem_action *action, struct xylem_run *run, size_t at, const struct xylem_step *step,
                           struct xylem_error *err)
{
    struct events events = {.count = 0};
    struct xylem_buffer message = {NULL, 0, 0};
    struct xylem_sequence__event *finish = add_event(&events, XYLEM_SEQUENCE__FINISH, &run->state, &run->ledger);
    int code = xylem_base__buffer_add_format(&message, "step %zu of %zu: ", at + 1, run->state.step_count);
    if (code < 0 || xylem_buffer_add(&message, step->message.data, step->message.bytes) < 0) {
        xylem_buffer_release(&message);
        return xylem_base__fail_memory(err);
    }
    finish->step_index = (uint32_t)at;
    finish->outcome = XYLEM_SEQUENCE__FAILED;
    finish->code = XYLEM_RUN_CODE_UNRESOLVED;
    finish->message = xylem_sequence__message_cut(xylem_base__buffer_view(&message));
    code = commit_events(run, &events, NULL, err);
    if (code == XYLEM_OK) {
        run->step = step;
        give_action(action, run, XYLEM_ACTION_FINISHED);
    }
    xylem_buffer_release(&message);
    return code;
}

static int next_claim(struct xylem_action *action, struct xylem_run *run, struct xylem_step *step,
                      struct xylem_error *err)
{
    struct events events = {.count = 0};
    struct xylem_sequence__event *claim = add_event(&events, XYLEM_SEQUENCE__CLAIM, &run->state, &run->ledger);
    bool changed = false;
    int code = xylem_step_text(&run->text, step, run->state.args, run->state.arg_count, err);
    if (code < 0) {
        return code;
    }
    snprintf(run->text_hash, sizeof run->text_hash, "%016" PRIx64,
             xylem_format__hash(xylem_base__buffer_view(&run->text)));
    claim->kind = step->kind;
    claim->name = step->name;
    claim->path = step->path;
    claim->hash = step->hash;
    claim->text_hash = xylem_view_of(run->text_hash);
    code = commit_events(run, &events, &changed, err);
    if (code == XYLEM_OK) {
        step->warnings |= changed ? XYLEM_STEP_WARN_CHANGED : 0;
        run->step = step;
        give_action(action, run, XYLEM_ACTION_EXECUTE);
    }
    return code;
}

/* Resolves the step that comes; at the beginning of an iteration the whole sequence. */
static int next_step(struct xylem_action *action, struct xylem_run *run, const struct xylem_catalogue *catalogue,
                     struct xylem_error *err)
{
    const struct xylem_run_state *state = &run->state;
    struct xylem_resolution *resolution = &run->resolution;
    size_t from = state->step_index;
    size_t count = from == 0 ? state->step_count : 1;
    int code = xylem_sequence_resolve(resolution, catalogue, state->steps + from, count, state->args, state->arg_count,
                                      err);
    if (code < 0) {
        return code;
    }
    if (resolution->problem == XYLEM_SEQUENCE_STEP) {
        size_t at = resolution->first_problem;
        return next_unresolved(action, run, from + at, &resolution->steps[at], err);
    }
    if (resolution->problem != XYLEM_SEQUENCE_FINE) { /* a start refuses such a sequence */
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "the ledger of run %s is damaged: %.*s", state->run_id,
                                XYLEM_BASE__SHOWN(xylem_base__buffer_view(&resolution->message)));
    }
    return next_claim(action, run, &resolution->steps[0], err);
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
    case XYLEM_SEQUENCE__PAUSE: return xylem_base__fail(err, XYLEM_E_ARGUMENT, "the run is paused: close the run");
    case XYLEM_SEQUENCE__FINISH: give_action(action, run, XYLEM_ACTION_FINISHED); return XYLEM_OK;
    default: break;
    }
    run->step = NULL;
    xylem_base__buffer_clear(&run->text);
    xylem_resolution_release(&run->resolution);
    if (xylem_sequence__session_missing(&run->state)) {
        return next_reset(action, run, err);
    }
    if (run->state.step_index == run->state.step_count) {
        return next_finish(action, run, err);
    }
    return next_step(action, run, catalogue, err);
}

/* --- Ends of actions -------------------------------------------------------------------------------------------- */

int xylem_run_done(struct xylem_run *run, struct xylem_view entry, struct xylem_error *err)
{
    struct events events = {.count = 0};
    int code;
    if ((code = check_usable(run, err)) < 0 ||
        (code = check_maybe(entry, XYLEM_ENTRY_ID_BYTES_MAX, "the entry of the host", err)) < 0) {
        return code;
    }
    if (run->ledger.newest != XYLEM_SEQUENCE__CLAIM) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "xylem_run_done: no step is open");
    }
    struct xylem_sequence__event *end = add_event(&events, XYLEM_SEQUENCE__END, &run->state, &run->ledger);
    end->outcome = XYLEM_SEQUENCE__DONE;
    end->entry = entry;
    end->done_count++;
    return commit_events(run, &events, NULL, err);
}

int xylem_run_in_session(struct xylem_run *run, struct xylem_view session, struct xylem_error *err)
{
    struct events events = {.count = 0};
    int code;
    if ((code = check_usable(run, err)) < 0 ||
        (code = check_id(session, XYLEM_SESSION_ID_BYTES_MAX, "the session of the host", err)) < 0) {
        return code;
    }
    if (run->ledger.newest != XYLEM_SEQUENCE__RESET) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "xylem_run_in_session: no new session was asked for");
    }
    struct xylem_sequence__event *begin = add_event(&events, XYLEM_SEQUENCE__BEGIN, &run->state, &run->ledger);
    begin->attempt = 1;
    begin->session = session;
    return commit_events(run, &events, NULL, err);
}

/* Ends the run; a step that is open fails. */
static int end_run(struct xylem_run *run, enum xylem_sequence__outcome outcome, enum xylem_run_code code,
                   struct xylem_view message, struct xylem_error *err)
{
    struct events events = {.count = 0};
    struct xylem_view cut = xylem_sequence__message_cut(message);
    if (run->ledger.newest == XYLEM_SEQUENCE__CLAIM) {
        struct xylem_sequence__event *end = add_event(&events, XYLEM_SEQUENCE__END, &run->state, &run->ledger);
        end->outcome = XYLEM_SEQUENCE__FAILED;
        end->code = code;
        end->message = cut;
    }
    struct xylem_sequence__event *finish = add_event(&events, XYLEM_SEQUENCE__FINISH, &run->state, &run->ledger);
    finish->outcome = outcome;
    finish->code = code;
    finish->message = cut;
    return commit_events(run, &events, NULL, err);
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

int xylem_run_pause(struct xylem_run *run, enum xylem_run_code code, struct xylem_view message,
                    struct xylem_error *err)
{
    struct events events = {.count = 0};
    int usable = check_usable(run, err);
    if (usable < 0) {
        return usable;
    }
    if ((code != XYLEM_RUN_CODE_LEFT && code != XYLEM_RUN_CODE_SHUTDOWN) || xylem_base__view_lacks_bytes(message) ||
        run->ledger.newest == XYLEM_SEQUENCE__FINISH || run->ledger.newest == XYLEM_SEQUENCE__PAUSE) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "xylem_run_pause: the run has ended or is paused, or the code "
                                                       "is neither left nor shutdown");
    }
    if (run->ledger.newest == XYLEM_SEQUENCE__CLAIM || run->ledger.newest == XYLEM_SEQUENCE__RESET) {
        return XYLEM_OK;
    }
    struct xylem_sequence__event *pause = add_event(&events, XYLEM_SEQUENCE__PAUSE, &run->state, &run->ledger);
    pause->code = code;
    pause->message = xylem_sequence__message_cut(message);
    return commit_events(run, &events, NULL, err);
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
    run_free(run);
    return code;
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
    struct events events = {.time_ms = xylem_base__now_ms()};
    int code;
    if ((code = xylem_sequence__run_read(&state, &ledger, txn, ending->run_id, err)) < 0 ||
        (code = check_ownerless(&state, &ledger, txn, err)) < 0) {
        goto out;
    }
    struct xylem_sequence__event *finish = add_event(&events, XYLEM_SEQUENCE__FINISH, &state, &ledger);
    finish->outcome = XYLEM_SEQUENCE__STOPPED;
    finish->code = XYLEM_RUN_CODE_USER;
    finish->message = xylem_sequence__message_cut(ending->message);
    if ((code = append_events(&ledger, txn, &events, err)) == XYLEM_OK && state.owned) {
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
