/* Holds the table of noted files. The public calls are in xylem.h. */
#ifndef XYLEM_READS_TABLE_H
#define XYLEM_READS_TABLE_H

#include "xylem/reads.h"

/* A noted file: one allocation. */
struct xylem_reads__file {
    struct xylem_fingerprint fingerprint;
    int64_t at_ms;
    enum xylem_read_by by;
    bool drained; /* an entry has the file */
    size_t key_bytes;
    char key[]; /* a NUL behind */
};

/*
 *     files   used last | ... | used first      a note or a passed check moves a file to the front
 *     gone    evicted or forgotten since the last drain, without noted files
 */
struct xylem_reads {
    struct xylem_reads__file *files[XYLEM_READS_FILES_MAX];
    size_t file_count;
    size_t bytes; /* of keys and hashes */
    struct xylem_reads__file *gone[XYLEM_READS_FILES_MAX];
    size_t gone_count;
    unsigned since_whole; /* entries of the path behind the newest entry with the whole table */
    bool whole_due;       /* the next entry must have the whole table; `gone` stays empty */
    bool news;            /* something was noted or dropped since the last drain */
};

struct xylem_view xylem_reads__key(const struct xylem_reads__file *file);

/* The index of a noted file; file_count: not noted. */
size_t xylem_reads__find(const struct xylem_reads *reads, struct xylem_view key);

/* Moves a noted file to the front. */
void xylem_reads__use(struct xylem_reads *reads, size_t index);

/* True if a file of `key` and `hash` fits behind the noted files. */
bool xylem_reads__fits(const struct xylem_reads *reads, struct xylem_view key, const char *hash);

/* Adds a drained file behind the noted files, for a load. The file fits, and is not noted. MEMORY. */
int xylem_reads__add_last(struct xylem_reads *reads, struct xylem_view key, const struct xylem_fingerprint *fingerprint,
                          enum xylem_read_by by, int64_t at_ms);

/* Forgets all files, and the list of gone files. */
void xylem_reads__clear(struct xylem_reads *reads);

/* Empties the list of gone files. */
void xylem_reads__clear_gone(struct xylem_reads *reads);

/* NULL, or the reason why a key or a hash cannot be noted. Static. */
const char *xylem_reads__key_problem(struct xylem_view key);
const char *xylem_reads__hash_problem(struct xylem_view hash);

/* The word of an entry: `read`, `edit` or `write`. */
const char *xylem_reads__by_word(enum xylem_read_by by);

/* Empties the verdict (verdict.c). A verdict that is not filled blocks. */
void xylem_reads__verdict_clear(struct xylem_reads_verdict *verdict);

#endif
