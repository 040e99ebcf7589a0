/*
 * Any bytes as a step, and as arguments: a line feed ends an argument, and a line that begins with `=` ends the
 * arguments. The step has a kind or a problem, never both, and its parts lie in the step. The same text has the same
 * meaning again. A text without arguments is the authored text; only a template or skill gets a slash before it. The
 * name of a command that a sequence may not run never becomes a text.
 */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "base/value.h"
#include "xylem/sequence.h"

#define ARGS_MAX 8u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds) {
        abort();
    }
}

static const struct xylem_catalogue *catalogue(void)
{
    static struct xylem_catalogue *made;
    check(made || xylem_catalogue_new_json(
                      &made,
                      xylem_view_of("{\"schema\":1,\"compact\":true,\"expands\":true,\"commands\":["
                                    "{\"name\":\"tree\",\"source\":\"builtin\"},"
                                    "{\"name\":\"readonly\",\"source\":\"own\",\"arguments\":[\"\",\"on\",\"off\"],"
                                    "\"toggles\":true},{\"name\":\"note\",\"source\":\"own\"},"
                                    "{\"name\":\"publish\",\"source\":\"extension\",\"path\":\"/x\"},"
                                    "{\"name\":\"plan\",\"source\":\"prompt\",\"path\":\"/p\"},"
                                    "{\"name\":\"skill:pdf\",\"source\":\"skill\"}]}"),
                      NULL) == 0);
    return made;
}

/* Takes the bytes before the first `end`, and advances behind `end`. */
static struct xylem_view take_line(struct xylem_view *rest, char end)
{
    const char *found = rest->bytes > 0 ? memchr(rest->data, end, rest->bytes) : NULL;
    struct xylem_view line = {rest->data, found ? (size_t)(found - rest->data) : rest->bytes};
    size_t used = line.bytes + (found ? 1 : 0);
    *rest = (struct xylem_view){used > 0 ? rest->data + used : rest->data, rest->bytes - used};
    return line;
}

static void check_part(struct xylem_view part, struct xylem_view whole)
{
    check(part.bytes == 0 || (part.data >= whole.data && part.data + part.bytes <= whole.data + whole.bytes));
}

static void check_shown(struct xylem_view text)
{
    for (size_t at = 0; at < text.bytes;) {
        size_t bytes = xylem_base__utf8_shown_bytes(text.data + at, text.bytes - at);
        check(bytes > 0);
        at += bytes;
    }
}

/* A text as the host gets it. */
static void check_text(const struct xylem_step *step, const struct xylem_view *args, size_t arg_count)
{
    struct xylem_buffer text = {0};
    int code = xylem_step_text(&text, step, args, arg_count, NULL);
    check(code == 0 || code == XYLEM_E_LIMIT);
    if (code == 0 && (step->kind == XYLEM_STEP_TEMPLATE || step->kind == XYLEM_STEP_SKILL)) {
        check(text.bytes > step->name.bytes && text.data[0] == '/');
        check(memcmp(text.data + 1, step->name.data, step->name.bytes) == 0);
    } else if (code == 0 && !args) {
        struct xylem_view authored = step->kind == XYLEM_STEP_PROMPT ? step->raw : step->args;
        check(xylem_base__view_equal((struct xylem_view){text.data, text.bytes}, authored));
    }
    check(code == 0 || text.bytes == 0);
    xylem_buffer_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct xylem_view rest = {(const char *)data, size};
    struct xylem_view args[ARGS_MAX];
    size_t arg_count = 0;
    while (arg_count < ARGS_MAX && rest.bytes > 0 && rest.data[0] != '=') {
        args[arg_count++] = take_line(&rest, '\n');
    }
    if (rest.bytes > 0 && rest.data[0] == '=') {
        rest = (struct xylem_view){rest.data + 1, rest.bytes - 1};
    }
    struct xylem_resolution resolution = {0};
    struct xylem_step step = {0};
    check(xylem_step_resolve(&step, catalogue(), rest, NULL) == 0);
    check(xylem_sequence_resolve(&resolution, catalogue(), &rest, 1, args, arg_count, NULL) == 0);
    bool fine = step.problem == XYLEM_STEP_FINE;
    check(step.kind < XYLEM_STEP_KIND_COUNT && step.problem < XYLEM_STEP_PROBLEM_COUNT);
    check(fine == (step.message.bytes == 0) && (fine || step.warnings == 0));
    check(resolution.steps[0].kind == step.kind && resolution.steps[0].problem == step.problem);
    check(fine == (resolution.problem == XYLEM_SEQUENCE_FINE));
    check_part(step.name, rest);
    check_part(step.args, rest);
    check_shown((struct xylem_view){step.message.data, step.message.bytes});
    check(step.message.bytes < 1024);
    if (fine) {
        check(xylem_base__wtf8_valid(rest.data, rest.bytes));
        check(!xylem_base__view_is(step.name, "new") && !xylem_base__view_is(step.name, "sequence") &&
              !xylem_base__view_is(step.name, "tree") && !xylem_base__view_is(step.name, "publish"));
        check_text(&step, NULL, 0);
        check_text(&step, args, arg_count);
    }
    (void)xylem_sequence_wants_args(&rest, 1);
    xylem_step_release(&step);
    xylem_resolution_release(&resolution);
    return 0;
}
