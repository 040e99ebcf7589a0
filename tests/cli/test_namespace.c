/* What the command does about sessions of namespaces: no word of a person means one, and lists for programs tell them. */
#include "xylem/append.h"
#include "xylem/branch.h"
#include "tests/cli/command.h"
#include "tests/lib/test.h"

static struct xylem_error err;
static const int64_t time_ms = 1000;

static struct xylem_session make_in(struct xylem_txn *txn, const char *name_space, const char *id)
{
    struct xylem_session session;
    const struct xylem_session_options options = {.id = xylem_view_of(id),
                                                  .cwd = xylem_view_of("/work"),
                                                  .name_space = xylem_view_of(name_space),
                                                  .created_ms = &time_ms};
    char entry_id[32];
    snprintf(entry_id, sizeof entry_id, "of-%s", id);
    struct xylem_new_entry entry = {.id = xylem_view_of(entry_id),
                                    .kind.name = xylem_view_of("message"),
                                    .time_ms = &time_ms,
                                    .format = XYLEM_FORMAT_JSON,
                                    .payload =
                                        xylem_view_of("{\"message\":{\"role\":\"user\",\"content\":\"hidden\"}}")};
    assert_int_equal(xylem_session_create(&session, txn, &options, &err), 0);
    assert_int_equal(xylem_append(NULL, txn, session.number, &entry, 1, NULL, &err), 0);
    return session;
}

static void name(struct xylem_txn *txn, uint64_t session, const char *payload)
{
    struct xylem_new_entry entry = {.kind.name = xylem_view_of("session_info"),
                                    .time_ms = &time_ms,
                                    .format = XYLEM_FORMAT_JSON,
                                    .payload = xylem_view_of(payload)};
    assert_int_equal(xylem_append(NULL, txn, session, &entry, 1, NULL, &err), 0);
}

/* `s` of no namespace; `s` and `only` of the namespace /p; `fork` of no namespace, of an entry of `only`. */
static int set_up(void **state)
{
    struct xylem_open_options options = {0};
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    struct xylem_session fork;
    const struct xylem_session_options outside = {
        .id = xylem_view_of("fork"), .name_space = {"", 0}, .created_ms = &time_ms};
    command_set_up_at_a_time(state);
    struct command *command = *state;
    command_must(command, "append s --create --kind note --id n");
    assert_int_equal(xylem_open(&store, command->store, &options, NULL), 0);
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, NULL), 0);
    make_in(txn, "/p", "s");
    struct xylem_session only = make_in(txn, "/p", "only");
    name(txn, only.number, "{\"name\":\"whole name\"}");
    assert_int_equal(xylem_session_read(&only, txn, only.number, &err), 0);
    struct xylem_position first = {only.newest_branch, 1};
    assert_int_equal(xylem_fork(&fork, txn, only.number, first, XYLEM_FORK_AT, &outside, &err), 0);
    assert_int_equal(xylem_commit(txn, NULL), 0);
    assert_int_equal(xylem_close(store, NULL), 0);
    return 0;
}

#define SPACED_TEST(test) TEST_WITH(test, set_up, command_tear_down_verified)

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    while ((text = strstr(text, part))) {
        text += strlen(part);
        count++;
    }
    return count;
}

SPACED_TEST(lists_for_programs_tell_the_namespace)
{
    struct command *command = *state;
    command_must(command, "sessions --jsonl");
    assert_int_equal(count_of(command->out, "\n"), 4);
    assert_contains(command->out, "\"session\":\"s\",\"namespace\":\"/p\",");
    assert_contains(command->out, "\"session\":\"only\",\"namespace\":\"/p\",");
    assert_contains(command->out, "\"session\":\"s\",\"short_id\":");
    assert_int_equal(count_of(command->out, "namespace"), 2);
    command_must(command, "sessions");
    assert_int_equal(count_of(command->out, " namespace "), 2);
    command_must(command, "stat --bytes --by session --json");
    assert_contains(command->out, "\"session\":\"only\",\"namespace\":\"/p\",");
    command_must(command, "stat --bytes --by session");
    assert_contains(command->out, "only in the namespace /p");
    command_must(command, "tree fork --family --jsonl");
    assert_contains(command->out, "\"session\":\"only\",\"namespace\":\"/p\",");
    assert_contains(command->out, "\"session\":\"fork\",\"source\":null,"); /* an id alone would mean another session */
    command_must(command, "tree fork --family");
    assert_contains(command->out, "in a namespace");
}

SPACED_TEST(no_word_means_a_session_of_a_namespace)
{
    struct command *command = *state;
    static const char *const words[] = {"log only", "delete --yes only", "log @last~2", "show s:hidden",
                                        "sessions --pick"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        command_line(command, words[i]);
        assert_int_not_equal(command->code, 0);
    }
    command_must(command, "log s");
    assert_contains(command->out, "note");
    command_must(command, "log @last~1");
    assert_contains(command->out, "hidden"); /* of the fork */
    command_run(command, "log", "whole name", NULL);
    assert_int_not_equal(command->code, 0);
    command_must(command, "show of-only --json");
    assert_contains(command->out, "\"session\":\"fork\"");
    command_must(command, "complete -- log o");
    assert_string_equal(command->out, "");
    command_run(command, "complete", "--", "log", "", NULL);
    assert_contains(command->out, "fork");
    assert_int_equal(count_of(command->out, "only"), 0);
    command_must(command, "complete -- log f");
    assert_contains(command->out, "fork");
    command_must(command, "delete --yes --older-than 1d");
    assert_contains(command->out, "deleted 1 session");
    assert_int_equal(count_of(command->out, "left"), 0);
    command_must(command, "sessions --jsonl");
    assert_int_equal(count_of(command->out, "\"namespace\":\"/p\""), 2);
}

