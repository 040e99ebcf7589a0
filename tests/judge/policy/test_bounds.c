/*
 * Memory in proportion to the command, and a stack that does not grow with it: hostile shapes of doubling length, under
 * each policy, in a thread with a small stack. Work is counted by what it leaves: memory, records and steps.
 */

#include <limits.h>
#include <pthread.h>
#include <stdio.h>

#include "judge/shell/parse.h"
#include "judge/policy/engine/variables.h"
#include "tests/lib/test.h"
#include "tests/judge/policy/allocations.h"

#define STACK_BYTES ((size_t)262144)
#define SHORTEST_BYTES 2048u
#define LONGEST_BYTES_DEFAULT 16384u
#define BYTES_PER_BYTE_MAX 1600u /* of memory, for each of the command */
#define GROWTH_MAX 2.6           /* of memory, for twice the length */

/* `begin`, then `again` up to the length, then `end`. */
struct shape {
    const char *begin;
    const char *again;
    const char *end;
};

static const struct shape shapes[] = {
    {"", "(", ""},
    {"", "( ", ""},
    {"", "$(", ""},
    {"echo ", "$(($((", ""},
    {"", "{ ", ""},
    {"", "{", ""},
    {"echo ", "`", ""},
    {"echo ", "`a` ", ""},
    {"echo ", "\\`", ""},
    {"echo ", "\"$(", ""},
    {"echo ", "\"'", ""},
    {"echo ", "${x:-", ""},
    {"echo ", "${x:-\"", ""},
    {"echo ", "{a,b}", ""},
    {"echo ", "{a,", ""},
    {"", "{a,b};", ""},
    {"", "{a,b}{c,d};", ""},
    {"", "{a,b}{c,d}{e,f}{g,h};", ""},
    {"echo ", "'`\\'a ${x@P} ", ""},
    {"echo ", "'`\\'a $((a[`b`])) ", ""},
    {"echo ", "a[", ""},
    {"", "a[", "=1"},
    {"", "a[0]=b ", "ls"},
    {"a=(", "b ", ")"},
    {"a=(", "[x]=b ", ")"},
    {"[[ ", "( ", ""},
    {"[[ a ", "&& b ", "]]"},
    {"[[ ", "! ", "a ]]"},
    {"((", "1+", "1))"},
    {"((", "(", "))"},
    {"", "env ", "rm"},
    {"", "env A=b ", "rm"},
    {"", "nice -n 5 ", "rm"},
    {"", "command ", "rm"},
    {"", "eval ", "rm"},
    {"eval ", "eval ", "$X"},
    {"", "xargs ", "rm"},
    {"", "timeout 5 ", "rm"},
    {"", "watch ", "rm"},
    {"", "ssh h ", "rm"},
    {"", "builtin ", "rm"},
    {"", "! ", "rm"},
    {"", "time ", "rm"},
    {"", "a;", ""},
    {"", "a=1;", "ls"},
    {"", "a=1;\n", "ls"},
    {"", "a=1 ||", "a=1&"},
    {"", "a\n", ""},
    {"", "a&", ""},
    {"", "a|", "a"},
    {"", "a &&", "a"},
    {"", "a||", "a"},
    {"", "$X;", ""},
    {"", "$X rm;", ""},
    {"", "r[m];", ""},
    {"", "sh -c a;", ""},
    {"", "sh -c 'a;b';", ""},
    {"", "sh -c $X;", ""},
    {"", "eval a;", ""},
    {"", "eval a b;", ""},
    {"", "cd a;", "git status"},
    {"", "cd /a;git status;", ""},
    {"", "cd a && ", "git status"},
    {"", "git -C a log;", ""},
    {"git ", "-C a ", "log"},
    {"git log ", "-n ", "1"},
    {"", ">f ", ""},
    {"ls ", ">f ", ""},
    {"ls ", "<<<a ", ""},
    {"ls ", "2>&1 ", ""},
    {"ls ", "{x}>f ", ""},
    {"cat ", "<<a ", "\n"},
    {"", "cat <<a\na\n", ""},
    {"", "cat <<a\n$(b)\na\n", ""},
    {"cat <<a\n", "$(b) ", "\na\n"},
    {"find . ", "-exec a \\; ", ""},
    {"find . ", "-exec a {} + ", ""},
    {"find . ", "-exec ", "a \\;"},
    {"find . ", "-name x ", ""},
    {"fd ", "-x a \\; ", ""},
    {"fd ", "-x ", "a"},
    {"ls ", "-l ", ""},
    {"ls -", "l", ""},
    {"", "A=b ", "ls"},
    {"", "PATH=b ", "ls"},
    {"", "x=$X ", "$x"},
    {"ls ", "$(a) ", ""},
    {"ls ", "\"$X\" ", ""},
    {"ls ", "$X ", ""},
    {"ls ", "'a' ", ""},
    {"ls ", "a\\\n", ""},
    {"ls ", "\\\n", ""},
    {"ls ", "$'\\x41' ", ""},
    {"", "if a; then ", ""},
    {"", "if a; then b; fi;", ""},
    {"if a; then b; ", "elif c; then d; ", "fi"},
    {"", "while a; do ", ""},
    {"", "case a in b) ", ""},
    {"case a in ", "b) c;; ", "esac"},
    {"case a in ", "b|", "b) c;; esac"},
    {"", "f() { ", ""},
    {"", "f() { a; };", ""},
    {"", "coproc a;", ""},
    {"for x in ", "a ", "; do b; done"},
    {"read ", "a ", ""},
    {"trap ", "a ", ""},
    {"alias ", "a=b ", ""},
    {"", "alias a=b;", ""},
    {"awk '", "{print}", "'"},
    {"awk '", "(", "'"},
    {"awk '", "if(", "'"},
    {"sed '", "p;", "'"},
    {"sed '", "{", "'"},
    {"sed ", "-e p ", ""},
    {"sed '", "s/a/b/;", "'"},
    {"", "awk 1;", ""},
    {"", "npm ", "install"},
    {"", "npm install;", ""},
    {"", "python -m ", "pip"},
    {"", "echo rm;", "$X"},
    {"", "echo a b | sh;", ""},
    {"", "echo 'a\\nb c' | sh;", ""},
    {"echo ", "'a b' ", "| sh"},
    {"echo '", "echo a b | sh;", "' | sh"},
    {"", "bash <<'a'\nb c\na\n", ""},
    {"sh <<'a'\n", "echo b c | sh;", "\na\n"},
    {"", "# a\n", ""},
    {"", "\n", ""},
    {"", " ", ""},
    {"", "'", ""},
    {"", "\\", ""},
    {"", "\xc3\xa9", ""},
};

