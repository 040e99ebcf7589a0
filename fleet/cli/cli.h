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
#include "fleet/wait.h"

/* --- A verb (main.c) ---------------------------------------------------------------------------------------------- */

/* The options of all verbs; the table of a verb names its own. */
struct fleet_cli_given {
    struct xylem_cli__form form;
    bool allow_single;
    bool all;
    bool dry_run;
    bool finish;
    bool follow;
    bool force;
    bool head_only;
    bool here;
    bool sync;
    const char *archive;
    const char *dead;
    const char *directory;
    const char *name;
    const char *since;
    const char *until;
    struct xylem_cli__count number;
    struct xylem_cli__list directories;
    struct xylem_cli__list except;
};

#define FLEET_CLI_ROW(name, letter, word, type, member, help)                                       \
    {                                                                                               \
        name, letter, word, XYLEM_CLI__##type, offsetof(struct fleet_cli_given, member), help, NULL \
    }
#define FLEET_CLI_FLAG(name, letter, member, help) FLEET_CLI_ROW(name, letter, NULL, FLAG, member, help)
#define FLEET_CLI_SINGLE \
    FLEET_CLI_FLAG("allow-single", 0, allow_single, "take a cluster that acknowledges on one node alone")
#define FLEET_CLI_JSON FLEET_CLI_FLAG("json", 0, form.json, "print one JSON document")
#define FLEET_CLI_END FLEET_CLI_FLAG(NULL, 0, form, NULL)

struct fleet_cli;
typedef int fleet_cli_verb(struct fleet_cli *fleet, char **arguments);
/* Runs a verb, and releases all that the verb used. */
int fleet_cli_run(struct xylem_cli *cli, char **arguments, const void *options, fleet_cli_verb *verb);

/* Defines the command of a verb, which runs run_VERB(); the rest are its members. */
#define FLEET_CLI_VERB(verb, table, ...)                                                                 \
    static int start_##verb(struct xylem_cli *cli, char **arguments, const void *options)                \
    {                                                                                                    \
        return fleet_cli_run(cli, arguments, options, run_##verb);                                       \
    }                                                                                                    \
    const struct xylem_cli__command fleet_cli_##verb = {.name = "fleet " #verb,                          \
                                                        .options = table,                                \
                                                        .options_bytes = sizeof(struct fleet_cli_given), \
                                                        .run = start_##verb,                             \
                                                        __VA_ARGS__}

/* For verbs with no option but --json. */
extern const struct xylem_cli__option fleet_cli_json_table[];

#define VERB(name) extern const struct xylem_cli__command fleet_cli_##name;
#include "fleet/cli/verbs.h"
#undef VERB

/* --- What a verb works with --------------------------------------------------------------------------------------- */

typedef char fleet_cli_id[XYLEM_SESSION_ID_BYTES_MAX + 1];

/* News of one kind of one session, put together. */
struct fleet_cli_tale {
    fleet_cli_id id;
    enum fleet_news_type type;
    uint64_t change_count;
    struct xylem_cli__text text;
};

struct fleet_cli {
    struct xylem_cli *cli;
    const struct fleet_cli_given *given;
    struct fleet_config config;
    struct fleet_nodes *nodes;
    struct fleet_waiting waiting;           /* for the answer of an engine: `waiting.engine` */
    struct fleet_engine *archive;           /* NULL: none */
    unsigned char token[FLEET_TOKEN_BYTES]; /* of the store for this engine */
    fleet_cli_id *ids;                      /* of the sessions that the command line names */
    size_t id_count;
    size_t id_capacity;
    struct xylem_cli__text members; /* of the document, behind the news; or elements of its list */
    int64_t shown_ms;               /* when the line of progress was shown; 0: it is not there */

    /* News leave with --follow each at once; else at the end, those of a session put together. */
    struct fleet_cli_tale *tales;
    size_t tale_count;
    size_t tale_capacity;
    uint64_t problem_count; /* news after which not all is done */
    uint64_t change_count;  /* shipped or pulled */
    int64_t paused_ms;      /* since when the engine does not answer; 0: it does */
    bool gave_up;           /* the engine did not answer for too long */
    int told_code;          /* of a failed write */
};

/* --- The fleet (open.c) ------------------------------------------------------------------------------------------- */

/* Reads which fleet is meant, and its nodes. NOT_FOUND: none is named. */
int fleet_cli_nodes(struct fleet_cli *fleet);
/* Connects; the second does both. From now on an interrupt ends the work at a safe point. */
int fleet_cli_connect(struct fleet_cli *fleet, bool allow_single);
int fleet_cli_engine(struct fleet_cli *fleet, bool allow_single);
/* Opens the store for reading; a store that is not there is no error, and `cli->txn` stays NULL. */
int fleet_cli_open_if_there(struct fleet_cli *fleet);
/*
 * The token of the open store; no transaction may be open. A store that shipped nothing draws its token. The second is
 * for reading: such a store, or no store at all, gets a token that owns nothing.
 */
int fleet_cli_token(struct fleet_cli *fleet);
int fleet_cli_token_read(struct fleet_cli *fleet);

