/*
 * xylem: the storage layer for coding agents' sessions.
 *
 * A session is a tree of entries. xylem keeps the entries of many sessions in one store, an append-only log in LMDB
 * keyed by branch, and brings the state of an extension back from any entry of that tree.
 *
 * This header is the whole contract. It is ordered as data flows: store, transaction, session, entry, append, find,
 * walk, fork, rehydrate, judge, session files, inspection.
 *
 * Rules that hold for every call:
 *
 *   Result      0, or a negative code of enum xylem_code. Iterators (`..._next`) return 1 and fill their out
 *               parameter, 0 at the end, or a negative code. Out parameters are written on success only, unless a
 *               comment says otherwise.
 *   Error       The last parameter `err` may be NULL. On failure it holds the code and one line that names what was
 *               expected and what was found. It is never thread-local. The library never prints, never exits and never
 *               touches signals or the locale.
 *   Ownership   A `struct xylem_view` is borrowed. A `struct xylem_buffer` is owned and ends in
 *               xylem_buffer_release(). Whatever a `..._new` call gives ends in the `..._free` call of the same name;
 *               `..._free` and `..._release` accept NULL or a zeroed struct.
 *   Lifetime    A view from a read transaction lives until that transaction ends. A view from a write transaction lives
 *               until the next call that writes in it, or until it ends. Iterators and documents are freed before their
 *               transaction ends.
 *   Threads     A store may be used by many threads at once. A transaction, and everything made from it, is used by one
 *               thread at a time; a write transaction only by the thread that began it.
 *   fork(2)     A store does not survive fork(2): in the child every call but xylem_close() is refused with
 *               XYLEM_E_FORKED. Open the store anew there.
 *   Units       `_bytes` counts bytes, `_ms` counts milliseconds since 1970-01-01 UTC, `_count` counts items.
 *   Zero        An options struct that is all zero, or a NULL in its place, means the defaults, the safe side.
 */
#ifndef XYLEM_H
#define XYLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define XYLEM_API __attribute__((visibility("default")))
#else
#define XYLEM_API
#endif

#define XYLEM_VERSION "0.1.0"

/* The version of the library that is linked, in the form of XYLEM_VERSION. Static; any thread. */
XYLEM_API const char *xylem_version(void);

/* --- Limits ----------------------------------------------------------------------------------------------------- */

#define XYLEM_ENTRY_ID_BYTES_MAX 64u       /* an entry id has 1 to 64 bytes */
#define XYLEM_SESSION_ID_BYTES_MAX 200u    /* a session id has 1 to 200 bytes */
#define XYLEM_KIND_NAME_BYTES_MAX 4096u    /* a kind's name has 0 to 4,096 bytes */
#define XYLEM_PAYLOAD_BYTES_MAX 268435456u /* a payload has at most 256 MiB */
#define XYLEM_LINE_BYTES_MAX 268435456u    /* a line of a session file has at most 256 MiB */
#define XYLEM_NESTING_MAX 512u             /* arrays and maps nest at most 512 deep */
#define XYLEM_VALUES_MAX 4194304u          /* values of one payload or line, keys counted too: 4 Mi */
#define XYLEM_APPEND_ENTRIES_MAX 65536u    /* entries of one append */
#define XYLEM_HEADS_MAX 4096u              /* kinds on one path that heads are kept for */
#define XYLEM_READER_SLOTS 1022u           /* read transactions open at once, over all processes */
#define XYLEM_REASON_BYTES_MAX 256u        /* the reason given to a navigation, or to a redaction */
#define XYLEM_HOST_BYTES_MAX 255u          /* the name of the machine on which a session's owner runs */
#define XYLEM_TODO_ITEMS_MAX 1024u         /* a todo list has at most 1,024 items */
#define XYLEM_TODO_TEXT_BYTES_MAX 4096u    /* the text of an item has at most 4,096 bytes */
#define XYLEM_TODO_ID_MAX 9007199254740991 /* the greatest integer that JavaScript holds exactly */
#define XYLEM_WORDS_MAX 12u                /* words that a piece of the state has for people */
#define XYLEM_TABLE_COUNT 11u              /* tables of a store */
#define XYLEM_PATTERNS_MAX 1024u           /* patterns that an export searches for */
#define XYLEM_PATTERN_BYTES_MAX 1024u      /* a pattern has at most 1,024 bytes */
#define XYLEM_PATTERN_SIZE_MAX 4096u       /* characters that it asks for, repetitions written out */
#define XYLEM_PATTERN_NESTING_MAX 32u      /* groups of a pattern nest at most 32 deep */
#define XYLEM_PATTERN_STRING_MAX 65536u    /* a longer string is searched line by line */
#define XYLEM_COMMAND_BYTES_MAX 131072u    /* a longer shell command is not understood */
#define XYLEM_COMMAND_NESTING_MAX 16u      /* nor is one that nests deeper */
#define XYLEM_CONFIG_BYTES_MAX 1048576u    /* a policy's configuration has at most 1 MiB */
#define XYLEM_HOOK_BYTES_MAX 1048576u      /* a longer input of a hook is not answered */

/* --- Errors ----------------------------------------------------------------------------------------------------- */

/* X(name, value, text): every code that a call can return. */
#define XYLEM_CODE_LIST(X)                                                                    \
    X(XYLEM_OK, 0, "ok")                                                                      \
    X(XYLEM_E_MEMORY, -1, "out of memory")                                                    \
    X(XYLEM_E_ARGUMENT, -2, "the call was used in a way that it does not allow")              \
    X(XYLEM_E_MALFORMED, -3, "the input is not well-formed")                                  \
    X(XYLEM_E_LIMIT, -4, "a limit is exceeded")                                               \
    X(XYLEM_E_NOT_FOUND, -5, "not found")                                                     \
    X(XYLEM_E_EXISTS, -6, "it exists already")                                                \
    X(XYLEM_E_CONFLICT, -7, "somebody else changed it first")                                 \
    X(XYLEM_E_BUSY, -8, "in use")                                                             \
    X(XYLEM_E_CORRUPT, -9, "the store is damaged")                                            \
    X(XYLEM_E_IO, -10, "input or output failed")                                              \
    X(XYLEM_E_NO_SPACE, -11, "no space left")                                                 \
    X(XYLEM_E_TOO_NEW, -12, "the store is newer than this library")                           \
    X(XYLEM_E_NOT_A_STORE, -13, "this is not a xylem store")                                  \
    X(XYLEM_E_READ_ONLY, -14, "opened for reading only")                                      \
    X(XYLEM_E_FORKED, -15, "the store was opened before fork(2)")                             \
    X(XYLEM_E_OUTCOME_UNKNOWN, -16, "it is not known whether the commit took place")          \
    X(XYLEM_E_MAP_FULL, -17, "the memory map is full; abort, and begin again: it grows then") \
    X(XYLEM_E_READERS_FULL, -18, "every reader slot is taken")                                \
    X(XYLEM_E_DELETED, -19, "the session is deleted")                                         \
    X(XYLEM_E_REDACTED, -20, "the payload was redacted")                                      \
    X(XYLEM_E_STOPPED, -21, "stopped by the caller")                                          \
    X(XYLEM_E_FREED, -22, "it was freed")                                                     \
    X(XYLEM_E_TOO_OLD, -23, "the store is older than this library")

#define XYLEM_CODE_ENUM_ROW(name, value, text) name = value,
enum xylem_code { XYLEM_CODE_LIST(XYLEM_CODE_ENUM_ROW) };
#undef XYLEM_CODE_ENUM_ROW

#define XYLEM_ERROR_TEXT_BYTES 512u

/* What went wrong. `text` is one line, ends in NUL, and has no control bytes: what comes from outside is escaped. */
struct xylem_error {
    int code;
    char text[XYLEM_ERROR_TEXT_BYTES];
};

/* The fixed text of a code, "unknown code" for any other number. Static; any thread. */
XYLEM_API const char *xylem_code_text(int code);

/* --- Bytes ------------------------------------------------------------------------------------------------------ */

/* Borrowed bytes, not ended by NUL. `data` may be NULL when `bytes` is 0. */
struct xylem_view {
    const char *data;
    size_t bytes;
};

/* Owned bytes. Start with a zeroed struct. `data` is NULL, or `bytes` bytes and a NUL behind them. */
struct xylem_buffer {
    char *data;
    size_t bytes;
    size_t capacity;
};

/* A view of a string that ends in NUL (NULL: an empty view). */
XYLEM_API struct xylem_view xylem_view_of(const char *text);

/* Appends bytes to a buffer. XYLEM_E_MEMORY leaves the buffer as it was. */
XYLEM_API int xylem_buffer_add(struct xylem_buffer *buffer, const void *data, size_t bytes);

/*
 * Appends a JSON string, quotes included: `"`, `\` and control bytes are escaped as JSON.stringify() escapes them, a
 * lone surrogate (three bytes of WTF-8) becomes `\udXXX`, and a byte that is no part of WTF-8 becomes U+FFFD.
 */
XYLEM_API int xylem_buffer_add_json_string(struct xylem_buffer *buffer, struct xylem_view text);

/*
 * Appends a number as JSON.stringify() writes it: in the fewest digits that give the same double back, whatever the
 * locale. What is not finite becomes what xylem_value_json() makes of it. XYLEM_E_MEMORY leaves the buffer as it was.
 */
XYLEM_API int xylem_buffer_add_json_number(struct xylem_buffer *buffer, double number);

/* Frees the bytes and zeroes the struct. */
XYLEM_API void xylem_buffer_release(struct xylem_buffer *buffer);

/* --- Values ----------------------------------------------------------------------------------------------------- */

/*
 * The data of an entry, decoded: what JSON can say, with integers kept apart from other numbers. A value is a borrowed
 * view that lives as long as the document (or the visit of a reducer) that it came from. Strings are WTF-8: UTF-8 in
 * which a lone surrogate may stand as three bytes.
 */
enum xylem_value_type {
    XYLEM_VALUE_NIL,
    XYLEM_VALUE_BOOL,
    XYLEM_VALUE_INT,    /* fits int64_t */
    XYLEM_VALUE_UINT,   /* greater than INT64_MAX, fits uint64_t */
    XYLEM_VALUE_DOUBLE, /* any other number; may be infinite or NaN */
    XYLEM_VALUE_STRING,
    XYLEM_VALUE_ARRAY,
    XYLEM_VALUE_MAP
};

struct xylem_value;

/* The type of a value; NULL counts as nil. None of these calls fails, and each may be given any value or NULL. */
XYLEM_API enum xylem_value_type xylem_value_type(const struct xylem_value *value);
/* A bool's truth; false for every other type. */
XYLEM_API bool xylem_value_bool(const struct xylem_value *value);
/* True, and the number, when the value is a number that is a whole one and fits int64_t (1.0 does, 1.5 does not). */
XYLEM_API bool xylem_value_integer(int64_t *number, const struct xylem_value *value);
/* True, and the number, when the value is a number of any type; large integers are rounded. */
XYLEM_API bool xylem_value_number(double *number, const struct xylem_value *value);
/* A string's bytes; an empty view for every other type. */
XYLEM_API struct xylem_view xylem_value_string(const struct xylem_value *value);
/* Elements of an array, pairs of a map; 0 for every other type. */
XYLEM_API size_t xylem_value_count(const struct xylem_value *value);
/* The value under a key of a map: the last one, if the key stands there twice; NULL if there is none. */
XYLEM_API const struct xylem_value *xylem_value_get(const struct xylem_value *map, const char *key);
/*
 * The children in order: xylem_value_first() gives the first or NULL, xylem_value_next() the one after `child` or NULL.
 * An array's children are its elements; a map's are key, value, key, value.
 */
XYLEM_API const struct xylem_value *xylem_value_first(const struct xylem_value *parent);
XYLEM_API const struct xylem_value *xylem_value_next(const struct xylem_value *parent, const struct xylem_value *child);
/*
 * Appends the value as JSON without white space, numbers as JSON.stringify() writes them. Integers are written out in
 * full; NaN, which JSON cannot say, becomes null; an infinity becomes 1e999 or -1e999, which reads back as one.
 */
XYLEM_API int xylem_value_json(struct xylem_buffer *buffer, const struct xylem_value *value);

/* --- Store ------------------------------------------------------------------------------------------------------ */

struct xylem_store;
struct xylem_txn;

/* What a commit that returned 0 survives. */
enum xylem_durability {
    XYLEM_DURABILITY_FULL = 0, /* a power loss */
    XYLEM_DURABILITY_NOMETA,   /* a power loss may undo the last commit; the store stays sound */
    XYLEM_DURABILITY_NONE      /* the crash of a process; a power loss may damage what was not synced: xylem_sync() */
};

