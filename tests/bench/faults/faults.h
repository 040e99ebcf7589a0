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

struct faults_ack {
    int32_t writer;
    int32_t session;
    int32_t number; /* 0: a fork */
};

void faults_must(bool right, const char *what);
/* Removes a directory and makes it anew. */
void faults_fresh(const char *path);
/* At least one. */
int faults_scaled(int trials);
/*
 * A trial: reads what a fault left, repairs, appends; in a child process. What was acknowledged counts. Prints a line for
 * tools/proof.awk, and says whether anything was hurt.
 */
bool faults_look(const char *fault, const char *directory, const struct faults_acked *acked);

void faults_ack_take(struct faults_acked *acked, const struct faults_ack *ack);
int faults_do(void *handle, const struct faults_step *step);
/* Does steps, and tells each that was acknowledged. */
void faults_work(void *handle, struct faults_writer *writer, int count, int ack_fd);

void faults_power(void);
void faults_failures(bool is_full);

#endif
