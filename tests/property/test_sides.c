/*
 * Sessions of other hosts against a plain model: lists of what was appended. The stream of every session is that of the
 * model after each few steps: in the store, in a store that follows, behind a repair, and when other sessions are gone.
 * XYLEM_SEED repeats a run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "store/side.h"
#include "tests/lib/chance.h"
#include "tests/lib/changes.h"
#include "tests/lib/host_lines.h"
#include "tests/lib/same_session.h"
#include "tests/lib/test.h"
#include "tests/lib/verified.h"
#include "tests/lib/way_out.h"
#include "xylem/append.h"
#include "xylem/care.h"
#include "xylem/inspect.h"
#include "xylem/redact.h"
#include "xylem/segment.h"

#define ENTRIES 160
#define SESSIONS 10
#define EVENTS 120
#define HOLES 3
#define VALUE_BYTES 12
#define STEPS 150

/* A value is text, or the id of the session that reads. */
struct value {
    bool is_id;
    char text[VALUE_BYTES];
};

struct entry {
    int parent;
    int owner;
    bool is_line;
    bool redacted;
    unsigned holes;
    struct value values[HOLES];
    struct xylem_position at;
};

struct event {
    enum { AN_ENTRY, A_RECORD, A_REPEAT, A_SHARED } type;
    int entry;
    uint64_t count;
    char text[24];
    bool redacted;
    uint64_t lsn;
};

struct session {
    char id[16];
    uint64_t number;
    int base; /* -1: none */
    int leaf;
    bool deleted;
    struct event events[EVENTS];
    int event_count;
    bool valued[ENTRIES];
    bool hidden[ENTRIES]; /* the own values are redacted */
    struct value values[ENTRIES][HOLES];
    uint64_t sent; /* changes that the follower has */
};

static struct entry entries[ENTRIES];
static int entry_count;
static struct session sessions[SESSIONS];
static int session_count;
static struct store_builder owner;
static struct store_builder follower;
static struct chance chance;
static struct xylem_error err;

/* --- The model ---------------------------------------------------------------------------------------------------- */

static int depth_of(int entry)
{
    int depth = 0;
    for (; entry >= 0; entry = entries[entry].parent) {
        depth++;
    }
    return depth;
}

static bool belongs(const struct session *session, int entry)
{
    bool found = &sessions[entries[entry].owner] == session;
    for (int at = session->base; at >= 0 && !found; at = entries[at].parent) {
        found = at == entry;
    }
    return found;
}

/* Writes the line of an entry, with < and > around the holes if it is `marked`. */
static void write_line(struct xylem_buffer *out, int number, const struct value *values, const char *id, bool marked)
{
    int code = xylem_base__buffer_add_format(out, "{\"n\":%d", number);
    for (unsigned i = 0; i < entries[number].holes; i++) {
        code |= xylem_base__buffer_add_format(out, ",\"h%u\":\"%s%s%s%s\"", i, marked ? "<" : "",
                                              marked && values[i].is_id ? "#" : "",
                                              values[i].is_id ? id : values[i].text, marked ? ">" : "");
    }
    code |= xylem_base__buffer_add_text(out, ",\"rest\":[1,2]}");
    assert_int_equal(code, XYLEM_OK);
}

static void stream_entry(struct xylem_buffer *out, const struct session *session, int number)
{
    const struct entry *entry = &entries[number];
    if (!entry->is_line) {
        return;
    }
    if (entry->redacted || session->hidden[number]) {
        assert_int_equal(xylem_base__buffer_add_text(out, "redacted"), XYLEM_OK);
    } else {
        write_line(out, number, session->valued[number] ? session->values[number] : entry->values, session->id, false);
    }
    assert_int_equal(xylem_base__buffer_add_text(out, "\n"), XYLEM_OK);
}

/* The last `count` entries of the path of an entry. */
static void stream_path(struct xylem_buffer *out, const struct session *session, int last, uint64_t count)
{
    if (last >= 0 && count > 0) {
        stream_path(out, session, entries[last].parent, count - 1);
        stream_entry(out, session, last);
    }
}

