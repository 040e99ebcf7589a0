/* The frame: options, the process that measures, the rounds. */
#include "tests/bench/frame.h"

#include <ftw.h>
#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    ROUNDS_MAX = 2000,
    ROUNDS_WANTED = 15, /* of each contestant, so of each ratio, where a tenth of the time is enough for them */
    ROUNDS_MIN = 5,     /* where it is not */
    SAMPLE_NS = 300000,
    CALIBRATIONS = 5
};

static volatile sig_atomic_t measuring_pid;
static volatile uint64_t used;

double bench_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

void bench_must(bool ok, const char *what, const char *why)
{
    if (!ok) {
        fprintf(stderr, "bench: %s: %s\n", what, why ? why : "failed");
        exit(1);
    }
}

void bench_xylem(int code, const char *what, const struct xylem_error *err)
{
    bench_must(code >= 0, what, err ? err->text : xylem_code_text(code));
}

void bench_use(uint64_t value)
{
    used += value;
}

uint64_t bench_random(struct bench *bench)
{
    bench->random ^= bench->random << 13;
    bench->random ^= bench->random >> 7;
    bench->random ^= bench->random << 17;
    return bench->random;
}

const char *bench_directory(const struct bench *bench)
{
    return bench->directory;
}

const char *bench_path(const struct bench *bench, const char *name)
{
    static char paths[8][512];
    static unsigned turn;
    char *path = paths[turn++ % 8];
    int bytes = snprintf(path, sizeof paths[0], "%s/%s", bench->directory, name);
    bench_must(bytes > 0 && (size_t)bytes < sizeof paths[0], name, "the path is too long");
    return path;
}

bool bench_quick(const struct bench *bench)
{
    return bench->quick;
}

const char *bench_program(const struct bench *bench)
{
    return bench->program;
}

const char *bench_format(struct bench *bench, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    (void)bench;
    va_start(arguments, format);
    bench_must(vasprintf(&text, format, arguments) >= 0, "a heading", "out of memory");
    va_end(arguments);
    return text; /* the process ends with the bench */
}

static void forget_lines(struct bench *bench)
{
    for (size_t i = 0; i < bench->line_count; i++) {
        free(bench->lines[i].samples);
    }
    free(bench->lines);
    bench->lines = NULL;
    bench->line_count = 0;
    bench->check = NULL;
    bench->ran = false;
}

void bench_add(struct bench *bench, const struct bench_contestant *contestant)
{
    if (bench->ran) { /* what was measured stays for bench_flat() until the next contestants come */
        forget_lines(bench);
    }
    struct bench_line *lines = realloc(bench->lines, (bench->line_count + 1) * sizeof *lines);
    bench_must(lines != NULL, "a contestant", "out of memory");
    bench->lines = lines;
    lines[bench->line_count++] = (struct bench_line){.contestant = *contestant};
}

void bench_add_read(struct bench *bench, const char *table, const char *name,
                    void (*run)(void *context, uint64_t count), void *context)
{
    bench_add(bench, &(struct bench_contestant){
                         .table = table, .name = name, .loses = BENCH_READS, .run = run, .context = context});
}

void bench_check(struct bench *bench, void (*check)(void *context), void *context)
{
    bench->check = check;
    bench->check_context = context;
}

/* One sample: nanoseconds of all its operations. */
static double take_sample(struct bench_line *line)
{
    const struct bench_contestant *contestant = &line->contestant;
    double begin = bench_now_ns();
    if (contestant->prepare) {
        contestant->prepare(contestant->context, line->count);
    }
    double run = bench_now_ns();
    contestant->run(contestant->context, line->count);
    double end = bench_now_ns();
    if (contestant->finish) {
        contestant->finish(contestant->context);
    }
    line->cost_ns = bench_now_ns() - begin;
    return end - run;
}

/* The median of a few samples, and of their costs: one that was disturbed decides nothing. A slow one does alone. */
static double take_samples(struct bench_line *line, double budget_ns)
{
    double times[CALIBRATIONS];
    double costs[CALIBRATIONS];
    double spent_ns = 0;
    size_t count = 0;
    while (count == 0 || (count < CALIBRATIONS && spent_ns < budget_ns)) {
        times[count] = take_sample(line);
        costs[count] = line->cost_ns;
        spent_ns += line->cost_ns;
        count++;
    }
    line->cost_ns = bench_median(costs, count);
    return bench_median(times, count);
}

/* Finds how many operations fill a sample, and what one costs; warms up on the way. */
static void calibrate(struct bench_line *line, double budget_ns)
{
    uint64_t most = line->contestant.count_max ? line->contestant.count_max : UINT64_MAX;
    line->count = 1;
    take_sample(line);
    for (;;) {
        double ns = take_samples(line, budget_ns);
        if (ns >= SAMPLE_NS / 2.0 || line->count >= most) {
            return;
        }
        double factor = SAMPLE_NS / (ns < 1.0 ? 1.0 : ns);
        factor = factor < 2.0 ? 2.0 : factor > 16.0 ? 16.0 : factor;
        line->count = (uint64_t)((double)line->count * factor);
        line->count = line->count < most ? line->count : most;
    }
}

static double clamp(double value, double least, double most)
{
    return value < least ? least : value > most ? most : value;
}

/* The fewest samples that the line's ratios should rest on. */
static double least_samples(const struct bench_line *line, double seconds)
{
    return clamp(seconds * 1e9 / 10 / line->cost_ns, ROUNDS_MIN, ROUNDS_WANTED);
}

/*
 * In every how many rounds the line runs: a power of two, so that of two lines the rarer one always meets the other,
 * and their ratio rests on each of its samples.
 */
