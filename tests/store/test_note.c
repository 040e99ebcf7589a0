/* Notes: small values under names, written in the transaction of whatever else is written. */
#include "xylem/note.h"

#include <stdio.h>
#include <string.h>

#include "store/meta.h"
#include "xylem/care.h"
#include "xylem/feed.h"
#include "xylem/inspect.h"
#include "tests/lib/chance.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"
#include "tests/store/rows.h"

static const struct xylem_view none = {NULL, 0};
static struct xylem_error err;

static void put(const char *name, const char *value)
{
    struct xylem_view bytes = value ? xylem_view_of(value) : none;
    store_builder_must(xylem_note_put(builder.txn, xylem_view_of(name), bytes, &err), &err);
}

static void assert_note(const char *name, const char *value)
{
    struct xylem_view read = none;
    int code = xylem_note_get(&read, builder.txn, xylem_view_of(name), &err);
    assert_int_equal(code, value ? XYLEM_OK : XYLEM_E_NOT_FOUND);
    if (value) {
        assert_int_equal(read.bytes, strlen(value));
        assert_memory_equal(read.data, value, read.bytes);
    }
}

/* "a=1 b= " */
static void assert_notes(const char *expected)
{
    char text[1024] = "";
    struct xylem_notes *notes;
    struct xylem_note note;
    int code;
    store_builder_must(xylem_notes_new(&notes, builder.txn, &err), &err);
    while ((code = store_builder_must(xylem_notes_next(&note, notes, &err), &err)) == 1) {
        size_t bytes = strlen(text);
        (void)snprintf(text + bytes, sizeof text - bytes, "%.*s=%.*s ", (int)note.name.bytes, note.name.data,
                       (int)note.value.bytes, note.value.data);
    }
    assert_int_equal(xylem_notes_next(&note, notes, &err), 0);
    xylem_notes_free(notes);
    assert_string_equal(text, expected);
}

static uint64_t problems(void)
{
    struct xylem_verify_report report;
    store_builder_commit(&builder);
    store_builder_must(xylem_verify(&report, builder.txn, NULL, NULL, NULL, &err), &err);
    return report.problem_count;
}

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

IN_SCENE(a_note_is_read_replaced_and_removed)
{
    assert_notes("");
    assert_note("fleet:ship", NULL);
    put("fleet:ship", NULL);
    put("fleet:ship", "17");
    put("other", "");
    put("a", "first");
    assert_notes("a=first fleet:ship=17 other= ");
    put("fleet:ship", "a longer value");
    assert_note("fleet:ship", "a longer value");
    assert_note("fleet:shi", NULL);
    assert_note("fleet:ship2", NULL);
    assert_note("", NULL);
    store_builder_reopen(&builder);
    put("a", NULL);
    assert_notes("fleet:ship=a longer value other= ");
    assert_int_equal(problems(), 0);
}

/* The rows `freed`, `leases`, `notes`, `removed` and the owners of sessions stand beside the notes. */
IN_SCENE(no_other_row_is_a_note)
{
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_messages(&builder, session, 2);
    store_builder_must(xylem_session_delete(builder.txn, session, &err), &err);
    store_builder_must(xylem_gc(NULL, builder.txn, NULL, &err), &err);
    assert_notes("");
    put("s", "1");
    assert_notes("s=1 ");
    assert_note("notes", NULL);
    assert_int_equal(problems(), 0);
}

IN_SCENE(a_note_is_committed_with_the_rest_or_not_at_all)
{
    put("place", "1");
    store_builder_commit(&builder);
    put("place", "2");
    store_builder_session(&builder, "s");
    xylem_abort(builder.txn);
    store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), &err);
    assert_note("place", "1");
    struct xylem_txn *reader;
    store_builder_must(xylem_begin(&reader, builder.store, XYLEM_READ, &err), &err);
    assert_int_equal(xylem_note_put(reader, xylem_view_of("place"), none, NULL), XYLEM_E_READ_ONLY);
    xylem_abort(reader);
}

IN_SCENE(a_note_is_no_change_of_the_feed)
{
    struct xylem_cursor before;
    struct xylem_cursor after;
    store_builder_session(&builder, "s");
    store_builder_must(xylem_feed_last(&before, builder.txn, &err), &err);
    put("place", "1");
    store_builder_must(xylem_feed_last(&after, builder.txn, &err), &err);
    assert_int_equal(after.lsn, before.lsn);
    assert_int_equal(after.chain, before.chain);
}

/* The value, and the name, may be views of the transaction, which the write makes invalid. */
IN_SCENE(a_note_may_be_written_from_a_note)
{
    struct xylem_notes *notes;
    struct xylem_note note;
    put("from", "the value of the first note");
    store_builder_commit(&builder);
    store_builder_must(xylem_notes_new(&notes, builder.txn, &err), &err);
    assert_int_equal(xylem_notes_next(&note, notes, &err), 1);
    xylem_notes_free(notes);
    store_builder_must(xylem_note_put(builder.txn, note.value, note.name, &err), &err);
    assert_notes("from=the value of the first note the value of the first note=from ");
}

