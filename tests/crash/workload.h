/*
 * Work on a store whose traces can be checked afterwards, by whoever only knows what was promised. Every entry's id
 * says to which piece of work it belongs, which of how many it is, and its payload follows from that.
 */
#ifndef XYLEM_TESTS_CRASH_WORKLOAD_H
#define XYLEM_TESTS_CRASH_WORKLOAD_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "store/store.h"
#include "tests/lib/chance.h"
#include "tests/lib/changes.h"
#include "xylem/branch.h"
#include "xylem/care.h"
#include "xylem/inspect.h"
#include "xylem/lease.h"
#include "xylem/line.h"
#include "xylem/redact.h"
#include "xylem/append.h"

enum work {
    WORK_SESSION, /* a new session with one entry */
    WORK_APPEND,
    WORK_BATCH,
    WORK_LARGE,  /* payloads of many pages */
    WORK_BRANCH, /* an append that starts a branch */
    WORK_FORK,
    WORK_NAVIGATE,
    WORK_DELETE,
    WORK_IMPORT,
    WORK_SYNC,
    WORK_UNDELETE,
    WORK_GC,
    WORK_REDACT,       /* with the hash at times */
    WORK_LEASE,        /* taken, an append under it, and released: three commits, of which the append is the fact */
    WORK_IMPORT_FILES, /* several in one call: each one is a fact once it was told of */
    WORK_COUNT
};

/* What one piece of work does to one session: known before its commit, and true after it. */
struct fact {
    enum work work;
    uint64_t number;  /* of the piece of work */
    uint64_t session; /* that it changes or makes */
    struct xylem_position first;
    int entry_count;
    struct xylem_position leaf;
    uint64_t move_count;
    bool deleted;
    uint64_t freed_count; /* entries that a collection frees */
    bool dropped;         /* of a redaction, whose entry is `first`: its hash is gone too */
};

#define WORK_BATCH_MAX 60

struct workload {
    struct xylem_store *store;
    struct chance chance;
    uint64_t number;                          /* of the next piece of work */
    void (*intends)(const struct fact *fact); /* called right before the commit; may be NULL */
    void (*told)(uint64_t number);            /* a file of several was imported; may be NULL */
    const char *place;                        /* where session files are written */
};

/* --- What an entry's number says --- */

static inline size_t work_fill_bytes(uint64_t number, int index, bool large)
{
    struct chance chance = chance_of(number * 64 + (uint64_t)index);
    chance_draw(&chance);
    return (size_t)chance_below(&chance, large ? 40000 : 200) + (large ? 4000 : 0);
}

/* `w<number>-<index>-<count>-<letter>`: the letter says whether it is large. */
static inline void work_id(char id[64], uint64_t number, int index, int count, bool large)
{
    snprintf(id, 64, "w%" PRIu64 "-%d-%d-%c", number, index, count, large ? 'l' : 's');
}

/* The payload that belongs to an id. The caller frees it. */
static inline char *work_payload(uint64_t number, int index, bool large)
{
    size_t fill = work_fill_bytes(number, index, large);
    char *payload = malloc(fill + 64);
    assert_non_null(payload);
    int bytes = snprintf(payload, 64, "{\"n\":%" PRIu64 ",\"i\":%d,\"fill\":\"", number, index);
    memset(payload + bytes, 'a' + (int)((number + (uint64_t)index) % 26), fill);
    memcpy(payload + (size_t)bytes + fill, "\"}", 3);
    return payload;
}

#define WORK_REASON "by chance"

/*
 * Does the entry hold what its id says, or the reason for which it does not? Entries of session files have other ids.
 */
static inline bool work_entry_right(const struct xylem_entry *entry)
{
    char id[65] = "";
    uint64_t number;
    int index;
    int count;
    char letter;
    struct xylem_view payload;
    struct xylem_view reason;
    int redacted = xylem_entry_redaction(&reason, entry, NULL);
    if (redacted != 0) {
        return redacted == 1 && xylem_base__view_is(reason, WORK_REASON);
    }
    memcpy(id, entry->id.data, entry->id.bytes < 64 ? entry->id.bytes : 64);
    if (sscanf(id, "w%" SCNu64 "-%d-%d-%c", &number, &index, &count, &letter) != 4) {
        return xylem_entry_payload(&payload, entry, NULL) == XYLEM_OK;
    }
    char *expected = work_payload(number, index, letter == 'l');
    bool right = xylem_entry_payload(&payload, entry, NULL) == XYLEM_OK && payload.bytes == strlen(expected) &&
                 memcmp(payload.data, expected, payload.bytes) == 0;
    free(expected);
    return right;
}

