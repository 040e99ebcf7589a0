/*
 * Recognizes lines of redacted entries. The session file still has the redacted bytes. An import knows such a line by
 * the id of the entry, and neither stores the line nor puts the line into quarantine.
 *
 *     a JSON object with a string as `id`    the id is looked up in the session
 *     any other line                         every text in quotes that may be an id is looked up
 */
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "travel/jsonl/import.h"
#include "xylem/branch.h"

#define SPELT_BYTES_MAX (6u * XYLEM_ENTRY_ID_BYTES_MAX) /* an id in JSON: at most six bytes for a byte */

/* 1 if the session has a redacted entry of the id, else 0. */
static int is_redacted(struct xylem_jsonl__placing *placing, struct xylem_view id, struct xylem_error *err)
{
    struct xylem_position position;
    struct xylem_entry entry;
    int code;
    if (id.bytes == 0 || id.bytes > XYLEM_ENTRY_ID_BYTES_MAX) {
        return 0;
    }
    if ((code = xylem_find(&position, placing->batch.txn, placing->progress.session, id, err)) < 0) {
        return code == XYLEM_E_NOT_FOUND ? 0 : code;
    }
    code = xylem_entry_read(&entry, placing->batch.txn, position, err);
    return code < 0 ? code : (entry.flags & XYLEM_ENTRY_REDACTED) != 0;
}

/* Finds the end of the string that the quote at `text` begins. NULL if no such string is short enough for an id. */
static const char *closing_quote(struct xylem_view text)
{
    size_t end = text.bytes < SPELT_BYTES_MAX + 2 ? text.bytes : SPELT_BYTES_MAX + 2;
    for (size_t i = 1; i < end; i++) {
        if (text.data[i] == '"') {
            return text.data + i;
        }
        i += text.data[i] == '\\';
    }
    return NULL;
}

int xylem_jsonl__redacted_line(struct xylem_jsonl__placing *placing, struct xylem_view line, struct xylem_error *err)
{
    struct xylem_base__tree *tree = &placing->reader->parser.data;
    struct xylem_error ignored;
    if (placing->mode == XYLEM_JSONL__MODE_NEW && placing->report->shared_count == 0) {
        return 0; /* this import made every entry of the session: none is redacted */
    }
    int code = xylem_base__json_parse_members(tree, line, &ignored);
    if (code == XYLEM_E_MEMORY) {
        return xylem_base__fail_memory(err);
    }
    const struct xylem_value *member = code < 0 ? NULL : xylem_value_get(tree->nodes, "id");
    if (xylem_value_type(member) == XYLEM_VALUE_STRING) {
        return is_redacted(placing, xylem_value_string(member), err);
    }
    const char *end = line.data + line.bytes;
    const char *at = line.bytes > 0 ? memchr(line.data, '"', line.bytes) : NULL;
    int found = 0;
    for (; found == 0 && at; at = memchr(at + 1, '"', (size_t)(end - at - 1))) {
        const char *close = closing_quote((struct xylem_view){at, (size_t)(end - at)});
        if (!close) {
            continue;
        }
        struct xylem_view id = {at + 1, (size_t)(close - at - 1)};
        if (memchr(id.data, '\\', id.bytes)) {
            struct xylem_view quoted = {at, id.bytes + 2};
            code = xylem_base__json_parse(tree, quoted, &ignored);
            if (code == XYLEM_E_MEMORY) {
                return xylem_base__fail_memory(err);
            }
            id = code < 0 ? (struct xylem_view){NULL, 0} : xylem_value_string(tree->nodes);
        }
        found = is_redacted(placing, id, err);
    }
    return found;
}
