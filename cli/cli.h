/*
 * The command `xylem`: what its files share. Everything here knows the library through xylem.h alone.
 *
 * A function that can fail returns 0, or a negative code of the library with `cli->err` filled in; main() prints that
 * error and turns its code into an exit code. So a command returns such a code, or an exit code of its own.
 */
#ifndef XYLEM_CLI_CLI_H
#define XYLEM_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "xylem.h"

enum xylem_cli__exit {
    XYLEM_CLI__OK = 0,
    XYLEM_CLI__PROBLEM = 1,   /* something was found: by verify, by an import */
    XYLEM_CLI__USAGE = 2,     /* the command line is wrong */
    XYLEM_CLI__NOT_FOUND = 3, /* no such store, session, entry or file */
    XYLEM_CLI__CONFLICT = 4,  /* taken, ambiguous, changed by somebody else, or in use */
    XYLEM_CLI__CORRUPT = 5,
    XYLEM_CLI__IO = 6, /* input, output, memory, or no space */
    XYLEM_CLI__NEWER = 7,
    XYLEM_CLI__ASK = 8, /* a policy wants a person to be asked */
    XYLEM_CLI__INTERRUPTED = 130
};

struct xylem_cli;
struct xylem_cli__text;

/* --- Options (options.c) ---------------------------------------------------------------------------------------- */

enum xylem_cli__option_type {
    XYLEM_CLI__FLAG,  /* a bool */
    XYLEM_CLI__TEXT,  /* a const char *, NULL if not given */
    XYLEM_CLI__LIST,  /* a struct xylem_cli__list: may be given more than once */
    XYLEM_CLI__COUNT, /* a struct xylem_cli__count */
    XYLEM_CLI__CHOICE /* an int: 0 if not given, else 1 for the first of `choices` */
};

struct xylem_cli__count {
    bool given;
    uint64_t number;
};

#define XYLEM_CLI__LIST_MAX 16u

struct xylem_cli__list {
    const char *texts[XYLEM_CLI__LIST_MAX];
    size_t count;
};

/* An option. Its value goes to `offset` of the command's options struct. A table ends in a row without a name. */
struct xylem_cli__option {
    const char *name;     /* without the dashes */
    char letter;          /* 0: none */
    const char *argument; /* what help calls its value; NULL for a flag */
    enum xylem_cli__option_type type;
    size_t offset;
    const char *help;
    const char *const *choices; /* of a choice; ends in NULL */
};

/* What an argument names: what completion offers for it. */
enum xylem_cli__argument {
    XYLEM_CLI__ANY = 0, /* nothing that could be listed */
    XYLEM_CLI__SESSION,
    XYLEM_CLI__DELETED,       /* a deleted session */
    XYLEM_CLI__ENTRY,         /* of the session that stands before it */
    XYLEM_CLI__SESSION_ENTRY, /* a session, or SESSION:ENTRY */
    XYLEM_CLI__KIND,
    XYLEM_CLI__FILE,
    XYLEM_CLI__DIRECTORY,
    XYLEM_CLI__COMMAND,
    XYLEM_CLI__PIECE,      /* a piece of state */
    XYLEM_CLI__LEASE_VERB, /* what is to be done about a lease */
    XYLEM_CLI__HOOK        /* what a host asks about */
};

#define XYLEM_CLI__ARGUMENTS_NAMED 3

struct xylem_cli__command {
    const char *name;
    const char *summary; /* for the list of commands */
    const char *usage;   /* what follows the name */
    const char *details; /* for --help, lines that end in a newline; NULL: none */
    const struct xylem_cli__option *options;
    size_t options_bytes; /* of the options struct, which starts zeroed */
    size_t arguments_min;
    size_t arguments_max;
    enum xylem_cli__argument arguments[XYLEM_CLI__ARGUMENTS_NAMED]; /* the last that is named stands for the rest */
    int (*run)(struct xylem_cli *cli, char **arguments, size_t argument_count, const void *options);
};

