/*
 * Every JSON document of every command. The table below has the documents and their lists. In the run each document
 * is parsed, each list that is met stands in the table, and each list of the table is met with two elements: only a
 * list of two elements shows what stands between its elements. The table is compared with `help --json` and with
 * docs/commands.md.
 */
#include "base/value.h"
#include "tests/cli/command.h"
#include "tests/lib/test.h"
#include "xylem/entry.h"
#include "xylem/lease.h"

enum { LISTS_MAX = 16, PATH_MAX_BYTES = 160, NESTED_MAX = 12 };

/*
 * `lists` has the paths of the lists, with `[]` for an element. A document of --jsonl is an element of the first list
 * if `elements` says so.
 */
static const struct document {
    const char *command; /* words of the command, then what asks for another document */
    bool elements;
    const char *lists;
} documents[] = {
    {"import", false, "files files[].problems"},
    {"sessions", true, "sessions sessions[].files"},
    {"tree", true, "entries"},
    {"tree --family", true, "sessions"},
    {"log", true, "entries"},
    {"show", false, ""},
    {"search", true, "hits hits[].sessions hits[].entries_before hits[].entries_after"},
    {"search --list", true, "sessions"},
    {"search --count", true, "sessions"},
    {"branches", true, "branches"},
    {"diff", false,
     "a.entries b.entries a_state.skipped a_state.sequence.steps a_state.todo.items b_state.skipped "
     "b_state.sequence.steps b_state.todo.items differs labels"},
    {"state", false, "sequence.steps todo.items skipped"},
    {"state --every", true, "states states[].sequence.steps states[].todo.items states[].skipped"},
    {"blame", true, "entries entries[].sequence.steps entries[].todo.items"},
    {"moves", true, "moves"},
    {"files", true, "files"},
    {"files --noted", true, "files"},
    {"files --check", false, ""},
    {"watch", false, ""},
    {"init", false, ""},
    {"append", false, ""},
    {"label", false, ""},
    {"rename", false, ""},
    {"navigate", false, ""},
    {"undelete", false, ""},
    {"sequence save", false, ""},
    {"sequence retry", false, ""},
    {"sequence skip", false, ""},
    {"sequence stop", false, ""},
    {"lease break", false, ""},
    {"fork", false, ""},
    {"clone", false, ""},
    {"sequence list", true, "sequences"},
    {"sequence show", false, "steps"},
    {"sequence show --run", false, "steps args"},
    {"sequence validate", false, "steps steps[].warnings"},
    {"sequence preview", false, "steps steps[].warnings"},
    {"sequence runs", true, "runs"},
    {"sequence status", false, ""},
    {"sequence log", true, "events"},
    {"sequence drive", false, "warnings args"},
    {"delete", false, "sessions left"},
    {"gc", false, "sessions"},
    {"secrets", true, "secrets"},
    {"redact", false, "files unreachable holders"},
    {"redact --pattern", false, "files unreachable holders matches"},
    {"redact --finish", false, ""},
    {"unbundle", false, "sessions"},
    {"verify", false, "damaged_sessions problems"},
    {"repair", false, "problems"},
    {"backup", false, ""},
    {"compact", false, ""},
    {"stat", false, "tables"},
    {"stat --usage", false, "parts"},
    {"stat --bytes", false, "parts"},
    {"stat --holders", true, "holders"},
    {"quarantine", true, "lines"},
    {"lease", true, "leases"},
    {"judge", false, "judged git_directories"},
    {"judge --jsonl", false, ""},
    {"hook", false, ""},
    {"gate", false, ""},
    {"help", true,
     "commands commands[].options commands[].options[].choices commands[].verbs "
     "commands[].verbs[].options commands[].verbs[].options[].choices"},
    {"help COMMAND", false, "options options[].choices verbs verbs[].options verbs[].options[].choices"},
    {"version", false, ""},
};
enum { DOCUMENT_COUNT = sizeof documents / sizeof documents[0] };

/* What an author or a host wrote, and what a host of hooks wants to read. */
static const char *const foreign[] = {"payload", "data", "hookSpecificOutput"};

/* Per document: its lists that were met with two elements, and the number of its documents. */
static bool met[DOCUMENT_COUNT][LISTS_MAX];
static size_t printed[DOCUMENT_COUNT];

/* The members of all documents, each with the one type of its values; a null has no type. */
static struct {
    char name[64];
    enum xylem_value_type type;
} members[512];
static size_t member_count;

