/* xylem: the state of extensions at an entry. The rules of xylem.h hold for every call. */
#ifndef XYLEM_STATE_H
#define XYLEM_STATE_H

#include "entry.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Rehydration ------------------------------------------------------------------------------------------------ */

/* What a visitor answers. Any negative number ends the walk and is returned. */
enum xylem_visit_answer {
    XYLEM_VISIT_GO_ON = 0,
    XYLEM_VISIT_DONE = 1, /* this reducer needs no older entry */
    XYLEM_VISIT_SKIP = 2  /* the entry does not count; `reason` says why; go on */
};

struct xylem_visit {
    const struct xylem_entry *entry;
    const struct xylem_value *data; /* NULL: no payload, redacted, or not decodable: see `data_code` */
    int data_code;                  /* 0, or why the payload could not be decoded */
    size_t kind_index;              /* which of the reducer's kinds this is */
    const char *reason;             /* to be set with XYLEM_VISIT_SKIP: a string that outlives the call */
};

/*
 * A reducer turns the entries of a walk into one piece of state. `kinds` is a list of kinds in text form (`label`,
 * `custom:readonly`) that ends in NULL. `visit` is called for each entry of these kinds, newest to oldest, until it
 * answers XYLEM_VISIT_DONE. It must not write in the transaction. Everything in `visit` dies when the call returns.
 */
struct xylem_reducer {
    const char *name;
    const char *const *kinds;
    int (*visit)(void *context, struct xylem_visit *visit);
    void *context;
};

/* An entry that a reducer skipped. */
struct xylem_skipped {
    struct xylem_position position;
    struct xylem_view entry_id;
    struct xylem_view kind; /* in text form */
    const char *reason;     /* the string that the visitor gave; static where rehydration gives it */
};

/* What a reduction looked at. Owns its bytes and outlives the transaction. */
struct xylem_reduction {
    uint64_t looked_at;     /* entries read */
    uint64_t decoded_count; /* of these, entries whose payload was decoded */
    uint64_t decoded_bytes; /* of these payloads */
    struct xylem_skipped *skipped;
    size_t skipped_count;
    void *storage;
};

/* Pieces of the state that xylem_rehydrate() gives, as bits. */
#define XYLEM_PIECE_READONLY 0x01u
#define XYLEM_PIECE_NUDGE 0x02u /* readonly comes with it: whether a nudge is due depends on that */
#define XYLEM_PIECE_SEQUENCE 0x04u
#define XYLEM_PIECE_TODO 0x08u

struct xylem_reduce_options {
    bool scan; /* read every entry of the path, as a walk does, instead of going from one wanted entry to the next */
    /* Of rehydration alone: only these pieces are read for, and the others stay zero, which says nothing; 0: all. */
    unsigned pieces;
    /*
     * Of rehydration alone: what a tool said in its results counts, too. The todo list may then be the `details` of a result
     * of the tool `todo`, as pi's example extension writes them. Results are messages, and every message is read down to the
     * newest entry that decides: the time grows with the path.
     */
    bool tool_results;
};

/*
 * Gives each reducer the entries of its kinds on the path of `from`, newest to oldest, until all are done or there are
 * no more. The records name the newest entry of each kind, so only entries that somebody wants are read, and two at
 * most on the way to the first: the time depends on what the reducers want, and a little on how many kinds the path has,
 * not on the length of the path or on the forks behind it. Two exceptions walk: a reducer that wants `message`, from one message to the next until an entry of
 * another kind is reached, and paths of more than XYLEM_HEADS_MAX kinds. With `scan` every entry is read, and the
 * reducers get the same ones.
 * Release `reduction` in any case. Errors: CORRUPT, MEMORY, ARGUMENT, and whatever negative number a visitor returns.
 */
XYLEM_API int xylem_reduce(struct xylem_reduction *reduction, struct xylem_txn *txn, struct xylem_position from,
                           const struct xylem_reducer *reducers, size_t reducer_count,
                           const struct xylem_reduce_options *options, struct xylem_error *err);
XYLEM_API void xylem_reduction_release(struct xylem_reduction *reduction);

/* The events of pi's extension interface at which state is rehydrated. docs/rehydration.md has the table. */
enum xylem_event_type { XYLEM_EVENT_SESSION_START = 0, XYLEM_EVENT_SESSION_TREE };
enum xylem_event_reason {
    XYLEM_REASON_STARTUP = 0,
    XYLEM_REASON_RELOAD,
    XYLEM_REASON_NEW, /* readonly and nudge start from nothing, whatever the path holds */
    XYLEM_REASON_RESUME,
    XYLEM_REASON_FORK /* also a clone */
};

