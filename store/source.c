/* Reads and writes rows of the table `sources`: how far the imports of a session have read each session file. */
#include "store/source.h"

#include <assert.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/error.h"
#include "store/feed.h"
#include "store/format/keys.h"
#include "store/lmdb/tables.h"

#define GROWTH_BYTES 96u

struct xylem_session_files {
    struct xylem_txn *txn;
    uint64_t session;
    struct xylem_lmdb__rows *rows;
};

/* True if the row of a noted file has the name and nothing else. */
static bool is_noted(const struct xylem_store__source *source, const struct xylem_base__cursor *cursor)
{
    return source->order == 0 && source->bytes == 0 && source->lines == 0 && source->hash == 0 &&
           !source->unterminated && source->tail_bytes == 0 && source->displaced_count == 0 && cursor->left == 0;
}

bool xylem_store__source_fields(struct xylem_store__source *source, struct xylem_base__cursor *cursor)
{
    source->name = xylem_base__read_sized(cursor);
    source->order = xylem_base__read_u64(cursor);
    source->bytes = xylem_base__read_u64(cursor);
    source->lines = xylem_base__read_u64(cursor);
    source->hash = xylem_base__read_u64(cursor);
    unsigned flags = xylem_base__read_u8(cursor);
    source->unterminated = (flags & XYLEM_FORMAT__SOURCE_UNTERMINATED) != 0;
    source->elsewhere = (flags & XYLEM_FORMAT__SOURCE_ELSEWHERE) != 0;
    source->tail_bytes = xylem_base__read_u64(cursor);
    source->tail = xylem_base__read_sized(cursor);
    source->displaced_count = xylem_base__read_u32(cursor);
    source->displaced = NULL;
    source->growth = (struct xylem_store__growth){.known = false};
    size_t listed = source->displaced_count * (size_t)16;
    bool whole = source->tail.bytes == 0 || source->tail.bytes == source->tail_bytes;
    return !cursor->failed && (cursor->left == listed || cursor->left == listed + GROWTH_BYTES) && whole &&
           flags <= 3 && (source->order > 0 || is_noted(source, cursor));
}

/* xylem_store__source_fields() with an error. */
static int decode_fields(struct xylem_store__source *source, struct xylem_base__cursor *cursor, struct xylem_txn *txn,
                         struct xylem_error *err)
{
    return xylem_store__source_fields(source, cursor)
               ? XYLEM_OK
               : xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: a row of the table sources has invalid fields",
                                  xylem_lmdb__path(txn));
}

int xylem_store__source_decode(struct xylem_store__source *source, struct xylem_txn *txn, struct xylem_view row,
                               struct xylem_error *err)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of(row.data, row.bytes);
    int code = decode_fields(source, &cursor, txn, err);
    if (code < 0) {
        return code;
    }
    struct xylem_store__displaced *displaced =
        xylem_lmdb__displaced_room(txn, source->displaced_count * sizeof *displaced);
    if (!displaced) {
        return xylem_base__fail_memory(err);
    }
    for (size_t i = 0; i < source->displaced_count; i++) {
        displaced[i].lsn = xylem_base__read_u64(&cursor);
        displaced[i].line = xylem_base__read_u64(&cursor);
    }
    source->displaced = displaced;
    if (cursor.left > 0) {
        struct xylem_store__growth *growth = &source->growth;
        growth->known = true;
        growth->device = xylem_base__read_u64(&cursor);
        growth->inode = xylem_base__read_u64(&cursor);
        growth->modified_ns = xylem_base__read_i64(&cursor);
        growth->changed_ns = xylem_base__read_i64(&cursor);
        growth->chain = xylem_base__read_u64(&cursor);
        growth->line_bytes = xylem_base__read_u64(&cursor);
        growth->line_hash = xylem_base__read_u64(&cursor);
        growth->placed_count = xylem_base__read_u64(&cursor);
        growth->lsn_max = xylem_base__read_u64(&cursor);
        growth->last_lsn = xylem_base__read_u64(&cursor);
        growth->last = xylem_base__read_position(&cursor);
        growth->known = growth->line_bytes <= source->bytes && source->tail_bytes <= UINT64_MAX - source->bytes &&
                        source->lines > 0 && source->lines <= source->bytes;
    }
    return XYLEM_OK;
}

