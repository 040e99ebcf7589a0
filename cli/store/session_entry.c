/* Splits SESSION:ENTRY, where both parts may contain a `:`. */
#include "cli/store/store.h"

#include <stdlib.h>
#include <string.h>

int xylem_cli__session_and_entry(struct xylem_cli *cli, struct xylem_session *session, struct xylem_position *position,
                                 const char *spec, bool exact, xylem_cli__entry_finder *find, bool *decided)
{
    char *id = strdup(spec);
    char *colon;
    int code = id ? XYLEM_E_NOT_FOUND : xylem_cli__fail_memory(cli);
    while (code == XYLEM_E_NOT_FOUND && !*decided && (colon = strrchr(id, ':'))) {
        *colon = '\0';
        if (colon == id || colon - id > (ptrdiff_t)XYLEM_SESSION_ID_BYTES_MAX) {
            continue;
        }
        code = exact ? xylem_session_find(session, cli->txn, xylem_view_of(id), &cli->err)
                     : xylem_cli__session(cli, session, id);
        if (code == 0) {
            *decided = true; /* a session that lacks the entry is an error: no other session is tried */
            code = find(cli, position, session, spec + (colon - id) + 1);
        }
    }
    free(id);
    return code;
}

int xylem_cli__session_at(struct xylem_cli *cli, struct xylem_session *session, struct xylem_position *position,
                          const char *spec, const char *at)
{
    bool decided = false;
    int code = XYLEM_E_NOT_FOUND;
    if (!at && strchr(spec, ':')) {
        code = strlen(spec) > XYLEM_SESSION_ID_BYTES_MAX
                   ? XYLEM_E_NOT_FOUND
                   : xylem_session_find(session, cli->txn, xylem_view_of(spec), &cli->err);
        if (code == 0) {
            *position = session->leaf;
        }
        for (int exact = 1; code == XYLEM_E_NOT_FOUND && !decided && exact >= 0; exact--) {
            code = xylem_cli__session_and_entry(cli, session, position, spec, exact == 1, xylem_cli__entry_or_none,
                                                &decided);
        }
    }
    if (code == XYLEM_E_NOT_FOUND && !decided && (code = xylem_cli__session(cli, session, spec)) == 0) {
        *position = session->leaf;
        code = at ? xylem_cli__entry_or_none(cli, position, session, at) : 0;
    }
    return code;
}
