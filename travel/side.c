/* Compares, writes and redacts rows beside entries as a segment has them. */
#include <inttypes.h>

#include "base/error.h"
#include "store/meta.h"
#include "store/side.h"
#include "travel/applying.h"
#include "xylem/feed.h"

/* The lsn of the row of the change with an ordinal; 0: the session has no such change, or the change has no row. */
static int find_row(uint64_t *lsn, struct xylem_travel__applying *applying, uint64_t ordinal)
{
    struct xylem_store__ordinals ordinals;
    struct xylem_change made = {.lsn = 0};
    struct xylem_entry entry;
    *lsn = 0;
    if (ordinal == 0 || ordinal > applying->session.history.count) {
        return XYLEM_OK;
    }
    int code = xylem_store__ordinals_begin(&ordinals, applying->txn, &applying->session, ordinal, applying->err);
    code = code < 0 ? code : xylem_store__ordinals_next(&made, &entry, &ordinals, &applying->session, applying->err);
    xylem_store__ordinals_release(&ordinals);
    *lsn = made.side_lsn;
    return code < 0 ? code : XYLEM_OK;
}

/* The row of a change, but for its position. */
static struct xylem_side row_of(const struct xylem_travel__change *change)
{
    struct xylem_side side = {.type = (enum xylem_side_type)change->side.type,
                              .dialect = change->side.dialect,
                              .count = change->side.count,
                              .redacted = change->side.redacted};
    *xylem_store__side_text(&side) = change->side.text;
    return side;
}

int xylem_travel__side_make(struct xylem_travel__applying *applying, const struct xylem_travel__change *change)
{
    struct xylem_side side = row_of(change);
    struct xylem_side known = side;
    struct xylem_entry entry;
    struct xylem_error reason;
    uint64_t lsn = 0;
    bool back = change->back > 0 && change->back < applying->next; /* else the change makes a record */
    int code = side.type == XYLEM_SIDE_RECORD ? find_row(&lsn, applying, back ? applying->next - change->back : 0)
                                              : xylem_travel__place_of(&side.position, applying, change->about);
    if (code < 0) {
        return code;
    }
    code = xylem_store__side_check(&entry, applying->txn, &applying->session, &side, &reason);
    if (code < 0 && !xylem_store__side_unfit(code)) {
        return xylem_base__fail(applying->err, code, "%s", reason.text);
    }
    bool right = code == XYLEM_OK && side.count <= side.position.depth;
    lsn = right && side.type == XYLEM_SIDE_VALUES ? entry.lsn : lsn;
    code = right && lsn > 0
               ? xylem_store__side_find(&known, applying->txn, applying->session.number, lsn, applying->err)
               : 0;
    /* A present row can only lose its text. */
    right = right && (code == 0 ? change->back == 0 : side.redacted) && known.type == side.type &&
            known.dialect == side.dialect;
    if (code >= 0 && !right) {
        code = xylem_base__fail(applying->err, XYLEM_E_MALFORMED,
                                "the segment of the session %.*s has a row that fits no entry and no row",
                                XYLEM_BASE__SHOWN(applying->session.id));
    }
    code = code < 0 || !side.redacted ? code
                                      : xylem_store__removal_note(applying->txn, XYLEM_STORE__REDACTION, applying->err);
    return code < 0 ? code
                    : xylem_store__side_write(NULL, applying->txn, &applying->session, &side, lsn, applying->err);
}

int xylem_travel__side_take_out(struct xylem_travel__applying *applying, const struct xylem_travel__change *change,
                                uint64_t ordinal)
{
    struct xylem_side known = {.redacted = true};
    struct xylem_position position;
    struct xylem_entry entry;
    uint64_t lsn = 0;
    int code = XYLEM_OK;
    if (!change->side.redacted) {
        return XYLEM_OK;
    }
    if (change->side.type == XYLEM_SIDE_RECORD) { /* the follower has the rows of the owner alone */
        code = find_row(&lsn, applying, change->back < ordinal ? ordinal - change->back : 0);
    } else if ((code = xylem_store__find(&position, applying->txn, &applying->session, change->about, applying->err)) >
                   0 &&
               (code = xylem_entry_read(&entry, applying->txn, position, applying->err)) == XYLEM_OK) {
        lsn = entry.lsn;
    }
    code = code < 0 || lsn == 0
               ? code
               : xylem_store__side_find(&known, applying->txn, applying->session.number, lsn, applying->err);
    bool taken = code > 0 && !known.redacted && (unsigned)known.type == change->side.type;
    return code < 0 ? code : taken ? xylem_travel__taken_note_side(applying, lsn, change) : XYLEM_OK;
}

int xylem_travel__side_same(const struct xylem_travel__applying *applying, const struct xylem_change *own,
                            const struct xylem_travel__change *change)
{
    const struct xylem_side side = row_of(change);
    struct xylem_side known;
    struct xylem_entry entry = {.id = {NULL, 0}};
    int code = xylem_side_read(&known, applying->txn, own->session, own->side_lsn, applying->err);
    if (code == XYLEM_OK && known.type != XYLEM_SIDE_RECORD) {
        code = xylem_entry_read(&entry, applying->txn, known.position, applying->err);
    }
    bool kept = !known.redacted && !side.redacted;
    return code < 0 ? code
                    : known.type == side.type && known.dialect == side.dialect && known.count == side.count &&
                          xylem_base__view_equal(entry.id, change->about) &&
                          (!kept || (xylem_base__view_equal(known.bytes, side.bytes) &&
                                     xylem_base__view_equal(known.values, side.values)));
}
