/* A temporary directory with files, for tests of paths and fingerprints. Paths are real: /tmp may be a link. */
#ifndef XYLEM_TESTS_READS_PLACE_H
#define XYLEM_TESTS_READS_PLACE_H

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/test.h"

static char place_root[PATH_MAX];

/* The path of a name in the directory; four results live at once. */
static inline char *place(const char *name)
{
    static char paths[4][PATH_MAX + 300];
    static size_t turn;
    turn = (turn + 1) % 4;
    snprintf(paths[turn], sizeof paths[turn], "%s/%s", place_root, name);
    return paths[turn];
}

static inline int place_make(void **state)
{
    char template[256];
    (void)state;
    test_directory_make(template, sizeof template, "reads");
    assert_non_null(realpath(template, place_root));
    return 0;
}

static inline int place_remove(void **state)
{
    (void)state;
    test_directory_remove(place_root);
    return 0;
}

static inline void place_write(const char *name, const void *data, size_t bytes)
{
    FILE *file = fopen(place(name), "w");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

static inline void place_text(const char *name, const char *text)
{
    place_write(name, text, strlen(text));
}

/* Gives a file the modification time `seconds` after 1970. The other time becomes the time now. */
static inline void place_date(const char *name, time_t seconds)
{
    const struct timespec times[2] = {{seconds, 0}, {seconds, 0}};
    assert_int_equal(utimensat(AT_FDCWD, place(name), times, 0), 0);
}

/* Root may do everything: the tests of permissions act as somebody else, and come back. */
static inline void place_lose_rights(void)
{
    if (getuid() == 0) {
        assert_int_equal(chmod(place_root, 0755), 0);
        assert_int_equal(seteuid(65534), 0);
    }
}

static inline void place_get_rights(void)
{
    assert_int_equal(seteuid(getuid()), 0);
}

#define IN_PLACE(test) TEST_WITH(test, place_make, place_remove)

#endif
