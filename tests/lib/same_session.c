#include "tests/lib/same_session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "store/feed.h"
#include "store/lmdb/tables.h"
#include "store/source.h"
#include "store/store.h"
#include "tests/lib/host_lines.h"
#include "tests/lib/test.h"
#include "xylem/branch.h"
#include "xylem/state.h"

/* The session in both stores: 0 is the expected one. */
struct sides {
    const char *id;
    struct xylem_txn *txn[2];
    struct xylem_session row[2];
};

__attribute__((format(printf, 2, 3))) static void differ(const struct sides *sides, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fail_msg("the session %s differs: %s", sides->id, text);
}

static void must(const struct sides *sides, int code, const struct xylem_error *err, const char *what)
{
    if (code < 0) {
        differ(sides, "%s: %s: %s", what, xylem_code_text(code), err->text);
    }
}

static void same_number(const struct sides *sides, const char *what, uint64_t expected, uint64_t found)
{
    if (expected != found) {
        differ(sides, "%s: expected %" PRIu64 ", found %" PRIu64, what, expected, found);
    }
}

static void same_hash(const struct sides *sides, const char *what, uint64_t expected, uint64_t found)
{
    if (expected != found) {
        differ(sides, "%s: expected %016" PRIx64 ", found %016" PRIx64, what, expected, found);
    }
}

static void same_bytes(const struct sides *sides, const char *what, struct xylem_view expected, struct xylem_view found)
{
    if ((expected.data == NULL) != (found.data == NULL) && (expected.bytes > 0 || found.bytes > 0)) {
        differ(sides, "%s: one side has none", what);
    }
    size_t same = 0;
    while (same < expected.bytes && same < found.bytes && expected.data[same] == found.data[same]) {
        same++;
    }
    if (same < expected.bytes || same < found.bytes) {
        differ(sides, "%s: byte %zu of %zu; expected \"%.*s\", found \"%.*s\"", what, same, expected.bytes,
               (int)(expected.bytes > 120 ? 120 : expected.bytes), expected.data ? expected.data : "",
               (int)(found.bytes > 120 ? 120 : found.bytes), found.data ? found.data : "");
    }
}

/* Given or not given is a difference, too. */
static void same_given(const struct sides *sides, const char *what, struct xylem_view expected, struct xylem_view found)
{
    same_number(sides, what, expected.data != NULL, found.data != NULL);
    same_bytes(sides, what, expected, found);
}

/* The id of an entry; empty for none. */
static struct xylem_view id_at(const struct sides *sides, int side, struct xylem_position position)
{
    struct xylem_entry entry = {.lsn = 0};
    struct xylem_error err = {0, ""};
    if (position.branch > 0) {
        must(sides, xylem_entry_read(&entry, sides->txn[side], position, &err), &err, "an entry");
    }
    return entry.id;
}

static void same_place(const struct sides *sides, const char *what, struct xylem_position expected,
                       struct xylem_position found)
{
    same_bytes(sides, what, id_at(sides, 0, expected), id_at(sides, 1, found));
    same_number(sides, what, expected.depth, found.depth);
}

/* --- Row ---------------------------------------------------------------------------------------------------------- */

static void same_base(const struct sides *sides)
{
    struct xylem_session owner[2];
    struct xylem_error err = {0, ""};
    same_place(sides, "the base", sides->row[0].base, sides->row[1].base);
    if (sides->row[0].base.branch == 0) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        uint64_t number = 0;
        must(sides, xylem_owner(&number, sides->txn[i], sides->row[i].base, &err), &err, "the session of the base");
        must(sides, xylem_session_read(&owner[i], sides->txn[i], number, &err), &err, "the session of the base");
    }
    /* A freed session has no id any more. */
    if (owner[0].state != XYLEM_SESSION_FREED && owner[1].state != XYLEM_SESSION_FREED) {
        same_bytes(sides, "the session of the base", owner[0].id, owner[1].id);
    }
}

static void same_row(const struct sides *sides)
{
    const struct xylem_session *expected = &sides->row[0];
    const struct xylem_session *found = &sides->row[1];
    same_number(sides, "the state of the session", expected->state, found->state);
    same_number(sides, "the unfinished import", expected->import_unfinished, found->import_unfinished);
    same_number(sides, "the time", (uint64_t)expected->created_ms, (uint64_t)found->created_ms);
    same_given(sides, "the directory", expected->cwd, found->cwd);
    same_given(sides, "the named source", expected->parent, found->parent);
    same_bytes(sides, "the header", expected->header, found->header);
    same_base(sides);
    same_number(sides, "the number of own entries", expected->own_entry_count, found->own_entry_count);
    same_number(sides, "the number of navigations", expected->move_count, found->move_count);
    same_number(sides, "the number of changes", expected->history.count, found->history.count);
    same_hash(sides, "the chain of the changes", expected->history.chain, found->history.chain);
}

