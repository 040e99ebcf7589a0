/*
 * xylem watch: prints the entries and moves that other processes commit to a session. Reads the session's row in a
 * short read transaction several times a second. The text is gathered inside of the transaction and written after its
 * end, so no reader stays open while the program sleeps or waits for the reader of its output.
 */
#include "cli/show/entries.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INTERVAL_MS 150
#define LAST_DEFAULT 10u
#define GATHERED_BYTES_MAX 262144u /* in one transaction */
#define WHO_CELLS_MIN 10u          /* most roles fit */
#define WHO_CELLS_MAX 15u
#define WIDTH_WITH_DAY 100u
#define SUMMARY_CELLS 72u
#define SUMMARY_CELLS_MIN 12u

struct watch_options {
    struct xylem_cli__count number;
    struct xylem_cli__count last;
    bool jsonl;
};

static const struct xylem_cli__option watch_table[] = {
    {"number", 'n', "N", XYLEM_CLI__COUNT, offsetof(struct watch_options, number), "end after N new entries", NULL},
    {"last", 'l', "N", XYLEM_CLI__COUNT, offsetof(struct watch_options, last),
     "begin with the last N entries of the leaf's path (default: 10)", NULL},
    {"jsonl", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct watch_options, jsonl), "print one JSON document a line", NULL},
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

/* The progress of the watch. */
struct watch {
    uint64_t session;
    char id[XYLEM_SESSION_ID_BYTES_MAX + 1];
    uint64_t lsn;        /* entries up to this lsn are known */
    uint64_t move_count; /* moves up to this number are known */
    uint64_t new_count;  /* new entries so far */
    struct xylem_cli__count limit;
    bool jsonl;
    struct xylem_position shown; /* the last printed entry, or the target of the last move */
    size_t id_cells;
    size_t who_cells;
    struct xylem_cli__text text; /* text to write */
    char *data_path;             /* path of data.mdb */
    struct stat data;            /* its device and inode before the store was opened */
};

static bool is_done(const struct watch *watch)
{
    return watch->limit.given && watch->new_count >= watch->limit.number;
}

/* --- The output --------------------------------------------------------------------------------------------------- */

static void begin_event(struct watch *watch, const char *event)
{
    xylem_cli__json_document(&watch->text);
    xylem_cli__member_string(&watch->text, "event", xylem_view_of(event));
}

static void end_event(struct watch *watch)
{
    xylem_cli__json_end(&watch->text, '}');
    xylem_cli__add(&watch->text, "\n");
}

static int add_entry_document(struct xylem_cli *cli, struct watch *watch, const struct xylem_entry *entry, bool is_new)
{
    begin_event(watch, "entry");
    xylem_cli__member_bool(&watch->text, "new", is_new);
    int code = xylem_cli__json_entry(cli, &watch->text, entry, XYLEM_MEMBERS_ENTRY | XYLEM_MEMBERS_PAYLOAD);
    end_event(watch);
    return code;
}

/* Adds a line with the parent if the entry does not follow the line above. */
static int add_fork_point(struct xylem_cli *cli, struct watch *watch, const struct xylem_entry *entry)
{
    struct xylem_view parent;
    int code = xylem_entry_parent_id(&parent, cli->txn, entry, &cli->err);
    if (code < 0 || xylem_cli__position_equal(entry->parent, watch->shown)) {
        return code < 0 ? code : 0;
    }
    xylem_cli__color_on(cli, &watch->text, XYLEM_CLI__DIM);
    if (code == 0) {
        xylem_cli__add(&watch->text, "a new root:");
    } else {
        xylem_cli__add(&watch->text, "below ");
        xylem_cli__add_shown(cli, &watch->text, parent, XYLEM_CLI__EXACT, SIZE_MAX);
        xylem_cli__add(&watch->text, ":");
    }
    xylem_cli__color_off(cli, &watch->text, XYLEM_CLI__DIM);
    xylem_cli__add(&watch->text, "\n");
    return 0;
}

