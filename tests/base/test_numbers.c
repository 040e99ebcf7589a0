#include <stdlib.h>

#include "base/numbers.h"
#include "xylem/session.h"
#include "tests/lib/test.h"

TEST(a_sorted_list_has_each_number_that_was_added_once_and_no_others)
{
    static const uint64_t added[] = {9, UINT64_MAX, 0, 9, UINT64_C(1) << 32, 4};
    struct xylem_base__numbers numbers = {NULL, 0, 0};
    xylem_base__numbers_sort(&numbers);
    assert_false(xylem_base__numbers_have(&numbers, 0));
    for (size_t i = 0; i < sizeof added / sizeof *added; i++) {
        assert_int_equal(xylem_base__numbers_add(&numbers, added[i], NULL), XYLEM_OK);
    }
    xylem_base__numbers_sort(&numbers);
    assert_int_equal(numbers.count, 5); /* 9 was added twice */
    for (size_t i = 0; i < sizeof added / sizeof *added; i++) {
        assert_true(xylem_base__numbers_have(&numbers, added[i]));
    }
    for (size_t i = 1; i < numbers.count; i++) {
        assert_true(numbers.list[i - 1] < numbers.list[i]);
    }
    assert_false(xylem_base__numbers_have(&numbers, 5));
    assert_false(xylem_base__numbers_have(&numbers, (UINT64_C(1) << 32) + 4));
    free(numbers.list);
}

TEST(a_number_is_noted_once_in_a_row_and_0_never)
{
    static const uint64_t noted[] = {0, 7, 7, 0, 7, 9, 7};
    struct xylem_base__numbers numbers = {NULL, 0, 0};
    for (size_t i = 0; i < sizeof noted / sizeof *noted; i++) {
        assert_int_equal(xylem_base__numbers_note(&numbers, noted[i], NULL), XYLEM_OK);
    }
    assert_int_equal(numbers.count, 3);
    assert_int_equal(numbers.list[1], 9);
    free(numbers.list);
}

TEST(positions_are_in_the_order_of_the_log)
{
    static const struct xylem_position ascending[] = {{1, 2}, {1, UINT64_MAX}, {2, 1}, {UINT64_C(1) << 40, 0}};
    for (size_t i = 0; i < sizeof ascending / sizeof *ascending; i++) {
        for (size_t j = 0; j < sizeof ascending / sizeof *ascending; j++) {
            int order = xylem_base__compare_positions(&ascending[i], &ascending[j]);
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
    }
}
