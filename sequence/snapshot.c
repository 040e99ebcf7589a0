/*
 * Writes the data of a snapshot, and appends a snapshot. replay/sequence.c reads snapshots.
 *
 *     {"version": 1, "sequenceId": "0198d2f3-...", "steps": ["/readonly on", "Plan $@"], "updatedAt": 1795000002041}
 */
#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "base/value.h"
#include "xylem/sequence.h"

/* True for UTF-8: WTF-8 without surrogates. */
static bool is_utf8(struct xylem_view text)
{
    size_t at = 0;
    uint32_t code_point = 0;
    while (at < text.bytes) {
        size_t bytes = xylem_base__wtf8_decode(&code_point, text.data + at, text.bytes - at);
        if (bytes == 0 || (code_point >= 0xd800 && code_point <= 0xdfff)) {
            return false;
        }
        at += bytes;
    }
    return true;
}

static int check(const struct xylem_new_sequence *sequence, struct xylem_error *err)
{
    size_t bytes = 0;
    if (sequence->step_count > XYLEM_SEQUENCE_STEPS_MAX) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "a sequence has at most %u steps, not %zu",
                                XYLEM_SEQUENCE_STEPS_MAX, sequence->step_count);
    }
    for (size_t i = 0; i < sequence->step_count; i++) {
        if (sequence->steps[i].bytes > XYLEM_STEP_BYTES_MAX) {
            return xylem_base__fail(err, XYLEM_E_LIMIT, "step %zu has %zu bytes, at most %u are allowed", i + 1,
                                    sequence->steps[i].bytes, XYLEM_STEP_BYTES_MAX);
        }
        bytes += sequence->steps[i].bytes; /* at most 100 steps of 64 KiB */
    }
    if (bytes > XYLEM_SEQUENCE_BYTES_MAX) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "the steps have %zu bytes together, at most %u are allowed", bytes,
                                XYLEM_SEQUENCE_BYTES_MAX);
    }
    for (size_t i = 0; i < sequence->step_count; i++) {
        struct xylem_view step = sequence->steps[i];
        if (xylem_base__view_lacks_bytes(step) || !xylem_base__wtf8_valid(step.data, step.bytes)) {
            return xylem_base__fail(err, XYLEM_E_MALFORMED, "step %zu is not WTF-8", i + 1);
        }
    }
    struct xylem_view id = sequence->sequence_id;
    if (id.bytes > XYLEM_SEQUENCE_ID_BYTES_MAX || xylem_base__view_lacks_bytes(id) || !is_utf8(id)) {
        return xylem_base__fail(err, XYLEM_E_MALFORMED, "the id of a sequence has 1 to %u bytes of UTF-8",
                                XYLEM_SEQUENCE_ID_BYTES_MAX);
    }
    return XYLEM_OK;
}

/* Copies the request, with a new id in `made` if none is given. */
static int with_id(struct xylem_new_sequence *named, char made[XYLEM_BASE__UUID_TEXT_BYTES],
                   const struct xylem_new_sequence *sequence, struct xylem_error *err)
{
    int code = XYLEM_OK;
    *named = *sequence;
    if (named->sequence_id.bytes == 0 && (code = xylem_base__uuid_v7(made, err)) == XYLEM_OK) {
        named->sequence_id = (struct xylem_view){made, XYLEM_BASE__UUID_TEXT_BYTES};
    }
    return code;
}

int xylem_sequence_json(struct xylem_buffer *json, const struct xylem_new_sequence *sequence, struct xylem_error *err)
{
    struct xylem_new_sequence named;
    char made[XYLEM_BASE__UUID_TEXT_BYTES];
    size_t before = json->bytes;
    int code;
    if ((code = with_id(&named, made, sequence, err)) < 0 || (code = check(&named, err)) < 0) {
        return code;
    }
    struct xylem_base__writer writer = {json, XYLEM_OK};
    xylem_base__write_member(&writer, "{\"version\":1,\"sequenceId\":", named.sequence_id);
    xylem_base__write(&writer, ",\"steps\":");
    xylem_base__write_strings(&writer, named.steps, named.step_count);
    xylem_base__write(&writer, ",\"updatedAt\":");
    if (writer.code == XYLEM_OK) {
        writer.code = xylem_base__json_add_integer(json, named.updated_ms ? *named.updated_ms : xylem_base__now_ms());
    }
    xylem_base__write(&writer, "}");
    return xylem_base__write_end(&writer, before) < 0 ? xylem_base__fail_memory(err) : XYLEM_OK;
}

int xylem_sequence_save(struct xylem_position *at, struct xylem_buffer *sequence_id, struct xylem_txn *txn,
                        uint64_t session, const struct xylem_new_sequence *sequence,
                        const struct xylem_append_options *options, struct xylem_error *err)
{
    struct xylem_buffer json = {0};
    struct xylem_new_sequence named;
    char made[XYLEM_BASE__UUID_TEXT_BYTES];
    size_t before = sequence_id ? sequence_id->bytes : 0;
    int code;
    if ((code = with_id(&named, made, sequence, err)) < 0 || (code = xylem_sequence_json(&json, &named, err)) < 0) {
        goto out;
    }
    if (sequence_id && xylem_buffer_add(sequence_id, named.sequence_id.data, named.sequence_id.bytes) < 0) {
        code = xylem_base__fail_memory(err);
        goto out;
    }
    const struct xylem_new_entry entry = {.id = named.entry_id,
                                          .kind = {XYLEM_CLASS_CUSTOM, XYLEM_BASE__LITERAL("sequence")},
                                          .format = XYLEM_FORMAT_JSON,
                                          .payload = xylem_base__buffer_view(&json)};
    code = xylem_append(at, txn, session, &entry, 1, options, err);
    if (code < 0 && sequence_id) {
        xylem_base__buffer_cut(sequence_id, before);
    }
out:
    xylem_buffer_release(&json);
    return code;
}
