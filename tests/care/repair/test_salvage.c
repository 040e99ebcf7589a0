/* Reading a damaged file page by page: each row that proves itself is found, once, and nothing ends the reading. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "store/pages/file.h"
#include "xylem/redact.h"
#include "tests/lib/damage.h"
#include "tests/lib/store_builder.h"
#include "tests/lib/test.h"

#define ENTRIES 200u

static struct store_builder builder;
static struct xylem_error err;
static struct damage_file file; /* the store's, to be damaged */
static char damaged[300];
static struct xylem_repair__salvage *salvage;

/* A branch of 200 entries on some leaves, the last with a payload on pages of its own. */
static int set_up(void **state)
{
    (void)state;
    static char json[9000];
    snprintf(json, sizeof json, "{\"long\":\"%08000d\"}", 7);
    store_builder_open(&builder);
    uint64_t session = store_builder_session(&builder, "main");
    store_builder_messages(&builder, session, ENTRIES - 1);
    store_builder_add(&builder, session, "long", "message", json);
    store_builder_commit(&builder);
    store_builder_go(&builder, session, (struct xylem_position){1, 5});
    store_builder_commit(&builder);
    file = damage_read(builder.path);
    snprintf(damaged, sizeof damaged, "%s/damaged", builder.path);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    xylem_repair__salvage_free(salvage);
    salvage = NULL;
    damage_free(&file);
    store_builder_close(&builder);
    return 0;
}

static void salvage_file(void)
{
    damage_write(damaged, &file);
    xylem_repair__salvage_free(salvage);
    store_builder_must(xylem_repair__salvage_new(&salvage, damaged, &err), &err);
}

/* How many rows of the table prove themselves, and how many of these a tree leads to. */
static size_t count_proven(size_t *reached, enum xylem_format__table table)
{
    size_t proven = 0;
    struct xylem_repair__rows rows = xylem_repair__salvage_rows(salvage, table);
    *reached = 0;
    for (size_t i = 0; i < rows.count; i++) {
        bool is_proven = (rows.list[i].flags & XYLEM_REPAIR__ROW_PROVEN) != 0;
        proven += is_proven;
        *reached += is_proven && (rows.list[i].flags & XYLEM_REPAIR__ROW_REACHED) != 0;
    }
    return proven;
}

static void assert_rows(size_t records, size_t reached)
{
    size_t reached_rows;
    assert_int_equal(count_proven(&reached_rows, XYLEM_FORMAT__LOG), records);
    assert_int_equal(reached_rows, reached);
}

static size_t bad_pages(void)
{
    size_t count;
    xylem_repair__salvage_bad_pages(&count, salvage);
    return count;
}

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

IN_SCENE(every_row_of_a_whole_store_is_reached_once)
{
    size_t reached;
    salvage_file();
    assert_rows(ENTRIES, ENTRIES);
    assert_int_equal(bad_pages(), 0);
    assert_int_equal(count_proven(&reached, XYLEM_FORMAT__SESSIONS), 1);
    assert_int_equal(count_proven(&reached, XYLEM_FORMAT__BRANCHES), 1);
    assert_int_equal(count_proven(&reached, XYLEM_FORMAT__SESSION_IDS), 1);
    assert_int_equal(count_proven(&reached, XYLEM_FORMAT__KINDS), 2);
    assert_int_equal(count_proven(&reached, XYLEM_FORMAT__MOVES), 1);
    assert_true(xylem_repair__salvage_up_to_date(salvage));
    assert_false(xylem_repair__salvage_in_hole(salvage, XYLEM_FORMAT__BRANCHES, 1));
}

/* The leaf of the log on which an entry stands. */
static unsigned char *leaf_of(uint64_t depth)
{
    return file.bytes + damage_find(builder.path, XYLEM_FORMAT__LOG, 1, depth).page * DAMAGE_PAGE_BYTES;
}

IN_SCENE(rows_are_found_on_a_leaf_that_no_tree_leads_to)
{
    unsigned char *leaf = leaf_of(60);
    leaf[0] ^= 1; /* it says that it is another page */
    salvage_file();
    assert_int_equal(bad_pages(), 1);
    size_t reached;
    assert_int_equal(count_proven(&reached, XYLEM_FORMAT__LOG), ENTRIES);
}

