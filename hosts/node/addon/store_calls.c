/* Operations on a store: each is one transaction at most. */
#include "hosts/node/addon/addon.h"
#include "xylem/branch.h"
#include "xylem/files.h"
#include "xylem/lease.h"
#include "xylem/outline.h"
#include "xylem/sequence.h"

#include <stdlib.h>
#include <string.h>

#include "hosts/node/addon/strings.h"

/* --- Open and close ---------------------------------------------------------------------------------------------- */

struct open_call {
    struct call call;
    const char *path;
    struct xylem_open_options options;
    struct shared_store *opened;
};

static const struct field open_options[] = {
    {"create", FIELD_BOOL, MAYBE_AT(open_call, options.create)},
    {"readOnly", FIELD_BOOL, MAYBE_AT(open_call, options.read_only)},
    {"waitMs", FIELD_COUNT, MAYBE_AT(open_call, options.wait_ms)},
    {.name = NULL},
};
static const struct field open_arguments[] = {
    {"path", FIELD_NAME, AT(open_call, path)},
    {"options", FIELD_OBJECT, .optional = true, .fields = open_options},
    {.name = NULL},
};
static const struct field open_answer[] = {{"the store", FIELD_STORE, AT(open_call, opened)}};

static int run_open(struct call *call)
{
    struct open_call *open = (struct open_call *)call;
    /* Only the promise waits for a process that replaces the file of the store: the replacement takes seconds. */
    if (call->deferred) {
        open->options.open_wait_ms = open->options.wait_ms > 0 ? open->options.wait_ms : UINT64_MAX;
    }
    return store_open(&open->opened, open->path, &open->options, &call->err);
}

static void release_open(struct call *call)
{
    struct open_call *open = (struct open_call *)call;
    if (open->opened) {
        store_drop(open->opened);
    }
}

/* The end of the call gives the reference of the handle back; promises under way have their own. */
static const struct field close_arguments[] = {
    {"the store", FIELD_CLOSED_STORE, AT(call, store)},
    {.name = NULL},
};

struct status_call {
    struct call call;
    const char *warning;
    bool wanted;
};

static const struct field status_arguments[] = {{"the store", FIELD_STORE, AT(call, store)}, {.name = NULL}};
static const struct field warning_answer[] = {{"warning", FIELD_NAME, AT(status_call, warning)}};
static const struct field wanted_answer[] = {{"wanted", FIELD_BOOL, AT(status_call, wanted)}};

static int run_warning(struct call *call)
{
    ((struct status_call *)call)->warning = xylem_store_warning(store_handle(call->store));
    return 0;
}

static int run_wanted(struct call *call)
{
    int code = xylem_store_wanted(store_handle(call->store), &call->err);
    bool stale = code == XYLEM_E_BUSY; /* a file of the store was removed or replaced */
    ((struct status_call *)call)->wanted = code == 1 || stale;
    return stale ? 0 : code;
}

/* --- Sessions ---------------------------------------------------------------------------------------------------- */

struct session_call {
    struct call call;
    struct xylem_view id;
    struct xylem_view entry_id;
    struct xylem_view leaf_id;
    const char *path;
    uint64_t number;
    uint64_t entry_count;
    bool deleted;
    bool has;
    bool noted;
};

static const struct field session_arguments[] = {
    {"the store", FIELD_STORE, AT(call, store)},
    {"the session's id", FIELD_STRING, AT(session_call, id)},
    {.name = NULL},
};
static const struct field session_answer[] = {
    {"number", FIELD_COUNT, AT(session_call, number)},
    {"deleted", FIELD_BOOL, AT(session_call, deleted)},
    {"entryCount", FIELD_COUNT, AT(session_call, entry_count)},
    {"leafId", FIELD_STRING, AT(session_call, leaf_id)},
    {.name = NULL},
};
static const struct field entry_arguments[] = {
    {"the store", FIELD_STORE, AT(call, store)},
    {"the session's id", FIELD_STRING, AT(session_call, id)},
    {"the entry's id", FIELD_STRING, AT(session_call, entry_id)},
    {.name = NULL},
};
static const struct field file_arguments[] = {
    {"the store", FIELD_STORE, AT(call, store)},
    {"the session's id", FIELD_STRING, AT(session_call, id)},
    {"path", FIELD_NAME, AT(session_call, path)},
    {.name = NULL},
};
static const struct field noted_answer[] = {{"noted", FIELD_BOOL, AT(session_call, noted)}};
static const struct field has_answer[] = {{"has", FIELD_BOOL, AT(session_call, has)}};

