/*
 * The note of a store for an engine:
 *
 *     u8 version (1) | 16 bytes token | 16 bytes incarnation | u64 lsn | u64 chain
 */
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/value.h"
#include "fleet/shipper.h"
#include "xylem/note.h"

#define VERSION 1u
#define NOTE_BYTES (1u + FLEET_TOKEN_BYTES + 16u + 8u + 8u)
#define NAME_BYTES (sizeof "fleet::ship" - 1 + 32)

static struct xylem_view write_name(char name[NAME_BYTES], const unsigned char *engine)
{
    memcpy(name, "fleet:", 6);
    for (size_t i = 0; i < 32; i++) {
        name[6 + i] = XYLEM_BASE__HEX_DIGITS[engine[i / 2] >> (i % 2 ? 0 : 4) & 15];
    }
    memcpy(name + 38, ":ship", 5);
    return (struct xylem_view){name, NAME_BYTES};
}

int fleet_cursor_read(struct fleet_cursor *cursor, struct xylem_txn *txn, const unsigned char *engine,
                      struct xylem_error *err)
{
    char name[NAME_BYTES];
    struct xylem_view value;
    int code = xylem_note_get(&value, txn, write_name(name, engine), err);
    memset(cursor, 0, sizeof *cursor);
    if (code < 0) {
        return code == XYLEM_E_NOT_FOUND ? 0 : code;
    }
    unsigned version = value.bytes > 0 ? (unsigned char)value.data[0] : 0;
    if (version > VERSION) {
        return xylem_base__fail(
            err, XYLEM_E_TOO_NEW,
            "the note %.*s has version %u, and this program knows %u: a newer xylem-fleet ships this "
            "store",
            (int)NAME_BYTES, name, version, VERSION);
    }
    if (version != VERSION || value.bytes != NOTE_BYTES) {
        return xylem_base__fail(
            err, XYLEM_E_CORRUPT,
            "the note %.*s has %zu bytes and version %u; expected %u bytes and version %u. Remove the "
            "note: the store then compares all of its sessions with the engine, and ships on",
            (int)NAME_BYTES, name, value.bytes, version, NOTE_BYTES, VERSION);
    }
    struct xylem_base__cursor reader = xylem_base__cursor_of(value.data + 33, 16);
    memcpy(cursor->token, value.data + 1, 16);
    memcpy(cursor->cursor.incarnation, value.data + 17, 16);
    cursor->cursor.lsn = xylem_base__read_u64(&reader);
    cursor->cursor.chain = xylem_base__read_u64(&reader);
    return 1;
}

int fleet_cursor_write(const struct fleet_cursor *cursor, struct xylem_txn *txn, const unsigned char *engine,
                       struct xylem_error *err)
{
    char name[NAME_BYTES];
    unsigned char value[NOTE_BYTES] = {VERSION};
    memcpy(value + 1, cursor->token, 16);
    memcpy(value + 17, cursor->cursor.incarnation, 16);
    xylem_base__put_u64(value + 33, cursor->cursor.lsn);
    xylem_base__put_u64(value + 41, cursor->cursor.chain);
    return xylem_note_put(txn, write_name(name, engine), (struct xylem_view){(const char *)value, sizeof value}, err);
}
