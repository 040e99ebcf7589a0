/*
 * What the lists say is what the entries say: after each of many random operations the list of all sessions, the lists
 * of directories and the names are compared with a plain model, which walks every path. Outlines are kept, half kept
 * and dropped at random, also by a second process. A seed decides everything. It is printed; XYLEM_SEED=n runs that one
 * alone, XYLEM_ROUNDS=n runs more of them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/lmdb/tables.h"
#include "store/outline.h"
#include "tests/lib/chance.h"
#include "tests/lib/changes.h"
#include "tests/lib/test.h"
#include "xylem/append.h"
#include "xylem/branch.h"
#include "xylem/care.h"
#include "xylem/files.h"
#include "xylem/inspect.h"
#include "xylem/outline.h"
#include "xylem/redact.h"

#define OPERATIONS_PER_SEED 100
#define ROUNDS_DEFAULT 40
#define SESSIONS_MAX 512
#define PATH_MAX_HERE 64

static struct {
    uint64_t seed;
    struct chance chance;
    char path[256];
    char name[300]; /* of the store's directory */
    struct xylem_store *store;
    struct xylem_txn *txn;
    int made;  /* sessions and entries so far, for ids */
    int files; /* imported so far */
    int moved; /* stores so far: a backup or a repaired store takes the place of the store */
    bool repaired;
} world;

static struct xylem_error err;

static int must(int code)
{
    if (code < 0) {
        fail_msg("seed %" PRIu64 ": %s: %s", world.seed, xylem_code_text(code), err.text);
    }
    return code;
}

static int draw(int bound)
{
    return chance_below(&world.chance, bound);
}

/* --- The model ---------------------------------------------------------------------------------------------------- */

/* What the entries say of a session. */
struct said {
    struct xylem_session session;
    int64_t active_ms;
    uint64_t entry_count;
    uint64_t tip_count;
    char name[600];
    char first[200];
    char last[200];
};

static struct said model[SESSIONS_MAX];
static int model_count;

/* The text of a payload of this test, in which no text has an escape. */
static void take_text(char *text, size_t room, struct xylem_view payload, const char *key)
{
    char pattern[32];
    text[0] = '\0';
    (void)snprintf(pattern, sizeof pattern, "\"%s\":\"", key);
    const char *begin = payload.bytes == 0 ? NULL : memmem(payload.data, payload.bytes, pattern, strlen(pattern));
    if (begin) {
        begin += strlen(pattern);
        size_t bytes = (size_t)((const char *)memchr(begin, '"', 4096) - begin);
        while (bytes > 0 && *begin == ' ') {
            begin++;
            bytes--;
        }
        while (bytes > 0 && begin[bytes - 1] == ' ') {
            bytes--;
        }
        assert_true(bytes < room);
        memcpy(text, begin, bytes);
        text[bytes] = '\0';
    }
}

/* The first 120 bytes, or 117 and an ellipsis, but no half character. */
static void cut(char *text)
{
    if (strlen(text) > XYLEM_OUTLINE_WORDS_BYTES_MAX) {
        size_t end = XYLEM_OUTLINE_WORDS_BYTES_MAX - 3;
        while ((text[end] & 0xc0) == 0x80) {
            end--;
        }
        strcpy(text + end, "\u2026");
    }
}

/* Walks the whole path of the leaf: the newest message gives the last words, the oldest of a person the first. */
static void look_at_path(struct said *said)
{
    struct xylem_walk *walk = NULL;
    struct xylem_entry entry;
    bool newest = true;
    must(xylem_walk_new(&walk, world.txn, said->session.leaf, &err));
    while (must(xylem_walk_next(&entry, walk, &err)) == 1) {
        struct xylem_view payload = {NULL, 0};
        char text[4096];
        if (!xylem_base__view_is(entry.kind.name, "message")) {
            continue;
        }
        int code = xylem_entry_payload(&payload, &entry, &err);
        payload = code == XYLEM_E_REDACTED ? (struct xylem_view){NULL, 0} : payload;
        take_text(text, sizeof text, payload, "content");
        cut(text);
        if (newest) {
            strcpy(said->last, text);
            newest = false;
        }
        bool person = payload.bytes > 0 && memmem(payload.data, payload.bytes, "\"role\":\"user\"", 13);
        if (person && text[0] != '\0' && entry.position.depth <= PATH_MAX_HERE) {
            strcpy(said->first, text);
        }
    }
    xylem_walk_free(walk);
}

