/* One thread of a search: searches segments of the log in a read transaction of its own. */
#ifndef XYLEM_SEARCH_READER_H
#define XYLEM_SEARCH_READER_H

#include <stdatomic.h>

#include "base/value.h"
#include "search/kept.h"
#include "search/match/patterns.h"
#include "search/query.h"
#include "search/scope.h"
#include "search/words.h"

/* The matches of a session. */
struct xylem_search__count {
    uint64_t match_count;
    uint64_t seen_count; /* entries of its own branches, read or known to be lost */
    int64_t newest_ms;
};

/* What all threads share. */
struct xylem_search__shared {
    const struct xylem_search__query *query;
    const struct xylem_search__scope *scope;
    atomic_size_t next_segment;
    atomic_bool stop;             /* a thread failed, or the caller wants no more */
    _Atomic uint64_t entry_count; /* for the progress: in steps of a segment */
    _Atomic uint64_t match_count;
};

struct xylem_search__reader {
    struct xylem_search__shared *shared;
    struct xylem_txn *txn;
    struct xylem_match__scratch *scratch;
    struct xylem_match__searcher left_out; /* for the patterns of the options */
    struct xylem_buffer text;              /* of the present hit, if something is left out */
    struct xylem_base__tree tree;
    struct xylem_search__kept kept;
    struct xylem_search__problems problems;
    struct xylem_search__count *counts; /* by index of the session */
    uint64_t entry_count;
    uint64_t payload_bytes;
    uint64_t match_count;
    int (*pause)(void *context); /* called often; anything but 0 ends the work as STOPPED. NULL: none */
    void *pause_context;
    uint64_t paused_bytes;     /* `payload_bytes` at the last pause */
    unsigned unpaused_entries; /* since the last pause, over all segments: a segment may have one entry */
    int code;
    struct xylem_error err;
};

/* Makes the memory of a reader, whose `shared` and `txn` are set. Release in any case. */
int xylem_search__reader_init(struct xylem_search__reader *reader);
void xylem_search__reader_release(struct xylem_search__reader *reader);
/* Searches segments until none is left, or a thread stops. The result is in `code` and `err`. */
void xylem_search__reader_run(struct xylem_search__reader *reader);
/* Searches the lines in quarantine of all sessions in scope. */
int xylem_search__reader_quarantine(struct xylem_search__reader *reader);

#endif
