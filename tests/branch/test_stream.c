/* The stream of a session of another host: its lines come back byte for byte, in a fork as the host copied them. */
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "tests/lib/host_lines.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"
#include "tests/lib/verified.h"
#include "xylem/append.h"
#include "xylem/inspect.h"

static struct xylem_error err;

static int end(void **state)
{
    store_builder_commit(&builder);
    struct xylem_txn *txn;
    store_builder_must(xylem_begin(&txn, builder.store, XYLEM_READ, &err), &err);
    assert_verified(txn);
    xylem_abort(txn);
    return tear_down(state);
}

#define IN_SCENE(test) TEST_WITH(test, set_up, end)

IN_SCENE(lines_and_records_come_back_in_the_order_in_which_they_came)
{
    uint64_t a = store_builder_session(&builder, "A");
    host_record_add(&builder, a, "{\"type\":\"mode\",\"mode\":\"normal\"}");
    host_line_add(&builder, a, "u1", "user", "{\"uuid\":\"u1\",\"promptId\":\"<7>\",\"sessionId\":\"<#A>\"}");
    host_record_add(&builder, a, "no JSON at all");
    store_builder_add(&builder, a, NULL, "custom:readonly", "{\"enabled\":true}"); /* no line of the host */
    struct xylem_position last =
        host_line_add(&builder, a, "a1", "assistant", "{\"uuid\":\"a1\",\"sessionId\":\"<#A>\"}");
    host_record_add(&builder, a, "{\"type\":\"mode\",\"mode\":\"normal\"}");
    host_run_add(&builder, a, XYLEM_SIDE_REPEAT, last, 1);
    host_record_add(&builder, a, "");
    host_assert_stream(builder.txn, a,
                       "{\"type\":\"mode\",\"mode\":\"normal\"}\n"
                       "{\"uuid\":\"u1\",\"promptId\":\"7\",\"sessionId\":\"A\"}\n"
                       "no JSON at all\n"
                       "{\"uuid\":\"a1\",\"sessionId\":\"A\"}\n"
                       "{\"type\":\"mode\",\"mode\":\"normal\"}\n"
                       "{\"uuid\":\"a1\",\"sessionId\":\"A\"}\n"
                       "\n");
}

IN_SCENE(a_stream_tells_repeats_and_places)
{
    uint64_t a = store_builder_session(&builder, "A");
    struct xylem_position first = host_line_add(&builder, a, "u1", "user", "{\"n\":1}");
    struct xylem_position second = host_line_add(&builder, a, "u2", "user", "{\"n\":2}");
    host_run_add(&builder, a, XYLEM_SIDE_REPEAT, second, 2);
    uint64_t lsn = host_record_add(&builder, a, "r");
    const struct xylem_stream_line expected[] = {{.position = first, .lsn = 2},
                                                 {.position = second, .lsn = 3},
                                                 {.position = first, .lsn = 2, .again = true},
                                                 {.position = second, .lsn = 3, .again = true},
                                                 {.lsn = lsn}};
    struct xylem_stream *stream;
    store_builder_must(xylem_stream_new(&stream, builder.txn, a, &err), &err);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct xylem_stream_line line;
        assert_int_equal(store_builder_must(xylem_stream_next(&line, stream, &err), &err), 1);
        assert_int_equal(line.lsn, expected[i].lsn);
        assert_int_equal(line.again, expected[i].again);
        assert_int_equal(line.position.depth, expected[i].position.depth);
    }
    struct xylem_stream_line line;
    assert_int_equal(xylem_stream_next(&line, stream, &err), 0);
    xylem_stream_free(stream);
    assert_int_equal(xylem_stream_new(&stream, builder.txn, a + 1, &err), XYLEM_E_NOT_FOUND);
}

IN_SCENE(a_fork_has_its_own_id_in_the_lines_that_it_shares)
{
    uint64_t a = store_builder_session(&builder, "A");
    host_record_add(&builder, a, "a record of A alone");
    host_line_add(&builder, a, "u1", "user", "{\"uuid\":\"u1\",\"sessionId\":\"<#A>\"}");
    uint64_t b = store_builder_clone(&builder, a, "B");
    uint64_t c = store_builder_clone(&builder, b, "C");
    host_line_add(&builder, b, "u2", "user", "{\"uuid\":\"u2\",\"sessionId\":\"<#B>\"}");
    host_line_add(&builder, a, "u3", "user", "{\"uuid\":\"u3\",\"sessionId\":\"<#A>\"}");
    host_assert_stream(builder.txn, b,
                       "{\"uuid\":\"u1\",\"sessionId\":\"B\"}\n{\"uuid\":\"u2\",\"sessionId\":\"B\"}\n");
    host_assert_stream(builder.txn, c, "{\"uuid\":\"u1\",\"sessionId\":\"C\"}\n");
    host_assert_stream(
        builder.txn, a,
        "a record of A alone\n{\"uuid\":\"u1\",\"sessionId\":\"A\"}\n{\"uuid\":\"u3\",\"sessionId\":\"A\"}\n");
}

