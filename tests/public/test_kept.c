/*
 * Kept stores: the golden store of the present format, fixtures/store-3, which an earlier build made by golden.c; and
 * stores of the two formats before, which are refused.
 *
 *     XYLEM_GOLDEN=DIRECTORY build/tests/public/test_kept     also makes the golden store anew in DIRECTORY
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/feed.h"
#include "store/format/hash.h"
#include "store/format/keys.h"
#include "store/format/record.h"
#include "store/lmdb/tables.h"
#include "store/session.h"
#include "store/source.h"
#include "tests/lib/changes.h"
#include "tests/lib/damage.h"
#include "tests/lib/golden.h"
#include "tests/lib/test.h"
#include "tests/lib/verified.h"
#include "tests/store/rows.h"
#include "xylem/append.h"
#include "xylem/branch.h"
#include "xylem/care.h"
#include "xylem/feed.h"
#include "xylem/inspect.h"

#define KEPT "fixtures/store-3"

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
    test_directory_make(place, sizeof place, "kept");
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

ON_COPY(a_kept_store_opens_and_tells_its_changes)
{
    struct changes changes;
    struct xylem_verify_report report;
    open_copy(path);
    assert_verified(txn);
    must(xylem_verify(&report, txn, NULL, NULL, NULL, &err));
    assert_true(report.entry_count > 50);
    if (!changes_agree(&changes, txn, false)) {
        fail_msg("%s", changes.problem);
    }
    close_copy();
}

/* The history of the session goes on where it ended. */
ON_COPY(a_kept_store_takes_changes_as_any_store)
{
    struct xylem_session session;
    struct xylem_new_entry entry = {.kind.name = xylem_view_of("message")};
    open_copy(path);
    must(xylem_session_find(&session, txn, xylem_view_of("source"), &err));
    uint64_t number = session.number;
    uint64_t count = session.history.count;
    assert_true(count > 10);
    must(xylem_append(NULL, txn, number, &entry, 1, NULL, &err));
    must(xylem_navigate(txn, number, (struct xylem_position){0, 0}, xylem_view_of(""), &err));
    must(xylem_session_read(&session, txn, number, &err));
    assert_int_equal(session.history.count, count + 2);
    assert_verified(txn);
    close_copy();
}

/* The path of a kept store of an older format stands in the text, and what to do with the program that wrote it. */
static void assert_too_old(const char *kept, const char *way_out)
{
    struct damage_file file = damage_read(kept);
    damage_write(path, &file);
    damage_free(&file);
    store = NULL;
    assert_int_equal(xylem_open(&store, path, NULL, &err), XYLEM_E_TOO_OLD);
    assert_non_null(strstr(err.text, path));
    assert_non_null(strstr(err.text, way_out));
}

ON_COPY(stores_of_older_formats_are_refused_with_the_way_out)
{
    assert_too_old("fixtures/store-2", "has format version 2, and this library reads version 3: export its sessions "
                                       "with the program that wrote it (`xylem export --all DIRECTORY`)");
    assert_non_null(strstr(err.text, "into a new store (`xylem -s NEW import DIRECTORY`)"));
    assert_too_old("fixtures/store-1", "xylem export --with-quarantine -o \"$s.jsonl\" \"$s\"");
    assert_non_null(strstr(err.text, "stay behind")); /* the text is not cut */
}

TEST(the_golden_store_is_made_where_the_environment_says)
{
    const char *directory = getenv("XYLEM_GOLDEN");
    if (!directory) {
        skip();
    }
    golden_make(directory);
}

/* Each row that is seen sets a bit. */
struct seen {
    unsigned tables;
    unsigned flags;
    unsigned formats;
    unsigned feed_tags;
    unsigned change_types;
    unsigned states;
    unsigned outline_tags;
    unsigned lines;
    unsigned namespaces;
    unsigned sources; /* noted, imported, with growth, with displaced lines, with a torn tail */
};

