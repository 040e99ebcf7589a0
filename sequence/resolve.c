/* Resolves steps: a slash step has the meaning of the first row of docs/sequences.md that fits. */
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/value.h"
#include "sequence/arguments.h"
#include "sequence/catalogue.h"
#include "sequence/message.h"
#include "sequence/near.h"
#include "sequence/step.h"

/* The meaning of a name, whatever stands behind the name. */
struct meaning {
    enum xylem_step_kind kind;
    enum xylem_step_problem problem;
    const struct xylem_command *command; /* NULL: the name is reserved, or unknown */
    bool shadows;                        /* a template of this name loses */
};

static struct meaning refuse(enum xylem_step_problem problem, const struct xylem_command *command)
{
    return (struct meaning){.problem = problem, .command = command};
}

static struct meaning accept(enum xylem_step_kind kind, bool can, const struct xylem_command *command)
{
    return (struct meaning){.kind = kind, .problem = can ? XYLEM_STEP_FINE : XYLEM_STEP_NO_HOST, .command = command};
}

/* Sources stand in the order of a host's search for a name. `first` has the first command of each source. */
static struct meaning decide(const struct xylem_catalogue *catalogue, struct xylem_view name,
                             const struct xylem_command *const first[XYLEM_SEQUENCE__SOURCE_COUNT])
{
    const struct xylem_command *own = first[XYLEM_COMMAND_OWN];
    bool expands = catalogue->options.expands;
    if (xylem_base__view_is(name, "new")) {
        return refuse(XYLEM_STEP_RESET, NULL);
    }
    if (xylem_base__view_is(name, "sequence") || (own && xylem_base__view_is(own->canonical, "sequence"))) {
        return refuse(XYLEM_STEP_RECURSIVE, NULL);
    }
    if (xylem_base__view_is(name, "compact")) {
        return accept(XYLEM_STEP_COMPACT, catalogue->options.compact, NULL);
    }
    if (first[XYLEM_COMMAND_BUILTIN]) {
        return refuse(XYLEM_STEP_INTERACTIVE, first[XYLEM_COMMAND_BUILTIN]);
    }
    if (own) {
        return accept(XYLEM_STEP_COMMAND, true, own);
    }
    if (first[XYLEM_COMMAND_EXTENSION]) {
        return refuse(XYLEM_STEP_EXTENSION, first[XYLEM_COMMAND_EXTENSION]);
    }
    if (first[XYLEM_COMMAND_SKILL]) {
        return accept(XYLEM_STEP_SKILL, expands, first[XYLEM_COMMAND_SKILL]);
    }
    if (first[XYLEM_COMMAND_PROMPT]) {
        return accept(XYLEM_STEP_TEMPLATE, expands, first[XYLEM_COMMAND_PROMPT]);
    }
    return refuse(XYLEM_STEP_UNKNOWN, NULL);
}

static struct meaning meaning_of(const struct xylem_catalogue *catalogue, struct xylem_view name)
{
    const struct xylem_command *first[XYLEM_SEQUENCE__SOURCE_COUNT] = {NULL};
    for (size_t i = catalogue->command_count; i > 0; i--) {
        const struct xylem_command *command = &catalogue->commands[i - 1];
        if (xylem_base__view_equal(command->name, name)) {
            first[command->source] = command;
        }
    }
    struct meaning meaning = decide(catalogue, name, first);
    meaning.shadows = first[XYLEM_COMMAND_PROMPT] && meaning.kind != XYLEM_STEP_TEMPLATE;
    return meaning;
}

/* False: a command of this source is refused, whatever its name is. */
static bool may_run(const struct xylem_catalogue *catalogue, enum xylem_command_source source)
{
    bool expanded = source == XYLEM_COMMAND_PROMPT || source == XYLEM_COMMAND_SKILL;
    return source == XYLEM_COMMAND_OWN || (expanded && catalogue->options.expands);
}

