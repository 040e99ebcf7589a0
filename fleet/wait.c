#include "fleet/wait.h"

#include <poll.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/value.h"
#include "fleet/shipper.h"

#define PAUSE_MS 50  /* before a request is sent again */
#define LOOK_MS 5    /* between two looks at an engine without a descriptor */
#define SLEEP_MS 500 /* at most, whatever the descriptor says: an engine may have deadlines of its own */
#define PAGE_ROWS 256u

static int take(struct fleet_answer *answer, const struct fleet_waiting *waiting, int64_t deadline,
                struct xylem_error *err)
{
    struct fleet_engine *engine = waiting->engine;
    bool dropped = false;
    int code;
    /* Answers of requests before, which were dropped, are passed over. */
    while ((code = engine->poll(engine, answer, err)) == 0 || (code == 1 && answer->number != waiting->number)) {
        struct pollfd watched = {.fd = engine->fd(engine), .events = POLLIN};
        int64_t left = deadline - xylem_base__steady_ms();
        int64_t longest = watched.fd >= 0 ? SLEEP_MS : LOOK_MS;
        if (code == 0 && left <= 0 && !dropped) {
            engine->drop(engine, waiting->number);
            dropped = true;
        } else if (code == 0) {
            (void)poll(&watched, 1, (int)(left > 0 && left < longest ? left : longest));
        }
    }
    return code < 0 ? code : 0;
}

/* Requests of an asker before, which were dropped, keep their places until somebody takes their answers. */
static int submit(struct fleet_waiting *waiting, const struct fleet_request *request, int64_t deadline,
                  struct xylem_error *err)
{
    struct fleet_engine *engine = waiting->engine;
    struct fleet_answer old;
    int code;
    waiting->number = ++engine->last_number;
    while ((code = engine->submit(engine, waiting->number, request, err)) == XYLEM_E_BUSY &&
           xylem_base__steady_ms() < deadline) {
        int taken = engine->poll(engine, &old, err);
        if (taken < 0) {
            return taken;
        }
        (void)poll(NULL, 0, taken == 0 ? LOOK_MS : 0);
    }
    return code;
}

int fleet_wait(struct fleet_answer *answer, struct fleet_waiting *waiting, const struct fleet_request *request,
               struct xylem_error *err)
{
    uint64_t within = waiting->deadline_ms > 0 ? waiting->deadline_ms : FLEET_DEADLINE_MS;
    int64_t deadline = xylem_base__steady_ms() + (int64_t)within;
    for (;;) {
        int code = submit(waiting, request, deadline, err);
        code = code < 0 ? code : take(answer, waiting, deadline, err);
        bool again = code == 0 && (answer->outcome == FLEET_RETRY || answer->outcome == FLEET_UNREACHABLE);
        if (!again || xylem_base__steady_ms() >= deadline) {
            return code;
        }
        (void)poll(NULL, 0, PAUSE_MS);
    }
}

int fleet_wait_done(struct fleet_answer *answer, struct fleet_waiting *waiting, const struct fleet_request *request,
                    struct xylem_error *err)
{
    int code = fleet_wait(answer, waiting, request, err);
    bool answered = code == 0 && (answer->outcome == FLEET_DONE || answer->outcome == FLEET_NO ||
                                  (answer->outcome == FLEET_REFUSED && request->ask == FLEET_READ));
    return code < 0 || answered
               ? code
               : xylem_base__fail(err, XYLEM_E_IO, "the %s answers `%s` to `%s`: %s", waiting->name,
                                  fleet_outcome_word(answer->outcome), fleet_ask_word(request->ask), answer->text);
}

/* Rows of a list, kept beyond the answer. */
struct page {
    struct fleet_row rows[PAGE_ROWS];
    char ids[PAGE_ROWS][XYLEM_SESSION_ID_BYTES_MAX];
    size_t count;
};

static int read_page(struct page *page, struct fleet_waiting *waiting, struct xylem_error *err)
{
    struct fleet_request request = {.ask = FLEET_LIST, .limit = PAGE_ROWS};
    struct fleet_answer answer;
    if (page->count > 0) {
        request.behind = page->rows[page->count - 1].id;
    }
    int code = fleet_wait_done(&answer, waiting, &request, err);
    if (code == 0 && answer.row_count > 0 && page->count > 0 &&
        xylem_base__view_order(answer.rows[0].id, request.behind) <= 0) {
        return xylem_base__fail(err, XYLEM_E_IO, "the %s lists sessions without an order", waiting->name);
    }
    page->count = 0;
    for (size_t i = 0; code == 0 && i < answer.row_count && i < PAGE_ROWS; i++) {
        struct fleet_row *row = &page->rows[page->count++];
        *row = answer.rows[i];
        memcpy(page->ids[i], row->id.data, row->id.bytes);
        row->id.data = page->ids[i];
    }
    return code;
}

int fleet_each_row(struct fleet_waiting *waiting, fleet_row_visitor *visit, void *context, struct xylem_error *err)
{
    struct page *page = calloc(1, sizeof *page);
    int code = page ? read_page(page, waiting, err) : xylem_base__fail_memory(err);
    while (code == 0 && page->count > 0) {
        for (size_t i = 0; code == 0 && i < page->count; i++) {
            code = visit(context, &page->rows[i]);
        }
        code = code == 0 ? read_page(page, waiting, err) : code;
    }
    free(page);
    return code;
}
