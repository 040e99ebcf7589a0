/* The words of kinds, problems and warnings, for programs. */
#include "xylem/sequence.h"

#define WORD(name, word) word,

static const char *const kind_words[] = {XYLEM_STEP_KIND_LIST(WORD)};
static const char *const problem_words[] = {XYLEM_STEP_PROBLEM_LIST(WORD)};
static const char *const sequence_words[] = {XYLEM_SEQUENCE_PROBLEM_LIST(WORD)};

const char *xylem_step_kind_word(enum xylem_step_kind kind)
{
    return (unsigned)kind < XYLEM_STEP_KIND_COUNT ? kind_words[kind] : "unknown";
}

const char *xylem_step_problem_word(enum xylem_step_problem problem)
{
    return (unsigned)problem < XYLEM_STEP_PROBLEM_COUNT ? problem_words[problem] : "unknown";
}

const char *xylem_sequence_problem_word(enum xylem_sequence_problem problem)
{
    return (unsigned)problem < XYLEM_SEQUENCE_PROBLEM_COUNT ? sequence_words[problem] : "unknown";
}

const char *xylem_step_warning_word(unsigned warning)
{
    static const char *const words[] = {
        [XYLEM_STEP_WARN_TOGGLES] = "toggles",
        [XYLEM_STEP_WARN_SHADOWED] = "shadowed",
        [XYLEM_STEP_WARN_PLACEHOLDER] = "placeholder",
        [XYLEM_STEP_WARN_CHANGED] = "changed",
    };
    return warning < sizeof words / sizeof *words ? words[warning] : NULL;
}
