/* Parts of `xylem sessions`. */
#ifndef XYLEM_CLI_SESSIONS_H
#define XYLEM_CLI_SESSIONS_H

#include "cli/cli.h"
#include "cli/show/entries.h"
#include "cli/store/listing.h"

/* The messages that show what a session is about (sessions_talk.c). */
struct xylem_cli__talk {
    struct xylem_cli__spoken first;
    struct xylem_cli__spoken last;
};

/*
 * Reads the first and the last message. Damage is reported, and counts for the listing: the session is listed without
 * the message.
 */
int xylem_cli__talk_read(struct xylem_cli *cli, struct xylem_cli__talk *talk, struct xylem_cli__listing *listing,
                         const struct xylem_session *session);
void xylem_cli__talk_release(struct xylem_cli__talk *talk);

/* Prints the table (sessions_table.c). On a terminal, a list in the order of activity draws families together. */
int xylem_cli__sessions_table(struct xylem_cli *cli, struct xylem_cli__listing *listing);

/*
 * Lets a person choose a session, and prints its id (pick.c). Closes the store: views of the listing end. PROBLEM: the
 * person chose none.
 */
int xylem_cli__pick(struct xylem_cli *cli, struct xylem_cli__listing *listing);

#endif
