/* A record of the log: its bytes, its sum, its check, its links. */
#ifndef XYLEM_FORMAT_RECORD_H
#define XYLEM_FORMAT_RECORD_H

#include "base/bytes.h"
#include "format/format.h"
#include "format/position.h"
#include "xylem.h"

/* What a record is made of. */
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
    struct xylem_view line; /* without its hash; of a redacted entry: the reason */
};

/* Appends the record that lies at `position`, its sum included. */
int xylem_format__record_encode(struct xylem_buffer *buffer, struct xylem_position position,
                                const struct xylem_format__record *record, struct xylem_error *err);

/*
 * Decodes the record that was found at `position` into `entry`, but for the kind's name, and verifies its sum. Payload
 * and line are not verified. Errors: CORRUPT.
 */
int xylem_format__record_decode(struct xylem_entry *entry, struct xylem_position position, struct xylem_view bytes,
                                struct xylem_error *err);

/* Gives a whole record, which was decoded into `entry`, another check, and the sum that belongs to it. */
void xylem_format__record_recheck(struct xylem_buffer *record, const struct xylem_entry *entry, uint64_t check);

/* The check of an entry whose parent has the check `parent_check` (0 for a root). */
int xylem_format__record_check(uint64_t *check, uint64_t parent_check, struct xylem_kind kind, int64_t time_ms,
                               enum xylem_format format, struct xylem_view id, uint64_t payload_hash,
                               struct xylem_error *err);

/* A position in links is relative to the entry that it stands in: branches back, depths back (0, 0: none). */
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

/* Links behind the parent's branch: where the newest entry before this one lies that is no message, or none. */
int xylem_format__links_marked(struct xylem_position *marked, struct xylem_base__cursor *rest,
                               const struct xylem_entry *entry, struct xylem_error *err);

/* "branch 3, depth 17", for error texts. */
#define XYLEM_FORMAT__AT_FORMAT "branch %" PRIu64 ", depth %" PRIu64
#define XYLEM_FORMAT__AT_ARGUMENTS(position) (position).branch, (position).depth

#endif
