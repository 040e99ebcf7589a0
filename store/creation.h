/* A new store's file: whole before it has its name, so that no crash leaves half of one. */
#ifndef XYLEM_STORE_CREATION_H
#define XYLEM_STORE_CREATION_H

#include "xylem.h"

/*
 * Makes an empty store in the file `data_path` of the directory `store_path`, where there is none or an empty file; one
 * that has something in it is left alone. It is made in a directory below, which is removed again, also what a creation
 * that died left of it; who creates at the same time waits.
 */
int xylem_store__create(const char *store_path, const char *data_path, const struct xylem_open_options *options,
                        struct xylem_error *err);

#endif
