#include "tests/fleet/cluster_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/promotion.h"

#define NONE SIZE_MAX
#define TIMELINES_MAX 65536u
#define WAL_KEPT 8192u /* records that a standby may lag behind */

enum event_type { ARRIVE, ANSWER, DEADLINE, STREAM, ACKNOWLEDGE, REPLAY, NODE_UP, OPERATE, LINK_UP, CALLERS };

struct call {
    uint64_t number;
    size_t client;
    size_t node;
    size_t slot;   /* among the cluster's calls */
    unsigned uses; /* events, waits */
    bool is_over;  /* answered, or given up, or its client died */
    uint64_t life; /* of the engine */
    struct rows_request copy;
};

struct event {
    uint64_t at_ms;
    uint64_t order;
    unsigned type;
    size_t first;
    uint64_t second;
    struct call *call;
    struct rows_answer *answer;
};

struct record {
    size_t row;
    struct rows_version *version;
};

/* A transaction that waits for a standby. */
struct wait {
    uint64_t place;
    size_t row;
    struct call *call; /* NULL: its client is gone */
};

struct waiter { /* for a lock */
    size_t row;
    struct call *call;
};

struct node {
    bool is_up;
    bool is_primary;
    uint64_t timeline;
    uint64_t base; /* the WAL has records behind this place */
    uint64_t flushed;
    uint64_t replayed;
    struct record *wal; /* a ring of WAL_KEPT: the record of a place p is wal[p % WAL_KEPT] */
    struct rows_table table;
    /* of a standby */
    size_t upstream; /* NONE: cut off */
    uint64_t link;   /* counts connections: what an older one sent does not arrive */
    bool is_linked;  /* the network between both */
    bool streams;    /* a STREAM is on its way */
    uint64_t lag_ms;
    bool is_stuck; /* its WAL is of another history than the primary's */
    /* of a primary */
    struct wait *waits;
    size_t wait_first;
    size_t wait_count;
    size_t wait_capacity;
    struct waiter *waiters;
    size_t waiter_count;
    size_t waiter_capacity;
    bool *locks;
    size_t lock_count;
};

struct promotion {
    bool runs;
    size_t dead; /* the node that is held for dead */
    uint64_t places[CLUSTER_NODES];
    unsigned tries;
};

struct cluster {
    struct chance chance;
    unsigned flaws;
    struct cluster_hooks hooks;
    struct cluster_counts counts;
    uint64_t now_ms;
    uint64_t order;
    uint64_t life;
    struct event *heap;
    size_t heap_count;
    size_t heap_capacity;
    struct rows_ids ids;
    struct node nodes[CLUSTER_NODES];
    size_t primary; /* of the highest timeline */
    uint64_t timeline_count;
    uint64_t parents[TIMELINES_MAX];
    uint64_t starts[TIMELINES_MAX];
    struct promotion promotion;
    uint64_t primary_down_ms;
    size_t client_count;
    unsigned char *reach; /* a bit for each node that the client reaches */
    size_t *connected;    /* the node of a client's connection; NONE */
    struct call **calls;  /* of each client, one after the other */
    size_t call_count;
    size_t call_capacity;
    struct rows_table saved;
    bool has_saved;
    bool is_healed;
};

/* --- Events ------------------------------------------------------------------------------------------------------------- */

static bool is_before(const struct event *left, const struct event *right)
{
    return left->at_ms != right->at_ms ? left->at_ms < right->at_ms : left->order < right->order;
}

static void push(struct cluster *cluster, uint64_t delay_ms, struct event event)
{
    event.at_ms = cluster->now_ms + delay_ms;
    event.order = cluster->order++;
    if (event.call) {
        event.call->uses++;
    }
    if (cluster->heap_count == cluster->heap_capacity) {
        cluster->heap_capacity = cluster->heap_capacity ? 2 * cluster->heap_capacity : 1024;
        cluster->heap = rows_memory(cluster->heap, cluster->heap_capacity * sizeof *cluster->heap);
    }
    size_t at = cluster->heap_count++;
    for (; at > 0 && is_before(&event, &cluster->heap[(at - 1) / 2]); at = (at - 1) / 2) {
        cluster->heap[at] = cluster->heap[(at - 1) / 2];
    }
    cluster->heap[at] = event;
}

static struct event pop(struct cluster *cluster)
{
    struct event first = cluster->heap[0];
    struct event last = cluster->heap[--cluster->heap_count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child + 1 < cluster->heap_count && is_before(&cluster->heap[child + 1], &cluster->heap[child])) {
            child++;
        }
        if (child >= cluster->heap_count || !is_before(&cluster->heap[child], &last)) {
            break;
        }
        cluster->heap[at] = cluster->heap[child];
        at = child;
    }
    cluster->heap[at] = last;
    return first;
}

static uint64_t below(struct cluster *cluster, int bound)
{
    return (uint64_t)chance_below(&cluster->chance, bound);
}

/* A usual delay, now and then a long one: longer than the deadline. */
static uint64_t delay(struct cluster *cluster)
{
    return !cluster->is_healed && chance_one_in(&cluster->chance, 60) ? below(cluster, 3 * CLUSTER_DEADLINE_MS)
                                                                      : 1 + below(cluster, 4);
}

