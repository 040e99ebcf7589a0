/*
 * An extension keeps a notebook of named pages in a session. An entry of the kind `custom:notebook-page` writes or
 * removes a page; an entry of the kind `custom:notebook-epoch` begins the notebook anew:
 *
 *     {"name":"build","text":"use make -j2"}
 *     {"name":"build","removed":true}
 *
 * On a path the newest entry of each name counts. Entries older than the newest epoch do not count, so an epoch bounds
 * the reading. To keep pages beyond an epoch, write the pages again behind the epoch, in the same transaction. A fork
 * begins with the pages of its entry.
 *
 * Entries of another shape are skipped: `name` is a string of 1 to NOTEBOOK_NAME_BYTES_MAX bytes, `removed` a bool or
 * missing, `text` a string of at most NOTEBOOK_TEXT_BYTES_MAX bytes (ignored if `removed` is true). Other keys are
 * ignored. A redacted page has lost its name: the entry is skipped, and the page before counts again. An epoch counts
 * with any data.
 */
#ifndef NOTEBOOK_H
#define NOTEBOOK_H

#include <stdbool.h>
#include <xylem.h>

#define NOTEBOOK_PAGES_MAX 128u /* names in one epoch, names of removed pages included: the newest count */
#define NOTEBOOK_NAME_BYTES_MAX 64u
#define NOTEBOOK_TEXT_BYTES_MAX 16384u

struct notebook_page {
    struct xylem_buffer name; /* name and text as their author gave both: escape before showing */
    struct xylem_buffer text;
    bool removed; /* the page has no text and no longer exists */
    struct xylem_position position;
};

/*
 * The pages, the newest first. The notebook owns their bytes and outlives the transaction. Start with a zeroed struct.
 */
struct notebook {
    struct notebook_page pages[NOTEBOOK_PAGES_MAX];
    size_t page_count;
    bool cut_short;              /* more names than NOTEBOOK_PAGES_MAX: older pages are left out */
    struct xylem_position epoch; /* none: the reading met no epoch */
};

/*
 * A reducer that empties `notebook` and reads the pages into `notebook`. Give the reducer to one xylem_reduce(), alone
 * or among others. `notebook` must not move until the call returns. Release `notebook` in any case, also after a
 * failure.
 */
struct xylem_reducer notebook_reducer(struct notebook *notebook);

/* Frees the pages and zeroes the struct. */
void notebook_release(struct notebook *notebook);

/* The page `name`, or NULL: never written, or removed. Borrowed from the notebook. */
const struct notebook_page *notebook_find(const struct notebook *notebook, struct xylem_view name);

/*
 * Append at the leaf of the session: a page, its removal, an epoch. Name and text are WTF-8. `err` may be NULL. Errors:
 * LIMIT, MALFORMED (no WTF-8), MEMORY: nothing was appended; and the errors of xylem_append().
 */
int notebook_write(struct xylem_txn *txn, uint64_t session, struct xylem_view name, struct xylem_view text,
                   struct xylem_error *err);
int notebook_remove(struct xylem_txn *txn, uint64_t session, struct xylem_view name, struct xylem_error *err);
int notebook_begin_epoch(struct xylem_txn *txn, uint64_t session, struct xylem_error *err);

#endif
