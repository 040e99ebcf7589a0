#include "tests/lib/way_out.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "tests/lib/same_session.h"
#include "tests/lib/store_builder.h"
#include "tests/lib/test.h"
#include "tests/lib/verified.h"
#include "xylem/segment.h"

#define FILES_MAX 300

static struct xylem_error err;

static int add(void *context, const void *data, size_t bytes)
{
    return xylem_buffer_add(context, data, bytes);
}

/*
 * The changes of all sessions, in the order of their numbers. A session whose import goes on has none. `kept`: a session
 * is not freed.
 */
static size_t write_all(struct xylem_buffer files[FILES_MAX], bool *kept, struct xylem_txn *txn)
{
    struct xylem_sessions *sessions;
    struct xylem_session row;
    size_t count = 0;
    store_builder_must(xylem_sessions_new(&sessions, txn, &err), &err);
    while (xylem_sessions_next(&row, sessions, &err) == 1) {
        if (row.state != XYLEM_SESSION_IMPORTING) {
            assert_true(count < FILES_MAX);
            *kept |= row.state != XYLEM_SESSION_FREED;
            store_builder_must(xylem_export_changes(txn, row.number, add, &files[count], &err), &err);
            count++;
        }
    }
    xylem_sessions_free(sessions);
    return count;
}

/* True if the store made a session of the changes. */
static bool take(const struct xylem_buffer *changes, struct xylem_txn *txn, const char *path)
{
    struct xylem_apply_report report;
    FILE *file = fopen(path, "wbe");
    assert_non_null(file);
    assert_int_equal(fwrite(changes->data, 1, changes->bytes, file), changes->bytes);
    assert_int_equal(fclose(file), 0);
    int code = xylem_import_changes(&report, txn, path, &err);
    if (code < 0) {
        fail_msg("%s: %s, of %.300s", xylem_code_text(code), err.text, changes->data);
    }
    return report.is_new;
}

/*
 * Takes all changes into a new store, and drops remains from the list that are a part of a session by now: the session
 * came to the first store behind its remains, and comes before them here.
 */
static size_t take_all(struct xylem_buffer *files, size_t count, struct xylem_txn *txn, const char *path)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        struct xylem_buffer changes = files[i];
        files[i] = (struct xylem_buffer){NULL, 0, 0};
        if (take(&changes, txn, path)) {
            files[kept++] = changes;
        } else if (strstr(changes.data, "\"freed\":true}\n")) {
            xylem_buffer_release(&changes);
        } else {
            fail_msg("the session is known, of %.300s", changes.data);
        }
    }
    return kept;
}

void assert_way_out(struct xylem_txn *txn)
{
    struct store_builder taken = {.txn = NULL};
    struct xylem_buffer *before = calloc(FILES_MAX, sizeof *before);
    struct xylem_buffer *after = calloc(FILES_MAX, sizeof *after);
    char directory[200];
    char path[220];
    assert_true(before && after);
    test_directory_make(directory, sizeof directory, "way-out");
    (void)snprintf(path, sizeof path, "%s/changes", directory);
    store_builder_open(&taken);
    bool kept = false;
    size_t written = write_all(before, &kept, txn);
    size_t count = take_all(before, written, taken.txn, path);
    assert_verified(taken.txn);
    assert_int_equal(write_all(after, &kept, taken.txn), count);
    for (size_t i = 0; i < count; i++) {
        if (count < written && strstr(before[i].data, "\"freed\":true}\n")) {
            continue; /* other remains of the id may have joined these */
        }
        if (after[i].bytes != before[i].bytes || memcmp(after[i].data, before[i].data, before[i].bytes) != 0) {
            fail_msg("expected %s\nfound %s", before[i].data, after[i].data);
        }
    }
    if (kept) {
        assert_same_sessions(txn, taken.txn);
    }
    for (size_t i = 0; i < count; i++) {
        assert_false(take(&before[i], taken.txn, path));
    }
    assert_int_equal(count > 0 ? remove(path) : 0, 0);
    assert_int_equal(remove(directory), 0);
    store_builder_close(&taken);
    for (size_t i = 0; i < FILES_MAX; i++) {
        xylem_buffer_release(&before[i]);
        xylem_buffer_release(&after[i]);
    }
    free(before);
    free(after);
}
