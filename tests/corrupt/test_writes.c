/*
 * Damages a store, lets a host write to it, and repairs it. The damage is done before the host opens the store, or while
 * the host has the store open, between two of its commits. A host that is refused loses nothing; a host that gets an
 * acknowledgement must find its entry again, and so must all that wrote before. So in no state may
 *
 *   - a write hang, end its process, or make the file grow without bound;
 *   - a session or an id that is there be made a second time;
 *   - the host itself be told that an acknowledged entry is not there;
 *   - an entry be lost that a repair before the writes would have saved: the damage spread;
 *   - an acknowledged entry be missing where the repair says that it is complete.
 *
 * One class of damage LMDB makes unknowable: a number in the free list that is wrong, but in range and in order. It is
 * counted apart. XYLEM_SEED chooses the first state, XYLEM_ROUNDS how many are tried; with XYLEM_TORTURE many are.
 */

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "store/pages/page.h"
#include "xylem/inspect.h"
#include "xylem/append.h"
#include "tests/lib/chance.h"
#include "tests/lib/damage.h"
#include "tests/lib/store_builder.h"
#include "tests/lib/test.h"

#define SESSIONS 8u
#define COMMITS 60u
#define WRITES_OF_A_STATE 14u
#define WRITES_BEFORE_DAMAGE 8u /* while the host has the store open */
#define BATCH_MAX 25
#define ENTRIES_MAX 4096u
#define SECONDS_OF_A_STATE 30u
#if defined(__SANITIZE_ADDRESS__)
#define STATES_BOUNDED 12u
#else
#define STATES_BOUNDED 60u
#endif
#define GROWTH_BYTES_MAX (UINT64_C(32) << 20)
#define PAGE DAMAGE_PAGE_BYTES

enum kind { HEADER, NODES, ANY_BIT, SECTOR_COPY, SECTOR_ZERO, FREE_NUMBERS, KIND_COUNT };
static const char *const kind_names[KIND_COUNT] = {"headers",       "nodes",         "any bit",
                                                   "copied sector", "zeroed sector", "free numbers"};

/* What an entry is told by: its payload holds its number. */
struct saved {
    bool there[ENTRIES_MAX];
    bool older[ENTRIES_MAX]; /* from a page that is not in use: any write may write over that */
    bool twice;              /* an entry in one session, or the id of a session */
    bool complete;
    int code;
};

/* What children tell. */
static struct shared {
    uint32_t next_entry;
    bool acknowledged[ENTRIES_MAX];
    uint64_t session_of[ENTRIES_MAX]; /* of an entry with a host's id; 0: an id was made */
    enum kind class;
    uint32_t commit_count;
    uint32_t refused_count;
    uint32_t made_again;        /* sessions and ids that were there */
    uint32_t denied;            /* acknowledged entries that are not there */
    struct saved before;        /* the writes */
    struct saved before_in_use; /* the same, of pages in use alone */
    struct saved after;
} * shared;

static struct tally {
    uint64_t states;
    uint64_t not_opened;
    uint64_t commits;
    uint64_t refused;
    uint64_t faults;
    uint64_t hangs;
    uint64_t spreads;
    uint64_t made_again;
    uint64_t lost_in_silence;
    uint64_t denied;
    uint64_t grown;
} tallies[KIND_COUNT];

static struct store_builder builder;
static struct damage_file sound;
static uint32_t sound_entries;
static struct xylem_position sound_at[ENTRIES_MAX];
static char damaged_path[300];
static char repaired_path[320];
static char images_path[2]
                       [320]; /* of a store that was open: as it was when it was damaged, and of that, what is in use */
static uint64_t *live;        /* pages of trees and values, the free list's apart */
static size_t live_count;
static bool *in_use;    /* by page: something leads to it */
static bool *is_listed; /* by page: it is one of a tree, or the first of a value */
static uint64_t *free_pages;
static size_t free_count;

/* --- The sound store --------------------------------------------------------------------------------------------- */

