/*
 * The rules that a person teaches a policy: what they meet, which of several decides, what no rule allows, and what a
 * wildcard never stands for. At the end a plain model of the matching, beside the judge, over rules by chance.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "judge/policy/engine/judge.h"
#include "judge/policy/git/forms.h"
#include "judge/policy/rules/hatches.h"
#include "judge/policy/rules/taught.h"
#include "tests/lib/chance.h"
#include "tests/lib/test.h"
#include "tests/lib/verdicts.h"

/* A policy that was taught lists of rules, which end in NULL; a list may be NULL. */
struct lesson {
    enum xylem_policy_type type;
    const char *allow[9];
    const char *ask[6];
    const char *deny[6];
};

static size_t length(const char *const *list)
{
    size_t count = 0;
    while (list[count]) {
        count++;
    }
    return count;
}

static struct xylem_policy_config config_of(const struct lesson *lesson)
{
    return (struct xylem_policy_config){.type = lesson->type,
                                        .allow = lesson->allow,
                                        .allow_count = length(lesson->allow),
                                        .ask = lesson->ask,
                                        .ask_count = length(lesson->ask),
                                        .deny = lesson->deny,
                                        .deny_count = length(lesson->deny)};
}

#define CHECK_LESSON(lesson, ...)                                              \
    do {                                                                       \
        static const struct example examples[] = {__VA_ARGS__};                \
        struct xylem_policy_config config = config_of(lesson);                 \
        check_verdicts(&config, examples, sizeof examples / sizeof *examples); \
    } while (0)

static void assert_refused(enum xylem_policy_type type, enum xylem_decision decision, const char *rule,
                           const char *expected)
{
    struct xylem_policy_config config = {.type = type};
    struct xylem_policy *policy = NULL;
    struct xylem_error err = {0};
    assert_int_equal(xylem_policy_new(&policy, &config, NULL), 0);
    int code = xylem_policy_teach(policy, decision, rule, &err);
    if (code != XYLEM_E_ARGUMENT || !strstr(err.text, expected)) {
        print_message("%s: %d, %s\n", rule, code, code < 0 ? err.text : "");
    }
    assert_int_equal(code, XYLEM_E_ARGUMENT);
    assert_non_null(strstr(err.text, expected));
    assert_int_equal(policy->taught.count, 0);
    xylem_policy_free(policy);
}

/* --- What a rule meets -------------------------------------------------------------------------------------------- */

TEST(a_rule_without_wildcards_meets_exactly_its_words)
{
    static const struct lesson lesson = {XYLEM_POLICY_STRICT, {"acme ps"}, {NULL}, {NULL}};
    (void)state;
    CHECK_LESSON(&lesson, {"acme ps", XYLEM_ALLOW}, {"acme  'ps'", XYLEM_ALLOW}, {"acme ps -a", XYLEM_ASK},
                 {"acme", XYLEM_ASK}, {"acme rm x", XYLEM_ASK}, {"acme PS", XYLEM_ASK});
}

TEST(one_star_stands_for_one_argument_and_two_for_the_rest_or_nothing)
{
    static const struct lesson lesson = {XYLEM_POLICY_STRICT, {"ogh pr view **", "acme show * now"}, {NULL}, {NULL}};
    (void)state;
    CHECK_LESSON(&lesson, {"ogh pr view", XYLEM_ALLOW}, {"ogh pr view 1 --json t", XYLEM_ALLOW}, {"ogh pr", XYLEM_ASK},
                 {"acme show x now", XYLEM_ALLOW}, {"acme show '' now", XYLEM_ALLOW}, {"acme show now", XYLEM_ASK},
                 {"acme show x y now", XYLEM_ASK}, {"acme show x", XYLEM_ASK});
}

TEST(a_star_in_quotes_is_a_star)
{
    static const struct lesson lesson = {XYLEM_POLICY_STRICT, {"acme '*'", "acme x\\*y"}, {NULL}, {NULL}};
    (void)state;
    CHECK_LESSON(&lesson, {"acme '*'", XYLEM_ALLOW}, {"acme \\*", XYLEM_ALLOW}, {"acme 'x*y'", XYLEM_ALLOW},
                 {"acme x", XYLEM_ASK}, {"acme *", XYLEM_ASK});
}

