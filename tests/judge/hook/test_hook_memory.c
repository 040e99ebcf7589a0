/*
 * Every allocation fails once, of a configuration that is read, a line that is answered, and a hook that looks at a
 * repository with a submodule: each time it is an error, nothing was said, and nothing is left behind. The linker leads
 * the library's calls to the functions below, and to those of failing_calls.h.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "xylem/policy.h"
#include "tests/lib/failing_calls.h"
#include "tests/lib/test.h"

char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t bytes);
char *__real_realpath(const char *path, char *resolved);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t bytes);
char *__wrap_realpath(const char *path, char *resolved);

char *__wrap_strdup(const char *text)
{
    return fails() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t bytes)
{
    return fails() ? NULL : __real_strndup(text, bytes);
}

char *__wrap_realpath(const char *path, char *resolved)
{
    return fails() ? NULL : __real_realpath(path, resolved);
}

/* What is tried: appends to `output`, and gives a code that is not negative. */
typedef int trial(struct xylem_buffer *output, struct xylem_error *err);

/* `least`: so many allocations there are, or the trial does not reach what it is meant to reach. */
static void fail_each_allocation_of(trial *try, int expected, size_t least)
{
    size_t call_count = 1;
    for (size_t i = 0; i <= call_count; i++) {
        struct xylem_buffer output = {0};
        struct xylem_error err = {0};
        calls = 0;
        failing_call = i;
        counting = true;
        int code = try(&output, &err);
        counting = false;
        if (i == 0) {
            assert_int_equal(code, expected);
            call_count = calls;
            assert_true(call_count >= least);
        } else {
            assert_int_equal(code, XYLEM_E_MEMORY);
            assert_string_equal(err.text, "out of memory");
            assert_int_equal(output.bytes, 0);
        }
        xylem_buffer_release(&output);
    }
}

static struct xylem_policy *policy;
static char input[1024];

static int read_config(struct xylem_buffer *output, struct xylem_error *err)
{
    static const char json[] =
        "{\"log\":\"/a\",\"allowed_commands\":[\"a\\u0062\",\"c\"],\"command_directories\":[\"/opt\"],"
        "\"feature_flags\":{\"git_local_writes\":true}}";
    struct xylem_policy *made = NULL;
    int code = xylem_policy_new_json(&made, XYLEM_POLICY_STRICT, xylem_view_of(json), err);
    (void)output;
    xylem_policy_free(made);
    return code;
}

static char root[128];
static char user_config[160];

static int answer(struct xylem_buffer *output, struct xylem_error *err)
{
    return xylem_policy_answer(output, policy, xylem_view_of("{\"command\":\"ls \\\"x\\\"\",\"cwd\":\"/\"}"), NULL,
                               err);
}

static int answer_broken(struct xylem_buffer *output, struct xylem_error *err)
{
    return xylem_policy_answer(output, policy, xylem_view_of("{\"command\":"), NULL, err);
}

static int hook(struct xylem_buffer *output, struct xylem_error *err)
{
    struct xylem_buffer why = {0};
    const char *const configs[] = {user_config, NULL};
    struct xylem_buffer log = {0};
    struct xylem_hook_options options = {
        .protocol = XYLEM_HOOK_SEED, .git_user_configs = configs, .home = root, .why = &why, .log = &log};
    int code = xylem_policy_hook(output, policy, xylem_view_of(input), &options, err);
    assert_true(log.bytes == 0 || log.data[log.bytes - 1] == '\n');
    xylem_buffer_release(&why);
    xylem_buffer_release(&log);
    return code;
}

static int enforce(struct xylem_buffer *output, struct xylem_error *err)
{
    struct xylem_buffer why = {0};
    struct xylem_buffer log = {0};
    struct xylem_hook_options options = {.enforce = true, .why = &why, .log = &log};
    int code = xylem_policy_hook(output, policy, xylem_view_of(input), &options, err);
    assert_true(log.bytes == 0 || log.data[log.bytes - 1] == '\n');
    xylem_buffer_release(&why);
    xylem_buffer_release(&log);
    return code;
}

