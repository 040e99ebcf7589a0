/*
 * Bytes as calls of the library on a sound store: create, append in all ways, fork, clone, navigate, delete, undelete,
 * gc, redact, leases of two handles, find, walk, labels, states, export, import, commit, abort. A small model of what
 * the store must hold stands beside it; at the end everything is asked of a store that was opened anew, and
 * verification finds nothing.
 *
 * Input: a byte that chooses the call, and the bytes that it takes for its choices; where they end, chance is 0.
 */
#include <stdint.h>

#include "base/bytes.h"
#include "xylem/append.h"
#include "xylem/branch.h"
#include "xylem/care.h"
#include "xylem/feed.h"
#include "xylem/inspect.h"
#include "xylem/lease.h"
#include "xylem/outline.h"
#include "xylem/redact.h"
#include "xylem/state.h"
#include "tests/fuzz/scratch.h"
#include "tests/lib/changes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SESSIONS_MAX 12
#define ENTRIES_MAX 400
#define CALLS_MAX 160u
#define BATCH_MAX 5u
#define NO_ONE (-1)

struct known_entry {
    struct xylem_position position;
    int parent; /* index, or NO_ONE */
    int owner;  /* session */
    bool freed;
    bool redacted; /* a copy of one that was redacted may be too, and is not known to be */
    bool dropped;  /* its hash */
    char id[24];
};

struct known_session {
    uint64_t number;
    char id[16];
    int base; /* entry, or NO_ONE */
    int leaf;
    uint64_t move_count;
    enum { LIVE, DELETED, FREED, GONE } state; /* FREED: others share what is left of it */
    int row_owner;                             /* whose lease the store knows of: a handle's number, or 0 */
};

struct model {
    struct known_session sessions[SESSIONS_MAX];
    int session_count;
    struct known_entry entries[ENTRIES_MAX];
    int entry_count;
    uint64_t lsn_count;
};

static struct model model;     /* as the open transaction has it */
static struct model committed; /* as it was after the last commit */
static struct xylem_store *store;
static struct xylem_store *lessee; /* a second handle, which only takes leases; or NULL */
static struct xylem_txn *txn;
/* By the session's index and the handle's number, 1 for `store` and 2 for `lessee`. Not part of any transaction. */
static struct xylem_lease *leases[SESSIONS_MAX][3];
static struct xylem_base__cursor input;
static struct xylem_error err;

/* --- Choices ------------------------------------------------------------------------------------------------------ */

static unsigned choose(unsigned bound)
{
    return input.left == 0 ? 0 : xylem_base__read_u8(&input) % bound;
}

static struct known_session *choose_session(void)
{
    return model.session_count == 0 ? NULL : &model.sessions[choose((unsigned)model.session_count)];
}

static int index_of(const struct known_session *session)
{
    return (int)(session - model.sessions);
}

static bool is_on_path(int entry, int from)
{
    while (from != NO_ONE && from > entry) {
        from = model.entries[from].parent;
    }
    return from == entry;
}

static bool belongs(const struct known_session *session, int entry)
{
    if (model.entries[entry].freed) {
        return false;
    }
    return model.entries[entry].owner == index_of(session) ||
           (session->base != NO_ONE && is_on_path(entry, session->base));
}

/* Any entry, mostly one of the session; NO_ONE if there is none. */
static int choose_entry(const struct known_session *session)
{
    if (model.entry_count == 0) {
        return NO_ONE;
    }
    int wanted = (int)((choose(256) << 8 | choose(256)) % (unsigned)model.entry_count);
    for (int i = 0; i < model.entry_count; i++) {
        int entry = (wanted + i) % model.entry_count;
        if (belongs(session, entry)) {
            return entry;
        }
    }
    return NO_ONE;
}

static struct xylem_position position_of(int entry)
{
    return entry == NO_ONE ? (struct xylem_position){0, 0} : model.entries[entry].position;
}

static bool same(struct xylem_position a, struct xylem_position b)
{
    return a.branch == b.branch && a.depth == b.depth;
}

/* What every call answers that needs a live session. */
static int refusal(const struct known_session *session)
{
    static const int codes[] = {XYLEM_OK, XYLEM_E_DELETED, XYLEM_E_FREED, XYLEM_E_NOT_FOUND};
    return codes[session->state];
}