IN_SCENE(rows_are_found_though_the_list_of_their_offsets_is_lost)
{
    unsigned char *leaf = leaf_of(60);
    leaf[XYLEM_PAGES__PAGE_HEADER_BYTES + 4] ^= 0x40; /* the third node's */
    leaf[12] ^= 0x02;                                 /* how many there are */
    salvage_file();
    size_t reached;
    assert_int_equal(count_proven(&reached, XYLEM_FORMAT__LOG), ENTRIES);
}

IN_SCENE(rows_are_found_on_pages_that_changed_places)
{
    unsigned char *a = leaf_of(1);
    unsigned char *b = leaf_of(100);
    unsigned char kept[DAMAGE_PAGE_BYTES];
    assert_true(a != b);
    memcpy(kept, a, sizeof kept);
    memcpy(a, b, sizeof kept);
    memcpy(b, kept, sizeof kept);
    salvage_file();
    size_t reached;
    assert_int_equal(count_proven(&reached, XYLEM_FORMAT__LOG), ENTRIES);
    assert_int_equal(bad_pages(), 2);
}

IN_SCENE(an_older_copy_of_a_row_does_not_outrank_the_reached_one)
{
    salvage_file(); /* the row of the session changed with the last commit: its leaf of before is still there */
    struct xylem_repair__rows rows = xylem_repair__salvage_rows(salvage, XYLEM_FORMAT__SESSIONS);
    assert_int_equal(rows.count, 1);
    assert_int_equal(rows.list[0].detail, 2); /* one navigation, and not deleted */
    uint64_t page = rows.list[0].page;
    damage_zero_page(&file, page);
    damage_zero_page(&file, damage_find(builder.path, XYLEM_FORMAT__BRANCHES, 1, 0).page);
    salvage_file();
    assert_true(xylem_repair__salvage_in_hole(salvage, XYLEM_FORMAT__BRANCHES, 1));
    rows = xylem_repair__salvage_rows(salvage, XYLEM_FORMAT__SESSIONS);
    assert_int_equal(rows.count, 1);
    assert_int_equal(rows.list[0].detail, 0);
    assert_int_equal(rows.list[0].flags & XYLEM_REPAIR__ROW_REACHED, 0);
    assert_int_not_equal(rows.list[0].flags & XYLEM_REPAIR__ROW_IN_HOLE, 0);
}

static uint64_t page_of_branch(uint64_t number)
{
    return damage_find(builder.path, XYLEM_FORMAT__BRANCHES, number, 0).page;
}

/* Also where two of them touch each other, and between others. */
IN_SCENE(only_what_bad_pages_held_lies_in_holes)
{
    enum { BRANCHES = 900 };
    static const struct xylem_position root = {1, 1};
    for (unsigned i = 1; i < BRANCHES; i++) {
        store_builder_add_at(&builder, 1, root, NULL, "message", NULL);
    }
    store_builder_commit(&builder);
    uint64_t pages[BRANCHES + 1];
    uint64_t bad[3] = {0, 0, 0};
    for (uint64_t i = 1; i <= BRANCHES; i++) {
        pages[i] = page_of_branch(i);
        bad[2] = i > 600 && bad[2] == 0 && pages[i] != pages[600] ? pages[i] : bad[2]; /* the one behind it */
    }
    bad[0] = pages[240];
    bad[1] = pages[600];
    assert_true(bad[2] != 0 && pages[420] != bad[0] && pages[420] != bad[1] && pages[BRANCHES] != bad[2]);
    damage_free(&file);
    file = damage_read(builder.path);
    for (size_t i = 0; i < 3; i++) {
        damage_zero_page(&file, bad[i]);
    }
    salvage_file();
    for (uint64_t i = 1; i <= BRANCHES; i++) {
        bool is_bad = pages[i] == bad[0] || pages[i] == bad[1] || pages[i] == bad[2];
        assert_int_equal(xylem_repair__salvage_in_hole(salvage, XYLEM_FORMAT__BRANCHES, i), is_bad);
        assert_false(xylem_repair__salvage_in_hole(salvage, XYLEM_FORMAT__SESSIONS, i));
    }
}

