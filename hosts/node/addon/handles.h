/* Handles: objects of JavaScript that hold a store, a state, a table of reads or a stop. */
#ifndef XYLEM_NODE_HANDLES_H
#define XYLEM_NODE_HANDLES_H

#include "hosts/node/addon/napi.h"

enum handle_type { HANDLE_STORE = 0, HANDLE_STATE, HANDLE_READS, HANDLE_STOP };

/* Makes a handle of the C side. The garbage collector frees the C side with the handle. NULL: the C side was freed. */
napi_value handle_make(napi_env env, enum handle_type type, void *data);
/* The place of the C side in a handle of the type; the C side is NULL after a close. NULL: another value. */
void **handle_find(napi_env env, napi_value value, enum handle_type type);

#endif
