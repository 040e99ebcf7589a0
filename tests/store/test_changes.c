/* What a reader of the feed is told: each change once, in the order of lsns, wherever the reader begins. */
#include <inttypes.h>
#include <stdio.h>

#include "store/branch.h"
#include "tests/lib/chance.h"
#include "tests/lib/cursor.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"
#include "tests/lib/verified.h"
#include "tests/store/rows.h"
#include "xylem/append.h"
#include "xylem/care.h"
#include "xylem/feed.h"
#include "xylem/redact.h"

static struct xylem_error err;
static const struct xylem_position none = {0, 0};

static struct xylem_position at(uint64_t branch, uint64_t depth)
{
    return (struct xylem_position){branch, depth};
}

static struct xylem_position append(uint64_t session, struct xylem_position parent, size_t count)
{
    struct xylem_new_entry entries[8] = {{.id = {NULL, 0}}};
    struct xylem_append_options options = {
        .parent_position = parent, .parent = xylem_format__position_none(parent) ? XYLEM_PARENT_NONE : XYLEM_PARENT_AT};
    struct xylem_position first;
    assert_true(count <= 8);
    for (size_t i = 0; i < count; i++) {
        entries[i].kind.name = xylem_view_of("message");
    }
    store_builder_must(xylem_append(&first, builder.txn, session, entries, count, &options, &err), &err);
    return first;
}

static void delete_session(uint64_t session)
{
    store_builder_must(xylem_session_delete(builder.txn, session, &err), &err);
}

static void undelete(uint64_t session)
{
    store_builder_must(xylem_session_undelete(builder.txn, session, &err), &err);
}

static void redact(uint64_t session, struct xylem_position position)
{
    struct xylem_redact_options options = {.reason = xylem_view_of("a key"), .only_this = true};
    struct xylem_redact_report report;
    int code = xylem_redact(&report, builder.txn, session, position, &options, &err);
    xylem_redact_report_release(&report);
    store_builder_must(code, &err);
}

static void note_file(uint64_t session, const char *name)
{
    struct xylem_store__source source = {.name = xylem_view_of(name), .bytes = 10, .lines = 2};
    store_builder_must(xylem_store__source_write(builder.txn, session, &source, &err), &err);
}

static void quarantine(uint64_t session, uint64_t line, const char *raw)
{
    struct xylem_quarantined row = {.line = line, .source = xylem_view_of("/a"), .raw = xylem_view_of(raw)};
    row.hash = xylem_format__hash(row.raw);
    row.raw_bytes = (uint32_t)row.raw.bytes;
    store_builder_must(xylem_store__quarantine_add(builder.txn, session, &row, &err), &err);
}

static void collect(void)
{
    store_builder_must(xylem_gc(NULL, builder.txn, NULL, &err), &err);
}

static uint64_t last_lsn(void)
{
    uint64_t lsn = UINT64_MAX;
    store_builder_must(last_lsn_of(&lsn, builder.txn, &err), &err);
    return lsn;
}

/* --- Fixed stores ------------------------------------------------------------------------------------------------- */

/* Adds "4 entry 1@(1,2)", "5 moved 1#1" or "9 freed 1:ID", with each member that is set. */
static void add_text(char *text, size_t bytes, const struct xylem_change *change)
{
    size_t used = strlen(text);
    assert_true(used + 128 < bytes);
    text += used;
    text += sprintf(text, "%s%" PRIu64 " %s %" PRIu64, used > 0 ? ", " : "", change->lsn,
                    xylem_change_word(change->type), change->session);
    if (!xylem_format__position_none(change->position)) {
        text += sprintf(text, "@(%" PRIu64 ",%" PRIu64 ")", change->position.branch, change->position.depth);
    }
    if (change->move_number != 0) {
        text += sprintf(text, "#%" PRIu64, change->move_number);
    }
    if (change->freed_id.data || change->freed_id.bytes > 0) {
        sprintf(text, ":%.*s", (int)change->freed_id.bytes, change->freed_id.data);
    }
}

