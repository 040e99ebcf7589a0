/* The frame: what samples say, the document and the tables, the rounds, the program. */
#include "tests/bench/bench.h"

#include <libgen.h>
#include <lmdb.h>
#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>

enum {
    ROUNDS_MAX = 2000,
    LINES_MAX = 128,
    ROUNDS_WANTED = 15, /* of each row, so of each ratio, where a tenth of the time is enough for them */
    ROUNDS_MIN = 5,     /* where it is not */
    SAMPLE_NS = 300000,
    CALIBRATIONS = 5,
    P99_SAMPLES = 100 /* of fewer it would be their greatest */
};

/* A row and its samples: the time of one operation in each round, 0 where it did not run. */
struct line {
    const struct bench_row *row;
    const char *table;
    size_t first; /* the line of the table's first row */
    void *subject;
    double items;     /* of an operation */
    const char *unit; /* NULL: it has no rate */
    size_t count;     /* operations of a sample */
    double cost_ns;   /* of a sample, with what is around it */
    size_t every;     /* it runs in every so many rounds */
    bool processor;   /* its time is that of the processor */
    double samples[ROUNDS_MAX];
};

bool bench_quick;
const char *bench_program = "build/xylem";
const char *bench_empty_program;
struct xylem_error bench_err;

char bench_directory[200];
static double seconds_given; /* 0: as the program says */
static struct line lines[LINES_MAX];
static size_t line_count;
static size_t round_count; /* of the last run */
static volatile uint64_t used;
static FILE *document;

double bench_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double processor_ns(void)
{
    struct rusage own;
    struct rusage children;
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &children);
    timeradd(&own.ru_utime, &own.ru_stime, &own.ru_utime);
    timeradd(&children.ru_utime, &children.ru_stime, &children.ru_utime);
    timeradd(&own.ru_utime, &children.ru_utime, &own.ru_utime);
    return (double)own.ru_utime.tv_sec * 1e9 + (double)own.ru_utime.tv_usec * 1e3;
}

void bench_must(bool ok, const char *what, const char *why)
{
    if (!ok) {
        fprintf(stderr, "bench: %s: %s\n", what, why);
        exit(1);
    }
}

void bench_code(int code, const char *what)
{
    bench_must(code >= 0, what, bench_err.code == code ? bench_err.text : xylem_code_text(code));
}

void bench_use(uint64_t value)
{
    used += value;
}

/* No text is freed: the process ends with the bench. */
const char *bench_text(const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    bench_must(vasprintf(&text, format, arguments) >= 0, "a text", "out of memory");
    va_end(arguments);
    return text;
}

/* --- What samples say --------------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Of values, which it sorts. There is one at least. */
static double median_of(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* Of sorted values, the one that so large a part of them does not exceed. */
static double percentile(const double *sorted, size_t count, double part)
{
    size_t rank = (size_t)ceil(part * (double)count);
    return sorted[rank > 0 ? rank - 1 : 0];
}

/* The median of the ratios of two lines, in the rounds in which both ran, and the number of these. */
static double ratio_of(size_t *count, const struct line *line, const struct line *against)
{
    double ratios[ROUNDS_MAX];
    *count = 0;
    for (size_t i = 0; i < round_count; i++) {
        if (line->samples[i] > 0 && against->samples[i] > 0) {
            ratios[(*count)++] = line->samples[i] / against->samples[i];
        }
    }
    return *count > 0 ? median_of(ratios, *count) : 0;
}

/* --- The document ------------------------------------------------------------------------------------------------- */

/* Each figure is one line: tools/bench_page.sh reads lines. No text of a bench has a quote or a backslash. */
__attribute__((format(printf, 1, 2))) static void put_figure(const char *format, ...)
{
    static bool follows;
    va_list arguments;
    fprintf(document, "%s\n    {\"type\": ", follows ? "," : "");
    follows = true;
    va_start(arguments, format);
    vfprintf(document, format, arguments);
    va_end(arguments);
    fputc('}', document);
}

/* The first line of what the command of a shell prints. */
static const char *ask(const char *command)
{
    char answer[256] = "unknown";
    FILE *shell = popen(command, "r");
    bench_must(shell && (fgets(answer, sizeof answer, shell) || feof(shell)), command, "cannot be asked");
    pclose(shell);
    return bench_text("%.*s", (int)strcspn(answer, "\n"), answer);
}

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

/* What a figure depends on: the machine, and the versions of everything that runs in it. */
static void put_machine(void)
{
    const char *const facts[][3] = {
        {"  \"machine\": {", "cpu", ask("sed -n 's/^model name[^:]*: //p' /proc/cpuinfo")},
        {", ", "cores", ask("nproc")},
        {", ", "kernel", ask("uname -sr")},
        {", ", "store on", ask(bench_text("df --output=fstype '%s' | tail -n 1", bench_directory))},
        {", ", "load at start", ask("cut -d ' ' -f 1 /proc/loadavg")},
        {"},\n  \"versions\": {", "xylem", xylem_version()},
        {", ", "LMDB", bench_text("%d.%d.%d", MDB_VERSION_MAJOR, MDB_VERSION_MINOR, MDB_VERSION_PATCH)},
        {", ", "SQLite", sqlite3_libversion()},
        {", ", "compiler", COMPILER},
        {", ", "flags", BENCH_FLAGS},
    };
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        fprintf(document, "%s\"%s\": \"%s\"", facts[i][0], facts[i][1], facts[i][2]);
        printf("%s %s%s", facts[i][1], facts[i][2], i % 5 == 4 ? "\n" : ", ");
    }
}