TEST(an_expansion_is_never_allowed_by_a_rule)
{
    static const struct lesson lesson = {XYLEM_POLICY_STRICT, {"acme **", "other * x"}, {NULL}, {NULL}};
    (void)state;
    CHECK_LESSON(&lesson, {"acme a b", XYLEM_ALLOW}, {"acme \"$a\"", XYLEM_ASK}, {"acme $(ls)", XYLEM_ASK},
                 {"acme *.c", XYLEM_ASK}, {"acme ~/x", XYLEM_ASK}, {"acme {a,b}", XYLEM_ASK},
                 {"other \"$a\" x", XYLEM_ASK}, {"\"$a\" x", XYLEM_ASK}, {"ls | xargs acme", XYLEM_ASK},
                 {"find . -exec acme {} +", XYLEM_ASK});
}

TEST(an_expansion_does_not_escape_a_wildcard_that_denies)
{
    static const struct lesson lesson = {XYLEM_POLICY_CONFIRM, {NULL}, {"acme one *"}, {"git push **", "acme x"}};
    (void)state;
    CHECK_LESSON(&lesson, {"git push \"$x\"", XYLEM_DENY}, {"git push origin", XYLEM_DENY},
                 {"ls | xargs git push", XYLEM_DENY}, {"acme one $x", XYLEM_ASK}, {"acme $x", XYLEM_ALLOW},
                 {"git pull", XYLEM_ALLOW});
}

TEST(other_parts_of_the_command_are_judged_as_ever)
{
    static const struct lesson lesson = {XYLEM_POLICY_STRICT, {"acme **"}, {NULL}, {NULL}};
    (void)state;
    CHECK_LESSON(&lesson, {"acme a | grep b && ls", XYLEM_ALLOW}, {"acme a > f", XYLEM_ASK},
                 {"acme a; nosuch", XYLEM_ASK}, {"PATH=/x acme a", XYLEM_ASK}, {"FOO=1 acme a", XYLEM_ASK},
                 {"acme a > /dev/null", XYLEM_ALLOW}, {"nice acme a", XYLEM_ALLOW}, {"env PATH=/x acme a", XYLEM_ASK},
                 {"sudo acme a", XYLEM_ASK}, {"sh -c 'acme a'", XYLEM_ASK}, {"(acme a)", XYLEM_ALLOW},
                 {"acme() { ls; }; acme a", XYLEM_ASK}, {"ssh host acme a", XYLEM_ASK});
}

TEST(a_rule_allows_nothing_on_another_machine)
{
    static const struct lesson lesson = {XYLEM_POLICY_CONFIRM, {"rm -r build"}, {NULL}, {NULL}};
    (void)state;
    CHECK_LESSON(&lesson, {"rm -r build", XYLEM_ALLOW}, {"ssh host rm -r build", XYLEM_ASK},
                 {"chroot /x rm -r build", XYLEM_ASK}, {"sudo rm -r build", XYLEM_ASK},
                 {"echo \"$(rm -r build)\"", XYLEM_ALLOW});
}

TEST(a_program_is_allowed_by_name_only_where_the_system_finds_it_and_denied_everywhere)
{
    static const struct lesson lesson = {XYLEM_POLICY_STRICT, {"acme **"}, {NULL}, {"ls -R **"}};
    (void)state;
    CHECK_LESSON(&lesson, {"/usr/bin/acme x", XYLEM_ALLOW}, {"/tmp/acme x", XYLEM_ASK}, {"./acme x", XYLEM_ASK},
                 {"/tmp/ls -R", XYLEM_DENY}, {"./ls -R x", XYLEM_DENY});
}

TEST(a_path_is_compared_without_empty_steps_and_dots)
{
    static const struct lesson lesson = {XYLEM_POLICY_STRICT,
                                         {"./run.sh", "/opt/x/tool /var/log/a", "acme ./-rf", "acme ./--to=/x"},
                                         {NULL},
                                         {"cat /etc/shadow"}};
    (void)state;
    CHECK_LESSON(&lesson, {"./run.sh", XYLEM_ALLOW}, {".//./run.sh", XYLEM_ALLOW}, {"run.sh", XYLEM_ASK},
                 {"x/../run.sh", XYLEM_ASK}, {"/opt//x/./tool /var/./log/a", XYLEM_ALLOW},
                 {"/opt/x/y/../tool /var/log/a", XYLEM_ASK}, {"cat /etc//shadow", XYLEM_DENY},
                 {"cat /etc/./shadow/", XYLEM_DENY}, {"acme ./-rf", XYLEM_ALLOW}, {"acme -rf", XYLEM_ASK},
                 {"acme ./--to=//x", XYLEM_ALLOW}, {"acme --to=/x", XYLEM_ASK});
}

TEST(a_relative_program_is_another_one_behind_cd)
{
    static const struct lesson lesson = {XYLEM_POLICY_STRICT, {"./run.sh"}, {NULL}, {NULL}};
    (void)state;
    CHECK_LESSON(&lesson, {"cd /tmp && ./run.sh", XYLEM_ASK}, {"ls && ./run.sh", XYLEM_ALLOW});
}

