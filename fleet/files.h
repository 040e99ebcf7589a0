/* The files and directories of an archive: bounded reads, and writes that are read back. */
#ifndef FLEET_FILES_H
#define FLEET_FILES_H

#include "base/buffer.h"

#define FLEET_FILE_NEW "new" /* the name under which a file is written; left by an interrupted write */

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
 * Before, makes the directory and those above it, behind the first `root_bytes` bytes of the path.
 *
 * Errors:
 * - OUTCOME_UNKNOWN: behind the rename, so that the file may be there, or not; also if it reads back differently
 * - NO_SPACE, IO, MEMORY
 */
int fleet_file_write(const char *directory, size_t root_bytes, const char *name, struct xylem_view bytes,
                     struct xylem_error *err);

#endif
