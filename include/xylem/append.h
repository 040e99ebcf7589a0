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
     * 1 to 64 bytes, unique in the session. Empty: xylem makes a UUIDv7. A made id costs less than a given id: no other
     * entry of the session can have the made id, and no index holds a row for it.
     */
    struct xylem_view id;
    struct xylem_kind kind; /* any but the host's `session`, the header of a session file */
    const int64_t *time_ms; /* NULL: now */
    /*
     * The data of a custom entry is msgpack, or JSON; append turns JSON into msgpack: nil, bool, numbers, strings of
     * WTF-8, arrays, and maps with strings as keys. The payload of a host's entry must be well-formed in its format,
     * and comes back byte for byte. An object of a host has no member `type`, `id`, `parentId` or `timestamp`, since
     * every line of a session file has these members.
     */
    enum xylem_format format;
    struct xylem_view payload;
    /*
     * Of a host's entry of the format LINE, whose payload is the whole line: an object in JSON with any members, and
     * an object still without the session's id in its holes.
     */
    const struct xylem_line_form *form;
};

enum xylem_parent {
    XYLEM_PARENT_LEAF = 0, /* the session's leaf */
    XYLEM_PARENT_NONE,     /* none: the first entry becomes a root */
    XYLEM_PARENT_AT        /* the entry at `parent_position`, an entry of the session */
};

struct xylem_append_options {
    enum xylem_parent parent;
    struct xylem_position parent_position;
    const struct xylem_position *expected_leaf; /* NULL: any leaf; else CONFLICT for another leaf */
    /* Gets the lsn of the first entry, unless NULL. After an abort, another change gets the same lsn. */
    uint64_t *first_lsn;
};

/*
 * Appends entries, each the child of the entry before, all or none, with consecutive lsns. The entries lie at `first`
 * and at the following depths of the same branch. The leaf of the session moves to the last entry. The bytes behind
 * `entries` must not be views of the same transaction, which writes while the call reads the bytes.
 *
 * After LIMIT, MALFORMED, EXISTS, CONFLICT, NOT_FOUND, DELETED and FREED the transaction is unchanged and can go on.
 *
 * Errors:
 * - LIMIT, MALFORMED: an entry is refused; the text gives the reason
 * - EXISTS: an id is taken
 * - CONFLICT: the leaf is not `expected_leaf`, and the text names both; or another handle owns the session; or the
 *   lease of the handle was broken
 * - NOT_FOUND: no such session, or no such parent
 * - DELETED, FREED: of the session
 * - READ_ONLY, MAP_FULL, NO_SPACE, IO, CORRUPT, MEMORY
 */
XYLEM_API int xylem_append(struct xylem_position *first, struct xylem_txn *txn, uint64_t session,
                           const struct xylem_new_entry *entries, size_t entry_count,
                           const struct xylem_append_options *options, struct xylem_error *err);

#ifdef __cplusplus
}
#endif

#endif
