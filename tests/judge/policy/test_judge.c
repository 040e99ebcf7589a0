/*
 * The engine under the policies, by rules of its own: the program `target` is refused, what cannot be decided is
 * refused, and all else passes. So a refusal by the rule "target" says that the engine found it, one by another rule
 * that it said that it cannot know, and none that it saw no command there.
 */

#include <pthread.h>
#include <stdio.h>

#include "judge/policy/engine/judge.h"
#include "judge/policy/words/words.h"
#include "judge/policy/engine/wrappers.h"
#include "tests/lib/policy_fixtures.h"
#include "tests/lib/test.h"
#include "tests/judge/policy/allocations.h"

#define FOUND "target"

static struct xylem_buffer names_set; /* each with a space behind it */
static struct xylem_verdict verdict;

static bool rule_command(struct xylem_policy__judge *judge, const struct xylem_policy__command *command)
{
    return !xylem_base__view_is(command->name, "target") ||
           xylem_policy__refuse(judge, command->raw, FOUND, "target runs");
}

static bool rule_redirection(struct xylem_policy__judge *judge, const struct xylem_shell__redirection *redirection)
{
    (void)judge;
    (void)redirection;
    return true;
}

static bool rule_variable(struct xylem_policy__judge *judge, struct xylem_view name, enum xylem_policy__setting setting,
                          const struct xylem_policy__command *command)
{
    static const char signs[] = "pben"; /* prefix, bare, by env, otherwise */
    (void)judge;
    assert_true((command != NULL) == (setting == XYLEM_POLICY__SET_PREFIX));
    assert_int_equal(xylem_buffer_add(&names_set, name.data, name.bytes), 0);
    assert_int_equal(xylem_buffer_add(&names_set, ":", 1), 0);
    assert_int_equal(xylem_buffer_add(&names_set, &signs[setting], 1), 0);
    assert_int_equal(xylem_buffer_add(&names_set, " ", 1), 0);
    return true;
}

static bool rule_node(struct xylem_policy__judge *judge, const struct xylem_shell__node *node)
{
    (void)judge;
    (void)node;
    return true;
}

static bool rule_undecided(struct xylem_policy__judge *judge, struct xylem_view at, const char *rule, const char *why)
{
    return xylem_policy__refuse(judge, at, rule, "%s", why);
}

static const struct xylem_policy__rules own_rules = {
    .name = "own",
    .refusal = XYLEM_DENY,
    .command = rule_command,
    .redirection = rule_redirection,
    .variable = rule_variable,
    .node = rule_node,
    .undecided = rule_undecided,
};
static const struct xylem_policy own_policy = {.rules = &own_rules};

/* The rule that refused, or "" . */
static const char *judge(const char *command)
{
    struct xylem_error err = {0};
    names_set.bytes = 0;
    assert_int_equal(xylem_policy_judge(&verdict, &own_policy, xylem_view_of(command), NULL, &err), 0);
    assert_int_equal(verdict.decision == XYLEM_ALLOW, strcmp(verdict.rule, "allowed") == 0);
    return verdict.decision == XYLEM_ALLOW ? "" : verdict.rule;
}

static void assert_rule(const char *command, const char *expected)
{
    const char *rule = judge(command);
    if (strcmp(rule, expected) != 0) {
        fail_msg("%s\n    expected '%s', found '%s': %.*s", command, expected, rule, (int)verdict.reason.bytes,
                 verdict.reason.data);
    }
}

struct row {
    const char *command;
    const char *rule;
};

static void assert_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_rule(rows[i].command, rows[i].rule);
    }
}

#define ASSERT_ROWS(rows) assert_rows(rows, sizeof rows / sizeof((rows)[0]))

/* --- The table of wrappers --------------------------------------------------------------------------------------- */

static const char *operands_of(const struct xylem_policy__wrapper *row)
{
    return row->operand_count == 1 ? " 9" : "";
}

/* The command with words between its name and the inner command. */
static const char *wrap(const struct xylem_policy__wrapper *row, const char *name, const char *option)
{
    static char text[512];
    const char *inner = " target";
    const char *behind = "";
    switch (row->wraps) {
    case XYLEM_POLICY__WRAPS_CODE:
        inner = " -c target";
        break;
    case XYLEM_POLICY__WRAPS_FIND:
        inner = " . -exec target";
        behind = " {} \\;";
        break;
    case XYLEM_POLICY__WRAPS_FD:
        inner = " -x target";
        break;
    case XYLEM_POLICY__WRAPS_PARALLEL:
        behind = " ::: a";
        break;
    default:
        break;
    }
    (void)snprintf(text, sizeof text, "%s %s%s%s%s", name, option, operands_of(row), inner, behind);
    return text;
}

/* The next name of a list of the table. */
static bool next_name(char *name, size_t bytes, const char **list)
{
    while (**list == ' ') {
        (*list)++;
    }
    size_t length = strcspn(*list, " ");
    assert_true(length < bytes);
    memcpy(name, *list, length);
    name[length] = '\0';
    *list += length;
    return length > 0;
}

/* A value that each option takes, and that names neither the command nor a program. */
static const char *value_for(const char *wrapper, const char *option)
{
    return strcmp(wrapper, "ssh") == 0 && strcmp(option, "-o") == 0 ? "BatchMode=yes" : "1";
}

