/* The complete look at the pages: nothing is said against what LMDB writes, and each rule finds what breaks it. */

#include <fcntl.h>
#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "store/pages/check.h"
#include "store/pages/page.h"
#include "store/lmdb/tables.h"
#include "tests/lib/chance.h"
#include "tests/lib/test.h"

#define PAGE 4096u

static char place[128];
static char data_path[160];
static MDB_env *env;

static int make_place(void **state)
{
    (void)state;
    test_directory_make(place, sizeof place, "check");
    snprintf(data_path, sizeof data_path, "%s/data.mdb", place);
    return 0;
}

static int remove_place(void **state)
{
    (void)state;
    char command[256];
    if (env) {
        mdb_env_close(env);
        env = NULL;
    }
    snprintf(command, sizeof command, "rm -rf '%s'", place);
    return system(command);
}

/* --- What was found ---------------------------------------------------------------------------------------------- */

struct heard {
    unsigned count;
    unsigned stop_after;
    uint64_t page;
    char table[32];
    char text[XYLEM_ERROR_TEXT_BYTES];
    unsigned progress_count;
};

static int hear(void *context, uint64_t page, const char *table, const char *text)
{
    struct heard *heard = context;
    if (heard->count++ == 0) {
        heard->page = page;
        snprintf(heard->table, sizeof heard->table, "%s", table ? table : "");
        snprintf(heard->text, sizeof heard->text, "%s", text);
    }
    return heard->count == heard->stop_after;
}

static int hear_progress(void *context, uint64_t page_count)
{
    struct heard *heard = context;
    assert_true(page_count > 0);
    heard->progress_count++;
    return 0;
}

static int check_file(struct xylem_pages__pages_found *found, struct heard *heard, uint64_t txn)
{
    int fd = open(data_path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    struct xylem_pages__pages pages = {.fd = fd, .page_bytes = PAGE, .txn_id = txn};
    struct xylem_pages__pages_listener listener = {hear, hear_progress, heard};
    struct xylem_error err = {0, ""};
    int code = xylem_pages__pages_check_all(found, &pages, &listener, &err);
    assert_int_equal(err.code, code);
    close(fd);
    return code;
}

static void assert_sound(uint64_t txn)
{
    struct heard heard = {0};
    struct xylem_pages__pages_found found;
    assert_int_equal(check_file(&found, &heard, txn), XYLEM_OK);
    assert_string_equal(heard.text, "");
    assert_int_equal(heard.count, 0);
    assert_int_equal(found.problem_count, 0);
    assert_int_equal(found.unsound_tables, 0);
    assert_false(found.snapshot_gone);
    assert_int_equal(found.leaked_count, 0);
}

/* --- Stores that LMDB makes -------------------------------------------------------------------------------------- */

static void open_env(void)
{
    assert_int_equal(mdb_env_create(&env), 0);
    assert_int_equal(mdb_env_set_maxdbs(env, XYLEM_TABLE_COUNT), 0);
    assert_int_equal(mdb_env_set_mapsize(env, 1 << 28), 0);
    assert_int_equal(mdb_env_open(env, place, MDB_NOSYNC | MDB_NOTLS, 0600), 0);
}

static MDB_dbi table_of(MDB_txn *txn, unsigned table)
{
    MDB_dbi dbi;
    assert_int_equal(mdb_dbi_open(txn, xylem_format__table_name(table), MDB_CREATE, &dbi), 0);
    return dbi;
}

static MDB_txn *begin(void)
{
    MDB_txn *txn;
    assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
    for (unsigned table = 0; table < XYLEM_FORMAT__TABLE_COUNT; table++) {
        table_of(txn, table);
    }
    return txn;
}

static uint64_t commit(MDB_txn *txn)
{
    MDB_envinfo info;
    assert_int_equal(mdb_txn_commit(txn), 0);
    assert_int_equal(mdb_env_info(env, &info), 0);
    return info.me_last_txnid; /* a transaction without a change leaves no trace */
}

/* Rows of every size under keys of every size, put and deleted. */
static void change_rows(MDB_txn *txn, struct chance *chance, unsigned table, bool remove)
{
    static char bytes[60000];
    char key_bytes[511];
    MDB_dbi dbi = table_of(txn, table);
    uint64_t number = (uint64_t)chance_below(chance, 400);
    size_t key_size = number % 17 == 0 ? 511 : 4 + number % 40;
    memset(key_bytes, (int)(number * 37 % 251), sizeof key_bytes);
    memcpy(key_bytes, &number, 4);
    size_t size = (size_t)chance_below(chance, chance_one_in(chance, 40) ? (int)sizeof bytes : 900);
    for (size_t i = 0; i < 16; i++) {
        bytes[i] = (char)chance_below(chance, 256);
    }
    MDB_val key = {key_size, key_bytes};
    MDB_val value = {size, bytes};
    int result =
        mdb_del(txn, dbi, &key, NULL); /* first, as the store does: LMDB keeps pages that a shorter value lacks */
    result = remove ? result : mdb_put(txn, dbi, &key, &value, 0);
    assert_true(result == 0 || result == MDB_NOTFOUND);
}

static uint64_t fill(struct chance *chance, unsigned changes)
{
    MDB_txn *txn = begin();
    bool removing = chance_below(chance, 3) == 0;
    for (unsigned i = 0; i < changes; i++) {
        unsigned table = (unsigned)chance_below(chance, (int)XYLEM_FORMAT__TABLE_COUNT);
        change_rows(txn, chance, table, chance_below(chance, 10) < (removing ? 8 : 1));
    }
    return commit(txn);
}

TEST_WITH(nothing_is_said_against_what_lmdb_writes, make_place, remove_place)
{
    struct chance chance = chance_of(getenv("XYLEM_SEED") ? strtoull(getenv("XYLEM_SEED"), NULL, 10) : 1);
    unsigned rounds = getenv("XYLEM_TORTURE") ? 3000 : 120;
    open_env();
    for (unsigned round = 0; round < rounds; round++) {
        MDB_txn *reader = NULL;
        if (chance_below(&chance, 3) == 0) {
            assert_int_equal(mdb_txn_begin(env, NULL, MDB_RDONLY, &reader), 0);
        }
        uint64_t txn = fill(&chance, (unsigned)chance_below(&chance, 2000));
        if (reader) {
            txn = fill(&chance, (unsigned)chance_below(&chance, 200));
            mdb_txn_abort(reader);
        }
        assert_sound(txn);
    }
}

/* --- One rule after the other ------------------------------------------------------------------------------------ */

static unsigned char *image;
static size_t image_bytes;
static uint64_t image_txn;

static unsigned char *page_at(uint64_t page)
{
    assert_true((page + 1) * PAGE <= image_bytes);
    return image + page * PAGE;
}

static uint64_t number_at(const unsigned char *at, size_t bytes)
{
    return xylem_pages__page_number_at(at, bytes);
}

static void set(unsigned char *at, uint64_t number, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        at[i] = (unsigned char)(number >> 8 * i);
    }
}

