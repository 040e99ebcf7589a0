/*
 * Whatever a session holds, no terminal acts on it: every command is run on a terminal and in a pipe, in a store in
 * which everything that can be chosen from outside holds what a terminal would obey or be deceived by.
 */
#include "tests/cli/terminal.h"
#include "tests/lib/test.h"

/* Escape sequences, a title, a bell, a carriage return, DEL; C1 and bidirectional controls and separators in UTF-8. */
#define CONTROLS                          \
    "a\033[2J\033]0;t\007\rb\177\xc2\x9b" \
    "31m\xe2\x80\xae\xe2\x81\xa6\xd8\x9c\xe2\x80\xa8"
/* And what is no UTF-8: a C1 control as a byte, a cut and an overlong character. */
#define HOSTILE     \
    CONTROLS "\x9b" \
             "2J\xe2\x80\xff\xc0\x9b"
/* The first of these as JSON text has them, where a parser accepts it. */
#define IN_JSON                                     \
    "a\\u001b[2J\\u001b]0;t\\u0007\\rb\x7f\xc2\x9b" \
    "31m\xe2\x80\xae\xe2\x81\xa6\xd8\x9c\xe2\x80\xa8\\ud83d"

#define SESSION "s-" CONTROLS
#define ENTRY "e-" CONTROLS
#define FROM_FILE "f-a\033[2J" /* the beginning of its id */
#define KIND "custom:k-" CONTROLS

static void run_must(struct command *command, const char *const *words, size_t count)
{
    const char *arguments[WORDS_MAX];
    assert_true(count < WORDS_MAX);
    memcpy(arguments, words, count * sizeof *words);
    command_end(command, command_start(command, arguments, count));
    if (command->code != 0) {
        fail_msg("%s: exit code %d: %s", words[0], command->code, command->err);
    }
}

#define RUN(command, ...)                                            \
    do {                                                             \
        const char *const words_[] = {__VA_ARGS__};                  \
        run_must(command, words_, sizeof words_ / sizeof words_[0]); \
    } while (0)

/* A file with a hostile name, header, entries, and lines that cannot be placed. */
static void import_hostile_file(struct command *command)
{
    static const char file[] =
        "{\"type\":\"session\",\"version\":3,\"id\":\"f-" IN_JSON
        "\",\"timestamp\":\"2026-11-20T17:18:05.515Z\",\"cwd\":"
        "\"/" IN_JSON "\",\"parentSession\":\"/x/2026_p-" IN_JSON ".jsonl\"}\n"
        "{\"type\":\"message\",\"id\":\"m-" IN_JSON "\",\"parentId\":null,\"timestamp\":\"2026-11-20T17:18:06.000Z\","
        "\"message\":{\"role\":\"user\",\"content\":\"" IN_JSON "\"}}\n"
        "{\"type\":\"message\",\"id\":\"m2\",\"parentId\":\"m-" IN_JSON "\",\"timestamp\":\"2026-11-20T17:18:07.000Z\","
        "\"message\":{\"role\":\"assistant\",\"model\":\"" IN_JSON
        "\",\"usage\":{\"input\":1,\"cost\":{\"total\":1}},\"content\":[{\"type\":\"toolCall\",\"id\":\"" IN_JSON
        "\",\"name\":\"" IN_JSON "\",\"arguments\":{\"" IN_JSON "\":\"" IN_JSON
        "\"}},{\"type\":\"toolCall\",\"id\":\"2\",\"name\":\"read\",\"arguments\":{\"path\":\"" IN_JSON "\"}}]}}\n"
        "{\"type\":\"compaction\",\"id\":\"c1\",\"parentId\":\"m2\",\"timestamp\":\"2026-11-20T17:18:08.000Z\","
        "\"summary\":\"" IN_JSON "\",\"firstKeptEntryId\":\"" IN_JSON "\",\"tokensBefore\":1}\n"
        "{\"type\":\"" IN_JSON "\",\"id\":\"o1\",\"parentId\":\"no-" IN_JSON "\",\"timestamp\":\"" IN_JSON "\"}\n"
        "no JSON: " HOSTILE "\n"
        "{\"type\":\"message\",\"id\":\"m2\",\"parentId\":\"no-" IN_JSON "\",\"twice\":\"" IN_JSON "\"}\n"
        "{\"type\":\"torn " HOSTILE;
    char path[256];
    char kept[256];
    command_path(path, command, "n-" CONTROLS ".jsonl");
    command_write_file(path, file, sizeof file - 1);
    command_run(command, "import", path, NULL);
    assert_exit(command, 1);
    command_path(kept, command, "kept");
    assert_int_equal(rename(path, kept), 0); /* the file of the session is gone */
}

