/* Leases: who may change a session, and what is left when an owner releases, dies, sleeps, or is broken. */

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/os.h"
#include "base/time.h"
#include "store/lease.h"
#include "xylem/care.h"
#include "xylem/files.h"
#include "xylem/inspect.h"
#include "xylem/append.h"
#include "tests/lib/costs.h"
#include "tests/lib/test.h"
#include "tests/store/rows.h"

/* A store with two sessions, and two handles of this process. No transaction stays open. */
static struct store_builder builder;
static struct xylem_store *one;
static struct xylem_store *two;
static uint64_t session;
static uint64_t other;
static struct xylem_error err;

static struct xylem_store *open_again(bool read_only)
{
    struct xylem_open_options options = {.read_only = read_only, .durability = XYLEM_DURABILITY_NONE};
    struct xylem_store *store = NULL;
    store_builder_must(xylem_open(&store, builder.path, &options, &err), &err);
    return store;
}

/* The builder's transaction is needed for its calls, and in the way of leases. */
static void rest(void)
{
    struct xylem_txn *txn = builder.txn;
    builder.txn = NULL;
    store_builder_must(xylem_commit(txn, &err), &err);
}

static void resume(void)
{
    store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), &err);
}

static int set_up(void **state)
{
    (void)state;
    store_builder_open(&builder);
    session = store_builder_session(&builder, "shared");
    other = store_builder_session(&builder, "other");
    store_builder_messages(&builder, session, 3);
    rest();
    one = open_again(false);
    two = open_again(false);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    store_builder_must(xylem_close(one, &err), &err);
    store_builder_must(xylem_close(two, &err), &err);
    store_builder_close(&builder);
    return 0;
}

static int append_to(struct xylem_store *store, uint64_t number)
{
    struct xylem_new_entry entry = {.kind = {XYLEM_CLASS_HOST, xylem_view_of("message")}};
    struct xylem_txn *txn = NULL;
    int code = xylem_begin(&txn, store, XYLEM_WRITE, &err);
    code = code < 0 ? code : xylem_append(NULL, txn, number, &entry, 1, NULL, &err);
    if (code < 0) {
        xylem_abort(txn);
        return code;
    }
    return xylem_commit(txn, &err);
}

static struct xylem_lease *take(struct xylem_store *store, uint64_t number)
{
    struct xylem_lease *lease = NULL;
    store_builder_must(xylem_lease_take(&lease, store, number, &err), &err);
    return lease;
}

static void release(struct xylem_lease *lease)
{
    store_builder_must(xylem_lease_release(lease, &err), &err);
}

/* 1 and the owner, or 0. */
static int owner_of(struct xylem_lease_owner *owner, struct xylem_store *store, uint64_t number)
{
    struct xylem_txn *txn = NULL;
    store_builder_must(xylem_begin(&txn, store, XYLEM_READ, &err), &err);
    int found = xylem_lease_read(owner, txn, number, &err);
    xylem_abort(txn);
    return store_builder_must(found, &err);
}

static uint64_t entry_count(void)
{
    struct xylem_txn *txn = NULL;
    struct xylem_stat stat;
    store_builder_must(xylem_begin(&txn, one, XYLEM_READ, &err), &err);
    store_builder_must(xylem_stat_read(&stat, txn, &err), &err);
    xylem_abort(txn);
    return stat.entry_count;
}

static uint64_t count_problems(void)
{
    struct xylem_verify_report report;
    resume();
    store_builder_must(xylem_verify(&report, builder.txn, NULL, NULL, NULL, &err), &err);
    rest();
    return report.problem_count;
}

static void assert_text(const char *part)
{
    if (!strstr(err.text, part)) {
        fail_msg("'%s' is not in: %s", part, err.text);
    }
}

/* --- A process that does what it is told ------------------------------------------------------------------------- */

struct actor {
    pid_t pid;
    int to;
    int from;
};

struct answer {
    int code;
    struct xylem_error err;
};

static struct answer answer;
static uint64_t actor_map_bytes; /* of the next one; 0: as always */

/* So many leases that a small map gets full, as long as somebody keeps their pages from being used again. */
static int take_often(struct xylem_store *store)
{
    struct xylem_txn *txn = NULL;
    struct xylem_stat stat;
    for (int i = 0; i < 200; i++) {
        struct xylem_lease *lease = NULL;
        int code = xylem_lease_take(&lease, store, session, &err);
        code = code < 0 ? code : xylem_lease_release(lease, &err);
        if (code < 0) {
            return code;
        }
    }
    int code = xylem_begin(&txn, store, XYLEM_READ, &err);
    code = code < 0 ? code : xylem_stat_read(&stat, txn, &err);
    xylem_abort(txn);
    return code < 0 ? code : stat.map_bytes > actor_map_bytes ? XYLEM_OK : XYLEM_E_NOT_FOUND;
}

/* A child that lives on for a while, and uses nothing of its parent's; it runs when this returns. */
static int fork_sleeper(void)
{
    int ready[2];
    char byte;
    pid_t parent = getpid();
    if (pipe(ready) != 0) {
        return XYLEM_E_IO;
    }
    pid_t child = fork();
    if (child == 0) {
        bool said = write(ready[1], "r", 1) == 1;
        for (int i = 0; said && i < 6000 && getppid() == parent; i++) {
            usleep(10000);
        }
        usleep(1000000);
        _exit(0);
    }
    return child > 0 && read(ready[0], &byte, 1) == 1 ? XYLEM_OK : XYLEM_E_IO;
}

