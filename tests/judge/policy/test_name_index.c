/* Names of tables are found by an index, and what does not fit into it is said. */

#include <stdio.h>
#include <stdlib.h>

#include "judge/policy/words/name_index.h"
#include "tests/lib/test.h"

static struct xylem_policy__name_index *index_of(const char *names, const void *row)
{
    struct xylem_policy__name_index *index = calloc(1, sizeof *index);
    assert_non_null(index);
    assert_true(xylem_policy__index_add(index, names, row));
    return index;
}

static const void *find(const struct xylem_policy__name_index *index, const char *name)
{
    return xylem_policy__index_find(index, xylem_view_of(name));
}

TEST(names_are_found_whole_and_by_their_beginning)
{
    static const int first = 1;
    static const int second = 2;
    struct xylem_policy__name_index *index = index_of(" rm  mkfs.* mv", &first);
    (void)state;
    assert_true(xylem_policy__index_add(index, "rm cp", &second));
    assert_ptr_equal(find(index, "rm"), &first); /* it keeps its row */
    assert_ptr_equal(find(index, "mv"), &first);
    assert_ptr_equal(find(index, "cp"), &second);
    assert_ptr_equal(find(index, "mkfs.ext4"), &first);
    assert_null(find(index, "mkfs"));
    assert_null(find(index, "rmx"));
    assert_null(find(index, "r"));
    assert_null(find(index, ""));
    free(index);
}

TEST(a_full_index_says_so_and_still_finds)
{
    static const int row = 1;
    struct xylem_policy__name_index *index = index_of("", &row);
    static char names[XYLEM_POLICY__INDEX_SLOTS][32]; /* the index borrows them */
    size_t count = 0;
    (void)state;
    do {
        assert_true(snprintf(names[count], sizeof names[count], "name%zu", count) > 0);
    } while (xylem_policy__index_add(index, names[count], &row) && ++count < XYLEM_POLICY__INDEX_SLOTS);
    assert_int_equal(count, XYLEM_POLICY__INDEX_SLOTS / 2);
    for (size_t i = 0; i < count; i++) {
        assert_ptr_equal(find(index, names[i]), &row);
    }
    assert_null(find(index, "none"));
    for (count = 0; xylem_policy__index_add(index, "x*", &row); count++) {
    }
    assert_int_equal(count, XYLEM_POLICY__INDEX_BEGINNINGS);
    free(index);
}