/* --- One request (ask.c) ------------------------------------------------------------------------------------------ */

/*
 * Sends the request as this store, and waits. The answer's views live until the next request. The first gives any
 * outcome; the second fails with the answer's text, unless the outcome is DONE or NO.
 */
int fleet_cli_send(struct fleet_cli *fleet, struct fleet_request *request, struct fleet_answer *answer);
int fleet_cli_check(struct fleet_cli *fleet, const struct fleet_answer *answer);
int fleet_cli_ask(struct fleet_cli *fleet, struct fleet_request *request, struct fleet_answer *answer);

/* Gives 0 to go on. The row lives until the next request. */
typedef int fleet_cli_visitor(struct fleet_cli *fleet, void *context, const struct fleet_row *row);
/* Visits all rows of the engine, in the order of their ids. */
int fleet_cli_each_row(struct fleet_cli *fleet, fleet_cli_visitor *visit, void *context);
/*
 * Adds to `fleet->ids` the whole ids of sessions of the engine: a word is the id, a beginning of 8 bytes or more, or the
 * name. NOT_FOUND, CONFLICT.
 */
int fleet_cli_find(struct fleet_cli *fleet, char **words);
int fleet_cli_add_id(struct fleet_cli *fleet, struct xylem_view id);

/* --- What rows tell (about.c) ------------------------------------------------------------------------------------- */

/* Of fleet_row.about. Views live as long as the tree. */
struct fleet_cli_about {
    struct xylem_view name; /* data NULL: none */
    struct xylem_view prompt;
    struct xylem_view cwd;
    uint64_t entries;
    int64_t active_ms;
    bool deleted;
};

/* How the store stands to a session of the fleet. A row of this store's token may be newer than the store: a claim. */
enum fleet_cli_here { FLEET_CLI_NOT_HERE, FLEET_CLI_FOLLOWS, FLEET_CLI_OWNS, FLEET_CLI_FENCED };
enum fleet_cli_here fleet_cli_here(const struct xylem_session *session, const struct fleet_row *row);

/* A text that is none, or of a stranger, gives an empty struct. */
void fleet_cli_about(struct fleet_cli_about *about, struct xylem_base__tree *tree, struct xylem_view json);
/* The host that owns the session; data NULL: nobody. */
struct xylem_view fleet_cli_owner(const struct fleet_row *row);
/* Appends the head of a row: for a person owner, leaf, state, newest entries; with --json the document, or null. */
void fleet_cli_add_head(struct fleet_cli *fleet, struct xylem_cli__text *text, const struct fleet_row *row);

/* --- News (news.c) ------------------------------------------------------------------------------------------------ */

/* A fleet_tell; `context` is the struct. */
void fleet_cli_tell(void *context, const struct fleet_news *news);
/*
 * Prints the news that were put together, or `nothing`; in the document behind them `fleet->members`, and whether all is
 * done as the member `done`. `code` is of the work. PROBLEM if not all is done, with the note `left`, unless NULL.
 */
int fleet_cli_told(struct fleet_cli *fleet, int code, const char *done, const char *nothing, const char *left);
/* Writes a document with `fleet->members` as a list. */
int fleet_cli_put_list(struct fleet_cli *fleet, const char *name);
/* Adds a cell with bytes from outside; data NULL: `-`. */
void fleet_cli_add_cell(const struct xylem_cli *cli, struct xylem_cli__table *table, struct xylem_view shown);
/* Writes the document of one event at once, or lines. */
int fleet_cli_put_now(struct fleet_cli *fleet, struct xylem_cli__text *text, bool json);

/* --- Turns (turns.c) ---------------------------------------------------------------------------------------------- */

/* Work that takes turns, such as a ship. `end` is called behind each `start`. */
struct fleet_cli_work {
    int (*start)(struct fleet_cli *fleet, void *context);
    int (*turn)(struct fleet_turn *turn, struct fleet_cli *fleet, void *context, uint64_t now_ms);
    void (*end)(struct fleet_cli *fleet, void *context);
    void *context;
};

/*
 * Works until idle; with --follow until an interrupt. Gives way to a process that needs the store alone, and begins
 * again. 0 and `gave_up`: the engine did not answer for the time of --wait.
 */
int fleet_cli_work(struct fleet_cli *fleet, const struct fleet_cli_work *work);
/* Shows, or removes, the line of progress on the terminal. */
void fleet_cli_progress(struct fleet_cli *fleet, uint64_t count, const char *what);
void fleet_cli_clear_progress(struct fleet_cli *fleet);
/* True if the time of --wait, 10 seconds without the option, has passed since a moment of the steady clock. */
bool fleet_cli_waited(const struct xylem_cli *cli, int64_t since_ms);

/* --- Bringing sessions (pull.c) ----------------------------------------------------------------------------------- */

/* Pulls `fleet->ids`, or all, into the open store; with `own_epoch` the one session is claimed, and becomes the store's. */
int fleet_cli_bring(struct fleet_cli *fleet, bool all, uint64_t own_epoch);

#endif
