/* The lines and documents of xylem watch. */
#ifndef XYLEM_CLI_WATCH_H
#define XYLEM_CLI_WATCH_H

#include "cli/cli.h"
#include "xylem/branch.h"
#include "xylem/feed.h"

/* A session that is followed. */
struct xylem_cli__followed {
    uint64_t number;
    char id[XYLEM_SESSION_ID_BYTES_MAX + 1];
    bool hidden;                 /* the import had not finished */
    bool named;                  /* of a hidden session: the session was shown */
    uint64_t lsn;                /* and the entries up to this lsn */
    struct xylem_position shown; /* the last printed entry, or the target of the last move */
};

/* The output of a watch. */
struct xylem_cli__watched {
    bool jsonl;
    bool whole_store; /* each line names the session */
    size_t session_cells;
    size_t id_cells;
    size_t who_cells;
    struct xylem_cli__short_ids short_ids; /* of this transaction; empty: not read yet, or one session */
    struct xylem_cli__text text;           /* gathered inside of a transaction, written afterwards */
};

/* Begins and ends a document. `followed` may be NULL: the event concerns the store. */
void xylem_cli__watch_begin_event(struct xylem_cli__watched *watched, const struct xylem_cli__followed *followed,
                                  const char *event);
void xylem_cli__watch_end_event(struct xylem_cli__watched *watched);

/* Adds an entry. `is_new`: the entry was not in the store at the beginning. */
int xylem_cli__watch_entry(struct xylem_cli *cli, struct xylem_cli__watched *watched,
                           struct xylem_cli__followed *followed, const struct xylem_entry *entry, bool is_new);
int xylem_cli__watch_move(struct xylem_cli *cli, struct xylem_cli__watched *watched,
                          struct xylem_cli__followed *followed, const struct xylem_move *move);
/* Adds a session that is new in the store, maybe a fork. */
int xylem_cli__watch_session(struct xylem_cli *cli, struct xylem_cli__watched *watched,
                             const struct xylem_cli__followed *followed, const struct xylem_session *session);
/* Adds that the session was deleted, came back, or was freed. */
int xylem_cli__watch_state(struct xylem_cli *cli, struct xylem_cli__watched *watched,
                           const struct xylem_cli__followed *followed, enum xylem_change_type type);
/* Adds that an entry was redacted. */
int xylem_cli__watch_redacted(struct xylem_cli *cli, struct xylem_cli__watched *watched,
                              const struct xylem_cli__followed *followed, struct xylem_view entry_id);

#endif
