#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "store/meta.h"
#include "tests/lib/damage.h"
#include "tests/lib/store_builder.h"
#include "tests/lib/test.h"
#include "tests/lib/verified.h"
#include "xylem/append.h"
#include "xylem/care.h"
#include "xylem/feed.h"
#include "xylem/inspect.h"
#include "xylem/note.h"

static struct store_builder builder;
static struct xylem_error err;
static char place[64];
static char backup[96];

static int set_up(void **state)
{
    (void)state;
    store_builder_open(&builder);
    test_directory_make(place, sizeof place, "lives");
    snprintf(backup, sizeof backup, "%s/copy", place);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    char command[128];
    store_builder_close(&builder);
    snprintf(command, sizeof command, "rm -rf %s", place);
    return system(command);
}

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

static void append(struct xylem_txn *txn, uint64_t session, size_t count)
{
    struct xylem_new_entry entries[8] = {{.id = {NULL, 0}}};
    for (size_t i = 0; i < count; i++) {
        entries[i].kind.name = xylem_view_of("message");
    }
    store_builder_must(xylem_append(NULL, txn, session, entries, count, NULL, &err), &err);
}

static struct xylem_cursor last_of(struct xylem_txn *txn)
{
    struct xylem_cursor cursor;
    store_builder_must(xylem_feed_last(&cursor, txn, &err), &err);
    return cursor;
}

static struct xylem_incarnation life_of(struct xylem_txn *txn)
{
    struct xylem_incarnation life;
    store_builder_must(xylem_incarnation_read(&life, txn, &err), &err);
    return life;
}

/* The code of a reader that goes on behind a cursor. */
static int go_on(struct xylem_txn *txn, struct xylem_cursor cursor)
{
    struct xylem_feed *feed = NULL;
    int code = xylem_feed_new(&feed, txn, &cursor, &err);
    xylem_feed_free(feed);
    return code;
}

static void assert_parts(struct xylem_txn *txn, struct xylem_cursor cursor, const char *text)
{
    assert_int_equal(go_on(txn, cursor), XYLEM_E_CONFLICT);
    assert_non_null(strstr(err.text, text));
}

/* Each test runs twice: with compacted copies, and with copies whose pages keep their places. */
static const struct xylem_backup_options in_place = {.keep_pages = true};
static const struct xylem_backup_options *how;

static int keep_pages(void **state)
{
    (void)state;
    how = &in_place;
    return 0;
}

static int compact_again(void **state)
{
    (void)state;
    how = NULL;
    return 0;
}

TEST_FILE_ROUND("keep_pages", keep_pages, compact_again)

/* Makes a backup, and opens it for writing. */
static struct xylem_txn *open_backup(struct xylem_store **copy)
{
    struct xylem_txn *txn;
    store_builder_commit(&builder);
    xylem_abort(builder.txn);
    builder.txn = NULL;
    store_builder_must(xylem_backup(NULL, builder.store, backup, how, &err), &err);
    store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), &err);
    store_builder_must(xylem_open(copy, backup, NULL, &err), &err);
    store_builder_must(xylem_begin(&txn, *copy, XYLEM_WRITE, &err), &err);
    return txn;
}

IN_SCENE(the_first_life_of_a_store_has_its_uuid)
{
    unsigned char uuid[16];
    struct xylem_incarnation life = life_of(builder.txn);
    store_builder_must(xylem_store_uuid(uuid, builder.txn, &err), &err);
    assert_memory_equal(life.uuid, uuid, 16);
    assert_true(life.lsn == 0 && life.chain == 0);
    assert_memory_equal(life.before, (unsigned char[16]){0}, 16);
}

IN_SCENE(a_reader_goes_on_behind_each_change_it_was_given)
{
    struct xylem_feed *feed;
    struct xylem_change change;
    struct xylem_cursor cursors[16];
    size_t count = 0;
    uint64_t session = store_builder_session(&builder, "s");
    append(builder.txn, session, 3);
    append(builder.txn, session, 2);
    store_builder_must(xylem_feed_new(&feed, builder.txn, NULL, &err), &err);
    do {
        store_builder_must(xylem_feed_cursor(&cursors[count++], feed, &err), &err);
    } while (xylem_feed_next(&change, feed, &err) == 1);
    xylem_feed_free(feed);
    assert_int_equal(count, 7);
    assert_memory_equal(&cursors[6], &(struct xylem_cursor[]){last_of(builder.txn)}[0], sizeof cursors[0]);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(cursors[i].lsn, i);
        assert_true(i == 0 || cursors[i].chain != 0);
        store_builder_must(xylem_feed_new(&feed, builder.txn, &cursors[i], &err), &err);
        assert_int_equal(xylem_feed_next(&change, feed, &err), i < 6);
        assert_true(i == 6 || change.lsn == i + 1);
        xylem_feed_free(feed);
    }
}

IN_SCENE(a_backup_that_nobody_writes_is_the_store)
{
    struct xylem_store *copy;
    uint64_t session = store_builder_session(&builder, "s");
    append(builder.txn, session, 2);
    struct xylem_cursor cursor = last_of(builder.txn);
    struct xylem_txn *txn = open_backup(&copy);
    struct xylem_incarnation life = life_of(txn);
    assert_memory_equal(life.uuid, life_of(builder.txn).uuid, 16);
    store_builder_must(go_on(txn, cursor), &err);
    store_builder_must(xylem_note_put(txn, xylem_view_of("a note"), xylem_view_of("is no change"), &err), &err);
    assert_memory_equal(life_of(txn).uuid, life.uuid, 16);
    xylem_abort(txn);
    store_builder_must(xylem_close(copy, &err), &err);
}

