#include "tests/fleet/simulate.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/claim.h"
#include "fleet/pull.h"
#include "fleet/ship.h"
#include "tests/fleet/cluster_memory.h"

#define ROOT 0u
#define REDACTED_BIT 0x80000000u /* of a change in a body: without its text */
#define BODY_CHANGES_MAX 64u

/*
 * A change of some history. Histories are paths to the root, so hosts share them; the chain names the last change, and
 * tells histories apart.
 */
struct change {
    uint32_t parent;
    uint32_t ordinal;
    uint32_t redacts;        /* the ordinal whose text this change takes out; 0: an entry */
    uint32_t last_redaction; /* the newest such change of the history up to here; ROOT: none */
    uint32_t hash;
    uint16_t author;
    bool is_gone;    /* the redaction of the text was acknowledged */
    bool is_excused; /* the author's store came back from a backup */
    bool is_kept;    /* found at the end */
};

enum pair_state { FOLLOWS, OWNED, HELD, FREED };
enum pair_work { IDLE, SHIP, CLAIM, PULL };
enum pair_call { NO_CALL, SHIP_CALL, CLAIM_CALL, PULL_CALL, FIND_CALL, REWRITE_CALL, FREE_CALL, RELEASE_CALL };

/* A session in the store of a host. */
struct pair {
    uint32_t session;
    /* What is on the disk. */
    uint32_t leaf;
    uint32_t cursor;      /* changes that were shipped, and whose redactions were forwarded */
    uint32_t safe_cursor; /* where the cursor may be after a crash */
    uint8_t state;
    bool is_freeing; /* the session was freed here */
    uint64_t epoch;
    /* What a crash ends. */
    uint8_t work;
    uint8_t call_type;
    bool pauses;
    bool is_releasing;
    bool takes_over; /* the pull ends with own_epoch */
    uint64_t own_epoch;
    uint64_t call; /* the number of the request on its way; 0: none */
    uint64_t to;
    uint64_t after;
    uint32_t redaction; /* the change that is being forwarded */
    uint32_t promised;  /* what was promised when the call was sent */
    union {
        struct fleet_ship ship;
        struct fleet_claim claim;
        struct fleet_pull pull;
    } machine;
};

struct store {
    struct pair *pairs;
    size_t pair_count;
    uint32_t *forks; /* leaves */
    size_t fork_count;
};

struct host {
    bool is_up;
    unsigned char token[FLEET_TOKEN_BYTES];
    struct store store;
    struct store saved;
    bool has_saved;
};

/* What was acknowledged to somebody. */
struct truth {
    uint32_t promised; /* the last change */
    uint32_t won_next; /* as the claim of won_epoch said */
    uint64_t won_epoch;
    unsigned char winner[FLEET_TOKEN_BYTES];
    bool is_freed;
    bool was_restored;
};

enum user_event { USER, FAULT, PUMP, HOST_UP };

struct simulation {
    struct simulate_options options;
    struct simulate_report *report;
    struct cluster *cluster;
    struct chance *chance;
    struct change *changes;
    size_t change_count;
    size_t change_capacity;
    struct host *hosts;
    struct truth *truths;
    uint32_t session_count;
    uint64_t numbers;
    bool is_quiet;
};

__attribute__((format(printf, 2, 3))) static void violate(struct simulation *simulation, const char *format, ...)
{
    va_list arguments;
    if (!simulation->report->violation[0]) {
        va_start(arguments, format);
        vsnprintf(simulation->report->violation, sizeof simulation->report->violation, format, arguments);
        va_end(arguments);
        simulation->report->violated_at = simulation->report->steps;
    }
}

static bool is_mutant(const struct simulation *simulation, enum simulate_mutant mutant)
{
    return simulation->options.mutant == mutant;
}

/* --- Histories -------------------------------------------------------------------------------------------------------------- */

static uint64_t chain_of(const struct simulation *simulation, uint32_t change)
{
    return change == ROOT ? 0 : (uint64_t)simulation->changes[change].hash << 32 | change;
}

static uint32_t count_of(const struct simulation *simulation, uint32_t leaf)
{
    return simulation->changes[leaf].ordinal;
}

/* The change of an ordinal in the history of a leaf. */
static uint32_t change_at(const struct simulation *simulation, uint32_t leaf, uint64_t ordinal)
{
    while (simulation->changes[leaf].ordinal > ordinal) {
        leaf = simulation->changes[leaf].parent;
    }
    return leaf;
}

static bool is_beginning(const struct simulation *simulation, uint32_t shorter, uint32_t longer)
{
    return count_of(simulation, shorter) <= count_of(simulation, longer) &&
           change_at(simulation, longer, count_of(simulation, shorter)) == shorter;
}

static uint32_t add_change(struct simulation *simulation, uint32_t leaf, uint32_t redacts, size_t author)
{
    if (simulation->change_count == simulation->change_capacity) {
        simulation->change_capacity *= 2;
        simulation->changes =
            rows_memory(simulation->changes, simulation->change_capacity * sizeof *simulation->changes);
    }
    uint32_t made = (uint32_t)simulation->change_count++;
    struct change *change = &simulation->changes[made];
    const struct change *parent = &simulation->changes[leaf];
    *change = (struct change){.parent = leaf,
                              .ordinal = parent->ordinal + 1,
                              .redacts = redacts,
                              .last_redaction = redacts ? made : parent->last_redaction,
                              .hash = (parent->hash ^ made) * 2654435761u,
                              .author = (uint16_t)author};
    simulation->report->changes++;
    return made;
}

static uint32_t redaction_before(const struct simulation *simulation, uint32_t redaction)
{
    return simulation->changes[simulation->changes[redaction].parent].last_redaction;
}

/* The first redaction behind an ordinal, up to another; ROOT: none. */
static uint32_t next_redaction(const struct simulation *simulation, uint32_t leaf, uint64_t behind, uint64_t up_to)
{
    uint32_t found = ROOT;
    uint32_t at = simulation->changes[leaf].last_redaction;
    for (; at != ROOT && simulation->changes[at].ordinal > behind; at = redaction_before(simulation, at)) {
        found = simulation->changes[at].ordinal <= up_to ? at : found;
    }
    return found;
}

static bool is_redacted(const struct simulation *simulation, uint32_t leaf, uint64_t ordinal)
{
    uint32_t at = simulation->changes[leaf].last_redaction;
    while (at != ROOT && simulation->changes[at].redacts != ordinal && simulation->changes[at].ordinal > ordinal) {
        at = redaction_before(simulation, at);
    }
    return at != ROOT && simulation->changes[at].redacts == ordinal;
}

/* The changes [from, to) as a store has them now. */
static struct xylem_view pack(const struct simulation *simulation, uint32_t *body, uint32_t leaf, uint64_t from,
                              uint64_t to)
{
    uint32_t at = change_at(simulation, leaf, to - 1);
    for (uint64_t ordinal = to; ordinal-- > from;) {
        body[ordinal - from] = at | (is_redacted(simulation, leaf, ordinal) ? REDACTED_BIT : 0);
        at = simulation->changes[at].parent;
    }
    return (struct xylem_view){(const char *)body, (size_t)(to - from) * sizeof *body};
}

