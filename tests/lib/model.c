#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "store/format/hash.h"
#include "tests/lib/model.h"

#define TOGGLE "custom:readonly"
#define TOGGLE_OF_PI "custom:agenticoding-readonly"

static void make_toggle(struct model_entry *entry, struct chance *chance)
{
    static const char *const invalid[] = {"", "[true]", "{\"enabled\":\"yes\"}", "{\"enabled\":1}", "{}", "null"};
    entry->kind = chance_one_in(chance, 3) ? TOGGLE_OF_PI : TOGGLE;
    if (chance_one_in(chance, 3)) {
        (void)snprintf(entry->json, sizeof entry->json, "%s", invalid[chance_below(chance, 6)]);
        return;
    }
    entry->toggle = chance_below(chance, 2);
    (void)snprintf(entry->json, sizeof entry->json, "{\"by\":\"x\",\"enabled\":%s}", entry->toggle ? "true" : "false");
}

static void make_nudge(struct model_entry *entry, struct chance *chance)
{
    static const char *const invalid[] = {"", "[]", "{\"direction\":\"up\"}", "{\"delivered\":true}"};
    entry->kind = chance_one_in(chance, 3) ? "custom:agenticoding-readonly-nudge" : "custom:readonly-nudge";
    if (chance_one_in(chance, 4)) {
        (void)snprintf(entry->json, sizeof entry->json, "%s", invalid[chance_below(chance, 4)]);
        return;
    }
    entry->direction = chance_below(chance, 2);
    entry->delivered = chance_one_in(chance, 2);
    (void)snprintf(entry->json, sizeof entry->json, "{\"direction\":\"%s\"%s}", entry->direction ? "on" : "off",
                   entry->delivered ? ",\"delivered\":true" : "");
}

static void make_sequence(struct model_entry *entry, struct chance *chance)
{
    static const char *const invalid[] = {
        "",
        "{\"version\":2,\"sequenceId\":\"s\",\"steps\":[],\"updatedAt\":1}",
        "{\"version\":1,\"sequenceId\":\"\",\"steps\":[],\"updatedAt\":1}",
        "{\"version\":1,\"sequenceId\":\"s\",\"steps\":[1],\"updatedAt\":1}",
        "{\"version\":1,\"sequenceId\":\"s\",\"steps\":[]}",
    };
    entry->kind = chance_one_in(chance, 3) ? "custom:agenticoding-sequence" : "custom:sequence";
    if (chance_one_in(chance, 3)) {
        (void)snprintf(entry->json, sizeof entry->json, "%s", invalid[chance_below(chance, 5)]);
        return;
    }
    entry->sequence = chance_below(chance, 1000);
    (void)snprintf(entry->json, sizeof entry->json,
                   "{\"version\":1,\"sequenceId\":\"s%d\",\"steps\":[\"a\",\"b%d\"],\"updatedAt\":%d}", entry->sequence,
                   entry->sequence, entry->sequence);
}

/* In both spellings; an even id is done. */
static void make_todo(struct model_entry *entry, struct chance *chance)
{
    static const char *const invalid[] = {
        "",
        "[]",
        "{\"lastId\":1}",
        "{\"lastId\":1,\"items\":[{\"id\":2,\"text\":\"a\",\"done\":true}]}",
        "{\"todos\":[{\"id\":1,\"text\":\"a\",\"done\":1}],\"nextId\":2}",
    };
    entry->kind = "custom:todo";
    if (chance_one_in(chance, 3)) {
        (void)snprintf(entry->json, sizeof entry->json, "%s", invalid[chance_below(chance, 5)]);
        return;
    }
    int id = chance_one_in(chance, 6) ? 0 : 1 + chance_below(chance, 999);
    char item[64] = "";
    bool of_pi = chance_one_in(chance, 2);
    if (id > 0) {
        (void)snprintf(item, sizeof item, "{\"id\":%d,\"text\":\"t%d\",\"done\":%s}", id, id,
                       id % 2 ? "false" : "true");
    }
    (void)snprintf(entry->json, sizeof entry->json,
                   of_pi ? "{\"action\":\"add\",\"todos\":[%s],\"nextId\":%d}" : "{\"items\":[%s],\"lastId\":%d}", item,
                   id + of_pi);
    entry->todo = id;
    if (of_pi && chance_one_in(chance, 2)) {
        char details[96];
        (void)snprintf(details, sizeof details, "%.95s", entry->json);
        (void)snprintf(entry->json, sizeof entry->json,
                       "{\"message\":{\"role\":\"toolResult\",\"toolName\":\"todo\",\"details\":%s}}", details);
        entry->kind = "message";
        entry->result = true;
    }
}

