/*
 * Flips bits of the keys and values of every table, as they lie in the file, under the open store. Each flip must be
 * found by verification, and each reading gives its right answer or fails. XYLEM_SEED chooses which bits are flipped;
 * with XYLEM_TORTURE all are.
 */

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "store/lmdb/environment.h"
#include "tests/lib/full_store.h"
#include "tests/lib/readings.h"
#include "tests/lib/test.h"

#define FLIPS_BOUNDED 2500u /* and the first row of each table */
#define SECONDS_OF_A_FLIP 20u

/* Bytes of a table in the file. */
struct piece {
    enum xylem_format__table table;
    const char *part; /* "key", "value" */
    size_t row;
    size_t offset;
    size_t bytes;
};

static struct store_builder builder;
static struct piece *pieces;
static size_t piece_count;
static unsigned char *file; /* data.mdb, mapped so that what is written there is seen at once by LMDB's own map */
static size_t file_bytes;
static struct readings readings;

/* --- Where the rows lie ------------------------------------------------------------------------------------------- */

/* The file's place of what LMDB shows: the page that a key lies on begins with its own number. */
static const char *map_base(const void *key)
{
    size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    const char *page = (const char *)key - (uintptr_t)key % page_bytes;
    uint64_t number;
    memcpy(&number, page, sizeof number);
    return page - number * page_bytes;
}

static void add_piece(struct piece piece)
{
    struct piece *list = realloc(pieces, (piece_count + 1) * sizeof *list);
    assert_non_null(list);
    pieces = list;
    assert_true(piece.offset + piece.bytes <= file_bytes);
    list[piece_count++] = piece;
}

/* The key of a row of `ids` stands there once for all of its values. */
static void add_row(enum xylem_format__table table, size_t row, MDB_val key, MDB_val value)
{
    const char *base = map_base(key.mv_data);
    size_t at = (size_t)((const char *)key.mv_data - base);
    bool known = false;
    for (size_t i = 0; i < piece_count; i++) {
        known = known || pieces[i].offset == at;
    }
    if (!known) {
        add_piece((struct piece){table, "key", row, at, key.mv_size});
    }
    at = (size_t)((const char *)value.mv_data - base);
    add_piece((struct piece){table, "value", row, at, value.mv_size});
    assert_memory_equal(file + at, value.mv_data, value.mv_size);
}

static void find_rows(struct xylem_txn *txn)
{
    for (unsigned table = 0; table < XYLEM_FORMAT__TABLE_COUNT; table++) {
        MDB_cursor *cursor = NULL;
        MDB_val key;
        MDB_val value;
        size_t row = 0;
        assert_int_equal(mdb_cursor_open(txn->mdb, txn->env->tables[table], &cursor), 0);
        while (mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0) {
            add_row((enum xylem_format__table)table, row++, key, value);
        }
        mdb_cursor_close(cursor);
        assert_true(row > 0);
    }
}

static void map_file(void)
{
    char path[300];
    struct stat status;
    (void)snprintf(path, sizeof path, "%s/data.mdb", builder.path);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0 && fstat(fd, &status) == 0);
    file_bytes = (size_t)status.st_size;
    file = mmap(NULL, file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(file != MAP_FAILED);
    close(fd);
}

/* --- One flip ----------------------------------------------------------------------------------------------------- */

struct tally {
    uint64_t flips;
    uint64_t found;
    uint64_t refused; /* the store could not be opened */
    struct readings_result readings;
};

static char where[160]; /* the flip that is being tried, for whoever ends the program */

