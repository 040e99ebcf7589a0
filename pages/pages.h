/*
 * pages/ reads LMDB's file without LMDB: single pages, trees of pages, the free list. LMDB 0.9 neither checks nor
 * proves a page, so the library proves each page before the library trusts the page.
 * pages/ writes nothing into data.mdb, and does not know what the rows of a table mean.
 * Begin reading at page.h (one page), then reach.h (all pages of a snapshot) and tree_cursor.h (one row with its
 * proof).
 * Other rooms may include: check.h file.h page.h reach.h store_files.h tree_cursor.h
 */
#ifndef XYLEM_PAGES_PAGES_H
#define XYLEM_PAGES_PAGES_H

#endif