static int set_up_hostile(void **state)
{
    command_set_up(state);
    struct command *command = *state;
    char label[1024];

    RUN(command, "append", SESSION, "--create", "--kind", "message", "--id", ENTRY, "--data",
        "{\"role\":\"user\",\"content\":\"" IN_JSON "\"}");
    RUN(command, "append", SESSION, "--kind", KIND, "--data", "{\"" IN_JSON "\":[\"" IN_JSON "\",{\"x\":null}]}");
    RUN(command, "append", SESSION, "--kind", "k-" CONTROLS, "--id", "second");
    RUN(command, "append", SESSION, "--kind", "session_info", "--data", "{\"name\":\"" IN_JSON "\"}");
    snprintf(label, sizeof label, "{\"targetId\":\"second\",\"label\":\"%s\"}", IN_JSON);
    RUN(command, "append", SESSION, "--kind", "label", "--data", label);
    RUN(command, "append", SESSION, "--kind", "custom:readonly", "--data", "{\"enabled\":true,\"" IN_JSON "\":1}");
    RUN(command, "append", SESSION, "--kind", "custom:readonly", "--data", "{\"enabled\":\"" IN_JSON "\"}");
    RUN(command, "append", SESSION, "--kind", "custom:readonly-nudge", "--data", "{\"direction\":\"" IN_JSON "\"}");
    RUN(command, "append", SESSION, "--kind", "custom:sequence", "--data",
        "{\"version\":1,\"sequenceId\":\"" IN_JSON "\",\"steps\":[\"" IN_JSON "\"],\"updatedAt\":1}");
    RUN(command, "append", SESSION, "--kind", "note", "--parent", ENTRY, "--id", "branched");
    RUN(command, "navigate", SESSION ":second", "--reason", CONTROLS);
    RUN(command, "navigate", SESSION ":@{1}");
    RUN(command, "fork", SESSION ":second", "--id", "fork-" CONTROLS);
    RUN(command, "append", "fork-" CONTROLS, "--kind", "note");
    RUN(command, "append", "gone-" CONTROLS, "--create", "--kind", "note");
    RUN(command, "delete", "gone-" CONTROLS, "--yes");
    import_hostile_file(command);
    return 0;
}

/* How many bytes the sequence of colour takes that begins here: `ESC [ digits ; m`; 0 if it is none. */
static size_t colour_bytes(const char *at)
{
    if (at[0] != '\033' || at[1] != '[') {
        return 0;
    }
    size_t digits = strspn(at + 2, "0123456789;");
    return at[2 + digits] == 'm' && digits < 8 ? digits + 3 : 0;
}

/* The code point that begins here, and its bytes; 0 bytes if it is no UTF-8. */
static size_t decode(uint32_t *code_point, const unsigned char *at)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t bytes = *at < 0x80 ? 1 : *at >= 0xf0 ? 4 : *at >= 0xe0 ? 3 : *at >= 0xc2 ? 2 : 0;
    *code_point = bytes == 1 ? *at : *at & (0xffu >> (bytes + 1));
    for (size_t i = 1; i < bytes; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            return 0;
        }
        *code_point = *code_point << 6 | (at[i] & 0x3fu);
    }
    return bytes > 0 && *code_point >= least[bytes] && *code_point <= 0x10ffff ? bytes : 0;
}

static bool is_harmless(uint32_t code_point)
{
    bool control = (code_point < 0x20 && code_point != '\n') || (code_point >= 0x7f && code_point < 0xa0);
    bool separator = code_point == 0x2028 || code_point == 0x2029;
    bool bidirectional = code_point == 0x061c || code_point == 0x200e || code_point == 0x200f ||
                         (code_point >= 0x202a && code_point <= 0x202e) ||
                         (code_point >= 0x2066 && code_point <= 0x2069);
    return !control && !separator && !bidirectional && !(code_point >= 0xd800 && code_point <= 0xdfff);
}

