/* Repairs: what is damaged by hand comes out as what can be proven, and nothing else does. */

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/pages/page.h"
#include "xylem/care.h"
#include "xylem/inspect.h"
#include "xylem/lease.h"
#include "xylem/note.h"
#include "xylem/redact.h"
#include "xylem/state.h"
#include "xylem/append.h"
#include "tests/lib/cursor.h"
#include "tests/lib/damage.h"
#include "tests/lib/changes.h"
#include "tests/lib/test.h"
#include "tests/store/rows.h"

static struct store_builder builder; /* the store before it was damaged */
static struct xylem_error err;
static char place[256];   /* a directory for the damaged store and the new one */
static char damaged[300]; /* in it */
static char repaired[300];

/* --- The store -------------------------------------------------------------------------------------------------- */

#define LINE "{\"type\":\"message\",\"id\":\"line\",  \"odd\":1}"

static struct xylem_position append_line(uint64_t session, const char *id, const char *line)
{
    struct xylem_new_entry entry = {.id = xylem_view_of(id),
                                    .kind.name = xylem_view_of("message"),
                                    .format = XYLEM_FORMAT_JSON,
                                    .payload = xylem_view_of("{\"odd\":1}")};
    struct xylem_view view = xylem_view_of(line);
    struct xylem_store__append_options options = {.imported = true, .lines = &view};
    struct xylem_position at;
    store_builder_must(xylem_store__append(&at, builder.txn, session, &entry, 1, &options, &err), &err);
    return at;
}

static void add_source(uint64_t session, uint64_t displaced_lsn)
{
    struct xylem_store__displaced displaced = {displaced_lsn, 7};
    struct xylem_store__source source = {
        .name = xylem_view_of("/a.jsonl"), .bytes = 10, .lines = 2, .displaced = &displaced, .displaced_count = 1};
    struct xylem_view raw = xylem_view_of("?\n");
    struct xylem_quarantined row = {
        .line = 2, .hash = xylem_format__hash(raw), .source = source.name, .raw = raw, .raw_bytes = 2};
    store_builder_must(xylem_store__source_write(builder.txn, session, &source, &err), &err);
    store_builder_must(xylem_store__source_note(builder.txn, session, xylem_view_of("/noted.jsonl"), &err), &err);
    store_builder_must(xylem_store__quarantine_add(builder.txn, session, &row, &err), &err);
}

static char long_json[9000];

/*
 * `main` (1): branch 1 of `a` to `l` and two minted ones, branch 2 below `c`; `fork` (2): from `e`, branch 3; `gone`: a
 * deleted clone.
 */
static int set_up(void **state)
{
    (void)state;
    snprintf(long_json, sizeof long_json, "{\"long\":\"%08000d\"}", 7);
    store_builder_open(&builder);
    uint64_t session = store_builder_session(&builder, "main");
    store_builder_add(&builder, session, "a", "message", "{\"n\":1}");
    store_builder_add(&builder, session, "b", "custom:readonly", "{\"enabled\":true}");
    struct xylem_position c = store_builder_add(&builder, session, "c", "message", long_json);
    store_builder_commit(&builder);
    store_builder_add(&builder, session, "d", "custom:of-mine", "[1,2]");
    struct xylem_position e = store_builder_add(&builder, session, "e", "message", NULL);
    struct xylem_entry line;
    store_builder_must(xylem_entry_read(&line, builder.txn, append_line(session, "line", LINE), &err), &err);
    uint64_t line_lsn = line.lsn;
    store_builder_go(&builder, session, (struct xylem_position){1, 6});
    for (char id[2] = "g"; *id <= 'l'; ++*id) {
        store_builder_add(&builder, session, id, "message", "{\"n\":2}");
    }
    store_builder_messages(&builder, session, 2);
    store_builder_add_at(&builder, session, c, "side", "custom:readonly", "{\"enabled\":false}");
    store_builder_commit(&builder);
    uint64_t fork = store_builder_fork(&builder, session, e, XYLEM_FORK_AT, "fork");
    store_builder_add(&builder, fork, "of-fork", "label", "{\"targetId\":\"e\",\"label\":\"x\"}");
    store_builder_messages(&builder, fork, 1);
    uint64_t gone = store_builder_clone(&builder, fork, "gone");
    store_builder_go(&builder, session, (struct xylem_position){1, 14});
    store_builder_must(xylem_session_delete(builder.txn, gone, &err), &err);
    add_source(session, line_lsn);
    store_builder_commit(&builder);
    test_directory_make(place, sizeof place, "repair");
    snprintf(damaged, sizeof damaged, "%s/damaged", place);
    snprintf(repaired, sizeof repaired, "%s/repaired", place);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    char command[400];
    store_builder_close(&builder);
    snprintf(command, sizeof command, "rm -rf '%s'", place);
    return system(command);
}

/* --- Repairing -------------------------------------------------------------------------------------------------- */

struct told {
    unsigned count;
    unsigned entries; /* of these, at positions */
    struct xylem_position last;
    char last_id[80];
    char text[200]; /* of the last */
};

static int tell(void *context, const struct xylem_problem *problem)
{
    struct told *told = context;
    told->count++;
    if (problem->position.depth > 0) {
        told->entries++;
        told->last = problem->position;
        snprintf(told->last_id, sizeof told->last_id, "%.*s", (int)problem->entry_id.bytes,
                 problem->entry_id.data ? problem->entry_id.data : "");
    }
    snprintf(told->text, sizeof told->text, "%s", problem->text);
    return 0;
}

static struct told told;
static struct xylem_repair_report report;
static struct xylem_store *store; /* the repaired one */
static struct xylem_txn *txn;

/* Repairs what `file` holds, and opens the new store. The file is left as it was. */
static void repair_with(struct damage_file *file, const struct xylem_repair_options *how)
{
    memset(&told, 0, sizeof told);
    damage_write(damaged, file);
    store_builder_must(xylem_repair(&report, damaged, repaired, how, tell, &told, &err), &err);
    struct damage_file after = damage_read(damaged);
    assert_true(damage_equal(file, &after));
    damage_free(&after);
    struct xylem_open_options options = {.read_only = true};
    store_builder_must(xylem_open(&store, repaired, &options, &err), &err);
    store_builder_must(xylem_begin(&txn, store, XYLEM_READ, &err), &err);
    struct xylem_verify_report verified;
    store_builder_must(xylem_verify(&verified, txn, NULL, NULL, NULL, &err), &err);
    assert_int_equal(verified.problem_count, 0);
    assert_int_equal(verified.entry_count, report.entry_count + report.placeholder_count);
    struct changes changes;
    if (!changes_agree(&changes, txn, true)) {
        fail_msg("%s", changes.problem);
    }
    damage_free(file);
}

static void repair(struct damage_file *file)
{
    repair_with(file, NULL);
}

/* Takes older copies too, though the store says that a session was deleted. */
static void repair_with_older(struct damage_file *file)
{
    const struct xylem_repair_options options = {.older = true};
    repair_with(file, &options);
    assert_int_equal(report.withheld_count, 0);
}

static void close_repaired(void)
{
    xylem_abort(txn);
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
}

static struct xylem_session session_of(const char *id)
{
    struct xylem_session session;
    store_builder_must(xylem_session_find(&session, txn, xylem_view_of(id), &err), &err);
    return session;
}

static struct xylem_entry entry_of(const char *session, const char *id)
{
    struct xylem_entry entry;
    struct xylem_position at;
    store_builder_must(xylem_find(&at, txn, session_of(session).number, xylem_view_of(id), &err), &err);
    store_builder_must(xylem_entry_read(&entry, txn, at, &err), &err);
    return entry;
}

/* The ids of the path of the session's leaf, oldest last; a placeholder is `?N`, an id that was made `*`. */
static void assert_path(const char *session, const char *expected)
{
    struct xylem_walk *walk;
    struct xylem_entry entry;
    char ids[512] = "";
    store_builder_must(xylem_walk_new(&walk, txn, session_of(session).leaf, &err), &err);
    while (store_builder_must(xylem_walk_next(&entry, walk, &err), &err)) {
        char id[80] = "*";
        if (strncmp(entry.kind.name.data, "xylem_lost", entry.kind.name.bytes) == 0 && entry.kind.name.bytes == 10) {
            struct xylem_document *document;
            int64_t lost = 0;
            store_builder_must(xylem_document_new(&document, &entry, &err), &err);
            assert_true(xylem_value_integer(&lost, xylem_value_get(xylem_document_value(document), "lost")));
            snprintf(id, sizeof id, "?%d", (int)lost);
            xylem_document_free(document);
        } else if (entry.id.bytes < 30) {
            snprintf(id, sizeof id, "%.*s", (int)entry.id.bytes, entry.id.data);
        }
        snprintf(ids + strlen(ids), sizeof ids - strlen(ids), "%s ", id);
    }
    xylem_walk_free(walk);
    assert_string_equal(ids, expected);
}

/* --- The same --------------------------------------------------------------------------------------------------- */

static void assert_views(struct xylem_view a, struct xylem_view b)
{
    assert_int_equal(a.bytes, b.bytes);
    assert_true((a.data == NULL) == (b.data == NULL) || a.bytes == 0);
    assert_true(a.bytes == 0 || memcmp(a.data, b.data, a.bytes) == 0);
}

static void assert_same_entry(const struct xylem_entry *a, const struct xylem_entry *b)
{
    struct xylem_view parts[2] = {{NULL, 0}, {NULL, 0}};
    struct xylem_buffer lines[2] = {{NULL, 0, 0}, {NULL, 0, 0}};
    assert_views(a->id, b->id);
    assert_views(a->kind.name, b->kind.name);
    assert_int_equal(a->kind.kind_class, b->kind.kind_class);
    assert_int_equal(a->time_ms, b->time_ms);
    assert_int_equal(a->lsn, b->lsn);
    assert_int_equal(a->check, b->check);
    assert_int_equal(a->format, b->format);
    assert_int_equal(a->flags, b->flags);
    assert_int_equal(a->position.branch, b->position.branch);
    assert_int_equal(a->position.depth, b->position.depth);
    assert_int_equal(xylem_entry_payload(&parts[0], a, NULL), xylem_entry_payload(&parts[1], b, NULL));
    assert_int_equal(xylem_entry_imported_line(&lines[0], a, NULL), xylem_entry_imported_line(&lines[1], b, NULL));
    assert_views(parts[0], parts[1]);
    assert_views((struct xylem_view){lines[0].data, lines[0].bytes},
                 (struct xylem_view){lines[1].data, lines[1].bytes});
    xylem_buffer_release(&lines[0]);
    xylem_buffer_release(&lines[1]);
}

