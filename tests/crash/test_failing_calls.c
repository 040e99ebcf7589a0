/*
 * Every call that can fail does: the first of an operation, the second, the third, until the operation succeeds. The
 * linker turns the library's calls of LMDB and of the allocator to those below (see the Makefile), and liblmdb's own
 * calls of the system lead here as well. Not turned are allocations inside of liblmdb, libc and msgpack-c (which packs
 * into a buffer of ours); that of LMDB are seen as its calls that give ENOMEM. yajl allocates through the library.
 */
#include "tests/lib/claiming.h"
#include "tests/crash/calls.h"
#include "tests/crash/workload.h"
#include "tests/lib/cursor.h"
#include "tests/lib/test.h"
#include "xylem/note.h"
#include "xylem/outline.h"

#include <dirent.h>
#include <lmdb.h>

/* --- Failing ---------------------------------------------------------------------------------------------------- */

enum variant {
    NO_MEMORY,
    INPUT_ERROR, /* of LMDB, and of the system */
    NO_ROOM,
    SHORT_WRITE,
    MAP_IS_FULL,
    VARIANT_COUNT
};
static const char *const variant_names[] = {"no memory", "input error", "no room", "short write", "map full"};

static bool armed;
static enum variant variant;
static bool goes_on_failing; /* not only that call, but all that follow */
static unsigned call_count;
static unsigned failing_call;
static const char *failed_name;
static long live_count; /* allocations that were not freed */

static bool fails(const char *name, bool concerned)
{
    if (!armed || !concerned) {
        return false;
    }
    call_count++;
    bool failing = call_count == failing_call || (goes_on_failing && call_count > failing_call && failing_call > 0);
    if (failing && !failed_name) {
        failed_name = name;
    }
    return failing;
}

static bool no_memory(const char *name)
{
    if (!fails(name, variant == NO_MEMORY)) {
        return false;
    }
    errno = ENOMEM;
    return true;
}

void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void *__real_reallocarray(void *memory, size_t count, size_t bytes);
void *__wrap_reallocarray(void *memory, size_t count, size_t bytes);
char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
char *__real_strndup(const char *text, size_t bytes);
char *__wrap_strndup(const char *text, size_t bytes);
char *__real_realpath(const char *path, char *resolved);
char *__wrap_realpath(const char *path, char *resolved);
void __real_free(void *memory);
void __wrap_free(void *memory);

static void *counted(void *memory)
{
    live_count += memory != NULL;
    return memory;
}

void *__wrap_malloc(size_t bytes)
{
    return no_memory("malloc") ? NULL : counted(__real_malloc(bytes));
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return no_memory("calloc") ? NULL : counted(__real_calloc(count, bytes));
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    if (no_memory("realloc")) {
        return NULL;
    }
    void *moved = __real_realloc(memory, bytes);
    return memory ? moved : counted(moved);
}

void *__wrap_reallocarray(void *memory, size_t count, size_t bytes)
{
    if (no_memory("reallocarray")) {
        return NULL;
    }
    void *moved = __real_reallocarray(memory, count, bytes);
    return memory ? moved : counted(moved);
}

char *__wrap_strdup(const char *text)
{
    return no_memory("strdup") ? NULL : counted(__real_strdup(text));
}

char *__wrap_strndup(const char *text, size_t bytes)
{
    return no_memory("strndup") ? NULL : counted(__real_strndup(text, bytes));
}

char *__wrap_realpath(const char *path, char *resolved)
{
    if (no_memory("realpath")) {
        return NULL;
    }
    char *real = __real_realpath(path, resolved);
    return resolved ? real : counted(real);
}

void __wrap_free(void *memory)
{
    live_count -= memory != NULL;
    __real_free(memory);
}

/* What a call of LMDB gives instead; 0: it is made. */
static int mdb_answer(const char *name, bool writes)
{
    bool concerned =
        variant == NO_MEMORY || variant == INPUT_ERROR || ((variant == NO_ROOM || variant == MAP_IS_FULL) && writes);
    if (!fails(name, concerned)) {
        return 0;
    }
    static const int answers[VARIANT_COUNT] = {
        [NO_MEMORY] = ENOMEM, [INPUT_ERROR] = EIO, [NO_ROOM] = ENOSPC, [MAP_IS_FULL] = MDB_MAP_FULL};
    return answers[variant];
}