/* `ascii`: outside of UTF-8 nothing else is understood. */
static void assert_harmless(const char *line, const char *out, bool colored, bool ascii)
{
    for (const char *at = out; *at != '\0';) {
        uint32_t code_point = 0;
        size_t bytes = colored ? colour_bytes(at) : 0;
        bytes = strncmp(at, "\r\033[K", 4) == 0 && strncmp(line, "verify", 6) == 0 ? 4 : bytes; /* of its progress */
        bytes = *at == '\t' && strncmp(line, "complete", 8) == 0 ? 1 : bytes; /* stands before what describes a word */
        if (bytes == 0) {
            bytes = decode(&code_point, (const unsigned char *)at);
            if (bytes == 0 || !is_harmless(code_point) || (ascii && code_point >= 0x80)) {
                fail_msg("%s: byte %td is 0x%02x (U+%04x): ...%.60s", line, at - out, (unsigned)(unsigned char)*at,
                         code_point, at + 1);
            }
        }
        at += bytes;
    }
}

/* Every way to read; %s is the session. Those with an error show what was typed. */
static const char *const reading[] = {
    "sessions",
    "sessions --all",
    "sessions --json",
    "sessions --all --jsonl",
    "tree %s",
    "tree %s --all",
    "tree %s --family",
    "tree %s --family --json",
    "tree %s --json",
    "tree %s --kind " KIND,
    "secrets",
    "secrets --json",
    "log %s",
    "log %s --redact-secrets",
    "log %s --json --redact-secrets",
    "show %s:@ --redact-secrets",
    "sessions --redact-secrets",
    "tree %s --redact-secrets",
    "tree %s --family --redact-secrets",
    "branches %s --redact-secrets",
    "state %s --explain --redact-secrets",
    "log %s --full",
    "log %s --json",
    "log %s --jsonl",
    "log %s --kind k-no" CONTROLS,
    "show %s:@",
    "show %s:@ --full",
    "show %s:@ --json",
    "show %s:@ --raw",
    "show %s:m2",
    "show %s:@^1",
    "show %s:@^1 --full",
    "show %s:@^1 --raw",
    "show %s:@^2",
    "show %s:@^2 --full",
    "show %s:@^2 --json",
    "show %s:@^2 --raw",
    "show %s:@^3",
    "show %s:@^4",
    "show %s:second",
    "show %s:branched",
    "branches %s",
    "branches %s --json",
    "diff %s:@^1 :@",
    "diff %s:@^1 :@ --json",
    "diff %s fork-" CONTROLS,
    "state %s",
    "state %s --explain",
    "state %s --json",
    "state %s --every --jsonl",
    "blame %s readonly",
    "blame %s nudge --all",
    "blame %s sequence",
    "blame %s sequence --json",
    "sequence list",
    "sequence list %s",
    "sequence list %s --json",
    "sequence show %s",
    "sequence show %s --json",
    "sequence runs %s",
    "moves %s",
    "moves %s --json",
    "stat --usage --by model",
    "stat --usage --by session --json",
    "stat --bytes --by session",
    "stat --bytes --by directory",
    "stat --bytes --by tool",
    "stat --bytes --by tool --json",
    "stat --bytes %s",
    "stat --bytes %s --json",
    "files %s",
    "files %s --json",
    "files %s --noted",
    "files %s --noted --json",
    "files %s --check /no-such-" HOSTILE,
    "files %s --check /no-such-" HOSTILE " --json",
    "files %s --check file://" HOSTILE,
    "watch %s --last 9 -n 0",
    "watch %s --last 9 -n 0 --jsonl",
    "search -e . --session %s --quarantine",
    "search -e . --session %s --quarantine -C 2",
    "search -e . --session %s --quarantine --jsonl",
    "search -l -e .",
    "search -c -e .",
    "quarantine %s",
    "quarantine %s --json",
    "quarantine %s --line 5 --raw",
    "quarantine %s --line 6 --raw",
    "quarantine %s --line 7 --raw",
    "quarantine %s --line 8 --raw",
    "export %s",
    "export %s --quarantine",
    "export %s --html -o /dev/null",
    "export %s --html --family -o /dev/null",
    "export --all /no-such-" HOSTILE "/x",
    "export --all build",
    "verify",
    "verify --json",
    "lease status",
    "lease status %s",
    "lease status --json",
    "stat",
    "stat --json",
    "compact --dry-run",
    "complete -- log ",
    "complete -- log f",
    "complete -- show %s:s",
    "complete -- log --kind k",
    "delete %s --dry-run",
    "delete --file-gone --dry-run",
    "undelete gone-" CONTROLS " --dry-run",
    "gc --dry-run",
    "gc --dry-run --json",
    "redact %s:@^1 --reason r-" CONTROLS " --dry-run",
    "redact %s:@^1 --reason r-" CONTROLS " --dry-run --json",
    "judge ls$IFS" HOSTILE,
    "judge --explain rm$IFS" HOSTILE,
    "judge --json rm$IFS" HOSTILE,
    "judge --config /no-such-" HOSTILE " ls",
    "gate %s --config /no-such-" HOSTILE,
    "version",
    "init",
    "repair /no-such-" HOSTILE "/repaired",
    "hook " HOSTILE,
    "export %s -o /no-such-" HOSTILE "/file",
    "export %s --redact-pattern /no-such-" HOSTILE,
    /* What is not there: what was typed comes back. */
    "log no-such-" HOSTILE,
    "log %s no-such-" HOSTILE,
    "log gone-" CONTROLS,
    "show %s:no-such-" HOSTILE,
    "state %s:no-such-" HOSTILE,
    "blame %s " HOSTILE,
    "backup /no-such-" HOSTILE "/copy",
    "compact --dry-run --store /no-such-" HOSTILE,
    "sessions --store /no-such-" HOSTILE,
    "import /no-such-" HOSTILE,
    "import --json /no-such-" HOSTILE,
    "no-such-" HOSTILE,
    "log --no-such-" HOSTILE,
    "log --color=" HOSTILE,
    "log %s -n " HOSTILE,
    "sessions --active " HOSTILE,
    "append %s --kind note --data " HOSTILE,
    "append %s --kind note --expect no-such-" HOSTILE,
    "label %s:no-such-" HOSTILE " label",
    "rename no-such-" HOSTILE " name",
    "append %s --kind message --data [1] --id " ENTRY,
    "append " SESSION HOSTILE HOSTILE HOSTILE HOSTILE HOSTILE " --kind note --create",
    "append %s --kind " KIND,
    "navigate %s:no-such-" HOSTILE,
    "navigate %s:@~1",
    "fork %s:@",
    "clone %s",
    "clone %s --json",
    "fork %s:second --id fork-" CONTROLS,
    "clone %s --id fork-" CONTROLS,
    "help " HOSTILE,
    "open %s --dry-run",
    "open %s:no-such-" HOSTILE,
    "open no-such-" HOSTILE " --map " HOSTILE,
    "bundle %s --quiet",
    "bundle %s --since-bundle /no-such-" HOSTILE,
    "unbundle /no-such-" HOSTILE " --map a=" HOSTILE,
    "unbundle /no-such --map " HOSTILE,
};

