#include "tests/lib/verified.h"

#include <inttypes.h>

#include "tests/lib/changes.h"
#include "tests/lib/test.h"
#include "xylem/inspect.h"

static int print_problem(void *context, const struct xylem_problem *problem)
{
    (void)context;
    print_error("verify: %s: %.*s (%" PRIu64 ", %" PRIu64 "): %s\n", problem->table, (int)problem->entry_id.bytes,
                problem->entry_id.data ? problem->entry_id.data : "", problem->position.branch, problem->position.depth,
                problem->text);
    return 0;
}

void assert_verified(struct xylem_txn *txn)
{
    struct xylem_verify_report report = {0};
    struct xylem_error err = {0};
    if (xylem_verify(&report, txn, NULL, print_problem, NULL, &err) < 0) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(report.problem_count, 0);
}

void assert_changes_agree(struct xylem_txn *txn)
{
    struct changes changes;
    if (!changes_agree(&changes, txn, false)) {
        fail_msg("%s", changes.problem);
    }
}
