#include "hosts/node/addon/stores.h"
#include "xylem/lease.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "hosts/node/addon/strings.h"

struct held_lease {
    struct held_lease *next;
    uint64_t session;
    struct xylem_lease *lease;
    bool leaving; /* the last handle was closed while another process wrote */
};

struct shared_store {
    struct shared_store *next;
    dev_t device; /* of data.mdb, which is open: no other file has the numbers */
    ino_t inode;
    bool read_only;
    size_t references;
    struct xylem_store *store;
    pthread_mutex_t lease_lock; /* apart from the lock of the table: a lease may wait for another writer */
    struct held_lease *leases;
};

struct note {
    struct note *next;
    size_t key_bytes;
    size_t value_bytes;
    char bytes[]; /* the key, then the value */
};

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static struct shared_store *table;
static pthread_mutex_t note_lock = PTHREAD_MUTEX_INITIALIZER;
static struct note *notes;

/* --- Stores ------------------------------------------------------------------------------------------------------ */

/* 0 and the status of the file of the store in a directory, else -1. */
static int look_at(struct stat *status, const char *path)
{
    char *file;
    int code = asprintf(&file, "%s/data.mdb", path);
    if (code >= 0) {
        code = stat(file, status);
        free(file);
    }
    return code;
}

/* The open store of a directory; the caller has the lock of the table. */
static struct shared_store *find(const char *path, bool read_only)
{
    struct stat status;
    struct shared_store *shared = look_at(&status, path) == 0 ? table : NULL;
    while (shared &&
           (shared->device != status.st_dev || shared->inode != status.st_ino || shared->read_only != read_only)) {
        shared = shared->next;
    }
    return shared;
}

static int open_new(struct shared_store **opened, const char *path, const struct xylem_open_options *options,
                    struct xylem_error *err)
{
    struct stat status;
    struct shared_store *shared = calloc(1, sizeof *shared);
    int code = shared ? xylem_open(&shared->store, path, options, err) : fail(err, XYLEM_E_MEMORY, NULL);
    if (code == 0 && look_at(&status, path) != 0) {
        xylem_close(shared->store, NULL);
        code = fail(err, XYLEM_E_IO, "the store was opened, and its file is gone");
    }
    if (code < 0) {
        free(shared);
        return code;
    }
    shared->device = status.st_dev;
    shared->inode = status.st_ino;
    shared->read_only = options->read_only;
    pthread_mutex_init(&shared->lease_lock, NULL);
    *opened = shared;
    return 0;
}

static void close_shared(struct shared_store *shared)
{
    xylem_close(shared->store, NULL);
    pthread_mutex_destroy(&shared->lease_lock);
    free(shared);
}

/* Gives the store of the table a reference; `opened` (NULL: none) joins the table if the table has no such store. */
static struct shared_store *share(const char *path, bool read_only, struct shared_store *opened)
{
    pthread_mutex_lock(&table_lock);
    struct shared_store *shared = find(path, read_only);
    if (!shared && opened) {
        opened->next = table;
        table = shared = opened;
    }
    if (shared) {
        shared->references++;
    }
    pthread_mutex_unlock(&table_lock);
    return shared;
}

/* Opening may wait, so the lock of the table is free meanwhile. */
int store_open(struct shared_store **opened, const char *path, const struct xylem_open_options *options,
               struct xylem_error *err)
{
    struct shared_store *fresh = NULL;
    *opened = share(path, options->read_only, NULL);
    int code = *opened ? 0 : open_new(&fresh, path, options, err);
    if (fresh) {
        *opened = share(path, options->read_only, fresh);
        if (*opened != fresh) { /* another thread was faster */
            close_shared(fresh);
        }
    }
    return code;
}

void store_hold(struct shared_store *shared)
{
    pthread_mutex_lock(&table_lock);
    shared->references++;
    pthread_mutex_unlock(&table_lock);
}

/* Ends a lease. BUSY: another process writes, and the lease is unchanged. */
static int end_lease(struct held_lease **link, struct xylem_error *err)
{
    struct held_lease *held = *link;
    int code = xylem_lease_release(held->lease, err);
    if (code == XYLEM_E_FORKED) { /* xylem_close() frees the lease of the parent */
        code = 0;
    }
    if (code != XYLEM_E_BUSY) { /* after another failure the row stays, like the row of a dead owner */
        *link = held->next;
        free(held);
    }
    return code;
}