/* --- What was acknowledged ---------------------------------------------------------------------------------------------------- */

/* An acknowledgement shows a history: nothing that was acknowledged before the request is missing in it. */
static void promise(struct simulation *simulation, const struct pair *pair, uint32_t shown)
{
    struct truth *truth = &simulation->truths[pair->session];
    if (truth->is_freed) {
        return;
    }
    if (!is_beginning(simulation, pair->promised, shown)) {
        violate(simulation, "session %u: acknowledged changes are lost: %u were promised, %u are there", pair->session,
                count_of(simulation, pair->promised), count_of(simulation, shown));
    } else if (is_beginning(simulation, truth->promised, shown)) {
        simulation->report->acknowledged += count_of(simulation, shown) - count_of(simulation, truth->promised);
        truth->promised = shown;
    } else if (!is_beginning(simulation, shown, truth->promised)) {
        violate(simulation, "session %u: two histories were acknowledged", pair->session);
    }
}

static void win(struct simulation *simulation, const struct host *host, uint32_t session, const struct fleet_row *row)
{
    struct truth *truth = &simulation->truths[session];
    if (row->epoch == truth->won_epoch && memcmp(truth->winner, host->token, sizeof host->token) != 0) {
        violate(simulation, "session %u: the epoch %llu has two winners", session, (unsigned long long)row->epoch);
    } else if (row->epoch > truth->won_epoch) {
        truth->won_epoch = row->epoch;
        truth->won_next = (uint32_t)row->next;
        memcpy(truth->winner, host->token, sizeof host->token);
    }
}

static void see_row(struct simulation *simulation, const struct host *host, const struct pair *pair,
                    const struct fleet_answer *answer)
{
    if (answer->outcome == FLEET_DONE && answer->row_count == 1 && fleet_ask_writes(answer->ask)) {
        promise(simulation, pair, (uint32_t)answer->rows->chain);
        if (answer->rows->mine) {
            win(simulation, host, pair->session, answer->rows);
        }
    }
}

/* An append was acknowledged: no other host had won a later epoch and seen less. */
static void see_append(struct simulation *simulation, const struct pair *pair)
{
    const struct truth *truth = &simulation->truths[pair->session];
    uint64_t from = pair->machine.ship.next;
    if (truth->won_epoch > pair->machine.ship.epoch && from >= truth->won_next) {
        violate(simulation, "session %u: epoch %llu appended behind the claim of epoch %llu", pair->session,
                (unsigned long long)pair->machine.ship.epoch, (unsigned long long)truth->won_epoch);
    }
    promise(simulation, pair, (uint32_t)pair->after);
}

/* The text of the entry is nowhere in the row. */
static void see_redaction(struct simulation *simulation, const struct pair *pair, uint32_t redaction)
{
    uint32_t entry = change_at(simulation, pair->leaf, simulation->changes[redaction].redacts);
    simulation->changes[entry].is_gone = true;
    simulation->report->redactions++;
}

static void check_body(struct simulation *simulation, const struct rows_bytes *body, const char *what)
{
    for (size_t i = 0; body && i < body->bytes / sizeof(uint32_t); i++) {
        uint32_t change;
        memcpy(&change, body->data + i * sizeof change, sizeof change);
        if (!(change & REDACTED_BIT) && simulation->changes[change].is_gone) {
            violate(simulation, "%s has the text of change %u, whose redaction was acknowledged", what, change);
        }
    }
}

static uint32_t body_change(const struct rows_piece *piece, size_t at)
{
    uint32_t change;
    memcpy(&change, piece->body->data + at * sizeof change, sizeof change);
    return change & ~REDACTED_BIT;
}

/* A piece goes on where the piece before ended, by ordinal and by history. */
static void check_piece(struct simulation *simulation, uint32_t session, const struct rows_version *row, size_t at)
{
    const struct rows_piece *piece = row->pieces[at];
    const struct rows_piece *before = at > 0 ? row->pieces[at - 1] : NULL;
    uint64_t from = before ? before->to : 1;
    uint32_t last = before ? (uint32_t)before->chain : ROOT;
    if (piece->from != from) {
        violate(simulation, "session %u: a segment begins at %llu, the one before ends at %llu", session,
                (unsigned long long)piece->from, (unsigned long long)from);
    } else if (simulation->changes[body_change(piece, 0)].parent != last) {
        violate(simulation, "session %u: the segment from %llu on is of another history", session,
                (unsigned long long)piece->from);
    }
}

static uint32_t session_of(struct xylem_view id)
{
    uint32_t session = 0;
    memcpy(&session, id.data, sizeof session);
    return session;
}

static void wrote(void *context, const struct fleet_request *request, size_t row, const struct rows_version *version)
{
    struct simulation *simulation = context;
    (void)row;
    if (request->ask == FLEET_APPEND && version->piece_count > 0) {
        check_piece(simulation, session_of(request->session), version, version->piece_count - 1);
        check_body(simulation, version->pieces[version->piece_count - 1]->body, "an append");
        check_body(simulation, version->head, "a head");
    }
    for (size_t i = 0; request->ask == FLEET_REWRITE && i < version->piece_count; i++) {
        if (version->pieces[i]->from == request->from) {
            check_body(simulation, version->pieces[i]->body, "a rewrite");
        }
    }
}

/* The promise moves with the backup that came back. */
static void restored(void *context, const struct rows_table *table)
{
    struct simulation *simulation = context;
    struct rows_ids *ids = cluster_ids(simulation->cluster);
    for (uint32_t i = 0; i < simulation->session_count; i++) {
        size_t number = rows_ids_find(ids, (struct xylem_view){(const char *)&i, sizeof i});
        const struct rows_version *row = number == ROWS_NONE ? NULL : rows_table_get(table, number);
        struct truth *truth = &simulation->truths[i];
        *truth = (struct truth){.promised = row ? (uint32_t)row->chain : ROOT, .was_restored = true};
        truth->is_freed = row && row->freed;
    }
    for (size_t i = 0; i < simulation->change_count; i++) {
        simulation->changes[i].is_gone = false;
    }
    for (size_t i = 0; i < simulation->options.hosts; i++) {
        struct store *store = &simulation->hosts[i].store;
        for (size_t j = 0; j < store->pair_count; j++) {
            store->pairs[j].promised = ROOT;
        }
    }
}

/* --- Requests of a host --------------------------------------------------------------------------------------------------------- */

static void pump(struct simulation *simulation, size_t host, size_t pair);

static void call(struct simulation *simulation, size_t at, size_t number, enum pair_call type,
                 struct fleet_request request)
{
    struct pair *pair = &simulation->hosts[at].store.pairs[number];
    uint32_t session = pair->session;
    request.session = (struct xylem_view){(const char *)&session, sizeof session};
    memcpy(request.owner, simulation->hosts[at].token, sizeof request.owner);
    pair->call = ++simulation->numbers << 24 | number;
    pair->call_type = (uint8_t)type;
    pair->promised = simulation->truths[session].promised;
    cluster_call(simulation->cluster, at, pair->call, &request);
}

