/* Collects a run: entries for one append, each the child of the entry before. */
#ifndef XYLEM_JSONL_RUN_H
#define XYLEM_JSONL_RUN_H

#include "store/store.h"
#include "travel/jsonl/line.h"
#include "xylem/append.h"

#define XYLEM_JSONL__RUN_ENTRIES_MAX 512u
#define XYLEM_JSONL__RUN_BYTES_MAX 1048576u

/* Start with a zeroed struct. A run holds copies: the lines are gone from memory when the run is appended. */
struct xylem_jsonl__run {
    struct xylem_position parent; /* of the first entry; none: the first entry becomes a root */
    size_t count;
    size_t capacity;
    struct xylem_jsonl__run_entry {
        uint32_t row;
        bool ahead; /* before its turn in the file */
        enum xylem_class kind_class;
        enum xylem_format format;
        int64_t time_ms;
        size_t id_bytes;
        size_t name_bytes;
        size_t payload_bytes;
        size_t line_bytes;
    } * entries;
    struct xylem_buffer bytes; /* of each entry: id, kind name, payload, line */
    struct {
        struct xylem_new_entry *entries;
        struct xylem_view *lines;
        size_t capacity;
    } appended;                       /* arguments of an append: too large for the stack of a small thread */
    bool leaf_follows;                /* the leaf moves to the last entry of each run */
    struct xylem_store__new_ids *ids; /* collects the new ids; NULL: an append writes the ids at once */
};

bool xylem_jsonl__run_full(const struct xylem_jsonl__run *run);

/* Adds an entry, and the line to keep beside the payload (empty: none). */
int xylem_jsonl__run_add(struct xylem_jsonl__run *run, const struct xylem_jsonl__entry *entry, struct xylem_view line,
                         uint32_t row, bool ahead, struct xylem_error *err);

/* Appends the entries to the session. The run must not be empty, and stays as it is. */
int xylem_jsonl__run_append(struct xylem_position *first, struct xylem_jsonl__run *run, struct xylem_txn *txn,
                            uint64_t session, struct xylem_error *err);

void xylem_jsonl__run_clear(struct xylem_jsonl__run *run);
void xylem_jsonl__run_release(struct xylem_jsonl__run *run);

#endif
