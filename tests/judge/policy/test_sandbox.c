/*
 * The sandbox in which generated commands run notices what they do, and is not harmed by it. Where there can be none
 * (no bubblewrap, or no namespaces for users), it says so, and nothing is run.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/shell_sandbox.h"
#include "tests/lib/shell_text.h"
#include "tests/lib/test.h"

static struct shell_sandbox *sandbox;
static const struct shell_report *report;

static void run(const char *command)
{
    assert_true(shell_sandbox_run(&report, sandbox, command, strlen(command)));
}

static int open_sandbox(void **state)
{
    char why[256];
    (void)state;
    sandbox = shell_sandbox_open(why, sizeof why);
    if (!sandbox) {
        print_message("figures: no sandbox can be had here, nothing was run in one: %s\n", why);
    }
    return 0;
}

static int close_sandbox(void **state)
{
    (void)state;
    shell_sandbox_close(sandbox);
    return 0;
}

static bool has(enum shell_event_type type, const char *name)
{
    for (size_t i = 0; i < report->event_count; i++) {
        if (report->events[i].type == type && (!name || strcmp(shell_base_name(report->events[i].what), name) == 0)) {
            return true;
        }
    }
    return false;
}

/* Skips the test, for good reason: the sandbox is what it tests. */
#define NEEDS_SANDBOX() \
    do {                \
        if (!sandbox) { \
            skip();     \
        }               \
    } while (0)

TEST(quiet_commands_do_nothing)
{
    static const char *const commands[] = {"",
                                           "#x",
                                           ":",
                                           "echo a >/dev/null",
                                           "[ -f a ] && y=$x",
                                           "cd dir; pwd",
                                           "read y <a",
                                           "(echo)",
                                           "cat() { :; }; cat",
                                           "[[ -d dir ]]"};
    (void)state;
    NEEDS_SANDBOX();
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        run(commands[i]);
        assert_int_equal(report->event_count, 0);
        assert_false(report->died);
    }
}

TEST(programs_are_noticed_however_they_are_named)
{
    static const char *const commands[] = {"canary1",
                                           "'can'ary1",
                                           "/usr/bin/canary1",
                                           "/bin/canary1",
                                           "$'canary1'",
                                           "command canary1",
                                           "exec canary1",
                                           "canary1 & wait",
                                           "echo $(canary1)",
                                           "cat <(canary1)",
                                           "$(canary1)",
                                           "(canary1)",
                                           "canary1 &",
                                           "a[$(canary1)]=",
                                           "x=`canary1`",
                                           "PATH= /bin/canary1",
                                           "PATH=.:/bin; canary1"};
    (void)state;
    NEEDS_SANDBOX();
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        run(commands[i]);
        assert_true(has(SHELL_RAN, "canary1"));
    }
    run("no-such-program x");
    assert_true(has(SHELL_RAN, "no-such-program"));
    run("./x; PATH=. ls");
    assert_true(has(SHELL_RAN, "x"));
    assert_true(has(SHELL_RAN, "ls"));
    assert_string_equal(report->events[0].what, "./x");
}

TEST(programs_that_programs_start_are_told_apart)
{
    static const char *const commands[] = {"env canary1", "xargs canary1 <a", "find a -exec canary1 {} \\;",
                                           "nice env -i /bin/canary1", "awk 'BEGIN{system(\"canary1\")}'"};
    (void)state;
    NEEDS_SANDBOX();
    for (size_t i = 0; i < 4; i++) {
        run(commands[i]);
        assert_true(has(SHELL_RAN_BELOW, "canary1"));
        assert_false(has(SHELL_RAN, "canary1"));
    }
    run(commands[4]); /* its shell is a stand-in, and runs nothing */
    assert_true(has(SHELL_RAN_BELOW, "sh"));
}

TEST(writes_are_noticed)
{
    static const char *const commands[] = {">new",
                                           ": >> a; echo x >> a",
                                           "sort -o new a",
                                           "sed -i p a",
                                           "find . -name a -delete",
                                           ": > f.txt",
                                           "uniq a new",
                                           "exec 7<>/tmp/new",
                                           "echo one > a",
                                           "sed -n 'w /home/u/new' a",
                                           "umask 777; >new",
                                           "git branch new",
                                           "git add code.sh",
                                           "git tag x",
                                           "git log --output=new",
                                           "xxd a new",
                                           "find / -delete",
                                           "printf x > dir/deep.txt",
                                           "sort *",
                                           "awk '{print > \"new\"}' a",
                                           "coproc { echo >new; }; wait"};
    (void)state;
    NEEDS_SANDBOX();
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        run(commands[i]);
        if (!has(SHELL_WROTE, NULL)) {
            fail_msg("nothing was seen of: %s", commands[i]);
        }
        run("ls; cat a; git status; git diff; git log"); /* and everything is as it was */
        if (has(SHELL_WROTE, NULL)) {
            shell_report_print(report);
        }
        assert_false(has(SHELL_WROTE, NULL));
    }
}

