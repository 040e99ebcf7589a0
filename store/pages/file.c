#include "store/pages/file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/os.h"

/* The longest value: a record with the longest payload, the longest line, and room for other fields. */
#define VALUE_BYTES_MAX (XYLEM_PAYLOAD_BYTES_MAX + XYLEM_LINE_BYTES_MAX + (UINT64_C(1) << 24))

/* The number of pages that find_page_bytes() samples if both meta pages are lost. */
#define SAMPLED_PAGES 4096u

/* The page size by a sane meta page, else 0. */
static size_t meta_page_bytes(const struct xylem_pages__meta *meta, unsigned number)
{
    bool sane = meta->number == number && (meta->kind & XYLEM_PAGES__PAGE_META) != 0 &&
                meta->magic == XYLEM_PAGES__META_MAGIC && meta->version == XYLEM_PAGES__META_VERSION &&
                xylem_pages__is_page_size(meta->page_bytes);
    return sane ? (size_t)meta->page_bytes : 0;
}

/* Counts the first pages of the file that have their own number in the header, for a page size. */
static size_t count_numbered(const struct xylem_pages__page_file *file, size_t page_bytes)
{
    size_t count = 0;
    for (uint64_t number = 1; number < SAMPLED_PAGES && number * page_bytes < file->file_bytes; number++) {
        unsigned char header[XYLEM_PAGES__PAGE_HEADER_BYTES];
        count += xylem_pages__file_read(file->fd, header, sizeof header, number * page_bytes) == sizeof header &&
                 xylem_pages__page_number_at(header, 8) == number;
    }
    return count;
}

/*
 * Finds the page size:
 *
 *     1. by meta page 0, at offset 0
 *     2. by meta page 1, at the offset of each possible page size
 *     3. the page size at which the most pages have their own number in the header
 *     4. 4096
 */
static size_t find_page_bytes(const struct xylem_pages__page_file *file)
{
    struct xylem_pages__meta meta;
    size_t found = xylem_pages__meta_read(&meta, file->fd, 0, 0) ? meta_page_bytes(&meta, 0) : 0;
    for (size_t bytes = XYLEM_PAGES__PAGE_BYTES_LEAST; found == 0 && bytes <= XYLEM_PAGES__PAGE_BYTES_MOST;
         bytes *= 2) {
        bool there = xylem_pages__meta_read(&meta, file->fd, 1, bytes);
        found = there && meta_page_bytes(&meta, 1) == bytes ? bytes : 0;
    }
    if (found > 0) {
        return found;
    }
    size_t most = 0;
    found = 4096;
    for (size_t bytes = XYLEM_PAGES__PAGE_BYTES_LEAST; bytes <= XYLEM_PAGES__PAGE_BYTES_MOST; bytes *= 2) {
        size_t count = count_numbered(file, bytes);
        if (count > most) {
            most = count;
            found = bytes;
        }
    }
    return found;
}

/* `newest_known` becomes false if a damaged meta page, or a gap between the two, leaves room for a lost newer page. */
static void read_metas(struct xylem_pages__page_file *file)
{
    file->newest = -1;
    for (unsigned number = 0; number < XYLEM_PAGES__META_PAGES; number++) {
        struct xylem_pages__meta *meta = &file->metas[number];
        file->meta_sane[number] = xylem_pages__meta_read(meta, file->fd, number, file->page_bytes) &&
                                  meta_page_bytes(meta, number) == file->page_bytes &&
                                  (meta->txn_id == 0 || (meta->txn_id & 1) == number);
        if (file->meta_sane[number] && (file->newest < 0 || meta->txn_id > file->metas[file->newest].txn_id)) {
            file->newest = (int)number;
        }
    }
    file->newest_known = file->meta_sane[0] && file->meta_sane[1] &&
                         xylem_pages__metas_take_turns(file->metas[0].txn_id, file->metas[1].txn_id);
}

/* Notes the bytes from one offset up to another as data. Data within one page joins two extents. */
static int add_extent(struct xylem_pages__page_file *file, uint64_t begin, uint64_t end, struct xylem_error *err)
{
    assert(begin < end && end <= file->file_bytes);
    struct xylem_pages__extent *last = file->extent_count > 0 ? &file->extents[file->extent_count - 1] : NULL;
    uint64_t first = begin / file->page_bytes;
    uint64_t behind = (end + file->page_bytes - 1) / file->page_bytes;
    if (last && first <= last->first + last->count) {
        uint64_t last_behind = last->first + last->count;
        last->count = (behind > last_behind ? behind : last_behind) - last->first;
        file->data_pages = last->index + last->count;
        return XYLEM_OK;
    }
    struct xylem_pages__extent *extents =
        xylem_base__with_room(file->extents, &file->extent_capacity, file->extent_count, sizeof *extents);
    if (!extents) {
        return xylem_base__fail_memory(err);
    }
    file->extents = extents;
    file->extents[file->extent_count++] =
        (struct xylem_pages__extent){.first = first, .count = behind - first, .index = file->data_pages};
    file->data_pages += behind - first;
    return XYLEM_OK;
}

