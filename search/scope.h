/*
 * The scope of a search: which entries of the log are searched, and for which session.
 *
 * An entry is searched if it belongs to a session in scope. The owner of a branch that is in scope takes the whole
 * branch. Of another branch, sessions in scope share a part: the path of their base crosses the branch. The session
 * that was last appended to takes its part first, another session the rest up to its own base:
 *
 *     branch 4, owner not in scope    | 1 2 3 4 5 6 7 8 9 |
 *                                     |  session 8  | 12  |      base of 8: depth 6, base of 12: depth 8
 *
 * So every searched entry has one session, and all matches of a session can be counted without a list of matches.
 */
#ifndef XYLEM_SEARCH_SCOPE_H
#define XYLEM_SEARCH_SCOPE_H

#include "search/problems.h"
#include "xylem/search.h"

struct xylem_search__session {
    uint64_t number;
    struct xylem_view id;
    struct xylem_position base;
    struct xylem_position leaf;
    uint64_t last_lsn;
    uint64_t own_entry_count;
    bool wanted; /* in scope */
};

struct xylem_search__branch {
    uint64_t number;
    uint64_t parent_branch;
    uint64_t first_depth;
    uint64_t session;     /* number of the owner */
    uint64_t searched_to; /* the depth up to which segments have the branch; 0: none */
};

/* A run of entries of a branch, all for one session. */
struct xylem_search__segment {
    uint64_t branch;
    uint64_t first_depth;
    uint64_t last_depth;
    size_t session; /* index */
    bool owned;     /* the session owns the branch */
};

struct xylem_search__scope {
    struct xylem_search__session *sessions; /* the live sessions, by number */
    size_t session_count;
    size_t session_capacity;
    struct xylem_search__branch *branches; /* by number */
    size_t branch_count;
    size_t branch_capacity;
    struct xylem_search__segment *segments; /* in the order of the log */
    size_t segment_count;
    size_t segment_capacity;
    uint64_t entry_total;
};

/* A segment has at most this many entries: a thread takes a segment at a time. */
#define XYLEM_SEARCH__SEGMENT_ENTRIES 1024u

/* Reads the scope of the options. Damaged rows become problems. Release in any case. */
int xylem_search__scope_read(struct xylem_search__scope *scope, struct xylem_search__problems *problems,
                             struct xylem_txn *txn, const struct xylem_search_options *options,
                             struct xylem_error *err);
void xylem_search__scope_release(struct xylem_search__scope *scope);

/* The live session of a number; NULL: none. */
struct xylem_search__session *xylem_search__scope_session(const struct xylem_search__scope *scope, uint64_t number);

/*
 * For the members of a hit: `leaves[i]` becomes the depth at which the path of branch i leaves `branch`; 0: the path
 * does not cross `branch`. `leaves` has an item for each branch of the scope.
 */
void xylem_search__scope_leaves(uint64_t *leaves, const struct xylem_search__scope *scope, uint64_t branch);
/* True if the session has the entry. `leaves`: of the branch of the position. */
bool xylem_search__scope_has(const struct xylem_search__scope *scope, const struct xylem_search__session *session,
                             struct xylem_position position, const uint64_t *leaves);

#endif
