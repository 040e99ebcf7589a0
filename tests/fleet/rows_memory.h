/*
 * The rows of an engine in memory. A version of a row never changes, and is counted by those who have it: so nodes of a
 * cluster, a backup and an answer can share versions, and a node is a list of them.
 */
#ifndef XYLEM_TESTS_FLEET_ROWS_MEMORY_H
#define XYLEM_TESTS_FLEET_ROWS_MEMORY_H

#include "fleet/engine.h"

struct rows_bytes {
    unsigned users;
    size_t bytes;
    char data[];
};

struct rows_piece {
    unsigned users;
    uint64_t from;
    uint64_t to;
    uint64_t chain;
    uint64_t generation;
    struct rows_bytes *body;
};

struct rows_version {
    unsigned users;
    bool unowned;
    bool freed;
    uint64_t epoch;
    unsigned char owner[FLEET_TOKEN_BYTES];
    uint64_t next;
    uint64_t chain;
    uint64_t generation;
    uint64_t heard_ms; /* a hint: this member alone changes in place */
    struct rows_bytes *host;
    struct rows_bytes *about;
    struct rows_bytes *head;
    size_t piece_count;
    struct rows_piece *pieces[];
};

/* Copies the bytes; NULL for data NULL. */
struct rows_bytes *rows_bytes_new(struct xylem_view view);
struct rows_bytes *rows_bytes_use(struct rows_bytes *bytes);
void rows_bytes_drop(struct rows_bytes *bytes);
struct rows_version *rows_version_use(struct rows_version *version);
void rows_version_drop(struct rows_version *version);

/* Flaws of the statements, for mutants. */
enum rows_flaw {
    ROWS_FLAW_FENCE = 1u << 0,      /* epoch and owner are not compared */
    ROWS_FLAW_ORDINAL = 1u << 1,    /* APPEND does not compare the next ordinal */
    ROWS_FLAW_CHAIN = 1u << 2,      /* APPEND does not compare the chain */
    ROWS_FLAW_GENERATION = 1u << 3, /* REWRITE does not compare the generation */
    ROWS_FLAW_CLAIM = 1u << 4       /* CLAIM does not compare the epoch */
};
extern unsigned rows_flaws;

/*
 * What a request does with a row (NULL: missing): DONE or NO. `made`: the version that a writing request leaves behind, or
 * NULL. Never anything in between: a request is one transaction.
 */
enum fleet_outcome rows_decide(struct rows_version **made, struct rows_version *row,
                               const struct fleet_request *request, uint64_t now_ms);

/* --- Ids ---------------------------------------------------------------------------------------------------------- */

#define ROWS_NONE SIZE_MAX

/* Numbers of ids, in the order in which they came. */
struct rows_ids {
    struct rows_bytes **ids;
    size_t count;
    size_t capacity;
    size_t *places; /* by hash: number + 1 */
    size_t place_count;
    size_t *sorted;
    size_t sorted_count;
};

size_t rows_ids_find(const struct rows_ids *ids, struct xylem_view id);
size_t rows_ids_add(struct rows_ids *ids, struct xylem_view id);
void rows_ids_release(struct rows_ids *ids);

/* --- Tables ------------------------------------------------------------------------------------------------------- */

/* Versions by the number of their ids. */
struct rows_table {
    struct rows_version **rows;
    size_t count;
};

struct rows_version *rows_table_get(const struct rows_table *table, size_t number);
/* Takes the version over; NULL: the row goes. */
void rows_table_put(struct rows_table *table, size_t number, struct rows_version *version);
void rows_table_copy(struct rows_table *to, const struct rows_table *from);
void rows_table_release(struct rows_table *table);

/* --- Requests and answers that outlive the call --------------------------------------------------------------------- */

/* A copy of a request, whose views lie in `bytes`. */
struct rows_request {
    struct fleet_request request;
    struct rows_bytes *bytes;
};

void rows_request_copy(struct rows_request *copy, const struct fleet_request *request);
void rows_request_release(struct rows_request *copy);
/* LIMIT for members that are too long, ARGUMENT for what no caller may ask. */
int rows_request_check(const struct fleet_request *request, struct xylem_error *err);

/* An answer with what it points to. */
struct rows_answer {
    struct fleet_answer answer;
    struct fleet_row *rows;
    struct fleet_piece *pieces;
    struct rows_version **versions;
    size_t version_count;
};

/* The answer as the table has the rows now. */
void rows_answer_make(struct rows_answer *made, const struct fleet_request *request, uint64_t number,
                      enum fleet_outcome outcome, struct rows_ids *ids, const struct rows_table *table,
                      uint64_t now_ms);
/* The same for one row, which may be in no table yet. */
void rows_answer_make_one(struct rows_answer *made, const struct fleet_request *request, uint64_t number,
                          enum fleet_outcome outcome, struct xylem_view id, struct rows_version *row, uint64_t now_ms);
void rows_answer_release(struct rows_answer *answer);
const char *rows_text(enum fleet_outcome outcome);

/* For tests: stops the test without memory. */
void *rows_memory(void *old, size_t bytes);

#endif
