/* Reads and writes rows of the table `moves`. */
#ifndef XYLEM_STORE_MOVE_H
#define XYLEM_STORE_MOVE_H

#include "store/store.h"

/* Decodes a row without its sum. */
int xylem_store__move_decode(struct xylem_move *move, uint64_t number, struct xylem_view row, struct xylem_error *err);

#endif
