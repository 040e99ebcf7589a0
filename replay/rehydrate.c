/* Rehydration: the event decides what is scanned and what the flag means; the reducers read the path. */
#include <stdlib.h>

#include "base/error.h"
#include "branch/arena.h"
#include "replay/reducers.h"
#include "store/store.h"

/* The contexts of the built-in reducers. */
struct parts {
    struct xylem_replay__readonly readonly;
    struct xylem_replay__nudge nudge;
    struct xylem_replay__sequence sequence;
};

/* A built-in reducer. */
struct row {
    unsigned piece; /* which one it is for */
    const char *name;
    const char *const *kinds;
    const struct xylem_kind *parsed;
    int (*visit)(void *context, struct xylem_visit *visit);
    size_t context; /* its offset in struct parts */
    bool on_new;    /* the path counts even when the session starts anew */
};

static const struct row rows[] = {
    {XYLEM_PIECE_READONLY, "readonly", xylem_replay__readonly_kinds, xylem_replay__readonly_parsed,
     xylem_replay__readonly_visit, offsetof(struct parts, readonly), false},
    {XYLEM_PIECE_NUDGE, "nudge", xylem_replay__nudge_kinds, xylem_replay__nudge_parsed, xylem_replay__nudge_visit,
     offsetof(struct parts, nudge), false},
    {XYLEM_PIECE_SEQUENCE, "sequence", xylem_replay__sequence_kinds, xylem_replay__sequence_parsed,
     xylem_replay__sequence_visit, offsetof(struct parts, sequence), true},
};

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

#define PIECES_ALL (XYLEM_PIECE_READONLY | XYLEM_PIECE_NUDGE | XYLEM_PIECE_SEQUENCE)

static unsigned pieces_of(const struct xylem_reduce_options *options)
{
    unsigned pieces = options && options->pieces ? options->pieces : PIECES_ALL;
    return pieces & XYLEM_PIECE_NUDGE ? pieces | XYLEM_PIECE_READONLY : pieces;
}

static bool event_is_new(const struct xylem_event *event)
{
    return event->type == XYLEM_EVENT_SESSION_START && event->reason == XYLEM_REASON_NEW;
}

/* What readonly was before: only a change within a running session can be told from it. */
static const bool *previous_of(const struct xylem_event *event)
{
    return event->type == XYLEM_EVENT_SESSION_TREE ? event->previous_readonly : NULL;
}

static int check(const struct xylem_event *event, const struct xylem_reduce_options *options, struct xylem_error *err)
{
    if (pieces_of(options) & ~PIECES_ALL) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "the pieces of state are 0x%x together, not 0x%x", PIECES_ALL,
                                options->pieces);
    }
    if (event->type != XYLEM_EVENT_SESSION_START && event->type != XYLEM_EVENT_SESSION_TREE) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "an event is session_start or session_tree, not %d",
                                (int)event->type);
    }
    if ((int)event->reason < XYLEM_REASON_STARTUP || (int)event->reason > XYLEM_REASON_FORK) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "%d is no reason of a session_start", (int)event->reason);
    }
    return XYLEM_OK;
}

/* Does the row's reducer read for this event and these options? */
static bool is_asked(const struct row *row, const struct xylem_event *event, const struct xylem_reduce_options *options)
{
    return (row->piece & pieces_of(options)) && (row->on_new || !event_is_new(event));
}

/* `from` is the entry at `state->at`, or NULL for none. */
static int read_path(struct xylem_state *state, struct parts *parts, struct xylem_txn *txn,
                     const struct xylem_entry *from, const struct xylem_event *event,
                     const struct xylem_reduce_options *options, struct xylem_error *err)
{
    struct xylem_reducer reducers[ROW_COUNT];
    const struct xylem_kind *parsed[ROW_COUNT];
    size_t count = 0;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (is_asked(&rows[i], event, options)) {
            parsed[count] = rows[i].parsed;
            reducers[count++] = (struct xylem_reducer){.name = rows[i].name,
                                                       .kinds = rows[i].kinds,
                                                       .visit = rows[i].visit,
                                                       .context = (char *)parts + rows[i].context};
        }
    }
    return xylem_replay__reduce(&state->reduction, txn, from, reducers, count, parsed, options, err);
}

static int copy_id(struct xylem_view *id, struct xylem_state *state, const struct xylem_replay__source *source)
{
    return xylem_branch__arena_copy(id, &state->storage, source->id);
}

