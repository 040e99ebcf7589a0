/* What the faults share. faults.c has main() and the faults that need no watched calls; cut.c has the others. */
#ifndef XYLEM_FAULTS_FAULTS_H
#define XYLEM_FAULTS_FAULTS_H

#include <stdio.h>
#include <sys/types.h>

#include "tests/bench/faults/check.h"
#include "tests/lib/chance.h"

struct faults_row {
    const char *fault;
    const char *promises;
    int trials;
    int hurt; /* trials after which anything of the below is not 0, or the peer said that something is wrong */
    int said; /* of these: the reader of the peer, or its own check, said so */
    int lost_trials;
    bool counts_aside;   /* entries off the newest path hurt */
    int first_append_us; /* after an opening, before anything was read; 0: not measured */
    int never;           /* trials after which no entry could be appended */
    long acked;
    struct faults_counts counts; /* sums */
    int refused;                 /* trials in which nothing could be read before a repair */
    double *ms;
};

struct faults_setting {
    const struct faults_peer *peer;
    uint64_t seed;
    int scale; /* in thousandths */
    char place[180];
    char store[200];
};
extern struct faults_setting faults;

/* At least one. */
int faults_scaled(int count);
void faults_must(bool right, const char *what);
/* Removes a directory and makes it anew. */
void faults_fresh(const char *path);
void faults_row_begin(struct faults_row *row, const char *fault, const char *promises, int trials);
void faults_row_end(struct faults_row *row);
/* Reads what a fault left, repairs, appends; in a child process. What was acknowledged counts. */
void faults_look(struct faults_row *row, const char *directory, const struct faults_acked *acked);

struct faults_ack {
    int32_t writer;
    int32_t session;
    int32_t number; /* 0: a fork */
};
void faults_ack_take(struct faults_acked *acked, const struct faults_ack *ack);
/* Does steps, and tells each that was acknowledged: with a pipe, or with a call. */
void faults_work(void *handle, struct faults_writer *writer, int count, int ack_fd);
int faults_do(void *handle, const struct faults_step *step);

void faults_power(void);
void faults_calls(void);
void faults_full(void);

#endif
