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

/* True, and the text, if the value is a string or says that there is none: then the text is empty. */
bool xylem_branch__text_of(struct xylem_view *text, const struct xylem_value *value);
/*
 * True, and the name that the payload of a `session_info` entry gives (data NULL: it takes the name away); false if it
 * says nothing of the name. The view is the payload's.
 */
bool xylem_branch__name_of(struct xylem_view *name, const struct xylem_value *payload);

#endif
