#include "hosts/node/addon/handles.h"

#include <stdlib.h>

#include "hosts/node/addon/reads.h"
#include "hosts/node/addon/stops.h"
#include "hosts/node/addon/stores.h"

struct handle {
    void *data; /* NULL: closed */
    void (*drop)(void *data);
};

static void drop_store(void *data)
{
    store_drop(data);
}

static void drop_state(void *data)
{
    xylem_state_release(data);
    free(data);
}

static void drop_reads(void *data)
{
    reads_drop(data);
}

static void drop_stop(void *data)
{
    stop_drop(data);
}

/* The tags are random numbers of this project: an object of another addon never has one. */
static const struct {
    napi_type_tag tag;
    void (*drop)(void *data);
} types[] = {
    [HANDLE_STORE] = {{0x8e1fb4a2c07d4d61, 0x9c5e37d2a4b8f013}, drop_store},
    [HANDLE_STATE] = {{0x8e1fb4a2c07d4d61, 0x9c5e37d2a4b8f014}, drop_state},
    [HANDLE_READS] = {{0x8e1fb4a2c07d4d61, 0x9c5e37d2a4b8f016}, drop_reads},
    [HANDLE_STOP] = {{0x8e1fb4a2c07d4d61, 0x9c5e37d2a4b8f017}, drop_stop},
};

/* Runs in the thread of the environment: after a collection, or at the end of the environment. */
static void finalize(napi_env env, void *data, void *hint)
{
    struct handle *handle = data;
    (void)env;
    (void)hint;
    if (handle->data) {
        handle->drop(handle->data);
    }
    free(handle);
}

napi_value handle_make(napi_env env, enum handle_type type, void *data)
{
    napi_value object;
    struct handle *handle = malloc(sizeof *handle);
    if (!handle || napi_create_object(env, &object) != napi_ok ||
        napi_wrap(env, object, handle, finalize, NULL, NULL) != napi_ok) {
        free(handle);
        types[type].drop(data);
        return NULL;
    }
    *handle = (struct handle){data, types[type].drop};
    return napi_type_tag_object(env, object, &types[type].tag) == napi_ok ? object : NULL;
}

void **handle_find(napi_env env, napi_value value, enum handle_type type)
{
    bool fits = false;
    void *handle = NULL;
    napi_valuetype found;
    if (!value || napi_typeof(env, value, &found) != napi_ok || found != napi_object ||
        napi_check_object_type_tag(env, value, &types[type].tag, &fits) != napi_ok || !fits ||
        napi_unwrap(env, value, &handle) != napi_ok) {
        return NULL;
    }
    return &((struct handle *)handle)->data;
}
