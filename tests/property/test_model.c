/*
 * Random operations against a plain model (tests/lib/model.h), and after each a random sample of questions to both. A
 * seed decides everything. It is printed; XYLEM_SEED=n runs that one alone, XYLEM_ROUNDS=n runs more of them.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/feed.h"
#include "tests/lib/cursor.h"
#include "tests/lib/model.h"
#include "tests/lib/test.h"
#include "xylem/append.h"
#include "xylem/branch.h"
#include "xylem/care.h"
#include "xylem/feed.h"
#include "xylem/inspect.h"
#include "xylem/redact.h"

#define OPERATIONS_PER_SEED 120
#define BATCH_MAX 24

#if defined(__SANITIZE_ADDRESS__)
#define ROUNDS_DEFAULT 60
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ROUNDS_DEFAULT 60
#endif
#endif
#ifndef ROUNDS_DEFAULT
#define ROUNDS_DEFAULT 240
#endif

/* The world of one seed: a store, and what should be in it. */
static struct {
    uint64_t seed;
    struct chance chance;
    char path[256];
    struct xylem_store *store;
    struct xylem_txn *txn; /* the write transaction that is open, or NULL */
    struct model model;
    struct model at_begin; /* for when the transaction is aborted */
} world;

static void must(int code, const struct xylem_error *err)
{
    if (code < 0) {
        fail_msg("%s: %s", xylem_code_text(code), err->text);
    }
}

static struct xylem_view view_of_id(const char *id)
{
    return xylem_view_of(id);
}

static void assert_view(struct xylem_view view, const char *text)
{
    assert_int_equal(view.bytes, strlen(text));
    assert_memory_equal(view.data, text, view.bytes);
}

static struct xylem_position position_of(int entry)
{
    return entry == MODEL_NONE ? (struct xylem_position){0, 0} : world.model.entries[entry].position;
}

static void assert_position(struct xylem_position position, int entry)
{
    struct xylem_position expected = position_of(entry);
    assert_int_equal(position.branch, expected.branch);
    assert_int_equal(position.depth, expected.depth);
}

/* --- Operations ------------------------------------------------------------------------------------------------- */

static void open_world(bool create)
{
    struct xylem_open_options options = {
        .create = create, .durability = XYLEM_DURABILITY_NONE, .map_bytes = UINT64_C(256) << 20};
    struct xylem_error err;
    must(xylem_open(&world.store, world.path, &options, &err), &err);
}

static void begin_writing(void)
{
    struct xylem_error err;
    if (world.txn) {
        return;
    }
    must(xylem_begin(&world.txn, world.store, XYLEM_WRITE, &err), &err);
    memcpy(&world.at_begin, &world.model, sizeof world.model);
}

static void commit_world(void)
{
    struct xylem_error err;
    struct xylem_txn *txn = world.txn;
    world.txn = NULL;
    if (txn) {
        must(xylem_commit(txn, &err), &err);
    }
}

static void abort_world(void)
{
    if (!world.txn) {
        return;
    }
    xylem_abort(world.txn);
    world.txn = NULL;
    memcpy(&world.model, &world.at_begin, sizeof world.model);
}

static void reopen_world(void)
{
    struct xylem_error err;
    commit_world();
    struct xylem_store *store = world.store;
    world.store = NULL;
    must(xylem_close(store, &err), &err);
    open_world(false);
}

static struct model_session *add_model_session(const struct xylem_session *session, const char *id, int base)
{
    struct model_session *added = &world.model.sessions[world.model.session_count++];
    memset(added, 0, sizeof *added);
    added->number = session->number;
    (void)snprintf(added->id, sizeof added->id, "%s", id);
    added->base = base;
    added->leaf = base;
    model_note(&world.model, base == MODEL_NONE ? XYLEM_CHANGE_CREATED : XYLEM_CHANGE_FORKED,
               world.model.session_count - 1, MODEL_NONE);
    assert_view(session->id, id);
    assert_position(session->base, base);
    assert_position(session->leaf, base);
    return added;
}

/* A new id, or the one of a session that was freed. */
static void make_session_id(char id[16])
{
    int old = world.model.session_count == 0 ? 0 : chance_below(&world.chance, world.model.session_count);
    struct model_session *session = &world.model.sessions[old];
    bool again = session->freed && session->id[0] != '\0';
    (void)snprintf(id, 16, "%s", again ? session->id : "");
    if (again) {
        session->id[0] = '\0'; /* the model asks for it by its number alone from now on */
    } else {
        (void)snprintf(id, 16, "s%d", world.model.session_count);
    }
}