static int add_piece(void *context, const void *data, size_t bytes)
{
    return xylem_buffer_add(context, data, bytes);
}

static void assert_same_export(const struct xylem_session *a, const struct xylem_session *b)
{
    struct xylem_buffer first = {0};
    struct xylem_buffer second = {0};
    int code = xylem_export(builder.txn, a->number, NULL, add_piece, &first, NULL);
    assert_int_equal(code, xylem_export(txn, b->number, NULL, add_piece, &second, NULL));
    assert_views((struct xylem_view){first.data, first.bytes}, (struct xylem_view){second.data, second.bytes});
    xylem_buffer_release(&first);
    xylem_buffer_release(&second);
}

static void assert_same_state(const struct xylem_session *a, const struct xylem_session *b)
{
    struct xylem_event event = {.type = XYLEM_EVENT_SESSION_START, .reason = XYLEM_REASON_RESUME};
    struct xylem_buffer json[2] = {{0}, {0}};
    struct xylem_state state;
    store_builder_must(xylem_rehydrate(&state, builder.txn, a->leaf, &event, NULL, &err), &err);
    assert_int_equal(xylem_state_json(&json[0], &state, a->id), 0);
    xylem_state_release(&state);
    store_builder_must(xylem_rehydrate(&state, txn, b->leaf, &event, NULL, &err), &err);
    assert_int_equal(xylem_state_json(&json[1], &state, b->id), 0);
    xylem_state_release(&state);
    assert_string_equal(json[0].data, json[1].data);
    xylem_buffer_release(&json[0]);
    xylem_buffer_release(&json[1]);
}

static void assert_same_session(const struct xylem_session *a, const struct xylem_session *b)
{
    struct xylem_scan *scans[2];
    struct xylem_entry entries[2];
    assert_views(a->id, b->id);
    assert_views(a->name_space, b->name_space);
    assert_views(a->cwd, b->cwd);
    assert_views(a->parent, b->parent);
    assert_int_equal(a->created_ms, b->created_ms);
    assert_memory_equal(&a->base, &b->base, sizeof a->base);
    assert_memory_equal(&a->leaf, &b->leaf, sizeof a->leaf);
    assert_memory_equal(&a->imported_leaf, &b->imported_leaf, sizeof a->leaf);
    assert_int_equal(a->tree, b->tree);
    assert_int_equal(a->last_lsn, b->last_lsn);
    assert_int_equal(a->own_entry_count, b->own_entry_count);
    assert_int_equal(a->newest_branch, b->newest_branch);
    assert_int_equal(a->move_count, b->move_count);
    assert_int_equal(a->state, b->state);
    store_builder_must(xylem_scan_new(&scans[0], builder.txn, a->number, &err), &err);
    store_builder_must(xylem_scan_new(&scans[1], txn, b->number, &err), &err);
    int more;
    while ((more = store_builder_must(xylem_scan_next(&entries[0], scans[0], &err), &err)) == 1) {
        assert_int_equal(xylem_scan_next(&entries[1], scans[1], &err), 1);
        assert_same_entry(&entries[0], &entries[1]);
    }
    assert_int_equal(xylem_scan_next(&entries[1], scans[1], &err), 0);
    xylem_scan_free(scans[0]);
    xylem_scan_free(scans[1]);
    for (uint64_t number = 1; number <= a->move_count; number++) {
        struct xylem_move moves[2];
        store_builder_must(xylem_move_read(&moves[0], builder.txn, a->number, number, &err), &err);
        store_builder_must(xylem_move_read(&moves[1], txn, b->number, number, &err), &err);
        assert_int_equal(moves[0].time_ms, moves[1].time_ms);
        assert_memory_equal(&moves[0].from, &moves[1].from, sizeof moves[0].from);
        assert_memory_equal(&moves[0].to, &moves[1].to, sizeof moves[0].to);
        assert_views(moves[0].reason, moves[1].reason);
    }
    assert_same_export(a, b);
    assert_same_state(a, b);
}

static void assert_same_store(void)
{
    struct xylem_sessions *lists[2];
    struct xylem_session rows[2];
    store_builder_must(xylem_sessions_new(&lists[0], builder.txn, &err), &err);
    store_builder_must(xylem_sessions_new(&lists[1], txn, &err), &err);
    while (store_builder_must(xylem_sessions_next(&rows[0], lists[0], &err), &err) == 1) {
        assert_int_equal(xylem_sessions_next(&rows[1], lists[1], &err), 1);
        assert_same_session(&rows[0], &rows[1]);
    }
    assert_int_equal(xylem_sessions_next(&rows[1], lists[1], &err), 0);
    xylem_sessions_free(lists[0]);
    xylem_sessions_free(lists[1]);
}

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

IN_SCENE(a_store_that_is_whole_comes_out_as_it_was)
{
    struct damage_file file = damage_read(builder.path);
    repair(&file);
    assert_true(report.complete);
    assert_int_equal(told.count, 0);
    assert_int_equal(report.session_count, 3);
    assert_int_equal(report.branch_count, 3);
    assert_int_equal(report.entry_count, 17);
    assert_same_store();
    struct xylem_store__source source;
    assert_int_equal(xylem_store__source_first(&source, txn, session_of("main").number, &err), 1);
    assert_int_equal(source.displaced_count, 1);
    assert_int_equal(source.displaced[0].lsn, entry_of("main", "line").lsn);
    close_repaired();
}

IN_SCENE(a_noted_file_stays_noted)
{
    struct damage_file file = damage_read(builder.path);
    repair(&file);
    struct xylem_session_files *files;
    struct xylem_session_file known;
    struct xylem_store__source source;
    store_builder_must(xylem_session_files_new(&files, txn, session_of("main").number, &err), &err);
    assert_int_equal(store_builder_must(xylem_session_files_next(&known, files, &err), &err), 1);
    assert_true(xylem_base__view_is(known.path, "/a.jsonl") && known.bytes == 10);
    assert_int_equal(store_builder_must(xylem_session_files_next(&known, files, &err), &err), 1);
    assert_true(xylem_base__view_is(known.path, "/noted.jsonl") && known.bytes == 0);
    assert_int_equal(store_builder_must(xylem_session_files_next(&known, files, &err), &err), 0);
    xylem_session_files_free(files);
    assert_int_equal(xylem_store__source_read(&source, txn, session_of("main").number, known.path, &err), 0);
    close_repaired();
}

#define NOTES 40

/* The notes are written in four rounds, and thirty of them are removed in two: older pages have many copies. */
static void write_notes(void)
{
    char name[16];
    char value[200];
    for (int round = 0; round < 6; round++) {
        for (int i = 0; i < NOTES; i++) {
            (void)snprintf(name, sizeof name, "note%02d", i);
            (void)snprintf(value, sizeof value, "%c%0150d", round == 3 ? 'F' : 'a' + round, i);
            bool removed = i >= 10 && i % 2 == round % 2;
            struct xylem_view none = {NULL, 0};
            store_builder_must(round < 4 || removed ? xylem_note_put(builder.txn, xylem_view_of(name),
                                                                     round < 4 ? xylem_view_of(value) : none, &err)
                                                    : 0,
                               &err);
        }
        store_builder_commit(&builder);
    }
}

/* Whatever page is lost: no older note comes back, and a lost note is told. */
IN_SCENE(a_note_is_saved_as_it_was_last_or_told_to_be_lost)
{
    char command[800];
    write_notes();
    struct damage_file whole = damage_read(builder.path);
    size_t page_count = whole.count / DAMAGE_PAGE_BYTES;
    for (size_t page = 0; page <= page_count; page++) { /* the last round: nothing is lost */
        struct damage_file file = damage_read(builder.path);
        struct xylem_notes *notes;
        struct xylem_note note;
        unsigned count = 0;
        if (page < page_count) {
            damage_zero_page(&file, page);
        }
        repair_with_older(&file);
        store_builder_must(xylem_notes_new(&notes, txn, &err), &err);
        while (store_builder_must(xylem_notes_next(&note, notes, &err), &err) == 1) {
            assert_true(note.name.data[4] == '0' && note.value.data[0] == 'F');
            count++;
        }
        xylem_notes_free(notes);
        assert_true(count == 10 || (report.lost_row_count > 0 && !report.complete));
        assert_true(page < page_count || count == 10);
        close_repaired();
        snprintf(command, sizeof command, "rm -rf '%s' '%s'", repaired, damaged);
        assert_int_equal(system(command), 0);
    }
    damage_free(&whole);
}

/* Nobody can say that there was nothing else: what a lost meta page led to may have been newer. */
static void assert_nothing_known_is_lost(void)
{
    assert_false(report.complete);
    assert_true(told.count > 0);
    assert_int_equal(report.lost_entry_count, 0);
    assert_int_equal(report.damaged_entry_count, 0);
    assert_int_equal(report.changed_entry_count, 0);
    assert_int_equal(report.lost_row_count, 0);
}

static void assert_rebuilt_without(uint64_t page)
{
    struct damage_file file = damage_read(builder.path);
    damage_zero_page(&file, page);
    repair_with_older(&file);
    assert_nothing_known_is_lost();
    assert_same_store();
    close_repaired();
}

IN_SCENE(either_meta_page_may_be_lost)
{
    assert_rebuilt_without(0);
    char command[400];
    snprintf(command, sizeof command, "rm -rf '%s'", repaired);
    assert_int_equal(system(command), 0);
    assert_rebuilt_without(1);
}

IN_SCENE(both_meta_pages_may_be_lost)
{
    struct damage_file file = damage_read(builder.path);
    damage_zero_page(&file, 0);
    damage_zero_page(&file, 1);
    repair_with_older(&file);
    assert_nothing_known_is_lost();
    assert_same_store();
    close_repaired();
}

/* --- Entries ---------------------------------------------------------------------------------------------------- */

/* Flips a bit of a row's value. */
static struct damage_file flipped(enum xylem_format__table table, uint64_t first, uint64_t second, uint64_t at)
{
    struct damage_row row = damage_find(builder.path, table, first, second);
    struct damage_file file = damage_read(builder.path);
    assert_in_range(at, 0, row.value_bytes - 1);
    file.bytes[row.value + at] ^= 4;
    return file;
}

