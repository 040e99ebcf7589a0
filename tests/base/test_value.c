/* Trees built by hand, and the accessors over them. */

#include <math.h>

#include "base/json.h"
#include "base/value.h"
#include "tests/lib/test.h"

static const struct xylem_view no_raw = {NULL, 0};

static void add_string(struct xylem_base__tree *tree, const char *text)
{
    struct xylem_value *node = xylem_base__tree_add(tree, XYLEM_VALUE_STRING, no_raw);
    assert_non_null(node);
    node->as.string = xylem_view_of(text);
}

static void add_integer(struct xylem_base__tree *tree, int64_t integer)
{
    struct xylem_value *node = xylem_base__tree_add(tree, XYLEM_VALUE_INT, no_raw);
    assert_non_null(node);
    node->as.integer = integer;
}

static struct xylem_value number_value(double number)
{
    struct xylem_value value = {.type = XYLEM_VALUE_DOUBLE, .node_count = 1, .as.number = number};
    return value;
}

/* {"a":1,"b":[2,[],{"a":3}],"a":4} */
static void build(struct xylem_base__tree *tree)
{
    assert_int_equal(xylem_base__tree_open(tree, XYLEM_VALUE_MAP, no_raw), 0);
    add_string(tree, "a");
    add_integer(tree, 1);
    add_string(tree, "b");
    assert_int_equal(xylem_base__tree_open(tree, XYLEM_VALUE_ARRAY, no_raw), 0);
    add_integer(tree, 2);
    assert_int_equal(xylem_base__tree_open(tree, XYLEM_VALUE_ARRAY, no_raw), 0);
    xylem_base__tree_close(tree, NULL);
    assert_int_equal(xylem_base__tree_open(tree, XYLEM_VALUE_MAP, no_raw), 0);
    add_string(tree, "a");
    add_integer(tree, 3);
    xylem_base__tree_close(tree, NULL);
    xylem_base__tree_close(tree, NULL);
    add_string(tree, "a");
    add_integer(tree, 4);
    xylem_base__tree_close(tree, NULL);
}

TEST(the_last_of_equal_keys_is_found_and_none_of_a_deeper_map)
{
    struct xylem_base__tree tree = {0};
    build(&tree);
    int64_t number = 0;
    assert_true(xylem_value_integer(&number, xylem_value_get(tree.nodes, "a")));
    assert_int_equal(number, 4);
    assert_int_equal(xylem_value_type(xylem_value_get(tree.nodes, "b")), XYLEM_VALUE_ARRAY);
    assert_null(xylem_value_get(tree.nodes, "c"));
    assert_null(xylem_value_get(tree.nodes, ""));
    assert_null(xylem_value_get(xylem_value_get(tree.nodes, "b"), "a"));
    xylem_base__tree_release(&tree);
}

TEST(children_come_in_order_and_end)
{
    struct xylem_base__tree tree = {0};
    build(&tree);
    const struct xylem_value *root = tree.nodes;
    assert_int_equal(root->node_count, tree.node_count);
    assert_int_equal(xylem_value_count(root), 3);
    size_t count = 0;
    for (const struct xylem_value *child = xylem_value_first(root); child; child = xylem_value_next(root, child)) {
        if (count % 2 == 0) {
            assert_int_equal(child->type, XYLEM_VALUE_STRING);
        }
        count++;
    }
    assert_int_equal(count, 6);
    const struct xylem_value *array = xylem_value_get(root, "b");
    assert_int_equal(xylem_value_count(array), 3);
    const struct xylem_value *empty = xylem_value_next(array, xylem_value_first(array));
    assert_int_equal(xylem_value_type(empty), XYLEM_VALUE_ARRAY);
    assert_null(xylem_value_first(empty));
    const struct xylem_value *map = xylem_value_next(array, empty);
    assert_int_equal(xylem_value_type(map), XYLEM_VALUE_MAP);
    assert_null(xylem_value_next(array, map));
    xylem_base__tree_release(&tree);
}

TEST(a_key_that_is_no_string_is_never_found)
{
    struct xylem_base__tree tree = {0};
    assert_int_equal(xylem_base__tree_open(&tree, XYLEM_VALUE_MAP, no_raw), 0);
    xylem_base__tree_add(&tree, XYLEM_VALUE_NIL, no_raw);
    add_integer(&tree, 1);
    xylem_base__tree_close(&tree, NULL);
    assert_null(xylem_value_get(tree.nodes, ""));
    xylem_base__tree_release(&tree);
}