static void look_at_session(struct said *said, const struct xylem_session *session)
{
    struct xylem_scan *scan = NULL;
    struct xylem_tips *tips = NULL;
    struct xylem_tip tip;
    struct xylem_entry entry;
    struct xylem_labels labels = {0};
    *said = (struct said){.session = *session, .active_ms = session->created_ms};
    if (session->leaf.depth > 0) {
        must(xylem_entry_read(&entry, world.txn, session->leaf, &err));
        said->active_ms = entry.time_ms;
    }
    must(xylem_scan_new(&scan, world.txn, session->number, &err));
    while (must(xylem_scan_next(&entry, scan, &err)) == 1) {
        said->entry_count++;
    }
    xylem_scan_free(scan);
    must(xylem_tips_new(&tips, world.txn, session->number, &err));
    while (must(xylem_tips_next(&tip, tips, &err)) == 1) {
        said->tip_count++;
    }
    xylem_tips_free(tips);
    must(xylem_labels_read(&labels, world.txn, session->number, &err));
    assert_true(labels.name.bytes < sizeof said->name);
    (void)snprintf(said->name, sizeof said->name, "%.*s", (int)labels.name.bytes, labels.name.data);
    xylem_labels_release(&labels);
    look_at_path(said);
}

static int compare(const void *left, const void *right)
{
    const struct said *a = left;
    const struct said *b = right;
    if (a->active_ms != b->active_ms) {
        return a->active_ms > b->active_ms ? -1 : 1;
    }
    return a->session.number > b->session.number ? -1 : 1;
}

static void make_model(void)
{
    struct xylem_sessions *sessions = NULL;
    struct xylem_session session;
    model_count = 0;
    must(xylem_sessions_new(&sessions, world.txn, &err));
    while (must(xylem_sessions_next(&session, sessions, &err)) == 1) {
        if (session.state != XYLEM_SESSION_FREED) {
            assert_true(model_count < SESSIONS_MAX);
            look_at_session(&model[model_count++], &session);
        }
    }
    xylem_sessions_free(sessions);
    qsort(model, (size_t)model_count, sizeof *model, compare);
}

/* --- The comparison ----------------------------------------------------------------------------------------------- */

static bool is_in(struct xylem_view path, const char *directory, bool below)
{
    size_t bytes = strlen(directory);
    while (bytes > 0 && directory[bytes - 1] == '/') {
        bytes--;
    }
    while (path.bytes > 0 && path.data[path.bytes - 1] == '/') {
        path.bytes--;
    }
    return path.data && path.bytes >= bytes && memcmp(path.data, directory, bytes) == 0 &&
           (path.bytes == bytes || (below && path.data[bytes] == '/'));
}

/* The list in a directory (NULL: of all), behind the model's session `behind` (-1: from the first). */
static void compare_list(const char *directory, bool below, int behind)
{
    struct xylem_outlines_options options = {.below = below};
    struct xylem_outlines *outlines = NULL;
    struct xylem_session session;
    int64_t active_ms = 0;
    if (directory) {
        options.directory = xylem_view_of(directory);
    }
    if (behind >= 0) {
        options.after_ms = model[behind].active_ms;
        options.after_session = model[behind].session.number;
    }
    must(xylem_outlines_new(&outlines, world.txn, &options, &err));
    for (int i = behind + 1; i < model_count; i++) {
        if (directory && !is_in(model[i].session.cwd, directory, below)) {
            continue;
        }
        if (must(xylem_outlines_next(&session, &active_ms, outlines, &err)) != 1 ||
            session.number != model[i].session.number || active_ms != model[i].active_ms) {
            fail_msg("seed %" PRIu64 ": in %s%s behind %d: expected session %" PRIu64 " at %" PRId64 ", found %" PRIu64
                     " at %" PRId64,
                     world.seed, directory ? directory : "any", below ? " and below" : "", behind,
                     model[i].session.number, model[i].active_ms, session.number, active_ms);
        }
    }
    assert_int_equal(must(xylem_outlines_next(&session, &active_ms, outlines, &err)), 0);
    xylem_outlines_free(outlines);
}

