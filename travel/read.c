/* Decodes segments. The bytes may be a stranger's: every length is bounded by the bytes that are there. */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/utf8.h"
#include "store/format/chain.h"
#include "store/format/hash.h"
#include "store/side.h"
#include "travel/travel.h"
#include "xylem/feed.h"
#include "xylem/files.h"

static int malformed(struct xylem_error *err, const char *what)
{
    return xylem_base__fail(err, XYLEM_E_MALFORMED, "the segment is malformed: %s", what);
}

static bool is_id(struct xylem_view id, size_t bytes_max)
{
    return id.bytes > 0 && id.bytes <= bytes_max && xylem_base__wtf8_valid(id.data, id.bytes);
}

/* An id, or empty. */
static bool is_entry_id(struct xylem_view id)
{
    return id.bytes == 0 || is_id(id, XYLEM_ENTRY_ID_BYTES_MAX);
}

/* A namespace that is there, and so not empty; or none. */
static bool is_name_space(struct xylem_view name_space, bool there)
{
    return there ? is_id(name_space, XYLEM_NAMESPACE_BYTES_MAX) : name_space.bytes == 0;
}

/* --- Head and row ------------------------------------------------------------------------------------------------- */

static int read_row(struct xylem_travel__reader *reader, struct xylem_error *err)
{
    static const struct xylem_view none = {NULL, 0};
    struct xylem_base__cursor *cursor = &reader->cursor;
    struct xylem_segment *segment = &reader->segment;
    unsigned has = xylem_base__read_u8(cursor);
    reader->row.created_ms = xylem_base__read_i64(cursor);
    struct xylem_view cwd = xylem_base__read_sized(cursor);
    struct xylem_view parent = xylem_base__read_sized(cursor);
    reader->row.header = xylem_base__read_sized(cursor);
    segment->cwd = reader->row.cwd = has & XYLEM_TRAVEL__ROW_HAS_CWD ? cwd : none;
    reader->row.parent = has & XYLEM_TRAVEL__ROW_HAS_PARENT ? parent : none;
    if (has & XYLEM_TRAVEL__ROW_HAS_BASE) {
        segment->base_session = xylem_base__read_sized(cursor);
        if (has & XYLEM_TRAVEL__ROW_HAS_BASE_NAMESPACE) {
            segment->base_name_space = xylem_base__read_sized(cursor);
        }
        segment->base_entry = xylem_base__read_sized(cursor);
        reader->row.base_check = xylem_base__read_u64(cursor);
    }
    struct xylem_view header = reader->row.header;
    bool right = !cursor->failed && has <= 15 && header.bytes <= XYLEM_LINE_BYTES_MAX &&
                 (header.bytes == 0 || !memchr(header.data, '\n', header.bytes)) &&
                 is_name_space(segment->base_name_space, (has & XYLEM_TRAVEL__ROW_HAS_BASE_NAMESPACE) != 0) &&
                 (!(has & XYLEM_TRAVEL__ROW_HAS_BASE) || (is_id(segment->base_session, XYLEM_SESSION_ID_BYTES_MAX) &&
                                                          is_id(segment->base_entry, XYLEM_ENTRY_ID_BYTES_MAX)));
    return right ? XYLEM_OK : malformed(err, "its row has invalid fields");
}

