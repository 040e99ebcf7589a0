/*
 * Values that the judge takes for known cannot become options. Commands that strict allows get other words: expansions
 * of every kind that strict knows, and of many that it must not know. What strict still allows runs in the sandbox, in
 * bash and in zsh, beside files and a tag with the names of options. Nothing may change, and no other program may run.
 *
 * A seed decides everything about a command; XYLEM_SEED=n runs that one alone, XYLEM_ROUNDS=n runs so many hundreds.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "xylem/policy.h"
#include "tests/lib/chance.h"
#include "tests/lib/shell_allowed.h"
#include "tests/lib/shell_sandbox.h"
#include "tests/lib/shell_text.h"
#include "tests/lib/test.h"

#define COMMANDS_DEFAULT 150
#define COMMANDS_AT_LENGTH 12000
#define DRAWS_MAX 60 /* for a command that strict allows */
#define DEFECTS_MAX 20
#define COMMAND_MAX 3000

static const char *const words[] = {
    "$(git merge-base main HEAD)",
    "\"$(git merge-base main HEAD)\"",
    "$(git merge-base main nope)", /* prints nothing */
    "$(git rev-parse HEAD)",
    "$(git rev-parse --short HEAD~1)",
    "\"$(git rev-parse HEAD 2>/dev/null)\"",
    "$(git rev-parse nope)", /* prints `nope` */
    "$(git rev-parse -- --output=z)",
    "$(git log --format=%h -2)",
    "$(git log -1 --pretty=%H -- a)",
    "$(git log --format=%s -1)", /* prints `--output=z` */
    "$(git rev-list --max-count=1 HEAD)",
    "$(git describe --tags --abbrev=0)", /* prints `--output=z` */
    "`git rev-parse HEAD`",
    "$(git tag)",
    "$F",
    "\"$F\"",
    "${F}",
    "$B",
    "\"$B\"",
    "$F$B",
    "\"$B$F\"",
    "*",
    "*a",
    "./*",
    "dir/*",
    "$(ls)",
    "$(find .)",
    "\"$(ls)\"",
    "$(git ls-files)",
    "--",
    "-oout",
    "$N",
    "$((N+1))",
};

static const char *const ends[] = {"",   "..HEAD",     "^",   "~1",   ":a", "-oout", "-i", "/inet/",    ".c",
                                   ":t", "[1,0]-oout", "[N]", "/../", "$F", "$B",    "=z", "--output=z"};

static const char *const beginnings[] = {
    "",
    "F=a; ",
    "F=dir/deep.txt; ",
    "F=-oout; ",
    "F=dir/-oout; ",
    "F=a.-oout; ",
    "N='a[$(canary1)]'; a=1; ",
    "F='a -i b'; ",
    "export F=a; ",
    "N=3; ",
    "B=$(git merge-base main HEAD); ",
    "B=$(git merge-base main nope); ",
    "B=a; B=$(git merge-base main nope); ",
    "B=$(git describe --tags --abbrev=0); ",
    "F=a; B=$(git rev-parse HEAD) && ",
    "read F < names; ",
    "export LC_ALL=C; ",
    "PATH=\"$PATH:/w\"; ",
    "PATH=\"/w:$PATH\"; ",
    "cd dir; ",
    "cd d; ",
    "cd d && F=dir; ",
    "export PATH=$PATH:/w; ",
};

/* %s: the command. */
static const char *const around[][2] = {
    {"for F in a b.c; do ", "; done"},
    {"for F in *; do ", "; done"},
    {"for F in ./*; do ", "; done"},
    {"for F in dir/* \"$(git merge-base main nope)\"; do ", "; done"},
    {"for B in $(git log --format=%h -2); do ", "; done"},
    {"for F in $(ls); do ", "; done"},
    {"ls | xargs ", ""},
    {"ls | xargs ", " --"},
    {"find . -print0 | xargs -0 ", ""},
    {"find . -print0 2>/dev/null | xargs -0 -n 1 ", ""},
    {"find . -print | xargs -0 ", ""},
    {"find . -print0 | xargs ", ""},
    {"find -name '*' -print0 | xargs -0 -I{} ", " {}"},
    {"find . -exec ", " {} \\;"},
    {"find * -print0 | xargs -0 ", ""},
    {"git ls-files -z | xargs -0 ", ""},
    {"find . -print0 | while IFS= read -r -d '' F; do ", "; done"},
};

