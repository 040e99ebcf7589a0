/*
 * What runs inside the sandbox of tests/lib/shell_sandbox.c; one program in two roles.
 *
 * As `inside PROCESSES` it is the driver: it reads commands from stdin (four bytes of length, then the bytes), gives
 * each to `bash -c` (behind "#!zsh", to zsh) in a fresh directory and within limits, and reports on stdout (four bytes of length, then texts
 * that end with NUL): which programs ran, and what was written.
 *
 * Under any other name it stands in for the program of that name: it records that it was started, by whom and with
 * what, and then becomes the real program if there is one in /real/of, which has those alone that a judge may call
 * harmless.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOG "/log"
#define LOG_BYTES_MAX 200000u
#define REPORT_BYTES_MAX 250000u
#define COMMAND_BYTES_MAX (1u << 20)
#define FILES_MAX 512
#define CONTENT_BYTES_MAX 8192u
#define RUN_MS_MAX 1000
#define CPU_SECONDS_MAX 1
#define FILE_BYTES_MAX (1u << 20)
#define MEMORY_BYTES_MAX (1u << 30)
#define DESCRIPTORS_MAX 128
#define SHELL_SANDBOX_ZSH "#!zsh\n" /* as in tests/lib/shell_sandbox.h */
#define BELOW "BELOW_A_PROGRAM"     /* set for what a real program starts */
#define MADE_AT 1500000000          /* the time of every file that a command finds */

static const char *const places[] = {"/w", "/tmp", "/home/u"};
#define PLACE_COUNT (sizeof places / sizeof places[0])

static _Noreturn void fail(const char *what)
{
    dprintf(2, "inside: %s: %s\n", what, strerror(errno));
    _exit(3);
}

/* Text that grows up to a limit, behind which it is cut off. */
struct text {
    char *data;
    size_t bytes;
    size_t room;
};

static void add_bytes(struct text *text, const char *data, size_t bytes)
{
    size_t left = text->room - text->bytes;
    size_t taken = bytes < left ? bytes : left;
    memcpy(text->data + text->bytes, data, taken);
    text->bytes += taken;
}

static void add(struct text *text, const char *string)
{
    add_bytes(text, string, strlen(string));
}

/* --- A stand-in ------------------------------------------------------------------------------------------------- */

/* One record, "pid[ below]\0program\0argument\x1fargument\x1f\0\n", in one write, so that records do not mix. */
static void record(const char *program, int argc, char **argv)
{
    static char room[16384];
    struct text text = {room, 0, sizeof room - 3};
    char number[32];
    snprintf(number, sizeof number, "%ld%s", (long)getpid(), getenv(BELOW) ? " below" : "");
    add_bytes(&text, number, strlen(number) + 1);
    add_bytes(&text, program, strlen(program) + 1);
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '\0') {
            add(&text, argv[i]);
        }
        add_bytes(&text, "\x1f", 1);
    }
    room[text.bytes++] = '\0';
    room[text.bytes++] = '\n';
    int file = open(LOG, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (file < 0 || write(file, room, text.bytes) != (ssize_t)text.bytes) {
        _exit(126);
    }
    close(file);
}

/* Options that write or run programs, of programs whose effect cannot be seen here. */
struct hatch {
    const char *program;
    const char *with_value; /* short options whose value may be glued to them */
    const char *with_glued; /* whose value must be */
    const char *bad;        /* short options */
    const char *bad_long[6];
    bool operands_are_bad; /* but for those that begin with + */
};

static const struct hatch hatches[] = {
    {"date", "dfrs", "I", "s", {"--s", "--se", "--set"}, true},
    {"hostname", "F", "", "Fb", {"--file", "--boot"}, true},
    {"man", "CRLmMSseEPrp", "", "PHXC", {"--pager", "--html", "--gxditview", "--config-file"}, false},
    {"rg", "ABCEMTefgjmrtd", "", "z", {"--pre", "--hostname-bin", "--search-zip"}, false},
    {"fd", "depSoEcgjtT", "", "xX", {"--exec", "--exec-batch"}, false},
    {"fdfind", "depSoEcgjtT", "", "xX", {"--exec", "--exec-batch"}, false},
    {"ag", "ABCGmpW", "", "", {"--pager"}, false},
    {"tree", "LPIoTH", "", "oRH", {"--output"}, false},
};

