#include "fleet/traffic.h"

#include <string.h>

#include "fleet/shipper.h"

void fleet_traffic_begin(struct fleet_traffic *traffic, struct fleet_engine *engine, const unsigned char *token,
                         fleet_tell *tell, void *context, uint64_t deadline_ms)
{
    *traffic = (struct fleet_traffic){.engine = engine,
                                      .token = token,
                                      .tell = tell,
                                      .context = context,
                                      .deadline_ms = deadline_ms ? deadline_ms : FLEET_DEADLINE_MS};
}

void fleet_traffic_tell(const struct fleet_traffic *traffic, const struct fleet_news *news)
{
    if (traffic->tell) {
        traffic->tell(traffic->context, news);
    }
}

bool fleet_traffic_open(const struct fleet_traffic *traffic)
{
    return traffic->count < FLEET_REQUESTS_MAX && traffic->now_ms >= traffic->open_ms;
}

int fleet_traffic_send(struct fleet_traffic *traffic, const void *driver, void *job, struct fleet_request *request,
                       struct xylem_error *err)
{
    uint64_t number = traffic->engine->last_number + 1;
    memcpy(request->owner, traffic->token, sizeof request->owner);
    int code = traffic->engine->submit(traffic->engine, number, request, err);
    if (code < 0) {
        return code == XYLEM_E_BUSY ? 0 : code;
    }
    traffic->engine->last_number = number;
    traffic->sent[traffic->count++] = (struct fleet_sent){
        .number = number, .until_ms = traffic->now_ms + traffic->deadline_ms, .driver = driver, .job = job};
    return 1;
}

/*
 * Requests of other sessions are answered meanwhile, so a pause begins anew only behind the last one. Two transactions
 * that met (RETRY) are nothing that a person should hear of.
 */
static void note_outcome(struct fleet_traffic *traffic, const struct fleet_answer *answer)
{
    if (answer->outcome == FLEET_DONE || answer->outcome == FLEET_NO) {
        if (traffic->told) {
            fleet_traffic_tell(traffic, &(struct fleet_news){.type = FLEET_NEWS_RESUMED});
        }
        traffic->told = false;
        traffic->pause_ms = traffic->open_ms = 0;
        return;
    }
    if (traffic->now_ms >= traffic->open_ms) {
        uint64_t pause_ms = traffic->pause_ms ? 2 * traffic->pause_ms : FLEET_PAUSE_MIN_MS;
        traffic->pause_ms = pause_ms < FLEET_PAUSE_MAX_MS ? pause_ms : FLEET_PAUSE_MAX_MS;
        traffic->open_ms = traffic->now_ms + traffic->pause_ms;
    }
    if (!traffic->told && answer->outcome != FLEET_RETRY) {
        traffic->told = true;
        fleet_traffic_tell(traffic, &(struct fleet_news){.type = FLEET_NEWS_PAUSED, .text = answer->text});
    }
}

int fleet_traffic_take(struct fleet_sent *sent, struct fleet_answer *answer, struct fleet_traffic *traffic,
                       struct xylem_error *err)
{
    int code;
    while ((code = traffic->engine->poll(traffic->engine, answer, err)) > 0) {
        for (unsigned i = 0; i < traffic->count; i++) {
            if (traffic->sent[i].number == answer->number) {
                *sent = traffic->sent[i];
                traffic->sent[i] = traffic->sent[--traffic->count];
                note_outcome(traffic, answer);
                return 1;
            }
        }
    }
    return code;
}

void fleet_traffic_expire(struct fleet_traffic *traffic)
{
    for (unsigned i = 0; i < traffic->count; i++) {
        struct fleet_sent *sent = &traffic->sent[i];
        if (!sent->dropped && traffic->now_ms >= sent->until_ms) {
            sent->dropped = true;
            traffic->engine->drop(traffic->engine, sent->number);
        }
    }
}

void fleet_traffic_drop(struct fleet_traffic *traffic, const void *driver)
{
    for (unsigned i = traffic->count; i-- > 0;) {
        if (traffic->sent[i].driver == driver) {
            traffic->engine->drop(traffic->engine, traffic->sent[i].number);
            traffic->sent[i] = traffic->sent[--traffic->count];
        }
    }
}

struct fleet_turn fleet_traffic_turn(const struct fleet_traffic *traffic, bool idle, uint64_t due_ms)
{
    uint64_t now_ms = traffic->now_ms;
    due_ms = now_ms < traffic->open_ms ? fleet_earlier(due_ms, traffic->open_ms) : due_ms;
    for (unsigned i = 0; i < traffic->count; i++) {
        due_ms = traffic->sent[i].dropped ? due_ms : fleet_earlier(due_ms, traffic->sent[i].until_ms);
    }
    uint64_t wait_ms = due_ms == UINT64_MAX ? due_ms : due_ms > now_ms ? due_ms - now_ms : 0;
    return (struct fleet_turn){.idle = idle, .wait_ms = wait_ms};
}
