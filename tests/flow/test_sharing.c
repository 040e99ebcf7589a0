/*
 * What sharing saves on the families of fixtures/sessions: the sessions that were forked from others, and those others.
 */
#include "tests/flow/fixtures.h"
#include "tests/lib/test.h"

struct sizes {
    uint64_t file_bytes;  /* of the store, without pages that are free */
    uint64_t log_bytes;   /* of the table that holds the entries */
    uint64_t entry_count; /* that are stored */
    uint64_t shared_count;
    size_t session_count;
};

/* The files of sessions that were forked from others, and of those others. */
struct family {
    struct fixtures files;
    bool member[FIXTURES_MAX];
};

static void find_family(struct family *family)
{
    struct sandbox sandbox;
    char ids[FIXTURES_MAX][256];
    memset(family, 0, sizeof *family);
    fixtures_ordered(&family->files, FIXTURES);
    sandbox_open(&sandbox);
    for (size_t i = 0; i < family->files.count; i++) {
        fixtures_id(ids[i], family->files.paths[i]);
        assert_int_equal(sandbox_import_path(&sandbox, family->files.paths[i]), XYLEM_OK);
        for (size_t k = 0; k < i && !family->member[i]; k++) {
            if (strcmp(ids[k], sandbox.report.source_id) == 0) {
                family->member[k] = true;
                family->member[i] = true;
            }
        }
    }
    sandbox_close(&sandbox);
}

static void import_family(struct sizes *sizes, const struct family *family, bool share_nothing)
{
    struct sandbox sandbox;
    struct xylem_stat stat;
    memset(sizes, 0, sizeof *sizes);
    sandbox_open(&sandbox);
    sandbox.options.share_nothing = share_nothing;
    for (size_t i = 0; i < family->files.count; i++) {
        if (family->member[i]) {
            assert_int_equal(sandbox_import_path(&sandbox, family->files.paths[i]), XYLEM_OK);
            sizes->shared_count += sandbox.report.shared_count;
            sizes->session_count++;
        }
    }
    struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_READ);
    assert_int_equal(xylem_stat_read(&stat, txn, NULL), XYLEM_OK);
    xylem_abort(txn);
    sizes->file_bytes = stat.file_bytes - stat.free_bytes;
    sizes->entry_count = stat.entry_count;
    for (size_t i = 0; i < XYLEM_TABLE_COUNT; i++) {
        sizes->log_bytes += strcmp(stat.tables[i].name, "log") == 0 ? stat.tables[i].bytes : 0;
    }
    sandbox_close(&sandbox);
}

TEST(families_take_at_most_three_quarters_of_the_bytes)
{
    struct family family;
    struct sizes shared;
    struct sizes apart;
    find_family(&family);
    import_family(&shared, &family, false);
    import_family(&apart, &family, true);
    print_message("%zu sessions: %llu bytes shared, %llu apart; log %llu and %llu\n", shared.session_count,
                  (unsigned long long)shared.file_bytes, (unsigned long long)apart.file_bytes,
                  (unsigned long long)shared.log_bytes, (unsigned long long)apart.log_bytes);
    assert_int_equal(shared.session_count, 37);
    assert_int_equal(apart.shared_count, 0);
    assert_int_equal(shared.entry_count + shared.shared_count, apart.entry_count);
    assert_true(shared.file_bytes * 100 <= apart.file_bytes * 75);
    assert_true(shared.log_bytes * 100 <= apart.log_bytes * 75);
    fixtures_release(&family.files);
}
