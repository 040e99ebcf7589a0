/* Rehydration: the event decides which pieces read the path; the table of pieces does the rest. */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "branch/arena.h"
#include "replay/pieces.h"
#include "store/store.h"

#define PIECES_ALL ((1u << XYLEM_REPLAY__PIECE_COUNT) - 1)

/* The pieces that are asked for, and those that they need: these have rows before theirs. */
static unsigned pieces_of(const struct xylem_reduce_options *options)
{
    unsigned pieces = options && options->pieces ? options->pieces : PIECES_ALL;
    for (size_t i = XYLEM_REPLAY__PIECE_COUNT; i > 0; i--) {
        pieces |= pieces & 1u << (i - 1) ? xylem_replay__pieces[i - 1]->needs : 0;
    }
    return pieces;
}

static int check(const struct xylem_event *event, const struct xylem_reduce_options *options, struct xylem_error *err)
{
    if (pieces_of(options) & ~PIECES_ALL) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "pieces of state: expected bits of 0x%x, found 0x%x", PIECES_ALL,
                                options->pieces);
    }
    if (event->type != XYLEM_EVENT_SESSION_START && event->type != XYLEM_EVENT_SESSION_TREE) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT,
                                "type of the event: expected session_start or session_tree, found %d",
                                (int)event->type);
    }
    if ((int)event->reason < XYLEM_REASON_STARTUP || (int)event->reason > XYLEM_REASON_FORK) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "reason of a session_start: expected %d to %d, found %d",
                                XYLEM_REASON_STARTUP, XYLEM_REASON_FORK, (int)event->reason);
    }
    return XYLEM_OK;
}

/* Does the piece read the path for this event and these options? */
static bool is_asked(size_t piece, const struct xylem_event *event, const struct xylem_reduce_options *options)
{
    bool is_new = event->type == XYLEM_EVENT_SESSION_START && event->reason == XYLEM_REASON_NEW;
    return (pieces_of(options) & 1u << piece) && (xylem_replay__pieces[piece]->on_new || !is_new);
}

/* A reducer of the piece's kinds, and what their list says. */
static struct xylem_reducer reducer_of(const struct xylem_kind **parsed, size_t piece,
                                       const struct xylem_reduce_options *options,
                                       int (*visit)(void *context, struct xylem_visit *visit), void *context)
{
    const struct xylem_replay__piece *row = xylem_replay__pieces[piece];
    bool results = options && options->tool_results && row->result_kinds;
    *parsed = results ? row->result_parsed : row->parsed;
    return (struct xylem_reducer){xylem_piece_names()[piece], results ? row->result_kinds : row->kinds, visit, context};
}

/* What an empty path says. */
static void context_start(union xylem_replay__context *context, void **storage, const struct xylem_event *event)
{
    memset(context, 0, sizeof *context);
    context->found.storage = storage;
    context->found.event = event;
}

/* `from` is the entry at `state->at`, or NULL for none. */
static int read_path(struct xylem_state *state, union xylem_replay__context *contexts, struct xylem_txn *txn,
                     const struct xylem_entry *from, const struct xylem_event *event,
                     const struct xylem_reduce_options *options, struct xylem_error *err)
{
    struct xylem_reducer reducers[XYLEM_REPLAY__PIECE_COUNT];
    const struct xylem_kind *parsed[XYLEM_REPLAY__PIECE_COUNT];
    size_t count = 0;
    for (size_t i = 0; i < XYLEM_REPLAY__PIECE_COUNT; i++) {
        if (is_asked(i, event, options)) {
            reducers[count] = reducer_of(&parsed[count], i, options, xylem_replay__pieces[i]->visit, &contexts[i]);
            count++;
        }
    }
    return xylem_replay__reduce(&state->reduction, txn, from, reducers, count, parsed, options, err);
}

/* Makes the pieces of what the reducers found, needed ones before those that need them. */
static void decide(struct xylem_state *state, union xylem_replay__context *contexts, unsigned pieces)
{
    state->pieces = contexts;
    for (size_t i = 0; i < XYLEM_REPLAY__PIECE_COUNT; i++) {
        if ((pieces & 1u << i) && xylem_replay__pieces[i]->decide) {
            xylem_replay__pieces[i]->decide(state, &contexts[i]);
        }
    }
}

