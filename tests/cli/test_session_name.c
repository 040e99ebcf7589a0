/* Which session a word means. */
#include <ctype.h>
#include <time.h>

#include "tests/cli/command.h"
#include "tests/lib/chance.h"
#include "tests/lib/test.h"

static void make(struct command *command, const char *session, const char *name)
{
    char data[512];

    snprintf(data, sizeof(data), "{\"name\":\"%s\"}", name);
    command_run(command, "append", session, "--create", "--kind", "session_info", "--data", data, NULL);
    assert_exit(command, 0);
}

static void assert_means(struct command *command, const char *word, const char *session)
{
    char wanted[256];

    command_run(command, "show", word, "@", "--json", NULL);
    if (command->code != 0) {
        print_message("'%s' does not mean %s\n", word, session);
    }
    assert_exit(command, 0);
    snprintf(wanted, sizeof(wanted), "{\"schema\":1,\"session\":\"%s\",", session);
    assert_contains(command->out, wanted);
}

static void assert_no_session(struct command *command, const char *word, int code, const char *text)
{
    command_run(command, "show", word, "@", NULL);
    assert_error(command, code, text);
}

static int make_sessions(void **state)
{
    command_set_up(state);
    struct command *command = *state;
    make(command, "01a1f9f7-22cb-tail-one", "Fix the Login");
    make(command, "01a1f9f7-99aa-tail-two", "fix the logout: again");
    make(command, "beef0000-1111", "login");
    make(command, "seen", "01a1f9f7-22cb");
    command->now = "2026-11-20T19:30:00Z"; /* before the entries: no age is more than 0 */
    return 0;
}

#define WITH_SESSIONS(test) TEST_WITH(test, make_sessions, command_tear_down_verified)

WITH_SESSIONS(an_id_is_named_by_its_beginning_and_by_its_end)
{
    struct command *command = *state;

    assert_means(command, "01a1f9f7-9", "01a1f9f7-99aa-tail-two");
    assert_means(command, "tail-one", "01a1f9f7-22cb-tail-one");
    assert_means(command, "1111", "beef0000-1111");
    assert_no_session(command, "111", 3, "(a part of an id or of a name needs 4 characters)");
    assert_no_session(command, "0000", 3, "there is no session '0000'"); /* in the middle */
    assert_no_session(command, "01a1f9f7", 4, "is ambiguous: 3 sessions: seen (01a1f9f7-22cb, 0s), 01a1f9f7-99aa (fix");
}

WITH_SESSIONS(a_whole_name_comes_before_parts)
{
    struct command *command = *state;

    assert_means(command, "login", "beef0000-1111");
    assert_means(command, "fix the login", "01a1f9f7-22cb-tail-one"); /* no upper case: any case */
    assert_means(command, "Fix the Login", "01a1f9f7-22cb-tail-one");
    assert_means(command, "01a1f9f7-22cb", "seen"); /* whole, though another id begins with it */
    assert_means(command, "logout", "01a1f9f7-99aa-tail-two");
    assert_means(command, "Logi", "01a1f9f7-22cb-tail-one"); /* upper case: exactly so */
    assert_no_session(command, "LOGIN", 3, "there is no session 'LOGIN'; did you mean");
    assert_no_session(command, "fix the", 4,
                      "'fix the' is ambiguous: 2 sessions: 01a1f9f7-99aa (fix the logout: again, 0s), "
                      "01a1f9f7-22cb (Fix the Login, 0s)\n");
    make(command, "twin", "login");
    assert_no_session(command, "login", 4, "'login' is ambiguous: 2 sessions: twin (login, 0s), beef0000-1111 (login");
}

