/*
 * A message names a command for the same store, and the command does what the message promises. Each named command is
 * provoked here, pasted into a shell, and its effect is checked.
 */
#include "tests/cli/pasted.h"
#include "tests/cli/terminal.h"

#include <glob.h>
#include <lmdb.h>
#include <time.h>

#include "tests/lib/chance.h"
#include "tests/lib/damage.h"
#include "tests/lib/test.h"
#include "xylem/lease.h"
#include "xylem/segment.h"

#define SESSION_ID "it's"
#define FLIPS_USUAL 20u
#define FLIPS_AT_LENGTH 4000u

static char out[1 << 16];
static struct xylem_error err;

/* A store and a session whose names need quotes. */
static int set_up(void **state)
{
    command_set_up_empty(state);
    struct command *command = *state;

    snprintf(command->store + strlen(command->store), sizeof command->store - strlen(command->store), " of mine");
    command_must(command, "init");
    command_must(command, "append " SESSION_ID " --create --kind message --data {\"role\":\"user\"} --id root");
    return 0;
}

/* The commands provoked so far. */
static const char *provoked[25];
static size_t provoked_count;

/* Runs the command `named` in the text, with `more` behind, in a shell. Returns the exit code. */
static int follow(const char *text, const char *named, const char *more)
{
    char line[2048];
    char begin[64];
    snprintf(begin, sizeof begin, " of mine' %s", named);
    const char *at = strstr(text, begin);
    while (at && at > text && *at != '`') {
        at--;
    }
    if (!at || *at != '`') {
        fail_msg("`xylem -s STORE %s` is not in: %s", named, text);
        return -1;
    }
    pasted(line, sizeof line, at, "`xylem ", "`");
    char *redirection = strstr(line, " 2>&1");
    assert_non_null(redirection);
    snprintf(redirection, sizeof line - (size_t)(redirection - line), " %s 2>&1", more);
    assert_true(provoked_count < sizeof provoked / sizeof provoked[0]);
    provoked[provoked_count++] = named;
    int code = run_pasted(out, sizeof out, line);
    if (code != 0) {
        print_message("%s\n%s", line, out);
    }
    return code;
}

#define IN_SCENE(test) TEST_WITH(test, set_up, command_tear_down_verified)

IN_SCENE(a_store_that_is_missing_is_made)
{
    struct command *command = *state;
    size_t bytes = strlen(command->store);
    for (int i = 0; i < 2; i++) {
        snprintf(command->store + bytes, sizeof command->store - bytes, "/%d of mine", i);
        command_line(command, "sessions");
        assert_error(command, 3, " makes an empty store");
        assert_int_equal(follow(command->err, i == 0 ? "init" : "import",
                                i == 0 ? "" : "-q fixtures/sessions/pi-0.87.1/rpc-scenario"),
                         0);
        command_must(command, "sessions");
    }
    command->store[bytes] = '\0';
}

IN_SCENE(a_session_that_no_pi_keeps_is_exported)
{
    struct command *command = *state;
    command_line(command, "open " SESSION_ID);
    assert_error(command, 4, "no pi keeps the session");
    assert_int_equal(follow(command->err, "export", "-o /dev/null"), 0);
}

IN_SCENE(what_an_id_that_is_in_no_text_means_is_shown)
{
    struct command *command = *state;
    command_must(command, "append aaaabbbb-1111 --create --kind note --id ccccdddd");
    command_line(command, "search aaaabbbb");
    assert_exit(command, 1);
    assert_int_equal(follow(command->err, "log", ""), 0);
    command_line(command, "search ccccdddd");
    assert_exit(command, 1);
    assert_int_equal(follow(command->err, "show", ""), 0);
}