/* Each spelling of an option: a value glued, behind `=`, as the next word. */
static void try_option(const struct xylem_policy__wrapper *row, const char *name, char *option)
{
    char text[128];
    size_t bytes = strlen(option);
    bool is_long = option[1] == '-';
    char takes = option[bytes - 1];
    const char *expected = FOUND;
    if (strcmp(option, "-#") == 0) {
        assert_rule(wrap(row, name, "-5"), FOUND);
        return;
    }
    if (takes != ':' && (takes != '?' || bytes == 2)) {
        assert_rule(wrap(row, name, option), expected);
        return;
    }
    option[bytes - 1] = '\0';
    const char *value = value_for(name, option);
    (void)snprintf(text, sizeof text, is_long ? "%s=%s" : "%s%s", option, value);
    assert_rule(wrap(row, name, text), expected);
    (void)snprintf(text, sizeof text, "%s %s", option, value);
    if (takes == ':') {
        assert_rule(wrap(row, name, text), expected);
    } else {
        assert_rule(wrap(row, name, option), expected);
    }
}

static void try_row(const struct xylem_policy__wrapper *row, const char *name)
{
    char option[64];
    const char *options = row->options ? row->options : "";
    if (row->wraps == XYLEM_POLICY__WRAPS_SOMEWHERE || row->wraps == XYLEM_POLICY__WRAPS_INPUT) {
        assert_rule(wrap(row, name, ""), "wrapper"); /* whatever the options are */
        return;
    }
    assert_rule(wrap(row, name, ""), FOUND);
    while (next_name(option, sizeof option, &options)) {
        try_option(row, name, option);
    }
    if (row->wraps != XYLEM_POLICY__WRAPS_FIND) {
        bool builtin = strcmp(name, "builtin") == 0 || strcmp(name, "eval") == 0 || strcmp(name, "nohup") == 0;
        assert_rule(wrap(row, name, builtin ? "-Z" : "--zzz"), "wrapper");
        assert_rule(wrap(row, name, "$X"), "wrapper");
    }
}

TEST(every_option_of_every_wrapper_is_seen_through)
{
    for (const struct xylem_policy__wrapper *row = xylem_policy__wrappers; row->names; row++) {
        char name[64];
        const char *names = row->names;
        while (next_name(name, sizeof name, &names)) {
            try_row(row, strcmp(name, "time") == 0 ? "/usr/bin/time" : name); /* else it is a reserved word */
        }
    }
}

TEST(an_option_that_looks_up_runs_nothing)
{
    for (const struct xylem_policy__wrapper *row = xylem_policy__wrappers; row->names; row++) {
        char name[64];
        char option[64];
        const char *names = row->names;
        const char *lookups = row->lookups ? row->lookups : "";
        assert_true(next_name(name, sizeof name, &names));
        while (row->wraps != XYLEM_POLICY__WRAPS_FD && next_name(option, sizeof option, &lookups)) {
            char *takes = strchr(option, ':');
            char text[80];
            (void)snprintf(text, sizeof text, "%.*s%s", (int)(!takes ? strlen(option) : (size_t)(takes - option)),
                           option, takes == NULL ? "" : " 1");
            assert_rule(wrap(row, strcmp(name, "time") == 0 ? "/usr/bin/time" : name, text), "");
        }
    }
}

TEST(wrappers_nest_up_to_the_limit)
{
    char text[512] = "";
    (void)state;
    for (unsigned i = 0; i < 4 * XYLEM_COMMAND_NESTING_MAX; i++) {
        char *end = text + strlen(text);
        (void)snprintf(end, sizeof text - (size_t)(end - text), "target");
        assert_rule(text, i <= XYLEM_COMMAND_NESTING_MAX ? FOUND : "not-decidable");
        (void)snprintf(end, sizeof text - (size_t)(end - text), "nice ");
    }
}

TEST(code_nests_up_to_the_limit)
{
    char text[1024] = "";
    (void)state;
    for (unsigned i = 0; i < 3 * XYLEM_COMMAND_NESTING_MAX; i++) {
        char *end = text + strlen(text);
        (void)snprintf(end, sizeof text - (size_t)(end - text), "target");
        const char *rule = judge(text);
        assert_true(i < XYLEM_COMMAND_NESTING_MAX ? strcmp(rule, FOUND) == 0 : verdict.decision == XYLEM_DENY);
        (void)snprintf(end, sizeof text - (size_t)(end - text), "eval ");
    }
}

/* --- Wrappers, one by one ---------------------------------------------------------------------------------------- */

TEST(shells_read_code)
{
    static const struct row rows[] = {
        {"sh -c target", FOUND},
        {"sh -ec target", FOUND},
        {"sh -ce target", FOUND},
        {"bash -c 'echo; target'", FOUND},
        {"bash -o pipefail -c target", FOUND},
        {"bash --norc -c target", FOUND},
        {"bash -c -- target", FOUND},
        {"bash -c echo target", ""}, /* $0 */
        {"bash +x -c target", "wrapper"},
        {"bash -c +x target", "wrapper"},
        {"bash -c \"$X\"", "wrapper"},
        {"bash -c", "wrapper"},
        {"bash", "wrapper"},
        {"bash -s", "wrapper"},
        {"bash -s target", "wrapper"},
        {"bash -", "wrapper"},
        {"echo target | bash", "wrapper"},
        {"bash <(echo target)", "wrapper"},
        {"bash /dev/stdin", "wrapper"},
        {"bash /dev/fd/0", "wrapper"},
        {"bash /proc/self/fd/0", "wrapper"},
        {"bash script.sh", ""},
        {"bash \"$X\"", "wrapper"},
        {"sh -c 'sh -c \"sh -c target\"'", FOUND},
        {"sh -c 'echo \"'", "not-understood"},
        {"bash --version", ""},
        {"bash --rcfile x -c target", "wrapper"},
    };
    (void)state;
    ASSERT_ROWS(rows);
}

