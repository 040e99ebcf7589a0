/*
 * xylem watch: prints what other processes commit to a session, or to any session. Waits for commits without a
 * transaction, and reads the new changes of the feed in a short read transaction after each. The text is gathered inside
 * of the transaction and written after its end, so no reader stays open while the program sleeps or waits for the reader
 * of its output.
 */
#include "cli/watch.h"
#include "xylem/feed.h"
#include "xylem/inspect.h"
#include "xylem/wake.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INTERVAL_MS 150 /* without a store */
#define WANTED_MS 500   /* between two questions whether another process needs the store alone */
#define LAST_DEFAULT 10u
#define GATHERED_BYTES_MAX 262144u /* in one transaction */

struct watch_options {
    struct xylem_cli__count number;
    struct xylem_cli__count last;
    bool jsonl;
};

static const struct xylem_cli__option watch_table[] = {
    {"number", 'n', "N", XYLEM_CLI__COUNT, offsetof(struct watch_options, number), "end after N new entries", NULL},
    {"last", 0, "N", XYLEM_CLI__COUNT, offsetof(struct watch_options, last),
     "begin with the last N entries of the leaf's path (default: 10)", NULL},
    {"jsonl", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct watch_options, jsonl), "print one JSON document a line", NULL},
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

/* The progress of the watch. */
struct watch {
    struct xylem_cli__followed *followed; /* by ascending number; without `whole_store` the only session */
    size_t count;
    size_t capacity;
    struct xylem_cursor cursor; /* changes up to here are known */
    uint64_t new_count;         /* new entries so far */
    struct xylem_cli__count limit;
    struct xylem_cli__watched out;
    bool told_polling;
    char *data_path;  /* path of data.mdb */
    struct stat data; /* its device and inode when the store was open */
};

static bool is_done(const struct watch *watch)
{
    return watch->limit.given && watch->new_count >= watch->limit.number;
}

/* --- Sessions ------------------------------------------------------------------------------------------------------ */

