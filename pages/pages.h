/*
 * pages/ reads LMDB's file without LMDB: single pages, the trees that they form, the free list. LMDB 0.9 neither
 * checks nor proves a page, so the library proves the pages that it is about to trust.
 * It writes nothing, and does not know what the rows of a table mean.
 * Begin reading at page.h (one page), then reach.h (all pages of a snapshot) and tree_cursor.h (one row with its
 * proof).
 * Other rooms may include: check.h file.h page.h reach.h store_files.h tree_cursor.h
 */
#ifndef XYLEM_PAGES_PAGES_H
#define XYLEM_PAGES_PAGES_H

#endif
