/*
 * The two looks at the pages of a file: for what a file lost, and at all of it. Any bytes as a data.mdb, with pages of the
 * smallest size, so that a short input has many, and of the size that real ones have.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store/lmdb_check.h"
#include "store/lmdb_page.h"

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

static void check(const struct xylem_store__pages *pages, uint64_t stop_after)
{
    struct heard heard = {0, stop_after};
    struct xylem_store__pages_listener listener = {hear, NULL, &heard};
    struct xylem_store__pages_found found;
    struct xylem_error err = {0, ""};
    int code = xylem_store__pages_check_all(&found, pages, &listener, &err);
    if ((code != XYLEM_OK && code != XYLEM_E_STOPPED && code != XYLEM_E_MEMORY) || found.problem_count < heard.count) {
        abort();
    }
    if (code == XYLEM_OK && found.unsound_tables && !found.snapshot_gone && heard.count == 0) {
        abort(); /* what is not sound was told */
    }
}

/* As the snapshot that each of its meta pages leads to. */
static void check_pages(int fd, const uint8_t *data, size_t size, size_t page_bytes)
{
    for (size_t meta = 0; meta < 2; meta++) {
        size_t at = meta * page_bytes + XYLEM_STORE__META_TXN_OFFSET;
        struct xylem_store__pages pages = {.fd = fd, .page_bytes = page_bytes, .last_page = UINT64_MAX, .txn_id = 1};
        struct xylem_error err;
        if (at + 8 <= size) {
            pages.txn_id = xylem_store__page_number_at(data + at, 8);
        }
        xylem_store__pages_check(&pages, "pages", &err);
        xylem_store__pages_check_free(&pages, "pages", &err);
        check(&pages, 0);
        check(&pages, 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("pages", MFD_CLOEXEC);
    if (fd < 0) {
        return 0;
    }
    if (write(fd, data, size) == (ssize_t)size) {
        check_pages(fd, data, size, XYLEM_STORE__PAGE_BYTES_LEAST);
        check_pages(fd, data, size, 4096);
    }
    close(fd);
    return 0;
}
