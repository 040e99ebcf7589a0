#include "hosts/node/addon/stops.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "hosts/node/addon/strings.h"

struct shared_stop {
    atomic_uint references;
    atomic_bool wished;
    napi_async_work work; /* for the thread of JavaScript alone; NULL: none */
};

int stop_make(struct shared_stop **made, struct xylem_error *err)
{
    struct shared_stop *shared = calloc(1, sizeof *shared);
    if (!shared) {
        return fail(err, XYLEM_E_MEMORY, NULL);
    }
    atomic_init(&shared->references, 1);
    *made = shared;
    return 0;
}

void stop_hold(struct shared_stop *shared)
{
    atomic_fetch_add(&shared->references, 1);
}

void stop_drop(struct shared_stop *shared)
{
    if (atomic_fetch_sub(&shared->references, 1) == 1) {
        free(shared);
    }
}

void stop_watch(struct shared_stop *shared, napi_async_work work)
{
    shared->work = work;
}

void stop_wish(napi_env env, struct shared_stop *shared)
{
    atomic_store(&shared->wished, true);
    if (shared->work) {
        napi_cancel_async_work(env, shared->work); /* fails if the call runs: then the call asks */
    }
}

bool stop_is_wished(const struct shared_stop *shared)
{
    return atomic_load(&shared->wished);
}
