/* Did you mean: what is said of words that mean nothing. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

static void set_name(struct command *command, const char *session, const char *json)
{
    command->now = "2026-11-20T19:30:00Z"; /* before the entries: no age is more than 0 */
    command_run(command, "append", session, "--create", "--kind", "session_info", "--data", json, NULL);
    assert_exit(command, 0);
}

/* The line on standard error is this one. */
static void assert_says(struct command *command, const char *line, int code, const char *expected)
{
    command_line(command, line);
    assert_exit(command, code);
    assert_string_equal(command->out, "");
    assert_string_equal(command->err, expected);
}

#define IN_STORE(test) TEST_WITH(test, command_set_up, command_tear_down_verified)

IN_STORE(commands_that_are_spelt_alike_are_named)
{
    struct command *command = *state;

    assert_says(command, "tre", 2, "xylem: there is no command 'tre'; did you mean 'tree'? (see `xylem help`)\n");
    assert_says(command, "verfiy", 2,
                "xylem: there is no command 'verfiy'; did you mean 'verify'? (see `xylem help`)\n");
    assert_says(command, "sess", 2, "xylem: there is no command 'sess'; did you mean 'sessions'? (see `xylem help`)\n");
    assert_says(command, "LOG", 2, "xylem: there is no command 'LOG'; did you mean 'log'? (see `xylem help`)\n");
    assert_says(command, "stae", 2,
                "xylem: there is no command 'stae'; did you mean 'state' or 'stat'? (see `xylem help`)\n");
    assert_says(command, "ver", 2,
                "xylem: there is no command 'ver'; did you mean 'verify' or 'version'? (see `xylem help`)\n");
    assert_says(command, "help braches", 2,
                "xylem: help: there is no command 'braches'; did you mean 'branches'? (see `xylem help --help`)\n");
}

IN_STORE(where_nothing_is_close_nothing_is_named)
{
    struct command *command = *state;
    char word[300];

    assert_says(command, "frobnicate", 2, "xylem: there is no command 'frobnicate' (see `xylem help`)\n");
    assert_says(command, "x", 2, "xylem: there is no command 'x' (see `xylem help`)\n");
    assert_says(command, "foo", 2, "xylem: there is no command 'foo' (see `xylem help`)\n");
    assert_says(command, "sessions --zzzz", 2,
                "xylem: sessions: there is no option --zzzz (see `xylem sessions --help`)\n");
    memset(word, 'x', sizeof(word) - 1);
    word[sizeof(word) - 1] = '\0';
    command_run(command, word, NULL);
    assert_error(command, 2, "there is no command 'xxx");
    command_run(command, "log", "nothing-like-it", NULL);
    assert_error(command, 3, "there is no session 'nothing-like-it'\n");
    command_run(command, "log", word, NULL);
    assert_error(command, 3, "there is no session 'xxx");
}

IN_STORE(options_that_are_spelt_alike_are_named)
{
    struct command *command = *state;

    assert_says(command, "log s --jsno", 2,
                "xylem: log: there is no option --jsno; did you mean --json? (see `xylem log --help`)\n");
    assert_says(command, "sessions --sicne=2h", 2,
                "xylem: sessions: there is no option --sicne; did you mean --since? (see `xylem sessions --help`)\n");
    assert_says(command, "log s --colour always", 2,
                "xylem: log: there is no option --colour; did you mean --color? (see `xylem log --help`)\n");
    assert_says(command, "--stor x log", 2,
                "xylem: there is no option --stor; did you mean --store? (see `xylem help`)\n");
}

IN_STORE(sessions_are_named_by_their_name)
{
    struct command *command = *state;

    set_name(command, "01a1f9f7-22cb", "{\"name\":\"scenario one\"}");
    set_name(command, "01a1f9f7-99aa", "{\"name\":\"the login\"}");
    set_name(command, "beef0000-1111", "{\"name\":\"\"}");
    command_line(command, "log LOGIN");
    assert_error(command, 3, "there is no session 'LOGIN'; did you mean 01a1f9f7-99aa (the login, 0s)?\n");
    command_run(command, "log", "scenraio one", NULL);
    assert_error(command, 3, "; did you mean 01a1f9f7-22cb (scenario one, 0s)?\n");
}

