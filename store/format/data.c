/*
 * Encodes values of custom entries as msgpack, and decodes them. No other file includes msgpack.h.
 *
 * What data_common.c does not take is decoded here. Decoding instantiates msgpack-c's own parser template instead of
 * calling msgpack_unpack_next(): the library's own instance stops at 32 nested containers, and builds objects that would
 * have to be copied (docs/decisions/0003).
 */
#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/utf8.h"
#include "store/format/data.h"

#define MSGPACK_EMBED_STACK_SIZE XYLEM_NESTING_MAX

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include <msgpack.h>
#include <msgpack/unpack_define.h>

/* An open container. */
struct level {
    uint64_t missing; /* children still to come; in a map keys count, too */
    bool is_map;
};

/* The state of the template's callbacks. */
struct decoding {
    struct xylem_base__tree *tree;
    struct level *innermost; /* in `levels`; levels[0] is for the root value */
    struct level levels[XYLEM_NESTING_MAX + 1];
    int code;          /* the error of a callback */
    const char *found; /* the reason, for the message */
};

/* The template hands an object from callback to callback. The tree has everything, so the object is empty. */
typedef int no_object;

static const struct xylem_view no_raw = {NULL, 0};

static int refuse(struct decoding *user, int code, const char *found)
{
    user->code = code;
    user->found = found;
    return -1;
}

/* True if the next value is a key of a map: an even number of children is missing. */
static bool key_expected(const struct decoding *user)
{
    return user->innermost->is_map && user->innermost->missing % 2 == 0;
}

/* A value is complete. Closes each container around the value that is complete, too. */
static int complete(struct decoding *user)
{
    assert(user->innermost->missing > 0);
    while (--user->innermost->missing == 0 && user->innermost != user->levels) {
        xylem_base__tree_close(user->tree, NULL);
        user->innermost--;
    }
    return 0;
}

static int open_container(struct decoding *user, enum xylem_value_type type, uint64_t child_count)
{
    if (key_expected(user)) {
        return refuse(user, XYLEM_E_MALFORMED, "a map key that is not a string");
    }
    int code = xylem_base__tree_open(user->tree, type, no_raw);
    if (code < 0) {
        return refuse(user, code, "more values than memory can hold");
    }
    if (child_count == 0) {
        xylem_base__tree_close(user->tree, NULL);
        return complete(user);
    }
    *++user->innermost = (struct level){child_count, type == XYLEM_VALUE_MAP};
    return 0;
}

/* Adds a value that is no container. */
static int add(struct decoding *user, struct xylem_value value)
{
    if (value.type != XYLEM_VALUE_STRING && key_expected(user)) {
        return refuse(user, XYLEM_E_MALFORMED, "a map key that is not a string");
    }
    struct xylem_value *node = xylem_base__tree_add(user->tree, value.type, no_raw);
    if (!node) {
        return refuse(user, xylem_base__tree_refusal(user->tree), "more values than memory can hold");
    }
    node->as = value.as;
    return complete(user);
}

static int add_signed(struct decoding *user, int64_t number)
{
    return add(user, (struct xylem_value){.type = XYLEM_VALUE_INT, .as.integer = number});
}

static int add_unsigned(struct decoding *user, uint64_t number)
{
    return number <= INT64_MAX
               ? add_signed(user, (int64_t)number)
               : add(user, (struct xylem_value){.type = XYLEM_VALUE_UINT, .as.unsigned_integer = number});
}

static int add_double(struct decoding *user, double number)
{
    return add(user, (struct xylem_value){.type = XYLEM_VALUE_DOUBLE, .as.number = number});
}

/* The callbacks of the template. */
static no_object called_root(struct decoding *user)
{
    (void)user;
    return 0;
}

#define NUMBER_CALLBACK(name, type, function)                                       \
    static int called_##name(struct decoding *user, type number, no_object *object) \
    {                                                                               \
        *object = 0;                                                                \
        return function(user, number);                                              \
    }
NUMBER_CALLBACK(uint8, uint8_t, add_unsigned)
NUMBER_CALLBACK(uint16, uint16_t, add_unsigned)
NUMBER_CALLBACK(uint32, uint32_t, add_unsigned)
NUMBER_CALLBACK(uint64, uint64_t, add_unsigned)
NUMBER_CALLBACK(int8, int8_t, add_signed)
NUMBER_CALLBACK(int16, int16_t, add_signed)
NUMBER_CALLBACK(int32, int32_t, add_signed)
NUMBER_CALLBACK(int64, int64_t, add_signed)
NUMBER_CALLBACK(float, float, add_double)
NUMBER_CALLBACK(double, double, add_double)

