/*
 * What judging a command takes, by its length, over the fixtures of policies: under each of strict and readonly, beside
 * parsing alone and a look at each byte. And what the hook costs as a whole process, beside a program that does nothing
 * and loads the same libraries, and beside starting Python.
 */
#include <dirent.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "judge/shell/parse.h"
#include "tests/bench/bench.h"
#include "tests/bench/process.h"
#include "xylem/policy.h"

#define FOLDER "fixtures/policy"
#define COMMANDS_MAX 16384
#define LINE_BYTES_MAX 1048576

/* Lengths, and the commands of a table. */
static const struct length {
    const char *name;
    size_t least;
    size_t most;
} lengths[] = {
    {"of any length", 0, SIZE_MAX},
    {"of up to 32 bytes", 0, 32},
    {"of 33 to 128 bytes", 33, 128},
    {"of 129 bytes and more", 129, SIZE_MAX},
};

struct commands {
    struct xylem_view list[COMMANDS_MAX];
    size_t count;
    size_t next;
};

struct judging {
    struct commands *commands;
    struct xylem_policy *policy;
    struct xylem_verdict verdict;
};

struct process {
    char *words[8];
};

static void add_command(struct commands *commands, struct xylem_view line)
{
    static struct xylem_base__tree tree;
    struct xylem_error err;

    bench_xylem(xylem_base__json_parse(&tree, line, &err), "a fixture", &err);
    struct xylem_view text = xylem_value_string(xylem_value_get(&tree.nodes[0], "command"));
    char *copy = malloc(text.bytes + 1);
    bench_must(copy != NULL && commands->count < COMMANDS_MAX, FOLDER, "there is no room for the commands");
    memcpy(copy, text.data, text.bytes);
    commands->list[commands->count++] = (struct xylem_view){copy, text.bytes};
}

static int is_cases(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');

    return dot != NULL && strcmp(dot, ".jsonl") == 0;
}

static void read_commands(struct commands *commands)
{
    struct dirent **names = NULL;
    int count = scandir(FOLDER, &names, is_cases, alphasort);
    char *line = malloc(LINE_BYTES_MAX);

    bench_must(count > 0 && line != NULL, FOLDER, "cannot be read");
    for (int i = 0; i < count; i++) {
        char path[600];
        (void)snprintf(path, sizeof path, FOLDER "/%s", names[i]->d_name);
        FILE *file = fopen(path, "r");
        bench_must(file != NULL, path, "cannot be read");
        while (fgets(line, LINE_BYTES_MAX, file) != NULL) {
            add_command(commands, xylem_view_of(line));
        }
        (void)fclose(file);
        free(names[i]);
    }
    free(names);
    free(line);
}

/* A stride that has no part in common with most counts: neighbours in a file are alike. */
static struct commands *choose_commands(const struct commands *all, const struct length *length)
{
    struct commands *chosen = calloc(1, sizeof *chosen);

    bench_must(chosen != NULL, "memory", "there is none");
    for (size_t i = 0; i < all->count; i++) {
        struct xylem_view command = all->list[(i * 7919) % all->count];
        if (command.bytes >= length->least && command.bytes <= length->most) {
            chosen->list[chosen->count++] = command;
        }
    }
    bench_must(chosen->count > 0, length->name, "there are no such commands");
    return chosen;
}

static struct xylem_view next_command(struct commands *commands)
{
    struct xylem_view command = commands->list[commands->next];

    commands->next = commands->next + 1 == commands->count ? 0 : commands->next + 1;
    return command;
}

static void look_at_bytes(void *context, uint64_t count)
{
    struct judging *judging = context;
    uint64_t sum = 0;

    for (uint64_t i = 0; i < count; i++) {
        struct xylem_view command = next_command(judging->commands);
        for (size_t at = 0; at < command.bytes; at++) {
            sum = sum * 31 + (unsigned char)command.data[at];
        }
    }
    bench_use(sum);
}

static void parse(void *context, uint64_t count)
{
    struct judging *judging = context;

    for (uint64_t i = 0; i < count; i++) {
        struct xylem_shell__arena arena = {0};
        struct xylem_shell__tree tree;
        bench_xylem(xylem_shell__parse(&tree, &arena, next_command(judging->commands), 0), "parse", NULL);
        xylem_shell__arena_release(&arena);
    }
}

static void judge(void *context, uint64_t count)
{
    struct judging *judging = context;

    for (uint64_t i = 0; i < count; i++) {
        struct xylem_view command = next_command(judging->commands);
        bench_xylem(xylem_policy_judge(&judging->verdict, judging->policy, command, "/home/user", NULL), "judge", NULL);
    }
}

static struct judging *new_judging(const struct commands *all, const struct length *length, enum xylem_policy_type type)
{
    struct xylem_policy_config config = {.type = type};
    struct judging *judging = calloc(1, sizeof *judging);

    bench_must(judging != NULL, "memory", "there is none");
    judging->commands = choose_commands(all, length);
    bench_xylem(xylem_policy_new(&judging->policy, &config, NULL), "a policy", NULL);
    return judging;
}

static void free_judging(struct judging *judging)
{
    xylem_policy_free(judging->policy);
    xylem_verdict_release(&judging->verdict);
    free(judging->commands);
    free(judging);
}

