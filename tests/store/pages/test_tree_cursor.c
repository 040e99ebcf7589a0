/* Tree cursors: held against LMDB's own cursors on random tables, and against pages that were damaged one by one. */

#include <fcntl.h>
#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/value.h"
#include "store/pages/tree_cursor.h"
#include "tests/lib/chance.h"
#include "tests/lib/test.h"

#define PAGE 4096u
#define KEYS 3000
#if defined(__SANITIZE_ADDRESS__)
#define BITS_APART 41
#else
#define BITS_APART 7
#endif

static char place[128];
static MDB_env *env;
static MDB_dbi table;
static unsigned char *image; /* of data.mdb, before or after damage */
static size_t image_bytes;
static struct xylem_pages__snapshot snapshot;
static struct xylem_pages__tree tree;
static struct xylem_pages__tree_cursor cursor;

/* --- Tables of LMDB ---------------------------------------------------------------------------------------------- */

static int open_env(void **state)
{
    (void)state;
    test_directory_make(place, sizeof place, "tree");
    assert_int_equal(mdb_env_create(&env), 0);
    assert_int_equal(mdb_env_set_maxdbs(env, 2), 0);
    assert_int_equal(mdb_env_set_mapsize(env, 1 << 28), 0);
    assert_int_equal(mdb_env_open(env, place, MDB_NOSYNC | MDB_NOTLS, 0600), 0);
    return 0;
}

static int close_env(void **state)
{
    char command[200];
    (void)state;
    mdb_env_close(env);
    free(image);
    image = NULL;
    snprintf(command, sizeof command, "rm -rf '%s'", place);
    return system(command);
}

static size_t key_of(unsigned char bytes[511], int number)
{
    size_t count = number % 50 == 0 ? 511 : 1 + (size_t)(number * 7 % 40);
    memset(bytes, number % 251, 511);
    bytes[0] = (unsigned char)(number >> 8);
    bytes[count > 1 ? 1 : 0] = (unsigned char)number;
    return count;
}

static void change(struct chance *chance, int changes)
{
    static char value[20000];
    unsigned char key_bytes[511];
    MDB_txn *txn;
    assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
    assert_int_equal(mdb_dbi_open(txn, "table", MDB_CREATE, &table), 0);
    for (int i = 0; i < changes; i++) {
        MDB_val key = {key_of(key_bytes, chance_below(chance, KEYS)), key_bytes};
        MDB_val data = {(size_t)chance_below(chance, chance_one_in(chance, 30) ? (int)sizeof value : 300), value};
        value[0] = (char)i;
        int result = mdb_del(txn, table, &key, NULL); /* first, as the store does */
        result = chance_one_in(chance, 3) ? result : mdb_put(txn, table, &key, &data, 0);
        assert_true(result == 0 || result == MDB_NOTFOUND);
    }
    assert_int_equal(mdb_txn_commit(txn), 0);
}

/* Reads the file, and finds its newest snapshot and the table. */
static void load(void)
{
    char path[200];
    struct stat file;
    struct xylem_view key;
    struct xylem_view value;
    MDB_envinfo info;
    bool exact;
    snprintf(path, sizeof path, "%s/data.mdb", place);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0 && fstat(fd, &file) == 0);
    image_bytes = (size_t)file.st_size;
    free(image);
    image = malloc(image_bytes);
    assert_non_null(image);
    assert_int_equal(read(fd, image, image_bytes), image_bytes);
    close(fd);
    assert_int_equal(mdb_env_info(env, &info), 0);
    snapshot = (struct xylem_pages__snapshot){
        .map = image, .page_bytes = PAGE, .page_count = image_bytes / PAGE, .fd = -1, .for_writes = true};
    assert_int_equal(xylem_pages__snapshot_take(&snapshot, info.me_last_txnid), XYLEM_PAGES__TAKEN);
    xylem_pages__tree_cursor_init(&cursor, &snapshot, &snapshot.main_table);
    assert_int_equal(xylem_pages__tree_seek(&exact, &cursor, xylem_view_of("table")), 1);
    assert_true(exact);
    assert_int_equal(xylem_pages__tree_row(&key, &value, &cursor), 1);
    tree = xylem_pages__tree_at((const unsigned char *)value.data);
    xylem_pages__tree_cursor_init(&cursor, &snapshot, &tree);
}

/* --- Against LMDB ------------------------------------------------------------------------------------------------ */

