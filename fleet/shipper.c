/*
 * Reads the feed in windows. A window is done when each of its sessions is acknowledged up to the end of the window, or is
 * left behind on purpose; then the cursor moves. Voyages stay between windows, since they know where the engine stands.
 */
#include "fleet/shipper.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/numbers.h"
#include "fleet/haul.h"
#include "fleet/voyage.h"
#include "xylem/branch.h"
#include "xylem/files.h"
#include "xylem/line.h"

#define WINDOW_CHANGES 4096u
#define VOYAGES_KEPT 8192u
#define NOTE_MS 1000u /* between two writes of the note: each holds the store's lock, and wakes who follows the store */

/* --- Lives of the store ------------------------------------------------------------------------------------------- */

/*
 * The token stands for one life of the store:
 *
 *     no note                 a first token; the feed from its beginning
 *     same incarnation        goes on. An older copy of the directory that took the store's place is such a store, too: its
 *                             note is as old as its changes, so the cursor fits, and a look shows that the engine has more
 *     another incarnation     a backup that was written since, or a repair. The store that the backup was made of may go on
 *                             with the token, so this life draws another one: its sessions are the other store's, until
 *                             somebody claims them. A look comes before each append, so nothing is sent under the old token.
 *                             The cursor goes on where both lives are one; if the feed refuses it, from the beginning:
 *                             then each session compares its chain with the engine
 */
static bool is_this_life(const struct fleet_cursor *cursor, const struct xylem_incarnation *life)
{
    return memcmp(cursor->cursor.incarnation, life->uuid, sizeof life->uuid) == 0;
}

int fleet_shipper_note(struct fleet_shipper *shipper, struct xylem_error *err)
{
    struct xylem_txn *txn;
    if (shipper->noted_lsn == shipper->cursor.cursor.lsn) {
        return XYLEM_OK;
    }
    int code = xylem_begin(&txn, shipper->store, XYLEM_WRITE, err);
    if (code < 0) {
        return code;
    }
    code = fleet_cursor_write(&shipper->cursor, txn, shipper->traffic.engine->id, err);
    code = fleet_end(txn, code == XYLEM_OK ? 1 : code, err);
    if (code < 0) {
        return code;
    }
    shipper->noted_lsn = shipper->cursor.cursor.lsn;
    shipper->note_ms = shipper->traffic.now_ms + NOTE_MS;
    return XYLEM_OK;
}

static bool is_resting(const struct fleet_voyage *voyage)
{
    return !voyage->wanted && !voyage->on_way && !voyage->held && !voyage->pulls && !voyage->retries;
}

/* Forgets all voyages; or those that rest: a look shows where the engine stands. */
static void forget_voyages(struct fleet_shipper *shipper, bool all)
{
    size_t kept = 0;
    for (size_t i = 0; i < shipper->count; i++) {
        struct fleet_voyage *voyage = shipper->voyages[i];
        if (!all && !is_resting(voyage)) {
            shipper->voyages[kept++] = voyage;
            continue;
        }
        xylem_buffer_release(&voyage->id);
        xylem_buffer_release(&voyage->host);
        xylem_buffer_release(&voyage->segment);
        free(voyage);
    }
    shipper->count = kept;
}

/* A feed behind the cursor; `*begins`: from the beginning, since the cursor is none of this life. */
static int open_feed(struct xylem_feed **feed, bool *begins, struct xylem_txn *txn, const struct fleet_cursor *cursor,
                     struct xylem_error *err)
{
    int code = cursor->cursor.lsn ? xylem_feed_new(feed, txn, &cursor->cursor, err) : XYLEM_E_CONFLICT;
    *begins = code == XYLEM_E_CONFLICT;
    return *begins ? xylem_feed_new(feed, txn, NULL, err) : code;
}