/* The quarantine of a session has bytes of the damaged store. */
static uint64_t damaged_bytes_of(const char *session)
{
    struct xylem_quarantine *quarantine;
    struct xylem_quarantined row;
    uint64_t bytes = 0;
    store_builder_must(xylem_quarantine_new(&quarantine, txn, session_of(session).number, &err), &err);
    while (store_builder_must(xylem_quarantine_next(&row, quarantine, &err), &err) == 1) {
        if (row.reason == XYLEM_IMPORT_DAMAGED) {
            assert_string_equal(row.source.data ? "there" : "", "there");
            assert_int_equal(row.source.bytes, strlen(damaged));
            assert_memory_equal(row.source.data, damaged, row.source.bytes);
            bytes += row.raw.bytes;
        }
    }
    xylem_quarantine_free(quarantine);
    return bytes;
}

IN_SCENE(a_record_that_is_lost_in_the_middle_of_a_path_leaves_a_placeholder)
{
    /* Commits leave older copies of pages behind: `h` and `i` lie on one that was written once. */
    struct damage_row row = damage_find(builder.path, XYLEM_FORMAT__LOG, 1, 8);
    struct damage_file file = damage_read(builder.path);
    for (size_t i = 0; i + row.value_bytes <= file.count; i++) {
        if (memcmp(file.bytes + i, file.bytes + row.value, row.value_bytes) == 0 && i != row.value) {
            file.bytes[i] ^= 4;
        }
    }
    file.bytes[row.value] ^= 4;
    repair_with_older(&file);
    assert_false(report.complete);
    assert_int_equal(report.lost_entry_count, 1);
    assert_int_equal(report.placeholder_count, 1);
    assert_int_equal(report.entry_count, 16);
    assert_int_equal(report.changed_entry_count, 6); /* `i` to the two that follow `l` */
    assert_int_equal(told.last.branch, 1);
    assert_int_equal(told.last.depth, 8);
    assert_path("main", "* * l k j i ?1 g line e d c b a ");
    assert_path("fork", "* of-fork e d c b a ");
    assert_true(damaged_bytes_of("main") >= row.value_bytes);
    assert_int_equal(report.quarantined_bytes, damaged_bytes_of("main"));
    close_repaired();
}

IN_SCENE(an_entry_whose_payload_is_lost_is_kept_as_if_it_were_redacted)
{
    struct damage_row row = damage_find(builder.path, XYLEM_FORMAT__LOG, 1, 3);
    assert_true(row.big);
    struct damage_file file = flipped(XYLEM_FORMAT__LOG, 1, 3, row.value_bytes - 100);
    repair_with_older(&file);
    assert_false(report.complete);
    assert_int_equal(report.damaged_entry_count, 1);
    assert_int_equal(report.lost_entry_count, 0);
    assert_int_equal(report.changed_entry_count, 0);
    assert_string_equal(told.last_id, "c");
    struct xylem_entry entry = entry_of("main", "c");
    struct xylem_view payload;
    assert_int_equal(xylem_entry_payload(&payload, &entry, NULL), XYLEM_E_REDACTED);
    assert_path("main", "* * l k j i h g line e d c b a ");
    assert_int_equal(damaged_bytes_of("main"), row.value_bytes);
    close_repaired();
}

IN_SCENE(an_entry_whose_line_is_lost_keeps_its_payload)
{
    struct damage_row row = damage_find(builder.path, XYLEM_FORMAT__LOG, 1, 6);
    struct damage_file file = damage_read(builder.path);
    for (size_t i = 0; i + row.value_bytes <= file.count; i++) {
        if (memcmp(file.bytes + i, file.bytes + row.value, row.value_bytes) == 0 && i != row.value) {
            file.bytes[i + row.value_bytes - 3] ^= 4;
        }
    }
    file.bytes[row.value + row.value_bytes - 3] ^= 4;
    repair(&file);
    assert_int_equal(report.damaged_entry_count, 1);
    assert_int_equal(report.changed_entry_count, 0);
    struct xylem_entry entry = entry_of("main", "line");
    struct xylem_view payload;
    assert_int_equal(xylem_entry_payload(&payload, &entry, NULL), XYLEM_OK);
    assert_int_equal(entry.line_bytes, 0);
    assert_true(entry.flags & XYLEM_ENTRY_IMPORTED);
    close_repaired();
}

/* The pieces have their hash, and say that they make a longer line. */
IN_SCENE(an_entry_whose_pieces_make_no_line_keeps_its_payload)
{
    struct damage_row row = damage_find(builder.path, XYLEM_FORMAT__LOG, 1, 6);
    struct damage_file file = damage_read(builder.path);
    struct xylem_entry entry;
    store_builder_must(xylem_entry_read(&entry, builder.txn, (struct xylem_position){1, 6}, &err), &err);
    char kept[256];
    unsigned char *record = file.bytes + row.value;
    unsigned char *pieces = record + row.value_bytes - entry.line_bytes;
    assert_in_range(row.value_bytes, 1, sizeof kept);
    memcpy(kept, record, row.value_bytes);
    pieces[0] ^= 4;
    xylem_base__put_u64(pieces - 8, xylem_format__hash((struct xylem_view){(const char *)pieces, entry.line_bytes}));
    for (size_t i = 0; i + row.value_bytes <= file.count; i++) {
        if (memcmp(file.bytes + i, kept, row.value_bytes) == 0) {
            memcpy(file.bytes + i, record, row.value_bytes);
        }
    }
    repair(&file);
    assert_int_equal(report.damaged_entry_count, 1);
    entry = entry_of("main", "line");
    struct xylem_view payload;
    assert_int_equal(xylem_entry_payload(&payload, &entry, NULL), XYLEM_OK);
    assert_int_equal(entry.line_bytes, 0);
    close_repaired();
}

/* Wipes every copy of the branch's records from `from` to `to` in the file. */
static void wipe(struct damage_file *file, uint64_t branch, uint64_t from, uint64_t to)
{
    for (uint64_t depth = from; depth <= to; depth++) {
        struct damage_row row = damage_find(builder.path, XYLEM_FORMAT__LOG, branch, depth);
        unsigned char *record = malloc((size_t)row.value_bytes);
        assert_non_null(record);
        memcpy(record, file->bytes + row.value, row.value_bytes);
        for (size_t i = 0; i + row.value_bytes <= file->count; i++) {
            if (memcmp(file->bytes + i, record, row.value_bytes) == 0) {
                memset(file->bytes + i, 0, row.value_bytes);
            }
        }
        free(record);
    }
}

IN_SCENE(what_forks_from_a_lost_entry_hangs_from_its_placeholder)
{
    struct damage_file file = damage_read(builder.path);
    wipe(&file, 1, 2, 5);
    repair(&file);
    assert_int_equal(report.lost_entry_count, 4);
    assert_int_equal(report.placeholder_count, 1);
    assert_path("main", "* * l k j i h g line ?4 a ");
    assert_path("fork", "* of-fork ?4 a ");
    struct xylem_position side;
    store_builder_must(xylem_find(&side, txn, session_of("main").number, xylem_view_of("side"), &err), &err);
    struct xylem_entry entry;
    store_builder_must(xylem_entry_read(&entry, txn, side, &err), &err);
    assert_int_equal(entry.parent.depth, 2);
    /* Ids that xylem made held lsns that their entries have no more: they are found all the same. */
    assert_int_equal(report.entry_count, 13);
    close_repaired();
}

IN_SCENE(a_lost_end_and_a_lost_root_have_placeholders_too)
{
    struct damage_file file = damage_read(builder.path);
    wipe(&file, 1, 1, 1);
    wipe(&file, 1, 13, 14);
    repair(&file);
    assert_int_equal(report.lost_entry_count, 3);
    assert_int_equal(report.placeholder_count, 2);
    assert_path("main", "?2 l k j i h g line e d c b ?1 ");
    struct xylem_store__source source;
    assert_int_equal(xylem_store__source_first(&source, txn, session_of("main").number, &err), 1);
    assert_int_equal(source.displaced_count, 1);
    assert_int_equal(source.displaced[0].lsn, entry_of("main", "line").lsn);
    close_repaired();
}

IN_SCENE(a_redacted_record_wins_over_copies_of_what_it_was)
{
    store_builder_redact(&builder, (struct xylem_position){1, 1});
    store_builder_commit(&builder);
    struct damage_file file = damage_read(builder.path);
    damage_zero_page(&file, 0);
    damage_zero_page(&file, 1);
    repair_with_older(&file);
    struct xylem_entry entry = entry_of("main", "a");
    assert_true(entry.flags & XYLEM_ENTRY_REDACTED);
    assert_int_equal(entry.payload_bytes, 0);
    assert_nothing_known_is_lost();
    close_repaired();
}

IN_SCENE(a_redacted_record_wins_over_an_older_copy_of_its_page_that_was_put_back)
{
    uint64_t old_page = damage_find(builder.path, XYLEM_FORMAT__LOG, 1, 1).page;
    struct damage_file before = damage_read(builder.path);
    store_builder_redact(&builder, (struct xylem_position){1, 1});
    store_builder_commit(&builder);
    uint64_t page = damage_find(builder.path, XYLEM_FORMAT__LOG, 1, 1).page;
    struct damage_file file = damage_read(builder.path);
    unsigned char *is_there = file.bytes + page * DAMAGE_PAGE_BYTES;
    unsigned char *is_free = file.bytes + old_page * DAMAGE_PAGE_BYTES;
    assert_true(page != old_page);
    memcpy(is_free, is_there, DAMAGE_PAGE_BYTES);
    memcpy(is_there, before.bytes + old_page * DAMAGE_PAGE_BYTES, DAMAGE_PAGE_BYTES);
    memcpy(is_there, &page, sizeof page);
    memcpy(is_free, &old_page, sizeof old_page);
    damage_free(&before);
    repair(&file);
    struct xylem_entry entry = entry_of("main", "a");
    assert_true(entry.flags & XYLEM_ENTRY_REDACTED);
    assert_int_equal(entry.payload_bytes, 0);
    close_repaired();
}

IN_SCENE(what_was_never_committed_is_not_saved)
{
    /* The pages of the last commit stay in the file, and its meta page is the one of the commit before. */
    struct damage_file before = damage_read(builder.path);
    store_builder_add(&builder, 1, "never", "message", "{\"n\":3}");
    store_builder_commit(&builder);
    struct damage_file file = damage_read(builder.path);
    memcpy(file.bytes, before.bytes, (size_t)2 * DAMAGE_PAGE_BYTES);
    damage_free(&before);
    repair(&file);
    assert_int_equal(report.entry_count, 17);
    assert_int_equal(report.lost_entry_count, 0);
    close_repaired();
}

