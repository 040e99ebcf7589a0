/* Rows beside damage, and the pages that LMDB changes: each was proven before. */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/lmdb/environment.h"
#include "store/format/keys.h"
#include "tests/lib/chance.h"
#include "tests/lib/damage.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"

#define TABLE XYLEM_FORMAT__SOURCES /* nothing else of these tests writes to it */
#define ROWS 3000u

static struct xylem_error err;
static bool present[ROWS];
static size_t key_bytes; /* long keys: few rows a page, and few children; so the tree is deep */

static struct xylem_view key_of(struct xylem_format__key *key, unsigned number)
{
    xylem_base__put_u64_be(key->bytes, number);
    key->view.data = (const char *)key->bytes;
    memset(key->bytes + 8, 'k', key_bytes - 8);
    key->view.bytes = key_bytes;
    return key->view;
}

static void put_number(unsigned number, size_t bytes, bool replace)
{
    static char value[20000];
    struct xylem_format__key key;
    struct xylem_view content = {value, bytes};
    memset(value, (int)(number % 251), bytes);
    store_builder_must(xylem_lmdb__put(builder.txn, TABLE, key_of(&key, number), content, replace, &err), &err);
}

static void put_row(unsigned number, size_t bytes)
{
    put_number(number, bytes, present[number]);
    present[number] = true;
}

static void remove_row(unsigned number)
{
    struct xylem_format__key key;
    int removed = xylem_lmdb__remove_there(builder.txn, TABLE, key_of(&key, number), &err);
    assert_int_equal(removed, present[number]);
    present[number] = false;
}

static void fill(unsigned count, size_t bytes)
{
    memset(present, 0, sizeof present);
    for (unsigned i = 0; i < count; i++) {
        put_row(i, bytes);
    }
    store_builder_commit(&builder);
}

/* Changes bytes of the file, under the open store. */
static void poke(uint64_t offset, const void *bytes, size_t count)
{
    char path[300];
    snprintf(path, sizeof path, "%s/data.mdb", builder.path);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, bytes, count, (off_t)offset), count);
    close(fd);
}

/* Where in the file the bytes lie that a view of the snapshot shows. */
static uint64_t offset_of(const void *bytes)
{
    return (uint64_t)((const unsigned char *)bytes - builder.txn->snapshot.map);
}

static void begin_anew(void)
{
    xylem_abort(builder.txn);
    store_builder_must(xylem_close(builder.store, &err), &err);
    struct xylem_open_options options = {.durability = XYLEM_DURABILITY_NONE};
    store_builder_must(xylem_open(&builder.store, builder.path, &options, &err), &err);
    store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), &err);
}

/* --- The pages that LMDB changes ---------------------------------------------------------------------------------- */

struct pages {
    uint64_t list[20000];
    size_t count;
};

static bool has(const struct pages *pages, uint64_t page)
{
    for (size_t i = 0; i < pages->count; i++) {
        if (pages->list[i] == page) {
            return true;
        }
    }
    return false;
}

static void add_tree(struct pages *pages, const struct xylem_pages__snapshot *snapshot, uint64_t page, unsigned depth)
{
    const unsigned char *bytes = snapshot->map + page * snapshot->page_bytes;
    assert_true(pages->count < sizeof pages->list / sizeof *pages->list);
    pages->list[pages->count++] = page;
    for (size_t i = 0; depth > 1 && i < xylem_pages__page_node_count(bytes, snapshot->page_bytes); i++) {
        add_tree(pages, snapshot, xylem_pages__node_child(bytes + xylem_pages__page_node_offset(bytes, i)), depth - 1);
    }
}

/* The pages that the newest commit gave back. */
static void read_freed(struct pages *freed)
{
    struct xylem_pages__tree_cursor cursor;
    struct xylem_view key;
    struct xylem_view value;
    freed->count = 0;
    xylem_pages__tree_cursor_init(&cursor, &builder.txn->snapshot, &builder.txn->snapshot.free_list);
    cursor.numbers = true;
    if (xylem_pages__tree_last(&cursor) <= 0) {
        return;
    }
    assert_int_equal(xylem_pages__tree_row(&key, &value, &cursor), 1);
    const unsigned char *bytes = (const unsigned char *)value.data;
    bool newest = xylem_pages__page_number_at((const unsigned char *)key.data, 8) == builder.txn->snapshot.txn_id;
    for (uint64_t i = 0; newest && i < xylem_pages__page_number_at(bytes, 8); i++) {
        freed->list[freed->count++] = xylem_pages__page_number_at(bytes + 8 + 8 * i, 8);
    }
}

static void change_rows(struct chance *chance)
{
    unsigned from = (unsigned)chance_below(chance, (int)ROWS);
    int count = chance_below(chance, 400);
    int kind = chance_below(chance, 4);
    for (int i = 0; i < count; i++) {
        unsigned number = kind == 0 ? (from + (unsigned)i) % ROWS : (unsigned)chance_below(chance, (int)ROWS);
        if (kind < 3) {
            remove_row(number);
        } else {
            put_row(number, (size_t)(8 + chance_below(chance, chance_one_in(chance, 20) ? 9000 : 60)));
        }
    }
}

