#include "travel/jsonl/header.h"

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/json.h"
#include "base/time.h"
#include "travel/jsonl/migrate.h"
#include "travel/jsonl/render.h"

#define STEP_BYTES 4096u /* most headers are short, and an unchanged file is read no further */

static int fail_header(const struct xylem_jsonl__file *file, const char *found, struct xylem_error *err)
{
    return xylem_base__fail(err, XYLEM_E_MALFORMED, "%s: line 1: expected a session header, found %s", file->path,
                            found);
}

static struct xylem_view string_member(const struct xylem_value *object, const char *key)
{
    return xylem_value_string(xylem_value_get(object, key));
}

static int read_members(struct xylem_jsonl__header *header, const struct xylem_jsonl__file *file,
                        struct xylem_error *err)
{
    const struct xylem_value *object = header->tree.nodes;
    const struct xylem_value *version = xylem_value_get(object, "version");
    int64_t number = 1; /* the first format had no version */
    if (object->type != XYLEM_VALUE_MAP || !xylem_base__view_is(string_member(object, "type"), "session")) {
        return fail_header(file, "a line of another type", err);
    }
    header->id = string_member(object, "id");
    if (header->id.bytes == 0 || header->id.bytes > XYLEM_SESSION_ID_BYTES_MAX) {
        return fail_header(file, "a header without an id of 1 to 200 bytes", err);
    }
    header->cwd = string_member(object, "cwd");
    header->parent_session = string_member(object, "parentSession");
    if (!xylem_base__time_read(&header->created_ms, string_member(object, "timestamp"))) {
        header->created_ms = 0;
    }
    if (xylem_value_type(version) != XYLEM_VALUE_NIL &&
        (!xylem_value_integer(&number, version) || number < 1 || number > 3)) {
        return xylem_base__fail(err, XYLEM_E_MALFORMED, "%s: line 1: expected format version 1, 2 or 3, found %.*s",
                                file->path, XYLEM_BASE__SHOWN(version->raw));
    }
    header->version = (int)number;
    return XYLEM_OK;
}

int xylem_jsonl__header_read(struct xylem_jsonl__header *header, const struct xylem_jsonl__file *file,
                             struct xylem_error *err)
{
    struct xylem_jsonl__window window = {.step_bytes = STEP_BYTES};
    struct xylem_jsonl__line line;
    int code = xylem_jsonl__line_at(&line, &window, file, 0, err);
    if (code == 0) {
        code = fail_header(file, "an empty file", err);
    } else if (code > 0 && line.too_long) {
        code = fail_header(file, "a line that is too long", err);
    } else if (code > 0 && xylem_buffer_add(&header->raw, line.text.data, line.text.bytes) < 0) {
        code = xylem_base__fail_memory(err);
    }
    xylem_jsonl__window_release(&window);
    if (code < 0) {
        return code;
    }
    header->line_bytes = line.bytes;
    header->terminated = line.terminated;
    struct xylem_view raw = xylem_base__buffer_view(&header->raw);
    code = xylem_base__json_parse(&header->tree, raw, err);
    if (code == XYLEM_E_MALFORMED || code == XYLEM_E_LIMIT) {
        return fail_header(file, raw.bytes == 0 ? "a blank line" : "a line that is not JSON", err);
    }
    if (code < 0 || (code = read_members(header, file, err)) < 0) {
        return code;
    }
    code = header->version == 3 ? xylem_buffer_add(&header->text, raw.data, raw.bytes)
                                : xylem_jsonl__migrate_header(&header->text, header->tree.nodes);
    struct xylem_buffer rendered = {NULL, 0, 0};
    if (code < 0 || (code = xylem_jsonl__header_render(&rendered, header->id, header->created_ms, header->cwd,
                                                       header->parent_session)) < 0) {
        code = xylem_base__fail_memory(err);
    } else if (!xylem_base__view_equal(xylem_base__buffer_view(&header->text), xylem_base__buffer_view(&rendered))) {
        header->kept = xylem_base__buffer_view(&header->text);
    }
    xylem_buffer_release(&rendered);
    return code;
}

void xylem_jsonl__header_init(struct xylem_jsonl__header *header)
{
    memset(header, 0, offsetof(struct xylem_jsonl__header, tree));
    xylem_base__tree_init(&header->tree);
}

void xylem_jsonl__header_release(struct xylem_jsonl__header *header)
{
    xylem_buffer_release(&header->text);
    xylem_buffer_release(&header->raw);
    xylem_base__tree_release(&header->tree);
}

int xylem_jsonl__session_header(struct xylem_buffer *out, const struct xylem_session *session)
{
    if (session->header.bytes > 0) {
        return xylem_buffer_add(out, session->header.data, session->header.bytes);
    }
    return xylem_jsonl__header_render(out, session->id, session->created_ms, session->cwd, session->parent);
}