/* A branch page of the log, with some nodes. */
static unsigned char *log_root(void)
{
    unsigned char *root = NULL;
    for (size_t page = 2; page < file.count / DAMAGE_PAGE_BYTES; page++) {
        unsigned char *bytes = file.bytes + page * DAMAGE_PAGE_BYTES;
        root = bytes[10] == XYLEM_PAGES__PAGE_BRANCH && xylem_pages__page_node_count(bytes, DAMAGE_PAGE_BYTES) > 4
                   ? bytes
                   : root;
    }
    assert_non_null(root);
    return root;
}

IN_SCENE(a_branch_page_that_leads_in_a_circle_ends)
{
    const struct xylem_pages__page_file pages = {.page_bytes = DAMAGE_PAGE_BYTES};
    struct xylem_pages__node node;
    unsigned char *root = log_root();
    assert_true(xylem_pages__page_file_node(&node, root, &pages, 2));
    memcpy(root + node.offset, root, 4); /* the third child is the page itself */
    salvage_file();
    size_t reached;
    assert_int_equal(count_proven(&reached, XYLEM_FORMAT__LOG), ENTRIES);
    assert_true(bad_pages() >= 1);
}

/* Some rows are not reached, and all of these are where the tree has a hole. */
static void assert_lost_rows_in_hole(void)
{
    size_t reached;
    struct xylem_repair__rows rows = xylem_repair__salvage_rows(salvage, XYLEM_FORMAT__LOG);
    assert_int_equal(count_proven(&reached, XYLEM_FORMAT__LOG), ENTRIES);
    assert_in_range(reached, 1, ENTRIES - 1);
    for (size_t i = 0; i < rows.count; i++) {
        assert_int_not_equal(rows.list[i].flags & (XYLEM_REPAIR__ROW_REACHED | XYLEM_REPAIR__ROW_IN_HOLE), 0);
    }
}

/* The hole that a damaged node leaves does not begin where its key says, nor does the one before it end there. */
IN_SCENE(a_node_of_a_branch_page_with_a_wrong_key_hides_no_row)
{
    static const int keys[] = {0, 0xff};
    const struct xylem_pages__page_file pages = {.page_bytes = DAMAGE_PAGE_BYTES};
    struct xylem_pages__node node;
    unsigned char *root = log_root();
    unsigned char whole[DAMAGE_PAGE_BYTES];
    memcpy(whole, root, sizeof whole);
    for (size_t index = 1; index < xylem_pages__page_node_count(whole, sizeof whole); index++) {
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            memcpy(root, whole, sizeof whole);
            assert_true(xylem_pages__page_file_node(&node, root, &pages, index));
            memset(root + node.offset, 0, 4); /* its child is no page of a tree */
            memset(root + node.offset + XYLEM_PAGES__NODE_HEADER_BYTES, keys[i], node.key.bytes);
            salvage_file();
            assert_lost_rows_in_hole();
        }
    }
}

/* The room between the offsets and the nodes may hold what an older page left there. */
IN_SCENE(an_offset_that_leads_to_an_older_node_hides_no_row)
{
    static const int keys[] = {0, 0xff};
    unsigned char *root = log_root();
    unsigned char whole[DAMAGE_PAGE_BYTES];
    memcpy(whole, root, sizeof whole);
    size_t lower = xylem_pages__page_lower(whole);
    assert_true(xylem_pages__page_upper(whole) - lower >= XYLEM_PAGES__NODE_HEADER_BYTES + 16u);
    for (size_t index = 1; index < xylem_pages__page_node_count(whole, sizeof whole); index++) {
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            unsigned char *offset = root + XYLEM_PAGES__PAGE_HEADER_BYTES + index * 2;
            memcpy(root, whole, sizeof whole);
            offset[0] = (unsigned char)lower;
            offset[1] = (unsigned char)(lower >> 8);
            memset(root + lower, 0, XYLEM_PAGES__NODE_HEADER_BYTES);
            root[lower + 6] = 16; /* bytes of its key */
            memset(root + lower + XYLEM_PAGES__NODE_HEADER_BYTES, keys[i], 16);
            salvage_file();
            assert_lost_rows_in_hole();
        }
    }
}

