#include <string.h>

#include "base/bytes.h"
#include "base/value.h"
#include "store/format/hash.h"
#include "store/format/keys.h"
#include "tests/lib/test.h"

static void assert_key(const struct xylem_format__key *key, const char *bytes, size_t count)
{
    assert_int_equal(key->view.bytes, count);
    assert_ptr_equal(key->view.data, (const char *)key->bytes);
    assert_memory_equal(key->view.data, bytes, count);
}

TEST(a_number_takes_one_to_nine_bytes)
{
    struct xylem_format__key key;
    xylem_format__key_u64(&key, 0);
    assert_key(&key, "\0", 1);
    xylem_format__key_u64(&key, 223);
    assert_key(&key, "\xdf", 1);
    xylem_format__key_u64(&key, 224);
    assert_key(&key, "\xe0\0", 2);
    xylem_format__key_u64(&key, 6367);
    assert_key(&key, "\xf7\xff", 2);
    xylem_format__key_u64(&key, 6368);
    assert_key(&key, "\xf9\x18\xe0", 3);
    xylem_format__key_u64(&key, UINT64_C(0x0102030405060708));
    assert_key(&key, "\xff\1\2\3\4\5\6\7\10", 9);
}

/* Each power of two, the numbers beside it, and the borders of the three forms. */
static size_t some_numbers(uint64_t numbers[256])
{
    static const uint64_t borders[] = {223, 224, 225, 6366, 6367, 6368, 6369};
    size_t count = 0;
    for (unsigned bit = 0; bit < 64; bit++) {
        for (int beside = -1; beside <= 1; beside++) {
            numbers[count++] = (UINT64_C(1) << bit) + (uint64_t)(int64_t)beside;
        }
    }
    numbers[count++] = UINT64_MAX;
    memcpy(numbers + count, borders, sizeof borders);
    return count + sizeof borders / sizeof *borders;
}

static int sign(int number)
{
    return number < 0 ? -1 : number > 0;
}

TEST(keys_of_numbers_sort_as_the_numbers_do)
{
    uint64_t numbers[256];
    size_t count = some_numbers(numbers);
    for (size_t i = 0; i < count * count; i++) {
        struct xylem_format__key a;
        struct xylem_format__key b;
        uint64_t first = numbers[i / count];
        uint64_t second = numbers[i % count];
        int order = first < second ? -1 : first > second;
        xylem_format__key_u64(&a, first);
        xylem_format__key_u64(&b, second);
        assert_int_equal(sign(xylem_base__view_order(a.view, b.view)), order);
        xylem_format__key_pair(&a, first, UINT64_MAX);
        xylem_format__key_pair(&b, second, order == 0 ? UINT64_MAX : 0);
        assert_int_equal(sign(xylem_base__view_order(a.view, b.view)), order);
    }
}

TEST(a_pair_is_two_numbers)
{
    struct xylem_format__key key;
    xylem_format__key_pair(&key, 1, 0x0203);
    assert_key(&key, "\1\xe1\x23", 3);
}

TEST(a_quarantine_key_is_session_line_and_hash)
{
    struct xylem_format__key key;
    xylem_format__key_quarantine(&key, 1, 2, 3, xylem_view_of("f"));
    struct xylem_format__key expected;
    xylem_format__key_pair(&expected, 1, 2);
    uint64_t hash = xylem_format__hash((struct xylem_view){"\3\0\0\0\0\0\0\0f", 9});
    xylem_base__put_u64_be(expected.bytes + 2, hash);
    assert_key(&key, (const char *)expected.bytes, 10);
}

TEST(a_kind_is_keyed_by_class_and_name)
{
    struct xylem_format__key key;
    struct xylem_kind kind = {XYLEM_CLASS_CUSTOM, {"readonly", 8}};
    xylem_format__key_kind_name(&key, kind);
    assert_key(&key, "\1readonly", 9);
    struct xylem_kind empty = {XYLEM_CLASS_HOST, {NULL, 0}};
    xylem_format__key_kind_name(&key, empty);
    assert_key(&key, "\0", 1);
}

TEST(a_kind_number_stands_behind_all_names)
{
    struct xylem_format__key key;
    xylem_format__key_kind_number(&key, UINT32_C(0x01020304));
    assert_key(&key, "\xff\1\2\3\4", XYLEM_FORMAT__KIND_NUMBER_KEY_BYTES);
}

TEST(a_name_of_400_bytes_is_a_key_as_it_is)
{
    char name[400];
    memset(name, 'n', sizeof name);
    struct xylem_format__key key;
    struct xylem_kind kind = {XYLEM_CLASS_HOST, {name, sizeof name}};
    xylem_format__key_kind_name(&key, kind);
    assert_int_equal(key.view.bytes, 401);
    assert_memory_equal(key.bytes + 1, name, sizeof name);
}

TEST(a_longer_name_is_cut_and_ends_in_the_hash_of_all_of_it)
{
    char name[XYLEM_KIND_NAME_BYTES_MAX];
    memset(name, 'n', sizeof name);
    struct xylem_format__key key;
    struct xylem_kind kind = {XYLEM_CLASS_HOST, {name, 401}};
    xylem_format__key_kind_name(&key, kind);
    unsigned char hash[8];
    xylem_base__put_u64_be(hash, xylem_format__hash(kind.name));
    assert_int_equal(key.view.bytes, 401);
    assert_memory_equal(key.bytes + 1, name, 392);
    assert_memory_equal(key.bytes + 393, hash, 8);
    struct xylem_format__key other;
    kind.name.bytes = sizeof name;
    xylem_format__key_kind_name(&other, kind);
    assert_int_equal(other.view.bytes, 401);
    assert_memory_not_equal(other.bytes, key.bytes, 401);
}

