/* Bad input to the calls of xylem.h: each is refused with the code that the header names, and changes nothing. */

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/store_builder.h"
#include "tests/lib/test.h"
#include "tests/lib/verified.h"
#include "xylem/files.h"
#include "xylem/inspect.h"
#include "xylem/state.h"
#include "xylem/append.h"

#define COUNT_OF(list) (sizeof list / sizeof((list)[0]))

static const struct xylem_position nowhere[] = {
    {0, 0}, {0, 1}, {1, 0}, {1, 3}, {2, 1}, {77, 7}, {UINT64_MAX, UINT64_MAX}};

/* A store with one session "s" (number `session`) that has the entries a and b. */
struct scene {
    struct store_builder builder;
    uint64_t session;
    struct xylem_position leaf;
};

static int open_scene(void **state)
{
    struct scene *scene = calloc(1, sizeof *scene);
    assert_non_null(scene);
    store_builder_open(&scene->builder);
    scene->session = store_builder_session(&scene->builder, "s");
    store_builder_add(&scene->builder, scene->session, "a", "message", "{}");
    scene->leaf = store_builder_add(&scene->builder, scene->session, "b", "message", "{}");
    store_builder_commit(&scene->builder);
    *state = scene;
    return 0;
}

/* Whatever was refused, the store is sound. */
static int close_scene(void **state)
{
    struct scene *scene = *state;
    assert_verified(scene->builder.txn);
    store_builder_close(&scene->builder);
    free(scene);
    return 0;
}

/* A session file that is as it should be, in the store's directory. */
static void make_session_file(char path[512], const struct scene *scene)
{
    static const char text[] = "{\"type\":\"session\",\"version\":3,\"id\":\"file\","
                               "\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"cwd\":\"/\"}\n";
    (void)snprintf(path, 512, "%s/good.jsonl", scene->builder.path);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
    assert_int_equal(close(fd), 0);
}

static void assert_untouched(struct scene *scene)
{
    struct xylem_buffer ids = {0};
    store_builder_scan_ids(&ids, &scene->builder, scene->session);
    assert_string_equal(ids.data, "a b ");
    xylem_buffer_release(&ids);
    struct xylem_session row = store_builder_read(&scene->builder, scene->session);
    assert_true(row.leaf.branch == scene->leaf.branch && row.leaf.depth == scene->leaf.depth);
    assert_int_equal(row.last_lsn, 3); /* lsn 1 made the session */
    assert_int_equal(row.move_count, 0);
}

static int append_one(struct scene *scene, const struct xylem_new_entry *entry)
{
    struct xylem_error err = {0};
    struct xylem_position first;
    int code = xylem_append(&first, scene->builder.txn, scene->session, entry, 1, NULL, &err);
    assert_int_equal(err.code, code);
    return code;
}

static int append_payload(struct scene *scene, enum xylem_class kind_class, enum xylem_format format, const void *data,
                          size_t bytes)
{
    const struct xylem_new_entry entry = {
        .kind = {kind_class, xylem_view_of("k")}, .format = format, .payload = {data, bytes}};
    return append_one(scene, &entry);
}

/* --- Open and transactions -------------------------------------------------------------------------------------- */

#define IN_SCENE(test) TEST_WITH(test, open_scene, close_scene)

