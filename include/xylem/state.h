/* xylem: the state of extensions at an entry. The rules of xylem.h hold for every call. */
#ifndef XYLEM_STATE_H
#define XYLEM_STATE_H

#include "entry.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Rehydration ------------------------------------------------------------------------------------------------ */

/* The answer of a visitor. Any negative number ends the walk and becomes the result of the call. */
enum xylem_visit_answer {
    XYLEM_VISIT_GO_ON = 0,
    XYLEM_VISIT_DONE = 1, /* the reducer needs no older entry */
    XYLEM_VISIT_SKIP = 2  /* the entry does not count, for `reason`; go on */
};

struct xylem_visit {
    const struct xylem_entry *entry;
    const struct xylem_value *data; /* NULL: no payload, redacted, or not decodable: see `data_code` */
    int data_code;                  /* 0, or the code of the failed decoding */
    size_t kind_index;              /* index of the entry's kind in the kinds of the reducer */
    const char *reason;             /* set by the visitor with XYLEM_VISIT_SKIP: a string that outlives the call */
};

/*
 * A reducer turns the entries of a walk into a piece of state. `kinds` is a list of kinds in text form (`label`,
 * `custom:readonly`) with NULL at the end. `visit` is called for each entry of the kinds, newest to oldest, until the
 * answer XYLEM_VISIT_DONE. `visit` must not write in the transaction; everything in the visit dies when the call
 * returns.
 */
struct xylem_reducer {
    const char *name;
    const char *const *kinds;
    int (*visit)(void *context, struct xylem_visit *visit);
    void *context;
};

/* A skipped entry. */
struct xylem_skipped {
    struct xylem_position position;
    struct xylem_view entry_id;
    struct xylem_view kind; /* in text form */
    const char *reason;     /* the string of the visitor; static from a rehydration */
};

/* The reads of a reduction. The struct owns its bytes and outlives the transaction. */
struct xylem_reduction {
    uint64_t looked_at;     /* entries read */
    uint64_t decoded_count; /* of these, entries with a decoded payload */
    uint64_t decoded_bytes; /* of the decoded payloads */
    struct xylem_skipped *skipped;
    size_t skipped_count;
    void *storage;
};

/* Pieces of the state of xylem_rehydrate(), as bits. */
#define XYLEM_PIECE_READONLY 0x01u
#define XYLEM_PIECE_NUDGE 0x02u /* includes readonly: a nudge depends on readonly */
#define XYLEM_PIECE_SEQUENCE 0x04u
#define XYLEM_PIECE_TODO 0x08u
#define XYLEM_PIECE_MARK 0x10u

struct xylem_reduce_options {
    bool scan; /* read every entry of the path, like a walk, instead of the wanted entries alone */
    /* For rehydration: read these pieces alone; other pieces stay zero, and say nothing. 0: all pieces. */
    unsigned pieces;
    /*
     * For rehydration: results of tools count too. The todo list may then be the `details` of a result of the tool
     * `todo`, as in pi's example extension. Results are messages, and rehydration reads every message down to the
     * deciding entry: the time grows with the path.
     */
    bool tool_results;
};

/*
 * Gives each reducer the entries of its kinds on the path of `from`, newest to oldest, until all reducers are done or
 * the path ends. The records name the newest entry of each kind, so the call reads wanted entries alone, and at most
 * two entries on the way to the first: the time grows with the wanted entries and a little with the kinds of the path,
 * not with the length of the path or its forks. Two cases walk: a reducer of `message` entries, down to the next entry
 * of another wanted kind, and paths of more than XYLEM_HEADS_MAX kinds. With `scan` the call reads every entry, and the
 * reducers get the same entries. docs/rehydration.md explains reducers. Release `reduction` in any case.
 *
 * Errors:
 * - NOT_FOUND: there is no entry at `from`
 * - ARGUMENT: a reducer without kinds or visitor, or a positive answer outside of enum xylem_visit_answer
 * - MALFORMED, LIMIT: of a kind in text form (xylem_kind_parse())
 * - CORRUPT, IO, MEMORY
 * - any negative number of a visitor
 */
XYLEM_API int xylem_reduce(struct xylem_reduction *reduction, struct xylem_txn *txn, struct xylem_position from,
                           const struct xylem_reducer *reducers, size_t reducer_count,
                           const struct xylem_reduce_options *options, struct xylem_error *err);
XYLEM_API void xylem_reduction_release(struct xylem_reduction *reduction);

