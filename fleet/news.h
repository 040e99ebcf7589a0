/* What ships, pulls and takers tell their caller. The struct and its views live until the callback returns. */
#ifndef FLEET_NEWS_H
#define FLEET_NEWS_H

#include "fleet/engine.h"

enum fleet_news_type {
    FLEET_NEWS_SHIPPED,    /* the engine acknowledged changes [from, to) */
    FLEET_NEWS_REWRITTEN,  /* segments of the engine lost redacted text, some of [from, to) */
    FLEET_NEWS_FREED,      /* the engine, or with a pull the store, let go of a freed session */
    FLEET_NEWS_FENCED,     /* `host` owns the session now; the store follows from here on */
    FLEET_NEWS_FORKED,     /* the store's own tail, from ordinal `from` on, is the session `fork` now */
    FLEET_NEWS_FOREIGN,    /* `host` has another session of the id: this one is not shipped */
    FLEET_NEWS_HELD,       /* not shipped: `text` says why */
    FLEET_NEWS_IN_USE,     /* fenced, but a process holds the session: settled when the process lets go */
    FLEET_NEWS_PULLED,     /* the store has changes [from, to) now */
    FLEET_NEWS_BEHIND,     /* the engine has less than the store: [from, to) is missing there; from 0: a claim is */
    FLEET_NEWS_MISSING,    /* the engine has no session of the id, or shows it to another group alone */
    FLEET_NEWS_DAMAGED,    /* a segment of the engine is damaged or missing: `text` */
    FLEET_NEWS_OWNED,      /* the store owns the session, and has all of it */
    FLEET_NEWS_PAUSED,     /* the engine refused or cannot be reached: `text`; goes on by itself */
    FLEET_NEWS_RESUMED,    /* the engine answers again */
    FLEET_NEWS_BEGUN_ANEW, /* the store began another life: it ships under another token, `text` says what that means */
    FLEET_NEWS_TYPE_COUNT
};

struct fleet_news {
    enum fleet_news_type type;
    struct xylem_view session; /* its id; data NULL: PAUSED and RESUMED are of the engine, BEGUN_ANEW is of the store */
    struct xylem_view fork;    /* the id of the fork; else data NULL */
    struct xylem_view host;    /* else data NULL */
    uint64_t from;
    uint64_t to;
    uint64_t epoch;
    const char *text; /* for a person; NULL: none */
};

typedef void fleet_tell(void *context, const struct fleet_news *news);

/* One turn of a ship, a pull or a taker. */
struct fleet_turn {
    bool idle; /* nothing is on its way, and nothing is left to do until the store or the engine changes */
    uint64_t
        wait_ms; /* the next turn is due then, if nothing happens before; 0: at once; UINT64_MAX: with the next event */
};

const char *fleet_news_word(enum fleet_news_type type);

#endif
