/*
 * The table of noted files against a plain model. Random notes, checks, forgotten files, entries, restarts, forks and
 * navigations; after each load the table of the store, and the table of held entries, are the table of the model. The
 * model keeps lists alone: the files in the order of use, and for each entry the files that a restart knows there.
 * A seed decides everything. It is printed; XYLEM_SEED=n runs that one alone, XYLEM_ROUNDS=n runs more of them.
 */
#include <errno.h>
#include <inttypes.h>

#include "tests/lib/chance.h"
#include "tests/lib/store_builder.h"
#include "tests/replay/reads/table_lib.h"

#define ROUNDS_DEFAULT 40
#define STEPS 600
#define KEYS 130 /* more than the table holds */
#define ENTRIES_MAX 400
#define SESSIONS_MAX 8

/* A file: its key is a number, and so is its content. */
struct model_file {
    int key;
    unsigned content;
    bool drained;
};

/* Files, the file that was used last first. */
struct model_list {
    struct model_file files[KEYS];
    int count;
};

struct snapshot {
    struct xylem_position at;
    struct model_list known; /* after a restart */
};

struct world {
    uint64_t seed;
    struct chance chance;
    struct store_builder builder;
    struct xylem_reads *reads;
    struct model_list table;
    struct model_list known; /* what a restart would know at the leaf */
    struct snapshot entries[ENTRIES_MAX];
    int entry_count;
    uint64_t sessions[SESSIONS_MAX];
    int session_count;
    uint64_t session;
    bool open;
};

static struct world world;

static int find(const struct model_list *list, int key)
{
    int at = 0;
    while (at < list->count && list->files[at].key != key) {
        at++;
    }
    return at;
}

static void take(struct model_list *list, int key)
{
    int at = find(list, key);
    if (at < list->count) {
        list->count--;
        memmove(&list->files[at], &list->files[at + 1], (size_t)(list->count - at) * sizeof *list->files);
    }
}

static void put_first(struct model_list *list, struct model_file file)
{
    take(list, file.key);
    memmove(&list->files[1], &list->files[0], (size_t)list->count * sizeof *list->files);
    list->files[0] = file;
    list->count++;
}

static const char *name_of(int key)
{
    static char names[4][16];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(names[turn], sizeof names[turn], "/%d", key);
    return names[turn];
}

static void assert_same(const struct xylem_reads *reads, const struct model_list *expected, const char *when)
{
    struct xylem_read_file file;
    int count = 0;
    while (xylem_reads_file(&file, reads, (size_t)count)) {
        const struct model_file *one = &expected->files[count];
        if (count >= expected->count || strcmp(file.key.data, name_of(one->key)) != 0 || file.bytes != one->content) {
            fail_msg("%s: file %d is %s %d", when, count, file.key.data, (int)file.bytes);
        }
        count++;
    }
    if (count != expected->count) {
        fail_msg("%s: expected %d files, found %d", when, expected->count, count);
    }
}

static void do_note(void)
{
    struct model_file file = {chance_below(&world.chance, KEYS), 1 + (unsigned)chance_below(&world.chance, 3), false};
    note(world.reads, name_of(file.key), file.content);
    put_first(&world.table, file);
    if (world.table.count > (int)XYLEM_READS_FILES_MAX) {
        world.table.count--;
    }
}

static void do_check(void)
{
    int key = chance_below(&world.chance, KEYS);
    unsigned now = (unsigned)chance_below(&world.chance, 4); /* 0: there is no file */
    enum xylem_write_tool tool = chance_one_in(&world.chance, 2) ? XYLEM_WRITE_TOOL_EDIT : XYLEM_WRITE_TOOL_WRITE;
    int at = find(&world.table, key);
    bool noted = at < world.table.count;
    enum xylem_reads_why expected = XYLEM_READS_UNREAD;
    if (noted) {
        expected = !now                                   ? XYLEM_READS_DELETED
                   : now == world.table.files[at].content ? XYLEM_READS_PASS
                                                          : XYLEM_READS_CHANGED;
    } else if (!now && tool == XYLEM_WRITE_TOOL_WRITE) {
        expected = XYLEM_READS_PASS;
    }
    assert_int_equal(check(world.reads, name_of(key), tool, now), expected);
    if (noted && expected == XYLEM_READS_PASS) {
        put_first(&world.table, world.table.files[at]);
    }
}

static void do_forget(void)
{
    int key = chance_below(&world.chance, KEYS);
    assert_int_equal(xylem_reads_forget(world.reads, xylem_view_of(name_of(key)), NULL), 0);
    take(&world.table, key);
}

