#include "store/page_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/os.h"

/* So many pages are looked at to find out how long a page is, if no meta page says so. */
#define SAMPLED_PAGES 4096u

/* The size of a page, if a meta page can be one, else 0. */
static size_t meta_page_bytes(const struct xylem_store__meta *meta, unsigned number)
{
    bool sane = meta->number == number && (meta->kind & XYLEM_STORE__PAGE_META) != 0 &&
                meta->magic == XYLEM_STORE__META_MAGIC && meta->version == XYLEM_STORE__META_VERSION &&
                xylem_store__is_page_size(meta->page_bytes);
    return sane ? (size_t)meta->page_bytes : 0;
}

/* How many of the file's first pages say that they have the number that they have, if pages are so long. */
static size_t count_numbered(const struct xylem_store__page_file *file, size_t page_bytes)
{
    size_t count = 0;
    for (uint64_t number = 1; number < SAMPLED_PAGES && number * page_bytes < file->file_bytes; number++) {
        unsigned char header[XYLEM_STORE__PAGE_HEADER_BYTES];
        count += xylem_store__file_read(file->fd, header, sizeof header, number * page_bytes) == sizeof header &&
                 xylem_store__page_number_at(header, 8) == number;
    }
    return count;
}

/* A meta page says how long pages are; where both are lost, their numbers, which all of them begin with, do. */
static size_t find_page_bytes(const struct xylem_store__page_file *file)
{
    struct xylem_store__meta meta;
    size_t found = xylem_store__meta_read(&meta, file->fd, 0, 0) ? meta_page_bytes(&meta, 0) : 0;
    for (size_t bytes = XYLEM_STORE__PAGE_BYTES_LEAST; found == 0 && bytes <= XYLEM_STORE__PAGE_BYTES_MOST;
         bytes *= 2) {
        bool there = xylem_store__meta_read(&meta, file->fd, 1, bytes);
        found = there && meta_page_bytes(&meta, 1) == bytes ? bytes : 0;
    }
    if (found > 0) {
        return found;
    }
    size_t most = 0;
    found = 4096;
    for (size_t bytes = XYLEM_STORE__PAGE_BYTES_LEAST; bytes <= XYLEM_STORE__PAGE_BYTES_MOST; bytes *= 2) {
        size_t count = count_numbered(file, bytes);
        if (count > most) {
            most = count;
            found = bytes;
        }
    }
    return found;
}

/* Where one is no meta page, or is not the other's successor, a newer one may be lost. */
static void read_metas(struct xylem_store__page_file *file)
{
    file->newest = -1;
    for (unsigned number = 0; number < XYLEM_STORE__META_PAGES; number++) {
        struct xylem_store__meta meta;
        bool sane = xylem_store__meta_read(&meta, file->fd, number, file->page_bytes) &&
                    meta_page_bytes(&meta, number) == file->page_bytes;
        uint64_t txn_id = meta.txn_id;
        file->metas[number].sane = sane && (txn_id == 0 || (txn_id & 1) == number);
        file->metas[number].txn_id = txn_id;
        file->metas[number].main = meta.main_table;
        if (file->metas[number].sane && (file->newest < 0 || txn_id > file->metas[file->newest].txn_id)) {
            file->newest = (int)number;
        }
    }
    file->newest_known = file->metas[0].sane && file->metas[1].sane &&
                         xylem_store__metas_take_turns(file->metas[0].txn_id, file->metas[1].txn_id);
}

static int open_data(struct xylem_store__page_file *file, const struct xylem_store__directory *directory,
                     struct xylem_error *err)
{
    struct stat status;
    int found = xylem_store__file_open(&file->fd, directory, XYLEM_STORE__DATA_NAME, O_RDONLY, err);
    if (found <= 0) {
        return found < 0 ? found
                         : xylem_base__fail(err, XYLEM_E_NOT_FOUND, "there is no store: %s does not exist", file->path);
    }
    if (fstat(file->fd, &status) != 0) {
        return xylem_base__fail_errno(err, errno, "cannot find out what is", file->path);
    }
    if (status.st_size == 0) {
        return xylem_base__fail(err, XYLEM_E_NOT_A_STORE, "%s is empty: there is nothing to be saved", file->path);
    }
    file->file_bytes = (uint64_t)status.st_size;
    return XYLEM_OK;
}

/* So that nobody replaces the file. It is not made where there is none: the damaged store is left as it is. */
static int hold_lock(struct xylem_store__page_file *file, const struct xylem_store__directory *directory,
                     struct xylem_error *err)
{
    struct stat status;
    struct xylem_error reason;
    int found = xylem_store__file_look(&status, directory, XYLEM_STORE__LOCK_NAME, err);
    if (found <= 0) {
        return found;
    }
    /* Where nobody can lock, nobody else can either. */
    found = xylem_store__file_open(&file->lock_fd, directory, XYLEM_STORE__LOCK_NAME, O_RDONLY, &reason);
    int code = found == 1 ? xylem_base__lock_shared(file->lock_fd, directory->path, &reason) : XYLEM_OK;
    return code == XYLEM_E_BUSY ? xylem_base__fail(err, code, "%s", reason.text) : XYLEM_OK;
}

