/* Operations that search the sessions of a store. */
#include "hosts/node/addon/addon.h"
#include "xylem/search.h"
#include "xylem/sequence.h"

#include <stdlib.h>
#include <string.h>

#include "hosts/node/addon/strings.h"

#define HITS_MAX 500      /* the answer becomes values in the thread of JavaScript, which does nothing else meanwhile */
#define PROBLEMS_MAX 100u /* of the answer; all are counted */

/* --- Stops ------------------------------------------------------------------------------------------------------- */

struct stop_call {
    struct call call;
    struct shared_stop *made;
};

static const struct field stop_answer[] = {{"the stop", FIELD_STOP, AT(stop_call, made)}};
static const struct field wish_arguments[] = {{"the stop", FIELD_STOP, AT(call, stop)}, {.name = NULL}};

static int run_stop(struct call *call)
{
    return stop_make(&((struct stop_call *)call)->made, &call->err);
}

static int run_wish(struct call *call)
{
    stop_wish(call->env, call->stop);
    return 0;
}

static void release_stop(struct call *call)
{
    struct stop_call *asked = (struct stop_call *)call;
    if (asked->made) { /* no handle has it */
        stop_drop(asked->made);
    }
}

/* --- The question ------------------------------------------------------------------------------------------------ */

struct hit {
    struct xylem_view session;
    struct xylem_view entry; /* data NULL: a line in quarantine, which has no kind and no time */
    struct xylem_view kind;
    struct xylem_view role; /* data NULL: none, as of the tool */
    struct xylem_view tool;
    const char *part;
    const int64_t *time_ms;
    uint64_t line;
    uint64_t match_count;
    uint64_t session_count;
    struct xylem_view text;
    uint64_t offset; /* in units of UTF-16, as the length */
    uint64_t units;
    bool failed;
    bool cut_before;
    bool cut_after;
};

struct matched {
    struct xylem_view id;
    uint64_t match_count;
    const int64_t *newest_ms;
};

struct damage {
    struct xylem_view session; /* data NULL: not known, as of the entry */
    struct xylem_view entry;
    struct xylem_view text;
};

struct search_call {
    struct call call;
    const char **patterns;
    size_t pattern_count;
    struct xylem_view *sessions;
    size_t session_count;
    struct xylem_view *kinds; /* kinds and roles */
    size_t kind_count;
    struct xylem_search_options options;
    struct xylem_search_report report;
    struct hit *hits;
    size_t hit_count;
    struct matched *matched;
    size_t matched_count;
    uint64_t matched_total;
    struct damage damages[PROBLEMS_MAX];
    struct damage *problems;
    size_t problem_count;
    int note_code; /* why a problem was not noted */
    bool cut;
};

static const char *const syntaxes[] = {
    [XYLEM_SEARCH_SMART] = "smart", [XYLEM_SEARCH_EXACT] = "exact", [XYLEM_SEARCH_REGEX] = "regex", NULL};

static const struct field search_options[] = {
    {"patterns", FIELD_NAMES, MAYBE_AT(search_call, patterns), COUNT_AT(search_call, pattern_count)},
    {"syntax", FIELD_WORD, MAYBE_AT(search_call, options.syntax), .words = syntaxes},
    {"sessions", FIELD_STRINGS, MAYBE_AT(search_call, sessions), COUNT_AT(search_call, session_count)},
    {"directories", FIELD_STRINGS, MAYBE_AT(search_call, options.cwds), COUNT_AT(search_call, options.cwd_count)},
    {"kinds", FIELD_STRINGS, MAYBE_AT(search_call, kinds), COUNT_AT(search_call, kind_count)},
    {"tools", FIELD_STRINGS, MAYBE_AT(search_call, options.tools), COUNT_AT(search_call, options.tool_count)},
    {"sinceMs", FIELD_TIME_MAYBE, MAYBE_AT(search_call, options.since_ms)},
    {"untilMs", FIELD_TIME_MAYBE, MAYBE_AT(search_call, options.until_ms)},
    {"errors", FIELD_BOOL, MAYBE_AT(search_call, options.errors)},
    {"quarantine", FIELD_BOOL, MAYBE_AT(search_call, options.quarantine)},
    {"runs", FIELD_BOOL, MAYBE_AT(search_call, options.runs)},
    {"fast", FIELD_BOOL, MAYBE_AT(search_call, options.fast)},
    {"max", FIELD_COUNT, MAYBE_AT(search_call, options.hits_max)},
    {.name = NULL},
};
static const struct field search_arguments[] = {
    {"the store", FIELD_STORE, AT(call, store)},
    {"the options", FIELD_OBJECT, .fields = search_options},
    {"the stop", FIELD_STOP, MAYBE_AT(call, stop)},
    {.name = NULL},
};

