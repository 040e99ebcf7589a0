/* Catalogues, from structs and from JSON. */
#include <stdlib.h>

#include "tests/sequence/commands.h"

static void expect_json(struct xylem_view json, int expected, const char *text)
{
    struct xylem_catalogue *catalogue = NULL;
    struct xylem_error err = {0};
    int code = xylem_catalogue_new_json(&catalogue, json, &err);
    if (code != expected || (code < 0 && strcmp(err.text, text) != 0)) {
        fail_msg("%.*s: expected %d %s, found %d %s", (int)json.bytes, json.data, expected, text, code, err.text);
    }
    assert_int_equal(code == 0, catalogue != NULL);
    xylem_catalogue_free(catalogue);
}

static void expect_malformed(const char *json, const char *text)
{
    expect_json(xylem_view_of(json), XYLEM_E_MALFORMED, text);
}

/* `command` is a second command. */
static void expect_command(const char *command, int code, const char *text)
{
    char json[1024];
    snprintf(json, sizeof json,
             "{\"schema\":1,\"commands\":[{\"name\":\"a\",\"source\":\"own\",\"arguments\":[\"x\"]},%s]}", command);
    expect_json(xylem_view_of(json), code, text);
}

static void expect_structs(const struct xylem_command *commands, size_t count, int expected, const char *text)
{
    struct xylem_catalogue *catalogue = NULL;
    struct xylem_error err = {0};
    assert_int_equal(xylem_catalogue_new(&catalogue, commands, count, NULL, &err), expected);
    assert_string_equal(err.text, text);
    xylem_catalogue_free(catalogue);
}

TEST(a_catalogue_owns_its_bytes)
{
    char bytes[] = "go/go/hash/onoff";
    struct xylem_view arguments[] = {{bytes + 11, 2}, {bytes + 13, 3}, {NULL, 0}};
    struct xylem_command command = {.name = {bytes, 2},
                                    .source = XYLEM_COMMAND_OWN,
                                    .path = {bytes + 2, 3},
                                    .hash = {bytes + 6, 4},
                                    .arguments = arguments,
                                    .argument_count = 3,
                                    .toggles = true};
    struct xylem_catalogue *catalogue = NULL;
    struct xylem_step step = {0};
    assert_int_equal(xylem_catalogue_new(&catalogue, &command, 1, NULL, NULL), 0);
    memset(bytes, '#', sizeof bytes);
    memset(arguments, 0, sizeof arguments);
    memset(&command, 0, sizeof command);
    assert_int_equal(xylem_step_resolve(&step, catalogue, LITERAL("/go off"), NULL), 0);
    assert_step(&step, "command");
    assert_view(step.path, "/go");
    assert_view(step.hash, "hash");
    assert_view(step.canonical, "go");
    assert_int_equal(xylem_step_resolve(&step, catalogue, LITERAL("/go"), NULL), 0);
    assert_step(&step, "command toggles");
    xylem_step_release(&step);
    xylem_catalogue_free(catalogue);
}

TEST(a_catalogue_may_have_no_commands_and_no_options)
{
    struct xylem_catalogue *catalogue = NULL;
    struct xylem_step step = {0};
    assert_int_equal(xylem_catalogue_new(&catalogue, NULL, 0, NULL, NULL), 0);
    assert_int_equal(xylem_step_resolve(&step, catalogue, LITERAL("/compact"), NULL), 0);
    assert_step(&step, "no-host");
    xylem_step_release(&step);
    xylem_catalogue_free(catalogue);
    xylem_catalogue_free(NULL);
    expect_json(LITERAL(" {\"commands\":[],\"schema\":1.0,\"more\":{\"a\":1,\"a\":2}} "), 0, "");
}

TEST(a_document_has_members_of_the_right_type)
{
    expect_malformed("[]", "schema: expected an object with this member");
    expect_malformed("{\"commands\":[]}", "schema: expected 1");
    expect_malformed("{\"schema\":2,\"commands\":[]}", "schema: expected 1");
    expect_malformed("{\"schema\":\"1\",\"commands\":[]}", "schema: expected 1");
    expect_malformed("{\"schema\":1}", "commands: expected an array of objects");
    expect_malformed("{\"schema\":1,\"commands\":{}}", "commands: expected an array of objects");
    expect_malformed("{\"schema\":1,\"compact\":1,\"commands\":[]}", "compact: expected true or false");
    expect_malformed("{\"schema\":1,\"expands\":null,\"commands\":[]}", "expands: expected true or false");
    expect_json(LITERAL("{\"schema\":1,\"commands\":["), XYLEM_E_MALFORMED,
                "JSON is not well-formed at byte 24: parse error: premature EOF");
    expect_json((struct xylem_view){NULL, 0}, XYLEM_E_MALFORMED,
                "JSON is not well-formed at byte 0: parse error: premature EOF");
}