/* Columns begin narrow and grow, because later entries are not known. */
static size_t widen(size_t *cells, size_t wanted)
{
    *cells = *cells > wanted ? *cells : wanted;
    return *cells;
}

/* On a narrow terminal the day is left out: new entries are from today. */
static size_t add_when(const struct xylem_cli *cli, struct watch *watch, int64_t time_ms)
{
    struct xylem_cli__text when = {0};
    size_t skipped = cli->width > 0 && cli->width < WIDTH_WITH_DAY ? sizeof("2026-11-20") : 0;
    xylem_cli__add_time(&when, time_ms);
    size_t cells = when.bytes.bytes > skipped ? when.bytes.bytes - skipped : 0;
    xylem_cli__color_on(cli, &watch->text, XYLEM_CLI__DIM);
    xylem_cli__add_bytes(&watch->text, cells == 0 ? "" : when.bytes.data + skipped, cells);
    xylem_cli__color_off(cli, &watch->text, XYLEM_CLI__DIM);
    watch->text.failed = watch->text.failed || when.failed;
    xylem_cli__text_release(&when);
    return cells;
}

/* `id time who what-it-says` */
static int add_entry_line(struct xylem_cli *cli, struct watch *watch, const struct xylem_entry *entry, bool is_new)
{
    struct xylem_cli__text who = {0};
    struct xylem_cli__said said = {0};
    int code = is_new ? add_fork_point(cli, watch, entry) : 0;
    if (code == 0 && (code = xylem_cli__said_read(cli, &said, entry)) == 0) {
        size_t used = widen(&watch->id_cells, xylem_cli__cells(cli, entry->id, SIZE_MAX)) + 6;
        xylem_cli__add_column(cli, &watch->text, entry->id, watch->id_cells, XYLEM_CLI__YELLOW);
        xylem_cli__add(&watch->text, "  ");
        used += add_when(cli, watch, entry->time_ms);
        xylem_cli__add(&watch->text, "  ");
        xylem_cli__add_who(cli, &who, &said);
        size_t who_cells = xylem_cli__cells(cli, xylem_cli__text_view(&who), WHO_CELLS_MAX);
        used += widen(&watch->who_cells, who_cells < WHO_CELLS_MIN ? WHO_CELLS_MIN : who_cells);
        xylem_cli__add_column(cli, &watch->text, xylem_cli__text_view(&who), watch->who_cells,
                              xylem_cli__who_color(&said));
        xylem_cli__add(&watch->text, "  ");
        size_t left = cli->width == 0 ? SUMMARY_CELLS : cli->width > used ? cli->width - used : 0;
        xylem_cli__add_said_line(cli, &watch->text, &said, left < SUMMARY_CELLS_MIN ? SUMMARY_CELLS_MIN : left);
        xylem_cli__end_line(&watch->text);
    }
    watch->text.failed = watch->text.failed || who.failed;
    xylem_cli__text_release(&who);
    xylem_cli__said_release(&said);
    return code;
}

static int add_entry(struct xylem_cli *cli, struct watch *watch, const struct xylem_entry *entry, bool is_new)
{
    int code = watch->jsonl ? add_entry_document(cli, watch, entry, is_new) : add_entry_line(cli, watch, entry, is_new);
    watch->shown = entry->position;
    return code;
}

static void add_move_document(struct watch *watch, const struct xylem_move *move, struct xylem_view from,
                              struct xylem_view to)
{
    begin_event(watch, "move");
    xylem_cli__member_count(&watch->text, "number", move->number);
    xylem_cli__member_time(&watch->text, "time", move->time_ms);
    xylem_cli__member_maybe(&watch->text, "from", from);
    xylem_cli__member_maybe(&watch->text, "to", to);
    xylem_cli__member_string(&watch->text, "reason", move->reason);
    end_event(watch);
}

