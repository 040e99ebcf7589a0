/* The files of a store that are not what they seem: nothing follows them, writes to them, or waits for them. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/pages/store_files.h"
#include "xylem/care.h"
#include "xylem/inspect.h"
#include "xylem/lease.h"
#include "tests/lib/test.h"

/* A call that waits for a FIFO's other end would wait for ever. */
#define WAITS_SECONDS 60u

#define VICTIM_TEXT "somebody else's bytes"
#define USER 65534u

struct place {
    char path[128];
    char store[160];
    char other[160];  /* a directory that nothing is in */
    char victim[160]; /* a file that a link may lead to */
};

static int make_place(void **state)
{
    struct place *place = calloc(1, sizeof *place);
    assert_non_null(place);
    test_directory_make(place->path, sizeof place->path, "files");
    snprintf(place->store, sizeof place->store, "%s/store", place->path);
    snprintf(place->other, sizeof place->other, "%s/other", place->path);
    snprintf(place->victim, sizeof place->victim, "%s/victim", place->path);
    alarm(WAITS_SECONDS);
    *state = place;
    return 0;
}

static int remove_place(void **state)
{
    struct place *place = *state;
    char command[256];
    alarm(0);
    snprintf(command, sizeof command, "rm -rf '%s'", place->path);
    int result = system(command);
    free(place);
    return result;
}

static const char *file_of(const struct place *place, const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", place->store, name);
    return path;
}

static void write_victim(const struct place *place)
{
    FILE *file = fopen(place->victim, "w");
    assert_non_null(file);
    assert_int_equal(fputs(VICTIM_TEXT, file) >= 0, 1);
    assert_int_equal(fclose(file), 0);
}

static void assert_victim_is_whole(const struct place *place)
{
    char text[64] = "";
    FILE *file = fopen(place->victim, "r");
    assert_non_null(file);
    size_t bytes = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    assert_int_equal(bytes, strlen(VICTIM_TEXT));
    assert_string_equal(text, VICTIM_TEXT);
}

static int open_and_close(const char *path, struct xylem_open_options options, struct xylem_error *err)
{
    struct xylem_store *store = NULL;
    int code = xylem_open(&store, path, &options, err);
    return code < 0 ? code : xylem_close(store, err);
}

static void create(const struct place *place)
{
    struct xylem_error err = {0, ""};
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    struct xylem_session session;
    struct xylem_open_options options = {.create = true};
    struct xylem_session_options session_options = {.id = xylem_view_of("s")};
    if (xylem_open(&store, place->store, &options, &err) < 0) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, NULL), XYLEM_OK);
    assert_int_equal(xylem_session_create(&session, txn, &session_options, NULL), XYLEM_OK);
    assert_int_equal(xylem_commit(txn, NULL), XYLEM_OK);
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
}

/* --- What opens files ------------------------------------------------------------------------------------------- */

static int do_create(const struct place *place, struct xylem_error *err)
{
    return open_and_close(place->store, (struct xylem_open_options){.create = true}, err);
}

static int do_write(const struct place *place, struct xylem_error *err)
{
    return open_and_close(place->store, (struct xylem_open_options){.create = false}, err);
}

static int do_read(const struct place *place, struct xylem_error *err)
{
    return open_and_close(place->store, (struct xylem_open_options){.read_only = true}, err);
}

static int do_read_without_locks(const struct place *place, struct xylem_error *err)
{
    return open_and_close(place->store, (struct xylem_open_options){.read_only = true, .no_lock = true}, err);
}

static int do_compact(const struct place *place, struct xylem_error *err)
{
    struct xylem_compact_options options = {.overwrite_old = true};
    return xylem_compact(NULL, place->store, &options, err);
}

static int do_repair(const struct place *place, struct xylem_error *err)
{
    return xylem_repair(NULL, place->store, place->other, NULL, NULL, NULL, err);
}

struct opening {
    const char *name;
    int (*run)(const struct place *place, struct xylem_error *err);
    bool opens_data;
    bool opens_lmdb_lock;
    bool opens_lock;
};

static const struct opening openings[] = {
    {"create", do_create, true, true, true},   {"write", do_write, true, true, true},
    {"read", do_read, true, true, true},       {"read without locks", do_read_without_locks, true, false, false},
    {"compact", do_compact, true, true, true}, {"repair", do_repair, true, false, true},
};

static bool opens(const struct opening *opening, const char *name)
{
    return strcmp(name, XYLEM_PAGES__DATA_NAME) == 0        ? opening->opens_data
           : strcmp(name, XYLEM_PAGES__LMDB_LOCK_NAME) == 0 ? opening->opens_lmdb_lock
                                                            : opening->opens_lock;
}

