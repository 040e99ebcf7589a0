/*
 * A wish to end a call early: for the object of JavaScript that wishes, and for the call, which runs in another thread
 * or waits for one.
 *
 *     object ── shared stop ── call
 *                  ├── flag: the call asks while it runs
 *                  └── work: of a call that waits for a thread, and so cannot ask
 */
#ifndef XYLEM_NODE_STOPS_H
#define XYLEM_NODE_STOPS_H

#include "hosts/node/addon/napi.h"
#include "xylem/base.h"

struct shared_stop;

/* A stop without a wish; the caller gets a reference. */
int stop_make(struct shared_stop **made, struct xylem_error *err);
/* One more reference, of a call. */
void stop_hold(struct shared_stop *shared);
void stop_drop(struct shared_stop *shared);

/* The work of the call from now on; NULL: the call ended. In the thread of JavaScript, as stop_wish(). */
void stop_watch(struct shared_stop *shared, napi_async_work work);
/* From now on the stop is wished. A call that waits for a thread ends at once. */
void stop_wish(napi_env env, struct shared_stop *shared);
/* In any thread. */
bool stop_is_wished(const struct shared_stop *shared);

#endif