int xylem_store__page_file_open(struct xylem_store__page_file *file, const char *store_path, struct xylem_error *err)
{
    struct xylem_store__directory directory = {.fd = -1};
    file->fd = -1;
    file->lock_fd = -1;
    file->path = xylem_base__path_join(store_path, XYLEM_STORE__DATA_NAME);
    int code = file->path ? xylem_store__directory_open(&directory, store_path, err) : xylem_base__fail_memory(err);
    code = code < 0 ? code : hold_lock(file, &directory, err);
    code = code < 0 ? code : open_data(file, &directory, err);
    xylem_store__directory_close(&directory);
    if (code == XYLEM_OK) {
        file->page_bytes = find_page_bytes(file);
        file->page_count = (file->file_bytes + file->page_bytes - 1) / file->page_bytes;
        read_metas(file);
    }
    return code;
}

struct xylem_store__page_file_signs xylem_store__page_file_look(const struct xylem_store__directory *directory,
                                                                const char *name)
{
    struct xylem_store__page_file_signs signs = {0};
    struct xylem_store__page_file file = {0};
    struct stat status;
    if (xylem_store__file_open(&file.fd, directory, name, O_RDONLY, NULL) != 1) {
        return signs;
    }
    if (fstat(file.fd, &status) == 0 && status.st_size > 0) {
        file.file_bytes = (uint64_t)status.st_size;
        file.page_bytes = find_page_bytes(&file);
        read_metas(&file);
        for (unsigned number = 0; number < XYLEM_STORE__META_PAGES; number++) {
            signs.meta_sane[number] = file.metas[number].sane;
        }
        signs.numbered_pages = count_numbered(&file, file.page_bytes);
    }
    close(file.fd);
    return signs;
}

void xylem_store__page_file_close(struct xylem_store__page_file *file)
{
    if (file->path) {
        if (file->fd >= 0) {
            close(file->fd);
        }
        if (file->lock_fd >= 0) {
            close(file->lock_fd);
        }
        free(file->path);
    }
    memset(file, 0, sizeof *file);
}

bool xylem_store__page_file_unchanged(const struct xylem_store__page_file *file)
{
    struct xylem_store__page_file now = *file;
    read_metas(&now);
    bool same = true;
    for (unsigned number = 0; number < XYLEM_STORE__META_PAGES; number++) {
        same = same && now.metas[number].sane == file->metas[number].sane &&
               now.metas[number].txn_id == file->metas[number].txn_id;
    }
    return same;
}

bool xylem_store__page_file_read(unsigned char *page, const struct xylem_store__page_file *file, uint64_t number)
{
    if (number >= file->page_count) {
        return false;
    }
    size_t got = xylem_store__file_read(file->fd, page, file->page_bytes, number * file->page_bytes);
    memset(page + got, 0, file->page_bytes - got);
    return got > 0;
}

int xylem_store__page_file_value(struct xylem_buffer *bytes, const struct xylem_store__page_file *file, uint64_t first,
                                 uint64_t value_bytes)
{
    if (first >= file->page_count) {
        return XYLEM_OK;
    }
    uint64_t offset = first * file->page_bytes + XYLEM_STORE__PAGE_HEADER_BYTES;
    uint64_t there = offset < file->file_bytes ? file->file_bytes - offset : 0;
    size_t wanted = (size_t)(value_bytes < there ? value_bytes : there);
    if (xylem_base__buffer_reserve(bytes, wanted) < 0) {
        return XYLEM_E_MEMORY;
    }
    bytes->bytes += xylem_store__file_read(file->fd, bytes->data + bytes->bytes, wanted, offset);
    bytes->data[bytes->bytes] = '\0';
    return XYLEM_OK;
}

bool xylem_store__page_file_begins_value(const struct xylem_store__page_file *file, uint64_t first,
                                         uint64_t value_bytes)
{
    unsigned char header[XYLEM_STORE__PAGE_HEADER_BYTES];
    return first < file->page_count &&
           xylem_store__file_read(file->fd, header, sizeof header, first * file->page_bytes) == sizeof header &&
           xylem_store__page_number_at(header, 8) == first &&
           xylem_store__page_flags(header) == XYLEM_STORE__PAGE_OVERFLOW &&
           xylem_store__page_number_at(header + XYLEM_STORE__PAGE_COUNT_OFFSET, 4) ==
               xylem_store__overflow_pages(value_bytes, file->page_bytes);
}

bool xylem_store__page_file_node_at(struct xylem_store__node *node, const unsigned char *page,
                                    const struct xylem_store__page_file *file, size_t offset, bool leaf)
{
    return xylem_store__node_read(node, page, file->page_bytes, offset, leaf) &&
           (!(node->flags & XYLEM_STORE__NODE_BIG) || node->first_page >= XYLEM_STORE__META_PAGES);
}

bool xylem_store__page_file_node(struct xylem_store__node *node, const unsigned char *page,
                                 const struct xylem_store__page_file *file, size_t index)
{
    bool leaf = (xylem_store__page_flags(page) & XYLEM_STORE__PAGE_LEAF) != 0;
    return index < xylem_store__page_node_count(page, file->page_bytes) &&
           xylem_store__page_file_node_at(node, page, file, xylem_store__page_node_offset(page, index), leaf);
}
