/*
 * One way to keep a session, behind the same few calls: what `make proof` puts through its faults. docs/proof.md has the
 * results. A driver for another peer is a file beside this one, and a row in peers.c.
 */
#ifndef XYLEM_FAULTS_DRIVER_H
#define XYLEM_FAULTS_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

struct faults_peer {
    const char *name;
    const char *label;
    const char *documents; /* where the promises are from */
    const char *promises_kill;
    const char *promises_power;
    const char *promises_failure; /* of a call, or for lack of room */
    const char *promises_damage;
    int mode;           /* the driver's own */
    bool is_control;    /* bad on purpose */
    const char *worker; /* NULL, or its writers are processes of this program: pi.c */
    void *(*open)(const struct faults_peer *peer, const char *directory);
    /* 0 when the peer acknowledges the entry as the newest of its session, else -1. */
    int (*append)(void *handle, int session, const char *role, const char *text);
    int (*fork)(void *handle, int from, int to);
    void (*close)(void *handle);
    /* 0, or -1 after the peer said that something is damaged. Gives entries in the order of the peer, the newest last. */
    int (*read)(const struct faults_peer *peer, const char *directory, faults_sink *sink, void *context);
    /* The peer's own check: 0 if it finds nothing. NULL: it has none. */
    int (*check)(const struct faults_peer *peer, const char *directory);
    /* What the peer offers for a damaged store: saves into the empty directory `to`. NULL: nothing. */
    int (*repair)(const char *directory, const char *to);
};

extern const struct faults_peer *const faults_peers[]; /* ends with NULL */
extern bool faults_preparing;                          /* appends are not synced: a fault's store is prepared */
extern bool faults_checkpoints;                        /* SQLite checkpoints after 16 pages and not after 1000 */

/* The id of an entry where the host gives ids. */
void faults_id(char id[FAULTS_ID_BYTES], const char *text);
/* The payload that the peers with a column for it store. */
void faults_payload(char *payload, size_t room, const char *role, const char *text);
/* The text of such a payload, in `text`; of another payload what cannot pass for a text. */
const char *faults_payload_text(char text[FAULTS_TEXT_BYTES], const char *payload, size_t bytes);

void *faults_jsonl_open(const struct faults_peer *peer, const char *directory);
int faults_jsonl_append(void *handle, int session, const char *role, const char *text);
int faults_jsonl_fork(void *handle, int from, int to);
void faults_jsonl_close(void *handle);
int faults_jsonl_read(const struct faults_peer *peer, const char *directory, faults_sink *sink, void *context);
enum { FAULTS_JSONL_PI, FAULTS_JSONL_FSYNC, FAULTS_JSONL_EARLY };

void *faults_sqlite_open(const struct faults_peer *peer, const char *directory);
int faults_sqlite_append(void *handle, int session, const char *role, const char *text);
int faults_sqlite_fork(void *handle, int from, int to);
void faults_sqlite_close(void *handle);
int faults_sqlite_read(const struct faults_peer *peer, const char *directory, faults_sink *sink, void *context);
int faults_sqlite_check(const struct faults_peer *peer, const char *directory);
int faults_sqlite_repair(const char *directory, const char *to);
enum { FAULTS_SQLITE_NORMAL = 1, FAULTS_SQLITE_FULL = 2 }; /* as PRAGMA synchronous counts */

void *faults_xylem_open(const struct faults_peer *peer, const char *directory);
int faults_xylem_append(void *handle, int session, const char *role, const char *text);
int faults_xylem_fork(void *handle, int from, int to);
void faults_xylem_close(void *handle);
int faults_xylem_read(const struct faults_peer *peer, const char *directory, faults_sink *sink, void *context);
int faults_xylem_check(const struct faults_peer *peer, const char *directory);
int faults_xylem_repair(const char *directory, const char *to);

void *faults_pi_open(const struct faults_peer *peer, const char *directory);
int faults_pi_append(void *handle, int session, const char *role, const char *text);
void faults_pi_close(void *handle);
int faults_pi_read(const struct faults_peer *peer, const char *directory, faults_sink *sink, void *context);

#endif
