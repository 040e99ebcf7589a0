/*
 * Random sessions with a secret at random places, in random spellings: after a redaction by pattern exactly the entries
 * with the secret are redacted, the store verifies, and after a compaction no file of the store has a byte of the
 * secret. XYLEM_SEED=n runs one seed alone.
 */
#include "tests/travel/jsonl/sandbox.h"

#include <dirent.h>
#include <inttypes.h>
#include <time.h>

#include "tests/lib/chance.h"
#include "tests/lib/test.h"
#include "xylem/care.h"
#include "xylem/redact.h"

#define SECRET "Q7:hush-hush/" /* no byte of these stands next to another one in what else is written */
#define ENTRIES_MAX 60
#define ROUNDS_USUAL 25
#define ROUNDS_AT_LENGTH 3000

static struct {
    uint64_t seed;
    struct chance chance;
    struct xylem_buffer file;
    bool secret[ENTRIES_MAX];
    bool quarantined; /* a line with the secret is no entry */
    bool torn;
} world;

static int draw(int bound)
{
    return chance_below(&world.chance, bound);
}

static void add(const char *text)
{
    assert_int_equal(xylem_buffer_add(&world.file, text, strlen(text)), XYLEM_OK);
}

/* Plain bytes, of a length that lies within a page or fills several. */
static void add_filling(void)
{
    for (int i = draw(6) == 0 ? draw(900) : draw(8); i > 0; i--) {
        add("filling ");
    }
}

/* The secret as a string of JSON may spell it. */
static void add_secret(void)
{
    for (const char *at = SECRET; *at; at++) {
        char spelt[8];
        int how = draw(5);
        snprintf(spelt, sizeof spelt,
                 how == 0     ? "\\u%04x"
                 : how == 1   ? "\\u%04X"
                 : *at == '/' ? "\\%c"
                              : "%c",
                 (unsigned char)*at);
        add(spelt);
    }
}

static void add_string(bool secret)
{
    add("\"");
    add_filling();
    if (secret) {
        add_secret();
    }
    add_filling();
    add("\"");
}

/* A value with the secret in one string of it, at any depth, as a member's name or as what a member holds. */
static void add_value(bool secret, int depth)
{
    int shape = depth == 0 ? 0 : draw(4);
    int count = 1 + draw(3);
    int where = draw(count);
    if (shape == 0) {
        add_string(secret);
        return;
    }
    add(shape == 1 ? "[" : "{");
    for (int i = 0; i < count; i++) {
        bool here = secret && i == where;
        bool in_name = here && shape != 1 && draw(3) == 0;
        char number[16];
        snprintf(number, sizeof number, "\"m%d", i);
        add(i > 0 ? "," : "");
        if (shape != 1) {
            add(number);
            if (in_name) {
                add_secret();
            }
            add("\":");
        }
        add_value(here && !in_name, depth - 1);
    }
    add(shape == 1 ? "]" : "}");
}

static void add_line(int number)
{
    char text[160];
    int parent = number > 0 ? draw(number) : -1;
    world.secret[number] = draw(3) == 0;
    /* White space makes the import keep the line beside the payload. */
    snprintf(text, sizeof text, "{\"type\":%s\"%s\",\"id\":\"e%07d\",\"parentId\":", draw(4) == 0 ? "  " : "",
             draw(2) == 0 ? "custom\",\"customType\":\"x" : "message", number);
    add(text);
    snprintf(text, sizeof text, parent < 0 ? "null" : "\"e%07d\"", parent);
    add(text);
    add(",\"timestamp\":\"2025-01-01T00:00:02.000Z\",\"data\":");
    add_value(world.secret[number], 4);
    add("}\n");
}

/* Lines that are no entries: broken ones, and a last one without an end. */
static void add_broken(const char *end)
{
    add("{\"type\":\"message\", ");
    add_filling();
    add_secret();
    add_filling();
    add(end);
}

static int make_file(void)
{
    int count = 1 + draw(ENTRIES_MAX);
    xylem_base__buffer_clear(&world.file);
    world.quarantined = false;
    world.torn = draw(3) == 0;
    add(HEADER);
    for (int i = 0; i < count; i++) {
        add_line(i);
        if (draw(20) == 0) {
            world.quarantined = true;
            add_broken("\n");
        }
    }
    if (world.torn) {
        add_broken("");
    }
    return count;
}

/* --- Looking ------------------------------------------------------------------------------------------------------ */