TEST(what_runs_words_is_seen_through)
{
    static const struct row rows[] = {
        {"env A=b C=d target", FOUND},
        {"env - target", FOUND},
        {"env -i A=b target", FOUND},
        {"env -u A target", FOUND},
        {"env -S 'target x'", "wrapper"},
        {"env A=b", ""},
        {"timeout 5 target", FOUND},
        {"timeout -s KILL 5 target", FOUND},
        {"timeout target", ""},
        {"timeout 5 echo target", ""},
        {"nice -n 5 nice -5 target", FOUND},
        {"flock f target", FOUND},
        {"flock f -c target", FOUND},
        {"flock f --command target", FOUND},
        {"flock f -c target x", "wrapper"},
        {"flock f -c", "wrapper"},
        {"watch target", FOUND},
        {"watch 'echo; target'", FOUND},
        {"watch -x target", FOUND},
        {"watch echo ';' target", FOUND},
        {"watch -x echo ';' target", ""},
        {"ssh host target", FOUND},
        {"ssh host echo ';' target", FOUND},
        {"ssh host -p 5 target", FOUND},
        {"ssh host", "wrapper"},
        {"chroot /", "wrapper"},
        {"chroot --help", ""},
        {"ssh -o ProxyCommand=target host ls", "wrapper"},
        {"ssh -o BatchMode=yes host ls", ""},
        {"ssh host \"$X\"", "wrapper"},
        {"eval target", FOUND},
        {"eval 'echo; target'", FOUND},
        {"eval echo \\; target", FOUND},
        {"eval \"$X\"", "wrapper"},
        {"command target", FOUND},
        {"command -v target", ""},
        {"command -V target", ""},
        {"command -pv target", ""},
        {"command -p target", FOUND},
        {"exec -a name target", FOUND},
        {"exec >f", ""},
        {"builtin command target", FOUND},
        {"busybox target", FOUND},
        {"/usr/bin/env /opt/x/target", FOUND},
        {"chroot / target", FOUND},
        {"env $X target", "wrapper"},
        {"env \"$X\" target", "wrapper"},
        {"env A=$X target", "wrapper"},
        {"env A=\"$X\" target", FOUND},
    };
    (void)state;
    ASSERT_ROWS(rows);
}

TEST(what_appends_operands_is_seen_through)
{
    static const struct row rows[] = {
        {"ls | xargs target", FOUND},
        {"ls | xargs", ""},
        {"ls | xargs -n1 -P 4 target", FOUND},
        {"ls | xargs -I{} target {}", FOUND},
        {"ls | xargs -I X X", "not-decidable"},
        {"ls | xargs -I X echo X target", ""},
        {"ls | xargs sh -c", "wrapper"},
        {"ls | xargs -I{} sh -c 'echo {}'", "wrapper"},
        {"ls | xargs env", "wrapper"},
        {"ls | xargs -I\"$X\" echo", "wrapper"},
        {"find . -exec target {} \\;", FOUND},
        {"find . -exec target {} +", FOUND},
        {"find . -execdir target ';'", FOUND},
        {"find . -ok target {} ';'", FOUND},
        {"find . -okdir target {} ';'", FOUND},
        {"find . -exec echo {} \\; -exec target {} \\;", FOUND},
        {"find . -exec echo target \\;", ""},
        {"find . -exec sh -c target \\;", FOUND},
        {"find . -exec sh -c 'echo {}' \\;", "wrapper"},
        {"find . -exec {} \\;", "not-decidable"},
        {"find . -exec echo {}", "wrapper"},
        {"find . -exec echo + x", "wrapper"},
        {"find . -exec echo $X \\;", "wrapper"},
        {"find . -name target", ""},
        {"fd x -x target", FOUND},
        {"fd x -X target", FOUND},
        {"fd x --exec target {}", FOUND},
        {"fd x --exec-batch target", FOUND},
        {"fd x -x echo \\; -x target", FOUND},
        {"fd x -x", "wrapper"},
        {"fd -- -x target", ""},
        {"fd target", ""},
        {"parallel target ::: a", FOUND},
        {"parallel 'echo; target' ::: a", FOUND},
        {"parallel ::: target", "wrapper"},
        {"parallel {} ::: target", "wrapper"},
        {"parallel", "wrapper"},
        {"parallel -j4 echo ::: target", ""},
    };
    (void)state;
    ASSERT_ROWS(rows);
}

/* --- Builtins ---------------------------------------------------------------------------------------------------- */

