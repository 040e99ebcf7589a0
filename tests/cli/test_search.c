/* An interrupt of xylem search. */
#include "tests/cli/command.h"
#include "tests/cli/terminal.h"
#include "tests/lib/store_builder.h"
#include "tests/lib/test.h"

/* A session of texts, in each of which the expression `a+@` takes many steps: a search of seconds. */
static void write_slow_session(const char *path)
{
    enum { TEXTS = 1000, LETTERS = 8000 }; /* less than 1,024 texts: one thread searches all */
    static char letters[LETTERS + 1];
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    memset(letters, 'a', LETTERS);
    fputs("{\"type\":\"session\",\"version\":3,\"id\":\"slow\",\"timestamp\":\"2026-11-20T12:00:00.000Z\",\"cwd\":\"/"
          "\"}\n",
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