extern const struct xylem_cli__option xylem_cli__global_options[];

/* The option of that name (`letter` 0) or letter; NULL if the table (which may be NULL) has none. */
const struct xylem_cli__option *xylem_cli__option_find(const struct xylem_cli__option *table, const char *name,
                                                       size_t bytes, char letter);

/*
 * Parses `words` (ends in NULL): options of `command` (may be NULL) into `options`, global ones into `cli`. Arguments
 * are gathered at the front of `words` and counted. `stop_early`: ends at the first argument, which `rest` then names.
 */
int xylem_cli__parse(struct xylem_cli *cli, const struct xylem_cli__command *command, void *options, char **words,
                     size_t *argument_count, bool stop_early, char ***rest);
/* Parses a decimal number that fits uint64_t. */
bool xylem_cli__number(uint64_t *number, const char *text);

/* --- The program (main.c, help.c) ------------------------------------------------------------------------------- */

enum xylem_cli__color {
    XYLEM_CLI__COLOR_DEFAULT = 0,
    XYLEM_CLI__COLOR_AUTO,
    XYLEM_CLI__COLOR_ALWAYS,
    XYLEM_CLI__COLOR_NEVER
};

/* What the locale says, once it was asked. */
struct xylem_cli__locale {
    bool asked;
    bool utf8;
};

struct xylem_cli {
    struct xylem_cli__locale *locale;         /* for xylem_cli__utf8() */
    const struct xylem_cli__command *command; /* NULL while it is not known */
    const char *store_option;
    int color_option; /* enum xylem_cli__color */
    bool no_pager;
    bool no_lock;
    struct xylem_cli__count wait; /* seconds for another writer */
    bool told_to_wait;            /* whom this wait is for was said */
    bool help;
    bool version;
    bool out_terminal; /* standard output is a terminal */
    bool colored;
    size_t width; /* cells of a line; 0: any number */
    int64_t now_ms;
    pid_t pager; /* 0: none */
    char *store_path;
    struct xylem_store *store;
    bool closes_idle; /* without a transaction, the store may be closed while the output waits for a reader */
    bool warned;      /* of who else can read the store: once is enough */
    struct xylem_txn *txn;
    struct xylem_error err;
    int output_errno; /* of the first failed write to standard output */
};

/* The commands, in the order of help; ends in NULL. */
extern const struct xylem_cli__command *const xylem_cli__commands[];
const struct xylem_cli__command *xylem_cli__command_find(const char *name);
int xylem_cli__help_program(struct xylem_cli *cli);
int xylem_cli__help_command(struct xylem_cli *cli, const struct xylem_cli__command *command);
/*
 * `log: session 01a1f9f7: entry 8d16e680: branch 3, depth 7: its sum does not match`; of `count` lost entries that follow
 * each other, `branch 3, depths 7 to 9: 3 entries are lost`.
 */
void xylem_cli__add_problem(const struct xylem_cli *cli, struct xylem_cli__text *text,
                            const struct xylem_problem *problem, uint64_t count);
void xylem_cli__json_problem(struct xylem_cli__text *text, const struct xylem_problem *problem);
/* Appends what the tables say of a command, as one JSON document. */
void xylem_cli__help_document(struct xylem_cli__text *text, const struct xylem_cli__command *command);
int xylem_cli__show_version(struct xylem_cli *cli);

/* --- Errors (report.c) ------------------------------------------------------------------------------------------ */

/* Fills `cli->err` and returns the code. */
__attribute__((format(printf, 3, 4))) int xylem_cli__fail(struct xylem_cli *cli, int code, const char *format, ...);
int xylem_cli__fail_memory(struct xylem_cli *cli);
/* A wrong command line: the text, and where help is. */
__attribute__((format(printf, 2, 3))) int xylem_cli__usage(struct xylem_cli *cli, const char *format, ...);
int xylem_cli__exit_code(int code);
/* Prints `xylem: <command>: <text>` on standard error, after what standard output has. */
__attribute__((format(printf, 2, 3))) void xylem_cli__note(struct xylem_cli *cli, const char *format, ...);

