#include "base/holders.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

/* Further processes are counted, not named. */
#define NAMED_MAX 6u
#define LOOKS 3 /* at the list of locks */

struct holders {
    char *text;
    size_t used;
    size_t named;
    size_t more;
};

/* The files whose holders are searched for. */
struct search {
    const struct stat *files;
    size_t file_count;
    int except;   /* a descriptor of this process that does not count */
    long *owners; /* of locks on the files */
    size_t owner_count;
};

__attribute__((format(printf, 2, 3))) static void add(struct holders *holders, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int bytes = vsnprintf(holders->text + holders->used, XYLEM_BASE__HOLDERS_BYTES - holders->used, format, arguments);
    va_end(arguments);
    if (bytes > 0) {
        size_t room = XYLEM_BASE__HOLDERS_BYTES - holders->used - 1;
        holders->used += (size_t)bytes < room ? (size_t)bytes : room;
    }
}

/* The number of a name in /proc; -1 for a name that is not a number. */
static long number_of(const char *name)
{
    char *end = NULL;
    long number = isdigit((unsigned char)*name) ? strtol(name, &end, 10) : -1;
    return end && *end == '\0' ? number : -1;
}

/* --- One process -------------------------------------------------------------------------------------------------- */

/* Reads the first line of a file in /proc/PID; false, and an empty line, without the file. */
static bool read_line_of(char *line, size_t bytes, long process, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/%s", process, name);
    FILE *file = fopen(path, "re");
    line[0] = '\0';
    bool read = file && fgets(line, (int)bytes, file);
    if (file) {
        fclose(file);
    }
    return read;
}

static void read_program_name(char name[XYLEM_BASE__PROGRAM_BYTES], long process)
{
    read_line_of(name, XYLEM_BASE__PROGRAM_BYTES, process, "comm");
    name[strcspn(name, "\n")] = '\0';
}

/* Field 22 of /proc/PID/stat is the start in ticks since boot. Field 2, in brackets, may itself have brackets. */
static int64_t read_start(long process)
{
    char line[1024];
    unsigned long long ticks = 0;
    struct timespec since_boot;
    char *end = read_line_of(line, sizeof line, process, "stat") ? strrchr(line, ')') : NULL;
    bool known = end && sscanf(end + 1, "%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%llu", &ticks) == 1;
    long ticks_a_second = sysconf(_SC_CLK_TCK);
    if (!known || ticks_a_second <= 0 || clock_gettime(CLOCK_BOOTTIME, &since_boot) != 0) {
        return 0;
    }
    int64_t up_ms = (int64_t)since_boot.tv_sec * 1000 + since_boot.tv_nsec / 1000000;
    return xylem_base__now_ms() - up_ms + (int64_t)(ticks * 1000 / (unsigned long long)ticks_a_second);
}

/* True if the descriptor is open for writing. The file `fdinfo` shows the flags of open(2) in octal. */
static bool is_for_writing(long process, long descriptor)
{
    char path[96];
    char line[128];
    unsigned flags = O_RDONLY;
    snprintf(path, sizeof path, "/proc/%ld/fdinfo/%ld", process, descriptor);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file) && sscanf(line, "flags: %o", &flags) != 1) {
    }
    if (file) {
        fclose(file);
    }
    return (flags & O_ACCMODE) != O_RDONLY;
}

/*
 * True if the process has one of the files open. stat(2) follows a link in the directory `fd` to the file itself, also
 * after a rename or an unlink.
 */
static bool look_at(struct xylem_base__holder *holder, const struct search *search)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/fd", holder->process);
    DIR *directory = opendir(path);
    bool found = false;
    holder->seen = directory != NULL;
    holder->writes = false;
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        struct stat open_file;
        long number = number_of(entry->d_name);
        if (number < 0 || (number == search->except && holder->process == (long)getpid()) ||
            fstatat(dirfd(directory), entry->d_name, &open_file, 0) != 0) {
            continue;
        }
        for (size_t i = 0; i < search->file_count; i++) {
            const struct stat *file = &search->files[i];
            if (open_file.st_dev == file->st_dev && open_file.st_ino == file->st_ino) {
                found = true;
                holder->writes = holder->writes || (i == 0 && is_for_writing(holder->process, number));
            }
        }
    }
    if (directory) {
        closedir(directory);
    }
    return found;
}

/* A line of /proc/locks. */
struct lock {
    char type[8]; /* FLOCK, POSIX, OFDLCK */
    char mode[8]; /* READ, WRITE */
    long owner;
    unsigned device_major;
    unsigned device_minor;
    uint64_t inode;
};

