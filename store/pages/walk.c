#include "store/pages/walk.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/value.h"
#include "store/pages/copy.h"

#define PROGRESS_PAGES 64u
#define COPIED_BYTES 16384u /* of a big value, at once */

/* The keys of a page are >= low and < high. NULL: unbounded on this side. */
struct bounds {
    struct xylem_view low;
    struct xylem_view high;
};

__attribute__((format(printf, 3, 0))) static void report(struct xylem_pages__walk *walk, uint64_t page,
                                                         const char *format, va_list arguments)
{
    char text[XYLEM_ERROR_TEXT_BYTES];
    struct xylem_error escaped;
    struct xylem_pages__check *check = walk->check;
    int bytes = walk->name && !walk->table ? snprintf(text, sizeof text, "%s: ", walk->name) : 0;
    vsnprintf(text + bytes, sizeof text - (size_t)bytes, format, arguments);
    xylem_base__fail(&escaped, XYLEM_E_CORRUPT, "%s", text);
    walk->problem_count++;
    check->found->problem_count++;
    if (check->code == XYLEM_OK &&
        check->listener->problem(check->listener->context, page, walk->table, escaped.text) != 0) {
        check->code = xylem_base__fail(check->err, XYLEM_E_STOPPED, "the check of the pages was stopped by the caller");
    }
}

void xylem_pages__page_problem(struct xylem_pages__walk *walk, uint64_t page, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    walk->unsound = true;
    report(walk, page, format, arguments);
    va_end(arguments);
}

void xylem_pages__page_blemish(struct xylem_pages__walk *walk, uint64_t page, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(walk, page, format, arguments);
    va_end(arguments);
}

/* --- Pages ------------------------------------------------------------------------------------------------------- */

/* Notes that something leads to the page. False if the page is impossible, or was reached before. */
static bool claim(struct xylem_pages__walk *walk, uint64_t page)
{
    struct xylem_pages__check *check = walk->check;
    if (page < XYLEM_PAGES__META_PAGES || page > check->last_page) {
        xylem_pages__page_problem(walk, page,
                                  "is in use, but only the pages from %u to %" PRIu64 " can belong to a table",
                                  XYLEM_PAGES__META_PAGES, check->last_page);
        return false;
    }
    if (page >= check->file_pages) {
        xylem_pages__page_problem(
            walk, page, "is in use, but lies beyond the end of the file (%" PRIu64 " pages): the file was truncated",
            check->file_pages);
        return false;
    }
    assert(page < check->bit_count);
    if (!xylem_pages__page_bit_take(check->used, page)) {
        xylem_pages__page_problem(walk, page, "is reached twice");
        return false;
    }
    if (xylem_pages__page_bit(check->freed, page)) {
        xylem_pages__page_blemish(walk, page,
                                  "is in use, and the free list names the page: a writer would overwrite it");
    }
    check->found->used_count++;
    if (check->found->used_count % PROGRESS_PAGES == 0 && check->listener->progress && check->code == XYLEM_OK &&
        check->listener->progress(check->listener->context, check->found->used_count) != 0) {
        check->code = xylem_base__fail(check->err, XYLEM_E_STOPPED, "the check of the pages was stopped by the caller");
    }
    return true;
}

bool xylem_pages__page_read(struct xylem_pages__walk *walk, unsigned char *bytes, size_t count, uint64_t page,
                            size_t offset)
{
    struct xylem_pages__check *check = walk->check;
    uint64_t begin = page * check->page_bytes + offset;
    if (xylem_pages__file_read(check->pages->fd, bytes, count, begin) == count) {
        return true;
    }
    xylem_pages__page_problem(walk, page, "cannot be read: %s",
                              errno ? xylem_base__errno_text(errno) : "the file ends inside the page");
    return false;
}

/* Reads a page into the buffer of its level. Reports a page that is damaged, and gives NULL. */
static unsigned char *load(struct xylem_pages__walk *walk, uint64_t page, size_t level)
{
    struct xylem_pages__check *check = walk->check;
    if (!claim(walk, page)) {
        return NULL;
    }
    assert(walk->level + level < XYLEM_PAGES__LEVELS_MAX);
    unsigned char **buffer = &check->levels[walk->level + level];
    *buffer = *buffer ? *buffer : malloc(check->page_bytes);
    if (!*buffer) {
        check->code = xylem_base__fail_memory(check->err);
        return NULL;
    }
    if (!xylem_pages__page_read(walk, *buffer, check->page_bytes, page, 0)) {
        return NULL;
    }
    uint64_t number = xylem_pages__page_number_at(*buffer, 8);
    if (number != page) {
        xylem_pages__page_problem(walk, page, "says that it is page %" PRIu64, number);
        return NULL;
    }
    return *buffer;
}

