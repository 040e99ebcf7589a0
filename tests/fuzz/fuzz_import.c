/*
 * Any bytes as a session file: the import takes them or refuses them, the store stays sound, a file of format 3 comes
 * back byte for byte, and importing it again changes nothing. The second half of a file is imported as its growth, and
 * the whole of it once more as the file of a fork of what the first half gave.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "xylem/files.h"
#include "xylem/inspect.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char directory[64];
static char session_file[96];

static void must(bool truth, const char *what)
{
    if (!truth) {
        fprintf(stderr, "fuzz_import: %s\n", what);
        abort();
    }
}

static void remove_store(void)
{
    static const char *const names[] = {"data.mdb", "lock.mdb", "xylem.lock"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/store/%s", directory, names[i]);
        unlink(path);
    }
    char path[128];
    snprintf(path, sizeof path, "%s/store", directory);
    rmdir(path);
}

static void remove_all(void)
{
    remove_store();
    unlink(session_file);
    rmdir(directory);
}

static void write_file(const void *data, size_t size)
{
    FILE *file = fopen(session_file, "wb");
    must(file && fwrite(data, 1, size, file) == size && fclose(file) == 0, "the file cannot be written");
}

static int collect(void *context, const void *data, size_t bytes)
{
    return xylem_buffer_add(context, data, bytes);
}

static int found(void *context, const struct xylem_problem *problem)
{
    (void)context;
    fprintf(stderr, "verify: %s: %s\n", problem->table, problem->text);
    return 0;
}

static int import(struct xylem_import_report *report, struct xylem_store *store, uint64_t batch_bytes)
{
    struct xylem_import_options options = {.batch_bytes = batch_bytes};
    struct xylem_error err = {0};
    int code = xylem_import(report, store, session_file, &options, &err);
    bool refused = code == XYLEM_E_MALFORMED || code == XYLEM_E_LIMIT;
    if (code < 0 && !refused) {
        fprintf(stderr, "fuzz_import: %d %s\n", code, err.text);
    }
    must(code == XYLEM_OK || refused, "an import failed");
    return code;
}

static void check(struct xylem_store *store, uint64_t session, const void *data, size_t size, bool same)
{
    struct xylem_txn *txn = NULL;
    struct xylem_buffer out = {0};
    struct xylem_export_options options = {.with_quarantine = true};
    struct xylem_verify_report report;
    must(xylem_begin(&txn, store, XYLEM_READ, NULL) == XYLEM_OK, "no transaction");
    must(xylem_export(txn, session, &options, collect, &out, NULL) == XYLEM_OK, "the export failed");
    must(!same || (out.bytes == size && memcmp(out.data, data, size) == 0), "the export differs from the file");
    must(xylem_verify(&report, txn, NULL, found, NULL, NULL) == XYLEM_OK && report.problem_count == 0,
         "the store is damaged");
    xylem_buffer_release(&out);
    xylem_abort(txn);
}

/* The lines behind the header, as those of a session that was forked from `source`. */
static void import_fork(struct xylem_store *store, const char *source, const uint8_t *data, size_t size)
{
    static const char header[] = "{\"type\":\"session\",\"version\":3,\"id\":\"the fork\",\"parentSession\":";
    const uint8_t *newline = memchr(data, '\n', size);
    struct xylem_buffer text = {NULL, 0, 0};
    struct xylem_import_report report = {0};
    if (!newline || strcmp(source, "the fork") == 0) {
        return;
    }
    must(xylem_buffer_add(&text, header, sizeof header - 1) == XYLEM_OK &&
             xylem_buffer_add_json_string(&text, xylem_view_of(source)) == XYLEM_OK &&
             xylem_buffer_add(&text, "}", 1) == XYLEM_OK &&
             xylem_buffer_add(&text, newline, size - (size_t)(newline - data)) == XYLEM_OK,
         "no memory");
    write_file(text.data, text.bytes);
    must(import(&report, store, 1) == XYLEM_OK, "a fork is refused");
    check(store, report.session, text.data, text.bytes, true);
    xylem_buffer_release(&text);
    xylem_import_report_release(&report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 65536) {
        return 0;
    }
    if (directory[0] == '\0') {
        const char *temporary = getenv("TMPDIR");
        snprintf(directory, sizeof directory, "%.40s/xylem-fuzz-XXXXXX", temporary ? temporary : "/tmp");
        must(mkdtemp(directory) != NULL, "no directory");
        snprintf(session_file, sizeof session_file, "%s/f", directory);
        atexit(remove_all);
    }
    char path[128];
    snprintf(path, sizeof path, "%s/store", directory);
    struct xylem_open_options options = {.create = true, .durability = XYLEM_DURABILITY_NONE, .map_bytes = 1u << 28};
    struct xylem_store *store = NULL;
    struct xylem_import_report first = {0};
    struct xylem_import_report whole = {0};
    struct xylem_import_report again = {0};
    must(xylem_open(&store, path, &options, NULL) == XYLEM_OK, "no store");
    write_file(data, size / 2);
    bool grew = import(&first, store, 1) == XYLEM_OK;
    if (grew) {
        check(store, first.session, data, size / 2, first.version == 3);
        import_fork(store, first.session_id, data, size);
    }
    write_file(data, size);
    if (import(&whole, store, 1) == XYLEM_OK) {
        /* A header that was cut names another session, and a last line that went on makes the file a changed one. */
        bool same = whole.version == 3 && (!grew || size < 2 || data[size / 2 - 1] == '\n');
        check(store, whole.session, data, size, same);
        must(import(&again, store, 0) == XYLEM_OK && again.outcome == XYLEM_IMPORT_UNCHANGED, "not the same again");
    }
    xylem_import_report_release(&first);
    xylem_import_report_release(&whole);
    xylem_import_report_release(&again);
    must(xylem_close(store, NULL) == XYLEM_OK, "the store stays open");
    remove_store();
    return 0;
}