static int set_up_rows(void **state)
{
    key_bytes = 308;
    return set_up(state);
}

#define IN_STORE(test) TEST_WITH(test, set_up_rows, tear_down)

/* LMDB looks for a table by its name, from the name in the middle. */
IN_STORE(a_writer_proves_the_list_of_tables_that_its_own_commit_wrote)
{
    struct xylem_view key;
    struct xylem_view value;
    key_bytes = 8;
    fill(1, 10);
    assert_int_equal(xylem_pages__tree_at_index(&builder.txn->list_of_tables, XYLEM_FORMAT__TABLE_COUNT / 2), 1);
    assert_int_equal(xylem_pages__tree_row(&key, &value, &builder.txn->list_of_tables), 1);
    uint64_t name_at = offset_of(key.data);
    char first = key.data[0];
    xylem_abort(builder.txn);
    poke(name_at, "\x7f", 1);
    assert_int_equal(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), XYLEM_E_CORRUPT);
    assert_non_null(strstr(err.text, "the list of tables"));
    poke(name_at, &first, 1);
    builder.txn = NULL;
    begin_anew(); /* this process writes nothing more to the store that it found damaged */
}

IN_STORE(no_page_that_was_not_proven_is_changed)
{
    static struct pages before;
    static struct pages proven;
    static struct pages freed;
    struct chance chance = chance_of(getenv("XYLEM_SEED") ? strtoull(getenv("XYLEM_SEED"), NULL, 10) : 5);
    const struct xylem_pages__tree *tree;
    (void)state;
    fill(ROWS, 40);
    for (int round = 0; round < (getenv("XYLEM_TORTURE") ? 500 : (int)test_rounds(40)); round++) {
        builder.txn->env->derived_txn = 0; /* nothing is taken as proven that was not */
        store_builder_must(xylem_lmdb__table_tree(&tree, builder.txn, TABLE, &err), &err);
        before.count = 0;
        if (tree->depth > 0) {
            add_tree(&before, &builder.txn->snapshot, tree->root, tree->depth);
        }
        change_rows(&chance);
        proven.count = builder.txn->prover.whole.count;
        memcpy(proven.list, builder.txn->prover.whole.pages, proven.count * sizeof *proven.list);
        store_builder_commit(&builder);
        read_freed(&freed);
        for (size_t i = 0; i < freed.count; i++) {
            if (has(&before, freed.list[i]) && !has(&proven, freed.list[i])) {
                fail_msg("round %d: page %u was changed and not proven", round, (unsigned)freed.list[i]);
            }
        }
    }
}

/* A key that a branch has belongs to the leaf on the right. */
IN_STORE(the_path_to_a_key_is_known_if_its_leaf_is_proven_and_in_its_own_table_alone)
{
    const struct xylem_pages__tree *tree;
    struct xylem_pages__tree_cursor cursor;
    struct xylem_format__key key;
    bool exact;
    unsigned known_count = 0;
    for (unsigned number = 0; number < ROWS; number += 2) {
        put_row(number, 40);
    }
    store_builder_commit(&builder);
    for (unsigned number = 1; number < ROWS; number += 202) {
        put_row(number, 40);
    }
    store_builder_must(xylem_lmdb__table_tree(&tree, builder.txn, TABLE, &err), &err);
    xylem_pages__tree_cursor_init(&cursor, &builder.txn->snapshot, tree);
    for (unsigned number = 0; number < ROWS; number += 2) {
        bool known = xylem_lmdb__prover_knows(builder.txn, TABLE, key_of(&key, number));
        known_count += known;
        assert_int_equal(xylem_pages__tree_seek(&exact, &cursor, key.view), 1);
        uint64_t leaf = xylem_pages__page_number_at(cursor.levels[tree->depth - 1].page, 8);
        assert_true(!known || xylem_pages__page_set_has(&builder.txn->prover.whole, leaf));
        for (enum xylem_format__table other = 0; other < XYLEM_FORMAT__TABLE_COUNT; other++) {
            assert_true(other == TABLE || !xylem_lmdb__prover_knows(builder.txn, other, key.view));
        }
    }
    assert_in_range(known_count, 1, ROWS / 4);
}

