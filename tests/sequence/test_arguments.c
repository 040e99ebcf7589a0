/* Arguments of a run in the texts of steps: vectors 58 to 76. */
#include <stdlib.h>

#include "tests/sequence/one_catalogue.h"

TEST_FILE(set_up, tear_down)

static size_t count_of(const char *const *texts)
{
    size_t count = 0;
    while (texts && texts[count]) {
        count++;
    }
    return count;
}

/* `args` ends in NULL; NULL: a run without arguments. */
static void expect(const char *raw, const char *const *args, const char *expected)
{
    struct xylem_step step = {0};
    struct xylem_buffer text = {0};
    struct xylem_view views[8] = {{NULL, 0}};
    for (size_t i = 0; i < count_of(args); i++) {
        views[i] = xylem_view_of(args[i]);
    }
    assert_int_equal(xylem_step_resolve(&step, catalogue, xylem_view_of(raw), NULL), 0);
    assert_int_equal(xylem_step_text(&text, &step, args ? views : NULL, count_of(args), NULL), 0);
    assert_string_equal(text_of(&text), expected);
    xylem_buffer_release(&text);
    xylem_step_release(&step);
}

#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define NO_ARGS ((const char *const[]){NULL})

/* The warnings of a step in a run with `arg_count` arguments, none of which matters; -1: a run without arguments. */
static void expect_warnings(const char *raw, int arg_count, const char *expected)
{
    static const struct xylem_view args[8];
    struct xylem_resolution resolution = {0};
    struct xylem_view step = xylem_view_of(raw);
    char found[64];
    assert_int_equal(xylem_sequence_resolve(&resolution, catalogue, &step, 1, arg_count < 0 ? NULL : args,
                                            arg_count < 0 ? 0 : (size_t)arg_count, NULL),
                     0);
    warnings_of(found, resolution.steps[0].warnings);
    assert_string_equal(found, expected);
    xylem_resolution_release(&resolution);
}

TEST(all_arguments_are_joined_by_a_space)
{
    expect("Plan for $@", ARGS("a", "b c"), "Plan for a b c"); /* vector 58 */
    expect("Plan for $@", NULL, "Plan for $@");                /* vector 59 */
    expect("Plan for $@", NO_ARGS, "Plan for ");               /* vector 60 */
    expect("$ARGUMENTSx", ARGS("a"), "ax");                    /* vector 65 */
    expect("$ARGUMENT $arguments", ARGS("a"), "$ARGUMENT $arguments");
    expect("$@$@", ARGS("a", ""), "a a ");
}

TEST(a_number_takes_one_argument_or_stays)
{
    expect("$1-$2-$3", ARGS("x"), "x-$2-$3");        /* vector 61 */
    expect("costs $5", ARGS("x"), "costs $5");       /* vector 62 */
    expect("$0 $10", ARGS("a"), "$0 $10");           /* vector 63 */
    expect("$$1", ARGS("z"), "$z");                  /* vector 66 */
    expect("$1234567890", ARGS("a"), "$1234567890"); /* vector 69 */
    expect("${1} $ 1", ARGS("a"), "${1} $ 1");       /* vector 70 */
    expect("$01$000000001$0000000001", ARGS("a"), "aa$0000000001");
    expect("$1$", ARGS("a"), "a$");
    expect("x$1", ARGS(""), "x");
}

TEST(ten_arguments_have_two_digits)
{
    struct xylem_step step = {0};
    struct xylem_buffer text = {0};
    struct xylem_view args[10];
    for (size_t i = 0; i < 10; i++) {
        args[i] = (struct xylem_view){&"abcdefghij"[i], 1};
    }
    assert_int_equal(xylem_step_resolve(&step, catalogue, LITERAL("$10$1${@:9}"), NULL), 0);
    assert_int_equal(xylem_step_text(&text, &step, args, 10, NULL), 0);
    assert_string_equal(text.data, "jai j");
    xylem_buffer_release(&text);
    xylem_step_release(&step);
}

