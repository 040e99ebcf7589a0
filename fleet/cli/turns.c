/* Turns of ships and pulls: waits for the engine, the store, the time, and gives way to who needs the store alone. */
#include "base/clock.h"
#include "fleet/cli/cli.h"
#include "xylem/wake.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#define GIVE_UP_SECONDS 10u
#define PROGRESS_MS 200
#define LOOK_MS 500u /* between two questions for an interrupt, and for another process that needs the store */

bool fleet_cli_waited(const struct xylem_cli *cli, int64_t since_ms)
{
    uint64_t seconds = cli->wait.given ? cli->wait.number : GIVE_UP_SECONDS;
    return (uint64_t)(xylem_base__steady_ms() - since_ms) / 1000 >= seconds;
}

/* --- Progress ----------------------------------------------------------------------------------------------------- */

void fleet_cli_progress(struct fleet_cli *fleet, uint64_t count, const char *what)
{
    int64_t now_ms = xylem_base__steady_ms();
    if (!fleet->given->follow && count > 0 && isatty(STDERR_FILENO) == 1 && now_ms - fleet->shown_ms >= PROGRESS_MS) {
        fleet->shown_ms = now_ms;
        xylem_cli__clear_line();
        fprintf(stderr, "%" PRIu64 " %s", count, what);
        fflush(stderr);
    }
}

void fleet_cli_clear_progress(struct fleet_cli *fleet)
{
    if (fleet->shown_ms > 0) {
        xylem_cli__clear_line();
        fleet->shown_ms = 0;
    }
}

/* --- Turns -------------------------------------------------------------------------------------------------------- */

/* Waits for the engine, the store's wake-up, or the time. STOPPED: an interrupt, or nobody reads standard output. */
static int wait_for(struct fleet_cli *fleet, uint64_t wait_ms)
{
    struct xylem_error err;
    struct xylem_wake *wake = fleet->cli->wake;
    struct fleet_engine *engine = fleet->waiting.engine;
    struct pollfd fds[] = {{.fd = STDOUT_FILENO},
                           {.fd = engine->fd(engine), .events = POLLIN},
                           {.fd = xylem_wake_fd(wake), .events = POLLIN}};
    poll(fds, 3, (int)(wait_ms < LOOK_MS ? wait_ms : LOOK_MS));
    if (fds[2].revents != 0) {
        (void)xylem_wake_take(wake, &err); /* the next turn reads the store, and has the error */
    }
    return (fds[0].revents & (POLLERR | POLLHUP)) != 0 || xylem_cli__interrupted() ? XYLEM_E_STOPPED : 0;
}

/* 1: another process needs the store alone, or the file was replaced. */
static int take_turns(struct fleet_cli *fleet, const struct fleet_cli_work *work)
{
    struct xylem_cli *cli = fleet->cli;
    struct fleet_turn next = {.idle = false};
    bool follow = fleet->given->follow;
    int code = cli->wake ? 0 : xylem_wake_new(&cli->wake, cli->store, &cli->err);
    while (code == 0 && (follow || !next.idle)) {
        code = work->turn(&next, fleet, work->context, (uint64_t)xylem_base__steady_ms());
        code = code == 0 ? fleet->told_code : code;
        fleet_cli_progress(fleet, fleet->change_count, "changes");
        if ((code == XYLEM_E_BUSY && follow) || code == XYLEM_E_MAP_FULL) { /* the next turn goes on */
            next = (struct fleet_turn){.wait_ms = LOOK_MS};
            code = 0;
        }
        if (code == 0 && (code = xylem_store_wanted(cli->store, &cli->err)) != 0) {
            return code == XYLEM_E_BUSY ? 1 : code;
        }
        if (code < 0 || (next.idle && !follow)) {
            return code;
        }
        fleet->gave_up = !follow && fleet->paused_ms > 0 && fleet_cli_waited(cli, fleet->paused_ms);
        if (fleet->gave_up) {
            return 0;
        }
        code = wait_for(fleet, next.wait_ms);
    }
    return code;
}

/* Closes the store until the other process is done, and opens the store for writing. */
static int give_way(struct xylem_cli *cli)
{
    int code = XYLEM_E_BUSY;
    while (code == XYLEM_E_BUSY) {
        xylem_cli__close_store(cli);
        poll(NULL, 0, LOOK_MS); /* answers of the engine wait */
        if (xylem_cli__interrupted()) {
            return XYLEM_E_STOPPED;
        }
        code = xylem_cli__open_writing(cli);
        code = code == 0 && xylem_store_wanted(cli->store, NULL) == 1 ? XYLEM_E_BUSY : code;
    }
    return code;
}

int fleet_cli_work(struct fleet_cli *fleet, const struct fleet_cli_work *work)
{
    for (;;) {
        int code = work->start(fleet, work->context);
        code = code == 0 ? take_turns(fleet, work) : code;
        fleet_cli_clear_progress(fleet);
        work->end(fleet, work->context);
        if (code != 1 || (code = give_way(fleet->cli)) < 0) {
            return code;
        }
    }
}