IN_SCENE(a_store_needs_a_directory_of_its_own)
{
    struct scene *scene = *state;
    struct xylem_store *store = NULL;
    struct xylem_error err;
    const struct xylem_open_options create = {.create = true};
    const struct xylem_open_options odd = {.durability = (enum xylem_durability)9};
    char path[512];
    assert_int_equal(xylem_open(&store, NULL, NULL, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_open(&store, "", NULL, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_open(NULL, scene->builder.path, NULL, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_open(&store, scene->builder.path, &odd, &err), XYLEM_E_ARGUMENT);
    (void)snprintf(path, sizeof path, "%s/data.mdb", scene->builder.path);
    assert_int_equal(xylem_open(&store, path, &create, &err), XYLEM_E_NOT_A_STORE);
    (void)snprintf(path, sizeof path, "%s/a/b/c", scene->builder.path);
    assert_int_equal(xylem_open(&store, path, NULL, &err), XYLEM_E_NOT_FOUND);
    assert_null(store);
}

IN_SCENE(somebody_elses_data_is_no_store)
{
    struct scene *scene = *state;
    struct xylem_store *store = NULL;
    struct xylem_error err;
    const struct xylem_open_options create = {.create = true};
    char path[512];
    char file[600];
    char content[64] = {0};
    (void)snprintf(path, sizeof path, "%s/foreign", scene->builder.path);
    assert_int_equal(mkdir(path, 0700), 0);
    (void)snprintf(file, sizeof file, "%s/data.mdb", path);
    int fd = open(file, O_RDWR | O_CREAT, 0600);
    assert_true(fd >= 0);
    for (int i = 0; i < 512; i++) {
        assert_int_equal(write(fd, "a file of somebody else", 23), 23);
    }
    assert_int_equal(xylem_open(&store, path, &create, &err), XYLEM_E_NOT_A_STORE);
    assert_int_equal(pread(fd, content, 23, 0), 23);
    assert_string_equal(content, "a file of somebody else");
    assert_int_equal(close(fd), 0);
}

IN_SCENE(a_transaction_needs_a_store_and_a_mode)
{
    struct scene *scene = *state;
    struct xylem_txn *txn = NULL;
    struct xylem_error err;
    assert_int_equal(xylem_begin(&txn, NULL, XYLEM_READ, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_begin(NULL, scene->builder.store, XYLEM_READ, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_begin(&txn, scene->builder.store, (enum xylem_txn_mode)5, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_commit(NULL, &err), XYLEM_E_ARGUMENT);
}

IN_SCENE(a_second_writer_in_the_same_thread_is_refused)
{
    struct scene *scene = *state;
    struct xylem_txn *txn = NULL;
    struct xylem_store *store = NULL;
    struct xylem_error err;
    assert_int_equal(xylem_begin(&txn, scene->builder.store, XYLEM_WRITE, &err), XYLEM_E_BUSY);
    /* Through another handle it is the same environment. */
    store_builder_must(xylem_open(&store, scene->builder.path, NULL, &err), &err);
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, &err), XYLEM_E_BUSY);
    store_builder_must(xylem_close(store, &err), &err);
    assert_int_equal(xylem_close(scene->builder.store, &err), XYLEM_E_BUSY);
    assert_untouched(scene);
}

static void assert_writes_are_refused(struct xylem_txn *txn, struct scene *scene, int expected)
{
    struct xylem_error err;
    struct xylem_session session;
    struct xylem_position first;
    size_t count = 0;
    const struct xylem_new_entry entry = {.kind.name = xylem_view_of("message")};
    assert_int_equal(xylem_session_create(&session, txn, NULL, &err), expected);
    assert_int_equal(xylem_session_delete(txn, scene->session, &err), expected);
    assert_int_equal(xylem_append(&first, txn, scene->session, &entry, 1, NULL, &err), expected);
    assert_int_equal(xylem_navigate(txn, scene->session, scene->leaf, xylem_view_of(""), &err), expected);
    assert_int_equal(xylem_fork(&session, txn, scene->session, scene->leaf, XYLEM_FORK_AT, NULL, &err), expected);
    assert_int_equal(xylem_clone(&session, txn, scene->session, NULL, &err), expected);
    assert_int_equal(xylem_fork_labels(&count, txn, scene->session, scene->session, &err), expected);
}

IN_SCENE(writing_in_a_read_transaction_is_refused)
{
    struct scene *scene = *state;
    struct xylem_txn *txn = NULL;
    struct xylem_error err;
    store_builder_must(xylem_begin(&txn, scene->builder.store, XYLEM_READ, &err), &err);
    assert_writes_are_refused(txn, scene, XYLEM_E_READ_ONLY);
    store_builder_must(xylem_commit(txn, &err), &err);
    assert_untouched(scene);
}

IN_SCENE(a_store_that_is_open_for_reading_takes_no_writer)
{
    struct scene *scene = *state;
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    struct xylem_import_report report = {0};
    struct xylem_error err;
    char path[512];
    const struct xylem_open_options options = {.read_only = true, .create = true};
    make_session_file(path, scene);
    store_builder_must(xylem_open(&store, scene->builder.path, &options, &err), &err);
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, &err), XYLEM_E_READ_ONLY);
    assert_int_equal(xylem_sync(store, &err), XYLEM_E_READ_ONLY);
    assert_int_equal(xylem_import(&report, store, path, NULL, &err), XYLEM_E_READ_ONLY);
    xylem_import_report_release(&report);
    store_builder_must(xylem_close(store, &err), &err);
}

static void *write_elsewhere(void *argument)
{
    struct scene *scene = argument;
    struct xylem_error err;
    assert_writes_are_refused(scene->builder.txn, scene, XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_commit(scene->builder.txn, &err), XYLEM_E_ARGUMENT);
    return NULL;
}

IN_SCENE(a_write_transaction_belongs_to_its_thread)
{
    struct scene *scene = *state;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, write_elsewhere, scene), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    /* It goes on where it began. */
    store_builder_add(&scene->builder, scene->session, "c", "message", "{}");
    store_builder_commit(&scene->builder);
}

/* Without cmocka: its state belongs to the parent. 0, or the number of the check that failed. */
static int use_after_fork(struct scene *scene, struct xylem_txn *reader, const char *file)
{
    struct xylem_txn *txn = NULL;
    struct xylem_error err;
    struct xylem_session session;
    struct xylem_entry entry;
    struct xylem_position position;
    struct xylem_walk *walk = NULL;
    struct xylem_import_report report = {0};
    const struct xylem_new_entry new_entry = {.kind.name = xylem_view_of("message")};
    const int codes[] = {
        xylem_begin(&txn, scene->builder.store, XYLEM_READ, &err),
        xylem_begin(&txn, scene->builder.store, XYLEM_WRITE, &err),
        xylem_sync(scene->builder.store, &err),
        xylem_import(&report, scene->builder.store, file, NULL, &err),
        xylem_session_find(&session, reader, xylem_view_of("s"), &err),
        xylem_entry_read(&entry, reader, scene->leaf, &err),
        xylem_find(&position, reader, scene->session, xylem_view_of("a"), &err),
        xylem_walk_new(&walk, reader, scene->leaf, &err),
        xylem_append(&position, scene->builder.txn, scene->session, &new_entry, 1, NULL, &err),
        xylem_commit(scene->builder.txn, &err),
    };
    for (size_t i = 0; i < COUNT_OF(codes); i++) {
        if (codes[i] != XYLEM_E_FORKED) {
            return (int)i + 1;
        }
    }
    xylem_abort(reader);
    return xylem_close(scene->builder.store, &err) == 0 ? 0 : 100;
}

IN_SCENE(a_store_does_not_survive_fork)
{
    struct scene *scene = *state;
    struct xylem_txn *reader = NULL;
    struct xylem_error err;
    int status = 0;
    char path[512];
    make_session_file(path, scene);
    store_builder_must(xylem_begin(&reader, scene->builder.store, XYLEM_READ, &err), &err);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(use_after_fork(scene, reader, path));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    /* The parent's transactions are as they were. */
    xylem_abort(reader);
    store_builder_add(&scene->builder, scene->session, "c", "message", "{}");
    store_builder_commit(&scene->builder);
}

/* --- Sessions --------------------------------------------------------------------------------------------------- */

static int create_with_id(struct scene *scene, const char *id, size_t bytes)
{
    struct xylem_error err;
    struct xylem_session session;
    const struct xylem_session_options options = {.id = {id, bytes}};
    return xylem_session_create(&session, scene->builder.txn, &options, &err);
}

IN_SCENE(session_ids_are_bounded_and_unique)
{
    struct scene *scene = *state;
    char id[XYLEM_SESSION_ID_BYTES_MAX + 1];
    struct xylem_error err;
    struct xylem_session session;
    memset(id, 'x', sizeof id);
    assert_int_equal(create_with_id(scene, id, XYLEM_SESSION_ID_BYTES_MAX), 0);
    assert_int_equal(create_with_id(scene, id, XYLEM_SESSION_ID_BYTES_MAX), XYLEM_E_EXISTS);
    assert_int_equal(create_with_id(scene, id, XYLEM_SESSION_ID_BYTES_MAX + 1), XYLEM_E_LIMIT);
    assert_int_equal(create_with_id(scene, "\xff", 1), XYLEM_E_MALFORMED);
    assert_int_equal(create_with_id(scene, "s", 1), XYLEM_E_EXISTS);
    const struct xylem_session_options options = {.id = {id, sizeof id}};
    struct xylem_txn *txn = scene->builder.txn;
    assert_int_equal(xylem_clone(&session, txn, scene->session, &options, &err), XYLEM_E_LIMIT);
    const struct xylem_session_options taken = {.id = {"s", 1}};
    assert_int_equal(xylem_fork(&session, txn, scene->session, scene->leaf, XYLEM_FORK_AT, &taken, &err),
                     XYLEM_E_EXISTS);
    assert_untouched(scene);
}

IN_SCENE(a_deleted_session_takes_nothing_and_keeps_its_id)
{
    struct scene *scene = *state;
    struct xylem_error err;
    struct xylem_session session;
    struct xylem_txn *txn = scene->builder.txn;
    store_builder_must(xylem_session_delete(txn, scene->session, &err), &err);
    assert_int_equal(xylem_session_delete(txn, scene->session, &err), XYLEM_E_DELETED);
    assert_int_equal(xylem_session_find(&session, txn, xylem_view_of("s"), &err), XYLEM_E_DELETED);
    store_builder_must(xylem_session_read(&session, txn, scene->session, &err), &err);
    assert_int_equal(session.state, XYLEM_SESSION_DELETED);
    assert_int_equal(create_with_id(scene, "s", 1), XYLEM_E_EXISTS);
    const struct xylem_new_entry entry = {.kind.name = xylem_view_of("message")};
    assert_int_equal(append_one(scene, &entry), XYLEM_E_DELETED);
    assert_int_equal(xylem_navigate(txn, scene->session, scene->leaf, xylem_view_of(""), &err), XYLEM_E_DELETED);
    assert_int_equal(xylem_clone(&session, txn, scene->session, NULL, &err), XYLEM_E_DELETED);
    assert_int_equal(xylem_fork(&session, txn, scene->session, scene->leaf, XYLEM_FORK_AT, NULL, &err),
                     XYLEM_E_DELETED);
}

IN_SCENE(unknown_sessions_are_not_found)
{
    struct scene *scene = *state;
    struct xylem_txn *txn = scene->builder.txn;
    struct xylem_error err;
    struct xylem_session session;
    struct xylem_move move;
    static const char *const ids[] = {"", "S", "s ", "ss"};
    static const uint64_t numbers[] = {0, 2, UINT64_MAX};
    for (size_t i = 0; i < COUNT_OF(ids); i++) {
        assert_int_equal(xylem_session_find(&session, txn, xylem_view_of(ids[i]), &err), XYLEM_E_NOT_FOUND);
    }
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        uint64_t number = numbers[i];
        struct xylem_position position;
        const struct xylem_new_entry entry = {.kind.name = xylem_view_of("message")};
        assert_int_equal(xylem_session_read(&session, txn, number, &err), XYLEM_E_NOT_FOUND);
        assert_int_equal(xylem_session_delete(txn, number, &err), XYLEM_E_NOT_FOUND);
        assert_int_equal(xylem_append(&position, txn, number, &entry, 1, NULL, &err), XYLEM_E_NOT_FOUND);
        assert_int_equal(xylem_find(&position, txn, number, xylem_view_of("a"), &err), XYLEM_E_NOT_FOUND);
        assert_int_equal(xylem_navigate(txn, number, scene->leaf, xylem_view_of(""), &err), XYLEM_E_NOT_FOUND);
        assert_int_equal(xylem_move_read(&move, txn, number, 1, &err), XYLEM_E_NOT_FOUND);
    }
    assert_int_equal(xylem_move_read(&move, txn, scene->session, 0, &err), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_move_read(&move, txn, scene->session, 1, &err), XYLEM_E_NOT_FOUND);
    assert_untouched(scene);
}

