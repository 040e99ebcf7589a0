#include "hosts/node/addon/values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "hosts/node/addon/handles.h"
#include "hosts/node/addon/reads.h"
#include "hosts/node/addon/stops.h"
#include "hosts/node/addon/stores.h"
#include "hosts/node/addon/strings.h"

#define BLOCK_BYTES 4096u
#define WHOLE_NUMBER_MAX 9007199254740991.0 /* the greatest integer that JavaScript holds exactly */

_Static_assert(sizeof(enum xylem_event_type) == sizeof(int), "a word is written as an int");

/* --- Memory ----------------------------------------------------------------------------------------------------- */

struct block {
    struct block *next;
    size_t used;
    size_t bytes;
    max_align_t data[];
};

void *arena_take(struct arena *arena, size_t bytes)
{
    size_t rounded = (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    struct block *block = arena->blocks;
    if (rounded < bytes) {
        return NULL;
    }
    if (!block || block->bytes - block->used < rounded) {
        size_t room = rounded > BLOCK_BYTES ? rounded : BLOCK_BYTES;
        block = room > SIZE_MAX - sizeof *block ? NULL : calloc(1, sizeof *block + room);
        if (!block) {
            return NULL;
        }
        *block = (struct block){.next = arena->blocks, .bytes = room};
        arena->blocks = block;
    }
    void *taken = (char *)block->data + block->used;
    block->used += rounded;
    return taken;
}

void arena_release(struct arena *arena)
{
    for (struct block *block = arena->blocks; block;) {
        struct block *next = block->next;
        free(block);
        block = next;
    }
    arena->blocks = NULL;
}

/* --- Errors ----------------------------------------------------------------------------------------------------- */

static bool refuse(const struct reader *reader, const struct field *field, const char *expected)
{
    reader->err->code = XYLEM_E_ARGUMENT;
    snprintf(reader->err->text, sizeof reader->err->text, "%s: expected %s", field->name, expected);
    return false;
}

static bool set_member(napi_env env, napi_value object, const char *name, napi_value value)
{
    return value && napi_set_named_property(env, object, name, value) == napi_ok;
}

napi_value make_error(napi_env env, const struct xylem_error *err)
{
    napi_value error = NULL;
    napi_value code = NULL;
    napi_value message = make_string(env, xylem_view_of(err->text));
    if (!message || napi_create_error(env, NULL, message, &error) != napi_ok ||
        napi_create_double(env, err->code, &code) != napi_ok || !set_member(env, error, "code", code) ||
        !set_member(env, error, "name", make_string(env, xylem_view_of(xylem_code_name(err->code))))) {
        return NULL;
    }
    return error;
}

/* --- From JavaScript -------------------------------------------------------------------------------------------- */

static bool read_field(void *into, const struct reader *reader, const struct field *field, napi_value value);

static napi_valuetype type_of(napi_env env, napi_value value)
{
    napi_valuetype type = napi_undefined;
    return value && napi_typeof(env, value, &type) == napi_ok ? type : napi_undefined;
}

static bool read_members(void *into, const struct reader *reader, const struct field *field, napi_value object)
{
    if (type_of(reader->env, object) != napi_object) {
        return refuse(reader, field, "an object");
    }
    for (const struct field *member = field->fields; member->name; member++) {
        napi_value value;
        if (napi_get_named_property(reader->env, object, member->name, &value) != napi_ok) {
            return refuse(reader, member, "a member that can be read");
        }
        if (!read_field(into, reader, member, value)) {
            return false;
        }
    }
    return true;
}

static bool read_string(struct xylem_view *text, const struct reader *reader, const struct field *field,
                        napi_value value)
{
    size_t count = 0;
    if (type_of(reader->env, value) != napi_string ||
        napi_get_value_string_utf16(reader->env, value, NULL, 0, &count) != napi_ok) {
        return refuse(reader, field, "a string");
    }
    uint16_t *units = malloc((count + 1) * sizeof *units);
    char *bytes = units ? arena_take(reader->arena, 3 * count + 1) : NULL;
    bool read = bytes && napi_get_value_string_utf16(reader->env, value, units, count + 1, &count) == napi_ok;
    if (read) {
        *text = (struct xylem_view){bytes, to_wtf8(bytes, units, count)}; /* the arena has a zero behind the bytes */
    } else {
        fail(reader->err, XYLEM_E_MEMORY, NULL);
    }
    free(units);
    return read;
}

static bool read_name(const char **name, const struct reader *reader, const struct field *field, napi_value value)
{
    struct xylem_view text;
    if (!read_string(&text, reader, field, value)) {
        return false;
    }
    *name = text.data;
    return !memchr(text.data, '\0', text.bytes) || refuse(reader, field, "a string without NUL");
}

/* An array: its items are zeroed structs, and a last one stays zero. */
static bool read_list(void *into, const struct reader *reader, const struct field *field, napi_value value)
{
    size_t item_bytes = field->type == FIELD_OBJECTS   ? field->item_bytes
                        : field->type == FIELD_STRINGS ? sizeof(struct xylem_view)
                                                       : sizeof(const char *);
    bool is_array = false;
    uint32_t count = 0;
    if (!value || napi_is_array(reader->env, value, &is_array) != napi_ok || !is_array ||
        napi_get_array_length(reader->env, value, &count) != napi_ok) {
        return refuse(reader, field, "an array");
    }
    char *items = count < SIZE_MAX / item_bytes ? arena_take(reader->arena, (count + (size_t)1) * item_bytes) : NULL;
    if (!items) {
        return fail(reader->err, XYLEM_E_MEMORY, NULL) == 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        void *item = items + i * item_bytes;
        napi_value element;
        if (napi_get_element(reader->env, value, i, &element) != napi_ok) {
            return refuse(reader, field, "an array with elements that can be read");
        }
        if (!(field->type == FIELD_OBJECTS   ? read_members(item, reader, field, element)
              : field->type == FIELD_STRINGS ? read_string(item, reader, field, element)
                                             : read_name(item, reader, field, element))) {
            return false;
        }
    }
    memcpy((char *)into + field->at, &items, sizeof items);
    if (field->count_at > 0) {
        *(size_t *)((char *)into + field->count_at) = count;
    }
    return true;
}

static bool read_count(uint64_t *number, const struct reader *reader, const struct field *field, napi_value value)
{
    double read = -1;
    if (napi_get_value_double(reader->env, value, &read) != napi_ok || !(read >= 0 && read <= WHOLE_NUMBER_MAX) ||
        read != (double)(uint64_t)read) {
        return refuse(reader, field, "a whole number, at least 0");
    }
    *number = (uint64_t)read;
    return true;
}

static bool read_word(int *number, const struct reader *reader, const struct field *field, napi_value value)
{
    const char *word;
    char expected[128] = "one of";
    if (type_of(reader->env, value) == napi_string && !read_name(&word, reader, field, value)) {
        return false;
    }
    for (int i = 0; field->words[i]; i++) {
        if (type_of(reader->env, value) == napi_string && strcmp(word, field->words[i]) == 0) {
            *number = i;
            return true;
        }
        size_t used = strlen(expected);
        snprintf(expected + used, sizeof expected - used, "%s '%s'", i > 0 ? "," : "", field->words[i]);
    }
    return refuse(reader, field, expected);
}

static enum handle_type handle_type_of(enum field_type type)
{
    return type == FIELD_STATE   ? HANDLE_STATE
           : type == FIELD_READS ? HANDLE_READS
           : type == FIELD_STOP  ? HANDLE_STOP
                                 : HANDLE_STORE;
}

static bool read_handle(void **data, const struct reader *reader, const struct field *field, napi_value value)
{
    void **found = handle_find(reader->env, value, handle_type_of(field->type));
    if (!found) {
        return refuse(reader, field, "a handle of this addon");
    }
    *data = *found;
    if (field->type == FIELD_CLOSED_STORE) {
        *found = NULL;
    } else if (!*data) {
        return refuse(reader, field, "an open store; it was closed");
    } else if (field->type == FIELD_STORE) {
        store_hold(*data);
    } else if (field->type == FIELD_READS) {
        reads_hold(*data);
    } else if (field->type == FIELD_STOP) {
        stop_hold(*data);
    }
    return true;
}

static bool read_field(void *into, const struct reader *reader, const struct field *field, napi_value value)
{
    void *at = (char *)into + field->at;
    void *maybe;
    if (field->optional && type_of(reader->env, value) == napi_undefined) {
        return true;
    }
    switch (field->type) {
    case FIELD_STRING:
        return read_string(at, reader, field, value);
    case FIELD_STRING_MAYBE:
        maybe = arena_take(reader->arena, sizeof(struct xylem_view));
        memcpy(at, &maybe, sizeof maybe);
        return maybe ? type_of(reader->env, value) == napi_null || read_string(maybe, reader, field, value)
                     : fail(reader->err, XYLEM_E_MEMORY, NULL) == 0;
    case FIELD_NAME:
        return read_name(at, reader, field, value);
    case FIELD_STRINGS:
    case FIELD_NAMES:
    case FIELD_OBJECTS:
        return read_list(into, reader, field, value);
    case FIELD_BOOL:
        return napi_get_value_bool(reader->env, value, at) == napi_ok || refuse(reader, field, "a boolean");
    case FIELD_BOOL_MAYBE:
        maybe = arena_take(reader->arena, sizeof(bool));
        memcpy(at, &maybe, sizeof maybe);
        return !maybe ? fail(reader->err, XYLEM_E_MEMORY, NULL) == 0
                      : napi_get_value_bool(reader->env, value, maybe) == napi_ok || refuse(reader, field, "a boolean");
    case FIELD_TIME_MAYBE:
        maybe = arena_take(reader->arena, sizeof(int64_t));
        memcpy(at, &maybe, sizeof maybe);
        return maybe ? read_count(maybe, reader, field, value) : fail(reader->err, XYLEM_E_MEMORY, NULL) == 0;
    case FIELD_COUNT:
        return read_count(at, reader, field, value);
    case FIELD_WORD:
        return read_word(at, reader, field, value);
    case FIELD_OBJECT:
        return read_members(into, reader, field, value);
    case FIELD_STORE:
    case FIELD_CLOSED_STORE:
    case FIELD_STATE:
    case FIELD_READS:
    case FIELD_STOP:
        return read_handle(at, reader, field, value);
    case FIELD_TIME:
    case FIELD_BUFFER:
    case FIELD_BUFFERS:
    case FIELD_OBJECT_MAYBE:
        break;
    }
    return refuse(reader, field, "no argument of this type");
}

bool read_arguments(void *into, const struct reader *reader, const struct field *fields, const napi_value *arguments)
{
    for (size_t i = 0; fields && fields[i].name; i++) {
        if (!read_field(into, reader, &fields[i], arguments[i])) {
            return false;
        }
    }
    return true;
}

/* --- To JavaScript ---------------------------------------------------------------------------------------------- */

napi_value make_string(napi_env env, struct xylem_view text)
{
    napi_value value = NULL;
    if (xylem_base__ascii_bytes(text.data, text.bytes) == text.bytes) { /* most texts: a fourth of the time */
        return napi_create_string_latin1(env, text.data ? text.data : "", text.bytes, &value) == napi_ok ? value : NULL;
    }
    uint16_t *units = malloc((text.bytes + 1) * sizeof *units);
    if (units) {
        size_t count = to_utf16(units, text);
        value = napi_create_string_utf16(env, units, count, &value) == napi_ok ? value : NULL;
    }
    free(units);
    return value;
}

static napi_value make_string_or_null(napi_env env, struct xylem_view text)
{
    napi_value value;
    return text.data ? make_string(env, text) : napi_get_null(env, &value) == napi_ok ? value : NULL;
}

static const struct field buffer_field = {.type = FIELD_BUFFER};

static napi_value make_list(napi_env env, char *from, const struct field *field)
{
    size_t count = *(size_t *)(from + field->count_at);
    char *items = *(char **)(from + field->at);
    napi_value list;
    if (napi_create_array_with_length(env, count, &list) != napi_ok) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        napi_handle_scope scope;
        if (napi_open_handle_scope(env, &scope) != napi_ok) {
            return NULL;
        }
        napi_value item =
            field->type == FIELD_OBJECTS   ? make_object(env, items + i * field->item_bytes, field->fields)
            : field->type == FIELD_BUFFERS ? make_value(env, items + i * sizeof(struct xylem_buffer), &buffer_field)
            : field->type == FIELD_STRINGS ? make_string(env, ((struct xylem_view *)(void *)items)[i])
                                           : make_string(env, xylem_view_of(((const char **)(void *)items)[i]));
        bool set = item && napi_set_element(env, list, (uint32_t)i, item) == napi_ok;
        napi_close_handle_scope(env, scope);
        if (!set) {
            return NULL;
        }
    }
    return list;
}

