/* Encodes and decodes records of the log: bytes, sum, check and links. The bytes are in format.h. */
#ifndef XYLEM_FORMAT_RECORD_H
#define XYLEM_FORMAT_RECORD_H

#include "base/bytes.h"
#include "store/format/format.h"

/* The parts of a record. */
struct xylem_format__record {
    uint64_t check;
    uint64_t payload_hash;
    uint64_t lsn;
    int64_t time_ms;
    uint32_t kind_number;
    unsigned flags;
    enum xylem_format format;
    struct xylem_view id;
    struct xylem_view links;
    struct xylem_view payload;
    struct xylem_view line; /* of the file, plain: encoding makes pieces of it; for a redacted entry the reason */
};

/* Appends the record for a position, with its sum. */
int xylem_format__record_encode(struct xylem_buffer *buffer, struct xylem_position position,
                                const struct xylem_format__record *record, struct xylem_error *err);

/*
 * Decodes the record at `position` into `entry`, without the name of the kind, and verifies the sum. Payload and line
 * are not verified. Errors: CORRUPT.
 */
int xylem_format__record_decode(struct xylem_entry *entry, struct xylem_position position, struct xylem_view bytes,
                                struct xylem_error *err);

/*
 * Reads the fields, the id and the links of a record into `entry`, and gives their length: the bytes that the sum covers
 * with the sum itself. 0: they are not all there. Nothing is verified.
 */
size_t xylem_format__record_head(struct xylem_entry *entry, struct xylem_view bytes);
/* The length of the record of an entry, and of its part that xylem_format__record_decode() read. */
uint64_t xylem_format__record_bytes(const struct xylem_entry *entry);

/* Writes another check into a whole record, and the new sum. */
void xylem_format__record_recheck(struct xylem_buffer *record, struct xylem_position position, uint64_t check);

/* The check of an entry. `parent_check` is the check of the parent, 0 for a root. */
int xylem_format__record_check(uint64_t *check, uint64_t parent_check, struct xylem_kind kind, int64_t time_ms,
                               enum xylem_format format, struct xylem_view id, uint64_t payload_hash,
                               struct xylem_error *err);

/*
 * A position in links is relative to the entry with the links; (0, 0) is no position. Both numbers are varints.
 *
 *     links  | branches back: the parent's branch, only if the entry starts a branch |
 *            | branches back | depths back |   the marked entry before this entry, then the heads of the entry
 */
int xylem_format__link_add(struct xylem_buffer *links, struct xylem_position own, struct xylem_position to);
static inline struct xylem_position xylem_format__link_read(struct xylem_base__cursor *links, struct xylem_position own)
{
    struct xylem_position to = {0, 0};
    uint64_t branches = xylem_base__read_varint(links);
    uint64_t depths = xylem_base__read_varint(links);
    if (branches == 0 && depths == 0) {
        return to;
    }
    if (links->failed || branches >= own.branch || depths == 0 || depths >= own.depth) {
        links->failed = true;
        return to;
    }
    to.branch = own.branch - branches;
    to.depth = own.depth - depths;
    return to;
}

/* Reads the newest marked entry (no message) before this entry, or no position. `rest`: the links behind. */
int xylem_format__links_marked(struct xylem_position *marked, struct xylem_base__cursor *rest,
                               const struct xylem_entry *entry, struct xylem_error *err);

#endif