/* Draws a token, and finds the place from which this life ships. */
static int begin_life(struct fleet_shipper *shipper, bool is_first, struct xylem_error *err)
{
    struct fleet_cursor cursor = {.cursor = shipper->cursor.cursor};
    struct xylem_incarnation life;
    struct xylem_feed *feed = NULL;
    struct xylem_txn *txn;
    bool begins = true;
    int code = xylem_begin(&txn, shipper->store, XYLEM_READ, err);
    if (code < 0) {
        return code;
    }
    if ((code = xylem_incarnation_read(&life, txn, err)) == XYLEM_OK &&
        (code = open_feed(&feed, &begins, txn, &cursor, err)) == XYLEM_OK) {
        code = xylem_base__random(cursor.token, sizeof cursor.token, err);
    }
    xylem_feed_free(feed);
    xylem_abort(txn);
    if (code < 0) {
        return code;
    }
    cursor.cursor.lsn = begins ? 0 : cursor.cursor.lsn;
    cursor.cursor.chain = begins ? 0 : cursor.cursor.chain;
    memcpy(cursor.cursor.incarnation, life.uuid, sizeof life.uuid);
    fleet_traffic_drop(&shipper->traffic, shipper);
    forget_voyages(shipper, true);
    shipper->has_window = false;
    struct fleet_cursor before = shipper->cursor;
    shipper->cursor = cursor;
    shipper->noted_lsn = UINT64_MAX; /* the note has another token */
    code = fleet_shipper_note(shipper, err);
    shipper->cursor = code < 0 ? before : cursor; /* nothing is claimed with a token that is not kept */
    if (code == XYLEM_OK && !is_first) {
        fleet_traffic_tell(&shipper->traffic,
                           &(struct fleet_news){.type = FLEET_NEWS_BEGUN_ANEW,
                                                .text = "the store is a restored backup, or was repaired: the sessions "
                                                        "that it shipped before are another store's now; claim those "
                                                        "that go on here"});
    }
    return code;
}

/* --- Voyages ------------------------------------------------------------------------------------------------------ */

/* The voyage of a session, which is made if there is none: its id is empty then. */
static int find_voyage(struct fleet_voyage **voyage, struct fleet_shipper *shipper, uint64_t number,
                       struct xylem_error *err)
{
    size_t low = 0;
    size_t high = shipper->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool is_behind = shipper->voyages[middle]->number < number;
        low = is_behind ? middle + 1 : low;
        high = is_behind ? high : middle;
    }
    if (low == shipper->count || shipper->voyages[low]->number != number) {
        struct fleet_voyage **voyages =
            xylem_base__with_room(shipper->voyages, &shipper->capacity, shipper->count, sizeof(struct fleet_voyage *));
        struct fleet_voyage *made = voyages ? calloc(1, sizeof *made) : NULL;
        shipper->voyages = voyages ? voyages : shipper->voyages;
        if (!made) {
            return xylem_base__fail_memory(err);
        }
        made->shipper = shipper;
        made->number = number;
        memmove(&voyages[low + 1], &voyages[low], (shipper->count - low) * sizeof(struct fleet_voyage *));
        voyages[low] = made;
        shipper->count++;
    }
    *voyage = shipper->voyages[low];
    return XYLEM_OK;
}

static bool is_any_wanted(const struct fleet_shipper *shipper)
{
    for (size_t i = 0; i < shipper->count; i++) {
        if (shipper->voyages[i]->wanted || shipper->voyages[i]->pulls) {
            return true;
        }
    }
    return false;
}

/* --- A window ----------------------------------------------------------------------------------------------------- */

struct window {
    struct fleet_shipper *shipper;
    struct xylem_txn *txn;
    struct xylem_base__numbers renamed; /* sessions that have another id: their forks name it with their first change */
    struct xylem_base__numbers trees;   /* in which an entry was redacted */
    struct xylem_base__numbers dropped; /* and lost its hash: all checks behind are others */
    struct xylem_error *err;
};

/* NULL: the session may be shipped. */
static const char *why_not(const struct window *window, const struct xylem_session *session)
{
    const struct fleet_shipper_options *options = &window->shipper->options;
    const char *reason = "the host holds the session back";
    if (session->name_space.bytes > 0) {
        return "a session in a namespace stays in its store";
    }
    if (session->history.count > FLEET_ORDINAL_MAX) {
        return "the session has more changes than the engine can count";
    }
    return options->ships && options->ships(options->context, window->txn, session, &reason) == 0 ? reason : NULL;
}

