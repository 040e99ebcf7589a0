/*
 * `xylem tree`: drawings, compared with fixtures/expected/, and what is folded in them. After an intended change, write
 * those files anew with `XYLEM_WRITE_EXPECTED=1 build/tests/cli/test_tree`, and look at the difference.
 */
#include "store/store.h"
#include "xylem/branch.h"
#include "tests/cli/command.h"
#include "tests/lib/test.h"

#define SPECIALS SESSIONS "specials/"
#define BUSHY_ID "01a1fa04-8990-7035-be02-03c708ea6479"
#define SCREEN_LINES 44u

static size_t count_lines(const char *text)
{
    size_t count = 0;

    for (; (text = strchr(text, '\n')) != NULL; text++) {
        count++;
    }
    return count;
}

/* Cells of the longest line; of what is beyond ASCII only glyphs of one cell stand in what is measured here. */
static size_t longest_line(const char *text)
{
    size_t longest = 0;
    size_t cells = 0;

    for (; *text != '\0'; text++) {
        cells = *text == '\n' ? 0 : cells + (((unsigned char)*text & 0xc0u) != 0x80u ? 1 : 0);
        longest = cells > longest ? cells : longest;
    }
    return longest;
}

/* --- One session ------------------------------------------------------------------------------------------------ */

#define WITH_SCENARIO(test) TEST_WITH(test, command_set_up_scenario, command_tear_down_verified)
#define TEST_EMPTY(test) TEST_WITH(test, command_set_up_at_a_time, command_tear_down_verified)

WITH_SCENARIO(trees_are_drawn)
{
    struct command *command = *state;

    command_expect_at(command, NULL, "tree " SCENARIO_ID, "tree.txt");
    command_expect_at(command, NULL, "tree " SCENARIO_ID " --all", "tree-all.txt");
    command_expect_at(command, NULL, "tree " SCENARIO_ID " --color always", "tree-color.txt");
    command_expect_at(command, NULL, "tree " SCENARIO_ID " --jsonl", "tree.jsonl");
    command_expect_at(command, "60", "tree " SCENARIO_ID, "tree-60.txt");
    command_expect_at(command, "80", "tree " SCENARIO_ID, "tree-80.txt");
    command_expect_at(command, "160", "tree " SCENARIO_ID, "tree-160.txt");
    setenv("COMMAND_LOCALE", "C", 1);
    command_expect_at(command, NULL, "tree " SCENARIO_ID, "tree-ascii.txt");
    unsetenv("COMMAND_LOCALE");
}

TEST_EMPTY(a_staircase_of_forks_fits_the_terminal)
{
    struct command *command = *state;
    char line[256];

    command_must(command, "append s --create --kind note --id r1");
    command_must(command, "append s --kind note --id r2 --parent none");
    for (int i = 0; i < 40; i++) {
        snprintf(line, sizeof(line), "append s --kind note --id left%02d", i);
        command_must(command, line);
    }
    for (int i = 39; i > 0; i--) { /* the newest goes on straight down, so each older one moves further to the right */
        snprintf(line, sizeof(line), "append s --kind note --id right%02d --parent left%02d", i, i - 1);
        command_must(command, line);
    }
    command_must(command, "navigate s r1");
    command_expect_at(command, "60", "tree s", "tree-bushy.txt");
    assert_true(count_lines(command->out) <= SCREEN_LINES);
    command_expect_at(command, "60", "tree s --all", "tree-bushy-all.txt");
    assert_true(longest_line(command->out) <= 60);
}

TEST_EMPTY(roots_that_have_no_room_are_folded_into_one_line)
{
    struct command *command = *state;
    char line[256];

    command_must(command, "append s --create --kind note --id r000");
    for (int i = 1; i < 90; i++) {
        snprintf(line, sizeof(line), "append s --kind note --id r%03d --parent none", i);
        command_must(command, line);
    }
    command_must(command, "tree s");
    assert_int_equal(count_lines(command->out), SCREEN_LINES);
    assert_contains(command->out, "s: 90 entries, 90 tips; 42 drawn\n… 48 entries, 48 tips (48 roots)\n○ r048");
    command_must(command, "tree s --all");
    assert_int_equal(count_lines(command->out), 91);
}

