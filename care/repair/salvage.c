#include "care/repair/salvage.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"
#include "store/format/hash.h"
#include "store/format/keys.h"
#include "store/pages/file.h"
#include "care/repair/salvage_pages.h"
#include "care/repair/salvage_prove.h"

/* The table of tables, and LMDB's list of free pages. */
#define MAIN_TABLE XYLEM_FORMAT__TABLE_COUNT
#define FREE_LIST ((enum xylem_format__table)(XYLEM_FORMAT__TABLE_COUNT + 1))

/*
 * Many nodes on garbled pages may claim the same long value. After this many bytes of unproven values for each byte of
 * the file, no further long value is read.
 */
#define WASTE_PER_BYTE 16u

/* The search for a key that bounds a hole looks at this many nodes of a damaged branch page. */
#define BOUND_STEPS_MAX 8u

/* The bounds of all keys of a table. */
static const struct xylem_view least_key = {"", 0};
static const struct xylem_view no_bound = {NULL, 0};

/* A range of keys without a known row: from `low` on, up to `high` without `high`. */
struct hole {
    enum xylem_format__table table;
    bool to_the_end;
    struct xylem_buffer low;
    struct xylem_buffer high;
};

/* A page on the way from a root to a leaf, and the bounds of the keys below the page. */
struct frame {
    unsigned char *page;
    uint64_t number;
    size_t index;
    size_t count;
    struct xylem_view low;
    struct xylem_view high; /* data NULL: no bound */
};

struct xylem_repair__salvage {
    struct xylem_pages__page_file file;
    struct xylem_repair__salvage_pages pages;
    bool hidden; /* the newest commit may be lost together with the marks of its redactions and deletions */
    struct xylem_repair__salvaged *rows;
    size_t row_count;
    size_t row_capacity;
    struct {
        size_t begin;
        size_t count;
    } tables[XYLEM_FORMAT__TABLE_COUNT];
    struct {
        bool known;
        struct xylem_pages__tree tree;
        uint64_t reached; /* nodes on its leaves */
    } trees[XYLEM_FORMAT__TABLE_COUNT];
    struct hole *holes;
    size_t hole_count;
    size_t hole_capacity;
    struct xylem_repair__bad_page *bad_pages;
    size_t bad_count;
    size_t bad_capacity;
    struct xylem_buffer behind_last; /* the least key behind the last row of the walk; empty: the walk met no row */
    struct frame frames[XYLEM_PAGES__TREE_DEPTH_MAX];
    size_t depth;           /* number of frames in use */
    unsigned char *offsets; /* a byte for each offset of the scanned page */
    unsigned char *page;    /* for the scan, and for reading rows again */
    uint64_t page_number;   /* the page in `page`; XYLEM_PAGES__NO_PAGE: none */
    struct xylem_buffer value;
    uint64_t value_end;       /* for the scan: the page behind the last long value */
    uint64_t wasted_bytes[2]; /* unproven long values; [1]: the first page says that a value begins there */
    struct xylem_error *err;
};

/* --- Lists ------------------------------------------------------------------------------------------------------ */

static int add_row(struct xylem_repair__salvage *salvage, const struct xylem_repair__salvaged *row)
{
    struct xylem_repair__salvaged *rows =
        xylem_base__with_room(salvage->rows, &salvage->row_capacity, salvage->row_count, sizeof *rows);
    if (!rows) {
        return xylem_base__fail_memory(salvage->err);
    }
    salvage->rows = rows;
    salvage->rows[salvage->row_count++] = *row;
    return XYLEM_OK;
}

static int add_hole(struct xylem_repair__salvage *salvage, enum xylem_format__table table, struct xylem_view low,
                    struct xylem_view high)
{
    struct hole *holes =
        xylem_base__with_room(salvage->holes, &salvage->hole_capacity, salvage->hole_count, sizeof *holes);
    if (!holes) {
        return xylem_base__fail_memory(salvage->err);
    }
    salvage->holes = holes;
    struct hole *hole = &salvage->holes[salvage->hole_count++];
    *hole = (struct hole){.table = table, .to_the_end = !high.data};
    bool added = xylem_buffer_add(&hole->low, low.data, low.bytes) == XYLEM_OK &&
                 xylem_buffer_add(&hole->high, high.data, high.bytes) == XYLEM_OK;
    return added ? XYLEM_OK : xylem_base__fail_memory(salvage->err);
}

static int compare_holes(const void *left, const void *right)
{
    const struct hole *a = left;
    const struct hole *b = right;
    return a->table != b->table
               ? (a->table > b->table) - (a->table < b->table)
               : xylem_base__view_order(xylem_base__buffer_view(&a->low), xylem_base__buffer_view(&b->low));
}

/*
 * Sorts the holes, and joins holes that overlap, so that in_hole_of_tree() can search. Runs after the walk of all
 * trees.
 */
static void join_holes(struct xylem_repair__salvage *salvage)
{
    size_t kept = 0;
    if (salvage->hole_count == 0) {
        return;
    }
    qsort(salvage->holes, salvage->hole_count, sizeof *salvage->holes, compare_holes);
    for (size_t i = 1; i < salvage->hole_count; i++) {
        struct hole *last = &salvage->holes[kept];
        struct hole *next = &salvage->holes[i];
        if (next->table == last->table &&
            (last->to_the_end ||
             xylem_base__view_order(xylem_base__buffer_view(&next->low), xylem_base__buffer_view(&last->high)) <= 0)) {
            /* The hole that reaches farther gives the end. */
            if (!last->to_the_end &&
                (next->to_the_end || xylem_base__view_order(xylem_base__buffer_view(&next->high),
                                                            xylem_base__buffer_view(&last->high)) > 0)) {
                struct xylem_buffer high = last->high;
                last->high = next->high;
                last->to_the_end = next->to_the_end;
                next->high = high;
            }
            xylem_buffer_release(&next->low);
            xylem_buffer_release(&next->high);
        } else {
            salvage->holes[++kept] = *next;
        }
    }
    salvage->hole_count = kept + 1;
}

