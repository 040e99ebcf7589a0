/*
 * cli/store/ finds and opens the store, and resolves names that a person types into a session or an entry. It also
 * shortens ids, and suggests the next command after a failure.
 * cli/store/ prints no data: cli/show/ does.
 * Begin reading at xylem_cli__open_reading() and xylem_cli__change(), then xylem_cli__session() and xylem_cli__entry().
 * Other rooms may include: family.h listing.h store.h
 */
#ifndef XYLEM_CLI_STORE_STORE_H
#define XYLEM_CLI_STORE_STORE_H

#include <sys/stat.h>

#include "cli/term/term.h"
#include "xylem/entry.h"

struct xylem_event;
struct xylem_label;
struct xylem_labels;
struct xylem_move;
struct xylem_patterns;
struct xylem_reduce_options;
struct xylem_state;

/* --- The store (open.c, patterns.c) ------------------------------------------------------------------------------- */

/* How long commands that need the store alone wait for other processes to close the store. */
#define XYLEM_CLI__WAIT_MS 3000u

/* Finds the store's path, into `cli->store_path`, unless known. */
int xylem_cli__locate(struct xylem_cli *cli);
/* Finds the store's path for a command that writes; such a command refuses --no-lock. */
int xylem_cli__locate_writing(struct xylem_cli *cli);
/* Opens the store for reading, and begins `cli->txn`. */
int xylem_cli__open_reading(struct xylem_cli *cli);
/* Opens the store for writing. */
int xylem_cli__open_writing(struct xylem_cli *cli);
/* Keeps the outlines of the open store, after a change. A failure is told, and is no failure of the change. */
void xylem_cli__keep_outlines(struct xylem_cli *cli);
/* Makes the directories above a path, which begins with a `/` or a name. */
int xylem_cli__make_parents(struct xylem_cli *cli, const char *below);
/* Opens the store for writing or only for reading. Makes a missing store, with the directories above it. */
int xylem_cli__open_creating(struct xylem_cli *cli, bool reading, bool *created);
/*
 * Opens the store for writing and runs `change` in one write transaction, `cli->txn`, which is committed if `change`
 * returns 0. If the map was full and had to grow, `change` runs again in a new transaction.
 */
int xylem_cli__change(struct xylem_cli *cli, int (*change)(struct xylem_cli *cli, void *context), void *context);
/*
 * To be called after a change of the session gave `code`. If `code` is a conflict, and the session has an owner, a
 * process or another store, the error's text says how to go on. Gives `code`.
 */
int xylem_cli__if_leased(struct xylem_cli *cli, int code, struct xylem_view session_id);
/*
 * True if the session has an owner: a living process, or another store. A store that cannot be read has none;
 * `cli->err` stays.
 */
bool xylem_cli__is_owned(struct xylem_cli *cli, struct xylem_view session_id);
/* Ends the transaction and closes the store. */
void xylem_cli__close(struct xylem_cli *cli);
/* Ends the transaction and closes the store, but keeps the path. */
void xylem_cli__close_store(struct xylem_cli *cli);

/* The options that say what is redacted or left out. */
struct xylem_cli__patterns {
    bool secrets;
    const char *text;
    const char *file;
};

/* The rows of a command that shows entries: the member `patterns` of its options. */
#define XYLEM_CLI__LEFT_OUT_ROWS(type)                                                    \
    {"redact-secrets",                                                                    \
     0,                                                                                   \
     NULL,                                                                                \
     XYLEM_CLI__FLAG,                                                                     \
     offsetof(type, patterns.secrets),                                                    \
     "show no secret: `[redacted: KIND]` stands in its place (xylem help secrets)",       \
     NULL},                                                                               \
        {"redact-pattern",                                                                \
         0,                                                                               \
         "TEXT",                                                                          \
         XYLEM_CLI__TEXT,                                                                 \
         offsetof(type, patterns.text),                                                   \
         "show no match of the regular expression TEXT",                                  \
         NULL},                                                                           \
    {                                                                                     \
        "redact-pattern-file", 0, "FILE", XYLEM_CLI__TEXT, offsetof(type, patterns.file), \
            "show no match of the regular expressions in FILE", NULL                      \
    }