/* The n-th of the words of a text, which are separated by blanks; "" behind the last. */
static const char *nth(char word[PATH_MAX_BYTES], const char *words, size_t n)
{
    for (; n > 0 && *words != '\0'; n--) {
        words += strcspn(words, " ");
        words += strspn(words, " ");
    }
    snprintf(word, PATH_MAX_BYTES, "%.*s", (int)strcspn(words, " "), words);
    return word;
}

static void must(int code)
{
    if (code < 0) {
        fail_msg("%s", xylem_code_name(code));
    }
}

static size_t find(const char *command)
{
    size_t at = 0;
    while (at < DOCUMENT_COUNT && strcmp(documents[at].command, command) != 0) {
        at++;
    }
    if (at == DOCUMENT_COUNT) {
        fail_msg("the table has no document '%s'", command);
    }
    return at;
}

static void meet(size_t document, const char *path, size_t count)
{
    char word[PATH_MAX_BYTES];
    for (size_t i = 0; i < LISTS_MAX && *nth(word, documents[document].lists, i) != '\0'; i++) {
        if (strcmp(word, path) == 0) {
            met[document][i] = met[document][i] || count >= 2;
            return;
        }
    }
    fail_msg("%s: the table has no list '%s'", documents[document].command, path);
}

static bool is_foreign(struct xylem_view key)
{
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        if (key.bytes == strlen(foreign[i]) && memcmp(key.data, foreign[i], key.bytes) == 0) {
            return true;
        }
    }
    return false;
}

/* A name has small letters, digits and `_`, and one type in all documents. */
static void meet_member(size_t document, struct xylem_view name, const struct xylem_value *value)
{
    enum xylem_value_type type = xylem_value_type(value);
    size_t at = 0;
    for (size_t i = 0; i < name.bytes; i++) {
        if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789_", name.data[i])) {
            fail_msg("%s: %.*s is not in small letters", documents[document].command, (int)name.bytes, name.data);
        }
    }
    if (type == XYLEM_VALUE_NIL) {
        return;
    }
    while (at < member_count && !xylem_base__view_equal(xylem_view_of(members[at].name), name)) {
        at++;
    }
    if (at == member_count) {
        assert_true(at < sizeof members / sizeof members[0] && name.bytes < sizeof members[0].name);
        memcpy(members[at].name, name.data, name.bytes);
        members[at].type = type;
        member_count++;
    } else if (members[at].type != type) {
        fail_msg("%s: %s has another type in another document", documents[document].command, members[at].name);
    }
}

static void walk(size_t document, const struct xylem_value *value, const char *path, size_t depth)
{
    char below[PATH_MAX_BYTES];
    assert_true(depth < NESTED_MAX);
    if (xylem_value_type(value) == XYLEM_VALUE_ARRAY) {
        meet(document, path, xylem_value_count(value));
        snprintf(below, sizeof below, "%s[]", path);
        for (const struct xylem_value *one = xylem_value_first(value); one; one = xylem_value_next(value, one)) {
            walk(document, one, below, depth + 1);
        }
    } else if (xylem_value_type(value) == XYLEM_VALUE_MAP) {
        for (const struct xylem_value *key = xylem_value_first(value); key; key = xylem_value_next(value, key)) {
            struct xylem_view name = xylem_value_string(key);
            key = xylem_value_next(value, key);
            snprintf(below, sizeof below, "%s%s%.*s", path, *path == '\0' ? "" : ".", (int)name.bytes, name.data);
            if (!is_foreign(name)) {
                meet_member(document, name, key);
                walk(document, key, below, depth + 1);
            }
        }
    }
}

/* Each line of `out` is a document. */
static void look_at(const struct command *command, size_t document, bool elements)
{
    char root[PATH_MAX_BYTES] = "";
    if (elements) {
        nth(root, documents[document].lists, 0);
        strcat(root, "[]");
    }
    for (const char *line = command->out; *line != '\0'; line += strcspn(line, "\n") + 1) {
        struct xylem_document *parsed = NULL;
        struct xylem_error err = {0};
        size_t bytes = strcspn(line, "\n");
        assert_int_equal(line[bytes], '\n');
        if (xylem_document_new_json(&parsed, (struct xylem_view){line, bytes}, &err) < 0) {
            fail_msg("%s: %s: %.*s", documents[document].command, err.text, (int)bytes, line);
        }
        assert_int_equal(xylem_value_type(xylem_document_value(parsed)), XYLEM_VALUE_MAP);
        walk(document, xylem_document_value(parsed), root, 0);
        printed[document]++;
        xylem_document_free(parsed);
    }
}