TEST(a_key_may_hold_nul)
{
    struct xylem_base__tree tree = {0};
    struct xylem_view key = {"a\0b", 3};
    assert_int_equal(xylem_base__tree_open(&tree, XYLEM_VALUE_MAP, no_raw), 0);
    xylem_base__tree_add(&tree, XYLEM_VALUE_STRING, no_raw)->as.string = key;
    add_integer(&tree, 1);
    xylem_base__tree_close(&tree, NULL);
    assert_non_null(xylem_base__value_get(tree.nodes, key));
    assert_null(xylem_value_get(tree.nodes, "a"));
    xylem_base__tree_release(&tree);
}

TEST(every_accessor_takes_null_and_every_type)
{
    int64_t integer = 42;
    double number = 42;
    for (int type = -1; type <= XYLEM_VALUE_MAP; type++) {
        struct xylem_value value = {.type = type < 0 ? XYLEM_VALUE_NIL : (enum xylem_value_type)type, .node_count = 1};
        const struct xylem_value *given = type < 0 ? NULL : &value;
        bool counts = type == XYLEM_VALUE_INT || type == XYLEM_VALUE_UINT || type == XYLEM_VALUE_DOUBLE;
        assert_int_equal(xylem_value_type(given), value.type);
        assert_false(xylem_value_bool(given));
        assert_int_equal(xylem_value_integer(&integer, given), type == XYLEM_VALUE_INT || type == XYLEM_VALUE_DOUBLE);
        assert_int_equal(xylem_value_number(&number, given), counts);
        assert_int_equal(xylem_value_string(given).bytes, 0);
        assert_int_equal(xylem_value_count(given), 0);
        assert_null(xylem_value_get(given, "a"));
        assert_null(xylem_value_first(given));
        assert_null(xylem_value_next(given, NULL));
    }
}

TEST(an_integer_is_a_whole_number_that_fits)
{
    static const double whole[] = {0.0, -0.0, 1.0, -5.0, 9007199254740993.0, -0x1p63, 0x1.fffffffffffffp62};
    static const double none[] = {0.5, -1.5, 0x1p63, -0x1.0000000000001p63, 1e300, 0x1p-1074};
    int64_t integer = 42;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        struct xylem_value value = number_value(whole[i]);
        assert_true(xylem_value_integer(&integer, &value));
        assert_true(integer == (int64_t)whole[i]);
    }
    integer = 42;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        struct xylem_value value = number_value(none[i]);
        assert_false(xylem_value_integer(&integer, &value));
    }
    struct xylem_value nan_value = number_value((double)NAN);
    struct xylem_value infinite = number_value((double)-INFINITY);
    struct xylem_value large = {.type = XYLEM_VALUE_UINT, .node_count = 1, .as.unsigned_integer = UINT64_MAX};
    assert_false(xylem_value_integer(&integer, &nan_value));
    assert_false(xylem_value_integer(&integer, &infinite));
    assert_false(xylem_value_integer(&integer, &large));
    assert_int_equal(integer, 42);
    double number = 0;
    assert_true(xylem_value_number(&number, &large));
    assert_true(number >= 0x1p64 && number <= 0x1p64);
}

TEST(nesting_ends_at_its_limit)
{
    struct xylem_base__tree tree = {0};
    for (size_t i = 0; i < XYLEM_NESTING_MAX; i++) {
        assert_int_equal(xylem_base__tree_open(&tree, XYLEM_VALUE_ARRAY, no_raw), 0);
    }
    assert_int_equal(xylem_base__tree_open(&tree, XYLEM_VALUE_ARRAY, no_raw), XYLEM_E_LIMIT);
    assert_int_equal(tree.node_count, XYLEM_NESTING_MAX);
    for (size_t i = 0; i < XYLEM_NESTING_MAX; i++) {
        xylem_base__tree_close(&tree, NULL);
    }
    assert_int_equal(tree.nodes[0].node_count, XYLEM_NESTING_MAX);
    assert_int_equal(tree.nodes[XYLEM_NESTING_MAX - 1].node_count, 1);
    xylem_base__tree_release(&tree);
}

TEST(a_cleared_tree_is_used_again_with_its_memory)
{
    struct xylem_base__tree tree = {0};
    build(&tree);
    size_t capacity = tree.node_capacity;
    xylem_base__tree_clear(&tree);
    assert_int_equal(tree.node_count, 0);
    build(&tree);
    assert_int_equal(tree.node_capacity, capacity);
    assert_int_equal(xylem_value_count(tree.nodes), 3);
    xylem_base__tree_release(&tree);
    assert_null(tree.nodes);
    xylem_base__tree_release(&tree);
}