TEST(what_a_sandbox_forbids_is_noticed_by_its_options)
{
    static const char *const bad[] = {"date -s now",   "date -us now",    "date 01020304", "date --set=x", "hostname x",
                                      "hostname -F a", "man -Pcanary1 x", "rg --pre x y",  "fd -x canary1"};
    static const char *const good[] = {"date",     "date +%s",    "date -d now +%F", "date -r a", "date -Iseconds",
                                       "hostname", "hostname -f", "man -k x",        "rg -e -z",  "fd x"};
    (void)state;
    NEEDS_SANDBOX();
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        run(bad[i]);
        assert_true(has(SHELL_HATCH, NULL));
    }
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        run(good[i]);
        assert_false(has(SHELL_HATCH, NULL));
    }
}

TEST(it_outlives_what_runs_wild)
{
    NEEDS_SANDBOX();
    run("b() { b | b & }; b");
    run("while :; do :; done");
    assert_true(has(SHELL_TOO_LONG, NULL));
    run("while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxx; done > new");
    assert_true(has(SHELL_WROTE, "new"));
    run("x=x; while :; do x=$x$x; done");
    run("tail -f a & disown; canary2");
    assert_true(has(SHELL_RAN, "canary2"));
    run("kill -9 -1");
    assert_true(report->died);
    run("canary3");
    assert_false(report->died);
    assert_int_equal(report->event_count, 1);
    assert_true(has(SHELL_RAN, "canary3"));
}

TEST(it_has_no_rights)
{
    NEEDS_SANDBOX();
    run("while read -r k v; do [[ $k != CapEff: || $v != 0000000000000000 ]] || canary1; done < /proc/self/status");
    assert_true(has(SHELL_RAN, "canary1"));
    run("[ $EUID -ne 0 ] && canary1; [ -e /etc/passwd ] || canary2; [ -w /usr/bin ] || [ -w / ] || canary3");
    assert_true(has(SHELL_RAN, "canary1") && has(SHELL_RAN, "canary2") && has(SHELL_RAN, "canary3"));
    run("exec 3<>/dev/tcp/127.0.0.1/22 && canary1");
    assert_false(has(SHELL_RAN, "canary1"));
}

/* The same seed gives the same text, and other seeds give others; most of them differ from all others. */
TEST(texts_follow_from_their_seeds)
{
    static struct shell_text a;
    static struct shell_text b;
    struct shell_fixtures none = {NULL, 0};
    int longer = 0;
    (void)state;
    for (uint64_t seed = 0; seed < 500; seed++) {
        struct chance chance = chance_of(seed);
        struct chance again = chance_of(seed);
        shell_text_next(&a, &chance, &none);
        shell_text_next(&b, &again, &none);
        assert_int_equal(a.bytes, b.bytes);
        assert_memory_equal(a.data, b.data, a.bytes);
        assert_int_equal(strlen(a.data), a.bytes);
        longer += a.bytes > 20;
    }
    assert_true(longer > 150);
}

TEST(fixtures_give_their_commands)
{
    char folder[] = "/tmp/xylem-fixtures-XXXXXX";
    char path[64];
    char room[64];
    struct shell_fixtures fixtures;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.jsonl", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("{\"policy\":\"strict\",\"command\":\"ls \\\"a\\\"\\n\\u0041\\u00e9\\u200b\",\"verdict\":\"ask\"}\n{}\n",
          file);
    assert_int_equal(fclose(file), 0);
    shell_fixtures_read(&fixtures, folder);
    unlink(path);
    rmdir(folder);
    assert_int_equal(fixtures.count, 1);
    assert_string_equal(fixtures.commands[0], "ls \"a\"\nA\xc3\xa9\xe2\x80\x8b");
    assert_string_equal(shell_text_escape(room, sizeof room, "a'\n\x01", 4), "a\\'\\n\\x01");
    shell_fixtures_free(&fixtures);
    shell_fixtures_read(&fixtures, "/no/such/folder");
    assert_int_equal(fixtures.count, 0);
}

TEST_FILE(open_sandbox, close_sandbox)
