/* Patterns on a whole line: all of its strings but those that say what it is and where it stands. */
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/json.h"
#include "jsonl/patterns.h"

struct replacing {
    struct xylem_jsonl__searcher *searcher;
    const struct xylem_patterns *patterns;
    struct xylem_view line;
    const char *done; /* up to there the line was copied */
    const struct xylem_value *places[4];
    uint64_t string_count;
    uint64_t kept_count;
    struct xylem_error *err;
};

static void find_places(struct replacing *replacing, const struct xylem_value *object)
{
    static const char *const names[] = {"type", "id", "parentId", "timestamp"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        replacing->places[i] = xylem_value_get(object, names[i]); /* of several the one that counts */
    }
}

static bool is_place(const struct replacing *replacing, const struct xylem_value *value)
{
    bool is = false;
    for (size_t i = 0; i < sizeof replacing->places / sizeof *replacing->places; i++) {
        is = is || replacing->places[i] == value;
    }
    return is;
}

/* Copies what stands before a string, and then the string as it became. */
static int put(struct replacing *replacing, const struct xylem_value *value, struct xylem_view string)
{
    struct xylem_buffer *out = &replacing->searcher->line;
    int code = xylem_buffer_add(out, replacing->done, (size_t)(value->raw.data - replacing->done));
    code = code < 0 ? code : xylem_buffer_add_json_string(out, string);
    replacing->done = value->raw.data + value->raw.bytes;
    return code < 0 ? xylem_base__fail_memory(replacing->err) : XYLEM_OK;
}

static int replace(struct replacing *replacing, const struct xylem_value *value)
{
    struct xylem_view replaced;
    int found = xylem_jsonl__patterns_string(&replaced, replacing->searcher, replacing->patterns,
                                             xylem_value_string(value), replacing->err);
    if (found <= 0) {
        return found;
    }
    if (is_place(replacing, value)) {
        replacing->kept_count++;
        return XYLEM_OK;
    }
    replacing->string_count++;
    return put(replacing, value, replaced);
}

/* The names of the members that say where it stands are left, too: without them there would be no place. */
static bool is_place_name(const struct replacing *replacing, const struct xylem_value *value)
{
    const struct xylem_value *object = replacing->searcher->tree.nodes;
    return object->type == XYLEM_VALUE_MAP && value + 1 < object + object->node_count &&
           is_place(replacing, value + 1) && value[1].type == XYLEM_VALUE_STRING;
}

static int replace_all(struct replacing *replacing)
{
    const struct xylem_base__tree *tree = &replacing->searcher->tree;
    int code = XYLEM_OK;
    find_places(replacing, tree->nodes);
    for (size_t i = 0; code == XYLEM_OK && i < tree->node_count; i++) {
        const struct xylem_value *value = &tree->nodes[i];
        if (value->type == XYLEM_VALUE_STRING && !is_place_name(replacing, value)) {
            code = replace(replacing, value);
        }
    }
    return code;
}

int xylem_jsonl__patterns_line(struct xylem_view *replaced, struct xylem_jsonl__searcher *searcher,
                               const struct xylem_patterns *patterns, struct xylem_view line,
                               struct xylem_export_redactions *redactions, struct xylem_error *err)
{
    struct replacing replacing = {
        .searcher = searcher, .patterns = patterns, .line = line, .done = line.data, .err = err};
    int code = xylem_base__json_parse(&searcher->tree, line, err);
    if (code < 0) {
        return code;
    }
    xylem_base__buffer_clear(&searcher->line);
    code = replace_all(&replacing);
    if (code < 0) {
        return code;
    }
    redactions->kept_count += replacing.kept_count;
    redactions->string_count += replacing.string_count;
    redactions->line_count += replacing.string_count > 0;
    if (replacing.string_count == 0) {
        return 0;
    }
    size_t rest = (size_t)(line.data + line.bytes - replacing.done);
    if (xylem_buffer_add(&searcher->line, replacing.done, rest) < 0) {
        return xylem_base__fail_memory(err);
    }
    *replaced = xylem_base__buffer_view(&searcher->line);
    return 1;
}