static bool bad_long(const struct hatch *hatch, const char *argument)
{
    size_t bytes = strcspn(argument, "=");
    for (size_t i = 0; i < sizeof hatch->bad_long / sizeof hatch->bad_long[0] && hatch->bad_long[i]; i++) {
        if (strlen(hatch->bad_long[i]) == bytes && strncmp(hatch->bad_long[i], argument, bytes) == 0) {
            return true;
        }
    }
    return false;
}

/* -1: a bad one is among them; 1: the next argument is the value of the last of them. */
static int look_at_cluster(const struct hatch *hatch, const char *letters)
{
    for (; *letters != '\0'; letters++) {
        if (strchr(hatch->bad, *letters)) {
            return -1;
        }
        if (strchr(hatch->with_value, *letters)) {
            return letters[1] == '\0';
        }
        if (strchr(hatch->with_glued, *letters)) {
            return 0;
        }
    }
    return 0;
}

/* fd -x and -X with a program that reads: a judge may allow the two. */
static bool runs_reader(const char *program, const char *argument, const char *next)
{
    return strncmp(program, "fd", 2) == 0 && next && (strcmp(argument, "-x") == 0 || strcmp(argument, "-X") == 0) &&
           (strcmp(next, "wc") == 0 || strcmp(next, "ls") == 0 || strcmp(next, "cat") == 0);
}

static bool uses_hatch(const struct hatch *hatch, int argc, char **argv)
{
    bool options = true;
    for (int i = 1; i < argc; i++) {
        const char *argument = argv[i];
        if (options && runs_reader(hatch->program, argument, argv[i + 1])) {
            return false;
        }
        if (options && strcmp(argument, "--") == 0) {
            options = false;
        } else if (options && strncmp(argument, "--", 2) == 0) {
            if (bad_long(hatch, argument)) {
                return true;
            }
        } else if (options && argument[0] == '-' && argument[1] != '\0') {
            int found = look_at_cluster(hatch, argument + 1);
            if (found < 0) {
                return true;
            }
            i += found;
        } else if (hatch->operands_are_bad && argument[0] != '+') {
            return true;
        }
    }
    return false;
}

/* A real program that is a script names its interpreter by a path that leads here. */
static _Noreturn void interpret(char **argv)
{
    const char *slash = strrchr(argv[0], '/');
    char real[300];
    snprintf(real, sizeof real, "/real/bin/%.250s", slash ? slash + 1 : argv[0]);
    execv(real, argv);
    _exit(126);
}

static int stand_in(const char *path, int argc, char **argv)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    char real[300];
    if (strncmp(path, "/real/of/", 9) == 0) {
        interpret(argv);
    }
    if (strcmp(path, "/inside/missing") == 0) { /* what bash calls when there is no such program */
        record(argc > 1 ? argv[1] : "", argc - 1, argv + 1);
        return 127;
    }
    record(path, argc, argv);
    for (size_t i = 0; i < sizeof hatches / sizeof hatches[0]; i++) {
        if (strcmp(hatches[i].program, name) == 0 && uses_hatch(&hatches[i], argc, argv)) {
            char *marked[] = {NULL, NULL};
            record("!hatch", 1, marked);
        }
    }
    snprintf(real, sizeof real, "/real/of/%.250s", name);
    if (access(real, X_OK) == 0 && setenv(BELOW, "1", 1) == 0) {
        execv(real, argv);
    }
    return 0;
}

/* --- The files that a command finds ------------------------------------------------------------------------------ */

struct file {
    char *path;
    mode_t mode;
    nlink_t links;
    off_t size;
    struct timespec changed;
    char *content; /* of a file or a link; the first CONTENT_BYTES_MAX */
    size_t content_bytes;
};

struct files {
    struct file list[FILES_MAX];
    size_t count;
    bool too_many;
};

static struct files wanted; /* as every command finds them */
static struct files found;

