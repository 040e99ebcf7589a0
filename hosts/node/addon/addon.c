/* The module: a list of operations, for every environment of JavaScript in the process. */
#include "hosts/node/addon/addon.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int32_t node_api_module_get_api_version_v1(void);
EXPORT napi_value napi_register_module_v1(napi_env env, napi_value exports);

int32_t node_api_module_get_api_version_v1(void)
{
    return NAPI_VERSION;
}

/*
 * Finds a copy of the addon that was loaded before this one. Two copies would open a store with two copies of LMDB, and
 * break its locks. The objects come in the order of loading.
 */
static int find_earlier(struct dl_phdr_info *object, size_t bytes, void *text)
{
    static const char name[] = "/xylem.node";
    size_t length = strlen(object->dlpi_name);
    Dl_info self;
    (void)bytes;
    if (length < sizeof name || strcmp(object->dlpi_name + length + 1 - sizeof name, name) != 0) {
        return 0;
    }
    if (dladdr(name, &self) && strcmp(self.dli_fname, object->dlpi_name) != 0) {
        snprintf(text, XYLEM_ERROR_TEXT_BYTES,
                 "this process has loaded another copy of the addon, %.400s: restart the host", object->dlpi_name);
    }
    return 1;
}

/* Runs for the main thread, and for each worker that loads the addon. */
napi_value napi_register_module_v1(napi_env env, napi_value exports)
{
    static const struct operation *const lists[] = {store_operations,  state_operations,   sequence_operations,
                                                    show_operations,   run_operations,     reads_operations,
                                                    search_operations, preview_operations, process_operations};
    struct xylem_error other = {.code = XYLEM_E_BUSY};
    dl_iterate_phdr(find_earlier, other.text);
    if (other.text[0]) {
        napi_throw(env, make_error(env, &other));
        return NULL;
    }
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        for (const struct operation *operation = lists[i]; operation->name; operation++) {
            if (!operation_export(env, exports, operation)) {
                return NULL;
            }
        }
    }
    return exports;
}
