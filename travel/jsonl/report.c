/* Reports the problems of an import with the ids of their entries, and quarantines lines with a problem. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "travel/jsonl/import.h"

#define IDS_BYTES 4000u

static_assert(sizeof(void *) != 8 || sizeof(struct xylem_import_problem) == 40, "xylem.h says 40 bytes");
static_assert(XYLEM_ENTRY_ID_BYTES_MAX <= IDS_BYTES, "an id fits one chunk");

struct words {
    const char *word;
    const char *text;
};

static const char *const outcome_words[] = {"new", "grew", "changed", "unchanged", "skipped", "failed"};
#define WORDS_ROW(name, word, text) [name] = {word, text},
static const struct words problem_words[] = {XYLEM_IMPORT_PROBLEM_LIST(WORDS_ROW)};
static const struct words source_words[] = {XYLEM_IMPORT_SOURCE_LIST(WORDS_ROW)};
#undef WORDS_ROW

const char *xylem_import_outcome_word(enum xylem_import_outcome outcome)
{
    return (unsigned)outcome <= XYLEM_IMPORT_FAILED ? outcome_words[outcome] : "unknown";
}

const char *xylem_import_problem_word(enum xylem_import_problem_type type)
{
    return (unsigned)type < XYLEM_IMPORT_PROBLEM_COUNT ? problem_words[type].word : "unknown";
}

const char *xylem_import_problem_text(enum xylem_import_problem_type type)
{
    return (unsigned)type < XYLEM_IMPORT_PROBLEM_COUNT ? problem_words[type].text : "unknown problem";
}

const char *xylem_import_source_word(enum xylem_import_source source)
{
    return (unsigned)source < XYLEM_IMPORT_SOURCE_COUNT ? source_words[source].word : "unknown";
}

const char *xylem_import_source_text(enum xylem_import_source source)
{
    return (unsigned)source < XYLEM_IMPORT_SOURCE_COUNT ? source_words[source].text : "unknown";
}

/* A chunk of ids of problems. A chunk never moves, so views of the ids stay valid. */
struct ids {
    struct ids *previous;
    size_t used;
    char bytes[IDS_BYTES];
};

struct storage {
    size_t problem_capacity;
    struct ids *ids;
};

int xylem_jsonl__report_problem(struct xylem_import_report *report, enum xylem_import_problem_type type,
                                bool quarantined, uint64_t line, uint64_t offset, struct xylem_view entry_id,
                                struct xylem_error *err)
{
    struct xylem_import_problem problem = {.type = type, .quarantined = quarantined, .line = line, .offset = offset};
    if (!report->storage && !(report->storage = calloc(1, sizeof(struct storage)))) {
        return xylem_base__fail_memory(err);
    }
    struct storage *storage = report->storage;
    if (report->problem_count == storage->problem_capacity) {
        /* Grows by half: xylem.h promises a bound for the memory of the list. */
        size_t capacity = storage->problem_capacity + storage->problem_capacity / 2 + 4;
        struct xylem_import_problem *problems = realloc(report->problems, capacity * sizeof *problems);
        if (!problems) {
            return xylem_base__fail_memory(err);
        }
        report->problems = problems;
        storage->problem_capacity = capacity;
    }
    if (entry_id.bytes > 0) {
        if (!storage->ids || IDS_BYTES - storage->ids->used < entry_id.bytes) {
            struct ids *ids = malloc(sizeof *ids);
            if (!ids) {
                return xylem_base__fail_memory(err);
            }
            ids->previous = storage->ids;
            ids->used = 0;
            storage->ids = ids;
        }
        char *copy = storage->ids->bytes + storage->ids->used;
        memcpy(copy, entry_id.data, entry_id.bytes);
        storage->ids->used += entry_id.bytes;
        problem.entry_id = (struct xylem_view){copy, entry_id.bytes};
    }
    report->problems[report->problem_count++] = problem;
    return XYLEM_OK;
}

static int compare_problems(const void *left, const void *right)
{
    const struct xylem_import_problem *a = left;
    const struct xylem_import_problem *b = right;
    uint64_t line_a = a->line - 1; /* line 0, no line at all, wraps and comes last */
    uint64_t line_b = b->line - 1;
    if (line_a != line_b) {
        return line_a < line_b ? -1 : 1;
    }
    if (a->type != b->type) {
        return a->type < b->type ? -1 : 1;
    }
    return xylem_base__view_order(a->entry_id, b->entry_id);
}

void xylem_jsonl__report_sort(struct xylem_import_report *report)
{
    if (report->problem_count > 1) {
        qsort(report->problems, report->problem_count, sizeof *report->problems, compare_problems);
    }
}

void xylem_jsonl__report_again(struct xylem_import_report *report)
{
    size_t kept = 0;
    for (size_t i = 0; i < report->problem_count; i++) {
        if (report->problems[i].type != XYLEM_IMPORT_TORN) {
            report->problems[kept++] = report->problems[i];
        }
    }
    report->problem_count = kept;
    report->matched_count = 0;
    report->unconsumed_bytes = 0;
    report->source = XYLEM_IMPORT_SOURCE_NONE;
    report->source_id[0] = '\0';
}

void xylem_jsonl__report_join(struct xylem_import_report *report, const struct xylem_import_report *earlier)
{
    uint64_t own = earlier->added_count + earlier->shared_count;
    size_t kept = 0;
    report->matched_count -= report->matched_count < own ? report->matched_count : own;
    if (own > 0) {
        report->outcome = earlier->outcome;
        report->source = earlier->source;
        memcpy(report->source_id, earlier->source_id, sizeof report->source_id);
    }
    for (size_t i = 0; i < report->problem_count; i++) {
        if (kept == 0 || compare_problems(&report->problems[i], &report->problems[kept - 1]) != 0) {
            report->problems[kept++] = report->problems[i];
        }
    }
    report->problem_count = kept;
}

