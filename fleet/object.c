#include "fleet/object.h"

#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"
#include "fleet/frame.h"

#define MAGIC "xylfleet"
#define MAGIC_BYTES 8u
#define HEAD_BYTES (MAGIC_BYTES + 4u + 4u + 8u)
#define SUM_BYTES 8u

#define FLAG_FREED 1u
#define FLAG_ABOUT 2u
#define FLAG_HEAD 4u

/* --- Writing ------------------------------------------------------------------------------------------------------ */

static bool put_row(struct xylem_buffer *out, const struct fleet_object *object)
{
    const struct fleet_row *row = &object->row;
    const uint64_t numbers[] = {row->epoch, row->next, row->chain, row->generation, row->bytes};
    uint32_t flags =
        (row->freed ? FLAG_FREED : 0) | (row->about.data ? FLAG_ABOUT : 0) | (row->head.data ? FLAG_HEAD : 0);
    return xylem_base__add_u32(out, flags) == 0 &&
           xylem_base__add_u64s(out, numbers, sizeof numbers / sizeof *numbers) == 0 &&
           xylem_base__add_i64(out, object->written_ms) == 0 && xylem_base__add_sized(out, row->id) == 0 &&
           xylem_base__add_sized(out, row->host) == 0 && xylem_base__add_sized(out, row->about) == 0 &&
           xylem_base__add_sized(out, row->head) == 0;
}

static bool put_segment(struct xylem_buffer *out, const struct fleet_object *object)
{
    const struct fleet_piece *piece = &object->piece;
    const uint64_t numbers[] = {piece->from, piece->to, piece->chain, piece->generation};
    return xylem_base__add_u64s(out, numbers, sizeof numbers / sizeof *numbers) == 0 &&
           xylem_base__add_sized(out, object->session) == 0 && xylem_base__add_sized(out, piece->body) == 0;
}

static bool put_content(struct xylem_buffer *out, const struct fleet_object *object)
{
    switch (object->type) {
    case FLEET_OBJECT_MARKER:
        return xylem_buffer_add(out, object->id, sizeof object->id) == 0;
    case FLEET_OBJECT_ROW:
        return put_row(out, object);
    case FLEET_OBJECT_SEGMENT:
        break;
    }
    return put_segment(out, object);
}

int fleet_object_write(struct xylem_buffer *out, const struct fleet_object *object, struct xylem_error *err)
{
    size_t before = out->bytes;
    if (xylem_buffer_add(out, MAGIC, MAGIC_BYTES) < 0 || xylem_base__add_u32(out, FLEET_OBJECT_VERSION) < 0 ||
        xylem_base__add_u32(out, object->type) < 0 || xylem_base__add_u64(out, 0) < 0 || !put_content(out, object)) {
        return xylem_base__fail_memory(err);
    }
    size_t bytes = out->bytes - before;
    xylem_base__put_u64((unsigned char *)out->data + before + HEAD_BYTES - 8, bytes + SUM_BYTES);
    uint64_t sum = fleet_frame_sum((struct xylem_view){out->data + before, bytes});
    return xylem_base__add_u64(out, sum) < 0 ? xylem_base__fail_memory(err) : 0;
}

/* --- Reading ------------------------------------------------------------------------------------------------------ */

static bool is_session(struct xylem_view id)
{
    return id.bytes > 0 && id.bytes <= XYLEM_SESSION_ID_BYTES_MAX;
}

/* A text that the flag announces; without the flag it must be empty. */
static bool read_text(struct xylem_view *text, struct xylem_base__cursor *cursor, bool there, size_t bytes_max)
{
    *text = xylem_base__read_sized(cursor);
    bool right = text->bytes <= bytes_max && (there || text->bytes == 0);
    text->data = there ? text->data : NULL;
    return right;
}

