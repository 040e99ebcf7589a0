/* Many session files in one call: shared syncs, failures beside each other, and when the caller hears of a file. */
#include <dlfcn.h>
#include <errno.h>

#include "tests/lib/chance.h"
#include "tests/lib/test.h"
#include "tests/travel/jsonl/sandbox.h"
#include "xylem/lease.h"

#define REAL(name, call)                        \
    do {                                        \
        void *symbol_ = dlsym(RTLD_NEXT, name); \
        memcpy(&(call), &symbol_, sizeof call); \
    } while (0)

static unsigned syncs;
static unsigned failing_sync; /* counted from 1; 0: none */

/* LMDB's sync of a commit. */
__attribute__((visibility("default"))) int fdatasync(int fd)
{
    int (*real)(int);
    REAL("fdatasync", real);
    if (++syncs == failing_sync) {
        errno = EIO;
        return -1;
    }
    return real(fd);
}

#define FILES_MAX 600

/* The calls of the callbacks, in order. */
struct told {
    struct sandbox *sandbox;
    size_t count;
    struct {
        size_t index;
        int code;
        struct xylem_import_report report; /* without problems */
        unsigned syncs;
    } files[FILES_MAX];
    size_t begun[FILES_MAX]; /* how often */
    size_t stop_at_begin;    /* of the file with this index; SIZE_MAX: never */
    size_t stop_at_told;
};

static bool writer_is_taken; /* by the test itself */
static char names[FILES_MAX][512];
static const char *paths[FILES_MAX];

static int begins(void *context, const struct xylem_import_progress *progress)
{
    struct told *told = context;
    assert_string_equal(progress->path, paths[progress->file_index]);
    if (progress->bytes_done > 0) {
        return 0;
    }
    told->begun[progress->file_index]++;
    return progress->file_index == told->stop_at_begin;
}

/* The caller finds the session of each file in the store. */
static int take(void *context, const struct xylem_imported *file)
{
    struct told *told = context;
    /* The import has no transaction open. */
    struct xylem_txn *txn = sandbox_begin(told->sandbox, writer_is_taken ? XYLEM_READ : XYLEM_WRITE);
    struct xylem_session session;
    assert_string_equal(file->path, paths[file->index]);
    if (file->code == XYLEM_OK) {
        assert_int_equal(sandbox_session(&session, txn, file->report->session_id), file->report->session);
    } else {
        assert_int_equal(file->err->code, file->code);
        assert_true(file->err->text[0]);
    }
    xylem_abort(txn);
    told->files[told->count].index = file->index;
    told->files[told->count].code = file->code;
    told->files[told->count].report = *file->report;
    told->files[told->count].report.problems = NULL;
    told->files[told->count].report.storage = NULL;
    told->files[told->count++].syncs = syncs;
    return file->index == told->stop_at_told;
}

static int import_files(struct told *told, struct sandbox *sandbox, size_t count)
{
    struct xylem_import_options options = sandbox->options;
    memset(told, 0, sizeof *told);
    told->sandbox = sandbox;
    told->stop_at_begin = SIZE_MAX;
    told->stop_at_told = SIZE_MAX;
    options.progress = begins;
    options.context = told;
    return xylem_import_files(sandbox->store, paths, count, &options, take, &sandbox->err);
}