static void pause_pair(struct simulation *simulation, size_t host, size_t number)
{
    simulation->hosts[host].store.pairs[number].pauses = true;
    cluster_at(simulation->cluster, 20 + (uint64_t)chance_below(simulation->chance, 200), PUMP, host, number);
}

static void add_fork(struct store *store, uint32_t leaf)
{
    store->forks = rows_memory(store->forks, (store->fork_count + 1) * sizeof *store->forks);
    store->forks[store->fork_count++] = leaf;
}

/* The tail is a session of its own from now on, and the owner's history comes anew. */
static void fork_tail(struct simulation *simulation, size_t host, struct pair *pair)
{
    simulation->report->forks++;
    if (!is_mutant(simulation, MUTANT_TAIL_DROPPED)) {
        add_fork(&simulation->hosts[host].store, pair->leaf);
    }
    pair->leaf = ROOT;
    pair->epoch = 0;
    pair->cursor = pair->safe_cursor = 0;
}

static void begin_ship(struct simulation *simulation, struct pair *pair)
{
    struct fleet_local local = {pair->epoch, count_of(simulation, pair->leaf)};
    pair->work = SHIP;
    fleet_ship_begin(&pair->machine.ship, &local);
}

static void begin_pull(struct simulation *simulation, struct pair *pair, bool takes_over, uint64_t epoch)
{
    pair->work = PULL;
    pair->takes_over = takes_over;
    pair->own_epoch = epoch;
    fleet_pull_begin(&pair->machine.pull, count_of(simulation, pair->leaf), chain_of(simulation, pair->leaf));
    pair->machine.pull.kept = pair->epoch;
}

static void follow(struct simulation *simulation, struct pair *pair, bool takes_over, uint64_t epoch)
{
    pair->state = FOLLOWS;
    if (epoch < pair->epoch && pair->leaf != ROOT) {
        violate(simulation, "session %u: a store with epoch %llu cannot follow epoch %llu", pair->session,
                (unsigned long long)pair->epoch, (unsigned long long)epoch);
    }
    pair->epoch = epoch;
    begin_pull(simulation, pair, takes_over, epoch);
}

/* --- Ships ------------------------------------------------------------------------------------------------------------------------ */

static void move_cursor(struct simulation *simulation, struct pair *pair, uint32_t to)
{
    uint32_t change = change_at(simulation, pair->leaf, to);
    const struct truth *truth = &simulation->truths[pair->session];
    if (!truth->is_freed && !is_beginning(simulation, change, truth->promised)) {
        violate(simulation, "session %u: the cursor moved over changes that nobody acknowledged", pair->session);
    }
    pair->cursor = to;
    if (chance_one_in(simulation->chance, 3)) {
        pair->safe_cursor = to;
    }
}

/* The cursor follows what was acknowledged; false: a redaction must be forwarded first, and its request is on its way. */
static bool follow_cursor(struct simulation *simulation, size_t host, size_t number)
{
    struct pair *pair = &simulation->hosts[host].store.pairs[number];
    uint64_t acknowledged = pair->machine.ship.next - 1;
    uint32_t redaction;
    if (pair->cursor > acknowledged) { /* the engine came back from a backup */
        pair->cursor = pair->safe_cursor = (uint32_t)acknowledged;
    }
    while ((redaction = next_redaction(simulation, pair->leaf, pair->cursor, acknowledged)) != ROOT) {
        if (is_mutant(simulation, MUTANT_REDACTION_KEPT)) {
            see_redaction(simulation, pair, redaction);
            move_cursor(simulation, pair, simulation->changes[redaction].ordinal);
            continue;
        }
        pair->redaction = redaction;
        call(simulation, host, number, FIND_CALL,
             (struct fleet_request){.ask = FLEET_READ, .from = simulation->changes[redaction].redacts, .limit = 1});
        return false;
    }
    if (pair->cursor < acknowledged) {
        move_cursor(simulation, pair, (uint32_t)acknowledged);
    }
    return true;
}

static void send_append(struct simulation *simulation, size_t host, size_t number)
{
    struct pair *pair = &simulation->hosts[host].store.pairs[number];
    struct fleet_ship *ship = &pair->machine.ship;
    uint32_t body[BODY_CHANGES_MAX];
    uint64_t count = count_of(simulation, pair->leaf);
    uint64_t most = 1 + (uint64_t)chance_below(simulation->chance, BODY_CHANGES_MAX);
    pair->to = ship->next + (count + 1 - ship->next < most ? count + 1 - ship->next : most);
    pair->after = chain_of(simulation, change_at(simulation, pair->leaf, pair->to - 1));
    uint32_t newest = change_at(simulation, pair->leaf, pair->to - 1);
    newest |= is_redacted(simulation, pair->leaf, pair->to - 1) ? REDACTED_BIT : 0;
    if (is_mutant(simulation, MUTANT_CURSOR_EARLY)) {
        move_cursor(simulation, pair, (uint32_t)pair->to - 1);
    }
    struct fleet_request request = {.ask = FLEET_APPEND,
                                    .epoch = ship->epoch,
                                    .from = ship->next,
                                    .to = pair->to,
                                    .before = ship->chain,
                                    .after = pair->after,
                                    .head = {(const char *)&newest, sizeof newest}};
    request.body = pack(simulation, body, pair->leaf, request.from, request.to);
    fleet_ship_sent(ship);
    call(simulation, host, number, SHIP_CALL, request);
}

static void compare(struct simulation *simulation, struct pair *pair)
{
    struct fleet_ship *ship = &pair->machine.ship;
    uint64_t ordinal = ship->next - 1;
    if (ordinal > count_of(simulation, pair->leaf)) {
        fleet_ship_compared(ship, FLEET_STORE_IS_SHORT);
        return;
    }
    bool is_equal = chain_of(simulation, change_at(simulation, pair->leaf, ordinal)) == ship->chain;
    is_equal = is_equal || is_mutant(simulation, MUTANT_CHAIN_UNCHECKED);
    fleet_ship_compared(ship, is_equal ? FLEET_EQUAL : FLEET_DIFFERS);
}

/* What shipper.c does with an end. */
static void settle(struct simulation *simulation, size_t host, struct pair *pair, enum fleet_ship_act end)
{
    struct fleet_ship ship = pair->machine.ship;
    pair->work = IDLE;
    switch (end) {
    case FLEET_SHIP_FOREIGN:
        pair->state = HELD;
        return;
    case FLEET_SHIP_FENCED:
        simulation->report->fenced++;
        if (is_mutant(simulation, MUTANT_TAIL_DROPPED)) {
            pair->leaf = change_at(simulation, pair->leaf, ship.next - 1);
        }
        follow(simulation, pair, false, ship.epoch);
        return;
    case FLEET_SHIP_DIVERGED:
        fork_tail(simulation, host, pair);
        follow(simulation, pair, ship.mine, ship.epoch);
        return;
    case FLEET_SHIP_SHORT:
        if (ship.epoch < ship.kept) { /* the engine came back, and another host goes on there */
            fork_tail(simulation, host, pair);
        }
        follow(simulation, pair, ship.mine, ship.epoch);
        return;
    default:
        add_fork(&simulation->hosts[host].store, pair->leaf);
        pair->state = FREED;
        simulation->truths[pair->session].is_freed = true;
        return;
    }
}

