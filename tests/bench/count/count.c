/*
 * Sixteen operations for tools/count.sh, which counts their instructions with callgrind:
 *
 *     count prepare DIRECTORY          makes a store of 20,000 entries
 *     count run DIRECTORY [DEARER]     runs the operations; the operation DEARER does 5 % more
 *
 * Each operation is a function of its own, so that callgrind tells them apart. Ids of hosts are numbers in a fixed
 * order, so each run does the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "xylem/append.h"
#include "xylem/branch.h"
#include "xylem/feed.h"
#include "xylem/state.h"

enum { ENTRIES = 20000, BATCH = 100, ROUNDS = 20, KIND_COUNT = 12 };

static struct xylem_store *store;
static struct xylem_error err;
static uint64_t long_session; /* all of its ids are the host's */
static uint64_t other_session;
static unsigned next_id = 1;

static void must(int code, const char *what)
{
    if (code < 0) {
        fprintf(stderr, "count: %s: %s\n", what, err.text);
        exit(1);
    }
}

/* --- The store ---------------------------------------------------------------------------------------------------- */

static struct xylem_txn *begin(enum xylem_txn_mode mode)
{
    struct xylem_txn *txn = NULL;
    must(xylem_begin(&txn, store, mode, &err), "begin");
    return txn;
}

/* An id that no run has twice, in no order. */
static struct xylem_view host_id(char text[32])
{
    snprintf(text, 32, "host-%08x", next_id++ * 2654435761u);
    return xylem_view_of(text);
}

static void append(struct xylem_txn *txn, uint64_t session, size_t count, bool host)
{
    static const char *const kinds[KIND_COUNT] = {"message", "k1", "k2", "k3", "k4",  "k5",
                                                  "k6",      "k7", "k8", "k9", "k10", "k11"};
    static char ids[BATCH][32];
    struct xylem_new_entry entries[BATCH];
    for (size_t i = 0; i < count; i++) {
        entries[i] = (struct xylem_new_entry){
            .id = host ? host_id(ids[i]) : (struct xylem_view){NULL, 0},
            .kind = {XYLEM_CLASS_HOST, xylem_view_of(kinds[i % 10 == 3 ? i % KIND_COUNT : 0])},
            .format = XYLEM_FORMAT_JSON,
            .payload = xylem_view_of("{\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":"
                                     "\"A text as long as the answers of a model mostly are, in one line.\"}],"
                                     "\"usage\":{\"input\":1234,\"output\":56},\"stopReason\":\"stop\"}}")};
    }
    must(xylem_append(NULL, txn, session, entries, count, NULL, &err), "append");
}

static void append_kinds(struct xylem_txn *txn, uint64_t session)
{
    static const char *const rows[][2] = {
        {"readonly", "{\"enabled\":true}"},
        {"readonly-nudge", "{\"direction\":\"on\",\"delivered\":true}"},
        {"sequence", "{\"version\":1,\"sequenceId\":\"s\",\"steps\":[\"a\"],\"updatedAt\":1}"}};
    for (size_t i = 0; i < 3; i++) {
        struct xylem_new_entry entry = {.kind = {XYLEM_CLASS_CUSTOM, xylem_view_of(rows[i][0])},
                                        .format = XYLEM_FORMAT_JSON,
                                        .payload = xylem_view_of(rows[i][1])};
        must(xylem_append(NULL, txn, session, &entry, 1, NULL, &err), "append");
    }
}

static uint64_t create(struct xylem_txn *txn, const char *id)
{
    struct xylem_session session;
    struct xylem_session_options options = {.id = id ? xylem_view_of(id) : (struct xylem_view){NULL, 0}};
    must(xylem_session_create(&session, txn, &options, &err), "create a session");
    return session.number;
}

static void open_store(const char *directory)
{
    char path[4096];
    struct xylem_open_options options = {
        .create = true, .durability = XYLEM_DURABILITY_NONE, .map_bytes = UINT64_C(1) << 30};
    snprintf(path, sizeof path, "%s/store", directory);
    must(xylem_open(&store, path, &options, &err), path);
}