/* --- Which rule decides ------------------------------------------------------------------------------------------- */

TEST(the_most_specific_rule_decides_and_of_two_the_severer)
{
    static const struct lesson lesson = {XYLEM_POLICY_STRICT,
                                         {"ogh pr view **", "acme a *", "acme tie *", "acme * b", "acme one *"},
                                         {"ogh pr **", "acme tie *", "acme ask"},
                                         {"ogh **", "acme **", "acme a b c", "acme ask", "acme one **"}};
    (void)state;
    CHECK_LESSON(&lesson, {"ogh pr view 1", XYLEM_ALLOW}, {"ogh pr list", XYLEM_ASK}, {"ogh repo list", XYLEM_DENY},
                 {"acme a x", XYLEM_ALLOW}, {"acme tie x", XYLEM_ASK}, {"acme x b", XYLEM_ALLOW},
                 {"acme x y", XYLEM_DENY}, {"acme ask", XYLEM_DENY}, {"acme one x", XYLEM_ALLOW},
                 {"acme one", XYLEM_DENY});
}

TEST(a_literal_word_goes_before_a_star_and_a_star_before_two)
{
    static const struct lesson lesson = {
        XYLEM_POLICY_STRICT, {"acme a * c", "acme x * *"}, {NULL}, {"acme * b c", "acme x **"}};
    (void)state;
    CHECK_LESSON(&lesson, {"acme a b c", XYLEM_ALLOW}, {"acme x y z", XYLEM_ALLOW}, {"acme x y", XYLEM_DENY});
}

TEST(a_denial_goes_before_an_earlier_question)
{
    static const struct lesson lesson = {XYLEM_POLICY_STRICT, {NULL}, {NULL}, {"ogh **"}};
    struct xylem_policy_config config = config_of(&lesson);
    struct xylem_verdict verdict = {0};
    struct xylem_policy *policy = NULL;
    (void)state;
    assert_int_equal(xylem_policy_new(&policy, &config, NULL), 0);
    assert_int_equal(xylem_policy_judge(&verdict, policy, xylem_view_of("nosuch; ogh x; other"), NULL, NULL), 0);
    assert_int_equal(verdict.decision, XYLEM_DENY);
    assert_string_equal(verdict.rule, "taught");
    assert_string_equal(verdict.reason.data, "your rule denies `ogh **`");
    assert_int_equal(verdict.offset, 8);
    assert_int_equal(verdict.bytes, 5);
    assert_int_equal(verdict.judged[1].decision, XYLEM_DENY);
    assert_string_equal(verdict.judged[1].rule, "taught");
    assert_string_equal(verdict.judged[0].rule, "program");
    xylem_verdict_release(&verdict);
    xylem_policy_free(policy);
}

TEST(a_verdict_names_the_rule_only_where_the_rule_mattered)
{
    static const struct lesson lesson = {XYLEM_POLICY_STRICT, {"ls", "acme 'a\nb'"}, {"cat x"}, {NULL}};
    struct xylem_policy_config config = config_of(&lesson);
    (void)state;
    assert_string_equal(rule_of(&config, "ls"), "allowed");
    assert_string_equal(rule_of(&config, "acme 'a\nb'"), "taught");
    check_reason(&config, "acme 'a\nb'", "your rule allows `acme 'a\\x0ab'`");
    check_reason(&config, "cat x", "your rule asks about `cat x`");
}

TEST(readonly_heeds_denials_alone)
{
    static const struct lesson lesson = {
        XYLEM_POLICY_READONLY, {"rm **", "ogh pr view **"}, {"ls -R"}, {"ogh **", "curl **"}};
    (void)state;
    CHECK_LESSON(&lesson, {"rm x", XYLEM_DENY}, {"ls -R", XYLEM_ALLOW}, {"curl x", XYLEM_DENY},
                 {"ogh pr view 1", XYLEM_ALLOW}, {"ogh pr list", XYLEM_DENY}, {"curl \"$x\"", XYLEM_DENY});
}

TEST(a_rule_lifts_no_grant_of_another_command)
{
    static const struct lesson lesson = {XYLEM_POLICY_CONFIRM, {"rm -r build"}, {NULL}, {NULL}};
    struct xylem_policy_config config = config_of(&lesson);
    struct xylem_verdict verdict = {0};
    struct xylem_policy *policy = NULL;
    (void)state;
    assert_int_equal(xylem_policy_new(&policy, &config, NULL), 0);
    assert_int_equal(xylem_policy_judge(&verdict, policy, xylem_view_of("rm -r build; dd if=a"), "/src", NULL), 0);
    assert_int_equal(verdict.decision, XYLEM_ASK);
    assert_int_equal(verdict.grant_count, 1);
    assert_string_equal(verdict.grants[0].data, "dd (dd)");
    xylem_verdict_release(&verdict);
    xylem_policy_free(policy);
}

