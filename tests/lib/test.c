/*
 * The main() of every test program. The test files of a room are one program; each has a link to it under its own name,
 * and the program runs the file by whose name it was started: build/tests/store/test_rows runs tests/store/test_rows.c.
 */
#include "tests/lib/test.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct test_case *tests;
static struct test_case **tests_end = &tests;
static struct test_file *files;

/* Constructors run file by file, and within a file from top to bottom. */
void test_register(struct test_case *test)
{
    *tests_end = test;
    tests_end = &test->next;
}

void test_register_file(struct test_file *file)
{
    file->next = files;
    files = file;
}

/* "tests/store/test_rows.c" is called test_rows. */
static bool is_called(const char *file, const char *name)
{
    const char *slash = strrchr(file, '/');
    const char *last = slash ? slash + 1 : file;
    size_t bytes = strlen(last) - strlen(".c");
    return strlen(name) == bytes && memcmp(last, name, bytes) == 0;
}

/* cmocka prints that the tear-down of a group failed, and passes the group: the failure is noted here. */
static CMFixtureFunction file_tear_down;
static bool torn_down;

static int tear_down_file(void **state)
{
    torn_down = file_tear_down(state) == 0;
    return torn_down ? 0 : -1;
}

static int run_round(const char *file, const char *round, CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    size_t count = 0;
    for (const struct test_case *test = tests; test; test = test->next)
        count += strcmp(test->file, file) == 0;
    struct CMUnitTest *group = calloc(count, sizeof *group);
    if (!group)
        abort();
    size_t i = 0;
    for (const struct test_case *test = tests; test; test = test->next)
        if (strcmp(test->file, file) == 0)
            group[i++] = (struct CMUnitTest){test->name, test->run, test->set_up, test->tear_down, NULL};
    file_tear_down = tear_down;
    torn_down = !tear_down;
    int failed = _cmocka_run_group_tests(round, group, count, set_up, tear_down ? tear_down_file : NULL);
    free(group);
    return failed + !torn_down;
}

static int run_file(const char *file)
{
    const struct test_file *all = NULL;
    for (const struct test_file *given = files; given; given = given->next)
        if (strcmp(given->file, file) == 0 && !given->round)
            all = given;
    int failed = run_round(file, file, all ? all->set_up : NULL, all ? all->tear_down : NULL);
    for (const struct test_file *given = files; given; given = given->next)
        if (strcmp(given->file, file) == 0 && given->round)
            failed += run_round(file, given->round, given->set_up, given->tear_down);
    return failed;
}

unsigned test_rounds(unsigned usual)
{
    return getenv("XYLEM_SHORT") ? (usual + 3) / 4 : usual;
}

uint64_t test_number_from(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return !text || *text == '\0' ? otherwise : strtoull(text, NULL, 10);
}

void test_seeds(void (*run_seed)(uint64_t seed), uint64_t rounds)
{
    uint64_t first = test_number_from("XYLEM_SEED", (uint64_t)time(NULL) * 1000u);
    rounds = getenv("XYLEM_SEED") ? 1 : test_number_from("XYLEM_ROUNDS", rounds);
    print_message("seeds %" PRIu64 " to %" PRIu64 "\n", first, first + rounds - 1);
    for (uint64_t i = 0; i < rounds; i++) {
        run_seed(first + i);
    }
}

void test_directory_make(char *path, size_t bytes, const char *name)
{
    const char *parent = getenv("TMPDIR");
    int written = snprintf(path, bytes, "%s/xylem-%s-XXXXXX", parent && *parent ? parent : "/tmp", name);
    assert_in_range(written, 1, bytes - 1);
    assert_non_null(mkdtemp(path));
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

void test_directory_remove(const char *path)
{
    assert_true(access(path, F_OK) != 0 || nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0);
}

unsigned test_directory_count(const char *path)
{
    unsigned count = 0;
    DIR *directory = opendir(path);
    assert_non_null(directory);
    while (readdir(directory)) {
        count++;
    }
    closedir(directory);
    return count - 2;
}

int main(void)
{
    for (const struct test_case *test = tests; test; test = test->next)
        if (is_called(test->file, program_invocation_short_name))
            return run_file(test->file) > 0;
    fprintf(stderr, "%s: no test file has this name\n", program_invocation_name);
    return 2;
}
