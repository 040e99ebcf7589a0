/*
 * Imports lines that a host holds in memory. The lines stand in for a file of the header and these lines alone: one
 * batch in the caller's transaction. So the work grows with the lines, not with the session:
 *
 *     the header and lines    copied into one text, with newlines
 *     first pass              an index of these lines
 *     the session             created, or found with the same header
 *     second pass             each line is placed; a parent in no line is looked up in the session
 *     the leaf                follows the new entries, then moves to the leaf of the host
 *
 * The table `sources` does not change. An import of the session's file matches every line with the entries.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/value.h"
#include "store/lmdb/tables.h"
#include "travel/jsonl/import.h"
#include "xylem/branch.h"

#define FIRST_LINE 2u /* behind the header */

static int check_held(const struct xylem_held_lines *held, struct xylem_error *err)
{
    if (!held || !held->header.data || (held->line_count > 0 && !held->lines) || held->first_line == 1) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT,
                                "an import of lines needs a header, and lines behind the header");
    }
    bool lacks = xylem_base__view_lacks_bytes(held->source_name) || xylem_base__view_lacks_bytes(held->leaf_reason) ||
                 (held->leaf_id && xylem_base__view_lacks_bytes(*held->leaf_id));
    for (size_t i = 0; !lacks && i < held->line_count; i++) {
        lacks = xylem_base__view_lacks_bytes(held->lines[i]);
    }
    if (lacks) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "an import of lines: a view has a length, but no bytes");
    }
    if (held->line_count > UINT64_MAX - held->first_line) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "an import of lines: the number of the first line is too large");
    }
    if (held->source_name.bytes > 0 && memchr(held->source_name.data, '\0', held->source_name.bytes)) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "the source name of lines has a NUL byte");
    }
    if (held->leaf_reason.bytes > XYLEM_REASON_BYTES_MAX) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "the reason of a navigation has %zu bytes; it may have %u",
                                held->leaf_reason.bytes, XYLEM_REASON_BYTES_MAX);
    }
    return XYLEM_OK;
}

/* Adds a line and its newline to the text. */
static char *put_line(char *at, struct xylem_view line)
{
    if (line.bytes > 0) {
        memcpy(at, line.data, line.bytes);
    }
    at[line.bytes] = '\n';
    return at + line.bytes + 1;
}

/* Copies the header and the lines into a text that stands in for a file, with the name of the source behind. */
static int hold(struct xylem_jsonl__file *file, const struct xylem_held_lines *held, uint64_t first_line,
                struct xylem_error *err)
{
    struct xylem_view name = held->source_name.bytes > 0 ? held->source_name : xylem_view_of("memory");
    size_t bytes = held->header.bytes + 1;
    bool newline = memchr(held->header.data, '\n', held->header.bytes) != NULL;
    uint64_t number = 1;
    for (size_t i = 0; !newline && i < held->line_count; i++) {
        struct xylem_view line = held->lines[i];
        number = first_line + i;
        newline = line.bytes > 0 && memchr(line.data, '\n', line.bytes);
        bytes += line.bytes + 1;
    }
    if (newline) {
        return xylem_base__fail(err, XYLEM_E_MALFORMED, "%.*s: line %" PRIu64 ": a newline inside of the line",
                                XYLEM_BASE__SHOWN(name), number);
    }
    if (!(file->held = malloc(bytes + name.bytes + 1))) {
        return xylem_base__fail_memory(err);
    }
    file->bytes = bytes;
    file->path = file->held + bytes;
    char *at = put_line(file->held, held->header);
    for (size_t i = 0; i < held->line_count; i++) {
        at = put_line(at, held->lines[i]);
    }
    memcpy(file->path, name.data, name.bytes);
    file->path[name.bytes] = '\0';
    return XYLEM_OK;
}

/*
 * Finds the session of a header as hosts write it, without parsing the header: 1 if the header is the header of a live
 * session byte for byte, else 0. Then the ids are the same, too. The usual case.
 */
