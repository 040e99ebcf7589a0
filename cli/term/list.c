/* Grows lists. */
#include "cli/term/term.h"

#include <stdlib.h>
#include <string.h>

int xylem_cli__list_add(struct xylem_cli *cli, void *list, size_t *count, size_t *capacity, const void *item,
                        size_t item_bytes)
{
    void *items; /* copied, because the pointer in the list has the type of the items */
    memcpy(&items, list, sizeof items);
    if (*count == *capacity) {
        size_t grown = *capacity == 0 ? 64 : *capacity * 2;
        items = reallocarray(items, grown, item_bytes);
        if (!items) {
            return cli ? xylem_cli__fail_memory(cli) : XYLEM_E_MEMORY;
        }
        memcpy(list, &items, sizeof items);
        *capacity = grown;
    }
    memcpy((char *)items + (*count)++ * item_bytes, item, item_bytes);
    return 0;
}