TEST(a_source_is_keyed_by_session_and_name)
{
    char name[5000];
    memset(name, '/', sizeof name);
    struct xylem_format__key key;
    xylem_format__key_source(&key, 1, xylem_view_of("a"));
    assert_key(&key, "\1a", 2);
    xylem_format__key_source(&key, 1, (struct xylem_view){name, sizeof name});
    assert_int_equal(key.view.bytes, 401);
}

TEST(keys_of_numbers_read_back)
{
    struct xylem_format__key key;
    uint64_t first = 0;
    uint64_t second = 0;
    xylem_format__key_u64(&key, UINT64_C(0xfedcba9876543210));
    assert_true(xylem_format__key_read_u64(&first, key.view));
    assert_true(first == UINT64_C(0xfedcba9876543210));
    xylem_format__key_pair(&key, 7, UINT64_MAX);
    assert_true(xylem_format__key_read_pair(&first, &second, key.view));
    assert_true(first == 7 && second == UINT64_MAX);
}

TEST(a_key_of_an_id_is_tree_hash_session_and_position)
{
    struct xylem_format__key key;
    struct xylem_format__id_place place = {.tree = 1, .hash = 0x02030405, .session = 6, .position = {224, 7}};
    struct xylem_format__id_place read;
    xylem_format__key_id(&key, &place);
    assert_key(&key, "\1\2\3\4\5\6\xe0\0\7", 9);
    assert_true(xylem_format__key_read_id(&read, key.view));
    assert_true(read.tree == 1 && read.hash == 0x02030405 && read.session == 6);
    assert_true(read.position.branch == 224 && read.position.depth == 7);
    for (size_t bytes = 0; bytes < key.view.bytes; bytes++) {
        assert_false(xylem_format__key_read_id(&read, (struct xylem_view){key.view.data, bytes}));
    }
}

TEST(keys_of_another_form_do_not_read_back)
{
    static const struct {
        const char *bytes;
        size_t count;
    } wrong[] = {
        {"", 0},
        {"\1\1", 2},                    /* a number behind */
        {"\xe0", 1},                    /* too short */
        {"\xf9\xff", 2},                /* too short */
        {"\xf8\xff\xff", 2},            /* a first byte that no number has */
        {"\xf9\x18\xdf", 3},            /* 6367, which two bytes hold */
        {"\xfa\0\xff\xff", 4},          /* a leading zero */
        {"\xff\0\1\1\1\1\1\1\1", 9},    /* a leading zero */
        {"\xff\1\1\1\1\1\1\1\1\1", 10}, /* a byte behind */
    };
    uint64_t first = 0;
    uint64_t second = 0;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(xylem_format__key_read_u64(&first, (struct xylem_view){wrong[i].bytes, wrong[i].count}));
    }
    assert_false(xylem_format__key_read_pair(&first, &second, (struct xylem_view){"\1", 1}));
    assert_false(xylem_format__key_read_pair(&first, &second, (struct xylem_view){"\1\2\3", 3}));
    assert_int_equal(xylem_format__key_first((struct xylem_view){"\xe1\x23rest", 6}), 0x203);
    assert_int_equal(xylem_format__key_first((struct xylem_view){"\xf9", 1}), 0);
}

TEST(a_session_is_keyed_by_its_id_and_by_the_hash_of_its_namespace)
{
    struct xylem_format__key key;
    struct xylem_view id;
    uint64_t hash;
    char expected[9 + XYLEM_SESSION_ID_BYTES_MAX];
    char longest[XYLEM_SESSION_ID_BYTES_MAX];
    struct xylem_view space = xylem_view_of("space");
    memset(longest, 'i', sizeof longest);
    xylem_format__key_session_id(&key, (struct xylem_view){NULL, 0}, xylem_view_of("id"));
    assert_key(&key, "id", 2);
    assert_true(xylem_format__key_read_session_id(&hash, &id, key.view));
    assert_true(hash == 0 && xylem_base__view_is(id, "id"));
    xylem_format__key_session_id(&key, space, (struct xylem_view){longest, sizeof longest});
    memset(expected, 0xff, 1);
    xylem_base__put_u64_be((unsigned char *)expected + 1, xylem_format__hash(space));
    memcpy(expected + 9, longest, sizeof longest);
    assert_key(&key, expected, sizeof expected);
    assert_true(xylem_format__key_read_session_id(&hash, &id, key.view));
    assert_true(hash == xylem_format__hash(space) && id.bytes == sizeof longest);
    for (size_t bytes = 0; bytes <= 9; bytes++) { /* without an id, or cut */
        assert_false(xylem_format__key_read_session_id(&hash, &id, (struct xylem_view){expected, bytes}));
    }
    char longer[10 + XYLEM_SESSION_ID_BYTES_MAX] = {0};
    memcpy(longer, expected, sizeof expected);
    assert_false(xylem_format__key_read_session_id(&hash, &id, (struct xylem_view){longer, sizeof longer}));
    assert_false(xylem_format__key_read_session_id(&hash, &id, (struct xylem_view){longer + 9, 201}));
}
