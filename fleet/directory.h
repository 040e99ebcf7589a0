/*
 * An archive: an engine over a directory, or over a bucket that is mounted as one. An archive has no fence, so nobody can
 * own a session there: ROW, READ and LIST are answered, all that write are REFUSED. An archiver (archive.h) copies what
 * another engine acknowledged, file by file. Rows have no head, bytes or silence.
 *
 *     DIRECTORY/xylem-fleet                        the marker, with the id of the archive
 *     DIRECTORY/sessions/6162/row                  the row of the session `ab`
 *     DIRECTORY/sessions/6162/0000000000000001     its segment from ordinal 1 on, in hex
 *     DIRECTORY/sessions/6162/0000000000000000     the remains of a freed session
 *     DIRECTORY/sessions/6162...7a+/7b7c/row       an id of more than 100 bytes goes on in a directory below
 *
 * Ids are in hex: no name comes from a stranger. object.h has the bytes of the files. A file is written beside under the
 * name `new`, synced, renamed, the directory synced, and the file read back and compared, because a bucket may lie. The
 * row is written last: what lies behind its `next` was interrupted, and comes again. A row that is missing is made of
 * the segments.
 *
 * One process at a time writes into an archive: the marker is locked. Mounts without locks are taken as well.
 */
#ifndef FLEET_DIRECTORY_H
#define FLEET_DIRECTORY_H

#include "fleet/object.h"

/*
 * Opens the archive. With `make` a directory that is missing or empty becomes an archive.
 *
 * Errors:
 * - NOT_FOUND: the directory is no archive
 * - CONFLICT: with `make`: the directory has other files
 * - MALFORMED, TOO_NEW, CORRUPT: of the marker
 * - NO_SPACE, IO, MEMORY
 */
int fleet_engine_directory(struct fleet_engine **engine, const char *directory, bool make, struct xylem_error *err);

/*
 * Writes a row or a segment in the place of what is there. The first write locks the archive.
 *
 * Errors:
 * - BUSY: another process writes into the archive
 * - OUTCOME_UNKNOWN: the file may be there, or not
 * - NO_SPACE, IO, MEMORY
 */
int fleet_directory_write(struct fleet_engine *engine, const struct fleet_object *object, struct xylem_error *err);
/* Removes all segments of a session, or all but its remains. BUSY, IO, MEMORY. */
int fleet_directory_clear(struct fleet_engine *engine, struct xylem_view session, bool all, struct xylem_error *err);

#endif
