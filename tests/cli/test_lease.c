/* The command and sessions that have an owner: what it says, what it refuses, and what it can end. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

#include "xylem/append.h"
#include "xylem/files.h"
#include "xylem/lease.h"

/* The test's own handle, which owns the session `owned`; `free` has no owner. */
static struct xylem_store *store;
static struct xylem_lease *lease;
static uint64_t owned;
static struct xylem_error err;

static void must(int code)
{
    if (code < 0) {
        fail_msg("%s", err.text);
    }
}

static uint64_t add_session(const char *id)
{
    struct xylem_session_options options = {.id = xylem_view_of(id)};
    struct xylem_session session;
    struct xylem_txn *txn = NULL;
    must(xylem_begin(&txn, store, XYLEM_WRITE, &err));
    must(xylem_session_create(&session, txn, &options, &err));
    must(xylem_commit(txn, &err));
    return session.number;
}

static int take_lease(void **state)
{
    command_set_up(state);
    struct command *command = *state;
    struct xylem_open_options options = {.durability = XYLEM_DURABILITY_NONE};

    must(xylem_open(&store, command->store, &options, &err));
    add_session("free");
    owned = add_session("owned");
    must(xylem_lease_take(&lease, store, owned, &err));
    return 0;
}

static int release_lease(void **state)
{
    must(xylem_lease_release(lease, &err));
    lease = NULL;
    must(xylem_close(store, &err));
    return command_tear_down_verified(state);
}

#define WITH_TAKE_LEASE(test) TEST_WITH(test, take_lease, release_lease)

WITH_TAKE_LEASE(label_and_rename_leave_an_owned_session_alone)
{
    struct command *command = *state;
    const struct xylem_new_entry entry = {.kind = {XYLEM_CLASS_HOST, xylem_view_of("note")}};
    struct xylem_txn *txn = NULL;
    must(xylem_begin(&txn, store, XYLEM_WRITE, &err));
    must(xylem_append(NULL, txn, owned, &entry, 1, NULL, &err));
    must(xylem_commit(txn, &err));
    command_line(command, "label owned:@ here");
    assert_error(command, 4, "only the owner may change the session");
    command_line(command, "rename owned name");
    assert_error(command, 4, "only the owner may change the session");
    command_line(command, "rename owned name --only-in-store");
    assert_error(command, 4, "only the owner may change the session");
}

WITH_TAKE_LEASE(open_refuses_an_owned_session_and_takes_a_fork)
{
    struct command *command = *state;
    const struct xylem_new_entry entry = {.kind = {XYLEM_CLASS_HOST, xylem_view_of("note")}};
    struct xylem_txn *txn = NULL;
    char file[256];
    command_path(file, command, "owned.jsonl");
    command_write_file(file, "", 0);
    must(xylem_begin(&txn, store, XYLEM_WRITE, &err));
    must(xylem_append(NULL, txn, owned, &entry, 1, NULL, &err));
    must(xylem_session_file_note(txn, owned, file, &err));
    must(xylem_commit(txn, &err));
    char owner[64];
    snprintf(owner, sizeof owner, "the session owned is open in process %d on ", (int)getpid());
    command_line(command, "open owned --dry-run");
    assert_error(command, 4, owner);
    assert_contains(command->err, "go on there, or open a fork: owned:@");
    command_must(command, "open owned:@ --dry-run");
    assert_contains(command->err, "would fork owned");
}

