/* What the parts of xylem_verify() share. */
#ifndef XYLEM_STORE_VERIFY_H
#define XYLEM_STORE_VERIFY_H

#include "store/tables.h"

struct xylem_store__verify {
    struct xylem_txn *txn;
    struct xylem_verify_report *report;
    int (*found)(void *context, const struct xylem_problem *problem);
    void *context;
    struct xylem_error *err;
    struct {
        uint64_t *numbers;
        size_t count;
        size_t capacity;
    } chained; /* every branch that a session's chain leads to; sorted once all chains were walked */
};

/* Where a problem is: all but the table may be zero. */
struct xylem_store__place {
    enum xylem_store__table table;
    uint64_t session;
    struct xylem_position position;
    struct xylem_view entry_id;
};

/* Reports a problem: 0, or STOPPED if the caller has had enough. */
__attribute__((format(printf, 3, 4))) int xylem_store__problem(struct xylem_store__verify *verify,
                                                               const struct xylem_store__place *place,
                                                               const char *format, ...);

/*
 * What to do with the result of a call that reads: 0 for 0 or more; a problem for what says that the store is damaged
 * or that something in it is not there; and the code itself for the rest, which has nothing to do with the store.
 */
int xylem_store__problem_if(struct xylem_store__verify *verify, const struct xylem_store__place *place, int code,
                            const struct xylem_error *reason);

/* Visits every row of a table. `visit` gets the row with its sum, if the table has sums, verified and cut off. */
typedef int xylem_store__visit_row(struct xylem_store__verify *verify, struct xylem_view key, struct xylem_view row);
int xylem_store__verify_rows(struct xylem_store__verify *verify, enum xylem_store__table table,
                             xylem_store__visit_row *visit);

/* The log: every record, along every branch. */
int xylem_store__verify_log(struct xylem_store__verify *verify);

#endif
