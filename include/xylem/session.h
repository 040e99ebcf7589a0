/* xylem: sessions, and positions of entries. The rules of xylem.h hold for every call. */
#ifndef XYLEM_SESSION_H
#define XYLEM_SESSION_H

#include "store.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Session ---------------------------------------------------------------------------------------------------- */

/*
 * The place of an entry: branch number, and depth (a root has depth 1). Both 0: none. A position stays right for the
 * lifetime of the entry: keep the position, and use the position in any later transaction of the same store. For an
 * entry that xylem_gc() freed calls give FREED; for a position that never had an entry, NOT_FOUND.
 */
struct xylem_position {
    uint64_t branch;
    uint64_t depth;
};

enum xylem_session_state {
    XYLEM_SESSION_LIVE = 0,
    XYLEM_SESSION_IMPORTING = 1, /* the import has not finished; readers do not see the session */
    XYLEM_SESSION_DELETED = 2,   /* marked; the id stays taken */
    XYLEM_SESSION_FREED = 3      /* the id is free again; the row stays as long as other sessions share its entries */
};

/*
 * How far a session's own changes go: each change has an ordinal, 1 for the first. The chain is an XXH3-64 that runs
 * over all of them, and holds nothing of the store: two stores with an equal count and chain have the same changes of
 * the session, in the same order. The contents of entries have no part in it: xylem_entry.check covers them.
 */
struct xylem_history {
    uint64_t count; /* the ordinal of the newest change; 0: none */
    uint64_t chain; /* 0 without a change */
    uint64_t row;   /* private: the newest change in the feed */
};

/*
 * The row of a session. An id is unique within its namespace: a text of the host, such as the key of a project, for a
 * host whose ids are unique within a project alone. Sessions of pi, and what the command `xylem` names, are in the
 * empty namespace. (`namespace` is a word of C++, so the members are called `name_space`.) `number` names the session in
 * every other call, and is never used again.
 */
struct xylem_session {
    uint64_t number;
    struct xylem_view id;
    struct xylem_view name_space; /* of the id; bytes 0 and data NULL: the empty namespace */
    struct xylem_view cwd;        /* bytes 0 and data NULL: not given */
    struct xylem_view parent;     /* the parent session in the header; bytes 0 and data NULL: none */
    struct xylem_view header; /* the imported header line (format 3), if the other members cannot give the line back */
    int64_t created_ms;
    struct xylem_position base; /* the last shared entry of a fork, or none */
    struct xylem_position leaf;
    uint64_t tree;                       /* a session and its forks have the same tree number */
    uint64_t last_lsn;                   /* of the newest appended entry, 0 for none */
    uint64_t move_count;                 /* navigations so far */
    uint64_t newest_branch;              /* the newest branch of the session, 0 for none */
    uint64_t own_entry_count;            /* entries on the branches that it owns */
    struct xylem_position imported_leaf; /* the leaf after the last import; none without an import */
    struct xylem_history history;
    struct xylem_view owner; /* who owns a session that follows; data NULL: this store owns the session */
    uint64_t epoch;          /* of the owner: segment.h */
    enum xylem_session_state state;
    bool import_unfinished; /* of a deleted session: the import was unfinished */
};

struct xylem_session_options {
    struct xylem_view id;         /* empty: a UUIDv7 is made */
    struct xylem_view cwd;        /* data NULL: none */
    struct xylem_view parent;     /* data NULL: none */
    const int64_t *created_ms;    /* NULL: now */
    struct xylem_view name_space; /* data NULL: the empty one; of a fork or a clone, the namespace of the source */
};

/*
 * Creates a session without entries.
 *
 * Errors:
 * - EXISTS: a session of the namespace has the id, maybe a deleted session; or a namespace with the same hash has it
 * - LIMIT: the id has more than XYLEM_SESSION_ID_BYTES_MAX bytes, the namespace more than XYLEM_NAMESPACE_BYTES_MAX
 * - MALFORMED: the id or the namespace is not UTF-8, or the id has a NUL byte
 * - READ_ONLY, MAP_FULL, NO_SPACE, IO, CORRUPT, MEMORY
 */
