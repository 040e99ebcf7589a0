/*
 * Reads the state of a run. Three entries give the whole state, however long the run is:
 *
 *     start        the steps, the arguments, the number of iterations
 *     i3.begin     the session of the host in which the iteration runs; between two iterations the last session
 *     the newest   the place, the counters, the event
 *
 * The lease of the ledger says whether the run has a living owner. A claim without a living owner was interrupted.
 */
#include "sequence/run_state.h"

#include <assert.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/json_writer.h"
#include "base/time.h"
#include "base/value.h"
#include "branch/arena.h"
#include "xylem/branch.h"

#define WORD(name, word) word,
static const char *const phase_words[] = {XYLEM_RUN_PHASE_LIST(WORD)};
static const char *const code_words[] = {XYLEM_RUN_CODE_LIST(WORD)};
#undef WORD

const char *xylem_run_phase_word(enum xylem_run_phase phase)
{
    return (unsigned)phase < XYLEM_RUN_PHASE_COUNT ? phase_words[phase] : "unknown";
}

const char *xylem_run_code_word(enum xylem_run_code code)
{
    return (unsigned)code < XYLEM_RUN_CODE_COUNT ? code_words[code] : "unknown";
}

/* --- Names of ledgers --- */

bool xylem_run_of_session(struct xylem_view *run_id, struct xylem_view session_id)
{
    size_t prefix_bytes = sizeof XYLEM_SEQUENCE__SESSION - 1;
    if (session_id.bytes <= prefix_bytes || memcmp(session_id.data, XYLEM_SEQUENCE__SESSION, prefix_bytes) != 0) {
        return false;
    }
    struct xylem_view rest = {session_id.data + prefix_bytes, session_id.bytes - prefix_bytes};
    if (!xylem_base__is_uuid(rest, XYLEM_BASE__HEX_DIGITS)) {
        return false;
    }
    *run_id = rest;
    return true;
}

/* --- The newest event --- */

/* Sets the place of an event; false if the run has no such place. `claimed`: a step is there. */
static bool set_place(struct xylem_run_state *state, uint64_t run_index, uint64_t step_index, uint32_t attempt,
                      bool claimed)
{
    bool last = run_index + 1 == state->total_runs;
    state->run_index = (uint32_t)run_index;
    state->step_index = (uint32_t)step_index;
    state->attempt = attempt;
    return run_index < state->total_runs &&
           (step_index < state->step_count || (step_index == state->step_count && last && !claimed));
}

/* The place behind the last step of an iteration is the beginning of the next iteration. */
static bool set_next_place(struct xylem_run_state *state, const struct xylem_sequence__event *event)
{
    uint64_t next = (uint64_t)event->step_index + 1;
    if (next == state->step_count && event->run_index + UINT64_C(1) < state->total_runs) {
        state->session = (struct xylem_view){NULL, 0};
        return set_place(state, event->run_index + UINT64_C(1), 0, 1, false);
    }
    return event->step_index < state->step_count && set_place(state, event->run_index, next, 1, false);
}

/* Sets place and phase; false if the run has no such place. */
static bool move_to(struct xylem_run_state *state, const struct xylem_sequence__event *event)
{
    const struct xylem_view none = {NULL, 0};
    state->phase = XYLEM_RUN_RUNNING;
    switch (event->type) {
    case XYLEM_SEQUENCE__START:
        state->session = none;
        return set_place(state, event->run_index, event->step_index, event->attempt, false) && event->run_index == 0 &&
               event->step_index == 0;
    case XYLEM_SEQUENCE__BEGIN:
        state->session = state->host_session = event->session;
        return set_place(state, event->run_index, event->step_index, event->attempt, true) && event->step_index == 0;
    case XYLEM_SEQUENCE__CLAIM:
        return set_place(state, event->run_index, event->step_index, event->attempt, true);
    case XYLEM_SEQUENCE__END:
        return set_next_place(state, event);
    case XYLEM_SEQUENCE__RESET:
        state->phase = XYLEM_RUN_RESETTING;
        state->session = none;
        return set_place(state, event->run_index + (event->fresh ? UINT64_C(0) : 1), 0, event->attempt, true) &&
               (!event->fresh || event->run_index == 0);
    case XYLEM_SEQUENCE__FINISH:
        state->phase = event->outcome == XYLEM_SEQUENCE__DONE     ? XYLEM_RUN_DONE
                       : event->outcome == XYLEM_SEQUENCE__FAILED ? XYLEM_RUN_FAILED
                                                                  : XYLEM_RUN_STOPPED;
        break;
    case XYLEM_SEQUENCE__PAUSE:
        state->phase = XYLEM_RUN_PAUSED;
        break;
    default:
        break;
    }
    return set_place(state, event->run_index, event->step_index, event->attempt, false);
}