static bool send_release(struct simulation *simulation, size_t host, size_t number)
{
    struct pair *pair = &simulation->hosts[host].store.pairs[number];
    enum fleet_ask ask = pair->is_freeing ? FLEET_FREE : FLEET_RELEASE;
    if (pair->machine.ship.phase != FLEET_SHIP_PHASE_READY || (!pair->is_freeing && !pair->is_releasing)) {
        return false;
    }
    pair->is_releasing = false;
    call(simulation, host, number, pair->is_freeing ? FREE_CALL : RELEASE_CALL,
         (struct fleet_request){.ask = ask, .epoch = pair->machine.ship.epoch});
    return true;
}

static void pump_ship(struct simulation *simulation, size_t host, size_t number)
{
    for (;;) {
        struct pair *pair = &simulation->hosts[host].store.pairs[number];
        struct fleet_ship *ship = &pair->machine.ship;
        struct fleet_local local = {pair->epoch, count_of(simulation, pair->leaf)};
        if (ship->phase == FLEET_SHIP_PHASE_READY && !ship->asked && !follow_cursor(simulation, host, number)) {
            return;
        }
        enum fleet_ship_act act = fleet_ship_next(ship, &local);
        switch (act) {
        case FLEET_SHIP_REST:
            send_release(simulation, host, number);
            return;
        case FLEET_SHIP_CLAIM:
        case FLEET_SHIP_LOOK:
            fleet_ship_sent(ship);
            call(simulation, host, number, SHIP_CALL,
                 (struct fleet_request){.ask = act == FLEET_SHIP_CLAIM ? FLEET_CLAIM : FLEET_LOOK,
                                        .epoch = ship->epoch,
                                        .make = act == FLEET_SHIP_CLAIM});
            return;
        case FLEET_SHIP_COMPARE:
            compare(simulation, pair);
            break;
        case FLEET_SHIP_KEEP:
            pair->epoch = ship->epoch;
            fleet_ship_kept(ship);
            break;
        case FLEET_SHIP_APPEND:
            send_append(simulation, host, number);
            return;
        default:
            settle(simulation, host, pair, act);
            pump(simulation, host, number);
            return;
        }
    }
}

/* What a mutant makes of an answer. */
static enum fleet_outcome mutated(const struct simulation *simulation, size_t host, const struct pair *pair,
                                  const struct fleet_answer *answer)
{
    if (answer->ask == FLEET_APPEND && answer->outcome == FLEET_UNKNOWN &&
        is_mutant(simulation, MUTANT_UNKNOWN_IS_DONE)) {
        return FLEET_DONE;
    }
    if (answer->ask == FLEET_APPEND && answer->outcome == FLEET_UNKNOWN &&
        is_mutant(simulation, MUTANT_ALREADY_THERE)) {
        return FLEET_RETRY; /* sent again, instead of a look */
    }
    if (answer->ask == FLEET_APPEND && answer->outcome == FLEET_NO && is_mutant(simulation, MUTANT_ALREADY_THERE)) {
        size_t row = rows_ids_find(cluster_ids(simulation->cluster),
                                   (struct xylem_view){(const char *)&pair->session, sizeof pair->session});
        const struct rows_version *found = cluster_peek(simulation->cluster, host, row);
        return found && found->next == pair->to && found->chain == pair->after ? FLEET_DONE : FLEET_NO;
    }
    return answer->outcome;
}

static void ship_answered(struct simulation *simulation, size_t host, struct pair *pair,
                          const struct fleet_answer *given)
{
    struct fleet_answer answer = *given;
    answer.outcome = mutated(simulation, host, pair, given);
    if (answer.ask == FLEET_APPEND && answer.outcome == FLEET_DONE) {
        see_append(simulation, pair);
    } else {
        see_row(simulation, &simulation->hosts[host], pair, &answer);
    }
    fleet_ship_answer(&pair->machine.ship, &answer, pair->to, pair->after);
}

/* --- Redactions ------------------------------------------------------------------------------------------------------------------- */

/* The segment that has the text was read: other bytes for it. */
static bool send_rewrite(struct simulation *simulation, size_t host, size_t number, const struct fleet_answer *answer)
{
    struct pair *pair = &simulation->hosts[host].store.pairs[number];
    uint32_t body[BODY_CHANGES_MAX];
    uint64_t ordinal = simulation->changes[pair->redaction].redacts;
    const struct fleet_piece *piece = answer->piece_count > 0 ? answer->pieces : NULL;
    if (answer->outcome != FLEET_DONE || !piece || piece->from > ordinal || piece->to <= ordinal ||
        piece->to - 1 > count_of(simulation, pair->leaf)) {
        return false;
    }
    call(simulation, host, number, REWRITE_CALL,
         (struct fleet_request){.ask = FLEET_REWRITE,
                                .epoch = pair->machine.ship.epoch,
                                .generation = answer->rows->generation,
                                .from = piece->from,
                                .to = piece->to,
                                .body = pack(simulation, body, pair->leaf, piece->from, piece->to)});
    return true;
}

static void rewritten(struct simulation *simulation, struct pair *pair, const struct fleet_answer *answer)
{
    if (answer->outcome == FLEET_DONE) {
        see_redaction(simulation, pair, pair->redaction);
        move_cursor(simulation, pair, simulation->changes[pair->redaction].ordinal);
    } else {
        fleet_ship_doubt(&pair->machine.ship);
    }
}

/* --- Claims and pulls -------------------------------------------------------------------------------------------------------------- */

static void pump_claim(struct simulation *simulation, size_t host, size_t number)
{
    struct pair *pair = &simulation->hosts[host].store.pairs[number];
    struct fleet_claim *claim = &pair->machine.claim;
    enum fleet_claim_act act = fleet_claim_next(claim);
    switch (act) {
    case FLEET_CLAIM_ROW:
    case FLEET_CLAIM_SEND:
        fleet_claim_sent(claim);
        call(simulation, host, number, CLAIM_CALL,
             (struct fleet_request){.ask = act == FLEET_CLAIM_ROW ? FLEET_ROW : FLEET_CLAIM, .epoch = claim->seen});
        return;
    case FLEET_CLAIM_WON:
        simulation->report->takeovers++;
        begin_pull(simulation, pair, true, claim->epoch);
        pump(simulation, host, number);
        return;
    case FLEET_CLAIM_WAIT:
        return;
    default:
        pair->work = IDLE;
        return;
    }
}

