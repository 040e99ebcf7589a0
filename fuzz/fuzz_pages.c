/* The look for pages that a file lost: any bytes as a data.mdb that is shorter than its meta page says. */
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store/lmdb_pages.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PAGE_BYTES 512u /* the smallest, so that a short input has many pages */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("pages", MFD_CLOEXEC);
    if (fd < 0) {
        return 0;
    }
    if (write(fd, data, size) == (ssize_t)size) {
        struct xylem_store__pages pages = {.fd = fd, .page_bytes = PAGE_BYTES, .last_page = UINT64_MAX, .txn_id = 1};
        struct xylem_error err;
        xylem_store__pages_check(&pages, "pages", &err);
    }
    close(fd);
    return 0;
}