/* The session has something to ship, or to rewrite. NULL in `*voyage`: it is not shipped. */
static int want(struct fleet_voyage **wanted, struct window *window, const struct xylem_session *session)
{
    struct fleet_voyage *voyage;
    *wanted = NULL;
    int code = find_voyage(&voyage, window->shipper, session->number, window->err);
    if (code < 0 || voyage->held) {
        return code;
    }
    if (voyage->frees || voyage->id.bytes == 0) {
        code = fleet_voyage_begin(voyage, window->txn, window->err);
        if (code <= 0) {
            return code;
        }
    }
    if (!voyage->asked) {
        const char *reason = why_not(window, session);
        voyage->asked = true;
        if (reason) {
            return fleet_voyage_hold(voyage, FLEET_NEWS_HELD, reason);
        }
    }
    voyage->wanted = true;
    voyage->local.count = session->history.count;
    *wanted = voyage;
    return XYLEM_OK;
}

/* The session was freed, or what is left of it lost a text. */
static int want_freed(struct window *window, uint64_t number, struct xylem_view id)
{
    struct fleet_voyage *voyage;
    int code = find_voyage(&voyage, window->shipper, number, window->err);
    if (code < 0) {
        return code;
    }
    const struct fleet_local local = {.epoch = 1, .count = 0}; /* a look shows the epoch */
    voyage->redo = voyage->redone = (struct fleet_redo){.from = 0};
    voyage->frees = voyage->wanted = true;
    voyage->held = voyage->retries = false;
    fleet_ship_begin(&voyage->ship, &local);
    window->shipper->note_ms = 0; /* read again, this change would let go of another session that got the id since */
    return id.bytes > 0 ? fleet_keep_text(&voyage->id, id, window->err) : XYLEM_OK; /* a repair loses an id */
}

/* What is left of a freed session lost a text: the packing tells the id. */
static int note_remains(struct window *window, uint64_t number)
{
    struct xylem_buffer bytes = {NULL, 0, 0};
    struct xylem_segment segment;
    struct xylem_packing *packing;
    int code = xylem_packing_new(&packing, window->txn, number, NULL, window->err);
    if (code == XYLEM_OK) {
        code = xylem_packing_next(&bytes, &segment, packing, window->err);
        bool is_shipped = code == 1 && !segment.name_space.data && segment.session.bytes > 0;
        code = is_shipped ? want_freed(window, number, segment.session) : code;
        xylem_packing_free(packing);
    }
    xylem_buffer_release(&bytes);
    return code < 0 && code != XYLEM_E_NOT_FOUND ? code : XYLEM_OK;
}

/* --- Redactions in a window --------------------------------------------------------------------------------------- */

/* 1 if the session has lines in quarantine; `redacted`: some lost their bytes. Else 0. */
static int look_at_quarantine(bool *redacted, struct window *window, uint64_t session)
{
    struct xylem_quarantine *quarantine;
    struct xylem_quarantined row;
    bool any = false;
    int code = xylem_quarantine_new(&quarantine, window->txn, session, window->err);
    if (code < 0) {
        return code;
    }
    *redacted = false;
    while (!*redacted && (code = xylem_quarantine_next(&row, quarantine, window->err)) > 0) {
        any = true;
        *redacted = row.reason == XYLEM_IMPORT_REDACTED;
    }
    xylem_quarantine_free(quarantine);
    return code < 0 ? code : any;
}

/* A text of a session file may stand in the document of an older segment: a quarantined line, a torn last line. */
static int note_documents(struct window *window, struct fleet_voyage *voyage, const struct xylem_session *session,
                          bool is_redaction)
{
    bool redacted;
    int any = look_at_quarantine(&redacted, window, session->number);
    if (any >= 0 && (redacted || (is_redaction && (any > 0 || session->imported_leaf.depth > 0)))) {
        fleet_redo_add(&voyage->redo, &(struct fleet_redo){.documents = true, .takes = true});
    }
    return any < 0 ? any : XYLEM_OK;
}

/* `voyage` NULL: the session of the entry is not shipped by this store. Forks may be, and show the entry in their heads. */
static int note_redacted(struct window *window, struct fleet_voyage *voyage, const struct xylem_session *session,
                         const struct xylem_change *change)
{
    struct xylem_entry entry;
    uint64_t owner;
    uint64_t ordinal;
    int code = xylem_entry_read(&entry, window->txn, change->position, window->err);
    if (code == XYLEM_E_FREED || code == XYLEM_E_NOT_FOUND) {
        return XYLEM_OK;
    }
    code = code < 0 ? code : xylem_base__numbers_note(&window->trees, session->tree, window->err);
    bool drops = code == XYLEM_OK && (entry.flags & XYLEM_ENTRY_HASH_DROPPED);
    code = drops ? xylem_base__numbers_note(&window->dropped, session->tree, window->err) : code;
    if (code < 0 || !voyage) {
        return code;
    }
    code = xylem_entry_ordinal(&owner, &ordinal, window->txn, change->position, window->err);
    if (code < 0) {
        return code;
    }
    fleet_redo_add(&voyage->redo, &(struct fleet_redo){.from = ordinal, .to = ordinal + 1, .takes = true});
    return note_documents(window, voyage, session, true);
}

