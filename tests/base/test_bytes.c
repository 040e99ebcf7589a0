/* The checked cursor, and what it reads back from a buffer. */

#include <string.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "tests/lib/test.h"

TEST(numbers_read_back_as_they_were_written)
{
    struct xylem_buffer buffer = {0};
    assert_int_equal(xylem_base__add_u8(&buffer, 0xFE), 0);
    assert_int_equal(xylem_base__add_u32(&buffer, 0xFEDCBA98u), 0);
    assert_int_equal(xylem_base__add_u64(&buffer, 0xFEDCBA9876543210u), 0);
    assert_int_equal(xylem_base__add_i64(&buffer, INT64_MIN), 0);
    assert_int_equal(xylem_base__add_sized(&buffer, xylem_view_of("leaf")), 0);
    struct xylem_base__cursor cursor = xylem_base__cursor_of(buffer.data, buffer.bytes);
    assert_int_equal(xylem_base__read_u8(&cursor), 0xFE);
    assert_int_equal(xylem_base__read_u32(&cursor), 0xFEDCBA98u);
    assert_true(xylem_base__read_u64(&cursor) == 0xFEDCBA9876543210u);
    assert_true(xylem_base__read_i64(&cursor) == INT64_MIN);
    struct xylem_view view = xylem_base__read_sized(&cursor);
    assert_int_equal(view.bytes, 4);
    assert_memory_equal(view.data, "leaf", 4);
    assert_true(xylem_base__cursor_ended(&cursor));
    xylem_buffer_release(&buffer);
}

TEST(numbers_are_little_endian_and_keys_big_endian)
{
    struct xylem_buffer buffer = {0};
    unsigned char key[8];
    unsigned char little[8];
    assert_int_equal(xylem_base__add_u32(&buffer, 0x01020304), 0);
    assert_memory_equal(buffer.data, "\x04\x03\x02\x01", 4);
    xylem_base__put_u64_be(key, 0x0102030405060708u);
    assert_memory_equal(key, "\x01\x02\x03\x04\x05\x06\x07\x08", 8);
    xylem_base__put_u64(little, 0x0102030405060708u);
    assert_memory_equal(little, "\x08\x07\x06\x05\x04\x03\x02\x01", 8);
    struct xylem_base__cursor cursor = xylem_base__cursor_of(key, sizeof key);
    assert_true(xylem_base__read_u64_be(&cursor) == 0x0102030405060708u);
    xylem_buffer_release(&buffer);
}

TEST(a_read_beyond_the_end_fails_and_so_do_all_after_it)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of("\x01\x02\x03", 3);
    assert_int_equal(xylem_base__read_u32(&cursor), 0);
    assert_true(cursor.failed);
    assert_int_equal(xylem_base__read_u8(&cursor), 0);
    assert_false(xylem_base__cursor_ended(&cursor));
}

TEST(a_size_beyond_the_end_fails)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of("\x05\x00\x00\x00leaf", 8);
    assert_int_equal(xylem_base__read_sized(&cursor).bytes, 0);
    assert_true(cursor.failed);
}

TEST(bytes_left_over_are_no_end)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of("\x01\x02", 2);
    assert_int_equal(xylem_base__read_u8(&cursor), 1);
    assert_false(cursor.failed);
    assert_false(xylem_base__cursor_ended(&cursor));
    struct xylem_base__cursor empty = xylem_base__cursor_of(NULL, 0);
    assert_int_equal(xylem_base__read_bytes(&empty, 0).bytes, 0);
    assert_true(xylem_base__cursor_ended(&empty));
}

