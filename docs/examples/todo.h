/*
 * The writing half of a todo list that an extension keeps in a session. The reading half is in the library, as
 * `xylem_state.todo`. Each change appends the whole list, as an entry of the kind `custom:todo`:
 *
 *     {"lastId":3,"items":[{"id":1,"text":"read the brief","done":true},{"id":3,"text":"mend it","done":false}]}
 *
 * The newest valid list on a path counts. So the list forks with the conversation: a fork starts with the list of its
 * entry, both sessions go on alone, and a navigation brings back the list of the time.
 *
 * docs/rehydration.md has the rules of reading. This host writes less than the library reads: lists of TODO_ITEMS_MAX
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
    int64_t id; /* never used again in this list, nor in the list of a fork */
    bool done;
    struct xylem_buffer text; /* as its author gave the text, control bytes included: escape before showing */
};

/* The list, in the order of its author. The list owns its texts and outlives the transaction. Start with zeros. */
struct todo {
    struct todo_item items[TODO_ITEMS_MAX];
    size_t item_count;
    int64_t last_id;                /* the greatest id so far */
    struct xylem_position position; /* of the entry with the list; none: the path has no list */
};

/*
 * Releases `todo`, then copies the list of a state into `todo`. The copy outlives the state. `err` may be NULL. After
 * an error `todo` is empty. Errors: LIMIT (another program wrote more than this host writes; the stored list stays),
 * MEMORY.
 */
int todo_take(struct todo *todo, const struct xylem_state *state, struct xylem_error *err);

/* Frees the texts and zeroes the struct. */
void todo_release(struct todo *todo);

/*
 * Change the list in memory; todo_append() stores the list. The text is WTF-8. `err` may be NULL. After an error the
 * list is as before. Errors: LIMIT (text, number of items, ids), MALFORMED (no WTF-8), NOT_FOUND (no item `id`),
 * MEMORY.
 */
int todo_add(struct todo *todo, struct xylem_view text, struct xylem_error *err);
int todo_mark(struct todo *todo, int64_t id, bool done, struct xylem_error *err);
int todo_remove(struct todo *todo, int64_t id, struct xylem_error *err);

/*
 * Appends the whole list at the leaf of the session. Read the list from the leaf in the same write transaction: then no
 * other process changes the list in between. Errors: as xylem_append(), and MEMORY; nothing was appended then.
 */
int todo_append(struct xylem_txn *txn, uint64_t session, const struct todo *todo, struct xylem_error *err);

#endif