IN_STORE(an_append_to_a_changed_table_proves_the_path_to_the_last_row)
{
    struct xylem_format__key key;
    struct xylem_view content = {"a row of many", 13};
    const struct xylem_pages__tree *tree;
    struct xylem_pages__tree_cursor cursor;
    (void)state;
    for (unsigned number = 0; number < 2000; number++) {
        store_builder_must(xylem_lmdb__put(builder.txn, XYLEM_FORMAT__LOG, key_of(&key, number), content, false, &err),
                           &err);
    }
    store_builder_commit(&builder);
    builder.txn->env->derived_txn = 0;
    store_builder_must(xylem_lmdb__table_tree(&tree, builder.txn, XYLEM_FORMAT__LOG, &err), &err);
    xylem_pages__tree_cursor_init(&cursor, &builder.txn->snapshot, tree);
    assert_int_equal(xylem_pages__tree_last(&cursor), 1);
    uint64_t page = xylem_pages__page_number_at(cursor.levels[tree->depth - 1].page, 8);
    assert_int_equal(xylem_lmdb__remove_there(builder.txn, XYLEM_FORMAT__LOG, key_of(&key, 0), &err), 1);
    assert_false(xylem_pages__page_set_has(&builder.txn->prover.whole, page));
    store_builder_must(xylem_lmdb__put(builder.txn, XYLEM_FORMAT__LOG, key_of(&key, 2000), content, false, &err), &err);
    assert_true(xylem_pages__page_set_has(&builder.txn->prover.whole, page));
}

/* --- Damage ------------------------------------------------------------------------------------------------------ */

static int put_bytes(unsigned number, size_t bytes)
{
    static const char zeros[400000];
    struct xylem_format__key row;
    assert_true(bytes <= sizeof zeros);
    return xylem_lmdb__put(builder.txn, TABLE, key_of(&row, number), (struct xylem_view){zeros, bytes}, true, &err);
}

/*
 * A reader keeps forty records of the free list, of a few pages each; the first also has the pages of a value of
 * `value_bytes`. Then record 20 says that it has more pages. Gives the place of its count, and the right count.
 */
static uint64_t damage_free_record(uint64_t *count, size_t value_bytes)
{
    struct xylem_txn *reader;
    struct xylem_pages__tree_cursor cursor;
    struct xylem_view key;
    struct xylem_view value;
    fill(ROWS, 40);
    assert_int_equal(put_bytes(0, value_bytes), XYLEM_OK);
    store_builder_commit(&builder);
    xylem_abort(builder.txn);
    store_builder_must(xylem_begin(&reader, builder.store, XYLEM_READ, &err), &err);
    for (unsigned commit = 0; commit < 40; commit++) {
        store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), &err);
        put_row(commit * 7 % ROWS, 41);
        store_builder_must(xylem_commit(builder.txn, &err), &err);
    }
    xylem_abort(reader);
    store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), &err);
    xylem_pages__tree_cursor_init(&cursor, &builder.txn->snapshot, &builder.txn->snapshot.free_list);
    cursor.numbers = true;
    assert_int_equal(xylem_pages__tree_first(&cursor), 1);
    for (unsigned record = 0; record < 20; record++) {
        assert_int_equal(xylem_pages__tree_next(&cursor), 1);
    }
    assert_int_equal(xylem_pages__tree_row(&key, &value, &cursor), 1);
    uint64_t count_at = offset_of(value.data);
    memcpy(count, value.data, sizeof *count);
    poke(count_at, "\xff\xff\xff", 3);
    return count_at;
}

/* The transaction takes pages from one record after the other. */
IN_STORE(a_record_of_free_pages_is_proven_before_lmdb_takes_pages_from_it)
{
    uint64_t count;
    uint64_t count_at = damage_free_record(&count, 40);
    int code = XYLEM_OK;
    unsigned number = 0;
    for (; code == XYLEM_OK && number < ROWS; number++) {
        code = put_bytes(number, 18);
    }
    assert_int_equal(code, XYLEM_E_CORRUPT);
    assert_non_null(strstr(err.text, "the free list"));
    assert_in_range(number, 3, ROWS - 1); /* the first rows need no page of this record */
    poke(count_at, &count, sizeof count);
    begin_anew();
}

/* Puts a value of `bytes`, with a damaged record behind the pages of a value of `freed_bytes`. */
static int put_before_damage(size_t freed_bytes, size_t bytes)
{
    uint64_t count;
    uint64_t count_at = damage_free_record(&count, freed_bytes);
    int code = put_bytes(1, bytes);
    poke(count_at, &count, sizeof count);
    begin_anew();
    return code;
}

IN_STORE(a_value_on_one_page_needs_no_more_records_of_free_pages_than_a_row)
{
    assert_int_equal(put_before_damage(40, 3000), XYLEM_OK);
}

/* The first records have no neighbours, so LMDB reads on, up to the damaged record and behind. */
IN_STORE(records_of_free_pages_are_proven_up_to_the_neighbours_of_a_long_value)
{
    assert_int_equal(put_before_damage(40, 9000), XYLEM_E_CORRUPT);
    assert_non_null(strstr(err.text, "the free list"));
}

IN_STORE(no_record_of_free_pages_is_proven_behind_the_neighbours_of_a_long_value)
{
    assert_int_equal(put_before_damage(400000, 9000), XYLEM_OK);
}