static int add_entry(struct xylem_txn *txn, uint64_t session, uint32_t number, bool minted, struct xylem_error *err)
{
    static char payload[9000];
    char id[32];
    size_t fill = number % 23 == 5 ? 6000 : 20 + number * 37 % 300;
    int bytes = snprintf(payload, sizeof payload, "{\"n\":%u,\"text\":\"", number);
    memset(payload + bytes, 'a' + (int)(number % 26), fill);
    memcpy(payload + bytes + fill, "\"}", 3);
    snprintf(id, sizeof id, "entry-%08x", number * 2654435761u);
    struct xylem_new_entry entry = {
        .kind.name = xylem_view_of("message"), .format = XYLEM_FORMAT_JSON, .payload = xylem_view_of(payload)};
    entry.id = minted ? entry.id : xylem_view_of(id);
    return xylem_append(NULL, txn, session, &entry, 1, NULL, err);
}

static void mark(uint64_t **list, size_t *count, uint64_t page)
{
    in_use[page] = is_listed[page] = true;
    uint64_t *grown = realloc(*list, (*count + 1) * sizeof *grown);
    assert_non_null(grown);
    grown[(*count)++] = page;
    *list = grown;
}

static void mark_tree(uint64_t **list, size_t *count, uint64_t number)
{
    if (number == XYLEM_PAGES__NO_PAGE) {
        return;
    }
    const unsigned char *page = sound.bytes + number * PAGE;
    bool leaf = xylem_pages__page_flags(page) == XYLEM_PAGES__PAGE_LEAF;
    mark(list, count, number);
    for (size_t i = 0; i < xylem_pages__page_node_count(page, PAGE); i++) {
        struct xylem_pages__node node;
        assert_true(xylem_pages__node_read(&node, page, PAGE, xylem_pages__page_node_offset(page, i), leaf));
        if (!leaf) {
            mark_tree(list, count, node.child);
        } else if (node.flags & XYLEM_PAGES__NODE_BIG) {
            mark(list, count, node.first_page);
            memset(in_use + node.first_page, 1, xylem_pages__overflow_pages(node.value_bytes, PAGE));
        } else if (node.flags & XYLEM_PAGES__NODE_SUB) {
            mark_tree(list, count, xylem_pages__tree_at(node.data).root);
        }
    }
}

static void mark_pages(void)
{
    struct xylem_pages__meta first = xylem_pages__meta_at(sound.bytes);
    struct xylem_pages__meta second = xylem_pages__meta_at(sound.bytes + PAGE);
    const struct xylem_pages__meta *newest = first.txn_id > second.txn_id ? &first : &second;
    in_use = calloc(sound.count / PAGE, sizeof *in_use);
    is_listed = calloc(sound.count / PAGE, sizeof *is_listed);
    assert_true(in_use && is_listed);
    in_use[0] = in_use[1] = true;
    mark_tree(&live, &live_count, newest->main_table.root);
    mark_tree(&free_pages, &free_count, newest->free_list.root);
}

/* The number of an entry, from its payload; ENTRIES_MAX: it has none. */
static unsigned long number_of(const struct xylem_entry *entry)
{
    struct xylem_view payload;
    struct xylem_error err;
    bool numbered = xylem_entry_payload(&payload, entry, &err) == XYLEM_OK && payload.bytes > 6 &&
                    memcmp(payload.data, "{\"n\":", 5) == 0;
    unsigned long number = numbered ? strtoul(payload.data + 5, NULL, 10) : ENTRIES_MAX;
    return number < ENTRIES_MAX ? number : ENTRIES_MAX;
}

