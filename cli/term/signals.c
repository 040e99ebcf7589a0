/*
 * Signals. The usual cause of a crash is a damaged or truncated file in the memory map, so a crash prints one line with
 * the next step. SIGPIPE ends the command silently, because the reader of the pipe wants no more output.
 *
 *   SIGINT, while the work is deferred     the work stops at the next safe point; SIGALRM ends the command after
 *                                          PATIENCE_SECONDS, a second SIGINT ends the command at once
 *   SIGINT, SIGALRM                        remove the half-written file, exit with INTERRUPTED
 *   SIGTERM, SIGHUP                        remove the half-written file, die of the signal
 *   SIGSEGV, SIGBUS, SIGABRT, SIGFPE       remove the half-written file, print the hint, exit with CORRUPT
 */
#include "cli/term/term.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

/* The time to a safe point after an interrupt. Work that waits for a lock never reaches a safe point. */
#define PATIENCE_SECONDS 2

static volatile sig_atomic_t deferred;
static volatile sig_atomic_t interrupted;
static const char *volatile to_remove;
/* The line for a crash, prepared in advance because a signal handler must not allocate. */
static char hint[8192] = "the store may be damaged; `xylem verify` tells what is wrong, and what to do next\n";

static void say(const char *line)
{
    ssize_t written = write(STDERR_FILENO, line, strlen(line));
    (void)written; /* nobody is left to tell */
}

static void crashed(int signal_number)
{
    if (to_remove) {
        unlink(to_remove);
    }
    say("xylem: the program got a fatal signal, ");
    say(signal_number == SIGBUS    ? "SIGBUS"
        : signal_number == SIGABRT ? "SIGABRT"
        : signal_number == SIGFPE  ? "SIGFPE"
                                   : "SIGSEGV");
    say(": ");
    say(hint);
    _exit(XYLEM_CLI__CORRUPT);
}

static void ended(int signal_number)
{
    if (signal_number == SIGINT && deferred && !interrupted) {
        interrupted = 1;
        alarm(PATIENCE_SECONDS);
        return;
    }
    if (to_remove) {
        unlink(to_remove);
    }
    if (signal_number == SIGINT || signal_number == SIGALRM) {
        _exit(XYLEM_CLI__INTERRUPTED);
    }
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void catch (int signal_number, void (*handler)(int), int flags)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, NULL);
}

/* An ignored signal stays ignored, as by nohup(1), or by a shell without job control for a command behind `&`. */
static void catch_unless_ignored(int signal_number)
{
    struct sigaction before;
    if (sigaction(signal_number, NULL, &before) != 0 || before.sa_handler != SIG_IGN) {
        catch (signal_number, ended, SA_RESTART);
    }
}

static struct sigaction inherited_xfsz;

void xylem_cli__signals_start(void)
{
    static char stack_bytes[32768];
    stack_t stack = {.ss_sp = stack_bytes, .ss_size = sizeof stack_bytes};
    int crash_flags = sigaltstack(&stack, NULL) == 0 ? SA_ONSTACK : 0;
    catch (SIGSEGV, crashed, crash_flags);
    catch (SIGBUS, crashed, crash_flags);
    catch (SIGABRT, crashed, crash_flags);
    catch (SIGFPE, crashed, crash_flags); /* LMDB divides by sizes read from the file */
    catch_unless_ignored(SIGINT);
    catch_unless_ignored(SIGTERM);
    catch_unless_ignored(SIGHUP);
    catch (SIGPIPE, SIG_DFL, 0);
    sigaction(SIGXFSZ, NULL, &inherited_xfsz);
    catch (SIGXFSZ, SIG_IGN, 0); /* a write beyond the file size limit becomes an error that names the limit */
}

void xylem_cli__signals_end(void)
{
    sigaction(SIGXFSZ, &inherited_xfsz, NULL);
}

void xylem_cli__signals_hint(const char *line, size_t bytes)
{
    if (bytes < sizeof hint) {
        memcpy(hint, line, bytes);
        hint[bytes] = '\0';
    }
}

void xylem_cli__signals_defer(void)
{
    catch (SIGALRM, ended, SA_RESTART);
    deferred = 1;
}

bool xylem_cli__interrupted(void)
{
    bool flag = interrupted != 0;
    if (flag) {
        alarm(0); /* the caller ends the work */
    }
    return flag;
}

void xylem_cli__signals_remove(const char *path)
{
    to_remove = path;
}