/* Another handle has the lease, or broke the one that `store` took. */
static bool is_leased_away(const struct known_session *session)
{
    bool own = leases[index_of(session)][1] != NULL;
    return own ? session->row_owner != 1 : session->row_owner != 0;
}

static int write_refusal(const struct known_session *session)
{
    int code = refusal(session);
    return code < 0 ? code : is_leased_away(session) ? XYLEM_E_CONFLICT : XYLEM_OK;
}

/* --- Calls that write --------------------------------------------------------------------------------------------- */

static void call_create(void)
{
    struct xylem_session row;
    struct known_session *session = &model.sessions[model.session_count];
    if (model.session_count == SESSIONS_MAX) {
        return;
    }
    (void)snprintf(session->id, sizeof session->id, "s%u", choose(24));
    struct xylem_session_options options = {.id = xylem_view_of(session->id), .cwd = xylem_view_of("/w")};
    bool taken = false;
    for (int i = 0; i < model.session_count; i++) {
        taken = taken || strcmp(model.sessions[i].id, session->id) == 0;
    }
    int code = xylem_session_create(&row, txn, &options, &err);
    must(code == (taken ? XYLEM_E_EXISTS : XYLEM_OK), "a session is created, or not, against its id");
    if (code == XYLEM_OK) {
        session->number = row.number;
        session->base = session->leaf = NO_ONE;
        session->move_count = 0;
        session->state = LIVE;
        session->row_owner = 0;
        model.session_count++;
        model.lsn_count++;
    }
}

/* Payloads that mean something to a reducer, or to labels, and some that do not. */
static struct xylem_new_entry make_entry(void)
{
    static const struct {
        enum xylem_class kind_class;
        const char *name;
        const char *json; /* NULL: none */
    } kinds[] = {
        {XYLEM_CLASS_HOST, "message", NULL},
        {XYLEM_CLASS_HOST, "message", "{\"message\":{\"role\":\"user\"}}"},
        {XYLEM_CLASS_CUSTOM, "readonly", "{\"enabled\":true}"},
        {XYLEM_CLASS_CUSTOM, "readonly", "{\"enabled\":false}"},
        {XYLEM_CLASS_CUSTOM, "readonly", "[1]"},
        {XYLEM_CLASS_CUSTOM, "readonly-nudge", "{\"direction\":\"on\",\"delivered\":true}"},
        {XYLEM_CLASS_CUSTOM, "sequence", "{\"version\":1,\"sequenceId\":\"q\",\"steps\":[\"a\"],\"updatedAt\":1}"},
        {XYLEM_CLASS_HOST, "label", "{\"targetId\":\"e1\",\"label\":\"one\"}"},
        {XYLEM_CLASS_HOST, "label", "{\"targetId\":\"e2\"}"},
        {XYLEM_CLASS_HOST, "session_info", "{\"name\":\"named\"}"},
        {XYLEM_CLASS_HOST, "a:b\\c", "1"},
        {XYLEM_CLASS_CUSTOM, "", "null"},
    };
    unsigned kind = choose(sizeof kinds / sizeof *kinds);
    static const int64_t early = -1;
    return (struct xylem_new_entry){.kind = {kinds[kind].kind_class, xylem_view_of(kinds[kind].name)},
                                    .time_ms = choose(3) == 0 ? &early : NULL,
                                    .format = kinds[kind].json ? XYLEM_FORMAT_JSON : XYLEM_FORMAT_NONE,
                                    .payload = xylem_view_of(kinds[kind].json)};
}

