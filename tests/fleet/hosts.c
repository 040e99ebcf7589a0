#include "tests/fleet/hosts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "fleet/claim.h"
#include "fleet/settle.h"
#include "tests/lib/same_session.h"
#include "tests/lib/test.h"
#include "tests/lib/verified.h"
#include "xylem/care.h"

#define TURNS_MAX 20000u
#define GROUP_MS 5u

static struct xylem_error err;

static int must(int code)
{
    return store_builder_must(code, &err);
}

/* --- News --------------------------------------------------------------------------------------------------------- */

static void copy_text(char *out, size_t bytes, struct xylem_view text)
{
    size_t copied = text.bytes < bytes - 1 ? text.bytes : bytes - 1;
    if (copied > 0) {
        memcpy(out, text.data, copied);
    }
    out[copied] = '\0';
}

static void hear(void *context, const struct fleet_news *news)
{
    struct host *host = context;
    host->news = realloc(host->news, (host->news_count + 1) * sizeof *host->news);
    assert_non_null(host->news);
    struct host_news *heard = &host->news[host->news_count++];
    *heard = (struct host_news){.type = news->type, .from = news->from, .to = news->to};
    copy_text(heard->session, sizeof heard->session, news->session);
    copy_text(heard->fork, sizeof heard->fork, news->fork);
    copy_text(heard->text, sizeof heard->text, xylem_view_of(news->text));
    if (getenv("FLEET_NEWS")) {
        printf("%s: %s %s %s [%" PRIu64 ", %" PRIu64 ") %s\n", host->name, fleet_news_word(news->type), heard->session,
               heard->fork, heard->from, heard->to, heard->text);
    }
}

unsigned host_told(const struct host *host, enum fleet_news_type type, const char *session)
{
    unsigned count = 0;
    for (size_t i = 0; i < host->news_count; i++) {
        count += host->news[i].type == type && (!session || strcmp(host->news[i].session, session) == 0);
    }
    return count;
}

const struct host_news *host_last(const struct host *host, enum fleet_news_type type)
{
    for (size_t i = host->news_count; i-- > 0;) {
        if (host->news[i].type == type) {
            return &host->news[i];
        }
    }
    fail_msg("%s was not told: %s", host->name, fleet_news_word(type));
    return NULL;
}

void host_forget_news(struct host *host)
{
    host->news_count = 0;
}

/* --- Hosts -------------------------------------------------------------------------------------------------------- */

static void begin(struct host *host, struct memory_fleet *fleet, const char *name)
{
    memset(host, 0, sizeof *host);
    (void)snprintf(host->name, sizeof host->name, "%s", name);
    host->fleet = fleet;
    host->engine = engine_memory_new(fleet);
    host->reader = engine_memory_new(fleet);
    host->now_ms = 1000;
}

void host_open(struct host *host, struct memory_fleet *fleet, const char *name)
{
    begin(host, fleet, name);
    store_builder_open(&host->builder);
}

void host_stop(struct host *host)
{
    fleet_shipper_free(host->shipper);
    host->shipper = NULL;
}

static void end_write(struct host *host)
{
    if (host->builder.txn) {
        must(xylem_commit(host->builder.txn, &err));
        host->builder.txn = NULL;
    }
}

static void begin_write(struct host *host)
{
    if (!host->builder.txn) {
        must(xylem_begin(&host->builder.txn, host->builder.store, XYLEM_WRITE, &err));
    }
}

void host_close(struct host *host)
{
    struct xylem_txn *txn;
    host_stop(host);
    end_write(host);
    must(xylem_begin(&txn, host->builder.store, XYLEM_READ, &err));
    assert_verified(txn);
    assert_changes_agree(txn);
    xylem_abort(txn);
    begin_write(host);
    store_builder_close(&host->builder);
    host->engine->free(host->engine);
    host->reader->free(host->reader);
    free(host->news);
}

void host_copy(struct host *copy, struct host *of, const char *name, bool as_backup)
{
    char command[1200];
    begin(copy, of->fleet, name);
    end_write(of);
    test_directory_make(copy->builder.path, sizeof copy->builder.path, "fleet-copy");
    if (as_backup) {
        char target[300];
        (void)snprintf(target, sizeof target, "%s/backup", copy->builder.path);
        struct xylem_backup_report report;
        must(xylem_backup(&report, of->builder.store, target, NULL, &err));
        (void)snprintf(command, sizeof command, "mv '%s'/* '%s' && rmdir '%s'", target, copy->builder.path, target);
    } else {
        (void)snprintf(command, sizeof command, "cp '%s/data.mdb' '%s'", of->builder.path, copy->builder.path);
    }
    assert_int_equal(system(command), 0);
    const struct xylem_open_options options = {.create = true, .durability = XYLEM_DURABILITY_NONE};
    must(xylem_open(&copy->builder.store, copy->builder.path, &options, &err));
    begin_write(copy);
    begin_write(of);
}

/* --- Driving ------------------------------------------------------------------------------------------------------ */