/* Bit 6 of byte 3 of a page's own number: LMDB would give back another page. */
IN_STORE(a_page_with_another_number_is_not_written)
{
    struct xylem_format__key key;
    struct xylem_view value;
    fill(200, 40);
    store_builder_must(xylem_lmdb__get(&value, builder.txn, TABLE, key_of(&key, 100), &err), &err);
    uint64_t page = offset_of(value.data) / builder.txn->snapshot.page_bytes;
    uint64_t offset = page * builder.txn->snapshot.page_bytes + 3;
    poke(offset, "\x40", 1);
    begin_anew();
    struct xylem_view content = {"new", 3};
    assert_int_equal(xylem_lmdb__put(builder.txn, TABLE, key_of(&key, 100), content, true, &err), XYLEM_E_CORRUPT);
    assert_non_null(strstr(err.text, "another page"));
    assert_int_equal(xylem_commit(builder.txn, &err), XYLEM_E_CORRUPT);
    assert_int_equal(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), XYLEM_E_CORRUPT);
    poke(offset, "\0", 1);
    builder.txn = NULL;
    begin_anew();
}

/* LMDB would give back as many pages as the value's first page says. */
IN_STORE(a_value_whose_page_says_more_pages_is_not_removed)
{
    struct xylem_format__key key;
    struct xylem_view value;
    fill(40, 9000);
    store_builder_must(xylem_lmdb__get(&value, builder.txn, TABLE, key_of(&key, 10), &err), &err);
    uint64_t offset = offset_of(value.data) - XYLEM_PAGES__PAGE_HEADER_BYTES + XYLEM_PAGES__PAGE_COUNT_OFFSET;
    poke(offset, "\x13", 1);
    begin_anew();
    assert_int_equal(xylem_lmdb__remove(builder.txn, TABLE, key_of(&key, 10), &err), XYLEM_E_CORRUPT);
    poke(offset, "\x3", 1);
    begin_anew();
}

/* A shorter value in the place of a longer one, within one transaction, has no page that it does not need. */
IN_STORE(a_value_has_as_many_pages_as_it_needs)
{
    struct xylem_format__key key;
    struct xylem_view value;
    fill(5, 40);
    put_row(3, 19000);
    put_row(3, 5000);
    store_builder_commit(&builder);
    store_builder_must(xylem_lmdb__get(&value, builder.txn, TABLE, key_of(&key, 3), &err), &err);
    assert_int_equal(value.bytes, 5000);
    put_row(3, 30);
    store_builder_commit(&builder);
}

/* Whoever reads all rows, to redact each copy of an entry, must hear that some are hidden. */
IN_STORE(a_pass_over_a_page_that_hides_rows_is_an_error)
{
    struct xylem_lmdb__rows *rows = NULL;
    struct xylem_format__key key;
    struct xylem_view at = {NULL, 0};
    struct xylem_view value;
    fill(200, 40);
    store_builder_must(xylem_lmdb__get(&value, builder.txn, TABLE, key_of(&key, 100), &err), &err);
    uint64_t page_bytes = builder.txn->snapshot.page_bytes;
    const unsigned char *page = builder.txn->snapshot.map + offset_of(value.data) / page_bytes * page_bytes;
    unsigned char lower = page[12];
    unsigned char less = (unsigned char)(lower - 4);
    uint64_t offset = offset_of(page) + 12;
    poke(offset, &less, 1);
    begin_anew();
    store_builder_must(xylem_lmdb__rows_new(&rows, builder.txn, TABLE, &err), &err);
    int found = xylem_lmdb__rows_step(&at, &value, rows, XYLEM_LMDB__FIRST, &err);
    while (found > 0) {
        found = xylem_lmdb__rows_step(&at, &value, rows, XYLEM_LMDB__NEXT, &err);
    }
    assert_int_equal(found, XYLEM_E_CORRUPT);
    assert_non_null(strstr(err.text, "200 rows, and has 198"));
    xylem_lmdb__rows_free(rows);
    poke(offset, &lower, 1);
    begin_anew();
}

/* A page on the way to a row: where it lies, and the numbers of the keys below. */
struct part {
    uint64_t offset;
    unsigned node_count;
    unsigned first;
    unsigned last;
};

/* `above_leaf`: levels above the leaf. */
static struct part part_at(unsigned number, unsigned above_leaf)
{
    const struct xylem_pages__tree *tree;
    struct xylem_pages__tree_cursor cursor;
    struct xylem_format__key key;
    bool exact;
    store_builder_must(xylem_lmdb__table_tree(&tree, builder.txn, TABLE, &err), &err);
    xylem_pages__tree_cursor_init(&cursor, &builder.txn->snapshot, tree);
    assert_int_equal(xylem_pages__tree_seek(&exact, &cursor, key_of(&key, number)), 1);
    assert_true(tree->depth > above_leaf);
    const struct xylem_pages__level *at = &cursor.levels[tree->depth - 1 - above_leaf];
    struct part part = {.offset = offset_of(at->page), .node_count = at->count, .first = 0, .last = ROWS};
    for (const struct xylem_pages__level *above = cursor.levels; above < at; above++) {
        for (unsigned side = 0; side < 2; side++) {
            unsigned index = above->index + side;
            const unsigned char *key_at = above->page + XYLEM_PAGES__NODE_HEADER_BYTES +
                                          xylem_pages__page_node_offset(above->page, index % above->count);
            if (index % above->count > 0) {
                *(side ? &part.last : &part.first) = (unsigned)key_at[6] << 8 | key_at[7];
            }
        }
    }
    return part;
}

