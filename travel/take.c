/* Reads a session from lines of JSON (told.h): makes segments of the rows, and applies the segments. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/json.h"
#include "store/format/chain.h"
#include "store/format/hash.h"
#include "store/lmdb/tables.h"
#include "travel/told.h"

/* A row, with the memory of its views. */
struct row {
    struct xylem_travel__told told;
    struct xylem_travel__told_memory memory;
};

struct taking {
    struct xylem_txn *txn;
    struct xylem_apply_report *report;
    struct xylem_error *err;
    const struct xylem_jsonl__file *file;
    const char *path; /* as the caller spells it */
    struct xylem_jsonl__window window;
    uint64_t offset;                     /* of the next line in the file */
    uint64_t line;                       /* the number of the present line */
    struct xylem_travel__reader looking; /* at the parts of a segment, while the line is known */
    struct xylem_buffer first_line;
    struct row first; /* what the session has from the beginning */
    struct row row;   /* the present row */
    struct xylem_buffer data;
    struct xylem_base__tree data_tree;
    /* The present segment: [from, from + count). */
    uint64_t segment_line; /* of its first row */
    uint64_t from;
    uint64_t count;
    uint64_t chain_before;
    uint64_t chain;
    uint64_t kind_count; /* each entry tells its kind anew */
    struct xylem_buffer changes;
    char before[XYLEM_ENTRY_ID_BYTES_MAX]; /* the id of the entry before */
    size_t before_bytes;
    /* The document. */
    struct xylem_buffer sources;
    struct xylem_buffer lines;
    uint32_t source_count;
    uint32_t line_count;
    size_t displaced_left; /* rows that belong to the file before */
};

static int fail_row(const struct taking *taking, int code, const char *text)
{
    return xylem_base__fail(taking->err, code, "%s:%" PRIu64 ": %s", taking->path, taking->line, text);
}

static int put(const struct taking *taking, bool made)
{
    return made ? XYLEM_OK : xylem_base__fail_memory(taking->err);
}

/* Compares the sum in the row with the sum of the bytes; 0: the row has no sum. */
static int compare(const struct taking *taking, const char *what, uint64_t expected, uint64_t found)
{
    char text[120];
    snprintf(text, sizeof text, "%s: expected %016" PRIx64 ", found %016" PRIx64, what, expected, found);
    return expected == 0 || expected == found ? XYLEM_OK : fail_row(taking, XYLEM_E_MALFORMED, text);
}

/* Reads the part behind `before` again. A wrong part fails here, with its line; the whole segment knows no lines. */
static int put_part(struct taking *taking, bool made, const struct xylem_buffer *out, size_t before, unsigned type)
{
    struct xylem_travel__reader *looking = &taking->looking;
    struct xylem_travel__told part;
    struct xylem_error reason;
    int code = put(taking, made);
    looking->cursor = xylem_base__cursor_of(out->data + before, out->bytes - before);
    looking->left = 1;
    if (code < 0) {
        return code;
    }
    if (type == XYLEM_TRAVEL__TOLD_FILE) {
        xylem_travel__document_source(&part.source, looking);
    } else if (type == XYLEM_TRAVEL__TOLD_DISPLACED) {
        xylem_travel__document_displaced(&part.change.id, &part.displaced_line, looking);
    } else if (type == XYLEM_TRAVEL__TOLD_QUARANTINED) {
        xylem_travel__document_line(&part.line, looking);
    } else {
        code = xylem_travel__reader_next(&part.change, looking, &reason);
        return code < 0 ? fail_row(taking, code, reason.text) : XYLEM_OK;
    }
    return looking->cursor.failed ? fail_row(taking, XYLEM_E_MALFORMED, "the row has invalid fields") : XYLEM_OK;
}

/* --- Segments ----------------------------------------------------------------------------------------------------- */

/* A session must follow an owner between its segments: a session without an owner follows NO_OWNER until the end. */
#define NO_OWNER "xylem import"

