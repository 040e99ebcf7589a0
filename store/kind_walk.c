/*
 * Walks the entries of some kinds on one path, newest to oldest. The walk reads the entries of these kinds and, if no
 * heads are incomplete, at most two more.
 *
 * An entry of any kind but `message` is marked. A marked entry has heads: the newest entry of each kind before it.
 * Every entry names the last marked entry before it. Example: kind a is wanted, and the walk starts at the message of
 * depth 9.
 *
 *     depth   1    2    3    4    5    6    7    8    9
 *     kind    a    b   msg   a    b   msg   b   msg  msg
 *             ^              | ^            | ^       |
 *             +--- head a ---+ +-- head a --+ +-------+ last marked
 *
 * 1. Step back to the last marked entry, 7. An entry of a wanted kind on the way is returned.
 * 2. Take the heads of 7: kind a goes on at 4. A kind without a head is not on the path before 7.
 * 3. Return 4, the newest entry at which an open kind goes on. The heads of 4 say where kind a goes on: at 1.
 * 4. Return 1. Entry 1 has no head of kind a: the walk ends.
 *
 * Two sorts of entries have no heads: messages, and entries with XYLEM_ENTRY_HEADS_INCOMPLETE. Step 1 passes both.
 */
#include <assert.h>
#include <inttypes.h>

#include "base/error.h"
#include "store/heads.h"
#include "store/kind.h"
#include "store/format/record.h"
#include "xylem/branch.h"

/* Moves the walk to the entry at `position`, which the record at `by` names. A missing entry is corruption. */
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
                                  "the record at " XYLEM_FORMAT__AT_FORMAT
                                  " leads to an entry at " XYLEM_FORMAT__AT_FORMAT ", which is missing",
                                  XYLEM_FORMAT__AT_ARGUMENTS(by), XYLEM_FORMAT__AT_ARGUMENTS(position))
               : code;
}

static bool has_heads(const struct xylem_entry *entry)
{
    return !xylem_store__kind_is_message(entry->kind) && !(entry->flags & XYLEM_ENTRY_HEADS_INCOMPLETE);
}

/* The open kind that is equal to a kind; NULL if no open kind is. */
static struct xylem_store__walked_kind *open_kind(const struct xylem_store__kind_walk *walk,
                                                  const struct xylem_kind *kind)
{
    for (size_t i = 0; i < walk->kind_count; i++) {
        if (!walk->kinds[i].closed && xylem_store__kind_equal(&walk->kinds[i].kind, kind)) {
            return &walk->kinds[i];
        }
    }
    return NULL;
}

/*
 * Learns from the heads of the current entry where each kind goes on. A kind without a head is not on the path. The
 * heads are compared by the names of the kinds: a number that is missing in the table `kinds` is damage and proves no
 * absence.
 */
static int take_heads(struct xylem_store__kind_walk *walk, struct xylem_error *err)
{
    struct xylem_store__heads_reading heads;
    struct xylem_position head;
    uint64_t lengths = 0; /* of the wanted names, one bit each, modulo 64: they rule out most heads of unwanted kinds */
    for (size_t i = 0; i < walk->kind_count; i++) {
        lengths |= UINT64_C(1) << walk->kinds[i].kind.name.bytes % 64;
        walk->kinds[i].next = (struct xylem_position){0, 0};
        walk->kinds[i].named_by = walk->at.position;
    }
    int code = xylem_store__heads_reading_start(&heads, &walk->at, err);
    while (code == XYLEM_OK && (code = xylem_store__heads_reading_next(&head, &heads, err)) > 0) {
        struct xylem_kind kind;
        code = xylem_store__kind_read(&kind, walk->txn, (uint32_t)heads.kind_number, err);
        struct xylem_store__walked_kind *wanted =
            code == XYLEM_OK && lengths >> kind.name.bytes % 64 & 1 ? open_kind(walk, &kind) : NULL;
        if (wanted) {
            wanted->next = head;
        }
    }
    walk->hopping = code == XYLEM_OK;
    return code;
}

/*
 * Finds out where the kind of the current entry, which was given last, goes on:
 *   a marked entry                    its heads say so
 *   a message below a message         the parent is the next message
 *   a message below a marked entry    the heads of the parent say so
 *   a message at a root               nowhere
 */
static int find_next(struct xylem_store__kind_walk *walk, struct xylem_error *err)
{
    struct xylem_store__walked_kind *given = walk->given;
    uint32_t number = walk->at.unverified.kind_number;
    struct xylem_position parent = walk->at.parent;
    given->named_by = walk->at.position;
    if (xylem_store__kind_is_message(given->kind)) {
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
    struct xylem_store__heads_reading heads = {.kind_number = 0};
    struct xylem_position head;
    given->next = (struct xylem_position){0, 0};
    int code = has_heads(&walk->at) ? xylem_store__heads_reading_start(&heads, &walk->at, err)
                                    : xylem_store__heads_bad(walk->at.position, err);
    while (code == XYLEM_OK && (code = xylem_store__heads_reading_next(&head, &heads, err)) > 0) {
        if (heads.kind_number >= number) {
            given->next = heads.kind_number == number ? head : given->next;
            return XYLEM_OK;
        }
        code = XYLEM_OK;
    }
    return code;
}

/* Steps to the newest of the entries at which open kinds go on: 1, or 0 at the end of the walk. */
static int step_to_newest(struct xylem_store__kind_walk *walk, struct xylem_error *err)
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

/* Steps back from an entry without heads: 1, or 0 if no entry of an open kind can lie before it. */
static int step_back(struct xylem_store__kind_walk *walk, struct xylem_error *err)
{
    static const struct xylem_kind message = {XYLEM_CLASS_HOST,
                                              {XYLEM_FORMAT__MESSAGE_NAME, sizeof XYLEM_FORMAT__MESSAGE_NAME - 1}};
    struct xylem_position by = walk->at.position;
    struct xylem_position next = walk->at.parent;
    struct xylem_base__cursor rest;
    int code = open_kind(walk, &message) ? XYLEM_OK : xylem_format__links_marked(&next, &rest, &walk->at, err);
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
    *walk = (struct xylem_store__kind_walk){.at = *from, .txn = txn, .kinds = kinds, .kind_count = kind_count};
}

int xylem_store__kind_walk_next(struct xylem_store__walked_kind **kind, struct xylem_store__kind_walk *walk,
                                struct xylem_error *err)
{
    int code = 1;
    if (walk->hopping) {
        assert(walk->given);
        code = walk->given->closed ? XYLEM_OK : find_next(walk, err);
    } else {
        /* The first entry was read by the caller, and may be of a wanted kind. */
        walk->given = walk->started ? NULL : open_kind(walk, &walk->at.kind);
        walk->started = true;
        while (code > 0 && !walk->given && !has_heads(&walk->at)) {
            code = step_back(walk, err);
            walk->given = code > 0 ? open_kind(walk, &walk->at.kind) : NULL;
        }
        if (code <= 0 || walk->given) {
            *kind = walk->given;
            return code;
        }
        code = take_heads(walk, err);
    }
    if (code == XYLEM_OK) {
        code = step_to_newest(walk, err);
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