IN_SCENE(what_is_not_there_leads_to_a_list_of_what_is)
{
    struct command *command = *state;
    command_line(command, "log nothing-like-it");
    assert_error(command, 3, " lists the sessions");
    assert_int_equal(follow(command->err, "sessions", ""), 0);
    assert_contains(out, SESSION_ID);
    command_line(command, "show " SESSION_ID ":zzzz");
    assert_error(command, 3, " shows the ids");
    assert_int_equal(follow(command->err, "tree --all", ""), 0);
    command_must(command, "append leafless --create --kind note");
    command_must(command, "navigate leafless:none");
    command_must(command, "log leafless");
    assert_int_equal(follow(command->err, "tree", ""), 0);
}

IN_SCENE(a_session_that_was_deleted_is_brought_back)
{
    struct command *command = *state;
    run_on_terminal(command, &(struct terminal){.typed = "y\n", .columns = 400}, "delete " SESSION_ID);
    assert_exit(command, 0);
    assert_int_equal(follow(command->out, "undelete", ""), 0);
    command_must(command, "log " SESSION_ID);
    command_must(command, "delete " SESSION_ID " --yes");
    command_line(command, "log " SESSION_ID);
    assert_error(command, 3, "is deleted");
    assert_int_equal(follow(command->err, "undelete", ""), 0);
    command_must(command, "log " SESSION_ID);
    command_must(command, "delete " SESSION_ID " --yes");
    command_line(command, "undelete other-session");
    assert_error(command, 3, "there is no deleted session");
    assert_int_equal(follow(command->err, "sessions --deleted", ""), 0);
    assert_contains(out, SESSION_ID);
}

IN_SCENE(a_deletion_is_made_final_and_its_room_given_back)
{
    struct command *command = *state;
    char path[300];
    struct stat before;
    struct stat after;
    static char data[100001];
    memset(data, 'x', sizeof data - 1);
    data[0] = data[sizeof data - 2] = '"';
    command_run(command, "append", SESSION_ID, "--kind", "message", "--data", data, NULL);
    assert_exit(command, 0);
    run_on_terminal(command, &(struct terminal){.typed = "y\n", .columns = 400}, "delete " SESSION_ID);
    assert_int_equal(follow(command->out, "gc", "--yes"), 0);
    assert_int_equal(follow(out, "compact", "--dry-run"), 0);
    snprintf(path, sizeof path, "%s/data.mdb", command->store);
    assert_int_equal(stat(path, &before), 0);
    command_must(command, "append other --create --kind note");
    command_must(command, "delete other --yes");
    command_must(command, "gc --yes");
    assert_int_equal(follow(command->err, "compact", "--yes"), 0);
    assert_int_equal(stat(path, &after), 0);
    assert_true(after.st_size < before.st_size);
}

IN_SCENE(an_owner_is_shown_and_ended)
{
    struct command *command = *state;
    struct xylem_store *store = NULL;
    struct xylem_lease *lease = NULL;
    struct xylem_session session;
    struct xylem_txn *txn = NULL;
    char pid[32];
    assert_int_equal(xylem_open(&store, command->store, NULL, &err), 0);
    assert_int_equal(xylem_begin(&txn, store, XYLEM_READ, &err), 0);
    assert_int_equal(xylem_session_find(&session, txn, xylem_view_of(SESSION_ID), &err), 0);
    uint64_t number = session.number;
    xylem_abort(txn);
    assert_int_equal(xylem_lease_take(&lease, store, number, &err), 0);
    command_line(command, "append " SESSION_ID " --kind note");
    assert_error(command, 4, "is leased to process");
    assert_int_equal(follow(command->err, "lease status", ""), 0);
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    assert_contains(out, pid);
    assert_int_equal(follow(command->err, "lease break", "--yes"), 0);
    command_must(command, "append " SESSION_ID " --kind note");
    (void)xylem_lease_release(lease, &err);
    assert_int_equal(xylem_close(store, &err), 0);
}

