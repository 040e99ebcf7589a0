/*
 * Rehydration. The event and the options select the pieces that read the path. Each piece has a context; the visitor of
 * the piece fills the context from the path. Then each piece decides, in the order of the table, because a piece may
 * need a piece of an earlier row.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "branch/arena.h"
#include "replay/pieces.h"
#include "store/store.h"

#define PIECES_ALL ((1u << XYLEM_REPLAY__PIECE_COUNT) - 1)

/* The requested pieces and all pieces that the requested pieces need. */
static unsigned pieces_of(const struct xylem_reduce_options *options)
{
    unsigned pieces = options ? options->pieces : 0;
    if (pieces == 0) {
        return PIECES_ALL;
    }
    for (size_t i = XYLEM_REPLAY__PIECE_COUNT; i > 0; i--) {
        assert(xylem_replay__pieces[i - 1]->needs < 1u << (i - 1)); /* the needed pieces have earlier rows */
        pieces |= pieces & 1u << (i - 1) ? xylem_replay__pieces[i - 1]->needs : 0;
    }
    return pieces;
}

static int check(const struct xylem_event *event, const struct xylem_reduce_options *options, struct xylem_error *err)
{
    if (options && options->pieces & ~PIECES_ALL) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "pieces of state: expected bits of 0x%x, found 0x%x", PIECES_ALL,
                                options->pieces);
    }
    if ((int)event->type < XYLEM_EVENT_SESSION_START || (int)event->type > XYLEM_EVENT_TOGGLED) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT,
                                "type of the event: expected session_start, session_tree or toggled, found %d",
                                (int)event->type);
    }
    if ((int)event->reason < XYLEM_REASON_STARTUP || (int)event->reason > XYLEM_REASON_FORK) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "reason of a session_start: expected %d to %d, found %d",
                                XYLEM_REASON_STARTUP, XYLEM_REASON_FORK, (int)event->reason);
    }
    return XYLEM_OK;
}

/* The bits of the pieces that read the path. On a new session only pieces with `on_new` do. */
static unsigned readers_of(const struct xylem_event *event, unsigned pieces)
{
    bool is_new = event->type == XYLEM_EVENT_SESSION_START && event->reason == XYLEM_REASON_NEW;
    for (size_t i = 0; i < XYLEM_REPLAY__PIECE_COUNT && is_new; i++) {
        pieces &= xylem_replay__pieces[i]->on_new ? ~0u : ~(1u << i);
    }
    return pieces;
}

/* Makes a reducer for the kinds of the piece; `parsed` gets the parsed kinds. */
static inline struct xylem_reducer reducer_of(const struct xylem_kind **parsed, size_t piece,
                                              const struct xylem_reduce_options *options,
                                              int (*visit)(void *context, struct xylem_visit *visit), void *context)
{
    const struct xylem_replay__piece *row = xylem_replay__pieces[piece];
    bool results = options && options->tool_results && row->result_kinds;
    *parsed = results ? row->result_parsed : row->parsed;
    return (struct xylem_reducer){xylem_replay__piece_names[piece], results ? row->result_kinds : row->kinds, visit,
                                  context};
}

/* Makes a zeroed context the context of an empty path. */
static void context_start(union xylem_replay__context *context, void **storage, const struct xylem_event *event)
{
    context->found.storage = storage;
    context->found.event = event;
}

/* Sets the typed members of the state from the contexts. Needed pieces have earlier rows, so they decide first. */
static void decide(struct xylem_state *state, union xylem_replay__context *contexts, unsigned pieces)
{
    state->pieces = contexts;
    for (size_t i = 0; i < XYLEM_REPLAY__PIECE_COUNT; i++) {
        if ((pieces & 1u << i) && xylem_replay__pieces[i]->decide) {
            xylem_replay__pieces[i]->decide(state, &contexts[i]);
        }
    }
}

/* Copies the id of the newest entry into the state. */
static int name_entry(struct xylem_state *state, const struct xylem_entry *entry, struct xylem_error *err)
{
    int code = xylem_branch__arena_copy(&state->at_entry_id, &state->storage, entry->id);
    return code < 0 ? xylem_base__fail_memory(err) : XYLEM_OK;
}

