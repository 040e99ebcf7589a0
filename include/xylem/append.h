/* xylem: appending entries to a session. The rules of xylem.h hold for every call. */
#ifndef XYLEM_APPEND_H
#define XYLEM_APPEND_H

#include "entry.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Append ----------------------------------------------------------------------------------------------------- */

/* An entry to append. */
struct xylem_new_entry {
    /*
     * 1 to 64 bytes, unique in the session. Empty: a UUIDv7 is made, which takes less to append than an id that is given:
     * no other entry of the session can have it, and no index has to hold it.
     */
    struct xylem_view id;
    struct xylem_kind kind; /* any but the host's `session`, which is a session file's header */
    const int64_t *time_ms; /* NULL: now */
    /*
     * The data of a custom entry is msgpack, or JSON that append turns into msgpack: nil, bool, numbers, strings of
     * WTF-8, arrays, and maps with strings as keys. A host's payload must be what its format says, and comes back byte
     * for byte; as an object it has no member `type`, `id`, `parentId` or `timestamp`: a line of a session file has
     * those of its own.
     */
    enum xylem_format format;
    struct xylem_view payload;
};

enum xylem_parent {
    XYLEM_PARENT_LEAF = 0, /* the session's leaf */
    XYLEM_PARENT_NONE,     /* none: the first entry becomes a root */
    XYLEM_PARENT_AT        /* the entry at `parent_position`, which must belong to the session */
};

struct xylem_append_options {
    enum xylem_parent parent;
    struct xylem_position parent_position;
    const struct xylem_position *expected_leaf; /* NULL: any; else CONFLICT if the leaf is another one */
};

/*
 * The bytes that `entries` point to must not be views of this transaction: it writes while it reads them.
 * Appends entries, each the child of the one before it, all or none, with consecutive lsns. They lie at `first` and the
 * depths that follow on the same branch. The session's leaf moves to the last one.
 * Errors: LIMIT and MALFORMED (an entry is refused; the text says which), EXISTS (an id is taken), CONFLICT (both
 * leaves are named; or the owner of the session, or that this handle's lease was broken), NOT_FOUND (no such session or
 * parent), DELETED, FREED, READ_ONLY, MAP_FULL, NO_SPACE, IO, CORRUPT. After LIMIT, MALFORMED, EXISTS, CONFLICT,
 * NOT_FOUND, DELETED and FREED the transaction is as it was before the call and can go on.
 */
XYLEM_API int xylem_append(struct xylem_position *first, struct xylem_txn *txn, uint64_t session,
                           const struct xylem_new_entry *entries, size_t entry_count,
                           const struct xylem_append_options *options, struct xylem_error *err);

#ifdef __cplusplus
}
#endif

#endif