#define WRAP(name, writes, parameters, arguments)              \
    int __real_##name parameters;                              \
    int __wrap_##name parameters;                              \
    int __wrap_##name parameters                               \
    {                                                          \
        int answer = mdb_answer(#name, writes);                \
        return answer != 0 ? answer : __real_##name arguments; \
    }

WRAP(mdb_env_create, false, (MDB_env * *env), (env))
WRAP(mdb_env_open, false, (MDB_env * env, const char *path, unsigned flags, mdb_mode_t mode), (env, path, flags, mode))
WRAP(mdb_env_set_mapsize, false, (MDB_env * env, size_t bytes), (env, bytes))
WRAP(mdb_env_sync, false, (MDB_env * env, int force), (env, force))
WRAP(mdb_reader_check, false, (MDB_env * env, int *dead), (env, dead))
WRAP(mdb_txn_begin, false, (MDB_env * env, MDB_txn *parent, unsigned flags, MDB_txn **txn), (env, parent, flags, txn))
WRAP(mdb_dbi_open, false, (MDB_txn * txn, const char *name, unsigned flags, MDB_dbi *table), (txn, name, flags, table))
WRAP(mdb_stat, false, (MDB_txn * txn, MDB_dbi table, MDB_stat *stat), (txn, table, stat))
WRAP(mdb_cursor_open, false, (MDB_txn * txn, MDB_dbi table, MDB_cursor **cursor), (txn, table, cursor))
WRAP(mdb_cursor_get, false, (MDB_cursor * cursor, MDB_val *key, MDB_val *data, MDB_cursor_op op),
     (cursor, key, data, op))
WRAP(mdb_get, false, (MDB_txn * txn, MDB_dbi table, MDB_val *key, MDB_val *data), (txn, table, key, data))
WRAP(mdb_cursor_put, true, (MDB_cursor * cursor, MDB_val *key, MDB_val *data, unsigned flags),
     (cursor, key, data, flags))
WRAP(mdb_put, true, (MDB_txn * txn, MDB_dbi table, MDB_val *key, MDB_val *data, unsigned flags),
     (txn, table, key, data, flags))
WRAP(mdb_del, true, (MDB_txn * txn, MDB_dbi table, MDB_val *key, MDB_val *data), (txn, table, key, data))

int __real_mdb_txn_commit(MDB_txn *txn);
int __wrap_mdb_txn_commit(MDB_txn *txn);
int __wrap_mdb_txn_commit(MDB_txn *txn)
{
    int answer = mdb_answer("mdb_txn_commit", true);
    if (answer != 0) {
        mdb_txn_abort(txn); /* as LMDB does when a commit fails */
        return answer;
    }
    return __real_mdb_txn_commit(txn);
}

/* What is said to be written is: whoever goes on behind it relies on that. */
static ssize_t write_half(const struct call *call)
{
    ssize_t half = (ssize_t)(call->bytes / 2);
    if (call->part_count == 1 && strcmp(call->name, "write") == 0) {
        CALLS_NEXT(calls_write, "write")
        return next(call->fd, call->parts[0].iov_base, (size_t)half);
    }
    if (call->part_count == 1 && strcmp(call->name, "pwrite") == 0) {
        CALLS_NEXT(calls_pwrite, "pwrite")
        return next(call->fd, call->parts[0].iov_base, (size_t)half, call->offset);
    }
    return half; /* LMDB gives up its commit */
}

/* Calls of the system. Syncs that need not fail are not made, nor are synced writes: nobody cuts the power here. */
static bool before_call(const struct call *call, ssize_t *result)
{
    bool writes = call->type != CALL_SYNC && call->type != CALL_MAP;
    bool concerned = variant == INPUT_ERROR || (variant == NO_ROOM && writes) ||
                     (variant == NO_MEMORY && call->type == CALL_MAP) ||
                     (variant == SHORT_WRITE && call->type == CALL_WRITE && call->bytes > 1);
    bool failing = fails(call->name, concerned);
    if (failing && variant == SHORT_WRITE) {
        *result = write_half(call);
    } else if (failing) {
        *result = -1;
        errno = variant == NO_ROOM ? ENOSPC : variant == NO_MEMORY ? ENOMEM : call->type == CALL_OPEN ? EMFILE : EIO;
    } else if (call->type == CALL_SYNC) {
        *result = 0;
        failing = true;
    } else if (call->type == CALL_OPEN && (call->flags & O_DSYNC)) {
        CALLS_NEXT(calls_open, "open")
        *result = next(call->path, call->flags & ~O_DSYNC);
        failing = true;
    }
    return failing;
}

/* --- Operations ------------------------------------------------------------------------------------------------- */

static char place[128];
static char path[160];
static struct xylem_store *store;
static uint64_t session;
static unsigned attempt; /* of all; so that ids are new */

static struct xylem_view attempt_id(const char *prefix)
{
    static char id[64];
    snprintf(id, sizeof id, "%s%u", prefix, attempt);
    return xylem_view_of(id);
}

static int append(struct xylem_txn *txn, uint64_t to, const char *kind_text, const char *json, bool minted,
                  struct xylem_error *err)
{
    struct xylem_buffer storage = {NULL, 0, 0};
    struct xylem_new_entry entries[2];
    memset(entries, 0, sizeof entries);
    int code = xylem_kind_parse(&entries[0].kind, &storage, xylem_view_of(kind_text), err);
    if (code == XYLEM_OK) {
        entries[0].id = minted ? xylem_view_of(NULL) : attempt_id("e");
        entries[0].format = XYLEM_FORMAT_JSON;
        entries[0].payload = xylem_view_of(json);
        entries[1] = entries[0];
        entries[1].id = xylem_view_of(NULL);
        code = xylem_append(NULL, txn, to, entries, 2, NULL, err);
    }
    xylem_buffer_release(&storage);
    return code;
}

static int append_host(struct xylem_txn *txn, struct xylem_error *err)
{
    return append(txn, session, "message", "{\"message\":{\"role\":\"user\",\"content\":\"x\"}}", false, err);
}

static int append_custom(struct xylem_txn *txn, struct xylem_error *err)
{
    return append(txn, session, "custom:readonly", "{\"enabled\":true,\"z\":[1,2,{\"a\":null}]}", true, err);
}

static int append_new_kind(struct xylem_txn *txn, struct xylem_error *err)
{
    char kind[64];
    snprintf(kind, sizeof kind, "kind-%u", attempt);
    return append(txn, session, kind, "{\"a\":1}", false, err);
}

static const char *large_json(void)
{
    static char json[20000];
    memset(json, ' ', sizeof json - 1);
    memcpy(json, "{}", 2);
    return json;
}

static int append_large(struct xylem_txn *txn, struct xylem_error *err)
{
    return append(txn, session, "message", large_json(), false, err);
}

static int leaf(struct xylem_session *row, struct xylem_txn *txn, struct xylem_error *err)
{
    return xylem_session_read(row, txn, session, err);
}

static int append_branch(struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_session row;
    struct xylem_new_entry entry = {.kind = {XYLEM_CLASS_HOST, {"message", 7}}};
    struct xylem_append_options options = {.parent = XYLEM_PARENT_AT};
    int code = leaf(&row, txn, err);
    code = code < 0 ? code : xylem_ancestor_at(&options.parent_position, txn, row.leaf, 3, err);
    return code < 0 ? code : xylem_append(NULL, txn, session, &entry, 1, &options, err);
}

static int create_session(struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_session row;
    struct xylem_session_options options = {.id = attempt_id("c")};
    return xylem_session_create(&row, txn, &options, err);
}

static int fork_session(struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_session row;
    struct xylem_session_options options = {.id = attempt_id("f")};
    struct xylem_position at;
    size_t labels;
    int code = leaf(&row, txn, err);
    code = code < 0 ? code : xylem_ancestor_at(&at, txn, row.leaf, 4, err);
    code = code < 0 ? code : xylem_fork(&row, txn, session, at, XYLEM_FORK_BEFORE, &options, err);
    return code < 0 ? code : xylem_fork_labels(&labels, txn, row.number, session, err);
}

/* A session of another host, and its fork with values of its own. */
static int write_lines(struct xylem_txn *txn, struct xylem_error *err)
{
    static const char first[] =
        "{\"text\":\"a line that is longer than a buffer is at first, so that it must grow\",\"p\":\"1\"}";
    static const char other[] =
        "{\"text\":\"a line that is longer than a buffer is at first, so that it must grow\",\"p\":\"2\"}";
    const struct xylem_hole hole = {sizeof first - 4, 1, false};
    const struct xylem_line_form form = {.holes = &hole, .hole_count = 1};
    const struct xylem_new_entry entry = {.kind = {XYLEM_CLASS_HOST, {"user", 4}},
                                          .format = XYLEM_FORMAT_LINE,
                                          .payload = xylem_view_of(first),
                                          .form = &form};
    const struct xylem_session_options options = {.id = attempt_id("h")};
    struct xylem_side side = {.bytes = xylem_view_of(first)};
    struct xylem_session row;
    int code = xylem_session_create(&row, txn, &options, err);
    uint64_t number = row.number;
    if (code < 0 || (code = xylem_append(&side.position, txn, number, &entry, 1, NULL, err)) < 0 ||
        (code = xylem_side_add(NULL, txn, number, &side, err)) < 0 ||
        (code = xylem_fork(&row, txn, number, side.position, XYLEM_FORK_AT, NULL, err)) < 0) {
        return code;
    }
    number = row.number;
    code = xylem_line_share(txn, number, side.position, xylem_view_of(other), &form, err);
    side = (struct xylem_side){.type = XYLEM_SIDE_SHARED, .position = side.position, .count = 1};
    return code < 0 ? code : xylem_side_add(NULL, txn, number, &side, err);
}

static int read_stream(struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_stream *stream = NULL;
    struct xylem_stream_line line;
    struct xylem_session row;
    int code = xylem_session_find(&row, txn, xylem_view_of("h3"), err);
    code = code < 0 ? code : xylem_stream_new(&stream, txn, row.number, err);
    while (code >= 0 && (code = xylem_stream_next(&line, stream, err)) == 1) {
    }
    xylem_stream_free(stream);
    return code;
}

static int navigate(struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_session row;
    struct xylem_position at;
    int code = leaf(&row, txn, err);
    code = code < 0 ? code : xylem_ancestor_at(&at, txn, row.leaf, row.leaf.depth, err);
    return code < 0 ? code : xylem_navigate(txn, session, at, xylem_view_of("why"), err);
}

static int delete_session(struct xylem_txn *txn, struct xylem_error *err)
{
    int code = create_session(txn, err);
    struct xylem_session row;
    code = code < 0 ? code : xylem_session_find(&row, txn, attempt_id("c"), err);
    return code < 0 ? code : xylem_session_delete(txn, row.number, err);
}

/*
 * New notes, and none any more. Each value fills a buffer of 64 bytes, which must grow for the sum of the row when the
 * note is counted already. Of several notes a run that skips calls meets one there.
 */
static int write_notes(struct xylem_txn *txn, struct xylem_error *err)
{
    static const char value[] = "sixty bytes: the eight of the sum then need a larger buffer.";
    static const char *const names[] = {"a", "b", "c", "d"};
    int code = 0;
    for (size_t i = 0; code == 0 && i < 2 * sizeof names / sizeof *names; i++) {
        struct xylem_view kept = i < sizeof names / sizeof *names ? xylem_view_of(value) : (struct xylem_view){NULL, 0};
        code = xylem_note_put(txn, xylem_view_of(names[i % (sizeof names / sizeof *names)]), kept, err);
    }
    return code;
}

static int undelete_session(struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_session row;
    struct xylem_session_options options = {.id = attempt_id("c")};
    int code = xylem_session_create(&row, txn, &options, err);
    code = code < 0 ? code : xylem_session_delete(txn, row.number, err);
    return code < 0 ? code : xylem_session_undelete(txn, row.number, err);
}

/* A session that a fork shares is freed in part, and then whole. */
static int free_sessions(struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_session row;
    struct xylem_session fork;
    struct xylem_position at;
    struct xylem_session_options options = {.id = attempt_id("c")};
    int code = xylem_session_create(&row, txn, &options, err);
    code = code < 0 ? code : append(txn, row.number, "message", "{\"a\":1}", true, err);
    code = code < 0 ? code : xylem_session_read(&row, txn, row.number, err);
    code = code < 0 ? code : xylem_ancestor_at(&at, txn, row.leaf, 1, err);
    options.id = attempt_id("f");
    code = code < 0 ? code : xylem_fork(&fork, txn, row.number, at, XYLEM_FORK_AT, &options, err);
    code = code < 0 ? code : xylem_session_delete(txn, row.number, err);
    code = code < 0 ? code : xylem_gc(NULL, txn, NULL, err);
    code = code < 0 ? code : xylem_session_delete(txn, fork.number, err);
    return code < 0 ? code : xylem_gc(NULL, txn, NULL, err);
}

/* An entry that others follow, so that their checks are made anew. */
static int redact(struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_session row;
    struct xylem_position at;
    struct xylem_redact_report report = {.source_count = 0};
    struct xylem_redact_options options = {.reason = xylem_view_of("why"), .drop_hash = true};
    int code = append(txn, session, "message", "{\"secret\":\"of some length\"}", false, err);
    code = code < 0 ? code : leaf(&row, txn, err);
    code = code < 0 ? code : xylem_ancestor_at(&at, txn, row.leaf, row.leaf.depth - 1, err);
    code = code < 0 ? code : xylem_redact(&report, txn, session, at, &options, err);
    xylem_redact_report_release(&report);
    return code;
}

/* The same by a pattern, with a copy in another session that is searched for. */
static int redact_matches(struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_patterns *patterns = NULL;
    struct xylem_redact_report report = {.source_count = 0};
    struct xylem_redact_matches_options options = {
        .redact = {.reason = xylem_view_of("why"), .drop_hash = true}, .sessions = &session, .session_count = 1};
    int code = append(txn, session, "message", "{\"secret\":\"of some length\"}", false, err);
    code = code < 0 ? code : xylem_patterns_new(&patterns, xylem_view_of("of some length"), err);
    code = code < 0 ? code : xylem_redact_matches(&report, txn, patterns, &options, err);
    xylem_redact_report_release(&report);
    xylem_patterns_free(patterns);
    return code;
}

static int find_and_walk(struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_session row;
    struct xylem_position at;
    struct xylem_walk *walk = NULL;
    struct xylem_entry entry;
    int code = leaf(&row, txn, err);
    code = code < 0 ? code : xylem_find(&at, txn, session, xylem_view_of("known"), err);
    code = code < 0 ? code : xylem_walk_new(&walk, txn, row.leaf, err);
    while (code >= 0 && (code = xylem_walk_next(&entry, walk, err)) == 1) {
    }
    xylem_walk_free(walk);
    return code < 0 ? code : xylem_newest_of_kind(&entry, txn, row.leaf, (struct xylem_kind){0, {"label", 5}}, err);
}

static int scan_and_render(struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_scan *scan = NULL;
    struct xylem_entry entry;
    struct xylem_buffer json = {NULL, 0, 0};
    struct xylem_document *document;
    int code = xylem_scan_new(&scan, txn, session, err);
    for (int i = 0; code >= 0 && i < 12 && (code = xylem_scan_next(&entry, scan, err)) == 1; i++) {
        code = xylem_entry_json(&json, txn, &entry, err);
        code = code < 0 ? code : xylem_entry_describe(&json, txn, &entry, 0, err);
        if (code == XYLEM_OK && (code = xylem_document_new(&document, &entry, err)) == XYLEM_OK) {
            xylem_document_free(document);
        }
    }
    xylem_scan_free(scan);
    xylem_buffer_release(&json);
    return code < 0 ? code : XYLEM_OK;
}

static int list_tips(struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_tips *tips = NULL;
    struct xylem_tip tip;
    struct xylem_session row;
    struct xylem_outline outline;
    struct xylem_buffer name = {NULL, 0, 0};
    int code = xylem_tips_new(&tips, txn, session, err);
    while (code >= 0 && (code = xylem_tips_next(&tip, tips, err)) == 1) {
    }
    xylem_tips_free(tips);
    code = code < 0 ? code : leaf(&row, txn, err);
    code = code < 0 ? code : xylem_outline_read(&outline, &name, txn, &row, err);
    xylem_buffer_release(&name);
    return code;
}

static int list_sessions(struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_sessions *sessions = NULL;
    struct xylem_session row;
    int code = xylem_sessions_new(&sessions, txn, err);
    while (code >= 0 && (code = xylem_sessions_next(&row, sessions, err)) == 1) {
    }
    xylem_sessions_free(sessions);
    return code;
}

/* By activity, below a directory, by name; and what a list shows of each. */
static int list_outlines(struct xylem_txn *txn, struct xylem_error *err)
{
    const struct xylem_outlines_options options[] = {{.below = false},
                                                     {.directory = xylem_view_of("/"), .below = true}};
    struct xylem_buffer words = {NULL, 0, 0};
    struct xylem_names *names = NULL;
    struct xylem_view name;
    struct xylem_session row;
    int64_t active_ms;
    uint64_t number;
    int code = XYLEM_OK;
    for (size_t i = 0; code >= 0 && i < 2; i++) {
        struct xylem_outlines *outlines = NULL;
        code = xylem_outlines_new(&outlines, txn, &options[i], err);
        while (code >= 0 && (code = xylem_outlines_next(&row, &active_ms, outlines, err)) == 1) {
            code = xylem_outline_words(&words, &words, txn, &row, err);
        }
        xylem_outlines_free(outlines);
    }
    code = code < 0 ? code : xylem_names_new(&names, txn, (struct xylem_view){NULL, 0}, err);
    while (code >= 0 && (code = xylem_names_next(&number, &name, names, err)) == 1) {
    }
    xylem_names_free(names);
    xylem_buffer_release(&words);
    return code;
}

/* The outline of a new session is stale. */
static int refresh(struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_session row;
    int code = xylem_begin(&txn, store, XYLEM_WRITE, err);
    if (code < 0) {
        return code;
    }
    if ((code = xylem_session_create(&row, txn, NULL, err)) < 0) {
        xylem_abort(txn);
        return code;
    }
    code = xylem_commit(txn, err);
    return code < 0 ? code : xylem_outlines_refresh(NULL, store, err);
}

static int read_labels(struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_labels labels = {0};
    int code = xylem_labels_read(&labels, txn, session, err);
    xylem_labels_release(&labels);
    return code;
}

static int visit_state(void *context, const struct xylem_state *state)
{
    (void)context;
    (void)state;
    return 0;
}

static int rehydrate(struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_session row;
    struct xylem_state state = {0};
    struct xylem_event event = {.type = XYLEM_EVENT_SESSION_START};
    struct xylem_buffer json = {NULL, 0, 0};
    int code = leaf(&row, txn, err);
    code = code < 0 ? code : xylem_rehydrate(&state, txn, row.leaf, &event, NULL, err);
    code = code < 0 ? code : xylem_state_json(&json, &state, row.id);
    if (code == XYLEM_E_MEMORY && err->code == 0) {
        *err = (struct xylem_error){code, "out of memory"}; /* appending to a buffer has no text of its own */
    }
    xylem_state_release(&state);
    xylem_buffer_release(&json);
    return code < 0 ? code : xylem_rehydrate_each(txn, row.leaf, &event, NULL, visit_state, NULL, err);
}

/* Gives an entry of each kind of the pieces; the data of each second entry is no JSON. */
static int give_held(void *context, struct xylem_held_entry *entry)
{
    static const struct {
        const char *kind;
        const char *json;
    } held[] = {{"todo", "{\"lastId\":1,\"items\":[{\"id\":1,\"text\":\"a\",\"done\":false}]}"},
                {"readonly", "?"},
                {"sequence", "{\"version\":1,\"sequenceId\":\"q\",\"steps\":[\"a\"],\"updatedAt\":1}"},
                {"readonly-nudge", "{\"direction\":\"on\",\"delivered\":true}"},
                {"readonly", "{\"enabled\":true}"}};
    size_t *asked = context;
    if (*asked == sizeof held / sizeof *held) {
        return 0;
    }
    entry->id = xylem_view_of("held");
    entry->kind = (struct xylem_kind){XYLEM_CLASS_CUSTOM, xylem_view_of(held[*asked].kind)};
    entry->data = xylem_view_of(held[(*asked)++].json);
    return 1;
}

static int rehydrate_from(struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_state state;
    size_t asked = 0;
    (void)txn;
    int code = xylem_rehydrate_from(&state, give_held, &asked, NULL, NULL, err);
    xylem_state_release(&state);
    return code;
}

static int discard(void *context, const void *data, size_t bytes)
{
    (void)context;
    (void)data;
    (void)bytes;
    return 0;
}

static int export(struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_session row;
    struct xylem_export_options options = {.with_quarantine = true};
    int code = xylem_session_find(&row, txn, xylem_view_of("i0"), err);
    return code < 0 ? code : xylem_export(txn, row.number, &options, discard, NULL, err);
}

static int read_quarantine(struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_quarantine *quarantine = NULL;
    struct xylem_quarantined row;
    struct xylem_session imported;
    int code = xylem_session_find(&imported, txn, xylem_view_of("i0"), err);
    code = code < 0 ? code : xylem_quarantine_new(&quarantine, txn, imported.number, err);
    while (code >= 0 && (code = xylem_quarantine_next(&row, quarantine, err)) == 1) {
    }
    xylem_quarantine_free(quarantine);
    return code;
}

static int verify(struct xylem_txn *txn, struct xylem_error *err)
{
    struct work_check check;
    int code = work_verify(&check, NULL, txn, err);
    if (code == XYLEM_OK && armed && failed_name && check.problems == 0) {
        fail_msg("%s failed at call %u, and verify says that all is well", failed_name, failing_call);
    }
    return code;
}

static int read_stat(struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_stat stat;
    return xylem_stat_read(&stat, txn, err);
}

/* All changes, and those behind the last one but two. */
static int read_feed(struct xylem_txn *txn, struct xylem_error *err)
{
    uint64_t last = 0;
    int code = last_lsn_of(&last, txn, err);
    for (int i = 0; i < 2 && code >= 0; i++) {
        struct xylem_feed *feed = NULL;
        struct xylem_change change;
        code = feed_after(&feed, txn, i == 0 ? 0 : last - 2, err);
        while (code >= 0 && (code = xylem_feed_next(&change, feed, err)) == 1) {
        }
        xylem_feed_free(feed);
    }
    return code;
}

/* Operations that take no transaction. */

static int sync_store(struct xylem_txn *txn, struct xylem_error *err)
{
    (void)txn;
    return xylem_sync(store, err);
}

static int import_file(struct xylem_txn *txn, struct xylem_error *err)
{
    char file[300];
    struct xylem_import_report report;
    struct xylem_import_options options = {.batch_bytes = 4000};
    (void)txn;
    bool was_armed = armed;
    armed = false;
    work_file_path(file, place, attempt);
    work_file(file, attempt);
    FILE *more = fopen(file, "ab");
    assert_non_null(more);
    fputs("no entry\n{\"type\":\"message\",\"id\":\"torn", more);
    assert_int_equal(fclose(more), 0);
    armed = was_armed;
    int code = xylem_import(&report, store, file, &options, err);
    xylem_import_report_release(&report);
    remove(file);
    return code;
}

/* A new session with a problem in a line, then the same session with another header and its leaf elsewhere. */
static int import_lines(struct xylem_txn *txn, struct xylem_error *err)
{
    char header[200];
    const struct xylem_view lines[] = {
        xylem_view_of("{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"message\":{}}"),
        xylem_view_of("no entry"),
        xylem_view_of("{\"type\":\"custom\",\"customType\":\"c\",\"data\":[1],\"id\":\"b\",\"parentId\":\"nobody\"}")};
    const struct xylem_view leaf = xylem_view_of("a");
    struct xylem_held_lines held = {.lines = lines, .line_count = 3, .leaf_id = &leaf};
    struct xylem_import_report report;
    struct xylem_buffer json = {NULL, 0, 0};
    int code = XYLEM_OK;
    for (int i = 0; i < 2 && code == XYLEM_OK; i++) {
        snprintf(header, sizeof header,
                 "{\"type\":\"session\",\"version\":3,\"id\":\"held-%u\",\"timestamp\":\"2025-01-01T00:00:00.000Z\","
                 "\"cwd\":\"/%d\"}",
                 attempt, i);
        held.header = xylem_view_of(header);
        held.leaf_id = i == 0 ? &leaf : NULL;
        code = xylem_import_lines(&report, txn, &held, NULL, err);
        if (code == XYLEM_OK && (code = xylem_import_report_json(&json, &report)) < 0) {
            assert_true(json.bytes == 0 && (!json.data || json.data[0] == '\0'));
            *err = (struct xylem_error){code, "out of memory"}; /* appending to a buffer has no text of its own */
        }
        xylem_import_report_release(&report);
        xylem_buffer_release(&json);
    }
    return code;
}

/* A session file that was noted, its list, and a second note. */
static int note_file(struct xylem_txn *txn, struct xylem_error *err)
{
    char file[300];
    struct xylem_session_files *files = NULL;
    struct xylem_session_file known;
    bool was_armed = armed;
    armed = false;
    work_file_path(file, place, attempt);
    work_file(file, attempt);
    armed = was_armed;
    int code = xylem_session_file_note(txn, session, file, err);
    code = code < 0 ? code : xylem_session_file_note(txn, session, file, err);
    code = code < 0 ? code : xylem_session_files_new(&files, txn, session, err);
    while (code >= 0 && (code = xylem_session_files_next(&known, files, err)) == 1) {
    }
    xylem_session_files_free(files);
    remove(file);
    return code;
}

static int first_failure(void *context, const struct xylem_imported *file)
{
    struct xylem_error *first = context;
    if (file->code < 0 && first->code == XYLEM_OK) {
        *first = *file->err;
        first->code = file->code;
    }
    return 0;
}

/* Three files, of which the last one is imported by the first call alone. */
static int import_files(struct xylem_txn *txn, struct xylem_error *err)
{
    char paths[3][300];
    const char *list[3] = {paths[0], paths[1], paths[2]};
    struct xylem_error first = {XYLEM_OK, ""};
    struct xylem_import_options options = {.context = &first};
    (void)txn;
    bool was_armed = armed;
    armed = false;
    for (uint64_t i = 0; i < 2; i++) {
        work_file_path(paths[i], place, WORK_FILES_FIRST + 2 * attempt + i);
        work_file(paths[i], WORK_FILES_FIRST + 2 * attempt + i);
    }
    snprintf(paths[2], sizeof paths[2], "%s/unchanged", place);
    work_file(paths[2], 1);
    armed = was_armed;
    int code = xylem_import_files(store, list, 3, &options, first_failure, err);
    remove(paths[0]);
    remove(paths[1]);
    if (code < 0 || first.code == XYLEM_OK) {
        return code;
    }
    if (err) {
        *err = first;
    }
    return first.code;
}

static int open_again(struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_store *other;
    (void)txn;
    struct xylem_open_options options = {.read_only = true};
    int code = xylem_open(&other, path, &options, err);
    return code < 0 ? code : xylem_close(other, err);
}

/* A new environment, in a directory of its own. */
static int create_store(struct xylem_txn *txn, struct xylem_error *err)
{
    char other_path[300];
    struct xylem_store *other;
    struct xylem_open_options options = {.create = true};
    (void)txn;
    snprintf(other_path, sizeof other_path, "%s/new-%u", place, attempt / 2); /* the second try finds what is left */
    int code = xylem_open(&other, other_path, &options, err);
    return code < 0 ? code : xylem_close(other, err);
}

static int open_store(struct xylem_txn *txn, struct xylem_error *err)
{
    char other_path[300];
    struct xylem_store *other;
    (void)txn;
    snprintf(other_path, sizeof other_path, "%s/other", place);
    int code = xylem_open(&other, other_path, NULL, err);
    return code < 0 ? code : xylem_close(other, err);
}

/* The map is as large as what the store has in use, or little larger: so it is full at once, and grows. */
static int grow_map(struct xylem_txn *txn, struct xylem_error *err)
{
    char other_path[300];
    struct xylem_store *other;
    struct xylem_open_options options = {.map_bytes = 1};
    snprintf(other_path, sizeof other_path, "%s/other", place);
    int code = xylem_open(&other, other_path, &options, err);
    if (code < 0) {
        return code;
    }
    code = XYLEM_E_MAP_FULL;
    for (int i = 0; i < 8 && code == XYLEM_E_MAP_FULL; i++) {
        struct xylem_session row;
        code = xylem_begin(&txn, other, XYLEM_WRITE, err);
        if (code < 0) {
            break;
        }
        code = xylem_session_find(&row, txn, xylem_view_of("large"), err);
        code = code == XYLEM_E_NOT_FOUND
                   ? xylem_session_create(&row, txn, &(struct xylem_session_options){.id = {"large", 5}}, err)
                   : code;
        code = code < 0 ? code : append(txn, row.number, "message", large_json(), true, err);
        if (code < 0) {
            xylem_abort(txn);
        } else {
            code = xylem_commit(txn, err);
        }
    }
    struct xylem_error ignored;
    assert_int_equal(xylem_close(other, &ignored), XYLEM_OK);
    return code;
}

static int lease(struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_lease *taken;
    (void)txn;
    int code = xylem_lease_take(&taken, store, session, err);
    return code < 0 ? code : xylem_lease_release(taken, err);
}

static int break_lease(struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_lease *taken;
    struct xylem_error of_release = {0, ""};
    (void)txn;
    int code = xylem_lease_take(&taken, store, session, err);
    if (code < 0) {
        return code;
    }
    int broken = xylem_lease_break(NULL, store, session, err);
    code = xylem_lease_release(taken, &of_release);
    if (broken >= 0 && code < 0) {
        *err = of_release;
    }
    return broken < 0 ? broken : code;
}

/* What was made there is whole, and what failed left nothing there. */
static int look_at_copy(const char *copy, int code)
{
    bool was_armed = armed;
    struct xylem_store *opened;
    struct xylem_txn *txn;
    struct work_check check;
    struct xylem_error err = {0, ""};
    struct xylem_open_options options = {.read_only = true};
    armed = false;
    if (code == XYLEM_OK) {
        if (xylem_open(&opened, copy, &options, &err) < 0 || xylem_begin(&txn, opened, XYLEM_READ, &err) < 0 ||
            work_verify(&check, NULL, txn, &err) < 0) {
            fail_msg("%s", err.text);
        }
        assert_int_equal(check.problems, 0);
        xylem_abort(txn);
        assert_int_equal(xylem_close(opened, NULL), XYLEM_OK);
        test_directory_remove(copy);
    } else if (!goes_on_failing) { /* else a sync of the directory that has its name may have failed */
        assert_true(access(copy, F_OK) != 0);
    }
    armed = was_armed;
    return code;
}

static int back_up(struct xylem_txn *txn, struct xylem_error *err)
{
    char copy[300];
    (void)txn;
    snprintf(copy, sizeof copy, "%s/backup-%u", place, attempt);
    return look_at_copy(copy, xylem_backup(NULL, store, copy, NULL, err));
}

static int back_up_in_place(struct xylem_txn *txn, struct xylem_error *err)
{
    static const struct xylem_backup_options in_place = {.keep_pages = true};
    char copy[300];
    (void)txn;
    snprintf(copy, sizeof copy, "%s/in-place-%u", place, attempt);
    return look_at_copy(copy, xylem_backup(NULL, store, copy, &in_place, err));
}

static int repair(struct xylem_txn *txn, struct xylem_error *err)
{
    char copy[300];
    struct xylem_repair_report report;
    (void)txn;
    snprintf(copy, sizeof copy, "%s/repaired-%u", place, attempt);
    int code = xylem_repair(&report, path, copy, NULL, NULL, NULL, err);
    /* A page that the system cannot read is a damaged one; no other failure is damage. */
    assert_true(code < 0 || report.complete || variant == INPUT_ERROR);
    return look_at_copy(copy, code);
}

/* That store is nobody's meanwhile. */
static int compact(struct xylem_txn *txn, struct xylem_error *err)
{
    char other_path[300];
    struct xylem_compact_options options = {.overwrite_old = true};
    (void)txn;
    snprintf(other_path, sizeof other_path, "%s/other", place);
    return xylem_compact(NULL, other_path, &options, err);
}

/* A run of two iterations, up to the second: each kind of action, and a claim that is compared with the one before. */
static int play(struct xylem_run *run, const struct xylem_catalogue *commands, struct xylem_error *err)
{
    struct xylem_action action;
    const struct xylem_view none = {NULL, 0};
    int code;
    if ((code = next_claimed(&action, run, commands, err)) < 0 || (code = xylem_run_done(run, none, err)) < 0 ||
        (code = next_claimed(&action, run, commands, err)) < 0 ||
        (code = xylem_run_in_session(run, xylem_view_of("s2"), err)) < 0 ||
        (code = next_claimed(&action, run, commands, err)) < 0) {
        return code;
    }
    return xylem_run_failed(run, XYLEM_RUN_CODE_HOST, xylem_view_of("over"), err);
}

static int play_run(struct xylem_txn *txn, struct xylem_error *err)
{
    static const struct xylem_view steps[] = {{"step", 4}};
    struct xylem_run_options options = {.sequence_id = xylem_view_of("q"),
                                        .steps = steps,
                                        .step_count = 1,
                                        .total_runs = 2,
                                        .session = xylem_view_of("s1")};
    struct xylem_catalogue *commands = NULL;
    struct xylem_run *run = NULL;
    struct xylem_error of_close = {0, ""};
    char id[XYLEM_UUID_TEXT_BYTES];
    (void)txn;
    int code;
    if ((code = xylem_catalogue_new(&commands, NULL, 0, NULL, err)) == XYLEM_OK &&
        (code = xylem_run_start(&run, id, NULL, store, commands, &options, err)) == XYLEM_OK) {
        code = play(run, commands, err);
    }
    int closed = xylem_run_close(run, &of_close);
    if (code == XYLEM_OK && closed < 0) {
        *err = of_close;
        code = closed;
    }
    xylem_catalogue_free(commands);
    return code;
}

/* A run that was closed, opened again and ended without a handle. */
static int open_run(struct xylem_txn *txn, struct xylem_error *err)
{
    static const struct xylem_view steps[] = {{"step", 4}};
    struct xylem_run_options options = {
        .sequence_id = xylem_view_of("q"), .steps = steps, .step_count = 1, .session = xylem_view_of("s1")};
    struct xylem_catalogue *commands = NULL;
    struct xylem_run *run = NULL;
    char id[XYLEM_UUID_TEXT_BYTES];
    (void)txn;
    int code = xylem_catalogue_new(&commands, NULL, 0, NULL, err);
    if (code < 0 || (code = xylem_run_start(&run, id, NULL, store, commands, &options, err)) < 0) {
        goto out;
    }
    struct xylem_view run_id = xylem_view_of(id);
    if ((code = xylem_run_close(run, err)) < 0 ||
        (code = xylem_run_open(&run, store, run_id, XYLEM_RUN_CONTINUE, xylem_view_of("s1"), err)) < 0 ||
        (code = xylem_run_close(run, err)) < 0) {
        goto out;
    }
    code = xylem_run_end(store, run_id, xylem_view_of("over"), err);
out:
    xylem_catalogue_free(commands);
    return code;
}

static int list_runs(struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_runs *runs = NULL;
    struct xylem_run_state state;
    struct xylem_buffer json = {NULL, 0, 0};
    int code = xylem_runs_new(&runs, txn, err);
    for (int i = 0; code >= 0 && i < 3 && (code = xylem_runs_next(&state, runs, err)) == 1; i++) {
        if (xylem_run_state_json(&json, &state) < 0) {
            *err = (struct xylem_error){XYLEM_E_MEMORY, "out of memory"};
            code = XYLEM_E_MEMORY;
        }
        xylem_run_state_release(&state);
    }
    xylem_buffer_release(&json);
    xylem_runs_free(runs);
    return code < 0 ? code : XYLEM_OK;
}

static int find_waiting_run(struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_run_state state;
    int found = xylem_run_waiting(&state, txn, xylem_view_of("/nowhere"), (struct xylem_view){NULL, 0}, err);
    if (found == 1) {
        xylem_run_state_release(&state);
    }
    return found < 0 ? found : XYLEM_OK;
}

enum needs { READING, WRITING, NOTHING };

struct operation {
    const char *name;
    enum needs needs;
    int (*run)(struct xylem_txn *txn, struct xylem_error *err);
};

static const struct operation operations[] = {
    {"create a store", NOTHING, create_store},
    {"open a store", NOTHING, open_store},
    {"open it once more", NOTHING, open_again},
    /* These copy or read the whole store: while it is small. */
    {"back up", NOTHING, back_up},
    {"back up with each page at its place", NOTHING, back_up_in_place},
    {"repair", NOTHING, repair},
    {"compact", NOTHING, compact},
    {"gc", WRITING, free_sessions},
    {"redact", WRITING, redact},
    {"redact by a pattern", WRITING, redact_matches},
    {"append", WRITING, append_host},
    {"append custom data", WRITING, append_custom},
    {"append a new kind", WRITING, append_new_kind},
    {"append much", WRITING, append_large},
    {"append a branch", WRITING, append_branch},
    {"create a session", WRITING, create_session},
    {"fork", WRITING, fork_session},
    {"write lines of a host", WRITING, write_lines},
    {"navigate", WRITING, navigate},
    {"delete", WRITING, delete_session},
    {"undelete", WRITING, undelete_session},
    {"write notes", WRITING, write_notes},
    {"import lines", WRITING, import_lines},
    {"note a session file", WRITING, note_file},
    {"find and walk", READING, find_and_walk},
    {"scan and render", READING, scan_and_render},
    {"list tips", READING, list_tips},
    {"list sessions", READING, list_sessions},
    {"list outlines", READING, list_outlines},
    {"labels", READING, read_labels},
    {"rehydrate", READING, rehydrate},
    {"rehydrate_from", READING, rehydrate_from},
    {"export", READING, export},
    {"quarantine", READING, read_quarantine},
    {"stream", READING, read_stream},
    {"verify", READING, verify},
    {"stat", READING, read_stat},
    {"feed", READING, read_feed},
    {"grow the map", NOTHING, grow_map},
    {"sync", NOTHING, sync_store},
    {"keep outlines", NOTHING, refresh},
    {"list kept outlines", READING, list_outlines},
    {"import", NOTHING, import_file},
    {"import files", NOTHING, import_files},
    {"lease", NOTHING, lease},
    {"break a lease", NOTHING, break_lease},
    {"play a run", NOTHING, play_run},
    {"open a run", NOTHING, open_run},
    {"list runs", READING, list_runs},
    {"find a waiting run", READING, find_waiting_run},
};

/* --- Running ---------------------------------------------------------------------------------------------------- */

static int run(const struct operation *operation, struct xylem_error *err)
{
    struct xylem_txn *txn = NULL;
    attempt++;
    if (operation->needs == NOTHING) {
        return operation->run(NULL, err);
    }
    int code = xylem_begin(&txn, store, operation->needs == WRITING ? XYLEM_WRITE : XYLEM_READ, err);
    if (code < 0) {
        return code;
    }
    code = operation->run(txn, err);
    if (code < 0 && !goes_on_failing) {
        struct xylem_error ignored;
        xylem_commit(txn, &ignored); /* what a failed call wrote half of is refused: the store must be sound after it */
        return code;
    }
    if (code < 0) {
        xylem_abort(txn);
        return code;
    }
    return xylem_commit(txn, err);
}

static void open_main(bool create)
{
    struct xylem_open_options options = {.create = create, .map_bytes = 64 << 20};
    struct xylem_error err = {0, ""};
    if (xylem_open(&store, path, &options, &err) != XYLEM_OK) {
        fail_msg("%s", err.text);
    }
}

static void fill(struct xylem_txn *txn)
{
    struct xylem_session row;
    struct xylem_session_options options = {.id = xylem_view_of("main")};
    struct xylem_new_entry known = {.id = xylem_view_of("known"), .kind = {XYLEM_CLASS_HOST, {"message", 7}}};
    struct xylem_error err = {0, ""};
    assert_int_equal(xylem_session_create(&row, txn, &options, NULL), XYLEM_OK);
    session = row.number;
    assert_int_equal(xylem_append(NULL, txn, session, &known, 1, NULL, NULL), XYLEM_OK);
    for (attempt = 1; attempt < 4; attempt++) {
        assert_int_equal(append_host(txn, &err), XYLEM_OK);
        assert_int_equal(append_branch(txn, &err), attempt == 1 ? XYLEM_OK : XYLEM_OK);
        assert_int_equal(append_custom(txn, &err), XYLEM_OK);
        assert_int_equal(append(txn, session, "label", "{\"targetId\":\"known\",\"label\":\"l\"}", true, &err),
                         XYLEM_OK);
        assert_int_equal(append(txn, session, "session_info", "{\"name\":\"n\"}", true, &err), XYLEM_OK);
        assert_int_equal(write_lines(txn, &err), XYLEM_OK);
    }
}

static int make_place(void **state)
{
    (void)state;
    live_count = 0; /* a test that failed may have left some */
    char other[300];
    struct xylem_txn *txn;
    test_directory_make(place, sizeof place, "calls");
    snprintf(path, sizeof path, "%s/store", place);
    snprintf(other, sizeof other, "%s/other", place);
    struct xylem_open_options options = {.create = true};
    assert_int_equal(xylem_open(&store, other, &options, NULL), XYLEM_OK);
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
    open_main(true);
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, NULL), XYLEM_OK);
    fill(txn);
    assert_int_equal(xylem_commit(txn, NULL), XYLEM_OK);
    attempt = 0;
    struct xylem_error err = {0, ""};
    assert_int_equal(import_file(NULL, &err), XYLEM_OK); /* the session i0 */
    calls_before = before_call;
    return 0;
}