static int called_nil(struct decoding *user, no_object *object)
{
    *object = 0;
    return add(user, (struct xylem_value){.type = XYLEM_VALUE_NIL});
}

static int called_true(struct decoding *user, no_object *object)
{
    *object = 0;
    return add(user, (struct xylem_value){.type = XYLEM_VALUE_BOOL, .as.boolean = true});
}

static int called_false(struct decoding *user, no_object *object)
{
    *object = 0;
    return add(user, (struct xylem_value){.type = XYLEM_VALUE_BOOL, .as.boolean = false});
}

static int called_array(struct decoding *user, unsigned count, no_object *object)
{
    *object = 0;
    return open_container(user, XYLEM_VALUE_ARRAY, count);
}

static int called_map(struct decoding *user, unsigned count, no_object *object)
{
    *object = 0;
    return open_container(user, XYLEM_VALUE_MAP, (uint64_t)count * 2);
}

static int called_array_item(struct decoding *user, no_object *array, no_object item)
{
    (void)user, (void)array, (void)item;
    return 0;
}

static int called_map_item(struct decoding *user, no_object *map, no_object key, no_object value)
{
    (void)user, (void)map, (void)key, (void)value;
    return 0;
}

static int called_str(struct decoding *user, const char *base, const char *text, unsigned bytes, no_object *object)
{
    (void)base;
    *object = 0;
    if (!xylem_base__wtf8_valid(text, bytes)) {
        return refuse(user, XYLEM_E_MALFORMED, "a string that is not WTF-8");
    }
    return add(user, (struct xylem_value){.type = XYLEM_VALUE_STRING, .as.string = {text, bytes}});
}

static int called_bin(struct decoding *user, const char *base, const char *data, unsigned bytes, no_object *object)
{
    (void)base, (void)data, (void)bytes;
    *object = 0;
    return refuse(user, XYLEM_E_MALFORMED, "a value of type bin, which JSON does not have");
}

static int called_ext(struct decoding *user, const char *base, const char *data, unsigned bytes, no_object *object)
{
    (void)base, (void)data, (void)bytes;
    *object = 0;
    return refuse(user, XYLEM_E_MALFORMED, "a value of type ext, which JSON does not have");
}

#define msgpack_unpack_struct(name) struct parser##name
#define msgpack_unpack_func(ret, name) static ret parser##name
#define msgpack_unpack_callback(name) called##name
#define msgpack_unpack_object no_object
#define msgpack_unpack_user struct decoding
#pragma GCC diagnostic ignored "-Wunused-function"
#include <msgpack/unpack_template.h>
#pragma GCC diagnostic pop

int xylem_format__data_decode_any(struct xylem_base__tree *tree, struct xylem_view bytes, struct xylem_error *err)
{
    struct parser_context parser;
    xylem_base__tree_clear(tree);
    parser.user.tree = tree;
    parser.user.innermost = parser.user.levels;
    parser.user.levels[0] = (struct level){.missing = 1};
    parser.user.code = XYLEM_OK;
    parser.user.found = NULL;
    parser_init(&parser);
    size_t used = 0;
    int result = bytes.bytes > 0 ? parser_execute(&parser, bytes.data, bytes.bytes, &used) : 0;
    const char *found = NULL;
    int code = XYLEM_E_MALFORMED;
    if (result < 0) {
        code = parser.user.code < 0 ? parser.user.code : result == MSGPACK_UNPACK_NOMEM_ERROR ? XYLEM_E_LIMIT : code;
        found = parser.user.found ? parser.user.found : "a byte that begins no value";
    } else if (result == 0) {
        found = "the end of the data inside a value";
    } else if (used < bytes.bytes) {
        found = "more bytes behind the value";
    } else {
        return XYLEM_OK;
    }
    bool full = tree->node_count >= XYLEM_VALUES_MAX;
    xylem_base__tree_clear(tree);
    if (code == XYLEM_E_LIMIT) {
        return xylem_base__fail(err, code, "msgpack data, byte %zu of %zu: found %s %u", used, bytes.bytes,
                                full ? "more values than" : "containers that are nested deeper than",
                                full ? XYLEM_VALUES_MAX : XYLEM_NESTING_MAX);
    }
    return xylem_base__fail(err, code, "msgpack data, byte %zu of %zu: found %s", used, bytes.bytes, found);
}

