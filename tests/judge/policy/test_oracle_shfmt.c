/*
 * A second parser says whether ours was right: on generated commands, what ours understood shfmt parses too, or the
 * difference is one of a short list, or bash refuses it as well (it is asked in the sandbox, where there is one); and
 * every program that shfmt finds, ours found. A seed decides everything about a
 * command; XYLEM_SEED=n runs that one alone, XYLEM_ROUNDS=n runs so many hundreds.
 */

#include <errno.h>
#include <inttypes.h>
#include <regex.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json.h"
#include "judge/shell/parse.h"
#include "tests/lib/command_names.h"
#include "tests/lib/shell_sandbox.h"
#include "tests/lib/shell_text.h"
#include "tests/lib/smaller.h"
#include "tests/lib/test.h"

#define COMMANDS_DEFAULT 400
#define COMMANDS_AT_LENGTH 24000
#define DEFECTS_MAX 25
#define JSON_BYTES_MAX (4u << 20)
#define NAME_BYTES_MAX 512u

extern char **environ;

/* What shfmt refuses though bash takes it, by what shfmt says. (And bash is asked whether it takes the command.) */
static const struct {
    const char *says;
    const char *reason;
} differences[] = {
    {"cannot negate a command multiple times", "bash takes `! ! ls`"},
    {"\"!\" cannot form a statement alone", "bash takes `!` alone, which fails"},
    {"\"!\" can only be used in full statements", "bash takes `time ! ls` and `time !`"},
    {"\"a[b]\" must be followed by", "`r[y]` is a word, which may be a pattern"},
    {"unclosed here-document",
     "a delimiter may be broken by a backslash and a line's end, where no part of it is quoted"},
    {"inline variables cannot be arrays", "bash takes `a=() ls`"},
    {"without matching",
     "`((ls); (ls))` is a subshell in a subshell, and so is one in `$((ls); (ls))`; faults in numbers as below"},
    {"not a valid arithmetic operator", "bash finds the fault when it counts"},
    {"must follow an expression", "bash finds the fault when it counts"},
    {"ternary operator missing", "bash finds the fault when it counts: `((:))`"},
    {"test operator words must consist of a single literal", "`[[ $ ]]` tests a word"},
    {"must be followed by an expression",
     "bash finds the fault when it counts; and `e[]` is a word, which may be a pattern"},
    {"must follow a name", "bash finds the fault when it counts"},
    {"must be followed by a literal", "bash finds the fault in `((++))` when it counts"},
    {"must be followed by a word", "a backslash and a line's end may stand in an operator"},
    {"without closing quote", "bash takes `$''` in backticks"},
    {"array element values must be words", "bash takes `a=(=)`"},
    {"\"[x]\" must be followed by =", "bash takes `a=(][c])`: the brackets are a word"},
    {"invalid var name", "bash finds the fault in `export {=` when it runs the command"},
    {"\"expr\" must be followed by ;", "bash finds the fault in `for ((#;;))` when it counts"},
};

static struct {
    struct shell_fixtures fixtures;
    struct command_names names;
    struct shell_sandbox *sandbox;
    bool has_shfmt;
    char json[JSON_BYTES_MAX];
    char message[512];           /* what shfmt says against a command */
    char missed[NAME_BYTES_MAX]; /* a program that it found, and our parser not */
    unsigned difference_counts[sizeof differences / sizeof differences[0]];
    unsigned understood_count;
    unsigned compared_count; /* names */
    unsigned wrong_count;    /* what bash refuses too */
    unsigned defect_count;
} world;

/* --- shfmt ------------------------------------------------------------------------------------------------------- */

static int memory_file(const char *data, size_t bytes)
{
    int file = memfd_create("text", MFD_CLOEXEC);
    assert_true(file >= 0);
    assert_int_equal(write(file, data, bytes), bytes);
    assert_int_equal(lseek(file, 0, SEEK_SET), 0);
    return file;
}