static int decide_readonly(struct xylem_state *state, const struct parts *parts, const struct xylem_event *event)
{
    bool flag_wins = event->flag_readonly && event->type == XYLEM_EVENT_SESSION_START && !event->flag_is_fallback;
    if (parts->readonly.found && !flag_wins) {
        state->readonly.enabled = parts->readonly.enabled;
        state->readonly.from = XYLEM_FROM_PATH;
        state->readonly.position = parts->readonly.source.position;
        return copy_id(&state->readonly.entry_id, state, &parts->readonly.source);
    }
    state->readonly.enabled = event->flag_readonly;
    state->readonly.from = event->flag_readonly ? XYLEM_FROM_FLAG : XYLEM_FROM_DEFAULT;
    return XYLEM_OK;
}

/* The formula of docs/rehydration.md. Depths order the entries of one path, so they say which is the newer one. */
static enum xylem_nudge_why why_nudge(const struct parts *parts, bool enabled, const struct xylem_event *event)
{
    const struct xylem_replay__nudge *nudge = &parts->nudge;
    const bool *previous = previous_of(event);
    bool changed = previous && *previous != enabled;
    bool outdated = parts->readonly.found && nudge->source.position.depth < parts->readonly.source.position.depth;
    if (!enabled && nudge->told && !nudge->told_on && !changed) {
        return XYLEM_NUDGE_TOLD;
    }
    if (!enabled && !nudge->seen_on) {
        return XYLEM_NUDGE_NEVER_ON;
    }
    if (!nudge->told) {
        return XYLEM_NUDGE_NOT_TOLD;
    }
    if (nudge->told_on != enabled) {
        return XYLEM_NUDGE_TOLD_OTHER;
    }
    if (enabled && outdated) {
        return XYLEM_NUDGE_OUTDATED;
    }
    return changed ? XYLEM_NUDGE_CHANGED : XYLEM_NUDGE_TOLD;
}

static int decide_nudge(struct xylem_state *state, const struct parts *parts, const struct xylem_event *event)
{
    state->nudge.direction_on = state->readonly.enabled;
    state->nudge.why = why_nudge(parts, state->readonly.enabled, event);
    state->nudge.due = state->nudge.why >= XYLEM_NUDGE_NOT_TOLD;
    if (!parts->nudge.told) {
        return XYLEM_OK;
    }
    state->nudge.told_on = parts->nudge.told_on;
    state->nudge.told_position = parts->nudge.source.position;
    return copy_id(&state->nudge.told_entry_id, state, &parts->nudge.source);
}

static int take_sequence(struct xylem_state *state, const struct parts *parts)
{
    const struct xylem_replay__sequence *sequence = &parts->sequence;
    if (!sequence->found) {
        return XYLEM_OK;
    }
    state->sequence.present = true;
    state->sequence.sequence_id = sequence->sequence_id;
    state->sequence.steps = sequence->steps;
    state->sequence.step_count = sequence->step_count;
    state->sequence.updated_at = sequence->updated_at;
    state->sequence.position = sequence->source.position;
    return copy_id(&state->sequence.entry_id, state, &sequence->source);
}

/* Makes the pieces of what the reducers found. */
static int decide(struct xylem_state *state, const struct parts *parts, const struct xylem_event *event,
                  unsigned pieces, struct xylem_error *err)
{
    int code = pieces & XYLEM_PIECE_READONLY ? decide_readonly(state, parts, event) : XYLEM_OK;
    if (code == XYLEM_OK && (pieces & XYLEM_PIECE_NUDGE)) {
        code = decide_nudge(state, parts, event);
    }
    if (code == XYLEM_OK) {
        code = take_sequence(state, parts);
    }
    return code < 0 ? xylem_base__fail_memory(err) : XYLEM_OK;
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
    struct parts parts = {.nudge.only_told = previous_of(event) == NULL};
    struct xylem_entry entry;
    bool none = xylem_format__position_none(state->at);
    int code = none ? XYLEM_OK : name_entry(state, &entry, txn, err);
    if (code == XYLEM_OK) {
        /* The sequence is copied into the state's own storage, whether or not the path is read to its end. */
        parts.sequence.storage = state->storage;
        code = read_path(state, &parts, txn, none ? NULL : &entry, event, options, err);
        state->storage = parts.sequence.storage;
    }
    if (code < 0) {
        return code;
    }
    return decide(state, &parts, event, pieces_of(options), err);
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

const char *const *xylem_state_kinds(unsigned piece)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (rows[i].piece == piece) {
            return rows[i].kinds;
        }
    }
    return NULL;
}

/* --- At each entry of a path -------------------------------------------------------------------------------------- */

/* An entry that may change the state. */
struct spot {
    struct xylem_position position;
    const struct row *row; /* whose kinds it is of */
};

/* Newest first. */
struct spots {
    struct spot *list;
    size_t count;
    size_t capacity;
};

struct gatherer {
    struct spots *spots;
    const struct row *row;
};