void model_make_entry(struct model_entry *entry, struct chance *chance)
{
    static const char *const hosts[] = {"message", "message", "message", "compaction", "model_change", "odd\\:name"};
    entry->toggle = MODEL_NONE;
    entry->direction = MODEL_NONE;
    entry->sequence = MODEL_NONE;
    entry->todo = MODEL_NONE;
    entry->result = false;
    entry->delivered = false;
    switch (chance_below(chance, 9)) {
    case 0:
        make_toggle(entry, chance);
        return;
    case 1:
        make_nudge(entry, chance);
        return;
    case 2:
        make_sequence(entry, chance);
        return;
    case 3:
        make_todo(entry, chance);
        return;
    case 4:
        entry->kind = "custom:other";
        (void)snprintf(entry->json, sizeof entry->json, "[%d,\"x\",null,-1.5]", chance_below(chance, 100000));
        return;
    default:
        /* A host's payload comes back byte for byte, its white space too. */
        entry->kind = hosts[chance_below(chance, 6)];
        (void)snprintf(entry->json, sizeof entry->json, "{ \"n\" : %d }", chance_below(chance, 1000));
        return;
    }
}

bool model_on_path(const struct model *model, int entry, int from)
{
    while (from != MODEL_NONE && from != entry) {
        from = model->entries[from].parent;
    }
    return from == entry && from != MODEL_NONE;
}

bool model_belongs(const struct model *model, int session, int entry)
{
    return model->entries[entry].owner == session || model_on_path(model, entry, model->sessions[session].base);
}

int model_find(const struct model *model, int session, const char *id)
{
    for (int i = 0; i < model->entry_count; i++) {
        if (strcmp(model->entries[i].id, id) == 0 && model_belongs(model, session, i)) {
            return i;
        }
    }
    return MODEL_NONE;
}

int model_ancestor_at(const struct model *model, int from, uint64_t depth)
{
    while (from != MODEL_NONE && model->entries[from].depth != depth) {
        from = model->entries[from].parent;
    }
    return from;
}

int model_common_ancestor(const struct model *model, int a, int b)
{
    while (a != MODEL_NONE && !model_on_path(model, a, b)) {
        a = model->entries[a].parent;
    }
    return a;
}

bool model_is_tip(const struct model *model, int session, int entry)
{
    for (int i = entry + 1; i < model->entry_count; i++) {
        if (model->entries[i].parent == entry && model_belongs(model, session, i)) {
            return false;
        }
    }
    return model_belongs(model, session, entry);
}

/* The next link of a chain: the hash of one or two numbers, the type, the time and the id. */
static uint64_t next_link(uint64_t before, const uint64_t *numbers, size_t count, const struct model_change *change,
                          int64_t time_ms, const char *id)
{
    unsigned char bytes[64] = {0};
    for (size_t i = 0; i < count; i++) {
        xylem_base__put_u64(bytes + 8 * i, numbers[i]);
    }
    bytes[8 * count] = (unsigned char)change->type;
    xylem_base__put_u64(bytes + 8 * count + 1, (uint64_t)time_ms);
    memcpy(bytes + 8 * count + 9, id, strlen(id));
    return xylem_format__hash_seeded((struct xylem_view){(const char *)bytes, 8 * count + 9 + strlen(id)}, before);
}

