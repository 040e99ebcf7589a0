/* Transactions: who may have one, and what happens when a write fails, the map is full, or the slots are. */

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <lmdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/lmdb/environment.h"
#include "xylem/append.h"
#include "xylem/inspect.h"
#include "tests/lib/reader_slot.h"
#include "tests/lib/test.h"

/* --- Writes that fail: LMDB writes its pages with these, and its meta page in a piece that is no whole page. --- */

/* Seen by LMDB's library although these programs are built with hidden symbols. */
#define SEEN __attribute__((visibility("default")))

enum fault { NO_FAULT, FAIL_PAGES, FAIL_META };
static enum fault fault;
static int fault_errno;
static unsigned sync_count;

static bool fails(size_t bytes)
{
    bool meta = bytes % 4096 != 0;
    return (fault == FAIL_PAGES && !meta) || (fault == FAIL_META && meta);
}

/* Stores the next definition of a function into `real`, a pointer to it: ISO C has no cast from an object to one. */
static void find_real(void *real, const char *name)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    memcpy(real, &symbol, sizeof symbol);
}

typedef ssize_t write_function(int fd, const void *data, size_t bytes, off_t offset);

static ssize_t faulty_pwrite(const char *name, int fd, const void *data, size_t bytes, off_t offset)
{
    if (fails(bytes)) {
        errno = fault_errno;
        return -1;
    }
    write_function *real;
    find_real(&real, name);
    return real(fd, data, bytes, offset);
}

SEEN ssize_t pwrite(int fd, const void *data, size_t bytes, off_t offset)
{
    return faulty_pwrite("pwrite", fd, data, bytes, offset);
}

SEEN ssize_t pwrite64(int fd, const void *data, size_t bytes, off_t offset)
{
    return faulty_pwrite("pwrite64", fd, data, bytes, offset);
}

SEEN ssize_t writev(int fd, const struct iovec *vector, int count)
{
    if (fault == FAIL_PAGES) {
        errno = fault_errno;
        return -1;
    }
    ssize_t (*real)(int, const struct iovec *, int);
    find_real(&real, "writev");
    return real(fd, vector, count);
}

SEEN int fdatasync(int fd)
{
    sync_count++;
    int (*real)(int);
    find_real(&real, "fdatasync");
    return real(fd);
}

/* What LMDB answers in place of writing, and of reading, a row, and of a commit; 0: what it finds. */
static int put_answer;
static int get_answer;
static int commit_answer;

typedef int put_function(MDB_txn *txn, MDB_dbi table, MDB_val *key, MDB_val *value, unsigned flags);
typedef int get_function(MDB_txn *txn, MDB_dbi table, MDB_val *key, MDB_val *value);

SEEN int mdb_put(MDB_txn *txn, MDB_dbi table, MDB_val *key, MDB_val *value, unsigned flags)
{
    put_function *real;
    find_real(&real, "mdb_put");
    return put_answer ? put_answer : real(txn, table, key, value, flags);
}

SEEN int mdb_get(MDB_txn *txn, MDB_dbi table, MDB_val *key, MDB_val *value)
{
    get_function *real;
    find_real(&real, "mdb_get");
    return get_answer ? get_answer : real(txn, table, key, value);
}

SEEN int mdb_txn_commit(MDB_txn *txn)
{
    int (*real)(MDB_txn *);
    find_real(&real, "mdb_txn_commit");
    if (commit_answer) {
        mdb_txn_abort(txn); /* as LMDB does with what it cannot commit */
        return commit_answer;
    }
    return real(txn);
}

/* --- Stores ----------------------------------------------------------------------------------------------------- */

static char place[128];

static int make_place(void **state)
{
    (void)state;
    test_directory_make(place, sizeof place, "txn");
    return 0;
}

static int remove_place(void **state)
{
    (void)state;
    char command[256];
    fault = NO_FAULT;
    put_answer = 0;
    get_answer = 0;
    commit_answer = 0;
    snprintf(command, sizeof command, "rm -rf '%s'", place);
    return system(command);
}

static struct xylem_store *open_store(uint64_t map_bytes, enum xylem_durability durability)
{
    struct xylem_store *store = NULL;
    struct xylem_error err = {0, ""};
    struct xylem_open_options options = {.create = true, .map_bytes = map_bytes, .durability = durability};
    if (xylem_open(&store, place, &options, &err) != XYLEM_OK) {
        fail_msg("xylem_open: %s", err.text);
    }
    return store;
}