/* The events with a rehydration: pi's extension interface has the first two. docs/rehydration.md has the table. */
enum xylem_event_type {
    XYLEM_EVENT_SESSION_START = 0,
    XYLEM_EVENT_SESSION_TREE,
    XYLEM_EVENT_TOGGLED /* the host appended its own toggle at the leaf: the path decides, and the flag never does */
};
enum xylem_event_reason {
    XYLEM_REASON_STARTUP = 0,
    XYLEM_REASON_RELOAD,
    XYLEM_REASON_NEW, /* readonly and nudge start from nothing, on every path */
    XYLEM_REASON_RESUME,
    XYLEM_REASON_FORK /* also a clone */
};

struct xylem_event {
    enum xylem_event_type type;
    enum xylem_event_reason reason; /* of a session_start */
    bool flag_readonly;             /* the host was started with --readonly */
    bool flag_is_fallback;          /* on session_start the flag only counts for a path without a toggle */
    const bool *previous_readonly;  /* session_tree, toggled: readonly before the event; NULL: not known */
};

enum xylem_from { XYLEM_FROM_DEFAULT = 0, XYLEM_FROM_FLAG, XYLEM_FROM_PATH };

/* The reason for a nudge, or for none. "Told" is the message of the newest delivered nudge on the path. */
enum xylem_nudge_why {
    XYLEM_NUDGE_NEVER_ON = 0, /* not due: readonly is off, and no nudge "on" lies on the path */
    XYLEM_NUDGE_TOLD,         /* not due: told the present direction */
    XYLEM_NUDGE_NOT_TOLD,     /* due, like all reasons below: nothing was delivered */
    XYLEM_NUDGE_TOLD_OTHER,   /* told the other direction */
    XYLEM_NUDGE_OUTDATED,     /* told "on", but before the newest toggle */
    XYLEM_NUDGE_CHANGED       /* told the present direction, but readonly was different before the event */
};

/* An item of a todo list. */
struct xylem_todo_item {
    int64_t id; /* from 1 to the last id of the list; unique in the list */
    struct xylem_view text;
    bool done;
};

/* A mark of a run stands where an iteration begins, at the end of the last iteration, or where the run breaks off. */
enum xylem_mark_event { XYLEM_MARK_BEGIN = 0, XYLEM_MARK_END, XYLEM_MARK_STOP };

/* The state at a position. The struct owns its bytes and outlives the transaction. */
struct xylem_state {
    struct xylem_position at;
    struct xylem_view at_entry_id; /* data NULL: none */
    struct {
        bool enabled;
        enum xylem_from from;
        struct xylem_position position; /* of the deciding toggle, else none */
        struct xylem_view entry_id;     /* data NULL: none */
    } readonly;
    struct {
        bool due;
        bool direction_on; /* the message: readonly on, or off */
        enum xylem_nudge_why why;
        bool told_on;                        /* the direction of the newest delivered nudge, if any */
        struct xylem_position told_position; /* of the delivered nudge, else none */
        struct xylem_view told_entry_id;     /* data NULL: none */
    } nudge;
    struct {
        bool present;
        struct xylem_view sequence_id;
        struct xylem_view *steps; /* exactly as authored */
        size_t step_count;
        double updated_at; /* the host's number, in pi milliseconds since 1970 */
        struct xylem_position position;
        struct xylem_view entry_id;
    } sequence;
    struct {
        bool present;
        int64_t last_id;               /* the greatest id so far; 0: none */
        struct xylem_todo_item *items; /* items and texts live until the release of the state */
        size_t item_count;
        struct xylem_position position; /* of the entry with the list, else none */
        struct xylem_view entry_id;     /* data NULL: none */
    } todo;
    struct {
        bool present;
        struct xylem_view run_id; /* the text of a UUID */
        struct xylem_view sequence_id;
        enum xylem_mark_event event;
        uint32_t run_index; /* of the iteration, from 0; smaller than total_runs */
        uint32_t total_runs;
        struct xylem_view outcome; /* `done`, `failed`, `stopped` or `paused`; data NULL: none */
        struct xylem_view code;    /* the reason of the outcome, any bytes; data NULL: none */
        struct xylem_position position;
        struct xylem_view entry_id;
    } mark;
    struct xylem_reduction reduction;
    void *pieces; /* for the library alone, like `storage` */
    void *storage;
};

/*
 * Rebuilds the pieces of the state at a position, for an event: a pure function of the path, the event and the previous
 * state. Entries with data of a wrong shape never decide; the state lists the entries as skipped. Reads like
 * xylem_reduce(), with the same options. docs/rehydration.md has the meaning of each piece. Release `state` in any
 * case.
 *
 * Errors:
 * - NOT_FOUND: there is no entry at `at`
 * - ARGUMENT: an unknown event, reason or piece
 * - CORRUPT, IO, MEMORY
 */
XYLEM_API int xylem_rehydrate(struct xylem_state *state, struct xylem_txn *txn, struct xylem_position at,
                              const struct xylem_event *event, const struct xylem_reduce_options *options,
                              struct xylem_error *err);