static int read_head(struct xylem_travel__reader *reader, struct xylem_error *err)
{
    struct xylem_base__cursor *cursor = &reader->cursor;
    struct xylem_segment *segment = &reader->segment;
    unsigned version = xylem_base__read_u8(cursor);
    if (version != XYLEM_TRAVEL__VERSION) {
        return version > XYLEM_TRAVEL__VERSION
                   ? xylem_base__fail(err, XYLEM_E_TOO_NEW,
                                      "the segment has version %u, and this library reads version %u: use a newer "
                                      "version of xylem",
                                      version, XYLEM_TRAVEL__VERSION)
                   : malformed(err, "it has no version");
    }
    reader->flags = xylem_base__read_u8(cursor);
    segment->session = xylem_base__read_sized(cursor);
    if (reader->flags & XYLEM_TRAVEL__HAS_NAMESPACE) {
        segment->name_space = xylem_base__read_sized(cursor);
    }
    segment->from = xylem_base__read_u64(cursor);
    segment->to = xylem_base__read_u64(cursor);
    segment->chain_before = xylem_base__read_u64(cursor);
    segment->chain = xylem_base__read_u64(cursor);
    reader->left = xylem_base__read_u64(cursor);
    segment->freed = (reader->flags & XYLEM_TRAVEL__FREED) != 0;
    segment->has_document = (reader->flags & XYLEM_TRAVEL__HAS_DOCUMENT) != 0;
    bool has_row = (reader->flags & XYLEM_TRAVEL__HAS_ROW) != 0;
    bool ranged = segment->freed
                      ? segment->from == 0 && segment->to == 0 && !segment->has_document && has_row && reader->left > 0
                      : segment->from > 0 && segment->to >= segment->from &&
                            reader->left == segment->to - segment->from && has_row == (segment->from == 1);
    bool right = !cursor->failed && reader->flags <= 15 && ranged &&
                 is_name_space(segment->name_space, (reader->flags & XYLEM_TRAVEL__HAS_NAMESPACE) != 0) &&
                 is_id(segment->session, XYLEM_SESSION_ID_BYTES_MAX) &&
                 !memchr(segment->session.data, '\0', segment->session.bytes) && reader->left <= cursor->left &&
                 reader->left <= XYLEM_TRAVEL__CHANGES_MAX;
    if (!right) {
        return malformed(err, "its head has invalid fields");
    }
    return has_row ? read_row(reader, err) : XYLEM_OK;
}

int xylem_travel__reader_begin(struct xylem_travel__reader *reader, struct xylem_view bytes, struct xylem_error *err)
{
    *reader = (struct xylem_travel__reader){.flags = 0};
    if (bytes.bytes < XYLEM_FORMAT__HASH_BYTES) {
        return malformed(err, "it is too short");
    }
    struct xylem_view content = {bytes.data, bytes.bytes - XYLEM_FORMAT__HASH_BYTES};
    struct xylem_base__cursor sum = xylem_base__cursor_of(content.data + content.bytes, XYLEM_FORMAT__HASH_BYTES);
    if (xylem_base__read_u64(&sum) != xylem_format__hash(content)) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "the segment is damaged: its sum does not match its %zu bytes",
                                bytes.bytes);
    }
    reader->cursor = xylem_base__cursor_of(content.data, content.bytes);
    return read_head(reader, err);
}

void xylem_travel__reader_release(struct xylem_travel__reader *reader)
{
    free(reader->kinds);
}

/* --- Changes ------------------------------------------------------------------------------------------------------ */

/* A number of a kind that came before, or the next number and the kind itself. */
static int read_kind(struct xylem_kind *kind, struct xylem_travel__reader *reader, struct xylem_error *err)
{
    struct xylem_base__cursor *cursor = &reader->cursor;
    uint64_t number = xylem_base__read_varint(cursor);
    if (cursor->failed || number > reader->kind_count) {
        return malformed(err, "an entry has an unknown kind");
    }
    if (number < reader->kind_count) {
        *kind = reader->kinds[number];
        return XYLEM_OK;
    }
    unsigned kind_class = xylem_base__read_u8(cursor);
    kind->kind_class = (enum xylem_class)kind_class;
    kind->name = xylem_base__read_sized(cursor);
    if (cursor->failed || kind_class > XYLEM_CLASS_CUSTOM || kind->name.bytes > XYLEM_KIND_NAME_BYTES_MAX ||
        !xylem_base__wtf8_valid(kind->name.data, kind->name.bytes)) {
        return malformed(err, "a kind has invalid fields");
    }
    struct xylem_kind *kinds =
        xylem_base__with_room(reader->kinds, &reader->kind_capacity, reader->kind_count, sizeof *kinds);
    if (!kinds) {
        return xylem_base__fail_memory(err);
    }
    reader->kinds = kinds;
    reader->kinds[reader->kind_count++] = *kind;
    return XYLEM_OK;
}

static bool is_reason(struct xylem_view reason)
{
    return reason.bytes > 0 && reason.bytes <= XYLEM_REASON_BYTES_MAX &&
           xylem_base__wtf8_valid(reason.data, reason.bytes);
}

