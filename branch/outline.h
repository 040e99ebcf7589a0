/* Makes outlines from the entries of sessions. */
#ifndef XYLEM_BRANCH_OUTLINE_H
#define XYLEM_BRANCH_OUTLINE_H

#include "store/outline.h"

/* xylem_outline_read() and xylem_outline_words() of a session whose kept outline is stale. */
int xylem_branch__outline_make(struct xylem_outline *outline, struct xylem_buffer *name, struct xylem_txn *txn,
                               const struct xylem_session *session, struct xylem_error *err);
int xylem_branch__outline_make_words(struct xylem_buffer *first, struct xylem_buffer *last, struct xylem_txn *txn,
                                     const struct xylem_session *session, struct xylem_error *err);
/*
 * 1 and the last entry, if all entries since the kept outline was made stand behind its leaf, on the same branch; else 0.
 *
 *     kept   1 ── 2 ── 3             6 entries, leaf 3
 *                 └─── a ── b ── c
 *     now    1 ── 2 ── 3 ── 4 ── 5   8 entries: 4 and 5 are two, and their lsns are new, so nothing else is new
 */
int xylem_branch__outline_grew(struct xylem_entry *tip, struct xylem_txn *txn, const struct xylem_session *session,
                               const struct xylem_store__outline *kept, struct xylem_error *err);
/* The time of the leaf, or of the creation, which it is also after an error. */
int xylem_branch__outline_active(int64_t *active_ms, struct xylem_txn *txn, const struct xylem_session *session,
                                 struct xylem_error *err);

#endif
