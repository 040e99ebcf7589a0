/* Splits SESSION:ENTRY, where both parts may contain a `:`. */
#include "cli/store/store.h"

#include <stdlib.h>
#include <string.h>

int xylem_cli__session_and_entry(struct xylem_cli *cli, struct xylem_session *session, struct xylem_position *position,
                                 const char *spec, enum xylem_cli__naming naming, xylem_cli__entry_finder *find,
                                 bool *decided)
{
    char *id = strdup(spec);
    char *colon;
    int code = id ? XYLEM_E_NOT_FOUND : xylem_cli__fail_memory(cli);
    while (code == XYLEM_E_NOT_FOUND && !*decided && (colon = strrchr(id, ':'))) {
        *colon = '\0';
        code = colon == id ? XYLEM_E_NOT_FOUND : xylem_cli__session_try(cli, session, id, naming);
        if (code == 0) {
            *decided = true; /* a session that lacks the entry is an error: no other session is tried */
            code = find(cli, position, session, spec + (colon - id) + 1);
        }
    }
    free(id);
    return code;
}

/* Gives the leaf, which may be none if `find` allows none. */
static int take_leaf(struct xylem_cli *cli, struct xylem_position *position, const struct xylem_session *session,
                     xylem_cli__entry_finder *find)
{
    *position = session->leaf;
    return xylem_cli__position_none(session->leaf) ? find(cli, position, session, "@") : 0;
}

/* Finds SESSION:ENTRY, the best naming of the session first; with `leaf` also SESSION, for its leaf. */
static int split(struct xylem_cli *cli, struct xylem_session *session, struct xylem_position *position,
                 const char *spec, xylem_cli__entry_finder *find, bool leaf)
{
    bool decided = false;
    int code = XYLEM_E_NOT_FOUND;
    for (int naming = XYLEM_CLI__BY_ID; naming <= XYLEM_CLI__BY_PART && code == XYLEM_E_NOT_FOUND && !decided;
         naming++) {
        if (leaf && (code = xylem_cli__session_try(cli, session, spec, naming)) == 0) {
            return take_leaf(cli, position, session, find); /* an id and a name may contain a `:` */
        }
        if (code == XYLEM_E_NOT_FOUND) {
            code = xylem_cli__session_and_entry(cli, session, position, spec, naming, find, &decided);
        }
    }
    return code == XYLEM_E_NOT_FOUND && !decided ? xylem_cli__no_session(cli, spec, "") : code;
}

static int session_at(struct xylem_cli *cli, struct xylem_session *session, struct xylem_position *position,
                      const char *spec, const char *at, xylem_cli__entry_finder *find)
{
    if (!at && strchr(spec, ':')) {
        return split(cli, session, position, spec, find, true);
    }
    int code = xylem_cli__session(cli, session, spec);
    return code != 0 ? code : at ? find(cli, position, session, at) : take_leaf(cli, position, session, find);
}

int xylem_cli__session_at(struct xylem_cli *cli, struct xylem_session *session, struct xylem_position *position,
                          const char *spec, const char *at)
{
    return session_at(cli, session, position, spec, at, xylem_cli__entry_or_none);
}

int xylem_cli__session_at_entry(struct xylem_cli *cli, struct xylem_session *session, struct xylem_position *position,
                                const char *spec, const char *at)
{
    return session_at(cli, session, position, spec, at, xylem_cli__entry);
}

int xylem_cli__session_with_entry(struct xylem_cli *cli, struct xylem_session *session, struct xylem_position *position,
                                  char *const *arguments, xylem_cli__entry_finder *find)
{
    if (arguments[1]) {
        return session_at(cli, session, position, arguments[0], arguments[1], find);
    }
    return strchr(arguments[0], ':') ? split(cli, session, position, arguments[0], find, false)
                                     : xylem_cli__usage_missing(cli);
}
