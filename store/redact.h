/* A redaction under way. */
#ifndef XYLEM_STORE_REDACT_H
#define XYLEM_STORE_REDACT_H

#include "base/numbers.h"
#include "store/source.h"
#include "lmdb/tables.h"

/* The entries of a branch from a depth on: their checks are made anew. */
struct xylem_store__behind {
    uint64_t branch;
    uint64_t first_depth;
    uint64_t last_depth; /* 0: the branch has no entries any more */
};

struct xylem_store__redaction {
    struct xylem_txn *txn;
    struct xylem_redact_report *report;
    struct xylem_redact_options options;
    struct xylem_error *err;
    const struct xylem_store__matcher *matcher; /* NULL: one entry was named */
    const struct xylem_redact_matches_options *scope;
    struct xylem_base__numbers sessions; /* of the scope, ascending; none: the whole store */
    /* Of the entry that was named. */
    struct xylem_buffer id;
    struct xylem_buffer payload; /* as a line has it */
    struct xylem_buffer line;
    uint64_t payload_hash;
    bool dropped;
    /* What was found. */
    struct xylem_position *targets; /* the entries to redact, in the order of the log */
    size_t target_count;
    size_t target_capacity;
    struct xylem_store__behind *behind; /* by branch */
    size_t behind_count;
    size_t behind_capacity;
    struct xylem_buffer lines; /* keys of quarantined lines */
    struct xylem_buffer tails; /* keys of sources, each after its length (u32) */
    /* Memory that is used again. */
    struct xylem_base__tree tree;
    struct xylem_buffer record;
};

/* --- redact.c: shared by xylem_redact() and xylem_redact_matches() --- */

int xylem_store__redact_add(struct xylem_store__redaction *redaction, const struct xylem_entry *entry);
int xylem_store__redact_check_reason(const struct xylem_store__redaction *redaction);
int xylem_store__redact_find_sessions(struct xylem_store__redaction *redaction);
int xylem_store__redact_write(struct xylem_store__redaction *redaction);
void xylem_store__redact_release(struct xylem_store__redaction *redaction);

/* --- redact_record.c --- */

/* Rewrites the record of an entry without payload and line. `payload_hash`: another than it has drops its hash. */
int xylem_store__redact_record(struct xylem_store__redaction *redaction, const struct xylem_entry *entry,
                               uint64_t payload_hash, uint64_t check);
/* Rewrites the record of an entry with another check. */
int xylem_store__redact_recheck(struct xylem_store__redaction *redaction, const struct xylem_entry *entry,
                                uint64_t check);
/* The index of the first target at or behind a position; `target_count`: none. */
size_t xylem_store__redact_seek(const struct xylem_store__redaction *redaction, struct xylem_position position);
/* Is it one of the targets? */
bool xylem_store__redact_wanted(const struct xylem_store__redaction *redaction, struct xylem_position position);

/* --- redact_report.c --- */

/* 1 if a pattern matches the text, else 0. */
int xylem_store__redact_matches_text(const struct xylem_store__redaction *redaction, struct xylem_view text);
/* True if the session is searched. */
bool xylem_store__redact_in_scope(const struct xylem_store__redaction *redaction, uint64_t session);
/* Tells the caller of a match, with the session's id, and counts a match that stays: 0, or STOPPED. */
int xylem_store__redact_tell(struct xylem_store__redaction *redaction, const struct xylem_match *match);
/* Notes a session file that has the bytes still, once. */
int xylem_store__redact_source(struct xylem_store__redaction *redaction, struct xylem_view name);

/* --- redact_drop.c: hashes, and the checks that tell them --- */

/* Finds every entry whose check covers the hash of a target, and makes sure that these checks are right as they are. */
int xylem_store__redact_find_behind(struct xylem_store__redaction *redaction);
/* Redacts the targets, drops their hashes, and makes the checks behind them anew. */
int xylem_store__redact_drop(struct xylem_store__redaction *redaction);

/* --- redact_lines.c: what imports put away --- */

int xylem_store__redact_find_lines(struct xylem_store__redaction *redaction);
int xylem_store__redact_lines(struct xylem_store__redaction *redaction);

#endif
