/*
 * What a power cut may leave on a disk. Between disk_start() and disk_stop() every write, sync, truncation and change
 * of a name below one directory is recorded; disk_build() then makes a directory as it could be found after a cut at
 * any moment. The disk keeps only what it must: what was synced, and a write through a descriptor with O_SYNC or
 * O_DSYNC. Of all else each sector of 512 bytes has any of the versions that were written since, a file any length
 * between, and each name that was made, moved or removed may or may not have been, until its directory is synced.
 *
 * To put another piece of work through this: disk_start(directory), do the work with disk_mark(n) where it promised
 * something, disk_stop(), and for cuts and losses of your choice disk_build(), then look at what is there. Writes
 * through a shared map are not seen (LMDB has none but in lock.mdb, whose content means nothing after a start). Calls
 * that tests/crash/calls.h does not define are not seen either: add them there.
 */
#ifndef XYLEM_TESTS_CRASH_DISK_H
#define XYLEM_TESTS_CRASH_DISK_H

#include "tests/crash/calls.h"
#include "tests/lib/chance.h"

#define DISK_SECTOR 512u
#define DISK_PAGE_SECTORS 8u
#define DISK_FILES_MAX 16
#define DISK_PATH 256

enum disk_event_type { DISK_WRITE, DISK_SYNC, DISK_TRUNCATE, DISK_NAME, DISK_SYNC_NAMES, DISK_SYNC_ALL, DISK_MARK };

/* A directory, or nothing, where a name could stand for a file. */
#define DISK_NOTHING (-1)
#define DISK_DIRECTORY (-2)

struct disk_event {
    enum disk_event_type type;
    int file;
    bool synced; /* a write that is on the disk when it returns */
    size_t offset;
    size_t bytes; /* of a write; the length that a truncation leaves */
    char *data;
    uint64_t mark;
    char path[DISK_PATH]; /* below the directory; of a sync of names: the directory */
    char from[DISK_PATH]; /* the name that a rename takes away, else empty */
};

static struct disk {
    char root[DISK_PATH];
    bool recording;
    struct disk_event *events;
    size_t count;
    size_t capacity;
    dev_t devices[DISK_FILES_MAX];
    ino_t inodes[DISK_FILES_MAX];
    int file_count;
} disk;

static struct disk_event *disk_add(enum disk_event_type type, int file)
{
    if (disk.count == disk.capacity) {
        disk.capacity = disk.capacity ? disk.capacity * 2 : 1024;
        disk.events = realloc(disk.events, disk.capacity * sizeof *disk.events);
        if (!disk.events) {
            abort();
        }
    }
    struct disk_event *event = &disk.events[disk.count++];
    memset(event, 0, sizeof *event);
    event->type = type;
    event->file = file;
    return event;
}

/* The part of a path below the directory; false if it lies elsewhere. */
static bool disk_below(char below[DISK_PATH], const char *path)
{
    size_t bytes = strlen(disk.root);
    if (strncmp(path, disk.root, bytes) != 0 || path[bytes] != '/') {
        return false;
    }
    snprintf(below, DISK_PATH, "%s", path + bytes + 1);
    return true;
}

/* The number of a file that is below the directory; -1: it is not, or it is none. */
static int disk_file(int fd)
{
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        return -1;
    }
    /* The newest: a file that was removed may have had the same inode before. */
    int file = disk.file_count - 1;
    while (file >= 0 && (disk.devices[file] != status.st_dev || disk.inodes[file] != status.st_ino)) {
        file--;
    }
    return file;
}

static void disk_note_open(const struct call *call, int fd)
{
    struct stat status;
    char below[DISK_PATH];
    if (fd < 0 || call->existed || !(call->flags & O_CREAT) || !disk_below(below, call->path) ||
        fstat(fd, &status) != 0) {
        return;
    }
    if (disk.file_count == DISK_FILES_MAX) {
        abort();
    }
    disk.devices[disk.file_count] = status.st_dev;
    disk.inodes[disk.file_count] = status.st_ino;
    snprintf(disk_add(DISK_NAME, disk.file_count++)->path, DISK_PATH, "%s", below);
}

/* Which file a name leads to at this moment: what the last change of it said. */
static int disk_named(const char *below)
{
    for (size_t i = disk.count; i-- > 0;) {
        const struct disk_event *event = &disk.events[i];
        if (event->type == DISK_NAME && strcmp(event->from, below) == 0 && event->from[0]) {
            return DISK_NOTHING;
        }
        if (event->type == DISK_NAME && strcmp(event->path, below) == 0) {
            return event->file;
        }
    }
    return DISK_NOTHING;
}

