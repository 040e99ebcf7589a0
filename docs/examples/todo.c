#include "todo.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "shape.h"

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

int todo_take(struct todo *todo, const struct xylem_state *state, struct xylem_error *err)
{
    int code = state->todo.item_count > TODO_ITEMS_MAX || state->todo.last_id > TODO_ID_MAX ? XYLEM_E_LIMIT : XYLEM_OK;
    todo_release(todo);
    for (size_t i = 0; i < state->todo.item_count && code == XYLEM_OK; i++) {
        const struct xylem_todo_item *item = &state->todo.items[i];
        code =
            item->text.bytes > TODO_TEXT_BYTES_MAX ? XYLEM_E_LIMIT : put_item(todo, item->id, item->done, item->text);
    }
    if (code < 0) {
        todo_release(todo);
        return shape_fail(err, code,
                          code == XYLEM_E_LIMIT ? "the todo list is larger than this host writes one"
                                                : "no memory for a todo list");
    }
    todo->last_id = state->todo.last_id;
    todo->position = state->todo.position;
    return XYLEM_OK;
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
        return shape_fail(err, XYLEM_E_NOT_FOUND, "the todo list has no item with that id");
    }
    todo->items[at].done = done;
    return XYLEM_OK;
}

int todo_remove(struct todo *todo, int64_t id, struct xylem_error *err)
{
    size_t at = index_of(todo, id);
    if (at == todo->item_count) {
        return shape_fail(err, XYLEM_E_NOT_FOUND, "the todo list has no item with that id");
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
    int code;
    if ((code = add_text(json, head)) < 0 ||
        (code = xylem_buffer_add_json_string(json, (struct xylem_view){item->text.data, item->text.bytes})) < 0) {
        return code;
    }
    return add_text(json, item->done ? ",\"done\":true}" : ",\"done\":false}");
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