/* Every step before the place was done or skipped, and no other. */
static bool counters_fit(const struct xylem_run_state *state, const struct xylem_sequence__event *event)
{
    uint64_t counted = event->done_count + event->skipped_count;
    uint64_t all = (uint64_t)state->total_runs * state->step_count;
    if (event->type == XYLEM_SEQUENCE__FINISH) {
        return event->outcome == XYLEM_SEQUENCE__DONE ? counted == all : counted <= all;
    }
    return counted == (uint64_t)state->run_index * state->step_count + state->step_index;
}

const char *xylem_sequence__apply(struct xylem_run_state *state, struct xylem_sequence__ledger *ledger,
                                  const struct xylem_sequence__event *event)
{
    if (event->type == XYLEM_SEQUENCE__END && event->outcome == XYLEM_SEQUENCE__FAILED) {
        return "a step failed, and the end of the run is missing";
    }
    if (!move_to(state, event)) {
        return "the run has no such step";
    }
    if (!counters_fit(state, event)) {
        return "the counters do not fit the place";
    }
    state->done_count = event->done_count;
    state->skipped_count = event->skipped_count;
    state->text_hash = event->text_hash;
    state->code = event->code;
    state->message = event->message;
    ledger->newest = event->type;
    ledger->resume_count = event->resume_count;
    return NULL;
}

/* --- Reading --- */

struct reading {
    struct xylem_run_state *state;
    struct xylem_sequence__ledger *ledger;
    struct xylem_txn *txn;
    struct xylem_error problem; /* the code: CORRUPT of a damaged, REDACTED of a redacted ledger; else 0 */
};

/* Notes why the ledger is damaged. Always 0: a damaged ledger is a state. */
static int damaged(struct reading *reading, const struct xylem_entry *entry, const char *reason)
{
    if (entry) {
        xylem_base__fail(&reading->problem, XYLEM_E_CORRUPT, "the entry %.*s: %s", XYLEM_BASE__SHOWN(entry->id),
                         reason);
    } else {
        xylem_base__fail(&reading->problem, XYLEM_E_CORRUPT, "%s", reason);
    }
    return XYLEM_OK;
}

/* Reads the event of an entry: 1, and the event borrows from the document; or 0 and the damage is noted. */
static int read_event(struct xylem_sequence__event *event, struct xylem_document **document, struct reading *reading,
                      const struct xylem_entry *entry, struct xylem_error *err)
{
    struct xylem_error reason;
    if (entry->kind.kind_class != XYLEM_CLASS_CUSTOM || !xylem_base__view_is(entry->kind.name, XYLEM_SEQUENCE__KIND)) {
        return damaged(reading, entry, "its kind is not custom:" XYLEM_SEQUENCE__KIND);
    }
    int code = xylem_document_new(document, entry, &reason);
    if (code == XYLEM_E_REDACTED || code == XYLEM_E_MALFORMED || code == XYLEM_E_LIMIT) {
        damaged(reading, entry, code == XYLEM_E_REDACTED ? "it was redacted" : reason.text);
        reading->problem.code = code == XYLEM_E_REDACTED ? code : XYLEM_E_CORRUPT;
        return XYLEM_OK;
    }
    if (code < 0) {
        return xylem_base__fail(err, code, "%s", reason.text);
    }
    const char *problem = xylem_sequence__event_read(event, entry->id, xylem_document_value(*document));
    if (!problem) {
        return 1;
    }
    xylem_document_free(*document);
    return damaged(reading, entry, problem);
}

/* Copies a view that may be absent. */
static int copy_view(struct xylem_view *copy, struct reading *reading, struct xylem_view view)
{
    *copy = (struct xylem_view){NULL, 0};
    return view.data ? xylem_branch__arena_copy(copy, &reading->state->storage, view) : XYLEM_OK;
}

static int copy_list(struct xylem_view **copies, struct reading *reading, const struct xylem_value *list, size_t count)
{
    struct xylem_view *made = xylem_branch__arena_take(&reading->state->storage, count * sizeof *made);
    size_t at = 0;
    if (!made) {
        return XYLEM_E_MEMORY;
    }
    for (const struct xylem_value *item = xylem_value_first(list); item; item = xylem_value_next(list, item)) {
        assert(at < count);
        if (xylem_branch__arena_copy(&made[at++], &reading->state->storage, xylem_value_string(item)) < 0) {
            return XYLEM_E_MEMORY;
        }
    }
    *copies = made;
    return XYLEM_OK;
}

