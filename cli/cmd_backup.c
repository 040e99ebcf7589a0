/* xylem backup: copies the store while other processes write to the store. */
#include "cli/cli.h"
#include "xylem/care.h"

#include <stdlib.h>
#include <string.h>

struct backup_options {
    bool keep_pages;
    bool json;
};

static const struct xylem_cli__option backup_table[] = {
    {"keep-pages", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct backup_options, keep_pages),
     "leave each page at its place, for restic, borg and rsync", NULL},
    XYLEM_CLI__JSON_ROW(struct backup_options),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

static void add_document(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *to,
                         const struct xylem_backup_report *report)
{
    xylem_cli__json_document(text);
    xylem_cli__member_string(text, "store", xylem_view_of(cli->store_path));
    xylem_cli__member_string(text, "backup", xylem_view_of(to));
    xylem_cli__member_count(text, "bytes", report->bytes);
    xylem_cli__member_count(text, "hole_bytes", report->hole_bytes);
    xylem_cli__member_count(text, "store_bytes", report->store_bytes);
    xylem_cli__member_count(text, "grown_bytes", report->grown_bytes);
    xylem_cli__member_count(text, "session_count", report->session_count);
    xylem_cli__member_count(text, "branch_count", report->branch_count);
    xylem_cli__member_count(text, "entry_count", report->entry_count);
    xylem_cli__json_end(text, '}');
}

static void add_report(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *to,
                       const struct xylem_backup_report *report)
{
    xylem_cli__add_shown(cli, text, xylem_view_of(to), XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_cli__add(text, ": ");
    xylem_cli__add_size(text, report->bytes);
    if (report->hole_bytes > 0) {
        xylem_cli__add(text, " (");
        xylem_cli__add_size(text, report->hole_bytes);
        xylem_cli__add(text, " of holes)");
    }
    xylem_cli__add(text, ", verified: ");
    xylem_cli__add_counted(text, report->session_count, "session", "sessions");
    xylem_cli__add_next_counted(text, report->branch_count, "branch", "branches");
    xylem_cli__add_next_counted(text, report->entry_count, "entry", "entries");
    xylem_cli__add(text, " (the store has ");
    xylem_cli__add_size(text, report->store_bytes);
    if (report->grown_bytes > 0) {
        xylem_cli__add(text, ", and grew by ");
        xylem_cli__add_size(text, report->grown_bytes);
        xylem_cli__add(text, " meanwhile");
    }
    xylem_cli__add(text,
                   ")\nto restore the store, copy the backup into a new directory, never over a store that is in use:\n"
                   "  cp -rp ");
    xylem_cli__add_shell_path(cli, text, to);
    xylem_cli__add(text, " NEW_DIRECTORY\n  xylem -s NEW_DIRECTORY verify\n");
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct backup_options *given = options;
    const struct xylem_backup_options how = {.keep_pages = given->keep_pages};
    struct xylem_backup_report report;
    struct xylem_cli__text text = {0};
    int code = xylem_cli__open_reading(cli);
    if (code == 0) {
        xylem_abort(cli->txn); /* xylem_backup() begins its own transaction; an older one would only hold old pages */
        cli->txn = NULL;
        code = xylem_backup(&report, cli->store, arguments[0], &how, &cli->err);
    }
    char *to = code == 0 ? realpath(arguments[0], NULL) : NULL; /* the printed commands work from any directory */
    to = code == 0 && !to ? strdup(arguments[0]) : to;
    if (code == 0 && !to) {
        code = xylem_cli__fail_memory(cli);
    }
    if (code == 0) {
        (given->json ? add_document : add_report)(cli, &text, to, &report);
        code = xylem_cli__put_output(cli, &text, given->json);
    }
    free(to);
    return code;
}

const struct xylem_cli__command xylem_cli__cmd_backup = {
    .name = "backup",
    .group = XYLEM_CLI__KEEP,
    .often = true,
    .summary = "Copy the store beside live writers, and verify the copy",
    .usage = "DIRECTORY [--keep-pages] [--json]",
    .details =
        "DIRECTORY must not exist. The copy holds the store as of one commit, without free pages. To restore the\n"
        "store, copy the backup: `cp -rp DIRECTORY NEW`, and then `xylem -s NEW verify`.\n\n"
        "With --keep-pages each page stays at its place, and free pages become holes: a program that keeps equal\n"
        "blocks once (restic, borg, rsync) adds little from one backup to the next. No removed text is in the copy.\n",
    .options = backup_table,
    .options_bytes = sizeof(struct backup_options),
    .arguments_min = 1,
    .arguments_max = 1,
    .arguments = {XYLEM_CLI__DIRECTORY},
    .run = run,
};
