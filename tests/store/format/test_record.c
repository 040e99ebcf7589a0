#include <string.h>

#include "base/buffer.h"
#include "base/value.h"
#include "store/format/hash.h"
#include "store/format/record.h"
#include "store/format/spelling.h"
#include "tests/lib/test.h"

static const struct xylem_position at = {3, 7};

/* Where the fields stand in a record. */
enum {
    SUM_AT = 0,
    CHECK_AT = 4,
    FLAGS_AT = 20,
    FORMAT_AT = 21,
    ID_BYTES_AT = 22,
    WIDTHS_AT = 23,
    LINKS_BYTES_AT = 28, /* of the sample, behind one byte each of lsn, time and kind */
    PAYLOAD_BYTES_AT = 29,
    LINE_BYTES_AT = 30,
    HEADER_BYTES = 31
};

static struct xylem_view view_of(const struct xylem_buffer *buffer)
{
    return (struct xylem_view){buffer->data, buffer->bytes};
}

static struct xylem_format__record sample(void)
{
    struct xylem_view payload = xylem_view_of("{\"role\":\"user\"}");
    return (struct xylem_format__record){.check = UINT64_C(0x1122334455667788),
                                         .payload_hash = xylem_format__hash(payload),
                                         .lsn = 42,
                                         .time_ms = -1,
                                         .kind_number = 5,
                                         .flags = XYLEM_ENTRY_IMPORTED,
                                         .format = XYLEM_FORMAT_JSON,
                                         .id = xylem_view_of("abcd"),
                                         .links = {"\0\1", 2},
                                         .payload = payload,
                                         .line = xylem_view_of("{ \"role\" : \"user\" }")};
}

static void encode(struct xylem_buffer *bytes, const struct xylem_format__record *record)
{
    struct xylem_error err = {0};
    assert_int_equal(xylem_format__record_encode(bytes, at, record, &err), XYLEM_OK);
}

static int decode(struct xylem_entry *entry, const struct xylem_buffer *bytes)
{
    struct xylem_error err = {0};
    int code = xylem_format__record_decode(entry, at, view_of(bytes), &err);
    assert_true(code == XYLEM_OK || (code == XYLEM_E_CORRUPT && err.code == code && err.text[0]));
    return code;
}

/* Makes the sum right for what the bytes now say. */
static void resum(struct xylem_buffer *bytes, size_t covered)
{
    struct xylem_view behind = {bytes->data + XYLEM_FORMAT__SUM_BYTES, covered - XYLEM_FORMAT__SUM_BYTES};
    uint64_t seed = at.branch * XYLEM_FORMAT__RECORD_SEED + at.depth;
    xylem_base__put_u32((unsigned char *)bytes->data, (uint32_t)xylem_format__hash_seeded(behind, seed));
}

/* Sets a byte of the header, and the sum. */
static void set_byte(struct xylem_buffer *bytes, size_t index, unsigned char byte)
{
    bytes->data[index] = (char)byte;
    struct xylem_format__record record = sample();
    resum(bytes, HEADER_BYTES + record.id.bytes + record.links.bytes);
}

static bool view_is(struct xylem_view view, struct xylem_view other)
{
    return xylem_base__view_equal(view, other);
}

TEST(a_record_reads_back_as_it_was_written)
{
    struct xylem_format__record record = sample();
    struct xylem_buffer bytes = {0};
    struct xylem_entry entry;
    struct xylem_view view;
    struct xylem_buffer line = {0};
    encode(&bytes, &record);
    assert_int_equal(decode(&entry, &bytes), XYLEM_OK);
    assert_true(entry.position.branch == 3 && entry.position.depth == 7);
    assert_true(entry.parent.branch == 3 && entry.parent.depth == 6);
    assert_true(entry.check == record.check && entry.lsn == 42 && entry.time_ms == -1);
    assert_int_equal(entry.unverified.kind_number, 5);
    assert_int_equal(entry.flags, XYLEM_ENTRY_IMPORTED);
    assert_int_equal(entry.format, XYLEM_FORMAT_JSON);
    assert_true(view_is(entry.id, record.id));
    assert_int_equal(entry.payload_bytes, record.payload.bytes);
    assert_in_range(entry.line_bytes, 1, record.line.bytes + XYLEM_FORMAT__SPELLING_BYTES);
    assert_int_equal(xylem_entry_payload(&view, &entry, NULL), XYLEM_OK);
    assert_true(view_is(view, record.payload));
    assert_int_equal(xylem_entry_imported_line(&line, &entry, NULL), XYLEM_OK);
    assert_true(view_is(view_of(&line), record.line));
    xylem_buffer_release(&line);
    xylem_buffer_release(&bytes);
}