/* The patterns as the library takes them: with a NUL behind each. */
static int take_patterns(struct search_call *asked)
{
    size_t bytes = 0;
    for (size_t i = 0; i < asked->pattern_count; i++) {
        if (!*asked->patterns[i]) { /* the library would pass over the pattern */
            return fail(&asked->call.err, XYLEM_E_ARGUMENT, "patterns: a pattern is empty");
        }
        bytes += strlen(asked->patterns[i]) + 1;
    }
    char *at = arena_take(&asked->call.arena, bytes + 1);
    if (!at) {
        return fail(&asked->call.err, XYLEM_E_MEMORY, NULL);
    }
    asked->options.pattern = (struct xylem_view){at, bytes};
    for (size_t i = 0; i < asked->pattern_count; i++) {
        at = stpcpy(at, asked->patterns[i]) + 1;
    }
    return 0;
}

/* A word is a kind or a role. */
static int take_kinds(struct search_call *asked)
{
    struct call *call = &asked->call;
    struct xylem_buffer storage = {0};
    struct xylem_kind *kinds = arena_take(&call->arena, (asked->kind_count + 1) * sizeof *kinds);
    int code = kinds ? 0 : fail(&call->err, XYLEM_E_MEMORY, NULL);
    for (size_t i = 0; code == 0 && i < asked->kind_count; i++) {
        code = xylem_kind_parse(&kinds[i], &storage, asked->kinds[i], &call->err);
        code = code < 0 ? code : call_keep(&kinds[i].name, call, kinds[i].name);
    }
    xylem_buffer_release(&storage);
    asked->options.kinds = kinds;
    asked->options.roles = asked->kinds;
    asked->options.kind_count = asked->options.role_count = asked->kind_count;
    return code;
}

/* The numbers of the sessions. A ledger that is named is searched. */
static int take_sessions(struct search_call *asked, struct xylem_txn *txn)
{
    struct call *call = &asked->call;
    uint64_t *numbers = arena_take(&call->arena, (asked->session_count + 1) * sizeof *numbers);
    int code = numbers ? 0 : fail(&call->err, XYLEM_E_MEMORY, NULL);
    for (size_t i = 0; code == 0 && i < asked->session_count; i++) {
        struct xylem_session session;
        struct xylem_view run_id;
        if ((code = xylem_session_find(&session, txn, asked->sessions[i], &call->err)) == 0) {
            numbers[i] = session.number;
            asked->options.runs = asked->options.runs || xylem_run_of_session(&run_id, session.id);
        }
    }
    asked->options.sessions = numbers;
    asked->options.session_count = asked->session_count;
    return code;
}

/* --- The answer -------------------------------------------------------------------------------------------------- */