static void assert_text(const struct said *said, const char *what, const struct xylem_buffer *found,
                        const char *expected)
{
    if (found->bytes != strlen(expected) || memcmp(found->bytes ? found->data : "", expected, found->bytes) != 0) {
        fail_msg("seed %" PRIu64 ": session %" PRIu64 ": %s: expected '%s', found '%.*s'", world.seed,
                 said->session.number, what, expected, (int)found->bytes, found->data);
    }
}

static void compare_outline(const struct said *said)
{
    struct xylem_buffer texts[3] = {{NULL, 0, 0}, {NULL, 0, 0}, {NULL, 0, 0}};
    struct xylem_outline outline;
    must(xylem_outline_read(&outline, &texts[0], world.txn, &said->session, &err));
    must(xylem_outline_words(&texts[1], &texts[2], world.txn, &said->session, &err));
    assert_int_equal(outline.entry_count, said->entry_count);
    assert_int_equal(outline.tip_count, said->tip_count);
    assert_int_equal(outline.active_ms, said->active_ms);
    assert_int_equal(outline.has_name, said->name[0] != '\0');
    assert_text(said, "name", &texts[0], said->name);
    assert_text(said, "first words", &texts[1], said->first);
    assert_text(said, "last words", &texts[2], said->last);
    for (int i = 0; i < 3; i++) {
        xylem_buffer_release(&texts[i]);
    }
}

static void compare_names(void)
{
    struct xylem_names *names = NULL;
    struct xylem_view name;
    uint64_t number = 0;
    int found = 0;
    int expected = 0;
    must(xylem_names_new(&names, world.txn, (struct xylem_view){NULL, 0}, &err));
    while (must(xylem_names_next(&number, &name, names, &err)) == 1) {
        int i = 0;
        while (i < model_count && model[i].session.number != number) {
            i++;
        }
        assert_true(i < model_count && xylem_base__view_is(name, model[i].name));
        found++;
    }
    assert_false(xylem_names_damaged(names));
    xylem_names_free(names);
    for (int i = 0; i < model_count; i++) {
        expected += model[i].name[0] != '\0';
    }
    assert_int_equal(found, expected);
}

static const char *const directories[] = {"/p", "/p/a", "/p/a/b/", "/pa", "/", "/q\001r"};
#define DIRECTORY_COUNT ((int)(sizeof directories / sizeof *directories))

static void compare_all(void)
{
    must(xylem_begin(&world.txn, world.store, XYLEM_READ, &err));
    make_model();
    compare_list(NULL, false, -1);
    compare_list(directories[draw(DIRECTORY_COUNT)], false, -1);
    compare_list(directories[draw(DIRECTORY_COUNT)], true, -1);
    if (model_count > 0) {
        compare_list(NULL, false, draw(model_count));
        compare_list(directories[draw(DIRECTORY_COUNT)], draw(2) == 0, draw(model_count));
    }
    for (int i = 0; i < model_count; i++) {
        compare_outline(&model[i]);
    }
    compare_names();
    struct changes changes;
    if (!changes_agree(&changes, world.txn, world.repaired)) {
        fail_msg("seed %" PRIu64 ": %s", world.seed, changes.problem);
    }
    if (draw(20) == 0) {
        struct xylem_verify_report report;
        must(xylem_verify(&report, world.txn, NULL, NULL, NULL, &err));
        assert_int_equal(report.problem_count, 0);
    }
    xylem_abort(world.txn);
    world.txn = NULL;
}

/* --- Operations --------------------------------------------------------------------------------------------------- */

/* A session in one of the states of the mask, or 0. The model is of the moment before. */
static uint64_t any_session(unsigned states)
{
    for (int tries = 0; model_count > 0 && tries < 20; tries++) {
        const struct said *said = &model[draw(model_count)];
        if (states & (1u << said->session.state)) {
            return said->session.number;
        }
    }
    return 0;
}

#define LIVE (1u << XYLEM_SESSION_LIVE)

