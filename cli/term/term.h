/*
 * cli/term/ is the process and its terminal: text under construction, standard output, tables, colour and width, notes
 * and errors, questions, standard input, signals, the time. run.h has the types of a run that every function is given.
 * It knows no session, no entry and no kind. Text from outside is escaped here, and nowhere else.
 * Begin reading at run.h (struct xylem_cli and the row of a command), then xylem_cli__put() and xylem_cli__fail().
 * Other rooms may include: run.h term.h
 */
#ifndef XYLEM_CLI_TERM_TERM_H
#define XYLEM_CLI_TERM_TERM_H

#include "cli/term/run.h"

/* --- Bytes (view.c) ----------------------------------------------------------------------------------------------- */

bool xylem_cli__view_equal(struct xylem_view a, struct xylem_view b);
bool xylem_cli__begins(struct xylem_view text, struct xylem_view beginning);
/* ASCII letters alone have cases. */
char xylem_cli__lower(char byte);
/* True if the part is in the text, whatever the case of ASCII letters. */
bool xylem_cli__contains(struct xylem_view text, struct xylem_view part);
/* Parses a decimal number that fits uint64_t. */
bool xylem_cli__number(uint64_t *number, const char *text);

/* --- Text (text.c, output.c) -------------------------------------------------------------------------------------- */

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
 * Writes bytes that are asked for as they are stored. A terminal would act on some of them: it is shown others for
 * those, as xylem_cli__add_json_shown() makes them.
 */
int xylem_cli__put_stored(struct xylem_cli *cli, const void *data, size_t bytes);
/* Writes out what is buffered; 0, or IO. */
int xylem_cli__flush(struct xylem_cli *cli);

/* --- For people (print.c, table.c, underline.c, wrap.c) ----------------------------------------------------------- */

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
 * Appends finished lines. Newlines, tabs and colours stay; every other byte for a terminal to act on came from outside
 * by mistake, and is escaped as xylem_cli__add_shown() does.
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
/* The content of the cell of that number; it lives until the next cell is added. */
struct xylem_view xylem_cli__table_cell(const struct xylem_cli__table *table, size_t cell);
int xylem_cli__table_put(struct xylem_cli *cli, const struct xylem_cli__table *table);
void xylem_cli__table_release(struct xylem_cli__table *table);

/*
 * Appends the lines of a command, wrapped to the width of the terminal, and below them a line of `^` under what stands
 * at `offset`. Of a long one, only what lies around that.
 */
void xylem_cli__add_underlined(const struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_view command,
                               size_t offset, size_t bytes, const char *color);

/* On a terminal: breaks lines between words. Commands, which begin with two spaces and their name, stay as they are. */
void xylem_cli__wrap(const struct xylem_cli *cli, struct xylem_cli__text *text);

/* --- Errors (report.c) -------------------------------------------------------------------------------------------- */

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

/* --- Did you mean (suggest.c) ------------------------------------------------------------------------------------- */

#define XYLEM_CLI__SUGGESTIONS_MAX 3u
#define XYLEM_CLI__SUGGESTION_BYTES_MAX 96u

/* The closest words so far, the closest first. */
struct xylem_cli__suggestions {
    struct xylem_view wanted;
    size_t count;
    struct {
        size_t distance;
        char shown[XYLEM_CLI__SUGGESTION_BYTES_MAX];
    } best[XYLEM_CLI__SUGGESTIONS_MAX];
};

/*
 * How many bytes must be put in, taken out, replaced or swapped with their neighbour to make one word of the other;
 * SIZE_MAX for words that are too long.
 */
size_t xylem_cli__word_distance(struct xylem_view a, struct xylem_view b);
/* Up to which distance a word of that length is close. */
size_t xylem_cli__word_distance_max(size_t bytes);
/* True if a suggestion of that distance would be kept. */
bool xylem_cli__suggestion_fits(const struct xylem_cli__suggestions *suggestions, size_t distance);
void xylem_cli__suggest(struct xylem_cli__suggestions *suggestions, size_t distance, const char *shown);
/* Suggests a word, with `before` in front, if the word begins as the wanted word does, or is spelt like it. */
void xylem_cli__suggest_word(struct xylem_cli__suggestions *suggestions, const char *before, const char *word);
/* Appends `; did you mean 'a', 'b' or 'c'?`, or nothing. */
void xylem_cli__add_suggestions(struct xylem_cli__text *text, const struct xylem_cli__suggestions *suggestions,
                                const char *quote);
/* As xylem_cli__usage(), and releases the text. */
int xylem_cli__usage_text(struct xylem_cli *cli, struct xylem_cli__text *text);
/*
 * No word of `cli->command` has that name, such as a piece of state: an error that names all, and those spelt like it.
 */
int xylem_cli__no_piece(struct xylem_cli *cli, const char *name);

/* --- Time (when.c) ------------------------------------------------------------------------------------------------ */

/* Finds out what time it is: $XYLEM_NOW, else the clock's. Ages are counted from there. */
int xylem_cli__clock_look(struct xylem_cli *cli);
/*
 * A moment as people name it: an age (`2h`: s, m, h, d, w, y before now), or a date, with a time if one is given:
 * `2026-11-20`, `2026-11-20 17:18`, `2026-11-20T17:18:05.515Z`. Local time, unless a Z ends it.
 */
int xylem_cli__when(struct xylem_cli *cli, int64_t *time_ms, const char *text);

/* --- Asking (asking.c) -------------------------------------------------------------------------------------------- */

/* Refuses a command that `asks`, and cannot. It would be given --yes to do `to_what`. */
int xylem_cli__check_asking(struct xylem_cli *cli, bool asks, const char *to_what);
/* Puts the question on standard error, and reads the answer from standard input. */
bool xylem_cli__confirmed(const struct xylem_cli__text *question);

/* --- Input (input.c) ---------------------------------------------------------------------------------------------- */

/* Is there unread data on standard input? A terminal has none. */
bool xylem_cli__input_waits(void);
/* Standard input, whole: LIMIT if `what` has more than so many bytes; IO, MEMORY. */
int xylem_cli__read_input(struct xylem_cli *cli, struct xylem_cli__text *data, size_t bytes_max, const char *what);

/* --- The process (signals.c, terminal.c, locale.c) ---------------------------------------------------------------- */

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

/* Finds out what standard output is. */
void xylem_cli__terminal_look(struct xylem_cli *cli);
/*
 * Are characters beyond ASCII shown as UTF-8? The locale is loaded when the first text asks: JSON never does, and
 * loading it takes a good part of the program's start.
 */
bool xylem_cli__utf8(const struct xylem_cli *cli);
/* On standard error: empties the line that the cursor is in. */
void xylem_cli__clear_line(void);
/* From now on standard output goes through a pager, if it is a terminal. */
void xylem_cli__pager_start(struct xylem_cli *cli);
/* Waits for it to end; IO if it could not be run. */
int xylem_cli__pager_end(struct xylem_cli *cli);

#endif
