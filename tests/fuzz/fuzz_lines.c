/*
 * Any lines in any batches from memory, beside the same lines as a file imported at once. All lines in one call become
 * what the file becomes. Lines in batches do, too, unless an id comes twice or a parent comes in a later batch. The
 * stores stay sound, lines handed over again change nothing, and the file finds all entries of the lines.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "xylem/branch.h"
#include "xylem/files.h"
#include "xylem/inspect.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LINES_MAX 512u

static char directory[64];
static char session_file[96];

static void must(bool truth, const char *what)
{
    if (!truth) {
        fprintf(stderr, "fuzz_lines: %s\n", what);
        abort();
    }
}

static void remove_store(const char *name)
{
    static const char *const files[] = {"/data.mdb", "/lock.mdb", "/xylem.lock", ""};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s%s", directory, name, files[i]);
        remove(path);
    }
}

static void remove_all(void)
{
    remove_store("file");
    remove_store("once");
    remove_store("parts");
    unlink(session_file);
    rmdir(directory);
}

static struct xylem_store *open_store(const char *name)
{
    char path[128];
    struct xylem_store *store = NULL;
    struct xylem_open_options options = {.create = true, .durability = XYLEM_DURABILITY_NONE, .map_bytes = 1u << 27};
    snprintf(path, sizeof path, "%s/%s", directory, name);
    must(xylem_open(&store, path, &options, NULL) == XYLEM_OK, "no store");
    return store;
}

static struct xylem_txn *begin(struct xylem_store *store, enum xylem_txn_mode mode)
{
    struct xylem_txn *txn = NULL;
    must(xylem_begin(&txn, store, mode, NULL) == XYLEM_OK, "no transaction");
    return txn;
}

static bool refused(int code, const char *text)
{
    bool refusal = code == XYLEM_E_MALFORMED || code == XYLEM_E_LIMIT;
    if (code < 0 && !refusal) {
        fprintf(stderr, "fuzz_lines: %d %s\n", code, text);
    }
    must(code == XYLEM_OK || refusal, "an import failed");
    return refusal;
}

/* Splits the bytes at newlines, and writes the lines as a file. */
static void split(struct xylem_held_lines *held, struct xylem_view *lines, const char *data, size_t size)
{
    FILE *file = fopen(session_file, "wb");
    must(file != NULL, "the file cannot be written");
    for (size_t at = 0; at < size && held->line_count < LINES_MAX;) {
        const char *end = memchr(data + at, '\n', size - at);
        struct xylem_view line = {data + at, end ? (size_t)(end - data) - at : size - at};
        if (!held->header.data) {
            held->header = line;
        } else {
            lines[held->line_count++] = line;
        }
        must(fwrite(line.data, 1, line.bytes, file) == line.bytes && fputc('\n', file) == '\n', "no line written");
        at += line.bytes + 1;
    }
    must(fclose(file) == 0, "the file cannot be written");
}

static int import_lines(struct xylem_import_report *report, struct xylem_store *store,
                        const struct xylem_held_lines *held)
{
    struct xylem_txn *txn = begin(store, XYLEM_WRITE);
    struct xylem_error err = {0};
    int code = xylem_import_lines(report, txn, held, NULL, &err);
    refused(code, err.text);
    must(xylem_commit(txn, &err) == XYLEM_OK, "a refusal must leave the transaction sound");
    return code;
}

static uint64_t count_problems(const struct xylem_import_report *report, enum xylem_import_problem_type type)
{
    uint64_t count = 0;
    for (size_t i = 0; i < report->problem_count; i++) {
        count += report->problems[i].type == type;
    }
    return count;
}

static int found(void *context, const struct xylem_problem *problem)
{
    (void)context;
    fprintf(stderr, "verify: %s: %s\n", problem->table, problem->text);
    return 0;
}

/* The next row of the quarantine is the same in both sessions, or there is none: 1, or 0 at the end. */
static int same_row(struct xylem_quarantine *left, struct xylem_quarantine *right)
{
    struct xylem_quarantined a;
    struct xylem_quarantined b;
    int more = xylem_quarantine_next(&a, left, NULL);
    must(more >= 0 && xylem_quarantine_next(&b, right, NULL) == more, "the quarantines differ in number");
    must(more == 0 || (a.line == b.line && a.reason == b.reason && a.hash == b.hash && a.raw_bytes == b.raw_bytes),
         "the quarantines differ");
    return more;
}