static void own(struct simulation *simulation, size_t host, size_t number)
{
    struct pair *pair = &simulation->hosts[host].store.pairs[number];
    pair->state = OWNED;
    if (pair->own_epoch < pair->epoch) {
        violate(simulation, "session %u: a store with epoch %llu cannot own epoch %llu", pair->session,
                (unsigned long long)pair->epoch, (unsigned long long)pair->own_epoch);
    }
    pair->epoch = pair->own_epoch;
    /* The owner before may have died between a redaction and its forwarding. */
    pair->cursor = pair->safe_cursor = 0;
    begin_ship(simulation, pair);
    pump(simulation, host, number);
}

static void pump_pull(struct simulation *simulation, size_t host, size_t number)
{
    struct pair *pair = &simulation->hosts[host].store.pairs[number];
    struct fleet_pull *pull = &pair->machine.pull;
    enum fleet_pull_act act = fleet_pull_next(pull);
    if (act == FLEET_PULL_READ) {
        fleet_pull_sent(pull);
        call(simulation, host, number, PULL_CALL,
             (struct fleet_request){.ask = FLEET_READ, .from = pull->have + 1, .limit = 3});
    } else if (act == FLEET_PULL_COMPARE) {
        uint32_t change = change_at(simulation, pair->leaf, pull->next - 1);
        fleet_pull_compared(pull, chain_of(simulation, change) == pull->last);
        pump(simulation, host, number);
    } else if (act == FLEET_PULL_DIVERGED) {
        fork_tail(simulation, host, pair);
        begin_pull(simulation, pair, pair->takes_over, pair->own_epoch);
        pump(simulation, host, number);
    } else if (act == FLEET_PULL_FREED) {
        add_fork(&simulation->hosts[host].store, pair->leaf);
        pair->state = FREED;
        pair->work = IDLE;
    } else if (act == FLEET_PULL_GAP) {
        violate(simulation, "session %u: the engine lacks changes behind %llu", pair->session,
                (unsigned long long)pull->have);
    } else if (act == FLEET_PULL_CURRENT || act == FLEET_PULL_BEHIND) {
        pair->work = IDLE;
        if (pair->takes_over && fleet_pull_stands(pull, pair->own_epoch)) {
            own(simulation, host, number);
        }
    } else if (act == FLEET_PULL_MISSING) {
        pair->work = IDLE;
    }
}

static uint32_t piece_change(const struct fleet_piece *piece, uint64_t ordinal)
{
    uint32_t change;
    memcpy(&change, piece->body.data + (ordinal - piece->from) * sizeof change, sizeof change);
    return change & ~REDACTED_BIT;
}

/* What xylem_segment_apply() does: changes that the store has are compared. False: another history. */
static bool apply(const struct simulation *simulation, struct pair *pair, const struct fleet_piece *piece)
{
    uint64_t have = count_of(simulation, pair->leaf);
    if (piece->from <= have && piece_change(piece, have) != pair->leaf) {
        return false;
    }
    if (piece->from > have && simulation->changes[piece_change(piece, piece->from)].parent != pair->leaf) {
        return false;
    }
    pair->leaf = piece_change(piece, piece->to - 1);
    return true;
}

static void pull_answered(struct simulation *simulation, struct pair *pair, const struct fleet_answer *answer)
{
    struct fleet_pull *pull = &pair->machine.pull;
    fleet_pull_answer(pull, answer);
    for (size_t i = 0; i < answer->piece_count; i++) {
        if (fleet_pull_piece(pull, &answer->pieces[i]) == FLEET_PULL_APPLY && answer->pieces[i].from > 0) {
            bool is_same = apply(simulation, pair, &answer->pieces[i]);
            if (is_same && pull->epoch < pair->epoch) {
                violate(simulation, "session %u: a store with epoch %llu cannot take epoch %llu", pair->session,
                        (unsigned long long)pair->epoch, (unsigned long long)pull->epoch);
            }
            pair->epoch = is_same ? pull->epoch : pair->epoch;
            fleet_pull_applied(pull, count_of(simulation, pair->leaf), chain_of(simulation, pair->leaf), !is_same);
        }
    }
}

/* --- A host ------------------------------------------------------------------------------------------------------------------------- */

static void pump(struct simulation *simulation, size_t host, size_t number)
{
    struct pair *pair = &simulation->hosts[host].store.pairs[number];
    if (!simulation->hosts[host].is_up || pair->call || pair->pauses) {
        return;
    }
    if (pair->work == SHIP) {
        pump_ship(simulation, host, number);
    } else if (pair->work == CLAIM) {
        pump_claim(simulation, host, number);
    } else if (pair->work == PULL) {
        pump_pull(simulation, host, number);
    }
}

static void answered(void *context, size_t host, uint64_t number, const struct fleet_answer *answer)
{
    struct simulation *simulation = context;
    struct store *store = &simulation->hosts[host].store;
    size_t at = number & 0xffffff;
    if (at >= store->pair_count || store->pairs[at].call != number) {
        return; /* an answer that comes twice, or to an earlier life */
    }
    struct pair *pair = &store->pairs[at];
    pair->call = 0;
    simulation->report->acknowledgements += answer->outcome == FLEET_DONE && fleet_ask_writes(answer->ask) ? 1 : 0;
    bool pauses = answer->outcome != FLEET_DONE && answer->outcome != FLEET_NO;
    switch (pair->call_type) {
    case SHIP_CALL:
        ship_answered(simulation, host, pair, answer);
        break;
    case CLAIM_CALL:
        see_row(simulation, &simulation->hosts[host], pair, answer);
        fleet_claim_answer(&pair->machine.claim, answer);
        break;
    case PULL_CALL:
        pull_answered(simulation, pair, answer);
        break;
    case FIND_CALL:
        if (send_rewrite(simulation, host, at, answer)) {
            return;
        }
        pauses = true;
        fleet_ship_doubt(&pair->machine.ship);
        break;
    case REWRITE_CALL:
        rewritten(simulation, pair, answer);
        break;
    case FREE_CALL:
        simulation->report->freed += answer->outcome == FLEET_DONE ? 1 : 0;
        fleet_ship_doubt(&pair->machine.ship);
        break;
    case RELEASE_CALL:
        simulation->report->releases += answer->outcome == FLEET_DONE ? 1 : 0;
        fleet_ship_doubt(&pair->machine.ship);
        break;
    default:
        break;
    }
    if (pauses) {
        pause_pair(simulation, host, at);
    } else {
        pump(simulation, host, at);
    }
}

static void reconnected(void *context, size_t host)
{
    struct simulation *simulation = context;
    struct store *store = &simulation->hosts[host].store;
    for (size_t i = 0; i < store->pair_count && (simulation->options.seed & 1); i++) { /* no safety rests on doubts */
        if (store->pairs[i].work == SHIP) {
            fleet_ship_doubt(&store->pairs[i].machine.ship);
        }
    }
}

static size_t add_pair(struct simulation *simulation, size_t host, uint32_t session)
{
    struct store *store = &simulation->hosts[host].store;
    if ((store->pair_count & (store->pair_count - 1)) == 0) {
        size_t capacity = store->pair_count ? 2 * store->pair_count : 1;
        store->pairs = rows_memory(store->pairs, capacity * sizeof *store->pairs);
    }
    store->pairs[store->pair_count] = (struct pair){.session = session, .state = FOLLOWS};
    return store->pair_count++;
}

