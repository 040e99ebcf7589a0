/* xylem: sessions that travel between stores. The rules of xylem.h hold for every call. */
#ifndef XYLEM_SEGMENT_H
#define XYLEM_SEGMENT_H

#include "session.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Whose session ---------------------------------------------------------------------------------------------- */

/*
 * One store owns a session, and appends to it; a store that follows has a copy, which grows by segments of the owner.
 * Reads and forks work in both. In a store that follows, calls that would change the session give CONFLICT with the name
 * of the owner: append, navigate, import, redaction. A session that is deleted here follows still, so that redactions by
 * its owner reach the entries that forks share; xylem_session_undelete() takes the session over. To follow or to own
 * is no change of the feed: the mark belongs to the store.
 */

/*
 * Marks a live or deleted session as one that `owner` owns: UTF-8 of 1 to XYLEM_OWNER_BYTES_MAX bytes, such as the uuid of a store.
 * The epoch is the owner's: it counts who owned the session, and a smaller epoch never replaces a greater one.
 *
 * Errors:
 * - NOT_FOUND, FREED: of the session
 * - CONFLICT: the session has a greater epoch; or another handle has a lease of the session
 * - LIMIT, MALFORMED: of the owner
 * - READ_ONLY, MAP_FULL, NO_SPACE, IO, CORRUPT, MEMORY
 */
XYLEM_API int xylem_session_follow(struct xylem_txn *txn, uint64_t session, struct xylem_view owner, uint64_t epoch,
                                   struct xylem_error *err);

/*
 * The opposite: this store owns the session from now on. Where this store owns the session
 * already only the epoch changes, and a lease does not stand in the way.
 *
 * Errors:
 * - those of xylem_session_follow(), but of the owner
 */
XYLEM_API int xylem_session_own(struct xylem_txn *txn, uint64_t session, uint64_t epoch, struct xylem_error *err);

/*
 * Gives a session another id in this store, so that the owner's session can come anew under the old one: for a session
 * that both stores have changed. Nothing is copied or lost: entries, forks and navigations stay, the store owns the
 * session, its parent (xylem_session.parent) is the old id, and a navigation to its leaf has the reason. `id` empty: a
 * UUIDv7 is made. `session` reads the row. The segments of the owner must then come from the first on.
 *
 * Errors:
 * - NOT_FOUND, DELETED, FREED: of the session
 * - EXISTS, LIMIT, MALFORMED: of the id; LIMIT also of the reason
 * - CONFLICT: another handle has a lease of the session
 * - READ_ONLY, MAP_FULL, NO_SPACE, IO, CORRUPT, MEMORY
 */
XYLEM_API int xylem_session_diverge(struct xylem_session *session, struct xylem_txn *txn, uint64_t number,
                                    struct xylem_view id, struct xylem_view reason, struct xylem_error *err);

/* --- Where a session stands in its changes ---------------------------------------------------------------------- */

/*
 * The chain behind the change of an ordinal: xylem_session.history.chain as it was then. 0 for the ordinal 0. The cost
 * grows with the changes since, not with the session.
 *
 * Errors:
 * - NOT_FOUND: the session has fewer changes, or was freed
 * - CORRUPT, IO, MEMORY
 */
XYLEM_API int xylem_session_chain(uint64_t *chain, struct xylem_txn *txn, uint64_t session, uint64_t ordinal,
                                  struct xylem_error *err);

/*
 * The session that owns the branch of an entry, and the ordinal of the entry among its changes; 0 if the session was
 * freed. A fork needs its base: the changes of that session up to this ordinal.
 *
 * Errors:
 * - NOT_FOUND, FREED: of the position
 * - CORRUPT, IO
 */
XYLEM_API int xylem_entry_ordinal(uint64_t *session, uint64_t *ordinal, struct xylem_txn *txn,
                                  struct xylem_position position, struct xylem_error *err);

/* --- Segments --------------------------------------------------------------------------------------------------- */

/*
 * A segment is a run of changes of one session, [from, to) by their ordinals, as bytes that any store can take
 * (docs/format.md, "Segments"): by ids, names of kinds, payloads and kept lines; without lsns, branches, positions. The
 * last segment of a session has its document, too: leaf, session files, quarantine. Entries that were redacted travel
 * without payload, also where the redaction is a later change.
 *
 * What `segment` says: views live as long as the bytes.
 */
