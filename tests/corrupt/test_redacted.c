/*
 * Random stores with redacted payloads and deleted sessions, some compacted or freed since, damaged at random and
 * repaired. No byte of a redacted payload is in the new store, no deleted session lives, no repair hangs, and no repair
 * with something missing is complete. A repair of a sound store is always complete.
 *
 * A seed decides everything and is printed. XYLEM_SEED=n runs one seed, XYLEM_ROUNDS=n runs so many. XYLEM_BEFORE names
 * another build of the command for the same format: the other command repairs each damaged store, too, and the test
 * counts the live entries of both, and tells where the other command saved more.
 */

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "store/pages/page.h"
#include "store/store.h"
#include "xylem/care.h"
#include "xylem/inspect.h"
#include "xylem/redact.h"
#include "tests/lib/chance.h"
#include "tests/lib/damage.h"
#include "tests/lib/store_builder.h"
#include "tests/lib/test.h"

#define SESSIONS_MAX 8
#define ENTRIES_MAX 600
#define STATES_OF_A_STORE 12 /* the first of them is the sound one */
#define SECONDS_OF_A_STATE 60u
#define PAGES_MAX 64u
#define SECTOR_BYTES 512u

/* Each payload and each line begins with this, and the number of its entry. */
#define MARK "text-"
#define MARK_DIGITS 6

#if defined(__SANITIZE_ADDRESS__)
#define ROUNDS_DEFAULT 4
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ROUNDS_DEFAULT 4
#endif
#endif
#ifndef ROUNDS_DEFAULT
#define ROUNDS_DEFAULT 12
#endif
#define ROUNDS_TORTURE 2000

struct entry {
    struct xylem_position at;
    int owner; /* the session that it was appended to */
    bool redacted;
    bool wiped; /* and the text stands nowhere else, not even in quarantine */
    bool gone;  /* it was freed */
    bool saved;
    bool saved_whole; /* with its payload */
    bool saved_before;
};

static struct {
    uint64_t seed;
    int state;
    struct chance chance;
    struct store_builder builder;
    uint64_t sessions[SESSIONS_MAX];
    bool deleted[SESSIONS_MAX];
    int session_count;
    struct entry entries[ENTRIES_MAX];
    int entry_count;
    uint64_t pages[PAGES_MAX]; /* of redacted records, of sessions and of meta: worth a damage */
    size_t page_count;
    struct damage_file sound;
    char damaged[300];
    char repaired[300];
    struct xylem_repair_report report;
} world;

static struct {
    uint64_t states;
    uint64_t nothing; /* without anything to be saved */
    uint64_t shown;   /* older rows that a tree of the damaged store leads to */
    uint64_t live;
    uint64_t saved;
    uint64_t withheld;
    uint64_t saved_before;
    uint64_t fewer; /* states in which the other command saved more */
} total;

static struct xylem_error err;

static int draw(int bound)
{
    return chance_below(&world.chance, bound);
}

/* --- A random store --------------------------------------------------------------------------------------------- */

static void text_of(char *text, size_t bytes, int number, int length)
{
    (void)snprintf(text, bytes, "{\"t\":\"" MARK "%0*d-%0*d\"}", MARK_DIGITS, number, length, 0);
}

static void add_entry(int session)
{
    static const char *const kinds[] = {"message", "message", "custom:readonly", "label"};
    static char json[9000];
    char id[16];
    int number = world.entry_count++;
    (void)snprintf(id, sizeof id, "e%d", number);
    text_of(json, sizeof json, number, 1 + (draw(10) == 0 ? draw(8000) : draw(200)));
    world.entries[number] = (struct entry){.owner = session};
    world.entries[number].at = store_builder_add(&world.builder, world.sessions[session], id, kinds[draw(4)], json);
}