static const struct field hit_fields[] = {
    {"session", FIELD_STRING, AT(hit, session)},
    {"sessionCount", FIELD_COUNT, AT(hit, session_count)},
    {"entry", FIELD_STRING, AT(hit, entry)},
    {"line", FIELD_COUNT, AT(hit, line)},
    {"kind", FIELD_STRING, AT(hit, kind)},
    {"role", FIELD_STRING, AT(hit, role)},
    {"tool", FIELD_STRING, AT(hit, tool)},
    {"failed", FIELD_BOOL, AT(hit, failed)},
    {"timeMs", FIELD_TIME_MAYBE, AT(hit, time_ms)},
    {"part", FIELD_NAME, AT(hit, part)},
    {"matchCount", FIELD_COUNT, AT(hit, match_count)},
    {"text", FIELD_STRING, AT(hit, text)},
    {"offset", FIELD_COUNT, AT(hit, offset)},
    {"length", FIELD_COUNT, AT(hit, units)},
    {"cutBefore", FIELD_BOOL, AT(hit, cut_before)},
    {"cutAfter", FIELD_BOOL, AT(hit, cut_after)},
    {.name = NULL},
};
static const struct field matched_fields[] = {
    {"id", FIELD_STRING, AT(matched, id)},
    {"matchCount", FIELD_COUNT, AT(matched, match_count)},
    {"newestMs", FIELD_TIME_MAYBE, AT(matched, newest_ms)},
    {.name = NULL},
};
static const struct field damage_fields[] = {
    {"session", FIELD_STRING, AT(damage, session)},
    {"entry", FIELD_STRING, AT(damage, entry)},
    {"text", FIELD_STRING, AT(damage, text)},
    {.name = NULL},
};
static const struct field search_answer[] = {
    {"hits", FIELD_OBJECTS, AT(search_call, hits), COUNT_AT(search_call, hit_count), .item_bytes = sizeof(struct hit),
     .fields = hit_fields},
    {"cut", FIELD_BOOL, AT(search_call, cut)},
    {"matchCount", FIELD_COUNT, AT(search_call, report.match_count)},
    {"sessions", FIELD_OBJECTS, AT(search_call, matched), COUNT_AT(search_call, matched_count),
     .item_bytes = sizeof(struct matched), .fields = matched_fields},
    {"sessionCount", FIELD_COUNT, AT(search_call, matched_total)},
    {"entryCount", FIELD_COUNT, AT(search_call, report.entry_count)},
    {"problems", FIELD_OBJECTS, AT(search_call, problems), COUNT_AT(search_call, problem_count),
     .item_bytes = sizeof(struct damage), .fields = damage_fields},
    {"problemCount", FIELD_COUNT, AT(search_call, report.problem_count)},
    {"ignoredCase", FIELD_BOOL, AT(search_call, report.ignored_case)},
    {.name = NULL},
};

/* The id of a session. The views of the transaction end with it. */
static int keep_id(struct xylem_view *id, struct call *call, struct xylem_txn *txn, uint64_t number)
{
    struct xylem_session session;
    int code = xylem_session_read(&session, txn, number, &call->err);
    return code < 0 ? code : call_keep(id, call, session.id);
}

/* Takes over a hit of the report, whose bytes live until the end of the call. */
static int take_hit(struct hit *hit, struct call *call, struct xylem_txn *txn, const struct xylem_search_hit *found)
{
    struct xylem_view before = {found->text.data, found->match_offset};
    struct xylem_view match = {found->text.data + found->match_offset, found->match_bytes};
    struct xylem_buffer kind = {0};
    bool is_entry = found->line == 0;
    *hit = (struct hit){.part = xylem_search_part_word(found->part),
                        .time_ms = is_entry ? &found->time_ms : NULL,
                        .line = found->line,
                        .match_count = found->match_count,
                        .session_count = found->session_count,
                        .text = found->text.data ? found->text : xylem_view_of(""),
                        .offset = to_utf16(NULL, before),
                        .units = to_utf16(NULL, match),
                        .failed = found->failed,
                        .cut_before = found->cut_before,
                        .cut_after = found->cut_after};
    hit->entry = is_entry ? found->entry_id : hit->entry;
    hit->role = found->role.bytes > 0 ? found->role : hit->role;
    hit->tool = found->tool.bytes > 0 ? found->tool : hit->tool;
    int code = is_entry ? xylem_kind_text(&kind, found->kind) : 0;
    if (code == 0 && is_entry) {
        code = call_keep(&hit->kind, call, (struct xylem_view){kind.data ? kind.data : "", kind.bytes});
    }
    xylem_buffer_release(&kind);
    return code < 0 ? code : keep_id(&hit->session, call, txn, found->session);
}