TEST_EMPTY(no_line_is_longer_than_the_terminal_with_long_ids)
{
    static const char *const widths[] = {"60", "80", "100"};
    struct command *command = *state;
    char line[256];

    command_must(command, "append s --create --kind custom:a-kind-with-a-long-name --data {\"enabled\":true}");
    for (int i = 0; i < 12; i++) {
        snprintf(line, sizeof(line),
                 "append s --kind message --parent @~%d --data {\"role\":\"user\",\"content\":\"%d\"}",
                 i % 3 == 2 ? 1 : 0, i);
        command_must(command, line);
    }
    for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
        setenv("COMMAND_COLUMNS", widths[i], 1);
        command_must(command, "tree s");
        unsetenv("COMMAND_COLUMNS");
        assert_true(longest_line(command->out) <= (size_t)atoi(widths[i]));
    }
}

TEST_EMPTY(what_is_remarkable_in_a_long_run_stays)
{
    struct command *command = *state;
    char line[256];

    command_must(command, "append s --create --kind note --id a00");
    for (int i = 1; i < 22; i++) {
        snprintf(line, sizeof(line), "append s --kind %s --id a%02d --data %s",
                 i == 6    ? "custom:readonly"
                 : i == 13 ? "compaction"
                           : "note",
                 i, i == 6 ? "{\"enabled\":true}" : "{\"summary\":\"so_far_so_good\"}");
        command_must(command, line);
    }
    command_must(command, "tree s");
    assert_contains(command->out, "\n● a02  note  ");
    assert_contains(command->out, "\n… 3 entries\n");
    assert_contains(command->out, "\n● a06  custom:readonly  {\"enabled\":true}\n… 6 entries\n● a13  compaction  ");
    assert_contains(command->out, "so_far_so_good\n… 5 entries\n● a19  note  ");
}

/* A session of 5,000 entries that forks hundreds of times. */
static void write_long_session(const char *path)
{
    FILE *file = fopen(path, "wb");
    uint32_t random = 5;
    int parent = -1;

    assert_non_null(file);
    fputs("{\"type\":\"session\",\"version\":3,\"id\":\"long\",\"timestamp\":\"2026-11-10T00:00:00.000Z\",\"cwd\":\"/"
          "\"}\n",
          file);
    for (int i = 0; i < 5000; i++) {
        char above[16];
        random = random * 1664525u + 1013904223u;
        uint32_t dice = random >> 8;
        if (i > 0 && dice % 10 == 0) {
            parent = i - 1 - (int)(dice / 10 % 90);
            parent = parent < 0 ? 0 : parent;
        }
        snprintf(above, sizeof(above), parent < 0 ? "null" : "\"e%06d\"", parent);
        fprintf(file,
                "{\"type\":\"%s\",\"id\":\"e%06d\",\"parentId\":%s,\"timestamp\":\"2026-11-%02dT%02d:%02d:00.000Z\",",
                dice % 97 == 0    ? "custom"
                : dice % 331 == 0 ? "compaction"
                : dice % 307 == 0 ? "label"
                                  : "message",
                i, above, 10 + i / 720, i / 30 % 24, i * 2 % 60);
        if (dice % 97 == 0) {
            fprintf(file, "\"customType\":\"readonly\",\"data\":{\"enabled\":%s}}\n", dice % 2 == 0 ? "true" : "false");
        } else if (dice % 331 == 0) {
            fprintf(file, "\"summary\":\"what came before %d\"}\n", i);
        } else if (dice % 307 == 0) {
            fprintf(file, "\"targetId\":\"e%06d\",\"label\":\"point %d\"}\n", i - (i < 7 ? 0 : 7), i);
        } else {
            fprintf(file, "\"message\":{\"role\":\"%s\",\"content\":\"message %d of a long session\"}}\n",
                    dice % 3 == 0 ? "user" : "assistant", i);
        }
        parent = i;
    }
    assert_int_equal(fclose(file), 0);
}

