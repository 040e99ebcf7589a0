/*
 * Backups whose pages keep their places, under kills and on a full disk. A child makes a backup and kills itself at a
 * call that changes a file, or in the middle of a write; another child writes into the store meanwhile, and is killed at
 * any time. Then the directory of the backup is missing, or is a store that verifies.
 */
#include "tests/crash/deaths.h"
#include "tests/lib/chance.h"
#include "tests/lib/test.h"
#include "xylem/append.h"
#include "xylem/care.h"
#include "xylem/inspect.h"

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct xylem_backup_options in_place = {.keep_pages = true};
static char place[128];
static char path[160];
static char backups[160];
static char copy[200];

static int make_place(void **state)
{
    (void)state;
    test_directory_make(place, sizeof place, "backup-kill");
    snprintf(path, sizeof path, "%s/store", place);
    snprintf(backups, sizeof backups, "%s/backups", place);
    snprintf(copy, sizeof copy, "%s/copy", backups);
    assert_int_equal(mkdir(backups, 0700), 0);
    return 0;
}

static int remove_place(void **state)
{
    (void)state;
    test_directory_remove(place);
    return 0;
}

/* Appends an entry whose payload has this many bytes. */
static int append(struct xylem_store *store, size_t bytes)
{
    static char payload[100000];
    struct xylem_txn *txn = NULL;
    struct xylem_session session;
    struct xylem_new_entry entry = {
        .kind = {XYLEM_CLASS_HOST, xylem_view_of("message")}, .format = XYLEM_FORMAT_JSON, .payload = {payload, bytes}};
    memset(payload, 'p', bytes);
    payload[0] = payload[bytes - 1] = '"';
    int code;
    if ((code = xylem_begin(&txn, store, XYLEM_WRITE, NULL)) < 0) {
        return code;
    }
    if ((code = xylem_session_find(&session, txn, xylem_view_of("one"), NULL)) < 0 ||
        (code = xylem_append(NULL, txn, session.number, &entry, 1, NULL, NULL)) < 0) {
        xylem_abort(txn);
        return code;
    }
    return xylem_commit(txn, NULL);
}

static struct xylem_store *open_store(bool create)
{
    struct xylem_open_options options = {.create = create, .durability = XYLEM_DURABILITY_NONE};
    struct xylem_store *store = NULL;
    return xylem_open(&store, path, &options, NULL) == XYLEM_OK ? store : NULL;
}

static void make_store(void)
{
    struct xylem_session_options options = {.id = xylem_view_of("one")};
    struct xylem_session session;
    struct xylem_txn *txn = NULL;
    struct xylem_store *store = open_store(true);
    assert_non_null(store);
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, NULL), XYLEM_OK);
    assert_int_equal(xylem_session_create(&session, txn, &options, NULL), XYLEM_OK);
    assert_int_equal(xylem_commit(txn, NULL), XYLEM_OK);
    for (size_t i = 0; i < 100; i++) {
        assert_int_equal(append(store, i % 20 == 19 ? 90000 : 300), XYLEM_OK);
    }
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
}

/* Entries of a sound store. */
static uint64_t look(const char *at)
{
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    struct xylem_verify_report report;
    struct xylem_error err;
    if (xylem_open(&store, at, NULL, &err) != XYLEM_OK || xylem_begin(&txn, store, XYLEM_READ, &err) != XYLEM_OK ||
        xylem_verify(&report, txn, NULL, NULL, NULL, &err) != XYLEM_OK) {
        fail_msg("%s: %s", at, err.text);
    }
    assert_int_equal(report.problem_count, 0);
    xylem_abort(txn);
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
    return report.entry_count;
}

static void empty_backups(void)
{
    test_directory_remove(backups);
    assert_int_equal(mkdir(backups, 0700), 0);
}

/* --- Kills -------------------------------------------------------------------------------------------------------- */

static pid_t begin_writer(void)
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct xylem_store *store = open_store(false);
        for (size_t i = 0; store && append(store, i % 10 == 9 ? 9000 : 200) == XYLEM_OK; i++) {
            usleep(200); /* a store that grows without end is copied for ever longer */
        }
        _exit(2);
    }
    return child;
}

static void end_writer(pid_t child)
{
    int status = 0;
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status)); /* the writer did not fail before */
}