IN_SCENE(the_head_of_a_record_is_proven_though_the_file_ends_in_its_payload)
{
    struct damage_row row = damage_find(builder.path, XYLEM_FORMAT__LOG, 1, ENTRIES);
    assert_true(row.big);
    file.count = row.value + 1000;
    salvage_file();
    bool found = false;
    struct xylem_repair__rows rows = xylem_repair__salvage_rows(salvage, XYLEM_FORMAT__LOG);
    for (size_t i = 0; i < rows.count; i++) {
        if (rows.list[i].second == ENTRIES && rows.list[i].flags & XYLEM_REPAIR__ROW_PROVEN) {
            struct xylem_repair__content content;
            found = true;
            assert_int_not_equal(rows.list[i].flags & XYLEM_REPAIR__ROW_PAYLOAD_LOST, 0);
            store_builder_must(xylem_repair__salvage_read(&content, salvage, &rows.list[i], &err), &err);
            assert_int_equal(content.value.bytes, 1000);
            assert_int_equal(content.value_bytes, row.value_bytes);
        }
    }
    assert_true(found);
}

IN_SCENE(without_meta_pages_the_pages_tell_how_long_they_are)
{
    memset(file.bytes, 0, (size_t)2 * DAMAGE_PAGE_BYTES);
    salvage_file();
    assert_int_equal(xylem_repair__salvage_page_bytes(salvage), DAMAGE_PAGE_BYTES);
    assert_false(xylem_repair__salvage_up_to_date(salvage));
    assert_rows(ENTRIES, 0);
}

IN_SCENE(meta_pages_that_do_not_follow_each_other_are_not_trusted)
{
    file.bytes[XYLEM_PAGES__META_TXN_OFFSET + 3] ^= 1;
    salvage_file();
    assert_false(xylem_repair__salvage_up_to_date(salvage));
    size_t reached;
    assert_int_equal(count_proven(&reached, XYLEM_FORMAT__LOG), ENTRIES);
}

IN_SCENE(a_page_and_its_nodes_are_never_read_beyond_their_end)
{
    const struct xylem_pages__page_file pages = {.page_bytes = 512};
    struct xylem_pages__node node;
    unsigned char *page = malloc(512); /* of its own, so that a sanitizer sees what lies beyond */
    assert_non_null(page);
    for (unsigned round = 0; round < 4096; round++) {
        for (size_t i = 0; i < 512; i++) {
            page[i] = (unsigned char)((round * 2654435761u + i * 40503u) >> (round % 16));
        }
        size_t count = xylem_pages__page_node_count(page, 512);
        assert_in_range(count, 0, 248);
        for (size_t i = 0; i < 300; i++) {
            bool readable = xylem_pages__page_file_node(&node, page, &pages, i);
            assert_true(!readable || i < count);
            assert_true(!readable || node.end <= 512);
            if (readable && node.data && !(node.flags & XYLEM_PAGES__NODE_BIG)) {
                assert_true(node.data + node.value_bytes <= page + 512);
            }
        }
        assert_false(xylem_pages__node_read(&node, page, 512, 511, true));
        assert_false(xylem_pages__node_read(&node, page, 512, 600, false));
    }
    free(page);
}

/* --- Older rows ------------------------------------------------------------------------------------------------- */

/* How many records prove themselves and may be out of date. */
static size_t count_older(void)
{
    size_t older = 0;
    struct xylem_repair__rows rows = xylem_repair__salvage_rows(salvage, XYLEM_FORMAT__LOG);
    for (size_t i = 0; i < rows.count; i++) {
        const unsigned both = XYLEM_REPAIR__ROW_PROVEN | XYLEM_REPAIR__ROW_OLDER;
        older += (rows.list[i].flags & both) == both;
    }
    return older;
}

