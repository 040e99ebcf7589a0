/*
 * Damages the pages of a small store with a row of every kind, opens each state in a child process, verifies it and
 * asks for everything. No reading may give a wrong answer where nothing is found, none may hang. LMDB trusts what
 * stands on its pages, so some states make it fault: that is what the program turns into exit 5, and is counted.
 * XYLEM_SEED chooses which of many states are tried; with XYLEM_TORTURE all are.
 */

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "store/lmdb/environment.h"
#include "store/pages/page.h"
#include "tests/lib/full_store.h"
#include "tests/lib/readings.h"
#include "tests/lib/test.h"
#include "tests/store/rows.h"

#define SNAPSHOTS_MAX 8u
#define SECONDS_OF_A_STATE 30u
#define STATES_MAX 40000u
#define STATES_BOUNDED 300u /* of each kind of damage */

/* The bytes of a data.mdb. */
struct image {
    unsigned char *bytes;
    size_t size;
};

/* Makes state `number` of a kind of damage from the sound file; false if there is none of that number. */
typedef bool make_state(struct image *image, uint64_t number);

/* What a child found in a state. */
struct verdict {
    int signal_number; /* that ended the child, or 0 */
    bool same;         /* the file is as the sound one: an old copy of a page that did not change, say */
    bool older;        /* the other meta page is the newer one */
    int open_code;
    uint64_t problem_count;
    struct readings_result readings;
    char lie[200];
};

/* What children and their parent share. */
struct shown {
    uint64_t done;
    uint64_t count;
    struct verdict verdicts[STATES_MAX];
};

/* Of a kind of damage. */
struct tally {
    uint64_t states;
    uint64_t unchanged; /* the file is the same */
    uint64_t refused;   /* when the store was opened */
    uint64_t found;     /* by verification */
    uint64_t faults;    /* the child was ended by a signal */
    uint64_t hangs;
    uint64_t harmless; /* nothing was found, and every answer was right */
    uint64_t partly;   /* found, but some reading gave another answer without a word: a shorter list, say */
    uint64_t older;    /* nothing was found, as the state is that of an earlier commit */
    uint64_t lies;     /* nothing was found, and some reading gave another answer */
};

static struct store_builder builder;
static struct readings readings;
static struct image sound;
static struct image snapshots[SNAPSHOTS_MAX]; /* as the file was some commits ago */
static size_t snapshot_count;
static size_t page_bytes;
static bool *live; /* pages that can be reached */
static size_t page_count;
static struct shown *shown;
static uint64_t seed;

/* --- The sound file ----------------------------------------------------------------------------------------------- */

static void data_path(char path[300])
{
    (void)snprintf(path, 300, "%s/data.mdb", builder.path);
}

static struct image image_read(void)
{
    char path[300];
    struct stat status;
    struct image image = {NULL, 0};
    data_path(path);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0 && fstat(fd, &status) == 0);
    image.size = (size_t)status.st_size;
    image.bytes = malloc(image.size);
    assert_non_null(image.bytes);
    assert_int_equal(read(fd, image.bytes, image.size), image.size);
    close(fd);
    return image;
}

static struct image image_copy(const struct image *image)
{
    struct image copy = {malloc(image->size), image->size};
    assert_non_null(copy.bytes);
    memcpy(copy.bytes, image->bytes, image->size);
    return copy;
}

static void image_write(const struct image *image)
{
    char path[300];
    data_path(path);
    int fd = open(path, O_WRONLY | O_CLOEXEC); /* not cut first: some file systems sync what was */
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, image->bytes, image->size, 0), image->size);
    assert_int_equal(ftruncate(fd, (off_t)image->size), 0);
    close(fd);
}

static unsigned char *page_of(const struct image *image, uint64_t number)
{
    return image->bytes + number * page_bytes;
}

static unsigned char *node_of(unsigned char *page, size_t index)
{
    return page + xylem_pages__page_number_at(page + XYLEM_PAGES__PAGE_HEADER_BYTES + 2 * index, 2);
}

static size_t node_count(const unsigned char *page)
{
    return (xylem_pages__page_lower(page) - XYLEM_PAGES__PAGE_HEADER_BYTES) / 2;
}