/* --- What is planted -------------------------------------------------------------------------------------------- */

static bool plant_link(const struct place *place, const char *path)
{
    return symlink(place->victim, path) == 0;
}

static bool plant_dangling_link(const struct place *place, const char *path)
{
    char nothing[200];
    snprintf(nothing, sizeof nothing, "%s/nothing", place->path);
    return symlink(nothing, path) == 0;
}

static bool plant_fifo(const struct place *place, const char *path)
{
    (void)place;
    return mkfifo(path, 0600) == 0;
}

static bool plant_directory(const struct place *place, const char *path)
{
    (void)place;
    return mkdir(path, 0700) == 0;
}

static bool plant_socket(const struct place *place, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    (void)place;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%.*s", (int)sizeof address.sun_path - 1, path);
    bool bound =
        fd >= 0 && strlen(path) < sizeof address.sun_path && bind(fd, (struct sockaddr *)&address, sizeof address) == 0;
    if (fd >= 0) {
        close(fd);
    }
    return bound;
}

static bool plant_device(const struct place *place, const char *path)
{
    (void)place;
    return mknod(path, S_IFCHR | 0600, makedev(1, 3)) == 0;
}

static bool plant_file_of_another_user(const struct place *place, const char *path)
{
    (void)place;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool planted = fd >= 0 && fchown(fd, USER, (gid_t)-1) == 0;
    if (fd >= 0) {
        close(fd);
    }
    if (!planted) {
        unlink(path);
    }
    return planted;
}

static bool plant_hard_link(const struct place *place, const char *path)
{
    return link(place->victim, path) == 0;
}

static const struct {
    const char *said;
    bool (*plant)(const struct place *place, const char *path); /* false: not possible here */
    bool only_locks;
} plants[] = {
    {"a symbolic link", plant_link, false},
    {"a symbolic link", plant_dangling_link, false},
    {"a FIFO", plant_fifo, false},
    {"a directory", plant_directory, false},
    {"a socket", plant_socket, false},
    {"a device", plant_device, false},
    {"belongs to user 65534", plant_file_of_another_user, false},
    {"has 2 names", plant_hard_link, true},
};

static const char *const names[] = {XYLEM_PAGES__DATA_NAME, XYLEM_PAGES__LMDB_LOCK_NAME, XYLEM_PAGES__LOCK_NAME};

/* Puts it in the place of the file, lets everything try that opens the file, and puts the file back. */
static void try_all(const struct place *place, const char *name, size_t plant)
{
    char path[256];
    char aside[256];
    char nothing[200];
    struct stat before;
    struct stat after;
    snprintf(path, sizeof path, "%s", file_of(place, name));
    snprintf(aside, sizeof aside, "%s/aside", place->path);
    snprintf(nothing, sizeof nothing, "%s/nothing", place->path);
    write_victim(place);
    assert_int_equal(rename(path, aside), 0);
    bool planted = plants[plant].plant(place, path);
    for (size_t i = 0; planted && i < sizeof openings / sizeof openings[0]; i++) {
        struct xylem_error err = {0, ""};
        if (!opens(&openings[i], name)) {
            continue;
        }
        assert_int_equal(lstat(path, &before), 0);
        int code = openings[i].run(place, &err);
        if (code != (strcmp(name, XYLEM_PAGES__DATA_NAME) == 0 && S_ISREG(before.st_mode) == 0 ? XYLEM_E_NOT_A_STORE
                                                                                               : XYLEM_E_IO) ||
            !strstr(err.text, path) || !strstr(err.text, plants[plant].said)) {
            fail_msg("%s, %s is %s: %d: %s", openings[i].name, name, plants[plant].said, code, err.text);
        }
        assert_victim_is_whole(place);
        assert_int_equal(lstat(path, &after), 0);
        assert_int_equal(after.st_ino, before.st_ino);
        assert_int_equal(access(nothing, F_OK), -1);
        assert_int_equal(access(place->other, F_OK), -1);
    }
    if (planted) {
        assert_int_equal(remove(path), 0);
    }
    assert_int_equal(rename(aside, path), 0);
}

#define IN_PLACE(test) TEST_WITH(test, make_place, remove_place)

IN_PLACE(what_is_no_plain_file_of_its_owner_is_neither_opened_nor_followed)
{
    struct place *place = *state;
    struct xylem_error err = {0, ""};
    create(place);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (size_t j = 0; j < sizeof plants / sizeof plants[0]; j++) {
            if (strcmp(names[i], XYLEM_PAGES__DATA_NAME) != 0 || !plants[j].only_locks) {
                try_all(place, names[i], j);
            }
        }
    }
    for (size_t i = 0; i < sizeof openings / sizeof openings[0]; i++) { /* and all are sound afterwards */
        if (openings[i].run(place, &err) < 0) {
            fail_msg("%s: %s", openings[i].name, err.text);
        }
    }
}

