#include "hosts/node/addon/runs.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/node/addon/strings.h"

struct open_run {
    struct open_run *next;
    char id[XYLEM_UUID_TEXT_BYTES];
    size_t calls;          /* with the run, or waiting for the lock */
    pthread_mutex_t lock;  /* of all below; taken before the lock of the table */
    struct xylem_run *run; /* NULL: closed; changes with both locks */
    struct shared_store *store;
    struct xylem_catalogue *catalogue; /* of the present action; NULL: none */
};

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static struct open_run *table;

/* The caller has the lock of the table. */
static struct open_run **find(struct xylem_view run_id)
{
    struct open_run **link = &table;
    while (*link && (strlen((*link)->id) != run_id.bytes || memcmp((*link)->id, run_id.data, run_id.bytes) != 0)) {
        link = &(*link)->next;
    }
    return link;
}

bool runs_is_open(struct xylem_view run_id)
{
    pthread_mutex_lock(&table_lock);
    bool found = *find(run_id) != NULL;
    pthread_mutex_unlock(&table_lock);
    return found;
}

/* --- Begin and end ----------------------------------------------------------------------------------------------- */

/* Adds the run, or frees the row if the run could not be made. */
static int add(struct open_run *made, struct shared_store *store, int code)
{
    if (code < 0) {
        free(made);
        return code;
    }
    store_hold(store);
    made->store = store;
    pthread_mutex_init(&made->lock, NULL);
    pthread_mutex_lock(&table_lock);
    made->next = table;
    table = made;
    pthread_mutex_unlock(&table_lock);
    return 0;
}

int runs_start(char run_id[XYLEM_UUID_TEXT_BYTES], struct shared_store *store, const struct xylem_catalogue *catalogue,
               const struct xylem_run_options *options, struct xylem_error *err)
{
    struct open_run *made = calloc(1, sizeof *made);
    int code = made ? xylem_run_start(&made->run, run_id, NULL, store_handle(store), catalogue, options, err)
                    : fail(err, XYLEM_E_MEMORY, NULL);
    if (code == 0) {
        memcpy(made->id, run_id, sizeof made->id);
    }
    return add(made, store, code);
}

/* A copy of a store has the same runs as the store: an id is open once. */
int runs_open(struct shared_store *store, struct xylem_view run_id, enum xylem_run_decision decision,
              struct xylem_view session, struct xylem_error *err)
{
    if (runs_is_open(run_id)) {
        return fail(err, XYLEM_E_CONFLICT, "this process has the run open already");
    }
    struct open_run *made = calloc(1, sizeof *made);
    int code = made ? xylem_run_open(&made->run, store_handle(store), run_id, decision, session, err)
                    : fail(err, XYLEM_E_MEMORY, NULL);
    if (code == 0) { /* an id that the library found is a UUID */
        memcpy(made->id, run_id.data, run_id.bytes < sizeof made->id ? run_id.bytes : sizeof made->id - 1);
    }
    return add(made, store, code);
}

int runs_close(struct xylem_view run_id, struct xylem_error *err)
{
    struct open_run *open = runs_enter(run_id, err);
    if (!open) {
        return 0;
    }
    int code = xylem_run_close(open->run, err);
    if (code != XYLEM_E_BUSY && code != XYLEM_E_FORKED) { /* else the run is unchanged */
        pthread_mutex_lock(&table_lock);
        struct open_run **link = &table;
        while (*link != open) {
            link = &(*link)->next;
        }
        *link = open->next;
        open->run = NULL;
        pthread_mutex_unlock(&table_lock);
        xylem_catalogue_free(open->catalogue);
        store_drop(open->store);
    }
    runs_leave(open);
    return code;
}

/* --- Use --------------------------------------------------------------------------------------------------------- */

struct open_run *runs_enter(struct xylem_view run_id, struct xylem_error *err)
{
    pthread_mutex_lock(&table_lock);
    struct open_run *open = *find(run_id);
    if (open) {
        open->calls++;
    }
    pthread_mutex_unlock(&table_lock);
    if (open) {
        pthread_mutex_lock(&open->lock);
    }
    if (open && !open->run) { /* closed during the wait */
        runs_leave(open);
        open = NULL;
    }
    if (!open) {
        fail(err, XYLEM_E_NOT_FOUND, "the run is not open in this process");
    }
    return open;
}

void runs_leave(struct open_run *open)
{
    pthread_mutex_unlock(&open->lock);
    pthread_mutex_lock(&table_lock);
    bool last = --open->calls == 0 && !open->run;
    pthread_mutex_unlock(&table_lock);
    if (last) {
        pthread_mutex_destroy(&open->lock);
        free(open);
    }
}

struct xylem_run *runs_handle(const struct open_run *open)
{
    return open->run;
}

int runs_next(struct xylem_action *action, struct open_run *open, struct xylem_catalogue *catalogue,
              struct xylem_error *err)
{
    int code = xylem_run_next(action, open->run, catalogue, err);
    xylem_catalogue_free(open->catalogue); /* the action before has ended */
    open->catalogue = catalogue;
    return code;
}
