#include "store/pages/reach.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/error.h"
#include "store/pages/page.h"

/* A visit of all pages. `left`: pages still to visit; no recursion, so that no damaged file exhausts the stack. */
struct visit {
    const struct xylem_pages__pages *pages;
    const char *path;
    uint64_t file_pages;
    unsigned char *page;
    uint64_t *left;
    size_t left_count;
    size_t left_capacity;
    uint64_t visited;
    struct xylem_error *err;
};

static int damaged(struct visit *visit, uint64_t page, const char *what)
{
    return xylem_base__fail(visit->err, XYLEM_E_CORRUPT,
                            "%s/data.mdb: page %" PRIu64 " %s (the file has %" PRIu64 " pages)", visit->path, page,
                            what, visit->file_pages);
}

static int push(struct visit *visit, uint64_t page)
{
    if (page == XYLEM_PAGES__NO_PAGE) {
        return XYLEM_OK;
    }
    if (page >= visit->file_pages) {
        return damaged(visit, page, "is in use, but lies beyond the end of the file: the file was truncated");
    }
    uint64_t *left = xylem_base__with_room(visit->left, &visit->left_capacity, visit->left_count, sizeof *left);
    if (!left) {
        return xylem_base__fail_memory(visit->err);
    }
    visit->left = left;
    visit->left[visit->left_count++] = page;
    return XYLEM_OK;
}

/* A node of a leaf leads nowhere, to a run of overflow pages, or to the root of a table. */
static int visit_leaf_node(struct visit *visit, uint64_t page, const struct xylem_pages__node *node)
{
    if (node->flags & XYLEM_PAGES__NODE_BIG) {
        uint64_t count = xylem_pages__overflow_pages(node->value_bytes, visit->pages->page_bytes);
        uint64_t first = node->first_page;
        bool inside = first < visit->file_pages && count <= visit->file_pages - first;
        return inside ? XYLEM_OK
                      : damaged(visit, first,
                                "begins a value that ends beyond the end of the file: the file was truncated");
    }
    if (node->flags & XYLEM_PAGES__NODE_SUB) {
        return node->value_bytes == XYLEM_PAGES__TREE_BYTES
                   ? push(visit, xylem_pages__tree_at(node->data).root)
                   : damaged(visit, page, "has a row of the list of tables with a wrong length");
    }
    return XYLEM_OK;
}

static int visit_page(struct visit *visit, uint64_t page)
{
    int code = XYLEM_OK;
    size_t page_bytes = (size_t)visit->pages->page_bytes;
    if (xylem_pages__file_read(visit->pages->fd, visit->page, page_bytes, page * page_bytes) != page_bytes) {
        return damaged(visit, page, "cannot be read");
    }
    bool leaf = xylem_pages__page_flags(visit->page) & XYLEM_PAGES__PAGE_LEAF;
    bool branch = xylem_pages__page_flags(visit->page) & XYLEM_PAGES__PAGE_BRANCH;
    if ((!leaf && !branch) || !xylem_pages__page_bounds_possible(visit->page, page_bytes)) {
        return damaged(visit, page, "is neither a branch nor a leaf");
    }
    size_t count = xylem_pages__page_node_count(visit->page, page_bytes);
    for (size_t i = 0; code == XYLEM_OK && i < count; i++) {
        struct xylem_pages__node node;
        size_t offset = xylem_pages__page_node_offset(visit->page, i);
        if (!xylem_pages__node_read(&node, visit->page, page_bytes, offset, leaf)) {
            return damaged(visit, page, "has a node that lies outside the page");
        }
        code = leaf ? visit_leaf_node(visit, page, &node) : push(visit, node.child);
    }
    return code;
}

/* Pushes the roots of the free list and of the list of tables, by the meta page of the read transaction. */
static int push_roots(struct visit *visit)
{
    for (uint64_t number = 0; number < XYLEM_PAGES__META_PAGES; number++) {
        struct xylem_pages__meta meta;
        if (!xylem_pages__meta_read(&meta, visit->pages->fd, number, (size_t)visit->pages->page_bytes)) {
            return damaged(visit, number, "cannot be read");
        }
        if (meta.txn_id == visit->pages->txn_id) {
            int code = push(visit, meta.free_list.root);
            return code < 0 ? code : push(visit, meta.main_table.root);
        }
    }
    /* Two commits since the transaction began wrote over the meta page: a file that grows was not truncated. */
    return XYLEM_OK;
}

int xylem_pages__pages_check(const struct xylem_pages__pages *pages, const char *path, struct xylem_error *err)
{
    struct stat file;
    if (fstat(pages->fd, &file) != 0 || !xylem_pages__is_page_size(pages->page_bytes)) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s/data.mdb: cannot read the length of the file", path);
    }
    uint64_t file_pages = (uint64_t)file.st_size / pages->page_bytes;
    if (file_pages > pages->last_page) {
        return XYLEM_OK;
    }
    struct visit visit = {.pages = pages, .path = path, .file_pages = file_pages, .err = err};
    visit.page = malloc((size_t)pages->page_bytes);
    if (!visit.page) {
        return xylem_base__fail_memory(err);
    }
    int code = push_roots(&visit);
    while (code == XYLEM_OK && visit.left_count > 0) {
        /* A tree has every page once: more visits than pages mean a circle. */
        uint64_t page = visit.left[--visit.left_count];
        code = ++visit.visited > file_pages ? damaged(&visit, page, "is reached twice") : visit_page(&visit, page);
    }
    free(visit.left);
    free(visit.page);
    return code;
}
