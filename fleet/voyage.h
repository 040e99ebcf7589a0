/*
 * One session on its way to the engine, as shipper.c drives it: a ship (ship.h) with the store beside it. Private to
 * shipper.c, land.c, voyage.c, rewrite.c and cargo.c, each of which uses those behind it.
 *
 *     the feed ──> wanted ──> claim, look, compare, keep ──> rewrite what was redacted ──> append ... ──> not wanted
 *                                └──> an end: settled in the store ──> begins anew, or is left
 */
#ifndef FLEET_VOYAGE_H
#define FLEET_VOYAGE_H

#include "fleet/settle.h"
#include "fleet/ship.h"
#include "fleet/shipper.h"
#include "fleet/traffic.h"

/*
 * Segments of the engine that are packed again, because a text was redacted: those with an ordinal of [from, to); with
 * `documents` also those that have a document, which may hold quarantined lines; with `show` the last one, since head and
 * `about` come with a segment.
 */
struct fleet_redo {
    uint64_t from;
    uint64_t to;
    bool documents;
    bool show;
    bool takes;         /* a text is taken out, which is told; else a fork names its source anew, or nobody knows */
    uint64_t done_from; /* from the first that was written to the last; 0: none was */
    uint64_t done_to;
    uint64_t at;         /* segments before are done; 0: not begun */
    uint64_t piece_from; /* a segment that is to be packed; 0: none is known */
    uint64_t piece_to;
    uint64_t piece_chain;
};

/* Sums of what the engine's row shows; 0: not known. */
struct fleet_shown {
    uint64_t head;
    uint64_t about;
};

struct fleet_voyage {
    struct fleet_shipper *shipper;
    uint64_t number; /* of the session */
    struct xylem_buffer id;
    struct xylem_buffer host; /* of the engine's row, when last seen */
    struct fleet_ship ship;
    struct fleet_local local;
    uint64_t last;     /* the ordinal of the newest change of the window */
    bool wanted;       /* not done with the window yet */
    bool asked;        /* fleet_ships was asked */
    bool held;         /* not shipped, and told so */
    bool frees;        /* the session was freed in the store */
    bool pulls;        /* the engine has more under the token of this store: a pull brings it */
    bool on_way;       /* a request is */
    uint64_t later_ms; /* no step before */
    bool retries;      /* a process holds the session: settled at `later_ms`, and the window does not wait */
    bool told_in_use;
    bool is_read; /* the owner's segment was asked for, to settle with */
    struct xylem_buffer segment;
    struct fleet_redo redo;
    struct fleet_redo redone;   /* since the last append that was acknowledged: fleet_redo_again() */
    struct fleet_request sent;  /* the request on its way, without its views */
    struct fleet_shown showing; /* behind that request, if it is done */
    struct fleet_shown shown;
};

struct fleet_shipper {
    struct xylem_store *store;
    struct fleet_shipper_options options;
    struct fleet_traffic traffic;
    struct xylem_txn *txn;      /* from which voyages send */
    bool is_synced;             /* what the transaction sees */
    struct fleet_cursor cursor; /* behind what is acknowledged: the note may be older */
    uint64_t noted_lsn;         /* in the note */
    uint64_t note_ms;           /* the note is not written again before */
    struct xylem_cursor end;    /* of the window */
    bool has_window;
    bool is_full;     /* the window has as many changes as a window may have */
    uint64_t news_ms; /* when the first change behind the cursor was seen; 0: none was */
    uint64_t backlog;
    struct fleet_voyage **voyages; /* in the order of their numbers */
    size_t count;
    size_t capacity;
    struct fleet_puller *puller; /* for what the engine has and a restored store has not */
    struct xylem_buffer body;
    struct xylem_buffer head;
    struct xylem_buffer about;
};

/* --- cargo.c ------------------------------------------------------------------------------------------------------ */

void fleet_voyage_tell(const struct fleet_voyage *voyage, struct fleet_news news);
/* The session is not shipped: tells so, and gives 0. */
int fleet_voyage_hold(struct fleet_voyage *voyage, enum fleet_news_type type, const char *text);
/* Sends a request of the voyage, if the engine takes one now. */
int fleet_voyage_send(struct fleet_voyage *voyage, struct fleet_request *request, struct xylem_error *err);
/*
 * 1 and a segment of the changes from an ordinal on in the request, with the head and what lists show if the segment ends the
 * session; 0: there is none, or the session is held. `to` 0: up to the end of the session. `whole`: all of them in one
 * segment, which is shown in any case. NOT_FOUND: the store has fewer changes, or nothing of a freed session.
 */
int fleet_voyage_pack(struct fleet_request *request, struct fleet_voyage *voyage, uint64_t from, uint64_t to,
                      bool whole, struct xylem_error *err);

/* --- rewrite.c ---------------------------------------------------------------------------------------------------- */

bool fleet_redo_wanted(const struct fleet_voyage *voyage);
/* Notes what is to be packed again, too. */
void fleet_redo_add(struct fleet_redo *redo, const struct fleet_redo *more);
/*
 * An append was not acknowledged: what an earlier one brought, given up and late, may have a text that was not yet there
 * when the segments were packed again.
 */
void fleet_redo_again(struct fleet_voyage *voyage);
int fleet_redo_step(struct fleet_voyage *voyage, struct xylem_error *err);
void fleet_redo_answer(struct fleet_voyage *voyage, const struct fleet_answer *answer);

/* --- voyage.c ----------------------------------------------------------------------------------------------------- */

/* True if this store may ship the session of the row: no other store owns it, and it is neither freed nor half imported. */
bool fleet_voyage_owns(const struct xylem_session *row);
/* Begins anew by what the store says. 0: the session is gone, freed or follows another owner: nothing is to be shipped. */
int fleet_voyage_begin(struct fleet_voyage *voyage, struct xylem_txn *txn, struct xylem_error *err);
/* Sends what is to be sent: 1 if the voyage came on without a request, else 0. */
int fleet_voyage_step(struct fleet_voyage *voyage, struct xylem_error *err);
int fleet_voyage_answer(struct fleet_voyage *voyage, const struct fleet_answer *answer, struct xylem_error *err);

/* --- land.c ------------------------------------------------------------------------------------------------------- */

/* Writes into the store what voyages came to: epochs, and ends. The number of voyages that came on. */
int fleet_land(struct fleet_shipper *shipper, struct xylem_error *err);

#endif