/* --- Working --- */

/* A session of that state that is none of a file; false if there is none. The count of them is given too. */
static inline bool work_pick(struct xylem_session *picked, int *live, struct xylem_txn *txn, struct chance *chance,
                             enum xylem_session_state state)
{
    struct xylem_sessions *sessions;
    struct xylem_session session;
    *live = 0;
    if (xylem_sessions_new(&sessions, txn, NULL) < 0) {
        return false;
    }
    while (xylem_sessions_next(&session, sessions, NULL) == 1) {
        if (session.state == state && session.id.data[0] == 'w' && chance_one_in(chance, ++*live)) {
            *picked = session;
        }
    }
    xylem_sessions_free(sessions);
    return *live > 0;
}

static inline int work_append(struct fact *fact, struct workload *load, struct xylem_txn *txn,
                              const struct xylem_session *session, const struct xylem_append_options *options,
                              struct xylem_error *err)
{
    struct xylem_new_entry entries[WORK_BATCH_MAX];
    char ids[WORK_BATCH_MAX][64];
    static const int64_t time_ms = 1700000000000;
    bool large = fact->work == WORK_LARGE;
    bool batch = fact->work == WORK_BATCH || (large && chance_one_in(&load->chance, 3));
    int count = batch ? 2 + chance_below(&load->chance, WORK_BATCH_MAX - 2) : 1;
    count = large && count > 6 ? 6 : count;
    memset(entries, 0, sizeof entries);
    for (int i = 0; i < count; i++) {
        work_id(ids[i], fact->number, i, count, large);
        entries[i].id = xylem_view_of(ids[i]);
        entries[i].kind.name = xylem_view_of(chance_one_in(&load->chance, 4) ? "note" : "message");
        entries[i].time_ms = &time_ms;
        entries[i].format = XYLEM_FORMAT_JSON;
        entries[i].payload = xylem_view_of(work_payload(fact->number, i, large));
    }
    uint64_t moves = session->move_count;
    fact->session = session->number;
    int code = xylem_append(&fact->first, txn, session->number, entries, (size_t)count, options, err);
    for (int i = 0; i < count; i++) {
        free((void *)(uintptr_t)entries[i].payload.data);
    }
    fact->entry_count = count;
    fact->move_count = moves;
    fact->leaf = (struct xylem_position){fact->first.branch, fact->first.depth + (uint64_t)count - 1};
    return code;
}

static inline int work_session(struct fact *fact, struct workload *load, struct xylem_txn *txn,
                               const struct xylem_session *source, struct xylem_error *err)
{
    char id[32];
    struct xylem_session session;
    snprintf(id, sizeof id, "w%" PRIu64, fact->number);
    struct xylem_session_options options = {.id = xylem_view_of(id)};
    if (fact->work == WORK_SESSION) {
        int code = xylem_session_create(&session, txn, &options, err);
        return code < 0 ? code : work_append(fact, load, txn, &session, NULL, err);
    }
    int code = xylem_clone(&session, txn, source->number, &options, err);
    fact->session = session.number;
    fact->leaf = session.leaf;
    return code;
}

static inline int work_on_branch(struct fact *fact, struct workload *load, struct xylem_txn *txn,
                                 const struct xylem_session *session, struct xylem_error *err)
{
    struct xylem_position at = {0, 0};
    uint64_t depth = session->leaf.depth;
    int code = depth == 0 ? XYLEM_OK
                          : xylem_ancestor_at(&at, txn, session->leaf,
                                              1 + (uint64_t)chance_below(&load->chance, (int)depth), err);
    if (code < 0) {
        return code;
    }
    if (fact->work == WORK_BRANCH) {
        struct xylem_append_options options = {.parent = depth == 0 ? XYLEM_PARENT_NONE : XYLEM_PARENT_AT,
                                               .parent_position = at};
        return work_append(fact, load, txn, session, &options, err);
    }
    fact->session = session->number;
    fact->leaf = at;
    fact->move_count = session->move_count + 1;
    return xylem_navigate(txn, session->number, at, xylem_view_of("work"), err);
}

