/* Puts the document of a segment in the place of a session's: leaf, session files, quarantine. */
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "store/meta.h"
#include "store/source.h"
#include "store/lmdb/tables.h"
#include "travel/applying.h"
#include "xylem/files.h"

/* --- Leaf --------------------------------------------------------------------------------------------------------- */

static int set_leaf(struct xylem_travel__applying *applying, struct xylem_position leaf, struct xylem_position imported)
{
    struct xylem_session *session = &applying->session;
    bool same = xylem_format__position_equal(session->leaf, leaf) &&
                xylem_format__position_equal(session->imported_leaf, imported);
    bool is_older = session->epoch < applying->options->epoch;
    if (same && !is_older) {
        return XYLEM_OK;
    }
    applying->wrote = true;
    session->leaf = leaf;
    session->imported_leaf = imported;
    session->epoch = is_older ? applying->options->epoch : session->epoch;
    int code = xylem_store__session_write(applying->txn, session, applying->err);
    return code < 0 ? code : xylem_store__outline_notice(applying->txn, session->number, applying->err);
}

/* --- Rows --------------------------------------------------------------------------------------------------------- */

/* Lines in quarantine, and torn last lines: with their bytes, and redacted. */
struct texts {
    uint64_t kept;
    uint64_t redacted;
};

static void count_line(struct texts *texts, const struct xylem_quarantined *line)
{
    texts->kept += line->raw.bytes > 0;
    texts->redacted += line->reason == XYLEM_IMPORT_REDACTED;
}

static void count_tail(struct texts *texts, const struct xylem_store__source *source)
{
    texts->kept += source->tail.bytes > 0;
    texts->redacted += source->tail.bytes == 0 && source->tail_bytes > 0;
}

static int count_row(struct texts *texts, const struct xylem_travel__applying *applying, enum xylem_format__table table,
                     struct xylem_view key, struct xylem_view row)
{
    struct xylem_quarantined line;
    struct xylem_store__source source;
    int code;
    if (table == XYLEM_FORMAT__QUARANTINE) {
        if ((code = xylem_store__quarantine_decode(&line, key, row, applying->err)) == XYLEM_OK) {
            count_line(texts, &line);
        }
    } else if ((code = xylem_store__source_decode(&source, applying->txn, row, applying->err)) == XYLEM_OK) {
        count_tail(texts, &source);
    }
    return code;
}

/* Removes the session's rows of a table. The rows are listed first, each by its key behind the length of the key. */
static int remove_rows(struct texts *texts, struct xylem_travel__applying *applying, enum xylem_format__table table)
{
    struct xylem_lmdb__rows *rows;
    struct xylem_buffer keys = {NULL, 0, 0};
    struct xylem_view key = {NULL, 0};
    struct xylem_view row = {NULL, 0};
    int code = xylem_lmdb__rows_new(&rows, applying->txn, table, applying->err);
    if (code < 0) {
        return code;
    }
    while ((code = xylem_lmdb__rows_next_of(&key, &row, rows, applying->session.number, applying->err)) > 0) {
        if ((code = count_row(texts, applying, table, key, row)) < 0) {
            break;
        }
        if (xylem_base__add_sized(&keys, key) < 0) {
            code = xylem_base__fail_memory(applying->err);
            break;
        }
    }
    xylem_lmdb__rows_free(rows);
    struct xylem_base__cursor cursor = xylem_base__cursor_of(keys.data, keys.bytes);
    while (code == XYLEM_OK && cursor.left > 0) {
        code = xylem_lmdb__remove(applying->txn, table, xylem_base__read_sized(&cursor), applying->err);
    }
    xylem_buffer_release(&keys);
    return code;
}

