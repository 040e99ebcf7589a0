/* The session files of fixtures/sessions. */
#ifndef XYLEM_TESTS_FLOW_FIXTURES_H
#define XYLEM_TESTS_FLOW_FIXTURES_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FIXTURES "fixtures/sessions"

/* Calls `visit` for every session file below `path`; gives how many there were. */
static inline size_t fixtures_each(const char *path, void (*visit)(const char *path, void *context), void *context)
{
    size_t count = 0;
    DIR *directory = opendir(path);
    assert_non_null(directory);
    struct dirent *item;
    while ((item = readdir(directory))) {
        char *below = NULL;
        assert_true(asprintf(&below, "%s/%s", path, item->d_name) > 0);
        struct stat status;
        assert_int_equal(stat(below, &status), 0);
        size_t bytes = strlen(below);
        if (S_ISDIR(status.st_mode) && item->d_name[0] != '.') {
            count += fixtures_each(below, visit, context);
        } else if (bytes > 6 && strcmp(below + bytes - 6, ".jsonl") == 0) {
            visit(below, context);
            count++;
        }
        free(below);
    }
    closedir(directory);
    return count;
}

#endif
