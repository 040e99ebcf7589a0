/*
 * Which bytes of data.mdb are read when a store is opened, and which are written by a commit: seen where LMDB calls
 * libc. An LMDB tree is never written in place: a commit writes each page that it changes, and those above it, anew.
 */

#include <inttypes.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/lmdb/environment.h"
#include "store/lmdb/tables.h"
#include "xylem/state.h"
#include "tests/lib/costs.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"
#include "tests/property/file_io.h"

static const uint64_t sizes[] = {1000, 100000, 1000000};

static struct xylem_error err;

static size_t size_count(void)
{
    return getenv("XYLEM_TORTURE") ? 3 : 2;
}

static void watch(void)
{
    char path[300];
    (void)snprintf(path, sizeof path, "%s/data.mdb", builder.path);
    assert_true(file_io_watch(path));
}

/* --- What a commit writes ----------------------------------------------------------------------------------------- */

/* Of each tree of the file how deep it is, and how many pages it has. */
struct trees {
    struct xylem_lmdb__table_size tables[XYLEM_TABLE_COUNT];
    MDB_stat list; /* LMDB's main database, which lists the tables */
    MDB_stat free; /* its list of free pages */
};

static uint64_t pages_of(const MDB_stat *stat)
{
    return stat->ms_branch_pages + stat->ms_leaf_pages + stat->ms_overflow_pages;
}

static struct trees read_trees(void)
{
    struct trees trees;
    struct xylem_txn *reader = NULL;
    store_builder_must(xylem_begin(&reader, builder.store, XYLEM_READ, &err), &err);
    for (unsigned table = 0; table < XYLEM_TABLE_COUNT; table++) {
        store_builder_must(xylem_lmdb__table_size(&trees.tables[table], reader, table, &err), &err);
    }
    assert_int_equal(mdb_stat(reader->mdb, 0, &trees.free), 0);
    assert_int_equal(mdb_stat(reader->mdb, 1, &trees.list), 0);
    assert_int_equal(trees.list.ms_psize, file_io_page_bytes());
    xylem_abort(reader);
    return trees;
}

/* What a commit wrote, in pages. */
struct commit {
    uint64_t written;
    uint64_t paths;  /* one from the root to a leaf of each table that was touched, and of LMDB's main database */
    uint64_t splits; /* pages that such a path has more now, because a page was full */
    uint64_t free;   /* the list of free pages as it is now, all of it */
};

/* A page that was full was written as two. If that was the root, there is a new root too, which is on the path. */
static uint64_t splits_of(uint64_t pages_before, uint64_t pages, uint64_t depth_before, uint64_t depth)
{
    assert_true(pages >= pages_before && depth >= depth_before);
    return pages - pages_before - (depth - depth_before);
}

/* Commits what the open transaction did. */
static struct commit commit(void)
{
    struct commit commit = {.paths = 0};
    struct xylem_counters counters;
    struct trees before = read_trees();
    xylem_counters_read(&counters, builder.txn);
    watch();
    store_builder_commit(&builder);
    commit.written = file_io_stop().written_pages;
    struct trees after = read_trees();
    for (unsigned table = 0; table < XYLEM_TABLE_COUNT; table++) {
        const struct xylem_lmdb__table_size *old = &before.tables[table];
        const struct xylem_lmdb__table_size *new = &after.tables[table];
        if (counters.tables[table].puts > 0) {
            commit.paths += new->depth;
            commit.splits +=
                splits_of(old->bytes / file_io_page_bytes(), new->bytes / file_io_page_bytes(), old->depth, new->depth);
        }
    }
    commit.paths += after.list.ms_depth;
    commit.splits +=
        splits_of(pages_of(&before.list), pages_of(&after.list), before.list.ms_depth, after.list.ms_depth);
    commit.free = pages_of(&after.free);
    return commit;
}

/*
 * No less than the paths, as LMDB writes no page in place, so that the shim did see them; and no more, but for a meta
 * page and the list of free pages. Of that list LMDB writes the way to its first row, which it takes pages from, and to
 * its last one, which gets the pages that the commit freed, and a row that is longer than a page in full.
 */
