/* Writes JSON. docs/commands.md describes the documents. */
#include "cli/json/json.h"

#include <assert.h>
#include <string.h>

/* The last byte tells: behind a comma, too, nothing is missing. */
void xylem_cli__json_separate(struct xylem_cli__text *text)
{
    size_t bytes = text->bytes.bytes;
    if (bytes > 0 && !strchr("{[:,\n", text->bytes.data[bytes - 1])) {
        xylem_cli__add(text, ",");
    }
}

void xylem_cli__json_begin(struct xylem_cli__text *text, char bracket)
{
    assert(bracket == '{' || bracket == '[');
    xylem_cli__json_separate(text);
    xylem_cli__add_bytes(text, &bracket, 1);
}

void xylem_cli__json_end(struct xylem_cli__text *text, char bracket)
{
    assert(bracket == '}' || bracket == ']');
    xylem_cli__add_bytes(text, &bracket, 1);
}

void xylem_cli__json_string(struct xylem_cli__text *text, struct xylem_view value)
{
    xylem_cli__json_separate(text);
    text->failed = text->failed || xylem_buffer_add_json_string(&text->bytes, value) != 0;
}

void xylem_cli__json_key(struct xylem_cli__text *text, const char *key)
{
    xylem_cli__json_separate(text);
    xylem_cli__add(text, "\"");
    xylem_cli__add(text, key);
    xylem_cli__add(text, "\":");
}

void xylem_cli__json_maybe(struct xylem_cli__text *text, struct xylem_view value)
{
    if (value.data) {
        xylem_cli__json_string(text, value);
    } else {
        xylem_cli__json_separate(text);
        xylem_cli__add(text, "null");
    }
}

/* --- Members ------------------------------------------------------------------------------------------------------ */

void xylem_cli__member_string(struct xylem_cli__text *text, const char *key, struct xylem_view value)
{
    xylem_cli__json_key(text, key);
    xylem_cli__json_string(text, value);
}

void xylem_cli__member_maybe(struct xylem_cli__text *text, const char *key, struct xylem_view value)
{
    xylem_cli__json_key(text, key);
    xylem_cli__json_maybe(text, value);
}

void xylem_cli__member_session(struct xylem_cli__text *text, struct xylem_view id, struct xylem_view name_space)
{
    xylem_cli__member_maybe(text, "session", id);
    if (name_space.bytes > 0) {
        xylem_cli__member_string(text, "namespace", name_space);
    }
}

void xylem_cli__member_count(struct xylem_cli__text *text, const char *key, uint64_t value)
{
    xylem_cli__json_key(text, key);
    xylem_cli__addf(text, "%llu", (unsigned long long)value);
}

void xylem_cli__member_number(struct xylem_cli__text *text, const char *key, double value)
{
    xylem_cli__json_key(text, key);
    text->failed = text->failed || xylem_buffer_add_json_number(&text->bytes, value) < 0;
}

void xylem_cli__member_bool(struct xylem_cli__text *text, const char *key, bool value)
{
    xylem_cli__json_key(text, key);
    xylem_cli__add(text, value ? "true" : "false");
}

void xylem_cli__member_time(struct xylem_cli__text *text, const char *key, int64_t time_ms)
{
    xylem_cli__json_key(text, key);
    xylem_cli__add(text, "\"");
    xylem_cli__add_iso(text, time_ms);
    xylem_cli__add(text, "\"");
}

void xylem_cli__member_maybe_time(struct xylem_cli__text *text, const char *key, bool given, int64_t time_ms)
{
    if (given) {
        xylem_cli__member_time(text, key, time_ms);
    } else {
        xylem_cli__member_maybe(text, key, xylem_view_of(NULL));
    }
}

/* Writes a number of 64 bits as a string, because most programs read a JSON number as a double, which has 53 bits. */
void xylem_cli__member_hex(struct xylem_cli__text *text, const char *key, uint64_t value)
{
    xylem_cli__json_key(text, key);
    xylem_cli__addf(text, "\"%016llx\"", (unsigned long long)value);
}

void xylem_cli__member_kind(struct xylem_cli__text *text, const char *key, struct xylem_kind kind)
{
    struct xylem_buffer spelt = {0};
    text->failed = text->failed || xylem_kind_text(&spelt, kind) != 0;
    xylem_cli__member_string(text, key, (struct xylem_view){spelt.data, spelt.bytes});
    xylem_buffer_release(&spelt);
}

