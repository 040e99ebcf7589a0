#include "store/history.h"

#include <assert.h>
#include <inttypes.h>

#include "base/error.h"
#include "xylem/branch.h"
#include "xylem/feed.h"

void xylem_store__history_begin(struct xylem_store__feed *row, struct xylem_history *history)
{
    row->history_chain = history->chain;
    row->ordinal = history->count + 1;
    row->previous = history->row;
    history->row = row->first_lsn;
}

void xylem_store__history_add(struct xylem_history *history, struct xylem_format__link *link)
{
    link->ordinal = ++history->count;
    history->chain = xylem_format__session_chain(history->chain, link);
}

static void add(struct xylem_store__history_run *run, const struct xylem_format__link *link)
{
    run->store_chain = xylem_format__store_chain(run->store_chain, link);
    if (link->type != XYLEM_CHANGE_FREED) {
        run->session_chain = xylem_format__session_chain(run->session_chain, link);
    }
}

static int run_entries(struct xylem_store__history_run *run, struct xylem_txn *txn, const struct xylem_store__feed *row,
                       uint64_t count, struct xylem_error *err)
{
    for (uint64_t i = 0; i < count; i++) {
        struct xylem_entry entry;
        const struct xylem_position at = {row->position.branch, row->position.depth + i};
        int code = xylem_entry_read(&entry, txn, at, err);
        if (code < 0) {
            return code;
        }
        const struct xylem_format__link link = {.lsn = row->first_lsn + i,
                                                .session = run->session,
                                                .ordinal = row->ordinal + i,
                                                .type = XYLEM_CHANGE_ENTRY,
                                                .time_ms = entry.time_ms,
                                                .id = entry.id};
        add(run, &link);
    }
    return XYLEM_OK;
}

/* The id and the time that the chains cover: see xylem_store__feed_add() and xylem_store__feed_move(). */
static int find_link(struct xylem_format__link *link, struct xylem_txn *txn, const struct xylem_store__feed *row,
                     struct xylem_error *err)
{
    struct xylem_session session;
    struct xylem_entry entry;
    struct xylem_move move = {.to = row->position};
    int code = xylem_session_read(&session, txn, row->session, err);
    if (code < 0) {
        return code;
    }
    if (session.state == XYLEM_SESSION_FREED && row->type != XYLEM_CHANGE_REDACTED) {
        return xylem_base__fail(err, XYLEM_E_FREED, "session number %" PRIu64 " was freed", row->session);
    }
    if (row->type == XYLEM_CHANGE_MOVED &&
        (code = xylem_move_read(&move, txn, row->session, row->move_number, err)) < 0) {
        return code;
    }
    bool of_entry = !xylem_format__position_none(move.to);
    if (of_entry && (code = xylem_entry_read(&entry, txn, move.to, err)) < 0) {
        return code;
    }
    link->time_ms = move.time_ms;
    link->id = of_entry ? entry.id : session.id;
    return XYLEM_OK;
}

int xylem_store__history_run(struct xylem_store__history_run *run, struct xylem_txn *txn,
                             const struct xylem_store__feed *row, uint64_t count, struct xylem_error *err)
{
    assert(count <= row->last_lsn - row->first_lsn + 1);
    if (row->tag == XYLEM_FORMAT__FEED_APPENDED) {
        return run_entries(run, txn, row, count, err);
    }
    assert(row->tag == XYLEM_FORMAT__FEED_CHANGE && count == 1);
    struct xylem_format__link link = {.lsn = row->first_lsn,
                                      .session = row->session,
                                      .ordinal = row->ordinal,
                                      .type = row->type,
                                      .id = row->freed_id};
    int code = row->type == XYLEM_CHANGE_FREED ? XYLEM_OK : find_link(&link, txn, row, err);
    if (code == XYLEM_OK) {
        add(run, &link);
    }
    return code;
}
