#include <string.h>

#include "tests/lib/test.h"
#include "xylem/reads.h"

#define CWD "/srv/dir"
#define HOME "/home/ada"

struct keyed {
    const char *input;
    const char *key; /* NULL: refused as malformed */
};

static void assert_keyed(const struct keyed *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct xylem_buffer key = {0};
        struct xylem_error err = {0};
        int code = xylem_path_key(&key, xylem_view_of(cases[i].input), CWD, HOME, &err);
        if (!cases[i].key) {
            if (code != XYLEM_E_MALFORMED || key.bytes != 0) {
                fail_msg("'%s': expected a refusal, found %d '%s'", cases[i].input, code, key.data ? key.data : "");
            }
        } else if (code != 0 || strcmp(key.data, cases[i].key) != 0 || strlen(key.data) != key.bytes) {
            fail_msg("'%s': expected '%s', found %d '%s' %s", cases[i].input, cases[i].key, code,
                     key.data ? key.data : "", err.text);
        }
        xylem_buffer_release(&key);
    }
}

#define ASSERT_KEYED(...)                                  \
    do {                                                   \
        static const struct keyed cases[] = {__VA_ARGS__}; \
        assert_keyed(cases, sizeof cases / sizeof *cases); \
    } while (0)

TEST(a_relative_path_begins_at_the_working_directory)
{
    ASSERT_KEYED({"f", CWD "/f"}, {"a/b.c", CWD "/a/b.c"}, {"./f", CWD "/f"}, {"", CWD}, {".", CWD}, {" ", CWD "/ "},
                 {"a b", CWD "/a b"}, {"-f", CWD "/-f"}, {"F", CWD "/F"}, {"\xC3\xA9", CWD "/\xC3\xA9"});
}

TEST(an_absolute_path_stays)
{
    ASSERT_KEYED({"/", "/"}, {"/f", "/f"}, {"/a/b", "/a/b"}, {"/A b", "/A b"}, {"/a\tb", "/a\tb"}, {"/a\\b", "/a\\b"},
                 {"/a%20b", "/a%20b"});
}

TEST(dots_and_slashes_go_by_the_text_alone)
{
    ASSERT_KEYED({"/a/./b", "/a/b"}, {"/a/../b", "/b"}, {"/a/b/../../c", "/c"}, {"/..", "/"}, {"/../../x", "/x"},
                 {"//x", "/x"}, {"/a//b///c", "/a/b/c"}, {"/a/", "/a"}, {"/a/b/..", "/a"}, {"/a/b/.", "/a/b"},
                 {"..", "/srv"}, {"../..", "/"}, {"../../../x", "/x"}, {"link/../f", CWD "/f"}, {"/...", "/..."},
                 {"/a/.b", "/a/.b"}, {"/a/b..", "/a/b.."});
}

TEST(unicode_spaces_become_a_space)
{
    ASSERT_KEYED({"a\xC2\xA0"
                  "b",
                  CWD "/a b"},
                 {"a\xE2\x80\x80"
                  "b",
                  CWD "/a b"},
                 {"a\xE2\x80\x8A"
                  "b",
                  CWD "/a b"},
                 {"a\xE2\x80\xAF"
                  "b",
                  CWD "/a b"},
                 {"a\xE2\x81\x9F"
                  "b",
                  CWD "/a b"},
                 {"a\xE3\x80\x80"
                  "b",
                  CWD "/a b"},
                 /* U+200B, U+FEFF, U+1680 and U+202E are no spaces of the rule */
                 {"a\xE2\x80\x8B"
                  "b",
                  CWD "/a\xE2\x80\x8B"
                      "b"},
                 {"a\xEF\xBB\xBF"
                  "b",
                  CWD "/a\xEF\xBB\xBF"
                      "b"},
                 {"a\xE1\x9A\x80"
                  "b",
                  CWD "/a\xE1\x9A\x80"
                      "b"},
                 {"a\xE2\x80\xAE"
                  "b",
                  CWD "/a\xE2\x80\xAE"
                      "b"});
}

TEST(a_leading_at_goes_once)
{
    ASSERT_KEYED({"@f", CWD "/f"}, {"@@f", CWD "/@f"}, {"@", CWD}, {"@/etc/x", "/etc/x"}, {"@~/x", HOME "/x"},
                 {"a@b", CWD "/a@b"}, {" @f", CWD "/ @f"}, {"@file:///x", "/x"}, {"/@f", "/@f"});
}

TEST(a_tilde_is_the_home)
{
    ASSERT_KEYED({"~", HOME}, {"~/", HOME}, {"~/x", HOME "/x"}, {"~//x", HOME "/x"}, {"~/../x", "/home/x"},
                 {"~bob/x", CWD "/~bob/x"}, {"a/~", CWD "/a/~"}, {"~~", CWD "/~~"}, {"\\~/x", CWD "/\\~/x"});
}

