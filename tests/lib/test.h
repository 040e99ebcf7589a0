/*
 * A test file is a list of TEST(a_rule_as_a_sentence) { ... }. Each test registers itself; tests/lib/test.c runs the
 * tests of a file in the file's order.
 */
#ifndef XYLEM_TESTS_LIB_TEST_H
#define XYLEM_TESTS_LIB_TEST_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

/* A test of a file; `next` is set by test_register(). */
struct test_case {
    const char *file;
    const char *name;
    CMUnitTestFunction run;
    CMFixtureFunction set_up;    /* may be NULL */
    CMFixtureFunction tear_down; /* may be NULL */
    struct test_case *next;
};

/* A file's own set-up around all of its tests, or a second round of them: both are optional. */
struct test_file {
    const char *file;
    const char *round; /* NULL: these are the fixtures of every round; else: the tests run once more under this name */
    CMFixtureFunction set_up;
    CMFixtureFunction tear_down;
    struct test_file *next;
};

void test_register(struct test_case *test);
void test_register_file(struct test_file *file);

/* TEST() with functions that run before and after the test. */
#define TEST_WITH(test, before, after)                                                         \
    static void test(void **state);                                                            \
    __attribute__((constructor)) static void register_##test(void)                             \
    {                                                                                          \
        static struct test_case test_case = {__BASE_FILE__, #test, test, before, after, NULL}; \
        test_register(&test_case);                                                             \
    }                                                                                          \
    static void test(__attribute__((unused)) void **state)

/* A test that stands above, once more under the name test_how, with other functions around. */
#define TEST_AGAIN(test, how, before, after)                                                            \
    __attribute__((constructor)) static void register_##test##_##how(void)                              \
    {                                                                                                   \
        static struct test_case test_case = {__BASE_FILE__, #test "_" #how, test, before, after, NULL}; \
        test_register(&test_case);                                                                      \
    }

#define TEST(test) TEST_WITH(test, NULL, NULL)

/* Once before the first test of the file, and once after the last. */
#define TEST_FILE(before, after)                                                        \
    __attribute__((constructor)) static void register_file(void)                        \
    {                                                                                   \
        static struct test_file test_file = {__BASE_FILE__, NULL, before, after, NULL}; \
        test_register_file(&test_file);                                                 \
    }

/* All tests of the file run a second time, between these. */
#define TEST_FILE_ROUND(name, before, after)                                            \
    __attribute__((constructor)) static void register_round(void)                       \
    {                                                                                   \
        static struct test_file test_file = {__BASE_FILE__, name, before, after, NULL}; \
        test_register_file(&test_file);                                                 \
    }

/* The rounds of a long test: a quarter of `usual`, and one at least, where XYLEM_SHORT is set, as `make check` does. */
unsigned test_rounds(unsigned usual);
/* Makes a directory, and writes its path: `name` below $TMPDIR, else below /tmp. */
void test_directory_make(char *path, size_t bytes, const char *name);
/* Removes a directory with all files in it, if the directory is there. */
void test_directory_remove(const char *path);
/* The names in a directory, without itself and its parent. */
unsigned test_directory_count(const char *path);
/* The number in a variable of the surroundings. */
uint64_t test_number_from(const char *name, uint64_t otherwise);
/* Runs XYLEM_SEED alone; without that variable new seeds, XYLEM_ROUNDS of them or `rounds`. */
void test_seeds(void (*run_seed)(uint64_t seed), uint64_t rounds);

#endif
