/*
 * The pages of an LMDB file, as bytes: for those who read the file without LMDB, which trusts what stands in it. The
 * format is that of LMDB 0.9 (mdb.c: MDB_page, MDB_node, MDB_db, MDB_meta) on a little-endian 64-bit machine.
 *
 *   page   | number u64 | pad u16 | flags u16 | lower u16 | upper u16 | offsets of its nodes, u16 each | free | nodes |
 *          an overflow page has its number of pages, u32, in place of lower and upper; bytes follow the header
 *   node   | u32 | flags u16 | key bytes u16 | key | data |   begins at an even offset
 *          leaf: the u32 is the number of bytes of the data (of a big one, the data is the number of its first page, u64)
 *          branch: the u32 and above it the flags are the number of the child page; the first node's key is empty
 *   table  | pad u32 | flags u16 | depth u16 | branch pages u64 | leaf pages u64 | overflow pages u64 | rows u64 | root u64 |
 *   meta   page header, then | magic u32 | version u32 | address u64 | map bytes u64 | free list: a table | main table |
 *          last page u64 | transaction u64 |   the free list's pad is the page size
 */
#ifndef XYLEM_PAGES_PAGE_H
#define XYLEM_PAGES_PAGE_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "xylem.h"

#define XYLEM_PAGES__PAGE_HEADER_BYTES 16u
#define XYLEM_PAGES__PAGE_COUNT_OFFSET 12u /* of the first overflow page: how many there are */
#define XYLEM_PAGES__PAGE_BYTES_LEAST 512u
#define XYLEM_PAGES__PAGE_BYTES_MOST 65536u
#define XYLEM_PAGES__NO_PAGE UINT64_MAX
#define XYLEM_PAGES__META_PAGES 2u

/* Flags of a page. */
#define XYLEM_PAGES__PAGE_BRANCH 0x01u
#define XYLEM_PAGES__PAGE_LEAF 0x02u
#define XYLEM_PAGES__PAGE_OVERFLOW 0x04u
#define XYLEM_PAGES__PAGE_META 0x08u

/* Flags of a leaf's node. */
#define XYLEM_PAGES__NODE_BIG 0x01u /* the data lies on overflow pages */
#define XYLEM_PAGES__NODE_SUB 0x02u /* the data is a table */

#define XYLEM_PAGES__NODE_HEADER_BYTES 8u
#define XYLEM_PAGES__TREE_BYTES 48u
#define XYLEM_PAGES__TREE_DEPTH_MAX 32u /* LMDB's own limit: a tree that is deeper leads in a circle */

#define XYLEM_PAGES__META_MAGIC 0xbeefc0deu
#define XYLEM_PAGES__META_VERSION 1u
#define XYLEM_PAGES__META_FREE_OFFSET (XYLEM_PAGES__PAGE_HEADER_BYTES + 24u)
#define XYLEM_PAGES__META_MAIN_OFFSET (XYLEM_PAGES__META_FREE_OFFSET + XYLEM_PAGES__TREE_BYTES)
#define XYLEM_PAGES__META_LAST_PAGE_OFFSET (XYLEM_PAGES__META_MAIN_OFFSET + XYLEM_PAGES__TREE_BYTES)
#define XYLEM_PAGES__META_TXN_OFFSET (XYLEM_PAGES__META_LAST_PAGE_OFFSET + 8u)
#define XYLEM_PAGES__META_END (XYLEM_PAGES__META_TXN_OFFSET + 8u)

/* A number of `count` bytes, which the caller knows to be there. Where the count is constant this is one load. */
static inline uint64_t xylem_pages__page_number_at(const unsigned char *bytes, size_t count)
{
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (count) {
    case sizeof two:
        memcpy(&two, bytes, sizeof two);
        return le16toh(two);
    case sizeof four:
        memcpy(&four, bytes, sizeof four);
        return le32toh(four);
    case sizeof eight:
        memcpy(&eight, bytes, sizeof eight);
        return le64toh(eight);
    default:
        break;
    }
    uint64_t number = 0;
    for (size_t i = count; i > 0; i--) {
        number = number << 8 | bytes[i - 1];
    }
    return number;
}

/* A B-tree: a table. */
struct xylem_pages__tree {
    unsigned flags;
    unsigned depth;
    uint64_t branch_pages;
    uint64_t leaf_pages;
    uint64_t overflow_pages;
    uint64_t rows;
    uint64_t root; /* XYLEM_PAGES__NO_PAGE: empty */
};