/* A line in quarantine, and a torn line, with the text of an entry: redacting the entry takes both away. */
static void add_lines(int session, int number)
{
    static char json[300];
    char name[32];
    (void)snprintf(json, sizeof json, "{\"id\":\"e%d\",\"t\":\"" MARK "%0*d-\"}", number, MARK_DIGITS, number);
    (void)snprintf(name, sizeof name, "/file-%d.jsonl", number);
    struct xylem_view raw = xylem_view_of(json);
    struct xylem_store__source source = {.name = xylem_view_of(name), .bytes = 9, .lines = 2, .tail = raw};
    struct xylem_quarantined row = {
        .line = 3, .offset = 99, .hash = xylem_format__hash(raw), .source = source.name, .raw = raw};
    source.tail_bytes = raw.bytes;
    row.raw_bytes = raw.bytes;
    store_builder_must(xylem_store__source_write(world.builder.txn, world.sessions[session], &source, &err), &err);
    store_builder_must(xylem_store__quarantine_add(world.builder.txn, world.sessions[session], &row, &err), &err);
}

static void redact(int number)
{
    struct entry *entry = &world.entries[number];
    struct xylem_redact_report report;
    struct xylem_redact_options options = {.reason = xylem_view_of("by chance"), .drop_hash = draw(3) == 0};
    if (world.deleted[entry->owner] || entry->wiped) {
        return;
    }
    store_builder_must(
        xylem_redact(&report, world.builder.txn, world.sessions[entry->owner], entry->at, &options, &err), &err);
    xylem_redact_report_release(&report);
    entry->redacted = entry->wiped = true;
}

/* The first session stays, so that there is something to be saved. */
static void delete_some(int session)
{
    if (session == 0) {
        return;
    }
    int code = world.deleted[session] ? xylem_session_undelete(world.builder.txn, world.sessions[session], &err)
                                      : xylem_session_delete(world.builder.txn, world.sessions[session], &err);
    if (code != XYLEM_E_NOT_FOUND && code != XYLEM_E_FREED) { /* it was freed */
        store_builder_must(code, &err);
        world.deleted[session] = !world.deleted[session];
    }
}

/* Copies the store without its free pages. */
static void compact(void)
{
    struct xylem_open_options options = {.durability = XYLEM_DURABILITY_NONE};
    store_builder_must(xylem_commit(world.builder.txn, &err), &err);
    store_builder_must(xylem_close(world.builder.store, &err), &err);
    store_builder_must(xylem_compact(NULL, world.builder.path, NULL, &err), &err);
    store_builder_must(xylem_open(&world.builder.store, world.builder.path, &options, &err), &err);
    store_builder_must(xylem_begin(&world.builder.txn, world.builder.store, XYLEM_WRITE, &err), &err);
}

static void fork_some(int session)
{
    char id[16];
    struct xylem_position leaf = store_builder_leaf(&world.builder, world.sessions[session]);
    (void)snprintf(id, sizeof id, "s%d", world.session_count);
    world.sessions[world.session_count] =
        leaf.depth == 0 || draw(2) == 0
            ? store_builder_session(&world.builder, id)
            : store_builder_fork(&world.builder, world.sessions[session], leaf, XYLEM_FORK_AT, id);
    world.session_count++;
}

static void operate(void)
{
    int session = draw(world.session_count);
    int number = draw(world.entry_count);
    int choice = draw(24);
    if (choice == 0) {
        delete_some(session);
    } else if (choice <= 2) {
        redact(number);
    } else if (choice <= 7) {
        store_builder_commit(&world.builder);
    } else if (choice == 8 && draw(4) == 0) {
        store_builder_must(xylem_gc(NULL, world.builder.txn, NULL, &err), &err);
    } else if (choice == 9 && draw(6) == 0) {
        compact();
    } else if (world.deleted[session]) {
        return;
    } else if (choice == 10 && world.session_count < SESSIONS_MAX) {
        fork_some(session);
    } else if (choice == 11) {
        add_lines(session, number);
        world.entries[number].wiped = false;
    } else if (choice == 12) {
        struct xylem_position to = world.entries[number].at;
        int code = xylem_navigate(world.builder.txn, world.sessions[session], to, xylem_view_of("by chance"), &err);
        assert_true(code == XYLEM_OK || code == XYLEM_E_NOT_FOUND || code == XYLEM_E_FREED);
    } else {
        for (int i = 1 + draw(6); i > 0 && world.entry_count < ENTRIES_MAX; i--) {
            add_entry(session);
        }
    }
}

static void note_page(uint64_t page)
{
    if (page > 0 && world.page_count < PAGES_MAX) {
        world.pages[world.page_count++] = page;
    }
}

