/* Shared parts of visitors: entries without usable data. */
#ifndef XYLEM_REPLAY_VISIT_H
#define XYLEM_REPLAY_VISIT_H

#include "xylem/state.h"

/* True for a redacted entry, and for the data that an export writes in the place of redacted data. */
bool xylem_replay__is_redacted(const struct xylem_visit *visit);

/* NULL if the data of the visited entry is a map, else the reason of a skip. */
const char *xylem_replay__data_problem(const struct xylem_visit *visit);

/* The same for data with the member `version`: the one version is 1. */
const char *xylem_replay__versioned_problem(const struct xylem_visit *visit, const struct xylem_value *version);

/*
 * Finds the last member with each of the keys: `values` gets a value or NULL for each, all NULL if the data is no map.
 * One pass over the map, where xylem_base__value_get() is one for each key.
 */
void xylem_replay__members(const struct xylem_value **values, const struct xylem_visit *visit,
                           const struct xylem_view *keys, size_t count);

/* Sets the reason, and returns XYLEM_VISIT_SKIP. `reason` is static. */
int xylem_replay__skip(struct xylem_visit *visit, const char *reason);

#endif