WITH_SESSIONS(a_name_with_a_colon_is_a_name_and_takes_an_entry)
{
    struct command *command = *state;

    command_run(command, "show", "fix the logout: again", "--json", NULL);
    assert_contains(command->out, "tail-two");
    command_run(command, "show", "logout: ag", "--json", NULL);
    assert_contains(command->out, "tail-two");
    command_run(command, "show", "fix the logout: again:@^1", "--json", NULL);
    assert_contains(command->out, "tail-two");
    command_run(command, "show", "logout:@^1", "--json", NULL);
    assert_contains(command->out, "tail-two");
    command_run(command, "show", "logout:nothing", NULL);
    assert_error(command, 3, "there is no entry 'nothing'");
    command_run(command, "show", "nothing:@", NULL);
    assert_error(command, 3, "there is no session 'nothing:@'");
}

WITH_SESSIONS(the_last_active_sessions_are_counted_back)
{
    struct command *command = *state;

    assert_means(command, "@last", "seen");
    assert_means(command, "@last~1", "beef0000-1111");
    command_must(command, "append beef0000-1111 --kind note");
    assert_means(command, "@last", "beef0000-1111");
    assert_means(command, "@last~3", "01a1f9f7-22cb-tail-one");
    assert_no_session(command, "@last~4", 3, "there is no session '@last~4': the store has 4 sessions\n");
    assert_no_session(command, "@last~18446744073709551615", 3, "the store has 4 sessions\n");
    assert_no_session(command, "@last~x", 3, "there is no session '@last~x'");
    command_must(command, "append @last --create --kind note --id new"); /* no session of that id is made */
    command_must(command, "show beef0000-1111:new");
}

TEST_WITH(a_dot_is_the_newest_session_of_this_directory, command_set_up, command_tear_down_verified)
{
    struct command *command = *state;
    char here[4096];
    char path[256];
    char line[8192];
    static const char *const places[] = {"", "/below", "", "/../other"};

    assert_non_null(getcwd(here, sizeof(here)));
    assert_no_session(command, ".", 3, "no session has the directory /");
    for (int i = 0; i < 4; i++) {
        snprintf(line, sizeof(line),
                 "{\"type\":\"session\",\"version\":3,\"id\":\"dir-%d\",\"timestamp\":\"2026-11-20T12:0%d:00.000Z\","
                 "\"cwd\":\"%s%s\"}\n{\"type\":\"note\",\"id\":\"n\",\"parentId\":null,"
                 "\"timestamp\":\"2026-11-20T12:0%d:00.000Z\"}\n",
                 i, i, here, places[i], i);
        command_path(path, command, "file.jsonl");
        command_write_file(path, line, strlen(line));
        command_run(command, "import", "-q", path, NULL);
        assert_exit(command, 0);
    }
    assert_means(command, ".", "dir-2");
    assert_means(command, "@last", "dir-3");
    command_must(command, "delete dir-2 --yes");
    assert_means(command, ".", "dir-0");
}

TEST_WITH(a_session_is_named_by_its_file, command_set_up_scenario, command_tear_down_verified)
{
    struct command *command = *state;

    assert_means(command, SCENARIO, SCENARIO_ID);
    assert_means(command, "./" SCENARIO, SCENARIO_ID);
    assert_means(command, strrchr(SCENARIO, '/') + 1, SCENARIO_ID);
    assert_no_session(command, "./elsewhere/x.jsonl", 3, "there is no session './elsewhere/x.jsonl'");
    command_run(command, "show", SCENARIO ":@^1", "--json", NULL);
    assert_contains(command->out, "\"depth\":1,");
}

TEST_WITH(an_entry_is_named_with_its_session_in_one_word, command_set_up_scenario, command_tear_down_verified)
{
    struct command *command = *state;

    command_must(command, "show 01a1f9f7-22cb:@~1 --json");
    assert_contains(command->out, "\"id\":\"e37e3f3d\"");
    command_must(command, "show 01a1f9f7-22cb --json");
    assert_contains(command->out, "\"id\":\"32512cc7\"");
    command_must(command, "log 01a1f9f7-22cb:@^2 --json");
    assert_contains(command->out, "\"depth\":2,");
    command_must(command, "fork 01a1f9f7-22cb:after-block --id forked");
    assert_means(command, "forked", "forked");
    command_must(command, "navigate forked:@^1");
    assert_string_equal(command->out, "leaf: 6f7578e6 -> b8ef64c6\n");
    command_must(command, "navigate forked:none");
    command_line(command, "show forked");
    assert_error(command, 3, "the session has no current entry");
    command_must(command, "redact forked:6f7578e6 --reason x --yes --dry-run");
    command_line(command, "redact forked --reason x --yes");
    assert_error(command, 2, "an argument is missing");
    command_line(command, "navigate forked");
    assert_error(command, 2, "an argument is missing: xylem navigate SESSION ENTRY|none (");
    command_line(command, "fork forked:nothing");
    assert_error(command, 3, "there is no entry 'nothing'");
}