static unsigned char *newest_meta(void)
{
    const unsigned char *first = file.bytes + XYLEM_PAGES__META_TXN_OFFSET;
    bool second = xylem_pages__page_number_at(first + DAMAGE_PAGE_BYTES, 8) > xylem_pages__page_number_at(first, 8);
    return file.bytes + (second ? DAMAGE_PAGE_BYTES : 0);
}

/* The page on which LMDB's free list begins: with so few commits it has no other. */
static unsigned char *free_list(void)
{
    uint64_t root = xylem_pages__tree_at(newest_meta() + XYLEM_PAGES__META_FREE_OFFSET).root;
    assert_in_range(root, 2, file.count / DAMAGE_PAGE_BYTES - 1);
    return file.bytes + root * DAMAGE_PAGE_BYTES;
}

/* The last page that the newest transaction gave back, where the list has its number. */
static unsigned char *freed_number(void)
{
    const struct xylem_pages__page_file pages = {.page_bytes = DAMAGE_PAGE_BYTES};
    struct xylem_pages__node node;
    unsigned char *list = free_list();
    size_t count = xylem_pages__page_node_count(list, DAMAGE_PAGE_BYTES);
    assert_true(count > 0 && xylem_pages__page_file_node(&node, list, &pages, count - 1));
    assert_true(node.value_bytes >= 16 && !(node.flags & XYLEM_PAGES__NODE_BIG));
    return list + (node.data - list) + 8;
}

IN_SCENE(rows_that_no_tree_reaches_are_current_if_the_free_list_does_not_name_their_page)
{
    memset(log_root(), 0, DAMAGE_PAGE_BYTES);
    salvage_file();
    assert_rows(ENTRIES, 0);
    assert_int_equal(count_older(), 0);
}

IN_SCENE(all_rows_that_no_tree_reaches_are_older_where_the_free_list_cannot_be_read)
{
    memset(log_root(), 0, DAMAGE_PAGE_BYTES);
    free_list()[10] ^= 1; /* it says that it is no leaf */
    salvage_file();
    assert_rows(ENTRIES, 0);
    assert_int_equal(count_older(), ENTRIES);
}

/* Each number of it stands there alone, descends, and is that of a page that may be free. */
IN_SCENE(a_free_list_that_contradicts_itself_is_not_believed)
{
    memset(log_root(), 0, DAMAGE_PAGE_BYTES);
    unsigned char whole[DAMAGE_PAGE_BYTES];
    unsigned char *number = freed_number();
    memcpy(whole, free_list(), sizeof whole);
    static const uint64_t wrong[] = {0, 1, UINT64_C(1) << 40};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        memcpy(free_list(), whole, sizeof whole);
        memcpy(number, &wrong[i], sizeof wrong[i]);
        salvage_file();
        assert_int_equal(count_older(), ENTRIES);
    }
    memcpy(free_list(), whole, sizeof whole);
    memcpy(number + 8, number, 8); /* the same one twice */
    salvage_file();
    assert_int_equal(count_older(), ENTRIES);
}

/* Nobody can tell which of the two is wrong. */
IN_SCENE(reached_rows_of_a_page_that_the_free_list_names_are_older)
{
    uint64_t page = damage_find(builder.path, XYLEM_FORMAT__LOG, 1, ENTRIES).page;
    memcpy(freed_number(), &page, sizeof page);
    salvage_file();
    assert_rows(ENTRIES, ENTRIES);
    assert_in_range(count_older(), 1, ENTRIES - 1);
}

/* LMDB forgets pages: then only what a page of a tree leads to is known to be in use. */
IN_SCENE(where_a_page_is_left_over_one_that_nothing_names_may_be_it)
{
    unsigned char *last = newest_meta() + XYLEM_PAGES__META_LAST_PAGE_OFFSET;
    ++*last;
    leaf_of(60)[2] ^= 1; /* its parent names it */
    salvage_file();
    assert_int_equal(count_older(), 0);
    memset(log_root(), 0, DAMAGE_PAGE_BYTES);
    salvage_file();
    assert_int_equal(count_older(), ENTRIES);
}