static size_t read_back(int file, char *room, size_t room_bytes)
{
    ssize_t got = pread(file, room, room_bytes - 1, 0);
    assert_true(got >= 0 && (size_t)got < room_bytes - 1);
    room[got] = '\0';
    close(file);
    return (size_t)got;
}

/* True and the tree as JSON, or what is wrong; false and an empty message: it did not start. */
static bool run_shfmt(struct xylem_view command, size_t *json_bytes)
{
    char *argv[] = {"shfmt", "-ln", "bash", "--to-json", NULL};
    int files[3] = {memory_file(command.data, command.bytes), memory_file("", 0), memory_file("", 0)};
    posix_spawn_file_actions_t actions;
    pid_t pid = 0;
    int status = -1;
    assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(posix_spawn_file_actions_adddup2(&actions, files[i], i), 0);
    }
    if (posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ) == 0) {
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
        }
    }
    posix_spawn_file_actions_destroy(&actions);
    close(files[0]);
    *json_bytes = read_back(files[1], world.json, sizeof world.json);
    read_back(files[2], world.message, sizeof world.message);
    return status == 0;
}

/* --- The names that it found -------------------------------------------------------------------------------------- */

static bool is_type(const struct xylem_value *node, const char *type)
{
    const struct xylem_value *found = xylem_value_get(node, "Type");
    struct xylem_view name = xylem_value_string(found);
    return found && name.bytes == strlen(type) && memcmp(name.data, type, name.bytes) == 0;
}

/* Adds characters as they are after the removal of quotes; false if they are no literal text. */
static bool add_unquoted(char *name, size_t *bytes, struct xylem_view text, bool in_double_quotes)
{
    for (size_t i = 0; i < text.bytes; i++) {
        char byte = text.data[i];
        bool more = i + 1 < text.bytes;
        if (byte == '\\' && more && (!in_double_quotes || strchr("$`\"\\\n", text.data[i + 1]))) {
            byte = text.data[++i];
            if (byte == '\n') {
                continue;
            }
        } else if (byte == '$' || (!in_double_quotes && strchr("*?[{~`\\", byte))) {
            return false;
        }
        if (*bytes + 1 == NAME_BYTES_MAX || byte == '\0') {
            return false;
        }
        name[(*bytes)++] = byte;
    }
    return true;
}

static bool add_part(char *name, size_t *bytes, const struct xylem_value *part, bool in_double_quotes)
{
    const struct xylem_value *value = xylem_value_get(part, "Value");
    if (is_type(part, "Lit")) {
        return add_unquoted(name, bytes, xylem_value_string(value), in_double_quotes);
    }
    struct xylem_view text = value ? xylem_value_string(value) : (struct xylem_view){"", 0};
    if (!is_type(part, "SglQuoted") || xylem_value_get(part, "Dollar") || *bytes + text.bytes >= NAME_BYTES_MAX) {
        return false;
    }
    memcpy(name + *bytes, text.data, text.bytes);
    *bytes += text.bytes;
    return true;
}

/*
 * Behind a pipe `time` is no reserved word for bash, but a program with arguments; for shfmt it is one. The call that
 * it sees there; NULL: `node` is something else.
 */
static const struct xylem_value *call_behind_piped_time(const struct xylem_value *node)
{
    enum { PIPE = 12, PIPE_ALL = 13 };
    const struct xylem_value *number_of = is_type(node, "BinaryCmd") ? xylem_value_get(node, "Op") : NULL;
    const struct xylem_value *right = number_of ? xylem_value_get(node, "Y") : NULL;
    const struct xylem_value *command = right ? xylem_value_get(right, "Cmd") : NULL;
    int64_t number = 0;
    if (!command || !is_type(command, "TimeClause") || !xylem_value_integer(&number, number_of) ||
        (number != PIPE && number != PIPE_ALL)) {
        return NULL;
    }
    const struct xylem_value *statement = xylem_value_get(command, "Stmt");
    const struct xylem_value *call = statement ? xylem_value_get(statement, "Cmd") : NULL;
    while (call && is_type(call, "BinaryCmd")) { /* it takes the rest of the pipeline for timed */
        statement = xylem_value_get(call, "X");
        call = statement ? xylem_value_get(statement, "Cmd") : NULL;
    }
    return call;
}