/*
 * Reads the pattern of an option, or the patterns of the file of the same option with `-file` (patterns.c), which may
 * be a pipe, beside the built-in patterns of secrets, if wanted. Nothing given: `patterns` stays. `sum` (may be NULL)
 * gets a number that tells sets of patterns apart, 0 without patterns.
 */
int xylem_cli__patterns_given(struct xylem_cli *cli, struct xylem_patterns **patterns, uint64_t *sum,
                              const char *option, const struct xylem_cli__patterns *given);
/* From now on the output leaves out what the options name. */
int xylem_cli__leave_out_given(struct xylem_cli *cli, const struct xylem_cli__patterns *given);
/* At the end of the run: counts on standard error what was left out, unless the run failed, and forgets the patterns. */
void xylem_cli__left_out_end(struct xylem_cli *cli, bool failed);

/* --- All sessions (each_session.c) -------------------------------------------------------------------------------- */

/* Gives 0 to go on. */
typedef int xylem_cli__session_visitor(struct xylem_cli *cli, void *context, const struct xylem_session *session);
/*
 * Visits the sessions that a person can name, those of the empty namespace, in any state, by ascending number, until
 * `visit` gives another code than 0. Gives that code. The second visits the sessions of all namespaces.
 */
int xylem_cli__each_session(struct xylem_cli *cli, xylem_cli__session_visitor *visit, void *context);
int xylem_cli__each_session_of_store(struct xylem_cli *cli, xylem_cli__session_visitor *visit, void *context);

/* --- Short ids (short_ids.c) -------------------------------------------------------------------------------------- */

/* Least bytes of a short id: the time, in an id that is a UUID in order of time. */
#define XYLEM_CLI__SHORT_BYTES_MIN 13u

/* Counts the equal bytes at the beginnings. */
size_t xylem_cli__id_shared_bytes(struct xylem_view a, struct xylem_view b);
/* The beginning of at least so many bytes that ends with a whole character. */
struct xylem_view xylem_cli__id_beginning(struct xylem_view id, size_t bytes);

/* The ids of the live sessions, or of entries, in order. Views live as long as `cli->txn`. */
struct xylem_cli__short_ids {
    struct xylem_view *list;
    size_t count;
    size_t capacity;
};

/* Adds an id. After the last id, sort: equal ids become one. */
int xylem_cli__short_ids_add(struct xylem_cli *cli, struct xylem_cli__short_ids *ids, struct xylem_view id);
void xylem_cli__short_ids_sort(struct xylem_cli__short_ids *ids);
/* Reads the ids of the live sessions. Release in any case. */
int xylem_cli__short_ids_read(struct xylem_cli *cli, struct xylem_cli__short_ids *ids);
/* Adds the ids of a session's entries. An id of two sessions is added once. */
int xylem_cli__short_ids_add_entries(struct xylem_cli *cli, struct xylem_cli__short_ids *ids, uint64_t session);
/*
 * Returns the shortest beginning of thirteen bytes or more that is unique in `ids`; the whole id if `ids` lacks the id.
 */
struct xylem_view xylem_cli__short_id(const struct xylem_cli__short_ids *ids, struct xylem_view id);
/* Counts the cells of the widest beginning, leaving out beginnings of more than `cells_max`. */
size_t xylem_cli__short_ids_cells(const struct xylem_cli *cli, const struct xylem_cli__short_ids *ids,
                                  size_t cells_max);
/*
 * Appends an id (its shortest unique beginning, unless `ids` is NULL), filled up to `width` cells and never cut to
 * `width`. Gives the cells.
 */
size_t xylem_cli__add_id_column(const struct xylem_cli *cli, struct xylem_cli__text *text,
                                const struct xylem_cli__short_ids *ids, struct xylem_view id, size_t width);
void xylem_cli__short_ids_release(struct xylem_cli__short_ids *ids);

/* --- Names of sessions and entries (session_name.c, resolve.c, session_entry.c, suggest_session.c) ---------------- */

/*
 * Finds a live session. The first match counts:
 * 1. an id
 * 2. the beginning of an id: 8 or more hex digits and dashes
 * 3. `@last`, or `@last~n` for the session last active n sessions before; `.` for the last active of this directory
 * 4. a name, or a file of the session: a path, or a file's name
 * 5. a name in other case, if `spec` has no upper case
 * 6. the beginning or the end of an id, or a part of a name, of four bytes or more; not where a session is changed
 * Several matches are a CONFLICT, with the choice in the error's text. Only an id names a ledger of a run. A damaged
 * session has no name; a command that changes sessions then takes ids alone: CORRUPT.
 */
