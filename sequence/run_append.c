/* Appends to the ledger of a run: below the newest entry alone, and only with the lease of the ledger. */
#include "sequence/run.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/utf8.h"
#include "branch/arena.h"
#include "store/store.h"
#include "xylem/branch.h"

void xylem_sequence__run_free(struct xylem_run *run)
{
    xylem_run_state_release(&run->state);
    xylem_resolution_release(&run->resolution);
    free(run);
}

/* Adds an event at the present place of the run, with its counters. */
struct xylem_sequence__event *xylem_sequence__event_add(struct xylem_sequence__events *events,
                                                        enum xylem_sequence__event_type type,
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

/* Appends the events below the newest entry, in a transaction; moves the ledger. */
int xylem_sequence__events_append(struct xylem_sequence__ledger *ledger, struct xylem_txn *txn,
                                  const struct xylem_sequence__events *events, struct xylem_error *err)
{
    struct xylem_new_entry entries[XYLEM_SEQUENCE__EVENTS_MAX];
    struct xylem_buffer data[XYLEM_SEQUENCE__EVENTS_MAX] = {{NULL, 0, 0}};
    char ids[XYLEM_SEQUENCE__EVENTS_MAX][XYLEM_SEQUENCE__EVENT_ID_BYTES];
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
    for (size_t i = 0; i < XYLEM_SEQUENCE__EVENTS_MAX; i++) {
        xylem_buffer_release(&data[i]);
    }
    if (code == XYLEM_E_EXISTS) { /* the id was written by nobody who went on from here: somebody moved the leaf */
        const struct xylem_sequence__event *event = &events->list[0];
        return event->type == XYLEM_SEQUENCE__CLAIM
                   ? xylem_base__fail(err, XYLEM_E_CONFLICT, "step %u of run %u was claimed before",
                                      event->step_index + 1, event->run_index + 1)
                   : xylem_base__fail(err, XYLEM_E_CONFLICT, "the ledger has the entry %s already", ids[0]);
    }
    if (code == XYLEM_OK) {
        ledger->leaf = (struct xylem_position){first.branch, first.depth + events->count - 1};
    }
    return code;
}

/* A claim, and the claim of the same step in the iteration before. */
struct comparing {
    const struct xylem_run *run;
    const struct xylem_sequence__event *claim;
    bool changed;
};

static int compare(struct xylem_txn *txn, void *context, struct xylem_error *err)
{
    struct comparing *comparing = context;
    const struct xylem_sequence__event *claim = comparing->claim;
    struct xylem_sequence__event before = *claim;
    char id[XYLEM_SEQUENCE__EVENT_ID_BYTES];
    struct xylem_position at;
    struct xylem_entry entry;
    struct xylem_document *document = NULL;
    before.run_index--;
    before.attempt = 1;
    xylem_sequence__event_id(id, &before);
    int code;
    if ((code = xylem_find(&at, txn, comparing->run->ledger.session, xylem_view_of(id), err)) < 0 ||
        (code = xylem_entry_read(&entry, txn, at, err)) < 0 ||
        (code = xylem_document_new(&document, &entry, err)) < 0) {
        return code;
    }
    if (!xylem_sequence__event_read(&before, entry.id, xylem_document_value(document))) {
        comparing->changed =
            !xylem_base__view_equal(before.path, claim->path) || !xylem_base__view_equal(before.hash, claim->hash);
    }
    xylem_document_free(document);
    return XYLEM_OK;
}

int xylem_sequence__compare_before(bool *changed, const struct xylem_run *run,
                                   const struct xylem_sequence__event *claim, struct xylem_error *err)
{
    struct comparing comparing = {.run = run, .claim = claim};
    *changed = false;
    if (claim->run_index == 0) {
        return XYLEM_OK;
    }
    int code = xylem_store__reading(run->store, compare, &comparing, err);
    *changed = comparing.changed;
    bool nothing =
        code == XYLEM_E_NOT_FOUND || code == XYLEM_E_REDACTED || code == XYLEM_E_MALFORMED || code == XYLEM_E_LIMIT;
    return nothing ? XYLEM_OK : code;
}

struct step_change {
    struct xylem_run *run;
    const struct xylem_sequence__events *events;
    struct xylem_position leaf; /* after the append */
};

static int change_step(struct xylem_txn *txn, void *context, struct xylem_error *err)
{
    struct step_change *change = context;
    struct xylem_sequence__ledger ledger = change->run->ledger;
    int code = xylem_sequence__events_append(&ledger, txn, change->events, err);
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
int xylem_sequence__events_commit(struct xylem_run *run, struct xylem_sequence__events *events, struct xylem_error *err)
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
    run->claims = false;
    run->ledger.leaf = change.leaf;
    run->state.newest_ms = events->time_ms;
    const char *problem = xylem_sequence__apply(&run->state, &run->ledger, last);
    if (problem) {
        run->lost = XYLEM_E_MALFORMED;
        return xylem_base__fail(err, XYLEM_E_MALFORMED, "the run cannot go on: %s", problem);
    }
    return XYLEM_OK;
}

int xylem_sequence__check_id(struct xylem_view id, size_t max, const char *what, struct xylem_error *err)
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

int xylem_sequence__check_entry(struct xylem_view id, struct xylem_error *err)
{
    return id.data ? xylem_sequence__check_id(id, XYLEM_ENTRY_ID_BYTES_MAX, "the entry of the host", err) : XYLEM_OK;
}
