/*
 * Todo: the newest valid list on the path. A list has one of two spellings: the spelling of docs/examples/todo.c, and
 * the `details` of a result of the todo tool in pi's example extensions.
 *
 *     {"lastId": 2, "items": [{"id": 1, "text": "read", "done": true}, {"id": 2, "text": "write", "done": false}]}
 *     {"action": "toggle", "todos": [{"id": 1, ...}, {"id": 2, ...}], "nextId": 3}
 */
#include <assert.h>

#include "base/value.h"
#include "branch/arena.h"
#include "replay/pieces.h"

struct todo {
    struct xylem_replay__found found;
    struct xylem_todo_item *items;
    size_t item_count;
    int64_t last_id;
};

#define KINDS(KIND) KIND("todo")
XYLEM_REPLAY__DEFINE_KINDS(struct todo, KINDS);
XYLEM_REPLAY__DEFINE_RESULT_KINDS(KINDS);

static_assert(XYLEM_TODO_ITEMS_MAX == 1024 && XYLEM_TODO_TEXT_BYTES_MAX == 4096 &&
                  XYLEM_TODO_ID_MAX == INT64_C(9007199254740991),
              "the reasons name these limits");

/* The reason of a skip; else NULL and the item. The text of the item is borrowed from the visited data. */
static const char *read_item(struct xylem_todo_item *item, const struct xylem_value *value, int64_t last_id)
{
    const struct xylem_value *text = xylem_base__value_get(value, XYLEM_BASE__LITERAL("text"));
    const struct xylem_value *done = xylem_base__value_get(value, XYLEM_BASE__LITERAL("done"));
    if (xylem_value_type(value) != XYLEM_VALUE_MAP) {
        return "an item is not a map";
    }
    if (!xylem_value_integer(&item->id, xylem_base__value_get(value, XYLEM_BASE__LITERAL("id"))) || item->id < 1 ||
        item->id > last_id) {
        return "an item's id is not an integer from 1 to the last id";
    }
    item->text = xylem_value_string(text);
    if (xylem_value_type(text) != XYLEM_VALUE_STRING || item->text.bytes > XYLEM_TODO_TEXT_BYTES_MAX) {
        return "an item's text is not a string of at most 4096 bytes";
    }
    if (xylem_value_type(done) != XYLEM_VALUE_BOOL) {
        return "an item's done is not a boolean";
    }
    item->done = xylem_value_bool(done);
    return NULL;
}

/*
 * The reason of a skip, or NULL. In most lists the ids ascend. An id above the greatest id so far is new; only another
 * id is compared with all earlier ids.
 */
static const char *items_problem(const struct xylem_value *items, int64_t last_id)
{
    int64_t ids[XYLEM_TODO_ITEMS_MAX];
    int64_t greatest = 0;
    size_t count = 0;
    for (const struct xylem_value *value = xylem_value_first(items); value; value = xylem_value_next(items, value)) {
        struct xylem_todo_item item;
        const char *problem = read_item(&item, value, last_id);
        if (problem) {
            return problem;
        }
        for (size_t i = 0; item.id <= greatest && i < count; i++) {
            if (ids[i] == item.id) {
                return "two items have the same id";
            }
        }
        greatest = item.id > greatest ? item.id : greatest;
        ids[count++] = item.id;
    }
    return NULL;
}

static bool is_result(const struct xylem_visit *visit)
{
    return visit->entry->kind.kind_class == XYLEM_CLASS_HOST;
}

/* An unreadable or redacted message may belong to any tool, so the message does not concern the todo list. */
static bool concerns(const struct xylem_visit *visit)
{
    return !is_result(visit) || xylem_replay__result_details(visit, XYLEM_BASE__LITERAL("todo"));
}

/* The reason of a skip; else NULL, the items and the last id, of either spelling. */
static const char *list_problem(const struct xylem_value **items, int64_t *last_id, const struct xylem_value *data)
{
    const struct xylem_value *last = xylem_base__value_get(data, XYLEM_BASE__LITERAL("lastId"));
    *items = xylem_base__value_get(data, XYLEM_BASE__LITERAL("items"));
    int64_t beyond = 0; /* nextId is the last id plus 1 */
    if (!*items && !last) {
        last = xylem_base__value_get(data, XYLEM_BASE__LITERAL("nextId"));
        *items = xylem_base__value_get(data, XYLEM_BASE__LITERAL("todos"));
        beyond = 1;
    }
    if (xylem_value_type(*items) != XYLEM_VALUE_ARRAY || xylem_value_count(*items) > XYLEM_TODO_ITEMS_MAX) {
        return "expected an array of at most 1024 items";
    }
    if (!xylem_value_integer(last_id, last) || *last_id < beyond || *last_id - beyond > XYLEM_TODO_ID_MAX) {
        return beyond ? "nextId is not an integer from 1 to 9007199254740992"
                      : "lastId is not an integer from 0 to 9007199254740991";
    }
    *last_id -= beyond;
    return NULL;
}

