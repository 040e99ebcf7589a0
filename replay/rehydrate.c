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
    const char *name;
    const char *const *kinds;
    const struct xylem_kind *parsed;
    int (*visit)(void *context, struct xylem_visit *visit);
    size_t context; /* its offset in struct parts */
    bool on_new;    /* the path counts even when the session starts anew */
};

static const struct row rows[] = {
    {"readonly", xylem_replay__readonly_kinds, xylem_replay__readonly_parsed, xylem_replay__readonly_visit,
     offsetof(struct parts, readonly), false},
    {"nudge", xylem_replay__nudge_kinds, xylem_replay__nudge_parsed, xylem_replay__nudge_visit,
     offsetof(struct parts, nudge), false},
    {"sequence", xylem_replay__sequence_kinds, xylem_replay__sequence_parsed, xylem_replay__sequence_visit,
     offsetof(struct parts, sequence), true},
};

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

static bool event_is_new(const struct xylem_event *event)
{
    return event->type == XYLEM_EVENT_SESSION_START && event->reason == XYLEM_REASON_NEW;
}

/* What readonly was before: only a change within a running session can be told from it. */
static const bool *previous_of(const struct xylem_event *event)
{
    return event->type == XYLEM_EVENT_SESSION_TREE ? event->previous_readonly : NULL;
}

static int check_event(const struct xylem_event *event, struct xylem_error *err)
{
    if (event->type != XYLEM_EVENT_SESSION_START && event->type != XYLEM_EVENT_SESSION_TREE) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "an event is session_start or session_tree, not %d",
                                (int)event->type);
    }
    if ((int)event->reason < XYLEM_REASON_STARTUP || (int)event->reason > XYLEM_REASON_FORK) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "%d is no reason of a session_start", (int)event->reason);
    }
    return XYLEM_OK;
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
        if (rows[i].on_new || !event_is_new(event)) {
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
    bool none = xylem_store__position_none(state->at);
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
    code = decide_readonly(state, &parts, event);
    if (code == XYLEM_OK) {
        code = decide_nudge(state, &parts, event);
    }
    if (code == XYLEM_OK) {
        code = take_sequence(state, &parts);
    }
    return code < 0 ? xylem_base__fail_memory(err) : XYLEM_OK;
}

int xylem_rehydrate(struct xylem_state *state, struct xylem_txn *txn, struct xylem_position at,
                    const struct xylem_event *event, const struct xylem_reduce_options *options,
                    struct xylem_error *err)
{
    static const struct xylem_event plain_start;
    const struct xylem_event *given = event ? event : &plain_start;
    *state = (struct xylem_state){.at = at};
    int code = check_event(given, err);
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