/* Prints `xylem: warning: <text>` there. */
void xylem_cli__warn(const struct xylem_cli *cli, const char *text);

/* --- Did you mean (suggest.c) ------------------------------------------------------------------------------------ */

/* There is no such command, or no such option of `cli->command`: an error that names what is spelt like it. */
int xylem_cli__no_command(struct xylem_cli *cli, const char *name);
int xylem_cli__no_option(struct xylem_cli *cli, const char *name, size_t bytes);
/* There is no piece of state of that name: an error that names all, and those spelt like it. */
int xylem_cli__no_piece(struct xylem_cli *cli, const char *name);
/* There is no session that `spec` names: an error with what else is to be said (may be empty), and those like it. */
int xylem_cli__no_session(struct xylem_cli *cli, const char *spec, const char *hint);

/* --- Text (text.c) ---------------------------------------------------------------------------------------------- */

/* Bytes under construction. A failed allocation is remembered, and found by xylem_cli__put(). */
struct xylem_cli__text {
    struct xylem_buffer bytes;
    bool failed;
};

void xylem_cli__add(struct xylem_cli__text *text, const char *string);
void xylem_cli__add_bytes(struct xylem_cli__text *text, const void *data, size_t bytes);
__attribute__((format(printf, 2, 3))) void xylem_cli__addf(struct xylem_cli__text *text, const char *format, ...);
void xylem_cli__add_repeated(struct xylem_cli__text *text, const char *string, size_t count);
/* Ends a line: a newline, and no blanks before it. */
void xylem_cli__end_line(struct xylem_cli__text *text);
void xylem_cli__text_clear(struct xylem_cli__text *text);
void xylem_cli__text_release(struct xylem_cli__text *text);
struct xylem_view xylem_cli__text_view(const struct xylem_cli__text *text);
/*
 * Writes lines for people to standard output, and empties the text. All lines for people go through here: control bytes
 * that a command forgot to escape are escaped here. JSON and stored bytes go through the calls below.
 */
int xylem_cli__put(struct xylem_cli *cli, struct xylem_cli__text *text);
int xylem_cli__put_bytes(struct xylem_cli *cli, const void *data, size_t bytes);
/*
 * Writes bytes that are asked for as they are stored. A terminal would act on some of them: it is shown others for those,
 * as xylem_cli__add_json_shown() makes them.
 */
int xylem_cli__put_stored(struct xylem_cli *cli, const void *data, size_t bytes);
/* How long commands wait for others to close the store, where nobody may have it open. */
#define XYLEM_CLI__WAIT_MS 3000u
/* Writes out what is buffered; 0, or IO. */
int xylem_cli__flush(struct xylem_cli *cli);

/* --- For people (print.c, table.c, summary.c) ------------------------------------------------------------------- */

/* How bytes from outside are shown. */
enum xylem_cli__shape {
    XYLEM_CLI__EXACT,   /* white space that is no space is escaped */
    XYLEM_CLI__ONE_LINE /* each run of white space becomes one space */
};

#define XYLEM_CLI__DIM "2"
#define XYLEM_CLI__BOLD "1"
#define XYLEM_CLI__RED "31"
#define XYLEM_CLI__GREEN "32"
#define XYLEM_CLI__YELLOW "33"
#define XYLEM_CLI__BLUE "34"
#define XYLEM_CLI__MAGENTA "35"
#define XYLEM_CLI__CYAN "36"

/*
 * Appends bytes so that no terminal acts on them, cut to `cells_max` with an ellipsis (SIZE_MAX: all of it). Gives the
 * cells that they fill.
 */
size_t xylem_cli__add_shown(const struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_view bytes,
                            enum xylem_cli__shape shape, size_t cells_max);