TEST_EMPTY(a_tree_of_5000_entries_is_read_on_one_screen)
{
    static const char *const lines[] = {"tree long",
                                        "tree long --kind custom:readonly",
                                        "tree long --kind message",
                                        "tree long --since 2026-11-12",
                                        "tree long --since 2026-11-15 --kind message",
                                        ("tree " BUSHY_ID)};
    static const char *const widths[] = {"60", "80", "160"};
    struct command *command = *state;
    char path[256];

    command_path(path, command, "long.jsonl");
    write_long_session(path);
    command_run(command, "import", "-q", path, SPECIALS "bushy-500.jsonl", NULL);
    assert_exit(command, 0);
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        for (size_t j = 0; j < sizeof(widths) / sizeof(widths[0]); j++) {
            setenv("COMMAND_COLUMNS", widths[j], 1);
            command_must(command, lines[i]);
            unsetenv("COMMAND_COLUMNS");
            assert_true(count_lines(command->out) <= SCREEN_LINES);
            assert_true(count_lines(command->out) >= SCREEN_LINES / 2);
            assert_true(longest_line(command->out) <= (size_t)atoi(widths[j]));
            assert_contains(command->out, "<leaf>");
        }
    }
    command_expect_at(command, "80", "tree long", "tree-5000.txt");
    command_expect_at(command, "80", "tree " BUSHY_ID, "tree-bushy-500.txt");
    command_must(command, "tree long --all");
    assert_int_equal(count_lines(command->out), 5001);
    command_must(command, "tree long --all --kind message");
    assert_true(count_lines(command->out) > 4900);
}

WITH_SCENARIO(kinds_are_drawn_and_the_rest_is_folded)
{
    struct command *command = *state;

    command_expect_at(command, NULL, "tree " SCENARIO_ID " --kind custom:readonly", "tree-kind.txt");
    command_expect_at(command, NULL, "tree " SCENARIO_ID " -k custom:readonly -k compaction --jsonl",
                      "tree-kind.jsonl");
    command_must(command, "tree " SCENARIO_ID " -k compaction");
    assert_contains(command->out, "d8b2463f  compaction");
    assert_null(strstr(command->out, "custom:readonly")); /* no fork, root, tip or leaf */
    assert_contains(command->out, "state changes)");
}

WITH_SCENARIO(a_kind_that_no_entry_has_is_told_and_no_error)
{
    struct command *command = *state;

    command_must(command, "tree " SCENARIO_ID " --kind compaction --kind no\x1bsuch");
    assert_string_equal(command->err, "xylem: tree: no entry of the session is of the kind or role 'no\\x1bsuch'\n");
    command_must(command, "tree " SCENARIO_ID " --kind readonly --jsonl"); /* the host has none of that name */
    assert_string_equal(command->out, "");
    assert_string_equal(command->err,
                        "xylem: tree: no entry of the session is of the kind or role 'readonly': did you mean "
                        "custom:readonly?\n");
    command_must(command,
                 "tree " SCENARIO_ID " --kind message --since 1s --json"); /* there are some, but none so new */
    assert_string_equal(command->err, "");
    assert_string_equal(command->out, "{\"schema\":1,\"entries\":[]}\n");
}

WITH_SCENARIO(what_is_of_another_time_is_folded)
{
    struct command *command = *state;

    command_expect_at(command, NULL, "tree " SCENARIO_ID " --since 2026-11-20T17:18:05.770Z", "tree-since.txt");
    command_expect_at(command, NULL, "tree " SCENARIO_ID " --since 2026-11-20T17:18:05.940Z --jsonl",
                      "tree-since.jsonl");
    command_expect_at(command, NULL, "tree " SCENARIO_ID " --until 2026-11-20T17:18:05.770Z", "tree-until.txt");
    command_expect_at(command, NULL, "tree " SCENARIO_ID " --until 2026-11-20T17:18:05.600Z --jsonl",
                      "tree-until.jsonl");
    command_must(command, "tree " SCENARIO_ID " --since 1h");
    assert_int_equal(count_lines(command->out), 4);
    assert_contains(command->out, "\n● 32512cc7  assistant     <leaf> ");
    command_must(command, "tree " SCENARIO_ID " --since 1h --kind message"); /* the shape is as old as the rest */
    assert_int_equal(count_lines(command->out), 4);
}

