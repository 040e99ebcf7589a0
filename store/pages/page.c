#include "store/pages/page.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

bool xylem_pages__is_page_size(uint64_t bytes)
{
    return bytes >= XYLEM_PAGES__PAGE_BYTES_LEAST && bytes <= XYLEM_PAGES__PAGE_BYTES_MOST &&
           (bytes & (bytes - 1)) == 0;
}

size_t xylem_pages__file_read(int fd, void *bytes, size_t count, uint64_t offset)
{
    size_t done = 0;
    while (done < count) {
        ssize_t got = pread(fd, (char *)bytes + done, count - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            errno = got < 0 ? errno : 0;
            break;
        }
        done += (size_t)got;
    }
    return done;
}

struct xylem_pages__meta xylem_pages__meta_at(const unsigned char *bytes)
{
    const unsigned char *meta = bytes + XYLEM_PAGES__PAGE_HEADER_BYTES;
    return (struct xylem_pages__meta){
        .number = xylem_pages__page_number_at(bytes, 8),
        .kind = xylem_pages__page_flags(bytes),
        .magic = xylem_pages__page_number_at(meta, 4),
        .version = xylem_pages__page_number_at(meta + 4, 4),
        .page_bytes = xylem_pages__page_number_at(bytes + XYLEM_PAGES__META_FREE_OFFSET, 4),
        .map_bytes = xylem_pages__page_number_at(meta + 16, 8),
        .free_list = xylem_pages__tree_at(bytes + XYLEM_PAGES__META_FREE_OFFSET),
        .main_table = xylem_pages__tree_at(bytes + XYLEM_PAGES__META_MAIN_OFFSET),
        .last_page = xylem_pages__page_number_at(bytes + XYLEM_PAGES__META_LAST_PAGE_OFFSET, 8),
        .txn_id = xylem_pages__page_number_at(bytes + XYLEM_PAGES__META_TXN_OFFSET, 8),
    };
}

bool xylem_pages__meta_read(struct xylem_pages__meta *meta, int fd, uint64_t number, size_t page_bytes)
{
    unsigned char bytes[XYLEM_PAGES__META_END];
    assert(number < XYLEM_PAGES__META_PAGES);
    bool there = xylem_pages__file_read(fd, bytes, sizeof bytes, number * page_bytes) == sizeof bytes;
    *meta = there ? xylem_pages__meta_at(bytes) : (struct xylem_pages__meta){0};
    return there;
}

bool xylem_pages__metas_take_turns(uint64_t first_txn, uint64_t second_txn)
{
    bool follow = first_txn == second_txn + 1 || second_txn == first_txn + 1;
    return first_txn % 2 == 0 && (second_txn % 2 == 1 ? follow : first_txn == 0 && second_txn == 0);
}

bool xylem_pages__page_bounds_possible(const unsigned char *page, size_t room)
{
    size_t lower = xylem_pages__page_lower(page);
    size_t upper = xylem_pages__page_upper(page);
    return lower >= XYLEM_PAGES__PAGE_HEADER_BYTES && lower % 2 == 0 && lower <= upper && upper <= room;
}

size_t xylem_pages__page_node_count(const unsigned char *page, size_t room)
{
    return xylem_pages__page_bounds_possible(page, room)
               ? (xylem_pages__page_lower(page) - XYLEM_PAGES__PAGE_HEADER_BYTES) / 2
               : 0;
}

bool xylem_pages__node_read(struct xylem_pages__node *node, const unsigned char *page, size_t page_bytes, size_t offset,
                            bool leaf)
{
    memset(node, 0, sizeof *node);
    if (offset < XYLEM_PAGES__PAGE_HEADER_BYTES || offset > page_bytes ||
        page_bytes - offset < XYLEM_PAGES__NODE_HEADER_BYTES) {
        return false;
    }
    const unsigned char *bytes = page + offset;
    size_t key_bytes = (size_t)xylem_pages__page_number_at(bytes + 6, 2);
    uint64_t covers = XYLEM_PAGES__NODE_HEADER_BYTES + key_bytes;
    if (leaf) {
        node->flags = (unsigned)xylem_pages__page_number_at(bytes + 4, 2);
        node->value_bytes = xylem_pages__page_number_at(bytes, 4);
        covers += node->flags & XYLEM_PAGES__NODE_BIG ? 8 : node->value_bytes;
    } else {
        node->child = xylem_pages__node_child(bytes);
    }
    if (covers > page_bytes - offset) {
        return false;
    }
    node->offset = offset;
    node->end = offset + (size_t)covers;
    node->end += node->end % 2;
    node->key = (struct xylem_view){(const char *)bytes + XYLEM_PAGES__NODE_HEADER_BYTES, key_bytes};
    node->data = leaf ? bytes + XYLEM_PAGES__NODE_HEADER_BYTES + key_bytes : NULL;
    if (node->flags & XYLEM_PAGES__NODE_BIG) {
        node->first_page = xylem_pages__page_number_at(node->data, 8);
    }
    return true;
}
