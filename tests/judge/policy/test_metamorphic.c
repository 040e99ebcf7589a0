/*
 * A command that is rewritten so that it means the same is not judged more kindly: over every fixture that is refused,
 * each rewriting, and chains of two. Where everything stays decidable, what is allowed stays allowed. bash itself says
 * that the rewritings mean the same: whether a text is valid, and, in a sandbox, what it runs.
 *
 * XYLEM_SEED=n repeats the choices of a run; XYLEM_TORTURE tries every chain of two.
 */

#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "judge/policy/engine/judge.h"
#include "judge/shell/parse.h"
#include "tests/lib/chance.h"
#include "tests/lib/policy_fixtures.h"
#include "tests/lib/shell_rewrite.h"
#include "tests/lib/shell_sandbox.h"
#include "tests/lib/test.h"

#define CHAINS_DEFAULT 2
#define SYNTAX_CHECKS_DEFAULT 300
#define SANDBOX_CHECKS_DEFAULT 120
#define SHOWN_MAX 40

static struct policy_fixtures fixtures;
static struct xylem_verdict verdict;
static struct chance chance;
static uint64_t seed;
static bool at_length;

static struct {
    unsigned judged;
    unsigned wrong;
} counts;

static bool rewrite(struct xylem_buffer *out, const struct shell_rewrite *with, struct xylem_view command)
{
    out->bytes = 0;
    return command.bytes > 0 && with->apply(out, command) && out->bytes <= XYLEM_COMMAND_BYTES_MAX;
}

static struct xylem_view view_of(const struct xylem_buffer *buffer)
{
    return (struct xylem_view){buffer->data, buffer->bytes};
}

static bool has(struct xylem_view text, const char *what)
{
    return memmem(text.data, text.bytes, what, strlen(what)) != NULL;
}

/* Nesting has a limit: a text that nests deeper is not understood, and readonly may then see less. */
static bool is_too_deep(struct xylem_view command)
{
    struct xylem_shell__arena arena = {0};
    struct xylem_shell__tree tree;
    assert_int_equal(xylem_shell__parse(&tree, &arena, command, 0), 0);
    bool deep = tree.not_understood_why && strstr(tree.not_understood_why, "too deep");
    xylem_shell__arena_release(&arena);
    return deep;
}

/* Behind `$(` versions of bash read `time` before a compound command, and `coproc`, in two ways: strict asks. */
static bool has_readings(struct xylem_view command)
{
    struct xylem_shell__arena arena = {0};
    struct xylem_shell__tree tree;
    assert_int_equal(xylem_shell__parse(&tree, &arena, command, 0), 0);
    const struct xylem_shell__doubt *doubt = tree.doubts;
    while (doubt && doubt->type != XYLEM_SHELL__DOUBT_READINGS) {
        doubt = doubt->next;
    }
    xylem_shell__arena_release(&arena);
    return doubt;
}

static enum xylem_decision judge(const struct policy_fixture *fixture, struct xylem_view command)
{
    struct xylem_error err = {0};
    counts.judged++;
    assert_int_equal(xylem_policy_judge(&verdict, fixture->policy, command, fixture->cwd, &err), 0);
    return verdict.decision;
}

static void print_wrong(const struct policy_fixture *fixture, const char *first, const char *second,
                        struct xylem_view command)
{
    if (counts.wrong++ < SHOWN_MAX) {
        print_error("%s (%s), %s%s%s: %s, %s: %.*s\n--- was: %.*s\n", fixture->place, fixture->policy_name, first,
                    second == NULL ? "" : " then ", second ? second : "",
                    verdict.decision == XYLEM_ALLOW ? "allow" : "refused", verdict.reason.data, (int)command.bytes,
                    command.data, (int)fixture->command.bytes, fixture->command.data);
    }
}

/*
 * --- Refused stays refused ------------------------------------------------------------------------------------------
 */

