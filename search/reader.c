/*
 * For each record of a segment:
 *
 *     1. the record is verified, and filtered by kind and time
 *     2. the payload is verified by its hash
 *     3. the sieve looks at the raw bytes: most payloads end here
 *     4. the payload is decoded, and filtered by role, tool and error
 *     5. each searched string is matched; the first match becomes the text of a hit
 *
 * A fast search filters and sieves before 1, and verifies what passes.
 *
 * After a damaged page the cursor cannot step. Then each entry of the rest of the segment is looked up by itself, so
 * that only the unreadable entries are lost.
 */
#include "search/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/json.h"
#include "base/utf8.h"
#include "store/format/data.h"
#include "store/format/keys.h"
#include "store/format/record.h"
#include "store/lmdb/tables.h"
#include "store/log.h"
#include "store/source.h"

#define PAUSE_BYTES 262144u /* searched between two pauses: a hundredth of a second with a slow expression */
#define PAUSE_ENTRIES 16u

int xylem_search__reader_init(struct xylem_search__reader *reader)
{
    size_t session_count = reader->shared->scope->session_count;
    xylem_base__tree_init(&reader->tree);
    reader->kept.max = reader->shared->query->options->hits_max;
    reader->counts = calloc(session_count + 1, sizeof *reader->counts);
    if (!reader->counts) {
        return xylem_base__fail_memory(&reader->err);
    }
    for (size_t i = 0; i < session_count; i++) {
        reader->counts[i].newest_ms = INT64_MIN;
    }
    return xylem_match__scratch_new(&reader->scratch, &reader->err);
}

void xylem_search__reader_release(struct xylem_search__reader *reader)
{
    xylem_match__searcher_release(&reader->left_out);
    xylem_buffer_release(&reader->text);
    xylem_match__scratch_free(reader->scratch);
    xylem_base__tree_release(&reader->tree);
    xylem_search__kept_release(&reader->kept);
    xylem_search__problems_release(&reader->problems);
    free(reader->counts);
}

/* --- Strings ------------------------------------------------------------------------------------------------------ */

/* The matching of one entry. Its strings are those of `words`, else of `line`, else `raw` alone. */
struct matching {
    struct xylem_search__reader *reader;
    struct xylem_search_hit *hit;
    const struct xylem_search__words *words;
    const struct xylem_value *line; /* in quarantine */
    struct xylem_search__string raw;
    int (*visit)(void *context, const struct xylem_search__string *string);
    const struct xylem_search__term *term;
    bool has_term;
    bool wants_text; /* the hit would be kept */
    int code;
};

static bool is_listed(const struct xylem_view *list, size_t count, struct xylem_view text)
{
    bool listed = count == 0;
    for (size_t i = 0; !listed && i < count; i++) {
        listed = xylem_base__view_equal(list[i], text);
    }
    return listed;
}

/* Sets the text of a hit: the line with the match, cut around the match to XYLEM_SEARCH_LINE_BYTES_MAX. */
static void set_text(struct xylem_search_hit *hit, struct xylem_view text, struct xylem_match__range range)
{
    const char *before = range.start > 0 ? memrchr(text.data, '\n', range.start) : NULL;
    const char *after = memchr(text.data + range.start, '\n', text.bytes - range.start);
    size_t line_start = before ? (size_t)(before - text.data) + 1 : 0;
    size_t line_end = after ? (size_t)(after - text.data) : text.bytes;
    size_t start = line_start;
    size_t end = line_end;
    if (end - start > XYLEM_SEARCH_LINE_BYTES_MAX) {
        size_t lead = XYLEM_SEARCH_LINE_BYTES_MAX / 4;
        start = range.start - start > lead ? range.start - lead : start;
        while (start < range.start && xylem_base__utf8_continues(text.data[start])) {
            start++;
        }
        end = end - start > XYLEM_SEARCH_LINE_BYTES_MAX ? start + XYLEM_SEARCH_LINE_BYTES_MAX : end;
        while (end < line_end && end > range.start && xylem_base__utf8_continues(text.data[end])) {
            end--;
        }
    }
    hit->text = (struct xylem_view){text.data + start, end - start};
    hit->match_offset = range.start - start;
    hit->match_bytes = (range.end < end ? range.end : end) - range.start;
    hit->cut_before = start > line_start;
    hit->cut_after = end < line_end;
}

