#include "store/lmdb_check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/error.h"
#include "store/keys.h"
#include "store/lmdb_page.h"
#include "store/tables.h"

#define TREE_DEPTH_MAX 32u               /* LMDB's own */
#define LEVELS_MAX (3u * TREE_DEPTH_MAX) /* of the list of tables, a table, and the values of a key */
#define PROGRESS_PAGES 1024u
#define UNWRITTEN_PAGES_MAX (UINT64_C(1) << 22) /* pages beyond the file's end that are still told apart */
#define DIRTY_FLAG 0x10u                        /* LMDB leaves it on pages inside of a node */
#define TREE_DUPLICATES 0x04u
#define TREE_FIXED 0x10u

struct check {
    const struct xylem_store__pages *pages;
    size_t page_bytes;
    uint64_t file_pages;
    uint64_t last_page;
    uint64_t bit_count;     /* pages that the two bits below are kept for */
    unsigned char *used;    /* a bit for each page that was reached */
    unsigned char *freed;   /* a bit for each page that the free list has */
    unsigned char *covered; /* a byte for each two bytes of a page that a node takes */
    unsigned char *levels[LEVELS_MAX];
    struct xylem_store__pages_found *found;
    const struct xylem_store__pages_listener *listener;
    struct xylem_error *err;
    int code; /* what ends the check */
};

struct walk;
struct node;
typedef void visit_value(struct walk *walk, uint64_t page, const struct node *node);

/* The way through one tree. */
struct walk {
    struct check *check;
    struct xylem_store__tree tree;
    const char *table;  /* NULL: it is not one of xylem's */
    const char *name;   /* for texts */
    bool numbers;       /* its keys are numbers, as those of the free list */
    bool values;        /* its keys are the values of one key: pages of them have no nodes */
    size_t value_bytes; /* of each value of a key; 0: a key has one, of any size */
    size_t level;       /* where in `levels` it begins */
    uint64_t branch_pages;
    uint64_t leaf_pages;
    uint64_t overflow_pages;
    uint64_t rows;
    uint64_t problem_count;
    bool unsound;       /* one of them is such that LMDB must not be let near the tree */
    visit_value *visit; /* gets each node of a leaf; may be NULL */
};

struct node {
    size_t at;     /* in its page */
    size_t covers; /* bytes of its page */
    unsigned flags;
    struct xylem_view key;
    uint64_t child;
    uint64_t bytes;            /* of the value */
    const unsigned char *data; /* of the value, or the number of its first page */
};

/* What the keys of a page must lie between: the first may be, the second not. NULL: nothing bounds them there. */
struct bounds {
    struct xylem_view low;
    struct xylem_view high;
};

