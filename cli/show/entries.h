/* Prints entries for people: one line, or a paragraph. */
#ifndef XYLEM_CLI_SHOW_ENTRIES_H
#define XYLEM_CLI_SHOW_ENTRIES_H

#include "cli/show/show.h"

struct xylem_labels;

/* --- The lines of a tree of sessions (lanes.c) -------------------------------------------------------------------- */

#define XYLEM_CLI__LANES_MAX 10u

/* Start zeroed, with `level_max`. */
struct xylem_cli__lanes {
    size_t level_max; /* deeper sessions do not move further to the right; at most XYLEM_CLI__LANES_MAX */
    bool open[XYLEM_CLI__LANES_MAX]; /* a line goes on at this level, to a session further down */
};

/* Appends the lines that lead to a session; the sessions come from top to bottom. `goes_on`: a sibling follows. */
void xylem_cli__add_lanes(const struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_cli__lanes *lanes,
                          size_t level, bool goes_on);

/* --- The text of an entry (message.c) ----------------------------------------------------------------------------- */

/* An entry's payload, read in pi's shapes. Views live as long as `document`. */
struct xylem_cli__said {
    struct xylem_document *document;
    const struct xylem_value *value;   /* the payload; NULL: no payload, or not readable */
    const struct xylem_value *message; /* the object with the role; NULL: not a message */
    struct xylem_view role;            /* of a message */
    struct xylem_view subject;         /* a result's tool, a message's custom type; data NULL: none */
    bool failed;                       /* an error result, or an answer that ended in an error */
    struct xylem_kind kind;
    struct xylem_cli__text json; /* the payload with the beginnings of its strings */
    struct xylem_cli__text made; /* words made of several members; or why the payload cannot be read */
    bool unreadable;
};

/* Errors: CORRUPT, MEMORY. A payload that is redacted or malformed is no error. Release in any case. */
int xylem_cli__said_read(struct xylem_cli *cli, struct xylem_cli__said *said, const struct xylem_entry *entry);
/* The same for a line: a long string of a JSON payload ends with an ellipsis, behind more than a line shows. */
int xylem_cli__said_read_beginning(struct xylem_cli *cli, struct xylem_cli__said *said,
                                   const struct xylem_entry *entry);
void xylem_cli__said_release(struct xylem_cli__said *said);
/* The string member with that key; data NULL if the member is missing or no string. */
struct xylem_view xylem_cli__string_of(const struct xylem_value *map, const char *key);

enum xylem_cli__passage_type {
    XYLEM_CLI__WORDS,
    XYLEM_CLI__THINKING, /* of a model, in words */
    XYLEM_CLI__CALL,     /* of a tool: `name`, and its arguments as `value` */
    XYLEM_CLI__SHELL,    /* a command that a person ran, in words */
    XYLEM_CLI__SECTION,  /* words under a name */
    XYLEM_CLI__IMAGE,    /* `words` is the media type, `bytes` the size; `value` has the member `data` */
    XYLEM_CLI__FAILURE,  /* why it failed, in words */
    XYLEM_CLI__NOTE,     /* a remark about the entry, not from the entry */
    XYLEM_CLI__DATA      /* any other value */
};

struct xylem_cli__passage {
    enum xylem_cli__passage_type type;
    struct xylem_view name;
    struct xylem_view words;
    const struct xylem_value *value;
    uint64_t bytes;
};

/* Calls `visit` for each passage, until `visit` returns false. */
void xylem_cli__said_each(const struct xylem_cli__said *said,
                          bool (*visit)(void *context, const struct xylem_cli__passage *passage), void *context);
/* True if a passage, or the text before all passages, shows the member. */
bool xylem_cli__said_shows(const struct xylem_cli__said *said, struct xylem_view key, const struct xylem_value *member);
/* The argument that distinguishes a tool call: a path, a command; NULL if there is none. */
const struct xylem_value *xylem_cli__call_argument(const struct xylem_value *arguments);
/* `user`, `toolResult`, else the kind. */
void xylem_cli__add_who(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_cli__said *said);
/* `user`, `message ROLE` for a role that is not pi's, `entry compaction`, `custom:NAME`: no entry looks like another. */
void xylem_cli__add_who_exactly(const struct xylem_cli *cli, struct xylem_cli__text *text,
                                const struct xylem_cli__said *said);
/* True if the words are what a tool or a command printed, and no Markdown. */
bool xylem_cli__said_is_output(const struct xylem_cli__said *said);
const char *xylem_cli__who_color(const struct xylem_cli__said *said);

/* --- The first and the last message (spoken.c) --------------------------------------------------------------------- */

/* A message on the path of a session's leaf, of which the beginning is read. Release in any case. */
struct xylem_cli__spoken {
    bool found;
    struct xylem_entry entry;
    struct xylem_cli__said said;
};

/* 1 and the newest message on the path of `from`, or 0. Errors: CORRUPT, IO. */
int xylem_cli__newest_message(struct xylem_cli *cli, struct xylem_entry *entry, struct xylem_position from);
/* Finds the first message of a person, among the first entries of the path. Errors: CORRUPT, IO, MEMORY. */
int xylem_cli__spoken_first(struct xylem_cli *cli, struct xylem_cli__spoken *spoken,
                            const struct xylem_session *session);