/* Creates the session "s" if need be, appends one message with so many bytes of payload to it, and commits. */
static int append_bytes(struct xylem_store *store, size_t bytes, struct xylem_error *err)
{
    struct xylem_txn *txn;
    int code = xylem_begin(&txn, store, XYLEM_WRITE, err);
    if (code < 0) {
        return code;
    }
    struct xylem_session session;
    struct xylem_session_options options = {.id = {"s", 1}};
    code = xylem_session_find(&session, txn, options.id, NULL);
    if (code == XYLEM_E_NOT_FOUND) {
        code = xylem_session_create(&session, txn, &options, err);
    }
    char *json = malloc(bytes + 16);
    assert_non_null(json);
    size_t written = (size_t)sprintf(json, "{\"t\":\"");
    memset(json + written, 'x', bytes);
    memcpy(json + written + bytes, "\"}", 2);
    struct xylem_new_entry entry = {.kind = {XYLEM_CLASS_HOST, {"message", 7}},
                                    .format = XYLEM_FORMAT_JSON,
                                    .payload = {json, written + bytes + 2}};
    code = code < 0 ? code : xylem_append(NULL, txn, session.number, &entry, 1, NULL, err);
    free(json);
    if (code < 0) {
        /* What failed cannot be committed, whatever the caller tries. */
        assert_int_equal(xylem_commit(txn, NULL), code);
        return code;
    }
    return xylem_commit(txn, err);
}

static uint64_t depth_of(struct xylem_store *store)
{
    struct xylem_txn *txn;
    struct xylem_session session;
    struct xylem_error err = {0, ""};
    if (xylem_begin(&txn, store, XYLEM_READ, &err) != XYLEM_OK) {
        fail_msg("xylem_begin: %s", err.text);
    }
    uint64_t depth = xylem_session_find(&session, txn, xylem_view_of("s"), NULL) == XYLEM_OK ? session.leaf.depth : 0;
    xylem_abort(txn);
    return depth;
}

static int no_problem(void *context, const struct xylem_problem *problem)
{
    (void)context;
    fail_msg("%s: %s", problem->table, problem->text);
    return 0;
}

static void close_sound(struct xylem_store *store)
{
    struct xylem_txn *txn;
    struct xylem_verify_report report;
    assert_int_equal(xylem_begin(&txn, store, XYLEM_READ, NULL), XYLEM_OK);
    assert_int_equal(xylem_verify(&report, txn, NULL, no_problem, NULL, NULL), XYLEM_OK);
    xylem_abort(txn);
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
}

/* --- Failing writes --------------------------------------------------------------------------------------------- */

#define IN_PLACE(test) TEST_WITH(test, make_place, remove_place)

IN_PLACE(a_commit_without_space_stores_nothing_and_works_again_later)
{
    struct xylem_store *store = open_store(0, XYLEM_DURABILITY_FULL);
    struct xylem_error err;
    assert_int_equal(append_bytes(store, 10, &err), XYLEM_OK);
    fault = FAIL_PAGES;
    fault_errno = ENOSPC;
    assert_int_equal(append_bytes(store, 10000, &err), XYLEM_E_NO_SPACE);
    assert_non_null(strstr(err.text, place));
    fault_errno = EIO;
    assert_int_equal(append_bytes(store, 10000, &err), XYLEM_E_IO);
    fault = NO_FAULT;
    assert_int_equal(depth_of(store), 1);
    assert_int_equal(append_bytes(store, 10000, &err), XYLEM_OK);
    assert_int_equal(depth_of(store), 2);
    close_sound(store);
}

IN_PLACE(a_file_that_may_not_grow_loses_nothing_and_works_again_later)
{
    struct xylem_store *store = open_store(0, XYLEM_DURABILITY_FULL);
    struct xylem_error err = {0, ""};
    struct rlimit before;
    assert_int_equal(append_bytes(store, 10, &err), XYLEM_OK);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN); /* as hosts are told to */
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    struct rlimit limit = {300000, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    uint64_t depth = 1;
    while (append_bytes(store, 20000, &err) == XYLEM_OK) {
        depth++;
    }
    int code = err.code;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    assert_true(code == XYLEM_E_NO_SPACE || code == XYLEM_E_IO);
    assert_int_equal(depth_of(store), depth);
    assert_int_equal(append_bytes(store, 20000, &err), XYLEM_OK);
    assert_int_equal(depth_of(store), depth + 1);
    close_sound(store);
}