/* --- Entries ------------------------------------------------------------------------------------------------------ */

#define OWN_FLAGS (XYLEM_ENTRY_MINTED | XYLEM_ENTRY_STARTS_BRANCH | XYLEM_ENTRY_HEADS_INCOMPLETE)

static struct xylem_view content(const struct sides *sides, int side, const struct xylem_entry *entry)
{
    struct xylem_view view = {NULL, 0};
    struct xylem_error err = {0, ""};
    int code;
    if (entry->flags & XYLEM_ENTRY_REDACTED) {
        code = xylem_entry_redaction(&view, entry, &err);
    } else {
        code = xylem_entry_payload(&view, entry, &err);
    }
    must(sides, code, &err, side == 0 ? "the content of an expected entry" : "the content of an entry");
    return view;
}

static void same_line(const struct sides *sides, const char *what, const struct xylem_entry *expected,
                      const struct xylem_entry *found)
{
    struct xylem_buffer lines[2] = {{NULL, 0, 0}, {NULL, 0, 0}};
    struct xylem_error err = {0, ""};
    must(sides, xylem_entry_imported_line(&lines[0], expected, &err), &err, what);
    must(sides, xylem_entry_imported_line(&lines[1], found, &err), &err, what);
    same_bytes(sides, what, (struct xylem_view){lines[0].data, lines[0].bytes},
               (struct xylem_view){lines[1].data, lines[1].bytes});
    xylem_buffer_release(&lines[0]);
    xylem_buffer_release(&lines[1]);
}

static void same_entry(const struct sides *sides, const struct xylem_entry *expected, const struct xylem_entry *found)
{
    char what[160];
    struct xylem_view parent[2] = {{NULL, 0}, {NULL, 0}};
    struct xylem_error err = {0, ""};
    same_bytes(sides, "the id of an entry", expected->id, found->id);
    (void)snprintf(what, sizeof what, "the entry %.*s", (int)expected->id.bytes, expected->id.data);
    must(sides, xylem_entry_parent_id(&parent[0], sides->txn[0], expected, &err), &err, what);
    must(sides, xylem_entry_parent_id(&parent[1], sides->txn[1], found, &err), &err, what);
    size_t end = strlen(what);
#define ABOUT(words) (snprintf(what + end, sizeof what - end, ": " words), what)
    same_bytes(sides, ABOUT("its parent"), parent[0], parent[1]);
    same_number(sides, ABOUT("its depth"), expected->position.depth, found->position.depth);
    same_number(sides, ABOUT("the class of its kind"), expected->kind.kind_class, found->kind.kind_class);
    same_bytes(sides, ABOUT("its kind"), expected->kind.name, found->kind.name);
    same_number(sides, ABOUT("its time"), (uint64_t)expected->time_ms, (uint64_t)found->time_ms);
    same_number(sides, ABOUT("its format"), expected->format, found->format);
    same_number(sides, ABOUT("its flags"), expected->flags & ~OWN_FLAGS, found->flags & ~OWN_FLAGS);
    same_bytes(sides, ABOUT("its payload, or reason"), content(sides, 0, expected), content(sides, 1, found));
    same_line(sides, ABOUT("its line"), expected, found);
    same_hash(sides, ABOUT("the hash of its payload"), expected->unverified.payload_hash,
              found->unverified.payload_hash);
    same_hash(sides, ABOUT("its check"), expected->check, found->check);
#undef ABOUT
}

static void add_state(struct xylem_buffer *json, const struct sides *sides, int side, struct xylem_position at)
{
    struct xylem_state state = {.at = at};
    struct xylem_error err = {0, ""};
    const struct xylem_event event = {.type = XYLEM_EVENT_SESSION_START, .reason = XYLEM_REASON_STARTUP};
    xylem_base__buffer_clear(json);
    must(sides, xylem_rehydrate(&state, sides->txn[side], at, &event, NULL, &err), &err, "the state at an entry");
    must(sides, xylem_state_json(json, &state, xylem_view_of(sides->id)), &err, "the state as JSON");
    xylem_state_release(&state);
}

