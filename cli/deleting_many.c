/* Deletes the sessions of a rule: sessions without their session file, or without late activity. */
#include "cli/deleting.h"
#include "xylem/lease.h"

#include <stdlib.h>
#include <string.h>

#include "cli/store/listing.h"
#include "xylem/branch.h"

/* Why a session of the rule stays. */
enum reason { DELETED = 0, LABELLED, LEASED, CHANGED };

static const char *const reason_words[] = {"", "labelled", "leased", "changed"};

struct doomed {
    char id[XYLEM_SESSION_ID_BYTES_MAX + 1];
    struct xylem_cli__text what;    /* the description of the session */
    struct xylem_cli__text element; /* the same as JSON */
    enum reason reason;
    struct xylem_cli__text why; /* in words, of a session that stays */
};

struct deleting {
    const struct xylem_cli__delete_options *given;
    int64_t before_ms; /* of --older-than */
    struct doomed *list;
    size_t count;
    int worst; /* the exit code of damage, and of sessions that stay */
};

static size_t count_of(const struct deleting *deleting, enum reason reason)
{
    size_t count = 0;
    for (size_t i = 0; i < deleting->count; i++) {
        count += deleting->list[i].reason == reason;
    }
    return count;
}

static void stay(struct doomed *doomed, enum reason reason, const char *why)
{
    doomed->reason = reason;
    xylem_cli__text_clear(&doomed->why);
    xylem_cli__add(&doomed->why, why);
}

/* --- The list ----------------------------------------------------------------------------------------------------- */

/* 1 if the rule deletes the session, or keeps a labelled session; else 0. */
static int look_at_age(struct xylem_cli *cli, struct doomed *doomed, const struct xylem_session *session,
                       const struct deleting *deleting)
{
    struct xylem_labels labels = {0};
    int64_t active_ms;
    int code = xylem_cli__last_active(cli, &active_ms, session);
    if (code != 0 || active_ms >= deleting->before_ms) {
        return code;
    }
    if (deleting->given->keep_labelled) {
        code = xylem_labels_read(&labels, cli->txn, session->number, &cli->err);
        if (code == 0 && labels.label_count > 0) {
            stay(doomed, LABELLED, "the session has a label");
        }
        xylem_labels_release(&labels);
    }
    return code == 0 ? 1 : code;
}

/* Adds the session, if the rule concerns the session. A session that a living process owns stays. */
static int add(struct xylem_cli *cli, struct deleting *deleting, const struct xylem_session *session)
{
    struct doomed *doomed = &deleting->list[deleting->count];
    struct xylem_lease_owner owner;
    int code = deleting->given->older_than ? look_at_age(cli, doomed, session, deleting) : 1;
    if (code != 1) {
        return code;
    }
    deleting->count++;
    memcpy(doomed->id, session->id.data, session->id.bytes);
    doomed->id[session->id.bytes] = '\0';
    code = xylem_lease_read(&owner, cli->txn, session->number, &cli->err);
    if (code == 1 && owner.alive) {
        stay(doomed, LEASED, "");
        xylem_cli__addf(&doomed->why, "process %lld on %s owns the session", (long long)owner.pid, owner.host);
    }
    return code < 0 || (code = xylem_cli__describe_session(cli, &doomed->what, session)) != 0
               ? code
               : xylem_cli__add_deleted(cli, &doomed->element, session);
}

static int find(struct xylem_cli *cli, struct deleting *deleting)
{
    /* no session was active before its leaf */
    const struct xylem_cli__wanted wanted = {
        .file_gone = deleting->given->file_gone, .since_ms = INT64_MIN, .until_ms = deleting->before_ms};
    struct xylem_cli__listing listing = {0};
    int code = xylem_cli__open_reading(cli);
    if (code != 0 || (code = xylem_cli__listing_read(cli, &listing, &wanted)) != 0) {
        goto out;
    }
    deleting->worst = listing.damaged ? XYLEM_CLI__CORRUPT : 0;
    deleting->list = calloc(listing.count + 1, sizeof *deleting->list);
    code = deleting->list ? 0 : xylem_cli__fail_memory(cli);
    for (size_t i = 0; code == 0 && i < listing.count; i++) {
        struct xylem_session session;
        code = xylem_session_read(&session, cli->txn, listing.list[i].number, &cli->err);
        code = code == 0 ? add(cli, deleting, &session) : code;
    }
out:
    xylem_cli__listing_release(&listing);
    return code;
}

