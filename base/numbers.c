#include "base/numbers.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "xylem/session.h"

int xylem_base__numbers_add(struct xylem_base__numbers *numbers, uint64_t number, struct xylem_error *err)
{
    uint64_t *list = xylem_base__with_room(numbers->list, &numbers->capacity, numbers->count, sizeof *list);
    if (!list) {
        return xylem_base__fail_memory(err);
    }
    numbers->list = list;
    list[numbers->count++] = number;
    return XYLEM_OK;
}

int xylem_base__numbers_note(struct xylem_base__numbers *numbers, uint64_t number, struct xylem_error *err)
{
    bool known = number == 0 || (numbers->count > 0 && numbers->list[numbers->count - 1] == number);
    return known ? XYLEM_OK : xylem_base__numbers_add(numbers, number, err);
}

int xylem_base__compare_numbers(const void *left, const void *right)
{
    const uint64_t *a = left;
    const uint64_t *b = right;
    return (*a > *b) - (*a < *b);
}

int xylem_base__compare_positions(const void *left, const void *right)
{
    const struct xylem_position *a = left;
    const struct xylem_position *b = right;
    int order = xylem_base__compare_numbers(&a->branch, &b->branch);
    return order != 0 ? order : xylem_base__compare_numbers(&a->depth, &b->depth);
}

void xylem_base__numbers_sort(struct xylem_base__numbers *numbers)
{
    size_t kept = 0;
    if (numbers->count > 0) {
        qsort(numbers->list, numbers->count, sizeof *numbers->list, xylem_base__compare_numbers);
    }
    for (size_t i = 0; i < numbers->count; i++) {
        if (kept == 0 || numbers->list[kept - 1] != numbers->list[i]) {
            numbers->list[kept++] = numbers->list[i];
        }
    }
    numbers->count = kept;
}

bool xylem_base__numbers_have(const struct xylem_base__numbers *numbers, uint64_t number)
{
    return numbers->count > 0 &&
           bsearch(&number, numbers->list, numbers->count, sizeof *numbers->list, xylem_base__compare_numbers) != NULL;
}