static struct xylem_position any_entry(uint64_t session)
{
    struct xylem_scan *scan = NULL;
    struct xylem_entry entry;
    struct xylem_position chosen = {0, 0};
    int seen = 0;
    must(xylem_scan_new(&scan, world.txn, session, &err));
    while (must(xylem_scan_next(&entry, scan, &err)) == 1) {
        if (draw(++seen) == 0) {
            chosen = entry.position;
        }
    }
    xylem_scan_free(scan);
    return chosen;
}

/* A text without a quote, of 0 to 200 bytes. */
static void draw_text(char *text)
{
    static const char *const pieces[] = {"word", "\u00e9t\u00e9", "\u6f22\u5b57", " ", "x", "\U0001f600"};
    size_t bytes = 0;
    int count = draw(3) == 0 ? draw(40) : draw(6);
    for (int i = 0; i < count; i++) {
        const char *piece = pieces[draw(6)];
        bytes += (size_t)sprintf(text + bytes, "%s", piece);
    }
    text[bytes] = '\0';
}

static void make_payload(char *payload, size_t room, bool name)
{
    static const char *const roles[] = {"user", "assistant", "toolResult"};
    char text[400];
    draw_text(text);
    if (name) {
        char long_name[450] = "";
        if (draw(6) == 0) {
            memset(long_name, 'n', 420);
        }
        (void)snprintf(payload, room, draw(5) == 0 ? "{}" : "{\"name\":\"%.50s%s\"}", draw(2) ? "name " : "",
                       long_name);
    } else if (draw(2) == 0) {
        (void)snprintf(payload, room, "{\"message\":{\"role\":\"%s\",\"content\":\"%s\"}}", roles[draw(3)], text);
    } else {
        (void)snprintf(payload, room, "{\"message\":{\"role\":\"%s\",\"x\":[{\"type\":\"text\",\"text\":1}]}}",
                       roles[draw(3)]);
    }
}

static int64_t draw_time(void)
{
    return draw(30) == 0 ? -(int64_t)draw(100000) : 1700000000000 + draw(50) * 1000;
}

static void append_some(void)
{
    struct xylem_new_entry entries[3] = {{.id = {NULL, 0}}};
    char payloads[3][1200];
    int64_t times[3];
    uint64_t session = any_session(LIVE);
    size_t count = 1 + (size_t)draw(3);
    struct xylem_append_options options = {.parent = XYLEM_PARENT_LEAF};
    if (session == 0) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        int kind = draw(12);
        times[i] = draw_time();
        make_payload(payloads[i], sizeof payloads[i], kind == 0);
        entries[i].kind = (struct xylem_kind){XYLEM_CLASS_HOST, xylem_view_of(kind == 0   ? "session_info"
                                                                              : kind == 1 ? "label"
                                                                                          : "message")};
        entries[i].payload = xylem_view_of(kind == 1 ? "{\"targetId\":\"x\",\"label\":\"l\"}" : payloads[i]);
        entries[i].format = XYLEM_FORMAT_JSON;
        entries[i].time_ms = &times[i];
    }
    struct xylem_position parent = any_entry(session);
    if (draw(4) == 0 && parent.depth > 0) {
        options.parent = XYLEM_PARENT_AT;
        options.parent_position = parent;
    } else if (draw(20) == 0) {
        options.parent = XYLEM_PARENT_NONE;
    }
    must(xylem_append(NULL, world.txn, session, entries, count, &options, &err));
}

static void make_session(void)
{
    char id[32];
    int64_t created = draw_time();
    struct xylem_session session;
    struct xylem_session_options options = {.id = {id, (size_t)sprintf(id, "s%d", world.made++)},
                                            .created_ms = &created};
    if (draw(4) > 0) {
        options.cwd = xylem_view_of(directories[draw(DIRECTORY_COUNT)]);
    }
    uint64_t source = any_session(LIVE);
    if (source == 0 || draw(3) == 0) {
        must(xylem_session_create(&session, world.txn, &options, &err));
        return;
    }
    struct xylem_position at = any_entry(source);
    if (at.depth == 0 || draw(2) == 0) {
        must(xylem_clone(&session, world.txn, source, &options, &err));
    } else {
        must(xylem_fork(&session, world.txn, source, at, draw(2) ? XYLEM_FORK_AT : XYLEM_FORK_BEFORE, &options, &err));
    }
}

