/*
 * Copies of an LMDB file with each page at its place: every row is in the copy, and no byte that belongs to no row. The
 * control is a copy that takes the same pages as they are: that copy has the remains.
 */

#include <fcntl.h>
#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/pages/check.h"
#include "store/pages/copy.h"
#include "tests/lib/chance.h"
#include "tests/lib/test.h"

#define PAGE 4096u
#define REMAIN "remain"

static char place[128];
static char data_path[160];
static char copy_path[160];
static MDB_env *env;

static int make_place(void **state)
{
    (void)state;
    test_directory_make(place, sizeof place, "copy");
    snprintf(data_path, sizeof data_path, "%s/data.mdb", place);
    snprintf(copy_path, sizeof copy_path, "%s/copy", place);
    return 0;
}

static void close_env(void)
{
    if (env) {
        mdb_env_close(env);
        env = NULL;
    }
}

static int remove_place(void **state)
{
    (void)state;
    close_env();
    test_directory_remove(place);
    return 0;
}

/* --- A file of LMDB ---------------------------------------------------------------------------------------------- */

static MDB_env *env_open(const char *path, unsigned flags)
{
    MDB_env *opened = NULL;
    assert_int_equal(mdb_env_create(&opened), 0);
    assert_int_equal(mdb_env_set_maxdbs(opened, XYLEM_TABLE_COUNT), 0);
    assert_int_equal(mdb_env_set_mapsize(opened, 1 << 28), 0);
    assert_int_equal(mdb_env_open(opened, path, MDB_NOSYNC | MDB_NOTLS | flags, 0600), 0);
    return opened;
}

/* Rows with values of odd and even lengths, and on pages of their own; half of the rows go again. */
static uint64_t change(struct chance *chance, unsigned count)
{
    static char bytes[200000];
    MDB_txn *txn = NULL;
    MDB_envinfo info;
    assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
    for (unsigned table = 0; table < XYLEM_FORMAT__TABLE_COUNT; table++) {
        MDB_dbi dbi;
        assert_int_equal(mdb_dbi_open(txn, xylem_format__table_name(table), MDB_CREATE, &dbi), 0);
        for (unsigned i = 0; i < count; i++) {
            char text[32];
            size_t size = (size_t)chance_below(chance, chance_one_in(chance, 30) ? (int)sizeof bytes : 700);
            memset(bytes, 'v', size);
            snprintf(text, sizeof text, "key-%0*d", 4 + chance_below(chance, 3), chance_below(chance, 300));
            MDB_val key = {strlen(text), text};
            MDB_val value = {size, bytes};
            int result = mdb_del(txn, dbi, &key, NULL); /* a shorter value would keep the pages of the longer value */
            assert_true(result == 0 || result == MDB_NOTFOUND);
            if (chance_one_in(chance, 2)) {
                assert_int_equal(mdb_put(txn, dbi, &key, &value, 0), 0);
            }
        }
    }
    assert_int_equal(mdb_txn_commit(txn), 0);
    assert_int_equal(mdb_env_info(env, &info), 0);
    return info.me_last_txnid;
}

static void set(unsigned char *at, uint64_t number, size_t count)
{
    memcpy(at, &number, count);
}

/* --- A copy ------------------------------------------------------------------------------------------------------- */

struct bytes {
    unsigned char *data;
    size_t count;
};

static struct bytes bytes_read(const char *path)
{
    struct stat file;
    struct bytes read = {NULL, 0};
    FILE *from = fopen(path, "rb");
    assert_non_null(from);
    assert_int_equal(fstat(fileno(from), &file), 0);
    read.count = (size_t)file.st_size;
    read.data = malloc(read.count + 1);
    assert_int_equal(fread(read.data, 1, read.count, from), read.count);
    fclose(from);
    return read;
}

static void bytes_write(const char *path, const struct bytes *bytes)
{
    FILE *to = fopen(path, "wb");
    assert_non_null(to);
    assert_int_equal(fwrite(bytes->data, 1, bytes->count, to), bytes->count);
    assert_int_equal(fclose(to), 0);
}