/* Runs a line in which DIR stands for the directory of the test, and looks at each of its documents. */
static void look(struct command *command, const char *name, const char *line, int code)
{
    size_t document = find(name);
    char *meant = command_replace(strdup(line), "DIR", command->directory);
    command_line(command, meant);
    free(meant);
    assert_exit(command, code);
    look_at(command, document, documents[document].elements && strstr(line, "--jsonl"));
}

static void make(struct command *command, const char *line)
{
    char *meant = command_replace(strdup(line), "DIR", command->directory);
    command_line(command, meant);
    free(meant);
    assert_exit(command, 0);
}

static void append(struct command *command, const char *session, const char *kind, const char *id, const char *data)
{
    command_run(command, "append", session, "--create", "--kind", kind, "--id", id, "--data", data, NULL);
    assert_exit(command, 0);
}

static void write_text(const struct command *command, const char *name, const char *text)
{
    char path[256];
    command_path(path, command, name);
    command_write_file(path, text, strlen(text));
}

static void copy_to(const struct command *command, const char *from, const char *name)
{
    size_t bytes = 0;
    char path[256];
    char *text = command_read_file(from, &bytes);
    command_path(path, command, name);
    command_write_file(path, text, bytes);
    free(text);
}

/* --- What lists need ---------------------------------------------------------------------------------------------- */

#define HEADER(id)                                                                                                 \
    "{\"type\":\"session\",\"version\":3,\"id\":\"" id "\",\"timestamp\":\"2026-11-20T10:00:00.000Z\",\"cwd\":\"/" \
    "p\"}\n"
#define MESSAGE(id, parent, text)                                                                                 \
    "{\"type\":\"message\",\"id\":\"" id "\",\"parentId\":" parent ",\"timestamp\":\"2026-11-20T10:00:01.000Z\"," \
    "\"message\":{\"role\":\"user\",\"content\":\"" text "\"}}\n"
#define ITEMS(id)                                                              \
    "{\"action\":\"add\",\"todos\":[{\"id\":1,\"text\":\"x\",\"done\":false}," \
    "{\"id\":2,\"text\":\"" id "\",\"done\":true}],\"nextId\":3}"
#define STEPS(id) "{\"version\":1,\"sequenceId\":\"" id "\",\"steps\":[\"one\",\"two\"],\"updatedAt\":1700000000000}"
#define FILES(at)                                                                                      \
    "{\"version\":1,\"whole\":false,\"files\":["                                                       \
    "{\"path\":\"/p/a\",\"hash\":\"xxh3-128:06b05ab6733a618578af5f94892f3950\",\"bytes\":3,\"at\":" at \
    ",\"by\":\"read\"},"                                                                               \
    "{\"path\":\"/p/b\",\"hash\":\"xxh3-128:06b05ab6733a618578af5f94892f3950\",\"bytes\":3,\"at\":" at \
    ",\"by\":\"read\"}],"                                                                              \
    "\"gone\":[]}"
#define CALL(tool) "{\"type\":\"toolCall\",\"id\":\"1\",\"name\":\"" tool "\",\"arguments\":{\"path\":\"f\"}}"
#define AT_MS "1795173000000"

#define BAD                                                                  \
    HEADER("bad")                                                            \
    MESSAGE("aaaa0001", "null", "a question")                                \
    "no JSON\nand no JSON\n" MESSAGE("aaaa0002", "\"aaaa0001\"", "a secret") \
        MESSAGE("aaaa0003", "\"aaaa0002\"", "a secret")

/* Two files of one session; two of another session, with lines that stay out, and with two secrets. */
static void import_files(struct command *command)
{
    copy_to(command, SCENARIO, "first.jsonl");
    copy_to(command, SCENARIO, "second.jsonl");
    write_text(command, "bad-1.jsonl", BAD);
    write_text(command, "bad-2.jsonl", BAD);
    copy_to(command, "fixtures/sessions/pi-0.87.1/specials/fork-with-labels.jsonl", "labels.jsonl");
    look(command, "import",
         "import --json DIR/first.jsonl DIR/second.jsonl DIR/bad-1.jsonl DIR/bad-2.jsonl DIR/labels.jsonl", 1);
    make(command, "import -q " SESSIONS "rpc-scenario");
}

