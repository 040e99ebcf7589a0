/* Ids of many entries that are written together. */
#include <stdlib.h>

#include "base/error.h"
#include "store/ids.h"
#include "store/keys.h"
#include "store/tables.h"

int xylem_store__new_id_add(struct xylem_store__new_ids *ids, uint64_t hash, struct xylem_position position,
                            struct xylem_error *err)
{
    if (ids->count == ids->capacity) {
        size_t capacity = ids->capacity ? ids->capacity * 2 : 256;
        struct xylem_store__new_id *list = realloc(ids->list, capacity * sizeof *list);
        if (!list) {
            return xylem_base__fail_memory(err);
        }
        ids->list = list;
        ids->capacity = capacity;
    }
    ids->list[ids->count++] = (struct xylem_store__new_id){hash, position};
    return XYLEM_OK;
}

static int compare_ids(const void *left, const void *right)
{
    const struct xylem_store__new_id *a = left;
    const struct xylem_store__new_id *b = right;
    return (a->hash > b->hash) - (a->hash < b->hash);
}

int xylem_store__new_ids_write(struct xylem_txn *txn, uint64_t session, struct xylem_store__new_ids *ids,
                               struct xylem_error *err)
{
    struct xylem_session row;
    struct xylem_store__rows *rows;
    if (ids->count == 0) {
        return XYLEM_OK;
    }
    int code = xylem_session_read(&row, txn, session, err);
    uint64_t tree = code < 0 ? 0 : row.tree;
    code = code < 0 ? code : xylem_store__rows_new(&rows, txn, XYLEM_STORE__IDS, err);
    if (code < 0) {
        return code;
    }
    qsort(ids->list, ids->count, sizeof *ids->list, compare_ids);
    for (size_t i = 0; code == XYLEM_OK && i < ids->count; i++) {
        struct xylem_store__key key;
        struct xylem_store__key value;
        xylem_store__key_pair(&key, tree, ids->list[i].hash);
        xylem_store__key_pair(&value, ids->list[i].position.branch, ids->list[i].position.depth);
        code = xylem_store__rows_put(rows, key.view, value.view, err);
    }
    xylem_store__rows_free(rows);
    ids->count = 0;
    return code;
}