static void assert_row(int found, int result, const MDB_val *key, const MDB_val *data)
{
    struct xylem_view own_key;
    struct xylem_view own_value;
    assert_true(result == 0 || result == MDB_NOTFOUND);
    assert_int_equal(found, result == 0);
    if (result == 0) {
        assert_int_equal(xylem_pages__tree_row(&own_key, &own_value, &cursor), 1);
        assert_true(own_key.bytes == key->mv_size && memcmp(own_key.data, key->mv_data, key->mv_size) == 0);
        assert_true(own_value.bytes == data->mv_size && memcmp(own_value.data, data->mv_data, data->mv_size) == 0);
    }
}

static void compare_steps(MDB_cursor *mdb, MDB_cursor_op op, int (*step)(struct xylem_pages__tree_cursor *))
{
    MDB_val key;
    MDB_val data;
    int result;
    xylem_pages__tree_cursor_init(&cursor, &snapshot, &tree);
    do {
        result = mdb_cursor_get(mdb, &key, &data, op);
        assert_row(step(&cursor), result, &key, &data);
    } while (result == 0);
}

static void compare_seeks(MDB_cursor *mdb, struct chance *chance)
{
    unsigned char key_bytes[511];
    xylem_pages__tree_cursor_init(&cursor, &snapshot, &tree);
    for (int i = 0; i < 400; i++) {
        size_t count = key_of(key_bytes, chance_below(chance, KEYS));
        MDB_val key = {count, key_bytes};
        MDB_val data;
        bool exact;
        struct xylem_view own = {(const char *)key_bytes, count};
        int result = mdb_cursor_get(mdb, &key, &data, MDB_SET_RANGE);
        assert_row(xylem_pages__tree_seek(&exact, &cursor, own), result, &key, &data);
        assert_int_equal(exact, result == 0 && key.mv_size == count && memcmp(key.mv_data, key_bytes, count) == 0);
        if (result == 0 && chance_one_in(chance, 2)) {
            result = mdb_cursor_get(mdb, &key, &data, MDB_PREV);
            assert_row(xylem_pages__tree_previous(&cursor), result, &key, &data);
        }
    }
}

/* Proves the ways to the ends of the free list, and its first records. 0, or CORRUPT with the fault in `lent`. */
static int prove_free(struct xylem_pages__tree_cursor *lent, unsigned record_count)
{
    uint64_t pages;
    uint64_t longest;
    int found = xylem_pages__tree_prove_free(lent, &snapshot);
    for (unsigned record = 0; found > 0 && record < record_count; record++) {
        found = xylem_pages__tree_prove_free_record(&pages, &longest, lent);
    }
    return found < 0 ? found : XYLEM_OK;
}

/* Every path is whole, no page of the tree is free, and the ends of the free list are as they must be. */
static void assert_proven(void)
{
    struct xylem_pages__page_set whole = {0};
    struct xylem_pages__tree_cursor lent;
    uint64_t page;
    int found = xylem_pages__tree_first(&cursor);
    for (; found > 0; found = xylem_pages__tree_next(&cursor)) {
        assert_int_equal(xylem_pages__tree_prove_path(&cursor, &whole, (struct xylem_view){NULL, 0}), XYLEM_OK);
    }
    assert_int_equal(found, 0);
    assert_int_equal(whole.count, tree.branch_pages + tree.leaf_pages);
    assert_int_equal(xylem_pages__tree_find_free(&page, &lent, &snapshot, &whole, 0), 0);
    assert_int_equal(prove_free(&lent, UINT32_MAX), XYLEM_OK);
    xylem_pages__page_set_release(&whole);
}

#define IN_ENV(test) TEST_WITH(test, open_env, close_env)

IN_ENV(a_cursor_finds_what_lmdb_finds)
{
    struct chance chance = chance_of(getenv("XYLEM_SEED") ? strtoull(getenv("XYLEM_SEED"), NULL, 10) : 3);
    for (int round = 0; round < (getenv("XYLEM_TORTURE") ? 400 : 25); round++) {
        MDB_txn *txn;
        MDB_cursor *mdb;
        change(&chance, round == 0 ? 2 : chance_below(&chance, 900));
        load();
        assert_int_equal(mdb_txn_begin(env, NULL, MDB_RDONLY, &txn), 0);
        assert_int_equal(mdb_cursor_open(txn, table, &mdb), 0);
        compare_steps(mdb, MDB_NEXT, xylem_pages__tree_next);
        mdb_cursor_close(mdb);
        assert_int_equal(mdb_cursor_open(txn, table, &mdb), 0);
        compare_steps(mdb, MDB_PREV, xylem_pages__tree_previous);
        compare_seeks(mdb, &chance);
        assert_proven();
        mdb_cursor_close(mdb);
        mdb_txn_abort(txn);
    }
}