static int note_side(struct window *window, struct fleet_voyage *voyage, const struct xylem_session *session,
                     const struct xylem_change *change)
{
    struct xylem_side side;
    int code = xylem_side_read(&side, window->txn, session->number, change->side_lsn, window->err);
    if (code == XYLEM_OK && side.redacted) { /* the change that made the row may be any one before */
        fleet_redo_add(&voyage->redo, &(struct fleet_redo){.from = 1, .to = change->ordinal, .takes = true});
    }
    return code == XYLEM_E_NOT_FOUND ? XYLEM_OK : code;
}

/*
 * A session that diverged has another id, and tells so by a navigation to where it stands. A navigation of a person may look
 * like that: then the first segments of forks are written once more, as they are.
 */
static int note_moved(struct window *window, const struct xylem_session *session, const struct xylem_change *change)
{
    struct xylem_move move;
    int code = xylem_move_read(&move, window->txn, session->number, change->move_number, window->err);
    bool stays = code == XYLEM_OK && move.from.branch == move.to.branch && move.from.depth == move.to.depth;
    return !stays || session->parent.bytes == 0
               ? code
               : xylem_base__numbers_add(&window->renamed, session->number, window->err);
}

/* 1 if the fork must name its source anew; else 0. */
static int has_renamed_source(struct window *window, const struct xylem_session *fork)
{
    uint64_t source;
    if (window->renamed.count == 0 || fork->base.depth == 0) {
        return 0;
    }
    int code = xylem_owner(&source, window->txn, fork->base, window->err);
    return code < 0 ? code : xylem_base__numbers_have(&window->renamed, source);
}

/* A redacted entry of a source stands in the heads of its forks; a dropped hash also changed the checks in their segments. */
static int note_fork(struct window *window, const struct xylem_session *fork)
{
    struct fleet_voyage *voyage;
    bool drops = xylem_base__numbers_have(&window->dropped, fork->tree);
    bool shows = xylem_base__numbers_have(&window->trees, fork->tree);
    int names = has_renamed_source(window, fork);
    if (names < 0 || (!drops && !shows && !names)) {
        return names < 0 ? names : XYLEM_OK;
    }
    int code = want(&voyage, window, fork);
    if (code < 0 || !voyage) {
        return code;
    }
    const struct fleet_redo all = {.from = 1, .to = UINT64_MAX, .takes = true};
    const struct fleet_redo first = {.from = 1, .to = 2};
    const struct fleet_redo last = {.show = true, .takes = true};
    fleet_redo_add(&voyage->redo, drops ? &all : names ? &first : &last);
    return XYLEM_OK;
}

static int note_forks(struct window *window)
{
    struct xylem_sessions *sessions;
    struct xylem_session row;
    if (window->trees.count + window->renamed.count == 0) {
        return XYLEM_OK;
    }
    xylem_base__numbers_sort(&window->trees);
    xylem_base__numbers_sort(&window->dropped);
    xylem_base__numbers_sort(&window->renamed);
    int code = xylem_sessions_new(&sessions, window->txn, window->err);
    if (code < 0) {
        return code;
    }
    while ((code = xylem_sessions_next(&row, sessions, window->err)) > 0) {
        bool is_shipped = row.epoch > 0 && row.name_space.bytes == 0 && fleet_voyage_owns(&row);
        if (is_shipped && (code = note_fork(window, &row)) < 0) {
            break;
        }
    }
    xylem_sessions_free(sessions);
    return code < 0 ? code : XYLEM_OK;
}

/* --- Reading the feed --------------------------------------------------------------------------------------------- */