TEST(a_record_without_parts_reads_back)
{
    struct xylem_format__record record = {.id = xylem_view_of("x"),
                                          .payload_hash = xylem_format__hash((struct xylem_view){0})};
    struct xylem_buffer bytes = {0};
    struct xylem_entry entry;
    struct xylem_view view = {"?", 1};
    struct xylem_position root = {9, 1};
    assert_int_equal(xylem_format__record_encode(&bytes, root, &record, NULL), XYLEM_OK);
    assert_int_equal(bytes.bytes, XYLEM_FORMAT__RECORD_BYTES_MIN + 1);
    assert_int_equal(xylem_format__record_decode(&entry, root, view_of(&bytes), NULL), XYLEM_OK);
    assert_true(entry.parent.branch == 0 && entry.parent.depth == 0);
    assert_int_equal(xylem_entry_payload(&view, &entry, NULL), XYLEM_OK);
    assert_int_equal(view.bytes, 0);
    struct xylem_buffer line = {0};
    assert_int_equal(xylem_entry_imported_line(&line, &entry, NULL), XYLEM_OK);
    assert_int_equal(line.bytes, 0);
    xylem_buffer_release(&bytes);
}

TEST(a_record_is_added_behind_what_the_buffer_holds)
{
    struct xylem_format__record record = sample();
    struct xylem_buffer bytes = {0};
    struct xylem_entry entry;
    assert_int_equal(xylem_buffer_add(&bytes, "before", 6), XYLEM_OK);
    encode(&bytes, &record);
    struct xylem_view behind = {bytes.data + 6, bytes.bytes - 6};
    assert_memory_equal(bytes.data, "before", 6);
    assert_int_equal(xylem_format__record_decode(&entry, at, behind, NULL), XYLEM_OK);
    xylem_buffer_release(&bytes);
}

/* Is the damage of these bytes noticed by whoever reads all of the entry? */
static bool noticed(const struct xylem_buffer *bytes)
{
    struct xylem_entry entry;
    struct xylem_view view;
    struct xylem_buffer line = {0};
    bool found = decode(&entry, bytes) == XYLEM_E_CORRUPT ||
                 xylem_entry_payload(&view, &entry, NULL) == XYLEM_E_CORRUPT ||
                 xylem_entry_imported_line(&line, &entry, NULL) == XYLEM_E_CORRUPT;
    xylem_buffer_release(&line);
    return found;
}

TEST(every_flipped_bit_is_found)
{
    struct xylem_format__record record = sample();
    struct xylem_buffer bytes = {0};
    encode(&bytes, &record);
    size_t covered = HEADER_BYTES + record.id.bytes + record.links.bytes;
    assert_false(noticed(&bytes));
    for (size_t bit = 0; bit < bytes.bytes * 8; bit++) {
        struct xylem_entry entry;
        bytes.data[bit / 8] = (char)(bytes.data[bit / 8] ^ (1 << bit % 8));
        if (!noticed(&bytes)) {
            fail_msg("bit %zu of byte %zu", bit % 8, bit / 8);
        }
        /* The sum leaves out what the payload's and the line's own hashes cover. */
        assert_int_equal(decode(&entry, &bytes), bit / 8 < covered ? XYLEM_E_CORRUPT : XYLEM_OK);
        bytes.data[bit / 8] = (char)(bytes.data[bit / 8] ^ (1 << bit % 8));
    }
    xylem_buffer_release(&bytes);
}

