/*
 * cli/store/ is the store of a run, and the names that a person gives: where the store is, opening and changing the
 * store, the session or the entry behind a word, ids cut to their shortest unique beginning, and the command that
 * comes next.
 * It shows nothing: cli/show/ does.
 * Begin reading at xylem_cli__open_reading() and xylem_cli__change(), then xylem_cli__session() and
 * xylem_cli__entry().
 * Other rooms may include: family.h listing.h store.h
 */
#ifndef XYLEM_CLI_STORE_STORE_H
#define XYLEM_CLI_STORE_STORE_H

#include <sys/stat.h>

#include "cli/term/term.h"

/* --- The store (open.c, patterns.c) ------------------------------------------------------------------------------- */

/* How long commands wait for others to close the store, where nobody may have it open. */
#define XYLEM_CLI__WAIT_MS 3000u

/* Finds out where the store is, into `cli->store_path`, if that is not known yet. */
int xylem_cli__locate(struct xylem_cli *cli);
/* The same for a command that writes: without locks it must not. */
int xylem_cli__locate_writing(struct xylem_cli *cli);
/* Opens the store for reading, and begins `cli->txn`. */
int xylem_cli__open_reading(struct xylem_cli *cli);
/* Opens the store for writing. */
int xylem_cli__open_writing(struct xylem_cli *cli);
/* Opens it for writing, or only for reading, and makes it, with the directories above it, if there is none. */
int xylem_cli__open_creating(struct xylem_cli *cli, bool reading, bool *created);
/*
 * Opens the store for writing and runs `change` in one write transaction, `cli->txn`, which is committed if it returns
 * 0. It is run again, in a new transaction, where the map was full and had to grow.
 */
int xylem_cli__change(struct xylem_cli *cli, int (*change)(struct xylem_cli *cli, void *context), void *context);
/*
 * After a change of the session that gave `code`: if it is a conflict, and the session has an owner, the error's text
 * says what can be done about it. Gives `code`.
 */
int xylem_cli__if_leased(struct xylem_cli *cli, int code, struct xylem_view session_id);
/* Ends the transaction and closes the store. */
void xylem_cli__close(struct xylem_cli *cli);
/* Ends the transaction and closes the store, but keeps the path. */
void xylem_cli__close_store(struct xylem_cli *cli);

/* Reads a file of patterns (patterns.c), which may be a pipe. */
int xylem_cli__patterns_read(struct xylem_cli *cli, struct xylem_patterns **patterns, const char *path);

/* --- Ids that are cut (short_ids.c) ------------------------------------------------------------------------------- */

/* The ids of the live sessions, or of entries, in order. Views live as long as `cli->txn`. */
struct xylem_cli__short_ids {
    struct xylem_view *list;
    size_t count;
    size_t capacity;
};

/* Reads them. Release in any case. */
int xylem_cli__short_ids_read(struct xylem_cli *cli, struct xylem_cli__short_ids *ids);
/* Adds the ids of a session's entries. One that two sessions have is there once. */
int xylem_cli__short_ids_add_entries(struct xylem_cli *cli, struct xylem_cli__short_ids *ids, uint64_t session);
/* The shortest beginning of thirteen bytes or more that names it among them; all of an id that is not there. */
struct xylem_view xylem_cli__short_id(const struct xylem_cli__short_ids *ids, struct xylem_view id);
/* How many cells the widest of these beginnings fills, but for those that fill more than `cells_max`. */
size_t xylem_cli__short_ids_cells(const struct xylem_cli *cli, const struct xylem_cli__short_ids *ids,
                                  size_t cells_max);
/*
 * Appends an id (cut to what names it, unless `ids` is NULL), filled up to `width` cells and never cut to less; gives
 * the cells.
 */
size_t xylem_cli__add_id_column(const struct xylem_cli *cli, struct xylem_cli__text *text,
                                const struct xylem_cli__short_ids *ids, struct xylem_view id, size_t width);
void xylem_cli__short_ids_release(struct xylem_cli__short_ids *ids);

/* --- What is meant (resolve.c, session_entry.c, suggest_session.c) ------------------------------------------------ */