static void disk_note_names(const struct call *call)
{
    char below[DISK_PATH];
    char to[DISK_PATH];
    if (!disk_below(below, call->path) || (call->to && !disk_below(to, call->to))) {
        return;
    }
    int file = disk_named(below);
    if (call->type == CALL_MKDIR || call->type == CALL_UNLINK) {
        file = call->type == CALL_MKDIR ? DISK_DIRECTORY : DISK_NOTHING;
        snprintf(disk_add(DISK_NAME, file)->path, DISK_PATH, "%s", below);
        return;
    }
    struct disk_event *event = disk_add(DISK_NAME, file);
    snprintf(event->path, DISK_PATH, "%s", to);
    if (call->type == CALL_RENAME) {
        snprintf(event->from, DISK_PATH, "%s", below);
    }
}

static void disk_note_write(const struct call *call, ssize_t written)
{
    int file = disk_file(call->fd);
    if (file < 0 || written <= 0 || call->offset < 0) {
        return;
    }
    struct disk_event *event = disk_add(DISK_WRITE, file);
    event->synced = (fcntl(call->fd, F_GETFL) & O_DSYNC) != 0; /* O_SYNC has that bit too */
    event->offset = (size_t)call->offset;
    event->bytes = (size_t)written;
    event->data = malloc(event->bytes);
    if (!event->data) {
        abort();
    }
    size_t at = 0;
    for (int i = 0; i < call->part_count && at < event->bytes; i++) {
        size_t left = event->bytes - at;
        size_t bytes = call->parts[i].iov_len < left ? call->parts[i].iov_len : left;
        memcpy(event->data + at, call->parts[i].iov_base, bytes);
        at += bytes;
    }
}

static void disk_note_sync(const struct call *call)
{
    char link[64];
    char path[DISK_PATH];
    if (strcmp(call->name, "syncfs") == 0) {
        disk_add(DISK_SYNC_ALL, -1);
        return;
    }
    int file = disk_file(call->fd);
    if (file >= 0) {
        disk_add(DISK_SYNC, file);
        return;
    }
    snprintf(link, sizeof link, "/proc/self/fd/%d", call->fd);
    ssize_t bytes = readlink(link, path, sizeof path - 1);
    if (bytes <= 0) {
        return;
    }
    path[bytes] = '\0';
    char below[DISK_PATH] = "";
    if (strcmp(path, disk.root) == 0 || disk_below(below, path)) {
        snprintf(disk_add(DISK_SYNC_NAMES, -1)->path, DISK_PATH, "%s", below);
    }
}

static void disk_note(const struct call *call, ssize_t result)
{
    if (!disk.recording || result < 0) {
        return;
    }
    switch (call->type) {
    case CALL_WRITE:
        disk_note_write(call, result);
        break;
    case CALL_SYNC:
        disk_note_sync(call);
        break;
    case CALL_OPEN:
        disk_note_open(call, (int)result);
        break;
    case CALL_TRUNCATE:
        if (disk_file(call->fd) >= 0) {
            disk_add(DISK_TRUNCATE, disk_file(call->fd))->bytes = (size_t)call->offset;
        }
        break;
    case CALL_MKDIR:
    case CALL_RENAME:
    case CALL_LINK:
    case CALL_UNLINK:
        disk_note_names(call);
        break;
    default:
        break;
    }
}

/* Records what happens below `root`, an empty directory whose path has no symbolic link. */
static void disk_start(const char *root)
{
    memset(&disk, 0, sizeof disk);
    snprintf(disk.root, sizeof disk.root, "%s", root);
    disk.recording = true;
    calls_after = disk_note;
}

static void disk_mark(uint64_t mark)
{
    disk_add(DISK_MARK, -1)->mark = mark;
}

static void disk_stop(void)
{
    calls_after = NULL;
    disk.recording = false;
}

static void disk_forget(void)
{
    for (size_t i = 0; i < disk.count; i++) {
        free(disk.events[i].data);
    }
    free(disk.events);
    memset(&disk, 0, sizeof disk);
}

/* --- Building --- */