/* Reads the TREE_BYTES that a tree is described by. */
static inline struct xylem_pages__tree xylem_pages__tree_at(const unsigned char *bytes)
{
    struct xylem_pages__tree tree = {
        .flags = (unsigned)xylem_pages__page_number_at(bytes + 4, 2),
        .depth = (unsigned)xylem_pages__page_number_at(bytes + 6, 2),
        .branch_pages = xylem_pages__page_number_at(bytes + 8, 8),
        .leaf_pages = xylem_pages__page_number_at(bytes + 16, 8),
        .overflow_pages = xylem_pages__page_number_at(bytes + 24, 8),
        .rows = xylem_pages__page_number_at(bytes + 32, 8),
        .root = xylem_pages__page_number_at(bytes + 40, 8),
    };
    return tree;
}

static inline unsigned xylem_pages__page_flags(const unsigned char *page)
{
    return (unsigned)xylem_pages__page_number_at(page + 10, 2);
}

/* Where the offsets of its nodes end, and where its nodes begin. */
static inline size_t xylem_pages__page_lower(const unsigned char *page)
{
    return (size_t)xylem_pages__page_number_at(page + 12, 2);
}

static inline size_t xylem_pages__page_upper(const unsigned char *page)
{
    return (size_t)xylem_pages__page_number_at(page + 14, 2);
}

/* The pages that a value of so many bytes takes. */
static inline uint64_t xylem_pages__overflow_pages(uint64_t bytes, uint64_t page_bytes)
{
    return (XYLEM_PAGES__PAGE_HEADER_BYTES - 1 + bytes) / page_bytes + 1;
}

/* The child that a node of a branch page leads to. */
static inline uint64_t xylem_pages__node_child(const unsigned char *node)
{
    return xylem_pages__page_number_at(node, 6);
}

/* One bit for each page of a file. */
static inline bool xylem_pages__page_bit(const unsigned char *bits, uint64_t page)
{
    return bits[page / 8] & 1u << page % 8;
}

/* Sets it. True if it was not set. */
static inline bool xylem_pages__page_bit_take(unsigned char *bits, uint64_t page)
{
    bool was_set = xylem_pages__page_bit(bits, page);
    bits[page / 8] |= (unsigned char)(1u << page % 8);
    return !was_set;
}

bool xylem_pages__is_page_size(uint64_t bytes);

/*
 * Reads at an offset of a file, and goes on after what interrupts it. Returns how many bytes there are: where they are
 * fewer than asked for, `errno` says why, 0 that the file ends.
 */
size_t xylem_pages__file_read(int fd, void *bytes, size_t count, uint64_t offset);

/* What a meta page says, whether it can be or not. */
struct xylem_pages__meta {
    uint64_t number;
    unsigned kind; /* the page's flags */
    uint64_t magic;
    uint64_t version;
    uint64_t page_bytes;
    uint64_t map_bytes;
    struct xylem_pages__tree free_list;
    struct xylem_pages__tree main_table;
    uint64_t last_page;
    uint64_t txn_id;
};

/* Reads the META_END bytes that a meta page begins with. */
struct xylem_pages__meta xylem_pages__meta_at(const unsigned char *bytes);
/* Reads that of a file. False: it does not have all of it, and all of `meta` is 0. */
bool xylem_pages__meta_read(struct xylem_pages__meta *meta, int fd, uint64_t number, size_t page_bytes);
/*
 * Can the two meta pages be of these transactions? Commits write them by turns, an even one page 0, so one is the other's
 * successor; in a file that was just made both are of none.
 */
bool xylem_pages__metas_take_turns(uint64_t first_txn, uint64_t second_txn);

/* Can its nodes lie where a page says, in a page of `room` bytes? */
bool xylem_pages__page_bounds_possible(const unsigned char *page, size_t room);
/* How many nodes a page says that it has; 0 where its bounds cannot be. */
size_t xylem_pages__page_node_count(const unsigned char *page, size_t room);

/* Where a page says that one of its nodes lies. The index is one of those that it has. */
static inline size_t xylem_pages__page_node_offset(const unsigned char *page, size_t index)
{
    return (size_t)xylem_pages__page_number_at(page + XYLEM_PAGES__PAGE_HEADER_BYTES + 2 * index, 2);
}

struct xylem_pages__node {
    size_t offset; /* in its page */
    size_t end;    /* where the next one begins, as nodes are packed */
    struct xylem_view key;
    uint64_t child;            /* of a branch page's; what follows is of a leaf's */
    unsigned flags;            /* XYLEM_PAGES__NODE_* */
    const unsigned char *data; /* the value, or the number of its first page */
    uint64_t value_bytes;
    uint64_t first_page; /* where its data lies if it is big */
};

/*
 * Reads what lies at an offset of a page as a node of a leaf or of a branch page. False if not all of it lies inside of
 * the page, behind its header; then `node` is not to be read.
 */
bool xylem_pages__node_read(struct xylem_pages__node *node, const unsigned char *page, size_t page_bytes, size_t offset,
                            bool leaf);

#endif