void cluster_at(struct cluster *cluster, uint64_t delay_ms, unsigned type, size_t first, size_t second)
{
    push(cluster, delay_ms, (struct event){.type = CALLERS + type, .first = first, .second = second});
}

/* --- Calls -------------------------------------------------------------------------------------------------------------- */

static void drop_call(struct call *call)
{
    if (--call->uses == 0) {
        rows_request_release(&call->copy);
        free(call);
    }
}

/* The call is answered, or nobody waits for it any more. */
static void end_call(struct cluster *cluster, struct call *call)
{
    struct call *last = cluster->calls[--cluster->call_count];
    call->is_over = true;
    cluster->calls[call->slot] = last;
    last->slot = call->slot;
    drop_call(call);
}

static void give(struct cluster *cluster, struct call *call, const struct fleet_answer *answer)
{
    if (!call->is_over) {
        cluster->counts.unknown += answer->outcome == FLEET_UNKNOWN ? 1 : 0;
        call->uses++;
        end_call(cluster, call);
        cluster->hooks.answered(cluster->hooks.context, call->client, call->number, answer);
        drop_call(call);
    }
}

static void give_up(struct cluster *cluster, struct call *call)
{
    enum fleet_ask ask = call->copy.request.ask;
    enum fleet_outcome outcome = fleet_ask_writes(ask) ? FLEET_UNKNOWN : FLEET_UNREACHABLE;
    struct fleet_answer answer = {.number = call->number, .ask = ask, .outcome = outcome, .text = rows_text(outcome)};
    give(cluster, call, &answer);
}

/* The answer goes to the client; its number is lost now and then, and comes twice now and then. */
static void send_answer(struct cluster *cluster, struct call *call, enum fleet_outcome outcome, size_t row,
                        struct rows_version *version)
{
    struct rows_answer *answer = rows_memory(NULL, sizeof *answer);
    struct xylem_view id = row == NONE ? call->copy.request.session
                                       : (struct xylem_view){cluster->ids.ids[row]->data, cluster->ids.ids[row]->bytes};
    rows_answer_make_one(answer, &call->copy.request, call->number, outcome, id, version, cluster->now_ms);
    if (!cluster->is_healed && chance_one_in(&cluster->chance, 60)) {
        rows_answer_release(answer);
        free(answer);
        return;
    }
    push(cluster, delay(cluster), (struct event){.type = ANSWER, .call = call, .answer = answer});
}

/* --- Rows and locks of a primary ------------------------------------------------------------------------------------------ */

static bool is_locked(const struct node *node, size_t row)
{
    return row < node->lock_count && node->locks[row];
}

static void lock(struct node *node, size_t row)
{
    if (row >= node->lock_count) {
        size_t count = row + 1 + row / 2;
        node->locks = rows_memory(node->locks, count * sizeof *node->locks);
        memset(node->locks + node->lock_count, 0, (count - node->lock_count) * sizeof *node->locks);
        node->lock_count = count;
    }
    node->locks[row] = true;
}

static struct record *record_at(struct node *node, uint64_t place)
{
    return &node->wal[place % WAL_KEPT];
}

static void put_record(struct node *node, uint64_t place, size_t row, struct rows_version *version)
{
    struct record *record = record_at(node, place);
    rows_version_drop(record->version);
    *record = (struct record){row, rows_version_use(version)};
    node->flushed = place;
    if (node->flushed - node->base > WAL_KEPT) {
        node->base = node->flushed - WAL_KEPT;
    }
}

static void show(struct node *node, uint64_t place)
{
    struct record *record = record_at(node, place);
    rows_table_put(&node->table, record->row, rows_version_use(record->version));
}

static void run(struct cluster *cluster, size_t at, struct call *call);

/* Who waited for the lock of a row goes on, one of them at least. */
static void unlock(struct cluster *cluster, size_t at, size_t row)
{
    struct node *node = &cluster->nodes[at];
    node->locks[row] = false;
    for (size_t i = 0; i < node->waiter_count && !is_locked(node, row);) {
        struct call *call = node->waiters[i].call;
        if (node->waiters[i].row != row) {
            i++;
            continue;
        }
        node->waiter_count--;
        memmove(&node->waiters[i], &node->waiters[i + 1], (node->waiter_count - i) * sizeof *node->waiters);
        run(cluster, at, call);
        drop_call(call);
    }
}

static void wait_for_lock(struct node *node, size_t row, struct call *call)
{
    if (node->waiter_count == node->waiter_capacity) {
        node->waiter_capacity = node->waiter_capacity ? 2 * node->waiter_capacity : 16;
        node->waiters = rows_memory(node->waiters, node->waiter_capacity * sizeof *node->waiters);
    }
    call->uses++;
    node->waiters[node->waiter_count++] = (struct waiter){row, call};
}

