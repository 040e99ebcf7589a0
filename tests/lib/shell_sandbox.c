#include "tests/lib/shell_sandbox.h"

#include "tests/lib/shell_text.h"
#include "tests/lib/test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534
#define ANSWER_MS_MAX 60000
#define REPORT_BYTES_MAX 250001u
#define PROCESSES 96 /* that a command may have at a time */
#define STAND_INS_PATH "/../../sandbox/inside"

struct shell_sandbox {
    pid_t pid;
    int channel;
    int messages; /* what it says on stderr */
    struct shell_report report;
    char answer[REPORT_BYTES_MAX + 1];
};

/* What is run for real: reads, or writes only with an option that a judge must see. */
static const char *const real_programs[] = {
    "ls",      "cat",      "head",     "tail",      "tac",       "less",    "more",      "grep",      "find",   "sed",
    "awk",     "cut",      "paste",    "tr",        "sort",      "uniq",    "comm",      "join",      "nl",     "rev",
    "fold",    "wc",       "xargs",    "jq",        "diff",      "cmp",     "stat",      "file",      "du",     "df",
    "which",   "readlink", "dirname",  "realpath",  "basename",  "whereis", "id",        "whoami",    "groups", "uname",
    "date",    "hostname", "uptime",   "printenv",  "md5sum",    "sha1sum", "sha256sum", "sha512sum", "cksum",  "b2sum",
    "xxd",     "hexdump",  "od",       "strings",   "column",    "echo",    "printf",    "true",      "false",  "test",
    "[",       "ps",       "pgrep",    "pwd",       "git",       "env",     "nice",      "time",      "tree",   "egrep",
    "fgrep",   "timeout",  "nohup",    "setsid",    "stdbuf",    "ionice",  "seq",       "yes",       "expr",   "sync",
    "base64",  "expand",   "unexpand", "fmt",       "pr",        "shuf",    "factor",    "numfmt",    "tsort",  "tty",
    "arch",    "nproc",    "lscpu",    "lsblk",     "free",      "vmstat",  "users",     "who",       "w",      "last",
    "logname", "namei",    "pathchk",  "sha224sum", "sha384sum", "sum",     "gzip",      "zcat",      "cal",    "sleep",
};

/* --- What bubblewrap is told -------------------------------------------------------------------------------------- */

struct arguments {
    int file;
    bool failed;
};

static void say(struct arguments *to, const char *argument)
{
    size_t bytes = strlen(argument) + 1;
    to->failed = to->failed || write(to->file, argument, bytes) != (ssize_t)bytes;
}

static void say3(struct arguments *to, const char *a, const char *b, const char *c)
{
    say(to, a);
    say(to, b);
    say(to, c);
}

static void say_number(struct arguments *to, const char *option, int number)
{
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    say(to, option);
    say(to, text);
}

static void stand_in_for(struct arguments *to, const char *name)
{
    char path[300];
    snprintf(path, sizeof path, "/usr/bin/%.250s", name);
    say3(to, "--symlink", "/inside/run", path);
}

/* The real one lies in /real/bin; a name that leads to another (awk to mawk) must not lead to a stand-in again. */
static void have_real(struct arguments *to, const char *name)
{
    char path[300];
    char target[4200];
    snprintf(path, sizeof path, "/usr/bin/%.250s", name);
    char *real = realpath(path, NULL);
    if (real && strncmp(real, "/usr/bin/", 9) == 0) {
        snprintf(target, sizeof target, "/real/bin/%.4000s", real + 9);
        snprintf(path, sizeof path, "/real/of/%.250s", name);
        say3(to, "--symlink", target, path);
    }
    free(real);
}

static void say_programs(struct arguments *to)
{
    size_t count = 0;
    const char *const *names = shell_text_programs(&count);
    for (size_t i = 0; i < count; i++) {
        stand_in_for(to, names[i]);
    }
    for (size_t i = 0; i < sizeof real_programs / sizeof real_programs[0]; i++) {
        have_real(to, real_programs[i]);
    }
}

static void say_mounts(struct arguments *to, int program, int log)
{
    static const char *const links[][2] = {
        {"usr/lib", "/lib"},  {"usr/lib64", "/lib64"},      {"usr/bin", "/bin"},       {"usr/bin", "/sbin"},
        {"bin", "/usr/sbin"}, {"../bin", "/usr/local/bin"}, {"run", "/inside/missing"}};
    static const char *const writable[] = {"/w", "/tmp", "/home/u", "/scratch"};
    say3(to, "--ro-bind", "/usr/lib", "/usr/lib");
    say3(to, "--ro-bind-try", "/usr/lib64", "/usr/lib64");
    say3(to, "--ro-bind-try", "/usr/share", "/usr/share");
    say3(to, "--ro-bind", "/usr/bin", "/real/bin");
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        say3(to, "--symlink", links[i][0], links[i][1]);
    }
    say_number(to, "--perms", 755);
    say_number(to, "--file", program);
    say(to, "/inside/run");
    say_programs(to);
    say3(to, "--proc", "/proc", "--dev");
    say(to, "/dev");
    say_number(to, "--perms", 666);
    say_number(to, "--bind-data", log);
    say(to, "/log");
    for (size_t i = 0; i < sizeof writable / sizeof writable[0]; i++) {
        say3(to, "--perms", "700", "--size");
        say3(to, "8000000", "--tmpfs", writable[i]);
    }
    say3(to, "--remount-ro", "/dev", "--remount-ro");
    say3(to, "/", "--chdir", "/w");
}