/* Rehydrates from a path. After an error the caller releases the state. */
static int rehydrate(struct xylem_state *state, const struct xylem_replay__path *path, const struct xylem_event *event,
                     const struct xylem_reduce_options *options, struct xylem_error *err)
{
    struct xylem_reducer reducers[XYLEM_REPLAY__PIECE_COUNT];
    const struct xylem_kind *parsed[XYLEM_REPLAY__PIECE_COUNT];
    size_t count = 0;
    unsigned pieces = pieces_of(options);
    unsigned readers = readers_of(event, pieces);
    const struct xylem_entry *newest = path->held ? &path->held->entry : path->from;
    int code = newest ? name_entry(state, newest, err) : XYLEM_OK;
    if (code < 0) {
        return code;
    }
    union xylem_replay__context *contexts =
        xylem_branch__arena_take(&state->storage, XYLEM_REPLAY__PIECE_COUNT * sizeof *contexts);
    if (!contexts) {
        return xylem_base__fail_memory(err);
    }
    memset(contexts, 0, XYLEM_REPLAY__PIECE_COUNT * sizeof *contexts);
    for (size_t i = 0; i < XYLEM_REPLAY__PIECE_COUNT; i++) {
        context_start(&contexts[i], &state->storage, event);
        if (readers & 1u << i) {
            reducers[count] = reducer_of(&parsed[count], i, options, xylem_replay__pieces[i]->visit, &contexts[i]);
            count++;
        }
    }
    if ((code = xylem_replay__reduce(&state->reduction, path, reducers, count, parsed, err)) < 0) {
        return code;
    }
    decide(state, contexts, pieces);
    for (size_t i = 0; i < XYLEM_REPLAY__PIECE_COUNT; i++) {
        contexts[i].found.storage = NULL; /* the caller may move the state */
        contexts[i].found.event = NULL;   /* the state outlives the event */
    }
    return XYLEM_OK;
}

static const struct xylem_event plain_start;

int xylem_rehydrate(struct xylem_state *state, struct xylem_txn *txn, struct xylem_position at,
                    const struct xylem_event *event, const struct xylem_reduce_options *options,
                    struct xylem_error *err)
{
    const struct xylem_event *given = event ? event : &plain_start;
    bool none = xylem_format__position_none(at);
    struct xylem_entry entry;
    const struct xylem_replay__path path = {.txn = txn, .from = none ? NULL : &entry, .scan = options && options->scan};
    *state = (struct xylem_state){.at = at};
    int code;
    if ((code = check(given, options, err)) < 0 ||
        (!none && (code = xylem_store__entry_read(&entry, txn, at, err)) < 0) ||
        (code = rehydrate(state, &path, given, options, err)) < 0) {
        xylem_state_release(state);
    }
    return code;
}

