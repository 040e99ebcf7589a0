/*
 * bash itself says whether the judge was right. On generated commands, each run in a sandbox that says what it did:
 * what `strict` allows ran no program that its list does not have, and wrote nothing; what the parser understood ran no
 * program that it had not found. A seed decides everything about a command; XYLEM_SEED=n runs that one alone,
 * XYLEM_ROUNDS=n runs so many hundreds. XYLEM_CORPUS=FILE runs the commands of a file instead, one a line or with a NUL
 * byte behind each, and says what the policies make of them.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "judge/shell/parse.h"
#include "xylem/policy.h"
#include "tests/lib/command_names.h"
#include "tests/lib/shell_allowed.h"
#include "tests/lib/shell_sandbox.h"
#include "tests/lib/shell_text.h"
#include "tests/lib/smaller.h"
#include "tests/lib/test.h"

#define COMMANDS_DEFAULT 400
#define COMMANDS_AT_LENGTH 24000
#define DEFECTS_MAX 25 /* after so many it is enough */

enum defect {
    NO_DEFECT = 0,
    MISSED_PROGRAM,  /* understood, but another program ran */
    ALLOWED_PROGRAM, /* allowed, but a program ran that is not */
    ALLOWED_WRITE,
};

static const char *const defect_names[] = {"", "the parser did not find what ran", "strict allows what ran",
                                           "strict allows what wrote"};

static struct {
    struct shell_sandbox *sandbox;
    struct xylem_policy *strict;
    struct xylem_policy *readonly;
    struct xylem_policy *confirm;
    struct shell_fixtures fixtures;
    struct command_names names;
    const struct shell_report *report;
    enum defect defect; /* the kind that is looked for when a command is made smaller */
    bool understood;
    bool allowed;
    unsigned understood_count;
    unsigned allowed_count;
    unsigned program_count;
    unsigned write_count;
    unsigned long_count;
    unsigned denied_count;
    unsigned asked_count;
    unsigned not_run_count;
    unsigned defect_count;
} world;

static void ask_parser(struct xylem_view command)
{
    struct xylem_shell__arena arena = {0};
    struct xylem_shell__tree tree;
    assert_int_equal(xylem_shell__parse(&tree, &arena, command, 0), 0);
    command_names_find(&world.names, &tree);
    world.understood = !tree.not_understood_why && !tree.doubts && !world.names.undecided && !world.names.runs_code;
    if (world.understood) { /* the names lie in the arena */
        for (size_t i = 0; i < world.report->event_count; i++) {
            const struct shell_event *event = &world.report->events[i];
            if (event->type == SHELL_RAN && !command_names_hold(&world.names, event->what)) {
                world.defect = MISSED_PROGRAM;
            }
        }
    }
    xylem_shell__arena_release(&arena);
}

static bool is_allowed(const struct xylem_policy *policy, struct xylem_view command)
{
    struct xylem_verdict verdict = {0};
    struct xylem_error err = {0};
    assert_int_equal(xylem_policy_judge(&verdict, policy, command, "/w", &err), 0);
    bool passes = verdict.decision == XYLEM_ALLOW;
    xylem_verdict_release(&verdict);
    return passes;
}

static void ask_judge(struct xylem_view command)
{
    world.allowed = is_allowed(world.strict, command);
    for (size_t i = 0; world.allowed && i < world.report->event_count; i++) {
        const struct shell_event *event = &world.report->events[i];
        if (event->type == SHELL_WROTE || event->type == SHELL_HATCH) {
            world.defect = ALLOWED_WRITE;
        } else if ((event->type == SHELL_RAN || event->type == SHELL_RAN_BELOW) &&
                   !shell_allowed(world.strict, event)) {
            world.defect = ALLOWED_PROGRAM;
        }
    }
    if (world.allowed && world.report->died) {
        world.defect = ALLOWED_WRITE;
    }
}

static enum defect look(const char *command, size_t bytes)
{
    struct xylem_view view = {command, bytes};
    world.defect = NO_DEFECT;
    if (!shell_sandbox_run(&world.report, world.sandbox, command, bytes)) {
        fail_msg("the sandbox ended, and no new one can be had");
    }
    ask_parser(view);
    ask_judge(view);
    return world.defect;
}

static enum defect wanted_defect;

static bool shows_defect(const char *command, size_t bytes)
{
    return look(command, bytes) == wanted_defect;
}