static int note_change(struct window *window, const struct xylem_change *change)
{
    struct xylem_session session;
    struct fleet_voyage *voyage = NULL;
    bool redacts = change->type == XYLEM_CHANGE_REDACTED;
    if (change->type == XYLEM_CHANGE_FREED) {
        return change->freed_name_space.bytes > 0 ? XYLEM_OK : want_freed(window, change->session, change->freed_id);
    }
    int code = xylem_session_read(&session, window->txn, change->session, window->err);
    if (code < 0) {
        return code == XYLEM_E_NOT_FOUND ? XYLEM_OK : code; /* freed since: a later change tells */
    }
    if (session.state == XYLEM_SESSION_IMPORTING) {
        fleet_traffic_tell(&window->shipper->traffic,
                           &(struct fleet_news){.type = FLEET_NEWS_HELD,
                                                .session = session.id,
                                                .text = "its import has not finished: shipped when it has"});
        return XYLEM_OK;
    }
    if (session.state != XYLEM_SESSION_FREED) {
        code = session.owner.data ? XYLEM_OK : want(&voyage, window, &session);
    } else if ((redacts || change->type == XYLEM_CHANGE_SIDE) && !session.owner.data) {
        code = note_remains(window, session.number);
    }
    if (code < 0 || (!voyage && !redacts)) {
        return code;
    }
    if (voyage && change->ordinal > voyage->last) {
        voyage->last = change->ordinal;
    }
    switch (change->type) {
    case XYLEM_CHANGE_REDACTED:
        return note_redacted(window, voyage, &session, change);
    case XYLEM_CHANGE_SIDE:
        return note_side(window, voyage, &session, change);
    case XYLEM_CHANGE_DOCUMENT:
        return note_documents(window, voyage, &session, false);
    case XYLEM_CHANGE_MOVED:
        return note_moved(window, &session, change);
    default:
        return XYLEM_OK;
    }
}

static int note_changes(struct window *window, struct xylem_feed *feed)
{
    struct fleet_shipper *shipper = window->shipper;
    struct xylem_change change;
    unsigned count = 0;
    int code = 1;
    while (count < WINDOW_CHANGES && (code = xylem_feed_next(&change, feed, window->err)) > 0) {
        count++;
        if ((code = note_change(window, &change)) < 0) {
            return code;
        }
    }
    code = code < 0 ? code : note_forks(window);
    if (code == XYLEM_OK && count > 0) {
        code = xylem_feed_cursor(&shipper->end, feed, window->err);
        shipper->has_window = code == XYLEM_OK;
        shipper->is_full = count == WINDOW_CHANGES;
    }
    return code;
}

/* Reads a window, unless there is no news, or the news is younger than `group_ms`. */
static int read_window(struct fleet_shipper *shipper, bool *is_other_life, struct xylem_error *err)
{
    struct window window = {.shipper = shipper, .err = err};
    struct xylem_cursor last;
    struct xylem_incarnation life;
    struct xylem_feed *feed;
    bool begins;
    int code = xylem_begin(&window.txn, shipper->store, XYLEM_READ, err);
    if (code < 0) {
        return code;
    }
    if ((code = xylem_incarnation_read(&life, window.txn, err)) < 0 ||
        (code = xylem_feed_last(&last, window.txn, err)) < 0) {
        goto out;
    }
    *is_other_life = !is_this_life(&shipper->cursor, &life);
    shipper->backlog = last.lsn > shipper->cursor.cursor.lsn ? last.lsn - shipper->cursor.cursor.lsn : 0;
    if (*is_other_life || shipper->backlog == 0) {
        shipper->news_ms = 0;
        goto out;
    }
    if (shipper->news_ms == 0) {
        shipper->news_ms = shipper->traffic.now_ms + 1; /* 0 is none */
    }
    if (shipper->is_full || shipper->traffic.now_ms + 1 >= shipper->news_ms + shipper->options.group_ms) {
        if ((code = open_feed(&feed, &begins, window.txn, &shipper->cursor, err)) == XYLEM_OK) {
            code = note_changes(&window, feed);
            xylem_feed_free(feed);
        }
    }
out:
    xylem_abort(window.txn);
    free(window.trees.list);
    free(window.dropped.list);
    free(window.renamed.list);
    return code;
}

