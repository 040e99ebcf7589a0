/* The host of host.c, as story.c uses it. Every call gives 0 or a code of enum xylem_code, and then fills in `err`. */
#ifndef HOST_H
#define HOST_H

#include <stdbool.h>
#include <xylem.h>

struct host {
    struct xylem_store *store;  /* open for as long as the process lives */
    uint64_t session;           /* its number; never reused, so it may be kept */
    struct xylem_position leaf; /* where the session stood when this host last looked */
    bool flag_readonly;         /* started with --readonly */
    bool readonly;              /* the state that it acts on */
    bool nudge_due;             /* the model is to be told that readonly went on, or off */
    bool nudge_on;
};

/* Opens the store and starts up in the session of that id; either is made if it does not exist. */
int host_open(struct host *host, const char *path, const char *session_id, bool flag_readonly, struct xylem_error *err);
int host_close(struct host *host, struct xylem_error *err);

/* session_start: takes the state anew; goes over to another session; goes on in a fork, or (entry_id NULL) a clone. */
int host_reload(struct host *host, struct xylem_error *err);
int host_resume(struct host *host, const char *session_id, struct xylem_error *err);
int host_fork(struct host *host, const char *session_id, const char *entry_id, struct xylem_error *err);

/* session_tree: moves the leaf to an entry of the session. */
int host_navigate(struct host *host, const char *entry_id, struct xylem_error *err);

/* Appends at the leaf. CONFLICT if another process moved it: reload, and decide anew. */
int host_message(struct host *host, const char *entry_id, const char *role, const char *text, struct xylem_error *err);
int host_toggle(struct host *host, bool on, struct xylem_error *err);
int host_turn(struct host *host, const char *prompt_id, struct xylem_error *err);

#endif