/* An entry that a host holds in memory. Any bytes may stand in the views; bytes without `data` are refused. */
struct xylem_held_entry {
    struct xylem_view id; /* of any length, also empty; never decides anything */
    /* A line with the type `custom` and a string as `customType` is of the custom kind of that name. */
    struct xylem_kind kind;
    /*
     * JSON: the member `data` of a custom entry, the line of a host's entry (with or without `type`, `id`, `parentId`
     * and `timestamp`). NULL: none. `{"redacted":REASON}` is the data of a redacted entry, as in an export.
     */
    struct xylem_view data;
};

/*
 * xylem_rehydrate() without a store: the same rules over the entries of a path that the host holds. `next` gives the
 * path newest first: 1 and an entry, 0 at the end, or a negative number, which becomes the result of the call. The
 * entry is zeroed before `next` is called, and its bytes must live until the call of `next` after that, or until the
 * end of the rehydration. `next` is called once in any case, for `at_entry_id`, and then until all pieces are decided.
 *
 * The state has ids, and no positions: `at` and every other position is none. `looked_at` counts the entries that were
 * looked at, `decoded_bytes` the bytes of their JSON; `scan` changes nothing. Data that is not JSON, has more than
 * XYLEM_PAYLOAD_BYTES_MAX bytes, XYLEM_VALUES_MAX values or XYLEM_NESTING_MAX levels makes no error: such an entry is
 * skipped, like a payload of a store that cannot be decoded. Of the entries only the wanted kinds are decoded. The
 * state owns its bytes. Release `state` in any case. Any thread; `next` runs in the thread of the caller, and must
 * return.
 *
 * Errors:
 * - ARGUMENT: `next` is NULL, or gave a positive number other than 1, an unknown class of a kind, or a view of bytes
 *   without `data`; an unknown event, reason or piece
 * - MEMORY
 * - any negative number of `next`
 */
XYLEM_API int xylem_rehydrate_from(struct xylem_state *state,
                                   int (*next)(void *context, struct xylem_held_entry *entry), void *context,
                                   const struct xylem_event *event, const struct xylem_reduce_options *options,
                                   struct xylem_error *err);
XYLEM_API void xylem_state_release(struct xylem_state *state);

/*
 * xylem_reduce() over the entries of a path that the host holds, as in xylem_rehydrate_from(): `next` is called once in
 * any case, and then until all reducers are done. Visited entries have an id, a kind, and an lsn that falls from entry
 * to entry, but no position, time or check. Release `reduction` in any case. Any thread.
 *
 * Errors:
 * - ARGUMENT: of the reducers, as in xylem_reduce(); of `next`, as in xylem_rehydrate_from()
 * - MALFORMED, LIMIT: of a kind in text form (xylem_kind_parse())
 * - MEMORY
 * - any negative number of a visitor, or of `next`
 */
XYLEM_API int xylem_reduce_from(struct xylem_reduction *reduction,
                                int (*next)(void *context, struct xylem_held_entry *entry), void *context,
                                const struct xylem_reducer *reducers, size_t reducer_count, struct xylem_error *err);

/*
 * Shows `visit` the state at each entry of the path of `from` that may change a piece, oldest first. The state equals
 * the state of xylem_rehydrate() at the entry, but `skipped` lists at most the entry itself; `scan` concerns the search
 * for the entries. The reads grow with the number of these entries, while a rehydration at each entry may read all
 * earlier entries. The state is borrowed: do not release the state, which lives until `visit` returns. `visit` must not
 * write in the transaction.
 *
 * Errors:
 * - STOPPED: `visit` answered anything but 0
 * - NOT_FOUND: there is no entry at `from`
 * - ARGUMENT: an unknown event, reason or piece
 * - CORRUPT, IO, MEMORY
 */
XYLEM_API int xylem_rehydrate_each(struct xylem_txn *txn, struct xylem_position from, const struct xylem_event *event,
                                   const struct xylem_reduce_options *options,
                                   int (*visit)(void *context, const struct xylem_state *state), void *context,
                                   struct xylem_error *err);

/*
 * The kinds in text form of the entries that decide on one piece (of XYLEM_PIECE_NUDGE: without the kinds of readonly);
 * NULL at the end. NULL if `piece` is not exactly one piece. Static; any thread.
 */
XYLEM_API const char *const *xylem_state_kinds(unsigned piece);

/*
 * The names of all pieces, such as `readonly`; NULL at the end. The first name belongs to the bit 1, the next to the
 * bit 2, and so on: with the list a caller goes over unknown pieces. Static; any thread.
 */
XYLEM_API const char *const *xylem_piece_names(void);

