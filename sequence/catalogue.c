#include "sequence/catalogue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "sequence/step.h"

/* --- From structs ------------------------------------------------------------------------------------------------- */

static int fail_command(struct xylem_error *err, size_t index, const char *member, const char *expected)
{
    return xylem_base__fail(err, XYLEM_E_MALFORMED, "commands[%zu].%s: expected %s", index, member, expected);
}

static int check_length(struct xylem_error *err, size_t index, const char *member, struct xylem_view text, size_t max)
{
    if (text.bytes > max) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "commands[%zu].%s: expected at most %zu bytes, found %zu", index,
                                member, max, text.bytes);
    }
    return 0;
}

/* A name that no step can spell is refused: a step would look for the name in vain. */
static int check_name(struct xylem_error *err, size_t index, const char *member, struct xylem_view name)
{
    int code = check_length(err, index, member, name, XYLEM_COMMAND_NAME_BYTES_MAX);
    if (code < 0) {
        return code;
    }
    if (name.bytes == 0 || xylem_sequence__control_at(name) < name.bytes ||
        xylem_sequence__space_at(name) < name.bytes || memchr(name.data, '/', name.bytes)) {
        return xylem_base__fail(err, XYLEM_E_MALFORMED,
                                "commands[%zu].%s: expected a name without white space, control characters and "
                                "slashes, found '%.*s'",
                                index, member, XYLEM_BASE__SHOWN(name));
    }
    return 0;
}

static bool lacks_bytes(const struct xylem_command *command)
{
    bool lacks = xylem_base__view_lacks_bytes(command->name) || xylem_base__view_lacks_bytes(command->canonical) ||
                 xylem_base__view_lacks_bytes(command->path) || xylem_base__view_lacks_bytes(command->hash);
    for (size_t i = 0; command->arguments && i < command->argument_count; i++) {
        lacks = lacks || xylem_base__view_lacks_bytes(command->arguments[i]);
    }
    return lacks;
}

static int check_command(struct xylem_error *err, size_t index, const struct xylem_command *command)
{
    int code;
    if (lacks_bytes(command)) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "commands[%zu]: a text with a length is NULL", index);
    }
    if ((unsigned)command->source >= XYLEM_SEQUENCE__SOURCE_COUNT) {
        return fail_command(err, index, "source", "a known source");
    }
    if ((code = check_name(err, index, "name", command->name)) < 0 ||
        (code = check_length(err, index, "hash", command->hash, XYLEM_COMMAND_HASH_BYTES_MAX)) < 0 ||
        (command->canonical.bytes > 0 && (code = check_name(err, index, "canonical", command->canonical)) < 0)) {
        return code;
    }
    const struct xylem_view prefix = XYLEM_BASE__LITERAL("skill:");
    if (command->source == XYLEM_COMMAND_SKILL &&
        (command->name.bytes == prefix.bytes || !xylem_base__view_begins(command->name, prefix))) {
        return fail_command(err, index, "name", "skill: before the name of a skill");
    }
    if (command->arguments && command->argument_count == 0) {
        return fail_command(err, index, "arguments", "one text at least");
    }
    return 0;
}

/* Sums stop at SIZE_MAX, for which no allocation succeeds. */
static void size_add(size_t *size, size_t count, size_t item_bytes)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, item_bytes, &bytes) || __builtin_add_overflow(*size, bytes, size)) {
        *size = SIZE_MAX;
    }
}

static size_t arguments_of(const struct xylem_command *command)
{
    return command->arguments ? command->argument_count : 0;
}

static struct xylem_view copy(char **at, struct xylem_view view)
{
    struct xylem_view copied = {*at, view.bytes};
    if (view.bytes > 0) {
        memcpy(*at, view.data, view.bytes);
        *at += view.bytes;
    }
    return copied;
}

static void fill(struct xylem_catalogue *catalogue, const struct xylem_command *commands)
{
    size_t argument_count = 0;
    for (size_t i = 0; i < catalogue->command_count; i++) {
        argument_count += arguments_of(&commands[i]);
    }
    struct xylem_view *argument = (struct xylem_view *)&catalogue->commands[catalogue->command_count];
    char *at = (char *)(argument + argument_count);
    for (size_t i = 0; i < catalogue->command_count; i++) {
        const struct xylem_command *from = &commands[i];
        struct xylem_command *to = &catalogue->commands[i];
        *to = *from;
        to->name = copy(&at, from->name);
        to->canonical = from->canonical.bytes > 0 ? copy(&at, from->canonical) : to->name;
        to->path = copy(&at, from->path);
        to->hash = copy(&at, from->hash);
        to->arguments = from->arguments ? argument : NULL;
        for (size_t j = 0; j < arguments_of(from); j++) {
            *argument++ = copy(&at, from->arguments[j]);
        }
    }
}