static int remove_place(void **state)
{
    (void)state;
    armed = false;
    calls_before = NULL;
    xylem_close(store, NULL);
    store = NULL;
    test_directory_remove(place);
    return 0;
}

/* The code that belongs to what failed. */
static bool is_right(int code)
{
    static const int codes[VARIANT_COUNT] = {XYLEM_E_MEMORY, XYLEM_E_IO, XYLEM_E_NO_SPACE, XYLEM_E_IO,
                                             XYLEM_E_MAP_FULL};
    if (variant == SHORT_WRITE && code == XYLEM_E_NO_SPACE) {
        return true; /* what LMDB makes of one while it makes a new file */
    }
    if (variant == MAP_IS_FULL && goes_on_failing && code == XYLEM_E_MEMORY) {
        return true; /* an import lets the map grow until there are no addresses left */
    }
    /* Where the calls that follow fail too, it cannot be found out what became of a failed commit. */
    bool may_be_unknown = goes_on_failing || (variant != NO_MEMORY && variant != MAP_IS_FULL);
    return code == codes[variant] || (code == XYLEM_E_OUTCOME_UNKNOWN && may_be_unknown);
}

static void check_sound(const struct operation *operation)
{
    struct xylem_txn *txn;
    struct work_check check;
    struct xylem_error err = {0, ""};
    if (xylem_begin(&txn, store, XYLEM_READ, &err) != XYLEM_OK ||
        work_verify_changes(&check, NULL, txn, &err) != XYLEM_OK) {
        fail_msg("%s, %s, call %u (%s): afterwards: %s", operation->name, variant_names[variant], failing_call,
                 failed_name, err.text);
    }
    xylem_abort(txn);
    if (check.problems > 0) {
        fail_msg("%s, %s, call %u (%s): %s", operation->name, variant_names[variant], failing_call, failed_name,
                 check.first);
    }
}