struct xylem_open_options {
    bool create;                      /* make the directory (none above it) and the store if they are not there */
    bool read_only;                   /* no write transactions; wins over `create` */
    enum xylem_durability durability; /* of this handle's commits */
    bool allow_network_fs;            /* open on a network file system, where locks and maps may lie */
    uint64_t map_bytes; /* the map's first size, at least 1 MiB; 0: 1 TiB, halved while the system refuses */
    /*
     * Only with `read_only`: take no locks, for a store that is known to be idle and whose lock files may not be written.
     * Nobody who writes meanwhile knows of this reader: it may then be given pages that are being written anew.
     */
    bool no_lock;
    /*
     * How long a call of this handle waits for another writer, in xylem_begin() and in calls that begin write transactions of
     * their own (imports, leases); then the call gives BUSY. 0: without limit. xylem_begin_within() has a limit of its own.
     */
    uint64_t wait_ms;
    /*
     * Called about ten times a second by a call that waits, in the waiting thread, without locks of the library's. `holder`
     * says for whom, such as `process 12 (sh), which writes to the store`: NULL in the first second, and valid during the
     * call. Anything but 0 ends the waiting, and the call gives STOPPED. May be NULL.
     */
    int (*waiting)(void *context, uint64_t waited_ms, const char *holder);
    void *waiting_context;
};

/*
 * A host that writes ignores SIGXFSZ, or handles it: else the system ends the process that writes beyond its file size
 * limit (ulimit -f), where the library would give NO_SPACE.
 */

/*
 * Opens the store in the directory `path`. Every handle of one process to one store shares one LMDB environment,
 * however often it is opened. A new directory gets mode 0700 and new files 0600, whatever the umask. The handle holds
 * `xylem.lock` shared until it is closed. A store that is made is in its directory, and that in its own, for good when
 * this returns: a power loss does not take their names away.
 * `path` may lead through symbolic links. The files of a store (`data.mdb`, `lock.mdb`, `xylem.lock`) are plain files that
 * belong to the owner of the directory, and are opened only then. Root may open the store of every user: new files belong to
 * the owner of the directory. Other users read and write as the modes allow, but make no file.
 * Errors: NOT_FOUND (no store there, and `create` is not set), NOT_A_STORE (a file, or somebody else's data), TOO_NEW
 * (format version or feature bit unknown; nothing is changed), TOO_OLD (a format version that this library does not read
 * any more; the text says how to take the sessions along), CORRUPT (truncated or damaged), BUSY (another process is
 * replacing the store, or this process has it open for reading only, or without locks, with a transaction running), IO
 * (permissions: a reader needs to write `lock.mdb` too; a lock file that is a link, a FIFO, or another user's; a network file
 * system), EXISTS (`create`, and something else has the name `xylem.new`), NO_SPACE, ARGUMENT (`no_lock` without
 * `read_only`), MEMORY.
 */
XYLEM_API int xylem_open(struct xylem_store **store, const char *path, const struct xylem_open_options *options,
                         struct xylem_error *err);

/*
 * Closes the handle. Every transaction of it must have ended, and every lease: otherwise XYLEM_E_BUSY, and the handle
 * stays open. In the child of a fork(2) it only frees memory, that of the parent's leases too, and ends the child's part in
 * holding the store: until then a child, too, is in a compaction's way. NULL is allowed.
 */
XYLEM_API int xylem_close(struct xylem_store *store, struct xylem_error *err);

/*
 * What whoever opened the store should be told about who else can read or write it: one line that names the file or
 * directory, its mode or owner, and the command that mends it. NULL: nobody else can, as far as modes and owners of the
 * directory and the files in it tell; those of the directories above are not looked at. It is what it was when the
 * handle was opened. The text lives as long as the handle. Any thread.
 */
XYLEM_API const char *xylem_store_warning(const struct xylem_store *store);

/*
 * 1 if another process waits until nobody has the store open (xylem_compact() with `wait_ms`), else 0. A program with a
 * long-lived handle asks between transactions, about once a second; after a 1 the program closes the handle and opens the
 * store again. xylem_open() is BUSY while the file is replaced. Costs one system call. Any thread.
 * Errors: FORKED, ARGUMENT, IO.
 */
XYLEM_API int xylem_store_wanted(const struct xylem_store *store, struct xylem_error *err);

/* Makes every commit so far survive a power loss, in each durability mode. Errors: READ_ONLY, IO, NO_SPACE. */
XYLEM_API int xylem_sync(struct xylem_store *store, struct xylem_error *err);

/* --- Transaction ------------------------------------------------------------------------------------------------ */

enum xylem_txn_mode { XYLEM_READ = 0, XYLEM_WRITE = 1 };

/*
 * Begins a transaction. Readers see the store as it was at this moment and never wait. There is one writer at a time,
 * over all processes: a second one waits for the first to end, as long as the handle's `wait_ms` allows, but a second one in
 * the same thread gets XYLEM_E_BUSY.
 * Keep transactions short: the file cannot reuse what a reader still sees.
 * Before the first write of a process the list of free pages is looked at: a writer that took a page from a damaged one
 * could overwrite what is in use. If it is damaged, or once a call or xylem_verify() met damaged pages, write transactions
 * get XYLEM_E_CORRUPT until the store is closed by all handles of the process. A row or record that does not have its sum
 * is no such damage: the call that meets it fails, and others go on.
 * A write transaction gets BUSY too where `data.mdb` is another file by now than the one that was opened, or none: what is
 * written to the old one would be lost with it. Readers of that handle go on, and see the old file, until it is closed.
 * Errors: READ_ONLY, BUSY, STOPPED (by the handle's `waiting`), READERS_FULL, FORKED, MEMORY, IO, CORRUPT.
 */
XYLEM_API int xylem_begin(struct xylem_txn **txn, struct xylem_store *store, enum xylem_txn_mode mode,
                          struct xylem_error *err);

/*
 * The same, and waits for another writer at most `timeout_ms` (0: not at all), whatever the handle's `wait_ms` says. Readers
 * never wait.
 * Errors: those of xylem_begin(), and BUSY if another thread or process still writes then: the text names the process. STOPPED
 * if the handle's `waiting` says so.
 * The limit holds against all writers that use this library. It does not hold against other programs that write to the
 * store's file with LMDB alone; nor on a network file system, or where `xylem.lock` cannot be written to: there writers wait
 * for LMDB's own lock, without limit.
 */
XYLEM_API int xylem_begin_within(struct xylem_txn **txn, struct xylem_store *store, enum xylem_txn_mode mode,
                                 uint64_t timeout_ms, struct xylem_error *err);

/*
 * Ends the transaction, and makes its writes visible and durable as the handle's durability says. The transaction is
 * gone whatever the result, but for ARGUMENT: a write transaction of another thread stays that thread's to end. A
 * transaction in which a call failed with MEMORY, IO, NO_SPACE, MAP_FULL or CORRUPT while it
 * wrote cannot be committed any more: nothing of it is stored, and that same code is returned.
 * NO_SPACE: the file system, the user's quota or the process's file size limit has no room, and the text says which;
 * begin again once there is.
 * OUTCOME_UNKNOWN: the last write failed; whether the commit took place shows when the store is read again, by a session's
 * leaf, say. That needs every transaction of this process to end first (until then BUSY), and begins with the next one.
 */
XYLEM_API int xylem_commit(struct xylem_txn *txn, struct xylem_error *err);

/*
 * Ends the transaction; nothing of it is stored. NULL is allowed. In another thread than the one that began a write
 * transaction it does nothing: the transaction stays that thread's to end.
 */
XYLEM_API void xylem_abort(struct xylem_txn *txn);

/*
 * What a transaction has done so far: what a call costs, whatever the machine. One thing is not the transaction's own: a
 * kind that was looked up is known to all transactions of the store in this process, so the first that meets it has a
 * `get` in `kinds` that the others do not have.
 */
struct xylem_counters {
    struct {
        const char *name;        /* static */
        uint64_t gets;           /* a row was looked up by its key */
        uint64_t seeks;          /* a cursor was set to a key, or to an end of the table */
        uint64_t steps;          /* a cursor went on to the next row, or back to the one before */
        uint64_t puts;           /* a row was written or removed */
    } tables[XYLEM_TABLE_COUNT]; /* in the order of xylem_stat_read() */
    uint64_t record_count;       /* records of the log that were read and verified by their sum */
    uint64_t record_bytes;       /* of these, without payload and line, which only who asks for them reads */
};

/* Reads them. They start from zero with the transaction, and what opening the store reads is not in them. */
XYLEM_API void xylem_counters_read(struct xylem_counters *counters, const struct xylem_txn *txn);

/* --- Session ---------------------------------------------------------------------------------------------------- */

/*
 * Where an entry lies: branch number, and depth (a root has depth 1). Both 0: none. A position is a name that stays
 * right for as long as the entry exists; it may be kept, and used in any later transaction of the same store. Once
 * xylem_gc() freed the entry, calls give FREED for it where they give NOT_FOUND for a position that never was.
 */
struct xylem_position {
    uint64_t branch;
    uint64_t depth;
};

enum xylem_session_state {
    XYLEM_SESSION_LIVE = 0,
    XYLEM_SESSION_IMPORTING = 1, /* its import has not finished; readers do not see it */
    XYLEM_SESSION_DELETED = 2,   /* marked; its id stays taken */
    XYLEM_SESSION_FREED = 3      /* its id is free again; the row stays for as long as others share its entries */
};

/* A session's row. `number` names it in every other call; it is never reused. Views: see the rule above. */
struct xylem_session {
    uint64_t number;
    struct xylem_view id;
    struct xylem_view cwd;    /* bytes 0 and data NULL: not given */
    struct xylem_view parent; /* what the header names as parent session; bytes 0 and data NULL: none */
    struct xylem_view header; /* the imported header line (in format 3), where the other fields do not give it back */
    int64_t created_ms;
    struct xylem_position base; /* the last entry that it shares with the session it was forked from, or none */
    struct xylem_position leaf;
    uint64_t tree;                       /* sessions that were forked from each other have the same tree number */
    uint64_t last_lsn;                   /* of the newest entry appended to it, 0 for none */
    uint64_t move_count;                 /* navigations so far */
    uint64_t newest_branch;              /* the newest branch that it owns, 0 for none */
    uint64_t own_entry_count;            /* entries on the branches that it owns */
    struct xylem_position imported_leaf; /* where the last import put the leaf; none if there was no import */
    enum xylem_session_state state;
    bool import_unfinished; /* of a deleted one: it was being imported then */
};

struct xylem_session_options {
    struct xylem_view id;      /* empty: a UUIDv7 is made */
    struct xylem_view cwd;     /* data NULL: none */
    struct xylem_view parent;  /* data NULL: none */
    const int64_t *created_ms; /* NULL: now */
};

/* Creates a session without entries. Errors: EXISTS (also if a deleted session has the id), LIMIT, and as append. */
XYLEM_API int xylem_session_create(struct xylem_session *session, struct xylem_txn *txn,
                                   const struct xylem_session_options *options, struct xylem_error *err);

/* The live session of that id. Errors: NOT_FOUND (also while it is being imported), DELETED, CORRUPT. */
XYLEM_API int xylem_session_find(struct xylem_session *session, struct xylem_txn *txn, struct xylem_view id,
                                 struct xylem_error *err);

/*
 * The session of that number, in whatever state. What xylem_gc() left of one (XYLEM_SESSION_FREED) has no id, leaf or
 * navigations; calls that read a session by its number show the entries that it still has, and those that change one
 * refuse it. Errors: NOT_FOUND (also if all of it was freed), CORRUPT.
 */
XYLEM_API int xylem_session_read(struct xylem_session *session, struct xylem_txn *txn, uint64_t number,
                                 struct xylem_error *err);

/* Iterates over all sessions in the order of their numbers, in whatever state: look at `state`. */
struct xylem_sessions;
XYLEM_API int xylem_sessions_new(struct xylem_sessions **sessions, struct xylem_txn *txn, struct xylem_error *err);
XYLEM_API int xylem_sessions_next(struct xylem_session *session, struct xylem_sessions *sessions,
                                  struct xylem_error *err);
XYLEM_API void xylem_sessions_free(struct xylem_sessions *sessions);

/*
 * Marks a session as deleted, also one whose import has not finished. Sessions that share entries with it keep them.
 * Nothing of it is lost until xylem_gc(). Errors: NOT_FOUND, DELETED, FREED, and as append.
 */
XYLEM_API int xylem_session_delete(struct xylem_txn *txn, uint64_t session, struct xylem_error *err);

/*
 * Takes the mark away: the session is what it was when it was deleted. One whose import had not finished is being
 * imported again, so that readers do not see half of it; the next import of its file goes on.
 * Errors: NOT_FOUND (also if all of it was freed), FREED, EXISTS (it is not deleted), and as append.
 */
XYLEM_API int xylem_session_undelete(struct xylem_txn *txn, uint64_t session, struct xylem_error *err);

/* --- Entry ------------------------------------------------------------------------------------------------------ */

enum xylem_class {
    XYLEM_CLASS_HOST = 0,  /* an entry of the host: `message`, `compaction`, `label`, or any other name */
    XYLEM_CLASS_CUSTOM = 1 /* an entry in which an extension keeps state */
};

enum xylem_format {
    XYLEM_FORMAT_NONE = 0,    /* no payload */
    XYLEM_FORMAT_MSGPACK = 1, /* one msgpack value */
    XYLEM_FORMAT_JSON = 2     /* one JSON text */
};

/* Flags of an entry. */
#define XYLEM_ENTRY_STARTS_BRANCH 0x01u    /* the first of a branch whose parent lies on another branch */
#define XYLEM_ENTRY_HEADS_INCOMPLETE 0x02u /* more than XYLEM_HEADS_MAX kinds on its path: lookups by kind walk */
#define XYLEM_ENTRY_IMPORTED 0x04u         /* it came from a session file */
#define XYLEM_ENTRY_REDACTED 0x08u         /* its payload was taken out; reading it gives XYLEM_E_REDACTED */
#define XYLEM_ENTRY_MINTED 0x40u           /* xylem made its id, and finds it by the lsn that the id holds */
#define XYLEM_ENTRY_HASH_DROPPED 0x80u     /* redacted, its hash too: its check, and those behind it, were made anew */