TEST(a_file_url_is_decoded)
{
    ASSERT_KEYED(
        {"file:///a", "/a"}, {"file://localhost/a", "/a"}, {"file://LocalHost/a", "/a"}, {"file:///a%20b", "/a b"},
        {"file:///%C3%A9", "/\xC3\xA9"}, {"file:///a%2525", "/a%25"}, {"file:///a%7Eb", "/a~b"}, {"file:///%5c", "/\\"},
        {"file:///a%C2%A0b", "/a\xC2\xA0"
                             "b"},
        {"file://", "/"}, {"file:///", "/"}, {"file://localhost", "/"}, {"file:////a//b", "/a/b"},
        {"file:///a/./b/../c", "/a/c"}, {"file:///a/%2e%2E/b", "/b"}, {"file:///a/.%2e/b", "/b"},
        {"file:///%2e/b", "/b"}, {"file:///..", "/"}, {"file:///a?b", "/a"}, {"file:///a#b", "/a"}, {"file://?x", "/"},
        {"file:///a%3Fb", "/a?b"}, {"file:///a\\b", "/a/b"}, {"file:///a\tb\n", "/ab"}, {"file:///a ", "/a"},
        {"file:///a b", "/a b"}, {"file:///a//../b", "/a/b"}, {"file:///~", "/~"}, {"file:///@a", "/@a"},
        {"file:///a\xC3\xA9", "/a\xC3\xA9"}, {"file:///a...", "/a..."}, {"file:///%2e%2e%2e", "/..."});
}

TEST(other_texts_with_file_are_names)
{
    ASSERT_KEYED({"file:/a", CWD "/file:/a"}, {"FILE:///a", CWD "/FILE:/a"}, {" file:///a", CWD "/ file:/a"},
                 {"file", CWD "/file"}, {"http://x/a", CWD "/http:/x/a"});
}

TEST(a_bad_url_is_refused)
{
    ASSERT_KEYED({"file://host/a", NULL}, {"file://localhostx/a", NULL}, {"file://localhos/a", NULL},
                 {"file://127.0.0.1/a", NULL}, {"file:///a%2Fb", NULL}, {"file:///a%2fb", NULL}, {"file:///a%00", NULL},
                 {"file:///a%", NULL}, {"file:///a%2", NULL}, {"file:///a%zz", NULL}, {"file:///a%ff", NULL},
                 {"file:///a%C3", NULL}, {"file:///%C3\xA9", NULL}, {"file:///%ED%A0%80", NULL},
                 {"file:///%C0%AF", NULL}, {"file:///C:/a", NULL}, {"file:///c|/a", NULL}, {"file://C:/a", NULL},
                 {"file:///a/../C:/b", NULL});
}

TEST(a_nul_is_refused)
{
    struct xylem_buffer key = {0};
    struct xylem_error err;
    assert_int_equal(xylem_path_key(&key, (struct xylem_view){"a\0b", 3}, CWD, HOME, &err), XYLEM_E_MALFORMED);
    assert_string_equal(err.text, "path: it has a NUL byte");
    assert_int_equal(key.bytes, 0);
    xylem_buffer_release(&key);
}

TEST(a_lone_surrogate_becomes_the_replacement_character)
{
    ASSERT_KEYED({"a\xED\xA0\x80", CWD "/a\xEF\xBF\xBD"}, {"\xED\xBF\xBF", CWD "/\xEF\xBF\xBD"});
}

TEST(bytes_that_are_no_text_stay)
{
    ASSERT_KEYED({"a\xFF", CWD "/a\xFF"}, {"\x80\xC2", CWD "/\x80\xC2"}, {"/\xE2\x80", "/\xE2\x80"});
}

TEST(a_home_that_is_relative_or_unknown)
{
    struct xylem_buffer key = {0};
    assert_int_equal(xylem_path_key(&key, xylem_view_of("~/x"), CWD, "rel", NULL), 0);
    assert_string_equal(key.data, CWD "/rel/x");
    assert_int_equal(xylem_path_key(&key, xylem_view_of("~/x"), CWD, NULL, NULL), XYLEM_E_MALFORMED);
    assert_int_equal(xylem_path_key(&key, xylem_view_of("~"), CWD, "", NULL), XYLEM_E_MALFORMED);
    assert_int_equal(xylem_path_key(&key, xylem_view_of("x"), CWD, NULL, NULL), 0);
    assert_int_equal(xylem_path_key(&key, xylem_view_of("x"), "rel", NULL, NULL), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_path_key(&key, xylem_view_of("x"), NULL, NULL, NULL), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_path_key(&key, (struct xylem_view){NULL, 1}, CWD, NULL, NULL), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_path_key(NULL, xylem_view_of("x"), CWD, NULL, NULL), XYLEM_E_ARGUMENT);
    xylem_buffer_release(&key);
}

TEST(a_path_has_at_most_4095_bytes_when_resolved)
{
    static char input[9000];
    struct xylem_buffer key = {0};
    memset(input, 'a', 4096);
    input[0] = '/';
    assert_int_equal(xylem_path_key(&key, (struct xylem_view){input, 4095}, CWD, HOME, NULL), 0);
    assert_int_equal(key.bytes, 4095);
    assert_int_equal(xylem_path_key(&key, (struct xylem_view){input, 4096}, CWD, HOME, NULL), XYLEM_E_LIMIT);
    assert_int_equal(key.bytes, 0);
    for (size_t i = 0; i + 3 <= sizeof input; i += 3) {
        memcpy(input + i, "x/.", 3); /* x/.x/.x/. */
    }
    for (size_t i = 0; i + 5 <= sizeof input; i += 5) {
        memcpy(input + i, "x/../", 5);
    }
    assert_int_equal(xylem_path_key(&key, (struct xylem_view){input, 9000}, CWD, HOME, NULL), 0);
    assert_string_equal(key.data, CWD);
    xylem_buffer_release(&key);
}
