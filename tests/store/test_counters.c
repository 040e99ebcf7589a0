/* What each counter of a transaction counts, and that every public call that reads or writes counts. */

#include <string.h>

#include "store/format/keys.h"
#include "store/lmdb/tables.h"
#include "xylem/line.h"
#include "xylem/care.h"
#include "xylem/feed.h"
#include "xylem/files.h"
#include "xylem/inspect.h"
#include "xylem/lease.h"
#include "xylem/state.h"
#include "xylem/append.h"
#include "xylem/outline.h"
#include "tests/lib/costs.h"
#include "tests/lib/cursor.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"

static struct xylem_error err;

static struct xylem_txn *begin_reading(void)
{
    struct xylem_txn *reader = NULL;
    store_builder_commit(&builder);
    store_builder_must(xylem_begin(&reader, builder.store, XYLEM_READ, &err), &err);
    return reader;
}

#define IN_STORE(test) TEST_WITH(test, set_up, tear_down)

IN_STORE(a_transaction_starts_from_zero)
{
    struct xylem_session session;
    assert_string_equal(costs_of(builder.txn).text, "");
    store_builder_session(&builder, "s");
    assert_string_not_equal(costs_of(builder.txn).text, "");
    store_builder_reopen(&builder); /* what opening reads is not in them */
    assert_string_equal(costs_of(builder.txn).text, "");
    struct xylem_txn *reader = begin_reading();
    assert_string_equal(costs_of(reader).text, "");
    store_builder_must(xylem_session_find(&session, reader, xylem_view_of("s"), &err), &err);
    assert_string_equal(costs_of(reader).text, "sessions 1 get; session_ids 1 get");
    assert_string_equal(costs_of(builder.txn).text, ""); /* each has its own */
    xylem_abort(reader);
    reader = begin_reading();
    assert_string_equal(costs_of(reader).text, "");
    xylem_abort(reader);
}

IN_STORE(names_stand_in_the_order_of_the_stores_figures)
{
    struct xylem_stat stat;
    struct xylem_counters counters;
    struct xylem_txn *reader = begin_reading();
    store_builder_must(xylem_stat_read(&stat, reader, &err), &err);
    xylem_counters_read(&counters, reader);
    for (unsigned table = 0; table < XYLEM_TABLE_COUNT; table++) {
        assert_string_equal(counters.tables[table].name, stat.tables[table].name);
    }
    xylem_abort(reader);
}

IN_STORE(each_table_counts_for_itself)
{
    for (unsigned table = 0; table < XYLEM_TABLE_COUNT; table++) {
        struct xylem_view value;
        struct xylem_txn *reader = begin_reading();
        store_builder_must(xylem_lmdb__get(&value, reader, table, xylem_view_of("no such key"), &err), &err);
        struct costs costs = costs_of(reader);
        assert_int_equal(costs.counters.tables[table].gets, 1);
        assert_int_equal(costs_gets(&costs), 1);
        xylem_abort(reader);
    }
}

IN_STORE(a_row_that_is_looked_up_counts_whether_it_is_there_or_not)
{
    struct xylem_view value;
    struct xylem_view key = xylem_view_of(XYLEM_FORMAT__META_FORMAT);
    struct xylem_view no_key = xylem_view_of("no such row");
    assert_int_equal(xylem_lmdb__get(&value, builder.txn, XYLEM_FORMAT__META, key, &err), 1);
    assert_string_equal(costs_of(builder.txn).text, "meta 1 get");
    assert_int_equal(xylem_lmdb__get_summed(&value, builder.txn, XYLEM_FORMAT__META, key, &err), 1);
    assert_string_equal(costs_of(builder.txn).text, "meta 2 gets");
    assert_int_equal(xylem_lmdb__get(&value, builder.txn, XYLEM_FORMAT__META, no_key, &err), 0);
    assert_string_equal(costs_of(builder.txn).text, "meta 3 gets");
}

