/* Reads the data of an entry `custom:file-reads`. */
#ifndef XYLEM_READS_SHAPE_H
#define XYLEM_READS_SHAPE_H

#include "xylem/reads.h"

/* The reason of a skip; else NULL: each file and each gone path of the data is sound. Static. */
const char *xylem_reads__entry_problem(const struct xylem_visit *visit);

/* The reason of a skip; else NULL, and a file of the list `files`. The views are borrowed from the data. */
const char *xylem_reads__read_file(struct xylem_read_file *file, const struct xylem_value *value);

#endif
