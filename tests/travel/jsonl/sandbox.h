/* A directory with a store in it and session files beside it, for the tests of imports and exports. */
#ifndef XYLEM_TESTS_JSONL_SANDBOX_H
#define XYLEM_TESTS_JSONL_SANDBOX_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/value.h"
#include "store/store.h"
#include "tests/lib/verified.h"
#include "tests/lib/test.h"
#include "xylem/append.h"
#include "xylem/branch.h"
#include "xylem/files.h"
#include "xylem/inspect.h"

#define HEADER \
    "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2025-01-01T00:00:00.000Z\",\"cwd\":\"/home\"}\n"
#define ROOT_LINE(id)                    \
    "{\"type\":\"message\",\"id\":\"" id \
    "\",\"parentId\":null,\"timestamp\":\"2025-01-01T00:00:01.000Z\",\"message\":{\"text\":\"" id "\"}}"
#define ROOT(id) ROOT_LINE(id) "\n"
#define CHILD_LINE(id, parent)                                       \
    "{\"type\":\"message\",\"id\":\"" id "\",\"parentId\":\"" parent \
    "\",\"timestamp\":\"2025-01-01T00:00:02.000Z\",\"message\":{\"text\":\"" id "\"}}"
#define CHILD(id, parent) CHILD_LINE(id, parent) "\n"

/* In the program of this room the steady clock stands still, but each look takes so long: nothing goes by real time. */
extern int64_t sandbox_slow_ms;
/* After so many looks the process is killed; 0: never. */
extern unsigned sandbox_looks_left;
/* Called at each look; NULL: nothing is. */
extern void (*sandbox_look)(void);

struct sandbox {
    char directory[200];
    struct xylem_store *store;
    struct xylem_import_report report; /* of the last import */
    struct xylem_error err;            /* of the last import */
    struct xylem_import_options options;
};

static inline void sandbox_path(char path[512], const struct sandbox *sandbox, const char *name)
{
    snprintf(path, 512, "%s/%s", sandbox->directory, name);
}

static inline void sandbox_open_store(struct sandbox *sandbox, uint64_t map_bytes)
{
    char path[512];
    sandbox_path(path, sandbox, "store");
    struct xylem_open_options options = {.create = true, .durability = XYLEM_DURABILITY_NONE, .map_bytes = map_bytes};
    struct xylem_error err = {0};
    if (xylem_open(&sandbox->store, path, &options, &err) < 0) {
        fail_msg("%s", err.text);
    }
}

static inline void sandbox_open(struct sandbox *sandbox)
{
    memset(sandbox, 0, sizeof *sandbox);
    test_directory_make(sandbox->directory, sizeof sandbox->directory, "jsonl");
    sandbox_open_store(sandbox, 0);
}

static inline struct xylem_txn *sandbox_begin(struct sandbox *sandbox, enum xylem_txn_mode mode)
{
    struct xylem_txn *txn = NULL;
    struct xylem_error err = {0};
    if (xylem_begin(&txn, sandbox->store, mode, &err) < 0) {
        fail_msg("%s", err.text);
    }
    return txn;
}

static inline void sandbox_verify(struct sandbox *sandbox)
{
    struct xylem_txn *txn = sandbox_begin(sandbox, XYLEM_READ);
    assert_verified(txn);
    assert_changes_agree(txn);
    xylem_abort(txn);
}

/* Every store that a test leaves must be sound. */
static inline void sandbox_close(struct sandbox *sandbox)
{
    sandbox_verify(sandbox);
    xylem_import_report_release(&sandbox->report);
    assert_int_equal(xylem_close(sandbox->store, NULL), XYLEM_OK);
    test_directory_remove(sandbox->directory);
}

