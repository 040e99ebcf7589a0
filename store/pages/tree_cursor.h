/*
 * Reads the trees of a committed snapshot through LMDB's map. LMDB follows whatever its pages say: a damaged page makes
 * LMDB fault, loop or skip rows. A tree cursor checks each page before it follows the page:
 *
 *   number   the page names itself
 *   kind     a branch above the last level of the tree, a leaf at the last level
 *   bounds   the offsets and the nodes lie inside of the page
 *   nodes    each node that the search touches lies inside of the page, and has a key of a possible length
 *
 * The nodes of a *whole* page cover the bytes between its upper bound and its end, without a gap and without overlap.
 * So a whole page hides no node, and LMDB adds a node without harm to other nodes.
 */
#ifndef XYLEM_PAGES_TREE_CURSOR_H
#define XYLEM_PAGES_TREE_CURSOR_H

#include <stdatomic.h>

#include "store/format/format.h"
#include "store/pages/page.h"

/* A committed state of the file. Its pages stay as they are while a transaction keeps the snapshot. */
struct xylem_pages__snapshot {
    const unsigned char *map; /* page 0 */
    size_t page_bytes;
    uint64_t txn_id;                /* the transaction that committed it */
    const unsigned char *committed; /* `txn_id` in its meta page */
    uint64_t page_count; /* pages below this number are known to lie in the file; no page above `last_page` is used */
    uint64_t last_page;
    int fd;          /* of the file; -1: the map has exactly `page_count` pages */
    bool for_writes; /* LMDB changes and searches copies of the pages */
    struct xylem_pages__tree free_list;
    struct xylem_pages__tree main_table;
};

/*
 * Takes the snapshot of transaction `txn_id` from its meta page. The caller sets `map`, `page_bytes`, `page_count` and
 * `fd` before. TAKEN: the meta page did not change. UNSURE: the next commit has written the other meta page, and the
 * commit after that may be writing this meta page. GONE: another commit has written this meta page.
 */
enum xylem_pages__taken { XYLEM_PAGES__TAKEN, XYLEM_PAGES__UNSURE, XYLEM_PAGES__GONE };
enum xylem_pages__taken xylem_pages__snapshot_take(struct xylem_pages__snapshot *snapshot, uint64_t txn_id);

/*
 * True if the file went back behind the snapshot: its meta page, in which only later commits write, has an older
 * transaction. The other pages may be older, too, and each of them proves itself.
 */
static inline bool xylem_pages__snapshot_is_lost(const struct xylem_pages__snapshot *snapshot)
{
    return xylem_pages__page_number_at(snapshot->committed, 8) < snapshot->txn_id;
}

struct xylem_pages__level {
    const unsigned char *page;
    unsigned index; /* of the node at which the cursor stands, or through which the path goes */
    unsigned count; /* of nodes */
};

/* Keys that lead to one leaf: `low` and above, and below `high`. NULL: no bound. The keys lie in the snapshot. */
struct xylem_pages__range {
    struct xylem_view low;
    struct xylem_view high;
};

struct xylem_pages__tree_cursor {
    struct xylem_pages__snapshot *snapshot;
    struct xylem_pages__tree tree;
    bool numbers;                    /* keys are numbers of 8 bytes in the order of the machine: the free list */
    bool positioned;                 /* `levels` hold a path */
    bool proven;                     /* the path to the leaf */
    struct xylem_pages__range range; /* of the leaf, if the path is proven */
    const char *fault;               /* after CORRUPT: the defect, as the end of a sentence that begins with the page */
    uint64_t fault_page;
    struct xylem_pages__level levels[XYLEM_PAGES__TREE_DEPTH_MAX];
};

/* The cursor stands at no row. `levels` stay unset until the cursor stands at a row. */
void xylem_pages__tree_cursor_init(struct xylem_pages__tree_cursor *cursor, struct xylem_pages__snapshot *snapshot,
                                   const struct xylem_pages__tree *tree);

/*
 * Each gives 1 at a row, 0 where there is no row, or CORRUPT. After 0 from seek or next the cursor stands at the last
 * row, after 0 from previous at the first.
 */
int xylem_pages__tree_seek(bool *exact, struct xylem_pages__tree_cursor *cursor, struct xylem_view key);
int xylem_pages__tree_first(struct xylem_pages__tree_cursor *cursor);
int xylem_pages__tree_last(struct xylem_pages__tree_cursor *cursor);
int xylem_pages__tree_next(struct xylem_pages__tree_cursor *cursor);
int xylem_pages__tree_previous(struct xylem_pages__tree_cursor *cursor);

/*
 * Moves to the row at an index of a tree of one leaf: 1, or 0 if the leaf has no such row, or the tree is not one leaf.
 */
