/* The session files of fixtures/sessions. */
#ifndef XYLEM_TESTS_FLOW_FIXTURES_H
#define XYLEM_TESTS_FLOW_FIXTURES_H

#include "tests/travel/jsonl/sandbox.h"

#include <dirent.h>
#include <libgen.h>
#include <sys/stat.h>

#include "base/json.h"

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

enum { FIXTURES_MAX = 64 };

/* Files by path. */
struct fixtures {
    char *paths[FIXTURES_MAX];
    size_t count;
};

static inline int fixtures_compare(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static inline void fixtures_note(const char *path, void *context)
{
    struct fixtures *fixtures = context;
    assert_true(fixtures->count < FIXTURES_MAX);
    fixtures->paths[fixtures->count++] = strdup(path);
}

/* All session files below a directory, in the order in which they are imported. */
static inline void fixtures_ordered(struct fixtures *fixtures, const char *directory)
{
    size_t order[FIXTURES_MAX];
    char *paths[FIXTURES_MAX];
    fixtures->count = 0;
    fixtures_each(directory, fixtures_note, fixtures);
    qsort(fixtures->paths, fixtures->count, sizeof *fixtures->paths, fixtures_compare);
    assert_int_equal(xylem_import_order(order, (const char *const *)fixtures->paths, fixtures->count, NULL), XYLEM_OK);
    for (size_t i = 0; i < fixtures->count; i++) {
        paths[i] = fixtures->paths[order[i]];
    }
    memcpy(fixtures->paths, paths, sizeof paths);
}

static inline void fixtures_release(struct fixtures *fixtures)
{
    for (size_t i = 0; i < fixtures->count; i++) {
        free(fixtures->paths[i]);
    }
    fixtures->count = 0;
}

/* The id in a file's header. */
static inline void fixtures_id(char id[256], const char *path)
{
    struct xylem_buffer text = {0};
    struct xylem_base__tree tree = {0};
    sandbox_read_file(&text, path);
    struct xylem_view line = {text.data, strcspn(text.data, "\n")};
    assert_int_equal(xylem_base__json_parse(&tree, line, NULL), XYLEM_OK);
    struct xylem_view found = xylem_value_string(xylem_value_get(tree.nodes, "id"));
    assert_true(found.bytes < 256);
    memcpy(id, found.data, found.bytes);
    id[found.bytes] = '\0';
    xylem_base__tree_release(&tree);
    xylem_buffer_release(&text);
}

/*
 * Imports a file; `among_others`: after those of its directory that come before it, so that it shares what it can. Some
 * files are of the same session: only the one that is asked for is imported.
 */
static inline void fixtures_import(struct sandbox *sandbox, const char *path, bool among_others)
{
    struct fixtures fixtures = {.count = 0};
    char directory[1024];
    char id[256];
    char other[256];
    snprintf(directory, sizeof directory, "%s", path);
    if (among_others) {
        fixtures_ordered(&fixtures, dirname(directory));
        fixtures_id(id, path);
    }
    for (size_t i = 0; i < fixtures.count && strcmp(fixtures.paths[i], path) != 0; i++) {
        fixtures_id(other, fixtures.paths[i]);
        if (strcmp(other, id) != 0) {
            assert_int_equal(sandbox_import_path(sandbox, fixtures.paths[i]), XYLEM_OK);
        }
    }
    fixtures_release(&fixtures);
    if (sandbox_import_path(sandbox, path) < 0) {
        fail_msg("%s: %s", path, sandbox->err.text);
    }
}

#endif
