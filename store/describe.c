/* Writes the members of an entry as JSON. docs/commands.md describes the members. */
#include <inttypes.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/time.h"
#include "store/store.h"

static int add_string(struct xylem_buffer *buffer, const char *key, struct xylem_view text)
{
    int code = xylem_base__buffer_add_text(buffer, key);
    return code < 0 ? code : xylem_buffer_add_json_string(buffer, text);
}

/* `"entry":"8d16e680","parent":null,"kind":"message","time":"2026-11-20T17:18:05.515Z","depth":1` */
static int add_entry(struct xylem_buffer *buffer, struct xylem_txn *txn, const struct xylem_entry *entry,
                     struct xylem_error *err)
{
    struct xylem_view parent;
    struct xylem_buffer kind = {0};
    char time[XYLEM_BASE__ISO_BYTES];
    int found = xylem_entry_parent_id(&parent, txn, entry, err);
    int code = found;
    if (found < 0 || (code = add_string(buffer, "\"entry\":", entry->id)) < 0 ||
        (code = found ? add_string(buffer, ",\"parent\":", parent)
                      : xylem_base__buffer_add_text(buffer, ",\"parent\":null")) < 0 ||
        (code = xylem_kind_text(&kind, entry->kind)) < 0 ||
        (code = add_string(buffer, ",\"kind\":", xylem_base__buffer_view(&kind))) < 0) {
        goto out;
    }
    xylem_base__time_write(time, entry->time_ms);
    code = xylem_base__buffer_add_format(buffer, ",\"time\":\"%s\",\"depth\":%" PRIu64, time, entry->position.depth);
out:
    xylem_buffer_release(&kind);
    return code;
}

/* `check` is a string: most programs read a number of JSON as a double, which has 53 bits. */
static int add_stored(struct xylem_buffer *buffer, const struct xylem_entry *entry)
{
    static const char *const formats[] = {[XYLEM_FORMAT_NONE] = "none",
                                          [XYLEM_FORMAT_MSGPACK] = "msgpack",
                                          [XYLEM_FORMAT_JSON] = "json",
                                          [XYLEM_FORMAT_LINE] = "line"};
    bool imported = (entry->flags & XYLEM_ENTRY_IMPORTED) != 0;
    uint32_t line_bytes = entry->flags & XYLEM_ENTRY_REDACTED ? 0 : entry->line_bytes;
    return xylem_base__buffer_add_format(buffer,
                                         "\"branch\":%" PRIu64 ",\"lsn\":%" PRIu64 ",\"check\":\"%016" PRIx64
                                         "\",\"imported\":%s,\"line_bytes\":%" PRIu32
                                         ",\"format\":\"%s\",\"payload_bytes\":%" PRIu32,
                                         entry->position.branch, entry->lsn, entry->check, imported ? "true" : "false",
                                         line_bytes, formats[entry->format], entry->payload_bytes);
}

static int add_payload(struct xylem_buffer *buffer, const struct xylem_entry *entry, struct xylem_error *err)
{
    struct xylem_base__tree tree;
    struct xylem_error why;
    struct xylem_view reason;
    bool dropped = (entry->flags & XYLEM_ENTRY_HASH_DROPPED) != 0;
    xylem_base__tree_init(&tree);
    int read = xylem_store__payload_decode(&tree, entry, &why);
    bool readable = read == XYLEM_OK && tree.node_count > 0;
    int code;
    if (read < 0 && read != XYLEM_E_MALFORMED && read != XYLEM_E_LIMIT && read != XYLEM_E_REDACTED) {
        code = xylem_base__fail(err, read, "%s", why.text);
    } else if ((code = xylem_base__buffer_add_text(buffer, readable ? "\"payload\":" : "\"payload\":null")) == 0) {
        code = readable    ? xylem_value_json(buffer, tree.nodes)
               : read == 0 ? 0
                           : add_string(buffer, ",\"payload_error\":", xylem_view_of(why.text));
    }
    xylem_base__tree_release(&tree);
    if (code < 0 || read != XYLEM_E_REDACTED || (code = xylem_entry_redaction(&reason, entry, err)) < 0 ||
        (code = add_string(buffer, ",\"redacted\":", reason)) < 0) {
        return code;
    }
    return xylem_base__buffer_add_format(buffer, ",\"hash_dropped\":%s", dropped ? "true" : "false");
}

int xylem_entry_describe(struct xylem_buffer *buffer, struct xylem_txn *txn, const struct xylem_entry *entry,
                         unsigned members, struct xylem_error *err)
{
    size_t before = buffer->bytes;
    int code = 0;
    for (unsigned group = XYLEM_MEMBERS_ENTRY; code == 0 && group <= XYLEM_MEMBERS_PAYLOAD; group <<= 1) {
        if (members != 0 && !(members & group)) {
            continue;
        }
        if (buffer->bytes > before && (code = xylem_base__buffer_add_text(buffer, ",")) < 0) {
            break;
        }
        code = group == XYLEM_MEMBERS_ENTRY    ? add_entry(buffer, txn, entry, err)
               : group == XYLEM_MEMBERS_STORED ? add_stored(buffer, entry)
                                               : add_payload(buffer, entry, err);
    }
    if (code < 0) {
        xylem_base__buffer_cut(buffer, before);
    }
    return code == XYLEM_E_MEMORY ? xylem_base__fail_memory(err) : code;
}
