#include <stdio.h>
#include <string.h>

#include "tests/lib/held.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"

static struct xylem_state state_at(struct xylem_position at, const struct xylem_event *event)
{
    return held_state_at(&builder, at, event, NULL);
}

static void assert_text(struct xylem_view found, const char *expected)
{
    assert_int_equal(found.bytes, strlen(expected));
    assert_memory_equal(found.data, expected, strlen(expected));
}

static struct xylem_position mark(uint64_t session, const char *id, const char *json)
{
    return store_builder_add(&builder, session, id, "custom:sequence-mark", json);
}

#define RUN "0198d2f4-7c11-7a02-9d6e-3b5c8f21a4e7"
#define MARK(rest) "{\"version\":1,\"runId\":\"" RUN "\",\"sequenceId\":\"q\"," rest "}"
#define BEGIN(index) MARK("\"event\":\"begin\",\"runIndex\":" index ",\"totalRuns\":5")
#define FAILED MARK("\"event\":\"stop\",\"runIndex\":1,\"totalRuns\":5,\"outcome\":\"failed\",\"code\":\"un\\u001b\"")

static void assert_json(const struct xylem_state *state, enum xylem_detail detail, const char *expected)
{
    struct xylem_buffer json = {0};
    assert_int_equal(xylem_piece_json(&json, state, XYLEM_PIECE_MARK, detail), 0);
    assert_string_equal(json.data, expected);
    xylem_buffer_release(&json);
}

/* The words as one line: foreign text in brackets, the entry behind @. */
static void assert_words(const struct xylem_state *state, enum xylem_detail detail, const char *expected)
{
    const struct xylem_words_options options = {.detail = detail};
    struct xylem_word words[XYLEM_WORDS_MAX];
    char line[256] = "";
    size_t used = 0;
    size_t count = xylem_piece_words(words, state, XYLEM_PIECE_MARK, &options);
    for (size_t i = 0; i < count; i++) {
        int bytes = (int)words[i].text.bytes;
        const char *text = words[i].text.data;
        used += (size_t)(words[i].type == XYLEM_WORD_COUNT
                             ? snprintf(line + used, sizeof line - used, "%d", (int)words[i].number)
                             : snprintf(line + used, sizeof line - used,
                                        words[i].type == XYLEM_WORD_FOREIGN ? "[%.*s]"
                                        : words[i].type == XYLEM_WORD_ENTRY ? "@%.*s"
                                                                            : "%.*s",
                                        bytes, text));
        assert_true(used < sizeof line);
    }
    assert_string_equal(line, expected);
}

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

IN_SCENE(without_a_mark_there_is_none)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_state found = state_at(store_builder_messages(&builder, session, 2), NULL);
    assert_false(found.mark.present);
    assert_null(found.mark.entry_id.data);
    assert_null(found.mark.outcome.data);
    assert_json(&found, XYLEM_DETAIL_WHOLE, "\"mark\":null");
    assert_words(&found, XYLEM_DETAIL_BRIEF, "");
    assert_words(&found, XYLEM_DETAIL_WHOLE, "none");
    xylem_state_release(&found);
}

IN_SCENE(the_newest_mark_wins_on_every_event)
{
    static const bool off = false;
    static const struct xylem_event events[] = {
        {.reason = XYLEM_REASON_STARTUP},
        {.reason = XYLEM_REASON_NEW},
        {.reason = XYLEM_REASON_FORK},
        {.type = XYLEM_EVENT_SESSION_TREE, .previous_readonly = &off},
    };
    uint64_t session = store_builder_session(&builder, "s");
    mark(session, "old", BEGIN("0"));
    struct xylem_position newest = mark(session, "new", FAILED);
    struct xylem_position leaf = store_builder_messages(&builder, session, 2);
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        struct xylem_state found = state_at(leaf, &events[i]);
        assert_true(found.mark.present);
        assert_text(found.mark.run_id, RUN);
        assert_text(found.mark.sequence_id, "q");
        assert_int_equal(found.mark.event, XYLEM_MARK_STOP);
        assert_int_equal(found.mark.run_index, 1);
        assert_int_equal(found.mark.total_runs, 5);
        assert_text(found.mark.outcome, "failed");
        assert_text(found.mark.code, "un\x1b");
        assert_text(found.mark.entry_id, "new");
        assert_int_equal(found.mark.position.depth, newest.depth);
        xylem_state_release(&found);
    }
}

