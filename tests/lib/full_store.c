#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os.h"
#include "store/format/format.h"
#include "store/side.h"
#include "store/store.h"
#include "xylem/care.h"
#include "xylem/lease.h"
#include "xylem/redact.h"
#include "xylem/append.h"
#include "tests/lib/full_store.h"
#include "tests/lib/host_lines.h"

#define LINE(id, parent, rest)                                     \
    "{\"type\":\"message\",\"id\":\"" id "\",\"parentId\":" parent \
    ",\"timestamp\":\"2025-01-01T00:00:02.000Z\",\"message\":{\"role\":\"user\"" rest "}}\n"

/*
 * A child before its parent, two lines twice, one that is no JSON, one that keeps its spaces, and a last one without
 * end.
 */
static const char session_file[] =
    "{\"type\":\"session\",\"version\":3,\"id\":\"imported\",\"timestamp\":\"2025-01-01T00:00:00.000Z\",\"cwd\":\"/"
    "h\"}\n" /* and its lines */
    LINE("i1", "null", ",\"content\":\"first words\"") LINE("i3", "\"i2\"", "") LINE("i2", "\"i1\"", "")
        LINE("i2", "\"i1\"", ",\"twice\":1") LINE("i3", "\"i2\"", ",\"twice\":1") "no json\n" LINE(
            "i4", "\"i3\"", ", \"spaced\": 1 ") "{\"type\":\"mess";

