/* Judges parts of commands for several policies. */
#include "judge/policy/rules/shared.h"

#include "judge/policy/words/options.h"

bool xylem_policy__judge_command_variable(struct xylem_policy__judge *judge, struct xylem_view name,
                                          enum xylem_policy__setting setting,
                                          const struct xylem_policy__command *command)
{
    const struct xylem_policy__table_row *row = xylem_policy__find_row(xylem_policy__command_variables, name);
    struct xylem_shell__word value;
    (void)setting;
    (void)command;
    if (!row || !xylem_policy__value_set(judge, &value)) {
        return true;
    }
    bool process = value.parts && value.parts->type == XYLEM_SHELL__PART_PROCESS;
    if (!value.literal && !process && xylem_base__view_is(name, "ENV")) {
        return true; /* ENV is a common name: many programs have such a variable */
    }
    bool reads_input =
        xylem_policy__listed("BASH_ENV ENV", name) &&
        (process || xylem_policy__view_begins(value.text, "/dev/") || xylem_policy__view_begins(value.text, "/proc/"));
    return xylem_policy__judge_code(judge, &value, row->rule) && (!reads_input || xylem_policy__input_undecided(judge));
}

bool xylem_policy__refuse_found(struct xylem_policy__judge *judge, struct xylem_view at, const char *rule,
                                const char *why, const char *where, struct xylem_view found)
{
    return xylem_policy__refuse(judge, at, rule, "%s, and %s contains '%.*s'", why, where, (int)found.bytes,
                                found.data);
}
