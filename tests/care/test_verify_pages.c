/* Verification of stores whose pages are damaged, and what may still be done with such a store. */

#include <stdio.h>
#include <sys/stat.h>

#include "store/pages/page.h"
#include "care/verify.h"
#include "tests/lib/test.h"
#include "tests/store/rows.h"

#define PAGE 4096u

static struct store_builder builder;
static struct xylem_error err;
static struct xylem_store *store;
static struct xylem_txn *reader;

/*
 * Two trees: `source` with two forks that share different parts of it and a fork of a fork, and one that shares
 * nothing.
 */
static int set_up(void **state)
{
    (void)state;
    store_builder_open(&builder);
    uint64_t source = store_builder_session(&builder, "source");
    struct xylem_position root = store_builder_add(&builder, source, "root", "message", "{\"a\":1}");
    struct xylem_position victim = store_builder_add(&builder, source, "victim-entry", "custom:readonly", "{\"b\":2}");
    store_builder_add(&builder, source, "last", "message", "{\"role\":\"the-payload\"}");
    store_builder_fork(&builder, source, root, XYLEM_FORK_AT, "before");
    uint64_t after = store_builder_fork(&builder, source, victim, XYLEM_FORK_AT, "after");
    struct xylem_position own = store_builder_add(&builder, after, "own", "message", NULL);
    store_builder_fork(&builder, after, own, XYLEM_FORK_AT, "after-after");
    uint64_t other = store_builder_session(&builder, "other");
    store_builder_add(&builder, other, "alone", "message", NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    xylem_abort(reader);
    reader = NULL;
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
    store = NULL;
    store_builder_close(&builder);
    return 0;
}

static void put_down(void)
{
    store_builder_commit(&builder);
    xylem_abort(builder.txn);
    builder.txn = NULL;
    store_builder_must(xylem_close(builder.store, &err), &err);
    builder.store = NULL;
}

static void pick_up(void)
{
    store_builder_must(xylem_open(&store, builder.path, NULL, &err), &err);
    store_builder_must(xylem_begin(&reader, store, XYLEM_READ, &err), &err);
}

/* The file's bytes while the store is closed. */
struct image {
    unsigned char *bytes;
    size_t count;
    char path[300];
};

static struct image image_read(void)
{
    struct image image = {NULL, 0, ""};
    struct stat file;
    snprintf(image.path, sizeof image.path, "%s/data.mdb", builder.path);
    assert_int_equal(stat(image.path, &file), 0);
    image.count = (size_t)file.st_size;
    image.bytes = malloc(image.count);
    FILE *from = fopen(image.path, "rb");
    assert_true(image.bytes && from);
    assert_int_equal(fread(image.bytes, 1, image.count, from), image.count);
    fclose(from);
    return image;
}

static void image_write(struct image *image)
{
    FILE *to = fopen(image->path, "wb");
    assert_non_null(to);
    assert_int_equal(fwrite(image->bytes, 1, image->count, to), image->count);
    assert_int_equal(fclose(to), 0);
    free(image->bytes);
}

static const unsigned char *newest_meta(const struct image *image)
{
    const unsigned char *second = image->bytes + PAGE;
    return xylem_pages__page_number_at(image->bytes + XYLEM_PAGES__META_TXN_OFFSET, 8) >
                   xylem_pages__page_number_at(second + XYLEM_PAGES__META_TXN_OFFSET, 8)
               ? image->bytes
               : second;
}

static uint64_t list_root(const struct image *image)
{
    return xylem_pages__tree_at(newest_meta(image) + XYLEM_PAGES__META_MAIN_OFFSET).root;
}

static void set_u16(unsigned char *at, unsigned number)
{
    at[0] = (unsigned char)number;
    at[1] = (unsigned char)(number >> 8);
}

/* The page that a table of the newest snapshot begins at; NULL: the free list's. */
static unsigned char *root_of(struct image *image, const char *table)
{
    if (!table) {
        return image->bytes + xylem_pages__tree_at(newest_meta(image) + XYLEM_PAGES__META_FREE_OFFSET).root * PAGE;
    }
    unsigned char *page = image->bytes + list_root(image) * PAGE;
    for (size_t at = 16; at < xylem_pages__page_lower(page); at += 2) {
        unsigned char *node = page + xylem_pages__page_number_at(page + at, 2);
        size_t bytes = (size_t)xylem_pages__page_number_at(node + 6, 2);
        if (bytes == strlen(table) && memcmp(node + 8, table, bytes) == 0) {
            return image->bytes + xylem_pages__tree_at(node + 8 + bytes).root * PAGE;
        }
    }
    fail_msg("there is no table %s", table);
    return NULL;
}

/* Flips a bit wherever the text stands. */
static void flip(struct image *image, const char *text)
{
    unsigned char *at = memmem(image->bytes, image->count, text, strlen(text));
    assert_non_null(at);
    for (; at; at = memmem(at, image->count - (size_t)(at - image->bytes), text, strlen(text))) {
        *at ^= 1;
    }
}

/* --- What is heard ----------------------------------------------------------------------------------------------- */

struct heard {
    unsigned problem_count;
    unsigned unread_count;
    unsigned page_count;  /* problems that name a page */
    unsigned named_count; /* that name the session and the entry */
    unsigned progress_count;
    unsigned progress_stop;
    bool stop_at_damaged;
    char damaged[200];
};

static int hear(void *context, const struct xylem_problem *problem)
{
    struct heard *heard = context;
    heard->problem_count++;
    heard->unread_count += strstr(problem->text, "rows were not read") != NULL;
    heard->page_count += problem->page != 0;
    heard->named_count += problem->session_id.data && problem->entry_id.data && problem->position.depth > 0;
    return 0;
}

static int hear_damaged(void *context, uint64_t session, struct xylem_view id)
{
    struct heard *heard = context;
    size_t used = strlen(heard->damaged);
    assert_true(session > 0);
    snprintf(heard->damaged + used, sizeof heard->damaged - used, "%.*s ", id.data ? (int)id.bytes : 1,
             id.data ? id.data : "?");
    return heard->stop_at_damaged;
}

static int hear_progress(void *context, const struct xylem_verify_report *so_far)
{
    struct heard *heard = context;
    assert_true(so_far->row_count > 0 || so_far->page_count > 0);
    return ++heard->progress_count == heard->progress_stop;
}

static struct xylem_verify_report verify_with(struct heard *heard, int expected)
{
    struct xylem_verify_options options = {.progress = hear_progress, .damaged = hear_damaged};
    struct xylem_verify_report report;
    int code = xylem_verify(&report, reader, &options, hear, heard, &err);
    if (code != expected) {
        fail_msg("%d, expected %d: %s", code, expected, code < 0 ? err.text : "");
    }
    assert_int_equal(report.problem_count, heard->problem_count);
    return report;
}

/* --- Pages ------------------------------------------------------------------------------------------------------- */

#define IN_STORE(test) TEST_WITH(test, set_up, tear_down)

IN_STORE(a_sound_store_has_sound_pages_and_whole_sessions)
{
    put_down();
    pick_up();
    struct heard heard = {0};
    struct xylem_verify_report report = verify_with(&heard, XYLEM_OK);
    assert_int_equal(report.problem_count, 0);
    assert_true(report.page_count > 5 && report.leaked_page_count == 0);
    assert_true(report.sessions_known && report.damaged_session_count == 0);
    assert_int_equal(report.session_count, 5);
    assert_int_equal(report.entry_count, 5);
}

IN_STORE(a_table_with_a_damaged_page_is_not_read_and_the_others_are)
{
    put_down();
    for (unsigned table = 0; table < XYLEM_FORMAT__TABLE_COUNT; table++) {
        const char *name = xylem_format__table_name(table);
        if (table == XYLEM_FORMAT__META || table == XYLEM_FORMAT__MOVES || table == XYLEM_FORMAT__SOURCES ||
            table == XYLEM_FORMAT__QUARANTINE || table == XYLEM_FORMAT__OUTLINES || table == XYLEM_FORMAT__SIDES) {
            continue; /* the store does not open without the first; the others are empty */
        }
        struct image image = image_read();
        struct image whole = image_read();
        unsigned char *root = root_of(&image, name);
        root[16] ^= 1; /* the place of its first node */
        image_write(&image);
        pick_up();
        struct heard heard = {0};
        struct xylem_verify_report report = verify_with(&heard, XYLEM_OK);
        assert_int_equal(report.unread_table_count, 1);
        assert_int_equal(heard.unread_count, 1);
        assert_int_equal(heard.page_count, 1);
        assert_int_equal(report.problem_count, 2);
        assert_int_equal(report.sessions_known, table == XYLEM_FORMAT__IDS || table == XYLEM_FORMAT__FEED ||
                                                    table == XYLEM_FORMAT__SESSION_IDS);
        assert_int_equal(report.entry_count, table == XYLEM_FORMAT__LOG ? 0 : 5);
        struct xylem_lmdb__rows *rows;
        assert_int_equal(xylem_lmdb__rows_new(&rows, reader, table, &err), XYLEM_E_CORRUPT);
        assert_non_null(strstr(err.text, name));
        xylem_abort(reader);
        reader = NULL;
        assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
        store = NULL;
        image_write(&whole);
    }
}

/* The key of `kinds` that LMDB would look for in vain does not keep it from reading the others. */
IN_STORE(keys_out_of_order_are_a_problem_and_are_read)
{
    put_down();
    struct image image = image_read();
    unsigned char *root = root_of(&image, "log");
    unsigned char *node = root + xylem_pages__page_number_at(root + 16, 2);
    node[8 + 1] = 9; /* depth 1 of branch 1 becomes 9 */
    image_write(&image);
    pick_up();
    struct heard heard = {0};
    struct xylem_verify_report report = verify_with(&heard, XYLEM_OK);
    assert_int_equal(report.unread_table_count, 0);
    assert_int_equal(heard.page_count, 1);
    assert_true(report.problem_count > 1);
    assert_int_equal(report.entry_count, 5);
    assert_true(report.sessions_known);
    assert_null(strstr(heard.damaged, "other"));
    assert_non_null(strstr(heard.damaged, "source"));
}

IN_STORE(without_a_snapshot_in_the_file_the_newest_is_looked_at)
{
    put_down();
    pick_up();
    for (int i = 0; i < 3; i++) {
        struct xylem_txn *txn;
        struct xylem_session session;
        store_builder_must(xylem_begin(&txn, store, XYLEM_WRITE, &err), &err);
        store_builder_must(xylem_session_create(&session, txn, NULL, &err), &err);
        store_builder_must(xylem_commit(txn, &err), &err);
    }
    struct heard heard = {0};
    struct xylem_verify_report report = verify_with(&heard, XYLEM_OK);
    assert_int_equal(report.problem_count, 0);
    assert_true(report.page_count > 5);
    assert_int_equal(report.session_count, 5);
}

IN_STORE(in_a_write_transaction_the_pages_are_left_alone)
{
    struct xylem_verify_report report;
    store_builder_must(xylem_verify(&report, builder.txn, NULL, NULL, NULL, &err), &err);
    assert_int_equal(report.problem_count, 0);
    assert_int_equal(report.page_count, 0);
    assert_int_equal(report.entry_count, 5);
}

/* LMDB would follow such a node out of the file, in whoever opens the store. */
IN_STORE(a_store_whose_list_of_tables_is_garbled_is_not_opened)
{
    put_down();
    struct image image = image_read();
    struct image whole = image_read();
    set_u16(image.bytes + list_root(&image) * PAGE + 16, 0xfffe);
    image_write(&image);
    assert_int_equal(xylem_open(&store, builder.path, NULL, &err), XYLEM_E_CORRUPT);
    assert_non_null(strstr(err.text, "the list of tables: its node 0 "));
    assert_null(store);
    image_write(&whole);
    pick_up();
}

/* --- Entries ----------------------------------------------------------------------------------------------------- */

IN_STORE(a_payload_that_is_not_its_own_is_found)
{
    put_down();
    struct image image = image_read();
    flip(&image, "the-payload");
    image_write(&image);
    pick_up();
    struct heard heard = {0};
    verify_with(&heard, XYLEM_OK);
    assert_int_equal(heard.problem_count, 1);
    assert_int_equal(heard.named_count, 1);
    assert_string_equal(heard.damaged, "source ");
}

IN_STORE(a_history_that_is_another_is_found)
{
    struct xylem_position at = {1, 2};
    struct xylem_format__record record = store_builder_record(&builder, at);
    record.check++;
    store_builder_rewrite(&builder, at, &record);
    put_down();
    pick_up();
    struct heard heard = {0};
    verify_with(&heard, XYLEM_OK);
    assert_true(heard.problem_count > 0);
}

IN_STORE(an_entry_that_is_lost_is_missed)
{
    store_builder_drop(&builder, (struct xylem_position){1, 2});
    put_down();
    pick_up();
    struct heard heard = {0};
    verify_with(&heard, XYLEM_OK);
    assert_true(heard.problem_count > 0);
}

/* --- Sessions ---------------------------------------------------------------------------------------------------- */

IN_STORE(those_that_share_what_is_damaged_are_damaged)
{
    store_builder_damage(&builder, (struct xylem_position){1, 2});
    put_down();
    pick_up();
    struct heard heard = {0};
    struct xylem_verify_report report = verify_with(&heard, XYLEM_OK);
    assert_true(report.sessions_known);
    assert_string_equal(heard.damaged, "source after after-after ");
    assert_int_equal(report.damaged_session_count, 3);
    assert_int_equal(report.session_count, 5);
}

/* The log tells of the deeper one first, and a table that comes later of the other one. */
IN_STORE(the_first_of_a_branchs_problems_says_who_shares_it)
{
    put_down();
    pick_up();
    struct heard heard = {0};
    struct xylem_verify_report verified = {.problem_count = 2};
    struct xylem_verify_options options = {.damaged = hear_damaged};
    struct xylem_care__verify verify = {
        .txn = reader, .report = &verified, .context = &heard, .options = &options, .err = &err};
    struct xylem_care__place deep = {.table = XYLEM_FORMAT__LOG, .position = {1, 3}};
    struct xylem_care__place shallow = {.table = XYLEM_FORMAT__IDS, .position = {1, 2}};
    store_builder_must(xylem_care__damage_note(&verify, &deep), &err);
    store_builder_must(xylem_care__damage_note(&verify, &shallow), &err);
    store_builder_must(xylem_care__damage_report(&verify), &err);
    xylem_care__damage_release(&verify.damage);
    assert_string_equal(heard.damaged, "source after after-after ");
    assert_int_equal(verified.damaged_session_count, 3);
}

IN_STORE(a_session_whose_row_is_damaged_is_counted_without_its_id)
{
    row_last_set(builder.txn, XYLEM_FORMAT__SESSIONS, 3, 0x7f, false);
    put_down();
    pick_up();
    struct heard heard = {0};
    struct xylem_verify_report report = verify_with(&heard, XYLEM_OK);
    assert_non_null(strstr(heard.damaged, "?"));
    assert_null(strstr(heard.damaged, "source"));
    assert_int_equal(report.damaged_session_count, 1);
}

IN_STORE(it_stops_when_a_callback_says_so)
{
    store_builder_damage(&builder, (struct xylem_position){1, 2});
    store_builder_grow(&builder, 5, test_rounds(40000));
    put_down();
    pick_up();
    struct heard heard = {0};
    verify_with(&heard, XYLEM_OK);
    assert_true(heard.progress_count > 100);
    for (unsigned stop = 1; stop < heard.progress_count; stop += heard.progress_count / 7) {
        struct heard stopped = {.progress_stop = stop};
        verify_with(&stopped, XYLEM_E_STOPPED);
        assert_int_equal(err.code, XYLEM_E_STOPPED);
    }
    struct heard at_damaged = {.stop_at_damaged = true};
    verify_with(&at_damaged, XYLEM_E_STOPPED);
}

/* --- Writing ----------------------------------------------------------------------------------------------------- */

static void assert_no_writer(const char *text)
{
    struct xylem_txn *txn = NULL;
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, &err), XYLEM_E_CORRUPT);
    assert_non_null(strstr(err.text, text));
    assert_null(txn);
}

