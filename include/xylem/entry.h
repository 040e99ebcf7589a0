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
    XYLEM_CLASS_CUSTOM = 1 /* an entry in which an extension keeps state */
};

enum xylem_format {
    XYLEM_FORMAT_NONE = 0,    /* no payload */
    XYLEM_FORMAT_MSGPACK = 1, /* one msgpack value */
    XYLEM_FORMAT_JSON = 2     /* one JSON text */
};

/* Flags of an entry. */
#define XYLEM_ENTRY_STARTS_BRANCH 0x01u    /* the first of a branch whose parent lies on another branch */
#define XYLEM_ENTRY_HEADS_INCOMPLETE 0x02u /* more than XYLEM_HEADS_MAX kinds on its path: lookups by kind walk */
#define XYLEM_ENTRY_IMPORTED 0x04u         /* it came from a session file */
#define XYLEM_ENTRY_REDACTED 0x08u         /* its payload was taken out; reading it gives XYLEM_E_REDACTED */
#define XYLEM_ENTRY_MINTED 0x40u           /* xylem made its id, and finds it by the lsn that the id holds */
#define XYLEM_ENTRY_HASH_DROPPED 0x80u     /* redacted, its hash too: its check, and those behind it, were made anew */

struct xylem_kind {
    enum xylem_class kind_class;
    struct xylem_view name;
};

/*
 * One entry, its record verified by its sum. Payload and line are not: read them through xylem_entry_payload() and
 * xylem_entry_imported_line(), which verify them.
 */
struct xylem_entry {
    struct xylem_position position;
    struct xylem_position parent; /* none for a root */
    struct xylem_view id;
    struct xylem_kind kind;
    int64_t time_ms;
    uint64_t lsn;
    uint64_t check; /* covers the entry's whole history; equal checks mean equal histories, in any store */
    /* (a payload counts by its hash: so a redacted entry has its check still, unless its hash was dropped) */
    enum xylem_format format;
    unsigned flags;
    uint32_t payload_bytes;
    uint32_t line_bytes; /* of the line that was kept; of a redacted entry: of the reason */
    struct {
        uint64_t payload_hash;
        const void *payload;
        const void *line;
        const void *links;
        uint32_t links_bytes;
        uint32_t kind_number;
    } unverified; /* for the library alone */
};

/* Reads the entry at a position. Errors: NOT_FOUND (none was ever there), FREED (xylem_gc() took it), CORRUPT. */
XYLEM_API int xylem_entry_read(struct xylem_entry *entry, struct xylem_txn *txn, struct xylem_position position,
                               struct xylem_error *err);

/* The entry's payload, verified. Errors: CORRUPT, REDACTED. */
XYLEM_API int xylem_entry_payload(struct xylem_view *payload, const struct xylem_entry *entry, struct xylem_error *err);

/*
 * The line that the entry was imported from, verified; empty where rendering gives the same bytes, and where the entry
 * was redacted. Errors: CORRUPT.
 */
XYLEM_API int xylem_entry_imported_line(struct xylem_view *line, const struct xylem_entry *entry,
                                        struct xylem_error *err);

/* 1 and the reason for which the entry was redacted, verified; 0 if it was not redacted. Errors: CORRUPT. */
XYLEM_API int xylem_entry_redaction(struct xylem_view *reason, const struct xylem_entry *entry,
                                    struct xylem_error *err);

/* An entry's payload, decoded. */
struct xylem_document;

/*
 * Decodes the payload. `xylem_document_value` is NULL for an entry without payload. The document borrows from the
 * entry: it dies with the entry's views. Errors: MALFORMED (a host's payload that is not what its format says),
 * CORRUPT, REDACTED, LIMIT, MEMORY.
 */
XYLEM_API int xylem_document_new(struct xylem_document **document, const struct xylem_entry *entry,
                                 struct xylem_error *err);
XYLEM_API const struct xylem_value *xylem_document_value(const struct xylem_document *document);
XYLEM_API void xylem_document_free(struct xylem_document *document);

/*
 * Appends the kind as text: the name of a host's kind, in which `:` and `\` are escaped by `\`, or `custom:` and the
 * name. xylem_kind_parse() is the inverse; its view lies in `text` or in `storage`, which must live as long.
 */
XYLEM_API int xylem_kind_text(struct xylem_buffer *buffer, struct xylem_kind kind);
XYLEM_API int xylem_kind_parse(struct xylem_kind *kind, struct xylem_buffer *storage, struct xylem_view text,
                               struct xylem_error *err);

#ifdef __cplusplus
}
#endif

#endif