struct xylem_event {
    enum xylem_event_type type;
    enum xylem_event_reason reason; /* of a session_start */
    bool flag_readonly;             /* the host was started with --readonly */
    bool flag_is_fallback;          /* on session_start the flag only counts where the path has no toggle */
    const bool *previous_readonly;  /* session_tree: what readonly was before; NULL: not known */
};

enum xylem_from { XYLEM_FROM_DEFAULT = 0, XYLEM_FROM_FLAG, XYLEM_FROM_PATH };

/* Why a nudge is due, or is not. "Told" is what the newest delivered nudge on the path says. */
enum xylem_nudge_why {
    XYLEM_NUDGE_NEVER_ON = 0, /* not due: readonly is off, and no nudge "on" lies on the path */
    XYLEM_NUDGE_TOLD,         /* not due: told what holds */
    XYLEM_NUDGE_NOT_TOLD,     /* due: nothing was delivered; so is every one below */
    XYLEM_NUDGE_TOLD_OTHER,   /* told the other direction */
    XYLEM_NUDGE_OUTDATED,     /* told "on", but before the newest toggle */
    XYLEM_NUDGE_CHANGED       /* told what holds, but readonly was the other before the event */
};

/* An item of a todo list. */
struct xylem_todo_item {
    int64_t id; /* from 1 to the list's last id; no other item of the list has the same */
    struct xylem_view text;
    bool done;
};

/* The state at a position. Owns its bytes and outlives the transaction. */
struct xylem_state {
    struct xylem_position at;
    struct xylem_view at_entry_id; /* data NULL: none */
    struct {
        bool enabled;
        enum xylem_from from;
        struct xylem_position position; /* of the toggle that decided, else none */
        struct xylem_view entry_id;     /* data NULL: none */
    } readonly;
    struct {
        bool due;
        bool direction_on; /* which message: that readonly went on, or off */
        enum xylem_nudge_why why;
        bool told_on;                        /* the direction of the newest delivered nudge, if there is one */
        struct xylem_position told_position; /* of that nudge, else none */
        struct xylem_view told_entry_id;     /* data NULL: none */
    } nudge;
    struct {
        bool present;
        struct xylem_view sequence_id;
        struct xylem_view *steps; /* exactly as authored */
        size_t step_count;
        double updated_at; /* as the host wrote it, in milliseconds since 1970 in pi */
        struct xylem_position position;
        struct xylem_view entry_id;
    } sequence;
    struct {
        bool present;
        int64_t last_id;               /* the greatest id that was given; 0: none was */
        struct xylem_todo_item *items; /* the state owns items and texts: both live until it is released */
        size_t item_count;
        struct xylem_position position; /* of the entry that has the list, else none */
        struct xylem_view entry_id;     /* data NULL: none */
    } todo;
    struct xylem_reduction reduction;
    void *pieces; /* the library's own, as `storage` is */
    void *storage;
};

/*
 * Rebuilds the pieces of the state at a position, for an event: a pure function of the path, the event and the previous
 * state. Entries whose data has not the right shape never decide; they are listed as skipped. What it reads
 * is what xylem_reduce() reads; `options` are its options.
 * Release `state` in any case. Errors: CORRUPT, NOT_FOUND, MEMORY, ARGUMENT (also for a bit that is no piece).
 */
XYLEM_API int xylem_rehydrate(struct xylem_state *state, struct xylem_txn *txn, struct xylem_position at,
                              const struct xylem_event *event, const struct xylem_reduce_options *options,
                              struct xylem_error *err);
XYLEM_API void xylem_state_release(struct xylem_state *state);

/*
 * Shows `visit` the state at each entry of the path of `from` that may change one of the pieces, oldest first: what
 * xylem_rehydrate() gives there, but that `skipped` lists that entry alone, if it does not count, and that `scan` is for
 * finding the entries. Reads in proportion to the number of these entries, while a rehydration at each may read all that
 * lie before it. The state is borrowed: it lives until `visit` returns, and is not to be released. `visit` must not
 * write in the transaction.
 * Errors: CORRUPT, NOT_FOUND, MEMORY, ARGUMENT, STOPPED (`visit` answered anything but 0).
 */
