#include "hosts/node/addon/reads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "hosts/node/addon/strings.h"

struct shared_reads {
    struct xylem_reads *table;
    pthread_mutex_t lock;
    atomic_uint references;
};

int reads_make(struct shared_reads **made, struct xylem_error *err)
{
    struct shared_reads *shared = calloc(1, sizeof *shared);
    if (!shared) {
        return fail(err, XYLEM_E_MEMORY, NULL);
    }
    int code = xylem_reads_new(&shared->table, err);
    if (code < 0) {
        free(shared);
        return code;
    }
    pthread_mutex_init(&shared->lock, NULL);
    atomic_init(&shared->references, 1);
    *made = shared;
    return 0;
}

void reads_hold(struct shared_reads *shared)
{
    atomic_fetch_add(&shared->references, 1);
}

void reads_drop(struct shared_reads *shared)
{
    if (atomic_fetch_sub(&shared->references, 1) == 1) {
        xylem_reads_free(shared->table);
        pthread_mutex_destroy(&shared->lock);
        free(shared);
    }
}

struct xylem_reads *reads_lock(struct shared_reads *shared)
{
    pthread_mutex_lock(&shared->lock);
    return shared->table;
}

void reads_unlock(struct shared_reads *shared)
{
    pthread_mutex_unlock(&shared->lock);
}
