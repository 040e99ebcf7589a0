/*
 * The changes of one session. Each row of `feed` with changes of a session leads to the row before of the session, and
 * the row of the session leads to the newest:
 *
 *     sessions   A: 5 changes, row 6 ------------------------+
 *     feed       lsn 1   A created      ordinal 1   <-+      |
 *                lsn 2   A: 3 entries   ordinal 2   --+ <-+  |
 *                lsn 5   B created                        |  |
 *                lsn 6   A: moved       ordinal 5   ------+ <+
 */
#ifndef XYLEM_STORE_HISTORY_H
#define XYLEM_STORE_HISTORY_H

#include "store/feed.h"
#include "store/format/chain.h"

/* Begins a row behind a history. */
void xylem_store__history_begin(struct xylem_store__feed *row, struct xylem_history *history);
/* Adds a change of the begun row: gives `link` its ordinal. */
void xylem_store__history_add(struct xylem_history *history, struct xylem_format__link *link);

/* --- history_run.c --- */

/*
 * What the chains cover of the change `index` of a row; 0 is the first. `session`: of a row of an append, the owner of the
 * branch. `entry` is read: of an ENTRY; else the entry that the change is about, if any. FREED: what the chains cover is
 * gone, as the session was freed.
 */
int xylem_store__link_read(struct xylem_format__link *link, struct xylem_entry *entry, struct xylem_txn *txn,
                           const struct xylem_store__feed *row, uint64_t index, uint64_t session,
                           struct xylem_error *err);

/* Both chains, on their way over rows of `feed`. */
struct xylem_store__history_run {
    uint64_t session; /* of a row of an append: the owner of the branch. Other rows name their session */
    uint64_t store_chain;
    uint64_t session_chain; /* a row of the type FREED has no part in it */
};

/*
 * Runs the chains over the first `count` changes of a row of an append, or over the one change of the other form. The
 * chains stand behind these changes then. FREED: as above. After an error the chains stand anywhere.
 */
int xylem_store__history_run(struct xylem_store__history_run *run, struct xylem_txn *txn,
                             const struct xylem_store__feed *row, uint64_t count, struct xylem_error *err);

#endif
