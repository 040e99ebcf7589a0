#include "travel/jsonl/line.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/json.h"
#include "base/time.h"
#include "store/store.h"
#include "travel/jsonl/lines.h"
#include "travel/jsonl/render.h"

void xylem_jsonl__parser_init(struct xylem_jsonl__parser *parser)
{
    parser->whole_trees = false;
    xylem_base__tree_init(&parser->tree);
    xylem_base__tree_init(&parser->data);
    parser->payload = parser->rendered = (struct xylem_buffer){NULL, 0, 0};
}

void xylem_jsonl__parser_release(struct xylem_jsonl__parser *parser)
{
    xylem_base__tree_release(&parser->tree);
    xylem_base__tree_release(&parser->data);
    xylem_buffer_release(&parser->payload);
    xylem_buffer_release(&parser->rendered);
}

void xylem_jsonl__buffer_trim(struct xylem_buffer *buffer)
{
    if (buffer->capacity > XYLEM_JSONL__KEPT_BYTES) {
        xylem_buffer_release(buffer);
    }
}

static void tree_trim(struct xylem_base__tree *tree)
{
    if (tree->string_capacity > XYLEM_JSONL__KEPT_BYTES ||
        tree->node_capacity > XYLEM_JSONL__KEPT_BYTES / sizeof *tree->nodes) {
        xylem_base__tree_release(tree);
    }
}

void xylem_jsonl__parser_trim(struct xylem_jsonl__parser *parser)
{
    tree_trim(&parser->tree);
    tree_trim(&parser->data);
    xylem_jsonl__buffer_trim(&parser->payload);
    xylem_jsonl__buffer_trim(&parser->rendered);
}

int xylem_jsonl__reserve(struct xylem_buffer *buffer, size_t bytes)
{
    if (bytes <= XYLEM_JSONL__KEPT_BYTES || buffer->capacity - buffer->bytes > bytes) {
        return XYLEM_OK;
    }
    char *data = realloc(buffer->data, buffer->bytes + bytes + 1);
    if (!data) {
        return XYLEM_E_MEMORY;
    }
    buffer->data = data;
    buffer->capacity = buffer->bytes + bytes + 1;
    return XYLEM_OK;
}

/* The members with a meaning. The last of several members with one name counts. The first four are the place. */
enum member { TYPE, ID, PARENT_ID, TIMESTAMP, CUSTOM_TYPE, MEMBER_COUNT };

/* The member of that key, or MEMBER_COUNT. */
static enum member member_of(struct xylem_view key)
{
#define NAMED(name) .data = name, .bytes = sizeof(name) - 1
    static const struct xylem_view names[MEMBER_COUNT] = {
        [TYPE] = {NAMED("type")},
        [ID] = {NAMED("id")},
        [PARENT_ID] = {NAMED("parentId")},
        [TIMESTAMP] = {NAMED("timestamp")},
        [CUSTOM_TYPE] = {NAMED("customType")},
    };
#undef NAMED
    for (enum member member = 0; member < MEMBER_COUNT; member++) {
        if (xylem_base__view_equal(key, names[member])) {
            return member;
        }
    }
    return MEMBER_COUNT;
}

static bool is_string(const struct xylem_value *value)
{
    return xylem_value_type(value) == XYLEM_VALUE_STRING;
}

/* True if the value is a string without escapes. */
static bool is_spelt(const struct xylem_value *value)
{
    return is_string(value) && value->as.string.data == value->raw.data + 1;
}

/*
 * Finds the members with a meaning. True if the members of the place come first, in order, each once and without
 * escapes, and the line has no white space between members. White space shows in the length: the braces, colons, commas
 * and members add up to fewer bytes.
 */
static bool find_members(const struct xylem_value *members[MEMBER_COUNT], const struct xylem_value *object,
                         struct xylem_view text)
{
    bool straight = true;
    size_t bytes = 1; /* the opening brace; each member adds a colon, and a comma or the closing brace */
    size_t count = 0;
    memset(members, 0, MEMBER_COUNT * sizeof *members);
    const struct xylem_value *value;
    for (const struct xylem_value *key = xylem_value_first(object); key; key = xylem_value_next(object, value)) {
        value = xylem_value_next(object, key);
        enum member member = member_of(xylem_value_string(key));
        if (member != MEMBER_COUNT) {
            members[member] = value;
        }
        bool absent_parent = member == PARENT_ID && xylem_value_type(value) == XYLEM_VALUE_NIL;
        bool right = count <= TIMESTAMP ? member == (enum member)count && (is_spelt(value) || absent_parent)
                                        : member > TIMESTAMP;
        straight = straight && right && is_spelt(key);
        bytes += key->raw.bytes + value->raw.bytes + 2;
        count++;
    }
    return straight && count > TIMESTAMP && bytes == text.bytes;
}

