/* Describes sessions, and finds deleted sessions, for `delete`, `undelete` and `gc`. */
#include "cli/deleting.h"

#include <string.h>

int xylem_cli__describe_session(struct xylem_cli *cli, struct xylem_cli__text *text,
                                const struct xylem_session *session)
{
    struct xylem_labels labels = {0};
    int code = xylem_labels_read(&labels, cli->txn, session->number, &cli->err);
    xylem_cli__add(text, "session ");
    xylem_cli__add_shown(cli, text, session->id, XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_cli__add(text, " (");
    if (labels.name.data) {
        xylem_cli__add_shown(cli, text, labels.name, XYLEM_CLI__ONE_LINE, 60);
        xylem_cli__add(text, ", ");
    }
    if (session->state == XYLEM_SESSION_IMPORTING || session->import_unfinished) {
        xylem_cli__add(text, "its import has not finished)");
    } else {
        xylem_cli__addf(text, "its leaf has depth %llu)", (unsigned long long)session->leaf.depth);
    }
    xylem_labels_release(&labels);
    return code != 0 || !text->failed ? code : xylem_cli__fail_memory(cli);
}

/* --- Finding a deleted session ------------------------------------------------------------------------------------ */

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

int xylem_cli__session_deleted(struct xylem_cli *cli, struct xylem_session *session, const char *spec)
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
