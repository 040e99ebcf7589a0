/*
 * Declares the functions of Node-API (version 8) that the addon calls. The interface is stable across versions of
 * Node and Bun, so the addon needs no header of either: https://nodejs.org/api/n-api.html has the meaning of each call.
 */
#ifndef XYLEM_NODE_NAPI_H
#define XYLEM_NODE_NAPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NAPI_VERSION 8

typedef struct napi_env__ *napi_env;
typedef struct napi_value__ *napi_value;
typedef struct napi_deferred__ *napi_deferred;
typedef struct napi_callback_info__ *napi_callback_info;
typedef struct napi_async_work__ *napi_async_work;
typedef struct napi_handle_scope__ *napi_handle_scope;

typedef enum { napi_ok = 0 } napi_status; /* any other number is a failure */

typedef enum {
    napi_undefined,
    napi_null,
    napi_boolean,
    napi_number,
    napi_string,
    napi_symbol,
    napi_object,
    napi_function,
    napi_external,
    napi_bigint
} napi_valuetype;

typedef struct {
    uint64_t lower;
    uint64_t upper;
} napi_type_tag;

typedef napi_value (*napi_callback)(napi_env env, napi_callback_info info);
typedef void (*napi_finalize)(napi_env env, void *data, void *hint);
typedef void (*napi_async_execute_callback)(napi_env env, void *data);
typedef void (*napi_async_complete_callback)(napi_env env, napi_status status, void *data);

#define NAPI_AUTO_LENGTH SIZE_MAX

napi_status napi_get_cb_info(napi_env env, napi_callback_info info, size_t *argc, napi_value *argv, napi_value *that,
                             void **data);
napi_status napi_typeof(napi_env env, napi_value value, napi_valuetype *result);
napi_status napi_is_array(napi_env env, napi_value value, bool *result);
napi_status napi_get_array_length(napi_env env, napi_value value, uint32_t *result);
napi_status napi_get_element(napi_env env, napi_value object, uint32_t index, napi_value *result);
napi_status napi_set_element(napi_env env, napi_value object, uint32_t index, napi_value value);
napi_status napi_get_named_property(napi_env env, napi_value object, const char *name, napi_value *result);
napi_status napi_set_named_property(napi_env env, napi_value object, const char *name, napi_value value);
napi_status napi_get_value_bool(napi_env env, napi_value value, bool *result);
napi_status napi_get_value_double(napi_env env, napi_value value, double *result);
napi_status napi_get_value_string_utf16(napi_env env, napi_value value, uint16_t *buffer, size_t units, size_t *result);
napi_status napi_get_undefined(napi_env env, napi_value *result);
napi_status napi_get_null(napi_env env, napi_value *result);
napi_status napi_get_boolean(napi_env env, bool value, napi_value *result);
napi_status napi_create_double(napi_env env, double value, napi_value *result);
napi_status napi_create_string_utf16(napi_env env, const uint16_t *units, size_t count, napi_value *result);
napi_status napi_create_string_latin1(napi_env env, const char *text, size_t bytes, napi_value *result);
napi_status napi_create_object(napi_env env, napi_value *result);
napi_status napi_create_array_with_length(napi_env env, size_t count, napi_value *result);
napi_status napi_create_function(napi_env env, const char *name, size_t bytes, napi_callback callback, void *data,
                                 napi_value *result);
napi_status napi_wrap(napi_env env, napi_value object, void *data, napi_finalize finalize, void *hint,
                      void **reference);
napi_status napi_unwrap(napi_env env, napi_value object, void **result);
napi_status napi_type_tag_object(napi_env env, napi_value object, const napi_type_tag *tag);
napi_status napi_check_object_type_tag(napi_env env, napi_value object, const napi_type_tag *tag, bool *result);
napi_status napi_create_error(napi_env env, napi_value code, napi_value message, napi_value *result);
napi_status napi_throw(napi_env env, napi_value error);
napi_status napi_create_promise(napi_env env, napi_deferred *deferred, napi_value *promise);
napi_status napi_resolve_deferred(napi_env env, napi_deferred deferred, napi_value value);
napi_status napi_reject_deferred(napi_env env, napi_deferred deferred, napi_value error);
napi_status napi_create_async_work(napi_env env, napi_value resource, napi_value name,
                                   napi_async_execute_callback execute, napi_async_complete_callback complete,
                                   void *data, napi_async_work *result);
napi_status napi_queue_async_work(napi_env env, napi_async_work work);
napi_status napi_cancel_async_work(napi_env env, napi_async_work work);
napi_status napi_delete_async_work(napi_env env, napi_async_work work);
napi_status napi_open_handle_scope(napi_env env, napi_handle_scope *result);
napi_status napi_close_handle_scope(napi_env env, napi_handle_scope scope);

#endif
