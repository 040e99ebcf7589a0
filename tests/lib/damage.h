/* Stores that are damaged on purpose: where rows lie in data.mdb, and what is done to the file. */
#ifndef XYLEM_TESTS_LIB_DAMAGE_H
#define XYLEM_TESTS_LIB_DAMAGE_H

#include "care/repair/salvage.h"

#define DAMAGE_PAGE_BYTES 4096u

/* A file in memory. */
struct damage_file {
    unsigned char *bytes;
    size_t count;
};

struct damage_file damage_read(const char *directory);
/* Writes it as the data.mdb of a directory, which is made if need be. */
void damage_write(const char *directory, const struct damage_file *file);
void damage_free(struct damage_file *file);
bool damage_equal(const struct damage_file *a, const struct damage_file *b);

/* Where a row of an undamaged store lies: offset of its node, of its value, and bytes of its value. */
struct damage_row {
    uint64_t page;
    uint64_t value;
    uint64_t value_bytes;
    bool big; /* its value lies on pages of its own, from `value` on */
};

/* The row whose key begins with these numbers (second 0: any). Fails the test if there is none. */
struct damage_row damage_find(const char *directory, enum xylem_format__table table, uint64_t first, uint64_t second);
void damage_zero_page(struct damage_file *file, uint64_t page);

#endif