/*
 * Adds the odd rows of a part, from the last to the first, in one transaction. LMDB adds a node to its copy of the page
 * again and again, so each key of the copy is in the middle of a search at some time. Opens the store anew.
 */
static int add_odd_rows(const struct part *part)
{
    struct xylem_format__key key;
    struct xylem_view content = {"a row between two rows", 22};
    int code = XYLEM_OK;
    for (unsigned behind = part->last; code == XYLEM_OK && behind > part->first; behind -= 2) {
        code = xylem_lmdb__put(builder.txn, TABLE, key_of(&key, behind - 1), content, false, &err);
    }
    if (code == XYLEM_OK) {
        code = xylem_commit(builder.txn, &err);
        builder.txn = NULL;
    }
    begin_anew();
    return code;
}

/* The odd rows of a part that a get does not find. */
static unsigned count_lost(const struct part *part)
{
    struct xylem_format__key key;
    struct xylem_view value;
    unsigned lost = 0;
    for (unsigned number = part->first + 1; number < part->last; number += 2) {
        lost += xylem_lmdb__get(&value, builder.txn, TABLE, key_of(&key, number), &err) <= 0;
    }
    return lost;
}

/* Garbles a key of a part of the tree: after the store was closed, or between two commits of this handle. */
static struct part garble(unsigned above_leaf, unsigned index, bool high, bool while_open)
{
    if (while_open) {
        put_row(ROWS / 2, 21);
        store_builder_commit(&builder);
    }
    struct part part = part_at(ROWS / 2, above_leaf);
    const unsigned char *page = builder.txn->snapshot.map + part.offset;
    uint64_t node = part.offset + xylem_pages__page_node_offset(page, index);
    assert_true(index < part.node_count);
    xylem_abort(builder.txn);
    builder.txn = NULL;
    poke(node + XYLEM_PAGES__NODE_HEADER_BYTES + 6, high ? "\xff\xff" : "\0", 2);
    if (while_open) {
        store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), &err);
    } else {
        begin_anew();
    }
    return part;
}

/*
 * A search compares with some keys of a page. LMDB searches a copy of the page that has more keys by then, compares with
 * other keys, and follows a child that nobody proved, or puts the row at a wrong place.
 */
static void garble_each_key(unsigned above_leaf, bool while_open)
{
    struct damage_file sound = damage_read(builder.path);
    unsigned count = part_at(ROWS / 2, above_leaf).node_count;
    unsigned refused = 0;
    for (unsigned i = 2; i < 2 * count; i++) { /* the page above bounds the first key */
        struct part part = garble(above_leaf, i / 2, i % 2, while_open);
        int code = add_odd_rows(&part);
        refused += code == XYLEM_E_CORRUPT;
        if (code != XYLEM_E_CORRUPT && (code < 0 || count_lost(&part) > 0)) {
            fail_msg("key %u of %u, %u above the leaf, too %s, %s: code %d, and %u of %u rows are not found", i / 2,
                     part.node_count, above_leaf, i % 2 ? "high" : "low", while_open ? "open" : "closed", code,
                     count_lost(&part), (part.last - part.first) / 2);
        }
        damage_write(builder.path, &sound);
        begin_anew();
    }
    assert_true(refused >= 2 * count - 3); /* all but this: key 1 of a root that is too low ascends */
    damage_free(&sound);
}

static void try_garbled_keys(size_t bytes_of_a_key, size_t bytes_of_a_value)
{
    key_bytes = bytes_of_a_key;
    for (unsigned number = 0; number < ROWS; number += 2) {
        put_row(number, bytes_of_a_value);
    }
    store_builder_commit(&builder);
    struct part part = part_at(ROWS / 2, 1);
    for (unsigned above_leaf = 0; above_leaf < 2; above_leaf++) {
        garble_each_key(above_leaf, false);
        garble_each_key(above_leaf, true);
    }
    assert_int_equal(add_odd_rows(&part), XYLEM_OK); /* the control */
    assert_int_equal(count_lost(&part), 0);
}

IN_STORE(a_garbled_key_inside_a_page_is_found_before_lmdb_compares_with_the_key)
{
    try_garbled_keys(308, 20);
}

/* A short key: the environment remembers the path of the last commit. */
IN_STORE(a_garbled_key_on_the_path_of_the_last_commit_is_found_too)
{
    try_garbled_keys(8, 500);
}

/* What a transaction does first in the table, and then: a step by which LMDB may meet any key of the branches. */
static int remove_it(void)
{
    struct xylem_format__key key;
    return xylem_lmdb__remove(builder.txn, TABLE, key_of(&key, ROWS / 2), &err);
}

static int split_its_leaf(void)
{
    static const char value[1900];
    struct xylem_format__key key;
    return xylem_lmdb__put(builder.txn, TABLE, key_of(&key, ROWS / 2 + 1), (struct xylem_view){value, sizeof value},
                           false, &err);
}

