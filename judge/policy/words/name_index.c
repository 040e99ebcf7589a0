#include "judge/policy/words/name_index.h"

#include <assert.h>
#include <stdint.h>

#include "base/value.h"
#include "judge/policy/words/names.h"

/* The slot of the name, or the empty slot for the name. An empty slot exists: at most half of the slots are in use. */
static size_t look_up(const struct xylem_policy__name_index *index, struct xylem_view name)
{
    uint32_t hash = 2166136261u;
    assert(index->count <= XYLEM_POLICY__INDEX_SLOTS / 2);
    for (size_t i = 0; i < name.bytes; i++) {
        hash = (hash ^ (unsigned char)name.data[i]) * 16777619u;
    }
    size_t slot = (hash ^ hash >> 15) % XYLEM_POLICY__INDEX_SLOTS;
    while (index->slots[slot].row && !xylem_base__view_equal(index->slots[slot].name, name)) {
        slot = (slot + 1) % XYLEM_POLICY__INDEX_SLOTS;
    }
    return slot;
}

bool xylem_policy__index_add(struct xylem_policy__name_index *index, const char *names, const void *row)
{
    bool added = true;
    for (struct xylem_view name; xylem_policy__next_name(&name, &names);) {
        bool beginning = name.data[name.bytes - 1] == '*';
        if (beginning && index->beginning_count < XYLEM_POLICY__INDEX_BEGINNINGS) {
            name.bytes--;
            index->beginnings[index->beginning_count++] = (struct xylem_policy__indexed){name, row};
        } else if (!beginning && index->count < XYLEM_POLICY__INDEX_SLOTS / 2) {
            struct xylem_policy__indexed *slot = &index->slots[look_up(index, name)];
            if (!slot->row) {
                *slot = (struct xylem_policy__indexed){name, row};
                index->count++;
            }
        } else {
            added = false;
        }
    }
    return added;
}

const void *xylem_policy__index_find(const struct xylem_policy__name_index *index, struct xylem_view name)
{
    if (name.bytes == 0) {
        return NULL;
    }
    size_t slot = look_up(index, name);
    if (index->slots[slot].row) {
        return index->slots[slot].row;
    }
    for (size_t i = 0; i < index->beginning_count; i++) {
        if (xylem_base__view_begins(name, index->beginnings[i].name)) {
            return index->beginnings[i].row;
        }
    }
    return NULL;
}
