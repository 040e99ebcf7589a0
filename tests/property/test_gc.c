/*
 * Nothing that is freed changes a session that is not: random sessions of appends, forks, clones, navigations, labels,
 * names and imported files are deleted, undeleted and freed in any order. What every live session says before and after
 * is compared as text, by every way of reading it. A seed decides everything. It is printed; XYLEM_SEED=n runs that one
 * alone, XYLEM_ROUNDS=n runs more of them.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/chance.h"
#include "tests/lib/changes.h"
#include "tests/lib/test.h"
#include "tests/lib/way_out.h"
#include "xylem/append.h"
#include "xylem/branch.h"
#include "xylem/care.h"
#include "xylem/files.h"
#include "xylem/inspect.h"
#include "xylem/outline.h"
#include "xylem/state.h"

#define OPERATIONS_PER_SEED 90
#define SESSIONS_MAX 256
#define ENTRIES_MAX 8192
#define FILES 3

#if defined(__SANITIZE_ADDRESS__)
#define ROUNDS_DEFAULT 12
#else
#define ROUNDS_DEFAULT 40
#endif

/* A session that the test made; what it said when it was deleted. */
struct made {
    uint64_t number;
    char id[24];
    enum xylem_session_state state; /* FREED: also if no row is left */
    char *said;
};

