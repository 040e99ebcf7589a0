/*
 * Defines the environment, the handle and the transaction for the files of this room. Only this file includes LMDB's
 * header. Other rooms use tables.h for rows, and handle.h for handles.
 *
 *     handle ----+                          several handles of one process share the environment of a file
 *     handle ----+---- environment ---- data.mdb
 *       |                   |
 *     transaction ----------+               a transaction reads a snapshot; one transaction at a time writes
 */
#ifndef XYLEM_LMDB_ENVIRONMENT_H
#define XYLEM_LMDB_ENVIRONMENT_H

#include <lmdb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "store/pages/store_files.h"
#include "store/format/format.h"
#include "store/lmdb/handle.h"
#include "store/lmdb/prover.h"
#include "store/lmdb/tables.h"
#include "store/lmdb/writer_lock.h"

struct xylem_lease;

/* A kind with its number, as kept in memory. */
struct xylem_lmdb__known_kind {
    uint32_t number;
    enum xylem_class kind_class;
    size_t name_bytes;
    char name[];
};

/* The LMDB transaction that makes a store. The first transaction of a host has the next number. */
#define XYLEM_LMDB__CREATING_TXN 1u

/* An environment keeps kinds below this number for all transactions. A transaction keeps other kinds for itself. */
#define XYLEM_LMDB__SHARED_KINDS 1024u

/* An environment keeps at most so many readers between two transactions. */
#define XYLEM_LMDB__IDLE_READERS 4u

/* One LMDB environment. A process must not open a file twice, so the handles of a file share the environment. */
struct xylem_lmdb__env {
    struct xylem_lmdb__env *next;
    dev_t device;
    ino_t inode;
    unsigned fork_count; /* of the process that opened the environment */
    size_t handle_count;
    char *path;
    char *file; /* NULL: data.mdb in `path`, with LMDB's locks; else a file that nobody else uses, without locks */
    struct xylem_pages__directory directory; /* at `path` when opened; the directory may have another name by now */
    bool read_only;
    bool no_lock; /* readers are not in LMDB's table of readers, so no writer waits for their pages */
    uint64_t map_bytes;
    MDB_env *mdb;                     /* NULL: opening again failed */
    const unsigned char *_Atomic map; /* page 0 in LMDB's map; NULL: not yet found in this map */
    _Atomic size_t page_bytes;
    MDB_txn *_Atomic idle_readers[XYLEM_LMDB__IDLE_READERS]; /* without a snapshot; NULL: none */
    _Atomic uint64_t page_count;                             /* the file has this many pages, or more */
    MDB_dbi tables[XYLEM_FORMAT__TABLE_COUNT];
    struct xylem_lmdb__known_kind *_Atomic kinds[XYLEM_LMDB__SHARED_KINDS]; /* by number; NULL: not yet read */
    struct xylem_lmdb__writer_lock writer_lock; /* opened with the first handle that has locks */
    struct stat lmdb_lock;                      /* lock.mdb when opened; st_ino 0: without locks */
    struct stat xylem_lock;                     /* xylem.lock; st_ino 0: without a page */
    const unsigned char *lock_table;            /* the first page of lock.mdb, for reading; NULL: not mapped */
    _Atomic uint64_t seen_commit;               /* the newest commit that this process read or made */
    _Atomic bool overwritten;                   /* a commit had a number that cannot be */
    _Atomic int64_t looked_ms;                  /* when a reader looked at the files; 0: never */
    pthread_mutex_t lock;                       /* guards the members below */
    size_t txn_count;
    bool writing;
    pthread_t writer;
    bool fatal;        /* LMDB refuses all transactions: to be opened again after the last transaction */
    bool grow_wanted;  /* the map was full */
    bool damaged;      /* damaged pages, or a damaged free list: this process writes nothing more to the store */
    bool free_checked; /* the free list was checked */
    _Atomic uint64_t
        derived_txn; /* the last commit of this environment; 0: none. For the writer alone, like `derived` */
    struct xylem_lmdb__derived derived[XYLEM_FORMAT__TABLE_COUNT];
};

struct xylem_store {
    struct xylem_lmdb__env *env;
    enum xylem_durability durability;
    bool read_only;
    char *warning;                   /* NULL: nobody else can read or write the store */
    int lock_fd;                     /* xylem.lock; -1: on a read-only file system */
    int lease_fd;                    /* xylem.lock again, with the locks of leases; -1: no lease yet */
    struct xylem_store *next_lessee; /* in the list of handles with a `lease_fd` */
    struct xylem_lmdb__waiting waiting;
    size_t txn_count;           /* with waiting transactions; guarded by env->lock, like the two below */
    size_t wake_count;          /* made and not freed */
    struct xylem_lease *leases; /* taken and not released */
};