IN_SCENE(a_secret_is_shown_and_taken)
{
    static const char named[] = "redact --secrets --reason secret --dry-run";
    struct command *command = *state;
    command_must(command, "append " SESSION_ID " --kind note --data {\"url\":\"redis://:correct-horse9@cache\"}");
    command_line(command, "secrets");
    assert_exit(command, 1);
    assert_int_equal(follow(command->out, named, ""), 0);
    assert_contains(out, "would be taken");
    command_must(command, "redact --secrets --reason secret --yes");
    command_must(command, "secrets");
}

/* Runs a command in another store, whose output becomes a file beside the store. */
static void bundle_theirs(struct command *command, char path[256], const char *name, const char *lines)
{
    size_t bytes = strlen(command->store);
    snprintf(command->store + bytes, sizeof command->store - bytes, "/theirs");
    command_path(path, command, name);
    command->out_path = path;
    command_must(command, lines);
    command->out_path = NULL;
    command->store[bytes] = '\0';
}

IN_SCENE(a_session_of_another_store_is_forked_or_taken_over)
{
    static const char named[] = "--own FILE";
    struct command *command = *state;
    char bundle[256];
    char text[2048];
    bundle_theirs(command, bundle, "bundle", "init");
    bundle_theirs(command, bundle, "bundle", "append theirs --create --kind note");
    bundle_theirs(command, bundle, "bundle", "bundle theirs");
    command_run(command, "unbundle", bundle, NULL);
    assert_exit(command, 0);
    command_line(command, "append theirs --kind note");
    assert_error(command, 4, "owns the session");
    assert_int_equal(follow(command->err, "fork", ""), 0);
    const char *at = strstr(command->err, named);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s--own %s%s", (int)(at - command->err), command->err, bundle, at + strlen(named));
    assert_int_equal(follow(text, "unbundle --own", ""), 0);
    command_must(command, "append theirs --kind note");
}

/* Without a fleet the command says what is missing, whether its program is there or not. */
IN_SCENE(a_session_of_a_host_of_a_fleet_is_taken_over)
{
    struct command *command = *state;
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    struct xylem_session session;
    command_must(command, "append theirs --create --kind note");
    assert_int_equal(xylem_open(&store, command->store, NULL, &err), 0);
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, &err), 0);
    assert_int_equal(xylem_session_find(&session, txn, xylem_view_of("theirs"), &err), 0);
    assert_int_equal(xylem_session_follow(txn, session.number, xylem_view_of("maple #2"), 2, &err), 0);
    assert_int_equal(xylem_commit(txn, &err), 0);
    assert_int_equal(xylem_close(store, &err), 0);
    command_line(command, "append theirs --kind note");
    assert_error(command, 4, "the store maple #2 owns the session");
    unsetenv("XYLEM_FLEET");
    setenv("XDG_CONFIG_HOME", command->store, 1);
    assert_int_equal(follow(command->err, "clone", "--id ours"), 0);
    command_must(command, "append ours --kind note");
    command_line(command, "append theirs --kind note");
    assert_int_not_equal(follow(command->err, "fleet resume", ""), 0);
    unsetenv("XDG_CONFIG_HOME");
    assert_contains(out, "fleet");
}

IN_SCENE(a_redaction_that_another_store_made_is_finished)
{
    struct command *command = *state;
    struct xylem_store *store = NULL;
    char before[256];
    char bundle[256];
    char line[600];
    bundle_theirs(command, before, "before", "init");
    bundle_theirs(command, before, "before", "append theirs --create --kind note --id key --data \"hunter2\"");
    bundle_theirs(command, before, "before", "bundle theirs");
    bundle_theirs(command, bundle, "bundle", "redact theirs:key --reason key --yes");
    snprintf(line, sizeof line, "bundle --since-bundle %s", before);
    bundle_theirs(command, bundle, "bundle", line);
    command_run(command, "unbundle", before, NULL);
    assert_exit(command, 0);
    assert_int_equal(xylem_open(&store, command->store, NULL, &err), 0);
    command->hurried = true;
    command_run(command, "unbundle", bundle, NULL);
    assert_exit(command, 4);
    assert_contains(command->out, "lost the payload");
    command->hurried = false;
    assert_int_equal(xylem_close(store, &err), 0);
    assert_int_equal(follow(command->err, "redact --finish", ""), 0);
    assert_contains(out, "the old file was overwritten");
}

