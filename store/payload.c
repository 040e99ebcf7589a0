/* Decodes payloads. */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/json.h"
#include "store/store.h"

struct xylem_document {
    struct xylem_base__tree tree;
};

int xylem_store__line_text(struct xylem_buffer *line, const struct xylem_entry *entry, const struct xylem_view *own,
                           struct xylem_view session_id, struct xylem_error *err)
{
    struct xylem_view payload;
    struct xylem_view values;
    int code;
    xylem_base__buffer_clear(line);
    if ((code = xylem_entry_payload(&payload, entry, err)) < 0 ||
        (code = xylem_store__line_values(&values, entry, err)) < 0) {
        return code;
    }
    code = xylem_format__holes_fill(line, payload, own ? *own : values, session_id);
    return code == XYLEM_E_MALFORMED
               ? xylem_base__fail(err, XYLEM_E_CORRUPT, "the line of entry %.*s has invalid holes",
                                  XYLEM_BASE__SHOWN(entry->id))
           : code < 0 ? xylem_base__fail_memory(err)
                      : code;
}

int xylem_store__line_check(struct xylem_base__tree *tree, struct xylem_view payload, struct xylem_view values,
                            struct xylem_error *err)
{
    struct xylem_buffer *text = &tree->text;
    xylem_base__buffer_clear(text);
    int code = xylem_format__holes_fill(text, payload, values, (struct xylem_view){"", 0});
    if (code == XYLEM_E_MEMORY) {
        return xylem_base__fail_memory(err);
    }
    if (code < 0 || (text->bytes > 0 && memchr(text->data, '\n', text->bytes))) {
        return xylem_base__fail(err, XYLEM_E_MALFORMED, code < 0 ? "its holes are invalid" : "it has a newline");
    }
    code = xylem_base__json_parse_members(tree, xylem_base__buffer_view(text), err);
    return code < 0 || xylem_value_type(tree->nodes) == XYLEM_VALUE_MAP
               ? code
               : xylem_base__fail(err, XYLEM_E_MALFORMED, "it is no object");
}

int xylem_store__payload_decode(struct xylem_base__tree *tree, const struct xylem_entry *entry, struct xylem_error *err)
{
    struct xylem_view payload;
    xylem_base__tree_clear(tree);
    int code = xylem_entry_payload(&payload, entry, err);
    if (code < 0) {
        return code;
    }
    switch (entry->format) {
    case XYLEM_FORMAT_MSGPACK:
        return xylem_format__data_decode(tree, payload, err);
    case XYLEM_FORMAT_JSON:
        return xylem_base__json_parse(tree, payload, err);
    case XYLEM_FORMAT_LINE: /* an entry is no session's alone: the session's id stays empty */
        code = xylem_store__line_text(&tree->text, entry, NULL, (struct xylem_view){"", 0}, err);
        return code < 0 ? code : xylem_base__json_parse(tree, xylem_base__buffer_view(&tree->text), err);
    case XYLEM_FORMAT_NONE:
    default:
        return XYLEM_OK;
    }
}

/* Of an entry, or of JSON if `entry` is NULL. */
static int new_document(struct xylem_document **document, const struct xylem_entry *entry, struct xylem_view json,
                        struct xylem_error *err)
{
    struct xylem_document *made = malloc(sizeof *made);
    if (!made) {
        return xylem_base__fail_memory(err);
    }
    xylem_base__tree_init(&made->tree); /* the head alone: the list of open containers takes tens of kilobytes */
    int code =
        entry ? xylem_store__payload_decode(&made->tree, entry, err) : xylem_base__json_parse(&made->tree, json, err);
    if (code < 0) {
        xylem_document_free(made);
        return code;
    }
    *document = made;
    return XYLEM_OK;
}

int xylem_document_new(struct xylem_document **document, const struct xylem_entry *entry, struct xylem_error *err)
{
    return new_document(document, entry, (struct xylem_view){NULL, 0}, err);
}

int xylem_document_new_json(struct xylem_document **document, struct xylem_view json, struct xylem_error *err)
{
    return new_document(document, NULL, json, err);
}

const struct xylem_value *xylem_document_value(const struct xylem_document *document)
{
    return document->tree.node_count > 0 ? document->tree.nodes : NULL;
}

void xylem_document_free(struct xylem_document *document)
{
    if (document) {
        xylem_base__tree_release(&document->tree);
        free(document);
    }
}
