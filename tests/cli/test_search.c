/* What `xylem search` finds and prints. Goldens: XYLEM_WRITE_EXPECTED=1 writes them anew. */
#include "tests/cli/command.h"
#include "tests/cli/terminal.h"
#include "tests/lib/store_builder.h"
#include "tests/lib/test.h"

static int import_sessions(void **state)
{
    command_set_up_scenario(state);
    struct command *command = *state;
    command_line(command, "import -q " SESSIONS "rpc-scenario");
    assert_exit(command, 0);
    return 0;
}

#define WITH_SESSIONS(test) TEST_WITH(test, import_sessions, command_tear_down_verified)
#define IN_STORE(test) TEST_WITH(test, command_set_up, command_tear_down_verified)

WITH_SESSIONS(matches_are_listed)
{
    struct command *command = *state;
    command_expect_line(command, "search compaction", "search.txt");
    command_expect_line(command, "search compaction -C 1 -n 2", "search-around.txt");
    command_expect_line(command, "search compaction -n 3 --jsonl", "search.jsonl");
    command_expect_line(command, "search -c write", "search-count.txt");
    command_expect_line(command, "search -l write", "search-list.txt");
}

WITH_SESSIONS(matches_are_laid_out_for_the_terminal)
{
    struct command *command = *state;
    command_expect_at(command, "60", "search compaction", "search-60.txt");
    command_expect_at(command, "80", "search compaction -C 1", "search-80.txt");
    command_expect_at(command, "160", "search compaction", "search-160.txt");
    command_expect_at(command, "80", "search compaction --color always", "search-color.txt");
    for (size_t columns = 40; columns <= 160; columns += 20) {
        command_must_fit(command, columns, "search readonly");
    }
}

WITH_SESSIONS(filters_narrow_a_search)
{
    struct command *command = *state;
    command_must(command, "search -c nope");
    assert_contains(command->out, "matches in ");
    command_must(command, "search nope --tool write --jsonl");
    assert_contains(command->out, "\"part\":\"call\",\"role\":\"assistant\",\"tool\":\"write\"");
    command_must(command, "search disabled --tool write --errors");
    command_line(command, "search nope --role toolResult --tool write");
    assert_exit(command, 1);
    command_must(command, "search disabled --role toolResult --tool write");
    assert_contains(command->out, "toolResult, write, error");
    command_must(command, "search after --kind label --kind compaction");
    assert_contains(command->out, "label");
    command_line(command, "search question --since 2027-01-01");
    assert_exit(command, 1);
    command_line(command, "search question --until 2020-01-01");
    assert_exit(command, 1);
    command_must(command, "search question --cwd /home/dev");
    command_line(command, "search question --cwd /nowhere/at/all");
    assert_exit(command, 1);
    command_must(command, "search question --cwd /home/gone/../dev//");
    command_line(command, "search question --cwd nowhere");
    assert_exit(command, 1);
    command_must(command, "search -l question --session " SCENARIO_ID);
    assert_string_equal(command->out, SCENARIO_ID "\n");
    command_line(command, "search question --session nobody");
    assert_exit(command, 3);
}

WITH_SESSIONS(case_and_expressions)
{
    struct command *command = *state;
    command_must(command, "search -c goal");
    command_line(command, "search -s -c GOAL");
    assert_exit(command, 1);
    command_line(command, "search -c GOAL");
    assert_exit(command, 1);
    command_must(command, "search -e echo:.*resume$");
    assert_contains(command->out, "echo: after resume");
    command_line(command, "search -e (");
    assert_error(command, 2, "the pattern cannot be compiled: byte 1: ");
}

IN_STORE(wrong_words_are_refused)
{
    struct command *command = *state;
    command_line(command, "search a -s -e");
    assert_error(command, 2, "-s and -e cannot be combined");
    command_line(command, "search a -l -c");
    assert_error(command, 2, "-l and -c cannot be combined");
    command_line(command, "search a --max 0");
    assert_error(command, 2, "--max takes 1 or more");
    command_run(command, "search", "", NULL);
    assert_error(command, 2, "the pattern is empty");
    command_run(command, "search", "\xff", NULL);
    assert_error(command, 2, "the pattern is not UTF-8");
    command_line(command, "search");
    assert_exit(command, 2);
    command_line(command, "search a --json --jsonl");
    assert_exit(command, 2);
}

IN_STORE(an_entry_of_forks_names_them)
{
    struct command *command = *state;
    command_must(command,
                 "append source --create --id first --kind message --data {\"role\":\"user\",\"content\":\"fox\"}");
    command_must(command, "fork source first --id one");
    command_must(command, "fork source first --id two");
    command_must(command, "search fox");
    assert_contains(command->out, "xylem show source:first  ");
    assert_contains(command->out, "user, also in one, two\n    fox\n\n1 match in 1 session\n");
    command_must(command, "search fox --session one --session two --jsonl");
    assert_contains(command->out, "\"session\":\"two\"");
    assert_contains(command->out, "\"sessions\":[\"source\",\"one\",\"two\"]");
}

IN_STORE(a_command_to_paste_is_safe_in_a_shell)
{
    struct command *command = *state;
    command_run(command, "append", "a;b", "--create", "--id", "$(c)", "--kind", "note", "--data", "\"fox\"", NULL);
    assert_exit(command, 0);
    command_must(command, "search fox");
    assert_contains(command->out, "xylem show 'a;b:$(c)'  ");
}