void full_store_import(struct store_builder *builder, const char *text)
{
    char path[300];
    struct xylem_import_report report = {0};
    struct xylem_error err = {0};
    (void)snprintf(path, sizeof path, "%s/session.jsonl", builder->path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
    store_builder_must(xylem_commit(builder->txn, &err), &err);
    builder->txn = NULL;
    store_builder_must(xylem_import(&report, builder->store, path, NULL, &err), &err);
    xylem_import_report_release(&report);
    assert_int_equal(unlink(path), 0);
    store_builder_must(xylem_begin(&builder->txn, builder->store, XYLEM_WRITE, &err), &err);
}

/* A record that lies on pages of its own, whose payload and line are long; and one with a long kind. */
static void add_long(struct store_builder *builder, uint64_t session)
{
    char payload[1200];
    char line[1300];
    char name[XYLEM_FORMAT__NAME_KEY_BYTES_MAX + 20];
    struct xylem_error err = {0};
    memset(payload, 'p', sizeof payload);
    payload[0] = payload[sizeof payload - 1] = '"';
    memset(line, 'l', sizeof line);
    memset(name, 'k', sizeof name);
    struct xylem_new_entry entries[] = {
        {.id = xylem_view_of("long"),
         .kind.name = xylem_view_of("message"),
         .format = XYLEM_FORMAT_JSON,
         .payload = {payload, sizeof payload}},
        {.kind = {XYLEM_CLASS_CUSTOM, {name, sizeof name}}},
    };
    struct xylem_view lines[] = {{line, sizeof line}, {NULL, 0}};
    struct xylem_store__append_options options = {.imported = true, .payload_checked = true, .lines = lines};
    struct xylem_position first;
    store_builder_must(xylem_store__append(&first, builder->txn, session, entries, 2, &options, &err), &err);
    store_builder_go(builder, session, (struct xylem_position){first.branch, first.depth + 1});
}

static void add_importing(struct store_builder *builder)
{
    struct xylem_session session = {.id = xylem_view_of("importing"), .state = XYLEM_SESSION_IMPORTING};
    struct xylem_new_entry entry = {.id = xylem_view_of("half"), .kind.name = xylem_view_of("message")};
    const struct xylem_append_options root = {.parent = XYLEM_PARENT_NONE};
    struct xylem_store__append_options options = {.given = &root, .imported = true};
    struct xylem_error err = {0};
    store_builder_must(xylem_store__session_add(builder->txn, &session, &err), &err);
    uint64_t number = session.number;
    store_builder_must(xylem_store__append(NULL, builder->txn, number, &entry, 1, &options, &err), &err);
}

/* --- Leases ------------------------------------------------------------------------------------------------------- */

static int held = -1; /* on which the byte of the living owner is locked */

/* Locks the byte of the session's token, so that its owner lives for as long as this process. */
static void hold_byte(struct store_builder *builder, uint64_t session)
{
    char path[300];
    struct xylem_lease_owner owner;
    struct xylem_error err = {0};
    (void)snprintf(path, sizeof path, "%s/xylem.lock", builder->path);
    assert_int_equal(held, -1);
    held = open(path, O_RDWR | O_CLOEXEC);
    assert_true(held >= 0);
    assert_int_equal(store_builder_must(xylem_lease_read(&owner, builder->txn, session, &err), &err), 1);
    assert_int_equal(xylem_base__byte_lock(held, owner.token, path, &err), 1);
}

/* A session whose owner was another process, which ended: nothing was open in this one while that owner lived. */
static void add_owner(struct store_builder *builder, uint64_t session)
{
    struct xylem_error err = {0};
    int status = 0;
    store_builder_must(xylem_commit(builder->txn, &err), &err);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct xylem_open_options options = {.durability = XYLEM_DURABILITY_NONE};
        struct xylem_store *store = NULL;
        struct xylem_lease *lease = NULL;
        bool taken = xylem_open(&store, builder->path, &options, NULL) == XYLEM_OK &&
                     xylem_lease_take(&lease, store, session, NULL) == XYLEM_OK;
        _exit(taken ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    store_builder_must(xylem_begin(&builder->txn, builder->store, XYLEM_WRITE, &err), &err);
}

static void add_owners(struct store_builder *builder)
{
    struct xylem_error err = {0};
    struct xylem_lease_owner owner;
    uint64_t empty = store_builder_session(builder, "empty");
    uint64_t owned = store_builder_session(builder, "owned");
    store_builder_messages(builder, owned, 1);
    add_owner(builder, empty);
    add_owner(builder, owned);
    hold_byte(builder, owned);
    assert_int_equal(store_builder_must(xylem_lease_read(&owner, builder->txn, owned, &err), &err), 1);
    assert_true(owner.alive);
    assert_int_equal(store_builder_must(xylem_lease_read(&owner, builder->txn, empty, &err), &err), 1);
    assert_false(owner.alive);
}

void full_store_release(void)
{
    if (held >= 0) {
        assert_int_equal(close(held), 0);
        held = -1;
    }
}

/* --- What was freed, and what was redacted ------------------------------------------------------------------------ */

/*
 * A session of which nothing is left, and one of which others share a part: a branch that was cut, one that is gone,
 * and lsns that were freed in several runs.
 */
static void add_freed(struct store_builder *builder)
{
    struct xylem_error err = {0};
    struct xylem_gc_report report;
    uint64_t whole = store_builder_session(builder, "freed whole");
    store_builder_add(builder, whole, "f1", "message", "{\"secret\":1}");
    store_builder_messages(builder, whole, 1);
    uint64_t remnant = store_builder_session(builder, "remnant");
    struct xylem_position root = store_builder_add(builder, remnant, "r1", "message", "{\"r\":1}");
    store_builder_add(builder, remnant, NULL, "custom:readonly", "{\"enabled\":true}");
    struct xylem_position shared = store_builder_add(builder, remnant, "r3", "message", NULL);
    uint64_t heir = store_builder_fork(builder, remnant, shared, XYLEM_FORK_AT, "heir");
    store_builder_add(builder, remnant, "r4", "message", NULL);
    store_builder_add(builder, heir, "h4", "message", NULL);
    store_builder_messages(builder, remnant, 2);
    store_builder_go(builder, remnant, root);
    store_builder_add(builder, remnant, "r-side", "label", "{\"targetId\":\"r1\",\"label\":\"gone\"}");
    store_builder_must(xylem_session_delete(builder->txn, whole, &err), &err);
    store_builder_must(xylem_session_delete(builder->txn, remnant, &err), &err);
    store_builder_must(xylem_gc(&report, builder->txn, NULL, &err), &err);
    assert_int_equal(report.session_count, 2);
    assert_int_equal(report.entry_count, 6);
    assert_int_equal(report.kept_session_count, 1);
    store_builder_add(builder, heir, NULL, "message", NULL); /* behind the floor */
}

static struct xylem_redact_report redact(struct store_builder *builder, uint64_t session, struct xylem_position at,
                                         bool drop_hash)
{
    struct xylem_error err = {0};
    struct xylem_redact_options options = {.reason = xylem_view_of("a key"), .drop_hash = drop_hash};
    struct xylem_redact_report report;
    store_builder_must(xylem_redact(&report, builder->txn, session, at, &options, &err), &err);
    struct xylem_redact_report counts = report;
    xylem_redact_report_release(&report);
    return counts;
}

/* An entry with its hash, and with it the second line of its id that is in quarantine; and one without its hash. */
static void add_redacted(struct store_builder *builder, uint64_t last)
{
    struct xylem_session imported;
    struct xylem_error err = {0};
    store_builder_must(xylem_session_find(&imported, builder->txn, xylem_view_of("imported"), &err), &err);
    struct xylem_redact_report report =
        redact(builder, imported.number, store_builder_find(builder, imported.number, "i2"), false);
    assert_int_equal(report.redacted_count, 1);
    assert_int_equal(report.quarantined_count, 1);
    struct xylem_position at = store_builder_leaf(builder, last);
    report = redact(builder, last, (struct xylem_position){at.branch, 2}, true);
    assert_int_equal(report.dropped_count, 1);
    assert_int_equal(report.rechecked_count, 1);
}

/* --- Another host ------------------------------------------------------------------------------------------------- */

#define HOST_LINE(n, value, id) "{\"n\":" n ",\"promptId\":\"<" value ">\",\"sessionId\":\"<#" id ">\"}"

/* A session of lines and its fork: rows of each type beside the entries, a redacted one, and one on pages of its own. */
static void add_host(struct store_builder *builder)
{
    char record[2200];
    struct xylem_error err = {0};
    uint64_t host = store_builder_session(builder, "host");
    memset(record, 'r', sizeof record - 1);
    record[sizeof record - 1] = '\0';
    host_record_add(builder, host, record);
    struct xylem_position first = host_line_add(builder, host, "l1", "user", HOST_LINE("1", "7", "host"));
    struct xylem_position last = host_line_add(builder, host, "l2", "attachment", HOST_LINE("2", "7", "host"));
    host_run_add(builder, host, XYLEM_SIDE_REPEAT, last, 1);
    uint64_t fork = store_builder_fork(builder, host, last, XYLEM_FORK_AT, "host fork");
    uint64_t lsn = host_record_add(builder, fork, "a record with a key");
    host_run_add(builder, fork, XYLEM_SIDE_SHARED, last, 2);
    assert_int_equal(host_line_share(builder, fork, first, HOST_LINE("1", "8", "host fork"), &err), 1);
    host_line_add(builder, fork, "l3", "user", HOST_LINE("3", "8", "host fork"));
    host_record_add(builder, fork, "the last record");
    store_builder_must(xylem_store__side_redact(builder->txn, fork, lsn, xylem_view_of("a key"), &err), &err);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static uint64_t add_source(struct store_builder *builder)
{
    uint64_t source = store_builder_session(builder, "source");
    struct xylem_position root = store_builder_add(builder, source, "root", "message", "{\"a\":1}");
    store_builder_add(builder, source, NULL, "custom:readonly", "{\"enabled\":true}");
    struct xylem_position shared = store_builder_add(builder, source, "shared", "message", NULL);
    store_builder_add(builder, source, NULL, "custom:readonly-nudge", "{\"direction\":\"on\",\"delivered\":true}");
    store_builder_add(builder, source, NULL, "label", "{\"targetId\":\"root\",\"label\":\"first\"}");
    store_builder_add(builder, source, NULL, "session_info", "{\"name\":\"named\"}");
    add_long(builder, source);
    store_builder_go(builder, source, root);
    store_builder_add(builder, source, "side", "custom:readonly", "{\"enabled\":false}");
    store_builder_add(builder, source, NULL, "custom:sequence",
                      "{\"version\":1,\"sequenceId\":\"q\",\"steps\":[\"a\",\"b\"],\"updatedAt\":5}");
    store_builder_go(builder, source, (struct xylem_position){0, 0});
    store_builder_add(builder, source, "other", "message", NULL);
    store_builder_go(builder, source, shared);
    store_builder_add(builder, source, NULL, "message", "{\"b\":2}");
    return source;
}

void full_store_fill(struct store_builder *builder)
{
    struct xylem_error err = {0};
    uint64_t source = add_source(builder);
    add_freed(builder);
    struct xylem_position shared = store_builder_find(builder, source, "shared");
    uint64_t fork = store_builder_fork(builder, source, shared, XYLEM_FORK_AT, "fork");
    store_builder_add(builder, fork, "side", "message", NULL);
    store_builder_commit(builder);
    store_builder_add(builder, fork, NULL, "custom:readonly", "{\"enabled\":\"no bool\"}");
    uint64_t clone = store_builder_clone(builder, fork, "clone");
    store_builder_add(builder, clone, NULL, "label", "{\"targetId\":\"side\",\"label\":\"second\"}");
    store_builder_add(builder, fork, NULL, "message", NULL);
    store_builder_fork(builder, source, shared, XYLEM_FORK_BEFORE, "before");
    add_owners(builder);
    add_host(builder);
    uint64_t gone = store_builder_clone(builder, clone, "gone");
    store_builder_add(builder, gone, "last", "message", NULL);
    store_builder_must(xylem_session_delete(builder->txn, gone, &err), &err);
    add_importing(builder);
    full_store_import(builder, session_file);
    uint64_t last = store_builder_session(builder, "written last");
    store_builder_messages(builder, last, 3);
    add_redacted(builder, last);
    store_builder_refresh(builder);
    struct xylem_position leaf = store_builder_leaf(builder, last);
    store_builder_go(builder, last, (struct xylem_position){leaf.branch, leaf.depth - 1}); /* leaves a notice */
    store_builder_commit(builder);
}