static void assert_told(uint64_t after, const char *expected)
{
    char text[2048] = "";
    struct xylem_feed *feed = NULL;
    struct xylem_change change;
    int code;
    store_builder_must(feed_after(&feed, builder.txn, after, &err), &err);
    while ((code = xylem_feed_next(&change, feed, &err)) > 0) {
        add_text(text, sizeof text, &change);
    }
    assert_int_equal(code < 0 ? code : xylem_feed_next(&change, feed, &err), code); /* the end stays the end */
    xylem_feed_free(feed);
    store_builder_must(code, &err);
    assert_string_equal(text, expected);
}

static void assert_refused(uint64_t after)
{
    struct xylem_feed *feed = NULL;
    assert_int_equal(feed_after(&feed, builder.txn, after, &err), XYLEM_E_CONFLICT);
    assert_null(feed);
    assert_non_null(strstr(err.text, "an older copy"));
}

#define IN_STORE(test) TEST_WITH(test, set_up, tear_down)

IN_STORE(every_type_is_told_with_its_members_in_the_order_of_lsns)
{
    uint64_t session = store_builder_session(&builder, "s");
    append(session, none, 3);
    uint64_t fork = store_builder_fork(&builder, session, at(1, 2), XYLEM_FORK_AT, "fork");
    store_builder_go(&builder, session, at(1, 1));
    store_builder_go(&builder, session, none);
    redact(fork, at(1, 2)); /* the fork shares the entry of the session */
    note_file(fork, "/a");
    delete_session(session);
    undelete(session);
    delete_session(session);
    assert_told(0, "1 created 1, 2 entry 1@(1,1), 3 entry 1@(1,2), 4 entry 1@(1,3), 5 forked 2, 6 moved 1#1, 7 moved "
                   "1#2, 8 redacted 1@(1,2), 9 document 2, 10 deleted 1, 11 undeleted 1, 12 deleted 1");
    collect();
    assert_told(0, "1 created 1, 2 entry 1@(1,1), 3 entry 1@(1,2), 5 forked 2, 6 moved 1#1, 7 moved 1#2, 8 redacted "
                   "1@(1,2), 9 document 2, 10 deleted 1, 11 undeleted 1, 12 deleted 1, 13 freed 1:s");
    assert_verified(builder.txn);
}

IN_STORE(an_empty_store_tells_nothing)
{
    assert_int_equal(last_lsn(), 0);
    assert_told(0, "");
    assert_refused(1);
}

IN_STORE(a_reader_begins_in_the_middle_of_a_row_at_the_end_and_not_behind_it)
{
    uint64_t goes = store_builder_session(&builder, "goes"); /* 1 */
    append(goes, none, 4);                                   /* 2-5 */
    uint64_t stays = store_builder_session(&builder, "stays");
    append(stays, none, 4); /* 7-10 */
    delete_session(goes);
    collect();
#define END "11 deleted 1, 12 freed 1:goes"
    assert_told(7, "8 entry 2@(2,2), 9 entry 2@(2,3), 10 entry 2@(2,4), " END);
    assert_told(9, "10 entry 2@(2,4), " END);
    assert_told(10, END);
    for (uint64_t after = 1; after <= 5; after++) { /* before, in and at the end of the freed run */
        assert_told(after, "6 created 2, 7 entry 2@(2,1), 8 entry 2@(2,2), 9 entry 2@(2,3), 10 entry 2@(2,4), " END);
    }
    assert_told(12, "");
    assert_int_equal(last_lsn(), 12);
    assert_refused(13);
    assert_refused(UINT64_MAX);
}

