#include "store/ordinals.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/buffer.h"
#include "store/format/keys.h"
#include "store/lmdb/tables.h"
#include "xylem/segment.h"
#include "xylem/feed.h"

static int no_row(struct xylem_txn *txn, uint64_t lsn, struct xylem_error *err)
{
    return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: the table feed has no row of changes at lsn %" PRIu64,
                            xylem_lmdb__path(txn), lsn);
}

/* Reads a row that a row of a session, or a row of the feed, led to. Errors: CORRUPT (no row of changes). */
static int feed_row(struct xylem_store__feed *row, struct xylem_txn *txn, uint64_t first_lsn, struct xylem_error *err)
{
    struct xylem_format__key key;
    struct xylem_view value = {NULL, 0};
    xylem_format__key_u64(&key, first_lsn);
    int found = xylem_lmdb__get_summed(&value, txn, XYLEM_FORMAT__FEED, key.view, err);
    if (found < 0) {
        return found;
    }
    bool right = found > 0 && xylem_store__feed_decode(row, key.view, value) == XYLEM_OK && row->ordinal > 0;
    return right ? XYLEM_OK : no_row(txn, first_lsn, err);
}

/* Lists the rows back to the row with the change `from`. */
static int list_rows(struct xylem_store__ordinals *ordinals, const struct xylem_session *session, uint64_t from,
                     struct xylem_error *err)
{
    const struct xylem_store__feed *row = &ordinals->row;
    uint64_t lsn = session->history.row;
    uint64_t behind = session->history.count + 1;
    while (behind > from) {
        uint64_t *rows =
            xylem_base__with_room(ordinals->rows, &ordinals->row_capacity, ordinals->row_count, sizeof *ordinals->rows);
        if (!rows) {
            return xylem_base__fail_memory(err);
        }
        ordinals->rows = rows;
        ordinals->rows[ordinals->row_count++] = lsn;
        int code = lsn == 0 ? no_row(ordinals->txn, lsn, err) : feed_row(&ordinals->row, ordinals->txn, lsn, err);
        if (code < 0) {
            return code;
        }
        uint64_t count = row->last_lsn - row->first_lsn + 1;
        if (row->ordinal + count != behind) {
            return xylem_base__fail(err, XYLEM_E_CORRUPT,
                                    "%s: the changes of lsn %" PRIu64 " end before ordinal %" PRIu64
                                    " of their session; expected ordinal %" PRIu64,
                                    xylem_lmdb__path(ordinals->txn), lsn, row->ordinal + count, behind);
        }
        /* Note the newest redaction of an entry without a hash: rows come newest first. */
        if (row->tag == XYLEM_FORMAT__FEED_CHANGE && row->type == XYLEM_CHANGE_REDACTED && ordinals->dropped == 0) {
            struct xylem_entry entry;
            if ((code = xylem_store__entry_read(&entry, ordinals->txn, row->position, err)) < 0) {
                return code;
            }
            ordinals->dropped = entry.flags & XYLEM_ENTRY_HASH_DROPPED ? row->ordinal : 0;
        }
        behind = row->ordinal;
        lsn = row->previous;
    }
    return XYLEM_OK;
}

int xylem_store__ordinals_begin(struct xylem_store__ordinals *ordinals, struct xylem_txn *txn,
                                const struct xylem_session *session, uint64_t from, struct xylem_error *err)
{
    *ordinals = (struct xylem_store__ordinals){.txn = txn, .last = session->history.count};
    if (from == 0 || from > session->history.count + 1) {
        return xylem_base__fail(err, XYLEM_E_NOT_FOUND,
                                "the session %.*s has %" PRIu64 " changes, and none of ordinal %" PRIu64,
                                XYLEM_BASE__SHOWN(session->id), session->history.count, from);
    }
    int code = list_rows(ordinals, session, from, err);
    ordinals->chain = ordinals->row_count > 0 ? ordinals->row.history_chain : session->history.chain;
    ordinals->next = ordinals->row_count > 0 ? ordinals->row.ordinal : from;
    while (code == XYLEM_OK && ordinals->next < from) { /* the changes of the row before `from` */
        struct xylem_format__link link;
        struct xylem_entry entry;
        code = xylem_store__link_read(&link, &entry, txn, &ordinals->row, ordinals->next - ordinals->row.ordinal,
                                      session->number, err);
        ordinals->chain = code < 0 ? 0 : xylem_format__session_chain(ordinals->chain, &link);
        ordinals->next++;
    }
    return code;
}