IN_PLACE(a_failed_meta_write_leaves_the_outcome_unknown_and_the_store_usable)
{
    struct xylem_store *store = open_store(0, XYLEM_DURABILITY_FULL);
    struct xylem_error err;
    assert_int_equal(append_bytes(store, 10, &err), XYLEM_OK);
    struct xylem_txn *reader;
    struct xylem_session session;
    assert_int_equal(xylem_begin(&reader, store, XYLEM_READ, NULL), XYLEM_OK);
    fault = FAIL_META;
    fault_errno = EIO;
    assert_int_equal(append_bytes(store, 10, &err), XYLEM_E_OUTCOME_UNKNOWN);
    fault = NO_FAULT;
    /* It can be opened again only when nobody reads it any more. */
    assert_int_equal(append_bytes(store, 10, &err), XYLEM_E_BUSY);
    assert_int_equal(xylem_session_find(&session, reader, xylem_view_of("s"), NULL), XYLEM_OK);
    xylem_abort(reader);
    uint64_t depth = depth_of(store);
    assert_true(depth == 1 || depth == 2);
    assert_int_equal(append_bytes(store, 10, &err), XYLEM_OK);
    assert_int_equal(depth_of(store), depth + 1);
    close_sound(store);
}

IN_PLACE(each_durability_syncs_as_much_as_it_promises)
{
    static const enum xylem_durability modes[] = {XYLEM_DURABILITY_FULL, XYLEM_DURABILITY_NOMETA,
                                                  XYLEM_DURABILITY_NONE};
    struct xylem_store *stores[3];
    for (size_t i = 0; i < 3; i++) {
        stores[i] = open_store(0, modes[i]);
    }
    /* Interleaved: each handle's mode holds for its own commits, though they share an environment. */
    for (unsigned round = 0; round < 3; round++) {
        for (size_t i = 0; i < 3; i++) {
            sync_count = 0;
            assert_int_equal(append_bytes(stores[i], 10, NULL), XYLEM_OK);
            assert_int_equal(sync_count > 0, modes[i] != XYLEM_DURABILITY_NONE);
        }
    }
    sync_count = 0;
    assert_int_equal(xylem_sync(stores[2], NULL), XYLEM_OK);
    assert_true(sync_count > 0);
    for (size_t i = 0; i < 3; i++) {
        close_sound(stores[i]);
    }
}

/* --- The map ---------------------------------------------------------------------------------------------------- */

IN_PLACE(a_full_map_grows_at_the_next_beginning)
{
    struct xylem_store *store = open_store(1 << 20, XYLEM_DURABILITY_NONE);
    struct xylem_error err;
    int full = 0;
    uint64_t depth = 0;
    while (depth < 40) {
        int code = append_bytes(store, 100000, &err);
        assert_true(code == XYLEM_OK || code == XYLEM_E_MAP_FULL);
        full += code == XYLEM_E_MAP_FULL;
        depth += code == XYLEM_OK;
    }
    assert_true(full > 0 && full < 10);
    assert_int_equal(depth_of(store), 40);
    close_sound(store);
}

/* LMDB finds a last page behind its map, and would take the size of a larger map from the same page. */
IN_PLACE(overwritten_meta_pages_are_damage_and_no_larger_map)
{
    struct xylem_store *store = open_store(0, XYLEM_DURABILITY_FULL);
    struct xylem_error err;
    char file[300];
    unsigned char page[4096];
    assert_int_equal(append_bytes(store, 10, &err), XYLEM_OK);
    snprintf(file, sizeof file, "%s/data.mdb", place);
    int fd = open(file, O_WRONLY);
    assert_true(fd >= 0);
    memset(page, 0xa5, sizeof page);
    for (unsigned number = 0; number < 2; number++) {
        write_function *real;
        find_real(&real, "pwrite");
        assert_int_equal(real(fd, page, sizeof page, (off_t)(number * sizeof page)), sizeof page);
    }
    close(fd);
    struct xylem_txn *reader;
    assert_int_equal(xylem_begin(&reader, store, XYLEM_READ, &err), XYLEM_E_CORRUPT);
    assert_non_null(strstr(err.text, "data.mdb: meta page 0 is damaged"));
    assert_int_equal(append_bytes(store, 10, &err), XYLEM_E_CORRUPT);
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
}