enum disk_loss {
    DISK_KEEP_ALL, /* everything that was written is there */
    DISK_LOSE_ALL, /* nothing is that was not synced */
    DISK_TEAR_SECTORS,
    DISK_TEAR_PAGES,
    DISK_LOSE_WRITES,    /* each whole write may be lost */
    DISK_LOSE_ONE_WRITE, /* one alone */
    DISK_KEEP_ONE_WRITE,
    DISK_LOSS_COUNT
};

struct disk_cut {
    size_t at; /* events before this one took place */
    enum disk_loss loss;
    uint64_t seed;
};

/* A coin that falls the same way for the same thing in the same cut. */
static bool disk_coin(const struct disk_cut *cut, uint64_t thing)
{
    struct chance chance = chance_of(cut->seed ^ (thing * UINT64_C(0x9e3779b97f4a7c15)));
    chance_draw(&chance);
    return (chance_draw(&chance) & 1) != 0;
}

/* Is a file's event on the disk for sure? */
static bool disk_is_synced(const struct disk_cut *cut, size_t index)
{
    const struct disk_event *event = &disk.events[index];
    for (size_t i = index + 1; i < cut->at && !event->synced; i++) {
        const struct disk_event *later = &disk.events[i];
        if ((later->type == DISK_SYNC && later->file == event->file) || later->type == DISK_SYNC_ALL) {
            return true;
        }
    }
    return event->synced;
}

/* Of the writes that are not synced, the one that the cut singles out. */
static size_t disk_chosen(const struct disk_cut *cut)
{
    size_t chosen = SIZE_MAX;
    uint64_t count = 0;
    struct chance chance = chance_of(cut->seed);
    for (size_t i = 0; i < cut->at; i++) {
        if (disk.events[i].type == DISK_WRITE && !disk_is_synced(cut, i) && chance_draw(&chance) % ++count == 0) {
            chosen = i;
        }
    }
    return chosen;
}

static bool disk_keeps(const struct disk_cut *cut, size_t index, size_t sector, size_t chosen)
{
    switch (cut->loss) {
    case DISK_KEEP_ALL:
        return true;
    case DISK_TEAR_SECTORS:
        return disk_coin(cut, index * UINT64_C(1000003) + sector);
    case DISK_TEAR_PAGES:
        return disk_coin(cut, index * UINT64_C(1000003) + sector / DISK_PAGE_SECTORS);
    case DISK_LOSE_WRITES:
        return disk_coin(cut, index);
    case DISK_LOSE_ONE_WRITE:
        return index != chosen;
    case DISK_KEEP_ONE_WRITE:
        return index == chosen;
    default:
        return false;
    }
}

struct disk_image {
    char *data;
    size_t *upto; /* by sector: its content is that after this event, plus one; 0: of none */
    size_t bytes;
    size_t room; /* bytes of `data` */
};

/* Which version each sector has. */
static void disk_choose(struct disk_image *image, const struct disk_cut *cut, int file)
{
    size_t chosen = disk_chosen(cut);
    for (size_t i = 0; i < cut->at; i++) {
        const struct disk_event *event = &disk.events[i];
        if (event->type != DISK_WRITE || event->file != file) {
            continue;
        }
        bool synced = disk_is_synced(cut, i);
        size_t end = (event->offset + event->bytes + DISK_SECTOR - 1) / DISK_SECTOR;
        for (size_t sector = event->offset / DISK_SECTOR; sector < end; sector++) {
            if (synced || disk_keeps(cut, i, sector, chosen)) {
                image->upto[sector] = i + 1;
            }
        }
    }
}

/* Applies a write to the sectors whose version has it. */
static void disk_apply(struct disk_image *image, const struct disk_event *event, size_t index)
{
    for (size_t at = event->offset; at < event->offset + event->bytes;) {
        size_t sector = at / DISK_SECTOR;
        size_t end = (sector + 1) * DISK_SECTOR;
        end = end < event->offset + event->bytes ? end : event->offset + event->bytes;
        if (index < image->upto[sector]) {
            memcpy(image->data + at, event->data + (at - event->offset), end - at);
            image->bytes = end > image->bytes ? end : image->bytes;
        }
        at = end;
    }
}

