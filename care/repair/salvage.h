/*
 * Reads the rows of a damaged data.mdb by pread(), page by page, without LMDB. LMDB faults, loops or skips rows at a
 * garbled page; here a bad page costs the rows of the page and nothing else.
 *
 * A row is *checked* by a sum that covers key and value: of a record, the sum of the record; of a row of another table,
 * the sum at the end. The tables `ids` and `feed` are not read: repair makes `ids` and `feed` anew from the records.
 *
 * Step 1 walks the trees of all tables from the newest sane meta page. The rows on the way are *reached*. A page that
 * contradicts its parent leaves a *hole* in the table: a range of keys without any known row. The keys of the parent
 * bound the hole, as far as the keys are in order; where the parent is damaged too, the hole is too large, not too
 * small:
 *
 *                       ┌─────────────────────────────┐
 *      branch page      │   a      │   f      │   m   │
 *                       └───┼──────────┼──────────┼───┘
 *      leaf pages         a b d      garbled     m p z         hole: from after d up to m, without m
 *
 * Step 2 scans every other page for leaves without a tree. salvage_pages.h tells pages in use from free pages:
 *
 *   row on a page in use                       current, like a reached row
 *   row on any other page                      older: of an earlier commit, with text that may have been removed since
 *
 *   older row of another table than the log    taken if the key lies in a hole
 *   older record                               taken if the plan lacks the entry (repair.h)
 *   older row and current row of one key       the current row
 *   the newest meta page is lost               reached rows may be one transaction old: every key counts as a hole, and
 *                                              the newer of two rows counts
 */
#ifndef XYLEM_REPAIR_SALVAGE_H
#define XYLEM_REPAIR_SALVAGE_H

#include "store/format/format.h"
#include "store/store.h"

/* Flags of a row. */
#define XYLEM_REPAIR__ROW_REACHED 0x01u      /* a tree leads to the row */
#define XYLEM_REPAIR__ROW_PROVEN 0x02u       /* the row has its sum */
#define XYLEM_REPAIR__ROW_IN_HOLE 0x04u      /* found by the scan, at a key in a hole of the tree */
#define XYLEM_REPAIR__ROW_PAYLOAD_LOST 0x08u /* a record; the payload does not have its hash */
#define XYLEM_REPAIR__ROW_LINE_LOST 0x10u    /* a record; the kept line does not have its hash */
#define XYLEM_REPAIR__ROW_REDACTED 0x20u     /* a redacted record */
#define XYLEM_REPAIR__ROW_HASH_DROPPED 0x40u /* a redacted record; the redaction dropped the payload's hash */
#define XYLEM_REPAIR__ROW_OLDER 0x80u        /* may be of an earlier commit, with text removed since */

/*
 * A row: the row's place, and the numbers that choose between two rows of one key.
 *
 *   table            newness                                    detail                          entry
 *   log              lsn                                        check                           hash of id and time
 *   sessions         last lsn; greater for a freed session      navigations, deleted            0
 *   session_ids      0                                          0                               the session's number
 *   branches         greater the earlier the branch ends        0                               0
 *   sources          number of lines                            1: the tail was redacted        0
 *   sides            1: redacted                                enum xylem_side_type            0
 *   meta, freed      freed entries                              0                               0
 *   meta, removed    redactions and deletions                   redacted_before                 deleted_before
 *   meta, format     lsns without an entry; a newer format: max features                        0
 *   others           0                                          0                               0
 */
struct xylem_repair__salvaged {
    enum xylem_format__table table;
    unsigned flags;
    uint64_t page;   /* the page of the node */
    uint32_t offset; /* of the node */
    uint64_t first;  /* the two numbers at the beginning of the key; 0 where the key is too short */
    uint64_t second;
    uint64_t key_hash;
    uint64_t newness; /* the first choice between two rows */
    uint64_t detail;  /* the second choice */
    uint64_t entry;   /* of a record: equal for all states of one entry, redacted or not */
};