IN_SCENE(shared_lines_stand_where_the_fork_says)
{
    uint64_t a = store_builder_session(&builder, "A");
    host_line_add(&builder, a, "1", "user", "{\"n\":1}");
    struct xylem_position second = host_line_add(&builder, a, "2", "user", "{\"n\":2}");
    struct xylem_position third = host_line_add(&builder, a, "3", "user", "{\"n\":3}");
    uint64_t b = store_builder_clone(&builder, a, "B");
    host_record_add(&builder, b, "before");
    host_run_add(&builder, b, XYLEM_SIDE_SHARED, second, 2);
    host_record_add(&builder, b, "between");
    host_run_add(&builder, b, XYLEM_SIDE_SHARED, third, 1);
    host_line_add(&builder, b, "4", "user", "{\"n\":4}");
    host_assert_stream(builder.txn, b, "before\n{\"n\":1}\n{\"n\":2}\nbetween\n{\"n\":3}\n{\"n\":4}\n");
}

/* --- A session and its fork as a host writes them ------------------------------------------------------------------ */

#define TURNS 30

/* What a host's file has, and what the importer makes of it: the lines and the marks. */
struct golden {
    struct xylem_buffer file;
    struct xylem_buffer marked;
};

static void fill(char *text, size_t bytes, unsigned seed)
{
    for (size_t i = 0; i + 1 < bytes; i++) {
        seed = seed * 1103515245u + 12345u;
        text[i] = (char)('a' + (seed >> 16) % 26);
    }
    text[bytes - 1] = '\0';
}

enum golden_kind { PROMPT, ATTACHMENT, ANSWER, RESULT, GOLDEN_KINDS };
static const char *const golden_names[GOLDEN_KINDS] = {"user", "attachment", "assistant", "user"};
static const size_t golden_sizes[GOLDEN_KINDS] = {1400, 6800, 1800, 1400}; /* as measured */
/* The lines of a turn, in their order. */
static const enum golden_kind turn[] = {PROMPT,     ATTACHMENT, ATTACHMENT, ANSWER,    RESULT,
                                        ATTACHMENT, ATTACHMENT, ANSWER,     ATTACHMENT};
#define TURN_LINES (sizeof turn / sizeof *turn)

/* A line of the session A, or the copy in the fork B. Places and members as the program 2.1.330 has them. */
static void golden_line(struct golden *golden, size_t place, unsigned number, const char *session, bool fork)
{
    enum golden_kind kind = turn[place];
    char text[7000];
    const char *prompt = fork         ? "b-prompt-of-the-fork-0000-0000"
                         : number % 2 ? "a-prompt-one-0000-0000-0000"
                                      : "a-prompt-two";
    struct xylem_buffer *out = &golden->marked;
    fill(text, golden_sizes[kind], number * 17 + (unsigned)place);
    xylem_base__buffer_clear(out);
    int code =
        xylem_base__buffer_add_format(out, "{\"parentUuid\":%s,\"isSidechain\":false,", number ? "\"p\"" : "null");
    if (kind == PROMPT || kind == RESULT) {
        code |= xylem_base__buffer_add_format(out, "\"promptId\":\"<%s>\",", prompt);
    }
    code |= xylem_base__buffer_add_format(out, "\"type\":\"%s\",\"message\":{\"content\":\"%s\"}", golden_names[kind],
                                          text);
    if (kind == ANSWER) { /* only the copy has the member */
        code |= xylem_base__buffer_add_text(out, fork ? "<,\"requestSessionId\":\"A\">" : "<>");
    }
    code |=
        xylem_base__buffer_add_format(out,
                                      ",\"uuid\":\"00000000-0000-4000-8000-%08u%04u\",\"timestamp\":\"2026-11-22T10:"
                                      "00:00.000Z\",\"cwd\":\"/work\",\"sessionId\":\"<#%s>\",\"version\":\"2.1.330\"",
                                      number, (unsigned)place, session);
    if (kind == PROMPT) { /* the copy lacks the member */
        code |= xylem_base__buffer_add_text(out, fork ? "<>}" : "<,\"slug\":\"calm-river\">}");
    } else {
        code |= xylem_base__buffer_add_text(out, "}");
    }
    assert_int_equal(code, XYLEM_OK);
    for (size_t i = 0; i < out->bytes; i++) {
        i += out->data[i] == '<' && out->data[i + 1] == '#';
        if (!strchr("<>#", out->data[i])) {
            assert_int_equal(xylem_buffer_add(&golden->file, out->data + i, 1), XYLEM_OK);
        }
    }
    assert_int_equal(xylem_buffer_add(&golden->file, "\n", 1), XYLEM_OK);
}

