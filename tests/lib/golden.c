#include "tests/lib/golden.h"

#include <stdio.h>
#include <string.h>

#include "store/feed.h"
#include "tests/lib/full_store.h"
#include "tests/lib/test.h"
#include "xylem/append.h"
#include "xylem/care.h"
#include "xylem/files.h"
#include "xylem/note.h"
#include "xylem/segment.h"
#include "xylem/sequence.h"

static struct xylem_error err;

static int must(int code)
{
    return store_builder_must(code, &err);
}

/* Each fork has an entry and a branch of its own, and is the source of the next. */
static void add_deep_forks(struct store_builder *builder)
{
    char id[32] = "deep 0";
    uint64_t session = store_builder_session(builder, id);
    for (unsigned level = 1; level <= 9; level++) {
        struct xylem_position at = store_builder_messages(builder, session, 2);
        store_builder_add(builder, session, "same", "message", "{\"level\":\"of a session with forks\"}");
        snprintf(id, sizeof id, "deep %u", level);
        session = store_builder_fork(builder, session, at, XYLEM_FORK_AT, id);
    }
    store_builder_add(builder, session, "same", "message", "{\"level\":\"the last\"}");
}

static void add_ledger(struct store_builder *builder)
{
    static const struct xylem_view steps[] = {{"first step", 10}, {"second step", 11}};
    struct xylem_run_options options = {.sequence_id = xylem_view_of("q"),
                                        .steps = steps,
                                        .step_count = 2,
                                        .session = xylem_view_of("source"),
                                        .entry = xylem_view_of("root")};
    struct xylem_catalogue *catalogue = NULL;
    struct xylem_run *run = NULL;
    char run_id[XYLEM_UUID_TEXT_BYTES];
    must(xylem_commit(builder->txn, &err));
    must(xylem_catalogue_new(&catalogue, NULL, 0, NULL, &err));
    must(xylem_run_start(&run, run_id, NULL, builder->store, catalogue, &options, &err));
    must(xylem_run_close(run, &err));
    xylem_catalogue_free(catalogue);
    must(xylem_begin(&builder->txn, builder->store, XYLEM_WRITE, &err));
}

/* The same id in two namespaces and in none, and a freed session in one. */
static void add_namespaces(struct store_builder *builder)
{
    static const char *const spaces[] = {"", "a project", "/another/project"};
    struct xylem_gc_report report;
    for (size_t i = 0; i < 3; i++) {
        struct xylem_session session;
        struct xylem_session_options options = {.id = xylem_view_of("one id"), .name_space = xylem_view_of(spaces[i])};
        must(xylem_session_create(&session, builder->txn, &options, &err));
        store_builder_messages(builder, session.number, 1);
        if (i == 2) {
            must(xylem_session_delete(builder->txn, session.number, &err));
            must(xylem_gc(&report, builder->txn, NULL, &err));
        }
    }
}

static void add_rest(struct store_builder *builder)
{
    struct xylem_store__feed_end end;
    uint64_t follower = store_builder_session(builder, "follows");
    add_deep_forks(builder);
    add_ledger(builder);
    must(xylem_note_put(builder->txn, xylem_view_of("a note"), xylem_view_of("its value"), &err));
    must(xylem_note_put(builder->txn, xylem_view_of("an empty note"), (struct xylem_view){"", 0}, &err));
    must(xylem_session_file_note(builder->txn, store_builder_session(builder, "noted"), "/etc/passwd", &err));
    add_namespaces(builder);
    uint64_t back = store_builder_session(builder, "undeleted");
    must(xylem_session_delete(builder->txn, back, &err));
    must(xylem_session_undelete(builder->txn, back, &err));
    store_builder_messages(builder, follower, 2);
    must(xylem_session_follow(builder->txn, follower, xylem_view_of("another store"), 7, &err));
    must(xylem_store__feed_end(&end, builder->txn, NULL, &err));
    must(xylem_store__feed_skip(builder->txn, end.next_lsn + 2, &err)); /* as a repair does */
    store_builder_messages(builder, store_builder_session(builder, "behind lost lsns"), 1);
    store_builder_refresh(builder);
}

void golden_make(const char *path)
{
    struct store_builder builder;
    struct xylem_backup_report report;
    struct xylem_open_options options = {.durability = XYLEM_DURABILITY_NONE};
    store_builder_open(&builder);
    full_store_fill(&builder);
    add_rest(&builder);
    must(xylem_commit(builder.txn, &err));
    builder.txn = NULL;
    must(xylem_backup(&report, builder.store, path, NULL, &err));
    full_store_release();
    must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err));
    store_builder_close(&builder);
    struct store_builder copy = {.store = NULL}; /* its first change begins another life */
    must(xylem_open(&copy.store, path, &options, &err));
    must(xylem_begin(&copy.txn, copy.store, XYLEM_WRITE, &err));
    store_builder_add(&copy, store_builder_session(&copy, "second life"), "only", "message", "{\"a\":\"b\"}");
    must(xylem_commit(copy.txn, &err));
    must(xylem_close(copy.store, &err));
}