/* One step of a cursor in `meta`, and what it counts as. Key and value are those where the cursor stands then. */
static void assert_step(struct xylem_lmdb__rows *rows, enum xylem_lmdb__step step, const char *to, int found,
                        const char *expected)
{
    struct xylem_view key = xylem_view_of(to);
    struct xylem_view value;
    struct xylem_counters before;
    xylem_counters_read(&before, builder.txn);
    assert_int_equal(xylem_lmdb__rows_step(&key, &value, rows, step, &err), found);
    assert_string_equal(costs_since(builder.txn, &before).text, expected);
}

IN_STORE(a_cursor_seeks_to_a_key_or_an_end_and_steps_to_a_neighbour)
{
    struct xylem_lmdb__rows *rows = NULL;
    store_builder_must(xylem_lmdb__rows_new(&rows, builder.txn, XYLEM_FORMAT__META, &err), &err);
    assert_string_equal(costs_of(builder.txn).text, "");
    assert_step(rows, XYLEM_LMDB__FIRST, NULL, 1, "meta 1 seek");
    assert_step(rows, XYLEM_LMDB__NEXT, NULL, 1, "meta 1 step");
    assert_step(rows, XYLEM_LMDB__NEXT, NULL, 0, "meta 1 step");
    assert_step(rows, XYLEM_LMDB__LAST, NULL, 1, "meta 1 seek");
    assert_step(rows, XYLEM_LMDB__PREVIOUS, NULL, 1, "meta 1 step");
    assert_step(rows, XYLEM_LMDB__AT, XYLEM_FORMAT__META_FORMAT, 1, "meta 1 seek");
    assert_step(rows, XYLEM_LMDB__AT, "no such row", 0, "meta 1 seek");
    assert_step(rows, XYLEM_LMDB__AT_OR_AFTER, "a", 1, "meta 1 seek");
    xylem_lmdb__rows_free(rows);
}

IN_STORE(a_row_that_is_written_or_removed_is_a_put)
{
    struct xylem_view key = xylem_view_of("key of 8");
    struct xylem_view value = xylem_view_of("value");
    struct xylem_buffer summed = {NULL, 0, 0};
    assert_int_equal(xylem_buffer_add(&summed, "value", 5), 0);
    store_builder_must(xylem_lmdb__put(builder.txn, XYLEM_FORMAT__SOURCES, key, value, false, &err), &err);
    assert_string_equal(costs_of(builder.txn).text, "sources 1 put");
    store_builder_must(xylem_lmdb__put_summed(builder.txn, XYLEM_FORMAT__SOURCES, key, &summed, true, true, &err),
                       &err);
    assert_string_equal(costs_of(builder.txn).text, "sources 2 puts");
    store_builder_must(xylem_lmdb__remove(builder.txn, XYLEM_FORMAT__SOURCES, key, &err), &err);
    assert_string_equal(costs_of(builder.txn).text, "sources 3 puts");
    xylem_buffer_release(&summed);
}

IN_STORE(what_was_not_written_is_not_counted)
{
    struct xylem_view key = xylem_view_of("key of 8");
    store_builder_must(xylem_lmdb__remove(builder.txn, XYLEM_FORMAT__SOURCES, key, &err), &err); /* there is none */
    assert_string_equal(costs_of(builder.txn).text, "");
    store_builder_must(xylem_lmdb__put(builder.txn, XYLEM_FORMAT__SOURCES, key, key, false, &err), &err);
    assert_int_equal(xylem_lmdb__put(builder.txn, XYLEM_FORMAT__SOURCES, key, key, false, &err), XYLEM_E_CORRUPT);
    assert_string_equal(costs_of(builder.txn).text, "sources 1 put");
}

IN_STORE(what_is_refused_is_not_counted)
{
    struct xylem_txn *reader = begin_reading();
    struct xylem_view key = xylem_view_of("key of 8");
    assert_int_equal(xylem_lmdb__put(reader, XYLEM_FORMAT__SOURCES, key, key, false, &err), XYLEM_E_READ_ONLY);
    assert_int_equal(xylem_lmdb__remove(reader, XYLEM_FORMAT__SOURCES, key, &err), XYLEM_E_READ_ONLY);
    assert_string_equal(costs_of(reader).text, "");
    xylem_abort(reader);
}