int xylem_store__source_read(struct xylem_store__source *source, struct xylem_txn *txn, uint64_t session,
                             struct xylem_view name, struct xylem_error *err)
{
    struct xylem_format__key key;
    struct xylem_view row = {NULL, 0};
    xylem_format__key_source(&key, session, name);
    int found = xylem_lmdb__get_summed(&row, txn, XYLEM_FORMAT__SOURCES, key.view, err);
    if (found <= 0) {
        return found;
    }
    int code = xylem_store__source_decode(source, txn, row, err);
    return code < 0 ? code : source->order > 0;
}

/* 1 and the row of the next file, its fields decoded; or 0. */
static int files_step(struct xylem_store__source *source, struct xylem_view *row, struct xylem_session_files *files,
                      struct xylem_error *err)
{
    struct xylem_view key = {NULL, 0};
    int found = xylem_lmdb__rows_next_of(&key, row, files->rows, files->session, err);
    if (found <= 0) {
        return found;
    }
    struct xylem_base__cursor cursor = xylem_base__cursor_of(row->data, row->bytes);
    int code = decode_fields(source, &cursor, files->txn, err);
    return code < 0 ? code : 1;
}

/* Visits the sources of a session: 1 and the source of order `wanted` (0: none), or 0 and the greatest order. */
static int visit_sources(struct xylem_store__source *source, uint64_t *greatest, uint64_t wanted, struct xylem_txn *txn,
                         uint64_t session, struct xylem_error *err)
{
    struct xylem_session_files files = {.txn = txn, .session = session};
    struct xylem_store__source visited;
    struct xylem_view row = {NULL, 0};
    int found = xylem_lmdb__rows_new(&files.rows, txn, XYLEM_FORMAT__SOURCES, err);
    if (found < 0) {
        return found;
    }
    while ((found = files_step(&visited, &row, &files, err)) == 1 && (wanted == 0 || visited.order != wanted)) {
        *greatest = visited.order > *greatest ? visited.order : *greatest;
    }
    if (found == 1) {
        int code = xylem_store__source_decode(source, txn, row, err);
        found = code < 0 ? code : 1;
    }
    xylem_lmdb__rows_free(files.rows);
    return found;
}

int xylem_store__source_first(struct xylem_store__source *source, struct xylem_txn *txn, uint64_t session,
                              struct xylem_error *err)
{
    uint64_t greatest = 0;
    return visit_sources(source, &greatest, 1, txn, session, err);
}

int xylem_store__source_count(uint64_t *count, struct xylem_txn *txn, uint64_t session, struct xylem_error *err)
{
    struct xylem_store__source visited;
    *count = 0; /* orders have no gap, and no source is ever removed, so the greatest order is the count */
    int found = visit_sources(&visited, count, 0, txn, session, err);
    return found < 0 ? found : XYLEM_OK;
}

