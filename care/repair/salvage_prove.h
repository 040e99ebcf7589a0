/* Checks a row of a damaged file: the sum, the key and the fields must agree. */
#ifndef XYLEM_REPAIR_SALVAGE_PROVE_H
#define XYLEM_REPAIR_SALVAGE_PROVE_H

#include "care/repair/salvage.h"

/*
 * If key and value are a row of `row->table`, sets ROW_PROVEN, the other flags and the numbers of salvage.h. Sets the
 * numbers of the key in any case. `value` may be cut; `value_bytes` is the stated length. XYLEM_FORMAT__TABLE_COUNT
 * stands for any table, and becomes the table of a proven row.
 */
bool xylem_repair__salvage_prove(struct xylem_repair__salvaged *row, struct xylem_view key, struct xylem_view value,
                                 uint64_t value_bytes);

/* Decodes the record of a proven row. A cut value gives a cut payload. The kind's name is not filled in. */
bool xylem_repair__salvage_record(struct xylem_entry *entry, struct xylem_position position, struct xylem_view value,
                                  uint64_t value_bytes);

#endif