static bool is_searched(const struct xylem_search__reader *reader, const struct xylem_search__string *string)
{
    const struct xylem_search_options *options = reader->shared->query->options;
    return is_listed(options->tools, options->tool_count, string->tool);
}

/* Takes the first string of an entry, if there is no pattern. */
static int take_string(void *context, const struct xylem_search__string *string)
{
    const struct matching *matching = context;
    struct xylem_search_hit *hit = matching->hit;
    if (string->text.bytes == 0 || !is_searched(matching->reader, string)) {
        return 0;
    }
    hit->match_count = 1;
    hit->part = string->part;
    hit->tool = string->tool;
    size_t start = 0;
    while (start + 1 < string->text.bytes && string->text.data[start] == '\n') {
        start++;
    }
    set_text(hit, string->text, (struct xylem_match__range){start, start});
    return 1;
}

/* Looks whether the string has a further pattern. */
static int has_string(void *context, const struct xylem_search__string *string)
{
    struct matching *matching = context;
    struct xylem_match__range range;
    int found = is_searched(matching->reader, string)
                    ? xylem_search__query_find(&range, matching->term, matching->reader->scratch, string->text, 0,
                                               &matching->reader->err)
                    : 0;
    matching->has_term = found > 0;
    matching->code = found < 0 ? found : 0;
    return found;
}

/* Matches a string. Anything but 0 ends the search of the entry. */
static int match_string(void *context, const struct xylem_search__string *string)
{
    struct matching *matching = context;
    struct xylem_search__reader *reader = matching->reader;
    struct xylem_search_hit *hit = matching->hit;
    struct xylem_match__range range = {0, 0};
    int found = 0;
    if (!is_searched(reader, string)) {
        return 0;
    }
    for (size_t from = 0; (found = xylem_search__query_find(&range, matching->term, reader->scratch, string->text, from,
                                                            &reader->err)) > 0;
         from = range.end) {
        if (hit->match_count++ == 0) {
            hit->part = string->part;
            hit->tool = string->tool;
            set_text(hit, string->text, range);
        }
        if (!matching->wants_text || hit->match_count == XYLEM_SEARCH_COUNT_MAX) {
            return 1; /* nobody asks for more */
        }
    }
    matching->code = found;
    return found;
}

/* Keeps the text of a hit, which lies in the memory of the next string. */
static int keep_text(struct matching *matching)
{
    struct xylem_search__reader *reader = matching->reader;
    struct xylem_search_hit *hit = matching->hit;
    xylem_base__buffer_clear(&reader->text);
    if (xylem_buffer_add(&reader->text, hit->text.data, hit->text.bytes) < 0) {
        return xylem_base__fail_memory(&reader->err);
    }
    hit->text = xylem_base__buffer_view(&reader->text);
    hit->redacted = true;
    return XYLEM_OK;
}

/*
 * Visits a string as it is after the redaction: what is left out cannot match, or a search would confirm a guess. A line
 * in quarantine that is no JSON and has a match is left out whole, as of an export: it may spell the match in escapes.
 */
static int visit_redacted(void *context, const struct xylem_search__string *string)
{
    struct matching *matching = context;
    struct xylem_search__reader *reader = matching->reader;
    const struct xylem_patterns *patterns = reader->shared->query->options->patterns;
    struct xylem_search__string left = *string;
    bool is_raw = !matching->words && !matching->line;
    bool had_text = matching->hit->text.data;
    int found = is_raw
                    ? xylem_match__patterns_match_torn(&reader->left_out, patterns, string->text, &reader->err)
                    : xylem_match__patterns_string(&left.text, &reader->left_out, patterns, string->text, &reader->err);
    if (found < 0) {
        matching->code = found;
        return found;
    }
    int result = found && is_raw ? 0 : matching->visit(matching, &left);
    if (found && !had_text && matching->hit->text.data && (found = keep_text(matching)) < 0) {
        matching->code = found;
        return found;
    }
    return result;
}