static int fill(void **state)
{
    struct xylem_error err;
    struct chance chance = chance_of(7);
    (void)state;
    store_builder_open(&builder);
    uint64_t sessions[SESSIONS];
    for (unsigned i = 0; i < SESSIONS; i++) {
        char id[32];
        snprintf(id, sizeof id, "session-%u", i);
        sessions[i] =
            i % 3 == 2 ? store_builder_clone(&builder, sessions[i - 1], id) : store_builder_session(&builder, id);
        store_builder_must(add_entry(builder.txn, sessions[i], sound_entries++, false, &err), &err);
    }
    for (unsigned commit = 0; commit < COMMITS; commit++) {
        unsigned session = (unsigned)chance_below(&chance, (int)SESSIONS);
        for (int i = 0; i < 12; i++) {
            bool minted = chance_one_in(&chance, 3);
            store_builder_must(add_entry(builder.txn, sessions[session], sound_entries++, minted, &err), &err);
        }
        store_builder_commit(&builder);
    }
    for (unsigned i = 0; i < SESSIONS; i++) {
        struct xylem_scan *scan = NULL;
        struct xylem_entry entry;
        store_builder_must(xylem_scan_new(&scan, builder.txn, sessions[i], &err), &err);
        while (xylem_scan_next(&entry, scan, &err) > 0) {
            unsigned long number = number_of(&entry);
            assert_true(number < sound_entries);
            sound_at[number] = entry.position;
        }
        xylem_scan_free(scan);
    }
    xylem_abort(builder.txn);
    builder.txn = NULL;
    sound = damage_read(builder.path);
    mark_pages();
    snprintf(damaged_path, sizeof damaged_path, "%s/damaged", builder.path);
    snprintf(repaired_path, sizeof repaired_path, "%s/repaired", builder.path);
    for (int i = 0; i < 2; i++) {
        snprintf(images_path[i], sizeof images_path[i], "%s/image-%d", builder.path, i);
    }
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return shared == MAP_FAILED;
}

static int empty(void **state)
{
    (void)state;
    struct xylem_error err;
    store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), &err);
    store_builder_close(&builder);
    damage_free(&sound);
    free(live);
    free(in_use);
    free(is_listed);
    free(free_pages);
    return munmap(shared, sizeof *shared);
}

/* --- Damage ------------------------------------------------------------------------------------------------------ */

/* Gives the place of the byte in its page. */
static size_t flip(struct damage_file *file, struct chance *chance, uint64_t page, size_t from, size_t bytes)
{
    size_t bit = (size_t)chance_below(chance, (int)bytes * 8);
    file->bytes[page * PAGE + from + bit / 8] ^= (unsigned char)(1u << bit % 8);
    return from + bit / 8;
}

/* Gives the class that the state counts in: any bit may be one of a number in the free list, too. */
static enum kind damage(struct damage_file *file, struct chance *chance, enum kind kind)
{
    bool in_free_list = kind == FREE_NUMBERS || (kind <= ANY_BIT && chance_one_in(chance, 12));
    uint64_t page =
        in_free_list ? free_pages[chance_below(chance, (int)free_count)] : live[chance_below(chance, (int)live_count)];
    uint64_t other = live[chance_below(chance, (int)live_count)];
    const unsigned char *bytes = file->bytes + page * PAGE;
    size_t sector = 512 * (size_t)chance_below(chance, PAGE / 512);
    size_t lower = xylem_pages__page_lower(bytes);
    size_t upper = xylem_pages__page_upper(bytes);
    bool is_tree = lower >= XYLEM_PAGES__PAGE_HEADER_BYTES && lower <= upper && upper < PAGE;
    size_t at = 0;
    switch (kind) {
    case HEADER:
        flip(file, chance, page, 0, XYLEM_PAGES__PAGE_HEADER_BYTES);
        break;
    case NODES: /* where a node lies, or what it begins with */
        if (is_tree && chance_one_in(chance, 2)) {
            flip(file, chance, page, XYLEM_PAGES__PAGE_HEADER_BYTES, lower - XYLEM_PAGES__PAGE_HEADER_BYTES);
        } else if (is_tree) {
            size_t index = (size_t)chance_below(chance, (int)xylem_pages__page_node_count(bytes, PAGE));
            flip(file, chance, page, xylem_pages__page_node_offset(bytes, index), XYLEM_PAGES__NODE_HEADER_BYTES + 8);
        } else {
            at = flip(file, chance, page, 0, PAGE);
        }
        break;
    case SECTOR_COPY:
        memcpy(file->bytes + page * PAGE + sector,
               sound.bytes + other * PAGE + 512 * (size_t)chance_below(chance, PAGE / 512), 512);
        break;
    case SECTOR_ZERO:
        memset(file->bytes + page * PAGE + sector, 0, 512);
        break;
    case FREE_NUMBERS:
        flip(file, chance, page, is_tree ? upper : 0, is_tree ? PAGE - upper : PAGE);
        break;
    case ANY_BIT:
    case KIND_COUNT:
    default:
        at = flip(file, chance, page, 0, PAGE);
    }
    bool in_numbers = at >= (is_tree ? upper : XYLEM_PAGES__PAGE_HEADER_BYTES);
    return in_free_list && in_numbers ? FREE_NUMBERS : kind;
}

