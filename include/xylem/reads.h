/* xylem: was a file read before a tool writes the file? The rules of xylem.h hold for every call. */
#ifndef XYLEM_READS_H
#define XYLEM_READS_H

#include "state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Reads of files ----------------------------------------------------------------------------------------------- */

/*
 * Read before write: a tool may change a file only if the model has seen the file as it is now. A host notes each file
 * that a tool read or wrote, and asks before `edit` and `write`:
 *
 *     read f done          xylem_path_key, xylem_path_real, xylem_fingerprint_file, xylem_reads_note (..._BY_READ)
 *     edit or write f?     the key as above, xylem_reads_check_file: pass, or block with a message for the model
 *     edit or write done   as after a read, with ..._BY_EDIT or ..._BY_WRITE
 *     end of the turn      xylem_reads_drain: the data of one entry of the kind `custom:file-reads`
 *     start, moved leaf    xylem_reads_load: the table of the path
 *
 * So the reads survive a restart and follow the branch: a fork has the reads of its path, and a navigation to an entry
 * before a read forgets the read. docs/reads.md describes the entry.
 */

/*
 * Sets `key` to the absolute path that the tools of pi open for `input`, the path as the model gave it. The rules, in
 * order:
 * 1. U+00A0, U+2000 to U+200A, U+202F, U+205F and U+3000 become a space; a lone surrogate becomes U+FFFD
 * 2. one leading `@` goes
 * 3. `~` and a leading `~/` become `home`
 * 4. otherwise a leading `file://` is a URL: the host is empty or `localhost`; `?` and `#` end the path, `\` counts as
 *    `/`, tabs and line ends go, `.` and `..` are removed, then `%XX` is decoded
 * 5. a relative path begins at `cwd`
 * 6. `.`, `..` and doubled or trailing slashes are removed by the text alone: `link/../f` is `f`
 *
 * Rule 6 follows the tools, not the file system: the guard must look at the file that the tool writes. The call asks
 * no file system: xylem_path_real() comes next. The key of a key is the same key, unless the key has a space of rule 1,
 * from `cwd`, `home` or a URL. `cwd` and `home` end in NUL. `key` is emptied first, and is empty after an error. Any
 * thread.
 *
 * Errors:
 * - MALFORMED: a NUL; a URL with another host, with `%2F`, a broken `%XX`, decoded bytes that are no UTF-8, or a drive
 *   letter; `~` without a `home`
 * - LIMIT: the path has more than XYLEM_PATH_BYTES_MAX bytes
 * - ARGUMENT: `cwd` is not absolute
 * - MEMORY
 */
XYLEM_API int xylem_path_key(struct xylem_buffer *key, struct xylem_view input, const char *cwd, const char *home,
                             struct xylem_error *err);

/*
 * Sets `key` to the path without symbolic links: realpath(3) of `absolute`. If there is no file, the nearest directory
 * that exists is resolved, and the rest is added: a new file behind a linked directory has one key. A symbolic link to
 * a missing file leads to the missing file, where a tool would make the file. `absolute` and `key->data` are different
 * memory. `key` is emptied first, and is empty after an error. Any thread; the call waits for the file system.
 *
 * Errors:
 * - LIMIT: the path is longer than the system allows
 * - IO: more symbolic links than the system allows, or a path through a missing directory and `..`
 * - ARGUMENT: `absolute` is not absolute
 * - MEMORY
 */
XYLEM_API int xylem_path_real(struct xylem_buffer *key, const char *absolute, struct xylem_error *err);

/* --- Fingerprints ------------------------------------------------------------------------------------------------- */

/* The content of a file. Plain data, without owned memory: copy the struct as you like. */
struct xylem_fingerprint {
    char hash[XYLEM_FILE_HASH_BYTES_MAX + 1]; /* `xxh3-128:` and 32 hex digits; of a host: `sha256:`, ... */
    uint64_t bytes;                           /* of the file */
    /* Of a file of this machine, for the library alone; zeros of any other file. Never kept in an entry. */
    struct {
        uint64_t device;
        uint64_t inode;
        int64_t modified_ns;
        int64_t changed_ns;
        int64_t looked_ns; /* the time of the stat(2) before the file was read */
    } stamp;
};