SPACED_TEST(an_export_of_all_names_the_files_apart)
{
    struct command *command = *state;
    char path[256];
    size_t bytes;
    char line[300];
    command_path(path, command, "all");
    snprintf(line, sizeof line, "export --all %s", path);
    command_must(command, line);
    assert_contains(command->out, "4 sessions");
    static const char *const names[] = {"all/s.changes", "all/s~2.changes", "all/only~3.changes", "all/fork.changes"};
    for (size_t i = 0; i < 4; i++) {
        command_path(path, command, names[i]);
        char *text = command_read_file(path, &bytes);
        assert_int_equal(count_of(text, "\"namespace\":\"/p\""), i == 1 || i == 2);
        free(text);
    }
}

SPACED_TEST(a_bundle_with_a_session_of_a_namespace_is_refused)
{
    struct command *command = *state;
    command_line(command, "bundle fork");
    assert_int_equal(command->code, 4);
    assert_contains(command->err, "session only, which is related by a fork, is in a namespace");
    command_must(command, "bundle s");
}

SPACED_TEST(a_search_looks_outside_of_namespaces)
{
    struct command *command = *state;
    command_must(command, "search hidden --jsonl");
    assert_int_equal(count_of(command->out, "\n"), 1);
    assert_contains(command->out, "\"session\":\"fork\"");
    assert_contains(command->out, "\"sessions\":[\"fork\"]");
    command_must(command, "search hidden");
    assert_contains(command->out, "fork:of-only");
    assert_int_equal(count_of(command->out, "also in"), 0);
}

/* Forks of the two sessions `s`, whose headers name them so; and a session with the id of a ledger. */
SPACED_TEST(a_source_is_of_the_same_namespace)
{
    struct command *command = *state;
    struct xylem_open_options options = {0};
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    struct xylem_session fork;
    const struct xylem_session_options named = {.id = xylem_view_of("twin")};
    assert_int_equal(xylem_open(&store, command->store, &options, NULL), 0);
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, NULL), 0);
    assert_int_equal(xylem_clone(&fork, txn, 1, &named, &err), 0);
    assert_int_equal(xylem_clone(&fork, txn, 2, &named, &err), 0);
    const struct xylem_new_entry start = {.id = xylem_view_of("start"),
                                          .kind = {XYLEM_CLASS_CUSTOM, xylem_view_of("sequence-run")}};
    uint64_t ledger = make_in(txn, "/p", "seq.00000000-0000-7000-8000-000000000001").number;
    assert_int_equal(xylem_append(NULL, txn, ledger, &start, 1, NULL, &err), 0);
    assert_int_equal(xylem_commit(txn, NULL), 0);
    assert_int_equal(xylem_close(store, NULL), 0);
    command_must(command, "sessions --jsonl");
    assert_int_equal(count_of(command->out, "\"source\":\"s\""), 2);
    assert_int_equal(count_of(command->out, "\n"), 7);
    command_must(command, "sessions --jsonl --all");
    assert_int_equal(count_of(command->out, "\n"), 7);
    command_must(command, "tree twin --family --jsonl");
    assert_int_equal(count_of(command->out, "\n"), 2);
}

SPACED_TEST(what_gc_frees_is_told_with_its_namespace)
{
    struct command *command = *state;
    struct xylem_open_options options = {0};
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    assert_int_equal(xylem_open(&store, command->store, &options, NULL), 0);
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, NULL), 0);
    assert_int_equal(xylem_session_delete(txn, 2, NULL), 0);
    assert_int_equal(xylem_commit(txn, NULL), 0);
    assert_int_equal(xylem_close(store, NULL), 0);
    command_must(command, "gc --dry-run");
    assert_contains(command->out, "session s in the namespace /p: 1 entry");
    command_must(command, "gc --yes --json");
    assert_contains(command->out, "\"session\":\"s\",\"namespace\":\"/p\",\"number\":2,");
}

SPACED_TEST(a_pattern_that_matches_a_namespace_stays_there_and_is_told)
{
    struct command *command = *state;
    command_line(command, "redact --pattern ^/p$ --reason why --dry-run --json");
    assert_contains(command->out, "{\"place\":\"namespace\",\"taken\":false,\"session\":null,\"session_number\":2,");
    assert_int_equal(count_of(command->out, "\"place\":\"namespace\""), 2);
    command_line(command, "redact --pattern hidden --reason why --dry-run --json");
    assert_contains(command->out, "\"taken\":true,\"session\":null,\"session_number\":3,");
}

SPACED_TEST(a_compaction_keeps_namespaces)
{
    struct command *command = *state;
    command_must(command, "compact --yes");
    command_must(command, "sessions --jsonl");
    assert_int_equal(count_of(command->out, "\"namespace\":\"/p\""), 2);
    command_must(command, "verify");
}