static size_t find_pair(const struct store *store, uint32_t session)
{
    size_t at = 0;
    while (at < store->pair_count && store->pairs[at].session != session) {
        at++;
    }
    return at;
}

/* A crash: what was on its way is forgotten, and the cursor may be behind. */
static void forget(struct simulation *simulation, size_t host)
{
    struct store *store = &simulation->hosts[host].store;
    cluster_forget(simulation->cluster, host);
    for (size_t i = 0; i < store->pair_count; i++) {
        struct pair *pair = &store->pairs[i];
        pair->work = IDLE;
        pair->call = 0;
        pair->pauses = pair->is_releasing = pair->takes_over = false;
        pair->cursor = pair->safe_cursor;
    }
}

static void start_host(struct simulation *simulation, size_t at)
{
    struct host *host = &simulation->hosts[at];
    host->is_up = true;
    for (size_t i = 0; i < host->store.pair_count; i++) {
        struct pair *pair = &host->store.pairs[i];
        pair->state = pair->state == HELD ? OWNED : pair->state;
        if (pair->state == OWNED && (pair->cursor < count_of(simulation, pair->leaf) || pair->is_freeing)) {
            begin_ship(simulation, pair);
            pump(simulation, at, i);
        }
    }
}

static void copy_store(struct store *to, const struct store *from)
{
    size_t capacity = 1;
    while (capacity < from->pair_count) {
        capacity *= 2;
    }
    to->pairs = rows_memory(to->pairs, capacity * sizeof *to->pairs);
    to->forks = rows_memory(to->forks, from->fork_count * sizeof *to->forks);
    if (from->pair_count > 0) {
        memcpy(to->pairs, from->pairs, from->pair_count * sizeof *to->pairs);
    }
    if (from->fork_count > 0) {
        memcpy(to->forks, from->forks, from->fork_count * sizeof *to->forks);
    }
    to->pair_count = from->pair_count;
    to->fork_count = from->fork_count;
}

static void excuse(struct simulation *simulation, size_t author, uint32_t leaf)
{
    for (; leaf != ROOT; leaf = simulation->changes[leaf].parent) {
        struct change *change = &simulation->changes[leaf];
        change->is_excused = change->is_excused || change->author == author;
    }
}

/* The store as it was when the backup was taken; half of them draw another token, as another life of a store does. */
static void restore_host(struct simulation *simulation, size_t at)
{
    struct host *host = &simulation->hosts[at];
    simulation->report->host_restores++;
    forget(simulation, at);
    for (size_t i = 0; i < host->store.pair_count; i++) {
        excuse(simulation, at, host->store.pairs[i].leaf);
    }
    for (size_t i = 0; i < host->store.fork_count; i++) {
        excuse(simulation, at, host->store.forks[i]);
    }
    copy_store(&host->store, &host->saved);
    forget(simulation, at);
    if (chance_one_in(simulation->chance, 2)) {
        uint64_t drawn = chance_draw(simulation->chance);
        memcpy(host->token + 8, &drawn, sizeof drawn);
    }
}

/* --- What people do ------------------------------------------------------------------------------------------------------------------- */

static void add_changes(struct simulation *simulation, size_t host, struct pair *pair)
{
    for (int i = chance_below(simulation->chance, 4); i >= 0; i--) {
        uint32_t count = count_of(simulation, pair->leaf);
        uint32_t redacts = 0;
        if (count > 0 && chance_one_in(simulation->chance, 6)) {
            uint32_t near = count < 12 ? count : 12;
            redacts = count - (uint32_t)chance_below(simulation->chance, (int)near);
        }
        pair->leaf = add_change(simulation, pair->leaf, redacts, host);
    }
}

static void work_on(struct simulation *simulation, size_t host, size_t number)
{
    struct pair *pair = &simulation->hosts[host].store.pairs[number];
    bool few = simulation->options.sessions < 100; /* a freed session does not come back */
    if (pair->state == FOLLOWS) {
        if (pair->work == IDLE) {
            begin_pull(simulation, pair, false, 0);
        }
    } else if ((pair->state == OWNED || pair->state == HELD) && !pair->is_freeing) {
        add_changes(simulation, host, pair);
        pair->is_releasing = chance_one_in(simulation->chance, 60);
        pair->is_freeing = pair->state == OWNED && chance_one_in(simulation->chance, few ? 5000 : 400);
        if (pair->state == OWNED && pair->work != SHIP) {
            begin_ship(simulation, pair);
        }
    }
    pump(simulation, host, number);
}

static void take_over(struct simulation *simulation, size_t host, uint32_t session, bool force)
{
    struct store *store = &simulation->hosts[host].store;
    size_t at = find_pair(store, session);
    at = at == store->pair_count ? add_pair(simulation, host, session) : at;
    struct pair *pair = &store->pairs[at];
    if (pair->state == FOLLOWS && (pair->work == IDLE || pair->work == PULL) && !pair->call && !pair->pauses) {
        pair->work = CLAIM;
        fleet_claim_begin(&pair->machine.claim, force);
        pair->machine.claim.known = pair->epoch;
        pump(simulation, host, at);
    }
}

static uint32_t some_session(struct simulation *simulation)
{
    uint32_t count = simulation->session_count;
    if (count > 40 && chance_one_in(simulation->chance, 2)) {
        count = 40; /* sessions that many hosts want */
    }
    return (uint32_t)chance_below(simulation->chance, (int)count);
}

static void make_session(struct simulation *simulation, size_t host)
{
    bool is_taken = simulation->session_count > 0 && chance_one_in(simulation->chance, 50);
    uint32_t session = is_taken ? some_session(simulation) : simulation->session_count;
    struct store *store = &simulation->hosts[host].store;
    if (is_taken && find_pair(store, session) < store->pair_count) {
        return;
    }
    simulation->session_count += is_taken ? 0 : 1;
    size_t at = add_pair(simulation, host, session);
    struct pair *pair = &store->pairs[at];
    pair->state = OWNED;
    add_changes(simulation, host, pair);
    begin_ship(simulation, pair);
    pump(simulation, host, at);
}

static void act(struct simulation *simulation)
{
    size_t host = (size_t)chance_below(simulation->chance, (int)simulation->options.hosts);
    struct store *store = &simulation->hosts[host].store;
    if (!simulation->hosts[host].is_up) {
        return;
    }
    int choice = chance_below(simulation->chance, 10);
    if (simulation->session_count < simulation->options.sessions && (choice < 4 || store->pair_count == 0)) {
        make_session(simulation, host);
    } else if (choice == 9 && simulation->session_count > 0) {
        take_over(simulation, host, some_session(simulation), !chance_one_in(simulation->chance, 8));
    } else if (store->pair_count > 0) {
        work_on(simulation, host, (size_t)chance_below(simulation->chance, (int)store->pair_count));
    }
}

