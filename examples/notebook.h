/*
 * A notebook that an extension keeps in a session: pages that have names. A page is written, or removed, by an entry of
 * the kind `custom:notebook-page`; an entry of the kind `custom:notebook-epoch` begins the notebook anew:
 *
 *     {"name":"build","text":"use make -j2"}
 *     {"name":"build","removed":true}
 *
 * On a path the newest entry of each name counts, and none that is older than the newest epoch: an epoch cuts what is
 * older, so it bounds what has to be read. Who wants to keep pages beyond an epoch writes them again behind it, in the
 * same transaction. Forks begin with the pages of the entry that they were made at.
 *
 * Entries of another shape are skipped: `name` is a string of 1 to NOTEBOOK_NAME_BYTES_MAX bytes, `removed` a bool or
 * not there, `text` a string of at most NOTEBOOK_TEXT_BYTES_MAX bytes, which is not looked at if `removed` is true.
 * Other keys are ignored. A redacted page says no name any more: it is skipped, and the one before it counts again. An
 * epoch counts whatever data it has.
 */
#ifndef NOTEBOOK_H
#define NOTEBOOK_H

#include <stdbool.h>
#include <xylem.h>

#define NOTEBOOK_PAGES_MAX 128u /* names in one epoch, those of removed pages too: the newest count */
#define NOTEBOOK_NAME_BYTES_MAX 64u
#define NOTEBOOK_TEXT_BYTES_MAX 16384u

struct notebook_page {
    struct xylem_buffer name; /* it and the text as their author gave them: escape them to show them */
    struct xylem_buffer text;
    bool removed; /* it has no text, and is no page any more */
    struct xylem_position position;
};

/*
 * The pages, that which was written last first. It owns their bytes and outlives the transaction. Start with a zeroed
 * struct.
 */
struct notebook {
    struct notebook_page pages[NOTEBOOK_PAGES_MAX];
    size_t page_count;
    bool cut_short;              /* there are more names than NOTEBOOK_PAGES_MAX: older ones were left out */
    struct xylem_position epoch; /* none: no epoch was come upon */
};

/*
 * The reducer that reads the pages into `notebook`, which it empties. Give it to one xylem_reduce(), alone or among
 * others; `notebook` must stay where it is until that returns, and is released in any case, also if it fails.
 */
struct xylem_reducer notebook_reducer(struct notebook *notebook);

/* Frees the pages and zeroes the struct. */
void notebook_release(struct notebook *notebook);

/* The page of that name, or NULL: none was written, or it was removed. Borrowed from the notebook. */
const struct notebook_page *notebook_find(const struct notebook *notebook, struct xylem_view name);

/*
 * They append at the session's leaf: a page, its removal, an epoch. Name and text are WTF-8. `err` may be NULL. Errors:
 * LIMIT, MALFORMED (no WTF-8), MEMORY, after which nothing was appended, and as xylem_append().
 */
int notebook_write(struct xylem_txn *txn, uint64_t session, struct xylem_view name, struct xylem_view text,
                   struct xylem_error *err);
int notebook_remove(struct xylem_txn *txn, uint64_t session, struct xylem_view name, struct xylem_error *err);
int notebook_begin_epoch(struct xylem_txn *txn, uint64_t session, struct xylem_error *err);

#endif
