/*
 * An engine keeps the sessions of a fleet: for each session a row, which says who may append and how far the session
 * goes, and the segments. An engine is a table of functions, so that PostgreSQL, a directory and the simulation's memory
 * can stand behind the same ships and pulls.
 *
 * One request is one transaction. Answers come in any order, by the number of the request.
 */
#ifndef FLEET_ENGINE_H
#define FLEET_ENGINE_H

#include "xylem/segment.h"

#define FLEET_TOKEN_BYTES 16u
#define FLEET_HOST_BYTES_MAX 200u              /* the name of an owner, for people */
#define FLEET_ABOUT_BYTES_MAX 4096u            /* what lists show of a session, JSON */
#define FLEET_ORDINAL_MAX 9223372036854775807u /* SQL counts to 2^63 - 1 */

/* --- Requests ----------------------------------------------------------------------------------------------------- */

/*
 * Requests that write acknowledge: DONE says that two nodes have what the answer shows. ROW, READ and LIST show what the
 * engine sees, and that may be lost with the primary: they decide nothing about ownership.
 */
enum fleet_ask {
    FLEET_ROW,     /* the row of a session, with its head */
    FLEET_CLAIM,   /* the owner becomes `owner`, if the epoch is `epoch`; the epoch grows by one */
    FLEET_LOOK,    /* the row, written once more: its DONE acknowledges all that the row shows */
    FLEET_APPEND,  /* the changes [from, to), if epoch, owner, next ordinal and chain are as the request says */
    FLEET_REWRITE, /* other bytes for the segment [from, to): a text was redacted. The row's generation grows by one */
    FLEET_FREE,    /* the session was freed: `body` (may be empty) has what forks need, all other segments go */
    FLEET_RELEASE, /* the session has no owner any more */
    FLEET_READ,    /* the row, and segments that end behind `from`, in the order of their ordinals */
    FLEET_LIST,    /* rows in the order of the bytes of their ids */
    FLEET_ASK_COUNT
};

struct fleet_request {
    enum fleet_ask ask;
    struct xylem_view session; /* its id, in the empty namespace; all but LIST */
    /* CLAIM: the epoch that was seen. APPEND, REWRITE, FREE, RELEASE: the epoch of the claim. */
    uint64_t epoch;
    unsigned char owner[FLEET_TOKEN_BYTES]; /* the asker; `mine` of the row compares with this token */
    struct xylem_view host;                 /* CLAIM: the asker's name, for people */
    bool make;                              /* CLAIM: a missing session is made, from ordinal 1 on, with epoch + 1 */
    /*
     * REWRITE: the generation that the row has. A rewrite that was given up may arrive late: behind another rewrite it
     * would bring back what that one took out.
     */
    uint64_t generation;
    uint64_t from;          /* APPEND, REWRITE: the first ordinal; READ: the first that is missing */
    uint64_t to;            /* APPEND, REWRITE: behind the last ordinal */
    uint64_t before;        /* APPEND: the session's chain behind from - 1 */
    uint64_t after;         /* APPEND: the chain behind to - 1 */
    struct xylem_view body; /* APPEND, REWRITE, FREE: a segment */
    /* A redacted text may stand in these, too: a fork's head shows entries of its source. */
    struct xylem_view about;  /* APPEND, REWRITE, FREE: what lists show; data NULL: stays */
    struct xylem_view head;   /* APPEND, REWRITE: xylem_head_json(); data NULL: stays. FREE takes the head away */
    uint32_t limit;           /* READ: segments at most; LIST: rows at most */
    struct xylem_view behind; /* LIST: ids behind this one; data NULL: from the first */
};

/* --- Answers ------------------------------------------------------------------------------------------------------ */

enum fleet_outcome {
    FLEET_DONE,    /* as the request says */
    FLEET_NO,      /* nothing was written: there is no such row, or the row says otherwise */
    FLEET_RETRY,   /* nothing was written, and the same request may succeed now: two transactions met */
    FLEET_UNKNOWN, /* written, or not, or written where it may be lost: LOOK says which. Never a success */
    FLEET_REFUSED, /* nothing was written, and a person must act: no quorum, fsync off, no permission. The text says it */
    FLEET_UNREACHABLE, /* not sent: no node that takes writes answers */
    FLEET_OUTCOME_COUNT
};

struct fleet_row {
    struct xylem_view id;
    uint64_t epoch;
    uint64_t next;  /* the ordinal of the next change */
    uint64_t chain; /* behind the change next - 1 */
    bool mine;      /* the owner has the token of the request */
    bool unowned;   /* released */
    bool freed;
    uint64_t generation;     /* counts rewrites */
    uint64_t bytes;          /* of all segments, as they are kept */
    struct xylem_view host;  /* of the owner, for people */
    uint64_t silent_ms;      /* since the owner was heard from, by the engine's clock: a hint, no safety rests on it */
    struct xylem_view about; /* data NULL: none */
    struct xylem_view head;  /* ROW and CLAIM alone; data NULL: none */
};

struct fleet_piece {
    uint64_t from; /* 0: the remains of a freed session */
    uint64_t to;
    uint64_t chain;
    uint64_t generation;    /* of the row when the piece was written */
    struct xylem_view body; /* a segment */
};

/* Rows, pieces and views live until the next poll. */
struct fleet_answer {
    uint64_t number;
    enum fleet_ask ask;
    enum fleet_outcome outcome;
    const struct fleet_row *rows; /* DONE of ROW, CLAIM, LOOK, READ: one; DONE of LIST: any number; else none */
    size_t row_count;
    const struct fleet_piece *pieces; /* READ; fewer than `limit` if they are large */
    size_t piece_count;
    const char *text; /* for a person, with any outcome but DONE: what happened, and what to do; never NULL */
};

/* --- The engine --------------------------------------------------------------------------------------------------- */

struct fleet_engine {
    unsigned char id[16]; /* drawn by `fleet init`; names the notes of the store */
    /*
     * The last number of a request, 0: none. Each asker counts on from here: an asker that ends leaves answers that arrive
     * later, and none of them may have the number of a request of the next asker.
     */
    uint64_t last_number;
    /*
     * Sends a request; the request may go afterwards. BUSY: as many are on their way as the engine takes.
     * LIMIT: a member is longer than its limit. MEMORY.
     */
    int (*submit)(struct fleet_engine *engine, uint64_t number, const struct fleet_request *request,
                  struct xylem_error *err);
    /* 1 and an answer, or 0: none has arrived. Never waits. MEMORY. */
    int (*poll)(struct fleet_engine *engine, struct fleet_answer *answer, struct xylem_error *err);
    /* A descriptor that becomes readable when poll() has work; -1: none. */
    int (*fd)(struct fleet_engine *engine);
    /*
     * The asker's deadline has passed: gives the request up without cancelling it at the server, for a cancelled
     * COMMIT answers success. A writing request that was sent is then answered UNKNOWN, any other UNREACHABLE.
     */
    void (*drop)(struct fleet_engine *engine, uint64_t number);
    void (*free)(struct fleet_engine *engine);
};

/* True for requests that write. */
bool fleet_ask_writes(enum fleet_ask ask);
/* True if the segment of a piece is of the session, and has the changes and the chain that the piece says. */
bool fleet_piece_fits(const struct fleet_piece *piece, const struct xylem_segment *segment, struct xylem_view session);
const char *fleet_ask_word(enum fleet_ask ask);             /* `append` */
const char *fleet_outcome_word(enum fleet_outcome outcome); /* `unknown` */

#endif