/* Parses the line as a JSON object: 1, or 0 and the problem. */
static int parse_object(enum xylem_import_problem_type *problem, struct xylem_jsonl__parser *parser,
                        struct xylem_view text, struct xylem_error *err)
{
    if (xylem_base__skip(text, 0, " \t\r") == text.bytes) {
        *problem = XYLEM_IMPORT_BLANK;
        return 0;
    }
    if (xylem_jsonl__only_nul(text)) {
        *problem = XYLEM_IMPORT_NUL_PADDING;
        return 0;
    }
    struct xylem_error ignored;
    int code = parser->whole_trees ? xylem_base__json_parse(&parser->tree, text, &ignored)
                                   : xylem_base__json_parse_members(&parser->tree, text, &ignored);
    if (code == XYLEM_E_LIMIT) {
        *problem = XYLEM_IMPORT_LIMIT;
        return 0;
    }
    if (code == XYLEM_E_MALFORMED || (code == XYLEM_OK && parser->tree.nodes[0].type != XYLEM_VALUE_MAP)) {
        *problem = XYLEM_IMPORT_NOT_JSON;
        return 0;
    }
    return code < 0 ? xylem_base__fail(err, code, "%s", ignored.text) : 1;
}

int xylem_jsonl__line_read(struct xylem_jsonl__entry *entry, enum xylem_import_problem_type *problem,
                           struct xylem_jsonl__parser *parser, struct xylem_view text, bool without_id,
                           struct xylem_error *err)
{
    const struct xylem_value *members[MEMBER_COUNT];
    struct xylem_kind *kind = &entry->kind;
    memset(entry, 0, sizeof *entry);
    int code = parse_object(problem, parser, text, err);
    if (code <= 0) {
        return code;
    }
    bool straight = find_members(members, parser->tree.nodes, text);
    *kind = (struct xylem_kind){XYLEM_CLASS_HOST, xylem_value_string(members[TYPE])};
    if (!is_string(members[TYPE]) || xylem_base__view_is(kind->name, "session")) {
        *problem = is_string(members[TYPE]) ? XYLEM_IMPORT_HEADER : XYLEM_IMPORT_NO_TYPE;
        return 0;
    }
    if (is_string(members[CUSTOM_TYPE]) && xylem_base__view_is(kind->name, "custom")) {
        *kind = (struct xylem_kind){XYLEM_CLASS_CUSTOM, xylem_value_string(members[CUSTOM_TYPE])};
    }
    entry->id = xylem_value_string(members[ID]);
    if (!without_id && (entry->id.bytes == 0 || entry->id.bytes > XYLEM_ENTRY_ID_BYTES_MAX)) {
        *problem = XYLEM_IMPORT_NO_ID;
        return 0;
    }
    if (kind->name.bytes > XYLEM_KIND_NAME_BYTES_MAX) {
        *problem = XYLEM_IMPORT_LIMIT;
        return 0;
    }
    entry->has_parent = is_string(members[PARENT_ID]);
    entry->parent_id = xylem_value_string(members[PARENT_ID]);
    entry->time = xylem_value_string(members[TIMESTAMP]);
    entry->straight = straight && kind->kind_class == XYLEM_CLASS_HOST;
    return 1;
}

/* Removes `expected` from the beginning of the text. False if the text begins otherwise. */
static bool take(struct xylem_view *text, const char *expected)
{
    size_t bytes = strlen(expected);
    if (text->bytes < bytes || memcmp(text->data, expected, bytes) != 0) {
        return false;
    }
    text->data += bytes;
    text->bytes -= bytes;
    return true;
}

/* Removes a string without escapes from the beginning of the text. */
static bool take_string(struct xylem_view *string, struct xylem_view *text)
{
    if (!take(text, "\"")) {
        return false;
    }
    const char *end = memchr(text->data, '"', text->bytes);
    string->data = text->data;
    string->bytes = end ? (size_t)(end - text->data) : text->bytes;
    text->data += string->bytes;
    text->bytes -= string->bytes;
    return take(text, "\"");
}

bool xylem_jsonl__line_split(struct xylem_jsonl__entry *entry, struct xylem_view text)
{
    memset(entry, 0, sizeof *entry);
    entry->kind.kind_class = XYLEM_CLASS_HOST;
    if (text.bytes == 0 || text.data[text.bytes - 1] != '}') {
        return false;
    }
    text.bytes--;
    if (!take(&text, "{\"type\":") || !take_string(&entry->kind.name, &text) || !take(&text, ",\"id\":") ||
        !take_string(&entry->id, &text) || !take(&text, ",\"parentId\":")) {
        return false;
    }
    entry->has_parent = !take(&text, "null");
    if ((entry->has_parent && !take_string(&entry->parent_id, &text)) || !take(&text, ",\"timestamp\":") ||
        !take_string(&entry->time, &text) || entry->id.bytes > XYLEM_ENTRY_ID_BYTES_MAX) {
        return false;
    }
    if (text.bytes > 0 && (!take(&text, ",") || text.bytes == 0)) {
        return false;
    }
    entry->was_split = true;
    entry->rest = text;
    return true;
}

/*
 * The payload of a host's entry: an object of all members but those of the place, spelt as in the line. The rest of a
 * split line is these members.
 */