TEST(varints_of_every_length_read_back)
{
    for (unsigned bits = 0; bits <= 64; bits++) {
        uint64_t number = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
        struct xylem_buffer buffer = {0};
        assert_int_equal(xylem_base__add_varint(&buffer, number), 0);
        assert_int_equal(buffer.bytes, bits == 0 ? 1 : (bits + 6) / 7);
        struct xylem_base__cursor cursor = xylem_base__cursor_of(buffer.data, buffer.bytes);
        assert_true(xylem_base__read_varint(&cursor) == number);
        assert_true(xylem_base__cursor_ended(&cursor));
        cursor = xylem_base__cursor_of(buffer.data, buffer.bytes - 1);
        xylem_base__read_varint(&cursor);
        assert_true(cursor.failed);
        xylem_buffer_release(&buffer);
    }
}

TEST(many_varints_are_one_after_another_and_a_length_may_be_one)
{
    static const uint64_t numbers[] = {0, 127, 128, UINT64_MAX};
    struct xylem_buffer many = {NULL, 0, 0};
    struct xylem_buffer single = {NULL, 0, 0};
    assert_int_equal(xylem_base__buffer_add_text(&many, "longer than the bytes below"), 0);
    xylem_base__buffer_cut(&many, 0);
    assert_int_equal(xylem_base__add_u8(&many, 7), 0);
    assert_int_equal(xylem_base__add_varints(&many, numbers, 4), 0);
    assert_int_equal(xylem_base__add_u8(&single, 7), 0);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(xylem_base__add_varint(&single, numbers[i]), 0);
    }
    assert_true(many.bytes == 1 + 1 + 1 + 2 + 10 && many.bytes == single.bytes);
    assert_memory_equal(many.data, single.data, many.bytes + 1); /* the NUL behind, too */
    xylem_base__buffer_clear(&many);
    assert_int_equal(xylem_base__add_varsized(&many, xylem_view_of("abc")), 0);
    assert_memory_equal(many.data, "\3abc", 5);
    for (size_t bytes = 0; bytes <= 4; bytes++) {
        struct xylem_base__cursor cursor = xylem_base__cursor_of(many.data, bytes);
        struct xylem_view view = xylem_base__read_varsized(&cursor);
        assert_true(cursor.failed == (bytes < 4) && view.bytes == (bytes < 4 ? 0 : 3));
    }
    struct xylem_base__cursor endless = xylem_base__cursor_of("\x80\x80\x80\x80\x10", 5); /* 2^32 bytes */
    assert_true(xylem_base__read_varsized(&endless).bytes == 0 && endless.failed);
    xylem_buffer_release(&many);
    xylem_buffer_release(&single);
}

TEST(a_varint_that_is_padded_or_too_large_fails)
{
    static const char *const spellings[] = {"\x80\x00", "\x81\x80\x00", "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02",
                                            "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x81\x01"};
    static const size_t sizes[] = {2, 3, 10, 11};
    for (size_t i = 0; i < 4; i++) {
        struct xylem_base__cursor cursor = xylem_base__cursor_of(spellings[i], sizes[i]);
        assert_true(xylem_base__read_varint(&cursor) == 0);
        assert_true(cursor.failed);
    }
}

TEST(a_buffer_grows_and_ends_in_nul)
{
    struct xylem_buffer buffer = {0};
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(xylem_base__buffer_add_format(&buffer, "%d,", i % 10), 0);
    }
    assert_int_equal(buffer.bytes, 2000);
    assert_int_equal(buffer.data[2000], '\0');
    assert_int_equal(strlen(buffer.data), 2000);
    xylem_base__buffer_clear(&buffer);
    assert_int_equal(xylem_base__buffer_view(&buffer).bytes, 0);
    assert_string_equal(buffer.data, "");
    assert_int_equal(xylem_base__buffer_reserve(&buffer, SIZE_MAX), XYLEM_E_MEMORY);
    assert_int_equal(xylem_base__buffer_add_text(&buffer, "still whole"), 0);
    assert_string_equal(buffer.data, "still whole");
    xylem_buffer_release(&buffer);
    assert_null(buffer.data);
    xylem_buffer_release(NULL);
    assert_int_equal(xylem_view_of(NULL).bytes, 0);
}