TEST(the_directories_of_git_are_named_behind_a_rule_too)
{
    static const struct lesson lesson = {XYLEM_POLICY_STRICT, {"git commit **"}, {NULL}, {NULL}};
    struct xylem_policy_config config = config_of(&lesson);
    struct xylem_verdict verdict = {0};
    struct xylem_policy *policy = NULL;
    (void)state;
    assert_int_equal(xylem_policy_new(&policy, &config, NULL), 0);
    assert_int_equal(xylem_policy_judge(&verdict, policy, xylem_view_of("git commit -m x"), "/src", NULL), 0);
    assert_int_equal(verdict.decision, XYLEM_ALLOW);
    assert_int_equal(verdict.git_directory_count, 1);
    assert_string_equal(verdict.git_directories[0].data, "/src");
    xylem_verdict_release(&verdict);
    xylem_policy_free(policy);
}

TEST(a_hook_looks_at_more_settings_of_a_repository_where_a_rule_allows_git)
{
    static const char *const git[] = {"/usr/bin/git commit **"};
    static const char *const other[] = {"ogh **"};
    struct xylem_policy_config config = {.type = XYLEM_POLICY_STRICT, .allow = other, .allow_count = 1};
    struct xylem_policy *policy = NULL;
    (void)state;
    assert_int_equal(xylem_policy_new(&policy, &config, NULL), 0);
    assert_true(xylem_policy__git_plain(policy));
    assert_int_equal(xylem_policy_teach(policy, XYLEM_DENY, git[0], NULL), 0);
    assert_true(xylem_policy__git_plain(policy));
    assert_int_equal(xylem_policy_teach(policy, XYLEM_ALLOW, git[0], NULL), 0);
    assert_false(xylem_policy__git_plain(policy));
    xylem_policy_free(policy);
}

/* --- What is no rule ---------------------------------------------------------------------------------------------- */

TEST(a_text_that_is_not_one_simple_command_is_no_rule)
{
    static const char *const texts[][2] = {{"", "no command"},
                                           {"   ", "no command"},
                                           {"# x", "no command"},
                                           {"a; b", "more than one"},
                                           {"a | b", "more than one"},
                                           {"a # b", "more than one"},
                                           {"a;", "more than one"},
                                           {"! a", "more than one"},
                                           {"time a", "more than one"},
                                           {"(a)", "more than one"},
                                           {"X=1 a", "sets a variable"},
                                           {"X=1", "sets a variable"},
                                           {"a > f", "redirection"},
                                           {"a $x", "neither literal"},
                                           {"a x*", "neither literal"},
                                           {"a ***", "neither literal"},
                                           {"a \"$(b)\"", "neither literal"},
                                           {"a ~/x", "neither literal"},
                                           {"a ** b", "no word may follow"},
                                           {"* a", "first word"},
                                           {"**", "first word"},
                                           {"'' a", "first word"},
                                           {"a 'b", ""},
                                           {"a \x01", ""}};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_refused(XYLEM_POLICY_STRICT, XYLEM_ALLOW, texts[i][0], texts[i][1]);
        assert_refused(XYLEM_POLICY_CONFIRM, XYLEM_DENY, texts[i][0], texts[i][1]);
        assert_refused(XYLEM_POLICY_READONLY, XYLEM_ASK, texts[i][0], texts[i][1]);
    }
}

TEST(a_rule_that_would_allow_any_code_is_refused_with_the_reason)
{
    static const char *const texts[][2] = {{"python3 **", "python3 is an interpreter"},
                                           {"python3.12 x.py", "runs the code"},
                                           {"/usr/bin/perl x", "is an interpreter"},
                                           {"sh -c *", "sh is a shell"},
                                           {"bash x.sh", "is a shell"},
                                           {"tcsh x", "runs the code"},
                                           {"sudo ls", "as somebody else"},
                                           {"eval x", "runs what is in its words"},
                                           {"lua x", "runs the code"},
                                           {"xargs", "runs any command"},
                                           {"xargs **", "runs any command"},
                                           {"xargs -0 -n 1 **", "runs any command"},
                                           {"xargs -n *", "runs any command"},
                                           {"parallel ls", "runs its words"},

                                           {"npx **", "runs any command"},
                                           {"npx *", "runs any command"},
                                           {"npm exec **", "runs any command"},
                                           {"npm exec -- *", "runs any command"},
                                           {"docker exec **", "runs any command"},
                                           {"docker exec web *", "runs any command"},
                                           {"uv run **", "runs any command"}};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_refused(XYLEM_POLICY_STRICT, XYLEM_ALLOW, texts[i][0], texts[i][1]);
        assert_refused(XYLEM_POLICY_READONLY, XYLEM_ALLOW, texts[i][0], texts[i][1]);
    }
}