/* --- The change --------------------------------------------------------------------------------------------------- */

/* Deletes the session if the rule still concerns it: by now the session may be active, or have its file. */
static int delete_session(struct xylem_cli *cli, struct doomed *doomed, const struct deleting *deleting)
{
    const char *older_than = deleting->given->older_than;
    struct xylem_session session;
    doomed->reason = DELETED; /* an earlier run of the change may have ended otherwise */
    int code = xylem_session_find(&session, cli->txn, xylem_view_of(doomed->id), &cli->err);
    if (code == 0) {
        code = older_than ? look_at_age(cli, doomed, &session, deleting) : xylem_cli__file_gone(cli, &session);
        if (code == 0) {
            stay(doomed, CHANGED, older_than ? "the session was active meanwhile" : "its file is there again");
        } else if (code == 1) {
            code = doomed->reason == DELETED ? xylem_session_delete(cli->txn, session.number, &cli->err) : 0;
        }
    }
    if (code == XYLEM_E_NOT_FOUND || code == XYLEM_E_DELETED || code == XYLEM_E_CONFLICT) {
        stay(doomed, code == XYLEM_E_CONFLICT ? LEASED : CHANGED, cli->err.text);
        code = 0;
    }
    return code;
}

static int change(struct xylem_cli *cli, void *context)
{
    struct deleting *deleting = context;
    int code = 0;
    for (size_t i = 0; code == 0 && i < deleting->count; i++) {
        struct doomed *doomed = &deleting->list[i];
        if (doomed->reason == DELETED || doomed->reason == CHANGED) {
            code = delete_session(cli, doomed, deleting);
        }
    }
    return code;
}

/* --- The report --------------------------------------------------------------------------------------------------- */

/* `2 sessions whose files are gone`, `2 sessions that were last active before 2026-08-22 19:30` */
static void add_sum(struct xylem_cli__text *text, const struct deleting *deleting, size_t count)
{
    if (deleting->given->file_gone) {
        xylem_cli__add_counted(text, count, "session whose file is gone", "sessions whose files are gone");
        return;
    }
    xylem_cli__add_counted(text, count, "session that was", "sessions that were");
    xylem_cli__add(text, " last active before ");
    xylem_cli__add_minute(text, deleting->before_ms);
}

/* Adds a line for each deleted session. */
static void add_lines(struct xylem_cli__text *text, const struct deleting *deleting, const char *verb)
{
    for (size_t i = 0; i < deleting->count; i++) {
        const struct doomed *doomed = &deleting->list[i];
        if (doomed->reason == DELETED) {
            xylem_cli__addf(text, "%s ", verb);
            xylem_cli__add_bytes(text, doomed->what.bytes.data, doomed->what.bytes.bytes);
            xylem_cli__add(text, "\n");
        }
    }
}

/*
 * Sessions that stay. By the rule of age they are counted: nobody asked for these sessions, and a timer must not fail
 * every day. By the rule of files each has a note, and the exit code tells.
 */
static void tell_left(struct xylem_cli *cli, struct xylem_cli__text *text, struct deleting *deleting)
{
    size_t labelled = count_of(deleting, LABELLED);
    size_t leased = count_of(deleting, LEASED);
    size_t changed = count_of(deleting, CHANGED);
    if (deleting->given->older_than && labelled + leased + changed > 0) {
        xylem_cli__add(text, "left ");
        xylem_cli__add_count(text, labelled + leased + changed);
        xylem_cli__addf(text, ": %zu with a label, %zu with a lease", labelled, leased);
        xylem_cli__addf(text, changed > 0 ? ", %zu changed meanwhile\n" : "\n", changed);
        return;
    }
    for (size_t i = 0; i < deleting->count; i++) {
        struct doomed *doomed = &deleting->list[i];
        if (doomed->reason != DELETED) {
            xylem_cli__note(cli, "the session %s stays: %s", doomed->id,
                            doomed->why.failed ? reason_words[doomed->reason] : doomed->why.bytes.data);
            deleting->worst = deleting->worst > XYLEM_CLI__CONFLICT ? deleting->worst : XYLEM_CLI__CONFLICT;
        }
    }
}