TEST(a_configuration_is_made_whole_or_not_at_all)
{
    fail_each_allocation_of(read_config, 0, 8);
}

TEST(a_line_has_an_answer_or_an_error)
{
    fail_each_allocation_of(answer, 0, 6);
    fail_each_allocation_of(answer_broken, 0, 2);
}

static void write_file(const char *name, const void *data, size_t bytes)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *slash = strchr(path + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0755);
        *slash = '/';
    }
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

static void write_text(const char *name, const char *text)
{
    write_file(name, text, strlen(text));
}

/* A linked work tree of a repository, with one submodule; `config` is that of the submodule. */
static void make_repository(const char *config)
{
    unsigned char index[12 + 72 + 20] = {'D', 'I', 'R', 'C', 0, 0, 0, 2, 0, 0, 0, 1};
    index[12 + 26] = 0xe0; /* a submodule's mode */
    index[12 + 61] = 3;
    memcpy(index + 12 + 62, "sub", 3);
    write_text("repo/.git/objects/x", "");
    write_text("repo/.git/refs/x", "");
    write_text("repo/.git/HEAD", "ref: refs/heads/main\n");
    write_text("repo/.git/config", "[core]\n\tbare = false\n[branch \"x\"]\n\tremote = origin\n");
    write_text("repo/.git/worktrees/side/HEAD", "ref: refs/heads/side\n");
    write_text("repo/.git/worktrees/side/commondir", "../..\n");
    write_file("repo/.git/worktrees/side/index", index, sizeof index);
    write_text("side/.git", "gitdir: ../repo/.git/worktrees/side\n");
    write_text("side/src/x", "");
    write_text("side/sub/.git", "gitdir: ../../repo/.git/modules/sub\n");
    write_text("repo/.git/modules/sub/objects/x", "");
    write_text("repo/.git/modules/sub/refs/x", "");
    write_text("repo/.git/modules/sub/HEAD", "ref: refs/heads/main\n");
    write_text("repo/.git/modules/sub/config", config);
}

TEST(a_hook_says_something_or_fails)
{
    make_repository("[core]\n\tworktree = ../../../../side/sub\n\thooksPath = hooks\n[gpg]\n\tprogram = x\n");
    write_text("user", "[include]\n\tpath = ~/more\n\tpath = other\n");
    write_text("more", "[user]\n\tname = x\n");
    snprintf(user_config, sizeof user_config, "%s/user", root);
    snprintf(input, sizeof input,
             "{\"cwd\":\"%s/side/src\",\"hook_event_name\":\"PermissionRequest\",\"tool_name\":\"Bash\","
             "\"tool_input\":{\"command\":\"git status\"}}",
             root);
    fail_each_allocation_of(hook, 1, 50);
    make_repository("[core]\n\tworktree = ../../../../side/sub\n\tpager = x\n");
    fail_each_allocation_of(hook, 0, 50);
}

TEST(a_refusal_is_said_whole_or_not_at_all)
{
    snprintf(input, sizeof input,
             "{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls; rm x\"}}");
    fail_each_allocation_of(enforce, 1, 10);
    snprintf(input, sizeof input, "{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Write\",\"tool_input\":{}}");
    fail_each_allocation_of(enforce, 1, 6);
}

static int set_up(void **state)
{
    (void)state;
    test_directory_make(root, sizeof root, "memory");
    return xylem_policy_new_json(&policy, XYLEM_POLICY_STRICT, (struct xylem_view){NULL, 0}, NULL);
}

static int tear_down(void **state)
{
    (void)state;
    xylem_policy_free(policy);
    test_directory_remove(root);
    return 0;
}

TEST_FILE(set_up, tear_down)