IN_PLACE(the_map_does_not_grow_under_a_reader)
{
    struct xylem_store *store = open_store(1 << 20, XYLEM_DURABILITY_NONE);
    struct xylem_txn *reader;
    struct xylem_session session;
    struct xylem_error err;
    assert_int_equal(append_bytes(store, 10, &err), XYLEM_OK);
    assert_int_equal(xylem_begin(&reader, store, XYLEM_READ, NULL), XYLEM_OK);
    while (append_bytes(store, 100000, &err) == XYLEM_OK) {
    }
    assert_int_equal(err.code, XYLEM_E_MAP_FULL);
    assert_int_equal(append_bytes(store, 1000000, &err), XYLEM_E_MAP_FULL);
    assert_int_equal(xylem_session_find(&session, reader, xylem_view_of("s"), NULL), XYLEM_OK);
    assert_int_equal(session.leaf.depth, 1);
    xylem_abort(reader);
    assert_int_equal(append_bytes(store, 1000000, &err), XYLEM_OK);
    close_sound(store);
}

IN_PLACE(what_another_process_appended_beyond_the_map_is_read)
{
    int ready[2];
    int done[2];
    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(done), 0);
    char byte = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        bool right = read(ready[0], &byte, 1) == 1;
        struct xylem_store *store = open_store(64 << 20, XYLEM_DURABILITY_NONE);
        right = right && append_bytes(store, 8 << 20, NULL) == XYLEM_OK && xylem_close(store, NULL) == XYLEM_OK;
        right = right && write(done[1], "d", 1) == 1;
        _exit(right ? 0 : 1);
    }
    struct xylem_store *store = open_store(1 << 20, XYLEM_DURABILITY_NONE);
    struct xylem_txn *reader;
    struct xylem_txn *txn;
    struct xylem_error err;
    assert_int_equal(append_bytes(store, 10, NULL), XYLEM_OK);
    assert_int_equal(xylem_begin(&reader, store, XYLEM_READ, NULL), XYLEM_OK);
    assert_int_equal(write(ready[1], "r", 1), 1);
    assert_int_equal(read(done[0], &byte, 1), 1);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(xylem_begin(&txn, store, XYLEM_READ, &err), XYLEM_E_BUSY);
    xylem_abort(reader);
    assert_int_equal(depth_of(store), 2);
    close_sound(store);
}

/* --- Slots and threads ------------------------------------------------------------------------------------------ */

IN_PLACE(a_reader_too_many_is_refused)
{
    struct xylem_store *store = open_store(0, XYLEM_DURABILITY_NONE);
    static struct xylem_txn *readers[XYLEM_READER_SLOTS];
    struct xylem_txn *one_more;
    struct xylem_error err;
    for (size_t i = 0; i < XYLEM_READER_SLOTS; i++) {
        assert_int_equal(xylem_begin(&readers[i], store, XYLEM_READ, NULL), XYLEM_OK);
    }
    assert_int_equal(xylem_begin(&one_more, store, XYLEM_READ, &err), XYLEM_E_READERS_FULL);
    assert_int_equal(append_bytes(store, 10, NULL), XYLEM_OK);
    xylem_abort(readers[0]);
    assert_int_equal(xylem_begin(&readers[0], store, XYLEM_READ, NULL), XYLEM_OK);
    for (size_t i = 0; i < XYLEM_READER_SLOTS; i++) {
        xylem_abort(readers[i]);
    }
    close_sound(store);
}

static struct xylem_txn *all_slots[XYLEM_READER_SLOTS];

static void take_all_slots(struct xylem_store *store)
{
    for (size_t i = 0; i < XYLEM_READER_SLOTS; i++) {
        assert_int_equal(xylem_begin(&all_slots[i], store, XYLEM_READ, NULL), XYLEM_OK);
    }
}

