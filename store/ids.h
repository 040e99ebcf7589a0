/* Ids of many entries that are written together. */
#ifndef XYLEM_STORE_IDS_H
#define XYLEM_STORE_IDS_H

#include "store/store.h"

/* Notes the id of an entry, by its hash. */
int xylem_store__new_id_add(struct xylem_store__new_ids *ids, uint64_t hash, struct xylem_position position,
                            struct xylem_error *err);

#endif