/* --- Append ----------------------------------------------------------------------------------------------------- */

IN_SCENE(entry_ids_are_bounded_and_unique)
{
    struct scene *scene = *state;
    char id[XYLEM_ENTRY_ID_BYTES_MAX + 1];
    memset(id, 'x', sizeof id);
    struct xylem_new_entry entry = {.kind.name = xylem_view_of("message"), .id = {id, sizeof id}};
    assert_int_equal(append_one(scene, &entry), XYLEM_E_LIMIT);
    entry.id = xylem_view_of("\xc3(");
    assert_int_equal(append_one(scene, &entry), XYLEM_E_MALFORMED);
    entry.id = xylem_view_of("a");
    assert_int_equal(append_one(scene, &entry), XYLEM_E_EXISTS);
    assert_untouched(scene);
    entry.id = (struct xylem_view){id, XYLEM_ENTRY_ID_BYTES_MAX};
    assert_int_equal(append_one(scene, &entry), 0);
    assert_int_equal(append_one(scene, &entry), XYLEM_E_EXISTS);
}

IN_SCENE(kinds_are_bounded_and_of_a_known_class)
{
    struct scene *scene = *state;
    static char name[XYLEM_KIND_NAME_BYTES_MAX + 1];
    memset(name, 'k', sizeof name);
    struct xylem_new_entry entry = {.kind = {XYLEM_CLASS_CUSTOM, {name, sizeof name}}};
    assert_int_equal(append_one(scene, &entry), XYLEM_E_LIMIT);
    entry.kind.name = xylem_view_of("\xff");
    assert_int_equal(append_one(scene, &entry), XYLEM_E_MALFORMED);
    entry.kind = (struct xylem_kind){XYLEM_CLASS_HOST, xylem_view_of("session")};
    assert_int_equal(xylem_append(NULL, scene->builder.txn, scene->session, &entry, 1, NULL, NULL), XYLEM_E_MALFORMED);
    entry.kind = (struct xylem_kind){(enum xylem_class)2, xylem_view_of("k")};
    assert_int_equal(append_one(scene, &entry), XYLEM_E_ARGUMENT);
    assert_untouched(scene);
    entry.kind = (struct xylem_kind){XYLEM_CLASS_CUSTOM, {name, XYLEM_KIND_NAME_BYTES_MAX}};
    assert_int_equal(append_one(scene, &entry), 0);
    /* Another one that differs at the end alone is another kind. */
    name[XYLEM_KIND_NAME_BYTES_MAX - 1] = 'z';
    assert_int_equal(append_one(scene, &entry), 0);
    entry.kind = (struct xylem_kind){XYLEM_CLASS_HOST, {NULL, 0}};
    assert_int_equal(append_one(scene, &entry), 0);
}