/* Needs joined holes. A binary search: a badly damaged store may have a hole for each page. */
static bool in_hole_of_tree(const struct xylem_repair__salvage *salvage, enum xylem_format__table table,
                            struct xylem_view key)
{
    size_t low = 0;
    size_t high = salvage->hole_count; /* of the first hole that begins behind the key */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct hole *hole = &salvage->holes[middle];
        bool behind = hole->table != table ? hole->table > table
                                           : xylem_base__view_order(xylem_base__buffer_view(&hole->low), key) > 0;
        if (behind) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    const struct hole *last = low > 0 ? &salvage->holes[low - 1] : NULL;
    return last && last->table == table &&
           (last->to_the_end || xylem_base__view_order(key, xylem_base__buffer_view(&last->high)) < 0);
}

/* As in_hole_of_tree(); every key is in a hole if the newest meta page is lost. */
static bool in_hole(const struct xylem_repair__salvage *salvage, enum xylem_format__table table, struct xylem_view key)
{
    return !salvage->file.newest_known || in_hole_of_tree(salvage, table, key);
}

/* Lists a damaged page. */
static int note_bad_page(struct xylem_repair__salvage *salvage, struct xylem_repair__bad_page page)
{
    struct xylem_repair__bad_page *bad_pages =
        xylem_base__with_room(salvage->bad_pages, &salvage->bad_capacity, salvage->bad_count, sizeof *bad_pages);
    if (!bad_pages) {
        return xylem_base__fail_memory(salvage->err);
    }
    salvage->bad_pages = bad_pages;
    salvage->bad_pages[salvage->bad_count++] = page;
    return XYLEM_OK;
}

/*
 * Lists a bad page that a tree leads to, and adds the page's hole. The hole begins behind the last row before the page,
 * if that key is smaller than `low`: a damaged parent may give too great a key.
 */
static int add_bad_page(struct xylem_repair__salvage *salvage, enum xylem_format__table table, uint64_t page,
                        const char *reason, struct xylem_view low, struct xylem_view high)
{
    uint64_t branch = table == XYLEM_FORMAT__LOG ? xylem_format__key_first(low) : 0;
    int code = note_bad_page(salvage, (struct xylem_repair__bad_page){table, page, branch, reason, false});
    if (code < 0) {
        return code;
    }
    xylem_repair__salvage_page_note(&salvage->pages, page, XYLEM_REPAIR__PAGE_CHILD);
    struct xylem_view behind = xylem_base__buffer_view(&salvage->behind_last);
    bool earlier = behind.bytes > 0 && xylem_base__view_order(behind, low) < 0;
    return add_hole(salvage, table, earlier ? behind : low, high);
}

/* --- Rows ------------------------------------------------------------------------------------------------------- */

/* Reads a node's value, cut at the end of the file. */
static int read_value(struct xylem_view *value, struct xylem_repair__salvage *salvage,
                      const struct xylem_pages__node *node)
{
    if (!(node->flags & XYLEM_PAGES__NODE_BIG)) {
        *value = (struct xylem_view){(const char *)node->data, (size_t)node->value_bytes};
        return XYLEM_OK;
    }
    xylem_base__buffer_clear(&salvage->value);
    if (xylem_pages__page_file_value(&salvage->value, &salvage->file, node->first_page, node->value_bytes) < 0) {
        return xylem_base__fail_memory(salvage->err);
    }
    *value = xylem_base__buffer_view(&salvage->value);
    return XYLEM_OK;
}

/* Proves the row of a node: 1; 0: the row does not prove itself. `row->table` MAIN_TABLE: any table. */
static int prove_node(struct xylem_repair__salvaged *row, struct xylem_repair__salvage *salvage,
                      const struct xylem_pages__node *node)
{
    struct xylem_view value;
    uint64_t limit = salvage->file.data_pages * salvage->file.page_bytes * WASTE_PER_BYTE;
    if (node->flags & XYLEM_PAGES__NODE_SUB) {
        return 0;
    }
    bool begins = node->first_page > 0 &&
                  xylem_pages__page_file_begins_value(&salvage->file, node->first_page, node->value_bytes);
    if (node->first_page > 0 && salvage->wasted_bytes[begins] > limit) {
        return 0;
    }
    int code = read_value(&value, salvage, node);
    if (code < 0) {
        return code;
    }
    bool proven = xylem_repair__salvage_prove(row, node->key, value, node->value_bytes);
    if (!proven && node->first_page > 0) {
        salvage->wasted_bytes[begins] += value.bytes;
    }
    /* The pages of a proven long value are read: the pages hold no nodes. */
    uint64_t count = xylem_pages__overflow_pages(node->value_bytes, salvage->file.page_bytes);
    for (uint64_t i = 0; proven && node->first_page > 0 && i < count; i++) {
        xylem_repair__salvage_page_note(&salvage->pages, node->first_page + i, XYLEM_REPAIR__PAGE_SEEN);
    }
    return proven;
}

/* --- Walking the trees ------------------------------------------------------------------------------------------ */

/* Reads a page into the next frame. Gives the contradiction to the page's parent; NULL: none, or no memory. */
static const char *enter_page(struct xylem_repair__salvage *salvage, uint64_t number)
{
    struct frame *frame = &salvage->frames[salvage->depth];
    if (!frame->page && !(frame->page = malloc(salvage->file.page_bytes))) {
        return NULL; /* the caller sees that the frame has no page */
    }
    if (number < XYLEM_PAGES__META_PAGES || number >= salvage->file.page_count) {
        return "lies beyond the end of the file";
    }
    if (xylem_repair__salvage_page_is(&salvage->pages, number, XYLEM_REPAIR__PAGE_SEEN)) {
        return "is reached twice";
    }
    if (!xylem_pages__page_file_read(frame->page, &salvage->file, number)) {
        return "cannot be read";
    }
    unsigned flags = xylem_pages__page_flags(frame->page);
    frame->number = number;
    frame->index = 0;
    frame->count = xylem_pages__page_node_count(frame->page, salvage->file.page_bytes);
    bool right = xylem_pages__page_number_at(frame->page, 8) == number && frame->count > 0 &&
                 (flags == XYLEM_PAGES__PAGE_LEAF || flags == XYLEM_PAGES__PAGE_BRANCH);
    return right ? NULL : "is not a page of a tree";
}

