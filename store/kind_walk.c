/*
 * The newest entry of a kind on a path: what the records say of it. An entry that is marked names the newest entry of
 * every kind before it, and every other entry leads to its last marked one.
 */
#include <inttypes.h>

#include "base/error.h"
#include "store/heads.h"
#include "store/record.h"
#include "store/tables.h"

/* What is looked for. */
struct search {
    struct xylem_txn *txn;
    struct xylem_kind kind;
    bool is_message;
};

static bool kind_equal(struct xylem_kind a, struct xylem_kind b)
{
    return a.kind_class == b.kind_class && xylem_base__view_equal(a.name, b.name);
}

/* Reads an entry that a record names: that it does not exist is corruption. */
static int read_named(struct xylem_entry *entry, struct xylem_txn *txn, struct xylem_position position,
                      struct xylem_position by, struct xylem_error *err)
{
    int code = xylem_entry_read(entry, txn, position, err);
    return code == XYLEM_E_NOT_FOUND
               ? xylem_base__fail(err, XYLEM_E_CORRUPT,
                                  "the record at " XYLEM_STORE__AT_FORMAT " names one at " XYLEM_STORE__AT_FORMAT
                                  ", which should exist and does not",
                                  XYLEM_STORE__AT_ARGUMENTS(by), XYLEM_STORE__AT_ARGUMENTS(position))
               : code;
}

static int bad_head(struct xylem_position by, struct xylem_error *err)
{
    return xylem_base__fail(err, XYLEM_E_CORRUPT, "the record at " XYLEM_STORE__AT_FORMAT " has heads that cannot be",
                            XYLEM_STORE__AT_ARGUMENTS(by));
}

/*
 * 1 and the head of the kind, or 0 if the heads prove that there is none: each of them is compared by the kind's name,
 * since a name that the table `kinds` lacks would prove nothing.
 */
static int find_head(struct xylem_position *head, const struct search *search, struct xylem_base__cursor *links,
                     struct xylem_position own, struct xylem_error *err)
{
    uint64_t number = 0;
    while (links->left > 0) {
        struct xylem_kind kind;
        uint64_t step = xylem_base__read_varint(links);
        struct xylem_position position = xylem_store__link_read(links, own);
        if (links->failed || step == 0 || step > UINT32_MAX - number || xylem_store__position_none(position)) {
            return bad_head(own, err);
        }
        number += step;
        int code = xylem_store__kind_read(&kind, search->txn, (uint32_t)number, err);
        if (code < 0) {
            return code;
        }
        if (kind_equal(kind, search->kind)) {
            *head = position;
            return 1;
        }
    }
    return 0;
}

/* What an entry that is marked and has heads says: 1 and the newest entry of the kind before it, or 0. */
static int ask_heads(struct xylem_entry *newest, const struct search *search, const struct xylem_entry *marked,
                     struct xylem_error *err)
{
    struct xylem_position position;
    struct xylem_base__cursor links;
    int code = xylem_store__links_marked(&position, &links, marked, err);
    code = code < 0 ? code : find_head(&position, search, &links, marked->position, err);
    if (code <= 0) {
        return code;
    }
    code = read_named(newest, search->txn, position, marked->position, err);
    if (code == XYLEM_OK && !kind_equal(newest->kind, search->kind)) {
        code = bad_head(marked->position, err);
    }
    return code < 0 ? code : 1;
}

/* Where to look next, where an entry has no heads: none at the end. */
static int step_back(struct xylem_position *next, const struct search *search, const struct xylem_entry *entry,
                     struct xylem_error *err)
{
    struct xylem_base__cursor rest;
    if (search->is_message) {
        *next = entry->parent;
        return XYLEM_OK;
    }
    return xylem_store__links_marked(next, &rest, entry, err);
}

int xylem_store__newest_of_kind(struct xylem_entry *newest, struct xylem_txn *txn, const struct xylem_entry *from,
                                struct xylem_kind kind, struct xylem_error *err)
{
    struct search search = {txn, kind, xylem_store__kind_is_message(kind)};
    struct xylem_entry entry = *from;
    int code = XYLEM_OK;
    while (code == XYLEM_OK) {
        if (kind_equal(entry.kind, kind)) {
            *newest = entry;
            return 1;
        }
        if (!xylem_store__kind_is_message(entry.kind) && !(entry.flags & XYLEM_ENTRY_HEADS_INCOMPLETE)) {
            return ask_heads(newest, &search, &entry, err);
        }
        struct xylem_position by = entry.position;
        struct xylem_position next;
        code = step_back(&next, &search, &entry, err);
        if (code < 0 || xylem_store__position_none(next)) {
            return code;
        }
        code = read_named(&entry, txn, next, by, err);
    }
    return code;
}

int xylem_newest_of_kind(struct xylem_entry *newest, struct xylem_txn *txn, struct xylem_position from,
                         struct xylem_kind kind, struct xylem_error *err)
{
    struct xylem_entry entry;
    if (xylem_store__position_none(from)) {
        return 0;
    }
    int code = xylem_entry_read(&entry, txn, from, err);
    return code < 0 ? code : xylem_store__newest_of_kind(newest, txn, &entry, kind, err);
}