/* The nearest name of a runnable command; empty if no name is near. */
static struct xylem_view nearest(const struct xylem_catalogue *catalogue, struct xylem_view name)
{
    struct xylem_view best = {NULL, 0};
    struct xylem_view compact = XYLEM_BASE__LITERAL("compact");
    size_t best_edits = XYLEM_SEQUENCE__EDITS_MAX + 1;
    if (catalogue->options.compact && xylem_sequence__edits(name, compact) < best_edits) {
        best = compact;
        best_edits = xylem_sequence__edits(name, compact);
    }
    for (size_t i = 0; i < catalogue->command_count; i++) {
        const struct xylem_command *command = &catalogue->commands[i];
        size_t edits = may_run(catalogue, command->source) ? xylem_sequence__edits(name, command->name) : best_edits;
        if (edits < best_edits && meaning_of(catalogue, command->name).problem == XYLEM_STEP_FINE) {
            best = command->name;
            best_edits = edits;
        }
    }
    return best;
}

static bool allows(const struct xylem_command *command, struct xylem_view args)
{
    bool allowed = !command->arguments;
    for (size_t i = 0; !allowed && i < command->argument_count; i++) {
        allowed = xylem_base__view_equal(command->arguments[i], args);
    }
    return allowed;
}

static int resolve(struct xylem_step *step, const struct xylem_catalogue *catalogue, struct xylem_view raw)
{
    struct xylem_sequence__parts parts = xylem_sequence__step_parse(raw);
    struct meaning meaning = {.problem = parts.problem};
    struct xylem_view near = {NULL, 0};
    if (parts.slash) {
        meaning = meaning_of(catalogue, parts.name);
    }
    const struct xylem_command *command = meaning.command;
    *step = (struct xylem_step){
        .raw = raw, .name = parts.name, .args = parts.args, .kind = meaning.kind, .problem = meaning.problem};
    if (command) {
        step->path = command->path;
        step->hash = command->hash;
    }
    if (step->problem == XYLEM_STEP_FINE && step->kind == XYLEM_STEP_COMMAND) {
        step->canonical = command->canonical;
        step->problem = allows(command, step->args) ? XYLEM_STEP_FINE : XYLEM_STEP_ARGUMENTS;
        step->warnings |= command->toggles && step->args.bytes == 0 ? XYLEM_STEP_WARN_TOGGLES : 0;
    }
    step->warnings |= meaning.shadows ? XYLEM_STEP_WARN_SHADOWED : 0;
    if (step->problem != XYLEM_STEP_FINE) {
        step->kind = XYLEM_STEP_PROMPT;
        step->warnings = 0;
    }
    near = step->problem == XYLEM_STEP_UNKNOWN ? nearest(catalogue, parts.name) : near;
    int code = xylem_sequence__add_message(&step->message, step, &parts, command, near);
    if (code < 0) {
        xylem_step_release(step);
    }
    return code;
}

int xylem_step_resolve(struct xylem_step *step, const struct xylem_catalogue *catalogue, struct xylem_view raw,
                       struct xylem_error *err)
{
    if (!step || !catalogue || xylem_base__view_lacks_bytes(raw)) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "expected a step, a catalogue and a text, found NULL");
    }
    xylem_step_release(step);
    return resolve(step, catalogue, raw) < 0 ? xylem_base__fail_memory(err) : 0;
}

void xylem_step_release(struct xylem_step *step)
{
    if (step) {
        xylem_buffer_release(&step->message);
        *step = (struct xylem_step){0};
    }
}

/* --- A whole sequence --------------------------------------------------------------------------------------------- */

