/* Searches the entries and lines of a store for patterns: the matching half of xylem_redact_matches(). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/json.h"
#include "store/store.h"
#include "travel/jsonl/patterns.h"
#include "xylem/redact.h"

struct matching {
    const struct xylem_patterns *patterns;
    struct xylem_match__searcher searcher; /* `tree` has the value; `string` a number, or a line without escapes */
    struct xylem_buffer line;              /* the kept line of an entry */
    bool is_json;                          /* the tree was parsed from JSON, so numbers have their digits in `raw` */
};

static const struct {
    const char *word;
    const char *text;
} places[] = {
#define PLACE(name, word, text) [name] = {word, text},
    XYLEM_MATCH_PLACE_LIST(PLACE)
#undef PLACE
};

const char *xylem_match_place_word(enum xylem_match_place place)
{
    return (unsigned)place < XYLEM_MATCH_PLACE_COUNT ? places[place].word : "unknown";
}

const char *xylem_match_place_text(enum xylem_match_place place)
{
    return (unsigned)place < XYLEM_MATCH_PLACE_COUNT ? places[place].text : "unknown";
}

static int match_text(struct matching *matching, struct xylem_view text, struct xylem_error *err)
{
    return xylem_match__patterns_match(&matching->searcher, matching->patterns, text, err);
}

static int match_torn(struct matching *matching, struct xylem_view bytes, struct xylem_error *err)
{
    return xylem_match__patterns_match_torn(&matching->searcher, matching->patterns, bytes, err);
}

/* --- Values ------------------------------------------------------------------------------------------------------- */

static bool is_number(const struct xylem_value *value)
{
    return value->type == XYLEM_VALUE_INT || value->type == XYLEM_VALUE_UINT || value->type == XYLEM_VALUE_DOUBLE;
}

/* True for the members of a line that only say where the entry stands. */
static bool is_place(const struct xylem_value *line, const struct xylem_value *value)
{
    static const char *const names[] = {"type", "id", "parentId", "timestamp"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (xylem_value_get(line, names[i]) == value) {
            return true;
        }
    }
    return false;
}

/*
 * Matches every string and number of the tree. With `in_place`, a match in a member that says where the entry stands is
 * noted there and does not count.
 */
static int match_tree(struct matching *matching, bool *in_place, struct xylem_error *err)
{
    struct xylem_buffer *text = &matching->searcher.string;
    bool counts = xylem_match__patterns_have_secrets(matching->patterns); /* every secret, also behind a match */
    bool found = false;
    int matches = 0;
    for (size_t i = 0; matches >= 0 && (counts || !found) && i < matching->searcher.tree.node_count; i++) {
        const struct xylem_value *value = &matching->searcher.tree.nodes[i];
        matches = 0;
        if (value->type == XYLEM_VALUE_STRING) {
            matches = match_text(matching, xylem_value_string(value), err);
        } else if (is_number(value) && matching->is_json) {
            matches = match_text(matching, value->raw, err);
        } else if (is_number(value)) {
            xylem_base__buffer_clear(text);
            matches = xylem_value_json(text, value) < 0 ? xylem_base__fail_memory(err)
                                                        : match_text(matching, xylem_base__buffer_view(text), err);
        }
        if (matches > 0 && in_place && is_place(matching->searcher.tree.nodes, value)) {
            *in_place = true;
            matches = 0;
        }
        found = found || matches > 0;
    }
    return matches < 0 ? matches : found;
}

/* --- Lines -------------------------------------------------------------------------------------------------------- */

/*
 * Matches a line: all strings, then the raw bytes. `is_kept`: the line is kept beside the payload of an entry, and a
 * match of the id alone does not take the entry.
 */
static int match_either(struct matching *matching, bool is_kept, struct xylem_view line, struct xylem_error *err)
{
    struct xylem_error reason;
    bool in_place = false;
    int matches = xylem_base__json_parse(&matching->searcher.tree, line, &reason);
    matching->is_json = true;
    if (matches == XYLEM_E_MEMORY) {
        return xylem_base__fail_memory(err);
    }
    matches = matches == XYLEM_OK ? match_tree(matching, is_kept ? &in_place : NULL, err) : 0;
    return matches == 0 && !in_place ? match_torn(matching, line, err) : matches;
}