/* --- Nodes ------------------------------------------------------------------------------------------------------- */

/* Reads the node at an index: NULL, or the defect as the end of a sentence. */
static const char *node_read(struct xylem_pages__node *node, const struct xylem_pages__walk *walk,
                             const unsigned char *bytes, size_t index, bool leaf)
{
    size_t page_bytes = walk->check->page_bytes;
    size_t offset = xylem_pages__page_node_offset(bytes, index);
    if (offset % 2 != 0 || offset < xylem_pages__page_upper(bytes) ||
        offset > page_bytes - XYLEM_PAGES__NODE_HEADER_BYTES) {
        return "lies outside the nodes of the page";
    }
    if (!xylem_pages__node_read(node, bytes, page_bytes, offset, leaf)) {
        return "goes on beyond the end of the page";
    }
    size_t fixed = walk->numbers ? 8 : 0;
    bool allowed =
        fixed ? node->key.bytes == fixed : node->key.bytes > 0 && node->key.bytes <= XYLEM_FORMAT__KEY_BYTES_MAX;
    bool first_of_branch = !leaf && index == 0;
    bool right = first_of_branch ? node->key.bytes == 0 : allowed;
    return right ? NULL : "has a key of an impossible length";
}

/* Notes the bytes of a node as covered. False if another node covers one of them. */
static bool cover(struct xylem_pages__check *check, const struct xylem_pages__node *node)
{
    assert(node->offset % 2 == 0 && node->end % 2 == 0 && node->end <= check->page_bytes);
    size_t first = node->offset / 2;
    size_t count = (node->end - node->offset) / 2;
    bool is_free = !memchr(check->covered + first, 1, count);
    memset(check->covered + first, 1, count);
    return is_free;
}

/* Smaller than 0, 0 or greater, in LMDB's order of keys. */
static int compare(const struct xylem_pages__walk *walk, struct xylem_view a, struct xylem_view b)
{
    if (walk->numbers) {
        uint64_t left = xylem_pages__page_number_at((const unsigned char *)a.data, 8);
        uint64_t right = xylem_pages__page_number_at((const unsigned char *)b.data, 8);
        return left < right ? -1 : left > right;
    }
    return xylem_base__view_order(a, b);
}

/* Checks that a key is above the key before (`data` NULL: no key before), and lies within the bounds. */
static void check_order(struct xylem_pages__walk *walk, uint64_t page, struct xylem_view key, struct xylem_view before,
                        const struct bounds *bounds)
{
    if (before.data && compare(walk, before, key) >= 0) {
        xylem_pages__page_blemish(walk, page, "its keys do not ascend");
    } else if ((bounds->low.data && compare(walk, key, bounds->low) < 0) ||
               (bounds->high.data && compare(walk, key, bounds->high) >= 0)) {
        xylem_pages__page_blemish(walk, page, "has a key that belongs on another page");
    }
}

/* --- Values ------------------------------------------------------------------------------------------------------ */

/* Copies the proven pages of a big value, without the rest of the last page. walk_page() must not get its stack. */
__attribute__((noinline)) static void copy_value(struct xylem_pages__walk *walk, const struct xylem_pages__node *node,
                                                 uint64_t page_count)
{
    struct xylem_pages__check *check = walk->check;
    unsigned char bytes[COPIED_BYTES];
    uint64_t begin = node->first_page * check->page_bytes;
    uint64_t end = XYLEM_PAGES__PAGE_HEADER_BYTES + node->value_bytes;
    for (uint64_t at = 0; at < page_count * check->page_bytes && check->code == XYLEM_OK; at += sizeof bytes) {
        size_t left = (size_t)(page_count * check->page_bytes - at);
        size_t now = left < sizeof bytes ? left : sizeof bytes;
        size_t there = end <= at ? 0 : end - at < now ? (size_t)(end - at) : now;
        if (!xylem_pages__page_read(walk, bytes, there, node->first_page, (size_t)at)) {
            return;
        }
        if (at == 0) {
            const unsigned char *value = bytes + XYLEM_PAGES__PAGE_HEADER_BYTES;
            memset(bytes + XYLEM_PAGES__PAGE_PAD_OFFSET, 0, XYLEM_PAGES__PAGE_PAD_BYTES);
            end = XYLEM_PAGES__PAGE_HEADER_BYTES + xylem_pages__copy_used(walk->numbers, value, node->value_bytes);
            there = end < there ? (size_t)end : there;
        }
        memset(bytes + there, 0, now - there);
        check->code = xylem_pages__copy_write(check->copy, bytes, now, begin + at, check->err);
    }
}