static size_t node_key_bytes(const unsigned char *node)
{
    return (size_t)xylem_pages__page_number_at(node + 6, 2);
}

static void mark_live(uint64_t number)
{
    if (number == XYLEM_PAGES__NO_PAGE) {
        return;
    }
    assert_true(number < page_count);
    live[number] = true;
    unsigned char *page = page_of(&sound, number);
    for (size_t i = 0; i < node_count(page); i++) {
        unsigned char *node = node_of(page, i);
        unsigned flags = (unsigned)xylem_pages__page_number_at(node + 4, 2);
        unsigned char *data = node + XYLEM_PAGES__NODE_HEADER_BYTES + node_key_bytes(node);
        if (xylem_pages__page_flags(page) & XYLEM_PAGES__PAGE_BRANCH) {
            mark_live(xylem_pages__node_child(node));
        } else if (flags & XYLEM_PAGES__NODE_BIG) {
            uint64_t first = xylem_pages__page_number_at(data, 8);
            uint64_t count = xylem_pages__overflow_pages(xylem_pages__page_number_at(node, 4), page_bytes);
            memset(live + first, true, (size_t)count);
        } else if (flags & XYLEM_PAGES__NODE_SUB) {
            mark_live(xylem_pages__tree_at(data).root);
        }
    }
}

/* The newer of the two meta pages of a file. */
static uint64_t newest_meta_of(const struct image *image)
{
    uint64_t first = xylem_pages__page_number_at(page_of(image, 0) + XYLEM_PAGES__META_TXN_OFFSET, 8);
    uint64_t second = xylem_pages__page_number_at(page_of(image, 1) + XYLEM_PAGES__META_TXN_OFFSET, 8);
    return second > first;
}

static uint64_t newest_meta(void)
{
    return newest_meta_of(&sound);
}

static void find_live_pages(void)
{
    const unsigned char *meta = page_of(&sound, newest_meta());
    page_count = sound.size / page_bytes;
    live = calloc(page_count, sizeof *live);
    assert_non_null(live);
    live[newest_meta()] = true;
    mark_live(xylem_pages__tree_at(meta + XYLEM_PAGES__META_FREE_OFFSET).root);
    mark_live(xylem_pages__tree_at(meta + XYLEM_PAGES__META_MAIN_OFFSET).root);
}

static bool is_tree_page(uint64_t number)
{
    unsigned flags = xylem_pages__page_flags(page_of(&sound, number));
    return live[number] && number >= XYLEM_PAGES__META_PAGES &&
           (flags & (XYLEM_PAGES__PAGE_BRANCH | XYLEM_PAGES__PAGE_LEAF)) != 0 && (flags & ~0x13u) == 0;
}

/* --- Flipped bits of what LMDB keeps for itself ------------------------------------------------------------------- */

/* A run of bytes whose bits are flipped, found by counting: `*left` bits are still to be passed. */
static bool flip_in(struct image *image, uint64_t *left, unsigned char *place, size_t bytes)
{
    if (*left < bytes * 8) {
        size_t at = (size_t)(place - sound.bytes) + (size_t)(*left / 8);
        image->bytes[at] ^= (unsigned char)(1u << *left % 8);
        return true;
    }
    *left -= bytes * 8;
    return false;
}

/* The header of every page of a tree, and where its nodes lie. */
static bool flip_page_header(struct image *image, uint64_t number)
{
    for (uint64_t page = 0; page < page_count; page++) {
        bool overflow = live[page] && (xylem_pages__page_flags(page_of(&sound, page)) & XYLEM_PAGES__PAGE_OVERFLOW);
        size_t bytes = is_tree_page(page) ? XYLEM_PAGES__PAGE_HEADER_BYTES + 2 * node_count(page_of(&sound, page))
                                          : XYLEM_PAGES__PAGE_HEADER_BYTES;
        if ((is_tree_page(page) || overflow) && flip_in(image, &number, page_of(&sound, page), bytes)) {
            return true;
        }
    }
    return false;
}