IN_SCENE(what_was_committed_is_saved_if_only_its_meta_page_is_lost)
{
    struct damage_file before = damage_read(builder.path);
    store_builder_add(&builder, 1, "last", "message", "{\"n\":3}");
    store_builder_commit(&builder);
    struct damage_file file = damage_read(builder.path);
    uint64_t newest = memcmp(before.bytes, file.bytes, DAMAGE_PAGE_BYTES) == 0 ? 1 : 0;
    damage_zero_page(&file, newest);
    damage_free(&before);
    repair_with_older(&file);
    assert_nothing_known_is_lost();
    assert_int_equal(report.entry_count, 18);
    assert_path("main", "last * * l k j i h g line e d c b a ");
    close_repaired();
}

/* --- Other tables ----------------------------------------------------------------------------------------------- */

/* The copies of a table that older commits left: pages wiped until no row of it is found any more. */
static void wipe_table(struct damage_file *file, enum xylem_format__table table)
{
    struct xylem_repair__rows rows = {NULL, 1};
    for (unsigned round = 0; rows.count > 0 && round < 32; round++) {
        struct xylem_repair__salvage *salvage = NULL;
        damage_write(damaged, file);
        assert_int_equal(xylem_repair__salvage_new(&salvage, damaged, NULL), XYLEM_OK);
        rows = xylem_repair__salvage_rows(salvage, table);
        for (size_t i = 0; i < rows.count; i++) {
            damage_zero_page(file, rows.list[i].page);
        }
        xylem_repair__salvage_free(salvage);
    }
    assert_int_equal(rows.count, 0);
}

static struct damage_file without_table(enum xylem_format__table table)
{
    struct damage_file file = damage_read(builder.path);
    wipe_table(&file, table);
    return file;
}

IN_SCENE(sessions_whose_rows_are_lost_are_made_from_their_branches)
{
    struct damage_file file = without_table(XYLEM_FORMAT__SESSIONS);
    repair_with_older(&file);
    assert_int_equal(report.entry_count, 17);
    assert_int_equal(report.changed_entry_count, 0);
    assert_int_equal(report.lost_row_count, 3);
    assert_path("fork", "* of-fork e d c b a "); /* its id stands in session_ids */
    assert_path("main", "side c b a ");          /* its leaf is not known: its newest entry */
    close_repaired();
}

IN_SCENE(sessions_whose_ids_are_lost_too_are_called_recovered)
{
    struct damage_file file = without_table(XYLEM_FORMAT__SESSIONS);
    wipe_table(&file, XYLEM_FORMAT__SESSION_IDS);
    repair_with_older(&file);
    assert_int_equal(report.entry_count, 17);
    assert_path("recovered-1", "side c b a ");
    assert_path("recovered-2", "* of-fork e d c b a ");
    close_repaired();
}

/* Makes a session in a namespace, with an entry. */
static void add_in(const char *name_space, const char *id, const char *cwd)
{
    struct xylem_session session;
    const struct xylem_session_options options = {
        .id = xylem_view_of(id), .cwd = xylem_view_of(cwd), .name_space = xylem_view_of(name_space)};
    store_builder_must(xylem_session_create(&session, builder.txn, &options, &err), &err);
    store_builder_add(&builder, session.number, "a", "message", cwd[1] == 'a' ? "{\"n\":\"a\"}" : "{\"n\":\"b\"}");
}

/* Damages every copy of the row of a session, by its directory. */
static void lose_row_with(struct damage_file *file, const char *cwd)
{
    size_t count = 0;
    unsigned char *at = file->bytes;
    while ((at = memmem(at, file->count - (size_t)(at - file->bytes), cwd, strlen(cwd)))) {
        *at ^= 1;
        count++;
    }
    assert_true(count > 0);
}

static int find_in(const char *name_space, const char *id)
{
    struct xylem_session session;
    return xylem_session_find_in(&session, txn, xylem_view_of(name_space), xylem_view_of(id), &err);
}

IN_SCENE(sessions_come_back_in_their_namespaces)
{
    add_in("/a", "main", "/a-main");
    add_in("/b", "main", "/b-main");
    add_in("/b", "gone", "/b-gone");
    store_builder_must(xylem_session_delete(builder.txn, 6, &err), &err);
    store_builder_commit(&builder);
    struct damage_file file = damage_read(builder.path);
    repair(&file);
    assert_true(report.complete);
    assert_same_store();
    assert_int_equal(find_in("/a", "main"), XYLEM_OK);
    assert_int_equal(find_in("/b", "main"), XYLEM_OK);
    assert_int_equal(find_in("/b", "gone"), XYLEM_E_DELETED);
    close_repaired();
}

/* Its key has the hash of the namespace alone, and another session of the namespace has the text. */
IN_SCENE(a_session_whose_row_is_lost_comes_back_in_its_namespace_if_another_session_names_it)
{
    add_in("/b", "other", "/b-other");
    add_in("/b", "main", "/b-main");
    store_builder_commit(&builder);
    struct damage_file file = damage_read(builder.path);
    lose_row_with(&file, "/b-main");
    repair_with_older(&file);
    assert_true(report.lost_row_count > 0);
    assert_int_equal(find_in("/b", "main"), XYLEM_OK);
    assert_int_equal(session_of("main").number, 1);
    close_repaired();
}

/* A search of an id goes back from session to older session: a shared id is found, and not given twice. */
IN_SCENE(a_session_whose_row_is_lost_stays_older_than_its_forks)
{
    struct xylem_position found;
    add_in("", "source", "/b-main");
    struct xylem_session row;
    store_builder_must(xylem_session_find(&row, builder.txn, xylem_view_of("source"), &err), &err);
    uint64_t source = row.number;
    const struct xylem_session_options apart = {.id = xylem_view_of("child"), .cwd = xylem_view_of("/c-child")};
    store_builder_must(xylem_clone(&row, builder.txn, source, &apart, &err), &err);
    store_builder_add(&builder, row.number, "b", "message", NULL);
    store_builder_commit(&builder);
    struct damage_file file = damage_read(builder.path);
    lose_row_with(&file, "/b-main");
    repair_with_older(&file);
    assert_path("child", "b a ");
    assert_true(session_of("source").number < session_of("child").number);
    assert_int_equal(session_of("source").tree, session_of("child").tree);
    struct xylem_session again = session_of("child");
    assert_int_equal(xylem_find(&found, txn, again.number, xylem_view_of("a"), &err), XYLEM_OK);
    assert_true(found.branch == again.base.branch && found.depth == again.base.depth);
    close_repaired();
}

IN_SCENE(a_session_whose_namespace_is_lost_is_called_recovered)
{
    add_in("/b", "of-b", "/b-main");
    store_builder_commit(&builder);
    struct damage_file file = damage_read(builder.path);
    lose_row_with(&file, "/b-main");
    repair_with_older(&file);
    assert_int_equal(find_in("/b", "of-b"), XYLEM_E_NOT_FOUND);
    assert_int_equal(find_in(NULL, "of-b"), XYLEM_E_NOT_FOUND);
    assert_path("recovered-4", "a ");
    close_repaired();
}

/* A store that was repaired once may have a session that was named in place of a freed one. */
IN_SCENE(a_freed_session_gets_a_name_that_no_other_one_has)
{
    struct xylem_session session;
    store_builder_must(xylem_session_delete(builder.txn, 1, &err), &err);
    store_builder_must(xylem_gc(NULL, builder.txn, NULL, &err), &err);
    uint64_t named = store_builder_session(&builder, "recovered-freed-1");
    store_builder_add(&builder, named, "a", "message", "{\"n\":3}");
    store_builder_commit(&builder);
    struct damage_file file = damage_read(builder.path);
    repair(&file);
    assert_true(report.complete);
    assert_int_equal(session_of("recovered-freed-1").own_entry_count, 1);
    session_of("fork");
    assert_int_equal(xylem_session_find(&session, txn, xylem_view_of("recovered-freed-1-2"), &err), XYLEM_E_DELETED);
    close_repaired();
}

IN_SCENE(branches_whose_rows_are_lost_are_made_from_their_records)
{
    struct damage_file file = without_table(XYLEM_FORMAT__BRANCHES);
    repair(&file);
    assert_int_equal(report.entry_count, 17);
    assert_int_equal(report.lost_entry_count, 0);
    assert_int_equal(report.changed_entry_count, 0);
    assert_int_equal(report.branch_count, 3);
    assert_path("main", "* * l k j i h g line e d c b a ");
    assert_path("fork", "* of-fork e d c b a ");
    close_repaired();
}

IN_SCENE(kinds_whose_names_are_lost_are_known_by_the_checks)
{
    struct damage_file file = without_table(XYLEM_FORMAT__KINDS);
    repair(&file);
    assert_int_equal(report.entry_count, 17);
    assert_int_equal(report.lost_entry_count, 0);
    assert_int_equal(report.lost_row_count, 1); /* but for the one that nobody can know */
    assert_int_equal(report.damaged_entry_count, 1);
    struct xylem_entry entry = entry_of("main", "b");
    assert_int_equal(entry.kind.kind_class, XYLEM_CLASS_CUSTOM);
    assert_memory_equal(entry.kind.name.data, "readonly", entry.kind.name.bytes);
    entry = entry_of("main", "d");
    assert_int_equal(entry.kind.kind_class, XYLEM_CLASS_HOST);
    assert_memory_equal(entry.kind.name.data, "xylem_lost_kind_", 16);
    close_repaired();
}

/* Repair guesses by the table of pieces: a kind that a piece wants is never lost where an entry's parent is there. */
IN_SCENE(the_kinds_of_every_piece_are_known_by_the_checks)
{
    uint64_t session = store_builder_session(&builder, "pieces");
    const char *const *kinds;
    size_t count = 0;
    for (unsigned piece = 1; (kinds = xylem_state_kinds(piece)); piece <<= 1) {
        for (; *kinds; kinds++, count++) {
            store_builder_add(&builder, session, *kinds + strlen("custom:"), *kinds, "{}");
        }
    }
    assert_true(count >= 7);
    store_builder_commit(&builder);
    struct damage_file file = without_table(XYLEM_FORMAT__KINDS);
    repair(&file);
    assert_int_equal(report.lost_row_count, 1); /* the one of all other entries that nobody can know */
    for (unsigned piece = 1; (kinds = xylem_state_kinds(piece)); piece <<= 1) {
        for (; *kinds; kinds++) {
            const char *name = *kinds + strlen("custom:");
            struct xylem_entry entry = entry_of("pieces", name);
            assert_int_equal(entry.kind.kind_class, XYLEM_CLASS_CUSTOM);
            assert_int_equal(entry.kind.name.bytes, strlen(name));
            assert_memory_equal(entry.kind.name.data, name, strlen(name));
        }
    }
    close_repaired();
}

