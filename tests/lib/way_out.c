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

/* True for changes of remains. */
static bool is_freed(const struct xylem_buffer *changes)
{
    return strstr(changes->data, "\"freed\":true}\n") != NULL;
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
 * Takes all changes into a new store, and gives the number of sessions that this made. Remains may be a part of a session,
 * or of other remains, by now: the session came to the first store behind its remains, and comes before them here.
 */
static size_t take_all(bool joined[FILES_MAX], const struct xylem_buffer *files, size_t count, struct xylem_txn *txn,
                       const char *path)
{
    size_t made = 0;
    for (size_t i = 0; i < count; i++) {
        joined[i] = !take(&files[i], txn, path);
        made += !joined[i];
        if (joined[i] && !is_freed(&files[i])) {
            fail_msg("the session is known, of %.300s", files[i].data);
        }
    }
    return made;
}

/* Remains that joined others have lost no entry. */
static void assert_entries(const struct xylem_buffer *remains, const struct xylem_buffer *files, size_t count)
{
    static const char row[] = "{\"row\":\"entry\",\"entry\":\"";
    for (const char *at = remains->data; (at = strstr(at, row)); at += sizeof row - 1) {
        size_t bytes = sizeof row - 1 + strcspn(at + sizeof row - 1, "\"") + 1;
        bool found = false;
        for (size_t i = 0; i < count && !found; i++) {
            found = memmem(files[i].data, files[i].bytes, at, bytes);
        }
        if (!found) {
            fail_msg("lost: %.*s", (int)bytes, at);
        }
    }
}

static void assert_same_changes(const struct xylem_buffer *before, const bool joined[FILES_MAX], size_t before_count,
                                const struct xylem_buffer *after, size_t after_count)
{
    size_t at = 0;
    for (size_t i = 0; i < before_count; i++) {
        const struct xylem_buffer *found = &after[at];
        at += !joined[i];
        if (joined[i] || (after_count < before_count && is_freed(&before[i]))) {
            assert_entries(&before[i], after, after_count);
        } else if (found->bytes != before[i].bytes || memcmp(found->data, before[i].data, found->bytes) != 0) {
            fail_msg("expected %s\nfound %s", before[i].data, found->data);
        }
    }
}

void assert_way_out(struct xylem_txn *txn)
{
    struct store_builder taken = {.txn = NULL};
    struct xylem_buffer *before = calloc(FILES_MAX, sizeof *before);
    struct xylem_buffer *after = calloc(FILES_MAX, sizeof *after);
    bool joined[FILES_MAX] = {false};
    char directory[200];
    char path[220];
    assert_true(before && after);
    test_directory_make(directory, sizeof directory, "way-out");
    (void)snprintf(path, sizeof path, "%s/changes", directory);
    store_builder_open(&taken);
    bool kept = false;
    size_t count = write_all(before, &kept, txn);
    size_t made = take_all(joined, before, count, taken.txn, path);
    assert_verified(taken.txn);
    assert_int_equal(write_all(after, &kept, taken.txn), made);
    assert_same_changes(before, joined, count, after, made);
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
