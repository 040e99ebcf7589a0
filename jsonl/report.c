#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "jsonl/import.h"

#define XYLEM_PROBLEM_WORD_ROW(name, word, text) \
    case name:                                   \
        return word;
#define XYLEM_PROBLEM_TEXT_ROW(name, word, text) \
    case name:                                   \
        return text;

const char *xylem_import_problem_word(enum xylem_import_problem_type type)
{
    switch (type) {
        XYLEM_IMPORT_PROBLEM_LIST(XYLEM_PROBLEM_WORD_ROW)
    case XYLEM_IMPORT_PROBLEM_COUNT:
        break;
    }
    return "unknown";
}

const char *xylem_import_problem_text(enum xylem_import_problem_type type)
{
    switch (type) {
        XYLEM_IMPORT_PROBLEM_LIST(XYLEM_PROBLEM_TEXT_ROW)
    case XYLEM_IMPORT_PROBLEM_COUNT:
        break;
    }
    return "unknown problem";
}

/* An id as it can be shown: at most four bytes for each of its own. */
static void escape_id(char out[XYLEM_ENTRY_ID_BYTES_MAX * 4u + 1u], struct xylem_view id)
{
    size_t used = 0;
    size_t at = 0;
    while (at < id.bytes && at < XYLEM_ENTRY_ID_BYTES_MAX) {
        size_t bytes = xylem_base__utf8_shown_bytes(id.data + at, id.bytes - at);
        if (bytes > 0) {
            memcpy(out + used, id.data + at, bytes);
            used += bytes;
            at += bytes;
        } else {
            snprintf(out + used, 5, "\\x%02x", (unsigned)(unsigned char)id.data[at]);
            used += 4;
            at++;
        }
    }
    out[used] = '\0';
}

int xylem_jsonl__report_problem(struct xylem_import_report *report, enum xylem_import_problem_type type,
                                bool quarantined, uint64_t line, uint64_t offset, struct xylem_view entry_id,
                                struct xylem_error *err)
{
    size_t count = report->problem_count;
    if ((count & (count - 1)) == 0) { /* full at each power of two */
        size_t capacity = count == 0 ? 1 : 2 * count;
        struct xylem_import_problem *problems = realloc(report->problems, capacity * sizeof *problems);
        if (!problems) {
            return xylem_base__fail_memory(err);
        }
        report->problems = problems;
    }
    struct xylem_import_problem *problem = &report->problems[report->problem_count++];
    memset(problem, 0, sizeof *problem);
    problem->type = type;
    problem->quarantined = quarantined;
    problem->line = line;
    problem->offset = offset;
    escape_id(problem->entry_id, entry_id);
    return XYLEM_OK;
}

static int compare_problems(const void *left, const void *right)
{
    const struct xylem_import_problem *a = left;
    const struct xylem_import_problem *b = right;
    uint64_t line_a = a->line - 1; /* no line at all comes last */
    uint64_t line_b = b->line - 1;
    if (line_a != line_b) {
        return line_a < line_b ? -1 : 1;
    }
    if (a->type != b->type) {
        return a->type < b->type ? -1 : 1;
    }
    return strcmp(a->entry_id, b->entry_id);
}

void xylem_jsonl__report_sort(struct xylem_import_report *report)
{
    if (report->problem_count > 1) {
        qsort(report->problems, report->problem_count, sizeof *report->problems, compare_problems);
    }
}

void xylem_import_report_release(struct xylem_import_report *report)
{
    if (report) {
        free(report->problems);
        memset(report, 0, sizeof *report);
    }
}

/* The hash of bytes that are too many to be held. */
static int hash_long(uint64_t *hash, struct xylem_jsonl__import *import, uint64_t offset, uint64_t bytes,
                     struct xylem_error *err)
{
    struct xylem_store__hasher *hasher = xylem_store__hasher_new();
    if (!hasher) {
        return xylem_base__fail_memory(err);
    }
    int code = XYLEM_OK;
    for (uint64_t done = 0; done < bytes && code == XYLEM_OK;) {
        struct xylem_view seen;
        code = xylem_jsonl__window_see(&seen, &import->far, &import->file, offset + done, 1, err);
        if (code == XYLEM_OK) {
            seen.bytes = seen.bytes < bytes - done ? seen.bytes : (size_t)(bytes - done);
            xylem_store__hasher_add(hasher, seen);
            done += seen.bytes;
        }
    }
    *hash = xylem_store__hasher_sum(hasher);
    xylem_store__hasher_free(hasher);
    return code;
}

int xylem_jsonl__quarantine(struct xylem_jsonl__import *import, enum xylem_import_problem_type type, uint64_t line,
                            uint64_t offset, uint64_t bytes, struct xylem_view entry_id, struct xylem_error *err)
{
    struct xylem_quarantined row = {
        .line = line,
        .offset = offset,
        .reason = type,
        .source = xylem_view_of(import->file.path),
        .raw_bytes = bytes,
    };
    int code;
    if (bytes > (uint64_t)XYLEM_LINE_BYTES_MAX + 1) {
        code = hash_long(&row.hash, import, offset, bytes, err);
    } else {
        code = xylem_jsonl__window_see(&row.raw, &import->far, &import->file, offset, (size_t)bytes, err);
        row.raw.bytes = (size_t)bytes;
        row.hash = code < 0 ? 0 : xylem_store__hash(row.raw);
    }
    if (code < 0) {
        return code;
    }
    code = xylem_store__quarantine_add(import->txn, import->progress.session, &row, err);
    if (code < 0) {
        return code;
    }
    import->report->quarantined_count += (uint64_t)code;
    return xylem_jsonl__report_problem(import->report, type, true, line, offset, entry_id, err);
}