static void add_id(const struct xylem_cli *cli, struct watch *watch, struct xylem_view id)
{
    xylem_cli__add_shown(cli, &watch->text, id.data ? id : xylem_view_of("none"), XYLEM_CLI__EXACT, SIZE_MAX);
}

static int add_move(struct xylem_cli *cli, struct watch *watch, const struct xylem_move *move)
{
    struct xylem_view from;
    struct xylem_view to;
    int code;
    watch->shown = move->to;
    if ((code = xylem_cli__entry_id(cli, &from, move->from)) < 0 ||
        (code = xylem_cli__entry_id(cli, &to, move->to)) < 0) {
        return code;
    }
    if (watch->jsonl) {
        add_move_document(watch, move, from, to);
        return 0;
    }
    xylem_cli__color_on(cli, &watch->text, XYLEM_CLI__GREEN);
    xylem_cli__add(&watch->text, "leaf: ");
    add_id(cli, watch, from);
    xylem_cli__add(&watch->text, " -> ");
    add_id(cli, watch, to);
    if (move->reason.bytes > 0) {
        xylem_cli__add(&watch->text, " (");
        xylem_cli__add_shown(cli, &watch->text, move->reason, XYLEM_CLI__ONE_LINE, SIZE_MAX);
        xylem_cli__add(&watch->text, ")");
    }
    xylem_cli__color_off(cli, &watch->text, XYLEM_CLI__GREEN);
    xylem_cli__add(&watch->text, "\n");
    return 0;
}

/* --- New entries and moves ---------------------------------------------------------------------------------------- */

/* 1 if this transaction has room for more, and more is wanted. */
static int go_on(const struct watch *watch)
{
    return !is_done(watch) && watch->text.bytes.bytes < GATHERED_BYTES_MAX ? 1 : 0;
}

/* Gathers new entries up to an lsn. Gives 1 if all were gathered. */
static int gather_entries(struct xylem_cli *cli, struct watch *watch, uint64_t last_lsn)
{
    struct xylem_scan *scan = NULL;
    struct xylem_entry entry;
    if (last_lsn <= watch->lsn) {
        return go_on(watch);
    }
    int code = xylem_scan_after(&scan, cli->txn, watch->session, watch->lsn, &cli->err);
    while (code == 0 && go_on(watch)) {
        code = xylem_scan_next(&entry, scan, &cli->err);
        if (code <= 0 || entry.lsn > last_lsn) {
            code = code < 0 ? code : 0;
            break;
        }
        watch->lsn = entry.lsn;
        watch->new_count++;
        code = add_entry(cli, watch, &entry, true);
    }
    xylem_scan_free(scan);
    return code != 0 ? code : go_on(watch);
}

/* The lsn of an entry, 0 for none. */
static int lsn_of(struct xylem_cli *cli, uint64_t *lsn, struct xylem_position position)
{
    struct xylem_entry entry = {.lsn = 0};
    int code = xylem_cli__position_none(position) ? 0 : xylem_cli__entry_read(cli, &entry, position);
    *lsn = entry.lsn;
    return code;
}

/*
 * Gathers entries and moves in order. A move has no lsn. But an append moves the leaf to the new entry, so every entry
 * appended before a move has an lsn up to that of the leaf before the move.
 */
static int gather_news(struct xylem_cli *cli, struct watch *watch, const struct xylem_session *session)
{
    int code = 1;
    while (code == 1 && watch->move_count < session->move_count) {
        struct xylem_move move;
        uint64_t lsn = 0;
        code = xylem_cli__move_read(cli, &move, watch->session, watch->move_count + 1);
        if (code == 0 && (code = lsn_of(cli, &lsn, move.from)) == 0) {
            code = gather_entries(cli, watch, lsn);
        }
        if (code == 1) {
            watch->move_count++;
            code = add_move(cli, watch, &move);
            if (code == 0) {
                code = go_on(watch);
            }
        }
    }
    return code == 1 ? gather_entries(cli, watch, session->last_lsn) : code;
}

