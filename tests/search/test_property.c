/*
 * Random sessions, forks, redactions and damage: a search gives what a plain scan of the exported lines gives, with one
 * reader and with several, also if it is fast. XYLEM_SEED=n runs one seed alone.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buffer.h"
#include "base/json.h"
#include "base/time.h"
#include "xylem/files.h"
#include "xylem/search.h"
#include "xylem/append.h"
#include "tests/lib/chance.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"

#define ENTRIES_MAX 240
#define SESSIONS_MAX 12
#define ROUNDS_USUAL 60

/* An entry as the model knows it: from the exported lines alone, but for `damaged`. */
struct told {
    char id[16];
    struct xylem_position position;
    bool damaged;
    bool redacted;
};

static struct {
    uint64_t seed;
    struct chance chance;
    struct told entries[ENTRIES_MAX];
    int entry_count;
    uint64_t sessions[SESSIONS_MAX];
    bool deleted[SESSIONS_MAX];
    struct xylem_buffer exports[SESSIONS_MAX];
    int session_count;
    int64_t time_ms;
    uint64_t shared_searches;         /* with several readers */
    struct xylem_search_report exact; /* the counts of the last search that verifies everything */
} world;

static int draw(int bound)
{
    return chance_below(&world.chance, bound);
}

static void add(struct xylem_buffer *buffer, const char *text)
{
    assert_int_equal(xylem_buffer_add(buffer, text, strlen(text)), XYLEM_OK);
}

/* --- Payloads ----------------------------------------------------------------------------------------------------- */

/* A piece of a text, as JSON spells it. Few pieces, so that patterns made of the same pieces match often. */
static const char *const spelt[] = {"fo",       "x",     "Fo",  "\\u0066o", "X",    " ",        "\\n",
                                    "\\\"",     "a\\/b", "a/b", "\\u001b",  "\\\\", "\xC3\xA4", "\\u00C4",
                                    "\xC5\xBF", "s",     "k",   "\\ud800",  "12",   "\\t"};
static const char *const patterns[] = {"fo",       "fox",      "FO", "Fo", "x",   "a/b", "\"",      "\\",  "\n", "\x1b",
                                       "\xC3\xA4", "\xC3\x84", "sk", "12", "o x", "s",   "fox fox", "xfo", "12 "};
static const char *const expressions[] = {"fo+x", "^fo", "x$", "[0-9]+", "(?i)FOX", "a.b", "\\s", "fo|12", "x*", "."};

static void add_string(struct xylem_buffer *json)
{
    add(json, "\"");
    for (int i = draw(draw(8) == 0 ? 200 : 6); i > 0; i--) {
        add(json, spelt[draw((int)(sizeof spelt / sizeof *spelt))]);
    }
    add(json, "\"");
}

static void add_text_part(struct xylem_buffer *json, const char *type)
{
    add(json, "{\"type\":\"");
    add(json, type);
    add(json, "\",\"");
    add(json, type);
    add(json, "\":");
    add_string(json);
    add(json, ",\"textSignature\":\"fox\"}");
}

static void add_call(struct xylem_buffer *json)
{
    add(json, "{\"type\":\"toolCall\",\"id\":\"fox\",\"name\":");
    add(json, draw(2) ? "\"bash\"" : "\"fox\"");
    add(json, ",\"arguments\":{\"fox\":");
    add_string(json);
    add(json, ",\"type\":[");
    add_string(json);
    add(json, ",1,null]}}");
}

static const char *make_message(struct xylem_buffer *json)
{
    int who = draw(3);
    add(json, who == 0   ? "{\"message\":{\"role\":\"user\",\"content\":["
              : who == 1 ? "{\"message\":{\"role\":\"assistant\",\"content\":["
                         : "{\"message\":{\"role\":\"toolResult\",\"toolName\":\"bash\",\"content\":[");
    for (int i = 0, count = 1 + draw(3); i < count; i++) {
        int part = draw(4);
        add(json, i > 0 ? "," : "");
        if (part == 0) {
            add(json, "{\"type\":\"image\",\"data\":\"fox\",\"mimeType\":\"fox\"}");
        } else if (part == 1 && who == 1) {
            add_call(json);
        } else {
            add_text_part(json, part == 2 && who == 1 ? "thinking" : "text");
        }
    }
    add(json, draw(3) == 0 ? "],\"isError\":true}}" : "]}}");
    return "message";
}