/* --- Tables ------------------------------------------------------------------------------------------------------- */

/* Three significant digits, and after each thousand the next unit: `1.23 us`, `45.6 M`. */
static const char *shorten(double value, const char *const units[4])
{
    size_t unit = 0;
    for (; unit < 3 && value >= 999.5; unit++) {
        value /= 1000;
    }
    return bench_text("%.*f %s", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value, units[unit]);
}

static void report_line(const struct line *line)
{
    static const char *const times[] = {"ns", "us", "ms", "s"};
    static const char *const thousands[] = {"", "k ", "M ", "G "};
    double sorted[ROUNDS_MAX];
    size_t count = 0;
    size_t ratio_rounds = 0;
    double ratio = ratio_of(&ratio_rounds, line, &lines[line->first]);
    for (size_t i = 0; i < round_count; i++) {
        if (line->samples[i] > 0) {
            sorted[count++] = line->samples[i];
        }
    }
    bench_must(count > 0, line->row->name, "it was too fast for the clock");
    double median = median_of(sorted, count);
    double noise = (percentile(sorted, count, 0.9) - percentile(sorted, count, 0.1)) / median;
    double p99 = percentile(sorted, count, 0.99);
    double rate = line->items * 1e9 / median;
    put_figure("\"time\", \"table\": \"%s\", \"name\": \"%s\", \"power_cut_loses\": \"%s\", \"ratio_to\": \"%s\""
               ", \"least_ns\": %.1f, \"median_ns\": %.1f, \"p99_ns\": %s, \"noise\": %.3f, \"samples\": %zu"
               ", \"operations\": %zu, \"ratio\": %.6f, \"ratio_rounds\": %zu%s",
               line->table, line->row->name, line->row->loses, lines[line->first].row->name, sorted[0], median,
               count < P99_SAMPLES ? "null" : bench_text("%.1f", p99), noise, count, line->count, ratio, ratio_rounds,
               line->unit ? bench_text(", \"rate\": %.1f, \"rate_unit\": \"%s\"", rate, line->unit) : "");
    printf("  %-36s %7s %7s %4.0f %% %7zu %7.*f %6zu  %-24s %s%s\n", line->row->name, shorten(median, times),
           count < P99_SAMPLES ? "-" : shorten(p99, times), noise * 100, count, ratio < 0.095 ? 4 : 2, ratio,
           ratio_rounds, line->row->loses, line->unit ? shorten(rate, thousands) : "", line->unit ? line->unit : "");
}

static void report_run(void)
{
    for (size_t i = 0; i < line_count; i++) {
        if (lines[i].first == i) {
            printf("\n%s\n  %-36s  median     p99  noise samples   ratio rounds  a power cut loses\n", lines[i].table,
                   "");
        }
        report_line(&lines[i]);
    }
    printf("  ratio: to the first row of the table, in the rounds in which both ran\n");
    fflush(stdout);
}