__attribute__((format(printf, 3, 0))) static void report(struct walk *walk, uint64_t page, const char *format,
                                                         va_list arguments)
{
    char text[XYLEM_ERROR_TEXT_BYTES];
    struct xylem_error escaped;
    struct check *check = walk->check;
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

/* LMDB would fault, loop or read what is none of the tree's. */
__attribute__((format(printf, 3, 4))) static void problem(struct walk *walk, uint64_t page, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(walk, page, format, arguments);
    va_end(arguments);
    walk->unsound = true;
}

/* LMDB reads it all the same: it only does not find some rows by their keys, or counts wrongly. */
__attribute__((format(printf, 3, 4))) static void blemish(struct walk *walk, uint64_t page, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(walk, page, format, arguments);
    va_end(arguments);
}

/* --- Pages ------------------------------------------------------------------------------------------------------- */

static bool bit_take(unsigned char *bits, uint64_t page)
{
    unsigned char bit = (unsigned char)(1u << page % 8);
    bool was_set = bits[page / 8] & bit;
    bits[page / 8] |= bit;
    return !was_set;
}

static bool bit_is(const unsigned char *bits, uint64_t page)
{
    return bits[page / 8] & 1u << page % 8;
}

/* Notes that something leads to the page. False if it cannot be read, or was reached before. */
static bool claim(struct walk *walk, uint64_t page)
{
    struct check *check = walk->check;
    if (page < XYLEM_STORE__META_PAGES || page > check->last_page) {
        problem(walk, page, "is in use, but no page of a table can have this number (the last one is %" PRIu64 ")",
                check->last_page);
        return false;
    }
    if (page >= check->file_pages) {
        problem(walk, page, "is in use but lies beyond the end of the file (%" PRIu64 " pages): it was truncated",
                check->file_pages);
        return false;
    }
    if (!bit_take(check->used, page)) {
        problem(walk, page, "is reached twice");
        return false;
    }
    if (bit_is(check->freed, page)) {
        blemish(walk, page, "is in use, and the free list has it: a writer would overwrite it");
    }
    check->found->used_count++;
    if (check->found->used_count % PROGRESS_PAGES == 0 && check->listener->progress && check->code == XYLEM_OK &&
        check->listener->progress(check->listener->context, check->found->used_count) != 0) {
        check->code = xylem_base__fail(check->err, XYLEM_E_STOPPED, "the check of the pages was stopped by the caller");
    }
    return true;
}

static bool read_at(struct walk *walk, unsigned char *bytes, size_t count, uint64_t page, size_t offset)
{
    struct check *check = walk->check;
    ssize_t got = pread(check->pages->fd, bytes, count, (off_t)(page * check->page_bytes + offset));
    if (got == (ssize_t)count) {
        return true;
    }
    problem(walk, page, "cannot be read: %s", got < 0 ? strerror(errno) : "the file ends in it");
    return false;
}

/* The page in the buffer of its level; NULL if it cannot be had, which was reported. */
static unsigned char *load(struct walk *walk, uint64_t page, size_t level)
{
    struct check *check = walk->check;
    if (!claim(walk, page)) {
        return NULL;
    }
    unsigned char **buffer = &check->levels[walk->level + level];
    *buffer = *buffer ? *buffer : malloc(check->page_bytes);
    if (!*buffer) {
        check->code = xylem_base__fail_memory(check->err);
        return NULL;
    }
    if (!read_at(walk, *buffer, check->page_bytes, page, 0)) {
        return NULL;
    }
    uint64_t number = xylem_store__page_number_at(*buffer, 8);
    if (number != page) {
        problem(walk, page, "says that it is page %" PRIu64, number);
        return NULL;
    }
    return *buffer;
}

/* Are there as many keys as can be, and at least `least`? */
static bool bounds_right(struct walk *walk, uint64_t page, const unsigned char *bytes, size_t room, size_t least)
{
    size_t lower = xylem_store__page_lower(bytes);
    size_t upper = xylem_store__page_upper(bytes);
    if (lower < XYLEM_STORE__PAGE_HEADER_BYTES || lower % 2 != 0 || upper < lower || upper > room) {
        problem(walk, page, "its nodes cannot lie between %zu and %zu", lower, upper);
        return false;
    }
    if ((lower - XYLEM_STORE__PAGE_HEADER_BYTES) / 2 < least) {
        problem(walk, page, "has %zu keys; expected %zu or more", (lower - XYLEM_STORE__PAGE_HEADER_BYTES) / 2, least);
        return false;
    }
    return true;
}

static size_t key_count(const unsigned char *bytes)
{
    return (xylem_store__page_lower(bytes) - XYLEM_STORE__PAGE_HEADER_BYTES) / 2;
}

/* --- Nodes ------------------------------------------------------------------------------------------------------- */

/* Reads the node at an index: NULL, or what is wrong with it. */
static const char *node_read(struct node *node, const struct walk *walk, const unsigned char *bytes, size_t index,
                             bool leaf)
{
    size_t at = (size_t)xylem_store__page_number_at(bytes + XYLEM_STORE__PAGE_HEADER_BYTES + index * 2, 2);
    size_t left = walk->check->page_bytes - XYLEM_STORE__NODE_HEADER_BYTES;
    if (at % 2 != 0 || at < xylem_store__page_upper(bytes) || at > left) {
        return "does not lie where nodes lie";
    }
    const unsigned char *raw = bytes + at;
    size_t key_bytes = (size_t)xylem_store__page_number_at(raw + 6, 2);
    node->flags = leaf ? (unsigned)xylem_store__page_number_at(raw + 4, 2) : 0;
    node->key = (struct xylem_view){(const char *)raw + XYLEM_STORE__NODE_HEADER_BYTES, key_bytes};
    node->child = xylem_store__node_child(raw);
    node->bytes = leaf ? xylem_store__page_number_at(raw, 4) : 0;
    bool first_of_branch = !leaf && index == 0;
    size_t fixed = walk->numbers ? 8 : walk->values ? walk->value_bytes : 0;
    bool allowed = fixed ? key_bytes == fixed : key_bytes > 0 && key_bytes <= XYLEM_STORE__KEY_BYTES_MAX;
    if (first_of_branch ? key_bytes != 0 : !allowed) {
        return "has a key of a length that it cannot have";
    }
    uint64_t data_bytes = node->flags & XYLEM_STORE__NODE_BIG ? 8 : node->bytes;
    if (key_bytes > left - at || data_bytes > left - at - key_bytes) {
        return "is longer than the page";
    }
    node->data = raw + XYLEM_STORE__NODE_HEADER_BYTES + key_bytes;
    node->covers = XYLEM_STORE__NODE_HEADER_BYTES + key_bytes + (size_t)data_bytes;
    node->at = at;
    return NULL;
}

/* Notes which bytes of its page a node takes. False if another one has them. */
static bool cover(struct check *check, const struct node *node)
{
    size_t first = node->at / 2;
    size_t count = (node->covers + 1) / 2;
    count = first + count > check->page_bytes / 2 ? check->page_bytes / 2 - first : count;
    bool is_free = !memchr(check->covered + first, 1, count);
    memset(check->covered + first, 1, count);
    return is_free;
}

/* Smaller than 0, 0 or greater, as LMDB orders them. */
static int compare(const struct walk *walk, struct xylem_view a, struct xylem_view b)
{
    if (walk->numbers) {
        uint64_t left = xylem_store__page_number_at((const unsigned char *)a.data, 8);
        uint64_t right = xylem_store__page_number_at((const unsigned char *)b.data, 8);
        return left < right ? -1 : left > right;
    }
    int order = memcmp(a.data, b.data, a.bytes < b.bytes ? a.bytes : b.bytes);
    return order != 0 ? order : a.bytes < b.bytes ? -1 : a.bytes > b.bytes;
}

/* Does a key follow the one before it (`data` NULL: there is none), and lie where the pages above say? */
static bool key_in_order(struct walk *walk, uint64_t page, struct xylem_view key, struct xylem_view before,
                         const struct bounds *bounds)
{
    if (before.data && compare(walk, before, key) >= 0) {
        blemish(walk, page, "its keys do not ascend");
        return false;
    }
    if ((bounds->low.data && compare(walk, key, bounds->low) < 0) ||
        (bounds->high.data && compare(walk, key, bounds->high) >= 0)) {
        blemish(walk, page, "has a key that belongs on another page");
        return false;
    }
    return true;
}

/* --- Values ------------------------------------------------------------------------------------------------------ */

/* A value on pages of its own. There may be more than it needs: LMDB writes a shorter value over a longer one. */
static void check_overflow(struct walk *walk, uint64_t page, const struct node *node)
{
    struct check *check = walk->check;
    unsigned char header[XYLEM_STORE__PAGE_HEADER_BYTES];
    uint64_t first = xylem_store__page_number_at(node->data, 8);
    uint64_t needed = xylem_store__overflow_pages(node->bytes, check->page_bytes);
    if (first >= check->file_pages || needed > check->file_pages - first) {
        problem(walk, page,
                "a value of %" PRIu64 " bytes begins on page %" PRIu64
                " and goes on beyond the end of the file (%" PRIu64 " pages): it was truncated",
                node->bytes, first, check->file_pages);
        return;
    }
    if (!claim(walk, first) || !read_at(walk, header, sizeof header, first, 0)) {
        return;
    }
    uint64_t number = xylem_store__page_number_at(header, 8);
    unsigned flags = xylem_store__page_flags(header);
    uint64_t count = xylem_store__page_number_at(header + 12, 4);
    if (number != first || flags != XYLEM_STORE__PAGE_OVERFLOW || count < needed ||
        count > check->last_page + 1 - first || count > check->file_pages - first) {
        problem(walk, first,
                "a value of %" PRIu64 " bytes begins here; the page says that it is page %" PRIu64
                " of kind 0x%x, and the first of %" PRIu64,
                node->bytes, number, flags, count);
        return;
    }
    walk->overflow_pages += count;
    for (uint64_t next = 1; next < count && check->code == XYLEM_OK; next++) {
        claim(walk, first + next);
    }
}

/* Values of one size, without nodes: of a page, or of a page inside of a node. Counts them. */
static void check_values(struct walk *walk, uint64_t page, const unsigned char *bytes, size_t room,
                         const struct bounds *bounds)
{
    size_t size = walk->value_bytes;
    size_t stated = (size_t)xylem_store__page_number_at(bytes + 8, 2);
    if (!bounds_right(walk, page, bytes, room, 1)) {
        return;
    }
    size_t count = key_count(bytes);
    if (stated != size || count > (room - XYLEM_STORE__PAGE_HEADER_BYTES) / size ||
        xylem_store__page_upper(bytes) != room - count * (size - 2)) {
        problem(walk, page, "its %zu values of %zu bytes do not fit its bounds; expected values of %zu bytes", count,
                stated, size);
        return;
    }
    struct xylem_view before = {NULL, 0};
    for (size_t i = 0; i < count; i++) {
        struct xylem_view value = {(const char *)bytes + XYLEM_STORE__PAGE_HEADER_BYTES + i * size, size};
        if (!key_in_order(walk, page, value, before, bounds)) {
            return;
        }
        before = value;
    }
    walk->rows += count;
}

static void walk_tree(struct walk *walk);

/* The values of one key of `ids`: one, a page of them inside of the node, or a tree of them. */
static void check_duplicates(struct walk *walk, uint64_t page, const struct node *node)
{
    static const struct bounds unbounded;
    unsigned kind = node->flags & (XYLEM_STORE__NODE_SUB | XYLEM_STORE__NODE_DUP);
    if (kind == 0) {
        walk->rows++;
        if (node->bytes != walk->value_bytes) {
            problem(walk, page, "a value has %" PRIu64 " bytes; expected %zu", node->bytes, walk->value_bytes);
        }
        return;
    }
    if (kind == XYLEM_STORE__NODE_DUP) {
        unsigned flags = node->bytes < XYLEM_STORE__PAGE_HEADER_BYTES ? 0 : xylem_store__page_flags(node->data);
        if ((flags & ~DIRTY_FLAG) != (XYLEM_STORE__PAGE_LEAF | XYLEM_STORE__PAGE_LEAF2 | XYLEM_STORE__PAGE_SUB)) {
            problem(walk, page, "a key's values are said to lie on a page inside of its node, of kind 0x%x", flags);
            return;
        }
        check_values(walk, page, node->data, (size_t)node->bytes, &unbounded);
        return;
    }
    struct walk below = {.check = walk->check,
                         .table = walk->table,
                         .name = walk->name,
                         .values = true,
                         .value_bytes = walk->value_bytes,
                         .level = 2 * TREE_DEPTH_MAX};
    if (node->bytes != XYLEM_STORE__TREE_BYTES || kind != (XYLEM_STORE__NODE_SUB | XYLEM_STORE__NODE_DUP)) {
        problem(walk, page, "a key's values are said to lie in a tree, and %" PRIu64 " bytes describe it", node->bytes);
        return;
    }
    below.tree = xylem_store__tree_at(node->data);
    uint64_t pad = xylem_store__page_number_at(node->data, 4);
    if (below.tree.flags != TREE_FIXED || pad != walk->value_bytes || below.tree.root == XYLEM_STORE__NO_PAGE) {
        problem(walk, page, "a tree of values has flags 0x%x and values of %" PRIu64 " bytes; expected 0x%x and %zu",
                below.tree.flags, pad, TREE_FIXED, walk->value_bytes);
        return;
    }
    walk_tree(&below);
    walk->rows += below.rows;
    walk->problem_count += below.problem_count;
    walk->unsound = walk->unsound || below.unsound;
}

static void check_leaf_node(struct walk *walk, uint64_t page, const struct node *node)
{
    bool main_table = walk->visit && !walk->numbers;
    unsigned known = walk->value_bytes ? XYLEM_STORE__NODE_SUB | XYLEM_STORE__NODE_DUP : XYLEM_STORE__NODE_BIG;
    if (main_table ? node->flags != XYLEM_STORE__NODE_SUB : (node->flags & ~known) != 0) {
        problem(walk, page, "a node has flags 0x%x that it cannot have", node->flags);
        return;
    }
    if (walk->value_bytes) {
        check_duplicates(walk, page, node);
        return;
    }
    walk->rows++;
    if (node->flags & XYLEM_STORE__NODE_BIG) {
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

/* What no node takes of a page between its nodes and its end: LMDB leaves nothing there. */
static void check_gaps(struct walk *walk, uint64_t page, const unsigned char *bytes)
{
    const struct check *check = walk->check;
    size_t upper = xylem_store__page_upper(bytes);
    if (memchr(check->covered + upper / 2, 0, check->page_bytes / 2 - upper / 2)) {
        blemish(walk, page, "has bytes among its nodes that belong to none of them");
    }
}

static bool check_page(struct walk *walk, uint64_t page, const unsigned char *bytes, bool leaf)
{
    unsigned flags = xylem_store__page_flags(bytes);
    unsigned expected = !leaf          ? XYLEM_STORE__PAGE_BRANCH
                        : walk->values ? XYLEM_STORE__PAGE_LEAF | XYLEM_STORE__PAGE_LEAF2
                                       : XYLEM_STORE__PAGE_LEAF;
    if (flags != expected) {
        problem(walk, page, "is of kind 0x%x; expected 0x%x, a %s", flags, expected, leaf ? "leaf" : "branch");
        return false;
    }
    walk->branch_pages += !leaf;
    walk->leaf_pages += leaf;
    /* LMDB may leave a branch of the free list with one child. */
    return bounds_right(walk, page, bytes, walk->check->page_bytes, leaf || walk->numbers ? 1 : 2);
}

static void walk_page(struct walk *walk, uint64_t page, size_t level, const struct bounds *bounds);

/*
 * Each child, with the keys that bound it: those of a page with a problem bound nothing. The page stays in its buffer,
 * which the pages below do not use.
 */
static void walk_children(struct walk *walk, const unsigned char *bytes, size_t level, const struct bounds *bounds,
                          bool sound)
{
    struct bounds below = *bounds;
    size_t count = key_count(bytes);
    for (size_t i = 0; i < count && walk->check->code == XYLEM_OK; i++) {
        struct node node;
        struct node next = {.key = bounds->high};
        if (sound) {
            below.high = i + 1 < count && !node_read(&next, walk, bytes, i + 1, false) ? next.key : bounds->high;
        }
        if (!node_read(&node, walk, bytes, i, false)) {
            walk_page(walk, node.child, level + 1, &below);
        }
        below.low = sound ? below.high : bounds->low;
    }
}

static void check_leaf_nodes(struct walk *walk, uint64_t page, const unsigned char *bytes)
{
    size_t count = key_count(bytes);
    for (size_t i = 0; i < count && walk->check->code == XYLEM_OK; i++) {
        struct node node;
        if (!node_read(&node, walk, bytes, i, true)) {
            check_leaf_node(walk, page, &node);
        }
    }
}

/* Where the nodes of a page lie, and their keys. False if there was a problem. */
static bool check_nodes(struct walk *walk, uint64_t page, const unsigned char *bytes, bool leaf,
                        const struct bounds *bounds)
{
    struct check *check = walk->check;
    uint64_t problems = walk->problem_count;
    struct xylem_view before = {NULL, 0};
    size_t count = key_count(bytes);
    memset(check->covered, 0, check->page_bytes / 2);
    for (size_t i = 0; i < count && check->code == XYLEM_OK; i++) {
        struct node node;
        const char *wrong = node_read(&node, walk, bytes, i, leaf);
        wrong = wrong || cover(check, &node) ? wrong : "lies over another one";
        if (wrong) {
            problem(walk, page, "its node %zu %s", i, wrong);
        } else if ((leaf || i > 0) && key_in_order(walk, page, node.key, before, bounds)) {
            before = node.key;
        }
    }
    if (walk->problem_count == problems) {
        check_gaps(walk, page, bytes);
    }
    return walk->problem_count == problems;
}

static void walk_page(struct walk *walk, uint64_t page, size_t level, const struct bounds *bounds)
{
    bool leaf = level + 1 == walk->tree.depth;
    unsigned char *bytes = load(walk, page, level);
    if (!bytes || !check_page(walk, page, bytes, leaf)) {
        return;
    }
    if (leaf && walk->values) {
        check_values(walk, page, bytes, walk->check->page_bytes, bounds);
        return;
    }
    bool sound = check_nodes(walk, page, bytes, leaf, bounds);
    if (leaf) {
        check_leaf_nodes(walk, page, bytes);
    } else {
        walk_children(walk, bytes, level, bounds, sound);
    }
}

/* What a tree is said to have must be what it has. Where it has problems, they say more. */
static void check_counts(struct walk *walk)
{
    const struct xylem_store__tree *tree = &walk->tree;
    if (walk->problem_count == 0 && (tree->branch_pages != walk->branch_pages || tree->leaf_pages != walk->leaf_pages ||
                                     tree->overflow_pages != walk->overflow_pages || tree->rows != walk->rows)) {
        blemish(walk, 0,
                "is said to have %" PRIu64 " branch, %" PRIu64 " leaf and %" PRIu64 " overflow pages and %" PRIu64
                " rows, and has %" PRIu64 ", %" PRIu64 ", %" PRIu64 " and %" PRIu64,
                tree->branch_pages, tree->leaf_pages, tree->overflow_pages, tree->rows, walk->branch_pages,
                walk->leaf_pages, walk->overflow_pages, walk->rows);
    }
}

static void walk_tree(struct walk *walk)
{
    static const struct bounds unbounded;
    const struct xylem_store__tree *tree = &walk->tree;
    bool empty = tree->root == XYLEM_STORE__NO_PAGE;
    if (empty ? tree->depth != 0 : (tree->depth == 0 || tree->depth > TREE_DEPTH_MAX)) {
        problem(walk, 0, "its depth is said to be %u", tree->depth);
        return;
    }
    if (!empty) {
        walk_page(walk, tree->root, 0, &unbounded);
    }
    if (walk->check->code == XYLEM_OK) {
        check_counts(walk);
    }
}

/* --- The free list ----------------------------------------------------------------------------------------------- */

#define IDS_AT_ONCE 512u

/* What is wrong with the pages of one list, counted: a garbled list would else be a problem for each of its pages. */
struct list {
    struct walk *walk;
    uint64_t before; /* the last page that was read; pages descend */
    uint64_t outside_count;
    uint64_t unordered_count;
    uint64_t used_count;
    uint64_t twice_count;
    uint64_t first; /* page that is in use or was listed before */
};

static void visit_free_page(struct list *list, uint64_t page)
{
    struct check *check = list->walk->check;
    if (page < XYLEM_STORE__META_PAGES || page > check->last_page) {
        list->outside_count++;
    } else if (page >= list->before) {
        list->unordered_count++;
    } else if (page < check->bit_count) {
        bool used = bit_is(check->used, page);
        bool twice = !bit_take(check->freed, page);
        list->first = (used || twice) && !list->first ? page : list->first;
        list->used_count += used;
        list->twice_count += !used && twice;
    }
    list->before = page;
    check->found->free_count++;
}

/* `count` numbers of a list that begins behind the first number of a value. */
static bool visit_ids(struct list *list, const struct node *node, uint64_t count)
{
    struct walk *walk = list->walk;
    unsigned char bytes[IDS_AT_ONCE * 8];
    uint64_t first = xylem_store__page_number_at(node->data, 8);
    for (uint64_t done = 0; done < count && walk->check->code == XYLEM_OK;) {
        size_t now = count - done < IDS_AT_ONCE ? (size_t)(count - done) : IDS_AT_ONCE;
        const unsigned char *ids = bytes;
        if (!(node->flags & XYLEM_STORE__NODE_BIG)) {
            ids = node->data + 8 + done * 8;
        } else if (!read_at(walk, bytes, now * 8, first, XYLEM_STORE__PAGE_HEADER_BYTES + 8 + (size_t)done * 8)) {
            return false;
        }
        for (size_t i = 0; i < now; i++) {
            visit_free_page(list, xylem_store__page_number_at(ids + i * 8, 8));
        }
        done += now;
    }
    return true;
}

static void report_list(const struct list *list, uint64_t page, uint64_t txn)
{
    struct walk *walk = list->walk;
    if (list->outside_count > 0) {
        problem(walk, page,
                "transaction %" PRIu64 " gave back %" PRIu64 " pages that cannot be (the last one is %" PRIu64 ")", txn,
                list->outside_count, walk->check->last_page);
    }
    if (list->unordered_count > 0) {
        problem(walk, page, "the pages that transaction %" PRIu64 " gave back do not descend", txn);
    }
    if (list->used_count > 0) {
        problem(walk, page,
                "transaction %" PRIu64 " gave back %" PRIu64 " pages that are in use, such as page %" PRIu64
                ": a writer would overwrite them",
                txn, list->used_count, list->first);
    }
    if (list->twice_count > 0) {
        problem(walk, page,
                "transaction %" PRIu64 " gave back %" PRIu64
                " pages that were given back before, such as page %" PRIu64,
                txn, list->twice_count, list->first);
    }
}

static void visit_free_list(struct walk *walk, uint64_t page, const struct node *node)
{
    struct list list = {.walk = walk, .before = UINT64_MAX};
    unsigned char number[8];
    uint64_t txn = xylem_store__page_number_at((const unsigned char *)node->key.data, 8);
    if (txn > walk->check->pages->txn_id) {
        problem(walk, page, "lists pages that transaction %" PRIu64 " gave back, which has not been yet", txn);
    }
    const unsigned char *count_bytes = node->data;
    if (node->flags & XYLEM_STORE__NODE_BIG && node->bytes >= 8) {
        uint64_t first = xylem_store__page_number_at(node->data, 8);
        if (!read_at(walk, number, sizeof number, first, XYLEM_STORE__PAGE_HEADER_BYTES)) {
            return;
        }
        count_bytes = number;
    }
    uint64_t count = node->bytes < 8 ? UINT64_MAX : xylem_store__page_number_at(count_bytes, 8);
    if (count > (node->bytes < 8 ? 0 : node->bytes / 8 - 1)) {
        problem(walk, page, "the list of transaction %" PRIu64 " counts more pages than its %" PRIu64 " bytes can hold",
                txn, node->bytes);
        return;
    }
    if (visit_ids(&list, node, count)) {
        report_list(&list, page, txn);
    }
}

/* --- The tables -------------------------------------------------------------------------------------------------- */

/* How a table must be described. */
struct shape {
    unsigned flags;
    size_t value_bytes;
};

static struct shape shape_of(enum xylem_store__table table)
{
    return table == XYLEM_STORE__IDS ? (struct shape){TREE_DUPLICATES | TREE_FIXED, XYLEM_STORE__PAIR_KEY_BYTES}
                                     : (struct shape){0, 0};
}

static void check_table(struct walk *main_walk, uint64_t page, const struct node *node, enum xylem_store__table table)
{
    struct shape shape = shape_of(table);
    struct walk walk = {.check = main_walk->check,
                        .table = xylem_store__table_name(table),
                        .name = xylem_store__table_name(table),
                        .tree = xylem_store__tree_at(node->data),
                        .value_bytes = shape.value_bytes,
                        .level = TREE_DEPTH_MAX};
    if (walk.tree.flags != shape.flags) {
        problem(&walk, page, "the table is said to have flags 0x%x; expected 0x%x", walk.tree.flags, shape.flags);
    } else {
        walk_tree(&walk);
    }
    if (!walk.unsound) {
        main_walk->check->found->unsound_tables &= ~(UINT32_C(1) << table);
    }
}

static void visit_table(struct walk *walk, uint64_t page, const struct node *node)
{
    if (node->bytes != XYLEM_STORE__TREE_BYTES) {
        problem(walk, page, "%" PRIu64 " bytes describe a table; expected %u", node->bytes, XYLEM_STORE__TREE_BYTES);
        return;
    }
    for (unsigned table = 0; table < XYLEM_STORE__TABLE_COUNT; table++) {
        if (xylem_base__view_is(node->key, xylem_store__table_name(table))) {
            check_table(walk, page, node, table);
            return;
        }
    }
    blemish(walk, page, "there is a table %.*s that no library makes", xylem_base__shown_bytes(node->key),
            xylem_base__shown(node->key));
}

/* --- The meta pages ---------------------------------------------------------------------------------------------- */

/* The parts of a meta page that no commit changes, and its page size; any commit may be writing the rest. */
static void check_meta(struct walk *walk, uint64_t number, const unsigned char *page)
{
    const unsigned char *meta = page + XYLEM_STORE__PAGE_HEADER_BYTES;
    uint64_t stated = xylem_store__page_number_at(page, 8);
    uint64_t magic = xylem_store__page_number_at(meta, 4);
    uint64_t version = xylem_store__page_number_at(meta + 4, 4);
    uint64_t page_bytes = xylem_store__page_number_at(page + XYLEM_STORE__META_FREE_OFFSET, 4);
    if (stated != number || xylem_store__page_flags(page) != XYLEM_STORE__PAGE_META) {
        problem(walk, 0, "meta page %" PRIu64 " says that it is page %" PRIu64 " of kind 0x%x", number, stated,
                xylem_store__page_flags(page));
    }
    if (magic != XYLEM_STORE__META_MAGIC || version != XYLEM_STORE__META_VERSION) {
        problem(walk, 0, "meta page %" PRIu64 " begins with 0x%" PRIx64 ", version %" PRIu64 "; expected 0x%x and %u",
                number, magic, version, XYLEM_STORE__META_MAGIC, XYLEM_STORE__META_VERSION);
    }
    if (page_bytes != walk->check->page_bytes) {
        problem(walk, 0, "meta page %" PRIu64 " says that pages have %" PRIu64 " bytes; expected %zu", number,
                page_bytes, walk->check->page_bytes);
    }
}

/* The two trees of the snapshot. False if its meta page is not what it must be. */
static bool meta_read(struct walk *walk, struct xylem_store__tree *free_list, struct xylem_store__tree *main_table)
{
    struct check *check = walk->check;
    unsigned char page[XYLEM_STORE__META_END];
    bool known = false;
    uint64_t newest = 0;
    for (uint64_t number = 0; number < XYLEM_STORE__META_PAGES; number++) {
        if (!read_at(walk, page, sizeof page, number, 0)) {
            continue;
        }
        check_meta(walk, number, page);
        uint64_t txn = xylem_store__page_number_at(page + XYLEM_STORE__META_TXN_OFFSET, 8);
        newest = txn > newest ? txn : newest;
        if (txn != check->pages->txn_id || known || (txn > 0 && number != txn % XYLEM_STORE__META_PAGES)) {
            continue;
        }
        known = true;
        *free_list = xylem_store__tree_at(page + XYLEM_STORE__META_FREE_OFFSET);
        *main_table = xylem_store__tree_at(page + XYLEM_STORE__META_MAIN_OFFSET);
        check->last_page = xylem_store__page_number_at(page + XYLEM_STORE__META_LAST_PAGE_OFFSET, 8);
        uint64_t map_bytes = xylem_store__page_number_at(page + XYLEM_STORE__PAGE_HEADER_BYTES + 16, 8);
        if (check->last_page < 1 || check->last_page >= map_bytes / check->page_bytes) {
            problem(walk, 0,
                    "meta page %" PRIu64 " says that the last page is %" PRIu64 " in a map of %" PRIu64 " bytes",
                    number, check->last_page, map_bytes);
            return false;
        }
    }
    /* Two commits since the snapshot was taken have overwritten its meta page: the file is sound, but not to be asked. */
    check->found->snapshot_gone = !known && newest > check->pages->txn_id + 1;
    if (!known && !check->found->snapshot_gone) {
        problem(walk, 0, "no meta page is of transaction %" PRIu64 "; the newest is of %" PRIu64, check->pages->txn_id,
                newest);
    }
    return known;
}

/* --- The whole --------------------------------------------------------------------------------------------------- */

static int check_start(struct check *check, const char *path)
{
    struct stat file;
    const struct xylem_store__pages *pages = check->pages;
    if (fstat(pages->fd, &file) != 0 || pages->page_bytes < XYLEM_STORE__PAGE_BYTES_LEAST ||
        pages->page_bytes > XYLEM_STORE__PAGE_BYTES_MOST || pages->page_bytes % 2 != 0) {
        return xylem_base__fail(check->err, XYLEM_E_CORRUPT, "%s: cannot find out its length", path);
    }
    check->page_bytes = (size_t)pages->page_bytes;
    check->file_pages = (uint64_t)file.st_size / pages->page_bytes;
    check->found->unsound_tables = (UINT32_C(1) << XYLEM_STORE__TABLE_COUNT) - 1;
    return XYLEM_OK;
}

static int check_bits(struct check *check)
{
    uint64_t most = check->file_pages + UNWRITTEN_PAGES_MAX;
    check->bit_count = check->last_page < most ? check->last_page + 1 : most;
    check->used = calloc((size_t)(check->bit_count / 8 + 1), 1);
    check->freed = calloc((size_t)(check->bit_count / 8 + 1), 1);
    check->covered = malloc(check->page_bytes / 2);
    return check->used && check->freed && check->covered ? XYLEM_OK : xylem_base__fail_memory(check->err);
}

static void check_release(struct check *check)
{
    for (size_t level = 0; level < LEVELS_MAX; level++) {
        free(check->levels[level]);
    }
    free(check->used);
    free(check->freed);
    free(check->covered);
}

static void count_leaked(struct check *check)
{
    for (uint64_t page = XYLEM_STORE__META_PAGES; page < check->bit_count; page++) {
        check->found->leaked_count += !bit_is(check->used, page) && !bit_is(check->freed, page);
    }
}

/* The tables first, so that the free list can be held against what they use; its own pages come before its lists. */
static void check_trees(struct check *check, const struct xylem_store__tree *free_list,
                        const struct xylem_store__tree *main_table)
{
    struct walk tables = {.check = check, .tree = *main_table, .name = "the list of tables", .visit = visit_table};
    struct walk pages = {.check = check, .tree = *free_list, .name = "the free list", .numbers = true};
    walk_tree(&tables);
    if (tables.unsound) {
        check->found->unsound_tables = (UINT32_C(1) << XYLEM_STORE__TABLE_COUNT) - 1;
    }
    pages.visit = visit_free_list;
    if (check->code == XYLEM_OK) {
        walk_tree(&pages);
    }
}

static int run(struct check *check, bool tables, const char *path)
{
    struct xylem_store__tree free_list;
    struct xylem_store__tree main_table;
    struct walk meta = {.check = check};
    memset(check->found, 0, sizeof *check->found);
    int code = check_start(check, path);
    if (code < 0) {
        return code;
    }
    if (meta_read(&meta, &free_list, &main_table) && check->code == XYLEM_OK) {
        check->code = check_bits(check);
        if (!tables) {
            main_table = (struct xylem_store__tree){.root = XYLEM_STORE__NO_PAGE};
        }
        if (check->code == XYLEM_OK) {
            check_trees(check, &free_list, &main_table);
        }
        if (check->code == XYLEM_OK && tables) {
            count_leaked(check);
        }
    }
    check_release(check);
    return check->code;
}

int xylem_store__pages_check_all(struct xylem_store__pages_found *found, const struct xylem_store__pages *pages,
                                 const struct xylem_store__pages_listener *listener, struct xylem_error *err)
{
    struct check check = {.pages = pages, .found = found, .listener = listener, .err = err};
    return run(&check, true, "data.mdb");
}

struct first {
    const char *path;
    struct xylem_error *err;
};

static int keep_first(void *context, uint64_t page, const char *table, const char *text)
{
    struct first *first = context;
    (void)table;
    xylem_base__fail(first->err, XYLEM_E_CORRUPT, "%s/data.mdb: page %" PRIu64 ": %s", first->path, page, text);
    return 1;
}

int xylem_store__pages_check_free(const struct xylem_store__pages *pages, const char *path, struct xylem_error *err)
{
    struct xylem_store__pages_found found;
    struct first first = {path, err};
    struct xylem_error stopped;
    struct xylem_store__pages_listener listener = {.problem = keep_first, .context = &first};
    struct check check = {.pages = pages, .found = &found, .listener = &listener, .err = &stopped};
    int code = run(&check, false, path);
    if (code == XYLEM_E_STOPPED) {
        return XYLEM_E_CORRUPT;
    }
    return code == XYLEM_OK ? XYLEM_OK : xylem_base__fail(err, code, "%s", stopped.text);
}
