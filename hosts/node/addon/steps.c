#include "hosts/node/addon/steps.h"

const struct field step_fields[] = {
    {"kind", FIELD_NAME, AT(step_value, kind)},
    {"problem", FIELD_NAME, AT(step_value, problem)},
    {"message", FIELD_STRING, AT(step_value, message)},
    {"warnings", FIELD_NAMES, AT(step_value, warnings), COUNT_AT(step_value, warning_count)},
    {"raw", FIELD_STRING, AT(step_value, raw)},
    {"name", FIELD_STRING, AT(step_value, name)},
    {"args", FIELD_STRING, AT(step_value, args)},
    {"canonical", FIELD_STRING, AT(step_value, canonical)},
    {"path", FIELD_STRING, AT(step_value, path)},
    {"hash", FIELD_STRING, AT(step_value, hash)},
    {.name = NULL},
};

/* A text that the library does not have is empty, not null. */
static int keep_text(struct xylem_view *kept, struct call *call, struct xylem_view text)
{
    return call_keep(kept, call, text.data ? text : xylem_view_of(""));
}

static int keep_warnings(struct step_value *value, struct call *call, unsigned warnings)
{
    const char *word;
    for (unsigned warning = 1; xylem_step_warning_word(warning); warning <<= 1) {
        value->warning_count += (warnings & warning) != 0;
    }
    const char **at = value->warnings = arena_take(&call->arena, (value->warning_count + 1) * sizeof *at);
    if (!at) {
        return XYLEM_E_MEMORY;
    }
    for (unsigned warning = 1; (word = xylem_step_warning_word(warning)); warning <<= 1) {
        if (warnings & warning) {
            *at++ = word;
        }
    }
    return 0;
}

int step_keep(struct step_value *value, struct call *call, const struct xylem_step *step)
{
    int code;
    value->kind = xylem_step_kind_word(step->kind);
    value->problem = xylem_step_problem_word(step->problem);
    if ((code = keep_text(&value->message, call, (struct xylem_view){step->message.data, step->message.bytes})) < 0 ||
        (code = keep_warnings(value, call, step->warnings)) < 0 ||
        (code = keep_text(&value->raw, call, step->raw)) < 0 ||
        (code = keep_text(&value->name, call, step->name)) < 0 ||
        (code = keep_text(&value->args, call, step->args)) < 0 ||
        (code = keep_text(&value->canonical, call, step->canonical)) < 0 ||
        (code = keep_text(&value->path, call, step->path)) < 0) {
        return code;
    }
    return keep_text(&value->hash, call, step->hash);
}