static const struct row builtin_rows[] = {
    {"read 'a[$(target)]'", "arithmetic"},
    {"read -r a b", ""},
    {"read -a 'a[1]'", "arithmetic"},
    {"read \"$X\"", "builtin"},
    {"read x\"$X\"", "arithmetic"},
    {"read -Z x", "builtin"},
    {"mapfile -t a", ""},
    {"mapfile -C target -c 1 a", FOUND},
    {"mapfile -C \"$X\" a", "builtin"},
    {"mapfile 'a[0]'", "arithmetic"},
    {"readarray -C 'echo; target' a", FOUND},
    {"printf -v x %s a", ""},
    {"printf -v 'x[0]' %s a", "arithmetic"},
    {"printf -v \"$X\" %s a", "arithmetic"},
    {"printf %s 'a[0]'", ""},
    {"declare a=b", ""},
    {"declare -i a=b", "builtin"},
    {"declare -n a=b", "builtin"},
    {"declare 'a[0]=b'", "arithmetic"},
    {"local -i a", "builtin"},
    {"typeset -n a", "builtin"},
    {"export A=b", ""},
    {"export 'A[0]'", "arithmetic"},
    {"unset a", ""},
    {"unset 'a[0]'", "arithmetic"},
    {"getopts ab x", ""},
    {"getopts ab 'x[0]'", "arithmetic"},
    {"wait", ""},
    {"wait -p x", ""},
    {"wait -p 'x[0]'", "arithmetic"},
    {"test -v a", ""},
    {"test -v 'a[0]'", "arithmetic"},
    {"[ -v 'a[0]' ]", "arithmetic"},
    {"[ -R 'a[0]' ]", "arithmetic"},
    {"[ $X ]", "arithmetic"},
    {"[ \"$X\" ]", ""},
    {"[ \"$X\" 'a[0]' ]", "arithmetic"},
    {"[ $# -gt 1 ]", ""},
    {"let 1+1", ""},
    {"let a=b", "arithmetic"},
    {"let 'a[$(target)]'", "arithmetic"},
    {"trap target EXIT", FOUND},
    {"trap 'echo; target' EXIT INT", FOUND},
    {"trap - EXIT", ""},
    {"trap '' EXIT", ""},
    {"trap -p", ""},
    {"trap \"$X\" EXIT", "builtin"},
    {"alias a=target", FOUND},
    {"alias a='echo; target' b=c", FOUND},
    {"alias a", ""},
    {"alias \"$X\"", "builtin"},
    {"set -euo pipefail", ""},
    {"set -x", "builtin"},
    {"set -o xtrace", "builtin"},
    {"set -o \"$X\"", "builtin"},
    {"source f", "builtin"},
    {". f", "builtin"},
    {"shopt -s extglob", "builtin"},
    {"enable -f x y", "builtin"},
    {"bind -x a", "builtin"},
    {"complete -C target x", "builtin"},
    {"compgen -C target", "builtin"},
    {"hash -p /x y", "builtin"},
    {"hash -r", ""},
    {"jobs -x target", "builtin"},
    {"jobs -l", ""},
    {"echo $((a[0]))", "arithmetic"},
    {"echo ${!X}", "arithmetic"},
};

TEST(what_builtins_evaluate_is_judged)
{
    ASSERT_ROWS(builtin_rows);
}

static void assert_sets(const char *command, const char *expected)
{
    judge(command);
    assert_int_equal(xylem_buffer_add(&names_set, "", 1), 0);
    if (strcmp(names_set.data, expected) != 0) {
        fail_msg("%s\n    expected '%s', found '%s'", command, expected, names_set.data);
    }
}

TEST(what_sets_a_variable_is_said)
{
    assert_sets("A=b", "A:b ");
    assert_sets("A=b C+=d ls", "A:p C:p ");
    assert_sets("env A=b C=d ls", "A:e C:e ");
    assert_sets("read -r a b", "a:n b:n ");
    assert_sets("read -ra list", "list:n ");
    assert_sets("mapfile -t a", "a:n ");
    assert_sets("printf -v x y", "x:n ");
    assert_sets("declare -x A=b C", "A:n C:n ");
    assert_sets("export A=b", "A:e ");
    assert_sets("readonly A+=b", "A:n ");
    assert_sets("getopts ab x", "x:n ");
    assert_sets("wait -p x", "x:n ");
    assert_sets("for x in a; do :; done", "x:n ");
    assert_sets("select x in a; do :; done", "x:n ");
    assert_sets("echo ${x:=y} ${z=y} ${w:-y}", "x:n z:n ");
    assert_sets("echo {fd}>f {fd}<f", "fd:n fd:n ");
    assert_sets("echo A=b", "");
    assert_sets("unset A", "A:n ");
    assert_sets("sh -c 'A=b'", "A:b ");
    assert_sets("A=(x y)", "A:b ");
}

/* --- Where git runs ---------------------------------------------------------------------------------------------- */

static struct xylem_policy *readonly;

/* Each command that may be one holds more of them: all of these readings would be 2 to the power of 64. */
TEST(what_may_be_a_command_is_guessed_a_few_times_alone)
{
    char text[1024] = "";
    (void)state;
    for (unsigned i = 0; i < 64; i++) {
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "npx --unknown ");
    }
    size_t bytes = strlen(text);
    (void)snprintf(text + bytes, sizeof text - bytes, "ls");
    assert_int_equal(xylem_policy_judge(&verdict, readonly, xylem_view_of(text), NULL, NULL), 0);
    assert_int_equal(verdict.decision, XYLEM_ALLOW);
    assert_true(verdict.judged_count < 1024);
    (void)snprintf(text + bytes, sizeof text - bytes, "rm x");
    assert_int_equal(xylem_policy_judge(&verdict, readonly, xylem_view_of(text), NULL, NULL), 0);
    assert_int_equal(verdict.decision, XYLEM_DENY);
}

