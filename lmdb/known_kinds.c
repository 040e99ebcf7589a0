/*
 * Kinds that were read before. A kind's row never changes and its number is never given again, so what a read
 * transaction verified once holds for every later transaction of the environment: these are shared, and live as long as
 * it does. A write transaction may have interned a kind that nobody else has yet, or ever will: it keeps its own.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lmdb/environment.h"

/* Where a number stands among the kinds of a transaction's own, or where it belongs. */
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

static const struct xylem_lmdb__known_kind *find_own(const struct xylem_txn *txn, uint32_t number)
{
    size_t place = place_of(txn, number);
    return place < txn->kind_count && txn->kinds[place]->number == number ? txn->kinds[place] : NULL;
}

/* Almost every kind is shared: this much is compiled into whoever asks. */
static inline const struct xylem_lmdb__known_kind *find(const struct xylem_txn *txn, uint32_t number)
{
    const struct xylem_lmdb__known_kind *shared = NULL;
    if (number < XYLEM_LMDB__SHARED_KINDS) {
        shared = atomic_load_explicit(&txn->env->kinds[number], memory_order_acquire);
    }
    return shared ? shared : find_own(txn, number);
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

static struct xylem_lmdb__known_kind *new_known(uint32_t number, struct xylem_kind kind)
{
    struct xylem_lmdb__known_kind *known = malloc(sizeof *known + kind.name.bytes + 1);
    if (known) {
        known->number = number;
        known->kind_class = kind.kind_class;
        known->name_bytes = kind.name.bytes;
        if (kind.name.bytes > 0) {
            memcpy(known->name, kind.name.data, kind.name.bytes);
        }
    }
    return known;
}

/* Another thread may have been faster: then its copy stays. */
static void share(struct xylem_lmdb__env *env, struct xylem_lmdb__known_kind *known)
{
    struct xylem_lmdb__known_kind *none = NULL;
    if (!atomic_compare_exchange_strong(&env->kinds[known->number], &none, known)) {
        free(known);
    }
}

static int keep(struct xylem_txn *txn, struct xylem_lmdb__known_kind *known)
{
    if (txn->kind_count == txn->kind_capacity) {
        size_t capacity = txn->kind_capacity ? txn->kind_capacity * 2 : 16;
        struct xylem_lmdb__known_kind **kinds = realloc(txn->kinds, capacity * sizeof *kinds);
        if (!kinds) {
            return XYLEM_E_MEMORY;
        }
        txn->kinds = kinds;
        txn->kind_capacity = capacity;
    }
    size_t place = place_of(txn, known->number);
    memmove(&txn->kinds[place + 1], &txn->kinds[place], (txn->kind_count - place) * sizeof *txn->kinds);
    txn->kinds[place] = known;
    txn->kind_count++;
    return XYLEM_OK;
}

int xylem_lmdb__kind_remember(struct xylem_kind *kept, struct xylem_txn *txn, uint32_t number, struct xylem_kind kind,
                              struct xylem_error *err)
{
    struct xylem_lmdb__known_kind *known = new_known(number, kind);
    if (!known) {
        return xylem_base__fail_memory(err);
    }
    if (!txn->write && number < XYLEM_LMDB__SHARED_KINDS) {
        share(txn->env, known);
    } else if (keep(txn, known) < 0) {
        free(known);
        return xylem_base__fail_memory(err);
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
        if (known) { /* few are: closing a store should not cost what many would */
            free(known);
            atomic_store_explicit(&env->kinds[i], NULL, memory_order_relaxed);
        }
    }
}