void xylem_cli__member_begin(struct xylem_cli__text *text, const char *key, char bracket)
{
    xylem_cli__json_key(text, key);
    xylem_cli__json_begin(text, bracket);
}

void xylem_cli__member_list(struct xylem_cli__text *text, const char *key, const struct xylem_cli__text *elements)
{
    xylem_cli__member_begin(text, key, '[');
    xylem_cli__add_bytes(text, elements->bytes.data, elements->bytes.bytes);
    xylem_cli__json_end(text, ']');
    text->failed = text->failed || elements->failed;
}

void xylem_cli__member_strings(struct xylem_cli__text *text, const char *key, const struct xylem_view *list,
                               size_t count)
{
    if (!list) {
        xylem_cli__member_maybe(text, key, xylem_view_of(NULL));
        return;
    }
    xylem_cli__member_begin(text, key, '[');
    for (size_t i = 0; i < count; i++) {
        xylem_cli__json_string(text, list[i]);
    }
    xylem_cli__json_end(text, ']');
}

/* --- Documents ---------------------------------------------------------------------------------------------------- */

void xylem_cli__json_document(struct xylem_cli__text *text)
{
    xylem_cli__json_begin(text, '{');
    xylem_cli__member_count(text, "schema", 1);
}

void xylem_cli__json_change(struct xylem_cli__text *text, struct xylem_view session, struct xylem_view entry,
                            struct xylem_view from, struct xylem_view to)
{
    xylem_cli__json_document(text);
    xylem_cli__member_string(text, "session", session);
    if (entry.data) {
        xylem_cli__member_string(text, "entry", entry);
    }
    xylem_cli__member_maybe(text, "from", from);
    xylem_cli__member_maybe(text, "to", to);
    xylem_cli__json_end(text, '}');
}

void xylem_cli__json_made(struct xylem_cli__text *text, struct xylem_view session, const struct xylem_view *entry)
{
    xylem_cli__json_document(text);
    xylem_cli__member_string(text, "session", session);
    if (entry) {
        xylem_cli__member_string(text, "entry", *entry);
    }
    xylem_cli__json_end(text, '}');
}

int xylem_cli__put_json_piece(struct xylem_cli *cli, struct xylem_cli__text *text)
{
    if (text->failed) {
        return xylem_cli__fail_memory(cli);
    }
    int code = xylem_cli__put_stored(cli, text->bytes.data, text->bytes.bytes);
    xylem_cli__text_clear(text);
    return code;
}

int xylem_cli__put_json(struct xylem_cli *cli, struct xylem_cli__text *text)
{
    xylem_cli__add(text, "\n");
    return xylem_cli__put_json_piece(cli, text);
}

int xylem_cli__put_output(struct xylem_cli *cli, struct xylem_cli__text *text, bool json)
{
    int code = json ? xylem_cli__put_json(cli, text) : xylem_cli__put(cli, text);
    xylem_cli__text_release(text);
    return code;
}

static void add_line_start(struct xylem_cli__text *text, size_t indent)
{
    xylem_cli__add(text, "\n");
    xylem_cli__add_repeated(text, "  ", indent);
}

static void add_scalar(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_value *value)
{
    struct xylem_buffer json = {0};
    text->failed = text->failed || xylem_value_json(&json, value) != 0;
    xylem_cli__add_shown(cli, text, (struct xylem_view){json.data, json.bytes}, XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_buffer_release(&json);
}

/* The recursion is as deep as the value, at most XYLEM_NESTING_MAX. */
void xylem_cli__add_pretty(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_value *value,
                           size_t indent)
{
    bool map = xylem_value_type(value) == XYLEM_VALUE_MAP;
    if ((!map && xylem_value_type(value) != XYLEM_VALUE_ARRAY) || xylem_value_count(value) == 0) {
        add_scalar(cli, text, value);
        return;
    }
    xylem_cli__add(text, map ? "{" : "[");
    const struct xylem_value *child = xylem_value_first(value);
    for (bool first = true; child; child = xylem_value_next(value, child), first = false) {
        xylem_cli__add(text, first ? "" : ",");
        add_line_start(text, indent + 1);
        if (map) {
            xylem_cli__color_on(cli, text, XYLEM_CLI__BLUE);
            add_scalar(cli, text, child);
            xylem_cli__color_off(cli, text, XYLEM_CLI__BLUE);
            xylem_cli__add(text, ": ");
            child = xylem_value_next(value, child);
        }
        xylem_cli__add_pretty(cli, text, child, indent + 1);
    }
    add_line_start(text, indent);
    xylem_cli__add(text, map ? "}" : "]");
}