TEST(a_record_that_was_cut_anywhere_is_refused)
{
    struct xylem_format__record record = sample();
    struct xylem_buffer bytes = {0};
    struct xylem_entry entry;
    encode(&bytes, &record);
    for (size_t length = 0; length < bytes.bytes; length++) {
        /* A copy of exactly that length, so that a sanitizer sees a read beyond it. */
        struct xylem_buffer cut = {0};
        assert_int_equal(xylem_buffer_add(&cut, bytes.data, length), XYLEM_OK);
        struct xylem_view view = {length ? cut.data : NULL, length};
        assert_int_equal(xylem_format__record_decode(&entry, at, view, NULL), XYLEM_E_CORRUPT);
        xylem_buffer_release(&cut);
    }
    assert_int_equal(xylem_buffer_add(&bytes, "x", 1), XYLEM_OK);
    assert_int_equal(decode(&entry, &bytes), XYLEM_E_CORRUPT);
    xylem_buffer_release(&bytes);
}

TEST(the_same_bytes_at_another_position_are_refused)
{
    static const struct xylem_position others[] = {{3, 6}, {3, 8}, {2, 7}, {4, 7}, {7, 3}, {0, 0}};
    struct xylem_format__record record = sample();
    struct xylem_buffer bytes = {0};
    struct xylem_entry entry;
    encode(&bytes, &record);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_int_equal(xylem_format__record_decode(&entry, others[i], view_of(&bytes), NULL), XYLEM_E_CORRUPT);
    }
    xylem_buffer_release(&bytes);
}

TEST(reserved_flags_are_refused_even_with_the_right_sum)
{
    struct xylem_format__record record = sample();
    struct xylem_buffer bytes = {0};
    struct xylem_entry entry;
    encode(&bytes, &record);
    static const unsigned char reserved[] = {0x10, 0x20, 0x80};
    for (size_t i = 0; i < sizeof reserved; i++) {
        set_byte(&bytes, FLAGS_AT, reserved[i]);
        assert_int_equal(decode(&entry, &bytes), XYLEM_E_CORRUPT);
    }
    set_byte(&bytes, FLAGS_AT, XYLEM_ENTRY_IMPORTED | XYLEM_ENTRY_REDACTED | XYLEM_ENTRY_HEADS_INCOMPLETE);
    assert_int_equal(decode(&entry, &bytes), XYLEM_OK);
    xylem_buffer_release(&bytes);
}

TEST(an_unknown_format_is_refused_even_with_the_right_sum)
{
    struct xylem_format__record record = sample();
    struct xylem_buffer bytes = {0};
    struct xylem_entry entry;
    encode(&bytes, &record);
    for (unsigned format = 0; format < 256; format++) {
        set_byte(&bytes, FORMAT_AT, (unsigned char)format);
        assert_int_equal(decode(&entry, &bytes), format <= XYLEM_FORMAT_LINE ? XYLEM_OK : XYLEM_E_CORRUPT);
    }
    xylem_buffer_release(&bytes);
}

TEST(a_line_too_short_for_its_own_hash_is_refused)
{
    for (size_t line = 1; line < XYLEM_FORMAT__HASH_BYTES; line++) {
        struct xylem_format__record record = sample();
        struct xylem_buffer bytes = {0};
        struct xylem_entry entry;
        record.line.bytes = 1;
        encode(&bytes, &record);
        bytes.bytes -= XYLEM_FORMAT__HASH_BYTES + 1 - line;
        set_byte(&bytes, LINE_BYTES_AT, (unsigned char)line);
        assert_int_equal(decode(&entry, &bytes), XYLEM_E_CORRUPT);
        xylem_buffer_release(&bytes);
    }
}