/* Two branches of a session, with all pieces of the state on both, and two entries that are skipped. */
static void append_states(struct command *command)
{
    append(command, "s", "note", "root", "{\"text\":\"root\"}");
    append(command, "s", "custom:readonly", "bad1", "{\"enabled\":3}");
    append(command, "s", "custom:readonly", "bad2", "{}");
    append(command, "s", "custom:todo", "todo1", ITEMS("first"));
    append(command, "s", "custom:sequence", "steps1", STEPS("q1"));
    append(command, "s", "custom:file-reads", "reads1", FILES(AT_MS));
    make(command, "navigate s:root");
    append(command, "s", "custom:readonly", "bad3", "{\"enabled\":3}");
    append(command, "s", "custom:readonly", "bad4", "{}");
    append(command, "s", "custom:todo", "todo2", ITEMS("second"));
    append(command, "s", "custom:sequence", "steps2", STEPS("q2"));
    make(command, "navigate s:reads1");
    append(command, "other", "custom:sequence", "steps3", STEPS("q3"));
    append(command, "calls", "message", "call1",
           "{\"role\":\"assistant\",\"content\":[" CALL("read") "," CALL("write") "]}");
}

static void look_at_sessions(struct command *command)
{
    look(command, "sessions", "sessions --json", 0);
    look(command, "sessions", "sessions --all --runs --jsonl", 0);
    look(command, "tree", "tree s --json", 0);
    look(command, "tree", "tree s --jsonl", 0);
    make(command, "fork s:root --id family");
    look(command, "tree --family", "tree s --family --json", 0);
    look(command, "tree --family", "tree s --family --jsonl", 0);
    look(command, "log", "log s --json", 0);
    look(command, "log", "log " SCENARIO_ID " --jsonl", 0);
    look(command, "show", "show s:todo1 --json", 0);
    look(command, "show", "show " SCENARIO_ID " --jsonl", 0);
    look(command, "search", "search question -C 2 --json", 0);
    look(command, "search", "search question -C 2 --jsonl", 0);
    look(command, "search --list", "search question -l --json", 0);
    look(command, "search --count", "search question -c --jsonl", 0);
    look(command, "search --count", "search question -c --json", 0);
    look(command, "branches", "branches s --json", 0);
    look(command, "branches", "branches s --jsonl", 0);
    look(command, "state", "state s --json", 0);
    look(command, "state --every", "state s --every --json", 0);
    look(command, "state --every", "state s --every --jsonl", 0);
    look(command, "blame", "blame s --json", 0);
    look(command, "blame", "blame s todo --jsonl", 0);
    look(command, "moves", "moves s --json", 0);
    look(command, "moves", "moves s --jsonl", 0);
    look(command, "files", "files calls --json", 0);
    look(command, "files", "files calls --jsonl", 0);
    look(command, "files --noted", "files s:reads1 --noted --json", 0);
    look(command, "files --noted", "files s:reads1 --noted --jsonl", 0);
    look(command, "files --check", "files s:reads1 --check /p/a --json", 1);
    look(command, "quarantine", "quarantine --json", 0);
    look(command, "quarantine", "quarantine bad --jsonl", 0);
    look(command, "fork", "fork s:todo1 --json", 0);
    look(command, "clone", "clone s --json", 0);
    look(command, "stat", "stat --json", 0);
    look(command, "stat --usage", "stat --usage --by session --json", 0);
    look(command, "stat --usage", "stat --usage --by model --json", 0);
    look(command, "stat --bytes", "stat --bytes --by tool --json", 0);
    look(command, "stat --bytes", "stat --bytes s --json", 0);
    look(command, "version", "version --json", 0);
    look(command, "help", "help --json", 0);
    look(command, "help", "help --jsonl", 0);
    look(command, "help COMMAND", "help sequence --json", 0);
}

/* Two labels that differ, of common entries: each fork has a label of its own for both. */
static void look_at_differences(struct command *command)
{
    append(command, "d", "note", "one", "{}");
    append(command, "d", "note", "two", "{}");
    make(command, "label d:one left");
    make(command, "label d:two left");
    make(command, "fork d:two --id right");
    make(command, "label right:one right");
    make(command, "label right:two right");
    look(command, "diff", "diff d right --json", 1);
    look(command, "diff", "diff s:reads1 s:steps2 --json", 1);
}

#define CATALOGUE                                                                              \
    "{\"schema\":1,\"compact\":true,\"expands\":true,\"commands\":["                           \
    "{\"name\":\"readonly\",\"source\":\"own\",\"arguments\":[\"\",\"on\"],\"toggles\":true}," \
    "{\"name\":\"readonly\",\"source\":\"prompt\",\"path\":\"/p/readonly.md\"}]}"

#define STEP_DONE "{\"next\":true}\n{\"claim\":\"0123456789abcdef\"}\n{\"done\":{\"entry\":null}}\n"