static void row_stays(void *context, const char *table, struct xylem_view key, unsigned char *value, uint64_t bytes)
{
    unsigned *count = context;
    assert_non_null(table);
    assert_memory_equal(key.data, "key-", 4);
    assert_true(bytes == 0 || value[bytes - 1] == 'v');
    ++*count;
}

/* Copies the state of a transaction. `taken`: the file at the time of that transaction. */
static int copy_of(uint64_t txn_id, const struct bytes *taken, const char *target, struct xylem_error *err)
{
    struct xylem_pages__pages_found found;
    struct xylem_pages__snapshot snapshot = {
        .map = taken->data, .page_bytes = PAGE, .page_count = taken->count / PAGE, .fd = -1};
    unsigned rows = 0;
    assert_int_not_equal(xylem_pages__snapshot_take(&snapshot, txn_id), XYLEM_PAGES__GONE);
    int fd = open(data_path, O_RDONLY | O_CLOEXEC);
    int to = open(target, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0 && to >= 0);
    struct xylem_pages__pages pages = {.fd = fd, .page_bytes = PAGE, .txn_id = txn_id};
    const struct xylem_pages__copy copy = {
        .fd = to, .path = target, .snapshot = &snapshot, .map_bytes = 1 << 28, .row = row_stays, .context = &rows};
    int code = xylem_pages__pages_copy(&found, &pages, &copy, place, err);
    close(fd);
    close(to);
    assert_true(code < 0 || rows > 0);
    return code;
}

static struct bytes copied(uint64_t txn_id, const struct bytes *taken)
{
    struct xylem_error err = {0, ""};
    if (copy_of(txn_id, taken, copy_path, &err) != XYLEM_OK) {
        fail_msg("%s", err.text);
    }
    return bytes_read(copy_path);
}

/* --- Bytes that belong to no row --------------------------------------------------------------------------------- */

static size_t remain_count;

static void put_remain(unsigned char *at, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        at[i] = (unsigned char)REMAIN[i % (sizeof REMAIN - 1)];
    }
    remain_count += count;
}

static void look_for_remain(unsigned char *at, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(at[i], 0);
    }
    remain_count += count;
}

static void visit_value(struct bytes *file, const struct xylem_pages__node *node,
                        void (*visit)(unsigned char *, size_t))
{
    unsigned char *first = file->data + node->first_page * PAGE;
    size_t end = XYLEM_PAGES__PAGE_HEADER_BYTES + (size_t)node->value_bytes;
    visit(first + 8, 2);
    visit(first + end, (size_t)xylem_pages__overflow_pages(node->value_bytes, PAGE) * PAGE - end);
}

/* Visits the bytes of all pages that a copy has. Tells a record of the free list by its key. */
static void each_remain(struct bytes *file, const struct bytes *copy, void (*visit)(unsigned char *, size_t))
{
    for (size_t page = 2; page < copy->count / PAGE; page++) {
        unsigned char *bytes = file->data + page * PAGE;
        unsigned flags = xylem_pages__page_flags(copy->data + page * PAGE);
        bool leaf = flags == XYLEM_PAGES__PAGE_LEAF;
        bool there = xylem_pages__page_number_at(copy->data + page * PAGE, 8) == page;
        if (!there || (!leaf && flags != XYLEM_PAGES__PAGE_BRANCH)) {
            continue;
        }
        size_t lower = xylem_pages__page_lower(bytes);
        visit(bytes + 8, 2);
        visit(bytes + lower, xylem_pages__page_upper(bytes) - lower);
        for (size_t i = 0; i < xylem_pages__page_node_count(bytes, PAGE); i++) {
            struct xylem_pages__node node;
            assert_true(xylem_pages__node_read(&node, bytes, PAGE, xylem_pages__page_node_offset(bytes, i), leaf));
            size_t data = node.offset + XYLEM_PAGES__NODE_HEADER_BYTES + node.key.bytes;
            bool big = node.flags & XYLEM_PAGES__NODE_BIG;
            size_t end = data + (!leaf ? 0 : big ? 8 : (size_t)node.value_bytes);
            visit(bytes + end, node.end - end);
            if (big) {
                visit_value(file, &node, visit);
            }
            if (leaf && node.key.bytes == 8 && !big &&
                xylem_pages__page_number_at((const unsigned char *)node.key.data, 8) < 1000) {
                size_t ids = 8 * (size_t)xylem_pages__page_number_at(bytes + data, 8) + 8;
                assert_true(ids <= node.value_bytes);
                visit(bytes + data + ids, (size_t)node.value_bytes - ids);
            }
        }
    }
}