/* False: another process writes for long. The store stays in the table, and the next open finds it with its leases. */
static bool end_leases(struct shared_store *shared)
{
    while (shared->leases) {
        if (end_lease(&shared->leases, NULL) == XYLEM_E_BUSY) {
            for (struct held_lease *held = shared->leases; held; held = held->next) {
                held->leaving = true;
            }
            return false;
        }
    }
    return true;
}

/* The lock stays until the store is closed: an open of the same store then finds the session's leases released. */
void store_drop(struct shared_store *shared)
{
    pthread_mutex_lock(&table_lock);
    if (--shared->references == 0 && end_leases(shared)) {
        struct shared_store **link = &table;
        while (*link != shared) {
            link = &(*link)->next;
        }
        *link = shared->next;
        close_shared(shared);
    }
    pthread_mutex_unlock(&table_lock);
}

struct xylem_store *store_handle(const struct shared_store *shared)
{
    return shared->store;
}

/* --- Leases ------------------------------------------------------------------------------------------------------ */

static struct held_lease **find_lease(struct shared_store *shared, uint64_t session)
{
    struct held_lease **link = &shared->leases;
    while (*link && (*link)->session != session) {
        link = &(*link)->next;
    }
    return link;
}

/* The leases that an earlier close could not end. */
static int end_leaving(struct shared_store *shared, struct xylem_error *err)
{
    for (struct held_lease **link = &shared->leases; *link;) {
        if (!(*link)->leaving) {
            link = &(*link)->next;
        } else if (end_lease(link, err) == XYLEM_E_BUSY) {
            return XYLEM_E_BUSY;
        }
    }
    return 0;
}

int store_lease_take(struct shared_store *shared, uint64_t session, struct xylem_error *err)
{
    int code = 0;
    pthread_mutex_lock(&shared->lease_lock);
    struct held_lease *found = *find_lease(shared, session);
    if (found) {
        found->leaving = false;
    }
    code = end_leaving(shared, err);
    if (code == 0 && !found) {
        struct held_lease *held = calloc(1, sizeof *held);
        code = held ? xylem_lease_take(&held->lease, shared->store, session, err) : fail(err, XYLEM_E_MEMORY, NULL);
        if (code == 0) {
            held->session = session;
            held->next = shared->leases;
            shared->leases = held;
        } else {
            free(held);
        }
    }
    pthread_mutex_unlock(&shared->lease_lock);
    return code;
}

int store_lease_release(struct shared_store *shared, uint64_t session, struct xylem_error *err)
{
    int code = 0;
    pthread_mutex_lock(&shared->lease_lock);
    struct held_lease **link = find_lease(shared, session);
    struct held_lease *held = *link;
    if (held) {
        code = xylem_lease_release(held->lease, err);
        if (code != XYLEM_E_BUSY && code != XYLEM_E_FORKED) { /* else the lease has ended */
            *link = held->next;
            free(held);
        }
    }
    pthread_mutex_unlock(&shared->lease_lock);
    return code;
}

/* --- Notes ------------------------------------------------------------------------------------------------------- */

static struct note **find_note(struct xylem_view key)
{
    struct note **link = &notes;
    while (*link && ((*link)->key_bytes != key.bytes || memcmp((*link)->bytes, key.data, key.bytes) != 0)) {
        link = &(*link)->next;
    }
    return link;
}

int note_write(struct xylem_view key, struct xylem_view value, struct xylem_error *err)
{
    struct note *note = value.data ? malloc(sizeof *note + key.bytes + value.bytes) : NULL;
    if (value.data && !note) {
        return fail(err, XYLEM_E_MEMORY, NULL);
    }
    pthread_mutex_lock(&note_lock);
    struct note **link = find_note(key);
    struct note *former = *link;
    if (former) {
        *link = former->next;
        free(former);
    }
    if (note) {
        *note = (struct note){.next = notes, .key_bytes = key.bytes, .value_bytes = value.bytes};
        memcpy(note->bytes, key.data, key.bytes);
        memcpy(note->bytes + key.bytes, value.data, value.bytes);
        notes = note;
    }
    pthread_mutex_unlock(&note_lock);
    return 0;
}

int note_read(struct xylem_buffer *value, struct xylem_view key, struct xylem_error *err)
{
    pthread_mutex_lock(&note_lock);
    const struct note *note = *find_note(key);
    int code = note ? xylem_buffer_add(value, note->bytes + key.bytes, note->value_bytes) : 0;
    pthread_mutex_unlock(&note_lock);
    return code < 0 ? fail(err, code, NULL) : note != NULL;
}