static int put_and_get(void)
{
    struct xylem_format__key key;
    struct xylem_view value = {"short", 5};
    int code = xylem_lmdb__put(builder.txn, TABLE, key_of(&key, ROWS / 2 + 1), value, false, &err);
    return code < 0 ? code : xylem_lmdb__get(&value, builder.txn, TABLE, key_of(&key, 0), &err);
}

static int put_twice(void)
{
    struct xylem_format__key key;
    struct xylem_view value = {"short", 5};
    int code = xylem_lmdb__put(builder.txn, TABLE, key_of(&key, ROWS / 2 + 1), value, false, &err);
    return code < 0 ? code : xylem_lmdb__put(builder.txn, TABLE, key_of(&key, 1), value, false, &err);
}

/* Only the path to the last written key is derived. The key of a node off the search loses two bytes. */
IN_STORE(a_branch_beside_the_path_of_the_last_commit_is_proven)
{
    struct xylem_format__key key;
    key_bytes = 8;
    for (unsigned number = 0; number < ROWS; number += 2) {
        put_row(number, 1500);
    }
    store_builder_commit(&builder);
    put_row(ROWS / 2, 1501);
    store_builder_commit(&builder);
    struct part derived = part_at(ROWS / 2, 1);
    struct part part = part_at(2, 1);
    assert_true(part.offset != derived.offset && part.node_count > 3);
    const unsigned char *page = builder.txn->snapshot.map + part.offset;
    poke(part.offset + xylem_pages__page_node_offset(page, part.node_count - 1) + 6, "\6", 1);
    struct xylem_view value = {"short", 5};
    assert_int_equal(xylem_lmdb__put(builder.txn, TABLE, key_of(&key, 1), value, false, &err), XYLEM_E_CORRUPT);
    assert_non_null(strstr(err.text, "keys that do not ascend"));
    poke(part.offset + xylem_pages__page_node_offset(page, part.node_count - 1) + 6, "\10", 1);
    begin_anew();
}

/* The keys of the branches bound the ranges of proven leaves. */
static int prove_two_paths(void)
{
    struct xylem_lmdb__rows *rows;
    struct xylem_format__key key;
    struct xylem_view value;
    int code = xylem_lmdb__rows_new(&rows, builder.txn, TABLE, &err);
    for (unsigned number = ROWS / 2; code >= 0 && number < ROWS; number += ROWS / 4) {
        struct xylem_view at = key_of(&key, number);
        code = xylem_lmdb__rows_step(&at, &value, rows, XYLEM_LMDB__AT_OR_AFTER, &err);
        code = code < 0 ? code : xylem_lmdb__rows_prove(rows, &err);
    }
    xylem_lmdb__rows_free(rows);
    return code;
}

/* The first search of a transaction compares with the keys that the proof compared with. The second may not. */
IN_STORE(a_garbled_key_of_a_derived_branch_stops_removals_splits_and_second_searches)
{
    static int (*const steps[])(void) = {remove_it, split_its_leaf, put_and_get, put_twice, prove_two_paths};
    key_bytes = 8;
    for (unsigned number = 0; number < ROWS; number += 2) {
        put_row(number, 500);
    }
    store_builder_commit(&builder);
    struct damage_file sound = damage_read(builder.path);
    unsigned count = part_at(ROWS / 2, 1).node_count;
    for (unsigned i = 0; i < 2 * count * (sizeof steps / sizeof *steps); i += 7) {
        unsigned index = i / 2 % count;
        bool high = i % 2;
        if (index > 1 || (index == 1 && high)) { /* a first key that is too low ascends */
            garble(1, index, high, true);
            assert_int_equal(steps[i / 2 / count](), XYLEM_E_CORRUPT);
            damage_write(builder.path, &sound);
            begin_anew();
        }
    }
    damage_free(&sound);
}

/* Where the low bytes of the key of a node lie in the file: the key of a number differs in these alone. */
static uint64_t low_bytes_at(const struct xylem_pages__level *at, unsigned index)
{
    return offset_of(at->page) + xylem_pages__page_node_offset(at->page, index) + XYLEM_PAGES__NODE_HEADER_BYTES + 6;
}

static unsigned number_at(const struct xylem_pages__level *at, unsigned index)
{
    const unsigned char *bytes = builder.txn->snapshot.map + low_bytes_at(at, index);
    return (unsigned)bytes[0] << 8 | bytes[1];
}

static struct xylem_pages__tree_cursor cursor_at(enum xylem_format__table table, unsigned number)
{
    const struct xylem_pages__tree *tree;
    struct xylem_pages__tree_cursor cursor;
    struct xylem_format__key key;
    bool exact;
    store_builder_must(xylem_lmdb__table_tree(&tree, builder.txn, table, &err), &err);
    xylem_pages__tree_cursor_init(&cursor, &builder.txn->snapshot, tree);
    assert_int_equal(xylem_pages__tree_seek(&exact, &cursor, key_of(&key, number)), 1);
    return cursor;
}