static const char *make_payload(struct xylem_buffer *json)
{
    switch (draw(6)) {
    case 0:
        add(json, "{\"fox\":");
        add_string(json);
        add(json, ",\"list\":[");
        add_string(json);
        add(json, "]}");
        return "custom:fox";
    case 1:
        add(json, "{\"targetId\":\"fox\",\"label\":");
        add_string(json);
        add(json, "}");
        return "label";
    case 2:
        add(json, "{\"firstKeptEntryId\":\"fox\",\"summary\":");
        add_string(json);
        add(json, "}");
        return "compaction";
    default:
        return make_message(json);
    }
}

/* --- The store ---------------------------------------------------------------------------------------------------- */

static void append(uint64_t session)
{
    struct told *entry = &world.entries[world.entry_count];
    struct xylem_buffer json = {NULL, 0, 0};
    struct xylem_buffer storage = {NULL, 0, 0};
    struct xylem_new_entry made = {.time_ms = NULL};
    struct xylem_error err = {0};
    snprintf(entry->id, sizeof entry->id, "e%06d", world.entry_count);
    int64_t time_ms = world.time_ms + draw(1000000);
    made.id = xylem_view_of(entry->id);
    made.time_ms = &time_ms;
    const char *kind = make_payload(&json);
    store_builder_must(xylem_kind_parse(&made.kind, &storage, xylem_view_of(kind), &err), &err);
    made.format = XYLEM_FORMAT_JSON;
    made.payload = xylem_base__buffer_view(&json);
    store_builder_must(xylem_append(&entry->position, builder.txn, session, &made, 1, NULL, &err), &err);
    entry->damaged = entry->redacted = false;
    world.entry_count++;
    xylem_buffer_release(&json);
    xylem_buffer_release(&storage);
}

static void change_sessions(void)
{
    char id[16];
    int at = draw(world.session_count);
    uint64_t session = world.sessions[at];
    struct xylem_position leaf = store_builder_leaf(&builder, session);
    int what = draw(12);
    if (what == 0 && world.session_count < SESSIONS_MAX && leaf.branch != 0) {
        snprintf(id, sizeof id, "s%d", world.session_count);
        world.deleted[world.session_count] = false;
        world.sessions[world.session_count++] = store_builder_fork(&builder, session, leaf, XYLEM_FORK_AT, id);
    } else if (what == 1 && world.session_count < SESSIONS_MAX) {
        snprintf(id, sizeof id, "s%d", world.session_count);
        world.deleted[world.session_count] = false;
        world.sessions[world.session_count++] = store_builder_session(&builder, id);
    } else if (what == 2 && leaf.depth > 1) {
        struct xylem_position to;
        struct xylem_error err = {0};
        uint64_t depth = 1 + (uint64_t)draw((int)leaf.depth);
        store_builder_must(xylem_ancestor_at(&to, builder.txn, leaf, depth, &err), &err);
        store_builder_go(&builder, session, to);
    } else {
        append(session);
    }
}

static int collect(void *context, const void *data, size_t bytes)
{
    return xylem_buffer_add(context, data, bytes);
}

static void damage(struct told *entry)
{
    struct xylem_format__record record = store_builder_record(&builder, entry->position);
    char *payload = NULL;
    entry->damaged = true;
    switch (draw(3)) {
    case 0:
        store_builder_damage(&builder, entry->position);
        break;
    case 1:
        store_builder_drop(&builder, entry->position);
        break;
    default:
        payload = malloc(record.payload.bytes);
        memcpy(payload, record.payload.data, record.payload.bytes);
        payload[draw((int)record.payload.bytes)] ^= 4;
        record.payload.data = payload;
        store_builder_rewrite(&builder, entry->position, &record);
        break;
    }
    free(payload);
}