static void model_stream(struct xylem_buffer *out, const struct session *session)
{
    bool placed = false;
    for (int i = 0; i < session->event_count; i++) {
        placed = placed || session->events[i].type == A_SHARED;
    }
    if (!placed) {
        stream_path(out, session, session->base, UINT64_MAX);
    }
    for (int i = 0; i < session->event_count; i++) {
        const struct event *event = &session->events[i];
        if (event->type == AN_ENTRY) {
            stream_entry(out, session, event->entry);
        } else if (event->type == A_RECORD) {
            assert_int_equal(xylem_base__buffer_add_format(out, "%s\n", event->redacted ? "redacted" : event->text),
                             XYLEM_OK);
        } else {
            stream_path(out, session, event->entry, event->count);
        }
    }
}

static void compare_in(struct xylem_txn *txn, const struct session *session)
{
    struct xylem_session row;
    struct xylem_buffer expected = {NULL, 0, 0};
    model_stream(&expected, session);
    store_builder_must(xylem_session_find(&row, txn, xylem_view_of(session->id), &err), &err);
    host_assert_stream(txn, row.number, expected.data ? expected.data : "");
    xylem_buffer_release(&expected);
}

static void compare_all(struct xylem_txn *txn)
{
    for (int i = 0; i < session_count; i++) {
        if (!sessions[i].deleted) {
            compare_in(txn, &sessions[i]);
        }
    }
}

/* --- Steps -------------------------------------------------------------------------------------------------------- */

static struct session *any_session(void)
{
    struct session *session = &sessions[chance_below(&chance, session_count)];
    return session->deleted || session->event_count >= EVENTS - 1 ? NULL : session;
}

/* An entry of the session; -1 if a few tries find none. */
static int any_entry(const struct session *session)
{
    for (int tries = 0; tries < 12 && entry_count > 0; tries++) {
        int entry = chance_below(&chance, entry_count);
        if (belongs(session, entry)) {
            return entry;
        }
    }
    return -1;
}

static struct value any_value(void)
{
    static const char *const texts[] = {"", "a", "bb", "value", "long-value"};
    struct value value = {.is_id = chance_one_in(&chance, 3)};
    (void)snprintf(value.text, sizeof value.text, "%s", texts[chance_below(&chance, 5)]);
    return value;
}

static void make_session(void)
{
    struct session *session = &sessions[session_count];
    struct session *source = session_count > 0 && !chance_one_in(&chance, 4) ? any_session() : NULL;
    int base = source ? any_entry(source) : -1;
    if (session_count == SESSIONS) {
        return;
    }
    memset(session, 0, sizeof *session);
    (void)snprintf(session->id, sizeof session->id, "s%d", session_count);
    session->base = session->leaf = base;
    session->number = base < 0
                          ? store_builder_session(&owner, session->id)
                          : store_builder_fork(&owner, source->number, entries[base].at, XYLEM_FORK_AT, session->id);
    session_count++;
}

static void add_entry(struct session *session)
{
    struct entry *entry = &entries[entry_count];
    char id[16];
    if (entry_count == ENTRIES) {
        return;
    }
    *entry = (struct entry){.parent = session->leaf,
                            .owner = (int)(session - sessions),
                            .is_line = !chance_one_in(&chance, 6),
                            .holes = (unsigned)chance_below(&chance, HOLES + 1)};
    (void)snprintf(id, sizeof id, "e%d", entry_count);
    for (unsigned i = 0; i < HOLES; i++) {
        entry->values[i] = any_value();
    }
    if (entry->is_line) {
        struct xylem_buffer marked = {NULL, 0, 0};
        write_line(&marked, entry_count, entry->values, session->id, true);
        entry->at = host_line_add(&owner, session->number, id, "user", marked.data);
        xylem_buffer_release(&marked);
    } else {
        entry->at = store_builder_add(&owner, session->number, id, "custom:mood", "1");
    }
    session->leaf = entry_count;
    session->events[session->event_count++] = (struct event){.type = AN_ENTRY, .entry = entry_count++};
}

