/* Bytes as text in base64. */
#include <string.h>

#include "base/base64.h"
#include "base/buffer.h"
#include "tests/lib/test.h"

static struct xylem_buffer out;

static int read_text(const char *text)
{
    xylem_base__buffer_clear(&out);
    return xylem_base__base64_read(&out, xylem_view_of(text));
}

TEST(the_examples_of_rfc_4648_go_both_ways)
{
    static const char *const examples[][2] = {{"", ""},
                                              {"f", "Zg=="},
                                              {"fo", "Zm8="},
                                              {"foo", "Zm9v"},
                                              {"foob", "Zm9vYg=="},
                                              {"fooba", "Zm9vYmE="},
                                              {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        xylem_base__buffer_clear(&out);
        assert_int_equal(xylem_base__base64_add(&out, xylem_view_of(examples[i][0])), XYLEM_OK);
        assert_int_equal(out.bytes, strlen(examples[i][1]));
        assert_memory_equal(out.data ? out.data : "", examples[i][1], out.bytes);
        assert_int_equal(read_text(examples[i][1]), XYLEM_OK);
        assert_int_equal(out.bytes, strlen(examples[i][0]));
        assert_memory_equal(out.data ? out.data : "", examples[i][0], out.bytes);
    }
    xylem_buffer_release(&out);
}

TEST(every_byte_comes_back)
{
    unsigned char bytes[256];
    struct xylem_buffer text = {NULL, 0, 0};
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (unsigned char)i;
    }
    assert_int_equal(xylem_base__base64_add(&text, (struct xylem_view){(const char *)bytes, sizeof bytes}), XYLEM_OK);
    assert_int_equal(read_text(text.data), XYLEM_OK);
    assert_memory_equal(out.data, bytes, sizeof bytes);
    xylem_buffer_release(&text);
    xylem_buffer_release(&out);
}

TEST(a_text_that_no_writer_writes_is_refused)
{
    static const char *const texts[] = {
        "Z", "Zg", "Zg=", "Z===", "====", "Zg==Zg==", "Zh==", "Zm9=", "Zm 9", "Zm9-", "Z\xff=="};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(read_text(texts[i]), XYLEM_E_MALFORMED);
    }
    xylem_buffer_release(&out);
}