/* Forgets the secrets of the text before. */
static void clear_counts(struct matching *matching)
{
    memset(matching->searcher.secret_counts, 0, sizeof matching->searcher.secret_counts);
}

static int match_line(void *context, struct xylem_view line, struct xylem_error *err)
{
    clear_counts(context);
    return match_either(context, false, line, err);
}

static int match_only(void *context, struct xylem_view text, struct xylem_error *err)
{
    clear_counts(context);
    return match_text(context, text, err);
}

/*
 * Matches the payload, then the kept line; a line of another host as records are, without the id of its session. The
 * error of a search names the entry by its position: the id may match.
 */
static int match_entry(void *context, const struct xylem_entry *entry, struct xylem_error *err)
{
    struct matching *matching = context;
    struct xylem_error reason;
    struct xylem_error ignored;
    struct xylem_view bytes = {NULL, 0};
    bool is_line = entry->format == XYLEM_FORMAT_LINE;
    clear_counts(matching);
    int matches = is_line ? xylem_store__line_text(&matching->line, entry, NULL, (struct xylem_view){"", 0}, &reason)
                          : xylem_entry_payload(&bytes, entry, &reason);
    if (matches == XYLEM_OK && is_line) {
        matches = match_either(matching, false, xylem_base__buffer_view(&matching->line), &reason);
    } else if (matches == XYLEM_OK) {
        int code = xylem_store__payload_decode(&matching->searcher.tree, entry, &ignored);
        matching->is_json = entry->format == XYLEM_FORMAT_JSON;
        if (code == XYLEM_E_MEMORY) {
            return xylem_base__fail_memory(err);
        }
        matches = code < 0 ? match_torn(matching, bytes, &reason) : match_tree(matching, NULL, &reason);
    }
    xylem_base__buffer_clear(&matching->line);
    if (matches == 0 && !is_line &&
        (matches = xylem_entry_imported_line(&matching->line, entry, &reason)) == XYLEM_OK &&
        matching->line.bytes > 0) {
        matches = match_either(matching, true, xylem_base__buffer_view(&matching->line), &reason);
    }
    if (matches == XYLEM_E_LIMIT) {
        return xylem_base__fail(err, matches,
                                "the entry at branch %" PRIu64 ", depth %" PRIu64 " cannot be searched: %s",
                                entry->position.branch, entry->position.depth, reason.text);
    }
    if (matches < 0 && err) {
        *err = reason;
    }
    return matches;
}

int xylem_jsonl__matcher_new(struct xylem_store__matcher *matcher, const struct xylem_patterns *patterns,
                             struct xylem_error *err)
{
    struct matching *matching = calloc(1, sizeof *matching);
    if (!matching) {
        return xylem_base__fail_memory(err);
    }
    matching->patterns = patterns;
    *matcher = (struct xylem_store__matcher){
        .text = match_only,
        .line = match_line,
        .entry = match_entry,
        .secret_counts = xylem_match__patterns_have_secrets(patterns) ? matching->searcher.secret_counts : NULL,
        .context = matching};
    return XYLEM_OK;
}

void xylem_jsonl__matcher_free(struct xylem_store__matcher *matcher)
{
    struct matching *matching = matcher->context;
    if (matching) {
        xylem_match__searcher_release(&matching->searcher); /* the searched texts may hold secrets */
        xylem_base__buffer_wipe(&matching->line);
        free(matching);
        matcher->context = NULL;
    }
}

/* --- The call ----------------------------------------------------------------------------------------------------- */

int xylem_redact_matches(struct xylem_redact_report *report, struct xylem_txn *txn,
                         const struct xylem_patterns *patterns, const struct xylem_redact_matches_options *options,
                         struct xylem_error *err)
{
    memset(report, 0, sizeof *report);
    if (!txn || !patterns || !options) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "a redaction needs a transaction, patterns and options");
    }
    struct xylem_store__matcher matcher;
    int code = xylem_jsonl__matcher_new(&matcher, patterns, err);
    if (code == XYLEM_OK) {
        code = xylem_store__redact_matches(report, txn, options, &matcher, err);
        xylem_jsonl__matcher_free(&matcher);
    }
    return code;
}
