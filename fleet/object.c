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

#define MARKER_ID_BYTES 16u

#define NUMBERS 6u
#define TEXTS 4u

/* The members of an object in the order of the file. */
struct members {
    uint64_t *numbers[NUMBERS];
    struct xylem_view *texts[TEXTS];
};

static struct members members_of(struct fleet_object *object)
{
    return (struct members){
        {&object->freed, &object->from, &object->to, &object->chain, &object->generation, &object->epoch},
        {&object->id, &object->host, &object->about, &object->frame}};
}

int fleet_object_write(struct xylem_buffer *out, const struct fleet_object *object, struct xylem_error *err)
{
    struct fleet_object copy = *object;
    const struct members members = members_of(&copy);
    size_t before = out->bytes;
    bool added = xylem_buffer_add(out, MAGIC, MAGIC_BYTES) == 0 &&
                 xylem_base__add_u32(out, FLEET_OBJECT_VERSION) == 0 && xylem_base__add_u32(out, object->type) == 0 &&
                 xylem_base__add_u64(out, 0) == 0;
    for (size_t i = 0; added && i < NUMBERS; i++) {
        added = xylem_base__add_u64(out, *members.numbers[i]) == 0;
    }
    for (size_t i = 0; added && i < TEXTS; i++) {
        added = xylem_base__add_sized(out, *members.texts[i]) == 0;
    }
    if (!added) {
        return xylem_base__fail_memory(err);
    }
    size_t bytes = out->bytes - before;
    xylem_base__put_u64((unsigned char *)out->data + before + HEAD_BYTES - 8, bytes + SUM_BYTES);
    uint64_t sum = fleet_frame_sum((struct xylem_view){out->data + before, bytes});
    return xylem_base__add_u64(out, sum) < 0 ? xylem_base__fail_memory(err) : 0;
}

/* --- Reading ------------------------------------------------------------------------------------------------------ */

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
    struct xylem_view proved = {bytes.data, bytes.bytes - SUM_BYTES};
    struct xylem_base__cursor sum = xylem_base__cursor_of(bytes.data + proved.bytes, SUM_BYTES);
    cursor->left -= SUM_BYTES;
    return xylem_base__read_u64(&sum) == fleet_frame_sum(proved)
               ? 0
               : xylem_base__fail(err, XYLEM_E_CORRUPT, "the file is damaged: its sum does not match its %zu bytes",
                                  bytes.bytes);
}

static bool is_right(const struct fleet_object *object)
{
    bool is_segment = object->type == FLEET_OBJECT_SEGMENT;
    bool ranged = !is_segment         ? object->to > 0 || object->type == FLEET_OBJECT_MARKER
                  : object->from == 0 ? object->to == 0 && object->chain == 0
                                      : object->to > object->from;
    bool named = object->type == FLEET_OBJECT_MARKER
                     ? object->id.bytes == MARKER_ID_BYTES
                     : object->id.bytes > 0 && object->id.bytes <= XYLEM_SESSION_ID_BYTES_MAX;
    return ranged && named && object->to <= FLEET_ORDINAL_MAX && object->freed <= 1 &&
           object->host.bytes <= FLEET_HOST_BYTES_MAX && object->about.bytes <= FLEET_ABOUT_BYTES_MAX &&
           (object->frame.bytes > 0) == is_segment;
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
    if (found != type) {
        return xylem_base__fail(err, XYLEM_E_MALFORMED, "expected a file of type %u, found type %u", type, found);
    }
    *object = (struct fleet_object){.type = type};
    const struct members members = members_of(object);
    for (size_t i = 0; i < NUMBERS; i++) {
        *members.numbers[i] = xylem_base__read_u64(&cursor);
    }
    for (size_t i = 0; i < TEXTS; i++) {
        *members.texts[i] = xylem_base__read_sized(&cursor);
    }
    return xylem_base__cursor_ended(&cursor) && is_right(object)
               ? 0
               : xylem_base__fail(err, XYLEM_E_MALFORMED, "the file has fields that no archive writes");
}