struct xylem_kind {
    enum xylem_class kind_class;
    struct xylem_view name;
};

/*
 * One entry, its record verified by its sum. Payload and line are not: read them through xylem_entry_payload() and
 * xylem_entry_imported_line(), which verify them.
 */
struct xylem_entry {
    struct xylem_position position;
    struct xylem_position parent; /* none for a root */
    struct xylem_view id;
    struct xylem_kind kind;
    int64_t time_ms;
    uint64_t lsn;
    uint64_t check; /* covers the entry's whole history; equal checks mean equal histories, in any store */
    /* (a payload counts by its hash: so a redacted entry has its check still, unless its hash was dropped) */
    enum xylem_format format;
    unsigned flags;
    uint32_t payload_bytes;
    uint32_t line_bytes; /* of the line that was kept; of a redacted entry: of the reason */
    struct {
        uint64_t payload_hash;
        const void *payload;
        const void *line;
        const void *links;
        uint32_t links_bytes;
        uint32_t kind_number;
    } unverified; /* for the library alone */
};

/* Reads the entry at a position. Errors: NOT_FOUND (none was ever there), FREED (xylem_gc() took it), CORRUPT. */
XYLEM_API int xylem_entry_read(struct xylem_entry *entry, struct xylem_txn *txn, struct xylem_position position,
                               struct xylem_error *err);

/* The entry's payload, verified. Errors: CORRUPT, REDACTED. */
XYLEM_API int xylem_entry_payload(struct xylem_view *payload, const struct xylem_entry *entry, struct xylem_error *err);

/*
 * The line that the entry was imported from, verified; empty where rendering gives the same bytes, and where the entry
 * was redacted. Errors: CORRUPT.
 */
XYLEM_API int xylem_entry_imported_line(struct xylem_view *line, const struct xylem_entry *entry,
                                        struct xylem_error *err);

/* 1 and the reason for which the entry was redacted, verified; 0 if it was not redacted. Errors: CORRUPT. */
XYLEM_API int xylem_entry_redaction(struct xylem_view *reason, const struct xylem_entry *entry,
                                    struct xylem_error *err);

/* An entry's payload, decoded. */
struct xylem_document;

/*
 * Decodes the payload. `xylem_document_value` is NULL for an entry without payload. The document borrows from the
 * entry: it dies with the entry's views. Errors: MALFORMED (a host's payload that is not what its format says),
 * CORRUPT, REDACTED, LIMIT, MEMORY.
 */
XYLEM_API int xylem_document_new(struct xylem_document **document, const struct xylem_entry *entry,
                                 struct xylem_error *err);
XYLEM_API const struct xylem_value *xylem_document_value(const struct xylem_document *document);
XYLEM_API void xylem_document_free(struct xylem_document *document);

/*
 * Appends the kind as text: the name of a host's kind, in which `:` and `\` are escaped by `\`, or `custom:` and the
 * name. xylem_kind_parse() is the inverse; its view lies in `text` or in `storage`, which must live as long.
 */
XYLEM_API int xylem_kind_text(struct xylem_buffer *buffer, struct xylem_kind kind);
XYLEM_API int xylem_kind_parse(struct xylem_kind *kind, struct xylem_buffer *storage, struct xylem_view text,
                               struct xylem_error *err);

/* --- Append ----------------------------------------------------------------------------------------------------- */

/* An entry to append. */
struct xylem_new_entry {
    /*
     * 1 to 64 bytes, unique in the session. Empty: a UUIDv7 is made, which takes less to append than an id that is given:
     * no other entry of the session can have it, and no index has to hold it.
     */
    struct xylem_view id;
    struct xylem_kind kind; /* any but the host's `session`, which is a session file's header */
    const int64_t *time_ms; /* NULL: now */
    /*
     * The data of a custom entry is msgpack, or JSON that append turns into msgpack: nil, bool, numbers, strings of
     * WTF-8, arrays, and maps with strings as keys. A host's payload must be what its format says, and comes back byte
     * for byte; as an object it has no member `type`, `id`, `parentId` or `timestamp`: a line of a session file has
     * those of its own.
     */
    enum xylem_format format;
    struct xylem_view payload;
};

enum xylem_parent {
    XYLEM_PARENT_LEAF = 0, /* the session's leaf */
    XYLEM_PARENT_NONE,     /* none: the first entry becomes a root */
    XYLEM_PARENT_AT        /* the entry at `parent_position`, which must belong to the session */
};

struct xylem_append_options {
    enum xylem_parent parent;
    struct xylem_position parent_position;
    const struct xylem_position *expected_leaf; /* NULL: any; else CONFLICT if the leaf is another one */
};

/*
 * The bytes that `entries` point to must not be views of this transaction: it writes while it reads them.
 * Appends entries, each the child of the one before it, all or none, with consecutive lsns. They lie at `first` and the
 * depths that follow on the same branch. The session's leaf moves to the last one.
 * Errors: LIMIT and MALFORMED (an entry is refused; the text says which), EXISTS (an id is taken), CONFLICT (both
 * leaves are named; or the owner of the session, or that this handle's lease was broken), NOT_FOUND (no such session or
 * parent), DELETED, FREED, READ_ONLY, MAP_FULL, NO_SPACE, IO, CORRUPT. After LIMIT, MALFORMED, EXISTS, CONFLICT,
 * NOT_FOUND, DELETED and FREED the transaction is as it was before the call and can go on.
 */
XYLEM_API int xylem_append(struct xylem_position *first, struct xylem_txn *txn, uint64_t session,
                           const struct xylem_new_entry *entries, size_t entry_count,
                           const struct xylem_append_options *options, struct xylem_error *err);

/* --- One writer of a session ------------------------------------------------------------------------------------ */

/*
 * A lease makes a handle the owner of a session: it alone may change it, until it releases the lease, or its process
 * ends in whatever way, or somebody breaks the lease. Everybody else gets CONFLICT, with the owner's name, from every
 * call that changes the session: append, navigate, delete, undelete, labels of a fork, import. Reading it stays free to
 * all, and so does forking it. A session without an owner may be changed by every handle. What is done to the store as a
 * whole no lease is in the way of: xylem_gc() frees a session that its owner deleted, and xylem_redact() takes an entry
 * out of every session that has it; what an owner has read of it before is its own to forget.
 *
 * That the owner lives is a lock on one byte of `xylem.lock`, of an open file description, which the kernel ends with the
 * process. A child of fork(2) does not keep it. Each lease has a token, a number that no other lease of the store ever
 * had, and every change is checked against it within its own transaction: so an owner that was stopped while its lease
 * was broken gets CONFLICT when it goes on, and changes nothing.
 */
struct xylem_lease;

struct xylem_lease_owner {
    int64_t pid; /* as the owner's own pid namespace counts */
    int64_t since_ms;
    uint64_t token;
    bool alive; /* false: it ended without releasing the lease, so the session is free */
    char host[XYLEM_HOST_BYTES_MAX + 1u];
};

/*
 * Takes the lease of a live session for this handle, in a write transaction of its own: the calling thread must not have
 * one open. A dead owner's is taken over. The lease ends with xylem_lease_release(), and must end before the handle is
 * closed; it may be used by any thread.
 * Errors: CONFLICT (another handle, of this process or another, has it: who, and since when), BUSY (this handle has taken
 * it already and did not release it, even if it was broken since; this thread has a write transaction open), NOT_FOUND,
 * DELETED, FREED, READ_ONLY, FORKED, MEMORY, IO, NO_SPACE, MAP_FULL, CORRUPT.
 */
XYLEM_API int xylem_lease_take(struct xylem_lease **lease, struct xylem_store *store, uint64_t session,
                               struct xylem_error *err);

/*
 * Ends the lease, in a write transaction of its own, and frees it; one that was broken too. After FORKED, and after BUSY
 * (this thread has a write transaction open), it is as it was; any other error says that the owner's row stays, as that
 * of a dead owner, and the lease has ended all the same. NULL is allowed.
 */
XYLEM_API int xylem_lease_release(struct xylem_lease *lease, struct xylem_error *err);

/* 1 and the owner of a session, dead or alive; 0 if it has none. Errors: CORRUPT, IO. */
XYLEM_API int xylem_lease_read(struct xylem_lease_owner *owner, struct xylem_txn *txn, uint64_t session,
                               struct xylem_error *err);

/*
 * Ends the lease of a session, whoever has it and in whatever state the owner is, in a write transaction of its own. 1 and
 * who the owner was (`broken` may be NULL), or 0 if there was none. The owner finds out at its next change. One that was
 * stopped within a write transaction holds up every writer of the store, this call too: end that process.
 * Errors: NOT_FOUND, and as xylem_lease_take() but for CONFLICT.
 */
XYLEM_API int xylem_lease_break(struct xylem_lease_owner *broken, struct xylem_store *store, uint64_t session,
                                struct xylem_error *err);

/* --- Branches --------------------------------------------------------------------------------------------------- */

/*
 * The entry of that id among the session's entries. Takes longer the more sessions of the same tree use that id for an
 * entry of their own. Errors: NOT_FOUND, CORRUPT.
 */
XYLEM_API int xylem_find(struct xylem_position *position, struct xylem_txn *txn, uint64_t session, struct xylem_view id,
                         struct xylem_error *err);

/*
 * 1 if the position belongs to the session, 0 if it does not. Like everything that takes a position or an id of a
 * session, it follows the path of the base if the session does not own the entry's branch: that takes three reads at
 * most for each binary digit of the number of branches that the path crosses in between.
 */
XYLEM_API int xylem_belongs(struct xylem_txn *txn, uint64_t session, struct xylem_position position,
                            struct xylem_error *err);

/* The number of the session that owns the branch on which the entry lies. Errors: NOT_FOUND, CORRUPT. */
XYLEM_API int xylem_owner(uint64_t *session, struct xylem_txn *txn, struct xylem_position position,
                          struct xylem_error *err);

/* A walk: the path of a position, newest to oldest. Walking from none ends at once. */
struct xylem_walk;
XYLEM_API int xylem_walk_new(struct xylem_walk **walk, struct xylem_txn *txn, struct xylem_position from,
                             struct xylem_error *err);
XYLEM_API int xylem_walk_next(struct xylem_entry *entry, struct xylem_walk *walk, struct xylem_error *err);
XYLEM_API void xylem_walk_free(struct xylem_walk *walk);

/*
 * The newest entry of a kind on the path of `from`, that entry included: 1 and the entry, or 0 if the path has none.
 * Takes three reads at most, however long the path is, because the records name it; on paths of more than
 * XYLEM_HEADS_MAX kinds it walks. The one before it is the newest on the path of its parent. From none: 0.
 * Errors: NOT_FOUND (there is no entry at `from`), CORRUPT.
 */
XYLEM_API int xylem_newest_of_kind(struct xylem_entry *newest, struct xylem_txn *txn, struct xylem_position from,
                                   struct xylem_kind kind, struct xylem_error *err);

/*
 * All entries of a session, oldest to newest (in lsn order): the path of its base and the branches that it owns. Or
 * those of them whose lsn is greater than `lsn`: what was appended since, without a look at what was there before; takes
 * time in proportion to the branches of the session, those that the path of its base crosses included, and to the
 * entries that it gives.
 */
struct xylem_scan;
XYLEM_API int xylem_scan_new(struct xylem_scan **scan, struct xylem_txn *txn, uint64_t session,
                             struct xylem_error *err);
XYLEM_API int xylem_scan_after(struct xylem_scan **scan, struct xylem_txn *txn, uint64_t session, uint64_t lsn,
                               struct xylem_error *err);
XYLEM_API int xylem_scan_next(struct xylem_entry *entry, struct xylem_scan *scan, struct xylem_error *err);
XYLEM_API void xylem_scan_free(struct xylem_scan *scan);

/* The entry of that depth on the path of `from`. Errors: NOT_FOUND (depth 0, or beyond `from`), CORRUPT. */
XYLEM_API int xylem_ancestor_at(struct xylem_position *ancestor, struct xylem_txn *txn, struct xylem_position from,
                                uint64_t depth, struct xylem_error *err);

/* The newest entry that lies on both paths; none if the paths share nothing. */
XYLEM_API int xylem_common_ancestor(struct xylem_position *ancestor, struct xylem_txn *txn, struct xylem_position a,
                                    struct xylem_position b, struct xylem_error *err);

/* A tip: an entry of the session that has no child in it. */
struct xylem_tip {
    struct xylem_entry entry;
    struct xylem_position fork_point; /* where its branch leaves another one; none for a branch that begins at a root */
    uint64_t branch_entry_count;      /* entries of the session on the tip's own branch, up to the tip */
};

/* Iterates over the tips: the base first if it is one, then by ascending branch number. */
struct xylem_tips;
XYLEM_API int xylem_tips_new(struct xylem_tips **tips, struct xylem_txn *txn, uint64_t session,
                             struct xylem_error *err);