/*
 * Reads a file and hashes all of it (XXH3-128), in pieces of fixed memory. A file that changes meanwhile is read again,
 * three times in all. The text of an error does not name the file. Any thread; the time grows with the file.
 *
 * Errors:
 * - NOT_FOUND: there is no file at `path`
 * - BUSY: the file changed each time
 * - IO: the text of the system, or the file is a directory, a FIFO, a device or a socket; the call waits for none
 */
XYLEM_API int xylem_fingerprint_file(struct xylem_fingerprint *fingerprint, const char *path, struct xylem_error *err);

/*
 * The file as it is now, with as little work as a check needs. `known` is the answer of xylem_reads_known(); with NULL
 * the file is opened and not read, and `hash` is empty. If the stamp of `known` fits the file, the call gives `known`,
 * and does not read the file. A stamp fits if device, inode, size and both times are equal, and if the file was at
 * least 2 s old when it was hashed: a younger file may change without another time. Otherwise the call is
 * xylem_fingerprint_file().
 *
 * Any thread.
 *
 * Errors:
 * - NOT_FOUND, BUSY, IO: as of xylem_fingerprint_file()
 */
XYLEM_API int xylem_fingerprint_look(struct xylem_fingerprint *fingerprint, const char *path,
                                     const struct xylem_fingerprint *known, struct xylem_error *err);

/* --- The table ---------------------------------------------------------------------------------------------------- */

/*
 * The noted files of one session: at most XYLEM_READS_FILES_MAX files, and XYLEM_READS_BYTES_MAX bytes of keys and
 * hashes. The least recently used files go first; noting a file and a passed check use the file. One thread at a time
 * uses a table. A table needs no store.
 */
struct xylem_reads;

enum xylem_read_by { XYLEM_READ_BY_READ = 0, XYLEM_READ_BY_EDIT, XYLEM_READ_BY_WRITE };

/* A noted file. The views live until the next call with the table. */
struct xylem_read_file {
    struct xylem_view key;
    struct xylem_view hash;
    uint64_t bytes;
    int64_t at_ms; /* when the file was noted */
    enum xylem_read_by by;
};

/*
 * An empty table.
 *
 * Errors:
 * - MEMORY
 */
XYLEM_API int xylem_reads_new(struct xylem_reads **reads, struct xylem_error *err);
XYLEM_API void xylem_reads_free(struct xylem_reads *reads);

/*
 * Makes the table anew from the entries `custom:file-reads` on the path of `from`: newest to oldest, the newest word on
 * a file counts. At most XYLEM_READS_ENTRIES_MAX entries are read, whatever the length of the path. Undrained notes are
 * lost. Entries of a wrong shape are skipped, each with a reason in `reduction`, and each counts as a read entry.
 * `reduction` may be NULL; otherwise release the reduction in any case. After an error the table is empty.
 *
 * Errors:
 * - NOT_FOUND: there is no entry at `from`
 * - CORRUPT, IO, MEMORY
 */
XYLEM_API int xylem_reads_load(struct xylem_reads *reads, struct xylem_txn *txn, struct xylem_position from,
                               struct xylem_reduction *reduction, struct xylem_error *err);

/*
 * xylem_reads_load() without a store: from the entries of a path that the host holds, as in xylem_rehydrate_from().
 * A table of a child session that is given the context of its parent: one held entry with the data of
 * xylem_reads_whole().
 *
 * Errors:
 * - ARGUMENT: of the answers of `next`, as in xylem_rehydrate_from()
 * - MEMORY
 * - any negative number of `next`
 */
XYLEM_API int xylem_reads_load_from(struct xylem_reads *reads,
                                    int (*next)(void *context, struct xylem_held_entry *entry), void *context,
                                    struct xylem_reduction *reduction, struct xylem_error *err);

/*
 * Notes that the model knows the file as `fingerprint`: a tool read or wrote the file. `key` comes from
 * xylem_path_real(), or is any text of the host, such as `ssh:HOST:/path`. `hash` of the fingerprint is any text of
 * the form `algorithm:hex`. After an error the table is unchanged.
 *
 * Errors:
 * - MALFORMED: `hash` is not of the form, or `key` is empty or has a NUL
 * - LIMIT: `key` has more than XYLEM_READS_KEY_BYTES_MAX bytes
 * - ARGUMENT: an unknown `by`, or a negative time
 * - MEMORY
 */
