/* The host of host.c, for story.c. Every call gives 0, or a code of enum xylem_code and a text in `err`. */
#ifndef HOST_H
#define HOST_H

#include <stdbool.h>
#include <xylem.h>

struct host {
    struct xylem_store *store;  /* open while the process lives */
    uint64_t session;           /* a number; never reused, so a host may keep it */
    struct xylem_position leaf; /* the last leaf that this host saw */
    bool flag_readonly;         /* started with --readonly */
    bool readonly;              /* the state that the host acts on */
    bool nudge_due;             /* the model must hear that readonly went on, or off */
    bool nudge_on;
};

/* Opens the store and starts in the session `session_id`; makes a missing store and a missing session. */
int host_open(struct host *host, const char *path, const char *session_id, bool flag_readonly, struct xylem_error *err);
int host_close(struct host *host, struct xylem_error *err);

/* session_start: reads the state again; opens another session; goes on in a fork, or (entry_id NULL) in a clone. */
int host_reload(struct host *host, struct xylem_error *err);
int host_resume(struct host *host, const char *session_id, struct xylem_error *err);
int host_fork(struct host *host, const char *session_id, const char *entry_id, struct xylem_error *err);

/* session_tree: moves the leaf to an entry of the session. */
int host_navigate(struct host *host, const char *entry_id, struct xylem_error *err);

/* Appends at the leaf. CONFLICT if another process moved the leaf: reload, and decide again. */
int host_message(struct host *host, const char *entry_id, const char *role, const char *text, struct xylem_error *err);
int host_toggle(struct host *host, bool on, struct xylem_error *err);
int host_turn(struct host *host, const char *prompt_id, struct xylem_error *err);

#endif