TEST_EMPTY(wrong_filters_are_refused)
{
    static const struct {
        const char *line;
        const char *part;
    } cases[] = {
        {"tree s --since tomorrow", "'tomorrow' is not a time"},
        {"tree s --until yesterday14:00", "'yesterday14:00' is not a time"},
        {"tree s --since 2026-02-30", "'2026-02-30' is not a time"},
        {"tree s --since 2027-02-29T12:00:00Z", "'2027-02-29T12:00:00Z' is not a time"},
        {"tree s --family --until 1d", "--family cannot be combined"},
        {"tree s --since", "--since needs a value: TIME"},
        {"tree s --kind", "--kind needs a value: KIND"},
        {"tree s --kind a\\b", "\\"},
        {"tree s --family --all", "--family cannot be combined"},
        {"tree s --family --kind k", "--family cannot be combined"},
        {"tree s --family --since 1d", "--family cannot be combined"},
        {"tree s -k1 -k2 -k3 -k4 -k5 -k6 -k7 -k8 -k9 -k10 -k11 -k12 -k13 -k14 -k15 -k16 -k17",
         "--kind may be given at most 16 times"},
    };
    struct command *command = *state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        command_line(command, cases[i].line);
        assert_error(command, 2, cases[i].part);
    }
}

TEST_EMPTY(a_session_without_entries_has_a_title)
{
    struct command *command = *state;

    command_must(command, "append s --create --kind note --id a");
    command_must(command, "fork s a --before --id none");
    command_must(command, "tree none");
    assert_string_equal(command->out, "none: 0 entries, 0 tips, no current entry\n");
    command_must(command, "tree none --kind message");
    assert_string_equal(command->err, "xylem: tree: no entry of the session is of the kind 'message'\n");
}

/* --- Across sessions -------------------------------------------------------------------------------------------- */

TEST_EMPTY(families_are_drawn)
{
    struct command *command = *state;

    command_must(command, "import -q " SESSIONS "rpc-scenario " SESSIONS "random-22 " SPECIALS "multi-root.jsonl");
    command_must(command, "delete 01a1f9f7-2412-72e7-96e0-968afbd4f58a --yes");
    command_expect_at(command, NULL, "tree " SCENARIO_ID " --family", "tree-family.txt");
    command_expect_at(command, "60", "tree 01a1f9f7-23f3 --family", "tree-family-60.txt");
    assert_true(longest_line(command->out) <= 60);
    command_expect_at(command, "80", "tree 01a1f9f7-23f3 --family", "tree-family-80.txt");
    assert_true(longest_line(command->out) <= 80);
    command_expect_at(command, "160", "tree 01a1f9f7-23f3 --family", "tree-family-160.txt");
    command_expect_at(command, "80", "tree 01a1f9f7-23f3 --family --color always", "tree-family-color.txt");
    command_expect_at(command, NULL, "tree 01a1f9f7-23f3 --family --jsonl", "tree-family.jsonl");
    setenv("COMMAND_LOCALE", "C", 1);
    command_expect_at(command, "80", "tree 01a1f9f7-23f3 --family", "tree-family-ascii.txt");
    unsetenv("COMMAND_LOCALE");
}