/* Goes down to a page; notes a bad page and its hole if the page contradicts its parent. */
static int descend(struct xylem_repair__salvage *salvage, enum xylem_format__table table, uint64_t number,
                   struct xylem_view low, struct xylem_view high)
{
    const char *reason = "lies deeper than any tree can be";
    if (salvage->depth < XYLEM_PAGES__TREE_DEPTH_MAX) {
        reason = enter_page(salvage, number);
        if (!salvage->frames[salvage->depth].page) {
            return xylem_base__fail_memory(salvage->err);
        }
    }
    if (reason) {
        return add_bad_page(salvage, table, number, reason, low, high);
    }
    salvage->frames[salvage->depth].low = low;
    salvage->frames[salvage->depth].high = high;
    salvage->depth++;
    if (xylem_pages__page_flags(salvage->frames[salvage->depth - 1].page) == XYLEM_PAGES__PAGE_BRANCH) {
        xylem_repair__salvage_page_note(&salvage->pages, number, XYLEM_REPAIR__PAGE_SEEN);
    }
    return XYLEM_OK;
}

/* Takes a node of a leaf: 1; 0: a row that does not prove itself. A record without its sum is kept for quarantine. */
static int take_node(struct xylem_repair__salvage *salvage, enum xylem_format__table table, uint64_t page,
                     const struct xylem_pages__node *node)
{
    int code;
    if (table == MAIN_TABLE) { /* the node may describe a table, with its root */
        bool root = node->flags & XYLEM_PAGES__NODE_SUB && node->value_bytes == XYLEM_PAGES__TREE_BYTES;
        for (unsigned i = 0; root && i < XYLEM_FORMAT__TABLE_COUNT; i++) {
            if (xylem_base__view_is(node->key, xylem_format__table_name((enum xylem_format__table)i))) {
                salvage->trees[i].known = true;
                salvage->trees[i].tree = xylem_pages__tree_at(node->data);
            }
        }
        return 1;
    }
    if (table == FREE_LIST) {
        struct xylem_view value;
        if ((code = read_value(&value, salvage, node)) < 0) {
            return code;
        }
        xylem_repair__salvage_pages_free(&salvage->pages, node->key, value, node->value_bytes);
        return 1;
    }
    salvage->trees[table].reached++;
    struct xylem_repair__salvaged row = {
        .table = table, .flags = XYLEM_REPAIR__ROW_REACHED, .page = page, .offset = (uint32_t)node->offset};
    int proven = prove_node(&row, salvage, node);
    struct xylem_position position;
    bool kept = proven > 0 || (proven == 0 && table == XYLEM_FORMAT__LOG &&
                               xylem_format__key_read_pair(&position.branch, &position.depth, node->key));
    if (kept && (code = add_row(salvage, &row)) < 0) {
        return code;
    }
    return proven;
}

/*
 * Takes the rows of a leaf. LMDB packs nodes:
 *
 *   | header | offsets of nodes -> | free: older nodes may be left | <- nodes fill the page from here |
 *                                                                  ^ upper
 *
 * If a row does not prove itself, or the listed nodes do not fill the page from `upper` on, the leaf is a hole, and the
 * scan looks at the leaf again.
 */
static int take_leaf(struct xylem_repair__salvage *salvage, enum xylem_format__table table, const struct frame *frame)
{
    size_t upper = xylem_pages__page_upper(frame->page);
    size_t filled = 0;
    bool whole = true;
    bool legible = true;
    for (size_t i = 0; i < frame->count; i++) {
        struct xylem_pages__node node;
        int taken = 0;
        bool readable = xylem_pages__page_file_node(&node, frame->page, &salvage->file, i) && node.offset >= upper;
        legible = legible && readable;
        if (readable) {
            filled += node.end - node.offset;
            taken = take_node(salvage, table, frame->number, &node);
        }
        if (taken < 0) {
            return taken;
        }
        whole = whole && taken > 0;
    }
    legible = legible && filled == salvage->file.page_bytes - upper;
    if (table == MAIN_TABLE || (whole && legible)) {
        /* A page of the free list stays unseen: the scan looks for older rows between the rows of the list. */
        unsigned note = table == FREE_LIST ? XYLEM_REPAIR__PAGE_NOT_LOST : XYLEM_REPAIR__PAGE_SEEN;
        struct xylem_pages__node last;
        xylem_repair__salvage_page_note(&salvage->pages, frame->number, note);
        if (!xylem_pages__page_file_node(&last, frame->page, &salvage->file, frame->count - 1)) {
            return XYLEM_OK;
        }
        xylem_base__buffer_clear(&salvage->behind_last);
        bool added = xylem_buffer_add(&salvage->behind_last, last.key.data, last.key.bytes) == XYLEM_OK &&
                     xylem_buffer_add(&salvage->behind_last, "", 1) == XYLEM_OK;
        return added ? XYLEM_OK : xylem_base__fail_memory(salvage->err);
    }
    int code = add_bad_page(salvage, table, frame->number, "has damaged rows", frame->low, frame->high);
    if (code == XYLEM_OK) {
        salvage->bad_pages[salvage->bad_count - 1].legible = legible;
    }
    return code;
}