/* Each cursor was the end of its row, and then lies amid the row. */
IN_STORE(a_cursor_stays_good_while_its_row_grows)
{
    enum { COUNT = 6 };
    struct xylem_cursor cursors[COUNT];
    struct xylem_cursor again;
    struct xylem_change change;
    uint64_t session = store_builder_session(&builder, "s");
    for (size_t i = 0; i < COUNT; i++) {
        append(session, at(i > 0, i), 1);
        store_builder_commit(&builder);
        store_builder_must(xylem_feed_last(&cursors[i], builder.txn, &err), &err);
    }
    for (size_t i = 0; i < COUNT; i++) {
        struct xylem_feed *feed = NULL;
        store_builder_must(xylem_feed_new(&feed, builder.txn, &cursors[i], &err), &err);
        for (size_t j = i + 1; j < COUNT; j++) {
            assert_int_equal(xylem_feed_next(&change, feed, &err), 1);
            assert_true(change.lsn == cursors[j].lsn && change.ordinal == change.lsn);
            store_builder_must(xylem_feed_cursor(&again, feed, &err), &err);
            assert_true(again.lsn == cursors[j].lsn && again.chain == cursors[j].chain);
        }
        assert_int_equal(xylem_feed_next(&change, feed, &err), 0);
        xylem_feed_free(feed);
        cursors[i].chain ^= 1;
        assert_int_equal(xylem_feed_new(&feed, builder.txn, &cursors[i], &err), XYLEM_E_CONFLICT);
    }
}

IN_STORE(a_feed_may_end_in_entries_or_in_a_freed_run)
{
    uint64_t session = store_builder_session(&builder, "s");
    append(session, none, 3);
    assert_told(2, "3 entry 1@(1,2), 4 entry 1@(1,3)");
    assert_told(4, "");
    store_builder_must(xylem_store__feed_skip(builder.txn, 9, &err), &err);
    assert_told(2, "3 entry 1@(1,2), 4 entry 1@(1,3)");
    for (uint64_t after = 4; after <= 9; after++) {
        assert_told(after, "");
    }
    assert_refused(10);
    append(session, at(1, 3), 1);
    assert_told(6, "10 entry 1@(1,4)");
}

IN_STORE(a_clone_without_a_base_is_created_and_not_forked)
{
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_clone(&builder, session, "empty");
    append(session, none, 1);
    store_builder_clone(&builder, session, "clone");
    store_builder_fork(&builder, session, at(1, 1), XYLEM_FORK_BEFORE, "before");
    assert_told(0, "1 created 1, 2 created 2, 3 entry 1@(1,1), 4 forked 3, 5 created 4");
}

static void redact_everywhere(uint64_t session, struct xylem_position position, bool drop_hash)
{
    struct xylem_redact_options options = {.reason = xylem_view_of("a key"), .drop_hash = drop_hash};
    struct xylem_redact_report report;
    int code = xylem_redact(&report, builder.txn, session, position, &options, &err);
    xylem_redact_report_release(&report);
    store_builder_must(code, &err);
    store_builder_commit(&builder);
}

IN_STORE(a_redaction_tells_of_each_copy_and_each_line_and_not_of_new_checks)
{
    for (int i = 0; i < 2; i++) {
        uint64_t session = store_builder_session(&builder, i == 0 ? "a" : "b");
        store_builder_add(&builder, session, "x", "message", "{\"n\":1}");
        store_builder_add(&builder, session, "y", "message", NULL);
    }
    quarantine(store_builder_session(&builder, "c"), 1, "{\"id\":\"x\"}\n");
    store_builder_commit(&builder);
    assert_int_equal(last_lsn(), 7); /* the line is a change of a session that was made with it */
    redact_everywhere(2, at(2, 1), false);
    assert_told(7, "8 redacted 1@(1,1), 9 redacted 2@(2,1), 10 document 3");
    redact_everywhere(1, at(1, 1), false); /* nothing more */
    assert_told(10, "");
    redact_everywhere(1, at(1, 2), true);
    assert_told(10, "11 redacted 1@(1,2), 12 redacted 2@(2,2)");
    assert_verified(builder.txn);
}

IN_STORE(what_is_aborted_is_not_told)
{
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_commit(&builder);
    append(session, none, 2);
    store_builder_go(&builder, session, none);
    xylem_abort(builder.txn);
    store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), &err);
    assert_told(0, "1 created 1");
    delete_session(session);
    assert_told(1, "2 deleted 1");
}

IN_STORE(a_row_of_a_floor_is_not_read_and_not_missed)
{
    uint64_t session = store_builder_session(&builder, "s");
    append(session, none, 2);
    floors_put(builder.txn, &(struct xylem_lmdb__floors){.lsn = 20});
    store_builder_must(xylem_store__freed_write(builder.txn, &(struct xylem_store__freed){.entry_count = 17}, &err),
                       &err);
    store_builder_commit(&builder);
    append(session, at(1, 2), 1);
    assert_told(0, "21 entry 1@(1,3)");
    assert_told(7, "21 entry 1@(1,3)");
    assert_told(21, "");
}

