/* The way through one tree of an LMDB file, page by page: what lmdb_check.c is made of. */
#ifndef XYLEM_PAGES_WALK_H
#define XYLEM_PAGES_WALK_H

#include "pages/check.h"
#include "pages/page.h"

/* Of the list of tables, and of a table. */
#define XYLEM_PAGES__LEVELS_MAX (2u * XYLEM_PAGES__TREE_DEPTH_MAX)

struct xylem_pages__check {
    const struct xylem_pages__pages *pages;
    size_t page_bytes;
    uint64_t file_pages;
    uint64_t last_page;
    uint64_t bit_count;     /* pages that the two bits below are kept for */
    unsigned char *used;    /* a bit for each page that was reached */
    unsigned char *freed;   /* a bit for each page that the free list has */
    unsigned char *covered; /* a byte for each two bytes of a page that a node takes */
    unsigned char *levels[XYLEM_PAGES__LEVELS_MAX];
    uint32_t described_tables; /* 1 << table: the list of tables has it */
    struct xylem_pages__pages_found *found;
    const struct xylem_pages__pages_listener *listener;
    struct xylem_error *err;
    int code; /* what ends the check */
};

struct xylem_pages__walk;
typedef void xylem_pages__visit_node(struct xylem_pages__walk *walk, uint64_t page,
                                     const struct xylem_pages__node *node);

/* The way through one tree. */
struct xylem_pages__walk {
    struct xylem_pages__check *check;
    struct xylem_pages__tree tree;
    const char *table; /* NULL: it is not one of xylem's */
    const char *name;  /* for texts */
    bool numbers;      /* its keys are numbers, as those of the free list */
    bool shape_only;   /* what its leaves say is left alone, and so are its counts */
    size_t level;      /* where in `levels` it begins */
    uint64_t branch_pages;
    uint64_t leaf_pages;
    uint64_t overflow_pages;
    uint64_t rows;
    uint64_t problem_count;
    bool unsound;                   /* one of them is such that LMDB must not be let near the tree */
    xylem_pages__visit_node *visit; /* gets each node of a leaf; may be NULL */
};

/* Walks all of the tree, notes its pages and counts what it has. */
void xylem_pages__tree_walk(struct xylem_pages__walk *walk);

/* Reports what would make LMDB fault, loop or read what is none of the tree's. */
__attribute__((format(printf, 3, 4))) void xylem_pages__page_problem(struct xylem_pages__walk *walk, uint64_t page,
                                                                     const char *format, ...);
/* Reports what LMDB reads all the same: it only does not find some rows by their keys, or counts wrongly. */
__attribute__((format(printf, 3, 4))) void xylem_pages__page_blemish(struct xylem_pages__walk *walk, uint64_t page,
                                                                     const char *format, ...);

/* Reads `count` bytes of the file, from `offset` of a page on. False, and reported, if they cannot be had. */
bool xylem_pages__page_read(struct xylem_pages__walk *walk, unsigned char *bytes, size_t count, uint64_t page,
                            size_t offset);

#endif