void xylem_import_report_release(struct xylem_import_report *report)
{
    if (!report) {
        return;
    }
    struct storage *storage = report->storage;
    while (storage && storage->ids) {
        struct ids *ids = storage->ids;
        storage->ids = ids->previous;
        free(ids);
    }
    free(storage);
    free(report->problems);
    memset(report, 0, sizeof *report);
}

/* Adds a member: a string, or null without data. */
static int add_string(struct xylem_buffer *out, const char *key, struct xylem_view value)
{
    int code;
    if ((code = xylem_base__buffer_add_format(out, "\"%s\":%s", key, value.data ? "" : "null")) < 0 || !value.data) {
        return code;
    }
    return xylem_buffer_add_json_string(out, value);
}

static int add_problem(struct xylem_buffer *out, const struct xylem_import_problem *problem)
{
    int code;
    if ((code = xylem_base__buffer_add_format(out, "{\"type\":\"%s\",\"line\":%" PRIu64 ",\"offset\":%" PRIu64 ",",
                                              xylem_import_problem_word(problem->type), problem->line,
                                              problem->offset)) < 0 ||
        (code = add_string(out, "entry", problem->entry_id)) < 0) {
        return code;
    }
    return xylem_base__buffer_add_format(out, ",\"quarantined\":%s,\"text\":\"%s\"}",
                                         problem->quarantined ? "true" : "false",
                                         xylem_import_problem_text(problem->type));
}

static int add_report(struct xylem_buffer *out, const struct xylem_import_report *report)
{
    const struct xylem_view none = {NULL, 0};
    const struct xylem_view session = xylem_view_of(report->session_id);
    const struct xylem_view source = xylem_view_of(report->source_id);
    int code;
    if ((code = add_string(out, "session", session.bytes > 0 ? session : none)) < 0 ||
        (code = xylem_base__buffer_add_format(
             out,
             ",\"outcome\":\"%s\",\"file_version\":%d,\"line_count\":%" PRIu64 ",\"bytes\":%" PRIu64
             ",\"added\":%" PRIu64 ",\"shared\":%" PRIu64 ",\"shared_bytes\":%" PRIu64 ",",
             xylem_import_outcome_word(report->outcome), report->version, report->line_count, report->file_bytes,
             report->added_count, report->shared_count, report->shared_bytes)) < 0 ||
        (code = add_string(out, "source", source.bytes > 0 ? source : none)) < 0 ||
        (code = xylem_base__buffer_add_format(
             out,
             ",\"source_outcome\":\"%s\",\"matched\":%" PRIu64 ",\"quarantined_lines\":%" PRIu64
             ",\"kept_lines\":%" PRIu64 ",\"unconsumed_bytes\":%" PRIu64 ",\"leaf_stayed\":%s,\"problems\":[",
             xylem_import_source_word(report->source), report->matched_count, report->quarantined_count,
             report->kept_line_count, report->unconsumed_bytes, report->leaf_stayed ? "true" : "false")) < 0) {
        return code;
    }
    for (size_t i = 0; i < report->problem_count; i++) {
        if ((i > 0 && (code = xylem_buffer_add(out, ",", 1)) < 0) ||
            (code = add_problem(out, &report->problems[i])) < 0) {
            return code;
        }
    }
    return xylem_buffer_add(out, "]", 1);
}

int xylem_import_report_json(struct xylem_buffer *buffer, const struct xylem_import_report *report)
{
    size_t before = buffer->bytes;
    int code = add_report(buffer, report);
    if (code < 0) {
        xylem_base__buffer_cut(buffer, before);
    }
    return code;
}

int xylem_jsonl__report_candidate(struct xylem_jsonl__placing *placing, const struct xylem_jsonl__candidate *candidate,
                                  enum xylem_import_problem_type type, struct xylem_error *err)
{
    return xylem_jsonl__report_problem(
        placing->report, type, false, xylem_jsonl__line_number(&placing->reader->index, candidate->row),
        xylem_jsonl__index_offset(&placing->reader->index, candidate->row), candidate->entry.id, err);
}

int xylem_jsonl__quarantine(struct xylem_jsonl__placing *placing, enum xylem_import_problem_type type, uint64_t line,
                            uint64_t offset, uint64_t bytes, struct xylem_view entry_id, struct xylem_error *err)
{
    struct xylem_jsonl__reader *reader = placing->reader;
    struct xylem_quarantined row = {
        .line = line,
        .offset = offset,
        .reason = type,
        .source = xylem_view_of(reader->file.path),
        .raw_bytes = bytes,
    };
    int code;
    if (bytes > (uint64_t)XYLEM_LINE_BYTES_MAX + 1) {
        code = xylem_jsonl__hash_part(&row.hash, &reader->file, offset, bytes, err);
    } else if ((code = xylem_jsonl__window_see(&row.raw, &reader->far, &reader->file, offset, (size_t)bytes, err)) ==
               XYLEM_OK) {
        row.raw.bytes = (size_t)bytes;
        row.hash = xylem_format__hash(row.raw);
        if ((code = xylem_jsonl__redacted_line(placing, row.raw, err)) > 0) {
            xylem_store__quarantine_empty(&row); /* the row stays, so the lines behind keep their numbers */
        }
    }
    if (code < 0 ||
        (code = xylem_store__quarantine_add(placing->batch.txn, placing->progress.session, &row, err)) < 0) {
        return code;
    }
    bool kept = row.reason != XYLEM_IMPORT_REDACTED;
    placing->report->quarantined_count += kept ? (uint64_t)code : 0;
    return xylem_jsonl__report_problem(placing->report, row.reason, kept, line, offset, entry_id, err);
}
