/* Encodes the parts of a segment: the inverse of read.c. */
#include "base/buffer.h"
#include "store/format/hash.h"
#include "store/side.h"
#include "travel/travel.h"
#include "xylem/feed.h"
#include "xylem/files.h"

/* --- Changes ------------------------------------------------------------------------------------------------------ */

static bool put_content(struct xylem_buffer *out, const struct xylem_travel__change *change)
{
    if (xylem_base__add_u8(out, (uint8_t)change->flags) < 0) {
        return false;
    }
    return change->flags & XYLEM_ENTRY_REDACTED ? xylem_base__add_u64(out, change->payload_hash) == XYLEM_OK &&
                                                      xylem_base__add_sized(out, change->reason) == XYLEM_OK
                                                : xylem_base__add_sized(out, change->payload) == XYLEM_OK &&
                                                      xylem_base__add_sized(out, change->line) == XYLEM_OK;
}

/* A kind has its number, and with its first entry class and name. */
static bool put_entry(struct xylem_buffer *out, const struct xylem_travel__change *change, uint64_t kind, bool is_new)
{
    return xylem_base__add_u8(out, (uint8_t)change->parent_is) == XYLEM_OK &&
           (change->parent_is == XYLEM_TRAVEL__BEFORE || xylem_base__add_u64(out, change->check_before) == XYLEM_OK) &&
           (change->parent_is != XYLEM_TRAVEL__NAMED || (xylem_base__add_sized(out, change->parent) == XYLEM_OK &&
                                                         xylem_base__add_u64(out, change->parent_check) == XYLEM_OK)) &&
           xylem_base__add_sized(out, change->id) == XYLEM_OK && xylem_base__add_varint(out, kind) == XYLEM_OK &&
           (!is_new || (xylem_base__add_u8(out, (uint8_t)change->kind.kind_class) == XYLEM_OK &&
                        xylem_base__add_sized(out, change->kind.name) == XYLEM_OK)) &&
           xylem_base__add_i64(out, change->time_ms) == XYLEM_OK &&
           xylem_base__add_u8(out, (uint8_t)change->format) == XYLEM_OK && put_content(out, change);
}

static bool put_side(struct xylem_buffer *out, const struct xylem_travel__change *change)
{
    bool record = change->side.type == XYLEM_SIDE_RECORD;
    bool ranged = change->side.type == XYLEM_SIDE_REPEAT || change->side.type == XYLEM_SIDE_SHARED;
    unsigned redacted = change->side.redacted ? XYLEM_STORE__SIDE_REDACTED : 0u;
    return xylem_base__add_u8(out, (uint8_t)(change->side.type | redacted)) == XYLEM_OK &&
           (record ? xylem_base__add_varint(out, change->back) == XYLEM_OK &&
                         xylem_base__add_u8(out, (uint8_t)change->side.dialect) == XYLEM_OK
                   : xylem_base__add_sized(out, change->about) == XYLEM_OK) &&
           (ranged ? xylem_base__add_varint(out, change->side.count) == XYLEM_OK
                   : xylem_base__add_sized(out, change->side.text) == XYLEM_OK);
}

bool xylem_travel__put_change(struct xylem_buffer *out, const struct xylem_travel__change *change, uint64_t kind,
                              bool is_new_kind)
{
    if (xylem_base__add_u8(out, (uint8_t)change->type) < 0) {
        return false;
    }
    switch (change->type) {
    case XYLEM_CHANGE_ENTRY:
        return put_entry(out, change, kind, is_new_kind);
    case XYLEM_CHANGE_MOVED:
        return xylem_base__add_i64(out, change->time_ms) == XYLEM_OK &&
               xylem_base__add_sized(out, change->from) == XYLEM_OK &&
               xylem_base__add_sized(out, change->id) == XYLEM_OK &&
               xylem_base__add_sized(out, change->reason) == XYLEM_OK;
    case XYLEM_CHANGE_REDACTED:
        return xylem_base__add_sized(out, change->id) == XYLEM_OK && put_content(out, change);
    case XYLEM_CHANGE_SIDE:
        return put_side(out, change);
    default:
        return true;
    }
}

/* --- Document ----------------------------------------------------------------------------------------------------- */

