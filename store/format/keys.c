#include "store/format/keys.h"

#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "store/format/hash.h"

static void begin(struct xylem_format__key *key)
{
    key->view.data = (const char *)key->bytes;
    key->view.bytes = 0;
}

static void add_number(struct xylem_format__key *key, uint64_t number)
{
    key->view.bytes += xylem_base__put_ordered(key->bytes + key->view.bytes, number);
}

/* A number of eight bytes: a hash, or a number whose order is turned. */
static void add_u64(struct xylem_format__key *key, uint64_t number)
{
    xylem_base__put_u64_be(key->bytes + key->view.bytes, number);
    key->view.bytes += 8;
}

/* Adds a name, or, if the name is too long for a key, the first bytes and the hash of the whole name. */
static void add_name(struct xylem_format__key *key, struct xylem_view name)
{
    bool cut = name.bytes > XYLEM_FORMAT__NAME_KEY_BYTES_MAX;
    assert(key->view.bytes + XYLEM_FORMAT__NAME_KEY_BYTES_MAX <= sizeof key->bytes);
    size_t bytes = cut ? XYLEM_FORMAT__NAME_KEY_HEAD_BYTES : name.bytes;
    if (bytes > 0) {
        memcpy(key->bytes + key->view.bytes, name.data, bytes);
        key->view.bytes += bytes;
    }
    if (cut) {
        add_u64(key, xylem_format__hash(name));
    }
}

void xylem_format__key_u64(struct xylem_format__key *key, uint64_t number)
{
    begin(key);
    add_number(key, number);
}

void xylem_format__key_pair(struct xylem_format__key *key, uint64_t first, uint64_t second)
{
    begin(key);
    add_number(key, first);
    add_number(key, second);
}

void xylem_format__key_id(struct xylem_format__key *key, const struct xylem_format__id_place *place)
{
    begin(key);
    add_number(key, place->tree);
    for (unsigned i = 0; i < XYLEM_FORMAT__ID_HASH_BYTES; i++) {
        key->bytes[key->view.bytes++] = (unsigned char)(place->hash >> (24 - 8 * i));
    }
    add_number(key, place->session);
    add_number(key, place->position.branch);
    add_number(key, place->position.depth);
}

bool xylem_format__key_read_session_id(uint64_t *hash, struct xylem_view *id, struct xylem_view key)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of(key.data, key.bytes);
    bool spaced = key.bytes > 0 && (unsigned char)key.data[0] == XYLEM_FORMAT__NAMESPACE_TAG;
    *hash = spaced && xylem_base__read_u8(&cursor) ? xylem_base__read_u64_be(&cursor) : 0;
    *id = xylem_base__read_bytes(&cursor, cursor.left);
    return !cursor.failed && id->bytes > 0 && id->bytes <= XYLEM_SESSION_ID_BYTES_MAX;
}

bool xylem_format__key_read_id(struct xylem_format__id_place *place, struct xylem_view key)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of(key.data, key.bytes);
    place->tree = xylem_base__read_ordered(&cursor);
    place->hash = 0;
    for (unsigned i = 0; i < XYLEM_FORMAT__ID_HASH_BYTES; i++) {
        place->hash = place->hash << 8 | xylem_base__read_u8(&cursor);
    }
    place->session = xylem_base__read_ordered(&cursor);
    place->position.branch = xylem_base__read_ordered(&cursor);
    place->position.depth = xylem_base__read_ordered(&cursor);
    return xylem_base__cursor_ended(&cursor);
}

void xylem_format__key_quarantine(struct xylem_format__key *key, uint64_t session, uint64_t line, uint64_t hash,
                                  struct xylem_view source)
{
    unsigned char of_line[8];
    xylem_base__put_u64(of_line, hash);
    struct xylem_view first = {(const char *)of_line, sizeof of_line};
    begin(key);
    add_number(key, session);
    add_number(key, line);
    add_u64(key, xylem_format__hash_pair(first, source));
}

void xylem_format__key_session_id(struct xylem_format__key *key, struct xylem_view name_space, struct xylem_view id)
{
    begin(key);
    if (name_space.bytes > 0) {
        key->bytes[key->view.bytes++] = XYLEM_FORMAT__NAMESPACE_TAG;
        add_u64(key, xylem_format__hash(name_space));
    }
    add_name(key, id);
}

void xylem_format__key_kind_name(struct xylem_format__key *key, struct xylem_kind kind)
{
    begin(key);
    key->bytes[0] = (unsigned char)kind.kind_class;
    key->view.bytes = 1;
    add_name(key, kind.name);
}

