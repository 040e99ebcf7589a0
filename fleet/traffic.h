/*
 * What ships and pulls have in common as they drive an engine: requests on their way, deadlines, pauses. Private to the
 * ship, the pull and verify.c.
 */
#ifndef FLEET_TRAFFIC_H
#define FLEET_TRAFFIC_H

#include "fleet/news.h"

#define FLEET_REQUESTS_MAX 8u   /* on their way at once */
#define FLEET_LATER_MS 1000u    /* before what could not be done is tried again */
#define FLEET_PAUSE_MIN_MS 100u /* the pause doubles with each answer that nothing can be done with */
#define FLEET_PAUSE_MAX_MS 10000u

struct fleet_sent {
    uint64_t number;
    uint64_t until_ms; /* the deadline */
    bool dropped;
    const void *driver; /* whose request: a ship drives a pull of its own beside its requests */
    void *job;          /* the session's */
};

struct fleet_traffic {
    struct fleet_engine *engine;
    const unsigned char *token; /* of the store */
    fleet_tell *tell;
    void *context;
    uint64_t now_ms; /* of the turn: of any clock that only goes forward */
    uint64_t deadline_ms;
    struct fleet_sent sent[FLEET_REQUESTS_MAX];
    unsigned count;
    uint64_t pause_ms; /* 0: no pause */
    uint64_t open_ms;  /* nothing is sent before */
    bool told;         /* PAUSED was told */
};

/* `deadline_ms` 0: the usual. */
void fleet_traffic_begin(struct fleet_traffic *traffic, struct fleet_engine *engine, const unsigned char *token,
                         fleet_tell *tell, void *context, uint64_t deadline_ms);
void fleet_traffic_tell(const struct fleet_traffic *traffic, const struct fleet_news *news);
/* True if a request may be sent now. */
bool fleet_traffic_open(const struct fleet_traffic *traffic);
/* Sends a request with the token of the store. 1, or 0: the engine takes no more now. LIMIT: the engine takes no request of this length. */
int fleet_traffic_send(struct fleet_traffic *traffic, const void *driver, void *job, struct fleet_request *request,
                       struct xylem_error *err);
/* 1 and an answer with its request, or 0. Views of the answer live until the next call. */
int fleet_traffic_take(struct fleet_sent *sent, struct fleet_answer *answer, struct fleet_traffic *traffic,
                       struct xylem_error *err);
/* Drops requests whose deadline has passed: their answers come from the next takes. */
void fleet_traffic_expire(struct fleet_traffic *traffic);
/* Drops all requests of a driver, whose answers nobody waits for. */
void fleet_traffic_drop(struct fleet_traffic *traffic, const void *driver);
/* The earlier of two times. */
static inline uint64_t fleet_earlier(uint64_t left_ms, uint64_t right_ms)
{
    return left_ms < right_ms ? left_ms : right_ms;
}
/* The next turn is due at a time (UINT64_MAX: none), with a deadline, or with the end of a pause. */
struct fleet_turn fleet_traffic_turn(const struct fleet_traffic *traffic, bool idle, uint64_t due_ms);

#endif