static struct disk_image disk_image_of(const struct disk_cut *cut, int file)
{
    struct disk_image image = {NULL, NULL, 0, DISK_SECTOR};
    size_t whole = 0;
    for (size_t i = 0; i < cut->at; i++) {
        const struct disk_event *event = &disk.events[i];
        if (event->type == DISK_WRITE && event->file == file && event->offset + event->bytes > whole) {
            whole = event->offset + event->bytes;
        }
    }
    image.room += whole;
    image.data = calloc(1, image.room);
    image.upto = calloc(image.room / DISK_SECTOR + 1, sizeof *image.upto);
    if (!image.data || !image.upto) {
        abort();
    }
    disk_choose(&image, cut, file);
    for (size_t i = 0; i < cut->at; i++) {
        const struct disk_event *event = &disk.events[i];
        if (event->file == file && event->type == DISK_WRITE) {
            disk_apply(&image, event, i);
        } else if (event->file == file && event->type == DISK_TRUNCATE && event->bytes < image.bytes &&
                   (disk_is_synced(cut, i) || disk_keeps(cut, i, 0, SIZE_MAX))) {
            memset(image.data + event->bytes, 0, image.bytes - event->bytes);
            image.bytes = event->bytes;
        }
    }
    if (disk_coin(cut, UINT64_C(77) + (uint64_t)file) && whole > image.bytes && cut->loss != DISK_LOSE_ALL) {
        image.bytes = whole; /* the length can be there before the content */
    }
    free(image.upto);
    return image;
}

static void disk_parent(char parent[DISK_PATH], const char *path)
{
    snprintf(parent, DISK_PATH, "%s", path);
    char *slash = strrchr(parent, '/');
    *(slash ? slash : parent) = '\0';
}

/* Is a change of names on the disk for sure? Its directory was synced after it; both of a rename's were. */
static bool disk_names_synced(const struct disk_cut *cut, size_t index)
{
    char parent[DISK_PATH];
    char from[DISK_PATH];
    const struct disk_event *event = &disk.events[index];
    disk_parent(parent, event->path);
    disk_parent(from, event->from[0] ? event->from : event->path);
    bool to_done = false;
    bool from_done = false;
    for (size_t i = index + 1; i < cut->at; i++) {
        const struct disk_event *later = &disk.events[i];
        bool all = later->type == DISK_SYNC_ALL;
        to_done = to_done || all || (later->type == DISK_SYNC_NAMES && strcmp(later->path, parent) == 0);
        from_done = from_done || all || (later->type == DISK_SYNC_NAMES && strcmp(later->path, from) == 0);
    }
    return to_done && from_done;
}

/* What the name stands for after the cut; `upto` is the change that says so, plus one. */
static int disk_name_at(const struct disk_cut *cut, const char *path)
{
    int file = DISK_NOTHING;
    for (size_t i = 0; i < cut->at; i++) {
        const struct disk_event *event = &disk.events[i];
        bool names = event->type == DISK_NAME && (strcmp(event->path, path) == 0 || strcmp(event->from, path) == 0);
        if (names && (disk_names_synced(cut, i) || disk_keeps(cut, i, 0, SIZE_MAX))) {
            file = strcmp(event->path, path) == 0 ? event->file : DISK_NOTHING;
        }
    }
    return file;
}

static bool disk_write_file(const char *path, const struct disk_image *image)
{
    FILE *file = fopen(path, "wb");
    bool right = file && fwrite(image->data, 1, image->bytes, file) == image->bytes;
    return file && fclose(file) == 0 && right;
}

/* Makes the directory `target` as it could be found after the cut. False if it cannot be written. */
static bool disk_build(const char *target, const struct disk_cut *cut)
{
    bool right = true;
    for (size_t i = 0; right && i < cut->at; i++) {
        const struct disk_event *event = &disk.events[i];
        char path[2 * DISK_PATH];
        snprintf(path, sizeof path, "%s/%s", target, event->path);
        if (event->type != DISK_NAME || access(path, F_OK) == 0) {
            continue;
        }
        int file = disk_name_at(cut, event->path);
        char parent[2 * DISK_PATH];
        snprintf(parent, sizeof parent, "%s", path);
        *strrchr(parent, '/') = '\0';
        if (file == DISK_NOTHING || access(parent, F_OK) != 0) {
            continue; /* what lies in a directory that is lost is lost */
        }
        if (file == DISK_DIRECTORY) {
            right = mkdir(path, 0700) == 0;
        } else {
            struct disk_image image = disk_image_of(cut, file);
            right = disk_write_file(path, &image);
            free(image.data);
        }
    }
    return right;
}

#endif