static int check_count(struct xylem_error *err, size_t command_count)
{
    if (command_count > XYLEM_CATALOGUE_COMMANDS_MAX) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "commands: expected at most %u commands, found %zu",
                                XYLEM_CATALOGUE_COMMANDS_MAX, command_count);
    }
    return 0;
}

static int make(struct xylem_catalogue **catalogue, const struct xylem_command *commands, size_t command_count,
                const struct xylem_catalogue_options *options, struct xylem_error *err)
{
    size_t size = sizeof **catalogue;
    size_add(&size, command_count, sizeof *commands);
    int code = check_count(err, command_count);
    if (code < 0) {
        return code;
    }
    for (size_t i = 0; i < command_count; i++) {
        const struct xylem_command *command = &commands[i];
        if ((code = check_command(err, i, command)) < 0) {
            return code;
        }
        size_add(&size, command->name.bytes, 1);
        size_add(&size, command->canonical.bytes, 1);
        size_add(&size, command->path.bytes, 1);
        size_add(&size, command->hash.bytes, 1);
        size_add(&size, arguments_of(command), sizeof *command->arguments);
        for (size_t j = 0; j < arguments_of(command); j++) {
            size_add(&size, command->arguments[j].bytes, 1);
        }
    }
    struct xylem_catalogue *made = malloc(size);
    if (!made) {
        return xylem_base__fail_memory(err);
    }
    made->options = options ? *options : (struct xylem_catalogue_options){0};
    made->command_count = command_count;
    fill(made, commands);
    *catalogue = made;
    return 0;
}

int xylem_catalogue_new_abi(uint32_t abi, struct xylem_catalogue **catalogue, const struct xylem_command *commands,
                            size_t command_count, const struct xylem_catalogue_options *options,
                            struct xylem_error *err)
{
    int code = xylem_base__check_abi(abi, err);
    if (code < 0) {
        return code;
    }
    if (!catalogue || (!commands && command_count > 0)) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "expected a catalogue and its commands, found NULL");
    }
    return make(catalogue, commands, command_count, options, err);
}

void xylem_catalogue_free(struct xylem_catalogue *catalogue)
{
    free(catalogue);
}

/* --- From JSON ---------------------------------------------------------------------------------------------------- */

/* A document while its members are read. `place` is the object of the members: empty, or `commands[3].`. */
struct reader {
    struct xylem_error *err;
    char place[40];
    struct xylem_catalogue_options options;
    struct xylem_command *commands;
    size_t command_count;
    struct xylem_view *arguments;     /* of all commands */
    const struct xylem_value **names; /* of the members of one object, sorted */
};

static int fail_member(const struct reader *reader, const char *member, const char *expected)
{
    return xylem_base__fail(reader->err, XYLEM_E_MALFORMED, "%s%s: expected %s", reader->place, member, expected);
}

static int order_names(const void *a, const void *b)
{
    const struct xylem_value *const *first = a;
    const struct xylem_value *const *second = b;
    return xylem_base__view_order((*first)->as.string, (*second)->as.string);
}

/* Sorts, as an object may have a million members. */
static int check_members_once(struct reader *reader, const struct xylem_value *map)
{
    size_t count = 0;
    for (const struct xylem_value *name = xylem_value_first(map); name; count++) {
        reader->names[count] = name;
        name = xylem_value_next(map, xylem_value_next(map, name));
    }
    if (count > 1) {
        qsort(reader->names, count, sizeof *reader->names, order_names);
    }
    for (size_t i = 1; i < count; i++) {
        struct xylem_view name = reader->names[i]->as.string;
        if (xylem_base__view_equal(reader->names[i - 1]->as.string, name)) {
            return xylem_base__fail(reader->err, XYLEM_E_MALFORMED, "%s%.*s: expected this member once, found it twice",
                                    reader->place, XYLEM_BASE__SHOWN(name));
        }
    }
    return 0;
}

static int read_bool(struct reader *reader, bool *truth, const struct xylem_value *map, const char *member)
{
    const struct xylem_value *value = xylem_value_get(map, member);
    if (value && xylem_value_type(value) != XYLEM_VALUE_BOOL) {
        return fail_member(reader, member, "true or false");
    }
    *truth = xylem_value_bool(value);
    return 0;
}

static int read_string(struct reader *reader, struct xylem_view *string, const struct xylem_value *map,
                       const char *member)
{
    const struct xylem_value *value = xylem_value_get(map, member);
    if (value && xylem_value_type(value) != XYLEM_VALUE_STRING) {
        return fail_member(reader, member, "a string");
    }
    *string = xylem_value_string(value);
    return 0;
}