int session_of_id(struct xylem_session *session, struct xylem_txn *txn, struct xylem_view id, struct xylem_error *err)
{
    int code = xylem_session_find(session, txn, id, err);
    struct xylem_sessions *sessions;
    if (code != XYLEM_E_DELETED || (code = xylem_sessions_beginning(&sessions, txn, id, err)) < 0) {
        return code;
    }
    code = xylem_sessions_next(session, sessions, err); /* longer ids come behind */
    xylem_sessions_free(sessions);
    return code == 1 ? 0 : code < 0 ? code : fail(err, XYLEM_E_NOT_FOUND, NULL);
}

static int read_session(struct call *call, struct xylem_txn *txn)
{
    struct session_call *asked = (struct session_call *)call;
    struct xylem_session session;
    struct xylem_outline outline;
    struct xylem_entry leaf;
    int code = session_of_id(&session, txn, asked->id, &call->err);
    if (code == XYLEM_E_NOT_FOUND) {
        call->none = true;
        return 0;
    }
    if (code < 0 || (code = xylem_outline_read(&outline, NULL, txn, &session, &call->err)) < 0) {
        return code;
    }
    asked->number = session.number;
    asked->deleted = session.state == XYLEM_SESSION_DELETED;
    asked->entry_count = outline.entry_count;
    if (session.leaf.depth > 0 && (code = xylem_entry_read(&leaf, txn, session.leaf, &call->err)) == 0) {
        code = call_keep(&asked->leaf_id, call, leaf.id);
    }
    return code;
}

static int read_has(struct call *call, struct xylem_txn *txn)
{
    struct session_call *asked = (struct session_call *)call;
    struct xylem_session session;
    struct xylem_position position;
    int code = session_of_id(&session, txn, asked->id, &call->err);
    if (code == 0) {
        code = xylem_find(&position, txn, session.number, asked->entry_id, &call->err);
        asked->has = code == 0;
    }
    return code == XYLEM_E_NOT_FOUND ? 0 : code;
}

static int write_deletion(struct call *call, struct xylem_txn *txn)
{
    struct xylem_session session;
    int code = xylem_session_find(&session, txn, ((struct session_call *)call)->id, &call->err);
    return code < 0 ? code : xylem_session_delete(txn, session.number, &call->err);
}

static int write_undeletion(struct call *call, struct xylem_txn *txn)
{
    struct xylem_session session;
    int code = session_of_id(&session, txn, ((struct session_call *)call)->id, &call->err);
    return code < 0 ? code : xylem_session_undelete(txn, session.number, &call->err);
}

static int write_file_note(struct call *call, struct xylem_txn *txn)
{
    struct session_call *asked = (struct session_call *)call;
    struct xylem_session session;
    int code = xylem_session_find(&session, txn, asked->id, &call->err);
    code = code < 0 ? code : xylem_session_file_note(txn, session.number, asked->path, &call->err);
    asked->noted = code == 1;
    return code < 0 ? code : 0;
}

/* --- Forks ------------------------------------------------------------------------------------------------------- */

struct fork_call {
    struct call call;
    struct xylem_view id;
    struct xylem_view entry_id; /* data NULL: a fork at the leaf */
    struct xylem_view fork_id;  /* data NULL: the library makes an id */
};

static const struct field fork_arguments[] = {
    {"the store", FIELD_STORE, AT(call, store)},
    {"the session's id", FIELD_STRING, AT(fork_call, id)},
    {"the entry's id", FIELD_STRING, MAYBE_AT(fork_call, entry_id)},
    {"the fork's id", FIELD_STRING, MAYBE_AT(fork_call, fork_id)},
    {.name = NULL},
};
static const struct field fork_answer[] = {{"the fork's id", FIELD_STRING, AT(fork_call, fork_id)}};