/* The live session that is meant: an id, or a unique beginning of one. */
int xylem_cli__session(struct xylem_cli *cli, struct xylem_session *session, const char *spec);
/* 1 and the session of exactly that id, also one that is deleted, or whose import has not finished; or 0. */
int xylem_cli__session_exact(struct xylem_cli *cli, struct xylem_session *session, struct xylem_view id);
/* As xylem_cli__session(), and these two by their whole ids. */
int xylem_cli__session_kept(struct xylem_cli *cli, struct xylem_session *session, const char *spec);
/*
 * The entry of the session that is meant: an id, `@` for the leaf, `@{n}` for where the leaf was before the last n
 * navigations, a label, a unique beginning of an id, and the first of these that fits; each with any number of steps:
 * `~n` for n entries before it, `^n` for the entry of depth n on its path.
 */
int xylem_cli__entry(struct xylem_cli *cli, struct xylem_position *position, const struct xylem_session *session,
                     const char *spec);
/* The same, or none for `none`, and for `@` and `@{n}` where the leaf is or was none. */
int xylem_cli__entry_or_none(struct xylem_cli *cli, struct xylem_position *position,
                             const struct xylem_session *session, const char *spec);
/* Either of the two functions above. */
typedef int xylem_cli__entry_finder(struct xylem_cli *cli, struct xylem_position *position,
                                    const struct xylem_session *session, const char *spec);
/*
 * `SESSION:ENTRY`: NOT_FOUND if no `:` has the id of a session before it, with `exact` a whole one. The longest id
 * wins. `find` is given what stands behind it. `decided`: there is such a session, and what the code says is said of
 * its entry.
 */
int xylem_cli__session_and_entry(struct xylem_cli *cli, struct xylem_session *session, struct xylem_position *position,
                                 const char *spec, bool exact, xylem_cli__entry_finder *find, bool *decided);
/* `SESSION` (its leaf) or `SESSION:ENTRY`; where `at` is given, the session that is meant, and that entry or none. */
int xylem_cli__session_at(struct xylem_cli *cli, struct xylem_session *session, struct xylem_position *position,
                          const char *spec, const char *at);
/* An id as it is, or with `labels` a label; NOT_FOUND, without an error's text, if it is neither. */
int xylem_cli__entry_exact(struct xylem_cli *cli, struct xylem_position *position, const struct xylem_session *session,
                           struct xylem_view spec, bool labels);

/* There is no session that `spec` names: an error with what else is to be said (may be empty), and those like it. */
int xylem_cli__no_session(struct xylem_cli *cli, const char *spec, const char *hint);

/* --- What must be there (stored.c, labels.c) ---------------------------------------------------------------------- */

/*
 * What the store's own rows lead to, from a leaf, a base, a tip, a move or an id: where nothing is there, the store is
 * damaged, and NOT_FOUND becomes CORRUPT.
 */
int xylem_cli__stored(struct xylem_cli *cli, int code, struct xylem_position position);
int xylem_cli__entry_read(struct xylem_cli *cli, struct xylem_entry *entry, struct xylem_position position);
/* The id of the entry at a position; data NULL for none. */
int xylem_cli__entry_id(struct xylem_cli *cli, struct xylem_view *id, struct xylem_position position);
int xylem_cli__ancestor_at(struct xylem_cli *cli, struct xylem_position *ancestor, struct xylem_position from,
                           uint64_t depth);
int xylem_cli__owner(struct xylem_cli *cli, uint64_t *session, struct xylem_position position);
int xylem_cli__move_read(struct xylem_cli *cli, struct xylem_move *move, uint64_t session, uint64_t number);
/* `options` may be NULL. */
int xylem_cli__rehydrate(struct xylem_cli *cli, struct xylem_state *state, struct xylem_position at,
                         const struct xylem_event *event, const struct xylem_reduce_options *options);

