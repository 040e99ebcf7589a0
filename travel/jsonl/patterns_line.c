/* Replaces matches in the strings of JSON; in a line not in the values of the place (type, id, parentId, timestamp). */
#include <assert.h>
#include <limits.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/json.h"
#include "travel/jsonl/patterns.h"

struct replacing {
    struct xylem_match__searcher *searcher;
    const struct xylem_patterns *patterns;
    const char *done;                    /* the line is copied up to here */
    const struct xylem_value *places[4]; /* the values of the place */
    uint64_t string_count;               /* replaced strings */
    uint64_t kept_count;                 /* strings of the place with a match: they stay */
    struct xylem_error *err;
};

static bool is_place(const struct replacing *replacing, const struct xylem_value *value)
{
    for (size_t i = 0; i < sizeof replacing->places / sizeof *replacing->places; i++) {
        if (replacing->places[i] == value) {
            return true;
        }
    }
    return false;
}

/* Replaces the matches in one string. Copies the line up to the string, then the new string. */
static int replace(struct replacing *replacing, const struct xylem_value *value)
{
    struct xylem_buffer *out = &replacing->searcher->line;
    struct xylem_view replaced;
    int found = xylem_match__patterns_string(&replaced, replacing->searcher, replacing->patterns,
                                             xylem_value_string(value), replacing->err);
    if (found <= 0) {
        return found;
    }
    if (is_place(replacing, value)) {
        replacing->kept_count++;
        return XYLEM_OK;
    }
    replacing->string_count++;
    assert(value->raw.data >= replacing->done); /* nodes come in the order of the line */
    if (xylem_buffer_add(out, replacing->done, (size_t)(value->raw.data - replacing->done)) < 0 ||
        xylem_buffer_add_json_string(out, replaced) < 0) {
        return xylem_base__fail_memory(replacing->err);
    }
    replacing->done = value->raw.data + value->raw.bytes;
    return XYLEM_OK;
}

/* True for the names of the members of the place: they stay too, or the line would lose its place. */
static bool is_place_name(const struct replacing *replacing, const struct xylem_value *value)
{
    const struct xylem_value *object = replacing->searcher->tree.nodes;
    return object->type == XYLEM_VALUE_MAP && value + 1 < object + object->node_count &&
           is_place(replacing, value + 1) && value[1].type == XYLEM_VALUE_STRING;
}

/* Replaces the matches in all strings of a JSON text but those of the place. Copies the text up to the last string. */
static int replace_all(struct replacing *replacing, struct xylem_view json)
{
    const struct xylem_base__tree *tree = &replacing->searcher->tree;
    int code = XYLEM_OK;
    xylem_base__buffer_clear(&replacing->searcher->line);
    for (size_t i = 0; code == XYLEM_OK && i < tree->node_count; i++) {
        const struct xylem_value *value = &tree->nodes[i];
        code = value->type == XYLEM_VALUE_STRING && !is_place_name(replacing, value) ? replace(replacing, value)
                                                                                     : XYLEM_OK;
    }
    size_t rest = (size_t)(json.data + json.bytes - replacing->done);
    if (code == XYLEM_OK && replacing->string_count > 0 &&
        xylem_buffer_add(&replacing->searcher->line, replacing->done, rest) < 0) {
        return xylem_base__fail_memory(replacing->err);
    }
    return code;
}

int xylem_jsonl__patterns_line(struct xylem_view *replaced, struct xylem_match__searcher *searcher,
                               const struct xylem_patterns *patterns, struct xylem_view line,
                               struct xylem_export_redactions *redactions, struct xylem_error *err)
{
    static const char *const names[] = {"type", "id", "parentId", "timestamp"};
    struct replacing replacing = {.searcher = searcher, .patterns = patterns, .done = line.data, .err = err};
    int code = xylem_base__json_parse(&searcher->tree, line, err);
    if (code < 0) {
        return code;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        replacing.places[i] = xylem_value_get(searcher->tree.nodes, names[i]); /* the last of several counts */
    }
    if ((code = replace_all(&replacing, line)) < 0) {
        return code;
    }
    redactions->kept_count += replacing.kept_count;
    redactions->string_count += replacing.string_count;
    redactions->line_count += replacing.string_count > 0;
    *replaced = replacing.string_count > 0 ? xylem_base__buffer_view(&searcher->line) : *replaced;
    return replacing.string_count > 0;
}

int xylem_patterns_redact_json(struct xylem_buffer *buffer, const struct xylem_patterns *patterns,
                               struct xylem_view json, struct xylem_error *err)
{
    struct xylem_match__searcher searcher = {0};
    struct replacing replacing = {.searcher = &searcher, .patterns = patterns, .done = json.data, .err = err};
    int code = xylem_base__json_parse(&searcher.tree, json, err);
    code = code < 0 ? code : replace_all(&replacing, json);
    struct xylem_view whole = replacing.string_count > 0 ? xylem_base__buffer_view(&searcher.line) : json;
    if (code == XYLEM_OK && xylem_buffer_add(buffer, whole.data, whole.bytes) < 0) {
        code = xylem_base__fail_memory(err);
    }
    xylem_match__searcher_release(&searcher);
    return code < 0 ? code : replacing.string_count < INT_MAX ? (int)replacing.string_count : INT_MAX;
}