TEST(a_mistake_in_a_command_is_named_by_index_and_member)
{
    expect_command("{\"name\":\"b\",\"source\":\"prompt\",\"x\":[1,{}],\"scope\":7}", 0, "");
    expect_command("7", XYLEM_E_MALFORMED, "commands[1].name: expected an object with this member");
    expect_command("{\"source\":\"own\"}", XYLEM_E_MALFORMED,
                   "commands[1].name: expected a name without white space, control characters and slashes, found ''");
    expect_command("{\"name\":1,\"source\":\"own\"}", XYLEM_E_MALFORMED, "commands[1].name: expected a string");
    expect_command("{\"name\":\"b\"}", XYLEM_E_MALFORMED,
                   "commands[1].source: expected builtin, own, extension, prompt or skill");
    expect_command("{\"name\":\"b\",\"source\":\"Own\"}", XYLEM_E_MALFORMED,
                   "commands[1].source: expected builtin, own, extension, prompt or skill");
    expect_command("{\"name\":\"b\",\"source\":true}", XYLEM_E_MALFORMED, "commands[1].source: expected a string");
    expect_command("{\"name\":\"b\",\"source\":\"own\",\"path\":null}", XYLEM_E_MALFORMED,
                   "commands[1].path: expected a string");
    expect_command("{\"name\":\"b\",\"source\":\"own\",\"hash\":[]}", XYLEM_E_MALFORMED,
                   "commands[1].hash: expected a string");
    expect_command("{\"name\":\"b\",\"source\":\"own\",\"canonical\":{}}", XYLEM_E_MALFORMED,
                   "commands[1].canonical: expected a string");
    expect_command("{\"name\":\"b\",\"source\":\"own\",\"arguments\":\"on\"}", XYLEM_E_MALFORMED,
                   "commands[1].arguments: expected an array of strings");
    expect_command("{\"name\":\"b\",\"source\":\"own\",\"arguments\":[\"on\",1]}", XYLEM_E_MALFORMED,
                   "commands[1].arguments: expected an array of strings");
    expect_command("{\"name\":\"b\",\"source\":\"own\",\"arguments\":[]}", XYLEM_E_MALFORMED,
                   "commands[1].arguments: expected one text at least");
    expect_command("{\"name\":\"b\",\"source\":\"own\",\"toggles\":\"yes\"}", XYLEM_E_MALFORMED,
                   "commands[1].toggles: expected true or false");
    expect_command("{\"name\":\"pdf\",\"source\":\"skill\"}", XYLEM_E_MALFORMED,
                   "commands[1].name: expected skill: before the name of a skill");
    expect_command("{\"name\":\"skill:\",\"source\":\"skill\"}", XYLEM_E_MALFORMED,
                   "commands[1].name: expected skill: before the name of a skill");
    expect_command("{\"name\":\"b\",\"source\":\"own\",\"canonical\":\"a/b\"}", XYLEM_E_MALFORMED,
                   "commands[1].canonical: expected a name without white space, control characters and slashes, found "
                   "'a/b'");
}

TEST(a_member_occurs_once_in_an_object)
{
    expect_malformed("{\"schema\":1,\"commands\":[],\"schema\":1}",
                     "schema: expected this member once, found it twice");
    expect_command("{\"name\":\"b\",\"source\":\"own\",\"name\":\"b\"}", XYLEM_E_MALFORMED,
                   "commands[1].name: expected this member once, found it twice");
    expect_command("{\"x\":1,\"name\":\"b\",\"\\u0078\":2,\"source\":\"own\"}", XYLEM_E_MALFORMED,
                   "commands[1].x: expected this member once, found it twice");
    expect_command("{\"name\":\"b\",\"source\":\"own\",\"\":1,\"\\u0000\":1}", 0, "");
}

TEST(a_name_is_what_a_step_can_spell)
{
    static const char *const names[] = {
        "", "a b", "/a", "a/b", "a\tb", "a\x7F", "a\x1b", "\xC2\xA0z", "a\xFFz", "z\xED\xA0\xBD\xED\xB8\x80", "a\nb"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct xylem_command command = {.name = xylem_view_of(names[i]), .source = XYLEM_COMMAND_PROMPT};
        struct xylem_catalogue *catalogue = NULL;
        assert_int_equal(xylem_catalogue_new(&catalogue, &command, 1, NULL, NULL), XYLEM_E_MALFORMED);
    }
    expect_command("{\"name\":\"\\ud800\xC3\xA9:2!\",\"source\":\"own\"}", 0, "");
}

