/*
 * Random stores, damaged at random, and repaired: the new store verifies; every entry in it is one of the old store's,
 * or a placeholder; every entry whose pages were not touched is there; the damaged file is as it was. A seed decides
 * everything. It is printed; XYLEM_SEED=n runs that one alone, XYLEM_ROUNDS=n runs more of them.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "store/store.h"
#include "xylem/care.h"
#include "xylem/inspect.h"
#include "xylem/redact.h"
#include "tests/lib/chance.h"
#include "tests/lib/changes.h"
#include "tests/lib/damage.h"
#include "tests/lib/store_builder.h"
#include "tests/lib/test.h"
#include "tests/lib/verified.h"

#define SESSIONS_MAX 8
#define ENTRIES_MAX 1200
#define DAMAGES_PER_STORE 8

#if defined(__SANITIZE_ADDRESS__)
#define ROUNDS_DEFAULT 8
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ROUNDS_DEFAULT 8
#endif
#endif
#ifndef ROUNDS_DEFAULT
#define ROUNDS_DEFAULT 40
#endif
#define ROUNDS_TORTURE 3000

/* An entry of the store before it was damaged. */
struct original {
    char id[64];
    char kind[64];
    int64_t time_ms;
    uint64_t payload_hash;
    uint64_t lsn;
    bool redacted;
    bool freed;   /* it was freed: it need not be there, and may */
    bool touched; /* a page that it lies on was damaged */
    bool saved;
    uint64_t pages[2]; /* its leaf's, and the first of its value's; 0: none */
    uint64_t page_count;
};

static struct {
    uint64_t seed;
    struct chance chance;
    struct store_builder builder;
    uint64_t sessions[SESSIONS_MAX];
    bool deleted[SESSIONS_MAX];
    int session_count;
    int entry_count;
    struct original originals[ENTRIES_MAX];
    size_t original_count;
    struct original gone[ENTRIES_MAX]; /* what was there before some garbage collection */
    size_t gone_count;
    struct damage_file pristine;
    char damaged[300];
    char repaired[300];
    struct xylem_repair_report report;
} world;

static struct xylem_error err;

/* --- A random store --------------------------------------------------------------------------------------------- */

static int draw(int bound)
{
    return chance_below(&world.chance, bound);
}

static void redact(uint64_t session, struct xylem_position at)
{
    struct xylem_redact_report report;
    struct xylem_redact_options options = {.reason = xylem_view_of("by chance"), .drop_hash = draw(2) == 0};
    store_builder_must(xylem_redact(&report, world.builder.txn, session, at, &options, &err), &err);
    xylem_redact_report_release(&report);
}

static void append_some(uint64_t session)
{
    static const char *const kinds[] = {"message", "message", "message", "custom:readonly", "label", "custom:of-mine"};
    static char json[12000];
    int count = 1 + (draw(3) == 0 ? draw(30) : 0);
    for (int i = 0; i < count && world.entry_count < ENTRIES_MAX - 40; i++, world.entry_count++) {
        char id[16];
        int length = draw(12) == 0 ? 2000 + draw(9000) : draw(200);
        (void)snprintf(id, sizeof id, "e%d", world.entry_count);
        (void)snprintf(json, sizeof json, "{\"n\":%d,\"text\":\"%0*d\"}", world.entry_count, length, 0);
        struct xylem_position at = store_builder_add(&world.builder, session, draw(4) == 0 ? NULL : id, kinds[draw(6)],
                                                     draw(10) == 0 ? NULL : json);
        if (draw(60) == 0) {
            redact(session, at);
        }
    }
}

/* Some entry on the path of the session's leaf; none if it has none. */
static struct xylem_position some_entry(uint64_t session)
{
    struct xylem_position leaf = store_builder_leaf(&world.builder, session);
    struct xylem_position at = {0, 0};
    if (leaf.depth > 0) {
        store_builder_must(xylem_ancestor_at(&at, world.builder.txn, leaf, 1 + (uint64_t)draw((int)leaf.depth), &err),
                           &err);
    }
    return at;
}

static void note_originals(void);

/* Notes what may be freed now, in place of what it was when others were. */
static void note_gone(const struct original *original)
{
    size_t at = 0;
    while (at < world.gone_count && strcmp(world.gone[at].id, original->id) != 0) {
        at++;
    }
    assert_in_range(at, 0, ENTRIES_MAX - 1);
    world.gone[at] = *original;
    world.gone_count += at == world.gone_count;
}

