#include "travel/jsonl/render.h"

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/json.h"
#include "base/time.h"
#include "store/store.h"
#include "xylem/files.h"

void xylem_jsonl__write_raw(struct xylem_base__writer *writer, struct xylem_view json)
{
    if (writer->code == XYLEM_OK) {
        writer->code = xylem_buffer_add(writer->buffer, json.data, json.bytes);
    }
}

static void add_time(struct xylem_base__writer *writer, int64_t time_ms)
{
    char iso[XYLEM_BASE__ISO_BYTES];
    xylem_base__time_write(iso, time_ms);
    xylem_base__write_member(writer, ",\"timestamp\":", xylem_view_of(iso));
}

static struct xylem_view trimmed(struct xylem_view text)
{
    static const char space[] = " \t\n\r"; /* the white space of JSON */
    size_t start = xylem_base__skip(text, 0, space);
    while (text.bytes > start && memchr(space, text.data[text.bytes - 1], sizeof space - 1)) {
        text.bytes--;
    }
    return (struct xylem_view){text.data + start, text.bytes - start};
}

/* The next place of a byte, or the end. */
static const char *find_byte(const char *at, const char *end, char byte)
{
    const char *found = at == end ? NULL : memchr(at, byte, (size_t)(end - at));
    return found ? found : end;
}

/*
 * Adds a JSON text without its line ends, so that the line stays one line. Line ends in a JSON text stand between
 * tokens, and mean nothing there. The search for \n or \r goes on only behind the last hit of the same byte, so a text
 * with millions of one and none of the other is not searched again and again.
 */
static void add_json(struct xylem_base__writer *writer, struct xylem_view json)
{
    const char *at = json.data;
    if (json.bytes == 0) {
        return;
    }
    const char *end = at + json.bytes;
    const char *feed = find_byte(at, end, '\n');
    const char *carriage_return = find_byte(at, end, '\r');
    for (;;) {
        const char *stop = feed < carriage_return ? feed : carriage_return;
        xylem_jsonl__write_raw(writer, (struct xylem_view){at, (size_t)(stop - at)});
        if (writer->code < 0 || stop == end) {
            return;
        }
        at = stop + 1;
        feed = feed == stop ? find_byte(at, end, '\n') : feed;
        carriage_return = carriage_return == stop ? find_byte(at, end, '\r') : carriage_return;
    }
}

static void add_value(struct xylem_base__writer *writer, const struct xylem_jsonl__rendering *rendering)
{
    if (rendering->format == XYLEM_FORMAT_JSON) {
        add_json(writer, trimmed(rendering->payload));
    } else if (writer->code == XYLEM_OK) {
        writer->code = xylem_value_json(writer->buffer, rendering->data);
    }
}

/* The payload's members, each after a comma. */
static void add_members(struct xylem_base__writer *writer, const struct xylem_jsonl__rendering *rendering)
{
    if (rendering->format == XYLEM_FORMAT_NONE) {
        return;
    }
    if (rendering->in_payload || rendering->format == XYLEM_FORMAT_MSGPACK) {
        xylem_base__write(writer, ",\"payload\":");
        add_value(writer, rendering);
        return;
    }
    struct xylem_view object = trimmed(rendering->payload);
    struct xylem_view members = trimmed((struct xylem_view){object.data + 1, object.bytes - 2});
    if (members.bytes > 0) {
        xylem_base__write(writer, ",");
        add_json(writer, members);
    }
}

/* The members of the entry's place: id, parentId, timestamp. */
static void add_place(struct xylem_base__writer *writer, const struct xylem_jsonl__rendering *rendering)
{
    xylem_base__write_member(writer, ",\"id\":", rendering->id);
    xylem_base__write(writer, ",\"parentId\":");
    if (rendering->has_parent) {
        xylem_base__write_string(writer, rendering->parent_id);
    } else {
        xylem_base__write(writer, "null");
    }
    add_time(writer, rendering->time_ms);
}

int xylem_jsonl__render(struct xylem_buffer *out, const struct xylem_jsonl__rendering *rendering)
{
    struct xylem_base__writer writer = {out, XYLEM_OK};
    if (rendering->kind.kind_class == XYLEM_CLASS_CUSTOM) {
        xylem_base__write(&writer, "{\"type\":\"custom\",\"customType\":");
        xylem_base__write_string(&writer, rendering->kind.name);
        if (rendering->format != XYLEM_FORMAT_NONE) {
            xylem_base__write(&writer, ",\"data\":");
            add_value(&writer, rendering);
        }
        add_place(&writer, rendering);
    } else {
        xylem_base__write(&writer, "{\"type\":");
        xylem_base__write_string(&writer, rendering->kind.name);
        bool members_first = xylem_base__view_is(rendering->kind.name, "custom_message"); /* as pi writes it */
        if (members_first) {
            add_members(&writer, rendering);
        }
        add_place(&writer, rendering);
        if (!members_first) {
            add_members(&writer, rendering);
        }
    }
    xylem_base__write(&writer, "}");
    return writer.code;
}