static int visit_list(void *context, struct xylem_visit *visit)
{
    struct todo *todo = context;
    const struct xylem_value *items = NULL;
    const struct xylem_value *data = visit->data;
    const char *problem;
    if (!concerns(visit)) {
        return XYLEM_VISIT_GO_ON;
    }
    if (is_result(visit)) {
        data = xylem_replay__result_details(visit, XYLEM_BASE__LITERAL("todo"));
    }
    if ((problem = xylem_replay__data_problem(visit)) || (problem = list_problem(&items, &todo->last_id, data)) ||
        (problem = items_problem(items, todo->last_id))) {
        return xylem_replay__skip(visit, problem);
    }
    todo->items = xylem_branch__arena_take(todo->found.storage, xylem_value_count(items) * sizeof *todo->items);
    if (!todo->items) {
        return XYLEM_E_MEMORY;
    }
    for (const struct xylem_value *value = xylem_value_first(items); value; value = xylem_value_next(items, value)) {
        struct xylem_todo_item *item = &todo->items[todo->item_count++];
        problem = read_item(item, value, todo->last_id);
        assert(!problem);
        int code = xylem_branch__arena_copy(&item->text, todo->found.storage, item->text);
        if (code < 0) {
            return code;
        }
    }
    return xylem_replay__found_set(&todo->found, visit);
}

static void decide(struct xylem_state *state, const void *context)
{
    const struct todo *todo = context;
    state->todo.present = todo->found.found;
    state->todo.items = todo->items;
    state->todo.item_count = todo->item_count;
    state->todo.last_id = todo->found.found ? todo->last_id : 0; /* a skipped list may have set last_id */
    state->todo.position = todo->found.position;
    state->todo.entry_id = todo->found.id;
}

static size_t done_count(const struct xylem_state *state)
{
    size_t count = 0;
    for (size_t i = 0; i < state->todo.item_count; i++) {
        count += state->todo.items[i].done;
    }
    return count;
}

static void write_json(struct xylem_base__writer *writer, const struct xylem_state *state, enum xylem_detail detail)
{
    bool brief = detail == XYLEM_DETAIL_BRIEF;
    if (!state->todo.present) {
        xylem_base__write(writer, brief ? "\"todo_done\":null,\"todo_count\":null" : "\"todo\":null");
        return;
    }
    if (brief) {
        xylem_base__write_counted(writer, "\"todo_done\":", done_count(state));
        xylem_base__write_counted(writer, ",\"todo_count\":", state->todo.item_count);
        return;
    }
    xylem_base__write_counted(writer, "\"todo\":{\"last_id\":", (uint64_t)state->todo.last_id);
    xylem_base__write(writer, ",\"items\":[");
    for (size_t i = 0; i < state->todo.item_count; i++) {
        xylem_base__write_counted(writer, i ? ",{\"id\":" : "{\"id\":", (uint64_t)state->todo.items[i].id);
        xylem_base__write_member(writer, ",\"text\":", state->todo.items[i].text);
        xylem_base__write_flag(writer, ",\"done\":", state->todo.items[i].done);
        xylem_base__write(writer, "}");
    }
    xylem_base__write(writer, "]");
    if (detail >= XYLEM_DETAIL_WHOLE) {
        xylem_base__write_member(writer, ",\"entry\":", state->todo.entry_id);
    }
    xylem_base__write(writer, "}");
}

/* `1/2`; `1 of 2 done`; `1 of 2 done, from ENTRY`. */
static void say(struct xylem_replay__words *words, const struct xylem_state *state,
                const struct xylem_words_options *options)
{
    bool brief = options->detail == XYLEM_DETAIL_BRIEF;
    if (!state->todo.present) {
        if (!brief) {
            xylem_replay__say(words, "none");
        }
        return;
    }
    xylem_replay__say_count(words, done_count(state));
    xylem_replay__say(words, brief ? "/" : " of ");
    xylem_replay__say_count(words, state->todo.item_count);
    xylem_replay__say(words, brief ? "" : " done");
    if (options->detail >= XYLEM_DETAIL_WHOLE) {
        xylem_replay__say(words, ", from ");
        xylem_replay__say_entry(words, state->todo.position, state->todo.entry_id);
    }
}

static bool part(struct xylem_part *part, const struct xylem_state *state, size_t index)
{
    if (index >= state->todo.item_count) {
        return false;
    }
    const struct xylem_todo_item *item = &state->todo.items[index];
    *part = (struct xylem_part){(uint64_t)item->id, item->done ? "[x] " : "[ ] ", item->text};
    return true;
}

const struct xylem_replay__piece xylem_replay__todo_piece = {
    .kinds = kinds,
    .parsed = parsed,
    .result_kinds = result_kinds,
    .result_parsed = result_parsed,
    .concerns = concerns,
    .on_new = true,
    .visit = visit_list,
    .decide = decide,
    .json = write_json,
    .words = say,
    .part = part,
};
