/* xylem: an entry, its payload and its kind. The rules of xylem.h hold for every call. */
#ifndef XYLEM_ENTRY_H
#define XYLEM_ENTRY_H

#include "session.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Entry ------------------------------------------------------------------------------------------------------ */

enum xylem_class {
    XYLEM_CLASS_HOST = 0,  /* an entry of the host: `message`, `compaction`, `label`, or any other name */
    XYLEM_CLASS_CUSTOM = 1 /* an entry with the state of an extension */
};

enum xylem_format {
    XYLEM_FORMAT_NONE = 0,    /* no payload */
    XYLEM_FORMAT_MSGPACK = 1, /* one msgpack value */
    XYLEM_FORMAT_JSON = 2,    /* one JSON text */
    XYLEM_FORMAT_LINE = 3     /* a line of another host's file, an object in JSON: xylem/line.h */
};

/* A part of a line whose value is another in each copy of the line, or that some copies lack. */
struct xylem_hole {
    size_t offset; /* in the whole line */
    size_t bytes;  /* 0: this copy lacks the part, and others have it here */
    /* The value is the session's id, as JSON in a string: another session reads its own id here. */
    bool is_session_id;
};

/* What a line is to the format LINE. The calls of line.h know no dialect: its number and its holes are an importer's. */
struct xylem_line_form {
    unsigned dialect;               /* 0 to 255 */
    const struct xylem_hole *holes; /* ascending, none in another; at most XYLEM_HOLES_MAX */
    size_t hole_count;
};

/* Flags of an entry. */
#define XYLEM_ENTRY_STARTS_BRANCH 0x01u    /* the first of a branch, with a parent on another branch */
#define XYLEM_ENTRY_HEADS_INCOMPLETE 0x02u /* more than XYLEM_HEADS_MAX kinds on the path: lookups by kind walk */
#define XYLEM_ENTRY_IMPORTED 0x04u         /* from a session file */
#define XYLEM_ENTRY_REDACTED 0x08u         /* without payload; reading the payload gives XYLEM_E_REDACTED */
#define XYLEM_ENTRY_MINTED 0x40u           /* xylem made the id; the lsn in the id leads to the entry */
#define XYLEM_ENTRY_HASH_DROPPED 0x80u     /* redacted without hash: new checks for the entry and its descendants */

struct xylem_kind {
    enum xylem_class kind_class;
    struct xylem_view name;
};

/*
 * An entry. The record is verified by its sum; payload and line are not: xylem_entry_payload() and
 * xylem_entry_imported_line() read and verify them.
 */
struct xylem_entry {
    struct xylem_position position;
    struct xylem_position parent; /* none for a root */
    struct xylem_view id;
    struct xylem_kind kind;
    int64_t time_ms;
    uint64_t lsn; /* in the order of all changes of the store, ascending without gaps */
    /*
     * Covers the whole history of the entry: equal checks mean equal histories, in any store. A payload counts by its
     * hash, so a redacted entry keeps its check, unless the hash was dropped.
     */
    uint64_t check;
    enum xylem_format format;
    unsigned flags;
    uint32_t payload_bytes;
    uint32_t line_bytes; /* kept of an imported line, or the values of a line; of a redacted entry: of the reason */
    struct {
        uint64_t payload_hash;
        const void *payload;
        const void *line;
        const void *links;
        uint32_t links_bytes;
        uint32_t kind_number;
    } unverified; /* for the library alone */
};

/*
 * Reads the entry at a position.
 *
 * Errors:
 * - NOT_FOUND: the position never had an entry
 * - FREED: xylem_gc() freed the entry
 * - CORRUPT, IO
 */
XYLEM_API int xylem_entry_read(struct xylem_entry *entry, struct xylem_txn *txn, struct xylem_position position,
                               struct xylem_error *err);

/*
 * 1 and the id of the parent; 0 for a root. `entry` comes from the same transaction.
 *
 * Errors:
 * - CORRUPT: the parent is damaged or lost
 * - IO
 */
XYLEM_API int xylem_entry_parent_id(struct xylem_view *id, struct xylem_txn *txn, const struct xylem_entry *entry,
                                    struct xylem_error *err);