IN_SCENE(a_row_between_those_of_a_page_is_older)
{
    unsigned char *leaf = leaf_of(60);
    const struct xylem_pages__page_file pages = {.page_bytes = DAMAGE_PAGE_BYTES};
    struct xylem_pages__node node;
    size_t upper = xylem_pages__page_upper(leaf);
    size_t count = xylem_pages__page_node_count(leaf, DAMAGE_PAGE_BYTES);
    for (size_t i = 0; i < count; i++) {
        assert_true(xylem_pages__page_file_node(&node, leaf, &pages, i));
        if (node.offset == upper) { /* LMDB takes a row out of the list and leaves its bytes */
            memmove(leaf + XYLEM_PAGES__PAGE_HEADER_BYTES + 2 * i, leaf + XYLEM_PAGES__PAGE_HEADER_BYTES + 2 * (i + 1),
                    2 * (count - i - 1));
            leaf[12] = (unsigned char)(leaf[12] - 2);
            leaf[14] = (unsigned char)node.end;
            leaf[15] = (unsigned char)(node.end >> 8);
            break;
        }
    }
    leaf[7] ^= 1; /* and the page is not reached any more */
    salvage_file();
    assert_int_equal(count_older(), 1);
}

IN_SCENE(a_page_that_states_the_number_of_a_free_page_may_be_a_copy_of_it)
{
    unsigned char *leaf = leaf_of(60);
    memcpy(leaf, freed_number(), 8);
    salvage_file();
    assert_in_range(count_older(), 1, ENTRIES - 1);
}

/* As where a sector of another page was copied over the list. */
IN_SCENE(rows_of_a_page_that_they_do_not_fill_are_older)
{
    unsigned char *leaf = leaf_of(60);
    memset(log_root(), 0, DAMAGE_PAGE_BYTES);
    salvage_file();
    assert_int_equal(count_older(), 0);
    leaf[10] ^= XYLEM_PAGES__PAGE_META; /* whatever it says of its kind */
    salvage_file();
    assert_int_equal(count_older(), 0);
    size_t lower = xylem_pages__page_lower(leaf) - 2;
    leaf[12] = (unsigned char)lower;
    leaf[13] = (unsigned char)(lower >> 8);
    salvage_file();
    assert_in_range(count_older(), 2, ENTRIES - 1);
}

/* --- What was removed ------------------------------------------------------------------------------------------- */

static void assert_removed(uint64_t redacted_before, uint64_t deleted_before)
{
    struct xylem_repair__removed removed = xylem_repair__salvage_removed(salvage);
    assert_int_equal(removed.redacted_before, redacted_before);
    assert_int_equal(removed.deleted_before, deleted_before);
}

IN_SCENE(the_store_says_up_to_where_something_was_removed)
{
    struct xylem_redact_report redacted;
    struct xylem_redact_options options = {.reason = xylem_view_of("a password")};
    salvage_file();
    assert_removed(0, 0);
    uint64_t other = store_builder_session(&builder, "other");
    store_builder_must(xylem_redact(&redacted, builder.txn, 1, (struct xylem_position){1, ENTRIES}, &options, &err),
                       &err);
    xylem_redact_report_release(&redacted);
    store_builder_messages(&builder, other, 3);
    store_builder_must(xylem_session_delete(builder.txn, other, &err), &err);
    store_builder_commit(&builder);
    damage_free(&file);
    file = damage_read(builder.path);
    salvage_file();
    /* Before: the entries, two sessions and a navigation; and at the deletion a redaction and three entries more. */
    assert_removed(ENTRIES + 3 + 1, ENTRIES + 3 + 1 + 3 + 1);
    /* Where nothing tells it, everything may have been. */
    damage_zero_page(&file, xylem_repair__salvage_meta(salvage, XYLEM_FORMAT__META_REMOVED)->page);
    salvage_file();
    assert_removed(UINT64_MAX, UINT64_MAX);
    /* Also where the other meta page is lost, too, and an older copy of the row is found. */
    damage_zero_page(&file, newest_meta() == file.bytes ? 1 : 0);
    salvage_file();
    assert_removed(UINT64_MAX, UINT64_MAX);
}

/* --- Pages that cannot be read ---------------------------------------------------------------------------------- */

static uint64_t unreadable; /* the number of a page; 0: none */