/* The header of every node; of one on a branch page its key too, and of one that leads elsewhere what leads there. */
static bool flip_node_header(struct image *image, uint64_t number)
{
    for (uint64_t page = 0; page < page_count; page++) {
        for (size_t i = 0; is_tree_page(page) && i < node_count(page_of(&sound, page)); i++) {
            unsigned char *node = node_of(page_of(&sound, page), i);
            unsigned flags = (unsigned)xylem_pages__page_number_at(node + 4, 2);
            bool branch = xylem_pages__page_flags(page_of(&sound, page)) & XYLEM_PAGES__PAGE_BRANCH;
            size_t bytes = XYLEM_PAGES__NODE_HEADER_BYTES + (branch ? node_key_bytes(node) : 0);
            if (!branch && flags & (XYLEM_PAGES__NODE_BIG | XYLEM_PAGES__NODE_SUB)) {
                bytes += node_key_bytes(node) + (flags & XYLEM_PAGES__NODE_BIG ? 8 : XYLEM_PAGES__TREE_BYTES);
            }
            if (flip_in(image, &number, node, bytes)) {
                return true;
            }
        }
    }
    return false;
}

static bool flip_meta(struct image *image, uint64_t number)
{
    return flip_in(image, &number, page_of(&sound, newest_meta()), XYLEM_PAGES__META_END) ||
           flip_in(image, &number, page_of(&sound, 1 - newest_meta()), XYLEM_PAGES__META_END);
}

/* The list of free pages: all of its leaf. */
static bool flip_free_list(struct image *image, uint64_t number)
{
    uint64_t root = xylem_pages__tree_at(page_of(&sound, newest_meta()) + XYLEM_PAGES__META_FREE_OFFSET).root;
    unsigned char *page = page_of(&sound, root);
    size_t upper = xylem_pages__page_upper(page);
    return flip_in(image, &number, page, XYLEM_PAGES__PAGE_HEADER_BYTES + 2 * node_count(page)) ||
           flip_in(image, &number, page + upper, page_bytes - upper);
}

/* --- Whole pages -------------------------------------------------------------------------------------------------- */

/* The live page that comes after `*number` others; false if there are not so many. */
static bool live_page(uint64_t *page, uint64_t *number)
{
    for (*page = 0; *page < page_count; (*page)++) {
        if (live[*page] && (*number)-- == 0) {
            return true;
        }
    }
    return false;
}

static uint64_t live_count(void)
{
    uint64_t count = 0;
    for (size_t page = 0; page < page_count; page++) {
        count += live[page];
    }
    return count;
}

/* Two pages change places; every second time with the numbers that their places have. */
static bool swap_pages(struct image *image, uint64_t number)
{
    uint64_t count = live_count();
    uint64_t first;
    uint64_t second;
    uint64_t a = number / 2 / count;
    uint64_t b = number / 2 % count;
    if (a >= count || !live_page(&first, &a) || !live_page(&second, &b)) {
        return false;
    }
    if (first < second) {
        memcpy(page_of(image, first), page_of(&sound, second), page_bytes);
        memcpy(page_of(image, second), page_of(&sound, first), page_bytes);
        if (number % 2 == 1) {
            memcpy(page_of(image, first), page_of(&sound, first), 8);
            memcpy(page_of(image, second), page_of(&sound, second), 8);
        }
    }
    return true;
}

static bool zero_page(struct image *image, uint64_t number)
{
    uint64_t page;
    if (!live_page(&page, &number)) {
        return false;
    }
    memset(page_of(image, page), 0, page_bytes);
    return true;
}

static bool cut_file(struct image *image, uint64_t number)
{
    image->size = (size_t)(number / 2) * page_bytes + (number % 2 ? page_bytes / 3 : 0);
    return image->size < sound.size;
}

static bool old_page(struct image *image, uint64_t number)
{
    const struct image *old = &snapshots[number % snapshot_count];
    uint64_t page = number / snapshot_count;
    if (page >= page_count) {
        return false;
    }
    if (live[page] && (page + 1) * page_bytes <= old->size) {
        memcpy(page_of(image, page), page_of(old, page), page_bytes);
    }
    return true;
}

/* --- Rows --------------------------------------------------------------------------------------------------------- */