/* Reads the first entry of the ledger. NOT_FOUND for the start of another run: the session is a fork of its ledger. */
static int read_start(struct reading *reading, struct xylem_error *err)
{
    struct xylem_run_state *state = reading->state;
    struct xylem_position first;
    struct xylem_entry entry;
    struct xylem_sequence__event event;
    struct xylem_document *document;
    int code;
    if ((code = xylem_ancestor_at(&first, reading->txn, reading->ledger->leaf, 1, err)) < 0 ||
        (code = xylem_entry_read(&entry, reading->txn, first, err)) < 0 ||
        (code = read_event(&event, &document, reading, &entry, err)) <= 0) {
        return code;
    }
    code = XYLEM_OK;
    if (event.type != XYLEM_SEQUENCE__START) {
        code = damaged(reading, &entry, "the first entry is not the start");
    } else if (!xylem_base__view_is(event.run_id, state->run_id)) {
        code = xylem_base__fail(err, XYLEM_E_NOT_FOUND, "the session seq.%s is not a run: its start names the run %.*s",
                                state->run_id, XYLEM_BASE__SHOWN(event.run_id));
    } else if (copy_view(&state->sequence_id, reading, event.sequence_id) < 0 ||
               copy_view(&state->origin, reading, event.origin) < 0 ||
               copy_view(&state->origin_entry, reading, event.origin_entry) < 0 ||
               copy_list(&state->steps, reading, event.steps_value, event.step_count) < 0 ||
               (event.args_value && copy_list(&state->args, reading, event.args_value, event.arg_count) < 0)) {
        code = xylem_base__fail_memory(err);
    } else {
        state->step_count = event.step_count;
        state->arg_count = event.arg_count;
        state->total_runs = event.total_runs;
        state->fresh = event.fresh;
        state->started_ms = event.started_ms;
    }
    xylem_document_free(document);
    return code;
}

/* Finds the begin of an iteration on the path, and takes its session. Without a begin the session stays as it was. */
static int read_begin(struct xylem_view *session, struct reading *reading, uint32_t run_index, struct xylem_error *err)
{
    struct xylem_sequence__event begin = {.type = XYLEM_SEQUENCE__BEGIN, .run_index = run_index};
    struct xylem_position at;
    struct xylem_position on_path;
    struct xylem_entry entry;
    struct xylem_document *document;
    struct xylem_position leaf = reading->ledger->leaf;
    char id[XYLEM_SEQUENCE__EVENT_ID_BYTES];
    xylem_sequence__event_id(id, &begin);
    int code = xylem_find(&at, reading->txn, reading->ledger->session, xylem_view_of(id), err);
    if (code < 0 || at.depth > leaf.depth) {
        return code == XYLEM_E_NOT_FOUND ? XYLEM_OK : code;
    }
    if ((code = xylem_ancestor_at(&on_path, reading->txn, leaf, at.depth, err)) < 0 || on_path.branch != at.branch) {
        return code;
    }
    if ((code = xylem_entry_read(&entry, reading->txn, at, err)) < 0 ||
        (code = read_event(&begin, &document, reading, &entry, err)) <= 0) {
        return code;
    }
    code = copy_view(session, reading, begin.session) < 0 ? xylem_base__fail_memory(err) : XYLEM_OK;
    xylem_document_free(document);
    return code;
}