/* The problem of the sequence apart from its steps, with the message. */
static int check_sizes(struct xylem_resolution *resolution, const struct xylem_view *steps, size_t step_count)
{
    uint64_t bytes = 0;
    if (step_count == 0) {
        resolution->problem = XYLEM_SEQUENCE_NO_STEPS;
        return xylem_base__buffer_add_text(&resolution->message, "the sequence has no steps");
    }
    if (step_count > XYLEM_SEQUENCE_STEPS_MAX) {
        resolution->problem = XYLEM_SEQUENCE_TOO_MANY_STEPS;
        return xylem_base__buffer_add_format(&resolution->message, "the sequence has %zu steps, at most %u are allowed",
                                             step_count, XYLEM_SEQUENCE_STEPS_MAX);
    }
    for (size_t i = 0; i < step_count; i++) {
        bytes += steps[i].bytes;
    }
    if (bytes > XYLEM_SEQUENCE_BYTES_MAX) {
        resolution->problem = XYLEM_SEQUENCE_TOO_LARGE;
        return xylem_base__buffer_add_format(&resolution->message,
                                             "the steps have %llu bytes together, at most %u are allowed",
                                             (unsigned long long)bytes, XYLEM_SEQUENCE_BYTES_MAX);
    }
    return 0;
}

static int resolve_all(struct xylem_resolution *resolution, const struct xylem_catalogue *catalogue,
                       const struct xylem_view *steps, size_t step_count, const struct xylem_view *args,
                       size_t arg_count)
{
    int code = check_sizes(resolution, steps, step_count);
    if (code < 0 || step_count == 0 || step_count > XYLEM_SEQUENCE_STEPS_MAX) {
        return code;
    }
    resolution->steps = calloc(step_count, sizeof *resolution->steps);
    if (!resolution->steps) {
        return XYLEM_E_MEMORY;
    }
    for (size_t i = 0; i < step_count; i++) {
        struct xylem_step *step = &resolution->steps[i];
        if ((code = resolve(step, catalogue, steps[i])) < 0) {
            return code;
        }
        resolution->step_count++;
        if (step->problem != XYLEM_STEP_FINE) {
            resolution->first_problem = resolution->problem_count++ == 0 ? i : resolution->first_problem;
        } else if (args && xylem_sequence__lacks_argument(xylem_sequence__place_of_args(step), arg_count)) {
            step->warnings |= XYLEM_STEP_WARN_PLACEHOLDER;
        }
    }
    if (resolution->problem_count == 0 || resolution->problem != XYLEM_SEQUENCE_FINE) {
        return 0;
    }
    /* The first problem of a step is the problem of the sequence, if the sequence has no other. */
    resolution->problem = XYLEM_SEQUENCE_STEP;
    return xylem_base__buffer_add_format(&resolution->message, "step %zu of %zu: %s", resolution->first_problem + 1,
                                         step_count, resolution->steps[resolution->first_problem].message.data);
}

int xylem_sequence_resolve(struct xylem_resolution *resolution, const struct xylem_catalogue *catalogue,
                           const struct xylem_view *steps, size_t step_count, const struct xylem_view *args,
                           size_t arg_count, struct xylem_error *err)
{
    if (!resolution || !catalogue || (!steps && step_count > 0) || (!args && arg_count > 0)) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "expected a resolution, a catalogue and steps, found NULL");
    }
    for (size_t i = 0; i < step_count; i++) {
        if (xylem_base__view_lacks_bytes(steps[i])) {
            return xylem_base__fail(err, XYLEM_E_ARGUMENT, "step %zu has a length, but is NULL", i + 1);
        }
    }
    xylem_resolution_release(resolution);
    if (resolve_all(resolution, catalogue, steps, step_count, args, arg_count) < 0) {
        xylem_resolution_release(resolution);
        return xylem_base__fail_memory(err);
    }
    return 0;
}

void xylem_resolution_release(struct xylem_resolution *resolution)
{
    if (!resolution) {
        return;
    }
    for (size_t i = 0; i < resolution->step_count; i++) {
        xylem_step_release(&resolution->steps[i]);
    }
    free(resolution->steps);
    xylem_buffer_release(&resolution->message);
    *resolution = (struct xylem_resolution){0};
}