TEST(names_hashes_and_commands_have_limits)
{
    static char text[XYLEM_COMMAND_NAME_BYTES_MAX + 1];
    struct xylem_command *commands = calloc(XYLEM_CATALOGUE_COMMANDS_MAX + 1, sizeof *commands);
    assert_non_null(commands);
    memset(text, 'x', sizeof text);
    for (size_t i = 0; i <= XYLEM_CATALOGUE_COMMANDS_MAX; i++) {
        commands[i] = (struct xylem_command){.name = {text, XYLEM_COMMAND_NAME_BYTES_MAX},
                                             .source = XYLEM_COMMAND_OWN,
                                             .canonical = {text, XYLEM_COMMAND_NAME_BYTES_MAX},
                                             .hash = {text, XYLEM_COMMAND_HASH_BYTES_MAX}};
    }
    expect_structs(commands, XYLEM_CATALOGUE_COMMANDS_MAX, 0, "");
    expect_structs(commands, XYLEM_CATALOGUE_COMMANDS_MAX + 1, XYLEM_E_LIMIT,
                   "commands: expected at most 4096 commands, found 4097");
    commands[2].name.bytes++;
    expect_structs(commands, 3, XYLEM_E_LIMIT, "commands[2].name: expected at most 256 bytes, found 257");
    commands[2].name.bytes--;
    commands[2].canonical.bytes++;
    expect_structs(commands, 3, XYLEM_E_LIMIT, "commands[2].canonical: expected at most 256 bytes, found 257");
    commands[1].hash.bytes++;
    expect_structs(commands, 3, XYLEM_E_LIMIT, "commands[1].hash: expected at most 64 bytes, found 65");
    free(commands);
}

TEST(so_has_a_document)
{
    for (size_t more = 0; more <= 1; more++) {
        struct xylem_buffer json = {0};
        const char *head = "{\"schema\":1,\"commands\":[";
        assert_int_equal(xylem_buffer_add(&json, head, strlen(head)), 0);
        for (size_t i = 0; i < XYLEM_CATALOGUE_COMMANDS_MAX + more; i++) {
            const char *command = ",{\"name\":\"a\",\"source\":\"own\",\"arguments\":[\"x\",\"y\"]}" + (i == 0 ? 1 : 0);
            assert_int_equal(xylem_buffer_add(&json, command, strlen(command)), 0);
        }
        assert_int_equal(xylem_buffer_add(&json, "]}", 2), 0);
        expect_json((struct xylem_view){json.data, json.bytes}, more ? XYLEM_E_LIMIT : 0,
                    "commands: expected at most 4096 commands, found 4097");
        xylem_buffer_release(&json);
    }
}

TEST(structs_against_the_contract_are_refused)
{
    static const struct xylem_view argument = {NULL, 3};
    struct xylem_command command = {.name = LITERAL("a"), .source = (enum xylem_command_source)9};
    struct xylem_catalogue *catalogue = NULL;
    struct xylem_error err = {0};
    expect_structs(&command, 1, XYLEM_E_MALFORMED, "commands[0].source: expected a known source");
    command.source = XYLEM_COMMAND_OWN;
    command.arguments = &argument;
    expect_structs(&command, 1, XYLEM_E_MALFORMED, "commands[0].arguments: expected one text at least");
    command.argument_count = 1;
    expect_structs(&command, 1, XYLEM_E_ARGUMENT, "commands[0]: a text with a length is NULL");
    command.arguments = NULL; /* then the number does not count */
    expect_structs(&command, 1, 0, "");
    command.path.bytes = 1;
    expect_structs(&command, 1, XYLEM_E_ARGUMENT, "commands[0]: a text with a length is NULL");
    expect_structs(NULL, 1, XYLEM_E_ARGUMENT, "expected a catalogue and its commands, found NULL");
    assert_int_equal(xylem_catalogue_new_abi(XYLEM_ABI + 1, &catalogue, NULL, 0, NULL, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_catalogue_new_json_abi(XYLEM_ABI + 1, &catalogue, LITERAL("{}"), &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_catalogue_new_json(&catalogue, (struct xylem_view){NULL, 1}, &err), XYLEM_E_ARGUMENT);
    assert_null(catalogue);
}