static int act(char what, struct xylem_store *store, struct xylem_lease **lease)
{
    switch (what) {
    case 't':
        return xylem_lease_take(lease, store, session, &err);
    case 'r': {
        int code = xylem_lease_release(*lease, &err);
        *lease = code == XYLEM_OK ? NULL : *lease;
        return code;
    }
    case 'f':
        return fork_sleeper();
    case 'm':
        return take_often(store);
    default:
        return append_to(store, session);
    }
}

_Noreturn static void be_actor(int to, int from)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    struct xylem_open_options options = {.durability = XYLEM_DURABILITY_NONE, .map_bytes = actor_map_bytes};
    struct xylem_store *store = NULL;
    struct xylem_lease *lease = NULL;
    char what;
    if (xylem_open(&store, builder.path, &options, &err) < 0) {
        _exit(1);
    }
    while (read(to, &what, 1) == 1) {
        struct answer said = {.code = act(what, store, &lease)};
        said.err = err;
        if (write(from, &said, sizeof said) != (ssize_t)sizeof said) {
            _exit(1);
        }
    }
    _exit(0);
}

static struct actor start_actor(void)
{
    int to[2];
    int from[2];
    assert_int_equal(pipe(to), 0);
    assert_int_equal(pipe(from), 0);
    struct actor actor = {.pid = fork(), .to = to[1], .from = from[0]};
    assert_true(actor.pid >= 0);
    if (actor.pid > 0) {
        close(to[0]);
        close(from[1]);
        return actor;
    }
    be_actor(to[0], from[1]);
}

/*
 * One whose pids count anew, which ends when it is told nothing more; `pid` is that of a process that ends with it. A
 * pid of 0: the system allows no such thing.
 */
static struct actor start_actor_elsewhere(void)
{
    int to[2];
    int from[2];
    char ready;
    assert_int_equal(pipe(to), 0);
    assert_int_equal(pipe(from), 0);
    struct actor actor = {.pid = fork(), .to = to[1], .from = from[0]};
    assert_true(actor.pid >= 0);
    if (actor.pid == 0) {
        close(to[1]);
        bool elsewhere = unshare(CLONE_NEWPID) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWPID) == 0;
        pid_t child = elsewhere ? fork() : -1;
        if (child == 0 && write(from[1], "", 1) == 1) {
            be_actor(to[0], from[1]);
        }
        _exit(child > 0 && waitpid(child, NULL, 0) == child ? 0 : 1);
    }
    close(to[0]);
    close(from[1]);
    if (read(actor.from, &ready, 1) != 1) {
        assert_int_equal(waitpid(actor.pid, NULL, 0), actor.pid);
        close(actor.to);
        close(actor.from);
        actor.pid = 0;
    }
    return actor;
}

static void tell(const struct actor *actor, char what)
{
    assert_int_equal(write(actor->to, &what, 1), 1);
}

/* What the actor answers: its code; the text goes to `err`. */
static int hear(const struct actor *actor)
{
    assert_int_equal(read(actor->from, &answer, sizeof answer), sizeof answer);
    err = answer.err;
    return answer.code;
}

static int ask(const struct actor *actor, char what)
{
    tell(actor, what);
    return hear(actor);
}

static void stop_actor(const struct actor *actor)
{
    int status = 0;
    assert_int_equal(kill(actor->pid, SIGSTOP), 0);
    assert_int_equal(waitpid(actor->pid, &status, WUNTRACED), actor->pid);
    assert_true(WIFSTOPPED(status));
}

static void kill_actor(struct actor *actor)
{
    assert_int_equal(kill(actor->pid, SIGKILL), 0);
    assert_int_equal(waitpid(actor->pid, NULL, 0), actor->pid);
    close(actor->to);
    close(actor->from);
}

/* --- One process ------------------------------------------------------------------------------------------------- */

#define IN_STORE(test) TEST_WITH(test, set_up, tear_down)

IN_STORE(a_session_without_an_owner_may_be_changed_by_every_handle)
{
    struct xylem_lease_owner owner = {.pid = 77};
    assert_int_equal(owner_of(&owner, one, session), 0);
    assert_int_equal(owner.pid, 77); /* nothing is written out */
    assert_int_equal(append_to(one, session), XYLEM_OK);
    assert_int_equal(append_to(two, session), XYLEM_OK);
}

IN_STORE(an_owner_is_named_with_pid_host_and_time)
{
    char host[XYLEM_HOST_BYTES_MAX + 1];
    char since[XYLEM_BASE__ISO_BYTES];
    char pid[32];
    struct xylem_lease_owner owner;
    int64_t before_ms = xylem_base__now_ms();
    struct xylem_lease *lease = take(one, session);
    assert_int_equal(gethostname(host, sizeof host), 0);
    assert_int_equal(owner_of(&owner, two, session), 1);
    assert_int_equal(owner.pid, getpid());
    assert_true(owner.since_ms >= before_ms && owner.since_ms <= xylem_base__now_ms());
    assert_string_equal(owner.host, host);
    assert_true(owner.alive && owner.token == 1);
    assert_int_equal(append_to(two, session), XYLEM_E_CONFLICT);
    xylem_base__time_write(since, owner.since_ms);
    snprintf(pid, sizeof pid, "process %d on ", (int)getpid());
    assert_text("the session shared is leased to another handle of this process");
    assert_text(pid);
    assert_text(host);
    assert_text(since);
    release(lease);
}