IN_SCENE(malformed_msgpack_is_refused)
{
    struct scene *scene = *state;
    static const struct {
        const char *data;
        size_t bytes;
    } bad[] = {
        {"", 0},                     /* nothing at all */
        {"\xc1", 1},                 /* never used */
        {"\x92\x01", 2},             /* an array cut short */
        {"\xdd\xff\xff\xff\xff", 5}, /* 4 G elements that are not there */
        {"\xdf\xff\xff\xff\xff", 5}, /* 4 G pairs that are not there */
        {"\xdb\xff\xff\xff\xff"
         "a",
         6},             /* a string of 4 G bytes that are not there */
        {"\xcf\x01", 2}, /* a number cut short */
        {"\x01\x01", 2}, /* two values */
        {"\xc4\x01"
         "a",
         3},                                 /* bin */
        {"\xd4\x01\x01", 3},                 /* ext */
        {"\x81\x01\x01", 3},                 /* a key that is no string */
        {"\x81\xc0\x01", 3},                 /* a key that is nil */
        {"\xa1\xff", 2},                     /* a string that is not UTF-8 */
        {"\xa6\xed\xa0\xbd\xed\xb8\x80", 7}, /* a surrogate pair spelt as two characters */
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        int code = append_payload(scene, XYLEM_CLASS_CUSTOM, XYLEM_FORMAT_MSGPACK, bad[i].data, bad[i].bytes);
        if (code != XYLEM_E_MALFORMED) {
            fail_msg("case %zu gave %s", i, xylem_code_text(code));
        }
        code = append_payload(scene, XYLEM_CLASS_HOST, XYLEM_FORMAT_MSGPACK, bad[i].data, bad[i].bytes);
        if (code != XYLEM_E_MALFORMED) {
            fail_msg("case %zu gave %s for a host", i, xylem_code_text(code));
        }
    }
    assert_untouched(scene);
    assert_int_equal(append_payload(scene, XYLEM_CLASS_CUSTOM, XYLEM_FORMAT_MSGPACK, "\xa3\xed\xa0\xbd", 4), 0);
}

