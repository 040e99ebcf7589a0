/*
 * Any bytes as a file of an archive: reading refuses them with a text, or gives fields within their limits, and the same
 * bytes when the fields are written again. The first byte chooses the type that is expected, and whether length and sum
 * are made right before.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "fleet/frame.h"
#include "fleet/object.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BYTES_AT 16u /* of the length in a file */
#define SUM_BYTES 8u

static void must(bool truth, const char *what)
{
    if (!truth) {
        fprintf(stderr, "fuzz: %s\n", what);
        abort();
    }
}

static void mend(unsigned char *bytes, size_t count)
{
    if (count >= BYTES_AT + 8 + SUM_BYTES) {
        xylem_base__put_u64(bytes + BYTES_AT, count);
        struct xylem_view proved = {(const char *)bytes, count - SUM_BYTES};
        xylem_base__put_u64(bytes + proved.bytes, fleet_frame_sum(proved));
    }
}

static void check(const struct fleet_object *object)
{
    struct xylem_buffer plain = {0};
    struct xylem_error err = {0};
    must(object->id.bytes > 0 && object->id.bytes <= XYLEM_SESSION_ID_BYTES_MAX, "a file without a valid id");
    must(object->to <= FLEET_ORDINAL_MAX, "a file without a valid ordinal");
    must(object->host.bytes <= FLEET_HOST_BYTES_MAX && object->about.bytes <= FLEET_ABOUT_BYTES_MAX,
         "a file with a member beyond its limit");
    if (object->type == FLEET_OBJECT_MARKER) {
        must(object->id.bytes == 16, "a marker without a valid id");
    } else if (object->type == FLEET_OBJECT_ROW) {
        must(object->to > 0, "a row without a valid ordinal");
    } else {
        must(object->from == 0 ? object->to == 0 : object->from < object->to, "a segment without a valid range");
        if (fleet_frame_expand(&plain, object->frame, &err) < 0) {
            must(err.text[0] != '\0', "a frame is refused without a text");
        }
        xylem_buffer_release(&plain);
    }
}

static void read_file(enum fleet_object_type type, struct xylem_view bytes)
{
    struct fleet_object object;
    struct xylem_buffer again = {0};
    struct xylem_error err = {0};
    int code = fleet_object_read(&object, type, bytes, &err);
    if (code < 0) {
        must(code == XYLEM_E_MALFORMED || code == XYLEM_E_TOO_NEW || code == XYLEM_E_CORRUPT,
             "a file is refused with a code that is not promised");
        must(err.code == code && err.text[0] != '\0', "a file is refused without a text");
        return;
    }
    check(&object);
    must(fleet_object_write(&again, &object, &err) == 0, "no memory");
    must(again.bytes == bytes.bytes && memcmp(again.data, bytes.data, bytes.bytes) == 0,
         "a file is another one when it is written again");
    xylem_buffer_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    struct xylem_buffer bytes = {0};
    must(xylem_buffer_add(&bytes, data + 1, size - 1) == 0, "no memory");
    if (data[0] / 3 % 2 == 1) {
        mend((unsigned char *)bytes.data, bytes.bytes);
    }
    read_file((enum fleet_object_type)(data[0] % 3 + 1), xylem_base__buffer_view(&bytes));
    xylem_buffer_release(&bytes);
    return 0;
}