/* 1 if the entry is valid. */
static int read_entry(struct xylem_travel__change *change, struct xylem_travel__reader *reader, struct xylem_error *err)
{
    struct xylem_base__cursor *cursor = &reader->cursor;
    unsigned parent_is = xylem_base__read_u8(cursor);
    change->parent_is = (enum xylem_travel__parent)parent_is;
    if (parent_is != XYLEM_TRAVEL__BEFORE) {
        change->check_before = xylem_base__read_u64(cursor);
    }
    if (parent_is == XYLEM_TRAVEL__NAMED) {
        change->parent = xylem_base__read_sized(cursor);
        change->parent_check = xylem_base__read_u64(cursor);
    }
    change->id = xylem_base__read_sized(cursor);
    int code = read_kind(&change->kind, reader, err);
    if (code < 0) {
        return code;
    }
    change->time_ms = xylem_base__read_i64(cursor);
    unsigned format = xylem_base__read_u8(cursor);
    change->format = (enum xylem_format)format;
    change->flags = xylem_base__read_u8(cursor);
    if (change->flags & XYLEM_ENTRY_REDACTED) {
        change->payload_hash = xylem_base__read_u64(cursor);
        change->reason = xylem_base__read_sized(cursor);
    } else {
        change->payload = xylem_base__read_sized(cursor);
        change->line = xylem_base__read_sized(cursor);
    }
    bool flags = (change->flags & ~XYLEM_TRAVEL__ENTRY_FLAGS) == 0 &&
                 (change->flags & XYLEM_ENTRY_REDACTED ? is_reason(change->reason)
                                                       : !(change->flags & XYLEM_ENTRY_HASH_DROPPED));
    bool right = !cursor->failed && parent_is <= XYLEM_TRAVEL__NAMED && format <= XYLEM_FORMAT_LINE && flags &&
                 is_id(change->id, XYLEM_ENTRY_ID_BYTES_MAX) && is_entry_id(change->parent) &&
                 (parent_is != XYLEM_TRAVEL__NAMED || change->parent.bytes > 0) &&
                 change->payload.bytes <= XYLEM_PAYLOAD_BYTES_MAX && change->line.bytes <= XYLEM_LINE_BYTES_MAX &&
                 (format != XYLEM_FORMAT_NONE || change->payload.bytes == 0) &&
                 (format < XYLEM_FORMAT_JSON || change->kind.kind_class == XYLEM_CLASS_HOST) &&
                 (format == XYLEM_FORMAT_LINE || change->line.bytes == 0 ||
                  !memchr(change->line.data, '\n', change->line.bytes));
    return right ? 1 : malformed(err, "an entry has invalid fields");
}

static int read_side(struct xylem_travel__change *change, struct xylem_travel__reader *reader, struct xylem_error *err)
{
    struct xylem_base__cursor *cursor = &reader->cursor;
    unsigned type = xylem_base__read_u8(cursor);
    change->side.type = type & ~XYLEM_STORE__SIDE_REDACTED;
    change->side.redacted = (type & XYLEM_STORE__SIDE_REDACTED) != 0;
    bool record = change->side.type == XYLEM_SIDE_RECORD;
    bool ranged = change->side.type == XYLEM_SIDE_REPEAT || change->side.type == XYLEM_SIDE_SHARED;
    if (record) {
        change->back = xylem_base__read_varint(cursor);
        change->side.dialect = xylem_base__read_u8(cursor);
    } else {
        change->about = xylem_base__read_sized(cursor);
    }
    if (ranged) {
        change->side.count = xylem_base__read_varint(cursor);
    } else {
        change->side.text = xylem_base__read_sized(cursor);
    }
    struct xylem_view text = change->side.text;
    bool right = !cursor->failed && change->side.type <= XYLEM_SIDE_VALUES &&
                 (record || is_id(change->about, XYLEM_ENTRY_ID_BYTES_MAX)) && (change->side.count > 0) == ranged &&
                 (change->side.redacted ? !ranged && is_reason(text) : change->back == 0) &&
                 text.bytes <= XYLEM_LINE_BYTES_MAX;
    return right ? 1 : malformed(err, "a row beside the entries has invalid fields");
}