int xylem_rehydrate_from(struct xylem_state *state, int (*next)(void *context, struct xylem_held_entry *entry),
                         void *context, const struct xylem_event *event, const struct xylem_reduce_options *options,
                         struct xylem_error *err)
{
    const struct xylem_event *given = event ? event : &plain_start;
    struct xylem_replay__held held = {.next = next, .context = context, .entry.lsn = UINT64_MAX};
    struct xylem_replay__path path = {0};
    *state = (struct xylem_state){0};
    int code;
    if ((code = check(given, options, err)) < 0 || (code = xylem_replay__held_next(&held, err)) < 0) {
        return code;
    }
    path.held = code > 0 ? &held : NULL;
    if ((code = rehydrate(state, &path, given, options, err)) < 0) {
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

/*
 * A first walk, newest first, gathers the spots. Then each spot, oldest first, takes a step: the visitor of the piece
 * reads only the entry of the spot, into a new context, and the new context joins the history.
 *
 *     path, oldest first    on        m         seq A     off
 *     spots                 readonly            sequence  readonly
 *     history               on                  on, A     off, A
 */

/* An entry that may change the state. */
struct spot {
    struct xylem_position position;
    size_t piece; /* the piece that has the kind of the entry */
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

/* The contexts of the path up to the last step, and an arena for each context. */
struct history {
    union xylem_replay__context contexts[XYLEM_REPLAY__PIECE_COUNT];
    void *storage[XYLEM_REPLAY__PIECE_COUNT];
};

/* The context of a reducer that visits the entry of a spot, and no older entry. */
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

/*
 * Moves the history from the parent of the spot's entry to the entry, and shows the state. The state borrows the
 * contexts of the history, and owns all other members.
 */
static int take_step(struct history *history, struct xylem_txn *txn, const struct spot *spot,
                     const struct xylem_event *event, const struct xylem_reduce_options *options,
                     int (*visit)(void *context, const struct xylem_state *state), void *context,
                     struct xylem_error *err)
{
    struct xylem_state state = {.at = spot->position};
    struct step step = {.spot = spot};
    const struct xylem_kind *parsed;
    struct xylem_reducer reducer = reducer_of(&parsed, spot->piece, options, step_visit, &step);
    struct xylem_entry entry;
    const struct xylem_replay__path path = {.txn = txn, .from = &entry};
    void *storage = NULL;
    context_start(&step.context, &storage, event);
    int code;
    if ((code = xylem_store__entry_read(&entry, txn, spot->position, err)) < 0 ||
        (code = name_entry(&state, &entry, err)) < 0 ||
        (code = xylem_replay__reduce(&state.reduction, &path, &reducer, 1, &parsed, err)) < 0) {
        xylem_branch__arena_release(&storage);
        goto out;
    }
    /*
     * The newer context joins the history. If the newer context decides, the history gets the arena of the
     * newer context, and the older arena is released; else the newer arena is released.
     */
    union xylem_replay__context *older = &history->contexts[spot->piece];
    const union xylem_replay__context *newer = &step.context;
    assert(!older->found.found || !newer->found.found || older->found.position.depth < newer->found.position.depth);
    void *unused = newer->found.found ? history->storage[spot->piece] : storage;
    history->storage[spot->piece] = newer->found.found ? storage : history->storage[spot->piece];
    if (xylem_replay__pieces[spot->piece]->join) {
        xylem_replay__pieces[spot->piece]->join(older, newer);
    } else if (newer->found.found) {
        *older = *newer;
    }
    older->found.storage = &history->storage[spot->piece]; /* the copied context has the address of the step's arena */
    xylem_branch__arena_release(&unused);
    decide(&state, history->contexts, pieces_of(options));
    if (visit(context, &state) != 0) {
        code = xylem_base__fail(err, XYLEM_E_STOPPED, "the rehydration was stopped by the caller");
    }
out:
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
    struct xylem_reducer reducers[XYLEM_REPLAY__PIECE_COUNT];
    struct gatherer gatherers[XYLEM_REPLAY__PIECE_COUNT];
    const struct xylem_kind *parsed;
    struct xylem_reduction reduction;
    size_t count = 0;
    int code = check(given, options, err);
    if (code < 0) {
        return code;
    }
    /* Two pieces never have a kind in common, and a message belongs to at most one tool: each entry gives one spot. */
    unsigned readers = readers_of(given, pieces_of(options));
    for (size_t i = 0; i < XYLEM_REPLAY__PIECE_COUNT; i++) {
        context_start(&history.contexts[i], &history.storage[i], given);
        if (readers & 1u << i) {
            gatherers[i] = (struct gatherer){&spots, i};
            reducers[count++] = reducer_of(&parsed, i, options, gather_visit, &gatherers[i]);
        }
    }
    code = xylem_reduce(&reduction, txn, from, reducers, count, options, err);
    xylem_reduction_release(&reduction);
    for (size_t i = spots.count; code == XYLEM_OK && i > 0; i--) {
        code = take_step(&history, txn, &spots.list[i - 1], given, options, visit, context, err);
    }
    for (size_t i = 0; i < XYLEM_REPLAY__PIECE_COUNT; i++) {
        xylem_branch__arena_release(&history.storage[i]);
    }
    free(spots.list);
    return code;
}
