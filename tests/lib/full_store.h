/*
 * A small store with a row of every kind: all tables; ids that were given and ids that were made, one id in two
 * sessions; forks, clones, navigations, several roots; a long kind, a record on pages of its own with payload and line;
 * a session that was imported, with a line that was displaced, lines in quarantine and a torn tail; one whose import
 * has not finished, a deleted one, an empty one whose owner died and one whose owner lives; what a garbage collection
 * leaves: a session that others share a part of, a branch with an end, freed lsns, floors; redacted entries, with their
 * hash and without, and a redacted line in quarantine.
 */
#ifndef XYLEM_TESTS_LIB_FULL_STORE_H
#define XYLEM_TESTS_LIB_FULL_STORE_H

#include "tests/lib/store_builder.h"

/* Fills the store that was just opened, and commits. A write transaction is open then, in which nothing was done. */
void full_store_fill(struct store_builder *builder);

/* Ends the life of the one owner that lives. */
void full_store_release(void);

/* Imports a session file of these bytes, in a transaction of its own. */
void full_store_import(struct store_builder *builder, const char *text);

#endif