/* True if the copier was killed before its end. */
static bool kill_copier(enum moment at, int calls)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct xylem_error err = {0, ""};
        struct xylem_store *store = open_store(false);
        moment = at;
        calls_left = calls;
        deaths_begin(-1);
        int code = store ? xylem_backup(NULL, store, copy, &in_place, &err) : XYLEM_E_IO;
        if (code < 0) {
            fprintf(stderr, "the copier: %d: %s\n", code, err.text);
        }
        _exit(code == XYLEM_OK ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) == 0));
    return WIFSIGNALED(status);
}

struct left {
    unsigned nothing;
    unsigned unfinished;
    unsigned backups;
};

/* Kills a copier, and looks at what is left. */
static bool kill_and_look(struct left *left, enum moment at, int calls, bool beside_writer)
{
    pid_t writer = beside_writer ? begin_writer() : 0;
    bool killed = kill_copier(at, calls);
    if (beside_writer) {
        end_writer(writer);
    }
    bool there = access(copy, F_OK) == 0;
    assert_true(there || killed);
    if (there) {
        assert_true(look(copy) >= 100);
        assert_int_equal(test_directory_count(backups), 1);
    }
    left->backups += killed && there;
    left->unfinished += killed && !there && test_directory_count(backups) > 0;
    left->nothing += test_directory_count(backups) == 0;
    empty_backups();
    return killed;
}

/*
 * At more and more calls, up to the end of the copy. Then back, to each of the last calls: without a writer, so that a
 * copy has as many calls as the copy before.
 */
static void kill_at_calls(enum moment at)
{
    struct left left = {0};
    int calls = 1;
    while (kill_and_look(&left, at, calls, true)) {
        calls += 1 + calls / (int)test_rounds(16);
    }
    while (kill_and_look(&left, at, calls, false)) {
        calls += 20;
    }
    for (int last = 0; last < 3;) {
        last += kill_and_look(&left, at, --calls, false);
    }
    look(path);
    printf("figures: killed at calls up to %d: %u times nothing is left, %u times an unfinished directory, %u times a "
           "backup\n",
           calls + 2, left.nothing, left.unfinished, left.backups);
    assert_true(left.unfinished > 5);
    assert_true(left.backups > 0 || at == WITHIN_A_WRITE); /* between the new name and its sync */
}

#define PLACED(test) TEST_WITH(test, make_place, remove_place)

PLACED(a_killed_copier_leaves_no_backup_or_one_that_verifies)
{
    make_store();
    for (enum moment at = BEFORE_A_CALL; at < MOMENT_COUNT; at++) {
        kill_at_calls(at);
    }
}

/* --- A full disk -------------------------------------------------------------------------------------------------- */

enum { RIGHT, WRONG, NOT_POSSIBLE };

static int copy_to(const char *size)
{
    struct xylem_error err = {0, ""};
    int code = XYLEM_E_IO;
    if (mount("tmpfs", backups, "tmpfs", 0, size) == 0) {
        struct xylem_store *store = open_store(false);
        code = store ? xylem_backup(NULL, store, copy, &in_place, &err) : XYLEM_E_IO;
        xylem_close(store, NULL);
        if (code == XYLEM_OK) {
            look(copy);
        } else if (test_directory_count(backups) > 0 || !strstr(err.text, backups)) {
            code = XYLEM_E_IO;
        }
        umount(backups);
    }
    return code;
}

static int copy_to_small_file_systems(void)
{
    if (geteuid() != 0 || unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) {
        return NOT_POSSIBLE;
    }
    for (int kib = 100; kib < 600; kib += 100) {
        char size[32];
        snprintf(size, sizeof size, "size=%dk", kib);
        if (copy_to(size) != XYLEM_E_NO_SPACE) {
            return WRONG;
        }
    }
    return copy_to("size=8m") == XYLEM_OK ? RIGHT : WRONG;
}

PLACED(a_full_disk_leaves_no_backup)
{
    int status = 0;
    make_store();
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(copy_to_small_file_systems());
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == NOT_POSSIBLE) {
        skip(); /* needs root, and mounts of its own */
    }
    assert_int_equal(WEXITSTATUS(status), RIGHT);
}