TEST(a_rule_that_names_the_command_to_run_is_taken)
{
    static const struct lesson lesson = {
        XYLEM_POLICY_STRICT,
        {"npx tsc **", "npm run *", "xargs -n 1 acme", "docker exec web ls", "nohup make **"},
        {NULL},
        {"sudo **"}};
    (void)state;
    CHECK_LESSON(&lesson, {"npx tsc --noEmit", XYLEM_ALLOW}, {"npx other", XYLEM_ASK}, {"npm run build", XYLEM_ALLOW},
                 {"docker exec web ls", XYLEM_ALLOW}, {"nohup make all", XYLEM_ASK}, {"sudo ls", XYLEM_DENY});
}

TEST(the_json_of_a_configuration_has_the_lists)
{
    static const char good[] = "{\"allow\":[\"ogh pr view **\"],\"ask\":[\"ls -R\"],\"deny\":[\"ogh **\"]}";
    struct xylem_policy *policy = NULL;
    struct xylem_error err = {0};
    (void)state;
    for (int type = XYLEM_POLICY_READONLY; type <= XYLEM_POLICY_CONFIRM; type++) {
        assert_int_equal(xylem_policy_new_json(&policy, (enum xylem_policy_type)type, xylem_view_of(good), &err), 0);
        assert_int_equal(policy->taught.count, 3);
        xylem_policy_free(policy);
    }
    assert_int_equal(
        xylem_policy_new_json(&policy, XYLEM_POLICY_STRICT, xylem_view_of("{\"allow\":[\"ls\",\"a; b\"]}"), &err),
        XYLEM_E_ARGUMENT);
    assert_non_null(strstr(err.text, "allow[1]: the rule `a; b`: expected the words of a command"));
    assert_int_equal(xylem_policy_new_json(&policy, XYLEM_POLICY_STRICT, xylem_view_of("{\"deny\":\"ls\"}"), &err),
                     XYLEM_E_MALFORMED);
    assert_non_null(strstr(err.text, "deny: expected an array of strings, found a string"));
    assert_int_equal(xylem_policy_new_json(&policy, XYLEM_POLICY_STRICT, xylem_view_of("{\"ask\":[7]}"), &err),
                     XYLEM_E_MALFORMED);
    assert_non_null(strstr(err.text, "ask[0]: expected a string, found a number"));
}

TEST(a_list_that_is_null_and_a_rule_that_is_null_are_refused)
{
    static const char *const hole[] = {NULL};
    struct xylem_policy *policy = NULL;
    struct xylem_error err = {0};
    (void)state;
    assert_int_equal(xylem_policy_new(&policy, &(struct xylem_policy_config){.deny_count = 1}, &err), XYLEM_E_ARGUMENT);
    assert_non_null(strstr(err.text, "deny: a list of 1 rules is NULL"));
    assert_int_equal(xylem_policy_new(&policy, &(struct xylem_policy_config){.ask = hole, .ask_count = 1}, &err),
                     XYLEM_E_ARGUMENT);
    assert_non_null(strstr(err.text, "ask[0]: the rule ``"));
    assert_int_equal(xylem_policy_teach(NULL, XYLEM_DENY, "ls", &err), XYLEM_E_ARGUMENT);
}

/* --- Wildcards and marks ------------------------------------------------------------------------------------------ */