static void fault(struct simulation *simulation)
{
    size_t at = (size_t)chance_below(simulation->chance, (int)simulation->options.hosts);
    struct host *host = &simulation->hosts[at];
    switch (chance_below(simulation->chance, 20)) {
    case 0:
    case 1:
    case 2:
        simulation->report->host_crashes += host->is_up ? 1 : 0;
        host->is_up = false;
        forget(simulation, at);
        cluster_at(simulation->cluster, (uint64_t)chance_below(simulation->chance, 5000), HOST_UP, at, 0);
        return;
    case 3:
        copy_store(&host->saved, &host->store);
        host->has_saved = true;
        return;
    case 4:
        if (host->has_saved && chance_one_in(simulation->chance, 2)) {
            host->is_up = false;
            restore_host(simulation, at);
            cluster_at(simulation->cluster, (uint64_t)chance_below(simulation->chance, 3000), HOST_UP, at, 0);
        }
        return;
    case 5:
        if (chance_one_in(simulation->chance, 8)) {
            cluster_save(simulation->cluster);
        } else if (chance_one_in(simulation->chance, 40)) {
            cluster_restore(simulation->cluster);
        }
        return;
    default:
        cluster_fault(simulation->cluster);
        return;
    }
}

static void happened(void *context, unsigned type, size_t first, size_t second)
{
    struct simulation *simulation = context;
    uint64_t often = simulation->options.hosts > 100 ? 1 : 4;
    if (type == PUMP) {
        if (second < simulation->hosts[first].store.pair_count) {
            simulation->hosts[first].store.pairs[second].pauses = false;
            pump(simulation, first, second);
        }
    } else if (type == HOST_UP) {
        if (!simulation->hosts[first].is_up) {
            start_host(simulation, first);
        }
    } else if (simulation->is_quiet) {
        return;
    } else if (type == USER) {
        act(simulation);
        cluster_at(simulation->cluster, often, USER, 0, 0);
    } else {
        fault(simulation);
        cluster_at(simulation->cluster, 50 + (uint64_t)chance_below(simulation->chance, 600), FAULT, 0, 0);
    }
}

/* --- The end ----------------------------------------------------------------------------------------------------------------------------- */

static bool step(struct simulation *simulation)
{
    simulation->report->steps++;
    return !simulation->report->violation[0] && cluster_step(simulation->cluster);
}

/* Everybody ships and pulls once more, and is left alone until nothing happens. */
static void drain(struct simulation *simulation)
{
    for (size_t i = 0; i < simulation->options.hosts; i++) {
        struct store *store = &simulation->hosts[i].store;
        for (size_t j = 0; j < store->pair_count; j++) {
            struct pair *pair = &store->pairs[j];
            if (!pair->call && !pair->pauses && pair->state == OWNED) {
                begin_ship(simulation, pair);
            } else if (!pair->call && !pair->pauses && pair->state == FOLLOWS) {
                begin_pull(simulation, pair, false, 0);
            }
            pump(simulation, i, j);
        }
    }
    while (step(simulation)) {
    }
}

static const struct rows_version *final_row(struct simulation *simulation, uint32_t session)
{
    size_t number =
        rows_ids_find(cluster_ids(simulation->cluster), (struct xylem_view){(const char *)&session, sizeof session});
    return number == ROWS_NONE ? NULL : rows_table_get(cluster_table(simulation->cluster), number);
}

/* A follower that saw a later claim than the engine has: a backup came back, or a failover lost the claim. */
static bool is_stuck(struct simulation *simulation, const struct pair *pair)
{
    const struct rows_version *row = final_row(simulation, pair->session);
    return pair->state == FOLLOWS && row && !row->freed && row->epoch < pair->epoch;
}

/* Sessions whose owner died between its claim and its first change, and those of followers that are stuck: claimed. */
static void take_ownerless(struct simulation *simulation)
{
    bool *has_owner = rows_memory(NULL, simulation->options.sessions * sizeof *has_owner);
    memset(has_owner, 0, simulation->options.sessions * sizeof *has_owner);
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < simulation->options.hosts; i++) {
            struct store *store = &simulation->hosts[i].store;
            for (size_t j = 0; j < store->pair_count; j++) {
                uint32_t session = store->pairs[j].session;
                if (round == 1 && ((!has_owner[session] && store->pairs[j].state == FOLLOWS) ||
                                   is_stuck(simulation, &store->pairs[j]))) {
                    take_over(simulation, i, session, true);
                    has_owner[session] = true;
                }
                has_owner[session] = has_owner[session] || store->pairs[j].state == OWNED;
            }
        }
    }
    free(has_owner);
    while (step(simulation)) {
    }
}

static void keep(struct simulation *simulation, uint32_t leaf)
{
    for (; leaf != ROOT && !simulation->changes[leaf].is_kept; leaf = simulation->changes[leaf].parent) {
        simulation->changes[leaf].is_kept = true;
    }
}

/* Redactions that the row has are done in all of its segments. */
static void check_redactions(struct simulation *simulation, uint32_t session, const struct rows_version *row)
{
    uint32_t leaf = (uint32_t)row->chain;
    for (size_t i = 0; i < row->piece_count; i++) {
        const struct rows_piece *piece = row->pieces[i];
        for (uint64_t ordinal = piece->from; ordinal < piece->to; ordinal++) {
            uint32_t change;
            memcpy(&change, piece->body->data + (ordinal - piece->from) * sizeof change, sizeof change);
            if (!(change & REDACTED_BIT) && is_redacted(simulation, leaf, ordinal)) {
                violate(simulation, "session %u: change %llu was redacted, and its text is in the row", session,
                        (unsigned long long)ordinal);
            }
        }
    }
}

static void check_row(struct simulation *simulation, uint32_t session)
{
    const struct rows_version *row = final_row(simulation, session);
    const struct truth *truth = &simulation->truths[session];
    uint32_t leaf = row ? (uint32_t)row->chain : ROOT;
    keep(simulation, leaf);
    if (row && row->freed) {
        return;
    }
    if (truth->is_freed) {
        violate(simulation, "session %u: was freed, and is there", session);
    } else if (!is_beginning(simulation, truth->promised, leaf)) {
        violate(simulation, "session %u: acknowledged changes are lost at the end: %u of %u", session,
                count_of(simulation, leaf), count_of(simulation, truth->promised));
    }
    for (size_t i = 0; row && i < row->piece_count; i++) {
        check_piece(simulation, session, row, i);
        check_body(simulation, row->pieces[i]->body, "a row");
    }
    if (row) {
        check_body(simulation, row->head, "a head at the end");
    }
    if (row && row->next != count_of(simulation, leaf) + 1u) {
        violate(simulation, "session %u: the row's ordinal and chain are of two histories", session);
    }
    if (row && !truth->was_restored && !row->unowned) {
        check_redactions(simulation, session, row);
    }
}