int xylem_store__ordinals_next(struct xylem_change *change, struct xylem_entry *entry,
                               struct xylem_store__ordinals *ordinals, const struct xylem_session *session,
                               struct xylem_error *err)
{
    const struct xylem_store__feed *row = &ordinals->row;
    if (ordinals->next > ordinals->last) {
        return 0;
    }
    int code = XYLEM_OK;
    if (row->ordinal + (row->last_lsn - row->first_lsn) < ordinals->next) {
        code = feed_row(&ordinals->row, ordinals->txn, ordinals->rows[--ordinals->row_count - 1], err);
    }
    struct xylem_format__link link;
    uint64_t index = ordinals->next - row->ordinal;
    code = code < 0 ? code : xylem_store__link_read(&link, entry, ordinals->txn, row, index, session->number, err);
    if (code < 0) {
        return code;
    }
    *change = (struct xylem_change){.type = (enum xylem_change_type)link.type,
                                    .lsn = link.lsn,
                                    .session = session->number,
                                    .ordinal = link.ordinal,
                                    .position = row->position,
                                    .move_number = row->move_number,
                                    .side_lsn = row->side_lsn};
    change->position.depth += index;
    ordinals->chain = xylem_format__session_chain(ordinals->chain, &link);
    ordinals->next++;
    return 1;
}

void xylem_store__ordinals_release(struct xylem_store__ordinals *ordinals)
{
    free(ordinals->rows);
    ordinals->rows = NULL;
}

int xylem_session_chain(uint64_t *chain, struct xylem_txn *txn, uint64_t session, uint64_t ordinal,
                        struct xylem_error *err)
{
    struct xylem_session row;
    struct xylem_store__ordinals ordinals;
    int code = xylem_session_read(&row, txn, session, err);
    if (code == XYLEM_OK && row.state == XYLEM_SESSION_FREED) {
        code = xylem_base__fail(err, XYLEM_E_NOT_FOUND, "the session number %" PRIu64 " was freed", session);
    }
    if (code < 0) {
        return code;
    }
    code = xylem_store__ordinals_begin(&ordinals, txn, &row, ordinal + 1, err);
    *chain = code < 0 ? 0 : ordinals.chain;
    xylem_store__ordinals_release(&ordinals);
    return code;
}

int xylem_entry_ordinal(uint64_t *session, uint64_t *ordinal, struct xylem_txn *txn, struct xylem_position position,
                        struct xylem_error *err)
{
    struct xylem_entry entry;
    struct xylem_store__branch branch;
    struct xylem_session owner;
    struct xylem_store__feed row;
    struct xylem_lmdb__rows *rows;
    int code;
    if ((code = xylem_entry_read(&entry, txn, position, err)) < 0 ||
        (code = xylem_store__branch_read(&branch, txn, position.branch, err)) < 0 ||
        (code = xylem_session_read(&owner, txn, branch.session, err)) < 0) {
        return code;
    }
    *session = owner.number;
    *ordinal = 0;
    if (owner.state == XYLEM_SESSION_FREED || (code = xylem_lmdb__rows_new(&rows, txn, XYLEM_FORMAT__FEED, err)) < 0) {
        return code;
    }
    int found = xylem_store__feed_seek(&row, txn, rows, entry.lsn, err);
    xylem_lmdb__rows_free(rows);
    if (found < 0) {
        return found;
    }
    if (found == 0 || row.ordinal == 0 || entry.lsn < row.first_lsn || entry.lsn > row.last_lsn) {
        return no_row(txn, entry.lsn, err);
    }
    *ordinal = row.ordinal + (entry.lsn - row.first_lsn);
    return XYLEM_OK;
}