/* Deletes sessions but for the first, and frees them at times. */
static void remove_some(int index)
{
    store_builder_commit(&world.builder);
    if (index > 0) {
        store_builder_must(xylem_session_delete(world.builder.txn, world.sessions[index], &err), &err);
        world.deleted[index] = true;
    }
    if (draw(2) == 0) {
        note_originals();
        for (size_t i = 0; i < world.original_count; i++) {
            note_gone(&world.originals[i]);
        }
        store_builder_must(xylem_gc(NULL, world.builder.txn, NULL, &err), &err);
    }
    store_builder_commit(&world.builder);
}

static void operate(void)
{
    char id[16];
    int index = world.session_count == 0 ? 0 : draw(world.session_count);
    int choice = world.session_count == 0 ? 0 : draw(20);
    if (choice == 0 && world.session_count < SESSIONS_MAX) {
        (void)snprintf(id, sizeof id, "s%d", world.session_count);
        world.sessions[world.session_count++] = store_builder_session(&world.builder, id);
        return;
    }
    if (world.deleted[index]) {
        return;
    }
    uint64_t session = world.sessions[index];
    struct xylem_position at = some_entry(session);
    if (choice == 1 && world.session_count < SESSIONS_MAX && at.depth > 0) {
        (void)snprintf(id, sizeof id, "s%d", world.session_count);
        world.sessions[world.session_count++] = store_builder_fork(&world.builder, session, at, XYLEM_FORK_AT, id);
    } else if (choice <= 4) {
        store_builder_go(&world.builder, session, at);
    } else if (choice <= 7) {
        store_builder_commit(&world.builder);
    } else if (choice == 8) {
        remove_some(index);
    } else if (choice == 9 && at.depth > 0) {
        redact(session, at);
    } else {
        append_some(session);
    }
}

static int compare_originals(const void *left, const void *right)
{
    return strcmp(((const struct original *)left)->id, ((const struct original *)right)->id);
}

static struct original *find_original(struct xylem_view id)
{
    struct original wanted;
    if (id.bytes >= sizeof wanted.id) {
        return NULL;
    }
    (void)snprintf(wanted.id, sizeof wanted.id, "%.*s", (int)id.bytes, id.data);
    return bsearch(&wanted, world.originals, world.original_count, sizeof wanted, compare_originals);
}

/* Adds those that were there once, as they were last. */
static void add_gone(void)
{
    size_t present = world.original_count;
    for (size_t i = 0; i < world.gone_count; i++) {
        bool known = false;
        for (size_t j = 0; j < world.original_count && !known; j++) {
            known = strcmp(world.originals[j].id, world.gone[i].id) == 0;
        }
        if (!known) {
            assert_in_range(world.original_count, present, ENTRIES_MAX - 1);
            world.originals[world.original_count] = world.gone[i];
            world.originals[world.original_count++].freed = true;
        }
    }
    qsort(world.originals, world.original_count, sizeof *world.originals, compare_originals);
}

/* Notes every entry of the store that was made, and the pages that it lies on. */
static void note_originals(void)
{
    struct xylem_repair__salvage *salvage;
    store_builder_must(xylem_repair__salvage_new(&salvage, world.builder.path, &err), &err);
    struct xylem_repair__rows rows = xylem_repair__salvage_rows(salvage, XYLEM_FORMAT__LOG);
    world.original_count = 0;
    for (size_t i = 0; i < rows.count; i++) {
        if (!(rows.list[i].flags & XYLEM_REPAIR__ROW_REACHED)) {
            continue; /* it was freed */
        }
        struct original *original = &world.originals[world.original_count++];
        struct xylem_entry entry;
        struct xylem_repair__content content;
        struct xylem_position at = {rows.list[i].first, rows.list[i].second};
        assert_in_range(world.original_count, 1, ENTRIES_MAX);
        store_builder_must(xylem_entry_read(&entry, world.builder.txn, at, &err), &err);
        store_builder_must(xylem_repair__salvage_read(&content, salvage, &rows.list[i], &err), &err);
        memset(original, 0, sizeof *original);
        (void)snprintf(original->id, sizeof original->id, "%.*s", (int)entry.id.bytes, entry.id.data);
        (void)snprintf(original->kind, sizeof original->kind, "%.*s", (int)entry.kind.name.bytes, entry.kind.name.data);
        original->time_ms = entry.time_ms;
        original->payload_hash = entry.unverified.payload_hash;
        original->lsn = entry.lsn;
        original->redacted = (entry.flags & XYLEM_ENTRY_REDACTED) != 0;
        original->pages[0] = rows.list[i].page;
        bool big = content.offset / DAMAGE_PAGE_BYTES != rows.list[i].page;
        original->pages[1] = big ? content.offset / DAMAGE_PAGE_BYTES : 0;
        original->page_count = big ? (content.value.bytes + 16 + DAMAGE_PAGE_BYTES - 1) / DAMAGE_PAGE_BYTES : 0;
    }
    qsort(world.originals, world.original_count, sizeof *world.originals, compare_originals);
    xylem_repair__salvage_free(salvage);
}

