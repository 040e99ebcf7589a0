/*
 * The table of pieces: the parts of a state, each made by a built-in reducer. A new piece is one file and one row. The
 * file defines `xylem_replay__<name>_piece`, the row stands in the list below, and everything else goes by the table:
 * the state and its JSON, the command, repair, the fuzz target. CONTRIBUTING.md leads through it.
 *
 * A row's place gives the piece its bit: the first is 1, the next 2, and so on. So a new row goes to the end.
 */
#ifndef XYLEM_REPLAY_PIECES_H
#define XYLEM_REPLAY_PIECES_H

#include <assert.h>

#include "replay/writer.h"

#define XYLEM_REPLAY__PIECE_LIST(ROW) \
    ROW(readonly)                     \
    ROW(nudge)                        \
    ROW(sequence)                     \
    ROW(todo)

/* The head of every context. */
struct xylem_replay__found {
    bool found;                      /* an entry of the path decides */
    struct xylem_position position;  /* of this entry */
    struct xylem_view id;            /* of this entry; lies in `storage` */
    void **storage;                  /* set before the first visit: the arena for all that the context keeps */
    const struct xylem_event *event; /* set before the first visit */
};

#define XYLEM_REPLAY__CONTEXT_BYTES 128u

/* The context of a reducer: a struct of the piece's own that begins with struct xylem_replay__found. Starts zeroed. */
union xylem_replay__context {
    struct xylem_replay__found found;
    max_align_t align;
    unsigned char bytes[XYLEM_REPLAY__CONTEXT_BYTES];
};

struct xylem_replay__piece {
    const char *const *kinds; /* in text form; ends in NULL */
    const struct xylem_kind *parsed;
    /* The same lists with `message`, for a piece to which the results of a tool belong; NULL: none do. */
    const char *const *result_kinds;
    const struct xylem_kind *result_parsed;
    bool on_new;    /* the path counts even when the session starts anew */
    unsigned needs; /* bits of pieces that this one is decided from; their rows come before */
    int (*visit)(void *context, struct xylem_visit *visit);
    /* With result kinds: false for an entry that says nothing of the piece, such as a message of another tool. */
    bool (*concerns)(const struct xylem_visit *visit);
    /* Puts the piece into its typed member of the state. NULL: the context is all there is. */
    void (*decide)(struct xylem_state *state, const void *context);
    /*
     * Makes the context of all older entries that of the path with one newer entry, whose own context is `newer`. NULL:
     * the newer one replaces the older one if it found something. The arena of the newer one lives on only then.
     */
    void (*join)(void *older, const void *newer);
    void (*json)(struct xylem_replay__writer *writer, const struct xylem_state *state, enum xylem_detail detail);
    void (*words)(struct xylem_replay__words *words, const struct xylem_state *state,
                  const struct xylem_words_options *options);
    /* NULL: two pieces differ if their JSON with XYLEM_DETAIL_VALUE does. */
    bool (*differs)(const struct xylem_state *a, const struct xylem_state *b);
    /* NULL: the piece has no parts. */
    bool (*part)(struct xylem_part *part, const struct xylem_state *state, size_t index);
};

#define XYLEM_REPLAY__PIECE_DECLARE(name) extern const struct xylem_replay__piece xylem_replay__##name##_piece;
XYLEM_REPLAY__PIECE_LIST(XYLEM_REPLAY__PIECE_DECLARE)

#define XYLEM_REPLAY__PIECE_AT(name) XYLEM_REPLAY__AT_##name,
enum { XYLEM_REPLAY__PIECE_LIST(XYLEM_REPLAY__PIECE_AT) XYLEM_REPLAY__PIECE_COUNT };

extern const struct xylem_replay__piece *const xylem_replay__pieces[XYLEM_REPLAY__PIECE_COUNT];

/* The context of the piece in row `at`, XYLEM_REPLAY__AT_<name>; zeroed if the state was not asked for pieces. */
static inline const void *xylem_replay__context(const struct xylem_state *state, size_t at)
{
    static const union xylem_replay__context nothing;
    const union xylem_replay__context *contexts = state->pieces;
    return contexts ? &contexts[at] : &nothing;
}

/*
 * What a piece's file says once, with its list of custom types and its context: the kinds as text and as parsed (so that
 * no rehydration parses them), and a check that the context fits.
 */
#define XYLEM_REPLAY__KIND_TEXT(name) "custom:" name,
#define XYLEM_REPLAY__KIND_PARSED(name) {XYLEM_CLASS_CUSTOM, {name, sizeof(name) - 1}},
#define XYLEM_REPLAY__DEFINE_KINDS(context, LIST)                                                  \
    static const char *const kinds[] = {LIST(XYLEM_REPLAY__KIND_TEXT) NULL};                       \
    static const struct xylem_kind parsed[] = {LIST(XYLEM_REPLAY__KIND_PARSED)};                   \
    static_assert(sizeof(context) <= XYLEM_REPLAY__CONTEXT_BYTES && offsetof(context, found) == 0, \
                  "a context begins with what was found, and has XYLEM_REPLAY__CONTEXT_BYTES bytes at most")

/* The same lists with `message` at their end. */
#define XYLEM_REPLAY__DEFINE_RESULT_KINDS(LIST)                                                \
    static const char *const result_kinds[] = {LIST(XYLEM_REPLAY__KIND_TEXT) "message", NULL}; \
    static const struct xylem_kind result_parsed[] = {LIST(XYLEM_REPLAY__KIND_PARSED){XYLEM_CLASS_HOST, {"message", 7}}}

/* The `details` of a message that is a result of the tool; NULL: it is none, or has none. */
const struct xylem_value *xylem_replay__result_details(const struct xylem_visit *visit, struct xylem_view tool);

/* The visited entry decides: keeps its position and id. */
int xylem_replay__found_set(struct xylem_replay__found *found, const struct xylem_visit *visit);

/* NULL if the visited entry's data is a map, else why it does not count. */
const char *xylem_replay__data_problem(const struct xylem_visit *visit);

/* Answers XYLEM_VISIT_SKIP with that reason. */
int xylem_replay__skip(struct xylem_visit *visit, const char *reason);

/* readonly.c: the newest toggle. A nudge is due by it, too. */
struct xylem_replay__readonly {
    struct xylem_replay__found found;
    bool enabled;
};

/*
 * reduce.c: xylem_reduce() from an entry that was read, or from none (NULL). `reduction` must be zeroed. `parsed` is, by
 * reducer, what its list of kinds says, or NULL: then they are parsed.
 */
int xylem_replay__reduce(struct xylem_reduction *reduction, struct xylem_txn *txn, const struct xylem_entry *from,
                         const struct xylem_reducer *reducers, size_t reducer_count,
                         const struct xylem_kind *const *parsed, const struct xylem_reduce_options *options,
                         struct xylem_error *err);

#endif