static int apply(struct taking *taking, bool is_last)
{
    const struct xylem_travel__told *first = &taking->first.told;
    struct xylem_segment segment = first->segment;
    struct xylem_apply_report report;
    struct xylem_error reason;
    struct xylem_buffer bytes = {NULL, 0, 0};
    bool owned = first->owner.bytes > 0 || segment.freed;
    const struct xylem_apply_options options = {.owner = owned ? first->owner : xylem_view_of(NO_OWNER),
                                                .epoch = first->epoch};
    if (!segment.freed) {
        segment.from = taking->from;
        segment.to = taking->from + taking->count;
        segment.chain_before = taking->chain_before;
        segment.chain = taking->chain;
        segment.has_document = is_last;
    }
    int code = put(taking, xylem_travel__put_segment(&bytes, &segment, &first->row, taking->count, &taking->changes));
    if (code == XYLEM_OK) {
        code = xylem_travel__apply(&report, taking->txn, xylem_base__buffer_view(&bytes), &options, true, &reason);
        code = code < 0 ? xylem_base__fail(taking->err, code, "%s:%" PRIu64 "-%" PRIu64 ": %s", taking->path,
                                           taking->segment_line, taking->line, reason.text)
                        : code;
        taking->report->session = report.session;
        taking->report->is_new |= report.is_new;
        taking->report->change_count += report.change_count;
        taking->report->entry_count += report.entry_count;
        taking->report->redacted_count += report.redacted_count;
        taking->report->line_count += report.line_count;
    }
    if (code == XYLEM_OK && is_last && !owned && taking->report->is_new) {
        code = xylem_session_own(taking->txn, taking->report->session, first->epoch, taking->err);
    }
    xylem_buffer_release(&bytes);
    xylem_base__buffer_clear(&taking->changes);
    taking->segment_line = taking->line;
    taking->from = segment.to;
    taking->chain_before = taking->chain;
    taking->count = taking->kind_count = taking->looking.kind_count = 0;
    taking->before_bytes = 0;
    return code;
}

/* --- Rows --------------------------------------------------------------------------------------------------------- */

/* Custom data in JSON becomes msgpack. */
static int take_payload(struct taking *taking, struct xylem_travel__change *change)
{
    struct xylem_error reason;
    if (change->reason.bytes > 0 || change->type == XYLEM_CHANGE_REDACTED) {
        bool right = change->payload.bytes + change->line.bytes == 0;
        change->flags |= XYLEM_ENTRY_REDACTED;
        return right ? XYLEM_OK : fail_row(taking, XYLEM_E_MALFORMED, "a redacted entry has a payload or a line");
    }
    if (change->format == XYLEM_FORMAT_JSON && change->kind.kind_class == XYLEM_CLASS_CUSTOM) {
        xylem_base__buffer_clear(&taking->data);
        int code = xylem_base__json_parse(&taking->data_tree, change->payload, &reason);
        code = code < 0 ? code : xylem_format__data_encode(&taking->data, taking->data_tree.nodes, &reason);
        if (code < 0) {
            return fail_row(taking, code, reason.text);
        }
        change->format = XYLEM_FORMAT_MSGPACK;
        change->payload = xylem_base__buffer_view(&taking->data);
    }
    return compare(taking, "the hash of the payload", change->payload_hash, xylem_format__hash(change->payload));
}

/* Says how the entry names its parent: entries in a row, each below the entry before, are appended together. */
static void take_parent(struct taking *taking, struct xylem_travel__change *change)
{
    struct xylem_view before = {taking->before, taking->before_bytes};
    bool follows = before.bytes > 0 && xylem_base__view_equal(change->parent, before);
    change->parent_is = follows                    ? XYLEM_TRAVEL__BEFORE
                        : change->parent.bytes > 0 ? XYLEM_TRAVEL__NAMED
                                                   : XYLEM_TRAVEL__NO_PARENT;
    taking->before_bytes = change->id.bytes;
    if (taking->before_bytes > 0) {
        memcpy(taking->before, change->id.data, taking->before_bytes);
    }
}