static void make_store(void)
{
    int operations = 20 + draw(120);
    world.session_count = 0;
    world.entry_count = 0;
    world.gone_count = 0;
    memset(world.deleted, 0, sizeof world.deleted);
    store_builder_open(&world.builder);
    for (int i = 0; i < operations; i++) {
        operate();
    }
    append_some(world.sessions[0]); /* so that there is something to be saved */
    store_builder_commit(&world.builder);
    note_originals();
    add_gone();
    world.pristine = damage_read(world.builder.path);
    (void)snprintf(world.damaged, sizeof world.damaged, "%s/damaged", world.builder.path);
    (void)snprintf(world.repaired, sizeof world.repaired, "%s-repaired", world.builder.path);
}

/* --- Random damage ---------------------------------------------------------------------------------------------- */

static unsigned char *some_page(struct damage_file *file)
{
    return file->bytes + (size_t)draw((int)(file->count / DAMAGE_PAGE_BYTES)) * DAMAGE_PAGE_BYTES;
}

static void swap_pages(unsigned char *a, unsigned char *b)
{
    unsigned char kept[DAMAGE_PAGE_BYTES];
    memcpy(kept, a, sizeof kept);
    memmove(a, b, sizeof kept);
    memcpy(b, kept, sizeof kept);
}

static void damage_once(struct damage_file *file)
{
    unsigned char *page = some_page(file);
    switch (draw(7)) {
    case 0:
        memset(page, 0, DAMAGE_PAGE_BYTES);
        break;
    case 1:
        for (size_t i = 0; i < DAMAGE_PAGE_BYTES; i++) {
            page[i] = (unsigned char)chance_draw(&world.chance);
        }
        break;
    case 2:
        for (int flips = 1 + draw(30); flips > 0; flips--) {
            file->bytes[(size_t)draw((int)file->count)] ^= (unsigned char)(1 << draw(8));
        }
        break;
    case 3:
        if (draw(4) == 0) {
            file->count = DAMAGE_PAGE_BYTES + (size_t)draw((int)(file->count - DAMAGE_PAGE_BYTES));
        }
        break;
    case 4:
        swap_pages(page, some_page(file));
        break;
    case 5:
        memset(file->bytes + (size_t)draw(2) * DAMAGE_PAGE_BYTES, draw(256), DAMAGE_PAGE_BYTES);
        break;
    default: /* within a page: its header, or the offsets of its nodes */
        page[draw(64)] ^= (unsigned char)(1 << draw(8));
        break;
    }
}

/* Is a page as it was? */
static bool is_untouched(const struct damage_file *file, uint64_t page)
{
    size_t offset = (size_t)page * DAMAGE_PAGE_BYTES;
    return offset + DAMAGE_PAGE_BYTES <= file->count &&
           memcmp(file->bytes + offset, world.pristine.bytes + offset, DAMAGE_PAGE_BYTES) == 0;
}

static size_t note_touched(const struct damage_file *file)
{
    size_t whole = 0;
    for (size_t i = 0; i < world.original_count; i++) {
        struct original *original = &world.originals[i];
        original->saved = false;
        original->touched = original->freed || !is_untouched(file, original->pages[0]);
        for (uint64_t j = 0; j < original->page_count; j++) {
            original->touched = original->touched || !is_untouched(file, original->pages[1] + j);
        }
        whole += !original->touched;
    }
    return whole;
}

/* --- What comes of it ------------------------------------------------------------------------------------------- */