/* A damaged page: a tree leads to the page, or the page cannot be read. */
struct xylem_repair__bad_page {
    enum xylem_format__table table;
    uint64_t page;      /* XYLEM_PAGES__NO_PAGE: the table's root is not known */
    uint64_t branch;    /* of the log: the branch of the page's first records; 0: unknown */
    const char *reason; /* static */
    bool legible;       /* all nodes of the page could be read, so each damaged record is a row of the log */
};

struct xylem_repair__salvage;

/*
 * Reads the file `data.mdb` of the store at `path`. Damage is no error. Errors: NOT_FOUND, NOT_A_STORE (not a regular
 * file, or an empty file), BUSY (another process is replacing the file), IO, MEMORY.
 */
int xylem_repair__salvage_new(struct xylem_repair__salvage **salvage, const char *path, struct xylem_error *err);
void xylem_repair__salvage_free(struct xylem_repair__salvage *salvage);

/* Rows by ascending key, one row for each key. */
struct xylem_repair__rows {
    const struct xylem_repair__salvaged *list;
    size_t count;
};

/*
 * The rows of a table. The rows are proven; the log also has records without their sum, if a tree leads to the record
 * or the record stands in a hole.
 */
struct xylem_repair__rows xylem_repair__salvage_rows(const struct xylem_repair__salvage *salvage,
                                                     enum xylem_format__table table);

/* The bytes of a row in the file. */
struct xylem_repair__content {
    struct xylem_view key;
    struct xylem_view value; /* cut at the end of the file */
    uint64_t value_bytes;    /* the stated length of the value in the file */
    uint64_t offset;         /* of the value in the file */
};

/*
 * Reads the key and the value of a row again. The value of a proven row comes without the sum at its end, but a record
 * comes whole. The views live until the next call. Errors: BUSY (a proven row is gone: another process wrote to the
 * file), MEMORY.
 */
int xylem_repair__salvage_read(struct xylem_repair__content *content, struct xylem_repair__salvage *salvage,
                               const struct xylem_repair__salvaged *row, struct xylem_error *err);

/* True also for no bytes. */
bool xylem_repair__is_zero(struct xylem_view bytes);
/* The bytes of a page, cut at the end of the file. The view lives until the next call. */
int xylem_repair__salvage_page(struct xylem_view *bytes, struct xylem_repair__salvage *salvage, uint64_t page,
                               struct xylem_error *err);
uint64_t xylem_repair__salvage_page_bytes(const struct xylem_repair__salvage *salvage);

const struct xylem_repair__bad_page *xylem_repair__salvage_bad_pages(size_t *count,
                                                                     const struct xylem_repair__salvage *salvage);
/* False: a newer transaction may be lost, so reached rows may be out of date. */
bool xylem_repair__salvage_up_to_date(const struct xylem_repair__salvage *salvage);

/* The next lsn at the last redaction, and at the last deletion; 0: there was none. */
struct xylem_repair__removed {
    uint64_t redacted_before;
    uint64_t deleted_before;
};

/* The marks from the row `removed` of `meta`; the greatest numbers if the row may be lost. */
struct xylem_repair__removed xylem_repair__salvage_removed(const struct xylem_repair__salvage *salvage);
/* The row of `meta` of that name, or NULL. */
const struct xylem_repair__salvaged *xylem_repair__salvage_meta(const struct xylem_repair__salvage *salvage,
                                                                const char *name);

/* True if the row with the number as key lies in a hole of the table's tree. */
bool xylem_repair__salvage_in_hole(const struct xylem_repair__salvage *salvage, enum xylem_format__table table,
                                   uint64_t number);
/*
 * The table's number of rows by the newest commit. False: unknown, as the table's root or the newest meta page is lost.
 */
bool xylem_repair__salvage_row_count(uint64_t *count, const struct xylem_repair__salvage *salvage,
                                     enum xylem_format__table table);

/* Errors: BUSY (a transaction was committed to the file since salvage_new()). */
int xylem_repair__salvage_unchanged(struct xylem_repair__salvage *salvage, struct xylem_error *err);

#endif