static void create_session(void)
{
    char id[16];
    struct xylem_error err;
    struct xylem_session session;
    if (world.model.session_count == MODEL_SESSIONS_MAX) {
        return;
    }
    make_session_id(id);
    struct xylem_session_options options = {.id = view_of_id(id)};
    must(xylem_session_create(&session, world.txn, &options, &err), &err);
    add_model_session(&session, id, MODEL_NONE);
}

static void fork_session(int source)
{
    char id[16];
    struct xylem_error err;
    struct xylem_session session;
    if (world.model.session_count == MODEL_SESSIONS_MAX) {
        return;
    }
    make_session_id(id);
    struct xylem_session_options options = {.id = view_of_id(id)};
    uint64_t number = world.model.sessions[source].number;
    int entry = model_any_entry_of(&world.model, &world.chance, source);
    int base = world.model.sessions[source].leaf;
    if (entry == MODEL_NONE || chance_one_in(&world.chance, 3)) {
        must(xylem_clone(&session, world.txn, number, &options, &err), &err);
    } else {
        bool before = chance_one_in(&world.chance, 2);
        base = before ? world.model.entries[entry].parent : entry;
        must(xylem_fork(&session, world.txn, number, position_of(entry), before ? XYLEM_FORK_BEFORE : XYLEM_FORK_AT,
                        &options, &err),
             &err);
    }
    add_model_session(&session, id, base);
}

static void navigate(int number)
{
    struct xylem_error err;
    struct xylem_move move;
    struct model_session *session = &world.model.sessions[number];
    int to = chance_one_in(&world.chance, 8) ? MODEL_NONE : model_any_entry_of(&world.model, &world.chance, number);
    must(xylem_navigate(world.txn, session->number, position_of(to), xylem_view_of("because"), &err), &err);
    session->move_count++;
    session->last_move_from = session->leaf;
    session->last_move_to = to;
    session->leaf = to;
    must(xylem_move_read(&move, world.txn, session->number, session->move_count, &err), &err);
    session->last_move_ms = move.time_ms;
    model_note(&world.model, XYLEM_CHANGE_MOVED, number, MODEL_NONE);
}

static void delete_session(int number)
{
    struct xylem_error err;
    must(xylem_session_delete(world.txn, world.model.sessions[number].number, &err), &err);
    world.model.sessions[number].deleted = true;
    model_note(&world.model, XYLEM_CHANGE_DELETED, number, MODEL_NONE);
    int code = xylem_navigate(world.txn, world.model.sessions[number].number, position_of(MODEL_NONE),
                              xylem_view_of(""), &err);
    assert_int_equal(code, XYLEM_E_DELETED);
}

static void undelete_session(void)
{
    struct xylem_error err;
    int deleted = model_any_deleted(&world.model, &world.chance);
    if (deleted != MODEL_NONE) {
        must(xylem_session_undelete(world.txn, world.model.sessions[deleted].number, &err), &err);
        world.model.sessions[deleted].deleted = false;
        model_note(&world.model, XYLEM_CHANGE_UNDELETED, deleted, MODEL_NONE);
    }
}

/* Takes the payload of one entry of the session out, and leaves copies alone. */
static void redact(int session)
{
    struct xylem_error err;
    struct xylem_redact_report report;
    struct xylem_redact_options options = {.reason = xylem_view_of("a secret"), .only_this = true};
    int entry = model_any_entry_of(&world.model, &world.chance, session);
    if (entry == MODEL_NONE) {
        return;
    }
    must(xylem_redact(&report, world.txn, world.model.sessions[session].number, position_of(entry), &options, &err),
         &err);
    assert_int_equal(report.was_redacted, world.model.entries[entry].redacted);
    if (!report.was_redacted) {
        model_redact(&world.model, entry);
    }
    xylem_redact_report_release(&report);
}

/* How many of its bytes the report has in the rows that are told of one by one. */
static int add_freed(void *context, const struct xylem_freed *what)
{
    struct xylem_gc_report *sums = context;
    sums->session_count++;
    sums->entry_count += what->entry_count;
    sums->branch_count += what->branch_count;
    sums->row_count += what->row_count;
    sums->bytes += what->bytes;
    sums->payload_bytes += what->payload_bytes;
    return 0;
}