static inline int work_redact(struct fact *fact, struct workload *load, struct xylem_txn *txn,
                              const struct xylem_session *session, struct xylem_error *err)
{
    struct xylem_redact_report report;
    struct xylem_redact_options options = {.reason = xylem_view_of(WORK_REASON),
                                           .drop_hash = chance_one_in(&load->chance, 2)};
    fact->session = session->number;
    fact->leaf = session->leaf;
    fact->move_count = session->move_count;
    fact->dropped = options.drop_hash;
    int code = xylem_ancestor_at(&fact->first, txn, session->leaf,
                                 1 + (uint64_t)chance_below(&load->chance, (int)session->leaf.depth), err);
    if (code < 0) {
        return code;
    }
    code = xylem_redact(&report, txn, session->number, fact->first, &options, err);
    xylem_redact_report_release(&report);
    return code;
}

/* What a piece of work does in its transaction. Where it cannot be done, a session is made instead. */
static inline int work_in(struct fact *fact, struct workload *load, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_session session;
    int live;
    bool found = work_pick(&session, &live, txn, &load->chance, XYLEM_SESSION_LIVE);
    struct xylem_session deleted;
    int deleted_count;
    if (fact->work == WORK_GC) {
        struct xylem_gc_report report = {0};
        int code = xylem_gc(&report, txn, NULL, err);
        fact->freed_count = report.entry_count;
        return code;
    }
    if (fact->work == WORK_UNDELETE && work_pick(&deleted, &deleted_count, txn, &load->chance, XYLEM_SESSION_DELETED)) {
        *fact = (struct fact){.work = fact->work,
                              .number = fact->number,
                              .session = deleted.number,
                              .leaf = deleted.leaf,
                              .move_count = deleted.move_count};
        return xylem_session_undelete(txn, deleted.number, err);
    }
    if (!found || fact->work == WORK_UNDELETE || (fact->work == WORK_REDACT && session.leaf.depth == 0) ||
        (fact->work == WORK_DELETE && live < 3) || (fact->work == WORK_FORK && live > 12)) {
        fact->work = WORK_SESSION;
    }
    switch (fact->work) {
    case WORK_SESSION:
    case WORK_FORK:
        return work_session(fact, load, txn, &session, err);
    case WORK_BRANCH:
    case WORK_NAVIGATE:
        return work_on_branch(fact, load, txn, &session, err);
    case WORK_DELETE:
        *fact = (struct fact){.work = fact->work,
                              .number = fact->number,
                              .session = session.number,
                              .leaf = session.leaf,
                              .move_count = session.move_count,
                              .deleted = true};
        return xylem_session_delete(txn, session.number, err);
    case WORK_REDACT:
        return work_redact(fact, load, txn, &session, err);
    default: {
        const struct xylem_side record = {.bytes = xylem_view_of("a line beside the entries")};
        uint64_t number = session.number;
        int code = work_append(fact, load, txn, &session, NULL, err);
        return code == XYLEM_OK && chance_one_in(&load->chance, 4) ? xylem_side_add(NULL, txn, number, &record, err)
                                                                   : code;
    }
    }
}

/* --- Session files --- */

#define WORK_FILE_LINES 40

static inline void work_file_path(char path[300], const char *place, uint64_t number)
{
    snprintf(path, 300, "%s/i%" PRIu64 ".jsonl", place, number);
}

/* Writes a session file whose session has the id `i<number>`. */
static inline void work_file(const char *path, uint64_t number)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fprintf(file,
            "{\"type\":\"session\",\"version\":3,\"id\":\"i%" PRIu64
            "\",\"timestamp\":\"2026-11-20T10:00:00.000Z\",\"cwd\":\"/\"}\n",
            number);
    for (int i = 0; i < WORK_FILE_LINES; i++) {
        char parent[40];
        snprintf(parent, sizeof parent, i == 0 ? "null" : "\"%08x\"", (unsigned)i - 1);
        fprintf(file,
                "{\"type\":\"message\",\"id\":\"%08x\",\"parentId\":%s,\"timestamp\":\"2026-11-20T10:00:%02d.000Z\","
                "\"message\":{\"role\":\"user\",\"content\":\"%0*d\"}}\n",
                (unsigned)i, parent, i % 60, (int)work_fill_bytes(number, i, false) + 1, i);
    }
    assert_int_equal(fclose(file), 0);
}

static inline int work_import(struct workload *load, uint64_t number, struct xylem_error *err)
{
    char path[300];
    struct xylem_import_report report;
    struct xylem_import_options options = {.batch_bytes = 2000};
    work_file_path(path, load->place, number);
    int code;
    do {
        code = xylem_import(&report, load->store, path, &options, err);
        xylem_import_report_release(&report);
    } while (code == XYLEM_E_MAP_FULL);
    return code;
}

