/*
 * The searched strings of each shape of payload:
 *
 *     message           content (below), command, output, sections, summary, errorMessage, details of a result
 *       content         a string, or a list of parts:
 *         text          text
 *         thinking      thinking
 *         toolCall      name, all strings of the arguments
 *         image         nothing
 *         any other     all strings but types, ids and signatures
 *     custom_message    content, details
 *     compaction, branch_summary, label, session_info: summary, label or name; and all strings of `details`
 *     custom:NAME       all strings
 *     any other         all strings but types, ids and signatures
 *
 * Keys of objects are never searched, and no data of an image.
 */
#include "search/words.h"

#include <string.h>

#define DATA_URL_HEAD_BYTES 128u

struct visiting {
    int (*visit)(void *context, const struct xylem_search__string *string);
    void *context;
    struct xylem_search__string string; /* the part and the tool of the next strings */
    bool all;                           /* also types, ids and signatures */
};

static struct xylem_view string_of(const struct xylem_value *map, const char *key)
{
    return xylem_value_string(xylem_value_get(map, key));
}

static bool ends_in(struct xylem_view text, const char *end)
{
    size_t bytes = strlen(end);
    return text.bytes >= bytes && memcmp(text.data + text.bytes - bytes, end, bytes) == 0;
}

/* A picture in a string: `data:image/png;base64,iVBO...`. */
static bool is_data_url(struct xylem_view text)
{
    size_t head = text.bytes < DATA_URL_HEAD_BYTES ? text.bytes : DATA_URL_HEAD_BYTES;
    return head > 5 && memcmp(text.data, "data:", 5) == 0 && memmem(text.data, head, ";base64,", 8);
}

static int give(struct visiting *visiting, struct xylem_view text)
{
    if (text.bytes == 0 || is_data_url(text)) {
        return 0;
    }
    visiting->string.text = text;
    return visiting->visit(visiting->context, &visiting->string);
}

/* True if the member `data` of the map is base64: the map has the type of the data. */
static bool holds_base64(const struct xylem_value *map)
{
    return string_of(map, "mimeType").bytes > 0 || string_of(map, "mediaType").bytes > 0 ||
           string_of(map, "media_type").bytes > 0 || xylem_base__view_is(string_of(map, "type"), "image");
}

/* Members of a host that say what a value is, or where it belongs. */
static bool is_place(struct xylem_view key)
{
    static const char *const names[] = {"type",     "role",       "id",         "parentId",        "fromId",
                                        "targetId", "toolCallId", "responseId", "firstKeptEntryId"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (xylem_base__view_is(key, names[i])) {
            return true;
        }
    }
    return ends_in(key, "ignature");
}

/* Gives all strings of a value. A value nests at most XYLEM_NESTING_MAX deep. */
static int give_all(struct visiting *visiting, const struct xylem_value *value)
{
    const struct xylem_value *child = xylem_value_first(value);
    int result = 0;
    switch (xylem_value_type(value)) {
    case XYLEM_VALUE_STRING:
        return give(visiting, xylem_value_string(value));
    case XYLEM_VALUE_MAP:
        while (child && result == 0) {
            const struct xylem_value *member = xylem_value_next(value, child);
            struct xylem_view name = xylem_value_string(child);
            bool left_out =
                (!visiting->all && is_place(name)) || (xylem_base__view_is(name, "data") && holds_base64(value));
            result = left_out ? 0 : give_all(visiting, member);
            child = xylem_value_next(value, member);
        }
        return result;
    case XYLEM_VALUE_ARRAY:
        for (; child && result == 0; child = xylem_value_next(value, child)) {
            result = give_all(visiting, child);
        }
        return result;
    default:
        return 0;
    }
}

static int give_as(struct visiting *visiting, enum xylem_search_part part, const struct xylem_value *value)
{
    visiting->string.part = part;
    return give_all(visiting, value);
}

static int give_call(struct visiting *visiting, const struct xylem_value *call)
{
    struct xylem_view name = string_of(call, "name");
    visiting->string.part = XYLEM_SEARCH_CALL;
    visiting->string.tool = name;
    visiting->all = true; /* an argument may have any name */
    int result = give(visiting, name);
    if (result == 0) {
        result = give_all(visiting, xylem_value_get(call, "arguments"));
    }
    visiting->string.tool = (struct xylem_view){NULL, 0};
    visiting->all = false;
    return result;
}

/* `part`: of the text. */
static int give_content(struct visiting *visiting, enum xylem_search_part part, const struct xylem_value *content)
{
    if (xylem_value_type(content) != XYLEM_VALUE_ARRAY) {
        return give_as(visiting, part, content);
    }
    int result = 0;
    const struct xylem_value *child = xylem_value_first(content);
    for (; child && result == 0; child = xylem_value_next(content, child)) {
        struct xylem_view type = string_of(child, "type");
        if (xylem_base__view_is(type, "text")) {
            result = give_as(visiting, part, xylem_value_get(child, "text"));
        } else if (xylem_base__view_is(type, "thinking")) {
            result = give_as(visiting, XYLEM_SEARCH_THINKING, xylem_value_get(child, "thinking"));
        } else if (xylem_base__view_is(type, "toolCall")) {
            result = give_call(visiting, child);
        } else if (!xylem_base__view_is(type, "image")) {
            result = give_as(visiting, part, child);
        }
    }
    return result;
}

