/* Proving a store sound before it is copied, and the copy before it is named. */
#ifndef XYLEM_CARE_COPY_CHECK_H
#define XYLEM_CARE_COPY_CHECK_H

#include "xylem.h"

/* Reads all that the transaction sees: CORRUPT, with the first problem, if there is any. */
int xylem_care__check_sound(struct xylem_verify_report *report, struct xylem_txn *txn, struct xylem_error *err);

/* The same for a data file by itself, a copy that nobody uses yet, of that name in the directory. */
int xylem_care__copy_check(struct xylem_verify_report *report, const char *directory, const char *name,
                           struct xylem_error *err);

#endif
