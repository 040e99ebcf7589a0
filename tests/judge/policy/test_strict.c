/* The strict policy: what is proven to read only is allowed, and everything else is asked about. */
#include "tests/lib/test.h"
#include "tests/lib/verdicts.h"

#include "judge/policy/engine/environment.h"
#include "judge/policy/rules/strict.h"

static const struct xylem_policy_config STRICT = {.type = XYLEM_POLICY_STRICT};

#define CHECK(config, examples) check_verdicts(&(config), examples, sizeof examples / sizeof *(examples))

static const struct example proven_examples[] = {
    {"env NO_COLOR=1 ls", XYLEM_ALLOW},
    {"env FOO=1 ls", XYLEM_ASK},
    {"env PATH=. ls", XYLEM_ASK},
    {"env HOME=/x ls", XYLEM_ASK},
    {"nohup ls", XYLEM_ASK},
    {"timeout 5 ls", XYLEM_ALLOW},
    {"timeout 5 make", XYLEM_ASK},
    {"set -euo pipefail; ls", XYLEM_ALLOW},
    {"set -e -o pipefail", XYLEM_ALLOW},
    {"set +e", XYLEM_ALLOW},
    {"set -x", XYLEM_ASK},
    {"set -o xtrace", XYLEM_ASK},
    {"set -o posix", XYLEM_ASK},
    {"set -k", XYLEM_ASK},
    {"set -a", XYLEM_ASK},
    {"set", XYLEM_ALLOW},
    {"set -- a \"$b\"", XYLEM_ALLOW},
    {"set $x", XYLEM_ASK},
    {"ls & wait $!", XYLEM_ALLOW},
    {"OPTIND=1 ls", XYLEM_ASK},
    {"RANDOM=1", XYLEM_ASK},
    {"POSIXLY_CORRECT=1 uniq a -c", XYLEM_ASK},
    {"TMPDIR=/x sort f", XYLEM_ASK},
    {"LC_ALL=C sort f", XYLEM_ALLOW},
    {"./set -e", XYLEM_ASK},
    {"/bin/set -e", XYLEM_ASK},
    {"./ls", XYLEM_ASK},
    {"/usr/bin/../bin/ls", XYLEM_ASK},
    {"/usr/bin//ls", XYLEM_ASK},
    {"/usr/bin/ls", XYLEM_ALLOW},
    {"exec 3<>/dev/tcp/a/1", XYLEM_ASK},
    {"cat < /dev/tcp/a/80", XYLEM_ASK},
    {"cat < /dev/tcp/\"$x\"", XYLEM_ASK},
    {"cat < /dev/\"$x\"", XYLEM_ASK},
    {"cat < \"$f\"", XYLEM_ASK},
    {"f=a; cat < \"$f\"", XYLEM_ALLOW},
    {"cat <&$x", XYLEM_ASK},
    {"ls 2>&1 >/dev/null", XYLEM_ALLOW},
    {"ls > f", XYLEM_ASK},
    {"ls >> \"$f\"", XYLEM_ASK},
    {"ls <> f", XYLEM_ASK},
    {"cat <<< x", XYLEM_ALLOW},
    {"f() { ls; }; f", XYLEM_ASK},
    {"coproc ls", XYLEM_ASK},
    {":", XYLEM_ALLOW},
    {"\"\"", XYLEM_ASK},
    {"ls | xargs grep x", XYLEM_ALLOW},
    {"", XYLEM_ALLOW},
    {"  # rm x", XYLEM_ALLOW},
    {"FOO=bar", XYLEM_ALLOW},
    {"env TERM=dumb", XYLEM_ALLOW},
    {"xargs", XYLEM_ALLOW},
    {"command -v git", XYLEM_ALLOW},
    {"command -v \"$x\"", XYLEM_ALLOW},
    {"command \"$x\"", XYLEM_ASK},
    {"ls | xargs --process-slot-var=N grep x", XYLEM_ASK},
    {"ls | xargs --process-slot-var=PATH grep x", XYLEM_ASK},
    {"cd x && ls", XYLEM_ALLOW},
    {"if [ -f x ]; then cat x; fi", XYLEM_ALLOW},
    {"while IFS= read -r l; do echo \"$l\"; done < f", XYLEM_ALLOW},
    {"IFS= ls", XYLEM_ASK},
    {"IFS=", XYLEM_ASK},
    {"IFS= command read x", XYLEM_ASK},
    {"[[ -n $x ]] && case $x in a) ls;; esac", XYLEM_ALLOW},
    {"$x", XYLEM_ASK},
    {"r[m] x", XYLEM_ASK},
    {"rm x", XYLEM_ASK},
    {"exit 1", XYLEM_ALLOW},
    {"export X=1", XYLEM_ASK},
    {"wait -p 'a[$(rm x)]'", XYLEM_ASK},
    {"set -o nounset -e", XYLEM_ALLOW},
    {"set -o", XYLEM_ASK},
    {"set -eo history", XYLEM_ASK},
    {"set +o pipefail", XYLEM_ALLOW},
    {"set -o \"$x\"", XYLEM_ASK},
    {"set a b", XYLEM_ASK},
    {"set -", XYLEM_ASK},
    {"/usr/bin/bash -c ls", XYLEM_ASK},
    {"/opt/bin/ls", XYLEM_ASK},
    {"/usr/local/bin/rg x", XYLEM_ALLOW},
    {"/bin/", XYLEM_ASK},
    {"/ls", XYLEM_ASK},
};

