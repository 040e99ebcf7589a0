/*
 * The writing half of a todo list that an extension keeps in a session: the reading half is in the library, which brings
 * `xylem_state.todo` back. Each change appends the whole list, as an entry of the kind `custom:todo`:
 *
 *     {"lastId":3,"items":[{"id":1,"text":"read the brief","done":true},{"id":3,"text":"mend it","done":false}]}
 *
 * The newest valid list on a path is the list there. So it forks with the conversation: a fork starts with the list of
 * the entry that it was made at, each of the two goes on by itself, and navigating brings back the list of that time.
 *
 * docs/rehydration.md says which entries count. This host writes less than the library reads: lists of TODO_ITEMS_MAX
 * items, with texts of 1 to TODO_TEXT_BYTES_MAX bytes. Keys that the library ignores are not written again.
 */
#ifndef TODO_H
#define TODO_H

#include <stdbool.h>
#include <xylem.h>

#define TODO_ITEMS_MAX 64u
#define TODO_TEXT_BYTES_MAX 500u
#define TODO_ID_MAX 1000000

struct todo_item {
    int64_t id; /* never used again in this list, nor in what becomes of it in a fork */
    bool done;
    struct xylem_buffer text; /* as its author gave it, control bytes and all: escape it to show it */
};

/* The list, in its author's order. It owns its texts and outlives the transaction. Start with a zeroed struct. */
struct todo {
    struct todo_item items[TODO_ITEMS_MAX];
    size_t item_count;
    int64_t last_id;                /* the greatest id that was given so far */
    struct xylem_position position; /* of the entry that it was read from; none: the path has no list */
};

/*
 * Copies the list of a state into `todo`, which it releases first. The list then outlives the state. `err` may be NULL.
 * Errors, after which `todo` is empty: LIMIT (another program wrote more than this host does: the list stays as it is
 * there), MEMORY.
 */
int todo_take(struct todo *todo, const struct xylem_state *state, struct xylem_error *err);

/* Frees the texts and zeroes the struct. */
void todo_release(struct todo *todo);

/*
 * They change the list in memory: todo_append() stores it. The text is WTF-8. `err` may be NULL. Errors, after which the
 * list is as before: LIMIT (text, number of items, ids), MALFORMED (no WTF-8), NOT_FOUND (no item of that id), MEMORY.
 */
int todo_add(struct todo *todo, struct xylem_view text, struct xylem_error *err);
int todo_mark(struct todo *todo, int64_t id, bool done, struct xylem_error *err);
int todo_remove(struct todo *todo, int64_t id, struct xylem_error *err);

/*
 * Appends the whole list at the session's leaf. Read it from there in the same write transaction: then nobody can have
 * changed it in between. Errors: as xylem_append(), and MEMORY, after which nothing was appended.
 */
int todo_append(struct xylem_txn *txn, uint64_t session, const struct todo *todo, struct xylem_error *err);

#endif