IN_STORE(records_count_with_header_id_and_links_but_without_payload)
{
    struct xylem_entry entry;
    struct xylem_view payload;
    uint64_t number = store_builder_session(&builder, "s");
    struct xylem_position position = store_builder_add(&builder, number, "four", "message", "{\"long\":[1,2,3,4,5]}");
    struct xylem_txn *reader = begin_reading();
    store_builder_must(xylem_entry_read(&entry, reader, position, &err), &err);
    struct costs costs = costs_of(reader);
    assert_int_equal(costs.counters.record_count, 1);
    assert_int_equal(costs.counters.record_bytes, xylem_format__record_bytes(&entry) - entry.payload_bytes);
    store_builder_must(xylem_entry_payload(&payload, &entry, &err), &err);
    assert_string_equal(costs_of(reader).text, costs.text);
    assert_int_equal(costs_of(reader).counters.record_bytes, costs.counters.record_bytes);
    xylem_abort(reader);
}

IN_STORE(only_records_that_have_their_sum_are_counted)
{
    struct xylem_entry entry;
    uint64_t number = store_builder_session(&builder, "s");
    struct xylem_position position = store_builder_add(&builder, number, "a", "message", NULL);
    store_builder_damage(&builder, position);
    struct xylem_txn *reader = begin_reading();
    assert_int_equal(xylem_entry_read(&entry, reader, position, &err), XYLEM_E_CORRUPT);
    position.depth++;
    /* The rows beside an absent entry are looked at and not counted. Where none proves itself, nothing is absent. */
    assert_int_equal(xylem_entry_read(&entry, reader, position, &err), XYLEM_E_CORRUPT);
    assert_int_equal(costs_of(reader).counters.record_count, 0);
    assert_int_equal(costs_of(reader).counters.record_bytes, 0);
    xylem_abort(reader);
}

/* --- Every public call ------------------------------------------------------------------------------------------- */

/* A session of a root, a label of it, a second branch with a name, and a fork that has an entry of its own. */
struct scene {
    struct xylem_txn *txn;
    uint64_t session;
    uint64_t fork;
    struct xylem_position root;
    struct xylem_position label;
    struct xylem_position other; /* on another branch than the label */
    struct xylem_session row;
};

static int call_session_create(struct scene *scene)
{
    struct xylem_session session;
    return xylem_session_create(&session, scene->txn, NULL, &err);
}

static int call_session_find(struct scene *scene)
{
    struct xylem_session session;
    return xylem_session_find(&session, scene->txn, xylem_view_of("s"), &err);
}

static int call_session_read(struct scene *scene)
{
    return xylem_session_read(&scene->row, scene->txn, scene->session, &err);
}

static int call_sessions(struct scene *scene)
{
    struct xylem_sessions *sessions = NULL;
    struct xylem_session session;
    store_builder_must(xylem_sessions_new(&sessions, scene->txn, &err), &err);
    int code = xylem_sessions_next(&session, sessions, &err);
    xylem_sessions_free(sessions);
    return code;
}

static int call_session_delete(struct scene *scene)
{
    return xylem_session_delete(scene->txn, scene->fork, &err);
}

static int call_session_undelete(struct scene *scene)
{
    int code = xylem_session_delete(scene->txn, scene->session, &err);
    return code < 0 ? code : xylem_session_undelete(scene->txn, scene->session, &err);
}

/* The session goes, but for what the fork shares. */
static int call_gc(struct scene *scene)
{
    int code = xylem_session_delete(scene->txn, scene->session, &err);
    return code < 0 ? code : xylem_gc(NULL, scene->txn, NULL, &err);
}

static int call_entry_read(struct scene *scene)
{
    struct xylem_entry entry;
    return xylem_entry_read(&entry, scene->txn, scene->root, &err);
}

static int call_lease_read(struct scene *scene)
{
    struct xylem_lease_owner owner;
    return xylem_lease_read(&owner, scene->txn, scene->session, &err);
}

static int call_append(struct scene *scene)
{
    struct xylem_new_entry entry = {.id = xylem_view_of("new"), .kind = {XYLEM_CLASS_HOST, xylem_view_of("message")}};
    struct xylem_append_options options = {.parent = XYLEM_PARENT_AT, .parent_position = scene->root};
    return xylem_append(NULL, scene->txn, scene->session, &entry, 1, &options, &err);
}