static void each_string(struct matching *matching,
                        int (*visit)(void *context, const struct xylem_search__string *string))
{
    if (matching->reader->shared->query->options->patterns) {
        matching->visit = visit;
        visit = visit_redacted;
    }
    if (matching->words) {
        xylem_search__words_each(matching->words, visit, matching);
    } else if (matching->line) {
        xylem_search__words_of_value(matching->line, XYLEM_SEARCH_QUARANTINE, visit, matching);
    } else {
        visit(matching, &matching->raw);
    }
}

/* Matches all strings: `hit->match_count` is 0 if the entry lacks a pattern. */
static int match_strings(struct matching *matching)
{
    const struct xylem_search__query *query = matching->reader->shared->query;
    struct xylem_search_hit *hit = matching->hit;
    matching->term = query->terms;
    each_string(matching, query->term_count > 0 ? match_string : take_string);
    for (size_t i = 1; matching->code == 0 && hit->match_count > 0 && i < query->term_count; i++) {
        matching->term = &query->terms[i];
        matching->has_term = false;
        each_string(matching, has_string);
        hit->match_count = matching->has_term ? hit->match_count : 0;
    }
    if (matching->code == 0 && query->term_count == 0 && query->options->tool_count == 0 && hit->match_count == 0) {
        hit->match_count = 1; /* an entry without a string passed the filters */
        hit->part = XYLEM_SEARCH_DATA;
    }
    return matching->code;
}

/* --- Entries ------------------------------------------------------------------------------------------------------ */

/* Counts the hit for its session, and keeps the hit if the hit is one of the newest. */
static int take_hit(const struct matching *matching, size_t session, uint64_t order)
{
    struct xylem_search__reader *reader = matching->reader;
    struct xylem_search__count *count = &reader->counts[session];
    count->match_count++;
    count->newest_ms = matching->hit->time_ms > count->newest_ms ? matching->hit->time_ms : count->newest_ms;
    reader->match_count++;
    return matching->wants_text ? xylem_search__kept_add(&reader->kept, matching->hit, order, &reader->err) : XYLEM_OK;
}

static bool is_of_kind(const struct xylem_search_options *options, const struct xylem_kind *kind)
{
    bool found = options->kind_count == 0 && options->role_count == 0;
    for (size_t i = 0; !found && i < options->kind_count; i++) {
        found = xylem_store__kind_equal(&options->kinds[i], kind);
    }
    return found;
}

/* True if the message passes the filters that need the payload. */
static bool passes(const struct xylem_search_options *options, const struct xylem_kind *kind,
                   const struct xylem_search__words *words)
{
    return (is_of_kind(options, kind) ||
            (words->message && is_listed(options->roles, options->role_count, words->role))) &&
           (!options->errors || words->failed);
}

/* Matches a payload that passed the sieve. */
static int match_payload(struct xylem_search__reader *reader, const struct xylem_entry *entry,
                         struct xylem_view payload, size_t session)
{
    struct xylem_search_hit hit = {.session = reader->shared->scope->sessions[session].number,
                                   .position = entry->position,
                                   .entry_id = entry->id,
                                   .kind = entry->kind,
                                   .time_ms = entry->time_ms,
                                   .lsn = entry->lsn};
    struct matching matching = {.reader = reader,
                                .hit = &hit,
                                .raw = {.part = XYLEM_SEARCH_DATA, .text = payload},
                                .wants_text = xylem_search__kept_takes(&reader->kept, entry->time_ms, entry->lsn)};
    struct xylem_search__words words;
    struct xylem_error reason;
    xylem_base__tree_clear(&reader->tree);
    int code = entry->format == XYLEM_FORMAT_LINE      ? xylem_store__payload_decode(&reader->tree, entry, &reason)
               : entry->format == XYLEM_FORMAT_MSGPACK ? xylem_format__data_decode(&reader->tree, payload, &reason)
                                                       : xylem_base__json_parse(&reader->tree, payload, &reason);
    if (code == XYLEM_E_MEMORY) {
        return xylem_base__fail_memory(&reader->err);
    }
    /* A payload that is not in its format is searched as it is. */
    xylem_search__words_look(&words, entry->kind, code == XYLEM_OK ? reader->tree.nodes : NULL);
    if (!passes(reader->shared->query->options, &entry->kind, &words)) {
        return XYLEM_OK;
    }
    hit.role = words.role;
    hit.failed = words.failed;
    matching.words = code == XYLEM_OK ? &words : NULL;
    code = match_strings(&matching);
    if (code == XYLEM_E_LIMIT) { /* the text of the error names the entry and the pattern */
        reason = reader->err;
        return xylem_base__fail(&reader->err, code, "entry %.*s of session %.*s: '%.*s': %s",
                                XYLEM_BASE__SHOWN(entry->id),
                                XYLEM_BASE__SHOWN(reader->shared->scope->sessions[session].id),
                                XYLEM_BASE__SHOWN(matching.term->text), reason.text);
    }
    return code < 0 || hit.match_count == 0 ? code : take_hit(&matching, session, 0);
}

