/*
 * The environment, the handle and the transaction, for the files that open environments and read and write rows. This is
 * the only place that includes LMDB's header. Other files ask tables.h for rows, and handle.h for handles.
 */
#ifndef XYLEM_LMDB_ENVIRONMENT_H
#define XYLEM_LMDB_ENVIRONMENT_H

#include <lmdb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "pages/store_files.h"
#include "format/format.h"
#include "lmdb/handle.h"
#include "lmdb/tables.h"
#include "pages/tree_cursor.h"
#include "lmdb/writer_lock.h"
#include "xylem.h"

/* A kind, and its number. */
struct xylem_lmdb__known_kind {
    uint32_t number;
    enum xylem_class kind_class;
    size_t name_bytes;
    char name[];
};

/* The number of the LMDB transaction that makes a store: the host's first has the next. */
#define XYLEM_LMDB__CREATING_TXN 1u

/* Numbers below this are kept for all transactions of an environment. Beyond them each transaction reads for itself. */
#define XYLEM_LMDB__SHARED_KINDS 1024u

/*
 * Paths of the newest snapshot that need no proof, as LMDB made their pages, in this environment, of pages that were proven
 * whole: to the last row of a table, and to the row of the last key that was written.
 */
#define XYLEM_LMDB__DERIVED_KEY_BYTES 32u
struct xylem_lmdb__derived {
    bool end;
    uint8_t key_bytes; /* 0: none, or a longer key */
    unsigned char key[XYLEM_LMDB__DERIVED_KEY_BYTES];
};

/* One LMDB environment: a process must not open the same file twice, so handles share it. */
struct xylem_lmdb__env {
    struct xylem_lmdb__env *next;
    dev_t device;
    ino_t inode;
    unsigned fork_count; /* of the process that opened it */
    size_t handle_count;
    char *path;
    char *file; /* NULL: data.mdb in `path`, with LMDB's locks; else this very file, which nobody else uses, without */
    struct xylem_pages__directory directory; /* of `path`, whatever it is called by now */
    bool read_only;
    bool no_lock; /* its readers are not in LMDB's table: no writer knows of them */
    uint64_t map_bytes;
    MDB_env *mdb;                     /* NULL while it could not be opened again */
    const unsigned char *_Atomic map; /* page 0 in LMDB's map; NULL: not looked for since LMDB made the map */
    _Atomic size_t page_bytes;
    _Atomic uint64_t page_count; /* as many pages lie in the file */
    MDB_dbi tables[XYLEM_FORMAT__TABLE_COUNT];
    struct xylem_lmdb__known_kind *_Atomic kinds[XYLEM_LMDB__SHARED_KINDS]; /* by number: those that were read */
    struct xylem_lmdb__writer_lock writer_lock; /* opened with the first handle that writes */
    pthread_mutex_t lock;                       /* for all below */
    size_t txn_count;
    bool writing;
    pthread_t writer;
    bool fatal;       /* LMDB refuses to go on: open it again when the last transaction ended */
    bool grow_wanted; /* the map was full */
    bool damaged; /* LMDB met pages that cannot be, or the free list is wrong: nobody of this process writes any more */
    bool free_checked;            /* the free list was looked at */
    _Atomic uint64_t derived_txn; /* the last commit of this environment; 0: none. The writer's alone, as is the next */
    struct xylem_lmdb__derived derived[XYLEM_FORMAT__TABLE_COUNT];
};

struct xylem_store {
    struct xylem_lmdb__env *env;
    enum xylem_durability durability;
    bool read_only;
    char *warning;                   /* NULL: others can neither read nor write it */
    int lock_fd;                     /* -1: the lock file could not be made, on a read-only file system */
    int lease_fd;                    /* whose locks on bytes are its leases; -1: it never had one */
    struct xylem_store *next_lessee; /* of those that have a `lease_fd` */
    struct xylem_lmdb__waiting waiting;
    size_t txn_count;           /* with those that wait to begin; guarded by env->lock, as is the next */
    struct xylem_lease *leases; /* that it took and did not release */
};

struct xylem_txn {
    struct xylem_store *store;
    struct xylem_lmdb__env *env;
    MDB_txn *mdb;
    bool write;
    bool locked; /* it has the writer lock */
    pthread_t thread;
    int refused;                           /* the code of the first call that LMDB refused, 0: none */
    int failed;                            /* the code of the write that failed: it cannot be committed any more */
    struct xylem_lmdb__known_kind **kinds; /* by ascending number: those that are not its environment's */
    size_t kind_count;
    size_t kind_capacity;
    void *displaced; /* what the last source read names */
    struct xylem_lmdb__seen seen;
    struct xylem_lmdb__rows *spare[XYLEM_FORMAT__TABLE_COUNT]; /* where the last read of each table ended */
    struct xylem_pages__snapshot snapshot; /* what it reads; of a write transaction what the last commit left */
    uint32_t known_trees;                  /* 1 << table: `trees` has it */
    uint32_t changed;                      /* 1 << table: LMDB has it otherwise than the snapshot */
    struct xylem_lmdb__derived derived[XYLEM_FORMAT__TABLE_COUNT]; /* of the snapshot that its commit will leave */
    uint32_t seeded;                                               /* 1 << table: `whole` has what is derived */
    uint32_t appended;                                             /* 1 << table: the way to its last row was proven */
    struct xylem_pages__page_set whole;                            /* pages of the snapshot that were proven whole */
    struct xylem_counters counters;
    uint32_t shut;        /* 1 << table: its pages are damaged, so LMDB is not let near it */
    bool refused_as_shut; /* the last CORRUPT was only that */
    bool pages_checked;   /* all pages were looked at: what is said of order was said, and each way through them ends */
    /* From here on nothing is read before it is written, so that a new transaction need not clear it. */
    struct xylem_pages__tree trees[XYLEM_FORMAT__TABLE_COUNT]; /* of the tables of `snapshot` */
    struct xylem_pages__tree_cursor list_of_tables;
};

