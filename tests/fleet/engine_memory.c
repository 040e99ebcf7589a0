#include "tests/fleet/engine_memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define SAID_MAX 16u

struct memory_fleet {
    struct rows_ids ids;
    struct rows_table table;
    uint64_t now_ms;
    uint64_t counts[FLEET_ASK_COUNT][FLEET_OUTCOME_COUNT];
};

struct said {
    enum fleet_ask ask;
    enum fleet_outcome outcome;
    bool is_done;
    unsigned count;
};

struct waiting {
    uint64_t number;
    struct rows_request copy;
    bool is_dropped;
};

struct handle {
    struct fleet_engine engine; /* the first member */
    struct memory_fleet *fleet;
    struct said said[SAID_MAX];
    size_t said_count;
    struct waiting waiting[ENGINE_MEMORY_REQUESTS_MAX];
    size_t waiting_count;
    struct rows_answer answer; /* of the last poll */
    bool holds;
    bool is_late;
    enum fleet_ask late_before; /* FLEET_ASK_COUNT: when nothing is held */
    bool is_reversed;
};

/* --- What hosts share ------------------------------------------------------------------------------------------------- */

struct memory_fleet *memory_fleet_new(void)
{
    struct memory_fleet *fleet = rows_memory(NULL, sizeof *fleet);
    memset(fleet, 0, sizeof *fleet);
    return fleet;
}

void memory_fleet_free(struct memory_fleet *fleet)
{
    rows_table_release(&fleet->table);
    rows_ids_release(&fleet->ids);
    free(fleet);
}

void memory_fleet_set_now(struct memory_fleet *fleet, uint64_t now_ms)
{
    fleet->now_ms = now_ms;
}

struct rows_table *memory_fleet_save(struct memory_fleet *fleet)
{
    struct rows_table *saved = rows_memory(NULL, sizeof *saved);
    rows_table_copy(saved, &fleet->table);
    return saved;
}

void memory_fleet_restore(struct memory_fleet *fleet, const struct rows_table *saved)
{
    rows_table_release(&fleet->table);
    rows_table_copy(&fleet->table, saved);
}

void memory_fleet_saved_free(struct rows_table *saved)
{
    rows_table_release(saved);
    free(saved);
}

static bool has(const struct rows_bytes *bytes, struct xylem_view wanted)
{
    return bytes && memmem(bytes->data, bytes->bytes, wanted.data, wanted.bytes);
}

bool memory_fleet_has(const struct memory_fleet *fleet, struct xylem_view bytes)
{
    for (size_t i = 0; i < fleet->table.count; i++) {
        const struct rows_version *row = fleet->table.rows[i];
        bool found = row && (has(row->about, bytes) || has(row->head, bytes));
        for (size_t j = 0; row && j < row->piece_count; j++) {
            found = found || has(row->pieces[j]->body, bytes);
        }
        if (found) {
            return true;
        }
    }
    return false;
}

struct rows_version *memory_fleet_row(struct memory_fleet *fleet, struct xylem_view session)
{
    size_t number = rows_ids_find(&fleet->ids, session);
    return number == ROWS_NONE ? NULL : rows_table_get(&fleet->table, number);
}

uint64_t memory_fleet_count(const struct memory_fleet *fleet, enum fleet_ask ask, enum fleet_outcome outcome)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < FLEET_ASK_COUNT; i++) {
        count += ask == i || ask == FLEET_ASK_COUNT ? fleet->counts[i][outcome] : 0;
    }
    return count;
}

/* --- A handle ----------------------------------------------------------------------------------------------------------- */

static struct handle *handle_of(struct fleet_engine *engine)
{
    return (struct handle *)engine;
}

static void take_away(struct handle *handle, size_t at)
{
    rows_request_release(&handle->waiting[at].copy);
    handle->waiting_count--;
    memmove(&handle->waiting[at], &handle->waiting[at + 1], (handle->waiting_count - at) * sizeof *handle->waiting);
}

static int submit(struct fleet_engine *engine, uint64_t number, const struct fleet_request *request,
                  struct xylem_error *err)
{
    struct handle *handle = handle_of(engine);
    int code = rows_request_check(request, err);
    if (code < 0) {
        return code;
    }
    if (handle->waiting_count == ENGINE_MEMORY_REQUESTS_MAX) {
        return xylem_base__fail(err, XYLEM_E_BUSY, "%u requests are on their way", ENGINE_MEMORY_REQUESTS_MAX);
    }
    struct waiting *waiting = &handle->waiting[handle->waiting_count++];
    *waiting = (struct waiting){.number = number};
    rows_request_copy(&waiting->copy, request);
    return XYLEM_OK;
}

/* What a test said of the request; DONE, done: nothing. */
static struct said said_of(struct handle *handle, enum fleet_ask ask)
{
    for (size_t i = 0; i < handle->said_count; i++) {
        struct said *said = &handle->said[i];
        if (said->ask == ask || said->ask == FLEET_ASK_COUNT) {
            struct said found = *said;
            if (--said->count == 0) {
                handle->said_count--;
                memmove(said, said + 1, (handle->said_count - i) * sizeof *said);
            }
            return found;
        }
    }
    return (struct said){ask, FLEET_DONE, true, 0};
}

