/*
 * Every allocation of a parse fails once, for the walk and for yajl, which checks none of its own; and that of a number
 * that is written. The sources are included, so that their calls of malloc() and realloc() can be turned to the ones
 * below; what else they define then stands in for the library's. The walk has no such call itself.
 */

#include <stdlib.h>
#include <string.h>

static size_t calls;
static size_t failing_call; /* counted from 1; 0: none */

static void *checked_realloc(void *memory, size_t bytes)
{
    return ++calls == failing_call ? NULL : realloc(memory, bytes);
}

static void *checked_malloc(size_t bytes)
{
    return ++calls == failing_call ? NULL : malloc(bytes);
}

#define malloc checked_malloc
#define realloc checked_realloc
#include "base/buffer.c"
#include "base/json.c"
#include "base/json_number.c"
#include "base/json_string.c"
#include "base/json_walk.h"
#include "base/value.c"
#include "xylem/base.h"
#include "tests/lib/test.h"
#undef malloc
#undef realloc

typedef int parse_function(struct xylem_base__tree *tree, struct xylem_view text, struct xylem_error *err);

/* yajl alone, without the walk before. */
static int judge(struct xylem_base__tree *tree, struct xylem_view text, struct xylem_error *err)
{
    return xylem_base__json_judge(tree, text, XYLEM_NESTING_MAX, err);
}

static int judge_members(struct xylem_base__tree *tree, struct xylem_view text, struct xylem_error *err)
{
    return xylem_base__json_judge(tree, text, 1, err);
}

/* `least`: so many there are, or the text does not reach what it is meant to reach. */
static void fail_each_allocation_of(parse_function *function, size_t least, const char *text, int expected)
{
    size_t call_count = 1;
    for (size_t i = 0; i <= call_count; i++) {
        struct xylem_base__tree tree = {0};
        struct xylem_error err = {0};
        calls = 0;
        failing_call = i;
        int code = function(&tree, xylem_view_of(text), &err);
        if (i == 0) {
            assert_int_equal(code, expected);
            call_count = calls;
            assert_true(call_count >= least);
        } else {
            assert_int_equal(code, XYLEM_E_MEMORY);
            assert_string_equal(err.text, "out of memory");
            assert_int_equal(tree.node_count, 0);
            assert_int_equal(calls, i); /* nothing tries again */
        }
        xylem_base__tree_release(&tree);
    }
}

static void fail_each_allocation(size_t least, const char *text, int expected)
{
    fail_each_allocation_of(judge, least, text, expected);
    fail_each_allocation_of(judge_members, 1, text, expected);
    fail_each_allocation_of(xylem_base__json_parse, 1, text, expected);
    fail_each_allocation_of(xylem_base__json_parse_members, 1, text, expected);
}

TEST(a_failed_allocation_is_reported_and_leaves_nothing_behind)
{
    const char *text = "{\"a\":[1,2,3,\"x\\n\",\"\xFF\",true,false,null,4,5,6,7,8,9,10,11,12],\"b\":{}}";
    fail_each_allocation(3, text, XYLEM_OK);
    fail_each_allocation(3, "\"root\\n\"", XYLEM_OK);
    fail_each_allocation(2, "12", XYLEM_OK); /* yajl keeps a copy of a number at the end of the text */
}

TEST(so_is_one_while_a_number_at_the_end_is_kept)
{
    static char digits[10000]; /* more than yajl's first buffer takes */
    memset(digits, '7', sizeof digits - 1);
    fail_each_allocation(3, digits, XYLEM_OK);
}

/* Memory of the walk for nodes and strings serves yajl, which takes over at a depth of 65, or at the error. */
TEST(so_is_one_behind_a_walk_that_gave_up)
{
    static char deep[200] = "[\"\\n\",";
    memset(deep + 6, '[', 80);
    memset(deep + 86, ']', 81);
    fail_each_allocation(5, deep, XYLEM_OK);
    fail_each_allocation(3, "[\"\\n\",1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,x]", XYLEM_E_MALFORMED);
}

/* Besides the nodes, which room is made for six times. */
TEST(so_is_one_while_nesting_is_deep)
{
    static char deep[1001];
    memset(deep, '[', 500);
    memset(deep + 500, ']', 500);
    fail_each_allocation(7, deep, XYLEM_OK);
}

TEST(so_is_one_while_an_error_is_described)
{
    fail_each_allocation(1, "[1,x]", XYLEM_E_MALFORMED);
    fail_each_allocation(2, "[1,\"no end", XYLEM_E_MALFORMED);
    static char deep[501]; /* yajl's stack has taken the room that the description would have had */
    memset(deep, '[', 500);
    deep[499] = 'x';
    fail_each_allocation(8, deep, XYLEM_E_MALFORMED);
}

/* However full the buffer is: there is room for none of it, or for its sign, or for its first digits. */
TEST(a_number_that_finds_no_room_leaves_the_buffer_as_it_was)
{
    size_t failed_count = 0;
    for (size_t bytes = 0; bytes < 300; bytes++) {
        struct xylem_buffer buffer = {0};
        failing_call = 0;
        for (size_t i = 0; i < bytes; i++) {
            assert_int_equal(xylem_buffer_add(&buffer, "x", 1), XYLEM_OK);
        }
        calls = 0;
        failing_call = 1;
        int code = xylem_buffer_add_json_number(&buffer, -0.00015);
        if (code < 0) {
            failed_count++;
            assert_int_equal(code, XYLEM_E_MEMORY);
            assert_int_equal(buffer.bytes, bytes);
            assert_true(!buffer.data || strlen(buffer.data) == bytes);
        } else {
            assert_string_equal(buffer.data + bytes, "-0.00015");
        }
        failing_call = 0;
        xylem_buffer_release(&buffer);
    }
    assert_true(failed_count > 7);
}