/* How many cells the bytes fill, as xylem_cli__add_shown() writes them, at most `cells_max`. */
size_t xylem_cli__cells(const struct xylem_cli *cli, struct xylem_view bytes, size_t cells_max);
/* The same bytes, filled with spaces up to `width` cells, in a colour (NULL: none). */
void xylem_cli__add_column(const struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_view bytes,
                           size_t width, const char *color);
void xylem_cli__color_on(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *color);
void xylem_cli__color_off(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *color);
/*
 * Appends a path, shown, behind `beginning`: where it has more than `bytes_max` bytes, an ellipsis and as many of its
 * last directories as fit, at least one. A path's end says more than its beginning.
 */
void xylem_cli__add_path(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *beginning,
                         struct xylem_view path, size_t bytes_max);
/*
 * Appends finished lines. Newlines, tabs and colours stay; every other byte for a terminal to act on came from outside by
 * mistake, and is escaped as xylem_cli__add_shown() does.
 */
void xylem_cli__add_tame(const struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_view lines);
/*
 * Appends JSON text; what no terminal should act on stands as \uXXXX, which is the same JSON. What no JSON has, control
 * bytes but newlines and what is no UTF-8, stands as \xXX, or \r and the like.
 */
void xylem_cli__add_json_shown(const struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_view json);
/* `2026-11-20T17:18:05.515Z` */
void xylem_cli__add_iso(struct xylem_cli__text *text, int64_t time_ms);
/* `2026-11-20 17:18:05`, local time. */
void xylem_cli__add_time(struct xylem_cli__text *text, int64_t time_ms);
/* `2026-11-20 17:18`, local time. */
void xylem_cli__add_minute(struct xylem_cli__text *text, int64_t time_ms);
/* `3m`, `5h`, `12d`: how long ago. */
void xylem_cli__add_age(const struct xylem_cli *cli, struct xylem_cli__text *text, int64_t time_ms);
/* `1,234,567` */
void xylem_cli__add_count(struct xylem_cli__text *text, uint64_t count);
/* `1 entry`, `1,234 entries` */
void xylem_cli__add_counted(struct xylem_cli__text *text, uint64_t count, const char *one, const char *many);
/* `1.2 MiB` */
void xylem_cli__add_size(struct xylem_cli__text *text, uint64_t bytes);

struct xylem_cli__column {
    const char *title;
    bool right;
    size_t cut_cells; /* to how much it may be cut where the terminal is narrow; 0: it is not cut */
    const char *color;
    bool whole; /* what is wider than the column pushes the rest of its line to the right, and is not cut: ids */
};

/* A table under construction; its cells own their bytes. */
struct xylem_cli__table {
    const struct xylem_cli__column *columns;
    size_t column_count;
    struct xylem_cli__text bytes; /* of all cells, one after the other */
    size_t *ends;                 /* of each cell in them */
    size_t cell_count;
    size_t cell_capacity;
    bool failed;
};

void xylem_cli__table_add(struct xylem_cli__table *table, struct xylem_view cell);
/* Adds the text as a cell, and empties it. */
void xylem_cli__table_add_text(struct xylem_cli__table *table, struct xylem_cli__text *text);
/* What was added as the cell of that number; it lives until the next one is added. */
struct xylem_view xylem_cli__table_cell(const struct xylem_cli__table *table, size_t cell);
int xylem_cli__table_put(struct xylem_cli *cli, const struct xylem_cli__table *table);
void xylem_cli__table_release(struct xylem_cli__table *table);

/* Appends the kind, shown. */
void xylem_cli__add_kind(const struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_kind kind);
/* Appends what an entry says in one line: the first words of a message, the data of a custom entry. Errors: CORRUPT. */
int xylem_cli__add_summary(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_entry *entry,
                           size_t cells_max);

/* --- Time (when.c) ---------------------------------------------------------------------------------------------- */

