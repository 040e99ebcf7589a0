/* Holds the labels of a session, with a hash table by target. */
#ifndef XYLEM_BRANCH_LABELS_H
#define XYLEM_BRANCH_LABELS_H

#include "xylem/branch.h"

/* Open addressing, half empty; slots hold an index of `labels` plus one. */
struct xylem_branch__labels {
    struct xylem_labels labels; /* removed labels included, with an empty text */
    size_t label_capacity;
    size_t *slots;
    size_t slot_count; /* 0, or a power of two */
};

/* Reads the labels from the session's entries. Release the table after errors too. Errors: as xylem_labels_read(). */
int xylem_branch__labels_read(struct xylem_branch__labels *table, struct xylem_txn *txn, uint64_t session,
                              struct xylem_error *err);
/* The label of the session's last `label` entry for the target; NULL if no entry names the target. */
const struct xylem_label *xylem_branch__labels_find(const struct xylem_branch__labels *table, struct xylem_view target);
void xylem_branch__labels_release(struct xylem_branch__labels *table);

/* Returns the text of a string, or the empty text for null and for an absent value. False for any other value. */
bool xylem_branch__text_of(struct xylem_view *text, const struct xylem_value *value);
/*
 * Returns the session's name from the payload of a `session_info` entry (data NULL: the entry removes the name). False
 * if the payload does not mention the name. The view lies in the payload.
 */
bool xylem_branch__name_of(struct xylem_view *name, const struct xylem_value *payload);

#endif