static unsigned failed_count;
static unsigned absorbed_count;

static int count_descriptors(void)
{
    DIR *directory = opendir("/proc/self/fd");
    int count = 0;
    assert_non_null(directory);
    while (readdir(directory)) {
        count++;
    }
    closedir(directory);
    return count;
}

/* The operation with one failing call. False when that call is never made. */
static bool fail_one(const struct operation *operation, long before)
{
    struct xylem_error err = {0, ""};
    call_count = 0;
    failed_name = NULL;
    armed = true;
    int code = run(operation, &err);
    armed = false;
    if (!failed_name) {
        assert_int_equal(code, XYLEM_OK);
        return false;
    }
    failed_count++;
    absorbed_count += code == XYLEM_OK;
    if (code != XYLEM_OK && (!is_right(code) || err.code != code || !err.text[0])) {
        fail_msg("%s, %s, call %u (%s): code %d, text '%s'", operation->name, variant_names[variant], failing_call,
                 failed_name, code, err.text);
    }
    err.text[0] = '\0';
    if (run(operation, &err) != XYLEM_OK) {
        fail_msg("%s, %s, call %u (%s): cannot be done afterwards: %s", operation->name, variant_names[variant],
                 failing_call, failed_name, err.text);
    }
    /* What the environment knows stays: a kind is new each time in one operation, and comes twice. */
    if (live_count > before + (operation->run == append_new_kind ? 2L * (long)attempt : 0)) {
        fail_msg("%s, %s, call %u (%s): %ld allocations are lost", operation->name, variant_names[variant],
                 failing_call, failed_name, live_count - before);
    }
    if (operation->needs != READING) {
        check_sound(operation);
    }
    return true;
}

