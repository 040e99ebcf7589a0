#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/test.h"
#include "tests/store/rows.h"
#include "xylem/inspect.h"
#include "xylem/append.h"

/* A store that was made, filled a little and closed; tests damage it and open it again. */
static struct store_builder builder;
static struct xylem_error err;

static void close_store(void)
{
    struct xylem_txn *txn = builder.txn;
    builder.txn = NULL;
    store_builder_must(xylem_commit(txn, &err), &err);
    store_builder_must(xylem_close(builder.store, &err), &err);
    builder.store = NULL;
}

static int set_up(void **state)
{
    (void)state;
    store_builder_open(&builder);
    store_builder_messages(&builder, store_builder_session(&builder, "s"), 3);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    store_builder_close(&builder);
    return 0;
}

/* The bytes of data.mdb. */
static void read_data(struct xylem_buffer *bytes)
{
    char path[300];
    char piece[4096];
    ssize_t got;
    snprintf(path, sizeof path, "%s/data.mdb", builder.path);
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    while ((got = read(fd, piece, sizeof piece)) > 0) {
        copy_bytes(bytes, piece, (size_t)got);
    }
    close(fd);
}

/* Opening in every way must give this code, and leave the file as it is. */
static void assert_refused(int code)
{
    struct xylem_buffer before = {0};
    struct xylem_buffer after = {0};
    close_store();
    read_data(&before);
    for (int way = 0; way < 3; way++) {
        struct xylem_open_options options = {.create = way == 1, .read_only = way == 2};
        struct xylem_store *store = NULL;
        assert_int_equal(xylem_open(&store, builder.path, &options, &err), code);
        assert_int_equal(err.code, code);
        assert_non_null(strstr(err.text, builder.path));
        assert_null(store);
    }
    read_data(&after);
    assert_true(same_bytes(&before, &after));
    xylem_buffer_release(&before);
    xylem_buffer_release(&after);
}

/* Changes a row of `meta`. */
static void set_meta(const char *name, const void *content, size_t bytes, bool summed)
{
    struct row row = {{NULL, 0, 0}, {NULL, 0, 0}};
    copy_bytes(&row.key, name, strlen(name));
    copy_bytes(&row.value, content, bytes);
    if (summed) {
        copy_bytes(&row.value, "the sum.", 8);
        row_sum(XYLEM_FORMAT__META, &row);
    }
    row_put(builder.txn, XYLEM_FORMAT__META, &row);
    row_release(&row);
}

/* Figures are read in a transaction that reads: so what was written is committed first. */
static int read_stat(struct xylem_stat *stat, struct store_builder *of)
{
    struct xylem_txn *reader = NULL;
    store_builder_commit(of);
    store_builder_must(xylem_begin(&reader, of->store, XYLEM_READ, &err), &err);
    int code = xylem_stat_read(stat, reader, &err);
    xylem_abort(reader);
    return code;
}

#define IN_STORE(test) TEST_WITH(test, set_up, tear_down)
/* tear_down needs an open store; what was refused has been closed. */
static int remove_refused(void **state)
{
    (void)state;
    char command[400];
    snprintf(command, sizeof command, "rm -rf '%s'", builder.path);
    return system(command) == 0 ? 0 : -1;
}

#define REFUSED(test) TEST_WITH(test, set_up, remove_refused)

IN_STORE(a_new_store_says_its_version_and_a_uuid)
{
    struct xylem_stat stat;
    struct xylem_stat again;
    static const unsigned char zeroes[16];
    store_builder_must(read_stat(&stat, &builder), &err);
    assert_true(stat.format_version == XYLEM_FORMAT__FORMAT_VERSION && stat.features == 0);
    assert_memory_not_equal(stat.uuid, zeroes, sizeof zeroes);
    store_builder_reopen(&builder);
    store_builder_must(read_stat(&again, &builder), &err);
    assert_memory_equal(stat.uuid, again.uuid, sizeof stat.uuid);
    store_builder_must(xylem_store_uuid(again.uuid, builder.txn, &err), &err);
    assert_memory_equal(stat.uuid, again.uuid, sizeof stat.uuid);
}

IN_STORE(two_stores_have_two_uuids)
{
    struct store_builder other;
    struct xylem_stat a;
    struct xylem_stat b;
    store_builder_open(&other);
    store_builder_must(read_stat(&a, &builder), &err);
    store_builder_must(read_stat(&b, &other), &err);
    store_builder_close(&other);
    assert_memory_not_equal(a.uuid, b.uuid, sizeof a.uuid);
}

REFUSED(a_newer_format_is_refused_and_left_alone)
{
    set_meta("format", "\4\0\0\0\0\0\0\0\0\0\0\0", 12, true);
    assert_refused(XYLEM_E_TOO_NEW);
    assert_non_null(strstr(err.text, "version 4"));
}