void xylem_format__key_kind_number(struct xylem_format__key *key, uint32_t number)
{
    begin(key);
    key->bytes[0] = XYLEM_FORMAT__KIND_NUMBER_TAG;
    for (unsigned i = 0; i < 4; i++) {
        key->bytes[1 + i] = (unsigned char)(number >> (24 - 8 * i));
    }
    key->view.bytes = XYLEM_FORMAT__KIND_NUMBER_KEY_BYTES;
}

void xylem_format__key_source(struct xylem_format__key *key, uint64_t session, struct xylem_view name)
{
    begin(key);
    add_number(key, session);
    add_name(key, name);
}

bool xylem_format__key_read_u64(uint64_t *number, struct xylem_view key)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of(key.data, key.bytes);
    *number = xylem_base__read_ordered(&cursor);
    return xylem_base__cursor_ended(&cursor);
}

uint64_t xylem_format__key_first(struct xylem_view key)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of(key.data, key.bytes);
    uint64_t number = xylem_base__read_ordered(&cursor);
    return cursor.failed ? 0 : number;
}

/* --- Outlines ----------------------------------------------------------------------------------------------------- */

void xylem_format__key_outline_tag(struct xylem_format__key *key, enum xylem_format__outline_tag tag)
{
    begin(key);
    key->bytes[0] = (unsigned char)tag;
    key->view.bytes = 1;
}

/*
 * The sign is turned, so that times before 1970 come before the others; then all bits, so that the newest is first. The
 * same turns a falling time back.
 */
static uint64_t falling(uint64_t active_ms)
{
    return ~(active_ms ^ (UINT64_C(1) << 63));
}

static void add_place(struct xylem_format__key *key, int64_t active_ms, uint64_t session)
{
    add_u64(key, falling((uint64_t)active_ms));
    add_u64(key, ~session);
}

void xylem_format__key_outline(struct xylem_format__key *key, enum xylem_format__outline_tag tag, uint64_t session)
{
    xylem_format__key_outline_tag(key, tag);
    add_number(key, session);
}

void xylem_format__key_outline_active(struct xylem_format__key *key, int64_t active_ms, uint64_t session)
{
    xylem_format__key_outline_tag(key, XYLEM_FORMAT__OUTLINE_ACTIVE);
    add_place(key, active_ms, session);
}

struct xylem_view xylem_format__outline_directory(struct xylem_view path)
{
    while (path.bytes > 0 && path.data[path.bytes - 1] == '/') {
        path.bytes--;
    }
    return path;
}

void xylem_format__key_outline_in(struct xylem_format__key *key, struct xylem_view directory, bool below)
{
    directory = xylem_format__outline_directory(directory);
    xylem_format__key_outline_tag(key, XYLEM_FORMAT__OUTLINE_DIRECTORY);
    add_name(key, directory);
    if (!below) {
        key->bytes[key->view.bytes++] = 0;
    } else if (directory.bytes > XYLEM_FORMAT__NAME_KEY_HEAD_BYTES) {
        key->view.bytes = 1 + XYLEM_FORMAT__NAME_KEY_HEAD_BYTES; /* longer paths share no more than their heads */
    }
}

void xylem_format__key_outline_directory(struct xylem_format__key *key, struct xylem_view directory, int64_t active_ms,
                                         uint64_t session)
{
    xylem_format__key_outline_in(key, directory, false);
    add_place(key, active_ms, session);
}

void xylem_format__key_outline_named(struct xylem_format__key *key, struct xylem_view name)
{
    xylem_format__key_outline_tag(key, XYLEM_FORMAT__OUTLINE_NAME);
    add_name(key, name);
}

void xylem_format__key_outline_name(struct xylem_format__key *key, struct xylem_view name, uint64_t session)
{
    xylem_format__key_outline_named(key, name);
    add_u64(key, session);
}

bool xylem_format__key_read_outline_place(int64_t *active_ms, uint64_t *session, struct xylem_view key)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of(key.data, key.bytes);
    xylem_base__read_bytes(
        &cursor, key.bytes > XYLEM_FORMAT__OUTLINE_PLACE_BYTES ? key.bytes - XYLEM_FORMAT__OUTLINE_PLACE_BYTES : 0);
    *active_ms = (int64_t)falling(xylem_base__read_u64_be(&cursor));
    *session = ~xylem_base__read_u64_be(&cursor);
    return xylem_base__cursor_ended(&cursor);
}

bool xylem_format__key_read_outline_name(struct xylem_view *name, uint64_t *session, struct xylem_view key)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of(key.data, key.bytes);
    xylem_base__read_u8(&cursor);
    *name = xylem_base__read_bytes(&cursor, key.bytes > 9 ? key.bytes - 9 : 0);
    *session = xylem_base__read_u64_be(&cursor);
    return xylem_base__cursor_ended(&cursor);
}