IN_PLACE(a_data_file_with_two_names_is_read_and_written)
{
    struct place *place = *state;
    struct xylem_error err = {0, ""};
    create(place);
    assert_int_equal(link(file_of(place, "data.mdb"), place->other), 0);
    assert_int_equal(do_write(place, &err), XYLEM_OK);
    assert_int_equal(do_read(place, &err), XYLEM_OK);
    assert_int_equal(do_compact(place, &err), XYLEM_E_CONFLICT);
}

IN_PLACE(a_link_to_the_directory_of_a_store_is_followed)
{
    struct place *place = *state;
    struct xylem_error err = {0, ""};
    create(place);
    assert_int_equal(symlink(place->store, place->other), 0);
    if (open_and_close(place->other, (struct xylem_open_options){.create = true}, &err) < 0) {
        fail_msg("%s", err.text);
    }
}

/* --- While a store is made --------------------------------------------------------------------------------------- */

IN_PLACE(nothing_is_made_or_removed_in_what_was_planted_for_a_new_store)
{
    struct place *place = *state;
    char path[256];
    char theirs[256];
    struct stat file;
    assert_int_equal(mkdir(place->store, 0700), 0);
    snprintf(path, sizeof path, "%s", file_of(place, "xylem.new"));
    snprintf(theirs, sizeof theirs, "%s/data.mdb", place->other);
    assert_int_equal(mkdir(place->other, 0700), 0);
    assert_int_equal(close(open(theirs, O_WRONLY | O_CREAT | O_CLOEXEC, 0600)), 0);
    for (size_t i = 0; i < 5; i++) {
        struct xylem_error err = {0, ""};
        char full[300];
        snprintf(full, sizeof full, "%s/keep", path);
        write_victim(place);
        bool planted = i == 0   ? symlink(place->other, path) == 0
                       : i == 1 ? symlink(place->victim, path) == 0
                       : i == 2 ? plant_dangling_link(place, path)
                       : i == 3 ? mkfifo(path, 0600) == 0
                                : mkdir(path, 0700) == 0 && mkdir(full, 0700) == 0;
        assert_true(planted);
        int code = do_create(place, &err);
        if (code != XYLEM_E_EXISTS || !strstr(err.text, path)) {
            fail_msg("case %zu: %d: %s", i, code, err.text);
        }
        assert_victim_is_whole(place);
        assert_int_equal(stat(theirs, &file), 0);
        assert_int_equal(file.st_size, 0);
        assert_int_equal(access(file_of(place, "data.mdb"), F_OK), -1);
        if (i == 4) {
            assert_int_equal(rmdir(full), 0);
        }
        assert_int_equal(remove(path), 0);
    }
}

IN_PLACE(what_a_creation_that_died_left_is_removed)
{
    struct place *place = *state;
    struct xylem_error err = {0, ""};
    char path[256];
    assert_int_equal(mkdir(place->store, 0700), 0);
    snprintf(path, sizeof path, "%s", file_of(place, "xylem.new"));
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(close(open(file_of(place, "xylem.new/data.mdb"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)), 0);
    assert_int_equal(symlink(place->victim, file_of(place, "xylem.new/lock.mdb")), 0);
    if (do_create(place, &err) < 0) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(access(place->victim, F_OK), -1);
}

/* --- Other users ------------------------------------------------------------------------------------------------- */

static void own(const struct place *place, uid_t user)
{
    assert_int_equal(chown(place->store, user, user), 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(chown(file_of(place, names[i]), user, user), 0);
    }
}

static uid_t owner_of(const struct place *place, const char *name)
{
    struct stat file;
    assert_int_equal(stat(file_of(place, name), &file), 0);
    return file.st_uid;
}

IN_PLACE(what_root_makes_in_a_users_store_is_that_users)
{
    struct place *place = *state;
    struct xylem_error err = {0, ""};
    if (geteuid() != 0) {
        skip(); /* only root can do what this is about */
    }
    create(place);
    own(place, USER);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(remove(file_of(place, names[i])), 0);
        if (do_create(place, &err) < 0) {
            fail_msg("%s: %s", names[i], err.text);
        }
        assert_int_equal(owner_of(place, names[i]), USER);
    }
    create(place); /* its session again */
    for (size_t i = 0; i < sizeof openings / sizeof openings[0]; i++) {
        if (openings[i].run(place, &err) < 0) {
            fail_msg("%s: %s", openings[i].name, err.text);
        }
        assert_int_equal(owner_of(place, XYLEM_PAGES__DATA_NAME), USER);
    }
}