TEST(each_type_has_a_word_of_its_own)
{
    assert_string_equal(xylem_change_word(XYLEM_CHANGE_ENTRY), "entry");
    assert_string_equal(xylem_change_word(XYLEM_CHANGE_DOCUMENT), "document");
    for (int i = 0; i < XYLEM_CHANGE_TYPE_COUNT; i++) {
        for (int j = 0; j < i; j++) {
            assert_string_not_equal(xylem_change_word((enum xylem_change_type)i),
                                    xylem_change_word((enum xylem_change_type)j));
        }
    }
    assert_null(xylem_change_word(XYLEM_CHANGE_TYPE_COUNT));
    assert_null(xylem_change_word((enum xylem_change_type) - 1));
}

/* --- A plain model ------------------------------------------------------------------------------------------------ */

#define CHANGES 1024
#define SESSIONS 256

/* The entry or change of an lsn. Entries know their parent by its lsn. */
struct known {
    struct xylem_change change; /* without the id */
    uint64_t parent;            /* an entry's: the lsn of its parent; 0: a root */
    bool redacted;
    bool freed; /* an entry's: nothing tells of it */
    bool needed;
};

struct known_session {
    enum xylem_session_state state;
    uint64_t base; /* the lsn of an entry; 0: none */
    uint64_t leaf;
    uint64_t move_count;
};

/* Index 0 of both lists is unused. */
static struct {
    struct known changes[CHANGES];
    struct known_session sessions[SESSIONS];
    uint64_t last;
    uint64_t session_count;
    uint64_t changed;        /* the session of the last change of the transaction */
    uint64_t document_count; /* files and lines so far: each is another */
    struct chance chance;
} model;

static struct known *add_known(enum xylem_change_type type, uint64_t session)
{
    assert_true(model.last + 1 < CHANGES);
    struct known *known = &model.changes[++model.last];
    *known = (struct known){.change = {.type = type, .lsn = model.last, .session = session}};
    model.changed = session;
    return known;
}

static uint64_t draw(uint64_t bound)
{
    return chance_draw(&model.chance) % bound;
}

/* The id that the session of a number has or had. */
static const char *name_of(uint64_t session)
{
    static char name[32];
    (void)sprintf(name, "session %" PRIu64, session);
    return name;
}

static struct xylem_position position_of(uint64_t lsn)
{
    return lsn == 0 ? none : model.changes[lsn].change.position;
}

/* The lsn of some entry of the session, or 0 if chance finds none. */
static uint64_t draw_entry(uint64_t session)
{
    for (int i = 0; i < 20; i++) {
        uint64_t lsn = 1 + draw(model.last);
        const struct known *known = &model.changes[lsn];
        if (known->change.type == XYLEM_CHANGE_ENTRY && !known->freed &&
            store_builder_must(xylem_belongs(builder.txn, session, known->change.position, &err), &err)) {
            return lsn;
        }
    }
    return 0;
}

/* A session in that state, or 0. */
static uint64_t draw_session(enum xylem_session_state state)
{
    for (int i = 0; i < 20 && model.session_count > 0; i++) {
        uint64_t session = 1 + draw(model.session_count);
        if (model.sessions[session].state == state) {
            return session;
        }
    }
    return 0;
}

static void add_session(enum xylem_change_type type, uint64_t number, uint64_t base)
{
    assert_true(model.session_count + 1 < SESSIONS);
    assert_int_equal(number, ++model.session_count);
    model.sessions[number] = (struct known_session){.base = base, .leaf = base};
    add_known(type, number);
}

static void do_create(void)
{
    add_session(XYLEM_CHANGE_CREATED, store_builder_session(&builder, name_of(model.session_count + 1)), 0);
}

