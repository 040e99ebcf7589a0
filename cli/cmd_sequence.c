/* xylem sequence: the table of its verbs; each verb has a file sequence_X.c. */
#include "cli/sequence.h"

static const struct xylem_cli__command *const verbs[] = {
#define VERB(name) &xylem_cli__sequence_##name,
#include "cli/sequence_verbs.h"
#undef VERB
    NULL};

const struct xylem_cli__command xylem_cli__cmd_sequence = {
    .name = "sequence",
    .group = XYLEM_CLI__CHANGE,
    .summary = "List, check, save and run recorded sequences of steps",
    .usage = "VERB [OPTION...] [ARGUMENT...]",
    .details =
        "A sequence is a list of steps that a person recorded: prompts, commands, templates, skills. A run plays\n"
        "the sequence once or more, each time in a fresh session; the store knows at any moment how far a run is.\n"
        "RUN is the id of a run, or a unique beginning of it (four characters or more). `xylem help sequence VERB`\n"
        "shows the options of a verb.\n",
    .verbs = verbs,
};