TEST(lengths_that_reach_beyond_the_record_are_refused)
{
    static const size_t fields[] = {PAYLOAD_BYTES_AT, LINE_BYTES_AT, LINKS_BYTES_AT, ID_BYTES_AT};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        struct xylem_format__record record = sample();
        struct xylem_buffer bytes = {0};
        struct xylem_entry entry;
        encode(&bytes, &record);
        bytes.data[fields[i]] = (char)0xff;
        assert_int_equal(decode(&entry, &bytes), XYLEM_E_CORRUPT);
        bytes.data[fields[i]] = 0;
        assert_int_equal(decode(&entry, &bytes), XYLEM_E_CORRUPT);
        xylem_buffer_release(&bytes);
    }
}

TEST(widths_that_do_not_exist_are_refused_even_with_the_right_sum)
{
    struct xylem_format__record record = sample();
    for (unsigned bit = 14; bit < 16; bit++) {
        struct xylem_buffer bytes = {0};
        struct xylem_entry entry;
        encode(&bytes, &record);
        set_byte(&bytes, WIDTHS_AT + 1, (unsigned char)(bytes.data[WIDTHS_AT + 1] | 1 << (bit - 8)));
        assert_int_equal(decode(&entry, &bytes), XYLEM_E_CORRUPT);
        xylem_buffer_release(&bytes);
    }
}

/* Each width of each number, in records shorter and longer than the loads of the decoder. */
TEST(numbers_of_every_width_read_back)
{
    static char text[70000];
    memset(text, 'x', sizeof text);
    for (unsigned bit = 0; bit < 64; bit++) {
        uint64_t number = UINT64_MAX >> bit;
        struct xylem_format__record record = {
            .lsn = number,
            .time_ms = bit % 2 ? (int64_t)number : (int64_t)(0 - number),
            .flags = XYLEM_ENTRY_REDACTED, /* the reason is kept as it is */
            .kind_number = (uint32_t)number,
            .id = {text, bit % XYLEM_ENTRY_ID_BYTES_MAX + 1},
            .links = {text, number < sizeof text ? (size_t)number : bit},
            .payload = {text, number < sizeof text ? (size_t)number : sizeof text - bit},
            .line = {text, number < sizeof text - 8 ? (size_t)number : bit}};
        struct xylem_buffer bytes = {0};
        struct xylem_entry entry;
        encode(&bytes, &record);
        assert_int_equal(decode(&entry, &bytes), XYLEM_OK);
        assert_true(entry.lsn == record.lsn && entry.time_ms == record.time_ms);
        assert_int_equal(entry.unverified.kind_number, record.kind_number);
        assert_int_equal(entry.unverified.links_bytes, record.links.bytes);
        assert_int_equal(entry.id.bytes, record.id.bytes);
        assert_int_equal(entry.payload_bytes, record.payload.bytes);
        assert_int_equal(entry.line_bytes, record.line.bytes);
        assert_int_equal(xylem_format__record_bytes(&entry), bytes.bytes);
        xylem_buffer_release(&bytes);
    }
}

TEST(another_check_in_a_record_leaves_all_else)
{
    struct xylem_format__record record = sample();
    struct xylem_buffer bytes = {0};
    struct xylem_buffer wanted = {0};
    encode(&bytes, &record);
    record.check = 1;
    encode(&wanted, &record);
    xylem_format__record_recheck(&bytes, at, 1);
    assert_true(view_is(view_of(&bytes), view_of(&wanted)));
    xylem_buffer_release(&bytes);
    xylem_buffer_release(&wanted);
}

TEST(a_depth_of_nothing_is_refused)
{
    struct xylem_format__record record = sample();
    struct xylem_buffer bytes = {0};
    struct xylem_entry entry;
    struct xylem_position no_depth = {3, 0};
    assert_int_equal(xylem_format__record_encode(&bytes, no_depth, &record, NULL), XYLEM_OK);
    assert_int_equal(xylem_format__record_decode(&entry, no_depth, view_of(&bytes), NULL), XYLEM_E_CORRUPT);
    xylem_buffer_release(&bytes);
}