static void do_append(uint64_t session)
{
    struct known_session *known = &model.sessions[session];
    uint64_t parent = draw(3) ? known->leaf : draw_entry(session);
    size_t count = 1 + draw(5);
    struct xylem_position position = append(session, position_of(parent), count);
    for (size_t i = 0; i < count; i++, position.depth++) {
        struct known *entry = add_known(XYLEM_CHANGE_ENTRY, session);
        entry->change.position = position;
        entry->parent = parent;
        parent = model.last;
    }
    known->leaf = model.last;
}

static void do_fork(uint64_t session)
{
    const char *name = name_of(model.session_count + 1);
    uint64_t entry = draw(2) ? draw_entry(session) : 0;
    uint64_t base = entry ? entry : model.sessions[session].leaf;
    uint64_t made = entry ? store_builder_fork(&builder, session, position_of(entry), XYLEM_FORK_AT, name)
                          : store_builder_clone(&builder, session, name);
    add_session(base ? XYLEM_CHANGE_FORKED : XYLEM_CHANGE_CREATED, made, base);
}

static void do_navigate(uint64_t session)
{
    uint64_t to = draw_entry(session);
    store_builder_go(&builder, session, position_of(to));
    model.sessions[session].leaf = to;
    add_known(XYLEM_CHANGE_MOVED, session)->change.move_number = ++model.sessions[session].move_count;
}

/* An entry is told of in the name of its owner, and once. */
static void do_redact(uint64_t session)
{
    uint64_t lsn = draw_entry(session);
    if (lsn != 0) {
        struct known *entry = &model.changes[lsn];
        redact(session, entry->change.position);
        if (!entry->redacted) {
            add_known(XYLEM_CHANGE_REDACTED, entry->change.session)->change.position = entry->change.position;
        }
        entry->redacted = true;
    }
}

static void do_document(uint64_t session)
{
    char name[32];
    (void)sprintf(name, "/%" PRIu64, ++model.document_count);
    if (draw(2)) {
        note_file(session, name);
    } else {
        quarantine(session, model.document_count, "?\n");
    }
    if (model.changed != session) {
        add_known(XYLEM_CHANGE_DOCUMENT, session);
    }
}

static void do_delete(uint64_t session)
{
    delete_session(session);
    model.sessions[session].state = XYLEM_SESSION_DELETED;
    add_known(XYLEM_CHANGE_DELETED, session);
}

static void do_undelete(void)
{
    uint64_t session = draw_session(XYLEM_SESSION_DELETED);
    if (session != 0) {
        undelete(session);
        model.sessions[session].state = XYLEM_SESSION_LIVE;
        add_known(XYLEM_CHANGE_UNDELETED, session);
    }
}

/* Kept are the entries of live sessions, and the paths of the bases of live sessions. */
static void free_unneeded(void)
{
    for (uint64_t lsn = 1; lsn <= model.last; lsn++) {
        model.changes[lsn].needed = model.sessions[model.changes[lsn].change.session].state == XYLEM_SESSION_LIVE;
    }
    for (uint64_t session = 1; session <= model.session_count; session++) {
        uint64_t lsn = model.sessions[session].state == XYLEM_SESSION_LIVE ? model.sessions[session].base : 0;
        for (; lsn != 0; lsn = model.changes[lsn].parent) {
            model.changes[lsn].needed = true;
        }
    }
    for (uint64_t lsn = 1; lsn <= model.last; lsn++) {
        bool entry = model.changes[lsn].change.type == XYLEM_CHANGE_ENTRY;
        model.changes[lsn].freed |= entry && !model.changes[lsn].needed;
    }
}

static void do_collect(void)
{
    if (draw(2)) {
        collect();
    } else { /* in transactions of its own */
        struct xylem_txn *txn = builder.txn;
        builder.txn = NULL;
        store_builder_must(xylem_commit(txn, &err), &err);
        int code = xylem_gc_write(NULL, builder.store, NULL, &err);
        store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), &err);
        store_builder_must(code, &err);
        model.changed = 0;
    }
    free_unneeded();
    for (uint64_t session = model.session_count; session > 0; session--) { /* the newest first */
        if (model.sessions[session].state == XYLEM_SESSION_DELETED) {
            model.sessions[session].state = XYLEM_SESSION_FREED;
            add_known(XYLEM_CHANGE_FREED, session);
        }
    }
}