struct xylem_segment {
    struct xylem_view session;    /* its id */
    struct xylem_view name_space; /* of the id; data NULL: the empty one */
    uint64_t from;
    uint64_t to;
    uint64_t chain_before; /* of the session, behind the change before `from` */
    uint64_t chain;        /* behind the last change */
    uint64_t entry_count;
    uint64_t taken_count; /* entries and rows that patterns took out; known to the packing alone */
    bool has_document;
    /*
     * The remains of a freed session: entries that forks of it need, without ordinals. `from` and `to` are 0.
     */
    bool freed;
    /* With the first change (`from` 1): */
    struct xylem_view base_session; /* the base, an entry of another session; data NULL: none */
    struct xylem_view base_name_space;
    struct xylem_view base_entry;
    struct xylem_view cwd; /* data NULL: none */
};

#define XYLEM_SEGMENT_BYTES 1048576u /* a segment takes no further change at this size: 1 MiB */

struct xylem_patterns;

struct xylem_pack_options {
    uint64_t from; /* the first ordinal; 0: 1 */
    uint64_t to;   /* behind the last; 0: all, and the document */
    /*
     * Entries that match travel redacted, with this reason and a payload hash that tells nothing. Entries that were
     * redacted before get such a hash, too. Matching lines in quarantine travel without their bytes. A match in an id, a
     * kind, a directory, a path or a reason cannot travel. NULL: none. `patterns_sum` tells sets of patterns apart: the
     * hashes are made of it.
     */
    const struct xylem_patterns *patterns;
    uint64_t patterns_sum;
    struct xylem_view reason;
};

/*
 * Packs the changes of a session, segment by segment. The session may be in any state but importing; of the remains of a
 * freed session all entries are packed. xylem_packing_next() empties `bytes` first, and gives 1, or 0 at the end. What a
 * crash could take back must not travel: call xylem_sync() between the begin of the read transaction and the first
 * packing. A write ends the packing.
 *
 * Errors:
 * - ARGUMENT: `from` lies behind `to`; or with patterns no reason, or a pattern matches the reason
 * - NOT_FOUND: the session has fewer changes than `from` - 1, or its import is not finished; or the id of a freed
 *   session is lost, after a repair
 * - CONFLICT: a pattern matches where nothing can be taken out: the text names the place
 * - LIMIT, MALFORMED: of the reason; or a search was ended, as in xylem_redact_matches()
 * - CORRUPT, IO, MEMORY
 */
struct xylem_packing;
XYLEM_API int xylem_packing_new(struct xylem_packing **packing, struct xylem_txn *txn, uint64_t session,
                                const struct xylem_pack_options *options, struct xylem_error *err);
XYLEM_API int xylem_packing_next(struct xylem_buffer *bytes, struct xylem_segment *segment,
                                 struct xylem_packing *packing, struct xylem_error *err);
XYLEM_API void xylem_packing_free(struct xylem_packing *packing);
/*
 * All changes come as one segment of up to 65,536 changes, whatever its length: for a segment that is packed again, behind
 * a redaction, and must end where it ended. Call it before the first xylem_packing_next().
 */
XYLEM_API void xylem_packing_whole(struct xylem_packing *packing);

/*
 * Reads what a segment says, and verifies all of it: sum, lengths, limits, chain. The bytes may be a stranger's.
 *
 * Errors:
 * - MALFORMED: not a segment; TOO_NEW: of a later version
 * - CORRUPT: the sum or the chain is wrong
 * - LIMIT: a length beyond a limit of docs/format.md
 * - MEMORY
 */
XYLEM_API int xylem_segment_read(struct xylem_segment *segment, struct xylem_view bytes, struct xylem_error *err);

/*
 * 1 if the segment has a text of an entry: its payload, its kept line, or values of the session in the entry. 0 if the
 * entry travels redacted, has no text, or is in another segment. So a reader of segments finds what redactions left.
 *
 * Errors:
 * - those of xylem_segment_read()
 */
XYLEM_API int xylem_segment_holds(struct xylem_view bytes, struct xylem_view entry, struct xylem_error *err);