IN_SCENE(names_and_values_have_limits)
{
    static char longest[XYLEM_NOTE_VALUE_BYTES_MAX + 1];
    memset(longest, 'n', sizeof longest);
    struct xylem_view name = {longest, XYLEM_NOTE_NAME_BYTES_MAX};
    struct xylem_view value = {longest, XYLEM_NOTE_VALUE_BYTES_MAX};
    struct xylem_view read;
    store_builder_must(xylem_note_put(builder.txn, name, value, &err), &err);
    store_builder_must(xylem_note_get(&read, builder.txn, name, &err), &err);
    assert_int_equal(read.bytes, XYLEM_NOTE_VALUE_BYTES_MAX);
    value.bytes++;
    assert_int_equal(xylem_note_put(builder.txn, name, value, NULL), XYLEM_E_LIMIT);
    name.bytes++;
    assert_int_equal(xylem_note_put(builder.txn, name, none, NULL), XYLEM_E_LIMIT);
    assert_int_equal(xylem_note_get(&read, builder.txn, name, NULL), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_note_put(builder.txn, none, none, NULL), XYLEM_E_LIMIT);
    assert_int_equal(xylem_note_put(builder.txn, (struct xylem_view){"a\0b", 3}, none, NULL), XYLEM_E_MALFORMED);
    assert_int_equal(xylem_note_put(builder.txn, xylem_view_of("\xff"), none, NULL), XYLEM_E_MALFORMED);
    assert_int_equal(problems(), 0);
}

IN_SCENE(a_full_store_takes_no_other_note_until_one_goes)
{
    char name[16];
    struct xylem_view value = {"v", 1};
    for (unsigned i = 0; i < XYLEM_NOTES_MAX; i++) {
        (void)snprintf(name, sizeof name, "n%u", i);
        store_builder_must(xylem_note_put(builder.txn, xylem_view_of(name), value, &err), &err);
    }
    assert_int_equal(xylem_note_put(builder.txn, xylem_view_of("more"), value, NULL), XYLEM_E_LIMIT);
    put("n17", "replaced");
    put("n18", NULL);
    put("more", "v");
    assert_int_equal(xylem_note_put(builder.txn, xylem_view_of("n18"), value, NULL), XYLEM_E_LIMIT);
    store_builder_commit(&builder);
    struct xylem_txn *reader;
    struct xylem_stat stat;
    store_builder_must(xylem_begin(&reader, builder.store, XYLEM_READ, &err), &err);
    store_builder_must(xylem_stat_read(&stat, reader, &err), &err);
    assert_int_equal(stat.note_count, XYLEM_NOTES_MAX);
    xylem_abort(reader);
    assert_int_equal(problems(), 0);
}

/* Changes a byte of the row of a note, or of the count. */
static void damage(const char *key, size_t at, bool summed)
{
    struct rows rows = rows_of(builder.txn, XYLEM_FORMAT__META);
    for (size_t i = 0; i < rows.count; i++) {
        struct row *row = &rows.rows[i];
        if (row->key.bytes == strlen(key) && memcmp(row->key.data, key, row->key.bytes) == 0) {
            row_remove(builder.txn, XYLEM_FORMAT__META, row);
            row->value.data[at] ^= 1;
            if (summed) {
                row_sum(XYLEM_FORMAT__META, row);
            }
            row_put(builder.txn, XYLEM_FORMAT__META, row);
        }
    }
    rows_release(&rows);
}

IN_SCENE(a_damaged_note_is_corrupt)
{
    struct xylem_view read;
    struct xylem_notes *notes;
    struct xylem_note note;
    put("place", "17");
    store_builder_commit(&builder);
    damage("note:place", 0, false);
    assert_int_equal(xylem_note_get(&read, builder.txn, xylem_view_of("place"), NULL), XYLEM_E_CORRUPT);
    store_builder_must(xylem_notes_new(&notes, builder.txn, &err), &err);
    assert_int_equal(xylem_notes_next(&note, notes, NULL), XYLEM_E_CORRUPT);
    xylem_notes_free(notes);
    assert_true(problems() >= 2); /* and the count finds a note less */
}

IN_SCENE(a_wrong_count_of_notes_is_found)
{
    put("place", "17");
    store_builder_commit(&builder);
    damage("notes", 0, true); /* 0 */
    assert_int_equal(problems(), 1);
    assert_int_equal(xylem_note_put(builder.txn, xylem_view_of("place"), none, NULL), XYLEM_E_CORRUPT);
}

/* --- A model ------------------------------------------------------------------------------------------------------ */

#define NAMES 9
#define OPERATIONS 60

static void run_seed(uint64_t seed)
{
    struct chance chance = chance_of(seed);
    char model[NAMES][24] = {""}; /* the value; empty: no note */
    char expected[NAMES * 32];
    store_builder_open(&builder);
    for (unsigned i = 0; i < OPERATIONS; i++) {
        unsigned which = (unsigned)chance_below(&chance, NAMES);
        char name[2] = {(char)('a' + which), '\0'};
        if (chance_one_in(&chance, 3)) {
            model[which][0] = '\0';
            put(name, NULL);
        } else {
            (void)snprintf(model[which], sizeof model[which], "%.*s%u", chance_below(&chance, 12), "xxxxxxxxxxxx", i);
            put(name, model[which]);
        }
        if (chance_one_in(&chance, 8)) {
            store_builder_commit(&builder);
        }
        size_t bytes = 0;
        expected[0] = '\0';
        for (unsigned n = 0; n < NAMES; n++) {
            bytes += model[n][0] == '\0' ? 0
                                         : (size_t)snprintf(expected + bytes, sizeof expected - bytes, "%c=%s ",
                                                            'a' + (int)n, model[n]);
        }
        assert_notes(expected);
    }
    assert_int_equal(problems(), 0);
    store_builder_close(&builder);
}

TEST(any_writes_leave_the_notes_of_a_plain_model)
{
    test_seeds(run_seed, 20);
}