/* Finds out what time it is: $XYLEM_NOW, else the clock's. Ages are counted from there. */
int xylem_cli__clock_look(struct xylem_cli *cli);
/*
 * A moment as people name it: an age (`2h`: s, m, h, d, w, y before now), or a date, with a time if one is given:
 * `2026-11-20`, `2026-11-20 17:18`, `2026-11-20T17:18:05.515Z`. Local time, unless a Z ends it.
 */
int xylem_cli__when(struct xylem_cli *cli, int64_t *time_ms, const char *text);

/* --- Kinds that are asked for (kinds.c) ------------------------------------------------------------------------- */

/* Start zeroed, and release. */
struct xylem_cli__kinds {
    const struct xylem_cli__list *given; /* none: any kind is wanted */
    struct xylem_kind list[XYLEM_CLI__LIST_MAX];
    struct xylem_buffer storage[XYLEM_CLI__LIST_MAX];
    bool found[XYLEM_CLI__LIST_MAX]; /* did an entry match? */
};

/* `given` must live as long. Fails where one is no kind. */
int xylem_cli__kinds_read(struct xylem_cli *cli, struct xylem_cli__kinds *kinds, const struct xylem_cli__list *given);
bool xylem_cli__kind_equal(struct xylem_kind a, struct xylem_kind b);
/*
 * 1 if the entry is of a given kind, or is a message and a given host's kind has the name of the message's role; else 0.
 * Notes the kind as found.
 */
int xylem_cli__kinds_match(struct xylem_cli *cli, struct xylem_cli__kinds *kinds, const struct xylem_entry *entry);
bool xylem_cli__kind_is_message(struct xylem_kind kind);
/* For a host's kind: the custom kind of the same name, in text form, if a piece of state comes from it; else NULL. */
const char *xylem_cli__kind_meant(struct xylem_kind kind);
/* Says on standard error which of them no entry matched; `where` is "session" or "path". */
void xylem_cli__kinds_note_missing(struct xylem_cli *cli, const struct xylem_cli__kinds *kinds, const char *where);
void xylem_cli__kinds_release(struct xylem_cli__kinds *kinds);

/* --- For programs (json.c) -------------------------------------------------------------------------------------- */

/* Commas are set by what stands before. `begin` and `end` take a brace or a bracket. */
void xylem_cli__json_begin(struct xylem_cli__text *text, char bracket);
void xylem_cli__json_end(struct xylem_cli__text *text, char bracket);
void xylem_cli__json_key(struct xylem_cli__text *text, const char *key);
void xylem_cli__json_string(struct xylem_cli__text *text, struct xylem_view value);
/* A string, or null for a view whose `data` is NULL. */
void xylem_cli__json_maybe(struct xylem_cli__text *text, struct xylem_view value);
void xylem_cli__json_count(struct xylem_cli__text *text, uint64_t value);
void xylem_cli__json_number(struct xylem_cli__text *text, double value);
void xylem_cli__json_bool(struct xylem_cli__text *text, bool value);
void xylem_cli__json_null(struct xylem_cli__text *text);
void xylem_cli__json_time(struct xylem_cli__text *text, int64_t time_ms);
void xylem_cli__json_hex(struct xylem_cli__text *text, uint64_t value);
void xylem_cli__json_kind(struct xylem_cli__text *text, struct xylem_kind kind);
/* `{"schema":1`: how every document begins. */
void xylem_cli__json_document(struct xylem_cli__text *text);
/* `id parent kind time depth`, as members. */
int xylem_cli__json_entry(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_entry *entry);
/* `payload`, and `payload_error` where it cannot be decoded. */
int xylem_cli__json_payload(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_entry *entry);
/*
 * Ends the document with a newline, writes it to standard output, and empties the text. On a terminal, characters of
 * its strings that no terminal should act on are escaped: it is the same JSON.
 */
int xylem_cli__put_json(struct xylem_cli *cli, struct xylem_cli__text *text);
/* The same for a part of a document: no newline. */
int xylem_cli__put_json_piece(struct xylem_cli *cli, struct xylem_cli__text *text);
/* Appends the value as indented JSON for people. */
void xylem_cli__add_pretty(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_value *value,
                           size_t indent);