/* The literal value of a word; false if it has none, or one that cannot be told here. */
static bool read_word(char *name, const struct xylem_value *word)
{
    const struct xylem_value *parts = word ? xylem_value_get(word, "Parts") : NULL;
    size_t bytes = 0;
    for (const struct xylem_value *part = parts ? xylem_value_first(parts) : NULL; part;
         part = xylem_value_next(parts, part)) {
        const struct xylem_value *inner = is_type(part, "DblQuoted") ? xylem_value_get(part, "Parts") : NULL;
        if (is_type(part, "DblQuoted") && xylem_value_get(part, "Dollar")) {
            return false;
        }
        if (!is_type(part, "DblQuoted") && !add_part(name, &bytes, part, false)) {
            return false;
        }
        for (const struct xylem_value *child = inner ? xylem_value_first(inner) : NULL; child;
             child = xylem_value_next(inner, child)) {
            if (!is_type(child, "Lit") || !add_part(name, &bytes, child, true)) {
                return false;
            }
        }
    }
    name[bytes] = '\0';
    return bytes > 0;
}

/* Whether our parser found the program that a node calls; true of all that is no call. */
static bool has_name(const struct xylem_value *node)
{
    char name[NAME_BYTES_MAX];
    const struct xylem_value *words = is_type(node, "CallExpr") ? xylem_value_get(node, "Args") : NULL;
    const struct xylem_value *first = words ? xylem_value_first(words) : NULL;
    if (!first || !read_word(name, first)) {
        return true;
    }
    world.compared_count++;
    if (command_names_hold(&world.names, name)) {
        return true;
    }
    snprintf(world.missed, sizeof world.missed, "%s", name);
    return false;
}

/* Gives whether our parser found all the programs that shfmt found. */
static bool has_all_names(size_t json_bytes)
{
    struct xylem_base__tree tree = {0};
    struct xylem_error err = {0};
    bool has_all = true;
    int code = xylem_base__json_parse(&tree, (struct xylem_view){world.json, json_bytes}, &err);
    assert_true(code == 0 || code == XYLEM_E_LIMIT);
    size_t count = code == 0 ? tree.node_count : 0;
    bool *piped = calloc(count + 1, sizeof *piped);
    assert_non_null(piped);
    for (size_t i = 0; i < count; i++) {
        const struct xylem_value *call = call_behind_piped_time(&tree.nodes[i]);
        if (call) {
            piped[call - tree.nodes] = true;
        }
    }
    for (size_t i = 0; has_all && i < count; i++) {
        has_all = piped[i] || has_name(&tree.nodes[i]);
    }
    free(piped);
    xylem_base__tree_release(&tree);
    return has_all;
}

/* --- Commands ----------------------------------------------------------------------------------------------------- */

static bool is_known_difference(void)
{
    for (size_t i = 0; i < sizeof differences / sizeof differences[0]; i++) {
        if (strstr(world.message, differences[i].says)) {
            world.difference_counts[i]++;
            return true;
        }
    }
    return false;
}

