/*
 * The built-in reducers. Each is written against the public interface of reducers alone: a list of kinds, a context
 * that starts zeroed unless said otherwise, and a visitor. rehydrate.c has the table of them.
 */
#ifndef XYLEM_REPLAY_REDUCERS_H
#define XYLEM_REPLAY_REDUCERS_H

#include "xylem.h"

/* Which entry decided: outlives the visit that it came from, but not the transaction. Zeroed: none. */
struct xylem_replay__source {
    struct xylem_position position;
    struct xylem_view id;
};

void xylem_replay__source_set(struct xylem_replay__source *source, const struct xylem_entry *entry);

/* NULL if the visited entry's data is a map, else why it does not count. */
const char *xylem_replay__data_problem(const struct xylem_visit *visit);

/* Answers XYLEM_VISIT_SKIP with that reason. */
int xylem_replay__skip(struct xylem_visit *visit, const char *reason);

/*
 * The kinds of a built-in reducer, as text and as parsed: both of one list of custom types. What is known when xylem is
 * built is not parsed at every rehydration.
 */
#define XYLEM_REPLAY__KIND_TEXT(name) "custom:" name,
#define XYLEM_REPLAY__KIND_PARSED(name) {XYLEM_CLASS_CUSTOM, {name, sizeof(name) - 1}},
#define XYLEM_REPLAY__DEFINE_KINDS(reducer, LIST)                                               \
    const char *const xylem_replay__##reducer##_kinds[] = {LIST(XYLEM_REPLAY__KIND_TEXT) NULL}; \
    const struct xylem_kind xylem_replay__##reducer##_parsed[] = {LIST(XYLEM_REPLAY__KIND_PARSED)};

/* readonly.c: the newest toggle. */
struct xylem_replay__readonly {
    bool found;
    bool enabled;
    struct xylem_replay__source source;
};
extern const char *const xylem_replay__readonly_kinds[];
extern const struct xylem_kind xylem_replay__readonly_parsed[];
int xylem_replay__readonly_visit(void *context, struct xylem_visit *visit);

/* nudge.c: what the model was told. */
struct xylem_replay__nudge {
    bool only_told; /* to be set: whether a nudge "on" lies on the path is needed only while nothing was told */
    bool told;      /* a nudge was delivered on the path */
    bool told_on;   /* the direction of the newest one */
    bool seen_on;   /* a nudge "on", delivered or not, was seen on the path */
    struct xylem_replay__source source; /* of the newest one that was delivered */
};
extern const char *const xylem_replay__nudge_kinds[];
extern const struct xylem_kind xylem_replay__nudge_parsed[];
int xylem_replay__nudge_visit(void *context, struct xylem_visit *visit);

/* sequence.c: the newest snapshot. Its strings and steps lie in the arena `storage`, which the caller releases. */
struct xylem_replay__sequence {
    bool found;
    struct xylem_view sequence_id;
    struct xylem_view *steps;
    size_t step_count;
    double updated_at;
    struct xylem_replay__source source;
    void *storage;
};
extern const char *const xylem_replay__sequence_kinds[];
extern const struct xylem_kind xylem_replay__sequence_parsed[];
int xylem_replay__sequence_visit(void *context, struct xylem_visit *visit);

/*
 * reduce.c: xylem_reduce() from an entry that was read, or from none (NULL). `reduction` must be zeroed. `parsed` is, by
 * reducer, what its list of kinds says, or NULL: then they are parsed.
 */
int xylem_replay__reduce(struct xylem_reduction *reduction, struct xylem_txn *txn, const struct xylem_entry *from,
                         const struct xylem_reducer *reducers, size_t reducer_count,
                         const struct xylem_kind *const *parsed, const struct xylem_reduce_options *options,
                         struct xylem_error *err);

#endif
