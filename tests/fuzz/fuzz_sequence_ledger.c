/*
 * Any entries as the ledger of a run. The state has a phase or is damaged, and never has an owner; an event that was
 * read is written as the same event.
 *
 * Input: lines, oldest entry first, each the id of an entry, a space, and the data of the entry as JSON.
 */
#include <stdint.h>

#include "base/json.h"
#include "sequence/ledger.h"
#include "store/store.h"
#include "tests/fuzz/scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define RUN_ID "00000000-0000-7000-8000-000000000001"
#define LINES_MAX 64u

static struct xylem_store *store;

static void close_store(void)
{
    (void)xylem_close(store, NULL);
}

/* Writes the event of an entry, and reads the event again. A start is not written: its lists are values. */
static void check_event(struct xylem_view id, struct xylem_view json)
{
    struct xylem_base__tree tree = {.nodes = NULL};
    struct xylem_base__tree again = {.nodes = NULL};
    struct xylem_sequence__event event;
    struct xylem_sequence__event other;
    struct xylem_buffer written = {NULL, 0, 0};
    if (xylem_base__json_parse(&tree, json, NULL) == XYLEM_OK &&
        !xylem_sequence__event_read(&event, id, &tree.nodes[0]) && event.type != XYLEM_SEQUENCE__START) {
        must(xylem_sequence__event_write(&written, &event) == XYLEM_OK, "no memory");
        must(xylem_base__json_parse(&again, (struct xylem_view){written.data, written.bytes}, NULL) == XYLEM_OK,
             "an event is no JSON");
        must(!xylem_sequence__event_read(&other, id, &again.nodes[0]), "a written event cannot be read");
        must(other.type == event.type && other.done_count == event.done_count &&
                 xylem_base__view_equal(other.message, event.message) &&
                 xylem_base__view_equal(other.session, event.session),
             "a written event is another event");
    }
    xylem_buffer_release(&written);
    xylem_base__tree_release(&again);
    xylem_base__tree_release(&tree);
}

static void add_line(struct xylem_txn *txn, uint64_t session, struct xylem_view line)
{
    const char *space = memchr(line.data, ' ', line.bytes);
    if (!space) {
        return;
    }
    struct xylem_view id = {line.data, (size_t)(space - line.data)};
    struct xylem_view json = {space + 1, line.bytes - id.bytes - 1};
    struct xylem_new_entry entry = {
        .id = id,
        .kind = {XYLEM_CLASS_CUSTOM, xylem_view_of(XYLEM_SEQUENCE__KIND)},
        .format = XYLEM_FORMAT_JSON,
        .payload = json,
    };
    check_event(id, json);
    (void)xylem_append(NULL, txn, session, &entry, 1, NULL, NULL); /* a refused line is no entry */
}

static void check_state(struct xylem_txn *txn)
{
    struct xylem_run_state state;
    struct xylem_buffer json = {NULL, 0, 0};
    struct xylem_base__tree tree = {.nodes = NULL};
    struct xylem_error err = {0};
    int code = xylem_run_read(&state, txn, xylem_view_of(RUN_ID), &err);
    if (code == XYLEM_E_NOT_FOUND) {
        return; /* the start names another run */
    }
    must_work(code, &err, "no state");
    must(!state.owned, "an owner without a lease");
    must((unsigned)state.phase < XYLEM_RUN_PHASE_COUNT && state.phase != XYLEM_RUN_RUNNING &&
             state.phase != XYLEM_RUN_RESETTING,
         "a phase without an owner");
    must(state.phase == XYLEM_RUN_DAMAGED || state.phase == XYLEM_RUN_REDACTED ||
             (state.run_index < state.total_runs && state.step_index <= state.step_count && state.attempt >= 1),
         "a place beyond the run");
    must(state.phase != XYLEM_RUN_INTERRUPTED || (state.session.data && state.step_index < state.step_count),
         "an open step without a session");
    must(xylem_run_state_json(&json, &state) == XYLEM_OK, "no memory");
    must_work(xylem_base__json_parse(&tree, (struct xylem_view){json.data, json.bytes}, &err), &err,
              "the state is no JSON");
    xylem_base__tree_release(&tree);
    xylem_buffer_release(&json);
    xylem_run_state_release(&state);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!store) {
        store = scratch_open();
        (void)atexit(close_store);
    }
    struct xylem_txn *txn = scratch_begin(store, XYLEM_WRITE);
    struct xylem_session session;
    struct xylem_session_options options = {.id = xylem_view_of(XYLEM_SEQUENCE__SESSION RUN_ID)};
    struct xylem_error err = {0};
    must_work(xylem_session_create(&session, txn, &options, &err), &err, "no session");
    const char *text = (const char *)data;
    for (size_t from = 0, lines = 0; from < size && lines < LINES_MAX; lines++) {
        const char *end = memchr(text + from, '\n', size - from);
        size_t bytes = end ? (size_t)(end - text) - from : size - from;
        add_line(txn, session.number, (struct xylem_view){text + from, bytes});
        check_state(txn);
        from += bytes + 1;
    }
    xylem_abort(txn);
    return 0;
}
