/* Walks one tree of an LMDB file, page by page, with all checks of pages and nodes. check.c uses the walk. */
#ifndef XYLEM_PAGES_WALK_H
#define XYLEM_PAGES_WALK_H

#include "store/pages/check.h"
#include "store/pages/page.h"

/* A table is walked from within a leaf of the list of tables. */
#define XYLEM_PAGES__LEVELS_MAX (2u * XYLEM_PAGES__TREE_DEPTH_MAX)

struct xylem_pages__check {
    const struct xylem_pages__pages *pages;
    size_t page_bytes;
    uint64_t file_pages;
    uint64_t last_page;
    uint64_t bit_count;     /* pages with a bit in `used` and `freed` */
    unsigned char *used;    /* a bit for each page: something leads to the page */
    unsigned char *freed;   /* a bit for each page: the free list names the page */
    unsigned char *covered; /* for one page, a byte for each two bytes: 1 if a node takes these bytes */
    unsigned char *levels[XYLEM_PAGES__LEVELS_MAX];
    uint32_t described_tables; /* 1 << table: the list of tables has the table */
    struct xylem_pages__pages_found *found;
    const struct xylem_pages__pages_listener *listener;
    const struct xylem_pages__copy *copy; /* gets each page after its check; NULL: no copy */
    struct xylem_error *err;
    int code; /* the error that ends the check */
};

struct xylem_pages__walk;
typedef void xylem_pages__visit_node(struct xylem_pages__walk *walk, uint64_t page,
                                     const struct xylem_pages__node *node);

/* The walk through one tree. */
struct xylem_pages__walk {
    struct xylem_pages__check *check;
    struct xylem_pages__tree tree;
    const char *table; /* NULL: not a table of xylem */
    const char *name;  /* for texts */
    bool numbers;      /* keys are numbers: the free list */
    bool shape_only;   /* values of leaves and counts are not checked */
    size_t level;      /* the index in `levels` of the root */
    uint64_t branch_pages;
    uint64_t leaf_pages;
    uint64_t overflow_pages;
    uint64_t rows;
    uint64_t problem_count;
    bool unsound;                   /* after a problem for which LMDB must not read the tree */
    xylem_pages__visit_node *visit; /* called with each node of a leaf; may be NULL */
};

/* Walks all of the tree, notes the pages, and compares the counts of pages and rows. */
void xylem_pages__tree_walk(struct xylem_pages__walk *walk);

/* Reports damage that would make LMDB fault, loop, or read pages of another tree. */
__attribute__((format(printf, 3, 4))) void xylem_pages__page_problem(struct xylem_pages__walk *walk, uint64_t page,
                                                                     const char *format, ...);
/* Reports damage that LMDB survives: LMDB only misses some rows by key, or has a wrong count. */
__attribute__((format(printf, 3, 4))) void xylem_pages__page_blemish(struct xylem_pages__walk *walk, uint64_t page,
                                                                     const char *format, ...);

/* Reads `count` bytes of the file, from `offset` of a page on. Reports a read that fails, and gives false. */
bool xylem_pages__page_read(struct xylem_pages__walk *walk, unsigned char *bytes, size_t count, uint64_t page,
                            size_t offset);

#endif