IN_SCENE(malformed_json_is_refused)
{
    struct scene *scene = *state;
    static const char *const bad[] = {"",     " ",   "{",     "[1,]",   "{\"a\"}", "{\"a\":1,}", "nul",
                                      "01",   "1.",  "+1",    "\"\n\"", "\"\\x\"", "\"\\u12\"",  "1 2",
                                      "{}{}", "'a'", "{a:1}", "NaN",    "// 1",    "]"};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        for (int kind_class = XYLEM_CLASS_HOST; kind_class <= XYLEM_CLASS_CUSTOM; kind_class++) {
            int code = append_payload(scene, (enum xylem_class)kind_class, XYLEM_FORMAT_JSON, bad[i], strlen(bad[i]));
            if (code != XYLEM_E_MALFORMED) {
                fail_msg("%s gave %s", bad[i], xylem_code_text(code));
            }
        }
    }
    assert_untouched(scene);
}

IN_SCENE(nesting_is_bounded)
{
    struct scene *scene = *state;
    char json[2 * (XYLEM_NESTING_MAX + 1)];
    char msgpack[XYLEM_NESTING_MAX + 2];
    size_t deep = XYLEM_NESTING_MAX + 1;
    memset(json, '[', deep);
    memset(json + deep, ']', deep);
    memset(msgpack, '\x91', deep);
    msgpack[deep] = '\x01';
    assert_int_equal(append_payload(scene, XYLEM_CLASS_HOST, XYLEM_FORMAT_JSON, json, 2 * deep), XYLEM_E_LIMIT);
    assert_int_equal(append_payload(scene, XYLEM_CLASS_CUSTOM, XYLEM_FORMAT_JSON, json, 2 * deep), XYLEM_E_LIMIT);
    assert_int_equal(append_payload(scene, XYLEM_CLASS_CUSTOM, XYLEM_FORMAT_MSGPACK, msgpack, deep + 1), XYLEM_E_LIMIT);
    assert_untouched(scene);
    assert_int_equal(append_payload(scene, XYLEM_CLASS_HOST, XYLEM_FORMAT_JSON, json + 1, 2 * deep - 2), 0);
    assert_int_equal(append_payload(scene, XYLEM_CLASS_CUSTOM, XYLEM_FORMAT_JSON, json + 1, 2 * deep - 2), 0);
    assert_int_equal(append_payload(scene, XYLEM_CLASS_CUSTOM, XYLEM_FORMAT_MSGPACK, msgpack + 1, deep), 0);
}

IN_SCENE(a_payload_has_a_format_and_a_bound)
{
    struct scene *scene = *state;
    size_t bytes = (size_t)XYLEM_PAYLOAD_BYTES_MAX + 1;
    assert_int_equal(append_payload(scene, XYLEM_CLASS_HOST, XYLEM_FORMAT_NONE, "{}", 2), XYLEM_E_ARGUMENT);
    assert_int_equal(append_payload(scene, XYLEM_CLASS_HOST, (enum xylem_format)3, "{}", 2), XYLEM_E_ARGUMENT);
    /* Pages that nobody touches: the bound is looked at before the bytes are. */
    void *zeros = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_ptr_not_equal(zeros, MAP_FAILED);
    assert_int_equal(append_payload(scene, XYLEM_CLASS_HOST, XYLEM_FORMAT_JSON, zeros, bytes), XYLEM_E_LIMIT);
    assert_int_equal(append_payload(scene, XYLEM_CLASS_CUSTOM, XYLEM_FORMAT_MSGPACK, zeros, bytes), XYLEM_E_LIMIT);
    assert_int_equal(munmap(zeros, bytes), 0);
    assert_untouched(scene);
}