/* True for a text that shfmt reads otherwise than bash does: where shfmt then differs, shfmt is wrong. */
static bool is_beyond_shfmt(struct xylem_view command)
{
    static const struct {
        const char *pattern;
        const char *reason;
    } readings[] = {
        {"time[ \t]+(-p[ \t]+)?--", "shfmt takes -- for the name of a program"},
        {"\\|&?([ \t\n]|\\\\\n)*time", "behind a pipe `time` is a program for bash, and a reserved word for shfmt"},
        {"[$(&|;<>]\\\\\n", "shfmt does not remove a backslash and a newline behind $, $( and in operators"},
        {"E['\"]O['\"]F", "shfmt expands the body, though a part of the delimiter is quoted"},
        {"#[^\n]*\\\\\n", "shfmt joins a comment that ends with a backslash with the next line"},
        {"['\"]#", "shfmt takes a # behind quotes for the beginning of a comment"},
        {"[<>]&-[^ ]", "shfmt takes text behind >&- for a part of the target"},
        {"let[ \t]", "shfmt reads words of let, and |& behind them, as arithmetic"},
        {"(export|readonly|declare|typeset|local)[^\n]*[<>]", "shfmt takes no word behind a redirection there"},
        {"`EOF", "shfmt takes the delimiter of a here-document behind backticks for a command"},
        {"coproc", "shfmt takes the first word of `coproc a b` for the name of the coprocess"},
        {"\"`.*\\\\\"", "shfmt keeps the backslash of \\\" in backticks within double quotes"},
        {"`.*\\$['\"]", "shfmt reads `$''` within backticks otherwise"},
    };
    char *text = strndup(command.data, command.bytes);
    bool beyond = false;
    assert_non_null(text);
    for (size_t i = 0; !beyond && i < sizeof readings / sizeof readings[0]; i++) {
        regex_t regex;
        assert_int_equal(regcomp(&regex, readings[i].pattern, REG_EXTENDED | REG_NOSUB), 0);
        beyond = regexec(&regex, text, 0, NULL, 0) == 0;
        regfree(&regex);
    }
    free(text);
    return beyond;
}

/* Asks bash, which reads the command and does not run it, inside the sandbox: without one it is taken for right. */
static bool bash_takes(const char *text, size_t bytes)
{
    static const char before[] = "x=$(/real/bin/bash -n -c '";
    static const char behind[] = "' 2>&1) && [[ $x != *delimited* ]] && canary1";
    const struct shell_report *report;
    char *command = malloc(4 * bytes + sizeof before + sizeof behind);
    assert_non_null(command);
    char *at = stpcpy(command, before);
    for (size_t i = 0; i < bytes; i++) {
        at = text[i] == '\'' ? stpcpy(at, "'\\''") : (*at = text[i], at + 1);
    }
    at = stpcpy(at, behind);
    bool takes = true;
    if (world.sandbox) {
        assert_true(shell_sandbox_run(&report, world.sandbox, command, (size_t)(at - command)));
        takes = report->event_count > 0;
    }
    free(command);
    return takes;
}

/* shfmt refused what ours understood. */
static bool is_explained(const char *text, size_t bytes)
{
    bool takes = bash_takes(text, bytes);
    world.wrong_count += !takes;
    if (!takes && getenv("XYLEM_VERBOSE")) {
        char room[400];
        print_message("bash refuses what was understood: $'%s'\n", shell_text_escape(room, sizeof room, text, bytes));
    }
    return !takes || is_known_difference();
}

/* Whether the two parsers agree. */
static bool agree(const char *text, size_t bytes)
{
    struct xylem_view command = {text, bytes};
    struct xylem_shell__arena arena = {0};
    struct xylem_shell__tree tree;
    size_t json_bytes = 0;
    bool same = true;
    world.missed[0] = world.message[0] = '\0';
    assert_int_equal(xylem_shell__parse(&tree, &arena, command, 0), 0);
    command_names_find(&world.names, &tree);
    if (!tree.not_understood_why) {
        world.understood_count++;
        same = (run_shfmt(command, &json_bytes) ? has_all_names(json_bytes) : is_explained(text, bytes)) ||
               is_beyond_shfmt(command);
    }
    xylem_shell__arena_release(&arena);
    return same;
}

static bool differ(const char *text, size_t bytes)
{
    return !agree(text, bytes);
}

static void print_difference(uint64_t seed, struct shell_text *text)
{
    static char room[4 * SHELL_TEXT_BYTES_MAX];
    print_error("understood: $'%s'\n", shell_text_escape(room, sizeof room, text->data, text->bytes));
    smaller_make(text->data, &text->bytes, differ);
    agree(text->data, text->bytes);
    print_error("smaller: $'%s'\n", shell_text_escape(room, sizeof room, text->data, text->bytes));
    print_error("shfmt %s%s\n",
                world.missed[0] ? "finds also: " : "says: ", world.missed[0] ? world.missed : world.message);
    print_error("again: XYLEM_SEED=%" PRIu64 " %s\n\n", seed, program_invocation_name);
    world.defect_count++;
}