#define COUNT(list) ((int)(sizeof(list) / sizeof(list)[0]))

static struct {
    struct shell_sandbox *sandbox;
    struct xylem_policy *strict;
    struct shell_fixtures fixtures;
    size_t allowed_count; /* of the fixtures, which stand first */
    const struct shell_report *report;
    unsigned run_count;
    unsigned defect_count;
} world;

static bool is_allowed(const char *command)
{
    struct xylem_verdict verdict = {0};
    assert_int_equal(xylem_policy_judge(&verdict, world.strict, xylem_view_of(command), "/w", NULL), 0);
    bool passes = verdict.decision == XYLEM_ALLOW;
    xylem_verdict_release(&verdict);
    return passes;
}

/* The words of some commands are everyday ones: they have places for operands. */
static const char *draw_command(struct chance *chance)
{
    static const char *const everyday[] = {
        "sort a",
        "git diff a",
        "git log x",
        "sed -n 1p a",
        "awk 1 a",
        "file a",
        "git show a",
        "find a -name x",
        "git log -n 2 x a",
        "uniq a",
        "column a",
        "grep x a",
        "xxd a",
        "diff a b.c",
        "git config x",
        "git branch a",
        "git diff x..y",
        "date -r a",
        "tree a",
        "git grep x a",
        "git blame a",
        "sort -k 1 a b",
        "less a",
        "git ls-files a",
        "git cat-file -p x",
        "shuf a",
        "git rev-list x",
        "env sort a",
        "wc -l a",
        "base64 a",
        "nice sort a",
        "git reflog show",
        "git stash show x",
        "sort -- a",
        "cat a | sort",
        "git diff --stat x -- a",
    };
    if (chance_one_in(chance, 2)) {
        return everyday[chance_below(chance, COUNT(everyday))];
    }
    return world.fixtures.commands[chance_below(chance, (int)world.allowed_count)];
}

/* Puts a word in at a blank, or in the place of the word behind the blank. */
static void put_in(char *command, struct chance *chance)
{
    char rest[COMMAND_MAX];
    char *at = command + strlen(command);
    int blanks = 0;
    for (char *blank = strchr(command, ' '); blank; blank = strchr(blank + 1, ' ')) {
        at = chance_one_in(chance, ++blanks) ? blank : at;
    }
    bool replaces = *at != '\0' && chance_one_in(chance, 2);
    size_t word = replaces ? 1 + strcspn(at + 1, " ;|&)\n") : 0;
    snprintf(rest, sizeof rest, "%s", at + word);
    bool glued = chance_one_in(chance, 3);
    snprintf(at, COMMAND_MAX - (size_t)(at - command), " %s%s%s", words[chance_below(chance, COUNT(words))],
             glued ? ends[chance_below(chance, COUNT(ends))] : "", rest);
}

/* Makes the command of the round: at most 60 tries until strict allows it. False: none was allowed. */
static bool make_command(char *command, struct chance *chance)
{
    for (int draw = 0; draw < DRAWS_MAX; draw++) {
        char inner[COMMAND_MAX];
        const char *from = draw_command(chance);
        if (strlen(from) > 400) {
            continue;
        }
        snprintf(inner, sizeof inner, "%s", from);
        for (int i = chance_below(chance, 3); i >= 0; i--) {
            put_in(inner, chance);
        }
        const char *const *with = around[chance_below(chance, COUNT(around))];
        bool bare = chance_one_in(chance, 2);
        snprintf(command, COMMAND_MAX, "%s%s%s%s", beginnings[chance_below(chance, COUNT(beginnings))],
                 bare ? "" : with[0], inner, bare ? "" : with[1]);
        if (is_allowed(command)) {
            return true;
        }
    }
    return false;
}

static bool does_harm(const char *command)
{
    if (!shell_sandbox_run(&world.report, world.sandbox, command, strlen(command))) {
        fail_msg("the sandbox ended, and no new one can be had");
    }
    world.run_count++;
    for (size_t i = 0; i < world.report->event_count; i++) {
        const struct shell_event *event = &world.report->events[i];
        bool program = event->type == SHELL_RAN || event->type == SHELL_RAN_BELOW;
        if (event->type == SHELL_WROTE || event->type == SHELL_HATCH ||
            (program && !shell_allowed(world.strict, event))) {
            return true;
        }
    }
    return world.report->died;
}

