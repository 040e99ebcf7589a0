/* Files that lost their end: found without touching what is not there. */

#include <fcntl.h>
#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/pages/reach.h"
#include "xylem/append.h"
#include "xylem/inspect.h"
#include "tests/lib/test.h"

#define PAGE 4096u

static char place[128];
static char data_path[160];

static int make_place(void **state)
{
    (void)state;
    test_directory_make(place, sizeof place, "pages");
    snprintf(data_path, sizeof data_path, "%s/data.mdb", place);
    return 0;
}

static int remove_place(void **state)
{
    (void)state;
    char command[256];
    snprintf(command, sizeof command, "rm -rf '%s'", place);
    return system(command);
}

static struct xylem_store *open_store(void)
{
    struct xylem_store *store = NULL;
    struct xylem_open_options options = {.create = true, .durability = XYLEM_DURABILITY_NONE};
    assert_int_equal(xylem_open(&store, place, &options, NULL), XYLEM_OK);
    return store;
}

/* A store with a branch page or two, and a value on overflow pages at the end. */
static void fill_store(void)
{
    struct xylem_store *store = open_store();
    struct xylem_txn *txn;
    struct xylem_session session;
    static char json[30000];
    memset(json, ' ', sizeof json);
    json[0] = '{';
    json[sizeof json - 1] = '}';
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, NULL), XYLEM_OK);
    assert_int_equal(xylem_session_create(&session, txn, NULL, NULL), XYLEM_OK);
    for (size_t i = 0; i < 200; i++) {
        struct xylem_new_entry entry = {
            .kind = {XYLEM_CLASS_HOST, {"message", 7}},
            .format = XYLEM_FORMAT_JSON,
            .payload = {json + (i == 199 ? 0 : sizeof json - 2), i == 199 ? sizeof json : 2}};
        json[sizeof json - 2] = i == 199 ? ' ' : '{';
        assert_int_equal(xylem_append(NULL, txn, session.number, &entry, 1, NULL, NULL), XYLEM_OK);
    }
    assert_int_equal(xylem_commit(txn, NULL), XYLEM_OK);
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
}

static uint64_t file_pages(void)
{
    struct stat file;
    assert_int_equal(stat(data_path, &file), 0);
    return (uint64_t)file.st_size / PAGE;
}

static int count_problem(void *context, const struct xylem_problem *problem)
{
    (void)problem;
    (*(unsigned *)context)++;
    return 0;
}

/* Opens it and, if that is possible, reads all of it. */
static int open_and_read(unsigned *problems, struct xylem_error *err)
{
    struct xylem_store *store = NULL;
    struct xylem_open_options options = {.read_only = true};
    int code = xylem_open(&store, place, &options, err);
    if (code == XYLEM_OK) {
        struct xylem_txn *txn;
        struct xylem_verify_report report;
        assert_int_equal(xylem_begin(&txn, store, XYLEM_READ, NULL), XYLEM_OK);
        assert_int_equal(xylem_verify(&report, txn, NULL, count_problem, problems, NULL), XYLEM_OK);
        xylem_abort(txn);
        assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
    }
    return code;
}

#define IN_PLACE(test) TEST_WITH(test, make_place, remove_place)

IN_PLACE(a_store_cut_at_any_page_is_found_damaged_and_never_faults)
{
    fill_store();
    unsigned damaged = 0;
    uint64_t pages = file_pages();
    assert_true(pages > 20);
    for (uint64_t left = pages - 1; left >= 2; left--) {
        unsigned problems = 0;
        struct xylem_error err;
        assert_int_equal(truncate(data_path, (off_t)(left * PAGE)), 0);
        int code = open_and_read(&problems, &err);
        assert_true(code == XYLEM_E_CORRUPT || (code == XYLEM_OK && problems == 0));
        damaged += code == XYLEM_E_CORRUPT;
        if (code == XYLEM_E_CORRUPT) {
            assert_non_null(strstr(err.text, "truncated"));
        }
    }
    assert_true(damaged >= pages - 4);
}