static void give_all_slots(void)
{
    for (size_t i = 0; i < XYLEM_READER_SLOTS; i++) {
        xylem_abort(all_slots[i]);
    }
}

/* Whether LMDB knows what is on the disk is found out without a slot. */
IN_PLACE(a_commit_that_fails_while_all_slots_are_taken_says_what_failed)
{
    static const struct {
        enum fault fault;
        int commit_answer;
        int code;
        int code_after; /* of the next commit */
    } cases[] = {
        {NO_FAULT, MDB_MAP_FULL, XYLEM_E_MAP_FULL, XYLEM_OK},
        {FAIL_PAGES, 0, XYLEM_E_NO_SPACE, XYLEM_OK},
        {FAIL_META, 0, XYLEM_E_OUTCOME_UNKNOWN, XYLEM_E_BUSY},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct xylem_store *store = open_store(0, XYLEM_DURABILITY_FULL);
        struct xylem_error err;
        assert_int_equal(append_bytes(store, 10, &err), XYLEM_OK);
        uint64_t depth = depth_of(store);
        take_all_slots(store);
        fault = cases[i].fault;
        fault_errno = ENOSPC;
        commit_answer = cases[i].commit_answer;
        int code = append_bytes(store, 10, &err);
        fault = NO_FAULT;
        commit_answer = 0;
        if (code != cases[i].code) {
            fail_msg("case %zu: %d: %s", i, code, err.text);
        }
        assert_int_equal(append_bytes(store, 10, &err), cases[i].code_after);
        give_all_slots();
        assert_int_equal(append_bytes(store, 10, &err), XYLEM_OK);
        assert_true(depth_of(store) == depth + (cases[i].code_after == XYLEM_OK ? 2 : 1));
        close_sound(store);
    }
}

IN_PLACE(a_reader_is_kept_between_two_transactions_without_its_snapshot)
{
    struct xylem_store *store = open_store(0, XYLEM_DURABILITY_NONE);
    struct xylem_txn *txns[XYLEM_LMDB__IDLE_READERS + 2];
    size_t count = sizeof txns / sizeof *txns;
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(append_bytes(store, 10, NULL), XYLEM_OK);
            assert_int_equal(xylem_begin(&txns[i], store, XYLEM_READ, NULL), XYLEM_OK);
        }
        for (size_t i = 0; i < count; i++) { /* each sees its own snapshot */
            struct xylem_session session;
            assert_int_equal(xylem_session_find(&session, txns[i], xylem_view_of("s"), NULL), XYLEM_OK);
            assert_int_equal(session.leaf.depth, (size_t)round * count + i + 1);
            assert_int_equal(reader_slot_read(place, (unsigned)i).pid, getpid());
            assert_true(reader_slot_read(place, (unsigned)i).txn_id < UINT64_MAX);
        }
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(i % 2 ? xylem_commit(txns[i], NULL) : (xylem_abort(txns[i]), XYLEM_OK), XYLEM_OK);
            assert_true(reader_slot_read(place, (unsigned)i).txn_id == UINT64_MAX);
            assert_int_equal(reader_slot_read(place, (unsigned)i).pid, i < XYLEM_LMDB__IDLE_READERS ? getpid() : 0);
        }
    }
    struct xylem_store *other = open_store(0, XYLEM_DURABILITY_NONE); /* the environment is the same */
    close_sound(store);
    close_sound(other);
}

/* The library gives the memory of such a reader up: a program with sanitizers must not call that a leak. */
__attribute__((weak)) void __lsan_disable(void);
__attribute__((weak)) void __lsan_enable(void);

/* Another process took the reader for dead, and a third one has its slot. */
IN_PLACE(a_kept_reader_whose_slot_has_another_owner_is_not_used_and_not_ended)
{
    struct xylem_store *store = open_store(0, XYLEM_DURABILITY_NONE);
    struct xylem_txn *txn;
    assert_int_equal(append_bytes(store, 10, NULL), XYLEM_OK);
    if (__lsan_disable) {
        __lsan_disable();
    }
    assert_int_equal(depth_of(store), 1);
    if (__lsan_enable) {
        __lsan_enable();
    }
    struct reader_slot mine = reader_slot_read(place, 0);
    struct reader_slot others = {.txn_id = 1, .pid = getppid()};
    reader_slot_write(place, 0, others);
    assert_int_equal(xylem_begin(&txn, store, XYLEM_READ, NULL), XYLEM_OK);
    assert_int_equal(reader_slot_read(place, 1).pid, getpid());
    xylem_abort(txn);
    assert_int_equal(reader_slot_read(place, 0).pid, others.pid);
    assert_true(reader_slot_read(place, 0).txn_id == others.txn_id);
    reader_slot_write(place, 0, mine);
    close_sound(store);
}

