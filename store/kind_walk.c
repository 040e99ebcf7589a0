/*
 * A walk along the entries of some kinds on one path. The records say where these are: an entry that is marked names the
 * newest entry of every kind before it, and every other one leads to its last marked one. So the walk goes back entry by
 * entry only until it meets heads; from there it hops from one wanted entry to the next, whatever lies between.
 */
#include <inttypes.h>

#include "base/error.h"
#include "store/heads.h"
#include "store/kind.h"
#include "format/record.h"
#include "lmdb/tables.h"

/* Reads an entry that a record names: that it does not exist is corruption. It is what the walk stands at then. */
static int read_named(struct xylem_store__kind_walk *walk, struct xylem_position position, struct xylem_position by,
                      struct xylem_error *err)
{
    if (xylem_format__position_equal(position, walk->at.position)) {
        return XYLEM_OK;
    }
    int code = xylem_store__entry_read(&walk->at, walk->txn, position, err);
    walk->read_count++;
    return xylem_store__no_entry(code)
               ? xylem_base__fail(err, XYLEM_E_CORRUPT,
                                  "the record at " XYLEM_FORMAT__AT_FORMAT " names one at " XYLEM_FORMAT__AT_FORMAT
                                  ", which should exist and does not",
                                  XYLEM_FORMAT__AT_ARGUMENTS(by), XYLEM_FORMAT__AT_ARGUMENTS(position))
               : code;
}

static bool has_heads(const struct xylem_entry *entry)
{
    return !xylem_store__kind_is_message(entry->kind) && !(entry->flags & XYLEM_ENTRY_HEADS_INCOMPLETE);
}

/* Where a kind that is wanted goes on. */
static void set_next(struct xylem_store__kind_walk *walk, struct xylem_kind kind, struct xylem_position head)
{
    for (size_t i = 0; i < walk->kind_count; i++) {
        if (!walk->kinds[i].closed && xylem_store__kind_equal(&walk->kinds[i].kind, &kind)) {
            walk->kinds[i].next = head;
            return;
        }
    }
}

/*
 * The lengths of the names that are wanted, one bit each, modulo 64. Most heads are of kinds that nobody wants, and most of
 * these are told by it.
 */
static uint64_t wanted_lengths(const struct xylem_store__kind_walk *walk)
{
    uint64_t lengths = 0;
    for (size_t i = 0; i < walk->kind_count; i++) {
        lengths |= UINT64_C(1) << walk->kinds[i].kind.name.bytes % 64;
    }
    return lengths;
}

/*
 * Learns from the entry that it stands at where each kind goes on. A kind that no head names is not on the path: the
 * heads are compared by the kinds' names, since a name that the table `kinds` lacks would prove nothing.
 */
static int take_heads(struct xylem_store__kind_walk *walk, struct xylem_error *err)
{
    struct xylem_store__heads_reading heads;
    struct xylem_position head;
    uint64_t lengths = wanted_lengths(walk);
    for (size_t i = 0; i < walk->kind_count; i++) {
        walk->kinds[i].next = (struct xylem_position){0, 0};
        walk->kinds[i].named_by = walk->at.position;
    }
    int code = xylem_store__heads_reading_start(&heads, &walk->at, err);
    while (code == XYLEM_OK && (code = xylem_store__heads_reading_next(&head, &heads, err)) > 0) {
        struct xylem_kind kind;
        code = xylem_store__kind_read(&kind, walk->txn, (uint32_t)heads.kind_number, err);
        if (code == XYLEM_OK && lengths >> kind.name.bytes % 64 & 1) {
            set_next(walk, kind, head);
        }
    }
    walk->hopping = code == XYLEM_OK;
    return code;
}

/* The head of one kind, by its number, in the heads of the entry that the walk stands at; none if there is none. */
static int find_head(struct xylem_position *found, struct xylem_store__kind_walk *walk, uint32_t number,
                     struct xylem_error *err)
{
    struct xylem_store__heads_reading heads;
    struct xylem_position head;
    *found = (struct xylem_position){0, 0};
    int code = has_heads(&walk->at) ? xylem_store__heads_reading_start(&heads, &walk->at, err)
                                    : xylem_store__heads_bad(walk->at.position, err);
    while (code == XYLEM_OK && (code = xylem_store__heads_reading_next(&head, &heads, err)) > 0) {
        if (heads.kind_number >= number) {
            *found = heads.kind_number == number ? head : *found;
            return XYLEM_OK;
        }
        code = XYLEM_OK;
    }
    return code;
}

/* The kind whose entry was given last goes on: what comes before that entry, which the walk stands at? */
static int pass(struct xylem_store__kind_walk *walk, struct xylem_store__walked_kind *given, struct xylem_error *err)
{
    uint32_t number = walk->at.unverified.kind_number;
    struct xylem_position parent = walk->at.parent;
    given->named_by = walk->at.position;
    if (xylem_store__kind_is_message(given->kind)) {
        /* A message has no heads, but its parent either has, or is the message that is looked for. */
        given->next = parent;
        if (xylem_format__position_none(parent)) {
            return XYLEM_OK;
        }
        int code = read_named(walk, parent, given->named_by, err);
        if (code < 0 || xylem_store__kind_is_message(walk->at.kind)) {
            return code;
        }
        given->named_by = parent;
    }
    return find_head(&given->next, walk, number, err);
}