static int call_find(struct scene *scene)
{
    struct xylem_position position;
    return xylem_find(&position, scene->txn, scene->session, xylem_view_of("root"), &err);
}

static int call_belongs(struct scene *scene)
{
    return xylem_belongs(scene->txn, scene->session, scene->root, &err);
}

static int call_owner(struct scene *scene)
{
    uint64_t session;
    return xylem_owner(&session, scene->txn, scene->root, &err);
}

static int call_walk(struct scene *scene)
{
    struct xylem_walk *walk = NULL;
    struct xylem_entry entry;
    store_builder_must(xylem_walk_new(&walk, scene->txn, scene->label, &err), &err);
    int code = xylem_walk_next(&entry, walk, &err);
    xylem_walk_free(walk);
    return code;
}

static int call_newest_of_kind(struct scene *scene)
{
    struct xylem_entry entry;
    struct xylem_kind kind = {XYLEM_CLASS_HOST, xylem_view_of("message")};
    return xylem_newest_of_kind(&entry, scene->txn, scene->label, kind, &err);
}

static int call_scan(struct scene *scene)
{
    struct xylem_scan *scan = NULL;
    struct xylem_entry entry;
    store_builder_must(xylem_scan_new(&scan, scene->txn, scene->session, &err), &err);
    int code = xylem_scan_next(&entry, scan, &err);
    xylem_scan_free(scan);
    return code;
}

static int call_scan_after(struct scene *scene)
{
    struct xylem_scan *scan = NULL;
    int code = xylem_scan_after(&scan, scene->txn, scene->session, 1, &err);
    xylem_scan_free(scan);
    return code;
}

static int call_ancestor_at(struct scene *scene)
{
    struct xylem_position ancestor;
    return xylem_ancestor_at(&ancestor, scene->txn, scene->label, 1, &err);
}

static int call_common_ancestor(struct scene *scene)
{
    struct xylem_position ancestor;
    return xylem_common_ancestor(&ancestor, scene->txn, scene->label, scene->other, &err);
}

static int call_tips(struct scene *scene)
{
    struct xylem_tips *tips = NULL;
    struct xylem_tip tip;
    store_builder_must(xylem_tips_new(&tips, scene->txn, scene->session, &err), &err);
    int code = xylem_tips_next(&tip, tips, &err);
    xylem_tips_free(tips);
    return code;
}

static int call_navigate(struct scene *scene)
{
    return xylem_navigate(scene->txn, scene->session, scene->root, xylem_view_of("why"), &err);
}

static int call_move_read(struct scene *scene)
{
    struct xylem_move move;
    return xylem_move_read(&move, scene->txn, scene->session, 1, &err);
}

static int call_fork(struct scene *scene)
{
    struct xylem_session session;
    return xylem_fork(&session, scene->txn, scene->session, scene->root, XYLEM_FORK_AT, NULL, &err);
}

static int call_clone(struct scene *scene)
{
    struct xylem_session session;
    return xylem_clone(&session, scene->txn, scene->session, NULL, &err);
}

static int call_labels_read(struct scene *scene)
{
    struct xylem_labels labels;
    int code = xylem_labels_read(&labels, scene->txn, scene->session, &err);
    xylem_labels_release(&labels);
    return code;
}

static int call_outline_read(struct scene *scene)
{
    struct xylem_outline outline;
    return xylem_outline_read(&outline, NULL, scene->txn, &scene->row, &err);
}

static int call_fork_labels(struct scene *scene)
{
    size_t count;
    return xylem_fork_labels(&count, scene->txn, scene->fork, scene->session, &err);
}

static int call_rehydrate(struct scene *scene)
{
    struct xylem_state rehydrated;
    int code = xylem_rehydrate(&rehydrated, scene->txn, scene->label, NULL, NULL, &err);
    xylem_state_release(&rehydrated);
    return code;
}