/* --- For programs, many documents (documents.c) ----------------------------------------------------------------- */

/* Which of the two forms for programs is asked for. A member `form` of a command's options, and these rows for it: */
struct xylem_cli__form {
    bool json;
    bool jsonl;
};

#define XYLEM_CLI__FORM_ROWS(options, what)                                                            \
    {"json", 0, NULL, XYLEM_CLI__FLAG, offsetof(options, form.json), "print one JSON document", NULL}, \
    {                                                                                                  \
        "jsonl", 0, NULL, XYLEM_CLI__FLAG, offsetof(options, form.jsonl), what, NULL                   \
    }

/* Documents on their way out. */
struct xylem_cli__documents {
    const char *list; /* the member that holds them as a list; NULL: one a line */
    bool wanted;      /* is it documents that are asked for, and not what people read? */
    uint64_t count;
};

/* Fails if both forms are asked for. `list` must live as long. */
int xylem_cli__documents_start(struct xylem_cli *cli, struct xylem_cli__documents *documents,
                               struct xylem_cli__form form, const char *list);
/* Writes a document that has no newline yet, and empties the text. */
int xylem_cli__documents_put(struct xylem_cli *cli, struct xylem_cli__documents *documents,
                             struct xylem_cli__text *document);
/* Ends the list, if there is one. */
int xylem_cli__documents_end(struct xylem_cli *cli, struct xylem_cli__documents *documents);

/* --- Store (open.c, resolve.c, session_entry.c, stored.c, short_ids.c, labels.c) -------------------------------- */

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
 * After a change of the session that gave `code`: if it is a conflict, and the session has an owner, the error's text says
 * what can be done about it. Gives `code`.
 */
int xylem_cli__if_leased(struct xylem_cli *cli, int code, struct xylem_view session_id);
/* Ends the transaction and closes the store. */
void xylem_cli__close(struct xylem_cli *cli);
/* Ends the transaction and closes the store, but keeps the path. */
void xylem_cli__close_store(struct xylem_cli *cli);

/* Reads a file of patterns (patterns.c), which may be a pipe. */
int xylem_cli__patterns_read(struct xylem_cli *cli, struct xylem_patterns **patterns, const char *path);

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
/* One of the two above. */
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

extern const char *const xylem_cli__lease_verbs[];
extern const char *const xylem_cli__hooks[];

/* Reads the session's labels, sorted by target for the calls below. Release in any case. */
int xylem_cli__labels_read(struct xylem_cli *cli, struct xylem_labels *labels, uint64_t session);
/* The label of the entry of that id; NULL if it has none. */
const struct xylem_label *xylem_cli__label_of(const struct xylem_labels *labels, struct xylem_view id);
/* Its text; data NULL if it has none. */
struct xylem_view xylem_cli__label_text(const struct xylem_labels *labels, struct xylem_view id);
bool xylem_cli__view_equal(struct xylem_view a, struct xylem_view b);
bool xylem_cli__position_equal(struct xylem_position a, struct xylem_position b);
bool xylem_cli__position_none(struct xylem_position position);

/* --- Work in a child process (child.c) -------------------------------------------------------------------------- */

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
 * Runs it, and waits. Gives what `work` returned, with its error; or 0 with `ending` filled in, where it did not come to
 * its end. Sanitizers need more memory than any limit allows, so there the limit is left out.
 */
int xylem_cli__child_run(struct xylem_cli *cli, struct xylem_cli__ending *ending, const struct xylem_cli__task *task);
/* In the child: sends a message. False if nobody hears it any more. */
bool xylem_cli__child_say(char type, const void *data, size_t bytes);

/* --- Asking (asking.c) ------------------------------------------------------------------------------------------ */

/* Refuses a command that `asks`, and cannot. It would be given --yes to do `to_what`. */
int xylem_cli__check_asking(struct xylem_cli *cli, bool asks, const char *to_what);
/* Puts the question on standard error, and reads the answer from standard input. */
bool xylem_cli__confirmed(const struct xylem_cli__text *question);

