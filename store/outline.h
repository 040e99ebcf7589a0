/*
 * Stores the outlines of sessions, for lists: rows of the table `outlines`. All of them follow from other tables, and
 * an append writes none of them. So a row may be stale, and a reader asks:
 *
 *     the session's row has another last lsn or leaf       the outline is stale: make it from the entries
 *     the head has a smaller lsn or session, or a notice   the session's place in the lists is stale, too
 *
 * What changes a place without a new lsn leaves a notice: a navigation, an import that moves the leaf, a redaction. An
 * appended name leaves a notice, too: so the names of a store are known without a look at the newest entries.
 */
#ifndef XYLEM_STORE_OUTLINE_H
#define XYLEM_STORE_OUTLINE_H

#include "base/numbers.h"
#include "store/format/keys.h"
#include "store/store.h"
#include "xylem/outline.h"

/* A row. The views live as long as views of the transaction. */
struct xylem_store__outline {
    uint64_t last_lsn; /* of the session, and its leaf, when the row was made */
    struct xylem_position leaf;
    struct xylem_outline outline;
    struct xylem_view name; /* data NULL: none */
    bool has_first;
    bool has_last;
    struct xylem_view first; /* words; data NULL: none, or not read */
    struct xylem_view last;
};

/* Decode rows without their sums. The words need the flags of the row. False: the row has invalid fields. */
bool xylem_store__outline_decode(struct xylem_store__outline *outline, struct xylem_view row);
bool xylem_store__outline_words_decode(struct xylem_store__outline *outline, struct xylem_view row);

/* 1 and the row, without its words, however old the row is; 0 without a row. */
int xylem_store__outline_row(struct xylem_store__outline *outline, struct xylem_txn *txn, uint64_t session,
                             struct xylem_error *err);
/* True if the row is as new as the session. */
bool xylem_store__outline_is_fresh(const struct xylem_store__outline *outline, const struct xylem_session *session);
/* Reads the words of a row. */
int xylem_store__outline_words(struct xylem_store__outline *outline, struct xylem_txn *txn, uint64_t session,
                               struct xylem_error *err);

/* The keys of the rows of a session that are there, with `notice` also of its notice. */
struct xylem_store__outline_keys {
    struct xylem_format__key list[6];
    size_t count;
};
int xylem_store__outline_keys(struct xylem_store__outline_keys *keys, struct xylem_txn *txn,
                              const struct xylem_session *session, bool notice, struct xylem_error *err);

/* Writes the rows of a session in the place of earlier rows, and removes its notice. */
int xylem_store__outline_write(struct xylem_txn *txn, const struct xylem_session *session,
                               const struct xylem_store__outline *outline, struct xylem_error *err);
/* Removes the rows of a session, but not its notice. */
int xylem_store__outline_drop(struct xylem_txn *txn, const struct xylem_session *session, struct xylem_error *err);
/* Removes all rows: what a damaged table needs, whose rows cannot be found one by one. */
int xylem_store__outline_clear(struct xylem_txn *txn, struct xylem_error *err);
/* 1 if the session has a notice, else 0: then no name was appended since its outline was made. */
int xylem_store__outline_noticed(struct xylem_txn *txn, uint64_t session, struct xylem_error *err);
/* Removes the rows of the sessions of some trees (sorted), and leaves notices: their text is to be redacted. */
int xylem_store__outline_drop_trees(struct xylem_txn *txn, const struct xylem_base__numbers *trees,
                                    struct xylem_error *err);

/* Up to which lsn and which session the rows were made. Both 0: there are no rows. */
struct xylem_store__outline_head {
    uint64_t lsn;
    uint64_t session;
};

int xylem_store__outline_head_read(struct xylem_store__outline_head *head, struct xylem_txn *txn,
                                   struct xylem_error *err);
int xylem_store__outline_head_write(struct xylem_txn *txn, const struct xylem_store__outline_head *head,
                                    struct xylem_error *err);

/*
 * Finds the sessions whose place in the lists is stale, sorted: new sessions, sessions with a notice and, unless only
 * `names` count, sessions with new entries. `now`: the head after all of them are written; NULL is allowed.
 */
int xylem_store__outline_stale(struct xylem_base__numbers *stale, struct xylem_store__outline_head *now,
                               struct xylem_txn *txn, bool names, struct xylem_error *err);

/* The keys that begin so, in a list. Start with the key to begin at, which may lie behind the first such key. */
struct xylem_store__outline_list {
    struct xylem_lmdb__rows *rows;
    struct xylem_format__key beginning;
    struct xylem_format__key from;
    bool stands;
};

int xylem_store__outline_list_start(struct xylem_store__outline_list *list, struct xylem_txn *txn,
                                    struct xylem_error *err);
/* 1 and the next key, or 0 at the end. */
int xylem_store__outline_list_next(struct xylem_view *key, struct xylem_store__outline_list *list,
                                   struct xylem_error *err);
void xylem_store__outline_list_end(struct xylem_store__outline_list *list);

#endif