IN_STORE(nothing_is_written_where_the_free_list_is_damaged)
{
    put_down();
    struct image image = image_read();
    unsigned char *root = root_of(&image, NULL);
    unsigned char *node = root + xylem_pages__page_number_at(root + 16, 2);
    unsigned char *list = node + 16;
    assert_true(xylem_pages__page_number_at(list, 8) >= 1);
    memset(list + 8, 0x11, 8); /* a page that cannot be */
    image_write(&image);
    pick_up();
    assert_no_writer("the free list: ");
    assert_no_writer("found damage before");
    struct xylem_session session;
    store_builder_must(xylem_session_find(&session, reader, xylem_view_of("source"), &err), &err);
    struct heard heard = {0};
    verify_with(&heard, XYLEM_OK);
    assert_int_equal(heard.problem_count, 1);
    assert_string_equal(heard.damaged, "");
}

/* LMDB itself would fault here. */
IN_STORE(the_figures_of_a_damaged_free_list_are_an_error)
{
    put_down();
    struct image image = image_read();
    unsigned char *root = root_of(&image, NULL);
    unsigned char *node = root + xylem_pages__page_number_at(root + 16, 2);
    memset(node, 0xff, 4); /* more bytes than there are */
    image_write(&image);
    pick_up();
    struct xylem_stat figures;
    struct xylem_session session;
    assert_int_equal(xylem_stat_read(&figures, reader, &err), XYLEM_E_CORRUPT);
    assert_non_null(strstr(err.text, "the free list: "));
    store_builder_must(xylem_session_find(&session, reader, xylem_view_of("source"), &err), &err);
    assert_no_writer("found damage before");
}

