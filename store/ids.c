/* Writes rows of `ids` of many entries together, in the order of the table. */
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/numbers.h"
#include "store/find.h"
#include "store/lmdb/tables.h"

int xylem_store__new_id_add(struct xylem_store__new_ids *ids, uint64_t hash, struct xylem_position position,
                            struct xylem_error *err)
{
    struct xylem_store__new_id *list = xylem_base__with_room(ids->list, &ids->capacity, ids->count, sizeof *list);
    if (!list) {
        return xylem_base__fail_memory(err);
    }
    ids->list = list;
    ids->list[ids->count++] = (struct xylem_store__new_id){hash, position};
    return XYLEM_OK;
}

static_assert(offsetof(struct xylem_store__new_id, hash) == 0, "sorted by the leading number");

int xylem_store__new_ids_write(struct xylem_txn *txn, uint64_t session, struct xylem_store__new_ids *ids,
                               struct xylem_error *err)
{
    struct xylem_session owner;
    if (ids->count == 0) {
        return XYLEM_OK;
    }
    int code = xylem_session_read(&owner, txn, session, err);
    qsort(ids->list, ids->count, sizeof *ids->list, xylem_base__compare_numbers); /* by hash */
    for (size_t i = 0; code == XYLEM_OK && i < ids->count; i++) {
        code = xylem_store__id_write(txn, &owner, ids->list[i].hash, ids->list[i].position, err);
    }
    ids->count = 0;
    if (code < 0) {
        xylem_lmdb__write_failed(txn, code); /* a commit would store entries that no lookup finds */
    }
    return code;
}