/* The numbers of files that are imported together; the first of `number` is work_files_first(number). */
#define WORK_FILES 6
#define WORK_FILES_FIRST UINT64_C(1000000)

static inline uint64_t work_files_first(uint64_t number)
{
    return WORK_FILES_FIRST + number * WORK_FILES;
}

static inline void work_files(const char *place, uint64_t number)
{
    for (uint64_t i = 0; i < WORK_FILES; i++) {
        char path[300];
        work_file_path(path, place, work_files_first(number) + i);
        work_file(path, work_files_first(number) + i);
    }
}

struct work_files_context {
    struct workload *load;
    uint64_t first;
    int code;
};

static inline int work_file_imported(void *context, const struct xylem_imported *file)
{
    struct work_files_context *files = context;
    files->code = files->code < 0 ? files->code : file->code;
    if (file->code == XYLEM_OK && files->load->told) {
        files->load->told(files->first + file->index);
    }
    return 0;
}

/* The files of a piece of work, which share two transactions. */
static inline int work_import_files(struct workload *load, uint64_t number, struct xylem_error *err)
{
    char paths[WORK_FILES][300];
    const char *list[WORK_FILES];
    struct work_files_context context = {load, work_files_first(number), XYLEM_OK};
    struct xylem_import_options options = {.batch_bytes = 40000, .context = &context};
    for (uint64_t i = 0; i < WORK_FILES; i++) {
        work_file_path(paths[i], load->place, context.first + i);
        list[i] = paths[i];
    }
    int code = xylem_import_files(load->store, list, WORK_FILES, &options, work_file_imported, err);
    return code < 0 ? code : context.code;
}

/* --- One after the other --- */

static inline int work_do(struct fact *fact, struct workload *load, enum work work, struct xylem_error *err);

/* Appends to some session under a lease of it, or makes one where there is none. */
static inline int work_lease(struct fact *fact, struct workload *load, struct xylem_error *err)
{
    struct xylem_session session;
    struct xylem_lease *lease = NULL;
    struct xylem_txn *txn;
    int live;
    int code = xylem_begin(&txn, load->store, XYLEM_READ, err);
    if (code < 0) {
        return code;
    }
    bool found = work_pick(&session, &live, txn, &load->chance, XYLEM_SESSION_LIVE);
    uint64_t number = found ? session.number : 0;
    xylem_abort(txn);
    code = found ? xylem_lease_take(&lease, load->store, number, err) : XYLEM_OK;
    code = code < 0 ? code : work_do(fact, load, WORK_APPEND, err);
    int released = xylem_lease_release(lease, code < 0 ? NULL : err);
    return code < 0 ? code : released;
}

/* Does a piece of work, again if the map had to grow. The fact is true when it returns 0. */
static inline int work_do(struct fact *fact, struct workload *load, enum work work, struct xylem_error *err)
{
    if (work == WORK_LEASE) {
        return work_lease(fact, load, err);
    }
    uint64_t number = load->number++;
    if (work == WORK_SYNC || work == WORK_IMPORT || work == WORK_IMPORT_FILES) {
        *fact = (struct fact){.work = work, .number = number};
        if (load->intends) {
            load->intends(fact);
        }
        return work == WORK_SYNC     ? xylem_sync(load->store, err)
               : work == WORK_IMPORT ? work_import(load, number, err)
                                     : work_import_files(load, number, err);
    }
    struct chance before = load->chance;
    int code = XYLEM_E_MAP_FULL;
    for (int attempt = 0; attempt < 12 && code == XYLEM_E_MAP_FULL; attempt++) {
        struct xylem_txn *txn;
        load->chance = before;
        *fact = (struct fact){.work = work, .number = number};
        code = xylem_begin(&txn, load->store, XYLEM_WRITE, err);
        if (code < 0) {
            return code;
        }
        code = work_in(fact, load, txn, err);
        if (code < 0) {
            xylem_abort(txn);
            continue;
        }
        if (load->intends) {
            load->intends(fact);
        }
        code = xylem_commit(txn, err);
    }
    return code;
}

/* --- Checking --- */

struct work_check {
    uint64_t problems;
    char first[256];
};

static int work_problem(void *context, const struct xylem_problem *problem)
{
    struct work_check *check = context;
    if (check->problems++ == 0) {
        snprintf(check->first, sizeof check->first, "%s: %s", problem->table, problem->text);
    }
    return 0;
}

