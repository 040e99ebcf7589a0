/* Opens read transactions on the store before the first write of an import. */
#include "jsonl/import.h"

int xylem_jsonl__look_begin(struct xylem_txn **txn, const struct xylem_jsonl__import *import, struct xylem_error *err)
{
    if (import->shared && import->shared->txn) {
        *txn = import->shared->txn;
        return XYLEM_OK;
    }
    return xylem_begin(txn, import->store, XYLEM_READ, err);
}

void xylem_jsonl__look_end(struct xylem_txn *txn, const struct xylem_jsonl__import *import)
{
    if (!import->shared || txn != import->shared->txn) {
        xylem_abort(txn);
    }
}