XYLEM_API int xylem_rehydrate_each(struct xylem_txn *txn, struct xylem_position from, const struct xylem_event *event,
                                   const struct xylem_reduce_options *options,
                                   int (*visit)(void *context, const struct xylem_state *state), void *context,
                                   struct xylem_error *err);

/*
 * The kinds in text form whose entries decide on one piece (of XYLEM_PIECE_NUDGE: its own, without those of readonly);
 * ends in NULL. NULL if it is not exactly one piece. Static; any thread.
 */
XYLEM_API const char *const *xylem_state_kinds(unsigned piece);

/*
 * The names of all pieces, such as `readonly`; ends in NULL. The first name is that of the bit 1, the next of the bit 2,
 * and so on: with this list a caller goes over pieces that it does not know. Static; any thread.
 */
XYLEM_API const char *const *xylem_piece_names(void);

/* How much is said of a piece. */
enum xylem_detail {
    XYLEM_DETAIL_BRIEF = 0, /* for a cell of a table */
    XYLEM_DETAIL_VALUE,     /* the value, and nothing of where it comes from */
    XYLEM_DETAIL_WHOLE,     /* the entry that decided, too */
    XYLEM_DETAIL_EXPLAINED  /* in words also the reasons; in JSON the same as XYLEM_DETAIL_WHOLE */
};

/*
 * Appends a piece as JSON. With XYLEM_DETAIL_WHOLE it is the member of that name of xylem_state_json(). A piece that no
 * entry decided is `null` or a default. Errors: MEMORY, ARGUMENT (`piece` is not exactly one); the buffer is then as it
 * was. Any thread.
 */
XYLEM_API int xylem_piece_json(struct xylem_buffer *buffer, const struct xylem_state *state, unsigned piece,
                               enum xylem_detail detail);

/* 1 if a piece has different values in two states, 0 if not. Errors: MEMORY, ARGUMENT (`piece` is not exactly one). */
XYLEM_API int xylem_piece_differs(const struct xylem_state *a, const struct xylem_state *b, unsigned piece);

/* A piece of the state in words for people: read one behind the other, they are a line. */
enum xylem_word_type {
    XYLEM_WORD_TEXT = 0, /* `text`: plain English without control bytes; static */
    XYLEM_WORD_FOREIGN, /* `text`: what an entry says, in whatever bytes: to be escaped, and cut to the room there is */
    XYLEM_WORD_COUNT,   /* `number` */
    XYLEM_WORD_ENTRY,   /* the entry at `position`; `text` is its id */
    XYLEM_WORD_BREAK    /* a place to break the line: all behind it explains all before it */
};

enum xylem_tone { XYLEM_TONE_PLAIN = 0, XYLEM_TONE_GOOD, XYLEM_TONE_WARN };

struct xylem_word {
    enum xylem_word_type type;
    enum xylem_tone tone;
    struct xylem_view text; /* lives as long as the state */
    uint64_t number;
    struct xylem_position position;
};

struct xylem_words_options {
    enum xylem_detail detail;
    const struct xylem_event *event; /* that the state was asked for; NULL: a session_start, startup */
    const struct xylem_state *other; /* of the same value: the entries that decided there are named, too; or NULL */
};

/*
 * Gives the words for a piece and returns their number, at most XYLEM_WORDS_MAX, for which `words` must have room. With
 * XYLEM_DETAIL_BRIEF there are none if there is nothing to say, and else there are some. 0 if `piece` is not exactly one.
 * `options` may be NULL. Any thread.
 */
XYLEM_API size_t xylem_piece_words(struct xylem_word *words, const struct xylem_state *state, unsigned piece,
                                   const struct xylem_words_options *options);

/* A part of a piece: a step of the sequence, an item of the todo list. */
struct xylem_part {
    uint64_t number;        /* by which people know the part; 0: by its place, from 1 on */
    const char *mark;       /* before the text, such as `[x] `, or empty; static */
    struct xylem_view text; /* what an entry says, in whatever bytes; lives as long as the state */
};

/* True and the part of that index, from 0 on; false if the piece has fewer parts. Any thread. */
XYLEM_API bool xylem_piece_part(struct xylem_part *part, const struct xylem_state *state, unsigned piece, size_t index);

/* Appends the state as one JSON document without a newline; docs/rehydration.md names its fields. */
XYLEM_API int xylem_state_json(struct xylem_buffer *buffer, const struct xylem_state *state,
                               struct xylem_view session_id);

#ifdef __cplusplus
}
#endif

#endif