/* Readers have buffers for the longest id. */
TEST(an_id_beyond_the_limit_is_refused)
{
    char id[XYLEM_ENTRY_ID_BYTES_MAX + 1];
    struct xylem_format__record record = sample();
    struct xylem_buffer bytes = {0};
    struct xylem_entry entry;
    memset(id, 'a', sizeof id);
    record.line.bytes = 0; /* nobody makes pieces beside such an id */
    for (size_t i = 0; i < 2; i++) {
        record.id = (struct xylem_view){id, XYLEM_ENTRY_ID_BYTES_MAX + i};
        encode(&bytes, &record);
        assert_int_equal(decode(&entry, &bytes), i == 0 ? XYLEM_OK : XYLEM_E_CORRUPT);
        xylem_base__buffer_clear(&bytes);
    }
    xylem_buffer_release(&bytes);
}

/* Decodes a first record of a branch whose links begin with `back`. */
static int decode_first(struct xylem_entry *entry, struct xylem_position own, const char *links, size_t links_bytes)
{
    struct xylem_format__record record = {
        .flags = XYLEM_ENTRY_STARTS_BRANCH, .id = xylem_view_of("x"), .links = {links, links_bytes}};
    static struct xylem_buffer bytes;
    xylem_base__buffer_clear(&bytes);
    assert_int_equal(xylem_format__record_encode(&bytes, own, &record, NULL), XYLEM_OK);
    int code = xylem_format__record_decode(entry, own, view_of(&bytes), NULL);
    xylem_buffer_release(&bytes);
    return code;
}

TEST(the_first_record_of_a_branch_names_its_parents_branch)
{
    struct xylem_position own = {10, 5};
    struct xylem_entry entry;
    assert_int_equal(decode_first(&entry, own, "\3", 1), XYLEM_OK);
    assert_true(entry.parent.branch == 7 && entry.parent.depth == 4);
    assert_int_equal(decode_first(&entry, own, "\11", 1), XYLEM_OK);
    assert_true(entry.parent.branch == 1);
}

TEST(a_parents_branch_that_cannot_be_is_refused)
{
    struct xylem_position own = {10, 5};
    struct xylem_position root = {10, 1};
    struct xylem_entry entry;
    assert_int_equal(decode_first(&entry, own, "", 0), XYLEM_E_CORRUPT);         /* no link at all */
    assert_int_equal(decode_first(&entry, own, "\0", 1), XYLEM_E_CORRUPT);       /* itself */
    assert_int_equal(decode_first(&entry, own, "\12", 1), XYLEM_E_CORRUPT);      /* branch 0 */
    assert_int_equal(decode_first(&entry, own, "\13", 1), XYLEM_E_CORRUPT);      /* before branch 0 */
    assert_int_equal(decode_first(&entry, own, "\x81", 1), XYLEM_E_CORRUPT);     /* cut short */
    assert_int_equal(decode_first(&entry, own, "\x81\x00", 2), XYLEM_E_CORRUPT); /* not the shortest form */
    assert_int_equal(decode_first(&entry, root, "\1", 1), XYLEM_E_CORRUPT);      /* a root has no parent */
}

TEST(a_link_reads_back)
{
    static const struct xylem_position targets[] = {{0, 0}, {300, 999}, {300, 1}, {1, 1}, {299, 500}};
    struct xylem_position own = {300, 1000};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        struct xylem_buffer links = {0};
        assert_int_equal(xylem_format__link_add(&links, own, targets[i]), XYLEM_OK);
        struct xylem_base__cursor cursor = xylem_base__cursor_of(links.data, links.bytes);
        struct xylem_position read = xylem_format__link_read(&cursor, own);
        assert_true(xylem_base__cursor_ended(&cursor));
        assert_true(xylem_format__position_equal(read, targets[i]));
        xylem_buffer_release(&links);
    }
}

TEST(a_link_that_leads_nowhere_fails)
{
    static const char *const links[] = {"\1\0", "\0\12", "\0\13", "\5\1", "\6\1", "\1", "\0\x80", ""};
    static const size_t bytes[] = {2, 2, 2, 2, 2, 1, 2, 0};
    struct xylem_position own = {5, 10};
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        struct xylem_base__cursor cursor = xylem_base__cursor_of(links[i], bytes[i]);
        xylem_format__link_read(&cursor, own);
        assert_true(cursor.failed);
    }
}

