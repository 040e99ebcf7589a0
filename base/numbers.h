/* Manages lists of numbers, and compares numbers and positions. */
#ifndef XYLEM_BASE_NUMBERS_H
#define XYLEM_BASE_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "xylem/base.h"

/* Start with a zeroed struct; end with free(list). */
struct xylem_base__numbers {
    uint64_t *list;
    size_t count;
    size_t capacity;
};

/* MEMORY leaves the list as it was. */
int xylem_base__numbers_add(struct xylem_base__numbers *numbers, uint64_t number, struct xylem_error *err);
/* Adds a number, unless the number is 0 or the last of the list. */
int xylem_base__numbers_note(struct xylem_base__numbers *numbers, uint64_t number, struct xylem_error *err);
/* Sorts the numbers, and keeps one of equal numbers. */
void xylem_base__numbers_sort(struct xylem_base__numbers *numbers);
/* True if a sorted list has the number. */
bool xylem_base__numbers_have(const struct xylem_base__numbers *numbers, uint64_t number);

/* For qsort() and bsearch(): of two uint64_t, and of two struct xylem_position, in the order of the log. */
int xylem_base__compare_numbers(const void *left, const void *right);
int xylem_base__compare_positions(const void *left, const void *right);

#endif
