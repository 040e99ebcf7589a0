/*
 * Reads the rows of a damaged data.mdb: by pread, page by page, without LMDB, and without trusting anything. LMDB
 * faults, loops or skips rows where a page is garbled; here a bad page costs what stands on it and nothing else.
 *
 * A row is taken where it proves itself: a record by its sum, a row of the other tables by its own; both cover the key.
 * `ids` and `feed` have no sums and are not read: they can be made anew from the records.
 *
 * First the tables' trees are walked from the newest sane meta page: rows that are found so are *reached*. A page that
 * is not what its parent says leaves a *hole* in its table, a range of keys of which nothing is known. The parent's keys
 * bound it as far as they are in order: where the parent is damaged, the hole is rather too large than too small. Then
 * every other page is searched for leaves that no tree leads to any more. Rows of a page in use (salvage_pages.h) are as good
 * as reached rows. All others are *older*: of some earlier commit, and with text that may have been removed since. An older
 * row never outranks a current row. Older rows of other tables than the log are taken only in a hole, older records only
 * where something needs them (repair.h). Where the newest meta page is lost, reached rows may be one transaction old: then
 * everything is a hole, and of two rows the newer row counts.
 */
#ifndef XYLEM_REPAIR_SALVAGE_H
#define XYLEM_REPAIR_SALVAGE_H

#include "format/format.h"
#include "store/store.h"

/* What is known of a row. */
#define XYLEM_REPAIR__ROW_REACHED 0x01u      /* a tree leads to it */
#define XYLEM_REPAIR__ROW_PROVEN 0x02u       /* it has its sum */
#define XYLEM_REPAIR__ROW_IN_HOLE 0x04u      /* found by the scan, at a key of which the tree knows nothing */
#define XYLEM_REPAIR__ROW_PAYLOAD_LOST 0x08u /* a record whose payload does not have its hash */
#define XYLEM_REPAIR__ROW_LINE_LOST 0x10u    /* a record whose kept line does not */
#define XYLEM_REPAIR__ROW_REDACTED 0x20u     /* a redacted record */
#define XYLEM_REPAIR__ROW_HASH_DROPPED 0x40u /* and its hash was dropped */
#define XYLEM_REPAIR__ROW_OLDER 0x80u        /* may be of an earlier commit, with text removed since */

/* A row: where it lies, and what choosing between two of the same key takes. */
struct xylem_repair__salvaged {
    enum xylem_format__table table;
    unsigned flags;
    uint64_t page;   /* on which its node stands */
    uint32_t offset; /* of the node */
    uint64_t first;  /* the numbers that its key begins with; 0 where it is too short */
    uint64_t second;
    uint64_t key_hash;
    uint64_t newness; /* a record's lsn, a session's last lsn, lines of a source, how early a branch ends */
    uint64_t detail; /* of a record, its check; of other rows, the second choice behind the newness (salvage_prove.c) */
    uint64_t
        entry; /* of a record: the same for all states of one entry, redacted or not; of `removed`: deleted before */
};

/* A page that a tree leads to and that is not what it should be. */
struct xylem_repair__bad_page {
    enum xylem_format__table table;
    uint64_t page;      /* XYLEM_PAGES__NO_PAGE: the table's root is not known */
    uint64_t branch;    /* of the log: whose records may have stood there, 0 for unknown */
    const char *reason; /* static */
    bool legible;       /* its rows could be told apart: those that do not prove themselves are rows of the log, too */
};

struct xylem_repair__salvage;

/*
 * Reads the file `data.mdb` of the store at `path`. What is damaged is no error. Errors: NOT_FOUND, NOT_A_STORE (no
 * regular file, or an empty one), BUSY (somebody is replacing it), IO, MEMORY.
 */
int xylem_repair__salvage_new(struct xylem_repair__salvage **salvage, const char *path, struct xylem_error *err);
void xylem_repair__salvage_free(struct xylem_repair__salvage *salvage);

/*
 * The rows of a table, one for each key: proven ones, and of the log also those that a tree leads to, or that stand in a
 * hole, and that have not their sum. By ascending numbers of their keys.
 */
const struct xylem_repair__salvaged *
xylem_repair__salvage_rows(size_t *count, const struct xylem_repair__salvage *salvage, enum xylem_format__table table);

/*
 * Reads a row again: its key, and its value, without its sum where rows of its table end in one and it is proven. Of a
 * value whose end lies beyond the end of the file, what there is. The views live until the next call. BUSY: a proven
 * row is not there any more, as somebody wrote to the file.
 */
int xylem_repair__salvage_read(struct xylem_view *key, struct xylem_view *value, struct xylem_repair__salvage *salvage,
                               const struct xylem_repair__salvaged *row, struct xylem_error *err);
/* Where in the file the value of the row begins that was read last, and how many bytes it was to have. */
uint64_t xylem_repair__salvage_offset(const struct xylem_repair__salvage *salvage);
uint64_t xylem_repair__salvage_value_bytes(const struct xylem_repair__salvage *salvage);

/* The bytes of a page, as far as the file has it; they live until the next call. */
int xylem_repair__salvage_page(struct xylem_view *bytes, struct xylem_repair__salvage *salvage, uint64_t page,
                               struct xylem_error *err);
uint64_t xylem_repair__salvage_page_bytes(const struct xylem_repair__salvage *salvage);

const struct xylem_repair__bad_page *xylem_repair__salvage_bad_pages(size_t *count,
                                                                     const struct xylem_repair__salvage *salvage);
/* False: a newer transaction than the one that was read may be lost, so rows that were reached may be out of date. */
bool xylem_repair__salvage_up_to_date(const struct xylem_repair__salvage *salvage);

/* The next lsn at the last redaction, and at the last deletion; 0: there was none. */
struct xylem_repair__removed {
    uint64_t redacted_before;
    uint64_t deleted_before;
};

/* From the store's `meta`; the greatest numbers where `meta` cannot tell. */
struct xylem_repair__removed xylem_repair__salvage_removed(const struct xylem_repair__salvage *salvage);
/* The row of `meta` of that name, or NULL. */
const struct xylem_repair__salvaged *xylem_repair__salvage_meta(const struct xylem_repair__salvage *salvage,
                                                                const char *name);

/* Is nothing known of the row whose key is that number, as its table's tree has a hole there? */
bool xylem_repair__salvage_in_hole(const struct xylem_repair__salvage *salvage, enum xylem_format__table table,
                                   uint64_t number);
/* How many rows the tree says that the table has. False: it is not known. */
bool xylem_repair__salvage_row_count(uint64_t *count, const struct xylem_repair__salvage *salvage,
                                     enum xylem_format__table table);

/* BUSY if a transaction was committed to the file since it was opened. */
int xylem_repair__salvage_unchanged(struct xylem_repair__salvage *salvage, struct xylem_error *err);

#endif