/* The kind of the noted files is wanted by no piece, and by a reducer of the library. */
IN_SCENE(the_kind_of_noted_files_is_known_by_the_checks)
{
    uint64_t session = store_builder_session(&builder, "reads");
    store_builder_add(&builder, session, "noted", "custom:file-reads", "{}");
    store_builder_commit(&builder);
    struct damage_file file = without_table(XYLEM_FORMAT__KINDS);
    repair(&file);
    struct xylem_entry entry = entry_of("reads", "noted");
    assert_int_equal(entry.kind.kind_class, XYLEM_CLASS_CUSTOM);
    assert_int_equal(entry.kind.name.bytes, strlen("file-reads"));
    assert_memory_equal(entry.kind.name.data, "file-reads", strlen("file-reads"));
    close_repaired();
}

IN_SCENE(lost_navigations_are_told_and_the_others_kept)
{
    struct damage_file file = flipped(XYLEM_FORMAT__MOVES, 1, 1, 0);
    repair(&file);
    struct xylem_session session = session_of("main");
    bool older_copy = session.move_count == 2;
    assert_int_equal(report.lost_row_count, older_copy ? 0 : 1);
    assert_true(session.move_count >= 1);
    struct xylem_move move;
    store_builder_must(xylem_move_read(&move, txn, session.number, session.move_count, &err), &err);
    assert_int_equal(move.to.depth, 14);
    close_repaired();
}

IN_SCENE(lost_indexes_are_no_loss)
{
    struct damage_file file = damage_read(builder.path);
    /* Whatever leaf has none of the rows that are read: ids, feed, LMDB's free pages. */
    for (uint64_t page = 2; page < file.count / DAMAGE_PAGE_BYTES; page++) {
        bool used = false;
        struct xylem_repair__salvage *salvage = NULL;
        assert_int_equal(xylem_repair__salvage_new(&salvage, builder.path, NULL), XYLEM_OK);
        for (unsigned table = 0; table < XYLEM_FORMAT__TABLE_COUNT; table++) {
            struct xylem_repair__rows rows = xylem_repair__salvage_rows(salvage, (enum xylem_format__table)table);
            for (size_t i = 0; i < rows.count; i++) {
                used = used || rows.list[i].page == page;
            }
        }
        xylem_repair__salvage_free(salvage);
        const unsigned char *bytes = file.bytes + page * DAMAGE_PAGE_BYTES;
        bool roots = memmem(bytes, DAMAGE_PAGE_BYTES, "quarantine", 10) != NULL; /* where the tables begin */
        if (!used && !roots && bytes[10] == 2 && bytes[11] == 0) {
            damage_zero_page(&file, page);
        }
    }
    repair(&file);
    assert_true(report.complete);
    assert_same_store();
    close_repaired();
}

/* --- What was freed --------------------------------------------------------------------------------------------- */

/* Of `main` what `fork` shares is left, up to `e`; of `gone`, nothing is. */
static void free_main(void)
{
    struct xylem_gc_report freed;
    store_builder_must(xylem_session_delete(builder.txn, 1, &err), &err);
    store_builder_must(xylem_gc(&freed, builder.txn, NULL, &err), &err);
    assert_int_equal(freed.session_count, 2);
    assert_int_equal(freed.kept_entry_count, 5);
    store_builder_commit(&builder);
}

static struct xylem_session any_session_of(const char *id)
{
    struct xylem_session session;
    store_builder_must(xylem_store__session_find_any(&session, txn, xylem_view_of(id), &err), &err);
    return session;
}

static void close_and_open_for_writing(void)
{
    close_repaired();
    struct xylem_open_options options = {.durability = XYLEM_DURABILITY_NONE};
    store_builder_must(xylem_open(&store, repaired, &options, &err), &err);
    store_builder_must(xylem_begin(&txn, store, XYLEM_WRITE, &err), &err);
}

static void assert_sound(void)
{
    struct xylem_verify_report verified;
    store_builder_must(xylem_verify(&verified, txn, NULL, NULL, NULL, &err), &err);
    assert_int_equal(verified.problem_count, 0);
}

IN_SCENE(what_is_left_of_a_freed_session_becomes_a_deleted_one)
{
    free_main();
    struct damage_file file = damage_read(builder.path);
    repair(&file);
    assert_true(report.complete);
    assert_int_equal(told.count, 0);
    assert_int_equal(report.session_count, 2);
    assert_int_equal(report.entry_count, 7);
    assert_int_equal(report.changed_entry_count, 0);
    assert_path("fork", "* of-fork e d c b a ");
    struct xylem_session left = any_session_of("recovered-freed-1");
    assert_int_equal(left.state, XYLEM_SESSION_DELETED);
    assert_int_equal(left.own_entry_count, 5);
    assert_int_equal(left.leaf.depth, 0);
    assert_int_equal(left.move_count, 0);
    assert_int_equal(xylem_session_find(&left, txn, xylem_view_of("main"), NULL), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_session_find(&left, txn, xylem_view_of("gone"), NULL), XYLEM_E_NOT_FOUND);
    struct xylem_stat stat;
    store_builder_must(xylem_stat_read(&stat, txn, &err), &err);
    assert_int_equal(stat.features & XYLEM_FORMAT__FEATURE_FREED, 0); /* nothing was freed here */
    close_repaired();
}

IN_SCENE(a_collection_after_the_repair_frees_nothing_that_is_shared)
{
    struct xylem_gc_report freed;
    free_main();
    struct damage_file file = damage_read(builder.path);
    repair(&file);
    uint64_t check = entry_of("fork", "of-fork").check;
    close_and_open_for_writing();
    store_builder_must(xylem_gc(&freed, txn, NULL, &err), &err);
    assert_int_equal(freed.session_count, 1);
    assert_int_equal(freed.entry_count, 0);
    assert_int_equal(freed.kept_entry_count, 5);
    assert_path("fork", "* of-fork e d c b a ");
    assert_int_equal(entry_of("fork", "of-fork").check, check);
    store_builder_must(xylem_commit(txn, &err), &err);
    store_builder_must(xylem_begin(&txn, store, XYLEM_READ, &err), &err);
    assert_sound();
    close_repaired();
}

static unsigned char *newest_meta(const struct damage_file *file)
{
    const unsigned char *first = file->bytes + XYLEM_PAGES__META_TXN_OFFSET;
    bool second_is = xylem_pages__page_number_at(first + DAMAGE_PAGE_BYTES, 8) > xylem_pages__page_number_at(first, 8);
    return file->bytes + (second_is ? DAMAGE_PAGE_BYTES : 0);
}

IN_SCENE(what_was_freed_is_not_missed_where_the_tree_of_the_log_is_lost)
{
    free_main();
    struct damage_file file = damage_read(builder.path);
    damage_zero_page(&file, 0);
    damage_zero_page(&file, 1);
    repair_with_older(&file);
    assert_nothing_known_is_lost();
    assert_path("fork", "* of-fork e d c b a ");
    assert_int_equal(any_session_of("recovered-freed-1").state, XYLEM_SESSION_DELETED);
    /* Nothing tells of a freed branch any more that it was: its entry may be found, and is that session's then. */
    assert_in_range(any_session_of("recovered-freed-1").own_entry_count, 5, 6);
    close_repaired();
}

IN_SCENE(a_branch_with_an_end_has_no_gap_behind_it)
{
    free_main();
    struct damage_file file = damage_read(builder.path);
    wipe(&file, 1, 5, 5); /* its last entry, which the fork names */
    repair(&file);
    assert_int_equal(report.lost_entry_count, 1);
    assert_int_equal(report.placeholder_count, 1);
    assert_path("fork", "* of-fork ?1 d c b a ");
    assert_int_equal(any_session_of("recovered-freed-1").own_entry_count, 5);
    close_repaired();
}

IN_SCENE(what_a_repair_deleted_can_be_undeleted)
{
    struct xylem_new_entry entry = {.id = xylem_view_of("new"), .kind.name = xylem_view_of("message")};
    free_main();
    struct damage_file file = damage_read(builder.path);
    repair(&file);
    close_and_open_for_writing();
    struct xylem_session left = any_session_of("recovered-freed-1");
    store_builder_must(xylem_session_undelete(txn, left.number, &err), &err);
    store_builder_must(xylem_append(NULL, txn, left.number, &entry, 1, NULL, &err), &err);
    assert_path("recovered-freed-1", "new ");
    assert_path("fork", "* of-fork e d c b a ");
    store_builder_must(xylem_commit(txn, &err), &err);
    store_builder_must(xylem_begin(&txn, store, XYLEM_READ, &err), &err);
    assert_sound();
    close_repaired();
}

/* --- What was redacted ------------------------------------------------------------------------------------------ */

#define SECRET "hunter2-hunter2-hunter2"

static void redact(uint64_t session, struct xylem_position at, bool drop_hash)
{
    struct xylem_redact_report redacted;
    struct xylem_redact_options options = {.reason = xylem_view_of("a password"), .drop_hash = drop_hash};
    store_builder_must(xylem_redact(&redacted, builder.txn, session, at, &options, &err), &err);
    assert_int_equal(redacted.redacted_count, 1);
    assert_int_equal(redacted.dropped_count, drop_hash);
    xylem_redact_report_release(&redacted);
    store_builder_commit(&builder);
}

static bool has_bytes(const struct damage_file *file, const char *text)
{
    return memmem(file->bytes, file->count, text, strlen(text)) != NULL;
}

static void assert_no_secret(void)
{
    struct damage_file file = damage_read(repaired);
    assert_false(has_bytes(&file, SECRET));
    damage_free(&file);
}

static void assert_redacted(const char *session, const char *id, const char *expected_reason)
{
    struct xylem_view reason = {NULL, 0};
    struct xylem_view payload;
    struct xylem_entry entry = entry_of(session, id);
    assert_int_equal(store_builder_must(xylem_entry_redaction(&reason, &entry, &err), &err), 1);
    assert_views(reason, xylem_view_of(expected_reason));
    assert_int_equal(xylem_entry_payload(&payload, &entry, NULL), XYLEM_E_REDACTED);
}

