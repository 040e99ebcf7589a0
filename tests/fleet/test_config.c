/* fleet/config.h: which fleet, and what goes there. */
#include "fleet/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/test.h"

static char directory[] = "/tmp/xylem-test-config-XXXXXX";
static char path[128];
static struct fleet_config config;
static struct xylem_error err;

static int set_up(void **state)
{
    (void)state;
    strcpy(strrchr(directory, '-'), "-XXXXXX");
    assert_non_null(mkdtemp(directory));
    setenv("XDG_CONFIG_HOME", directory, 1);
    setenv("HOME", "/home/sample", 1);
    unsetenv("XYLEM_FLEET");
    snprintf(path, sizeof path, "%s/xylem", directory);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/xylem/fleet", directory);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fleet_config_release(&config);
    unlink(path);
    *strrchr(path, '/') = '\0';
    rmdir(path);
    return rmdir(directory);
}

#define CONFIG_TEST(name) TEST_WITH(name, set_up, tear_down)

static void write_bytes(const char *text, size_t bytes)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0644), 0);
}

static int read_text(const char *text)
{
    write_bytes(text, strlen(text));
    fleet_config_release(&config);
    return fleet_config_read(&config, &err);
}

/* The error's text is FILE, and then this. */
static void refuses(const char *text, int code, const char *expected)
{
    assert_int_equal(read_text(text), code);
    assert_int_equal(err.code, code);
    assert_memory_equal(err.text, path, strlen(path));
    assert_string_equal(err.text + strlen(path), expected);
}

CONFIG_TEST(all_lines_are_read)
{
    assert_int_equal(read_text("# my fleet\n"
                               "\n"
                               "url postgresql://me@n1,n2:5433,n3/xylem?sslmode=verify-full\n"
                               "  directory   /srv/one/ \r\n"
                               "directory ~/two words\n"
                               "except a-1\nexcept b:2\n"
                               "host\tmaple\ngroup-ms 250\nsync"),
                     0);
    assert_string_equal(config.url, "postgresql://me@n1,n2:5433,n3/xylem?sslmode=verify-full");
    assert_int_equal(config.directories.count, 2);
    assert_string_equal(config.directories.words[0], "/srv/one");
    assert_string_equal(config.directories.words[1], "/home/sample/two words");
    assert_int_equal(config.except.count, 2);
    assert_string_equal(config.except.words[1], "b:2");
    assert_string_equal(config.host, "maple");
    assert_int_equal(config.group_ms, 250);
    assert_true(config.sync);
}

CONFIG_TEST(a_missing_file_is_an_empty_one)
{
    char name[256];
    assert_int_equal(fleet_config_read(&config, &err), 0);
    assert_string_equal(config.path, path);
    assert_null(config.url);
    assert_int_equal(config.directories.count, 0);
    assert_true(config.group_ms == UINT64_MAX);
    assert_false(config.sync);
    assert_int_equal(gethostname(name, sizeof name), 0);
    assert_string_equal(config.host, name);
}

CONFIG_TEST(without_a_home_there_is_no_file)
{
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("HOME");
    assert_int_equal(fleet_config_read(&config, &err), 0);
    assert_null(config.path);
}

CONFIG_TEST(the_variable_counts_more_than_the_line)
{
    setenv("XYLEM_FLEET", "postgres://other/xylem", 1);
    assert_int_equal(read_text("url postgresql://n1/xylem\nhost maple\n"), 0);
    assert_string_equal(config.url, "postgres://other/xylem");
    assert_string_equal(config.host, "maple");
}

CONFIG_TEST(a_password_is_refused_and_not_repeated)
{
    static const char *const urls[] = {"postgresql://me:secret@n1/xylem", "postgresql://:secret@n1/xylem",
                                       "postgresql://n1/xylem?password=secret",
                                       "postgresql://n1/xylem?sslpassword=secret"};
    static const char expected[] = ": the URL holds a password; write the password to ~/.pgpass instead, which only "
                                   "you may read (chmod 600)";
    char line[128];
    char where[256];
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        snprintf(line, sizeof line, "\nurl %s\n", urls[i]);
        snprintf(where, sizeof where, ":2%s", expected);
        refuses(line, XYLEM_E_ARGUMENT, where);
    }
    setenv("XYLEM_FLEET", urls[0], 1);
    assert_int_equal(read_text(""), XYLEM_E_ARGUMENT);
    snprintf(where, sizeof where, "XYLEM_FLEET%s", expected);
    assert_string_equal(err.text, where);
}

CONFIG_TEST(a_port_and_a_user_are_no_password)
{
    assert_int_equal(read_text("url postgresql://me@n1:5432,n2:5433/xylem\n"), 0);
    assert_int_equal(read_text("url postgresql://n1:5432/xylem?options=-c%20a@b:c\n"), 0);
    assert_int_equal(read_text("url postgresql://[::1]:5432/xylem\n"), 0);
}

