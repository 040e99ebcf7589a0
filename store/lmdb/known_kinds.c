/*
 * Keeps kinds in memory. A kind's row never changes, and a number is never used again. So a kind that a read
 * transaction verified holds for every later transaction. A kind is kept in one of two places:
 *
 *     env->kinds    read by a read transaction, number below XYLEM_LMDB__SHARED_KINDS; lives with the environment
 *     txn->kinds    any other kind; a write transaction may abort a new kind, so nobody else may see the kind
 */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "store/lmdb/environment.h"

/* The index of a number in txn->kinds, or the index at which the number belongs. */
static size_t place_of(const struct xylem_txn *txn, uint32_t number)
{
    size_t low = 0;
    size_t high = txn->kind_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (txn->kinds[middle]->number < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Inline, as almost every kind is shared. */
static inline const struct xylem_lmdb__known_kind *find(const struct xylem_txn *txn, uint32_t number)
{
    const struct xylem_lmdb__known_kind *shared = NULL;
    if (number < XYLEM_LMDB__SHARED_KINDS) {
        shared = atomic_load_explicit(&txn->env->kinds[number], memory_order_acquire);
    }
    if (shared) {
        return shared;
    }
    size_t place = place_of(txn, number);
    return place < txn->kind_count && txn->kinds[place]->number == number ? txn->kinds[place] : NULL;
}

static struct xylem_kind kind_of(const struct xylem_lmdb__known_kind *known)
{
    return (struct xylem_kind){known->kind_class, {known->name, known->name_bytes}};
}

bool xylem_lmdb__kind_known(struct xylem_kind *kind, const struct xylem_txn *txn, uint32_t number)
{
    const struct xylem_lmdb__known_kind *known = find(txn, number);
    if (known) {
        *kind = kind_of(known);
    }
    return known != NULL;
}

int xylem_lmdb__kind_remember(struct xylem_kind *kept, struct xylem_txn *txn, uint32_t number, struct xylem_kind kind,
                              struct xylem_error *err)
{
    struct xylem_lmdb__known_kind *none = NULL;
    struct xylem_lmdb__known_kind *known = malloc(sizeof *known + kind.name.bytes + 1);
    if (!known) {
        return xylem_base__fail_memory(err);
    }
    known->number = number;
    known->kind_class = kind.kind_class;
    known->name_bytes = kind.name.bytes;
    if (kind.name.bytes > 0) {
        memcpy(known->name, kind.name.data, kind.name.bytes);
    }
    if (!txn->write && number < XYLEM_LMDB__SHARED_KINDS) {
        /* Another thread may have stored the same kind first: then that copy stays. */
        if (!atomic_compare_exchange_strong(&txn->env->kinds[number], &none, known)) {
            free(known);
        }
    } else {
        struct xylem_lmdb__known_kind **kinds =
            xylem_base__with_room(txn->kinds, &txn->kind_capacity, txn->kind_count, sizeof *kinds);
        if (!kinds) {
            free(known);
            return xylem_base__fail_memory(err);
        }
        txn->kinds = kinds;
        size_t place = place_of(txn, number);
        memmove(&kinds[place + 1], &kinds[place], (txn->kind_count - place) * sizeof *kinds);
        kinds[place] = known;
        txn->kind_count++;
    }
    *kept = kind_of(find(txn, number));
    return XYLEM_OK;
}

void xylem_lmdb__own_kinds_free(struct xylem_txn *txn)
{
    for (size_t i = 0; i < txn->kind_count; i++) {
        free(txn->kinds[i]);
    }
    free(txn->kinds);
}

void xylem_lmdb__shared_kinds_free(struct xylem_lmdb__env *env)
{
    for (size_t i = 0; i < XYLEM_LMDB__SHARED_KINDS; i++) {
        struct xylem_lmdb__known_kind *known = atomic_load_explicit(&env->kinds[i], memory_order_relaxed);
        if (known) { /* few entries are set: reading is cheaper than writing all of them */
            free(known);
            atomic_store_explicit(&env->kinds[i], NULL, memory_order_relaxed);
        }
    }
}