static void add_record(struct session *session)
{
    struct event *event = &session->events[session->event_count++];
    *event = (struct event){.type = A_RECORD};
    (void)snprintf(event->text, sizeof event->text, "record %d", chance_below(&chance, 5));
    event->lsn = host_record_add(&owner, session->number, event->text);
}

static void add_run(struct session *session)
{
    bool shared = session->base >= 0 && chance_one_in(&chance, 4);
    int last = shared ? session->base : any_entry(session);
    for (int i = chance_below(&chance, 3); shared && i > 0 && entries[last].parent >= 0; i--) {
        last = entries[last].parent;
    }
    if (last < 0) {
        return;
    }
    uint64_t count = 1 + (uint64_t)chance_below(&chance, depth_of(last));
    host_run_add(&owner, session->number, shared ? XYLEM_SIDE_SHARED : XYLEM_SIDE_REPEAT, entries[last].at, count);
    session->events[session->event_count++] =
        (struct event){.type = shared ? A_SHARED : A_REPEAT, .entry = last, .count = count};
}

/* The same line as the session reads it gives no row; another gives one, once. */
static void share(struct session *session)
{
    struct value values[HOLES];
    struct xylem_buffer marked = {NULL, 0, 0};
    struct xylem_buffer before = {NULL, 0, 0};
    struct xylem_buffer after = {NULL, 0, 0};
    int number = any_entry(session);
    if (number < 0 || !entries[number].is_line) {
        return;
    }
    const struct entry *entry = &entries[number];
    for (unsigned i = 0; i < HOLES; i++) {
        values[i] = any_value();
    }
    write_line(&marked, number, values, session->id, true);
    write_line(&after, number, values, session->id, false);
    stream_entry(&before, session, number);
    bool gone = entry->redacted || session->hidden[number];
    bool same = !gone && before.bytes == after.bytes + 1 && memcmp(before.data, after.data, after.bytes) == 0;
    bool own = &sessions[entry->owner] == session;
    int expected = own                       ? XYLEM_E_NOT_FOUND
                   : gone                    ? XYLEM_E_REDACTED
                   : same                    ? 0
                   : session->valued[number] ? XYLEM_E_EXISTS
                                             : 1;
    assert_int_equal(host_line_share(&owner, session->number, entry->at, marked.data, &err), expected);
    if (expected == 1) {
        session->valued[number] = true;
        memcpy(session->values[number], values, sizeof values);
    }
    xylem_buffer_release(&marked);
    xylem_buffer_release(&before);
    xylem_buffer_release(&after);
}

static void navigate(struct session *session)
{
    int to = chance_one_in(&chance, 5) ? -1 : any_entry(session);
    store_builder_go(&owner, session->number, to < 0 ? (struct xylem_position){0, 0} : entries[to].at);
    session->leaf = to;
}

static void redact(struct session *session)
{
    const struct xylem_view why = xylem_view_of("why");
    struct event *event =
        session->event_count > 0 ? &session->events[chance_below(&chance, session->event_count)] : NULL;
    int number = any_entry(session);
    if (event && event->type == A_RECORD && chance_one_in(&chance, 2)) {
        store_builder_must(xylem_store__side_redact(owner.txn, session->number, event->lsn, why, &err), &err);
        event->redacted = true;
    } else if (number >= 0) {
        struct xylem_redact_report report;
        const struct xylem_redact_options options = {
            .reason = why, .only_this = true, .drop_hash = chance_one_in(&chance, 3)};
        store_builder_must(xylem_redact(&report, owner.txn, session->number, entries[number].at, &options, &err), &err);
        xylem_redact_report_release(&report);
        entries[number].redacted = true;
        for (int i = 0; i < session_count; i++) {
            sessions[i].hidden[number] = sessions[i].hidden[number] || sessions[i].valued[number];
        }
    }
}

