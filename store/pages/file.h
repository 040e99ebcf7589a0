/* Reads data.mdb as numbered pages, without LMDB. Every access is checked against the page and the file. */
#ifndef XYLEM_PAGES_FILE_H
#define XYLEM_PAGES_FILE_H

#include "store/pages/store_files.h"
#include "store/pages/page.h"

/* A run of pages with data. A sparse file has holes between extents, and nobody reads the holes. */
struct xylem_pages__extent {
    uint64_t first; /* the number of the first page */
    uint64_t count;
    uint64_t index; /* the number of pages with data before this extent */
};

struct xylem_pages__page_file {
    int fd;
    int lock_fd; /* xylem.lock, held shared; -1: not open */
    char *path;  /* of data.mdb */
    size_t page_bytes;
    uint64_t file_bytes;
    uint64_t page_count;                 /* the last page may be incomplete */
    struct xylem_pages__extent *extents; /* ascending, and separated by holes */
    size_t extent_count;
    size_t extent_capacity;
    uint64_t data_pages; /* pages of all extents */
    struct xylem_pages__meta metas[XYLEM_PAGES__META_PAGES];
    bool meta_sane[XYLEM_PAGES__META_PAGES];
    int newest;        /* the newest sane meta page; -1: none is sane */
    bool newest_known; /* both meta pages are sane, and one follows the other: no newer meta page was lost */
};

/* Start with a zeroed struct, and close the file in any case. Errors: NOT_FOUND, NOT_A_STORE, BUSY, IO, MEMORY. */
int xylem_pages__page_file_open(struct xylem_pages__page_file *file, const char *store_path, struct xylem_error *err);
void xylem_pages__page_file_close(struct xylem_pages__page_file *file);

/* Signs of a store in a file that LMDB refuses. */
struct xylem_pages__page_file_signs {
    bool opened;
    bool meta_sane[XYLEM_PAGES__META_PAGES];
    uint64_t numbered_pages; /* other pages that have their own number in the header */
};

/* Looks for signs in a data file of the directory. A file that cannot be read has no signs. */
struct xylem_pages__page_file_signs xylem_pages__page_file_look(const struct xylem_pages__directory *directory,
                                                                const char *name);

/*
 * The index of a page among the pages with data, from 0 on; XYLEM_PAGES__NO_PAGE for a page in a hole or behind the
 * end. With this index memory and time grow with the data, not with the numbers of pages:
 *
 *     file     | data: pages 0..3 | hole: pages 4..999 | data: pages 1000..1001 |
 *     index      0..3                                    4..5
 */
uint64_t xylem_pages__page_file_index(const struct xylem_pages__page_file *file, uint64_t number);

/* Reads a page, and fills bytes behind the end of the file with 0. False if no byte of the page can be read. */
bool xylem_pages__page_file_read(unsigned char *page, const struct xylem_pages__page_file *file, uint64_t number);
/* Appends to `bytes` the part in the file of a value that begins on an overflow page. Errors: MEMORY. */
int xylem_pages__page_file_value(struct xylem_buffer *bytes, const struct xylem_pages__page_file *file, uint64_t first,
                                 uint64_t value_bytes);
/* True if the header of a page is the header of the first overflow page for a value of this length. */
bool xylem_pages__page_file_begins_value(const struct xylem_pages__page_file *file, uint64_t first,
                                         uint64_t value_bytes);
/* True if no transaction was committed since the file was opened. */
bool xylem_pages__page_file_unchanged(const struct xylem_pages__page_file *file);

/*
 * Reads the node at an index of a page, or at an offset as a node of a leaf or of a branch. False if the node does not
 * lie inside of the page, or has a value on impossible pages: then the content of `node` is undefined.
 */
bool xylem_pages__page_file_node(struct xylem_pages__node *node, const unsigned char *page,
                                 const struct xylem_pages__page_file *file, size_t index);
bool xylem_pages__page_file_node_at(struct xylem_pages__node *node, const unsigned char *page,
                                    const struct xylem_pages__page_file *file, size_t offset, bool leaf);

#endif