XYLEM_API int xylem_reads_note(struct xylem_reads *reads, struct xylem_view key,
                               const struct xylem_fingerprint *fingerprint, enum xylem_read_by by, int64_t at_ms,
                               struct xylem_error *err);

/*
 * Forgets a file, if noted. For a `read` that failed because there is no file: the model knows that the file is gone,
 * so a `write` makes a new file. Without this, a deleted file stays blocked.
 *
 * Errors:
 * - MEMORY
 */
XYLEM_API int xylem_reads_forget(struct xylem_reads *reads, struct xylem_view key, struct xylem_error *err);

/* True, and the noted fingerprint: for xylem_fingerprint_look(). False: the file is not noted. Uses no file. */
XYLEM_API bool xylem_reads_known(struct xylem_fingerprint *fingerprint, const struct xylem_reads *reads,
                                 struct xylem_view key);

/* True, and the file at `index`, from 0, the most recently used file first; false behind the last file. */
XYLEM_API bool xylem_reads_file(struct xylem_read_file *file, const struct xylem_reads *reads, size_t index);

/* --- The verdict -------------------------------------------------------------------------------------------------- */

enum xylem_write_tool { XYLEM_WRITE_TOOL_EDIT = 0, XYLEM_WRITE_TOOL_WRITE };

enum xylem_reads_why {
    XYLEM_READS_PASS = 0, /* the model knows the file; or there is no such file, and `write` makes the file */
    XYLEM_READS_UNREAD,   /* not noted, or evicted; or the file cannot be read */
    XYLEM_READS_CHANGED,  /* the file differs from the noted file */
    XYLEM_READS_DELETED   /* noted, and there is no such file */
};

/* Starts zeroed, and ends in xylem_reads_verdict_release(). */
struct xylem_reads_verdict {
    enum xylem_reads_why why;
    bool block;                  /* any `why` but XYLEM_READS_PASS */
    struct xylem_buffer message; /* for the model; empty for XYLEM_READS_PASS */
    int64_t noted_ms;            /* when the file was noted; 0: not noted */
};

/* The name of a verdict: `pass`, `unread`, `changed` or `deleted`. Static; any thread. */
XYLEM_API const char *xylem_reads_why_name(enum xylem_reads_why why);

/*
 * May the tool change the file? `code` and `now` are the answer of xylem_fingerprint_look(), or of a host that looked
 * at a file of another machine:
 *   0                    `now` is the file; an empty `hash` of a noted file counts as another hash
 *   XYLEM_E_NOT_FOUND    there is no file; `now` is not read
 *   any other code       the file cannot be read, for the reason `problem`; `now` is not read
 *
 * The messages, in the order of the first that fits:
 *   UNREAD    Blocked: PATH was not read in this session. Read it, then try again.
 *             With a problem: Blocked: PATH was not read in this session: PROBLEM.
 *   DELETED   Blocked: PATH was deleted after it was read.
 *   CHANGED   Blocked: PATH changed on disk after it was read. Read it again, then try again.
 *
 * PATH is `shown`, the path as the model gave it; an empty `shown` shows the key. Control characters, and bytes that
 * are not UTF-8, become \xNN in PATH; a PATH of more than 1,024 bytes loses its middle. `verdict` is filled anew; after
 * an error the verdict blocks.
 *
 * Errors:
 * - ARGUMENT: an unknown `tool`, or code 0 without `now`
 * - MEMORY
 */
XYLEM_API int xylem_reads_check(struct xylem_reads_verdict *verdict, struct xylem_reads *reads, struct xylem_view key,
                                struct xylem_view shown, enum xylem_write_tool tool, int code,
                                const struct xylem_fingerprint *now, struct xylem_view problem,
                                struct xylem_error *err);

/*
 * xylem_reads_check() for a file of this machine, looked at in the thread of the caller: xylem_reads_known(),
 * xylem_fingerprint_look(), xylem_reads_check().
 *
 * Errors:
 * - ARGUMENT, MEMORY
 */