static int write_fork(struct call *call, struct xylem_txn *txn)
{
    struct fork_call *asked = (struct fork_call *)call;
    struct xylem_session_options options = {.id = asked->fork_id};
    struct xylem_session source;
    struct xylem_session fork;
    struct xylem_position position;
    int code = xylem_session_find(&source, txn, asked->id, &call->err);
    if (code < 0) {
        return code;
    }
    if (!asked->entry_id.data) {
        code = xylem_clone(&fork, txn, source.number, &options, &call->err);
    } else if ((code = xylem_find(&position, txn, source.number, asked->entry_id, &call->err)) == 0) {
        code = xylem_fork(&fork, txn, source.number, position, XYLEM_FORK_AT, &options, &call->err);
    }
    return code < 0 ? code : call_keep(&asked->fork_id, call, fork.id);
}

/* --- Leases ------------------------------------------------------------------------------------------------------ */

/* The number of a live session. */
static int read_number(struct call *call, struct xylem_txn *txn)
{
    struct session_call *asked = (struct session_call *)call;
    struct xylem_session session;
    int code = xylem_session_find(&session, txn, asked->id, &call->err);
    if (code == 0) {
        asked->number = session.number;
    }
    return code;
}

static int run_lease_take(struct call *call)
{
    int code = call_read(call, read_number);
    return code < 0 ? code : store_lease_take(call->store, ((struct session_call *)call)->number, &call->err);
}

/* Also of a session that was deleted since. */
static int run_lease_release(struct call *call)
{
    int code = call_read(call, read_session);
    return code < 0 || call->none ? code
                                  : store_lease_release(call->store, ((struct session_call *)call)->number, &call->err);
}

/* --- Lists ------------------------------------------------------------------------------------------------------- */

struct list_call {
    struct call call;
    struct xylem_view id;
    uint64_t max;
    struct xylem_view *texts; /* lines; of orphans, pairs: the id of a session, and its cwd */
    size_t text_count;
    size_t text_room;
    size_t orphan_count;
    struct xylem_buffer file;
};

static const struct field entries_arguments[] = {
    {"the store", FIELD_STORE, AT(call, store)},
    {"the session's id", FIELD_STRING, AT(list_call, id)},
    {"max", FIELD_COUNT, MAYBE_AT(list_call, max)},
    {.name = NULL},
};
static const struct field entries_answer[] = {
    {"entries", FIELD_STRINGS, AT(list_call, texts), COUNT_AT(list_call, text_count)}};
static const struct field lines_arguments[] = {
    {"the store", FIELD_STORE, AT(call, store)},
    {"the session's id", FIELD_STRING, AT(list_call, id)},
    {.name = NULL},
};
static const struct field lines_answer[] = {
    {"lines", FIELD_STRINGS, AT(list_call, texts), COUNT_AT(list_call, text_count)}};
static const struct field orphan_fields[] = {
    {"id", FIELD_STRING, .at = 0},
    {"cwd", FIELD_STRING, .at = sizeof(struct xylem_view)},
    {.name = NULL},
};
static const struct field orphans_answer[] = {{"orphans", FIELD_OBJECTS, AT(list_call, texts),
                                               COUNT_AT(list_call, orphan_count),
                                               .item_bytes = 2 * sizeof(struct xylem_view), .fields = orphan_fields}};

static int make_room(struct list_call *list)
{
    if (list->text_count == list->text_room) {
        size_t room = list->text_room > 0 ? 2 * list->text_room : 16;
        struct xylem_view *texts = reallocarray(list->texts, room, sizeof *texts);
        if (!texts) {
            return fail(&list->call.err, XYLEM_E_MEMORY, NULL);
        }
        list->texts = texts;
        list->text_room = room;
    }
    return 0;
}

static int add_text(struct list_call *list, struct xylem_view text)
{
    int code = make_room(list);
    return code < 0 ? code : call_keep(&list->texts[list->text_count++], &list->call, text);
}

static void release_list(struct call *call)
{
    struct list_call *list = (struct list_call *)call;
    free(list->texts);
    xylem_buffer_release(&list->file);
}

static int read_entries(struct call *call, struct xylem_txn *txn)
{
    struct list_call *list = (struct list_call *)call;
    struct xylem_session session;
    struct xylem_entry entry;
    struct xylem_scan *scan;
    struct xylem_buffer line = {0};
    int code = session_of_id(&session, txn, list->id, &call->err);
    if (code < 0 || (code = xylem_scan_new(&scan, txn, session.number, &call->err)) < 0) {
        return code;
    }
    while ((list->max == 0 || list->text_count < list->max) &&
           (code = xylem_scan_next(&entry, scan, &call->err)) == 1) {
        line.bytes = 0;
        if ((code = xylem_entry_json(&line, txn, &entry, &call->err)) < 0 ||
            (code = add_text(list, (struct xylem_view){line.data, line.bytes})) < 0) {
            break;
        }
    }
    xylem_scan_free(scan);
    xylem_buffer_release(&line);
    return code;
}

