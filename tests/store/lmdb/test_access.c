/* Who can read or write a store: what it is made with, and what is said of one that others can get at. */

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "xylem/store.h"
#include "tests/lib/test.h"

/* What the mode of lock.mdb was when it was opened: 0 if it was not there. */
static mode_t lock_mode_at_open;
static unsigned lock_open_count;

/* Somebody else puts an empty file in the place of lock.mdb after the library's look, and the file back before LMDB. */
static struct {
    char lock[256];
    char aside[256];
    bool is_wanted;
    bool is_out;
} swap;

static void note_open(const char *path, int flags)
{
    const char *name = strrchr(path, '/');
    struct stat file;
    if (swap.is_out && (flags & O_CREAT)) {
        swap.is_out = rename(swap.aside, swap.lock) != 0;
    }
    if (name && strcmp(name, "/lock.mdb") == 0) {
        int before = errno;
        mode_t mode = stat(path, &file) == 0 ? file.st_mode & 07777 : 0;
        errno = before;
        lock_mode_at_open = lock_open_count == 0 || mode > lock_mode_at_open ? mode : lock_mode_at_open;
        lock_open_count++;
    }
}

static int real_open(const char *name, const char *path, int flags, mode_t mode)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    int (*real)(const char *, int, ...);
    memcpy(&real, &symbol, sizeof real); /* ISO C has no cast from an object to a function */
    return real(path, flags, mode);
}

/* LMDB's calls come here: the library's own make the file with O_EXCL. Visible, so that LMDB finds them. */
__attribute__((visibility("default"))) int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    if (!(flags & O_EXCL)) {
        note_open(path, flags);
    }
    return real_open("open", path, flags, mode);
}

__attribute__((visibility("default"))) int open64(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    if (!(flags & O_EXCL)) {
        note_open(path, flags);
    }
    return real_open("open64", path, flags, mode);
}

__attribute__((visibility("default"))) int access(const char *path, int mode)
{
    if (swap.is_wanted && strcmp(path, "/proc/self/fd") == 0) {
        swap.is_wanted = false;
        swap.is_out = rename(swap.lock, swap.aside) == 0 && mknod(swap.lock, S_IFREG | 0600, 0) == 0;
    }
    return faccessat(AT_FDCWD, path, mode, 0);
}

struct place {
    char path[128];
    char store[160];
};

static int make_place(void **state)
{
    struct place *place = calloc(1, sizeof *place);
    assert_non_null(place);
    test_directory_make(place->path, sizeof place->path, "access");
    snprintf(place->store, sizeof place->store, "%s/store", place->path);
    lock_open_count = 0;
    *state = place;
    return 0;
}

