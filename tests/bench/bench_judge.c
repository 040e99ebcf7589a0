/*
 * What judging a command takes, over the fixtures of policies: under each policy, beside parsing alone. And what the
 * hook costs as a whole process, beside a static program that does nothing, and beside starting Python.
 */
#include "judge/shell/parse.h"
#include "tests/bench/bench.h"
#include "tests/lib/policy_fixtures.h"

enum { PARSE = 3, HOWS }; /* behind the policies' types */

static struct policy_fixtures fixtures;
static struct xylem_policy *policies[PARSE];

/* Each row gets the same commands. The stride has no part in common with most counts: neighbours are alike. */
static struct xylem_view next_command(int how)
{
    static size_t turns[HOWS];
    return fixtures.list[turns[how]++ * 7919 % fixtures.count].command;
}

static void parse(struct bench_call call)
{
    struct xylem_shell__arena arena = {0};
    struct xylem_shell__tree tree;
    bench_xylem(xylem_shell__parse(&tree, &arena, next_command(call.how), 0));
    xylem_shell__arena_release(&arena);
}

static void judge(struct bench_call call)
{
    bench_xylem(xylem_policy_judge(call.subject, policies[call.how], next_command(call.how), "/home/user", &bench_err));
}

/* Samples of one command each, so that their median is that of the commands. */
static const struct bench_row judging[] = {
    {"parse alone", BENCH_READS, parse, .how = PARSE, .most = 1},
    {"judge, strict", BENCH_READS, judge, .how = XYLEM_POLICY_STRICT, .most = 1},
    {"judge, readonly", BENCH_READS, judge, .how = XYLEM_POLICY_READONLY, .most = 1},
    {"judge, confirm", BENCH_READS, judge, .how = XYLEM_POLICY_CONFIRM, .most = 1},
};

static const struct bench_row hooks[] = {
    {"empty static program", BENCH_READS, bench_command, .how = 0, .most = 1},
    {"xylem hook permission-request", BENCH_READS, bench_command, .how = 1, .most = 1},
    {"python3 -c 0", BENCH_READS, bench_command, .how = 2, .most = 1},
};

static void measure_hook(void)
{
    const char *input = bench_path("input.json");
    bool there = access("/usr/bin/python3", X_OK) == 0; /* another in $PATH may be a script that looks for one */
    struct bench_command commands[] = {{.words = {bench_empty_program}},
                                       {.words = {bench_program, "hook", "permission-request"}, .input = input},
                                       {.words = {"/usr/bin/python3", "-c", "0"}}};
    FILE *file = fopen(input, "w");
    bench_must(file != NULL, input, "cannot be written");
    fputs("{\"session_id\":\"s\",\"cwd\":\"/\",\"hook_event_name\":\"PermissionRequest\",\"tool_name\":\"Bash\","
          "\"tool_input\":{\"command\":\"cd src && grep -rn 'a|b' . 2>/dev/null | sort | uniq -c | head -20\"}}",
          file);
    fclose(file);
    bench_must(strstr(bench_output(&commands[1]), "\"allow\"") != NULL, "xylem hook", "it does not approve");
    bench_table("whole process, the hook's answer to a pipeline of four commands", commands, hooks, there ? 3 : 2);
    if (!there) {
        bench_note("/usr/bin/python3 is not there.");
    }
    bench_run(10);
}

BENCH("judge")
{
    struct xylem_verdict verdict = {0};
    policy_fixtures_read(&fixtures);
    for (unsigned type = 0; type < PARSE; type++) {
        struct xylem_policy_config config = {.type = type};
        bench_xylem(xylem_policy_new(&policies[type], &config, &bench_err));
    }
    bench_table(bench_text("one command of the fixtures, of any length (%zu)", fixtures.count), &verdict,
                BENCH_ROWS(judging));
    bench_run(5);
    measure_hook();
}
