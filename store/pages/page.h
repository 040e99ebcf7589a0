/*
 * Decodes the pages of an LMDB file from bytes, without LMDB. The format is the format of LMDB 0.9 (mdb.c: MDB_page,
 * MDB_node, MDB_db, MDB_meta) on a little-endian 64-bit machine.
 *
 *   page   | number u64 | pad u16 | flags u16 | lower u16 | upper u16 | offsets of the nodes, u16 each | free | nodes |
 *          lower: the end of the offsets; upper: the beginning of the nodes
 *          first overflow page: a count of pages, u32, in place of lower and upper; the value follows the header
 *   node   | u32 | flags u16 | key bytes u16 | key | data |   begins at an even offset
 *          leaf: the u32 is the length of the value; the data is the value, or the first page (u64) of a big value
 *          branch: the u32 and the flags (high 16 bits) are the number of the child; the key of the first node is empty
 *   table  | pad u32 | flags u16 | depth u16 | branch pages u64 | leaf pages u64 | overflow pages u64 | rows u64 |
 *          | root u64 |
 *   meta   page header, then | magic u32 | version u32 | address u64 | map bytes u64 | free list: a table |
 *          | main table | last page u64 | transaction u64 |   the pad of the free list is the page size
 */
#ifndef XYLEM_PAGES_PAGE_H
#define XYLEM_PAGES_PAGE_H

#include <assert.h>
#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "xylem/base.h"

#define XYLEM_PAGES__PAGE_HEADER_BYTES 16u
#define XYLEM_PAGES__PAGE_PAD_OFFSET 8u
#define XYLEM_PAGES__PAGE_PAD_BYTES 2u
#define XYLEM_PAGES__PAGE_COUNT_OFFSET 12u /* in the first overflow page of a value */
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
#define XYLEM_PAGES__TREE_DEPTH_MAX 32u /* LMDB's own limit: a deeper tree leads in a circle */

#define XYLEM_PAGES__META_MAGIC 0xbeefc0deu
#define XYLEM_PAGES__META_VERSION 1u
#define XYLEM_PAGES__META_MAP_OFFSET (XYLEM_PAGES__PAGE_HEADER_BYTES + 16u)
#define XYLEM_PAGES__META_FREE_OFFSET (XYLEM_PAGES__PAGE_HEADER_BYTES + 24u)
#define XYLEM_PAGES__META_MAIN_OFFSET (XYLEM_PAGES__META_FREE_OFFSET + XYLEM_PAGES__TREE_BYTES)
#define XYLEM_PAGES__META_LAST_PAGE_OFFSET (XYLEM_PAGES__META_MAIN_OFFSET + XYLEM_PAGES__TREE_BYTES)
#define XYLEM_PAGES__META_TXN_OFFSET (XYLEM_PAGES__META_LAST_PAGE_OFFSET + 8u)
#define XYLEM_PAGES__META_END (XYLEM_PAGES__META_TXN_OFFSET + 8u)

/* Reads a number of `count` bytes, 8 at most. With a constant count this is one load. */
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
    assert(count < sizeof eight);
    uint64_t number = 0;
    for (size_t i = count; i > 0; i--) {
        number = number << 8 | bytes[i - 1];
    }
    return number;
}

/* A table: a B-tree. */
struct xylem_pages__tree {
    unsigned flags;
    unsigned depth;
    uint64_t branch_pages;
    uint64_t leaf_pages;
    uint64_t overflow_pages;
    uint64_t rows;
    uint64_t root; /* XYLEM_PAGES__NO_PAGE: the tree is empty */
};

/* Reads the description of a tree, XYLEM_PAGES__TREE_BYTES long. */
static inline struct xylem_pages__tree xylem_pages__tree_at(const unsigned char *bytes)
{
    return (struct xylem_pages__tree){
        .flags = (unsigned)xylem_pages__page_number_at(bytes + 4, 2),
        .depth = (unsigned)xylem_pages__page_number_at(bytes + 6, 2),
        .branch_pages = xylem_pages__page_number_at(bytes + 8, 8),
        .leaf_pages = xylem_pages__page_number_at(bytes + 16, 8),
        .overflow_pages = xylem_pages__page_number_at(bytes + 24, 8),
        .rows = xylem_pages__page_number_at(bytes + 32, 8),
        .root = xylem_pages__page_number_at(bytes + 40, 8),
    };
}

