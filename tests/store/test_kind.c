#include <stdio.h>
#include <string.h>

#include "store/format/keys.h"
#include "store/kind.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"
#include "tests/store/rows.h"

static struct xylem_kind host(const char *name)
{
    return (struct xylem_kind){XYLEM_CLASS_HOST, xylem_view_of(name)};
}

static struct xylem_kind custom(const char *name)
{
    return (struct xylem_kind){XYLEM_CLASS_CUSTOM, xylem_view_of(name)};
}

static void assert_text(struct xylem_kind kind, const char *text)
{
    struct xylem_buffer written = {0};
    struct xylem_buffer storage = {0};
    struct xylem_kind parsed;
    struct xylem_error err = {0};
    assert_int_equal(xylem_kind_text(&written, kind), XYLEM_OK);
    assert_true(xylem_base__view_is(view_of(&written), text));
    store_builder_must(xylem_kind_parse(&parsed, &storage, xylem_view_of(text), &err), &err);
    assert_int_equal(parsed.kind_class, kind.kind_class);
    assert_true(xylem_base__view_equal(parsed.name, kind.name));
    xylem_buffer_release(&written);
    xylem_buffer_release(&storage);
}

TEST(a_kind_has_a_text_that_parses_back)
{
    assert_text(host("message"), "message");
    assert_text(custom("readonly"), "custom:readonly");
    assert_text(custom(""), "custom:");
    assert_text(host("custom"), "custom");
    assert_text(host(""), "");
    assert_text(custom("a:b\\c"), "custom:a:b\\c");
}

TEST(a_hosts_colons_and_backslashes_are_escaped)
{
    assert_text(host("a:b"), "a\\:b");
    assert_text(host("custom:readonly"), "custom\\:readonly");
    assert_text(host("\\"), "\\\\");
    assert_text(host("\\:"), "\\\\\\:");
}

TEST(text_is_appended_to_what_the_buffer_holds)
{
    struct xylem_buffer written = {0};
    copy_bytes(&written, "kind=", 5);
    assert_int_equal(xylem_kind_text(&written, host("a:b")), XYLEM_OK);
    assert_string_equal(written.data, "kind=a\\:b");
    xylem_buffer_release(&written);
}

static int parse(const char *text, size_t bytes)
{
    struct xylem_buffer storage = {0};
    struct xylem_kind kind;
    struct xylem_error err = {0};
    int code = xylem_kind_parse(&kind, &storage, (struct xylem_view){text, bytes}, &err);
    assert_int_equal(err.code, code);
    xylem_buffer_release(&storage);
    return code;
}

TEST(text_that_is_no_kind_is_malformed)
{
    static const char *const wrong[] = {"a:b", ":", "a\\", "\\x", "customs:x", "Custom:x", "a\\\\:"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(parse(wrong[i], strlen(wrong[i])), XYLEM_E_MALFORMED);
    }
}

TEST(a_name_has_at_most_4096_bytes)
{
    char text[7 + XYLEM_KIND_NAME_BYTES_MAX + 1];
    memset(text, 'n', sizeof text);
    assert_int_equal(parse(text, XYLEM_KIND_NAME_BYTES_MAX), XYLEM_OK);
    assert_int_equal(parse(text, XYLEM_KIND_NAME_BYTES_MAX + 1), XYLEM_E_LIMIT);
    memcpy(text, "custom:", 7);
    assert_int_equal(parse(text, 7 + XYLEM_KIND_NAME_BYTES_MAX), XYLEM_OK);
    assert_int_equal(parse(text, 7 + XYLEM_KIND_NAME_BYTES_MAX + 1), XYLEM_E_LIMIT);
}

static uint32_t intern(struct xylem_kind kind)
{
    uint32_t number = 0;
    struct xylem_error err = {0};
    store_builder_must(xylem_store__kind_intern(&number, builder.txn, kind, &err), &err);
    return number;
}

static void assert_kind(uint32_t number, struct xylem_kind expected)
{
    struct xylem_kind kind;
    struct xylem_error err = {0};
    store_builder_must(xylem_store__kind_read(&kind, builder.txn, number, &err), &err);
    assert_int_equal(kind.kind_class, expected.kind_class);
    assert_true(xylem_base__view_equal(kind.name, expected.name));
}

#define IN_STORE(test) TEST_WITH(test, set_up, tear_down)

IN_STORE(numbers_ascend_from_one_and_survive_a_reopen)
{
    assert_int_equal(intern(host("message")), 1);
    assert_int_equal(intern(custom("message")), 2);
    assert_int_equal(intern(host("")), 3);
    assert_int_equal(intern(host("message")), 1);
    store_builder_reopen(&builder);
    assert_int_equal(intern(custom("message")), 2);
    assert_int_equal(intern(host("label")), 4);
    assert_kind(1, host("message"));
    assert_kind(2, custom("message"));
    assert_kind(3, host(""));
}

IN_STORE(numbers_go_on_above_the_floor)
{
    intern(host("a"));
    floors_put(builder.txn, &(struct xylem_lmdb__floors){.kind = 50});
    store_builder_commit(&builder);
    assert_int_equal(intern(host("b")), 51);
    assert_int_equal(intern(host("a")), 1);
}

IN_STORE(there_is_an_end_to_numbers)
{
    uint32_t number = 0;
    struct xylem_error err = {0};
    floors_put(builder.txn, &(struct xylem_lmdb__floors){.kind = UINT32_MAX});
    store_builder_commit(&builder);
    assert_int_equal(xylem_store__kind_intern(&number, builder.txn, host("a"), &err), XYLEM_E_LIMIT);
    assert_non_null(strstr(err.text, "the last kind has the number 4294967295"));
}

