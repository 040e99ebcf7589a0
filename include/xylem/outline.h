/* xylem: lists of sessions. The rules of xylem.h hold for every call. */
#ifndef XYLEM_OUTLINE_H
#define XYLEM_OUTLINE_H

#include "session.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Outlines --------------------------------------------------------------------------------------------------- */

/*
 * What a list shows of a session. The store keeps outlines beside the sessions. An append leaves a kept outline as it
 * is, so that no append pays for lists; every call below sees that a kept outline is stale, and then makes the outline
 * from the entries. xylem_outlines_refresh() keeps outlines. A damaged kept outline counts as stale.
 */
struct xylem_outline {
    uint64_t entry_count; /* own entries, and entries on the path of the base */
    uint64_t tip_count;   /* entries without a child, as xylem_tips_next() gives them */
    int64_t active_ms;    /* time of the leaf, or of the creation of a session without a leaf */
    bool has_name;
};

/*
 * Reads an outline. Of a stale outline the time grows with the branches of the session, not with its entries; only an
 * unreadable last `session_info` entry makes the call look further. `session` is a row from the same transaction. The
 * name of the session is appended to `name`, which may be NULL.
 *
 * Errors:
 * - CORRUPT, IO, MEMORY
 */
XYLEM_API int xylem_outline_read(struct xylem_outline *outline, struct xylem_buffer *name, struct xylem_txn *txn,
                                 const struct xylem_session *session, struct xylem_error *err);

/*
 * Appends the first words of a person and the last words, both on the path of the leaf, with at most
 * XYLEM_OUTLINE_WORDS_BYTES_MAX bytes each: the last three are an ellipsis if there are more words. The first words are
 * those of the first message with the role `user` among the first 64 entries; the last words are those of the newest
 * message. The words of a message are its text; else its error, its command, the name of the tool that it calls, or the
 * type of its first part, such as `image`. Either buffer may be NULL.
 *
 * Errors:
 * - CORRUPT, IO, MEMORY
 */
XYLEM_API int xylem_outline_words(struct xylem_buffer *first, struct xylem_buffer *last, struct xylem_txn *txn,
                                  const struct xylem_session *session, struct xylem_error *err);

struct xylem_outlines_options {
    struct xylem_view directory; /* only sessions with this directory; data NULL: all */
    bool below;                  /* also sessions with a directory below */
    /* Begin behind this session, the last of an earlier list. `after_session` 0: begin with the newest. */
    int64_t after_ms;
    uint64_t after_session;
};

/*
 * Iterates over the sessions by activity, the last active first; of the same time the greater number first. All states
 * but freed: look at `state`. The first call takes longer with more stale outlines; each step reads the rows of one
 * session. `next` gives the time of the activity; a session whose leaf cannot be read stands where its creation would
 * stand, and xylem_outline_read() says why. `options` may be NULL.
 *
 * Errors:
 * - CORRUPT, IO, MEMORY
 */
struct xylem_outlines;
XYLEM_API int xylem_outlines_new(struct xylem_outlines **outlines, struct xylem_txn *txn,
                                 const struct xylem_outlines_options *options, struct xylem_error *err);
XYLEM_API int xylem_outlines_next(struct xylem_session *session, int64_t *active_ms, struct xylem_outlines *outlines,
                                  struct xylem_error *err);
/* True if the leaf of some session cannot be read: that session may stand elsewhere. Each `next` may find one. */
XYLEM_API bool xylem_outlines_damaged(const struct xylem_outlines *outlines);
XYLEM_API void xylem_outlines_free(struct xylem_outlines *outlines);

/*
 * Iterates over the names of sessions, or over the sessions with the name `whole` (data NULL: all names), which must
 * live as long as the iterator; in any order and in any state of the sessions. The name lives until the next
 * call. A session whose name cannot be read is left out, and xylem_names_damaged() is true at the end.
 *
 * Errors:
 * - CORRUPT, IO, MEMORY
 */
struct xylem_names;
XYLEM_API int xylem_names_new(struct xylem_names **names, struct xylem_txn *txn, struct xylem_view whole,
                              struct xylem_error *err);
XYLEM_API int xylem_names_next(uint64_t *session, struct xylem_view *name, struct xylem_names *names,
                               struct xylem_error *err);
XYLEM_API bool xylem_names_damaged(const struct xylem_names *names);
XYLEM_API void xylem_names_free(struct xylem_names *names);

/*
 * Keeps the outlines of all sessions, in pieces, so that other writers wait for no more than 250 ms. Writes nothing if
 * no outline is stale. Call it after an import, after xylem_gc_write() and when a host is idle or has ended a session.
 * A session whose outline cannot be read stays stale. `count`: outlines that were made; NULL is allowed. Any thread.
 *
 * Errors:
 * - READ_ONLY, MAP_FULL, NO_SPACE, IO, CORRUPT, MEMORY, OUTCOME_UNKNOWN
 */
XYLEM_API int xylem_outlines_refresh(uint64_t *count, struct xylem_store *store, struct xylem_error *err);

#ifdef __cplusplus
}
#endif

#endif