/* Those that print what is stored as it is, and so do not escape it in a pipe. */
static const char *const raw[] = {"export ", "append ", " --raw", " --quiet"};

static bool is_raw(const char *line)
{
    bool found = false;
    for (size_t i = 0; i < sizeof raw / sizeof raw[0]; i++) {
        found = found || strstr(line, raw[i]);
    }
    return found;
}

/* What JSON text must not have in a pipe; the rest of it is for programs. */
static void assert_no_controls(const char *line, const char *out)
{
    for (const char *at = out; *at != '\0'; at++) {
        if ((unsigned char)*at < 0x20 && *at != '\n') {
            fail_msg("%s: byte %td is 0x%02x: %.60s", line, at - out, (unsigned)(unsigned char)*at, out);
        }
    }
}

static const char *const sessions[] = {SESSION, "fork-" CONTROLS, FROM_FILE};
#define SESSION_COUNT (sizeof sessions / sizeof sessions[0])

static void run_all(struct command *command, size_t session_count, const char *settings, bool colored, bool ascii)
{
    char line[2048];
    size_t shown = 0;
    for (size_t i = 0; i < sizeof reading / sizeof reading[0]; i++) {
        size_t count = !strstr(reading[i], "%s") ? 1 : session_count;
        for (size_t j = 0; j < count; j++) {
            snprintf(line, sizeof line, reading[i], sessions[j]);
            run_on_terminal(command, &(struct terminal){.settings = settings, .unchanged = true}, line);
            assert_harmless(line, command->out, colored, ascii);
            assert_true(command->code != 126 && command->code != 127 && command->code < 128);
            shown += command->code == 0;
        }
    }
    assert_true(shown > 60); /* most of them do show something */
}

#define HOSTILE_STORE(test) TEST_WITH(test, set_up_hostile, command_tear_down_verified)

HOSTILE_STORE(nothing_stored_reaches_a_terminal_raw)
{
    run_all(*state, SESSION_COUNT, NULL, true, false);
}

