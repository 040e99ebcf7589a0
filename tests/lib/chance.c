#include "tests/lib/chance.h"

/* splitmix64: neighbouring seeds give unrelated sequences. */
uint64_t chance_draw(struct chance *chance)
{
    chance->state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t mixed = chance->state;
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ (mixed >> 31);
}

struct chance chance_of(uint64_t seed)
{
    return (struct chance){seed};
}

int chance_below(struct chance *chance, int bound)
{
    return (int)(chance_draw(chance) % (uint64_t)bound);
}

bool chance_one_in(struct chance *chance, int odds)
{
    return chance_below(chance, odds) == 0;
}
