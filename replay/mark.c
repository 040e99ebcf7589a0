/*
 * Mark: the newest valid mark of a run on the path. A host appends a mark to its own session where an iteration of a
 * run begins, and where the run ends or leaves the session:
 *
 *     {"version": 1, "runId": "0198d2f4-...", "sequenceId": "0198d2f3-...", "event": "stop", "runIndex": 1,
 *      "totalRuns": 5, "outcome": "failed", "code": "unresolved"}
 */
#include <assert.h>

#include "base/clock.h"
#include "base/value.h"
#include "branch/arena.h"
#include "replay/pieces.h"

/* The newest mark, copied. */
struct mark {
    struct xylem_replay__found found;
    struct xylem_view run_id;
    struct xylem_view sequence_id;
    struct xylem_view code; /* data NULL: none */
    uint32_t run_index;
    uint32_t total_runs;
    enum xylem_mark_event event;
    uint32_t outcome; /* an index of `outcomes` */
};

#define KINDS(KIND) KIND("sequence-mark")
XYLEM_REPLAY__DEFINE_KINDS(struct mark, KINDS);

static_assert(XYLEM_RUN_ITERATIONS_MAX == 1000, "a reason names the limit");

static const struct xylem_view events[] = {
    [XYLEM_MARK_BEGIN] = {"begin", 5}, [XYLEM_MARK_END] = {"end", 3}, [XYLEM_MARK_STOP] = {"stop", 4}};
/* The first is of a mark without an outcome. */
static const struct xylem_view outcomes[] = {{NULL, 0}, {"done", 4}, {"failed", 6}, {"stopped", 7}, {"paused", 6}};
#define COUNT(words) (sizeof words / sizeof *words)

/* The index of a word in a list; the length of the list for another word. */
static uint32_t index_of(struct xylem_view word, const struct xylem_view *words, size_t count)
{
    uint32_t at = 0;
    while (at < count && !xylem_base__view_equal(word, words[at])) {
        at++;
    }
    return at;
}

enum { VERSION, RUN_ID, SEQUENCE_ID, EVENT, RUN_INDEX, TOTAL_RUNS, OUTCOME, CODE, MEMBER_COUNT };
static const struct xylem_view keys[MEMBER_COUNT] = {{"version", 7}, {"runId", 5},    {"sequenceId", 10},
                                                     {"event", 5},   {"runIndex", 8}, {"totalRuns", 9},
                                                     {"outcome", 7}, {"code", 4}};

/* NULL and the mark, whose views lie in the visited data; or the reason of a skip. */
static const char *read_mark(struct mark *mark, const struct xylem_visit *visit)
{
    const struct xylem_value *members[MEMBER_COUNT];
    xylem_replay__members(members, visit, keys, MEMBER_COUNT);
    const char *problem = xylem_replay__versioned_problem(visit, members[VERSION]);
    const struct xylem_value *outcome = members[OUTCOME];
    const struct xylem_value *code = members[CODE];
    int64_t index = 0;
    int64_t total = 0;
    if (problem) {
        return problem;
    }
    mark->run_id = xylem_value_string(members[RUN_ID]);
    if (!xylem_base__is_uuid(mark->run_id, XYLEM_BASE__HEX_DIGITS "ABCDEF")) {
        return "runId is not the text of a UUID";
    }
    mark->sequence_id = xylem_value_string(members[SEQUENCE_ID]);
    if (mark->sequence_id.bytes == 0) {
        return "sequenceId is not a string, or is empty";
    }
    struct xylem_view event = xylem_value_string(members[EVENT]);
    uint32_t at = index_of(event, events, COUNT(events));
    if (at == COUNT(events)) {
        return "event is not \"begin\", \"end\" or \"stop\"";
    }
    mark->event = (enum xylem_mark_event)at;
    if (!xylem_value_integer(&total, members[TOTAL_RUNS]) || total < 1 || total > XYLEM_RUN_ITERATIONS_MAX) {
        return "totalRuns is not an integer from 1 to 1000";
    }
    if (!xylem_value_integer(&index, members[RUN_INDEX]) || index < 0 || index >= total) {
        return "runIndex is not an integer from 0 to totalRuns - 1";
    }
    mark->run_index = (uint32_t)index;
    mark->total_runs = (uint32_t)total;
    mark->outcome = outcome ? index_of(xylem_value_string(outcome), outcomes, COUNT(outcomes)) : 0;
    if (mark->outcome == COUNT(outcomes) || (outcome && mark->outcome == 0)) {
        return "outcome is not \"done\", \"failed\", \"stopped\" or \"paused\"";
    }
    if (code && xylem_value_type(code) != XYLEM_VALUE_STRING) {
        return "code is not a string";
    }
    mark->code = xylem_value_string(code);
    return NULL;
}