/* The kernel counts all processes of a user: a limit must leave room for those that are there. */
static int process_limit(uid_t user)
{
    int count = PROCESSES;
    DIR *proc = opendir("/proc");
    struct dirent *entry;
    struct stat stat;
    while (proc && (entry = readdir(proc))) {
        if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9' && fstatat(dirfd(proc), entry->d_name, &stat, 0) == 0 &&
            stat.st_uid == user) {
            count++;
        }
    }
    if (proc) {
        closedir(proc);
    }
    return count;
}

/* --- Starting it -------------------------------------------------------------------------------------------------- */

struct start {
    int arguments;
    int program;
    int log;
    int channels[2];
    int messages;
    bool drop;
    char limit[16];
};

static int open_program(void)
{
    char path[4200];
    ssize_t bytes = readlink("/proc/self/exe", path, 4000);
    if (bytes <= 0) {
        return -1;
    }
    path[bytes] = '\0';
    char *slash = strrchr(path, '/');
    strcpy(slash ? slash : path, STAND_INS_PATH);
    return open(path, O_RDONLY | O_CLOEXEC);
}

static _Noreturn void become_bubblewrap(const struct start *start)
{
    char number[16];
    snprintf(number, sizeof number, "%d", start->arguments);
    fcntl(start->program, F_SETFD, 0);
    fcntl(start->log, F_SETFD, 0);
    fcntl(start->arguments, F_SETFD, 0);
    if (dup2(start->channels[1], 0) < 0 || dup2(start->channels[1], 1) < 0 || dup2(start->messages, 2) < 0) {
        _exit(125);
    }
    /* As root a date that is set is set, whatever the sandbox. */
    if (start->drop &&
        (setgroups(0, NULL) != 0 || setresgid(NOBODY, NOBODY, NOBODY) != 0 || setresuid(NOBODY, NOBODY, NOBODY) != 0)) {
        dprintf(2, "root's rights cannot be given up: %s", strerror(errno));
        _exit(125);
    }
    if (geteuid() == 0 || chdir("/") != 0) {
        _exit(125);
    }
    execlp("bwrap", "bwrap", "--unshare-all", "--cap-drop", "ALL", "--die-with-parent", "--new-session", "--clearenv",
           "--args", number, "/inside/run", start->limit, (char *)NULL);
    dprintf(2, "bwrap (the package bubblewrap) does not start: %s", strerror(errno));
    _exit(127);
}

static void stop(struct shell_sandbox *sandbox)
{
    if (sandbox->channel >= 0) {
        close(sandbox->channel);
        sandbox->channel = -1;
    }
    if (sandbox->pid > 0) {
        kill(sandbox->pid, SIGKILL);
        while (waitpid(sandbox->pid, NULL, 0) < 0 && errno == EINTR) {
        }
        sandbox->pid = 0;
    }
    if (sandbox->messages >= 0) {
        close(sandbox->messages);
        sandbox->messages = -1;
    }
}

static void forget_start(struct start *start)
{
    int *const files[] = {&start->arguments, &start->program, &start->log, &start->channels[1]};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        if (*files[i] >= 0) {
            close(*files[i]);
        }
    }
}

static bool prepare(struct start *start, struct shell_sandbox *sandbox)
{
    *start = (struct start){-1, -1, -1, {-1, -1}, -1, geteuid() == 0, ""};
    start->program = open_program();
    start->log = memfd_create("log", MFD_CLOEXEC);
    start->arguments = memfd_create("arguments", MFD_CLOEXEC);
    start->messages = sandbox->messages = memfd_create("messages", MFD_CLOEXEC);
    assert_true(start->program >= 0); /* make builds the program beside the tests: no reason to skip a test */
    if (start->log < 0 || start->arguments < 0 || start->messages < 0 ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, start->channels) != 0) {
        return false;
    }
    sandbox->channel = start->channels[0];
    snprintf(start->limit, sizeof start->limit, "%d", process_limit(start->drop ? NOBODY : geteuid()));
    struct arguments arguments = {start->arguments, false};
    say_mounts(&arguments, start->program, start->log);
    return !arguments.failed && lseek(start->arguments, 0, SEEK_SET) == 0;
}

