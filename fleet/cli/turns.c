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

int fleet_cli_wait(struct fleet_cli *fleet, uint64_t wait_ms)
{
    struct xylem_error err;
    struct xylem_wake *wake = fleet->cli->wake;
    struct pollfd fds[] = {{.fd = STDOUT_FILENO},
                           {.fd = fleet->engine->fd(fleet->engine), .events = POLLIN},
                           {.fd = wake ? xylem_wake_fd(wake) : -1, .events = POLLIN}};
    poll(fds, 3, (int)(wait_ms < LOOK_MS ? wait_ms : LOOK_MS));
    if (fds[2].revents != 0) {
        (void)xylem_wake_take(wake, &err); /* the next turn reads the store, and has the error */
    }
    return (fds[0].revents & (POLLERR | POLLHUP)) != 0 || xylem_cli__interrupted() ? XYLEM_E_STOPPED : 0;
}

bool fleet_cli_waited(const struct xylem_cli *cli, int64_t since_ms)
{
    uint64_t seconds = cli->wait.given ? cli->wait.number : GIVE_UP_SECONDS;
    return (uint64_t)(xylem_base__steady_ms() - since_ms) / 1000 >= seconds;
}

static void show_progress(struct fleet_cli_told *told)
{
    int64_t now_ms = xylem_base__steady_ms();
    if (!told->follow && told->change_count > 0 && isatty(STDERR_FILENO) == 1 &&
        now_ms - told->shown_ms >= PROGRESS_MS) {
        told->shown_ms = now_ms;
        xylem_cli__clear_line();
        fprintf(stderr, "%" PRIu64 " changes", told->change_count);
        fflush(stderr);
    }
}

void fleet_cli_clear_progress(struct fleet_cli_told *told)
{
    if (told->shown_ms > 0) {
        xylem_cli__clear_line();
        told->shown_ms = 0;
    }
}

static int start_waking(struct xylem_cli *cli)
{
    return cli->wake ? 0 : xylem_wake_new(&cli->wake, cli->store, &cli->err);
}

static int take_turns(struct fleet_cli_told *told, fleet_cli_turn *turn, void *work, bool follow)
{
    struct fleet_cli *fleet = told->fleet;
    struct xylem_cli *cli = fleet->cli;
    struct fleet_turn next = {.idle = false};
    int code = start_waking(cli);
    while (code == 0 && (follow || !next.idle)) {
        code = turn(work, &next, (uint64_t)xylem_base__steady_ms(), &cli->err);
        code = code == 0 ? told->code : code;
        show_progress(told);
        if ((code == XYLEM_E_BUSY && follow) || code == XYLEM_E_MAP_FULL) { /* the next turn goes on */
            next = (struct fleet_turn){.wait_ms = LOOK_MS};
            code = 0;
        }
        if (code == 0 && (code = xylem_store_wanted(cli->store, &cli->err)) != 0) {
            return code == XYLEM_E_BUSY ? 1 : code; /* the file was replaced */
        }
        told->gave_up =
            code == 0 && !follow && !next.idle && told->paused_ms > 0 && fleet_cli_waited(cli, told->paused_ms);
        if (told->gave_up) {
            return 0;
        }
        if (code == 0 && (follow || !next.idle)) {
            code = fleet_cli_wait(fleet, next.wait_ms);
        }
    }
    return code;
}

int fleet_cli_turns(struct fleet_cli_told *told, fleet_cli_turn *turn, void *work, bool follow)
{
    int code = take_turns(told, turn, work, follow);
    fleet_cli_clear_progress(told);
    return code;
}

int fleet_cli_give_way(struct fleet_cli *fleet)
{
    struct xylem_cli *cli = fleet->cli;
    int code = XYLEM_E_BUSY;
    xylem_cli__close_store(cli);
    while (code == XYLEM_E_BUSY) {
        poll(NULL, 0, LOOK_MS); /* answers of the engine wait */
        if (xylem_cli__interrupted()) {
            return XYLEM_E_STOPPED;
        }
        if ((code = xylem_cli__open_writing(cli)) == 0 && xylem_store_wanted(cli->store, NULL) == 1) {
            xylem_cli__close_store(cli);
            code = XYLEM_E_BUSY;
        }
    }
    return code;
}
