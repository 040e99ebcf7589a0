/*
 * cli/term/ handles the process and its terminal: text under construction, standard output, tables, colour and width,
 * notes and errors, questions, standard input, signals, the time. run.h has the struct that every function receives.
 * cli/term/ knows no session, no entry and no kind. Text from outside is escaped here, and nowhere else.
 * Begin reading at run.h (struct xylem_cli and the row of a command), then xylem_cli__put() and xylem_cli__fail().
 * Other rooms may include: run.h term.h
 */
#ifndef XYLEM_CLI_TERM_TERM_H
#define XYLEM_CLI_TERM_TERM_H

#include "base/utf8.h"
#include "base/value.h"
#include "cli/term/run.h"

/* --- Bytes (view.c) ----------------------------------------------------------------------------------------------- */

/* True if `text` contains `part`; upper and lower case of ASCII letters are equal. */
bool xylem_cli__contains(struct xylem_view text, struct xylem_view part);
/* Counts the lines of a text; the last one may lack its newline. */
uint64_t xylem_cli__line_count(struct xylem_view text);
/* Parses a decimal number that fits uint64_t. */
bool xylem_cli__number(uint64_t *number, const char *text);

static inline size_t xylem_cli__least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* --- Lists (list.c) ----------------------------------------------------------------------------------------------- */

/*
 * Adds a copy of the item to a list that grows. `list` is the address of the pointer to the first item. MEMORY: the
 * list stays unchanged; without `cli`, the error has no text.
 */
int xylem_cli__list_add(struct xylem_cli *cli, void *list, size_t *count, size_t *capacity, const void *item,
                        size_t item_bytes);

/* --- Text (text.c, output.c) -------------------------------------------------------------------------------------- */

/* Bytes under construction. A failed allocation is remembered, and reported by xylem_cli__put(). */
struct xylem_cli__text {
    struct xylem_buffer bytes;
    bool failed;
};

void xylem_cli__add(struct xylem_cli__text *text, const char *string);
void xylem_cli__add_bytes(struct xylem_cli__text *text, const void *data, size_t bytes);
__attribute__((format(printf, 2, 3))) void xylem_cli__addf(struct xylem_cli__text *text, const char *format, ...);
void xylem_cli__add_repeated(struct xylem_cli__text *text, const char *string, size_t count);
/* Ends a line with a newline, without blanks before the newline. */
void xylem_cli__end_line(struct xylem_cli__text *text);
void xylem_cli__text_clear(struct xylem_cli__text *text);
/* Removes everything behind the first bytes; `bytes` is at most the length. */
void xylem_cli__text_cut(struct xylem_cli__text *text, size_t bytes);
void xylem_cli__text_release(struct xylem_cli__text *text);
/* Releases a part of a text. A failure of the part becomes a failure of the text. */
void xylem_cli__part_end(struct xylem_cli__text *text, struct xylem_cli__text *part);
struct xylem_view xylem_cli__text_view(const struct xylem_cli__text *text);
/*
 * Writes lines for people to standard output, and empties the text. All lines for people go through this function,
 * which escapes control bytes that a command forgot to escape, and breaks lines as by xylem_cli__wrap(). JSON and
 * stored bytes go through the functions below.
 */
int xylem_cli__put(struct xylem_cli *cli, struct xylem_cli__text *text);
/* The same for lines that a shell reads, and rows of tables: they stay whole on a terminal, however long. */
int xylem_cli__put_unbroken(struct xylem_cli *cli, struct xylem_cli__text *text);
/*
 * Writes stored bytes unchanged. On a terminal, bytes that a terminal would act on are escaped as by
 * xylem_cli__add_tame() for JSON.
 */
int xylem_cli__put_stored(struct xylem_cli *cli, const void *data, size_t bytes);
/* Writes out the buffer; 0, or IO. */
int xylem_cli__flush(struct xylem_cli *cli);

/* --- For people (print.c, table.c, underline.c, wrap.c) ----------------------------------------------------------- */

