/* Tables of noted files in tests: terse notes, checks and contents. A hash is a number. */
#ifndef XYLEM_TESTS_READS_TABLE_LIB_H
#define XYLEM_TESTS_READS_TABLE_LIB_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/test.h"
#include "xylem/reads.h"

static inline struct xylem_fingerprint content(unsigned number)
{
    struct xylem_fingerprint fingerprint = {.bytes = number};
    snprintf(fingerprint.hash, sizeof fingerprint.hash, "xxh3-128:%032x", number);
    return fingerprint;
}

static inline struct xylem_reads *table_new(void)
{
    struct xylem_reads *reads = NULL;
    assert_int_equal(xylem_reads_new(&reads, NULL), 0);
    return reads;
}

static inline void note(struct xylem_reads *reads, const char *key, unsigned number)
{
    struct xylem_fingerprint fingerprint = content(number);
    struct xylem_error err = {0};
    if (xylem_reads_note(reads, xylem_view_of(key), &fingerprint, XYLEM_READ_BY_READ, number, &err) < 0) {
        fail_msg("%s: %s", key, err.text);
    }
}

/* The verdict on a file with the content of a number; number 0: there is no file. */
static inline enum xylem_reads_why check(struct xylem_reads *reads, const char *key, enum xylem_write_tool tool,
                                         unsigned number)
{
    struct xylem_reads_verdict verdict = {.block = false};
    struct xylem_fingerprint now = content(number);
    const struct xylem_view none = {NULL, 0};
    assert_int_equal(xylem_reads_check(&verdict, reads, xylem_view_of(key), none, tool, number ? 0 : XYLEM_E_NOT_FOUND,
                                       &now, none, NULL),
                     0);
    enum xylem_reads_why why = verdict.why;
    assert_int_equal(verdict.block, why != XYLEM_READS_PASS);
    assert_int_equal(verdict.message.bytes > 0, verdict.block);
    xylem_reads_verdict_release(&verdict);
    return why;
}

/* The keys and the sizes, the file that was used last first: `b=2 a=1 `. */
static inline void assert_table(const struct xylem_reads *reads, const char *expected)
{
    struct xylem_buffer line = {0};
    struct xylem_read_file file;
    assert_int_equal(xylem_buffer_add(&line, "", 0), 0);
    for (size_t i = 0; xylem_reads_file(&file, reads, i); i++) {
        char number[32];
        int bytes = snprintf(number, sizeof number, "=%llu ", (unsigned long long)file.bytes);
        assert_int_equal(xylem_buffer_add(&line, file.key.data, file.key.bytes), 0);
        assert_int_equal(xylem_buffer_add(&line, number, (size_t)bytes), 0);
    }
    assert_string_equal(line.data, expected);
    xylem_buffer_release(&line);
}

/* The data of the next entry, or "". The caller releases the buffer. */
static inline struct xylem_buffer drain(struct xylem_reads *reads)
{
    struct xylem_buffer data = {0};
    struct xylem_error err = {0};
    int code = xylem_reads_drain(&data, reads, &err);
    if (code < 0 || (code == 0) != (data.bytes == 0)) {
        fail_msg("drain: %d %s", code, err.text);
    }
    return data;
}

#endif
