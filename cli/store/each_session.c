/* Visits the sessions of the store. */
#include "cli/store/store.h"

static int visit_each(struct xylem_cli *cli, bool spaced, xylem_cli__session_visitor *visit, void *context)
{
    struct xylem_sessions *sessions = NULL;
    struct xylem_session session;
    int code = xylem_sessions_new(&sessions, cli->txn, &cli->err);
    while (code == 0 && (code = xylem_sessions_next(&session, sessions, &cli->err)) == 1) {
        code = spaced || session.name_space.bytes == 0 ? visit(cli, context, &session) : 0;
    }
    xylem_sessions_free(sessions);
    return code;
}

int xylem_cli__each_session(struct xylem_cli *cli, xylem_cli__session_visitor *visit, void *context)
{
    return visit_each(cli, false, visit, context);
}

int xylem_cli__each_session_of_store(struct xylem_cli *cli, xylem_cli__session_visitor *visit, void *context)
{
    return visit_each(cli, true, visit, context);
}
