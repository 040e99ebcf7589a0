/*
 * The looks at the pages of a file: for what a file lost, at all of it, and those of a tree cursor on its way. Any
 * bytes as a data.mdb, with pages of the smallest size, so that a short input has many, and of the size that real ones
 * have.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store/pages/check.h"
#include "store/pages/copy.h"
#include "store/pages/page.h"
#include "store/pages/tree_cursor.h"

#define STEPS_MAX 300u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct heard {
    uint64_t count;
    uint64_t stop_after;
};

static int hear(void *context, uint64_t page, const char *table, const char *text)
{
    struct heard *heard = context;
    (void)page;
    if (!*text || strchr(text, '\n') || (table && !*table)) {
        abort();
    }
    return ++heard->count == heard->stop_after;
}

static void check(const struct xylem_pages__pages *pages, uint64_t stop_after)
{
    struct heard heard = {0, stop_after};
    struct xylem_pages__pages_listener listener = {hear, NULL, &heard};
    struct xylem_pages__pages_found found;
    struct xylem_error err = {0, ""};
    int code = xylem_pages__pages_check_all(&found, pages, &listener, &err);
    if ((code != XYLEM_OK && code != XYLEM_E_STOPPED && code != XYLEM_E_MEMORY) || found.problem_count < heard.count) {
        abort();
    }
    if (code == XYLEM_OK && found.unsound_tables && !found.snapshot_gone && heard.count == 0) {
        abort(); /* what is not sound was told */
    }
}

static void look_at_row(void *context, const char *table, struct xylem_view key, unsigned char *value, uint64_t bytes)
{
    uint64_t *sum = context;
    *sum += strlen(table) + (key.bytes > 0 ? (unsigned char)key.data[key.bytes - 1] : 0);
    if (bytes > 0) {
        value[bytes - 1] ^= 1; /* the value lies in a page that may be written */
    }
}

/* A copy of any bytes is refused, or its pages are sound. */
static void copy_pages(const struct xylem_pages__pages *pages, const uint8_t *data, size_t size)
{
    struct xylem_pages__snapshot snapshot = {
        .map = data, .page_bytes = (size_t)pages->page_bytes, .page_count = size / (size_t)pages->page_bytes, .fd = -1};
    struct xylem_pages__pages_found found;
    struct xylem_error err = {0, ""};
    uint64_t sum = 0;
    if (size < 2 * (size_t)pages->page_bytes ||
        xylem_pages__snapshot_take(&snapshot, pages->txn_id) == XYLEM_PAGES__GONE) {
        return;
    }
    int fd = memfd_create("copy", MFD_CLOEXEC);
    struct xylem_pages__copy copy = {.fd = fd,
                                     .path = "copy",
                                     .snapshot = &snapshot,
                                     .map_bytes = (snapshot.last_page + 2) * pages->page_bytes,
                                     .row = look_at_row,
                                     .context = &sum};
    int code = fd < 0 ? XYLEM_E_IO : xylem_pages__pages_copy(&found, pages, &copy, "pages", &err);
    if (code == XYLEM_OK) {
        struct xylem_pages__pages of_copy = *pages;
        struct heard heard = {0, 0};
        struct xylem_pages__pages_listener listener = {hear, NULL, &heard};
        of_copy.fd = fd;
        if (xylem_pages__pages_check_all(&found, &of_copy, &listener, &err) != XYLEM_OK || heard.count > 0) {
            abort();
        }
    }
    close(fd);
}

/* As the snapshot that each of its meta pages leads to. */
static void check_pages(int fd, const uint8_t *data, size_t size, size_t page_bytes)
{
    for (size_t meta = 0; meta < 2; meta++) {
        size_t at = meta * page_bytes + XYLEM_PAGES__META_TXN_OFFSET;
        struct xylem_pages__pages pages = {.fd = fd, .page_bytes = page_bytes, .last_page = UINT64_MAX, .txn_id = 1};
        struct xylem_error err;
        if (at + 8 <= size) {
            pages.txn_id = xylem_pages__page_number_at(data + at, 8);
        }
        xylem_pages__pages_check(&pages, "pages", &err);
        xylem_pages__pages_check_free(&pages, "pages", &err);
        xylem_pages__pages_check_list(&pages, "pages", &err);
        check(&pages, 0);
        check(&pages, 1);
        copy_pages(&pages, data, size);
    }
}