XYLEM_API int xylem_tips_next(struct xylem_tip *tip, struct xylem_tips *tips, struct xylem_error *err);
XYLEM_API void xylem_tips_free(struct xylem_tips *tips);

/*
 * Moves the leaf to a position that belongs to the session, or to none, and records the move. A move to where the leaf
 * is already is recorded too. Errors: NOT_FOUND, DELETED, LIMIT (the reason is too long), and as append.
 */
XYLEM_API int xylem_navigate(struct xylem_txn *txn, uint64_t session, struct xylem_position to,
                             struct xylem_view reason, struct xylem_error *err);

/* One recorded navigation. */
struct xylem_move {
    uint64_t number; /* 1 is the oldest */
    int64_t time_ms;
    struct xylem_position from;
    struct xylem_position to;
    struct xylem_view reason;
};

/* The session's n-th navigation, 1 to move_count. Errors: NOT_FOUND, CORRUPT. */
XYLEM_API int xylem_move_read(struct xylem_move *move, struct xylem_txn *txn, uint64_t session, uint64_t number,
                              struct xylem_error *err);

enum xylem_fork_kind {
    XYLEM_FORK_AT = 0, /* base and leaf are the entry */
    XYLEM_FORK_BEFORE  /* base and leaf are its parent: none before a root */
};

/*
 * Forks a session at or before an entry of it. Nothing is copied. `options` gives the new session's id, cwd (data NULL:
 * the source's), parent (data NULL: the source's id) and time. A clone is a fork at the source's leaf, which may be
 * none. Errors: NOT_FOUND, DELETED, EXISTS, LIMIT, and as append.
 */
XYLEM_API int xylem_fork(struct xylem_session *session, struct xylem_txn *txn, uint64_t source,
                         struct xylem_position position, enum xylem_fork_kind kind,
                         const struct xylem_session_options *options, struct xylem_error *err);
XYLEM_API int xylem_clone(struct xylem_session *session, struct xylem_txn *txn, uint64_t source,
                          const struct xylem_session_options *options, struct xylem_error *err);

/* --- Labels and names ------------------------------------------------------------------------------------------- */

/* An entry's label: what the last `label` entry of the session that names it says. */
struct xylem_label {
    struct xylem_view target_id;
    struct xylem_view text;
    struct xylem_position entry; /* the `label` entry */
};

/*
 * Labels and name of a session, by its entries in lsn order, on any branch; an empty or absent value removes one. The
 * struct owns its bytes and outlives the transaction. Labels come in the order in which their targets were first named.
 */
struct xylem_labels {
    struct xylem_label *labels;
    size_t label_count;
    struct xylem_view name; /* data NULL: none */
    void *storage;
};

/* Reads them: the payload of every `label` and `session_info` entry. Release in any case. Errors: CORRUPT, MEMORY. */
XYLEM_API int xylem_labels_read(struct xylem_labels *labels, struct xylem_txn *txn, uint64_t session,
                                struct xylem_error *err);
XYLEM_API void xylem_labels_release(struct xylem_labels *labels);

/* What a list says of a session. */
struct xylem_outline {
    uint64_t entry_count; /* its own entries, and those on the path of its base */
    bool has_name;
};

/*
 * Reads it without reading the session: takes time in proportion to its branches, not to its entries (unless its last
 * `session_info` entry is none that can be read). `session` is a row that was read in this transaction. A name that the
 * session has is appended to `name`, which may be NULL. Errors: CORRUPT, MEMORY.
 */
XYLEM_API int xylem_outline_read(struct xylem_outline *outline, struct xylem_buffer *name, struct xylem_txn *txn,
                                 const struct xylem_session *session, struct xylem_error *err);

/*
 * Appends at the fork's leaf what the source says of entries that both have, where the fork's path says something else,
 * as pi does when it forks: a `label` entry for each label that the fork lacks or has with another text, and one without
 * text for each that was removed. What the fork's own entries say of a label stays. Gives their number. Errors: as
 * append.
 */
XYLEM_API int xylem_fork_labels(size_t *label_count, struct xylem_txn *txn, uint64_t fork, uint64_t source,
                                struct xylem_error *err);

/* --- Rehydration ------------------------------------------------------------------------------------------------ */

/* What a visitor answers. Any negative number ends the walk and is returned. */
enum xylem_visit_answer {
    XYLEM_VISIT_GO_ON = 0,
    XYLEM_VISIT_DONE = 1, /* this reducer needs no older entry */
    XYLEM_VISIT_SKIP = 2  /* the entry does not count; `reason` says why; go on */
};

struct xylem_visit {
    const struct xylem_entry *entry;
    const struct xylem_value *data; /* NULL: no payload, redacted, or not decodable: see `data_code` */
    int data_code;                  /* 0, or why the payload could not be decoded */
    size_t kind_index;              /* which of the reducer's kinds this is */
    const char *reason;             /* to be set with XYLEM_VISIT_SKIP: a string that outlives the call */
};

/*
 * A reducer turns the entries of a walk into one piece of state. `kinds` is a list of kinds in text form (`label`,
 * `custom:readonly`) that ends in NULL. `visit` is called for each entry of these kinds, newest to oldest, until it
 * answers XYLEM_VISIT_DONE. It must not write in the transaction. Everything in `visit` dies when the call returns.
 */
struct xylem_reducer {
    const char *name;
    const char *const *kinds;
    int (*visit)(void *context, struct xylem_visit *visit);
    void *context;
};

/* An entry that a reducer skipped. */
struct xylem_skipped {
    struct xylem_position position;
    struct xylem_view entry_id;
    struct xylem_view kind; /* in text form */
    const char *reason;     /* the string that the visitor gave; static where rehydration gives it */
};

/* What a reduction looked at. Owns its bytes and outlives the transaction. */
struct xylem_reduction {
    uint64_t looked_at;     /* entries read */
    uint64_t decoded_count; /* of these, entries whose payload was decoded */
    uint64_t decoded_bytes; /* of these payloads */
    struct xylem_skipped *skipped;
    size_t skipped_count;
    void *storage;
};

/* Pieces of the state that xylem_rehydrate() gives, as bits. */
#define XYLEM_PIECE_READONLY 0x01u
#define XYLEM_PIECE_NUDGE 0x02u /* readonly comes with it: whether a nudge is due depends on that */
#define XYLEM_PIECE_SEQUENCE 0x04u
#define XYLEM_PIECE_TODO 0x08u

struct xylem_reduce_options {
    bool scan; /* read every entry of the path, as a walk does, instead of going from one wanted entry to the next */
    /* Of rehydration alone: only these pieces are read for, and the others stay zero, which says nothing; 0: all. */
    unsigned pieces;
    /*
     * Of rehydration alone: what a tool said in its results counts, too. The todo list may then be the `details` of a result
     * of the tool `todo`, as pi's example extension writes them. Results are messages, and every message is read down to the
     * newest entry that decides: the time grows with the path.
     */
    bool tool_results;
};

/*
 * Gives each reducer the entries of its kinds on the path of `from`, newest to oldest, until all are done or there are
 * no more. The records name the newest entry of each kind, so only entries that somebody wants are read, and two at
 * most on the way to the first: the time depends on what the reducers want, and a little on how many kinds the path has,
 * not on the length of the path or on the forks behind it. Two exceptions walk: a reducer that wants `message`, from one message to the next until an entry of
 * another kind is reached, and paths of more than XYLEM_HEADS_MAX kinds. With `scan` every entry is read, and the
 * reducers get the same ones.
 * Release `reduction` in any case. Errors: CORRUPT, MEMORY, ARGUMENT, and whatever negative number a visitor returns.
 */
XYLEM_API int xylem_reduce(struct xylem_reduction *reduction, struct xylem_txn *txn, struct xylem_position from,
                           const struct xylem_reducer *reducers, size_t reducer_count,
                           const struct xylem_reduce_options *options, struct xylem_error *err);
XYLEM_API void xylem_reduction_release(struct xylem_reduction *reduction);

/* The events of pi's extension interface at which state is rehydrated. docs/rehydration.md has the table. */
enum xylem_event_type { XYLEM_EVENT_SESSION_START = 0, XYLEM_EVENT_SESSION_TREE };
enum xylem_event_reason {
    XYLEM_REASON_STARTUP = 0,
    XYLEM_REASON_RELOAD,
    XYLEM_REASON_NEW, /* readonly and nudge start from nothing, whatever the path holds */
    XYLEM_REASON_RESUME,
    XYLEM_REASON_FORK /* also a clone */
};

struct xylem_event {
    enum xylem_event_type type;
    enum xylem_event_reason reason; /* of a session_start */
    bool flag_readonly;             /* the host was started with --readonly */
    bool flag_is_fallback;          /* on session_start the flag only counts where the path has no toggle */
    const bool *previous_readonly;  /* session_tree: what readonly was before; NULL: not known */
};

enum xylem_from { XYLEM_FROM_DEFAULT = 0, XYLEM_FROM_FLAG, XYLEM_FROM_PATH };

/* Why a nudge is due, or is not. "Told" is what the newest delivered nudge on the path says. */
enum xylem_nudge_why {
    XYLEM_NUDGE_NEVER_ON = 0, /* not due: readonly is off, and no nudge "on" lies on the path */
    XYLEM_NUDGE_TOLD,         /* not due: told what holds */
    XYLEM_NUDGE_NOT_TOLD,     /* due: nothing was delivered; so is every one below */
    XYLEM_NUDGE_TOLD_OTHER,   /* told the other direction */
    XYLEM_NUDGE_OUTDATED,     /* told "on", but before the newest toggle */
    XYLEM_NUDGE_CHANGED       /* told what holds, but readonly was the other before the event */
};

/* An item of a todo list. */
struct xylem_todo_item {
    int64_t id; /* from 1 to the list's last id; no other item of the list has the same */
    struct xylem_view text;
    bool done;
};

/* The state at a position. Owns its bytes and outlives the transaction. */
struct xylem_state {
    struct xylem_position at;
    struct xylem_view at_entry_id; /* data NULL: none */
    struct {
        bool enabled;
        enum xylem_from from;
        struct xylem_position position; /* of the toggle that decided, else none */
        struct xylem_view entry_id;     /* data NULL: none */
    } readonly;
    struct {
        bool due;
        bool direction_on; /* which message: that readonly went on, or off */
        enum xylem_nudge_why why;
        bool told_on;                        /* the direction of the newest delivered nudge, if there is one */
        struct xylem_position told_position; /* of that nudge, else none */
        struct xylem_view told_entry_id;     /* data NULL: none */
    } nudge;
    struct {
        bool present;
        struct xylem_view sequence_id;
        struct xylem_view *steps; /* exactly as authored */
        size_t step_count;
        double updated_at; /* as the host wrote it, in milliseconds since 1970 in pi */
        struct xylem_position position;
        struct xylem_view entry_id;
    } sequence;
    struct {
        bool present;
        int64_t last_id;               /* the greatest id that was given; 0: none was */
        struct xylem_todo_item *items; /* the state owns items and texts: both live until it is released */
        size_t item_count;
        struct xylem_position position; /* of the entry that has the list, else none */
        struct xylem_view entry_id;     /* data NULL: none */
    } todo;
    struct xylem_reduction reduction;
    void *pieces; /* the library's own, as `storage` is */
    void *storage;
};

/*
 * Rebuilds the pieces of the state at a position, for an event: a pure function of the path, the event and the previous
 * state. Entries whose data has not the right shape never decide; they are listed as skipped. What it reads
 * is what xylem_reduce() reads; `options` are its options.
 * Release `state` in any case. Errors: CORRUPT, NOT_FOUND, MEMORY, ARGUMENT (also for a bit that is no piece).
 */
XYLEM_API int xylem_rehydrate(struct xylem_state *state, struct xylem_txn *txn, struct xylem_position at,
                              const struct xylem_event *event, const struct xylem_reduce_options *options,
                              struct xylem_error *err);
XYLEM_API void xylem_state_release(struct xylem_state *state);

/*
 * Shows `visit` the state at each entry of the path of `from` that may change one of the pieces, oldest first: what
 * xylem_rehydrate() gives there, but that `skipped` lists that entry alone, if it does not count, and that `scan` is for
 * finding the entries. Reads in proportion to the number of these entries, while a rehydration at each may read all that
 * lie before it. The state is borrowed: it lives until `visit` returns, and is not to be released. `visit` must not
 * write in the transaction.
 * Errors: CORRUPT, NOT_FOUND, MEMORY, ARGUMENT, STOPPED (`visit` answered anything but 0).
 */
XYLEM_API int xylem_rehydrate_each(struct xylem_txn *txn, struct xylem_position from, const struct xylem_event *event,
                                   const struct xylem_reduce_options *options,
                                   int (*visit)(void *context, const struct xylem_state *state), void *context,
                                   struct xylem_error *err);

/*
 * The kinds in text form whose entries decide on one piece (of XYLEM_PIECE_NUDGE: its own, without those of readonly);
 * ends in NULL. NULL if it is not exactly one piece. Static; any thread.
 */
XYLEM_API const char *const *xylem_state_kinds(unsigned piece);

/*
 * The names of all pieces, such as `readonly`; ends in NULL. The first name is that of the bit 1, the next of the bit 2,
 * and so on: with this list a caller goes over pieces that it does not know. Static; any thread.
 */
XYLEM_API const char *const *xylem_piece_names(void);