static unsigned char *slot_at(unsigned char *page, size_t index)
{
    return page + XYLEM_PAGES__PAGE_HEADER_BYTES + index * 2;
}

static unsigned char *node_at(unsigned char *page, size_t index)
{
    return page + number_at(slot_at(page, index), 2);
}

static size_t count_of(const unsigned char *page)
{
    return (xylem_pages__page_lower(page) - XYLEM_PAGES__PAGE_HEADER_BYTES) / 2;
}

static unsigned char *data_of(unsigned char *node)
{
    return node + XYLEM_PAGES__NODE_HEADER_BYTES + number_at(node + 6, 2);
}

static unsigned char *meta(void)
{
    return page_at(image_txn % 2);
}

static unsigned char *main_page(void)
{
    return page_at(xylem_pages__tree_at(meta() + XYLEM_PAGES__META_MAIN_OFFSET).root);
}

/* The node of the list of tables that describes a table. */
static unsigned char *table_node(const char *name)
{
    unsigned char *page = main_page();
    for (size_t i = 0; i < count_of(page); i++) {
        unsigned char *node = node_at(page, i);
        if (number_at(node + 6, 2) == strlen(name) && memcmp(node + 8, name, strlen(name)) == 0) {
            return node;
        }
    }
    fail_msg("there is no table %s", name);
    return NULL;
}

static unsigned char *table_root(const char *name)
{
    return page_at(xylem_pages__tree_at(data_of(table_node(name))).root);
}

