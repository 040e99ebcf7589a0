/* Ids of many entries that are written together. */
#include <stdlib.h>

#include "base/error.h"
#include "store/find.h"
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

/* Another entry has this hash. It may have another id, or be another session's; if not, the id is taken. */
static int check_id(struct xylem_txn *txn, uint64_t session, struct xylem_position position, struct xylem_error *err)
{
    struct xylem_session owner;
    struct xylem_entry entry;
    struct xylem_position taken;
    int code = xylem_session_read(&owner, txn, session, err); /* anew: rows were written since */
    code = code < 0 ? code : xylem_entry_read(&entry, txn, position, err);
    int found = code < 0 ? code : xylem_store__find(&taken, txn, &owner, entry.id, err);
    return found > 0 ? xylem_store__fail_id_taken(&owner, entry.id, err) : found;
}

static int write_id(struct xylem_store__rows *rows, struct xylem_txn *txn, const struct xylem_session *owner,
                    const struct xylem_store__new_id *id, struct xylem_error *err)
{
    struct xylem_store__key key;
    struct xylem_store__key value;
    xylem_store__key_pair(&key, owner->tree, id->hash);
    xylem_store__key_pair(&value, id->position.branch, id->position.depth);
    int written = xylem_store__rows_put_key(rows, key.view, value.view, err);
    if (written != 0) {
        return written < 0 ? written : XYLEM_OK;
    }
    int code = check_id(txn, owner->number, id->position, err);
    return code < 0 ? code : xylem_store__rows_put(rows, key.view, value.view, err);
}

int xylem_store__new_ids_write(struct xylem_txn *txn, uint64_t session, struct xylem_store__new_ids *ids,
                               struct xylem_error *err)
{
    struct xylem_session owner;
    struct xylem_store__rows *rows;
    if (ids->count == 0) {
        return XYLEM_OK;
    }
    int code = xylem_session_read(&owner, txn, session, err);
    code = code < 0 ? code : xylem_store__rows_new(&rows, txn, XYLEM_STORE__IDS, err);
    if (code == XYLEM_OK) {
        qsort(ids->list, ids->count, sizeof *ids->list, compare_ids);
        for (size_t i = 0; code == XYLEM_OK && i < ids->count; i++) {
            code = write_id(rows, txn, &owner, &ids->list[i], err);
        }
        xylem_store__rows_free(rows);
        ids->count = 0;
    }
    if (code < 0) {
        xylem_store__write_failed(txn, code); /* a commit would store entries that are not found */
    }
    return code;
}
