/* xylem delete: marks a session as deleted, or all sessions without their files, or of no late activity. */
#include "cli/deleting.h"

#include <string.h>

static const struct xylem_cli__option delete_table[] = {
    {"yes", 'y', NULL, XYLEM_CLI__FLAG, offsetof(struct xylem_cli__delete_options, yes), "do not ask", NULL},
    {"dry-run", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct xylem_cli__delete_options, dry_run),
     "only say what would be deleted", NULL},
    {"file-gone", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct xylem_cli__delete_options, file_gone),
     "delete every session whose session file is gone", NULL},
    {"older-than", 0, "TIME", XYLEM_CLI__TEXT, offsetof(struct xylem_cli__delete_options, older_than),
     "delete every session that was last active before TIME: 90d, 1y, 2026-11-20", NULL},
    {"keep-labelled", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct xylem_cli__delete_options, keep_labelled),
     "with --older-than: leave the sessions that have a label", NULL},
    XYLEM_CLI__JSON_ROW(struct xylem_cli__delete_options),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

/* A session whose import has not finished can be deleted too, but only by its whole id. */
static int find(struct xylem_cli *cli, struct xylem_session *session, const char *spec)
{
    int code = xylem_session_find(session, cli->txn, xylem_view_of(spec), &cli->err);
    return code == XYLEM_E_NOT_FOUND ? xylem_cli__session_kept(cli, session, spec) : code;
}

/* The description for people, or as JSON, and the id. */
static int describe(struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_cli__text *element,
                    const char *spec, char *id)
{
    struct xylem_session session;
    int code = xylem_cli__open_reading(cli);
    if (code != 0 || (code = find(cli, &session, spec)) != 0) {
        return code;
    }
    memcpy(id, session.id.data, session.id.bytes);
    id[session.id.bytes] = '\0';
    code = xylem_cli__describe_session(cli, text, &session);
    return code == 0 ? xylem_cli__add_deleted(cli, element, &session) : code;
}

static int change(struct xylem_cli *cli, void *context)
{
    struct xylem_session session;
    int code = find(cli, &session, context);
    if (code != 0) {
        return code;
    }
    code = xylem_session_delete(cli->txn, session.number, &cli->err);
    return xylem_cli__if_leased(cli, code, session.id);
}

static int delete_one(struct xylem_cli *cli, const char *spec, const struct xylem_cli__delete_options *given)
{
    const struct xylem_cli__text none = {0};
    struct xylem_cli__text what = {0};
    struct xylem_cli__text element = {0};
    char id[XYLEM_SESSION_ID_BYTES_MAX + 1];
    struct xylem_cli__text line = {0};
    int code = describe(cli, &what, &element, spec, id);
    xylem_cli__close_store(cli);
    if (code == 0 && !given->dry_run && !given->yes) {
        xylem_cli__add(&line, "Delete ");
        xylem_cli__add_bytes(&line, what.bytes.data, what.bytes.bytes);
        xylem_cli__add(&line, "?");
        code = xylem_cli__confirm(cli, &line, "nothing was deleted");
    }
    if (code == 0 && !given->dry_run) {
        code = xylem_cli__change(cli, change, id);
    }
    if (code == 0 && given->json) {
        code = xylem_cli__put_deleted(cli, given->dry_run, &element, &none);
    } else if (code == 0) {
        xylem_cli__add(&line, given->dry_run ? "would delete " : "deleted ");
        xylem_cli__add_bytes(&line, what.bytes.data, what.bytes.bytes);
        xylem_cli__add(&line, "\n");
        code = xylem_cli__put_output(cli, &line, false);
    }
    if (code == 0 && !given->dry_run && !given->yes) {
        xylem_cli__note_deleted(cli, "undelete", id, "brings it back");
    }
    xylem_cli__text_release(&what);
    xylem_cli__text_release(&element);
    return code;
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct xylem_cli__delete_options *given = options;
    if (given->file_gone && given->older_than) {
        return xylem_cli__usage(cli, "--file-gone and --older-than cannot be combined");
    }
    if (given->keep_labelled && !given->older_than) {
        return xylem_cli__usage(cli, "--keep-labelled needs --older-than");
    }
    if (given->file_gone || given->older_than) {
        return arguments[0] ? xylem_cli__usage(cli, "%s and SESSION cannot be combined",
                                               given->file_gone ? "--file-gone" : "--older-than")
                            : xylem_cli__delete_many(cli, given);
    }
    return arguments[0] ? delete_one(cli, arguments[0], given)
                        : xylem_cli__usage(cli, "an argument is missing: xylem delete SESSION");
}

const struct xylem_cli__command xylem_cli__cmd_delete = {
    .name = "delete",
    .group = XYLEM_CLI__CHANGE,
    .often = true,
    .summary = "Mark a session as deleted",
    .usage = "SESSION|--file-gone|--older-than TIME [--keep-labelled] [--yes] [--dry-run] [--json]",
    .details =
        "`xylem undelete` brings the session back until `xylem gc` frees deleted sessions. Until then the id stays\n"
        "taken. Entries that other sessions share stay in any case. Asks first on a terminal; elsewhere --yes is\n"
        "needed. A session whose import has not finished must be named by its whole id.\n"
        "\n"
        "--file-gone deletes every session that `xylem sessions --file-gone` lists. Sessions that another process\n"
        "owns stay, and the exit code is 4.\n"
        "\n"
        "--older-than deletes every session whose last activity was before TIME. The last activity is the newest of\n"
        "the creation, the leaf, the tips and the last navigation. Sessions that another process owns stay and are\n"
        "counted, and the exit code is 0. The ledgers of runs stay.\n",
    .options = delete_table,
    .options_bytes = sizeof(struct xylem_cli__delete_options),
    .arguments_max = 1,
    .surplus = "one session at a time",
    .arguments = {XYLEM_CLI__SESSION},
    .run = run,
};