/* Reads the newest event, the session of its iteration, and the session in which the host is. */
static int read_newest(struct reading *reading, const struct xylem_entry *entry, struct xylem_error *err)
{
    struct xylem_run_state *state = reading->state;
    struct xylem_sequence__event event;
    struct xylem_document *document;
    int code = read_event(&event, &document, reading, entry, err);
    if (code <= 0) {
        return code;
    }
    const char *reason = xylem_sequence__apply(state, reading->ledger, &event);
    if (reason) {
        code = damaged(reading, entry, reason); /* the caller resets the sessions, which the event may have set */
    } else if (copy_view(&state->session, reading, state->session) < 0 ||
               copy_view(&state->text_hash, reading, state->text_hash) < 0 ||
               copy_view(&state->message, reading, state->message) < 0) {
        code = xylem_base__fail_memory(err);
    }
    xylem_document_free(document);
    if (code <= 0) {
        return code;
    }
    enum xylem_sequence__event_type newest = reading->ledger->newest;
    bool wraps = newest == XYLEM_SEQUENCE__END && state->step_index == 0; /* a new session comes next */
    bool says = newest == XYLEM_SEQUENCE__START || newest == XYLEM_SEQUENCE__BEGIN || newest == XYLEM_SEQUENCE__RESET;
    code = wraps || says ? XYLEM_OK : read_begin(&state->session, reading, state->run_index, err);
    state->host_session = state->session.data ? state->session : state->origin;
    if (code == XYLEM_OK && reading->problem.code == 0 && !state->session.data && state->run_index > 0) {
        code = read_begin(&state->host_session, reading, state->run_index - 1, err);
    }
    bool in_iteration = newest == XYLEM_SEQUENCE__CLAIM || (state->step_index > 0 && newest != XYLEM_SEQUENCE__FINISH);
    if (code == XYLEM_OK && reading->problem.code == 0 && in_iteration && !state->session.data) {
        damaged(reading, entry, "the begin of its iteration is missing");
    }
    return code;
}

static int read_all(struct reading *reading, const struct xylem_session *session, struct xylem_error *err)
{
    struct xylem_run_state *state = reading->state;
    struct xylem_entry newest;
    int code;
    *reading->ledger = (struct xylem_sequence__ledger){.session = session->number, .leaf = session->leaf};
    int owned = xylem_lease_read(&state->owner, reading->txn, session->number, err);
    if (owned < 0) {
        return owned;
    }
    state->owned = owned == 1;
    if (session->leaf.branch == 0) {
        code = damaged(reading, NULL, "the ledger has no entry");
    } else if ((code = xylem_entry_read(&newest, reading->txn, session->leaf, err)) == XYLEM_OK) {
        state->newest_ms = newest.time_ms;
        code = read_start(reading, err);
        code = code < 0 || reading->problem.code < 0 ? code : read_newest(reading, &newest, err);
    }
    if (code < 0) {
        return code;
    }
    if (reading->problem.code < 0) {
        state->phase = reading->problem.code == XYLEM_E_REDACTED ? XYLEM_RUN_REDACTED : XYLEM_RUN_DAMAGED;
        state->session = (struct xylem_view){NULL, 0};
        state->host_session = state->origin;
        return copy_view(&state->message, reading, xylem_view_of(reading->problem.text)) < 0
                   ? xylem_base__fail_memory(err)
                   : XYLEM_OK;
    }
    bool runs = state->phase == XYLEM_RUN_RUNNING || state->phase == XYLEM_RUN_RESETTING;
    if (runs && (!state->owned || !state->owner.alive)) { /* nobody leads the run */
        state->phase = reading->ledger->newest == XYLEM_SEQUENCE__CLAIM ? XYLEM_RUN_INTERRUPTED : XYLEM_RUN_PAUSED;
    }
    return XYLEM_OK;
}

int xylem_sequence__run_read(struct xylem_run_state *state, struct xylem_sequence__ledger *ledger,
                             struct xylem_txn *txn, struct xylem_view run_id, struct xylem_error *err)
{
    struct xylem_run_state read = {.phase = XYLEM_RUN_DAMAGED};
    struct reading reading = {.state = &read, .ledger = ledger, .txn = txn};
    struct xylem_session session;
    char id[sizeof XYLEM_SEQUENCE__SESSION + XYLEM_BASE__UUID_TEXT_BYTES];
    int code = XYLEM_E_NOT_FOUND;
    if (xylem_base__is_uuid(run_id, XYLEM_BASE__HEX_DIGITS)) {
        memcpy(read.run_id, run_id.data, run_id.bytes);
        memcpy(id, XYLEM_SEQUENCE__SESSION, sizeof XYLEM_SEQUENCE__SESSION - 1);
        memcpy(id + sizeof XYLEM_SEQUENCE__SESSION - 1, read.run_id, sizeof read.run_id);
        code = xylem_session_find(&session, txn, xylem_view_of(id), err);
    }
    if (code == XYLEM_E_NOT_FOUND || code == XYLEM_E_DELETED) {
        return xylem_base__fail(err, code, code == XYLEM_E_DELETED ? "the run %.*s is deleted" : "there is no run %.*s",
                                XYLEM_BASE__SHOWN(run_id));
    }
    if (code < 0 || (code = read_all(&reading, &session, err)) < 0) {
        xylem_run_state_release(&read);
        return code;
    }
    *state = read;
    return XYLEM_OK;
}