int xylem_cli__session(struct xylem_cli *cli, struct xylem_session *session, const char *spec);
/* How a session may be named: by 1. and 2.; also by 3. to 5.; also by parts. */
enum xylem_cli__naming { XYLEM_CLI__BY_ID, XYLEM_CLI__BY_WHOLE, XYLEM_CLI__BY_PART };
/* The same, but NOT_FOUND has no error's text. */
int xylem_cli__session_try(struct xylem_cli *cli, struct xylem_session *session, const char *spec,
                           enum xylem_cli__naming naming);
/* The same for a deleted session, without 2. */
int xylem_cli__session_deleted(struct xylem_cli *cli, struct xylem_session *session, const char *spec);
/* True for `@last`, `@last~n` and `.`. */
bool xylem_cli__session_by_activity(const char *spec);
/* ARGUMENT if a new session of that id would take a word from another session: `@last`, `.`, a beginning of its id. */
int xylem_cli__check_new_id(struct xylem_cli *cli, const char *id);
/* `live`, `importing`, `deleted` or `freed`. */
const char *xylem_cli__state_word(enum xylem_session_state state);
/* The id in the name that pi gives to a session's file, `.../2026-11-20T17-18-05-515Z_ID.jsonl`; data NULL: none. */
struct xylem_view xylem_cli__id_in_path(struct xylem_view path);
/* True if a place never names an entry by the label: `none`, or a word of `@`, such as `@{2}` and `@~1`. */
bool xylem_cli__label_is_hidden(struct xylem_view label);
/* True for 8 or more hex digits and dashes. */
bool xylem_cli__looks_like_id(const char *word);
/*
 * The session of the working directory that was last active. NOT_FOUND without an error's text; `none` (may be NULL)
 * then gets `no session of DIRECTORY`.
 */
int xylem_cli__session_of_directory(struct xylem_cli *cli, struct xylem_session *session, struct xylem_cli__text *none);
/* The same for a command without a word: the error has a text, and a dim line names the session to a person. */
int xylem_cli__session_default(struct xylem_cli *cli, struct xylem_session *session);
/* Appends `ID (NAME, AGE)`; `name` may be empty. */
void xylem_cli__add_candidate(const struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_view id,
                              struct xylem_view name, int64_t active_ms);
/* Returns 1 and the session of exactly that id, also if deleted or with an unfinished import; or 0. */
int xylem_cli__session_exact(struct xylem_cli *cli, struct xylem_session *session, struct xylem_view id);
/* Like xylem_cli__session(), but also finds deleted and importing sessions by their whole ids. */
int xylem_cli__session_kept(struct xylem_cli *cli, struct xylem_session *session, const char *spec);
/*
 * Finds an entry of the session. The first match counts:
 * 1. an id
 * 2. `@` for the leaf, `@{n}` for the leaf before the last n navigations
 * 3. a label
 * 4. a unique beginning of an id
 * Any number of steps may follow: `~n` for n entries before, `^n` for the entry of depth n on the path.
 */
int xylem_cli__entry(struct xylem_cli *cli, struct xylem_position *position, const struct xylem_session *session,
                     const char *spec);
/* Like xylem_cli__entry(), but `none`, and `@` and `@{n}` where the leaf is or was none, give position (0, 0). */
int xylem_cli__entry_or_none(struct xylem_cli *cli, struct xylem_position *position,
                             const struct xylem_session *session, const char *spec);
/* Either of the two functions above. */
typedef int xylem_cli__entry_finder(struct xylem_cli *cli, struct xylem_position *position,
                                    const struct xylem_session *session, const char *spec);

/* What a word means: the session, and the entry or the session's leaf, which may be none. */
struct xylem_cli__place {
    struct xylem_session session;
    struct xylem_position position;
    bool is_entry; /* the word names an entry */
};

enum xylem_cli__place_form {
    XYLEM_CLI__LOOKED_AT,     /* SESSION, SESSION:ENTRY, :ENTRY, ENTRY; no word (NULL): the session of this directory */
    XYLEM_CLI__NAMED,         /* SESSION, SESSION:ENTRY */
    XYLEM_CLI__CHANGED_ENTRY, /* SESSION:ENTRY */
    XYLEM_CLI__KEPT_ENTRY     /* the same; SESSION may be the whole id of a deleted session */
};