/* How much is said of a piece. */
enum xylem_detail {
    XYLEM_DETAIL_BRIEF = 0, /* for a cell of a table */
    XYLEM_DETAIL_VALUE,     /* the value, and nothing of where it comes from */
    XYLEM_DETAIL_WHOLE,     /* the entry that decided, too */
    XYLEM_DETAIL_EXPLAINED  /* in words also the reasons; in JSON the same as XYLEM_DETAIL_WHOLE */
};

/*
 * Appends a piece as JSON. With XYLEM_DETAIL_WHOLE it is the member of that name of xylem_state_json(). A piece that no
 * entry decided is `null` or a default. Errors: MEMORY, ARGUMENT (`piece` is not exactly one); the buffer is then as it
 * was. Any thread.
 */
XYLEM_API int xylem_piece_json(struct xylem_buffer *buffer, const struct xylem_state *state, unsigned piece,
                               enum xylem_detail detail);

/* 1 if a piece has different values in two states, 0 if not. Errors: MEMORY, ARGUMENT (`piece` is not exactly one). */
XYLEM_API int xylem_piece_differs(const struct xylem_state *a, const struct xylem_state *b, unsigned piece);

/* A piece of the state in words for people: read one behind the other, they are a line. */
enum xylem_word_type {
    XYLEM_WORD_TEXT = 0, /* `text`: plain English without control bytes; static */
    XYLEM_WORD_FOREIGN, /* `text`: what an entry says, in whatever bytes: to be escaped, and cut to the room there is */
    XYLEM_WORD_COUNT,   /* `number` */
    XYLEM_WORD_ENTRY,   /* the entry at `position`; `text` is its id */
    XYLEM_WORD_BREAK    /* a place to break the line: all behind it explains all before it */
};

enum xylem_tone { XYLEM_TONE_PLAIN = 0, XYLEM_TONE_GOOD, XYLEM_TONE_WARN };

struct xylem_word {
    enum xylem_word_type type;
    enum xylem_tone tone;
    struct xylem_view text; /* lives as long as the state */
    uint64_t number;
    struct xylem_position position;
};

struct xylem_words_options {
    enum xylem_detail detail;
    const struct xylem_event *event; /* that the state was asked for; NULL: a session_start, startup */
    const struct xylem_state *other; /* of the same value: the entries that decided there are named, too; or NULL */
};

/*
 * Gives the words for a piece and returns their number, at most XYLEM_WORDS_MAX, for which `words` must have room. With
 * XYLEM_DETAIL_BRIEF there are none if there is nothing to say, and else there are some. 0 if `piece` is not exactly one.
 * `options` may be NULL. Any thread.
 */
XYLEM_API size_t xylem_piece_words(struct xylem_word *words, const struct xylem_state *state, unsigned piece,
                                   const struct xylem_words_options *options);

/* A part of a piece: a step of the sequence, an item of the todo list. */
struct xylem_part {
    uint64_t number;        /* by which people know the part; 0: by its place, from 1 on */
    const char *mark;       /* before the text, such as `[x] `, or empty; static */
    struct xylem_view text; /* what an entry says, in whatever bytes; lives as long as the state */
};

/* True and the part of that index, from 0 on; false if the piece has fewer parts. Any thread. */
XYLEM_API bool xylem_piece_part(struct xylem_part *part, const struct xylem_state *state, unsigned piece, size_t index);

/* Appends the state as one JSON document without a newline; docs/rehydration.md names its fields. */
XYLEM_API int xylem_state_json(struct xylem_buffer *buffer, const struct xylem_state *state,
                               struct xylem_view session_id);

/* --- Policy ------------------------------------------------------------------------------------------------------ */

/*
 * May an agent run this shell command? A policy judges it from its syntax tree, as bash 5 reads it, and touches nothing:
 * no file, no process, no environment. Of a text that the parser does not know for certain, or that only bash can know
 * (`eval "$X"`), strict asks. readonly and confirm search such a text for the names of the programs that they refuse and
 * for redirections, and let it pass where they find none. A policy is a guard rail, not a sandbox: docs/policy.md says what
 * each one looks at, and what none can see.
 */

/* The severest first: a zeroed verdict refuses. */
enum xylem_decision { XYLEM_DENY = 0, XYLEM_ASK, XYLEM_ALLOW };

enum xylem_policy_type {
    XYLEM_POLICY_READONLY = 0, /* allow or deny: everything but what is known to change files, processes, packages */
    XYLEM_POLICY_STRICT,       /* allow or ask: nothing but what is proven to read only */
    XYLEM_POLICY_CONFIRM,      /* allow or ask: everything but what is known to destroy */
};

struct xylem_policy;

/* Borrowed for the call. A list that is NULL means the built-in one, which docs/policy-tables.md shows. */
struct xylem_policy_config {
    enum xylem_policy_type type;
    /*
     * readonly: a directory (absolute, below `/`, without `..`) below which redirections, tee, touch and mkdir may write to
     * literal paths. NULL: nowhere.
     */
    const char *temp_writes;
    /* strict */
    const char *const *allowed_commands;
    size_t allowed_command_count;
    const char *const *git_readonly_subcommands;
    size_t git_readonly_subcommand_count;
    const char *const *wrapper_commands; /* of those that the library can see through */
    size_t wrapper_command_count;
    const char *const *command_directories; /* besides the system's: where a command with a slash in its name may lie */
    size_t command_directory_count;
    bool allow_output_redirections;
    bool git_local_writes;
};

/*
 * Makes a policy, which is never changed by what uses it: any number of threads may judge with it at once. ARGUMENT (a
 * value that no policy can have, an option of another policy), MEMORY.
 */
XYLEM_API int xylem_policy_new(struct xylem_policy **policy, const struct xylem_policy_config *config,
                               struct xylem_error *err);

/*
 * The same from a JSON object: `allowed_commands`, `git_readonly_subcommands`, `wrapper_commands` and
 * `command_directories` (arrays of strings), `allow_output_redirections` (a bool), `feature_flags` (an object of bools:
 * `git_local_writes`), `temp_writes` (a string). Its source is the briefing of a read-only permission hook; other keys
 * are refused, and one that stands there twice, so that a slip of the pen does not go unseen. The briefing's flags for
 * later (`network_reads`, `safe_file_writes`, and `allow_output_redirections` among the flags) may be false, not true.
 * An empty view: the defaults. MALFORMED (says which key, what was expected, what was found), LIMIT (nesting, or more
 * than XYLEM_CONFIG_BYTES_MAX), ARGUMENT (as xylem_policy_new()), MEMORY.
 */
XYLEM_API int xylem_policy_new_json(struct xylem_policy **policy, enum xylem_policy_type type, struct xylem_view json,
                                    struct xylem_error *err);

/* NULL is allowed. Nothing may be judging with it. */
XYLEM_API void xylem_policy_free(struct xylem_policy *policy);

/* A command that was found in the text, and what the policy says of it alone. */
struct xylem_judged {
    size_t offset; /* into the text that was judged */
    size_t bytes;
    uint32_t depth; /* in how many others it stands: substitutions, subshells, `sh -c` */
    enum xylem_decision decision;
    const char *rule;         /* static: the rule that met it */
    struct xylem_buffer name; /* of the program, where it is literal; else empty */
};

/* Starts zeroed and ends in xylem_verdict_release(); one verdict may be used for many judgements. */
struct xylem_verdict {
    enum xylem_decision decision;
    const char *rule;            /* static, such as "redirection"; docs/policy-tables.md lists them */
    struct xylem_buffer reason;  /* one line, escaped as error texts are; empty after an error */
    size_t offset;               /* of what decided, in the text that was judged */
    size_t bytes;                /* 0: nothing in particular did */
    struct xylem_judged *judged; /* as in the text, but what stands in a command's words comes before it */
    size_t judged_count;
    size_t judged_capacity;
    /*
     * Where git would run: absolute if `cwd` was given or the command names it absolutely, else relative to where the
     * command runs. A repository's own configuration can run programs; judging reads no file, so looking at these
     * directories is left to the caller (xylem_policy_hook() does).
     */
    struct xylem_buffer *git_directories;
    size_t git_directory_count;
    size_t git_directory_capacity;
    bool git_directory_unknown; /* and in a directory that is not known, or that only a repository names */
};

/* Frees what it holds, and zeroes it. NULL is allowed. */
XYLEM_API void xylem_verdict_release(struct xylem_verdict *verdict);

/*
 * Judges a command: what `bash -c COMMAND` would run, started in `cwd` (an absolute path; NULL: not known). Time and
 * memory are bounded by the command's length. Any bytes are judged; only MEMORY and ARGUMENT are errors, and then the
 * verdict refuses. `verdict` is emptied first. Any thread, any number at once on one policy.
 */
XYLEM_API int xylem_policy_judge(struct xylem_verdict *verdict, const struct xylem_policy *policy,
                                 struct xylem_view command, const char *cwd, struct xylem_error *err);

/*
 * Answers one line of JSON, `{"command":...,"cwd":...}`, by `{"verdict":"allow|ask|deny","reason":...,"rule":...}`, which
 * is appended to `output` without a newline. `cwd` (absolute, or NULL: not known) counts where the line has none, or
 * null; other members are not looked at. What is no such line, or longer than XYLEM_HOOK_BYTES_MAX, gets the policy's
 * refusal, with the rule `input`. Only MEMORY and ARGUMENT are errors. Any thread.
 */
XYLEM_API int xylem_policy_answer(struct xylem_buffer *output, const struct xylem_policy *policy,
                                  struct xylem_view line, const char *cwd, struct xylem_error *err);

/* How a PermissionRequest is approved. */
enum xylem_hook_protocol {
    XYLEM_HOOK_DOCUMENTED = 0, /* {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":...}} */
    XYLEM_HOOK_SEED            /* {"decision":"approve","reason":...}, as the briefing has it */
};

struct xylem_hook_options {
    enum xylem_hook_protocol protocol;
    bool enforce; /* says what the policy refuses, and approves nothing */
    /* The environment leads git elsewhere than to the repository around it (GIT_DIR): what runs git is not approved. */
    bool git_is_led;
    /*
     * Files of the user's and the system's configuration of git: absolute paths, the last followed by NULL. Some settings
     * in them let git run what a repository names. NULL: they are not known, and less is approved.
     */
    const char *const *git_user_configs;
    const char *home;         /* where `~` leads in them: an absolute path, or NULL: not known */
    struct xylem_buffer *why; /* NULL, or one line is appended that says why it is approved, or is not: for a log */
};

/*
 * A hook of Claude Code: approves a command that the policy allows, and says nothing to all else, so that the host asks
 * its user. `input` is the hook's JSON: for the events `PermissionRequest` and `PreToolUse`, which `hook_event_name`
 * tells apart, with `tool_name` `Bash` and a string as `tool_input.command`; `cwd` counts where it is absolute. 1: what
 * the host is to read is appended to `output`, without a newline. 0: nothing is. Any other input is no error: broken
 * JSON, a member that counts and stands there twice, a command that is to run outside of the host's sandbox, more than
 * XYLEM_HOOK_BYTES_MAX.
 *
 * With `enforce` it approves nothing. It denies what the policy denies, and has the host ask its user about what the policy
 * asks about, with the verdict's reason and the offending text; to what the policy allows it says nothing. An input that
 * is broken, names no event or no tool, or is about Bash and has no command that can be read, is MALFORMED then: the host
 * is not to run it.
 *
 * Otherwise, unlike the judge it looks at files: in each directory where git would run it goes up to the repository, and approves
 * nothing if that is not known, or its configuration or hooks can make git run programs (docs/hooks.md lists what is
 * looked for), in its submodules too, or any of it cannot be read.
 * Errors: MEMORY, ARGUMENT, with `enforce` MALFORMED; `output` is as it was. Any thread.
 */
XYLEM_API int xylem_policy_hook(struct xylem_buffer *output, const struct xylem_policy *policy, struct xylem_view input,
                                const struct xylem_hook_options *options, struct xylem_error *err);

/* --- Gate --------------------------------------------------------------------------------------------------------- */

/*
 * The one question that a host asks before a tool runs: with the state that holds, may it? The rules and the texts are
 * those of the readonly mode's design (pi-agenticoding): while readonly is on, `write` and `edit` are blocked, a `bash`
 * command is judged, every other tool goes on. The names of these three count in any case of letters.
 */

/* Borrowed for the call. */
struct xylem_tool_call {
    struct xylem_view name;  /* of the tool */
    struct xylem_view input; /* a JSON object, as the model gave it; of `bash` its string `command` is judged */
    const char *cwd;         /* where it would run: an absolute path; NULL: not known */
};

/* Starts zeroed, and ends in xylem_gate_release(); a zeroed answer blocks nothing only because nothing was asked. */
struct xylem_gate {
    bool block;
    struct xylem_buffer reason;    /* for the model: the design's words, then the policy's; empty if the call goes on */
    bool judged;                   /* `verdict` was filled */
    struct xylem_verdict verdict;  /* of a bash command */
    struct xylem_buffer offending; /* the part of the command that decided; empty if no part did, or the call goes on */
};

/*
 * Says whether a tool call is blocked. Input that cannot be read (no JSON, no object, a `command` that is no string)
 * blocks a bash call while readonly is on. `policy` NULL: the readonly policy as it is built in. `gate` is emptied first.
 * On an error it blocks. ARGUMENT (no state, a cwd that is not absolute), MEMORY. Any thread.
 */
