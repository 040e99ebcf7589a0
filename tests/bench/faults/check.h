/*
 * What became of the entries. A text has its writer, session, number, the number before it in the session, and a hash of
 * all: loss, wrong content, doubles and history that nothing leads to are told without a word of the peer.
 */
#ifndef XYLEM_FAULTS_CHECK_H
#define XYLEM_FAULTS_CHECK_H

#include "tests/bench/faults/driver.h"

enum { FAULTS_WRITERS = 2, FAULTS_NUMBERS = 40000, FAULTS_LATER = 9 /* who appends after a fault */ };

struct faults_step {
    int writer;
    int session; /* of a fork: the new one; its source is that of the writer */
    int number;  /* of the writer, from 1; 0: a fork */
    char text[FAULTS_TEXT_BYTES];
};

/* What a writer does next. The same writer and numbers give the same steps. */
struct faults_writer {
    int writer;
    int session;
    int number;                /* the last one */
    int last[FAULTS_SESSIONS]; /* number of the last step in each session */
    bool forks;
    bool shares; /* the session with the other: no text says what was before */
    int bytes;   /* of a text, about */
};
void faults_next(struct faults_step *step, struct faults_writer *writer);
const char *faults_role(int number);

struct faults_acked {
    bool entries[FAULTS_WRITERS][FAULTS_NUMBERS];
    int count;
};

enum {
    FAULTS_SEEN,
    FAULTS_LOST,        /* acknowledged, and not there */
    FAULTS_WRONG,       /* given as good, and not what was written: content, parent, double */
    FAULTS_UNREACHABLE, /* there, and its parents do not lead to a root */
    FAULTS_ASIDE,       /* not on the path of the newest entry of its session */
    FAULTS_REFUSED,     /* of a trial: nothing could be read */
    FAULTS_SAID,        /* of a trial: the peer said that something is damaged */
    FAULTS_COUNTS
};

/* Begins empty. */
struct faults_reading {
    struct faults_item *items;
    int count;
    int room;
};
faults_sink faults_reading_add; /* the reading is the context */
/* Fills the first five counts. `acked` may be NULL: nobody counts what is lost. */
void faults_reading_count(int *counts, struct faults_reading *reading, const struct faults_acked *acked);
/* A line for each entry that was read, as a scan finds them: the texts. */
void faults_reading_print(const struct faults_reading *reading);
void faults_reading_free(struct faults_reading *reading);

#endif
