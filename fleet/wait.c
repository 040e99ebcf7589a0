#include "fleet/wait.h"

#include <poll.h>

#include "base/clock.h"
#include "fleet/shipper.h"

#define PAUSE_MS 50  /* before a request is sent again */
#define LOOK_MS 5    /* between two looks at an engine without a descriptor */
#define SLEEP_MS 500 /* at most, whatever the descriptor says: an engine may have deadlines of its own */

static void pause_ms(int fd, int64_t ms)
{
    struct pollfd watched = {.fd = fd, .events = POLLIN};
    (void)poll(&watched, fd >= 0, (int)ms);
}

static int take(struct fleet_answer *answer, const struct fleet_waiting *waiting, int64_t deadline,
                struct xylem_error *err)
{
    struct fleet_engine *engine = waiting->engine;
    bool dropped = false;
    int code;
    while ((code = engine->poll(engine, answer, err)) == 0 || (code == 1 && answer->number != waiting->number)) {
        int fd = engine->fd(engine);
        int64_t left = deadline - xylem_base__steady_ms();
        if (code == 1) {
            continue; /* of a request before, which was dropped */
        }
        if (left <= 0 && !dropped) {
            engine->drop(engine, waiting->number);
            dropped = true;
            continue;
        }
        int64_t longest = fd >= 0 ? SLEEP_MS : LOOK_MS;
        pause_ms(fd, left > 0 && left < longest ? left : longest);
    }
    return code < 0 ? code : 0;
}

int fleet_wait(struct fleet_answer *answer, struct fleet_waiting *waiting, const struct fleet_request *request,
               struct xylem_error *err)
{
    uint64_t within = waiting->deadline_ms > 0 ? waiting->deadline_ms : FLEET_DEADLINE_MS;
    int64_t deadline = xylem_base__steady_ms() + (int64_t)within;
    for (;;) {
        int code = waiting->engine->submit(waiting->engine, ++waiting->number, request, err);
        code = code < 0 ? code : take(answer, waiting, deadline, err);
        bool again = code == 0 && (answer->outcome == FLEET_RETRY || answer->outcome == FLEET_UNREACHABLE);
        if (!again || xylem_base__steady_ms() >= deadline) {
            return code;
        }
        pause_ms(-1, PAUSE_MS);
    }
}