static int host_payload(struct xylem_jsonl__entry *entry, struct xylem_jsonl__parser *parser)
{
    const struct xylem_value *object = entry->was_split ? NULL : parser->tree.nodes;
    struct xylem_buffer *payload = &parser->payload;
    struct xylem_base__writer writer = {.buffer = payload};
    writer.code = xylem_jsonl__reserve(payload, object ? object->raw.bytes : entry->rest.bytes + 2);
    if (entry->was_split && entry->rest.bytes > 0) {
        xylem_base__write(&writer, "{");
        xylem_jsonl__write_raw(&writer, entry->rest);
    }
    const struct xylem_value *value;
    for (const struct xylem_value *key = xylem_value_first(object); key; key = xylem_value_next(object, value)) {
        value = xylem_value_next(object, key);
        if (member_of(xylem_value_string(key)) > TIMESTAMP) {
            xylem_base__write(&writer, payload->bytes > 0 ? "," : "{");
            xylem_jsonl__write_raw(&writer, key->raw);
            xylem_base__write(&writer, ":");
            xylem_jsonl__write_raw(&writer, value->raw);
        }
    }
    if (payload->bytes > 0) {
        entry->format = XYLEM_FORMAT_JSON;
        xylem_base__write(&writer, "}");
    }
    return writer.code;
}

int xylem_jsonl__line_payload(struct xylem_jsonl__entry *entry, struct xylem_jsonl__parser *parser,
                              struct xylem_error *err)
{
    xylem_base__buffer_clear(&parser->payload);
    entry->format = XYLEM_FORMAT_NONE;
    if (!xylem_base__time_read(&entry->time_ms, entry->time)) {
        entry->time_ms = 0;
    }
    int code = XYLEM_OK;
    if (entry->kind.kind_class == XYLEM_CLASS_CUSTOM) {
        assert(!entry->was_split); /* a custom entry is never straight: the tree has the data */
        const struct xylem_value *data = xylem_value_get(parser->tree.nodes, "data");
        if (data) {
            entry->format = XYLEM_FORMAT_MSGPACK;
            if (xylem_jsonl__reserve(&parser->payload, data->raw.bytes) < 0) {
                return xylem_base__fail_memory(err);
            }
            code = xylem_base__json_parse(&parser->data, data->raw, err);
            code = code < 0 ? code : xylem_format__data_encode(&parser->payload, parser->data.nodes, err);
        }
    } else if (host_payload(entry, parser) < 0) {
        code = xylem_base__fail_memory(err);
    }
    if (code < 0) {
        return code == XYLEM_E_LIMIT ? 0 : code;
    }
    entry->payload = xylem_base__buffer_view(&parser->payload);
    return entry->payload.bytes > XYLEM_PAYLOAD_BYTES_MAX ? 0 : 1;
}

/*
 * True if the rendering of a split line equals the line. The strings of the place have no escapes and the rest is
 * payload as it stands, so few things can differ: the parent, the time, a line end between two tokens, or the order of
 * the members.
 */
static bool split_same(const struct xylem_jsonl__entry *entry, const struct xylem_view *parent_id)
{
    char iso[XYLEM_BASE__ISO_BYTES];
    struct xylem_view time = {iso, xylem_base__time_write(iso, entry->time_ms)};
    bool parent_same =
        parent_id ? entry->has_parent && xylem_base__view_equal(*parent_id, entry->parent_id) : !entry->has_parent;
    bool moved = xylem_base__view_is(entry->kind.name, "custom_message") && entry->rest.bytes > 0;
    return parent_same && !moved && xylem_base__view_equal(time, entry->time) &&
           (entry->rest.bytes == 0 || !memchr(entry->rest.data, '\r', entry->rest.bytes));
}

int xylem_jsonl__line_check(bool *same, const struct xylem_jsonl__entry *entry, const struct xylem_view *parent_id,
                            struct xylem_jsonl__parser *parser, struct xylem_view text, struct xylem_error *err)
{
    if (entry->was_split) {
        *same = split_same(entry, parent_id);
        return XYLEM_OK;
    }
    struct xylem_jsonl__rendering rendering = {.kind = entry->kind,
                                               .id = entry->id,
                                               .has_parent = parent_id != NULL,
                                               .parent_id = parent_id ? *parent_id : (struct xylem_view){NULL, 0},
                                               .time_ms = entry->time_ms,
                                               .format = entry->format,
                                               .payload = entry->payload};
    if (entry->format == XYLEM_FORMAT_MSGPACK) {
        int code = xylem_format__data_decode(&parser->data, entry->payload, err);
        if (code < 0) {
            return code;
        }
        rendering.data = parser->data.nodes;
    }
    xylem_base__buffer_clear(&parser->rendered);
    if (xylem_jsonl__reserve(&parser->rendered, text.bytes) < 0 ||
        xylem_jsonl__render(&parser->rendered, &rendering) < 0) {
        return xylem_base__fail_memory(err);
    }
    *same = xylem_base__view_equal(xylem_base__buffer_view(&parser->rendered), text);
    return XYLEM_OK;
}
