/*
 * Kills this process at a call that changes a file, or in the middle of a write. A child sets `moment` and `calls_left`,
 * and then deaths_begin() lets the calls count.
 */
#ifndef XYLEM_TESTS_CRASH_DEATHS_H
#define XYLEM_TESTS_CRASH_DEATHS_H

#include <signal.h>

#include "tests/crash/calls.h"

enum moment { AT_A_TIME, BEFORE_A_CALL, AFTER_A_CALL, WITHIN_A_WRITE, MOMENT_COUNT };

static enum moment moment; /* AT_A_TIME: another process kills this one */
static int calls_left;     /* until the process kills itself */

static void deaths_die(void)
{
    kill(getpid(), SIGKILL);
    for (;;) {
        pause();
    }
}

/* -1, or a file in which the test keeps what was acknowledged: its writes do not count. */
static int deaths_own_fd = -1;

static bool deaths_count(const struct call *call)
{
    bool own = deaths_own_fd >= 0 && call->type == CALL_WRITE && call->fd == deaths_own_fd;
    return !own && call->type != CALL_MAP && (call->type != CALL_OPEN || (call->flags & O_CREAT)) &&
           (moment != WITHIN_A_WRITE || call->type == CALL_WRITE);
}

static bool deaths_before(const struct call *call, ssize_t *result)
{
    (void)result;
    if (!deaths_count(call) || moment == AFTER_A_CALL || --calls_left > 0) {
        return false;
    }
    if (moment == WITHIN_A_WRITE) {
        CALLS_NEXT(calls_pwrite, "pwrite")
        next(call->fd, call->parts[0].iov_base, call->parts[0].iov_len / 2, call->offset);
    }
    deaths_die();
    return false;
}

static void deaths_after(const struct call *call, ssize_t result)
{
    (void)result;
    if (deaths_count(call) && moment == AFTER_A_CALL && --calls_left <= 0) {
        deaths_die();
    }
}

static void deaths_begin(int own_fd)
{
    deaths_own_fd = own_fd;
    if (moment != AT_A_TIME) {
        calls_before = deaths_before;
        calls_after = deaths_after;
    }
}

#endif