/* A node is taken off its page, which stays whole. */
static bool cut_row(struct image *image, uint64_t number)
{
    for (uint64_t at = 0; at < page_count; at++) {
        size_t count = is_tree_page(at) ? node_count(page_of(&sound, at)) : 0;
        if (number < count) {
            unsigned char *page = page_of(image, at);
            unsigned char *offset = page + XYLEM_PAGES__PAGE_HEADER_BYTES + 2 * number;
            size_t lower = xylem_pages__page_lower(page) - 2;
            memmove(offset, offset + 2, (count - 1 - number) * 2);
            page[12] = (unsigned char)lower;
            page[13] = (unsigned char)(lower >> 8);
            return true;
        }
        number -= count;
    }
    return false;
}

/* Changes rows through LMDB, in a transaction that is committed. False: not this one. */
typedef bool change_rows(struct xylem_txn *txn, enum xylem_format__table table, struct rows *rows, size_t row);

/* No other row leads to these, so that nobody can miss one that was taken out whole. */
static bool is_led_to(enum xylem_format__table table)
{
    return table != XYLEM_FORMAT__SOURCES && table != XYLEM_FORMAT__QUARANTINE;
}

static bool drop_row(struct xylem_txn *txn, enum xylem_format__table table, struct rows *rows, size_t row)
{
    if (!is_led_to(table)) {
        return false;
    }
    row_remove(txn, table, &rows->rows[row]);
    return true;
}

/* The same value under a key that no row has. */
static bool copy_row(struct xylem_txn *txn, enum xylem_format__table table, struct rows *rows, size_t row)
{
    struct row *copy = &rows->rows[row];
    copy->key.data[copy->key.bytes - 1] = (char)(copy->key.data[copy->key.bytes - 1] ^ 0x40);
    row_put(txn, table, copy);
    return true;
}

static bool move_row(struct xylem_txn *txn, enum xylem_format__table table, struct rows *rows, size_t row)
{
    row_remove(txn, table, &rows->rows[row]);
    return copy_row(txn, table, rows, row);
}

static bool swap_values(struct xylem_txn *txn, enum xylem_format__table table, struct rows *rows, size_t row)
{
    struct row *a = &rows->rows[row];
    struct row *b = &rows->rows[(row + 1) % rows->count];
    if (rows->count < 2 || (table == XYLEM_FORMAT__IDS && same_bytes(&a->key, &b->key))) {
        return false;
    }
    row_remove(txn, table, a);
    row_remove(txn, table, b);
    struct xylem_buffer value = a->value;
    a->value = b->value;
    b->value = value;
    row_put(txn, table, a);
    row_put(txn, table, b);
    return true;
}

static void image_replace(struct image *image)
{
    free(image->bytes);
    *image = image_read();
}

/* Row `number` of all tables. */
static bool with_row(struct image *image, uint64_t number, change_rows *change)
{
    bool done = false;
    struct xylem_open_options options = {.durability = XYLEM_DURABILITY_NONE};
    struct xylem_error err = {0};
    image_write(&sound);
    store_builder_must(xylem_open(&builder.store, builder.path, &options, &err), &err);
    store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), &err);
    for (unsigned table = 0; !done && table < XYLEM_FORMAT__TABLE_COUNT; table++) {
        struct rows rows = rows_of(builder.txn, (enum xylem_format__table)table);
        done = number < rows.count;
        if (done) {
            change(builder.txn, (enum xylem_format__table)table, &rows, (size_t)number);
        }
        number -= rows.count;
        rows_release(&rows);
    }
    store_builder_must(xylem_commit(builder.txn, &err), &err);
    builder.txn = NULL;
    store_builder_must(xylem_close(builder.store, &err), &err);
    builder.store = NULL;
    image_replace(image);
    return done;
}

static bool drop(struct image *image, uint64_t number)
{
    return with_row(image, number, drop_row);
}

static bool duplicate(struct image *image, uint64_t number)
{
    return with_row(image, number, copy_row);
}

static bool move(struct image *image, uint64_t number)
{
    return with_row(image, number, move_row);
}

static bool swap_rows(struct image *image, uint64_t number)
{
    return with_row(image, number, swap_values);
}

