/*
 * The ship of a store: reads the feed behind its cursor, and brings each changed session to the engine. The cursor moves
 * only over changes that the engine acknowledged, and is kept in the note `fleet:ENGINE:ship`: after a crash the rest is sent
 * again, and stored once.
 *
 * Lists show of a session, with its last changes, `about`:
 *
 *     {"name":TEXT or null,"prompt":TEXT or null,"cwd":TEXT or null,"entries":N,"active":MS,"created":MS,
 *      "parent":ID or null,"base":ID or null,"deleted":BOOLEAN}
 *
 * The prompt has the first words of a session without a name. Of a freed session there is only `deleted`. Texts are cut at
 * 256 bytes, a directory at 1,024.
 */
#ifndef FLEET_SHIPPER_H
#define FLEET_SHIPPER_H

#include "fleet/news.h"
#include "xylem/feed.h"

#define FLEET_DEADLINE_MS 10000u /* an answer that takes longer is an unknown outcome */
#define FLEET_GROUP_MS 20u       /* changes wait so long for others, unless the options say otherwise */
#define FLEET_HEAD_ENTRIES 4u    /* newest entries in a head */

/* 1: the session is shipped; 0: no, and `reason` (static) says why. Asked once a session, before its first request. */
typedef int fleet_ships(void *context, struct xylem_txn *txn, const struct xylem_session *session, const char **reason);

struct fleet_shipper_options {
    struct xylem_view host; /* the name that other hosts see: 1 to FLEET_HOST_BYTES_MAX bytes of UTF-8 */
    fleet_ships *ships;     /* NULL: every session that the store owns */
    fleet_tell *tell;       /* NULL: nobody */
    void *context;          /* of both */
    uint64_t group_ms;      /* UINT64_MAX: FLEET_GROUP_MS */
    uint64_t deadline_ms;   /* 0: FLEET_DEADLINE_MS */
};

struct fleet_shipper;

/*
 * The engine is the ship's alone, since an answer goes to whoever polls; the engine and the store must live as long as the
 * ship. `options` are copied, but for what they point to. The first call
 * for an engine draws the token with which this store claims, and keeps it in the cursor's note; a store that began
 * another life (xylem_incarnation_read()) draws another token.
 *
 * Errors: those of xylem_note_put()
 */
int fleet_shipper_new(struct fleet_shipper **shipper, struct xylem_store *store, struct fleet_engine *engine,
                      const struct fleet_shipper_options *options, struct xylem_error *err);
/*
 * Takes answers, settles ends, sends what can be sent. Never waits for the engine; reads and writes the store.
 * `now_ms` is of any clock that only goes forward. Call again when the engine's descriptor or the store's wake-up is
 * readable, or after `turn->wait_ms`.
 *
 * Errors: of the store; the ship can go on with the next turn after BUSY and MAP_FULL, else free the ship
 */
int fleet_shipper_turn(struct fleet_turn *turn, struct fleet_shipper *shipper, uint64_t now_ms,
                       struct xylem_error *err);
/*
 * Ships a session from where the engine stands, wherever the cursor is: the cursor passes changes of sessions that are held
 * back, so one that is not held back any more must be named. The session is asked for by `ships`, too.
 *
 * Errors: those of xylem_session_read()
 */
int fleet_shipper_add(struct fleet_shipper *shipper, uint64_t session, struct xylem_error *err);
/*
 * Writes the note, if it is behind what is acknowledged: for the end of a ship. Turns do it once a second at most. A ship that
 * goes on behind an older note sends some changes again, and they are stored once.
 *
 * Errors: those of xylem_note_put()
 */
int fleet_shipper_note(struct fleet_shipper *shipper, struct xylem_error *err);
/*
 * The token of the store; the lsn up to which all changes are acknowledged, or left behind on purpose; and changes of the feed
 * behind (0: all are).
 */
const unsigned char *fleet_shipper_token(const struct fleet_shipper *shipper);
uint64_t fleet_shipper_acknowledged(const struct fleet_shipper *shipper);
uint64_t fleet_shipper_backlog(const struct fleet_shipper *shipper);
/* Requests on their way are dropped. */
void fleet_shipper_free(struct fleet_shipper *shipper);

/* --- The note of a store for an engine (cursor.c) ------------------------------------------------------------------ */

/*
 * The note `fleet:ENGINE:ship`, ENGINE as 32 hex digits: the token, the incarnation for which it was drawn, the cursor.
 */
struct fleet_cursor {
    unsigned char token[FLEET_TOKEN_BYTES];
    struct xylem_cursor cursor; /* lsn 0: nothing was shipped */
};

/* 1, or 0: the store has no note for the engine. CORRUPT: the note is damaged. */
int fleet_cursor_read(struct fleet_cursor *cursor, struct xylem_txn *txn, const unsigned char *engine,
                      struct xylem_error *err);
int fleet_cursor_write(const struct fleet_cursor *cursor, struct xylem_txn *txn, const unsigned char *engine,
                       struct xylem_error *err);

#endif