/* The first place of a number that is not smaller. */
static size_t place_of(const struct watch *watch, uint64_t number)
{
    size_t low = 0;
    size_t high = watch->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (watch->followed[middle].number < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* True for a session whose import has not finished, also while the session is deleted. */
static bool is_hidden(const struct xylem_session *session)
{
    return session->state == XYLEM_SESSION_IMPORTING || session->import_unfinished;
}

/* Begins to follow a session. */
static int follow_session(struct xylem_cli *cli, struct watch *watch, const struct xylem_session *session,
                          struct xylem_position shown)
{
    struct xylem_cli__followed followed = {.number = session->number, .hidden = is_hidden(session), .shown = shown};
    size_t at = place_of(watch, session->number);
    memcpy(followed.id, session->id.data, session->id.bytes);
    int code = xylem_cli__list_add(cli, &watch->followed, &watch->count, &watch->capacity, &followed, sizeof followed);
    if (code == 0) {
        memmove(&watch->followed[at + 1], &watch->followed[at], (watch->count - 1 - at) * sizeof followed);
        watch->followed[at] = followed;
    }
    return code;
}

static int add_entry(struct xylem_cli *cli, struct watch *watch, struct xylem_cli__followed *followed,
                     const struct xylem_entry *entry)
{
    watch->new_count++;
    return xylem_cli__watch_entry(cli, &watch->out, followed, entry, true);
}

/* True if this transaction has room for more, and more is wanted. */
static bool go_on(const struct watch *watch)
{
    return !is_done(watch) && watch->out.text.bytes.bytes < GATHERED_BYTES_MAX;
}

/* Shows a session that was hidden, with its entries up to an lsn: 0 at the end, or 1 if there is no more room. */
static int reveal(struct xylem_cli *cli, struct watch *watch, struct xylem_cli__followed *followed,
                  const struct xylem_session *session, uint64_t last_lsn)
{
    struct xylem_scan *scan = NULL;
    struct xylem_entry entry = {.lsn = 0};
    int code = 0;
    if (!followed->named) {
        code = xylem_cli__position_none(session->base) ? 0 : xylem_cli__entry_read(cli, &entry, session->base);
        code = code != 0 ? code : xylem_cli__watch_session(cli, &watch->out, followed, session);
        followed->named = true;
        followed->lsn = entry.lsn;
    }
    if (code != 0 || (code = xylem_scan_after(&scan, cli->txn, session->number, followed->lsn, &cli->err)) != 0) {
        return code;
    }
    while (go_on(watch) && (code = xylem_scan_next(&entry, scan, &cli->err)) == 1 && entry.lsn <= last_lsn &&
           (code = add_entry(cli, watch, followed, &entry)) == 0) {
        followed->lsn = entry.lsn;
    }
    xylem_scan_free(scan);
    followed->hidden = code >= 0 && followed->lsn < last_lsn && !go_on(watch);
    return code < 0 ? code : followed->hidden;
}

/* --- Changes ------------------------------------------------------------------------------------------------------- */

static int add_change(struct xylem_cli *cli, struct watch *watch, struct xylem_cli__followed *followed,
                      const struct xylem_change *change)
{
    struct xylem_entry entry;
    struct xylem_move move;
    int code;
    switch (change->type) {
    case XYLEM_CHANGE_ENTRY:
        code = xylem_cli__entry_read(cli, &entry, change->position);
        return code != 0 ? code : add_entry(cli, watch, followed, &entry);
    case XYLEM_CHANGE_MOVED:
        code = xylem_move_read(&move, cli->txn, change->session, change->move_number, &cli->err);
        return code == XYLEM_E_NOT_FOUND ? 0 /* freed since */
               : code < 0                ? code
                                         : xylem_cli__watch_move(cli, &watch->out, followed, &move);
    case XYLEM_CHANGE_REDACTED:
        code = xylem_entry_read(&entry, cli->txn, change->position, &cli->err);
        return code == XYLEM_E_FREED ? 0
               : code < 0            ? code
                                     : xylem_cli__watch_redacted(cli, &watch->out, followed, entry.id);
    case XYLEM_CHANGE_DELETED:
    case XYLEM_CHANGE_UNDELETED:
    case XYLEM_CHANGE_FREED:
        /* The end of a watch of one session has a message of its own. */
        return watch->out.whole_store ? xylem_cli__watch_state(cli, &watch->out, followed, change->type) : 0;
    default:
        return 0; /* a document is no line; a made session was told before its first change */
    }
}

/*
 * The session of a change:
 *
 *     followed                          the change is a line
 *     new                               the session is a line, then it is followed from its base on
 *     its import has not finished       hidden: no line; with the first change behind its end, all of its entries are
 *     freed, in part or all             no line
 *     in a namespace                    no line
 *
 * 0, or 1 if there is no room for all entries of a hidden session.
 */
static int take_change(struct xylem_cli *cli, struct watch *watch, const struct xylem_change *change)
{
    struct xylem_session session;
    size_t at = place_of(watch, change->session);
    bool known = at < watch->count && watch->followed[at].number == change->session;
    int code = 0;
    if ((!known || watch->followed[at].hidden) && change->type != XYLEM_CHANGE_FREED) {
        code = xylem_session_read(&session, cli->txn, change->session, &cli->err);
        if (code == XYLEM_E_NOT_FOUND ||
            (code == 0 && (session.state == XYLEM_SESSION_FREED || session.name_space.bytes > 0))) {
            return 0;
        }
        if (code == 0 && !known) {
            code = follow_session(cli, watch, &session, session.base);
        }
        if (code != 0 || is_hidden(&session)) {
            return code;
        }
        code = known ? reveal(cli, watch, &watch->followed[at], &session, change->lsn)
                     : xylem_cli__watch_session(cli, &watch->out, &watch->followed[at], &session);
        if (code != 0 || (known && change->type == XYLEM_CHANGE_ENTRY)) { /* the entry was shown with the session */
            return code;
        }
        known = true;
    }
    return known && !watch->followed[at].hidden ? add_change(cli, watch, &watch->followed[at], change) : code;
}

/* 1 if the change is of a watched session, or removes text from an entry that a watched fork shares; else 0. */
static int is_watched(struct xylem_cli *cli, const struct watch *watch, const struct xylem_change *change)
{
    uint64_t number = watch->out.whole_store ? change->session : watch->followed[0].number;
    return change->session == number               ? 1
           : change->type == XYLEM_CHANGE_REDACTED ? xylem_belongs(cli->txn, number, change->position, &cli->err)
                                                   : 0;
}

/* Ends the watch of one session, if the session is gone by now. */
static int end_if_gone(struct xylem_cli *cli, struct watch *watch)
{
    struct xylem_session session;
    int code = xylem_session_read(&session, cli->txn, watch->followed[0].number, &cli->err);
    if (code == 0 && session.state != XYLEM_SESSION_DELETED && session.state != XYLEM_SESSION_FREED) {
        return 0;
    }
    if (watch->out.jsonl && (code == 0 || code == XYLEM_E_NOT_FOUND)) {
        code = xylem_cli__watch_state(cli, &watch->out, &watch->followed[0], XYLEM_CHANGE_DELETED);
    }
    return code < 0 && code != XYLEM_E_NOT_FOUND
               ? code
               : xylem_cli__fail(cli, XYLEM_E_DELETED, "the session %s was deleted", watch->followed[0].id);
}

/* Gathers new changes. A watch of one session ends with the session. */
static int gather_changes(struct xylem_cli *cli, struct watch *watch)
{
    struct xylem_feed *feed = NULL;
    struct xylem_change change;
    int code = xylem_feed_new(&feed, cli->txn, &watch->cursor, &cli->err);
    while (code == 0 && go_on(watch) && (code = xylem_feed_next(&change, feed, &cli->err)) == 1) {
        if ((code = is_watched(cli, watch, &change)) == 1) {
            bool ends = !watch->out.whole_store && change.type == XYLEM_CHANGE_DELETED;
            change.session = watch->out.whole_store ? change.session : watch->followed[0].number;
            code = ends ? end_if_gone(cli, watch) : take_change(cli, watch, &change);
        }
        if (code == 0) {
            watch->cursor.lsn = change.lsn;
            watch->cursor.chain = 0; /* a chain costs more than it proves to a process that has the store open */
        }
    }
    xylem_feed_free(feed);
    return code < 0 ? code : 0;
}

/* --- Following -------------------------------------------------------------------------------------------------- */

/* Ends the transaction, then writes the gathered text. */
static int write_out(struct xylem_cli *cli, struct watch *watch)
{
    xylem_abort(cli->txn);
    cli->txn = NULL;
    if (watch->out.text.bytes.bytes == 0 && !watch->out.text.failed) {
        return 0;
    }
    int code =
        watch->out.jsonl ? xylem_cli__put_json_piece(cli, &watch->out.text) : xylem_cli__put(cli, &watch->out.text);
    return code != 0 ? code : xylem_cli__flush(cli);
}

/* Looks once. 1 if there is more to gather at once. */
static int look(struct xylem_cli *cli, struct watch *watch)
{
    int code = xylem_begin(&cli->txn, cli->store, XYLEM_READ, &cli->err);
    if (code == 0) {
        code = gather_changes(cli, watch);
    }
    xylem_cli__short_ids_release(&watch->out.short_ids);
    watch->out.short_ids = (struct xylem_cli__short_ids){0};
    bool more = code >= 0 && !is_done(watch) && watch->out.text.bytes.bytes >= GATHERED_BYTES_MAX;
    int written = write_out(cli, watch);
    return written != 0 ? written : code < 0 ? code : more;
}

/* Ends the watch: the store was removed, or another store took its place. */
static int end_without_store(struct xylem_cli *cli, struct watch *watch, bool removed)
{
    if (watch->out.jsonl) {
        xylem_cli__watch_begin_event(&watch->out, NULL, removed ? "removed" : "replaced");
        xylem_cli__watch_end_event(&watch->out);
    }
    int written = write_out(cli, watch);
    if (written < 0) {
        return written;
    }
    return removed ? xylem_cli__fail(cli, XYLEM_E_NOT_FOUND, "the store in %s was removed", cli->store_path)
                   : xylem_cli__fail(cli, XYLEM_E_CONFLICT, "another store took the place of %s: start the watch again",
                                     cli->store_path);
}

/*
 * Fails if the store's path names another file or no file. The open file was then moved away, alone or with its
 * directory: nobody appends to the open file any more, and entries of a new store in its place would be missed.
 */
static int check_in_place(struct xylem_cli *cli, struct watch *watch)
{
    struct stat now;
    bool there = stat(watch->data_path, &now) == 0;
    bool removed = !there && (errno == ENOENT || errno == ENOTDIR);
    bool same = there && now.st_dev == watch->data.st_dev && now.st_ino == watch->data.st_ino;
    return same || (!there && !removed) ? 0 : end_without_store(cli, watch, removed);
}

/* Waits for a commit (`store`) or a moment. False if nobody reads standard output any more. */
static bool wait_for(int wake, int limit_ms)
{
    struct pollfd fds[] = {{.fd = STDOUT_FILENO}, {.fd = wake, .events = POLLIN}};
    return poll(fds, 2, limit_ms) <= 0 || (fds[0].revents & (POLLERR | POLLHUP)) == 0;
}

/* Opens the store, which may wait for a process that replaces the file, and then notes the file. */
static int open_and_note(struct xylem_cli *cli, struct watch *watch)
{
    int code = xylem_cli__open_reading(cli);
    if (code == 0 && !watch->data_path && asprintf(&watch->data_path, "%s/data.mdb", cli->store_path) < 0) {
        watch->data_path = NULL;
        code = xylem_cli__fail_memory(cli);
    }
    if (code == 0 && stat(watch->data_path, &watch->data) != 0) {
        watch->data = (struct stat){0}; /* the next look ends the watch */
    }
    return code;
}

/* Makes the wake-up of an opened store. */
static int start_waking(struct xylem_cli *cli, struct watch *watch)
{
    int code = xylem_wake_new(&cli->wake, cli->store, &cli->err);
    if (code == XYLEM_E_BUSY) { /* the file left its place since it was opened */
        int gone = check_in_place(cli, watch);
        return gone != 0 ? gone : code;
    }
    if (code == 0 && xylem_wake_polling(cli->wake) && !watch->told_polling) {
        watch->told_polling = true;
        xylem_cli__note(cli, "%s", xylem_wake_polling(cli->wake));
    }
    return code;
}

/*
 * Closes the store for a process that needs the store alone, and opens the store again when that process is done. Goes
 * on if the reopened store is the store from before, with all changes that were shown; a watched session, too.
 */
static int give_way(struct xylem_cli *cli, struct watch *watch)
{
    struct xylem_session session;
    struct xylem_feed *feed = NULL;
    int code = XYLEM_E_BUSY;
    xylem_cli__close_store(cli);
    while (code == XYLEM_E_BUSY) {
        if (xylem_cli__interrupted() || !wait_for(-1, INTERVAL_MS)) {
            return 0;
        }
        if ((code = open_and_note(cli, watch)) == 0 && xylem_store_wanted(cli->store, NULL) == 1) {
            xylem_cli__close_store(cli);
            code = XYLEM_E_BUSY;
        }
    }
    if (code != 0) {
        return code;
    }
    code = xylem_feed_new(&feed, cli->txn, &watch->cursor, &cli->err);
    int same = code == XYLEM_E_CONFLICT ? 0 : code < 0 ? code : 1;
    xylem_feed_free(feed);
    if (same == 1 && !watch->out.whole_store &&
        (same = xylem_cli__session_exact(cli, &session, xylem_view_of(watch->followed[0].id))) == 1) {
        same = session.number == watch->followed[0].number;
    }
    xylem_abort(cli->txn);
    cli->txn = NULL;
    return same < 0 ? same : same == 0 ? end_without_store(cli, watch, false) : start_waking(cli, watch);
}

/* 1 if the store may have news, else 0. A file that left its place is reported by check_in_place(). */
static int wait_for_news(struct xylem_cli *cli, struct watch *watch)
{
    struct xylem_error err;
    int code = xylem_wake_take(cli->wake, &err);
    if (code == XYLEM_E_BUSY || code == XYLEM_E_READERS_FULL) {
        code = check_in_place(cli, watch);
        return code != 0 ? code : 1; /* the look has the error, if there still is one */
    }
    if (code < 0) {
        cli->err = err;
    }
    return code;
}

/* The first look comes at once: there may be commits since the store was read. */
static int follow(struct xylem_cli *cli, struct watch *watch)
{
    int code = 1;
    while (code >= 0 && !is_done(watch)) {
        if (xylem_cli__interrupted()) {
            return XYLEM_CLI__INTERRUPTED;
        }
        if (code == 0 && !wait_for(xylem_wake_fd(cli->wake), WANTED_MS)) {
            return XYLEM_CLI__OK;
        }
        bool more = code == 1;
        code = cli->store ? xylem_store_wanted(cli->store, &cli->err) : 1;
        if (code == 1) {
            code = give_way(cli, watch);
            more = true;
        }
        if (code == 0 && !cli->store) {
            return xylem_cli__interrupted() ? XYLEM_CLI__INTERRUPTED : XYLEM_CLI__OK;
        }
        if (code == 0 && !xylem_cli__interrupted() && (more || (code = wait_for_news(cli, watch)) == 1)) {
            code = look(cli, watch);
        }
        if (code == 0 || code == XYLEM_E_BUSY) { /* of a missing store, or of another one, the watch has an event */
            int gone = check_in_place(cli, watch);
            code = gone != 0 ? gone : code;
        }
    }
    return code < 0 ? code : 0;
}

/* --- The beginning ---------------------------------------------------------------------------------------------- */

static int follow_seen(struct xylem_cli *cli, void *watch, const struct xylem_session *session)
{
    return session->state == XYLEM_SESSION_FREED
               ? 0
               : follow_session(cli, watch, session, is_hidden(session) ? session->base : session->leaf);
}

/* Begins to follow a session, and gathers the last entries of the leaf's path, oldest first. */
static int start_session(struct xylem_cli *cli, struct watch *watch, const char *spec, uint64_t count)
{
    struct xylem_session session;
    struct xylem_entry entry;
    int code;
    if ((code = xylem_cli__session(cli, &session, spec)) != 0 ||
        (code = follow_session(cli, watch, &session, session.leaf)) != 0) {
        return code;
    }
    struct xylem_position leaf = session.leaf;
    for (uint64_t left = count < leaf.depth ? count : leaf.depth; code == 0 && left > 0; left--) {
        struct xylem_position position = leaf;
        code = xylem_cli__ancestor_at(cli, &position, leaf, leaf.depth - left + 1);
        if (code == 0 && (code = xylem_cli__entry_read(cli, &entry, position)) == 0) {
            code = xylem_cli__watch_entry(cli, &watch->out, &watch->followed[0], &entry, false);
        }
    }
    watch->followed[0].shown = leaf;
    return code;
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct watch_options *given = options;
    struct watch watch = {.limit = given->number, .out = {.jsonl = given->jsonl, .whole_store = !arguments[0]}};
    int code;
    if (!arguments[0] && given->last.given) {
        return xylem_cli__usage(cli, "--last needs a session");
    }
    cli->close_idle = xylem_cli__close_store;
    if ((code = open_and_note(cli, &watch)) != 0) {
        goto out;
    }
    xylem_cli__signals_defer();
    if ((code = xylem_feed_last(&watch.cursor, cli->txn, &cli->err)) == 0) {
        code = arguments[0]
                   ? start_session(cli, &watch, arguments[0], given->last.given ? given->last.number : LAST_DEFAULT)
                   : xylem_cli__each_session(cli, follow_seen, &watch);
    }
    if (code == 0 && (code = write_out(cli, &watch)) == 0 && !is_done(&watch)) {
        code = start_waking(cli, &watch);
    }
    code = code == 0 ? follow(cli, &watch) : code;
out:
    xylem_cli__text_release(&watch.out.text);
    free(watch.followed);
    free(watch.data_path);
    return code;
}

const struct xylem_cli__command xylem_cli__cmd_watch = {
    .name = "watch",
    .group = XYLEM_CLI__LOOK,
    .summary = "Print the entries of a session, or of the store, as they are committed",
    .usage = "[SESSION] [-n N] [--last N] [--jsonl]",
    .details =
        "Begins with the last entries of the leaf's path, oldest first, and goes on until interrupted. A line has\n"
        "id, local time, role or kind, and a summary of the entry; a move of the leaf is a line too. Without\n"
        "SESSION, lines come from all sessions and name the session; new sessions, forks and deletions are lines\n"
        "too. What pi writes into its files comes into the store by imports: `xylem import --follow` goes on "
        "importing.\n"
        "While `redact` or `compact` needs the store alone, `watch` closes the store.\n",
    .options = watch_table,
    .options_bytes = sizeof(struct watch_options),
    .arguments_max = 1,
    .arguments = {XYLEM_CLI__SESSION},
    .run = run,
};