static void same_entries(const struct sides *sides)
{
    struct xylem_scan *scan[2];
    struct xylem_entry entry[2];
    struct xylem_buffer json[2] = {{NULL, 0, 0}, {NULL, 0, 0}};
    struct xylem_error err = {0, ""};
    int more[2];
    for (int i = 0; i < 2; i++) {
        must(sides, xylem_scan_new(&scan[i], sides->txn[i], sides->row[i].number, &err), &err, "its entries");
    }
    do {
        for (int i = 0; i < 2; i++) {
            must(sides, more[i] = xylem_scan_next(&entry[i], scan[i], &err), &err, "its entries");
        }
        same_number(sides, "one more entry", (uint64_t)more[0], (uint64_t)more[1]);
        if (more[0] == 1) {
            same_entry(sides, &entry[0], &entry[1]);
            add_state(&json[0], sides, 0, entry[0].position);
            add_state(&json[1], sides, 1, entry[1].position);
            same_bytes(sides, "the state at an entry", xylem_base__buffer_view(&json[0]),
                       xylem_base__buffer_view(&json[1]));
        }
    } while (more[0] == 1);
    for (int i = 0; i < 2; i++) {
        xylem_scan_free(scan[i]);
        xylem_buffer_release(&json[i]);
    }
}

/* --- Navigations, labels ------------------------------------------------------------------------------------------ */

static void same_moves(const struct sides *sides)
{
    struct xylem_move move[2];
    struct xylem_error err = {0, ""};
    for (uint64_t number = 1; number <= sides->row[0].move_count; number++) {
        for (int i = 0; i < 2; i++) {
            must(sides, xylem_move_read(&move[i], sides->txn[i], sides->row[i].number, number, &err), &err,
                 "a navigation");
        }
        same_number(sides, "the time of a navigation", (uint64_t)move[0].time_ms, (uint64_t)move[1].time_ms);
        same_bytes(sides, "the reason of a navigation", move[0].reason, move[1].reason);
        same_place(sides, "the origin of a navigation", move[0].from, move[1].from);
        same_place(sides, "the target of a navigation", move[0].to, move[1].to);
    }
}

static void same_labels(const struct sides *sides)
{
    struct xylem_labels labels[2];
    struct xylem_error err = {0, ""};
    for (int i = 0; i < 2; i++) {
        must(sides, xylem_labels_read(&labels[i], sides->txn[i], sides->row[i].number, &err), &err, "its labels");
    }
    same_given(sides, "the name", labels[0].name, labels[1].name);
    same_number(sides, "the number of labels", labels[0].label_count, labels[1].label_count);
    for (size_t i = 0; i < labels[0].label_count; i++) {
        same_bytes(sides, "the target of a label", labels[0].labels[i].target_id, labels[1].labels[i].target_id);
        same_bytes(sides, "the text of a label", labels[0].labels[i].text, labels[1].labels[i].text);
        same_place(sides, "the entry of a label", labels[0].labels[i].entry, labels[1].labels[i].entry);
    }
    xylem_labels_release(&labels[0]);
    xylem_labels_release(&labels[1]);
}

/* --- Document ----------------------------------------------------------------------------------------------------- */

static void same_displaced(const struct sides *sides, const struct xylem_store__source source[2])
{
    struct xylem_error err = {0, ""};
    same_number(sides, "the number of displaced lines", source[0].displaced_count, source[1].displaced_count);
    for (size_t i = 0; i < source[0].displaced_count; i++) {
        struct xylem_position at[2];
        for (int j = 0; j < 2; j++) {
            uint64_t lsn = source[j].displaced[i].lsn;
            must(sides, xylem_store__feed_find(&at[j], sides->txn[j], lsn, lsn, &err), &err, "a displaced line");
        }
        same_place(sides, "the entry of a displaced line", at[0], at[1]);
        same_number(sides, "the number of a displaced line", source[0].displaced[i].line, source[1].displaced[i].line);
    }
}

static void same_source(const struct sides *sides, const struct xylem_store__source source[2])
{
    same_bytes(sides, "the path of a session file", source[0].name, source[1].name);
    same_number(sides, "the order of a session file", source[0].order, source[1].order);
    same_number(sides, "the bytes of a session file", source[0].bytes, source[1].bytes);
    same_number(sides, "the lines of a session file", source[0].lines, source[1].lines);
    same_hash(sides, "the hash of a session file", source[0].hash, source[1].hash);
    same_number(sides, "the end of a session file", source[0].unterminated, source[1].unterminated);
    same_number(sides, "the length of a torn line", source[0].tail_bytes, source[1].tail_bytes);
    same_bytes(sides, "a torn line", source[0].tail, source[1].tail);
    same_displaced(sides, source);
}

