/*
 * fleet/cli/ is the program `xylem-fleet`, which `xylem fleet ...` becomes: one file for each verb or two (verbs.h), and
 * what verbs share: the fleet of the configuration, one request and its answer, the choice of sessions, news as lines.
 * fleet/cli/ decides nothing about ownership: claim.h, shipper.h and puller.h do. Options, help, tables, JSON and the
 * store come from cli/, so that all verbs look like commands of xylem.
 * Begin reading at main.c and verbs.h, then claim.c, which asks, and ship.c, which follows.
 * Other rooms may include: nothing
 */
#ifndef FLEET_CLI_CLI_H
#define FLEET_CLI_CLI_H

#include "cli/cli.h"
#include "fleet/config.h"
#include "fleet/news.h"
#include "fleet/postgres.h"

#define VERB(name) extern const struct xylem_cli__command fleet_cli_##name;
#include "fleet/cli/verbs.h"
#undef VERB

/* --- The fleet (open.c) ------------------------------------------------------------------------------------------- */

/* What a verb works with. Start with fleet_cli_nodes() or fleet_cli_engine(), and end in any case. */
struct fleet_cli {
    struct xylem_cli *cli;
    struct fleet_config config;
    struct fleet_nodes *nodes;
    struct fleet_engine *engine;
    unsigned char token[FLEET_TOKEN_BYTES]; /* of the store for this engine */
    uint64_t number;                        /* of the last request */
};

/* Reads which fleet is meant, and its nodes. NOT_FOUND: none is named. */
int fleet_cli_nodes(struct fleet_cli *fleet, struct xylem_cli *cli);
/* Connects; the second does both. From now on an interrupt ends the work at a safe point. */
int fleet_cli_connect(struct fleet_cli *fleet, bool allow_single);
int fleet_cli_engine(struct fleet_cli *fleet, struct xylem_cli *cli, bool allow_single);
/* Opens the store for reading; a store that is not there is no error, and `cli->txn` stays NULL. */
int fleet_cli_open_if_there(struct fleet_cli *fleet);
/*
 * The token of the open store; no transaction may be open. A store that shipped nothing draws its token. The second is
 * for reading: such a store, or no store at all, gets a token that owns nothing.
 */
int fleet_cli_token(struct fleet_cli *fleet);
int fleet_cli_token_read(struct fleet_cli *fleet);
void fleet_cli_end(struct fleet_cli *fleet);

#define FLEET_CLI_SINGLE_ROW(type)                                              \
    {                                                                           \
        "allow-single", 0, NULL, XYLEM_CLI__FLAG, offsetof(type, allow_single), \
            "take a cluster that acknowledges on one node alone", NULL          \
    }

/* --- One request (ask.c) ------------------------------------------------------------------------------------------ */

/*
 * Submits, waits, and tries again while the answer is RETRY. The answer's views live until the next request. An
 * interrupt is STOPPED. The deadline gives an answer, too.
 */
int fleet_cli_ask(struct fleet_cli *fleet, const struct fleet_request *request, struct fleet_answer *answer);
/* 0 for DONE and NO; else an error with the answer's text. */
int fleet_cli_check(struct fleet_cli *fleet, const struct fleet_answer *answer);

/* Gives 0 to go on. The row lives until the next request. */
typedef int fleet_cli_visitor(struct fleet_cli *fleet, void *context, const struct fleet_row *row);
/* Visits all rows of the engine, in the order of their ids. */
int fleet_cli_each_row(struct fleet_cli *fleet, fleet_cli_visitor *visit, void *context);
/*
 * The whole id of a session of the engine: `word` is the id, a beginning of 8 bytes or more, or the name. NOT_FOUND,
 * CONFLICT.
 */
int fleet_cli_find(struct fleet_cli *fleet, char id[XYLEM_SESSION_ID_BYTES_MAX + 1], const char *word);

/* --- What rows tell (about.c) ------------------------------------------------------------------------------------- */