static void look_at_sequences(struct command *command)
{
    static const char request[] = "{\"session\":\"s\",\"catalogue\":" CATALOGUE
                                  ",\"sequence_id\":\"q\",\"steps\":[\"/readonly\",\"for $1\"],\"args\":[\"a\",\"b\"]}";
    char line[256];
    write_text(command, "commands.json", CATALOGUE);
    write_text(command, "steps.json", "[\"/readonly\",\"x\"]");
    write_text(command, "start.json", request);
    look(command, "sequence list", "sequence list --json", 0);
    look(command, "sequence list", "sequence list --jsonl", 0);
    look(command, "sequence show", "sequence show s:steps1 --json", 0);
    look(command, "sequence validate", "sequence validate --file DIR/steps.json --commands DIR/commands.json --json",
         0);
    look(command, "sequence preview", "sequence preview --file DIR/steps.json --commands DIR/commands.json --json", 0);
    for (size_t i = 0; i < 2; i++) {
        command->input = STEP_DONE STEP_DONE "{\"next\":true}\n";
        look(command, "sequence drive", "sequence drive start --file DIR/start.json", 0);
    }
    const char *id = strstr(command->out, "\"run_id\":\"");
    assert_non_null(id);
    char *run = strndup(id + strlen("\"run_id\":\""), 36);
    look(command, "sequence runs", "sequence runs --json", 0);
    look(command, "sequence runs", "sequence runs --jsonl", 0);
    snprintf(line, sizeof line, "sequence status %s --json", run);
    look(command, "sequence status", line, 0);
    snprintf(line, sizeof line, "sequence log %s --json", run);
    look(command, "sequence log", line, 0);
    snprintf(line, sizeof line, "sequence log %s --jsonl", run);
    look(command, "sequence log", line, 0);
    snprintf(line, sizeof line, "sequence show --run %s --json", run);
    look(command, "sequence show --run", line, 0);
    free(run);
    command->input = "{\"next\":true}\n{\"claim\":\"0123456789abcdef\"}\n"; /* and then the host is gone */
    look(command, "sequence drive", "sequence drive start --file DIR/start.json", 1);
    id = strstr(command->out, "\"run_id\":\"");
    assert_non_null(id);
    run = strndup(id + strlen("\"run_id\":\""), 36);
    static const char *const decisions[] = {"sequence retry", "sequence skip", "sequence stop"};
    for (size_t i = 0; i < sizeof decisions / sizeof decisions[0]; i++) {
        snprintf(line, sizeof line, "%s %s --dry-run --json", decisions[i], run);
        look(command, decisions[i], line, 0);
    }
    free(run);
}

static void look_at_changes(struct command *command)
{
    look(command, "init", "init --json", 0);
    look(command, "append", "append changed --create --kind note --id c1 --json", 0);
    look(command, "label", "label changed:c1 here --json", 0);
    look(command, "rename", "rename changed name --json", 0);
    look(command, "navigate", "navigate changed:c1 --json", 0);
    look(command, "sequence save", "sequence save changed --step one --json", 0);
    make(command, "delete changed --yes");
    look(command, "undelete", "undelete changed --json", 0);
}

static void look_at_questions(struct command *command)
{
    command->input = "git -C /a status; git -C /b status";
    look(command, "judge", "judge --policy readonly --json -", 0);
    command->input = "{\"command\":\"ls\"}\n{\"command\":\"rm -r x | tee y\"}\n";
    look(command, "judge --jsonl", "judge --policy confirm --jsonl", 0);
    command->input = "{\"cwd\":\"/tmp\",\"hook_event_name\":\"PermissionRequest\",\"tool_name\":\"Bash\","
                     "\"tool_input\":{\"command\":\"ls\"}}";
    look(command, "hook", "hook permission-request", 0);
    command->input = "{\"toolName\":\"write\",\"input\":{\"path\":\"a\",\"content\":\"b\"}}";
    look(command, "gate", "gate s", 0);
}