IN_SCENE(the_first_change_of_a_backup_begins_another_life)
{
    struct xylem_store *copy;
    uint64_t session = store_builder_session(&builder, "s");
    append(builder.txn, session, 3);
    append(builder.txn, session, 2);
    struct xylem_cursor middle = {.lsn = 3};
    memcpy(middle.incarnation, life_of(builder.txn).uuid, 16);
    struct xylem_cursor end = last_of(builder.txn);
    struct xylem_txn *txn = open_backup(&copy);
    append(txn, session, 1);
    struct xylem_incarnation life = life_of(txn);
    assert_true(life.lsn == 6 && life.chain == end.chain);
    assert_memory_equal(life.before, end.incarnation, 16);
    assert_memory_not_equal(life.uuid, end.incarnation, 16);
    append(txn, session, 1);
    assert_memory_equal(life_of(txn).uuid, life.uuid, 16); /* one life, however many changes */
    assert_int_equal(xylem_store__feature_used(txn, XYLEM_FORMAT__FEATURE_COPY, &err), 0);
    assert_verified(txn);
    store_builder_must(go_on(txn, middle), &err);
    store_builder_must(go_on(txn, end), &err);
    append(builder.txn, session, 1);
    assert_parts(txn, last_of(builder.txn), "behind lsn 6");
    assert_parts(builder.txn, last_of(txn), "another store");
    xylem_abort(txn);
    store_builder_must(xylem_close(copy, &err), &err);
    assert_verified(builder.txn);
}

IN_SCENE(a_backup_of_a_backup_begins_a_life_of_its_own)
{
    struct xylem_store *copy;
    struct xylem_store *second;
    struct xylem_txn *txn;
    char path[128];
    uint64_t session = store_builder_session(&builder, "s");
    txn = open_backup(&copy);
    append(txn, session, 1);
    store_builder_must(xylem_commit(txn, &err), &err);
    snprintf(path, sizeof path, "%s/second", place);
    store_builder_must(xylem_backup(NULL, copy, path, how, &err), &err);
    store_builder_must(xylem_open(&second, path, NULL, &err), &err);
    store_builder_must(xylem_begin(&txn, second, XYLEM_WRITE, &err), &err);
    struct xylem_incarnation first = life_of(txn);
    append(txn, session, 1);
    assert_true(life_of(txn).lsn == 2 && first.lsn == 1);
    assert_memory_equal(life_of(txn).before, first.uuid, 16);
    assert_parts(txn, last_of(builder.txn), "another life"); /* two lives ago */
    xylem_abort(txn);
    store_builder_must(xylem_close(second, &err), &err);
    store_builder_must(xylem_close(copy, &err), &err);
}

/* No mark tells of a directory that was copied: only the chain does. */
IN_SCENE(a_copied_directory_that_went_its_own_way_is_found_by_the_chain)
{
    struct xylem_store *copy;
    struct xylem_txn *txn;
    char path[128];
    uint64_t session = store_builder_session(&builder, "s");
    append(builder.txn, session, 2);
    struct xylem_cursor before = last_of(builder.txn);
    store_builder_commit(&builder);
    struct damage_file file = damage_read(builder.path);
    snprintf(path, sizeof path, "%s/directory", place);
    damage_write(path, &file);
    damage_free(&file);
    store_builder_must(xylem_open(&copy, path, NULL, &err), &err);
    store_builder_must(xylem_begin(&txn, copy, XYLEM_WRITE, &err), &err);
    append(builder.txn, session, 2);
    append(txn, session, 3);
    store_builder_must(go_on(txn, before), &err);
    assert_parts(txn, last_of(builder.txn), "not those of the cursor"); /* lsn 5, amid three entries */
    assert_parts(builder.txn, last_of(txn), "an older copy");
    xylem_abort(txn);
    store_builder_must(xylem_close(copy, &err), &err);
}

IN_SCENE(a_cursor_of_another_store_is_refused)
{
    struct xylem_cursor cursor = {.incarnation = {1, 2, 3}, .lsn = 1};
    store_builder_session(&builder, "s");
    assert_parts(builder.txn, cursor, "another store");
    cursor.lsn = 0; /* from the first */
    store_builder_must(go_on(builder.txn, cursor), &err);
}

/* Whose place was freed has no chain any more, and is believed. */
IN_SCENE(a_cursor_amid_freed_changes_goes_on)
{
    uint64_t session = store_builder_session(&builder, "s");
    append(builder.txn, session, 3);
    struct xylem_cursor cursor = last_of(builder.txn);
    cursor.lsn = 3;
    cursor.chain = 77;
    assert_parts(builder.txn, cursor, "not those of the cursor");
    store_builder_must(xylem_session_delete(builder.txn, session, &err), &err);
    store_builder_must(xylem_gc(NULL, builder.txn, NULL, &err), &err);
    store_builder_must(go_on(builder.txn, cursor), &err);
}
