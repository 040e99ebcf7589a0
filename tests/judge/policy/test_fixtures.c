/* Every line of fixtures/policy: a command, a policy, and the verdict that is right. */

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/json.h"
#include "xylem/policy.h"
#include "tests/lib/test.h"

static const char *const policies[] = {
    [XYLEM_POLICY_READONLY] = "readonly", [XYLEM_POLICY_STRICT] = "strict", [XYLEM_POLICY_CONFIRM] = "confirm"};
static const char *const decisions[] = {[XYLEM_DENY] = "deny", [XYLEM_ASK] = "ask", [XYLEM_ALLOW] = "allow"};

struct figures {
    size_t cases[3];
    size_t allowed[3];
    size_t wrong;
};

/* A case, as its line gives it. */
struct fixture {
    const char *file;
    size_t line;
    struct xylem_view policy;
    struct xylem_view command;
    struct xylem_view verdict;
    struct xylem_view rule; /* empty: any */
    struct xylem_view config;
    struct xylem_buffer cwd; /* ends in NUL */
};

static bool is(struct xylem_view view, const char *text)
{
    return view.bytes == strlen(text) && memcmp(view.data, text, view.bytes) == 0;
}

static struct xylem_view member(const struct xylem_value *object, const char *key)
{
    const struct xylem_value *value = xylem_value_get(object, key);
    return !value ? (struct xylem_view){"", 0} : xylem_value_string(value);
}

static bool known_member(struct xylem_view key)
{
    static const char *const keys[] = {"policy", "command", "verdict", "reason", "cwd", "config", "rule"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (is(key, keys[i])) {
            return true;
        }
    }
    return false;
}

/* The fixture must be whole, and have nothing else in it: a misspelt key would go unseen. */
static void read_fixture(struct fixture *fixture, const struct xylem_value *object)
{
    for (const struct xylem_value *key = xylem_value_first(object); key;
         key = xylem_value_next(object, xylem_value_next(object, key))) { /* keys and values take turns */
        struct xylem_view name = xylem_value_string(key);
        if (!known_member(name)) {
            fail_msg("%s:%zu: unknown key '%.*s'", fixture->file, fixture->line, (int)name.bytes, name.data);
        }
    }
    const struct xylem_value *config = xylem_value_get(object, "config");
    fixture->policy = member(object, "policy");
    fixture->command = member(object, "command");
    fixture->verdict = member(object, "verdict");
    fixture->rule = member(object, "rule");
    fixture->config = !config ? (struct xylem_view){"", 0} : config->raw;
    if (!xylem_value_get(object, "command") || member(object, "reason").bytes == 0 ||
        !(is(fixture->verdict, "allow") || is(fixture->verdict, "ask") || is(fixture->verdict, "deny"))) {
        fail_msg("%s:%zu: no command, verdict or reason", fixture->file, fixture->line);
    }
    struct xylem_view cwd = member(object, "cwd");
    if (cwd.bytes > 0) {
        assert_int_equal(xylem_buffer_add(&fixture->cwd, cwd.data, cwd.bytes), XYLEM_OK);
        assert_int_equal(xylem_buffer_add(&fixture->cwd, "", 1), XYLEM_OK);
    }
}

static enum xylem_policy_type type_of(const struct fixture *fixture)
{
    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++) {
        if (is(fixture->policy, policies[i])) {
            return (enum xylem_policy_type)i;
        }
    }
    fail_msg("%s:%zu: no policy '%.*s'", fixture->file, fixture->line, (int)fixture->policy.bytes,
             fixture->policy.data);
    return XYLEM_POLICY_READONLY;
}

static void judge_fixture(struct fixture *fixture, struct figures *figures)
{
    enum xylem_policy_type type = type_of(fixture);
    struct xylem_policy *policy = NULL;
    struct xylem_verdict verdict = {0};
    struct xylem_error err = {0};
    if (xylem_policy_new_json(&policy, type, fixture->config, &err) != XYLEM_OK) {
        fail_msg("%s:%zu: config: %s", fixture->file, fixture->line, err.text);
    }
    assert_int_equal(xylem_policy_judge(&verdict, policy, fixture->command, fixture->cwd.data, &err), XYLEM_OK);
    const char *decision = decisions[verdict.decision];
    figures->cases[type]++;
    figures->allowed[type] += verdict.decision == XYLEM_ALLOW;
    if (!is(fixture->verdict, decision) || (fixture->rule.bytes > 0 && !is(fixture->rule, verdict.rule))) {
        figures->wrong++;
        print_message("%s:%zu: %.*s expected%s%.*s, %s (%s) found: %.*s\n    %.*s\n", fixture->file, fixture->line,
                      (int)fixture->verdict.bytes, fixture->verdict.data, fixture->rule.bytes > 0 ? " by " : "",
                      (int)fixture->rule.bytes, fixture->rule.data, decision, verdict.rule, (int)verdict.reason.bytes,
                      verdict.reason.data, (int)fixture->command.bytes, fixture->command.data);
    }
    xylem_verdict_release(&verdict);
    xylem_policy_free(policy);
}

static void judge_file(const char *path, struct figures *figures)
{
    char *text = NULL;
    size_t room = 0;
    ssize_t bytes;
    FILE *file = fopen(path, "r");
    struct fixture fixture = {.file = path};
    struct xylem_base__tree tree = {0};
    struct xylem_error err = {0};
    assert_non_null(file);
    while ((bytes = getline(&text, &room, file)) > 0) {
        struct xylem_view line = {text, (size_t)bytes};
        fixture.line++;
        if (xylem_base__json_parse(&tree, line, &err) != XYLEM_OK) {
            fail_msg("%s:%zu: %s", path, fixture.line, err.text);
        }
        read_fixture(&fixture, tree.nodes);
        judge_fixture(&fixture, figures);
        xylem_buffer_release(&fixture.cwd);
    }
    assert_true(fixture.line > 0);
    xylem_base__tree_release(&tree);
    free(text);
    assert_int_equal(fclose(file), 0);
}

TEST(every_fixture_gets_the_verdict_that_is_right)
{
    struct figures figures = {0};
    glob_t files;
    (void)state;
    assert_int_equal(glob("fixtures/policy/*.jsonl", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        judge_file(files.gl_pathv[i], &figures);
    }
    globfree(&files);
    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++) {
        print_message("figures: %s: %zu cases, %zu allowed\n", policies[i], figures.cases[i], figures.allowed[i]);
        assert_true(figures.cases[i] > 0);
    }
    assert_int_equal(figures.wrong, 0);
}
