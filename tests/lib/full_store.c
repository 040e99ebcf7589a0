#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/format.h"
#include "store/store.h"
#include "tests/lib/full_store.h"
#include "tests/store/rows.h"

#define LINE(id, parent, rest)                                     \
    "{\"type\":\"message\",\"id\":\"" id "\",\"parentId\":" parent \
    ",\"timestamp\":\"2025-01-01T00:00:02.000Z\",\"message\":{\"role\":\"user\"" rest "}}"

/* A child before its parent, a line twice, one that is no JSON, one that keeps its spaces, and a last one without end. */
static const char imported[] =
    "{\"type\":\"session\",\"version\":3,\"id\":\"imported\",\"timestamp\":\"2025-01-01T00:00:00.000Z\",\"cwd\":\"/"
    "h\"}\n" LINE("i1", "null", "") "\n" LINE("i3", "\"i2\"", "") "\n" LINE("i2", "\"i1\"", "") "\n" LINE(
        "i2", "\"i1\"", ",\"twice\":1") "\n"
                                        "no json\n" LINE("i4", "\"i3\"", ", \"spaced\": 1 ") "\n"
                                                                                             "{\"type\":\"mess";

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
    char name[XYLEM_STORE__NAME_KEY_BYTES_MAX + 20];
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
    options.public_options.parent = XYLEM_PARENT_LEAF;
    store_builder_must(xylem_store__append(&first, builder->txn, session, entries, 2, &options, &err), &err);
    store_builder_go(builder, session, (struct xylem_position){first.branch, first.depth + 1});
}

static void add_importing(struct store_builder *builder)
{
    struct xylem_session session = {.id = xylem_view_of("importing"), .state = XYLEM_SESSION_IMPORTING};
    struct xylem_new_entry entry = {.id = xylem_view_of("half"), .kind.name = xylem_view_of("message")};
    struct xylem_store__append_options options = {.imported = true};
    struct xylem_error err = {0};
    store_builder_must(xylem_store__session_add(builder->txn, &session, &err), &err);
    uint64_t number = session.number;
    options.public_options.parent = XYLEM_PARENT_NONE;
    store_builder_must(xylem_store__append(NULL, builder->txn, number, &entry, 1, &options, &err), &err);
}

/* A session whose owner died: nothing was open in this process while that owner lived. */
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
    floors_put(builder->txn, &(struct xylem_store__floors){.lsn = 0});
    uint64_t source = add_source(builder);
    struct xylem_position shared = store_builder_find(builder, source, "shared");
    uint64_t fork = store_builder_fork(builder, source, shared, XYLEM_FORK_AT, "fork");
    store_builder_add(builder, fork, "side", "message", NULL);
    store_builder_commit(builder);
    store_builder_add(builder, fork, NULL, "custom:readonly", "{\"enabled\":\"no bool\"}");
    uint64_t clone = store_builder_clone(builder, fork, "clone");
    store_builder_add(builder, clone, NULL, "label", "{\"targetId\":\"side\",\"label\":\"second\"}");
    store_builder_add(builder, fork, NULL, "message", NULL);
    store_builder_fork(builder, source, shared, XYLEM_FORK_BEFORE, "before");
    add_owner(builder, store_builder_session(builder, "empty"));
    uint64_t gone = store_builder_clone(builder, clone, "gone");
    store_builder_add(builder, gone, "last", "message", NULL);
    store_builder_must(xylem_session_delete(builder->txn, gone, &err), &err);
    add_importing(builder);
    full_store_import(builder, imported);
    uint64_t last = store_builder_session(builder, "written last");
    store_builder_messages(builder, last, 3);
    store_builder_commit(builder);
}
