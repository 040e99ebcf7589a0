/*
 * Checks ordinals, links and chains of the rows of `feed`. The visits of `sessions` note what the rows of the sessions
 * say. The visits of `feed` come in the order of the lsns, and find what each session has come to. The end compares:
 *
 *     feed       lsn 1   A  ordinal 1                              A: 1 change, row 1, chain c1
 *                lsn 2   B  ordinal 1                              B: 1 change, row 2, chain c2
 *                lsn 3   A  ordinal 2, previous 1, chain c1        as found of A; now 2 changes, row 3, chain c3
 *     sessions   A: 2 changes, row 3, chain c3                     as found of A
 *
 * The chains cover ids and times, so each visit reads the entries of its row. What was freed is gone: the chain that
 * stands behind is taken as known, and no freed session is looked at. The same holds behind damage, which is reported
 * once: the next row is taken as it is.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "care/verify.h"
#include "store/branch.h"
#include "store/history.h"

int xylem_care__history_note(struct xylem_care__verify *verify, const struct xylem_session *session)
{
    struct xylem_care__history *history = &verify->history;
    struct xylem_care__noted *noted =
        xylem_base__with_room(history->sessions, &history->capacity, history->count, sizeof *noted);
    if (!noted) {
        return xylem_base__fail_memory(verify->err);
    }
    history->sessions = noted;
    noted[history->count++] = (struct xylem_care__noted){.number = session->number, .stated = session->history};
    return XYLEM_OK;
}

/* 0 for what is gone, and for damage, which its own visit reports. Else as xylem_care__problem_if(). */
static int pass_over(struct xylem_care__verify *verify, const struct xylem_care__place *place, int code,
                     const struct xylem_error *reason)
{
    bool expected = code == XYLEM_E_CORRUPT || code == XYLEM_E_NOT_FOUND || code == XYLEM_E_FREED;
    xylem_lmdb__refused_as_shut(verify->txn); /* forgets the refusal */
    return expected ? XYLEM_OK : xylem_care__problem_if(verify, place, code, reason);
}

/* Finds the session of a row with changes: 1; 0: the row of the branch is damaged. */
static int find_owner(uint64_t *number, struct xylem_care__verify *verify, const struct xylem_care__place *place,
                      const struct xylem_store__feed *row)
{
    struct xylem_care__history *history = &verify->history;
    struct xylem_store__branch branch;
    struct xylem_error reason;
    if (row->tag == XYLEM_FORMAT__FEED_CHANGE) {
        *number = row->session;
        return 1;
    }
    if (history->branch != row->position.branch) {
        int code = xylem_store__branch_read(&branch, verify->txn, row->position.branch, &reason);
        if (code < 0) {
            return pass_over(verify, place, code, &reason);
        }
        history->branch = row->position.branch;
        history->owner = branch.session;
    }
    *number = history->owner;
    return 1;
}

/* Compares the beginning of a row with what was found of the session before. */
static int check_before(struct xylem_care__verify *verify, struct xylem_care__place *place,
                        const struct xylem_care__noted *session, const struct xylem_store__feed *row)
{
    const struct xylem_history *found = &session->found;
    place->session = session->number;
    if (row->previous != found->row) {
        return xylem_care__problem(verify, place,
                                   "lsn %" PRIu64 " leads back to lsn %" PRIu64
                                   ", but the row before of session number "
                                   "%" PRIu64 " has lsn %" PRIu64,
                                   row->first_lsn, row->previous, session->number, found->row);
    }
    if (row->ordinal != found->count + 1) {
        return xylem_care__problem(verify, place,
                                   "lsn %" PRIu64 " has ordinal %" PRIu64 ", but session number %" PRIu64
                                   " has %" PRIu64 " changes before",
                                   row->first_lsn, row->ordinal, session->number, found->count);
    }
    return row->history_chain == found->chain
               ? XYLEM_OK
               : xylem_care__problem(verify, place,
                                     "lsn %" PRIu64 ": the chain of session number %" PRIu64 " is broken: expected "
                                     "%016" PRIx64 ", found %016" PRIx64,
                                     row->first_lsn, session->number, found->chain, row->history_chain);
}