/* The copies follow another store, until `--own` takes them over: but for the session that is leased. */
WITH_TAKE_LEASE(a_lease_keeps_no_other_session_from_being_taken_over)
{
    struct command *command = *state;
    const char *program = getenv("XYLEM_BIN");
    char line[1200];
    char other[256];
    command_path(other, command, "other");
    snprintf(line, sizeof line, "-s %s init", other);
    command_must(command, line);
    snprintf(line, sizeof line, "-s %s append leased --create --kind note", other);
    command_must(command, line);
    snprintf(line, sizeof line, "-s %s append other --create --kind note", other);
    command_must(command, line);
    snprintf(line, sizeof line, "'%s' -s '%s' bundle -q leased other >'%s/bundle'", program ? program : "build/xylem",
             other, command->directory);
    assert_int_equal(system(line), 0);
    snprintf(line, sizeof line, "unbundle %s/bundle", command->directory);
    command_must(command, line);
    struct xylem_lease *held = NULL;
    struct xylem_session session;
    struct xylem_txn *txn = NULL;
    must(xylem_begin(&txn, store, XYLEM_READ, &err));
    must(xylem_session_find(&session, txn, xylem_view_of("leased"), &err));
    xylem_abort(txn);
    must(xylem_lease_take(&held, store, session.number, &err));
    snprintf(line, sizeof line, "unbundle --own %s/bundle", command->directory);
    command_line(command, line);
    assert_exit(command, 4);
    assert_contains(command->out, "refused: leased: the session leased is leased to");
    command_must(command, "append other --kind note");
    must(xylem_lease_release(held, &err));
}

WITH_TAKE_LEASE(a_list_of_sessions_shows_the_living_owner)
{
    struct command *command = *state;
    command_must(command, "sessions");
    assert_contains(command->out, "  leased  ");
    command_must(command, "sessions --jsonl");
    assert_contains(command->out, "\"leased\":true");
    assert_contains(command->out, "\"leased\":false");
}

WITH_TAKE_LEASE(the_status_names_every_owner)
{
    struct command *command = *state;
    char pid[32];
    char host[256];
    assert_int_equal(gethostname(host, sizeof host), 0);
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    command_must(command, "lease status");
    assert_string_equal(command->err, "");
    assert_contains(command->out, pid);
    assert_contains(command->out, host);
    assert_contains(command->out, "SESSION  OWNER  PROCESS  HOST");
    assert_contains(command->out, "\nowned    alive  ");
    command_must(command, "lease status owned --jsonl");
    assert_contains(command->out, pid);
    command->out = command_replace(command->out, "\"pid\":[0-9]+,\"host\":\"[^\"]+\",\"since\":\"20[0-9T:.-]+Z\"", "X");
    assert_string_equal(command->out, "{\"schema\":1,\"session\":\"owned\",X,\"alive\":true,\"token\":1}\n");
    command_must(command, "lease status --json");
    assert_contains(command->out, "{\"schema\":1,\"leases\":[{\"session\":\"owned\",\"pid\":");
}

WITH_TAKE_LEASE(no_owner_is_said_too)
{
    struct command *command = *state;
    command_must(command, "lease status free");
    assert_string_equal(command->out, "");
    assert_string_equal(command->err, "xylem: lease: the session free has no owner\n");
    must(xylem_lease_release(lease, &err));
    lease = NULL;
    command_must(command, "lease status");
    assert_string_equal(command->out, "");
    assert_string_equal(command->err, "xylem: lease: no session has an owner\n");
    command_must(command, "lease status --json");
    assert_string_equal(command->out, "{\"schema\":1,\"leases\":[]}\n");
    assert_string_equal(command->err, "");
    command_line(command, "lease status no-such-session");
    assert_error(command, 3, "no-such-session");
}

/* Every command that would change the session exits with 4, names the owner, and says what can be done. */
WITH_TAKE_LEASE(a_change_of_an_owned_session_is_a_conflict_with_a_way_out)
{
    static const char *const lines[] = {"append owned --kind note", "append owned --kind note --create",
                                        "navigate owned:none", "delete owned --yes"};
    struct command *command = *state;
    char owner[64];
    snprintf(owner, sizeof owner, "the session owned is leased to process %d on ", (int)getpid());
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        command_line(command, lines[i]);
        assert_error(command, 4, owner);
        assert_contains(command->err, "` ends the lease)\n");
    }
    command_must(command, "append free --kind note");
    command_must(command, "clone owned");
    command_line(command, "append free --kind note --expect none"); /* a conflict, but not of owners */
    assert_error(command, 4, "the leaf of the session free");
    assert_null(strstr(command->err, "lease"));
}

