/* Visits the sessions of the store. */
#include "cli/store/store.h"

int xylem_cli__each_session(struct xylem_cli *cli, xylem_cli__session_visitor *visit, void *context)
{
    struct xylem_sessions *sessions = NULL;
    struct xylem_session session;
    int code = xylem_sessions_new(&sessions, cli->txn, &cli->err);
    while (code == 0 && (code = xylem_sessions_next(&session, sessions, &cli->err)) == 1) {
        code = visit(cli, context, &session);
    }
    xylem_sessions_free(sessions);
    return code;
}