static void same_sources(const struct sides *sides)
{
    struct xylem_lmdb__rows *rows[2];
    struct xylem_store__source source[2];
    struct xylem_error err = {0, ""};
    int more[2];
    for (int i = 0; i < 2; i++) {
        must(sides, xylem_lmdb__rows_new(&rows[i], sides->txn[i], XYLEM_FORMAT__SOURCES, &err), &err, "its files");
    }
    do {
        for (int i = 0; i < 2; i++) {
            struct xylem_view key = {NULL, 0};
            struct xylem_view row = {NULL, 0};
            more[i] = xylem_lmdb__rows_next_of(&key, &row, rows[i], sides->row[i].number, &err);
            must(sides, more[i], &err, "its files");
            if (more[i] > 0) {
                must(sides, xylem_store__source_decode(&source[i], sides->txn[i], row, &err), &err, "a file");
            }
        }
        same_number(sides, "one more session file", (uint64_t)more[0], (uint64_t)more[1]);
        if (more[0] > 0) {
            same_source(sides, source);
        }
    } while (more[0] > 0);
    xylem_lmdb__rows_free(rows[0]);
    xylem_lmdb__rows_free(rows[1]);
}

static void same_quarantine(const struct sides *sides)
{
    struct xylem_quarantine *quarantine[2];
    struct xylem_quarantined line[2];
    struct xylem_error err = {0, ""};
    int more[2];
    for (int i = 0; i < 2; i++) {
        must(sides, xylem_quarantine_new(&quarantine[i], sides->txn[i], sides->row[i].number, &err), &err,
             "its quarantine");
    }
    do {
        for (int i = 0; i < 2; i++) {
            must(sides, more[i] = xylem_quarantine_next(&line[i], quarantine[i], &err), &err, "its quarantine");
        }
        same_number(sides, "one more line in quarantine", (uint64_t)more[0], (uint64_t)more[1]);
        if (more[0] > 0) {
            same_number(sides, "the number of a line in quarantine", line[0].line, line[1].line);
            same_number(sides, "the place of a line in quarantine", line[0].offset, line[1].offset);
            same_hash(sides, "the hash of a line in quarantine", line[0].hash, line[1].hash);
            same_number(sides, "the reason of a line in quarantine", line[0].reason, line[1].reason);
            same_bytes(sides, "the file of a line in quarantine", line[0].source, line[1].source);
            same_bytes(sides, "a line in quarantine", line[0].raw, line[1].raw);
            same_number(sides, "the length of a line in quarantine", line[0].raw_bytes, line[1].raw_bytes);
        }
    } while (more[0] > 0);
    xylem_quarantine_free(quarantine[0]);
    xylem_quarantine_free(quarantine[1]);
}

/* The lines of a host, and those of its own values that are redacted: their types and reasons show nowhere else. */
static void same_stream(const struct sides *sides)
{
    struct xylem_buffer streams[2] = {{NULL, 0, 0}, {NULL, 0, 0}};
    for (int i = 0; i < 2; i++) {
        if (sides->row[i].state != XYLEM_SESSION_FREED) {
            host_stream(&streams[i], sides->txn[i], sides->row[i].number);
        }
    }
    same_bytes(sides, "the stream", xylem_base__buffer_view(&streams[0]), xylem_base__buffer_view(&streams[1]));
    xylem_buffer_release(&streams[0]);
    xylem_buffer_release(&streams[1]);
}

/* ------------------------------------------------------------------------------------------------------------------ */

void assert_same_session(struct xylem_txn *expected, struct xylem_txn *found, const char *id)
{
    struct sides sides = {.id = id, .txn = {expected, found}};
    struct xylem_error err = {0, ""};
    for (int i = 0; i < 2; i++) {
        must(&sides, xylem_store__session_find_any(&sides.row[i], sides.txn[i], xylem_view_of(id), &err), &err,
             i == 0 ? "the expected session" : "the session");
    }
    same_row(&sides);
    same_entries(&sides);
    same_place(&sides, "the leaf", sides.row[0].leaf, sides.row[1].leaf);
    same_place(&sides, "the leaf of the import", sides.row[0].imported_leaf, sides.row[1].imported_leaf);
    same_moves(&sides);
    same_labels(&sides);
    same_sources(&sides);
    same_quarantine(&sides);
    same_stream(&sides);
}

void assert_same_sessions(struct xylem_txn *expected, struct xylem_txn *found)
{
    struct xylem_sessions *sessions;
    struct xylem_session row;
    size_t count = 0;
    assert_int_equal(xylem_sessions_new(&sessions, expected, NULL), XYLEM_OK);
    while (xylem_sessions_next(&row, sessions, NULL) == 1) {
        bool is_kept = row.state == XYLEM_SESSION_LIVE || row.state == XYLEM_SESSION_DELETED;
        count += is_kept;
        if (is_kept && row.name_space.bytes == 0) {
            char id[XYLEM_SESSION_ID_BYTES_MAX + 1];
            (void)snprintf(id, sizeof id, "%.*s", (int)row.id.bytes, row.id.data);
            assert_same_session(expected, found, id);
        }
    }
    xylem_sessions_free(sessions);
    assert_true(count > 0);
}