static void run_seed(uint64_t seed)
{
    static char command[sizeof SHELL_SANDBOX_ZSH + COMMAND_MAX];
    static char room[4 * COMMAND_MAX];
    char *bare = command + strlen(SHELL_SANDBOX_ZSH);
    struct chance chance = chance_of(seed);
    memcpy(command, SHELL_SANDBOX_ZSH, strlen(SHELL_SANDBOX_ZSH));
    if (!make_command(bare, &chance)) {
        return;
    }
    const char *const ways[] = {bare, access("/usr/bin/zsh", X_OK) == 0 ? command : NULL};
    for (int i = 0; i < 2 && ways[i]; i++) {
        if (does_harm(ways[i])) {
            world.defect_count++;
            print_error("%s, XYLEM_SEED=%" PRIu64 ": $'%s'\n", i == 0 ? "bash" : "zsh", seed,
                        shell_text_escape(room, sizeof room, bare, strlen(bare)));
            shell_report_print(world.report);
        }
    }
}

TEST(no_known_value_becomes_an_option)
{
    bool one = getenv("XYLEM_SEED") != NULL;
    uint64_t first = test_number_from("XYLEM_SEED", (uint64_t)time(NULL) * 1000000u);
    uint64_t hundreds = test_number_from("XYLEM_ROUNDS", 0);
    uint64_t commands = one                       ? 1
                        : hundreds > 0            ? hundreds * 100
                        : getenv("XYLEM_TORTURE") ? COMMANDS_AT_LENGTH
                                                  : COMMANDS_DEFAULT;
    (void)state;
    if (!world.sandbox) {
        return;
    }
    print_message("seeds %" PRIu64 " to %" PRIu64 "\n", first, first + commands - 1);
    for (uint64_t i = 0; i < commands && world.defect_count < DEFECTS_MAX; i++) {
        run_seed(first + i);
    }
    print_message("figures: %u runs of commands with values put in that strict allows, %u did harm\n", world.run_count,
                  world.defect_count);
    assert_int_equal(world.defect_count, 0);
    assert_true(one || world.run_count >= commands);
}

/* The files and the tag do harm where the words reach a program. */
TEST(the_names_of_options_do_harm)
{
    static const char *const harmful[] = {"sort *",
                                          "cd dir; sed p *",
                                          "cd dir; ls | xargs sed p",
                                          "cd d; find *",
                                          "git log $(git describe --tags --abbrev=0)..HEAD",
                                          "find . -maxdepth 1 | xargs sort",
                                          "git log $(git log -1 --format=%s)",
                                          SHELL_SANDBOX_ZSH "path=/w; ls",
                                          SHELL_SANDBOX_ZSH "f=x/-oout; sort $f:t a",
                                          SHELL_SANDBOX_ZSH "n='a[$(canary1)]'; a=1; f=b; echo \"$f[n]\""};
    (void)state;
    for (size_t i = 0; world.sandbox && i < sizeof harmful / sizeof *harmful; i++) {
        if (strncmp(harmful[i], SHELL_SANDBOX_ZSH, strlen(SHELL_SANDBOX_ZSH)) == 0 &&
            access("/usr/bin/zsh", X_OK) != 0) {
            continue;
        }
        if (!does_harm(harmful[i])) {
            fail_msg("nothing was seen of: %s", harmful[i]);
        }
        assert_false(is_allowed(harmful[i]));
    }
    world.run_count = 0;
}

static int set_up(void **state)
{
    char why[256];
    struct xylem_policy_config strict = {.type = XYLEM_POLICY_STRICT};
    (void)state;
    world.sandbox = shell_sandbox_open(why, sizeof why);
    if (!world.sandbox) {
        print_message("figures: no sandbox can be had here, no command was run: %s\n", why);
    }
    shell_fixtures_read(&world.fixtures, "fixtures/policy");
    int code = xylem_policy_new(&world.strict, &strict, NULL);
    for (size_t i = 0; code == 0 && i < world.fixtures.count; i++) {
        char *command = world.fixtures.commands[i];
        if (is_allowed(command)) {
            world.fixtures.commands[i] = world.fixtures.commands[world.allowed_count];
            world.fixtures.commands[world.allowed_count++] = command;
        }
    }
    return code;
}

static int tear_down(void **state)
{
    (void)state;
    shell_sandbox_close(world.sandbox);
    shell_fixtures_free(&world.fixtures);
    xylem_policy_free(world.strict);
    return 0;
}

TEST_FILE(set_up, tear_down)
