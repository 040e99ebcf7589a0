/*
 * search/ finds the entries of a store whose text matches a pattern, in one pass over the log.
 * search/ does not know how patterns match (match/), and prints nothing.
 * Begin reading at search.c (the call and its threads), then reader.c (the pass of a thread over a part of the log),
 * sieve.h (payloads that cannot match are not decoded), words.h (the searched strings of a payload) and scope.h (which
 * entries are searched, and for which session).
 * Other rooms may include: words.h
 */
#ifndef XYLEM_SEARCH_SEARCH_H
#define XYLEM_SEARCH_SEARCH_H

#endif