/* True if the key of a branch page's node is in order with the keys beside and within the page's bounds. */
static bool key_in_place(struct xylem_pages__node *node, const struct xylem_repair__salvage *salvage,
                         const struct frame *frame, size_t index)
{
    struct xylem_pages__node beside;
    if (!xylem_pages__page_file_node(node, frame->page, &salvage->file, index) ||
        node->offset < xylem_pages__page_upper(frame->page) || xylem_base__view_order(node->key, frame->low) < 0 ||
        (frame->high.data && xylem_base__view_order(node->key, frame->high) >= 0)) {
        return false;
    }
    /* The key of the first node has no meaning. */
    if (index > 1 && xylem_pages__page_file_node(&beside, frame->page, &salvage->file, index - 1) &&
        xylem_base__view_order(beside.key, node->key) >= 0) {
        return false;
    }
    return !xylem_pages__page_file_node(&beside, frame->page, &salvage->file, index + 1) ||
           xylem_base__view_order(node->key, beside.key) < 0;
}

/*
 * The bounds of the keys below a node of a branch page, by the nearest nodes with keys in place. Of two keys out of
 * order either may be damaged: neither key counts, so that no lost row lies outside of its hole.
 */
static void bound_child(struct xylem_view *low, struct xylem_view *high, const struct xylem_repair__salvage *salvage,
                        const struct frame *frame, size_t index)
{
    struct xylem_pages__node node;
    *low = frame->low;
    *high = frame->high;
    for (size_t i = index; i > 0 && index - i < BOUND_STEPS_MAX; i--) {
        if (key_in_place(&node, salvage, frame, i)) {
            *low = node.key;
            break;
        }
    }
    for (size_t i = index + 1; i < frame->count && i - index <= BOUND_STEPS_MAX; i++) {
        if (key_in_place(&node, salvage, frame, i)) {
            *high = node.key;
            break;
        }
    }
}

/* Walks a tree from its root, and takes all leaves. */
static int walk(struct xylem_repair__salvage *salvage, enum xylem_format__table table, uint64_t root)
{
    salvage->depth = 0;
    xylem_base__buffer_clear(&salvage->behind_last);
    int code = root == XYLEM_PAGES__NO_PAGE ? XYLEM_OK : descend(salvage, table, root, least_key, no_bound);
    while (code == XYLEM_OK && salvage->depth > 0) {
        struct frame *frame = &salvage->frames[salvage->depth - 1];
        struct xylem_pages__node node;
        struct xylem_view low;
        struct xylem_view high;
        if (xylem_pages__page_flags(frame->page) == XYLEM_PAGES__PAGE_LEAF) {
            salvage->depth--;
            code = take_leaf(salvage, table, frame);
            continue;
        }
        if (frame->index == frame->count) {
            salvage->depth--;
            continue;
        }
        size_t index = frame->index++;
        bound_child(&low, &high, salvage, frame, index);
        bool readable = xylem_pages__page_file_node(&node, frame->page, &salvage->file, index);
        code = readable ? descend(salvage, table, node.child, low, high)
                        : add_bad_page(salvage, table, frame->number, "has a node that cannot be read", low, high);
    }
    return code;
}

static uint64_t pages_of(const struct xylem_pages__tree *tree)
{
    return tree->branch_pages + tree->leaf_pages + tree->overflow_pages;
}

/*
 * Reads the free list, after the tables. A reached row on a free page may be older: tree or list is wrong. A damaged
 * list is a bad page, and no loss.
 */
static int walk_free_list(struct xylem_repair__salvage *salvage)
{
    size_t bad_count = salvage->bad_count;
    if (salvage->file.newest < 0) {
        return XYLEM_OK;
    }
    const struct xylem_pages__meta *meta = &salvage->file.metas[salvage->file.newest];
    int code = walk(salvage, FREE_LIST, meta->free_list.root);
    if (code < 0) {
        return code;
    }
    salvage->pages.free_list_damaged = salvage->pages.free_list_damaged || bad_count != salvage->bad_count;
    /* The pages of all trees of the newest commit are known unless the root of a tree is lost. */
    uint64_t used_count = pages_of(&meta->main_table) + pages_of(&meta->free_list);
    bool known = true;
    for (size_t i = 0; known && i < XYLEM_FORMAT__TABLE_COUNT; i++) {
        known = salvage->trees[i].known;
        used_count += pages_of(&salvage->trees[i].tree);
    }
    xylem_repair__salvage_pages_judge(&salvage->pages, known ? used_count : UINT64_MAX);
    for (size_t i = 0; i < salvage->row_count; i++) {
        bool is_free = xylem_repair__salvage_page_is(&salvage->pages, salvage->rows[i].page, XYLEM_REPAIR__PAGE_FREE);
        salvage->rows[i].flags |= is_free ? XYLEM_REPAIR__ROW_OLDER : 0u;
    }
    return XYLEM_OK;
}

/* Walks the table of tables, then each table. A table without a root, and a table with missing rows, is one hole. */
static int walk_tables(struct xylem_repair__salvage *salvage)
{
    int newest = salvage->file.newest;
    int code = newest < 0 ? XYLEM_OK : walk(salvage, MAIN_TABLE, salvage->file.metas[newest].main_table.root);
    for (unsigned i = 0; code == XYLEM_OK && i < XYLEM_FORMAT__TABLE_COUNT; i++) {
        enum xylem_format__table table = (enum xylem_format__table)i;
        size_t holes = salvage->hole_count;
        if (table == XYLEM_FORMAT__IDS || table == XYLEM_FORMAT__FEED || table == XYLEM_FORMAT__OUTLINES) {
            continue; /* made anew from the records; outlines by the next refresh */
        }
        if (!salvage->trees[i].known) {
            code = add_bad_page(salvage, table, XYLEM_PAGES__NO_PAGE,
                                "the root of the table's tree is lost: all pages were searched for rows of the table",
                                least_key, no_bound);
            continue;
        }
        code = walk(salvage, table, salvage->trees[i].tree.root);
        if (code == XYLEM_OK && holes == salvage->hole_count &&
            salvage->trees[i].reached != salvage->trees[i].tree.rows) {
            code = add_hole(salvage, table, least_key, no_bound); /* rows are missing anywhere */
        }
    }
    return code;
}

/* --- Scanning pages without a tree ------------------------------------------------------------------------------ */