/* vector 104 */
IN_SCENE(a_mark_is_gone_before_its_entry_and_back_behind_it)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position before = store_builder_messages(&builder, session, 1);
    struct xylem_position begin = mark(session, "begin", BEGIN("0"));
    struct xylem_position leaf = store_builder_messages(&builder, session, 1);
    assert_int_equal(begin.depth, 2);
    struct xylem_position spots[] = {leaf, before, leaf};
    for (size_t i = 0; i < sizeof spots / sizeof *spots; i++) {
        store_builder_go(&builder, session, spots[i]);
        struct xylem_state found = state_at(store_builder_leaf(&builder, session), NULL);
        assert_int_equal(found.mark.present, i != 1);
        xylem_state_release(&found);
    }
}

/* vector 103: the fork has the mark of the run, and the mark does not say whose the run is */
IN_SCENE(a_fork_during_a_run_has_the_mark_and_its_later_marks_are_its_own)
{
    uint64_t session = store_builder_session(&builder, "s");
    mark(session, "begin", BEGIN("0"));
    struct xylem_position leaf = store_builder_messages(&builder, session, 1);
    uint64_t fork = store_builder_fork(&builder, session, leaf, XYLEM_FORK_AT, "fork");
    mark(session, "later", BEGIN("1"));
    struct xylem_state found = state_at(store_builder_leaf(&builder, fork), NULL);
    assert_text(found.mark.entry_id, "begin");
    assert_text(found.mark.run_id, RUN);
    xylem_state_release(&found);
    found = state_at(store_builder_leaf(&builder, session), NULL);
    assert_text(found.mark.entry_id, "later");
    xylem_state_release(&found);
}

IN_SCENE(odd_but_valid_marks_count)
{
    static const char *const good[] = {
        MARK("\"event\":\"end\",\"runIndex\":999,\"totalRuns\":1000,\"outcome\":\"done\""),
        MARK("\"event\":\"begin\",\"runIndex\":0.0,\"totalRuns\":1,\"other\":{}"),
        MARK("\"event\":\"stop\",\"runIndex\":0,\"totalRuns\":1,\"outcome\":\"paused\",\"code\":\"\""),
        "{\"version\":1,\"runId\":\"0198D2F4-7C11-7A02-9D6E-3B5C8F21A4E7\",\"sequenceId\":\"\\u0000\","
        "\"event\":\"stop\",\"runIndex\":0,\"totalRuns\":1,\"outcome\":\"stopped\"}",
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        uint64_t session = store_builder_session(&builder, good[i]);
        struct xylem_state found = state_at(mark(session, NULL, good[i]), NULL);
        assert_true(found.mark.present);
        assert_int_equal(found.reduction.skipped_count, 0);
        xylem_state_release(&found);
    }
}

/* vector 105 */
IN_SCENE(a_mark_of_another_shape_is_skipped)
{
#define REST "\"event\":\"end\",\"runIndex\":0,\"totalRuns\":1"
#define OF_RUN(run) "{\"version\":1,\"runId\":" run ",\"sequenceId\":\"q\"," REST "}"
    static const struct {
        const char *json;
        const char *reason;
    } bad[] = {
        {NULL, "there is no data"},
        {"[]", "the data is not a map"},
        {"{\"runId\":\"" RUN "\",\"sequenceId\":\"q\"," REST "}", "version is not 1"},
        {"{\"version\":2,\"runId\":\"" RUN "\",\"sequenceId\":\"q\"," REST "}", "version is not 1"},
        {OF_RUN("\"x\""), "runId is not the text of a UUID"},
        {OF_RUN("7"), "runId is not the text of a UUID"},
        {OF_RUN("\"0198d2f4-7c11-7a02-9d6e-3b5c8f21a4e7a\""), "runId is not the text of a UUID"},
        {OF_RUN("\"0198d2f4-7c11-7a02-9d6e-3b5c8f21a4eg\""), "runId is not the text of a UUID"},
        {OF_RUN("\"0198d2f40-7c1-7a02-9d6e-3b5c8f21a4e7\""), "runId is not the text of a UUID"},
        {"{\"version\":1,\"runId\":\"" RUN "\",\"sequenceId\":\"\"," REST "}",
         "sequenceId is not a string, or is empty"},
        {MARK("\"runIndex\":0,\"totalRuns\":1"), "event is not \"begin\", \"end\" or \"stop\""},
        {MARK("\"event\":\"beginning\",\"runIndex\":0,\"totalRuns\":1"), "event is not \"begin\", \"end\" or \"stop\""},
        {MARK("\"event\":\"end\",\"runIndex\":0"), "totalRuns is not an integer from 1 to 1000"},
        {MARK("\"event\":\"end\",\"runIndex\":0,\"totalRuns\":0"), "totalRuns is not an integer from 1 to 1000"},
        {MARK("\"event\":\"end\",\"runIndex\":0,\"totalRuns\":1001"), "totalRuns is not an integer from 1 to 1000"},
        {MARK("\"event\":\"end\",\"runIndex\":0,\"totalRuns\":1.5"), "totalRuns is not an integer from 1 to 1000"},
        {MARK("\"event\":\"end\",\"totalRuns\":5"), "runIndex is not an integer from 0 to totalRuns - 1"},
        {BEGIN("5"), "runIndex is not an integer from 0 to totalRuns - 1"},
        {BEGIN("-1"), "runIndex is not an integer from 0 to totalRuns - 1"},
        {BEGIN("\"1\""), "runIndex is not an integer from 0 to totalRuns - 1"},
        {MARK(REST ",\"outcome\":\"lost\""), "outcome is not \"done\", \"failed\", \"stopped\" or \"paused\""},
        {MARK(REST ",\"outcome\":\"\""), "outcome is not \"done\", \"failed\", \"stopped\" or \"paused\""},
        {MARK(REST ",\"outcome\":null"), "outcome is not \"done\", \"failed\", \"stopped\" or \"paused\""},
        {MARK(REST ",\"outcome\":\"done\",\"code\":7"), "code is not a string"},
    };
#undef OF_RUN
#undef REST
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t session = store_builder_session(&builder, bad[i].json ? bad[i].json : "none");
        mark(session, "good", BEGIN("2"));
        struct xylem_state found = state_at(mark(session, NULL, bad[i].json), NULL);
        assert_text(found.mark.entry_id, "good");
        assert_int_equal(found.mark.run_index, 2);
        assert_int_equal(found.reduction.skipped_count, 1);
        assert_string_equal(found.reduction.skipped[0].reason, bad[i].reason);
        xylem_state_release(&found);
    }
}