/* `count` entries, in a chain, in a session of that number. */
static void write_file(struct sandbox *sandbox, size_t number, size_t count, const char *end)
{
    struct xylem_buffer text = {0};
    char name[32];
    assert_int_equal(xylem_base__buffer_add_format(&text,
                                                   "{\"type\":\"session\",\"version\":3,\"id\":\"s%zu\",\"timestamp\":"
                                                   "\"2025-01-01T00:00:00.000Z\",\"cwd\":\"/home\"}\n",
                                                   number),
                     0);
    for (size_t i = 0; i < count; i++) {
        char parent[32] = "null";
        if (i > 0) {
            snprintf(parent, sizeof parent, "\"e%zu\"", i - 1);
        }
        assert_int_equal(xylem_base__buffer_add_format(&text,
                                                       "{\"type\":\"message\",\"id\":\"e%zu\",\"parentId\":%s,"
                                                       "\"timestamp\":\"2025-01-01T00:00:01.000Z\",\"message\":"
                                                       "{\"text\":\"%zu of %zu\"}}\n",
                                                       i, parent, i, number),
                         0);
    }
    assert_int_equal(xylem_base__buffer_add_text(&text, end), 0);
    snprintf(name, sizeof name, "%zu", number);
    sandbox_write(sandbox, name, text.data, text.bytes);
    sandbox_path(names[number], sandbox, name);
    paths[number] = names[number];
    xylem_buffer_release(&text);
}

static void write_files(struct sandbox *sandbox, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        write_file(sandbox, i, 3, "");
    }
}

/* A store that syncs. */
static void open_synced(struct sandbox *sandbox, uint64_t map_bytes)
{
    char path[512];
    struct xylem_open_options options = {.map_bytes = map_bytes};
    sandbox_open(sandbox);
    assert_int_equal(xylem_close(sandbox->store, NULL), XYLEM_OK);
    sandbox_path(path, sandbox, "store");
    assert_int_equal(xylem_open(&sandbox->store, path, &options, NULL), XYLEM_OK);
    syncs = 0;
    failing_sync = 0;
}

static void assert_all_told(const struct told *told, size_t count, enum xylem_import_outcome outcome)
{
    assert_int_equal(told->count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(told->files[i].index, i);
        assert_int_equal(told->files[i].code, XYLEM_OK);
        assert_int_equal(told->files[i].report.outcome, outcome);
    }
}

/* --- Sharing ----------------------------------------------------------------------------------------------------- */

TEST(small_files_share_a_sync_and_are_told_of_behind_it)
{
    static struct told told;
    struct sandbox sandbox;
    (void)state;
    open_synced(&sandbox, 0);
    write_files(&sandbox, FILES_MAX);
    assert_int_equal(import_files(&told, &sandbox, FILES_MAX), XYLEM_OK);
    assert_all_told(&told, FILES_MAX, XYLEM_IMPORT_NEW);
    assert_int_equal(syncs, 3); /* 256, 256 and 88 files */
    for (size_t i = 0; i < FILES_MAX; i++) {
        assert_int_equal(told.files[i].syncs, 1 + i / 256);
        assert_int_equal(told.files[i].report.added_count, 3);
        assert_int_equal(told.begun[i], 1);
    }
    assert_int_equal(import_files(&told, &sandbox, FILES_MAX), XYLEM_OK);
    assert_all_told(&told, FILES_MAX, XYLEM_IMPORT_UNCHANGED);
    assert_int_equal(syncs, 3);
    sandbox_close(&sandbox);
}

/* A shared transaction has room for a limited number of bytes; a larger file has transactions of its own. */
TEST(large_files_do_not_share)
{
    static struct told told;
    struct sandbox sandbox;
    (void)state;
    open_synced(&sandbox, 0);
    sandbox.options.batch_bytes = 3000;
    write_files(&sandbox, 20);
    write_file(&sandbox, 5, 100, "");
    assert_int_equal(import_files(&told, &sandbox, 20), XYLEM_OK);
    assert_all_told(&told, 20, XYLEM_IMPORT_NEW);
    assert_true(told.files[4].syncs < told.files[5].syncs && told.files[5].syncs < told.files[6].syncs);
    assert_true(told.files[5].syncs - told.files[4].syncs > 2); /* in batches */
    assert_int_equal(told.files[0].syncs, told.files[3].syncs);
    assert_true(told.files[6].syncs < told.files[19].syncs);
    sandbox_close(&sandbox);
}

