/*
 * Every allocation of each call fails once: each time the call says so, and keeps its promises. The linker leads the
 * library's calls to the functions below.
 */
#include <errno.h>

#include "tests/lib/one_store.h"
#include "tests/replay/reads/place.h"
#include "tests/replay/reads/table_lib.h"

static size_t calls;
static size_t failing_call; /* counted from 1; 0: none */
static bool counting;

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
char *__real_realpath(const char *path, char *real);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
char *__wrap_realpath(const char *path, char *real);

static bool fails(void)
{
    return counting && ++calls == failing_call;
}

void *__wrap_malloc(size_t bytes)
{
    return fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    return fails() ? NULL : __real_realloc(memory, bytes);
}

char *__wrap_realpath(const char *path, char *real)
{
    if (fails()) {
        errno = ENOMEM;
        return NULL;
    }
    return __real_realpath(path, real);
}

/* Runs a call without a failure, and then with each allocation failing. `call` gives the code of the library's call. */
static void fail_each(int (*call)(void), size_t least)
{
    size_t count = 0;
    (void)call(); /* a store keeps what it learns once */
    for (size_t i = 0; i <= count; i++) {
        calls = 0;
        failing_call = i;
        int code = call();
        counting = false;
        if (i == 0) {
            assert_true(code >= 0);
            count = calls;
            assert_true(count >= least);
        } else if (code != XYLEM_E_MEMORY) {
            fail_msg("allocation %zu of %zu: the code is %d", i, count, code);
        }
    }
}

static int key(void)
{
    struct xylem_buffer made = {0};
    counting = true;
    int code = xylem_path_key(&made, xylem_view_of("@file:///a%20b/%2e%2e/c"), "/srv", "/home", NULL);
    assert_int_equal(made.bytes > 0, code == 0);
    xylem_buffer_release(&made);
    return code;
}

static int real_path(void)
{
    struct xylem_buffer made = {0};
    counting = true;
    int code = xylem_path_real(&made, place("link/new/f"), NULL);
    assert_int_equal(made.bytes > 0, code == 0);
    xylem_buffer_release(&made);
    return code;
}

static int fingerprint(void)
{
    struct xylem_fingerprint found = {.bytes = 7};
    counting = true;
    int code = xylem_fingerprint_file(&found, place("f"), NULL);
    assert_int_equal(found.bytes, code < 0 ? 7 : 3);
    return code;
}

IN_PLACE(a_path_without_memory_is_no_path)
{
    assert_int_equal(mkdir(place("d"), 0755), 0);
    assert_int_equal(symlink("d/lost", place("link")), 0);
    place_text("f", "abc");
    fail_each(key, 4);
    fail_each(real_path, 8);
    fail_each(fingerprint, 1);
}

static struct xylem_reads *reads;

static int make(void)
{
    struct xylem_reads *made = NULL;
    counting = true;
    int code = xylem_reads_new(&made, NULL);
    counting = false;
    assert_int_equal(made != NULL, code == 0);
    xylem_reads_free(made);
    return code;
}

static int note_again(void)
{
    struct xylem_fingerprint found = content(2);
    counting = true;
    int code = xylem_reads_note(reads, xylem_view_of("/a"), &found, XYLEM_READ_BY_EDIT, 1, NULL);
    counting = false;
    assert_table(reads, code < 0 ? "/b=1 /a=1 " : "/a=2 /b=1 ");
    xylem_reads_free(reads);
    reads = table_new();
    note(reads, "/a", 1);
    note(reads, "/b", 1);
    return code;
}

static int check_blocked(void)
{
    struct xylem_reads_verdict verdict = {.block = false};
    struct xylem_fingerprint now = content(3);
    const struct xylem_view none = {NULL, 0};
    counting = true;
    int code = xylem_reads_check(&verdict, reads, xylem_view_of("/a"), xylem_view_of("a\n"), XYLEM_WRITE_TOOL_EDIT, 0,
                                 &now, none, NULL);
    counting = false;
    assert_true(verdict.block);
    xylem_reads_verdict_release(&verdict);
    return code;
}

static int write_whole(void)
{
    struct xylem_buffer data = {0};
    counting = true;
    int code = xylem_reads_whole(&data, reads, NULL);
    counting = false;
    assert_int_equal(data.bytes > 0, code == 0);
    xylem_buffer_release(&data);
    return code;
}

/* A drain that fails drains nothing. */
static int drain_once(void)
{
    struct xylem_buffer data = {0};
    note(reads, "/a", 1);
    counting = true;
    int code = xylem_reads_drain(&data, reads, NULL);
    counting = false;
    xylem_buffer_release(&data);
    if (code < 0) {
        data = drain(reads);
        assert_non_null(strstr(data.data, "\"path\":\"/a\""));
        xylem_buffer_release(&data);
    }
    return code;
}

static int add_writer(void)
{
    struct xylem_last_writer writer = {.id = xylem_view_of("session"), .at_ms = 1};
    struct xylem_buffer message = {0};
    counting = true;
    int code = xylem_reads_add_writer(&message, &writer, 1, NULL);
    counting = false;
    assert_int_equal(message.bytes > 0, code == 0);
    xylem_buffer_release(&message);
    return code;
}

TEST(a_table_without_memory_keeps_its_promises)
{
    reads = table_new();
    note(reads, "/a", 1);
    note(reads, "/b", 1);
    fail_each(make, 1);
    fail_each(note_again, 1);
    fail_each(check_blocked, 2);
    fail_each(write_whole, 2);
    fail_each(drain_once, 2);
    fail_each(add_writer, 1);
    xylem_reads_free(reads);
}

static struct xylem_position leaf;

static int load(void)
{
    struct xylem_reads *made = table_new();
    counting = true;
    int code = xylem_reads_load(made, builder.txn, leaf, NULL, NULL);
    counting = false;
    assert_table(made, code < 0 ? "" : "/f=1 ");
    xylem_reads_free(made);
    return code;
}

static uint64_t asking;

static int find_writer(void)
{
    struct xylem_last_writer writer;
    counting = true;
    return xylem_reads_last_writer(&writer, builder.txn, asking, xylem_view_of("/f"), 0, NULL);
}

TEST_WITH(a_load_without_memory_is_empty, set_up, tear_down)
{
    struct xylem_session session;
    struct xylem_session_options options = {.id = xylem_view_of("s"), .cwd = xylem_view_of("/p")};
    assert_int_equal(xylem_session_create(&session, builder.txn, &options, NULL), 0);
    store_builder_add(
        &builder, session.number, NULL, "custom:file-reads",
        "{\"version\":1,\"whole\":false,\"files\":[{\"path\":\"/f\",\"hash\":\"a:00\",\"bytes\":1,\"at\":1,"
        "\"by\":\"write\"}],\"gone\":[\"/g\"]}");
    leaf = store_builder_add(&builder, session.number, NULL, "custom:file-reads", "{\"version\":2}");
    options.id = xylem_view_of("own");
    assert_int_equal(xylem_session_create(&session, builder.txn, &options, NULL), 0);
    asking = session.number;
    fail_each(load, 5);
    fail_each(find_writer, 2);
}
