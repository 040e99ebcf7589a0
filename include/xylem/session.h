/* xylem: sessions, and positions of entries. The rules of xylem.h hold for every call. */
#ifndef XYLEM_SESSION_H
#define XYLEM_SESSION_H

#include "store.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Session ---------------------------------------------------------------------------------------------------- */

/*
 * Where an entry lies: branch number, and depth (a root has depth 1). Both 0: none. A position is a name that stays
 * right for as long as the entry exists; it may be kept, and used in any later transaction of the same store. Once
 * xylem_gc() freed the entry, calls give FREED for it where they give NOT_FOUND for a position that never was.
 */
struct xylem_position {
    uint64_t branch;
    uint64_t depth;
};

enum xylem_session_state {
    XYLEM_SESSION_LIVE = 0,
    XYLEM_SESSION_IMPORTING = 1, /* its import has not finished; readers do not see it */
    XYLEM_SESSION_DELETED = 2,   /* marked; its id stays taken */
    XYLEM_SESSION_FREED = 3      /* its id is free again; the row stays for as long as others share its entries */
};

/* What a count is in a store that was made by a version of xylem which did not count. */
#define XYLEM_NOT_COUNTED UINT64_MAX

/* A session's row. `number` names it in every other call; it is never reused. Views: see the rule above. */
struct xylem_session {
    uint64_t number;
    struct xylem_view id;
    struct xylem_view cwd;    /* bytes 0 and data NULL: not given */
    struct xylem_view parent; /* what the header names as parent session; bytes 0 and data NULL: none */
    struct xylem_view header; /* the imported header line (in format 3), where the other fields do not give it back */
    int64_t created_ms;
    struct xylem_position base; /* the last entry that it shares with the session it was forked from, or none */
    struct xylem_position leaf;
    uint64_t tree;                       /* sessions that were forked from each other have the same tree number */
    uint64_t last_lsn;                   /* of the newest entry appended to it, 0 for none */
    uint64_t move_count;                 /* navigations so far */
    uint64_t newest_branch;              /* the newest branch that it owns, 0 for none */
    uint64_t own_entry_count;            /* entries on the branches that it owns; or XYLEM_NOT_COUNTED */
    struct xylem_position imported_leaf; /* where the last import put the leaf; none if there was no import */
    enum xylem_session_state state;
    bool import_unfinished; /* of a deleted one: it was being imported then */
};

struct xylem_session_options {
    struct xylem_view id;      /* empty: a UUIDv7 is made */
    struct xylem_view cwd;     /* data NULL: none */
    struct xylem_view parent;  /* data NULL: none */
    const int64_t *created_ms; /* NULL: now */
};

/* Creates a session without entries. Errors: EXISTS (also if a deleted session has the id), LIMIT, and as append. */
XYLEM_API int xylem_session_create(struct xylem_session *session, struct xylem_txn *txn,
                                   const struct xylem_session_options *options, struct xylem_error *err);

/* The live session of that id. Errors: NOT_FOUND (also while it is being imported), DELETED, CORRUPT. */
XYLEM_API int xylem_session_find(struct xylem_session *session, struct xylem_txn *txn, struct xylem_view id,
                                 struct xylem_error *err);

/*
 * The session of that number, in whatever state. What xylem_gc() left of one (XYLEM_SESSION_FREED) has no id, leaf or
 * navigations; calls that read a session by its number show the entries that it still has, and those that change one
 * refuse it. Errors: NOT_FOUND (also if all of it was freed), CORRUPT.
 */
XYLEM_API int xylem_session_read(struct xylem_session *session, struct xylem_txn *txn, uint64_t number,
                                 struct xylem_error *err);

/* Iterates over all sessions in the order of their numbers, in whatever state: look at `state`. */
struct xylem_sessions;
XYLEM_API int xylem_sessions_new(struct xylem_sessions **sessions, struct xylem_txn *txn, struct xylem_error *err);
XYLEM_API int xylem_sessions_next(struct xylem_session *session, struct xylem_sessions *sessions,
                                  struct xylem_error *err);
XYLEM_API void xylem_sessions_free(struct xylem_sessions *sessions);

/*
 * Marks a session as deleted, also one whose import has not finished. Sessions that share entries with it keep them.
 * Nothing of it is lost until xylem_gc(). Errors: NOT_FOUND, DELETED, FREED, and as append.
 */
XYLEM_API int xylem_session_delete(struct xylem_txn *txn, uint64_t session, struct xylem_error *err);

/*
 * Takes the mark away: the session is what it was when it was deleted. One whose import had not finished is being
 * imported again, so that readers do not see half of it; the next import of its file goes on.
 * Errors: NOT_FOUND (also if all of it was freed), FREED, EXISTS (it is not deleted), and as append.
 */
XYLEM_API int xylem_session_undelete(struct xylem_txn *txn, uint64_t session, struct xylem_error *err);

#ifdef __cplusplus
}
#endif

#endif