/* Notes which entries were freed, and the pages with the rows that a repair goes by. */
static void note_world(void)
{
    static const enum xylem_format__table tables[] = {XYLEM_FORMAT__META, XYLEM_FORMAT__SESSIONS, XYLEM_FORMAT__LOG};
    struct xylem_repair__salvage *salvage;
    for (int i = 0; i < world.entry_count; i++) {
        struct xylem_entry entry;
        int code = xylem_entry_read(&entry, world.builder.txn, world.entries[i].at, &err);
        world.entries[i].gone = code != XYLEM_OK;
        assert_true(code == XYLEM_OK || code == XYLEM_E_FREED || code == XYLEM_E_NOT_FOUND);
    }
    world.page_count = 0;
    store_builder_must(xylem_repair__salvage_new(&salvage, world.builder.path, &err), &err);
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        struct xylem_repair__rows rows = xylem_repair__salvage_rows(salvage, tables[t]);
        for (size_t i = 0; i < rows.count; i++) {
            bool wanted = tables[t] != XYLEM_FORMAT__LOG || rows.list[i].flags & XYLEM_REPAIR__ROW_REDACTED;
            note_page(wanted && rows.list[i].flags & XYLEM_REPAIR__ROW_REACHED ? rows.list[i].page : 0);
        }
    }
    xylem_repair__salvage_free(salvage);
}

static void make_store(void)
{
    world.session_count = 0;
    world.entry_count = 0;
    memset(world.deleted, 0, sizeof world.deleted);
    store_builder_open(&world.builder);
    world.sessions[world.session_count++] = store_builder_session(&world.builder, "s0");
    add_entry(0);
    store_builder_commit(&world.builder);
    for (int i = 30 + draw(150); i > 0; i--) {
        operate();
    }
    for (int i = 1 + draw(3); i > 0; i--) { /* often the last that is done */
        redact(draw(world.entry_count));
        if (draw(3) == 0) {
            delete_some(draw(world.session_count));
        }
        store_builder_commit(&world.builder);
    }
    note_world();
    world.sound = damage_read(world.builder.path);
    (void)snprintf(world.damaged, sizeof world.damaged, "%s/damaged", world.builder.path);
    (void)snprintf(world.repaired, sizeof world.repaired, "%s-repaired", world.builder.path);
}

/* --- Random damage ---------------------------------------------------------------------------------------------- */

static unsigned char *page_at(struct damage_file *file, uint64_t page)
{
    assert_in_range((page + 1) * DAMAGE_PAGE_BYTES, 1, file->count + DAMAGE_PAGE_BYTES);
    return file->bytes + page * DAMAGE_PAGE_BYTES;
}

/* Any page that is there as a whole, or one that is worth it. */
static unsigned char *some_page(struct damage_file *file)
{
    uint64_t whole = file->count / DAMAGE_PAGE_BYTES;
    uint64_t page = draw(3) == 0 && world.page_count > 0 ? world.pages[draw((int)world.page_count)] : UINT64_MAX;
    return page_at(file, page < whole ? page : (uint64_t)draw((int)whole));
}

static unsigned char *free_list_page(struct damage_file *file)
{
    const unsigned char *metas = file->bytes;
    uint64_t first = xylem_pages__page_number_at(metas + XYLEM_PAGES__META_TXN_OFFSET, 8);
    uint64_t second = xylem_pages__page_number_at(metas + DAMAGE_PAGE_BYTES + XYLEM_PAGES__META_TXN_OFFSET, 8);
    const unsigned char *newest = metas + (second > first ? DAMAGE_PAGE_BYTES : 0);
    uint64_t root = xylem_pages__tree_at(newest + XYLEM_PAGES__META_FREE_OFFSET).root;
    return root < file->count / DAMAGE_PAGE_BYTES ? page_at(file, root) : some_page(file);
}

static void flip(unsigned char *bytes, size_t count)
{
    bytes[(size_t)draw((int)count)] ^= (unsigned char)(1 << draw(8));
}

static void garble(unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bytes[i] = (unsigned char)chance_draw(&world.chance);
    }
}