static int remove_place(void **state)
{
    struct place *place = *state;
    char command[256];
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

static mode_t mode_of(const char *path)
{
    struct stat file;
    assert_int_equal(stat(path, &file), 0);
    return file.st_mode & 07777;
}

static void open_and_close(const char *path, bool create)
{
    struct xylem_open_options options = {.create = create};
    struct xylem_store *store = NULL;
    struct xylem_error err = {0, ""};
    if (xylem_open(&store, path, &options, &err) < 0) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
}

/* The warning of the store as it is now, in a buffer of its own; empty for none. */
static const char *warning_of(const struct place *place)
{
    static char text[XYLEM_ERROR_TEXT_BYTES];
    struct xylem_open_options options = {.read_only = true};
    struct xylem_store *store = NULL;
    struct xylem_error err = {0, ""};
    if (xylem_open(&store, place->store, &options, &err) < 0) {
        fail_msg("%s", err.text);
    }
    const char *warning = xylem_store_warning(store);
    snprintf(text, sizeof text, "%s", warning ? warning : "");
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
    return text;
}

#define IN_PLACE(test) TEST_WITH(test, make_place, remove_place)

IN_PLACE(a_new_store_is_its_users_alone_whatever_the_umask)
{
    static const mode_t umasks[] = {0, 022, 0777};
    static const char *const names[] = {"data.mdb", "lock.mdb", "xylem.lock"};
    struct place *place = *state;
    for (size_t i = 0; i < sizeof umasks / sizeof *umasks; i++) {
        snprintf(place->store, sizeof place->store, "%s/store-%zu", place->path, i);
        mode_t before = umask(umasks[i]);
        open_and_close(place->store, true);
        umask(before);
        assert_int_equal(mode_of(place->store), 0700);
        for (size_t j = 0; j < sizeof names / sizeof *names; j++) {
            assert_int_equal(mode_of(file_of(place, names[j])), 0600);
        }
        assert_string_equal(warning_of(place), "");
    }
}

/* In a directory that others may enter nobody must get at a file before its mode is what it is to be. */
IN_PLACE(lock_mdb_is_never_more_than_its_users)
{
    static const mode_t umasks[] = {0, 0777};
    struct place *place = *state;
    for (size_t i = 0; i < sizeof umasks / sizeof *umasks; i++) {
        snprintf(place->store, sizeof place->store, "%s/store-%zu", place->path, i);
        assert_int_equal(mkdir(place->store, 0700), 0);
        assert_int_equal(chmod(place->store, 0755), 0);
        lock_open_count = 0;
        mode_t before = umask(umasks[i]);
        open_and_close(place->store, true);
        umask(before);
        assert_true(lock_open_count > 0); /* or this test sees nothing */
        assert_int_equal(lock_mode_at_open, 0600);
        assert_int_equal(mode_of(file_of(place, "lock.mdb")), 0600);
    }
}

IN_PLACE(an_empty_lock_mdb_is_filled)
{
    struct place *place = *state;
    struct stat file;
    open_and_close(place->store, true);
    assert_int_equal(truncate(file_of(place, "lock.mdb"), 0), 0);
    open_and_close(place->store, false);
    assert_int_equal(stat(file_of(place, "lock.mdb"), &file), 0);
    assert_true(file.st_size > 0);
}

static void open_swapped(const struct place *place)
{
    struct xylem_store *store = NULL;
    struct xylem_error err = {0, ""};
    snprintf(swap.lock, sizeof swap.lock, "%s", file_of(place, "lock.mdb"));
    snprintf(swap.aside, sizeof swap.aside, "%s", file_of(place, "aside"));
    swap.is_wanted = true;
    assert_int_equal(xylem_open(&store, place->store, NULL, &err), XYLEM_E_BUSY);
    assert_false(swap.is_wanted || swap.is_out); /* or this test sees nothing */
    assert_non_null(strstr(err.text, "/lock.mdb was replaced by another file while it was opened"));
}

/* The page that the library looks at was the page of the empty file: a SIGBUS. */
IN_PLACE(another_lock_mdb_between_the_look_and_the_opening_is_refused)
{
    struct place *place = *state;
    open_and_close(place->store, true);
    open_swapped(place);
    open_and_close(place->store, false);
}

/* The handles of a process share an environment, which outlives the failed opening. */
IN_PLACE(the_page_of_a_refused_lock_mdb_is_not_looked_at_again)
{
    struct place *place = *state;
    struct xylem_open_options without = {.read_only = true, .no_lock = true};
    struct xylem_store *store = NULL;
    open_and_close(place->store, true);
    assert_int_equal(xylem_open(&store, place->store, &without, NULL), XYLEM_OK);
    open_swapped(place);
    open_and_close(place->store, false);
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
}

IN_PLACE(what_others_can_get_at_is_named)
{
    static const struct {
        mode_t directory;
        const char *name; /* a file of that mode; NULL: all have 0600 */
        mode_t mode;
        const char *parts[3]; /* of the warning; NULL first: none */
    } cases[] = {
        {0700, NULL, 0, {NULL}},
        {0700, "data.mdb", 0666, {NULL}}, /* a directory that nobody enters hides what is in it */
        {0500, NULL, 0, {NULL}},
        {0755, NULL, 0, {"/store can be read by everyone (mode 0755)"}},
        {0750, NULL, 0, {"/store can be read by its group (mode 0750)"}},
        {0777, NULL, 0, {"/store can be read and written by everyone (mode 0777)"}},
        {0733, NULL, 0, {"/store can be written by everyone (mode 0733)"}},
        {0710, NULL, 0, {"/store can be entered by its group (mode 0710)"}},
        {0744,
         "data.mdb",
         0644,
         {"/store can be read by everyone (mode 0744)"}}, /* names can be seen, no file opened */
        {0755, "data.mdb", 0644, {"/store/data.mdb can be read by everyone (mode 0644)"}},
        {0755, "data.mdb", 0640, {"/store/data.mdb can be read by its group (mode 0640)"}},
        {0750, "data.mdb", 0666, {"/store/data.mdb can be read and written by its group (mode 0666)"}},
        {0711, "data.mdb", 0622, {"/store/data.mdb can be written by everyone (mode 0622)"}},
        {0755, "lock.mdb", 0666, {"/store/lock.mdb can be read and written by everyone (mode 0666)"}},
        {0755, "xylem.lock", 0644, {"/store/xylem.lock can be read by everyone (mode 0644)"}},
    };
    struct place *place = *state;
    char mend[256];
    open_and_close(place->store, true);
    snprintf(mend, sizeof mend, ": chmod 700 %s", place->store);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(chmod(place->store, cases[i].directory), 0);
        if (cases[i].name) {
            assert_int_equal(chmod(file_of(place, cases[i].name), cases[i].mode), 0);
        }
        const char *warning = warning_of(place);
        if (!cases[i].parts[0]) {
            assert_string_equal(warning, "");
        } else if (!strstr(warning, cases[i].parts[0]) || !strstr(warning, mend)) {
            fail_msg("case %zu: %s", i, warning);
        }
        if (cases[i].name) {
            assert_int_equal(chmod(file_of(place, cases[i].name), 0600), 0);
        }
    }
    /* What it says helps. */
    assert_int_equal(system(strstr(warning_of(place), "chmod")), 0);
    assert_string_equal(warning_of(place), "");
}

IN_PLACE(another_owner_is_named)
{
    static const char *const names[] = {"", "data.mdb", "lock.mdb", "xylem.lock"};
    struct place *place = *state;
    if (geteuid() != 0) {
        skip(); /* only the administrator can give a file away */
    }
    open_and_close(place->store, true);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(chown(file_of(place, names[i]), 4711, (gid_t)-1), 0);
    }
    const char *warning = warning_of(place);
    assert_non_null(strstr(warning, "data.mdb belongs to user 4711"));
    assert_non_null(strstr(warning, "sudo -u '#4711' xylem --store "));
    assert_null(strstr(warning, "chown")); /* the owner would lose the store */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(chown(file_of(place, names[i]), 0, (gid_t)-1), 0);
    }
    assert_string_equal(warning_of(place), "");
}

IN_PLACE(a_hostile_name_of_the_directory_is_escaped)
{
    struct place *place = *state;
    snprintf(place->store, sizeof place->store, "%s/a\033[2Jb", place->path);
    open_and_close(place->store, true);
    assert_int_equal(chmod(place->store, 0755), 0);
    const char *warning = warning_of(place);
    assert_non_null(strstr(warning, "a\\x1b[2Jb"));
    assert_null(strchr(warning, '\033'));
}

TEST(no_store_has_no_warning)
{
    assert_null(xylem_store_warning(NULL));
}
