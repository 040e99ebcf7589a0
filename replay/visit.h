/* Shared parts of visitors: entries without usable data. */
#ifndef XYLEM_REPLAY_VISIT_H
#define XYLEM_REPLAY_VISIT_H

#include "xylem/state.h"

/* True for a redacted entry, and for the data that an export writes in the place of redacted data. */
bool xylem_replay__is_redacted(const struct xylem_visit *visit);

/* NULL if the data of the visited entry is a map, else the reason of a skip. */
const char *xylem_replay__data_problem(const struct xylem_visit *visit);

/* The same for data with a version: the one version is 1. */
const char *xylem_replay__versioned_problem(const struct xylem_visit *visit);

/* Sets the reason, and returns XYLEM_VISIT_SKIP. `reason` is static. */
int xylem_replay__skip(struct xylem_visit *visit, const char *reason);

#endif
