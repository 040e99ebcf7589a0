/* Reads and writes rows of the table `sessions`. */
#ifndef XYLEM_STORE_SESSION_H
#define XYLEM_STORE_SESSION_H

#include "store/store.h"

/*
 * Calls `visit` with each session by ascending number, until `visit` returns an error. The views of the session live
 * until the next call.
 */
int xylem_store__each_session(struct xylem_txn *txn, int (*visit)(void *context, const struct xylem_session *session),
                              void *context, struct xylem_error *err);

/* Errors: LIMIT (0 bytes, or more than `bytes_max`), MALFORMED. `what` begins the text: "a session id". */
int xylem_store__name_check(struct xylem_view name, size_t bytes_max, const char *what, struct xylem_error *err);

/* Decodes a row without its sum. */
int xylem_store__session_decode(struct xylem_session *session, uint64_t number, struct xylem_view row,
                                struct xylem_error *err);

/*
 * Begins a new session: checks the id, fills in number, tree and what is 0, and owns the views. Then
 * xylem_store__session_put() writes both rows; after an error neither can be committed.
 */
int xylem_store__session_begin(struct xylem_buffer *copies, struct xylem_session *session, struct xylem_txn *txn,
                               struct xylem_error *err);
int xylem_store__session_put(struct xylem_txn *txn, const struct xylem_session *session, struct xylem_error *err);

/*
 * Gives a session another id, and its old id as parent; the caller writes the row of the session, whose views outlive
 * writes. Errors: EXISTS, LIMIT, MALFORMED (of the id).
 */
int xylem_store__session_rename(struct xylem_txn *txn, struct xylem_session *session, struct xylem_view id,
                                struct xylem_error *err);

/* 1 and the session, in any state, to which a key of `session_ids` leads; or 0. */
int xylem_store__session_with_key(struct xylem_session *session, struct xylem_txn *txn, struct xylem_view key,
                                  struct xylem_error *err);

/* Errors: DELETED, NOT_FOUND (its import has not finished), FREED. */
int xylem_store__session_check_live(const struct xylem_session *session, struct xylem_error *err);

/*
 * Writes a session in another state, and tells DELETED or UNDELETED (enum xylem_change_type). The views of `session` are
 * invalid then.
 */
int xylem_store__session_change_state(struct xylem_txn *txn, struct xylem_session *session, unsigned type,
                                      struct xylem_error *err);

/*
 * Copies the bytes of the views of a session into the empty buffer `copies`, so that the views outlive the next
 * write.
 */
int xylem_store__session_own(struct xylem_buffer *copies, struct xylem_session *session);

#endif
