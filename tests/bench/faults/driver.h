/*
 * One way to keep a session, behind the same few calls: what `make proof` puts through its faults. docs/proof.md has the
 * results. A driver for another way is a file beside this one, a row in peers.c, and a line in the file `peers`, which
 * says what the way promises.
 */
#ifndef XYLEM_FAULTS_DRIVER_H
#define XYLEM_FAULTS_DRIVER_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Sessions 0 and 1 belong to the two writers; 2 and 3 are the forks of these. */
enum { FAULTS_SESSIONS = 4, FAULTS_ID_BYTES = 40, FAULTS_TEXT_BYTES = 4200, FAULTS_PATH = 300 };

/* What a peer's own reader gives. */
struct faults_read {
    int session; /* FAULTS_SESSIONS and above: of sessions whose names the peer could not save */
    const char *id;
    const char *parent; /* NULL: a root */
    const char *text;   /* NULL: the peer says that the text is lost */
};
typedef void faults_sink(void *context, const struct faults_read *entry);

struct faults_calls {
    void *(*open)(int mode, const char *directory);
    /* 0 when the peer acknowledges the entry as the newest of its session, else -1. */
    int (*append)(void *handle, int session, const char *role, const char *text);
    int (*fork)(void *handle, int from, int to);
    void (*close)(void *handle);
    /* 0, or -1 after the peer said that something is damaged. Gives entries in the order of the peer, the newest last. */
    int (*read)(const char *directory, faults_sink *sink, void *context);
    int (*check)(const char *directory); /* the peer's own: 0 if it finds nothing. NULL: it has none */
    /* What the peer offers for a damaged store: saves into the empty directory `to`. NULL: nothing. */
    int (*repair)(const char *directory, const char *to);
};
extern const struct faults_calls faults_jsonl, faults_sqlite, faults_xylem, faults_pi;

enum { FAULTS_JSONL_PI, FAULTS_JSONL_FSYNC, FAULTS_JSONL_EARLY };
enum { FAULTS_SQLITE_NORMAL = 1, FAULTS_SQLITE_FULL = 2 }; /* as PRAGMA synchronous counts */

struct faults_peer {
    const char *name;
    const struct faults_calls *calls;
    int mode;      /* the driver's own */
    bool is_apart; /* another program does its work: no call of it can be watched */
};
extern const struct faults_peer faults_peers[]; /* ends with a name that is NULL */
extern bool faults_preparing;                   /* appends are not synced: a fault's store is prepared */
extern bool faults_checkpoints;                 /* SQLite checkpoints after 16 pages and not after 1000 */

/* The id of an entry where the host gives ids. */
void faults_id(char id[FAULTS_ID_BYTES], const char *text);
/* The payload that the peers with a column for it store. */
void faults_payload(char payload[FAULTS_TEXT_BYTES + 100], const char *role, const char *text);
/* The text of such a payload, in `text`; of another payload what cannot pass for a text. */
const char *faults_payload_text(char text[FAULTS_TEXT_BYTES], const char *payload, size_t bytes);

#endif