static bool receive(struct shell_sandbox *sandbox, void *data, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        struct pollfd wait = {.fd = sandbox->channel, .events = POLLIN};
        int ready = poll(&wait, 1, ANSWER_MS_MAX);
        ssize_t got = ready == 1 ? recv(sandbox->channel, (char *)data + done, bytes - done, 0) : 0;
        if (got <= 0 && !(ready < 0 && errno == EINTR)) {
            return false;
        }
        done += got > 0 ? (size_t)got : 0;
    }
    return true;
}

static bool receive_answer(struct shell_sandbox *sandbox, uint32_t *bytes)
{
    return receive(sandbox, bytes, sizeof *bytes) && *bytes <= REPORT_BYTES_MAX &&
           receive(sandbox, sandbox->answer, *bytes);
}

static void explain(const struct shell_sandbox *sandbox, char *why, size_t why_bytes)
{
    ssize_t got = sandbox->messages < 0 ? 0 : pread(sandbox->messages, why, why_bytes - 1, 0);
    why[got > 0 ? got : 0] = '\0';
    why[strcspn(why, "\n")] = '\0';
    if (why[0] == '\0') {
        snprintf(why, why_bytes, "it does not answer");
    }
}

static bool start_one(struct shell_sandbox *sandbox, char *why, size_t why_bytes)
{
    struct start start;
    uint32_t bytes = 0;
    bool prepared = prepare(&start, sandbox);
    if (!prepared) {
        snprintf(why, why_bytes, "what it needs is not there: %s", strerror(errno));
    } else if ((sandbox->pid = fork()) == 0) {
        become_bubblewrap(&start);
    }
    forget_start(&start);
    /* It says when it is ready, with an empty answer. */
    bool ready = prepared && sandbox->pid > 0 && receive_answer(sandbox, &bytes) && bytes == 0;
    if (prepared && !ready) {
        explain(sandbox, why, why_bytes);
    }
    if (!ready) {
        stop(sandbox);
    }
    return ready;
}

struct shell_sandbox *shell_sandbox_open(char *why, size_t why_bytes)
{
    struct shell_sandbox *sandbox = calloc(1, sizeof *sandbox);
    if (!sandbox) {
        snprintf(why, why_bytes, "no memory");
        return NULL;
    }
    sandbox->channel = sandbox->messages = -1;
    if (!start_one(sandbox, why, why_bytes)) {
        free(sandbox);
        return NULL;
    }
    return sandbox;
}

void shell_sandbox_close(struct shell_sandbox *sandbox)
{
    if (sandbox) {
        stop(sandbox);
        free(sandbox);
    }
}

/* --- Using it ----------------------------------------------------------------------------------------------------- */

static bool send_all(const struct shell_sandbox *sandbox, const void *data, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t put = send(sandbox->channel, (const char *)data + done, bytes - done, MSG_NOSIGNAL);
        if (put <= 0) {
            return false;
        }
        done += (size_t)put;
    }
    return true;
}

static void read_events(struct shell_report *report, char *answer, size_t bytes)
{
    answer[bytes] = '\0';
    for (char *at = answer; at < answer + bytes && report->event_count < SHELL_EVENTS_MAX;) {
        char *end = at + strlen(at);
        char *split = strchr(at, '\x1f');
        struct shell_event *event = &report->events[report->event_count++];
        event->type = (enum shell_event_type)(unsigned char)at[0];
        event->what = at[0] ? at + 1 : at;
        event->how = split ? split + 1 : end;
        if (split) {
            *split = '\0';
        }
        at = end + 1;
    }
}

bool shell_sandbox_run(const struct shell_report **report, struct shell_sandbox *sandbox, const char *command,
                       size_t bytes)
{
    char why[256];
    uint32_t size = (uint32_t)bytes;
    sandbox->report.event_count = 0;
    sandbox->report.died = false;
    *report = &sandbox->report;
    if (send_all(sandbox, &size, sizeof size) && send_all(sandbox, command, bytes) && receive_answer(sandbox, &size)) {
        read_events(&sandbox->report, sandbox->answer, size);
        return true;
    }
    sandbox->report.died = true;
    stop(sandbox);
    return start_one(sandbox, why, sizeof why);
}

void shell_report_print(const struct shell_report *report)
{
    for (size_t i = 0; i < report->event_count; i++) {
        const struct shell_event *event = &report->events[i];
        fprintf(stderr, "  %s %s %s\n",
                event->type == SHELL_RAN         ? "ran"
                : event->type == SHELL_RAN_BELOW ? "ran by another program"
                : event->type == SHELL_WROTE     ? "wrote"
                : event->type == SHELL_HATCH     ? "a hatch of the program above"
                                                 : "ended:",
                event->what, event->how);
    }
    if (report->died) {
        fprintf(stderr, "  the sandbox was ended\n");
    }
}

const char *shell_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}