/* --- Damage ------------------------------------------------------------------------------------------------------ */

/*
 * Any one bit of any page of the tree: each walk ends, and where the proofs of all paths hold, the rows that lead down
 * the tree are as many as before: no flip hides a row or shows one twice.
 */
static uint64_t count_proven(bool *held)
{
    struct xylem_pages__page_set whole = {0};
    struct xylem_view key;
    struct xylem_view value;
    uint64_t rows = 0;
    xylem_pages__tree_cursor_init(&cursor, &snapshot, &tree);
    int found = xylem_pages__tree_first(&cursor);
    while (found > 0 && rows <= 2 * tree.rows) {
        rows++;
        found = xylem_pages__tree_row(&key, &value, &cursor);
        int code = found > 0 ? xylem_pages__tree_prove_path(&cursor, &whole, (struct xylem_view){NULL, 0}) : found;
        found = code < 0 ? code : xylem_pages__tree_next(&cursor);
    }
    *held = found == 0;
    if (found < 0) {
        assert_int_equal(found, XYLEM_E_CORRUPT);
        assert_non_null(cursor.fault);
    }
    xylem_pages__page_set_release(&whole);
    return rows;
}

IN_ENV(no_flipped_bit_of_a_header_or_a_pointer_hides_a_row)
{
    struct chance chance = chance_of(11);
    unsigned refused = 0;
    unsigned flips = 0;
    for (int i = 0; i < 6; i++) {
        change(&chance, 500);
    }
    load();
    for (uint64_t page = 2; page < snapshot.page_count; page++) {
        unsigned char *bytes = image + page * PAGE;
        unsigned flags = xylem_pages__page_flags(bytes);
        bool is_tree = flags == XYLEM_PAGES__PAGE_LEAF || flags == XYLEM_PAGES__PAGE_BRANCH;
        size_t end = is_tree ? xylem_pages__page_lower(bytes) : XYLEM_PAGES__PAGE_HEADER_BYTES;
        for (size_t bit = (size_t)chance_below(&chance, BITS_APART); bit < end * 8; bit += BITS_APART) {
            bool held;
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
            uint64_t rows = count_proven(&held);
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
            flips++;
            refused += !held;
            if (held && rows != tree.rows) {
                fail_msg("page %u, bit %u: %u rows instead of %u", (unsigned)page, (unsigned)bit, (unsigned)rows,
                         (unsigned)tree.rows);
            }
        }
    }
    print_message("    %u flips, %u refused\n", flips, refused);
    assert_true(refused > 100);
}

static unsigned char *root(void)
{
    return image + tree.root * PAGE;
}

static unsigned char *node_of(unsigned char *page, size_t index)
{
    return page + xylem_pages__page_node_offset(page, index);
}

static void put(unsigned char *at, uint64_t number, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        at[i] = (unsigned char)(number >> 8 * i);
    }
}

static void assert_fault(const char *part)
{
    bool held;
    (void)count_proven(&held);
    assert_false(held);
    if (!strstr(cursor.fault, part)) {
        fail_msg("'%s' does not say '%s'", cursor.fault, part);
    }
    load();
}

IN_ENV(the_key_behind_a_short_key_at_the_end_of_the_page_ascends_too)
{
    MDB_txn *txn;
    assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
    assert_int_equal(mdb_dbi_open(txn, "table", MDB_CREATE, &table), 0);
    for (int i = 0; i < 20; i++) { /* LMDB lays the first node at the end of the page */
        unsigned char key_bytes[2] = {5, (unsigned char)(10 + i)};
        char value[4] = {0};
        MDB_val key = {sizeof key_bytes, key_bytes};
        MDB_val data = {sizeof value, value};
        assert_int_equal(mdb_put(txn, table, &key, &data, 0), 0);
    }
    assert_int_equal(mdb_txn_commit(txn), 0);
    for (size_t i = 0; i < 19; i++) {
        bool held;
        load();
        node_of(root(), i)[9] ^= 0x80; /* greater than all keys behind */
        count_proven(&held);
        assert_false(held);
    }
}

