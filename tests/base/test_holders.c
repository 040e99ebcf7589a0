/* Who has a file open. */

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/holders.h"
#include "tests/lib/test.h"

enum { CHILDREN_MAX = 9 };

struct place {
    char path[128];
    int fd;
    struct stat file;
    char text[XYLEM_BASE__HOLDERS_BYTES];
    pid_t children[CHILDREN_MAX];
    size_t child_count;
};

static int make_place(void **state)
{
    struct place *place = calloc(1, sizeof *place);
    const char *parent = getenv("TMPDIR");
    assert_non_null(place);
    snprintf(place->path, sizeof place->path, "%s/xylem-holders-XXXXXX", parent && *parent ? parent : "/tmp");
    place->fd = mkstemp(place->path);
    assert_true(place->fd >= 0);
    assert_int_equal(fchmod(place->fd, 0644), 0);
    assert_int_equal(fstat(place->fd, &place->file), 0);
    *state = place;
    return 0;
}

static int remove_place(void **state)
{
    struct place *place = *state;
    for (size_t i = 0; i < place->child_count; i++) {
        kill(place->children[i], SIGKILL);
        waitpid(place->children[i], NULL, 0);
    }
    if (place->fd >= 0) {
        close(place->fd);
    }
    unlink(place->path);
    free(place);
    return 0;
}

/* A process that has the file open (and locked), under a name. */
static pid_t start_holder(struct place *place, const char *name)
{
    int ready[2];
    char byte = 0;
    assert_int_equal(pipe(ready), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close_range(3, (unsigned)ready[1] - 1, 0);
        int fd = open(place->path, O_RDONLY);
        if (fd < 0 || flock(fd, LOCK_SH) != 0 || prctl(PR_SET_NAME, name) != 0 || write(ready[1], "r", 1) != 1) {
            _exit(1);
        }
        pause();
        _exit(0);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    place->children[place->child_count++] = child;
    return child;
}

#define IN_PLACE(test) TEST_WITH(test, make_place, remove_place)

IN_PLACE(this_process_is_called_so_unless_its_descriptor_is_the_callers)
{
    struct place *place = *state;
    xylem_base__holders(place->text, &place->file, -1);
    assert_string_equal(place->text, "this process");
    assert_true(xylem_base__held_here(&place->file));
    xylem_base__holders(place->text, &place->file, place->fd);
    assert_string_equal(place->text, "a process that cannot be seen from here");
    int second = dup(place->fd);
    xylem_base__holders(place->text, &place->file, place->fd);
    assert_string_equal(place->text, "this process");
    close(second);
    close(place->fd);
    place->fd = -1;
    assert_false(xylem_base__held_here(&place->file));
}

IN_PLACE(others_have_a_number_and_the_name_of_their_program)
{
    struct place *place = *state;
    char expected[128];
    pid_t child = start_holder(place, "an agent");
    snprintf(expected, sizeof expected, "process %ld (an agent)", (long)child);
    xylem_base__holders(place->text, &place->file, place->fd);
    assert_string_equal(place->text, expected);
    /* A file that was renamed, or has no name any more, is the same file. */
    assert_int_equal(unlink(place->path), 0);
    xylem_base__holders(place->text, &place->file, place->fd);
    assert_string_equal(place->text, expected);
}

IN_PLACE(more_than_six_are_counted)
{
    struct place *place = *state;
    for (int i = 0; i < CHILDREN_MAX; i++) {
        start_holder(place, "fifteen-letters");
    }
    xylem_base__holders(place->text, &place->file, place->fd);
    size_t named = 0;
    for (const char *at = place->text; (at = strstr(at, "(fifteen-letters)")); at++) {
        named++;
    }
    assert_int_equal(named, 6);
    assert_non_null(strstr(place->text, ", and 3 more"));
}

/* Does the system list the file's locks by the device that stat(2) names? On some file systems it does not. */
static bool is_listed(const struct stat *file)
{
    char line[256];
    char part[64];
    bool found = false;
    FILE *locks = fopen("/proc/locks", "re");
    snprintf(part, sizeof part, " %02x:%02x:%lu ", major(file->st_dev), minor(file->st_dev),
             (unsigned long)file->st_ino);
    while (locks && fgets(line, sizeof line, locks)) {
        found = found || strstr(line, part);
    }
    if (locks) {
        fclose(locks);
    }
    return found;
}

IN_PLACE(of_another_users_process_its_lock_is_seen)
{
    struct place *place = *state;
    int status = 0;
    if (geteuid() != 0) {
        skip(); /* only the administrator can become somebody else */
    }
    pid_t holder = start_holder(place, "hidden");
    fflush(NULL);
    pid_t looker = fork();
    if (looker == 0) {
        char text[XYLEM_BASE__HOLDERS_BYTES];
        char expected[64];
        close(place->fd);
        if (setgid(4711) != 0 || setuid(4711) != 0) {
            _exit(3);
        }
        snprintf(expected, sizeof expected, "process %ld (hidden)", (long)holder);
        xylem_base__holders(text, &place->file, -1);
        bool right = is_listed(&place->file) ? strcmp(text, expected) == 0 : strstr(text, "cannot be seen") != NULL;
        _exit(right ? 0 : 1);
    }
    assert_int_equal(waitpid(looker, &status, 0), looker);
    assert_int_equal(status, 0);
}
