/* Reports the problems of an import with the ids of their entries, and quarantines lines with a problem. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json_writer.h"
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

int xylem_import_report_json(struct xylem_buffer *buffer, const struct xylem_import_report *report)
{
    const struct xylem_view none = {NULL, 0};
    const struct xylem_view session = xylem_view_of(report->session_id);
    const struct xylem_view source = xylem_view_of(report->source_id);
    struct xylem_base__writer writer = {buffer, XYLEM_OK};
    size_t before = buffer->bytes;
    xylem_base__write_member(&writer, "\"session\":", session.bytes > 0 ? session : none);
    xylem_base__write_member(&writer, ",\"outcome\":", xylem_view_of(xylem_import_outcome_word(report->outcome)));
    xylem_base__write_counted(&writer, ",\"file_version\":", (uint64_t)report->version);
    xylem_base__write_counted(&writer, ",\"line_count\":", report->line_count);
    xylem_base__write_counted(&writer, ",\"bytes\":", report->file_bytes);
    xylem_base__write_counted(&writer, ",\"added\":", report->added_count);
    xylem_base__write_counted(&writer, ",\"shared\":", report->shared_count);
    xylem_base__write_counted(&writer, ",\"shared_bytes\":", report->shared_bytes);
    xylem_base__write_member(&writer, ",\"source\":", source.bytes > 0 ? source : none);
    xylem_base__write_member(&writer, ",\"source_outcome\":", xylem_view_of(xylem_import_source_word(report->source)));
    xylem_base__write_counted(&writer, ",\"matched\":", report->matched_count);
    xylem_base__write_counted(&writer, ",\"quarantined_lines\":", report->quarantined_count);
    xylem_base__write_counted(&writer, ",\"kept_lines\":", report->kept_line_count);
    xylem_base__write_counted(&writer, ",\"unconsumed_bytes\":", report->unconsumed_bytes);
    xylem_base__write_flag(&writer, ",\"leaf_stayed\":", report->leaf_stayed);
    xylem_base__write(&writer, ",\"problems\":[");
    for (size_t i = 0; i < report->problem_count; i++) {
        const struct xylem_import_problem *problem = &report->problems[i];
        const char *begin = i == 0 ? "{\"type\":" : ",{\"type\":";
        xylem_base__write_member(&writer, begin, xylem_view_of(xylem_import_problem_word(problem->type)));
        xylem_base__write_counted(&writer, ",\"line\":", problem->line);
        xylem_base__write_counted(&writer, ",\"offset\":", problem->offset);
        xylem_base__write_member(&writer, ",\"entry\":", problem->entry_id);
        xylem_base__write_flag(&writer, ",\"quarantined\":", problem->quarantined);
        xylem_base__write_member(&writer, ",\"text\":", xylem_view_of(xylem_import_problem_text(problem->type)));
        xylem_base__write(&writer, "}");
    }
    xylem_base__write(&writer, "]");
    return xylem_base__write_end(&writer, before);
}

int xylem_jsonl__report_candidate(struct xylem_jsonl__placing *placing, const struct xylem_jsonl__candidate *candidate,
                                  enum xylem_import_problem_type type, struct xylem_error *err)
{
    return xylem_jsonl__report_problem(placing->report, type, false, placing->reader->index.first_line + candidate->row,
                                       xylem_jsonl__index_offset(&placing->reader->index, candidate->row),
                                       candidate->entry.id, err);
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
