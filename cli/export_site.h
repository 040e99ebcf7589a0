/* Declares the site of all sessions: `xylem export --html --all DIRECTORY`. */
#ifndef XYLEM_CLI_EXPORT_SITE_H
#define XYLEM_CLI_EXPORT_SITE_H

#include <limits.h>

#include "cli/export_page.h"

/*
 * Writes a page for each session that is not deleted, and `index.html`, into a new or empty directory, or into one that
 * an earlier run wrote: what is the same stays, and what has no session any more goes. A file that this command did not
 * write, or that somebody changed, is named and left: PROBLEM if a page is missing for that. CORRUPT: a session is
 * damaged, and its page stays as it was.
 */
int xylem_cli__export_site(struct xylem_cli *cli, const char *directory, const struct xylem_cli__page_options *options);

/* --- The index (site_index.c) ------------------------------------------------------------------------------------- */

/* Writes the index by `write`, as xylem_cli__export_page() does. `damaged` becomes true if a session is not in it. */
int xylem_cli__site_index(struct xylem_cli *cli, int (*write)(void *context, const void *data, size_t bytes),
                          void *context, bool unredacted, bool *damaged);

/*
 * The name of a page: the id, if that has lower-case letters, digits, `-` and `.` alone; else other characters than
 * letters, digits, `-` and `.` stand as `_`, and the number of the session makes the name its own, on a disk that ignores
 * case, too. An id that `cli->left_out` matches is not in the name. So no name depends on other sessions, and a link to
 * a page stays right.
 */
void xylem_cli__site_name(const struct xylem_cli *cli, char name[NAME_MAX + 1], struct xylem_view id, uint64_t number);

#endif
