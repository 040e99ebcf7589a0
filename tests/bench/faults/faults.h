/* What the faults share. faults.c has main() and the faults that need no watched calls; cut.c has the others. */
#ifndef XYLEM_FAULTS_FAULTS_H
#define XYLEM_FAULTS_FAULTS_H

#include "tests/bench/faults/check.h"
#include "tests/lib/chance.h"

extern struct faults_setting {
    const struct faults_peer *peer;
    const struct faults_calls *calls;
    uint64_t seed;
    int scale; /* in thousandths */
    char place[180];
    char store[200];
} faults;

struct faults_row {
    const char *fault;
    int trials;
    long acked;
    long counts[FAULTS_COUNTS]; /* sums */
    int lost_in;                /* trials */
    int hurt;                   /* trials: one of the counts is not 0 */
    int said;                   /* trials of those: the reader of the peer, or its own check, said so */
    int never;                  /* trials after which no entry could be appended */
    bool aside_hurts;
    double first_append_ms; /* after an opening, before anything was read */
    double *ms;             /* until an entry was appended; -1: never */
};

struct faults_ack {
    int32_t writer;
    int32_t session;
    int32_t number; /* 0: a fork */
};

void faults_must(bool right, const char *what);
/* Removes a directory and makes it anew. */
void faults_fresh(const char *path);
/* The trials are scaled; at least one. */
struct faults_row faults_row_begin(const char *fault, int trials, int *scaled);
void faults_row_end(struct faults_row *row);
/* Reads what a fault left, repairs, appends; in a child process. What was acknowledged counts. */
void faults_look(struct faults_row *row, const char *directory, const struct faults_acked *acked);

void faults_ack_take(struct faults_acked *acked, const struct faults_ack *ack);
int faults_do(void *handle, const struct faults_step *step);
/* Does steps, and tells each that was acknowledged. */
void faults_work(void *handle, struct faults_writer *writer, int count, int ack_fd);

void faults_power(void);
void faults_failures(bool is_full);

#endif