IN_PLACE(a_store_cut_inside_of_its_first_pages_is_no_store)
{
    fill_store();
    static const off_t lengths[] = {2 * PAGE - 1, PAGE, 100, 1, 0};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        unsigned problems = 0;
        struct xylem_error err;
        assert_int_equal(truncate(data_path, lengths[i]), 0);
        int code = open_and_read(&problems, &err);
        assert_true(code == XYLEM_E_NOT_A_STORE || code == XYLEM_E_CORRUPT);
    }
}

IN_PLACE(a_second_handle_finds_a_file_that_was_cut_under_the_first)
{
    fill_store();
    struct xylem_store *first = open_store();
    struct xylem_store *second = NULL;
    uint64_t pages = file_pages();
    assert_int_equal(truncate(data_path, (off_t)(pages / 2 * PAGE)), 0);
    assert_int_equal(xylem_open(&second, place, NULL, NULL), XYLEM_E_CORRUPT);
    assert_int_equal(xylem_close(first, NULL), XYLEM_OK);
}

/* LMDB counts pages that it took and gave back within a transaction, but does not write them. */
static void leave_pages_unwritten(void)
{
    MDB_env *env;
    MDB_txn *txn;
    MDB_dbi meta;
    static char large[40 * PAGE];
    MDB_val key = {5, (void *)(uintptr_t) "large"};
    MDB_val value = {sizeof large, large};
    assert_int_equal(mdb_env_create(&env), 0);
    assert_int_equal(mdb_env_set_maxdbs(env, 16), 0);
    assert_int_equal(mdb_env_set_mapsize(env, 1 << 26), 0);
    assert_int_equal(mdb_env_open(env, place, 0, 0600), 0);
    /* The small ones leave free pages, and only while it has some does LMDB not write what it gave back. */
    static const size_t sizes[] = {10, 10, 10, 10, sizeof large};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        value.mv_size = sizes[i];
        assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
        assert_int_equal(mdb_dbi_open(txn, "meta", 0, &meta), 0);
        assert_int_equal(mdb_put(txn, meta, &key, &value, 0), 0);
        assert_int_equal(mdb_del(txn, meta, &key, NULL), 0);
        assert_int_equal(mdb_txn_commit(txn), 0);
    }
    MDB_envinfo info;
    assert_int_equal(mdb_env_info(env, &info), 0);
    assert_true(info.me_last_pgno >= file_pages());
    mdb_env_close(env);
}

IN_PLACE(a_file_that_only_lacks_pages_that_nobody_uses_is_sound)
{
    fill_store();
    leave_pages_unwritten();
    unsigned problems = 0;
    struct xylem_error err = {0, ""};
    int code = open_and_read(&problems, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(code, XYLEM_OK);
    assert_int_equal(problems, 0);
    /* It can be written to as well, and nothing is lost by that. */
    struct xylem_store *store = open_store();
    struct xylem_txn *txn;
    struct xylem_session session;
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, NULL), XYLEM_OK);
    assert_int_equal(xylem_session_create(&session, txn, NULL, NULL), XYLEM_OK);
    assert_int_equal(xylem_commit(txn, NULL), XYLEM_OK);
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
}

/* --- Pages made by hand ----------------------------------------------------------------------------------------- */

static void put(unsigned char *at, uint64_t number, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        at[i] = (unsigned char)(number >> (8 * i));
    }
}

/* Three pages: two meta pages whose tables have their root on page 2, and page 2 with one node. */
struct made {
    unsigned char bytes[3][PAGE];
};

static void make_pages(struct made *made, unsigned flags)
{
    memset(made, 0, sizeof *made);
    for (size_t meta = 0; meta < 2; meta++) {
        unsigned char *page = made->bytes[meta];
        put(page + 40 + 40, UINT64_MAX, 8);   /* no free pages */
        put(page + 40 + 48 + 40, 2, 8);       /* the tables' root */
        put(page + 40 + 96 + 8, 7 + meta, 8); /* the transaction that wrote it */
    }
    unsigned char *page = made->bytes[2];
    put(page + 10, flags, 2);
    put(page + 12, 18, 2);   /* one node, */
    put(page + 14, 1000, 2); /* which begins here */
    put(page + 16, 1000, 2);
}