/* How to show bytes from outside. */
enum xylem_cli__shape {
    XYLEM_CLI__EXACT,   /* white space other than the space is escaped */
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
 * Appends bytes so that no terminal acts on them, cut to `cells_max` with an ellipsis (SIZE_MAX: not cut). Gives the
 * cells filled. What `cli->left_out` matches is replaced before the cut, which would show a part.
 */
size_t xylem_cli__add_shown(const struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_view bytes,
                            enum xylem_cli__shape shape, size_t cells_max);
/*
 * The bytes as the output may show them: without the matches of `cli->left_out`, which are counted. `left` then owns the
 * bytes, and starts empty.
 */
struct xylem_view xylem_cli__leave_out(const struct xylem_cli *cli, struct xylem_buffer *left, struct xylem_view bytes);
/* True if `cli->left_out` matches a part of the bytes, or the search fails: a part of such bytes must not be shown. */
bool xylem_cli__is_left_out(const struct xylem_cli *cli, struct xylem_view bytes);
/* Appends all bytes in a colour (NULL: none). Gives the cells filled. */
size_t xylem_cli__add_colored(const struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_view bytes,
                              const char *color);
/* Appends `from -> to`, with `none` for an empty text. */
void xylem_cli__add_change(const struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_view from,
                           struct xylem_view to);
/* Appends ` in the namespace N` behind the id of a session; nothing for the empty namespace. */
void xylem_cli__add_name_space(const struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_view name_space);
/* Counts the cells that xylem_cli__add_shown() would fill, at most `cells_max`. */
size_t xylem_cli__cells(const struct xylem_cli *cli, struct xylem_view bytes, size_t cells_max);
/* Appends the same bytes, filled with spaces up to `width` cells, in a colour (NULL: none). */
void xylem_cli__add_column(const struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_view bytes,
                           size_t width, const char *color);
void xylem_cli__color_on(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *color);
void xylem_cli__color_off(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *color);
/*
 * Appends a path, shown, behind `beginning`. A path of more than `bytes_max` bytes becomes an ellipsis and as many last
 * directories as fit, at least one, because the end of a path says more than the beginning.
 */
void xylem_cli__add_path(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *beginning,
                         struct xylem_view path, size_t bytes_max);
/*
 * Appends text so that no terminal acts on bytes from outside.
 * - Finished lines: newlines, tabs and colours stay; every other byte that a terminal would act on is there by mistake,
 *   and is escaped as by xylem_cli__add_shown().
 * - With `json`, JSON: characters that no terminal should act on become \uXXXX, which is the same JSON. Bytes that no
 *   JSON contains, such as control bytes other than newlines and invalid UTF-8, become \xXX, \r and the like.
 */
void xylem_cli__add_tame(const struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_view bytes, bool json);
/* `2026-11-20T17:18:05.515Z` */
void xylem_cli__add_iso(struct xylem_cli__text *text, int64_t time_ms);
/* `2026-11-20 17:18:05`, local time. */
void xylem_cli__add_time(struct xylem_cli__text *text, int64_t time_ms);
/* `2026-11-20 17:18`, local time. */
void xylem_cli__add_minute(struct xylem_cli__text *text, int64_t time_ms);
/* `3m`, `5h`, `12d`: an age. */
void xylem_cli__add_age(const struct xylem_cli *cli, struct xylem_cli__text *text, int64_t time_ms);
/* An age on a terminal; elsewhere a time, which stays true in a file. */
void xylem_cli__add_when(const struct xylem_cli *cli, struct xylem_cli__text *text, int64_t time_ms);
/* `1,234,567` */
void xylem_cli__add_count(struct xylem_cli__text *text, uint64_t count);
/* `1 entry`, `1,234 entries` */
void xylem_cli__add_counted(struct xylem_cli__text *text, uint64_t count, const char *one, const char *many);
/* `, 1 entry`: behind another count. */
void xylem_cli__add_next_counted(struct xylem_cli__text *text, uint64_t count, const char *one, const char *many);
/* `1.2 MiB` */
void xylem_cli__add_size(struct xylem_cli__text *text, uint64_t bytes);

struct xylem_cli__column {
    const char *title;
    bool right;
    size_t cut_cells; /* least cells when cut for a narrow terminal; 0: never cut */
    const char *color;
    bool whole; /* a wider cell pushes the rest of its line to the right and is not cut: ids */
};

/* A table under construction; its cells own their bytes. */
struct xylem_cli__table {
    const struct xylem_cli__column *columns;
    size_t column_count;
    struct xylem_cli__text cell;  /* under construction, see xylem_cli__table_end_cell() */
    struct xylem_cli__text bytes; /* of all cells, one after the other */
    size_t *ends;                 /* of the cells in the bytes */
    size_t cell_count;
    size_t cell_capacity;
    bool failed;
};

void xylem_cli__table_add(struct xylem_cli__table *table, struct xylem_view cell);
/* Adds the text of `table->cell` as a cell, and empties the text. */
void xylem_cli__table_end_cell(struct xylem_cli__table *table);
/* `1,234` */
void xylem_cli__table_add_count(struct xylem_cli__table *table, uint64_t count);
/* The content of the cell with that number; valid until the next cell is added. */
struct xylem_view xylem_cli__table_cell(const struct xylem_cli__table *table, size_t cell);
/* Measures the widest cell of each column, or its title if that is wider; 0: the column is empty. */
void xylem_cli__table_measure(const struct xylem_cli *cli, const struct xylem_cli__table *table, size_t *widths);
/* Prints the table; nothing without cells. */
int xylem_cli__table_put(struct xylem_cli *cli, struct xylem_cli__table *table);
/*
 * Prints a part of the table. A column of 0 `cells` is left out; the texts of other columns are cut to one line of so
 * many cells, or stay as they are (SIZE_MAX).
 */
int xylem_cli__table_put_part(struct xylem_cli *cli, const struct xylem_cli__table *table, const size_t *cells);
void xylem_cli__table_release(struct xylem_cli__table *table);

/*
 * Appends the lines of a command, wrapped to the width of the terminal, and a line of `^` below the `bytes` at
 * `offset`. A long command is cut to the lines around `offset`.
 */
void xylem_cli__add_underlined(const struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_view command,
                               size_t offset, size_t bytes, const char *color);

/*
 * On a terminal: breaks lines between words. Words in backquotes, and lines that begin with two spaces and a program's
 * name, stay unbroken: they are commands.
 */
void xylem_cli__wrap(const struct xylem_cli *cli, struct xylem_cli__text *text);

/* --- Errors (report.c) -------------------------------------------------------------------------------------------- */

/* Fills `cli->err` and returns the code. */
__attribute__((format(printf, 3, 4))) int xylem_cli__fail(struct xylem_cli *cli, int code, const char *format, ...);
int xylem_cli__fail_memory(struct xylem_cli *cli);
/* Puts `where: ` before the error's text, and returns the code. */
int xylem_cli__fail_in(struct xylem_cli *cli, int code, const char *where);
/* Fails with a text, which is released. MEMORY if the text failed. */
int xylem_cli__fail_text(struct xylem_cli *cli, int code, struct xylem_cli__text *text);
/* A wrong command line: the text, and a pointer to the help. */
__attribute__((format(printf, 2, 3))) int xylem_cli__usage(struct xylem_cli *cli, const char *format, ...);
/* The same for a missing argument of the command. */
int xylem_cli__usage_missing(struct xylem_cli *cli);
int xylem_cli__exit_code(int code);
/* Prints `xylem: <command>: <text>` on standard error, after all pending standard output. */
__attribute__((format(printf, 2, 3))) void xylem_cli__note(struct xylem_cli *cli, const char *format, ...);

/* Prints `xylem: warning: <text>` on standard error. */
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
 * Counts the bytes to insert, remove, replace or swap with a neighbour to turn one word into the other; SIZE_MAX for
 * words that are too long.
 */
size_t xylem_cli__word_distance(struct xylem_view a, struct xylem_view b);
/* The greatest distance at which words of that length are close. */
size_t xylem_cli__word_distance_max(size_t bytes);
/* True if a suggestion of that distance would be kept. */
bool xylem_cli__suggestion_fits(const struct xylem_cli__suggestions *suggestions, size_t distance);
void xylem_cli__suggest(struct xylem_cli__suggestions *suggestions, size_t distance, const char *shown);
/*
 * Suggests a word, with `before` in front, if the word begins like the wanted word, or is spelt like the wanted word.
 */
void xylem_cli__suggest_word(struct xylem_cli__suggestions *suggestions, const char *before, const char *word);
/* Appends `; did you mean 'a', 'b' or 'c'?`, or nothing. */
void xylem_cli__add_suggestions(struct xylem_cli__text *text, const struct xylem_cli__suggestions *suggestions,
                                const char *quote);
/* Like xylem_cli__usage(), and releases the text. */
int xylem_cli__usage_text(struct xylem_cli *cli, struct xylem_cli__text *text);
/*
 * Error: `cli->command` has no word of that name, such as a piece of state. The text lists all words, and suggests
 * similar words.
 */
int xylem_cli__no_piece(struct xylem_cli *cli, const char *name);

/* --- Time (when.c) ------------------------------------------------------------------------------------------------ */

/* Reads the time: $XYLEM_NOW, else the clock. Ages are counted from this time. */
int xylem_cli__clock_look(struct xylem_cli *cli);
/*
 * Parses a moment: an age (`2h`: s, m, h, d, w, y before now), or a day with an optional clock time. A day is `today`,
 * `yesterday`, `monday` (the last Monday, maybe today) or a date: `yesterday 14:00`, `2026-11-20`, `2026-11-20 17:18`,
 * `2026-11-20T17:18:05.515Z`. Local time, unless a date ends in Z. A day alone is its first moment. Without a text,
 * `time_ms` stays unchanged.
 */
int xylem_cli__when(struct xylem_cli *cli, int64_t *time_ms, const char *text);
/* The same for --since and --until, which must not be earlier. As the end of a span a day alone is its last moment. */
int xylem_cli__when_between(struct xylem_cli *cli, int64_t *since_ms, int64_t *until_ms, const char *since,
                            const char *until);

/* --- Asking (asking.c) -------------------------------------------------------------------------------------------- */

/*
 * Prints the question on standard error, releases the question, and reads the answer from standard input. Gives 0 for
 * yes, else PROBLEM after the note `refused`, or MEMORY; ARGUMENT without a terminal to ask on.
 */
int xylem_cli__confirm(struct xylem_cli *cli, struct xylem_cli__text *question, const char *refused);

/* --- Input (input.c) ---------------------------------------------------------------------------------------------- */

/* True if standard input has unread data. A terminal has none. */
bool xylem_cli__input_waits(void);
/*
 * Appends all data of a descriptor. Data beyond `bytes_max` is read and dropped (`drop`), or fails with LIMIT. `name`
 * is for errors. Errors: IO, LIMIT, MEMORY.
 */
int xylem_cli__read_all(struct xylem_cli *cli, struct xylem_cli__text *text, int fd, size_t bytes_max, bool drop,
                        const char *name);

/* --- The process (signals.c, terminal.c, locale.c) ---------------------------------------------------------------- */

/* Installs the handlers. A signal that the program's starter ignores stays ignored, as by nohup(1). */
void xylem_cli__signals_start(void);
/* Undoes what another program would inherit from the handlers. For the moment before exec(3). */
void xylem_cli__signals_end(void);
/*
 * From now on SIGINT sets the flag that xylem_cli__interrupted() reads. A second SIGINT ends the program, and so do two
 * seconds without a read of the flag: the work then waits for a lock or for a disk.
 */
void xylem_cli__signals_defer(void);
/* True after an interrupt. A caller that reads true ends the work, and may take any time. */
bool xylem_cli__interrupted(void);
/* Names a file to remove if a signal ends the program; NULL: none. The path must live as long. */
void xylem_cli__signals_remove(const char *path);
/* Sets the line that a crash prints; the line is copied. */
void xylem_cli__signals_hint(const char *line, size_t bytes);

/* Looks at standard output: terminal, width, colour. */
void xylem_cli__terminal_look(struct xylem_cli *cli);
/*
 * True if characters beyond ASCII are shown as UTF-8. The locale is loaded on the first call, because JSON needs no
 * locale, and loading takes a good part of the program's start.
 */
bool xylem_cli__utf8(const struct xylem_cli *cli);
/* On standard error: empties the cursor's line. */
void xylem_cli__clear_line(void);
/* From now on a terminal's standard output goes through a pager. */
void xylem_cli__pager_start(struct xylem_cli *cli);
/* Waits for the pager to end; IO if the pager could not run. */
int xylem_cli__pager_end(struct xylem_cli *cli);

#endif
