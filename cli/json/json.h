/*
 * cli/json/ writes documents for programs: values, members, and the two forms --json and --jsonl.
 * cli/json/ does not know the members of a document: cli/show/ has the members of an entry, the file of a command has
 * the command's.
 * Begin reading at xylem_cli__json_document(), then struct xylem_cli__documents.
 * Other rooms may include: json.h
 */
#ifndef XYLEM_CLI_JSON_JSON_H
#define XYLEM_CLI_JSON_JSON_H

#include "cli/term/term.h"
#include "xylem/entry.h"

/* --- Values (json.c) ---------------------------------------------------------------------------------------------- */

/* Commas are added as needed. `begin` and `end` take a brace or a bracket. */
/* Adds a comma, unless a member or an element comes first or a comma is there. The functions below do so too. */
void xylem_cli__json_separate(struct xylem_cli__text *text);
void xylem_cli__json_begin(struct xylem_cli__text *text, char bracket);
void xylem_cli__json_end(struct xylem_cli__text *text, char bracket);
void xylem_cli__json_key(struct xylem_cli__text *text, const char *key);
void xylem_cli__json_string(struct xylem_cli__text *text, struct xylem_view value);
/* Writes a string, or null if `value.data` is NULL. */
void xylem_cli__json_maybe(struct xylem_cli__text *text, struct xylem_view value);

/* --- Members (json.c) --------------------------------------------------------------------------------------------- */

/* A key and a value. */
void xylem_cli__member_string(struct xylem_cli__text *text, const char *key, struct xylem_view value);
void xylem_cli__member_maybe(struct xylem_cli__text *text, const char *key, struct xylem_view value);
/* The id of a session as `session`, null for data NULL; and its namespace as `namespace`, unless empty. */
void xylem_cli__member_session(struct xylem_cli__text *text, struct xylem_view id, struct xylem_view name_space);
void xylem_cli__member_count(struct xylem_cli__text *text, const char *key, uint64_t value);
/* A number that is not a count: as JavaScript writes the number. */
void xylem_cli__member_number(struct xylem_cli__text *text, const char *key, double value);
void xylem_cli__member_bool(struct xylem_cli__text *text, const char *key, bool value);
void xylem_cli__member_time(struct xylem_cli__text *text, const char *key, int64_t time_ms);
/* The time, or null. */
void xylem_cli__member_maybe_time(struct xylem_cli__text *text, const char *key, bool given, int64_t time_ms);
/* A list of strings; null if `list` is NULL. */
void xylem_cli__member_strings(struct xylem_cli__text *text, const char *key, const struct xylem_view *list,
                               size_t count);
void xylem_cli__member_hex(struct xylem_cli__text *text, const char *key, uint64_t value);
void xylem_cli__member_kind(struct xylem_cli__text *text, const char *key, struct xylem_kind kind);
void xylem_cli__member_begin(struct xylem_cli__text *text, const char *key, char bracket);
/* A list of elements that are JSON already. */
void xylem_cli__member_list(struct xylem_cli__text *text, const char *key, const struct xylem_cli__text *elements);

/* Begins a document with `{"schema":1`. */
void xylem_cli__json_document(struct xylem_cli__text *text);
/*
 * Ends the document with a newline, writes the document to standard output, and empties the text. On a terminal,
 * characters in strings that no terminal should act on are escaped, which is the same JSON.
 */
int xylem_cli__put_json(struct xylem_cli *cli, struct xylem_cli__text *text);
/* Writes a part of a document, without a newline. */
int xylem_cli__put_json_piece(struct xylem_cli *cli, struct xylem_cli__text *text);
/* Writes a document (`json`) or lines for people, and releases the text. */
int xylem_cli__put_output(struct xylem_cli *cli, struct xylem_cli__text *text, bool json);
/* Appends the value as indented JSON for people. */
void xylem_cli__add_pretty(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_value *value,
                           size_t indent);

/* A document of a change: the session, the entry (data NULL: none), the old and the new text (data NULL: null). */
void xylem_cli__json_change(struct xylem_cli__text *text, struct xylem_view session, struct xylem_view entry,
                            struct xylem_view from, struct xylem_view to);
/* A document of a session, and of an entry (NULL: none), that a command made or brought back. */
void xylem_cli__json_made(struct xylem_cli__text *text, struct xylem_view session, const struct xylem_view *entry);

/* --- Many documents (documents.c) --------------------------------------------------------------------------------- */

/* The form for programs: the member `form` of a command's options, filled by the rows below. */
struct xylem_cli__form {
    bool json;
    bool jsonl;
};

/* The row of a command that prints one document: the bool `json` of its options. */
#define XYLEM_CLI__JSON_ROW(type)                                                               \
    {                                                                                           \
        "json", 0, NULL, XYLEM_CLI__FLAG, offsetof(type, json), "print one JSON document", NULL \
    }

#define XYLEM_CLI__FORM_ROWS(options, what)                                                            \
    {"json", 0, NULL, XYLEM_CLI__FLAG, offsetof(options, form.json), "print one JSON document", NULL}, \
    {                                                                                                  \
        "jsonl", 0, NULL, XYLEM_CLI__FLAG, offsetof(options, form.jsonl), what, NULL                   \
    }

/* The tables of commands whose only options are these; the options struct is struct xylem_cli__form itself. */
extern const struct xylem_cli__option xylem_cli__form_same[];  /* for one document */
extern const struct xylem_cli__option xylem_cli__form_lines[]; /* for one document a line */

/* Documents on their way out. */
struct xylem_cli__documents {
    const char *list; /* the member with the list of documents; NULL: one document a line */
    bool wanted;      /* the user asks for documents, not for text */
    uint64_t count;
};

/* Fails if the user asks for both forms. `list` must live as long as `documents`. */
int xylem_cli__documents_start(struct xylem_cli *cli, struct xylem_cli__documents *documents,
                               struct xylem_cli__form form, const char *list);
/* Writes a document that has no newline yet, or lines for people if no documents are wanted, and empties the text. */
int xylem_cli__documents_put(struct xylem_cli *cli, struct xylem_cli__documents *documents,
                             struct xylem_cli__text *document);
/* With `cli->left_out`: appends a JSON text with replacements. Errors: MALFORMED, LIMIT, MEMORY. */
int xylem_cli__json_leave_out(struct xylem_cli *cli, struct xylem_cli__text *json, struct xylem_view from);
/* Ends the list, if any. */
int xylem_cli__documents_end(struct xylem_cli *cli, struct xylem_cli__documents *documents);

#endif
