/* Tells whether a transaction may be used, and reads its members for other rooms. */
#include <stdlib.h>

#include "base/error.h"
#include "store/lmdb/environment.h"

unsigned xylem_lmdb__fork_count;

static int check_forked(const struct xylem_lmdb__env *env, struct xylem_error *err)
{
    return env->fork_count == xylem_lmdb__fork_count
               ? XYLEM_OK
               : xylem_base__fail(err, XYLEM_E_FORKED, "%s was opened before fork(2)", env->path);
}

int xylem_lmdb__check_forked(const struct xylem_store *store, struct xylem_error *err)
{
    return check_forked(store->env, err);
}

int xylem_lmdb__refuse_use(const struct xylem_txn *txn, struct xylem_error *err)
{
    int code = check_forked(txn->env, err); /* a child may have freed the handle */
    return code < 0 ? code
                    : xylem_base__fail(err, XYLEM_E_ARGUMENT, "a write transaction of %s is used in another thread",
                                       txn->env->path);
}

int xylem_lmdb__writable(struct xylem_txn *txn, struct xylem_error *err)
{
    int code = xylem_lmdb__usable(txn, err);
    if (code < 0) {
        return code;
    }
    if (!txn->write) {
        return xylem_base__fail(err, XYLEM_E_READ_ONLY, "the transaction of %s is for reading only", txn->env->path);
    }
    if (txn->failed) {
        return xylem_base__fail(err, txn->failed, "the transaction of %s failed before (%s) and can only be aborted",
                                txn->env->path, xylem_code_text(txn->failed));
    }
    return XYLEM_OK;
}

void xylem_lmdb__write_failed(struct xylem_txn *txn, int code)
{
    txn->failed = code;
}

void xylem_lmdb__env_damaged(struct xylem_txn *txn)
{
    pthread_mutex_lock(&txn->env->lock);
    txn->env->damaged = true;
    pthread_mutex_unlock(&txn->env->lock);
    if (txn->write) {
        txn->failed = XYLEM_E_CORRUPT;
    }
}

bool xylem_lmdb__snapshot_number(uint64_t *number, const struct xylem_txn *txn)
{
    *number = txn->snapshot.txn_id;
    return !txn->write;
}

const char *xylem_lmdb__path(const struct xylem_txn *txn)
{
    return txn->env->path;
}

struct xylem_store *xylem_lmdb__handle(const struct xylem_txn *txn)
{
    return txn->store;
}

void xylem_lmdb__tables_shut(struct xylem_txn *txn, uint32_t tables)
{
    txn->shut = tables;
}

bool xylem_lmdb__table_is_shut(const struct xylem_txn *txn, enum xylem_format__table table)
{
    return txn->shut & UINT32_C(1) << table;
}

bool xylem_lmdb__refused_as_shut(struct xylem_txn *txn)
{
    bool refused = txn->refused_as_shut;
    txn->refused_as_shut = false;
    return refused;
}

void xylem_lmdb__pages_were_checked(struct xylem_txn *txn)
{
    txn->pages_checked = true;
}

void xylem_lmdb__count_record(struct xylem_txn *txn, uint64_t bytes)
{
    txn->counters.record_count++;
    txn->counters.record_bytes += bytes;
}

void xylem_counters_read(struct xylem_counters *counters, const struct xylem_txn *txn)
{
    *counters = txn->counters;
    for (unsigned table = 0; table < XYLEM_FORMAT__TABLE_COUNT; table++) {
        counters->tables[table].name = xylem_format__table_name(table);
    }
}

struct xylem_lmdb__seen *xylem_lmdb__seen(struct xylem_txn *txn)
{
    return &txn->seen;
}

void *xylem_lmdb__displaced_room(struct xylem_txn *txn, size_t bytes)
{
    void *room = malloc(bytes ? bytes : 1);
    if (room) {
        free(txn->displaced);
        txn->displaced = room;
    }
    return room;
}