/* zsh reads the whole word behind >& as a file, where bash reads a dash. A blank between makes another command of it. */
static const struct example glued_examples[] = {
    {"ls >&-x", XYLEM_ASK},      {"ls >&- x", XYLEM_ALLOW}, {"echo a >&--", XYLEM_ASK}, {"ls >&-'x'", XYLEM_ASK},
    {"ls 2>&-$x", XYLEM_ASK},    {"ls >& -x", XYLEM_ASK},   {"ls >&-", XYLEM_ALLOW},    {"(ls >&-)", XYLEM_ALLOW},
    {"ls >&-|cat", XYLEM_ALLOW}, {"ls 2>&1-", XYLEM_ASK},   {"ls >&-\\\nx", XYLEM_ASK}, {"ls >&-;ls", XYLEM_ALLOW},
};

TEST(what_zsh_writes_behind_a_duplication_is_asked_about)
{
    CHECK(STRICT, glued_examples);
}

TEST(only_what_is_proven_to_read_is_allowed)
{
    CHECK(STRICT, proven_examples);
}

TEST(all_commands_of_the_list_are_allowed)
{
    char name[32];
    (void)state;
    for (const char *at = xylem_policy__strict_commands; *at != '\0';) {
        size_t bytes = strcspn(at, " ");
        assert_true(bytes < sizeof name);
        memcpy(name, at, bytes);
        name[bytes] = '\0';
        const struct example example[] = {{name, XYLEM_ALLOW}};
        CHECK(STRICT, example);
        at += bytes + (at[bytes] == ' ');
    }
}

TEST(what_is_never_approved_is_asked_about_whatever_is_configured)
{
    static const char *const ALLOWED[] = {"bash", "python3", "make", "git", "sort", "sudo"};
    static const char *const WRAPPERS[] = {"sudo", "timeout", "flock", "wrap"};
    static const char *const DIRECTORIES[] = {"/opt/bin"};
    const struct xylem_policy_config config = {.type = XYLEM_POLICY_STRICT,
                                               .allowed_commands = ALLOWED,
                                               .allowed_command_count = 6,
                                               .wrapper_commands = WRAPPERS,
                                               .wrapper_command_count = 4,
                                               .command_directories = DIRECTORIES,
                                               .command_directory_count = 1};
    static const struct example EXAMPLES[] = {
        {"bash -c ls", XYLEM_ASK},      {"python3 x.py", XYLEM_ASK},    {"sudo make", XYLEM_ASK},
        {"make", XYLEM_ALLOW},          {"/opt/bin/make", XYLEM_ALLOW}, {"/opt/bin/../bin/make", XYLEM_ASK},
        {"/opt/bin/x/make", XYLEM_ASK}, {"opt/bin/make", XYLEM_ASK},    {"timeout 5 make", XYLEM_ALLOW},
        {"wrap make", XYLEM_ASK},       {"timeout 5 ls", XYLEM_ASK},    {"env make", XYLEM_ASK},
        {"git push", XYLEM_ASK},        {"git status", XYLEM_ALLOW},    {"sort f", XYLEM_ALLOW},
        {"sort -o f", XYLEM_ASK},       {"find .", XYLEM_ASK},          {"ls", XYLEM_ASK},
    };
    (void)state;
    CHECK(config, EXAMPLES);
}