bool xylem_travel__put_source(struct xylem_buffer *out, const struct xylem_store__source *source)
{
    const uint64_t numbers[] = {source->order, source->bytes, source->lines, source->hash};
    unsigned flags = (source->unterminated ? XYLEM_TRAVEL__SOURCE_UNTERMINATED : 0u) |
                     (source->elsewhere ? 0u : XYLEM_TRAVEL__SOURCE_HERE);
    return xylem_base__add_sized(out, source->name) == XYLEM_OK && xylem_base__add_u64s(out, numbers, 4) == XYLEM_OK &&
           xylem_base__add_u8(out, (uint8_t)flags) == XYLEM_OK &&
           xylem_base__add_u64(out, source->tail_bytes) == XYLEM_OK &&
           xylem_base__add_sized(out, source->tail) == XYLEM_OK &&
           xylem_base__add_u32(out, (uint32_t)source->displaced_count) == XYLEM_OK;
}

bool xylem_travel__put_displaced(struct xylem_buffer *out, struct xylem_view id, uint64_t line)
{
    return xylem_base__add_sized(out, id) == XYLEM_OK && xylem_base__add_u64(out, line) == XYLEM_OK;
}

bool xylem_travel__put_line(struct xylem_buffer *out, const struct xylem_quarantined *line)
{
    const uint64_t place[] = {line->line, line->offset};
    return xylem_base__add_sized(out, line->source) == XYLEM_OK && xylem_base__add_u64s(out, place, 2) == XYLEM_OK &&
           xylem_base__add_u32(out, (uint32_t)line->reason) == XYLEM_OK &&
           xylem_base__add_u64(out, line->raw_bytes) == XYLEM_OK && xylem_base__add_sized(out, line->raw) == XYLEM_OK &&
           xylem_base__add_u64(out, line->hash) == XYLEM_OK;
}

/* --- Head, row and sum -------------------------------------------------------------------------------------------- */

static bool put_row(struct xylem_buffer *out, const struct xylem_segment *segment, const struct xylem_travel__row *row)
{
    bool based = segment->base_session.bytes > 0;
    bool spaced = based && segment->base_name_space.bytes > 0;
    unsigned has = (row->cwd.data ? XYLEM_TRAVEL__ROW_HAS_CWD : 0u) |
                   (row->parent.data ? XYLEM_TRAVEL__ROW_HAS_PARENT : 0u) | (based ? XYLEM_TRAVEL__ROW_HAS_BASE : 0u) |
                   (spaced ? XYLEM_TRAVEL__ROW_HAS_BASE_NAMESPACE : 0u);
    return xylem_base__add_u8(out, (uint8_t)has) == XYLEM_OK && xylem_base__add_i64(out, row->created_ms) == XYLEM_OK &&
           xylem_base__add_sized(out, row->cwd) == XYLEM_OK && xylem_base__add_sized(out, row->parent) == XYLEM_OK &&
           xylem_base__add_sized(out, row->header) == XYLEM_OK &&
           (!based || (xylem_base__add_sized(out, segment->base_session) == XYLEM_OK &&
                       (!spaced || xylem_base__add_sized(out, segment->base_name_space) == XYLEM_OK) &&
                       xylem_base__add_sized(out, segment->base_entry) == XYLEM_OK &&
                       xylem_base__add_u64(out, row->base_check) == XYLEM_OK));
}

bool xylem_travel__put_segment(struct xylem_buffer *out, const struct xylem_segment *segment,
                               const struct xylem_travel__row *row, uint64_t change_count,
                               const struct xylem_buffer *changes)
{
    bool has_row = segment->freed || segment->from == 1;
    bool spaced = segment->name_space.bytes > 0;
    unsigned flags = (has_row ? XYLEM_TRAVEL__HAS_ROW : 0u) |
                     (segment->has_document ? XYLEM_TRAVEL__HAS_DOCUMENT : 0u) |
                     (segment->freed ? XYLEM_TRAVEL__FREED : 0u) | (spaced ? XYLEM_TRAVEL__HAS_NAMESPACE : 0u);
    const uint64_t numbers[] = {segment->from, segment->to, segment->chain_before, segment->chain, change_count};
    return xylem_base__add_u8(out, XYLEM_TRAVEL__VERSION) == XYLEM_OK &&
           xylem_base__add_u8(out, (uint8_t)flags) == XYLEM_OK &&
           xylem_base__add_sized(out, segment->session) == XYLEM_OK &&
           (!spaced || xylem_base__add_sized(out, segment->name_space) == XYLEM_OK) &&
           xylem_base__add_u64s(out, numbers, 5) == XYLEM_OK && (!has_row || put_row(out, segment, row)) &&
           xylem_buffer_add(out, changes->data, changes->bytes) == XYLEM_OK &&
           xylem_base__add_u64(out, xylem_format__hash(xylem_base__buffer_view(out))) == XYLEM_OK;
}