static void free_what_is_deleted(void)
{
    struct xylem_error err;
    struct xylem_gc_report expected;
    struct xylem_gc_report report;
    struct xylem_gc_report sums = {.session_count = 0};
    struct xylem_gc_options dry = {.dry_run = true};
    struct xylem_gc_options options = {.freed = add_freed, .context = &sums};
    must(xylem_gc(&expected, world.txn, &dry, &err), &err);
    must(xylem_gc(&report, world.txn, &options, &err), &err);
    assert_memory_equal(&report, &expected, sizeof report);
    sums.kept_session_count = report.kept_session_count;
    sums.kept_entry_count = report.kept_entry_count;
    assert_memory_equal(&report, &sums, sizeof report);
    assert_int_equal(report.entry_count, model_gc(&world.model));
    must(xylem_gc(&report, world.txn, NULL, &err), &err);
    assert_int_equal(report.session_count, 0);
}

/* An append as it was drawn, and what should come of it. */
struct attempt {
    int session;
    int count;
    int parent; /* of the first entry */
    struct xylem_append_options options;
    struct xylem_position expected_leaf;
    struct model_entry entries[BATCH_MAX];
    int expected_code;
};

/* Ids come from a small pool, so that many are taken already: in this session, or only in another one. */
static void draw_entries(struct attempt *attempt)
{
    attempt->count = chance_one_in(&world.chance, 4) ? 1 + chance_below(&world.chance, BATCH_MAX) : 1;
    for (int i = 0; i < attempt->count; i++) {
        struct model_entry *entry = &attempt->entries[i];
        memset(entry, 0, sizeof *entry);
        model_make_entry(entry, &world.chance);
        int pool = attempt->count > 1 ? 100000 : 400;
        (void)snprintf(entry->id, sizeof entry->id, "e%d", chance_below(&world.chance, pool));
        bool taken = model_find(&world.model, attempt->session, entry->id) != MODEL_NONE;
        for (int j = 0; j < i; j++) {
            taken = taken || strcmp(attempt->entries[j].id, entry->id) == 0;
        }
        if (taken) {
            attempt->expected_code = XYLEM_E_EXISTS;
        }
    }
}

static void draw_parent(struct attempt *attempt)
{
    const struct model_session *session = &world.model.sessions[attempt->session];
    attempt->parent = session->leaf;
    switch (chance_below(&world.chance, 10)) {
    case 0:
        attempt->options.parent = XYLEM_PARENT_NONE;
        attempt->parent = MODEL_NONE;
        break;
    case 1:
    case 2: {
        int entry = model_any_entry_of(&world.model, &world.chance, attempt->session);
        if (entry == MODEL_NONE) {
            break;
        }
        attempt->options.parent = XYLEM_PARENT_AT;
        attempt->options.parent_position = position_of(entry);
        attempt->parent = entry;
        break;
    }
    case 3: { /* an entry that may belong to somebody else */
        int entry = world.model.entry_count == 0 ? MODEL_NONE : chance_below(&world.chance, world.model.entry_count);
        if (entry == MODEL_NONE) {
            break;
        }
        attempt->options.parent = XYLEM_PARENT_AT;
        attempt->options.parent_position = position_of(entry);
        attempt->parent = entry;
        if (!model_belongs(&world.model, attempt->session, entry)) {
            attempt->expected_code = world.model.entries[entry].freed ? XYLEM_E_FREED : XYLEM_E_NOT_FOUND;
        }
        break;
    }
    default:
        break;
    }
}

static void draw_expected_leaf(struct attempt *attempt)
{
    int leaf = world.model.sessions[attempt->session].leaf;
    if (!chance_one_in(&world.chance, 4)) {
        return;
    }
    attempt->expected_leaf = position_of(leaf);
    attempt->options.expected_leaf = &attempt->expected_leaf;
    if (chance_one_in(&world.chance, 3) && attempt->expected_code == 0) {
        attempt->expected_leaf = position_of(leaf == MODEL_NONE ? MODEL_NONE : world.model.entries[leaf].parent);
        attempt->expected_leaf.depth += leaf == MODEL_NONE;
        attempt->expected_leaf.branch += leaf == MODEL_NONE;
        attempt->expected_code = XYLEM_E_CONFLICT;
    }
}

