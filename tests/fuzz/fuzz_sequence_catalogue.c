/*
 * Any bytes as a catalogue in JSON: the catalogue is refused with one line, or holds commands that steps can spell.
 * Each name of the document is then resolved alone, with an argument, and with a letter too many.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "xylem/sequence.h"

#define NAMES_MAX 32u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void add(struct xylem_buffer *buffer, struct xylem_view view)
{
    check(xylem_buffer_add(buffer, view.data, view.bytes) == 0);
}

/* A name that the catalogue took is a name for a step, too: known, or refused for its source. */
static void check_name(const struct xylem_catalogue *catalogue, struct xylem_view name, const char *behind)
{
    struct xylem_buffer raw = {0};
    struct xylem_step step = {0};
    add(&raw, xylem_view_of("/"));
    add(&raw, name);
    add(&raw, xylem_view_of(behind));
    check(xylem_step_resolve(&step, catalogue, (struct xylem_view){raw.data, raw.bytes}, NULL) == 0);
    check(step.problem != XYLEM_STEP_UNKNOWN && step.problem != XYLEM_STEP_MALFORMED &&
          step.problem != XYLEM_STEP_CONTROL && step.problem != XYLEM_STEP_TOO_LONG);
    check(xylem_base__view_equal(step.name, name));
    check(step.kind != XYLEM_STEP_COMMAND || step.canonical.bytes > 0);
    add(&raw, xylem_view_of("x"));
    check(xylem_step_resolve(&step, catalogue, (struct xylem_view){raw.data, raw.bytes}, NULL) == 0);
    xylem_step_release(&step);
    xylem_buffer_release(&raw);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct xylem_catalogue *catalogue = NULL;
    struct xylem_base__tree tree = {0};
    struct xylem_error err = {0};
    struct xylem_view json = {(const char *)data, size};
    int code = xylem_catalogue_new_json(&catalogue, json, &err);
    check(code == 0 || (!catalogue && err.text[0] && !strchr(err.text, '\n')));
    check(code == 0 || code == XYLEM_E_MALFORMED || code == XYLEM_E_LIMIT);
    if (code == 0) {
        check(xylem_base__json_parse(&tree, json, NULL) == 0);
        const struct xylem_value *commands = xylem_value_get(tree.nodes, "commands");
        const struct xylem_value *command = xylem_value_first(commands);
        for (size_t i = 0; i < NAMES_MAX && command; i++) {
            struct xylem_view name = xylem_value_string(xylem_value_get(command, "name"));
            check_name(catalogue, name, "");
            check_name(catalogue, name, " on");
            command = xylem_value_next(commands, command);
        }
    }
    xylem_base__tree_release(&tree);
    xylem_catalogue_free(catalogue);
    return 0;
}
