/*
 * travel/ turns the changes of a session into segments, and segments into changes of a session in another store, and
 * writes and reads segments as lines of JSON.
 * travel/ knows no network: a segment is bytes.
 * Begin reading at the picture below, then pack.c, read.c, apply.c; told.h for the lines of JSON.
 * Other rooms may include: nothing; xylem/segment.h is the contract.
 */
/*
 * A segment (docs/format.md, "Segments"):
 *
 *     head       version, flags, id, [from, to), chains
 *     row        with the first change, and of a freed session: what a session has from the beginning
 *     changes    entries, each with its parent; navigations; redactions; rows beside entries; the others: the type
 *     document   with the last change: leaf, session files, quarantine
 *     sum        XXH3-64 of all bytes before
 */
#ifndef XYLEM_TRAVEL_TRAVEL_H
#define XYLEM_TRAVEL_TRAVEL_H

#include "base/bytes.h"
#include "store/store.h"
#include "xylem/segment.h"

#define XYLEM_TRAVEL__VERSION 1u
#define XYLEM_TRAVEL__CHANGES_MAX 65536u /* of a segment: the smallest change has one byte */

/* Flags of a segment. */
#define XYLEM_TRAVEL__HAS_ROW 0x01u
#define XYLEM_TRAVEL__HAS_DOCUMENT 0x02u
#define XYLEM_TRAVEL__FREED 0x04u /* entries without ordinals */
#define XYLEM_TRAVEL__HAS_NAMESPACE 0x08u

/* Flags of the row. */
#define XYLEM_TRAVEL__ROW_HAS_CWD 0x01u
#define XYLEM_TRAVEL__ROW_HAS_PARENT 0x02u
#define XYLEM_TRAVEL__ROW_HAS_BASE 0x04u
#define XYLEM_TRAVEL__ROW_HAS_BASE_NAMESPACE 0x08u /* only with a base */

/* Flags of a session file in the document. */
#define XYLEM_TRAVEL__SOURCE_UNTERMINATED 0x01u
#define XYLEM_TRAVEL__SOURCE_HERE 0x02u /* only in an export of the whole store: a file of the same machine */

/* How an entry names its parent. */
enum xylem_travel__parent { XYLEM_TRAVEL__BEFORE, XYLEM_TRAVEL__NO_PARENT, XYLEM_TRAVEL__NAMED };

/* Flags of entries that travel; the others are of a store. */
#define XYLEM_TRAVEL__ENTRY_FLAGS (XYLEM_ENTRY_IMPORTED | XYLEM_ENTRY_REDACTED | XYLEM_ENTRY_HASH_DROPPED)

/* What a session has from the beginning. */
struct xylem_travel__row {
    int64_t created_ms;
    struct xylem_view cwd;
    struct xylem_view parent;
    struct xylem_view header;
    uint64_t base_check; /* of the base in the store of the segment; 0: not to be compared */
};

/* A change of a segment. Views live as long as the bytes. */
struct xylem_travel__change {
    unsigned type;            /* enum xylem_change_type */
    struct xylem_view id;     /* ENTRY, REDACTED: of the entry; MOVED: of the target, empty for none */
    int64_t time_ms;          /* ENTRY, MOVED */
    unsigned flags;           /* ENTRY, REDACTED: of the entry */
    uint64_t payload_hash;    /* of a redacted entry */
    struct xylem_view reason; /* of a redaction, or a navigation */
    struct xylem_view from;   /* MOVED: the leaf before, empty for none */
    /* ENTRY */
    enum xylem_travel__parent parent_is;
    struct xylem_view parent;
    uint64_t parent_check; /* NAMED: of the parent in the store of the segment; 0: not to be compared */
    uint64_t check_before; /* not BEFORE: of the entry before in the segment; 0: not to be compared, or the first */
    struct xylem_kind kind;
    enum xylem_format format;
    struct xylem_view payload;
    struct xylem_view line;
    /* SIDE: the row, as xylem_side has it; its position is that of the entry `about`. */
    struct {
        unsigned type;
        bool redacted;
        unsigned dialect;
        uint64_t count;
        struct xylem_view text; /* bytes, values or reason */
    } side;
    struct xylem_view about;
    uint64_t back; /* a record that lost its text: so many ordinals before; else 0 */
};

/* Reads a segment whose sum holds. */
struct xylem_travel__reader {
    struct xylem_base__cursor cursor;
    struct xylem_segment segment;
    struct xylem_travel__row row; /* with HAS_ROW */
    unsigned flags;
    uint64_t left; /* changes that come */
    struct xylem_kind *kinds;
    size_t kind_count;
    size_t kind_capacity;
};

/* Reads head and row, and verifies the sum of all bytes. Release in any case. */
int xylem_travel__reader_begin(struct xylem_travel__reader *reader, struct xylem_view bytes, struct xylem_error *err);
void xylem_travel__reader_release(struct xylem_travel__reader *reader);
/* 1 and the next change, or 0. Behind the changes is the check of the last entry; 0: not to be compared, or no entry. */
int xylem_travel__reader_next(struct xylem_travel__change *change, struct xylem_travel__reader *reader,
                              struct xylem_error *err);

/* The document begins with the ids of the leaf and of the imported leaf, empty for none; then the number of sources. */
void xylem_travel__document_begin(struct xylem_view *leaf, struct xylem_view *imported_leaf, uint32_t *source_count,
                                  struct xylem_travel__reader *reader);
/* A session file, without displaced lines and growth. `displaced_count` lines follow: an id and a line each. */
void xylem_travel__document_source(struct xylem_store__source *source, struct xylem_travel__reader *reader);
void xylem_travel__document_displaced(struct xylem_view *id, uint64_t *line, struct xylem_travel__reader *reader);
/* Behind the sources: the number of quarantined lines as a u32, then each. */
void xylem_travel__document_line(struct xylem_quarantined *line, struct xylem_travel__reader *reader);

/* --- pack.c --- */

/* Appends the document of a session, without patterns. Release `out` in any case. */
int xylem_travel__pack_document(struct xylem_buffer *out, struct xylem_txn *txn, const struct xylem_session *session,
                                bool is_whole, struct xylem_error *err);
/* The document of the packing tells which files are of this machine. */
void xylem_travel__pack_whole(struct xylem_packing *packing);

/* --- write.c --- */

/* Append parts of a segment: the inverse of the reader. False: no memory. */
bool xylem_travel__put_change(struct xylem_buffer *out, const struct xylem_travel__change *change, uint64_t kind,
                              bool is_new_kind);
bool xylem_travel__put_source(struct xylem_buffer *out, const struct xylem_store__source *source);
bool xylem_travel__put_displaced(struct xylem_buffer *out, struct xylem_view id, uint64_t line);
bool xylem_travel__put_line(struct xylem_buffer *out, const struct xylem_quarantined *line);
/* Head, row, changes and sum. `changes`: `change_count` changes, the last check, and perhaps a document. */
bool xylem_travel__put_segment(struct xylem_buffer *out, const struct xylem_segment *segment,
                               const struct xylem_travel__row *row, uint64_t change_count,
                               const struct xylem_buffer *changes);

/* --- apply.c --- */

/* xylem_segment_apply(). `is_whole`: of an export on the same machine, so that its session files are files here. */
int xylem_travel__apply(struct xylem_apply_report *report, struct xylem_txn *txn, struct xylem_view bytes,
                        const struct xylem_apply_options *options, bool is_whole, struct xylem_error *err);

#endif
