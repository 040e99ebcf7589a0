/* A new store's file: whole before it has its name, so that no crash leaves half of one. */
#ifndef XYLEM_LMDB_CREATION_H
#define XYLEM_LMDB_CREATION_H

#include "pages/store_files.h"

/*
 * Makes an empty store in the file data.mdb of a directory, where there is none or an empty file; a file with content is left
 * alone. The store is made in the directory xylem.new below, which is removed again, like the remains of a creation that
 * died. Creators wait for each other. Errors: EXISTS (no creation made what is called xylem.new), and those of
 * xylem_pages__file_look().
 */
int xylem_lmdb__create(const struct xylem_pages__directory *directory, const struct xylem_open_options *options,
                       struct xylem_error *err);

#endif