/* Of fleet_row.about. Views live as long as the tree. */
struct fleet_cli_about {
    struct xylem_view name; /* data NULL: none */
    struct xylem_view cwd;
    uint64_t entries;
    int64_t active_ms;
    bool deleted;
};

struct xylem_base__tree;
/* A text that is none, or of a stranger, gives an empty struct. */
void fleet_cli_about(struct fleet_cli_about *about, struct xylem_base__tree *tree, struct xylem_view json);
/* Appends the head of a row for a person: owner, leaf, state, newest entries. */
void fleet_cli_add_head(struct fleet_cli *fleet, struct xylem_cli__text *text, const struct fleet_row *row);
/* Appends the document of a row with its head. */
void fleet_cli_json_head(struct xylem_cli__text *text, const struct fleet_row *row);

/* --- News (news.c) ------------------------------------------------------------------------------------------------ */

/* How news leave: with `follow` each at once; else all at the end, those of a session put together. */
struct fleet_cli_told {
    struct fleet_cli *fleet;
    bool follow;
    bool json;
    bool archives;                    /* the changes go to an archive */
    uint64_t problem_count;           /* news after which not all is done */
    uint64_t change_count;            /* shipped or pulled, for the line of progress */
    int64_t shown_ms;                 /* when that line was shown; 0: never */
    int64_t paused_ms;                /* since when the engine does not answer; 0: it does */
    bool gave_up;                     /* the engine did not answer for too long */
    int code;                         /* of a failed write */
    struct xylem_cli__text documents; /* without `follow` */
    struct fleet_cli_tale {
        char id[XYLEM_SESSION_ID_BYTES_MAX + 1];
        enum fleet_news_type type;
        uint64_t change_count;
        struct xylem_cli__text text;
    } * tales;
    size_t tale_count;
    size_t tale_capacity;
};

/* A fleet_tell; `context` is the struct. */
void fleet_cli_tell(void *context, const struct fleet_news *news);
/*
 * Prints what was put together, or `nothing` (may be NULL), and releases. `members` (may be NULL): more of the document.
 */
int fleet_cli_told_end(struct fleet_cli_told *told, const struct xylem_cli__text *members, const char *nothing);

/* --- Turns (turns.c) ---------------------------------------------------------------------------------------------- */

/*
 * Waits for the engine, the store's wake-up, or the time; 0, or STOPPED after an interrupt or when nobody reads standard
 * output any more.
 */
int fleet_cli_wait(struct fleet_cli *fleet, uint64_t wait_ms);
/*
 * Calls `turn` until the work is idle; with `follow` until an interrupt. 1: another process needs the store alone: end
 * the work, call fleet_cli_give_way(), and begin again. 0 and `told->gave_up`: the engine did not answer for the time of
 * --wait.
 */
typedef int fleet_cli_turn(void *work, struct fleet_turn *turn, uint64_t now_ms, struct xylem_error *err);
int fleet_cli_turns(struct fleet_cli_told *told, fleet_cli_turn *turn, void *work, bool follow);
/* Removes the line of progress from the terminal, before other lines. */
void fleet_cli_clear_progress(struct fleet_cli_told *told);
/* True if the time of --wait, 10 seconds without the option, has passed since a moment of the steady clock. */
bool fleet_cli_waited(const struct xylem_cli *cli, int64_t since_ms);
/* Closes the store until the other process is done, and opens the store for writing. */
int fleet_cli_give_way(struct fleet_cli *fleet);

/* --- Taking a session over (claim.c) ------------------------------------------------------------------------------ */

/* Pulls sessions into the open store; with `own_epoch` the one session is claimed, and becomes the store's. */
int fleet_cli_bring(struct fleet_cli_told *told, char (*ids)[XYLEM_SESSION_ID_BYTES_MAX + 1], size_t count, bool all,
                    uint64_t own_epoch);

#endif