/* A file with remains: in the rest of free pages, and of a record that lists a page less than it has room for. */
static uint64_t make_file(uint64_t seed)
{
    struct chance chance = chance_of(seed);
    uint64_t txn_id = 0;
    env = env_open(place, 0);
    for (int i = 0; i < 20; i++) {
        txn_id = change(&chance, 30);
    }
    return txn_id;
}

static void assert_same_rows(MDB_txn *a, MDB_txn *b, const char *table)
{
    MDB_dbi dbis[2];
    MDB_cursor *cursors[2];
    assert_int_equal(mdb_dbi_open(a, table, 0, &dbis[0]), 0);
    assert_int_equal(mdb_dbi_open(b, table, 0, &dbis[1]), 0);
    assert_int_equal(mdb_cursor_open(a, dbis[0], &cursors[0]), 0);
    assert_int_equal(mdb_cursor_open(b, dbis[1], &cursors[1]), 0);
    for (int result = 0; result == 0;) {
        MDB_val keys[2];
        MDB_val values[2];
        result = mdb_cursor_get(cursors[0], &keys[0], &values[0], MDB_NEXT);
        assert_int_equal(mdb_cursor_get(cursors[1], &keys[1], &values[1], MDB_NEXT), result);
        if (result == 0) {
            assert_int_equal(keys[0].mv_size, keys[1].mv_size);
            assert_int_equal(values[0].mv_size, values[1].mv_size);
            assert_memory_equal(keys[0].mv_data, keys[1].mv_data, keys[0].mv_size);
            assert_memory_equal(values[0].mv_data, values[1].mv_data, values[0].mv_size);
        }
    }
    mdb_cursor_close(cursors[0]);
    mdb_cursor_close(cursors[1]);
}

static void assert_same(MDB_txn *expected, const char *path)
{
    MDB_env *other = env_open(path, MDB_NOSUBDIR | MDB_RDONLY | MDB_NOLOCK);
    MDB_txn *txn = NULL;
    assert_int_equal(mdb_txn_begin(other, NULL, MDB_RDONLY, &txn), 0);
    for (unsigned table = 0; table < XYLEM_FORMAT__TABLE_COUNT; table++) {
        assert_same_rows(expected, txn, xylem_format__table_name(table));
    }
    mdb_txn_abort(txn);
    mdb_env_close(other);
}

static MDB_txn *reading(void)
{
    MDB_txn *txn = NULL;
    assert_int_equal(mdb_txn_begin(env, NULL, MDB_RDONLY, &txn), 0);
    return txn;
}

#define PLACED(test) TEST_WITH(test, make_place, remove_place)

PLACED(a_copy_has_every_row_and_no_byte_of_anything_else)
{
    for (uint64_t seed = 1; seed <= test_rounds(8); seed++) {
        uint64_t txn_id = make_file(seed);
        close_env();
        struct bytes file = bytes_read(data_path);
        struct bytes copy = copied(txn_id, &file);
        /* The control: the same pages as they are have remains. */
        remain_count = 0;
        each_remain(&file, &copy, put_remain);
        assert_true(remain_count > 10000);
        assert_non_null(memmem(file.data, file.count, REMAIN, strlen(REMAIN)));
        bytes_write(data_path, &file);
        free(copy.data);
        copy = copied(txn_id, &file);
        assert_null(memmem(copy.data, copy.count, REMAIN, strlen(REMAIN)));
        size_t put = remain_count;
        remain_count = 0;
        each_remain(&copy, &copy, look_for_remain);
        assert_int_equal(remain_count, put);
        env = env_open(place, 0);
        MDB_txn *txn = reading();
        assert_same(txn, copy_path);
        mdb_txn_abort(txn);
        close_env();
        /* Every other byte is that of the file. */
        for (size_t i = 2 * PAGE; i < copy.count; i++) {
            assert_true(copy.data[i] == 0 || copy.data[i] == file.data[i]);
        }
        free(copy.data);
        free(file.data);
        assert_int_equal(unlink(data_path), 0);
    }
}