static inline unsigned xylem_pages__page_flags(const unsigned char *page)
{
    return (unsigned)xylem_pages__page_number_at(page + 10, 2);
}

static inline size_t xylem_pages__page_lower(const unsigned char *page)
{
    return (size_t)xylem_pages__page_number_at(page + 12, 2);
}

static inline size_t xylem_pages__page_upper(const unsigned char *page)
{
    return (size_t)xylem_pages__page_number_at(page + 14, 2);
}

/* The number of overflow pages for a value. */
static inline uint64_t xylem_pages__overflow_pages(uint64_t bytes, uint64_t page_bytes)
{
    return (XYLEM_PAGES__PAGE_HEADER_BYTES - 1 + bytes) / page_bytes + 1;
}

/* The child page of a branch page's node. */
static inline uint64_t xylem_pages__node_child(const unsigned char *node)
{
    return xylem_pages__page_number_at(node, 6);
}

/* One bit for each page of a file. */
static inline bool xylem_pages__page_bit(const unsigned char *bits, uint64_t page)
{
    return bits[page / 8] & 1u << page % 8;
}

/* Sets the bit of a page. True if the bit was not set before. */
static inline bool xylem_pages__page_bit_take(unsigned char *bits, uint64_t page)
{
    bool was_set = xylem_pages__page_bit(bits, page);
    bits[page / 8] |= (unsigned char)(1u << page % 8);
    return !was_set;
}

bool xylem_pages__is_page_size(uint64_t bytes);

/*
 * Reads at an offset of a file, also after an interrupted call. Returns the number of bytes that were read. After a
 * short read `errno` has the reason; 0: the end of the file.
 */
size_t xylem_pages__file_read(int fd, void *bytes, size_t count, uint64_t offset);

/* The fields of a meta page, unchecked. */
struct xylem_pages__meta {
    uint64_t number;
    unsigned kind; /* flags of the page */
    uint64_t magic;
    uint64_t version;
    uint64_t page_bytes;
    uint64_t map_bytes;
    struct xylem_pages__tree free_list;
    struct xylem_pages__tree main_table;
    uint64_t last_page;
    uint64_t txn_id;
};

/* Reads the first XYLEM_PAGES__META_END bytes of a meta page. */
struct xylem_pages__meta xylem_pages__meta_at(const unsigned char *bytes);
/* Reads a meta page of a file. False if the file is too short: then all of `meta` is 0. */
bool xylem_pages__meta_read(struct xylem_pages__meta *meta, int fd, uint64_t number, size_t page_bytes);
/*
 * True if the two meta pages can have these transactions. Commits write the meta pages by turns: even transactions
 * write page 0, odd transactions page 1. So the two numbers differ by 1. In a new file both numbers are 0.
 */
bool xylem_pages__metas_take_turns(uint64_t first_txn, uint64_t second_txn);

/* True if the lower and the upper bound are possible in a page of `room` bytes. */
bool xylem_pages__page_bounds_possible(const unsigned char *page, size_t room);
/* The number of nodes by the bounds of a page; 0 if the bounds are impossible. */
size_t xylem_pages__page_node_count(const unsigned char *page, size_t room);

/* The offset of a node in its page, unchecked. The index lies below the number of nodes. */
static inline size_t xylem_pages__page_node_offset(const unsigned char *page, size_t index)
{
    return (size_t)xylem_pages__page_number_at(page + XYLEM_PAGES__PAGE_HEADER_BYTES + 2 * index, 2);
}

struct xylem_pages__node {
    size_t offset; /* in the page */
    size_t end;    /* behind the node, rounded up to an even offset */
    struct xylem_view key;
    uint64_t child;            /* in a branch page; the fields below are for leaf pages */
    unsigned flags;            /* XYLEM_PAGES__NODE_* */
    const unsigned char *data; /* the value, or the number of its first page */
    uint64_t value_bytes;
    uint64_t first_page; /* of the value, if the value is big */
};

/*
 * Reads the bytes at an offset of a page as a node of a leaf or of a branch page. False if the node does not lie inside
 * of the page, behind the header: then the content of `node` is undefined.
 */
bool xylem_pages__node_read(struct xylem_pages__node *node, const unsigned char *page, size_t page_bytes, size_t offset,
                            bool leaf);

#endif