int xylem_travel__reader_next(struct xylem_travel__change *change, struct xylem_travel__reader *reader,
                              struct xylem_error *err)
{
    struct xylem_base__cursor *cursor = &reader->cursor;
    memset(change, 0, sizeof *change);
    if (reader->left == 0) {
        return 0;
    }
    reader->left--;
    change->type = xylem_base__read_u8(cursor);
    if (cursor->failed) {
        return malformed(err, "it ends amid its changes");
    }
    switch (change->type) {
    case XYLEM_CHANGE_ENTRY:
        return read_entry(change, reader, err);
    case XYLEM_CHANGE_MOVED:
        change->time_ms = xylem_base__read_i64(cursor);
        change->from = xylem_base__read_sized(cursor);
        change->id = xylem_base__read_sized(cursor);
        change->reason = xylem_base__read_sized(cursor);
        return !cursor->failed && is_entry_id(change->from) && is_entry_id(change->id) &&
                       change->reason.bytes <= XYLEM_REASON_BYTES_MAX
                   ? 1
                   : malformed(err, "a navigation has invalid fields");
    case XYLEM_CHANGE_REDACTED:
        change->id = xylem_base__read_sized(cursor);
        change->flags = xylem_base__read_u8(cursor);
        change->payload_hash = xylem_base__read_u64(cursor);
        change->reason = xylem_base__read_sized(cursor);
        return !cursor->failed && is_id(change->id, XYLEM_ENTRY_ID_BYTES_MAX) && is_reason(change->reason) &&
                       (change->flags & XYLEM_ENTRY_REDACTED) && (change->flags & ~XYLEM_TRAVEL__ENTRY_FLAGS) == 0
                   ? 1
                   : malformed(err, "a redaction has invalid fields");
    case XYLEM_CHANGE_SIDE:
        return read_side(change, reader, err);
    case XYLEM_CHANGE_CREATED:
    case XYLEM_CHANGE_FORKED:
    case XYLEM_CHANGE_DELETED:
    case XYLEM_CHANGE_UNDELETED:
    case XYLEM_CHANGE_DOCUMENT:
        return 1;
    default:
        return malformed(err, "a change has an unknown type");
    }
}

/* --- Document ----------------------------------------------------------------------------------------------------- */

void xylem_travel__document_begin(struct xylem_view *leaf, struct xylem_view *imported_leaf, uint32_t *source_count,
                                  struct xylem_travel__reader *reader)
{
    *leaf = xylem_base__read_sized(&reader->cursor);
    *imported_leaf = xylem_base__read_sized(&reader->cursor);
    *source_count = xylem_base__read_u32(&reader->cursor);
    reader->cursor.failed |= !is_entry_id(*leaf) || !is_entry_id(*imported_leaf);
}

void xylem_travel__document_source(struct xylem_store__source *source, struct xylem_travel__reader *reader)
{
    struct xylem_base__cursor *cursor = &reader->cursor;
    *source = (struct xylem_store__source){.name = xylem_base__read_sized(cursor)};
    source->order = xylem_base__read_u64(cursor);
    source->bytes = xylem_base__read_u64(cursor);
    source->lines = xylem_base__read_u64(cursor);
    source->hash = xylem_base__read_u64(cursor);
    unsigned flags = xylem_base__read_u8(cursor);
    source->unterminated = (flags & XYLEM_TRAVEL__SOURCE_UNTERMINATED) != 0;
    source->elsewhere = (flags & XYLEM_TRAVEL__SOURCE_HERE) == 0;
    source->tail_bytes = xylem_base__read_u64(cursor);
    source->tail = xylem_base__read_sized(cursor);
    source->displaced_count = xylem_base__read_u32(cursor);
    bool whole = source->tail.bytes == 0 || source->tail.bytes == source->tail_bytes;
    bool noted =
        source->order > 0 || (source->bytes == 0 && source->lines == 0 && source->hash == 0 && !source->unterminated &&
                              source->tail_bytes == 0 && source->displaced_count == 0);
    cursor->failed |= flags > 3 || !whole || !noted || source->tail.bytes > XYLEM_LINE_BYTES_MAX ||
                      source->name.bytes == 0 || source->name.bytes > XYLEM_LINE_BYTES_MAX;
}

void xylem_travel__document_displaced(struct xylem_view *id, uint64_t *line, struct xylem_travel__reader *reader)
{
    *id = xylem_base__read_sized(&reader->cursor);
    *line = xylem_base__read_u64(&reader->cursor);
    reader->cursor.failed |= !is_id(*id, XYLEM_ENTRY_ID_BYTES_MAX);
}

