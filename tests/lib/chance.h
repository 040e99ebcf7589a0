/* Chance that can be had again: everything follows from one seed. */
#ifndef XYLEM_TESTS_LIB_CHANCE_H
#define XYLEM_TESTS_LIB_CHANCE_H

#include <stdbool.h>
#include <stdint.h>

struct chance {
    uint64_t state;
};

struct chance chance_of(uint64_t seed);
uint64_t chance_draw(struct chance *chance);
/* 0 to bound - 1; bound must not be 0. */
int chance_below(struct chance *chance, int bound);
/* True in one of `odds` cases. */
bool chance_one_in(struct chance *chance, int odds);

#endif