static void assert_paths_were_written(const char *what, struct commit commit)
{
    uint64_t least = commit.paths + commit.splits + 1;
    if (commit.written < least || commit.written > least + commit.free) {
        fail_msg(
            "%s: %d pages were written, and should be %d for the paths, %d for splits, 1 meta page, and at most %d "
            "for free pages",
            what, (int)commit.written, (int)commit.paths, (int)commit.splits, (int)commit.free);
    }
}

#define IN_STORE(test) TEST_WITH(test, set_up, tear_down)

IN_STORE(the_shim_sees_what_is_written)
{
    uint64_t session = store_builder_session(&builder, "s");
    watch();
    store_builder_add(&builder, session, NULL, "message", NULL);
    assert_int_equal(file_io_stop().written_bytes, 0); /* nothing before the commit */
    watch();
    store_builder_commit(&builder);
    struct file_io seen = file_io_stop();
    assert_in_range(seen.written_pages, 8, 20); /* seven tables, the list of tables, free pages, a meta page */
    assert_in_range(seen.written_bytes, (seen.written_pages - 1) * file_io_page_bytes(),
                    seen.written_pages * file_io_page_bytes());
    watch();
    store_builder_commit(&builder);
    assert_int_equal(file_io_stop().written_bytes, 0); /* nothing was done */
}

/* Messages at the leaf of a session, `each` in every commit. */
static void grow(uint64_t session, uint64_t count, uint64_t each)
{
    for (uint64_t done = 0; done < count; done += each) {
        store_builder_grow(&builder, session, each < count - done ? each : count - done);
        store_builder_commit(&builder);
    }
}

/* Commits, and gives the pages that were split. */
static uint64_t commit_paths(const char *what)
{
    struct commit committed = commit();
    assert_paths_were_written(what, committed);
    return committed.splits;
}

#define COMMITS_OF_A_ROUND 7u

/* One of each kind of commit, on a session whose first branch has the number 1. Gives the pages that were split. */
static uint64_t commit_each(uint64_t session, uint64_t round)
{
    uint64_t splits = 0;
    struct xylem_position inner = {1, 1 + round * 17};
    char id[24];
    store_builder_add(&builder, session, NULL, "message", NULL);
    splits += commit_paths("an append");
    (void)snprintf(id, sizeof id, "given-%" PRIu64, store_builder_leaf(&builder, session).depth);
    store_builder_add(&builder, session, id, "message", NULL);
    splits += commit_paths("an append with an id that is given");
    store_builder_fork(&builder, session, inner, XYLEM_FORK_AT, NULL);
    splits += commit_paths("a fork");
    store_builder_clone(&builder, session, NULL);
    splits += commit_paths("a clone");
    struct xylem_position leaf = store_builder_leaf(&builder, session);
    store_builder_go(&builder, session, inner);
    splits += commit_paths("a navigation");
    store_builder_go(&builder, session, leaf);
    splits += commit_paths("a navigation back");
    store_builder_add_at(&builder, session, inner, NULL, "message", NULL);
    splits += commit_paths("a new branch");
    store_builder_go(&builder, session, leaf);
    store_builder_commit(&builder);
    return splits;
}

IN_STORE(a_commit_writes_one_path_of_each_table_that_it_touches)
{
    uint64_t session = store_builder_session(&builder, "s");
    uint64_t size = 0;
    for (size_t i = 0; i < size_count(); size = sizes[i++]) {
        grow(session, sizes[i] - size, 20000);
        uint64_t splits = 0;
        for (uint64_t round = 0; round < 50; round++) {
            splits += commit_each(session, round);
        }
        assert_in_range(splits, 0, 50 * COMMITS_OF_A_ROUND / 8); /* rows are small: most fit where they belong */
    }
}

/* Sources of all sorts and sizes, in one commit: what follows finds the same store and hardly any free pages. */
struct source {
    uint64_t session;
    struct xylem_position at;
};

