#include "tests/lib/git_judge.h"

#include <stdlib.h>

#include "judge/policy/words/words.h"

static char *default_names[] = {"blame", "diff",      "log",    "ls-files", "ls-tree",
                                "show",  "rev-parse", "status", "show-ref"};

struct xylem_policy__names git_judge_names = {default_names, sizeof default_names / sizeof *default_names};

static enum xylem_policy__git_tier tier_now;

static bool judge_git(struct xylem_policy__judge *judge, const struct xylem_policy__command *command)
{
    return !xylem_base__view_is(command->name, "git") || xylem_policy__git(judge, command, tier_now);
}

static bool pass_redirection(struct xylem_policy__judge *judge, const struct xylem_shell__redirection *redirection)
{
    (void)judge;
    (void)redirection;
    return true;
}

static bool pass_variable(struct xylem_policy__judge *judge, struct xylem_view name, enum xylem_policy__setting setting,
                          const struct xylem_policy__command *command)
{
    (void)judge;
    (void)name;
    (void)setting;
    (void)command;
    return true;
}

static bool pass_node(struct xylem_policy__judge *judge, const struct xylem_shell__node *node)
{
    (void)judge;
    (void)node;
    return true;
}

/* As readonly does it: what names git, or a program that removes, does not pass. */
static bool pass_harmless_text(struct xylem_policy__judge *judge, struct xylem_view at, const char *rule,
                               const char *why)
{
    bool named = at.bytes > 0 && (memmem(at.data, at.bytes, "git", 3) || memmem(at.data, at.bytes, "rm", 2));
    if (tier_now == XYLEM_POLICY__GIT_READONLY && !named) {
        return true;
    }
    return xylem_policy__refuse(judge, at, rule, "%s", why);
}

static const struct xylem_policy__rules rules = {
    "git", XYLEM_ASK, NULL, judge_git, pass_redirection, pass_variable, pass_node, pass_harmless_text, NULL};

struct xylem_verdict git_judge(enum xylem_policy__git_tier tier, const char *command)
{
    struct xylem_verdict verdict = {0};
    struct xylem_policy policy = {.rules = &rules, .git_readonly_subcommands = git_judge_names};
    tier_now = tier;
    policy.type = tier == XYLEM_POLICY__GIT_READONLY ? XYLEM_POLICY_READONLY : XYLEM_POLICY_STRICT;
    if (xylem_policy_judge(&verdict, &policy, xylem_view_of(command), "/w", NULL) != 0) {
        abort();
    }
    return verdict;
}
