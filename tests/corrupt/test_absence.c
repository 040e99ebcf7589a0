/*
 * Flips single bits of the pages of a store, under the open store, and asks for everything that is there. A flip may
 * make an answer an error, never "not there": no session, no id, no entry and no navigation of the store is NOT_FOUND,
 * and no session and no id is made a second time. XYLEM_SEED chooses which bits are flipped; with XYLEM_TORTURE all
 * are.
 */

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "store/pages/page.h"
#include "xylem/append.h"
#include "tests/lib/damage.h"
#include "tests/lib/store_builder.h"
#include "tests/lib/test.h"

#define PAGE DAMAGE_PAGE_BYTES
#define SESSIONS 9u
#define ENTRIES 640u
#define ASKED_AT_ONCE 12u
#define FLIPS_BOUNDED 12000u

static struct store_builder builder;
static struct damage_file sound;
static uint64_t numbers[SESSIONS];
static unsigned char *is_table; /* by page: one of a table, or of the list of tables */
static int fd = -1;
static uint64_t seed;

struct tally {
    uint64_t flips;
    uint64_t answers;
    uint64_t errors;
};

static void name_session(char text[40], unsigned i)
{
    snprintf(text, 40, "session-%08x", i * 2654435761u);
}

static void name_entry(char text[40], unsigned i)
{
    snprintf(text, 40, "entry-%08x", i * 2654435761u);
}

/* --- The sound store --------------------------------------------------------------------------------------------- */

static void mark_tree(uint64_t number)
{
    if (number == XYLEM_PAGES__NO_PAGE) {
        return;
    }
    const unsigned char *page = sound.bytes + number * PAGE;
    bool leaf = xylem_pages__page_flags(page) == XYLEM_PAGES__PAGE_LEAF;
    is_table[number] = 1;
    for (size_t i = 0; i < xylem_pages__page_node_count(page, PAGE); i++) {
        struct xylem_pages__node node;
        assert_true(xylem_pages__node_read(&node, page, PAGE, xylem_pages__page_node_offset(page, i), leaf));
        if (!leaf) {
            mark_tree(node.child);
        } else if (node.flags & XYLEM_PAGES__NODE_SUB) {
            mark_tree(xylem_pages__tree_at(node.data).root);
        }
    }
}

static int fill(void **state)
{
    (void)state;
    char id[40];
    char path[300];
    store_builder_open(&builder);
    for (unsigned i = 0; i < SESSIONS; i++) {
        name_session(id, i);
        numbers[i] = store_builder_session(&builder, id);
    }
    for (unsigned i = 0; i < ENTRIES; i++) {
        name_entry(id, i);
        store_builder_add(&builder, numbers[i % SESSIONS], id, "message", "{\"text\":\"a message of some length\"}");
        if (i % 40 == 39) {
            store_builder_go(&builder, numbers[i % SESSIONS], store_builder_leaf(&builder, numbers[i % SESSIONS]));
            store_builder_commit(&builder);
        }
    }
    store_builder_commit(&builder);
    xylem_abort(builder.txn);
    builder.txn = NULL;
    sound = damage_read(builder.path);
    is_table = calloc(sound.count / PAGE, 1);
    assert_non_null(is_table);
    struct xylem_pages__meta first = xylem_pages__meta_at(sound.bytes);
    struct xylem_pages__meta second = xylem_pages__meta_at(sound.bytes + PAGE);
    mark_tree(first.txn_id > second.txn_id ? first.main_table.root : second.main_table.root);
    snprintf(path, sizeof path, "%s/data.mdb", builder.path);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    seed = getenv("XYLEM_SEED") ? strtoull(getenv("XYLEM_SEED"), NULL, 10) : (uint64_t)time(NULL);
    return fd < 0;
}

static int empty(void **state)
{
    (void)state;
    struct xylem_error err;
    close(fd);
    store_builder_must(xylem_close(builder.store, &err), &err); /* it met damage, and takes no writer any more */
    store_builder_must(xylem_open(&builder.store, builder.path, NULL, &err), &err);
    store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), &err);
    store_builder_close(&builder);
    damage_free(&sound);
    free(is_table);
    return 0;
}

static void put_byte(uint64_t offset, unsigned char byte)
{
    assert_int_equal(pwrite(fd, &byte, 1, (off_t)offset), 1);
}

/* --- Questions --------------------------------------------------------------------------------------------------- */

static void expect_there(struct tally *tally, int code, const char *what, unsigned number, uint64_t offset,
                         unsigned bit)
{
    tally->answers += code == XYLEM_OK;
    tally->errors += code != XYLEM_OK;
    if (code == XYLEM_E_NOT_FOUND || code == XYLEM_E_FREED || code == XYLEM_E_DELETED) {
        put_byte(offset, sound.bytes[offset]);
        fail_msg("page %u, byte %u, bit %u: %s %u is not there (%d); XYLEM_SEED=%" PRIu64, (unsigned)(offset / PAGE),
                 (unsigned)(offset % PAGE), bit, what, number, code, seed);
    }
}