static int give_message(struct visiting *visiting, const struct xylem_search__words *words)
{
    const struct xylem_value *message = words->message;
    bool is_result = xylem_base__view_is(words->role, "toolResult");
    enum xylem_search_part part = is_result ? XYLEM_SEARCH_RESULT : XYLEM_SEARCH_TEXT;
    int result;
    visiting->string.tool = words->tool;
    if ((result = give_as(visiting, XYLEM_SEARCH_TEXT, xylem_value_get(message, "command"))) != 0 ||
        (result = give_as(visiting, XYLEM_SEARCH_RESULT, xylem_value_get(message, "output"))) != 0 ||
        (result = give_content(visiting, part, xylem_value_get(message, "content"))) != 0 ||
        (result = give_as(visiting, XYLEM_SEARCH_TEXT, xylem_value_get(message, "sections"))) != 0 ||
        (result = give_as(visiting, XYLEM_SEARCH_SUMMARY, xylem_value_get(message, "summary"))) != 0 ||
        (result = give_as(visiting, XYLEM_SEARCH_FAILURE, xylem_value_get(message, "errorMessage"))) != 0) {
        return result;
    }
    return give_as(visiting, is_result ? XYLEM_SEARCH_RESULT : XYLEM_SEARCH_DATA, xylem_value_get(message, "details"));
}

/* The member with the text, for entries of a host that are no messages. */
static const struct {
    const char *kind;
    const char *member;
    enum xylem_search_part part;
} speaking[] = {
    {"compaction", "summary", XYLEM_SEARCH_SUMMARY},
    {"branch_summary", "summary", XYLEM_SEARCH_SUMMARY},
    {"label", "label", XYLEM_SEARCH_LABEL},
    {"session_info", "name", XYLEM_SEARCH_NAME},
};

static int give_entry(struct visiting *visiting, const struct xylem_search__words *words)
{
    int result;
    for (size_t i = 0; i < sizeof speaking / sizeof *speaking; i++) {
        if (xylem_base__view_is(words->kind.name, speaking[i].kind)) {
            result = give_as(visiting, speaking[i].part, xylem_value_get(words->root, speaking[i].member));
            return result != 0 ? result : give_as(visiting, XYLEM_SEARCH_DATA, xylem_value_get(words->root, "details"));
        }
    }
    if (xylem_base__view_is(words->kind.name, "custom_message")) {
        result = give_content(visiting, XYLEM_SEARCH_TEXT, xylem_value_get(words->root, "content"));
        return result != 0 ? result : give_as(visiting, XYLEM_SEARCH_DATA, xylem_value_get(words->root, "details"));
    }
    return give_as(visiting, XYLEM_SEARCH_DATA, words->root);
}

static bool has_failed(const struct xylem_value *message)
{
    int64_t exit_code = 0;
    const struct xylem_value *command = xylem_value_get(message, "command");
    bool command_failed = xylem_value_type(command) == XYLEM_VALUE_STRING &&
                          (xylem_value_bool(xylem_value_get(message, "cancelled")) ||
                           (xylem_value_integer(&exit_code, xylem_value_get(message, "exitCode")) && exit_code != 0));
    return command_failed || xylem_value_bool(xylem_value_get(message, "isError")) ||
           xylem_base__view_is(string_of(message, "stopReason"), "error");
}

void xylem_search__words_look(struct xylem_search__words *words, struct xylem_kind kind, const struct xylem_value *root)
{
    *words = (struct xylem_search__words){.kind = kind, .root = root};
    const struct xylem_value *wrapped = xylem_value_get(root, "message");
    const struct xylem_value *message = wrapped ? wrapped : root;
    struct xylem_view role = string_of(message, "role");
    if (kind.kind_class == XYLEM_CLASS_HOST && xylem_base__view_is(kind.name, "message") && role.bytes > 0) {
        words->message = message;
        words->role = role;
        words->failed = has_failed(message);
        if (xylem_base__view_is(role, "toolResult")) {
            words->tool = string_of(message, "toolName");
        }
    }
}

int xylem_search__words_each(const struct xylem_search__words *words,
                             int (*visit)(void *context, const struct xylem_search__string *string), void *context)
{
    struct visiting visiting = {.visit = visit, .context = context};
    if (words->kind.kind_class == XYLEM_CLASS_CUSTOM) {
        visiting.all = true;
        return give_as(&visiting, XYLEM_SEARCH_DATA, words->root);
    }
    return words->message ? give_message(&visiting, words) : give_entry(&visiting, words);
}

int xylem_search__words_of_value(const struct xylem_value *value, enum xylem_search_part part,
                                 int (*visit)(void *context, const struct xylem_search__string *string), void *context)
{
    struct visiting visiting = {.visit = visit, .context = context, .all = true};
    return give_as(&visiting, part, value);
}

/* --- Words of the parts ------------------------------------------------------------------------------------------- */

static const struct {
    const char *word;
    const char *text;
} parts[] = {
#define PART(name, word, text) [name] = {word, text},
    XYLEM_SEARCH_PART_LIST(PART)
#undef PART
};

const char *xylem_search_part_word(enum xylem_search_part part)
{
    return (unsigned)part < XYLEM_SEARCH_PART_COUNT ? parts[part].word : "unknown";
}

const char *xylem_search_part_text(enum xylem_search_part part)
{
    return (unsigned)part < XYLEM_SEARCH_PART_COUNT ? parts[part].text : "unknown";
}