static enum fleet_outcome run(struct memory_fleet *fleet, const struct fleet_request *request)
{
    struct rows_version *made;
    size_t number = request->ask == FLEET_CLAIM  ? rows_ids_add(&fleet->ids, request->session)
                    : request->ask == FLEET_LIST ? ROWS_NONE
                                                 : rows_ids_find(&fleet->ids, request->session);
    struct rows_version *row = number == ROWS_NONE ? NULL : rows_table_get(&fleet->table, number);
    enum fleet_outcome outcome = rows_decide(&made, row, request, fleet->now_ms);
    if (made) {
        rows_table_put(&fleet->table, number, made);
    }
    return outcome;
}

/* Done behind the back of everybody: no answer leads to the request any more. */
static bool run_late(struct handle *handle)
{
    bool any = false;
    for (size_t i = handle->waiting_count; i-- > 0;) {
        if (handle->waiting[i].is_dropped && handle->waiting[i].number == UINT64_MAX) {
            run(handle->fleet, &handle->waiting[i].copy.request);
            take_away(handle, i);
            any = true;
        }
    }
    return any;
}

static void answer(struct handle *handle, const struct waiting *waiting)
{
    const struct fleet_request *request = &waiting->copy.request;
    struct said said = said_of(handle, request->ask);
    enum fleet_outcome outcome = said.outcome;
    if (said.is_done) {
        enum fleet_outcome found = run(handle->fleet, request);
        outcome = outcome == FLEET_DONE ? found : outcome;
    }
    rows_answer_make(&handle->answer, request, waiting->number, outcome, &handle->fleet->ids, &handle->fleet->table,
                     handle->fleet->now_ms);
    handle->fleet->counts[request->ask][outcome]++;
}

static void answer_dropped(struct handle *handle, const struct waiting *waiting)
{
    const struct fleet_request *request = &waiting->copy.request;
    enum fleet_outcome outcome = fleet_ask_writes(request->ask) ? FLEET_UNKNOWN : FLEET_UNREACHABLE;
    rows_answer_make(&handle->answer, request, waiting->number, outcome, &handle->fleet->ids, &handle->fleet->table,
                     handle->fleet->now_ms);
    handle->fleet->counts[request->ask][outcome]++;
}

static int poll_one(struct fleet_engine *engine, struct fleet_answer *out, struct xylem_error *err)
{
    struct handle *handle = handle_of(engine);
    rows_answer_release(&handle->answer);
    if (!handle->holds && handle->late_before == FLEET_ASK_COUNT) {
        run_late(handle);
    }
    for (size_t i = 0; i < handle->waiting_count; i++) {
        size_t at = handle->is_reversed ? handle->waiting_count - 1 - i : i;
        struct waiting *waiting = &handle->waiting[at];
        if (waiting->number == UINT64_MAX || (handle->holds && !waiting->is_dropped)) {
            continue;
        }
        if (!waiting->is_dropped && waiting->copy.request.ask == handle->late_before && run_late(handle)) {
            return poll_one(engine, out, err);
        }
        if (waiting->is_dropped) {
            answer_dropped(handle, waiting);
        } else {
            answer(handle, waiting);
        }
        *out = handle->answer.answer;
        if (waiting->is_dropped && handle->is_late) {
            waiting->number = UINT64_MAX;
        } else {
            take_away(handle, at);
        }
        return 1;
    }
    return 0;
}

static int no_fd(struct fleet_engine *engine)
{
    (void)engine;
    return -1;
}

static void drop(struct fleet_engine *engine, uint64_t number)
{
    struct handle *handle = handle_of(engine);
    for (size_t i = 0; i < handle->waiting_count; i++) {
        handle->waiting[i].is_dropped = handle->waiting[i].is_dropped || handle->waiting[i].number == number;
    }
}

static void free_handle(struct fleet_engine *engine)
{
    struct handle *handle = handle_of(engine);
    while (handle->waiting_count > 0) {
        take_away(handle, handle->waiting_count - 1);
    }
    rows_answer_release(&handle->answer);
    free(handle);
}

struct fleet_engine *engine_memory_new(struct memory_fleet *fleet)
{
    struct handle *handle = rows_memory(NULL, sizeof *handle);
    memset(handle, 0, sizeof *handle);
    handle->engine = (struct fleet_engine){
        .id = "engine in memory", .submit = submit, .poll = poll_one, .fd = no_fd, .drop = drop, .free = free_handle};
    handle->fleet = fleet;
    handle->late_before = FLEET_ASK_COUNT;
    return &handle->engine;
}

void engine_memory_say(struct fleet_engine *engine, enum fleet_ask ask, enum fleet_outcome outcome, bool is_done,
                       unsigned count)
{
    struct handle *handle = handle_of(engine);
    if (handle->said_count == SAID_MAX) {
        abort();
    }
    handle->said[handle->said_count++] = (struct said){ask, outcome, is_done, count};
}

void engine_memory_hold(struct fleet_engine *engine, bool hold)
{
    handle_of(engine)->holds = hold;
}

void engine_memory_late(struct fleet_engine *engine, bool late)
{
    handle_of(engine)->is_late = late;
}

void engine_memory_late_before(struct fleet_engine *engine, enum fleet_ask ask)
{
    engine_memory_late(engine, true);
    handle_of(engine)->late_before = ask;
}

void engine_memory_reverse(struct fleet_engine *engine, bool reverse)
{
    handle_of(engine)->is_reversed = reverse;
}

size_t engine_memory_waiting(const struct fleet_engine *engine)
{
    return ((const struct handle *)engine)->waiting_count;
}