/* The role of a message is known behind the sieve: see passes(). */
static bool is_wanted(const struct xylem_search_options *options, const struct xylem_entry *entry)
{
    bool may_have_role = options->role_count > 0 && entry->kind.kind_class == XYLEM_CLASS_HOST &&
                         xylem_base__view_is(entry->kind.name, "message");
    return (is_of_kind(options, &entry->kind) || may_have_role) &&
           (!options->since_ms || entry->time_ms >= *options->since_ms) &&
           (!options->until_ms || entry->time_ms <= *options->until_ms);
}

static int add_problem(struct xylem_search__reader *reader, const struct xylem_search__segment *segment, uint64_t depth,
                       struct xylem_view entry_id, const char *text)
{
    struct xylem_position position = {segment->branch, depth};
    return xylem_search__problems_add(&reader->problems, "log",
                                      reader->shared->scope->sessions[segment->session].number, position, entry_id,
                                      text, &reader->err);
}

/* --- Segments ----------------------------------------------------------------------------------------------------- */

/* True if the entry has a payload and passes the filters of its header. */
static bool is_searchable(const struct xylem_search__reader *reader, const struct xylem_entry *entry)
{
    return entry->payload_bytes > 0 && !(entry->flags & XYLEM_ENTRY_REDACTED) &&
           is_wanted(reader->shared->query->options, entry);
}

static int sieve(struct xylem_search__reader *reader, const struct xylem_entry *entry)
{
    struct xylem_view payload = {entry->unverified.payload, entry->payload_bytes};
    return xylem_search__sieve_passes(&reader->shared->query->sieve, reader->scratch, payload,
                                      entry->format != XYLEM_FORMAT_MSGPACK, &reader->err);
}

static void count_entry(struct xylem_search__reader *reader, const struct xylem_entry *entry)
{
    reader->entry_count++;
    reader->payload_bytes += entry->payload_bytes;
}

/*
 * For a fast search: 0 if the record has no match; 1 if the record may match, or is not as long as its fields say.
 * Hashes nothing, but the header if a filter needs the name of the kind.
 */
static int skim_record(struct xylem_search__reader *reader, struct xylem_position position, struct xylem_view record)
{
    const struct xylem_search_options *options = reader->shared->query->options;
    struct xylem_entry entry;
    if (options->kind_count > 0 || options->role_count > 0) {
        if (xylem_store__entry_decode(&entry, reader->txn, position, record, NULL) < 0) {
            return 1;
        }
    } else {
        size_t head_bytes = xylem_format__record_head(&entry, record);
        if (head_bytes == 0 || (uint64_t)entry.payload_bytes + entry.line_bytes != record.bytes - head_bytes) {
            return 1;
        }
        entry.unverified.payload = record.data + head_bytes;
    }
    if (!is_searchable(reader, &entry)) {
        return 0;
    }
    int through = sieve(reader, &entry);
    if (through == 0) {
        count_entry(reader, &entry);
    }
    return through;
}

