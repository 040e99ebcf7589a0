/*
 * format/ encodes and decodes the bytes of a store: keys, records, checksums, minted ids, msgpack data. All functions
 * are pure: bytes in, structs out, and back. docs/format.md describes the same bytes.
 * format/ reads no file, and knows no transaction.
 * Begin reading at format.h (the tables), keys.h (how a table is ordered), then record.h (one entry).
 * Other rooms may include: chain.h data.h format.h hash.h holes.h keys.h line_names.h minted_id.h record.h
 * spelling.h
 */
/*
 * The bytes of a store: every width, flag and limit of the format, in one place. docs/format.md is the specification.
 * Numbers in values are little-endian; numbers in keys are big-endian, so that LMDB's own order is numeric order.
 */
#ifndef XYLEM_FORMAT_FORMAT_H
#define XYLEM_FORMAT_FORMAT_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "xylem/entry.h"

#define XYLEM_FORMAT__FORMAT_VERSION 3u

/*
 * Feature bits: something is in the store, or the store is a copy. Each bit is set with the first use of its feature. A
 * store with a bit that this library does not know is refused.
 */
#define XYLEM_FORMAT__FEATURE_FREED UINT64_C(0x01) /* something was freed: branches may end early, sessions be freed */
#define XYLEM_FORMAT__FEATURE_HASH_DROPPED UINT64_C(0x02) /* entries may have the flag XYLEM_ENTRY_HASH_DROPPED */
#define XYLEM_FORMAT__FEATURE_LEASES UINT64_C(0x04)  /* sessions may have owners; only the owner may change a session */
#define XYLEM_FORMAT__FEATURE_REMOVED UINT64_C(0x08) /* after a redaction or a deletion: `meta` has the row `removed` */
#define XYLEM_FORMAT__FEATURE_NOTES UINT64_C(0x10)   /* `meta` has the row `notes` */
#define XYLEM_FORMAT__FEATURE_COPY UINT64_C(0x20) /* a backup that was never written: its first change begins a life */
#define XYLEM_FORMAT__FEATURES_KNOWN UINT64_C(0x3f)
/* X(bit, what a store with it has): features of later libraries that have their bits already. */
#define XYLEM_FORMAT__FEATURE_LATER_LIST(X)  \
    X(UINT64_C(0x40), "compressed payloads") \
    X(UINT64_C(0x80), "commits with one flush")

/* X(constant, name): the tables, in the order of their numbers. */
#define XYLEM_FORMAT__TABLE_LIST(X)             \
    X(XYLEM_FORMAT__META, "meta")               \
    X(XYLEM_FORMAT__SESSIONS, "sessions")       \
    X(XYLEM_FORMAT__SESSION_IDS, "session_ids") \
    X(XYLEM_FORMAT__BRANCHES, "branches")       \
    X(XYLEM_FORMAT__LOG, "log")                 \
    X(XYLEM_FORMAT__IDS, "ids")                 \
    X(XYLEM_FORMAT__KINDS, "kinds")             \
    X(XYLEM_FORMAT__FEED, "feed")               \
    X(XYLEM_FORMAT__MOVES, "moves")             \
    X(XYLEM_FORMAT__SOURCES, "sources")         \
    X(XYLEM_FORMAT__QUARANTINE, "quarantine")   \
    X(XYLEM_FORMAT__OUTLINES, "outlines")       \
    X(XYLEM_FORMAT__SIDES, "sides")

#define XYLEM_FORMAT__TABLE_ENUM_ROW(constant, name) constant,
enum xylem_format__table { XYLEM_FORMAT__TABLE_LIST(XYLEM_FORMAT__TABLE_ENUM_ROW) XYLEM_FORMAT__TABLE_COUNT };
#undef XYLEM_FORMAT__TABLE_ENUM_ROW
static_assert(XYLEM_FORMAT__TABLE_COUNT == XYLEM_TABLE_COUNT, "xylem_stat shows every table");
/* The name of a table. */
const char *xylem_format__table_name(enum xylem_format__table table);

/* Rows of `meta`. */
#define XYLEM_FORMAT__META_FORMAT "format" /* u32 version, u64 features, u64 lsns without an entry */
#define XYLEM_FORMAT__META_UUID "uuid"     /* 16 bytes */
#define XYLEM_FORMAT__META_INCARNATION \
    "incarnation" /* 16 bytes, u64 lsn and u64 chain at its beginning, 16 bytes of the one before; absent: the uuid */
#define XYLEM_FORMAT__META_FLOORS "floors" /* u64 each: session, branch, lsn, kind; absent: all 0 */
#define XYLEM_FORMAT__META_FREED "freed" /* u64 freed entries, u64 freed sessions that still have rows; absent: none */
/*
 * u64 redactions and deletions so far, u64 next lsn at the last redaction, u64 next lsn at the last deletion; 0: none
 */