/*
 * Takes a possible node: 1 for a proven record, 2 for a proven row of another table, 0 else.
 *
 *   a proven record                              kept: an older leaf in place of a leaf makes no hole
 *   a proven row of another table                kept in a hole
 *   an unproven node in the form of a record     kept in a hole
 *   anything else                                dropped
 */
static int scan_node(struct xylem_repair__salvage *salvage, uint64_t page, const struct xylem_pages__node *node,
                     bool current)
{
    struct xylem_repair__salvaged row = {.table = MAIN_TABLE, .page = page, .offset = (uint32_t)node->offset};
    int proven = prove_node(&row, salvage, node);
    if (proven < 0) {
        return proven;
    }
    row.table = proven ? row.table : XYLEM_FORMAT__LOG;
    bool record = row.table == XYLEM_FORMAT__LOG;
    bool hole = in_hole(salvage, row.table, node->key);
    row.flags |= hole ? XYLEM_REPAIR__ROW_IN_HOLE : 0u;
    row.flags |= current ? 0u : XYLEM_REPAIR__ROW_OLDER;
    struct xylem_position position;
    bool like_a_record = xylem_format__key_read_pair(&position.branch, &position.depth, node->key) &&
                         position.depth > 0 && node->value_bytes >= XYLEM_FORMAT__RECORD_BYTES_MIN;
    bool kept = proven ? record || hole : like_a_record && hole;
    int code = kept ? add_row(salvage, &row) : XYLEM_OK;
    if (code < 0 || proven == 0) {
        return code;
    }
    return record ? 1 : 2;
}

/* The state of the scan of one page. */
struct scanned {
    size_t first;     /* the least offset of a record */
    size_t looked_at; /* bytes of nodes so far */
    bool records;     /* the page has proven records */
    bool full;        /* the page's own nodes fill the page */
    bool in_use;      /* full, and the own nodes are of the newest commit */
    size_t proven;    /* own nodes that prove themselves */
    size_t unproven;  /* own nodes that do not */
};

/* Notes on an offset of the scanned page. */
#define OFFSET_LISTED 1u /* the page's list has the offset: an own node of the page */
#define OFFSET_TRIED 2u

/*
 * Marks the own nodes of a page: the nodes on the page's list of offsets. LMDB leaves nodes of earlier commits between
 * the own nodes. True if the own nodes fill the page: then list and nodes are of the same page and the same commit.
 */
static bool find_own_nodes(struct xylem_repair__salvage *salvage)
{
    size_t page_bytes = salvage->file.page_bytes;
    size_t upper = xylem_pages__page_upper(salvage->page);
    size_t count = xylem_pages__page_node_count(salvage->page, page_bytes);
    size_t filled = 0;
    bool leaf = xylem_pages__page_flags(salvage->page) != XYLEM_PAGES__PAGE_BRANCH; /* garbled flags count as a leaf */
    memset(salvage->offsets, 0, page_bytes);
    for (size_t i = 0; i < count; i++) {
        struct xylem_pages__node node;
        size_t offset = xylem_pages__page_node_offset(salvage->page, i);
        bool inside = offset >= upper && offset < page_bytes;
        bool readable = inside && salvage->offsets[offset] == 0 &&
                        xylem_pages__page_file_node_at(&node, salvage->page, &salvage->file, offset, leaf);
        filled += readable ? node.end - node.offset : page_bytes; /* page_bytes: the sum never fits */
        if (inside) {
            salvage->offsets[offset] = OFFSET_LISTED;
        }
    }
    return count > 0 && filled == page_bytes - upper;
}

bool xylem_repair__is_zero(struct xylem_view bytes)
{
    return bytes.bytes == 0 || (bytes.data[0] == 0 && memcmp(bytes.data, bytes.data + 1, bytes.bytes - 1) == 0);
}

/*
 * True if a page looks as a commit wrote the page:
 *
 *   first page of a long value     flags and number are right; the header has the number of pages of the value
 *   later page of a long value     any bytes but zero, and not the page's number in the place of a number
 *   page of a tree                 flags and number are right, and the list is full; all own nodes prove themselves, or
 *                                  none does, as in a table without sums
 */
static bool is_written_page(struct xylem_repair__salvage *salvage, uint64_t number, const struct scanned *scanned)
{
    const unsigned char *page = salvage->page;
    unsigned kind = xylem_pages__page_flags(page);
    bool numbered = xylem_pages__page_number_at(page, 8) == number;
    if (numbered && kind == XYLEM_PAGES__PAGE_OVERFLOW) {
        salvage->value_end = number + xylem_pages__page_number_at(page + XYLEM_PAGES__PAGE_COUNT_OFFSET, 4);
        return true;
    }
    struct xylem_view bytes = {(const char *)page, salvage->file.page_bytes};
    if (number < salvage->value_end && !numbered && !xylem_repair__is_zero(bytes)) {
        return true;
    }
    bool of_a_tree = kind == XYLEM_PAGES__PAGE_LEAF || kind == XYLEM_PAGES__PAGE_BRANCH;
    return of_a_tree && numbered && scanned->full && (scanned->proven == 0 || scanned->unproven == 0);
}

/*
 * Scans a page as a leaf, whatever the flags say. Each entry of the list of offsets may be the beginning of a node.
 * Nodes are packed, so the end of a node is the next node's beginning. The scan ends after nodes of two pages' bytes.
 */