IN_PLACE(the_slots_of_a_process_that_died_are_used_again)
{
    int opened[2];
    char byte = 0;
    assert_int_equal(pipe(opened), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct xylem_txn *txn;
        bool right = read(opened[0], &byte, 1) == 1;
        struct xylem_store *store = open_store(0, XYLEM_DURABILITY_NONE);
        for (size_t i = 0; right && i < XYLEM_READER_SLOTS; i++) {
            right = xylem_begin(&txn, store, XYLEM_READ, NULL) == XYLEM_OK;
        }
        _exit(right ? 0 : 1); /* without ending one of them */
    }
    /* Somebody must have it open all the while, or LMDB begins its table of readers anew. */
    struct xylem_store *store = open_store(0, XYLEM_DURABILITY_NONE);
    assert_int_equal(write(opened[1], "o", 1), 1);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    close(opened[0]);
    close(opened[1]);
    struct xylem_txn *txn;
    assert_int_equal(xylem_begin(&txn, store, XYLEM_READ, NULL), XYLEM_OK);
    xylem_abort(txn);
    close_sound(store);
}

struct handed {
    struct xylem_store *store;
    struct xylem_txn *txn;
    int find_code;
    int commit_code;
    int begin_code;
    pthread_barrier_t *barrier;
};

static void *use_elsewhere(void *context)
{
    struct handed *handed = context;
    struct xylem_session session;
    handed->find_code = xylem_session_find(&session, handed->txn, xylem_view_of("s"), NULL);
    handed->commit_code = xylem_commit(handed->txn, NULL);
    xylem_abort(handed->txn); /* does nothing here */
    return NULL;
}

IN_PLACE(a_write_transaction_belongs_to_its_thread)
{
    struct xylem_store *store = open_store(0, XYLEM_DURABILITY_NONE);
    struct handed handed = {.store = store};
    struct xylem_txn *second;
    struct xylem_error err;
    pthread_t thread;
    assert_int_equal(xylem_begin(&handed.txn, store, XYLEM_WRITE, NULL), XYLEM_OK);
    assert_int_equal(xylem_begin(&second, store, XYLEM_WRITE, &err), XYLEM_E_BUSY);
    struct xylem_store *other = open_store(0, XYLEM_DURABILITY_NONE);
    assert_int_equal(xylem_begin(&second, other, XYLEM_WRITE, &err), XYLEM_E_BUSY);
    assert_int_equal(xylem_begin(&second, store, XYLEM_READ, NULL), XYLEM_OK);
    xylem_abort(second);
    assert_int_equal(pthread_create(&thread, NULL, use_elsewhere, &handed), 0);
    pthread_join(thread, NULL);
    assert_int_equal(handed.find_code, XYLEM_E_ARGUMENT);
    assert_int_equal(handed.commit_code, XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_begin(&second, store, XYLEM_WRITE, &err), XYLEM_E_BUSY);
    struct xylem_session session;
    assert_int_equal(xylem_session_create(&session, handed.txn, NULL, NULL), XYLEM_OK);
    assert_int_equal(xylem_commit(handed.txn, NULL), XYLEM_OK);
    assert_int_equal(xylem_close(other, NULL), XYLEM_OK);
    close_sound(store);
}

static void *append_a_hundred(void *context)
{
    struct handed *handed = context;
    pthread_barrier_wait(handed->barrier);
    for (unsigned i = 0; i < 100 && handed->begin_code == XYLEM_OK; i++) {
        handed->begin_code = append_bytes(handed->store, 10, NULL);
    }
    return NULL;
}