/* --- Input (input.c) ---------------------------------------------------------------------------------------------- */

/* Is there unread data on standard input? A terminal has none. */
bool xylem_cli__input_waits(void);
/* Standard input, whole: LIMIT if `what` has more than so many bytes; IO, MEMORY. */
int xylem_cli__read_input(struct xylem_cli *cli, struct xylem_cli__text *data, size_t bytes_max, const char *what);

/* --- The process (signals.c, terminal.c) ------------------------------------------------------------------------ */

/* In a child: what would crash the program ends it without a word, and its parent sees it. */
void xylem_cli__signals_child(void);
/* Installs the handlers, but leaves alone what whoever started the program ignores, as nohup(1) does. */
void xylem_cli__signals_start(void);
/*
 * From now on SIGINT sets the flag that xylem_cli__interrupted() reads. A second SIGINT ends the program, and so do two
 * seconds in which nobody reads the flag: the work then waits for a lock or for a disk.
 */
void xylem_cli__signals_defer(void);
/* A caller that reads true ends the work, and may take its time. */
bool xylem_cli__interrupted(void);
/* A file to be removed if a signal ends the program; NULL: none. The path must live as long. */
void xylem_cli__signals_remove(const char *path);
/* The line that a crash ends with; copied. */
void xylem_cli__signals_hint(const char *line, size_t bytes);

/* --- What comes next (next.c) ----------------------------------------------------------------------------------- */

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
/* On a terminal: breaks lines between words. Commands, which begin with two spaces and their name, stay as they are. */
void xylem_cli__wrap(const struct xylem_cli *cli, struct xylem_cli__text *text);
/* Prints on standard error which command comes next, where the command ended so that one does. */
void xylem_cli__note_next(struct xylem_cli *cli, int code, int exit_code);
/* Prepares what is said of the store should the program crash. */
void xylem_cli__prepare_crash(const struct xylem_cli *cli);

/* Finds out what standard output is. */
void xylem_cli__terminal_look(struct xylem_cli *cli);
/*
 * Are characters beyond ASCII shown as UTF-8? The locale is loaded when the first text asks: JSON never does, and loading
 * it takes a good part of the program's start.
 */
bool xylem_cli__utf8(const struct xylem_cli *cli);
/* From now on standard output goes through a pager, if it is a terminal. */
void xylem_cli__pager_start(struct xylem_cli *cli);
/* Waits for it to end; IO if it could not be run. */
int xylem_cli__pager_end(struct xylem_cli *cli);

/* --- Commands --------------------------------------------------------------------------------------------------- */

extern const struct xylem_cli__command xylem_cli__cmd_init, xylem_cli__cmd_import, xylem_cli__cmd_export,
    xylem_cli__cmd_sessions, xylem_cli__cmd_log, xylem_cli__cmd_diff, xylem_cli__cmd_tree, xylem_cli__cmd_show,
    xylem_cli__cmd_state, xylem_cli__cmd_append, xylem_cli__cmd_navigate, xylem_cli__cmd_branches, xylem_cli__cmd_fork,
    xylem_cli__cmd_clone, xylem_cli__cmd_delete, xylem_cli__cmd_undelete, xylem_cli__cmd_gc, xylem_cli__cmd_verify,
    xylem_cli__cmd_stat, xylem_cli__cmd_quarantine, xylem_cli__cmd_version, xylem_cli__cmd_help, xylem_cli__cmd_watch,
    xylem_cli__cmd_complete, xylem_cli__cmd_blame, xylem_cli__cmd_moves, xylem_cli__cmd_backup, xylem_cli__cmd_compact,
    xylem_cli__cmd_lease, xylem_cli__cmd_redact, xylem_cli__cmd_repair, xylem_cli__cmd_gate, xylem_cli__cmd_judge,
    xylem_cli__cmd_hook;

#endif
