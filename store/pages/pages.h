/*
 * pages/ reads LMDB's file without LMDB: single pages, trees of pages, the free list. LMDB 0.9 does not check pages, so
 * the library checks each page before the library relies on the page.
 * pages/ writes nothing into data.mdb but a copy of another data.mdb, and does not know the meaning of rows.
 * Begin reading at page.h (one page), then reach.h (all pages of a snapshot) and tree_cursor.h (one row with its
 * checked path).
 * Other rooms may include: check.h copy.h file.h page.h reach.h store_files.h tree_cursor.h
 */
#ifndef XYLEM_PAGES_PAGES_H
#define XYLEM_PAGES_PAGES_H

#endif