TEST(an_empty_list_allows_no_command)
{
    static const char *const NONE[] = {NULL};
    const struct xylem_policy_config config = {.type = XYLEM_POLICY_STRICT, .allowed_commands = NONE};
    static const struct example EXAMPLES[] = {{"ls", XYLEM_ASK}, {"git log", XYLEM_ALLOW}, {"x=1", XYLEM_ALLOW}};
    (void)state;
    CHECK(config, EXAMPLES);
}

TEST(output_redirections_may_be_allowed_but_for_connections)
{
    const struct xylem_policy_config config = {.type = XYLEM_POLICY_STRICT, .allow_output_redirections = true};
    static const struct example EXAMPLES[] = {
        {"ls > f", XYLEM_ALLOW},
        {"f=a; ls >> \"$f\"", XYLEM_ALLOW},
        {"ls >> \"$f\"", XYLEM_ASK},
        {"ls <> f", XYLEM_ALLOW},
        {"> f", XYLEM_ALLOW},
        {"ls > /dev/tcp/h/1", XYLEM_ASK},
        {"ls > /dev/\"$x\"", XYLEM_ASK},
        {"cat < /dev/udp/h/1", XYLEM_ASK},
        {"cat <&$x", XYLEM_ASK},
        {"rm x > f", XYLEM_ASK},
        {"ls >& f", XYLEM_ALLOW},
        {"f=a; ls >& \"$f\"", XYLEM_ASK}, /* bash expands the value, too */
        {"ls >& 'a$(id)'", XYLEM_ASK},
    };
    (void)state;
    CHECK(config, EXAMPLES);
}

TEST(local_writes_of_git_are_a_flag)
{
    const struct xylem_policy_config config = {.type = XYLEM_POLICY_STRICT, .git_local_writes = true};
    static const struct example BRANCH[] = {{"git branch x", XYLEM_ALLOW}, {"git push", XYLEM_ASK}};
    static const struct example NONE[] = {{"git branch x", XYLEM_ASK}, {"git log", XYLEM_ALLOW}};
    (void)state;
    CHECK(config, BRANCH);
    CHECK(STRICT, NONE);
}