IN_SCENE(a_redacted_entry_keeps_its_reason)
{
    redact(1, (struct xylem_position){1, 1}, false);
    struct damage_file file = damage_read(builder.path);
    repair(&file);
    assert_true(report.complete);
    assert_redacted("main", "a", "a password");
    assert_redacted("fork", "a", "a password");
    assert_same_store();
    close_repaired();
}

IN_SCENE(an_entry_without_its_hash_stays_so_and_the_store_says_it)
{
    redact(1, (struct xylem_position){1, 2}, true);
    struct damage_file file = damage_read(builder.path);
    repair(&file);
    assert_true(report.complete);
    assert_int_equal(report.changed_entry_count, 0);
    assert_redacted("main", "b", "a password");
    assert_true(entry_of("main", "b").flags & XYLEM_ENTRY_HASH_DROPPED);
    assert_same_store();
    struct xylem_stat stat;
    store_builder_must(xylem_stat_read(&stat, txn, &err), &err);
    assert_true(stat.features & XYLEM_FORMAT__FEATURE_HASH_DROPPED);
    close_repaired();
}

/* Adds an entry with the secret, redacts it, and loses the meta page that leads to what the redaction wrote. */
static struct damage_file redacted_and_damaged(bool drop_hash)
{
    struct xylem_position at =
        store_builder_add(&builder, 1, "password", "message", "{\"text\":\"" SECRET "\",\"more\":[1,2,3]}");
    store_builder_add(&builder, 1, "behind", "message", NULL);
    store_builder_commit(&builder);
    redact(1, at, drop_hash);
    struct damage_file file = damage_read(builder.path);
    assert_true(has_bytes(&file, SECRET)); /* on a page that LMDB freed, to which the older meta page leads */
    memset(newest_meta(&file), 0, DAMAGE_PAGE_BYTES);
    return file;
}

IN_SCENE(a_secret_does_not_come_back_from_the_state_before_its_redaction)
{
    struct damage_file file = redacted_and_damaged(false);
    repair(&file);
    assert_redacted("main", "password", "a password");
    assert_no_secret();
    close_repaired();
}

IN_SCENE(a_secret_whose_hash_was_dropped_does_not_come_back_either)
{
    struct damage_file file = redacted_and_damaged(true);
    repair(&file);
    assert_redacted("main", "password", "a password");
    assert_true(entry_of("main", "password").flags & XYLEM_ENTRY_HASH_DROPPED);
    assert_path("main", "behind password * * l k j i h g line e d c b a ");
    assert_no_secret();
    close_repaired();
}

IN_SCENE(a_hash_that_was_dropped_later_does_not_come_back)
{
    struct xylem_redact_report redacted;
    struct xylem_redact_options options = {.reason = xylem_view_of("another"), .drop_hash = true};
    redact(1, (struct xylem_position){1, 1}, false);
    store_builder_must(xylem_redact(&redacted, builder.txn, 1, (struct xylem_position){1, 1}, &options, &err), &err);
    xylem_redact_report_release(&redacted);
    store_builder_commit(&builder);
    struct damage_file file = damage_read(builder.path);
    memset(newest_meta(&file), 0, DAMAGE_PAGE_BYTES);
    repair_with_older(&file);
    assert_redacted("main", "a", "a password");
    assert_true(entry_of("main", "a").flags & XYLEM_ENTRY_HASH_DROPPED);
    close_repaired();
}

/* A line in quarantine, and a torn one that is remembered, both with the id of the entry and the secret. */
static void add_lines(uint64_t session)
{
    static const char line[] = "{\"id\":\"a\",\"text\":\"" SECRET "\"}\n";
    struct xylem_view raw = {line, sizeof line - 1};
    struct xylem_store__source source = {.name = xylem_view_of("/b.jsonl"),
                                         .bytes = 10,
                                         .lines = 2,
                                         .tail = {line, sizeof line - 2},
                                         .tail_bytes = sizeof line - 2};
    struct xylem_quarantined row = {.line = 3,
                                    .offset = 99,
                                    .hash = xylem_format__hash(raw),
                                    .source = source.name,
                                    .raw = raw,
                                    .raw_bytes = raw.bytes};
    store_builder_must(xylem_store__source_write(builder.txn, session, &source, &err), &err);
    store_builder_must(xylem_store__quarantine_add(builder.txn, session, &row, &err), &err);
}

static void assert_lines_come_out_redacted(struct damage_file *file)
{
    struct xylem_quarantine *quarantine;
    struct xylem_quarantined row;
    struct xylem_store__source source;
    unsigned count = 0;
    unsigned redacted = 0;
    repair_with_older(file);
    uint64_t session = session_of("main").number;
    store_builder_must(xylem_quarantine_new(&quarantine, txn, session, &err), &err);
    while (store_builder_must(xylem_quarantine_next(&row, quarantine, &err), &err) == 1) {
        count++;
        redacted += row.reason == XYLEM_IMPORT_REDACTED && row.raw.bytes == 0;
    }
    xylem_quarantine_free(quarantine);
    assert_int_equal(count, 2);
    assert_int_equal(redacted, 1);
    assert_int_equal(
        store_builder_must(xylem_store__source_read(&source, txn, session, xylem_view_of("/b.jsonl"), &err), &err), 1);
    assert_int_equal(source.tail.bytes, 0);
    assert_true(source.tail_bytes > 0);
    assert_no_secret();
    close_repaired();
}

IN_SCENE(redacted_lines_do_not_come_back)
{
    add_lines(1);
    store_builder_commit(&builder);
    redact(1, (struct xylem_position){1, 1}, false);
    struct damage_file file = damage_read(builder.path);
    assert_true(has_bytes(&file, SECRET));
    memset(newest_meta(&file), 0, DAMAGE_PAGE_BYTES);
    assert_lines_come_out_redacted(&file);
}

IN_SCENE(redacted_lines_do_not_come_back_where_both_meta_pages_are_lost)
{
    add_lines(1);
    store_builder_commit(&builder);
    redact(1, (struct xylem_position){1, 1}, false);
    struct damage_file file = damage_read(builder.path);
    damage_zero_page(&file, 0);
    damage_zero_page(&file, 1);
    assert_lines_come_out_redacted(&file);
}

IN_SCENE(a_damaged_page_with_a_redacted_entry_is_not_kept_raw)
{
    redact(1, (struct xylem_position){1, 1}, false);
    struct damage_row row = damage_find(builder.path, XYLEM_FORMAT__LOG, 1, 1);
    struct damage_file file = damage_read(builder.path);
    unsigned char *page = file.bytes + row.page * DAMAGE_PAGE_BYTES;
    size_t lower = xylem_pages__page_lower(page);
    assert_true(xylem_pages__page_upper(page) - lower > sizeof SECRET);
    memcpy(page + lower, SECRET, sizeof SECRET); /* what LMDB leaves where a row was */
    wipe(&file, 1, 2, 2);
    page[10] ^= 1; /* it says that it is no leaf */
    repair(&file);
    assert_int_equal(report.lost_entry_count, 1);
    assert_true(report.bad_page_count > 0);
    assert_redacted("main", "a", "a password");
    assert_no_secret();
    close_repaired();
}

IN_SCENE(a_reason_that_is_damaged_is_told)
{
    redact(1, (struct xylem_position){1, 1}, false);
    struct damage_row row = damage_find(builder.path, XYLEM_FORMAT__LOG, 1, 1);
    struct damage_file file = damage_read(builder.path);
    file.bytes[row.value + row.value_bytes - 1] ^= 1;
    repair(&file);
    assert_int_equal(report.damaged_entry_count, 1);
    assert_string_equal(told.text, "the reason of the redaction is lost");
    assert_redacted("main", "a", "");
    close_repaired();
}

IN_SCENE(an_entry_that_lost_its_payload_is_exported_with_the_reason)
{
    struct damage_row row = damage_find(builder.path, XYLEM_FORMAT__LOG, 1, 3);
    struct damage_file file = flipped(XYLEM_FORMAT__LOG, 1, 3, row.value_bytes - 100);
    struct xylem_buffer exported = {NULL, 0, 0};
    repair(&file);
    assert_redacted("main", "c", "lost: the store was damaged, and a repair kept the entry without its payload");
    store_builder_must(xylem_export(txn, session_of("main").number, NULL, add_piece, &exported, &err), &err);
    assert_int_equal(xylem_buffer_add(&exported, "", 1), XYLEM_OK);
    assert_non_null(strstr(exported.data, "\"redacted\":\"lost: the store was damaged"));
    assert_null(strstr(exported.data, "00000007\"}")); /* its payload */
    xylem_buffer_release(&exported);
    close_repaired();
}

/* --- Older copies ----------------------------------------------------------------------------------------------- */

/* Adds an entry with the secret behind others, and one behind it, and redacts it. */
static struct xylem_position add_and_redact(bool drop_hash)
{
    struct xylem_position at = store_builder_add(&builder, 1, "password", "message", "{\"text\":\"" SECRET "\"}");
    store_builder_add(&builder, 1, "behind", "message", "{\"n\":4}");
    store_builder_commit(&builder);
    redact(1, at, drop_hash);
    return at;
}

/* The file without the page on which a row of the newest commit stands. */
static struct damage_file without_page_of(enum xylem_format__table table, uint64_t first, uint64_t second)
{
    uint64_t page = damage_find(builder.path, table, first, second).page;
    struct damage_file file = damage_read(builder.path);
    damage_zero_page(&file, page);
    return file;
}

static void assert_payload(const char *session, const char *id, int code)
{
    struct xylem_view payload;
    struct xylem_entry entry = entry_of(session, id);
    assert_int_equal(xylem_entry_payload(&payload, &entry, NULL), code);
}

IN_SCENE(a_secret_does_not_come_back_where_the_page_with_its_redaction_is_lost)
{
    struct xylem_position at = add_and_redact(false);
    struct damage_file file = without_page_of(XYLEM_FORMAT__LOG, at.branch, at.depth);
    assert_true(has_bytes(&file, SECRET));
    repair(&file);
    assert_false(report.complete);
    assert_true(report.withheld_count > 0);
    assert_int_equal(report.lost_entry_count, 0);
    assert_payload("main", "password", XYLEM_E_REDACTED);
    assert_payload("main", "behind", XYLEM_E_REDACTED); /* nothing tells which of the two it was */
    assert_false(entry_of("main", "password").flags & XYLEM_ENTRY_HASH_DROPPED);
    assert_no_secret();
    close_repaired();
}