/* --- The states of a kind of damage ------------------------------------------------------------------------------ */

/* In a child: makes a state, and asks. */
static void try_state(struct verdict *verdict, make_state *make, uint64_t number)
{
    struct xylem_open_options options = {.read_only = true};
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    struct image image = image_copy(&sound);
    assert_true(make(&image, number));
    verdict->same = image.size == sound.size && memcmp(image.bytes, sound.bytes, sound.size) == 0;
    verdict->older = image.size == sound.size && newest_meta_of(&image) != newest_meta();
    image_write(&image);
    free(image.bytes);
    (void)alarm(SECONDS_OF_A_STATE);
    verdict->open_code = xylem_open(&store, builder.path, &options, NULL);
    int begun = verdict->open_code < 0 ? verdict->open_code : xylem_begin(&txn, store, XYLEM_READ, NULL);
    if (begun == XYLEM_OK) {
        verdict->problem_count = readings_verify(txn);
        readings_repeat(&verdict->readings, &readings, txn, verdict->lie, sizeof verdict->lie);
        xylem_abort(txn);
    }
    verdict->open_code = begun;
    (void)xylem_close(store, NULL);
    (void)alarm(0);
}

static void try_states(make_state *make, uint64_t first, uint64_t stride)
{
    static const int ending[] = {SIGSEGV, SIGBUS, SIGABRT, SIGALRM, SIGFPE, SIGILL};
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        (void)signal(ending[i], SIG_DFL); /* also where a sanitizer would make a report of it */
    }
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    (void)dup2(null, STDERR_FILENO); /* LMDB says why it gives up */
    for (; shown->done < shown->count; shown->done++) {
        try_state(&shown->verdicts[shown->done], make, first + shown->done * stride);
    }
    _exit(0);
}

/* A child goes from state to state until one ends it, and the next one goes on behind that. */
static void run_children(make_state *make, uint64_t first, uint64_t stride)
{
    while (shown->done < shown->count) {
        int status = 0;
        (void)fflush(NULL);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            try_states(make, first, stride);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        if (WIFSIGNALED(status)) {
            shown->verdicts[shown->done++].signal_number = WTERMSIG(status);
        } else {
            assert_int_equal(status, 0);
            assert_int_equal(shown->done, shown->count);
        }
    }
}

static void count_verdict(struct tally *tally, const char *what, uint64_t number, const struct verdict *verdict)
{
    bool answered = verdict->signal_number == 0 && verdict->open_code == XYLEM_OK;
    bool found = answered && verdict->problem_count > 0;
    bool wrong = answered && verdict->readings.wrong > 0;
    tally->states++;
    tally->hangs += verdict->signal_number == SIGALRM;
    tally->faults += verdict->signal_number != 0 && verdict->signal_number != SIGALRM;
    tally->refused += verdict->signal_number == 0 && verdict->open_code < 0;
    tally->found += found;
    tally->unchanged += answered && verdict->same;
    tally->harmless += answered && !found && !wrong && !verdict->same;
    tally->partly += found && wrong;
    tally->older += !found && wrong && verdict->older;
    tally->lies += answered && !found && wrong && !verdict->older;
    if (answered && !found && wrong && !verdict->older) {
        print_error("%s, state %" PRIu64 ": nothing is found, and %s\n", what, number, verdict->lie);
    } else if (found && wrong && getenv("XYLEM_VERBOSE")) {
        print_message("%s, state %" PRIu64 ": found, and %s\n", what, number, verdict->lie);
    } else if (verdict->signal_number != 0 && (verdict->signal_number == SIGALRM || getenv("XYLEM_VERBOSE"))) {
        print_error("%s, state %" PRIu64 ": ended by signal %d\n", what, number, verdict->signal_number);
    }
}

static bool is_state(make_state *make, uint64_t number)
{
    struct image image = image_copy(&sound);
    bool is_one = make(&image, number);
    free(image.bytes);
    return is_one;
}

/* The least number that no state has. */
static uint64_t count_states(make_state *make)
{
    uint64_t low = 0;
    uint64_t high = 1;
    while (is_state(make, high)) {
        low = high;
        high *= 2;
    }
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        *(is_state(make, middle) ? &low : &high) = middle;
    }
    return high;
}

