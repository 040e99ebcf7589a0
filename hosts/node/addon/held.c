#include "hosts/node/addon/held.h"

const struct field held_item_fields[] = {
    {"id", FIELD_STRING, AT(held_item, id)},
    {"kind", FIELD_STRING, AT(held_item, kind)},
    {"data", FIELD_STRING, MAYBE_AT(held_item, data)},
    {.name = NULL},
};

int held_next(void *context, struct xylem_held_entry *entry)
{
    struct held *held = context;
    if (held->next == held->count) {
        return 0;
    }
    const struct held_item *item = &held->items[held->next++];
    entry->id = item->id;
    entry->data = item->data;
    int code = xylem_kind_parse(&entry->kind, &held->kind, item->kind, held->err);
    return code < 0 ? code : 1;
}