/* Reads the next line of /proc/locks. Other lines come back without a mode; false at the end. */
static bool read_lock(struct lock *lock, FILE *locks)
{
    char line[256];
    *lock = (struct lock){.owner = 0};
    /* `12: FLOCK  ADVISORY  READ 4711 fd:01:1234 0 EOF`; a waiting lock has an arrow behind the number */
    if (!fgets(line, sizeof line, locks)) {
        return false;
    }
    if (sscanf(line, "%*s %7s %*s %7s %ld %x:%x:%" SCNu64, lock->type, lock->mode, &lock->owner, &lock->device_major,
               &lock->device_minor, &lock->inode) != 6) {
        lock->mode[0] = '\0';
    }
    return true;
}

static bool is_locked_file(const struct lock *lock, const struct stat *file)
{
    return *lock->mode && lock->inode == file->st_ino && lock->device_major == major(file->st_dev) &&
           lock->device_minor == minor(file->st_dev);
}

static bool add_owner(struct search *search, long owner)
{
    long *owners = realloc(search->owners, (search->owner_count + 1) * sizeof *owners);
    if (owners) {
        search->owners = owners;
        search->owners[search->owner_count++] = owner;
    }
    return owners;
}

/*
 * Finds the owners of locks on the files, or only of exclusive flock(2). The kernel shows the locks of other users'
 * processes too, but not their descriptors. The kernel gives the list in pieces, and the end of a lock between two pieces
 * hides another lock: so the list is read again.
 */
static void read_owners(struct search *search, bool exclusive)
{
    for (int look = 0; look < LOOKS && (!exclusive || search->owner_count == 0); look++) {
        FILE *locks = fopen("/proc/locks", "re");
        struct lock lock;
        while (locks && read_lock(&lock, locks)) {
            bool wanted = !exclusive || (strcmp(lock.type, "FLOCK") == 0 && strcmp(lock.mode, "WRITE") == 0);
            for (size_t i = 0; wanted && i < search->file_count; i++) {
                wanted = !is_locked_file(&lock, &search->files[i]) || add_owner(search, lock.owner);
            }
        }
        if (locks) {
            fclose(locks);
        }
    }
}

static bool holds_lock(const struct search *search, long process)
{
    bool found = false;
    for (size_t i = 0; i < search->owner_count; i++) {
        found = found || search->owners[i] == process;
    }
    return found;
}

long xylem_base__flock_holder(const struct stat *file)
{
    struct search search = {.files = file, .file_count = 1, .except = -1};
    read_owners(&search, true);
    long owner = search.owner_count > 0 ? search.owners[0] : 0;
    free(search.owners);
    return owner > 0 ? owner : 0;
}

/* --- All of them -------------------------------------------------------------------------------------------------- */

int xylem_base__holders_each(const struct stat *files, size_t file_count, int except,
                             int (*found)(void *context, const struct xylem_base__holder *holder), void *context)
{
    struct search search = {.files = files, .file_count = file_count, .except = except};
    DIR *processes = opendir("/proc"); /* lists processes by ascending number */
    int answer = 0;
    read_owners(&search, false);
    for (struct dirent *entry; processes && answer == 0 && (entry = readdir(processes));) {
        struct xylem_base__holder holder = {.process = number_of(entry->d_name)};
        if (holder.process > 0 &&
            (look_at(&holder, &search) || (!holder.seen && holds_lock(&search, holder.process)))) {
            read_program_name(holder.program, holder.process);
            holder.started_ms = read_start(holder.process);
            answer = found(context, &holder);
        }
    }
    if (processes) {
        closedir(processes);
    }
    free(search.owners);
    return answer;
}

static int name_process(void *context, const struct xylem_base__holder *holder)
{
    struct holders *holders = context;
    if (holders->named == NAMED_MAX) {
        holders->more++;
        return 0;
    }
    const char *between = holders->named > 0 ? ", " : "";
    holders->named++;
    if (holder->process == (long)getpid()) {
        add(holders, "%sthis process", between);
    } else if (*holder->program) {
        add(holders, "%sprocess %ld (%s)", between, holder->process, holder->program);
    } else {
        add(holders, "%sprocess %ld", between, holder->process);
    }
    return 0;
}

void xylem_base__holders(char text[XYLEM_BASE__HOLDERS_BYTES], const struct stat *file, int except)
{
    struct holders holders = {.text = text};
    text[0] = '\0';
    xylem_base__holders_each(file, 1, except, name_process, &holders);
    if (holders.more > 0) {
        add(&holders, ", and %zu more", holders.more);
    } else if (holders.named == 0) {
        add(&holders, "a process that cannot be seen from here");
    }
}

void xylem_base__process_name(char text[XYLEM_BASE__HOLDERS_BYTES], long process)
{
    struct holders holders = {.text = text};
    text[0] = '\0';
    if (process > 0) {
        struct xylem_base__holder holder = {.process = process};
        read_program_name(holder.program, process);
        name_process(&holders, &holder);
    } else {
        add(&holders, "another process");
    }
}

bool xylem_base__held_here(const struct stat *file)
{
    struct search search = {.files = file, .file_count = 1, .except = -1};
    struct xylem_base__holder self = {.process = (long)getpid()};
    return look_at(&self, &search);
}
