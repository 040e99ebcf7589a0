/*
 * Lines of another host, written tersely: a hole is its value between < and >, and a value behind # is the id of the
 * session.
 *
 *     {"text":"hello","promptId":"<7>","sessionId":"<#A>"}
 */
#ifndef XYLEM_TESTS_LIB_HOST_LINES_H
#define XYLEM_TESTS_LIB_HOST_LINES_H

#include "tests/lib/store_builder.h"
#include "xylem/line.h"

#define HOST_DIALECT 5u

struct host_line {
    struct xylem_buffer text;
    struct xylem_hole holes[XYLEM_HOLES_MAX];
    struct xylem_line_form form; /* borrows from `holes` */
};

void host_line_make(struct host_line *line, const char *marked);
void host_line_release(struct host_line *line);

/* The entry to append; borrows from `line`. */
struct xylem_new_entry host_line_entry(const struct host_line *line, const char *id, const char *kind);
/* Appends a line at the leaf. */
struct xylem_position host_line_add(struct store_builder *builder, uint64_t session, const char *id, const char *kind,
                                    const char *marked);
/* xylem_line_share() with a line. */
int host_line_share(struct store_builder *builder, uint64_t session, struct xylem_position at, const char *marked,
                    struct xylem_error *err);
/* Adds a record; or a row of another type. Gives its lsn. */
uint64_t host_record_add(struct store_builder *builder, uint64_t session, const char *text);
uint64_t host_run_add(struct store_builder *builder, uint64_t session, enum xylem_side_type type,
                      struct xylem_position last, uint64_t count);

/* Appends the stream of a session, each line with a newline; of a redacted line the word alone. */
void host_stream(struct xylem_buffer *out, struct xylem_txn *txn, uint64_t session);
/* The stream must be these lines. */
void host_assert_stream(struct xylem_txn *txn, uint64_t session, const char *lines);

#endif