/* Checks the overflow pages of a big value: exactly as many as the value needs (see remove_long() in lmdb/rows.c). */
static void check_overflow(struct xylem_pages__walk *walk, uint64_t page, const struct xylem_pages__node *node)
{
    struct xylem_pages__check *check = walk->check;
    unsigned char header[XYLEM_PAGES__PAGE_HEADER_BYTES];
    uint64_t first = node->first_page;
    uint64_t needed = xylem_pages__overflow_pages(node->value_bytes, check->page_bytes);
    if (first >= check->file_pages || needed > check->file_pages - first) {
        xylem_pages__page_problem(walk, page,
                                  "a value of %" PRIu64 " bytes begins on page %" PRIu64
                                  " and ends beyond the end of the file (%" PRIu64 " pages): the file was truncated",
                                  node->value_bytes, first, check->file_pages);
        return;
    }
    if (!claim(walk, first) || !xylem_pages__page_read(walk, header, sizeof header, first, 0)) {
        return;
    }
    uint64_t number = xylem_pages__page_number_at(header, 8);
    unsigned flags = xylem_pages__page_flags(header);
    uint64_t count = xylem_pages__page_number_at(header + 12, 4);
    if (number != first || flags != XYLEM_PAGES__PAGE_OVERFLOW || count != needed ||
        count > check->last_page + 1 - first || count > check->file_pages - first) {
        xylem_pages__page_problem(walk, first,
                                  "a value of %" PRIu64 " bytes begins here; the page says that it is page %" PRIu64
                                  " of kind 0x%x, and the first of %" PRIu64,
                                  node->value_bytes, number, flags, count);
        return;
    }
    walk->overflow_pages += count;
    for (uint64_t next = 1; next < count && check->code == XYLEM_OK; next++) {
        claim(walk, first + next);
    }
    if (check->copy && check->code == XYLEM_OK) {
        copy_value(walk, node, count);
    }
}

static void check_leaf_node(struct xylem_pages__walk *walk, uint64_t page, const struct xylem_pages__node *node)
{
    bool main_table = walk->visit && !walk->numbers;
    if (main_table ? node->flags != XYLEM_PAGES__NODE_SUB : (node->flags & ~XYLEM_PAGES__NODE_BIG) != 0) {
        xylem_pages__page_problem(walk, page, "a node has flags 0x%x; expected %s", node->flags,
                                  main_table ? "0x2, a table" : "0x0 or 0x1, a row");
        return;
    }
    walk->rows++;
    if (node->flags & XYLEM_PAGES__NODE_BIG) {
        uint64_t problems = walk->problem_count;
        check_overflow(walk, page, node);
        if (walk->problem_count != problems) {
            return;
        }
    }
    if (walk->visit) {
        walk->visit(walk, page, node);
    }
}

/* --- Trees ------------------------------------------------------------------------------------------------------- */

/* Checks kind and bounds of a page, and that the page has enough nodes. */
static bool check_page(struct xylem_pages__walk *walk, uint64_t page, const unsigned char *bytes, bool leaf)
{
    unsigned flags = xylem_pages__page_flags(bytes);
    unsigned expected = leaf ? XYLEM_PAGES__PAGE_LEAF : XYLEM_PAGES__PAGE_BRANCH;
    if (flags != expected) {
        xylem_pages__page_problem(walk, page, "is of kind 0x%x; expected 0x%x, a %s", flags, expected,
                                  leaf ? "leaf" : "branch");
        return false;
    }
    walk->branch_pages += !leaf;
    walk->leaf_pages += leaf;
    if (!xylem_pages__page_bounds_possible(bytes, walk->check->page_bytes)) {
        xylem_pages__page_problem(walk, page, "its nodes cannot lie between %zu and %zu",
                                  xylem_pages__page_lower(bytes), xylem_pages__page_upper(bytes));
        return false;
    }
    size_t count = xylem_pages__page_node_count(bytes, walk->check->page_bytes);
    size_t least = leaf || walk->numbers ? 1 : 2; /* LMDB may leave a branch of the free list with one child */
    if (count < least) {
        xylem_pages__page_problem(walk, page, "has %zu keys; expected %zu or more", count, least);
    }
    return count >= least;
}

static void walk_page(struct xylem_pages__walk *walk, uint64_t page, size_t level, const struct bounds *bounds);

/*
 * Walks each child, bounded by the keys of this page:
 *
 *     node      0         1         2
 *     key       (none)    k1        k2
 *     child     < k1      k1..k2    >= k2      and all of them within the bounds of this page
 *
 * A page with a problem (`sound` false) bounds nothing. The page stays in the buffer of its level meanwhile.
 */