/* Puts into the model what was appended, and checks where it was put. */
static void record_append(const struct attempt *attempt, struct xylem_position first)
{
    struct xylem_error err;
    struct xylem_entry appended;
    struct model *model = &world.model;
    struct model_branch *branch = model_branch_of(model, first.branch);
    uint64_t depth = attempt->parent == MODEL_NONE ? 1 : model->entries[attempt->parent].depth + 1;
    assert_int_equal(first.depth, depth);
    struct model_branch *of_parent = model_branch_of(model, position_of(attempt->parent).branch);
    bool grows = of_parent != NULL && of_parent->owner == attempt->session && of_parent->tip == attempt->parent;
    if (grows) {
        assert_int_equal(first.branch, of_parent->number);
    } else {
        assert_null(branch);
        assert_true(model->branch_count == 0 || first.branch > model->branches[model->branch_count - 1].number);
        branch = &model->branches[model->branch_count++];
        branch->number = first.branch;
        branch->owner = attempt->session;
    }
    int parent = attempt->parent;
    for (int i = 0; i < attempt->count; i++) {
        struct model_entry *entry = &model->entries[model->entry_count];
        *entry = attempt->entries[i];
        entry->parent = parent;
        entry->owner = attempt->session;
        entry->depth = depth + (uint64_t)i;
        entry->position = (struct xylem_position){first.branch, entry->depth};
        must(xylem_entry_read(&appended, world.txn, entry->position, &err), &err);
        entry->time_ms = appended.time_ms;
        entry->lsn = model_note(model, XYLEM_CHANGE_ENTRY, attempt->session, model->entry_count);
        parent = model->entry_count++;
    }
    branch->tip = parent;
    model->sessions[attempt->session].leaf = parent;
    model->sessions[attempt->session].last_lsn = model->entries[parent].lsn;
}

static void append(int session)
{
    static struct attempt attempt;
    static struct xylem_new_entry entries[BATCH_MAX];
    static char storage[BATCH_MAX][64];
    struct xylem_error err;
    if (world.model.entry_count + BATCH_MAX > MODEL_ENTRIES_MAX) {
        return;
    }
    memset(&attempt, 0, sizeof attempt);
    memset(entries, 0, sizeof entries);
    attempt.session = session;
    draw_entries(&attempt);
    if (attempt.expected_code == 0) {
        draw_parent(&attempt);
        draw_expected_leaf(&attempt);
    } else {
        attempt.parent = world.model.sessions[session].leaf;
    }
    for (int i = 0; i < attempt.count; i++) {
        struct xylem_buffer name = {0};
        entries[i].id = view_of_id(attempt.entries[i].id);
        must(xylem_kind_parse(&entries[i].kind, &name, xylem_view_of(attempt.entries[i].kind), &err), &err);
        memcpy(storage[i], entries[i].kind.name.data, entries[i].kind.name.bytes);
        entries[i].kind.name.data = storage[i];
        xylem_buffer_release(&name);
        entries[i].payload = xylem_view_of(attempt.entries[i].json);
        entries[i].format = attempt.entries[i].json[0] == '\0' ? XYLEM_FORMAT_NONE : XYLEM_FORMAT_JSON;
    }
    struct xylem_position first;
    int code = xylem_append(&first, world.txn, world.model.sessions[session].number, entries, (size_t)attempt.count,
                            &attempt.options, &err);
    if (code != attempt.expected_code) {
        fail_msg("append gave %s (%s), expected %s", xylem_code_text(code), err.text,
                 xylem_code_text(attempt.expected_code));
    }
    if (code == 0) {
        record_append(&attempt, first);
    }
}

static void operate(void)
{
    struct chance *chance = &world.chance;
    begin_writing();
    int session = model_any_session(&world.model, chance);
    int draw = chance_below(chance, 100);
    if (session == MODEL_NONE || draw < 3) {
        create_session();
    } else if (draw < 12) {
        fork_session(session);
    } else if (draw < 24) {
        navigate(session);
    } else if (draw < 28) {
        delete_session(session);
    } else if (draw < 30) {
        undelete_session();
    } else if (draw < 33) {
        free_what_is_deleted();
    } else if (draw < 36) {
        redact(session);
    } else {
        append(session);
    }
    draw = chance_below(chance, 100);
    if (draw < 4) {
        abort_world();
    } else if (draw < 8) {
        reopen_world();
    } else if (draw < 60) {
        commit_world();
    }
}

/* --- Questions -------------------------------------------------------------------------------------------------- */