/* Finds the place (place.c). `find` gets the text behind a `:`, and `@` if the leaf is none. */
int xylem_cli__place_find(struct xylem_cli *cli, struct xylem_cli__place *place, const char *word,
                          enum xylem_cli__place_form form, xylem_cli__entry_finder *find);
#define XYLEM_CLI__PART_BYTES_MIN 4u /* of a part of an id or a name, and of the beginning of an entry's id */

/* What a word may mean: the number, and the first few for an error. Start zeroed. */
#define XYLEM_CLI__CANDIDATES_SHOWN 5u
struct xylem_cli__candidates {
    size_t count;
    struct xylem_cli__text shown;
};
void xylem_cli__candidate(struct xylem_cli__candidates *candidates, struct xylem_view name);
/*
 * Ends a search that gave `code`, and releases the candidates. 0 if there is one. NOT_FOUND, without an error's text,
 * if there is none; CONFLICT if `what`, such as `runs begin with it`, holds for several.
 */
int xylem_cli__candidates_end(struct xylem_cli *cli, struct xylem_cli__candidates *candidates, int code,
                              struct xylem_view word, const char *what);

/* Error: no session, and with `or_entry` no entry, is named `spec`. Similar sessions follow. */
int xylem_cli__no_session(struct xylem_cli *cli, const char *spec, bool or_entry);

/* --- The files of a session (session_files.c) --------------------------------------------------------------------- */

/*
 * 1 if the store knows session files of the session, and none of them exists; else 0. The files of a session that
 * another store owns are not looked for.
 */
int xylem_cli__file_gone(struct xylem_cli *cli, const struct xylem_session *session);

/* --- Sessions of a host (host_session.c) -------------------------------------------------------------------------- */

/* The row of the option --only-in-store, a bool of the options struct. */
#define XYLEM_CLI__ONLY_IN_STORE_ROW(type)                                                      \
    {                                                                                           \
        "only-in-store", 0, NULL, XYLEM_CLI__FLAG, offsetof(type, only_in_store),               \
            "also change a session that comes from a file, whose program will not see it", NULL \
    }

/*
 * CONFLICT if the session was imported or is mirrored from a file of a host, unless `only_in_store`: the host would
 * never see a change that is only in the store. No host keeps a session whose files are gone. `how` says how the change
 * is made in the host.
 */
int xylem_cli__check_host(struct xylem_cli *cli, const struct xylem_session *session, bool only_in_store,
                          const char *how);
/*
 * The file in which a host keeps the session: 1, also if the file is gone; 0 if no host keeps the session. `path` gets
 * the path, `there` whether the file is there. Of several files, one that is there, with the name that pi gives. No host
 * keeps a session that another store owns.
 */
int xylem_cli__host_file(struct xylem_cli *cli, struct xylem_cli__text *path, bool *there,
                         const struct xylem_session *session);
/* Appends the line with which a person goes on in pi: `cd DIR && pi --session FILE`. An empty directory: no `cd`. */
void xylem_cli__add_way_back(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *directory,
                             const char *path);
/* On a terminal, a dim line on standard error: the way back into the host that keeps the session, if one does. */
int xylem_cli__note_way_back(struct xylem_cli *cli, const struct xylem_session *session);
/* Appends an entry of a host's kind behind the leaf, in `cli->txn`. */
int xylem_cli__append_host(struct xylem_cli *cli, const struct xylem_session *session, const char *kind,
                           const struct xylem_cli__text *payload);

/* --- Ledgers of runs (ledger.c) ----------------------------------------------------------------------------------- */

/*
 * 1 if the session is the ledger of a run, else 0: its id is like one, and its first event is there. A session that is
 * not live is told by its id.
 */
int xylem_cli__is_ledger(struct xylem_cli *cli, const struct xylem_session *session);

/* --- Reading entries and labels (stored.c, labels.c) -------------------------------------------------------------- */

/*
 * For reads of an entry that a leaf, a base, a tip, a move or an id leads to: a missing entry is damage, so NOT_FOUND
 * becomes CORRUPT.
 */