void bench_flat(size_t row, size_t from, size_t to)
{
    const char *name = lines[to + row].row->name;
    size_t rounds = 0;
    double ratio = ratio_of(&rounds, &lines[to + row], &lines[from + row]);
    printf("%s: %.2f times as long, in %zu rounds\n    from \"%s\"\n    to \"%s\"\n", name, ratio, rounds,
           lines[from].table, lines[to].table);
    put_figure("\"flat\", \"name\": \"%s\", \"from\": \"%s\", \"to\": \"%s\", \"ratio\": %.6f, \"ratio_rounds\": %zu",
               name, lines[from].table, lines[to].table, ratio, rounds);
}

void bench_figure(const char *name, double value, const char *unit)
{
    printf("%s: %.4g %s\n", name, value, unit);
    put_figure("\"figure\", \"name\": \"%s\", \"unit\": \"%s\", \"value\": %.3f", name, unit, value);
}

void bench_figures(const char *table, const char *name, const char *unit, const char *const *columns,
                   const double *values, size_t count)
{
    printf("  %-24s", name);
    for (size_t i = 0; i < count; i++) {
        printf(values[i] < 0 ? " %s -;" : " %s %.4g;", columns[i], values[i]);
        put_figure(
            "\"figure\", \"table\": \"%s\", \"name\": \"%s\", \"column\": \"%s\", \"unit\": \"%s\", \"value\": %s",
            table, name, columns[i], unit, values[i] < 0 ? "null" : bench_text("%.3f", values[i]));
    }
    printf(" %s\n", unit);
}

void bench_note(const char *text)
{
    printf("%s\n", text);
    put_figure("\"note\", \"text\": \"%s\"", text);
}

/* --- Rounds ------------------------------------------------------------------------------------------------------- */

size_t bench_table(const char *name, void *subject, const struct bench_row *rows, size_t row_count)
{
    if (round_count > 0) { /* what was measured stays for bench_flat() until the next table comes */
        line_count = round_count = 0;
    }
    size_t first = line_count;
    bench_must(first + row_count <= LINES_MAX, name, "there is no room for the table");
    for (size_t i = 0; i < row_count; i++) {
        lines[line_count++] =
            (struct line){.row = &rows[i], .table = name, .first = first, .subject = subject, .count = 1};
    }
    return first;
}

void bench_rate(size_t table, double items, const char *unit)
{
    for (size_t i = table; i < line_count && lines[i].first == table; i++) {
        lines[i].items = items;
        lines[i].unit = unit;
    }
}

void bench_processor(size_t table)
{
    for (size_t i = table; i < line_count && lines[i].first == table; i++) {
        lines[i].processor = true;
    }
}

/* Nanoseconds of all operations of a sample. */
static double take_sample(struct line *line)
{
    const struct bench_row *row = line->row;
    struct bench_call call = {line->subject, row->how};
    double begin = bench_now_ns();
    if (row->prepare) {
        row->prepare(call);
    }
    double (*now_ns)(void) = line->processor ? processor_ns : bench_now_ns;
    double run = now_ns();
    for (size_t i = 0; i < line->count; i++) {
        row->run(call);
    }
    double end = now_ns();
    if (row->finish) {
        row->finish(call);
    }
    line->cost_ns = bench_now_ns() - begin;
    return end - run;
}

/* Finds how many operations fill a sample, and what one costs; warms up on the way. The best of a few decides. */
static void calibrate(struct line *line, double budget_ns)
{
    double most = line->row->most > 0 ? line->row->most : UINT32_MAX;
    double ns = take_sample(line);
    for (;;) {
        double cost_ns = line->cost_ns;
        double spent_ns = line->cost_ns;
        for (int i = 0; i < CALIBRATIONS && spent_ns < budget_ns; i++) {
            ns = fmin(ns, take_sample(line));
            cost_ns = fmin(cost_ns, line->cost_ns);
            spent_ns += line->cost_ns;
        }
        line->cost_ns = cost_ns;
        if (ns >= SAMPLE_NS / 2.0 || (double)line->count >= most) {
            return;
        }
        double factor = fmin(16, fmax(2, SAMPLE_NS / fmax(ns, 1)));
        line->count = (size_t)fmin(most, (double)line->count * factor);
        ns = take_sample(line);
    }
}

/* The fewest samples that the line's ratios should rest on. */
static double least_samples(const struct line *line, double seconds)
{
    return fmin(ROUNDS_WANTED, fmax(ROUNDS_MIN, seconds * 1e9 / 10 / line->cost_ns));
}