/* Finds a record of a free list of one leaf. NULL, or its value; a long record lies on pages of its own. */
static unsigned char *find_record(struct xylem_pages__node *node, const struct bytes *file, uint64_t txn_id,
                                  bool is_long)
{
    struct xylem_pages__meta meta = xylem_pages__meta_at(file->data + (txn_id & 1) * PAGE);
    unsigned char *leaf = file->data + meta.free_list.root * PAGE;
    size_t count = meta.free_list.depth == 1 ? xylem_pages__page_node_count(leaf, PAGE) : 0;
    for (size_t i = 0; i < count; i++) {
        assert_true(xylem_pages__node_read(node, leaf, PAGE, xylem_pages__page_node_offset(leaf, i), true));
        bool big = node->flags & XYLEM_PAGES__NODE_BIG;
        unsigned char *record =
            big ? file->data + node->first_page * PAGE + XYLEM_PAGES__PAGE_HEADER_BYTES : leaf + (node->data - leaf);
        if (big == is_long && xylem_pages__page_number_at(record, 8) > 2) {
            return record;
        }
    }
    return NULL;
}

static unsigned change_record(uint64_t seed, bool is_long)
{
    struct xylem_pages__node node;
    uint64_t txn_id = make_file(seed);
    struct chance chance = chance_of(seed);
    txn_id = is_long ? change(&chance, 300) : txn_id; /* frees many pages at once */
    close_env();
    struct bytes file = bytes_read(data_path);
    unsigned char *record = find_record(&node, &file, txn_id, is_long);
    if (record) {
        uint64_t count = xylem_pages__page_number_at(record, 8);
        set(record, count - 2, 8);
        memcpy(record + 8 + 8 * (count - 2), "two pages less..", 16);
        bytes_write(data_path, &file);
        struct bytes copy = copied(txn_id, &file);
        assert_null(memmem(copy.data, copy.count, "two pages less", 14));
        record = find_record(&node, &copy, txn_id, is_long);
        assert_int_equal(xylem_pages__page_number_at(record, 8), count - 2);
        free(copy.data);
    }
    free(file.data);
    assert_int_equal(unlink(data_path), 0);
    return record != NULL;
}

PLACED(the_room_behind_the_pages_of_a_free_record_is_empty_in_a_copy)
{
    unsigned long_count = 0;
    unsigned short_count = 0;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        short_count += change_record(seed, false);
        long_count += change_record(seed, true);
    }
    assert_true(long_count > 0);
    assert_true(short_count > 0);
}

PLACED(a_free_page_is_a_hole)
{
    struct xylem_pages__node node;
    uint64_t txn_id = make_file(3);
    close_env();
    struct bytes file = bytes_read(data_path);
    struct bytes copy = copied(txn_id, &file);
    const unsigned char *record = find_record(&node, &file, txn_id, false);
    assert_non_null(record);
    for (uint64_t i = 0; i < xylem_pages__page_number_at(record, 8); i++) {
        uint64_t page = xylem_pages__page_number_at(record + 8 + 8 * i, 8);
        look_for_remain(copy.data + page * PAGE, PAGE);
    }
    free(copy.data);
    free(file.data);
}

PLACED(a_page_that_no_commit_changed_is_the_same_in_the_next_copy)
{
    struct chance chance = chance_of(9);
    uint64_t txn_id = make_file(4);
    struct bytes file = bytes_read(data_path);
    struct bytes first = copied(txn_id, &file);
    free(file.data);
    txn_id = change(&chance, 1);
    close_env();
    file = bytes_read(data_path);
    struct bytes second = copied(txn_id, &file);
    size_t different = 0;
    for (size_t at = 2 * PAGE; at < first.count && at < second.count; at += PAGE) {
        different += memcmp(first.data + at, second.data + at, PAGE) != 0;
    }
    assert_in_range(different, 1, 150);
    assert_true(first.count / PAGE > 400);
    free(first.data);
    free(second.data);
    free(file.data);
}