/* Two watches are two processes that have the store open; then each tells the entries of a session. */
static void look_at_processes(struct command *command)
{
    struct xylem_open_options options = {.durability = XYLEM_DURABILITY_NONE};
    struct xylem_lease *leases[2] = {NULL, NULL};
    struct xylem_store *store = NULL;
    struct xylem_error err = {0};
    void *watches[2];
    pid_t children[2];
    for (size_t i = 0; i < 2; i++) {
        command_set_up_empty(&watches[i]);
        snprintf(((struct command *)watches[i])->store, sizeof command->store, "%s", command->store);
        children[i] = command_start_line(watches[i], "watch s --last 2 --jsonl");
        command_await(watches[i], "out", "reads1");
    }
    look(command, "stat --holders", "stat --holders --json", 0);
    look(command, "stat --holders", "stat --holders --jsonl", 0);
    for (size_t i = 0; i < 2; i++) {
        kill(children[i], SIGINT);
        command_end(watches[i], children[i]);
        look_at(watches[i], find("watch"), false);
        command_tear_down(&watches[i]);
    }
    must(xylem_open(&store, command->store, &options, &err));
    for (size_t i = 0; i < 2; i++) {
        struct xylem_session session;
        struct xylem_txn *txn = NULL;
        must(xylem_begin(&txn, store, XYLEM_READ, &err));
        must(xylem_session_find(&session, txn, xylem_view_of(i == 0 ? "s" : "other"), &err));
        xylem_abort(txn);
        must(xylem_lease_take(&leases[i], store, session.number, &err));
    }
    look(command, "lease", "lease status --json", 0);
    look(command, "lease", "lease status --jsonl", 0);
    look(command, "lease break", "lease break s --dry-run --json", 0);
    look(command, "delete", "delete --older-than 2099-01-01 --keep-labelled --dry-run --json", 0);
    for (size_t i = 0; i < 2; i++) {
        must(xylem_lease_release(leases[i], &err));
    }
    must(xylem_close(store, &err));
}

/* Sessions that come, that are there already, and that diverged. */
static void look_at_bundle(struct command *command)
{
    char path[256];
    command_path(path, command, "bundle");
    command->out_path = path;
    make(command, "bundle s d --quiet");
    command->out_path = NULL;
    look(command, "unbundle", "unbundle DIR/bundle --check --json", 0);
    look(command, "unbundle", "unbundle DIR/bundle --store DIR/own --own --map /=/new --json", 0);
    look(command, "unbundle", "unbundle DIR/bundle --store DIR/own --json", 0);
    make(command, "append d --kind note");
    command->out_path = path;
    make(command, "bundle s d --quiet");
    command->out_path = NULL;
    look(command, "unbundle", "unbundle DIR/bundle --store DIR/own --json", 4);
}

static void look_at_removals(struct command *command)
{
    look_at_bundle(command);
    copy_to(command, SCENARIO, "third.jsonl");
    make(command, "append s --kind custom:git-checkpoint --data {\"repo\":\"/a\",\"commit\":\"1\"}");
    make(command, "append s --kind custom:git-checkpoint --data {\"repo\":\"/b\",\"commit\":\"1\"}");
    make(command, "append keys --create --kind note --data {\"url\":\"redis://:correct-horse9@a\"}");
    make(command, "append keys --kind note --data {\"url\":\"redis://:correct-horse9@b\"}");
    look(command, "secrets", "secrets --json", 1);
    look(command, "secrets", "secrets keys --jsonl", 1);
    look(command, "redact", "redact s:@ --reason why --dry-run --json", 0);
    look(command, "redact --pattern", "redact --pattern a.secret --reason why --dry-run --json", 0);
    look(command, "redact", "redact " SCENARIO_ID ":@ --reason why --dry-run --json", 0);
    look(command, "redact", "redact bad:aaaa0002 --reason why --yes --json", 0);
    look(command, "redact --finish", "redact --finish --json", 0);
    make(command, "delete s --yes");
    make(command, "delete d --yes");
    make(command, "delete right --yes");
    make(command, "delete other --yes");
    look(command, "gc", "gc --dry-run --json", 0);
    look(command, "gc", "gc --yes --jsonl", 0);
    look(command, "backup", "backup DIR/copy --json", 0);
    look(command, "compact", "compact --yes --json", 0);
}

/* The payloads of two sessions are damaged: two problems, two sessions that are not whole. */
static void look_at_damage(struct command *command)
{
    append(command, "p", "custom:note", "p1", "{\"text\":\"broken-one-payload\"}");
    append(command, "q", "custom:note", "q1", "{\"text\":\"broken-two-payload\"}");
    command_damage(command, "broken-one-payload");
    command_damage(command, "broken-two-payload");
    look(command, "verify", "verify --json", 1);
    look(command, "repair", "repair DIR/repaired --json", 1);
}