static void print_tally(const char *what, uint64_t count, const struct tally *tally)
{
    uint64_t damaged = tally->states - tally->unchanged;
    print_message("figures: %s: %" PRIu64 " of %" PRIu64 " states, %" PRIu64 " of them as the sound one; %" PRIu64
                  " refused, %" PRIu64 " found by verification (together %.1f %%), %" PRIu64 " faults, %" PRIu64
                  " harmless, %" PRIu64 " as an earlier commit; %" PRIu64
                  " found, but not by a reading that it changed; %" PRIu64 " lies, %" PRIu64 " hangs\n",
                  what, tally->states, count, tally->unchanged, tally->refused, tally->found,
                  damaged ? 100.0 * (double)(tally->refused + tally->found) / (double)damaged : 100.0, tally->faults,
                  tally->harmless, tally->older, tally->partly, tally->lies, tally->hangs);
}

static struct tally try_all(const char *what, make_state *make)
{
    struct tally tally = {.states = 0};
    uint64_t count = count_states(make);
    uint64_t stride = getenv("XYLEM_TORTURE") ? 1 : count / test_rounds(STATES_BOUNDED) + 1;
    uint64_t first = seed % stride;
    memset(shown, 0, sizeof *shown);
    shown->count = (count - first + stride - 1) / stride;
    assert_in_range(shown->count, 1, STATES_MAX);
    run_children(make, first, stride);
    for (uint64_t i = 0; i < shown->count; i++) {
        count_verdict(&tally, what, first + i * stride, &shown->verdicts[i]);
    }
    print_tally(what, count, &tally);
    assert_int_equal(tally.lies, 0);
    assert_int_equal(tally.hangs, 0);
    return tally;
}

/* --- The matrix --------------------------------------------------------------------------------------------------- */

static void close_store(void)
{
    struct xylem_error err = {0};
    store_builder_must(xylem_commit(builder.txn, &err), &err);
    builder.txn = NULL;
    store_builder_must(xylem_close(builder.store, &err), &err);
    builder.store = NULL;
}

/* Commits by which the file changes a little at a time, each of which leaves a copy behind. */
static void add_history(void)
{
    uint64_t session = store_builder_session(&builder, "history");
    for (snapshot_count = 0; snapshot_count < SNAPSHOTS_MAX; snapshot_count++) {
        store_builder_messages(&builder, session, 2);
        store_builder_clone(&builder, session, NULL);
        store_builder_commit(&builder);
        snapshots[snapshot_count] = image_read();
    }
    store_builder_add(&builder, session, "the last", "message", NULL);
    store_builder_commit(&builder);
}

static int fill(void **state)
{
    (void)state;
    const char *given = getenv("XYLEM_SEED");
    seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    shown = mmap(NULL, sizeof *shown, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shown != MAP_FAILED);
    store_builder_open(&builder);
    full_store_fill(&builder);
    add_history();
    struct xylem_txn *reader = NULL;
    struct xylem_error err = {0};
    store_builder_must(xylem_begin(&reader, builder.store, XYLEM_READ, &err), &err);
    readings_learn(&readings, reader);
    assert_int_equal(readings_verify(reader), 0);
    xylem_abort(reader);
    close_store();
    sound = image_read();
    find_live_pages();
    print_message("XYLEM_SEED=%" PRIu64 ": %zu pages, %" PRIu64 " in use, %zu readings\n", seed, page_count,
                  live_count(), readings.count);
    return 0;
}

static int empty(void **state)
{
    (void)state;
    image_write(&sound);
    struct xylem_open_options options = {.durability = XYLEM_DURABILITY_NONE};
    assert_int_equal(xylem_open(&builder.store, builder.path, &options, NULL), XYLEM_OK);
    store_builder_close(&builder);
    readings_release(&readings);
    full_store_release();
    free(live);
    free(sound.bytes);
    for (size_t i = 0; i < snapshot_count; i++) {
        free(snapshots[i].bytes);
    }
    return munmap(shown, sizeof *shown);
}

