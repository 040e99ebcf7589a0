/* Makes the file of a new store whole before the file gets its name, so that no crash leaves half a store. */
#ifndef XYLEM_LMDB_CREATION_H
#define XYLEM_LMDB_CREATION_H

#include "store/pages/store_files.h"
#include "xylem/store.h"

/*
 * Locks a file or directory by flock(2), and waits for others: 1, or 0 and errno without such locks. `deed` says what
 * the holder of the lock does, for the caller who waits and for the text: "makes the store". `path` is for the text.
 *
 * Errors: BUSY (not within the limit; the text names the holder), STOPPED (by `waiting` of the options).
 */
int xylem_lmdb__flock_within(int fd, int operation, uint64_t limit_ms, const struct xylem_open_options *options,
                             const char *deed, const char *path, struct xylem_error *err);

/*
 * Makes an empty store in data.mdb of a directory, if data.mdb is missing or empty. A file with content stays as it is.
 *
 *     1. lock the directory: creators wait for each other
 *     2. remove xylem.new, which a dead creator may have left
 *     3. make the store in xylem.new/data.mdb
 *     4. link (or rename) the file to data.mdb
 *     5. remove xylem.new
 *
 * Errors: EXISTS (something else is called xylem.new), and the errors of xylem_pages__file_look().
 */
int xylem_lmdb__create(const struct xylem_pages__directory *directory, const struct xylem_open_options *options,
                       struct xylem_error *err);

#endif
