/*
 * Hosts for tests: a real store, a ship and pulls, over an engine in memory. A clock stands still but for waits, so deadlines
 * and pauses pass at once. The store's write transaction (store_builder.h) ends before the host drives, and begins anew.
 */
#ifndef XYLEM_TESTS_FLEET_HOSTS_H
#define XYLEM_TESTS_FLEET_HOSTS_H

#include "fleet/puller.h"
#include "fleet/shipper.h"
#include "tests/fleet/engine_memory.h"
#include "tests/lib/store_builder.h"

struct host_news {
    enum fleet_news_type type;
    char session[201];
    char fork[201];
    uint64_t from;
    uint64_t to;
    char text[512];
};

struct host {
    char name[32];
    struct store_builder builder;
    struct memory_fleet *fleet;
    struct fleet_engine *engine; /* of the ship */
    struct fleet_shipper *shipper;
    struct fleet_engine *reader; /* of pulls */
    uint64_t now_ms;
    struct host_news *news;
    size_t news_count;
    fleet_ships *ships; /* for the next ship; gets the host as its context */
    uint64_t failed;    /* of the last pull */
    unsigned turns;     /* of the last drive */
};

void host_open(struct host *host, struct memory_fleet *fleet, const char *name);
/* Compares the changes of the whole store with its rows, and closes. */
void host_close(struct host *host);
/* Ends the ship, as a kill would: the next host_ship() begins another. */
void host_stop(struct host *host);
/* Opens a copy of the host's directory as another host; `as_backup`: by xylem_backup(). */
void host_copy(struct host *copy, struct host *of, const char *name, bool as_backup);

/* Ships until nothing is left to do. */
void host_ship(struct host *host);
/* Ships for some turns, as far as it comes. */
void host_ship_turns(struct host *host, unsigned turns);
/* Pulls all sessions of the engine; or one, and owns it if its claim had that epoch. */
void host_pull(struct host *host);
void host_pull_one(struct host *host, const char *session, uint64_t own_epoch);
/* Claims a session for the host, whoever owns it. Gives the epoch. */
uint64_t host_claim(struct host *host, const char *session);

/* The number of such news so far, of one session or of all (NULL). */
unsigned host_told(const struct host *host, enum fleet_news_type type, const char *session);
/* The newest such news; fails without. */
const struct host_news *host_last(const struct host *host, enum fleet_news_type type);
void host_forget_news(struct host *host);

/* The session in any state; number 0: none. */
struct xylem_session host_find(struct host *host, const char *session);
/* Fails unless both hosts have the session with equal contents. */
void hosts_same(struct host *one, struct host *other, const char *session);

#endif
