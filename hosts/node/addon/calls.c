#include "hosts/node/addon/calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/node/addon/strings.h"

#define MAP_GROWTHS_MAX 64 /* a full map grows at the next begin: begin again */

static void end_call(struct call *call)
{
    if (call->operation->release) {
        call->operation->release(call);
    }
    if (call->store) {
        store_drop(call->store);
    }
    if (call->reads) {
        reads_drop(call->reads);
    }
    if (call->stop) {
        stop_drop(call->stop);
    }
    arena_release(&call->arena);
    free(call);
}

/* Makes the call and reads its arguments; `code` says whether that went well. NULL: out of memory. */
static struct call *begin_call(napi_env env, napi_callback_info info)
{
    napi_value arguments[ARGUMENTS_MAX] = {NULL};
    size_t count = ARGUMENTS_MAX;
    void *data = NULL;
    if (napi_get_cb_info(env, info, &count, arguments, NULL, &data) != napi_ok) {
        return NULL;
    }
    const struct operation *operation = data;
    struct call *call = calloc(1, operation->call_bytes);
    if (call) {
        call->operation = operation;
        call->env = env;
        struct reader reader = {env, &call->arena, &call->err};
        call->code = read_arguments(call, &reader, operation->arguments, arguments) ? 0 : call->err.code;
    }
    return call;
}

int call_read(struct call *call, int (*read)(struct call *call, struct xylem_txn *txn))
{
    struct xylem_txn *txn;
    int code = xylem_begin(&txn, store_handle(call->store), XYLEM_READ, &call->err);
    if (code == 0) {
        code = read(call, txn);
        xylem_abort(txn);
    }
    return code;
}

int call_keep(struct xylem_view *kept, struct call *call, struct xylem_view bytes)
{
    char *copy = bytes.data ? arena_take(&call->arena, bytes.bytes + 1) : NULL;
    if (bytes.data && !copy) {
        return fail(&call->err, XYLEM_E_MEMORY, NULL);
    }
    *kept = bytes.data ? (struct xylem_view){memcpy(copy, bytes.data, bytes.bytes), bytes.bytes} : bytes;
    return 0;
}

static int call_write(struct call *call, int (*write)(struct call *call, struct xylem_txn *txn))
{
    int code = XYLEM_E_MAP_FULL;
    for (int growths = 0; code == XYLEM_E_MAP_FULL && growths < MAP_GROWTHS_MAX; growths++) {
        struct xylem_txn *txn;
        if ((code = xylem_begin(&txn, store_handle(call->store), XYLEM_WRITE, &call->err)) < 0) {
            return code;
        }
        if ((code = write(call, txn)) < 0) {
            xylem_abort(txn);
        } else {
            code = xylem_commit(txn, &call->err);
        }
    }
    return code;
}

static void run_call(struct call *call)
{
    const struct operation *operation = call->operation;
    if (call->code == 0) {
        call->code = operation->read    ? call_read(call, operation->read)
                     : operation->write ? call_write(call, operation->write)
                     : operation->run   ? operation->run(call)
                                        : 0;
    }
}

/* NULL: the call failed, or no value could be made. */
static napi_value answer_of(struct call *call)
{
    const struct operation *operation = call->operation;
    napi_value value;
    if (call->code < 0) {
        return NULL;
    }
    if (call->none) {
        return napi_get_null(call->env, &value) == napi_ok ? value : NULL;
    }
    if (!operation->answer) {
        return napi_get_undefined(call->env, &value) == napi_ok ? value : NULL;
    }
    return operation->is_value ? make_value(call->env, call, operation->answer)
                               : make_object(call->env, call, operation->answer);
}

static napi_value error_of(struct call *call)
{
    int code = call->code < 0 ? call->code : XYLEM_E_MEMORY;
    if (call->err.code != code) { /* the failed call gives no text */
        fail(&call->err, code, NULL);
    }
    return make_error(call->env, &call->err);
}

/* Throws the error of the call. No error can be made where JavaScript has thrown already, in a getter for instance. */
static napi_value throw_error(struct call *call)
{
    napi_value error = error_of(call);
    if (error) {
        napi_throw(call->env, error);
    }
    end_call(call);
    return NULL;
}

static napi_value throw_memory(napi_env env)
{
    struct xylem_error err;
    fail(&err, XYLEM_E_MEMORY, NULL);
    napi_value error = make_error(env, &err);
    if (error) {
        napi_throw(env, error);
    }
    return NULL;
}

static napi_value call_now(napi_env env, napi_callback_info info)
{
    struct call *call = begin_call(env, info);
    if (!call) {
        return throw_memory(env);
    }
    run_call(call);
    napi_value value = answer_of(call);
    if (!value) {
        return throw_error(call);
    }
    end_call(call);
    return value;
}

static void execute(napi_env env, void *data)
{
    (void)env; /* another thread: no JavaScript here */
    run_call(data);
}

static void complete(napi_env env, napi_status status, void *data)
{
    struct call *call = data;
    if (status != napi_ok && call->code == 0) {
        call->code = fail(&call->err, XYLEM_E_STOPPED, "the call was stopped, or the environment ended, before it ran");
    }
    if (call->stop) {
        stop_watch(call->stop, NULL);
    }
    napi_value value = answer_of(call);
    if (value) {
        napi_resolve_deferred(env, call->deferred, value);
    } else if ((value = error_of(call))) {
        napi_reject_deferred(env, call->deferred, value);
    }
    napi_delete_async_work(env, call->work);
    end_call(call);
}

/* Arguments of a wrong type are thrown at once. */
static napi_value call_later(napi_env env, napi_callback_info info)
{
    struct call *call = begin_call(env, info);
    napi_value promise = NULL;
    if (!call) {
        return throw_memory(env);
    }
    napi_value name = make_string(env, xylem_view_of(call->operation->name));
    if (call->code < 0 || !name || napi_create_promise(env, &call->deferred, &promise) != napi_ok ||
        napi_create_async_work(env, NULL, name, execute, complete, call, &call->work) != napi_ok ||
        napi_queue_async_work(env, call->work) != napi_ok) {
        return throw_error(call);
    }
    if (call->stop) {
        stop_watch(call->stop, call->work);
    }
    return promise;
}

static bool export_function(napi_env env, napi_value exports, const char *name, napi_callback callback,
                            const struct operation *operation)
{
    napi_value function;
    void *data = (void *)(uintptr_t)operation; /* constant: the callbacks read it only */
    return napi_create_function(env, name, NAPI_AUTO_LENGTH, callback, data, &function) == napi_ok &&
           napi_set_named_property(env, exports, name, function) == napi_ok;
}

bool operation_export(napi_env env, napi_value exports, const struct operation *operation)
{
    char name[64];
    snprintf(name, sizeof name, "%sAsync", operation->name);
    return export_function(env, exports, operation->name, call_now, operation) &&
           (!operation->waits || export_function(env, exports, name, call_later, operation));
}
