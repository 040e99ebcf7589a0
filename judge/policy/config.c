/* Makes a policy from a configuration in JSON. A mistake is an error that names the place. */
#include "base/error.h"
#include "base/json.h"
#include "judge/shell/arena.h"
#include "xylem/policy.h"

#include <stddef.h>
#include <stdio.h>

struct reader {
    struct xylem_policy_config config;
    struct xylem_shell__arena arena; /* the names; the policy copies them */
    struct xylem_error *err;
};

/* A key, the reader of the value, and the members of the configuration for the value and, of a list, the count. */
struct key {
    const char *name;
    int (*read)(struct reader *reader, const struct key *key, const struct xylem_value *value);
    size_t member;
    size_t count_member;
};

#define RESERVED SIZE_MAX /* no member */

static void *member_of(struct reader *reader, size_t member)
{
    return (char *)&reader->config + member;
}

static const char *type_text(const struct xylem_value *value)
{
    switch (xylem_value_type(value)) {
    case XYLEM_VALUE_NIL:
        return "null";
    case XYLEM_VALUE_BOOL:
        return xylem_value_bool(value) ? "true" : "false";
    case XYLEM_VALUE_STRING:
        return "a string";
    case XYLEM_VALUE_ARRAY:
        return "an array";
    case XYLEM_VALUE_MAP:
        return "an object";
    default:
        return "a number";
    }
}

static int fail_type(const struct reader *reader, const struct key *key, const char *expected,
                     const struct xylem_value *value)
{
    return xylem_base__fail(reader->err, XYLEM_E_MALFORMED, "%s: expected %s, found %s", key->name, expected,
                            type_text(value));
}

/* Copies a string, with a NUL. `number` is the index in a list; -1: not in a list. */
static int copy_string(struct reader *reader, const char **copy, const struct key *key, int64_t number,
                       const struct xylem_value *value)
{
    struct xylem_view string = xylem_value_string(value);
    char place[32] = "";
    if (number >= 0) {
        snprintf(place, sizeof place, "[%lld]", (long long)number);
    }
    if (xylem_value_type(value) != XYLEM_VALUE_STRING) {
        return xylem_base__fail(reader->err, XYLEM_E_MALFORMED, "%s%s: expected a string, found %s", key->name, place,
                                type_text(value));
    }
    if (string.bytes == 0 || memchr(string.data, '\0', string.bytes)) {
        return xylem_base__fail(reader->err, XYLEM_E_MALFORMED, "%s%s: expected a name, found %s", key->name, place,
                                string.bytes == 0 ? "an empty string" : "a string with a NUL in it");
    }
    char *bytes = xylem_shell__arena_take(&reader->arena, string.bytes + 1);
    if (!bytes) {
        return xylem_base__fail_memory(reader->err);
    }
    memcpy(bytes, string.data, string.bytes);
    *copy = bytes;
    return 0;
}

/* A flag. Of a reserved flag, only false is allowed. */
static int read_bool(struct reader *reader, const struct key *key, const struct xylem_value *value)
{
    if (xylem_value_type(value) != XYLEM_VALUE_BOOL) {
        return fail_type(reader, key, "true or false", value);
    }
    if (key->member != RESERVED) {
        *(bool *)member_of(reader, key->member) = xylem_value_bool(value);
    } else if (xylem_value_bool(value)) {
        return xylem_base__fail(reader->err, XYLEM_E_MALFORMED, "%s: expected false, found true: the flag is reserved",
                                key->name);
    }
    return 0;
}

static int read_string(struct reader *reader, const struct key *key, const struct xylem_value *value)
{
    const char *unused = NULL;
    return copy_string(reader, key->member == RESERVED ? &unused : member_of(reader, key->member), key, -1, value);
}

static int read_names(struct reader *reader, const struct key *key, const struct xylem_value *value)
{
    size_t count = xylem_value_count(value);
    int code = 0;
    if (xylem_value_type(value) != XYLEM_VALUE_ARRAY) {
        return fail_type(reader, key, "an array of strings", value);
    }
    const char **names = xylem_shell__arena_take(&reader->arena, (count + 1) * sizeof *names);
    if (!names) {
        return xylem_base__fail_memory(reader->err);
    }
    const struct xylem_value *element = xylem_value_first(value);
    for (size_t i = 0; code == 0 && i < count; i++, element = xylem_value_next(value, element)) {
        code = copy_string(reader, &names[i], key, (int64_t)i, element);
    }
    *(const char *const **)member_of(reader, key->member) = names;
    *(size_t *)member_of(reader, key->count_member) = count;
    return code;
}

#define MEMBER(name) offsetof(struct xylem_policy_config, name)

static const struct key flags[] = {
    {"feature_flags.git_local_writes", read_bool, MEMBER(git_local_writes), 0},
    {"feature_flags.allow_output_redirections", read_bool, RESERVED, 0},
    {"feature_flags.network_reads", read_bool, RESERVED, 0},
    {"feature_flags.safe_file_writes", read_bool, RESERVED, 0},
};

