/* Declares the functions with which `export` and `open` write a session file. */
#ifndef XYLEM_CLI_EXPORTING_H
#define XYLEM_CLI_EXPORTING_H

#include "cli/export_page.h"
#include "xylem/files.h"

/*
 * Writes a file whole or not at all, mode 0600; a device or a pipe is written in place. `options` NULL: not a session
 * file, but all changes of the session.
 */
int xylem_cli__export_to_file(struct xylem_cli *cli, uint64_t session, const struct xylem_export_options *options,
                              const char *output);
int xylem_cli__export_to_output(struct xylem_cli *cli, uint64_t session, const struct xylem_export_options *options);
/* Writes a text to a file in the same way. */
int xylem_cli__text_to_file(struct xylem_cli *cli, const struct xylem_cli__text *text, const char *output);
/* Writes the page of a session to a file in the same way; NULL: to standard output. */
int xylem_cli__page_to(struct xylem_cli *cli, const struct xylem_session *session,
                       const struct xylem_cli__page_options *options, const char *output);

/*
 * Writes the path of a place as Markdown (export_review.c), with two words from the first entry to the last; at most the
 * newest `limit` entries. `unredacted`: secrets were not looked for, and the text says so.
 */
int xylem_cli__export_review(struct xylem_cli *cli, char **words, struct xylem_cli__count limit, bool unredacted,
                            const char *output);

/* Makes the directory of an export, or takes an empty one (export_all.c). */
int xylem_cli__make_directory(struct xylem_cli *cli, const char *path);
/* Writes all sessions into a directory (export_all.c). */
int xylem_cli__export_all(struct xylem_cli *cli, const char *directory);

#endif