CONFIG_TEST(a_wrong_line_is_named)
{
    refuses("url n1\n", XYLEM_E_ARGUMENT,
            ":1: expected a URL such as postgresql://n1,n2,n3/xylem, with every node of the fleet");
    refuses("#\n\nurls postgresql://n1/x\n", XYLEM_E_ARGUMENT,
            ":3: expected url, directory, except, host, group-ms or sync, found 'urls'");
    refuses("url", XYLEM_E_ARGUMENT, ":1: url needs a value");
    refuses("directory work\n", XYLEM_E_ARGUMENT, ":1: directory takes a path that begins with / or ~/");
    refuses("directory ~other/work\n", XYLEM_E_ARGUMENT, ":1: directory takes a path that begins with / or ~/");
    refuses("group-ms 20ms\n", XYLEM_E_ARGUMENT, ":1: group-ms takes a number from 0 to 60000");
    refuses("group-ms 60001\n", XYLEM_E_ARGUMENT, ":1: group-ms takes a number from 0 to 60000");
    refuses("group-ms 99999999999999999999\n", XYLEM_E_ARGUMENT, ":1: group-ms takes a number from 0 to 60000");
    refuses("sync yes\n", XYLEM_E_ARGUMENT, ":1: sync takes no value");
    refuses("host a\tb\n", XYLEM_E_ARGUMENT, ":1: host takes a name of at most 200 printable bytes");
    refuses("host \xff\n", XYLEM_E_ARGUMENT, ":1: host takes a name of at most 200 printable bytes");
}

CONFIG_TEST(a_line_with_a_nul_byte_is_refused)
{
    write_bytes("sync\nhost a\0b\n", 14);
    assert_int_equal(fleet_config_read(&config, &err), XYLEM_E_ARGUMENT);
    assert_string_equal(err.text + strlen(path), ":2: the line has a NUL byte");
}

CONFIG_TEST(limits_are_kept)
{
    static char text[FLEET_CONFIG_BYTES_MAX + 1];
    size_t bytes = 0;
    memset(text, '\n', sizeof text);
    write_bytes(text, FLEET_CONFIG_BYTES_MAX);
    assert_int_equal(fleet_config_read(&config, &err), 0);
    fleet_config_release(&config);
    write_bytes(text, sizeof text);
    assert_int_equal(fleet_config_read(&config, &err), XYLEM_E_LIMIT);
    fleet_config_release(&config);
    for (unsigned i = 0; i <= FLEET_CONFIG_WORDS_MAX; i++) {
        bytes += (size_t)sprintf(text + bytes, "except %u\n", i);
    }
    write_bytes(text, bytes);
    assert_int_equal(fleet_config_read(&config, &err), XYLEM_E_LIMIT);
    assert_string_equal(err.text + strlen(path), ":257: more than 256 lines of this kind");
    fleet_config_release(&config);
    memset(text, 'a', 201);
    memcpy(text, "except ", 7);
    write_bytes(text, 7 + 201);
    assert_int_equal(fleet_config_read(&config, &err), XYLEM_E_ARGUMENT);
    assert_string_equal(err.text + strlen(path), ":1: except takes the whole id of a session");
}

CONFIG_TEST(a_file_that_others_may_write_is_refused)
{
    char expected[512];
    write_bytes("sync\n", 5);
    snprintf(expected, sizeof expected, "%s: others may write to the file that says where sessions go: chmod go-w %s",
             path, path);
    for (mode_t mode = 0620; mode > 0; mode = mode == 0620 ? 0602 : 0) {
        assert_int_equal(chmod(path, mode), 0);
        fleet_config_release(&config);
        assert_int_equal(fleet_config_read(&config, &err), XYLEM_E_CONFLICT);
        assert_string_equal(err.text, expected);
    }
}

CONFIG_TEST(what_is_no_file_is_refused)
{
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(fleet_config_read(&config, &err), XYLEM_E_ARGUMENT);
    assert_string_equal(err.text + strlen(path), " is no file");
}

CONFIG_TEST(directories_cover_what_lies_below)
{
    assert_int_equal(read_text("directory /srv/one\n"), 0);
    assert_true(fleet_config_covers(&config.directories, xylem_view_of("/srv/one")));
    assert_true(fleet_config_covers(&config.directories, xylem_view_of("/srv/one/two")));
    assert_false(fleet_config_covers(&config.directories, xylem_view_of("/srv/one-two")));
    assert_false(fleet_config_covers(&config.directories, xylem_view_of("/srv")));
    assert_false(fleet_config_covers(&config.directories, (struct xylem_view){NULL, 0}));
    assert_int_equal(read_text("directory /\n"), 0);
    assert_true(fleet_config_covers(&config.directories, xylem_view_of("/srv")));
    assert_false(fleet_config_covers(&config.directories, (struct xylem_view){NULL, 0}));
}
