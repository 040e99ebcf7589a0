/* Reads the labels of a session, and finds a label by its target entry. */
#include "cli/store/store.h"
#include "xylem/branch.h"

#include <stdlib.h>

static int compare_labels(const void *a, const void *b)
{
    const struct xylem_label *left = a;
    const struct xylem_label *right = b;
    return xylem_cli__id_order(left->target_id, right->target_id);
}

static int compare_id(const void *id, const void *label)
{
    return xylem_cli__id_order(*(const struct xylem_view *)id, ((const struct xylem_label *)label)->target_id);
}

int xylem_cli__labels_read(struct xylem_cli *cli, struct xylem_labels *labels, uint64_t session)
{
    int code = xylem_labels_read(labels, cli->txn, session, &cli->err);
    if (code == 0 && labels->label_count > 0) {
        qsort(labels->labels, labels->label_count, sizeof *labels->labels, compare_labels);
    }
    return code;
}

const struct xylem_label *xylem_cli__label_of(const struct xylem_labels *labels, struct xylem_view id)
{
    if (labels->label_count == 0) {
        return NULL;
    }
    return bsearch(&id, labels->labels, labels->label_count, sizeof *labels->labels, compare_id);
}

struct xylem_view xylem_cli__label_text(const struct xylem_labels *labels, struct xylem_view id)
{
    const struct xylem_label *label = xylem_cli__label_of(labels, id);
    return label ? label->text : (struct xylem_view){NULL, 0};
}