static void do_something(void)
{
    static void (*const of_session[])(uint64_t session) = {do_append,   do_append, do_append,   do_fork,
                                                           do_navigate, do_redact, do_document, do_delete};
    uint64_t what = draw(12);
    uint64_t session = draw_session(XYLEM_SESSION_LIVE);
    if (what < 8 && session != 0) {
        of_session[what](session);
    } else if (what == 8) {
        do_undelete();
    } else if (what == 9 && draw(3) == 0) {
        do_collect();
    } else if (what == 10) {
        store_builder_commit(&builder);
        model.changed = 0;
    } else {
        do_create();
    }
}

/* The lsn of the next change behind an lsn, or 0. */
static uint64_t known_behind(uint64_t lsn)
{
    while (++lsn <= model.last) {
        if (!model.changes[lsn].freed) {
            return lsn;
        }
    }
    return 0;
}

static void assert_known(const struct xylem_change *change, uint64_t lsn)
{
    const struct xylem_change *known = &model.changes[lsn].change;
    if (lsn == 0 || change->lsn != lsn || change->type != known->type || change->session != known->session ||
        !xylem_format__position_equal(change->position, known->position) || change->move_number != known->move_number) {
        char text[512] = "";
        char expected[512] = "";
        add_text(text, sizeof text, change);
        add_text(expected, sizeof expected, known);
        fail_msg("expected '%s', found '%s'", lsn == 0 ? "the end" : expected, text);
    }
    if (change->type == XYLEM_CHANGE_FREED) {
        const char *name = name_of(change->session);
        assert_int_equal(change->freed_id.bytes, strlen(name));
        assert_memory_equal(change->freed_id.data, name, strlen(name));
    } else {
        assert_null(change->freed_id.data);
        assert_int_equal(change->freed_id.bytes, 0);
    }
}

/* Reads at most `count` changes as the model knows them. Gives the lsn of the last, or `after` at the end. */
static uint64_t read_known(struct xylem_txn *txn, uint64_t after, uint64_t count, bool *ended)
{
    struct xylem_feed *feed = NULL;
    struct xylem_change change;
    int found = 1;
    store_builder_must(feed_after(&feed, txn, after, &err), &err);
    while (count-- > 0 && (found = xylem_feed_next(&change, feed, &err)) > 0) {
        after = known_behind(after);
        assert_known(&change, after);
    }
    xylem_feed_free(feed);
    store_builder_must(found, &err);
    if (found == 0) {
        assert_int_equal(known_behind(after), 0);
    }
    *ended = found == 0;
    return after;
}

/* Goes on behind the last change, each time in another transaction. */
static void assert_known_in_pieces(void)
{
    uint64_t after = 0;
    bool ended = false;
    store_builder_commit(&builder);
    model.changed = 0;
    while (!ended) {
        struct xylem_txn *reader = NULL;
        store_builder_must(xylem_begin(&reader, builder.store, XYLEM_READ, &err), &err);
        after = read_known(reader, after, 1 + draw(9), &ended);
        xylem_abort(reader);
    }
}

static void run_seed(uint64_t seed)
{
    bool ended;
    memset(&model, 0, sizeof model);
    model.chance = chance_of(seed);
    store_builder_open(&builder);
    for (int i = 0; i < 150; i++) {
        do_something();
        assert_int_equal(last_lsn(), model.last);
        read_known(builder.txn, draw(model.last + 1), UINT64_MAX, &ended);
    }
    for (uint64_t after = 0; after <= model.last; after++) {
        read_known(builder.txn, after, UINT64_MAX, &ended);
    }
    assert_refused(model.last + 1);
    assert_known_in_pieces();
    assert_verified(builder.txn);
    store_builder_close(&builder);
}

TEST(each_change_is_told_once_wherever_a_reader_begins)
{
    test_seeds(run_seed, test_rounds(40));
}

/* --- Damage ------------------------------------------------------------------------------------------------------- */

/* What was told before the damage. */
static struct {
    struct xylem_change changes[CHANGES];
    size_t count;
    uint64_t last;
} told;

