/* A policy's configuration: what is read, and what is refused, and in which words. */

#include <stdlib.h>
#include <string.h>

#include "judge/policy/engine/judge.h"
#include "tests/lib/test.h"

static struct xylem_policy *read_as(enum xylem_policy_type type, const char *json)
{
    struct xylem_policy *policy = NULL;
    struct xylem_error err = {0};
    int code = xylem_policy_new_json(&policy, type, xylem_view_of(json), &err);
    if (code != 0) {
        print_message("%s: %s\n", json, err.text);
    }
    assert_int_equal(code, 0);
    assert_non_null(policy);
    return policy;
}

static void assert_refused_as(enum xylem_policy_type type, const char *json, int expected_code, const char *expected)
{
    struct xylem_policy *policy = NULL;
    struct xylem_error err = {0};
    int code = xylem_policy_new_json(&policy, type, xylem_view_of(json), &err);
    if (code != expected_code || !strstr(err.text, expected)) {
        print_message("%s: %d, %s\n", json, code, err.text);
    }
    assert_int_equal(code, expected_code);
    assert_int_equal(err.code, expected_code);
    assert_non_null(strstr(err.text, expected));
    assert_null(policy);
}

static void assert_refused(const char *json, const char *expected)
{
    assert_refused_as(XYLEM_POLICY_STRICT, json, XYLEM_E_MALFORMED, expected);
}

static void assert_names(const struct xylem_policy__names *names, const char *first, const char *second)
{
    assert_int_equal(names->count, 2);
    assert_string_equal(names->names[0], first);
    assert_string_equal(names->names[1], second);
}

TEST(every_option_of_strict_is_read)
{
    struct xylem_policy *policy = read_as(XYLEM_POLICY_STRICT, "{\"allowed_commands\":[\"ls\",\"my\\u002dtool\"],"
                                                               "\"git_readonly_subcommands\":[\"log\",\"show\"],"
                                                               "\"wrapper_commands\":[\"env\",\"nice\"],"
                                                               "\"command_directories\":[\"/opt/bin\",\"/opt/sbin\"],"
                                                               "\"allow_output_redirections\":true,"
                                                               "\"feature_flags\":{\"git_local_writes\":true}}");
    (void)state;
    assert_names(&policy->allowed_commands, "ls", "my-tool");
    assert_names(&policy->git_readonly_subcommands, "log", "show");
    assert_names(&policy->wrapper_commands, "env", "nice");
    assert_names(&policy->command_directories, "/opt/bin", "/opt/sbin");
    assert_true(policy->allow_output_redirections);
    assert_true(policy->git_local_writes);
    xylem_policy_free(policy);
}

TEST(nothing_and_an_empty_object_are_the_defaults)
{
    static const char *const texts[] = {"", "{}", " { } \n", "{\"feature_flags\":{}}"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct xylem_policy *policy = read_as(XYLEM_POLICY_STRICT, texts[i]);
        assert_null(policy->allowed_commands.names);
        assert_null(policy->wrapper_commands.names);
        assert_null(policy->git_readonly_subcommands.names);
        assert_null(policy->command_directories.names);
        assert_false(policy->allow_output_redirections);
        assert_false(policy->git_local_writes);
        xylem_policy_free(policy);
    }
}

TEST(an_empty_list_is_no_default)
{
    struct xylem_policy *policy = read_as(XYLEM_POLICY_STRICT, "{\"allowed_commands\":[]}");
    (void)state;
    assert_non_null(policy->allowed_commands.names);
    assert_int_equal(policy->allowed_commands.count, 0);
    xylem_policy_free(policy);
}

TEST(readonly_takes_temp_writes)
{
    struct xylem_policy *policy = read_as(XYLEM_POLICY_READONLY, "{\"temp_writes\":\"/tmp/plan\"}");
    (void)state;
    assert_string_equal(policy->temp_writes, "/tmp/plan");
    xylem_policy_free(policy);
}

TEST(every_policy_may_name_a_log)
{
    static const enum xylem_policy_type types[] = {XYLEM_POLICY_READONLY, XYLEM_POLICY_STRICT, XYLEM_POLICY_CONFIRM};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        xylem_policy_free(read_as(types[i], "{\"log\":\"~/asked.jsonl\"}"));
        assert_refused_as(types[i], "{\"log\":true}", XYLEM_E_MALFORMED, "log: expected a string, found true");
        assert_refused_as(types[i], "{\"log\":\"\"}", XYLEM_E_MALFORMED, "log: expected a name, found an empty string");
        assert_refused_as(types[i], "{\"log\":\"/a\\u0000\"}", XYLEM_E_MALFORMED, "log: expected a name");
    }
}