/* Makes sessions, exports them, and then damages the store. */
static void make_world(void)
{
    struct xylem_error err = {0};
    world.entry_count = 0;
    world.session_count = 1;
    world.deleted[0] = false;
    world.time_ms = INT64_C(1763000000000);
    world.sessions[0] = store_builder_session(&builder, "s0");
    for (int steps = 1 + draw(ENTRIES_MAX); steps > 0; steps--) {
        change_sessions();
    }
    for (int i = 0; i < world.entry_count; i++) {
        if (draw(20) == 0) {
            store_builder_redact(&builder, world.entries[i].position);
            world.entries[i].redacted = true;
        }
    }
    for (int i = 1; i < world.session_count; i++) {
        if (draw(6) == 0) {
            store_builder_must(xylem_session_delete(builder.txn, world.sessions[i], &err), &err);
            world.deleted[i] = true;
        }
    }
    for (int i = 0; i < world.session_count; i++) {
        xylem_base__buffer_clear(&world.exports[i]);
        if (!world.deleted[i]) {
            store_builder_must(xylem_export(builder.txn, world.sessions[i], NULL, collect, &world.exports[i], &err),
                               &err);
        }
    }
    if (draw(2) == 0) {
        for (int i = 0; i < world.entry_count; i++) {
            if (draw(25) == 0 && !world.entries[i].redacted) {
                damage(&world.entries[i]);
            }
        }
    }
    store_builder_commit(&builder);
}

/* --- The plain scan ----------------------------------------------------------------------------------------------- */

/* What is searched for. */
struct question {
    const char *pattern;
    const char *also; /* a second pattern; NULL: none */
    enum xylem_search_syntax syntax;
    const char *role;
    const char *kind;
    const char *tool;
    bool errors;
    bool chosen[SESSIONS_MAX]; /* the sessions; none: all */
    bool chooses;
    int64_t since_ms;
};

struct expected {
    struct told *entry;
    int64_t time_ms;
    uint64_t count;
    bool sessions[SESSIONS_MAX];
    bool in_scope;
};

static struct expected answers[ENTRIES_MAX];
static int answer_count;

static struct xylem_view text_of(const struct xylem_value *map, const char *key)
{
    return xylem_value_string(xylem_value_get(map, key));
}

static bool is(struct xylem_view text, const char *word)
{
    return text.bytes == strlen(word) && memcmp(text.data, word, text.bytes) == 0;
}

static bool has_capital(const char *pattern)
{
    bool capital = strstr(pattern, "\xC3\x84") != NULL;
    for (; *pattern; pattern++) {
        capital = capital || (*pattern >= 'A' && *pattern <= 'Z');
    }
    return capital;
}

/* The length of the character at `at` of the text, if it is the same as that of the pattern; else 0. */
static size_t same_character(struct xylem_view text, size_t at, const char *pattern, bool caseless)
{
    static const char *const cases[][2] = {{"\xC3\xA4", "\xC3\x84"}, {"s", "\xC5\xBF"}};
    char folded = text.data[at] >= 'A' && text.data[at] <= 'Z' && caseless ? (char)(text.data[at] | 32) : text.data[at];
    for (size_t i = 0; caseless && i < sizeof cases / sizeof *cases; i++) {
        size_t bytes = strlen(cases[i][1]);
        if (strncmp(pattern, cases[i][0], strlen(cases[i][0])) == 0 && text.bytes - at >= bytes &&
            memcmp(text.data + at, cases[i][1], bytes) == 0) {
            return bytes;
        }
    }
    return folded == *pattern ? 1 : 0;
}