/* Older bytes: pages that nothing leads to, and of pages of trees the part that no node has. */
static void clear_older(struct damage_file *file)
{
    for (size_t page = 0; page < sound.count / PAGE; page++) {
        const unsigned char *bytes = sound.bytes + page * PAGE;
        unsigned flags = xylem_pages__page_flags(bytes);
        bool is_tree = flags == XYLEM_PAGES__PAGE_LEAF || flags == XYLEM_PAGES__PAGE_BRANCH;
        size_t first = in_use[page] ? xylem_pages__page_lower(bytes) : 0;
        size_t end = in_use[page] ? xylem_pages__page_upper(bytes) : PAGE;
        if (!in_use[page] || (is_tree && is_listed[page])) {
            memset(file->bytes + page * PAGE + first, 0, end - first);
        }
    }
}

/* Flips bits of the file below the host, and keeps the file as it is then. In a process of its own: its lists change. */
static void damage_open_store(uint64_t seed)
{
    struct chance chance = chance_of(seed);
    struct damage_file file = damage_read(damaged_path);
    char path[400];
    sound = damage_read(damaged_path);
    live_count = free_count = 0;
    mark_pages();
    enum kind kind = (enum kind)(seed % KIND_COUNT);
    for (int flips = 1 + chance_below(&chance, 3); flips > 0; flips--) {
        enum kind class = damage(&file, &chance, kind);
        shared->class = class == FREE_NUMBERS ? class : shared->class;
    }
    snprintf(path, sizeof path, "%s/data.mdb", damaged_path);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    for (size_t at = 0; at < file.count; at += PAGE) {
        if (memcmp(file.bytes + at, sound.bytes + at, PAGE) != 0) {
            assert_int_equal(pwrite(fd, file.bytes + at, PAGE, (off_t)at), PAGE);
        }
    }
    close(fd);
    damage_write(images_path[0], &file);
    clear_older(&file);
    damage_write(images_path[1], &file);
}

/* --- What a host does -------------------------------------------------------------------------------------------- */