/* On a file system without SEEK_DATA everything is data. */
static int find_extents(struct xylem_pages__page_file *file, struct xylem_error *err)
{
    int code = XYLEM_OK;
    for (uint64_t at = 0; code == XYLEM_OK && at < file->file_bytes;) {
        off_t data = lseek(file->fd, (off_t)at, SEEK_DATA);
        if (data < 0 && errno == ENXIO) {
            break; /* a hole up to the end */
        }
        off_t hole = data < 0 ? -1 : lseek(file->fd, data, SEEK_HOLE);
        uint64_t begin = data < 0 ? at : (uint64_t)data;
        uint64_t end = hole <= data || (uint64_t)hole > file->file_bytes ? file->file_bytes : (uint64_t)hole;
        code = begin < end ? add_extent(file, begin, end, err) : XYLEM_OK;
        at = end;
    }
    return code;
}

uint64_t xylem_pages__page_file_index(const struct xylem_pages__page_file *file, uint64_t number)
{
    size_t low = 0;
    size_t high = file->extent_count; /* of the first extent behind the page */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (file->extents[middle].first <= number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const struct xylem_pages__extent *extent = low > 0 ? &file->extents[low - 1] : NULL;
    return extent && number - extent->first < extent->count ? extent->index + (number - extent->first)
                                                            : XYLEM_PAGES__NO_PAGE;
}

static int open_data(struct xylem_pages__page_file *file, const struct xylem_pages__directory *directory,
                     struct xylem_error *err)
{
    struct stat status;
    int found = xylem_pages__file_open(&file->fd, directory, XYLEM_PAGES__DATA_NAME, O_RDONLY, err);
    if (found <= 0) {
        return found < 0 ? found
                         : xylem_base__fail(err, XYLEM_E_NOT_FOUND, "there is no store: %s does not exist", file->path);
    }
    if (fstat(file->fd, &status) != 0) {
        return xylem_base__fail_errno(err, errno, "cannot read the length of", file->path);
    }
    if (status.st_size == 0) {
        return xylem_base__fail(err, XYLEM_E_NOT_A_STORE, "%s is empty: nothing can be saved", file->path);
    }
    file->file_bytes = (uint64_t)status.st_size;
    return XYLEM_OK;
}

/* Locks xylem.lock, so that nobody replaces the file. Makes no lock file: a damaged store stays as found. */
static int hold_lock(struct xylem_pages__page_file *file, const struct xylem_pages__directory *directory,
                     struct xylem_error *err)
{
    struct stat status;
    struct xylem_error reason;
    int found = xylem_pages__file_look(&status, directory, XYLEM_PAGES__LOCK_NAME, err);
    if (found <= 0) {
        return found;
    }
    /* Only BUSY counts: on a file system without locks nobody else can hold the lock either. */
    found = xylem_pages__file_open(&file->lock_fd, directory, XYLEM_PAGES__LOCK_NAME, O_RDONLY, &reason);
    int code = found == 1 ? xylem_base__lock_shared(file->lock_fd, directory->path, &reason) : XYLEM_OK;
    return code == XYLEM_E_BUSY ? xylem_base__fail(err, code, "%s", reason.text) : XYLEM_OK;
}

int xylem_pages__page_file_open(struct xylem_pages__page_file *file, const char *store_path, struct xylem_error *err)
{
    struct xylem_pages__directory directory = {.fd = -1};
    file->fd = -1;
    file->lock_fd = -1;
    file->path = xylem_base__path_join(store_path, XYLEM_PAGES__DATA_NAME);
    if (!file->path) {
        return xylem_base__fail_memory(err);
    }
    int code;
    if ((code = xylem_pages__directory_open(&directory, store_path, err)) < 0 ||
        (code = hold_lock(file, &directory, err)) < 0 || (code = open_data(file, &directory, err)) < 0) {
        goto out;
    }
    file->page_bytes = find_page_bytes(file);
    file->page_count = (file->file_bytes + file->page_bytes - 1) / file->page_bytes;
    read_metas(file);
    code = find_extents(file, err);
out:
    xylem_pages__directory_close(&directory);
    return code;
}

struct xylem_pages__page_file_signs xylem_pages__page_file_look(const struct xylem_pages__directory *directory,
                                                                const char *name)
{
    struct xylem_pages__page_file_signs signs = {0};
    struct xylem_pages__page_file file = {0};
    struct stat status;
    if (xylem_pages__file_open(&file.fd, directory, name, O_RDONLY, NULL) != 1) {
        return signs;
    }
    signs.opened = true;
    if (fstat(file.fd, &status) == 0 && status.st_size > 0) {
        file.file_bytes = (uint64_t)status.st_size;
        file.page_bytes = find_page_bytes(&file);
        read_metas(&file);
        memcpy(signs.meta_sane, file.meta_sane, sizeof signs.meta_sane);
        signs.numbered_pages = count_numbered(&file, file.page_bytes);
    }
    close(file.fd);
    return signs;
}

void xylem_pages__page_file_close(struct xylem_pages__page_file *file)
{
    if (file->path) {
        xylem_base__file_close(&file->fd);
        xylem_base__file_close(&file->lock_fd);
        free(file->path);
        free(file->extents);
    }
    memset(file, 0, sizeof *file);
}

bool xylem_pages__page_file_unchanged(const struct xylem_pages__page_file *file)
{
    struct xylem_pages__page_file now = *file;
    read_metas(&now);
    bool same = true;
    for (unsigned number = 0; number < XYLEM_PAGES__META_PAGES; number++) {
        same = same && now.meta_sane[number] == file->meta_sane[number] &&
               now.metas[number].txn_id == file->metas[number].txn_id;
    }
    return same;
}

bool xylem_pages__page_file_read(unsigned char *page, const struct xylem_pages__page_file *file, uint64_t number)
{
    if (xylem_pages__page_file_index(file, number) == XYLEM_PAGES__NO_PAGE) {
        return false;
    }
    size_t got = xylem_pages__file_read(file->fd, page, file->page_bytes, number * file->page_bytes);
    memset(page + got, 0, file->page_bytes - got);
    return got > 0;
}

int xylem_pages__page_file_value(struct xylem_buffer *bytes, const struct xylem_pages__page_file *file, uint64_t first,
                                 uint64_t value_bytes)
{
    if (xylem_pages__page_file_index(file, first) == XYLEM_PAGES__NO_PAGE) {
        return XYLEM_OK;
    }
    uint64_t offset = first * file->page_bytes + XYLEM_PAGES__PAGE_HEADER_BYTES;
    uint64_t there = offset < file->file_bytes ? file->file_bytes - offset : 0;
    there = there < VALUE_BYTES_MAX ? there : VALUE_BYTES_MAX;
    size_t wanted = (size_t)(value_bytes < there ? value_bytes : there);
    if (xylem_base__buffer_reserve(bytes, wanted) < 0) {
        return XYLEM_E_MEMORY;
    }
    bytes->bytes += xylem_pages__file_read(file->fd, bytes->data + bytes->bytes, wanted, offset);
    bytes->data[bytes->bytes] = '\0';
    return XYLEM_OK;
}

bool xylem_pages__page_file_begins_value(const struct xylem_pages__page_file *file, uint64_t first,
                                         uint64_t value_bytes)
{
    unsigned char header[XYLEM_PAGES__PAGE_HEADER_BYTES];
    return xylem_pages__page_file_index(file, first) != XYLEM_PAGES__NO_PAGE &&
           xylem_pages__file_read(file->fd, header, sizeof header, first * file->page_bytes) == sizeof header &&
           xylem_pages__page_number_at(header, 8) == first &&
           xylem_pages__page_flags(header) == XYLEM_PAGES__PAGE_OVERFLOW &&
           xylem_pages__page_number_at(header + XYLEM_PAGES__PAGE_COUNT_OFFSET, 4) ==
               xylem_pages__overflow_pages(value_bytes, file->page_bytes);
}

bool xylem_pages__page_file_node_at(struct xylem_pages__node *node, const unsigned char *page,
                                    const struct xylem_pages__page_file *file, size_t offset, bool leaf)
{
    return xylem_pages__node_read(node, page, file->page_bytes, offset, leaf) &&
           (!(node->flags & XYLEM_PAGES__NODE_BIG) || node->first_page >= XYLEM_PAGES__META_PAGES);
}

bool xylem_pages__page_file_node(struct xylem_pages__node *node, const unsigned char *page,
                                 const struct xylem_pages__page_file *file, size_t index)
{
    bool leaf = (xylem_pages__page_flags(page) & XYLEM_PAGES__PAGE_LEAF) != 0;
    return index < xylem_pages__page_node_count(page, file->page_bytes) &&
           xylem_pages__page_file_node_at(node, page, file, xylem_pages__page_node_offset(page, index), leaf);
}