TEST(a_wildcard_stands_for_nothing_that_destroys_sends_or_runs_code)
{
    static const struct lesson lesson = {
        XYLEM_POLICY_STRICT, {"git **", "rm **", "gh **", "npm **", "chmod * x"}, {NULL}, {NULL}};
    static const struct lesson languages = {
        XYLEM_POLICY_STRICT,
        {"sed **", "awk **", "date **", "sort **", "tar **", "scp **", "make **", "gmake **"},
        {NULL},
        {NULL}};
    (void)state;
    CHECK_LESSON(&lesson, {"git tag v1", XYLEM_ALLOW}, {"git add x", XYLEM_ALLOW}, {"git push", XYLEM_ASK},
                 {"git clean -fdx", XYLEM_ASK}, {"git reset --hard", XYLEM_ASK}, {"git -c alias.x=!ls x", XYLEM_ASK},
                 {"git diff --output=f", XYLEM_ASK}, {"rm x", XYLEM_ALLOW}, {"rm -rf x", XYLEM_ASK},
                 {"rm --recursive x", XYLEM_ASK}, {"gh pr view 1", XYLEM_ALLOW}, {"gh repo delete x", XYLEM_ASK},
                 {"npm ls", XYLEM_ALLOW}, {"npm exec ls", XYLEM_ASK}, {"npm install x", XYLEM_ASK},
                 {"npm exec -c ls", XYLEM_ASK}, {"chmod 644 x", XYLEM_ALLOW}, {"chmod 777 x", XYLEM_ASK});
    CHECK_LESSON(&languages, {"sed 'w f' x", XYLEM_ASK}, {"sed -i s/a/b/ x", XYLEM_ASK},
                 {"awk 'BEGIN{system(\"x\")}'", XYLEM_ASK}, {"date 0101", XYLEM_ASK}, {"sort --odd x", XYLEM_ALLOW},
                 {"sort -o f x", XYLEM_ASK}, {"sort -ro f x", XYLEM_ASK}, {"sort -Qo f x", XYLEM_ASK},
                 {"sort --out=f x", XYLEM_ASK}, {"sort --compress-program=x y", XYLEM_ASK},
                 {"tar -I x -tf y", XYLEM_ASK}, {"scp -o ProxyCommand=x y z:", XYLEM_ASK},
                 {"tar --to-command=x -tf y", XYLEM_ASK}, {"make test", XYLEM_ALLOW}, {"make test SHELL=/x", XYLEM_ASK},
                 {"gmake test SHELL=/x", XYLEM_ASK});
}

TEST(words_that_the_person_wrote_are_allowed_whatever_they_are)
{
    static const struct lesson lesson = {XYLEM_POLICY_STRICT,
                                         {"sort -o out *", "git push origin **", "rm -rf build", "sed -i s/a/b/ f"},
                                         {NULL},
                                         {NULL}};
    (void)state;
    CHECK_LESSON(&lesson, {"sort -o out x", XYLEM_ALLOW}, {"git push origin main", XYLEM_ALLOW},
                 {"git push origin -f", XYLEM_ASK}, {"git push origin +main", XYLEM_ASK}, {"rm -rf build", XYLEM_ALLOW},
                 {"sed -i s/a/b/ f", XYLEM_ALLOW});
}

/* Judges by strict without rules, and with the broadest rule of the program: the answers must agree. */
static unsigned differs_with_broadest(const char *program, const char *command)
{
    struct xylem_policy_config config = {.type = XYLEM_POLICY_STRICT};
    struct xylem_policy *policy = NULL;
    struct xylem_verdict plain = {0};
    struct xylem_verdict taught = {0};
    char rule[128];
    snprintf(rule, sizeof rule, "%s **", program);
    assert_int_equal(xylem_policy_new(&policy, &config, NULL), 0);
    assert_int_equal(xylem_policy_judge(&plain, policy, xylem_view_of(command), NULL, NULL), 0);
    (void)xylem_policy_teach(policy, XYLEM_ALLOW, rule, NULL); /* refused for a program that runs any code */
    assert_int_equal(xylem_policy_judge(&taught, policy, xylem_view_of(command), NULL, NULL), 0);
    bool differs = plain.decision != taught.decision || strcmp(plain.rule, taught.rule) != 0;
    if (differs) {
        print_error("%s: %s without the rule, %s with `%s`\n", command, plain.rule, taught.rule, rule);
    }
    xylem_verdict_release(&plain);
    xylem_verdict_release(&taught);
    xylem_policy_free(policy);
    return differs;
}

/* For each program of a row: `PROGRAM x MARK x y`, for each mark in the list; `/` in a mark becomes a space. */
static unsigned check_marks(const char *names, const char *list, unsigned *rows)
{
    struct xylem_view program;
    unsigned wrong = 0;
    while (xylem_policy__next_name(&program, &names)) {
        const char *marks = list;
        struct xylem_view mark;
        while (program.data[program.bytes - 1] != '*' && xylem_policy__next_name(&mark, &marks)) {
            char name[64];
            char command[192];
            mark.bytes -= strchr(":?", mark.data[mark.bytes - 1]) ? 1 : 0;
            snprintf(name, sizeof name, "%.*s", (int)program.bytes, program.data);
            int bytes = snprintf(command, sizeof command, "%s %.*s", name, (int)mark.bytes, mark.data);
            for (int i = (int)strlen(name); i < bytes; i++) {
                command[i] = command[i] == '/'                                             ? ' '
                             : command[i] == '*' || (command[i] == '.' && mark.bytes == 1) ? 'x'
                                                                                           : command[i];
            }
            snprintf(command + bytes, sizeof command - (size_t)bytes, " x y");
            wrong += differs_with_broadest(name, command);
            (*rows)++;
        }
    }
    return wrong;
}