IN_SCENE(whoever_asks_for_older_copies_gets_them)
{
    struct xylem_position at = add_and_redact(false);
    struct damage_file file = without_page_of(XYLEM_FORMAT__LOG, at.branch, at.depth);
    repair_with_older(&file);
    assert_false(report.complete);
    assert_true(report.older_count > 0);
    assert_payload("main", "password", XYLEM_OK);
    assert_payload("main", "behind", XYLEM_OK);
    close_repaired();
}

IN_SCENE(no_older_copy_tells_a_hash_that_may_have_been_dropped)
{
    struct xylem_position at = add_and_redact(true);
    struct xylem_entry before;
    struct damage_file file = without_page_of(XYLEM_FORMAT__LOG, at.branch, at.depth);
    store_builder_must(xylem_entry_read(&before, builder.txn, (struct xylem_position){1, at.depth + 1}, &err), &err);
    uint64_t hash = before.unverified.payload_hash;
    repair(&file);
    struct xylem_entry entry = entry_of("main", "behind");
    assert_true(entry.flags & XYLEM_ENTRY_HASH_DROPPED);
    assert_true(entry.unverified.payload_hash != hash);
    assert_no_secret();
    close_repaired();
}

IN_SCENE(what_was_appended_after_the_last_redaction_is_taken)
{
    redact(1, (struct xylem_position){1, 1}, false);
    for (unsigned i = 0; i < 60; i++) { /* some pages of them */
        char id[16];
        snprintf(id, sizeof id, "late%u", i);
        store_builder_add(&builder, 1, id, "message", "{\"n\":\"" SECRET SECRET SECRET "\"}");
    }
    store_builder_commit(&builder);
    static const struct xylem_position middle = {1, 14 + 30};
    struct xylem_format__record record = store_builder_record(&builder, middle);
    store_builder_rewrite(&builder, middle, &record); /* so that its page is copied */
    store_builder_commit(&builder);
    struct damage_file file = without_page_of(XYLEM_FORMAT__LOG, middle.branch, middle.depth);
    repair(&file);
    assert_int_equal(report.withheld_count, 0);
    assert_true(report.older_count > 0);
    assert_false(report.complete);
    assert_payload("main", "late29", XYLEM_OK);
    close_repaired();
}

/* No payload was redacted here, and the session lives. */
IN_SCENE(older_copies_are_taken_and_told_where_nothing_was_redacted)
{
    store_builder_add(&builder, 1, "last", "message", NULL);
    store_builder_commit(&builder);
    struct damage_file file = without_page_of(XYLEM_FORMAT__LOG, 1, 14);
    repair(&file);
    assert_int_equal(report.withheld_count, 0);
    assert_true(report.older_count > 0);
    assert_int_equal(told.entries, report.older_count + report.lost_entry_count);
    assert_false(report.complete);
    assert_payload("main", "l", XYLEM_OK);
    close_repaired();
}

IN_SCENE(where_the_store_does_not_say_what_was_removed_older_copies_stay_out)
{
    store_builder_add(&builder, 1, "last", "message", NULL);
    store_builder_commit(&builder);
    struct damage_file file = without_page_of(XYLEM_FORMAT__LOG, 1, 14);
    struct xylem_repair__salvage *salvage = NULL;
    assert_int_equal(xylem_repair__salvage_new(&salvage, builder.path, NULL), XYLEM_OK);
    damage_zero_page(&file, xylem_repair__salvage_meta(salvage, XYLEM_FORMAT__META_FORMAT)->page);
    xylem_repair__salvage_free(salvage);
    repair(&file);
    assert_true(report.withheld_count > 0);
    assert_payload("main", "l", XYLEM_E_REDACTED);
    close_repaired();
}

IN_SCENE(a_deleted_session_whose_row_is_lost_does_not_live_again)
{
    struct xylem_session session;
    store_builder_must(xylem_session_delete(builder.txn, 2, &err), &err);
    store_builder_commit(&builder);
    struct damage_file file = without_page_of(XYLEM_FORMAT__SESSIONS, 2, 0); /* it was a live one before */
    repair(&file);
    assert_false(report.complete);
    assert_true(report.withheld_count > 0);
    assert_int_equal(xylem_session_find(&session, txn, xylem_view_of("fork"), NULL), XYLEM_E_DELETED);
    close_repaired();
}

/* A deleted session gets no entries. */
IN_SCENE(a_session_that_was_appended_to_after_the_last_deletion_lives)
{
    struct xylem_session session;
    store_builder_add(&builder, 1, "last", "message", NULL);
    store_builder_commit(&builder);
    struct damage_file file = without_page_of(XYLEM_FORMAT__SESSIONS, 1, 0);
    repair(&file);
    session_of("main");
    assert_int_equal(xylem_session_find(&session, txn, xylem_view_of("fork"), NULL), XYLEM_E_DELETED);
    close_repaired();
}

/* Nothing newer than its row of before says that it is gone. */
IN_SCENE(a_session_that_was_deleted_and_freed_by_a_commit_whose_meta_page_is_lost_does_not_live)
{
    struct xylem_session session;
    store_builder_must(xylem_session_delete(builder.txn, 2, &err), &err);
    store_builder_must(xylem_gc(NULL, builder.txn, NULL, &err), &err);
    store_builder_commit(&builder);
    struct damage_file file = damage_read(builder.path);
    memset(newest_meta(&file), 0, DAMAGE_PAGE_BYTES);
    repair(&file);
    assert_int_not_equal(xylem_session_find(&session, txn, xylem_view_of("fork"), NULL), XYLEM_OK);
    close_repaired();
}

IN_SCENE(older_lines_come_without_their_bytes)
{
    add_lines(1);
    store_builder_commit(&builder);
    redact(1, (struct xylem_position){1, 1}, false);
    struct xylem_repair__salvage *salvage = NULL;
    struct damage_file file = damage_read(builder.path);
    assert_int_equal(xylem_repair__salvage_new(&salvage, builder.path, NULL), XYLEM_OK);
    for (unsigned i = 0; i < 2; i++) {
        struct xylem_repair__rows rows =
            xylem_repair__salvage_rows(salvage, i == 0 ? XYLEM_FORMAT__SOURCES : XYLEM_FORMAT__QUARANTINE);
        assert_true(rows.count > 0);
        damage_zero_page(&file, rows.list[0].page);
    }
    xylem_repair__salvage_free(salvage);
    assert_true(has_bytes(&file, SECRET));
    repair(&file);
    assert_true(report.withheld_count >= 2);
    assert_no_secret();
    close_repaired();
}

/* A value whose page was exchanged has bytes of which nobody knows whose they are. */
IN_SCENE(bytes_that_prove_nothing_stay_out_where_something_was_removed)
{
    struct damage_row row = damage_find(builder.path, XYLEM_FORMAT__LOG, 1, 3);
    assert_true(row.big);
    struct damage_file file = damage_read(builder.path);
    memcpy(file.bytes + row.value + row.value_bytes - 1000, SECRET, sizeof SECRET);
    repair(&file);
    assert_int_equal(report.damaged_entry_count, 1);
    assert_int_equal(report.quarantined_bytes, 0);
    assert_no_secret();
    close_repaired();
}

/* --- The feed of the new store ---------------------------------------------------------------------------------- */

/* What the feed tells, but for entries: a word for each change, and its session. */
static void assert_changes(const char *expected)
{
    struct xylem_feed *feed = NULL;
    struct xylem_change change;
    char text[1024] = "";
    store_builder_must(feed_after(&feed, txn, 0, &err), &err);
    while (store_builder_must(xylem_feed_next(&change, feed, &err), &err) == 1) {
        struct xylem_session session;
        size_t bytes = strlen(text);
        if (change.type == XYLEM_CHANGE_ENTRY) {
            assert_int_equal(bytes, 0); /* entries come first */
            continue;
        }
        store_builder_must(xylem_session_read(&session, txn, change.session, &err), &err);
        snprintf(text + bytes, sizeof text - bytes, "%s %.*s", xylem_change_word(change.type), (int)session.id.bytes,
                 session.id.data);
        bytes = strlen(text);
        snprintf(text + bytes, sizeof text - bytes, change.move_number > 0 ? " %u, " : ", ",
                 (unsigned)change.move_number);
    }
    xylem_feed_free(feed);
    assert_string_equal(text, expected);
}

IN_SCENE(the_feed_of_the_new_store_tells_each_session_navigation_and_deletion_once)
{
    struct damage_file file = damage_read(builder.path);
    repair(&file);
    assert_changes("created main, moved main 1, moved main 2, forked fork, forked gone, deleted gone, document main, ");
    close_repaired();
}

/* Entries of several sessions, with changes between them that the new store tells elsewhere. */
IN_SCENE(entries_keep_their_lsns_whatever_was_between_them)
{
    uint64_t other = store_builder_session(&builder, "other");
    uint64_t session = 1;
    for (int i = 0; i < 5; i++) {
        store_builder_messages(&builder, session, 1);
        store_builder_messages(&builder, other, 2);
        store_builder_go(&builder, other, (struct xylem_position){4, 1});
        store_builder_must(xylem_session_delete(builder.txn, other, &err), &err);
        store_builder_must(xylem_session_undelete(builder.txn, other, &err), &err);
    }
    store_builder_session(&builder, "empty");
    store_builder_commit(&builder);
    struct damage_file file = damage_read(builder.path);
    repair(&file);
    assert_true(report.complete);
    assert_int_equal(report.changed_entry_count, 0);
    assert_same_store(); /* lsns, flags and ids, too */
    assert_changes("created main, moved main 1, moved main 2, forked fork, forked gone, deleted gone, created other, "
                   "moved other 1, moved other 2, moved other 3, moved other 4, moved other 5, created empty, "
                   "document main, ");
    close_repaired();
}

/* The ids that xylem made are found by their lsns, also behind a lost entry. */
IN_SCENE(entries_behind_a_placeholder_keep_their_lsns)
{
    struct damage_file file = damage_read(builder.path);
    wipe(&file, 1, 1, 1);
    wipe(&file, 1, 4, 5);
    repair(&file);
    assert_int_equal(report.placeholder_count, 2);
    struct xylem_position now = session_of("main").leaf;
    unsigned minted_count = 0;
    for (struct xylem_position old = {1, 14}; old.depth > 1; old.depth--) {
        struct xylem_entry before;
        struct xylem_entry after;
        store_builder_must(xylem_entry_read(&after, txn, now, &err), &err);
        now = after.parent;
        if (old.depth == 5) {
            old.depth = 4; /* one placeholder for two entries */
            continue;
        }
        store_builder_must(xylem_entry_read(&before, builder.txn, old, &err), &err);
        assert_views(after.id, before.id);
        assert_int_equal(after.lsn, before.lsn);
        assert_int_equal(after.flags & XYLEM_ENTRY_MINTED, before.flags & XYLEM_ENTRY_MINTED);
        minted_count += (before.flags & XYLEM_ENTRY_MINTED) != 0;
    }
    assert_int_equal(minted_count, 2);
    close_repaired();
}