XYLEM_API int xylem_gate_ask(struct xylem_gate *gate, const struct xylem_state *state,
                             const struct xylem_tool_call *call, const struct xylem_policy *policy,
                             struct xylem_error *err);
XYLEM_API void xylem_gate_release(struct xylem_gate *gate);

/*
 * The same for hosts that speak JSON: `call` is an object with the tool's name (`toolName`, as in pi's event, or
 * `tool_name`, or `name`), its input (`input` or `tool_input`) and maybe `cwd`. Appends one document without a newline:
 * `schema` (1), `block`, `reason` (a string or null), `readonly`, `tool` (a string or null); of a command that was judged
 * `verdict` (`allow`, `ask` or `deny`), `rule`, `why` (the verdict's reason) and `offending` (the part of the command that
 * decided), else null. A call that is not of that shape is blocked while readonly is on. Sets `decision`: the verdict's
 * where a policy blocks the command, else DENY or ALLOW. Errors as above.
 */
XYLEM_API int xylem_gate_json(struct xylem_buffer *answer, enum xylem_decision *decision,
                              const struct xylem_state *state, struct xylem_view call,
                              const struct xylem_policy *policy, struct xylem_error *err);

/*
 * The tools that a child session gets: moves the names that it may have to the front, in their order, and gives their
 * number. While readonly is on these are all but `write` and `edit`. The strings are the caller's. Any thread.
 */
XYLEM_API size_t xylem_gate_child_tools(const struct xylem_state *state, const char **names, size_t count);

/* What a host adds to the prompt of a child; "" while readonly is off. Static; any thread. */
XYLEM_API const char *xylem_gate_child_notice(const struct xylem_state *state);

/* The message of the nudge that is due, or NULL if none is. Static; any thread. */
XYLEM_API const char *xylem_gate_nudge(const struct xylem_state *state);

/* What a status line shows, in UTF-8; "" while readonly is off. Static; any thread. */
XYLEM_API const char *xylem_gate_badge(const struct xylem_state *state);

/* --- Session files ---------------------------------------------------------------------------------------------- */

struct xylem_import_progress {
    const char *path;
    size_t file_index; /* in the paths of xylem_import_files(); else 0 */
    uint64_t bytes_done;
    uint64_t bytes_total;
};

struct xylem_import_options {
    uint64_t batch_bytes; /* of lines in one commit; 0: 32 MiB */
    /* Called after each batch; anything but 0 stops the import after what is committed, with XYLEM_E_STOPPED. */
    int (*progress)(void *context, const struct xylem_import_progress *progress);
    void *context;
    bool share_nothing; /* store a fork's entries again, also those that its source session has in the store */
};

/*
 * Why a line was not placed as it stands, or what else was remarkable. VANISHED: the store does not remember which file
 * an entry came from, so it is reported only where the file is the session's only one; and only once, by the import that
 * misses a line which the one before had found. REDACTED: the session has the line's id, or one that stands in quotes in
 * a damaged line, as that of a redacted entry; its bytes are neither stored nor put into quarantine, whatever they are.
 */
#define XYLEM_IMPORT_PROBLEM_LIST(X)                                                                               \
    X(XYLEM_IMPORT_NOT_JSON, "not-json", "the line is no JSON object")                                             \
    X(XYLEM_IMPORT_BLANK, "blank", "the line is blank")                                                            \
    X(XYLEM_IMPORT_NUL_PADDING, "nul-padding", "NUL bytes in place of a line")                                     \
    X(XYLEM_IMPORT_NO_ID, "no-id", "the entry has no id, or one that is no string of 1 to 64 bytes")               \
    X(XYLEM_IMPORT_NO_TYPE, "no-type", "the entry has no type, or one that is no string")                          \
    X(XYLEM_IMPORT_LIMIT, "limit", "the line exceeds a limit")                                                     \
    X(XYLEM_IMPORT_DUPLICATE, "duplicate", "another line has the same id, and counts")                             \
    X(XYLEM_IMPORT_CONFLICT, "conflict", "the session has an entry of this id with other bytes or another parent") \
    X(XYLEM_IMPORT_HEADER, "header", "a second header, or one that differs from the session's")                    \
    X(XYLEM_IMPORT_ORPHAN, "orphan", "no line has the id of its parent: placed as a root")                         \
    X(XYLEM_IMPORT_CYCLE, "cycle", "its parents lead back to it: placed as a root")                                \
    X(XYLEM_IMPORT_TORN, "torn", "the last line has no end and is no entry: not consumed")                         \
    X(XYLEM_IMPORT_VANISHED, "vanished", "the entry was imported earlier, and the file has it no more: kept")      \
    X(XYLEM_IMPORT_REDACTED, "redacted", "the entry was redacted in the store: the line was not stored")           \
    X(XYLEM_IMPORT_DAMAGED, "damaged", "bytes of an entry that could not be saved by a repair")

#define XYLEM_IMPORT_PROBLEM_ENUM_ROW(name, word, text) name,
enum xylem_import_problem_type { XYLEM_IMPORT_PROBLEM_LIST(XYLEM_IMPORT_PROBLEM_ENUM_ROW) XYLEM_IMPORT_PROBLEM_COUNT };
#undef XYLEM_IMPORT_PROBLEM_ENUM_ROW

/* The word and the text of a problem type. Static. */
XYLEM_API const char *xylem_import_problem_word(enum xylem_import_problem_type type);
XYLEM_API const char *xylem_import_problem_text(enum xylem_import_problem_type type);

/*
 * One problem. Every one is reported, however many there are: a problem takes 40 bytes and those of its entry's id, and
 * the list may have room for half as many again.
 */
struct xylem_import_problem {
    enum xylem_import_problem_type type;
    bool quarantined;
    uint64_t line;              /* 1 is the header; 0: no line (vanished) */
    uint64_t offset;            /* of the line's first byte in the file */
    struct xylem_view entry_id; /* as the file has it: escape it to show it; data NULL where there is none */
};

enum xylem_import_outcome {
    XYLEM_IMPORT_NEW = 0,        /* the session is new */
    XYLEM_IMPORT_GREW,           /* the file begins as it was imported last, and has more */
    XYLEM_IMPORT_CHANGED,        /* the session was known from another file or version: each line was matched */
    XYLEM_IMPORT_UNCHANGED,      /* nothing was written */
    XYLEM_IMPORT_SKIPPED_DELETED /* the session is marked deleted: nothing was done */
};

/*
 * What became of the source, the session that a new session was forked from. It is the one whose id stands in the last
 * part of the header's `parentSession` after the last `_` (without `.jsonl`), as pi names its files; else the one whose
 * id is the whole of `parentSession`, as xylem_fork() names it; else the one in the header of the file at that path (a
 * relative one starts at the directory of the file that is imported), if it can be read.
 */
#define XYLEM_IMPORT_SOURCE_LIST(X)                                                                            \
    X(XYLEM_IMPORT_SOURCE_NONE, "none", "the header names no source, or the session was there already")        \
    X(XYLEM_IMPORT_SOURCE_SHARED, "shared", "entries are shared with the source")                              \
    X(XYLEM_IMPORT_SOURCE_DIFFERS, "differs", "the file does not begin with entries of the source")            \
    X(XYLEM_IMPORT_SOURCE_MISSING, "missing", "the source is not in the store, or its import is not finished") \
    X(XYLEM_IMPORT_SOURCE_DELETED, "deleted", "the source is deleted")                                         \
    X(XYLEM_IMPORT_SOURCE_UNUSED, "unused", "sharing was not wanted")

#define XYLEM_IMPORT_SOURCE_ENUM_ROW(name, word, text) name,
enum xylem_import_source { XYLEM_IMPORT_SOURCE_LIST(XYLEM_IMPORT_SOURCE_ENUM_ROW) XYLEM_IMPORT_SOURCE_COUNT };
#undef XYLEM_IMPORT_SOURCE_ENUM_ROW

/* The word and the text of what became of a source. Static. */
XYLEM_API const char *xylem_import_source_word(enum xylem_import_source source);
XYLEM_API const char *xylem_import_source_text(enum xylem_import_source source);

/* What an import did. Owns its bytes. */
struct xylem_import_report {
    char session_id[XYLEM_SESSION_ID_BYTES_MAX + 1u];
    uint64_t session;
    enum xylem_import_outcome outcome;
    enum xylem_import_source source;                 /* of a session that this import made */
    char source_id[XYLEM_SESSION_ID_BYTES_MAX + 1u]; /* the id that was looked for; empty: there was none to look for */
    int version;                                     /* of the file: 1, 2 or 3 */
    uint64_t line_count;                             /* lines of the file, the header included */
    uint64_t file_bytes;
    uint64_t added_count;   /* entries appended by this import */
    uint64_t shared_count;  /* lines whose entries the new session shares with its source: none was added for them */
    uint64_t shared_bytes;  /* of the records of these entries: what the log would have taken for them again */
    uint64_t matched_count; /* lines whose entries the session had already */
    uint64_t quarantined_count; /* lines put into quarantine by this import */
    uint64_t kept_line_count;   /* entries whose line is kept beside their payload */
    uint64_t unconsumed_bytes;  /* of a torn last line */
    bool leaf_stayed;           /* the leaf had been moved since the last import, so it was left where it is */
    struct xylem_import_problem *problems; /* by line; those without a line come last */
    size_t problem_count;
    void *storage;
};

/*
 * Imports a session file of pi (formats 1, 2 and 3), or what it has more than at the last import. Uses write
 * transactions of its own: the calling thread must not have one open. Commits in batches; what is committed stays, and
 * the next import goes on from there. A problem with a line is no error: look at `report->problems`.
 * A new session shares with its source the path that the file begins with: a line is shared if its parent is the line
 * before it, which is shared (the first: if it is a root in both), and if its bytes are those of the source's entry; the
 * first line that is not ends it. The source must be in the store already: xylem_import_order() brings files into an
 * order for that.
 * Several imports of one session may run at the same time, in this process or in others: an import that was overtaken
 * looks again for the rest, and its report covers all its attempts.
 * Release `report` in any case. Errors: IO (the file cannot be read), MALFORMED (no session header), BUSY, STOPPED,
 * CONFLICT (another import got ahead 64 times, or the session has another owner), and as append.
 */
XYLEM_API int xylem_import(struct xylem_import_report *report, struct xylem_store *store, const char *path,
                           const struct xylem_import_options *options, struct xylem_error *err);
XYLEM_API void xylem_import_report_release(struct xylem_import_report *report);

/* The result of one file of xylem_import_files(). Everything in it lives until the callback returns. */
struct xylem_imported {
    size_t index; /* in the paths */
    const char *path;
    int code;                                 /* the code that xylem_import() gives for the file */
    const struct xylem_import_report *report; /* after a failure: of the part that was committed */
    const struct xylem_error *err;            /* of a negative code */
};

/*
 * Imports session files in the order of `paths`, each like xylem_import(). Consecutive small files share a transaction,
 * at most 256 files of at most 4 MiB together (of `batch_bytes`, if that is less), and so one sync. A file that fails
 * takes nothing from other files.
 * `imported` is called for each file, in order, after the commit with the file's entries. With durability FULL such a file
 * survives a power loss. A crash leaves whole small files; the next import goes on behind them. `imported` may use the
 * store. A result other than 0 stops the import: the other files of the same commit are still reported, later files are
 * not begun.
 * `options->progress` is also called before each file, with `bytes_done` 0, and stops the import in the same way. The
 * calling thread may have a write transaction open at that time, so `progress` must not use the store. Both callbacks get
 * `options->context`, in the calling thread, which must have no write transaction open at the call.
 * Errors: ARGUMENT, MEMORY, and STOPPED by a callback. The error of a file goes to `imported`.
 */
XYLEM_API int xylem_import_files(struct xylem_store *store, const char *const *paths, size_t path_count,
                                 const struct xylem_import_options *options,
                                 int (*imported)(void *context, const struct xylem_imported *file),
                                 struct xylem_error *err);

/*
 * Finds an order in which session files are best imported: all files of a session's source come before the files of the
 * session, else they come as they are given; of sources that lead back to themselves, those of the file that is given
 * first come first. Of several files of a session the first that names a source counts. `order` has room for `path_count`
 * indexes of `paths`. A file whose header cannot be read stays where it is. Reads the header of every file. Errors:
 * MEMORY.
 */
XYLEM_API int xylem_import_order(size_t *order, const char *const *paths, size_t path_count, struct xylem_error *err);

/*
 * Appends the entry as a line of a session file (format 3), without a newline. A redacted entry has its place, its kind,
 * and a member `redacted` with the reason: in `data`, if it is a custom one. Errors: CORRUPT, MEMORY.
 */
XYLEM_API int xylem_entry_json(struct xylem_buffer *buffer, struct xylem_txn *txn, const struct xylem_entry *entry,
                               struct xylem_error *err);

/* Patterns for texts that must not be in an export, or in a store. */
struct xylem_patterns;

