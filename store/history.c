#include "store/history.h"

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