static napi_value make_object_or_null(napi_env env, void *from, const struct field *fields)
{
    napi_value value;
    return from ? make_object(env, from, fields) : napi_get_null(env, &value) == napi_ok ? value : NULL;
}

static napi_value make_time(napi_env env, const int64_t *time_ms)
{
    napi_value value;
    return napi_create_double(env, (double)*time_ms, &value) == napi_ok ? value : NULL;
}

/* The C side goes to the handle, also after a failure. */
static napi_value make_handle(napi_env env, void **data, enum handle_type type)
{
    void *given = *data;
    *data = NULL;
    return handle_make(env, type, given);
}

napi_value make_value(napi_env env, void *from, const struct field *field)
{
    void *at = (char *)from + field->at;
    const struct xylem_buffer *buffer = at;
    napi_value value;
    switch (field->type) {
    case FIELD_STRING:
        return make_string_or_null(env, *(struct xylem_view *)at);
    case FIELD_BUFFER:
        return make_string(env, (struct xylem_view){buffer->data, buffer->bytes});
    case FIELD_NAME:
        return make_string_or_null(env, xylem_view_of(*(const char **)at));
    case FIELD_WORD:
        return make_string(env, xylem_view_of(field->words[*(int *)at]));
    case FIELD_BOOL:
        return napi_get_boolean(env, *(bool *)at, &value) == napi_ok ? value : NULL;
    case FIELD_COUNT:
        return napi_create_double(env, (double)*(uint64_t *)at, &value) == napi_ok ? value : NULL;
    case FIELD_TIME:
        return make_time(env, at);
    case FIELD_TIME_MAYBE:
        return *(int64_t **)at ? make_time(env, *(int64_t **)at) : napi_get_null(env, &value) == napi_ok ? value : NULL;
    case FIELD_BUFFERS:
    case FIELD_STRINGS:
    case FIELD_NAMES:
    case FIELD_OBJECTS:
        return make_list(env, from, field);
    case FIELD_OBJECT_MAYBE:
        return make_object_or_null(env, *(void **)at, field->fields);
    case FIELD_STORE:
    case FIELD_STATE:
    case FIELD_READS:
    case FIELD_STOP:
        return make_handle(env, at, handle_type_of(field->type));
    case FIELD_STRING_MAYBE:
    case FIELD_BOOL_MAYBE:
    case FIELD_OBJECT:
    case FIELD_CLOSED_STORE:
        break;
    }
    return NULL;
}

napi_value make_object(napi_env env, void *from, const struct field *fields)
{
    napi_value object;
    if (napi_create_object(env, &object) != napi_ok) {
        return NULL;
    }
    for (; fields->name; fields++) {
        if (!set_member(env, object, fields->name, make_value(env, from, fields))) {
            return NULL;
        }
    }
    return object;
}
