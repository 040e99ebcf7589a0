#include "store/heads.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "store/format/record.h"

void xylem_store__heads_release(struct xylem_store__heads *heads)
{
    free(heads->list);
    memset(heads, 0, sizeof *heads);
}

/* Replaces the head of a kind, or inserts a head in the order of kind numbers. */
static int set_head(struct xylem_store__heads *heads, uint32_t kind_number, struct xylem_position position,
                    struct xylem_error *err)
{
    size_t low = 0;
    size_t high = heads->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (heads->list[middle].kind_number < kind_number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low < heads->count && heads->list[low].kind_number == kind_number) {
        heads->list[low].position = position;
        return XYLEM_OK;
    }
    if (heads->count == XYLEM_HEADS_MAX) {
        heads->incomplete = true;
        return XYLEM_OK;
    }
    struct xylem_store__head *list = xylem_base__with_room(heads->list, &heads->capacity, heads->count, sizeof *list);
    if (!list) {
        return xylem_base__fail_memory(err);
    }
    heads->list = list;
    memmove(&heads->list[low + 1], &heads->list[low], (heads->count - low) * sizeof *heads->list);
    heads->list[low] = (struct xylem_store__head){kind_number, position};
    heads->count++;
    return XYLEM_OK;
}

int xylem_store__heads_bad(struct xylem_position own, struct xylem_error *err)
{
    return xylem_base__fail(err, XYLEM_E_CORRUPT, "the record at " XYLEM_FORMAT__AT_FORMAT " has invalid heads",
                            XYLEM_FORMAT__AT_ARGUMENTS(own));
}

/* Loads the heads of a marked entry, and the entry itself as the head of its kind. */
static int take_marked(struct xylem_store__heads *heads, const struct xylem_entry *marked, struct xylem_error *err)
{
    struct xylem_store__heads_reading reading;
    struct xylem_position head;
    heads->incomplete = marked->flags & XYLEM_ENTRY_HEADS_INCOMPLETE;
    heads->count = 0;
    heads->loaded = true;
    int code = xylem_store__heads_reading_start(&reading, marked, err);
    while (code == XYLEM_OK && (code = xylem_store__heads_reading_next(&head, &reading, err)) > 0) {
        code = set_head(heads, (uint32_t)reading.kind_number, head, err);
    }
    return code < 0 ? code : set_head(heads, marked->unverified.kind_number, marked->position, err);
}

int xylem_store__heads_start(struct xylem_store__heads *heads, const struct xylem_entry *parent,
                             struct xylem_error *err)
{
    heads->last = parent->position;
    if (!xylem_store__kind_is_message(parent->kind)) {
        heads->marked = parent->position;
        return take_marked(heads, parent, err);
    }
    struct xylem_base__cursor rest;
    heads->loaded = false;
    return xylem_format__links_marked(&heads->marked, &rest, parent, err);
}

/*
 * Loads the heads of a path that ends in a message: the heads of the last marked entry, the last marked entry itself,
 * and the message.
 */
static int load(struct xylem_store__heads *heads, struct xylem_txn *txn, struct xylem_error *err)
{
    if (heads->loaded || xylem_format__position_none(heads->last)) {
        heads->loaded = true;
        return XYLEM_OK;
    }
    struct xylem_entry entry;
    bool marked = !xylem_format__position_none(heads->marked);
    int code;
    heads->count = 0;
    if ((marked && ((code = xylem_entry_read(&entry, txn, heads->marked, err)) < 0 ||
                    (code = take_marked(heads, &entry, err)) < 0)) ||
        (code = xylem_entry_read(&entry, txn, heads->last, err)) < 0 ||
        (code = set_head(heads, entry.unverified.kind_number, heads->last, err)) < 0) {
        return xylem_store__no_entry(code)
                   ? xylem_base__fail(err, XYLEM_E_CORRUPT,
                                      "the last marked entry before " XYLEM_FORMAT__AT_FORMAT " is missing",
                                      XYLEM_FORMAT__AT_ARGUMENTS(heads->last))
                   : code;
    }
    heads->loaded = true;
    return XYLEM_OK;
}

int xylem_store__heads_links(struct xylem_buffer *links, unsigned *flags, struct xylem_store__heads *heads,
                             struct xylem_txn *txn, struct xylem_position own, bool is_message, struct xylem_error *err)
{
    int code = XYLEM_OK;
    *flags = 0;
    if (!xylem_format__position_none(heads->last) && heads->last.branch != own.branch) {
        *flags |= XYLEM_ENTRY_STARTS_BRANCH;
        code = xylem_base__add_varint(links, own.branch - heads->last.branch);
    }
    if (code < 0 || xylem_format__link_add(links, own, heads->marked) < 0) {
        return xylem_base__fail_memory(err);
    }
    if (is_message) {
        return XYLEM_OK;
    }
    if ((code = load(heads, txn, err)) < 0) {
        return code;
    }
    if (heads->incomplete) {
        *flags |= XYLEM_ENTRY_HEADS_INCOMPLETE;
        return XYLEM_OK;
    }
    uint32_t before = 0;
    for (size_t i = 0; i < heads->count; i++) {
        const struct xylem_store__head *head = &heads->list[i];
        if (xylem_base__add_varint(links, head->kind_number - before) < 0 ||
            xylem_format__link_add(links, own, head->position) < 0) {
            return xylem_base__fail_memory(err);
        }
        before = head->kind_number;
    }
    return XYLEM_OK;
}

int xylem_store__heads_advance(struct xylem_store__heads *heads, struct xylem_position own, uint32_t kind_number,
                               bool is_message, struct xylem_error *err)
{
    heads->last = own;
    if (!is_message) {
        heads->marked = own;
    }
    return heads->loaded ? set_head(heads, kind_number, own, err) : XYLEM_OK;
}