static inline void sandbox_write(struct sandbox *sandbox, const char *name, const void *data, size_t bytes)
{
    char path[512];
    sandbox_path(path, sandbox, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

static inline void sandbox_write_text(struct sandbox *sandbox, const char *name, const char *text)
{
    sandbox_write(sandbox, name, text, strlen(text));
}

static inline int sandbox_import_path(struct sandbox *sandbox, const char *path)
{
    xylem_import_report_release(&sandbox->report);
    memset(&sandbox->err, 0, sizeof sandbox->err);
    return xylem_import(&sandbox->report, sandbox->store, path, &sandbox->options, &sandbox->err);
}

static inline int sandbox_try(struct sandbox *sandbox, const char *name)
{
    char path[512];
    sandbox_path(path, sandbox, name);
    return sandbox_import_path(sandbox, path);
}

/* Imports a file of the directory, which must work; a problem of a line is no failure. */
static inline void sandbox_import(struct sandbox *sandbox, const char *name)
{
    if (sandbox_try(sandbox, name) < 0) {
        fail_msg("%s: %s", name, sandbox->err.text);
    }
}

/* Writes a file, and imports it. */
static inline void sandbox_take(struct sandbox *sandbox, const char *name, const char *text)
{
    sandbox_write_text(sandbox, name, text);
    sandbox_import(sandbox, name);
}

static inline int sandbox_collect(void *context, const void *data, size_t bytes)
{
    return xylem_buffer_add(context, data, bytes);
}

static inline uint64_t sandbox_session(struct xylem_session *session, struct xylem_txn *txn, const char *id)
{
    struct xylem_error err = {0};
    if (xylem_session_find(session, txn, xylem_view_of(id), &err) < 0) {
        fail_msg("%s: %s", id, err.text);
    }
    return session->number;
}

static inline void sandbox_export_of(struct xylem_buffer *out, struct sandbox *sandbox, const char *id,
                                     bool with_quarantine)
{
    struct xylem_txn *txn = sandbox_begin(sandbox, XYLEM_READ);
    struct xylem_session session;
    struct xylem_error err = {0};
    struct xylem_export_options options = {.with_quarantine = with_quarantine};
    xylem_base__buffer_clear(out);
    if (xylem_export(txn, sandbox_session(&session, txn, id), &options, sandbox_collect, out, &err) < 0) {
        fail_msg("%s: %s", id, err.text);
    }
    xylem_abort(txn);
}

static inline void assert_same_bytes(const char *got, size_t got_bytes, const char *expected, size_t expected_bytes)
{
    size_t same = 0;
    while (same < got_bytes && same < expected_bytes && got[same] == expected[same]) {
        same++;
    }
    if (same < got_bytes || same < expected_bytes) {
        size_t from = same > 60 ? same - 60 : 0;
        fail_msg("differs at byte %zu (of %zu, expected %zu): got \"%.*s\", expected \"%.*s\"", same, got_bytes,
                 expected_bytes, (int)(got_bytes - from > 160 ? 160 : got_bytes - from), got + from,
                 (int)(expected_bytes - from > 160 ? 160 : expected_bytes - from), expected + from);
    }
}

/* The export of session `s` is this text. */
static inline void assert_export(struct sandbox *sandbox, bool with_quarantine, const char *expected, size_t bytes)
{
    struct xylem_buffer out = {0};
    sandbox_export_of(&out, sandbox, "s", with_quarantine);
    assert_same_bytes(out.data, out.bytes, expected, bytes);
    xylem_buffer_release(&out);
}

static inline void assert_export_text(struct sandbox *sandbox, bool with_quarantine, const char *expected)
{
    assert_export(sandbox, with_quarantine, expected, strlen(expected));
}

/* The ids of the session's entries in lsn order, and those of the leaf's path from the leaf on, as one text. */
static inline void assert_ids(struct sandbox *sandbox, const char *scan_ids, const char *path_ids)
{
    struct xylem_txn *txn = sandbox_begin(sandbox, XYLEM_READ);
    struct xylem_session session;
    struct xylem_buffer ids = {0};
    struct xylem_entry entry;
    struct xylem_scan *scan;
    uint64_t number = sandbox_session(&session, txn, "s");
    assert_int_equal(xylem_scan_new(&scan, txn, number, NULL), XYLEM_OK);
    while (xylem_scan_next(&entry, scan, NULL) == 1) {
        assert_int_equal(xylem_buffer_add(&ids, entry.id.data, entry.id.bytes), 0);
        assert_int_equal(xylem_buffer_add(&ids, " ", 1), 0);
    }
    xylem_scan_free(scan);
    assert_string_equal(ids.data ? ids.data : "", scan_ids);
    xylem_base__buffer_clear(&ids);
    struct xylem_walk *walk;
    assert_int_equal(xylem_walk_new(&walk, txn, session.leaf, NULL), XYLEM_OK);
    while (xylem_walk_next(&entry, walk, NULL) == 1) {
        assert_int_equal(xylem_buffer_add(&ids, entry.id.data, entry.id.bytes), 0);
        assert_int_equal(xylem_buffer_add(&ids, " ", 1), 0);
    }
    xylem_walk_free(walk);
    assert_string_equal(ids.data ? ids.data : "", path_ids);
    xylem_buffer_release(&ids);
    xylem_abort(txn);
}

static inline void assert_problem(const struct sandbox *sandbox, size_t index, enum xylem_import_problem_type type,
                                  uint64_t line, bool quarantined, const char *entry_id)
{
    assert_true(index < sandbox->report.problem_count);
    const struct xylem_import_problem *problem = &sandbox->report.problems[index];
    assert_string_equal(xylem_import_problem_word(problem->type), xylem_import_problem_word(type));
    assert_int_equal(problem->line, line);
    assert_int_equal(problem->quarantined, quarantined);
    struct xylem_view expected = xylem_view_of(entry_id);
    assert_same_bytes(problem->entry_id.data, problem->entry_id.bytes, expected.data, expected.bytes);
}

/* What the last import reported. */
static inline void assert_report(const struct sandbox *sandbox, enum xylem_import_outcome outcome, uint64_t added,
                                 uint64_t matched, uint64_t quarantined, size_t problems)
{
    const struct xylem_import_report *report = &sandbox->report;
    assert_int_equal(report->outcome, outcome);
    assert_int_equal(report->added_count, added);
    assert_int_equal(report->matched_count, matched);
    assert_int_equal(report->quarantined_count, quarantined);
    assert_int_equal(report->problem_count, problems);
}

/* Appends a host's entry at the leaf of session `s`, as a program would that has the store open. */
static inline void sandbox_append(struct sandbox *sandbox, const char *id, const char *json)
{
    struct xylem_txn *txn = sandbox_begin(sandbox, XYLEM_WRITE);
    struct xylem_session session;
    struct xylem_position first;
    struct xylem_error err = {0};
    int64_t time_ms = 1735689601000;
    struct xylem_new_entry entry = {.id = xylem_view_of(id),
                                    .kind = {XYLEM_CLASS_HOST, xylem_view_of("message")},
                                    .time_ms = &time_ms,
                                    .format = XYLEM_FORMAT_JSON,
                                    .payload = xylem_view_of(json)};
    sandbox_session(&session, txn, "s");
    if (xylem_append(&first, txn, session.number, &entry, 1, NULL, &err) < 0) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(xylem_commit(txn, NULL), XYLEM_OK);
}

static inline void sandbox_navigate(struct sandbox *sandbox, const char *id)
{
    struct xylem_txn *txn = sandbox_begin(sandbox, XYLEM_WRITE);
    struct xylem_session session;
    struct xylem_position to;
    struct xylem_view none = {NULL, 0};
    sandbox_session(&session, txn, "s");
    assert_int_equal(xylem_find(&to, txn, session.number, xylem_view_of(id), NULL), XYLEM_OK);
    assert_int_equal(xylem_navigate(txn, session.number, to, none, NULL), XYLEM_OK);
    assert_int_equal(xylem_commit(txn, NULL), XYLEM_OK);
}

/* Stops an import after its first batch, or after as many as the context says. */
static inline int sandbox_stop(void *context, const struct xylem_import_progress *progress)
{
    (void)progress;
    int *batches = context;
    return !batches || --*batches == 0;
}

/* The entries that the session was given, twice if they were stored twice. */
static inline uint64_t sandbox_entry_count(struct sandbox *sandbox)
{
    struct xylem_txn *txn = sandbox_begin(sandbox, XYLEM_READ);
    struct xylem_session session;
    sandbox_session(&session, txn, "s");
    uint64_t count = session.own_entry_count;
    xylem_abort(txn);
    return count;
}

/* Every row of the store, as one hash: it moves with every write. */
static inline uint64_t sandbox_rows(struct sandbox *sandbox)
{
    struct xylem_txn *txn = sandbox_begin(sandbox, XYLEM_READ);
    struct xylem_stat stat;
    assert_int_equal(xylem_stat_read(&stat, txn, NULL), XYLEM_OK);
    xylem_abort(txn);
    uint64_t rows = 0;
    for (size_t i = 0; i < XYLEM_TABLE_COUNT - 1; i++) { /* without outlines, which follow from the other tables */
        rows = rows * 1000003u + stat.tables[i].rows;
    }
    return rows;
}

static inline void sandbox_read_file(struct xylem_buffer *out, const char *path)
{
    xylem_base__buffer_clear(out);
    FILE *file = fopen(path, "rb");
    if (!file) {
        fail_msg("cannot open %s", path);
        return;
    }
    char piece[65536];
    size_t got;
    while ((got = fread(piece, 1, sizeof piece, file)) > 0) {
        assert_int_equal(xylem_buffer_add(out, piece, got), 0);
    }
    fclose(file);
}

#endif