IN_ENV(each_rule_refuses_what_breaks_it)
{
    struct chance chance = chance_of(5);
    change(&chance, 2000);
    change(&chance, 2000);
    load();
    assert_true(tree.depth >= 2);
    put(root(), 9, 8);
    assert_fault("another page");
    put(root() + 10, XYLEM_PAGES__PAGE_LEAF, 2);
    assert_fault("is not a branch");
    put(root() + 12, 0, 2); /* LMDB would search among 32,000 nodes */
    assert_fault("bounds");
    put(root() + 12, XYLEM_PAGES__PAGE_HEADER_BYTES + 2, 2); /* one child */
    assert_fault("bounds");
    put(root() + 12, xylem_pages__page_lower(root()) - 2, 2); /* the last child is hidden */
    assert_fault("gap");
    put(root() + 16 + 2, 8, 2);
    assert_fault("outside the page");
    put(node_of(root(), 1), snapshot.page_count + 7, 6);
    assert_fault("the end of the file");
    put(node_of(root(), 1), xylem_pages__node_child(node_of(root(), 0)), 6);
    assert_fault("belong on another page");
    node_of(root(), xylem_pages__page_node_count(root(), PAGE) - 1)[8] = 0xff; /* the key that bounds two children */
    assert_fault("belong on another page");
    node_of(root(), 1)[8] ^= 0x80;
    assert_fault("do not ascend");
    assert_int_equal(xylem_pages__tree_first(&cursor), 1);
    node_of((unsigned char *)(uintptr_t)cursor.levels[tree.depth - 1].page, 1)[8] = 0xff;
    assert_fault("do not ascend");
    tree.depth = 33;
    assert_fault("depth");
}

/* Takes bytes out of a page of which nothing else changes: the nodes move up. */
static void cut(unsigned char *page, size_t at, size_t bytes)
{
    size_t upper = xylem_pages__page_upper(page);
    memmove(page + upper + bytes, page + upper, at - upper);
    put(page + 14, upper + bytes, 2);
    for (size_t i = 0; i < xylem_pages__page_node_count(page, PAGE); i++) {
        size_t offset = xylem_pages__page_node_offset(page, i);
        put(page + 16 + 2 * i, offset < at ? offset + bytes : offset, 2);
    }
}

static size_t key_bytes_of(const unsigned char *node)
{
    return (size_t)xylem_pages__page_number_at(node + 6, 2);
}

static void give_the_first_child_a_key(unsigned char *page, unsigned char *row)
{
    (void)row;
    cut(page, xylem_pages__page_node_offset(page, 0), 8);
    memmove(page + 16, page + 18, xylem_pages__page_lower(page) - 18);
    put(page + 12, xylem_pages__page_lower(page) - 2, 2);
}

static void take_the_key_of_a_child(unsigned char *page, unsigned char *row)
{
    (void)row;
    size_t key_bytes = key_bytes_of(node_of(page, 2));
    cut(page, xylem_pages__page_node_offset(page, 2) + 8, key_bytes + key_bytes % 2);
    put(node_of(page, 2) + 6, 0, 2);
}

static void make_the_value_a_part_of_the_key(unsigned char *page, unsigned char *row)
{
    (void)page;
    put(row + 6, key_bytes_of(row) + xylem_pages__page_number_at(row, 4), 2);
    put(row, 0, 4);
}

static void make_the_key_a_part_of_the_value(unsigned char *page, unsigned char *row)
{
    (void)page;
    put(row, key_bytes_of(row) + xylem_pages__page_number_at(row, 4), 4);
    put(row + 6, 0, 2);
}

/* A row of the same length stands twice in the page, and the bytes of another row are lost. */
static void show_a_child_twice(unsigned char *page, unsigned char *row)
{
    (void)row;
    size_t other = 2;
    while ((key_bytes_of(node_of(page, other)) + 1) / 2 != (key_bytes_of(node_of(page, 1)) + 1) / 2) {
        other++;
    }
    put(page + 16 + 2 * other, xylem_pages__page_node_offset(page, 1), 2);
}

/* All these pages are tiled, or have the right lengths: one rule alone refuses each. For reading and for writing. */
IN_ENV(each_rule_of_a_whole_page_refuses_what_breaks_it)
{
    static const struct {
        void (*damage)(unsigned char *root, unsigned char *row);
        const char *read;
        const char *write;
    } damages[] = {
        {give_the_first_child_a_key, "outside the page", "outside the page"},
        {take_the_key_of_a_child, "outside the page", "outside the page"},
        {make_the_value_a_part_of_the_key, "outside the page", "outside the page"},
        {make_the_key_a_part_of_the_value, "outside the page", "outside the page"},
        {show_a_child_twice, "overlap", "do not ascend"},
    };
    struct chance chance = chance_of(5);
    change(&chance, 2000);
    load();
    for (size_t i = 0; i < 2 * sizeof damages / sizeof *damages; i++) {
        struct xylem_view key;
        struct xylem_view value = {NULL, 0};
        assert_int_equal(xylem_pages__tree_first(&cursor), 1);
        while (value.bytes <= 511 || value.bytes > 1500) {
            assert_int_equal(xylem_pages__tree_next(&cursor), 1);
            assert_int_equal(xylem_pages__tree_row(&key, &value, &cursor), 1);
        }
        const struct xylem_pages__level *leaf = &cursor.levels[tree.depth - 1];
        damages[i / 2].damage(root(), node_of((unsigned char *)(uintptr_t)leaf->page, leaf->index));
        snapshot.for_writes = i % 2 != 0;
        assert_fault(snapshot.for_writes ? damages[i / 2].write : damages[i / 2].read);
    }
}

