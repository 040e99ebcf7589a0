#include "todo.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "shape.h"

_Static_assert(TODO_ITEMS_MAX == 64 && TODO_TEXT_BYTES_MAX == 500 && TODO_ID_MAX == 1000000, "as the reasons say");

/* Why an item does not count; else NULL, and its id. */
static const char *item_problem(int64_t *id, const struct xylem_value *item, int64_t last_id)
{
    struct xylem_view text;
    if (xylem_value_type(item) != XYLEM_VALUE_MAP) {
        return "an item is no map";
    }
    if (!xylem_value_integer(id, xylem_value_get(item, "id")) || *id < 1 || *id > last_id) {
        return "an item's id is no integer from 1 to lastId";
    }
    if (!shape_string(&text, xylem_value_get(item, "text"), 1, TODO_TEXT_BYTES_MAX)) {
        return "an item's text is no string of 1 to 500 bytes";
    }
    if (xylem_value_type(xylem_value_get(item, "done")) != XYLEM_VALUE_BOOL) {
        return "an item's done is no bool";
    }
    return NULL;
}

static const char *items_problem(const struct xylem_value *items, int64_t last_id)
{
    int64_t ids[TODO_ITEMS_MAX];
    size_t count = 0;
    if (xylem_value_type(items) != XYLEM_VALUE_ARRAY || xylem_value_count(items) > TODO_ITEMS_MAX) {
        return "items is no array of at most 64";
    }
    for (const struct xylem_value *item = xylem_value_first(items); item; item = xylem_value_next(items, item)) {
        const char *problem = item_problem(&ids[count], item, last_id);
        if (problem) {
            return problem;
        }
        for (size_t i = 0; i < count; i++) {
            if (ids[i] == ids[count]) {
                return "two items have the same id";
            }
        }
        count++;
    }
    return NULL;
}

/* Why the entry does not count, else NULL. Nothing is taken from it before all of it has been looked at. */
static const char *list_problem(const struct xylem_visit *visit)
{
    int64_t last_id;
    const char *problem = shape_problem(visit);
    if (problem) {
        return problem;
    }
    if (!xylem_value_integer(&last_id, xylem_value_get(visit->data, "lastId")) || last_id < 0 ||
        last_id > TODO_ID_MAX) {
        return "lastId is no integer from 0 to 1000000";
    }
    return items_problem(xylem_value_get(visit->data, "items"), last_id);
}

static int put_item(struct todo *todo, int64_t id, bool done, struct xylem_view text)
{
    struct todo_item *item = &todo->items[todo->item_count];
    *item = (struct todo_item){.id = id, .done = done};
    int code = xylem_buffer_add(&item->text, text.data, text.bytes);
    if (code == XYLEM_OK) {
        todo->item_count++;
    }
    return code;
}

static const char *const todo_kinds[] = {"custom:todo", NULL};

static int todo_visit(void *context, struct xylem_visit *visit)
{
    struct todo *todo = context;
    visit->reason = list_problem(visit);
    if (visit->reason) {
        return XYLEM_VISIT_SKIP;
    }
    const struct xylem_value *items = xylem_value_get(visit->data, "items");
    for (const struct xylem_value *item = xylem_value_first(items); item; item = xylem_value_next(items, item)) {
        int64_t id = 0;
        (void)xylem_value_integer(&id, xylem_value_get(item, "id"));
        int code = put_item(todo, id, xylem_value_bool(xylem_value_get(item, "done")),
                            xylem_value_string(xylem_value_get(item, "text")));
        if (code < 0) {
            return code;
        }
    }
    (void)xylem_value_integer(&todo->last_id, xylem_value_get(visit->data, "lastId"));
    todo->position = visit->entry->position;
    return XYLEM_VISIT_DONE; /* it is whole: no older one matters */
}

struct xylem_reducer todo_reducer(struct todo *todo)
{
    todo_release(todo);
    return (struct xylem_reducer){.name = "todo", .kinds = todo_kinds, .visit = todo_visit, .context = todo};
}