#define XYLEM_FORMAT__META_REMOVED "removed"
/*
 * of a redaction between two pieces: u64 random, sized reason, u64 last branch (0: no hashes are dropped), sized targets
 * (u64 branch, u64 depth of each entry to redact), sized branches behind (u64 branch, u64 depth, u64 old check above)
 */
#define XYLEM_FORMAT__META_REDACTING "redacting"
#define XYLEM_FORMAT__META_LEASES "leases" /* u64 last token, u64 rows of owners; absent: both 0 */
#define XYLEM_FORMAT__META_LEASE \
    "lease:" /* and u64 session, big-endian: u64 token, i64 pid, i64 since_ms, sized host */

#define XYLEM_FORMAT__META_NOTES "notes" /* u64 number of notes; absent: none */
#define XYLEM_FORMAT__META_NOTE "note:"  /* and the name: the value */

/* Appends the row `format`, without its sum. */
int xylem_format__format_encode(struct xylem_buffer *row, uint64_t features, uint64_t change_count);
/*
 * Reads the row `format` of the store at `path`. Errors: TOO_OLD (an older version), TOO_NEW (a version or a feature
 * unknown to this library), CORRUPT (the row is too short).
 */
int xylem_format__format_check(uint64_t *features, const char *path, struct xylem_view row, struct xylem_error *err);
/* The number of lsns without an entry in the row `format`; freed lsns are counted elsewhere. */
uint64_t xylem_format__format_change_count(struct xylem_view row);

/* Widths. */
#define XYLEM_FORMAT__SUM_BYTES 4u  /* at the end of every value, except in meta; at the beginning of a record */
#define XYLEM_FORMAT__HASH_BYTES 8u /* any other hash, and the sum of a row of meta */
#define XYLEM_FORMAT__NAME_KEY_BYTES_MAX 400u /* a longer name is cut: 392 bytes, and the XXH3-64 of the name */
#define XYLEM_FORMAT__NAME_KEY_HEAD_BYTES 392u
#define XYLEM_FORMAT__KEY_BYTES_MAX 511u /* LMDB's own limit */
static_assert(XYLEM_FORMAT__NAME_KEY_HEAD_BYTES + 8u == XYLEM_FORMAT__NAME_KEY_BYTES_MAX,
              "a cut name ends in its hash");
static_assert(8u + XYLEM_FORMAT__NAME_KEY_BYTES_MAX <= XYLEM_FORMAT__KEY_BYTES_MAX, "keys of sources and kinds fit");
static_assert(9u + XYLEM_SESSION_ID_BYTES_MAX <= XYLEM_FORMAT__KEY_BYTES_MAX, "a session id is a key");

/* The first byte of a key of `session_ids` is of an id of the empty namespace, or this tag before a hash and an id. */
#define XYLEM_FORMAT__NAMESPACE_TAG 0xffu           /* no byte of UTF-8 */
#define XYLEM_FORMAT__NAMESPACE_KEY_BYTES (1u + 8u) /* before the id */

/* The first byte of a key of `kinds` is a class before a name, or this tag before a number. */
#define XYLEM_FORMAT__KIND_NUMBER_TAG 0xffu
#define XYLEM_FORMAT__KIND_NUMBER_KEY_BYTES 5u
static_assert(XYLEM_CLASS_CUSTOM < XYLEM_FORMAT__KIND_NUMBER_TAG, "a class is not a number tag");

/*
 * The name of the only kind without marks, and the type of a session file's header, which no entry can have as its
 * kind.
 */
#define XYLEM_FORMAT__MESSAGE_NAME "message"
#define XYLEM_FORMAT__HEADER_NAME "session"
/* The name of the host's kind that names its session. */
#define XYLEM_FORMAT__SESSION_INFO_NAME "session_info"

/* The first byte of a key of `outlines`. */
enum xylem_format__outline_tag {
    XYLEM_FORMAT__OUTLINE_HEAD,   /* u64 lsn, u64 session up to which the table was made */
    XYLEM_FORMAT__OUTLINE_ROW,    /* what a list shows of a session */
    XYLEM_FORMAT__OUTLINE_ACTIVE, /* the sessions by activity; this tag and the next three have rows without fields */
    XYLEM_FORMAT__OUTLINE_DIRECTORY, /* by directory, then by activity */
    XYLEM_FORMAT__OUTLINE_NAME,      /* by name */
    XYLEM_FORMAT__OUTLINE_STALE,     /* notices: sessions whose row is stale although no lsn tells */
    XYLEM_FORMAT__OUTLINE_WORDS      /* first and last words; last, since LMDB fills only the pages at a table's end */
};
#define XYLEM_FORMAT__OUTLINE_ROW_NAMED 0x01u /* flags of a row */
#define XYLEM_FORMAT__OUTLINE_ROW_FIRST 0x02u
#define XYLEM_FORMAT__OUTLINE_ROW_LAST 0x04u