static int call_reduce(struct scene *scene)
{
    struct xylem_reduction reduction;
    int code = xylem_reduce(&reduction, scene->txn, scene->label, NULL, 0, NULL, &err);
    xylem_reduction_release(&reduction);
    return code;
}

static int swallow(void *context, const void *data, size_t bytes)
{
    (void)context;
    (void)data;
    (void)bytes;
    return 0;
}

static int call_export(struct scene *scene)
{
    return xylem_export(scene->txn, scene->session, NULL, swallow, NULL, &err);
}

static int call_stream(struct scene *scene)
{
    struct xylem_stream *stream = NULL;
    struct xylem_stream_line line;
    store_builder_must(xylem_stream_new(&stream, scene->txn, scene->session, &err), &err);
    int code = xylem_stream_next(&line, stream, &err);
    xylem_stream_free(stream);
    return code;
}

static int call_side_add(struct scene *scene)
{
    const struct xylem_side side = {.bytes = xylem_view_of("a record")};
    return xylem_side_add(NULL, scene->txn, scene->session, &side, &err);
}

static int call_quarantine(struct scene *scene)
{
    struct xylem_quarantine *quarantine = NULL;
    struct xylem_quarantined row;
    store_builder_must(xylem_quarantine_new(&quarantine, scene->txn, scene->session, &err), &err);
    int code = xylem_quarantine_next(&row, quarantine, &err);
    xylem_quarantine_free(quarantine);
    return code;
}

static int call_feed(struct scene *scene)
{
    struct xylem_feed *feed = NULL;
    struct xylem_change change;
    store_builder_must(feed_after(&feed, scene->txn, 0, &err), &err);
    int code = xylem_feed_next(&change, feed, &err);
    xylem_feed_free(feed);
    return code;
}

static int call_verify(struct scene *scene)
{
    return xylem_verify(NULL, scene->txn, NULL, NULL, NULL, &err);
}

static int call_stat(struct scene *scene)
{
    struct xylem_stat stat;
    return xylem_stat_read(&stat, scene->txn, &err);
}

/* `reads` and `writes` are the tables in which the call must have counted gets, seeks or steps; and puts. */
struct call {
    const char *name;
    int (*call)(struct scene *scene);
    const char *reads;
    const char *writes;
};

static const struct call reading_calls[] = {
    {"xylem_session_find", call_session_find, "sessions session_ids", ""},
    {"xylem_session_read", call_session_read, "sessions", ""},
    {"xylem_sessions_next", call_sessions, "sessions", ""},
    {"xylem_entry_read", call_entry_read, "log", ""},
    {"xylem_lease_read", call_lease_read, "meta", ""},
    {"xylem_find", call_find, "sessions log ids", ""},
    {"xylem_belongs", call_belongs, "sessions branches log", ""},
    {"xylem_owner", call_owner, "branches log", ""},
    {"xylem_walk_next", call_walk, "log", ""},
    {"xylem_newest_of_kind", call_newest_of_kind, "log", ""},
    {"xylem_scan_next", call_scan, "sessions branches log", ""},
    {"xylem_scan_after", call_scan_after, "sessions branches log", ""},
    {"xylem_ancestor_at", call_ancestor_at, "branches log", ""},
    {"xylem_common_ancestor", call_common_ancestor, "branches log", ""},
    {"xylem_tips_next", call_tips, "sessions branches log", ""},
    {"xylem_move_read", call_move_read, "sessions moves", ""},
    {"xylem_labels_read", call_labels_read, "sessions branches log", ""},
    {"xylem_outline_read", call_outline_read, "branches log outlines", ""},
    {"xylem_reduce", call_reduce, "log", ""},
    {"xylem_rehydrate", call_rehydrate, "log", ""},
    {"xylem_export", call_export, "sessions branches log sources sides", ""},
    {"xylem_quarantine_next", call_quarantine, "sessions quarantine", ""},
    {"xylem_stream_next", call_stream, "sessions branches log sides", ""},
    {"xylem_feed_next", call_feed, "feed", ""},
    {"xylem_verify", call_verify,
     "meta sessions session_ids branches log ids kinds feed moves sources quarantine outlines sides", ""},
    {"xylem_stat_read", call_stat, "meta sessions log", ""},
};