/* --- Following -------------------------------------------------------------------------------------------------- */

/* Ends the transaction, then writes the gathered text. */
static int write_out(struct xylem_cli *cli, struct watch *watch)
{
    xylem_abort(cli->txn);
    cli->txn = NULL;
    if (watch->text.bytes.bytes == 0 && !watch->text.failed) {
        return 0;
    }
    int code = watch->jsonl ? xylem_cli__put_json_piece(cli, &watch->text) : xylem_cli__put(cli, &watch->text);
    return code != 0 ? code : xylem_cli__flush(cli);
}

/* Reads the session once. 1 if there is more to gather at once. */
static int look(struct xylem_cli *cli, struct watch *watch)
{
    struct xylem_session session;
    int code = xylem_begin(&cli->txn, cli->store, XYLEM_READ, &cli->err);
    if (code == 0) {
        code = xylem_session_read(&session, cli->txn, watch->session, &cli->err);
    }
    bool freed = code == XYLEM_E_NOT_FOUND || (code == 0 && session.state == XYLEM_SESSION_FREED);
    if (code != 0 && !freed) {
        return code;
    }
    if (freed || session.state == XYLEM_SESSION_DELETED) {
        code = xylem_cli__fail(cli, XYLEM_E_DELETED, "the session %s was deleted", watch->id);
        if (watch->jsonl) {
            begin_event(watch, "deleted");
            end_event(watch);
        }
    } else if (session.last_lsn > watch->lsn || session.move_count > watch->move_count) {
        code = gather_news(cli, watch, &session);
    }
    bool more = code == 0 && !is_done(watch) && watch->text.bytes.bytes >= GATHERED_BYTES_MAX;
    int written = write_out(cli, watch);
    return written != 0 ? written : code < 0 ? code : more;
}