IN_SCENE(a_payload_holds_a_bounded_number_of_values)
{
    struct scene *scene = *state;
    size_t bytes = 2 * (size_t)XYLEM_VALUES_MAX + 1;
    char *json = malloc(bytes);
    assert_non_null(json);
    memset(json, '0', bytes);
    for (size_t i = 2; i < bytes; i += 2) {
        json[i] = ',';
    }
    json[0] = '[';
    json[bytes - 1] = ']';
    assert_int_equal(append_payload(scene, XYLEM_CLASS_CUSTOM, XYLEM_FORMAT_JSON, json, bytes), XYLEM_E_LIMIT);
    assert_int_equal(append_payload(scene, XYLEM_CLASS_HOST, XYLEM_FORMAT_JSON, json, bytes), XYLEM_E_LIMIT);
    /* The same as msgpack: an array of that many zeros. */
    json[0] = '\xdd';
    for (size_t i = 0; i < 4; i++) {
        json[1 + i] = (char)(XYLEM_VALUES_MAX >> (24 - 8 * i) & 0xff);
    }
    memset(json + 5, 0, bytes - 5);
    assert_int_equal(
        append_payload(scene, XYLEM_CLASS_CUSTOM, XYLEM_FORMAT_MSGPACK, json, 5 + (size_t)XYLEM_VALUES_MAX),
        XYLEM_E_LIMIT);
    free(json);
    assert_untouched(scene);
}

IN_SCENE(an_append_has_a_bound_and_is_all_or_none)
{
    struct scene *scene = *state;
    struct xylem_error err;
    struct xylem_position first;
    struct xylem_txn *txn = scene->builder.txn;
    size_t count = (size_t)XYLEM_APPEND_ENTRIES_MAX + 1;
    struct xylem_new_entry *entries = calloc(count, sizeof *entries);
    assert_non_null(entries);
    for (size_t i = 0; i < count; i++) {
        entries[i].kind.name = xylem_view_of("message");
    }
    assert_int_equal(xylem_append(&first, txn, scene->session, entries, 0, NULL, &err), XYLEM_E_LIMIT);
    assert_int_equal(xylem_append(&first, txn, scene->session, entries, count, NULL, &err), XYLEM_E_LIMIT);
    entries[2].id = xylem_view_of("a");
    assert_int_equal(xylem_append(&first, txn, scene->session, entries, 3, NULL, &err), XYLEM_E_EXISTS);
    entries[2].id = xylem_view_of("twice");
    entries[0].id = xylem_view_of("twice");
    assert_int_equal(xylem_append(&first, txn, scene->session, entries, 3, NULL, &err), XYLEM_E_EXISTS);
    entries[0].id = xylem_view_of("");
    entries[2].payload = xylem_view_of("{");
    entries[2].format = XYLEM_FORMAT_JSON;
    assert_int_equal(xylem_append(&first, txn, scene->session, entries, 3, NULL, &err), XYLEM_E_MALFORMED);
    assert_non_null(strstr(err.text, "entry 3 of 3"));
    free(entries);
    assert_untouched(scene);
    /* The transaction goes on after a refusal. */
    store_builder_add(&scene->builder, scene->session, "c", "message", "{}");
    store_builder_commit(&scene->builder);
    assert_int_equal(store_builder_read(&scene->builder, scene->session).last_lsn, 4);
}

IN_SCENE(a_parent_must_belong_to_the_session)
{
    struct scene *scene = *state;
    struct xylem_error err;
    struct xylem_position first;
    struct xylem_txn *txn = scene->builder.txn;
    const struct xylem_new_entry entry = {.kind.name = xylem_view_of("message")};
    uint64_t other = store_builder_session(&scene->builder, "other");
    struct xylem_append_options options = {.parent = XYLEM_PARENT_AT, .parent_position = scene->leaf};
    assert_int_equal(xylem_append(&first, txn, other, &entry, 1, &options, &err), XYLEM_E_NOT_FOUND);
    for (size_t i = 1; i < COUNT_OF(nowhere); i++) {
        options.parent_position = nowhere[i];
        assert_int_equal(xylem_append(&first, txn, scene->session, &entry, 1, &options, &err), XYLEM_E_NOT_FOUND);
    }
    struct xylem_position expected = {1, 1};
    options = (struct xylem_append_options){.expected_leaf = &expected};
    assert_int_equal(xylem_append(&first, txn, scene->session, &entry, 1, &options, &err), XYLEM_E_CONFLICT);
    assert_untouched(scene);
}

/* --- Branches and state ----------------------------------------------------------------------------------------- */