IN_PLACE(writers_of_several_threads_wait_for_each_other)
{
    struct xylem_store *store = open_store(0, XYLEM_DURABILITY_NONE);
    pthread_barrier_t barrier;
    pthread_t threads[4];
    struct handed handed[4];
    assert_int_equal(append_bytes(store, 10, NULL), XYLEM_OK);
    assert_int_equal(pthread_barrier_init(&barrier, NULL, 4), 0);
    for (size_t i = 0; i < 4; i++) {
        handed[i] = (struct handed){.store = store, .barrier = &barrier};
        assert_int_equal(pthread_create(&threads[i], NULL, append_a_hundred, &handed[i]), 0);
    }
    for (size_t i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(handed[i].begin_code, XYLEM_OK);
    }
    pthread_barrier_destroy(&barrier);
    assert_int_equal(depth_of(store), 401);
    close_sound(store);
}

IN_PLACE(an_aborted_transaction_stores_nothing)
{
    struct xylem_store *store = open_store(0, XYLEM_DURABILITY_NONE);
    struct xylem_txn *txn;
    struct xylem_session session;
    struct xylem_session_options options = {.id = {"s", 1}};
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, NULL), XYLEM_OK);
    assert_int_equal(xylem_session_create(&session, txn, &options, NULL), XYLEM_OK);
    xylem_abort(txn);
    xylem_abort(NULL);
    assert_int_equal(xylem_commit(NULL, NULL), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_begin(&txn, store, (enum xylem_txn_mode)5, NULL), XYLEM_E_ARGUMENT);
    assert_int_equal(depth_of(store), 0);
    assert_int_equal(append_bytes(store, 10, NULL), XYLEM_OK);
    close_sound(store);
}

/* --- What LMDB answers ------------------------------------------------------------------------------------------- */

TEST(what_lmdb_answers_of_a_call_is_not_called_damage)
{
    static const struct {
        int result;
        int code;
    } answers[] = {
        {MDB_BAD_TXN, XYLEM_E_ARGUMENT},
        {MDB_BAD_VALSIZE, XYLEM_E_ARGUMENT},
        {MDB_BAD_DBI, XYLEM_E_ARGUMENT},
        {MDB_BAD_RSLOT, XYLEM_E_ARGUMENT},
        {MDB_TXN_FULL, XYLEM_E_NO_SPACE},
        {MDB_MAP_FULL, XYLEM_E_MAP_FULL},
        {MDB_READERS_FULL, XYLEM_E_READERS_FULL},
        {MDB_PANIC, XYLEM_E_IO},
        {MDB_CORRUPTED, XYLEM_E_CORRUPT},
        {MDB_PAGE_NOTFOUND, XYLEM_E_CORRUPT},
        {MDB_CURSOR_FULL, XYLEM_E_CORRUPT},
        {MDB_PAGE_FULL, XYLEM_E_CORRUPT},
        {ENOSPC, XYLEM_E_NO_SPACE},
        {EIO, XYLEM_E_IO},
    };
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        assert_int_equal(xylem_lmdb__mdb_code(answers[i].result), answers[i].code);
    }
    assert_non_null(strstr(xylem_lmdb__mdb_text(MDB_TXN_FULL), "in several"));
    assert_string_equal(xylem_lmdb__mdb_text(MDB_CORRUPTED), mdb_strerror(MDB_CORRUPTED));
}

IN_PLACE(a_transaction_that_is_too_large_is_told_to_be_divided_and_loses_nothing)
{
    struct xylem_store *store = open_store(0, XYLEM_DURABILITY_NONE);
    struct xylem_error err;
    assert_int_equal(append_bytes(store, 10, &err), XYLEM_OK);
    put_answer = MDB_TXN_FULL;
    assert_int_equal(append_bytes(store, 10, &err), XYLEM_E_NO_SPACE);
    assert_non_null(strstr(err.text, place));
    assert_non_null(strstr(err.text, "in several"));
    put_answer = 0;
    assert_int_equal(append_bytes(store, 10, &err), XYLEM_OK);
    assert_int_equal(depth_of(store), 2);
    close_sound(store);
}