static void note_told(void)
{
    struct xylem_feed *feed = NULL;
    struct xylem_change change;
    int code;
    told.count = 0;
    told.last = last_lsn();
    store_builder_must(feed_after(&feed, builder.txn, 0, &err), &err);
    while ((code = xylem_feed_next(&change, feed, &err)) > 0) {
        assert_true(told.count < CHANGES);
        told.changes[told.count++] = change;
    }
    xylem_feed_free(feed);
    store_builder_must(code, &err);
}

static bool same_change(const struct xylem_change *a, const struct xylem_change *b)
{
    return a->type == b->type && a->lsn == b->lsn && a->session == b->session &&
           xylem_format__position_equal(a->position, b->position) && a->move_number == b->move_number &&
           a->freed_id.bytes == b->freed_id.bytes;
}

/* 0 if the reader tells all that is behind the lsn, or CORRUPT after a right beginning, again at each further call. */
static int read_damaged(uint64_t after)
{
    struct xylem_feed *feed = NULL;
    struct xylem_change change;
    size_t next = 0;
    int found = feed_after(&feed, builder.txn, after, &err);
    while (next < told.count && told.changes[next].lsn <= after) {
        next++;
    }
    while (found >= 0 && (found = xylem_feed_next(&change, feed, &err)) > 0) {
        if (next == told.count || !same_change(&change, &told.changes[next])) {
            fail_msg("behind lsn %" PRIu64 ": lsn %" PRIu64 " is told wrongly, or others are missing", after,
                     change.lsn);
        }
        next++;
    }
    assert_true(found == XYLEM_E_CORRUPT || (found == 0 && next == told.count));
    for (int i = 0; feed && i < 2; i++) {
        int again = xylem_feed_next(&change, feed, &err);
        assert_true(again == found || (found == 0 && again == XYLEM_E_CORRUPT)); /* the end may read the rows anew */
    }
    xylem_feed_free(feed);
    return found;
}

/* Rows of every kind. */
static void fill(size_t rounds)
{
    for (size_t i = 0; i < rounds; i++) {
        char id[3][32];
        for (size_t j = 0; j < 3; j++) {
            (void)snprintf(id[j], sizeof id[j], "%zu %zu", i, j);
        }
        uint64_t stays = store_builder_session(&builder, id[0]);
        uint64_t goes = store_builder_session(&builder, id[1]);
        struct xylem_position first = append(stays, none, 3);
        append(goes, none, 2);
        redact(stays, first);
        store_builder_go(&builder, stays, first);
        store_builder_fork(&builder, stays, first, XYLEM_FORK_AT, id[2]);
        note_file(stays, "/a");
        delete_session(goes);
        undelete(goes);
        delete_session(goes);
        collect();
        store_builder_must(xylem_store__feed_skip(builder.txn, last_lsn() + 3, &err), &err);
    }
}

IN_STORE(a_lost_row_of_the_feed_is_corruption_and_never_a_gap)
{
    fill(test_rounds(40));
    note_told();
    struct rows rows = rows_of(builder.txn, XYLEM_FORMAT__FEED);
    for (size_t i = 0; i < rows.count; i++) {
        struct xylem_store__feed row = feed_of(&rows.rows[i]);
        row_remove(builder.txn, XYLEM_FORMAT__FEED, &rows.rows[i]);
        assert_int_equal(read_damaged(0), XYLEM_E_CORRUPT);
        for (uint64_t after = row.first_lsn - 1; after < row.last_lsn; after++) {
            assert_int_equal(read_damaged(after), XYLEM_E_CORRUPT);
        }
        assert_int_equal(read_damaged(row.last_lsn), 0); /* nobody needs the row */
        row_put(builder.txn, XYLEM_FORMAT__FEED, &rows.rows[i]);
    }
    rows_release(&rows);
    assert_int_equal(read_damaged(0), 0);
}

IN_STORE(many_lost_rows_at_the_end_are_corruption_too)
{
    fill(1);
    note_told();
    struct rows rows = rows_of(builder.txn, XYLEM_FORMAT__FEED);
    for (size_t i = rows.count; i-- > 0;) {
        struct xylem_store__feed row = feed_of(&rows.rows[i]);
        row_remove(builder.txn, XYLEM_FORMAT__FEED, &rows.rows[i]);
        for (uint64_t after = 0; after < told.last; after++) {
            assert_int_equal(read_damaged(after), XYLEM_E_CORRUPT);
        }
        assert_int_equal(read_damaged(told.last), 0);
        assert_true(row.first_lsn >= 1);
    }
    rows_release(&rows);
}