/* Verifies and filters a record, and searches its payload. */
static int search_record(struct xylem_search__reader *reader, const struct xylem_search__segment *segment,
                         uint64_t depth, struct xylem_view record)
{
    struct xylem_position position = {segment->branch, depth};
    struct xylem_view payload = {NULL, 0};
    struct xylem_entry entry;
    struct xylem_error reason;
    int through = reader->shared->query->options->fast ? skim_record(reader, position, record) : 1;
    if (through <= 0) {
        return through;
    }
    int code = xylem_store__entry_decode(&entry, reader->txn, position, record, &reason);
    if (code == XYLEM_E_MEMORY) {
        return xylem_base__fail_memory(&reader->err);
    }
    if (code < 0) {
        return add_problem(reader, segment, depth, (struct xylem_view){NULL, 0}, reason.text);
    }
    if (!is_searchable(reader, &entry)) {
        return XYLEM_OK;
    }
    count_entry(reader, &entry);
    if (xylem_entry_payload(&payload, &entry, &reason) < 0) {
        return add_problem(reader, segment, depth, entry.id, reason.text);
    }
    through = sieve(reader, &entry);
    return through <= 0 ? through : match_payload(reader, &entry, payload, segment->session);
}

/* Entries that are missing: depths `from` to `to`. */
static int note_lost(struct xylem_search__reader *reader, const struct xylem_search__segment *segment, uint64_t from,
                     uint64_t to)
{
    char text[96];
    if (from > to) {
        return XYLEM_OK;
    }
    if (from == to) {
        snprintf(text, sizeof text, "the entry is lost");
    } else {
        snprintf(text, sizeof text, "the entries of the depths %" PRIu64 " to %" PRIu64 " are lost", from, to);
    }
    return add_problem(reader, segment, from, (struct xylem_view){NULL, 0}, text);
}

/* Looks up each entry of a segment by itself, from a depth on. */
static int search_each(struct xylem_search__reader *reader, const struct xylem_search__segment *segment, uint64_t depth)
{
    int code = XYLEM_OK;
    for (; code == XYLEM_OK && depth <= segment->last_depth; depth++) {
        struct xylem_format__key key;
        struct xylem_view record;
        struct xylem_error reason;
        xylem_format__key_pair(&key, segment->branch, depth);
        int found = xylem_lmdb__get(&record, reader->txn, XYLEM_FORMAT__LOG, key.view, &reason);
        if (found == XYLEM_E_MEMORY) {
            code = xylem_base__fail_memory(&reader->err);
        } else if (found < 0) {
            code = add_problem(reader, segment, depth, (struct xylem_view){NULL, 0}, reason.text);
        } else {
            code = found ? search_record(reader, segment, depth, record) : note_lost(reader, segment, depth, depth);
        }
    }
    return code;
}

static int pause_if_due(struct xylem_search__reader *reader)
{
    if (++reader->unpaused_entries < PAUSE_ENTRIES && reader->payload_bytes - reader->paused_bytes < PAUSE_BYTES) {
        return XYLEM_OK;
    }
    reader->unpaused_entries = 0;
    reader->paused_bytes = reader->payload_bytes;
    if (atomic_load_explicit(&reader->shared->stop, memory_order_relaxed) ||
        (reader->pause && reader->pause(reader->pause_context) != 0)) {
        return xylem_base__fail(&reader->err, XYLEM_E_STOPPED, "the search was stopped");
    }
    return XYLEM_OK;
}

static int search_segment(struct xylem_search__reader *reader, struct xylem_lmdb__rows *rows,
                          const struct xylem_search__segment *segment)
{
    struct xylem_format__key first;
    struct xylem_view record;
    struct xylem_error reason;
    uint64_t expected = segment->first_depth;
    enum xylem_lmdb__step step = XYLEM_LMDB__AT_OR_AFTER;
    xylem_format__key_pair(&first, segment->branch, segment->first_depth);
    struct xylem_view key = first.view;
    int code = XYLEM_OK;
    while (code == XYLEM_OK && expected <= segment->last_depth) {
        struct xylem_position at = {0, 0};
        int found = xylem_lmdb__rows_step(&key, &record, rows, step, &reason);
        step = XYLEM_LMDB__NEXT;
        if (found == XYLEM_E_MEMORY) {
            return xylem_base__fail_memory(&reader->err);
        }
        if (found < 0 || (found > 0 && !xylem_format__key_read_pair(&at.branch, &at.depth, key))) {
            return search_each(reader, segment, expected);
        }
        if (found == 0 || at.branch != segment->branch || at.depth > segment->last_depth) {
            return note_lost(reader, segment, expected, segment->last_depth);
        }
        if ((code = note_lost(reader, segment, expected, at.depth - 1)) < 0 ||
            (code = search_record(reader, segment, at.depth, record)) < 0) {
            return code;
        }
        expected = at.depth + 1;
        code = pause_if_due(reader);
    }
    return code;
}

