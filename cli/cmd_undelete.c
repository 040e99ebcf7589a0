/* xylem undelete: restores a deleted session. */
#include "cli/deleting.h"

struct undeleting {
    const char *spec;
    struct xylem_cli__text line;
};

static int change(struct xylem_cli *cli, void *context)
{
    struct undeleting *undeleting = context;
    struct xylem_session session;
    int code = xylem_cli__session_deleted(cli, &session, undeleting->spec);
    xylem_cli__text_clear(&undeleting->line);
    xylem_cli__add(&undeleting->line, "undeleted ");
    if (code == 0) {
        code = xylem_cli__describe_session(cli, &undeleting->line, &session);
    }
    xylem_cli__add(&undeleting->line, "\n");
    if (code != 0) {
        return code;
    }
    code = xylem_session_undelete(cli->txn, session.number, &cli->err);
    return xylem_cli__if_leased(cli, code, session.id);
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    struct undeleting undeleting = {.spec = arguments[0]};
    (void)options;
    int code = xylem_cli__change(cli, change, &undeleting);
    if (code == 0) {
        code = xylem_cli__put(cli, &undeleting.line);
    }
    xylem_cli__text_release(&undeleting.line);
    return code;
}

const struct xylem_cli__command xylem_cli__cmd_undelete = {
    .name = "undelete",
    .group = XYLEM_CLI__CHANGE,
    .summary = "Bring a deleted session back",
    .usage = "SESSION",
    .details =
        "The session is as it was before the deletion. After `xylem gc` a deleted session cannot be brought back.\n"
        "`xylem sessions --deleted` lists deleted sessions.\n",
    .arguments_min = 1,
    .arguments_max = 1,
    .arguments = {XYLEM_CLI__DELETED},
    .run = run,
};