/* Ends the watch: the store was removed, or another store took its place. */
static int end_without_store(struct xylem_cli *cli, struct watch *watch, bool removed)
{
    if (watch->jsonl) {
        begin_event(watch, removed ? "removed" : "replaced");
        end_event(watch);
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

/* Waits a moment. False if nobody reads standard output any more. */
static bool pause_a_moment(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO};
    return poll(&out, 1, INTERVAL_MS) <= 0 || (out.revents & (POLLERR | POLLHUP)) == 0;
}

/* Notes the file before each opening of the store, so that a replacement during the opening is noticed. */
static int note_data(struct xylem_cli *cli, struct watch *watch)
{
    int code = xylem_cli__locate(cli);
    if (code == 0 && !watch->data_path && asprintf(&watch->data_path, "%s/data.mdb", cli->store_path) < 0) {
        watch->data_path = NULL;
        code = xylem_cli__fail_memory(cli);
    }
    if (code == 0 && stat(watch->data_path, &watch->data) != 0) {
        watch->data = (struct stat){0}; /* the opening reports the error */
    }
    return code;
}

/* Finds the session in the reopened store. A store without the session is another store. */
static int find_again(struct xylem_cli *cli, struct watch *watch)
{
    struct xylem_session session;
    int code = xylem_cli__session_exact(cli, &session, xylem_view_of(watch->id));
    bool same = code == 1 && session.number == watch->session;
    xylem_abort(cli->txn);
    cli->txn = NULL;
    if (code < 0 || same) {
        return code < 0 ? code : 0;
    }
    return end_without_store(cli, watch, false);
}

/* Closes the store for a process that needs the store alone, and opens the store again when that process is done. */
static int give_way(struct xylem_cli *cli, struct watch *watch)
{
    int code = XYLEM_E_BUSY;
    xylem_cli__close_store(cli);
    while (code == XYLEM_E_BUSY) {
        if (xylem_cli__interrupted() || !pause_a_moment()) {
            return 0;
        }
        code = note_data(cli, watch);
        if (code == 0 && (code = xylem_cli__open_reading(cli)) == 0 && xylem_store_wanted(cli->store, NULL) == 1) {
            xylem_cli__close_store(cli);
            code = XYLEM_E_BUSY;
        }
    }
    return code != 0 ? code : find_again(cli, watch);
}

static int follow(struct xylem_cli *cli, struct watch *watch)
{
    int code = 0;
    while (code >= 0 && !is_done(watch)) {
        if (xylem_cli__interrupted()) {
            return XYLEM_CLI__INTERRUPTED;
        }
        if (code == 0 && !pause_a_moment()) {
            return XYLEM_CLI__OK;
        }
        code = cli->store ? xylem_store_wanted(cli->store, &cli->err) : 1;
        code = code == 1 ? give_way(cli, watch) : code;
        if (code == 0 && !cli->store) {
            return xylem_cli__interrupted() ? XYLEM_CLI__INTERRUPTED : XYLEM_CLI__OK;
        }
        code = code != 0 || xylem_cli__interrupted() ? code : look(cli, watch);
        if (code == 0) {
            code = check_in_place(cli, watch);
        }
    }
    return code < 0 ? code : 0;
}

/* --- The beginning ---------------------------------------------------------------------------------------------- */

/* Gathers the last entries of the leaf's path, oldest first. */
static int gather_last(struct xylem_cli *cli, struct watch *watch, const struct xylem_session *session, uint64_t count)
{
    struct xylem_position from = session->leaf;
    struct xylem_entry entry;
    int code = 0;
    for (uint64_t left = count < from.depth ? count : from.depth; code == 0 && left > 0; left--) {
        struct xylem_position position = from;
        code = xylem_cli__ancestor_at(cli, &position, from, from.depth - left + 1);
        if (code == 0 && (code = xylem_cli__entry_read(cli, &entry, position)) == 0) {
            code = add_entry(cli, watch, &entry, false);
        }
    }
    watch->shown = session->leaf;
    return code;
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct watch_options *given = options;
    struct watch watch = {.limit = given->number, .jsonl = given->jsonl};
    struct xylem_session session;
    int code = note_data(cli, &watch);
    cli->close_idle = xylem_cli__close_store;
    if (code != 0 || (code = xylem_cli__open_reading(cli)) != 0 ||
        (code = xylem_cli__session(cli, &session, arguments[0])) != 0) {
        goto out;
    }
    xylem_cli__signals_defer();
    watch.session = session.number;
    memcpy(watch.id, session.id.data, session.id.bytes);
    watch.move_count = session.move_count;
    if ((code = lsn_of(cli, &watch.lsn, session.base)) != 0) {
        goto out;
    }
    /* the watch begins behind the session's newest entry, base included */
    watch.lsn = session.last_lsn > watch.lsn ? session.last_lsn : watch.lsn;
    code = gather_last(cli, &watch, &session, given->last.given ? given->last.number : LAST_DEFAULT);
    if (code == 0 && (code = write_out(cli, &watch)) == 0) {
        code = follow(cli, &watch);
    }
out:
    xylem_cli__text_release(&watch.text);
    free(watch.data_path);
    return code;
}

const struct xylem_cli__command xylem_cli__cmd_watch = {
    .name = "watch",
    .group = XYLEM_CLI__LOOK,
    .summary = "Print the entries of a session as they are committed",
    .usage = "SESSION [-n N] [--last N] [--jsonl]",
    .details =
        "Begins with the last entries of the leaf's path, oldest first, and goes on until interrupted. A line has\n"
        "id, local time, role or kind, and a summary of the entry; a move of the leaf is a line too. While\n"
        "`redact` or `compact` needs the store alone, `watch` closes the store.\n",
    .options = watch_table,
    .options_bytes = sizeof(struct watch_options),
    .arguments_min = 1,
    .arguments_max = 1,
    .arguments = {XYLEM_CLI__SESSION},
    .run = run,
};