static void check_entry(const struct xylem_entry *entry)
{
    char kind[64];
    (void)snprintf(kind, sizeof kind, "%.*s", (int)entry->kind.name.bytes, entry->kind.name.data);
    if (strcmp(kind, "xylem_lost") == 0) {
        return;
    }
    struct original *original = find_original(entry->id);
    assert_non_null(original);
    assert_int_equal(entry->time_ms, original->time_ms);
    if (strncmp(kind, "xylem_lost_kind_", 16) != 0) {
        assert_string_equal(kind, original->kind);
    }
    bool redacted = (entry->flags & XYLEM_ENTRY_REDACTED) != 0;
    bool dropped = (entry->flags & XYLEM_ENTRY_HASH_DROPPED) != 0;
    bool empty = entry->payload_bytes == 0 && original->redacted; /* there was nothing to be redacted */
    assert_true(redacted || !original->redacted || empty);
    assert_true(entry->unverified.payload_hash == original->payload_hash || dropped || (empty && original->touched));
    if (redacted && !original->redacted) {
        /* Its own page is lost, or nothing tells any more what was redacted. */
        assert_true(original->touched || world.report.withheld_count > 0);
    }
    original->saved = true;
}

static void check_repaired(void)
{
    struct xylem_open_options options = {.read_only = true};
    struct xylem_sessions *sessions;
    struct xylem_session session;
    struct xylem_store *store;
    struct xylem_txn *txn;
    store_builder_must(xylem_open(&store, world.repaired, &options, &err), &err);
    store_builder_must(xylem_begin(&txn, store, XYLEM_READ, &err), &err);
    assert_verified(txn);
    struct changes changes;
    if (!changes_agree(&changes, txn, true)) {
        fail_msg("%s", changes.problem);
    }
    store_builder_must(xylem_sessions_new(&sessions, txn, &err), &err);
    while (store_builder_must(xylem_sessions_next(&session, sessions, &err), &err) == 1) {
        struct xylem_scan *scan;
        struct xylem_entry entry;
        store_builder_must(xylem_scan_new(&scan, txn, session.number, &err), &err);
        while (store_builder_must(xylem_scan_next(&entry, scan, &err), &err) == 1) {
            check_entry(&entry);
        }
        xylem_scan_free(scan);
    }
    xylem_sessions_free(sessions);
    xylem_abort(txn);
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
}

static void remove_repaired(void)
{
    static const char *const names[] = {"data.mdb", "lock.mdb", "xylem.lock"};
    char path[400];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", world.repaired, names[i]);
        (void)unlink(path);
    }
    (void)rmdir(world.repaired);
}

static void damage_and_repair(void)
{
    struct damage_file file = {malloc(world.pristine.count), world.pristine.count};
    assert_non_null(file.bytes);
    memcpy(file.bytes, world.pristine.bytes, file.count);
    for (int times = 1 + draw(3); times > 0; times--) {
        damage_once(&file);
    }
    size_t whole = note_touched(&file);
    damage_write(world.damaged, &file);
    int code = xylem_repair(&world.report, world.damaged, world.repaired, NULL, NULL, NULL, &err);
    struct damage_file after = damage_read(world.damaged);
    assert_true(damage_equal(&file, &after));
    damage_free(&after);
    damage_free(&file);
    if (code == XYLEM_E_CORRUPT && whole == 0 && strstr(err.text, "nothing can be saved")) {
        return;
    }
    store_builder_must(code, &err);
    check_repaired();
    size_t saved = 0;
    for (size_t i = 0; i < world.original_count; i++) {
        const struct original *original = &world.originals[i];
        assert_true(original->saved || original->touched);
        assert_true(!world.report.complete || original->saved != original->freed);
        saved += original->saved;
    }
    assert_int_equal(saved, world.report.entry_count);
    remove_repaired();
}

static void run_seed(uint64_t seed)
{
    world.seed = seed;
    world.chance = chance_of(seed);
    make_store();
    for (int i = 0; i < DAMAGES_PER_STORE; i++) {
        damage_and_repair();
    }
    damage_free(&world.pristine);
    store_builder_close(&world.builder);
}

/* Where chance failed, the seed tells what it was. */
static int show_seed(void **state)
{
    (void)state;
    if (world.pristine.bytes) {
        print_error("XYLEM_SEED=%" PRIu64 " build/tests/property/test_repair\n", world.seed);
    }
    return 0;
}

TEST_WITH(repairs_save_what_is_whole_and_invent_nothing, NULL, show_seed)
{
    const char *given = getenv("XYLEM_SEED");
    const char *rounds = getenv("XYLEM_ROUNDS");
    uint64_t first = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL) * 1000;
    long count = given                     ? 1
                 : rounds                  ? strtol(rounds, NULL, 10)
                 : getenv("XYLEM_TORTURE") ? ROUNDS_TORTURE
                                           : ROUNDS_DEFAULT;
    for (long i = 0; i < count; i++) {
        run_seed(first + (uint64_t)i);
    }
}