TEST(options_of_another_policy_are_refused)
{
    assert_refused_as(XYLEM_POLICY_STRICT, "{\"temp_writes\":\"/tmp/plan\"}", XYLEM_E_ARGUMENT, "temp_writes");
    assert_refused_as(XYLEM_POLICY_READONLY, "{\"allowed_commands\":[]}", XYLEM_E_ARGUMENT, "strict");
    assert_refused_as(XYLEM_POLICY_CONFIRM, "{\"feature_flags\":{\"git_local_writes\":true}}", XYLEM_E_ARGUMENT,
                      "strict");
    assert_refused_as(XYLEM_POLICY_READONLY, "{\"temp_writes\":\"tmp\"}", XYLEM_E_ARGUMENT, "temp_writes");
    assert_refused_as((enum xylem_policy_type)7, "{}", XYLEM_E_ARGUMENT, "7");
}

TEST(flags_for_later_may_be_false_alone)
{
    xylem_policy_free(read_as(XYLEM_POLICY_STRICT, "{\"feature_flags\":{\"network_reads\":false,"
                                                   "\"safe_file_writes\":false,\"allow_output_redirections\":false}}"));
    assert_refused("{\"feature_flags\":{\"network_reads\":true}}", "feature_flags.network_reads: expected false");
    assert_refused("{\"feature_flags\":{\"safe_file_writes\":true}}", "feature_flags.safe_file_writes: expected false");
    assert_refused("{\"feature_flags\":{\"allow_output_redirections\":true}}",
                   "feature_flags.allow_output_redirections: expected false");
    assert_refused("{\"feature_flags\":{\"network_reads\":0}}", "expected true or false, found a number");
}

TEST(a_key_that_is_not_known_is_named)
{
    assert_refused("{\"allowed_command\":[]}", "expected allowed_commands, ");
    assert_refused("{\"allowed_command\":[]}", "ask or deny, found the key \"allowed_command\"");
    assert_refused("{\"feature_flags\":{\"git_local_write\":true}}", "feature_flags: expected git_local_writes, ");
    assert_refused("{\"git_local_writes\":true}", "found the key \"git_local_writes\"");
    assert_refused("{\"feature_flags.git_local_writes\":true}", "found the key");
    assert_refused("{\"temp_writes\\u0000\":\"/tmp\"}", "found the key");
    assert_refused("{\"\\u001b[31m\":1}", "\\x1b");
}

TEST(a_key_that_stands_there_twice_is_refused)
{
    assert_refused("{\"allowed_commands\":[\"ls\"],\"allowed_commands\":[\"rm\"]}",
                   "allowed_commands: expected this key once");
    assert_refused("{\"feature_flags\":{\"git_local_writes\":false,\"git_local_writes\":true}}", "found it twice");
    assert_refused("{\"feature_flags\":{},\"feature_flags\":{}}", "found it twice");
}

TEST(a_value_of_another_type_is_refused)
{
    assert_refused("{\"allowed_commands\":\"ls\"}", "allowed_commands: expected an array of strings, found a string");
    assert_refused("{\"allowed_commands\":[\"ls\",7]}", "allowed_commands[1]: expected a string, found a number");
    assert_refused("{\"wrapper_commands\":[[]]}", "wrapper_commands[0]: expected a string, found an array");
    assert_refused("{\"command_directories\":null}", "found null");
    assert_refused("{\"allow_output_redirections\":\"false\"}", "expected true or false, found a string");
    assert_refused("{\"allow_output_redirections\":{}}", "found an object");
    assert_refused("{\"feature_flags\":[]}", "feature_flags: expected an object of flags, found an array");
    assert_refused("{\"feature_flags\":{\"git_local_writes\":1}}", "feature_flags.git_local_writes: expected true");
    assert_refused("{\"temp_writes\":true}", "temp_writes: expected a string, found true");
    assert_refused("{\"temp_writes\":\"\"}", "temp_writes: expected a name, found an empty string");
    assert_refused("{\"allowed_commands\":[\"l\\u0000s\"]}", "NUL");
    assert_refused("[]", "expected an object of options, found an array");
    assert_refused("null", "found null");
}

TEST(what_is_no_json_is_refused)
{
    assert_refused("{", "");
    assert_refused("{\"allowed_commands\":[\"ls\",]}", "");
    assert_refused("// a comment\n{}", "");
    assert_refused("{}{}", "");
}

TEST(limits_hold)
{
    char *long_text = malloc(XYLEM_CONFIG_BYTES_MAX + 2);
    char deep[2 * XYLEM_NESTING_MAX] = "";
    (void)state;
    assert_non_null(long_text);
    memset(long_text, ' ', XYLEM_CONFIG_BYTES_MAX + 1);
    memcpy(long_text, "{}", 2);
    long_text[XYLEM_CONFIG_BYTES_MAX] = '\0';
    xylem_policy_free(read_as(XYLEM_POLICY_STRICT, long_text));
    long_text[XYLEM_CONFIG_BYTES_MAX] = ' ';
    long_text[XYLEM_CONFIG_BYTES_MAX + 1] = '\0';
    assert_refused_as(XYLEM_POLICY_STRICT, long_text, XYLEM_E_LIMIT, "found 1048577");
    memset(deep, '[', XYLEM_NESTING_MAX + 1);
    assert_refused_as(XYLEM_POLICY_STRICT, deep, XYLEM_E_LIMIT, "");
    free(long_text);
}
