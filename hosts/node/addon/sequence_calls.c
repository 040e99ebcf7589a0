/* Operations on steps, and on snapshots of sequences. */
#include "hosts/node/addon/addon.h"

#include "hosts/node/addon/steps.h"

/* --- Steps ------------------------------------------------------------------------------------------------------- */

struct step_call {
    struct call call;
    struct xylem_view catalogue;
    struct xylem_view text;
    struct xylem_step found;
    struct step_value value;
    struct step_value *step;
};

static const struct field resolve_arguments[] = {
    {"the catalogue", FIELD_STRING, AT(step_call, catalogue)},
    {"the step", FIELD_STRING, AT(step_call, text)},
    {.name = NULL},
};
static const struct field step_answer[] = {{"step", FIELD_OBJECT_MAYBE, AT(step_call, step), .fields = step_fields}};

/* The step of the answer outlives the catalogue of the call. */
static int run_resolve(struct call *call)
{
    struct step_call *asked = (struct step_call *)call;
    struct xylem_catalogue *catalogue;
    int code = xylem_catalogue_new_json(&catalogue, asked->catalogue, &call->err);
    if (code < 0) {
        return code;
    }
    asked->step = &asked->value;
    if ((code = xylem_step_resolve(&asked->found, catalogue, asked->text, &call->err)) == 0) {
        code = step_keep(asked->step, call, &asked->found);
    }
    xylem_step_release(&asked->found);
    xylem_catalogue_free(catalogue);
    return code;
}

/* --- Sequences --------------------------------------------------------------------------------------------------- */

struct sequence_call {
    struct call call;
    struct xylem_view catalogue; /* or a text */
    struct xylem_new_sequence sequence;
    struct xylem_view *steps;
    size_t step_count;
    struct xylem_view *args; /* NULL: none */
    size_t arg_count;
    const char *problem;
    struct xylem_view message;
    uint64_t problem_count;
    uint64_t first_problem;
    struct step_value *values;
    size_t value_count;
    bool wants;
    struct xylem_buffer json;
};

static const struct field sequence_arguments[] = {
    {"the catalogue", FIELD_STRING, AT(sequence_call, catalogue)},
    {"the steps", FIELD_STRINGS, AT(sequence_call, steps), COUNT_AT(sequence_call, step_count)},
    {"the arguments", FIELD_STRINGS, MAYBE_AT(sequence_call, args), COUNT_AT(sequence_call, arg_count)},
    {.name = NULL},
};
static const struct field resolution_answer[] = {
    {"problem", FIELD_NAME, AT(sequence_call, problem)},
    {"message", FIELD_STRING, AT(sequence_call, message)},
    {"problemCount", FIELD_COUNT, AT(sequence_call, problem_count)},
    {"firstProblem", FIELD_COUNT, AT(sequence_call, first_problem)},
    {"steps", FIELD_OBJECTS, AT(sequence_call, values), COUNT_AT(sequence_call, value_count),
     .item_bytes = sizeof(struct step_value), .fields = step_fields},
    {.name = NULL},
};
static const struct field wants_arguments[] = {
    {"the steps", FIELD_STRINGS, AT(sequence_call, steps), COUNT_AT(sequence_call, step_count)},
    {.name = NULL},
};
static const struct field wants_answer[] = {{"wants", FIELD_BOOL, AT(sequence_call, wants)}};
static const struct field put_arguments[] = {
    {"the text", FIELD_STRING, AT(sequence_call, catalogue)},
    {"the arguments", FIELD_STRINGS, AT(sequence_call, args), COUNT_AT(sequence_call, arg_count)},
    {.name = NULL},
};
static const struct field json_arguments[] = {
    {"the steps", FIELD_STRINGS, AT(sequence_call, steps), COUNT_AT(sequence_call, step_count)},
    {"the sequence's id", FIELD_STRING, MAYBE_AT(sequence_call, sequence.sequence_id)},
    {.name = NULL},
};
static const struct field json_answer[] = {{"json", FIELD_BUFFER, AT(sequence_call, json)}};
static const struct field put_answer[] = {{"put", FIELD_BUFFER, AT(sequence_call, json)}};

static int run_put(struct call *call)
{
    struct sequence_call *asked = (struct sequence_call *)call;
    return xylem_args_put(&asked->json, asked->catalogue, asked->args, asked->arg_count, &call->err);
}

static int keep_resolution(struct sequence_call *asked, const struct xylem_resolution *resolution)
{
    const struct xylem_buffer *message = &resolution->message;
    struct xylem_view text = message->data ? (struct xylem_view){message->data, message->bytes} : xylem_view_of("");
    int code = call_keep(&asked->message, &asked->call, text);
    asked->problem = xylem_sequence_problem_word(resolution->problem);
    asked->problem_count = resolution->problem_count;
    asked->first_problem = resolution->first_problem;
    asked->value_count = resolution->step_count;
    asked->values = arena_take(&asked->call.arena, (asked->value_count + 1) * sizeof *asked->values);
    if (!asked->values) {
        return XYLEM_E_MEMORY;
    }
    for (size_t i = 0; code == 0 && i < resolution->step_count; i++) {
        code = step_keep(&asked->values[i], &asked->call, &resolution->steps[i]);
    }
    return code;
}

static int run_resolve_all(struct call *call)
{
    struct sequence_call *asked = (struct sequence_call *)call;
    struct xylem_resolution resolution = {.steps = NULL};
    struct xylem_catalogue *catalogue;
    int code = xylem_catalogue_new_json(&catalogue, asked->catalogue, &call->err);
    if (code < 0) {
        return code;
    }
    code = xylem_sequence_resolve(&resolution, catalogue, asked->steps, asked->step_count, asked->args,
                                  asked->arg_count, &call->err);
    code = code < 0 ? code : keep_resolution(asked, &resolution);
    xylem_resolution_release(&resolution);
    xylem_catalogue_free(catalogue);
    return code;
}

static int run_wants(struct call *call)
{
    struct sequence_call *asked = (struct sequence_call *)call;
    asked->wants = xylem_sequence_wants_args(asked->steps, asked->step_count);
    return 0;
}

static int run_json(struct call *call)
{
    struct sequence_call *asked = (struct sequence_call *)call;
    asked->sequence.steps = asked->steps;
    asked->sequence.step_count = asked->step_count;
    return xylem_sequence_json(&asked->json, &asked->sequence, &call->err);
}

static void release_sequence(struct call *call)
{
    xylem_buffer_release(&((struct sequence_call *)call)->json);
}

/* ----------------------------------------------------------------------------------------------------------------- */

#define CALL(type) .call_bytes = sizeof(struct type##_call)

const struct operation sequence_operations[] = {
    {"resolveStep", CALL(step), .arguments = resolve_arguments, .answer = step_answer, .is_value = true,
     .run = run_resolve},
    {"resolveSequence", CALL(sequence), .arguments = sequence_arguments, .answer = resolution_answer,
     .run = run_resolve_all},
    {"wantsArgs", CALL(sequence), .arguments = wants_arguments, .answer = wants_answer, .is_value = true,
     .run = run_wants},
    {"putArgs", CALL(sequence), .arguments = put_arguments, .answer = put_answer, .is_value = true, .run = run_put,
     .release = release_sequence},
    {"sequenceJson", CALL(sequence), .arguments = json_arguments, .answer = json_answer, .is_value = true,
     .run = run_json, .release = release_sequence},
    {.name = NULL},
};