PLACED(a_copy_is_that_of_its_transaction_also_after_later_commits)
{
    struct chance chance = chance_of(9);
    uint64_t txn_id = make_file(5);
    struct bytes taken = bytes_read(data_path);
    MDB_txn *txn = reading();
    change(&chance, 20);
    change(&chance, 20);
    change(&chance, 20); /* no meta page leads to the transaction any more */
    struct bytes copy = copied(txn_id, &taken);
    assert_same(txn, copy_path);
    mdb_txn_abort(txn);
    free(copy.data);
    free(taken.data);
}

PLACED(each_meta_page_of_a_copy_leads_to_all_rows)
{
    uint64_t txn_id = make_file(6);
    struct bytes file = bytes_read(data_path);
    struct bytes copy = copied(txn_id, &file);
    MDB_txn *txn = reading();
    for (unsigned page = 0; page < 2; page++) {
        struct xylem_pages__meta meta = xylem_pages__meta_at(copy.data + page * PAGE);
        assert_int_equal(meta.txn_id, (txn_id & 1) == page ? txn_id : txn_id - 1);
        assert_int_equal(meta.map_bytes, 1 << 28);
        look_for_remain(copy.data + page * PAGE + XYLEM_PAGES__META_END, PAGE - XYLEM_PAGES__META_END);
        struct bytes without = {malloc(copy.count), copy.count};
        memcpy(without.data, copy.data, copy.count);
        set(without.data + (1 - page) * PAGE + XYLEM_PAGES__META_TXN_OFFSET, 0, 8); /* LMDB takes the other */
        bytes_write(copy_path, &without);
        assert_same(txn, copy_path);
        free(without.data);
    }
    mdb_txn_abort(txn);
    free(copy.data);
    free(file.data);
}

PLACED(a_copy_is_as_long_as_the_store_also_where_its_last_pages_are_free)
{
    static char bytes[100000];
    MDB_val key = {5, "key-z"};
    MDB_val value = {sizeof bytes, bytes};
    MDB_envinfo info;
    uint64_t txn_id = make_file(2);
    for (int i = 0; i < 2; i++) {
        MDB_txn *txn = NULL;
        MDB_dbi dbi;
        assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
        assert_int_equal(mdb_dbi_open(txn, "log", 0, &dbi), 0);
        memset(bytes, 'v', sizeof bytes);
        value.mv_size = i == 0 ? 4 << 20 : 0;
        value.mv_data = i == 0 ? calloc(1, 4 << 20) : bytes;
        assert_int_equal(i == 0 ? mdb_put(txn, dbi, &key, &value, 0) : mdb_del(txn, dbi, &key, NULL), 0);
        if (i == 0) {
            free(value.mv_data);
        }
        assert_int_equal(mdb_txn_commit(txn), 0);
        assert_int_equal(mdb_env_info(env, &info), 0);
        txn_id = info.me_last_txnid;
    }
    struct bytes file = bytes_read(data_path);
    struct bytes copy = copied(txn_id, &file);
    assert_int_equal(copy.count, (info.me_last_pgno + 1) * PAGE);
    look_for_remain(copy.data + copy.count - PAGE, PAGE);
    free(copy.data);
    free(file.data);
}

/* --- What it refuses --------------------------------------------------------------------------------------------- */

PLACED(a_damaged_page_is_named_with_its_table)
{
    struct xylem_error err = {0, ""};
    uint64_t txn_id = make_file(7);
    close_env();
    struct bytes file = bytes_read(data_path);
    struct bytes copy = copied(txn_id, &file);
    size_t page = 2;
    while (xylem_pages__page_flags(copy.data + page * PAGE) != XYLEM_PAGES__PAGE_LEAF ||
           !memmem(copy.data + page * PAGE, PAGE, "key-", 4)) {
        page++;
    }
    char expected[64];
    snprintf(expected, sizeof expected, "data.mdb: page %zu, of the table ", page);
    set(file.data + page * PAGE + 14, PAGE + 2, 2);
    bytes_write(data_path, &file);
    assert_int_equal(copy_of(txn_id, &file, copy_path, &err), XYLEM_E_CORRUPT);
    if (!strstr(err.text, expected)) {
        fail_msg("'%s' is not in '%s'", expected, err.text);
    }
    free(copy.data);
    free(file.data);
}

