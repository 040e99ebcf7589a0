#include "store/lmdb_pages.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/error.h"
#include "store/lmdb_page.h"

/* Pages still to visit: a stack, because a damaged file must not make the program's own stack grow. */
struct visit {
    const struct xylem_store__pages *pages;
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
    if (page == XYLEM_STORE__NO_PAGE) {
        return XYLEM_OK;
    }
    if (page >= visit->file_pages) {
        return damaged(visit, page, "is in use but lies beyond the end of the file: it was truncated");
    }
    if (visit->left_count == visit->left_capacity) {
        size_t capacity = visit->left_capacity ? visit->left_capacity * 2 : 256;
        uint64_t *left = realloc(visit->left, capacity * sizeof *left);
        if (!left) {
            return xylem_base__fail_memory(visit->err);
        }
        visit->left = left;
        visit->left_capacity = capacity;
    }
    visit->left[visit->left_count++] = page;
    return XYLEM_OK;
}

static int read_page(struct visit *visit, uint64_t page)
{
    size_t bytes = (size_t)visit->pages->page_bytes;
    ssize_t got = pread(visit->pages->fd, visit->page, bytes, (off_t)(page * bytes));
    return got == (ssize_t)bytes ? XYLEM_OK : damaged(visit, page, "cannot be read");
}

/* A leaf's node: what it leads to is a run of overflow pages, or the root of a table or of a key's values. */
static int visit_leaf_node(struct visit *visit, uint64_t page, size_t offset)
{
    size_t page_bytes = (size_t)visit->pages->page_bytes;
    const unsigned char *node = visit->page + offset;
    unsigned flags = (unsigned)xylem_store__page_number_at(node + 4, 2);
    size_t data = offset + XYLEM_STORE__NODE_HEADER_BYTES + (size_t)xylem_store__page_number_at(node + 6, 2);
    if (flags & XYLEM_STORE__NODE_BIG) {
        if (data + 8 > page_bytes) {
            return damaged(visit, page, "has a node that is too long");
        }
        uint64_t bytes = xylem_store__page_number_at(node, 4);
        uint64_t count = xylem_store__overflow_pages(bytes, page_bytes);
        uint64_t first = xylem_store__page_number_at(visit->page + data, 8);
        bool inside = first < visit->file_pages && count <= visit->file_pages - first;
        return inside ? XYLEM_OK
                      : damaged(visit, first, "begins a value that lies beyond the end of the file: it was truncated");
    }
    if (flags & XYLEM_STORE__NODE_SUB) {
        if (data + XYLEM_STORE__TREE_BYTES > page_bytes) {
            return damaged(visit, page, "has a node that is too long");
        }
        return push(visit, xylem_store__tree_at(visit->page + data).root);
    }
    return XYLEM_OK;
}

static int visit_page(struct visit *visit, uint64_t page)
{
    int code = read_page(visit, page);
    size_t page_bytes = (size_t)visit->pages->page_bytes;
    unsigned flags = xylem_store__page_flags(visit->page);
    size_t lower = xylem_store__page_lower(visit->page);
    if (code < 0 || flags & XYLEM_STORE__PAGE_LEAF2) {
        return code;
    }
    if (!(flags & (XYLEM_STORE__PAGE_BRANCH | XYLEM_STORE__PAGE_LEAF)) || lower < XYLEM_STORE__PAGE_HEADER_BYTES ||
        lower > page_bytes) {
        return damaged(visit, page, "is neither a branch nor a leaf");
    }
    for (size_t at = XYLEM_STORE__PAGE_HEADER_BYTES; code == XYLEM_OK && at + 2 <= lower; at += 2) {
        size_t offset = (size_t)xylem_store__page_number_at(visit->page + at, 2);
        if (offset + XYLEM_STORE__NODE_HEADER_BYTES > page_bytes) {
            return damaged(visit, page, "has a node beyond its end");
        }
        const unsigned char *node = visit->page + offset;
        code = flags & XYLEM_STORE__PAGE_LEAF ? visit_leaf_node(visit, page, offset)
                                              : push(visit, xylem_store__node_child(node));
    }
    return code;
}

/* The two roots (free pages, tables) of the meta page that the read transaction uses. */
static int push_roots(struct visit *visit)
{
    for (uint64_t meta = 0; meta < 2; meta++) {
        int code = read_page(visit, meta);
        if (code < 0) {
            return code;
        }
        if (xylem_store__page_number_at(visit->page + XYLEM_STORE__META_TXN_OFFSET, 8) == visit->pages->txn_id) {
            uint64_t free_root = xylem_store__tree_at(visit->page + XYLEM_STORE__META_FREE_OFFSET).root;
            uint64_t main_root = xylem_store__tree_at(visit->page + XYLEM_STORE__META_MAIN_OFFSET).root;
            code = push(visit, free_root);
            return code < 0 ? code : push(visit, main_root);
        }
    }
    /* A writer committed since the transaction began: the file grew, so its end is not missing. */
    return XYLEM_OK;
}

int xylem_store__pages_check(const struct xylem_store__pages *pages, const char *path, struct xylem_error *err)
{
    struct stat file;
    if (fstat(pages->fd, &file) != 0 || pages->page_bytes < 512 || pages->page_bytes > 65536) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s/data.mdb: cannot find out its length", path);
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
        /* A tree has every page once: a file in which more are met leads in a circle. */
        uint64_t page = visit.left[--visit.left_count];
        code = ++visit.visited > file_pages ? damaged(&visit, page, "is reached twice") : visit_page(&visit, page);
    }
    free(visit.left);
    free(visit.page);
    return code;
}
