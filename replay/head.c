/*
 * The head of a session: what a second machine shows before the history has arrived. The document has a limit. The parts
 * come in the order of their worth:
 *
 *     session, leaf, depth, check     always fit
 *     state                           gets half of the room; `left_out` names the pieces without room
 *     entries, newest first           get the rest; an entry without room loses the payload
 *     more                            says that the path has older entries
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "replay/pieces.h"
#include "xylem/branch.h"

#define STATE_BYTES_MAX (XYLEM_HEAD_BYTES_MAX / 2)
#define END_BYTES (sizeof "],\"more\":false}" - 1)

/* Appends the bytes, unless the document would get more than `limit` bytes. */
static bool write_within(struct xylem_base__writer *writer, const char *before, const struct xylem_buffer *json,
                         size_t limit)
{
    if (writer->code < 0 || writer->buffer->bytes + strlen(before) + json->bytes > limit) {
        return false;
    }
    xylem_base__write(writer, before);
    writer->code = writer->code < 0 ? writer->code : xylem_buffer_add(writer->buffer, json->data, json->bytes);
    return true;
}

static void write_state(struct xylem_base__writer *writer, const struct xylem_state *state, size_t start)
{
    struct xylem_buffer json = {NULL, 0, 0};
    unsigned left_out = 0;
    bool any = false;
    xylem_base__write(writer, ",\"state\":{");
    for (unsigned i = 0; writer->code == XYLEM_OK && i < XYLEM_REPLAY__PIECE_COUNT; i++) {
        xylem_base__buffer_clear(&json);
        writer->code = xylem_piece_json(&json, state, 1u << i, XYLEM_DETAIL_WHOLE);
        bool fits = write_within(writer, any ? "," : "", &json, start + STATE_BYTES_MAX);
        any = any || fits;
        left_out |= fits ? 0 : 1u << i;
    }
    xylem_base__write(writer, "},\"left_out\":[");
    for (unsigned i = 0, count = 0; i < XYLEM_REPLAY__PIECE_COUNT; i++) {
        if (left_out & (1u << i)) {
            xylem_base__write_member(writer, count++ > 0 ? "," : "", xylem_view_of(xylem_piece_names()[i]));
        }
    }
    xylem_buffer_release(&json);
}

/* Appends an entry, without the payload where the payload has no room: 1, or 0 without room for the entry. */
static int write_entry(struct xylem_base__writer *writer, struct xylem_buffer *json, struct xylem_txn *txn,
                       const struct xylem_entry *entry, const char *before, size_t limit, struct xylem_error *err)
{
    unsigned members = entry->payload_bytes > XYLEM_HEAD_BYTES_MAX ? XYLEM_MEMBERS_ENTRY | XYLEM_MEMBERS_STORED : 0;
    for (;; members = XYLEM_MEMBERS_ENTRY | XYLEM_MEMBERS_STORED) {
        xylem_base__buffer_clear(json);
        int code = xylem_entry_describe(json, txn, entry, members, err);
        if (code == XYLEM_OK && members != 0) {
            code = xylem_base__buffer_add_text(json, ",\"payload_left_out\":true");
        }
        code = code < 0 ? code : xylem_base__buffer_add_text(json, "}");
        if (code < 0 || write_within(writer, before, json, limit)) {
            return code < 0 ? code : 1;
        }
        if (members != 0) {
            return 0;
        }
    }
}

static int write_entries(struct xylem_base__writer *writer, struct xylem_txn *txn, struct xylem_position leaf,
                         uint32_t newest, size_t limit, struct xylem_error *err)
{
    struct xylem_buffer json = {NULL, 0, 0};
    struct xylem_walk *walk;
    struct xylem_entry entry;
    xylem_base__write(writer, "],\"entries\":[");
    int found = xylem_walk_new(&walk, txn, leaf, err);
    if (found < 0) {
        return found;
    }
    uint32_t count = 0;
    while ((found = xylem_walk_next(&entry, walk, err)) == 1 && count < newest) {
        int code = write_entry(writer, &json, txn, &entry, count > 0 ? ",{" : "{", limit - END_BYTES, err);
        if (code <= 0) {
            found = code < 0 ? code : found;
            break;
        }
        count++;
    }
    xylem_walk_free(walk);
    xylem_buffer_release(&json);
    xylem_base__write(writer, found == 1 ? "],\"more\":true}" : "],\"more\":false}");
    return found < 0 ? found : XYLEM_OK;
}

int xylem_head_json(struct xylem_buffer *buffer, struct xylem_txn *txn, uint64_t session, uint32_t newest,
                    struct xylem_error *err)
{
    static const struct xylem_event event = {.type = XYLEM_EVENT_SESSION_START};
    struct xylem_base__writer writer = {buffer, XYLEM_OK};
    struct xylem_state state = {.at = {0, 0}};
    struct xylem_session row;
    struct xylem_entry leaf = {.check = 0};
    char check[32];
    size_t start = buffer->bytes;
    int code;
    if ((code = xylem_session_read(&row, txn, session, err)) < 0 ||
        (row.leaf.depth > 0 && (code = xylem_entry_read(&leaf, txn, row.leaf, err)) < 0) ||
        (code = xylem_rehydrate(&state, txn, row.leaf, &event, NULL, err)) < 0) {
        goto out;
    }
    bool none = leaf.position.depth == 0;
    snprintf(check, sizeof check, "\"%016" PRIx64 "\"", leaf.check);
    xylem_base__write_member(&writer, "{\"schema\":1,\"session\":", row.id);
    xylem_base__write_member(&writer, ",\"leaf\":", none ? (struct xylem_view){NULL, 0} : leaf.id);
    xylem_base__write_counted(&writer, ",\"depth\":", leaf.position.depth);
    xylem_base__write(&writer, ",\"check\":");
    xylem_base__write(&writer, none ? "null" : check);
    write_state(&writer, &state, start);
    code = write_entries(&writer, txn, row.leaf, newest, start + XYLEM_HEAD_BYTES_MAX, err);
    if (code == XYLEM_OK && xylem_base__write_end(&writer, start) < 0) {
        code = xylem_base__fail_memory(err);
    }
out:
    if (code < 0) {
        xylem_base__buffer_cut(buffer, start);
    }
    xylem_state_release(&state);
    return code;
}
