/* Deletes the sessions whose session files are gone. */
#include "cli/deleting.h"

#include <stdlib.h>
#include <string.h>

#include "cli/store/listing.h"

struct gone {
    char id[XYLEM_SESSION_ID_BYTES_MAX + 1];
    struct xylem_cli__text what;  /* the description of the session */
    struct xylem_cli__text stays; /* why the session was not deleted after all; empty: it was deleted */
};

struct deleting {
    struct gone *list;
    size_t count;
    int worst; /* the exit code of damage, and of sessions that stay */
};

static void release(struct deleting *deleting)
{
    for (size_t i = 0; i < deleting->count; i++) {
        xylem_cli__text_release(&deleting->list[i].what);
        xylem_cli__text_release(&deleting->list[i].stays);
    }
    free(deleting->list);
}

static void note_stays(struct xylem_cli *cli, struct deleting *deleting, const char *id, const char *why)
{
    xylem_cli__note(cli, "the session %s stays: %s", id, why);
    deleting->worst = deleting->worst > XYLEM_CLI__CONFLICT ? deleting->worst : XYLEM_CLI__CONFLICT;
}

/* --- The list ----------------------------------------------------------------------------------------------------- */

/* Adds the session, unless a living process owns the session. */
static int add(struct xylem_cli *cli, struct deleting *deleting, const struct xylem_session *session)
{
    struct gone *gone = &deleting->list[deleting->count];
    struct xylem_lease_owner owner;
    struct xylem_cli__text why = {0};
    int code = xylem_lease_read(&owner, cli->txn, session->number, &cli->err);
    if (code < 0) {
        return code;
    }
    memcpy(gone->id, session->id.data, session->id.bytes);
    gone->id[session->id.bytes] = '\0';
    if (code == 1 && owner.alive) {
        xylem_cli__addf(&why, "process %lld on %s owns the session", (long long)owner.pid, owner.host);
        note_stays(cli, deleting, gone->id, why.failed ? "a process owns the session" : why.bytes.data);
        xylem_cli__text_release(&why);
        return 0;
    }
    deleting->count++;
    return xylem_cli__describe_session(cli, &gone->what, session);
}

static int find(struct xylem_cli *cli, struct deleting *deleting)
{
    const struct xylem_cli__wanted wanted = {.file_gone = true, .since_ms = INT64_MIN, .until_ms = INT64_MAX};
    struct xylem_cli__listing listing = {0};
    int code = xylem_cli__open_reading(cli);
    if (code != 0 || (code = xylem_cli__listing_read(cli, &listing, &wanted)) != 0) {
        goto out;
    }
    deleting->worst = listing.damaged ? XYLEM_CLI__CORRUPT : 0;
    deleting->list = calloc(listing.count + 1, sizeof *deleting->list);
    if (!deleting->list) {
        code = xylem_cli__fail_memory(cli);
    }
    for (size_t i = 0; code == 0 && i < listing.count; i++) {
        code = add(cli, deleting, &listing.list[i].session);
    }
out:
    xylem_cli__listing_release(&listing);
    return code;
}

/* --- The change --------------------------------------------------------------------------------------------------- */

/* Deletes the session, if its files are still gone. A session that changed meanwhile stays. */
static int delete_session(struct xylem_cli *cli, struct gone *gone)
{
    struct xylem_session session;
    int code = xylem_session_find(&session, cli->txn, xylem_view_of(gone->id), &cli->err);
    xylem_cli__text_clear(&gone->stays);
    if (code == 0 && (code = xylem_cli__file_gone(cli, &session)) == 0) {
        xylem_cli__add(&gone->stays, "its file is there again");
    } else if (code == 1) {
        code = xylem_session_delete(cli->txn, session.number, &cli->err);
    }
    if (code == XYLEM_E_NOT_FOUND || code == XYLEM_E_DELETED || code == XYLEM_E_CONFLICT) {
        xylem_cli__add(&gone->stays, cli->err.text);
        code = 0;
    }
    return code != 0 || !gone->stays.failed ? code : xylem_cli__fail_memory(cli);
}

static int change(struct xylem_cli *cli, void *context)
{
    struct deleting *deleting = context;
    int code = 0;
    for (size_t i = 0; code == 0 && i < deleting->count; i++) {
        code = delete_session(cli, &deleting->list[i]);
    }
    return code;
}

/* --- What is said ------------------------------------------------------------------------------------------------- */

static void add_count(struct xylem_cli__text *text, size_t count)
{
    xylem_cli__add_counted(text, count, "session whose file is gone", "sessions whose files are gone");
}

/* A line for each session, without those that stay. Gives their number. */
static size_t add_lines(struct xylem_cli__text *text, const struct deleting *deleting, const char *verb)
{
    size_t count = 0;
    for (size_t i = 0; i < deleting->count; i++) {
        const struct gone *gone = &deleting->list[i];
        if (gone->stays.bytes.bytes == 0) {
            xylem_cli__addf(text, "%s ", verb);
            xylem_cli__add_bytes(text, gone->what.bytes.data, gone->what.bytes.bytes);
            xylem_cli__add(text, "\n");
            count++;
        }
    }
    return count;
}

static int confirm(struct xylem_cli *cli, const struct deleting *deleting)
{
    struct xylem_cli__text question = {0};
    add_lines(&question, deleting, "would delete");
    xylem_cli__add(&question, "Delete ");
    add_count(&question, deleting->count);
    xylem_cli__add(&question, "?");
    return xylem_cli__confirm(cli, &question, "nothing was deleted");
}

static int tell(struct xylem_cli *cli, struct deleting *deleting, const char *verb)
{
    struct xylem_cli__text text = {0};
    size_t count = add_lines(&text, deleting, verb);
    if (count > 0) {
        xylem_cli__addf(&text, "%s ", verb);
        add_count(&text, count);
        xylem_cli__add(&text, "\n");
    } else if (deleting->worst == 0 && deleting->count == 0) {
        xylem_cli__add(&text, "nothing to delete: no session's file is gone\n");
    }
    for (size_t i = 0; i < deleting->count; i++) {
        if (deleting->list[i].stays.bytes.bytes > 0) {
            note_stays(cli, deleting, deleting->list[i].id, deleting->list[i].stays.bytes.data);
        }
    }
    return xylem_cli__put_output(cli, &text, false);
}

static void note_next(struct xylem_cli *cli)
{
    struct xylem_cli__text next = {0};
    xylem_cli__add_named(cli, &next, "sessions --deleted", NULL);
    xylem_cli__add(&next, " lists what `undelete` brings back, until ");
    xylem_cli__add_named(cli, &next, "gc", NULL);
    if (!next.failed) {
        xylem_cli__note(cli, "%s", next.bytes.data);
    }
    xylem_cli__text_release(&next);
}

/* ------------------------------------------------------------------------------------------------------------------ */

int xylem_cli__delete_gone(struct xylem_cli *cli, bool yes, bool dry_run)
{
    struct deleting deleting = {.count = 0};
    int code = xylem_cli__check_asking(cli, !yes && !dry_run, "delete");
    if (code != 0) {
        return code;
    }
    code = find(cli, &deleting);
    xylem_cli__close_store(cli);
    bool changes = deleting.count > 0 && !dry_run;
    if (code == 0 && changes && (yes || (code = confirm(cli, &deleting)) == 0)) {
        code = xylem_cli__change(cli, change, &deleting);
    }
    if (code == 0 && (code = tell(cli, &deleting, dry_run ? "would delete" : "deleted")) == 0 && changes && !yes) {
        note_next(cli);
    }
    code = code == 0 ? deleting.worst : code;
    release(&deleting);
    return code;
}