static void print_defect(uint64_t seed, struct shell_text *text, enum defect defect)
{
    static char room[4 * SHELL_TEXT_BYTES_MAX];
    print_error("%s: $'%s'\n", defect_names[defect], shell_text_escape(room, sizeof room, text->data, text->bytes));
    shell_report_print(world.report);
    wanted_defect = defect;
    smaller_make(text->data, &text->bytes, shows_defect);
    print_error("smaller: $'%s'\n", shell_text_escape(room, sizeof room, text->data, text->bytes));
    look(text->data, text->bytes);
    shell_report_print(world.report);
    if (seed != 0) {
        print_error("again: XYLEM_SEED=%" PRIu64 " %s\n\n", seed, program_invocation_name);
    }
    world.defect_count++;
}

static void count(void)
{
    bool wrote = false;
    bool too_long = false;
    world.understood_count += world.understood;
    world.allowed_count += world.allowed;
    for (size_t i = 0; i < world.report->event_count; i++) {
        enum shell_event_type type = world.report->events[i].type;
        world.program_count += type == SHELL_RAN || type == SHELL_RAN_BELOW;
        wrote = wrote || type == SHELL_WROTE;
        too_long = too_long || type == SHELL_TOO_LONG;
    }
    world.write_count += wrote;
    world.long_count += too_long;
}

/* Every fixture as it is; none of them is a matter of chance. */
TEST(what_fixtures_do_is_as_was_said)
{
    static struct shell_text text;
    struct chance chance = chance_of(0);
    (void)state;
    world.defect_count = 0;
    if (!world.sandbox || !getenv("XYLEM_TORTURE")) {
        return;
    }
    for (size_t i = 0; i < world.fixtures.count && world.defect_count < DEFECTS_MAX; i++) {
        shell_text_set(&text, &chance, world.fixtures.commands[i], strlen(world.fixtures.commands[i]));
        enum defect defect = look(text.data, text.bytes);
        if (defect != NO_DEFECT) {
            print_defect(0, &text, defect);
        }
    }
    assert_int_equal(world.defect_count, 0);
}

static void run_seed(uint64_t seed)
{
    static struct shell_text text;
    struct chance chance = chance_of(seed);
    shell_text_next(&text, &chance, &world.fixtures);
    enum defect defect = look(text.data, text.bytes);
    count();
    if (defect != NO_DEFECT) {
        print_defect(seed, &text, defect);
    }
}

TEST(what_is_understood_and_allowed_does_as_was_said)
{
    world.defect_count = 0;
    bool one = getenv("XYLEM_SEED") != NULL;
    uint64_t first = test_number_from("XYLEM_SEED", (uint64_t)time(NULL) * 1000000u);
    uint64_t hundreds = test_number_from("XYLEM_ROUNDS", 0);
    uint64_t commands = one                       ? 1
                        : getenv("XYLEM_TORTURE") ? COMMANDS_AT_LENGTH
                        : hundreds > 0            ? hundreds * 100
                                                  : COMMANDS_DEFAULT;
    if (!world.sandbox || getenv("XYLEM_CORPUS")) {
        return;
    }
    print_message("seeds %" PRIu64 " to %" PRIu64 "\n", first, first + commands - 1);
    for (uint64_t i = 0; i < commands && world.defect_count < DEFECTS_MAX; i++) {
        run_seed(first + i);
    }
    print_message("figures: %" PRIu64
                  " commands run by bash (%zu texts of fixtures among their sources), %u understood "
                  "and decidable, %u allowed by strict; %u programs started, %u commands wrote, %u took too long\n",
                  commands, world.fixtures.count, world.understood_count, world.allowed_count, world.program_count,
                  world.write_count, world.long_count);
    assert_int_equal(world.defect_count, 0);
    assert_true(one || world.program_count > commands / 4);
    assert_true(one || (world.understood_count > commands / 10 && world.allowed_count > commands / 50));
}

/* One of a corpus; what is longer than the room for it is judged alone. */
static void run_of_corpus(const char *command)
{
    static struct shell_text text;
    struct chance chance = chance_of(0);
    struct xylem_view view = xylem_view_of(command);
    world.denied_count += !is_allowed(world.readonly, view);
    world.asked_count += !is_allowed(world.confirm, view);
    if (view.bytes > SHELL_TEXT_BYTES_MAX) {
        world.not_run_count++;
        world.allowed_count += is_allowed(world.strict, view);
        return;
    }
    shell_text_set(&text, &chance, command, view.bytes);
    enum defect defect = look(text.data, text.bytes);
    count();
    if (defect != NO_DEFECT) {
        print_defect(0, &text, defect);
    }
}