IN_SCENE(a_redaction_is_finished)
{
    struct command *command = *state;
    struct xylem_store *store = NULL;
    assert_int_equal(xylem_open(&store, command->store, NULL, &err), 0);
    command->hurried = true;
    command_run(command, "redact", SESSION_ID ":root", "--reason", "a key", "--yes", NULL);
    assert_exit(command, 4);
    command->hurried = false;
    assert_int_equal(xylem_close(store, &err), 0);
    assert_int_equal(follow(command->err, "redact --finish", ""), 0);
    assert_contains(out, "the old file was overwritten");
}

IN_SCENE(the_ledger_of_a_damaged_run_is_shown)
{
    static const char request[] = "{\"session\":\"s\",\"catalogue\":{\"schema\":1,\"commands\":[]},"
                                  "\"sequence_id\":\"q\",\"steps\":[\"a\"]}";
    struct command *command = *state;
    char path[256];
    char run[37];
    char ledger[48];
    command_must(command, "append s --create --kind note");
    command_path(path, command, "start.json");
    command_write_file(path, request, strlen(request));
    command->input = "{\"next\":true}\n{\"claim\":\"0123456789abcdef\"}\n";
    command_run(command, "sequence", "drive", "start", "--file", path, NULL);
    const char *id = strstr(command->out, "\"run_id\":\"");
    assert_non_null(id);
    snprintf(run, sizeof run, "%.36s", id + strlen("\"run_id\":\""));
    snprintf(ledger, sizeof ledger, "seq.%s", run);
    command_run(command, "append", ledger, "--kind", "custom:sequence-run", "--data", "{\"event\":\"?\"}", NULL);
    assert_exit(command, 0);
    command_run(command, "sequence", "stop", run, "--yes", NULL);
    assert_int_equal(command->code, 2);
    assert_int_equal(follow(command->err, "sequence log", ""), 0);
    assert_contains(out, "claim");
    command_run(command, "sequence", "status", run, NULL);
    assert_exit(command, 1);
    assert_int_equal(follow(command->out, "delete", "--yes"), 0);
    command_must(command, "sequence runs");
    assert_null(strstr(command->out, run));
}

IN_SCENE(a_wrong_command_line_leads_to_help)
{
    static const char *const lines[] = {"log --nope", "nope", "quarantine --line x --raw"};
    struct command *command = *state;
    char line[512];
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        command_line(command, lines[i]);
        assert_error(command, 2, "(see `xylem ");
        pasted(line, sizeof line, command->err, "(see `xylem ", "`)");
        assert_int_equal(run_pasted(out, sizeof out, line), 0);
        assert_contains(out, "usage: xylem ");
    }
}

/* --- Damage ------------------------------------------------------------------------------------------------------- */

/* The commands that read, and backup: each runs on a store with one flipped bit. */
static const char *const reading[] = {"backup %s",
                                      "sessions --all",
                                      "export " SCENARIO_ID,
                                      "log " SCENARIO_ID,
                                      "tree --all " SCENARIO_ID,
                                      "state " SCENARIO_ID " --explain",
                                      "stat",
                                      "branches " SCENARIO_ID,
                                      "moves " SCENARIO_ID,
                                      "show " SCENARIO_ID ":3dc585ab",
                                      "gc --dry-run",
                                      "blame " SCENARIO_ID " readonly"};