static size_t period(const struct bench_line *line, size_t round_count, double share_ns, double least)
{
    size_t every = 1;
    while ((double)(round_count / every) > share_ns / line->cost_ns && (double)(round_count / every / 2) >= least) {
        every *= 2;
    }
    return every;
}

/* Shares the time out: how many rounds there are, and in which of them each contestant runs. */
static void plan(struct bench *bench, double seconds)
{
    double share_ns = seconds * 1e9 / (double)bench->line_count;
    double most = ROUNDS_MIN;
    for (size_t i = 0; i < bench->line_count; i++) {
        struct bench_line *line = &bench->lines[i];
        calibrate(line, share_ns / CALIBRATIONS);
        most = fmax(most, fmax(share_ns / line->cost_ns, least_samples(line, seconds)));
    }
    bench->round_count = bench->rounds ? bench->rounds : (size_t)fmin(most, ROUNDS_MAX);
    for (size_t i = 0; i < bench->line_count; i++) {
        struct bench_line *line = &bench->lines[i];
        line->every = period(line, bench->round_count, share_ns, least_samples(line, seconds));
        line->samples = calloc(bench->round_count, sizeof *line->samples);
        bench_must(line->samples != NULL, "samples", "out of memory");
    }
}

static void shuffle(struct bench *bench, size_t *order)
{
    for (size_t i = bench->line_count; i > 1; i--) {
        size_t other = (size_t)(bench_random(bench) % i);
        size_t kept = order[i - 1];
        order[i - 1] = order[other];
        order[other] = kept;
    }
}

void bench_run(struct bench *bench, double seconds)
{
    size_t *order = calloc(bench->line_count + 1, sizeof *order);
    bench_must(order != NULL && bench->line_count > 0, "a run", "it has no contestants");
    for (size_t i = 0; i < bench->line_count; i++) {
        order[i] = i;
    }
    seconds = bench->seconds > 0 ? bench->seconds : seconds;
    plan(bench, bench->quick ? seconds / 10 : seconds);
    for (size_t round = 0; round < bench->round_count; round++) {
        shuffle(bench, order);
        for (size_t i = 0; i < bench->line_count; i++) {
            struct bench_line *line = &bench->lines[order[i]];
            if (round % line->every == 0) {
                line->samples[round] = take_sample(line) / (double)line->count;
            }
        }
        if (bench->check) {
            bench->check(bench->check_context);
        }
    }
    free(order);
    bench->ran = true;
    bench_evaluate(bench);
    bench_report(bench);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
    (void)status;
    (void)type;
    (void)ftw;
    return remove(path);
}

static void pass_on(int signal_number)
{
    if (measuring_pid > 0) {
        kill((pid_t)measuring_pid, signal_number);
    }
}

static void print_document(struct bench *bench)
{
    if (bench->json) {
        bench_document(stdout, bench);
    }
    if (bench->json_path) {
        FILE *file = fopen(bench->json_path, "w");
        bench_must(file != NULL, bench->json_path, "cannot be written");
        bench_document(file, bench);
        bench_must(fclose(file) == 0, bench->json_path, "cannot be written");
    }
}

/* In a process of its own, so that the directory is removed whatever becomes of it. */
static int measure_apart(struct bench *bench, void (*measure)(struct bench *bench))
{
    int status = 0;
    fflush(stdout);
    pid_t pid = fork();
    bench_must(pid >= 0, "a process", "cannot be made");
    if (pid == 0) {
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        bench->figures = open_memstream(&bench->figures_text, &bench->figures_bytes);
        bench_must(bench->figures != NULL, "the figures", "out of memory");
        if (!bench->json) {
            bench_machine_text(stdout, bench->directory);
        }
        measure(bench);
        fflush(bench->figures);
        print_document(bench);
        exit(fflush(stdout) == 0 ? 0 : 1);
    }
    measuring_pid = pid;
    while (waitpid(pid, &status, 0) < 0) {
    }
    nftw(bench->directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    if (WIFSIGNALED(status)) {
        fprintf(stderr, "bench: ended by signal %d\n", WTERMSIG(status));
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int parse(struct bench *bench, int argc, char **argv)
{
    static const struct option options[] = {
        {"json", no_argument, NULL, 'j'},
        {"json-to", required_argument, NULL, 't'},
        {"seconds", required_argument, NULL, 's'},
        {"rounds", required_argument, NULL, 'r'},
        {"quick", no_argument, NULL, 'q'},
        {"program", required_argument, NULL, 'p'},
        {NULL, 0, NULL, 0},
    };
    int option = 0;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (option) {
        case 'j':
            bench->json = true;
            break;
        case 't':
            bench->json_path = optarg;
            break;
        case 's':
            bench->seconds = strtod(optarg, NULL);
            break;
        case 'r':
            bench->rounds = strtoul(optarg, NULL, 10);
            break;
        case 'q':
            bench->quick = true;
            break;
        case 'p':
            bench->program = optarg;
            break;
        default:
            return -1;
        }
    }
    return optind == argc ? 0 : -1;
}

int bench_main(int argc, char **argv, const char *question, void (*measure)(struct bench *bench))
{
    struct bench bench = {.question = question, .program = "build/xylem", .random = 0x9e3779b97f4a7c15u};
    const char *parent = getenv("TMPDIR");
    if (parse(&bench, argc, argv) < 0) {
        fprintf(stderr, "usage: %s [--json | --json-to FILE] [--quick] [--seconds S] [--rounds N] [--program PATH]\n",
                argv[0]);
        return 2;
    }
    snprintf(bench.directory, sizeof bench.directory, "%s/xylem-bench-XXXXXX", parent && *parent ? parent : "/tmp");
    bench_must(mkdtemp(bench.directory) != NULL, bench.directory, "cannot be made");
    signal(SIGINT, pass_on);
    signal(SIGTERM, pass_on);
    return measure_apart(&bench, measure);
}