/* A page that the free list names is not in use, whatever leads to it. */
IN_ENV(a_page_of_the_free_list_is_refused)
{
    struct chance chance = chance_of(6);
    struct xylem_pages__page_set set = {0};
    struct xylem_view key;
    struct xylem_view value;
    uint64_t page = 0;
    for (int i = 0; i < 4; i++) {
        change(&chance, 300);
    }
    load();
    struct xylem_pages__tree_cursor lent;
    xylem_pages__tree_cursor_init(&lent, &snapshot, &snapshot.free_list);
    lent.numbers = true;
    assert_int_equal(xylem_pages__tree_last(&lent), 1);
    assert_int_equal(xylem_pages__tree_row(&key, &value, &lent), 1);
    uint64_t count = xylem_pages__page_number_at((const unsigned char *)value.data, 8);
    assert_true(count > 0);
    uint64_t free_page = xylem_pages__page_number_at((const unsigned char *)value.data + 8 * count, 8);
    assert_int_equal(xylem_pages__page_set_add(&set, tree.root), XYLEM_OK);
    assert_int_equal(xylem_pages__tree_find_free(&page, &lent, &snapshot, &set, 0), 0);
    assert_int_equal(xylem_pages__page_set_add(&set, free_page), XYLEM_OK);
    assert_int_equal(xylem_pages__tree_find_free(&page, &lent, &snapshot, &set, 1), 1);
    assert_int_equal(page, free_page);
    xylem_pages__page_set_release(&set);
    /* LMDB made it for the newest commit: it need not be looked for. */
    assert_int_equal(xylem_pages__page_set_add(&set, free_page | XYLEM_PAGES__PAGE_DERIVED), XYLEM_OK);
    assert_int_equal(xylem_pages__tree_find_free(&page, &lent, &snapshot, &set, 0), 0);
    xylem_pages__page_set_release(&set);
    put((unsigned char *)(uintptr_t)value.data + 8, snapshot.last_page + 9, 8);
    assert_int_equal(prove_free(&lent, UINT32_MAX), XYLEM_E_CORRUPT);
}

/* A reader keeps every record of the free list, until the list has a branch. */
IN_ENV(the_keys_of_a_branch_of_the_free_list_ascend)
{
    struct chance chance = chance_of(8);
    struct xylem_pages__tree_cursor lent;
    MDB_txn *reader;
    change(&chance, 100);
    assert_int_equal(mdb_txn_begin(env, NULL, MDB_RDONLY, &reader), 0);
    for (int i = 0; i < 400; i++) {
        change(&chance, 3);
    }
    load();
    mdb_txn_abort(reader);
    unsigned char *page = image + snapshot.free_list.root * PAGE;
    size_t count = xylem_pages__page_node_count(page, PAGE);
    assert_true(snapshot.free_list.depth == 2 && count > 2);
    assert_int_equal(prove_free(&lent, 1), XYLEM_OK);
    node_of(page, count / 2)[8 + 7] = 0x40;
    assert_int_equal(prove_free(&lent, 1), XYLEM_E_CORRUPT);
    assert_string_equal(lent.fault, "has keys that do not ascend");
}

TEST(a_set_holds_the_pages_that_were_added)
{
    struct xylem_pages__page_set set = {0};
    assert_false(xylem_pages__page_set_has(&set, 3));
    for (uint64_t page = 2; page < 2000; page += 3) {
        assert_int_equal(xylem_pages__page_set_add(&set, page), XYLEM_OK);
        assert_int_equal(xylem_pages__page_set_add(&set, page), XYLEM_OK);
    }
    assert_int_equal(set.count, (2000 - 2 + 2) / 3);
    for (uint64_t page = 0; page < 2000; page++) {
        assert_int_equal(xylem_pages__page_set_has(&set, page), page % 3 == 2);
    }
    xylem_pages__page_set_release(&set);
}
