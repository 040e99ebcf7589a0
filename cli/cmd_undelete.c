/* xylem undelete: restores a deleted session. */
#include "cli/deleting.h"

struct undeleting {
    const char *spec;
    bool json;
    struct xylem_cli__text line;
};

/* Finds a deleted session by its id, its name, its file, or a unique part of id or name, and brings the session back. */
static int change(struct xylem_cli *cli, void *context)
{
    struct undeleting *undeleting = context;
    const char *spec = undeleting->spec;
    struct xylem_session session;
    int code = xylem_cli__session_deleted(cli, &session, spec);
    if (code == XYLEM_E_NOT_FOUND) {
        struct xylem_cli__text text = {0};
        int found = xylem_cli__session_exact(cli, &session, xylem_view_of(spec));
        if (found != 0) {
            return found < 0 ? found : xylem_cli__fail(cli, XYLEM_E_EXISTS, "the session %s is not deleted", spec);
        }
        xylem_cli__addf(&text, "there is no deleted session '%s' (", spec);
        xylem_cli__add_named(cli, &text, "sessions --deleted", NULL);
        xylem_cli__add(&text, " lists deleted sessions)");
        return xylem_cli__fail_text(cli, code, &text);
    }
    xylem_cli__text_clear(&undeleting->line);
    if (code == 0 && undeleting->json) {
        xylem_cli__json_made(&undeleting->line, session.id, NULL);
    } else if (code == 0) {
        xylem_cli__add(&undeleting->line, "undeleted ");
        code = xylem_cli__describe_session(cli, &undeleting->line, &session);
        xylem_cli__add(&undeleting->line, "\n");
    }
    if (code != 0) {
        return code;
    }
    code = xylem_session_undelete(cli->txn, session.number, &cli->err);
    return xylem_cli__if_leased(cli, code, session.id);
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct xylem_cli__form *given = options;
    struct undeleting undeleting = {.spec = arguments[0], .json = given->json};
    return xylem_cli__change_and_put(cli, change, &undeleting, &undeleting.line, given->json);
}

const struct xylem_cli__command xylem_cli__cmd_undelete = {
    .name = "undelete",
    .group = XYLEM_CLI__CHANGE,
    .summary = "Bring a deleted session back",
    .usage = "SESSION [--json]",
    .details =
        "The session is as it was before the deletion. After `xylem gc` a deleted session cannot be brought back.\n"
        "`xylem sessions --deleted` lists deleted sessions.\n",
    .options = xylem_cli__form_json,
    .options_bytes = sizeof(struct xylem_cli__form),
    .arguments_min = 1,
    .arguments_max = 1,
    .arguments = {XYLEM_CLI__DELETED},
    .run = run,
};