TEST(a_range_takes_arguments_from_a_number)
{
    const char *const *args = ARGS("a", "b", "c");
    expect("${@:2}", args, "b c"); /* vector 64 */
    expect("${@:0:1}", args, "a"); /* vector 64 */
    expect("${@:9}", args, "");    /* vector 64 */
    expect("${@:2:0}", args, "");  /* vector 64 */
    expect("${@:0}", args, "a b c");
    expect("${@:2:1}|${@:2:999999999}|${@:999999999:999999999}", args, "b|b c|");
    expect("${@:} ${@:1 ${@:1:} ${@:1:2 ${@:x} ${@:1:2:3} ${@: 1} ${@}", args,
           "${@:} ${@:1 ${@:1:} ${@:1:2 ${@:x} ${@:1:2:3} ${@: 1} ${@}");
    expect("${@:1234567890} ${@:1:1234567890}", args, "${@:1234567890} ${@:1:1234567890}");
}

TEST(an_argument_is_not_searched_again_and_never_makes_a_command)
{
    expect("$1", ARGS("$@"), "$@"); /* vector 67 */
    expect("$1$2", ARGS("$", "1"), "$1");
    expect("$1", ARGS("/new"), "/new"); /* vector 68: a prompt */
    struct xylem_step step = {0};
    assert_int_equal(xylem_step_resolve(&step, catalogue, LITERAL("/$1"), NULL), 0); /* vector 75 */
    assert_step(&step, "unknown");
    xylem_step_release(&step);
}

TEST(a_template_stays_as_authored_for_the_host_that_splits_it)
{
    expect("/plan $1", ARGS("a b"), "/plan $1"); /* vectors 71 to 73 */
    expect("/plan \"$@\" don't", ARGS("a", "b c"), "/plan \"$@\" don't");
    expect("/skill:pdf $1", ARGS("a b"), "/skill:pdf a b"); /* vector 74 */
}

static void expect_put(const char *word, const char *arg, const char *expected)
{
    struct xylem_buffer put = {0};
    const struct xylem_view args[] = {xylem_view_of(arg)};
    assert_int_equal(xylem_args_put(&put, xylem_view_of(word), arg ? args : NULL, arg ? 1 : 0, NULL), 0);
    assert_string_equal(text_of(&put), expected);
    xylem_buffer_release(&put);
}

TEST(arguments_are_put_into_a_word_as_they_are)
{
    expect_put("$1", "it's \"x\"", "it's \"x\"");
    expect_put("<$1>", "a b", "<a b>");
    expect_put("$1", "", "");
    expect_put("$1", "a\xFFz", "a\xFFz");
    expect_put("$1", NULL, "$1");
}

TEST(the_text_of_each_kind)
{
    expect("  /plan  the  parser ", NULL, "/plan the  parser");
    expect("/plan\ntwo lines", NULL, "/plan two lines");
    expect("/plan", NULL, "/plan");
    expect("/skill:pdf $@", NO_ARGS, "/skill:pdf");
    expect("/skill:pdf", NULL, "/skill:pdf");
    expect("/readonly on", NULL, "on");
    expect("/readonly", NULL, "");
    expect("/notebook $1", ARGS("a b"), "a b");
    expect("/compact keep $@", ARGS("x", "y"), "keep x y");
    expect(" $1 ", ARGS("x"), " x ");
}

TEST(a_missing_argument_is_a_warning)
{
    expect_warnings("$1-$2-$3", 1, " placeholder"); /* vector 61 */
    expect_warnings("$1-$2-$3", 3, "");
    expect_warnings("$1-$2-$3", -1, "");
    expect_warnings("costs $5", 0, " placeholder");
    expect_warnings("$0 $1234567890 ${@:9} $@", 0, "");
    expect_warnings("/plan x$1$2", 1, " placeholder");
    expect_warnings("/notebook $1", 0, " placeholder");
    expect_warnings("/readonly", 0, " toggles");
    expect_warnings("/$1", 0, ""); /* a step with a problem */
}

