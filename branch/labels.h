/* The labels of a session, and a table of them by their targets. */
#ifndef XYLEM_BRANCH_LABELS_H
#define XYLEM_BRANCH_LABELS_H

#include "xylem.h"

/* Open addressing, half empty; slots hold an index of `labels` plus one. */
struct xylem_branch__labels {
    struct xylem_labels labels; /* those that were removed included, with an empty text */
    size_t label_capacity;
    size_t *slots;
    size_t slot_count; /* 0, or a power of two */
};

/* Reads what the session's entries say. Release in any case. Errors: as xylem_labels_read. */
int xylem_branch__labels_read(struct xylem_branch__labels *table, struct xylem_txn *txn, uint64_t session,
                              struct xylem_error *err);
/* What the session's last `label` entry that names the target says; NULL if none names it. */
const struct xylem_label *xylem_branch__labels_find(const struct xylem_branch__labels *table, struct xylem_view target);
void xylem_branch__labels_release(struct xylem_branch__labels *table);

#endif