/* Goes through a tree, forwards and back, with a seek to each key; any bytes end in a row, no row or CORRUPT. */
static void walk_tree(struct xylem_pages__snapshot *snapshot, const struct xylem_pages__tree *tree, bool numbers)
{
    struct xylem_pages__tree_cursor cursor;
    struct xylem_pages__tree_cursor other;
    struct xylem_pages__page_set whole = {0};
    struct xylem_view key;
    struct xylem_view value;
    uint64_t page;
    bool exact;
    xylem_pages__tree_cursor_init(&cursor, snapshot, tree);
    cursor.numbers = numbers;
    int found = xylem_pages__tree_first(&cursor);
    for (unsigned steps = 0; found > 0 && steps < STEPS_MAX; steps++) {
        found = xylem_pages__tree_row(&key, &value, &cursor);
        if (found > 0 && value.bytes > 0) {
            volatile char last = value.data[value.bytes - 1]; /* what is handed out lies in the file */
            (void)last;
        }
        if (found > 0 && !numbers) {
            xylem_pages__tree_cursor_init(&other, snapshot, tree);
            (void)xylem_pages__tree_seek(&exact, &other, key);
            (void)xylem_pages__tree_prove_path(&cursor, &whole, (struct xylem_view){NULL, 0});
        }
        found = found > 0 && cursor.positioned ? xylem_pages__tree_next(&cursor) : -1;
    }
    found = cursor.positioned ? xylem_pages__tree_previous(&cursor) : xylem_pages__tree_last(&cursor);
    for (unsigned steps = 0; found > 0 && steps < STEPS_MAX; steps++) {
        found = xylem_pages__tree_previous(&cursor);
    }
    (void)xylem_pages__tree_find_free(&page, &other, snapshot, &whole, 0);
    xylem_pages__page_set_release(&whole);
}

static void walk_snapshots(const uint8_t *data, size_t size, size_t page_bytes)
{
    for (uint64_t txn_id = 0; size >= 2 * page_bytes && txn_id < 4; txn_id++) {
        struct xylem_pages__snapshot snapshot = {
            .for_writes = true, .map = data, .page_bytes = page_bytes, .page_count = size / page_bytes, .fd = -1};
        struct xylem_pages__tree_cursor cursor;
        struct xylem_view key;
        struct xylem_view value;
        uint64_t id = txn_id < 2
                          ? xylem_pages__page_number_at(data + txn_id * page_bytes + XYLEM_PAGES__META_TXN_OFFSET, 8)
                          : txn_id;
        if (xylem_pages__snapshot_take(&snapshot, id) == XYLEM_PAGES__GONE) {
            continue;
        }
        walk_tree(&snapshot, &snapshot.main_table, false);
        walk_tree(&snapshot, &snapshot.free_list, true);
        uint64_t pages;
        uint64_t longest;
        bool more = xylem_pages__tree_prove_free(&cursor, &snapshot) > 0;
        for (unsigned i = 0; more && i < STEPS_MAX; i++) {
            more = xylem_pages__tree_prove_free_record(&pages, &longest, &cursor) > 0;
        }
        xylem_pages__tree_cursor_init(&cursor, &snapshot, &snapshot.main_table);
        for (int found = xylem_pages__tree_first(&cursor); found > 0; found = xylem_pages__tree_next(&cursor)) {
            if (xylem_pages__tree_row(&key, &value, &cursor) < 0) {
                break;
            }
            if (value.bytes == XYLEM_PAGES__TREE_BYTES) {
                struct xylem_pages__tree tree = xylem_pages__tree_at((const unsigned char *)value.data);
                walk_tree(&snapshot, &tree, false);
            }
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    walk_snapshots(data, size, XYLEM_PAGES__PAGE_BYTES_LEAST);
    walk_snapshots(data, size, 4096);
    int fd = memfd_create("pages", MFD_CLOEXEC);
    if (fd < 0) {
        return 0;
    }
    if (write(fd, data, size) == (ssize_t)size) {
        check_pages(fd, data, size, XYLEM_PAGES__PAGE_BYTES_LEAST);
        check_pages(fd, data, size, 4096);
    }
    close(fd);
    return 0;
}