/* The end of the literal that begins at `at`, or 0. */
static size_t literal_at(struct xylem_view text, size_t at, const char *pattern, bool caseless)
{
    while (*pattern) {
        size_t bytes = at < text.bytes ? same_character(text, at, pattern, caseless) : 0;
        if (bytes == 0) {
            return 0;
        }
        bool wide = (unsigned char)*pattern >= 0xC0 && bytes == 2;
        at += bytes;
        pattern += wide ? 2 : 1;
    }
    return at;
}

static uint64_t count_literal(struct xylem_view text, const char *pattern, bool caseless)
{
    uint64_t count = 0;
    for (size_t at = 0; at < text.bytes;) {
        size_t end = literal_at(text, at, pattern, caseless);
        count += end > 0;
        at = end > 0 ? end : at + 1;
    }
    return count;
}

/* Whether the expression matches: each by hand, in each line. */
static bool matches_line(struct xylem_view line, const char *expression)
{
    bool found = false;
    for (size_t at = 0; at < line.bytes; at++) {
        const char *text = line.data + at;
        size_t left = line.bytes - at;
        bool fox = left >= 3 && strncasecmp(text, "fox", 3) == 0;
        if (strcmp(expression, "fo+x") == 0) {
            found = found || (left >= 3 && memcmp(text, "fox", 3) == 0);
        } else if (strcmp(expression, "^fo") == 0) {
            found = found || (at == 0 && left >= 2 && memcmp(text, "fo", 2) == 0);
        } else if (strcmp(expression, "x$") == 0) {
            found = found || (left == 1 && *text == 'x');
        } else if (strcmp(expression, "[0-9]+") == 0) {
            found = found || (*text >= '0' && *text <= '9');
        } else if (strcmp(expression, "(?i)FOX") == 0) {
            found = found || fox;
        } else if (strcmp(expression, "a.b") == 0) {
            found = found || (left >= 3 && text[0] == 'a' && text[2] == 'b');
        } else if (strcmp(expression, "\\s") == 0) {
            found = found || *text == ' ' || *text == '\t';
        } else if (strcmp(expression, "fo|12") == 0) {
            found = found || (left >= 2 && (memcmp(text, "fo", 2) == 0 || memcmp(text, "12", 2) == 0));
        } else if (strcmp(expression, "x*") == 0) {
            found = found || *text == 'x';
        } else { /* `.`: any character that is no surrogate */
            bool surrogate = (unsigned char)text[0] == 0xED || ((unsigned char)text[0] & 0xC0) == 0x80;
            found = found || !surrogate;
        }
    }
    return found;
}

static uint64_t count_matches(const struct question *question, struct xylem_view text)
{
    if (question->syntax != XYLEM_SEARCH_REGEX) {
        bool caseless = question->syntax == XYLEM_SEARCH_SMART && !has_capital(question->pattern);
        return count_literal(text, question->pattern, caseless);
    }
    uint64_t count = 0;
    for (size_t at = 0; at < text.bytes;) {
        const char *end = memchr(text.data + at, '\n', text.bytes - at);
        size_t bytes = end ? (size_t)(end - text.data) - at : text.bytes - at;
        count += matches_line((struct xylem_view){text.data + at, bytes}, question->pattern);
        at += bytes + 1;
    }
    return count;
}

static uint64_t count_in_all(const struct question *question, const struct xylem_value *value)
{
    uint64_t count = 0;
    const struct xylem_value *child = xylem_value_first(value);
    bool is_map = xylem_value_type(value) == XYLEM_VALUE_MAP;
    if (xylem_value_type(value) == XYLEM_VALUE_STRING) {
        return count_matches(question, xylem_value_string(value));
    }
    for (bool is_key = is_map; child; child = xylem_value_next(value, child)) {
        count += is_key ? 0 : count_in_all(question, child);
        is_key = is_map && !is_key;
    }
    return count;
}

