/*
 * Runs an operation: at once, or as a promise.
 *
 *     arguments  values of JavaScript become members of the operation's struct, in the thread of JavaScript
 *     run        at most one transaction; no JavaScript. A promise runs this in a thread of the pool. Instead of `run`,
 *                `read` and `write` run in a transaction of the store.
 *     answer     members of the struct become values, in the thread of JavaScript
 *     release    frees what `run` made, in every case
 *
 * Every operation exists under its name, and under its name with `Async` if it may wait for a disk or another writer.
 */
#ifndef XYLEM_NODE_CALLS_H
#define XYLEM_NODE_CALLS_H

#include "hosts/node/addon/reads.h"
#include "hosts/node/addon/stops.h"
#include "hosts/node/addon/stores.h"
#include "hosts/node/addon/values.h"

#define ARGUMENTS_MAX 4u

/* The head of the struct of every operation, which starts zeroed. */
struct call {
    const struct operation *operation;
    napi_env env;
    napi_async_work work;
    napi_deferred deferred;
    struct arena arena;
    struct xylem_error err;
    int code;
    bool none;                  /* the answer is null */
    struct shared_store *store; /* of FIELD_STORE: a reference */
    struct xylem_state *state;  /* of FIELD_STATE: an argument belongs to its handle */
    struct shared_reads *reads; /* of FIELD_READS: a reference */
    struct shared_stop *stop;   /* of FIELD_STOP: a reference; NULL: nobody can stop the call */
};

struct operation {
    const char *name;
    size_t call_bytes;
    bool waits;                    /* there is a promise too */
    const struct field *arguments; /* NULL: none */
    const struct field *answer;    /* NULL: undefined */
    bool is_value;                 /* the answer is the value of the one field, not an object */
    int (*run)(struct call *call);
    int (*read)(struct call *call, struct xylem_txn *txn);
    int (*write)(struct call *call, struct xylem_txn *txn); /* again after a full map */
    void (*release)(struct call *call);
};

/* Runs `read` in a transaction of the store of the call. */
int call_read(struct call *call, int (*read)(struct call *call, struct xylem_txn *txn));

/* Copies bytes, which then live until the end of the call. Data NULL stays NULL. */
int call_keep(struct xylem_view *kept, struct call *call, struct xylem_view bytes);

/* Adds the functions of an operation to the exports of the module. False: an exception is pending. */
bool operation_export(napi_env env, napi_value exports, const struct operation *operation);

#endif
