/* Limits of searches: any pattern ends in any text, and takes little of the thread's stack. */
#include "search/match/pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/painted_stack.h"
#include "tests/lib/test.h"

#define LONG_BYTES (1u << 17)

struct job {
    struct xylem_view text; /* of the pattern */
    unsigned flags;
    struct xylem_view subject;
    int code;
    struct xylem_error err;
};

static struct xylem_view subject_of(char filler, size_t bytes, const char *tail)
{
    char *text = malloc(bytes);
    assert_non_null(text);
    memset(text, filler, bytes);
    memcpy(text + bytes - strlen(tail), tail, strlen(tail));
    return (struct xylem_view){text, bytes};
}

/* In a thread of its own, where no assertion may fail. */
static void *search(void *context)
{
    struct job *job = context;
    struct xylem_match__pattern *pattern = NULL;
    struct xylem_match__scratch *scratch = NULL;
    struct xylem_match__range range = {0, 0};
    if ((job->code = xylem_match__new(&pattern, job->text, job->flags, &job->err)) == XYLEM_OK &&
        (job->code = xylem_match__scratch_new(&scratch, &job->err)) == XYLEM_OK) {
        while ((job->code = xylem_match__find(&range, scratch, pattern, job->subject, range.end, &job->err)) > 0 &&
               range.end > range.start) {
        }
    }
    xylem_match__scratch_free(scratch);
    xylem_match__free(pattern);
    return NULL;
}

/* --- Steps and memory --------------------------------------------------------------------------------------------- */

static const char steps[] = "the pattern takes more than 33554432 steps and 128 for each byte of the text: shorten";

/* NULL: any answer will do. */
static void assert_ends(const char *text, unsigned flags, struct xylem_view subject, const char *limit)
{
    struct job job = {.text = xylem_view_of(text), .flags = flags, .subject = subject};
    search(&job);
    if (job.code < 0 && job.code != XYLEM_E_LIMIT) {
        fail_msg("%s: %s", text, job.err.text);
    }
    if (limit && (job.code >= 0 || !strstr(job.err.text, limit))) {
        fail_msg("%s: %d, %s", text, job.code, job.code < 0 ? job.err.text : "");
    }
}

TEST(a_hostile_pattern_meets_a_limit_in_a_long_text)
{
    static const struct {
        const char *text;
        const char *limit;
    } cases[] = {
        {"a+@", steps},
        {"a{9999}b", steps},
        {"(?:a{9999}){2}b", steps},
        {"(?=a{60000}b)", steps},
        {"((a+)+)+@", steps},
        {"(a|a)+[bx]", NULL},
        {"(?:a|aa)+@", NULL},
        {"(?:a?){30}a{30}@", steps},
        {"(?=(?=(?=a+b)|a+c)|a+d)", steps},
        {"(?<!b)(?!a*b)(?!a*c)@", steps},
        {"(?:(?=a*)a)*@", NULL},
        {"(?>a+)@|(?>a*?)#", steps},
        {"(?:\\ba|a\\B)*?@", NULL},
        {"(?:(a)|(?R))+@", NULL},
        {"(a(?1)?)+@", NULL},
    };
    struct xylem_view subject = subject_of('a', LONG_BYTES, "a");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_ends(cases[i].text, XYLEM_MATCH__BYTES, subject, cases[i].limit);
    }
    assert_ends("a+@", 0, subject, steps);
    assert_ends("a+@", XYLEM_MATCH__LITERAL, subject, NULL);
    free((char *)subject.data);
}

/* Each level searches the rest of the text at each place, once for itself and once for the level above. */
TEST(nested_groups_and_lookarounds_end)
{
    static const char *const opens[] = {"(?=a", "(?!a", "(?:a?", "(?=a*", "(?>a|"};
    struct xylem_view subject = subject_of('a', 20000, "ab");
    for (size_t i = 0; i < sizeof opens / sizeof *opens; i++) {
        char text[400] = "";
        for (size_t depth = 0; depth < XYLEM_PATTERN_NESTING_MAX; depth++) {
            strcat(text, opens[i]);
        }
        strcat(text, "a");
        for (size_t depth = 0; depth < XYLEM_PATTERN_NESTING_MAX; depth++) {
            strcat(text, depth % 2 == 0 ? ")" : "|a*)");
        }
        strcat(text, "@");
        assert_ends(text, XYLEM_MATCH__BYTES, subject, NULL);
    }
    free((char *)subject.data);
}

/* A text of up to 1,024 bytes is first searched without a count. */
TEST(a_short_text_has_limits_too)
{
    struct xylem_view subject = subject_of('a', 1000, "a");
    assert_ends("((a+)+)+@", 0, subject, steps);
    assert_ends("((a+)+)+@", XYLEM_MATCH__BYTES, subject, steps);
    free((char *)subject.data);
}

TEST(places_to_go_back_to_have_a_limit)
{
    struct xylem_view subject = subject_of('a', 8 * LONG_BYTES, "a");
    assert_ends("(?:a|b)*(?:@|#)", XYLEM_MATCH__BYTES, subject, "bytes of memory to search the text");
    free((char *)subject.data);
}