struct xylem_txn {
    struct xylem_store *store;
    struct xylem_lmdb__env *env;
    MDB_txn *mdb;
    bool write;
    bool locked;        /* has the writer lock */
    bool holds_writing; /* has XYLEM_LMDB__WRITING_BYTE of data.mdb */
    pthread_t thread;
    int refused; /* the code of the first call that LMDB refused; 0: none */
    int failed;  /* the code of a failed write: the transaction cannot be committed; 0: none */
    struct xylem_lmdb__known_kind **kinds; /* kinds that the environment does not keep, by ascending number */
    size_t kind_count;
    size_t kind_capacity;
    void *displaced;           /* the displaced lines of the last read source */
    struct xylem_lease *lease; /* linked in this transaction, and unlinked if the transaction fails; NULL: none */
    struct xylem_lmdb__seen seen;
    struct xylem_lmdb__rows *spare[XYLEM_FORMAT__TABLE_COUNT]; /* a free cursor for each table, at the last read row */
    struct xylem_pages__snapshot snapshot; /* the state that is read; for a writer the state before the transaction */
    uint32_t known_trees;                  /* 1 << table: `trees` has the table */
    uint32_t changed;                      /* 1 << table: the table differs from the snapshot */
    struct xylem_lmdb__prover prover;
    struct xylem_counters counters;
    uint32_t shut;        /* 1 << table: not read, because pages of the table are damaged */
    bool refused_as_shut; /* a call failed only because of `shut` */
    bool pages_checked;   /* all pages were checked: wrong order was reported, and every loop over rows ends */
    /* A new transaction does not clear the members below: each is written before the first read. */
    struct xylem_pages__tree trees[XYLEM_FORMAT__TABLE_COUNT]; /* the tables of `snapshot` */
    struct xylem_pages__tree_cursor list_of_tables;
    struct xylem_pages__tree_cursor free_list; /* of a write transaction: at the first record that is not proven */
};

/* The number of forks between the process that loaded the library and this process. Only fork(2) changes the number. */
extern unsigned xylem_lmdb__fork_count;

/*
 * Fails after fork(2), and for a write transaction in another thread. Every read of a row calls this, so the usual
 * answer is inline.
 */
int xylem_lmdb__refuse_use(const struct xylem_txn *txn, struct xylem_error *err);
static inline int xylem_lmdb__usable(const struct xylem_txn *txn, struct xylem_error *err)
{
    bool usable =
        txn->env->fork_count == xylem_lmdb__fork_count && (!txn->write || pthread_equal(txn->thread, pthread_self()));
    return usable ? XYLEM_OK : xylem_lmdb__refuse_use(txn, err);
}

/* The size of the map by the options. */
uint64_t xylem_lmdb__map_bytes(const struct xylem_open_options *options);

/*
 * Gives LMDB's map another size; 0: the size by data.mdb. LMDB may put the map at another place, so no transaction of
 * this process may be open. Returns an LMDB result; after a failure LMDB has no map.
 */
int xylem_lmdb__map_resize(struct xylem_lmdb__env *env, uint64_t bytes);

/* Opens the LMDB environment of `env`, also after a close. */
int xylem_lmdb__env_open(struct xylem_lmdb__env *env, bool create, struct xylem_error *err);
void xylem_lmdb__env_close(struct xylem_lmdb__env *env);
/* Checks for a truncated file and a damaged list of tables: LMDB would fault on either. */
int xylem_lmdb__env_check_pages(struct xylem_lmdb__env *env, struct xylem_error *err);
/*
 * Opens the environment again after a fatal error, and grows a full map. With the lock held, and no transaction open in
 * this process.
 */
int xylem_lmdb__env_mend(struct xylem_lmdb__env *env, struct xylem_error *err);

/* The reader with the oldest snapshot. Start with a `txn_id` above the `txn_id` of every reader. */
struct xylem_lmdb__reader {
    uint64_t txn_id;
    int64_t pid;
    int64_t only_pid; /* 0: any process */
};
/* Finds the oldest reader in LMDB's table, after removing dead processes. Returns an LMDB result. */
int xylem_lmdb__oldest_reader(struct xylem_lmdb__reader *oldest, MDB_env *mdb);

/* Begins the idle reader of a place again. NULL: there is none, or LMDB refuses the reader. */
MDB_txn *xylem_lmdb__take_idle_reader(struct xylem_lmdb__env *env, size_t place);
/* Before the environment is closed. */
void xylem_lmdb__idle_readers_close(struct xylem_lmdb__env *env);

