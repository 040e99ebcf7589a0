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

#endif