static int visit_mark(void *context, struct xylem_visit *visit)
{
    struct mark *mark = context;
    struct mark read = *mark;
    const char *problem = read_mark(&read, visit);
    int code;
    if (problem) {
        return xylem_replay__skip(visit, problem);
    }
    *mark = read;
    if ((code = xylem_branch__arena_copy(&mark->run_id, mark->found.storage, read.run_id)) < 0 ||
        (code = xylem_branch__arena_copy(&mark->sequence_id, mark->found.storage, read.sequence_id)) < 0 ||
        (read.code.data && (code = xylem_branch__arena_copy(&mark->code, mark->found.storage, read.code)) < 0)) {
        return code;
    }
    return xylem_replay__found_set(&mark->found, visit);
}

static void decide(struct xylem_state *state, const void *context)
{
    const struct mark *mark = context;
    state->mark.present = mark->found.found;
    state->mark.run_id = mark->run_id;
    state->mark.sequence_id = mark->sequence_id;
    state->mark.event = mark->event;
    state->mark.run_index = mark->run_index;
    state->mark.total_runs = mark->total_runs;
    state->mark.outcome = outcomes[mark->outcome];
    state->mark.code = mark->code;
    state->mark.position = mark->found.position;
    state->mark.entry_id = mark->found.id;
}

static void write_json(struct xylem_base__writer *writer, const struct xylem_state *state, enum xylem_detail detail)
{
    if (!state->mark.present) {
        xylem_base__write(writer, "\"mark\":null");
        return;
    }
    xylem_base__write_member(writer, "\"mark\":{\"run_id\":", state->mark.run_id);
    if (detail > XYLEM_DETAIL_BRIEF) {
        xylem_base__write_member(writer, ",\"sequence_id\":", state->mark.sequence_id);
    }
    xylem_base__write_member(writer, ",\"event\":", events[state->mark.event]);
    xylem_base__write_counted(writer, ",\"iteration\":", state->mark.run_index);
    xylem_base__write_counted(writer, ",\"iteration_count\":", state->mark.total_runs);
    if (detail > XYLEM_DETAIL_BRIEF) {
        xylem_base__write_member(writer, ",\"outcome\":", state->mark.outcome);
        xylem_base__write_member(writer, ",\"code\":", state->mark.code);
    }
    if (detail >= XYLEM_DETAIL_WHOLE) {
        xylem_base__write_member(writer, ",\"entry\":", state->mark.entry_id);
    }
    xylem_base__write(writer, "}");
}

/* `2/5`; `iteration 2 of 5 of run ID broke off: failed, unresolved`; the same with `, from ENTRY`. */
static void say(struct xylem_replay__words *words, const struct xylem_state *state,
                const struct xylem_words_options *options)
{
    static const char *const said_events[] = {
        [XYLEM_MARK_BEGIN] = " began", [XYLEM_MARK_END] = " ended", [XYLEM_MARK_STOP] = " broke off"};
    static const char *const said_outcomes[] = {": done", ": failed", ": stopped", ": paused"};
    bool brief = options->detail == XYLEM_DETAIL_BRIEF;
    if (!state->mark.present) {
        if (!brief) {
            xylem_replay__say(words, "none");
        }
        return;
    }
    if (!brief) {
        xylem_replay__say(words, "iteration ");
    }
    xylem_replay__say_count(words, state->mark.run_index + 1u);
    xylem_replay__say(words, brief ? "/" : " of ");
    xylem_replay__say_count(words, state->mark.total_runs);
    if (brief) {
        return;
    }
    xylem_replay__say(words, " of run ");
    xylem_replay__say_foreign(words, state->mark.run_id);
    xylem_replay__say(words, said_events[state->mark.event]);
    if (state->mark.outcome.data) {
        xylem_replay__say(words, said_outcomes[index_of(state->mark.outcome, outcomes, COUNT(outcomes)) - 1]);
    }
    if (state->mark.outcome.data && state->mark.code.bytes > 0) {
        xylem_replay__say(words, ", ");
        xylem_replay__say_foreign(words, state->mark.code);
    }
    if (options->detail >= XYLEM_DETAIL_WHOLE) {
        xylem_replay__say(words, ", from ");
        xylem_replay__say_entry(words, state->mark.position, state->mark.entry_id);
    }
}

const struct xylem_replay__piece xylem_replay__mark_piece = {
    .kinds = kinds,
    .parsed = parsed,
    .on_new = true,
    .visit = visit_mark,
    .decide = decide,
    .json = write_json,
    .words = say,
};
