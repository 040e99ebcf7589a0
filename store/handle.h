/* Handles, without LMDB's types. */
#ifndef XYLEM_STORE_HANDLE_H
#define XYLEM_STORE_HANDLE_H

#include <sys/stat.h>

#include "xylem.h"

/*
 * A handle for reading a data file that nobody else has open, whatever its name, without locks: while a store is held
 * exclusively, and of copies. `path` is the directory that it lies in. Ends in xylem_close().
 */
int xylem_store__open_alone(struct xylem_store **store, const char *path, const char *name, struct xylem_error *err);

/* True if this process has the store in that data file open. */
bool xylem_store__is_open(const struct stat *file);

/* Finds out who but this user can read or write the store; NULL: nobody. The caller frees the text. */
int xylem_store__access_look(char **warning, const char *path, struct xylem_error *err);

/* FORKED if the handle was opened before fork(2). */
int xylem_store__check_forked(const struct xylem_store *store, struct xylem_error *err);

/* True if this thread has a write transaction of the store open. */
bool xylem_store__writes_here(const struct xylem_store *store);

/* The absolute path of the store. */
const char *xylem_store__handle_path(const struct xylem_store *store);

#endif