IN_STORE(nothing_is_written_once_verify_found_damaged_pages)
{
    put_down();
    struct image image = image_read();
    root_of(&image, "ids")[16] ^= 1;
    image_write(&image);
    pick_up();
    struct xylem_txn *txn;
    store_builder_must(xylem_begin(&txn, store, XYLEM_WRITE, &err), &err);
    xylem_abort(txn);
    struct heard heard = {0};
    verify_with(&heard, XYLEM_OK);
    assert_no_writer("found damage before");
}

/* `log` is made deep enough to have a branch page, whose first child then is one that cannot be. */
IN_STORE(nothing_is_written_once_lmdb_met_a_page_that_cannot_be)
{
    store_builder_grow(&builder, 1, 500);
    put_down();
    struct image image = image_read();
    unsigned char *root = root_of(&image, "log");
    assert_int_equal(xylem_pages__page_flags(root), XYLEM_PAGES__PAGE_BRANCH);
    unsigned char *node = root + xylem_pages__page_number_at(root + 16, 2);
    memset(node, 0x77, 6);
    image_write(&image);
    pick_up();
    struct xylem_entry entry;
    struct xylem_txn *txn;
    store_builder_must(xylem_begin(&txn, store, XYLEM_WRITE, &err), &err);
    struct xylem_session session;
    store_builder_must(xylem_session_create(&session, txn, NULL, &err), &err);
    assert_int_equal(xylem_entry_read(&entry, txn, (struct xylem_position){1, 1}, &err), XYLEM_E_CORRUPT);
    assert_int_equal(xylem_commit(txn, &err), XYLEM_E_CORRUPT);
    assert_no_writer("found damage before");
    xylem_abort(reader);
    reader = NULL;
    store_builder_must(xylem_close(store, &err), &err);
    store = NULL;
    pick_up();
    store_builder_must(xylem_begin(&txn, store, XYLEM_WRITE, &err), &err); /* nobody saw it yet */
    xylem_abort(txn);
}

/* A record that does not have its sum says nothing of the pages: others go on writing. */
IN_STORE(a_damaged_record_keeps_nobody_from_writing)
{
    store_builder_damage(&builder, (struct xylem_position){1, 2});
    put_down();
    pick_up();
    struct heard heard = {0};
    verify_with(&heard, XYLEM_OK);
    assert_true(heard.problem_count > 0);
    struct xylem_txn *txn;
    struct xylem_session session;
    store_builder_must(xylem_begin(&txn, store, XYLEM_WRITE, &err), &err);
    store_builder_must(xylem_session_create(&session, txn, NULL, &err), &err);
    store_builder_must(xylem_commit(txn, &err), &err);
}