static int scan_page(struct xylem_repair__salvage *salvage, uint64_t number)
{
    size_t page_bytes = salvage->file.page_bytes;
    size_t begin = salvage->row_count;
    uint64_t stated = xylem_pages__page_number_at(salvage->page, 8);
    struct scanned scanned = {.first = page_bytes, .full = find_own_nodes(salvage)};
    scanned.in_use = scanned.full && xylem_repair__salvage_page_in_use(&salvage->pages, number, stated);
    for (size_t at = XYLEM_PAGES__PAGE_HEADER_BYTES; at + 2 <= scanned.first && scanned.looked_at <= 2 * page_bytes;
         at += 2) {
        size_t offset = (size_t)xylem_pages__page_number_at(salvage->page + at, 2);
        struct xylem_pages__node node;
        while (offset < page_bytes && scanned.looked_at <= 2 * page_bytes &&
               !(salvage->offsets[offset] & OFFSET_TRIED) &&
               xylem_pages__page_file_node_at(&node, salvage->page, &salvage->file, offset, true)) {
            bool own = (salvage->offsets[offset] & OFFSET_LISTED) != 0;
            salvage->offsets[offset] |= OFFSET_TRIED;
            scanned.looked_at += node.end - offset;
            int taken = scan_node(salvage, number, &node, own && scanned.in_use);
            if (taken < 0) {
                return taken;
            }
            scanned.proven += own && taken > 0;
            /* An unproven long value proves no damage of this page: other rows may use the pages of the value. */
            scanned.unproven += own && taken == 0 && !(node.flags & XYLEM_PAGES__NODE_BIG);
            scanned.records = scanned.records || taken == 1;
            scanned.first = taken == 1 && offset < scanned.first ? offset : scanned.first;
            offset = node.end;
        }
    }
    if (is_written_page(salvage, number, &scanned)) {
        xylem_repair__salvage_page_note(&salvage->pages, number, XYLEM_REPAIR__PAGE_NOT_LOST);
    }
    /* A page without a proven record is no leaf of the log: its unproven rows are dropped. */
    size_t kept = begin;
    for (size_t i = begin; i < salvage->row_count; i++) {
        if (scanned.records || salvage->rows[i].flags & XYLEM_REPAIR__ROW_PROVEN) {
            salvage->rows[kept++] = salvage->rows[i];
        }
    }
    salvage->row_count = kept;
    return XYLEM_OK;
}

/*
 * Scans all pages without the note SEEN. If the newest commit is unknown and a page of the commit may be lost, the
 * commit may have redacted or deleted any row: all rows become older.
 */
static int scan(struct xylem_repair__salvage *salvage)
{
    const struct xylem_pages__page_file *file = &salvage->file;
    int code = XYLEM_OK;
    for (size_t i = 0; i < file->extent_count; i++) {
        const struct xylem_pages__extent *extent = &file->extents[i];
        for (uint64_t number = extent->first; code == XYLEM_OK && number - extent->first < extent->count; number++) {
            if (xylem_repair__salvage_page_is(&salvage->pages, number, XYLEM_REPAIR__PAGE_SEEN)) {
                continue;
            }
            if (xylem_pages__page_file_read(salvage->page, file, number)) {
                code = scan_page(salvage, number);
            } else if (!xylem_repair__salvage_page_is(&salvage->pages, number, XYLEM_REPAIR__PAGE_CHILD)) {
                code = note_bad_page(salvage,
                                     (struct xylem_repair__bad_page){MAIN_TABLE, number, 0, "cannot be read", false});
            } /* else: the walk listed the page */
        }
    }
    salvage->hidden = !file->newest_known && xylem_repair__salvage_pages_hide(&salvage->pages);
    for (size_t i = 0; salvage->hidden && i < salvage->row_count; i++) {
        salvage->rows[i].flags |= XYLEM_REPAIR__ROW_OLDER;
    }
    return code;
}

/* --- Choosing --------------------------------------------------------------------------------------------------- */

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_places(const struct xylem_repair__salvaged *a, const struct xylem_repair__salvaged *b)
{
    int order = compare_numbers(a->table, b->table);
    order = order ? order : compare_numbers(a->first, b->first);
    order = order ? order : compare_numbers(a->second, b->second);
    return order ? order : compare_numbers(a->key_hash, b->key_hash);
}

static int compare_rows(const void *left, const void *right)
{
    const struct xylem_repair__salvaged *a = left;
    const struct xylem_repair__salvaged *b = right;
    int order = compare_places(a, b);
    order = order ? order : compare_numbers(a->page, b->page);
    return order ? order : compare_numbers(a->offset, b->offset);
}

static bool has(const struct xylem_repair__salvaged *row, unsigned flags)
{
    return (row->flags & flags) == flags;
}

/* True if the row is of the newest commit. */
static bool is_current(const struct xylem_repair__salvaged *row)
{
    return !has(row, XYLEM_REPAIR__ROW_OLDER);
}

/* The row with `true` counts: 1 for the first, -1 for the second, 0 for a tie. */
static int prefer(bool first, bool second)
{
    return (int)first - (int)second;
}

/* The degree of an entry's redaction: 0 none, 1 the payload, 2 the payload and its hash. */
static uint64_t redaction(const struct xylem_repair__salvaged *row)
{
    return (uint64_t)has(row, XYLEM_REPAIR__ROW_REDACTED) + (uint64_t)has(row, XYLEM_REPAIR__ROW_HASH_DROPPED);
}

/* True for two states of one entry. A redaction changes the record; a dropped hash also changes the later checks. */
static bool of_one_entry(const struct xylem_repair__salvaged *a, const struct xylem_repair__salvaged *b)
{
    return a->newness == b->newness && a->entry == b->entry;
}

/*
 * Chooses between two records at one position. The first difference decides:
 *
 *   1. a proven record over an unproven record
 *   2. of two proven records of different entries, one was never committed: the current, the reached, the later record
 *   3. the more redacted copy: a redacted text must not come back from a free page, nor by an older meta page
 *   4. the copy with its payload, then the copy with its line: the hashes of either copy prove both
 *   5. the current copy, then the reached copy
 */