/* Finds the newest message of any role. Errors: the same. */
int xylem_cli__spoken_last(struct xylem_cli *cli, struct xylem_cli__spoken *spoken,
                           const struct xylem_session *session);
void xylem_cli__spoken_release(struct xylem_cli__spoken *spoken);
/*
 * Appends the first words of a person as they were said, of at most 120 bytes and an ellipsis. Unlike with
 * xylem_outline_words(), the cut comes behind what `cli->left_out` takes out: a part of a match would not match.
 * Nothing is appended if no person has said a word. Errors: as of xylem_cli__spoken_first().
 */
int xylem_cli__add_first_words(struct xylem_cli *cli, struct xylem_cli__text *text,
                               const struct xylem_session *session);
/* The same for the newest message of any role: of a message without words, the name of the called tool. */
int xylem_cli__add_last_words(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_session *session);
/* Adds a member with the entry, the time, the role and the first words of the message, or null. */
void xylem_cli__member_spoken(struct xylem_cli__text *text, const char *key, const struct xylem_cli__spoken *spoken);

/* --- Tool calls (calls.c) ----------------------------------------------------------------------------------------- */

/*
 * The next tool call of an answer; the first if `call` is NULL. NULL: there is no further one. An answer that was
 * aborted or that failed has none: no host ran its calls.
 */
const struct xylem_value *xylem_cli__call_next(const struct xylem_cli__said *said, const struct xylem_value *call);

/* What a tool does with a file, by its name, or the last part of `mcp__SERVER__NAME`: "read", "edit", "write", or NULL. */
const char *xylem_cli__tool_use(struct xylem_view tool);
/* The path among the arguments of such a tool; empty: none. */
struct xylem_view xylem_cli__tool_path(const struct xylem_value *arguments);

/* The calls of the last answer on the path of an entry, if only results stand behind the answer. */
struct xylem_cli__unanswered {
    uint64_t count;
    struct xylem_position before; /* the entry before the answer; none: the answer is a root */
};

/*
 * A mark, so damage is no error here: without a message that can be read there are no such calls. Errors: IO, MEMORY.
 */
int xylem_cli__unanswered(struct xylem_cli *cli, struct xylem_cli__unanswered *unanswered, struct xylem_position at);
/* Appends, if there are such calls, a sentence about a fork at the entry. Errors: the same. */
int xylem_cli__add_unanswered(struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_position at);

/* --- One line (summary.c, line.c) --------------------------------------------------------------------------------- */

/* Appends a summary in one line of at most `cells_max`, without the role, which stands in another column. */
void xylem_cli__add_said_line(const struct xylem_cli *cli, struct xylem_cli__text *text,
                              const struct xylem_cli__said *said, size_t cells_max);

/* The widths of the columns of entries' lines. Start zeroed, and measure every entry. */
struct xylem_cli__lines {
    size_t id_cells;
    size_t who_cells;
    size_t depth_cells;
    size_t age_cells;
    const struct xylem_cli__short_ids *short_ids; /* NULL: ids are shown whole */
    const struct xylem_labels *labels;            /* NULL: no labels are shown */
    struct xylem_position leaf;                   /* the entry to mark; none: no mark */
    const char *remark;                           /* stands before the summary; NULL: no remark */
};

void xylem_cli__lines_measure(const struct xylem_cli *cli, struct xylem_cli__lines *lines,
                              const struct xylem_entry *entry);
/* True if whole ids of that many cells fit. */
bool xylem_cli__ids_fit(const struct xylem_cli *cli, size_t id_cells);
/* From now on ids are cut to unique beginnings: the column is as wide as the widest beginning. */
void xylem_cli__lines_shorten(const struct xylem_cli *cli, struct xylem_cli__lines *lines,
                              const struct xylem_cli__short_ids *short_ids);
/* Appends `<leaf> [label] `, as far as they belong to the entry. Gives the cells. */
size_t xylem_cli__add_marks(const struct xylem_cli *cli, struct xylem_cli__text *text,
                            const struct xylem_cli__lines *lines, const struct xylem_entry *entry);
/* Appends `depth  id  time  who  summary`, in at most `cli->width` less `before` cells. */
int xylem_cli__add_entry_line(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_cli__lines *lines,
                              const struct xylem_entry *entry, size_t before);

/* --- A paragraph (paragraph.c) ------------------------------------------------------------------------------------ */

/* Appends the whole text, indented; unless `all`, the first lines, and the number of further lines. */
void xylem_cli__add_said(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_cli__said *said,
                         bool all);
/* Appends JSON: in one line if the value is short, or nests so deep that nobody could read the lines. */
void xylem_cli__add_value(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_value *value);
/* `message toolResult, write, error` */
void xylem_cli__add_kind_and_role(const struct xylem_cli *cli, struct xylem_cli__text *text,
                                  const struct xylem_cli__said *said);
/* `(2h ago)` */
void xylem_cli__add_ago(const struct xylem_cli *cli, struct xylem_cli__text *text, int64_t time_ms);

#endif