int xylem_format__data_decode(struct xylem_base__tree *tree, struct xylem_view bytes, struct xylem_error *err)
{
    int taken = xylem_format__data_decode_common(tree, bytes);
    return taken > 0   ? XYLEM_OK
           : taken < 0 ? xylem_base__fail_memory(err)
                       : xylem_format__data_decode_any(tree, bytes, err);
}

/* --- Encoding --------------------------------------------------------------------------------------------------- */

static int write_packed(void *buffer, const char *data, size_t bytes)
{
    return xylem_buffer_add(buffer, data, bytes);
}

/* A key of a map, with its index. */
struct placed_key {
    struct xylem_view key;
    size_t at;
};

static int compare_keys(const void *left, const void *right)
{
    const struct placed_key *a = left;
    const struct placed_key *b = right;
    int order = xylem_base__view_order(a->key, b->key);
    return order != 0 ? order : a->at < b->at ? -1 : 1;
}

/* Marks each key that a later equal key overrides, and counts the keys that are left. */
static int drop_duplicates(size_t *left, bool *dropped, const struct xylem_value *map)
{
    size_t count = xylem_value_count(map);
    struct placed_key *keys = calloc(count + 1, sizeof *keys);
    if (!keys) {
        return XYLEM_E_MEMORY;
    }
    size_t at = 0;
    for (const struct xylem_value *key = xylem_value_first(map); key;
         key = xylem_value_next(map, xylem_value_next(map, key))) {
        keys[at] = (struct placed_key){xylem_value_string(key), at};
        at++;
    }
    qsort(keys, count, sizeof *keys, compare_keys);
    *left = count;
    for (size_t i = 0; i + 1 < count; i++) {
        if (xylem_base__view_equal(keys[i].key, keys[i + 1].key)) {
            dropped[keys[i].at] = true;
            (*left)--;
        }
    }
    free(keys);
    return XYLEM_OK;
}

static int pack(msgpack_packer *packer, const struct xylem_value *value);

static int pack_map(msgpack_packer *packer, const struct xylem_value *map)
{
    bool *dropped = calloc(xylem_value_count(map) + 1, sizeof *dropped);
    size_t left = 0;
    int code = XYLEM_E_MEMORY;
    if (!dropped || (code = drop_duplicates(&left, dropped, map)) < 0 || (code = msgpack_pack_map(packer, left)) < 0) {
        goto out;
    }
    size_t at = 0;
    const struct xylem_value *key = xylem_value_first(map);
    while (code == XYLEM_OK && key) {
        const struct xylem_value *value = xylem_value_next(map, key);
        if (!dropped[at++] && (code = pack(packer, key)) == XYLEM_OK) {
            code = pack(packer, value);
        }
        key = xylem_value_next(map, value);
    }
out:
    free(dropped);
    return code;
}

static int pack_array(msgpack_packer *packer, const struct xylem_value *array)
{
    int code = msgpack_pack_array(packer, xylem_value_count(array));
    for (const struct xylem_value *child = xylem_value_first(array); code == XYLEM_OK && child;
         child = xylem_value_next(array, child)) {
        code = pack(packer, child);
    }
    return code;
}

static int pack(msgpack_packer *packer, const struct xylem_value *value)
{
    switch (value->type) {
    case XYLEM_VALUE_BOOL:
        return value->as.boolean ? msgpack_pack_true(packer) : msgpack_pack_false(packer);
    case XYLEM_VALUE_INT:
        return msgpack_pack_int64(packer, value->as.integer);
    case XYLEM_VALUE_UINT:
        return msgpack_pack_uint64(packer, value->as.unsigned_integer);
    case XYLEM_VALUE_DOUBLE:
        return msgpack_pack_double(packer, value->as.number);
    case XYLEM_VALUE_STRING: {
        int code = msgpack_pack_str(packer, value->as.string.bytes);
        return code < 0 ? code : msgpack_pack_str_body(packer, value->as.string.data, value->as.string.bytes);
    }
    case XYLEM_VALUE_ARRAY:
        return pack_array(packer, value);
    case XYLEM_VALUE_MAP:
        return pack_map(packer, value);
    case XYLEM_VALUE_NIL:
    default:
        return msgpack_pack_nil(packer);
    }
}

int xylem_format__data_encode(struct xylem_buffer *buffer, const struct xylem_value *value, struct xylem_error *err)
{
    msgpack_packer packer;
    msgpack_packer_init(&packer, buffer, write_packed);
    return pack(&packer, value) < 0 ? xylem_base__fail_memory(err) : XYLEM_OK;
}