static int prefer_record(const struct xylem_repair__salvaged *a, const struct xylem_repair__salvaged *b)
{
    int order = prefer(has(a, XYLEM_REPAIR__ROW_PROVEN), has(b, XYLEM_REPAIR__ROW_PROVEN));
    if (order == 0 && has(a, XYLEM_REPAIR__ROW_PROVEN) && !of_one_entry(a, b)) {
        order = prefer(is_current(a), is_current(b));
        order = order ? order : prefer(has(a, XYLEM_REPAIR__ROW_REACHED), has(b, XYLEM_REPAIR__ROW_REACHED));
        order = order ? order : compare_numbers(a->newness, b->newness);
    }
    order = order ? order : compare_numbers(redaction(a), redaction(b));
    order = order ? order : prefer(has(b, XYLEM_REPAIR__ROW_PAYLOAD_LOST), has(a, XYLEM_REPAIR__ROW_PAYLOAD_LOST));
    order = order ? order : prefer(has(b, XYLEM_REPAIR__ROW_LINE_LOST), has(a, XYLEM_REPAIR__ROW_LINE_LOST));
    order = order ? order : prefer(is_current(a), is_current(b));
    return order ? order : prefer(has(a, XYLEM_REPAIR__ROW_REACHED), has(b, XYLEM_REPAIR__ROW_REACHED));
}

/*
 * Chooses between two rows of one key: the current, then the reached row, unless a newer transaction may be lost; then
 * the newer row; then the row of a deleted session, as a deletion can be undone.
 */
static int prefer_row(const struct xylem_repair__salvage *salvage, const struct xylem_repair__salvaged *a,
                      const struct xylem_repair__salvaged *b)
{
    if (a->table == XYLEM_FORMAT__LOG) {
        return prefer_record(a, b);
    }
    int order = 0;
    if (salvage->file.newest_known) {
        order = prefer(is_current(a), is_current(b));
        order = order ? order : prefer(has(a, XYLEM_REPAIR__ROW_REACHED), has(b, XYLEM_REPAIR__ROW_REACHED));
    }
    order = order ? order : compare_numbers(a->newness, b->newness);
    return order ? order : compare_numbers(a->detail, b->detail);
}

/* True for two copies of one row. */
static bool is_same(const struct xylem_repair__salvaged *a, const struct xylem_repair__salvaged *b)
{
    return a->table == XYLEM_FORMAT__LOG ? of_one_entry(a, b) : a->newness == b->newness && a->detail == b->detail;
}

/* Keeps one row for each key. The kept row is reached, in a hole or current if any copy of the row is. */
static void choose(struct xylem_repair__salvage *salvage)
{
    size_t kept = 0;
    if (salvage->row_count > 0) {
        qsort(salvage->rows, salvage->row_count, sizeof *salvage->rows, compare_rows);
    }
    for (size_t i = 0; i < salvage->row_count; i++) {
        struct xylem_repair__salvaged *row = &salvage->rows[i];
        struct xylem_repair__salvaged *last = kept > 0 ? &salvage->rows[kept - 1] : NULL;
        if (!last || compare_places(last, row) != 0) {
            salvage->rows[kept++] = *row;
            continue;
        }
        unsigned where = XYLEM_REPAIR__ROW_REACHED | XYLEM_REPAIR__ROW_IN_HOLE;
        unsigned both = is_same(last, row) ? (last->flags | row->flags) & where : 0u;
        bool current = is_same(last, row) && redaction(last) == redaction(row) && (is_current(last) || is_current(row));
        if (prefer_row(salvage, row, last) > 0) {
            *last = *row;
        }
        last->flags |= both;
        last->flags &= current ? ~XYLEM_REPAIR__ROW_OLDER : ~0u;
    }
    salvage->row_count = kept;
    for (size_t i = 0; i < kept; i++) {
        enum xylem_format__table table = salvage->rows[i].table;
        salvage->tables[table].begin = salvage->tables[table].count == 0 ? i : salvage->tables[table].begin;
        salvage->tables[table].count++;
    }
}

/* --- The calls -------------------------------------------------------------------------------------------------- */

int xylem_repair__salvage_new(struct xylem_repair__salvage **salvage, const char *path, struct xylem_error *err)
{
    struct xylem_repair__salvage *made = calloc(1, sizeof *made);
    if (!made) {
        return xylem_base__fail_memory(err);
    }
    made->err = err;
    made->page_number = XYLEM_PAGES__NO_PAGE;
    int code;
    if ((code = xylem_pages__page_file_open(&made->file, path, err)) < 0 ||
        (code = xylem_repair__salvage_pages_init(&made->pages, &made->file, err)) < 0) {
        goto failed;
    }
    made->page = malloc(made->file.page_bytes);
    made->offsets = malloc(made->file.page_bytes);
    if (!made->page || !made->offsets) {
        code = xylem_base__fail_memory(err);
        goto failed;
    }
    if ((code = walk_tables(made)) < 0 || (code = walk_free_list(made)) < 0) {
        goto failed;
    }
    join_holes(made);
    if ((code = scan(made)) < 0) {
        goto failed;
    }
    choose(made);
    /*
     * If the newest commit is unknown, and had a redaction or a deletion, all rows of sessions are older: a commit that
     * deletes and frees a session leaves no newer row of the session.
     */
    const struct xylem_repair__salvaged *row = xylem_repair__salvage_meta(made, XYLEM_FORMAT__META_REMOVED);
    bool newer = !made->file.newest_known && row && !has(row, XYLEM_REPAIR__ROW_REACHED);
    for (size_t i = 0; newer && i < made->tables[XYLEM_FORMAT__SESSIONS].count; i++) {
        made->rows[made->tables[XYLEM_FORMAT__SESSIONS].begin + i].flags |= XYLEM_REPAIR__ROW_OLDER;
    }
    made->err = NULL; /* the caller's struct may be gone before the next call */
    *salvage = made;
    return XYLEM_OK;
failed:
    xylem_repair__salvage_free(made);
    return code;
}

void xylem_repair__salvage_free(struct xylem_repair__salvage *salvage)
{
    if (!salvage) {
        return;
    }
    for (size_t i = 0; i < salvage->hole_count; i++) {
        xylem_buffer_release(&salvage->holes[i].low);
        xylem_buffer_release(&salvage->holes[i].high);
    }
    for (size_t i = 0; i < XYLEM_PAGES__TREE_DEPTH_MAX; i++) {
        free(salvage->frames[i].page);
    }
    free(salvage->holes);
    free(salvage->bad_pages);
    free(salvage->rows);
    xylem_repair__salvage_pages_release(&salvage->pages);
    free(salvage->page);
    free(salvage->offsets);
    xylem_buffer_release(&salvage->value);
    xylem_buffer_release(&salvage->behind_last);
    xylem_pages__page_file_close(&salvage->file);
    free(salvage);
}

