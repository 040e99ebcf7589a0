/*
 * Reads and writes rows of the table `meta`: format version, features, uuid, floors (numbers up to a floor are never
 * given again), and the counts of freed and removed items.
 */
#ifndef XYLEM_STORE_META_H
#define XYLEM_STORE_META_H

#include "store/lmdb/tables.h"

struct xylem_stat;

/* Sets the feature bit of a feature at its first use. A library that does not know the bit refuses the store. */
int xylem_store__feature_add(struct xylem_txn *txn, uint64_t feature, struct xylem_error *err);

/* Takes a feature bit away, if the store has it. */
int xylem_store__feature_remove(struct xylem_txn *txn, uint64_t feature, struct xylem_error *err);

/*
 * 1 if the store uses the feature, else 0: then no row of the feature exists, and none must be searched. Each
 * transaction reads the bits anew, because other processes set bits, too.
 */
int xylem_store__feature_used(struct xylem_txn *txn, uint64_t feature, struct xylem_error *err);

/* Counts more lsns without an entry. */
int xylem_store__changes_add(struct xylem_txn *txn, uint64_t count, struct xylem_error *err);
int xylem_store__changes_read(uint64_t *count, struct xylem_txn *txn, struct xylem_error *err);

/* Reads a row of `count` numbers: 1, or 0 without the row. Errors: CORRUPT (another length). */
int xylem_store__meta_numbers_read(uint64_t *numbers, size_t count, struct xylem_txn *txn, const char *name,
                                   struct xylem_error *err);
int xylem_store__meta_numbers_write(struct xylem_txn *txn, const char *name, const uint64_t *numbers, size_t count,
                                    struct xylem_error *err);

int xylem_store__floors_read(struct xylem_lmdb__floors *floors, struct xylem_txn *txn, struct xylem_error *err);
/* Raises the lower floors. No floor is ever lowered. */
int xylem_store__floors_raise(struct xylem_txn *txn, const struct xylem_lmdb__floors *floors, struct xylem_error *err);

/* Counts of freed rows: the counts tell a freed row from a lost row. */
struct xylem_store__freed {
    uint64_t entry_count;   /* all freed entries so far: lsns of the feed without a record in the log */
    uint64_t session_count; /* rows of `sessions` in the state FREED, without a row in `session_ids` */
};
int xylem_store__freed_read(struct xylem_store__freed *freed, struct xylem_txn *txn, struct xylem_error *err);
int xylem_store__freed_write(struct xylem_txn *txn, const struct xylem_store__freed *freed, struct xylem_error *err);

/*
 * The number of given lsns: each lsn has a record in the log, or was freed, or is of a change without an entry. LMDB
 * counts the rows of a table apart from the rows, so the number shows a lost row of the feed, even the last row. If the
 * number without freed lsns is `expected`, nothing was freed; UINT64_MAX: not known.
 */
int xylem_store__lsns_given(uint64_t *given, struct xylem_txn *txn, uint64_t expected, struct xylem_error *err);

/*
 * Notes a redaction or a deletion of this transaction in the row `removed`, with the next lsn. Free pages keep older
 * copies of rows: the row tells a repair which copies may hold a redacted payload or a deleted session. The row stays
 * for ever, because undeletion and garbage collection do not change the copies.
 */
enum xylem_store__removal { XYLEM_STORE__REDACTION, XYLEM_STORE__DELETION };
int xylem_store__removal_note(struct xylem_txn *txn, enum xylem_store__removal removal, struct xylem_error *err);

/*
 * 1 if the entry's check fits `above`, the check of its parent; else 0. Between two pieces of a redaction that drops
 * hashes, some parents have new checks already: their children are measured by the old check, which the row `redacting`
 * has.
 */
int xylem_store__check_fits(struct xylem_txn *txn, const struct xylem_entry *entry, uint64_t above,
                            struct xylem_error *err);

/* Reads format version, features and uuid. */
int xylem_store__meta_stat(struct xylem_stat *stat, struct xylem_txn *txn, struct xylem_error *err);

#endif
