#include "base/holders.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* More than these are counted, not named. */
#define NAMED_MAX 6u

/* As long as the kernel lets a program's name be. */
#define PROGRAM_NAME_BYTES 16

struct holders {
    char *text;
    size_t used;
    size_t named;
    size_t more;
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

/* A number that is the whole of a name in /proc; -1 for any other name. */
static long number_of(const char *name)
{
    char *end = NULL;
    long number = isdigit((unsigned char)*name) ? strtol(name, &end, 10) : -1;
    return end && *end == '\0' ? number : -1;
}

static void read_program_name(char name[PROGRAM_NAME_BYTES + 1], long process)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/comm", process);
    FILE *file = fopen(path, "re");
    name[0] = '\0';
    if (file) {
        if (fgets(name, PROGRAM_NAME_BYTES + 1, file)) {
            name[strcspn(name, "\n")] = '\0';
        }
        fclose(file);
    }
}

static void add_process(struct holders *holders, long process)
{
    char name[PROGRAM_NAME_BYTES + 1];
    if (holders->named == NAMED_MAX) {
        holders->more++;
        return;
    }
    const char *between = holders->named > 0 ? ", " : "";
    holders->named++;
    if (process == (long)getpid()) {
        add(holders, "%sthis process", between);
        return;
    }
    read_program_name(name, process);
    if (*name) {
        add(holders, "%sprocess %ld (%s)", between, process, name);
    } else {
        add(holders, "%sprocess %ld", between, process);
    }
}

/* Has the process the file open? stat(2) of a link in its `fd` follows it to the very file, whatever became of its name. */
static bool has_open(long process, const struct stat *file, long except)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/fd", process);
    DIR *directory = opendir(path);
    bool found = false;
    for (struct dirent *entry; directory && !found && (entry = readdir(directory));) {
        struct stat open_file;
        long number = number_of(entry->d_name);
        found = number >= 0 && number != except && fstatat(dirfd(directory), entry->d_name, &open_file, 0) == 0 &&
                open_file.st_dev == file->st_dev && open_file.st_ino == file->st_ino;
    }
    if (directory) {
        closedir(directory);
    }
    return found;
}

/* What can be seen of other users' processes: the locks that they hold. */
static void add_lock_owners(struct holders *holders, const struct stat *file)
{
    FILE *locks = fopen("/proc/locks", "re");
    char line[256];
    while (locks && fgets(line, sizeof line, locks)) {
        long process = 0;
        unsigned device_major = 0;
        unsigned device_minor = 0;
        uint64_t inode = 0;
        /* `12: FLOCK  ADVISORY  READ 4711 fd:01:1234 0 EOF`; one that waits has an arrow behind its number */
        if (sscanf(line, "%*s %*s %*s %*s %ld %x:%x:%" SCNu64, &process, &device_major, &device_minor, &inode) == 4 &&
            inode == file->st_ino && device_major == major(file->st_dev) && device_minor == minor(file->st_dev) &&
            process > 0 && process != (long)getpid()) {
            add_process(holders, process);
        }
    }
    if (locks) {
        fclose(locks);
    }
}

void xylem_base__holders(char text[XYLEM_BASE__HOLDERS_BYTES], const struct stat *file, int except)
{
    struct holders holders = {.text = text};
    DIR *processes = opendir("/proc");
    text[0] = '\0';
    for (struct dirent *entry; processes && (entry = readdir(processes));) {
        long process = number_of(entry->d_name);
        if (process > 0 && has_open(process, file, process == (long)getpid() ? except : -1)) {
            add_process(&holders, process);
        }
    }
    if (processes) {
        closedir(processes);
    }
    if (holders.named == 0) {
        add_lock_owners(&holders, file);
    }
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
        add_process(&holders, process);
    } else {
        add(&holders, "another process");
    }
}

bool xylem_base__held_here(const struct stat *file)
{
    return has_open((long)getpid(), file, -1);
}