/* Short lines take more room in the store than in the file, and the import counts them while it places them. */
TEST(a_file_that_turns_out_large_begins_again_alone)
{
    static struct told told;
    struct sandbox sandbox;
    char shorts[401];
    (void)state;
    open_synced(&sandbox, 0);
    sandbox.options.batch_bytes = 3000;
    for (size_t i = 0; i < sizeof shorts - 1; i++) {
        shorts[i] = i % 2 ? '\n' : 'x';
    }
    shorts[sizeof shorts - 1] = '\0';
    write_files(&sandbox, 4);
    write_file(&sandbox, 2, 1, shorts);
    assert_int_equal(import_files(&told, &sandbox, 4), XYLEM_OK);
    assert_all_told(&told, 4, XYLEM_IMPORT_NEW);
    assert_int_equal(told.files[2].report.quarantined_count, 200);
    sandbox_close(&sandbox);
}

TEST(a_fork_finds_its_source_in_the_same_transaction)
{
    static struct told told;
    struct sandbox sandbox;
    (void)state;
    open_synced(&sandbox, 0);
    sandbox_write_text(&sandbox, "0", HEADER ROOT("a") CHILD("b", "a"));
    sandbox_write_text(&sandbox, "1",
                       "{\"type\":\"session\",\"version\":3,\"id\":\"t\",\"timestamp\":\"2025-01-01T00:00:00.000Z\","
                       "\"cwd\":\"/home\",\"parentSession\":\"s\"}\n" ROOT("a") CHILD("b", "a") CHILD("c", "b"));
    for (size_t i = 0; i < 2; i++) {
        char name[2] = {(char)('0' + i), '\0'};
        sandbox_path(names[i], &sandbox, name);
        paths[i] = names[i];
    }
    assert_int_equal(import_files(&told, &sandbox, 2), XYLEM_OK);
    assert_all_told(&told, 2, XYLEM_IMPORT_NEW);
    assert_int_equal(syncs, 1);
    assert_int_equal(told.files[1].report.source, XYLEM_IMPORT_SOURCE_SHARED);
    assert_int_equal(told.files[1].report.shared_count, 2);
    assert_int_equal(told.files[1].report.added_count, 1);
    sandbox_close(&sandbox);
}

TEST(files_that_did_not_change_wait_for_nobody)
{
    static struct told told;
    struct sandbox sandbox;
    (void)state;
    open_synced(&sandbox, 0);
    write_files(&sandbox, 2);
    assert_int_equal(import_files(&told, &sandbox, 1), XYLEM_OK);
    struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_WRITE);
    writer_is_taken = true;
    assert_int_equal(import_files(&told, &sandbox, 2), XYLEM_OK);
    writer_is_taken = false;
    xylem_abort(txn);
    assert_int_equal(told.files[0].report.outcome, XYLEM_IMPORT_UNCHANGED);
    assert_int_equal(told.files[1].code, XYLEM_E_BUSY);
    assert_int_equal(import_files(&told, &sandbox, 2), XYLEM_OK);
    assert_int_equal(told.files[0].report.outcome, XYLEM_IMPORT_UNCHANGED);
    assert_int_equal(told.files[1].report.outcome, XYLEM_IMPORT_NEW);
    assert_int_equal(told.files[0].syncs + 1, told.files[1].syncs); /* told of before the transaction begins */
    sandbox_close(&sandbox);
}

/* --- Failures ---------------------------------------------------------------------------------------------------- */

TEST(a_file_that_cannot_be_read_is_told_of_in_its_turn)
{
    static struct told told;
    struct sandbox sandbox;
    (void)state;
    open_synced(&sandbox, 0);
    write_files(&sandbox, 6);
    sandbox_write_text(&sandbox, "2", "no session\n");
    paths[4] = "/nonexistent/file";
    assert_int_equal(import_files(&told, &sandbox, 6), XYLEM_OK);
    assert_int_equal(told.count, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(told.files[i].index, i);
        assert_int_equal(told.files[i].code, i == 2 ? XYLEM_E_MALFORMED : i == 4 ? XYLEM_E_IO : XYLEM_OK);
    }
    assert_int_equal(syncs, 1);
    sandbox_close(&sandbox);
}