/* Writes bytes under the open store, and begins a transaction. */
static void poke_under(uint64_t offset, const void *bytes, size_t count)
{
    xylem_abort(builder.txn);
    builder.txn = NULL;
    poke(offset, bytes, count);
    store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), &err);
}

/* A cursor that stands in the leaf compares with two keys of the leaf. LMDB comes from the root, and meets other keys. */
IN_STORE(a_garbled_key_is_found_before_a_put_from_where_the_cursor_stands)
{
    struct xylem_format__key key;
    struct xylem_view value = {"of another length", 17};
    key_bytes = 8;
    for (unsigned number = 0; number < 1000; number += 2) {
        put_row(number, 200);
    }
    store_builder_commit(&builder);
    for (int replace = 0; replace < 2; replace++) {
        put_row(500, 201 + (unsigned)replace);
        store_builder_commit(&builder);
        struct xylem_pages__tree_cursor cursor = cursor_at(TABLE, 100);
        struct xylem_pages__level root = cursor.levels[0];
        struct xylem_pages__level leaf = cursor.levels[1];
        assert_true(cursor.tree.depth == 2 && root.index < root.count / 2);
        unsigned first = number_at(&leaf, 0);
        unsigned last = number_at(&leaf, leaf.count - 1);
        unsigned char garbled[2] = {(unsigned char)((first + 1) >> 8), (unsigned char)(first + 1)};
        unsigned char sound[2];
        uint64_t key_at = low_bytes_at(&root, root.count / 2);
        memcpy(sound, builder.txn->snapshot.map + key_at, sizeof sound);
        poke_under(key_at, garbled, sizeof garbled);
        assert_int_equal(xylem_lmdb__get(&value, builder.txn, TABLE, key_of(&key, first), &err), 1);
        value = (struct xylem_view){"of another length", 17};
        int code = xylem_lmdb__put(builder.txn, TABLE, key_of(&key, replace ? last : last - 1), value, replace, &err);
        assert_int_equal(code, XYLEM_E_CORRUPT);
        poke(key_at, sound, sizeof sound);
        begin_anew();
    }
}

/* Three levels: a garbled key of the root makes a branch seem to lie on the path to the last written key. */
IN_STORE(a_branch_that_only_seems_to_be_derived_is_not_trusted)
{
    struct xylem_format__key key;
    struct xylem_view value = {"short", 5};
    key_bytes = 24;
    for (unsigned number = 0; number < 9000; number += 2) {
        put_number(number, 1300, false);
    }
    store_builder_commit(&builder);
    put_number(6000, 1302, true);
    store_builder_commit(&builder);
    struct xylem_pages__level root = cursor_at(TABLE, 6000).levels[0];
    unsigned below = number_at(&root, 1) + 40;
    struct xylem_pages__tree_cursor cursor = cursor_at(TABLE, below);
    assert_true(cursor.tree.depth == 3 && root.index >= 3 && cursor.levels[0].index == 1);
    uint64_t key_at = low_bytes_at(&root, 2);
    unsigned char sound[2];
    memcpy(sound, builder.txn->snapshot.map + key_at, sizeof sound);
    poke_under(key_at, "\xfd\xe8", 2);
    assert_int_equal(xylem_lmdb__put(builder.txn, TABLE, key_of(&key, below + 1), value, false, &err), XYLEM_E_CORRUPT);
    poke(key_at, sound, sizeof sound);
    begin_anew();
}

/* A full branch is split in the middle, and its garbled key would go to the branch above. */
IN_STORE(a_garbled_key_of_a_branch_stops_an_append_that_splits_and_a_second_append)
{
    struct xylem_format__key key;
    static const char bytes[1900];
    key_bytes = 24;
    for (unsigned number = 0; number < 590; number++) {
        struct xylem_view value = {bytes, 700};
        store_builder_must(xylem_lmdb__put(builder.txn, XYLEM_FORMAT__LOG, key_of(&key, number), value, false, &err),
                           &err);
    }
    struct xylem_view value = {bytes, 10};
    store_builder_must(xylem_lmdb__put(builder.txn, XYLEM_FORMAT__LOG, key_of(&key, 600), value, false, &err), &err);
    store_builder_commit(&builder);
    struct xylem_pages__level root = cursor_at(XYLEM_FORMAT__LOG, 600).levels[0];
    assert_true(root.count > 3);
    uint64_t key_at = low_bytes_at(&root, root.count - 2);
    unsigned char sound[2];
    memcpy(sound, builder.txn->snapshot.map + key_at, sizeof sound);
    for (int splits = 0; splits < 2; splits++) {
        store_builder_must(
            xylem_lmdb__put(builder.txn, XYLEM_FORMAT__LOG, key_of(&key, 601 + (unsigned)splits), value, false, &err),
            &err);
        store_builder_commit(&builder); /* of this environment: the path to the end is derived */
        poke_under(low_bytes_at(&cursor_at(XYLEM_FORMAT__LOG, 600).levels[0], root.count - 2), "\0\3", 2);
        value.bytes = splits ? sizeof bytes : 10;
        int code = xylem_lmdb__put(builder.txn, XYLEM_FORMAT__LOG, key_of(&key, 700), value, false, &err);
        assert_int_equal(code, splits ? XYLEM_E_CORRUPT : XYLEM_OK);
        value.bytes = 10;
        code = splits ? code : xylem_lmdb__put(builder.txn, XYLEM_FORMAT__LOG, key_of(&key, 701), value, false, &err);
        assert_int_equal(code, XYLEM_E_CORRUPT);
        xylem_abort(builder.txn);
        store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_READ, &err), &err);
        poke(low_bytes_at(&cursor_at(XYLEM_FORMAT__LOG, 601).levels[0], root.count - 2), sound, sizeof sound);
        begin_anew();
    }
}

