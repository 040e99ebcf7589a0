/*
 * reads/ guards files against stale writes: the rules of paths, fingerprints of files, the table of noted files with
 * its entry, the verdict before a write, and the search for the last writer.
 * The room appends nothing: a host appends the data of the entry. The room never opens a file for writing.
 * Begin reading at path.c (a path becomes a key), then table.h and verdict.c.
 * Other rooms may include: nothing; xylem.h has the calls.
 */
#ifndef XYLEM_READS_READS_H
#define XYLEM_READS_READS_H

#endif