static int write_once(struct xylem_txn *txn, struct chance *chance, bool *made_again, struct xylem_error *err)
{
    struct xylem_session session;
    char id[32];
    int what = chance_below(chance, 10);
    snprintf(id, sizeof id, "session-%d", chance_below(chance, (int)SESSIONS));
    if (what == 0) { /* a session that is there */
        struct xylem_session_options options = {.id = xylem_view_of(id)};
        int code = xylem_session_create(NULL, txn, &options, err);
        *made_again = code == XYLEM_OK;
        return code < 0 ? code : XYLEM_E_STOPPED;
    }
    int code = xylem_session_find(&session, txn, xylem_view_of(id), err);
    if (code == XYLEM_E_NOT_FOUND) { /* what a host does then */
        struct xylem_session_options options = {.id = xylem_view_of(id)};
        *made_again = xylem_session_create(&session, txn, &options, err) == XYLEM_OK;
        return XYLEM_E_STOPPED;
    }
    if (code == XYLEM_OK && what == 1) { /* an id that may be there: in this session, it says EXISTS, in another, not */
        struct xylem_position position;
        uint32_t old = (uint32_t)chance_below(chance, (int)sound_entries);
        bool there = shared->before.there[old]; /* by then: entries that have this id in this session */
        snprintf(id, sizeof id, "entry-%08x", old * 2654435761u);
        code = xylem_find(&position, txn, session.number, xylem_view_of(id), err);
        return code == XYLEM_OK || !there ? XYLEM_E_STOPPED : code;
    }
    if (code == XYLEM_OK && what == 2) {
        struct xylem_session_options options = {.id = {NULL, 0}};
        struct xylem_session made;
        code = xylem_session_create(&made, txn, &options, err);
        session = made;
    }
    int count = chance_one_in(chance, 3) ? 1 + chance_below(chance, BATCH_MAX) : 1;
    for (int i = 0; code == XYLEM_OK && i < count; i++) {
        uint32_t number = shared->next_entry++;
        bool minted = chance_one_in(chance, 2);
        shared->session_of[number] = minted ? 0 : session.number;
        code = add_entry(txn, session.number, number, minted, err);
    }
    return code;
}

static void write_some(struct xylem_store *store, struct chance *chance, unsigned count)
{
    struct xylem_error err;
    for (unsigned i = 0; i < count; i++) {
        struct xylem_txn *txn = NULL;
        bool made_again = false;
        uint32_t first = shared->next_entry;
        int code = xylem_begin(&txn, store, XYLEM_WRITE, &err);
        if (code == XYLEM_OK) {
            code = write_once(txn, chance, &made_again, &err);
        }
        if (code == XYLEM_OK || made_again) {
            int committed = xylem_commit(txn, &err);
            code = code < 0 ? code : committed;
            shared->made_again += made_again && committed == XYLEM_OK;
        } else {
            xylem_abort(txn);
        }
        if (code == XYLEM_OK) {
            memset(shared->acknowledged + first, 1, shared->next_entry - first);
            shared->commit_count++;
        }
        shared->refused_count += code == XYLEM_E_CORRUPT;
    }
}

/* Asks for each acknowledged entry, through the same handle. */
static void find_all(struct xylem_store *store)
{
    struct xylem_txn *txn = NULL;
    struct xylem_error err;
    if (xylem_begin(&txn, store, XYLEM_READ, &err) < 0) {
        return;
    }
    for (uint32_t number = sound_entries; number < shared->next_entry; number++) {
        struct xylem_position position;
        char id[32];
        snprintf(id, sizeof id, "entry-%08x", number * 2654435761u);
        shared->denied +=
            shared->acknowledged[number] && shared->session_of[number] > 0 &&
            xylem_find(&position, txn, shared->session_of[number], xylem_view_of(id), &err) == XYLEM_E_NOT_FOUND;
    }
    xylem_abort(txn);
}

static void write_all(uint64_t seed, bool while_open)
{
    struct chance chance = chance_of(seed ^ UINT64_C(0x9e3779b97f4a7c15));
    struct xylem_store *store = NULL;
    struct xylem_error err;
    struct xylem_open_options options = {.durability = XYLEM_DURABILITY_NONE, .map_bytes = UINT64_C(1) << 28};
    if (xylem_open(&store, damaged_path, &options, &err) < 0) {
        shared->commit_count = UINT32_MAX;
        return;
    }
    if (while_open) {
        write_some(store, &chance, WRITES_BEFORE_DAMAGE);
        damage_open_store(seed);
    }
    write_some(store, &chance, WRITES_OF_A_STATE);
    find_all(store);
    (void)xylem_close(store, NULL);
}

/* --- What a repair saves ------------------------------------------------------------------------------------------ */