/* A session that the repair makes in the end, for bytes of which nobody knows whose they are, is told, too. */
IN_SCENE(the_feed_tells_of_the_session_that_keeps_bytes_of_nobody)
{
    struct damage_row row = damage_find(builder.path, XYLEM_FORMAT__LOG, 3, 7);
    struct damage_file file = damage_read(builder.path);
    assert_false(row.big);
    assert_int_equal(file.bytes[row.value - 2], 3); /* the branch in the key */
    file.bytes[row.value - 2] = 0x13;
    repair_with_older(&file);
    assert_true(report.quarantined_bytes > 0);
    assert_changes("created main, moved main 1, moved main 2, forked fork, forked gone, deleted gone, document main, "
                   "created recovered-lost, ");
    close_repaired();
}

/* --- Newer stores ----------------------------------------------------------------------------------------------- */

static void assert_refused(struct damage_file *file, int code)
{
    damage_write(damaged, file);
    damage_free(file);
    assert_int_equal(xylem_repair(NULL, damaged, repaired, NULL, NULL, NULL, &err), code);
    assert_non_null(strstr(err.text, damaged));
    assert_int_equal(test_directory_count(place), 1);
}

IN_SCENE(a_store_with_a_feature_that_is_not_known_is_refused)
{
    features_put(builder.txn, XYLEM_FORMAT__FEATURES_KNOWN | UINT64_C(1) << 60);
    store_builder_commit(&builder);
    struct damage_file file = damage_read(builder.path);
    assert_refused(&file, XYLEM_E_TOO_NEW);
}

/* Also where only an older copy of the row says so. */
IN_SCENE(a_store_of_a_newer_format_is_refused)
{
    struct row row = {{NULL, 0, 0}, {NULL, 0, 0}};
    copy_bytes(&row.key, XYLEM_FORMAT__META_FORMAT, strlen(XYLEM_FORMAT__META_FORMAT));
    assert_int_equal(xylem_base__add_u32(&row.value, XYLEM_FORMAT__FORMAT_VERSION + 1), XYLEM_OK);
    assert_int_equal(xylem_base__add_u64(&row.value, 0), XYLEM_OK);
    assert_int_equal(xylem_base__add_u64(&row.value, 0), XYLEM_OK);
    row_sum(XYLEM_FORMAT__META, &row);
    row_put(builder.txn, XYLEM_FORMAT__META, &row);
    row_release(&row);
    store_builder_commit(&builder);
    struct damage_file file = damage_read(builder.path);
    assert_refused(&file, XYLEM_E_TOO_NEW);
    file = damage_read(builder.path);
    damage_zero_page(&file, 0);
    damage_zero_page(&file, 1);
    assert_refused(&file, XYLEM_E_TOO_NEW);
}

IN_SCENE(a_store_that_does_not_say_its_format_any_more_is_repaired)
{
    struct damage_file file = without_table(XYLEM_FORMAT__META);
    repair(&file);
    assert_int_equal(report.entry_count, 17);
    assert_int_equal(report.lost_entry_count, 0);
    close_repaired();
}

/* Lsns without an entry look like lost entries to a repair that does not know their number. */
IN_SCENE(no_entry_is_counted_as_lost_where_the_count_of_other_changes_is_lost)
{
    struct damage_file file = without_table(XYLEM_FORMAT__META);
    damage_zero_page(&file, 0);
    damage_zero_page(&file, 1);
    repair_with_older(&file);
    assert_int_equal(report.entry_count, 17);
    assert_nothing_known_is_lost();
    close_repaired();
}

/* --- Leases ----------------------------------------------------------------------------------------------------- */

IN_SCENE(a_new_store_has_no_owners)
{
    struct xylem_lease *lease = NULL;
    struct xylem_lease_owner owner;
    struct xylem_stat stat;
    store_builder_must(xylem_commit(builder.txn, &err), &err);
    store_builder_must(xylem_lease_take(&lease, builder.store, 1, &err), &err);
    store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), &err);
    assert_int_equal(xylem_lease_read(&owner, builder.txn, 1, &err), 1);
    struct damage_file file = damage_read(builder.path);
    repair(&file);
    assert_true(report.complete);
    assert_int_equal(xylem_lease_read(&owner, txn, session_of("main").number, &err), 0);
    store_builder_must(xylem_stat_read(&stat, txn, &err), &err);
    assert_int_equal(stat.features & XYLEM_FORMAT__FEATURE_LEASES, 0);
    close_and_open_for_writing();
    store_builder_must(
        xylem_navigate(txn, session_of("main").number, (struct xylem_position){0, 0}, xylem_view_of("free"), &err),
        &err);
    close_repaired();
    store_builder_must(xylem_commit(builder.txn, &err), &err);
    store_builder_must(xylem_lease_release(lease, &err), &err);
    store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), &err);
}

/* --- What is refused -------------------------------------------------------------------------------------------- */

IN_SCENE(a_directory_with_something_in_it_is_never_written_to)
{
    struct damage_file file = damage_read(builder.path);
    damage_write(damaged, &file);
    assert_int_equal(xylem_repair(NULL, damaged, damaged, NULL, NULL, NULL, &err), XYLEM_E_EXISTS);
    assert_int_equal(xylem_repair(NULL, damaged, builder.path, NULL, NULL, NULL, &err), XYLEM_E_EXISTS);
    char inside[400];
    snprintf(inside, sizeof inside, "%s/new", damaged);
    assert_int_equal(xylem_repair(NULL, damaged, inside, NULL, NULL, NULL, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(test_directory_count(damaged), 1);
    /* An empty one will do, and a slash behind its name. */
    assert_int_equal(mkdir(repaired, 0755), 0);
    snprintf(inside, sizeof inside, "%s/", repaired);
    store_builder_must(xylem_repair(NULL, damaged, inside, NULL, NULL, NULL, &err), &err);
    struct stat status;
    assert_int_equal(stat(repaired, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    snprintf(inside, sizeof inside, "%s/data.mdb", repaired);
    assert_int_equal(stat(inside, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_int_equal(xylem_repair(NULL, damaged, repaired, NULL, NULL, NULL, &err), XYLEM_E_EXISTS);
    damage_free(&file);
}

IN_SCENE(what_is_no_store_is_refused)
{
    struct damage_file nothing = {NULL, 0};
    assert_int_equal(xylem_repair(NULL, damaged, repaired, NULL, NULL, NULL, &err), XYLEM_E_NOT_FOUND);
    damage_write(damaged, &nothing);
    assert_int_equal(xylem_repair(NULL, damaged, repaired, NULL, NULL, NULL, &err), XYLEM_E_NOT_A_STORE);
    struct damage_file zeros = {calloc(5, DAMAGE_PAGE_BYTES), 5 * DAMAGE_PAGE_BYTES};
    assert_non_null(zeros.bytes);
    damage_write(damaged, &zeros);
    assert_int_equal(xylem_repair(NULL, damaged, repaired, NULL, NULL, NULL, &err), XYLEM_E_CORRUPT);
    assert_non_null(strstr(err.text, "nothing can be saved"));
    damage_free(&zeros);
    assert_int_equal(xylem_repair(NULL, NULL, repaired, NULL, NULL, NULL, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_repair(NULL, damaged, "", NULL, NULL, NULL, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(test_directory_count(place), 1);
}

IN_SCENE(a_store_that_somebody_replaces_is_busy)
{
    struct damage_file file = damage_read(builder.path);
    char lock[400];
    damage_write(damaged, &file);
    damage_free(&file);
    snprintf(lock, sizeof lock, "%s/xylem.lock", damaged);
    int fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
    assert_int_equal(xylem_repair(NULL, damaged, repaired, NULL, NULL, NULL, &err), XYLEM_E_BUSY);
    close(fd);
    store_builder_must(xylem_repair(NULL, damaged, repaired, NULL, NULL, NULL, &err), &err);
}

static int stop(void *context, const struct xylem_problem *problem)
{
    (void)context;
    (void)problem;
    return 1;
}

IN_SCENE(a_repair_that_is_stopped_leaves_nothing)
{
    struct damage_file file = damage_read(builder.path);
    wipe(&file, 1, 2, 5);
    damage_write(damaged, &file);
    assert_int_equal(xylem_repair(NULL, damaged, repaired, NULL, stop, NULL, &err), XYLEM_E_STOPPED);
    assert_int_equal(test_directory_count(place), 1);
    damage_free(&file);
}

static int stop_once(void *context, const struct xylem_problem *problem)
{
    unsigned *calls = context;
    (void)problem;
    return (*calls)++ == 0;
}

IN_SCENE(a_stop_is_heard_before_a_gap_that_is_told_in_one_piece)
{
    unsigned calls = 0;
    store_builder_messages(&builder, store_builder_session(&builder, "long"), 10001);
    store_builder_commit(&builder);
    struct damage_file file = without_table(XYLEM_FORMAT__LOG);
    damage_write(damaged, &file);
    assert_int_equal(xylem_repair(NULL, damaged, repaired, NULL, stop_once, &calls, &err), XYLEM_E_STOPPED);
    assert_int_equal(calls, 1);
    damage_free(&file);
}

static int append_meanwhile(void *context, const struct xylem_problem *problem)
{
    unsigned *calls = context;
    (void)problem;
    if ((*calls)++ == 0) {
        store_builder_add(&builder, 1, "meanwhile", "message", NULL);
        store_builder_commit(&builder);
    }
    return 0;
}

IN_SCENE(a_store_that_changes_meanwhile_is_busy)
{
    struct damage_file file = flipped(XYLEM_FORMAT__LOG, 1, 3, 200); /* in the store that a writer has open */
    unsigned calls = 0;
    damage_write(builder.path, &file);
    int code = xylem_repair(NULL, builder.path, repaired, NULL, append_meanwhile, &calls, &err);
    assert_true(calls > 0);
    assert_int_equal(code, XYLEM_E_BUSY);
    assert_non_null(strstr(err.text, "changed while it was read"));
    assert_int_equal(test_directory_count(place), 0);
    damage_free(&file);
}