/* A report of damage names a command, and that command reports damage, too. True if any command reported damage. */
static bool look_at_damage(struct command *command, size_t flipped)
{
    bool reported = false;
    char copy[256];
    char line[512];
    command_path(copy, command, "copy");
    for (size_t i = 0; i < sizeof reading / sizeof reading[0] && !reported; i++) {
        snprintf(line, sizeof line, reading[i], copy);
        command_line(command, line);
        reported = command->code == 5;
        if (reported) {
            pasted(line, sizeof line, command->err, "`xylem ", "` tells what is wrong");
            int code = run_pasted(out, sizeof out, line);
            if (code != 1) {
                fail_msg("bit %zu: `%s` reports damage, and the command that it names exits with %d: %s\n%s", flipped,
                         reading[i], code, out, command->err);
            }
        } else if (i == 0 && command->code == 0) {
            char remove[300];
            snprintf(remove, sizeof remove, "rm -r '%s'", copy);
            assert_int_equal(system(remove), 0);
        }
    }
    return reported;
}

static bool flip(struct command *command, const struct damage_file *whole, size_t bit)
{
    struct damage_file file = {malloc(whole->count), whole->count};
    assert_non_null(file.bytes);
    memcpy(file.bytes, whole->bytes, whole->count);
    file.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    damage_write(command->store, &file);
    damage_free(&file);
    return look_at_damage(command, bit);
}

static int set_up_scenario(void **state)
{
    command_set_up_empty(state);
    command_must(*state, "import -q " SESSIONS "rpc-scenario");
    return 0;
}

/* The offset in data.mdb of the value of a table's first row. Each page begins with its own number. */
static size_t first_value(const char *store, const char *table, size_t *bytes)
{
    MDB_env *env = NULL;
    MDB_txn *txn = NULL;
    MDB_dbi dbi = 0;
    MDB_cursor *cursor = NULL;
    MDB_val key;
    MDB_val value;
    uint64_t page = 0;
    assert_int_equal(mdb_env_create(&env), 0);
    assert_int_equal(mdb_env_set_maxdbs(env, 16), 0);
    assert_int_equal(mdb_env_open(env, store, MDB_RDONLY | MDB_NOLOCK, 0600), 0);
    assert_int_equal(mdb_txn_begin(env, NULL, MDB_RDONLY, &txn), 0);
    assert_int_equal(mdb_dbi_open(txn, table, 0, &dbi), 0);
    assert_int_equal(mdb_cursor_open(txn, dbi, &cursor), 0);
    assert_int_equal(mdb_cursor_get(cursor, &key, &value, MDB_FIRST), 0);
    size_t in_page = (uintptr_t)value.mv_data % DAMAGE_PAGE_BYTES;
    memcpy(&page, (const char *)value.mv_data - in_page, sizeof page);
    *bytes = value.mv_size;
    mdb_cursor_close(cursor);
    mdb_txn_abort(txn);
    mdb_env_close(env);
    return (size_t)page * DAMAGE_PAGE_BYTES + in_page;
}

/* Rows of feed and ids have no sums: only a comparison with the entry shows the damage. */
TEST_WITH(a_row_that_leads_elsewhere_is_found_by_the_command_that_is_named, set_up_scenario, command_tear_down_verified)
{
    static const char *const tables[] = {"feed", "ids"};
    struct command *command = *state;
    struct damage_file whole = damage_read(command->store);
    size_t reported = 0;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        size_t bytes = 0;
        size_t row = first_value(command->store, tables[i], &bytes);
        for (size_t byte = 0; byte < bytes; byte += 5) {
            reported += flip(command, &whole, (row + byte) * 8);
        }
        damage_write(command->store, &whole);
    }
    assert_true(reported >= 4);
    damage_free(&whole);
}

TEST_WITH(whatever_bit_is_another_is_found_by_the_command_that_is_named, set_up_scenario, command_tear_down_verified)
{
    struct command *command = *state;
    const char *given = getenv("XYLEM_SEED");
    uint64_t seed = !given ? (uint64_t)time(NULL) : strtoull(given, NULL, 10);
    struct chance chance = chance_of(seed);
    struct damage_file whole = damage_read(command->store);
    size_t flips = !getenv("XYLEM_TORTURE") ? FLIPS_USUAL : FLIPS_AT_LENGTH;
    size_t reported = 0;
    print_message("XYLEM_SEED=%llu\n", (unsigned long long)seed);
    for (size_t i = 0; i < flips; i++) {
        reported += flip(command, &whole, (size_t)chance_below(&chance, (int)(whole.count * 8)));
    }
    damage_write(command->store, &whole);
    damage_free(&whole);
    print_message("%zu of %zu flips were reported\n", reported, flips);
}