struct xylem_repair__rows xylem_repair__salvage_rows(const struct xylem_repair__salvage *salvage,
                                                     enum xylem_format__table table)
{
    size_t count = salvage->tables[table].count;
    return (struct xylem_repair__rows){count > 0 ? salvage->rows + salvage->tables[table].begin : NULL, count};
}

static int changed(const struct xylem_repair__salvage *salvage, struct xylem_error *err)
{
    return xylem_base__fail(err, XYLEM_E_BUSY,
                            "%s changed while it was read: end the programs that write to it, and try again",
                            salvage->file.path);
}

int xylem_repair__salvage_read(struct xylem_repair__content *content, struct xylem_repair__salvage *salvage,
                               const struct xylem_repair__salvaged *row, struct xylem_error *err)
{
    struct xylem_pages__node node;
    struct xylem_view page;
    int code = xylem_repair__salvage_page(&page, salvage, row->page, err);
    if (code < 0) {
        return code;
    }
    if (!xylem_pages__page_file_node_at(&node, salvage->page, &salvage->file, row->offset, true)) {
        return changed(salvage, err);
    }
    salvage->err = err;
    code = read_value(&content->value, salvage, &node);
    salvage->err = NULL;
    if (code < 0) {
        return code;
    }
    struct xylem_repair__salvaged again = {.table = row->table};
    bool proven = (row->flags & XYLEM_REPAIR__ROW_PROVEN) != 0;
    if (proven && (!xylem_repair__salvage_prove(&again, node.key, content->value, node.value_bytes) ||
                   again.key_hash != row->key_hash || again.detail != row->detail)) {
        return changed(salvage, err);
    }
    if (proven && row->table != XYLEM_FORMAT__LOG) {
        content->value.bytes -= xylem_format__row_sum_bytes((enum xylem_format__table)row->table);
    }
    content->key = node.key;
    content->value_bytes = node.value_bytes;
    content->offset = node.first_page > 0
                          ? node.first_page * salvage->file.page_bytes + XYLEM_PAGES__PAGE_HEADER_BYTES
                          : row->page * salvage->file.page_bytes + (uint64_t)(node.data - salvage->page);
    return XYLEM_OK;
}

int xylem_repair__salvage_page(struct xylem_view *bytes, struct xylem_repair__salvage *salvage, uint64_t page,
                               struct xylem_error *err)
{
    if (salvage->page_number != page) {
        salvage->page_number = XYLEM_PAGES__NO_PAGE;
        if (!xylem_pages__page_file_read(salvage->page, &salvage->file, page)) {
            return changed(salvage, err);
        }
        salvage->page_number = page;
    }
    uint64_t there = salvage->file.file_bytes - page * salvage->file.page_bytes;
    bytes->data = (const char *)salvage->page;
    bytes->bytes = there < salvage->file.page_bytes ? (size_t)there : salvage->file.page_bytes;
    return XYLEM_OK;
}

uint64_t xylem_repair__salvage_page_bytes(const struct xylem_repair__salvage *salvage)
{
    return salvage->file.page_bytes;
}

const struct xylem_repair__bad_page *xylem_repair__salvage_bad_pages(size_t *count,
                                                                     const struct xylem_repair__salvage *salvage)
{
    *count = salvage->bad_count;
    return salvage->bad_pages;
}

bool xylem_repair__salvage_up_to_date(const struct xylem_repair__salvage *salvage)
{
    return salvage->file.newest_known;
}

const struct xylem_repair__salvaged *xylem_repair__salvage_meta(const struct xylem_repair__salvage *salvage,
                                                                const char *name)
{
    struct xylem_repair__rows rows = xylem_repair__salvage_rows(salvage, XYLEM_FORMAT__META);
    uint64_t hash = xylem_format__hash(xylem_view_of(name));
    for (size_t i = 0; i < rows.count; i++) {
        if (rows.list[i].key_hash == hash) {
            return &rows.list[i];
        }
    }
    return NULL;
}

struct xylem_repair__removed xylem_repair__salvage_removed(const struct xylem_repair__salvage *salvage)
{
    const struct xylem_repair__salvaged *row = xylem_repair__salvage_meta(salvage, XYLEM_FORMAT__META_REMOVED);
    /* A file without a sane meta page has no tree and no holes: only `hidden` tells of a lost row `removed`. */
    bool tree = salvage->file.newest >= 0;
    bool hole = tree && in_hole_of_tree(salvage, XYLEM_FORMAT__META, xylem_view_of(XYLEM_FORMAT__META_REMOVED));
    bool known = salvage->file.newest_known ? (row && is_current(row)) || !hole : !hole && !salvage->hidden;
    if (!known) {
        return (struct xylem_repair__removed){UINT64_MAX, UINT64_MAX};
    }
    return row ? (struct xylem_repair__removed){row->detail, row->entry} : (struct xylem_repair__removed){0, 0};
}

bool xylem_repair__salvage_in_hole(const struct xylem_repair__salvage *salvage, enum xylem_format__table table,
                                   uint64_t number)
{
    struct xylem_format__key key;
    xylem_format__key_u64(&key, number);
    return in_hole(salvage, table, key.view);
}

bool xylem_repair__salvage_row_count(uint64_t *count, const struct xylem_repair__salvage *salvage,
                                     enum xylem_format__table table)
{
    *count = salvage->trees[table].tree.rows;
    return salvage->trees[table].known && salvage->file.newest_known;
}

int xylem_repair__salvage_unchanged(struct xylem_repair__salvage *salvage, struct xylem_error *err)
{
    return xylem_pages__page_file_unchanged(&salvage->file) ? XYLEM_OK : changed(salvage, err);
}