/* An LMDB result as a code, as a text (some texts say what to do), and as an error with both. */
int xylem_lmdb__mdb_code(int result);
const char *xylem_lmdb__mdb_text(int result);
int xylem_lmdb__mdb_fail(struct xylem_error *err, int result, const char *what, const struct xylem_lmdb__env *env);

/* The same after a failed write: where there was no space, the text names the limit. */
int xylem_lmdb__write_fail(struct xylem_error *err, int result, const char *what, const struct xylem_lmdb__env *env);

/* Frees the kinds of a transaction, or of an environment. */
void xylem_lmdb__own_kinds_free(struct xylem_txn *txn);
void xylem_lmdb__shared_kinds_free(struct xylem_lmdb__env *env);

/*
 * Begins a transaction of LMDB with `begin`, and takes its snapshot: the state that a reader reads, or the last commit
 * before a writer. Begins again if two commits in between wrote over the meta page of the snapshot.
 */
int xylem_lmdb__snapshot_begin(struct xylem_pages__snapshot *snapshot, struct xylem_lmdb__env *env, MDB_txn **mdb,
                               bool write, int (*begin)(MDB_txn **mdb, void *context, struct xylem_error *err),
                               void *context, struct xylem_error *err);

/* Notes a commit: the newest commit is not older from here on. */
void xylem_lmdb__saw_commit(struct xylem_lmdb__env *env, uint64_t txn_id);
/* BUSY, also of each later look at the lock files: `number`, which lock.mdb has, cannot be that of the newest commit. */
int xylem_lmdb__fail_number(struct xylem_lmdb__env *env, uint64_t number, struct xylem_error *err);
/* The same for a transaction over whose snapshot somebody wrote. */
int xylem_lmdb__fail_lost(struct xylem_lmdb__env *env, struct xylem_error *err);

/* After a tree cursor met a damaged page: gives the code and a text, and makes the environment refuse writers. */
int xylem_lmdb__fail_in_tree(struct xylem_txn *txn, const char *tree, const struct xylem_pages__tree_cursor *cursor,
                             int code, struct xylem_error *err);
/* The same in the tree of a table. */
int xylem_lmdb__fail_in_rows(struct xylem_txn *txn, enum xylem_format__table table,
                             const struct xylem_pages__tree_cursor *cursor, int code, struct xylem_error *err);
/* The description of a table of the snapshot. */
int xylem_lmdb__table_tree(const struct xylem_pages__tree **tree, struct xylem_txn *txn, enum xylem_format__table table,
                           struct xylem_error *err);

/* The text for a lock file with other bytes than its users wrote; of a directory and a name. */
#define XYLEM_LMDB__OVERWRITTEN                                                                                    \
    "%s/%s was overwritten or truncated while the store was open: close the store in all programs, and then open " \
    "the store again"

/* Notes the open lock files, once. */
void xylem_lmdb__note_locks(struct xylem_lmdb__env *env, const struct stat *lmdb_lock);
/* Maps the first page of lock.mdb, unless the page of the noted file is mapped. An empty file must grow before. */
void xylem_lmdb__lock_table_map(struct xylem_lmdb__env *env, int fd);
void xylem_lmdb__lock_table_unmap(struct xylem_lmdb__env *env);
/*
 * True if lock.mdb is in place, and its bytes are others. A thread that held a mutex meanwhile keeps the mutex in its
 * list of robust mutexes, and the next lock of any such mutex follows the list: the memory must stay mapped.
 */
bool xylem_lmdb__lock_table_is_overwritten(const struct xylem_lmdb__env *env);
/* BUSY if a lock file is missing in its directory, is another file than at the opening, or was overwritten. */
int xylem_lmdb__check_locks(const struct xylem_lmdb__env *env, struct xylem_error *err);
/* The same for readers: looks at the files from time to time. */
int xylem_lmdb__check_locks_at_times(struct xylem_lmdb__env *env, struct xylem_error *err);
/*
 * After a page failed its proof: BUSY if somebody wrote over the file, or if writers could not know of the reader, and
 * wrote over its pages.
 */
int xylem_lmdb__check_reader(const struct xylem_txn *txn, struct xylem_error *err);

/* BUSY if data.mdb is missing in its directory, or is another file than at the opening. */
int xylem_lmdb__check_in_place(const struct xylem_lmdb__env *env, struct xylem_error *err);

/* Closes the spare cursors. */
void xylem_lmdb__spares_close(struct xylem_txn *txn);

/*
 * Opens the tables of a new environment, and checks that the environment is a store of a known format. With `create`,
 * an environment without any table becomes a store.
 */
int xylem_lmdb__meta_open(struct xylem_lmdb__env *env, bool create, struct xylem_error *err);

#endif
