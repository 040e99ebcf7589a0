/* Declares the functions that `delete` and `undelete` share, and the deletion of many sessions. */
#ifndef XYLEM_CLI_DELETING_H
#define XYLEM_CLI_DELETING_H

#include "cli/cli.h"

struct xylem_cli__delete_options {
    bool file_gone;         /* a rule: the session's files are gone */
    const char *older_than; /* a rule: the session was last active before that time */
    bool keep_labelled;     /* of the rule `older_than`: leave sessions with a label */
    bool yes;               /* do not ask */
    bool dry_run;           /* only say what would be deleted */
    bool json;              /* print a document */
};

/* Appends `session 01a1f9f7... (scenario one, its leaf has depth 33)`. */
int xylem_cli__describe_session(struct xylem_cli *cli, struct xylem_cli__text *text,
                                const struct xylem_session *session);
/*
 * The time of the last activity: the newest of the creation, the leaf, the tips and the last navigation. A fork of an
 * old entry is as young as the fork, and a leaf that went back to an old entry hides no newer entry.
 */
int xylem_cli__last_active(struct xylem_cli *cli, int64_t *time_ms, const struct xylem_session *session);
/* Appends the JSON of a deleted session, as an element of `sessions`. */
int xylem_cli__add_deleted(struct xylem_cli *cli, struct xylem_cli__text *elements,
                           const struct xylem_session *session);
/* Prints the document of a deletion. `left` has the JSON of the sessions that stay. */
int xylem_cli__put_deleted(struct xylem_cli *cli, bool dry_run, const struct xylem_cli__text *sessions,
                           const struct xylem_cli__text *left);

/* Notes the command that leads to deleted sessions, and until when: `does` says what the command does. */
void xylem_cli__note_deleted(struct xylem_cli *cli, const char *command, const char *argument, const char *does);

/* Deletes all sessions of the given rule (deleting_many.c). */
int xylem_cli__delete_many(struct xylem_cli *cli, const struct xylem_cli__delete_options *given);

#endif