/* A child of the root of `log`, which is a branch of at least three leaves. */
static unsigned char *leaf(size_t index)
{
    unsigned char *root = table_root("log");
    assert_int_equal(xylem_pages__page_flags(root), XYLEM_PAGES__PAGE_BRANCH);
    assert_true(count_of(root) >= 3);
    unsigned char *child = page_at(xylem_pages__node_child(node_at(root, index)));
    assert_int_equal(xylem_pages__page_flags(child), XYLEM_PAGES__PAGE_LEAF);
    assert_true(count_of(child) >= 3);
    return child;
}

/* The value on pages of its own: its node in the first leaf of `feed`. */
static unsigned char *big_node(void)
{
    unsigned char *node = node_at(table_root("feed"), 0);
    assert_int_equal(number_at(node + 4, 2), XYLEM_PAGES__NODE_BIG);
    return node;
}

static unsigned char *big_page(void)
{
    return page_at(number_at(data_of(big_node()), 8));
}

/* The last list of the free list, which has at least three pages, as numbers behind their count. */
static unsigned char *free_node(void)
{
    unsigned char *page = page_at(xylem_pages__tree_at(meta() + XYLEM_PAGES__META_FREE_OFFSET).root);
    unsigned char *node = node_at(page, count_of(page) - 1);
    assert_int_equal(number_at(node + 4, 2), 0);
    assert_true(number_at(data_of(node), 8) >= 3);
    return node;
}

static void put_rows(MDB_txn *txn, unsigned table, unsigned from, unsigned count, size_t bytes)
{
    static char data[40 * PAGE];
    for (unsigned i = from; i < from + count; i++) {
        unsigned char key_bytes[8] = {0, 0, 0, 0, 0, 0, (unsigned char)(i >> 8), (unsigned char)i};
        MDB_val key = {sizeof key_bytes, key_bytes};
        MDB_val value = {bytes, data};
        assert_int_equal(mdb_put(txn, table_of(txn, table), &key, &value, 0), 0);
    }
}

/* A file with every kind of page and node, which the damages below begin from. */
static int make_image(void **state)
{
    int result = make_place(state);
    open_env();
    MDB_txn *txn = begin();
    put_rows(txn, XYLEM_FORMAT__LOG, 0, 200, 150);
    put_rows(txn, XYLEM_FORMAT__FEED, 0, 1, 3 * PAGE);
    put_rows(txn, XYLEM_FORMAT__MOVES, 0, 5, 20);
    put_rows(txn, XYLEM_FORMAT__SOURCES, 0, 1, 20 * PAGE);
    commit(txn);
    MDB_txn *reader; /* so that no list of free pages is used up */
    assert_int_equal(mdb_txn_begin(env, NULL, MDB_RDONLY, &reader), 0);
    txn = begin();
    put_rows(txn, XYLEM_FORMAT__MOVES, 5, 1, 20);
    commit(txn);
    txn = begin();
    assert_int_equal(mdb_drop(txn, table_of(txn, XYLEM_FORMAT__SOURCES), 0), 0);
    image_txn = commit(txn);
    mdb_txn_abort(reader);
    mdb_env_close(env);
    env = NULL;
    struct stat file;
    assert_int_equal(stat(data_path, &file), 0);
    image_bytes = (size_t)file.st_size;
    image = malloc(image_bytes);
    assert_non_null(image);
    return result;
}

static int drop_image(void **state)
{
    free(image);
    image = NULL;
    return remove_place(state);
}

static void load_image(const char *from)
{
    FILE *file = fopen(from, "rb");
    assert_non_null(file);
    assert_int_equal(fread(image, 1, image_bytes, file), image_bytes);
    fclose(file);
}

