/*
 * 20 real stores against one engine, at random: entries, navigations, forks, deletions, redactions, claims and takeovers,
 * while ships are killed and answers are lost. At the end each session has one history: in the engine, in the store of its
 * owner and in every copy; and no entry that a store ever took is gone from it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/value.h"
#include "tests/fleet/hosts.h"
#include "tests/lib/chance.h"
#include "tests/lib/same_session.h"
#include "tests/lib/test.h"
#include "xylem/branch.h"
#include "xylem/redact.h"
#include "xylem/segment.h"

#define HOSTS 20
#define STEPS 500
#define ENTRIES_MAX 8000
#define IDS_MAX 400

static struct memory_fleet *fleet;
static struct host hosts[HOSTS];
static struct xylem_error err;

static struct {
    char id[24];
    int host;
} entries[ENTRIES_MAX];
static size_t entry_count;
static char made_ids[IDS_MAX][24];
static size_t made_count;
static unsigned takeovers;
static unsigned forks;

static int must(int code)
{
    return store_builder_must(code, &err);
}

/* --- Sessions of a host ------------------------------------------------------------------------------------------- */

/* Any live session of the host, its own or any; number 0: none. */
static struct xylem_session any_session(struct host *host, struct chance *chance, bool own)
{
    struct xylem_sessions *sessions;
    struct xylem_session row;
    struct xylem_session chosen = {.number = 0};
    int count = 0;
    must(xylem_sessions_new(&sessions, host->builder.txn, &err));
    while (must(xylem_sessions_next(&row, sessions, &err)) > 0) {
        if (row.state == XYLEM_SESSION_LIVE && (!own || !row.owner.data) && chance_one_in(chance, ++count)) {
            chosen = row;
        }
    }
    xylem_sessions_free(sessions);
    return chosen;
}

static struct xylem_position any_place(struct host *host, struct chance *chance, const struct xylem_session *session)
{
    struct xylem_position at = {0, 0};
    if (session->leaf.depth > 0) {
        must(xylem_ancestor_at(&at, host->builder.txn, session->leaf,
                               1 + (uint64_t)chance_below(chance, (int)session->leaf.depth), &err));
    }
    return at;
}

static void append(int index, struct chance *chance, uint64_t session)
{
    char payload[64];
    for (int count = 1 + chance_below(chance, 4); count > 0 && entry_count < ENTRIES_MAX; count--) {
        char *id = entries[entry_count].id;
        entries[entry_count].host = index;
        (void)snprintf(id, sizeof entries->id, "e%zu", entry_count);
        (void)snprintf(payload, sizeof payload, "{\"n\":%zu}", entry_count++);
        store_builder_add(&hosts[index].builder, session, id, "message", payload);
    }
}

static void make(int index, struct chance *chance)
{
    if (made_count < IDS_MAX) {
        char *id = made_ids[made_count];
        (void)snprintf(id, sizeof made_ids[0], "s%zu", made_count++);
        append(index, chance, store_builder_session(&hosts[index].builder, id));
    }
}

/*
 * The ship rewrites the engine's segments, and then appends the change. Who is fenced between the two keeps the change in
 * its fork, and copies of before keep the text: so an owner ships before and behind. No hash is dropped: a dropped hash
 * changes the checks of forks, too, and a fork of another host fits its source again only when that host has shipped
 * (tests/fleet/test_rewrite.c). Here the fork may have been taken over before.
 */
static void redact(struct host *host, struct chance *chance, struct xylem_session session)
{
    struct xylem_redact_report report;
    const struct xylem_redact_options options = {.reason = xylem_view_of("a key"), .only_this = true};
    host_ship(host);
    session = store_builder_read(&host->builder, session.number);
    struct xylem_position at = any_place(host, chance, &session);
    if (at.depth == 0 || session.owner.data) {
        return;
    }
    int code = xylem_redact(&report, host->builder.txn, session.number, at, &options, &err);
    if (code != XYLEM_E_CONFLICT) { /* an entry of a source that another host owns */
        must(code);
    }
    xylem_redact_report_release(&report);
    host_ship(host);
}

static void change(int index, struct chance *chance)
{
    struct host *host = &hosts[index];
    struct xylem_session own = any_session(host, chance, true);
    struct xylem_session any = any_session(host, chance, false);
    if (own.number == 0 || chance_one_in(chance, 12)) {
        make(index, chance);
        return;
    }
    switch (chance_below(chance, 12)) {
    case 0:
        store_builder_go(&host->builder, own.number, any_place(host, chance, &own));
        break;
    case 1:
        redact(host, chance, own);
        break;
    case 2:
        if (any.leaf.depth > 0 && made_count < IDS_MAX) {
            char *id = made_ids[made_count];
            (void)snprintf(id, sizeof made_ids[0], "f%zu", made_count++);
            append(index, chance,
                   store_builder_fork(&host->builder, any.number, any_place(host, chance, &any), XYLEM_FORK_AT, id));
        }
        break;
    case 3:
        if (chance_one_in(chance, 3)) {
            must(xylem_session_delete(host->builder.txn, own.number, &err));
            if (chance_one_in(chance, 2)) {
                must(xylem_session_undelete(host->builder.txn, own.number, &err));
            }
        }
        break;
    default:
        append(index, chance, own.number);
    }
}