static uint64_t count_in_message(const struct question *question, const struct xylem_value *message)
{
    uint64_t count = 0;
    struct xylem_view tool = text_of(message, "toolName");
    const struct xylem_value *content = xylem_value_get(message, "content");
    const struct xylem_value *part = xylem_value_first(content);
    for (; part; part = xylem_value_next(content, part)) {
        struct xylem_view type = text_of(part, "type");
        if (is(type, "toolCall")) {
            if (!question->tool || is(text_of(part, "name"), question->tool)) {
                count += count_matches(question, text_of(part, "name")) +
                         count_in_all(question, xylem_value_get(part, "arguments"));
            }
        } else if (!is(type, "image") && (!question->tool || is(tool, question->tool))) {
            count += count_matches(question, text_of(part, is(type, "thinking") ? "thinking" : "text"));
        }
    }
    return count;
}

static uint64_t count_in_line(const struct question *question, const struct xylem_value *line)
{
    struct xylem_view type = text_of(line, "type");
    const struct xylem_value *message = xylem_value_get(line, "message");
    bool is_custom = is(type, "custom");
    bool of_kind = question->kind && (is_custom ? strcmp(question->kind, "custom:fox") == 0 : is(type, question->kind));
    bool of_role = question->role && is(text_of(message, "role"), question->role);
    if ((!of_kind && !of_role && (question->kind || question->role)) ||
        (question->errors && !xylem_value_bool(xylem_value_get(message, "isError")))) {
        return 0;
    }
    if (message) {
        return count_in_message(question, message);
    }
    return question->tool ? 0
           : is_custom    ? count_in_all(question, xylem_value_get(line, "data"))
                          : count_matches(question, text_of(line, is(type, "label") ? "label" : "summary"));
}

static struct expected *answer_of(struct told *entry)
{
    int i = 0;
    while (i < answer_count && answers[i].entry != entry) {
        i++;
    }
    if (i == answer_count) {
        answers[answer_count++] = (struct expected){.entry = entry};
    }
    return &answers[i];
}

static void look_at_line(const struct question *question, int session, struct xylem_view text)
{
    struct xylem_base__tree tree = {0};
    struct xylem_error err;
    store_builder_must(xylem_base__json_parse(&tree, text, &err), &err);
    struct xylem_view id = text_of(tree.nodes, "id");
    int64_t time_ms = 0;
    if (!is(text_of(tree.nodes, "type"), "session")) {
        struct told *entry = &world.entries[atoi(id.data + 1)];
        assert_true(xylem_base__time_read(&time_ms, text_of(tree.nodes, "timestamp")));
        struct question second = *question;
        second.pattern = question->also;
        bool has_both = !question->also || count_in_line(&second, tree.nodes) > 0;
        uint64_t count = !has_both ? 0
                         : entry->damaged || entry->redacted || time_ms < question->since_ms
                             ? 0
                             : count_in_line(question, tree.nodes);
        if (count > 0) {
            struct expected *answer = answer_of(entry);
            answer->time_ms = time_ms;
            answer->count = count;
            answer->sessions[session] = true;
            answer->in_scope = answer->in_scope || !question->chooses || question->chosen[session];
        }
    }
    xylem_base__tree_release(&tree);
}

static int newest_first(const void *left, const void *right)
{
    const struct expected *a = left;
    const struct expected *b = right;
    return a->time_ms != b->time_ms ? (a->time_ms < b->time_ms) - (a->time_ms > b->time_ms)
                                    : strcmp(b->entry->id, a->entry->id);
}

static void scan_plainly(const struct question *question)
{
    answer_count = 0;
    for (int i = 0; i < world.session_count; i++) {
        const struct xylem_buffer *file = &world.exports[i];
        for (size_t at = 0; at < file->bytes;) {
            const char *end = memchr(file->data + at, '\n', file->bytes - at);
            size_t bytes = (size_t)(end - file->data) - at;
            look_at_line(question, i, (struct xylem_view){file->data + at, bytes});
            at += bytes + 1;
        }
    }
    int kept = 0;
    for (int i = 0; i < answer_count; i++) {
        if (answers[i].in_scope) {
            answers[kept++] = answers[i];
        }
    }
    answer_count = kept;
    qsort(answers, (size_t)answer_count, sizeof *answers, newest_first);
}