static void store_image(size_t bytes)
{
    FILE *file = fopen(data_path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(image, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

/* What is damaged: then that alone, or `also` more, is said. */
struct damage {
    const char *text;
    void (*apply)(void);
    const char *table; /* that is unsound then; NULL: none, "*": all */
    unsigned also;
};

#define DAMAGE(name, statement) \
    static void name(void)      \
    {                           \
        statement;              \
    }

DAMAGE(wrong_number, set(leaf(1), 99, 8))
DAMAGE(wrong_kind, set(leaf(1) + 10, XYLEM_PAGES__PAGE_OVERFLOW, 2))
DAMAGE(leaf_as_branch, set(table_root("log") + 10, XYLEM_PAGES__PAGE_LEAF, 2))
DAMAGE(odd_lower, set(leaf(1) + 12, xylem_pages__page_lower(leaf(1)) + 1, 2))
DAMAGE(low_lower, set(leaf(1) + 12, 14, 2))
DAMAGE(upper_below_lower, set(leaf(1) + 14, xylem_pages__page_lower(leaf(1)) - 2, 2))
DAMAGE(upper_outside, set(leaf(1) + 14, PAGE + 2, 2))
DAMAGE(no_keys, set(leaf(1) + 12, XYLEM_PAGES__PAGE_HEADER_BYTES, 2))
DAMAGE(one_child, set(table_root("log") + 12, XYLEM_PAGES__PAGE_HEADER_BYTES + 2, 2))
DAMAGE(odd_node, set(slot_at(leaf(1), 1), number_at(slot_at(leaf(1), 1), 2) + 1, 2))
DAMAGE(node_in_header, set(slot_at(leaf(1), 1), 8, 2))
DAMAGE(node_outside, set(slot_at(leaf(1), 1), PAGE - 4, 2))
DAMAGE(long_node, set(node_at(leaf(1), 1), PAGE, 4))
DAMAGE(long_key, set(node_at(leaf(1), count_of(leaf(1)) - 1) + 6, 512, 2))
DAMAGE(no_key, set(node_at(leaf(1), 1) + 6, 0, 2))
DAMAGE(key_in_first_of_branch, memcpy(slot_at(table_root("log"), 0), slot_at(table_root("log"), 1), 2))
DAMAGE(node_over_another, set(node_at(leaf(1), 1), number_at(node_at(leaf(1), 1), 4) + 8, 4))
DAMAGE(gap, set(leaf(1) + 14, xylem_pages__page_upper(leaf(1)) - 2, 2))
DAMAGE(short_node, set(node_at(leaf(1), 1), number_at(node_at(leaf(1), 1), 4) - 8, 4))
DAMAGE(high_key, memset(node_at(leaf(1), count_of(leaf(1)) - 1) + 8, 0xff, 8))
DAMAGE(low_key, memset(node_at(leaf(1), 0) + 8, 0, 8))
DAMAGE(child_above, memcpy(node_at(table_root("log"), 1), node_at(table_root("log"), 0), 6))
DAMAGE(child_itself, set(node_at(table_root("log"), 1), number_at(table_root("log"), 4), 4))
DAMAGE(child_meta, set(node_at(table_root("log"), 1), 1, 4))
DAMAGE(child_nowhere, set(node_at(table_root("log"), 1), 1000000, 4))
DAMAGE(big_number, set(big_page(), 77, 8))
DAMAGE(big_kind, set(big_page() + 10, XYLEM_PAGES__PAGE_LEAF, 2))
DAMAGE(big_too_few, set(big_page() + 12, 2, 4))
DAMAGE(big_too_many, set(big_page() + 12, 100000, 4))
DAMAGE(big_nowhere, set(data_of(big_node()), image_bytes / PAGE - 1, 8))
DAMAGE(rows_count, set(data_of(table_node("log")) + 32, 201, 8))
DAMAGE(leaf_count, set(data_of(table_node("log")) + 16, 1, 8))
DAMAGE(branch_count, set(data_of(table_node("log")) + 8, 9, 8))
DAMAGE(overflow_count, set(data_of(table_node("feed")) + 24, 9, 8))
DAMAGE(deep, set(data_of(table_node("log")) + 6, 33, 2))
DAMAGE(flat, set(data_of(table_node("log")) + 6, 0, 2))
DAMAGE(deep_empty, set(data_of(table_node("sources")) + 6, 1, 2))
DAMAGE(table_flags, set(data_of(table_node("ids")) + 4, 4, 2))
DAMAGE(table_is_row, set(table_node("log") + 4, 0, 2))
DAMAGE(foreign_table, table_node("moves")[8 + 4] = 't')
DAMAGE(flags_of_node, set(node_at(leaf(1), 1) + 4, XYLEM_PAGES__NODE_SUB, 2))
DAMAGE(free_later, set(free_node() + 8, image_txn + 1, 8))
DAMAGE(free_count, set(data_of(free_node()), 1000, 8))
DAMAGE(free_outside, set(data_of(free_node()) + 8, 1000000, 8))
DAMAGE(free_meta, set(data_of(free_node()) + 8 * number_at(data_of(free_node()), 8), 1, 8))
DAMAGE(free_ascending, set(data_of(free_node()) + 16, number_at(data_of(free_node()) + 8, 8), 8))
DAMAGE(free_used, {
    unsigned char *list = data_of(free_node());
    uint64_t used = (uint64_t)(table_root("moves") - image) / PAGE;
    uint64_t count = number_at(list, 8);
    set(list + 8 * (used < number_at(list + 8 * count, 8) ? count : 1), used, 8);
})
DAMAGE(free_txn_order, {
    unsigned char *page = page_at(xylem_pages__tree_at(meta() + XYLEM_PAGES__META_FREE_OFFSET).root);
    set(node_at(page, 0) + 8, image_txn, 8);
})
DAMAGE(meta_magic, set(meta() + 16, 1, 4))
DAMAGE(other_meta_magic, set(page_at((image_txn + 1) % 2) + 16, 1, 4))
DAMAGE(meta_version, set(meta() + 20, 2, 4))
DAMAGE(meta_kind, set(meta() + 10, 0, 2))
DAMAGE(meta_page_size, set(page_at((image_txn + 1) % 2) + XYLEM_PAGES__META_FREE_OFFSET, 512, 4))
DAMAGE(meta_last_page, set(meta() + XYLEM_PAGES__META_LAST_PAGE_OFFSET, UINT64_C(1) << 40, 8))
DAMAGE(meta_txn, set(meta() + XYLEM_PAGES__META_TXN_OFFSET, image_txn - 2, 8))
DAMAGE(other_meta_txn, set(page_at((image_txn + 1) % 2) + XYLEM_PAGES__META_TXN_OFFSET, image_txn - 3, 8))
DAMAGE(other_meta_txn_newer, set(page_at((image_txn + 1) % 2) + XYLEM_PAGES__META_TXN_OFFSET, image_txn + 3, 8))
DAMAGE(other_meta_txn_same, set(page_at((image_txn + 1) % 2) + XYLEM_PAGES__META_TXN_OFFSET, image_txn, 8))

static const struct damage damages[] = {
    {"says that it is page 99", wrong_number, "log", 0},
    {"is of kind 0x4; expected 0x2, a leaf", wrong_kind, "log", 0},
    {"is of kind 0x2; expected 0x1, a branch", leaf_as_branch, "log", 0},
    {"its nodes cannot lie between", odd_lower, "log", 0},
    {"its nodes cannot lie between", low_lower, "log", 0},
    {"its nodes cannot lie between", upper_below_lower, "log", 0},
    {"its nodes cannot lie between", upper_outside, "log", 0},
    {"has 0 keys; expected 1 or more", no_keys, "log", 0},
    {"has 1 keys; expected 2 or more", one_child, "log", 0},
    {"its node 1 lies outside", odd_node, "log", 0},
    {"its node 1 lies outside", node_in_header, "log", 0},
    {"its node 1 lies outside", node_outside, "log", 0},
    {"its node 1 goes on beyond", long_node, "log", 0},
    {"has a key of an impossible length", long_key, "log", 0},
    {"its node 1 has a key of an impossible length", no_key, "log", 0},
    {"its node 0 has a key of an impossible length", key_in_first_of_branch, "log", 0},
    {"overlaps another node", node_over_another, "log", 0},
    {"a gap between its nodes", gap, NULL, 0},
    {"a gap between its nodes", short_node, NULL, 0},
    {"has a key that belongs on another page", high_key, NULL, 0},
    {"has a key that belongs on another page", low_key, NULL, 0},
    {"is reached twice", child_above, "log", 1},
    {"is reached twice", child_itself, "log", 0},
    {"is in use, but only the pages from", child_meta, "log", 0},
    {"is in use, but only the pages from", child_nowhere, "log", 0},
    {"the page says that it is page 77", big_number, "feed", 0},
    {"of kind 0x2, and the first of", big_kind, "feed", 0},
    {"and the first of 2", big_too_few, "feed", 0},
    {"and the first of 100000", big_too_many, "feed", 0},
    {"ends beyond the end of the file", big_nowhere, "feed", 0},
    {"and 201 rows, and has", rows_count, NULL, 0},
    {"is said to have 1 branch, 1 leaf", leaf_count, NULL, 0},
    {"is said to have 9 branch", branch_count, NULL, 0},
    {"and 9 overflow pages", overflow_count, NULL, 0},
    {"its depth is said to be 33", deep, "log", 0},
    {"its depth is said to be 0", flat, "log", 0},
    {"its depth is said to be 1", deep_empty, "sources", 0},
    {"the table is said to have flags 0x4; expected 0", table_flags, "ids", 0},
    {"a node has flags 0x0", table_is_row, "*", 0},
    {"an unknown table, movet", foreign_table, "moves", 1},
    {"a node has flags 0x2", flags_of_node, "log", 0},
    {"lists pages that transaction", free_later, NULL, 0},
    {"counts more pages than its", free_count, NULL, 0},
    {"gave back 1 pages that no store has", free_outside, NULL, 0},
    {"gave back 1 pages that no store has", free_meta, NULL, 0},
    {"gave back do not descend", free_ascending, NULL, 0},
    {"that are in use, such as page", free_used, NULL, 1},
    {"the free list: its keys do not ascend", free_txn_order, NULL, 0},
    {"begins with 0x1, version 1", meta_magic, NULL, 0},
    {"begins with 0x1, version 1", other_meta_magic, NULL, 0},
    {"begins with 0xbeefc0de, version 2", meta_version, NULL, 0},
    {"of kind 0x0", meta_kind, NULL, 0},
    {"says that pages have 512 bytes; expected 4096", meta_page_size, NULL, 0},
    {"says that the last page is 1099511627776 in a map of", meta_last_page, "*", 0},
    {"no meta page is of transaction", meta_txn, "*", 0},
    {"neither is the other's successor", other_meta_txn, NULL, 0},
    {"neither is the other's successor", other_meta_txn_newer, NULL, 0},
    {"neither is the other's successor", other_meta_txn_same, NULL, 0},
};

static void assert_unsound(uint32_t tables, const char *table)
{
    uint32_t expected = 0;
    for (unsigned i = 0; table && i < XYLEM_FORMAT__TABLE_COUNT; i++) {
        bool wanted = strcmp(table, "*") == 0 || strcmp(table, xylem_format__table_name(i)) == 0;
        expected |= wanted ? UINT32_C(1) << i : 0;
    }
    assert_int_equal(tables, expected);
}

#define WITH_IMAGE(test) TEST_WITH(test, make_image, drop_image)

WITH_IMAGE(each_rule_finds_what_breaks_it)
{
    char whole_path[200];
    snprintf(whole_path, sizeof whole_path, "%s/whole", place);
    assert_sound(image_txn);
    load_image(data_path);
    assert_int_equal(rename(data_path, whole_path), 0);
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        const struct damage *damage = &damages[i];
        struct heard heard = {0};
        struct xylem_pages__pages_found found;
        load_image(whole_path);
        damage->apply();
        store_image(image_bytes);
        assert_int_equal(check_file(&found, &heard, image_txn), XYLEM_OK);
        if (!strstr(heard.text, damage->text) || heard.count > 1 + damage->also) {
            fail_msg("expected '%s', and %u more; found %u, first: page %u, table %s: '%s'", damage->text, damage->also,
                     heard.count, (unsigned)heard.page, heard.table, heard.text);
        }
        assert_int_equal(found.problem_count, heard.count);
        assert_unsound(found.unsound_tables, damage->table);
    }
}

WITH_IMAGE(keys_that_changed_places_are_found)
{
    load_image(data_path);
    unsigned char first[8];
    unsigned char *a = node_at(leaf(1), 1) + 8;
    unsigned char *b = node_at(leaf(1), 2) + 8;
    memcpy(first, a, sizeof first);
    memcpy(a, b, sizeof first);
    memcpy(b, first, sizeof first);
    store_image(image_bytes);
    struct heard heard = {0};
    struct xylem_pages__pages_found found;
    assert_int_equal(check_file(&found, &heard, image_txn), XYLEM_OK);
    assert_string_equal(heard.text, "its keys do not ascend");
    assert_string_equal(heard.table, "log");
    assert_int_equal(heard.page, number_at(leaf(1), 8));
    assert_int_equal(heard.count, 1);
    assert_int_equal(found.unsound_tables, 0);
}

WITH_IMAGE(a_page_that_two_lists_have_is_found)
{
    load_image(data_path);
    unsigned char *page = page_at(xylem_pages__tree_at(meta() + XYLEM_PAGES__META_FREE_OFFSET).root);
    assert_true(count_of(page) >= 2);
    unsigned char *first = data_of(node_at(page, 0));
    unsigned char *last = data_of(free_node());
    set(first, 1, 8);
    set(first + 8, number_at(last + 8, 8), 8);
    store_image(image_bytes);
    struct heard heard = {0};
    struct xylem_pages__pages_found found;
    assert_int_equal(check_file(&found, &heard, image_txn), XYLEM_OK);
    assert_non_null(strstr(heard.text, "gave back 1 pages that were given back before"));
    assert_int_equal(heard.count, 1);
}

WITH_IMAGE(a_file_without_its_end_is_looked_at_as_far_as_it_goes)
{
    load_image(data_path);
    for (size_t pages = image_bytes / PAGE - 1; pages > 0; pages--) {
        struct heard heard = {0};
        struct xylem_pages__pages_found found;
        store_image(pages * PAGE);
        assert_int_equal(check_file(&found, &heard, image_txn), XYLEM_OK);
        assert_true(found.problem_count == heard.count);
        assert_true(heard.count > 0 || pages > image_bytes / PAGE / 2);
    }
}

WITH_IMAGE(it_stops_when_it_is_told_to)
{
    load_image(data_path);
    wrong_number();
    big_kind();
    store_image(image_bytes);
    struct heard heard = {.stop_after = 1};
    struct xylem_pages__pages_found found;
    assert_int_equal(check_file(&found, &heard, image_txn), XYLEM_E_STOPPED);
    assert_int_equal(heard.count, 1);
}

WITH_IMAGE(a_snapshot_that_no_meta_page_has_any_more_is_said_to_be_gone)
{
    struct heard heard = {0};
    struct xylem_pages__pages_found found;
    assert_true(image_txn >= 2);
    load_image(data_path);
    set(page_at(0) + XYLEM_PAGES__META_TXN_OFFSET, image_txn + 2 + image_txn % 2, 8);
    set(page_at(1) + XYLEM_PAGES__META_TXN_OFFSET, image_txn + 3 - image_txn % 2, 8);
    store_image(image_bytes);
    assert_int_equal(check_file(&found, &heard, image_txn), XYLEM_OK);
    assert_true(found.snapshot_gone);
    assert_int_equal(heard.count, 0);
}

/* --- Writers beside the check ------------------------------------------------------------------------------------ */

static int commits_fd = -1;   /* where two commits follow each reading of the first meta page, */
static unsigned commits_from; /* from that many on */
static unsigned commits_left;

/* In place of libc's, for the library too. */
ssize_t pread(int fd, void *bytes, size_t count, off_t offset)
{
    ssize_t got = syscall(SYS_pread64, fd, bytes, count, offset);
    if (commits_fd >= 0 && offset == 0 && commits_from > 0) {
        commits_from--;
    } else if (commits_fd >= 0 && offset == 0 && commits_left > 0) {
        commits_left--;
        for (off_t number = 0; number < 2; number++) {
            off_t at = number * (off_t)PAGE + (off_t)XYLEM_PAGES__META_TXN_OFFSET;
            uint64_t txn;
            assert_int_equal(syscall(SYS_pread64, commits_fd, &txn, sizeof txn, at), sizeof txn);
            txn += 2;
            assert_int_equal(pwrite(commits_fd, &txn, sizeof txn, at), sizeof txn);
        }
    }
    return got;
}

WITH_IMAGE(commits_between_the_readings_of_the_meta_pages_are_no_damage)
{
    static const unsigned counts[] = {0, 1, 2, 3, 63, 1000};
    load_image(data_path);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct heard heard = {0};
        struct xylem_pages__pages_found found;
        store_image(image_bytes);
        commits_fd = open(data_path, O_RDWR | O_CLOEXEC);
        assert_true(commits_fd >= 0);
        commits_from = image_txn % 2 == 0 ? 2 : 1; /* the meta page of the snapshot itself is read twice */
        commits_left = counts[i];
        int code = check_file(&found, &heard, image_txn);
        assert_true(commits_left <= (counts[i] > 64 ? counts[i] - 64 : 0));
        close(commits_fd);
        commits_fd = -1;
        assert_int_equal(code, XYLEM_OK);
        assert_string_equal(heard.text, "");
        assert_false(found.snapshot_gone);
    }
}

TEST_WITH(files_that_lmdb_makes_anew_are_sound, make_place, remove_place)
{
    char made[160];
    struct xylem_error err = {0, ""};
    struct xylem_pages__pages pages = {.page_bytes = PAGE, .txn_id = 0};
    open_env();
    pages.fd = open(data_path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(xylem_pages__pages_check_list(&pages, "there", &err), XYLEM_OK);
    assert_int_equal(xylem_pages__pages_check_free(&pages, "there", &err), XYLEM_OK);
    close(pages.fd);
    for (uint64_t txn = 1; txn <= 3; txn++) {
        MDB_txn *writer = begin();
        put_rows(writer, XYLEM_FORMAT__LOG, (unsigned)txn, 1, 10);
        assert_int_equal(commit(writer), txn);
        assert_sound(txn);
    }
    snprintf(made, sizeof made, "%s/copy", place);
    assert_int_equal(mkdir(made, 0700), 0);
    snprintf(data_path, sizeof data_path, "%s/copy/data.mdb", place);
    assert_int_equal(mdb_env_copy2(env, made, MDB_CP_COMPACT), 0);
    assert_sound(1);
    assert_int_equal(unlink(data_path), 0);
    assert_int_equal(mdb_env_copy2(env, made, 0), 0);
    assert_sound(3);
}

WITH_IMAGE(a_file_that_cannot_be_is_refused)
{
    struct heard heard = {0};
    struct xylem_pages__pages_found found;
    struct xylem_error err;
    struct xylem_pages__pages_listener listener = {hear, NULL, &heard};
    struct xylem_pages__pages pages = {.fd = -1, .page_bytes = PAGE, .txn_id = 1};
    assert_int_equal(xylem_pages__pages_check_all(&found, &pages, &listener, &err), XYLEM_E_CORRUPT);
    pages.fd = open(data_path, O_RDONLY | O_CLOEXEC);
    pages.page_bytes = 100;
    assert_int_equal(xylem_pages__pages_check_all(&found, &pages, &listener, &err), XYLEM_E_CORRUPT);
    close(pages.fd);
}

WITH_IMAGE(the_free_list_is_looked_at_by_itself)
{
    load_image(data_path);
    struct xylem_error err = {0, ""};
    int fd = open(data_path, O_RDONLY | O_CLOEXEC);
    struct xylem_pages__pages pages = {.fd = fd, .page_bytes = PAGE, .txn_id = image_txn};
    assert_int_equal(xylem_pages__pages_check_free(&pages, "there", &err), XYLEM_OK);
    close(fd);
    free_ascending();
    wrong_number(); /* of a table, which is none of its business */
    store_image(image_bytes);
    pages.fd = open(data_path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(xylem_pages__pages_check_free(&pages, "there", &err), XYLEM_E_CORRUPT);
    assert_int_equal(err.code, XYLEM_E_CORRUPT);
    assert_non_null(strstr(err.text, "there/data.mdb: page "));
    assert_non_null(strstr(err.text, "the free list: the pages that transaction"));
    close(pages.fd);
}

WITH_IMAGE(the_list_of_tables_is_looked_at_by_itself)
{
    load_image(data_path);
    struct xylem_error err = {0, ""};
    wrong_number();
    free_ascending(); /* neither is any of its business */
    store_image(image_bytes);
    struct xylem_pages__pages pages = {.page_bytes = PAGE, .txn_id = image_txn};
    pages.fd = open(data_path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(xylem_pages__pages_check_list(&pages, "there", &err), XYLEM_OK);
    close(pages.fd);
    set(slot_at(main_page(), 2), PAGE - 2, 2);
    store_image(image_bytes);
    pages.fd = open(data_path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(xylem_pages__pages_check_list(&pages, "there", &err), XYLEM_E_CORRUPT);
    assert_non_null(strstr(err.text, "the list of tables: its node 2 "));
    close(pages.fd);
}

/* Any byte of any page: it may be one that means nothing, but nothing ever faults, and what is found is told. */
WITH_IMAGE(any_byte_may_be_another)
{
    struct chance chance = chance_of(7);
    unsigned rounds = getenv("XYLEM_TORTURE") ? 100000 : 2000;
    unsigned found_count = 0;
    load_image(data_path);
    for (unsigned i = 0; i < rounds; i++) {
        struct heard heard = {0};
        struct xylem_pages__pages_found found;
        size_t at = (size_t)chance_below(&chance, (int)image_bytes);
        unsigned char before = image[at];
        image[at] ^= (unsigned char)(1u << chance_below(&chance, 8));
        store_image(image_bytes);
        assert_int_equal(check_file(&found, &heard, image_txn), XYLEM_OK);
        assert_int_equal(found.problem_count, heard.count);
        found_count += heard.count > 0;
        image[at] = before;
    }
    print_message("%u of %u flips found in pages\n", found_count, rounds);
    assert_true(found_count > 0);
}