XYLEM_API int xylem_session_create(struct xylem_session *session, struct xylem_txn *txn,
                                   const struct xylem_session_options *options, struct xylem_error *err);

/*
 * The live session of an id, in the empty namespace or in a namespace.
 *
 * Errors:
 * - NOT_FOUND: no session has the id, or the import of the session is not finished
 * - DELETED
 * - CORRUPT, IO
 */
XYLEM_API int xylem_session_find(struct xylem_session *session, struct xylem_txn *txn, struct xylem_view id,
                                 struct xylem_error *err);
XYLEM_API int xylem_session_find_in(struct xylem_session *session, struct xylem_txn *txn, struct xylem_view name_space,
                                    struct xylem_view id, struct xylem_error *err);

/*
 * The session of a number, in any state. The rest of a session after xylem_gc() (XYLEM_SESSION_FREED) has no id, leaf
 * or navigations. Calls that read a session by its number show the remaining entries; calls that change a session
 * refuse it.
 *
 * Errors:
 * - NOT_FOUND: there is no session of the number, or all of the session was freed
 * - CORRUPT, IO
 */
XYLEM_API int xylem_session_read(struct xylem_session *session, struct xylem_txn *txn, uint64_t number,
                                 struct xylem_error *err);

/*
 * Iterates over all sessions in the order of their numbers, in any state: look at `state`.
 *
 * Errors:
 * - CORRUPT, IO, MEMORY
 */
struct xylem_sessions;
XYLEM_API int xylem_sessions_new(struct xylem_sessions **sessions, struct xylem_txn *txn, struct xylem_error *err);
XYLEM_API int xylem_sessions_next(struct xylem_session *session, struct xylem_sessions *sessions,
                                  struct xylem_error *err);
/*
 * Iterates over the sessions of a namespace whose ids begin so, in the order of the ids, in any state but freed: a freed
 * session has no id. Reads the rows of these sessions alone. The first call is for the empty namespace; the beginning of
 * the second may be empty. The views must live as long as the iterator.
 *
 * Errors:
 * - ARGUMENT: the beginning of the first call is empty
 * - CORRUPT, IO, MEMORY
 */
XYLEM_API int xylem_sessions_beginning(struct xylem_sessions **sessions, struct xylem_txn *txn,
                                       struct xylem_view beginning, struct xylem_error *err);
XYLEM_API int xylem_sessions_in(struct xylem_sessions **sessions, struct xylem_txn *txn, struct xylem_view name_space,
                                struct xylem_view beginning, struct xylem_error *err);
XYLEM_API void xylem_sessions_free(struct xylem_sessions *sessions);

/*
 * Marks a session as deleted; the import of the session may be unfinished. Sessions with shared entries keep the
 * entries. Nothing is lost until xylem_gc().
 *
 * Errors:
 * - NOT_FOUND, DELETED, FREED
 * - CONFLICT: another handle owns the session (xylem_lease_take())
 * - READ_ONLY, MAP_FULL, NO_SPACE, IO, CORRUPT, MEMORY
 */
XYLEM_API int xylem_session_delete(struct xylem_txn *txn, uint64_t session, struct xylem_error *err);

/*
 * Takes the mark away: the session is as before the deletion, but for an owner (segment.h): the store owns the session
 * then. A session with an unfinished import is importing again, so readers do not see half a session; the next import of
 * the file goes on.
 *
 * Errors:
 * - NOT_FOUND: there is no session of the number, or all of the session was freed
 * - FREED: a part of the session was freed
 * - EXISTS: the session is not deleted
 * - CONFLICT: another handle owns the session (xylem_lease_take())
 * - READ_ONLY, MAP_FULL, NO_SPACE, IO, CORRUPT, MEMORY
 */
XYLEM_API int xylem_session_undelete(struct xylem_txn *txn, uint64_t session, struct xylem_error *err);

#ifdef __cplusplus
}
#endif

#endif