/* In place of libc's, for the library too. */
ssize_t pread(int fd, void *bytes, size_t count, off_t offset)
{
    if (unreadable > 0 && offset == (off_t)(unreadable * DAMAGE_PAGE_BYTES)) {
        errno = EIO;
        return -1;
    }
    return syscall(SYS_pread64, fd, bytes, count, offset);
}

static void salvage_without(uint64_t page)
{
    damage_write(damaged, &file);
    xylem_repair__salvage_free(salvage);
    unreadable = page;
    int code = xylem_repair__salvage_new(&salvage, damaged, &err);
    unreadable = 0;
    store_builder_must(code, &err);
}

IN_SCENE(a_page_that_cannot_be_read_may_be_of_a_newer_commit_whose_meta_page_is_lost)
{
    const struct xylem_pages__page_file pages = {.page_bytes = DAMAGE_PAGE_BYTES};
    struct xylem_pages__node first;
    assert_true(xylem_pages__page_file_node(&first, free_list(), &pages, 0));
    uint64_t number = xylem_pages__page_number_at(first.data + 8, 8);
    salvage_without(number);
    assert_removed(0, 0);
    assert_int_equal(bad_pages(), 1);
    damage_zero_page(&file, newest_meta() == file.bytes ? 1 : 0);
    salvage_file();
    assert_removed(0, 0);
    salvage_without(number);
    assert_removed(UINT64_MAX, UINT64_MAX);
    assert_int_equal(bad_pages(), 1);
}

IN_SCENE(a_page_that_the_walk_cannot_read_is_listed_once)
{
    salvage_without((uint64_t)(leaf_of(100) - file.bytes) / DAMAGE_PAGE_BYTES);
    assert_int_equal(bad_pages(), 1);
}

/* --- Holes ------------------------------------------------------------------------------------------------------ */

#define FAR_PAGE ((UINT64_C(4) << 40) / DAMAGE_PAGE_BYTES)

/* Whatever page number a damaged page made LMDB write to. */
IN_SCENE(a_hole_of_a_sparse_file_is_not_read)
{
    char path[320];
    struct xylem_pages__page_file pages = {.fd = -1};
    const struct xylem_pages__page_file node_pages = {.page_bytes = DAMAGE_PAGE_BYTES};
    struct xylem_pages__node node;
    unsigned char *root = log_root();
    static const uint64_t far = FAR_PAGE - 7;
    assert_true(xylem_pages__page_file_node(&node, root, &node_pages, 2));
    memcpy(root + node.offset, &far, 4); /* a child that lies in the hole */
    damage_write(damaged, &file);
    snprintf(path, sizeof path, "%s/data.mdb", damaged);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, file.bytes, DAMAGE_PAGE_BYTES, (off_t)(FAR_PAGE * DAMAGE_PAGE_BYTES)),
                     DAMAGE_PAGE_BYTES);
    close(fd);
    store_builder_must(xylem_pages__page_file_open(&pages, damaged, &err), &err);
    assert_int_equal(pages.page_count, FAR_PAGE + 1);
    uint64_t data_pages = pages.data_pages;
    uint64_t index = xylem_pages__page_file_index(&pages, FAR_PAGE);
    assert_int_equal(xylem_pages__page_file_index(&pages, far), XYLEM_PAGES__NO_PAGE);
    assert_int_equal(xylem_pages__page_file_index(&pages, UINT64_MAX - 1), XYLEM_PAGES__NO_PAGE);
    xylem_pages__page_file_close(&pages);
    if (data_pages > FAR_PAGE) {
        skip(); /* this file system does not say where its holes are */
    }
    assert_in_range(data_pages, file.count / DAMAGE_PAGE_BYTES, file.count / DAMAGE_PAGE_BYTES + 64);
    assert_int_equal(index, data_pages - 1);
    xylem_repair__salvage_free(salvage);
    store_builder_must(xylem_repair__salvage_new(&salvage, damaged, &err), &err);
    size_t reached;
    assert_int_equal(count_proven(&reached, XYLEM_FORMAT__LOG), ENTRIES);
    assert_int_equal(bad_pages(), 1);
}