/* The import meets the lease when it begins to write, behind other files of the transaction. */
TEST(a_failure_in_the_middle_takes_nothing_from_the_other_files)
{
    static struct told told;
    struct sandbox sandbox;
    struct xylem_session session;
    struct xylem_lease *lease = NULL;
    (void)state;
    open_synced(&sandbox, 0);
    write_files(&sandbox, 8);
    sandbox_import(&sandbox, "5");
    struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_READ);
    uint64_t number = sandbox_session(&session, txn, "s5");
    xylem_abort(txn);
    write_file(&sandbox, 5, 4, "");

    char path[512];
    struct xylem_store *owner = NULL;
    sandbox_path(path, &sandbox, "store");
    assert_int_equal(xylem_open(&owner, path, NULL, NULL), XYLEM_OK);
    assert_int_equal(xylem_lease_take(&lease, owner, number, NULL), XYLEM_OK);
    assert_int_equal(import_files(&told, &sandbox, 8), XYLEM_OK);
    assert_int_equal(told.count, 8);
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(told.files[i].index, i);
        assert_int_equal(told.files[i].code, i == 5 ? XYLEM_E_CONFLICT : XYLEM_OK);
        assert_int_equal(told.files[i].report.added_count, i == 5 ? 0 : 3);
    }
    assert_int_equal(xylem_lease_release(lease, NULL), XYLEM_OK);
    assert_int_equal(xylem_close(owner, NULL), XYLEM_OK);
    sandbox_close(&sandbox);
}

TEST(a_sync_that_fails_is_made_up_for_file_by_file)
{
    static struct told told;
    struct sandbox sandbox;
    (void)state;
    open_synced(&sandbox, 0);
    write_files(&sandbox, 20);
    failing_sync = 1;
    assert_int_equal(import_files(&told, &sandbox, 20), XYLEM_OK);
    assert_all_told(&told, 20, XYLEM_IMPORT_NEW);
    assert_int_equal(syncs, 21);
    sandbox_close(&sandbox);
}

TEST(a_map_that_is_full_grows)
{
    static struct told told;
    struct sandbox sandbox;
    (void)state;
    open_synced(&sandbox, 1 << 20);
    for (size_t i = 0; i < 80; i++) {
        write_file(&sandbox, i, 200, "");
    }
    assert_int_equal(import_files(&told, &sandbox, 80), XYLEM_OK);
    assert_all_told(&told, 80, XYLEM_IMPORT_NEW);
    assert_true(syncs < 20); /* the files share transactions afterwards, too */
    sandbox_close(&sandbox);
}

/* --- Stopping ---------------------------------------------------------------------------------------------------- */

static void assert_there(struct sandbox *sandbox, size_t count)
{
    struct xylem_txn *txn = sandbox_begin(sandbox, XYLEM_READ);
    for (size_t i = 0; i < 10; i++) {
        char id[8];
        struct xylem_session session;
        snprintf(id, sizeof id, "s%zu", i);
        assert_int_equal(xylem_session_find(&session, txn, xylem_view_of(id), NULL),
                         i < count ? XYLEM_OK : XYLEM_E_NOT_FOUND);
    }
    xylem_abort(txn);
}

TEST(progress_stops_between_files_and_keeps_what_is_done)
{
    static struct told told;
    struct sandbox sandbox;
    (void)state;
    open_synced(&sandbox, 0);
    write_files(&sandbox, 10);
    struct xylem_import_options options = {.progress = begins, .context = &told};
    told = (struct told){.sandbox = &sandbox, .stop_at_begin = 6, .stop_at_told = SIZE_MAX};
    assert_int_equal(xylem_import_files(sandbox.store, paths, 10, &options, take, &sandbox.err), XYLEM_E_STOPPED);
    assert_all_told(&told, 6, XYLEM_IMPORT_NEW);
    assert_there(&sandbox, 6);
    assert_int_equal(syncs, 1);
    sandbox_close(&sandbox);
}

