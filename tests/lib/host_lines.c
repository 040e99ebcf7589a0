#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/buffer.h"
#include "tests/lib/host_lines.h"

void host_line_make(struct host_line *line, const char *marked)
{
    *line = (struct host_line){.form = {.dialect = HOST_DIALECT}};
    for (const char *at = marked; *at; at++) {
        struct xylem_hole *hole = &line->holes[line->form.hole_count];
        if (*at == '<') {
            assert_true(line->form.hole_count < XYLEM_HOLES_MAX);
            hole->offset = line->text.bytes;
            hole->is_session_id = at[1] == '#';
            at += hole->is_session_id;
        } else if (*at == '>') {
            hole->bytes = line->text.bytes - hole->offset;
            line->form.hole_count++;
        } else {
            assert_int_equal(xylem_buffer_add(&line->text, at, 1), XYLEM_OK);
        }
    }
    line->form.holes = line->holes;
}

void host_line_release(struct host_line *line)
{
    xylem_buffer_release(&line->text);
}

struct xylem_new_entry host_line_entry(const struct host_line *line, const char *id, const char *kind)
{
    static const int64_t time_ms = 1700000000000;
    return (struct xylem_new_entry){.id = xylem_view_of(id),
                                    .kind = {XYLEM_CLASS_HOST, xylem_view_of(kind)},
                                    .time_ms = &time_ms,
                                    .format = XYLEM_FORMAT_LINE,
                                    .payload = xylem_base__buffer_view(&line->text),
                                    .form = &line->form};
}

struct xylem_position host_line_add(struct store_builder *builder, uint64_t session, const char *id, const char *kind,
                                    const char *marked)
{
    struct host_line line;
    struct xylem_position at;
    struct xylem_error err = {0};
    host_line_make(&line, marked);
    const struct xylem_new_entry entry = host_line_entry(&line, id, kind);
    store_builder_must(xylem_append(&at, builder->txn, session, &entry, 1, NULL, &err), &err);
    host_line_release(&line);
    return at;
}

int host_line_share(struct store_builder *builder, uint64_t session, struct xylem_position at, const char *marked,
                    struct xylem_error *err)
{
    struct host_line line;
    host_line_make(&line, marked);
    int code = xylem_line_share(builder->txn, session, at, xylem_base__buffer_view(&line.text), &line.form, err);
    host_line_release(&line);
    return code;
}

uint64_t host_record_add(struct store_builder *builder, uint64_t session, const char *text)
{
    const struct xylem_side side = {.type = XYLEM_SIDE_RECORD, .dialect = HOST_DIALECT, .bytes = xylem_view_of(text)};
    struct xylem_error err = {0};
    uint64_t lsn = 0;
    store_builder_must(xylem_side_add(&lsn, builder->txn, session, &side, &err), &err);
    return lsn;
}

uint64_t host_run_add(struct store_builder *builder, uint64_t session, enum xylem_side_type type,
                      struct xylem_position last, uint64_t count)
{
    const struct xylem_side side = {.type = type, .position = last, .count = count};
    struct xylem_error err = {0};
    uint64_t lsn = 0;
    store_builder_must(xylem_side_add(&lsn, builder->txn, session, &side, &err), &err);
    return lsn;
}

void host_stream(struct xylem_buffer *out, struct xylem_txn *txn, uint64_t session)
{
    struct xylem_stream *stream;
    struct xylem_stream_line line;
    struct xylem_error err = {0};
    store_builder_must(xylem_stream_new(&stream, txn, session, &err), &err);
    while (store_builder_must(xylem_stream_next(&line, stream, &err), &err) == 1) {
        struct xylem_view bytes = line.redacted ? xylem_view_of("redacted") : line.bytes;
        assert_true(!line.redacted || line.bytes.bytes == 0);
        assert_int_equal(xylem_buffer_add(out, bytes.data, bytes.bytes), XYLEM_OK);
        assert_int_equal(xylem_buffer_add(out, "\n", 1), XYLEM_OK);
    }
    xylem_stream_free(stream);
}

void host_assert_stream(struct xylem_txn *txn, uint64_t session, const char *lines)
{
    struct xylem_buffer out = {NULL, 0, 0};
    host_stream(&out, txn, session);
    assert_string_equal(out.data ? out.data : "", lines);
    xylem_buffer_release(&out);
}
