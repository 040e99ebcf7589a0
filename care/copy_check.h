/* Verifies a store before a copy, and the copy before the copy gets its name. */
#ifndef XYLEM_CARE_COPY_CHECK_H
#define XYLEM_CARE_COPY_CHECK_H

#include "xylem/inspect.h"

/* Verifies the transaction's snapshot. Errors: CORRUPT, with the first problem. */
int xylem_care__check_sound(struct xylem_verify_report *report, struct xylem_txn *txn, struct xylem_error *err);

/* Verifies an unused data file with this name in the directory. Errors: IO for a damaged copy of a sound store. */
int xylem_care__copy_check(struct xylem_verify_report *report, const char *directory, const char *name,
                           struct xylem_error *err);

#endif
