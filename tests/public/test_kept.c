/* A store of an xylem in which no change but an append had an lsn: fixtures/store-2. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/format/format.h"
#include "store/meta.h"
#include "tests/lib/changes.h"
#include "tests/lib/damage.h"
#include "tests/lib/test.h"
#include "tests/lib/verified.h"
#include "xylem/append.h"
#include "xylem/care.h"
#include "xylem/feed.h"
#include "xylem/inspect.h"

#define KEPT "fixtures/store-2"

static struct xylem_error err;
static char place[256];
static char path[300]; /* in it, a copy of the kept store */
static struct xylem_store *store;
static struct xylem_txn *txn;

static int must(int code)
{
    if (code < 0) {
        fail_msg("%s: %s", xylem_code_text(code), err.text);
    }
    return code;
}

static void open_copy(const char *at)
{
    struct xylem_open_options options = {.durability = XYLEM_DURABILITY_NONE};
    must(xylem_open(&store, at, &options, &err));
    must(xylem_begin(&txn, store, XYLEM_WRITE, &err));
}

static void close_copy(void)
{
    must(xylem_commit(txn, &err));
    must(xylem_close(store, &err));
}

static int set_up(void **state)
{
    (void)state;
    const char *parent = getenv("TMPDIR");
    snprintf(place, sizeof place, "%s/xylem-kept-XXXXXX", parent && *parent ? parent : "/tmp");
    assert_non_null(mkdtemp(place));
    snprintf(path, sizeof path, "%s/store", place);
    struct damage_file file = damage_read(KEPT);
    damage_write(path, &file);
    damage_free(&file);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", place);
    return system(command);
}

#define ON_COPY(test) TEST_WITH(test, set_up, tear_down)

static bool has_changes(void)
{
    return must(xylem_store__feature_used(txn, XYLEM_FORMAT__FEATURE_CHANGES, &err)) == 1;
}

/* The number of entries that the feed tells behind the lsn. Nothing else is told. */
static uint64_t count_entries(uint64_t after)
{
    struct xylem_feed *feed = NULL;
    struct xylem_change change;
    uint64_t count = 0;
    must(xylem_feed_new(&feed, txn, after, &err));
    while (must(xylem_feed_next(&change, feed, &err)) == 1) {
        struct xylem_entry entry;
        assert_int_equal(change.type, XYLEM_CHANGE_ENTRY);
        must(xylem_entry_read(&entry, txn, change.position, &err));
        assert_int_equal(entry.lsn, change.lsn);
        count++;
    }
    xylem_feed_free(feed);
    return count;
}

ON_COPY(the_feed_of_an_older_store_tells_its_entries)
{
    struct xylem_verify_report report;
    uint64_t last;
    open_copy(path);
    assert_verified(txn);
    must(xylem_verify(&report, txn, NULL, NULL, NULL, &err));
    must(xylem_feed_last(&last, txn, &err));
    assert_true(report.entry_count > 50 && last > report.entry_count); /* some were freed */
    assert_int_equal(count_entries(0), report.entry_count);
    assert_int_equal(count_entries(last), 0);
    assert_int_equal(xylem_feed_new(NULL, txn, last + 1, &err), XYLEM_E_ARGUMENT);
    assert_false(has_changes());
    close_copy();
}

static struct xylem_session find_session(const char *id)
{
    struct xylem_session session;
    must(xylem_session_find(&session, txn, xylem_view_of(id), &err));
    return session;
}

static void append_one(uint64_t session)
{
    struct xylem_new_entry entry = {.kind.name = xylem_view_of("message")};
    must(xylem_append(NULL, txn, session, &entry, 1, NULL, &err));
}

static void assert_next(struct xylem_feed *feed, enum xylem_change_type type, uint64_t session, uint64_t lsn)
{
    struct xylem_change change;
    assert_int_equal(must(xylem_feed_next(&change, feed, &err)), 1);
    assert_string_equal(xylem_change_word(change.type), xylem_change_word(type));
    assert_int_equal(change.session, session);
    assert_int_equal(change.lsn, lsn);
}

/* An append alone leaves the store as an older xylem reads it. */
ON_COPY(an_older_store_takes_entries_as_before)
{
    uint64_t last;
    uint64_t now;
    open_copy(path);
    must(xylem_feed_last(&last, txn, &err));
    append_one(find_session("notes").number);
    must(xylem_feed_last(&now, txn, &err));
    assert_int_equal(now, last + 1);
    assert_int_equal(count_entries(last), 1);
    assert_false(has_changes());
    assert_verified(txn);
    close_copy();
}

ON_COPY(an_older_store_tells_its_changes_from_now_on)
{
    struct xylem_session made;
    struct xylem_feed *feed = NULL;
    struct xylem_change change;
    uint64_t last;
    open_copy(path);
    must(xylem_feed_last(&last, txn, &err));
    uint64_t notes = find_session("notes").number;
    must(xylem_session_create(&made, txn, NULL, &err));
    uint64_t number = made.number;
    append_one(notes);
    append_one(number);
    must(xylem_session_delete(txn, notes, &err));
    must(xylem_gc(NULL, txn, NULL, &err));
    assert_verified(txn);
    close_copy();
    open_copy(path);
    assert_verified(txn);
    assert_true(has_changes());
    must(xylem_feed_new(&feed, txn, last, &err)); /* a reader goes on where it was */
    assert_next(feed, XYLEM_CHANGE_CREATED, number, last + 1);
    assert_next(feed, XYLEM_CHANGE_ENTRY, number, last + 3); /* the entry of `notes` was freed */
    assert_next(feed, XYLEM_CHANGE_DELETED, notes, last + 4);
    int found;
    bool freed = false;
    while ((found = must(xylem_feed_next(&change, feed, &err))) == 1) { /* and of what was deleted before */
        assert_int_equal(change.type, XYLEM_CHANGE_FREED);
        freed = freed || change.session == notes;
    }
    assert_true(freed);
    xylem_feed_free(feed);
    close_copy();
}

static void repair_copy(struct xylem_repair_report *report)
{
    struct changes changes;
    char repaired[300];
    snprintf(repaired, sizeof repaired, "%s/repaired", place);
    must(xylem_repair(report, path, repaired, NULL, NULL, NULL, &err));
    open_copy(repaired);
    assert_verified(txn);
    if (!changes_agree(&changes, txn, true)) {
        fail_msg("%s", changes.problem);
    }
    close_copy();
}

ON_COPY(an_older_store_is_repaired_and_keeps_its_lsns)
{
    struct xylem_repair_report report;
    repair_copy(&report);
    assert_true(report.complete);
    assert_int_equal(report.changed_entry_count, 0);
    assert_int_equal(report.lost_entry_count, 0);
}

ON_COPY(an_older_store_is_repaired_without_its_format)
{
    struct xylem_repair_report report;
    struct xylem_repair__salvage *salvage = NULL;
    struct damage_file file = damage_read(path);
    must(xylem_repair__salvage_new(&salvage, path, &err));
    const struct xylem_repair__salvaged *row = xylem_repair__salvage_meta(salvage, XYLEM_FORMAT__META_FORMAT);
    while (row) {
        damage_zero_page(&file, row->page);
        damage_write(path, &file);
        xylem_repair__salvage_free(salvage);
        must(xylem_repair__salvage_new(&salvage, path, &err));
        row = xylem_repair__salvage_meta(salvage, XYLEM_FORMAT__META_FORMAT);
    }
    xylem_repair__salvage_free(salvage);
    damage_free(&file);
    repair_copy(&report);
    assert_int_equal(report.lost_entry_count, 0);
    assert_true(report.entry_count > 50);
}