/* Is the id that of an entry of the session, or given twice in the batch? */
static bool id_is_taken(const struct known_session *session, char (*ids)[24], unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        for (int entry = 0; ids[i][0] != '\0' && entry < model.entry_count; entry++) {
            if (strcmp(model.entries[entry].id, ids[i]) == 0 && belongs(session, entry)) {
                return true;
            }
        }
        for (unsigned other = 0; ids[i][0] != '\0' && other < i; other++) {
            if (strcmp(ids[other], ids[i]) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* The entries of an append are in the model, and the leaf is where it should be. */
static void note_append(struct known_session *session, struct xylem_position first, int parent, char (*ids)[24],
                        unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct known_entry *known = &model.entries[model.entry_count];
        struct xylem_entry entry;
        known->position = (struct xylem_position){first.branch, first.depth + i};
        known->parent = i == 0 ? parent : model.entry_count - 1;
        known->owner = index_of(session);
        must_work(xylem_entry_read(&entry, txn, known->position, &err), &err, "an entry that was appended");
        must(entry.id.bytes <= XYLEM_ENTRY_ID_BYTES_MAX && same(entry.parent, position_of(known->parent)),
             "an entry has another parent than it was given");
        must(entry.lsn == ++model.lsn_count, "lsns are not consecutive");
        (void)snprintf(known->id, sizeof known->id, "%s", ids[i]);
        model.entry_count++;
    }
    session->leaf = model.entry_count - 1;
}

/* What is said of an entry that is named, but none of the session's; XYLEM_OK if it is. */
static int absence(const struct known_session *session, int entry)
{
    return entry == NO_ONE || belongs(session, entry) ? XYLEM_OK
           : model.entries[entry].freed               ? XYLEM_E_FREED
                                                      : XYLEM_E_NOT_FOUND;
}

static int expected_code(const struct known_session *session, int absent, bool conflict, bool taken)
{
    int code = write_refusal(session);
    return code < 0 ? code : conflict ? XYLEM_E_CONFLICT : absent < 0 ? absent : taken ? XYLEM_E_EXISTS : XYLEM_OK;
}

static void call_append(void)
{
    struct known_session *session = choose_session();
    struct xylem_new_entry entries[BATCH_MAX];
    char ids[BATCH_MAX][24] = {{0}};
    unsigned count = 1 + choose(BATCH_MAX);
    if (!session || model.entry_count + (int)count > ENTRIES_MAX) {
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        entries[i] = make_entry();
        if (choose(2) == 0) {
            (void)snprintf(ids[i], sizeof ids[i], "e%u", choose(40));
            entries[i].id = xylem_view_of(ids[i]);
        }
    }
    unsigned way = choose(8);
    int parent = session->leaf;
    struct xylem_append_options options = {.parent = XYLEM_PARENT_LEAF};
    struct xylem_position expected = position_of(session->leaf);
    int absent = XYLEM_OK;
    if (way == 1) {
        options.parent = XYLEM_PARENT_NONE;
        parent = NO_ONE;
    } else if (way >= 2 && way <= 5 && model.entry_count > 0) {
        parent = way == 5 ? (int)(choose(256) % (unsigned)model.entry_count) : choose_entry(session);
        options.parent = parent == NO_ONE ? XYLEM_PARENT_NONE : XYLEM_PARENT_AT;
        options.parent_position = position_of(parent);
        absent = absence(session, parent);
    }
    unsigned expecting = choose(4);
    options.expected_leaf = expecting == 0 ? NULL : &expected;
    bool conflict = expecting == 3;
    expected.depth += conflict ? 1 : 0;
    struct xylem_position first = {0, 0};
    int code = xylem_append(&first, txn, session->number, entries, count, &options, &err);
    must(code == expected_code(session, absent, conflict, id_is_taken(session, ids, count)),
         "an append ended in another way than it should");
    if (code == XYLEM_OK) {
        note_append(session, first, parent, ids, count);
    } else {
        must(err.text[0] != '\0', "an error without its text");
    }
}

static void call_fork(bool is_clone)
{
    struct known_session *source = choose_session();
    struct known_session *session = &model.sessions[model.session_count];
    struct xylem_session row;
    if (!source || model.session_count == SESSIONS_MAX) {
        return;
    }
    int at = is_clone ? source->leaf : choose_entry(source);
    enum xylem_fork_kind kind = choose(2) == 0 ? XYLEM_FORK_AT : XYLEM_FORK_BEFORE;
    if (at == NO_ONE && !is_clone) {
        return;
    }
    int code = is_clone ? xylem_clone(&row, txn, source->number, NULL, &err)
                        : xylem_fork(&row, txn, source->number, position_of(at), kind, NULL, &err);
    must(code == refusal(source), "a fork ended in another way than it should");
    if (code == XYLEM_OK) {
        *session = (struct known_session){.number = row.number, .id = ""};
        session->base = session->leaf = !is_clone && kind == XYLEM_FORK_BEFORE ? model.entries[at].parent : at;
        model.session_count++;
        model.lsn_count++;
        must(same(row.leaf, position_of(session->leaf)) && same(row.base, row.leaf), "a fork begins elsewhere");
    }
}

static void call_navigate(void)
{
    struct known_session *session = choose_session();
    if (!session) {
        return;
    }
    int to = choose(6) == 0 ? NO_ONE : choose_entry(session);
    if (choose(8) == 0 && model.entry_count > 0) {
        to = (int)(choose(256) % (unsigned)model.entry_count);
    }
    int code = xylem_navigate(txn, session->number, position_of(to), xylem_view_of("fuzz"), &err);
    int wanted = write_refusal(session);
    wanted = wanted < 0 ? wanted : absence(session, to);
    must(code == wanted, "a navigation ended in another way than it should");
    if (code == XYLEM_OK) {
        session->leaf = to;
        session->move_count++;
        model.lsn_count++;
    }
}

static void call_delete(void)
{
    struct known_session *session = choose_session();
    if (session && choose(3) == 0) {
        int code = xylem_session_delete(txn, session->number, &err);
        must(code == write_refusal(session), "a deletion ended in another way than it should");
        session->state = code == XYLEM_OK ? DELETED : session->state;
        model.lsn_count += code == XYLEM_OK;
    }
}

static void call_undelete(void)
{
    static const int codes[] = {XYLEM_E_EXISTS, XYLEM_OK, XYLEM_E_FREED, XYLEM_E_NOT_FOUND};
    struct known_session *session = choose_session();
    if (!session) {
        return;
    }
    int wanted = codes[session->state];
    wanted = wanted == XYLEM_OK && is_leased_away(session) ? XYLEM_E_CONFLICT : wanted;
    must(xylem_session_undelete(txn, session->number, &err) == wanted, "an undeletion ended in another way");
    session->state = wanted == XYLEM_OK ? LIVE : session->state;
    model.lsn_count += wanted == XYLEM_OK;
}

/* Does a session that is not deleted need the entry? */
static bool is_needed(int entry)
{
    const struct known_session *owner = &model.sessions[model.entries[entry].owner];
    bool needed = owner->state == LIVE;
    for (int i = 0; i < model.session_count && !needed; i++) {
        const struct known_session *session = &model.sessions[i];
        needed = session->state == LIVE && session->base != NO_ONE && is_on_path(entry, session->base);
    }
    return needed;
}

/* What a session is that was deleted and is collected: its row is read, as its base may be another one now. */
static void note_collected(struct known_session *session)
{
    struct xylem_session row;
    bool anything = false;
    for (int i = 0; i < model.entry_count; i++) {
        anything = anything || (model.entries[i].owner == index_of(session) && !model.entries[i].freed);
    }
    session->state = anything ? FREED : GONE;
    session->id[0] = '\0';
    session->base = session->leaf = NO_ONE;
    session->move_count = 0;
    session->row_owner = 0;
    int code = xylem_session_read(&row, txn, session->number, &err);
    must(code == (anything ? XYLEM_OK : XYLEM_E_NOT_FOUND), "a collected session is there, or not, against the model");
    for (int i = 0; anything && i < model.entry_count; i++) {
        session->base = same(row.base, position_of(i)) ? i : session->base;
    }
}

static void call_gc(void)
{
    struct xylem_gc_report done;
    struct xylem_gc_options options = {.dry_run = choose(3) == 0};
    uint64_t freed = 0;
    must_work(xylem_gc(&done, txn, &options, &err), &err, "a collection");
    for (int i = 0; i < model.entry_count; i++) {
        struct known_entry *entry = &model.entries[i];
        bool frees = !entry->freed && !is_needed(i);
        freed += frees;
        entry->freed = entry->freed || (frees && !options.dry_run);
    }
    must(done.entry_count == freed, "a collection frees another number of entries");
    for (int i = 0; i < model.session_count && !options.dry_run; i++) {
        model.lsn_count += model.sessions[i].state == DELETED;
        if (model.sessions[i].state == DELETED || model.sessions[i].state == FREED) {
            note_collected(&model.sessions[i]);
        }
    }
}

/* The last lsn after a call that gives so many, and maybe some for documents. */
static void note_lsns(uint64_t least, bool may_be_more)
{
    struct xylem_cursor last;
    must_work(xylem_feed_last(&last, txn, &err), &err, "the last lsn");
    least += model.lsn_count;
    must(may_be_more ? last.lsn >= least : last.lsn == least, "a call gave another number of lsns");
    model.lsn_count = last.lsn;
}

static void call_redact(void)
{
    struct known_session *session = choose_session();
    if (!session || model.entry_count == 0) {
        return;
    }
    int at = choose(4) == 0 ? (int)(choose(256) % (unsigned)model.entry_count) : choose_entry(session);
    struct xylem_redact_options options = {.reason = xylem_view_of("fuzz"),
                                           .drop_hash = choose(2) == 0,
                                           .only_this = choose(3) == 0,
                                           .dry_run = choose(5) == 0};
    struct xylem_redact_report report = {0};
    if (at == NO_ONE) {
        return;
    }
    int code = xylem_redact(&report, txn, session->number, position_of(at), &options, &err);
    must(code == (session->state == GONE ? XYLEM_E_NOT_FOUND : absence(session, at)),
         "a redaction ended in another way than it should");
    must(code < 0 || report.was_redacted || report.redacted_count > 0, "a redaction takes nothing out");
    must(code < 0 || report.was_redacted || !model.entries[at].redacted, "an entry is not redacted any more");
    bool writes = code == XYLEM_OK && !options.dry_run;
    note_lsns(writes ? report.redacted_count : 0, writes);
    xylem_redact_report_release(&report);
    if (code == XYLEM_OK && !options.dry_run) {
        model.entries[at].redacted = true;
        model.entries[at].dropped = model.entries[at].dropped || options.drop_hash;
    }
}

static void call_commit(void);

/* Leases are taken, released and broken in transactions of their own. */
static void end_transaction(void)
{
    call_commit();
    xylem_abort(txn);
    txn = NULL;
}

static void call_lease_take(void)
{
    struct known_session *session = choose_session();
    int handle = 1 + (int)choose(2);
    if (!session) {
        return;
    }
    end_transaction();
    if (handle == 2 && !lessee) {
        lessee = scratch_open();
    }
    struct xylem_lease **lease = &leases[index_of(session)][handle];
    struct xylem_lease *taken = NULL;
    int wanted = refusal(session);
    wanted = wanted < 0 ? wanted : *lease ? XYLEM_E_BUSY : session->row_owner ? XYLEM_E_CONFLICT : XYLEM_OK;
    int code = xylem_lease_take(&taken, handle == 1 ? store : lessee, session->number, &err);
    must(code == wanted, "a lease is taken, or not, against the model");
    if (code == XYLEM_OK) {
        *lease = taken;
        session->row_owner = handle;
    }
    txn = scratch_begin(store, XYLEM_WRITE);
    committed = model;
}

static void release(int session, int handle)
{
    must_work(xylem_lease_release(leases[session][handle], &err), &err, "releasing a lease");
    leases[session][handle] = NULL;
    if (model.sessions[session].row_owner == handle) {
        model.sessions[session].row_owner = 0;
    }
}

static void call_lease_release(void)
{
    struct known_session *session = choose_session();
    int handle = 1 + (int)choose(2);
    if (!session || !leases[index_of(session)][handle]) {
        return;
    }
    end_transaction();
    release(index_of(session), handle);
    txn = scratch_begin(store, XYLEM_WRITE);
    committed = model;
}

static void call_lease_break(void)
{
    struct known_session *session = choose_session();
    struct xylem_lease_owner owner;
    if (!session) {
        return;
    }
    end_transaction();
    int code = xylem_lease_break(&owner, store, session->number, &err);
    must(code == (session->state == GONE ? XYLEM_E_NOT_FOUND : session->row_owner != 0), "a lease is broken, or not");
    must(code != 1 || owner.alive, "an owner of this process is not alive");
    session->row_owner = 0;
    txn = scratch_begin(store, XYLEM_WRITE);
    committed = model;
}

/* --- Calls that read ---------------------------------------------------------------------------------------------- */

static void check_walk(const struct known_session *session)
{
    struct xylem_walk *walk = NULL;
    struct xylem_entry entry;
    int code = XYLEM_OK;
    int at = session->leaf;
    must_work(xylem_walk_new(&walk, txn, position_of(at), &err), &err, "a walk");
    while ((code = xylem_walk_next(&entry, walk, &err)) == 1) {
        must(at != NO_ONE && same(entry.position, position_of(at)), "a walk meets another entry than it should");
        at = model.entries[at].parent;
    }
    must_work(code, &err, "a walk");
    must(at == NO_ONE, "a walk ends too early");
    xylem_walk_free(walk);
}

static void check_scan(const struct known_session *session)
{
    struct xylem_scan *scan = NULL;
    struct xylem_entry entry;
    int code = XYLEM_OK;
    int at = 0;
    must_work(xylem_scan_new(&scan, txn, session->number, &err), &err, "a scan");
    while ((code = xylem_scan_next(&entry, scan, &err)) == 1) {
        while (at < model.entry_count && !belongs(session, at)) {
            at++;
        }
        must(at < model.entry_count && same(entry.position, position_of(at)), "a scan meets another entry");
        at++;
    }
    must_work(code, &err, "a scan");
    while (at < model.entry_count && !belongs(session, at)) {
        at++;
    }
    must(at == model.entry_count, "a scan ends too early");
    xylem_scan_free(scan);
}

static void check_find(const struct known_session *session)
{
    char id[24];
    struct xylem_position found = {0, 0};
    int wanted = NO_ONE;
    (void)snprintf(id, sizeof id, "e%u", choose(40));
    for (int entry = 0; entry < model.entry_count; entry++) {
        wanted = strcmp(model.entries[entry].id, id) == 0 && belongs(session, entry) ? entry : wanted;
    }
    int code = xylem_find(&found, txn, session->number, xylem_view_of(id), &err);
    must(code == (wanted == NO_ONE ? XYLEM_E_NOT_FOUND : XYLEM_OK), "an id is found, or not, against the model");
    must(wanted == NO_ONE || same(found, position_of(wanted)), "an id leads to another entry");
}

static void check_state(const struct known_session *session)
{
    struct xylem_state state = {0};
    struct xylem_state scanned = {0};
    struct xylem_reduce_options scan = {.scan = true};
    must_work(xylem_rehydrate(&state, txn, position_of(session->leaf), NULL, NULL, &err), &err, "a state");
    must_work(xylem_rehydrate(&scanned, txn, position_of(session->leaf), NULL, &scan, &err), &err, "a state by a scan");
    must(state.readonly.enabled == scanned.readonly.enabled &&
             same(state.readonly.position, scanned.readonly.position) && state.nudge.due == scanned.nudge.due &&
             same(state.sequence.position, scanned.sequence.position) &&
             state.reduction.skipped_count == scanned.reduction.skipped_count,
         "a state differs by a scan");
    xylem_state_release(&state);
    xylem_state_release(&scanned);
}

static void check_tips(const struct known_session *session, const struct xylem_session *row)
{
    struct xylem_tips *tips = NULL;
    struct xylem_tip tip;
    struct xylem_labels labels = {0};
    struct xylem_outline outline;
    uint64_t entry_count = 0;
    int code = XYLEM_OK;
    for (int entry = 0; entry < model.entry_count; entry++) {
        entry_count += belongs(session, entry);
    }
    must_work(xylem_outline_read(&outline, NULL, txn, row, &err), &err, "an outline");
    must(outline.entry_count == entry_count, "an outline counts other entries");
    must_work(xylem_labels_read(&labels, txn, session->number, &err), &err, "labels");
    must(outline.has_name == (labels.name.data != NULL), "a name is there, or not");
    xylem_labels_release(&labels);
    must_work(xylem_tips_new(&tips, txn, session->number, &err), &err, "tips");
    while ((code = xylem_tips_next(&tip, tips, &err)) == 1) {
        int entry = 0;
        while (entry < model.entry_count && !same(tip.entry.position, position_of(entry))) {
            entry++;
        }
        must(entry < model.entry_count && belongs(session, entry), "a tip is another session's");
    }
    must_work(code, &err, "tips");
    xylem_tips_free(tips);
}

static void check_entries(const struct known_session *session)
{
    for (int i = 0; i < model.entry_count; i++) {
        const struct known_entry *known = &model.entries[i];
        struct xylem_entry entry;
        if (known->owner != index_of(session)) {
            continue;
        }
        int code = xylem_entry_read(&entry, txn, known->position, &err);
        must(code == (known->freed ? XYLEM_E_FREED : XYLEM_OK), "an entry is there, or was freed, against the model");
        must(code < 0 || !known->redacted || entry.flags & XYLEM_ENTRY_REDACTED, "a redacted entry is not redacted");
        must(code < 0 || !known->dropped || entry.flags & XYLEM_ENTRY_HASH_DROPPED, "a dropped hash is there");
    }
}

static void check_lease(const struct known_session *session)
{
    struct xylem_lease_owner owner;
    int code = xylem_lease_read(&owner, txn, session->number, &err);
    must(code == (session->row_owner != 0), "a session has an owner, or none, against the model");
    must(code == 0 || owner.alive, "an owner of this process is not alive");
}

static void check_session(const struct known_session *session)
{
    static const enum xylem_session_state states[] = {XYLEM_SESSION_LIVE, XYLEM_SESSION_DELETED, XYLEM_SESSION_FREED};
    struct xylem_session row;
    check_entries(session);
    check_lease(session);
    if (session->state == GONE) {
        must(xylem_session_read(&row, txn, session->number, &err) == XYLEM_E_NOT_FOUND, "a freed session is there");
        return;
    }
    must_work(xylem_session_read(&row, txn, session->number, &err), &err, "a session");
    must(same(row.leaf, position_of(session->leaf)) && same(row.base, position_of(session->base)) &&
             row.move_count == session->move_count && row.state == states[session->state],
         "a session's row is not as it should be");
    check_walk(session);
    check_scan(session);
    check_find(session);
    check_state(session);
    check_tips(session, &row);
}

static int collect(void *context, const void *data, size_t bytes)
{
    return xylem_buffer_add(context, data, bytes);
}

static void check_common_ancestor(void)
{
    struct known_session *session = choose_session();
    int a = session ? choose_entry(session) : NO_ONE;
    int b = session ? choose_entry(session) : NO_ONE;
    struct xylem_position found;
    if (a == NO_ONE || b == NO_ONE) {
        return;
    }
    must_work(xylem_common_ancestor(&found, txn, position_of(a), position_of(b), &err), &err, "a common ancestor");
    while (a != b) {
        int *newer = a > b ? &a : &b; /* a parent's index is smaller */
        *newer = model.entries[*newer].parent;
    }
    must(same(found, position_of(a)), "the common ancestor is another entry");
}

/* --- Transactions ------------------------------------------------------------------------------------------------- */

static void call_commit(void)
{
    must_work(xylem_commit(txn, &err), &err, "a commit");
    txn = scratch_begin(store, XYLEM_WRITE);
    committed = model;
}

static void call_abort(void)
{
    xylem_abort(txn);
    txn = scratch_begin(store, XYLEM_WRITE);
    model = committed;
}

/*
 * Exports a session, and imports what was written into a store in which nothing has its id: the same comes out again.
 */
static void call_export(void)
{
    struct known_session *session = choose_session();
    struct xylem_buffer out = {NULL, 0, 0};
    if (!session || choose(2) == 0) {
        return;
    }
    int code = xylem_export(txn, session->number, NULL, collect, &out, &err);
    int refused = session->state == DELETED ? XYLEM_OK : refusal(session);
    must(code == refused, "an export ended in another way than it should");
    if (code < 0) {
        xylem_buffer_release(&out);
        return;
    }
    must(out.bytes > 0 && out.data[out.bytes - 1] == '\n', "an export does not end in a line");
    xylem_buffer_release(&out);
}

/* What an import adds is in the model as a session of one path. */
static void note_import(const struct xylem_import_report *report, uint64_t added_before)
{
    struct known_session *session = &model.sessions[model.session_count];
    struct xylem_session row;
    must_work(xylem_session_read(&row, txn, report->session, &err), &err, "an imported session");
    *session = (struct known_session){.number = row.number, .base = NO_ONE, .leaf = NO_ONE};
    (void)snprintf(session->id, sizeof session->id, "%.15s", report->session_id);
    for (uint64_t depth = 1; depth <= row.leaf.depth; depth++) {
        struct known_entry *known = &model.entries[model.entry_count];
        known->position = (struct xylem_position){row.leaf.branch, depth};
        known->parent = depth == 1 ? NO_ONE : model.entry_count - 1;
        known->owner = model.session_count;
        (void)snprintf(known->id, sizeof known->id, "e%u", (unsigned)depth);
        session->leaf = model.entry_count++;
    }
    must((uint64_t)model.entry_count - added_before == report->added_count,
         "an import added another number of entries");
    model.session_count++;
}

/* A small session file of as many entries as the input says, in a chain, some lines of which are no entries. */
static void call_import(void)
{
    char path[256];
    char id[16];
    unsigned count = choose(6);
    struct xylem_import_report report = {0};
    if (model.session_count == SESSIONS_MAX || model.entry_count + 6 > ENTRIES_MAX) {
        return;
    }
    (void)snprintf(id, sizeof id, "f%d", model.session_count); /* no other session has it */
    call_commit();
    scratch_path(path, "session.jsonl");
    FILE *file = fopen(path, "wb");
    must(file != NULL, "no file");
    fprintf(file, "{\"type\":\"session\",\"version\":3,\"id\":\"%s\",\"timestamp\":\"2025-01-01T00:00:00.000Z\"}\n",
            id);
    for (unsigned i = 1; i <= count; i++) {
        fprintf(file, "{\"type\":\"message\",\"id\":\"e%u\",\"parentId\":", i);
        fprintf(file, i == 1 ? "null" : "\"e%u\"", i - 1);
        fprintf(file, ",\"timestamp\":\"2025-01-01T00:00:01.000Z\"}\n%s", choose(4) == 0 ? "no entry\n" : "");
    }
    must(fclose(file) == 0, "no file");
    uint64_t before = (uint64_t)model.entry_count;
    xylem_abort(txn);
    int code = xylem_import(&report, store, path, NULL, &err);
    txn = scratch_begin(store, XYLEM_WRITE);
    must_work(code, &err, "an import");
    note_import(&report, before);
    note_lsns(1 + report.added_count, true);
    committed = model;
    xylem_import_report_release(&report);
}

static void call(unsigned number)
{
    struct known_session *session;
    switch (number) {
    case 0:
    case 1:
        call_create();
        break;
    case 2:
    case 3:
        call_fork(number == 3);
        break;
    case 4:
        call_navigate();
        break;
    case 5:
        call_delete();
        break;
    case 6:
        call_commit();
        break;
    case 7:
        call_abort();
        break;
    case 8:
        session = choose_session();
        if (session) {
            check_session(session);
        }
        check_common_ancestor();
        break;
    case 9:
        call_export();
        break;
    case 10:
        call_import();
        break;
    case 11:
        call_undelete();
        break;
    case 12:
        call_gc();
        break;
    case 13:
        call_redact();
        break;
    case 14:
        call_lease_take();
        break;
    case 15:
        call_lease_release();
        break;
    case 16:
        call_lease_break();
        break;
    default:
        call_append();
    }
    note_lsns(0, false);
}

static int found_problem(void *context, const struct xylem_problem *problem)
{
    (void)context;
    fprintf(stderr, "verify: %s: %s\n", problem->table, problem->text);
    return 0;
}

/* Everything of a store that was opened anew, and its verification. */
static void check_all(void)
{
    struct xylem_verify_report report;
    uint64_t entry_count = 0;
    uint64_t session_count = 0;
    must_work(xylem_commit(txn, &err), &err, "the last commit");
    for (int i = 0; i < SESSIONS_MAX; i++) {
        release(i, 1);
        release(i, 2);
    }
    if (lessee) {
        must_work(xylem_close(lessee, &err), &err, "closing");
        lessee = NULL;
    }
    must_work(xylem_close(store, &err), &err, "closing");
    store = scratch_open();
    txn = scratch_begin(store, XYLEM_READ);
    for (int i = 0; i < model.session_count; i++) {
        check_session(&model.sessions[i]);
    }
    must_work(xylem_verify(&report, txn, NULL, found_problem, NULL, &err), &err, "verification");
    must(report.problem_count == 0, "verification finds problems in a sound store");
    struct changes changes;
    if (!changes_agree(&changes, txn, false)) {
        must(false, changes.problem);
    }
    for (int i = 0; i < model.entry_count; i++) {
        entry_count += !model.entries[i].freed;
    }
    for (int i = 0; i < model.session_count; i++) {
        session_count += model.sessions[i].state == LIVE || model.sessions[i].state == DELETED;
    }
    must(report.entry_count == entry_count && report.session_count == session_count,
         "the store holds another number of entries or sessions");
    xylem_abort(txn);
    must_work(xylem_close(store, &err), &err, "closing");
    store = NULL;
    scratch_clear();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    memset(&model, 0, sizeof model);
    committed = model;
    input = xylem_base__cursor_of(data, size);
    store = scratch_open();
    txn = scratch_begin(store, XYLEM_WRITE);
    for (unsigned calls = 0; input.left > 0 && calls < CALLS_MAX; calls++) {
        call(choose(24));
    }
    check_all();
    return 0;
}