static int take_change(struct taking *taking, unsigned type, struct xylem_travel__change *change)
{
    bool full = taking->changes.bytes >= XYLEM_SEGMENT_BYTES || taking->count == XYLEM_TRAVEL__CHANGES_MAX;
    int code = full ? put(taking, xylem_base__add_u64(&taking->changes, 0) == XYLEM_OK) : XYLEM_OK;
    if (code < 0 || (full && (code = apply(taking, false)) < 0)) {
        return code;
    }
    if (change->id.bytes > XYLEM_ENTRY_ID_BYTES_MAX) {
        return fail_row(taking, XYLEM_E_LIMIT, "the id of an entry has more than 64 bytes");
    }
    change->type = type;
    if (type == XYLEM_CHANGE_ENTRY || type == XYLEM_CHANGE_REDACTED) {
        code = take_payload(taking, change);
    }
    if (type == XYLEM_CHANGE_ENTRY) {
        take_parent(taking, change);
    }
    const struct xylem_format__link link = {
        .ordinal = taking->from + taking->count, .type = type, .time_ms = change->time_ms, .id = change->id};
    taking->chain = xylem_format__session_chain(taking->chain, &link);
    taking->count++;
    uint64_t kind = taking->kind_count;
    taking->kind_count += type == XYLEM_CHANGE_ENTRY;
    size_t before = taking->changes.bytes;
    return code < 0 ? code
                    : put_part(taking, xylem_travel__put_change(&taking->changes, change, kind, true), &taking->changes,
                               before, type);
}

static int take_end(struct taking *taking, const struct xylem_travel__told *end)
{
    struct xylem_buffer *out = &taking->changes;
    bool freed = taking->first.told.segment.freed;
    int code = compare(taking, "the chain of the rows", end->chain, taking->chain);
    if (code == XYLEM_OK && taking->offset < taking->file->bytes) {
        code = fail_row(taking, XYLEM_E_MALFORMED, "expected the end of the file behind the row `end`");
    }
    if (code == XYLEM_OK) {
        code = put(taking, xylem_base__add_u64(out, 0) == XYLEM_OK &&
                               (freed || (xylem_base__add_sized(out, end->leaf) == XYLEM_OK &&
                                          xylem_base__add_sized(out, end->imported_leaf) == XYLEM_OK &&
                                          xylem_base__add_u32(out, taking->source_count) == XYLEM_OK &&
                                          xylem_buffer_add(out, taking->sources.data, taking->sources.bytes) == 0 &&
                                          xylem_base__add_u32(out, taking->line_count) == XYLEM_OK &&
                                          xylem_buffer_add(out, taking->lines.data, taking->lines.bytes) == 0)));
    }
    return code < 0 ? code : apply(taking, true);
}

static int take_row(struct taking *taking)
{
    struct xylem_travel__told *told = &taking->row.told;
    bool displaced = told->type == XYLEM_TRAVEL__TOLD_DISPLACED;
    struct xylem_buffer *out = told->type == XYLEM_TRAVEL__TOLD_QUARANTINED ? &taking->lines : &taking->sources;
    size_t before = out->bytes;
    if (displaced != (taking->displaced_left > 0)) {
        return fail_row(taking, XYLEM_E_MALFORMED,
                        "expected as many rows `displaced` behind a row `file` as its member `displaced` counts");
    }
    switch (told->type) {
    case XYLEM_TRAVEL__TOLD_SESSION:
        return fail_row(taking, XYLEM_E_MALFORMED, "expected one row `session`, found a second");
    case XYLEM_TRAVEL__TOLD_FILE:
        taking->source_count++;
        taking->displaced_left = told->source.displaced_count;
        return put_part(taking, xylem_travel__put_source(out, &told->source), out, before, told->type);
    case XYLEM_TRAVEL__TOLD_DISPLACED:
        taking->displaced_left--;
        return put_part(taking, xylem_travel__put_displaced(out, told->change.id, told->displaced_line), out, before,
                        told->type);
    case XYLEM_TRAVEL__TOLD_QUARANTINED:
        taking->line_count++;
        return put_part(taking, xylem_travel__put_line(out, &told->line), out, before, told->type);
    case XYLEM_TRAVEL__TOLD_END:
        return take_end(taking, told);
    default:
        return take_change(taking, told->type, &told->change);
    }
}