static void wait_for_standby(struct node *node, uint64_t place, size_t row, struct call *call)
{
    if (node->wait_count == node->wait_capacity) {
        size_t live = node->wait_count - node->wait_first;
        if (live > 0) {
            memmove(node->waits, node->waits + node->wait_first, live * sizeof *node->waits);
        }
        node->wait_first = 0;
        node->wait_count = live;
        if (2 * live >= node->wait_capacity) {
            node->wait_capacity = node->wait_capacity ? 2 * node->wait_capacity : 64;
            node->waits = rows_memory(node->waits, node->wait_capacity * sizeof *node->waits);
        }
    }
    call->uses++;
    node->waits[node->wait_count++] = (struct wait){place, row, call};
}

/* --- Replication ------------------------------------------------------------------------------------------------------------ */

/* The WAL of the standby is a beginning of the WAL of the other node. */
static bool can_follow(const struct cluster *cluster, const struct node *standby, const struct node *upstream)
{
    uint64_t limit = upstream->flushed;
    uint64_t timeline = upstream->timeline;
    while (timeline != standby->timeline && timeline > 0) {
        limit = cluster->starts[timeline] < limit ? cluster->starts[timeline] : limit;
        timeline = cluster->parents[timeline];
    }
    return timeline > 0 && standby->flushed <= limit && standby->flushed >= upstream->base;
}

static bool is_receiving(const struct cluster *cluster, const struct node *standby)
{
    return standby->is_up && !standby->is_primary && standby->upstream != NONE && standby->is_linked &&
           !standby->is_stuck && cluster->nodes[standby->upstream].is_up &&
           cluster->nodes[standby->upstream].is_primary;
}

static void stream(struct cluster *cluster, size_t at)
{
    struct node *standby = &cluster->nodes[at];
    if (!is_receiving(cluster, standby) || standby->streams ||
        standby->flushed >= cluster->nodes[standby->upstream].flushed) {
        return;
    }
    standby->streams = true;
    uint64_t lag = standby->lag_ms ? below(cluster, (int)standby->lag_ms) : 0;
    push(cluster, 1 + below(cluster, 3) + lag, (struct event){.type = STREAM, .first = at, .second = standby->link});
}

static void attach(struct cluster *cluster, size_t at, size_t upstream)
{
    struct node *standby = &cluster->nodes[at];
    standby->upstream = upstream;
    standby->link++;
    standby->streams = false;
    standby->is_stuck = upstream != NONE && !can_follow(cluster, standby, &cluster->nodes[upstream]);
    stream(cluster, at);
    if (is_receiving(cluster, standby)) { /* tells at once how far it is */
        push(cluster, 1, (struct event){.type = ACKNOWLEDGE, .first = at, .second = standby->link});
    }
}

static void receive(struct cluster *cluster, size_t at, uint64_t link)
{
    struct node *standby = &cluster->nodes[at];
    if (link != standby->link) {
        return;
    }
    standby->streams = false;
    if (!is_receiving(cluster, standby)) {
        return;
    }
    struct node *primary = &cluster->nodes[standby->upstream];
    uint64_t to = primary->flushed;
    if (standby->flushed < primary->base) {
        standby->is_stuck = true;
        return;
    }
    standby->timeline = primary->timeline;
    for (uint64_t place = standby->flushed + 1; place <= to; place++) {
        struct record *record = record_at(primary, place);
        put_record(standby, place, record->row, record->version);
        if (standby->flushed - standby->replayed >= WAL_KEPT) { /* the ring is full */
            show(standby, ++standby->replayed);
        }
    }
    push(cluster, 1 + below(cluster, 2), (struct event){.type = ACKNOWLEDGE, .first = at, .second = link});
    push(cluster, 1 + below(cluster, 10), (struct event){.type = REPLAY, .first = at, .second = standby->flushed});
}

static void replay(struct cluster *cluster, size_t at, uint64_t to)
{
    struct node *node = &cluster->nodes[at];
    while (node->is_up && !node->is_primary && node->replayed < to && node->replayed < node->flushed) {
        show(node, ++node->replayed);
    }
}

/* Commits that waited for this place are over. */
static void commit(struct cluster *cluster, size_t at, uint64_t place)
{
    struct node *primary = &cluster->nodes[at];
    while (primary->wait_first < primary->wait_count && primary->waits[primary->wait_first].place <= place) {
        struct wait wait = primary->waits[primary->wait_first++];
        show(primary, wait.place);
        primary->replayed = wait.place;
        send_answer(cluster, wait.call, FLEET_DONE, wait.row, record_at(primary, wait.place)->version);
        drop_call(wait.call);
        unlock(cluster, at, wait.row);
    }
}

static void acknowledge(struct cluster *cluster, size_t at, uint64_t link)
{
    struct node *standby = &cluster->nodes[at];
    if (link == standby->link && is_receiving(cluster, standby) &&
        standby->timeline == cluster->nodes[standby->upstream].timeline) {
        commit(cluster, standby->upstream, standby->flushed);
        stream(cluster, at);
    } else if (link == standby->link) {
        stream(cluster, at);
    }
}

/* --- Transactions ------------------------------------------------------------------------------------------------------------ */