static bool wants(const char *first, const char *second)
{
    const struct xylem_view steps[] = {xylem_view_of(first), xylem_view_of(second)};
    return xylem_sequence_wants_args(steps, 2);
}

TEST(a_sequence_wants_arguments_if_a_step_takes_any_number)
{
    assert_false(wants("go", "$1"));          /* vector 76 */
    assert_true(wants("go", "$@"));           /* vector 76 */
    assert_true(wants("go", "x ${@:1}"));     /* vector 76 */
    assert_false(wants("go", "/$ARGUMENTS")); /* vector 76: in the name */
    assert_true(wants("go", "/$ARGUMENTS $@"));
    assert_true(wants("/plan $ARGUMENTS", "go"));
    assert_true(wants("$$$@", "go"));
    assert_false(wants("$ @ $", "!ls $@"));
    assert_false(xylem_sequence_wants_args(NULL, 0));
}

TEST(a_text_has_a_limit_and_an_error_changes_nothing)
{
    enum { LONG = 65536 };
    struct xylem_step step = {0};
    struct xylem_buffer text = {0};
    struct xylem_error err = {0};
    char *arg = malloc(LONG);
    char *raw = malloc(LONG);
    assert_non_null(arg);
    assert_non_null(raw);
    memset(arg, 'x', LONG);
    const struct xylem_view args[] = {{arg, LONG}};
    for (size_t i = 0; i < LONG; i++) {
        raw[i] = "$@"[i % 2];
    }
    /* 256 times 64 KiB: the limit */
    assert_int_equal(xylem_buffer_add(&text, "before", 6), 0);
    assert_int_equal(xylem_step_resolve(&step, catalogue, (struct xylem_view){raw, 512}, NULL), 0);
    assert_int_equal(xylem_step_text(&text, &step, args, 1, &err), 0);
    assert_int_equal(text.bytes, 6 + XYLEM_STEP_TEXT_BYTES_MAX);
    xylem_buffer_release(&text);
    assert_int_equal(xylem_buffer_add(&text, "before", 6), 0);
    raw[512] = '!'; /* one byte more */
    assert_int_equal(xylem_step_resolve(&step, catalogue, (struct xylem_view){raw, 513}, NULL), 0);
    assert_int_equal(xylem_step_text(&text, &step, args, 1, &err), XYLEM_E_LIMIT);
    assert_string_equal(err.text, "expected a text of at most 16777216 bytes, found more");
    assert_string_equal(text.data, "before");
    raw[512] = '$';
    assert_int_equal(xylem_step_resolve(&step, catalogue, (struct xylem_view){raw, LONG}, NULL), 0);
    assert_int_equal(xylem_step_text(&text, &step, args, 1, &err), XYLEM_E_LIMIT);
    assert_string_equal(text.data, "before");
    xylem_buffer_release(&text);
    xylem_step_release(&step);
    free(arg);
    free(raw);
}

TEST(calls_against_the_contract_are_refused)
{
    const struct xylem_view arg = {NULL, 1};
    struct xylem_step step = {0};
    struct xylem_buffer text = {0};
    struct xylem_error err = {0};
    assert_int_equal(xylem_step_resolve(&step, catalogue, LITERAL("/new"), NULL), 0);
    assert_int_equal(xylem_step_text(&text, &step, NULL, 0, &err), XYLEM_E_ARGUMENT);
    assert_string_equal(err.text, "expected a step without a problem, found the problem 'reset'");
    assert_int_equal(xylem_step_resolve(&step, catalogue, LITERAL("x"), NULL), 0);
    assert_int_equal(xylem_step_text(NULL, &step, NULL, 0, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_step_text(&text, &step, NULL, 1, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_step_text(&text, &step, &arg, 1, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_args_put(NULL, LITERAL("x"), NULL, 0, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_args_put(&text, arg, NULL, 0, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_args_put(&text, LITERAL("x"), NULL, 1, &err), XYLEM_E_ARGUMENT);
    assert_null(text.data);
    xylem_step_release(&step);
}
