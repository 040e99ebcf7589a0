#include "travel/jsonl/migrate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "store/store.h"

int xylem_jsonl__mint_id(char out[XYLEM_JSONL__MINTED_BYTES + 1], struct xylem_view session_id, uint64_t line_number,
                         struct xylem_view line, unsigned attempt, struct xylem_error *err)
{
    struct xylem_format__hasher *hasher = xylem_format__hasher_new();
    if (!hasher) {
        return xylem_base__fail_memory(err);
    }
    char number[32];
    snprintf(number, sizeof number, "%" PRIu64, line_number);
    xylem_format__hasher_add(hasher, session_id);
    xylem_format__hasher_add(hasher, xylem_view_of(number));
    xylem_format__hasher_add(hasher, line);
    if (attempt > 0) {
        snprintf(number, sizeof number, "%u", attempt);
        xylem_format__hasher_add(hasher, xylem_view_of(number));
    }
    snprintf(number, sizeof number, "%016" PRIx64, xylem_format__hasher_sum(hasher));
    memcpy(out, number, XYLEM_JSONL__MINTED_BYTES);
    out[XYLEM_JSONL__MINTED_BYTES] = '\0';
    xylem_format__hasher_free(hasher);
    return XYLEM_OK;
}

bool xylem_jsonl__first_kept_index(uint64_t *index, const struct xylem_value *object)
{
    int64_t number;
    if (!xylem_base__view_is(xylem_value_string(xylem_value_get(object, "type")), "compaction") ||
        !xylem_value_integer(&number, xylem_value_get(object, "firstKeptEntryIndex")) || number < 0) {
        return false;
    }
    *index = (uint64_t)number;
    return true;
}

/* An object that is copied member by member, with some members replaced, left out or added. */
struct copy {
    struct xylem_buffer *out;
    int code;
    bool begun;
};

static void copy_raw(struct copy *copy, struct xylem_view raw)
{
    if (copy->code == XYLEM_OK) {
        copy->code = xylem_buffer_add(copy->out, raw.data, raw.bytes);
    }
}

static void copy_text(struct copy *copy, const char *text)
{
    copy_raw(copy, xylem_view_of(text));
}

static void copy_key(struct copy *copy, struct xylem_view raw_key)
{
    copy_text(copy, copy->begun ? "," : "{");
    copy->begun = true;
    copy_raw(copy, raw_key);
    copy_text(copy, ":");
}

/* Adds a JSON string, or null for a view without data. */
static void copy_string(struct copy *copy, struct xylem_view text)
{
    if (!text.data) {
        copy_text(copy, "null");
    } else if (copy->code == XYLEM_OK) {
        copy->code = xylem_buffer_add_json_string(copy->out, text);
    }
}

static void copy_end(struct copy *copy)
{
    copy_text(copy, copy->begun ? "}" : "{}");
}

/* Copies a message. In format 3, the role `hookMessage` is called `custom`. */
static void copy_message(struct copy *line, const struct xylem_value *message)
{
    struct copy copy = {.out = line->out, .code = line->code};
    const struct xylem_value *role = xylem_value_get(message, "role");
    if (message->type != XYLEM_VALUE_MAP || !xylem_base__view_is(xylem_value_string(role), "hookMessage")) {
        copy_raw(line, message->raw);
        return;
    }
    const struct xylem_value *value;
    for (const struct xylem_value *key = xylem_value_first(message); key; key = xylem_value_next(message, value)) {
        value = xylem_value_next(message, key);
        copy_key(&copy, key->raw);
        if (value == role) {
            copy_text(&copy, "\"custom\"");
        } else {
            copy_raw(&copy, value->raw);
        }
    }
    copy_end(&copy);
    line->code = copy.code;
}

/* Copies one member of a line, with the changes of the format. */
static void copy_member(struct copy *copy, const struct xylem_value *key, const struct xylem_value *value,
                        bool is_message, bool is_compaction, const struct xylem_jsonl__minted *minted)
{
    struct xylem_view name = xylem_value_string(key);
    if (minted && is_compaction && xylem_base__view_is(name, "firstKeptEntryIndex") &&
        (value->type == XYLEM_VALUE_INT || value->type == XYLEM_VALUE_UINT || value->type == XYLEM_VALUE_DOUBLE)) {
        return;
    }
    copy_key(copy, key->raw);
    if (minted && xylem_base__view_is(name, "id")) {
        copy_string(copy, minted->id);
    } else if (minted && xylem_base__view_is(name, "parentId")) {
        copy_string(copy, minted->parent_id);
    } else if (minted && minted->first_kept_id.data && xylem_base__view_is(name, "firstKeptEntryId")) {
        copy_string(copy, minted->first_kept_id);
    } else if (is_message && xylem_base__view_is(name, "message")) {
        copy_message(copy, value);
    } else {
        copy_raw(copy, value->raw);
    }
}

/* Adds a missing member at the end of the line, as an assignment in JavaScript does. */
static void copy_missing(struct copy *copy, const struct xylem_value *object, const char *name, struct xylem_view text)
{
    if (!xylem_value_get(object, name)) {
        char raw_key[32];
        snprintf(raw_key, sizeof raw_key, "\"%s\"", name);
        copy_key(copy, xylem_view_of(raw_key));
        copy_string(copy, text);
    }
}

int xylem_jsonl__migrate_line(struct xylem_buffer *out, const struct xylem_value *object,
                              const struct xylem_jsonl__minted *minted)
{
    struct copy copy = {.out = out};
    struct xylem_view type = xylem_value_string(xylem_value_get(object, "type"));
    bool is_message = xylem_base__view_is(type, "message");
    bool is_compaction = xylem_base__view_is(type, "compaction");
    const struct xylem_value *value;
    for (const struct xylem_value *key = xylem_value_first(object); key; key = xylem_value_next(object, value)) {
        value = xylem_value_next(object, key);
        copy_member(&copy, key, value, is_message, is_compaction, minted);
    }
    if (minted) {
        copy_missing(&copy, object, "id", minted->id);
        copy_missing(&copy, object, "parentId", minted->parent_id);
        if (minted->first_kept_id.data) {
            copy_missing(&copy, object, "firstKeptEntryId", minted->first_kept_id);
        }
    }
    copy_end(&copy);
    return copy.code;
}

int xylem_jsonl__migrate_header(struct xylem_buffer *out, const struct xylem_value *object)
{
    struct copy copy = {.out = out};
    const struct xylem_value *value;
    bool has_version = false;
    for (const struct xylem_value *key = xylem_value_first(object); key; key = xylem_value_next(object, value)) {
        value = xylem_value_next(object, key);
        copy_key(&copy, key->raw);
        if (xylem_base__view_is(xylem_value_string(key), "version")) {
            copy_text(&copy, "3");
            has_version = true;
        } else {
            copy_raw(&copy, value->raw);
        }
    }
    if (!has_version) {
        copy_key(&copy, xylem_view_of("\"version\""));
        copy_text(&copy, "3");
    }
    copy_end(&copy);
    return copy.code;
}