/* --- A plain model ------------------------------------------------------------------------------------------------ */

struct made {
    char id[32];
    char name[32];
};

static bool folds(const char *word)
{
    return strpbrk(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == NULL;
}

static bool is_within(const char *text, const char *part)
{
    return folds(part) ? strcasestr(text, part) != NULL : strstr(text, part) != NULL;
}

/* How well a word matches, by the page: 4 an id, 3 a name, 2 a name in other case, 1 a part, 0 not. */
static int rank(const struct made *made, const char *word)
{
    size_t bytes = strlen(word);
    size_t id_bytes = strlen(made->id);
    if (strcmp(made->id, word) == 0) {
        return 4;
    }
    if (strcmp(made->name, word) == 0) {
        return 3;
    }
    if (folds(word) && strcasecmp(made->name, word) == 0) {
        return 2;
    }
    return bytes >= 4 &&
           (strncmp(made->id, word, bytes) == 0 ||
            (id_bytes >= bytes && strcmp(made->id + id_bytes - bytes, word) == 0) || is_within(made->name, word));
}

static void draw_word(char word[32], struct chance *chance, int least, int most)
{
    static const char letters[] = "aaab";
    int bytes = least + chance_below(chance, most - least + 1);

    for (int i = 0; i < bytes; i++) {
        word[i] = letters[chance_below(chance, 4)];
        word[i] = chance_one_in(chance, 12) ? (char)toupper(word[i]) : word[i];
    }
    word[bytes] = '\0';
}

TEST_WITH(whole_names_win_over_parts_and_none_of_several_is_picked, command_set_up, command_tear_down_verified)
{
    struct command *command = *state;
    struct made made[24];
    char word[32];
    const char *given = getenv("XYLEM_SEED");
    uint64_t seed = given == NULL ? (uint64_t)time(NULL) : strtoull(given, NULL, 10);
    struct chance chance = chance_of(seed);

    print_message("XYLEM_SEED=%llu\n", (unsigned long long)seed);

    for (size_t i = 0; i < 24; i++) {
        draw_word(made[i].id, &chance, 3, 6);
        snprintf(made[i].id + strlen(made[i].id), 8, "%zu%s", i, i % 5 == 0 ? "bbab" : "aab"); /* ids differ */
        draw_word(made[i].name, &chance, 3, 9);
        make(command, made[i].id, made[i].name);
    }
    for (int round = 0; round < 300; round++) {
        const struct made *best = NULL;
        int best_rank = 0;
        int count = 0;
        const struct made *of = &made[chance_below(&chance, 24)];
        if (chance_one_in(&chance, 2)) {
            draw_word(word, &chance, 2, 5);
        } else {
            snprintf(word, sizeof(word), "%s", chance_one_in(&chance, 2) ? of->id : of->name);
            word[chance_below(&chance, (int)strlen(word)) + 1] = '\0';
        }
        for (size_t i = 0; i < 24; i++) {
            int of_this = rank(&made[i], word);
            count = of_this > best_rank ? 1 : count + (of_this == best_rank && of_this > 0);
            best = of_this > best_rank ? &made[i] : best;
            best_rank = of_this > best_rank ? of_this : best_rank;
        }
        if (count == 1) {
            assert_means(command, word, best->id);
        } else {
            assert_no_session(command, word, count == 0 ? 3 : 4, count == 0 ? "there is no session" : "is ambiguous");
        }
    }
}
