#include "store/pages/copy.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/error.h"

/* Also after an interrupted call, or a short one. */
int xylem_pages__copy_write(const struct xylem_pages__copy *copy, const unsigned char *bytes, size_t count,
                            uint64_t offset, struct xylem_error *err)
{
    for (size_t done = 0; done < count;) {
        ssize_t wrote = pwrite(copy->fd, bytes + done, count - done, (off_t)(offset + done));
        if (wrote == 0 || (wrote < 0 && errno != EINTR)) {
            return xylem_base__fail_errno(err, wrote == 0 ? EIO : errno, "cannot write the copy", copy->path);
        }
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    return XYLEM_OK;
}

/*
 * LMDB makes a record of the free list before LMDB knows how many pages the record will list, and leaves the rest of
 * the record as the memory was:
 *
 *     | count | page | page | rest |
 */
uint64_t xylem_pages__copy_used(bool free_list, const unsigned char *value, uint64_t value_bytes)
{
    uint64_t count = free_list && value_bytes >= 8 ? xylem_pages__page_number_at(value, 8) : UINT64_MAX;
    return count < value_bytes / 8 ? 8 + 8 * count : value_bytes;
}

int xylem_pages__copy_page(const struct xylem_pages__copy *copy, unsigned char *page, const char *table, bool free_list,
                           struct xylem_error *err)
{
    size_t page_bytes = copy->snapshot->page_bytes;
    size_t lower = xylem_pages__page_lower(page);
    size_t count = xylem_pages__page_node_count(page, page_bytes);
    bool leaf = xylem_pages__page_flags(page) == XYLEM_PAGES__PAGE_LEAF;
    memset(page + XYLEM_PAGES__PAGE_PAD_OFFSET, 0, XYLEM_PAGES__PAGE_PAD_BYTES);
    memset(page + lower, 0, xylem_pages__page_upper(page) - lower);
    for (size_t i = 0; i < count; i++) {
        struct xylem_pages__node node; /* proven: the node lies inside of the page */
        (void)xylem_pages__node_read(&node, page, page_bytes, xylem_pages__page_node_offset(page, i), leaf);
        size_t data = node.offset + XYLEM_PAGES__NODE_HEADER_BYTES + node.key.bytes;
        bool big = node.flags & XYLEM_PAGES__NODE_BIG;
        uint64_t used = !leaf ? 0 : big ? 8 : xylem_pages__copy_used(free_list, page + data, node.value_bytes);
        memset(page + data + used, 0, node.end - data - (size_t)used);
        if (leaf && table && !big) {
            copy->row(copy->context, table, node.key, page + data, node.value_bytes);
        }
    }
    return xylem_pages__copy_write(copy, page, page_bytes, xylem_pages__page_number_at(page, 8) * page_bytes, err);
}

static void put_tree(unsigned char *bytes, const struct xylem_pages__tree *tree, uint64_t pad)
{
    const uint64_t numbers[] = {pad | (uint64_t)tree->flags << 32 | (uint64_t)tree->depth << 48,
                                tree->branch_pages,
                                tree->leaf_pages,
                                tree->overflow_pages,
                                tree->rows,
                                tree->root};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        xylem_base__put_u64(bytes + i * 8, numbers[i]);
    }
}

/* The pages of the commit before are not in the copy: both meta pages lead to the pages of the snapshot. */
int xylem_pages__copy_metas(const struct xylem_pages__copy *copy, struct xylem_error *err)
{
    const struct xylem_pages__snapshot *snapshot = copy->snapshot;
    unsigned char meta[XYLEM_PAGES__META_END] = {0};
    xylem_base__put_u64(meta + XYLEM_PAGES__PAGE_PAD_OFFSET, (uint64_t)XYLEM_PAGES__PAGE_META << 16);
    xylem_base__put_u64(meta + XYLEM_PAGES__PAGE_HEADER_BYTES,
                        XYLEM_PAGES__META_MAGIC | (uint64_t)XYLEM_PAGES__META_VERSION << 32);
    xylem_base__put_u64(meta + XYLEM_PAGES__META_MAP_OFFSET, copy->map_bytes);
    put_tree(meta + XYLEM_PAGES__META_FREE_OFFSET, &snapshot->free_list, snapshot->page_bytes);
    put_tree(meta + XYLEM_PAGES__META_MAIN_OFFSET, &snapshot->main_table, 0);
    xylem_base__put_u64(meta + XYLEM_PAGES__META_LAST_PAGE_OFFSET, snapshot->last_page);
    int code = ftruncate(copy->fd, (off_t)((snapshot->last_page + 1) * snapshot->page_bytes)) == 0
                   ? XYLEM_OK
                   : xylem_base__fail_errno(err, errno, "cannot write the copy", copy->path);
    for (uint64_t txn_id = snapshot->txn_id - 1; code == XYLEM_OK && txn_id <= snapshot->txn_id; txn_id++) {
        xylem_base__put_u64(meta, txn_id & 1);
        xylem_base__put_u64(meta + XYLEM_PAGES__META_TXN_OFFSET, txn_id);
        code = xylem_pages__copy_write(copy, meta, sizeof meta, (txn_id & 1) * snapshot->page_bytes, err);
    }
    return code;
}
