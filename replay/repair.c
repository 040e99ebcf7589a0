/* xylem_repair() knows the kinds of all pieces: where a kind's name is lost, they are tried. */
#include "store/store.h"

int xylem_repair(struct xylem_repair_report *report, const char *from, const char *to,
                 const struct xylem_repair_options *options,
                 int (*found)(void *context, const struct xylem_problem *problem), void *context,
                 struct xylem_error *err)
{
    return xylem_store__repair(report, from, to, options, xylem_state_kinds, found, context, err);
}