WITH_SCENARIO(a_fork_stands_below_what_it_was_forked_from)
{
    struct command *command = *state;

    command_must(command, "fork " SCENARIO_ID " 8d16e680 --id try-again");
    command_must(command, "append try-again --kind note --id more");
    command_must(command, "append try-again --kind session_info --id named --data {\"name\":\"\\u0020tried\\n\"}");
    command_must(command, "clone try-again --id copy");
    command_must(command, "fork copy 8d16e680 --id old-place"); /* of copy, though the entry is the first session's */
    command_must(command, "fork " SCENARIO_ID " b8ef64c6 --before --id fresh");
    command_must(command, "delete try-again --yes");
    command_must(command, "append stranger --create --kind note");
    command_must(command, "tree copy --family --jsonl");
    assert_contains(command->out,
                    "\"session\":\"try-again\",\"parent\":\"" SCENARIO_ID "\",\"parent_session\":\"" SCENARIO_ID
                    "\",\"base\":\"8d16e680\",\"depth\":6,\"shared\":6,\"own\":2,");
    assert_contains(command->out, "\"state\":\"deleted\",\"name\":\"tried\"");
    assert_contains(command->out, "\"session\":\"copy\",\"parent\":\"try-again\",\"parent_session\":\"try-again\","
                                  "\"base\":\"named\",\"depth\":8,\"shared\":8,\"own\":0,");
    assert_contains(command->out, "\"session\":\"old-place\",\"parent\":\"copy\",\"parent_session\":\"copy\","
                                  "\"base\":\"8d16e680\",\"depth\":6,\"shared\":6,\"own\":0,");
    assert_contains(command->out,
                    "\"session\":\"fresh\",\"parent\":\"" SCENARIO_ID "\",\"parent_session\":\"" SCENARIO_ID
                    "\",\"base\":null,\"depth\":0,\"shared\":0,\"own\":0,");
    assert_contains(command->out, "\"leaf\":null,\"leaf_time\":null,\"readonly\":false}");
    assert_null(strstr(command->out, "stranger"));
    command_must(command, "tree copy --family");
    assert_contains(command->out, "\n│ └─● copy ");
    assert_contains(command->out, "\n│   └─○ old-place ");
    assert_contains(command->out, "\n└─○ fresh ");
    assert_contains(command->out, "  deleted  ");
}

/* The source's own name is lost with its header: what is left is whose entry the base is. */
TEST_EMPTY(without_a_header_the_owner_of_the_base_is_the_source)
{
    struct command *command = *state;
    struct xylem_open_options options = {0};
    struct xylem_session_options named = {.id = xylem_view_of("forked"), .parent = {"gone", 4}};
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    struct xylem_session source;
    struct xylem_session forked;

    command_must(command, "append s --create --kind note --id n");
    assert_int_equal(xylem_open(&store, command->store, &options, NULL), 0);
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, NULL), 0);
    assert_int_equal(xylem_session_find(&source, txn, xylem_view_of("s"), NULL), 0);
    assert_int_equal(xylem_clone(&forked, txn, source.number, &named, NULL), 0);
    assert_int_equal(xylem_commit(txn, NULL), 0);
    assert_int_equal(xylem_close(store, NULL), 0);
    command_must(command, "tree s --family --jsonl");
    assert_contains(command->out,
                    "\"session\":\"forked\",\"parent\":\"s\",\"parent_session\":\"gone\",\"base\":\"n\",");
}

TEST_EMPTY(a_session_alone_is_its_own_family)
{
    struct command *command = *state;

    command_must(command, "append s --create --kind note --id only");
    command_must(command, "tree s --family --jsonl");
    assert_contains(command->out,
                    "{\"schema\":1,\"session\":\"s\",\"parent\":null,\"parent_session\":null,\"base\":null,"
                    "\"depth\":0,\"shared\":0,\"own\":1,");
    assert_int_equal(count_lines(command->out), 1);
}

/* As everywhere: what JavaScript takes for white space is trimmed, and a NUL ends nothing. */
TEST_EMPTY(names_are_those_that_the_list_shows)
{
    static const char *const names[] = {"\\u00a0\\ufeff between \\u2003", "a\\u0000b", "\\u3000", "plain"};
    struct command *command = *state;
    char data[128];

    command_must(command, "append s --create --kind note --id root");
    command_must(command, "fork s root --id forked");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(data, sizeof(data), "{\"name\":\"%s\"}", names[i]);
        command_run(command, "append", "forked", "--kind", "session_info", "--data", data, NULL);
        assert_exit(command, 0);
        command_must(command, "sessions --jsonl");
        const char *forked = strstr(command->out, "\"id\":\"forked\"");
        assert_non_null(forked);
        const char *name = strstr(forked, "\"name\":");
        assert_non_null(name);
        char *expected = strndup(name, strcspn(name, ","));
        command_must(command, "tree s --family --jsonl");
        assert_contains(command->out, expected);
        free(expected);
    }
}

