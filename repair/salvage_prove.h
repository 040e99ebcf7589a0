/* Does a row of a damaged file prove itself? */
#ifndef XYLEM_REPAIR_SALVAGE_PROVE_H
#define XYLEM_REPAIR_SALVAGE_PROVE_H

#include "repair/salvage.h"

/*
 * Sets ROW_PROVEN and what follows from the row, if it is one of `row->table`. `value` is what there is of a value of
 * `value_bytes`. The numbers of its key are set in any case.
 */
bool xylem_repair__salvage_prove(struct xylem_repair__salvaged *row, struct xylem_view key, struct xylem_view value,
                                 uint64_t value_bytes);

/* The same for whatever table it is a row of. */
bool xylem_repair__salvage_prove_any(struct xylem_repair__salvaged *row, struct xylem_view key, struct xylem_view value,
                                     uint64_t value_bytes);

/* Decodes the record of a proven row, as far as its value is there. The kind's name is not filled in. */
bool xylem_repair__salvage_record(struct xylem_entry *entry, struct xylem_position position, struct xylem_view value,
                                  uint64_t value_bytes);

#endif