static struct {
    uint64_t seed;
    struct chance chance;
    char path[256];
    struct xylem_store *store;
    struct xylem_txn *txn;
    struct made sessions[SESSIONS_MAX];
    int session_count;
    struct xylem_position entries[ENTRIES_MAX]; /* that were ever there */
    int entry_count;
    int id_count;
    int file_lines[FILES];
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

/* --- What a session says ---------------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static void say(struct xylem_buffer *text, const char *format, ...)
{
    char piece[512];
    va_list arguments;
    va_start(arguments, format);
    int bytes = vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    assert_true(bytes >= 0 && (size_t)bytes < sizeof piece);
    must(xylem_buffer_add(text, piece, (size_t)bytes));
}

static void say_position(struct xylem_buffer *text, const char *what, struct xylem_position position)
{
    say(text, "%s (%" PRIu64 ", %" PRIu64 ") ", what, position.branch, position.depth);
}

static void say_entry(struct xylem_buffer *text, const struct xylem_entry *entry)
{
    struct xylem_view payload;
    say_position(text, "entry", entry->position);
    say_position(text, "of", entry->parent);
    must(xylem_entry_payload(&payload, entry, &err));
    say(text, "%.*s lsn %" PRIu64 " check %016" PRIx64 " payload %zu\n", (int)entry->id.bytes, entry->id.data,
        entry->lsn, entry->check, payload.bytes);
}

/* The state there, by links and by a plain walk. */
static void say_state(struct xylem_buffer *text, struct xylem_position at)
{
    for (int scan = 0; scan < 2; scan++) {
        struct xylem_reduce_options options = {.scan = scan == 1};
        struct xylem_event event = {.type = XYLEM_EVENT_SESSION_TREE};
        struct xylem_state state = {.at = at};
        must(xylem_rehydrate(&state, world.txn, at, &event, &options, &err));
        must(xylem_state_json(text, &state, xylem_view_of("s")));
        xylem_state_release(&state);
    }
}

static void say_walk(struct xylem_buffer *text, struct xylem_position from)
{
    struct xylem_walk *walk = NULL;
    struct xylem_entry entry;
    must(xylem_walk_new(&walk, world.txn, from, &err));
    say(text, "\nwalk\n");
    while (must(xylem_walk_next(&entry, walk, &err)) == 1) {
        say_entry(text, &entry);
    }
    xylem_walk_free(walk);
}

static void say_tips(struct xylem_buffer *text, uint64_t session)
{
    struct xylem_tips *tips = NULL;
    struct xylem_tip tip;
    must(xylem_tips_new(&tips, world.txn, session, &err));
    say(text, "tips\n");
    while (must(xylem_tips_next(&tip, tips, &err)) == 1) {
        say_entry(text, &tip.entry);
        say_position(text, "starts at", tip.fork_point);
        say(text, "%" PRIu64 " entries ", tip.branch_entry_count);
        say_state(text, tip.entry.position);
    }
    xylem_tips_free(tips);
}

/* All entries, each found by its id, too. */
static void say_scan(struct xylem_buffer *text, uint64_t session)
{
    struct xylem_scan *scan = NULL;
    struct xylem_entry entry;
    must(xylem_scan_new(&scan, world.txn, session, &err));
    say(text, "\nscan\n");
    while (must(xylem_scan_next(&entry, scan, &err)) == 1) {
        struct xylem_position found;
        say_entry(text, &entry);
        must(xylem_find(&found, world.txn, session, entry.id, &err));
        assert_true(found.branch == entry.position.branch && found.depth == entry.position.depth);
        assert_int_equal(must(xylem_belongs(world.txn, session, found, &err)), 1);
    }
    xylem_scan_free(scan);
}

static void say_labels(struct xylem_buffer *text, const struct xylem_session *row)
{
    struct xylem_labels labels = {0};
    struct xylem_outline outline;
    must(xylem_labels_read(&labels, world.txn, row->number, &err));
    must(xylem_outline_read(&outline, text, world.txn, row, &err));
    say(text, " %" PRIu64 " entries, labels\n", outline.entry_count);
    for (size_t i = 0; i < labels.label_count; i++) {
        say(text, "%.*s: %.*s", (int)labels.labels[i].target_id.bytes, labels.labels[i].target_id.data,
            (int)labels.labels[i].text.bytes, labels.labels[i].text.data);
        say_position(text, " by", labels.labels[i].entry);
    }
    xylem_labels_release(&labels);
}

static int take_export(void *context, const void *data, size_t bytes)
{
    return xylem_buffer_add(context, data, bytes);
}

/* Everything that can be read of a session, as one text. The caller frees it. */
static char *said_by(uint64_t session)
{
    static const struct xylem_export_options with_quarantine = {.with_quarantine = true};
    struct xylem_buffer text = {NULL, 0, 0};
    struct xylem_session row;
    must(xylem_session_read(&row, world.txn, session, &err));
    say(&text, "%.*s last %" PRIu64 " own %" PRIu64 " newest %" PRIu64 " ", (int)row.id.bytes, row.id.data,
        row.last_lsn, row.own_entry_count, row.newest_branch);
    say_position(&text, "base", row.base);
    say_position(&text, "leaf", row.leaf);
    say_position(&text, "imported", row.imported_leaf);
    for (uint64_t n = 1; n <= row.move_count; n++) {
        struct xylem_move move;
        must(xylem_move_read(&move, world.txn, session, n, &err));
        say_position(&text, "from", move.from);
        say_position(&text, "to", move.to);
    }
    say_labels(&text, &row);
    say_state(&text, row.leaf);
    say_walk(&text, row.leaf);
    say_tips(&text, session);
    say_scan(&text, session);
    must(xylem_export(world.txn, session, &with_quarantine, take_export, &text, &err));
    return text.data;
}

static void assert_says(const struct made *made, const char *expected)
{
    char *now = said_by(made->number);
    if (strcmp(now, expected) != 0) {
        print_error("seed %" PRIu64 ": session %s says\n%s\nand said\n%s\n", world.seed, made->id, now, expected);
        fail();
    }
    free(now);
}

/* --- Operations ------------------------------------------------------------------------------------------------- */

static void begin(void)
{
    must(xylem_begin(&world.txn, world.store, XYLEM_WRITE, &err));
}

static void end(void)
{
    struct xylem_txn *txn = world.txn;
    world.txn = NULL;
    must(xylem_commit(txn, &err));
}

/* A session in that state, or NULL. */
static struct made *any_session(enum xylem_session_state state)
{
    struct made *found = NULL;
    int seen = 0;
    for (int i = 0; i < world.session_count; i++) {
        if (world.sessions[i].state == state && draw(++seen) == 0) {
            found = &world.sessions[i];
        }
    }
    return found;
}

static struct made *note_session(const struct xylem_session *session)
{
    assert_true(world.session_count < SESSIONS_MAX && session->id.bytes < sizeof world.sessions->id);
    struct made *made = &world.sessions[world.session_count++];
    made->number = session->number;
    made->state = XYLEM_SESSION_LIVE;
    (void)snprintf(made->id, sizeof made->id, "%.*s", (int)session->id.bytes, session->id.data);
    return made;
}

/* Notes the entries of a session that are not known yet. */
static void note_entries(uint64_t session)
{
    struct xylem_scan *scan = NULL;
    struct xylem_entry entry;
    must(xylem_scan_new(&scan, world.txn, session, &err));
    while (must(xylem_scan_next(&entry, scan, &err)) == 1) {
        int i = 0;
        while (i < world.entry_count &&
               (world.entries[i].branch != entry.position.branch || world.entries[i].depth != entry.position.depth)) {
            i++;
        }
        if (i == world.entry_count) {
            assert_true(world.entry_count < ENTRIES_MAX);
            world.entries[world.entry_count++] = entry.position;
        }
    }
    xylem_scan_free(scan);
}

/* An entry of the session, or none. */
static struct xylem_position any_entry(uint64_t session)
{
    struct xylem_position found = {0, 0};
    int seen = 0;
    for (int i = 0; i < world.entry_count; i++) {
        if (xylem_belongs(world.txn, session, world.entries[i], NULL) == 1 && draw(++seen) == 0) {
            found = world.entries[i];
        }
    }
    return found;
}

/* The id of a session that was freed, or a new one. */
static struct xylem_session_options new_id(char id[24])
{
    struct made *freed = draw(2) == 0 ? any_session(XYLEM_SESSION_FREED) : NULL;
    struct xylem_session session;
    (void)snprintf(id, 24, "s%d", world.session_count);
    if (freed && xylem_session_find(&session, world.txn, xylem_view_of(freed->id), &err) == XYLEM_E_NOT_FOUND) {
        (void)snprintf(id, 24, "%s", freed->id);
    }
    return (struct xylem_session_options){.id = xylem_view_of(id)};
}

static void make_session(const struct made *source)
{
    char id[24];
    struct xylem_session session;
    struct xylem_session_options options = new_id(id);
    struct xylem_position at = source ? any_entry(source->number) : (struct xylem_position){0, 0};
    size_t labels = 0;
    if (!source) {
        must(xylem_session_create(&session, world.txn, &options, &err));
    } else if (at.branch == 0 || draw(3) == 0) {
        must(xylem_clone(&session, world.txn, source->number, &options, &err));
    } else {
        must(xylem_fork(&session, world.txn, source->number, at, draw(2) ? XYLEM_FORK_AT : XYLEM_FORK_BEFORE, &options,
                        &err));
    }
    uint64_t number = session.number;
    note_session(&session);
    if (source && draw(3) == 0) {
        must(xylem_fork_labels(&labels, world.txn, number, source->number, &err));
        note_entries(number);
    }
}

static void fill(struct xylem_new_entry *entry, char id[24], char json[96])
{
    static const char *const custom[] = {"readonly", "readonly-nudge", "other"};
    static const char *const data[] = {"{\"enabled\":true}", "{\"direction\":\"on\",\"delivered\":true}", "[1,2]"};
    int kind = draw(8);
    *entry = (struct xylem_new_entry){.kind = {XYLEM_CLASS_HOST, xylem_view_of("message")}};
    (void)snprintf(json, 96, "{\"n\":%d}", draw(100000));
    if (kind == 0) {
        entry->kind.name = xylem_view_of("label");
        (void)snprintf(json, 96, "{\"targetId\":\"e%d\",\"label\":\"l%d\"}", draw(world.id_count + 1), draw(9));
    } else if (kind == 1) {
        entry->kind.name = xylem_view_of("session_info");
        (void)snprintf(json, 96, "{\"name\":\"name %d\"}", draw(9));
    } else if (kind < 5) {
        entry->kind = (struct xylem_kind){XYLEM_CLASS_CUSTOM, xylem_view_of(custom[kind - 2])};
        (void)snprintf(json, 96, "%s", data[kind - 2]);
    }
    entry->format = XYLEM_FORMAT_JSON;
    entry->payload = xylem_view_of(json);
    if (draw(2)) {
        (void)snprintf(id, 24, "e%d", world.id_count++);
        entry->id = xylem_view_of(id);
    }
}

static void append(const struct made *made)
{
    struct xylem_new_entry entries[6];
    char ids[6][24];
    char json[6][96];
    size_t count = 1 + (size_t)draw(6);
    struct xylem_append_options options = {.parent = draw(12) ? XYLEM_PARENT_LEAF : XYLEM_PARENT_NONE};
    struct xylem_position at = any_entry(made->number);
    for (size_t i = 0; i < count; i++) {
        fill(&entries[i], ids[i], json[i]);
    }
    if (at.branch != 0 && draw(4) == 0) {
        options = (struct xylem_append_options){.parent = XYLEM_PARENT_AT, .parent_position = at};
    }
    must(xylem_append(NULL, world.txn, made->number, entries, count, &options, &err));
    note_entries(made->number);
}

/* A dry run that takes the session as deleted says what a dry run says when the session is. */
static void delete_session(struct made *made)
{
    struct xylem_gc_options dry = {.dry_run = true, .if_deleted = made->number};
    struct xylem_gc_report expected;
    struct xylem_gc_report report;
    made->said = said_by(made->number);
    must(xylem_gc(&expected, world.txn, &dry, &err));
    must(xylem_session_delete(world.txn, made->number, &err));
    dry.if_deleted = 0;
    must(xylem_gc(&report, world.txn, &dry, &err));
    assert_in_range(report.bytes - expected.bytes, 0, 10); /* the deletion has a greater ordinal and lsn */
    expected.bytes = report.bytes;
    assert_memory_equal(&report, &expected, sizeof report);
    made->state = XYLEM_SESSION_DELETED;
}

static void undelete_session(struct made *made)
{
    must(xylem_session_undelete(world.txn, made->number, &err));
    made->state = XYLEM_SESSION_LIVE;
    assert_says(made, made->said);
    free(made->said);
    made->said = NULL;
}

/* A session file that grew by a few lines, one of which may be no entry. It has a transaction of its own. */
static void import_file(int which)
{
    char path[300];
    struct xylem_import_report report;
    struct xylem_session session;
    (void)snprintf(path, sizeof path, "%s/file-%d.jsonl", world.path, which);
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    if (world.file_lines[which] == 0) {
        fprintf(file,
                "{\"type\":\"session\",\"version\":3,\"id\":\"file-%d\",\"timestamp\":\"2026-01-01T00:00:00.000Z\","
                "\"cwd\":\"/x\"}\n",
                which);
    }
    for (int left = 1 + draw(4); left > 0; left--) {
        int line = ++world.file_lines[which];
        char parent[32] = "null";
        if (line > 1 && draw(5)) {
            (void)snprintf(parent, sizeof parent, "\"l%d\"", 1 + draw(line - 1));
        }
        fprintf(file,
                "{\"type\":\"message\",\"id\":\"l%d\",\"parentId\":%s,\"timestamp\":\"2026-01-01T00:00:01.000Z\","
                "\"message\":{\"role\":\"user\",\"content\":\"%d\"}}\n%s",
                line, parent, draw(1000), draw(5) ? "" : "?\n");
    }
    assert_int_equal(fclose(file), 0);
    must(xylem_import(&report, world.store, path, NULL, &err));
    bool fresh = report.outcome == XYLEM_IMPORT_NEW;
    uint64_t number = report.session;
    bool skipped = report.outcome == XYLEM_IMPORT_SKIPPED_DELETED;
    xylem_import_report_release(&report);
    begin();
    must(xylem_session_read(&session, world.txn, number, &err));
    if (fresh) {
        note_session(&session);
    }
    if (!skipped) {
        note_entries(number);
    }
    end();
}

/* --- Freeing ---------------------------------------------------------------------------------------------------- */

static int count_problem(void *context, const struct xylem_problem *problem)
{
    (void)context;
    print_error("verify: %s: (%" PRIu64 ", %" PRIu64 "): %s\n", problem->table, problem->position.branch,
                problem->position.depth, problem->text);
    return 0;
}

static bool is_needed(struct xylem_position position)
{
    for (int i = 0; i < world.session_count; i++) {
        if (world.sessions[i].state == XYLEM_SESSION_LIVE &&
            must(xylem_belongs(world.txn, world.sessions[i].number, position, &err)) == 1) {
            return true;
        }
    }
    return false;
}

/* Each entry that a live session has is there, and each other one was freed. Gives how many were. */
static uint64_t check_entries(void)
{
    uint64_t freed = 0;
    for (int i = 0; i < world.entry_count; i++) {
        struct xylem_entry entry;
        bool needed = is_needed(world.entries[i]);
        assert_int_equal(xylem_entry_read(&entry, world.txn, world.entries[i], &err), needed ? 0 : XYLEM_E_FREED);
        freed += !needed;
    }
    return freed;
}

static void free_what_is_deleted(void)
{
    struct xylem_gc_options dry = {.dry_run = true};
    struct xylem_gc_report expected;
    struct xylem_gc_report report;
    struct xylem_verify_report verified;
    char *said[SESSIONS_MAX] = {NULL};
    for (int i = 0; i < world.session_count; i++) {
        said[i] = world.sessions[i].state == XYLEM_SESSION_LIVE ? said_by(world.sessions[i].number) : NULL;
    }
    must(xylem_gc(&expected, world.txn, &dry, &err));
    must(xylem_gc(&report, world.txn, NULL, &err));
    assert_memory_equal(&report, &expected, sizeof report);
    end();
    begin();
    for (int i = 0; i < world.session_count; i++) {
        struct made *made = &world.sessions[i];
        if (said[i]) {
            assert_says(made, said[i]);
        }
        free(said[i]);
        free(made->said);
        made->said = NULL;
        made->state = made->state == XYLEM_SESSION_DELETED ? XYLEM_SESSION_FREED : made->state;
    }
    uint64_t freed = check_entries();
    must(xylem_verify(&verified, world.txn, NULL, count_problem, NULL, &err));
    assert_int_equal(verified.problem_count, 0);
    assert_int_equal(verified.entry_count, (uint64_t)world.entry_count - freed);
}

/* The feed tells of every session, move and entry once, and of no entry that was freed. */
static void check_changes(void)
{
    struct changes changes;
    if (!changes_agree(&changes, world.txn, false)) {
        fail_msg("seed %" PRIu64 ": %s", world.seed, changes.problem);
    }
}

static void change(int chosen, struct made *live)
{
    struct made *deleted = any_session(XYLEM_SESSION_DELETED);
    if (!live || chosen < 6) {
        make_session(NULL);
    } else if (chosen < 20) {
        make_session(live);
    } else if (chosen < 28) {
        must(xylem_navigate(world.txn, live->number, any_entry(live->number), xylem_view_of("x"), &err));
    } else if (chosen < 38) {
        delete_session(live);
    } else if (chosen < 43 && deleted) {
        undelete_session(deleted);
    } else if (chosen < 49) {
        free_what_is_deleted();
    } else {
        append(live);
    }
}

static void operate(void)
{
    int chosen = draw(100);
    if (chosen >= 94) {
        import_file(draw(FILES));
        return;
    }
    begin();
    change(chosen, any_session(XYLEM_SESSION_LIVE));
    check_changes();
    end();
}

/* --- Running ---------------------------------------------------------------------------------------------------- */

static void forget(void)
{
    for (int i = 0; i < world.session_count; i++) {
        free(world.sessions[i].said);
    }
    if (world.path[0] != '\0') {
        test_directory_remove(world.path);
    }
    memset(&world, 0, sizeof world);
}

static void run_seed(uint64_t seed)
{
    struct xylem_open_options options = {
        .create = true, .durability = XYLEM_DURABILITY_NONE, .map_bytes = UINT64_C(256) << 20};
    char store[300];
    world.seed = seed;
    world.chance = chance_of(seed);
    test_directory_make(world.path, sizeof world.path, "gc");
    (void)snprintf(store, sizeof store, "%s/store", world.path);
    must(xylem_open(&world.store, store, &options, &err));
    for (int i = 0; i < OPERATIONS_PER_SEED; i++) {
        operate();
    }
    begin();
    free_what_is_deleted();
    assert_way_out(world.txn);
    end();
    must(xylem_close(world.store, &err));
    forget();
}

/* After a failure: says how to have it again, and cleans up what run_seed() could not. */
static int leave_world(void **state)
{
    (void)state;
    if (world.path[0] == '\0') {
        return 0;
    }
    print_error("seed %" PRIu64 " failed; again: XYLEM_SEED=%" PRIu64 " %s\n", world.seed, world.seed,
                program_invocation_name);
    xylem_abort(world.txn);
    (void)xylem_close(world.store, NULL);
    forget();
    return 0;
}

TEST_WITH(freeing_changes_no_session_that_is_not_freed, NULL, leave_world)
{
    test_seeds(run_seed, ROUNDS_DEFAULT);
}