static size_t make_sources(struct source *sources)
{
    uint64_t small = store_builder_session(&builder, "small");
    uint64_t large = store_builder_session(&builder, "large");
    struct xylem_position root = store_builder_grow(&builder, small, 1);
    struct xylem_position tip = store_builder_grow(&builder, large, 100000);
    uint64_t chained = store_builder_clone(&builder, large, NULL);
    for (unsigned i = 0; i < 1000; i++) {
        store_builder_messages(&builder, chained, 1);
        chained = store_builder_clone(&builder, chained, NULL);
    }
    sources[0] = (struct source){small, root};
    sources[1] = (struct source){large, tip};
    sources[2] = (struct source){large, {tip.branch, 50000}};
    sources[3] = (struct source){large, {tip.branch, 1}};
    sources[4] = (struct source){chained, store_builder_leaf(&builder, chained)};
    sources[5] = (struct source){chained, {tip.branch, 1}};
    store_builder_commit(&builder);
    return 6;
}

IN_STORE(a_fork_writes_as_many_pages_whatever_it_forks)
{
    struct source sources[6];
    uint64_t pages = 0;
    size_t count = make_sources(sources);
    for (size_t i = 0; i < 10 * count; i++) {
        const struct source *source = &sources[i % count];
        store_builder_fork(&builder, source->session, source->at, XYLEM_FORK_AT, NULL);
        struct commit fork = commit();
        assert_paths_were_written("a fork", fork);
        pages = i == 0 ? fork.written - fork.splits : pages;
        assert_int_equal(fork.written - fork.splits, pages);
    }
}

static uint64_t file_bytes(void)
{
    char path[300];
    struct stat file;
    (void)snprintf(path, sizeof path, "%s/data.mdb", builder.path);
    assert_int_equal(stat(path, &file), 0);
    return (uint64_t)file.st_size;
}

IN_STORE(a_thousand_forks_or_clones_take_eight_kibibytes_each_at_most)
{
    uint64_t session = store_builder_session(&builder, "s");
    uint64_t size = 0;
    for (size_t i = 0; i < size_count(); size = sizes[i++]) {
        grow(session, sizes[i] - size, sizes[i]); /* in one commit: it leaves hardly any free pages to take */
        uint64_t before = file_bytes();
        for (uint64_t k = 0; k < 1000; k++) {
            struct xylem_position at = {1, 1 + k * (sizes[i] - 1) / 999};
            store_builder_fork(&builder, session, at, XYLEM_FORK_AT, NULL);
            store_builder_commit(&builder);
        }
        uint64_t forked = file_bytes();
        for (uint64_t k = 0; k < 1000; k++) {
            store_builder_clone(&builder, session, NULL);
            store_builder_commit(&builder);
        }
        assert_in_range(forked - before, 0, 8192 * 1000);
        assert_in_range(file_bytes() - forked, 0, 8192 * 1000);
    }
}

/* --- What opening reads ------------------------------------------------------------------------------------------ */

static void close_store(void)
{
    store_builder_commit(&builder);
    xylem_abort(builder.txn);
    builder.txn = NULL;
    store_builder_must(xylem_close(builder.store, &err), &err);
    builder.store = NULL;
}

static void open_store(void)
{
    struct xylem_open_options options = {.durability = XYLEM_DURABILITY_NONE};
    store_builder_must(xylem_open(&builder.store, builder.path, &options, &err), &err);
}

static void begin_writing(void)
{
    store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), &err);
}

/* Closes and opens the store. What that reads, and a first transaction that finds a session. */
static struct file_io reads_to_open(struct costs *costs)
{
    struct xylem_txn *reader = NULL;
    struct xylem_session session;
    struct xylem_state rehydrated;
    close_store();
    watch();
    open_store();
    store_builder_must(xylem_begin(&reader, builder.store, XYLEM_READ, &err), &err);
    store_builder_must(xylem_session_find(&session, reader, xylem_view_of("s"), &err), &err);
    store_builder_must(xylem_rehydrate(&rehydrated, reader, session.leaf, NULL, NULL, &err), &err);
    xylem_state_release(&rehydrated);
    *costs = costs_of(reader);
    struct file_io reads = file_io_stop();
    xylem_abort(reader);
    begin_writing();
    return reads;
}