static void check_entries(struct sandbox *sandbox, int count)
{
    struct xylem_txn *txn = sandbox_begin(sandbox, XYLEM_READ);
    struct xylem_session session;
    struct xylem_scan *scan = NULL;
    struct xylem_entry entry;
    int seen = 0;
    assert_int_equal(xylem_scan_new(&scan, txn, sandbox_session(&session, txn, "s"), NULL), XYLEM_OK);
    while (xylem_scan_next(&entry, scan, NULL) == 1) {
        int number = atoi(entry.id.data + 1);
        bool redacted = entry.flags & XYLEM_ENTRY_REDACTED;
        if (redacted != world.secret[number]) {
            fail_msg("seed %" PRIu64 ": entry %d is%s redacted", world.seed, number, redacted ? "" : " not");
        }
        seen++;
    }
    assert_int_equal(seen, count);
    xylem_scan_free(scan);
    xylem_abort(txn);
}

static void check_files(const struct sandbox *sandbox)
{
    char path[512];
    sandbox_path(path, sandbox, "store");
    DIR *directory = opendir(path);
    assert_non_null(directory);
    for (struct dirent *item; (item = readdir(directory));) {
        struct xylem_buffer bytes = {NULL, 0, 0};
        char name[800];
        snprintf(name, sizeof name, "%s/%s", path, item->d_name);
        if (item->d_type != DT_REG) {
            continue;
        }
        sandbox_read_file(&bytes, name);
        for (size_t from = 0; from + 5 <= strlen(SECRET); from++) {
            if (bytes.bytes > 0 && memmem(bytes.data, bytes.bytes, SECRET + from, 5)) {
                fail_msg("seed %" PRIu64 ": %s has '%.5s'", world.seed, item->d_name, SECRET + from);
            }
        }
        xylem_buffer_release(&bytes);
    }
    closedir(directory);
}

static void redact(struct sandbox *sandbox)
{
    struct xylem_patterns *patterns = NULL;
    struct xylem_redact_report report;
    struct xylem_error err = {0};
    struct xylem_redact_matches_options options = {
        .redact = {.reason = xylem_view_of("a key"), .drop_hash = draw(2) == 0}};
    bool pieces = draw(2) == 0; /* a look, then its writing; or both in one transaction */
    struct xylem_txn *txn = sandbox_begin(sandbox, pieces ? XYLEM_READ : XYLEM_WRITE);
    options.redact.dry_run = pieces;
    int code = xylem_patterns_new(&patterns, xylem_view_of("Q[0-9]:(hush-?){2}/"), &err);
    code = code < 0 ? code : xylem_redact_matches(&report, txn, patterns, &options, &err);
    code = code < 0 ? code : xylem_commit(txn, &err);
    code = code < 0 || !pieces ? code : xylem_redact_write(&report, sandbox->store, &err);
    if (code < 0) {
        fail_msg("seed %" PRIu64 ": %s", world.seed, err.text);
    }
    assert_int_equal(report.kept_count, 0);
    assert_int_equal(report.quarantined_count > 0, world.quarantined);
    assert_int_equal(report.tail_count, world.torn);
    xylem_redact_report_release(&report);
    xylem_patterns_free(patterns);
}

static void run_seed(uint64_t seed)
{
    struct sandbox sandbox;
    struct xylem_error err = {0};
    struct xylem_compact_options options = {.overwrite_old = true};
    char path[512];
    world.seed = seed;
    world.chance = chance_of(seed);
    sandbox_open(&sandbox);
    int count = make_file();
    sandbox_write(&sandbox, "file", world.file.data, world.file.bytes);
    sandbox_import(&sandbox, "file");
    redact(&sandbox);
    sandbox_verify(&sandbox);
    check_entries(&sandbox, count);
    assert_int_equal(xylem_close(sandbox.store, NULL), XYLEM_OK);
    sandbox_path(path, &sandbox, "store");
    if (xylem_compact(NULL, path, &options, &err) < 0) {
        fail_msg("seed %" PRIu64 ": %s", seed, err.text);
    }
    check_files(&sandbox);
    sandbox_open_store(&sandbox, 0);
    check_entries(&sandbox, count);
    sandbox_close(&sandbox);
}

TEST(exactly_what_matches_is_gone)
{
    const char *given = getenv("XYLEM_SEED");
    uint64_t first = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL) * 1000;
    uint64_t rounds = given ? 1 : getenv("XYLEM_TORTURE") ? ROUNDS_AT_LENGTH : ROUNDS_USUAL;
    print_message("seeds %" PRIu64 " to %" PRIu64 "\n", first, first + rounds - 1);
    for (uint64_t i = 0; i < rounds; i++) {
        run_seed(first + i);
    }
    xylem_buffer_release(&world.file);
}