/* The amount of detail about a piece. */
enum xylem_detail {
    XYLEM_DETAIL_BRIEF = 0, /* for a cell of a table */
    XYLEM_DETAIL_VALUE,     /* the value, without its source */
    XYLEM_DETAIL_WHOLE,     /* the deciding entry, too */
    XYLEM_DETAIL_EXPLAINED  /* in words also the reasons; in JSON the same as XYLEM_DETAIL_WHOLE */
};

/*
 * Appends a piece as members of a JSON object, without braces, such as `"readonly":true`: with XYLEM_DETAIL_WHOLE, the
 * members in xylem_state_json(). Without a deciding entry a member is `null` or a default. After an error the buffer is
 * unchanged. Any thread.
 *
 * Errors:
 * - ARGUMENT: `piece` is not exactly one piece
 * - MEMORY
 */
XYLEM_API int xylem_piece_json(struct xylem_buffer *buffer, const struct xylem_state *state, unsigned piece,
                               enum xylem_detail detail);

/*
 * 1 if a piece has different values in two states, else 0.
 *
 * Errors:
 * - ARGUMENT: `piece` is not exactly one piece
 * - MEMORY
 */
XYLEM_API int xylem_piece_differs(const struct xylem_state *a, const struct xylem_state *b, unsigned piece);

/* A piece of the state in words for people. The words in their order make a line. */
enum xylem_word_type {
    XYLEM_WORD_TEXT = 0, /* `text`: plain English without control bytes; static */
    XYLEM_WORD_FOREIGN,  /* `text`: any bytes from an entry; escape the bytes, and cut them to the room */
    XYLEM_WORD_COUNT,    /* `number` */
    XYLEM_WORD_ENTRY,    /* the entry at `position`, none for a held entry; `text` is the id */
    XYLEM_WORD_BREAK     /* a place to break the line: the words behind explain the words before */
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
    const struct xylem_event *event; /* the event of the rehydration; NULL: a session_start, startup */
    const struct xylem_state *other; /* a state with the same value: also name its deciding entries; or NULL */
};

/*
 * Gives the words for a piece and returns their number, at most XYLEM_WORDS_MAX; `words` must have room for as many.
 * With XYLEM_DETAIL_BRIEF a piece without news has no words. 0 if `piece` is not exactly one piece. `options` may be
 * NULL. Any thread.
 */
XYLEM_API size_t xylem_piece_words(struct xylem_word *words, const struct xylem_state *state, unsigned piece,
                                   const struct xylem_words_options *options);

/* A part of a piece: a step of the sequence, an item of the todo list. */
struct xylem_part {
    uint64_t number;        /* the number for people; 0: the place of the part, from 1 on */
    const char *mark;       /* before the text, such as `[x] `, or empty; static */
    struct xylem_view text; /* any bytes from an entry; lives as long as the state */
};

/* True and the part of an index, from 0 on; false if the piece has fewer parts. Any thread. */
XYLEM_API bool xylem_piece_part(struct xylem_part *part, const struct xylem_state *state, unsigned piece, size_t index);

/*
 * Appends the state as one JSON document without a newline; docs/rehydration.md names the members. Any thread.
 *
 * Errors:
 * - MEMORY: the buffer is unchanged
 */
XYLEM_API int xylem_state_json(struct xylem_buffer *buffer, const struct xylem_state *state,
                               struct xylem_view session_id);

#define XYLEM_HEAD_BYTES_MAX 65536u

/*
 * Appends the head of a session, at most XYLEM_HEAD_BYTES_MAX bytes of JSON: what another machine needs to show the
 * session, and to go on, before the history has arrived there.
 *
 *     {"schema":1,"session":ID,"leaf":ID,"depth":N,"check":HEX,    an empty session: null, 0, null
 *      "state":{...},            each piece at the leaf with its deciding entry, at the start of a session, as in
 *                                xylem_piece_json()
 *      "left_out":[NAME...],     pieces that did not fit
 *      "entries":[{...}...],     up to `newest` entries of the leaf's path, newest first, as in xylem_entry_describe();
 *                                one that does not fit, or has more than XYLEM_HEAD_BYTES_MAX stored bytes,
 *                                has `"payload_left_out":true` in the place of its payload
 *      "more":BOOLEAN}           the path has older entries
 *
 * After an error the buffer is unchanged.
 *
 * Errors:
 * - NOT_FOUND: there is no session of that number
 * - CORRUPT, IO, MEMORY
 */
XYLEM_API int xylem_head_json(struct xylem_buffer *buffer, struct xylem_txn *txn, uint64_t session, uint32_t newest,
                              struct xylem_error *err);

#ifdef __cplusplus
}
#endif

#endif
