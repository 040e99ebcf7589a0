/* Writes rows of `ids` of many entries together, in the order of the table. */
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/numbers.h"
#include "store/find.h"
#include "store/format/keys.h"
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

/* 1 if the tree has no row yet, so that no id is taken; else 0. */
static int tree_is_new(struct xylem_txn *txn, uint64_t tree, struct xylem_error *err)
{
    struct xylem_lmdb__rows *rows;
    struct xylem_format__key key;
    struct xylem_view row = {NULL, 0};
    struct xylem_format__id_place place = {.tree = 0};
    int code = xylem_lmdb__rows_new(&rows, txn, XYLEM_FORMAT__IDS, err);
    if (code < 0) {
        return code;
    }
    xylem_format__key_id(&key, &(struct xylem_format__id_place){.tree = tree});
    struct xylem_view at = key.view;
    int found = xylem_lmdb__rows_step_summed(&at, &row, rows, XYLEM_LMDB__AT_OR_AFTER, err);
    xylem_lmdb__rows_free(rows);
    if (found > 0 && !xylem_format__key_read_id(&place, at)) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: a key of the table ids has %zu bytes, and another form",
                                xylem_lmdb__path(txn), at.bytes);
    }
    return found < 0 ? found : place.tree != tree;
}

int xylem_store__new_ids_write(struct xylem_txn *txn, uint64_t session, struct xylem_store__new_ids *ids,
                               struct xylem_error *err)
{
    struct xylem_session owner;
    if (ids->count == 0) {
        return XYLEM_OK;
    }
    struct xylem_entry entry;
    struct xylem_position taken;
    int code;
    if ((code = xylem_session_read(&owner, txn, session, err)) < 0 || (code = tree_is_new(txn, owner.tree, err)) < 0) {
        goto out;
    }
    bool is_new = code > 0;
    qsort(ids->list, ids->count, sizeof *ids->list, xylem_base__compare_numbers); /* by hash */
    for (size_t i = 0; i < ids->count; i++) {
        const struct xylem_store__new_id *id = &ids->list[i];
        bool alone = is_new && (i == 0 || id->hash >> 32 != ids->list[i - 1].hash >> 32);
        if (!alone && (code = xylem_entry_read(&entry, txn, id->position, err)) == XYLEM_OK &&
            (code = xylem_store__find(&taken, txn, &owner, entry.id, err)) > 0) {
            code = xylem_store__fail_id_taken(&owner, entry.id, err);
        }
        if (code < 0 || (code = xylem_store__id_write(txn, &owner, id->hash, id->position, err)) < 0) {
            goto out;
        }
    }
    code = XYLEM_OK;
out:
    ids->count = 0;
    if (code < 0) {
        xylem_lmdb__write_failed(txn, code); /* a commit would store entries that no lookup finds */
    }
    return code;
}