IN_STORE(sessions_are_named_by_ids_that_are_spelt_alike)
{
    struct command *command = *state;

    set_name(command, "01a1f9f7-22cb", "{\"name\":\"scenario one\"}");
    set_name(command, "beef0000-1111", "{}");
    command_line(command, "log 01a1f9f8");
    assert_error(command, 3, "there is no session '01a1f9f8'; did you mean 01a1f9f7-22cb (scenario one, 0s)?\n");
    command_line(command, "log baef0000-1111");
    assert_error(command, 3, "; did you mean beef0000-1111 (0s)?\n");
    command_line(command, "tree bee");
    assert_error(command, 3,
                 "there is no session 'bee' (a part of an id or of a name needs 4 characters); did you mean "
                 "beef0000-1111 (0s)?\n");
}

IN_STORE(of_many_sessions_three_are_named_the_closest_first)
{
    struct command *command = *state;

    set_name(command, "s-one-1", "{\"name\":\"login page\"}");
    set_name(command, "s-two-2", "{\"name\":\"login form\"}");
    set_name(command, "s-three-3", "{\"name\":\"login\"}");
    set_name(command, "s-four-4", "{\"name\":\"a login\"}");
    command_line(command, "log Login");
    assert_error(command, 3,
                 "; did you mean s-three-3 (login, 0s), s-four-4 (a login, 0s) or s-two-2 (login form, 0s)?\n");
}

/* A deleted session cannot be meant, and what a name holds does not act on the terminal. */
IN_STORE(only_live_sessions_are_named_and_safely)
{
    struct command *command = *state;

    set_name(command, "gone-1234", "{\"name\":\"secret plan\"}");
    command_line(command, "delete gone-1234 --yes");
    command_line(command, "log plan");
    assert_error(command, 3, "there is no session 'plan'\n");
    set_name(command, "evil-1234", "{\"name\":\"plan \\u001b[2J and a name that is far too long to be shown whole\"}");
    command_line(command, "log Plan");
    assert_error(command, 3, "; did you mean evil-123");
    assert_contains(command->err, "(plan \\x1b[2J and");
    assert_null(strstr(command->err, "shown whole"));
}

/* Of words of one or two characters nothing is spelt alike but what begins so. */
IN_STORE(short_words_name_what_begins_so)
{
    struct command *command = *state;

    set_name(command, "A", "{}");
    set_name(command, "B", "{}");
    set_name(command, "beef0000-1111", "{}");
    command_line(command, "log L");
    assert_error(command, 3, "there is no session 'L' (a part of an id or of a name needs 4 characters)\n");
    command_line(command, "log be");
    assert_error(command, 3, "; did you mean beef0000-1111 (0s)?\n");
    assert_says(command, "lo", 2, "xylem: there is no command 'lo'; did you mean 'log'? (see `xylem help`)\n");
    assert_says(command, "lg", 2, "xylem: there is no command 'lg' (see `xylem help`)\n");
}

/* An id that is named is there to be pasted: it is whole, and nothing in it is escaped. */
IN_STORE(an_id_that_cannot_be_pasted_is_not_named)
{
    struct command *command = *state;
    char word[200];
    char id[64];
    char data[256];

    set_name(command, "bad\x1bid-1", "{}");
    command_line(command, "log badid-1");
    assert_error(command, 3, "there is no session 'badid-1'\n");
    memset(word, 'w', sizeof(word) - 1);
    memset(word, '\x7f', 40); /* each is shown as four */
    word[sizeof(word) - 1] = '\0';
    snprintf(data, sizeof(data), "{\"name\":\"%s\"}", word);
    for (int i = 1; i <= 3; i++) {
        snprintf(id, sizeof(id), "%d%039d", i, 0);
        set_name(command, id, data);
    }
    word[sizeof(word) - 2] = 'W';
    command_run(command, "log", word, NULL);
    assert_error(command, 3, "; did you mean ");
    assert_string_equal(command->err + strlen(command->err) - 3, ")?\n"); /* the text came to its end */
}