/* The whole store, each page and each row of it. */
static inline int work_verify(struct work_check *check, struct xylem_verify_report *report, struct xylem_txn *txn,
                              struct xylem_error *err)
{
    memset(check, 0, sizeof *check);
    return xylem_verify(report, txn, NULL, work_problem, check, err);
}

/* The same, and the feed of a store that was not repaired. */
static inline int work_verify_changes(struct work_check *check, struct xylem_verify_report *report,
                                      struct xylem_txn *txn, struct xylem_error *err)
{
    struct changes changes;
    int code = work_verify(check, report, txn, err);
    if (code == XYLEM_OK && check->problems == 0 && !changes_agree(&changes, txn, false)) {
        const struct xylem_problem problem = {.table = "feed", .text = changes.problem};
        work_problem(check, &problem);
    }
    return code;
}

static inline int work_add_session(struct xylem_format__hasher *hasher, struct xylem_txn *txn,
                                   const struct xylem_session *session)
{
    struct xylem_buffer buffer = {NULL, 0, 0};
    struct xylem_entry entry;
    struct xylem_scan *scan;
    struct xylem_move move;
    struct xylem_lease_owner owner;
    int code = XYLEM_OK;
    xylem_buffer_add(&buffer, session->id.data, session->id.bytes);
    const uint64_t numbers[] = {session->number,     session->leaf.branch, session->leaf.depth, session->base.branch,
                                session->base.depth, session->last_lsn,    session->move_count, session->state};
    xylem_buffer_add(&buffer, numbers, sizeof numbers);
    int leased = xylem_lease_read(&owner, txn, session->number, NULL);
    code = leased < 0 ? leased : XYLEM_OK;
    if (leased == 1) {
        xylem_buffer_add(&buffer, &owner.token, sizeof owner.token);
    }
    for (uint64_t n = 1; n <= session->move_count && code == XYLEM_OK; n++) {
        code = xylem_move_read(&move, txn, session->number, n, NULL);
        if (code == XYLEM_OK) {
            const uint64_t places[] = {move.from.branch, move.from.depth, move.to.branch, move.to.depth};
            xylem_buffer_add(&buffer, places, sizeof places);
        }
    }
    if (code == XYLEM_OK && session->state == XYLEM_SESSION_LIVE) {
        code = xylem_scan_new(&scan, txn, session->number, NULL);
        while (code >= 0 && (code = xylem_scan_next(&entry, scan, NULL)) == 1) {
            code = work_entry_right(&entry) ? XYLEM_OK : XYLEM_E_CORRUPT;
            xylem_buffer_add(&buffer, entry.id.data, entry.id.bytes);
            const uint64_t facts[] = {entry.lsn, entry.check, entry.position.branch, entry.position.depth, entry.flags};
            xylem_buffer_add(&buffer, facts, sizeof facts);
        }
        xylem_scan_free(scan);
    }
    xylem_format__hasher_add(hasher, (struct xylem_view){buffer.data, buffer.bytes});
    xylem_buffer_release(&buffer);
    return code;
}

static inline int work_add_changes(struct xylem_format__hasher *hasher, struct xylem_txn *txn)
{
    struct xylem_feed *feed = NULL;
    struct xylem_change change;
    int code = xylem_feed_new(&feed, txn, NULL, NULL);
    while (code >= 0 && (code = xylem_feed_next(&change, feed, NULL)) == 1) {
        const uint64_t facts[] = {change.type,           change.lsn,        change.session, change.position.branch,
                                  change.position.depth, change.move_number};
        xylem_format__hasher_add(hasher, (struct xylem_view){(const char *)facts, sizeof facts});
        xylem_format__hasher_add(hasher, change.freed_id);
    }
    xylem_feed_free(feed);
    return code;
}

/* One number for all that the sessions of a store hold, and for its changes; every entry is held against its id. */
static inline int work_digest(uint64_t *digest, struct xylem_txn *txn)
{
    struct xylem_format__hasher *hasher = xylem_format__hasher_new();
    struct xylem_sessions *sessions = NULL;
    struct xylem_session session;
    int code = hasher ? xylem_sessions_new(&sessions, txn, NULL) : XYLEM_E_MEMORY;
    while (code >= 0 && (code = xylem_sessions_next(&session, sessions, NULL)) == 1) {
        code = work_add_session(hasher, txn, &session);
    }
    xylem_sessions_free(sessions);
    code = code < 0 ? code : work_add_changes(hasher, txn);
    *digest = hasher && code == XYLEM_OK ? xylem_format__hasher_sum(hasher) : 0;
    xylem_format__hasher_free(hasher);
    return code;
}

#endif