static void step(void)
{
    struct session *session = any_session();
    int what = chance_below(&chance, 20);
    if (!session || what == 0) {
        make_session();
    } else if (what < 7) {
        add_entry(session);
    } else if (what < 11) {
        add_record(session);
    } else if (what < 14) {
        add_run(session);
    } else if (what < 17) {
        share(session);
    } else if (what == 17) {
        navigate(session);
    } else if (what == 18 && chance_one_in(&chance, 2)) {
        redact(session);
    } else if (what == 19) {
        store_builder_commit(&owner);
    }
}

/* --- Elsewhere ---------------------------------------------------------------------------------------------------- */

/* Takes what is new to the follower, bases before their forks. */
static void ship(void)
{
    const struct xylem_apply_options as_follower = {.owner = {"owner", 5}, .epoch = 1};
    for (int i = 0; i < session_count; i++) {
        struct xylem_packing *packing;
        struct xylem_buffer bytes = {NULL, 0, 0};
        struct xylem_segment segment;
        const struct xylem_pack_options options = {.from = sessions[i].sent + 1};
        store_builder_must(xylem_packing_new(&packing, owner.txn, sessions[i].number, &options, &err), &err);
        while (store_builder_must(xylem_packing_next(&bytes, &segment, packing, &err), &err) == 1) {
            struct xylem_apply_report report;
            store_builder_must(xylem_segment_apply(&report, follower.txn, (struct xylem_view){bytes.data, bytes.bytes},
                                                   &as_follower, &err),
                               &err);
            sessions[i].sent = segment.to - 1;
        }
        xylem_packing_free(packing);
        xylem_buffer_release(&bytes);
    }
    for (int i = 0; i < session_count; i++) {
        assert_same_session(owner.txn, follower.txn, sessions[i].id);
    }
    compare_all(follower.txn);
}

static void repair(void)
{
    char to[300];
    struct xylem_repair_report report;
    struct xylem_open_options options = {.read_only = true};
    struct xylem_store *store;
    struct xylem_txn *txn;
    struct changes changes;
    store_builder_commit(&owner);
    (void)snprintf(to, sizeof to, "%s-repaired", owner.path);
    store_builder_must(xylem_repair(&report, owner.path, to, NULL, NULL, NULL, &err), &err);
    assert_true(report.complete);
    store_builder_must(xylem_open(&store, to, &options, &err), &err);
    store_builder_must(xylem_begin(&txn, store, XYLEM_READ, &err), &err);
    assert_verified(txn);
    if (!changes_agree(&changes, txn, true)) {
        fail_msg("%s", changes.problem);
    }
    compare_all(txn);
    xylem_abort(txn);
    assert_int_equal(xylem_close(store, &err), XYLEM_OK);
    test_directory_remove(to);
}

/* Deletes and frees sessions: the others read the same. */
static void free_some(void)
{
    for (int i = 1; i < session_count; i++) { /* a repair needs one */
        if (chance_one_in(&chance, 2)) {
            store_builder_must(xylem_session_delete(owner.txn, sessions[i].number, &err), &err);
            sessions[i].deleted = true;
        }
    }
    store_builder_must(xylem_gc(NULL, owner.txn, NULL, &err), &err);
    compare_all(owner.txn);
    store_builder_commit(&owner);
}

static void run_seed(uint64_t seed)
{
    chance = chance_of(seed);
    entry_count = session_count = 0;
    memset(sessions, 0, sizeof sessions);
    store_builder_open(&owner);
    store_builder_open(&follower);
    make_session();
    for (int i = 0; i < STEPS; i++) {
        step();
        if (chance_one_in(&chance, 10)) {
            compare_all(owner.txn);
        }
        if (chance_one_in(&chance, 40)) {
            ship();
        }
    }
    compare_all(owner.txn);
    ship();
    repair();
    assert_way_out(owner.txn);
    assert_way_out(follower.txn);
    free_some();
    assert_way_out(owner.txn);
    repair();
    store_builder_reopen(&owner);
    compare_all(owner.txn);
    assert_verified(owner.txn);
    assert_changes_agree(owner.txn);
    assert_verified(follower.txn);
    store_builder_close(&owner);
    store_builder_close(&follower);
}

TEST(the_stream_of_each_session_is_that_of_the_model)
{
    test_seeds(run_seed, 60);
}