static int add_piece(void *file, const void *data, size_t bytes)
{
    return xylem_buffer_add(file, data, bytes);
}

/* The session as a session file: the texts are views of the file. */
static int read_lines(struct call *call, struct xylem_txn *txn)
{
    struct list_call *list = (struct list_call *)call;
    struct xylem_session session;
    int code = xylem_session_find(&session, txn, list->id, &call->err);
    if (code < 0 || (code = xylem_export(txn, session.number, NULL, add_piece, &list->file, &call->err)) < 0) {
        return code;
    }
    const char *end = list->file.data + list->file.bytes;
    for (const char *line = list->file.data; line < end && (code = make_room(list)) == 0;) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        size_t bytes = (size_t)((newline ? newline : end) - line);
        list->texts[list->text_count++] = (struct xylem_view){line, bytes};
        line += bytes + 1;
    }
    return code;
}

static int read_orphans(struct call *call, struct xylem_txn *txn)
{
    struct list_call *list = (struct list_call *)call;
    struct xylem_session session;
    struct xylem_sessions *sessions;
    struct xylem_lease_owner owner;
    struct xylem_view run_id;
    int code = xylem_sessions_new(&sessions, txn, &call->err);
    if (code < 0) {
        return code;
    }
    while ((code = xylem_sessions_next(&session, sessions, &call->err)) == 1) {
        if (session.state != XYLEM_SESSION_LIVE || session.name_space.bytes > 0 ||
            xylem_run_of_session(&run_id, session.id)) {
            continue; /* no call here names a namespace, and a ledger of a run is no session of a host */
        }
        if ((code = xylem_lease_read(&owner, txn, session.number, &call->err)) < 0 ||
            (code == 1 && !owner.alive &&
             ((code = add_text(list, session.id)) < 0 || (code = add_text(list, session.cwd)) < 0))) {
            break;
        }
        list->orphan_count = list->text_count / 2;
    }
    xylem_sessions_free(sessions);
    return code;
}

/* --- Outlines ---------------------------------------------------------------------------------------------------- */

#define LISTED_FILES_MAX 8u /* of one session: each is a string in the thread of JavaScript */

/* A session of the list. Its texts are null without a value. */
struct listed {
    struct xylem_view id;
    struct xylem_view cwd;
    struct xylem_view name;
    struct xylem_view first;
    struct xylem_view last;
    struct xylem_view problem; /* the outline cannot be read */
    struct xylem_view parent;
    int64_t created_ms;
    int64_t active_ms;
    uint64_t entry_count;
    uint64_t tip_count;
    bool deleted;
    struct lease_owner *owner; /* NULL: none */
    struct xylem_view *files;
    size_t file_count;
};

struct lease_owner {
    uint64_t pid;
    struct xylem_view host;
    int64_t since_ms;
    bool alive;
};

struct sessions_call {
    struct call call;
    const struct xylem_view *directory;
    bool below;
    bool deleted;
    struct xylem_view after;
    uint64_t max;
    struct listed *list;
    size_t count;
    size_t room;
    struct xylem_buffer texts[3]; /* name, first and last words of the session that is read */
};