HOSTILE_STORE(nor_does_it_without_colour)
{
    run_all(*state, getenv("XYLEM_TORTURE") ? SESSION_COUNT : 1, "NO_COLOR=1", false, false);
}

HOSTILE_STORE(nor_outside_of_utf_8)
{
    run_all(*state, getenv("XYLEM_TORTURE") ? SESSION_COUNT : 1, "LC_ALL=C", true, true);
}

/* People read pipes too, and what is written to a file is shown later. */
HOSTILE_STORE(nor_in_a_pipe)
{
    struct command *command = *state;
    char line[2048];
    for (size_t i = 0; i < sizeof reading / sizeof reading[0]; i++) {
        for (size_t j = getenv("XYLEM_TORTURE") ? 0 : SESSION_COUNT - 1; j < SESSION_COUNT; j++) {
            snprintf(line, sizeof line, reading[i], sessions[j]);
            command_line(command, line);
            assert_harmless(line, command->err, false, false);
            if (strstr(line, "--json") || strncmp(line, "gate ", 5) == 0) {
                assert_no_controls(line, command->out);
            } else if (!is_raw(line)) {
                assert_harmless(line, command->out, false, false);
            }
        }
    }
    command->input =
        "{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"cat " IN_JSON "\"},\"cwd\":\"/" IN_JSON "\"}";
    command_line(command, "hook permission-request");
    assert_no_controls("hook", command->out);
    assert_harmless("hook", command->err, false, false);
    command->input = "{\"toolName\":\"bash\",\"input\":{\"command\":\"rm " IN_JSON "\"}}";
    command_line(command, "gate " SESSION " --flag-readonly");
    assert_exit(command, 1);
    assert_no_controls("gate", command->out);
    assert_harmless("gate", command->err, false, false);
}

/* A command that is new has to be tried here too. */
TEST_WITH(every_command_is_tried, command_set_up, command_tear_down_verified)
{
    struct command *command = *state;
    command_must(command, "help --jsonl");
    for (const char *at = command->out; (at = strstr(at, "{\"schema\":1,\"command\":\"")); at++) {
        char name[32];
        bool tried = false;
        assert_int_equal(sscanf(at, "{\"schema\":1,\"command\":\"%31[a-z]", name), 1);
        for (size_t i = 0; i < sizeof reading / sizeof reading[0]; i++) {
            size_t bytes = strlen(name);
            tried = tried || (strncmp(reading[i], name, bytes) == 0 && strchr(" ", reading[i][bytes]));
        }
        if (!tried) {
            fail_msg("no line of this test runs `xylem %s`", name);
        }
    }
}

HOSTILE_STORE(nor_through_a_pager)
{
    struct command *command = *state;
    static const char *const paged[] = {"sessions", "tree %s", "log %s --full", "show %s:@", "branches %s", "moves %s"};
    char line[1024];
    for (size_t i = 0; i < sizeof paged / sizeof paged[0]; i++) {
        snprintf(line, sizeof line, paged[i], SESSION);
        run_on_terminal(command, &(struct terminal){.settings = "XYLEM_PAGER=tee", .unchanged = true}, line);
        assert_exit(command, 0);
        assert_harmless(line, command->out, true, false);
    }
}

/* An import names the file, and what it cannot place. Its line of progress is the program's own. */
HOSTILE_STORE(nor_while_it_is_imported)
{
    struct command *command = *state;
    char line[512];
    char path[256];
    char kept[256];
    command_path(kept, command, "kept");
    command_path(path, command, "n-" CONTROLS ".jsonl");
    assert_int_equal(rename(kept, path), 0);
    snprintf(line, sizeof line, "import --store %s/again %s", command->directory, path);
    run_on_terminal(command, &(struct terminal){.unchanged = true}, line);
    assert_exit(command, 1);
    for (char *at = command->out; (at = strstr(at, "\r\033[K"));) {
        memmove(at, at + 4, strlen(at + 4) + 1);
    }
    assert_contains(command->out, "n-a\\x1b[2J");
    assert_harmless(line, command->out, true, false);
}