void xylem_search__reader_run(struct xylem_search__reader *reader)
{
    struct xylem_search__shared *shared = reader->shared;
    struct xylem_lmdb__rows *rows = NULL;
    reader->code = xylem_lmdb__rows_new(&rows, reader->txn, XYLEM_FORMAT__LOG, &reader->err);
    while (reader->code == XYLEM_OK) {
        size_t next = atomic_fetch_add(&shared->next_segment, 1);
        if (next >= shared->scope->segment_count || atomic_load(&shared->stop)) {
            break;
        }
        const struct xylem_search__segment *segment = &shared->scope->segments[next];
        uint64_t matches_before = reader->match_count;
        reader->code = search_segment(reader, rows, segment);
        reader->counts[segment->session].seen_count +=
            segment->owned ? segment->last_depth - segment->first_depth + 1 : 0;
        atomic_fetch_add(&shared->entry_count, segment->last_depth - segment->first_depth + 1);
        atomic_fetch_add(&shared->match_count, reader->match_count - matches_before);
    }
    if (reader->code < 0) {
        atomic_store(&shared->stop, true);
    }
    xylem_lmdb__rows_free(rows);
}

/* --- Quarantine --------------------------------------------------------------------------------------------------- */

/* Searches a row of the table; a damaged row becomes a problem. */
static int search_row(struct xylem_search__reader *reader, struct xylem_view key, struct xylem_view value,
                      uint64_t order)
{
    static const struct xylem_position none = {0, 0};
    struct xylem_quarantined row;
    struct xylem_error reason;
    uint64_t number = xylem_format__key_first(key);
    int code;
    if ((code = xylem_lmdb__check_summed(&value, reader->txn, XYLEM_FORMAT__QUARANTINE, key, &reason)) < 0 ||
        (code = xylem_store__quarantine_decode(&row, key, value, &reason)) < 0) {
        return xylem_search__problems_add(&reader->problems, "quarantine", number, none, (struct xylem_view){NULL, 0},
                                          reason.text, &reader->err);
    }
    const struct xylem_search__session *session = xylem_search__scope_session(reader->shared->scope, number);
    if (!session || !session->wanted || row.raw.bytes == 0) {
        return XYLEM_OK;
    }
    struct xylem_search_hit hit = {.session = number, .time_ms = INT64_MIN, .line = row.line};
    struct matching matching = {.reader = reader,
                                .hit = &hit,
                                .raw = {.part = XYLEM_SEARCH_QUARANTINE, .text = row.raw},
                                .wants_text = !reader->kept.full};
    xylem_base__tree_clear(&reader->tree);
    code = xylem_base__json_parse(&reader->tree, row.raw, &reason);
    if (code == XYLEM_E_MEMORY) {
        return xylem_base__fail_memory(&reader->err);
    }
    matching.line = code == XYLEM_OK ? reader->tree.nodes : NULL;
    code = match_strings(&matching);
    size_t index = (size_t)(session - reader->shared->scope->sessions);
    return code < 0 || hit.match_count == 0 ? code : take_hit(&matching, index, order);
}

int xylem_search__reader_quarantine(struct xylem_search__reader *reader)
{
    struct xylem_lmdb__rows *rows;
    struct xylem_view key = {NULL, 0};
    struct xylem_view value = {NULL, 0};
    int code = xylem_lmdb__rows_new(&rows, reader->txn, XYLEM_FORMAT__QUARANTINE, &reader->err);
    if (code < 0) {
        return code;
    }
    uint64_t order = 0;
    while ((code = xylem_lmdb__rows_step(&key, &value, rows, XYLEM_LMDB__NEXT, &reader->err)) > 0) {
        if ((code = search_row(reader, key, value, order++)) < 0 ||
            (reader->pause && reader->pause(reader->pause_context) != 0)) {
            code = code < 0 ? code : xylem_base__fail(&reader->err, XYLEM_E_STOPPED, "the search was stopped");
            break;
        }
    }
    xylem_lmdb__rows_free(rows);
    return code;
}