XYLEM_API int xylem_reads_check_file(struct xylem_reads_verdict *verdict, struct xylem_reads *reads,
                                     struct xylem_view key, struct xylem_view shown, enum xylem_write_tool tool,
                                     struct xylem_error *err);

/*
 * Looks at the file of a call of `edit` or `write` (in upper or lower case), as xylem_reads_check_file() does. The file
 * is in `path`, or `file_path`, of `input`, a JSON object from the model. A relative path begins at `cwd`, an absolute
 * path; with NULL a path must begin with a slash. `home` is for `~`; NULL: not known. Gives 1 if the file was looked
 * at. Gives 0 if not: a call of another tool passes, and a call without a sound path is blocked as UNREAD, with the
 * message
 *
 *     Blocked: the path of the tool call cannot be used.
 *     PROBLEM
 *
 * For `struct xylem_gate_file` of xylem/gate.h: `pass` is !block, `reason` is the message, and `verdict` is
 * xylem_reads_why_name() after 1, else NULL. `verdict` is filled anew; after an error the verdict blocks. The call
 * waits for the file system.
 *
 * Errors:
 * - ARGUMENT: no table, or a `cwd` that is not absolute
 * - MEMORY
 */
XYLEM_API int xylem_reads_check_call(struct xylem_reads_verdict *verdict, struct xylem_reads *reads,
                                     struct xylem_view tool, struct xylem_view input, const char *cwd, const char *home,
                                     struct xylem_error *err);
XYLEM_API void xylem_reads_verdict_release(struct xylem_reads_verdict *verdict);

/* --- The entry ---------------------------------------------------------------------------------------------------- */

/*
 * 1, and appends the data of an entry `custom:file-reads` with everything since the last drain; 0 if there is nothing.
 * The host appends the entry at the end of the turn. Every 32nd entry of a path has the whole table. A key that is not
 * UTF-8 is not in the data: the file must be read again after a restart. After an error the buffer is unchanged, and
 * nothing is drained.
 *
 * Errors:
 * - MEMORY
 */
XYLEM_API int xylem_reads_drain(struct xylem_buffer *data, struct xylem_reads *reads, struct xylem_error *err);

/*
 * Appends the whole table in the same form, and drains nothing. After an error the buffer is unchanged.
 *
 * Errors:
 * - MEMORY
 */
XYLEM_API int xylem_reads_whole(struct xylem_buffer *data, const struct xylem_reads *reads, struct xylem_error *err);

/* --- The last writer ---------------------------------------------------------------------------------------------- */

/* Another session that wrote a file. `id` lives as long as a view of the transaction. */
struct xylem_last_writer {
    uint64_t session;
    struct xylem_view id;
    int64_t at_ms;
    enum xylem_read_by by; /* edit or write */
};

/*
 * 1, and the newest `edit` or `write` of the file by another live session of the same directory and namespace, at
 * `since_ms` or later; 0 if the store knows none. `since_ms` is `noted_ms` of a verdict CHANGED. Of the sessions the
 * XYLEM_READS_SESSIONS_MAX that were written last are asked, each for its newest XYLEM_READS_ENTRIES_MAX entries, and
 * the row of every session is read: ask for a block alone. An entry that sessions share counts for its owner.
 *
 * Errors:
 * - NOT_FOUND: of `session`
 * - CORRUPT, IO, MEMORY
 */
XYLEM_API int xylem_reads_last_writer(struct xylem_last_writer *writer, struct xylem_txn *txn, uint64_t session,
                                      struct xylem_view key, int64_t since_ms, struct xylem_error *err);

/*
 * Appends ` It was last written by session ID, N min ago.` to a message. Below 1 min: `less than 1 min ago`; from 2 h:
 * `N h ago`; from 2 days: `N days ago`. After an error the message is unchanged. Any thread.
 *
 * Errors:
 * - MEMORY
 */
XYLEM_API int xylem_reads_add_writer(struct xylem_buffer *message, const struct xylem_last_writer *writer,
                                     int64_t now_ms, struct xylem_error *err);

#ifdef __cplusplus
}
#endif

#endif