/* Shares the time out: how many rounds there are, and in which of them each line runs. */
static void plan(double seconds)
{
    double share_ns = seconds * 1e9 / (double)line_count;
    double most = ROUNDS_MIN;
    for (struct line *line = lines; line < lines + line_count; line++) {
        calibrate(line, share_ns / CALIBRATIONS);
        most = fmax(most, fmax(share_ns / line->cost_ns, least_samples(line, seconds)));
    }
    round_count = (size_t)fmin(most, ROUNDS_MAX);
    for (struct line *line = lines; line < lines + line_count; line++) {
        /* A power of two: of two lines the rarer one always meets the other, so each sample of it gives a ratio. */
        line->every = 1;
        while ((double)(round_count / line->every) > share_ns / line->cost_ns &&
               (double)(round_count / line->every / 2) >= least_samples(line, seconds)) {
            line->every *= 2;
        }
        memset(line->samples, 0, sizeof line->samples);
    }
}

void bench_run(double seconds)
{
    struct line *order[LINES_MAX];
    seconds = seconds_given > 0 ? seconds_given : seconds;
    plan(bench_quick ? seconds / 10 : seconds);
    for (size_t i = 0; i < line_count; i++) {
        order[i] = &lines[i];
    }
    for (size_t round = 0; round < round_count; round++) {
        for (size_t left = line_count; left > 0; left--) { /* random() gives the same in every run of the program */
            size_t next = (size_t)random() % left;
            struct line *line = order[next];
            order[next] = order[left - 1];
            order[left - 1] = line;
            if (round % line->every == 0) {
                line->samples[round] = take_sample(line) / (double)line->count;
            }
        }
    }
    report_run();
}

/* --- The program -------------------------------------------------------------------------------------------------- */

/* A process that removes the directory when this process is gone, however it ended. */
static void remove_at_end(void)
{
    int ends[2];
    char byte;
    bench_must(pipe2(ends, O_CLOEXEC) == 0, "a pipe", "cannot be made");
    pid_t pid = fork();
    bench_must(pid >= 0, "a process", "cannot be made");
    if (pid == 0) {
        signal(SIGINT, SIG_IGN);
        signal(SIGTERM, SIG_IGN);
        close(ends[1]);
        while (read(ends[0], &byte, 1) < 0) { /* nobody writes: the end of the other process ends the wait */
        }
        execlp("rm", "rm", "-rf", bench_directory, (char *)NULL);
        _exit(1);
    }
}

int bench_main(int argc, char **argv, const char *question, void (*measure)(void))
{
    const char *json_path = "/dev/null";
    const char *seconds = "0";
    const char *parent = getenv("TMPDIR");
    const struct {
        const char *name;
        const char **value;
    } options[] = {{"--json-to", &json_path}, {"--seconds", &seconds}, {"--program", &bench_program}};
    for (int i = 1; i < argc; i++) {
        size_t k = 0;
        while (k < 3 && strcmp(argv[i], options[k].name) != 0) {
            k++;
        }
        if (k < 3 && i + 1 < argc) {
            *options[k].value = argv[++i];
        } else if (strcmp(argv[i], "--quick") == 0) {
            bench_quick = true;
        } else {
            fprintf(stderr, "usage: %s [--json-to FILE] [--quick] [--seconds S] [--program PATH]\n", argv[0]);
            return 2;
        }
    }
    seconds_given = strtod(seconds, NULL);
    bench_empty_program = bench_text("%s/empty", dirname(strdup(argv[0])));
    snprintf(bench_directory, sizeof bench_directory, "%s/xylem-bench-XXXXXX", parent && *parent ? parent : "/tmp");
    bench_must(mkdtemp(bench_directory) != NULL, bench_directory, "cannot be made");
    remove_at_end();
    document = fopen(json_path, "w");
    bench_must(document != NULL, json_path, "cannot be written");
    fprintf(document, "{\n  \"schema\": 1,\n  \"question\": \"%s\",\n", question);
    put_machine();
    fprintf(document, "},\n  \"figures\": [");
    measure();
    fprintf(document, "\n  ]\n}\n");
    bench_must(fclose(document) == 0, json_path, "cannot be written");
    return fflush(stdout) == 0 ? 0 : 1;
}
