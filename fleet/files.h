/* The files and directories of an archive: names of hex, and writes that are read back. */
#ifndef FLEET_FILES_H
#define FLEET_FILES_H

#include "base/buffer.h"

#define FLEET_FILE_NEW "new" /* the name under which a file is written; left by an interrupted write */

/* Appends the bytes as hex digits. */
int fleet_hex_add(struct xylem_buffer *out, struct xylem_view bytes);
/* Appends the bytes of the hex digits. False: not an even number of hex digits in lower case, or no memory. */
bool fleet_hex_read(struct xylem_buffer *out, struct xylem_view digits);

/*
 * Reads a regular file whole; never follows a link, never waits for a pipe.
 *
 * Errors:
 * - NOT_FOUND: there is no such file
 * - MALFORMED: no regular file
 * - LIMIT: more than `bytes_max`
 * - IO, MEMORY
 */
int fleet_file_read(struct xylem_buffer *out, const char *path, size_t bytes_max, struct xylem_error *err);
/*
 * Writes a file in the place of what is there: beside, synced, renamed, the directory synced, read back and compared.
 * `renamed` is true with an error that came behind the rename: the file may be there, or not.
 *
 * Errors:
 * - NO_SPACE, MEMORY
 * - IO: also if the file reads back differently
 */
int fleet_file_write(bool *renamed, const char *directory, const char *name, struct xylem_view bytes,
                     struct xylem_error *err);
/* Removes a file, if it is there. */
int fleet_file_remove(const char *directory, const char *name, struct xylem_error *err);
/* Makes the directory and those above it, behind the first `root_bytes` bytes of the path; syncs what was made. */
int fleet_directory_make(const char *path, size_t root_bytes, struct xylem_error *err);

/* Calls for each name of a directory, in no order. A missing directory has none. Ends with the first negative code. */
int fleet_directory_each(const char *path, int (*each)(void *context, const char *name), void *context,
                         struct xylem_error *err);

#endif