static void write_record(struct cluster *cluster, size_t at, size_t row, struct rows_version *made, struct call *call)
{
    struct node *node = &cluster->nodes[at];
    uint64_t place = node->flushed + 1;
    put_record(node, place, row, made);
    if (at == cluster->primary) {
        cluster->hooks.wrote(cluster->hooks.context, &call->copy.request, row, made);
    }
    rows_version_drop(made);
    wait_for_standby(node, place, row, call);
    lock(node, row);
    if (cluster->flaws & CLUSTER_FLAW_LOCAL) {
        commit(cluster, at, place);
    }
    for (size_t i = 0; i < CLUSTER_NODES; i++) {
        if (cluster->nodes[i].upstream == at) {
            stream(cluster, i);
        }
    }
}

static void run(struct cluster *cluster, size_t at, struct call *call)
{
    struct node *node = &cluster->nodes[at];
    const struct fleet_request *request = &call->copy.request;
    size_t row = request->ask == FLEET_CLAIM ? rows_ids_add(&cluster->ids, request->session)
                                             : rows_ids_find(&cluster->ids, request->session);
    bool writes =
        fleet_ask_writes(request->ask) && !(request->ask == FLEET_LOOK && (cluster->flaws & CLUSTER_FLAW_READING_LOOK));
    struct rows_version *made = NULL;
    cluster->counts.late += call->is_over ? 1 : 0;
    cluster->counts.zombies += at != cluster->primary ? 1 : 0;
    if (writes && row != NONE && is_locked(node, row)) {
        wait_for_lock(node, row, call);
        return;
    }
    struct rows_version *found = row == NONE ? NULL : rows_table_get(&node->table, row);
    if (!cluster->is_healed && chance_one_in(&cluster->chance, 200)) { /* nothing is written */
        send_answer(cluster, call, chance_one_in(&cluster->chance, 4) ? FLEET_REFUSED : FLEET_RETRY, row, NULL);
        return;
    }
    enum fleet_outcome outcome = rows_decide(&made, found, request, cluster->now_ms);
    if (made && writes && node->flushed - node->replayed >= WAL_KEPT / 2) {
        rows_version_drop(made); /* no connection is left for more commits that wait */
    } else if (made && writes) {
        write_record(cluster, at, row, made, call);
    } else {
        rows_version_drop(made);
        send_answer(cluster, call, outcome, row, found);
    }
}

static void arrive(struct cluster *cluster, struct call *call)
{
    if (cluster->nodes[call->node].is_up && cluster->nodes[call->node].is_primary) {
        run(cluster, call->node, call);
    }
}

static bool reaches(const struct cluster *cluster, size_t client, size_t node)
{
    return cluster->reach[client] & (1u << node) && cluster->nodes[node].is_up && cluster->nodes[node].is_primary;
}

/* The writable node of the highest timeline that the client reaches. */
static void connect_client(struct cluster *cluster, size_t client)
{
    size_t found = NONE;
    for (size_t i = 0; i < CLUSTER_NODES; i++) {
        if (reaches(cluster, client, i) &&
            (found == NONE || cluster->nodes[i].timeline > cluster->nodes[found].timeline)) {
            found = i;
        }
    }
    cluster->connected[client] = found;
    cluster->hooks.reconnected(cluster->hooks.context, client);
}

void cluster_call(struct cluster *cluster, size_t client, uint64_t number, const struct fleet_request *request)
{
    struct call *call = rows_memory(NULL, sizeof *call);
    if (cluster->connected[client] == NONE || !reaches(cluster, client, cluster->connected[client])) {
        connect_client(cluster, client);
    }
    *call = (struct call){.number = number, .client = client, .node = cluster->connected[client], .uses = 1};
    call->life = cluster->life;
    rows_request_copy(&call->copy, request);
    if (cluster->call_count == cluster->call_capacity) {
        cluster->call_capacity = cluster->call_capacity ? 2 * cluster->call_capacity : 64;
        cluster->calls = rows_memory(cluster->calls, cluster->call_capacity * sizeof(struct call *));
    }
    call->slot = cluster->call_count;
    cluster->calls[cluster->call_count++] = call;
    push(cluster, CLUSTER_DEADLINE_MS, (struct event){.type = DEADLINE, .call = call});
    if (call->node == NONE) {
        struct rows_answer *answer = rows_memory(NULL, sizeof *answer);
        rows_answer_make_one(answer, request, number, FLEET_UNREACHABLE, request->session, NULL, cluster->now_ms);
        push(cluster, 1, (struct event){.type = ANSWER, .call = call, .answer = answer});
        return;
    }
    push(cluster, delay(cluster), (struct event){.type = ARRIVE, .call = call});
    if (!cluster->is_healed && chance_one_in(&cluster->chance, 150)) {
        cluster->counts.doubled++;
        push(cluster, delay(cluster), (struct event){.type = ARRIVE, .call = call});
    }
}

void cluster_forget(struct cluster *cluster, size_t client)
{
    for (size_t i = cluster->call_count; i-- > 0;) {
        if (cluster->calls[i]->client == client) {
            end_call(cluster, cluster->calls[i]);
        }
    }
    cluster->connected[client] = NONE;
}