static void walk_children(struct xylem_pages__walk *walk, const unsigned char *bytes, size_t level,
                          const struct bounds *bounds, bool sound)
{
    struct bounds below = *bounds;
    size_t count = xylem_pages__page_node_count(bytes, walk->check->page_bytes);
    for (size_t i = 0; i < count && walk->check->code == XYLEM_OK; i++) {
        struct xylem_pages__node node;
        struct xylem_pages__node next = {.key = bounds->high};
        if (sound) {
            below.high = i + 1 < count && !node_read(&next, walk, bytes, i + 1, false) ? next.key : bounds->high;
        }
        if (!node_read(&node, walk, bytes, i, false)) {
            walk_page(walk, node.child, level + 1, &below);
        }
        below.low = sound ? below.high : bounds->low;
    }
}

/* Checks places and keys of the nodes of a page. False after a problem. */
static bool check_nodes(struct xylem_pages__walk *walk, uint64_t page, const unsigned char *bytes, bool leaf,
                        const struct bounds *bounds)
{
    struct xylem_pages__check *check = walk->check;
    uint64_t problems = walk->problem_count;
    struct xylem_view before = {NULL, 0};
    size_t count = xylem_pages__page_node_count(bytes, walk->check->page_bytes);
    memset(check->covered, 0, check->page_bytes / 2);
    for (size_t i = 0; i < count && check->code == XYLEM_OK; i++) {
        struct xylem_pages__node node;
        const char *wrong = node_read(&node, walk, bytes, i, leaf);
        wrong = wrong || cover(check, &node) ? wrong : "overlaps another node";
        if (wrong) {
            xylem_pages__page_problem(walk, page, "its node %zu %s", i, wrong);
        } else if (leaf || i > 0) {
            check_order(walk, page, node.key, before, bounds);
            before = node.key;
        }
    }
    /* LMDB leaves no gap between the nodes, nor between the last node and the end of the page. */
    size_t upper = xylem_pages__page_upper(bytes);
    if (walk->problem_count == problems && memchr(check->covered + upper / 2, 0, check->page_bytes / 2 - upper / 2)) {
        xylem_pages__page_blemish(walk, page, "has a gap between its nodes");
    }
    return walk->problem_count == problems;
}

static void walk_page(struct xylem_pages__walk *walk, uint64_t page, size_t level, const struct bounds *bounds)
{
    bool leaf = level + 1 == walk->tree.depth;
    unsigned char *bytes = load(walk, page, level);
    if (!bytes || !check_page(walk, page, bytes, leaf)) {
        return;
    }
    bool sound = check_nodes(walk, page, bytes, leaf, bounds);
    struct xylem_pages__check *check = walk->check;
    if (check->copy && sound && check->code == XYLEM_OK) {
        check->code = xylem_pages__copy_page(check->copy, bytes, walk->table, walk->numbers, check->err);
    }
    if (!leaf) {
        walk_children(walk, bytes, level, bounds, sound);
        return;
    }
    size_t count = walk->shape_only ? 0 : xylem_pages__page_node_count(bytes, walk->check->page_bytes);
    for (size_t i = 0; i < count && walk->check->code == XYLEM_OK; i++) {
        struct xylem_pages__node node;
        if (!node_read(&node, walk, bytes, i, true)) {
            check_leaf_node(walk, page, &node);
        }
    }
}

void xylem_pages__tree_walk(struct xylem_pages__walk *walk)
{
    static const struct bounds unbounded;
    const struct xylem_pages__tree *tree = &walk->tree;
    bool empty = tree->root == XYLEM_PAGES__NO_PAGE;
    if (empty ? tree->depth != 0 : (tree->depth == 0 || tree->depth > XYLEM_PAGES__TREE_DEPTH_MAX)) {
        xylem_pages__page_problem(walk, 0, "its depth is said to be %u; expected %s", tree->depth,
                                  empty ? "0, as the tree is empty" : "1 to 32");
        return;
    }
    if (!empty) {
        walk_page(walk, tree->root, 0, &unbounded);
    }
    /* The description must have the counts of the walk. Other problems explain a difference better. */
    if (walk->check->code == XYLEM_OK && !walk->shape_only && walk->problem_count == 0 &&
        (tree->branch_pages != walk->branch_pages || tree->leaf_pages != walk->leaf_pages ||
         tree->overflow_pages != walk->overflow_pages || tree->rows != walk->rows)) {
        xylem_pages__page_blemish(walk, 0,
                                  "is said to have %" PRIu64 " branch, %" PRIu64 " leaf and %" PRIu64
                                  " overflow pages and %" PRIu64 " rows, and has %" PRIu64 ", %" PRIu64 ", %" PRIu64
                                  " and %" PRIu64,
                                  tree->branch_pages, tree->leaf_pages, tree->overflow_pages, tree->rows,
                                  walk->branch_pages, walk->leaf_pages, walk->overflow_pages, walk->rows);
    }
}