TEST(what_a_corpus_does_is_as_was_said)
{
    struct shell_fixtures corpus;
    const char *path = getenv("XYLEM_CORPUS");
    (void)state;
    if (!path || !*path || !world.sandbox) {
        return;
    }
    assert_true(shell_fixtures_read_corpus(&corpus, path));
    for (size_t i = 0; i < corpus.count && world.defect_count < DEFECTS_MAX; i++) {
        run_of_corpus(corpus.commands[i]);
    }
    print_message("figures: %zu commands of %s, %u too long to be run, %u understood and decidable, %u allowed by "
                  "strict, %u denied by readonly, %u asked about by confirm; %u programs started, %u commands wrote, "
                  "%u took too long\n",
                  corpus.count, path, world.not_run_count, world.understood_count, world.allowed_count,
                  world.denied_count, world.asked_count, world.program_count, world.write_count, world.long_count);
    shell_fixtures_free(&corpus);
    assert_int_equal(world.defect_count, 0);
}

/* The file's commands as they stand, whether lines or texts that may have lines of their own. */
TEST(a_corpus_is_read_by_lines_or_by_nul_bytes)
{
    static const char *const contents[] = {"ls\n\necho a\n", "ls\0a\nb\0\0", "ls"};
    static const size_t bytes[] = {11, 8, 2};
    static const char *const second[] = {"echo a", "a\nb", NULL};
    struct shell_fixtures corpus;
    (void)state;
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        char path[] = "/tmp/xylem-corpus-XXXXXX";
        int file = mkstemp(path);
        assert_true(file >= 0);
        assert_int_equal(write(file, contents[i], bytes[i]), bytes[i]);
        close(file);
        assert_true(shell_fixtures_read_corpus(&corpus, path));
        unlink(path);
        assert_int_equal(corpus.count, second[i] ? 2 : 1);
        assert_string_equal(corpus.commands[0], "ls");
        if (second[i]) {
            assert_string_equal(corpus.commands[1], second[i]);
        }
        shell_fixtures_free(&corpus);
        assert_false(shell_fixtures_read_corpus(&corpus, path));
    }
}

/* The two comparisons see what they are there for: a parser that finds nothing, and a judge that allows everything. */
TEST(the_comparison_sees_what_was_missed)
{
    static const char command[] = "ls; canary1";
    struct command_names *names = &world.names;
    (void)state;
    if (!world.sandbox) {
        return;
    }
    assert_true(shell_sandbox_run(&world.report, world.sandbox, command, sizeof command - 1));
    names->count = 0;
    assert_int_equal(world.report->event_count, 2);
    assert_false(command_names_hold(names, world.report->events[1].what));
    names->names[names->count++] = xylem_view_of("/x/canary1");
    assert_true(command_names_hold(names, world.report->events[1].what));
    assert_true(shell_allowed(world.strict, &world.report->events[0]));
    assert_false(shell_allowed(world.strict, &world.report->events[1]));
    assert_false(shell_allowed(world.strict, &(struct shell_event){SHELL_RAN, "./ls", ""}));
    assert_false(shell_allowed(world.strict, &(struct shell_event){SHELL_RAN, "/w/ls", ""}));
    assert_false(shell_allowed(world.strict, &(struct shell_event){SHELL_RAN, "crontab", "-r\x1f"}));
    assert_true(shell_allowed(world.strict, &(struct shell_event){SHELL_RAN, "crontab", "-l\x1f"}));
}

static int set_up(void **state)
{
    char why[256];
    struct xylem_policy_config strict = {.type = XYLEM_POLICY_STRICT};
    struct xylem_policy_config readonly = {.type = XYLEM_POLICY_READONLY};
    struct xylem_policy_config confirm = {.type = XYLEM_POLICY_CONFIRM};
    struct xylem_error err = {0};
    (void)state;
    world.sandbox = shell_sandbox_open(why, sizeof why);
    if (!world.sandbox) {
        print_message("figures: no sandbox can be had here, no command was run: %s\n", why);
    }
    shell_fixtures_read(&world.fixtures, "fixtures/policy");
    int rc = xylem_policy_new(&world.strict, &strict, &err);
    rc = rc ? rc : xylem_policy_new(&world.readonly, &readonly, &err);
    return rc ? rc : xylem_policy_new(&world.confirm, &confirm, &err);
}

static int tear_down(void **state)
{
    (void)state;
    shell_sandbox_close(world.sandbox);
    shell_fixtures_free(&world.fixtures);
    xylem_policy_free(world.strict);
    xylem_policy_free(world.readonly);
    xylem_policy_free(world.confirm);
    return 0;
}

TEST_FILE(set_up, tear_down)
