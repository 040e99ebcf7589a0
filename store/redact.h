/*
 * Declares the steps of a redaction: first the targets, sessions, checks and lines are found, then everything is
 * written. redact.c begins with one named entry, redact_matches.c with a search.
 */
#ifndef XYLEM_STORE_REDACT_H
#define XYLEM_STORE_REDACT_H

#include "base/numbers.h"
#include "store/source.h"
#include "store/lmdb/tables.h"
#include "xylem/redact.h"

/*
 * The entries of a branch whose checks change: from a depth to the end. Between two pieces `above` is the check that
 * the entry before that depth had when the check of the first entry was made.
 */
struct xylem_store__behind {
    uint64_t branch;
    uint64_t first_depth;
    uint64_t above;
};

struct xylem_store__redaction {
    struct xylem_txn *txn;
    struct xylem_redact_report *report;
    struct xylem_redact_options options;
    struct xylem_error *err;
    const struct xylem_store__matcher *matcher; /* NULL for xylem_redact() */
    const struct xylem_redact_matches_options *scope;
    struct xylem_base__numbers sessions; /* the searched sessions, ascending; none: the whole store */
    /* The named entry of xylem_redact(). */
    struct xylem_buffer id;
    struct xylem_buffer payload; /* as text in a line of a session file */
    struct xylem_buffer line;
    uint64_t payload_hash;
    const struct xylem_store__taken *taken; /* by its owner, in the order of `targets`; NULL: of this store */
    /* Found. */
    struct xylem_position *targets; /* the entries to redact, in the order of the log */
    size_t target_count;
    size_t target_capacity;
    size_t target_next;                 /* targets before it are written */
    bool drops;                         /* a hash goes */
    struct xylem_store__behind *behind; /* by branch */
    size_t behind_next;                 /* branches before it are written */
    size_t behind_count;
    size_t behind_capacity;
    uint64_t last_branch;      /* greater branches were not looked at: they are newer */
    struct xylem_buffer lines; /* keys of quarantined lines, each after its length (u32) */
    struct xylem_buffer sides; /* the same, of rows beside entries */
    struct xylem_buffer tails; /* the same, of sources */
    struct xylem_buffer files; /* the same, of the sources whose hashes go */
    /* Memory to reuse. */
    struct xylem_base__tree tree;
    struct xylem_buffer record;
};

/* --- redact.c: for xylem_redact() and xylem_redact_matches() --- */

int xylem_store__redact_add(struct xylem_store__redaction *redaction, const struct xylem_entry *entry);
int xylem_store__redact_find_sessions(struct xylem_store__redaction *redaction);
/* Writes the redaction, unless `found`, the result of finding everything, is an error; then releases its memory. */
int xylem_store__redact_finish(struct xylem_store__redaction *redaction, int found);
/* Redacts entries until the piece is full: 1, or 0 after the last entry. */
int xylem_store__redact_entries(struct xylem_store__redaction *redaction, struct xylem_store__piece *piece);

/* --- redact_row.c --- */

/* Releases everything that the redaction found. */
void xylem_store__redact_release(struct xylem_store__redaction *redaction);
/* Takes what was found along, for xylem_redact_write(). NULL: no memory. */
struct xylem_store__redaction *xylem_store__redact_keep(struct xylem_store__redaction *redaction);
void xylem_store__redact_free(struct xylem_store__redaction *redaction);

/* The row `redacting`, of a redaction that has more to write. */
struct xylem_store__redacting {
    uint64_t id; /* apart from other redactions */
    struct xylem_view reason;
    uint64_t last_branch; /* 0: no hashes are dropped */
    struct xylem_view targets;
    struct xylem_view behind;
};

#define XYLEM_STORE__TARGET_BYTES 16u /* branch, depth */

/* 1, or 0 without the row. */
int xylem_store__redacting_read(struct xylem_store__redacting *read, struct xylem_txn *txn, struct xylem_error *err);
int xylem_store__redacting_write(const struct xylem_store__redaction *redaction, uint64_t id, struct xylem_error *err);
/* Takes the redaction of the row, without the branches behind. NULL: no memory. */
struct xylem_store__redaction *xylem_store__redacting_redaction(const struct xylem_store__redacting *row);
/* Takes the branches behind from the row, as the last piece left them; without the row (NULL) there are none yet. */
int xylem_store__redacting_behind(struct xylem_store__redaction *redaction, const struct xylem_store__redacting *row);

/* --- redact_report.c --- */

/* 1 if a pattern matches the text, else 0. */
int xylem_store__redact_matches_text(const struct xylem_store__redaction *redaction, struct xylem_view text);
/* 1 if the session follows another store: what it has stays, because its owner alone changes it. Else 0. */
int xylem_store__redact_follows(const struct xylem_store__redaction *redaction, uint64_t session);
/* 1 if a target may be written, or 0: its session follows another store since the search. */
int xylem_store__redact_may(const struct xylem_store__redaction *redaction, struct xylem_position target);
/* True if the session is searched. */
bool xylem_store__redact_in_scope(const struct xylem_store__redaction *redaction, uint64_t session);
/* Reports a match to the caller, with the id of the session, and counts a match that stays. Errors: STOPPED. */
int xylem_store__redact_tell(struct xylem_store__redaction *redaction, const struct xylem_match *match);
/* Adds a session file, which still has the redacted bytes, to the report. */
int xylem_store__redact_source(struct xylem_store__redaction *redaction, struct xylem_view name);

/* --- redact_drop.c: records, dropped hashes, and the checks that cover the hashes --- */

bool xylem_store__redact_is_target(const struct xylem_store__redaction *redaction, struct xylem_position position);
/* The reason for a target, or for a row that is redacted with a target. */
struct xylem_view xylem_store__redact_reason(const struct xylem_store__redaction *redaction,
                                             struct xylem_position position);
/* Rewrites the record of an entry without payload and line. A new `payload_hash` drops the hash of the payload. */
int xylem_store__redact_record(struct xylem_store__redaction *redaction, const struct xylem_entry *entry,
                               uint64_t payload_hash, uint64_t check);
/* Verifies the check of every entry that covers the hash of a target, and counts these entries. */
int xylem_store__redact_verify_behind(struct xylem_store__redaction *redaction);
/* Redacts the targets, drops their hashes, and makes new checks for all entries behind, until the piece is full. */
int xylem_store__redact_drop(struct xylem_store__redaction *redaction, struct xylem_store__piece *piece);

/* --- redact_lines.c: quarantined and torn lines --- */

int xylem_store__redact_find_lines(struct xylem_store__redaction *redaction);
/* Finds records, and with `only_this` nothing but the values that sessions have in the targets. */
int xylem_store__redact_find_sides(struct xylem_store__redaction *redaction);
/* Finds the values in the targets again, and redacts them: a line may have been shared since the search. */
int xylem_store__redact_values(struct xylem_store__redaction *redaction);
int xylem_store__redact_lines(struct xylem_store__redaction *redaction);

#endif
