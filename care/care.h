/*
 * care/ verifies, backs up and compacts a whole store: verify reads everything and names each problem, backup and
 * compact copy the store.
 * care/ never changes a row. repair/ saves the rows of a damaged store.
 * Begin reading at verify.c (the order in which a store is checked), then backup.c.
 * Other rooms may include: nothing; xylem.h has the calls.
 */
#ifndef XYLEM_CARE_CARE_H
#define XYLEM_CARE_CARE_H

#endif