/* Samples of one command each, so that their median is that of the commands. */
static void measure_judging(struct bench *bench, const struct commands *all)
{
    static const struct {
        const char *name;
        void (*run)(void *context, uint64_t count);
        enum xylem_policy_type type;
    } contestants[] = {
        {"a look at each byte", look_at_bytes, XYLEM_POLICY_STRICT},
        {"parse alone", parse, XYLEM_POLICY_STRICT},
        {"judge, strict", judge, XYLEM_POLICY_STRICT},
        {"judge, readonly", judge, XYLEM_POLICY_READONLY},
        {"judge, confirm", judge, XYLEM_POLICY_CONFIRM},
    };
    struct judging *made[sizeof lengths / sizeof lengths[0]][sizeof contestants / sizeof contestants[0]];

    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        size_t count = 0;
        for (size_t c = 0; c < sizeof contestants / sizeof contestants[0]; c++) {
            made[i][c] = new_judging(all, &lengths[i], contestants[c].type);
            count = made[i][c]->commands->count;
        }
        const char *table = bench_format(bench, "one command of the fixtures, %s (%zu)", lengths[i].name, count);
        for (size_t c = 0; c < sizeof contestants / sizeof contestants[0]; c++) {
            bench_add(bench, &(struct bench_contestant){.table = table,
                                                        .name = contestants[c].name,
                                                        .loses = BENCH_READS,
                                                        .run = contestants[c].run,
                                                        .context = made[i][c],
                                                        .count_max = 1,
                                                        .floor = c == 1});
        }
    }
    bench_run(bench, 15);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        for (size_t c = 0; c < sizeof contestants / sizeof contestants[0]; c++) {
            free_judging(made[i][c]);
        }
    }
}

/*
 * --- Whole processes ------------------------------------------------------------------------------------------------
 */

static void run_process(void *context, uint64_t count)
{
    struct process *process = context;

    for (uint64_t i = 0; i < count; i++) {
        bench_command(process->words, NULL, 0);
    }
}

static void add_process(struct bench *bench, const char *table, const char *name, struct process *process)
{
    bench_add(bench, &(struct bench_contestant){.table = table,
                                                .name = name,
                                                .loses = BENCH_READS,
                                                .run = run_process,
                                                .context = process,
                                                .count_max = 1});
}

static const char *empty_program(struct bench *bench)
{
    char self[4096] = "";
    ssize_t bytes = readlink("/proc/self/exe", self, sizeof self - 1);

    bench_must(bytes > 0, "/proc/self/exe", "cannot be read");
    self[bytes] = '\0';
    return bench_format(bench, "%s/empty", dirname(self));
}

/* All processes read the hook's input from the bench's own standard input, which is put back to its beginning. */
static void set_input(struct bench *bench)
{
    const char *path = bench_path(bench, "input.json");
    FILE *file = fopen(path, "w");

    bench_must(file != NULL, path, "cannot be written");
    fputs("{\"session_id\":\"s\",\"cwd\":\"/\",\"hook_event_name\":\"PermissionRequest\",\"tool_name\":\"Bash\","
          "\"tool_input\":{\"command\":\"cd src && grep -rn 'a|b' . 2>/dev/null | sort | uniq -c | head -20\"}}",
          file);
    bench_must(fclose(file) == 0 && freopen(path, "r", stdin) != NULL, path, "cannot be written");
}

static void rewind_input(void *context, uint64_t count)
{
    (void)context;
    (void)count;
    bench_must(lseek(STDIN_FILENO, 0, SEEK_SET) == 0, "the input", "cannot be read again");
}

static void measure_processes(struct bench *bench)
{
    struct process empty = {{(char *)empty_program(bench), NULL}};
    struct process hook = {{(char *)bench_program(bench), (char *)"hook", (char *)"permission-request", NULL}};
    bool system_python = access("/usr/bin/python3", X_OK) == 0; /* what $PATH has may be a script that looks for one */
    struct process python = {
        {(char *)(system_python ? "/usr/bin/python3" : "python3"), (char *)"-c", (char *)"0", NULL}};
    const char *table = "whole process, the hook's answer to a pipeline of four commands";
    char output[4096];

    set_input(bench);
    bench_command(hook.words, output, sizeof output);
    bench_must(strstr(output, "\"allow\"") != NULL, "xylem hook", "it does not approve");
    add_process(bench, table, "empty program, same libraries", &empty);
    bench_add(bench, &(struct bench_contestant){.table = table,
                                                .name = "xylem hook permission-request",
                                                .loses = BENCH_READS,
                                                .run = run_process,
                                                .context = &hook,
                                                .prepare = rewind_input,
                                                .count_max = 1});
    if (system_python || system("python3 -c 0 >/dev/null 2>&1") == 0) {
        add_process(bench, table, "python3 -c 0", &python);
    } else {
        bench_note(bench, "python3 is not there.");
    }
    bench_run(bench, 10);
}

static void measure(struct bench *bench)
{
    static struct commands all;

    read_commands(&all);
    measure_judging(bench, &all);
    measure_processes(bench);
    for (size_t i = 0; i < all.count; i++) {
        free((char *)all.list[i].data);
    }
}

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "judge", measure);
}