static void swap_bytes(unsigned char *a, unsigned char *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned char kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

static void damage_once(struct damage_file *file)
{
    unsigned char *page = some_page(file);
    size_t sector = (size_t)draw(DAMAGE_PAGE_BYTES / SECTOR_BYTES) * SECTOR_BYTES;
    switch (draw(12)) {
    case 0:
        memset(page, 0, DAMAGE_PAGE_BYTES);
        break;
    case 1:
        garble(page, DAMAGE_PAGE_BYTES);
        break;
    case 2:
        for (int flips = 1 + draw(30); flips > 0; flips--) {
            flip(file->bytes, file->count);
        }
        break;
    case 3:
        if (draw(4) == 0) {
            file->count = DAMAGE_PAGE_BYTES * 2 + (size_t)draw((int)(file->count - DAMAGE_PAGE_BYTES * 2));
        }
        break;
    case 4:
        swap_bytes(page, some_page(file), DAMAGE_PAGE_BYTES);
        break;
    case 5:
        memset(file->bytes + (size_t)draw(2) * DAMAGE_PAGE_BYTES, draw(256), DAMAGE_PAGE_BYTES);
        break;
    case 6:
        flip(page, 64); /* its header, or the offsets of its nodes */
        break;
    case 7:
        swap_bytes(page + sector, some_page(file) + sector, SECTOR_BYTES);
        break;
    case 8:
        memcpy(page + sector, some_page(file) + (size_t)draw(8) * SECTOR_BYTES, SECTOR_BYTES);
        break;
    case 9:
        flip(free_list_page(file), DAMAGE_PAGE_BYTES);
        break;
    case 10:
        memset(free_list_page(file) + sector, 0, SECTOR_BYTES);
        break;
    default:
        flip(page, DAMAGE_PAGE_BYTES);
        break;
    }
}

/* --- What comes of it ------------------------------------------------------------------------------------------- */

/* The number of the entry that a text is of, or -1. */
static int number_at(const unsigned char *text)
{
    int number = 0;
    for (int i = 0; i < MARK_DIGITS; i++) {
        if (text[i] < '0' || text[i] > '9') {
            return -1;
        }
        number = number * 10 + (text[i] - '0');
    }
    return number < world.entry_count ? number : -1;
}

/*
 * Does a tree of the damaged file lead to a row with its sum and with the text, or to a row by which the session lives?
 * No reader can tell a sector of an earlier version of a page from the page's own, if its rows lie at the same places:
 * whoever opens the damaged store reads the earlier row, too.
 */
static bool tree_shows(const char *text, uint64_t session)
{
    static const enum xylem_format__table tables[] = {XYLEM_FORMAT__LOG, XYLEM_FORMAT__SOURCES,
                                                      XYLEM_FORMAT__QUARANTINE, XYLEM_FORMAT__SESSIONS};
    struct xylem_repair__salvage *salvage;
    bool shown = false;
    store_builder_must(xylem_repair__salvage_new(&salvage, world.damaged, &err), &err);
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        struct xylem_repair__rows rows = xylem_repair__salvage_rows(salvage, tables[t]);
        for (size_t i = 0; i < rows.count; i++) {
            const unsigned both = XYLEM_REPAIR__ROW_PROVEN | XYLEM_REPAIR__ROW_REACHED;
            struct xylem_repair__content content;
            if ((rows.list[i].flags & both) != both) {
                continue;
            }
            store_builder_must(xylem_repair__salvage_read(&content, salvage, &rows.list[i], &err), &err);
            shown = shown || (tables[t] == XYLEM_FORMAT__SESSIONS
                                  ? rows.list[i].first == session && content.value.data[0] == XYLEM_SESSION_LIVE
                                  : text && memmem(content.value.data, content.value.bytes, text, strlen(text)));
        }
    }
    xylem_repair__salvage_free(salvage);
    total.shown += shown;
    return shown;
}

static void assert_no_redacted_text(void)
{
    struct damage_file file = damage_read(world.repaired);
    const unsigned char *end = file.bytes + file.count;
    const unsigned char *at = file.bytes;
    while ((at = memmem(at, (size_t)(end - at), MARK, sizeof MARK - 1))) {
        at += sizeof MARK - 1;
        int number = end - at >= MARK_DIGITS ? number_at(at) : -1;
        char text[32];
        (void)snprintf(text, sizeof text, MARK "%0*d-", MARK_DIGITS, number);
        if (number >= 0 && world.entries[number].wiped && !tree_shows(text, 0)) {
            fail_msg("the redacted text of entry e%d is in the new store", number);
        }
    }
    damage_free(&file);
}