static int gather_visit(void *context, struct xylem_visit *visit)
{
    const struct gatherer *gatherer = context;
    struct spots *spots = gatherer->spots;
    if (spots->count == spots->capacity) {
        size_t capacity = spots->capacity ? spots->capacity * 2 : 64;
        struct spot *list = reallocarray(spots->list, capacity, sizeof(*list));
        if (!list) {
            return XYLEM_E_MEMORY;
        }
        spots->list = list;
        spots->capacity = capacity;
    }
    spots->list[spots->count++] = (struct spot){visit->entry->position, gatherer->row};
    return XYLEM_VISIT_GO_ON;
}

/* No two built-in reducers want the same kind, so each entry comes once. */
static int gather(struct spots *spots, struct xylem_txn *txn, struct xylem_position from,
                  const struct xylem_event *event, const struct xylem_reduce_options *options, struct xylem_error *err)
{
    struct xylem_reducer reducers[ROW_COUNT];
    struct gatherer gatherers[ROW_COUNT];
    struct xylem_reduction reduction;
    size_t count = 0;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (is_asked(&rows[i], event, options)) {
            gatherers[i] = (struct gatherer){spots, &rows[i]};
            reducers[count++] = (struct xylem_reducer){rows[i].name, rows[i].kinds, gather_visit, &gatherers[i]};
        }
    }
    int code = xylem_reduce(&reduction, txn, from, reducers, count, options, err);
    xylem_reduction_release(&reduction);
    return code;
}

/* A reducer that is shown one entry. */
struct step {
    const struct spot *spot;
    struct parts *parts;
};

static int step_visit(void *context, struct xylem_visit *visit)
{
    const struct step *step = context;
    const struct row *row = step->spot->row;
    if (visit->entry->position.depth != step->spot->position.depth) {
        return XYLEM_VISIT_DONE;
    }
    int answer = row->visit((char *)step->parts + row->context, visit);
    return answer == XYLEM_VISIT_GO_ON ? XYLEM_VISIT_DONE : answer;
}

/* Adds what a newer entry says to what the older ones say: what a reducer finds is the newest that counts. */
static void add_newer(struct parts *parts, const struct parts *newer)
{
    bool seen_on = parts->nudge.seen_on || newer->nudge.seen_on;
    if (newer->readonly.found) {
        parts->readonly = newer->readonly;
    }
    if (newer->nudge.told) {
        parts->nudge = newer->nudge;
    }
    parts->nudge.seen_on = seen_on;
    if (newer->sequence.found) {
        xylem_branch__arena_release(&parts->sequence.storage);
        parts->sequence = newer->sequence;
    }
}

/* Names the entry, and makes `parts`, which say what holds before it, say what holds at it. */
static int take_step(struct xylem_state *state, struct parts *parts, struct xylem_txn *txn, const struct spot *spot,
                     struct xylem_error *err)
{
    struct parts newer = {0};
    struct step step = {spot, &newer};
    struct xylem_reducer reducer = {spot->row->name, spot->row->kinds, step_visit, &step};
    struct xylem_entry entry;
    int code = name_entry(state, &entry, txn, err);
    if (code == XYLEM_OK) {
        code = xylem_replay__reduce(&state->reduction, txn, &entry, &reducer, 1, &spot->row->parsed, NULL, err);
    }
    if (code < 0) {
        xylem_branch__arena_release(&newer.sequence.storage);
        return code;
    }
    add_newer(parts, &newer);
    return XYLEM_OK;
}

/* The steps of the sequence stay with `parts`; all else of the state is its own. */
static int show_step(struct parts *parts, struct xylem_txn *txn, const struct spot *spot,
                     const struct xylem_event *event, unsigned pieces,
                     int (*visit)(void *context, const struct xylem_state *state), void *context,
                     struct xylem_error *err)
{
    struct xylem_state state = {.at = spot->position};
    int code = take_step(&state, parts, txn, spot, err);
    code = code < 0 ? code : decide(&state, parts, event, pieces, err);
    if (code == XYLEM_OK && visit(context, &state) != 0) {
        code = xylem_base__fail(err, XYLEM_E_STOPPED, "the rehydration was stopped by its caller");
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
    struct parts parts = {0};
    int code = check(given, options, err);
    if (code == XYLEM_OK) {
        code = gather(&spots, txn, from, given, options, err);
    }
    for (size_t i = spots.count; code == XYLEM_OK && i > 0; i--) {
        code = show_step(&parts, txn, &spots.list[i - 1], given, pieces_of(options), visit, context, err);
    }
    xylem_branch__arena_release(&parts.sequence.storage);
    free(spots.list);
    return code;
}