/* Reads and names the entry that the state is asked for: it must exist. */
static int name_entry(struct xylem_state *state, struct xylem_entry *entry, struct xylem_txn *txn,
                      struct xylem_error *err)
{
    int code = xylem_store__entry_read(entry, txn, state->at, err);
    if (code < 0) {
        return code;
    }
    code = xylem_branch__arena_copy(&state->at_entry_id, &state->storage, entry->id);
    return code < 0 ? xylem_base__fail_memory(err) : XYLEM_OK;
}

static int fill(struct xylem_state *state, struct xylem_txn *txn, const struct xylem_event *event,
                const struct xylem_reduce_options *options, struct xylem_error *err)
{
    struct xylem_entry entry;
    bool none = xylem_format__position_none(state->at);
    int code = none ? XYLEM_OK : name_entry(state, &entry, txn, err);
    if (code < 0) {
        return code;
    }
    union xylem_replay__context *contexts =
        xylem_branch__arena_take(&state->storage, XYLEM_REPLAY__PIECE_COUNT * sizeof *contexts);
    if (!contexts) {
        return xylem_base__fail_memory(err);
    }
    for (size_t i = 0; i < XYLEM_REPLAY__PIECE_COUNT; i++) {
        context_start(&contexts[i], &state->storage, event);
    }
    code = read_path(state, contexts, txn, none ? NULL : &entry, event, options, err);
    if (code < 0) {
        return code;
    }
    decide(state, contexts, pieces_of(options));
    for (size_t i = 0; i < XYLEM_REPLAY__PIECE_COUNT; i++) {
        contexts[i].found.storage = NULL; /* the state may be moved, and outlives the event */
        contexts[i].found.event = NULL;
    }
    return XYLEM_OK;
}

static const struct xylem_event plain_start;

int xylem_rehydrate(struct xylem_state *state, struct xylem_txn *txn, struct xylem_position at,
                    const struct xylem_event *event, const struct xylem_reduce_options *options,
                    struct xylem_error *err)
{
    const struct xylem_event *given = event ? event : &plain_start;
    *state = (struct xylem_state){.at = at};
    int code = check(given, options, err);
    if (code == XYLEM_OK) {
        code = fill(state, txn, given, options, err);
    }
    if (code < 0) {
        xylem_state_release(state);
    }
    return code;
}

void xylem_state_release(struct xylem_state *state)
{
    if (state) {
        xylem_reduction_release(&state->reduction);
        xylem_branch__arena_release(&state->storage);
        *state = (struct xylem_state){0};
    }
}

/* --- At each entry of a path -------------------------------------------------------------------------------------- */

/* An entry that may change the state. */
struct spot {
    struct xylem_position position;
    size_t piece; /* by whose kinds */
};

/* Newest first. */
struct spots {
    struct spot *list;
    size_t count;
    size_t capacity;
};

struct gatherer {
    struct spots *spots;
    size_t piece;
};

static int gather_visit(void *context, struct xylem_visit *visit)
{
    const struct gatherer *gatherer = context;
    const struct xylem_replay__piece *row = xylem_replay__pieces[gatherer->piece];
    struct spots *spots = gatherer->spots;
    if (row->concerns && !row->concerns(visit)) {
        return XYLEM_VISIT_GO_ON;
    }
    struct spot *list = xylem_base__with_room(spots->list, &spots->capacity, spots->count, sizeof *list);
    if (!list) {
        return XYLEM_E_MEMORY;
    }
    spots->list = list;
    spots->list[spots->count++] = (struct spot){visit->entry->position, gatherer->piece};
    return XYLEM_VISIT_GO_ON;
}

/* No two pieces want the same kind, and no message is of two tools, so each entry comes once. */
static int gather(struct spots *spots, struct xylem_txn *txn, struct xylem_position from,
                  const struct xylem_event *event, const struct xylem_reduce_options *options, struct xylem_error *err)
{
    struct xylem_reducer reducers[XYLEM_REPLAY__PIECE_COUNT];
    struct gatherer gatherers[XYLEM_REPLAY__PIECE_COUNT];
    const struct xylem_kind *parsed;
    struct xylem_reduction reduction;
    size_t count = 0;
    for (size_t i = 0; i < XYLEM_REPLAY__PIECE_COUNT; i++) {
        if (is_asked(i, event, options)) {
            gatherers[i] = (struct gatherer){spots, i};
            reducers[count++] = reducer_of(&parsed, i, options, gather_visit, &gatherers[i]);
        }
    }
    int code = xylem_reduce(&reduction, txn, from, reducers, count, options, err);
    xylem_reduction_release(&reduction);
    return code;
}

