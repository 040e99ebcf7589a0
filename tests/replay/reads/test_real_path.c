/* The paths of files that are there, and of files that are not there yet. */
#include "tests/replay/reads/place.h"
#include "xylem/reads.h"

static void assert_real(const char *path, const char *expected)
{
    struct xylem_buffer key = {0};
    struct xylem_error err = {0};
    int code = xylem_path_real(&key, path, &err);
    if (code != 0 || strcmp(key.data, expected) != 0 || strlen(key.data) != key.bytes) {
        fail_msg("%s: expected %s, found %d %s %s", path, expected, code, key.data ? key.data : "", err.text);
    }
    xylem_buffer_release(&key);
}

static void assert_refused(const char *path, int expected)
{
    struct xylem_buffer key = {0};
    struct xylem_error err = {0};
    assert_int_equal(xylem_path_real(&key, path, &err), expected);
    assert_int_equal(err.code, expected);
    assert_int_equal(key.bytes, 0);
    xylem_buffer_release(&key);
}

IN_PLACE(a_file_behind_links_has_one_key)
{
    assert_int_equal(mkdir(place("d"), 0755), 0);
    place_text("d/f", "x");
    assert_int_equal(symlink("d", place("l")), 0);
    assert_int_equal(symlink(place("l/f"), place("file")), 0);
    assert_real(place("d/f"), place("d/f"));
    assert_real(place("l/f"), place("d/f"));
    assert_real(place("file"), place("d/f"));
    assert_real(place("l"), place("d"));
    assert_real("/", "/");
}

IN_PLACE(a_new_file_behind_a_linked_directory_has_one_key)
{
    assert_int_equal(mkdir(place("d"), 0755), 0);
    assert_int_equal(symlink("d", place("l")), 0);
    assert_real(place("l/new"), place("d/new"));
    assert_real(place("l/new/deep/f"), place("d/new/deep/f"));
    assert_real(place("d/new"), place("d/new"));
    assert_real("/no such directory/f", "/no such directory/f");
}

IN_PLACE(a_link_to_a_missing_file_leads_to_the_file)
{
    assert_int_equal(mkdir(place("d"), 0755), 0);
    assert_int_equal(symlink("d/f", place("lost")), 0);
    assert_int_equal(symlink("lost", place("twice")), 0);
    assert_int_equal(symlink("./d/./f", place("dots")), 0);
    assert_int_equal(symlink("d/../d/f", place("up")), 0);
    assert_int_equal(symlink("d/f/", place("slash")), 0);
    assert_int_equal(symlink("/nowhere/f", place("far")), 0);
    assert_int_equal(symlink("none/../f", place("through")), 0);
    assert_real(place("lost"), place("d/f"));
    assert_real(place("twice"), place("d/f"));
    assert_real(place("dots"), place("d/f"));
    assert_real(place("up"), place("d/f"));
    assert_real(place("slash"), place("d/f"));
    assert_real(place("far"), "/nowhere/f");
    assert_refused(place("through"), XYLEM_E_IO);
    place_text("d/f", "x");
    assert_real(place("twice"), place("d/f"));
}

IN_PLACE(a_missing_directory_behind_a_link_is_resolved)
{
    assert_int_equal(symlink("gone", place("l")), 0);
    assert_real(place("l/a/b"), place("gone/a/b"));
}

IN_PLACE(a_name_below_a_file_stays_below)
{
    place_text("f", "x");
    assert_real(place("f/x"), place("f/x"));
}

IN_PLACE(links_in_a_circle_are_refused)
{
    assert_int_equal(symlink("round", place("round")), 0);
    assert_int_equal(symlink("b", place("a")), 0);
    assert_int_equal(symlink("a", place("b")), 0);
    assert_refused(place("round"), XYLEM_E_IO);
    assert_refused(place("a"), XYLEM_E_IO);
    assert_refused(place("a/f"), XYLEM_E_IO);
}

IN_PLACE(a_directory_without_permission_keeps_its_names)
{
    assert_int_equal(mkdir(place("d"), 0755), 0);
    assert_int_equal(mkdir(place("d/e"), 0755), 0);
    assert_int_equal(chmod(place("d"), 0), 0);
    place_lose_rights();
    assert_real(place("d/e/f"), place("d/e/f"));
    place_get_rights();
    assert_int_equal(chmod(place("d"), 0755), 0);
}

IN_PLACE(a_path_that_is_too_long_is_refused)
{
    char name[PATH_MAX + 400];
    int begin = snprintf(name, sizeof name, "%s/", place_root);
    memset(name + begin, 'a', 300);
    name[begin + 300] = '\0';
    assert_refused(name, XYLEM_E_LIMIT); /* a name of 300 bytes */
    for (int i = begin; i < PATH_MAX + 300; i++) {
        name[i] = i % 2 ? 'a' : '/';
    }
    name[PATH_MAX + 300] = '\0';
    assert_refused(name, XYLEM_E_LIMIT);
}

TEST(a_relative_path_is_refused)
{
    assert_refused("f", XYLEM_E_ARGUMENT);
    assert_refused("", XYLEM_E_ARGUMENT);
    assert_refused(NULL, XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_path_real(NULL, "/", NULL), XYLEM_E_ARGUMENT);
}
