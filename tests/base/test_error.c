#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "tests/lib/test.h"

#define CODE_ROW(name, value, text) {name, value, text, #name},
static const struct code {
    int code;
    int value;
    const char *text;
    const char *name;
} codes[] = {XYLEM_CODE_LIST(CODE_ROW)};
#define CODE_COUNT (sizeof codes / sizeof *codes)

TEST(every_code_has_a_value_a_text_and_a_name_of_its_own)
{
    for (size_t i = 0; i < CODE_COUNT; i++) {
        assert_int_equal(codes[i].code, -(int)i);
        assert_int_equal(codes[i].code, codes[i].value);
        assert_string_equal(xylem_code_text(codes[i].code), codes[i].text);
        assert_string_equal(xylem_code_name(codes[i].code), codes[i].name);
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(codes[i].text, codes[j].text);
        }
    }
    assert_string_equal(xylem_code_name(-7), "XYLEM_E_CONFLICT");
    assert_string_equal(xylem_code_name(1), "unknown");
    assert_string_equal(xylem_code_name(-(int)CODE_COUNT), "unknown");
    assert_string_equal(xylem_code_text(1), "unknown code");
    assert_string_equal(xylem_code_text(-(int)CODE_COUNT), "unknown code");
    assert_string_equal(xylem_version(), XYLEM_VERSION);
}

TEST(a_failure_gives_its_code_with_and_without_an_error)
{
    struct xylem_error err = {0};
    assert_int_equal(xylem_base__fail(NULL, XYLEM_E_LIMIT, "%d", 1), XYLEM_E_LIMIT);
    assert_int_equal(xylem_base__fail(&err, XYLEM_E_NOT_FOUND, "session %s: none of this id", "a"), XYLEM_E_NOT_FOUND);
    assert_int_equal(err.code, XYLEM_E_NOT_FOUND);
    assert_string_equal(err.text, "session a: none of this id");
    assert_int_equal(xylem_base__fail_memory(&err), XYLEM_E_MEMORY);
    assert_int_equal(err.code, XYLEM_E_MEMORY);
}

TEST(what_a_terminal_acts_on_is_escaped)
{
    struct xylem_error err;
    xylem_base__fail(&err, XYLEM_E_ARGUMENT, "%s", "a\x1b[31m\nb\x7f \xC2\x9B \xE2\x80\xA8 \xE2\x80\xAE \xFF \xC3\xA9");
    assert_string_equal(err.text, "a\\x1b[31m\\x0ab\\x7f \\xc2\\x9b \\xe2\\x80\\xa8 \\xe2\\x80\\xae \\xff \xC3\xA9");
}

TEST(a_long_text_is_cut_between_characters)
{
    char raw[1024];
    for (size_t shift = 0; shift < 4; shift++) {
        struct xylem_error err;
        memset(raw, 'a', shift);
        for (size_t i = shift; i + 4 < sizeof raw; i += 3) {
            memcpy(raw + i, "\xE2\x82\xAC", 4);
        }
        xylem_base__fail(&err, XYLEM_E_ARGUMENT, "%s", raw);
        size_t bytes = strlen(err.text);
        assert_true(bytes < sizeof err.text);
        /* The first formatting may cut a character; what is left of it is escaped, and escapes are whole. */
        for (size_t i = 0; i < bytes;) {
            size_t shown = xylem_base__utf8_shown_bytes(err.text + i, bytes - i);
            assert_true(shown > 0);
            i += shown;
        }
    }
    struct xylem_error err;
    memset(raw, '\x01', sizeof raw - 1);
    raw[sizeof raw - 1] = '\0';
    xylem_base__fail(&err, XYLEM_E_ARGUMENT, "%s", raw);
    assert_int_equal(strlen(err.text) % 4, 0);
}

TEST(a_failed_system_call_names_call_path_and_reason)
{
    struct xylem_error err;
    assert_int_equal(xylem_base__fail_errno(&err, ENOSPC, "cannot write", "/tmp/x"), XYLEM_E_NO_SPACE);
    assert_string_equal(err.text, "cannot write /tmp/x: No space left on device");
    assert_int_equal(xylem_base__fail_errno(&err, EDQUOT, "cannot write", "x"), XYLEM_E_NO_SPACE);
    assert_int_equal(xylem_base__fail_errno(&err, EFBIG, "cannot write", "x"), XYLEM_E_NO_SPACE);
    assert_int_equal(xylem_base__fail_errno(&err, ENOMEM, "cannot map", "x"), XYLEM_E_MEMORY);
    assert_int_equal(xylem_base__fail_errno(&err, EACCES, "cannot open", "x"), XYLEM_E_IO);
    assert_int_equal(xylem_base__fail_errno(&err, 999999, "cannot open", "x"), XYLEM_E_IO);
    assert_true(strlen(err.text) > strlen("cannot open x: ")); /* each C library has words of its own for that */
}

TEST(a_view_is_shown_cut_and_never_as_null)
{
    struct xylem_view nothing = {NULL, 0};
    struct xylem_view much = {"x", 100000};
    assert_int_equal(xylem_base__shown_bytes(nothing), 0);
    assert_string_equal(xylem_base__shown(nothing), "");
    assert_int_equal(xylem_base__shown_bytes(much), 200);
    assert_ptr_equal(xylem_base__shown(much), much.data);
}