static int index_of(const struct xylem_session *session)
{
    int index = -1;
    char id[16];
    for (int i = 0; i < world.session_count && index < 0; i++) {
        (void)snprintf(id, sizeof id, "s%d", i);
        index = xylem_base__view_is(session->id, id) ? i : -1;
    }
    return index;
}

static struct entry *entry_of(struct xylem_view id)
{
    char text[16] = "";
    if (id.bytes >= sizeof text || id.bytes < 2 || id.data[0] != 'e') {
        return NULL;
    }
    memcpy(text, id.data + 1, id.bytes - 1);
    int number = atoi(text);
    assert_in_range(number, 0, world.entry_count - 1);
    return &world.entries[number];
}

static void look_at_session(struct xylem_txn *txn, const struct xylem_session *session, bool before)
{
    struct xylem_scan *scan;
    struct xylem_entry entry;
    int index = index_of(session);
    bool live = session->state == XYLEM_SESSION_LIVE;
    if (!before && live && index >= 0 && world.deleted[index] && !tree_shows(NULL, world.sessions[index])) {
        fail_msg("the deleted session s%d lives", index);
    }
    store_builder_must(xylem_scan_new(&scan, txn, session->number, &err), &err);
    while (store_builder_must(xylem_scan_next(&entry, scan, &err), &err) == 1) {
        struct entry *original = entry_of(entry.id);
        if (original && before) {
            original->saved_before = true;
        } else if (original) {
            original->saved = true;
            original->saved_whole = !(entry.flags & XYLEM_ENTRY_REDACTED);
        }
    }
    xylem_scan_free(scan);
}

static void look_at(const char *path, bool before)
{
    struct xylem_open_options options = {.read_only = true};
    struct xylem_sessions *sessions;
    struct xylem_session session;
    struct xylem_store *store;
    struct xylem_txn *txn;
    store_builder_must(xylem_open(&store, path, &options, &err), &err);
    store_builder_must(xylem_begin(&txn, store, XYLEM_READ, &err), &err);
    store_builder_must(xylem_sessions_new(&sessions, txn, &err), &err);
    while (store_builder_must(xylem_sessions_next(&session, sessions, &err), &err) == 1) {
        look_at_session(txn, &session, before);
    }
    xylem_sessions_free(sessions);
    xylem_abort(txn);
    assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
}

static void remove_store(const char *directory)
{
    static const char *const names[] = {"data.mdb", "lock.mdb", "xylem.lock"};
    char path[400];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", directory, names[i]);
        (void)unlink(path);
    }
    (void)rmdir(directory);
}

/* Lets the other command repair the same file. */
static void repair_before(const char *program)
{
    char command[1000];
    char path[320];
    (void)snprintf(path, sizeof path, "%s-before", world.repaired);
    (void)snprintf(command, sizeof command, "'%s' -s '%s' repair '%s' >/dev/null 2>&1", program, world.damaged, path);
    int status = system(command);
    if (WIFEXITED(status) && WEXITSTATUS(status) <= 1) {
        look_at(path, true);
        remove_store(path);
    }
}

static bool is_live(const struct entry *entry)
{
    return !entry->gone && !world.deleted[entry->owner];
}

static void count_state(void)
{
    uint64_t saved = 0;
    uint64_t before = 0;
    for (int i = 0; i < world.entry_count; i++) {
        const struct entry *entry = &world.entries[i];
        if (!is_live(entry)) {
            continue;
        }
        total.live++;
        total.withheld += entry->saved && !entry->saved_whole && !entry->redacted;
        saved += entry->saved;
        before += entry->saved_before;
        /* Nothing that is missing is called complete. */
        assert_true(!world.report.complete || (entry->saved && (entry->saved_whole || entry->redacted)));
    }
    total.saved += saved;
    total.saved_before += before;
    if (before > saved) {
        total.fewer++;
        print_message("XYLEM_SEED=%" PRIu64 ", state %d: %" PRIu64 " live entries, %" PRIu64 " before\n", world.seed,
                      world.state, saved, before);
    }
}