/* --- Nodes that go and come ---------------------------------------------------------------------------------------------------- */

/* Whoever waits at the node learns nothing. `visible`: what waited for a standby is seen now. */
static void end_waits(struct cluster *cluster, size_t at, bool visible)
{
    struct node *node = &cluster->nodes[at];
    size_t count = node->wait_count;
    for (size_t i = node->wait_first; i < count; i++) {
        struct wait wait = node->waits[i];
        if (visible) {
            show(node, wait.place);
        }
        if (cluster->flaws & CLUSTER_FLAW_CANCEL && visible) {
            send_answer(cluster, wait.call, FLEET_DONE, wait.row, record_at(node, wait.place)->version);
        } else {
            give_up(cluster, wait.call);
        }
        drop_call(wait.call);
        node->locks[wait.row] = false;
    }
    node->replayed = visible ? node->flushed : node->replayed;
    node->wait_first = node->wait_count = 0;
    struct waiter *waiters = node->waiters;
    size_t waiter_count = node->waiter_count;
    node->waiters = NULL;
    node->waiter_count = node->waiter_capacity = 0;
    for (size_t i = 0; i < waiter_count; i++) {
        if (visible && node->is_up) {
            run(cluster, at, waiters[i].call);
        } else {
            give_up(cluster, waiters[i].call);
        }
        drop_call(waiters[i].call);
    }
    free(waiters);
}

static void cancel(struct cluster *cluster, size_t at)
{
    if (cluster->nodes[at].is_up && cluster->nodes[at].is_primary) {
        cluster->counts.cancels++;
        end_waits(cluster, at, true);
    }
}

static uint64_t farthest_standby(const struct cluster *cluster, size_t but)
{
    uint64_t farthest = 0;
    for (size_t i = 0; i < CLUSTER_NODES; i++) {
        if (i != but && cluster->nodes[i].timeline == cluster->nodes[but].timeline &&
            cluster->nodes[i].flushed > farthest) {
            farthest = cluster->nodes[i].flushed;
        }
    }
    return farthest;
}

static void kill_node(struct cluster *cluster, size_t at, uint64_t down_ms)
{
    struct node *node = &cluster->nodes[at];
    if (!node->is_up) {
        return;
    }
    cluster->counts.kills++;
    node->is_up = false;
    end_waits(cluster, at, false);
    node->link++;
    node->streams = false;
    for (size_t i = 0; i < cluster->client_count; i++) {
        cluster->connected[i] = cluster->connected[i] == at ? NONE : cluster->connected[i];
    }
    push(cluster, down_ms, (struct event){.type = NODE_UP, .first = at});
}

/* Recovery replays the WAL: a primary shows what no standby has. */
static void node_up(struct cluster *cluster, size_t at)
{
    struct node *node = &cluster->nodes[at];
    node->is_up = true;
    while (node->replayed < node->flushed) {
        show(node, ++node->replayed);
    }
    for (size_t i = 0; i < CLUSTER_NODES; i++) {
        if (cluster->nodes[i].upstream == at) {
            attach(cluster, i, at);
        }
    }
    if (!node->is_primary && node->upstream != NONE) {
        attach(cluster, at, node->upstream);
    }
}

/* The WAL that the killed primary had not flushed is gone; a standby never has such WAL. */
static void lose_tail(struct cluster *cluster, size_t at)
{
    struct node *node = &cluster->nodes[at];
    uint64_t kept = farthest_standby(cluster, at);
    uint64_t known = kept > node->replayed ? kept : node->replayed;
    if (node->flushed > known) {
        node->flushed = known + below(cluster, (int)(node->flushed - known + 1));
    }
}

static void base_backup(struct cluster *cluster, size_t at, size_t from)
{
    struct node *node = &cluster->nodes[at];
    struct node *source = &cluster->nodes[from];
    end_waits(cluster, at, false);
    node->is_up = true;
    node->is_primary = false;
    node->timeline = source->timeline;
    node->base = node->flushed = node->replayed = source->flushed;
    rows_table_release(&node->table);
    rows_table_copy(&node->table, &source->table);
    for (uint64_t place = source->replayed + 1; place <= source->flushed;
         place++) { /* WAL that came during the backup is replayed, too */
        struct record *record = record_at(source, place);
        rows_table_put(&node->table, record->row, rows_version_use(record->version));
    }
    attach(cluster, at, from);
}

/* --- The operator -------------------------------------------------------------------------------------------------------------- */

static void cut_off(struct cluster *cluster, size_t at)
{
    attach(cluster, at, NONE);
}