/* Flips bits where they lie: a damaged key is out of order then, and leads a search astray. */
static void flip_all(MDB_val *bytes, uint64_t last_lsn_of_row)
{
    unsigned char *place = bytes->mv_data;
    for (size_t bit = 0; bit < bytes->mv_size * 8; bit++) {
        place[bit / 8] ^= (unsigned char)(1u << bit % 8);
        for (uint64_t after = 0; after <= told.last; after++) {
            int code = read_damaged(after);
            if (after < last_lsn_of_row && code == 0) {
                fail_msg("bit %zu of the row that ends in lsn %" PRIu64 ": not seen behind lsn %" PRIu64, bit,
                         last_lsn_of_row, after);
            }
        }
        place[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
}

IN_STORE(a_flipped_bit_of_a_row_is_corruption)
{
    MDB_cursor *cursor = NULL;
    MDB_val key;
    MDB_val value;
    fill(1); /* not committed: its pages are memory that may be written to */
    note_told();
    assert_int_equal(mdb_cursor_open(builder.txn->mdb, builder.txn->env->tables[XYLEM_FORMAT__FEED], &cursor), 0);
    while (mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0) {
        struct row row = {{NULL, 0, 0}, {NULL, 0, 0}};
        copy_bytes(&row.key, key.mv_data, key.mv_size);
        copy_bytes(&row.value, value.mv_data, value.mv_size);
        uint64_t last = feed_of(&row).last_lsn;
        row_release(&row);
        flip_all(&key, last);
        flip_all(&value, last);
    }
    mdb_cursor_close(cursor);
    assert_int_equal(read_damaged(0), 0);
}

/* A row with a right sum that tells the lsns of another row once more, or too few. */
IN_STORE(a_row_that_overlaps_or_ends_early_is_corruption)
{
    static const unsigned char counts[] = {1, 3, 4, 100};
    uint64_t session = store_builder_session(&builder, "s");
    append(session, none, 2);
    store_builder_go(&builder, session, none);
    note_told();
    struct rows rows = rows_of(builder.txn, XYLEM_FORMAT__FEED);
    for (size_t i = 0; i < sizeof counts; i++) {
        struct row *row = &rows.rows[1];
        row->value.data[3] = (char)counts[i];
        row_sum(XYLEM_FORMAT__FEED, row);
        row_put(builder.txn, XYLEM_FORMAT__FEED, row);
        struct xylem_feed *feed = NULL;
        struct xylem_change change;
        int code;
        store_builder_must(feed_after(&feed, builder.txn, 0, &err), &err);
        while ((code = xylem_feed_next(&change, feed, &err)) > 0) {
        }
        xylem_feed_free(feed);
        assert_int_equal(code, XYLEM_E_CORRUPT);
    }
    rows_release(&rows);
}

IN_STORE(entries_of_a_branch_without_a_row_are_of_no_session)
{
    uint64_t session = store_builder_session(&builder, "s");
    append(session, none, 2);
    note_told();
    struct row row = row_last(builder.txn, XYLEM_FORMAT__BRANCHES);
    row_remove(builder.txn, XYLEM_FORMAT__BRANCHES, &row);
    row_release(&row);
    assert_int_equal(read_damaged(0), XYLEM_E_CORRUPT);
    assert_int_equal(read_damaged(2), XYLEM_E_CORRUPT);
    assert_int_equal(read_damaged(3), 0);
}

/* The number of given lsns rests on the log and on two rows of `meta`. */
IN_STORE(a_feed_that_tells_more_than_was_given_is_corruption)
{
    uint64_t session = store_builder_session(&builder, "s");
    append(session, none, 2);
    note_told();
    store_builder_drop(&builder, at(1, 2));
    assert_int_equal(read_damaged(0), XYLEM_E_CORRUPT);
}