int xylem_cli__stored(struct xylem_cli *cli, int code, struct xylem_position position);
int xylem_cli__entry_read(struct xylem_cli *cli, struct xylem_entry *entry, struct xylem_position position);
/* The id of the entry at a position; data NULL for none. */
int xylem_cli__entry_id(struct xylem_cli *cli, struct xylem_view *id, struct xylem_position position);
int xylem_cli__ancestor_at(struct xylem_cli *cli, struct xylem_position *ancestor, struct xylem_position from,
                           uint64_t depth);
/* 1 if the position is `from` or lies below, else 0; 1 for every position if `from` is none. */
int xylem_cli__is_below(struct xylem_cli *cli, struct xylem_position position, struct xylem_position from);
int xylem_cli__owner(struct xylem_cli *cli, uint64_t *session, struct xylem_position position);
int xylem_cli__move_read(struct xylem_cli *cli, struct xylem_move *move, uint64_t session, uint64_t number);
/* `options` may be NULL. */
int xylem_cli__rehydrate(struct xylem_cli *cli, struct xylem_state *state, struct xylem_position at,
                         const struct xylem_event *event, const struct xylem_reduce_options *options);

/* Reads the session's labels, sorted by target for the functions below. Release in any case. */
int xylem_cli__labels_read(struct xylem_cli *cli, struct xylem_labels *labels, uint64_t session);
/* The label of the entry with that id; NULL if the entry has no label. */
const struct xylem_label *xylem_cli__label_of(const struct xylem_labels *labels, struct xylem_view id);
/* The text of that label; data NULL if the entry has no label. */
struct xylem_view xylem_cli__label_text(const struct xylem_labels *labels, struct xylem_view id);

bool xylem_cli__position_equal(struct xylem_position a, struct xylem_position b);
bool xylem_cli__position_none(struct xylem_position position);

/* --- The kind of an entry (kind.c) -------------------------------------------------------------------------------- */

bool xylem_cli__kind_equal(struct xylem_kind a, struct xylem_kind b);

bool xylem_cli__kind_is_message(struct xylem_kind kind);
extern const char *const xylem_cli__roles[]; /* of pi's messages; NULL at the end */
/* True for a host's kind with the name of a role. */
bool xylem_cli__kind_is_role(struct xylem_kind kind);
/*
 * For a host's kind: the text form of the custom kind of the same name, if a piece of state reads that kind; else NULL.
 */
const char *xylem_cli__kind_meant(struct xylem_kind kind);

/* Appends the kind, shown. */
void xylem_cli__add_kind(const struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_kind kind);

/* --- The next step (next.c) --------------------------------------------------------------------------------------- */

/* True if there is a `data.mdb`, of any type, in the store's place. */
bool xylem_cli__has_data(const struct xylem_cli *cli, struct stat *status);
/*
 * Finds a path that does not exist yet: the path with the suffix, or with the suffix and a number. The caller frees
 * `name`.
 */
int xylem_cli__neighbour(struct xylem_cli *cli, char **name, const char *path, const char *suffix);
/* Appends a path as a word of a shell, without trailing slashes, and so that no terminal acts on it. */
void xylem_cli__add_shell_path(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *path);
/* Appends `  mv FROM TO`, and `  xylem -s STORE COMMAND` (without a newline). */
void xylem_cli__add_move(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *from, const char *to);
void xylem_cli__add_store_command(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *store,
                                  const char *command);
/*
 * Appends a command in backquotes, ready to paste, for the store of this run: `xylem -s STORE gc`; for the default
 * store `xylem gc`. `argument` (NULL: none) is quoted for the shell.
 */
void xylem_cli__add_named(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *command,
                          const char *argument);
/* Appends the command line that was typed, with another word in the place of `word`, in backquotes. */
void xylem_cli__add_again(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *word,
                          const char *meant);
/* Appends the commands that repair the store, and the commands that put a backup in place of a lost store. */
int xylem_cli__add_repair(struct xylem_cli *cli, struct xylem_cli__text *text);
int xylem_cli__add_restore(struct xylem_cli *cli, struct xylem_cli__text *text);
/* Prints the next command on standard error, if the command ended in a way that has a next step. */
void xylem_cli__note_next(struct xylem_cli *cli, int code, int exit_code);
/* Prepares the line that a crash prints. */
void xylem_cli__prepare_crash(const struct xylem_cli *cli);

#endif
