/*
 * Pulls sessions, each in a haul:
 *
 *     begin: the place in the store ──> read ──> apply, follow the owner ──> read ... ──> an end
 *               ^                          └─ the base is missing: its haul first            │
 *               └───────────── another history: the store's own becomes a fork ──────────────┘
 *
 * A haul whose session is as in the engine is forgotten. A haul that was left stays with the row that it was left at, so
 * that a sweep does not begin it anew before the row changes.
 */
#include "fleet/puller.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/value.h"
#include "fleet/haul.h"
#include "fleet/pull.h"
#include "fleet/settle.h"

#define LIST_ROWS 1000u
#define READ_PIECES 16u
#define HAULS_MAX 4096u /* no further page is listed while so many go on */
#define APPLY_MS 100    /* a transaction takes no further segment then: other writers wait for 250 ms at most */
#define BASES_MAX 1000u /* bases of bases: more are a circle */

enum state { GOES, LEFT, FAILED };

struct haul {
    struct fleet_puller *puller;
    struct xylem_buffer id;
    struct xylem_buffer base; /* the id of the session that must come first; empty: none */
    struct fleet_pull pull;
    struct fleet_row row; /* as last read, without views */
    struct fleet_owner owner;
    struct xylem_buffer host;
    enum state state;
    bool added;   /* asked for by its id */
    bool own;     /* the caller has claimed the session */
    bool is_base; /* a fork needs the session */
    bool begun;
    bool on_way;
    bool singly;   /* a segment of several was refused: one in each transaction */
    bool is_again; /* damage was met: this is the second read */
    bool told_in_use;
    bool told_behind;
    uint64_t own_epoch;
    uint64_t later_ms;
};

struct fleet_puller {
    struct xylem_store *store;
    struct fleet_puller_options options;
    struct fleet_traffic *traffic;
    struct fleet_traffic own_traffic;
    struct haul **hauls; /* in the order of their ids */
    size_t count;
    size_t capacity;
    bool is_listing; /* a sweep is under way */
    bool list_on_way;
    struct xylem_buffer behind;
    uint64_t sweep_ms; /* when the sweep began; the next one */
    bool swept;        /* a sweep came to its end */
};

static void tell(const struct haul *haul, struct fleet_news news)
{
    news.session = xylem_base__buffer_view(&haul->id);
    news.host = xylem_base__buffer_view(&haul->host);
    news.epoch = haul->row.epoch;
    fleet_traffic_tell(haul->puller->traffic, &news);
}

/* --- The list of hauls -------------------------------------------------------------------------------------------- */