/* Sessions whose kinds are at the tip, at the root, and absent; and one with the ids of a host. */
static void prepare(const char *directory)
{
    static const char *const ids[] = {"tip", "root", "absent", "host"};
    open_store(directory);
    for (size_t i = 0; i < 4; i++) {
        struct xylem_txn *txn = begin(XYLEM_WRITE);
        uint64_t session = create(txn, ids[i]);
        if (i == 1) {
            append_kinds(txn, session);
        }
        must(xylem_commit(txn, &err), "commit");
        for (int batch = 0; batch < ENTRIES / 4 / BATCH; batch++) {
            txn = begin(XYLEM_WRITE);
            append(txn, session, BATCH, i == 3);
            must(xylem_commit(txn, &err), "commit");
        }
        if (i == 0) {
            txn = begin(XYLEM_WRITE);
            append_kinds(txn, session);
            must(xylem_commit(txn, &err), "commit");
        }
    }
    must(xylem_close(store, &err), "close");
}

/* --- The operations ----------------------------------------------------------------------------------------------- */

static struct xylem_position leaf_of(const char *id)
{
    struct xylem_session session;
    struct xylem_txn *txn = begin(XYLEM_READ);
    must(xylem_session_find(&session, txn, xylem_view_of(id), &err), id);
    xylem_abort(txn);
    return session.leaf;
}

static void rehydrate(const char *id, int rounds)
{
    struct xylem_position leaf = leaf_of(id);
    struct xylem_txn *txn = begin(XYLEM_READ);
    for (int i = 0; i < rounds; i++) {
        struct xylem_reduce_options options = {.pieces =
                                                   XYLEM_PIECE_READONLY | XYLEM_PIECE_NUDGE | XYLEM_PIECE_SEQUENCE};
        struct xylem_state state;
        must(xylem_rehydrate(&state, txn, leaf, NULL, &options, &err), "rehydrate");
        xylem_state_release(&state);
    }
    xylem_abort(txn);
}

static void append_rounds(uint64_t session, size_t count, bool host, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        struct xylem_txn *txn = begin(XYLEM_WRITE);
        append(txn, session, count, host);
        must(xylem_commit(txn, &err), "commit");
    }
}

#define OPERATION(name) __attribute__((noinline)) static void count_##name(int rounds)

OPERATION(begin_read)
{
    for (int i = 0; i < rounds; i++) {
        xylem_abort(begin(XYLEM_READ));
    }
}

OPERATION(begin_write)
{
    for (int i = 0; i < rounds; i++) {
        xylem_abort(begin(XYLEM_WRITE));
    }
}

OPERATION(rehydrate_tip)
{
    rehydrate("tip", rounds);
}

OPERATION(rehydrate_root)
{
    rehydrate("root", rounds);
}

OPERATION(rehydrate_absent)
{
    rehydrate("absent", rounds);
}

OPERATION(append_made)
{
    append_rounds(other_session, 1, false, rounds);
}

OPERATION(append_host)
{
    append_rounds(long_session, 1, true, rounds);
}

OPERATION(append_100_made)
{
    append_rounds(other_session, BATCH, false, rounds);
}

OPERATION(append_100_host)
{
    append_rounds(long_session, BATCH, true, rounds);
}

OPERATION(create)
{
    for (int i = 0; i < rounds; i++) {
        struct xylem_txn *txn = begin(XYLEM_WRITE);
        create(txn, NULL);
        must(xylem_commit(txn, &err), "commit");
    }
}

OPERATION(clone)
{
    for (int i = 0; i < rounds; i++) {
        struct xylem_session session;
        struct xylem_txn *txn = begin(XYLEM_WRITE);
        must(xylem_clone(&session, txn, long_session, NULL, &err), "clone");
        must(xylem_commit(txn, &err), "commit");
    }
}

OPERATION(fork)
{
    struct xylem_position leaf = leaf_of("host");
    for (int i = 0; i < rounds; i++) {
        struct xylem_session session;
        struct xylem_position middle = {leaf.branch, leaf.depth / 2};
        struct xylem_txn *txn = begin(XYLEM_WRITE);
        must(xylem_fork(&session, txn, long_session, middle, XYLEM_FORK_AT, NULL, &err), "fork");
        must(xylem_commit(txn, &err), "commit");
    }
}

