/* One request to an engine, and its answer; and a directory for an archive. */
#ifndef XYLEM_TESTS_FLEET_ASKED_H
#define XYLEM_TESTS_FLEET_ASKED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "fleet/directory.h"
#include "tests/lib/test.h"

static struct fleet_answer answer;
static char place[200];        /* a directory of the test */
static char archive_path[220]; /* in the place */

static inline enum fleet_outcome ask(struct fleet_engine *engine, const struct fleet_request *request)
{
    static uint64_t number;
    struct xylem_error err = {0};
    if (engine->submit(engine, ++number, request, &err) < 0) {
        fail_msg("submit: %s", err.text);
    }
    assert_int_equal(engine->poll(engine, &answer, &err), 1);
    assert_int_equal(answer.number, number);
    assert_int_equal(answer.ask, request->ask);
    assert_non_null(answer.text);
    return answer.outcome;
}

static inline void must(struct fleet_engine *engine, enum fleet_outcome outcome, const struct fleet_request *request)
{
    if (ask(engine, request) != outcome) {
        fail_msg("%s: expected %s, found %s: %s", fleet_ask_word(request->ask), fleet_outcome_word(outcome),
                 fleet_outcome_word(answer.outcome), answer.text);
    }
}

/* The text of the last answer has the words. */
static inline void said(const char *words)
{
    if (!strstr(answer.text, words)) {
        fail_msg("expected \"%s\" in \"%s\"", words, answer.text);
    }
}

static inline struct fleet_engine *open_archive(const char *path, bool make)
{
    struct xylem_error err = {0};
    struct fleet_engine *engine;
    if (fleet_engine_directory(&engine, path, make, &err) < 0) {
        fail_msg("%s", err.text);
    }
    return engine;
}

static inline void make_place(void)
{
    test_directory_make(place, sizeof place, "archive");
    (void)snprintf(archive_path, sizeof archive_path, "%s/a", place);
}

static inline bool same_bytes(struct xylem_view left, struct xylem_view right)
{
    return left.bytes == right.bytes && (left.bytes == 0 || memcmp(left.data, right.data, left.bytes) == 0);
}

#endif
