/* The complete look at the pages: nothing is said against what LMDB writes, and each rule finds what breaks it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/lmdb_check.h"
#include "store/lmdb_page.h"
#include "store/tables.h"
#include "tests/lib/chance.h"
#include "xylem.h"

#define PAGE 4096u

static char place[128];
static char data_path[160];
static MDB_env *env;

static int make_place(void **state)
{
    (void)state;
    snprintf(place, sizeof place, "%s/xylem-check-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    if (!mkdtemp(place)) {
        return -1;
    }
    snprintf(data_path, sizeof data_path, "%s/data.mdb", place);
    return 0;
}

static int remove_place(void **state)
{
    (void)state;
    char command[256];
    if (env) {
        mdb_env_close(env);
        env = NULL;
    }
    snprintf(command, sizeof command, "rm -rf '%s'", place);
    return system(command);
}

/* --- What was found ---------------------------------------------------------------------------------------------- */

struct heard {
    unsigned count;
    unsigned stop_after;
    uint64_t page;
    char table[32];
    char text[XYLEM_ERROR_TEXT_BYTES];
    unsigned progress_count;
};

static int hear(void *context, uint64_t page, const char *table, const char *text)
{
    struct heard *heard = context;
    if (heard->count++ == 0) {
        heard->page = page;
        snprintf(heard->table, sizeof heard->table, "%s", table ? table : "");
        snprintf(heard->text, sizeof heard->text, "%s", text);
    }
    return heard->count == heard->stop_after;
}

static int hear_progress(void *context, uint64_t page_count)
{
    struct heard *heard = context;
    assert_true(page_count > 0);
    heard->progress_count++;
    return 0;
}