static void check_entry(const struct xylem_entry *entry, int expected)
{
    const struct model_entry *model = &world.model.entries[expected];
    struct xylem_error err;
    struct xylem_buffer kind = {0};
    assert_position(entry->position, expected);
    assert_position(entry->parent, model->parent);
    assert_view(entry->id, model->id);
    assert_int_equal(entry->lsn, model->lsn);
    must(xylem_kind_text(&kind, entry->kind), NULL);
    assert_string_equal(kind.data, model->kind);
    xylem_buffer_release(&kind);
    assert_int_equal((entry->flags & XYLEM_ENTRY_REDACTED) != 0, model->redacted);
    if (model->redacted) {
        struct xylem_view payload;
        assert_int_equal(xylem_entry_payload(&payload, entry, &err), XYLEM_E_REDACTED);
        return;
    }
    if (entry->kind.kind_class == XYLEM_CLASS_HOST || model->json[0] == '\0') {
        struct xylem_view payload;
        must(xylem_entry_payload(&payload, entry, &err), &err);
        assert_view(payload, model->json);
        return;
    }
    struct xylem_document *document = NULL;
    struct xylem_buffer json = {0};
    assert_int_equal(entry->format, XYLEM_FORMAT_MSGPACK);
    must(xylem_document_new(&document, entry, &err), &err);
    must(xylem_value_json(&json, xylem_document_value(document)), NULL);
    assert_string_equal(json.data, model->json);
    xylem_buffer_release(&json);
    xylem_document_free(document);
}

static void check_walk(struct xylem_txn *txn, int from)
{
    struct xylem_error err;
    struct xylem_walk *walk = NULL;
    struct xylem_entry entry;
    must(xylem_walk_new(&walk, txn, position_of(from), &err), &err);
    for (int i = from; i != MODEL_NONE; i = world.model.entries[i].parent) {
        int code = xylem_walk_next(&entry, walk, &err);
        must(code, &err);
        assert_int_equal(code, 1);
        check_entry(&entry, i);
    }
    assert_int_equal(xylem_walk_next(&entry, walk, &err), 0);
    xylem_walk_free(walk);
}

static void check_ancestors(struct xylem_txn *txn, int from, int other)
{
    struct xylem_error err;
    struct xylem_position ancestor;
    const struct model_entry *entry = &world.model.entries[from];
    uint64_t depth = 1 + (uint64_t)chance_below(&world.chance, (int)entry->depth);
    must(xylem_ancestor_at(&ancestor, txn, entry->position, depth, &err), &err);
    assert_position(ancestor, model_ancestor_at(&world.model, from, depth));
    assert_int_equal(xylem_ancestor_at(&ancestor, txn, entry->position, 0, &err), XYLEM_E_NOT_FOUND);
    assert_int_equal(xylem_ancestor_at(&ancestor, txn, entry->position, entry->depth + 1, &err), XYLEM_E_NOT_FOUND);
    must(xylem_common_ancestor(&ancestor, txn, entry->position, position_of(other), &err), &err);
    assert_position(ancestor, model_common_ancestor(&world.model, from, other));
}

static void check_finds(struct xylem_txn *txn, int session, int any)
{
    struct xylem_error err;
    struct xylem_position position;
    uint64_t number = world.model.sessions[session].number;
    char random[16];
    (void)snprintf(random, sizeof random, "e%d", chance_below(&world.chance, 400));
    const char *const ids[] = {world.model.entries[any].id, random, "nowhere"};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        int expected = model_find(&world.model, session, ids[i]);
        int code = xylem_find(&position, txn, number, view_of_id(ids[i]), &err);
        if (expected == MODEL_NONE) {
            assert_int_equal(code, XYLEM_E_NOT_FOUND);
        } else {
            must(code, &err);
            assert_position(position, expected);
        }
    }
    int code = xylem_belongs(txn, number, position_of(any), &err);
    must(code, &err);
    assert_int_equal(code, model_belongs(&world.model, session, any));
}

static void check_scan(struct xylem_txn *txn, int session)
{
    struct xylem_error err;
    struct xylem_scan *scan = NULL;
    struct xylem_entry entry;
    must(xylem_scan_new(&scan, txn, world.model.sessions[session].number, &err), &err);
    for (int i = 0; i < world.model.entry_count; i++) {
        if (!model_belongs(&world.model, session, i)) {
            continue;
        }
        int code = xylem_scan_next(&entry, scan, &err);
        must(code, &err);
        assert_int_equal(code, 1);
        check_entry(&entry, i);
    }
    assert_int_equal(xylem_scan_next(&entry, scan, &err), 0);
    xylem_scan_free(scan);
}

/* Entries of the session on the branch of `entry`, up to it. */
static uint64_t count_on_branch(int session, int entry)
{
    uint64_t count = 0;
    uint64_t branch = world.model.entries[entry].position.branch;
    for (int i = 0; i <= entry; i++) {
        count += world.model.entries[i].position.branch == branch && model_belongs(&world.model, session, i);
    }
    return count;
}

static int first_on_branch(uint64_t branch)
{
    int entry = 0;
    while (world.model.entries[entry].position.branch != branch) {
        entry++;
    }
    return entry;
}