struct asked {
    struct told told;
    size_t file; /* the answer is not 0 once, behind the last batch of this file */
    bool answered;
};

static int stops_once(void *context, const struct xylem_import_progress *progress)
{
    struct asked *asked = context;
    bool stop = !asked->answered && progress->file_index == asked->file &&
                progress->bytes_done == progress->bytes_total && progress->bytes_done > 0;
    asked->answered = asked->answered || stop;
    return stop;
}

static int take_asked(void *context, const struct xylem_imported *file)
{
    return take(&((struct asked *)context)->told, file);
}

TEST(a_stop_behind_the_last_batch_of_a_file_is_heard)
{
    static struct asked asked;
    (void)state;
    for (int alone = 0; alone < 2; alone++) {
        struct sandbox sandbox;
        open_synced(&sandbox, 0);
        write_files(&sandbox, 10);
        struct xylem_import_options options = {
            .progress = stops_once, .context = &asked, .batch_bytes = alone ? 100 : 0};
        asked = (struct asked){.file = 3};
        asked.told = (struct told){.sandbox = &sandbox, .stop_at_begin = SIZE_MAX, .stop_at_told = SIZE_MAX};
        assert_int_equal(xylem_import_files(sandbox.store, paths, 10, &options, take_asked, &sandbox.err),
                         XYLEM_E_STOPPED);
        assert_true(asked.answered);
        assert_all_told(&asked.told, 4, XYLEM_IMPORT_NEW);
        assert_there(&sandbox, 4);
        sandbox_close(&sandbox);
    }
}

TEST(a_caller_that_stops_hears_of_every_file_that_is_committed)
{
    static struct told told;
    struct sandbox sandbox;
    (void)state;
    open_synced(&sandbox, 0);
    write_files(&sandbox, 10);
    sandbox.options.batch_bytes = 3000;
    struct xylem_import_options options = {.progress = begins, .context = &told, .batch_bytes = 3000};
    told = (struct told){.sandbox = &sandbox, .stop_at_begin = SIZE_MAX, .stop_at_told = 1};
    assert_int_equal(xylem_import_files(sandbox.store, paths, 10, &options, take, &sandbox.err), XYLEM_E_STOPPED);
    assert_true(told.count > 2 && told.count < 10);
    assert_there(&sandbox, told.count);
    assert_int_equal(told.files[0].syncs, told.files[told.count - 1].syncs);
    sandbox_close(&sandbox);
}

TEST(what_is_missing_is_an_argument)
{
    struct sandbox sandbox;
    (void)state;
    sandbox_open(&sandbox);
    paths[0] = NULL;
    assert_int_equal(xylem_import_files(NULL, paths, 0, NULL, take, NULL), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_import_files(sandbox.store, paths, 1, NULL, take, NULL), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_import_files(sandbox.store, NULL, 1, NULL, take, NULL), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_import_files(sandbox.store, paths, 0, NULL, NULL, NULL), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_import_files(sandbox.store, NULL, 0, NULL, take, NULL), XYLEM_OK);
    sandbox_close(&sandbox);
}

/* --- One by one is the reference --------------------------------------------------------------------------------- */