/* A way down a table for each row that was read, the format's row, the list of tables, and both meta pages. */
static uint64_t pages_of_paths(const struct costs *costs)
{
    struct trees trees = read_trees();
    uint64_t pages = trees.tables[XYLEM_FORMAT__META].depth + trees.list.ms_depth + 2;
    assert_int_equal(costs_seeks(costs) + costs_steps(costs), 0);
    for (unsigned table = 0; table < XYLEM_TABLE_COUNT; table++) {
        pages += trees.tables[table].depth * costs->counters.tables[table].gets;
    }
    return pages;
}

IN_STORE(opening_reads_what_leads_to_the_rows_that_are_asked_for_at_every_size)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct costs first = {.text = ""};
    uint64_t size = 1;
    store_builder_add(&builder, session, NULL, "custom:readonly", "{\"enabled\":true}");
    for (size_t i = 0; i < size_count(); size = sizes[i++]) {
        struct costs costs;
        grow(session, sizes[i] - size, 20000);
        struct file_io reads = reads_to_open(&costs);
        first = i == 0 ? costs : first;
        assert_string_equal(costs.text, first.text);
        assert_in_range(reads.read_bytes, 1, 2 * file_io_page_bytes());
        assert_in_range(reads.mapped_pages, 5, pages_of_paths(&costs));
    }
}

IN_STORE(opening_reads_no_more_after_any_commit)
{
    char payload[30000];
    struct costs costs;
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_grow(&builder, session, 5000);
    for (unsigned i = 0; i < 300; i++) {
        memset(payload, 'x', sizeof payload);
        payload[0] = payload[1 + i * 97 % 20000] = '"';
        payload[2 + i * 97 % 20000] = '\0';
        switch (i % 4) {
        case 0:
            store_builder_clone(&builder, session, NULL);
            break;
        case 1:
            store_builder_add(&builder, session, NULL, "custom:large", payload);
            break;
        case 2:
            store_builder_go(&builder, session, (struct xylem_position){1, 1 + i});
            break;
        default:
            store_builder_grow(&builder, session, 1 + i % 7 * 30);
        }
        struct file_io reads = reads_to_open(&costs);
        assert_in_range(reads.read_bytes, 1, 2 * file_io_page_bytes());
        assert_in_range(reads.mapped_pages, 5, pages_of_paths(&costs));
    }
}

/* The number of the page that a value of LMDB lies on: it stands at the beginning of the page. */
static uint64_t page_of(struct xylem_view value)
{
    uint64_t number;
    memcpy(&number, value.data - (uintptr_t)value.data % file_io_page_bytes(), sizeof number);
    return number;
}

/* Marks the leaf pages of a table, but for the last one if that is to be kept. */
static void mark_pages(bool *marks, size_t page_count, enum xylem_format__table table, bool keep_last)
{
    struct xylem_txn *reader = NULL;
    struct xylem_lmdb__rows *rows = NULL;
    struct xylem_view key = {NULL, 0};
    struct xylem_view value = {NULL, 0};
    uint64_t page = 0;
    store_builder_must(xylem_begin(&reader, builder.store, XYLEM_READ, &err), &err);
    store_builder_must(xylem_lmdb__rows_new(&rows, reader, table, &err), &err);
    int found = xylem_lmdb__rows_step(&key, &value, rows, XYLEM_LMDB__FIRST, &err);
    while (found == 1) {
        page = page_of(value);
        assert_in_range(page, 2, page_count - 1);
        marks[page] = true;
        found = xylem_lmdb__rows_step(&key, &value, rows, XYLEM_LMDB__NEXT, &err);
    }
    store_builder_must(found, &err);
    marks[page] = !keep_last;
    xylem_lmdb__rows_free(rows);
    xylem_abort(reader);
}

