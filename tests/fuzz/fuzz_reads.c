/*
 * Any data of entries against a load of noted files. Each line of the input is the data of an entry, newest first. The
 * table stays within its bounds, and its own data gives the same table again.
 */
#include <stdlib.h>
#include <string.h>

#include "xylem/reads.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

struct lines {
    struct xylem_view rest;
    unsigned count;
};

static void must(bool right)
{
    if (!right) {
        abort();
    }
}

static int next(void *context, struct xylem_held_entry *entry)
{
    struct lines *lines = context;
    if (lines->rest.bytes == 0) {
        return 0;
    }
    const char *end = memchr(lines->rest.data, '\n', lines->rest.bytes);
    size_t bytes = end ? (size_t)(end - lines->rest.data) : lines->rest.bytes;
    entry->id = xylem_view_of("e");
    entry->kind = (struct xylem_kind){XYLEM_CLASS_CUSTOM, xylem_view_of("file-reads")};
    entry->data = (struct xylem_view){lines->rest.data, bytes};
    lines->rest.data += bytes + (end != NULL);
    lines->rest.bytes -= bytes + (end != NULL);
    lines->count++;
    return 1;
}

static void load(struct xylem_reads *reads, struct xylem_view input)
{
    struct lines lines = {.rest = input};
    struct xylem_reduction reduction;
    must(xylem_reads_load_from(reads, next, &lines, &reduction, NULL) == 0);
    must(lines.count <= XYLEM_READS_ENTRIES_MAX);
    for (size_t i = 0; i < reduction.skipped_count; i++) {
        must(reduction.skipped[i].reason && reduction.skipped[i].reason[0]);
    }
    xylem_reduction_release(&reduction);
}

static void check_bounds(const struct xylem_reads *reads)
{
    struct xylem_read_file file;
    size_t count = 0;
    size_t bytes = 0;
    while (xylem_reads_file(&file, reads, count)) {
        must(file.key.bytes > 0 && file.key.bytes <= XYLEM_READS_KEY_BYTES_MAX &&
             !memchr(file.key.data, 0, file.key.bytes));
        must(file.hash.bytes > 0 && file.at_ms >= 0 && (unsigned)file.by <= XYLEM_READ_BY_WRITE);
        bytes += file.key.bytes + file.hash.bytes;
        count++;
    }
    must(count <= XYLEM_READS_FILES_MAX && bytes <= XYLEM_READS_BYTES_MAX);
}

/* A note, a check and an entry on top of the loaded table. */
static void go_on(struct xylem_reads *reads)
{
    struct xylem_fingerprint fingerprint = {.hash = "a:00", .bytes = 1};
    struct xylem_reads_verdict verdict = {.block = false};
    struct xylem_buffer data = {0};
    const struct xylem_view key = xylem_view_of("/fuzz");
    const struct xylem_view none = {NULL, 0};
    must(xylem_reads_note(reads, key, &fingerprint, XYLEM_READ_BY_READ, 1, NULL) == 0);
    must(xylem_reads_check(&verdict, reads, key, none, XYLEM_WRITE_TOOL_EDIT, 0, &fingerprint, none, NULL) == 0);
    must(!verdict.block && verdict.why == XYLEM_READS_PASS);
    must(xylem_reads_drain(&data, reads, NULL) == 1 && xylem_reads_drain(&data, reads, NULL) == 0);
    check_bounds(reads);
    xylem_reads_verdict_release(&verdict);
    xylem_buffer_release(&data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct xylem_reads *reads = NULL;
    struct xylem_buffer whole = {0};
    struct xylem_buffer again = {0};
    must(xylem_reads_new(&reads, NULL) == 0);
    load(reads, (struct xylem_view){(const char *)data, bytes});
    check_bounds(reads);
    must(xylem_reads_whole(&whole, reads, NULL) == 0);
    load(reads, (struct xylem_view){whole.data, whole.bytes});
    must(xylem_reads_whole(&again, reads, NULL) == 0);
    must(again.bytes == whole.bytes && memcmp(again.data, whole.data, whole.bytes) == 0);
    go_on(reads);
    xylem_reads_free(reads);
    xylem_buffer_release(&whole);
    xylem_buffer_release(&again);
    return 0;
}