static void forget(struct files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        free(files->list[i].path);
        free(files->list[i].content);
    }
    files->count = 0;
    files->too_many = false;
}

static void read_content(struct file *file, const struct stat *stat)
{
    char room[CONTENT_BYTES_MAX];
    ssize_t got = 0;
    if (S_ISREG(stat->st_mode)) {
        int descriptor = open(file->path, O_RDONLY | O_CLOEXEC | O_NOATIME);
        got = descriptor < 0 ? 0 : read(descriptor, room, sizeof room);
        close(descriptor);
    } else if (S_ISLNK(stat->st_mode)) {
        got = readlink(file->path, room, sizeof room);
    }
    file->content_bytes = got > 0 ? (size_t)got : 0;
    file->content = malloc(file->content_bytes + 1);
    if (!file->content) {
        fail("memory");
    }
    memcpy(file->content, room, file->content_bytes);
    file->content[file->content_bytes] = '\0';
}

static struct files *looking_into;

static int look_at(const char *path, const struct stat *stat, int type, struct FTW *place)
{
    (void)type;
    (void)place;
    if (looking_into->count == FILES_MAX) {
        looking_into->too_many = true;
        return 1;
    }
    struct file *file = &looking_into->list[looking_into->count++];
    *file = (struct file){.path = strdup(path), .mode = stat->st_mode, .links = stat->st_nlink};
    file->size = S_ISDIR(stat->st_mode) ? 0 : stat->st_size;
    file->changed = stat->st_mtim;
    if (!file->path) {
        fail("memory");
    }
    read_content(file, stat);
    return 0;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct file *)a)->path, ((const struct file *)b)->path);
}

static void look(struct files *files)
{
    forget(files);
    looking_into = files;
    for (size_t i = 0; i < PLACE_COUNT && !files->too_many; i++) {
        nftw(places[i], look_at, 16, FTW_PHYS);
    }
    qsort(files->list, files->count, sizeof files->list[0], by_path);
}

static int remove_one(const char *path, const struct stat *stat, int type, struct FTW *place)
{
    (void)stat;
    if (place->level > 0) {
        type == FTW_DP ? rmdir(path) : unlink(path);
    }
    return 0;
}

static int open_up(const char *path, const struct stat *stat, int type, struct FTW *place)
{
    (void)type;
    (void)place;
    if (S_ISDIR(stat->st_mode) && (stat->st_mode & 0700) != 0700) {
        chmod(path, 0700);
    }
    return 0;
}

static void set_time(const char *path)
{
    const struct timespec times[] = {{MADE_AT, 0}, {MADE_AT, 0}};
    utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW);
}