/* How often this process is a fork of the one that loaded the library. Only fork(2) changes it. */
extern unsigned xylem_lmdb__fork_count;

/*
 * Fails if the transaction may not be used here: after fork(2), or a write transaction in another thread. Every row that
 * is read asks, so the answer that is usual is given here.
 */
int xylem_lmdb__refuse_use(const struct xylem_txn *txn, struct xylem_error *err);
static inline int xylem_lmdb__usable(const struct xylem_txn *txn, struct xylem_error *err)
{
    bool usable =
        txn->env->fork_count == xylem_lmdb__fork_count && (!txn->write || pthread_equal(txn->thread, pthread_self()));
    return usable ? XYLEM_OK : xylem_lmdb__refuse_use(txn, err);
}

/* How large a map the options ask for. */
uint64_t xylem_lmdb__map_bytes(const struct xylem_open_options *options);

/* Opens the LMDB environment of `env` (again). */
int xylem_lmdb__env_open(struct xylem_lmdb__env *env, bool create, struct xylem_error *err);
void xylem_lmdb__env_close(struct xylem_lmdb__env *env);
/* A file that lost its end, or whose list of tables is garbled, would end the process that opens it: so look before. */
int xylem_lmdb__env_check_pages(struct xylem_lmdb__env *env, struct xylem_error *err);
/*
 * With the lock held and no transaction open in this process: opens it again after a fatal error, or grows a map that was
 * full.
 */
int xylem_lmdb__env_mend(struct xylem_lmdb__env *env, struct xylem_error *err);

/* The reader with the oldest snapshot. Start with a `txn_id` above all others. */
struct xylem_lmdb__reader {
    uint64_t txn_id;
    int64_t pid;
    int64_t only_pid; /* 0: any process */
};
/* Finds the oldest reader in LMDB's table, without processes that died. Returns an LMDB result. */
int xylem_lmdb__oldest_reader(struct xylem_lmdb__reader *oldest, MDB_env *mdb);

/* An LMDB result as a code, as a text that says what to do where LMDB's own does not, and as a code with a text. */
int xylem_lmdb__mdb_code(int result);
const char *xylem_lmdb__mdb_text(int result);
int xylem_lmdb__mdb_fail(struct xylem_error *err, int result, const char *what, const struct xylem_lmdb__env *env);

/* The same for what wrote: where there was no room, the text says which limit it was. */
int xylem_lmdb__write_fail(struct xylem_error *err, int result, const char *what, const struct xylem_lmdb__env *env);

/* Frees the kinds that a transaction keeps, or that its environment does. */
void xylem_lmdb__own_kinds_free(struct xylem_txn *txn);
void xylem_lmdb__shared_kinds_free(struct xylem_lmdb__env *env);

/*
 * Begins a transaction of LMDB with `begin`, and takes the snapshot that it reads, or, of a writer, that the last commit
 * left. Begins anew where two commits came in between, so that the meta page of the snapshot is gone.
 */
int xylem_lmdb__snapshot_begin(struct xylem_pages__snapshot *snapshot, struct xylem_lmdb__env *env, MDB_txn **mdb,
                               bool write, int (*begin)(MDB_txn **mdb, void *context, struct xylem_error *err),
                               void *context, struct xylem_error *err);

/* A tree cursor met a page that cannot be: the code, with a text, and the environment refuses writers. */
int xylem_lmdb__fail_in_tree(struct xylem_txn *txn, const char *tree, const struct xylem_pages__tree_cursor *cursor,
                             int code, struct xylem_error *err);
/* How a table of the snapshot is described. */
int xylem_lmdb__table_tree(const struct xylem_pages__tree **tree, struct xylem_txn *txn, enum xylem_format__table table,
                           struct xylem_error *err);
/* Fails if the free list of the snapshot names one of the pages of `whole` that were proven, from an index on. */
int xylem_lmdb__refuse_free_pages(struct xylem_txn *txn, size_t first, struct xylem_error *err);

/* Closes the cursors that are kept. */
void xylem_lmdb__spares_close(struct xylem_txn *txn);

/*
 * Opens the tables of an environment that was just opened, after looking whether it is a store that this library can
 * read. With `create`, an environment without any table becomes a store.
 */
int xylem_lmdb__meta_open(struct xylem_lmdb__env *env, bool create, struct xylem_error *err);

#endif