/* The window is done: the cursor moves. */
static void end_window(struct fleet_shipper *shipper)
{
    uint64_t done = shipper->end.lsn - shipper->cursor.cursor.lsn;
    shipper->cursor.cursor = shipper->end;
    shipper->has_window = false;
    shipper->news_ms = 0;
    shipper->backlog -= done < shipper->backlog ? done : shipper->backlog;
    if (shipper->count > VOYAGES_KEPT) {
        forget_voyages(shipper, false);
    }
}

/* --- A turn ------------------------------------------------------------------------------------------------------- */

static int take_answers(struct fleet_shipper *shipper, struct xylem_error *err)
{
    struct fleet_sent sent;
    struct fleet_answer answer;
    int code;
    while ((code = fleet_traffic_take(&sent, &answer, &shipper->traffic, err)) > 0) {
        code = sent.driver == shipper ? fleet_voyage_answer(sent.job, &answer, err)
                                      : fleet_puller_answer(shipper->puller, sent.job, &answer, err);
        if (code < 0) {
            return code;
        }
    }
    return code;
}

static bool can_step(const struct fleet_shipper *shipper, const struct fleet_voyage *voyage, bool frees)
{
    return voyage->wanted && !voyage->on_way && !voyage->pulls && voyage->frees == frees &&
           shipper->traffic.now_ms >= voyage->later_ms && fleet_traffic_open(&shipper->traffic);
}

/* 1: another life of the store has begun since the window was read. */
static int begin_sending(struct fleet_shipper *shipper, struct xylem_error *err)
{
    struct xylem_incarnation life;
    int code = xylem_begin(&shipper->txn, shipper->store, XYLEM_READ, err);
    if (code < 0 || (code = xylem_incarnation_read(&life, shipper->txn, err)) < 0) {
        return code;
    }
    shipper->is_synced = false;
    shipper->has_window = shipper->has_window && is_this_life(&shipper->cursor, &life);
    return !is_this_life(&shipper->cursor, &life);
}

/* Freed sessions come first: a new session may have the id. The number of voyages that came on without a request. */
static int send_all(struct fleet_shipper *shipper, struct xylem_error *err)
{
    bool any_frees = false;
    int moved = 0;
    int code = 0;
    for (size_t i = 0; i < shipper->count; i++) {
        any_frees = any_frees || (shipper->voyages[i]->wanted && shipper->voyages[i]->frees);
    }
    for (size_t i = 0; code >= 0 && i < shipper->count; i++) {
        struct fleet_voyage *voyage = shipper->voyages[i];
        if (!can_step(shipper, voyage, any_frees)) {
            continue;
        }
        if (!shipper->txn && (code = begin_sending(shipper, err)) != 0) {
            moved += code;
            break;
        }
        code = fleet_voyage_step(voyage, err);
        moved += code > 0;
    }
    xylem_abort(shipper->txn);
    shipper->txn = NULL;
    return code < 0 ? code : moved;
}

/* 1 if something came on, so that more may be possible. */
static int work(struct fleet_shipper *shipper, struct xylem_error *err)
{
    bool is_other_life = false;
    int code = shipper->has_window ? XYLEM_OK : read_window(shipper, &is_other_life, err);
    if (code == XYLEM_OK && is_other_life) {
        code = begin_life(shipper, false, err);
        return code < 0 ? code : 1;
    }
    int landed = code < 0 ? code : fleet_land(shipper, err);
    int sent = landed < 0 ? landed : send_all(shipper, err);
    code = sent < 0 ? sent : fleet_puller_work(shipper->puller, err);
    if (code < 0) {
        return code;
    }
    if (shipper->has_window && !is_any_wanted(shipper)) {
        end_window(shipper);
        return 1;
    }
    return landed > 0 || sent > 0;
}

static struct fleet_turn look_ahead(const struct fleet_shipper *shipper)
{
    uint64_t due_ms = shipper->noted_lsn != shipper->cursor.cursor.lsn ? shipper->note_ms : UINT64_MAX;
    bool busy = shipper->has_window || shipper->backlog > 0 || shipper->traffic.count > 0;
    if (!shipper->has_window && shipper->news_ms > 0) {
        due_ms = fleet_earlier(due_ms, shipper->news_ms + shipper->options.group_ms - 1);
    }
    for (size_t i = 0; i < shipper->count; i++) {
        const struct fleet_voyage *voyage = shipper->voyages[i];
        bool waits = (voyage->wanted || voyage->retries) && voyage->later_ms > shipper->traffic.now_ms;
        busy = busy || voyage->wanted || voyage->pulls || voyage->retries;
        due_ms = waits ? fleet_earlier(due_ms, voyage->later_ms) : due_ms;
    }
    return fleet_traffic_turn(&shipper->traffic, !busy, due_ms);
}