struct xylem_apply_options {
    /*
     * Who owns the session: it becomes, or stays, a session that follows. Empty: this store, and then no further segment
     * is taken; a session of several segments follows first, and is taken over at its end (xylem_session_own()).
     */
    struct xylem_view owner;
    uint64_t epoch;        /* of the owner; the session may have no greater one */
    struct xylem_view cwd; /* of a session that the segment makes, in the place of its own; data NULL: its own */
};

struct xylem_apply_report {
    uint64_t session;        /* its number; 0: unknown */
    bool is_new;             /* the segment made the session */
    uint64_t change_count;   /* changes that were new: 0 if the store had all of them */
    uint64_t entry_count;    /* entries among them */
    uint64_t redacted_count; /* entries whose payload was taken out of this store */
    uint64_t line_count;     /* quarantined lines, and torn last lines of files, that lost their bytes here */
    uint64_t differs;        /* with CONFLICT: the first ordinal that differs; 0: the segment tells no ordinal */
    /* The session is deleted or freed here, and the segment does not follow: only redactions were taken of it. */
    bool deleted;
};

/*
 * Takes a segment into the store. Changes that the store has already are compared, not repeated, so a segment may come
 * twice. An entry redacted here stays redacted. An entry redacted by its owner loses its payload here, also where the
 * change REDACTED lies behind the segment. `report` is filled in with an error, too. The changes of a session come
 * without a gap: from the ordinal behind xylem_session.history.count at most. A redacted text stays in free pages of the
 * file until xylem_compact(). Behind an entry whose hash was dropped here, a base is known by the ids of its session and
 * its entry alone: the checks there are those of this store.
 *
 * Errors:
 * - those of xylem_segment_read()
 * - NOT_FOUND: changes before `from` are missing, or the base: the text says which segment must come first
 * - CONFLICT: the store has another history under the id (`differs`); or the session does not follow `owner`, and the
 *   segment has more than the store; or the session has a greater epoch; or the hash of an entry on the path
 *   was dropped by the owner, and not here yet; or the base is another entry in the store
 * - DELETED: the session was deleted here, and does not follow any more
 * - BUSY: xylem_redact_write() is under way, and a hash is to be dropped
 * - READ_ONLY, MAP_FULL, NO_SPACE, IO, CORRUPT, MEMORY
 */
XYLEM_API int xylem_segment_apply(struct xylem_apply_report *report, struct xylem_txn *txn, struct xylem_view bytes,
                                  const struct xylem_apply_options *options, struct xylem_error *err);

/* --- Changes of a session as JSON ------------------------------------------------------------------------------- */

/*
 * Writes all that a store has of a session, in any state but importing, as lines of JSON that any program can read
 * (docs/format.md, "Changes of a session as JSON"): entries, navigations, redactions, rows beside entries, deletion,
 * session files, quarantine, leaf, owner. `write` gets the bytes in pieces. Of a freed session come the entries that
 * forks of it need.
 *
 * Errors:
 * - NOT_FOUND: of the session; or its import is not finished; or the id of a freed session is lost, after a repair
 * - STOPPED: `write` answered anything but 0
 * - LIMIT: the row of an entry exceeds XYLEM_LINE_BYTES_MAX
 * - CORRUPT, IO, MEMORY
 */
XYLEM_API int xylem_export_changes(struct xylem_txn *txn, uint64_t session,
                                   int (*write)(void *context, const void *data, size_t bytes), void *context,
                                   struct xylem_error *err);

/*
 * Takes the session of such a file, whole: in another store the session has the same changes under the same ordinals,
 * and the same owner; without an owner it belongs to the store. The session that a fork was made of must come first. A
 * session that the store has with the same changes, and perhaps more, stays as it is (`report->is_new` false).
 *
 * The file may also be a document ID.json that `xylem export --all` wrote in format 2, for a session whose session file
 * was imported: then navigations, deletion, leaf, quarantine and the names of files are added. A session that has
 * navigations, is deleted or follows stays as it is.
 *
 * After an error the transaction can only be aborted.
 *
 * Errors:
 * - MALFORMED: not such a file, or a hash or the chain does not match; the text names the line, what was expected, and
 *   what was found
 * - those of xylem_segment_apply()
 */
XYLEM_API int xylem_import_changes(struct xylem_apply_report *report, struct xylem_txn *txn, const char *path,
                                   struct xylem_error *err);

#ifdef __cplusplus
}
#endif

#endif