static const struct field sessions_options[] = {
    {"directory", FIELD_STRING_MAYBE, MAYBE_AT(sessions_call, directory)},
    {"below", FIELD_BOOL, MAYBE_AT(sessions_call, below)},
    {"deleted", FIELD_BOOL, MAYBE_AT(sessions_call, deleted)},
    {"after", FIELD_STRING, MAYBE_AT(sessions_call, after)},
    {"max", FIELD_COUNT, MAYBE_AT(sessions_call, max)},
    {.name = NULL},
};
static const struct field sessions_arguments[] = {
    {"the store", FIELD_STORE, AT(call, store)},
    {"the options", FIELD_OBJECT, .optional = true, .fields = sessions_options},
    {.name = NULL},
};
static const struct field owner_fields[] = {
    {"pid", FIELD_COUNT, AT(lease_owner, pid)},
    {"host", FIELD_STRING, AT(lease_owner, host)},
    {"sinceMs", FIELD_TIME, AT(lease_owner, since_ms)},
    {"alive", FIELD_BOOL, AT(lease_owner, alive)},
    {.name = NULL},
};
static const struct field listed_fields[] = {
    {"id", FIELD_STRING, AT(listed, id)},
    {"cwd", FIELD_STRING, AT(listed, cwd)},
    {"name", FIELD_STRING, AT(listed, name)},
    {"first", FIELD_STRING, AT(listed, first)},
    {"last", FIELD_STRING, AT(listed, last)},
    {"activeMs", FIELD_TIME, AT(listed, active_ms)},
    {"entryCount", FIELD_COUNT, AT(listed, entry_count)},
    {"tipCount", FIELD_COUNT, AT(listed, tip_count)},
    {"problem", FIELD_STRING, AT(listed, problem)},
    {"parent", FIELD_STRING, AT(listed, parent)},
    {"createdMs", FIELD_TIME, AT(listed, created_ms)},
    {"deleted", FIELD_BOOL, AT(listed, deleted)},
    {"owner", FIELD_OBJECT_MAYBE, AT(listed, owner), .fields = owner_fields},
    {"files", FIELD_STRINGS, AT(listed, files), COUNT_AT(listed, file_count)},
    {.name = NULL},
};
static const struct field sessions_answer[] = {{"sessions", FIELD_OBJECTS, AT(sessions_call, list),
                                                COUNT_AT(sessions_call, count), .item_bytes = sizeof(struct listed),
                                                .fields = listed_fields}};

static int keep_text(struct xylem_view *kept, struct sessions_call *asked, struct xylem_view text)
{
    return text.data && text.bytes > 0 ? call_keep(kept, &asked->call, text) : 0;
}

static int read_outline(struct listed *listed, struct sessions_call *asked, struct xylem_txn *txn,
                        const struct xylem_session *session)
{
    struct xylem_buffer *texts = asked->texts;
    struct xylem_outline outline = {0};
    texts[0].bytes = texts[1].bytes = texts[2].bytes = 0;
    int code = xylem_outline_read(&outline, &texts[0], txn, session, &asked->call.err);
    code = code < 0 ? code : xylem_outline_words(&texts[1], &texts[2], txn, session, &asked->call.err);
    if (code < 0) {
        return code;
    }
    listed->entry_count = outline.entry_count;
    listed->tip_count = outline.tip_count;
    struct xylem_view *const views[] = {&listed->name, &listed->first, &listed->last};
    for (size_t i = 0; code == 0 && i < 3; i++) {
        code = keep_text(views[i], asked, (struct xylem_view){texts[i].data, texts[i].bytes});
    }
    return code;
}

/* Who has the session, dead or alive. */
static int read_owner(struct listed *listed, struct sessions_call *asked, struct xylem_txn *txn, uint64_t session)
{
    struct xylem_lease_owner found;
    int code = xylem_lease_read(&found, txn, session, &asked->call.err);
    if (code <= 0) {
        return code;
    }
    struct lease_owner *owner = arena_take(&asked->call.arena, sizeof *owner);
    if (!owner) {
        return fail(&asked->call.err, XYLEM_E_MEMORY, NULL);
    }
    owner->pid = (uint64_t)found.pid;
    owner->since_ms = found.since_ms;
    owner->alive = found.alive;
    listed->owner = owner;
    return call_keep(&owner->host, &asked->call, xylem_view_of(found.host));
}

/* The first files that the store knows of the session, in which the host keeps or kept it. */
static int read_files(struct listed *listed, struct sessions_call *asked, struct xylem_txn *txn, uint64_t session)
{
    struct xylem_session_files *files = NULL;
    struct xylem_session_file file;
    int code = xylem_session_files_new(&files, txn, session, &asked->call.err);
    while (code == 0 && listed->file_count < LISTED_FILES_MAX &&
           (code = xylem_session_files_next(&file, files, &asked->call.err)) == 1) {
        if (!listed->files) {
            listed->files = arena_take(&asked->call.arena, LISTED_FILES_MAX * sizeof *listed->files);
        }
        code = listed->files ? call_keep(&listed->files[listed->file_count++], &asked->call, file.path)
                             : fail(&asked->call.err, XYLEM_E_MEMORY, NULL);
    }
    xylem_session_files_free(files);
    return code;
}