TEST(a_tree_does_not_grow_beyond_the_limit)
{
    struct xylem_base__tree tree = {.node_count = XYLEM_VALUES_MAX, .node_capacity = XYLEM_VALUES_MAX};
    assert_null(xylem_base__tree_add(&tree, XYLEM_VALUE_NIL, no_raw));
    assert_int_equal(xylem_base__tree_refusal(&tree), XYLEM_E_LIMIT);
    assert_int_equal(xylem_base__tree_open(&tree, XYLEM_VALUE_MAP, no_raw), XYLEM_E_LIMIT);
    assert_int_equal(tree.node_count, XYLEM_VALUES_MAX);
}

TEST(views_are_equal_by_their_bytes)
{
    struct xylem_view empty = {"x", 0};
    assert_true(xylem_base__view_equal(empty, no_raw));
    assert_true(xylem_base__view_is(no_raw, ""));
    assert_true(xylem_base__view_is(xylem_view_of("ab"), "ab"));
    assert_false(xylem_base__view_is(xylem_view_of("ab"), "ac"));
    assert_false(xylem_base__view_is(xylem_view_of("ab"), "abc"));
}

TEST(a_view_begins_with_a_shorter_view)
{
    assert_true(xylem_base__view_begins(xylem_view_of("ab"), xylem_view_of("ab")));
    assert_true(xylem_base__view_begins(xylem_view_of("ab"), xylem_view_of("a")));
    assert_true(xylem_base__view_begins(no_raw, no_raw));
    assert_false(xylem_base__view_begins(xylem_view_of("ab"), xylem_view_of("b")));
    assert_false(xylem_base__view_begins(xylem_view_of("a"), xylem_view_of("ab")));
    assert_false(xylem_base__view_begins(no_raw, xylem_view_of("a")));
}

TEST(characters_of_a_set_are_skipped_and_a_nul_is_not)
{
    struct xylem_view text = {"12\0x", 4};
    assert_int_equal(xylem_base__skip(text, 0, XYLEM_BASE__DIGITS), 2);
    assert_int_equal(xylem_base__skip(text, 2, XYLEM_BASE__DIGITS), 2);
    assert_int_equal(xylem_base__skip(text, 3, "x"), 4);
    assert_int_equal(xylem_base__skip(text, 4, "x"), 4);
    assert_int_equal(xylem_base__skip(text, 5, "x"), 5);
    assert_int_equal(xylem_base__skip(no_raw, 0, "x"), 0);
}

TEST(names_are_compared_in_any_case_of_ascii)
{
    assert_true(xylem_base__view_is_name(xylem_view_of("Bash"), "bASH"));
    assert_true(xylem_base__view_is_name(no_raw, ""));
    assert_false(xylem_base__view_is_name(xylem_view_of("bash"), "bas"));
    assert_false(xylem_base__view_is_name(xylem_view_of("bas"), "bash"));
    assert_false(xylem_base__view_is_name(xylem_view_of("\xC3\x84"), "\xC3\xA4"));
    assert_false(xylem_base__view_is_name((struct xylem_view){"a\0", 2}, "a"));
}

TEST(a_member_with_one_of_the_keys_is_found_and_a_second_is_told)
{
    static const char *const a[] = {"x", "a", NULL};
    static const char *const b[] = {"b", NULL};
    static const char *const x[] = {"x", NULL};
    struct xylem_base__tree tree = {0};
    int64_t number = 0;
    bool twice = false;
    build(&tree);
    assert_int_equal(xylem_value_type(xylem_base__value_member(tree.nodes, b, &twice)), XYLEM_VALUE_ARRAY);
    assert_null(xylem_base__value_member(tree.nodes, x, &twice));
    assert_null(xylem_base__value_member(NULL, b, &twice));
    assert_false(twice);
    assert_true(xylem_value_integer(&number, xylem_base__value_member(tree.nodes, a, &twice)));
    assert_int_equal(number, 4);
    assert_true(twice);
    xylem_base__tree_release(&tree);
}

TEST(an_array_of_a_key_and_a_value_has_no_member)
{
    static const char *const keys[] = {"path", NULL};
    struct xylem_base__tree tree = {0};
    bool twice = false;
    assert_int_equal(xylem_base__json_parse(&tree, xylem_view_of("[\"path\",\"a\"]"), NULL), 0);
    assert_null(xylem_base__value_member(tree.nodes, keys, &twice));
    xylem_base__tree_release(&tree);
}