static size_t place_of(const struct fleet_puller *puller, struct xylem_view id)
{
    size_t low = 0;
    size_t high = puller->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (xylem_base__view_order(xylem_base__buffer_view(&puller->hauls[middle]->id), id) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static struct haul *find(const struct fleet_puller *puller, struct xylem_view id)
{
    size_t at = place_of(puller, id);
    struct haul *haul = at < puller->count ? puller->hauls[at] : NULL;
    return haul && xylem_base__view_equal(xylem_base__buffer_view(&haul->id), id) ? haul : NULL;
}

static void haul_free(struct haul *haul)
{
    xylem_buffer_release(&haul->id);
    xylem_buffer_release(&haul->base);
    xylem_buffer_release(&haul->host);
    free(haul);
}

/* The haul of the id, which is made if there is none. */
static int add(struct haul **added, struct fleet_puller *puller, struct xylem_view id, struct xylem_error *err)
{
    struct haul *haul = find(puller, id);
    *added = haul;
    if (haul) {
        return XYLEM_OK;
    }
    struct haul **hauls = xylem_base__with_room(puller->hauls, &puller->capacity, puller->count, sizeof(struct haul *));
    puller->hauls = hauls ? hauls : puller->hauls;
    haul = hauls ? calloc(1, sizeof *haul) : NULL;
    if (!haul || xylem_buffer_add(&haul->id, id.data, id.bytes) < 0) {
        free(haul);
        return xylem_base__fail_memory(err);
    }
    haul->puller = puller;
    size_t at = place_of(puller, id);
    memmove(&hauls[at + 1], &hauls[at], (puller->count - at) * sizeof(struct haul *));
    hauls[at] = *added = haul;
    puller->count++;
    return XYLEM_OK;
}

static void forget(struct haul *haul)
{
    struct fleet_puller *puller = haul->puller;
    size_t at = place_of(puller, xylem_base__buffer_view(&haul->id));
    puller->count--;
    memmove(&puller->hauls[at], &puller->hauls[at + 1], (puller->count - at) * sizeof(struct haul *));
    haul_free(haul);
}

static void restart(struct haul *haul)
{
    haul->begun = false;
    haul->state = GOES;
}

/* --- Ends --------------------------------------------------------------------------------------------------------- */

/* This and the next two give 0. Nothing more is to be had of the session; `type` FLEET_NEWS_TYPE_COUNT: not told. */
static int leave(struct haul *haul, enum state state, enum fleet_news_type type, const char *text)
{
    haul->state = state;
    if (type != FLEET_NEWS_TYPE_COUNT) {
        tell(haul, (struct fleet_news){.type = type, .text = text});
    }
    return 0;
}

/* The first time the segments are read once more: a flipped bit may be of the way, or of one node. */
static int damage(struct haul *haul, uint64_t ordinal, const char *why)
{
    char text[XYLEM_ERROR_TEXT_BYTES + 64];
    if (!haul->is_again) {
        haul->is_again = true;
        restart(haul);
        return 0;
    }
    haul->state = FAILED;
    (void)snprintf(text, sizeof text, "change %" PRIu64 ": %s", ordinal, why);
    tell(haul, (struct fleet_news){.type = FLEET_NEWS_DAMAGED, .from = ordinal, .text = text});
    return 0;
}

static int in_use(struct haul *haul, const char *text)
{
    if (!haul->told_in_use) {
        tell(haul, (struct fleet_news){.type = FLEET_NEWS_IN_USE, .text = text});
    }
    haul->told_in_use = true;
    haul->later_ms = haul->puller->traffic->now_ms + FLEET_LATER_MS;
    restart(haul);
    return 0;
}

/* The owner has another history: the store's own becomes a fork, and the owner's comes from the first change on. */
static int fork_off(struct haul *haul, uint64_t from, struct xylem_error *err)
{
    char reason[XYLEM_REASON_BYTES_MAX];
    (void)snprintf(reason, sizeof reason, "%s has another history from change %" PRIu64 " on: this is what was here",
                   haul->owner.text, from);
    int code = fleet_fork_tail(haul->puller->store, xylem_base__buffer_view(&haul->id), from, reason,
                               haul->puller->traffic, err);
    if (code == XYLEM_E_CONFLICT) {
        return in_use(haul, err->text);
    }
    if (code == XYLEM_E_DELETED) {
        return leave(haul, LEFT, FLEET_NEWS_HELD, "the session is deleted in this store, with another history");
    }
    restart(haul);
    return code < 0 && code != XYLEM_E_NOT_FOUND ? code : XYLEM_OK;
}

/* --- The session in the store ------------------------------------------------------------------------------------- */

/* What the store says of the session, in a transaction of its own. 1, or 0: the store has no such session. */
static int look(struct xylem_session *session, uint64_t *chain, uint64_t ordinal, struct haul *haul,
                struct xylem_error *err)
{
    struct xylem_txn *txn;
    int code = xylem_begin(&txn, haul->puller->store, XYLEM_READ, err);
    if (code < 0) {
        return code;
    }
    int found = fleet_session_find(session, txn, xylem_base__buffer_view(&haul->id), err);
    if (found > 0 && ordinal > 0 && ordinal <= session->history.count) {
        code = xylem_session_chain(chain, txn, session->number, ordinal, err);
    }
    xylem_abort(txn);
    return code < 0 ? code : found;
}

/*
 * May the session follow the engine's owner? A session that this store owns and never shipped is another one, though it has
 * the same id: a pull of all sessions leaves it, and a pull of this one keeps it as a fork, if its history is another.
 */
static bool may_follow(const struct haul *haul, const struct xylem_session *session)
{
    return session->owner.data || session->epoch > 0 || haul->added || haul->own;
}

/* True if this store owns the session here and in the engine: its ship brings what is missing on either side. */
static bool is_ships(const struct haul *haul, const struct xylem_session *session)
{
    return !session->owner.data && haul->row.mine && !haul->own;
}

/* 1: the session follows the owner of the row, or is none yet; 0: it does not, and the haul has ended or waits. */
static int follow(struct haul *haul, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_session session;
    int found = fleet_session_find(&session, txn, xylem_base__buffer_view(&haul->id), err);
    if (found <= 0) {
        return found < 0 ? found : 1;
    }
    if (session.owner.data && xylem_base__view_is(session.owner, haul->owner.text) &&
        session.epoch == haul->row.epoch) {
        return 1;
    }
    if (!may_follow(haul, &session)) {
        return leave(haul, LEFT, FLEET_NEWS_FOREIGN, "the store has a session of its own of this id");
    }
    if (is_ships(haul, &session)) {
        return leave(haul, LEFT, FLEET_NEWS_TYPE_COUNT, NULL);
    }
    int code = xylem_session_follow(txn, session.number, xylem_view_of(haul->owner.text), haul->row.epoch, err);
    if (code == XYLEM_E_CONFLICT) { /* a lease; or a read of before the owner's claim */
        return in_use(haul, err->text);
    }
    return code < 0 ? code : 1;
}

static int begin(struct haul *haul, struct xylem_error *err)
{
    struct xylem_session session;
    uint64_t chain;
    int found = look(&session, &chain, 0, haul, err);
    if (found < 0) {
        return found;
    }
    bool there = found > 0;
    /* Deleted here: its history may have a deletion that the owner does not know. Redactions are taken, from anywhere. */
    bool deleted = there && session.state == XYLEM_SESSION_DELETED && session.owner.data;
    fleet_pull_begin(&haul->pull, there && !deleted ? session.history.count : 0,
                     there && !deleted ? session.history.chain : 0);
    haul->pull.kept = there ? session.epoch : 0;
    haul->begun = true;
    return XYLEM_OK;
}

/* --- Segments ----------------------------------------------------------------------------------------------------- */

/* The base of a fork must come first. */
static int want_base(struct haul *haul, const struct xylem_segment *segment, struct xylem_error *err)
{
    struct haul *base;
    const struct haul *at = haul;
    const char *why = err->text;
    unsigned depth = 0;
    bool named = segment->base_session.data && !segment->base_name_space.data;
    if (!named || segment->base_session.bytes > XYLEM_SESSION_ID_BYTES_MAX || haul->base.bytes > 0) {
        return leave(haul, FAILED, FLEET_NEWS_DAMAGED, why);
    }
    int code = add(&base, haul->puller, segment->base_session, err);
    code = code < 0 ? code : xylem_buffer_add(&haul->base, segment->base_session.data, segment->base_session.bytes);
    if (code < 0) {
        return code;
    }
    base->is_base = true;
    if (base->state == LEFT) { /* it may have been left only because nobody needed it */
        restart(base);
    }
    while (at && at->base.bytes > 0 && depth++ < BASES_MAX) {
        at = find(haul->puller, xylem_base__buffer_view(&at->base));
    }
    if (depth > BASES_MAX) {
        leave(haul, FAILED, FLEET_NEWS_DAMAGED, "the sources of this fork are forks of each other");
    }
    return XYLEM_OK;
}

/* What came of a segment that the store did not take. */
static int refused(struct haul *haul, int code, const struct xylem_segment *segment,
                   const struct xylem_apply_report *report, struct xylem_error *err)
{
    bool is_first = segment->from == 1 || segment->freed; /* remains may hang below the remains of another session */
    switch (code) {
    case XYLEM_E_NOT_FOUND:
        if (is_first) {
            restart(haul);
            return want_base(haul, segment, err);
        }
        break;
    case XYLEM_E_DELETED:
        return leave(haul, LEFT, FLEET_NEWS_HELD, err->text);
    case XYLEM_E_CONFLICT:
        if (report->differs > 0) {
            return fork_off(haul, report->differs, err);
        }
        break;
    case XYLEM_E_MALFORMED:
    case XYLEM_E_LIMIT:
    case XYLEM_E_EXISTS:
        break;
    default:
        return code;
    }
    return damage(haul, segment->from, err->text);
}

/* The segment of a piece, which may be damaged: MALFORMED, CORRUPT. */
static int read_piece(struct xylem_segment *segment, const struct haul *haul, const struct fleet_piece *piece,
                      struct xylem_error *err)
{
    int code = xylem_segment_read(segment, piece->body, err);
    if (code == XYLEM_OK && !fleet_piece_fits(piece, segment, xylem_base__buffer_view(&haul->id))) {
        code = xylem_base__fail(err, XYLEM_E_MALFORMED, "the segment is not of its row");
    }
    return code;
}

/*
 * One transaction: segments from `*at` on, or what is left of a freed session. 1: applied, and more may follow; 0: the haul
 * goes another way.
 */
static int apply_some(struct haul *haul, const struct fleet_answer *answer, size_t *at, struct xylem_error *err)
{
    const struct xylem_apply_options options = {.owner = xylem_view_of(haul->owner.text), .epoch = haul->row.epoch};
    struct xylem_apply_report report = {.session = 0};
    struct xylem_segment segment = {.from = 0};
    struct fleet_pull pull = haul->pull;
    struct xylem_txn *txn;
    unsigned applied = 0;
    bool is_damaged = false;
    int64_t begun_ms = xylem_base__steady_ms();
    int code = xylem_begin(&txn, haul->puller->store, XYLEM_WRITE, err);
    if (code < 0) {
        return code;
    }
    code = haul->row.freed ? 1 : follow(haul, txn, err);
    while (code > 0 && *at < answer->piece_count &&
           (applied == 0 || (!haul->singly && xylem_base__steady_ms() - begun_ms < APPLY_MS))) {
        const struct fleet_piece *piece = &answer->pieces[(*at)++];
        if (fleet_pull_piece(&pull, piece) != FLEET_PULL_APPLY) {
            continue;
        }
        code = read_piece(&segment, haul, piece, err);
        segment.from = piece->from;
        is_damaged = code < 0;
        if (is_damaged || (code = xylem_segment_apply(&report, txn, piece->body, &options, err)) < 0) {
            break;
        }
        fleet_pull_applied(&pull, segment.to - 1, segment.chain, false);
        applied++;
        code = 1;
    }
    bool is_refused = code < 0;
    code = fleet_end(txn, code, err);
    if (is_refused && applied > 0) { /* what fitted comes first, alone */
        haul->singly = true;
        restart(haul);
        return 0;
    }
    if (is_refused && is_damaged && code != XYLEM_E_MEMORY) {
        return damage(haul, segment.from, err->text);
    }
    if (code <= 0) {
        haul->begun =
            haul->begun && (is_refused || code == 0); /* else the commit failed: where does the store stand? */
        return is_refused ? refused(haul, code, &segment, &report, err) : code;
    }
    uint64_t had = haul->pull.have;
    haul->pull = pull;
    if (pull.have > had && !report.deleted) {
        tell(haul, (struct fleet_news){.type = FLEET_NEWS_PULLED, .from = had + 1, .to = pull.have + 1});
    }
    return 1;
}

static int take_read(struct haul *haul, const struct fleet_answer *answer, struct xylem_error *err)
{
    int code = 1;
    fleet_pull_answer(&haul->pull, answer);
    if (answer->outcome != FLEET_DONE || answer->row_count != 1) {
        return XYLEM_OK;
    }
    haul->row = answer->rows[0];
    if (fleet_keep_text(&haul->host, haul->row.host, err) < 0) {
        return XYLEM_E_MEMORY;
    }
    fleet_owner_write(&haul->owner, haul->row.host, haul->row.epoch);
    if (haul->own && haul->row.epoch < haul->own_epoch) { /* of a node that has not seen the claim */
        haul->later_ms = haul->puller->traffic->now_ms + FLEET_LATER_MS;
        restart(haul);
        return XYLEM_OK;
    }
    if (haul->own && (!haul->row.mine || !fleet_pull_stands(&haul->pull, haul->own_epoch))) {
        haul->own = false;
        tell(haul,
             (struct fleet_news){.type = FLEET_NEWS_FENCED, .text = "another host claimed the session meanwhile"});
    }
    haul->row.id = haul->row.host = haul->row.about = haul->row.head = (struct xylem_view){NULL, 0};
    enum fleet_pull_act goes_on = haul->row.freed && haul->is_base ? FLEET_PULL_FREED : FLEET_PULL_READ;
    for (size_t at = 0; code > 0 && at < answer->piece_count && haul->pull.found == goes_on;) {
        code = apply_some(haul, answer, &at, err);
    }
    return code < 0 ? code : XYLEM_OK;
}

/* --- How a haul ends ---------------------------------------------------------------------------------------------- */

/* Marks the session in the store, in a transaction of its own: it follows, or the caller owns it. 1, or 0 as follow(). */
static int mark(struct haul *haul, uint64_t session, struct xylem_error *err)
{
    struct xylem_txn *txn;
    int code = xylem_begin(&txn, haul->puller->store, XYLEM_WRITE, err);
    if (code < 0) {
        return code;
    }
    code = haul->own ? xylem_session_own(txn, session, haul->own_epoch, err) : follow(haul, txn, err);
    code = fleet_end(txn, haul->own && code == XYLEM_OK ? 1 : code, err);
    if (code == XYLEM_E_CONFLICT) {
        return in_use(haul, err->text);
    }
    return code;
}

/* The session came after all: forks of it that were given up begin anew. */
static void wake_forks(const struct haul *base)
{
    for (size_t i = 0; i < base->puller->count; i++) {
        struct haul *fork = base->puller->hauls[i];
        if (fork->base.bytes > 0 && fork->state == FAILED &&
            xylem_base__view_equal(xylem_base__buffer_view(&fork->base), xylem_base__buffer_view(&base->id))) {
            xylem_base__buffer_clear(&fork->base);
            restart(fork);
        }
    }
}

/* The store has all that the engine has. */
static int complete(struct haul *haul, const struct xylem_session *session, struct xylem_error *err)
{
    bool same = session->history.count + 1 >= haul->row.next;
    if (!same || (session->state == XYLEM_SESSION_DELETED && session->history.count + 1 != haul->row.next)) {
        return leave(haul, LEFT, FLEET_NEWS_HELD, "the session is deleted in this store: only redactions are taken");
    }
    /*
     * A session that this store never shipped has the same history: it stays this store's. A copy that follows the owner is
     * marked: looks at an idle session, many in a second, must not take the lock of the writers.
     */
    bool is_marked =
        session->owner.data ? session->epoch == haul->row.epoch : session->epoch == 0 || is_ships(haul, session);
    bool stays = !haul->own && is_marked;
    int code = stays ? 1 : mark(haul, session->number, err);
    if (code <= 0) {
        return code;
    }
    if (haul->own) {
        tell(haul, (struct fleet_news){.type = FLEET_NEWS_OWNED, .to = session->history.count + 1});
    }
    wake_forks(haul);
    haul->own = haul->is_again = haul->singly = haul->told_in_use = haul->told_behind = false;
    if (haul->added && haul->puller->options.follow) {
        restart(haul);
        haul->later_ms = haul->puller->traffic->now_ms + FLEET_FOLLOW_MS;
    } else {
        forget(haul);
    }
    return XYLEM_OK;
}

/* Told once. With a smaller epoch in the engine, all changes may be there, and only the newest claim is missing. */
static void tell_behind(struct haul *haul, uint64_t count)
{
    struct fleet_news news = {.type = FLEET_NEWS_BEHIND};
    if (haul->row.next <= count) {
        news.from = haul->row.next;
        news.to = count + 1;
    }
    if (!haul->told_behind) {
        tell(haul, news);
    }
    haul->told_behind = true;
}

/*
 * The store has more than the engine: a claim goes on from there; what this store owned before another host did becomes a
 * fork; a copy waits, because the owner has more than the engine, too. A row of a smaller epoch is older than what the store
 * has, so a session that this store owns waits, too. Of such a row that has more changes, nothing can be compared.
 */
static int end_behind(struct haul *haul, const struct xylem_session *session, uint64_t chain, struct xylem_error *err)
{
    uint64_t count = session->history.count;
    bool fits_here = haul->row.next == 1 || haul->row.next > count + 1 || chain == haul->row.chain;
    bool was_own = !session->owner.data && haul->row.epoch >= session->epoch;
    if (!may_follow(haul, session) || is_ships(haul, session)) {
        return leave(haul, LEFT, FLEET_NEWS_TYPE_COUNT, NULL);
    }
    if (fits_here && haul->own) {
        return complete(haul, session, err);
    }
    if (!fits_here || was_own) {
        return fork_off(haul, haul->row.next, err);
    }
    tell_behind(haul, count);
    restart(haul);
    haul->later_ms = haul->puller->traffic->now_ms + FLEET_LATER_MS;
    haul->state = haul->puller->options.follow ? GOES : FAILED;
    return XYLEM_OK;
}

/* Its owner freed the session: the copy is deleted, and what forks here share of it stays. */
static int end_freed(struct haul *haul, const struct xylem_session *session, bool is_there, struct xylem_error *err)
{
    struct xylem_txn *txn;
    bool deletes = is_there && session->owner.data && session->state == XYLEM_SESSION_LIVE;
    int code = XYLEM_OK;
    if (deletes && (code = xylem_begin(&txn, haul->puller->store, XYLEM_WRITE, err)) == XYLEM_OK) {
        code = xylem_session_delete(txn, session->number, err);
        code = fleet_end(txn, code == XYLEM_OK ? 1 : code, err);
    }
    if (code < 0) {
        return code;
    }
    bool is_wanted = haul->own || (haul->added && !is_there && !haul->is_base);
    return leave(haul, is_wanted ? FAILED : LEFT, deletes || is_wanted ? FLEET_NEWS_FREED : FLEET_NEWS_TYPE_COUNT,
                 "its owner freed the session");
}

static int end(struct haul *haul, struct xylem_error *err)
{
    struct xylem_session session;
    uint64_t chain = 0;
    enum fleet_pull_act act = fleet_pull_next(&haul->pull);
    if (act == FLEET_PULL_MISSING) {
        return leave(haul, FAILED, FLEET_NEWS_MISSING, "the engine has no such session, or shows it to others alone");
    }
    int found = look(&session, &chain, haul->row.next - 1, haul, err);
    if (found < 0) {
        return found;
    }
    if (act == FLEET_PULL_COMPARE) {
        fleet_pull_compared(&haul->pull, haul->row.next == 1 || chain == haul->row.chain);
        act = fleet_pull_next(&haul->pull);
    }
    if (act == FLEET_PULL_FREED) {
        return end_freed(haul, &session, found > 0, err);
    }
    if (found == 0 && haul->row.next == 1) {
        return leave(haul, FAILED, FLEET_NEWS_MISSING, "the session has no change yet");
    }
    if (act == FLEET_PULL_GAP || found == 0) {
        return damage(haul, haul->pull.have + 1, "the engine has no segment with this change");
    }
    if (act == FLEET_PULL_DIVERGED) {
        if (may_follow(haul, &session)) {
            return fork_off(haul, haul->pull.have, err);
        }
        return leave(haul, LEFT, FLEET_NEWS_FOREIGN, "the store has another session of this id");
    }
    return act == FLEET_PULL_CURRENT ? complete(haul, &session, err) : end_behind(haul, &session, chain, err);
}

/* --- Sweeps ------------------------------------------------------------------------------------------------------- */

/* True if the store has what the row shows, or nothing can be done. */
static int is_current(const struct fleet_puller *puller, struct xylem_txn *txn, const struct fleet_row *row,
                      struct xylem_error *err)
{
    struct xylem_session session;
    const struct haul *haul = find(puller, row->id);
    if (row->mine || row->next <= 1 || row->id.bytes == 0 || row->id.bytes > XYLEM_SESSION_ID_BYTES_MAX) {
        return 1;
    }
    if (haul) {
        return haul->state == GOES || (haul->row.next == row->next && haul->row.epoch == row->epoch &&
                                       haul->row.generation == row->generation && haul->row.freed == row->freed);
    }
    int found = fleet_session_find(&session, txn, row->id, err);
    if (found <= 0) {
        return found < 0 ? found : row->freed;
    }
    if (row->freed) {
        return !session.owner.data || session.state != XYLEM_SESSION_LIVE;
    }
    bool is_marked = session.owner.data ? session.epoch == row->epoch : session.epoch == 0;
    return session.history.count == row->next - 1 && session.history.chain == row->chain && is_marked;
}

static int take_list(struct fleet_puller *puller, const struct fleet_answer *answer, struct xylem_error *err)
{
    struct xylem_txn *txn;
    struct haul *haul;
    puller->list_on_way = false;
    if (answer->outcome != FLEET_DONE) {
        return XYLEM_OK;
    }
    if (answer->row_count == 0) {
        uint64_t took_ms = puller->traffic->now_ms - puller->sweep_ms;
        puller->is_listing = false;
        puller->swept = true;
        puller->sweep_ms = puller->traffic->now_ms + (10 * took_ms > FLEET_SWEEP_MS ? 10 * took_ms : FLEET_SWEEP_MS);
        return XYLEM_OK;
    }
    int code = xylem_begin(&txn, puller->store, XYLEM_READ, err);
    if (code < 0) {
        return code;
    }
    for (size_t i = 0; code >= 0 && i < answer->row_count; i++) {
        const struct fleet_row *row = &answer->rows[i];
        code = is_current(puller, txn, row, err);
        if (code == 0 && (code = add(&haul, puller, row->id, err)) == XYLEM_OK) {
            restart(haul);
        }
    }
    xylem_abort(txn);
    return code < 0 ? code : fleet_keep_text(&puller->behind, answer->rows[answer->row_count - 1].id, err);
}

static size_t count_of(const struct fleet_puller *puller, enum state state)
{
    size_t count = 0;
    for (size_t i = 0; i < puller->count; i++) {
        count += puller->hauls[i]->state == state;
    }
    return count;
}

static int list(struct fleet_puller *puller, struct xylem_error *err)
{
    struct fleet_request request = {.ask = FLEET_LIST, .limit = LIST_ROWS};
    if (!puller->is_listing && puller->options.all && puller->traffic->now_ms >= puller->sweep_ms &&
        (!puller->swept || puller->options.follow)) {
        puller->is_listing = true;
        puller->sweep_ms = puller->traffic->now_ms;
        xylem_base__buffer_clear(&puller->behind);
    }
    if (!puller->is_listing || puller->list_on_way || !fleet_traffic_open(puller->traffic) ||
        count_of(puller, GOES) >= HAULS_MAX) {
        return XYLEM_OK;
    }
    request.behind = puller->behind.bytes > 0 ? xylem_base__buffer_view(&puller->behind) : request.behind;
    int code = fleet_traffic_send(puller->traffic, puller, NULL, &request, err);
    puller->list_on_way = code > 0;
    return code < 0 ? code : XYLEM_OK;
}

/* --- Work --------------------------------------------------------------------------------------------------------- */

/* False while the base of a fork is on its way. */
static bool has_base(struct haul *haul)
{
    struct haul *base = haul->base.bytes > 0 ? find(haul->puller, xylem_base__buffer_view(&haul->base)) : NULL;
    if (base && base->state == FAILED) {
        leave(haul, FAILED, FLEET_NEWS_DAMAGED, "the source of this fork could not be pulled");
    }
    return !base || base->state == LEFT;
}

/* 1: the haul came on without a request. The haul may be gone then. */
static int step(struct haul *haul, struct xylem_error *err)
{
    int code;
    if (!has_base(haul)) {
        return 0;
    }
    if (!haul->begun && (code = begin(haul, err)) < 0) {
        return code;
    }
    if (fleet_pull_next(&haul->pull) != FLEET_PULL_READ) {
        code = end(haul, err);
        return code < 0 ? code : 1;
    }
    struct fleet_request request = {.ask = FLEET_READ,
                                    .session = xylem_base__buffer_view(&haul->id),
                                    .from = haul->pull.have + 1,
                                    .limit = haul->is_again ? 1 : READ_PIECES};
    code = fleet_traffic_send(haul->puller->traffic, haul->puller, haul, &request, err);
    if (code > 0) {
        haul->on_way = true;
        fleet_pull_sent(&haul->pull);
    }
    return code < 0 ? code : 0;
}

int fleet_puller_work(struct fleet_puller *puller, struct xylem_error *err)
{
    int code = list(puller, err);
    for (size_t i = 0; code >= 0 && i < puller->count && fleet_traffic_open(puller->traffic);) {
        struct haul *haul = puller->hauls[i];
        bool goes = haul->state == GOES && !haul->on_way && puller->traffic->now_ms >= haul->later_ms;
        size_t before = puller->count;
        code = goes ? step(haul, err) : 0;
        /* After an end the same place is looked at again: the haul is gone, was left, or reads. */
        i = code > 0 && puller->count <= before ? i : i + 1;
    }
    return code < 0 ? code : XYLEM_OK;
}

int fleet_puller_answer(struct fleet_puller *puller, void *job, const struct fleet_answer *answer,
                        struct xylem_error *err)
{
    struct haul *haul = job;
    if (!haul) {
        return take_list(puller, answer, err);
    }
    haul->on_way = false;
    return take_read(haul, answer, err);
}

int fleet_puller_turn(struct fleet_turn *turn, struct fleet_puller *puller, uint64_t now_ms, struct xylem_error *err)
{
    struct fleet_sent sent;
    struct fleet_answer answer;
    int code;
    puller->traffic->now_ms = now_ms;
    while ((code = fleet_traffic_take(&sent, &answer, puller->traffic, err)) > 0 &&
           (code = fleet_puller_answer(puller, sent.job, &answer, err)) == XYLEM_OK) {
    }
    fleet_traffic_expire(puller->traffic); /* what has arrived is in time */
    code = code < 0 ? code : fleet_puller_work(puller, err);
    bool sweeps = puller->options.all && (puller->is_listing || !puller->swept || puller->options.follow);
    bool idle = !sweeps && puller->traffic->count == 0 && count_of(puller, GOES) == 0;
    uint64_t due_ms = sweeps && !puller->is_listing ? puller->sweep_ms : UINT64_MAX;
    for (size_t i = 0; i < puller->count; i++) {
        const struct haul *haul = puller->hauls[i];
        due_ms = haul->state == GOES && haul->later_ms > now_ms ? fleet_earlier(due_ms, haul->later_ms) : due_ms;
    }
    *turn = fleet_traffic_turn(puller->traffic, idle, due_ms);
    return code;
}

/* --- The puller --------------------------------------------------------------------------------------------------- */

int fleet_puller_new_beside(struct fleet_puller **puller, struct xylem_store *store, struct fleet_traffic *traffic,
                            const struct fleet_puller_options *options, struct xylem_error *err)
{
    struct fleet_puller *made = calloc(1, sizeof *made);
    if (!made) {
        return xylem_base__fail_memory(err);
    }
    made->store = store;
    made->traffic = traffic;
    made->options = *options;
    *puller = made;
    return XYLEM_OK;
}

int fleet_puller_new(struct fleet_puller **puller, struct xylem_store *store, struct fleet_engine *engine,
                     const struct fleet_puller_options *options, struct xylem_error *err)
{
    struct fleet_puller *made;
    int code = fleet_puller_new_beside(&made, store, NULL, options, err);
    if (code < 0) {
        return code;
    }
    made->traffic = &made->own_traffic;
    fleet_traffic_begin(made->traffic, engine, made->options.token, options->tell, options->context,
                        options->deadline_ms);
    *puller = made;
    return XYLEM_OK;
}

int fleet_puller_add(struct fleet_puller *puller, struct xylem_view session, bool own, uint64_t own_epoch,
                     struct xylem_error *err)
{
    struct haul *haul;
    if (session.bytes == 0 || session.bytes > XYLEM_SESSION_ID_BYTES_MAX) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "a session id has %zu bytes; it must have 1 to %u", session.bytes,
                                XYLEM_SESSION_ID_BYTES_MAX);
    }
    int code = add(&haul, puller, session, err);
    if (code == XYLEM_OK) {
        haul->added = true;
        haul->own = own;
        haul->own_epoch = own_epoch;
        haul->state = GOES;
        haul->begun = haul->begun && haul->on_way;
    }
    return code;
}

uint64_t fleet_puller_failed(const struct fleet_puller *puller)
{
    return count_of(puller, FAILED);
}

int fleet_puller_works(struct fleet_puller *puller, struct xylem_view session)
{
    struct haul *haul = find(puller, session);
    bool goes = haul && (haul->state == GOES || haul->on_way);
    if (haul && !goes) {
        forget(haul);
    }
    return goes ? 1 : haul ? -1 : 0;
}

void fleet_puller_free(struct fleet_puller *puller)
{
    if (puller) {
        fleet_traffic_drop(puller->traffic, puller);
        for (size_t i = 0; i < puller->count; i++) {
            haul_free(puller->hauls[i]);
        }
        xylem_buffer_release(&puller->behind);
        free(puller->hauls);
        free(puller);
    }
}