TEST(the_broadest_rule_of_each_marked_row_judges_as_without_the_rule)
{
    unsigned wrong = 0;
    unsigned rows = 0;
    (void)state;
    for (const struct xylem_policy__hatch *hatch = xylem_policy__hatch_table; hatch->names; hatch++) {
        for (const struct xylem_policy__table_row *known = hatch->known; known->names; known++) {
            wrong += check_marks(hatch->names, known->names, &rows);
        }
    }
    for (const struct xylem_policy__code_row *row = xylem_policy__confirm_code; row->names; row++) {
        if (!row->verbs) {
            wrong += check_marks(row->names, row->code, &rows);
        }
    }
    for (const struct xylem_policy__verb_row *row = xylem_policy__verb_table; row->names; row++) {
        wrong += check_marks(row->names, row->code, &rows);
        wrong += check_marks(row->names, row->runs, &rows);
        wrong += check_marks(row->names, row->sends, &rows);
        wrong += check_marks(row->names, row->destroys, &rows);
        wrong += check_marks(row->names, row->runs_with, &rows);
        wrong += check_marks(row->names, row->sends_with, &rows);
    }
    assert_true(rows > 150);
    assert_int_equal(wrong, 0);
}

/* --- Proposals ---------------------------------------------------------------------------------------------------- */

static void assert_proposes(enum xylem_policy_type type, const char *part, const char *rule, const char *note)
{
    struct xylem_policy_config config = {.type = type};
    struct xylem_policy *policy = NULL;
    struct xylem_buffer found = {0};
    struct xylem_buffer why = {0};
    assert_int_equal(xylem_policy_new(&policy, &config, NULL), 0);
    int code = xylem_policy_propose(&found, &why, policy, xylem_view_of(part), NULL);
    if (code != (rule ? 1 : 0) || (rule && strcmp(found.data, rule) != 0) ||
        (note && (why.bytes == 0 || !strstr(why.data, note)))) {
        print_error("%s: %d, %s, %s\n", part, code, found.bytes > 0 ? found.data : "", why.bytes > 0 ? why.data : "");
        fail();
    }
    assert_int_equal(policy->taught.count, 0);
    xylem_buffer_release(&found);
    xylem_buffer_release(&why);
    xylem_policy_free(policy);
}

TEST(a_proposal_is_broad_for_verbs_that_read_and_exact_for_all_others)
{
    (void)state;
    assert_proposes(XYLEM_POLICY_STRICT, "ogh pr view 1", "ogh pr view **", NULL);
    assert_proposes(XYLEM_POLICY_STRICT, "acme box ls", "acme box ls **", NULL);
    assert_proposes(XYLEM_POLICY_STRICT, "gh pr merge 1", "gh pr merge 1", NULL);
    assert_proposes(XYLEM_POLICY_STRICT, "curl https://x/y", "curl https://x/y", NULL);
    assert_proposes(XYLEM_POLICY_STRICT, "acme 'a b' \"*\"", "acme 'a b' \"*\"", NULL);
    assert_proposes(XYLEM_POLICY_CONFIRM, "rm -rf build", "rm -rf build", NULL);
}

TEST(where_no_rule_can_the_note_has_the_reason)
{
    (void)state;
    assert_proposes(XYLEM_POLICY_STRICT, "python3 x.py", NULL, "python3 is an interpreter");
    assert_proposes(XYLEM_POLICY_STRICT, "acme $x", NULL, "write the word out");
    assert_proposes(XYLEM_POLICY_STRICT, "acme x > f", NULL, "a redirection writes to f");
    assert_proposes(XYLEM_POLICY_STRICT, "a; b", NULL, "more than one");
    assert_proposes(XYLEM_POLICY_STRICT, "", NULL, "no command");
    assert_proposes(XYLEM_POLICY_READONLY, "rm x", NULL, "readonly refuses a change");
}

/* --- A plain model ------------------------------------------------------------------------------------------------ */

#define RULES_MAX 6
#define WORDS_MAX 5

struct plain_rule {
    enum xylem_decision decision;
    const char *words[WORDS_MAX];
    int count;
};