static void look_at(struct fleet_node *seen, const struct cluster *cluster, size_t at)
{
    const struct node *node = &cluster->nodes[at];
    const struct promotion *promotion = &cluster->promotion;
    *seen = (struct fleet_node){.timeline = node->timeline, .place = node->flushed};
    snprintf(seen->name, sizeof seen->name, "n%zu", at);
    seen->role = !node->is_up ? FLEET_NODE_UNREACHABLE : node->is_primary ? FLEET_NODE_PRIMARY : FLEET_NODE_STANDBY;
    seen->cut_off = node->upstream == NONE;
    seen->still = node->replayed == node->flushed;
    if (cluster->flaws & CLUSTER_FLAW_BEFORE_CUT) {
        seen->place = promotion->places[at];
    }
    if (cluster->flaws & CLUSTER_FLAW_NEARER) {
        seen->place = UINT64_MAX - node->flushed;
    }
    if (cluster->flaws & CLUSTER_FLAW_OLD_TIMELINE && seen->role == FLEET_NODE_STANDBY) {
        seen->timeline = cluster->timeline_count;
    }
}

static void promote(struct cluster *cluster, size_t at)
{
    struct node *node = &cluster->nodes[at];
    uint64_t timeline = ++cluster->timeline_count;
    cluster->parents[timeline % TIMELINES_MAX] = node->timeline;
    cluster->starts[timeline % TIMELINES_MAX] = node->flushed;
    node->timeline = timeline;
    node->is_primary = true;
    node->upstream = NONE;
    node->is_stuck = false;
    cluster->primary = at;
    cluster->promotion.runs = false;
    cluster->counts.failovers++;
    for (size_t i = 0; i < CLUSTER_NODES; i++) {
        if (i != at && cluster->nodes[i].is_up && !cluster->nodes[i].is_primary) {
            attach(cluster, i, at);
        }
    }
}

/* One step of a promotion; false: it goes on later. */
static void step_promotion(struct cluster *cluster)
{
    static const struct fleet_quorum any = {.wanted = 1, .name_count = 3, .names = {"n0", "n1", "n2"}};
    struct fleet_quorum quorum = any;
    struct fleet_node nodes[CLUSTER_NODES];
    char dead[FLEET_NODE_NAME_MAX];
    size_t chosen;
    quorum.wanted = cluster->flaws & CLUSTER_FLAW_ONE_SEEN ? 2 : 1;
    for (size_t i = 0; i < CLUSTER_NODES; i++) {
        look_at(&nodes[i], cluster, i);
    }
    snprintf(dead, sizeof dead, "n%zu", cluster->promotion.dead);
    switch (fleet_promotion_choose(&chosen, nodes, CLUSTER_NODES, &quorum, dead)) {
    case FLEET_PROMOTE:
        promote(cluster, chosen);
        return;
    case FLEET_PROMOTE_CUT_FIRST:
        cut_off(cluster, chosen);
        return;
    case FLEET_PROMOTE_WAIT:
        push(cluster, 5, (struct event){.type = REPLAY, .first = chosen, .second = UINT64_MAX});
        return;
    case FLEET_PROMOTE_TOO_FEW:
        cluster->counts.refused += cluster->promotion.tries++ == 0 ? 1 : 0;
        break;
    default:
        break;
    }
    /* A node is missing: the old primary may come back instead. */
    if (cluster->nodes[cluster->primary].is_up && cluster->promotion.tries > 10) {
        cluster->promotion.runs = false;
    }
}

static void begin_promotion(struct cluster *cluster)
{
    cluster->promotion = (struct promotion){.runs = true, .dead = cluster->primary};
    for (size_t i = 0; i < CLUSTER_NODES; i++) {
        cluster->promotion.places[i] = cluster->nodes[i].flushed;
    }
}

/* Nodes that are no part of the cluster get there again. */
static void mend_node(struct cluster *cluster, size_t at)
{
    struct node *node = &cluster->nodes[at];
    size_t primary = cluster->primary;
    bool is_zombie = node->is_primary;
    bool is_ready = cluster->nodes[primary].is_up;
    if (at == primary || !node->is_up) {
        return;
    }
    if (is_zombie && !cluster->is_healed && chance_one_in(&cluster->chance, 60)) { /* an operator's mistake */
        end_waits(cluster, at, false);
        node->is_primary = false;
        while (node->replayed < node->flushed) {
            show(node, ++node->replayed);
        }
        attach(cluster, at, primary);
    } else if ((is_zombie || node->is_stuck) && is_ready &&
               (cluster->is_healed || chance_one_in(&cluster->chance, 40))) {
        base_backup(cluster, at, primary);
    } else if (!is_zombie && node->upstream != primary && is_ready) {
        attach(cluster, at, primary);
    }
}

static void operate(struct cluster *cluster)
{
    struct node *primary = &cluster->nodes[cluster->primary];
    cluster->primary_down_ms = primary->is_up ? 0 : cluster->primary_down_ms + 20;
    if (cluster->promotion.runs) {
        step_promotion(cluster);
    } else {
        for (size_t i = 0; i < CLUSTER_NODES; i++) {
            mend_node(cluster, i);
        }
        if (cluster->primary_down_ms > 200 && chance_one_in(&cluster->chance, 10)) {
            begin_promotion(cluster);
        }
    }
    if (!cluster->is_healed) {
        push(cluster, cluster->promotion.runs ? 5 : 20, (struct event){.type = OPERATE});
    }
}

/* --- Faults ---------------------------------------------------------------------------------------------------------------------- */