static void move(void)
{
    uint64_t session = any_session(LIVE);
    struct xylem_position to = session == 0 || draw(8) == 0 ? (struct xylem_position){0, 0} : any_entry(session);
    if (session != 0) {
        must(xylem_navigate(world.txn, session, to, (struct xylem_view){NULL, 0}, &err));
    }
}

static void delete_or_undelete(void)
{
    uint64_t session = any_session(draw(3) ? LIVE : 1u << XYLEM_SESSION_DELETED);
    struct xylem_session row;
    if (session != 0) {
        must(xylem_session_read(&row, world.txn, session, &err));
        must(row.state == XYLEM_SESSION_LIVE ? xylem_session_delete(world.txn, session, &err)
                                             : xylem_session_undelete(world.txn, session, &err));
    }
}

static void redact(void)
{
    uint64_t session = any_session(LIVE);
    struct xylem_redact_options options = {.reason = xylem_view_of("r"), .drop_hash = draw(4) == 0};
    struct xylem_redact_report report;
    struct xylem_position at = session == 0 ? (struct xylem_position){0, 0} : any_entry(session);
    if (at.depth > 0) {
        must(xylem_redact(&report, world.txn, session, at, &options, &err));
        xylem_redact_report_release(&report);
    }
}

/* What a kill between two pieces of a refresh leaves, or a store of which somebody dropped the table. */
static void spoil_outlines(void)
{
    struct xylem_lmdb__rows *rows = NULL;
    struct xylem_view key = {NULL, 0};
    struct xylem_view row = {NULL, 0};
    struct xylem_format__key first;
    bool all = draw(3) == 0;
    int found;
    do {
        must(xylem_lmdb__rows_new(&rows, world.txn, XYLEM_FORMAT__OUTLINES, &err));
        found = must(xylem_lmdb__rows_step(&key, &row, rows, XYLEM_LMDB__FIRST, &err));
        if (found == 1) {
            memcpy(first.bytes, key.data, key.bytes);
            first.view = (struct xylem_view){(const char *)first.bytes, key.bytes};
        }
        xylem_lmdb__rows_free(rows);
        if (found == 1 && (all || first.bytes[0] == XYLEM_FORMAT__OUTLINE_HEAD)) {
            must(xylem_lmdb__remove(world.txn, XYLEM_FORMAT__OUTLINES, first.view, &err));
        }
    } while (found == 1 && all);
}

/* The file loses its last line: the leaf moves, and no entry is new. */
static void lose_last_line(const char *path)
{
    char bytes[65536];
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    size_t count = fread(bytes, 1, sizeof bytes, file);
    size_t end = count > 0 ? count - 1 : 0;
    while (end > 0 && bytes[end - 1] != '\n') {
        end--;
    }
    bool header = end == 0;
    assert_int_equal(ftruncate(fileno(file), (off_t)(header ? count : end)), 0);
    assert_int_equal(fclose(file), 0);
}

static void add_lines(const char *path, int file)
{
    char text[400];
    bool made = access(path, F_OK) != 0;
    FILE *out = fopen(path, "ab");
    assert_non_null(out);
    if (made) {
        (void)fprintf(
            out,
            "{\"type\":\"session\",\"version\":3,\"id\":\"file%d\",\"timestamp\":\"2023-11-14T22:13:%02d.000Z\","
            "\"cwd\":\"%s\"}\n",
            file, draw(60), directories[draw(5)]);
    }
    for (int i = draw(4); i >= 0; i--) {
        draw_text(text);
        (void)fprintf(out,
                      draw(8) == 0
                          ? "{\"type\":\"session_info\",\"id\":\"f%d\",\"parentId\":null,\"timestamp\":"
                            "\"2023-11-14T22:14:%02d.000Z\",\"name\":\"%s\"}\n"
                          : "{\"type\":\"message\",\"id\":\"f%d\",\"parentId\":null,\"timestamp\":"
                            "\"2023-11-14T22:14:%02d.000Z\",\"message\":{\"role\":\"user\",\"content\":\"%s\"}}\n",
                      world.made++, draw(60), text);
    }
    assert_int_equal(fclose(out), 0);
}