/*
 * Reads patterns: one POSIX extended regular expression a line; blank lines and lines that begin with `#` are left out,
 * and so is a carriage return at the end of a line. They are matched on bytes, whatever the locale. Refused are back
 * references and repetitions that nest deeper than 4, which can take any time, and patterns that match the empty text.
 * The patterns outlive `text`, and may be used by several threads at once. While they are compiled the thread's own
 * locale, not the process's, is "C".
 * Errors, each with the number of the line: MALFORMED (with what regcomp() says), LIMIT; or MALFORMED (there is no
 * pattern at all, which would be an export as it is), MEMORY.
 */
XYLEM_API int xylem_patterns_new(struct xylem_patterns **patterns, struct xylem_view text, struct xylem_error *err);
XYLEM_API void xylem_patterns_free(struct xylem_patterns *patterns);

/* What patterns did to an export: counted on. */
struct xylem_export_redactions {
    uint64_t string_count;   /* strings in which something was replaced; keys of objects are strings too */
    uint64_t line_count;     /* lines that have such strings */
    uint64_t kept_count;     /* strings that say what a line is and where it stands, and match: left as they are */
    uint64_t left_out_count; /* lines that are no JSON, and match: left out */
};

struct xylem_export_options {
    /*
     * Also what an import could not place, at its place, and what it did not consume: a torn last line, which stays last,
     * behind the entries that were in no file, as behind it nothing could complete it any more.
     */
    bool with_quarantine;
    /*
     * NULL, or patterns: each match in a string is replaced by `[redacted]`, keys of objects included, but not in the
     * members `type`, `id`, `parentId` and `timestamp` of a line itself. Strings are searched as they are once their
     * escapes are decoded; numbers are not searched. A string of more than XYLEM_PATTERN_STRING_MAX bytes is searched
     * line by line: a line of it that is longer is replaced as a whole if it has a match, and so is the string if one
     * goes beyond a line, or `^` or `$` would match at a line's ends. Lines of the file without a match come out as
     * without patterns. A quarantined line or a torn one that is no JSON is searched as it stands, and left out if it
     * matches.
     */
    const struct xylem_patterns *patterns;
    struct xylem_export_redactions *redactions; /* NULL, or where to count */
};

/*
 * Writes the session as a session file of pi (format 3): imported entries in the order of their lines, then the others.
 * `write` gets the bytes in pieces; anything but 0 from it ends the export with XYLEM_E_STOPPED.
 * Errors: NOT_FOUND, CORRUPT, MEMORY, STOPPED, LIMIT (with_quarantine, and a line was too long to be kept;
 * or patterns, and an entry's line that exceeds a limit of JSON texts, so that it cannot be searched).
 */
XYLEM_API int xylem_export(struct xylem_txn *txn, uint64_t session, const struct xylem_export_options *options,
                           int (*write)(void *context, const void *data, size_t bytes), void *context,
                           struct xylem_error *err);

/* What an import could not place. */
struct xylem_quarantined {
    uint64_t line; /* 0: it was a line of an earlier version of the file */
    uint64_t offset;
    uint64_t hash; /* XXH3-64 of the bytes; of redacted ones: of where they stood */
    enum xylem_import_problem_type reason;
    struct xylem_view source; /* the file */
    struct xylem_view raw;    /* the bytes, the newline included; empty where they were too long, or were redacted */
    uint64_t raw_bytes;       /* how many bytes there were */
};

/* Iterates over the session's quarantine in the order of lines. */
struct xylem_quarantine;
XYLEM_API int xylem_quarantine_new(struct xylem_quarantine **quarantine, struct xylem_txn *txn, uint64_t session,
                                   struct xylem_error *err);
XYLEM_API int xylem_quarantine_next(struct xylem_quarantined *row, struct xylem_quarantine *quarantine,
                                    struct xylem_error *err);
XYLEM_API void xylem_quarantine_free(struct xylem_quarantine *quarantine);

/* --- Copies ------------------------------------------------------------------------------------------------------ */

struct xylem_backup_report {
    uint64_t bytes;       /* of the copy's data.mdb */
    uint64_t store_bytes; /* of the store's own */
    uint64_t session_count;
    uint64_t branch_count;
    uint64_t entry_count;
};

/*
 * Makes the directory `to` (mode 0700; there must be nothing of that name, but the directory above it) with a copy of
 * the store: all that was committed at one moment, without free pages, synced and verified. Others go on reading and
 * writing meanwhile; what they give up the file cannot use again until the copy is made. Where it fails nothing is left
 * of it; a crash may leave a directory `to.unfinished-XXXXXX`. It may lie on a network file system. Any thread; LMDB runs
 * one of its own meanwhile.
 * A backup is a store, of the same uuid. To restore it, copy it into a new directory and open that; a store that is in
 * use must not be copied over: who has it open would go on in the old file.
 * `report` may be NULL. Errors: EXISTS, CORRUPT (xylem_verify() reports the same damage of the store), NO_SPACE, BUSY
 * (this thread has a write transaction open), ARGUMENT (`to` lies in the store's directory), IO (also: the copy of a sound
 * store is not as the copy should be), FORKED, MEMORY.
 */
XYLEM_API int xylem_backup(struct xylem_backup_report *report, struct xylem_store *store, const char *to,
                           struct xylem_error *err);

struct xylem_compact_options {
    bool dry_run; /* only find out what it would give back; beside whoever uses the store */
    /*
     * Write the new file row by row, since pages hold remains of earlier rows between their nodes. Then write random
     * bytes over the old file and sync it, so that what was removed from the store, or redacted, is not in its blocks any
     * more. That does not reach backups, snapshots of the file system, nor the spare blocks of an
     * SSD; nor the old blocks on a file system that never writes in place (btrfs, ZFS, bcachefs).
     */
    bool overwrite_old;
    bool allow_network_fs; /* compact on a network file system, where locks may lie */
    /*
     * Ask other processes to close the store (xylem_store_wanted()), and wait so long. `xylem watch` closes the store, and
     * so does a command whose output nobody reads. 0: BUSY at once.
     */
    uint32_t wait_ms;
};

struct xylem_compact_report {
    uint64_t bytes_before;      /* of data.mdb */
    uint64_t bytes_after;       /* of the file that took its place; with `dry_run`: what it would have */
    bool replaced;              /* false with `dry_run` */
    uint64_t overwritten_bytes; /* of the old file; 0 unless that was asked for */
};

/*
 * Gives back the room that nothing in the store at `path` uses any more: LMDB's file never shrinks. A copy without free
 * pages is made beside it, synced, verified, and renamed over data.mdb; so it takes the room of the copy meanwhile. A
 * crash at any moment leaves the old file or the new one, whole, and perhaps a file `data.mdb.compact-XXXXXX`, which the
 * next compaction overwrites and removes. It may be called from any thread.
 * Nobody may have the store open, this process neither: it is held exclusively, and xylem_open() is BUSY meanwhile.
 * `wait_ms` waits for other processes, never for this process.
 * `report` may be NULL; it is also written if the store was replaced and something failed after that.
 * Errors: BUSY (in use; the text names the processes, as far as the system shows them), CORRUPT (nothing is changed:
 * xylem_verify() reports the same damage, and xylem_repair() comes first), CONFLICT (`overwrite_old`, and the file has
 * other names), NO_SPACE (for the copy), NOT_FOUND, NOT_A_STORE, TOO_NEW, TOO_OLD, IO (also: the copy of a sound store is not as the copy
 * should be, or neither the owner of the directory nor root calls), MEMORY.
 */
XYLEM_API int xylem_compact(struct xylem_compact_report *report, const char *path,
                            const struct xylem_compact_options *options, struct xylem_error *err);

/* --- Freeing ---------------------------------------------------------------------------------------------------- */

/*
 * A deleted session of which something is freed. All of it is, but for entries that sessions which are not deleted
 * share. The view lives until the callback returns.
 */
struct xylem_freed {
    uint64_t session;
    struct xylem_view id;      /* data NULL: it was freed in part before, and has no id any more */
    uint64_t entry_count;      /* entries that are freed */
    uint64_t branch_count;     /* branches of which nothing is left */
    uint64_t row_count;        /* rows of all tables but `meta`, and `feed`, which goes on telling of freed lsns */
    uint64_t bytes;            /* of these rows, keys and values */
    uint64_t payload_bytes;    /* of the entries' payloads */
    uint64_t kept_entry_count; /* entries of its branches that stay */
};

struct xylem_gc_options {
    bool dry_run; /* change nothing, only say what would be freed: a read transaction is enough */
    /* Called for each session; anything but 0 ends the call with XYLEM_E_STOPPED. Must not write in the transaction. */
    int (*freed)(void *context, const struct xylem_freed *what);
    void *context;
};

struct xylem_gc_report {
    uint64_t session_count; /* sessions of which something is freed */
    uint64_t entry_count;   /* sums over these sessions, as in struct xylem_freed */
    uint64_t branch_count;
    uint64_t row_count;
    uint64_t bytes;
    uint64_t payload_bytes;
    uint64_t kept_session_count; /* sessions that stay in part (XYLEM_SESSION_FREED), as others share their entries */
    uint64_t kept_entry_count;   /* entries on the branches of these */
};

/*
 * Frees what deleted sessions have and no other session needs: every entry of every session that is live, or being
 * imported, stays, with the path behind it. The ids of deleted sessions are free again, and they cannot be undeleted any
 * more. Reading a position that was freed gives FREED; numbers, positions and lsns are never used again, and kinds stay.
 * Nothing else ever frees anything. The file does not shrink: the room is used again.
 * All of it happens in the caller's write transaction, so a commit frees all or nothing, and other writers wait until
 * then. It takes time in proportion to the sessions, to the branches that paths of bases cross, and to the entries that
 * are freed; entries that stay are not read. What is damaged in that is refused, with nothing freed.
 * `options` and `report` may be NULL. Errors: READ_ONLY, CORRUPT, STOPPED, MEMORY, MAP_FULL, NO_SPACE, IO; after an
 * error of a call that is no dry run the transaction can only be aborted, unless the error is READ_ONLY.
 */
XYLEM_API int xylem_gc(struct xylem_gc_report *report, struct xylem_txn *txn, const struct xylem_gc_options *options,
                       struct xylem_error *err);

/* --- Redaction --------------------------------------------------------------------------------------------------- */

struct xylem_redact_options {
    struct xylem_view reason; /* 1 to XYLEM_REASON_BYTES_MAX bytes of text, which is kept in place of the payload */
    /*
     * Also replace the hash of the payload, by which somebody who guesses the payload could be sure of it, by a random
     * one. The checks of the entry and of all entries behind it, on every branch and fork, are made anew, as they would
     * tell the same: the store verifies, but its checks do not equal those of other stores any more.
     */
    bool drop_hash;
    bool only_this; /* leave copies, quarantined lines and torn tails as they are */
    bool dry_run;   /* write nothing, say what would be done; a read transaction will do */
};

/* What a redaction did, or would do. Owns its bytes and outlives the transaction. */
struct xylem_redact_report {
    bool was_redacted;          /* the entry itself had been redacted before; its first reason stays */
    uint64_t redacted_count;    /* entries whose payload and line were taken out: this one, and its copies */
    uint64_t redacted_bytes;    /* of these payloads and lines */
    uint64_t dropped_count;     /* entries whose hash was replaced */
    uint64_t rechecked_count;   /* entries behind them whose checks were made anew */
    uint64_t quarantined_count; /* quarantined lines whose bytes were taken out */
    uint64_t tail_count;        /* session files of which a torn last line was kept, and was taken out */
    uint64_t kept_count;        /* of xylem_redact_matches(): matches that stay */
    uint64_t session_count;     /* sessions, in whatever state, that have the entry or a copy of it */
    /* The session files that these sessions and lines were imported from: they have the bytes still. */
    struct xylem_view *sources;
    size_t source_count;
};

/*
 * Takes payload and line of an entry of the session, which may be deleted, out of the store. Its id, kind, time, check
 * and links stay, and with `drop_hash` unset its hash, so that the store still verifies. As entries are shared, every
 * session that has the entry loses them. Also taken out, unless `only_this` is set:
 * - copies: entries anywhere in the store with the same id and a payload of the same hash;
 * - quarantined lines, and torn last lines that are remembered of session files, of any session, that are the entry by
 *   their id; or have the id in them, in quotes, where they are no JSON object with an id; or have the payload or the
 *   kept line in them, if these have 8 bytes or more. What is known of such a line stays, its bytes do not.
 * What else may repeat the payload is not known to the store: summaries, labels, names, headers, other entries.
 * The bytes stay in free pages of the file until xylem_compact() has replaced it.
 * An entry that was redacted before stays as it is, but its hash is dropped if this call asks for it, and what has come
 * into the store since is looked for again; once the hash is dropped, copies cannot be found any more. An import leaves
 * out lines whose entry the session has redacted. Reads every record of the store, unless `only_this` is set.
 * Release `report` in any case. Errors: NOT_FOUND (the entry is none of the session's), LIMIT, ARGUMENT and MALFORMED (the
 * reason is too long, not given, or not UTF-8), FREED, CORRUPT, and as append.
 */
XYLEM_API int xylem_redact(struct xylem_redact_report *report, struct xylem_txn *txn, uint64_t session,
                           struct xylem_position position, const struct xylem_redact_options *options,
                           struct xylem_error *err);
XYLEM_API void xylem_redact_report_release(struct xylem_redact_report *report);