/* The session of the file and the session of the lines have the same entries and the same quarantine. */
static void compare(struct xylem_store *file, uint64_t of_file, struct xylem_store *lines, uint64_t of_lines,
                    bool in_order)
{
    struct xylem_txn *left = begin(file, XYLEM_READ);
    struct xylem_txn *right = begin(lines, XYLEM_READ);
    struct xylem_session a;
    struct xylem_session b;
    struct xylem_scan *scan;
    struct xylem_entry entry;
    struct xylem_entry other;
    struct xylem_quarantine *quarantine[2];
    must(xylem_session_read(&a, left, of_file, NULL) == XYLEM_OK &&
             xylem_session_read(&b, right, of_lines, NULL) == XYLEM_OK && a.own_entry_count == b.own_entry_count,
         "the numbers of entries differ");
    must(xylem_scan_new(&scan, left, of_file, NULL) == XYLEM_OK, "no scan");
    while (xylem_scan_next(&entry, scan, NULL) == 1) {
        struct xylem_position position;
        must(xylem_find(&position, right, of_lines, entry.id, NULL) == XYLEM_OK &&
                 xylem_entry_read(&other, right, position, NULL) == XYLEM_OK && other.check == entry.check &&
                 other.line_bytes == entry.line_bytes && other.flags == entry.flags &&
                 (!in_order || other.lsn == entry.lsn),
             "an entry differs");
    }
    xylem_scan_free(scan);
    must(xylem_quarantine_new(&quarantine[0], left, of_file, NULL) == XYLEM_OK &&
             xylem_quarantine_new(&quarantine[1], right, of_lines, NULL) == XYLEM_OK,
         "no quarantine");
    while (same_row(quarantine[0], quarantine[1]) == 1) {
    }
    xylem_quarantine_free(quarantine[0]);
    xylem_quarantine_free(quarantine[1]);
    xylem_abort(left);
    xylem_abort(right);
}

static void verify(struct xylem_store *store)
{
    struct xylem_txn *txn = begin(store, XYLEM_READ);
    struct xylem_verify_report report;
    must(xylem_verify(&report, txn, NULL, found, NULL, NULL) == XYLEM_OK && report.problem_count == 0,
         "the store is damaged");
    xylem_abort(txn);
}

/* Hands the lines over in batches with repeats. Gives the number of orphans, and the session. */
static uint64_t hand_over(struct xylem_store *store, const struct xylem_held_lines *all, uint32_t chance,
                          uint64_t *session)
{
    uint64_t orphans = 0;
    for (size_t given = 0; given < all->line_count;) {
        struct xylem_held_lines held = *all;
        struct xylem_import_report report;
        chance = chance * 1664525u + 1013904223u;
        size_t first = given - (chance >> 16) % (given < 3 ? given + 1 : 4);
        size_t end = given + 1 + (chance >> 24) % 7;
        end = end < all->line_count ? end : all->line_count;
        held.lines += first;
        held.line_count = end - first;
        held.first_line = first + 2;
        must(import_lines(&report, store, &held) == XYLEM_OK, "a batch is refused");
        orphans += count_problems(&report, XYLEM_IMPORT_ORPHAN);
        *session = report.session;
        xylem_import_report_release(&report);
        must(import_lines(&report, store, &held) == XYLEM_OK && report.outcome == XYLEM_IMPORT_UNCHANGED,
             "the same lines change something");
        xylem_import_report_release(&report);
        given = end;
    }
    verify(store);
    return orphans;
}

static void try_lines(struct xylem_store *stores[3], const struct xylem_held_lines *held, uint32_t chance)
{
    struct xylem_import_report file;
    struct xylem_import_report once;
    struct xylem_import_report later;
    struct xylem_error err = {0};
    uint64_t session = 0;
    bool refuses = refused(xylem_import(&file, stores[0], session_file, NULL, &err), err.text);
    int code = import_lines(&once, stores[1], held);
    must((code < 0) == (refuses || file.version < 3), "lines and file are not refused alike");
    if (code == XYLEM_OK) {
        compare(stores[0], file.session, stores[1], once.session, true);
        must(file.problem_count == once.problem_count, "the problems differ");
        verify(stores[1]);
        bool plain =
            count_problems(&file, XYLEM_IMPORT_DUPLICATE) == 0 && count_problems(&file, XYLEM_IMPORT_CYCLE) == 0;
        if (held->line_count > 0 &&
            hand_over(stores[2], held, chance, &session) == count_problems(&file, XYLEM_IMPORT_ORPHAN) && plain) {
            compare(stores[0], file.session, stores[2], session, false);
        }
        must(xylem_import(&later, stores[1], session_file, NULL, &err) == XYLEM_OK && later.added_count == 0 &&
                 later.matched_count == file.added_count,
             "the file does not find the lines");
        xylem_import_report_release(&later);
        verify(stores[1]);
    }
    xylem_import_report_release(&file);
    xylem_import_report_release(&once);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[3] = {"file", "once", "parts"};
    struct xylem_view lines[LINES_MAX];
    struct xylem_held_lines held = {.lines = lines, .source_name = xylem_view_of(session_file)};
    struct xylem_store *stores[3];
    uint32_t chance;
    if (size < sizeof chance || size > 65536) {
        return 0;
    }
    if (directory[0] == '\0') {
        const char *temporary = getenv("TMPDIR");
        snprintf(directory, sizeof directory, "%.40s/xylem-fuzz-XXXXXX", temporary ? temporary : "/tmp");
        must(mkdtemp(directory) != NULL, "no directory");
        snprintf(session_file, sizeof session_file, "%s/f", directory);
        held.source_name = xylem_view_of(session_file);
        atexit(remove_all);
    }
    memcpy(&chance, data, sizeof chance);
    split(&held, lines, (const char *)data + sizeof chance, size - sizeof chance);
    if (!held.header.data) {
        return 0;
    }
    for (size_t i = 0; i < 3; i++) {
        stores[i] = open_store(names[i]);
    }
    try_lines(stores, &held, chance);
    for (size_t i = 0; i < 3; i++) {
        must(xylem_close(stores[i], NULL) == XYLEM_OK, "the store stays open");
        remove_store(names[i]);
    }
    return 0;
}
