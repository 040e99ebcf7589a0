/* Where a path leads for every process alike. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "judge/hook/real_path.h"
#include "tests/lib/chance.h"
#include "tests/lib/test.h"

static char root[PATH_MAX];
static struct xylem_hook__reached reached = {.fd = -1};

static const char *place(const char *name)
{
    static char paths[4][PATH_MAX + 64];
    static size_t turn;
    turn = (turn + 1) % 4;
    snprintf(paths[turn], sizeof paths[turn], "%s/%s", root, name);
    return paths[turn];
}

/* d/e/f (a file), l -> d/e, a -> the root of all this, up -> d/.., lost -> nowhere, round -> round */
static int set_up(void **state)
{
    char template[256];
    FILE *file;
    (void)state;
    test_directory_make(template, sizeof template, "real-path");
    assert_non_null(realpath(template, root));
    assert_int_equal(mkdir(place("d"), 0755), 0);
    assert_int_equal(mkdir(place("d/e"), 0755), 0);
    file = fopen(place("d/e/f"), "w");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(symlink("d/e", place("l")), 0);
    assert_int_equal(symlink(root, place("a")), 0);
    assert_int_equal(symlink("d/..", place("up")), 0);
    assert_int_equal(symlink("nowhere", place("lost")), 0);
    assert_int_equal(symlink("d/e/f/x", place("beyond")), 0);
    assert_int_equal(symlink("round", place("round")), 0);
    assert_int_equal(symlink("/proc/self/cwd", place("kernel")), 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    xylem_hook__reached_release(&reached);
    test_directory_remove(root);
    return 0;
}

static void assert_leads(const char *path, const char *expected)
{
    struct xylem_hook__real_path real;
    const char *why = xylem_hook__real_path(&real, &reached, path);
    if (why || !real.found) {
        print_message("%s: %s\n", path, why ? why : "not found");
    }
    assert_null(why);
    assert_true(real.found);
    assert_string_equal(real.path, expected);
}

static void assert_absent(const char *path)
{
    struct xylem_hook__real_path real;
    assert_null(xylem_hook__real_path(&real, &reached, path));
    assert_false(real.found);
}

static void assert_refused(const char *path, const char *expected)
{
    struct xylem_hook__real_path real;
    const char *why = xylem_hook__real_path(&real, &reached, path);
    if (!why || !strstr(why, expected)) {
        print_message("%s: %s\n", path, why ? why : "followed");
    }
    assert_non_null(why);
    assert_non_null(strstr(why, expected));
}

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

IN_SCENE(links_and_dots_are_followed)
{
    char expected[PATH_MAX];
    (void)state;
    snprintf(expected, sizeof expected, "%s", place("d/e/f"));
    assert_leads(place("d/e/f"), expected);
    assert_leads(place("l/f"), expected);
    assert_leads(place("l/../e/./f"), expected);
    assert_leads(place("a/a//l/f"), expected);
    assert_leads(place("up/up/l/f"), expected);
    assert_leads(place("a"), root);
    assert_leads(place("up/"), root);
    assert_leads("/", "/");
    assert_leads("/../..", "/");
}

IN_SCENE(what_is_not_there_is_absent)
{
    assert_absent(place("nowhere"));
    assert_absent(place("l/nowhere"));
    assert_absent(place("nowhere/at/all"));
    assert_absent(place("d/e/f/x"));
    assert_absent(place("l/f/x"));
}

IN_SCENE(a_link_without_a_target_is_not_absent)
{
    assert_refused(place("lost"), "no target");
    assert_refused(place("lost/x"), "no target");
    assert_refused(place("beyond"), "no target");
    assert_refused(place("round"), "too many");
}

IN_SCENE(what_the_kernel_makes_up_is_refused)
{
    static const char *const paths[] = {
        "/proc",      "/proc/self",           "/proc/self/cwd/x", "/proc/self/nowhere/..",  "/dev/fd",   "/dev/fd/0",
        "/dev/stdin", "/proc/self/../../tmp", "/proc/mounts",     "/proc/thread-self/root", "/../proc/1"};
    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        assert_refused(paths[i], "/proc or /sys");
    }
    assert_refused(place("kernel"), "/proc or /sys");
    assert_refused(place("kernel/d"), "/proc or /sys");
}

/* A root that a person entered with chroot has no /sys. */
IN_SCENE(what_the_kernel_makes_up_in_sys_is_refused)
{
    (void)state;
    if (access("/sys/kernel", F_OK) != 0) {
        skip();
    }
    assert_refused("/sys/kernel", "/proc or /sys");
}

/* The kernel may refuse to follow such a link, as fs.protected_symlinks has it. */
IN_SCENE(a_strangers_link_in_a_directory_for_all_is_not_followed)
{
    if (geteuid() != 0) {
        skip();
    }
    assert_int_equal(mkdir(place("all"), 0755), 0);
    assert_int_equal(chmod(place("all"), 01777), 0);
    assert_int_equal(symlink("../d", place("all/own")), 0);
    assert_int_equal(symlink("../d", place("all/strange")), 0);
    assert_int_equal(lchown(place("all/strange"), 12345, 12345), 0);
    assert_leads(place("all/own/e"), place("d/e"));
    assert_refused(place("all/strange/e"), "cannot be followed");
}

IN_SCENE(a_path_that_is_too_long_or_relative_is_refused)
{
    char *path = malloc(2 * PATH_MAX);
    (void)state;
    assert_non_null(path);
    memset(path, '/', 2 * PATH_MAX);
    path[PATH_MAX - 1] = '\0';
    assert_leads(path, "/");
    path[PATH_MAX - 1] = '/';
    path[PATH_MAX] = '\0';
    assert_refused(path, "too long");
    memset(path + 1, 'x', NAME_MAX + 1);
    assert_refused(path, "too long");
    free(path);
    assert_refused("d/e", "absolute");
    assert_refused("", "absolute");
}

/* Any path of these names leads to where realpath(3) says. */
IN_SCENE(any_path_leads_to_where_the_kernel_says)
{
    static const char *const names[] = {"d", "e", "f", "l", "a", "up", "lost", "round", "..", ".", "", "nowhere"};
    struct chance chance = chance_of(1);
    size_t found = 0;
    (void)state;
    for (size_t round = 0; round < 3000; round++) {
        char path[PATH_MAX];
        char expected[PATH_MAX];
        struct xylem_hook__real_path real;
        int bytes = snprintf(path, sizeof path, "%s", root);

        for (int i = chance_below(&chance, 6); i-- > 0;) {
            bytes += snprintf(path + bytes, sizeof path - (size_t)bytes, "/%s",
                              names[chance_below(&chance, (int)(sizeof names / sizeof names[0]))]);
        }
        const char *why = xylem_hook__real_path(&real, &reached, path);
        bool exists = realpath(path, expected) != NULL;
        bool may_be_seen = why == NULL && real.found;
        if (exists != may_be_seen) {
            print_message("%s: %s\n", path, exists ? "refused" : "found");
        }
        assert_int_equal(exists, may_be_seen);
        if (exists) {
            found++;
            assert_string_equal(real.path, expected);
        }
    }
    assert_true(found > 300);
}
