/* Finds the number of a kind's name and the name of a number, and converts the text form of a kind. */
#include "store/kind.h"

#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/value.h"
#include "store/format/keys.h"
#include "store/meta.h"
#include "store/lmdb/tables.h"

#define CUSTOM_PREFIX "custom:"

static int corrupt(struct xylem_txn *txn, const char *what, struct xylem_error *err)
{
    return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: a row of the table kinds %s", xylem_lmdb__path(txn), what);
}

int xylem_store__kind_read(struct xylem_kind *kind, struct xylem_txn *txn, uint32_t number, struct xylem_error *err)
{
    struct xylem_format__key key;
    struct xylem_view row;
    if (xylem_lmdb__kind_known(kind, txn, number)) {
        return XYLEM_OK;
    }
    xylem_format__key_kind_number(&key, number);
    int found = xylem_lmdb__get_summed(&row, txn, XYLEM_FORMAT__KINDS, key.view, err);
    if (found <= 0) {
        return found < 0
                   ? found
                   : xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: the table kinds has no row for the number %" PRIu32,
                                      xylem_lmdb__path(txn), number);
    }
    struct xylem_base__cursor cursor = xylem_base__cursor_of(row.data, row.bytes);
    struct xylem_kind read = {(enum xylem_class)xylem_base__read_u8(&cursor), {NULL, 0}};
    read.name = xylem_base__read_bytes(&cursor, cursor.left);
    if (cursor.failed || (unsigned)read.kind_class > XYLEM_CLASS_CUSTOM) {
        return corrupt(txn, "has no class", err);
    }
    return xylem_lmdb__kind_remember(kind, txn, number, read, err);
}

/* The number of the next new kind. */
static int next_number(uint32_t *number, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_lmdb__floors floors;
    struct xylem_lmdb__rows *rows;
    int code;
    if ((code = xylem_store__floors_read(&floors, txn, err)) < 0 ||
        (code = xylem_lmdb__rows_new(&rows, txn, XYLEM_FORMAT__KINDS, err)) < 0) {
        return code;
    }
    uint64_t last = floors.kind;
    struct xylem_view key = {NULL, 0};
    struct xylem_view value;
    int found = xylem_lmdb__rows_step(&key, &value, rows, XYLEM_LMDB__LAST, err);
    if (found > 0 && key.bytes == XYLEM_FORMAT__KIND_NUMBER_KEY_BYTES &&
        (unsigned char)key.data[0] == XYLEM_FORMAT__KIND_NUMBER_TAG) {
        uint64_t used = 0;
        for (size_t i = 1; i < key.bytes; i++) {
            used = used << 8 | (unsigned char)key.data[i];
        }
        last = used > last ? used : last;
    }
    xylem_lmdb__rows_free(rows);
    if (found < 0) {
        return found;
    }
    if (last >= UINT32_MAX) {
        return xylem_base__fail(err, XYLEM_E_LIMIT,
                                "%s: the last kind has the number %" PRIu64 "; the limit is %" PRIu32,
                                xylem_lmdb__path(txn), last, UINT32_MAX);
    }
    *number = (uint32_t)last + 1;
    return XYLEM_OK;
}

/* The key of a long name has only the beginning and the hash of the name. LIMIT if the row belongs to another name. */
static int check_full_name(struct xylem_txn *txn, uint32_t number, struct xylem_kind kind, struct xylem_error *err)
{
    struct xylem_kind found;
    if (kind.name.bytes <= XYLEM_FORMAT__NAME_KEY_BYTES_MAX) {
        return XYLEM_OK;
    }
    int code = xylem_store__kind_read(&found, txn, number, err);
    if (code == XYLEM_OK && !xylem_base__view_equal(found.name, kind.name)) {
        code = xylem_base__fail(err, XYLEM_E_LIMIT,
                                "a kind's name of %zu bytes has the same beginning and hash as another name",
                                kind.name.bytes);
    }
    return code;
}