static void read_session(struct saved *saved, struct xylem_txn *txn, uint64_t session)
{
    static bool seen[ENTRIES_MAX];
    struct xylem_scan *scan = NULL;
    struct xylem_entry entry;
    struct xylem_error err;
    memset(seen, 0, sizeof seen);
    if (xylem_scan_new(&scan, txn, session, &err) < 0) {
        return;
    }
    while (xylem_scan_next(&entry, scan, &err) > 0) {
        unsigned long number = number_of(&entry);
        if (number < ENTRIES_MAX) {
            saved->twice = saved->twice || seen[number];
            seen[number] = true;
            saved->there[number] = true;
        }
    }
    xylem_scan_free(scan);
}

static void read_store(struct saved *saved, const char *path)
{
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    struct xylem_sessions *sessions = NULL;
    struct xylem_session session;
    struct xylem_error err;
    char ids[64][40];
    size_t count = 0;
    struct xylem_open_options options = {.read_only = true, .map_bytes = UINT64_C(1) << 28};
    saved->code = xylem_open(&store, path, &options, &err);
    saved->code = saved->code < 0 ? saved->code : xylem_begin(&txn, store, XYLEM_READ, &err);
    saved->code = saved->code < 0 ? saved->code : xylem_sessions_new(&sessions, txn, &err);
    while (saved->code >= 0 && xylem_sessions_next(&session, sessions, &err) > 0 && count < 64) {
        snprintf(ids[count], sizeof ids[count], "%.*s", (int)session.id.bytes, session.id.data);
        for (size_t i = 0; i < count; i++) {
            saved->twice = saved->twice || strcmp(ids[i], ids[count]) == 0;
        }
        count++;
        read_session(saved, txn, session.number);
    }
    xylem_sessions_free(sessions);
    xylem_abort(txn);
    (void)xylem_close(store, NULL);
}

static int hear(void *context, const struct xylem_problem *problem)
{
    struct saved *saved = context;
    bool older = strstr(problem->text, "only an older copy") != NULL;
    for (uint32_t i = 0; older && i < sound_entries; i++) {
        saved->older[i] = saved->older[i] || (sound_at[i].branch == problem->position.branch &&
                                              sound_at[i].depth == problem->position.depth);
    }
    return 0;
}

static void repair(struct saved *saved)
{
    struct xylem_repair_report report = {.complete = false};
    struct xylem_error err;
    saved->code = xylem_repair(&report, damaged_path, repaired_path, NULL, hear, saved, &err);
    saved->complete = saved->code == XYLEM_OK && report.complete;
    if (saved->code == XYLEM_OK) {
        read_store(saved, repaired_path);
    }
}

/* --- One state --------------------------------------------------------------------------------------------------- */

static void remove_store(const char *path)
{
    static const char *const names[] = {"data.mdb", "lock.mdb", "xylem.lock"};
    char file[400];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(file, sizeof file, "%s/%s", path, names[i]);
        (void)unlink(file);
    }
    (void)rmdir(path);
}