/* Reads the session's labels, sorted by target for the calls below. Release in any case. */
int xylem_cli__labels_read(struct xylem_cli *cli, struct xylem_labels *labels, uint64_t session);
/* The label of the entry of that id; NULL if it has none. */
const struct xylem_label *xylem_cli__label_of(const struct xylem_labels *labels, struct xylem_view id);
/* Its text; data NULL if it has none. */
struct xylem_view xylem_cli__label_text(const struct xylem_labels *labels, struct xylem_view id);

bool xylem_cli__position_equal(struct xylem_position a, struct xylem_position b);
bool xylem_cli__position_none(struct xylem_position position);

/* --- The kind of an entry (kind.c) -------------------------------------------------------------------------------- */

bool xylem_cli__kind_equal(struct xylem_kind a, struct xylem_kind b);

bool xylem_cli__kind_is_message(struct xylem_kind kind);
/* For a host's kind: the custom kind of the same name, in text form, if a piece of state comes from it; else NULL. */
const char *xylem_cli__kind_meant(struct xylem_kind kind);

/* Appends the kind, shown. */
void xylem_cli__add_kind(const struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_kind kind);

/* --- Work in a child process (child.c) ---------------------------------------------------------------------------- */

/*
 * Work that may meet damage which ends a process, or never ends. It opens the store in the child; what it has to say
 * goes to the parent in messages, which count as progress.
 */
struct xylem_cli__task {
    /* In the child. What it returns ends the work; `cli->err` goes with a negative code. */
    int (*work)(struct xylem_cli *cli, void *context);
    /* In the parent: a message of `work`. Anything but 0 ends the work, and is returned. */
    int (*hear)(struct xylem_cli *cli, void *context, char type, const void *data, size_t bytes);
    void *context;
    uint64_t timeout_seconds; /* without any message; 0: none */
    uint64_t memory_bytes;    /* of data, not of maps; 0: any */
};

#define XYLEM_CLI__MESSAGE_BYTES_MAX 65536u

/* How the child ended. */
struct xylem_cli__ending {
    bool stopped;      /* it made no progress, and was ended */
    int signal_number; /* 0, or the signal that it died of */
};

/*
 * Runs it, and waits. Gives what `work` returned, with its error; or 0 with `ending` filled in, where it did not come
 * to its end. Sanitizers need more memory than any limit allows, so there the limit is left out.
 */
int xylem_cli__child_run(struct xylem_cli *cli, struct xylem_cli__ending *ending, const struct xylem_cli__task *task);
/* In the child: sends a message. False if nobody hears it any more. */
bool xylem_cli__child_say(char type, const void *data, size_t bytes);

/* --- What comes next (next.c) ------------------------------------------------------------------------------------- */

/* Is there a `data.mdb`, of whatever kind, where the store should be? */
bool xylem_cli__has_data(const struct xylem_cli *cli, struct stat *status);
/* The path with the suffix, or with that and a number: what is not there yet. The caller frees `name`. */
int xylem_cli__neighbour(struct xylem_cli *cli, char **name, const char *path, const char *suffix);
/* Appends a path as a word of a shell, without the slashes that end it, and so that no terminal acts on it. */
void xylem_cli__add_shell_path(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *path);
/* Appends `  mv FROM TO`, and `  xylem -s STORE COMMAND` (without the end of the line). */
void xylem_cli__add_move(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *from, const char *to);
void xylem_cli__add_store_command(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *store,
                                  const char *command);
/*
 * Appends a command in backquotes, ready to be pasted, for the store of this run: `xylem -s STORE gc`; for the default
 * store `xylem gc`. `argument` (NULL: none) becomes a word of a shell.
 */
void xylem_cli__add_named(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *command,
                          const char *argument);
/* Appends how the store is repaired, and how a backup takes the place of one of which nothing is left. */
int xylem_cli__add_repair(struct xylem_cli *cli, struct xylem_cli__text *text);
int xylem_cli__add_restore(struct xylem_cli *cli, struct xylem_cli__text *text);
/* Prints on standard error which command comes next, where the command ended so that one does. */
void xylem_cli__note_next(struct xylem_cli *cli, int code, int exit_code);
/* Prepares what is said of the store should the program crash. */
void xylem_cli__prepare_crash(const struct xylem_cli *cli);

#endif