int xylem_store__kind_intern(uint32_t *number, struct xylem_txn *txn, struct xylem_kind kind, struct xylem_error *err)
{
    struct xylem_format__key key;
    struct xylem_view row;
    xylem_format__key_kind_name(&key, kind);
    int found = xylem_lmdb__get_summed(&row, txn, XYLEM_FORMAT__KINDS, key.view, err);
    if (found < 0) {
        return found;
    }
    if (found) {
        struct xylem_base__cursor cursor = xylem_base__cursor_of(row.data, row.bytes);
        *number = xylem_base__read_u32(&cursor);
        return xylem_base__cursor_ended(&cursor) ? check_full_name(txn, *number, kind, err)
                                                 : corrupt(txn, "has no number", err);
    }
    struct xylem_buffer value = {NULL, 0, 0};
    int code = next_number(number, txn, err);
    if (code == XYLEM_OK) {
        bool made = xylem_base__add_u32(&value, *number) == XYLEM_OK;
        code = xylem_lmdb__put_summed(txn, XYLEM_FORMAT__KINDS, key.view, &value, made, false, err);
    }
    if (code == XYLEM_OK) {
        xylem_format__key_kind_number(&key, *number);
        bool made = xylem_base__add_u8(&value, (uint8_t)kind.kind_class) == XYLEM_OK &&
                    xylem_buffer_add(&value, kind.name.data, kind.name.bytes) == XYLEM_OK;
        code = xylem_lmdb__put_summed(txn, XYLEM_FORMAT__KINDS, key.view, &value, made, false, err);
    }
    struct xylem_kind kept;
    return code < 0 ? code : xylem_lmdb__kind_remember(&kept, txn, *number, kind, err);
}

int xylem_kind_text(struct xylem_buffer *buffer, struct xylem_kind kind)
{
    if (kind.kind_class == XYLEM_CLASS_CUSTOM) {
        int code = xylem_base__buffer_add_text(buffer, CUSTOM_PREFIX);
        return code < 0 ? code : xylem_buffer_add(buffer, kind.name.data, kind.name.bytes);
    }
    int code = xylem_base__buffer_reserve(buffer, kind.name.bytes);
    for (size_t i = 0; code == XYLEM_OK && i < kind.name.bytes; i++) {
        char byte = kind.name.data[i];
        if ((byte == ':' || byte == '\\') && (code = xylem_buffer_add(buffer, "\\", 1)) < 0) {
            return code;
        }
        code = xylem_buffer_add(buffer, &byte, 1);
    }
    return code;
}

/* Removes the escapes of a host kind's name. */
static int unescape(struct xylem_buffer *storage, struct xylem_view text, struct xylem_error *err)
{
    for (size_t i = 0; i < text.bytes; i++) {
        if (text.data[i] == '\\' && i + 1 < text.bytes && (text.data[i + 1] == ':' || text.data[i + 1] == '\\')) {
            i++;
        } else if (text.data[i] == '\\' || text.data[i] == ':') {
            return xylem_base__fail(
                err, XYLEM_E_MALFORMED,
                "%.*s is not a kind: expected 'custom:' and a name, or the name of a host kind with '\\' "
                "before each ':' and '\\'",
                XYLEM_BASE__SHOWN(text));
        }
        if (xylem_buffer_add(storage, text.data + i, 1) < 0) {
            return xylem_base__fail_memory(err);
        }
    }
    return XYLEM_OK;
}

/* True for a name without escapes, which needs no copy. */
static bool is_plain(struct xylem_view text)
{
    return text.bytes == 0 || (!memchr(text.data, ':', text.bytes) && !memchr(text.data, '\\', text.bytes));
}

int xylem_kind_parse(struct xylem_kind *kind, struct xylem_buffer *storage, struct xylem_view text,
                     struct xylem_error *err)
{
    static const size_t prefix_bytes = sizeof CUSTOM_PREFIX - 1;
    bool custom = xylem_base__view_begins(text, XYLEM_BASE__LITERAL(CUSTOM_PREFIX));
    struct xylem_view name = text;
    xylem_base__buffer_clear(storage);
    if (custom) {
        name = (struct xylem_view){text.data + prefix_bytes, text.bytes - prefix_bytes};
    } else if (!is_plain(text)) {
        int code = unescape(storage, text, err);
        if (code < 0) {
            return code;
        }
        name = xylem_base__buffer_view(storage);
    }
    if (name.bytes > XYLEM_KIND_NAME_BYTES_MAX) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "a kind's name has %zu bytes; the limit is %u", name.bytes,
                                XYLEM_KIND_NAME_BYTES_MAX);
    }
    kind->kind_class = custom ? XYLEM_CLASS_CUSTOM : XYLEM_CLASS_HOST;
    kind->name = name;
    return XYLEM_OK;
}
