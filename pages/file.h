/* A data.mdb as numbered pages, read without LMDB. Every access is checked against the page and the file. */
#ifndef XYLEM_PAGES_FILE_H
#define XYLEM_PAGES_FILE_H

#include "pages/store_files.h"
#include "pages/page.h"
#include "xylem.h"

/* Pages with data. A sparse file has holes between them, and nobody reads the holes. */
struct xylem_pages__extent {
    uint64_t first; /* number of its first page */
    uint64_t count;
    uint64_t index; /* how many pages with data lie before it */
};

struct xylem_pages__page_file {
    int fd;
    int lock_fd; /* of xylem.lock, held shared; -1: there is none */
    char *path;  /* of data.mdb */
    size_t page_bytes;
    uint64_t file_bytes;
    uint64_t page_count;                 /* the last may be there in part */
    struct xylem_pages__extent *extents; /* ascending, with holes between them */
    size_t extent_count;
    size_t extent_capacity;
    uint64_t data_pages; /* pages of all extents */
    struct {
        bool sane;
        uint64_t txn_id;
        uint64_t last_page;
        struct xylem_pages__tree free_list;
        struct xylem_pages__tree main;
    } metas[XYLEM_PAGES__META_PAGES];
    int newest;        /* the meta page that counts, -1 for none */
    bool newest_known; /* both are sane, and one follows the other: there was no newer one */
};

/* Errors: NOT_FOUND, NOT_A_STORE, BUSY, IO, MEMORY. Close it in any case. Start with a zeroed struct. */
int xylem_pages__page_file_open(struct xylem_pages__page_file *file, const char *store_path, struct xylem_error *err);
void xylem_pages__page_file_close(struct xylem_pages__page_file *file);

/* What is left of a file that LMDB does not take for its own. */
struct xylem_pages__page_file_signs {
    bool meta_sane[XYLEM_PAGES__META_PAGES];
    uint64_t numbered_pages; /* others that say that they have the number that they have */
};

/* Reads them from a data file of that name. What cannot be read has no signs. */
struct xylem_pages__page_file_signs xylem_pages__page_file_look(const struct xylem_pages__directory *directory,
                                                                const char *name);

/*
 * The place of a page among the pages with data, from 0 on; XYLEM_PAGES__NO_PAGE for a page in a hole or behind the end. So
 * no memory and no time grows with a page number.
 */
uint64_t xylem_pages__page_file_index(const struct xylem_pages__page_file *file, uint64_t number);

/* Reads a page; what the file does not have of it is zero. False: it has nothing of it, or cannot be read. */
bool xylem_pages__page_file_read(unsigned char *page, const struct xylem_pages__page_file *file, uint64_t number);
/* Appends to `bytes` what the file has of a value that begins on an overflow page. MEMORY. */
int xylem_pages__page_file_value(struct xylem_buffer *bytes, const struct xylem_pages__page_file *file, uint64_t first,
                                 uint64_t value_bytes);
/* True if a page says that it is the first of those that hold a value of so many bytes. */
bool xylem_pages__page_file_begins_value(const struct xylem_pages__page_file *file, uint64_t first,
                                         uint64_t value_bytes);
/* True if no transaction was committed since the file was opened. */
bool xylem_pages__page_file_unchanged(const struct xylem_pages__page_file *file);

/*
 * The node at an index of a page, or at an offset, where it is read as a leaf's or not. False: it does not lie inside of
 * the page, or its value on no pages that can be; then it is not to be read.
 */
bool xylem_pages__page_file_node(struct xylem_pages__node *node, const unsigned char *page,
                                 const struct xylem_pages__page_file *file, size_t index);
bool xylem_pages__page_file_node_at(struct xylem_pages__node *node, const unsigned char *page,
                                    const struct xylem_pages__page_file *file, size_t offset, bool leaf);

#endif