static void ask(struct tally *tally, unsigned from, uint64_t offset, unsigned bit)
{
    struct xylem_txn *txn = NULL;
    struct xylem_error err;
    char id[40];
    int code = xylem_begin(&txn, builder.store, XYLEM_READ, &err);
    if (code < 0) {
        expect_there(tally, code, "the store", 0, offset, bit);
        return;
    }
    for (unsigned i = 0; i < SESSIONS; i++) {
        struct xylem_session session;
        name_session(id, i);
        expect_there(tally, xylem_session_find(&session, txn, xylem_view_of(id), &err), "session", i, offset, bit);
    }
    for (unsigned i = 0; i < ASKED_AT_ONCE; i++) {
        struct xylem_position position = {0, 0};
        struct xylem_entry entry;
        unsigned number = (from + i * 53) % ENTRIES;
        name_entry(id, number);
        code = xylem_find(&position, txn, numbers[number % SESSIONS], xylem_view_of(id), &err);
        expect_there(tally, code, "id", number, offset, bit);
        position = (struct xylem_position){numbers[number % SESSIONS], 1 + number / SESSIONS};
        expect_there(tally, xylem_entry_read(&entry, txn, position, &err), "entry", number, offset, bit);
    }
    xylem_abort(txn);
}

/*
 * What is there is not made again. A store in which damage was met takes no writers; so each flip has its own handle.
 */
static void make_again(struct tally *tally, unsigned from, uint64_t offset, unsigned bit)
{
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    struct xylem_error err;
    char id[40];
    struct xylem_open_options options = {.durability = XYLEM_DURABILITY_NONE, .map_bytes = UINT64_C(1) << 28};
    int code = xylem_open(&store, builder.path, &options, &err);
    code = code < 0 ? code : xylem_begin(&txn, store, XYLEM_WRITE, &err);
    if (code == XYLEM_OK) {
        name_session(id, from % SESSIONS);
        struct xylem_session_options again = {.id = xylem_view_of(id)};
        code = xylem_session_create(NULL, txn, &again, &err);
        name_entry(id, from % ENTRIES);
        struct xylem_new_entry entry = {.id = xylem_view_of(id), .kind.name = xylem_view_of("message")};
        int appended = xylem_append(NULL, txn, numbers[from % ENTRIES % SESSIONS], &entry, 1, NULL, &err);
        if (code == XYLEM_OK || appended == XYLEM_OK) {
            put_byte(offset, sound.bytes[offset]);
            fail_msg("page %u, byte %u, bit %u: a session (%d) or an id (%d) was made again; XYLEM_SEED=%" PRIu64,
                     (unsigned)(offset / PAGE), (unsigned)(offset % PAGE), bit, code, appended, seed);
        }
        xylem_abort(txn);
    }
    tally->errors++;
    (void)xylem_close(store, NULL);
}

static uint64_t count_bits(uint64_t page)
{
    return is_table[page] ? (uint64_t)PAGE * 8 : 0;
}

TEST(no_flipped_bit_makes_a_live_row_absent)
{
    struct tally tally = {0, 0, 0};
    uint64_t all = 0;
    for (uint64_t page = 0; page < sound.count / PAGE; page++) {
        all += count_bits(page);
    }
    uint64_t stride = getenv("XYLEM_TORTURE") ? 1 : all / FLIPS_BOUNDED + 1;
    uint64_t next = seed % stride;
    uint64_t at = 0;
    for (uint64_t page = 0; page < sound.count / PAGE; page++) {
        size_t upper = xylem_pages__page_upper(sound.bytes + page * PAGE);
        size_t lower = xylem_pages__page_lower(sound.bytes + page * PAGE);
        for (uint64_t bit = 0; bit < count_bits(page); bit++, at++) {
            bool in_header = bit < 8 * (lower < PAGE ? lower : 0) && bit % 8 == at / 8 % 8 && bit % 3 == seed % 3;
            bool between = bit / 8 >= lower && bit / 8 < upper;
            if ((at != next && !in_header) || between) {
                next += at == next ? stride : 0;
                continue;
            }
            next += at == next ? stride : 0;
            uint64_t offset = page * PAGE + bit / 8;
            put_byte(offset, (unsigned char)(sound.bytes[offset] ^ 1u << bit % 8));
            ask(&tally, (unsigned)at, offset, (unsigned)bit % 8);
            if (tally.flips % 4 == 0) {
                make_again(&tally, (unsigned)at, offset, (unsigned)bit % 8);
            }
            put_byte(offset, sound.bytes[offset]);
            tally.flips++;
        }
    }
    print_message("    %" PRIu64 " flips, %" PRIu64 " right answers, %" PRIu64 " errors; XYLEM_SEED=%" PRIu64 "\n",
                  tally.flips, tally.answers, tally.errors, seed);
    assert_true(tally.flips > 500 && tally.answers > 0 && tally.errors > 0);
}

TEST_FILE(fill, empty)
