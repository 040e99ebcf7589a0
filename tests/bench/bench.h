/*
 * The frame of the benches: one program for each question, bench_<question>.c, linked to the rest of this folder.
 *
 * A bench gives the frame contestants: xylem, a floor (what the machine must do at least) and peers (what people would
 * use instead). Each does the same work on the same bytes. The frame runs them in rounds: in every round each of them
 * once, in an order that is shuffled anew, so that what else the machine does falls on all of them. It measures samples
 * of some operations each, and prints for each contestant
 *
 *   median, p99   of its samples, for one operation; no p99 of less than a hundred samples
 *   noise         (90th - 10th percentile) / median of its samples: how far the figures of this run can be trusted
 *   samples       how many there are: a slow one is left out of some rounds
 *   ratio         the median, over the rounds in which both ran, of its time through that of its table's floor
 *   rounds        how many these are
 *   rate          items for each second, where the contestant says how many items an operation has
 *   what a power cut loses of what the contestant did
 *
 * How a program looks:
 *
 *     static void measure(struct bench *bench)
 *     {
 *         ... makes its data below bench_directory(bench), at a size that bench_quick(bench) may lessen ...
 *         bench_add(bench, &(struct bench_contestant){.table = "append, one entry", .name = "write", ...});
 *         bench_add(bench, ...);
 *         bench_run(bench, 20);
 *         bench_flat(bench, "xylem_fork", "fork, 1,000 entries", "fork, 1,000,000 entries");
 *         ... frees what it made ...
 *     }
 *
 *     int main(int argc, char **argv)
 *     {
 *         return bench_main(argc, argv, "append", measure);
 *     }
 *
 * Options of every program: `--json` (one document in place of the tables), `--json-to FILE` (that, and the tables),
 * `--seconds S` (for the measuring, in place of the program's own), `--rounds N` (in place of what the seconds allow),
 * `--quick` (a tenth of the time and small sizes: does it run at all?), `--program PATH` (the command; build/xylem).
 *
 * A bench that fails says why on stderr and ends with 1; nothing fails by being slow.
 */
#ifndef XYLEM_BENCH_H
#define XYLEM_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "xylem/base.h"

struct bench;

/* What a power cut loses. Say nothing else where one of these is right. At most 20 characters. */
#define BENCH_READS "reads only: nothing"
#define BENCH_NOTHING "nothing"
#define BENCH_LAST_COMMIT "the last commits"
#define BENCH_UNSYNCED "what is not synced"

struct bench_contestant {
    const char *table; /* the heading of its table; tables are printed in the order in which they first came */
    const char *name;  /* at most 33 characters; the same in each table, where bench_flat() is to find it */
    const char *loses; /* what a power cut loses */
    /* Does `count` operations: what is measured. */
    void (*run)(void *context, uint64_t count);
    void *context;
    /* Around each sample, outside of the time: what `run` needs made before or taken away after it. May be NULL. */
    void (*prepare)(void *context, uint64_t count);
    void (*finish)(void *context);
    uint64_t count_max; /* operations of a sample, at most; 0: as many as fill 0.3 ms, and at least one */
    double items;       /* of an operation: entries, bytes; 0: it has no rate */
    /* Heads the column of the rates: `entries/s`, `bytes/s`; k, M and G stand with the numbers. */
    const char *items_unit;
    bool floor; /* what the ratios of its table are taken against; else the table's first contestant */
};

/*
 * What the frame calls. Parses the options, makes the directory, runs `measure` in a process of its own, prints, and
 * takes the directory away however that process ended. Gives the program's exit code.
 */
int bench_main(int argc, char **argv, const char *question, void (*measure)(struct bench *bench));

/* A directory below $TMPDIR or /tmp for whatever the bench stores. It is removed at the end. */
const char *bench_directory(const struct bench *bench);
/* `directory`/`name`; ends the program where that is too long. Static storage of eight strings, used in turn. */
const char *bench_path(const struct bench *bench, const char *name);
/* `--quick` was given: keep to small sizes. */
bool bench_quick(const struct bench *bench);
/* The path of the command xylem. */
const char *bench_program(const struct bench *bench);

/* Adds a contestant; copies the struct, and keeps its strings and its context. bench_format() makes headings. */
void bench_add(struct bench *bench, const struct bench_contestant *contestant);
/* The same for a contestant that only reads and needs nothing around its samples. */
void bench_add_read(struct bench *bench, const char *table, const char *name,
                    void (*run)(void *context, uint64_t count), void *context);
/* A heading or a name that lives as long as the bench. */
const char *bench_format(struct bench *bench, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Calls `check` once in each round, outside of any time: there contestants prove that they give the same answers. */
void bench_check(struct bench *bench, void (*check)(void *context), void *context);

/*
 * Measures the contestants added so far, all of them in the same rounds, for about that many seconds, prints their
 * tables, and forgets them. Each gets the same share of the time; a slow one is left out of some rounds, but runs in
 * fifteen, so that ratios say something, or in as many as a tenth of the seconds allows, and in five at least.
 */
void bench_run(struct bench *bench, double seconds);

/*
 * Of the last bench_run(): how many times as long the contestant `name` took in `to` as in `from`, in the same rounds:
 * "xylem_fork: 1.12 times from ... to ...".
 */
void bench_flat(struct bench *bench, const char *name, const char *from, const char *to);
/* A figure that is no time, such as bytes for each fork. Printed where it is called. */
void bench_figure(struct bench *bench, const char *name, double value, const char *unit);
/* Figures that are no times, as a table. Printed where it is called. */
struct bench_grid_row {
    const char *name;
    const char *unit;
};
struct bench_grid {
    const char *table;
    const struct bench_grid_row *rows;
    size_t row_count;
    const char *const *columns; /* at most 10 characters each */
    size_t column_count;
    const double *values; /* row by row; negative: there is none */
};
void bench_grid(struct bench *bench, const struct bench_grid *grid);
/* A line of text for whoever reads the tables: what was not permitted, how a peer was set up. */
void bench_note(struct bench *bench, const char *text);

/* Of values, which it sorts. There is one at least. */
double bench_median(double *values, size_t count);
/* The monotonic clock. */
double bench_now_ns(void);
/* Ends the program with that text, and where it failed, if `ok` is false. */
void bench_must(bool ok, const char *what, const char *why);
/* What a call of xylem gave: ends the program if it is negative. `err` may be NULL. */
struct xylem_error;
void bench_xylem(int code, const char *what, const struct xylem_error *err);
/* Keeps the compiler from leaving out work whose result nobody looks at. */
void bench_use(uint64_t value);
/* A random number, from a fixed seed: every run does the same. */
uint64_t bench_random(struct bench *bench);

#endif