IN_SCENE(positions_that_do_not_exist_are_not_found)
{
    struct scene *scene = *state;
    struct xylem_txn *txn = scene->builder.txn;
    struct xylem_error err;
    struct xylem_entry entry;
    struct xylem_position ancestor;
    struct xylem_session session;
    const struct xylem_event event = {0};
    for (size_t i = 0; i < COUNT_OF(nowhere); i++) {
        struct xylem_position at = nowhere[i];
        bool none = at.branch == 0 && at.depth == 0;
        struct xylem_walk *walk = NULL;
        struct xylem_state rehydrated = {0};
        assert_int_equal(xylem_entry_read(&entry, txn, at, &err), XYLEM_E_NOT_FOUND);
        assert_int_equal(xylem_belongs(txn, scene->session, at, &err), 0);
        assert_int_equal(xylem_ancestor_at(&ancestor, txn, at, 1, &err), XYLEM_E_NOT_FOUND);
        assert_int_equal(xylem_fork(&session, txn, scene->session, at, XYLEM_FORK_BEFORE, NULL, &err),
                         XYLEM_E_NOT_FOUND);
        assert_int_equal(xylem_common_ancestor(&ancestor, txn, scene->leaf, at, &err), none ? 0 : XYLEM_E_NOT_FOUND);
        assert_int_equal(xylem_rehydrate(&rehydrated, txn, at, &event, NULL, &err), none ? 0 : XYLEM_E_NOT_FOUND);
        xylem_state_release(&rehydrated);
        store_builder_must(xylem_walk_new(&walk, txn, at, &err), &err);
        assert_int_equal(xylem_walk_next(&entry, walk, &err), none ? 0 : XYLEM_E_NOT_FOUND);
        xylem_walk_free(walk);
        if (!none) {
            assert_int_equal(xylem_navigate(txn, scene->session, at, xylem_view_of(""), &err), XYLEM_E_NOT_FOUND);
        }
    }
    assert_untouched(scene);
}

IN_SCENE(entries_of_another_session_are_not_found)
{
    struct scene *scene = *state;
    struct xylem_txn *txn = scene->builder.txn;
    struct xylem_error err;
    struct xylem_position position;
    struct xylem_session session;
    uint64_t other = store_builder_session(&scene->builder, "other");
    assert_int_equal(xylem_find(&position, txn, other, xylem_view_of("a"), &err), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_belongs(txn, other, scene->leaf, &err), 0);
    assert_int_equal(xylem_navigate(txn, other, scene->leaf, xylem_view_of(""), &err), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_fork(&session, txn, other, scene->leaf, XYLEM_FORK_AT, NULL, &err), XYLEM_E_NOT_FOUND);
    static char id[XYLEM_ENTRY_ID_BYTES_MAX + 1];
    assert_int_equal(xylem_find(&position, txn, scene->session, (struct xylem_view){id, sizeof id}, &err),
                     XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_find(&position, txn, scene->session, xylem_view_of(""), &err), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_fork(&session, txn, scene->session, scene->leaf, (enum xylem_fork_kind)2, NULL, &err),
                     XYLEM_E_ARGUMENT);
    assert_untouched(scene);
}

IN_SCENE(the_reason_of_a_navigation_is_bounded)
{
    struct scene *scene = *state;
    struct xylem_error err;
    struct xylem_move move;
    char reason[XYLEM_REASON_BYTES_MAX + 1];
    struct xylem_txn *txn = scene->builder.txn;
    memset(reason, 'r', sizeof reason);
    struct xylem_view view = {reason, sizeof reason};
    assert_int_equal(xylem_navigate(txn, scene->session, scene->leaf, view, &err), XYLEM_E_LIMIT);
    assert_untouched(scene);
    view.bytes--;
    store_builder_must(xylem_navigate(txn, scene->session, scene->leaf, view, &err), &err);
    store_builder_must(xylem_move_read(&move, txn, scene->session, 1, &err), &err);
    assert_int_equal(move.reason.bytes, XYLEM_REASON_BYTES_MAX);
    assert_int_equal(xylem_move_read(&move, txn, scene->session, 2, &err), XYLEM_E_NOT_FOUND);
}

static int answer(void *context, struct xylem_visit *visit)
{
    (void)visit;
    return *(int *)context;
}

static int reduce_with(struct scene *scene, const struct xylem_reducer *reducer)
{
    struct xylem_error err;
    struct xylem_reduction reduction = {0};
    int code = xylem_reduce(&reduction, scene->builder.txn, scene->leaf, reducer, 1, NULL, &err);
    xylem_reduction_release(&reduction);
    return code;
}

IN_SCENE(reducers_and_events_must_make_sense)
{
    struct scene *scene = *state;
    static const char *const kinds[] = {"message", NULL};
    static const char *const bad_kinds[] = {"a:b", NULL};
    int answered = XYLEM_E_STOPPED;
    struct xylem_reducer reducer = {.name = "test", .kinds = kinds, .visit = answer, .context = &answered};
    assert_int_equal(reduce_with(scene, &reducer), XYLEM_E_STOPPED);
    answered = 3;
    assert_int_equal(reduce_with(scene, &reducer), XYLEM_E_ARGUMENT);
    answered = XYLEM_VISIT_GO_ON;
    assert_int_equal(reduce_with(scene, &reducer), 0);
    reducer.kinds = bad_kinds;
    assert_int_equal(reduce_with(scene, &reducer), XYLEM_E_MALFORMED);
    reducer.kinds = NULL;
    assert_int_equal(reduce_with(scene, &reducer), XYLEM_E_ARGUMENT);
    reducer.kinds = kinds;
    reducer.visit = NULL;
    assert_int_equal(reduce_with(scene, &reducer), XYLEM_E_ARGUMENT);

    struct xylem_error err;
    struct xylem_state rehydrated = {0};
    struct xylem_event event = {.type = (enum xylem_event_type)3};
    assert_int_equal(xylem_rehydrate(&rehydrated, scene->builder.txn, scene->leaf, &event, NULL, &err),
                     XYLEM_E_ARGUMENT);
    event = (struct xylem_event){.reason = (enum xylem_event_reason)5};
    assert_int_equal(xylem_rehydrate(&rehydrated, scene->builder.txn, scene->leaf, &event, NULL, &err),
                     XYLEM_E_ARGUMENT);
    xylem_state_release(&rehydrated);
}