static void move_chains_on(struct model *model, struct model_change *change)
{
    struct model_session *session = &model->sessions[change->session];
    int about = change->type == XYLEM_CHANGE_MOVED ? session->last_move_to : change->entry;
    const char *id = about != MODEL_NONE                  ? model->entries[about].id
                     : change->type == XYLEM_CHANGE_FREED ? session->id
                                                          : "";
    int64_t time_ms = change->type == XYLEM_CHANGE_ENTRY   ? model->entries[about].time_ms
                      : change->type == XYLEM_CHANGE_MOVED ? session->last_move_ms
                                                           : 0;
    const uint64_t of_store[] = {(uint64_t)model->change_count, session->number};
    model->chain = next_link(model->chain, of_store, 2, change, time_ms, id);
    if (change->type != XYLEM_CHANGE_FREED) {
        change->ordinal = ++session->change_count;
        session->chain = next_link(session->chain, &change->ordinal, 1, change, time_ms, id);
    }
}

uint64_t model_note(struct model *model, enum xylem_change_type type, int session, int entry)
{
    assert(model->change_count < MODEL_CHANGES_MAX);
    struct model_change *change = &model->changes[model->change_count++];
    *change = (struct model_change){.type = type, .session = session, .entry = entry};
    if (type == XYLEM_CHANGE_MOVED) {
        change->move_number = model->sessions[session].move_count;
    } else if (type == XYLEM_CHANGE_FREED) {
        memcpy(change->freed_id, model->sessions[session].id, sizeof change->freed_id);
    }
    move_chains_on(model, change);
    return (uint64_t)model->change_count;
}

bool model_gives(const struct model *model, int change)
{
    return model->changes[change].type != XYLEM_CHANGE_ENTRY || !model->entries[model->changes[change].entry].freed;
}

void model_redact(struct model *model, int entry)
{
    struct model_entry *redacted = &model->entries[entry];
    bool toggle = strcmp(redacted->kind, TOGGLE) == 0 || strcmp(redacted->kind, TOGGLE_OF_PI) == 0;
    redacted->toggle = toggle ? 1 : MODEL_NONE;
    redacted->direction = redacted->sequence = redacted->todo = MODEL_NONE;
    redacted->delivered = redacted->result = false;
    redacted->redacted = true;
    model_note(model, XYLEM_CHANGE_REDACTED, redacted->owner, entry);
}

uint64_t model_gc(struct model *model)
{
    uint64_t count = 0;
    for (int i = 0; i < model->entry_count; i++) {
        bool needed = model->entries[i].freed;
        for (int session = 0; session < model->session_count && !needed; session++) {
            needed = !model->sessions[session].deleted && model_belongs(model, session, i);
        }
        model->entries[i].freed = model->entries[i].freed || !needed;
        count += !needed;
    }
    for (int session = model->session_count - 1; session >= 0; session--) {
        if (model->sessions[session].deleted && !model->sessions[session].freed) {
            model_note(model, XYLEM_CHANGE_FREED, session, MODEL_NONE);
            model->sessions[session].freed = true;
        }
    }
    return count;
}

bool model_branch_is_left(const struct model *model, uint64_t number)
{
    for (int i = 0; i < model->entry_count; i++) {
        if (model->entries[i].position.branch == number && !model->entries[i].freed) {
            return true;
        }
    }
    return false;
}

struct model_branch *model_branch_of(struct model *model, uint64_t number)
{
    for (int i = 0; i < model->branch_count; i++) {
        if (model->branches[i].number == number) {
            return &model->branches[i];
        }
    }
    return NULL;
}