IN_STORE(an_owner_alone_changes_its_session_and_only_that)
{
    struct xylem_lease *lease = take(one, session);
    uint64_t count = entry_count();
    assert_int_equal(append_to(two, session), XYLEM_E_CONFLICT);
    assert_int_equal(append_to(two, other), XYLEM_OK);
    assert_int_equal(append_to(one, other), XYLEM_OK);
    assert_int_equal(append_to(one, session), XYLEM_OK);
    assert_int_equal(entry_count(), count + 3);
    release(lease);
}

/* Every call that changes a session, by a handle that does not own it; and what only reads it, which goes on. */
IN_STORE(every_call_that_changes_the_session_is_refused)
{
    struct xylem_position none = {0, 0};
    struct xylem_session made;
    struct xylem_entry entry;
    struct xylem_walk *walk = NULL;
    size_t labels = 0;
    struct xylem_lease *lease = take(one, session);
    resume(); /* the builder's handle is a third one */
    struct xylem_new_entry message = {.kind = {XYLEM_CLASS_HOST, xylem_view_of("message")}};
    assert_int_equal(xylem_append(NULL, builder.txn, session, &message, 1, NULL, &err), XYLEM_E_CONFLICT);
    assert_int_equal(xylem_navigate(builder.txn, session, none, xylem_view_of(""), &err), XYLEM_E_CONFLICT);
    assert_int_equal(xylem_session_delete(builder.txn, session, &err), XYLEM_E_CONFLICT);
    assert_int_equal(xylem_fork_labels(&labels, builder.txn, session, other, &err), XYLEM_E_CONFLICT);
    store_builder_must(xylem_clone(&made, builder.txn, session, NULL, &err), &err);
    store_builder_must(xylem_fork(&made, builder.txn, session, made.leaf, XYLEM_FORK_AT, NULL, &err), &err);
    store_builder_must(xylem_append(NULL, builder.txn, made.number, &message, 1, NULL, &err), &err);
    store_builder_must(xylem_walk_new(&walk, builder.txn, made.leaf, &err), &err);
    assert_int_equal(xylem_walk_next(&entry, walk, &err), 1);
    xylem_walk_free(walk);
    rest(); /* a refusal left the transaction as it was */
    release(lease);
    assert_int_equal(count_problems(), 0);
}

static void write_session_file(char path[320], const char *more)
{
    snprintf(path, 320, "%s/session.jsonl", builder.path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "{\"type\":\"session\",\"version\":3,\"id\":\"imported\",\"timestamp\":\"2026-11-20T17:18:05.515Z\","
            "\"cwd\":\"/\"}\n"
            "{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"timestamp\":\"2026-11-20T17:18:05.515Z\"}\n%s",
            more);
    assert_int_equal(fclose(file), 0);
}

IN_STORE(an_import_into_an_owned_session_is_refused_but_by_its_owner)
{
    char path[320];
    struct xylem_import_report report;
    write_session_file(path, "");
    store_builder_must(xylem_import(&report, one, path, NULL, &err), &err);
    struct xylem_lease *lease = take(one, report.session);
    xylem_import_report_release(&report);
    write_session_file(path, "{\"type\":\"message\",\"id\":\"b\",\"parentId\":\"a\",\"timestamp\":"
                             "\"2026-11-20T17:18:06.515Z\"}\n");
    uint64_t count = entry_count();
    assert_int_equal(xylem_import(&report, two, path, NULL, &err), XYLEM_E_CONFLICT);
    assert_text("is leased to");
    xylem_import_report_release(&report);
    assert_int_equal(entry_count(), count);
    store_builder_must(xylem_import(&report, one, path, NULL, &err), &err);
    xylem_import_report_release(&report);
    assert_int_equal(entry_count(), count + 1);
    release(lease);
    assert_int_equal(unlink(path), 0);
}