OPERATION(walk)
{
    struct xylem_txn *txn = begin(XYLEM_READ);
    struct xylem_walk *walk = NULL;
    must(xylem_walk_new(&walk, txn, leaf_of("absent"), &err), "walk");
    for (int i = 0; i < 100 * rounds; i++) {
        struct xylem_entry entry;
        struct xylem_view payload;
        must(xylem_walk_next(&entry, walk, &err), "walk");
        must(xylem_entry_payload(&payload, &entry, &err), "payload");
    }
    xylem_walk_free(walk);
    xylem_abort(txn);
}

OPERATION(find)
{
    struct xylem_txn *txn = begin(XYLEM_READ);
    for (int i = 0; i < rounds; i++) {
        char id[32];
        struct xylem_position position;
        snprintf(id, sizeof id, "host-%08x", ((unsigned)i * 37 + 1) * 2654435761u);
        must(xylem_find(&position, txn, long_session, xylem_view_of(id), &err), "find");
    }
    xylem_abort(txn);
}

OPERATION(find_absent)
{
    struct xylem_txn *txn = begin(XYLEM_READ);
    for (int i = 0; i < rounds; i++) {
        char id[32];
        struct xylem_position position;
        snprintf(id, sizeof id, "none-%08x", (unsigned)i * 2654435761u);
        if (xylem_find(&position, txn, long_session, xylem_view_of(id), &err) != XYLEM_E_NOT_FOUND) {
            must(-1, "find an absent id");
        }
    }
    xylem_abort(txn);
}

/* The last ten changes: a look of a program that follows the store, and keeps its place. */
OPERATION(feed_look)
{
    static struct xylem_cursor cursor;
    for (int i = 0; i < rounds; i++) {
        struct xylem_txn *txn = begin(XYLEM_READ);
        struct xylem_feed *feed;
        struct xylem_change change;
        struct xylem_cursor last;
        int code;
        if (cursor.lsn == 0) {
            must(xylem_feed_last(&cursor, txn, &err), "feed_last");
            cursor.lsn -= 10;
            cursor.chain = 0;
            must(xylem_feed_new(&feed, txn, &cursor, &err), "feed_new");
            must(xylem_feed_cursor(&cursor, feed, &err), "feed_cursor");
            xylem_feed_free(feed);
        }
        must(xylem_feed_new(&feed, txn, &cursor, &err), "feed_new");
        while ((code = xylem_feed_next(&change, feed, &err)) == 1) {
        }
        must(code, "feed_next");
        must(xylem_feed_cursor(&last, feed, &err), "feed_cursor");
        xylem_feed_free(feed);
        xylem_abort(txn);
    }
}

static const struct operation {
    const char *name;
    void (*run)(int rounds);
} operations[] = {
    {"begin_read", count_begin_read},
    {"begin_write", count_begin_write},
    {"rehydrate_tip", count_rehydrate_tip},
    {"rehydrate_root", count_rehydrate_root},
    {"rehydrate_absent", count_rehydrate_absent},
    {"append_made", count_append_made},
    {"append_host", count_append_host},
    {"append_100_made", count_append_100_made},
    {"append_100_host", count_append_100_host},
    {"create", count_create},
    {"clone", count_clone},
    {"fork", count_fork},
    {"walk", count_walk},
    {"find", count_find},
    {"find_absent", count_find_absent},
    {"feed_look", count_feed_look},
};

static void run(const char *directory, const char *dearer)
{
    struct xylem_session session;
    open_store(directory);
    struct xylem_txn *txn = begin(XYLEM_WRITE);
    must(xylem_session_find(&session, txn, xylem_view_of("host"), &err), "host");
    long_session = session.number;
    other_session = create(txn, "run");
    append(txn, other_session, BATCH, false);
    must(xylem_commit(txn, &err), "commit");
    next_id = ENTRIES + 1;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        operations[i].run(ROUNDS + (strcmp(dearer, operations[i].name) == 0 ? ROUNDS / 20 : 0));
    }
    must(xylem_close(store, &err), "close");
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "prepare") == 0) {
        prepare(argv[2]);
    } else if ((argc == 3 || argc == 4) && strcmp(argv[1], "run") == 0) {
        run(argv[2], argc == 4 ? argv[3] : "");
    } else {
        fputs("usage: count prepare DIRECTORY | count run DIRECTORY [DEARER]\n", stderr);
        return 2;
    }
    return 0;
}