static int read_source(struct reader *reader, struct xylem_command *command, const struct xylem_value *map)
{
    static const char *const words[XYLEM_SEQUENCE__SOURCE_COUNT] = {
        [XYLEM_COMMAND_BUILTIN] = "builtin", [XYLEM_COMMAND_OWN] = "own",     [XYLEM_COMMAND_EXTENSION] = "extension",
        [XYLEM_COMMAND_PROMPT] = "prompt",   [XYLEM_COMMAND_SKILL] = "skill",
    };
    struct xylem_view word = {NULL, 0};
    int code = read_string(reader, &word, map, "source");
    for (size_t i = 0; code == 0 && i < XYLEM_SEQUENCE__SOURCE_COUNT; i++) {
        if (xylem_base__view_is(word, words[i])) {
            command->source = (enum xylem_command_source)i;
            return 0;
        }
    }
    return code < 0 ? code : fail_member(reader, "source", "builtin, own, extension, prompt or skill");
}

static int read_arguments(struct reader *reader, struct xylem_command *command, const struct xylem_value *map)
{
    const struct xylem_value *array = xylem_value_get(map, "arguments");
    if (!array) {
        return 0;
    }
    if (xylem_value_type(array) != XYLEM_VALUE_ARRAY) {
        return fail_member(reader, "arguments", "an array of strings");
    }
    command->arguments = reader->arguments;
    for (const struct xylem_value *text = xylem_value_first(array); text; text = xylem_value_next(array, text)) {
        if (xylem_value_type(text) != XYLEM_VALUE_STRING) {
            return fail_member(reader, "arguments", "an array of strings");
        }
        *reader->arguments++ = xylem_value_string(text);
        command->argument_count++;
    }
    return 0;
}

static int read_command(struct reader *reader, struct xylem_command *command, const struct xylem_value *map)
{
    int code;
    if (xylem_value_type(map) != XYLEM_VALUE_MAP) {
        return fail_member(reader, "name", "an object with this member");
    }
    if ((code = check_members_once(reader, map)) < 0 || (code = read_string(reader, &command->name, map, "name")) < 0 ||
        (code = read_source(reader, command, map)) < 0 ||
        (code = read_string(reader, &command->canonical, map, "canonical")) < 0 ||
        (code = read_string(reader, &command->path, map, "path")) < 0 ||
        (code = read_string(reader, &command->hash, map, "hash")) < 0 ||
        (code = read_arguments(reader, command, map)) < 0) {
        return code;
    }
    return read_bool(reader, &command->toggles, map, "toggles");
}

static int read_document(struct reader *reader, const struct xylem_value *root)
{
    int64_t schema = 0;
    int code;
    if (xylem_value_type(root) != XYLEM_VALUE_MAP) {
        return fail_member(reader, "schema", "an object with this member");
    }
    if ((code = check_members_once(reader, root)) < 0) {
        return code;
    }
    if (!xylem_value_integer(&schema, xylem_value_get(root, "schema")) || schema != 1) {
        return fail_member(reader, "schema", "1");
    }
    if ((code = read_bool(reader, &reader->options.compact, root, "compact")) < 0 ||
        (code = read_bool(reader, &reader->options.expands, root, "expands")) < 0) {
        return code;
    }
    const struct xylem_value *array = xylem_value_get(root, "commands");
    if (xylem_value_type(array) != XYLEM_VALUE_ARRAY) {
        return fail_member(reader, "commands", "an array of objects");
    }
    code = check_count(reader->err, xylem_value_count(array));
    for (const struct xylem_value *command = xylem_value_first(array); code == 0 && command;) {
        snprintf(reader->place, sizeof reader->place, "commands[%zu].", reader->command_count);
        code = read_command(reader, &reader->commands[reader->command_count++], command);
        command = xylem_value_next(array, command);
    }
    return code;
}

int xylem_catalogue_new_json_abi(uint32_t abi, struct xylem_catalogue **catalogue, struct xylem_view json,
                                 struct xylem_error *err)
{
    struct reader reader = {.err = err};
    struct xylem_base__tree tree;
    struct xylem_view *arguments = NULL;
    int code = xylem_base__check_abi(abi, err);
    if (code < 0) {
        return code;
    }
    if (!catalogue || xylem_base__view_lacks_bytes(json)) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "expected a catalogue and a text, found NULL");
    }
    xylem_base__tree_init(&tree);
    if ((code = xylem_base__json_parse(&tree, json, err)) < 0) {
        goto out;
    }
    /* Each argument, and each name of a member, is a node of the document. */
    reader.commands = calloc(XYLEM_CATALOGUE_COMMANDS_MAX, sizeof *reader.commands);
    reader.arguments = arguments = calloc(tree.node_count, sizeof *arguments);
    reader.names = calloc(tree.node_count, sizeof *reader.names);
    if (!reader.commands || !arguments || !reader.names) {
        code = xylem_base__fail_memory(err);
        goto out;
    }
    if ((code = read_document(&reader, tree.nodes)) < 0) {
        goto out;
    }
    code = make(catalogue, reader.commands, reader.command_count, &reader.options, err);
out:
    free(reader.commands);
    free(arguments);
    free(reader.names);
    xylem_base__tree_release(&tree);
    return code;
}
