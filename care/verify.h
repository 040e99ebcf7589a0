/* Declares the shared parts of xylem_verify(). verify.c lists the passes. */
#ifndef XYLEM_CARE_VERIFY_H
#define XYLEM_CARE_VERIFY_H

#include "base/numbers.h"
#include "store/feed.h"
#include "store/lmdb/tables.h"
#include "xylem/inspect.h"

/* The places of the problems. verify_damage.c derives the damaged sessions. */
struct xylem_care__damage {
    struct xylem_base__numbers sessions;  /* damaged sessions, in any order, maybe twice */
    struct xylem_base__numbers inherited; /* branches that start at a damaged entry, ascending */
    struct xylem_position *positions;     /* damaged entries, in any order; before the report a branch may be twice */
    size_t position_count;
    size_t position_capacity;
};

/* What verify_history.c knows of a session that was not freed. */
struct xylem_care__noted {
    uint64_t number;             /* first, for the search */
    struct xylem_history stated; /* by the row of the session */
    struct xylem_history found;  /* in the feed so far */
    uint64_t damage;             /* of the history at `found`; `found` is unknown under another count */
};

/* How far the visits of the feed came. */
struct xylem_care__history {
    struct xylem_care__noted *sessions; /* by ascending number */
    size_t count;
    size_t capacity;
    uint64_t branch; /* of the last row of an append */
    uint64_t owner;  /* of the branch */
    uint64_t last_lsn;
    uint64_t store_chain;
    bool store_known;
    uint64_t damage; /* the number of damaged places so far: what was found before the last is not known */
};

struct xylem_care__verify {
    struct xylem_txn *txn;
    struct xylem_verify_report *report;
    int (*found)(void *context, const struct xylem_problem *problem);
    void *context;
    struct xylem_error *err;
    struct xylem_base__numbers stale; /* sessions whose place in the lists of outlines is stale */
    bool stale_known;
    struct xylem_base__numbers chained; /* branches in the chains of sessions; sorted after the pass over sessions */
    const struct xylem_verify_options *options;
    struct xylem_care__damage damage;
    struct xylem_care__history history;
    bool may_be_freed;      /* the store's features say that entries were freed */
    uint64_t remnant_count; /* sessions in the state FREED */
    uint64_t note_count;
    struct xylem_lmdb__floors floors; /* numbers up to the floors may be missing */
    uint64_t last_session;            /* the session that was visited last */
    uint64_t last_branch;
};

/* The place of a problem: all members but the table may be zero. */
struct xylem_care__place {
    enum xylem_format__table table;
    uint64_t page;
    uint64_t session;
    struct xylem_view session_id; /* where the session's row cannot be read, but the id is known */
    struct xylem_position position;
    struct xylem_view entry_id;
    bool in_no_table;
};

/* --- verify_report.c --- */

/* Reports a problem: 0, or STOPPED if the caller has had enough. */
__attribute__((format(printf, 3, 4))) int
xylem_care__problem(struct xylem_care__verify *verify, const struct xylem_care__place *place, const char *format, ...);

/*
 * Handles the result of a call that reads the store:
 *
 *   0 or more                       0
 *   MEMORY, IO, STOPPED, FORKED     the code: the error says nothing of the store
 *   any other error                 reports a problem with the error's text: 0, or STOPPED
 */
int xylem_care__problem_if(struct xylem_care__verify *verify, const struct xylem_care__place *place, int code,
                           const struct xylem_error *reason);

/* Reports progress to the caller after every few rows: 0, or STOPPED. */
int xylem_care__verify_progress(struct xylem_care__verify *verify);

/* --- The passes --- */

/* Visits a row of a table with sums. `row` comes without its sum. */
typedef int xylem_care__visit_row(struct xylem_care__verify *verify, struct xylem_view key, struct xylem_view row);

/* Checks every page of the transaction's snapshot, and shuts the tables with damaged pages. */
int xylem_care__verify_pages(struct xylem_care__verify *verify);

/* Notes the place of a problem. */
int xylem_care__damage_note(struct xylem_care__verify *verify, const struct xylem_care__place *place);
/* Counts and reports the damaged sessions: sessions with a problem, and sessions that share a damaged entry. */
int xylem_care__damage_report(struct xylem_care__verify *verify);
void xylem_care__damage_release(struct xylem_care__damage *damage);

/* Finds the stale outlines, and checks that all other sessions have one. Then each row of the table is visited. */
int xylem_care__find_stale(struct xylem_care__verify *verify);
xylem_care__visit_row xylem_care__visit_outline;

/* Takes the row of a session that was not freed, by ascending numbers; then each row of the feed; compares both. */
int xylem_care__history_note(struct xylem_care__verify *verify, const struct xylem_session *session);
int xylem_care__history_row(struct xylem_care__verify *verify, const struct xylem_store__feed *row);
int xylem_care__history_end(struct xylem_care__verify *verify);

/* Checks every record of the log along every branch, and the feed. */
int xylem_care__verify_log(struct xylem_care__verify *verify);

#endif