static const struct call writing_calls[] = {
    {"xylem_session_create", call_session_create, "sessions session_ids feed", "meta sessions session_ids feed"},
    {"xylem_append", call_append, "sessions branches log ids kinds feed", "sessions branches log ids feed"},
    {"xylem_side_add", call_side_add, "sessions feed", "meta sessions feed sides"},
    {"xylem_navigate", call_navigate, "sessions branches log feed", "meta sessions feed moves outlines"},
    {"xylem_fork", call_fork, "sessions session_ids branches log feed", "meta sessions session_ids feed"},
    {"xylem_clone", call_clone, "sessions session_ids feed", "meta sessions session_ids feed"},
    {"xylem_fork_labels", call_fork_labels, "sessions branches log ids kinds feed", "sessions log feed"},
    {"xylem_session_delete", call_session_delete, "sessions feed", "meta sessions feed"},
    {"xylem_session_undelete", call_session_undelete, "sessions feed", "meta sessions feed"},
    {"xylem_gc", call_gc, "meta sessions session_ids branches log feed moves sources quarantine outlines sides",
     "meta sessions session_ids branches log ids feed moves outlines sides"},
};

static bool names(const char *list, const char *name)
{
    size_t bytes = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at += bytes) {
        bool begins = at == list || at[-1] == ' ';
        if (begins && (at[bytes] == ' ' || at[bytes] == '\0')) {
            return true;
        }
    }
    return false;
}

/* The call counts in the tables that are named. Rows of `kinds` and `meta` are read once and kept. */
static void assert_counts(const struct call *call, struct scene *scene)
{
    struct xylem_counters before;
    xylem_counters_read(&before, scene->txn);
    store_builder_must(call->call(scene), &err);
    struct costs costs = costs_since(scene->txn, &before);
    for (unsigned table = 0; table < XYLEM_TABLE_COUNT; table++) {
        const char *name = before.tables[table].name;
        uint64_t reads =
            costs.counters.tables[table].gets + costs.counters.tables[table].seeks + costs.counters.tables[table].steps;
        bool kept = table == XYLEM_FORMAT__KINDS || table == XYLEM_FORMAT__META;
        bool right = names(call->reads, name) ? reads > 0 : reads == 0 || kept;
        if (!right || names(call->writes, name) != (costs.counters.tables[table].puts > 0)) {
            fail_msg("%s: the table %s should be read: %d, and written: %d, but was counted: %s", call->name, name,
                     names(call->reads, name), names(call->writes, name), costs.text);
        }
    }
}

static struct scene make_scene(void)
{
    struct scene scene = {.session = store_builder_session(&builder, "s")};
    scene.root = store_builder_add(&builder, scene.session, "root", "message", NULL);
    scene.label =
        store_builder_add(&builder, scene.session, "label", "label", "{\"targetId\":\"root\",\"label\":\"x\"}");
    scene.other =
        store_builder_add_at(&builder, scene.session, scene.root, "name", "session_info", "{\"name\":\"a name\"}");
    store_builder_go(&builder, scene.session, scene.other);
    scene.fork = store_builder_fork(&builder, scene.session, scene.root, XYLEM_FORK_AT, "fork");
    store_builder_add(&builder, scene.fork, "own", "message", NULL);
    store_builder_commit(&builder);
    return scene;
}

IN_STORE(every_call_that_reads_counts)
{
    struct scene scene = make_scene();
    for (size_t i = 0; i < sizeof reading_calls / sizeof *reading_calls; i++) {
        store_builder_must(xylem_begin(&scene.txn, builder.store, XYLEM_READ, &err), &err);
        store_builder_must(xylem_session_read(&scene.row, scene.txn, scene.session, &err), &err);
        assert_counts(&reading_calls[i], &scene);
        xylem_abort(scene.txn);
    }
}

IN_STORE(every_call_that_writes_counts)
{
    struct scene scene = make_scene();
    for (size_t i = 0; i < sizeof writing_calls / sizeof *writing_calls; i++) {
        store_builder_commit(&builder);
        scene.txn = builder.txn;
        assert_counts(&writing_calls[i], &scene);
    }
}