static void link_down(struct cluster *cluster, size_t at, uint64_t for_ms)
{
    struct node *node = &cluster->nodes[at];
    node->is_linked = false;
    node->link++;
    node->streams = false;
    push(cluster, for_ms, (struct event){.type = LINK_UP, .first = at});
}

static void part_clients(struct cluster *cluster)
{
    for (size_t i = 0; i < cluster->client_count; i++) {
        if (chance_one_in(&cluster->chance, 4)) {
            cluster->reach[i] = (unsigned char)below(cluster, 8);
        }
    }
}

static void join_clients(struct cluster *cluster)
{
    memset(cluster->reach, 7, cluster->client_count);
}

void cluster_fault(struct cluster *cluster)
{
    size_t any = (size_t)below(cluster, CLUSTER_NODES);
    struct node *node = &cluster->nodes[any];
    switch (below(cluster, 12)) {
    case 0: /* the primary is gone, for a moment or for long */
        kill_node(cluster, cluster->primary,
                  chance_one_in(&cluster->chance, 2) ? below(cluster, 150) : 500 + below(cluster, 8000));
        if (chance_one_in(&cluster->chance, 3)) {
            lose_tail(cluster, cluster->primary);
        }
        break;
    case 1:
        kill_node(cluster, any, below(cluster, 4000));
        break;
    case 2: /* the promoter does not see a primary that lives */
        if (!cluster->promotion.runs) {
            begin_promotion(cluster);
        }
        break;
    case 3:
    case 4:
        cancel(cluster, any);
        break;
    case 5:
        link_down(cluster, any, below(cluster, 3000));
        break;
    case 6: /* both standbys: all commits wait, and what is cancelled is on the primary alone */
        for (size_t i = 0; i < CLUSTER_NODES; i++) {
            link_down(cluster, i, 200 + below(cluster, 3000));
        }
        break;
    case 7:
        node->lag_ms = chance_one_in(&cluster->chance, 2) ? 0 : 1 + below(cluster, 400);
        break;
    case 8:
        part_clients(cluster);
        break;
    case 9: /* alone for a while, then killed, then alone again: its rows are seen, and no standby has them */
        for (size_t i = 0; i < CLUSTER_NODES; i++) {
            link_down(cluster, i, 1000 + below(cluster, 3000));
        }
        push(cluster, 300, (struct event){.type = LINK_UP, .first = CLUSTER_NODES});
        break;
    default:
        join_clients(cluster);
        break;
    }
}

void cluster_heal(struct cluster *cluster)
{
    join_clients(cluster);
    for (size_t i = 0; i < CLUSTER_NODES; i++) {
        cluster->nodes[i].lag_ms = 0;
        if (!cluster->nodes[i].is_up) {
            node_up(cluster, i);
        }
        cluster->nodes[i].is_linked = true;
    }
    while (cluster->promotion.runs) {
        step_promotion(cluster);
        for (size_t i = 0; i < CLUSTER_NODES; i++) {
            replay(cluster, i, UINT64_MAX);
        }
    }
    cluster->is_healed = true;
    for (size_t i = 0; i < CLUSTER_NODES; i++) {
        mend_node(cluster, i);
        if (i != cluster->primary) {
            attach(cluster, i, cluster->primary);
            mend_node(cluster, i);
        }
    }
}

void cluster_save(struct cluster *cluster)
{
    const struct rows_table *table = cluster_table(cluster);
    if (table) {
        rows_table_release(&cluster->saved);
        rows_table_copy(&cluster->saved, table);
        cluster->has_saved = true;
    }
}

/* All nodes begin anew from the backup, on a new timeline. */
void cluster_restore(struct cluster *cluster)
{
    if (!cluster->has_saved || cluster->promotion.runs) {
        return;
    }
    uint64_t place = 0;
    cluster->life++;
    cluster->counts.restores++;
    for (size_t i = 0; i < CLUSTER_NODES; i++) {
        end_waits(cluster, i, false);
        place = cluster->nodes[i].flushed > place ? cluster->nodes[i].flushed : place;
    }
    uint64_t timeline = ++cluster->timeline_count;
    cluster->parents[timeline % TIMELINES_MAX] = 0;
    cluster->starts[timeline % TIMELINES_MAX] = place;
    for (size_t i = 0; i < CLUSTER_NODES; i++) {
        struct node *node = &cluster->nodes[i];
        node->is_up = true;
        node->is_primary = i == cluster->primary;
        node->timeline = timeline;
        node->base = node->flushed = node->replayed = place;
        rows_table_release(&node->table);
        rows_table_copy(&node->table, &cluster->saved);
    }
    for (size_t i = 0; i < CLUSTER_NODES; i++) {
        attach(cluster, i, i == cluster->primary ? NONE : cluster->primary);
    }
    for (size_t i = 0; i < cluster->client_count; i++) {
        cluster->connected[i] = NONE;
    }
    cluster->hooks.restored(cluster->hooks.context, &cluster->saved);
}

/* --- The whole ------------------------------------------------------------------------------------------------------------------- */