IN_STORE(two_hundred_kinds_are_kept_apart)
{
    char name[16];
    for (unsigned i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "kind%u", i);
        assert_int_equal(intern(i % 2 ? custom(name) : host(name)), i + 1);
    }
    store_builder_reopen(&builder);
    for (unsigned i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "kind%u", i);
        assert_kind(i + 1, i % 2 ? custom(name) : host(name));
        assert_int_equal(intern(i % 2 ? custom(name) : host(name)), i + 1);
    }
}

IN_STORE(long_names_that_begin_alike_are_kept_apart)
{
    static const size_t lengths[] = {391, 392, 393, 399, 400, 401, 402, XYLEM_KIND_NAME_BYTES_MAX};
    char name[XYLEM_KIND_NAME_BYTES_MAX];
    memset(name, 'n', sizeof name);
    for (uint32_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct xylem_kind kind = {XYLEM_CLASS_CUSTOM, {name, lengths[i]}};
        assert_int_equal(intern(kind), i + 1);
    }
    name[sizeof name - 1] = 'm';
    struct xylem_kind last = {XYLEM_CLASS_CUSTOM, {name, sizeof name}};
    assert_int_equal(intern(last), 9);
    store_builder_reopen(&builder);
    assert_kind(9, last);
    name[sizeof name - 1] = 'n';
    for (uint32_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct xylem_kind kind = {XYLEM_CLASS_CUSTOM, {name, lengths[i]}};
        assert_kind(i + 1, kind);
        assert_int_equal(intern(kind), i + 1);
    }
}

IN_STORE(a_name_lives_as_long_as_the_transaction)
{
    char name[16];
    struct xylem_kind first;
    assert_int_equal(intern(custom("first")), 1);
    assert_int_equal(xylem_store__kind_read(&first, builder.txn, 1, NULL), XYLEM_OK);
    for (unsigned i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "kind%u", i);
        intern(custom(name));
    }
    assert_true(xylem_base__view_is(first.name, "first"));
}

IN_STORE(a_number_that_is_not_there_is_corrupt)
{
    struct xylem_kind kind;
    assert_int_equal(xylem_store__kind_read(&kind, builder.txn, 7, NULL), XYLEM_E_CORRUPT);
    assert_int_equal(xylem_store__kind_read(&kind, builder.txn, UINT32_MAX, NULL), XYLEM_E_CORRUPT);
}

/* The row of kind 1 by its number, or (`by_name`) by its name. */
static void put_row(bool by_name, const char *value, size_t bytes)
{
    struct row row = {{NULL, 0, 0}, {NULL, 0, 0}};
    struct xylem_format__key key;
    if (by_name) {
        xylem_format__key_kind_name(&key, host("a"));
    } else {
        xylem_format__key_kind_number(&key, 1);
    }
    copy_bytes(&row.key, key.view.data, key.view.bytes);
    copy_bytes(&row.value, value, bytes);
    copy_bytes(&row.value, "the sum.", 8);
    row_sum(XYLEM_FORMAT__KINDS, &row);
    row_put(builder.txn, XYLEM_FORMAT__KINDS, &row);
    row_release(&row);
    store_builder_commit(&builder);
}

IN_STORE(a_row_that_cannot_be_is_corrupt_even_with_the_right_sum)
{
    struct xylem_kind kind;
    uint32_t number;
    intern(host("a"));
    put_row(false, "", 0);
    assert_int_equal(xylem_store__kind_read(&kind, builder.txn, 1, NULL), XYLEM_E_CORRUPT);
    put_row(false, "\2a", 2);
    assert_int_equal(xylem_store__kind_read(&kind, builder.txn, 1, NULL), XYLEM_E_CORRUPT);
    put_row(true, "\1\0\0", 3);
    assert_int_equal(xylem_store__kind_intern(&number, builder.txn, host("a"), NULL), XYLEM_E_CORRUPT);
    put_row(true, "\1\0\0\0\0", 5);
    assert_int_equal(xylem_store__kind_intern(&number, builder.txn, host("a"), NULL), XYLEM_E_CORRUPT);
}

IN_STORE(a_row_without_its_sum_is_corrupt)
{
    struct xylem_kind kind;
    intern(host("a"));
    store_builder_commit(&builder);
    row_last_set(builder.txn, XYLEM_FORMAT__KINDS, 1, 'b', false);
    assert_int_equal(xylem_store__kind_read(&kind, builder.txn, 1, NULL), XYLEM_E_CORRUPT);
}

/*
 * Two names that begin and hash alike cannot be made here: so the row that such a key leads to is given another name.
 */
IN_STORE(a_long_name_is_compared_in_full_with_the_one_that_is_stored)
{
    static char name[500];
    struct xylem_error err = {0};
    struct xylem_format__key key;
    struct xylem_buffer row = {0};
    uint32_t number = 0;
    memset(name, 'k', sizeof name);
    struct xylem_kind kind = {XYLEM_CLASS_CUSTOM, {name, sizeof name}};
    store_builder_must(xylem_store__kind_intern(&number, builder.txn, kind, &err), &err);
    xylem_format__key_kind_number(&key, number);
    assert_int_equal(xylem_base__add_u8(&row, XYLEM_CLASS_CUSTOM), XYLEM_OK);
    assert_int_equal(xylem_buffer_add(&row, name, sizeof name - 1), XYLEM_OK);
    store_builder_must(xylem_lmdb__put_summed(builder.txn, XYLEM_FORMAT__KINDS, key.view, &row, true, true, &err),
                       &err);
    xylem_buffer_release(&row);
    store_builder_commit(&builder); /* a transaction remembers the kinds that it met */
    assert_int_equal(xylem_store__kind_intern(&number, builder.txn, kind, &err), XYLEM_E_LIMIT);
}