static void import_file(void)
{
    char path[400];
    int file = world.files > 0 && draw(2) ? draw(world.files) : world.files++;
    (void)snprintf(path, sizeof path, "%s/file%d.jsonl", world.path, file);
    if (access(path, F_OK) == 0 && draw(3) == 0) {
        lose_last_line(path);
    } else {
        add_lines(path, file);
    }
    struct xylem_import_report report = {0};
    must(xylem_import(&report, world.store, path, NULL, &err));
    xylem_import_report_release(&report);
}

static void open_store(void)
{
    struct xylem_open_options options = {.create = true, .durability = XYLEM_DURABILITY_NONE};
    must(xylem_open(&world.store, world.name, &options, &err));
}

static void close_store(void)
{
    struct xylem_store *store = world.store;
    world.store = NULL;
    must(xylem_close(store, &err));
}

/* Another store takes the place of the store. */
static void replace_store(void)
{
    char to[300];
    struct xylem_repair_report report;
    (void)snprintf(to, sizeof to, "%s/store%d", world.path, ++world.moved);
    if (draw(2) || model_count == 0) { /* a repair refuses an empty store */
        must(xylem_backup(NULL, world.store, to, NULL, &err));
        close_store();
    } else {
        close_store();
        must(xylem_repair(&report, world.name, to, NULL, NULL, NULL, &err));
        world.repaired = true;
    }
    strcpy(world.name, to);
    open_store();
}

static void compact(void)
{
    struct xylem_compact_options options = {.overwrite_old = draw(2) == 0};
    close_store();
    must(xylem_compact(NULL, world.name, &options, &err));
    open_store();
}

static void in_transaction(void (*change)(void))
{
    must(xylem_begin(&world.txn, world.store, XYLEM_WRITE, &err));
    change();
    if (draw(10) == 0) {
        xylem_abort(world.txn);
    } else {
        must(xylem_commit(world.txn, &err));
    }
    world.txn = NULL;
}

static void change_in_transaction(void)
{
    static void (*const changes[])(void) = {append_some, append_some, append_some,        make_session,  make_session,
                                            move,        redact,      delete_or_undelete, spoil_outlines};
    in_transaction(changes[draw(9)]);
}

/* Another process keeps outlines, or changes the store. */
static void work_elsewhere(void)
{
    int status = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        open_store();
        if (draw(2)) {
            must(xylem_outlines_refresh(NULL, world.store, &err));
        } else {
            change_in_transaction();
        }
        _exit(xylem_close(world.store, &err) == XYLEM_OK ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    world.made += 10; /* ids that the child may have used */
}

static void operate(void)
{
    int what = draw(100);
    struct xylem_gc_report report;
    uint64_t count;
    if (what < 60) {
        change_in_transaction();
    } else if (what < 75) {
        must(xylem_outlines_refresh(&count, world.store, &err));
    } else if (what < 85) {
        import_file();
    } else if (what < 90) {
        must(xylem_gc_write(&report, world.store, NULL, &err));
    } else if (what < 96) {
        work_elsewhere();
    } else if (what < 98) {
        compact();
    } else {
        replace_store();
    }
}

/* ------------------------------------------------------------------------------------------------------------------ */

static void forget(void)
{
    test_directory_remove(world.path);
    memset(&world, 0, sizeof world);
}

static void run_seed(uint64_t seed)
{
    world.seed = seed;
    world.chance = chance_of(seed);
    model_count = 0;
    test_directory_make(world.path, sizeof world.path, "outlines");
    (void)snprintf(world.name, sizeof world.name, "%s/store", world.path);
    open_store();
    for (int i = 0; i < OPERATIONS_PER_SEED; i++) {
        operate();
        compare_all();
    }
    close_store();
    forget();
}

static int leave_world(void **state)
{
    (void)state;
    if (world.path[0] != '\0') {
        print_error("seed %" PRIu64 " failed; again: XYLEM_SEED=%" PRIu64 " %s\n", world.seed, world.seed,
                    program_invocation_name);
        xylem_abort(world.txn);
        (void)xylem_close(world.store, NULL);
        forget();
    }
    return 0;
}

TEST_WITH(every_list_says_what_the_entries_say, NULL, leave_world)
{
    test_seeds(run_seed, test_rounds(ROUNDS_DEFAULT));
}