/* Where a pattern of xylem_redact_matches() can match: the first three places are taken out, the others stay. */
#define XYLEM_MATCH_PLACE_LIST(X)                                             \
    X(XYLEM_MATCH_ENTRY, "entry", "what an entry says")                       \
    X(XYLEM_MATCH_QUARANTINE, "quarantine", "a line in quarantine")           \
    X(XYLEM_MATCH_TAIL, "tail", "the torn last line of a session file")       \
    X(XYLEM_MATCH_ENTRY_ID, "entry-id", "the id of an entry")                 \
    X(XYLEM_MATCH_KIND, "kind", "the name of a kind")                         \
    X(XYLEM_MATCH_REASON, "reason", "the reason of an earlier redaction")     \
    X(XYLEM_MATCH_SESSION_ID, "session-id", "the id of a session")            \
    X(XYLEM_MATCH_CWD, "cwd", "the working directory of a session")           \
    X(XYLEM_MATCH_PARENT, "parent", "what a session says it was forked from") \
    X(XYLEM_MATCH_HEADER, "header", "the header of a session")                \
    X(XYLEM_MATCH_NAVIGATION, "navigation", "the reason of a navigation")     \
    X(XYLEM_MATCH_SOURCE, "source", "the path of a session file")

#define XYLEM_MATCH_PLACE_ENUM_ROW(name, word, text) name,
enum xylem_match_place { XYLEM_MATCH_PLACE_LIST(XYLEM_MATCH_PLACE_ENUM_ROW) XYLEM_MATCH_PLACE_COUNT };
#undef XYLEM_MATCH_PLACE_ENUM_ROW

/* The word and the text of a place; "unknown" for any other number. Static. */
XYLEM_API const char *xylem_match_place_word(enum xylem_match_place place);
XYLEM_API const char *xylem_match_place_text(enum xylem_match_place place);

/* A match, without the matching text: an id that matches is left out. The views live until the callback returns. */
struct xylem_match {
    enum xylem_match_place place;
    bool taken;                     /* false: the match stays */
    uint64_t session;               /* the session's number; of an entry, the owner of the branch; 0: a kind */
    struct xylem_view session_id;   /* data NULL: the id matches, or is gone */
    struct xylem_position position; /* of an entry */
    struct xylem_view entry_id;     /* data NULL: none, or the id matches */
    uint64_t number;                /* of the quarantined line, or of the navigation */
};

struct xylem_redact_matches_options {
    struct xylem_redact_options redact; /* as for one entry */
    /* Numbers of the sessions to search, in whatever state. None: search the whole store. */
    const uint64_t *sessions;
    size_t session_count;
    /* May be NULL. Called for each match; anything but 0 ends the call with XYLEM_E_STOPPED, with nothing changed. */
    int (*found)(void *context, const struct xylem_match *match);
    void *context;
};

/*
 * Redacts every entry of the sessions in which a pattern matches the payload or the kept line, as xylem_redact() does.
 * Unless `only_this` is set, copies of these entries in any session go too, and so do matching lines in quarantine and
 * remembered torn lines of the searched sessions. All happens in the caller's write transaction, or nothing.
 * Patterns are matched with each string by itself, escapes decoded, names of members included; with numbers as JSON writes
 * numbers; with the bytes of a kept line, unless the line's `type`, `id`, `parentId` or `timestamp` matches; and with a
 * line that is no JSON, first as the line is and then with decoded escapes. A text that is split over two strings is not
 * found.
 * A match in a place that cannot be taken out stays: `found` gets `taken` false, and `kept_count` counts. Such places are
 * ids, kinds, reasons, what sessions say about themselves, and paths of session files. `sources` lacks paths that match.
 * Reads every record of the store. Memory: 16 bytes for each target, 48 with a search for copies, and the largest payload,
 * decoded. Release `report` in any case; `was_redacted` is not set.
 * Errors: ARGUMENT (also: a pattern matches the reason), STOPPED, CORRUPT (also: the payload of an entry cannot be read, so
 * nobody knows whether a pattern matches), and as xylem_redact().
 */
XYLEM_API int xylem_redact_matches(struct xylem_redact_report *report, struct xylem_txn *txn,
                                   const struct xylem_patterns *patterns,
                                   const struct xylem_redact_matches_options *options, struct xylem_error *err);

/* --- Inspection ------------------------------------------------------------------------------------------------- */

/* Something that xylem_verify() found. The views live until the callback returns. */
struct xylem_problem {
    const char *table;              /* the table that it was found in; NULL: in none, or not known */
    uint64_t page;                  /* of data.mdb, where it is the page that is wrong; 0: none, or a meta page */
    struct xylem_view session_id;   /* data NULL: not known */
    struct xylem_position position; /* none where it is no entry; of a branch as a whole, depth 0 */
    struct xylem_view entry_id;     /* data NULL: not known */
    const char *text;
};

struct xylem_verify_report {
    uint64_t session_count;
    uint64_t branch_count;
    uint64_t entry_count;
    uint64_t row_count;         /* of all tables */
    uint64_t page_count;        /* that are in use; 0: the pages were not looked at */
    uint64_t leaked_page_count; /* neither in use nor free: room that is lost, no damage */
    uint64_t problem_count;
    uint64_t unread_table_count;    /* whose pages are damaged, so that their rows were not read */
    bool sessions_known;            /* the next is known, and `damaged` was told */
    uint64_t damaged_session_count; /* of `session_count`; the others have no problem, nor has what they share */
};

struct xylem_verify_options {
    /* Called after every few pages and rows with what was found so far. Anything but 0 ends it with XYLEM_E_STOPPED. */
    int (*progress)(void *context, const struct xylem_verify_report *so_far);
    /*
     * Called at the end for every session that is not whole: it, or an entry that it shares, has a problem. `session_id`:
     * data NULL where its row is damaged. Anything but 0 ends it with XYLEM_E_STOPPED.
     */
    int (*damaged)(void *context, uint64_t session, struct xylem_view session_id);
};

/*
 * Reads the whole store: first its pages, without LMDB; then every sum, check, hash and link recomputed along every
 * branch, depths and lsns gapless, every row backed by what it leads to, every entry found by lookup. Reports every
 * problem, and goes on.
 * LMDB trusts the pages of its file: a damaged one makes it fault, loop or skip rows. So a table with a damaged page is
 * not read, which is a problem of its own, and from then on each call that would read it in this transaction fails with
 * XYLEM_E_CORRUPT. A page that is damaged while the transaction runs can still end the process: a program that must go on
 * runs this in a child process.
 * What a write transaction changed does not lie in the file yet, so there the pages are not looked at.
 * If others committed twice since the transaction began, the pages are those of the newest commit.
 * Returns 0 when it came to the end, whatever it found. `report`, `options` and `found` may be NULL; `context` goes to
 * all three callbacks.
 * Errors: STOPPED (a callback answered anything but 0), MEMORY, IO.
 */
XYLEM_API int xylem_verify(struct xylem_verify_report *report, struct xylem_txn *txn,
                           const struct xylem_verify_options *options,
                           int (*found)(void *context, const struct xylem_problem *problem), void *context,
                           struct xylem_error *err);

/* What a repair saved, and what it could not save. */
struct xylem_repair_report {
    uint64_t session_count; /* in the new store; those that a repair had to make included */
    uint64_t branch_count;
    uint64_t entry_count;         /* saved: placeholders are not counted */
    uint64_t lost_entry_count;    /* known to have been there, and not saved */
    uint64_t damaged_entry_count; /* of those saved, entries that lost their payload, their line or their kind's name */
    uint64_t placeholder_count;   /* entries that stand for lost ones */
    uint64_t changed_entry_count; /* entries saved whose check is another one, as their history is */
    uint64_t lost_row_count;      /* of other tables: sessions, kinds, navigations, imports, quarantine */
    uint64_t bad_page_count;      /* of the damaged file */
    uint64_t quarantined_bytes;   /* raw bytes of what was not saved */
    uint64_t older_count;         /* rows saved from an older copy: they may be out of date */
    uint64_t withheld_count;      /* rows that may have been redacted or deleted since: without text, or deleted */
    bool complete;                /* nothing of the above was lost or changed: the new store has the whole history */
};

struct xylem_repair_options {
    /*
     * Take older copies as they are: also payloads that may have been redacted since, and sessions that may have been
     * deleted since.
     */
    bool older;
};

/*
 * Copies everything that verifies from the damaged store in the directory `from` into a new store in the directory `to`,
 * which must not exist or be empty, and makes its indexes anew. The damaged store is read as a file, without LMDB, and
 * is never written to. Entries keep their ids, kinds, times and payloads, and, as long as nothing before them on their
 * path was lost, their checks. Where entries are lost in the middle of a path, what follows is kept, and one entry of the
 * kind `xylem_lost` stands in their place, whose payload says how many they were. An entry whose payload is lost is kept
 * as if it were redacted, with a reason that says so: its hash is still there, so the history still verifies. A session
 * whose row is lost is called `recovered-` and a number. Raw bytes that may hold a part of what is lost go to the
 * quarantine of the session, or of one called `recovered-lost`. Positions, lsns and numbers of sessions may be others;
 * the store's uuid is.
 * What xylem_gc() left of a session becomes a deleted one called `recovered-freed-` and its number, so that the next
 * xylem_gc() leaves the same of it. What was freed may come back in a deleted session, where nothing tells any more that
 * it was. Owners of sessions are left behind: the new store has none.
 * Where a page in use is lost, an older copy of its rows may be left in the file. The store tells of its redactions and
 * deletions, and which entries there were then. In a store without any, older copies are taken. In other stores an entry
 * that may have been redacted since comes without payload and line, bytes in quarantine and torn lines stay out, and a
 * session that may have been deleted since is a deleted session (xylem_session_undelete()), unless `options->older` asks
 * for older copies as they are. Where the store cannot tell, everything may have been redacted and deleted. Each older row
 * is a problem. `options` may be NULL. `found` (may be NULL) gets each problem: positions are those in the damaged store. The
 * new store is verified before it is there; after an error there is nothing at `to`. `report` may be NULL. Any thread.
 * Errors: NOT_FOUND and NOT_A_STORE (`from`), EXISTS (`to` has something in it), BUSY (somebody writes to the damaged
 * store, or replaces it), TOO_NEW (the damaged store has a format or a feature that this library does not know), CORRUPT
 * (nothing can be saved, or the new store does not verify), STOPPED (`found` answered anything but 0), ARGUMENT, IO,
 * NO_SPACE, MAP_FULL, MEMORY.
 */
XYLEM_API int xylem_repair(struct xylem_repair_report *report, const char *from, const char *to,
                           const struct xylem_repair_options *options,
                           int (*found)(void *context, const struct xylem_problem *problem), void *context,
                           struct xylem_error *err);

/* A process with the store open. The view lives until the callback returns. */
struct xylem_holder {
    int64_t pid;
    struct xylem_view program; /* the name, cut to 15 bytes by the system; empty: not known */
    int64_t started_ms;        /* start of the process, not of its use of the store; 0: not known */
    bool known;                /* false: another user's process; only a lock can be seen */
    bool writes;               /* the store is open for writing */
    bool reads;                /* a read transaction is open */
    uint64_t commits_behind;   /* commits since the oldest read transaction of the process began */
};

/*
 * Calls `found` for each process with the store open, by ascending number, this process included. Reads /proc, so
 * processes in other namespaces are not found. Errors: STOPPED (`found` answered anything but 0), ARGUMENT, FORKED, IO,
 * MEMORY.
 */
XYLEM_API int xylem_holders(struct xylem_txn *txn, int (*found)(void *context, const struct xylem_holder *holder),
                            void *context, struct xylem_error *err);

struct xylem_stat {
    uint32_t format_version;
    uint64_t features;
    unsigned char uuid[16];
    uint64_t file_bytes; /* of data.mdb, as far as it is in use or was */
    uint64_t map_bytes;
    uint64_t page_bytes;
    uint64_t free_bytes; /* of pages that can be reused */
    uint32_t readers;
    uint32_t readers_max;
    /* The oldest read transaction that is behind this one: pages that were freed since it began cannot be used again. */
    int64_t oldest_reader_pid;           /* 0: none is behind */
    uint64_t oldest_reader_commit_count; /* commits that it does not see, and this one does */
    uint64_t oldest_reader_bytes;        /* of `free_bytes`: what has to wait until it ends */
    struct {
        const char *name;
        uint64_t rows;
        uint64_t bytes; /* of its pages */
        uint64_t depth;
    } tables[XYLEM_TABLE_COUNT];
    uint64_t session_count; /* but for freed ones */
    uint64_t live_count;
    uint64_t deleted_count;
    uint64_t importing_count;
    uint64_t freed_session_count; /* of which entries stay, as others share them */
    uint64_t freed_entry_count;   /* entries that were freed since the store was made */
    uint64_t branch_count;
    uint64_t entry_count;
    uint64_t kind_count;
    uint64_t payload_bytes;
    uint64_t line_bytes;  /* of kept lines */
    uint64_t links_bytes; /* of links and heads */
};

/*
 * Figures of the store. Reads every record's header, so it takes time in proportion to the entries. Errors: ARGUMENT
 * (LMDB shows its free pages in a read transaction only), CORRUPT, IO.
 */
XYLEM_API int xylem_stat_read(struct xylem_stat *stat, struct xylem_txn *txn, struct xylem_error *err);

#ifdef __cplusplus
}
#endif

#endif
