/* The commands of the host that the vectors of the tests are written for. */
#ifndef XYLEM_TESTS_SEQUENCE_COMMANDS_H
#define XYLEM_TESTS_SEQUENCE_COMMANDS_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tests/lib/test.h"
#include "xylem/sequence.h"

#define COMMANDS                                                                                                      \
    "{\"name\":\"settings\",\"source\":\"builtin\"},{\"name\":\"tree\",\"source\":\"builtin\"},"                      \
    "{\"name\":\"model\",\"source\":\"builtin\"},{\"name\":\"compact\",\"source\":\"builtin\"},"                      \
    "{\"name\":\"new\",\"source\":\"builtin\"},{\"name\":\"resume\",\"source\":\"builtin\"},"                         \
    "{\"name\":\"readonly\",\"source\":\"own\",\"arguments\":[\"\",\"on\",\"off\"],\"toggles\":true},"                \
    "{\"name\":\"notebook\",\"source\":\"own\"},{\"name\":\"sequence\",\"source\":\"own\"},"                          \
    "{\"name\":\"publish\",\"source\":\"extension\",\"path\":\"/x/pub.ts\"},"                                         \
    "{\"name\":\"review\",\"source\":\"extension\",\"path\":\"/x/rev.ts\"},"                                          \
    "{\"name\":\"plan\",\"source\":\"prompt\",\"path\":\"/p/plan.md\",\"hash\":\"h1\"},"                              \
    "{\"name\":\"review\",\"source\":\"prompt\",\"path\":\"/p/review.md\"},{\"name\":\"fix\",\"source\":\"prompt\"}," \
    "{\"name\":\"skill:pdf\",\"source\":\"skill\",\"path\":\"/s/pdf/SKILL.md\"}"

#define LITERAL(text) ((struct xylem_view){(text), sizeof text - 1})

/* A catalogue of COMMANDS and `more` (empty, or a comma and commands). */
static inline struct xylem_catalogue *catalogue_with(bool compact, bool expands, const char *more)
{
    struct xylem_catalogue *catalogue = NULL;
    struct xylem_error err = {0};
    char json[4096];
    int bytes =
        snprintf(json, sizeof json, "{\"schema\":1,\"compact\":%s,\"expands\":%s,\"commands\":[" COMMANDS "%s]}",
                 compact ? "true" : "false", expands ? "true" : "false", more);
    assert_true(bytes > 0 && (size_t)bytes < sizeof json);
    if (xylem_catalogue_new_json(&catalogue, (struct xylem_view){json, (size_t)bytes}, &err) < 0) {
        fail_msg("%s", err.text);
    }
    return catalogue;
}

static inline void assert_view(struct xylem_view view, const char *expected)
{
    if (view.bytes != strlen(expected) || (view.bytes > 0 && memcmp(view.data, expected, view.bytes) != 0)) {
        fail_msg("expected '%s', found '%.*s'", expected, (int)view.bytes, view.data ? view.data : "");
    }
}

static inline const char *text_of(const struct xylem_buffer *buffer)
{
    return buffer->data ? buffer->data : "";
}

/* The warnings of a step, as words with a space before each. */
static inline void warnings_of(char out[64], unsigned warnings)
{
    out[0] = '\0';
    for (unsigned bit = 1; bit <= XYLEM_STEP_WARN_CHANGED; bit <<= 1) {
        if (warnings & bit) {
            strcat(strcat(out, " "), xylem_step_warning_word(bit));
        }
    }
}

/* The step as one line: the kind with its warnings, or the problem. */
static inline void assert_step(const struct xylem_step *step, const char *expected)
{
    char found[128];
    warnings_of(found, step->warnings);
    char line[256];
    snprintf(line, sizeof line, "%s%s",
             step->problem != XYLEM_STEP_FINE ? xylem_step_problem_word(step->problem)
                                              : xylem_step_kind_word(step->kind),
             found);
    assert_string_equal(line, expected);
    assert_int_equal(step->problem == XYLEM_STEP_FINE, step->message.bytes == 0);
}

#endif