/* --- The comparison ----------------------------------------------------------------------------------------------- */

static void check_hit(const struct question *question, const struct xylem_search_hit *hit,
                      const struct expected *answer)
{
    size_t sharers = 0;
    bool of_home = false;
    if (hit->entry_id.bytes != strlen(answer->entry->id) ||
        memcmp(hit->entry_id.data, answer->entry->id, hit->entry_id.bytes) != 0) {
        fail_msg("seed %" PRIu64 ", '%s': %.*s instead of %s", world.seed, question->pattern, (int)hit->entry_id.bytes,
                 hit->entry_id.data, answer->entry->id);
    }
    for (int i = 0; i < world.session_count; i++) {
        if (answer->sessions[i]) {
            assert_int_equal(hit->sessions[sharers++], world.sessions[i]);
            of_home = of_home || world.sessions[i] == hit->session;
        }
    }
    assert_int_equal(hit->session_count, sharers);
    assert_true(of_home);
    if (question->syntax != XYLEM_SEARCH_REGEX && hit->match_count != answer->count) {
        fail_msg("seed %" PRIu64 ", '%s' in %s: %" PRIu64 " matches, expected %" PRIu64, world.seed, question->pattern,
                 answer->entry->id, hit->match_count, answer->count);
    }
    assert_true(hit->match_offset + hit->match_bytes <= hit->text.bytes);
}

static int count_problem(void *context, const struct xylem_problem *problem)
{
    assert_non_null(problem->text);
    ++*(int *)context;
    return 0;
}

static void ask(const struct question *question, struct xylem_txn *txn, unsigned threads, bool fast)
{
    struct xylem_search_report report;
    struct xylem_error err = {0};
    struct xylem_buffer storage = {NULL, 0, 0};
    struct xylem_kind kind = {XYLEM_CLASS_HOST, {NULL, 0}};
    struct xylem_view role = xylem_view_of(question->role);
    struct xylem_view tool = xylem_view_of(question->tool);
    uint64_t sessions[SESSIONS_MAX];
    int problems = 0;
    char both[128];
    size_t bytes = strlen(question->pattern);
    memcpy(both, question->pattern, bytes + 1); /* the NUL parts the patterns */
    if (question->also) {
        memcpy(both + bytes + 1, question->also, strlen(question->also));
        bytes += 1 + strlen(question->also);
    }
    struct xylem_search_options options = {.pattern = {both, bytes},
                                           .syntax = question->syntax,
                                           .kinds = &kind,
                                           .kind_count = question->kind != NULL,
                                           .roles = &role,
                                           .role_count = question->role != NULL,
                                           .tools = &tool,
                                           .tool_count = question->tool != NULL,
                                           .errors = question->errors,
                                           .sessions = sessions,
                                           .since_ms = &question->since_ms,
                                           .hits_max = (uint64_t)(threads == 1 ? ENTRIES_MAX : 5),
                                           .threads = threads,
                                           .fast = fast,
                                           .damaged = count_problem,
                                           .context = &problems};
    for (int i = 0; i < world.session_count; i++) {
        if (question->chooses && question->chosen[i]) {
            sessions[options.session_count++] = world.sessions[i];
        }
    }
    if (question->kind) {
        store_builder_must(xylem_kind_parse(&kind, &storage, xylem_view_of(question->kind), &err), &err);
    }
    store_builder_must(xylem_search(&report, txn, &options, &err), &err);
    if (report.match_count != (uint64_t)answer_count) {
        fail_msg("seed %" PRIu64 ", '%s', %u threads: %" PRIu64 " matches, expected %d", world.seed, question->pattern,
                 threads, report.match_count, answer_count);
    }
    world.shared_searches += report.thread_count > 1;
    uint64_t of_sessions = 0;
    for (size_t i = 0; i < report.session_count; i++) {
        of_sessions += report.sessions[i].match_count;
    }
    assert_int_equal(of_sessions, report.match_count);
    assert_int_equal(report.problem_count, problems);
    world.exact = fast ? world.exact : report;
    assert_in_range(report.problem_count, 0, world.exact.problem_count);
    if (world.exact.problem_count == 0) {
        assert_int_equal(report.entry_count, world.exact.entry_count);
        assert_int_equal(report.payload_bytes, world.exact.payload_bytes);
    }
    uint64_t kept = options.hits_max < report.match_count ? options.hits_max : report.match_count;
    assert_int_equal(report.hit_count, kept);
    for (size_t i = 0; i < report.hit_count; i++) {
        check_hit(question, &report.hits[i], &answers[i]);
    }
    xylem_search_report_release(&report);
    xylem_buffer_release(&storage);
}

