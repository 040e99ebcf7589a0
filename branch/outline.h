/* Makes outlines from the entries of sessions. */
#ifndef XYLEM_BRANCH_OUTLINE_H
#define XYLEM_BRANCH_OUTLINE_H

#include "store/outline.h"

/* xylem_outline_read() and xylem_outline_words() of a session whose kept outline is stale. */
int xylem_branch__outline_make(struct xylem_outline *outline, struct xylem_buffer *name, struct xylem_txn *txn,
                               const struct xylem_session *session, struct xylem_error *err);
int xylem_branch__outline_make_words(struct xylem_buffer *first, struct xylem_buffer *last, struct xylem_txn *txn,
                                     const struct xylem_session *session, struct xylem_error *err);
/* The time of the leaf; without a leaf and after an error the time of the creation. */
int xylem_branch__outline_active(int64_t *active_ms, struct xylem_txn *txn, const struct xylem_session *session,
                                 struct xylem_error *err);

#endif