static void check_tip(const struct xylem_tip *tip, int session, int expected)
{
    check_entry(&tip->entry, expected);
    int first = first_on_branch(world.model.entries[expected].position.branch);
    assert_position(tip->fork_point, world.model.entries[first].parent);
    assert_int_equal(tip->branch_entry_count, count_on_branch(session, expected));
}

static void check_tips(struct xylem_txn *txn, int session)
{
    struct xylem_error err;
    struct xylem_tips *tips = NULL;
    struct xylem_tip tip;
    int base = world.model.sessions[session].base;
    must(xylem_tips_new(&tips, txn, world.model.sessions[session].number, &err), &err);
    if (base != MODEL_NONE && model_is_tip(&world.model, session, base)) {
        must(xylem_tips_next(&tip, tips, &err), &err);
        check_tip(&tip, session, base);
    }
    for (int i = 0; i < world.model.branch_count; i++) {
        const struct model_branch *branch = &world.model.branches[i];
        if (branch->owner != session || !model_is_tip(&world.model, session, branch->tip)) {
            continue;
        }
        int code = xylem_tips_next(&tip, tips, &err);
        must(code, &err);
        assert_int_equal(code, 1);
        check_tip(&tip, session, branch->tip);
    }
    assert_int_equal(xylem_tips_next(&tip, tips, &err), 0);
    xylem_tips_free(tips);
}

static void check_session(struct xylem_txn *txn, int session)
{
    struct xylem_error err;
    struct xylem_session row;
    struct xylem_session found;
    const struct model_session *model = &world.model.sessions[session];
    int read = xylem_session_read(&row, txn, model->number, &err);
    if (model->freed) {
        assert_true(read == XYLEM_E_NOT_FOUND || (read == 0 && row.state == XYLEM_SESSION_FREED));
    } else {
        must(read, &err);
    }
    if (model->freed) {
        return; /* what is left of it is nobody's */
    }
    assert_view(row.id, model->id);
    assert_position(row.base, model->base);
    assert_position(row.leaf, model->leaf);
    assert_int_equal(row.last_lsn, model->last_lsn);
    assert_int_equal(row.move_count, model->move_count);
    assert_int_equal(row.history.count, model->change_count);
    assert_int_equal(row.history.chain, model->chain);
    assert_int_equal(row.state, model->deleted ? XYLEM_SESSION_DELETED : XYLEM_SESSION_LIVE);
    int code = xylem_session_find(&found, txn, view_of_id(model->id), &err);
    assert_int_equal(code, model->deleted ? XYLEM_E_DELETED : 0);
    if (code == 0) {
        assert_int_equal(found.number, model->number);
    }
    if (model->move_count > 0) {
        struct xylem_move move;
        must(xylem_move_read(&move, txn, model->number, model->move_count, &err), &err);
        assert_position(move.from, model->last_move_from);
        assert_position(move.to, model->last_move_to);
        assert_view(move.reason, "because");
    }
}

/* The plain walk says the same, but for how much it looked at. */
static void check_scanned(struct xylem_txn *txn, const struct xylem_state *state, const struct xylem_event *event)
{
    static const struct xylem_reduce_options scan = {.scan = true};
    struct xylem_error err;
    struct xylem_state scanned = {0};
    struct xylem_buffer expected = {0};
    struct xylem_buffer found = {0};
    must(xylem_rehydrate(&scanned, txn, state->at, event, &scan, &err), &err);
    assert_true(state->reduction.looked_at <= scanned.reduction.looked_at);
    scanned.reduction.looked_at = state->reduction.looked_at;
    assert_int_equal(xylem_state_json(&expected, &scanned, xylem_view_of("s")), 0);
    assert_int_equal(xylem_state_json(&found, state, xylem_view_of("s")), 0);
    assert_string_equal(found.data, expected.data);
    assert_int_equal(state->reduction.decoded_count, scanned.reduction.decoded_count);
    assert_int_equal(state->reduction.decoded_bytes, scanned.reduction.decoded_bytes);
    xylem_buffer_release(&expected);
    xylem_buffer_release(&found);
    xylem_state_release(&scanned);
}

static void check_todo(const struct xylem_state *state, int expected)
{
    assert_int_equal(state->todo.present, expected != MODEL_NONE);
    assert_position(state->todo.position, expected);
    if (expected == MODEL_NONE) {
        return;
    }
    const struct model_entry *entry = &world.model.entries[expected];
    assert_view(state->todo.entry_id, entry->id);
    assert_int_equal(state->todo.last_id, entry->todo);
    assert_int_equal(state->todo.item_count, entry->todo > 0);
    if (entry->todo > 0) {
        char text[16];
        (void)snprintf(text, sizeof text, "t%d", entry->todo);
        assert_int_equal(state->todo.items[0].id, entry->todo);
        assert_int_equal(state->todo.items[0].done, entry->todo % 2 == 0);
        assert_view(state->todo.items[0].text, text);
    }
}