/* --- The call ----------------------------------------------------------------------------------------------------- */

/* Reads the next row, or with `first` the first, whose line stays. A document of format 2 is no row. */
static int read_row(struct taking *taking, bool first)
{
    struct row *row = first ? &taking->first : &taking->row;
    struct xylem_jsonl__line line;
    struct xylem_error reason;
    int code = xylem_jsonl__line_at(&line, &taking->window, taking->file, taking->offset, taking->err);
    if (code < 0) {
        return code;
    }
    taking->line++;
    taking->offset += line.bytes;
    if (code == 0 || !line.terminated) {
        return fail_row(
            taking, XYLEM_E_MALFORMED,
            "expected a line with a row, and a row `end` last; found the end of the file: the file is not whole");
    }
    if (line.too_long) {
        return fail_row(taking, XYLEM_E_LIMIT, "the line is longer than 256 MiB");
    }
    if (first) {
        if (xylem_buffer_add(&taking->first_line, line.text.data, line.text.bytes) < 0) {
            return xylem_base__fail_memory(taking->err);
        }
        line.text = xylem_base__buffer_view(&taking->first_line);
    }
    code = xylem_base__json_parse(&row->memory.tree, line.text, &reason);
    if (code < 0 || (first && xylem_value_get(row->memory.tree.nodes, "moves"))) {
        return code < 0 ? fail_row(taking, code, reason.text) : 0;
    }
    code = xylem_travel__told_read(&row->told, &row->memory, row->memory.tree.nodes, XYLEM_TRAVEL__TOLD_COUNT, &reason);
    return code < 0 ? fail_row(taking, code, reason.text) : 1;
}

static int take(struct taking *taking)
{
    struct xylem_error reason;
    int code = read_row(taking, true);
    if (code == 0) {
        code = xylem_travel__take_document(taking->txn, &taking->first.memory, &reason);
        return code < 0 ? fail_row(taking, code, reason.text) : code;
    }
    if (code > 0 && (taking->first.told.type != XYLEM_TRAVEL__TOLD_SESSION || taking->first.told.schema != 1)) {
        return fail_row(taking, XYLEM_E_MALFORMED, "expected a row `session` first, with `schema` 1");
    }
    while (code > 0 && taking->row.told.type != XYLEM_TRAVEL__TOLD_END) {
        code = read_row(taking, false);
        code = code < 0 || (code = take_row(taking)) < 0 ? code : 1;
    }
    return code < 0 ? code : XYLEM_OK;
}

int xylem_travel__take(struct xylem_apply_report *report, struct xylem_txn *txn, const struct xylem_jsonl__file *file,
                       const char *path, struct xylem_error *err)
{
    struct taking taking = {
        .txn = txn, .report = report, .err = err, .file = file, .path = path, .segment_line = 1, .from = 1};
    int code = xylem_lmdb__writable(txn, err);
    if (code == XYLEM_OK && (code = take(&taking)) < 0) {
        xylem_lmdb__write_failed(txn, code); /* a commit could store half a session */
    }
    xylem_jsonl__window_release(&taking.window);
    xylem_travel__reader_release(&taking.looking);
    xylem_travel__told_release(&taking.first.memory);
    xylem_travel__told_release(&taking.row.memory);
    xylem_base__tree_release(&taking.data_tree);
    xylem_buffer_release(&taking.first_line);
    xylem_buffer_release(&taking.data);
    xylem_buffer_release(&taking.changes);
    xylem_buffer_release(&taking.sources);
    xylem_buffer_release(&taking.lines);
    return code;
}

int xylem_import_changes(struct xylem_apply_report *report, struct xylem_txn *txn, const char *path,
                         struct xylem_error *err)
{
    struct xylem_jsonl__file file;
    memset(report, 0, sizeof *report);
    int code = xylem_jsonl__file_open(&file, path, err);
    if (code == XYLEM_OK) {
        code = xylem_travel__take(report, txn, &file, path, err);
        xylem_jsonl__file_close(&file);
    }
    return code;
}