static int read_flags(struct reader *reader, const struct key *key, const struct xylem_value *value);

static const struct key keys[] = {
    {"allowed_commands", read_names, MEMBER(allowed_commands), MEMBER(allowed_command_count)},
    {"git_readonly_subcommands", read_names, MEMBER(git_readonly_subcommands), MEMBER(git_readonly_subcommand_count)},
    {"wrapper_commands", read_names, MEMBER(wrapper_commands), MEMBER(wrapper_command_count)},
    {"command_directories", read_names, MEMBER(command_directories), MEMBER(command_directory_count)},
    {"allow_output_redirections", read_bool, MEMBER(allow_output_redirections), 0},
    {"feature_flags", read_flags, 0, 0},
    {"temp_writes", read_string, MEMBER(temp_writes), 0},
    {"log", read_string, RESERVED, 0}, /* of the hook (cli/cmd_hook.c) */
    {"allow", read_names, MEMBER(allow), MEMBER(allow_count)},
    {"ask", read_names, MEMBER(ask), MEMBER(ask_count)},
    {"deny", read_names, MEMBER(deny), MEMBER(deny_count)},
};

static int fail_unknown(const struct reader *reader, const struct key *rows, size_t count, const char *in,
                        struct xylem_view name)
{
    size_t before = *in == '\0' ? 0 : strlen(in) + 1;
    char known[XYLEM_ERROR_TEXT_BYTES] = "";
    size_t used = 0;
    for (size_t i = 0; i < count && used < sizeof known; i++) {
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s",
                                 i == 0           ? ""
                                 : i + 1 == count ? " or "
                                                  : ", ",
                                 rows[i].name + before);
    }
    return xylem_base__fail(reader->err, XYLEM_E_MALFORMED, "%s%sexpected %s, found the key \"%.*s\"", in,
                            *in == '\0' ? "" : ": ", known, xylem_base__shown_bytes(name), xylem_base__shown(name));
}

/* Reads the members of an object; each may occur once. `in` is the name of the object, empty for the file. */
static int read_members(struct reader *reader, const struct key *rows, size_t count, const char *in,
                        const struct xylem_value *map)
{
    bool seen[sizeof keys / sizeof keys[0]] = {false};
    size_t before = *in == '\0' ? 0 : strlen(in) + 1; /* names of rows spell `IN.MEMBER` */
    int code = 0;
    for (const struct xylem_value *name = xylem_value_first(map); code == 0 && name;) {
        const struct xylem_value *value = xylem_value_next(map, name);
        const struct key *key = rows;
        while (key < rows + count && !xylem_base__view_is(xylem_value_string(name), key->name + before)) {
            key++;
        }
        if (key == rows + count) {
            return fail_unknown(reader, rows, count, in, xylem_value_string(name));
        }
        if (seen[key - rows]) {
            return xylem_base__fail(reader->err, XYLEM_E_MALFORMED, "%s: expected this key once, found it twice",
                                    key->name);
        }
        seen[key - rows] = true;
        code = key->read(reader, key, value);
        name = xylem_value_next(map, value);
    }
    return code;
}

static int read_flags(struct reader *reader, const struct key *key, const struct xylem_value *value)
{
    if (xylem_value_type(value) != XYLEM_VALUE_MAP) {
        return fail_type(reader, key, "an object of flags", value);
    }
    return read_members(reader, flags, sizeof flags / sizeof flags[0], key->name, value);
}

int xylem_policy_new_json_abi(uint32_t abi, struct xylem_policy **policy, enum xylem_policy_type type,
                              struct xylem_view json, struct xylem_error *err)
{
    struct reader reader = {.config = {.type = type}, .err = err};
    struct xylem_base__tree tree;
    int code = xylem_base__check_abi(abi, err);
    if (code < 0) {
        return code;
    }
    if (!json.data && json.bytes > 0) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "a text of %zu bytes is NULL", json.bytes);
    }
    if (json.bytes > XYLEM_CONFIG_BYTES_MAX) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "expected a configuration of at most %u bytes, found %zu",
                                XYLEM_CONFIG_BYTES_MAX, json.bytes);
    }
    xylem_base__tree_init(&tree);
    if (json.bytes > 0 && (code = xylem_base__json_parse(&tree, json, err)) == 0) {
        code = xylem_value_type(tree.nodes) == XYLEM_VALUE_MAP
                   ? read_members(&reader, keys, sizeof keys / sizeof keys[0], "", tree.nodes)
                   : xylem_base__fail(err, XYLEM_E_MALFORMED, "expected an object of options, found %s",
                                      type_text(tree.nodes));
    }
    if (code == 0) {
        code = xylem_policy_new(policy, &reader.config, err);
    }
    xylem_base__tree_release(&tree);
    xylem_shell__arena_release(&reader.arena);
    return code;
}
