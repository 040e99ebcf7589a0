/* Entries for people: what they say, as one line or as a paragraph. */
#ifndef XYLEM_CLI_SHOW_ENTRIES_H
#define XYLEM_CLI_SHOW_ENTRIES_H

#include "cli/show/show.h"

/* --- What an entry says (message.c) ------------------------------------------------------------------------------ */

/* An entry's payload, looked at as pi writes it. Views live as long as `document`. */
struct xylem_cli__said {
    struct xylem_document *document;
    const struct xylem_value *value;   /* the payload; NULL: none, or it cannot be read */
    const struct xylem_value *message; /* what has the role; NULL: it is no message */
    struct xylem_view role;            /* of a message */
    struct xylem_view subject;         /* a result's tool, a message's custom type; data NULL: none */
    bool failed;                       /* a result that is an error, or an answer that ended in one */
    struct xylem_kind kind;
    struct xylem_cli__text made; /* words put together from members; or why the payload cannot be read */
    bool unreadable;
};

/* Errors: CORRUPT, MEMORY. A payload that is redacted or not what its format says is no error. Release in any case. */
int xylem_cli__said_read(struct xylem_cli *cli, struct xylem_cli__said *said, const struct xylem_entry *entry);
void xylem_cli__said_release(struct xylem_cli__said *said);

enum xylem_cli__passage_type {
    XYLEM_CLI__WORDS,
    XYLEM_CLI__THINKING, /* of a model, in words */
    XYLEM_CLI__CALL,     /* of a tool: `name`, and its arguments as `value` */
    XYLEM_CLI__SHELL,    /* a command that a person ran, in words */
    XYLEM_CLI__SECTION,  /* words under a name */
    XYLEM_CLI__IMAGE,    /* `words` is its media type, `bytes` its size */
    XYLEM_CLI__FAILURE,  /* why it failed, in words */
    XYLEM_CLI__NOTE,     /* what is said about the entry and not by it */
    XYLEM_CLI__DATA      /* anything else: `value` */
};

struct xylem_cli__passage {
    enum xylem_cli__passage_type type;
    struct xylem_view name;
    struct xylem_view words;
    const struct xylem_value *value;
    uint64_t bytes;
};

/* Gives `visit` one passage after the other, until it answers false. */
void xylem_cli__said_each(const struct xylem_cli__said *said,
                          bool (*visit)(void *context, const struct xylem_cli__passage *passage), void *context);
/* Is the member shown by a passage, or by what stands before them all? */
bool xylem_cli__said_shows(const struct xylem_cli__said *said, struct xylem_view key, const struct xylem_value *member);
/* A tool call's argument that tells it from another: a path, a command; NULL: none does. */
const struct xylem_value *xylem_cli__call_argument(const struct xylem_value *arguments);
/* `user`, `toolResult`, else the kind. */
void xylem_cli__add_who(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_cli__said *said);
const char *xylem_cli__who_color(const struct xylem_cli__said *said);

/* --- One line (summary.c, line.c) --------------------------------------------------------------------------------- */

/* Appends what is said in one line of at most `cells_max`; without the role, which then stands elsewhere. */
void xylem_cli__add_said_line(const struct xylem_cli *cli, struct xylem_cli__text *text,
                              const struct xylem_cli__said *said, size_t cells_max);

/* How wide the columns of entries' lines are. Start zeroed, and measure every entry. */
struct xylem_cli__lines {
    size_t id_cells;
    size_t who_cells;
    size_t depth_cells;
    size_t age_cells;
    const struct xylem_cli__short_ids *short_ids; /* NULL: ids are shown whole */
    const struct xylem_labels *labels;            /* NULL: none are shown */
    struct xylem_position leaf;                   /* is marked; none: no entry is */
    const char *remark;                           /* stands before what the entry says; NULL: nothing does */
};

void xylem_cli__lines_measure(const struct xylem_cli *cli, struct xylem_cli__lines *lines,
                              const struct xylem_entry *entry);
/* Is there room for whole ids of so many cells? */
bool xylem_cli__ids_fit(const struct xylem_cli *cli, size_t id_cells);
/* From now on ids are cut to what names them: the column is as wide as the widest of them all. */
void xylem_cli__lines_shorten(const struct xylem_cli *cli, struct xylem_cli__lines *lines,
                              const struct xylem_cli__short_ids *short_ids);
/* `<leaf> [label] `, as far as they belong to the entry; gives the cells. */
size_t xylem_cli__add_marks(const struct xylem_cli *cli, struct xylem_cli__text *text,
                            const struct xylem_cli__lines *lines, const struct xylem_entry *entry);
/* `depth  id  time  who  what it says`, in at most `cli->width` less `before` cells. */
int xylem_cli__add_entry_line(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_cli__lines *lines,
                              const struct xylem_entry *entry, size_t before);

/* --- A paragraph (paragraph.c) ------------------------------------------------------------------------------------ */

/* Everything that is said, indented; unless `all`, its first lines, and how much more there is. */
void xylem_cli__add_said(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_cli__said *said,
                         bool all);
/* `message toolResult, write, error` */
void xylem_cli__add_kind_and_role(const struct xylem_cli *cli, struct xylem_cli__text *text,
                                  const struct xylem_cli__said *said);
/* `(2h ago)` */
void xylem_cli__add_ago(const struct xylem_cli *cli, struct xylem_cli__text *text, int64_t time_ms);

#endif