/* Its owner deleted it, and lives: nobody else can undelete it. The way out that is told must be one. */
WITH_TAKE_LEASE(a_deleted_session_with_an_owner_has_the_same_way_out)
{
    struct command *command = *state;
    struct xylem_txn *txn = NULL;
    must(xylem_begin(&txn, store, XYLEM_WRITE, &err));
    must(xylem_session_delete(txn, owned, &err));
    must(xylem_commit(txn, &err));
    command_line(command, "undelete owned");
    assert_error(command, 4, "the session owned is leased to process ");
    assert_contains(command->err, "` ends the lease)\n");
    command_must(command, "lease status owned");
    assert_contains(command->out, "\nowned    alive  ");
    command_must(command, "lease break owned --yes");
    assert_contains(command->out, "broke the lease of session owned: process ");
    command_must(command, "undelete owned");
}

WITH_TAKE_LEASE(an_import_leaves_an_owned_session_to_its_owner)
{
    struct command *command = *state;
    struct xylem_session session;
    struct xylem_txn *txn = NULL;
    struct xylem_lease *other = NULL;
    char copy[256];
    char *data = command_read_file(SCENARIO, NULL);
    size_t bytes = strlen(data);
    command_path(copy, command, "copy.jsonl");
    char *last = strrchr(data, '\n');
    *last = '\0';
    size_t without_last = (size_t)(strrchr(data, '\n') - data) + 1;
    *last = '\n';
    command_write_file(copy, data, without_last);
    command_run(command, "import", "-q", copy, NULL);
    assert_exit(command, 0);
    must(xylem_begin(&txn, store, XYLEM_READ, &err));
    must(xylem_session_find(&session, txn, xylem_view_of(SCENARIO_ID), &err));
    uint64_t number = session.number;
    xylem_abort(txn);
    must(xylem_lease_take(&other, store, number, &err));
    command_write_file(copy, data, bytes);
    free(data);
    command_run(command, "import", copy, NULL);
    assert_exit(command, 0);
    assert_contains(command->out, "left   ");
    assert_contains(command->out, "is leased to process ");
    must(xylem_lease_release(other, &err));
    command_run(command, "import", "-q", copy, NULL);
    assert_exit(command, 0);
}

WITH_TAKE_LEASE(a_lease_is_broken_when_it_is_meant)
{
    struct command *command = *state;
    command_line(command, "lease break owned");
    assert_error(command, 2, "give --yes");
    command_must(command, "lease break owned --dry-run");
    assert_contains(command->out, "would break the lease of session owned: process ");
    command_line(command, "append owned --kind note");
    assert_exit(command, 4);
    command_must(command, "lease break owned --yes");
    assert_int_equal(strncmp(command->out, "broke the lease of session owned: process ", 42), 0);
    assert_contains(command->out, ", alive\n");
    command_must(command, "append owned --kind note");
    command_line(command, "lease break owned --yes");
    assert_error(command, 3, "the session owned has no owner");
    command_line(command, "lease break owned --dry-run");
    assert_error(command, 3, "the session owned has no owner");
    struct xylem_txn *txn = NULL;
    must(xylem_begin(&txn, store, XYLEM_WRITE, &err));
    assert_int_equal(xylem_session_delete(txn, owned, &err), XYLEM_E_CONFLICT); /* the owner that was */
    xylem_abort(txn);
}

WITH_TAKE_LEASE(an_owner_that_is_gone_is_shown_and_in_nobodys_way)
{
    struct command *command = *state;
    uint64_t session = add_session("of the dead");
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct xylem_store *anew = NULL;
        struct xylem_lease *taken = NULL;
        _exit(xylem_open(&anew, command->store, NULL, NULL) == 0 && xylem_lease_take(&taken, anew, session, NULL) == 0
                  ? 0
                  : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    command_run(command, "lease", "status", "of the dead", NULL);
    assert_exit(command, 0);
    assert_contains(command->out, " gone ");
    command_run(command, "append", "of the dead", "--kind", "note", NULL);
    assert_exit(command, 0);
    command_run(command, "lease", "break", "of the dead", "--yes", NULL);
    assert_exit(command, 0);
    assert_contains(command->out, ", gone\n");
}