static void check_refused(const struct policy_fixture *fixture, const struct shell_rewrite *first,
                          const struct shell_rewrite *second, struct xylem_view command)
{
    if (judge(fixture, command) == XYLEM_ALLOW && (!is_too_deep(command) || is_too_deep(fixture->command))) {
        print_wrong(fixture, first->name, second ? second->name : NULL, command);
    }
}

static void refuse_chain(const struct policy_fixture *fixture, const struct shell_rewrite *first,
                         const struct shell_rewrite *second)
{
    static struct xylem_buffer once;
    static struct xylem_buffer twice;
    if (first->kind != SHELL_REWRITE_LAST && rewrite(&once, first, fixture->command) &&
        rewrite(&twice, second, view_of(&once))) {
        check_refused(fixture, first, second, view_of(&twice));
    }
    xylem_buffer_release(&once);
    xylem_buffer_release(&twice);
}

static void refuse_each(const struct policy_fixture *fixture)
{
    struct xylem_buffer once = {0};
    size_t chain_count = at_length ? shell_rewrite_count * shell_rewrite_count : CHAINS_DEFAULT;
    for (size_t i = 0; i < shell_rewrite_count; i++) {
        if (rewrite(&once, &shell_rewrites[i], fixture->command)) {
            check_refused(fixture, &shell_rewrites[i], NULL, view_of(&once));
        }
    }
    for (size_t i = 0; i < chain_count; i++) {
        size_t first = at_length ? i / shell_rewrite_count : (size_t)chance_below(&chance, (int)shell_rewrite_count);
        size_t second = at_length ? i % shell_rewrite_count : (size_t)chance_below(&chance, (int)shell_rewrite_count);
        refuse_chain(fixture, &shell_rewrites[first], &shell_rewrites[second]);
    }
    xylem_buffer_release(&once);
}

TEST(what_is_refused_stays_so_however_it_is_written)
{
    counts.judged = counts.wrong = 0;
    for (size_t i = 0; i < fixtures.count; i++) {
        if (fixtures.list[i].expected != XYLEM_ALLOW &&
            judge(&fixtures.list[i], fixtures.list[i].command) != XYLEM_ALLOW) {
            refuse_each(&fixtures.list[i]);
        }
    }
    print_message("%u commands were judged, %u of them wrongly allowed\n", counts.judged, counts.wrong);
    assert_true(counts.judged > 20000);
    assert_int_equal(counts.wrong, 0);
}

/*
 * --- Allowed stays allowed ------------------------------------------------------------------------------------------
 */

static bool seen_undecided;

static bool note_undecided(struct xylem_policy__judge *judge, struct xylem_view at, const char *rule, const char *why)
{
    (void)judge;
    (void)at;
    (void)rule;
    (void)why;
    seen_undecided = true;
    return true;
}

/* Is there a part that the policy lets pass only because it does not know of any harm in it? */
static bool is_decidable(const struct policy_fixture *fixture)
{
    struct xylem_policy__rules rules = *fixture->policy->rules;
    struct xylem_policy policy = *fixture->policy;
    struct policy_fixture asked = *fixture;
    rules.undecided = note_undecided;
    policy.rules = &rules;
    asked.policy = &policy;
    seen_undecided = false;
    judge(&asked, asked.command);
    return !seen_undecided;
}

static bool understood(struct xylem_view command)
{
    struct xylem_shell__arena arena = {0};
    struct xylem_shell__tree tree;
    assert_int_equal(xylem_shell__parse(&tree, &arena, command, 0), 0);
    bool all = tree.not_understood_why == NULL;
    xylem_shell__arena_release(&arena);
    return all;
}

/* By design something is said of the rewritten command that was not said before. */
static bool may_be_refused(const struct policy_fixture *fixture, const struct shell_rewrite *with)
{
    bool by_name = strcmp(with->name, "command") == 0 || strcmp(with->name, "an absolute path") == 0;
    /* What these print is known by their plain spelling alone. */
    bool prints = has(fixture->command, "$(git ") || has(fixture->command, "`git ") || has(fixture->command, "-print0");
    bool by_input = strcmp(with->name, "a redirection before each command") == 0;
    return with->kind == SHELL_REWRITE_LAST || (fixture->config.bytes > 0 && (by_name || with->wraps)) ||
           (by_name && has(fixture->command, "IFS=")) || ((by_name || by_input) && prints);
}