IN_PLACE(after_a_failure_the_transaction_says_what_failed_first)
{
    struct xylem_store *store = open_store(0, XYLEM_DURABILITY_NONE);
    struct xylem_error err;
    struct xylem_txn *txn;
    struct xylem_session session;
    assert_int_equal(append_bytes(store, 10, &err), XYLEM_OK);
    /* A table that the transaction changed is read by LMDB. */
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, &err), XYLEM_OK);
    assert_int_equal(xylem_session_create(&session, txn, NULL, &err), XYLEM_OK);
    get_answer = MDB_BAD_TXN;
    assert_int_equal(xylem_session_find(&session, txn, xylem_view_of("s"), &err), XYLEM_E_ARGUMENT);
    assert_non_null(strstr(err.text, "can only be aborted"));
    xylem_abort(txn);
    get_answer = 0;
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, &err), XYLEM_OK);
    assert_int_equal(xylem_session_create(&session, txn, NULL, &err), XYLEM_OK);
    get_answer = EIO;
    assert_int_equal(xylem_session_find(&session, txn, xylem_view_of("s"), &err), XYLEM_E_IO);
    get_answer = MDB_BAD_TXN;
    assert_int_equal(xylem_session_find(&session, txn, xylem_view_of("s"), &err), XYLEM_E_IO);
    assert_non_null(strstr(err.text, "failed before (input or output failed) and can only be aborted"));
    xylem_abort(txn);
    get_answer = 0;
    close_sound(store);
}

/* --- A file that is replaced ------------------------------------------------------------------------------------- */

/* Runs a command to which $D is the directory. */
static void in_place(const char *command)
{
    assert_int_equal(setenv("D", place, 1), 0);
    assert_int_equal(system(command), 0);
}

IN_PLACE(nothing_is_written_to_a_file_that_was_replaced)
{
    struct xylem_store *store = open_store(0, XYLEM_DURABILITY_NONE);
    struct xylem_error err;
    assert_int_equal(append_bytes(store, 10, &err), XYLEM_OK);
    assert_int_equal(xylem_sync(store, &err), XYLEM_OK);
    in_place("cp \"$D/data.mdb\" \"$D/other\"");
    assert_int_equal(append_bytes(store, 10, &err), XYLEM_OK);
    in_place("mv \"$D/other\" \"$D/data.mdb\"");
    assert_int_equal(append_bytes(store, 10, &err), XYLEM_E_BUSY);
    assert_non_null(strstr(err.text, place));
    assert_non_null(strstr(err.text, "data.mdb was replaced by another file"));
    assert_int_equal(depth_of(store), 2); /* readers of this handle see the old file */
    assert_int_equal(append_bytes(store, 10, &err), XYLEM_E_BUSY);
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
    store = open_store(0, XYLEM_DURABILITY_NONE);
    assert_int_equal(depth_of(store), 1);
    assert_int_equal(append_bytes(store, 10, &err), XYLEM_OK);
    close_sound(store);
}

IN_PLACE(nothing_is_written_to_a_file_that_was_renamed_or_removed)
{
    struct xylem_store *store = open_store(0, XYLEM_DURABILITY_NONE);
    struct xylem_error err;
    assert_int_equal(append_bytes(store, 10, &err), XYLEM_OK);
    in_place("mv \"$D/data.mdb\" \"$D/away\"");
    assert_int_equal(append_bytes(store, 10, &err), XYLEM_E_BUSY);
    assert_non_null(strstr(err.text, place));
    assert_non_null(strstr(err.text, "renamed"));
    assert_int_equal(depth_of(store), 1);
    in_place("mv \"$D/away\" \"$D/data.mdb\"");
    assert_int_equal(append_bytes(store, 10, &err), XYLEM_OK);
    assert_int_equal(depth_of(store), 2);
    close_sound(store);
}

IN_PLACE(a_directory_that_got_another_name_is_written_to)
{
    struct xylem_error err;
    struct xylem_store *store = NULL;
    struct xylem_open_options options = {.create = true, .durability = XYLEM_DURABILITY_NONE};
    char before[4096];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(place), 0);
    int code = xylem_open(&store, "store", &options, &err);
    assert_int_equal(chdir(before), 0); /* where no such path is */
    assert_int_equal(code, XYLEM_OK);
    assert_int_equal(append_bytes(store, 10, &err), XYLEM_OK);
    in_place("mv \"$D/store\" \"$D/moved\"");
    assert_int_equal(append_bytes(store, 10, &err), XYLEM_OK);
    in_place("rm -r \"$D/moved\"");
    assert_int_equal(append_bytes(store, 10, &err), XYLEM_E_BUSY);
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
}