/* --- The fleet ---------------------------------------------------------------------------------------------------- */

static void take_over(struct host *host, struct chance *chance)
{
    char id[64];
    (void)snprintf(id, sizeof id, "%s", made_ids[chance_below(chance, (int)made_count)]);
    const struct rows_version *row = memory_fleet_row(fleet, xylem_view_of(id));
    if (row && row->next > 1 && host_find(host, id).state != XYLEM_SESSION_DELETED) {
        host_pull_one(host, id, host_claim(host, id));
        takeovers++;
    }
}

static void disturb(struct host *host, struct chance *chance)
{
    static const enum fleet_outcome outcomes[] = {FLEET_UNKNOWN, FLEET_UNKNOWN, FLEET_RETRY, FLEET_REFUSED,
                                                  FLEET_UNREACHABLE};
    static const enum fleet_ask asks[] = {FLEET_CLAIM, FLEET_LOOK, FLEET_APPEND, FLEET_REWRITE, FLEET_READ};
    enum fleet_outcome outcome = outcomes[chance_below(chance, 5)];
    enum fleet_ask ask = asks[chance_below(chance, 5)];
    outcome = ask == FLEET_READ && outcome == FLEET_UNKNOWN ? FLEET_UNREACHABLE : outcome;
    if (chance_one_in(chance, 2)) {
        engine_memory_say(host->engine, ask, outcome, outcome == FLEET_UNKNOWN && chance_one_in(chance, 2), 1);
        host_ship(host);
    }
}

static void step(int index, struct chance *chance)
{
    struct host *host = &hosts[index];
    switch (chance_below(chance, 16)) {
    case 0:
        host_pull(host);
        break;
    case 1:
        if (made_count > 0) {
            take_over(host, chance);
        }
        break;
    case 2:
        host_stop(host);
        break;
    case 3:
        disturb(host, chance);
        break;
    case 4:
    case 5:
        host_ship_turns(host, 1 + (unsigned)chance_below(chance, 8));
        break;
    case 6:
        host_ship(host);
        break;
    default:
        change(index, chance);
    }
}

/* --- The end ------------------------------------------------------------------------------------------------------ */

/* A claim whose pull failed is pulled once more, as a person would. */
static void finish_claims(struct host *host)
{
    for (size_t i = 0; i < made_count; i++) {
        const struct rows_version *row = memory_fleet_row(fleet, xylem_view_of(made_ids[i]));
        if (row && memcmp(row->owner, fleet_shipper_token(host->shipper), sizeof row->owner) == 0) {
            struct xylem_session here = host_find(host, made_ids[i]);
            if (here.number == 0 || here.owner.data) {
                host_pull_one(host, made_ids[i], row->epoch);
            }
        }
    }
}

static void come_to_rest(void)
{
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < HOSTS; i++) {
            host_ship(&hosts[i]);
            finish_claims(&hosts[i]);
        }
        for (int i = 0; i < HOSTS; i++) {
            host_pull(&hosts[i]);
            if (hosts[i].failed > 0 && round == 3) { /* before, a fork may wait for its owner to hear of a redaction */
                const struct host_news *last = &hosts[i].news[hosts[i].news_count - 1];
                fail_msg("%s failed to pull: %s %s", hosts[i].name, last->session, last->text);
            }
        }
    }
}

/* The ids of the sources of a fork, from the nearest on. */
static void sources_of(struct xylem_buffer *ids, struct host *host, const struct xylem_session *session)
{
    struct xylem_session source = *session;
    xylem_base__buffer_clear(ids);
    must(xylem_buffer_add(ids, "", 1));
    while (source.base.depth > 0) {
        uint64_t number;
        uint64_t ordinal;
        must(xylem_entry_ordinal(&number, &ordinal, host->builder.txn, source.base, &err));
        must(xylem_session_read(&source, host->builder.txn, number, &err));
        must(xylem_buffer_add(ids, source.id.data, source.id.bytes));
    }
}

/*
 * What a host deleted while it owned the session stays deleted there, with its last changes. And the owner of a fork may
 * have lost a source of the fork to another host: then the source has another id there, and elsewhere the base is still in
 * the session whose beginning both share, so that redactions of one source do not reach the other. The fork's own history is
 * the same.
 */