static void see_row(struct seen *seen, enum xylem_format__table table, const struct row *row)
{
    struct xylem_entry entry;
    struct xylem_session session;
    struct xylem_store__source source;
    struct xylem_store__feed feed;
    struct xylem_view key = view_of(&row->key);
    struct xylem_view value = view_of(&row->value);
    uint64_t number;
    seen->tables |= 1u << table;
    if (table == XYLEM_FORMAT__LOG) {
        struct xylem_position at;
        assert_true(xylem_format__key_read_pair(&at.branch, &at.depth, key));
        must(xylem_format__record_decode(&entry, at, value, &err));
        seen->flags |= entry.flags;
        seen->formats |= 1u << entry.format;
        seen->lines += entry.line_bytes > 0 && !(entry.flags & XYLEM_ENTRY_REDACTED);
        return;
    }
    assert_true(xylem_format__row_unseal(&value, table, key));
    if (table == XYLEM_FORMAT__FEED) {
        feed = feed_of(row);
        seen->feed_tags |= 1u << feed.tag;
        seen->change_types |= feed.tag == XYLEM_FORMAT__FEED_CHANGE ? 1u << feed.type : 0;
    } else if (table == XYLEM_FORMAT__SESSIONS) {
        assert_true(xylem_format__key_read_u64(&number, key));
        must(xylem_store__session_decode(&session, number, value, &err));
        seen->states |= 1u << session.state;
        seen->namespaces += session.name_space.bytes > 0;
    } else if (table == XYLEM_FORMAT__OUTLINES) {
        seen->outline_tags |= 1u << row->key.data[0];
    } else if (table == XYLEM_FORMAT__SOURCES) {
        must(xylem_store__source_decode(&source, txn, value, &err));
        seen->sources |= (source.order == 0 ? 1u : 2u) | (source.growth.known ? 4u : 0) |
                         (source.displaced_count > 0 ? 8u : 0) | (source.tail.bytes > 0 ? 16u : 0);
    }
}

/* But what a redaction has between two pieces, 4,097 kinds on one path, and notices, which every command takes away. */
ON_COPY(the_golden_store_has_every_kind_of_row)
{
    static const char *const meta[] = {"format",  "uuid",   "incarnation", "floors",     "freed",
                                       "removed", "leases", "notes",       "note:a note"};
    struct seen seen = {0};
    open_copy(path);
    for (unsigned table = 0; table < XYLEM_FORMAT__TABLE_COUNT; table++) {
        struct rows rows = rows_of(txn, (enum xylem_format__table)table);
        for (size_t i = 0; i < rows.count; i++) {
            see_row(&seen, (enum xylem_format__table)table, &rows.rows[i]);
        }
        rows_release(&rows);
    }
    assert_int_equal(seen.tables, (1u << XYLEM_FORMAT__TABLE_COUNT) - 1);
    assert_int_equal(seen.flags | XYLEM_ENTRY_HEADS_INCOMPLETE, XYLEM_FORMAT__ENTRY_FLAGS_KNOWN);
    assert_int_equal(seen.formats, 15);
    assert_int_equal(seen.feed_tags, 15);
    assert_int_equal(seen.change_types, (1u << XYLEM_CHANGE_TYPE_COUNT) - 2);
    assert_int_equal(seen.states, 15);
    assert_int_equal(seen.outline_tags | 1u << XYLEM_FORMAT__OUTLINE_STALE,
                     (1u << (XYLEM_FORMAT__OUTLINE_WORDS + 1)) - 1);
    assert_int_equal(seen.sources, 31);
    assert_true(seen.lines > 0 && seen.namespaces > 0);
    for (size_t i = 0; i < sizeof meta / sizeof *meta; i++) {
        struct xylem_view value;
        assert_int_equal(must(xylem_lmdb__get_summed(&value, txn, XYLEM_FORMAT__META, xylem_view_of(meta[i]), &err)),
                         1);
    }
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

ON_COPY(a_kept_store_is_repaired_and_keeps_its_lsns)
{
    struct xylem_repair_report report;
    repair_copy(&report);
    assert_true(report.complete);
    assert_int_equal(report.changed_entry_count, 0);
    assert_int_equal(report.lost_entry_count, 0);
}

ON_COPY(a_kept_store_is_repaired_without_its_format)
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