/* Compares the store's chain at the end of a row. `known`: `chain` runs over the changes of the row. */
static int check_store(struct xylem_care__verify *verify, const struct xylem_store__feed *row, uint64_t chain,
                       bool known)
{
    const struct xylem_care__place place = {.table = XYLEM_FORMAT__FEED};
    struct xylem_care__history *history = &verify->history;
    bool right = !known || !history->store_known || row->chain == 0 || chain == row->chain;
    history->store_chain = row->chain;
    history->store_known = right && row->chain != 0;
    return right ? XYLEM_OK
                 : xylem_care__problem(verify, &place,
                                       "lsn %" PRIu64 ": the chain of the store is broken: expected %016" PRIx64
                                       ", found %016" PRIx64,
                                       row->last_lsn, chain, row->chain);
}

/* Behind rows that cannot be read, nothing is known. */
static void forget(struct xylem_care__history *history)
{
    history->store_known = false;
    history->damage++;
}

/* Checks a row with changes. */
static int check_changes(struct xylem_care__verify *verify, const struct xylem_store__feed *row)
{
    struct xylem_care__place place = {.table = XYLEM_FORMAT__FEED};
    struct xylem_error reason;
    struct xylem_care__history *history = &verify->history;
    struct xylem_care__noted *session = NULL; /* NULL for a session that was freed, or has a damaged row */
    struct xylem_store__history_run run = {.store_chain = history->store_chain, .session_chain = row->history_chain};
    uint64_t problem_count = verify->report->problem_count;
    int code = find_owner(&run.session, verify, &place, row);
    if (code <= 0) {
        forget(history);
        return code;
    }
    if (row->ordinal > 0 && history->count > 0) {
        session =
            bsearch(&run.session, history->sessions, history->count, sizeof *session, xylem_base__compare_numbers);
    }
    if (session && session->damage == history->damage && (code = check_before(verify, &place, session, row)) < 0) {
        return code;
    }
    bool sound = verify->report->problem_count == problem_count;
    int ran = xylem_store__history_run(&run, verify->txn, row, row->last_lsn - row->first_lsn + 1, &reason);
    if (session) {
        session->found = (struct xylem_history){.count = row->ordinal + (row->last_lsn - row->first_lsn),
                                                .chain = run.session_chain,
                                                .row = row->first_lsn};
        session->damage = sound && ran >= 0 ? history->damage : UINT64_MAX;
    }
    code = pass_over(verify, &place, ran, &reason);
    return code < 0 ? code : check_store(verify, row, run.store_chain, ran == XYLEM_OK);
}

int xylem_care__history_row(struct xylem_care__verify *verify, const struct xylem_store__feed *row)
{
    struct xylem_care__history *history = &verify->history;
    if (row->first_lsn != history->last_lsn + 1) {
        forget(history);
    } else if (history->last_lsn == 0) {
        history->store_known = true;
    }
    history->last_lsn = row->last_lsn;
    switch (row->tag) {
    case XYLEM_FORMAT__FEED_FREED:
        return check_store(verify, row, 0, false);
    case XYLEM_FORMAT__FEED_SKIPPED:
        return check_store(verify, row, history->store_chain, true);
    default:
        return check_changes(verify, row);
    }
}

int xylem_care__history_end(struct xylem_care__verify *verify)
{
    int code = XYLEM_OK;
    bool read = !xylem_lmdb__table_is_shut(verify->txn, XYLEM_FORMAT__FEED);
    for (size_t i = 0; read && code == XYLEM_OK && i < verify->history.count; i++) {
        const struct xylem_care__noted *session = &verify->history.sessions[i];
        const struct xylem_care__place place = {.table = XYLEM_FORMAT__SESSIONS, .session = session->number};
        const struct xylem_history *stated = &session->stated;
        const struct xylem_history *found = &session->found;
        if (session->damage != verify->history.damage) {
            continue;
        }
        if (stated->count != found->count || stated->row != found->row) {
            code = xylem_care__problem(verify, &place,
                                       "the session's row says %" PRIu64 " changes, the last of them in the row of lsn "
                                       "%" PRIu64 "; found %" PRIu64 ", and lsn %" PRIu64,
                                       stated->count, stated->row, found->count, found->row);
        } else if (stated->chain != found->chain) {
            code = xylem_care__problem(verify, &place,
                                       "the session's row says chain %016" PRIx64 ", the session's changes make "
                                       "%016" PRIx64,
                                       stated->chain, found->chain);
        }
    }
    return code;
}