static unsigned wipe_marked(const bool *marks, size_t page_count)
{
    char path[300];
    size_t page_bytes = (size_t)file_io_page_bytes();
    unsigned char *zeroes = calloc(1, page_bytes);
    unsigned count = 0;
    (void)snprintf(path, sizeof path, "%s/data.mdb", builder.path);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0 && zeroes);
    for (size_t page = 0; page < page_count; page++) {
        if (marks[page]) {
            off_t at = (off_t)(page * page_bytes);
            assert_int_equal(pwrite(fd, zeroes, page_bytes, at), page_bytes);
            count++;
        }
    }
    close(fd);
    free(zeroes);
    return count;
}

/* Closes the store and overwrites every page that holds rows of the log, of sessions or of ids, but for the newest. */
static unsigned wipe_all_but_the_newest(void)
{
    store_builder_commit(&builder);
    size_t page_count = (size_t)(file_bytes() / file_io_page_bytes());
    bool *marks = calloc(page_count, sizeof *marks);
    assert_non_null(marks);
    mark_pages(marks, page_count, XYLEM_FORMAT__LOG, true);
    mark_pages(marks, page_count, XYLEM_FORMAT__SESSIONS, true);
    mark_pages(marks, page_count, XYLEM_FORMAT__SESSION_IDS, true);
    mark_pages(marks, page_count, XYLEM_FORMAT__IDS, false);
    mark_pages(marks, page_count, XYLEM_FORMAT__FEED, false);
    mark_pages(marks, page_count, XYLEM_FORMAT__BRANCHES, false);
    close_store();
    unsigned wiped = wipe_marked(marks, page_count);
    free(marks);
    return wiped;
}

/* A thousand sessions, and then one, the last by number and by id, of 10^5 entries, the newest of which is a toggle. */
static struct xylem_position fill(void)
{
    char id[24];
    for (unsigned i = 0; i < 1000; i++) {
        (void)snprintf(id, sizeof id, "other-%u", i);
        store_builder_session(&builder, id);
    }
    uint64_t session = store_builder_session(&builder, "wanted");
    grow(session, sizes[1], 20000);
    return store_builder_add(&builder, session, "newest", "custom:readonly", "{\"enabled\":true}");
}

IN_STORE(a_store_of_which_only_the_newest_rows_are_left_opens_and_has_its_newest_state)
{
    struct xylem_session session;
    struct xylem_entry entry;
    struct xylem_state rehydrated;
    struct xylem_txn *reader = NULL;
    struct xylem_position newest = fill();
    assert_in_range(wipe_all_but_the_newest(), sizes[1] / 1000, sizes[1]);
    open_store();
    store_builder_must(xylem_begin(&reader, builder.store, XYLEM_READ, &err), &err);
    store_builder_must(xylem_session_find(&session, reader, xylem_view_of("wanted"), &err), &err);
    assert_true(session.leaf.branch == newest.branch && session.leaf.depth == newest.depth);
    store_builder_must(xylem_entry_read(&entry, reader, session.leaf, &err), &err);
    assert_memory_equal(entry.id.data, "newest", 6);
    store_builder_must(xylem_rehydrate(&rehydrated, reader, session.leaf, NULL, NULL, &err), &err);
    assert_true(rehydrated.readonly.enabled);
    xylem_state_release(&rehydrated);
    /* The rest is damaged: so what was found did not need it. */
    struct xylem_position inner = {newest.branch, newest.depth / 2};
    assert_int_equal(xylem_entry_read(&entry, reader, inner, &err), XYLEM_E_CORRUPT);
    assert_int_equal(xylem_session_read(&session, reader, session.number / 2, &err), XYLEM_E_CORRUPT);
    xylem_abort(reader);
    /* And whoever saw that does not write to it. */
    assert_int_equal(xylem_begin(&reader, builder.store, XYLEM_WRITE, &err), XYLEM_E_CORRUPT);
    builder.txn = NULL;
}