/* On to the newest of the entries that the kinds go on at. */
static int hop(struct xylem_store__kind_walk *walk, struct xylem_error *err)
{
    struct xylem_store__walked_kind *newest = NULL;
    for (size_t i = 0; i < walk->kind_count; i++) {
        struct xylem_store__walked_kind *kind = &walk->kinds[i];
        if (!kind->closed && kind->next.depth > (newest ? newest->next.depth : 0)) {
            newest = kind;
        }
    }
    if (!newest) {
        return 0;
    }
    int code = read_named(walk, newest->next, newest->named_by, err);
    if (code == XYLEM_OK && !xylem_store__kind_equal(&walk->at.kind, &newest->kind)) {
        code = xylem_store__heads_bad(newest->named_by, err);
    }
    walk->given = newest;
    return code < 0 ? code : 1;
}

/* The open kind of the entry that the walk stands at; NULL if nobody wants it. */
static struct xylem_store__walked_kind *wanted(struct xylem_store__kind_walk *walk)
{
    for (size_t i = 0; i < walk->kind_count; i++) {
        if (!walk->kinds[i].closed && xylem_store__kind_equal(&walk->kinds[i].kind, &walk->at.kind)) {
            return &walk->kinds[i];
        }
    }
    return NULL;
}

static bool wants_messages(const struct xylem_store__kind_walk *walk)
{
    for (size_t i = 0; i < walk->kind_count; i++) {
        if (!walk->kinds[i].closed && xylem_store__kind_is_message(walk->kinds[i].kind)) {
            return true;
        }
    }
    return false;
}

/* One step back where there are no heads: 1, or 0 where nothing that is wanted can follow. */
static int step_back(struct xylem_store__kind_walk *walk, struct xylem_error *err)
{
    struct xylem_position by = walk->at.position;
    struct xylem_position next = walk->at.parent;
    struct xylem_base__cursor rest;
    int code = wants_messages(walk) ? XYLEM_OK : xylem_format__links_marked(&next, &rest, &walk->at, err);
    if (code < 0 || xylem_format__position_none(next)) {
        return code;
    }
    code = read_named(walk, next, by, err);
    return code < 0 ? code : 1;
}

void xylem_store__kind_walk_start(struct xylem_store__kind_walk *walk, struct xylem_txn *txn,
                                  const struct xylem_entry *from, struct xylem_store__walked_kind *kinds,
                                  size_t kind_count)
{
    walk->txn = txn;
    walk->kinds = kinds;
    walk->kind_count = kind_count;
    walk->read_count = 0;
    walk->at = *from;
    walk->started = false;
    walk->hopping = false;
    walk->given = NULL;
}

/* Until it meets heads, the walk stands at entries that nobody wants, too. */
static int stroll(struct xylem_store__kind_walk *walk, struct xylem_error *err)
{
    int code = 1;
    if (!walk->started) {
        walk->started = true;
        walk->given = wanted(walk);
        if (walk->given) {
            return 1;
        }
    }
    while (code > 0 && !has_heads(&walk->at)) {
        code = step_back(walk, err);
        walk->given = code > 0 ? wanted(walk) : NULL;
        if (code <= 0 || walk->given) {
            return code;
        }
    }
    code = take_heads(walk, err);
    return code < 0 ? code : hop(walk, err);
}

int xylem_store__kind_walk_next(struct xylem_store__walked_kind **kind, struct xylem_store__kind_walk *walk,
                                struct xylem_error *err)
{
    int code = XYLEM_OK;
    if (!walk->hopping) {
        code = stroll(walk, err);
    } else {
        code = walk->given->closed ? XYLEM_OK : pass(walk, walk->given, err);
        code = code < 0 ? code : hop(walk, err);
    }
    *kind = walk->given;
    return code;
}

int xylem_store__newest_of_kind(struct xylem_entry *newest, struct xylem_txn *txn, const struct xylem_entry *from,
                                struct xylem_kind kind, struct xylem_error *err)
{
    struct xylem_store__walked_kind only = {.kind = kind};
    struct xylem_store__walked_kind *found;
    struct xylem_store__kind_walk walk;
    xylem_store__kind_walk_start(&walk, txn, from, &only, 1);
    int code = xylem_store__kind_walk_next(&found, &walk, err);
    if (code > 0) {
        *newest = walk.at;
    }
    return code;
}

int xylem_newest_of_kind(struct xylem_entry *newest, struct xylem_txn *txn, struct xylem_position from,
                         struct xylem_kind kind, struct xylem_error *err)
{
    struct xylem_entry entry;
    if (xylem_format__position_none(from)) {
        return 0;
    }
    int code = xylem_entry_read(&entry, txn, from, err);
    return code < 0 ? code : xylem_store__newest_of_kind(newest, txn, &entry, kind, err);
}