/* The matches of a text share one limit of steps: each match takes few. */
TEST(all_searches_of_a_text_have_one_limit)
{
    struct xylem_view subject = subject_of('a', 65536, "a");
    assert_ends("a(?!a*b)", XYLEM_MATCH__BYTES, subject, steps);
    free((char *)subject.data);
}

TEST(a_search_after_a_limit_has_an_answer)
{
    struct xylem_match__pattern *pattern = NULL;
    struct xylem_match__scratch *scratch = NULL;
    struct xylem_match__range range;
    struct xylem_view subject = subject_of('a', LONG_BYTES, "a");
    assert_int_equal(xylem_match__new(&pattern, xylem_view_of("a+@"), XYLEM_MATCH__BYTES, NULL), XYLEM_OK);
    assert_int_equal(xylem_match__scratch_new(&scratch, NULL), XYLEM_OK);
    assert_int_equal(xylem_match__find(&range, scratch, pattern, subject, 0, NULL), XYLEM_E_LIMIT);
    assert_int_equal(xylem_match__find(&range, scratch, pattern, xylem_view_of("aa@"), 0, NULL), 1);
    assert_int_equal(range.end, 3);
    xylem_match__scratch_free(scratch);
    xylem_match__free(pattern);
    free((char *)subject.data);
}

/* --- Stack -------------------------------------------------------------------------------------------------------- */

/* `head`, `middle` so often as fits a pattern of 1,024 bytes but at most `count` times, and `tail` the same times. */
static void repeat(char *text, const char *head, const char *middle, size_t count, const char *tail, const char *end)
{
    size_t bytes = strlen(middle) + strlen(tail);
    size_t fits = (XYLEM_PATTERN_BYTES_MAX - strlen(head) - strlen(end)) / (bytes > 0 ? bytes : 1);
    count = count < fits ? count : fits;
    char *at = stpcpy(text, head);
    for (size_t i = 0; i < count; i++) {
        at = stpcpy(at, middle);
    }
    for (size_t i = 0; i < count; i++) {
        at = stpcpy(at, tail);
    }
    strcpy(at, end);
}

TEST(patterns_fit_the_stack_of_a_small_thread)
{
    static const struct {
        const char *head;
        const char *middle;
        size_t count;
        const char *tail;
        const char *end;
    } cases[] = {
        {"", "(", 32, "a)*", "b"},
        {"", "(?:", 32, "a|b)+?", "b"},
        {"", "(?=(?:a", 16, "a)*)", "b"},
        {"", "(?=a", 32, "b)", "b"},
        {"", "(?<!a", 32, "b)", "b"},
        {"", "(?!(a", 16, "b)|c)", "b"},
        {"", "(?>(a", 16, "b)*|c)?", "b"},
        {"", "(", 32, "a){0,9}", "b"},
        {"", "(", 32, "a){0,1}", "b"},
        {"", "(", 30, "a)?b", "c"},
        {"(a)\\E{0,900}b", "", 0, "", ""},
        {"(?x)(a)#x\n{0,900}b", "", 0, "", ""},
        {"(a){0,900}b", "", 0, "", ""},
        {"(a*){0,32}b", "", 0, "", ""},
        {"(a*){0,300}b", "", 0, "", ""}, /* the compiler of machine code would take 150 KB */
        {"", "(?=(a*){0,1}", 30, "|b*)*", "b"},
        {"(a*b*c*){400}d", "", 0, "", ""},
        {"(a*?b*){300}d", "", 0, "", ""},
        {"((a)*(b)*){90}d", "", 0, "", ""},
        {"((a)*(b)*){400}d", "", 0, "", ""},
        {"([ab]*?[bc]*?.*?){60}d", "", 0, "", ""},
        {"(?:(?=(a)*?)|b){200}d", "", 0, "", ""},
        {"", "a*", 500, "", "b"},
        {"", ".*?", 300, "", "b"},
        {"", "()", 300, "", "b"},
        {"", "(a)*", 250, "", "b"},
        {"", "(a)|", 250, "", "b"},
        {"", "a|", 500, "", "b"},
        {"", "a", 1000, "", "b"},
        {"(a(?1)?b)", "(?1)", 200, "", "c"},
        {"(?:(a)|(?R))+b", "", 0, "", ""},
        {"", "[[:alpha:]]*+", 70, "", "b"},
    };
    struct xylem_view subject = subject_of('a', 12, "ab");
    size_t deepest = 0;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        char text[XYLEM_PATTERN_BYTES_MAX + 1];
        struct job job = {.text.data = text, .flags = i % 2 == 0 ? 0 : XYLEM_MATCH__BYTES, .subject = subject};
        repeat(text, cases[i / 2].head, cases[i / 2].middle, cases[i / 2].count, cases[i / 2].tail, cases[i / 2].end);
        job.text.bytes = strlen(text);
        size_t taken = painted_stack_taken(search, &job);
        deepest = taken > deepest ? taken : deepest;
        if (job.code < 0 && job.code != XYLEM_E_LIMIT) {
            fail_msg("%s: %s", text, job.err.text);
        }
        if (taken > STACK_TAKEN_BYTES_MAX) {
            fail_msg("%zu bytes of stack were taken by %s", taken, text);
        }
    }
    print_message("%zu bytes of stack at most\n", deepest);
    free((char *)subject.data);
}
