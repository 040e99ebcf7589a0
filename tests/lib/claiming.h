/* The next action of a run, a step claimed at once. */
#ifndef XYLEM_TESTS_LIB_CLAIMING_H
#define XYLEM_TESTS_LIB_CLAIMING_H

#include "xylem/sequence.h"

#define TEXT_HASH "0123456789abcdef"

static inline int next_claimed(struct xylem_action *action, struct xylem_run *run,
                               const struct xylem_catalogue *catalogue, struct xylem_error *err)
{
    int code = xylem_run_next(action, run, catalogue, err);
    return code < 0 || action->type != XYLEM_ACTION_EXECUTE ? code
                                                            : xylem_run_claim(run, xylem_view_of(TEXT_HASH), err);
}

#endif