TEST(the_last_marked_entry_stands_behind_the_parents_branch)
{
    struct xylem_entry entry;
    struct xylem_position marked;
    struct xylem_base__cursor rest;
    struct xylem_format__record record = {
        .flags = XYLEM_ENTRY_STARTS_BRANCH, .id = xylem_view_of("x"), .links = {"\1\1\2\7\0\1", 6}};
    struct xylem_buffer bytes = {0};
    struct xylem_position own = {10, 5};
    assert_int_equal(xylem_format__record_encode(&bytes, own, &record, NULL), XYLEM_OK);
    assert_int_equal(xylem_format__record_decode(&entry, own, view_of(&bytes), NULL), XYLEM_OK);
    assert_int_equal(xylem_format__links_marked(&marked, &rest, &entry, NULL), XYLEM_OK);
    assert_true(marked.branch == 9 && marked.depth == 3);
    assert_int_equal(rest.left, 3);
    entry.unverified.links_bytes = 2;
    assert_int_equal(xylem_format__links_marked(&marked, &rest, &entry, NULL), XYLEM_E_CORRUPT);
    xylem_buffer_release(&bytes);
}

static uint64_t check_of(uint64_t parent, enum xylem_class kind_class, const char *name, int64_t time_ms,
                         enum xylem_format format, const char *id, uint64_t payload_hash)
{
    uint64_t check = 0;
    struct xylem_kind kind = {kind_class, xylem_view_of(name)};
    assert_int_equal(
        xylem_format__record_check(&check, parent, kind, time_ms, format, xylem_view_of(id), payload_hash, NULL),
        XYLEM_OK);
    return check;
}

TEST(a_check_covers_every_part_and_the_parents_check)
{
    uint64_t check = check_of(1, XYLEM_CLASS_CUSTOM, "ab", 2, XYLEM_FORMAT_JSON, "cd", 3);
    assert_true(check == check_of(1, XYLEM_CLASS_CUSTOM, "ab", 2, XYLEM_FORMAT_JSON, "cd", 3));
    assert_true(check != check_of(0, XYLEM_CLASS_CUSTOM, "ab", 2, XYLEM_FORMAT_JSON, "cd", 3));
    assert_true(check != check_of(1, XYLEM_CLASS_HOST, "ab", 2, XYLEM_FORMAT_JSON, "cd", 3));
    assert_true(check != check_of(1, XYLEM_CLASS_CUSTOM, "aB", 2, XYLEM_FORMAT_JSON, "cd", 3));
    assert_true(check != check_of(1, XYLEM_CLASS_CUSTOM, "ab", -2, XYLEM_FORMAT_JSON, "cd", 3));
    assert_true(check != check_of(1, XYLEM_CLASS_CUSTOM, "ab", 2, XYLEM_FORMAT_MSGPACK, "cd", 3));
    assert_true(check != check_of(1, XYLEM_CLASS_CUSTOM, "ab", 2, XYLEM_FORMAT_JSON, "cD", 3));
    assert_true(check != check_of(1, XYLEM_CLASS_CUSTOM, "ab", 2, XYLEM_FORMAT_JSON, "cd", 4));
    /* Bytes do not move from one part to the next unnoticed. */
    assert_true(check != check_of(1, XYLEM_CLASS_CUSTOM, "abc", 2, XYLEM_FORMAT_JSON, "d", 3));
}

TEST(a_check_is_the_hash_of_the_bytes_that_the_format_names)
{
    static const char covered[] = "\1"                /* class */
                                  "\2\0ab"            /* name */
                                  "\2\0\0\0\0\0\0\0"  /* time */
                                  "\2"                /* format */
                                  "\2\0cd"            /* id */
                                  "\3\0\0\0\0\0\0\0"; /* payload_hash */
    struct xylem_view bytes = {covered, sizeof covered - 1};
    assert_true(check_of(77, XYLEM_CLASS_CUSTOM, "ab", 2, XYLEM_FORMAT_JSON, "cd", 3) ==
                xylem_format__hash_seeded(bytes, 77));
}