static void make_file(const struct file *file)
{
    if (S_ISDIR(file->mode)) {
        if (mkdir(file->path, 0700) != 0 && errno != EEXIST) {
            fail(file->path);
        }
    } else if (S_ISLNK(file->mode)) {
        if (symlink(file->content, file->path) != 0) {
            fail(file->path);
        }
    } else {
        int descriptor = open(file->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (descriptor < 0 || write(descriptor, file->content, file->content_bytes) != (ssize_t)file->content_bytes) {
            fail(file->path);
        }
        close(descriptor);
    }
}

/* Brings `wanted` about. Its paths are sorted: directories come before what is in them. */
static void make_files(void)
{
    for (size_t i = 0; i < PLACE_COUNT; i++) {
        nftw(places[i], open_up, 16, FTW_PHYS);
        nftw(places[i], remove_one, 16, FTW_PHYS | FTW_DEPTH);
    }
    for (size_t i = 0; i < wanted.count; i++) {
        make_file(&wanted.list[i]);
    }
    for (size_t i = wanted.count; i-- > 0;) {
        if (!S_ISLNK(wanted.list[i].mode)) {
            chmod(wanted.list[i].path, wanted.list[i].mode & 07777);
        }
        set_time(wanted.list[i].path);
    }
}

static const char *difference(const struct file *a, const struct file *b)
{
    if (a->mode != b->mode) {
        return "mode changed";
    }
    if (a->size != b->size || a->content_bytes != b->content_bytes ||
        memcmp(a->content, b->content, a->content_bytes) != 0) {
        return "content changed";
    }
    if (a->changed.tv_sec != b->changed.tv_sec || a->changed.tv_nsec != b->changed.tv_nsec) {
        return S_ISDIR(a->mode) ? "something in it changed" : "touched";
    }
    return a->links == b->links ? NULL : "linked";
}

static void say_changed(struct text *report, const struct file *file, const char *what)
{
    add(report, "W");
    add(report, file->path);
    add_bytes(report, "\x1f", 1);
    add(report, what);
    add_bytes(report, "", 1);
}

/* Gives whether anything changed. */
static bool compare_files(struct text *report)
{
    size_t before = report->bytes;
    size_t i = 0;
    size_t k = 0;
    look(&found);
    while (i < wanted.count || k < found.count) {
        int order = i == wanted.count ? 1 : k == found.count ? -1 : by_path(&wanted.list[i], &found.list[k]);
        if (order < 0) {
            say_changed(report, &wanted.list[i++], "gone");
        } else if (order > 0) {
            say_changed(report, &found.list[k++], "new");
        } else {
            const char *what = difference(&wanted.list[i], &found.list[k]);
            if (what) {
                say_changed(report, &wanted.list[i], what);
            }
            i++;
            k++;
        }
    }
    return report->bytes != before;
}

/* --- A command ---------------------------------------------------------------------------------------------------- */

static char *const environment[] = {
    "PATH=/usr/bin",
    "HOME=/home/u",
    "TMPPREFIX=/scratch/zsh",
    "TMPDIR=/scratch", /* where sort and here-documents have files that come and go: nobody looks there */
    "LC_ALL=C",
    "TERM=dumb",
    "GIT_OPTIONAL_LOCKS=0", /* that `git status` renews the index is no write that anyone minds */
    "GIT_CONFIG_NOSYSTEM=1",
    "BASH_FUNC_command_not_found_handle%%=() { /inside/missing \"$@\"; }",
    /* What a text must not rely on: variables that hold an option, a command, code in a subscript, a file. */
    "opt=-delete",
    "out=-oout",
    "cmd=canary90",
    "cmds=canary91 x",
    "n=a[$(canary92)]",
    "f=f.txt",
    "f1=a",
    "two=b.c new",
    "code=canary93; canary94",
    "x=1",
    "EMPTY=",
    NULL,
};

static void limit(int resource, rlim_t value)
{
    const struct rlimit limit = {value, value};
    if (setrlimit((__rlimit_resource_t)resource, &limit) != 0) {
        fail("setrlimit");
    }
}

static rlim_t process_limit;

static _Noreturn void become(char **argv)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int nothing = open("/dev/null", O_RDWR);
    if (nothing < 0 || chdir("/w") != 0 || dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 || dup2(nothing, 2) < 0) {
        fail("/dev/null");
    }
    closefrom(3);
    limit(RLIMIT_CPU, CPU_SECONDS_MAX);
    limit(RLIMIT_FSIZE, FILE_BYTES_MAX);
    limit(RLIMIT_AS, MEMORY_BYTES_MAX);
    limit(RLIMIT_NOFILE, DESCRIPTORS_MAX);
    limit(RLIMIT_NPROC, process_limit);
    limit(RLIMIT_CORE, 0);
    execve(argv[0], argv, environment);
    _exit(126);
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Waits for the command and for all that it left behind, ends what is still there, and gives whether it had to. */
static bool wait_for_all(void)
{
    sigset_t child;
    int64_t until = now_ms() + RUN_MS_MAX;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    for (;;) {
        pid_t pid = waitpid(-1, NULL, WNOHANG);
        if (pid < 0 && errno == ECHILD) {
            return false;
        }
        int64_t left = until - now_ms();
        if (left <= 0) {
            break;
        }
        if (pid == 0) {
            const struct timespec wait = {left / 1000, (left % 1000) * 1000000};
            sigtimedwait(&child, NULL, &wait);
        }
    }
    do {
        kill(-1, SIGKILL);
    } while (waitpid(-1, NULL, 0) > 0);
    return true;
}

static bool start_and_wait(char **argv)
{
    pid_t pid = fork();
    if (pid < 0) {
        fail("fork");
    }
    if (pid == 0) {
        become(argv);
    }
    return wait_for_all();
}

/* --- What ran ----------------------------------------------------------------------------------------------------- */

static long started[LOG_BYTES_MAX / 8];
static size_t started_count;

static bool was_started(long pid)
{
    for (size_t i = 0; i < started_count; i++) {
        if (started[i] == pid) {
            return true;
        }
    }
    return false;
}

/*
 * Another program started it if it says so, or if that one had its process: of those that clear the environment (env
 * -i) there is none that starts a program in a process of its own.
 */
static bool by_a_program(const char *who)
{
    long pid = strtol(who, NULL, 10);
    bool below = strchr(who, ' ') || was_started(pid);
    started[started_count++] = pid;
    return below;
}

static void report_programs(struct text *report)
{
    static char log[LOG_BYTES_MAX + 1];
    int file = open(LOG, O_RDWR | O_CLOEXEC);
    ssize_t got = file < 0 ? -1 : read(file, log, LOG_BYTES_MAX);
    if (got < 0 || ftruncate(file, 0) != 0) {
        fail(LOG);
    }
    close(file);
    log[got] = '\0';
    started_count = 0;
    for (char *at = log; at < log + got;) {
        char *program = at + strlen(at) + 1;
        char *arguments = program + strlen(program) + 1;
        char *end = arguments + strlen(arguments) + 1;
        if (end >= log + got || *end != '\n') { /* cut off */
            add_bytes(report, "L", 2);
            return;
        }
        bool hatch = program[0] == '!';
        add(report, hatch ? "H" : by_a_program(at) ? "N" : "D");
        add(report, program);
        add_bytes(report, "\x1f", 1);
        add_bytes(report, arguments, strlen(arguments) + 1);
        at = end + 1;
    }
}

/* --- The driver --------------------------------------------------------------------------------------------------- */

static void write_text(const char *path, const char *content, mode_t mode)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    if (file < 0 || write(file, content, strlen(content)) != (ssize_t)strlen(content)) {
        fail(path);
    }
    close(file);
}