static void golden_record(struct golden *golden, uint64_t session, const char *text)
{
    host_record_add(&builder, session, text);
    assert_int_equal(xylem_base__buffer_add_format(&golden->file, "%s\n", text), XYLEM_OK);
}

static void assert_file(uint64_t session, const struct golden *golden)
{
    host_assert_stream(builder.txn, session, golden->file.data);
}

static void write_source(struct golden *golden, uint64_t session)
{
    for (unsigned i = 0; i < TURNS; i++) {
        golden_record(golden, session, "{\"type\":\"queue-operation\",\"operation\":\"enqueue\",\"sessionId\":\"A\"}");
        for (size_t place = 0; place < TURN_LINES; place++) {
            char id[32];
            (void)snprintf(id, sizeof id, "%u-%zu", i, place);
            golden_line(golden, place, i, "A", false);
            host_line_add(&builder, session, id, golden_names[turn[place]], golden->marked.data);
        }
        golden_record(golden, session, "{\"type\":\"mode\",\"mode\":\"normal\",\"sessionId\":\"A\"}");
        golden_record(golden, session, "{\"type\":\"mode\",\"mode\":\"normal\",\"sessionId\":\"A\"}");
    }
}

/* Copies the chain, as a host does: an importer finds each line in the source, and shares the line. */
static uint64_t write_fork(struct golden *golden, uint64_t source)
{
    size_t values = 0;
    struct xylem_position leaf = store_builder_leaf(&builder, source);
    uint64_t fork = store_builder_clone(&builder, source, "B");
    golden_record(golden, fork, "{\"type\":\"mode\",\"mode\":\"normal\",\"sessionId\":\"B\"}");
    golden_record(golden, fork, "{\"type\":\"atis-latch\",\"sessionId\":\"B\"}");
    host_run_add(&builder, fork, XYLEM_SIDE_SHARED, leaf, leaf.depth);
    for (unsigned i = 0; i < TURNS; i++) {
        for (size_t place = 0; place < TURN_LINES; place++) {
            struct host_line line;
            struct xylem_entry entry;
            struct xylem_position at;
            golden_line(golden, place, i, "B", true);
            host_line_make(&line, golden->marked.data);
            store_builder_must(xylem_ancestor_at(&at, builder.txn, leaf, i * TURN_LINES + place + 1, &err), &err);
            store_builder_must(xylem_entry_read(&entry, builder.txn, at, &err), &err);
            assert_int_equal(xylem_line_same(&entry, xylem_base__buffer_view(&line.text), &line.form, &err), 1);
            values += (size_t)store_builder_must(
                xylem_line_share(builder.txn, fork, at, xylem_base__buffer_view(&line.text), &line.form, &err), &err);
            host_line_release(&line);
        }
    }
    assert_int_equal(values, TURNS * 4); /* attachments differ in the id of the session alone */
    return fork;
}

static uint64_t bytes_of_store(void)
{
    struct xylem_stat stat;
    struct xylem_txn *txn;
    uint64_t bytes = 0;
    store_builder_must(xylem_begin(&txn, builder.store, XYLEM_READ, &err), &err);
    store_builder_must(xylem_stat_read(&stat, txn, &err), &err);
    xylem_abort(txn);
    for (size_t i = 0; i < XYLEM_TABLE_COUNT; i++) {
        bytes += stat.tables[i].bytes;
    }
    return bytes;
}

IN_SCENE(a_session_and_its_fork_come_back_byte_for_byte_and_share_their_bytes)
{
    struct golden source = {.file = {NULL, 0, 0}};
    struct golden fork = {.file = {NULL, 0, 0}};
    uint64_t a = store_builder_session(&builder, "A");
    write_source(&source, a);
    store_builder_commit(&builder);
    uint64_t before = bytes_of_store();
    uint64_t b = write_fork(&fork, a);
    store_builder_commit(&builder);
    uint64_t grown = bytes_of_store() - before;
    assert_file(a, &source);
    assert_file(b, &fork);
    print_message("the fork's file: %zu bytes, in the store %llu\n", fork.file.bytes, (unsigned long long)grown);
    assert_true(grown * 100 <= fork.file.bytes * 3);
    golden_line(&fork, 0, 900, "B", false);
    host_line_add(&builder, b, "own", "user", fork.marked.data);
    golden_record(&fork, b, "{\"type\":\"last-prompt\",\"sessionId\":\"B\"}");
    assert_file(b, &fork);
    uint64_t again = store_builder_clone(&builder, b, "C");
    host_line_add(&builder, again, "c", "user", "{\"sessionId\":\"<#C>\"}");
    store_builder_reopen(&builder);
    assert_file(a, &source);
    assert_file(b, &fork);
    xylem_buffer_release(&source.file);
    xylem_buffer_release(&source.marked);
    xylem_buffer_release(&fork.file);
    xylem_buffer_release(&fork.marked);
}