static void allow_each(const struct policy_fixture *fixture)
{
    struct xylem_buffer once = {0};
    for (size_t i = 0; i < shell_rewrite_count; i++) {
        const struct shell_rewrite *with = &shell_rewrites[i];
        if (!may_be_refused(fixture, with) && rewrite(&once, with, fixture->command) && !is_too_deep(view_of(&once)) &&
            !has_readings(view_of(&once)) && judge(fixture, view_of(&once)) != XYLEM_ALLOW) {
            print_wrong(fixture, with->name, NULL, view_of(&once));
        }
    }
    xylem_buffer_release(&once);
}

TEST(what_is_allowed_stays_so_however_it_is_written)
{
    counts.judged = counts.wrong = 0;
    for (size_t i = 0; i < fixtures.count; i++) {
        if (fixtures.list[i].expected == XYLEM_ALLOW &&
            judge(&fixtures.list[i], fixtures.list[i].command) == XYLEM_ALLOW && is_decidable(&fixtures.list[i])) {
            allow_each(&fixtures.list[i]);
        }
    }
    print_message("%u commands were judged, %u of them wrongly refused\n", counts.judged, counts.wrong);
    assert_true(counts.judged > 20000);
    assert_int_equal(counts.wrong, 0);
}

/*
 * --- bash's opinion -------------------------------------------------------------------------------------------------
 */