/* An owner has shipped all; who follows has a beginning of the owner's history, or waits for an owner that lost its own. */
static void check_pair(struct simulation *simulation, const struct pair *pair)
{
    const struct rows_version *row = final_row(simulation, pair->session);
    uint32_t leaf = row ? (uint32_t)row->chain : ROOT;
    keep(simulation, pair->leaf);
    if (!row || row->freed || pair->state == HELD || pair->state == FREED) {
        return;
    }
    if (pair->state == OWNED && pair->leaf != leaf) {
        violate(simulation, "session %u: its owner has %u changes, the engine %u", pair->session,
                count_of(simulation, pair->leaf), count_of(simulation, leaf));
    } else if (!is_beginning(simulation, pair->leaf, leaf) && !is_beginning(simulation, leaf, pair->leaf)) {
        violate(simulation, "session %u: a follower has another history than the engine", pair->session);
    }
}

static void check_end(struct simulation *simulation)
{
    for (uint32_t i = 0; i < simulation->session_count; i++) {
        check_row(simulation, i);
    }
    for (size_t i = 0; i < simulation->options.hosts; i++) {
        const struct store *store = &simulation->hosts[i].store;
        for (size_t j = 0; j < store->pair_count; j++) {
            check_pair(simulation, &store->pairs[j]);
        }
        for (size_t j = 0; j < store->fork_count; j++) {
            keep(simulation, store->forks[j]);
        }
    }
    for (size_t i = 1; i < simulation->change_count; i++) {
        if (!simulation->changes[i].is_kept && !simulation->changes[i].is_excused) {
            violate(simulation, "change %zu, ordinal %u, of host %u disappeared", i, simulation->changes[i].ordinal,
                    simulation->changes[i].author);
        }
    }
}

/* --- A run ------------------------------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *word;
    unsigned cluster;
    unsigned rows;
} mutants[MUTANT_COUNT] = {
    [MUTANT_NONE] = {"none", 0, 0},
    [MUTANT_UNKNOWN_IS_DONE] = {"an unknown outcome is taken for success", 0, 0},
    [MUTANT_ALREADY_THERE] = {"already there is taken for acknowledged", 0, 0},
    [MUTANT_LOOK_WITHOUT_WRITE] = {"a look writes nothing", CLUSTER_FLAW_READING_LOOK, 0},
    [MUTANT_FENCE_DROPPED] = {"the fence is dropped", 0, ROWS_FLAW_FENCE},
    [MUTANT_ORDINAL_UNCHECKED] = {"the ordinal is not compared", 0, ROWS_FLAW_ORDINAL | ROWS_FLAW_CHAIN},
    [MUTANT_CHAIN_UNCHECKED] = {"the chain is not compared", 0, ROWS_FLAW_CHAIN},
    [MUTANT_CLAIM_UNCHECKED] = {"the epoch of a claim is not compared", 0, ROWS_FLAW_CLAIM},
    [MUTANT_CURSOR_EARLY] = {"the cursor moves before the commit", 0, 0},
    [MUTANT_NEARER_STANDBY] = {"the nearer standby is promoted", CLUSTER_FLAW_NEARER, 0},
    [MUTANT_BEFORE_CUT] = {"numbers are read before the cut", CLUSTER_FLAW_BEFORE_CUT, 0},
    [MUTANT_OLD_TIMELINE] = {"a standby of an old timeline is promoted", CLUSTER_FLAW_OLD_TIMELINE, 0},
    [MUTANT_ONE_SEEN] = {"one standby of two is enough", CLUSTER_FLAW_ONE_SEEN, 0},
    [MUTANT_LOCAL_COMMIT] = {"a commit waits for no standby", CLUSTER_FLAW_LOCAL, 0},
    [MUTANT_CANCEL_IS_DONE] = {"a warning at a commit is not read", CLUSTER_FLAW_CANCEL, 0},
    [MUTANT_REDACTION_KEPT] = {"a redaction is not forwarded", 0, 0},
    [MUTANT_GENERATION_UNCHECKED] = {"the generation of a rewrite is not compared", 0, ROWS_FLAW_GENERATION},
    [MUTANT_TAIL_DROPPED] = {"the tail of a fenced owner is dropped", 0, 0},
};

const char *simulate_mutant_word(enum simulate_mutant mutant)
{
    return mutants[mutant].word;
}

static void report_counts(struct simulate_report *report, const struct cluster *cluster)
{
    const struct cluster_counts *counts = cluster_counts(cluster);
    report->now_ms = cluster_now(cluster);
    report->unknown = counts->unknown;
    report->late = counts->late;
    report->doubled = counts->doubled;
    report->failovers = counts->failovers;
    report->refused = counts->refused;
    report->zombies = counts->zombies;
    report->cancels = counts->cancels;
    report->kills = counts->kills;
    report->engine_restores = counts->restores;
}

static void begin(struct simulation *simulation)
{
    const struct simulate_options *options = &simulation->options;
    struct cluster_hooks hooks = {simulation, answered, reconnected, wrote, happened, restored};
    rows_flaws = mutants[options->mutant].rows;
    simulation->cluster = cluster_new(options->seed, mutants[options->mutant].cluster, options->hosts, &hooks);
    simulation->chance = cluster_chance(simulation->cluster);
    simulation->change_capacity = 1024;
    simulation->changes = rows_memory(NULL, simulation->change_capacity * sizeof *simulation->changes);
    simulation->changes[ROOT] = (struct change){0};
    simulation->change_count = 1;
    simulation->hosts = rows_memory(NULL, options->hosts * sizeof *simulation->hosts);
    memset(simulation->hosts, 0, options->hosts * sizeof *simulation->hosts);
    simulation->truths = rows_memory(NULL, options->sessions * sizeof *simulation->truths);
    memset(simulation->truths, 0, options->sessions * sizeof *simulation->truths);
    for (size_t i = 0; i < options->hosts; i++) {
        simulation->hosts[i].is_up = true;
        memcpy(simulation->hosts[i].token, &i, sizeof i);
    }
    cluster_at(simulation->cluster, 1, USER, 0, 0);
    cluster_at(simulation->cluster, 500, FAULT, 0, 0);
}

static void end(struct simulation *simulation)
{
    cluster_free(simulation->cluster);
    for (size_t i = 0; i < simulation->options.hosts; i++) {
        free(simulation->hosts[i].store.pairs);
        free(simulation->hosts[i].store.forks);
        free(simulation->hosts[i].saved.pairs);
        free(simulation->hosts[i].saved.forks);
    }
    free(simulation->hosts);
    free(simulation->truths);
    free(simulation->changes);
    rows_flaws = 0;
}

void simulate(struct simulate_report *report, const struct simulate_options *options)
{
    struct simulation simulation = {.options = *options, .report = report};
    *report = (struct simulate_report){0};
    begin(&simulation);
    while (report->steps < options->steps && step(&simulation)) {
    }
    simulation.is_quiet = true;
    cluster_heal(simulation.cluster);
    for (size_t i = 0; i < options->hosts; i++) {
        if (!simulation.hosts[i].is_up) {
            start_host(&simulation, i);
        }
    }
    while (step(&simulation)) {
    }
    drain(&simulation);
    take_ownerless(&simulation);
    drain(&simulation);
    drain(&simulation);
    if (!report->violation[0]) {
        check_end(&simulation);
    }
    report_counts(report, simulation.cluster);
    end(&simulation);
}