REFUSED(an_older_format_is_refused_with_the_way_out)
{
    set_meta("format", "\1\0\0\0\7\0\0\0\0\0\0\0", 12, true);
    assert_refused(XYLEM_E_TOO_OLD);
    assert_non_null(strstr(err.text, "version 1"));
    assert_non_null(strstr(err.text, "xylem export"));
}

REFUSED(a_newer_format_may_have_other_tables)
{
    set_meta("format", "\4\0\0\0\0\0\0\0\0\0\0\0and more", 20, true);
    assert_int_equal(mdb_drop(builder.txn->mdb, builder.txn->env->tables[XYLEM_FORMAT__MOVES], 1), 0);
    assert_refused(XYLEM_E_TOO_NEW);
}

REFUSED(an_unknown_feature_is_refused_and_left_alone)
{
    set_meta("format", "\3\0\0\0\0\0\0\0\0\0\0\x80", 12, true);
    assert_refused(XYLEM_E_TOO_NEW);
    assert_non_null(strstr(err.text, "8000000000000000"));
}

REFUSED(a_feature_of_a_later_library_is_refused_by_its_name)
{
    set_meta("format", "\3\0\0\0\x41\0\0\0\0\0\0\0", 12, true);
    assert_refused(XYLEM_E_TOO_NEW);
    assert_non_null(strstr(err.text, "has compressed payloads, which this library does not know"));
}

TEST(every_feature_that_is_not_known_is_refused)
{
    for (unsigned bit = 0; bit < 64; bit++) {
        struct xylem_buffer row = {NULL, 0, 0};
        uint64_t features = UINT64_C(1) << bit;
        uint64_t read;
        assert_int_equal(xylem_format__format_encode(&row, features, 0), XYLEM_OK);
        int code = xylem_format__format_check(&read, "path", xylem_base__buffer_view(&row), &err);
        assert_int_equal(code, features & XYLEM_FORMAT__FEATURES_KNOWN ? XYLEM_OK : XYLEM_E_TOO_NEW);
        assert_int_equal(code < 0 && strstr(err.text, "commits with one flush") != NULL, bit == 7);
        xylem_buffer_release(&row);
    }
}

REFUSED(a_format_row_that_is_damaged_is_corrupt)
{
    set_meta("format", "\1\0\0\0\0\0\0\0\0\0\0\0no  sum.", 20, false);
    assert_refused(XYLEM_E_CORRUPT);
}

REFUSED(a_format_row_that_is_too_short_is_corrupt)
{
    set_meta("format", "\1\0\0\0\0\0\0\0\0\0\0", 11, true);
    assert_refused(XYLEM_E_CORRUPT);
}

REFUSED(a_format_row_without_room_for_a_sum_is_corrupt)
{
    set_meta("format", "\1", 1, false);
    assert_refused(XYLEM_E_CORRUPT);
}

REFUSED(without_a_format_row_a_store_is_damaged)
{
    MDB_val key = {6, (void *)(uintptr_t) "format"};
    assert_int_equal(mdb_del(builder.txn->mdb, builder.txn->env->tables[XYLEM_FORMAT__META], &key, NULL), 0);
    builder.txn->changed |= UINT32_C(1) << XYLEM_FORMAT__META;
    assert_refused(XYLEM_E_CORRUPT);
}

REFUSED(a_missing_table_is_corrupt)
{
    assert_int_equal(mdb_drop(builder.txn->mdb, builder.txn->env->tables[XYLEM_FORMAT__IDS], 1), 0);
    assert_refused(XYLEM_E_CORRUPT);
    assert_non_null(strstr(err.text, "table"));
}