static int find_by_header(struct xylem_session *session, struct xylem_jsonl__import *import, struct xylem_view line,
                          struct xylem_error *err)
{
    const struct xylem_view begin = XYLEM_BASE__LITERAL("{\"type\":\"session\",\"version\":3,\"id\":\"");
    struct xylem_jsonl__header *header = &import->reader.header;
    struct xylem_buffer *stored = &import->placing.stored;
    if (line.bytes <= begin.bytes || memcmp(line.data, begin.data, begin.bytes) != 0) {
        return 0;
    }
    struct xylem_view id = {line.data + begin.bytes, line.bytes - begin.bytes};
    const char *end = memchr(id.data, '"', id.bytes);
    id.bytes = end ? (size_t)(end - id.data) : 0;
    int code = xylem_store__session_find_any(session, import->placing.batch.txn, id, err);
    if (code < 0 || session->state != XYLEM_SESSION_LIVE) {
        return code < 0 && code != XYLEM_E_NOT_FOUND ? code : 0;
    }
    xylem_base__buffer_clear(stored);
    if (xylem_jsonl__session_header(stored, session) < 0) {
        return xylem_base__fail_memory(err);
    }
    if (!xylem_base__view_equal(xylem_base__buffer_view(stored), line)) {
        return 0;
    }
    header->id = id;
    header->version = 3;
    header->line_bytes = line.bytes + 1;
    header->terminated = true;
    code = xylem_store__lease_check(import->placing.batch.txn, session, err);
    return code < 0 ? code : 1;
}

/* Finds the session, and checks that the session can be written: 1, or 0 if the session is new. */
static int find_session(struct xylem_session *session, struct xylem_jsonl__import *import, struct xylem_error *err)
{
    struct xylem_txn *txn = import->placing.batch.txn;
    int code;
    if ((code = xylem_store__session_find_any(session, txn, import->reader.header.id, err)) < 0) {
        return code == XYLEM_E_NOT_FOUND ? 0 : code;
    }
    code = xylem_store__session_for_write(session, txn, session->number, err);
    return code < 0 ? code : 1;
}

/* Makes sure that the leaf of the host is a line with an entry, or an entry of the session. */
static int check_leaf(struct xylem_jsonl__import *import, const struct xylem_view *leaf, struct xylem_error *err)
{
    struct xylem_position position;
    uint32_t row;
    if (!leaf || leaf->bytes == 0) {
        return XYLEM_OK;
    }
    int found = xylem_jsonl__index_find(&row, &import->reader.index, *leaf, err);
    if (found != 0) {
        return found < 0 ? found : XYLEM_OK;
    }
    uint64_t session = import->placing.progress.session;
    int code = session == 0 ? XYLEM_E_NOT_FOUND : xylem_find(&position, import->placing.batch.txn, session, *leaf, err);
    return code == XYLEM_E_NOT_FOUND ? xylem_base__fail(err, code, "%s: the leaf %.*s is no entry of the session %.*s",
                                                        import->reader.file.path, XYLEM_BASE__SHOWN(*leaf),
                                                        XYLEM_BASE__SHOWN(import->reader.header.id))
                                     : code;
}

/* Moves the leaf to the leaf of the host: 1, or 0 if the leaf is there. */
static int move_leaf(struct xylem_jsonl__import *import, const struct xylem_held_lines *held,
                     struct xylem_position leaf, struct xylem_error *err)
{
    const struct xylem_jsonl__progress *progress = &import->placing.progress;
    struct xylem_txn *txn = import->placing.batch.txn;
    struct xylem_position target = {0, 0};
    int code = XYLEM_OK;
    leaf = xylem_format__position_none(progress->newest) ? leaf : progress->newest;
    if (!held->leaf_id) {
        code = xylem_jsonl__last_entry(&target, import, err);
        target = code == 0 ? leaf : target;
    } else if (held->leaf_id->bytes > 0) {
        code = xylem_find(&target, txn, progress->session, *held->leaf_id, err);
    }
    if (code < 0 || xylem_format__position_equal(target, leaf)) {
        return code < 0 ? code : 0;
    }
    struct xylem_view reason = held->leaf_reason.bytes > 0 ? held->leaf_reason : xylem_view_of("host");
    code = xylem_navigate(txn, progress->session, target, reason, err);
    return code < 0 ? code : 1;
}