int xylem_run_read(struct xylem_run_state *state, struct xylem_txn *txn, struct xylem_view run_id,
                   struct xylem_error *err)
{
    struct xylem_sequence__ledger ledger;
    if (!state || !txn || xylem_base__view_lacks_bytes(run_id)) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "xylem_run_read: the state, the transaction or the id is NULL");
    }
    return xylem_sequence__run_read(state, &ledger, txn, run_id, err);
}

void xylem_run_state_release(struct xylem_run_state *state)
{
    if (state) {
        xylem_branch__arena_release(&state->storage);
        *state = (struct xylem_run_state){.phase = XYLEM_RUN_RUNNING};
    }
}

/* --- JSON --- */

static void write_time(struct xylem_base__writer *writer, const char *member, int64_t time_ms)
{
    char time[XYLEM_BASE__ISO_BYTES];
    xylem_base__time_write(time, time_ms);
    xylem_base__write_member(writer, member, xylem_view_of(time));
}

/* The members about the place. A run that is done, damaged or redacted has no step. */
static void write_place(struct xylem_base__writer *writer, const struct xylem_run_state *state)
{
    bool at_step =
        state->step_index < state->step_count && state->phase != XYLEM_RUN_DONE && !xylem_sequence__lacks_place(state);
    xylem_base__write_counted(writer, ",\"iteration\":", state->run_index);
    xylem_base__write_counted(writer, ",\"iteration_count\":", state->total_runs);
    xylem_base__write_counted(writer, ",\"step_index\":", state->step_index);
    xylem_base__write_counted(writer, ",\"step_count\":", state->step_count);
    if (at_step) {
        xylem_base__write_counted(writer, ",\"attempt\":", state->attempt);
    } else {
        xylem_base__write(writer, ",\"attempt\":null");
    }
    xylem_base__write_member(writer,
                             ",\"step\":", at_step ? state->steps[state->step_index] : (struct xylem_view){NULL, 0});
}

int xylem_run_state_json(struct xylem_buffer *buffer, const struct xylem_run_state *state)
{
    struct xylem_base__writer writer = {buffer, XYLEM_OK};
    const struct xylem_view none = {NULL, 0};
    size_t before = buffer->bytes;
    struct xylem_view phase = xylem_view_of(xylem_run_phase_word(state->phase));
    xylem_base__write_member(&writer, "{\"schema\":1,\"run_id\":", xylem_view_of(state->run_id));
    xylem_base__write_member(&writer, ",\"sequence_id\":", state->sequence_id);
    xylem_base__write_member(&writer, ",\"phase\":", phase);
    write_place(&writer, state);
    xylem_base__write_member(&writer, ",\"session\":", state->session);
    xylem_base__write_member(&writer, ",\"host_session\":", state->host_session);
    xylem_base__write_member(&writer, ",\"origin\":{\"session\":", state->origin);
    xylem_base__write_member(&writer, ",\"entry\":", state->origin_entry);
    if (xylem_sequence__lacks_place(state) && state->step_count == 0) {
        xylem_base__write(&writer, "},\"started\":null");
    } else {
        write_time(&writer, "},\"started\":", state->started_ms);
    }
    write_time(&writer, ",\"newest\":", state->newest_ms);
    xylem_base__write_member(&writer, ",\"outcome\":", xylem_sequence__has_ended(state) ? phase : none);
    xylem_base__write_member(
        &writer,
        ",\"code\":", state->code == XYLEM_RUN_CODE_NONE ? none : xylem_view_of(xylem_run_code_word(state->code)));
    xylem_base__write_member(&writer, ",\"message\":", state->message.bytes > 0 ? state->message : none);
    if (state->owned) {
        xylem_base__write_counted(&writer, ",\"owner\":{\"pid\":", (uint64_t)state->owner.pid);
        xylem_base__write_member(&writer, ",\"host\":", xylem_view_of(state->owner.host));
        write_time(&writer, ",\"since\":", state->owner.since_ms);
        xylem_base__write(&writer, state->owner.alive ? ",\"alive\":true}" : ",\"alive\":false}");
    } else {
        xylem_base__write(&writer, ",\"owner\":null");
    }
    xylem_base__write_counted(&writer, ",\"done_count\":", state->done_count);
    xylem_base__write_counted(&writer, ",\"skipped_count\":", state->skipped_count);
    xylem_base__write(&writer, "}");
    return xylem_base__write_end(&writer, before);
}
