/*
 * Copies the pages of a snapshot, each at its own place in the new file, while a walk proves the pages:
 *
 *     the store   | meta | meta | leaf  | free  | branch | value ----- | free  | leaf  |
 *     the copy    | meta | meta | leaf  | hole  | branch | value ----- | hole  | leaf  |
 *
 * So two copies differ only where the store changed in between, and a program that keeps equal blocks once keeps few
 * new blocks. A page has bytes that belong to no row: remains of former rows. In the copy these bytes are 0:
 *
 *     branch, leaf    between the offsets and the nodes; one byte behind a node with an odd length
 *     overflow pages  behind the value
 *     free list       behind the counted pages of a record
 *     meta page       behind the fields
 */
#ifndef XYLEM_PAGES_COPY_H
#define XYLEM_PAGES_COPY_H

#include "store/pages/tree_cursor.h"

struct xylem_pages__copy {
    int fd;           /* of an empty file, open for writing */
    const char *path; /* of this file, for error texts */
    const struct xylem_pages__snapshot *snapshot;
    uint64_t map_bytes;
    /* Gets each row of a leaf of a table. The call may change the bytes of the value for the copy. */
    void (*row)(void *context, const char *table, struct xylem_view key, unsigned char *value, uint64_t bytes);
    void *context;
};

/* The bytes of a value that mean something: all, but of a record of the free list. */
uint64_t xylem_pages__copy_used(bool free_list, const unsigned char *value, uint64_t value_bytes);

/*
 * Cleans and writes a proven branch or leaf of a table (NULL: the list of tables, or the free list). The nodes of the
 * page stay as they are, but for changes by `row`.
 */
int xylem_pages__copy_page(const struct xylem_pages__copy *copy, unsigned char *page, const char *table, bool free_list,
                           struct xylem_error *err);
/* Writes bytes at their place in the file. */
int xylem_pages__copy_write(const struct xylem_pages__copy *copy, const unsigned char *bytes, size_t count,
                            uint64_t offset, struct xylem_error *err);
/* After all other pages: makes the file as long as the snapshot, and writes the meta pages. */
int xylem_pages__copy_metas(const struct xylem_pages__copy *copy, struct xylem_error *err);

#endif