static int tell(void *context, const struct xylem_problem *problem)
{
    (void)context;
    if (getenv("XYLEM_VERBOSE")) {
        print_message("state %d: %s: page %" PRIu64 ": session %.*s: branch %" PRIu64 ", depth %" PRIu64 ": %s\n",
                      world.state, problem->table ? problem->table : "store", problem->page,
                      (int)problem->session_id.bytes, problem->session_id.data ? problem->session_id.data : "",
                      problem->position.branch, problem->position.depth, problem->text);
    }
    return 0;
}

static void repair_state(void)
{
    const char *program = getenv("XYLEM_BEFORE");
    struct damage_file file = {malloc(world.sound.count), world.sound.count};
    assert_non_null(file.bytes);
    memcpy(file.bytes, world.sound.bytes, file.count);
    for (int times = world.state == 0 ? 0 : 1 + draw(3); times > 0; times--) {
        damage_once(&file);
    }
    damage_write(world.damaged, &file);
    damage_free(&file);
    for (int i = 0; i < world.entry_count; i++) {
        world.entries[i].saved = world.entries[i].saved_whole = world.entries[i].saved_before = false;
    }
    (void)alarm(SECONDS_OF_A_STATE);
    int code = xylem_repair(&world.report, world.damaged, world.repaired, NULL, tell, NULL, &err);
    (void)alarm(0);
    total.states++;
    if (world.state > 0 && code == XYLEM_E_CORRUPT && strstr(err.text, "nothing can be saved")) {
        total.nothing++;
        memset(&world.report, 0, sizeof world.report);
    } else {
        store_builder_must(code, &err);
        assert_no_redacted_text();
        look_at(world.repaired, false);
        remove_store(world.repaired);
    }
    if (program) {
        repair_before(program);
    }
    assert_true(world.state > 0 || world.report.complete);
    count_state();
}

static void run_seed(uint64_t seed)
{
    world.seed = seed;
    world.chance = chance_of(seed);
    make_store();
    for (world.state = 0; world.state < STATES_OF_A_STORE; world.state++) {
        repair_state();
    }
    damage_free(&world.sound);
    store_builder_close(&world.builder);
}

static void hangs(int signal_number)
{
    char text[100];
    (void)signal_number;
    int bytes =
        snprintf(text, sizeof text, "XYLEM_SEED=%" PRIu64 ", state %d: the repair hangs\n", world.seed, world.state);
    if (write(STDERR_FILENO, text, (size_t)bytes) != bytes) {
        _exit(2);
    }
    _exit(1);
}

/* Where chance failed, the seed tells what it was. */
static int show_seed(void **state)
{
    (void)state;
    if (world.sound.bytes) {
        print_error("XYLEM_SEED=%" PRIu64 " build/tests/corrupt/test_redacted: state %d\n", world.seed, world.state);
    }
    return 0;
}

TEST_WITH(what_was_redacted_or_deleted_does_not_come_back, NULL, show_seed)
{
    const char *given = getenv("XYLEM_SEED");
    const char *rounds = getenv("XYLEM_ROUNDS");
    uint64_t first = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL) * 10000;
    long count = given                     ? 1
                 : rounds                  ? strtol(rounds, NULL, 10)
                 : getenv("XYLEM_TORTURE") ? ROUNDS_TORTURE
                                           : ROUNDS_DEFAULT;
    (void)signal(SIGALRM, hangs);
    for (long i = 0; i < count; i++) {
        run_seed(first + (uint64_t)i);
    }
    print_message("figures: %" PRIu64 " states of %ld stores, in %" PRIu64 " of them nothing can be saved; %" PRIu64
                  " of %" PRIu64 " live entries saved, %" PRIu64 " of them without their payload; %" PRIu64
                  " older rows shown by a tree\n",
                  total.states, count, total.nothing, total.saved, total.live, total.withheld, total.shown);
    if (getenv("XYLEM_BEFORE")) {
        print_message("figures: %" PRIu64 " live entries saved by the other command, which saved more in %" PRIu64
                      " states\n",
                      total.saved_before, total.fewer);
    }
}