static int take_report(struct search_call *asked, struct xylem_txn *txn)
{
    const struct xylem_search_report *report = &asked->report;
    struct call *call = &asked->call;
    size_t listed = report->session_count < asked->options.hits_max ? report->session_count : asked->options.hits_max;
    asked->hits = arena_take(&call->arena, (report->hit_count + 1) * sizeof *asked->hits);
    asked->matched = arena_take(&call->arena, (listed + 1) * sizeof *asked->matched);
    int code = asked->hits && asked->matched ? 0 : fail(&call->err, XYLEM_E_MEMORY, NULL);
    for (; code == 0 && asked->hit_count < report->hit_count; asked->hit_count++) {
        code = take_hit(&asked->hits[asked->hit_count], call, txn, &report->hits[asked->hit_count]);
    }
    for (; code == 0 && asked->matched_count < listed; asked->matched_count++) {
        const struct xylem_search_session *found = &report->sessions[asked->matched_count];
        struct matched *matched = &asked->matched[asked->matched_count];
        matched->match_count = found->match_count;
        matched->newest_ms = found->newest_ms == INT64_MIN ? NULL : &found->newest_ms;
        code = keep_id(&matched->id, call, txn, found->number);
    }
    asked->matched_total = report->session_count;
    asked->cut = report->hit_count < report->match_count;
    asked->problems = asked->damages;
    return code;
}

/* --- The search -------------------------------------------------------------------------------------------------- */

static int ask_stop(void *context, const struct xylem_search_progress *so_far)
{
    const struct search_call *asked = context;
    (void)so_far;
    return asked->call.stop && stop_is_wished(asked->call.stop);
}

static int note_damage(void *context, const struct xylem_problem *problem)
{
    struct search_call *asked = context;
    struct call *call = &asked->call;
    if (asked->problem_count < PROBLEMS_MAX) {
        struct damage *damage = &asked->damages[asked->problem_count++];
        if (call_keep(&damage->session, call, problem->session_id) < 0 ||
            call_keep(&damage->entry, call, problem->entry_id) < 0 ||
            call_keep(&damage->text, call, xylem_view_of(problem->text)) < 0) {
            return asked->note_code = XYLEM_E_MEMORY;
        }
    }
    return ask_stop(asked, NULL);
}

static int read_search(struct call *call, struct xylem_txn *txn)
{
    struct search_call *asked = (struct search_call *)call;
    struct xylem_search_options *options = &asked->options;
    int code = 0;
    if (ask_stop(asked, NULL)) { /* the library asks later */
        return fail(&call->err, XYLEM_E_STOPPED, "the search was stopped");
    }
    if (options->hits_max > HITS_MAX) {
        return fail(&call->err, XYLEM_E_LIMIT, "max: a search gives at most 500 hits");
    }
    options->hits_max = options->hits_max > 0 ? options->hits_max : XYLEM_SEARCH_HITS_DEFAULT;
    options->progress = ask_stop;
    options->damaged = note_damage;
    options->context = asked;
    if ((code = take_patterns(asked)) < 0 || (code = take_kinds(asked)) < 0 || (code = take_sessions(asked, txn)) < 0 ||
        (code = xylem_search(&asked->report, txn, options, &call->err)) < 0) {
        return asked->note_code < 0 ? asked->note_code : code;
    }
    return take_report(asked, txn);
}

static void release_search(struct call *call)
{
    xylem_search_report_release(&((struct search_call *)call)->report);
}

/* ----------------------------------------------------------------------------------------------------------------- */

const struct operation search_operations[] = {
    {"stop", .call_bytes = sizeof(struct stop_call), .answer = stop_answer, .is_value = true, .run = run_stop,
     .release = release_stop},
    {"stopWish", .call_bytes = sizeof(struct call), .arguments = wish_arguments, .run = run_wish},
    {"search", .call_bytes = sizeof(struct search_call), .waits = true, .arguments = search_arguments,
     .answer = search_answer, .read = read_search, .release = release_search},
    {.name = NULL},
};