/*
 * The first byte of a row of `feed`. At the end of each row: u64 store's chain behind the row (0: not known). Before
 * it, in rows of the first and the third kind: u64 session's chain before the row, varint ordinal of the first change,
 * varint distance to the row with the change before in the session (0: none).
 */
#define XYLEM_FORMAT__FEED_APPENDED 0u /* varints: branch, depth, number of entries */
#define XYLEM_FORMAT__FEED_FREED 1u    /* varint last freed lsn */
/*
 * u8 type (enum xylem_change_type), varint session, then by the type: MOVED varint number, REDACTED varints branch and
 * depth, FREED the session's id behind its length, a varint; in a namespace the id, 0xff and the namespace
 */
#define XYLEM_FORMAT__FEED_CHANGE 2u
#define XYLEM_FORMAT__FEED_SKIPPED \
    3u /* varint last lsn: lsns that a repair leaves out, so that the entries keep theirs */

/*
 * A record:
 *
 *      0 | sum u32 | check u64 | payload hash u64 | flags u8 | format u8 | id bytes u8 | widths u16 |
 *     25 | lsn | time_ms | kind | links bytes | payload bytes | line bytes |     in these widths: record.c
 *        | id | links |                         up to here covered by the sum, with the record's position
 *        | payload |                            verified by the payload hash
 *        | hash of the pieces u64 | pieces |    of a kept line (spelling.h); absent if line bytes is 0. A redacted
 *                                               entry has its reason in the place of pieces
 */
#define XYLEM_FORMAT__RECORD_SEED UINT64_C(0x9e3779b97f4a7c15) /* times the branch, plus the depth */
#define XYLEM_FORMAT__RECORD_FIXED_BYTES (XYLEM_FORMAT__SUM_BYTES + 8u + 8u + 1u + 1u + 1u + 2u)
#define XYLEM_FORMAT__RECORD_BYTES_MIN (XYLEM_FORMAT__RECORD_FIXED_BYTES + 4u)

/*
 * The known flags: a record with another flag is refused. 0x10 (compressed) and 0x20 (stored elsewhere) are reserved.
 */
#define XYLEM_FORMAT__ENTRY_FLAGS_KNOWN                                                                       \
    (XYLEM_ENTRY_STARTS_BRANCH | XYLEM_ENTRY_HEADS_INCOMPLETE | XYLEM_ENTRY_IMPORTED | XYLEM_ENTRY_REDACTED | \
     XYLEM_ENTRY_MINTED | XYLEM_ENTRY_HASH_DROPPED)
static_assert(XYLEM_FORMAT__ENTRY_FLAGS_KNOWN <= UINT8_MAX, "flags are one byte");
static_assert(XYLEM_ENTRY_ID_BYTES_MAX <= UINT8_MAX, "the length of an id is a u8");
static_assert(XYLEM_KIND_NAME_BYTES_MAX <= UINT16_MAX, "lengths under a check are u16");
static_assert(XYLEM_PAYLOAD_BYTES_MAX < UINT32_MAX - 8u && XYLEM_LINE_BYTES_MAX < UINT32_MAX - 8u, "lengths are u32");

/* The greatest lsn in a minted id: 40 bits. An entry with a greater lsn has a row in `ids`. */
#define XYLEM_FORMAT__MINTED_LSN_MAX UINT64_C(0xffffffffff)

/* Positions in the log. "branch 3, depth 17", for error texts. */
#define XYLEM_FORMAT__AT_FORMAT "branch %" PRIu64 ", depth %" PRIu64
#define XYLEM_FORMAT__AT_ARGUMENTS(position) (position).branch, (position).depth

static inline bool xylem_format__position_equal(struct xylem_position a, struct xylem_position b)
{
    return a.branch == b.branch && a.depth == b.depth;
}

static inline bool xylem_format__position_none(struct xylem_position position)
{
    return position.branch == 0 && position.depth == 0;
}

/* Flags of a row of `sources`. */
#define XYLEM_FORMAT__SOURCE_UNTERMINATED 0x01u
#define XYLEM_FORMAT__SOURCE_ELSEWHERE 0x02u /* the file lies on the machine from where the session came */

/* Flags of a session's row: optional texts. */
#define XYLEM_FORMAT__SESSION_HAS_CWD 0x01u
#define XYLEM_FORMAT__SESSION_HAS_PARENT 0x02u
/* A deleted session whose import had not finished. */
#define XYLEM_FORMAT__SESSION_IMPORT_UNFINISHED 0x04u
/* The row ends in the owner, sized by a varint (empty: this store), and its epoch, a varint. */
#define XYLEM_FORMAT__SESSION_HAS_EPOCH 0x08u
/* The row ends, behind owner and epoch, in the namespace, sized by a varint (not empty). */
#define XYLEM_FORMAT__SESSION_HAS_NAMESPACE 0x10u

#endif