int fleet_shipper_turn(struct fleet_turn *turn, struct fleet_shipper *shipper, uint64_t now_ms, struct xylem_error *err)
{
    shipper->traffic.now_ms = now_ms;
    int code = take_answers(shipper, err);
    fleet_traffic_expire(&shipper->traffic); /* what has arrived is in time */
    while (code >= 0 && (code = work(shipper, err)) > 0) {
    }
    if (code == XYLEM_OK && now_ms >= shipper->note_ms) {
        code = fleet_shipper_note(shipper, err);
    }
    *turn = look_ahead(shipper);
    return code;
}

/* --- The ship ----------------------------------------------------------------------------------------------------- */

static int read_note(struct fleet_shipper *shipper, struct xylem_error *err)
{
    struct xylem_txn *txn;
    struct xylem_incarnation life;
    int code = xylem_begin(&txn, shipper->store, XYLEM_READ, err);
    if (code < 0) {
        return code;
    }
    int found = fleet_cursor_read(&shipper->cursor, txn, shipper->traffic.engine->id, err);
    code = found < 0 ? found : xylem_incarnation_read(&life, txn, err);
    shipper->noted_lsn = shipper->cursor.cursor.lsn;
    bool lives_on = found == 1 && code == XYLEM_OK && is_this_life(&shipper->cursor, &life);
    xylem_abort(txn);
    return code < 0 || lives_on ? code : begin_life(shipper, found == 0, err);
}

int fleet_shipper_new(struct fleet_shipper **shipper, struct xylem_store *store, struct fleet_engine *engine,
                      const struct fleet_shipper_options *options, struct xylem_error *err)
{
    struct fleet_shipper *made = calloc(1, sizeof *made);
    if (!made) {
        return xylem_base__fail_memory(err);
    }
    made->store = store;
    made->options = *options;
    made->options.group_ms = options->group_ms == UINT64_MAX ? FLEET_GROUP_MS : options->group_ms;
    fleet_traffic_begin(&made->traffic, engine, made->cursor.token, options->tell, options->context,
                        options->deadline_ms);
    const struct fleet_puller_options pulls = {.tell = options->tell, .context = options->context};
    int code = read_note(made, err);
    code = code < 0 ? code : fleet_puller_new_beside(&made->puller, store, &made->traffic, &pulls, err);
    if (code < 0) {
        fleet_shipper_free(made);
        return code;
    }
    *shipper = made;
    return XYLEM_OK;
}

int fleet_shipper_add(struct fleet_shipper *shipper, uint64_t session, struct xylem_error *err)
{
    struct window window = {.shipper = shipper, .err = err};
    struct fleet_voyage *voyage = NULL;
    struct xylem_session row;
    int code = xylem_begin(&window.txn, shipper->store, XYLEM_READ, err);
    if (code < 0) {
        return code;
    }
    code = xylem_session_read(&row, window.txn, session, err);
    bool ships = code == XYLEM_OK && !row.import_unfinished && fleet_voyage_owns(&row);
    if (ships && (code = want(&voyage, &window, &row)) == XYLEM_OK && voyage) {
        voyage->last = row.history.count;
    }
    xylem_abort(window.txn);
    return code;
}

const unsigned char *fleet_shipper_token(const struct fleet_shipper *shipper)
{
    return shipper->cursor.token;
}

uint64_t fleet_shipper_acknowledged(const struct fleet_shipper *shipper)
{
    return shipper->cursor.cursor.lsn;
}

uint64_t fleet_shipper_backlog(const struct fleet_shipper *shipper)
{
    return shipper->backlog;
}

void fleet_shipper_free(struct fleet_shipper *shipper)
{
    if (shipper) {
        fleet_traffic_drop(&shipper->traffic, shipper);
        forget_voyages(shipper, true);
        fleet_puller_free(shipper->puller);
        xylem_buffer_release(&shipper->body);
        xylem_buffer_release(&shipper->head);
        xylem_buffer_release(&shipper->about);
        free(shipper->voyages);
        free(shipper);
    }
}
