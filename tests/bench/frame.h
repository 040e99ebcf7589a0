/* What the files of the frame share: bench.h is for the programs. */
#ifndef XYLEM_BENCH_FRAME_H
#define XYLEM_BENCH_FRAME_H

#include <stdio.h>

#include "tests/bench/bench.h"

/* A contestant and its samples: the time of one operation in each round, 0 where it did not run. */
struct bench_line {
    struct bench_contestant contestant;
    uint64_t count; /* operations of a sample */
    size_t every;   /* it runs in every so many rounds */
    double cost_ns; /* of a sample, with what is around it */
    double *samples;
    size_t sample_count; /* those that are not 0 */
    double least_ns;
    double median_ns;
    double p99_ns; /* 0: there are too few samples for one */
    double noise;
    double ratio;        /* 0: there is none */
    size_t ratio_rounds; /* those in which both ran */
};

struct bench {
    const char *question;
    const char *program;
    const char *json_path; /* NULL: none */
    char directory[200];
    bool json;
    bool quick;
    double seconds; /* 0: as the program says */
    size_t rounds;  /* 0: as many as the seconds allow */

    struct bench_line *lines;
    size_t line_count;
    size_t round_count; /* of the last run */
    bool ran;
    void (*check)(void *context);
    void *check_context;
    uint64_t random;

    FILE *figures; /* the documents of what was measured, with commas between them */
    char *figures_text;
    size_t figures_bytes;
};

/* Computes what the samples say. */
void bench_evaluate(struct bench *bench);
/*
 * The median, over the rounds in which both ran, of one's time through the other's; 0 if `*rounds`, their number, is.
 */
double bench_ratio(size_t *rounds, const struct bench *bench, const struct bench_line *line,
                   const struct bench_line *against);

/* Prints the tables of the last run, and adds them to the figures. */
void bench_report(struct bench *bench);
/* Writes the whole document. */
void bench_document(FILE *file, struct bench *bench);
/* The machine and the versions, as the members of a JSON object, and as lines of text. */
void bench_machine_json(FILE *file, const char *directory);
void bench_machine_text(FILE *file, const char *directory);
/* A JSON string, quotes included. */
void bench_json_string(FILE *file, const char *text);

#endif