static int encode(struct xylem_buffer *row, const struct xylem_store__source *source)
{
    const struct xylem_store__growth *growth = &source->growth;
    const uint64_t consumed[] = {source->order, source->bytes, source->lines, source->hash};
    const uint64_t grown[] = {growth->device,
                              growth->inode,
                              (uint64_t)growth->modified_ns,
                              (uint64_t)growth->changed_ns,
                              growth->chain,
                              growth->line_bytes,
                              growth->line_hash,
                              growth->placed_count,
                              growth->lsn_max,
                              growth->last_lsn,
                              growth->last.branch,
                              growth->last.depth};
    static_assert(sizeof grown == GROWTH_BYTES, "each member of the growth is 8 bytes");
    unsigned flags = (source->unterminated ? XYLEM_FORMAT__SOURCE_UNTERMINATED : 0u) |
                     (source->elsewhere ? XYLEM_FORMAT__SOURCE_ELSEWHERE : 0u);
    int code;
    if ((code = xylem_base__add_sized(row, source->name)) < 0 ||
        (code = xylem_base__add_u64s(row, consumed, sizeof consumed / sizeof *consumed)) < 0 ||
        (code = xylem_base__add_u8(row, (uint8_t)flags)) < 0 ||
        (code = xylem_base__add_u64(row, source->tail_bytes)) < 0 ||
        (code = xylem_base__add_sized(row, source->tail)) < 0 ||
        (code = xylem_base__add_u32(row, (uint32_t)source->displaced_count)) < 0) {
        return code;
    }
    for (size_t i = 0; i < source->displaced_count; i++) {
        if ((code = xylem_base__add_u64(row, source->displaced[i].lsn)) < 0 ||
            (code = xylem_base__add_u64(row, source->displaced[i].line)) < 0) {
            return code;
        }
    }
    return growth->known ? xylem_base__add_u64s(row, grown, sizeof grown / sizeof *grown) : XYLEM_OK;
}

int xylem_store__source_put(struct xylem_txn *txn, uint64_t session, const struct xylem_store__source *source,
                            struct xylem_error *err)
{
    struct xylem_format__key key;
    struct xylem_buffer row = {NULL, 0, 0};
    xylem_format__key_source(&key, session, source->name);
    bool made = encode(&row, source) == XYLEM_OK;
    return xylem_lmdb__put_summed(txn, XYLEM_FORMAT__SOURCES, key.view, &row, made, true, err);
}

int xylem_store__source_write(struct xylem_txn *txn, uint64_t session, struct xylem_store__source *source,
                              struct xylem_error *err)
{
    if (source->order == 0 && source->lines > 0) {
        uint64_t count = 0;
        int counted = xylem_store__source_count(&count, txn, session, err);
        if (counted < 0) {
            return counted;
        }
        source->order = count + 1;
    }
    int code = xylem_store__source_put(txn, session, source, err);
    return code < 0 ? code : xylem_store__feed_document(txn, session, err);
}

int xylem_store__source_note(struct xylem_txn *txn, uint64_t session, struct xylem_view name, struct xylem_error *err)
{
    struct xylem_format__key key;
    struct xylem_view row = {NULL, 0};
    struct xylem_store__source source = {.name = name};
    xylem_format__key_source(&key, session, name);
    int code = xylem_lmdb__get_summed(&row, txn, XYLEM_FORMAT__SOURCES, key.view, err);
    if (code != 0) {
        return code < 0 ? code : 0;
    }
    code = xylem_store__source_write(txn, session, &source, err);
    return code < 0 ? code : 1;
}

int xylem_session_files_new(struct xylem_session_files **files, struct xylem_txn *txn, uint64_t session,
                            struct xylem_error *err)
{
    struct xylem_session row;
    int code = xylem_session_read(&row, txn, session, err);
    if (code < 0) {
        return code;
    }
    struct xylem_session_files *made = calloc(1, sizeof *made);
    code = made ? xylem_lmdb__rows_new(&made->rows, txn, XYLEM_FORMAT__SOURCES, err) : xylem_base__fail_memory(err);
    if (code < 0) {
        free(made);
        return code;
    }
    made->txn = txn;
    made->session = session;
    *files = made;
    return XYLEM_OK;
}

int xylem_session_files_next(struct xylem_session_file *file, struct xylem_session_files *files,
                             struct xylem_error *err)
{
    struct xylem_store__source source = {.order = 0};
    struct xylem_view row = {NULL, 0};
    int code;
    do {
        code = files_step(&source, &row, files, err);
    } while (code == 1 && source.elsewhere);
    if (code == 1) {
        *file = (struct xylem_session_file){.path = source.name, .bytes = source.bytes};
    }
    return code;
}

void xylem_session_files_free(struct xylem_session_files *files)
{
    if (files) {
        xylem_lmdb__rows_free(files->rows);
        free(files);
    }
}