static void run_seed(uint64_t seed)
{
    static struct shell_text text;
    struct chance chance = chance_of(seed);
    shell_text_next(&text, &chance, &world.fixtures);
    if (!agree(text.data, text.bytes)) {
        print_difference(seed, &text);
    }
}

TEST(what_is_understood_shfmt_understands_alike)
{
    bool one = getenv("XYLEM_SEED") != NULL;
    /* Always the same commands: new commands may meet a slip of shfmt that nobody has seen. */
    uint64_t first = test_number_from("XYLEM_SEED", 1);
    uint64_t hundreds = test_number_from("XYLEM_ROUNDS", 0);
    uint64_t commands = one                       ? 1
                        : getenv("XYLEM_TORTURE") ? COMMANDS_AT_LENGTH
                        : hundreds > 0            ? hundreds * 100
                                                  : COMMANDS_DEFAULT;
    unsigned known = 0;
    if (!world.has_shfmt) {
        return;
    }
    print_message("seeds %" PRIu64 " to %" PRIu64 "\n", first, first + commands - 1);
    for (uint64_t i = 0; i < commands && world.defect_count < DEFECTS_MAX; i++) {
        run_seed(first + i);
    }
    for (size_t i = 0; i < sizeof differences / sizeof differences[0]; i++) {
        known += world.difference_counts[i];
    }
    print_message("figures: %" PRIu64 " commands, %u understood and given to shfmt, %u names of programs compared, %u "
                  "refused by shfmt for reasons that are known, %u by shfmt and bash\n",
                  commands, world.understood_count, world.compared_count, known, world.wrong_count);
    assert_int_equal(world.defect_count, 0);
    assert_true(one || (world.understood_count > commands / 5 && world.compared_count > commands / 5));
}

/* The names are read from its tree, at any depth and however they are quoted; and one that is missing is noticed. */
TEST(its_names_are_read)
{
    static const char command[] = "l\\s; \"ra\"'m' $(<a cat \"$(echo `tac`)\" <<E\n$(sed)\nE\n) & a* x; $y; $'z'";
    static const char *const names[] = {"/bin/ls", "ram", "cat", "echo", "tac", "sed"};
    size_t json_bytes = 0;
    (void)state;
    if (!world.has_shfmt) {
        return;
    }
    assert_true(run_shfmt((struct xylem_view){command, sizeof command - 1}, &json_bytes));
    for (size_t missing = 0; missing <= 6; missing++) {
        world.names.count = 0;
        for (size_t i = 0; i < 6; i++) {
            if (i != missing) {
                world.names.names[world.names.count++] = xylem_view_of(names[i]);
            }
        }
        world.missed[0] = '\0';
        assert_int_equal(has_all_names(json_bytes), missing == 6);
        assert_string_equal(world.missed, missing == 6 ? "" : shell_base_name(names[missing]));
    }
    assert_false(run_shfmt((struct xylem_view){"if", 2}, &json_bytes));
    assert_false(is_known_difference());
    assert_false(run_shfmt((struct xylem_view){"! ! ls", 6}, &json_bytes));
    assert_true(is_known_difference());
}

static int set_up(void **state)
{
    size_t json_bytes = 0;
    (void)state;
    char why[256];
    world.sandbox = shell_sandbox_open(why, sizeof why);
    shell_fixtures_read(&world.fixtures, "fixtures/policy");
    world.has_shfmt = run_shfmt((struct xylem_view){"ls", 2}, &json_bytes);
    if (!world.has_shfmt) {
        print_message("figures: shfmt does not start here, nothing was compared with it\n");
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    shell_sandbox_close(world.sandbox);
    shell_fixtures_free(&world.fixtures);
    return 0;
}

TEST_FILE(set_up, tear_down)