/* LMDB follows the length of a long value, and its pages do not say how long the value is. */
IN_STORE(a_long_value_that_ends_beyond_the_file_is_not_given_by_lmdb)
{
    struct xylem_format__key key;
    struct xylem_view value;
    key_bytes = 8;
    for (unsigned number = 0; number < 100; number += 2) {
        put_row(number, number == 50 ? 6000 : 100);
    }
    store_builder_commit(&builder);
    struct xylem_pages__tree_cursor cursor = cursor_at(TABLE, 50);
    const struct xylem_pages__level *leaf = &cursor.levels[cursor.tree.depth - 1];
    uint64_t length_at = low_bytes_at(leaf, leaf->index) - XYLEM_PAGES__NODE_HEADER_BYTES - 6;
    for (int step = 0; step < 2; step++) {
        poke_under(length_at + 3, "\4", 1);
        put_row(3, 100); /* LMDB reads the table from here on */
        struct xylem_lmdb__rows *rows = NULL;
        struct xylem_view at = key_of(&key, 50);
        store_builder_must(xylem_lmdb__rows_new(&rows, builder.txn, TABLE, &err), &err);
        assert_int_equal(step ? xylem_lmdb__rows_step(&at, &value, rows, XYLEM_LMDB__AT, &err)
                              : xylem_lmdb__get(&value, builder.txn, TABLE, at, &err),
                         XYLEM_E_CORRUPT);
        assert_non_null(strstr(err.text, "ends beyond the file"));
        xylem_lmdb__rows_free(rows);
        poke(length_at + 3, "\0", 1);
        begin_anew();
    }
}

/* --- Cursors ----------------------------------------------------------------------------------------------------- */

static long next_present(long from, int direction)
{
    while (from >= 0 && from < (long)ROWS && !present[from]) {
        from += direction;
    }
    return from >= 0 && from < (long)ROWS ? from : -1;
}

/* Steps through a table while rows come and go, against the plain list of them. */
IN_STORE(a_cursor_goes_on_from_its_row_whatever_was_written)
{
    struct chance chance = chance_of(getenv("XYLEM_SEED") ? strtoull(getenv("XYLEM_SEED"), NULL, 10) : 9);
    for (int round = 0; round < 60; round++) {
        struct xylem_lmdb__rows *rows = NULL;
        long at = -1;
        fill(round % 3 == 0 ? 300 : ROWS / 4, 40);
        store_builder_must(xylem_lmdb__rows_new(&rows, builder.txn, TABLE, &err), &err);
        for (int i = 0; i < 60; i++) {
            struct xylem_format__key key;
            struct xylem_view found_key = {NULL, 0};
            struct xylem_view value;
            int what = chance_below(&chance, 8);
            unsigned number = (unsigned)(at < 0 ? 5 : at + chance_below(&chance, 5)) % 300;
            if (what == 0) {
                remove_row(at >= 0 && chance_one_in(&chance, 2) ? (unsigned)at : number);
                continue;
            }
            if (what == 1) {
                put_row(number, 40);
                continue;
            }
            bool forward = what > 4;
            enum xylem_lmdb__step step = what == 2 ? XYLEM_LMDB__AT_OR_AFTER
                                         : forward ? XYLEM_LMDB__NEXT
                                                   : XYLEM_LMDB__PREVIOUS;
            long wanted = what == 2 ? next_present(number, 1)
                          : forward ? next_present(at < 0 ? 0 : at + 1, 1)
                                    : next_present(at < 0 ? (long)ROWS - 1 : at - 1, -1);
            found_key = what == 2 ? key_of(&key, number) : found_key;
            int found = store_builder_must(xylem_lmdb__rows_step(&found_key, &value, rows, step, &err), &err);
            assert_int_equal(found, wanted >= 0);
            if (found > 0) {
                struct xylem_base__cursor bytes = xylem_base__cursor_of(found_key.data, found_key.bytes);
                assert_int_equal(xylem_base__read_u64_be(&bytes), wanted);
                at = wanted;
            } else if (what == 2) {
                at = -1;
            }
        }
        xylem_lmdb__rows_free(rows);
        for (unsigned number = 0; number < ROWS; number++) {
            if (present[number]) {
                remove_row(number);
            }
        }
    }
}
