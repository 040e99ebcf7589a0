/* Writes a session as lines of JSON, made of its segments (told.h). */
#include "base/buffer.h"
#include "base/error.h"
#include "base/json.h"
#include "store/format/hash.h"
#include "store/store.h"
#include "travel/told.h"

struct telling {
    struct xylem_txn *txn;
    int (*write)(void *context, const void *data, size_t bytes);
    void *context;
    struct xylem_error *err;
    struct xylem_travel__reader reader;
    struct xylem_view before; /* the id of the entry before, in the segment */
    struct xylem_buffer row;
    struct xylem_base__tree tree;
    struct xylem_buffer json; /* custom data */
    struct xylem_buffer again;
};

static int tell(struct telling *telling, const struct xylem_travel__told *told)
{
    xylem_base__buffer_clear(&telling->row);
    if (xylem_travel__told_write(&telling->row, told) < 0) {
        return xylem_base__fail_memory(telling->err);
    }
    if (telling->row.bytes > XYLEM_LINE_BYTES_MAX) {
        return xylem_base__fail(telling->err, XYLEM_E_LIMIT, "the row of entry %.*s has %zu bytes; the limit is %u",
                                XYLEM_BASE__SHOWN(told->change.id), telling->row.bytes, XYLEM_LINE_BYTES_MAX);
    }
    return telling->write(telling->context, telling->row.data, telling->row.bytes) == 0
               ? XYLEM_OK
               : xylem_base__fail(telling->err, XYLEM_E_STOPPED, "the export was stopped by its writer");
}

/* Data in JSON, if the JSON gives the same data back: other programs read no msgpack. */
static int tell_data(struct telling *telling, struct xylem_travel__change *change)
{
    struct xylem_error reason;
    int code;
    xylem_base__buffer_clear(&telling->json);
    xylem_base__buffer_clear(&telling->again);
    if ((code = xylem_format__data_decode(&telling->tree, change->payload, &reason)) == XYLEM_OK &&
        (code = xylem_value_json(&telling->json, telling->tree.nodes)) == XYLEM_OK &&
        (code = xylem_base__json_parse(&telling->tree, xylem_base__buffer_view(&telling->json), &reason)) == XYLEM_OK &&
        (code = xylem_format__data_encode(&telling->again, telling->tree.nodes, &reason)) == XYLEM_OK &&
        xylem_base__view_equal(xylem_base__buffer_view(&telling->again), change->payload)) {
        change->format = XYLEM_FORMAT_JSON;
        change->payload = xylem_base__buffer_view(&telling->json);
    }
    return code == XYLEM_E_MEMORY ? xylem_base__fail_memory(telling->err) : XYLEM_OK;
}

static int tell_entry(struct telling *telling, struct xylem_travel__told *told)
{
    struct xylem_travel__change *change = &told->change;
    int code = XYLEM_OK;
    change->parent = change->parent_is == XYLEM_TRAVEL__BEFORE ? telling->before : change->parent;
    telling->before = change->id;
    if (!(change->flags & XYLEM_ENTRY_REDACTED)) {
        change->payload_hash = xylem_format__hash(change->payload);
        if (change->kind.kind_class == XYLEM_CLASS_CUSTOM && change->format == XYLEM_FORMAT_MSGPACK) {
            code = tell_data(telling, change);
        }
    }
    return code < 0 ? code : tell(telling, told);
}

/* The document of the last segment: session files, then quarantine. */
static int tell_document(struct telling *telling, struct xylem_travel__told *end)
{
    struct xylem_travel__reader *reader = &telling->reader;
    uint32_t sources;
    int code = XYLEM_OK;
    xylem_travel__document_begin(&end->leaf, &end->imported_leaf, &sources, reader);
    for (uint32_t i = 0; code == XYLEM_OK && i < sources; i++) {
        struct xylem_travel__told told = {.type = XYLEM_TRAVEL__TOLD_FILE};
        xylem_travel__document_source(&told.source, reader);
        code = tell(telling, &told);
        for (size_t j = 0; code == XYLEM_OK && j < told.source.displaced_count; j++) {
            struct xylem_travel__told displaced = {.type = XYLEM_TRAVEL__TOLD_DISPLACED};
            xylem_travel__document_displaced(&displaced.change.id, &displaced.displaced_line, reader);
            code = tell(telling, &displaced);
        }
    }
    uint32_t lines = code < 0 ? 0 : xylem_base__read_u32(&reader->cursor);
    for (uint32_t i = 0; code == XYLEM_OK && i < lines; i++) {
        struct xylem_travel__told told = {.type = XYLEM_TRAVEL__TOLD_QUARANTINED};
        xylem_travel__document_line(&told.line, reader);
        code = tell(telling, &told);
    }
    return code;
}

static int tell_segment(struct telling *telling, const struct xylem_session *session, bool *began)
{
    struct xylem_travel__told told = {.type = XYLEM_TRAVEL__TOLD_SESSION};
    struct xylem_travel__reader *reader = &telling->reader;
    int code = XYLEM_OK;
    telling->before = (struct xylem_view){NULL, 0};
    if (!*began) {
        told.segment = reader->segment;
        told.row = reader->row;
        told.owner = session->owner;
        told.epoch = session->state == XYLEM_SESSION_FREED ? 0 : session->epoch; /* nobody changes remains */
        told.schema = 1;
        code = tell(telling, &told);
    }
    *began = true;
    while (code == XYLEM_OK) {
        told = (struct xylem_travel__told){.type = 0};
        if ((code = xylem_travel__reader_next(&told.change, reader, telling->err)) <= 0) {
            break;
        }
        told.type = told.change.type;
        code = told.type == XYLEM_CHANGE_ENTRY ? tell_entry(telling, &told) : tell(telling, &told);
    }
    told = (struct xylem_travel__told){.type = XYLEM_TRAVEL__TOLD_END, .chain = reader->segment.chain};
    xylem_base__read_u64(&reader->cursor); /* the check of the last entry */
    if (code == XYLEM_OK && reader->segment.has_document) {
        code = tell_document(telling, &told);
        code = code < 0 ? code : tell(telling, &told);
    }
    return code;
}

int xylem_export_changes(struct xylem_txn *txn, uint64_t session,
                         int (*write)(void *context, const void *data, size_t bytes), void *context,
                         struct xylem_error *err)
{
    const struct xylem_travel__told end = {.type = XYLEM_TRAVEL__TOLD_END};
    struct telling telling = {.txn = txn, .write = write, .context = context, .err = err};
    struct xylem_packing *packing = NULL;
    struct xylem_segment segment;
    struct xylem_session row;
    struct xylem_buffer bytes = {NULL, 0, 0};
    bool began = false;
    int code = xylem_session_read(&row, txn, session, err);
    if (code < 0 || (code = xylem_packing_new(&packing, txn, session, NULL, err)) < 0) {
        return code;
    }
    xylem_travel__pack_whole(packing);
    while (code == XYLEM_OK && (code = xylem_packing_next(&bytes, &segment, packing, err)) > 0) {
        code = xylem_travel__reader_begin(&telling.reader, xylem_base__buffer_view(&bytes), err);
        code = code < 0 ? code : tell_segment(&telling, &row, &began);
        xylem_travel__reader_release(&telling.reader);
    }
    code = code == XYLEM_OK && row.state == XYLEM_SESSION_FREED ? tell(&telling, &end) : code;
    xylem_packing_free(packing);
    xylem_buffer_release(&bytes);
    xylem_buffer_release(&telling.row);
    xylem_buffer_release(&telling.json);
    xylem_buffer_release(&telling.again);
    xylem_base__tree_release(&telling.tree);
    return code;
}