/* A folder of everyday files, some with names that are options, and a repository with one commit. */
static void invent_files(void)
{
    static const char *const git[][8] = {
        {"/real/of/git", "init", "-q", "-b", "main", NULL},
        {"/real/of/git", "config", "user.email", "u@example.org", NULL},
        {"/real/of/git", "config", "user.name", "u", NULL},
        {"/real/of/git", "config", "diff.autoRefreshIndex", "false", NULL}, /* as above */
        {"/real/of/git", "add", "a", "b.c", "f.txt", NULL},
        {"/real/of/git", "commit", "-q", "-m", "one", NULL},
        {"/real/of/git", "update-ref", "refs/tags/--output=z", "HEAD", NULL}, /* a remote may have such names */
        {"/real/of/git", "commit", "-q", "--allow-empty", "-m", "--output=z", NULL},
    };
    /* In folders of their own: a program refuses the option of another program, and then writes nothing. */
    static const char *const odd[] = {"/w/-oout",      "/w/--output=out", "/w/a\n-oout",     "/w/dir/-i",
                                      "/w/dir/a -i b", "/w/d/-delete",    "/w/d/+\n-delete", "/w/d/#b"};
    write_text("/w/a", "one\ntwo\nthree\n", 0644);
    write_text("/w/b.c", "int main(void) { return 0; }\n", 0644);
    write_text("/w/f.txt", "b\na\nb\n", 0644);
    write_text("/w/code.sh", "canary95\n", 0755);
    write_text("/w/names", "a\nb.c\n", 0644);
    write_text("/home/u/file", "text\n", 0644);
    write_text("/tmp/old", "text\n", 0644);
    if (mkdir("/w/dir", 0755) != 0 || mkdir("/w/d", 0755) != 0 || symlink("/inside/run", "/w/ls") != 0 ||
        symlink("/inside/run", "/w/x") != 0 || symlink("a", "/w/link") != 0) {
        fail("/w");
    }
    write_text("/w/dir/deep.txt", "deep\n", 0644);
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        write_text(odd[i], "", 0644);
    }
    for (size_t i = 0; i < sizeof git / sizeof git[0] && access(git[i][0], X_OK) == 0; i++) {
        char *argv[8];
        memcpy(argv, git[i], sizeof argv);
        start_and_wait(argv);
    }
    if (access("/w/.git/hooks", F_OK) == 0) { /* samples, which nobody needs here */
        nftw("/w/.git/hooks", remove_one, 16, FTW_PHYS | FTW_DEPTH);
    }
    look(&wanted);
    for (size_t i = 0; i < wanted.count; i++) {
        wanted.list[i].changed = (struct timespec){MADE_AT, 0};
    }
    make_files();
}