/* Makes an environment that is somebody else's in a directory below the builder's. */
static void make_foreign(char *path, size_t bytes, const char *table, bool key_in_main)
{
    MDB_env *env = NULL;
    MDB_txn *txn = NULL;
    MDB_dbi dbi;
    MDB_val key = {4, (void *)(uintptr_t) "meta"};
    snprintf(path, bytes, "%s/foreign", builder.path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(mdb_env_create(&env), 0);
    mdb_env_set_maxdbs(env, 4);
    assert_int_equal(mdb_env_open(env, path, 0, 0600), 0);
    assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
    assert_int_equal(mdb_dbi_open(txn, table, table ? MDB_CREATE : 0, &dbi), 0);
    if (key_in_main) {
        assert_int_equal(mdb_put(txn, dbi, &key, &key, 0), 0);
    }
    assert_int_equal(mdb_txn_commit(txn), 0);
    mdb_env_close(env);
}

static void assert_foreign_is_refused(const char *path)
{
    for (int way = 0; way < 3; way++) {
        struct xylem_open_options options = {.create = way == 1, .read_only = way == 2};
        struct xylem_store *store = NULL;
        assert_int_equal(xylem_open(&store, path, &options, &err), XYLEM_E_NOT_A_STORE);
    }
}

IN_STORE(an_environment_of_somebody_else_is_no_store)
{
    char path[400];
    make_foreign(path, sizeof path, "theirs", false);
    assert_foreign_is_refused(path);
}

IN_STORE(an_environment_with_a_table_of_our_name_is_no_store)
{
    char path[400];
    make_foreign(path, sizeof path, "meta", false);
    assert_foreign_is_refused(path);
}

IN_STORE(an_environment_with_a_row_of_our_tables_name_is_no_store)
{
    char path[400];
    make_foreign(path, sizeof path, NULL, true);
    assert_foreign_is_refused(path);
}

IN_STORE(floors_of_another_length_are_corrupt)
{
    struct xylem_session session;
    assert_int_equal(xylem_store__feature_add(builder.txn, XYLEM_FORMAT__FEATURE_FREED, &err), XYLEM_OK);
    set_meta("floors", "\1\0\0\0\0\0\0\0", 8, true);
    store_builder_commit(&builder);
    assert_int_equal(xylem_session_create(&session, builder.txn, NULL, &err), XYLEM_E_CORRUPT);
    struct xylem_new_entry entry = {.kind.name = xylem_view_of("message")};
    assert_int_equal(xylem_append(NULL, builder.txn, 1, &entry, 1, NULL, &err), XYLEM_E_CORRUPT);
}

IN_STORE(floors_are_only_raised)
{
    struct xylem_lmdb__floors floors = {.session = 5, .branch = 6, .lsn = 7, .kind = 8};
    assert_int_equal(xylem_store__feature_add(builder.txn, XYLEM_FORMAT__FEATURE_FREED, &err), XYLEM_OK);
    assert_int_equal(xylem_store__floors_raise(builder.txn, &floors, &err), XYLEM_OK);
    floors = (struct xylem_lmdb__floors){.session = 9, .branch = 1, .lsn = 8, .kind = 2};
    assert_int_equal(xylem_store__floors_raise(builder.txn, &floors, &err), XYLEM_OK);
    for (int pass = 0; pass < 2; pass++) {
        memset(&floors, 0, sizeof floors);
        assert_int_equal(xylem_store__floors_read(&floors, builder.txn, &err), XYLEM_OK);
        assert_true(floors.session == 9 && floors.branch == 6 && floors.lsn == 8 && floors.kind == 8);
        store_builder_commit(&builder); /* the next transaction reads them from the store */
    }
}

IN_STORE(freed_entries_are_counted)
{
    struct xylem_store__freed freed = {1, 1};
    assert_int_equal(xylem_store__feature_add(builder.txn, XYLEM_FORMAT__FEATURE_FREED, &err), XYLEM_OK);
    assert_int_equal(xylem_store__freed_read(&freed, builder.txn, &err), XYLEM_OK);
    assert_true(freed.entry_count == 0 && freed.session_count == 0);
    assert_int_equal(xylem_store__freed_write(builder.txn, &(struct xylem_store__freed){3, 1}, &err), XYLEM_OK);
    assert_int_equal(xylem_store__freed_write(builder.txn, &(struct xylem_store__freed){7, 2}, &err), XYLEM_OK);
    store_builder_commit(&builder);
    assert_int_equal(xylem_store__freed_read(&freed, builder.txn, &err), XYLEM_OK);
    assert_true(freed.entry_count == 7 && freed.session_count == 2);
}

IN_STORE(a_count_of_freed_entries_of_another_length_is_corrupt)
{
    struct xylem_store__freed freed = {1, 1};
    assert_int_equal(xylem_store__feature_add(builder.txn, XYLEM_FORMAT__FEATURE_FREED, &err), XYLEM_OK);
    assert_int_equal(xylem_store__floors_raise(builder.txn, &(struct xylem_lmdb__floors){.lsn = 0}, &err), XYLEM_OK);
    set_meta("freed", "\1\0\0\0", 4, true);
    assert_int_equal(xylem_store__freed_read(&freed, builder.txn, &err), XYLEM_E_CORRUPT);
    assert_int_equal(freed.entry_count, 1);
    struct xylem_verify_report report;
    assert_int_equal(xylem_verify(&report, builder.txn, NULL, NULL, NULL, &err), XYLEM_OK);
    assert_int_equal(report.problem_count, 1);
}

IN_STORE(a_lost_uuid_is_corrupt)
{
    struct xylem_stat stat;
    MDB_val key = {4, (void *)(uintptr_t) "uuid"};
    assert_int_equal(mdb_del(builder.txn->mdb, builder.txn->env->tables[XYLEM_FORMAT__META], &key, NULL), 0);
    builder.txn->changed |= UINT32_C(1) << XYLEM_FORMAT__META;
    assert_int_equal(read_stat(&stat, &builder), XYLEM_E_CORRUPT);
    assert_int_equal(xylem_store_uuid(stat.uuid, builder.txn, NULL), XYLEM_E_CORRUPT);
}