static bool read_row(struct fleet_object *object, struct xylem_base__cursor *cursor)
{
    struct fleet_row *row = &object->row;
    uint32_t flags = xylem_base__read_u32(cursor);
    *row = (struct fleet_row){.freed = (flags & FLAG_FREED) != 0, .unowned = true};
    row->epoch = xylem_base__read_u64(cursor);
    row->next = xylem_base__read_u64(cursor);
    row->chain = xylem_base__read_u64(cursor);
    row->generation = xylem_base__read_u64(cursor);
    row->bytes = xylem_base__read_u64(cursor);
    object->written_ms = xylem_base__read_i64(cursor);
    row->id = xylem_base__read_sized(cursor);
    return read_text(&row->host, cursor, true, FLEET_HOST_BYTES_MAX) &&
           read_text(&row->about, cursor, (flags & FLAG_ABOUT) != 0, FLEET_ABOUT_BYTES_MAX) &&
           read_text(&row->head, cursor, (flags & FLAG_HEAD) != 0, FLEET_HEAD_BYTES_MAX) && flags < 8 &&
           is_session(row->id) && row->next > 0 && row->next <= FLEET_ORDINAL_MAX;
}

static bool read_segment(struct fleet_object *object, struct xylem_base__cursor *cursor)
{
    struct fleet_piece *piece = &object->piece;
    *piece = (struct fleet_piece){.from = xylem_base__read_u64(cursor)};
    piece->to = xylem_base__read_u64(cursor);
    piece->chain = xylem_base__read_u64(cursor);
    piece->generation = xylem_base__read_u64(cursor);
    object->session = xylem_base__read_sized(cursor);
    piece->body = xylem_base__read_sized(cursor);
    bool ranged = piece->from == 0 ? piece->to == 0 && piece->chain == 0
                                   : piece->to > piece->from && piece->to <= FLEET_ORDINAL_MAX;
    return ranged && is_session(object->session) && piece->body.bytes > 0;
}

static bool read_marker(struct fleet_object *object, struct xylem_base__cursor *cursor)
{
    struct xylem_view id = xylem_base__read_bytes(cursor, sizeof object->id);
    if (id.bytes == sizeof object->id) {
        memcpy(object->id, id.data, id.bytes);
    }
    return true;
}

/* Reads the head, up to the type. */
static int read_head(unsigned *type, struct xylem_base__cursor *cursor, struct xylem_view bytes,
                     struct xylem_error *err)
{
    struct xylem_view magic = xylem_base__read_bytes(cursor, MAGIC_BYTES);
    uint32_t version = xylem_base__read_u32(cursor);
    *type = xylem_base__read_u32(cursor);
    uint64_t stated = xylem_base__read_u64(cursor);
    if (magic.bytes != MAGIC_BYTES || memcmp(magic.data, MAGIC, MAGIC_BYTES) != 0) {
        return xylem_base__fail(err, XYLEM_E_MALFORMED, "no file of an archive");
    }
    if (version > FLEET_OBJECT_VERSION) {
        return xylem_base__fail(err, XYLEM_E_TOO_NEW,
                                "a file of version %" PRIu32 ", and this program reads version %u: use a newer "
                                "xylem-fleet",
                                version, FLEET_OBJECT_VERSION);
    }
    if (version == 0 || stated != bytes.bytes || bytes.bytes < HEAD_BYTES + SUM_BYTES) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "the file is damaged: expected %" PRIu64 " bytes, found %zu",
                                stated, bytes.bytes);
    }
    return 0;
}

int fleet_object_read(struct fleet_object *object, enum fleet_object_type type, struct xylem_view bytes,
                      struct xylem_error *err)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of(bytes.data, bytes.bytes);
    unsigned found = 0;
    int code = read_head(&found, &cursor, bytes, err);
    if (code < 0) {
        return code;
    }
    struct xylem_view proved = {bytes.data, bytes.bytes - SUM_BYTES};
    struct xylem_base__cursor sum = xylem_base__cursor_of(bytes.data + proved.bytes, SUM_BYTES);
    if (xylem_base__read_u64(&sum) != fleet_frame_sum(proved)) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "the file is damaged: its sum does not match its %zu bytes",
                                bytes.bytes);
    }
    if (found != type) {
        return xylem_base__fail(err, XYLEM_E_MALFORMED, "expected a file of type %u, found type %u", type, found);
    }
    *object = (struct fleet_object){.type = type};
    cursor.left -= SUM_BYTES;
    bool right = type == FLEET_OBJECT_MARKER ? read_marker(object, &cursor)
                 : type == FLEET_OBJECT_ROW  ? read_row(object, &cursor)
                                             : read_segment(object, &cursor);
    return right && xylem_base__cursor_ended(&cursor)
               ? 0
               : xylem_base__fail(err, XYLEM_E_MALFORMED, "the file has fields that no archive writes");
}
