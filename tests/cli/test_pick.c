/* xylem sessions --pick: with fzf, with programs in the place of fzf, and by number. */
#include "tests/cli/terminal.h"
#include "tests/lib/test.h"

#include <sys/stat.h>

#define SESSION_COUNT 22

/* Sessions s-01 to s-22, the last of which was last active. */
static int set_up_sessions(void **state)
{
    command_set_up(state);
    for (int i = 1; i <= SESSION_COUNT; i++) {
        char id[16];
        snprintf(id, sizeof id, "s-%02d", i);
        command_run(*state, "append", id, "--create", "--kind", "message", "--data",
                    "{\"role\":\"user\",\"content\":\"x\"}", NULL);
        assert_exit((struct command *)*state, 0);
    }
    command_run(*state, "rename", "s-07", "the seventh", NULL);
    assert_exit((struct command *)*state, 0);
    return 0;
}

#define WITH_SESSIONS(test) TEST_WITH(test, set_up_sessions, command_tear_down_verified)

/* Runs the command with a shell script in the place of fzf; `{xylem}` is the command with its store. */
static void pick_with(struct command *command, const char *script)
{
    char path[256];
    char text[1024];
    char settings[512];
    const char *at = strstr(script, "{xylem}");
    command_path(path, command, "bin");
    assert_true(mkdir(path, 0700) == 0 || errno == EEXIST);
    snprintf(settings, sizeof settings, "PATH=%s:/usr/bin:/bin", path);
    command_path(path, command, "bin/fzf");
    if (at) {
        snprintf(text, sizeof text, "#!/bin/sh\n%.*s%s -s %s%s\n", (int)(at - script), script, command_program(),
                 command->store, at + strlen("{xylem}"));
    } else {
        snprintf(text, sizeof text, "#!/bin/sh\n%s\n", script);
    }
    command_write_file(path, text, strlen(text));
    assert_int_equal(chmod(path, 0700), 0);
    run_on_terminal(command, &(struct terminal){.settings = settings}, "sessions --pick");
}

/* Without echo: the system may echo in the middle of a question. */
static void pick_by_number(struct command *command, const char *typed, const char *line)
{
    const struct terminal terminal = {.typed = typed, .settings = "PATH=/nowhere:/dev/null", .unchanged = true};
    run_on_terminal(command, &terminal, line);
}

WITH_SESSIONS(fzf_picks_a_session)
{
    struct command *command = *state;
    const struct terminal seventh = {.typed = "\n", .settings = "FZF_DEFAULT_OPTS=--filter=seventh"};
    const struct terminal nothing = {.typed = "\n", .settings = "FZF_DEFAULT_OPTS=--filter=eighth"};
    run_on_terminal(command, &seventh, "sessions --pick");
    assert_exit(command, 0);
    assert_contains(command->out, "\ns-07\n"); /* behind the echo of what was typed */
    run_on_terminal(command, &nothing, "sessions --pick");
    assert_exit(command, 1);
    assert_contains(command->out, "xylem: sessions: nothing was picked\n");
}

WITH_SESSIONS(fzf_gets_the_list_with_numbers_and_nobody_holds_the_store_meanwhile)
{
    struct command *command = *state;
    pick_with(command, "sed -n '1,3s/  */ /gp' >&2; printf '3\\tx\\n'");
    assert_exit(command, 0);
    assert_contains(command->out, "0\tSESSION AGE ENTRIES DIRECTORY NAME LAST\n1\ts-07 ");
    assert_contains(command->out, " the seventh x\n2\ts-22 ");
    assert_contains(command->out, "\ns-21\n");
    pick_with(command, "{xylem} compact --yes >&2 && printf '1\\t'");
    assert_exit(command, 0);
    assert_contains(command->out, "\ns-07\n");
}

WITH_SESSIONS(a_picker_that_fails_is_an_error)
{
    struct command *command = *state;
    pick_with(command, "exit 130");
    assert_exit(command, 1);
    assert_string_equal(command->out, "xylem: sessions: nothing was picked\n");
    pick_with(command, "exit 2");
    assert_exit(command, 6);
    assert_string_equal(command->out, "xylem: sessions: fzf ended with exit code 2\n");
    pick_with(command, "kill -9 $$");
    assert_exit(command, 6);
    assert_string_equal(command->out, "xylem: sessions: fzf was ended by signal 9\n");
    static const char *const answers[] = {
        "echo 23", "echo 0", "echo x", "echo 2", "printf '2x\\t'", "true", "head -c 100000 /dev/zero"};
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        pick_with(command, answers[i]);
        assert_exit(command, 6);
        assert_string_equal(command->out, "xylem: sessions: fzf answered no line of the list\n");
    }
}

WITH_SESSIONS(without_fzf_a_number_picks)
{
    struct command *command = *state;
    pick_by_number(command, "x\n0\n21\n2\n", "sessions --pick");
    assert_exit(command, 0);
    assert_contains(command->out, "\n 20 s-03 ");
    assert_null(strstr(command->out, "\n 21 "));
    assert_contains(command->out, "\n2 more sessions: --name, --dir and --since choose\nsession (1 to 20): ");
    assert_contains(command->out, "): s-22\n");
    pick_by_number(command, "1\n", "sessions --pick --name seventh");
    assert_contains(command->out, "session (1 to 1): s-07\n");
    pick_by_number(command, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx2\n3\n",
                   "sessions --pick");
    assert_contains(command->out, "): session (1 to 20): s-21\n");
    pick_by_number(command, "\n", "sessions --pick");
    assert_exit(command, 1);
    assert_contains(command->out, "nothing was picked\n");
    pick_by_number(command, "\004", "sessions --pick"); /* the end of the input */
    assert_exit(command, 1);
    pick_by_number(command, NULL, "sessions --pick --name nobody");
    assert_exit(command, 1);
    assert_string_equal(command->out, "xylem: sessions: no session passes the filters\n");
}

WITH_SESSIONS(a_person_picks_and_no_program)
{
    struct command *command = *state;
    command_line(command, "sessions --pick");
    assert_error(command, 2, "standard input is not a terminal: --pick asks a person");
    pick_by_number(command, NULL, "sessions --pick --json");
    assert_exit(command, 2);
    assert_contains(command->out, "--pick prints an id, and no JSON");
}
