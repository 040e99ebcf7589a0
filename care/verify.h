/* What the parts of xylem_verify() share. */
#ifndef XYLEM_CARE_VERIFY_H
#define XYLEM_CARE_VERIFY_H

#include "base/numbers.h"
#include "lmdb/tables.h"

/* What problems were found in: what of a session is whole follows from it. */
struct xylem_care__damage {
    struct xylem_base__numbers sessions;  /* in any order, some of them twice */
    struct xylem_base__numbers inherited; /* branches that start at something damaged, ascending */
    struct xylem_position
        *positions; /* of a branch the first that is damaged; in any order, a branch may be there twice */
    size_t position_count;
    size_t position_capacity;
};

struct xylem_care__verify {
    struct xylem_txn *txn;
    struct xylem_verify_report *report;
    int (*found)(void *context, const struct xylem_problem *problem);
    void *context;
    struct xylem_error *err;
    struct xylem_base__numbers chained; /* branches that a session's chain leads to; sorted when all were walked */
    const struct xylem_verify_options *options;
    struct xylem_care__damage damage;
    bool may_be_freed;                /* the store says that something was freed */
    uint64_t remnant_count;           /* sessions in the state FREED */
    struct xylem_lmdb__floors floors; /* numbers up to these may be missing */
    uint64_t last_session;            /* the one that was visited last */
    uint64_t last_branch;
};

/* Where a problem is: all but the table may be zero. */
struct xylem_care__place {
    enum xylem_format__table table;
    uint64_t page;
    uint64_t session;
    struct xylem_view session_id; /* where its row cannot be read, and its id is known all the same */
    struct xylem_position position;
    struct xylem_view entry_id;
    bool in_no_table;
};

/* --- verify_report.c --- */

/* Reports a problem: 0, or STOPPED if the caller has had enough. */
__attribute__((format(printf, 3, 4))) int
xylem_care__problem(struct xylem_care__verify *verify, const struct xylem_care__place *place, const char *format, ...);

/*
 * What to do with the result of a call that reads: 0 for 0 or more; a problem for what says that the store is damaged
 * or that something in it is not there; and the code itself for the rest, which has nothing to do with the store.
 */
int xylem_care__problem_if(struct xylem_care__verify *verify, const struct xylem_care__place *place, int code,
                           const struct xylem_error *reason);

/* Tells the caller how far the verification is, after every few rows: 0, or STOPPED. */
int xylem_care__verify_progress(struct xylem_care__verify *verify);

/* --- The passes --- */

/* Visits every row of a table whose rows end in sums. `visit` gets the row with its sum verified and cut off. */
typedef int xylem_care__visit_row(struct xylem_care__verify *verify, struct xylem_view key, struct xylem_view row);
int xylem_care__verify_rows(struct xylem_care__verify *verify, enum xylem_format__table table,
                            xylem_care__visit_row *visit);

/* Every page, where the transaction has a snapshot; tables with damaged pages are shut. */
int xylem_care__verify_pages(struct xylem_care__verify *verify);

/* Notes where a problem is; and at the end, which sessions have one, by themselves or by what they share. */
int xylem_care__damage_note(struct xylem_care__verify *verify, const struct xylem_care__place *place);
int xylem_care__damage_report(struct xylem_care__verify *verify);
void xylem_care__damage_release(struct xylem_care__damage *damage);

/* The log: every record, along every branch. */
int xylem_care__verify_log(struct xylem_care__verify *verify);

#endif