TEST_WITH(every_document_is_json_and_has_two_elements_in_every_list, command_set_up_at_a_time, command_tear_down)
{
    struct command *command = *state;
    char word[PATH_MAX_BYTES];
    size_t lacking = 0;
    import_files(command);
    append_states(command);
    look_at_sessions(command);
    look_at_differences(command);
    look_at_changes(command);
    look_at_sequences(command);
    look_at_questions(command);
    look_at_processes(command);
    look_at_removals(command);
    look_at_damage(command);
    for (size_t i = 0; i < DOCUMENT_COUNT; i++) {
        if (printed[i] == 0) {
            print_error("%s: no document was printed\n", documents[i].command);
            lacking++;
        }
        for (size_t j = 0; j < LISTS_MAX && *nth(word, documents[i].lists, j) != '\0'; j++) {
            if (!met[i][j]) {
                print_error("%s: the list %s never had two elements\n", documents[i].command, word);
                lacking++;
            }
        }
    }
    assert_int_equal(lacking, 0);
}

TEST(two_commas_are_no_json)
{
    struct xylem_document *parsed = NULL;
    assert_int_equal(xylem_document_new_json(&parsed, xylem_view_of("{\"a\":[1,,2]}"), NULL), XYLEM_E_MALFORMED);
    assert_int_equal(xylem_document_new_json(&parsed, xylem_view_of("{\"a\":[1,2,]}"), NULL), XYLEM_E_MALFORMED);
    assert_int_equal(xylem_document_new_json(&parsed, xylem_view_of("{\"a\":[1 2]}"), NULL), XYLEM_E_MALFORMED);
}

/* --- The table beside help and the page --------------------------------------------------------------------------- */

/* The words of the command alone: "search" of "search --list", "sequence show" of "sequence show --run". */
static size_t words_bytes(const char *command)
{
    size_t bytes = 0;
    while (command[bytes] != '\0' && (command[bytes] == ' ' || (command[bytes] >= 'a' && command[bytes] <= 'z'))) {
        bytes++;
    }
    return bytes > 0 && command[bytes - 1] == ' ' ? bytes - 1 : bytes;
}

static bool in_table(struct xylem_view command)
{
    bool found = false;
    for (size_t i = 0; i < DOCUMENT_COUNT; i++) {
        found = found || (words_bytes(documents[i].command) == command.bytes &&
                          memcmp(documents[i].command, command.data, command.bytes) == 0);
    }
    return found;
}

static bool prints_json(const struct xylem_value *options)
{
    bool found = false;
    for (const struct xylem_value *option = xylem_value_first(options); option;
         option = xylem_value_next(options, option)) {
        struct xylem_view name = xylem_value_string(xylem_value_get(option, "name"));
        found = found || ((name.bytes == 4 || name.bytes == 5) && memcmp(name.data, "jsonl", name.bytes) == 0);
    }
    return found;
}

static void check_commands(const struct xylem_value *commands, size_t *count)
{
    for (const struct xylem_value *one = xylem_value_first(commands); one; one = xylem_value_next(commands, one)) {
        struct xylem_view name = xylem_value_string(xylem_value_get(one, "command"));
        if (prints_json(xylem_value_get(one, "options"))) {
            (*count)++;
            if (!in_table(name)) {
                fail_msg("%.*s has --json or --jsonl, and no document in the table", (int)name.bytes, name.data);
            }
        }
        if (xylem_value_get(one, "verbs")) {
            check_commands(xylem_value_get(one, "verbs"), count);
        }
    }
}

TEST_WITH(every_command_that_prints_json_has_its_documents_in_the_table, command_set_up_empty, command_tear_down)
{
    struct command *command = *state;
    struct xylem_document *help = NULL;
    size_t count = 0;
    command_must(command, "help --json");
    must(xylem_document_new_json(&help, xylem_view_of(command->out), NULL));
    check_commands(xylem_value_get(xylem_document_value(help), "commands"), &count);
    xylem_document_free(help);
    assert_true(count > 30);
}

/* The lines of docs/commands.md below the heading that names the command, up to the next heading; to be freed. */
static char *section_of(const char *page, const char *command)
{
    char word[PATH_MAX_BYTES];
    nth(word, command, 0);
    for (const char *at = strstr(page, "\n## "); at; at = strstr(at + 1, "\n## ")) {
        char *heading = strndup(at + 1, strcspn(at + 1, "\n"));
        const char *named = strstr(heading, word);
        bool found = named && strchr(" ,", named[-1]) && strchr(" ,", named[strlen(word)]);
        free(heading);
        if (found) {
            const char *end = strstr(at + 1, "\n## ");
            return strndup(at, end ? (size_t)(end - at) : strlen(at));
        }
    }
    fail_msg("docs/commands.md has no section '%s'", command);
    return NULL;
}