/* Only reads the text; nothing of it runs. */
static bool bash_reads(struct xylem_view command)
{
    char *text = strndup(command.data, command.bytes);
    char *const words[] = {(char *)"bash", (char *)"--norc", (char *)"-n", (char *)"-c", text, NULL};
    char *const environment[] = {(char *)"PATH=/usr/bin:/bin", NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid = 0;
    int status = 0;
    assert_non_null(text);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0);
    assert_int_equal(posix_spawn(&pid, "/bin/bash", &actions, NULL, words, environment), 0);
    posix_spawn_file_actions_destroy(&actions);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    free(text);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static const struct policy_fixture *draw_understood(void)
{
    for (;;) {
        const struct policy_fixture *fixture = &fixtures.list[chance_below(&chance, (int)fixtures.count)];
        if (fixture->command.bytes > 0 && !memchr(fixture->command.data, '\0', fixture->command.bytes) &&
            fixture->command.bytes < 4000 && understood(fixture->command)) {
            return fixture;
        }
    }
}

TEST(bash_reads_what_was_rewritten)
{
    int left = at_length ? 20 * SYNTAX_CHECKS_DEFAULT : (int)test_rounds(SYNTAX_CHECKS_DEFAULT);
    struct xylem_buffer once = {0};
    (void)state;
    counts.wrong = 0;
    while (left > 0) {
        const struct policy_fixture *fixture = draw_understood();
        const struct shell_rewrite *with = &shell_rewrites[chance_below(&chance, (int)shell_rewrite_count)];
        if (!rewrite(&once, with, fixture->command)) {
            continue;
        }
        left--;
        /* bash 5.2 does not read `$( time { :; } )`, which it should */
        if (!has(view_of(&once), "time") && bash_reads(fixture->command) && !bash_reads(view_of(&once))) {
            print_wrong(fixture, "bash does not read it", with->name, view_of(&once));
        }
    }
    xylem_buffer_release(&once);
    assert_int_equal(counts.wrong, 0);
}

static int by_text(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* What the command started, in an order of its own: nothing says which end of a pipe runs first. */
static bool runs_of(struct xylem_buffer *out, struct shell_sandbox *sandbox, struct xylem_view command)
{
    const struct shell_report *report = NULL;
    char *lines[SHELL_EVENTS_MAX];
    size_t count = 0;
    bool whole = shell_sandbox_run(&report, sandbox, command.data, command.bytes) && !report->died;
    out->bytes = 0;
    for (size_t i = 0; whole && i < report->event_count; i++) {
        const struct shell_event *event = &report->events[i];
        whole = event->type != SHELL_TOO_LONG && event->type != SHELL_TOO_MUCH;
        if (event->type == SHELL_RAN) {
            assert_true(asprintf(&lines[count++], "%s\x1f%s\n", shell_base_name(event->what), event->how) >= 0);
        }
    }
    qsort(lines, count, sizeof lines[0], by_text);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(xylem_buffer_add(out, lines[i], strlen(lines[i])), 0);
        free(lines[i]);
    }
    return whole;
}

/* What differs from run to run is looked at again. */
static bool run_alike(struct shell_sandbox *sandbox, struct xylem_view command, struct xylem_view rewritten)
{
    struct xylem_buffer before = {0};
    struct xylem_buffer after = {0};
    bool alike = false;
    for (int i = 0; i < 4 && !alike; i++) {
        alike =
            !runs_of(&before, sandbox, command) || !runs_of(&after, sandbox, rewritten) ||
            (before.bytes == after.bytes && (before.bytes == 0 || memcmp(before.data, after.data, before.bytes) == 0));
    }
    if (!alike) {
        print_error("ran before: %s\nruns after: %s\n", before.data ? before.data : "",
                    after.data == NULL ? "" : after.data);
    }
    xylem_buffer_release(&before);
    xylem_buffer_release(&after);
    return alike;
}

/* Differs from run to run, or by how the command is written. */
static bool is_volatile(struct xylem_view command)
{
    static const char *const parts[] = {"$$", "$_", "RANDOM", "SECONDS", "BASHPID", "LINENO", "$!", "<(", ">(", "trap"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (has(command, parts[i])) {
            return true;
        }
    }
    return false;
}

/* bash ends before what it started beside itself; and behind `$(` bash 5.2 starts another coprocess. */
static bool starts_beside(struct xylem_view rewritten)
{
    return has(rewritten, "<(") || has_readings(rewritten);
}

TEST(bash_runs_the_same_when_it_was_rewritten)
{
    char why[256] = "";
    struct shell_sandbox *sandbox = shell_sandbox_open(why, sizeof why);
    int left = at_length ? 30 * SANDBOX_CHECKS_DEFAULT : (int)test_rounds(SANDBOX_CHECKS_DEFAULT);
    struct xylem_buffer once = {0};
    (void)state;
    if (!sandbox) {
        print_message("no sandbox: %s\n", why);
        skip();
    }
    counts.wrong = 0;
    while (left > 0) {
        const struct policy_fixture *fixture = draw_understood();
        const struct shell_rewrite *with = &shell_rewrites[chance_below(&chance, (int)shell_rewrite_count)];
        if (with->kind == SHELL_REWRITE_SAME && !is_volatile(fixture->command) &&
            rewrite(&once, with, fixture->command) && !starts_beside(view_of(&once))) {
            left--;
            if (!run_alike(sandbox, fixture->command, view_of(&once))) {
                print_wrong(fixture, "bash runs something else", with->name, view_of(&once));
            }
        }
    }
    xylem_buffer_release(&once);
    shell_sandbox_close(sandbox);
    assert_int_equal(counts.wrong, 0);
}

static int read_fixtures(void **state)
{
    (void)state;
    const char *given = getenv("XYLEM_SEED");
    at_length = getenv("XYLEM_TORTURE") != NULL;
    seed = given ? strtoull(given, NULL, 10) : UINT64_C(20261122);
    chance = chance_of(seed);
    policy_fixtures_read(&fixtures);
    print_message("again: XYLEM_SEED=%" PRIu64 " %s\n", seed, program_invocation_name);
    return 0;
}

static int release_fixtures(void **state)
{
    (void)state;
    xylem_verdict_release(&verdict);
    policy_fixtures_release(&fixtures);
    return 0;
}

TEST_FILE(read_fixtures, release_fixtures)