static struct xylem_policy *policies[3];
static char command[XYLEM_COMMAND_BYTES_MAX + 64];

struct work {
    struct xylem_view command;
    const struct xylem_policy *policy;
    size_t peak_bytes;
    size_t judged_count;
    bool done;
};

static void *judge(void *context)
{
    struct work *work = context;
    struct xylem_verdict verdict = {0};
    allocations_begin(0);
    int code = xylem_policy_judge(&verdict, work->policy, work->command, "/w", NULL);
    work->peak_bytes = allocations.peak_bytes;
    work->judged_count = verdict.judged_count;
    xylem_verdict_release(&verdict);
    work->done = code == 0 && allocations.live_count == 0;
    allocations.armed = false;
    return NULL;
}

static struct work judge_in_thread(const struct xylem_policy *policy, size_t bytes)
{
    struct work work = {.command = {command, bytes}, .policy = policy};
    pthread_attr_t attributes;
    pthread_t thread;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, STACK_BYTES), 0);
    assert_int_equal(pthread_create(&thread, &attributes, judge, &work), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
    assert_true(work.done);
    return work;
}

static size_t write_shape(const struct shape *shape, size_t bytes)
{
    size_t again = strlen(shape->again);
    size_t end = strlen(shape->end);
    size_t at = strlen(shape->begin);
    memcpy(command, shape->begin, at);
    while (at + again + end <= bytes) {
        memcpy(command + at, shape->again, again);
        at += again;
    }
    memcpy(command + at, shape->end, end);
    return at + end;
}