IN_SCENE(a_skipped_mark_alone_leaves_nothing)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_state found = state_at(mark(session, NULL,
                                             MARK("\"event\":\"end\",\"runIndex\":7,\"totalRuns\":9,"
                                                  "\"outcome\":\"done\",\"code\":7")),
                                        NULL);
    assert_false(found.mark.present);
    assert_int_equal(found.mark.total_runs, 0);
    assert_int_equal(found.mark.run_id.bytes, 0);
    assert_null(found.mark.outcome.data);
    xylem_state_release(&found);
}

IN_SCENE(a_redacted_mark_is_skipped)
{
    uint64_t session = store_builder_session(&builder, "s");
    mark(session, "good", BEGIN("0"));
    struct xylem_position redacted = mark(session, "gone", BEGIN("1"));
    store_builder_redact(&builder, redacted);
    struct xylem_state found = state_at(redacted, NULL);
    assert_text(found.mark.entry_id, "good");
    assert_string_equal(found.reduction.skipped[0].reason, "the data was redacted");
    xylem_state_release(&found);
}

IN_SCENE(a_mark_in_json_and_in_words)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_state found = state_at(mark(session, "m", BEGIN("0")), NULL);
    assert_json(&found, XYLEM_DETAIL_BRIEF,
                "\"mark\":{\"run_id\":\"" RUN "\",\"event\":\"begin\",\"iteration\":0,\"iteration_count\":5}");
    assert_json(&found, XYLEM_DETAIL_WHOLE,
                "\"mark\":{\"run_id\":\"" RUN
                "\",\"sequence_id\":\"q\",\"event\":\"begin\",\"iteration\":0,\"iteration_count\":5,"
                "\"outcome\":null,\"code\":null,\"entry\":\"m\"}");
    assert_words(&found, XYLEM_DETAIL_BRIEF, "1/5");
    assert_words(&found, XYLEM_DETAIL_VALUE, "iteration 1 of 5 of run [" RUN "] began");
    xylem_state_release(&found);
    found = state_at(mark(session, "f", FAILED), NULL);
    assert_json(&found, XYLEM_DETAIL_VALUE,
                "\"mark\":{\"run_id\":\"" RUN
                "\",\"sequence_id\":\"q\",\"event\":\"stop\",\"iteration\":1,\"iteration_count\":5,"
                "\"outcome\":\"failed\",\"code\":\"un\\u001b\"}");
    assert_words(&found, XYLEM_DETAIL_EXPLAINED,
                 "iteration 2 of 5 of run [" RUN "] broke off: failed, [un\x1b], from @f");
    xylem_state_release(&found);
    found = state_at(mark(session, "e", MARK("\"event\":\"end\",\"runIndex\":4,\"totalRuns\":5,\"outcome\":\"done\"")),
                     NULL);
    assert_words(&found, XYLEM_DETAIL_WHOLE, "iteration 5 of 5 of run [" RUN "] ended: done, from @e");
    xylem_state_release(&found);
}