/* The store is closed before these commands fail. */
TEST_WITH(damage_leads_to_its_store_behind_a_closed_one, set_up_scenario, command_tear_down_verified)
{
    static const char *const lines[] = {"delete " SCENARIO_ID " --yes", "delete " SCENARIO_ID " --dry-run",
                                        "lease break " SCENARIO_ID " --yes"};
    struct command *command = *state;
    struct damage_file whole = damage_read(command->store);
    struct damage_file file = {malloc(whole.count), whole.count};
    char line[512];
    assert_non_null(file.bytes);
    memcpy(file.bytes, whole.bytes, whole.count);
    for (uint64_t session = 1; session <= 7; session++) {
        file.bytes[damage_find(command->store, XYLEM_FORMAT__SESSIONS, session, 0).value] ^= 1;
    }
    damage_write(command->store, &file);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        command_line(command, lines[i]);
        assert_exit(command, 5);
        pasted(line, sizeof line, command->err, "`xylem -s ", "` tells what is wrong");
    }
    damage_write(command->store, &whole);
    damage_free(&file);
    damage_free(&whole);
}

/* --- All of them -------------------------------------------------------------------------------------------------- */

/* Removes the help texts, which name commands in general. */
static void cut_help(char *text)
{
    for (char *at = text; (at = strstr(at, ".details ="));) {
        char *end = strstr(at, ".options");
        end = !end ? at + strlen(at) : end;
        memmove(at, end, strlen(end) + 1);
    }
}

static void assert_named_commands_are_provoked(const char *path, const char *text)
{
    static const char call[] = "xylem_cli__add_named(cli, ";
    for (const char *at = text; (at = strstr(at, call)); at++) {
        const char *begin = strchr(at, '"');
        const char *end = strchr(at, ';');
        bool is_provoked = false;
        if (!begin || begin > end) {
            continue; /* its own definition */
        }
        for (size_t i = 0; i < provoked_count && !is_provoked; i++) {
            is_provoked =
                strncmp(begin + 1, provoked[i], strlen(provoked[i])) == 0 && begin[1 + strlen(provoked[i])] == '"';
        }
        if (!is_provoked) {
            fail_msg("%s names a command that no test provokes: %.60s", path, begin);
        }
    }
}

/* Runs last: the tests before filled `provoked`. */
TEST(no_message_names_a_command_that_was_not_provoked_here)
{
    glob_t files;
    unsigned looked = 0;
    (void)state;
    provoked[provoked_count++] = "verify";
    assert_int_equal(glob("cli/*.c", 0, NULL, &files), 0);
    assert_int_equal(glob("cli/*/*.c", GLOB_APPEND, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        const char *path = files.gl_pathv[i];
        char *text = command_read_file(path, NULL);
        bool general = strcmp(path, "cli/help.c") == 0 || strcmp(path, "cli/commands.c") == 0 ||
                       strcmp(path, "cli/options.c") == 0 || strcmp(path, "cli/term/report.c") == 0 ||
                       strcmp(path, "cli/term/signals.c") == 0 || strcmp(path, "cli/store/next.c") == 0;
        cut_help(text);
        for (const char *at = text; !general && (at = strstr(at, "`xylem ")); at++) {
            const char *line = at;
            while (line > text && line[-1] != '\n') {
                line--;
            }
            if (memchr(line, '"', (size_t)(at - line)) != NULL) {
                fail_msg("%s names a command without its store: %.60s", path, at);
            }
        }
        assert_named_commands_are_provoked(path, text);
        free(text);
        looked++;
    }
    assert_true(looked > 70);
    globfree(&files);
}