/* The directories, each with a space behind it, and `?` if one is not known. */
static void assert_git_runs(const char *command, const char *cwd, const char *expected)
{
    struct xylem_buffer found = {0};
    struct xylem_error err = {0};
    assert_int_equal(xylem_policy_judge(&verdict, readonly, xylem_view_of(command), cwd, &err), 0);
    for (size_t i = 0; i < verdict.git_directory_count; i++) {
        struct xylem_buffer *directory = &verdict.git_directories[i];
        assert_int_equal(xylem_buffer_add(&found, directory->data, directory->bytes), 0);
        assert_int_equal(xylem_buffer_add(&found, " ", 1), 0);
    }
    assert_int_equal(xylem_buffer_add(&found, "?", verdict.git_directory_unknown ? 2 : 0), 0);
    assert_int_equal(xylem_buffer_add(&found, "", 1), 0);
    if (strcmp(found.data, expected) != 0) {
        fail_msg("%s\n    expected '%s', found '%s'", command, expected, found.data);
    }
    xylem_buffer_release(&found);
}

/* Six names of a thousand characters: the fifth leads behind the longest path. */
TEST(a_directory_whose_path_is_too_long_is_not_known)
{
    char name[1001];
    char command[8192] = "";
    (void)state;
    memset(name, 'd', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    for (int i = 0; i < 6; i++) {
        (void)snprintf(command + strlen(command), sizeof command - strlen(command), "cd %s && ", name);
    }
    (void)snprintf(command + strlen(command), sizeof command - strlen(command), "git status");
    assert_git_runs(command, "/w", "?");
}

TEST(where_git_runs_is_followed)
{
    static const struct row rows[] = {
        {"ls", ""},
        {"git status", "/w "},
        {"git -C a status", "/w/a "},
        {"git -C a -C b status", "/w/a/b "},
        {"git -C /x status", "/x "},
        {"git -C \"$X\" status", "?"},
        {"cd a && git status", "/w/a "},
        {"cd /x && git status", "/x "},
        {"cd a; git status", "/w/a /w "},
        {"cd a || git status", "/w/a /w "},
        {"cd a || exit; git status", "/w/a /w "},
        {"cd a && cd b && git status", "/w/a/b "},
        {"cd a && ls || ls; git status", "/w/a /w "},
        {"! cd a && git status", "/w/a /w "},
        {"(cd a && git status); git log", "/w/a /w "},
        {"(cd a); git status", "/w "},
        {"{ cd a; } && git status", "/w/a /w "},
        {"cd a | git status", "/w "},
        {"cd a & git status", "/w "},
        {"echo $(cd a && git status); git log", "/w/a /w "},
        {"cd \"$X\" && git status", "?"},
        {"cd && git status", "?"},
        {"cd - && git status", "?"},
        {"cd -- a && git status", "/w/a "},
        {"cd -P a && git status", "/w/a "},
        {"cd -Z a && git status", "?"},
        {"pushd a && git status", "/w/a "},
        {"pushd +1 && git status", "?"},
        {"pushd a && popd && git status", "?"},
        {"for x in 1 2; do cd a; done; git status", "/w ?"},
        {"while ls; do git status; cd ..; done", "?"},
        {"for x in 1 2; do git status; done", "/w "},
        {"f() { cd a; }; f; git status", "/w ?"},
        {"eval 'cd a'; git status", "/w ?"},
        {"sh -c 'cd a && git status'; git log", "/w/a /w "},
        {"sh -c 'cd a'; git status", "/w "},
        {"env -C a git status", "/w/a "},
        {"find . -execdir git status \\;", "?"},
        {"git --git-dir x status", "?"},
        {"git --work-tree /x -C /y status", "?"},
        {"flock -w 5 f git status", "/w "},
        {"env -C a git status", "/w/a "},
        {"unshare -R /r -w /x git status", "?"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_git_runs(rows[i].command, "/w", rows[i].rule);
    }
    assert_git_runs("git status", NULL, ". ");
    assert_git_runs("cd a && git status", NULL, "a ");
    assert_git_runs("cd /a && git status", NULL, "/a ");
}

/* --- Where it stands --------------------------------------------------------------------------------------------- */

static void assert_at(const char *command, const char *expected)
{
    assert_rule(command, FOUND);
    if (verdict.bytes != strlen(expected) || memcmp(command + verdict.offset, expected, verdict.bytes) != 0) {
        fail_msg("%s\n    expected '%s', found '%.*s'", command, expected, (int)verdict.bytes,
                 command + verdict.offset);
    }
}

TEST(the_span_is_what_decided)
{
    assert_at("target", "target");
    assert_at("  target x  ", "target x");
    assert_at("ls; target x >f; ls", "target x >f");
    assert_at("ls | target x | ls", "target x");
    assert_at("A=b target", "A=b target");
    assert_at("echo $(ls; target x)", "target x");
    assert_at("echo \"a $(target x) b\"", "target x");
    assert_at("env A=b target x", "target x");
    assert_at("nice nice target x y", "target x y");
    assert_at("find . -exec target x {} \\; -print", "target x {}");
    assert_at("cat <<E\n$(target x)\nE\n", "target x");
    assert_at("echo `target x`", "target x");
    assert_at("echo `ls; target x`", "ls; target x");
    assert_at("echo `echo \\`target\\``", "echo \\`target\\`");
    assert_at("sh -c 'target x'", "'target x'");
    assert_at("sh -c 'sh -c \"target x\"'", "'sh -c \"target x\"'");
    assert_at("echo `sh -c 'target'`", "sh -c 'target'");
    assert_at("eval echo \\; target", "echo \\; target");
}

TEST(a_record_knows_the_redirections_and_variables_of_its_command)
{
    static const struct {
        const char *command;
        const char *rules;
    } rows[] = {
        {"ls x; ls", "allowed allowed "},
        {"ls >f; ls", "redirection allowed "},
        {"ls; ls <(ls >f) 2>/dev/null", "allowed redirection allowed "},
        {"PATH=/x ls; CI=b ls", "environment allowed "},
        {"PATH=/x; ls", "allowed "},
        {"PATH=/x ls >f", "environment "},
        {"nosuch >f", "program "},
        {"{ ls; } >f", "allowed "},
        {"env ls >f", "redirection allowed "},
    };
    struct xylem_policy *strict = NULL;

    (void)state;
    assert_int_equal(xylem_policy_new_json(&strict, XYLEM_POLICY_STRICT, xylem_view_of(""), NULL), 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char found[256] = "";
        assert_int_equal(xylem_policy_judge(&verdict, strict, xylem_view_of(rows[i].command), NULL, NULL), 0);
        for (size_t record = 0; record < verdict.judged_count; record++) {
            const struct xylem_judged *judged = &verdict.judged[record];
            assert_int_equal(judged->decision == XYLEM_ALLOW, strcmp(judged->rule, "allowed") == 0);
            strncat(found, judged->rule, 60);
            strcat(found, " ");
        }
        assert_string_equal(found, rows[i].rules);
    }
    xylem_policy_free(strict);
}

static void assert_passes_saying(const struct xylem_policy *policy, const char *command, const char *expected)
{
    assert_int_equal(xylem_policy_judge(&verdict, policy, xylem_view_of(command), NULL, NULL), 0);
    assert_int_equal(verdict.decision, XYLEM_ALLOW);
    assert_int_equal(verdict.reason.bytes, strlen(expected));
    assert_memory_equal(verdict.reason.data, expected, strlen(expected));
}

TEST(what_passes_without_being_read_is_said_to)
{
    struct xylem_policy *policy = NULL;
    (void)state;
    assert_int_equal(xylem_policy_new_json(&policy, XYLEM_POLICY_READONLY, xylem_view_of(""), NULL), 0);
    assert_passes_saying(policy, "ls 'x", "nothing in it is refused, as far as it can be read");
    assert_passes_saying(policy, "$X y", "nothing in it is refused, as far as it can be read");
    assert_passes_saying(policy, "ls 'x'", "nothing in it is refused");
    xylem_policy_free(policy);
}

/* A model reads the reason, and writes the command anew. */
TEST(a_reason_says_what_to_do_instead)
{
    static const struct {
        enum xylem_policy_type type;
        const char *command;
        const char *advice;
        const char *named;
    } rows[] = {
        {XYLEM_POLICY_STRICT, "git log $x", "write the word out", ""},
        {XYLEM_POLICY_STRICT, "git $x", "write the subcommand of git out", ""},
        {XYLEM_POLICY_STRICT, "git --foo status", "leave out --foo of git", ""},
        {XYLEM_POLICY_STRICT, "git log --foo", "leave out --foo", "git log"},
        {XYLEM_POLICY_STRICT, "git log --format=\"$x\"", "write the format out", ""},
        {XYLEM_POLICY_STRICT, "git log --author -x", "write --author and its value as one word", "git log"},
        {XYLEM_POLICY_STRICT, "ls | xargs git log", "write the words of git out", "xargs"},
        {XYLEM_POLICY_STRICT, "ls | xargs tree", "write the words of tree out", "xargs"},
        {XYLEM_POLICY_STRICT, "$x y", "write the program's name out", ""},
        {XYLEM_POLICY_READONLY, "x=rm; $x y", "write the program's name out", "'rm'"},
        {XYLEM_POLICY_READONLY, "sh -c \"rm $x\"", "write the code out", "'rm'"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct xylem_policy *policy = NULL;
        assert_int_equal(xylem_policy_new_json(&policy, rows[i].type, xylem_view_of(""), NULL), 0);
        assert_int_equal(xylem_policy_judge(&verdict, policy, xylem_view_of(rows[i].command), NULL, NULL), 0);
        assert_non_null(strstr(verdict.reason.data, rows[i].advice));
        assert_non_null(strstr(verdict.reason.data, rows[i].named));
        xylem_policy_free(policy);
    }
}

TEST(each_command_has_a_record)
{
    static const struct {
        const char *name;
        uint32_t depth;
        enum xylem_decision decision;
    } expected[] = {
        {"ls", 1, XYLEM_ALLOW}, {"echo", 0, XYLEM_ALLOW}, {"env", 0, XYLEM_ALLOW}, {"target", 1, XYLEM_DENY},
        {"", 0, XYLEM_DENY},    {"sh", 0, XYLEM_ALLOW},   {"pwd", 1, XYLEM_ALLOW},
    };
    const size_t count = sizeof expected / sizeof expected[0];
    const char *command = "echo $(ls); env target; $X; sh -c pwd";

    (void)state;
    assert_rule(command, FOUND);
    assert_int_equal(verdict.judged_count, count);
    for (size_t i = 0; i < count; i++) {
        const struct xylem_judged *judged = &verdict.judged[i];
        assert_int_equal(judged->name.bytes, strlen(expected[i].name));
        assert_int_equal(judged->name.bytes == 0 ? 0 : memcmp(judged->name.data, expected[i].name, judged->name.bytes),
                         0);
        assert_int_equal(judged->depth, expected[i].depth);
        assert_int_equal(judged->decision, expected[i].decision);
        assert_true(judged->bytes > 0 && judged->offset + judged->bytes <= strlen(command));
    }
}

/* --- Calls ------------------------------------------------------------------------------------------------------- */

TEST(one_verdict_serves_many_judgements)
{
    for (int i = 0; i < 3; i++) {
        assert_rule("target a b; echo $(ls)", FOUND);
        assert_int_equal(verdict.judged_count, 3);
        assert_rule("ls", "");
        assert_int_equal(verdict.judged_count, 1);
        assert_int_equal(verdict.bytes, 0);
        assert_git_runs("git status; git -C a log", "/w", "/w /w/a ");
        assert_git_runs("git -C \"$X\" log", "/w", "?");
        assert_git_runs("ls", "/w", "");
    }
    xylem_verdict_release(&verdict);
    xylem_verdict_release(&verdict);
    xylem_verdict_release(NULL);
}

static void assert_no_policy(const struct xylem_policy_config *config, const char *expected)
{
    struct xylem_policy *policy = NULL;
    struct xylem_error err = {0};
    assert_int_equal(xylem_policy_new(&policy, config, &err), XYLEM_E_ARGUMENT);
    assert_null(policy);
    assert_non_null(strstr(err.text, expected));
    assert_int_equal(xylem_policy_new(&policy, config, NULL), XYLEM_E_ARGUMENT);
}

TEST(a_policy_that_cannot_be_is_refused)
{
    static const char *const empty_name[] = {"ls", ""};
    static const char *const missing_name[] = {NULL};
    static const char *const relative[] = {"bin"};
    static const char *const upwards[] = {"/usr/../bin"};
    struct xylem_error err = {0};
    (void)state;
    assert_int_equal(xylem_policy_new(NULL, NULL, &err), XYLEM_E_ARGUMENT);
    assert_no_policy(&(struct xylem_policy_config){.type = (enum xylem_policy_type)3}, "found 3");
    assert_no_policy(&(struct xylem_policy_config){.type = (enum xylem_policy_type) - 1}, "found -1");
    assert_no_policy(&(struct xylem_policy_config){.git_local_writes = true},
                     "belong to the policy 'strict', not to 'readonly'");
    assert_no_policy(&(struct xylem_policy_config){.type = XYLEM_POLICY_CONFIRM, .allow_output_redirections = true},
                     "belong to the policy 'strict', not to 'confirm'");
    assert_no_policy(&(struct xylem_policy_config){.type = XYLEM_POLICY_CONFIRM, .allowed_commands = empty_name},
                     "belong to the policy 'strict', not to 'confirm'");
    assert_no_policy(&(struct xylem_policy_config){.type = XYLEM_POLICY_STRICT, .temp_writes = "/tmp"},
                     "takes no temp_writes");
    assert_no_policy(&(struct xylem_policy_config){.temp_writes = "tmp"}, "expected an absolute path");
    assert_no_policy(&(struct xylem_policy_config){.temp_writes = "/tmp/../etc"}, "expected an absolute path");
    assert_no_policy(&(struct xylem_policy_config){.temp_writes = "/tmp/.."}, "expected an absolute path");
    assert_no_policy(&(struct xylem_policy_config){.temp_writes = "/"}, "a directory below /");
    assert_no_policy(&(struct xylem_policy_config){.temp_writes = "//./"}, "a directory below /");
    assert_no_policy(&(struct xylem_policy_config){.type = XYLEM_POLICY_STRICT, .allowed_command_count = 1},
                     "allowed_commands: a list of 1 names is NULL");
    assert_no_policy(&(struct xylem_policy_config){.type = XYLEM_POLICY_STRICT,
                                                   .allowed_commands = empty_name,
                                                   .allowed_command_count = 2},
                     "allowed_commands: name 2 is empty");
    assert_no_policy(&(struct xylem_policy_config){.type = XYLEM_POLICY_STRICT,
                                                   .wrapper_commands = missing_name,
                                                   .wrapper_command_count = 1},
                     "wrapper_commands: name 1 is empty");
    assert_no_policy(&(struct xylem_policy_config){.type = XYLEM_POLICY_STRICT,
                                                   .git_readonly_subcommands = missing_name,
                                                   .git_readonly_subcommand_count = 1},
                     "git_readonly_subcommands: name 1 is empty");
    assert_no_policy(&(struct xylem_policy_config){.type = XYLEM_POLICY_STRICT,
                                                   .command_directories = relative,
                                                   .command_directory_count = 1},
                     "command_directories: expected an absolute path");
    assert_no_policy(&(struct xylem_policy_config){.type = XYLEM_POLICY_STRICT,
                                                   .command_directories = upwards,
                                                   .command_directory_count = 1},
                     "command_directories: expected an absolute path");
    xylem_policy_free(NULL);
}

TEST(a_wrong_call_is_an_error)
{
    struct xylem_error err = {0};
    struct xylem_view ls = xylem_view_of("ls");
    (void)state;
    assert_int_equal(xylem_policy_judge(NULL, readonly, ls, NULL, &err), XYLEM_E_ARGUMENT);
    verdict.decision = XYLEM_ALLOW;
    assert_int_equal(xylem_policy_judge(&verdict, NULL, ls, NULL, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(verdict.decision, XYLEM_DENY);
    verdict.decision = XYLEM_ALLOW;
    assert_int_equal(xylem_policy_judge(&verdict, readonly, (struct xylem_view){NULL, 1}, NULL, &err),
                     XYLEM_E_ARGUMENT);
    assert_int_equal(verdict.decision, XYLEM_DENY);
    verdict.decision = XYLEM_ALLOW;
    assert_int_equal(xylem_policy_judge(&verdict, readonly, ls, "relative", &err), XYLEM_E_ARGUMENT);
    assert_int_equal(verdict.decision, XYLEM_DENY);
    assert_non_null(strstr(err.text, "expected an absolute path, found 'relative'"));
    assert_int_equal(xylem_policy_judge(&verdict, readonly, (struct xylem_view){NULL, 0}, NULL, NULL), 0);
    assert_int_equal(verdict.decision, XYLEM_ALLOW);
}

/* --- Many threads, no memory ------------------------------------------------------------------------------------- */

static struct policy_fixtures fixtures;
static enum xylem_decision *alone; /* what one thread says, by fixture */

static void *judge_all(void *context)
{
    struct xylem_verdict own = {0};
    size_t *differences = context;
    for (size_t i = 0; i < fixtures.count; i += 3) {
        const struct policy_fixture *fixture = &fixtures.list[i];
        int code = xylem_policy_judge(&own, fixture->policy, fixture->command, fixture->cwd, NULL);
        *differences += code != 0 || own.decision != alone[i];
    }
    xylem_verdict_release(&own);
    return NULL;
}

TEST(many_threads_judge_by_one_policy)
{
    pthread_t threads[8];
    size_t differences[8] = {0};
    (void)state;
    alone = calloc(fixtures.count, sizeof *alone);
    assert_non_null(alone);
    for (size_t i = 0; i < fixtures.count; i++) {
        const struct policy_fixture *fixture = &fixtures.list[i];
        assert_int_equal(xylem_policy_judge(&verdict, fixture->policy, fixture->command, fixture->cwd, NULL), 0);
        alone[i] = verdict.decision;
    }
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, judge_all, &differences[i]), 0);
    }
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(differences[i], 0);
    }
    free(alone);
}

/* Every allocation fails once, or all from it on do. */
static void fail_each_allocation(const struct policy_fixture *fixture)
{
    size_t call_count = 1;
    for (size_t i = 0; i <= 2 * call_count; i++) {
        struct xylem_verdict own = {.decision = XYLEM_ALLOW};
        struct xylem_error err = {0};
        allocations_begin(i <= call_count ? i : i - call_count);
        allocations.goes_on = i > call_count;
        int code = xylem_policy_judge(&own, fixture->policy, fixture->command, fixture->cwd, &err);
        if (i == 0) {
            assert_int_equal(code, 0);
            call_count = allocations.calls;
        } else {
            if (code != XYLEM_E_MEMORY || own.decision != XYLEM_DENY) {
                fail_msg("%s: allocation %zu of %zu failed, and the code is %d", fixture->place, i, call_count, code);
            }
            assert_string_equal(err.text, "out of memory");
            assert_int_equal(own.judged_count + own.git_directory_count, 0);
        }
        xylem_verdict_release(&own);
        assert_int_equal(allocations.live_count, 0);
        allocations.armed = false;
    }
}

TEST(without_memory_the_verdict_refuses)
{
    size_t step = getenv("XYLEM_TORTURE") ? 1 : 68 / test_rounds(4);
    (void)state;
    for (size_t i = 0; i < fixtures.count; i += step) {
        fail_each_allocation(&fixtures.list[i]);
    }
}

TEST(without_memory_there_is_no_policy)
{
    static const char *const names[] = {"one", "two"};
    const struct xylem_policy_config configs[] = {
        {.temp_writes = "/tmp"},
        {.type = XYLEM_POLICY_STRICT,
         .allowed_commands = names,
         .allowed_command_count = 2,
         .git_readonly_subcommands = names,
         .git_readonly_subcommand_count = 1},
    };
    (void)state;
    for (size_t c = 0; c < 2; c++) {
        size_t call_count = 1;
        for (size_t i = 0; i <= call_count; i++) {
            struct xylem_policy *policy = NULL;
            struct xylem_error err = {0};
            allocations_begin(i);
            int code = xylem_policy_new(&policy, &configs[c], &err);
            call_count = i == 0 ? allocations.calls : call_count;
            assert_int_equal(code, i == 0 ? 0 : XYLEM_E_MEMORY);
            assert_true((policy != NULL) == (i == 0));
            xylem_policy_free(policy);
            assert_int_equal(allocations.live_count, 0);
            allocations.armed = false;
        }
        assert_true(call_count > 1);
    }
}

static int make_policy(void **state)
{
    (void)state;
    policy_fixtures_read(&fixtures);
    return xylem_policy_new(&readonly, NULL, NULL);
}

static int free_policy(void **state)
{
    (void)state;
    xylem_policy_free(readonly);
    xylem_verdict_release(&verdict);
    xylem_buffer_release(&names_set);
    policy_fixtures_release(&fixtures);
    return 0;
}

TEST_FILE(make_policy, free_policy)
