/*
 * cli/show/ renders entries, sessions, states and problems, as text for people and as members of JSON documents: lines,
 * paragraphs, trees, session families, differences.
 * cli/show/ opens no store and parses no options; a command passes in what to show.
 * Begin reading at xylem_cli__add_summary(), then struct xylem_cli__said in entries.h.
 * Other rooms may include: diff.h entries.h pieces.h show.h tree.h
 */
#ifndef XYLEM_CLI_SHOW_SHOW_H
#define XYLEM_CLI_SHOW_SHOW_H

#include "cli/json/json.h"
#include "cli/store/store.h"

struct xylem_problem;

/* --- An entry (summary.c, entry_json.c) --------------------------------------------------------------------------- */

/*
 * Appends a summary of an entry in one line: the first words of a message, the data of a custom entry. Errors: CORRUPT.
 */
int xylem_cli__add_summary(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_entry *entry,
                           size_t cells_max);

/* Adds members: a sum of XYLEM_MEMBERS_. */
int xylem_cli__json_entry(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_entry *entry,
                          unsigned members);

/* --- Wanted kinds (kinds.c) --------------------------------------------------------------------------------------- */

/* The kinds that the user asks for. Start zeroed, and release. */
struct xylem_cli__kinds {
    const struct xylem_cli__list *given; /* none: any kind is wanted */
    struct xylem_kind list[XYLEM_CLI__LIST_MAX];
    struct xylem_buffer storage[XYLEM_CLI__LIST_MAX];
    bool found[XYLEM_CLI__LIST_MAX]; /* an entry matched */
};

/* `given` must live as long. Fails if a given name is not a kind. */
int xylem_cli__kinds_read(struct xylem_cli *cli, struct xylem_cli__kinds *kinds, const struct xylem_cli__list *given);
/*
 * 1 if the entry is of a given kind, or is a message whose role is the name of a given host's kind; else 0. Notes the
 * kind as found.
 */
int xylem_cli__kinds_match(struct xylem_cli *cli, struct xylem_cli__kinds *kinds, const struct xylem_entry *entry);
/* Appends `no entry of the path is of the kind or role 'User'; did you mean 'user'?`; `where` is " of the path". */
void xylem_cli__kinds_add_missing(struct xylem_cli__text *text, const struct xylem_cli__kinds *kinds, size_t index,
                                  const char *where);
/* Names on standard error the kinds that no entry matched; `where` is " of the session" or " of the path". */
void xylem_cli__kinds_note_missing(struct xylem_cli *cli, const struct xylem_cli__kinds *kinds, const char *where);
void xylem_cli__kinds_release(struct xylem_cli__kinds *kinds);

/* --- A family (family_draw.c) ------------------------------------------------------------------------------------- */

/* Prints the family of a session. */
int xylem_cli__family(struct xylem_cli *cli, const struct xylem_session *asked, struct xylem_cli__documents *documents);

/* --- A problem (problem.c) ---------------------------------------------------------------------------------------- */

/*
 * `log: session 01a1f9f7: entry 8d16e680: branch 3, depth 7: its sum does not match`; for `count` lost entries in a
 * row, `branch 3, depths 7 to 9: 3 entries are lost`.
 */
void xylem_cli__add_problem(const struct xylem_cli *cli, struct xylem_cli__text *text,
                            const struct xylem_problem *problem, uint64_t count);
void xylem_cli__json_problem(struct xylem_cli__text *text, const struct xylem_problem *problem);

#endif