/* What a restart knows after the entry: the order of the notes, but of a whole table the order of use. */
static void keep_entry(struct xylem_position at, bool whole)
{
    struct model_list known = whole ? (struct model_list){.count = 0} : world.known;
    for (int i = world.table.count; i-- > 0;) {
        if (whole || !world.table.files[i].drained) {
            world.table.files[i].drained = true;
            put_first(&known, world.table.files[i]);
        }
    }
    for (int i = known.count; i-- > 0;) {
        if (find(&world.table, known.files[i].key) == world.table.count) {
            take(&known, known.files[i].key);
        }
    }
    world.known = known;
    world.entries[world.entry_count++] = (struct snapshot){at, known};
}

static void do_drain(void)
{
    struct xylem_buffer data = drain(world.reads);
    if (data.bytes > 0) {
        bool whole = strstr(data.data, "\"whole\":true") != NULL;
        keep_entry(store_builder_add(&world.builder, world.session, NULL, "custom:file-reads", data.data), whole);
    }
    xylem_buffer_release(&data);
}

/* A message keeps what is known. */
static void do_message(void)
{
    struct xylem_position at = store_builder_messages(&world.builder, world.session, 1);
    world.entries[world.entry_count++] = (struct snapshot){at, world.known};
}

/* Loads the table at the leaf of the session; the model knows the entry. */
static void do_load(void)
{
    struct xylem_position leaf = store_builder_leaf(&world.builder, world.session);
    struct xylem_reduction reduction;
    struct xylem_error err = {0};
    world.known.count = 0;
    for (int i = 0; i < world.entry_count; i++) {
        if (world.entries[i].at.branch == leaf.branch && world.entries[i].at.depth == leaf.depth) {
            world.known = world.entries[i].known;
        }
    }
    world.table = world.known;
    store_builder_must(xylem_reads_load(world.reads, world.builder.txn, leaf, &reduction, &err), &err);
    assert_true(reduction.decoded_count <= XYLEM_READS_ENTRIES_MAX && reduction.skipped_count == 0);
    xylem_reduction_release(&reduction);
    assert_same(world.reads, &world.table, "after a load");
}

static void do_restart(void)
{
    store_builder_reopen(&world.builder);
    xylem_reads_free(world.reads);
    world.reads = table_new();
    do_load();
}

static void do_move(void)
{
    bool fork = world.session_count < SESSIONS_MAX && chance_one_in(&world.chance, 3);
    if (world.entry_count == 0) {
        return;
    }
    struct xylem_position to = world.entries[chance_below(&world.chance, world.entry_count)].at;
    if (fork) {
        uint64_t owner = 0;
        char id[16];
        snprintf(id, sizeof id, "s%d", world.session_count);
        store_builder_must(xylem_owner(&owner, world.builder.txn, to, NULL), NULL);
        world.session = store_builder_fork(&world.builder, owner, to, XYLEM_FORK_AT, id);
        world.sessions[world.session_count++] = world.session;
    } else {
        world.session = world.sessions[chance_below(&world.chance, world.session_count)];
        if (xylem_belongs(world.builder.txn, world.session, to, NULL) == 1) {
            store_builder_go(&world.builder, world.session, to);
        }
    }
    do_load();
}

static void run_seed(uint64_t seed)
{
    world = (struct world){.seed = seed, .chance = chance_of(seed)};
    store_builder_open(&world.builder);
    world.open = true;
    world.reads = table_new();
    world.session = store_builder_session(&world.builder, "s");
    world.sessions[world.session_count++] = world.session;
    for (int step = 0; step < STEPS && world.entry_count < ENTRIES_MAX - 1; step++) {
        int what = chance_below(&world.chance, 100);
        if (what < 55) {
            do_note();
        } else if (what < 70) {
            do_check();
        } else if (what < 73) {
            do_forget();
        } else if (what < 93) {
            do_drain();
        } else if (what < 96) {
            do_message();
        } else if (what < 98) {
            do_restart();
        } else {
            do_move();
        }
        assert_same(world.reads, &world.table, "after a step");
    }
    xylem_reads_free(world.reads);
    store_builder_close(&world.builder);
    world.open = false;
}

/* After a failure: says how to have it again. */
static int leave_world(void **state)
{
    (void)state;
    if (world.open) {
        print_error("seed %" PRIu64 " failed; again: XYLEM_SEED=%" PRIu64 " %s\n", world.seed, world.seed,
                    program_invocation_name);
        store_builder_close(&world.builder);
        world.open = false;
    }
    return 0;
}

TEST_WITH(the_table_is_the_table_of_the_model, NULL, leave_world)
{
    test_seeds(run_seed, test_rounds(ROUNDS_DEFAULT));
}