static int tell(struct xylem_cli *cli, struct deleting *deleting, const char *verb)
{
    struct xylem_cli__text text = {0};
    size_t count = count_of(deleting, DELETED);
    if (count > 0) {
        add_lines(&text, deleting, verb);
        xylem_cli__addf(&text, "%s ", verb);
        add_sum(&text, deleting, count);
        xylem_cli__add(&text, "\n");
    } else if (deleting->given->older_than) {
        xylem_cli__addf(&text, "nothing to delete: %s session ", deleting->count == 0 ? "no" : "each");
        xylem_cli__add(&text, deleting->count == 0 ? "was last active before " : "that was last active before ");
        xylem_cli__add_minute(&text, deleting->before_ms);
        xylem_cli__add(&text, deleting->count == 0 ? "\n" : " stays\n");
    } else if (deleting->worst == 0 && deleting->count == 0) {
        xylem_cli__add(&text, "nothing to delete: no session's file is gone\n");
    }
    tell_left(cli, &text, deleting);
    return xylem_cli__put_output(cli, &text, false);
}

static int tell_programs(struct xylem_cli *cli, struct deleting *deleting)
{
    struct xylem_cli__text sessions = {0};
    struct xylem_cli__text left = {0};
    struct xylem_cli__text unsaid = {0};
    for (size_t i = 0; i < deleting->count; i++) {
        const struct doomed *doomed = &deleting->list[i];
        struct xylem_cli__text *list = doomed->reason == DELETED ? &sessions : &left;
        if (doomed->reason == DELETED) {
            xylem_cli__json_separate(list);
            xylem_cli__add_bytes(list, doomed->element.bytes.data, doomed->element.bytes.bytes);
        } else {
            xylem_cli__json_begin(list, '{');
            xylem_cli__member_string(list, "session", xylem_view_of(doomed->id));
            xylem_cli__member_string(list, "why", xylem_view_of(reason_words[doomed->reason]));
            xylem_cli__json_end(list, '}');
        }
    }
    tell_left(cli, &unsaid, deleting); /* the notes, and the exit code */
    int code = xylem_cli__put_deleted(cli, deleting->given->dry_run, &sessions, &left);
    xylem_cli__text_release(&sessions);
    xylem_cli__text_release(&left);
    xylem_cli__text_release(&unsaid);
    return code;
}

/* ------------------------------------------------------------------------------------------------------------------ */

int xylem_cli__delete_many(struct xylem_cli *cli, const struct xylem_cli__delete_options *given)
{
    struct deleting deleting = {.given = given, .before_ms = INT64_MAX};
    int code = xylem_cli__when(cli, &deleting.before_ms, given->older_than);
    if (code != 0) {
        return code;
    }
    code = find(cli, &deleting);
    xylem_cli__close_store(cli);
    bool changes = count_of(&deleting, DELETED) > 0 && !given->dry_run;
    if (code == 0 && changes && !given->yes) {
        struct xylem_cli__text question = {0};
        add_lines(&question, &deleting, "would delete");
        xylem_cli__add(&question, "Delete ");
        add_sum(&question, &deleting, count_of(&deleting, DELETED));
        xylem_cli__add(&question, "?");
        code = xylem_cli__confirm(cli, &question, "nothing was deleted");
    }
    if (code == 0 && changes) {
        code = xylem_cli__change(cli, change, &deleting);
    }
    if (code == 0) {
        code = given->json ? tell_programs(cli, &deleting)
                           : tell(cli, &deleting, given->dry_run ? "would delete" : "deleted");
    }
    if (code == 0 && changes && !given->yes && count_of(&deleting, DELETED) > 0) {
        xylem_cli__note_deleted(cli, "sessions --deleted", NULL, "lists what `undelete` brings back");
    }
    code = code == 0 ? deleting.worst : code;
    for (size_t i = 0; i < deleting.count; i++) {
        xylem_cli__text_release(&deleting.list[i].what);
        xylem_cli__text_release(&deleting.list[i].element);
        xylem_cli__text_release(&deleting.list[i].why);
    }
    free(deleting.list);
    return code;
}
