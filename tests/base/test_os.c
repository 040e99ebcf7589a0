/* Where files of a user's configuration lie. */

#include <stdlib.h>

#include "base/os.h"
#include "tests/lib/test.h"

static void set(const char *name, const char *value)
{
    assert_int_equal(value ? setenv(name, value, 1) : unsetenv(name), 0);
}

static void assert_path(const char *config, const char *home, const char *expected)
{
    struct xylem_error err;
    char *path;
    set("XDG_CONFIG_HOME", config);
    set("HOME", home);
    assert_int_equal(xylem_base__config_path(&path, "file", &err), XYLEM_OK);
    if (expected) {
        assert_non_null(path);
        assert_string_equal(path, expected);
    } else {
        assert_null(path);
    }
    free(path);
}

TEST(a_file_of_the_configuration_lies_below_the_first_absolute_variable)
{
    assert_path("/config", "/home/sample", "/config/xylem/file");
    assert_path("/config", NULL, "/config/xylem/file");
    assert_path(NULL, "/home/sample", "/home/sample/.config/xylem/file");
    assert_path("", "/home/sample", "/home/sample/.config/xylem/file");
    assert_path("config", "/home/sample", "/home/sample/.config/xylem/file");
    assert_path("config", "home", NULL);
    assert_path(NULL, "", NULL);
    assert_path(NULL, NULL, NULL);
}