/* A damaged session has a problem, and hides no other session. */
static int read_listed(struct listed *listed, struct sessions_call *asked, struct xylem_txn *txn,
                       const struct xylem_session *session)
{
    int code = read_owner(listed, asked, txn, session->number);
    code = code < 0 ? code : read_files(listed, asked, txn, session->number);
    code = code < 0 ? code : read_outline(listed, asked, txn, session);
    return code == XYLEM_E_CORRUPT ? call_keep(&listed->problem, &asked->call, xylem_view_of(asked->call.err.text))
                                   : code;
}

static bool is_listed(const struct sessions_call *asked, const struct xylem_session *session)
{
    struct xylem_view run_id;
    return (session->state == XYLEM_SESSION_LIVE || (asked->deleted && session->state == XYLEM_SESSION_DELETED)) &&
           session->name_space.bytes == 0 && !xylem_run_of_session(&run_id, session->id);
}

static int add_session(struct sessions_call *asked, struct xylem_txn *txn, const struct xylem_session *session,
                       int64_t active_ms)
{
    if (!is_listed(asked, session)) {
        return 0; /* no call here names a namespace, and a ledger of a run is no session of a host */
    }
    if (asked->count == asked->room) {
        size_t room = asked->room > 0 ? 2 * asked->room : 16;
        struct listed *list = reallocarray(asked->list, room, sizeof *list);
        if (!list) {
            return fail(&asked->call.err, XYLEM_E_MEMORY, NULL);
        }
        asked->list = list;
        asked->room = room;
    }
    struct listed *listed = &asked->list[asked->count];
    *listed = (struct listed){
        .active_ms = active_ms, .created_ms = session->created_ms, .deleted = session->state == XYLEM_SESSION_DELETED};
    int code;
    if ((code = call_keep(&listed->id, &asked->call, session->id)) < 0 ||
        (code = keep_text(&listed->cwd, asked, session->cwd)) < 0 ||
        (code = keep_text(&listed->parent, asked, session->parent)) < 0 ||
        (code = read_listed(listed, asked, txn, session)) < 0) {
        return code;
    }
    asked->count++;
    return 0;
}

static int read_sessions(struct call *call, struct xylem_txn *txn)
{
    struct sessions_call *asked = (struct sessions_call *)call;
    struct xylem_outlines_options options = {.below = asked->below};
    struct xylem_outlines *outlines;
    struct xylem_session session;
    struct xylem_outline outline;
    int code = 0;
    options.directory = asked->directory ? *asked->directory : options.directory;
    if (asked->after.bytes > 0 && (code = session_of_id(&session, txn, asked->after, &call->err)) == 0) {
        outline.active_ms = session.created_ms; /* the place of a damaged session */
        code = xylem_outline_read(&outline, NULL, txn, &session, &call->err);
        code = code == XYLEM_E_CORRUPT ? 0 : code;
        options.after_ms = outline.active_ms;
        options.after_session = session.number;
    }
    if (code < 0 || (code = xylem_outlines_new(&outlines, txn, &options, &call->err)) < 0) {
        return code;
    }
    int64_t active_ms;
    while ((asked->max == 0 || asked->count < asked->max) &&
           (code = xylem_outlines_next(&session, &active_ms, outlines, &call->err)) == 1 &&
           (code = add_session(asked, txn, &session, active_ms)) == 0) {
    }
    xylem_outlines_free(outlines);
    return code < 0 ? code : 0;
}

static void release_sessions(struct call *call)
{
    struct sessions_call *asked = (struct sessions_call *)call;
    free(asked->list);
    for (size_t i = 0; i < 3; i++) {
        xylem_buffer_release(&asked->texts[i]);
    }
}

static int run_refresh(struct call *call)
{
    return xylem_outlines_refresh(NULL, store_handle(call->store), &call->err);
}

/* --- Session files and lines ------------------------------------------------------------------------------------- */

struct import_call {
    struct call call;
    const char *path;
    struct xylem_held_lines held;
    struct xylem_import_report report;
    struct xylem_buffer json;
};