/* "$v" is the expansion. The model compares spellings, since no word here has two. */
static bool plain_meets(const struct plain_rule *rule, int at, const char *const *words, int count, int i)
{
    bool unknown = i < count && strcmp(words[i], "\"$v\"") == 0;
    bool allows = rule->decision == XYLEM_ALLOW;
    if (at == rule->count) {
        return i == count;
    }
    if (strcmp(rule->words[at], "**") == 0) {
        return i == count || (!(unknown && allows) && plain_meets(rule, at, words, count, i + 1));
    }
    if (i == count ||
        (strcmp(rule->words[at], "*") == 0 ? unknown && allows : strcmp(rule->words[at], words[i]) != 0)) {
        return false;
    }
    return plain_meets(rule, at + 1, words, count, i + 1);
}

/* A text that sorts before the text of a less specific rule: how many words are wild, the form, the severity. */
static void plain_rank(char *rank, const struct plain_rule *rule)
{
    int literal = 0;
    int at = 1;
    for (int i = 0; i < rule->count; i++) {
        bool two = strcmp(rule->words[i], "**") == 0;
        bool one = strcmp(rule->words[i], "*") == 0;
        literal += !one && !two;
        rank[at++] = two ? 'c' : one ? 'b' : 'a';
    }
    rank[0] = (char)('9' - literal);
    rank[at++] = 'a';
    rank[at++] = (char)('0' + (int)rule->decision);
    rank[at] = '\0';
}

static void plain_words(struct chance *chance, const char **words, int *count, const char *const *choice, int choices)
{
    *count = 1 + chance_below(chance, WORDS_MAX);
    words[0] = "acme";
    for (int i = 1; i < *count; i++) {
        words[i] = choice[chance_below(chance, choices)];
    }
}

static void join_words(char *text, size_t bytes, const char *const *words, int count)
{
    size_t used = 0;
    for (int i = 0; i < count; i++) {
        used += (size_t)snprintf(text + used, bytes - used, "%s%s", i > 0 ? " " : "", words[i]);
    }
}

TEST(the_judge_agrees_with_a_plain_model_of_the_matching)
{
    static const char *const in_rules[] = {"a", "b", "c", "*", "*", "**"};
    static const char *const in_commands[] = {"a", "b", "c", "\"$v\""};
    const char *seed_text = getenv("XYLEM_SEED");
    uint64_t seed = seed_text ? strtoull(seed_text, NULL, 10) : 1790000000u;
    struct chance chance = chance_of(seed);
    struct xylem_policy_config config = {.type = XYLEM_POLICY_STRICT};
    unsigned taught = 0;
    (void)state;
    for (int round = 0; round < 4000; round++) {
        struct plain_rule rules[RULES_MAX];
        const struct plain_rule *best = NULL;
        struct plain_rule command = {.count = 0};
        struct xylem_policy *policy = NULL;
        struct xylem_verdict verdict = {0};
        char best_rank[32] = "";
        char text[128];
        int rule_count = chance_below(&chance, RULES_MAX + 1);
        assert_int_equal(xylem_policy_new(&policy, &config, NULL), 0);
        plain_words(&chance, command.words, &command.count, in_commands, 4);
        for (int i = 0; i < rule_count; i++) {
            char rank[32];
            rules[i].decision = (enum xylem_decision)chance_below(&chance, 3);
            plain_words(&chance, rules[i].words, &rules[i].count, in_rules, 6);
            for (int k = 1; k + 1 < rules[i].count; k++) {
                rules[i].words[k] = strcmp(rules[i].words[k], "**") == 0 ? "*" : rules[i].words[k];
            }
            join_words(text, sizeof text, rules[i].words, rules[i].count);
            assert_int_equal(xylem_policy_teach(policy, rules[i].decision, text, NULL), 0);
            plain_rank(rank, &rules[i]);
            if (plain_meets(&rules[i], 0, command.words, command.count, 0) && (!best || strcmp(rank, best_rank) < 0)) {
                best = &rules[i];
                memcpy(best_rank, rank, sizeof rank);
            }
        }
        join_words(text, sizeof text, command.words, command.count);
        assert_int_equal(xylem_policy_judge(&verdict, policy, xylem_view_of(text), NULL, NULL), 0);
        if (verdict.decision != (best ? best->decision : XYLEM_ASK) ||
            strcmp(verdict.rule, best ? "taught" : "program") != 0) {
            fail_msg("seed %" PRIu64 ", round %d: %s: %s", seed, round, text, verdict.reason.data);
        }
        taught += best != NULL;
        xylem_verdict_release(&verdict);
        xylem_policy_free(policy);
    }
    assert_true(taught > 1000);
}