/* Flips a bit wherever `needle` stands in the store's file. */
static void damage(const struct command *command, const char *needle)
{
    char path[256];
    size_t bytes = 0;

    command_path(path, command, "store/data.mdb");
    char *data = command_read_file(path, &bytes);
    char *at = memmem(data, bytes, needle, strlen(needle));
    assert_non_null(at);
    for (; at != NULL; at = memmem(data, bytes, needle, strlen(needle))) {
        at[strlen(needle) / 2] ^= 1;
    }
    command_write_file(path, data, bytes);
    free(data);
}

/* The records lead to what is said of a session: what lies between them is not looked at, and may be lost. */
TEST_WITH(a_long_path_is_not_walked, command_set_up_at_a_time, command_tear_down)
{
    struct command *command = *state;

    command_must(command, "append s --create --kind note --id root");
    command_must(command, "append s --kind note --id victim-entry");
    command_must(command, "append s --kind note --id last-one");
    command_must(command, "clone s --id cloned");
    damage(command, "victim-entry");
    command_must(command, "tree s --family --jsonl");
    assert_int_equal(count_lines(command->out), 2);
    command_must(command, "state s");
    command_line(command, "log s");
    assert_exit(command, 5);
}

/* Writes and imports a session file of one entry; the entry's id is the session's. */
static void import_one(struct command *command, const char *id, const char *parent)
{
    char path[256];
    char name[64];
    char text[1024];

    snprintf(name, sizeof(name), "2026_%s.jsonl", id);
    command_path(path, command, name);
    snprintf(text, sizeof(text),
             "{\"type\":\"session\",\"version\":3,\"id\":\"%s\",\"timestamp\":\"2026-11-20T00:00:00.000Z\",\"cwd\":\"/"
             "\"%s%s%s}"
             "\n{\"type\":\"note\",\"id\":\"n-%s\",\"parentId\":null,\"timestamp\":\"2026-11-20T00:00:00.000Z\"}\n",
             id, parent == NULL ? "" : ",\"parentSession\":\"", parent == NULL ? "" : parent,
             parent == NULL ? "" : "\"", id);
    command_write_file(path, text, strlen(text));
    command_run(command, "import", "-q", path, NULL);
    assert_exit(command, 0);
}

/* The sessions in the order in which they are drawn, each with what it was forked from: `a< b<a `. */
static void expect_family(struct command *command, const char *asked, const char *wanted)
{
    char line[64];
    char found[512] = "";

    snprintf(line, sizeof(line), "tree %s --family --jsonl", asked);
    command_must(command, line);
    for (const char *at = command->out; (at = strstr(at, "\"session\":\"")) != NULL;) {
        size_t length = strlen(found);
        const char *parent = strstr(at, "\"parent\":") + 9;
        at += 11;
        snprintf(found + length, sizeof(found) - length, "%.*s<%.*s ", (int)strcspn(at, "\""), at,
                 *parent == 'n' ? 0 : (int)strcspn(parent + 1, "\""), parent + 1);
    }
    assert_string_equal(found, wanted);
}

TEST_EMPTY(headers_link_sessions_that_share_nothing)
{
    struct command *command = *state;

    import_one(command, "one", NULL);
    import_one(command, "by-path", "/elsewhere/2026-11-20_one.jsonl");
    import_one(command, "by-id", "by-path");
    import_one(command, "by-name", "with_lines_by-id");
    import_one(command, "lost", "/elsewhere/2026_gone.jsonl");
    import_one(command, "odd", "/elsewhere/");
    import_one(command, "no-line", "/elsewhere/one.jsonl");
    expect_family(command, "by-id", "one< by-path<one by-id<by-path by-name<by-id ");
    expect_family(command, "lost", "lost< ");
    expect_family(command, "no-line", "no-line< ");
    command_must(command, "tree by-id --family");
    assert_contains(command->out, "  none  -  "); /* shares nothing */
    command_must(command, "tree lost --family");
    assert_contains(command->out, "source not here");
}