/* A bundle is the file of a stranger: its ids and directories are shown before anything is in the store. */
HOSTILE_STORE(nor_does_what_a_bundle_holds)
{
    static const char *const ways[] = {"--check", "--dry-run --map /=/" HOSTILE, "", "--own", "--json"};
    struct command *command = *state;
    char line[2048];
    char path[256];
    command_path(path, command, "bundle");
    command->out_path = path;
    RUN(command, "bundle", "--family", SESSION);
    assert_harmless("bundle", command->err, false, false);
    RUN(command, "bundle", FROM_FILE, "fork-" CONTROLS);
    assert_harmless("bundle", command->err, false, false);
    command->out_path = NULL;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        snprintf(line, sizeof line, "unbundle %s --store %s/theirs %s", path, command->directory, ways[i]);
        run_on_terminal(command, &(struct terminal){.unchanged = true}, line);
        assert_exit(command, 0);
        const char *shown = strcmp(ways[i], "--json") == 0 ? "s-a\\u001b[2J" : "s-a\\x1b[2J";
        assert_true(strcmp(ways[i], "--own") == 0 || strstr(command->out, shown)); /* what is equal is only counted */
        assert_harmless(line, command->out, true, false);
    }
}

HOSTILE_STORE(questions_show_it_escaped)
{
    struct command *command = *state;
    run_on_terminal(command, &(struct terminal){.typed = "n\n", .unchanged = true}, "delete " SESSION);
    assert_exit(command, 1);
    assert_contains(command->out, "Delete session s-a\\x1b[2J");
    assert_harmless("delete", strstr(command->out, "Delete"), true, false); /* what was typed stands before it */
    run_on_terminal(command, &(struct terminal){.typed = "n\n", .unchanged = true}, "delete --file-gone");
    assert_exit(command, 1);
    assert_contains(command->out, "Delete 1 session whose file is gone?");
    assert_harmless("delete", strstr(command->out, "would delete"), true, false);
    run_on_terminal(command, &(struct terminal){.typed = "n\n", .unchanged = true}, "compact");
    assert_exit(command, 1);
    assert_contains(command->out, "Compact the store?");
    assert_contains(command->out, "nothing was done");
}

/* What is asked for as it is stored: a program gets it so, and a terminal is shown the same JSON. */
HOSTILE_STORE(stored_bytes_are_raw_for_programs_alone)
{
    struct command *command = *state;
    command_run(command, "show", SESSION ":@^1", "--raw", NULL);
    assert_exit(command, 0);
    assert_contains(command->out, "\x7f\xc2\x9b"
                                  "31m\xe2\x80\xae");
    run_on_terminal(command, &(struct terminal){.unchanged = true}, "show " SESSION ":@^1 --raw");
    assert_contains(command->out, "\\u007f\\u009b31m\\u202e\\u2066\\u061c\\u2028");
    command_run(command, "quarantine", FROM_FILE, "--line", "6", "--raw", NULL);
    assert_exit(command, 0);
    assert_contains(command->out, "no JSON: " HOSTILE "\n");
    run_on_terminal(command, &(struct terminal){.unchanged = true}, "quarantine " FROM_FILE " --line 6 --raw");
    assert_contains(command->out, "no JSON: a\\x1b[2J\\x1b]0;t\\x07\\rb\\u007f\\u009b31m");
    assert_contains(command->out, "\\x9b2J\\xe2\\x80\\xff\\xc0\\x9b\n");
    command_run(command, "export", FROM_FILE, "--quarantine", NULL);
    assert_exit(command, 0);
    assert_contains(command->out, "no JSON: " HOSTILE "\n");
    run_on_terminal(command, &(struct terminal){.unchanged = true}, "export " FROM_FILE " --quarantine");
    assert_exit(command, 0);
    assert_contains(command->out, "no JSON: a\\x1b[2J");
}

/* A file that lies where others can get at it is named, by its hostile name. */
HOSTILE_STORE(the_warning_shows_a_hostile_path_escaped)
{
    struct command *command = *state;
    char store[256];
    command_path(store, command, "w-" CONTROLS);
    command_run(command, "init", "--store", store, NULL);
    assert_exit(command, 0);
    assert_int_equal(chmod(store, 0755), 0);
    char line[512];
    snprintf(line, sizeof line, "sessions --store %s", store);
    run_on_terminal(command, &(struct terminal){.unchanged = true}, line);
    assert_exit(command, 0);
    assert_contains(command->out, "xylem: warning: ");
    assert_contains(command->out, "w-a\\x1b[2J");
    assert_harmless(line, command->out, true, false);
    run_on_terminal(command, &(struct terminal){.settings = "LC_ALL=C", .unchanged = true}, line);
    assert_harmless(line, command->out, true, true);
}