/* Blocks and lists grow in steps, so that twice the length may take a little more than twice the memory. */
static void check_shape(const struct shape *shape, const struct xylem_policy *policy)
{
    struct work before = {.peak_bytes = SIZE_MAX};
    size_t longest = getenv("XYLEM_TORTURE") ? XYLEM_COMMAND_BYTES_MAX : LONGEST_BYTES_DEFAULT;

    for (size_t bytes = SHORTEST_BYTES; bytes <= longest; bytes *= 2) {
        size_t written = write_shape(shape, bytes);
        struct work work = judge_in_thread(policy, written);
        bool grew = before.peak_bytes != SIZE_MAX && before.peak_bytes > 131072 &&
                    (double)work.peak_bytes > (double)before.peak_bytes * GROWTH_MAX;
        if (grew || work.peak_bytes > written * BYTES_PER_BYTE_MAX + 65536 || work.judged_count > written + 1) {
            fail_msg("'%s' '%s' '%s': %zu bytes take %zu bytes of memory and %zu records, half of them %zu",
                     shape->begin, shape->again, shape->end, written, work.peak_bytes, work.judged_count,
                     before.peak_bytes);
        }
        before = work;
    }
}

TEST(memory_grows_with_the_length_alone)
{
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        for (size_t p = 0; p < 3; p++) {
            check_shape(&shapes[i], policies[p]);
        }
    }
}

/* At most to the end of its list, of its line and of its and-or list. */
TEST(a_command_is_passed_at_most_three_times_to_find_known_variables)
{
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        struct xylem_policy__judge searching = {.policy = policies[XYLEM_POLICY_STRICT]};
        struct xylem_shell__tree tree;
        struct xylem_view text = {command, write_shape(&shapes[i], LONGEST_BYTES_DEFAULT)};
        size_t count = 0;

        assert_int_equal(xylem_shell__parse(&tree, &searching.arena, text, 0), 0);
        for (const struct xylem_shell__node *node = tree.nodes; node; node = node->next) {
            count++;
        }
        xylem_policy__variables_of_list(&searching, tree.nodes);
        if (searching.variables.sibling_steps > 3 * count) {
            fail_msg("'%s' '%s' '%s': the search takes %zu steps for %zu commands", shapes[i].begin, shapes[i].again,
                     shapes[i].end, searching.variables.sibling_steps, count);
        }
        xylem_shell__arena_release(&searching.arena);
    }
}

/* Pieces of all shapes, one behind the other. */
TEST(so_it_does_where_shapes_are_mixed)
{
    for (size_t first = 0; first < sizeof shapes / sizeof shapes[0]; first += 5) {
        size_t at = 0;
        for (size_t i = first; at < XYLEM_COMMAND_BYTES_MAX - 64; i++) {
            const char *again = shapes[i % (sizeof shapes / sizeof shapes[0])].again;
            memcpy(command + at, again, strlen(again));
            at += strlen(again);
        }
        for (size_t p = 0; p < 3; p++) {
            struct work work = judge_in_thread(policies[p], at);
            assert_true(work.peak_bytes <= at * BYTES_PER_BYTE_MAX + 65536);
        }
    }
}

TEST(what_is_longer_than_the_limit_is_not_read)
{
    memset(command, 'a', sizeof command);
    for (size_t p = 0; p < 3; p++) {
        struct work most = judge_in_thread(policies[p], XYLEM_COMMAND_BYTES_MAX);
        struct work more = judge_in_thread(policies[p], XYLEM_COMMAND_BYTES_MAX + 1);
        assert_int_equal(most.judged_count, 1);
        assert_int_equal(more.judged_count, 0);
    }
}

static int make_policies(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct xylem_policy_config config = {.type = (enum xylem_policy_type)i};
        if (xylem_policy_new(&policies[i], &config, NULL) < 0)
            return 1;
    }
    return 0;
}

static int free_policies(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++)
        xylem_policy_free(policies[i]);
    return 0;
}

TEST_FILE(make_policies, free_policies)