/* A row of a table whose member is a list: "| `sources`, `places` | a list of ...". */
static bool is_list_row(const char *line)
{
    const char *meaning = *line == '|' ? strchr(line + 1, '|') : NULL;
    return meaning && meaning < line + strcspn(line, "\n") &&
           (strncmp(meaning, "| a list", 8) == 0 || strncmp(meaning, "| null, or a list", 17) == 0);
}

/* True if a row, or a document such as {"schema":1,"hits":[...]}, says that the member is a list. */
static bool says_list(const char *text, const char *member)
{
    static const char *const forms[] = {"\"%s\":[", "\"%s\": ["};
    char part[PATH_MAX_BYTES + 8];
    bool found = false;
    for (size_t i = 0; i < 2; i++) {
        snprintf(part, sizeof part, forms[i], member);
        found = found || strstr(text, part);
    }
    snprintf(part, sizeof part, "`%s`", member);
    for (const char *line = text; !found && *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *at = is_list_row(line) ? strstr(line, part) : NULL;
        found = at && at < strchr(line + 1, '|');
    }
    return found;
}

/* True if a list of a document of the command, or its first list if `root`, ends in the member. */
static bool has_list(const char *command, bool root, struct xylem_view member)
{
    char word[PATH_MAX_BYTES];
    bool found = false;
    for (size_t i = 0; i < DOCUMENT_COUNT; i++) {
        bool counts = root ? documents[i].elements : strncmp(documents[i].command, command, strlen(command)) == 0;
        for (size_t j = 0; counts && *nth(word, documents[i].lists, j) != '\0' && (j == 0 || !root); j++) {
            const char *last = strrchr(word, '.') ? strrchr(word, '.') + 1 : word;
            found = found || (strlen(last) == member.bytes && memcmp(last, member.data, member.bytes) == 0);
        }
    }
    return found;
}

TEST(the_page_has_every_list_of_the_table)
{
    char *page = command_read_file("docs/commands.md", NULL);
    char *states = section_of(page, "state");
    char word[PATH_MAX_BYTES];
    size_t lacking = 0;
    for (size_t i = 0; i < DOCUMENT_COUNT; i++) {
        char *section = section_of(page, documents[i].command);
        for (size_t j = 0; *nth(word, documents[i].lists, j) != '\0'; j++) {
            const char *member = strrchr(word, '.') ? strrchr(word, '.') + 1 : word;
            const char *text = j == 0 && documents[i].elements   ? page
                               : strstr(word, "_state.") != NULL ? states
                                                                 : section;
            if (!says_list(text, member) && !says_list(section, member)) {
                print_error("docs/commands.md, %s: nothing says that %s is a list\n", documents[i].command, word);
                lacking++;
            }
        }
        free(section);
    }
    free(states);
    free(page);
    assert_int_equal(lacking, 0);
}

/* The members in backticks of the first cell of a row, each of which must be a list of the command. */
static size_t lacking_of_row(const char *command, const char *line)
{
    size_t lacking = 0;
    const char *end = strchr(line + 1, '|');
    for (const char *at = strchr(line, '`'); at && at < end; at = strchr(at, '`')) {
        struct xylem_view member = {at + 1, strcspn(at + 1, "`")};
        at += member.bytes + 2;
        if (!has_list(command, false, member)) {
            print_error("%s: the table has no list %.*s\n", command, (int)member.bytes, member.data);
            lacking++;
        }
    }
    return lacking;
}

TEST(the_table_has_every_list_of_the_page)
{
    char *page = command_read_file("docs/commands.md", NULL);
    char command[64] = "";
    size_t lacking = 0;
    for (const char *line = page; *line != '\0'; line += strcspn(line, "\n") + 1) {
        const char *root = strncmp(line, "| `", 3) == 0 && *command == '\0' ? strstr(line, "{\"schema\":1,\"") : NULL;
        if (sscanf(line, "## %63[a-z]", command) == 1) {
            continue;
        }
        for (; root && root < line + strcspn(line, "\n"); root = strstr(root + 1, "{\"schema\":1,\"")) {
            struct xylem_view member = {root + 13, strcspn(root + 13, "\"")};
            if (!has_list("", true, member)) {
                print_error("the table has no document with the list %.*s\n", (int)member.bytes, member.data);
                lacking++;
            }
        }
        lacking += *command != '\0' && is_list_row(line) ? lacking_of_row(command, line) : 0;
    }
    free(page);
    assert_int_equal(lacking, 0);
}