IN_STORE(who_cannot_take_a_lease_is_told_why)
{
    struct xylem_lease *lease = NULL;
    struct xylem_store *reader = open_again(true);
    resume();
    uint64_t importing = store_builder_session(&builder, "importing");
    struct xylem_session row = store_builder_read(&builder, importing);
    row.state = XYLEM_SESSION_IMPORTING;
    store_builder_must(xylem_store__session_write(builder.txn, &row, &err), &err);
    store_builder_must(xylem_session_delete(builder.txn, other, &err), &err);
    assert_int_equal(xylem_lease_take(&lease, builder.store, session, &err), XYLEM_E_BUSY); /* a transaction is open */
    rest();
    assert_int_equal(xylem_lease_take(&lease, one, 4711, &err), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_lease_take(&lease, one, importing, &err), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_lease_take(&lease, one, other, &err), XYLEM_E_DELETED);
    assert_int_equal(xylem_lease_take(&lease, reader, session, &err), XYLEM_E_READ_ONLY);
    assert_int_equal(xylem_lease_break(NULL, reader, session, &err), XYLEM_E_READ_ONLY);
    assert_int_equal(xylem_lease_break(NULL, one, 4711, &err), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_lease_take(NULL, one, session, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_lease_take(&lease, NULL, session, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_lease_break(NULL, NULL, session, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_lease_release(NULL, &err), XYLEM_OK);
    assert_null(lease);
    struct xylem_lease_owner owner;
    assert_int_equal(owner_of(&owner, one, session), 0); /* no failure left anything */
    lease = take(one, session);
    assert_int_equal(owner_of(&owner, reader, session), 1);
    assert_true(owner.alive);
    release(lease);
    store_builder_must(xylem_close(reader, &err), &err);
}

IN_STORE(a_handle_takes_a_lease_once)
{
    struct xylem_lease *again = NULL;
    struct xylem_lease *lease = take(one, session);
    assert_int_equal(xylem_lease_take(&again, one, session, &err), XYLEM_E_BUSY);
    assert_text("shared");
    assert_int_equal(xylem_lease_take(&again, two, session, &err), XYLEM_E_CONFLICT);
    assert_int_equal(append_to(one, session), XYLEM_OK); /* it is the owner still */
    struct xylem_lease *of_other = take(one, other);     /* and may be that of many */
    release(lease);
    assert_int_equal(append_to(two, other), XYLEM_E_CONFLICT);
    assert_int_equal(append_to(two, session), XYLEM_OK);
    release(of_other);
}

IN_STORE(a_released_lease_leaves_the_session_free)
{
    struct xylem_lease_owner owner;
    release(take(one, session));
    assert_int_equal(owner_of(&owner, one, session), 0);
    assert_int_equal(append_to(two, session), XYLEM_OK);
    struct xylem_lease *lease = take(two, session);
    assert_int_equal(append_to(one, session), XYLEM_E_CONFLICT);
    release(lease);
}

IN_STORE(a_release_waits_for_the_threads_own_transaction)
{
    struct xylem_txn *txn = NULL;
    struct xylem_lease *lease = take(one, session);
    store_builder_must(xylem_begin(&txn, one, XYLEM_WRITE, &err), &err);
    assert_int_equal(xylem_lease_release(lease, &err), XYLEM_E_BUSY);
    xylem_abort(txn);
    assert_int_equal(append_to(two, session), XYLEM_E_CONFLICT); /* the lease is as it was */
    assert_int_equal(append_to(one, session), XYLEM_OK);
    release(lease);
}

IN_STORE(a_handle_is_not_closed_while_it_has_a_lease)
{
    struct xylem_store *handle = open_again(false);
    struct xylem_lease *lease = take(handle, session);
    assert_int_equal(xylem_close(handle, &err), XYLEM_E_BUSY);
    assert_text("lease");
    assert_int_equal(append_to(handle, session), XYLEM_OK);
    release(lease);
    assert_int_equal(xylem_close(handle, &err), XYLEM_OK);
}

IN_STORE(tokens_ascend_and_are_never_used_again)
{
    struct xylem_lease_owner owner;
    for (uint64_t token = 1; token <= 6; token++) {
        uint64_t number = token % 2 ? session : other;
        struct xylem_lease *lease = take(one, number);
        assert_int_equal(owner_of(&owner, one, number), 1);
        assert_int_equal(owner.token, token);
        release(lease);
        if (token == 3) { /* also after everybody closed the store */
            resume();
            store_builder_must(xylem_close(two, &err), &err);
            store_builder_must(xylem_close(one, &err), &err);
            store_builder_reopen(&builder);
            rest();
            one = open_again(false);
            two = open_again(false);
        }
    }
}

IN_STORE(an_owner_whose_lease_was_broken_changes_nothing_more)
{
    struct xylem_lease_owner broken;
    struct xylem_lease *lease = take(one, session);
    assert_int_equal(xylem_lease_break(&broken, two, session, &err), 1);
    assert_true(broken.alive && broken.pid == getpid() && broken.token == 1);
    uint64_t count = entry_count();
    assert_int_equal(append_to(one, session), XYLEM_E_CONFLICT);
    assert_text("broken");
    assert_text("session shared");
    assert_int_equal(append_to(two, session), XYLEM_OK); /* nobody owns it now */
    assert_int_equal(entry_count(), count + 1);
    struct xylem_lease *again = NULL;
    assert_int_equal(xylem_lease_take(&again, one, session, &err), XYLEM_E_BUSY);
    release(lease);
    assert_int_equal(append_to(one, session), XYLEM_OK);
    release(take(one, session));
    assert_int_equal(xylem_lease_break(&broken, two, session, &err), 0);
}

IN_STORE(a_release_after_the_lease_was_broken_leaves_the_new_owner_alone)
{
    struct xylem_lease *old = take(one, session);
    assert_int_equal(xylem_lease_break(NULL, two, session, &err), 1);
    struct xylem_lease *new = take(two, session);
    assert_int_equal(append_to(one, session), XYLEM_E_CONFLICT);
    assert_text("broken");
    assert_text("the session shared is leased to");
    release(old);
    assert_int_equal(append_to(one, session), XYLEM_E_CONFLICT);
    assert_int_equal(append_to(two, session), XYLEM_OK);
    release(new);
    assert_int_equal(count_problems(), 0);
}

IN_STORE(an_owner_may_delete_its_session)
{
    struct xylem_txn *txn = NULL;
    struct xylem_lease *lease = take(one, session);
    store_builder_must(xylem_begin(&txn, one, XYLEM_WRITE, &err), &err);
    store_builder_must(xylem_session_delete(txn, session, &err), &err);
    store_builder_must(xylem_commit(txn, &err), &err);
    assert_int_equal(append_to(one, session), XYLEM_E_DELETED);
    assert_int_equal(append_to(two, session), XYLEM_E_DELETED);
    assert_int_equal(count_problems(), 0);
    assert_int_equal(xylem_lease_break(NULL, two, session, &err), 1);
    release(lease);
    assert_int_equal(count_problems(), 0);
}

IN_STORE(an_owners_row_goes_with_its_session)
{
    struct xylem_lease_owner owner;
    struct xylem_lease *lease = take(one, session);
    resume();
    store_builder_must(xylem_store__lease_forget(builder.txn, session, &err), &err);
    store_builder_must(xylem_store__lease_forget(builder.txn, other, &err), &err); /* it has none */
    rest();
    assert_int_equal(owner_of(&owner, one, session), 0);
    assert_int_equal(count_problems(), 0);
    release(lease);
}

/* What a transaction found out of one session says nothing of another. */
IN_STORE(a_transaction_asks_anew_for_each_session)
{
    struct xylem_new_entry message = {.kind = {XYLEM_CLASS_HOST, xylem_view_of("message")}};
    struct xylem_lease *lease = take(one, session);
    resume();
    for (int i = 0; i < 2; i++) {
        store_builder_must(xylem_append(NULL, builder.txn, other, &message, 1, NULL, &err), &err);
        assert_int_equal(xylem_append(NULL, builder.txn, session, &message, 1, NULL, &err), XYLEM_E_CONFLICT);
        assert_int_equal(xylem_session_delete(builder.txn, session, &err), XYLEM_E_CONFLICT);
    }
    rest();
    release(lease);
}

IN_STORE(a_transaction_asks_once_whether_there_are_owners)
{
    resume();
    store_builder_add(&builder, session, NULL, "message", NULL);
    rest();
    resume(); /* what is kept of kinds and floors is kept now */
    for (int i = 0; i < 5; i++) {
        store_builder_add(&builder, session, NULL, "message", NULL);
    }
    struct costs without = costs_of(builder.txn);
    rest();
    struct xylem_lease *lease = take(one, other);
    resume();
    for (int i = 0; i < 5; i++) {
        store_builder_add(&builder, session, NULL, "message", NULL);
    }
    struct costs with = costs_of(builder.txn);
    rest();
    release(lease);
    /* One row that says whether there ever was one; and if so, one that counts the owners, and that of the session. */
    assert_int_equal(without.counters.tables[XYLEM_FORMAT__META].gets, 1);
    assert_int_equal(with.counters.tables[XYLEM_FORMAT__META].gets, 3);
    assert_int_equal(costs_puts(&with), costs_puts(&without));
}

/* Descriptors of this process that lead to the lock file: none may be inherited by a program that it executes. */
IN_STORE(no_executed_program_inherits_the_lock)
{
    char lock[320];
    char link[64];
    char target[512];
    size_t found = 0;
    struct xylem_lease *lease = take(one, session);
    snprintf(lock, sizeof lock, "%s/xylem.lock", builder.path);
    for (int fd = 0; fd < 256; fd++) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        ssize_t bytes = readlink(link, target, sizeof target - 1);
        if (bytes > 0 && (target[bytes] = '\0', strcmp(target, lock) == 0)) {
            assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
            found++;
        }
    }
    assert_int_equal(found, 5); /* of three handles, of the leases of one, and of the writer lock */
    release(lease);
}

IN_STORE(another_lock_file_in_place_of_the_own_is_refused)
{
    char lock[320];
    struct xylem_lease *lease = NULL;
    snprintf(lock, sizeof lock, "%s/xylem.lock", builder.path);
    assert_int_equal(unlink(lock), 0);
    assert_int_equal(xylem_lease_take(&lease, one, session, &err), XYLEM_E_IO);
    assert_int_equal(close(open(lock, O_RDWR | O_CREAT, 0600)), 0);
    assert_int_equal(xylem_lease_take(&lease, one, session, &err), XYLEM_E_BUSY);
    assert_text("xylem.lock");
    assert_null(lease);
}

IN_STORE(locks_on_bytes_that_the_system_refuses_are_errors)
{
    assert_int_equal(xylem_base__byte_lock(-1, 1, "path", &err), XYLEM_E_IO);
    assert_text("path");
    assert_int_equal(xylem_base__byte_locked(-1, 1, "path", &err), XYLEM_E_IO);
    int fd = open(builder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(xylem_base__byte_lock(fd, 1, "path", &err), XYLEM_E_IO); /* not open for writing */
    close(fd);
    char name[4];
    xylem_base__host_name(name, sizeof name);
    assert_true(strlen(name) < sizeof name);
}

/* A token of a later state of the store, say, that was put back to this one. */
IN_STORE(a_byte_that_somebody_has_is_no_token)
{
    char lock[320];
    struct xylem_lease_owner owner;
    snprintf(lock, sizeof lock, "%s/xylem.lock", builder.path);
    int fd = open(lock, O_RDWR | O_CLOEXEC);
    assert_int_equal(xylem_base__byte_lock(fd, 1, lock, &err), 1);
    assert_int_equal(xylem_base__byte_lock(fd, 2, lock, &err), 1);
    struct xylem_lease *lease = take(one, session);
    assert_int_equal(owner_of(&owner, one, session), 1);
    assert_int_equal(owner.token, 3);
    release(lease);
    close(fd);
}

/* As where a lock on a file is one on all its bytes. */
IN_STORE(a_file_system_without_locks_of_bytes_is_an_error)
{
    char lock[320];
    struct xylem_lease *lease = NULL;
    struct xylem_lease_owner owner;
    struct flock whole = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    snprintf(lock, sizeof lock, "%s/xylem.lock", builder.path);
    int fd = open(lock, O_RDWR | O_CLOEXEC);
    assert_int_equal(fcntl(fd, F_OFD_SETLK, &whole), 0);
    assert_int_equal(xylem_lease_take(&lease, one, session, &err), XYLEM_E_IO);
    assert_text("xylem.lock");
    close(fd);
    assert_int_equal(owner_of(&owner, one, session), 0);
    release(take(one, session));
}

/* --- Damage ------------------------------------------------------------------------------------------------------ */

static struct xylem_view owner_key(unsigned char bytes[14])
{
    memcpy(bytes, "lease:", 6);
    xylem_base__put_u64_be(bytes + 6, session);
    return (struct xylem_view){(const char *)bytes, 14};
}

static void put_row(struct xylem_view key, struct xylem_view value, bool with_sum)
{
    struct xylem_buffer row = {NULL, 0, 0};
    assert_int_equal(xylem_buffer_add(&row, value.data, value.bytes), XYLEM_OK);
    resume();
    store_builder_must(with_sum ? xylem_lmdb__put_summed(builder.txn, XYLEM_FORMAT__META, key, &row, true, true, &err)
                                : xylem_lmdb__put(builder.txn, XYLEM_FORMAT__META, key, value, true, &err),
                       &err);
    rest();
    xylem_buffer_release(&row);
}

IN_STORE(damaged_rows_are_corrupt_and_found)
{
    unsigned char bytes[14];
    struct xylem_lease *lease = NULL;
    struct xylem_lease_owner owner;
    struct xylem_txn *txn = NULL;
    struct xylem_lease *held = take(one, session);
    static const struct {
        bool of_tally;
        bool with_sum;
        size_t row_bytes;
    } cases[] = {{false, false, 40}, {false, true, 27}, {false, true, 4}, {true, false, 24}, {true, true, 15}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char zeroes[64] = {0};
        put_row(cases[i].of_tally ? xylem_view_of("leases") : owner_key(bytes),
                (struct xylem_view){zeroes, cases[i].row_bytes}, cases[i].with_sum);
        assert_int_equal(append_to(two, session), XYLEM_E_CORRUPT);
        assert_int_equal(append_to(one, session), XYLEM_E_CORRUPT);
        assert_int_equal(xylem_lease_take(&lease, two, session, &err), XYLEM_E_CORRUPT);
        assert_int_equal(xylem_lease_break(NULL, two, session, &err), XYLEM_E_CORRUPT);
        store_builder_must(xylem_begin(&txn, two, XYLEM_READ, &err), &err);
        assert_int_equal(xylem_lease_read(&owner, txn, session, &err), XYLEM_E_CORRUPT);
        xylem_abort(txn);
        assert_true(count_problems() > 0);
    }
    assert_int_equal(xylem_lease_release(held, &err), XYLEM_E_CORRUPT); /* and it has ended */
}

IN_STORE(a_release_ends_the_lease_also_where_its_row_cannot_be_removed)
{
    struct xylem_lease *held = take(one, session);
    char zeroes[64] = {0};
    put_row(xylem_view_of("leases"), (struct xylem_view){zeroes, 15}, true);
    assert_int_equal(xylem_lease_release(held, &err), XYLEM_E_CORRUPT);
    struct xylem_buffer tally = {NULL, 0, 0};
    assert_int_equal(xylem_base__add_u64(&tally, 1), 0);
    assert_int_equal(xylem_base__add_u64(&tally, 1), 0);
    put_row(xylem_view_of("leases"), view_of(&tally), true);
    xylem_buffer_release(&tally);
    struct xylem_lease_owner owner;
    assert_int_equal(owner_of(&owner, two, session), 1);
    assert_false(owner.alive);
    assert_int_equal(append_to(two, session), XYLEM_OK);
    assert_int_equal(count_problems(), 0); /* a dead owner's row is no damage */
}

IN_STORE(owners_that_are_not_those_that_are_counted_are_found)
{
    unsigned char bytes[14];
    struct xylem_lease *lease = take(one, session);
    assert_int_equal(count_problems(), 0);
    resume();
    store_builder_must(xylem_lmdb__remove(builder.txn, XYLEM_FORMAT__META, owner_key(bytes), &err), &err);
    rest();
    assert_int_equal(count_problems(), 1);
    struct xylem_buffer tally = {NULL, 0, 0};
    assert_int_equal(xylem_base__add_u64(&tally, 1), 0);
    assert_int_equal(xylem_base__add_u64(&tally, 0), 0);
    put_row(xylem_view_of("leases"), view_of(&tally), true);
    assert_int_equal(count_problems(), 0);
    xylem_buffer_release(&tally);
    release(lease);
    lease = take(one, session); /* a row that is not counted is not broken, but reported */
    assert_int_equal(xylem_base__add_u64(&tally, 9), 0);
    assert_int_equal(xylem_base__add_u64(&tally, 0), 0);
    put_row(xylem_view_of("leases"), view_of(&tally), true);
    assert_int_equal(count_problems(), 1);
    assert_int_equal(xylem_lease_break(NULL, two, session, &err), XYLEM_E_CORRUPT);
    assert_int_equal(xylem_lease_release(lease, &err), XYLEM_E_CORRUPT);
    xylem_buffer_release(&tally);
}

/* --- Many processes ---------------------------------------------------------------------------------------------- */

IN_STORE(another_process_is_refused_and_told_who_owns_it)
{
    char pid[32];
    struct actor a = start_actor();
    struct actor b = start_actor();
    assert_int_equal(ask(&a, 't'), XYLEM_OK);
    snprintf(pid, sizeof pid, " to process %d on ", (int)a.pid);
    assert_int_equal(ask(&b, 't'), XYLEM_E_CONFLICT);
    assert_text(pid);
    assert_int_equal(ask(&b, 'a'), XYLEM_E_CONFLICT);
    assert_text(pid);
    assert_int_equal(ask(&a, 'a'), XYLEM_OK);
    assert_int_equal(ask(&a, 'r'), XYLEM_OK);
    assert_int_equal(ask(&b, 't'), XYLEM_OK);
    assert_int_equal(ask(&a, 'a'), XYLEM_E_CONFLICT);
    kill_actor(&a);
    kill_actor(&b);
}

IN_STORE(a_killed_owner_leaves_the_session_free_at_once)
{
    struct xylem_lease_owner owner;
    struct actor a = start_actor();
    assert_int_equal(ask(&a, 't'), XYLEM_OK);
    assert_int_equal(append_to(one, session), XYLEM_E_CONFLICT);
    kill_actor(&a);
    assert_int_equal(append_to(one, session), XYLEM_OK);
    assert_int_equal(owner_of(&owner, one, session), 1); /* its row is there until somebody takes its place */
    assert_true(!owner.alive && owner.pid == a.pid);
    assert_int_equal(count_problems(), 0);
    struct xylem_lease *lease = take(one, session);
    struct xylem_lease_owner next;
    assert_int_equal(owner_of(&next, one, session), 1);
    assert_true(next.alive && next.pid == getpid() && next.token > owner.token);
    release(lease);
    assert_int_equal(count_problems(), 0);
}

IN_STORE(an_owner_in_another_pid_namespace_is_one_until_it_ends)
{
    struct xylem_lease_owner owner;
    struct actor a = start_actor_elsewhere();
    if (a.pid == 0) {
        skip();
    }
    assert_int_equal(ask(&a, 't'), XYLEM_OK);
    assert_int_equal(owner_of(&owner, one, session), 1);
    assert_true(owner.alive && owner.pid == 1);
    assert_int_equal(append_to(one, session), XYLEM_E_CONFLICT);
    assert_text(" process 1 on ");
    assert_int_equal(ask(&a, 'a'), XYLEM_OK);
    close(a.to);
    assert_int_equal(waitpid(a.pid, NULL, 0), a.pid);
    close(a.from);
    assert_int_equal(owner_of(&owner, one, session), 1);
    assert_false(owner.alive);
    assert_int_equal(append_to(one, session), XYLEM_OK);
}

IN_STORE(a_dead_owners_row_is_freed_with_its_session)
{
    uint64_t stated;
    uint64_t found;
    struct actor a = start_actor();
    assert_int_equal(ask(&a, 't'), XYLEM_OK);
    kill_actor(&a);
    resume();
    store_builder_must(xylem_session_delete(builder.txn, session, &err), &err);
    store_builder_must(xylem_gc(NULL, builder.txn, NULL, &err), &err);
    store_builder_must(xylem_store__lease_counts(&stated, &found, builder.txn, &err), &err);
    rest();
    assert_int_equal(stated, 0);
    assert_int_equal(found, 0);
    assert_int_equal(count_problems(), 0);
}

IN_STORE(a_dead_owners_row_may_be_removed)
{
    struct xylem_lease_owner broken;
    struct actor a = start_actor();
    assert_int_equal(ask(&a, 't'), XYLEM_OK);
    kill_actor(&a);
    assert_int_equal(xylem_lease_break(&broken, one, session, &err), 1);
    assert_true(!broken.alive && broken.pid == a.pid);
    assert_int_equal(owner_of(&broken, one, session), 0);
}

IN_STORE(a_stopped_owner_whose_lease_was_broken_writes_nothing_when_it_goes_on)
{
    struct actor old = start_actor();
    struct actor new = start_actor();
    assert_int_equal(ask(&old, 't'), XYLEM_OK);
    assert_int_equal(ask(&old, 'a'), XYLEM_OK);
    stop_actor(&old);
    tell(&old, 'a');                                    /* what it will do first of all */
    assert_int_equal(ask(&new, 't'), XYLEM_E_CONFLICT); /* it sleeps, and owns it */
    assert_int_equal(xylem_lease_break(NULL, one, session, &err), 1);
    assert_int_equal(ask(&new, 't'), XYLEM_OK);
    assert_int_equal(ask(&new, 'a'), XYLEM_OK);
    uint64_t count = entry_count();
    assert_int_equal(kill(old.pid, SIGCONT), 0);
    assert_int_equal(hear(&old), XYLEM_E_CONFLICT);
    assert_text("broken");
    assert_int_equal(entry_count(), count);
    assert_int_equal(ask(&new, 'a'), XYLEM_OK);
    assert_int_equal(ask(&old, 'r'), XYLEM_OK);
    assert_int_equal(ask(&new, 'a'), XYLEM_OK); /* the old one's release is none of the new one's */
    assert_int_equal(entry_count(), count + 2);
    kill_actor(&old);
    kill_actor(&new);
    assert_int_equal(count_problems(), 0);
}

/* The number of the session goes to the next new session, maybe in another thread, before the lease is freed. */
IN_STORE(a_lease_ends_with_its_failed_transaction)
{
    struct xylem_lease *lease = NULL;
    struct xylem_session taken;
    struct xylem_session next;
    struct xylem_session_options options = {.cwd = xylem_view_of("/")};
    store_builder_must(xylem_store__lease_new(&lease, one, &err), &err);
    for (int commits = 0; commits < 2; commits++) {
        struct xylem_txn *txn = NULL;
        store_builder_must(xylem_begin(&txn, one, XYLEM_WRITE, &err), &err);
        store_builder_must(xylem_session_create(&taken, txn, &options, &err), &err);
        uint64_t number = taken.number;
        store_builder_must(xylem_store__lease_take(txn, lease, number, &err), &err);
        if (commits) {
            xylem_lmdb__write_failed(txn, XYLEM_E_MEMORY);
            assert_int_equal(xylem_commit(txn, &err), XYLEM_E_MEMORY);
        } else {
            xylem_abort(txn);
        }
        store_builder_must(xylem_begin(&txn, one, XYLEM_WRITE, &err), &err);
        store_builder_must(xylem_session_create(&next, txn, &options, &err), &err);
        assert_int_equal(next.number, number);
        store_builder_must(xylem_commit(txn, &err), &err);
        assert_int_equal(append_to(one, number), XYLEM_OK);
    }
    free(lease);
}

IN_STORE(a_map_that_is_full_grows_for_a_lease)
{
    struct xylem_txn *old = NULL;
    actor_map_bytes = (uint64_t)1 << 20;
    struct actor a = start_actor();
    actor_map_bytes = 0;
    store_builder_must(xylem_begin(&old, one, XYLEM_READ, &err), &err);
    assert_int_equal(ask(&a, 'm'), XYLEM_OK);
    xylem_abort(old);
    kill_actor(&a);
    assert_int_equal(count_problems(), 0);
}

IN_STORE(a_forked_child_does_not_keep_its_parents_lease)
{
    struct xylem_lease_owner owner;
    struct actor a = start_actor();
    assert_int_equal(ask(&a, 't'), XYLEM_OK);
    assert_int_equal(ask(&a, 'f'), XYLEM_OK);
    assert_int_equal(owner_of(&owner, one, session), 1);
    assert_true(owner.alive);
    kill_actor(&a); /* its child lives on for a while */
    assert_int_equal(owner_of(&owner, one, session), 1);
    assert_false(owner.alive);
    assert_int_equal(append_to(one, session), XYLEM_OK);
}

IN_STORE(leases_are_refused_after_fork_and_stay_the_parents)
{
    struct xylem_txn *txn = NULL;
    struct xylem_lease *lease = take(one, session);
    store_builder_must(xylem_begin(&txn, two, XYLEM_READ, &err), &err);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct xylem_lease *taken = NULL;
        struct xylem_lease_owner owner;
        bool right = xylem_lease_take(&taken, one, other, NULL) == XYLEM_E_FORKED;
        right = right && xylem_lease_release(lease, NULL) == XYLEM_E_FORKED;
        right = right && xylem_lease_break(&owner, one, session, NULL) == XYLEM_E_FORKED;
        right = right && xylem_lease_read(&owner, txn, session, NULL) == XYLEM_E_FORKED;
        right = right && xylem_close(one, NULL) == XYLEM_OK; /* frees the lease, and ends nothing */
        _exit(right ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    xylem_abort(txn);
    assert_int_equal(append_to(two, session), XYLEM_E_CONFLICT);
    assert_int_equal(append_to(one, session), XYLEM_OK);
    release(lease);
}
