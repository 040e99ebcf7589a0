#include "store/note.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "store/lmdb/tables.h"
#include "store/meta.h"
#include "store/session.h"
#include "xylem/note.h"

#define PREFIX_BYTES (sizeof XYLEM_FORMAT__META_NOTE - 1)
#define KEY_BYTES_MAX (PREFIX_BYTES + XYLEM_NOTE_NAME_BYTES_MAX)

struct xylem_notes {
    struct xylem_lmdb__rows *rows;
    bool stands; /* the cursor stands at a row that was given */
};

static struct xylem_view key_of(char key[KEY_BYTES_MAX], struct xylem_view name)
{
    memcpy(key, XYLEM_FORMAT__META_NOTE, PREFIX_BYTES);
    memcpy(key + PREFIX_BYTES, name.bytes > 0 ? name.data : "", name.bytes);
    return (struct xylem_view){key, PREFIX_BYTES + name.bytes};
}

static bool is_note_key(struct xylem_view key)
{
    return xylem_base__view_begins(key, XYLEM_BASE__LITERAL(XYLEM_FORMAT__META_NOTE));
}

bool xylem_store__note_name(struct xylem_view *name, struct xylem_view key, struct xylem_view row)
{
    if (!is_note_key(key)) {
        return false;
    }
    *name = (struct xylem_view){key.data + PREFIX_BYTES, key.bytes - PREFIX_BYTES};
    return row.bytes <= XYLEM_NOTE_VALUE_BYTES_MAX &&
           xylem_store__name_check(*name, XYLEM_NOTE_NAME_BYTES_MAX, "", NULL) == XYLEM_OK;
}

int xylem_store__note_count(uint64_t *count, struct xylem_txn *txn, struct xylem_error *err)
{
    *count = 0;
    int found = xylem_store__meta_numbers_read(count, 1, txn, XYLEM_FORMAT__META_NOTES, err);
    return found < 0 ? found : XYLEM_OK;
}

/* Counts one note more or less. */
static int count_note(struct xylem_txn *txn, bool more, struct xylem_view name, struct xylem_error *err)
{
    uint64_t count;
    int code = xylem_store__note_count(&count, txn, err);
    if (code == XYLEM_OK && more && count >= XYLEM_NOTES_MAX) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "the store has %" PRIu64 " notes already, and %.*s is another note",
                                count, XYLEM_BASE__SHOWN(name));
    }
    if (code == XYLEM_OK && !more && count == 0) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT,
                                "%s: the row %s of the table meta counts no note, and there is one",
                                xylem_lmdb__path(txn), XYLEM_FORMAT__META_NOTES);
    }
    count = more ? count + 1 : count - 1;
    code = code < 0 ? code : xylem_store__feature_add(txn, XYLEM_FORMAT__FEATURE_NOTES, err);
    return code < 0 ? code : xylem_store__meta_numbers_write(txn, XYLEM_FORMAT__META_NOTES, &count, 1, err);
}

int xylem_note_put(struct xylem_txn *txn, struct xylem_view name, struct xylem_view value, struct xylem_error *err)
{
    char bytes[KEY_BYTES_MAX];
    struct xylem_view row = {NULL, 0};
    struct xylem_buffer kept = {NULL, 0, 0}; /* the first write makes a view from the transaction invalid */
    int code;
    if ((code = xylem_lmdb__writable(txn, err)) < 0 ||
        (code = xylem_store__name_check(name, XYLEM_NOTE_NAME_BYTES_MAX, "the name of a note", err)) < 0) {
        return code;
    }
    if (value.bytes > XYLEM_NOTE_VALUE_BYTES_MAX) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "the note %.*s has %zu bytes; at most %u are allowed",
                                XYLEM_BASE__SHOWN(name), value.bytes, XYLEM_NOTE_VALUE_BYTES_MAX);
    }
    struct xylem_view key = key_of(bytes, name);
    int found = xylem_lmdb__get_summed(&row, txn, XYLEM_FORMAT__META, key, err);
    if (found < 0 || (found == 0 && !value.data)) {
        return found;
    }
    if (xylem_buffer_add(&kept, value.data, value.bytes) < 0) {
        return xylem_base__fail_memory(err);
    }
    code = found == 0 || !value.data ? count_note(txn, found == 0, name, err) : XYLEM_OK;
    if (code < 0 || !value.data) {
        xylem_buffer_release(&kept);
    }
    if (code < 0) {
        return code;
    }
    code = value.data ? xylem_lmdb__put_summed(txn, XYLEM_FORMAT__META, key, &kept, true, true, err)
                      : xylem_lmdb__remove(txn, XYLEM_FORMAT__META, key, err);
    if (code < 0) {
        xylem_lmdb__write_failed(txn, code); /* the note may be counted already */
    }
    return code;
}

int xylem_note_get(struct xylem_view *value, struct xylem_txn *txn, struct xylem_view name, struct xylem_error *err)
{
    char bytes[KEY_BYTES_MAX];
    struct xylem_view row = {NULL, 0};
    bool possible = name.bytes > 0 && name.bytes <= XYLEM_NOTE_NAME_BYTES_MAX;
    int found = possible ? xylem_lmdb__get_summed(&row, txn, XYLEM_FORMAT__META, key_of(bytes, name), err) : 0;
    if (found <= 0) {
        return found < 0 ? found
                         : xylem_base__fail(err, XYLEM_E_NOT_FOUND, "there is no note %.*s", XYLEM_BASE__SHOWN(name));
    }
    *value = row;
    return XYLEM_OK;
}

int xylem_notes_new(struct xylem_notes **notes, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_notes *made = calloc(1, sizeof *made);
    int code = made ? xylem_lmdb__rows_new(&made->rows, txn, XYLEM_FORMAT__META, err) : xylem_base__fail_memory(err);
    if (code < 0) {
        free(made);
        return code;
    }
    *notes = made;
    return XYLEM_OK;
}

int xylem_notes_next(struct xylem_note *note, struct xylem_notes *notes, struct xylem_error *err)
{
    struct xylem_view key = XYLEM_BASE__LITERAL(XYLEM_FORMAT__META_NOTE);
    struct xylem_view row = {NULL, 0};
    int found = xylem_lmdb__rows_step_summed(&key, &row, notes->rows,
                                             notes->stands ? XYLEM_LMDB__NEXT : XYLEM_LMDB__AT_OR_AFTER, err);
    notes->stands = true;
    if (found <= 0 || !is_note_key(key)) {
        return found < 0 ? found : 0;
    }
    struct xylem_note read = {.value = row};
    if (!xylem_store__note_name(&read.name, key, row)) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "a note has a name or a value that no note can have");
    }
    *note = read;
    return 1;
}

void xylem_notes_free(struct xylem_notes *notes)
{
    if (notes) {
        xylem_lmdb__rows_free(notes->rows);
        free(notes);
    }
}