/* The contexts of all entries so far, and an arena for each of them. */
struct history {
    union xylem_replay__context contexts[XYLEM_REPLAY__PIECE_COUNT];
    void *storage[XYLEM_REPLAY__PIECE_COUNT];
};

/* A reducer that is shown one entry. */
struct step {
    const struct spot *spot;
    union xylem_replay__context context;
};

static int step_visit(void *context, struct xylem_visit *visit)
{
    struct step *step = context;
    if (visit->entry->position.depth != step->spot->position.depth) {
        return XYLEM_VISIT_DONE;
    }
    int answer = xylem_replay__pieces[step->spot->piece]->visit(&step->context, visit);
    return answer == XYLEM_VISIT_GO_ON ? XYLEM_VISIT_DONE : answer;
}

/* Adds what a newer entry says, and gives its arena to the history, or frees the arena. */
static void add_newer(struct history *history, size_t piece, const union xylem_replay__context *newer, void *storage)
{
    union xylem_replay__context *older = &history->contexts[piece];
    void *unused = newer->found.found ? history->storage[piece] : storage;
    history->storage[piece] = newer->found.found ? storage : history->storage[piece];
    if (xylem_replay__pieces[piece]->join) {
        xylem_replay__pieces[piece]->join(older, newer);
    } else if (newer->found.found) {
        *older = *newer;
    }
    older->found.storage = &history->storage[piece];
    xylem_branch__arena_release(&unused);
}

/* Names the entry, and makes the history, which says what holds before the entry, say what holds at it. */
static int take_step(struct xylem_state *state, struct history *history, struct xylem_txn *txn, const struct spot *spot,
                     const struct xylem_event *event, const struct xylem_reduce_options *options,
                     struct xylem_error *err)
{
    struct step step = {.spot = spot};
    const struct xylem_kind *parsed;
    struct xylem_reducer reducer = reducer_of(&parsed, spot->piece, options, step_visit, &step);
    struct xylem_entry entry;
    void *storage = NULL;
    context_start(&step.context, &storage, event);
    int code = name_entry(state, &entry, txn, err);
    if (code == XYLEM_OK) {
        code = xylem_replay__reduce(&state->reduction, txn, &entry, &reducer, 1, &parsed, NULL, err);
    }
    if (code < 0) {
        xylem_branch__arena_release(&storage);
        return code;
    }
    add_newer(history, spot->piece, &step.context, storage);
    return XYLEM_OK;
}

/* What the pieces hold stays with the history; all else of the state is its own. */
static int show_step(struct history *history, struct xylem_txn *txn, const struct spot *spot,
                     const struct xylem_event *event, const struct xylem_reduce_options *options,
                     int (*visit)(void *context, const struct xylem_state *state), void *context,
                     struct xylem_error *err)
{
    struct xylem_state state = {.at = spot->position};
    int code = take_step(&state, history, txn, spot, event, options, err);
    if (code == XYLEM_OK) {
        decide(&state, history->contexts, pieces_of(options));
        if (visit(context, &state) != 0) {
            code = xylem_base__fail(err, XYLEM_E_STOPPED, "the rehydration was stopped by its caller");
        }
    }
    xylem_state_release(&state);
    return code;
}

int xylem_rehydrate_each(struct xylem_txn *txn, struct xylem_position from, const struct xylem_event *event,
                         const struct xylem_reduce_options *options,
                         int (*visit)(void *context, const struct xylem_state *state), void *context,
                         struct xylem_error *err)
{
    const struct xylem_event *given = event ? event : &plain_start;
    struct spots spots = {0};
    struct history history = {0};
    for (size_t i = 0; i < XYLEM_REPLAY__PIECE_COUNT; i++) {
        context_start(&history.contexts[i], &history.storage[i], given);
    }
    int code = check(given, options, err);
    if (code == XYLEM_OK) {
        code = gather(&spots, txn, from, given, options, err);
    }
    for (size_t i = spots.count; code == XYLEM_OK && i > 0; i--) {
        code = show_step(&history, txn, &spots.list[i - 1], given, options, visit, context, err);
    }
    for (size_t i = 0; i < XYLEM_REPLAY__PIECE_COUNT; i++) {
        xylem_branch__arena_release(&history.storage[i]);
    }
    free(spots.list);
    return code;
}