/*
 * Prepares the payload of a stored entry for rendering. The payload of a redacted entry is an object with the reason,
 * made in `redacted`.
 *
 * The payload of a host's entry needs a member "payload" if the payload is not an object, or would turn the line into
 * the line of a custom entry. Appending refuses payloads with a member of the entry's place.
 */
static int prepare_payload(struct xylem_jsonl__rendering *rendering, struct xylem_buffer *redacted,
                           struct xylem_base__tree *tree, const struct xylem_entry *entry, struct xylem_error *err)
{
    int code;
    if (entry->flags & XYLEM_ENTRY_REDACTED) {
        struct xylem_view reason;
        if ((code = xylem_entry_redaction(&reason, entry, err)) < 0) {
            return code;
        }
        struct xylem_base__writer writer = {redacted, XYLEM_OK};
        xylem_base__write(&writer, "{\"redacted\":");
        xylem_base__write_string(&writer, reason); /* a reason that a repair lost has no data, and is a string still */
        xylem_base__write(&writer, "}");
        rendering->format = XYLEM_FORMAT_JSON;
        rendering->payload = xylem_base__buffer_view(redacted);
        return writer.code < 0 ? xylem_base__fail_memory(err) : XYLEM_OK;
    }
    if (entry->format == XYLEM_FORMAT_MSGPACK) {
        code = xylem_store__payload_decode(tree, entry, err);
        rendering->data = code == XYLEM_OK ? tree->nodes : NULL;
        return code;
    }
    code = xylem_entry_payload(&rendering->payload, entry, err);
    bool imported = (entry->flags & XYLEM_ENTRY_IMPORTED) != 0;
    if (code < 0 || imported || entry->format == XYLEM_FORMAT_NONE || entry->kind.kind_class == XYLEM_CLASS_CUSTOM) {
        return code; /* the payload of an imported line is always an object of the line's members */
    }
    struct xylem_view object = trimmed(rendering->payload);
    rendering->in_payload = object.bytes == 0 || object.data[0] != '{';
    if (!rendering->in_payload && xylem_base__view_is(entry->kind.name, "custom")) {
        code = xylem_base__json_parse(tree, rendering->payload, err);
        rendering->in_payload = code == XYLEM_OK && xylem_value_get(tree->nodes, "customType");
    }
    return code;
}

int xylem_jsonl__entry_line(struct xylem_buffer *out, struct xylem_base__tree *tree, const struct xylem_entry *entry,
                            const struct xylem_view *parent_id, struct xylem_error *err)
{
    size_t before = out->bytes;
    if (entry->format == XYLEM_FORMAT_LINE) {
        return xylem_base__fail(err, XYLEM_E_MALFORMED,
                                "the entry %.*s is a line of another host: a session file of pi cannot have it",
                                XYLEM_BASE__SHOWN(entry->id));
    }
    int code = xylem_entry_imported_line(out, entry, err);
    if (code < 0 || out->bytes > before) {
        return code;
    }
    struct xylem_buffer payload = {NULL, 0, 0};
    struct xylem_jsonl__rendering rendering = {.kind = entry->kind,
                                               .id = entry->id,
                                               .has_parent = parent_id != NULL,
                                               .parent_id = parent_id ? *parent_id : (struct xylem_view){NULL, 0},
                                               .time_ms = entry->time_ms,
                                               .format = entry->format};
    code = prepare_payload(&rendering, &payload, tree, entry, err);
    if (code == XYLEM_OK && xylem_jsonl__render(out, &rendering) < 0) {
        code = xylem_base__fail_memory(err);
    }
    if (code < 0) {
        xylem_base__buffer_cut(out, before);
    }
    xylem_buffer_release(&payload);
    return code;
}

int xylem_entry_json(struct xylem_buffer *buffer, struct xylem_txn *txn, const struct xylem_entry *entry,
                     struct xylem_error *err)
{
    struct xylem_entry parent = {0};
    bool is_root = xylem_format__position_none(entry->parent);
    int code = is_root ? XYLEM_OK : xylem_entry_read(&parent, txn, entry->parent, err);
    if (code < 0) {
        return code;
    }
    struct xylem_base__tree tree = {0};
    code = xylem_jsonl__entry_line(buffer, &tree, entry, is_root ? NULL : &parent.id, err);
    xylem_base__tree_release(&tree);
    return code;
}

int xylem_jsonl__header_render(struct xylem_buffer *out, struct xylem_view id, int64_t created_ms,
                               struct xylem_view cwd, struct xylem_view parent_session)
{
    struct xylem_base__writer writer = {out, XYLEM_OK};
    xylem_base__write_member(&writer, "{\"type\":\"session\",\"version\":3,\"id\":", id);
    add_time(&writer, created_ms);
    if (cwd.bytes > 0) {
        xylem_base__write_member(&writer, ",\"cwd\":", cwd);
    }
    if (parent_session.bytes > 0) {
        xylem_base__write_member(&writer, ",\"parentSession\":", parent_session);
    }
    xylem_base__write(&writer, "}");
    return writer.code;
}