static const struct field held_fields[] = {
    {"header", FIELD_STRING, AT(import_call, held.header)},
    {"lines", FIELD_STRINGS, AT(import_call, held.lines), COUNT_AT(import_call, held.line_count)},
    {"firstLine", FIELD_COUNT, MAYBE_AT(import_call, held.first_line)},
    {"leafId", FIELD_STRING_MAYBE, MAYBE_AT(import_call, held.leaf_id)},
    {"leafReason", FIELD_STRING, MAYBE_AT(import_call, held.leaf_reason)},
    {"sourceName", FIELD_STRING, MAYBE_AT(import_call, held.source_name)},
    {.name = NULL},
};
static const struct field mirror_arguments[] = {
    {"the store", FIELD_STORE, AT(call, store)},
    {"the lines", FIELD_OBJECT, .fields = held_fields},
    {.name = NULL},
};
static const struct field import_arguments[] = {
    {"the store", FIELD_STORE, AT(call, store)},
    {"path", FIELD_NAME, AT(import_call, path)},
    {.name = NULL},
};
static const struct field report_answer[] = {{"report", FIELD_BUFFER, AT(import_call, json)}};

static int write_lines(struct call *call, struct xylem_txn *txn)
{
    struct import_call *mirror = (struct import_call *)call;
    mirror->json.bytes = 0; /* of an attempt before */
    xylem_import_report_release(&mirror->report);
    int code = xylem_import_lines(&mirror->report, txn, &mirror->held, NULL, &call->err);
    return code < 0 ? code : xylem_import_report_json(&mirror->json, &mirror->report);
}

static int run_import(struct call *call)
{
    struct import_call *import = (struct import_call *)call;
    int code = xylem_import(&import->report, store_handle(call->store), import->path, NULL, &call->err);
    return code < 0 ? code : xylem_import_report_json(&import->json, &import->report);
}

static void release_import(struct call *call)
{
    struct import_call *import = (struct import_call *)call;
    xylem_import_report_release(&import->report);
    xylem_buffer_release(&import->json);
}

/* ----------------------------------------------------------------------------------------------------------------- */

#define CALL(type) .call_bytes = sizeof(struct type##_call)
#define STATUS CALL(status), .arguments = status_arguments, .is_value = true
#define SESSION CALL(session), .arguments = session_arguments
#define IMPORT CALL(import), .waits = true, .answer = report_answer, .is_value = true, .release = release_import

const struct operation store_operations[] = {
    {"open", CALL(open), .waits = true, .arguments = open_arguments, .answer = open_answer, .is_value = true,
     .run = run_open, .release = release_open},
    {"close", .call_bytes = sizeof(struct call), .arguments = close_arguments},
    {"warning", STATUS, .answer = warning_answer, .run = run_warning},
    {"wanted", STATUS, .answer = wanted_answer, .run = run_wanted},
    {"session", SESSION, .answer = session_answer, .read = read_session},
    {"hasEntry", CALL(session), .arguments = entry_arguments, .answer = has_answer, .is_value = true, .read = read_has},
    {"deleteSession", SESSION, .waits = true, .write = write_deletion},
    {"undeleteSession", SESSION, .waits = true, .write = write_undeletion},
    {"noteFile", CALL(session), .waits = true, .arguments = file_arguments, .answer = noted_answer, .is_value = true,
     .write = write_file_note},
    {"fork", CALL(fork), .waits = true, .arguments = fork_arguments, .answer = fork_answer, .is_value = true,
     .write = write_fork},
    {"leaseTake", SESSION, .waits = true, .run = run_lease_take},
    {"leaseRelease", SESSION, .waits = true, .run = run_lease_release},
    {"entries", CALL(list), .arguments = entries_arguments, .answer = entries_answer, .is_value = true,
     .read = read_entries, .release = release_list},
    {"lines", CALL(list), .waits = true, .arguments = lines_arguments, .answer = lines_answer, .is_value = true,
     .read = read_lines, .release = release_list},
    {"orphanedSessions", CALL(list), .arguments = status_arguments, .answer = orphans_answer, .is_value = true,
     .read = read_orphans, .release = release_list},
    {"sessions", CALL(sessions), .waits = true, .arguments = sessions_arguments, .answer = sessions_answer,
     .is_value = true, .read = read_sessions, .release = release_sessions},
    {"refreshOutlines", .call_bytes = sizeof(struct call), .waits = true, .arguments = status_arguments,
     .run = run_refresh},
    {"mirror", IMPORT, .arguments = mirror_arguments, .write = write_lines},
    {"import", IMPORT, .arguments = import_arguments, .run = run_import},
    {.name = NULL},
};