/* The later calls of an operation are much like the earlier calls: a run skips some of them, a short run most. */
static unsigned next_call(unsigned call)
{
    return call + 1 + call / (getenv("XYLEM_TORTURE") ? 100 : test_rounds(5));
}

static void reopen(void)
{
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
    open_main(false);
}

static void fail_each_call(const struct operation *operation)
{
    for (int rest = 0; rest < 2; rest++) {
        struct xylem_error err = {0, ""};
        assert_int_equal(run(operation, &err), XYLEM_OK);
        check_sound(operation); /* so that all kinds are known */
        long before = live_count;
        goes_on_failing = rest == 1;
        for (failing_call = 1; fail_one(operation, before); failing_call = next_call(failing_call)) {
            if (variant == MAP_IS_FULL) { /* it grew, and would go on growing each time */
                reopen();
            }
        }
    }
}

static void fail_each(enum variant which)
{
    failed_count = 0;
    absorbed_count = 0;
    variant = which;
    struct xylem_error err = {0, ""};
    assert_int_equal(lease(NULL, &err), XYLEM_OK); /* a handle keeps one for its leases */
    int descriptors = count_descriptors();
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        fail_each_call(&operations[i]);
    }
    printf("figures: %s: %u failed calls, %u of them did not matter\n", variant_names[which], failed_count,
           absorbed_count);
    assert_int_equal(lease(NULL, &err), XYLEM_OK);
    assert_int_equal(count_descriptors(), descriptors);
    /* What was lost by each environment shows at its end, and so do all leaks. */
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
    store = NULL;
    assert_int_equal(live_count, 0);
}

#define IN_PLACE(test) TEST_WITH(test, make_place, remove_place)

IN_PLACE(every_allocation_may_fail)
{
    fail_each(NO_MEMORY);
}

IN_PLACE(every_call_of_lmdb_and_the_system_may_fail)
{
    fail_each(INPUT_ERROR);
}

IN_PLACE(every_write_may_find_no_room)
{
    fail_each(NO_ROOM);
}

IN_PLACE(every_write_may_be_cut_short)
{
    fail_each(SHORT_WRITE);
}

IN_PLACE(the_map_may_be_full_at_every_write)
{
    fail_each(MAP_IS_FULL);
}