/* Places the lines, and moves the leaf. */
static int place(struct xylem_jsonl__import *import, const struct xylem_held_lines *held,
                 const struct xylem_session *known, bool header_known, struct xylem_error *err)
{
    struct xylem_jsonl__placing *placing = &import->placing;
    struct xylem_import_report *report = import->call->report;
    bool fresh = placing->progress.session == 0;
    struct xylem_position leaf = known->leaf; /* before the next write: `known` is a view of the transaction */
    int code = fresh ? xylem_jsonl__create_session(import, XYLEM_SESSION_LIVE, err) : XYLEM_OK;
    if (code < 0) {
        return code; /* nothing is written, or the transaction knows the failure */
    }
    leaf = fresh ? placing->progress.placed : leaf; /* the last shared entry */
    report->session = placing->progress.session;
    if ((!fresh && !header_known && (code = xylem_jsonl__match_header(placing, err)) < 0) ||
        (code = xylem_jsonl__place_batch(placing, err)) < 0 || (code = move_leaf(import, held, leaf, err)) < 0) {
        xylem_lmdb__write_failed(placing->batch.txn, code); /* a commit would store a part of the lines */
        return code;
    }
    bool wrote = code == 1 || report->added_count > 0 || report->quarantined_count > 0;
    report->outcome = fresh ? XYLEM_IMPORT_NEW : wrote ? XYLEM_IMPORT_GREW : XYLEM_IMPORT_UNCHANGED;
    return XYLEM_OK;
}

static int import_held(struct xylem_jsonl__import *import, const struct xylem_held_lines *held, struct xylem_error *err)
{
    struct xylem_import_report *report = import->call->report;
    struct xylem_jsonl__reader *reader = &import->reader;
    struct xylem_jsonl__placing *placing = &import->placing;
    uint64_t first_line = held->first_line > 0 ? held->first_line : FIRST_LINE;
    struct xylem_session session = {.number = 0};
    int code;
    if ((code = xylem_lmdb__writable(placing->batch.txn, err)) < 0 ||
        (code = hold(&reader->file, held, first_line, err)) < 0) {
        return code;
    }
    struct xylem_view header = {reader->file.held, held->header.bytes};
    if ((code = find_by_header(&session, import, header, err)) < 0 ||
        (code == 0 && (code = xylem_jsonl__header_read(&reader->header, &reader->file, err)) < 0)) {
        return code;
    }
    bool header_known = code == 1;
    if (reader->header.version != 3) {
        return xylem_base__fail(err, XYLEM_E_MALFORMED,
                                "%s: line 1: expected format version 3 of lines in memory, found "
                                "%d; import the file",
                                reader->file.path, reader->header.version);
    }
    memcpy(report->session_id, reader->header.id.data, reader->header.id.bytes);
    report->version = 3;
    report->line_count = held->line_count + 1;
    report->file_bytes = reader->file.bytes;
    reader->index.rows_max = held->line_count;
    if ((code = xylem_jsonl__reader_index(reader, reader->header.line_bytes, first_line, err)) < 0 ||
        (!header_known && (code = find_session(&session, import, err)) < 0)) {
        return code;
    }
    placing->mode = header_known || code == 1 ? XYLEM_JSONL__MODE_CHANGED : XYLEM_JSONL__MODE_NEW;
    placing->progress.session = placing->mode == XYLEM_JSONL__MODE_NEW ? 0 : session.number;
    placing->batch.run.leaf_follows = true;
    if ((code = check_leaf(import, held->leaf_id, err)) < 0) {
        return code;
    }
    if (placing->mode == XYLEM_JSONL__MODE_NEW) {
        placing->batch.txn = NULL; /* the search begins and ends a look of its own */
        code = xylem_jsonl__find_source(import, err);
        placing->batch.txn = import->call->shared->txn;
    }
    code = code < 0 ? code : place(import, held, &session, header_known, err);
    xylem_jsonl__report_sort(report);
    return code;
}

int xylem_import_lines(struct xylem_import_report *report, struct xylem_txn *txn, const struct xylem_held_lines *held,
                       const struct xylem_import_options *options, struct xylem_error *err)
{
    struct xylem_jsonl__shared shared = {.txn = txn};
    struct xylem_jsonl__call call = {.report = report, .shared = &shared};
    memset(report, 0, sizeof *report);
    report->outcome = XYLEM_IMPORT_FAILED; /* until the end */
    if (!txn) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "an import of lines needs a transaction");
    }
    int code = check_held(held, err);
    if (code < 0) {
        return code;
    }
    call.options.share_nothing = options && options->share_nothing;
    call.options.batch_bytes = UINT64_MAX; /* all lines in one batch */
    struct xylem_jsonl__import *import = xylem_jsonl__import_new(&call);
    if (!import) {
        return xylem_base__fail_memory(err);
    }
    import->placing.batch.txn = txn;
    code = import_held(import, held, err);
    xylem_jsonl__import_free(import);
    return code;
}