/* Each node of the page is whole: the damage is in their order alone, and the page is not copied as if it were sound. */
PLACED(keys_that_do_not_ascend_are_named)
{
    struct xylem_error err = {0, ""};
    uint64_t txn_id = make_file(9);
    close_env();
    struct bytes file = bytes_read(data_path);
    struct bytes copy = copied(txn_id, &file);
    size_t page = 2;
    while (xylem_pages__page_flags(copy.data + page * PAGE) != XYLEM_PAGES__PAGE_LEAF ||
           !memmem(copy.data + page * PAGE, PAGE, "key-", 4) ||
           xylem_pages__page_node_count(copy.data + page * PAGE, PAGE) < 2) {
        page++;
    }
    unsigned char *offsets = file.data + page * PAGE + XYLEM_PAGES__PAGE_HEADER_BYTES;
    const unsigned char swapped[4] = {offsets[2], offsets[3], offsets[0], offsets[1]};
    memcpy(offsets, swapped, sizeof swapped);
    bytes_write(data_path, &file);
    assert_int_equal(copy_of(txn_id, &file, copy_path, &err), XYLEM_E_CORRUPT);
    assert_non_null(strstr(err.text, "its keys do not ascend"));
    free(copy.data);
    free(file.data);
}

/* The damage is met at a page that has no defect of its own: nothing that is copied after that hides the damage. */
PLACED(a_free_list_that_names_a_page_of_its_own_is_named)
{
    struct xylem_error err = {0, ""};
    struct xylem_pages__node first;
    struct xylem_pages__node second;
    struct chance chance = chance_of(10);
    uint64_t txn_id = make_file(10);
    MDB_txn *txn = reading(); /* keeps all records */
    for (int i = 0; i < 60; i++) {
        txn_id = change(&chance, 8);
    }
    mdb_txn_abort(txn);
    close_env();
    struct bytes file = bytes_read(data_path);
    struct xylem_pages__tree list = xylem_pages__meta_at(file.data + (txn_id & 1) * PAGE).free_list;
    assert_int_equal(list.depth, 2);
    unsigned char *root = file.data + list.root * PAGE;
    assert_true(xylem_pages__node_read(&first, root, PAGE, xylem_pages__page_node_offset(root, 0), false));
    assert_true(xylem_pages__node_read(&second, root, PAGE, xylem_pages__page_node_offset(root, 1), false));
    unsigned char *leaf = file.data + first.child * PAGE;
    struct xylem_pages__node record;
    assert_true(xylem_pages__node_read(&record, leaf, PAGE, xylem_pages__page_node_offset(leaf, 0), true));
    assert_int_equal(record.flags, 0);
    unsigned char *value = leaf + (record.data - leaf);
    set(value, 1, 8);
    set(value + 8, second.child, 8);
    bytes_write(data_path, &file);
    assert_int_equal(copy_of(txn_id, &file, copy_path, &err), XYLEM_E_CORRUPT);
    assert_non_null(strstr(err.text, "is in use, and the free list names the page"));
    free(file.data);
}

PLACED(a_file_that_cannot_be_written_is_named)
{
    struct xylem_error err = {0, ""};
    uint64_t txn_id = make_file(8);
    close_env();
    struct bytes file = bytes_read(data_path);
    assert_int_equal(copy_of(txn_id, &file, "/dev/full", &err), XYLEM_E_NO_SPACE);
    assert_string_equal(err.text, "cannot write the copy /dev/full: No space left on device");
    assert_int_equal(copy_of(txn_id, &file, "/dev/null", &err), XYLEM_E_IO); /* it has no length */
    assert_string_equal(err.text, "cannot write the copy /dev/null: Invalid argument");
    free(file.data);
}