TEST(kinds_in_text_must_be_escaped)
{
    static const char *const bad[] = {":", "a:b", "Custom:x", "a\\", "a\\b", "\\"};
    struct xylem_error err;
    struct xylem_kind kind;
    struct xylem_buffer storage = {0};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        assert_int_equal(xylem_kind_parse(&kind, &storage, xylem_view_of(bad[i]), &err), XYLEM_E_MALFORMED);
    }
    static char name[XYLEM_KIND_NAME_BYTES_MAX + 1];
    memset(name, 'k', sizeof name);
    assert_int_equal(xylem_kind_parse(&kind, &storage, (struct xylem_view){name, sizeof name}, &err), XYLEM_E_LIMIT);
    store_builder_must(xylem_kind_parse(&kind, &storage, xylem_view_of("a\\:b\\\\"), &err), &err);
    assert_int_equal(kind.name.bytes, 4);
    assert_memory_equal(kind.name.data, "a:b\\", 4);
    xylem_buffer_release(&storage);
}

/* --- Session files ---------------------------------------------------------------------------------------------- */

static int import_text(struct scene *scene, const char *text)
{
    char path[512];
    struct xylem_error err;
    struct xylem_import_report report = {0};
    (void)snprintf(path, sizeof path, "%s/session.jsonl", scene->builder.path);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(close(fd), 0);
    /* An import has write transactions of its own. */
    xylem_abort(scene->builder.txn);
    int code = xylem_import(&report, scene->builder.store, path, NULL, &err);
    xylem_import_report_release(&report);
    struct xylem_error begin_err;
    store_builder_must(xylem_begin(&scene->builder.txn, scene->builder.store, XYLEM_WRITE, &begin_err), &begin_err);
    return code;
}

IN_SCENE(an_import_needs_the_writers_place)
{
    struct scene *scene = *state;
    struct xylem_error err;
    struct xylem_import_report report = {0};
    char path[512];
    make_session_file(path, scene);
    assert_int_equal(xylem_import(&report, scene->builder.store, path, NULL, &err), XYLEM_E_BUSY);
    xylem_import_report_release(&report);
    assert_untouched(scene);
}

IN_SCENE(a_file_without_a_header_is_no_session_file)
{
    struct scene *scene = *state;
    static const char *const bad[] = {
        "",
        "\n",
        "not json\n",
        "[]\n",
        "{\"type\":\"message\",\"id\":\"x\"}\n",
        "{\"type\":\"session\",\"version\":3}\n",
        "{\"type\":\"session\",\"version\":99,\"id\":\"x\",\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"cwd\":\"/\"}\n",
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        int code = import_text(scene, bad[i]);
        if (code != XYLEM_E_MALFORMED) {
            fail_msg("%s gave %s", bad[i], xylem_code_text(code));
        }
    }
    struct xylem_error err;
    struct xylem_import_report report = {0};
    xylem_abort(scene->builder.txn);
    assert_int_equal(xylem_import(&report, scene->builder.store, "/nonexistent/file", NULL, &err), XYLEM_E_IO);
    assert_int_equal(xylem_import(&report, scene->builder.store, scene->builder.path, NULL, &err), XYLEM_E_IO);
    xylem_import_report_release(&report);
    store_builder_must(xylem_begin(&scene->builder.txn, scene->builder.store, XYLEM_WRITE, &err), &err);
    assert_untouched(scene);
}

static int refuse_bytes(void *context, const void *data, size_t bytes)
{
    (void)context;
    (void)data;
    (void)bytes;
    return 1;
}

IN_SCENE(an_export_stops_when_its_reader_does)
{
    struct scene *scene = *state;
    struct xylem_error err;
    struct xylem_quarantine *quarantine = NULL;
    struct xylem_txn *txn = scene->builder.txn;
    assert_int_equal(xylem_export(txn, scene->session, NULL, refuse_bytes, NULL, &err), XYLEM_E_STOPPED);
    assert_int_equal(xylem_export(txn, 99, NULL, refuse_bytes, NULL, &err), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_quarantine_new(&quarantine, txn, 99, &err), XYLEM_E_NOT_FOUND);
}
