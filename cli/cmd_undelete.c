/* xylem undelete: restores a deleted session. */
#include "cli/deleting.h"

#include <string.h>

#define BEGINNING_BYTES_MIN 4u
#define SHOWN_MAX 5u

struct search {
    struct xylem_view spec;
    bool exact;
    bool not_deleted; /* a session with exactly that id exists, and is not deleted */
    size_t count;
    struct xylem_cli__text shown;
};

/* True if the session is deleted and matches the search; the match is counted and listed. */
static bool look(struct search *search, const struct xylem_session *session)
{
    struct xylem_view spec = search->spec;
    bool begins = session->id.bytes >= spec.bytes && memcmp(session->id.data, spec.data, spec.bytes) == 0;
    bool same = begins && session->id.bytes == spec.bytes;
    if (session->state != XYLEM_SESSION_DELETED) {
        search->not_deleted = search->not_deleted || (same && session->state != XYLEM_SESSION_FREED);
        return false;
    }
    if (!same && (search->exact || !begins || spec.bytes < BEGINNING_BYTES_MIN)) {
        return false;
    }
    search->exact = same;
    search->count = same ? 1 : search->count + 1;
    if (search->count <= SHOWN_MAX) {
        xylem_cli__add(&search->shown, search->count == 1 ? "" : ", ");
        xylem_cli__add_bytes(&search->shown, session->id.data, session->id.bytes);
    }
    return true;
}

static int decide(struct xylem_cli *cli, const struct search *search, const char *spec)
{
    if (search->count == 1) {
        return 0;
    }
    if (search->count > 1) {
        return xylem_cli__fail(cli, XYLEM_E_CONFLICT, "'%s' is ambiguous: %zu deleted session ids begin with it: %s%s",
                               spec, search->count, search->shown.bytes.data, search->count > SHOWN_MAX ? ", ..." : "");
    }
    if (search->not_deleted) {
        return xylem_cli__fail(cli, XYLEM_E_EXISTS, "the session %s is not deleted", spec);
    }
    struct xylem_cli__text next = {0};
    xylem_cli__add_named(cli, &next, "sessions --deleted", NULL);
    int code = next.failed
                   ? xylem_cli__fail_memory(cli)
                   : xylem_cli__fail(cli, XYLEM_E_NOT_FOUND, "there is no deleted session '%s' (%s lists %s)", spec,
                                     next.bytes.data,
                                     search->spec.bytes < BEGINNING_BYTES_MIN ? "them; a beginning needs 4 characters"
                                                                              : "them");
    xylem_cli__text_release(&next);
    return code;
}

/* Finds a deleted session by its id or a unique beginning of its id. */
static int find(struct xylem_cli *cli, struct xylem_session *session, const char *spec)
{
    struct search search = {.spec = xylem_view_of(spec)};
    struct xylem_sessions *sessions = NULL;
    struct xylem_session row;
    int code = xylem_sessions_new(&sessions, cli->txn, &cli->err);
    while (code == 0 && (code = xylem_sessions_next(&row, sessions, &cli->err)) == 1) {
        if (look(&search, &row)) {
            *session = row;
        }
        code = 0;
    }
    xylem_sessions_free(sessions);
    if (code == 0) {
        code = decide(cli, &search, spec);
    }
    xylem_cli__text_release(&search.shown);
    return code;
}

struct undeleting {
    const char *spec;
    struct xylem_cli__text line;
};

static int change(struct xylem_cli *cli, void *context)
{
    struct undeleting *undeleting = context;
    struct xylem_session session;
    int code = find(cli, &session, undeleting->spec);
    xylem_cli__text_clear(&undeleting->line);
    xylem_cli__add(&undeleting->line, "undeleted ");
    if (code != 0 || (code = xylem_cli__describe_session(cli, &undeleting->line, &session)) != 0) {
        return code;
    }
    xylem_cli__add(&undeleting->line, "\n");
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