static bool sound_state(struct image *image, uint64_t number)
{
    (void)image;
    return number < 2;
}

TEST(the_sound_state_has_nothing_to_be_found)
{
    struct tally tally = try_all("the sound state", sound_state);
    assert_int_equal(tally.unchanged, tally.states);
    assert_int_equal(tally.found + tally.partly + tally.older, 0);
    assert_int_equal(shown->verdicts[0].readings.right, readings.count);
}

TEST(flipped_bits_of_page_headers)
{
    try_all("page headers", flip_page_header);
}

TEST(flipped_bits_of_nodes_and_branch_pages)
{
    try_all("node headers and branch pages", flip_node_header);
}

TEST(flipped_bits_of_meta_pages)
{
    try_all("meta pages", flip_meta);
}

TEST(flipped_bits_of_the_free_list)
{
    try_all("free list", flip_free_list);
}

TEST(pages_that_changed_places)
{
    try_all("swapped pages", swap_pages);
}

TEST(pages_of_zeroes)
{
    try_all("zeroed pages", zero_page);
}

TEST(a_file_that_was_cut)
{
    struct tally tally = try_all("cut files", cut_file);
    assert_int_equal(tally.faults, 0); /* found before any page is read through the map */
}

TEST(old_copies_of_pages)
{
    try_all("old copies of one page", old_page);
}

TEST(rows_that_were_cut_out_of_their_page)
{
    try_all("rows cut out", cut_row);
}

TEST(rows_that_were_dropped)
{
    try_all("dropped rows", drop);
}

TEST(rows_that_stand_there_twice)
{
    struct tally tally = try_all("duplicated rows", duplicate);
    assert_int_equal(tally.faults, 0);
}

TEST(rows_that_were_moved)
{
    struct tally tally = try_all("moved rows", move);
    assert_int_equal(tally.faults, 0);
}

TEST(rows_that_changed_places)
{
    struct tally tally = try_all("swapped values", swap_rows);
    assert_int_equal(tally.faults, 0);
}

/* --- Another file under an open store ----------------------------------------------------------------------------- */

static void replace_by_another(void)
{
    char path[300];
    char other[320];
    data_path(path);
    (void)snprintf(other, sizeof other, "%s/other.mdb", builder.path);
    int fd = open(other, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, snapshots[0].bytes, snapshots[0].size), snapshots[0].size);
    close(fd);
    assert_int_equal(rename(other, path), 0);
}

/*
 * The store goes on with the file that the store opened. Who opens another file beside is refused, because two programs
 * with two files would not see each other; later the file that is there is opened.
 */
TEST(a_file_that_is_put_in_place_of_an_open_one_changes_no_answer)
{
    struct xylem_open_options options = {.read_only = true};
    struct xylem_store *store = NULL;
    struct xylem_store *late = NULL;
    struct xylem_txn *txn = NULL;
    struct readings_result result = {0};
    struct xylem_error err = {0};
    char lie[300] = "";
    image_write(&sound);
    assert_int_equal(xylem_open(&store, builder.path, &options, NULL), XYLEM_OK);
    replace_by_another();
    assert_int_equal(xylem_begin(&txn, store, XYLEM_READ, NULL), XYLEM_OK);
    readings_repeat(&result, &readings, txn, lie, sizeof lie);
    assert_string_equal(lie, "");
    assert_int_equal(result.right, readings.count);
    xylem_abort(txn);
    assert_int_equal(xylem_open(&late, builder.path, &options, &err), XYLEM_E_BUSY);
    assert_non_null(strstr(err.text, "data.mdb"));
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
    assert_int_equal(xylem_open(&late, builder.path, &options, NULL), XYLEM_OK);
    assert_int_equal(xylem_begin(&txn, late, XYLEM_READ, NULL), XYLEM_OK);
    memset(&result, 0, sizeof result);
    readings_repeat(&result, &readings, txn, NULL, 0);
    assert_true(result.wrong > 0); /* it is an older store, and sound */
    assert_int_equal(readings_verify(txn), 0);
    xylem_abort(txn);
    assert_int_equal(xylem_close(late, NULL), XYLEM_OK);
}

TEST_FILE(fill, empty)