/* What a path says of readonly and nudges, whatever the event. */
struct scanned {
    int toggle;    /* newest valid one */
    int delivered; /* newest delivered nudge */
    bool was_on;   /* a nudge "on" lies on the path */
};

static struct scanned scan_path(const struct model *model, int from)
{
    struct scanned scanned = {MODEL_NONE, MODEL_NONE, false};
    for (int i = from; i != MODEL_NONE; i = model->entries[i].parent) {
        const struct model_entry *entry = &model->entries[i];
        if (entry->toggle != MODEL_NONE && scanned.toggle == MODEL_NONE) {
            scanned.toggle = i;
        }
        if (entry->direction != MODEL_NONE && entry->delivered && scanned.delivered == MODEL_NONE) {
            scanned.delivered = i;
        }
        scanned.was_on = scanned.was_on || entry->direction == 1;
    }
    return scanned;
}

/* Replays the path from its root, as the todo tool of pi does: each list takes the place of the one before. */
int model_todo(const struct model *model, int from, bool results)
{
    int path[MODEL_ENTRIES_MAX];
    int count = 0;
    int todo = MODEL_NONE;
    for (int i = from; i != MODEL_NONE; i = model->entries[i].parent) {
        path[count++] = i;
    }
    while (count > 0) {
        int entry = path[--count];
        if (model->entries[entry].todo != MODEL_NONE && (results || !model->entries[entry].result)) {
            todo = entry;
        }
    }
    return todo;
}

struct model_state model_rehydrate(const struct model *model, int from, const struct xylem_event *event)
{
    struct model_state state = {.decided_by = MODEL_NONE, .sequence = from, .todo = model_todo(model, from, false)};
    while (state.sequence != MODEL_NONE && model->entries[state.sequence].sequence == MODEL_NONE) {
        state.sequence = model->entries[state.sequence].parent;
    }

    bool tree = event->type != XYLEM_EVENT_SESSION_START;
    bool flag = event->flag_readonly && event->type != XYLEM_EVENT_TOGGLED;
    bool nothing = !tree && event->reason == XYLEM_REASON_NEW;
    struct scanned path = scan_path(model, nothing ? MODEL_NONE : from);
    bool overrides = flag && !tree && !event->flag_is_fallback;
    if (overrides || (path.toggle == MODEL_NONE && flag)) {
        state.enabled = true;
        state.from = XYLEM_FROM_FLAG;
    } else if (path.toggle != MODEL_NONE) {
        state.enabled = model->entries[path.toggle].toggle == 1;
        state.from = XYLEM_FROM_PATH;
        state.decided_by = path.toggle;
    }

    int told = path.delivered == MODEL_NONE ? MODEL_NONE : model->entries[path.delivered].direction;
    /* On one path a greater index is a newer entry. */
    bool stale = path.toggle != MODEL_NONE && path.delivered < path.toggle;
    bool changed = tree && event->previous_readonly && *event->previous_readonly != state.enabled;
    state.due = state.enabled ? told != 1 || stale || changed : path.was_on && (told != 0 || changed);
    return state;
}

static int any_session(const struct model *model, struct chance *chance, bool deleted)
{
    int seen = 0;
    int found = MODEL_NONE;
    for (int i = 0; i < model->session_count; i++) {
        const struct model_session *session = &model->sessions[i];
        if (session->deleted == deleted && !session->freed && chance_below(chance, ++seen) == 0) {
            found = i;
        }
    }
    return found;
}

int model_any_session(const struct model *model, struct chance *chance)
{
    return any_session(model, chance, false);
}

int model_any_deleted(const struct model *model, struct chance *chance)
{
    return any_session(model, chance, true);
}

int model_any_entry_of(const struct model *model, struct chance *chance, int session)
{
    int seen = 0;
    int found = MODEL_NONE;
    for (int i = 0; i < model->entry_count; i++) {
        if (model_belongs(model, session, i) && chance_below(chance, ++seen) == 0) {
            found = i;
        }
    }
    return found;
}
