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

static int session_at(struct xylem_cli *cli, struct xylem_session *session, struct xylem_position *position,
                      const char *spec, const char *at, xylem_cli__entry_finder *find)
{
    bool decided = false;
    int code = XYLEM_E_NOT_FOUND;
    if (at || !strchr(spec, ':')) {
        code = xylem_cli__session(cli, session, spec);
        return code != 0 ? code : at ? find(cli, position, session, at) : take_leaf(cli, position, session, find);
    }
    for (int naming = XYLEM_CLI__BY_ID; naming <= XYLEM_CLI__BY_PART && code == XYLEM_E_NOT_FOUND && !decided;
         naming++) {
        code = xylem_cli__session_try(cli, session, spec, naming); /* an id and a name may contain a `:` */
        if (code == 0) {
            return take_leaf(cli, position, session, find);
        }
        if (code == XYLEM_E_NOT_FOUND) {
            code = xylem_cli__session_and_entry(cli, session, position, spec, naming, find, &decided);
        }
    }
    return code == XYLEM_E_NOT_FOUND && !decided ? xylem_cli__no_session(cli, spec, "") : code;
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
    const char *spec = arguments[0];
    const char *rest = strstr(cli->command->usage, " [");
    int bytes = (int)(rest ? (size_t)(rest - cli->command->usage) : strlen(cli->command->usage));
    bool decided = false;
    if (arguments[1]) {
        int code = xylem_cli__session(cli, session, spec);
        return code != 0 ? code : find(cli, position, session, arguments[1]);
    }
    if (!strchr(spec, ':')) {
        return xylem_cli__usage(cli, "an argument is missing: xylem %s %.*s", cli->command->name, bytes,
                                cli->command->usage);
    }
    int code = XYLEM_E_NOT_FOUND;
    for (int naming = XYLEM_CLI__BY_ID; naming <= XYLEM_CLI__BY_PART && code == XYLEM_E_NOT_FOUND && !decided;
         naming++) {
        code = xylem_cli__session_and_entry(cli, session, position, spec, naming, find, &decided);
    }
    return code == XYLEM_E_NOT_FOUND && !decided ? xylem_cli__no_session(cli, spec, "") : code;
}