/* The rule of an import: the id in the name of a file comes first, and only `.jsonl` is taken off it. */
TEST_EMPTY(a_header_names_the_session_that_an_import_would_share_with)
{
    struct command *command = *state;

    import_one(command, "old", NULL);
    import_one(command, "2026_old", NULL);
    import_one(command, "by-part", "2026_old");
    import_one(command, "by-path", "/some/where/2026_old.jsonl");
    import_one(command, "v1.2", NULL);
    import_one(command, "by-dots", "2026_v1.2");
    import_one(command, "by_line", NULL);
    import_one(command, "by-whole", "by_line");
    expect_family(command, "old", "old< by-part<old by-path<old ");
    expect_family(command, "v1.2", "v1.2< by-dots<v1.2 ");
    expect_family(command, "by_line", "by_line< by-whole<by_line ");
}

TEST_EMPTY(headers_that_lead_in_a_circle_end_at_the_oldest_session)
{
    struct command *command = *state;

    import_one(command, "c1", "c3");
    import_one(command, "c2", "c1");
    import_one(command, "c3", "c2");
    import_one(command, "tail", "x_c2");
    import_one(command, "self", "self");
    expect_family(command, "tail", "c1< c2<c1 c3<c2 tail<c2 ");
    command_must(command, "tree c3 --family");
    assert_contains(command->out, "comes from itself");
    expect_family(command, "self", "self< ");
}

TEST_EMPTY(a_long_chain_of_forks_fits_the_terminal)
{
    struct command *command = *state;
    char line[128];

    command->now = "2000-01-01T00:00:00Z"; /* so that what is appended now has no age */
    command_must(command, "append s00 --create --kind note --id n00");
    for (int i = 1; i < 16; i++) {
        snprintf(line, sizeof(line), "clone s%02d --id s%02d", i - 1, i);
        command_must(command, line);
        snprintf(line, sizeof(line), "append s%02d --kind note --id n%02d", i, i);
        command_must(command, line);
    }
    command_expect_at(command, "80", "tree s07 --family", "tree-family-chain.txt");
    assert_true(longest_line(command->out) <= 80);
}

TEST_EMPTY(an_import_that_never_ended_is_marked)
{
    struct command *command = *state;
    struct xylem_open_options options = {0};
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    struct xylem_session session = {.id = xylem_view_of("half-done"),
                                    .parent = xylem_view_of("s"),
                                    .created_ms = 1,
                                    .state = XYLEM_SESSION_IMPORTING};

    command_must(command, "append s --create --kind note --id n");
    assert_int_equal(xylem_open(&store, command->store, &options, NULL), 0);
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, NULL), 0);
    assert_int_equal(xylem_store__session_add(txn, &session, NULL), 0);
    assert_int_equal(xylem_commit(txn, NULL), 0);
    assert_int_equal(xylem_close(store, NULL), 0);
    command_must(command, "tree s --family");
    assert_contains(command->out, "└─○ half-done    0    none  -          importing  off       none  -\n");
}

TEST_WITH(damage_in_one_session_does_not_hide_its_family, command_set_up_at_a_time, command_tear_down)
{
    struct command *command = *state;

    command_must(command, "append s --create --kind note --id sound");
    command_must(command, "clone s --id broken");
    command_must(command, "append broken --kind note --id victim-entry");
    command_must(command, "clone broken --id leafless");
    damage(command, "victim-entry");
    command_line(command, "tree s --family");
    assert_exit(command, 5);
    assert_contains(command->out, "\n● s               1       -  -");
    assert_contains(command->out, "└─○ broken");
    assert_contains(command->out, "damaged");
    assert_contains(command->err, "xylem: tree: session broken: ");
    assert_contains(command->err, "xylem: tree: session leafless: ");
    command_line(command, "tree s --family --json");
    assert_exit(command, 5);
    assert_contains(command->out, "{\"schema\":1,\"sessions\":[{\"session\":\"s\"");
    assert_null(strstr(command->out, "\"session\":\"broken\""));
    command_line(command, "tree broken");
    assert_exit(command, 5);
}
