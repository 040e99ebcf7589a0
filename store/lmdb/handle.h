/* Declares handles of a store, without LMDB's types. */
#ifndef XYLEM_LMDB_HANDLE_H
#define XYLEM_LMDB_HANDLE_H

#include <sys/stat.h>

#include "xylem/store.h"

/*
 * Opens a data file of any name for reading, without locks, while nobody else uses the file: a store that is held
 * exclusively, or a copy. `path` is the directory of the file. Close the handle with xylem_close().
 */
int xylem_lmdb__open_alone(struct xylem_store **store, const char *path, const char *name, struct xylem_error *err);

/* True if this process has the store of a data file open. */
bool xylem_lmdb__is_open(const struct stat *file);

/* Returns a warning if other users can read or write the store, else NULL. The caller frees the text. */
int xylem_lmdb__access_look(char **warning, const char *path, struct xylem_error *err);

/* FORKED if the handle was opened before fork(2). */
int xylem_lmdb__check_forked(const struct xylem_store *store, struct xylem_error *err);

/* True if this thread has a write transaction of the store open. */
bool xylem_lmdb__writes_here(const struct xylem_store *store);

/* The absolute path of the store. */
const char *xylem_lmdb__handle_path(const struct xylem_store *store);

#endif
