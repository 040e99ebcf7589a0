/*
 * The table of pieces. A piece is a part of a state, and a built-in reducer reads the piece from the path. A new piece
 * takes one file and one row: the file defines `xylem_replay__<name>_piece`, and the row is a line of the list below.
 * The state, the JSON of a state, the command, repair and the fuzz target use the table. CONTRIBUTING.md has an
 * example.
 *
 * The place of a row is the bit of the piece: the first row has bit 1, the second row bit 2, the third row bit 4. So a
 * new row goes to the end.
 */
#ifndef XYLEM_REPLAY_PIECES_H
#define XYLEM_REPLAY_PIECES_H

#include <assert.h>

#include "base/json_writer.h"
#include "base/value.h"
#include "replay/visit.h"
#include "replay/words.h"

#define XYLEM_REPLAY__PIECE_LIST(ROW) \
    ROW(readonly)                     \
    ROW(nudge)                        \
    ROW(sequence)                     \
    ROW(todo)                         \
    ROW(mark)

/* The first member of every context. `storage` and `event` are set before the first visit. */
struct xylem_replay__found {
    bool found;                      /* an entry of the path decides */
    struct xylem_position position;  /* of the deciding entry; none for a held entry */
    struct xylem_view id;            /* of the deciding entry; lies in `storage` */
    uint64_t lsn;                    /* of two entries of a path the newer has the greater lsn, held entries too */
    void **storage;                  /* the arena of everything that the context keeps */
    const struct xylem_event *event; /* NULL after the rehydration */
};

#define XYLEM_REPLAY__CONTEXT_BYTES 128u

/* The context of a reducer: each piece has a struct that begins with struct xylem_replay__found. Starts zeroed. */
union xylem_replay__context {
    unsigned char bytes[XYLEM_REPLAY__CONTEXT_BYTES]; /* first, so that every initializer zeroes all bytes */
    struct xylem_replay__found found;
    max_align_t align;
};

struct xylem_replay__piece {
    const char *const *kinds; /* in text form; ends in NULL */
    const struct xylem_kind *parsed;
    /* The kinds above and `message`, for a piece that reads the results of a tool. NULL: the piece reads no results. */
    const char *const *result_kinds;
    const struct xylem_kind *result_parsed;
    bool on_new;    /* the piece reads the path of a new session too */
    unsigned needs; /* bits of pieces with earlier rows, used by `decide` */
    int (*visit)(void *context, struct xylem_visit *visit);
    /* With result kinds: false for an entry without a meaning for the piece, such as a message of another tool. */
    bool (*concerns)(const struct xylem_visit *visit);
    /* Sets the typed member of the state. NULL: the piece has no typed member. */
    void (*decide)(struct xylem_state *state, const void *context);
    /*
     * Adds one newer entry to a path. `older` is the context of the path, `newer` the context of the newer entry alone.
     * The arena of `newer` outlives the call only if `newer` found an entry. NULL: `newer` replaces `older` if `newer`
     * found an entry.
     */
    void (*join)(void *older, const void *newer);
    /* Writes the members of the piece, separated by commas. */
    void (*json)(struct xylem_base__writer *writer, const struct xylem_state *state, enum xylem_detail detail);
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
extern const char *const xylem_replay__piece_names[XYLEM_REPLAY__PIECE_COUNT + 1]; /* ends in NULL */

/* The context of the piece in row `at`, XYLEM_REPLAY__AT_<name>. Zeroed if the state has no contexts. */
static inline const void *xylem_replay__context(const struct xylem_state *state, size_t at)
{
    static const union xylem_replay__context nothing;
    const union xylem_replay__context *contexts = state->pieces;
    assert(at < XYLEM_REPLAY__PIECE_COUNT);
    return contexts ? &contexts[at] : &nothing;
}

/*
 * Each file of a piece has this line once, with the context struct and the list of custom types. The line defines the
 * kinds as text and as parsed kinds, because parsing at every rehydration takes time, and checks the size of the
 * context.
 */
#define XYLEM_REPLAY__KIND_TEXT(name) "custom:" name,
#define XYLEM_REPLAY__KIND_PARSED(name) {XYLEM_CLASS_CUSTOM, {name, sizeof(name) - 1}},
#define XYLEM_REPLAY__DEFINE_KINDS(context, LIST)                                                  \
    static const char *const kinds[] = {LIST(XYLEM_REPLAY__KIND_TEXT) NULL};                       \
    static const struct xylem_kind parsed[] = {LIST(XYLEM_REPLAY__KIND_PARSED)};                   \
    static_assert(sizeof(context) <= XYLEM_REPLAY__CONTEXT_BYTES && offsetof(context, found) == 0, \
                  "a context begins with `found`, and has XYLEM_REPLAY__CONTEXT_BYTES bytes at most")

/* Defines the same lists with `message` at the end. */
#define XYLEM_REPLAY__DEFINE_RESULT_KINDS(LIST)                                                \
    static const char *const result_kinds[] = {LIST(XYLEM_REPLAY__KIND_TEXT) "message", NULL}; \
    static const struct xylem_kind result_parsed[] = {LIST(XYLEM_REPLAY__KIND_PARSED){XYLEM_CLASS_HOST, {"message", 7}}}

/* The `details` of a result of the tool. NULL: the entry is not a result of the tool, or has no details. */
const struct xylem_value *xylem_replay__result_details(const struct xylem_visit *visit, struct xylem_view tool);

/* Keeps the position and the id of the visited entry as the deciding entry. Returns XYLEM_VISIT_DONE. */
int xylem_replay__found_set(struct xylem_replay__found *found, const struct xylem_visit *visit);

/* readonly.c: the newest toggle. The nudge reads the context too. */
struct xylem_replay__readonly {
    struct xylem_replay__found found;
    bool enabled;
};

/* held.c: a path that a host holds, newest first. */
struct xylem_replay__held {
    int (*next)(void *context, struct xylem_held_entry *entry);
    void *context;
    struct xylem_view data;   /* of the present entry */
    struct xylem_entry entry; /* the present entry, for the visitors; its lsn falls from UINT64_MAX */
};

/* Asks the host for the next entry: 1, or 0 at the end of the path. */
int xylem_replay__held_next(struct xylem_replay__held *held, struct xylem_error *err);
/* Decodes the data of the present entry into `tree`, which is cleared first. MALFORMED, LIMIT, MEMORY. */
int xylem_replay__held_decode(struct xylem_base__tree *tree, const struct xylem_replay__held *held,
                              struct xylem_error *err);

/* The entries that reducers see: of a store or of a host. With both NULL the path is empty. */
struct xylem_replay__path {
    struct xylem_txn *txn;
    const struct xylem_entry *from;  /* the newest entry, read by the caller */
    bool scan;                       /* read every entry from there on */
    struct xylem_replay__held *held; /* holds the newest entry */
};

/*
 * reduce.c: like xylem_reduce(). `reduction` must be zeroed. `parsed` has the parsed kinds of each reducer, of which no
 * two are equal; with NULL the call parses the kinds.
 */
int xylem_replay__reduce(struct xylem_reduction *reduction, const struct xylem_replay__path *path,
                         const struct xylem_reducer *reducers, size_t reducer_count,
                         const struct xylem_kind *const *parsed, struct xylem_error *err);

#endif
