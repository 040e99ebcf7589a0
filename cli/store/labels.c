/* Reads the labels of a session, and finds a label by its target entry. */
#include "cli/store/store.h"
#include "xylem/branch.h"

#include <stdlib.h>

static int compare_labels(const void *a, const void *b)
{
    return xylem_base__view_order(((const struct xylem_label *)a)->target_id,
                                  ((const struct xylem_label *)b)->target_id);
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
    const struct xylem_label wanted = {.target_id = id};
    return labels->label_count == 0
               ? NULL
               : bsearch(&wanted, labels->labels, labels->label_count, sizeof wanted, compare_labels);
}

struct xylem_view xylem_cli__label_text(const struct xylem_labels *labels, struct xylem_view id)
{
    const struct xylem_label *label = xylem_cli__label_of(labels, id);
    return label ? label->text : (struct xylem_view){NULL, 0};
}