/* Writes a source. The entries of its displaced lines have other lsns here, which ascend too. */
static int write_source(struct texts *texts, struct xylem_travel__applying *applying)
{
    struct xylem_store__source source;
    xylem_travel__document_source(&source, &applying->reader);
    count_tail(texts, &source);
    struct xylem_store__displaced *displaced = calloc(source.displaced_count + 1, sizeof *displaced);
    int code = displaced ? XYLEM_OK : xylem_base__fail_memory(applying->err);
    for (size_t i = 0; code == XYLEM_OK && i < source.displaced_count; i++) {
        struct xylem_view id;
        struct xylem_position position;
        struct xylem_entry entry = {.lsn = 0};
        xylem_travel__document_displaced(&id, &displaced[i].line, &applying->reader);
        code = xylem_travel__place_of(&position, applying, id);
        code = code < 0 ? code : xylem_entry_read(&entry, applying->txn, position, applying->err);
        displaced[i].lsn = entry.lsn;
        if (code == XYLEM_OK && i > 0 && displaced[i].lsn <= displaced[i - 1].lsn) {
            code = xylem_base__fail(applying->err, XYLEM_E_MALFORMED,
                                    "the document of the session %.*s has displaced lines out of order",
                                    XYLEM_BASE__SHOWN(applying->session.id));
        }
    }
    source.elsewhere = source.elsewhere || !applying->is_whole;
    source.displaced = displaced;
    code = code < 0 ? code : xylem_store__source_put(applying->txn, applying->session.number, &source, applying->err);
    free(displaced);
    return code;
}

/* 1 if the session has the document that comes next in the segment, else 0. */
static int is_there(struct xylem_travel__applying *applying)
{
    const struct xylem_base__cursor *cursor = &applying->reader.cursor;
    struct xylem_view given = {(const char *)cursor->at, cursor->left};
    struct xylem_buffer own = {NULL, 0, 0};
    int code = xylem_travel__pack_document(&own, applying->txn, &applying->session, applying->is_whole, applying->err);
    bool same = code == XYLEM_OK && xylem_base__view_equal(xylem_base__buffer_view(&own), given);
    xylem_buffer_release(&own);
    return code < 0 ? code : same;
}

int xylem_travel__apply_document(struct xylem_travel__applying *applying)
{
    struct xylem_view leaf_id;
    struct xylem_view imported_id;
    struct xylem_position leaf;
    struct xylem_position imported;
    struct texts before = {0, 0};
    struct texts after = {0, 0};
    uint32_t sources;
    bool has_document = applying->reader.segment.has_document;
    int code = has_document ? is_there(applying) : 1;
    if (code != 0) {
        bool moved = !has_document && applying->has_leaf;
        return code < 0 ? code
                        : set_leaf(applying, moved ? applying->leaf : applying->session.leaf,
                                   applying->session.imported_leaf);
    }
    xylem_travel__document_begin(&leaf_id, &imported_id, &sources, &applying->reader);
    if ((code = xylem_travel__place_of(&leaf, applying, leaf_id)) < 0 ||
        (code = xylem_travel__place_of(&imported, applying, imported_id)) < 0) {
        return code;
    }
    applying->wrote = true;
    if ((code = set_leaf(applying, leaf, imported)) < 0 ||
        (code = remove_rows(&before, applying, XYLEM_FORMAT__SOURCES)) < 0 ||
        (code = remove_rows(&before, applying, XYLEM_FORMAT__QUARANTINE)) < 0) {
        return code;
    }
    for (uint32_t i = 0; code == XYLEM_OK && i < sources; i++) {
        code = write_source(&after, applying);
    }
    uint32_t lines = code < 0 ? 0 : xylem_base__read_u32(&applying->reader.cursor);
    for (uint32_t i = 0; code == XYLEM_OK && i < lines; i++) {
        struct xylem_quarantined line;
        xylem_travel__document_line(&line, &applying->reader);
        count_line(&after, &line);
        code = xylem_store__quarantine_put(applying->txn, applying->session.number, &line, applying->err);
    }
    /* Newly redacted are the lines beyond those of before, but no more than had their bytes here. */
    uint64_t redacted = after.redacted > before.redacted ? after.redacted - before.redacted : 0;
    redacted = redacted < before.kept ? redacted : before.kept;
    applying->report->line_count += redacted;
    return code < 0 || redacted == 0 ? code
                                     : xylem_store__removal_note(applying->txn, XYLEM_STORE__REDACTION, applying->err);
}