static void check_state(struct xylem_txn *txn, int at)
{
    struct xylem_error err;
    struct xylem_state state = {0};
    const struct xylem_reduce_options results = {.tool_results = true, .scan = chance_one_in(&world.chance, 4)};
    bool previous = chance_one_in(&world.chance, 2);
    struct xylem_event event = {
        .type = (enum xylem_event_type)chance_below(&world.chance, 3),
        .reason = (enum xylem_event_reason)chance_below(&world.chance, 5),
        .flag_readonly = chance_one_in(&world.chance, 3),
        .flag_is_fallback = chance_one_in(&world.chance, 3),
    };
    if (event.type != XYLEM_EVENT_SESSION_START && chance_one_in(&world.chance, 2)) {
        event.previous_readonly = &previous;
    }
    struct model_state expected = model_rehydrate(&world.model, at, &event);
    must(xylem_rehydrate(&state, txn, position_of(at), &event, NULL, &err), &err);
    check_scanned(txn, &state, &event);
    assert_position(state.at, at);
    assert_int_equal(state.readonly.enabled, expected.enabled);
    assert_int_equal(state.readonly.from, expected.from);
    assert_position(state.readonly.position, expected.decided_by);
    assert_int_equal(state.nudge.due, expected.due);
    assert_int_equal(state.nudge.direction_on, expected.enabled);
    assert_int_equal(state.sequence.present, expected.sequence != MODEL_NONE);
    if (expected.sequence != MODEL_NONE) {
        char text[16];
        const struct model_entry *entry = &world.model.entries[expected.sequence];
        assert_position(state.sequence.position, expected.sequence);
        assert_view(state.sequence.entry_id, entry->id);
        (void)snprintf(text, sizeof text, "s%d", entry->sequence);
        assert_view(state.sequence.sequence_id, text);
        assert_int_equal(state.sequence.step_count, 2);
        assert_view(state.sequence.steps[0], "a");
        (void)snprintf(text, sizeof text, "b%d", entry->sequence);
        assert_view(state.sequence.steps[1], text);
        assert_true(state.sequence.updated_at == (double)entry->sequence);
    }
    check_todo(&state, expected.todo);
    xylem_state_release(&state);
    must(xylem_rehydrate(&state, txn, position_of(at), &event, &results, &err), &err);
    check_todo(&state, model_todo(&world.model, at, true));
    xylem_state_release(&state);
}

static int print_problem(void *context, const struct xylem_problem *problem)
{
    (void)context;
    print_error("verify: %s: (%" PRIu64 ", %" PRIu64 "): %s\n", problem->table, problem->position.branch,
                problem->position.depth, problem->text);
    return 0;
}

static void check_verify(struct xylem_txn *txn)
{
    struct xylem_error err;
    uint64_t entries = 0;
    uint64_t branches = 0;
    for (int i = 0; i < world.model.entry_count; i++) {
        entries += !world.model.entries[i].freed;
    }
    for (int i = 0; i < world.model.branch_count; i++) {
        branches += model_branch_is_left(&world.model, world.model.branches[i].number);
    }
    struct xylem_verify_report report;
    must(xylem_verify(&report, txn, NULL, print_problem, NULL, &err), &err);
    assert_int_equal(report.problem_count, 0);
    assert_int_equal(report.entry_count, entries);
    assert_int_equal(report.branch_count, branches);
}

static void check_change(const struct xylem_change *change, int expected)
{
    const struct model_change *model = &world.model.changes[expected];
    assert_int_equal(change->lsn, expected + 1);
    assert_string_equal(xylem_change_word(change->type), xylem_change_word(model->type));
    assert_int_equal(change->session, world.model.sessions[model->session].number);
    assert_int_equal(change->ordinal, model->ordinal);
    assert_position(change->position, model->entry);
    assert_int_equal(change->move_number, model->move_number);
    assert_view(change->freed_id, model->freed_id);
}