struct cluster *cluster_new(uint64_t seed, unsigned flaws, size_t client_count, const struct cluster_hooks *hooks)
{
    struct cluster *cluster = rows_memory(NULL, sizeof *cluster);
    memset(cluster, 0, sizeof *cluster);
    cluster->chance = chance_of(seed);
    cluster->flaws = flaws;
    cluster->hooks = *hooks;
    cluster->client_count = client_count;
    cluster->reach = rows_memory(NULL, client_count);
    cluster->connected = rows_memory(NULL, client_count * sizeof *cluster->connected);
    memset(cluster->reach, 7, client_count);
    memset(cluster->connected, 0xff, client_count * sizeof *cluster->connected);
    cluster->timeline_count = 1;
    for (size_t i = 0; i < CLUSTER_NODES; i++) {
        struct node *node = &cluster->nodes[i];
        *node = (struct node){.is_up = true, .is_primary = i == 0, .timeline = 1, .upstream = i == 0 ? NONE : 0};
        node->is_linked = true;
        node->wal = rows_memory(NULL, WAL_KEPT * sizeof *node->wal);
        memset(node->wal, 0, WAL_KEPT * sizeof *node->wal);
    }
    push(cluster, 20, (struct event){.type = OPERATE});
    return cluster;
}

static void free_node(struct node *node)
{
    for (size_t i = 0; i < WAL_KEPT; i++) {
        rows_version_drop(node->wal[i].version);
    }
    for (size_t i = node->wait_first; i < node->wait_count; i++) {
        drop_call(node->waits[i].call);
    }
    for (size_t i = 0; i < node->waiter_count; i++) {
        drop_call(node->waiters[i].call);
    }
    free(node->wal);
    free(node->waits);
    free(node->waiters);
    free(node->locks);
    rows_table_release(&node->table);
}

static void release_event(struct event *event)
{
    if (event->answer) {
        rows_answer_release(event->answer);
        free(event->answer);
    }
    if (event->call) {
        drop_call(event->call);
    }
}

void cluster_free(struct cluster *cluster)
{
    for (size_t i = 0; i < cluster->heap_count; i++) {
        release_event(&cluster->heap[i]);
    }
    for (size_t i = 0; i < CLUSTER_NODES; i++) {
        free_node(&cluster->nodes[i]);
    }
    for (size_t i = 0; i < cluster->call_count; i++) {
        drop_call(cluster->calls[i]);
    }
    free(cluster->heap);
    free(cluster->calls);
    free(cluster->reach);
    free(cluster->connected);
    rows_table_release(&cluster->saved);
    rows_ids_release(&cluster->ids);
    free(cluster);
}

static void happen(struct cluster *cluster, struct event *event)
{
    switch (event->type) {
    case ARRIVE:
        arrive(cluster, event->call);
        return;
    case ANSWER: /* an answer of an engine that was replaced by its backup is lost with the connection */
        if (event->call->life == cluster->life) {
            give(cluster, event->call, &event->answer->answer);
        }
        return;
    case DEADLINE:
        if (!event->call->is_over) {
            cluster->connected[event->call->client] = NONE;
            give_up(cluster, event->call);
        }
        return;
    case STREAM:
        receive(cluster, event->first, event->second);
        return;
    case ACKNOWLEDGE:
        acknowledge(cluster, event->first, event->second);
        return;
    case REPLAY:
        replay(cluster, event->first, event->second);
        return;
    case NODE_UP:
        if (!cluster->nodes[event->first].is_up) {
            node_up(cluster, event->first);
        }
        return;
    case OPERATE:
        operate(cluster);
        return;
    case LINK_UP:
        if (event->first == CLUSTER_NODES) {
            kill_node(cluster, cluster->primary, 1 + below(cluster, 30));
        } else {
            cluster->nodes[event->first].is_linked = true;
            attach(cluster, event->first, cluster->nodes[event->first].upstream);
        }
        return;
    default:
        cluster->hooks.happened(cluster->hooks.context, event->type - CALLERS, event->first, (size_t)event->second);
        return;
    }
}

bool cluster_step(struct cluster *cluster)
{
    if (cluster->heap_count == 0) {
        return false;
    }
    struct event event = pop(cluster);
    cluster->now_ms = event.at_ms;
    happen(cluster, &event);
    release_event(&event);
    return true;
}

uint64_t cluster_now(const struct cluster *cluster)
{
    return cluster->now_ms;
}

struct chance *cluster_chance(struct cluster *cluster)
{
    return &cluster->chance;
}

struct rows_ids *cluster_ids(struct cluster *cluster)
{
    return &cluster->ids;
}

const struct cluster_counts *cluster_counts(const struct cluster *cluster)
{
    return &cluster->counts;
}

const struct rows_table *cluster_table(const struct cluster *cluster)
{
    return cluster->nodes[cluster->primary].is_up ? &cluster->nodes[cluster->primary].table : NULL;
}

const struct rows_version *cluster_peek(const struct cluster *cluster, size_t client, size_t row)
{
    size_t node = cluster->connected[client];
    return node == NONE || row == ROWS_NONE ? NULL : rows_table_get(&cluster->nodes[node].table, row);
}
