/*
 * The frame of the benches: one program for each question, bench_<question>.c, linked to the rest of this folder.
 *
 * A bench is a list of tables, and a table is a list of rows: a floor first (what the machine must do at least), then
 * xylem and its peers (what people would use instead). Each row does the same work on the same bytes, that of the
 * table's subject. The frame runs the rows in rounds: in every round each of them once, in an order that is shuffled
 * anew, so that what else the machine does falls on all of them. It measures samples of some operations each, and
 * prints for each row
 *
 *   median, p99   of its samples, for one operation; no p99 of less than a hundred samples
 *   noise         (90th - 10th percentile) / median of its samples: how far the figures of this run can be trusted
 *   samples       how many there are: a slow row is left out of some rounds
 *   ratio         the median, over the rounds in which both ran, of its time through that of the table's first row
 *   rounds        how many these are
 *   what a power cut loses of what the row did
 *   rate          items for each second, where bench_rate() says how many items an operation has
 *
 * How a program looks:
 *
 *     static const struct bench_row rows[] = {
 *         {"bare mdb_put", BENCH_UNSYNCED, run_bare},
 *         {"xylem_append", BENCH_UNSYNCED, run_xylem},
 *     };
 *
 *     BENCH("append")
 *     {
 *         struct subject subject = ...; its data below bench_path(), at a size that bench_quick may lessen
 *         bench_table("append, one entry", &subject, BENCH_ROWS(rows));
 *         bench_run(20);
 *     }
 *
 * Options of every program: `--json-to FILE` (the figures as a document, too), `--seconds S` (for the measuring, in
 * place of the program's own), `--quick` (a tenth of the time and small sizes: does it run at all?), `--program PATH`
 * (the command; build/xylem).
 *
 * A bench that fails says why on stderr and ends with 1; nothing fails by being slow.
 */
#ifndef XYLEM_BENCH_H
#define XYLEM_BENCH_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "xylem/base.h"

/* What a power cut loses. Say nothing else where one of these is right. At most 24 characters. */
#define BENCH_READS "reads only: nothing"
#define BENCH_NOTHING "nothing"
#define BENCH_LAST_COMMIT "the last commits"
#define BENCH_UNSYNCED "what is not synced"
#define BENCH_DAMAGED "unsynced; may be damaged" /* not just lost: without a sync pages may be written in any order */

/* What a row works on: the subject of its table. `how` tells rows apart that share a function. */
struct bench_call {
    void *subject;
    int how;
};

struct bench_row {
    const char *name;                    /* at most 36 characters */
    const char *loses;                   /* what a power cut loses */
    void (*run)(struct bench_call call); /* does one operation: what is measured */
    int how;
    unsigned most; /* operations of a sample; 0: as many as fill 0.3 ms, and at least one */
    /* Around each sample, outside of the time: what `run` needs made before or taken away after it. May be NULL. */
    void (*prepare)(struct bench_call call);
    void (*finish)(struct bench_call call);
};

#define BENCH_ROWS(rows) rows, sizeof(rows) / sizeof *(rows)

/* The program of a question; its body follows. */
#define BENCH(question)                                   \
    static void measure(void);                            \
    int main(int argc, char **argv)                       \
    {                                                     \
        return bench_main(argc, argv, question, measure); \
    }                                                     \
    static void measure(void)

/*
 * Parses the options, makes the directory, measures, prints, and takes the directory away however the process ends.
 * Gives the program's exit code.
 */
int bench_main(int argc, char **argv, const char *question, void (*measure)(void));

extern bool bench_quick;                /* `--quick` was given: keep to small sizes */
extern const char *bench_program;       /* the command xylem */
extern const char *bench_empty_program; /* a static program that does nothing */
extern struct xylem_error bench_err;    /* for every call of xylem: bench_xylem() prints its text */

/* Text that lives as long as the bench; and a path below the bench's directory in $TMPDIR, or /tmp. */
const char *bench_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
#define bench_path(...) bench_text("%s/%s", bench_directory, bench_text(__VA_ARGS__))
extern char bench_directory[];

/* Adds a table; keeps its name, its subject and its rows. Gives its place for the calls that follow. */
size_t bench_table(const char *name, void *subject, const struct bench_row *rows, size_t row_count);
/* An operation of that table has so many items. The unit: `entries/s`, `B/s`; k, M and G stand with the numbers. */
void bench_rate(size_t table, double items, const char *unit);

/* Counts the time of the processor in that table: of this process and of those that it starts, all threads together. */
void bench_processor(size_t table);

/*
 * Measures the tables added since the last call, all rows in the same rounds, for about that many seconds, and prints
 * them. Each row gets the same share of the time; a slow one is left out of some rounds, but runs in fifteen, so that
 * ratios say something, or in as many as a tenth of the seconds allows, and in five at least.
 */
void bench_run(double seconds);
/* Of the last bench_run(): how many times as long a row took in the table `to` as in `from`, in the same rounds. */
void bench_flat(size_t row, size_t from, size_t to);

/* A figure that is no time, such as bytes for each fork. Printed where it is called. */
void bench_figure(const char *name, double value, const char *unit);
/* A row of a table of such figures, one for each column; a negative one is none. */
void bench_figures(const char *table, const char *name, const char *unit, const char *const *columns,
                   const double *values, size_t count);
/* A line of text for whoever reads the tables: what was not permitted, how a peer was set up. */
void bench_note(const char *text);

/* A whole process, as a shell starts it. */
struct bench_command {
    const char *words[10]; /* the first is looked for in $PATH if it has no slash */
    int code;              /* it must end with */
    const char *input;     /* a file; NULL: /dev/null */
    const char *drop;      /* a file that may be dropped from the page cache before */
};
/* Runs the command, and reads what it writes through a pipe. Gives the last piece. Ends the bench if it fails. */
const char *bench_output(const struct bench_command *command);
/* For rows: the subject is an array of commands, and `how` the place of one in it. */
void bench_command(struct bench_call call);

/* The monotonic clock. */
double bench_now_ns(void);
/* Ends the program with that text, and where it failed, if `ok` is false. */
void bench_must(bool ok, const char *what, const char *why);
/* A call of xylem: ends the program if it gives a negative code. */
#define bench_xylem(call) bench_code((call), #call)
void bench_code(int code, const char *what);
/* Keeps the compiler from leaving out work whose result nobody looks at. */
void bench_use(uint64_t value);

#endif