void todo_release(struct todo *todo)
{
    for (size_t i = 0; i < todo->item_count; i++) {
        xylem_buffer_release(&todo->items[i].text);
    }
    *todo = (struct todo){0};
}

static size_t index_of(const struct todo *todo, int64_t id)
{
    size_t i = 0;
    while (i < todo->item_count && todo->items[i].id != id) {
        i++;
    }
    return i;
}

int todo_add(struct todo *todo, struct xylem_view text, struct xylem_error *err)
{
    if (text.bytes < 1 || text.bytes > TODO_TEXT_BYTES_MAX) {
        return shape_fail(err, XYLEM_E_LIMIT, "the text of a todo item has 1 to 500 bytes");
    }
    if (!shape_is_wtf8(text)) {
        return shape_fail(err, XYLEM_E_MALFORMED, "the text of a todo item is WTF-8");
    }
    if (todo->item_count == TODO_ITEMS_MAX || todo->last_id == TODO_ID_MAX) {
        return shape_fail(err, XYLEM_E_LIMIT, "the todo list has 64 items, or no ids are left");
    }
    if (put_item(todo, todo->last_id + 1, false, text) < 0) {
        return shape_fail(err, XYLEM_E_MEMORY, "no memory for a todo item");
    }
    todo->last_id++;
    return XYLEM_OK;
}

int todo_mark(struct todo *todo, int64_t id, bool done, struct xylem_error *err)
{
    size_t at = index_of(todo, id);
    if (at == todo->item_count) {
        return shape_fail(err, XYLEM_E_NOT_FOUND, "the todo list has no item of that id");
    }
    todo->items[at].done = done;
    return XYLEM_OK;
}

int todo_remove(struct todo *todo, int64_t id, struct xylem_error *err)
{
    size_t at = index_of(todo, id);
    if (at == todo->item_count) {
        return shape_fail(err, XYLEM_E_NOT_FOUND, "the todo list has no item of that id");
    }
    xylem_buffer_release(&todo->items[at].text);
    todo->item_count--;
    memmove(&todo->items[at], &todo->items[at + 1], (todo->item_count - at) * sizeof todo->items[0]);
    return XYLEM_OK;
}

static int add_text(struct xylem_buffer *json, const char *text)
{
    return xylem_buffer_add(json, text, strlen(text));
}

static int add_item(struct xylem_buffer *json, const struct todo_item *item)
{
    char head[64];
    snprintf(head, sizeof head, "{\"id\":%" PRId64 ",\"text\":", item->id);
    int code = add_text(json, head);
    code = code < 0 ? code : xylem_buffer_add_json_string(json, (struct xylem_view){item->text.data, item->text.bytes});
    return code < 0 ? code : add_text(json, item->done ? ",\"done\":true}" : ",\"done\":false}");
}

static int list_json(struct xylem_buffer *json, const struct todo *todo)
{
    char head[64];
    snprintf(head, sizeof head, "{\"lastId\":%" PRId64 ",\"items\":[", todo->last_id);
    int code = add_text(json, head);
    for (size_t i = 0; i < todo->item_count && code == XYLEM_OK; i++) {
        code = i > 0 ? add_text(json, ",") : XYLEM_OK;
        code = code < 0 ? code : add_item(json, &todo->items[i]);
    }
    return code < 0 ? code : add_text(json, "]}");
}

int todo_append(struct xylem_txn *txn, uint64_t session, const struct todo *todo, struct xylem_error *err)
{
    struct xylem_buffer json = {0};
    int code = list_json(&json, todo);
    if (code < 0) {
        shape_fail(err, code, "no memory for a todo list");
    } else {
        struct xylem_new_entry entry = {.kind = {XYLEM_CLASS_CUSTOM, xylem_view_of("todo")},
                                        .format = XYLEM_FORMAT_JSON,
                                        .payload = {json.data, json.bytes}};
        code = xylem_append(NULL, txn, session, &entry, 1, NULL, err);
    }
    xylem_buffer_release(&json);
    return code;
}
