/* Lists of numbers, and the orders that numbers and positions are sorted in. */
#ifndef XYLEM_STORE_NUMBERS_H
#define XYLEM_STORE_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "xylem.h"

/* Start with a zeroed struct; end with free(list). */
struct xylem_store__numbers {
    uint64_t *list;
    size_t count;
    size_t capacity;
};

/* MEMORY leaves the list as it was. */
int xylem_store__numbers_add(struct xylem_store__numbers *numbers, uint64_t number, struct xylem_error *err);
/* Adds a number, unless the number is 0 or the last of the list. */
int xylem_store__numbers_note(struct xylem_store__numbers *numbers, uint64_t number, struct xylem_error *err);
void xylem_store__numbers_sort(struct xylem_store__numbers *numbers);
/* Is the number in a sorted list? */
bool xylem_store__numbers_have(const struct xylem_store__numbers *numbers, uint64_t number);

/* For qsort() and bsearch(): of two uint64_t, and of two struct xylem_position, in the order of the log. */
int xylem_store__compare_numbers(const void *left, const void *right);
int xylem_store__compare_positions(const void *left, const void *right);

#endif