/* Nothing is started where a command could do harm. */
static void check_powerless(void)
{
    char status[8192];
    unsigned long long capabilities = 1;
    int new_privileges = 0;
    int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    ssize_t got = file < 0 ? -1 : read(file, status, sizeof status - 1);
    close(file);
    status[got > 0 ? got : 0] = '\0';
    const char *line = strstr(status, "\nCapEff:");
    const char *privileges = strstr(status, "\nNoNewPrivs:");
    if (!line || sscanf(line, "\nCapEff: %llx", &capabilities) != 1 || capabilities != 0 || !privileges ||
        sscanf(privileges, "\nNoNewPrivs: %d", &new_privileges) != 1 || new_privileges != 1 || geteuid() == 0 ||
        access("/", W_OK) == 0 || access("/usr/bin", W_OK) == 0) {
        dprintf(2, "inside: there are capabilities, or what should be read-only is not\n");
        _exit(4);
    }
}

static bool read_all(void *data, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t got = read(0, (char *)data + done, bytes - done);
        if (got <= 0) {
            return false;
        }
        done += (size_t)got;
    }
    return true;
}

static void write_all(const void *data, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t put = write(1, (const char *)data + done, bytes - done);
        if (put <= 0) {
            _exit(5);
        }
        done += (size_t)put;
    }
}

static void send_report(const struct text *report)
{
    uint32_t bytes = (uint32_t)report->bytes;
    write_all(&bytes, sizeof bytes);
    write_all(report->data, report->bytes);
}

static void run_command(char *command)
{
    static char room[REPORT_BYTES_MAX + 1];
    struct text report = {room, 0, REPORT_BYTES_MAX};
    bool zsh = strncmp(command, SHELL_SANDBOX_ZSH, strlen(SHELL_SANDBOX_ZSH)) == 0;
    char *in_zsh[] = {"/real/bin/zsh", "-fc", command + strlen(SHELL_SANDBOX_ZSH), NULL};
    char *in_bash[] = {"/real/bin/bash", "-c", command, NULL};
    char **argv = zsh ? in_zsh : in_bash;
    if (start_and_wait(argv)) {
        add_bytes(&report, "T", 2);
    }
    report_programs(&report);
    if (compare_files(&report)) {
        make_files();
    }
    if (report.bytes == report.room) {
        room[report.bytes - 1] = '\0';
    }
    send_report(&report);
}

static int drive(const char *processes)
{
    sigset_t child;
    uint32_t bytes;
    check_powerless();
    process_limit = strtoul(processes, NULL, 10);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    umask(022);
    if (process_limit == 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
        fail("start");
    }
    invent_files();
    send_report(&(struct text){"", 0, 0});
    while (read_all(&bytes, sizeof bytes)) {
        char *command = bytes > COMMAND_BYTES_MAX ? NULL : malloc(bytes + 1u);
        if (!command || !read_all(command, bytes)) {
            fail("a command");
        }
        command[bytes] = '\0';
        run_command(command);
        free(command);
    }
    return 0;
}

int main(int argc, char **argv)
{
    const char *path = (const char *)getauxval(AT_EXECFN);
    if (argc == 2 && path && strcmp(path, "/inside/run") == 0 && getppid() == 1) {
        return drive(argv[1]);
    }
    return stand_in(path ? path : argv[0], argc, argv);
}