static struct question make_question(void)
{
    static const char *const roles[] = {"user", "assistant", "toolResult"};
    static const char *const kinds[] = {"message", "label", "compaction", "custom:fox"};
    struct question question = {.syntax = (enum xylem_search_syntax)draw(3), .since_ms = world.time_ms};
    question.pattern = question.syntax == XYLEM_SEARCH_REGEX
                           ? expressions[draw((int)(sizeof expressions / sizeof *expressions))]
                           : patterns[draw((int)(sizeof patterns / sizeof *patterns))];
    question.also = draw(3) > 0 ? NULL
                    : question.syntax == XYLEM_SEARCH_REGEX
                        ? expressions[draw((int)(sizeof expressions / sizeof *expressions))]
                        : patterns[draw((int)(sizeof patterns / sizeof *patterns))];
    question.role = draw(5) == 0 ? roles[draw(3)] : NULL;
    question.kind = draw(5) == 0 ? kinds[draw(4)] : NULL;
    question.tool = draw(5) == 0 ? "bash" : NULL;
    question.errors = draw(8) == 0;
    question.since_ms += draw(5) == 0 ? draw(1000000) : 0;
    question.chooses = draw(3) == 0;
    bool any = false;
    for (int i = 0; i < world.session_count; i++) {
        question.chosen[i] = !world.deleted[i] && draw(2) == 0;
        any = any || question.chosen[i];
    }
    question.chooses = question.chooses && any;
    return question;
}

static void run_seed(uint64_t seed)
{
    struct xylem_error err = {0};
    struct xylem_txn *txn = NULL;
    world.seed = seed;
    world.chance = chance_of(seed);
    store_builder_open(&builder);
    make_world();
    store_builder_must(xylem_begin(&txn, builder.store, XYLEM_READ, &err), &err);
    for (int i = 0; i < 30; i++) {
        struct question question = make_question();
        scan_plainly(&question);
        ask(&question, txn, 1, false);
        ask(&question, txn, 3, false);
        ask(&question, builder.txn, 1, false);
        ask(&question, txn, 1, true);
        ask(&question, txn, 3, true);
    }
    xylem_abort(txn);
    store_builder_close(&builder);
}

TEST(a_search_finds_what_a_plain_scan_of_the_exports_finds)
{
    const char *given = getenv("XYLEM_SEED");
    uint64_t first = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL) * 1000;
    uint64_t rounds = given ? 1 : getenv("XYLEM_TORTURE") ? 3000 : test_rounds(ROUNDS_USUAL);
    (void)set_up;
    (void)tear_down;
    print_message("seeds %" PRIu64 " to %" PRIu64 "\n", first, first + rounds - 1);
    for (uint64_t i = 0; i < rounds; i++) {
        run_seed(first + i);
    }
    print_message("%" PRIu64 " searches with several readers\n", world.shared_searches);
    for (int i = 0; i < SESSIONS_MAX; i++) {
        xylem_buffer_release(&world.exports[i]);
    }
}