static void on_signal(int number)
{
    static const char text[] = ": the program was ended by a signal or took too long\n";
    if (write(STDERR_FILENO, where, strlen(where)) < 0 || write(STDERR_FILENO, text, sizeof text - 1) < 0) {
        _exit(2);
    }
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

static struct xylem_txn *begin_reading(void)
{
    struct xylem_txn *txn = NULL;
    struct xylem_error err = {0};
    store_builder_must(xylem_begin(&txn, builder.store, XYLEM_READ, &err), &err);
    return txn;
}

/* What is read when a store is opened, and kept: those flips must be met by a store that was just opened. */
static bool is_kept(enum xylem_format__table table)
{
    return table == XYLEM_FORMAT__META || table == XYLEM_FORMAT__KINDS;
}

static int open_anew(void)
{
    struct xylem_open_options options = {.durability = XYLEM_DURABILITY_NONE};
    struct xylem_store *store = NULL;
    assert_int_equal(xylem_close(builder.store, NULL), XYLEM_OK);
    builder.store = NULL;
    int code = xylem_open(&store, builder.path, &options, NULL);
    builder.store = store;
    return code;
}

static void try_flip(struct tally *tally, const struct piece *piece, size_t bit)
{
    char lie[512] = "";
    unsigned char mask = (unsigned char)(1u << bit % 8);
    (void)snprintf(where, sizeof where, "table %s, row %zu, bit %zu of the %s", xylem_format__table_name(piece->table),
                   piece->row, bit, piece->part);
    (void)alarm(SECONDS_OF_A_FLIP);
    file[piece->offset + bit / 8] ^= mask;
    tally->flips++;
    if (is_kept(piece->table) && open_anew() < 0) {
        tally->refused++;
        tally->found++;
    } else {
        struct xylem_txn *txn = begin_reading();
        uint64_t problem_count = readings_verify(txn);
        uint64_t wrong = tally->readings.wrong;
        readings_repeat(&tally->readings, &readings, txn, lie, sizeof lie);
        xylem_abort(txn);
        tally->found += problem_count > 0;
        if (problem_count == 0) {
            print_error("%s: verification finds nothing\n", where);
        }
        if (tally->readings.wrong > wrong) {
            print_error("%s: %s\n", where, lie);
        }
    }
    file[piece->offset + bit / 8] ^= mask;
    if (is_kept(piece->table)) {
        if (builder.store) {
            assert_int_equal(open_anew(), XYLEM_OK);
        } else {
            struct xylem_open_options options = {.durability = XYLEM_DURABILITY_NONE};
            assert_int_equal(xylem_open(&builder.store, builder.path, &options, NULL), XYLEM_OK);
        }
    }
    (void)alarm(0);
}

/* --- The matrix --------------------------------------------------------------------------------------------------- */

static int fill(void **state)
{
    store_builder_open(&builder);
    full_store_fill(&builder);
    xylem_abort(builder.txn);
    builder.txn = NULL;
    map_file();
    struct xylem_txn *txn = begin_reading();
    find_rows(txn);
    readings_learn(&readings, txn);
    assert_int_equal(readings_verify(txn), 0);
    xylem_abort(txn);
    static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGALRM};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        (void)signal(signals[i], on_signal);
    }
    (void)state;
    return 0;
}

static int empty(void **state)
{
    (void)state;
    munmap(file, file_bytes);
    free(pieces);
    readings_release(&readings);
    full_store_release();
    store_builder_close(&builder);
    return 0;
}

static void print_tally(const struct tally *tally)
{
    print_message("figures: %" PRIu64 " bits flipped, %" PRIu64 " found by verification (%" PRIu64
                  " when the store was opened); %" PRIu64 " readings right, %" PRIu64 " failed, %" PRIu64 " wrong\n",
                  tally->flips, tally->found, tally->refused, tally->readings.right, tally->readings.failed,
                  tally->readings.wrong);
}

static uint64_t bits_of_all(void)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < piece_count; i++) {
        bits += pieces[i].bytes * 8;
    }
    return bits;
}

TEST(every_flipped_bit_of_a_row_is_found_and_no_reading_lies)
{
    const char *given = getenv("XYLEM_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    uint64_t stride = getenv("XYLEM_TORTURE") ? 1 : bits_of_all() / test_rounds(FLIPS_BOUNDED) + 1;
    struct tally tally = {.flips = 0};
    uint64_t next = seed % stride;
    uint64_t at = 0;
    print_message("%" PRIu64 " bits in %zu keys and values, %zu readings; XYLEM_SEED=%" PRIu64 "\n", bits_of_all(),
                  piece_count, readings.count, seed);
    for (size_t i = 0; i < piece_count; i++) {
        for (size_t bit = 0; bit < pieces[i].bytes * 8; bit++, at++) {
            bool chosen = at == next;
            next += chosen ? stride : 0;
            if (chosen || (pieces[i].row == 0 && bit % 8 == at / 8 % 8)) {
                try_flip(&tally, &pieces[i], bit);
            }
        }
    }
    print_tally(&tally);
    assert_int_equal(tally.found, tally.flips);
    assert_int_equal(tally.readings.wrong, 0);
    assert_int_equal(tally.readings.late, 0);
    assert_true(tally.readings.right > 0 && tally.readings.failed > 0 && tally.refused > 0);
}

/* Each table is read by a search, which a damaged key leads astray: it must not say then that a row is not there. */
TEST(a_damaged_key_never_makes_a_row_absent)
{
    struct tally tally = {.flips = 0};
    for (size_t i = 0; i < piece_count; i++) {
        bool is_key = strcmp(pieces[i].part, "key") == 0;
        for (size_t bit = 0; is_key && bit < pieces[i].bytes * 8; bit += 2 + pieces[i].bytes / 8) {
            try_flip(&tally, &pieces[i], bit);
        }
    }
    print_tally(&tally);
    assert_int_equal(tally.found, tally.flips);
    assert_int_equal(tally.readings.wrong, 0);
    assert_int_equal(tally.readings.late, 0);
}

TEST(the_store_is_as_it_was)
{
    struct readings_result result = {0};
    struct xylem_txn *txn = begin_reading();
    char lie[512] = "";
    readings_repeat(&result, &readings, txn, lie, sizeof lie);
    assert_int_equal(readings_verify(txn), 0);
    xylem_abort(txn);
    assert_string_equal(lie, "");
    assert_int_equal(result.right, readings.count);
}

TEST_FILE(fill, empty)