int xylem_pages__tree_at_index(struct xylem_pages__tree_cursor *cursor, unsigned index);

/* The row at which the cursor stands: 1, or CORRUPT. The views live as long as the snapshot. */
int xylem_pages__tree_row(struct xylem_view *key, struct xylem_view *value, struct xylem_pages__tree_cursor *cursor);

/*
 * Pages that are known to be whole: no page is proven twice. All 0: an empty set. The free list may still name a proven
 * page. The free list names no *derived* page: LMDB made the page for the newest commit.
 */
#define XYLEM_PAGES__PAGE_SET_FIRST 32u
struct xylem_pages__page_set {
    uint64_t *pages; /* in the order in which they were added */
    size_t count;
    uint32_t *slots; /* a hash table: an index of `pages` plus 1, or 0 */
    size_t capacity;
    size_t derived_count; /* pages that need no look at the free list: their bit XYLEM_PAGES__PAGE_DERIVED is set */
    /* The first room: a set does not move. */
    uint64_t first_pages[XYLEM_PAGES__PAGE_SET_FIRST / 2];
    uint32_t first_slots[XYLEM_PAGES__PAGE_SET_FIRST];
};
#define XYLEM_PAGES__PAGE_DERIVED (UINT64_C(1) << 63)
bool xylem_pages__page_set_has(const struct xylem_pages__page_set *set, uint64_t page);
int xylem_pages__page_set_add(struct xylem_pages__page_set *set, uint64_t page);
void xylem_pages__page_set_release(struct xylem_pages__page_set *set);

/* 1 if the keys of each branch of the path ascend, else CORRUPT. */
int xylem_pages__tree_prove_order(struct xylem_pages__tree_cursor *cursor);

/* True if LMDB may split the leaf of the cursor for a row whose key and value have `row_bytes`. */
bool xylem_pages__tree_may_split(const struct xylem_pages__tree_cursor *cursor, size_t row_bytes);

/* True if the cursor stands in the last leaf. */
bool xylem_pages__tree_is_at_end(const struct xylem_pages__tree_cursor *cursor);

/*
 * Proves that each page of the cursor's path is whole, that the keys of each page lie between the keys of the page
 * above and, for writes, that they ascend. Skips the pages of `whole`, and adds the proven pages.
 * `derived`: a key, or empty. LMDB made the branches on the path to this key for the newest commit: they are added as
 * derived pages. A bit may have changed since, so the keys beside the path must ascend. 0, CORRUPT or MEMORY.
 */
int xylem_pages__tree_prove_path(struct xylem_pages__tree_cursor *cursor, struct xylem_pages__page_set *whole,
                                 struct xylem_view derived);

/* Moves to the leaf of a key. Proves the header of an old value on pages of its own. */
int xylem_pages__tree_find_place(struct xylem_pages__tree_cursor *cursor, struct xylem_view key);
/*
 * CORRUPT if a search from the root takes another path than that on which the cursor stands: a cursor that stood there
 * compared with other keys than LMDB will.
 */
int xylem_pages__tree_find_place_again(struct xylem_pages__tree_cursor *cursor, struct xylem_view key);
/*
 * At that place: proves the pages that LMDB changes with the row of the key. `removes`: LMDB may join the leaf with a
 * neighbour, a joined leaf with the next one, and a branch with a sibling. So the leaves on both sides are proven, up
 * to the first that is not low, and the siblings of the branches on the path.
 */
int xylem_pages__tree_prove_change(struct xylem_pages__tree_cursor *cursor, bool removes,
                                   struct xylem_pages__page_set *whole, struct xylem_view derived);

/*
 * Searches the free list for the proven pages of a set, from the index `first` on. A free page is not in use: a damaged
 * page led to the free page, which holds rows from before. 1 and the page, 0, or CORRUPT with the fault in `cursor`,
 * which the caller lends.
 */
int xylem_pages__tree_find_free(uint64_t *page, struct xylem_pages__tree_cursor *cursor,
                                struct xylem_pages__snapshot *snapshot, const struct xylem_pages__page_set *set,
                                size_t first);

/*
 * Proves the ways to the first and the last record of the free list, and the order of the keys in the branches on these
 * ways. 1, and the cursor stands at the first record; 0: the list is empty.
 */
int xylem_pages__tree_prove_free(struct xylem_pages__tree_cursor *cursor, struct xylem_pages__snapshot *snapshot);
/*
 * Proves the record at which the cursor stands: its pages lie in the file and descend. Gives their number, and unless
 * `longest` is NULL the length of the longest run of neighbours. 1, and the cursor stands at the next record; 0: the
 * record was the last.
 */
int xylem_pages__tree_prove_free_record(uint64_t *count, uint64_t *longest, struct xylem_pages__tree_cursor *cursor);

#endif