static int check_file(struct xylem_store__pages_found *found, struct heard *heard, uint64_t txn)
{
    int fd = open(data_path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    struct xylem_store__pages pages = {.fd = fd, .page_bytes = PAGE, .txn_id = txn};
    struct xylem_store__pages_listener listener = {hear, hear_progress, heard};
    struct xylem_error err = {0, ""};
    int code = xylem_store__pages_check_all(found, &pages, &listener, &err);
    assert_int_equal(err.code, code);
    close(fd);
    return code;
}

static void assert_sound(uint64_t txn)
{
    struct heard heard = {0};
    struct xylem_store__pages_found found;
    assert_int_equal(check_file(&found, &heard, txn), XYLEM_OK);
    assert_string_equal(heard.text, "");
    assert_int_equal(heard.count, 0);
    assert_int_equal(found.problem_count, 0);
    assert_int_equal(found.unsound_tables, 0);
    assert_false(found.snapshot_gone);
    assert_int_equal(found.leaked_count, 0);
}

/* --- Stores that LMDB makes -------------------------------------------------------------------------------------- */

static void open_env(void)
{
    assert_int_equal(mdb_env_create(&env), 0);
    assert_int_equal(mdb_env_set_maxdbs(env, XYLEM_TABLE_COUNT), 0);
    assert_int_equal(mdb_env_set_mapsize(env, 1 << 28), 0);
    assert_int_equal(mdb_env_open(env, place, MDB_NOSYNC | MDB_NOTLS, 0600), 0);
}

static MDB_dbi table_of(MDB_txn *txn, unsigned table)
{
    MDB_dbi dbi;
    unsigned flags = MDB_CREATE | (table == XYLEM_STORE__IDS ? MDB_DUPSORT | MDB_DUPFIXED : 0);
    assert_int_equal(mdb_dbi_open(txn, xylem_store__table_name(table), flags, &dbi), 0);
    return dbi;
}

static MDB_txn *begin(void)
{
    MDB_txn *txn;
    assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
    for (unsigned table = 0; table < XYLEM_STORE__TABLE_COUNT; table++) {
        table_of(txn, table);
    }
    return txn;
}

static uint64_t commit(MDB_txn *txn)
{
    MDB_envinfo info;
    assert_int_equal(mdb_txn_commit(txn), 0);
    assert_int_equal(mdb_env_info(env, &info), 0);
    return info.me_last_txnid; /* a transaction without a change leaves no trace */
}

/* Rows of every size under keys of every size, put and deleted; a few keys of `ids` with many values. */
static void change_rows(MDB_txn *txn, struct chance *chance, unsigned table, bool remove)
{
    static char bytes[60000];
    char key_bytes[511];
    MDB_dbi dbi = table_of(txn, table);
    bool ids = table == XYLEM_STORE__IDS;
    uint64_t number = (uint64_t)chance_below(chance, ids ? 8 : 400);
    size_t key_size = ids ? 16 : number % 17 == 0 ? 511 : 4 + number % 40;
    memset(key_bytes, (int)(number * 37 % 251), sizeof key_bytes);
    memcpy(key_bytes, &number, 4);
    size_t size = ids ? 16 : (size_t)chance_below(chance, chance_one_in(chance, 40) ? (int)sizeof bytes : 900);
    for (size_t i = 0; i < 16; i++) {
        bytes[i] = (char)chance_below(chance, 256);
    }
    MDB_val key = {key_size, key_bytes};
    MDB_val value = {size, bytes};
    int result = remove ? mdb_del(txn, dbi, &key, NULL) : mdb_put(txn, dbi, &key, &value, 0);
    if (ids && remove && result == 0 && chance_below(chance, 3) > 0) {
        result = mdb_put(txn, dbi, &key, &value, 0);
    }
    assert_true(result == 0 || result == MDB_NOTFOUND);
}

/* One value of a key, and not all of them: so that pages of values shrink too. */
static void remove_values(MDB_txn *txn, struct chance *chance)
{
    MDB_cursor *cursor;
    MDB_val key;
    MDB_val value;
    assert_int_equal(mdb_cursor_open(txn, table_of(txn, XYLEM_STORE__IDS), &cursor), 0);
    int left = chance_below(chance, 300);
    int result = mdb_cursor_get(cursor, &key, &value, MDB_FIRST);
    while (result == 0 && left-- > 0) {
        result = chance_below(chance, 2) == 0 ? mdb_cursor_del(cursor, 0) : 0;
        assert_int_equal(result, 0);
        result = mdb_cursor_get(cursor, &key, &value, MDB_NEXT);
    }
    mdb_cursor_close(cursor);
}

static uint64_t fill(struct chance *chance, unsigned changes)
{
    MDB_txn *txn = begin();
    bool removing = chance_below(chance, 3) == 0;
    for (unsigned i = 0; i < changes; i++) {
        unsigned table =
            chance_below(chance, 2) ? XYLEM_STORE__IDS : (unsigned)chance_below(chance, (int)XYLEM_STORE__TABLE_COUNT);
        bool remove = chance_below(chance, 10) < (removing ? 8 : 1);
        change_rows(txn, chance, table, remove && (table != XYLEM_STORE__IDS || chance_below(chance, 200) == 0));
    }
    if (chance_below(chance, 2)) {
        remove_values(txn, chance);
    }
    return commit(txn);
}

static void nothing_is_said_against_what_lmdb_writes(void **state)
{
    (void)state;
    struct chance chance = chance_of(getenv("XYLEM_SEED") ? strtoull(getenv("XYLEM_SEED"), NULL, 10) : 1);
    unsigned rounds = getenv("XYLEM_TORTURE") ? 3000 : 120;
    open_env();
    for (unsigned round = 0; round < rounds; round++) {
        MDB_txn *reader = NULL;
        if (chance_below(&chance, 3) == 0) {
            assert_int_equal(mdb_txn_begin(env, NULL, MDB_RDONLY, &reader), 0);
        }
        uint64_t txn = fill(&chance, (unsigned)chance_below(&chance, 2000));
        if (reader) {
            txn = fill(&chance, (unsigned)chance_below(&chance, 200));
            mdb_txn_abort(reader);
        }
        assert_sound(txn);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_is_said_against_what_lmdb_writes, make_place, remove_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