IN_STORE(lines_in_quarantine_are_searched_on_request)
{
    struct command *command = *state;
    command_line(command, "import -q " SESSIONS "specials/damaged-middle-line.jsonl");
    assert_exit(command, 1);
    command_line(command, "search broken");
    assert_exit(command, 1);
    command_must(command, "search broken --quarantine");
    assert_contains(command->out, " --raw 4  line 4 in quarantine\n    {\"type\":\"custom\",\"id\":\"broken\n");
    command_must(command, "search broken --quarantine --jsonl -C 1");
    assert_contains(command->out, "\"entry\":null,\"line\":4,\"part\":\"quarantine\"");
    command_must(command, "search broken --quarantine -c --json");
    assert_contains(command->out, "\"matches\":1,\"newest\":null");
}

/* The search goes on behind damage, and the exit code tells. */
static void damage_one(struct command *command)
{
    struct xylem_error err = {0};
    struct store_builder builder = {.store = NULL};
    struct xylem_session session;
    struct xylem_position position;
    struct xylem_open_options options = {.durability = XYLEM_DURABILITY_NONE};
    char path[256];
    command_path(path, command, "store");
    store_builder_must(xylem_open(&builder.store, path, &options, &err), &err);
    store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), &err);
    store_builder_must(xylem_session_find(&session, builder.txn, xylem_view_of("s"), &err), &err);
    store_builder_must(xylem_find(&position, builder.txn, session.number, xylem_view_of("b"), &err), &err);
    store_builder_damage(&builder, position);
    store_builder_must(xylem_commit(builder.txn, &err), &err);
    store_builder_must(xylem_close(builder.store, &err), &err);
}

TEST_WITH(a_damaged_entry_is_named_and_the_search_goes_on, command_set_up, command_tear_down)
{
    struct command *command = *state;
    command_must(command, "append s --create --id a --kind note --data \"fox\"");
    command_must(command, "append s --id b --kind note --data \"fox\"");
    command_must(command, "append s --id c --kind note --data \"fox\"");
    damage_one(command);
    command_line(command, "search fox");
    assert_exit(command, 5);
    assert_contains(command->out, "2 matches in 1 session");
    assert_contains(command->err, "xylem: search: damaged: log: session s: branch 1, depth 2: ");
    command_line(command, "search nothing");
    assert_exit(command, 5);
}

TEST_WITH(a_damaged_entry_beside_a_match_hides_no_match, command_set_up, command_tear_down)
{
    struct command *command = *state;
    command_must(command, "append s --create --id a --kind note --data \"fox\"");
    command_must(command, "append s --id b --kind note --data \"hen\"");
    command_must(command, "append s --id c --kind note --data \"fox\"");
    damage_one(command);
    command_line(command, "search fox -C 1");
    assert_exit(command, 5);
    assert_contains(command->out, "2 matches in 1 session");
    assert_contains(command->err, "damaged: an entry beside a match: ");
    command_line(command, "search fox -C 1 --jsonl");
    assert_exit(command, 5);
    assert_contains(command->out, "\"entries_before\":[]");
}

/* A session of texts, in each of which the expression `a+@` takes many steps: a search of seconds. */
static void write_slow_session(const char *path)
{
    enum { TEXTS = 1000, LETTERS = 8000 }; /* less than 1,024 texts: one thread searches all */
    static char letters[LETTERS + 1];
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    memset(letters, 'a', LETTERS);
    fputs("{\"type\":\"session\",\"version\":3,\"id\":\"slow\",\"timestamp\":\"2026-11-20T12:00:00.000Z\",\"cwd\":\"/\"}\n",
          file);
    for (int i = 0; i < TEXTS; i++) {
        char parent[16] = "null";
        if (i > 0) {
            snprintf(parent, sizeof parent, "\"e%d\"", i - 1);
        }
        fprintf(file,
                "{\"type\":\"note\",\"id\":\"e%d\",\"parentId\":%s,\"timestamp\":\"2026-11-20T12:00:00.000Z\","
                "\"text\":\"%s b@\"}\n",
                i, parent, letters);
    }
    assert_int_equal(fclose(file), 0);
}

/* Waits until the process has mapped the store. */
static void await_store(pid_t process)
{
    char path[64];
    bool mapped = false;
    snprintf(path, sizeof path, "/proc/%d/maps", (int)process);
    for (int turn = 0; turn < 60000 && !mapped; turn++) {
        char *maps = command_read_file(path, NULL);
        mapped = strstr(maps, "/data.mdb") != NULL;
        free(maps);
        usleep(mapped ? 0 : 1000);
    }
    assert_true(mapped);
}

TEST_WITH(an_interrupt_ends_a_search_in_the_pass, command_set_up, command_tear_down)
{
    struct command *command = *state;
    const char *words[] = {"search", "-e", "a+@"};
    char path[256];
    command_path(path, command, "slow.jsonl");
    write_slow_session(path);
    command_run(command, "import", "-q", path, NULL);
    assert_exit(command, 0);
    pid_t child = command_start(command, words, 3);
    await_store(child);
    assert_int_equal(kill(child, SIGINT), 0);
    command_end(command, child);
    assert_exit(command, 130);
    assert_string_equal(command->out, "");
    assert_string_equal(command->err, "");
}