static void compare(struct host *owner, struct host *other, const char *id)
{
    struct xylem_session one = host_find(owner, id);
    struct xylem_session two = host_find(other, id);
    struct xylem_buffer expected = {NULL, 0, 0};
    struct xylem_buffer found = {NULL, 0, 0};
    bool stays_deleted = two.state == XYLEM_SESSION_DELETED && one.history.chain != two.history.chain;
    if (stays_deleted) {
        return;
    }
    sources_of(&expected, owner, &one);
    sources_of(&found, other, &two);
    if (xylem_base__view_equal(xylem_base__buffer_view(&expected), xylem_base__buffer_view(&found))) {
        hosts_same(owner, other, id);
    } else {
        assert_int_equal(one.history.count, two.history.count);
        assert_int_equal(one.history.chain, two.history.chain);
        store_builder_path_ids(&expected, &owner->builder, one.leaf);
        store_builder_path_ids(&found, &other->builder, two.leaf);
        assert_string_equal(expected.data, found.data);
    }
    xylem_buffer_release(&expected);
    xylem_buffer_release(&found);
}

/* Every session of the host that it owns is in the engine, and in all other stores. */
static unsigned compare_owned(int index)
{
    struct host *host = &hosts[index];
    struct xylem_sessions *sessions;
    struct xylem_session row;
    unsigned compared = 0;
    must(xylem_sessions_new(&sessions, host->builder.txn, &err));
    while (must(xylem_sessions_next(&row, sessions, &err)) > 0) {
        char id[201];
        if (row.owner.data || row.state == XYLEM_SESSION_FREED) {
            continue;
        }
        (void)snprintf(id, sizeof id, "%.*s", (int)row.id.bytes, row.id.data);
        const struct rows_version *shipped = memory_fleet_row(fleet, row.id);
        if (!shipped || shipped->next != row.history.count + 1 || shipped->chain != row.history.chain ||
            memcmp(shipped->owner, fleet_shipper_token(host->shipper), sizeof shipped->owner) != 0) {
            fail_msg("%s owns %s with %" PRIu64 " changes, and the engine says otherwise: %" PRIu64, host->name, id,
                     row.history.count, shipped ? shipped->next - 1 : 0);
        }
        for (int i = 0; i < HOSTS; i++) {
            if (i != index) {
                compare(host, &hosts[i], id);
                compared++;
            }
        }
    }
    xylem_sessions_free(sessions);
    return compared;
}

static void assert_entry_is_there(size_t at)
{
    struct xylem_finds *finds;
    struct xylem_entry entry;
    struct xylem_txn *txn = hosts[entries[at].host].builder.txn;
    must(xylem_finds_new(&finds, txn, xylem_view_of(entries[at].id), &err));
    if (must(xylem_finds_next(&entry, finds, &err)) != 1) {
        fail_msg("%s has lost %s", hosts[entries[at].host].name, entries[at].id);
    }
    xylem_finds_free(finds);
}

/* Each row of the engine is of a store that owns the session. The number of rows. */
static unsigned check_rows(void)
{
    struct fleet_request list = {.ask = FLEET_LIST, .limit = 100000};
    struct fleet_answer answer;
    must(hosts[0].reader->submit(hosts[0].reader, 7, &list, &err));
    assert_int_equal(must(hosts[0].reader->poll(hosts[0].reader, &answer, &err)), 1);
    for (size_t i = 0; i < answer.row_count; i++) {
        const struct fleet_row *row = &answer.rows[i];
        char id[201];
        bool owned = false;
        (void)snprintf(id, sizeof id, "%.*s", (int)row->id.bytes, row->id.data);
        for (int j = 0; j < HOSTS && !owned; j++) {
            struct xylem_session here = host_find(&hosts[j], id);
            owned = here.number > 0 && !here.owner.data && here.epoch == row->epoch;
        }
        if (!owned) {
            fail_msg("no store owns %s, which is %.*s's in the engine", id, (int)row->host.bytes, row->host.data);
        }
    }
    return (unsigned)answer.row_count;
}

static void run_seed(uint64_t seed)
{
    struct chance chance = chance_of(seed);
    fleet = memory_fleet_new();
    entry_count = made_count = 0;
    takeovers = forks = 0;
    for (int i = 0; i < HOSTS; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "host%d", i);
        host_open(&hosts[i], fleet, name);
    }
    for (int i = 0; i < STEPS; i++) {
        step(chance_below(&chance, HOSTS), &chance);
    }
    come_to_rest();
    unsigned compared = 0;
    for (int i = 0; i < HOSTS; i++) {
        compared += compare_owned(i);
        forks += host_told(&hosts[i], FLEET_NEWS_FORKED, NULL);
    }
    assert_int_equal(compared, check_rows() * (HOSTS - 1));
    for (size_t i = 0; i < entry_count; i++) {
        assert_entry_is_there(i);
    }
    printf("figures: seed %" PRIu64 ": %zu entries, %u sessions, %u takeovers, %u forks, %u copies compared\n", seed,
           entry_count, check_rows(), takeovers, forks, compared);
    for (int i = 0; i < HOSTS; i++) {
        host_close(&hosts[i]);
    }
    memory_fleet_free(fleet);
}

TEST(stores_that_take_sessions_over_end_with_one_history_each)
{
    test_seeds(run_seed, test_rounds(4));
}