/* Runs a step in a process of its own: 0, the signal that ended it, or SIGALRM. */
enum step { WRITE, WRITE_WHILE_OPEN, REPAIR_BEFORE, REPAIR_IN_USE, REPAIR_AFTER };
static int run(enum step step, uint64_t seed)
{
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    pid_t child = fork();
    int status = 0;
    assert_true(child >= 0);
    if (child == 0) {
        struct rlimit limit = {sound.count + GROWTH_BYTES_MAX, sound.count + GROWTH_BYTES_MAX};
        setrlimit(RLIMIT_FSIZE, &limit);
        signal(SIGXFSZ, SIG_IGN);
        for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++) {
            signal(fatal[i], SIG_DFL); /* cmocka would go on with the next test here */
        }
        signal(SIGALRM, SIG_DFL);
        alarm(SECONDS_OF_A_STATE);
        if (step == WRITE || step == WRITE_WHILE_OPEN) {
            write_all(seed, step == WRITE_WHILE_OPEN);
        } else {
            repair(step == REPAIR_BEFORE   ? &shared->before
                   : step == REPAIR_IN_USE ? &shared->before_in_use
                                           : &shared->after);
        }
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static bool file_grew(void)
{
    char path[400];
    struct stat file;
    snprintf(path, sizeof path, "%s/data.mdb", damaged_path);
    return stat(path, &file) == 0 && (uint64_t)file.st_size > sound.count + GROWTH_BYTES_MAX / 2;
}

/*
 * `in_use_only`: without older bytes. A repair takes older copies of lost rows from them, and any write may write over
 * these: that is no damage that spreads.
 */
static enum kind make_state(struct damage_file *file, uint64_t seed, bool in_use_only)
{
    struct chance chance = chance_of(seed);
    memcpy(file->bytes, sound.bytes, sound.count);
    enum kind class = damage(file, &chance, (enum kind)(seed % KIND_COUNT));
    if (in_use_only) {
        clear_older(file);
    }
    remove_store(damaged_path);
    damage_write(damaged_path, file);
    return class;
}

static void count_signal(struct tally *tally, int signal_number)
{
    tally->faults += signal_number != 0 && signal_number != SIGALRM;
    tally->hangs += signal_number == SIGALRM;
}

/* Puts the damaged store back as it was before the writes. */
static void unwrite(struct damage_file *file, uint64_t seed, bool while_open, bool in_use_only)
{
    if (!while_open) {
        (void)make_state(file, seed, in_use_only);
        return;
    }
    struct damage_file image = damage_read(images_path[in_use_only]);
    remove_store(damaged_path);
    damage_write(damaged_path, &image);
    damage_free(&image);
}

/* What was lost, and is it the writes that lost it? */
static void compare(struct tally *tally, struct damage_file *file, uint64_t seed, bool while_open)
{
    bool lost_old = false;
    bool lost_any = false;
    for (uint32_t i = 0; i < ENTRIES_MAX; i++) {
        bool expected = i < sound_entries || shared->acknowledged[i];
        lost_any = lost_any || (expected && !shared->after.there[i]);
        lost_old = lost_old || (i < sound_entries && !shared->after.there[i]);
    }
    tally->lost_in_silence += lost_any && shared->after.complete;
    if (lost_old && shared->commit_count > 0) {
        bool spread = false;
        for (int in_use_only = 0; in_use_only < 2; in_use_only++) {
            unwrite(file, seed, while_open, in_use_only);
            remove_store(repaired_path);
            count_signal(tally, run(in_use_only ? REPAIR_IN_USE : REPAIR_BEFORE, seed));
        }
        for (uint32_t i = 0; i < sound_entries; i++) {
            bool saved = shared->before.there[i] && !shared->before.older[i] && shared->before_in_use.there[i] &&
                         !shared->before_in_use.older[i];
            spread = spread || (saved && !shared->after.there[i]);
        }
        tally->spreads += spread;
    }
    tally->made_again += shared->made_again > 0 || (shared->after.twice && !shared->before.twice);
}

static void try_state(uint64_t seed, bool while_open)
{
    struct damage_file file = {malloc(sound.count), sound.count};
    assert_non_null(file.bytes);
    memset(shared, 0, sizeof *shared);
    shared->next_entry = sound_entries;
    shared->class = (enum kind)(seed % KIND_COUNT);
    memset(shared->before.there, 1, sizeof shared->before.there);
    if (while_open) {
        remove_store(damaged_path);
        damage_write(damaged_path, &sound);
    } else {
        shared->class = make_state(&file, seed, false);
    }
    int signal_number = run(while_open ? WRITE_WHILE_OPEN : WRITE, seed);
    struct tally *tally = &tallies[shared->class];
    struct tally before = *tally;
    tally->states++;
    count_signal(tally, signal_number);
    memset(&shared->before, 0, sizeof shared->before);
    if (shared->commit_count == UINT32_MAX) {
        tally->not_opened++;
        shared->commit_count = 0;
    }
    tally->commits += shared->commit_count;
    tally->refused += shared->refused_count;
    tally->grown += file_grew();
    remove_store(repaired_path);
    count_signal(tally, run(REPAIR_AFTER, seed));
    compare(tally, &file, seed, while_open);
    tally->denied += shared->denied;
    damage_free(&file);
    bool bad = tally->hangs > before.hangs || tally->grown > before.grown || tally->made_again > before.made_again ||
               tally->lost_in_silence > before.lost_in_silence || tally->faults > before.faults ||
               tally->spreads > before.spreads || tally->denied > before.denied;
    if (bad) {
        print_message("seed %" PRIu64
                      ": %s: faults %u, hangs %u, spreads %u, again %u, silent %u, denied %u, grown %u\n",
                      seed, kind_names[shared->class], (unsigned)(tally->faults - before.faults),
                      (unsigned)(tally->hangs - before.hangs), (unsigned)(tally->spreads - before.spreads),
                      (unsigned)(tally->made_again - before.made_again),
                      (unsigned)(tally->lost_in_silence - before.lost_in_silence),
                      (unsigned)(tally->denied - before.denied), (unsigned)(tally->grown - before.grown));
    }
}

static void try_states(bool while_open)
{
    const char *rounds_text = getenv("XYLEM_ROUNDS");
    const char *seed_text = getenv("XYLEM_SEED");
    memset(tallies, 0, sizeof tallies);
    uint64_t usual = while_open && !getenv("XYLEM_SHORT") ? 4 * STATES_BOUNDED : STATES_BOUNDED;
    uint64_t rounds = rounds_text ? strtoull(rounds_text, NULL, 10) : usual;
    uint64_t seed = seed_text ? strtoull(seed_text, NULL, 10) : (uint64_t)time(NULL) * 1000;
    rounds = seed_text && !rounds_text ? 1 : getenv("XYLEM_TORTURE") ? rounds * 50 : rounds;
    for (uint64_t i = 0; i < rounds; i++) {
        try_state(seed + i, while_open);
    }
    struct tally sum = {.states = 0};
    print_message("%zu pages of trees, %u entries; XYLEM_SEED=%" PRIu64 "\n", live_count, sound_entries, seed);
    for (unsigned kind = 0; kind < KIND_COUNT; kind++) {
        const struct tally *tally = &tallies[kind];
        print_message("%-14s %6" PRIu64 " states, %6" PRIu64 " refused at open, %7" PRIu64 " commits, %6" PRIu64
                      " refused, %4" PRIu64 " faults, %3" PRIu64 " hangs, %4" PRIu64 " spreads, %3" PRIu64
                      " made again, %3" PRIu64 " lost in silence, %3" PRIu64 " denied, %3" PRIu64 " grown\n",
                      kind_names[kind], tally->states, tally->not_opened, tally->commits, tally->refused, tally->faults,
                      tally->hangs, tally->spreads, tally->made_again, tally->lost_in_silence, tally->denied,
                      tally->grown);
        if (kind != FREE_NUMBERS) {
            sum.faults += tally->faults;
            sum.spreads += tally->spreads;
            sum.denied += tally->denied;
        }
        sum.hangs += tally->hangs;
        sum.made_again += tally->made_again;
        sum.lost_in_silence += tally->lost_in_silence;
        sum.grown += tally->grown;
        sum.commits += tally->commits;
        sum.refused += tally->refused;
    }
    assert_int_equal(sum.hangs, 0);
    assert_int_equal(sum.faults, 0);
    assert_int_equal(sum.spreads, 0);
    assert_int_equal(sum.made_again, 0);
    assert_int_equal(sum.lost_in_silence, 0);
    assert_int_equal(sum.denied, 0);
    assert_int_equal(sum.grown, 0);
    assert_true((sum.commits > 0 && sum.refused > 0) || rounds < STATES_BOUNDED); /* the host met the damage */
}

TEST(a_host_that_writes_to_a_damaged_store_loses_nothing_that_a_repair_would_save)
{
    try_states(false);
}

TEST(a_host_whose_store_is_damaged_while_it_is_open_loses_nothing_that_a_repair_would_save)
{
    try_states(true);
}

TEST_FILE(fill, empty)