TEST(each_refusal_names_its_rule)
{
    static const struct {
        const char *command;
        const char *rule;
    } EXAMPLES[] = {
        {"ls", "allowed"},
        {"rm x", "program"},
        {"$x", "not-decidable"},
        {"./ls", "foreign-path"},
        {"sh -c ls", "interpreter"},
        {"ls > f", "redirection"},
        {"cat < /dev/tcp/a/1", "network-redirection"},
        {"PATH=. ls", "environment"},
        {"f() { ls; }", "function"},
        {"coproc ls", "coproc"},
        {"git push", "git"},
        {"cat <&$x", "redirection"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof EXAMPLES / sizeof *EXAMPLES; i++) {
        assert_string_equal(rule_of(&STRICT, EXAMPLES[i].command), EXAMPLES[i].rule);
    }
}

TEST(the_shells_own_variables_are_told_apart_by_name)
{
    static const char *const ASKED[] = {
        "PATH",       "ENV",           "BASH_ENV",    "LD_PRELOAD",  "GIT_DIR",         "PAGER",
        "GIT_PAGER",  "XPAGER",        "LESS",        "LESSOPEN",    "MANPATH",         "EDITOR",
        "IFS",        "HOME",          "OPTIND",      "RANDOM",      "TMPDIR",          "POSIXLY_CORRECT",
        "PYTHONPATH", "NODE_PATH",     "SSH_ASKPASS", "GIT_EDITOR",  "XDG_CONFIG_HOME", "MORE",
        "LANGUAGE",   "TEXTDOMAINDIR", "path",        "READNULLCMD", "MODULE_PATH",     "TMPPREFIX"};
    static const char *const HARMLESS[] = {"FOO",    "PATHS", "Path", "MYPATH", "NO_COLOR", "BASH",
                                           "PAGERS", "LD",    "GIT",  "DEBUG",  "CI",       "REPLY"};
    (void)state;
    for (size_t i = 0; i < sizeof ASKED / sizeof *ASKED; i++) {
        assert_non_null(xylem_policy__environment(xylem_view_of(ASKED[i]), NULL, false));
    }
    for (size_t i = 0; i < sizeof HARMLESS / sizeof *HARMLESS; i++) {
        if (xylem_policy__environment(xylem_view_of(HARMLESS[i]), NULL, false)) {
            fail_msg("%s", HARMLESS[i]);
        }
    }
}

TEST(only_listed_variables_with_their_values_go_into_an_environment)
{
    static const struct {
        const char *name;
        const char *value;
        bool allowed;
    } CASES[] = {
        {"LC_ALL", "", true},
        {"LC_ALL", "C", true},
        {"LANG", "POSIX", true},
        {"LC_ALL", "en_US", true},
        {"LC_TIME", "C.UTF-8", true},
        {"LC_ALL", "de_DE.utf8", true},
        {"LC_ALL", "ja_JP.SJIS", false},
        {"LC_ALL", "zh_TW.BIG5", false},
        {"LANG", "zh_TW", false},
        {"LC_ALL", "zh_CN.GBK", false},
        {"LC_TIME", "de_DE", false},
        {"LC_ALL", "UTF-8", false},
        {"LC_MESSAGES", "../x.UTF-8", false},
        {"LC_PAPER", "/x.UTF-8", false},
        {"TZ", "UTC", true},
        {"TZ", "America/New_York", true},
        {"TZ", "Etc/GMT+5", true},
        {"TZ", "", true},
        {"TZ", ":/tmp/x", false},
        {"TZ", "/tmp/x", false},
        {"TZ", "../x", false},
        {"TZ", "a/../../x", false},
        {"TERM", "dumb", true},
        {"TERM", "xterm-256color", true},
        {"TERM", "../x", false},
        {"TERM", "x/y", false},
        {"COLUMNS", "200", true},
        {"COLUMNS", "x", false},
        {"LINES", "123456", false},
        {"NO_COLOR", "1", true},
        {"FORCE_COLOR", "x y", true},
        {"CI", "true", true},
        {"PAGER", "cat", true},
        {"GIT_PAGER", "cat", true},
        {"MANPAGER", "cat", true},
        {"PAGER", "less", false},
        {"PAGER", "cat; rm x", false},
        {"PAGER", "", false},
        {"FOO", "1", false},
        {"DEBUG", "", false},
        {"lc_all", "C", false},
        {"LANGUAGE", "C", false},
        {"GIT_DIR", "x", false},
        {"PATH", "/bin", false},
        {"LD_PRELOAD", "", false},
        {"NODE_OPTIONS", "", false},
        {"PAGERS", "cat", false},
    };
    struct xylem_shell__word value = {.literal = true};

    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct xylem_view name = xylem_view_of(CASES[i].name);
        value.text = xylem_view_of(CASES[i].value);
        if ((!xylem_policy__environment(name, &value, true)) != CASES[i].allowed) {
            fail_msg("%s=%s", CASES[i].name, CASES[i].value);
        }
    }
}

TEST(a_value_that_is_not_known_is_harmless_where_any_value_is)
{
    struct xylem_shell__word value = {.literal = false, .text = {"C", 1}};
    (void)state;
    assert_non_null(xylem_policy__environment(xylem_view_of("LC_ALL"), &value, true));
    assert_non_null(xylem_policy__environment(xylem_view_of("LC_ALL"), NULL, false));
    assert_null(xylem_policy__environment(xylem_view_of("NO_COLOR"), &value, true));
    assert_null(xylem_policy__environment(xylem_view_of("CI"), NULL, true));
}
