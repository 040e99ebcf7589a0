/* Grows lists. */
#include "cli/term/term.h"
#include "base/buffer.h"

#include <string.h>

int xylem_cli__list_add(struct xylem_cli *cli, void *list, size_t *count, size_t *capacity, const void *item,
                        size_t item_bytes)
{
    void *items; /* copied, because the pointer in the list has the type of the items */
    memcpy(&items, list, sizeof items);
    if (!(items = xylem_base__with_room(items, capacity, *count, item_bytes))) {
        return cli ? xylem_cli__fail_memory(cli) : XYLEM_E_MEMORY;
    }
    memcpy(list, &items, sizeof items);
    memcpy((char *)items + (*count)++ * item_bytes, item, item_bytes);
    return 0;
}
