#include "travel/jsonl/migrate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "store/store.h"
#include "travel/jsonl/render.h"

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
    struct xylem_base__writer writer;
    bool begun;
};

static void copy_key(struct copy *copy, struct xylem_view raw_key)
{
    xylem_base__write(&copy->writer, copy->begun ? "," : "{");
    copy->begun = true;
    xylem_jsonl__write_raw(&copy->writer, raw_key);
    xylem_base__write(&copy->writer, ":");
}

/* Copies a message. In format 3, the role `hookMessage` is called `custom`. */
static void copy_message(struct copy *copy, const struct xylem_value *message)
{
    const struct xylem_value *role = xylem_value_get(message, "role");
    if (message->type != XYLEM_VALUE_MAP || !xylem_base__view_is(xylem_value_string(role), "hookMessage")) {
        xylem_jsonl__write_raw(&copy->writer, message->raw);
        return;
    }
    copy->begun = false;
    const struct xylem_value *value;
    for (const struct xylem_value *key = xylem_value_first(message); key; key = xylem_value_next(message, value)) {
        value = xylem_value_next(message, key);
        copy_key(copy, key->raw);
        xylem_jsonl__write_raw(&copy->writer, value == role ? xylem_view_of("\"custom\"") : value->raw);
    }
    xylem_base__write(&copy->writer, "}");
}

/* Adds a missing member at the end of the line, as an assignment in JavaScript does. */
static void copy_missing(struct copy *copy, const struct xylem_value *object, const char *name, struct xylem_view text)
{
    if (!xylem_value_get(object, name)) {
        char raw_key[32];
        snprintf(raw_key, sizeof raw_key, "\"%s\"", name);
        copy_key(copy, xylem_view_of(raw_key));
        xylem_base__write_maybe(&copy->writer, text);
    }
}

int xylem_jsonl__migrate_line(struct xylem_buffer *out, const struct xylem_value *object,
                              const struct xylem_jsonl__minted *minted)
{
    struct copy copy = {.writer = {out, XYLEM_OK}};
    struct xylem_view type = xylem_value_string(xylem_value_get(object, "type"));
    bool is_message = xylem_base__view_is(type, "message");
    bool is_compaction = xylem_base__view_is(type, "compaction");
    const struct xylem_value *value;
    for (const struct xylem_value *key = xylem_value_first(object); key; key = xylem_value_next(object, value)) {
        struct xylem_view name = xylem_value_string(key);
        value = xylem_value_next(object, key);
        if (minted && is_compaction && xylem_base__view_is(name, "firstKeptEntryIndex") &&
            (value->type == XYLEM_VALUE_INT || value->type == XYLEM_VALUE_UINT || value->type == XYLEM_VALUE_DOUBLE)) {
            continue;
        }
        copy_key(&copy, key->raw);
        if (minted && xylem_base__view_is(name, "id")) {
            xylem_base__write_maybe(&copy.writer, minted->id);
        } else if (minted && xylem_base__view_is(name, "parentId")) {
            xylem_base__write_maybe(&copy.writer, minted->parent_id);
        } else if (minted && minted->first_kept_id.data && xylem_base__view_is(name, "firstKeptEntryId")) {
            xylem_base__write_maybe(&copy.writer, minted->first_kept_id);
        } else if (is_message && xylem_base__view_is(name, "message")) {
            copy_message(&copy, value);
        } else {
            xylem_jsonl__write_raw(&copy.writer, value->raw);
        }
    }
    if (minted) {
        copy_missing(&copy, object, "id", minted->id);
        copy_missing(&copy, object, "parentId", minted->parent_id);
        if (minted->first_kept_id.data) {
            copy_missing(&copy, object, "firstKeptEntryId", minted->first_kept_id);
        }
    }
    xylem_base__write(&copy.writer, copy.begun ? "}" : "{}");
    return copy.writer.code;
}

int xylem_jsonl__migrate_header(struct xylem_buffer *out, const struct xylem_value *object)
{
    struct copy copy = {.writer = {out, XYLEM_OK}};
    const struct xylem_value *value;
    bool has_version = false;
    for (const struct xylem_value *key = xylem_value_first(object); key; key = xylem_value_next(object, value)) {
        bool is_version = xylem_base__view_is(xylem_value_string(key), "version");
        value = xylem_value_next(object, key);
        copy_key(&copy, key->raw);
        xylem_jsonl__write_raw(&copy.writer, is_version ? xylem_view_of("3") : value->raw);
        has_version = has_version || is_version;
    }
    if (!has_version) {
        copy_key(&copy, xylem_view_of("\"version\""));
        xylem_base__write(&copy.writer, "3");
    }
    xylem_base__write(&copy.writer, "}");
    return copy.writer.code;
}