/* What a child that is another user found out: 0 if all is right. */
static void run_as_user(const struct place *place, bool (*right)(const struct place *place))
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(setresgid(USER, USER, USER) == 0 && setresuid(USER, USER, USER) == 0 && right(place) ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static bool reads_what_the_group_may(const struct place *place)
{
    struct xylem_error err = {0, ""};
    bool right = do_read(place, &err) == XYLEM_OK && do_read_without_locks(place, &err) == XYLEM_OK;
    right = right && do_compact(place, &err) == XYLEM_E_IO && strstr(err.text, "belongs to user 0");
    if (!right) {
        fprintf(stderr, "%s\n", err.text);
    }
    return right;
}

static bool makes_no_lock_file(const struct place *place)
{
    struct xylem_error err = {0, ""};
    bool right = do_read(place, &err) == XYLEM_E_IO && strstr(err.text, "and this is user ");
    if (!right) {
        fprintf(stderr, "%s\n", err.text);
    }
    return right && access(file_of(place, XYLEM_PAGES__LMDB_LOCK_NAME), F_OK) != 0;
}

static bool makes_no_store(const struct place *place)
{
    struct xylem_error err = {0, ""};
    bool right = open_and_close(place->other, (struct xylem_open_options){.create = true}, &err) == XYLEM_E_IO &&
                 strstr(err.text, "and this is user ");
    if (!right) {
        fprintf(stderr, "%s\n", err.text);
    }
    return right;
}

IN_PLACE(another_user_reads_and_makes_nothing)
{
    struct place *place = *state;
    if (geteuid() != 0) {
        skip(); /* only root can become somebody else */
    }
    create(place);
    assert_int_equal(chmod(place->path, 0755), 0);
    assert_int_equal(chown(place->store, (uid_t)-1, USER), 0);
    assert_int_equal(chmod(place->store, 0770), 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(chown(file_of(place, names[i]), (uid_t)-1, USER), 0);
        assert_int_equal(chmod(file_of(place, names[i]), strcmp(names[i], "lock.mdb") == 0 ? 0660 : 0640), 0);
    }
    run_as_user(place, reads_what_the_group_may);
    assert_int_equal(remove(file_of(place, XYLEM_PAGES__LMDB_LOCK_NAME)), 0);
    run_as_user(place, makes_no_lock_file);
    assert_int_equal(mkdir(place->other, 0777), 0);
    assert_int_equal(chmod(place->other, 0777), 0);
    run_as_user(place, makes_no_store);
}

/* --- Afterwards -------------------------------------------------------------------------------------------------- */

IN_PLACE(a_lease_does_not_follow_what_took_the_place_of_its_lock_file)
{
    struct place *place = *state;
    struct xylem_error err = {0, ""};
    struct xylem_store *store = NULL;
    struct xylem_lease *lease = NULL;
    create(place);
    write_victim(place);
    assert_int_equal(xylem_open(&store, place->store, NULL, NULL), XYLEM_OK);
    assert_int_equal(remove(file_of(place, XYLEM_PAGES__LOCK_NAME)), 0);
    assert_int_equal(symlink(place->victim, file_of(place, XYLEM_PAGES__LOCK_NAME)), 0);
    assert_int_equal(xylem_lease_take(&lease, store, 1, &err), XYLEM_E_IO);
    assert_non_null(strstr(err.text, "a symbolic link"));
    assert_int_equal(remove(file_of(place, XYLEM_PAGES__LOCK_NAME)), 0);
    assert_int_equal(mkfifo(file_of(place, XYLEM_PAGES__LOCK_NAME), 0600), 0);
    assert_int_equal(xylem_lease_take(&lease, store, 1, &err), XYLEM_E_IO);
    assert_non_null(strstr(err.text, "a FIFO"));
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
}

IN_PLACE(new_directories_are_their_owners_alone_whatever_the_umask)
{
    struct place *place = *state;
    struct xylem_error err = {0, ""};
    struct xylem_store *store = NULL;
    struct stat directory;
    create(place);
    mode_t before = umask(0777);
    int repaired = do_repair(place, &err);
    umask(before);
    if (repaired < 0) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(stat(place->other, &directory), 0);
    assert_int_equal(directory.st_mode & 07777, 0700);
    assert_int_equal(xylem_open(&store, place->store, NULL, NULL), XYLEM_OK);
    before = umask(0777);
    int copied = xylem_backup(NULL, store, place->victim, NULL, &err);
    umask(before);
    assert_int_equal(copied, XYLEM_OK);
    assert_int_equal(stat(place->victim, &directory), 0);
    assert_int_equal(directory.st_mode & 07777, 0700);
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
}