static void begin_ship(struct host *host)
{
    const struct fleet_shipper_options options = {.host = xylem_view_of(host->name),
                                                  .ships = host->ships,
                                                  .tell = hear,
                                                  .context = host,
                                                  .group_ms = GROUP_MS,
                                                  .deadline_ms = 500};
    if (!host->shipper) {
        must(fleet_shipper_new(&host->shipper, host->builder.store, host->engine, &options, &err));
    }
}

/* Some codes are of the moment: the next turn goes on. */
static void check(int code)
{
    if (code != XYLEM_E_MAP_FULL && code != XYLEM_E_BUSY) {
        must(code);
    }
}

/* Time passes when no answer can come. */
static void wait(struct host *host, struct fleet_engine *engine, const struct fleet_turn *turn, uint64_t *answered)
{
    uint64_t count = 0;
    for (enum fleet_outcome outcome = FLEET_DONE; outcome < FLEET_OUTCOME_COUNT; outcome++) {
        count += memory_fleet_count(host->fleet, FLEET_ASK_COUNT, outcome);
    }
    bool stands = engine_memory_waiting(engine) == 0 || count == *answered;
    host->now_ms += stands && turn->wait_ms != UINT64_MAX ? turn->wait_ms : 0;
    *answered = count;
}

static void drive_ship(struct host *host, unsigned turns_max)
{
    uint64_t answered = 0;
    struct fleet_turn turn = {.idle = false};
    end_write(host);
    begin_ship(host);
    for (host->turns = 0; !turn.idle && host->turns < turns_max; host->turns++) {
        check(fleet_shipper_turn(&turn, host->shipper, host->now_ms, &err));
        wait(host, host->engine, &turn, &answered);
    }
    if (turn.idle) {
        check(fleet_shipper_note(host->shipper, &err));
    }
    begin_write(host);
}

void host_ship_turns(struct host *host, unsigned turns)
{
    drive_ship(host, turns);
}

void host_ship(struct host *host)
{
    drive_ship(host, TURNS_MAX);
    if (host->turns >= TURNS_MAX) {
        fail_msg("the ship of %s does not come to rest", host->name);
    }
}

static void drive_pull(struct host *host, const char *session, uint64_t own_epoch)
{
    struct fleet_puller *puller;
    uint64_t answered = 0;
    struct fleet_turn turn = {.idle = false};
    struct fleet_puller_options options = {.tell = hear, .context = host, .all = !session, .deadline_ms = 500};
    end_write(host);
    begin_ship(host);
    memcpy(options.token, fleet_shipper_token(host->shipper), sizeof options.token);
    must(fleet_puller_new(&puller, host->builder.store, host->reader, &options, &err));
    if (session) {
        must(fleet_puller_add(puller, xylem_view_of(session), own_epoch > 0, own_epoch, &err));
    }
    for (host->turns = 0; !turn.idle && host->turns < TURNS_MAX; host->turns++) {
        check(fleet_puller_turn(&turn, puller, host->now_ms, &err));
        wait(host, host->reader, &turn, &answered);
    }
    host->failed = fleet_puller_failed(puller);
    fleet_puller_free(puller);
    begin_write(host);
    if (host->turns >= TURNS_MAX) {
        fail_msg("the pull of %s does not come to rest", host->name);
    }
}

void host_pull(struct host *host)
{
    drive_pull(host, NULL, 0);
}

void host_pull_one(struct host *host, const char *session, uint64_t own_epoch)
{
    drive_pull(host, session, own_epoch);
}

uint64_t host_claim(struct host *host, const char *session)
{
    struct fleet_claim claim;
    uint64_t number = 1u << 20;
    enum fleet_claim_act act;
    uint64_t known = host_find(host, session).epoch;
    end_write(host);
    begin_ship(host);
    fleet_claim_begin(&claim, true);
    claim.known = known;
    while ((act = fleet_claim_next(&claim)) == FLEET_CLAIM_ROW || act == FLEET_CLAIM_SEND) {
        struct fleet_request request = {.ask = act == FLEET_CLAIM_ROW ? FLEET_ROW : FLEET_CLAIM,
                                        .session = xylem_view_of(session),
                                        .epoch = claim.seen,
                                        .host = xylem_view_of(host->name)};
        struct fleet_answer answer;
        memcpy(request.owner, fleet_shipper_token(host->shipper), sizeof request.owner);
        must(host->reader->submit(host->reader, ++number, &request, &err));
        fleet_claim_sent(&claim);
        assert_int_equal(must(host->reader->poll(host->reader, &answer, &err)), 1);
        fleet_claim_answer(&claim, &answer);
    }
    assert_int_equal(act, FLEET_CLAIM_WON);
    begin_write(host);
    return claim.epoch;
}

/* --- Looking ------------------------------------------------------------------------------------------------------ */

struct xylem_session host_find(struct host *host, const char *session)
{
    struct xylem_session row;
    int found = must(fleet_session_find(&row, host->builder.txn, xylem_view_of(session), &err));
    return found > 0 ? row : (struct xylem_session){.number = 0};
}

void hosts_same(struct host *one, struct host *other, const char *session)
{
    assert_same_session(one->builder.txn, other->builder.txn, session);
}