/* Files of a few sessions: newer than the file before, older, broken, or missing. */
static void write_by_chance(struct sandbox *sandbox, size_t number, struct chance *chance)
{
    struct xylem_buffer text = {0};
    char name[32];
    int session = chance_below(chance, 6);
    int source = chance_below(chance, 6);
    int count = chance_below(chance, 12);
    snprintf(name, sizeof name, "%zu", number);
    sandbox_path(names[number], sandbox, name);
    paths[number] = names[number];
    if (chance_one_in(chance, 12)) {
        unlink(names[number]);
        return;
    }
    assert_int_equal(xylem_base__buffer_add_format(
                         &text,
                         "{\"type\":\"%s\",\"version\":3,\"id\":\"s%d\",\"timestamp\":\"2025-01-01T00:00:00.000Z\","
                         "\"cwd\":\"/home\",\"parentSession\":\"s%d\"}\n",
                         chance_one_in(chance, 12) ? "other" : "session", session, source),
                     0);
    for (int i = 0; i < count; i++) {
        int parent = chance_one_in(chance, 4) ? chance_below(chance, 12) : i - 1;
        int code = chance_one_in(chance, 9)
                       ? xylem_base__buffer_add_text(&text, "junk\n")
                       : xylem_base__buffer_add_format(&text,
                                                       "{\"type\":\"message\",\"id\":\"e%d\",\"parentId\":\"e%d\","
                                                       "\"timestamp\":\"2025-01-01T00:00:01.000Z\",\"message\":%d}\n",
                                                       i, parent, chance_below(chance, 2));
        assert_int_equal(code, 0);
    }
    sandbox_write(sandbox, name, text.data, text.bytes);
    xylem_buffer_release(&text);
}

static void assert_same_reports(const struct xylem_import_report *one, const struct xylem_import_report *other)
{
    assert_string_equal(one->session_id, other->session_id);
    assert_int_equal(one->session, other->session);
    assert_int_equal(one->outcome, other->outcome);
    assert_int_equal(one->source, other->source);
    assert_int_equal(one->added_count, other->added_count);
    assert_int_equal(one->shared_count, other->shared_count);
    assert_int_equal(one->matched_count, other->matched_count);
    assert_int_equal(one->quarantined_count, other->quarantined_count);
    assert_int_equal(one->problem_count, other->problem_count);
    assert_int_equal(one->unconsumed_bytes, other->unconsumed_bytes);
}

static void assert_same_exports(struct sandbox *one, struct sandbox *other)
{
    struct xylem_buffer ours = {0};
    struct xylem_buffer theirs = {0};
    struct xylem_txn *txn = sandbox_begin(one, XYLEM_READ);
    for (int i = 0; i < 6; i++) {
        char id[8];
        struct xylem_session session;
        snprintf(id, sizeof id, "s%d", i);
        if (xylem_session_find(&session, txn, xylem_view_of(id), NULL) == XYLEM_OK) {
            sandbox_export_of(&ours, one, id, true);
            sandbox_export_of(&theirs, other, id, true);
            assert_same_bytes(ours.data, ours.bytes, theirs.data, theirs.bytes);
        }
    }
    xylem_abort(txn);
    xylem_buffer_release(&ours);
    xylem_buffer_release(&theirs);
}

TEST(many_files_become_what_each_of_them_becomes)
{
    static struct told told;
    const char *seed = getenv("XYLEM_SEED");
    unsigned rounds = getenv("XYLEM_TORTURE") ? 2000 : 60;
    (void)state;
    for (unsigned round = 0; round < rounds; round++) {
        struct chance chance = chance_of((seed ? strtoull(seed, NULL, 10) : 1) + round);
        struct sandbox together;
        struct sandbox apart;
        size_t count = 1 + (size_t)chance_below(&chance, 30);
        sandbox_open(&together);
        sandbox_open(&apart);
        for (int again = 0; again < 2; again++) { /* the second time with grown or different files */
            for (size_t i = 0; i < count; i++) {
                write_by_chance(&together, i, &chance);
            }
            together.options.batch_bytes = chance_one_in(&chance, 2) ? 200 + (uint64_t)chance_below(&chance, 9000) : 0;
            assert_int_equal(import_files(&told, &together, count), XYLEM_OK);
            assert_int_equal(told.count, count);
            for (size_t i = 0; i < count; i++) {
                int code = sandbox_import_path(&apart, paths[i]);
                assert_int_equal(told.files[i].code, code);
                assert_same_reports(&told.files[i].report, &apart.report);
            }
            assert_same_exports(&together, &apart);
        }
        sandbox_close(&apart);
        sandbox_close(&together);
    }
}