/*
 * The payload of an entry, verified. Of the format LINE the bytes that docs/format.md describes: xylem_line_write() gives
 * the line.
 *
 * Errors:
 * - REDACTED
 * - CORRUPT
 */
XYLEM_API int xylem_entry_payload(struct xylem_view *payload, const struct xylem_entry *entry, struct xylem_error *err);

/*
 * Appends the imported line of an entry, verified; nothing if rendering gives the same bytes, and for a redacted entry.
 *
 * Errors:
 * - CORRUPT
 */
XYLEM_API int xylem_entry_imported_line(struct xylem_buffer *line, const struct xylem_entry *entry,
                                        struct xylem_error *err);

/*
 * 1 and the verified reason of a redacted entry; 0 for any other entry.
 *
 * Errors:
 * - CORRUPT
 */
XYLEM_API int xylem_entry_redaction(struct xylem_view *reason, const struct xylem_entry *entry,
                                    struct xylem_error *err);

/* The decoded payload of an entry. */
struct xylem_document;

/*
 * Decodes the payload; a line has the values of its entry, and no session's id. `xylem_document_value` is NULL for an
 * entry without payload. The document borrows from the entry: the document dies with the views of the entry.
 *
 * Errors:
 * - MALFORMED: the payload of a host is not in its format
 * - REDACTED
 * - LIMIT: too many values, or too deep nesting
 * - CORRUPT, MEMORY
 */
XYLEM_API int xylem_document_new(struct xylem_document **document, const struct xylem_entry *entry,
                                 struct xylem_error *err);

/*
 * Decodes a JSON text of the caller, by the same rules. The document borrows from `json`.
 *
 * Errors:
 * - MALFORMED: `json` is not one JSON text; the error's text has the offset
 * - LIMIT: too many values, or too deep nesting
 * - MEMORY
 */
XYLEM_API int xylem_document_new_json(struct xylem_document **document, struct xylem_view json,
                                      struct xylem_error *err);
XYLEM_API const struct xylem_value *xylem_document_value(const struct xylem_document *document);
XYLEM_API void xylem_document_free(struct xylem_document *document);

/* The members of an entry as JSON, in groups. `xylem log`, `tree` and `show` print the same members. */
#define XYLEM_MEMBERS_ENTRY 0x1u   /* `entry`, `parent` (an id, or null for a root), `kind`, `time`, `depth` */
#define XYLEM_MEMBERS_STORED 0x2u  /* `branch`, `lsn`, `check`, `imported`, `line_bytes`, `format`, `payload_bytes` */
#define XYLEM_MEMBERS_PAYLOAD 0x4u /* `payload` (null: none, or not readable), maybe `payload_error`, `redacted` ... */

/*
 * Appends members of a JSON object, with commas between, without braces. `members` is a sum of XYLEM_MEMBERS_; 0: all.
 * docs/commands.md describes each member. A malformed payload is no error: `payload_error` has the reason. `entry`
 * comes from the same transaction. After an error the buffer is unchanged.
 *
 * Errors:
 * - CORRUPT: the payload or the parent is damaged
 * - IO, MEMORY
 */
XYLEM_API int xylem_entry_describe(struct xylem_buffer *buffer, struct xylem_txn *txn, const struct xylem_entry *entry,
                                   unsigned members, struct xylem_error *err);

/*
 * Appends the kind as text: the name of a host's kind, with `\` before each `:` and `\`, or `custom:` and the name.
 * xylem_kind_parse() is the inverse. The view of the parsed kind lies in `text` or in `storage`; both must live as
 * long.
 *
 * Errors:
 * - MALFORMED: the text ends in a `\`, or has a bare `:` in the name of a host's kind
 * - LIMIT: the name has more than XYLEM_KIND_NAME_BYTES_MAX bytes
 * - MEMORY
 */
XYLEM_API int xylem_kind_text(struct xylem_buffer *buffer, struct xylem_kind kind);
XYLEM_API int xylem_kind_parse(struct xylem_kind *kind, struct xylem_buffer *storage, struct xylem_view text,
                               struct xylem_error *err);

#ifdef __cplusplus
}
#endif

#endif