static int check_pages(const struct made *made, struct xylem_error *err)
{
    FILE *file = fopen(data_path, "w+b");
    assert_non_null(file);
    assert_int_equal(fwrite(made, 1, sizeof *made, file), sizeof *made);
    assert_int_equal(fflush(file), 0);
    struct xylem_pages__pages pages = {.fd = fileno(file), .page_bytes = PAGE, .last_page = 9, .txn_id = 7};
    int code = xylem_pages__pages_check(&pages, place, err);
    fclose(file);
    return code;
}

IN_PLACE(a_page_that_leads_back_to_itself_ends_the_search)
{
    struct made made;
    struct xylem_error err;
    make_pages(&made, 0x01);
    put(made.bytes[2] + 1000, 2, 4); /* its child is itself */
    assert_int_equal(check_pages(&made, &err), XYLEM_E_CORRUPT);
    assert_non_null(strstr(err.text, "twice"));
}

IN_PLACE(nodes_that_lie_or_lead_outside_are_damage)
{
    struct made made;
    struct xylem_error err;
    make_pages(&made, 0x02);
    assert_int_equal(check_pages(&made, &err), XYLEM_OK);
    put(made.bytes[2] + 16, PAGE - 4, 2);
    assert_int_equal(check_pages(&made, &err), XYLEM_E_CORRUPT);

    make_pages(&made, 0x02);
    put(made.bytes[2] + 1000 + 4, 0x01, 2); /* a value on overflow pages, */
    put(made.bytes[2] + 1000, 5 * PAGE, 4); /* more of them than there are */
    put(made.bytes[2] + 1008, 2, 8);
    assert_int_equal(check_pages(&made, &err), XYLEM_E_CORRUPT);
    put(made.bytes[2] + 1000 + 6, PAGE, 2); /* its key is longer than the page */
    assert_int_equal(check_pages(&made, &err), XYLEM_E_CORRUPT);

    make_pages(&made, 0x02);
    put(made.bytes[2] + 1000 + 4, 0x02, 2); /* a table, whose root lies outside */
    put(made.bytes[2] + 1000, 48, 4);
    put(made.bytes[2] + 1008 + 40, 77, 8);
    assert_int_equal(check_pages(&made, &err), XYLEM_E_CORRUPT);
    put(made.bytes[2] + 1008 + 40, UINT64_MAX, 8); /* an empty one */
    assert_int_equal(check_pages(&made, &err), XYLEM_OK);
    put(made.bytes[2] + 1000, 47, 4); /* too short for a table */
    assert_int_equal(check_pages(&made, &err), XYLEM_E_CORRUPT);
    put(made.bytes[2] + 1000, 48, 4);
    put(made.bytes[2] + 1000 + 6, PAGE, 2);
    assert_int_equal(check_pages(&made, &err), XYLEM_E_CORRUPT);

    make_pages(&made, 0x40); /* neither branch nor leaf */
    assert_int_equal(check_pages(&made, &err), XYLEM_E_CORRUPT);
    make_pages(&made, 0x02);
    put(made.bytes[2] + 12, 5000, 2); /* more nodes than a page holds */
    assert_int_equal(check_pages(&made, &err), XYLEM_E_CORRUPT);
    make_pages(&made, 0x02);
    put(made.bytes[2] + 14, 17, 2); /* nodes among their offsets */
    assert_int_equal(check_pages(&made, &err), XYLEM_E_CORRUPT);
}

IN_PLACE(a_file_whose_length_cannot_be_had_is_damage)
{
    struct xylem_error err;
    struct xylem_pages__pages pages = {.fd = -1, .page_bytes = PAGE, .last_page = 9, .txn_id = 7};
    assert_int_equal(xylem_pages__pages_check(&pages, place, &err), XYLEM_E_CORRUPT);
}