void xylem_travel__document_line(struct xylem_quarantined *line, struct xylem_travel__reader *reader)
{
    struct xylem_base__cursor *cursor = &reader->cursor;
    *line = (struct xylem_quarantined){.source = xylem_base__read_sized(cursor)};
    line->line = xylem_base__read_u64(cursor);
    line->offset = xylem_base__read_u64(cursor);
    uint32_t reason = xylem_base__read_u32(cursor);
    line->reason = (enum xylem_import_problem_type)reason;
    line->raw_bytes = xylem_base__read_u64(cursor);
    line->raw = xylem_base__read_sized(cursor);
    line->hash = xylem_base__read_u64(cursor);
    bool whole = line->raw.bytes == 0 || line->raw.bytes == line->raw_bytes;
    bool hashed = line->raw.bytes == 0 || xylem_format__hash(line->raw) == line->hash;
    cursor->failed |= !whole || !hashed || reason >= XYLEM_IMPORT_PROBLEM_COUNT || line->source.bytes == 0;
}

/* Reads the whole document: false if a field is invalid. */
static bool check_document(struct xylem_travel__reader *reader)
{
    struct xylem_view leaf;
    struct xylem_view imported;
    uint32_t sources;
    xylem_travel__document_begin(&leaf, &imported, &sources, reader);
    for (uint32_t i = 0; i < sources && !reader->cursor.failed; i++) {
        struct xylem_store__source source;
        xylem_travel__document_source(&source, reader);
        for (size_t j = 0; j < source.displaced_count && !reader->cursor.failed; j++) {
            struct xylem_view id;
            uint64_t line;
            xylem_travel__document_displaced(&id, &line, reader);
        }
    }
    uint32_t lines = xylem_base__read_u32(&reader->cursor);
    for (uint32_t i = 0; i < lines && !reader->cursor.failed; i++) {
        struct xylem_quarantined line;
        xylem_travel__document_line(&line, reader);
    }
    return !reader->cursor.failed;
}

/* --- The call ----------------------------------------------------------------------------------------------------- */

static int check_changes(struct xylem_travel__reader *reader, struct xylem_error *err)
{
    struct xylem_segment *segment = &reader->segment;
    struct xylem_travel__change change;
    uint64_t chain = segment->chain_before;
    int found;
    for (uint64_t ordinal = segment->from; (found = xylem_travel__reader_next(&change, reader, err)) > 0; ordinal++) {
        bool first = segment->entry_count == 0;
        bool entry = change.type == XYLEM_CHANGE_ENTRY;
        struct xylem_format__link link = {
            .ordinal = ordinal, .type = change.type, .time_ms = change.time_ms, .id = change.id};
        if ((entry && first && change.parent_is == XYLEM_TRAVEL__BEFORE) || (!entry && segment->freed)) {
            return malformed(err, "a change stands where none of its type can stand");
        }
        segment->entry_count += entry;
        chain = xylem_format__session_chain(chain, &link);
    }
    if (found < 0) {
        return found;
    }
    bool begins = segment->freed || segment->from > 1 || segment->chain_before == 0;
    return begins && (segment->freed || chain == segment->chain)
               ? XYLEM_OK
               : xylem_base__fail(err, XYLEM_E_CORRUPT, "the segment's chain does not match its changes");
}

int xylem_segment_read(struct xylem_segment *segment, struct xylem_view bytes, struct xylem_error *err)
{
    struct xylem_travel__reader reader;
    int code = xylem_travel__reader_begin(&reader, bytes, err);
    if (code == XYLEM_OK && (code = check_changes(&reader, err)) == XYLEM_OK) {
        xylem_base__read_u64(&reader.cursor); /* the check of the last entry */
        bool right =
            (!reader.segment.has_document || check_document(&reader)) && xylem_base__cursor_ended(&reader.cursor);
        code = right ? XYLEM_OK : malformed(err, "its document has invalid fields");
    }
    *segment = reader.segment;
    xylem_travel__reader_release(&reader);
    return code;
}

int xylem_segment_holds(struct xylem_view bytes, struct xylem_view entry, struct xylem_error *err)
{
    struct xylem_travel__reader reader;
    struct xylem_travel__change change;
    bool holds = false;
    int code = xylem_travel__reader_begin(&reader, bytes, err);
    while (code >= 0 && !holds && (code = xylem_travel__reader_next(&change, &reader, err)) > 0) {
        bool values =
            change.type == XYLEM_CHANGE_SIDE && change.side.type == XYLEM_SIDE_VALUES && !change.side.redacted;
        struct xylem_view id = values ? change.about : change.id;
        holds = (values || (change.type == XYLEM_CHANGE_ENTRY && change.payload.bytes + change.line.bytes > 0)) &&
                xylem_base__view_equal(id, entry);
    }
    xylem_travel__reader_release(&reader);
    return code < 0 ? code : holds;
}