/* The feed gives every change behind an lsn once, in order. */
static void check_feed(struct xylem_txn *txn, int after)
{
    struct xylem_error err;
    struct xylem_feed *feed = NULL;
    struct xylem_change change;
    struct xylem_store__feed_end end;
    uint64_t last;
    must(last_lsn_of(&last, txn, &err), &err);
    assert_int_equal(last, world.model.change_count);
    must(xylem_store__feed_end(&end, txn, NULL, &err), &err);
    assert_int_equal(end.chain, world.model.chain);
    must(feed_after(&feed, txn, (uint64_t)after, &err), &err);
    for (int i = after; i < world.model.change_count; i++) {
        if (!model_gives(&world.model, i)) {
            continue;
        }
        int code = xylem_feed_next(&change, feed, &err);
        must(code, &err);
        assert_int_equal(code, 1);
        check_change(&change, i);
    }
    assert_int_equal(xylem_feed_next(&change, feed, &err), 0);
    assert_int_equal(xylem_feed_next(&change, feed, &err), 0);
    xylem_feed_free(feed);
    feed = NULL;
    assert_int_equal(feed_after(&feed, txn, last + 1, &err), XYLEM_E_CONFLICT);
    assert_null(feed);
}

/* Every way to an entry that was freed says so. */
static void check_freed(struct xylem_txn *txn, int freed, int other)
{
    struct xylem_error err;
    struct xylem_entry entry;
    struct xylem_walk *walk = NULL;
    struct xylem_state state = {0};
    struct xylem_position position = position_of(freed);
    struct xylem_event event = {.type = XYLEM_EVENT_SESSION_START};
    assert_int_equal(xylem_entry_read(&entry, txn, position, &err), XYLEM_E_FREED);
    must(xylem_walk_new(&walk, txn, position, &err), &err);
    assert_int_equal(xylem_walk_next(&entry, walk, &err), XYLEM_E_FREED);
    xylem_walk_free(walk);
    assert_int_equal(xylem_rehydrate(&state, txn, position, &event, NULL, &err), XYLEM_E_FREED);
    xylem_state_release(&state);
    assert_int_equal(xylem_ancestor_at(&position, txn, position_of(freed), 1, &err), XYLEM_E_FREED);
    assert_int_equal(xylem_common_ancestor(&position, txn, position_of(freed), position_of(other), &err),
                     XYLEM_E_FREED);
}

/* Asks in the write transaction where one is open: what it wrote must be there for itself already. */
static void ask(bool verify)
{
    struct xylem_error err;
    struct xylem_txn *txn = world.txn;
    if (!txn) {
        must(xylem_begin(&txn, world.store, XYLEM_READ, &err), &err);
    }
    if (verify) {
        check_verify(txn);
    }
    check_feed(txn, 0);
    check_feed(txn, chance_below(&world.chance, world.model.change_count + 1));
    int session = model_any_session(&world.model, &world.chance);
    if (world.model.entry_count > 0) {
        int any = chance_below(&world.chance, world.model.entry_count);
        int other = chance_below(&world.chance, world.model.entry_count);
        if (world.model.entries[any].freed) {
            check_freed(txn, any, other);
        } else {
            check_walk(txn, any);
        }
        if (!world.model.entries[any].freed && !world.model.entries[other].freed) {
            check_ancestors(txn, any, other);
        }
        for (int i = 0; i < 4; i++) {
            int from = chance_below(&world.chance, world.model.entry_count);
            check_state(txn, world.model.entries[from].freed ? MODEL_NONE : from);
        }
        if (session != MODEL_NONE) {
            check_finds(txn, session, any);
        }
    }
    check_state(txn, MODEL_NONE);
    if (session != MODEL_NONE) {
        check_scan(txn, session);
        check_tips(txn, session);
    }
    if (world.model.session_count > 0) {
        check_session(txn, chance_below(&world.chance, world.model.session_count));
    }
    if (!world.txn) {
        xylem_abort(txn);
    }
}

/* --- Running ---------------------------------------------------------------------------------------------------- */

static void run_seed(uint64_t seed)
{
    memset(&world, 0, sizeof world);
    world.seed = seed;
    world.chance = chance_of(seed);
    test_directory_make(world.path, sizeof world.path, "model");
    open_world(true);
    for (int i = 1; i <= OPERATIONS_PER_SEED; i++) {
        operate();
        ask(true);
    }
    reopen_world();
    ask(true);
    struct xylem_error err;
    struct xylem_store *store = world.store;
    world.store = NULL;
    must(xylem_close(store, &err), &err);
    test_directory_remove(world.path);
    world.path[0] = '\0';
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
    test_directory_remove(world.path);
    return 0;
}

TEST_WITH(random_operations_agree_with_the_model, NULL, leave_world)
{
    test_seeds(run_seed, test_rounds(ROUNDS_DEFAULT));
}
