#include "judge/hook/git_settings.h"

#include <string.h>

#include "base/value.h"
#include "judge/policy/words/options.h"
#include "judge/policy/words/words.h"

typedef bool harmless(const struct xylem_hook__git_setting *setting);

#define OFF "false no off 0"
/* With these values git shows a merge by the commits alone. */
#define NO_REMERGE "off none on m first-parent 1 separate combined c dense-combined cc"

/* `less` with letters; no letter of these writes a file or reads one. */
static bool is_plain_less(struct xylem_view command)
{
    size_t at = strlen("less");
    if (!xylem_base__view_begins(command, XYLEM_BASE__LITERAL("less"))) {
        return false;
    }
    while (at < command.bytes) {
        size_t dash = xylem_base__skip(command, at, " ");
        if (dash == at || dash == command.bytes || command.data[dash] != '-') {
            return false;
        }
        at = xylem_base__skip(command, dash + 1, "FRXSKMNiqwEe");
        if (at < command.bytes && command.data[at] != ' ') {
            return false;
        }
    }
    return true;
}

/* A pager runs only where the output is a terminal. The hook does not know the output. */
static bool is_plain_pager(const struct xylem_hook__git_setting *setting)
{
    return setting->has_value &&
           (setting->value.bytes == 0 || xylem_base__view_is(setting->value, "cat") || is_plain_less(setting->value));
}

/* `pager.log` names a pager, or switches the pager on or off. */
static bool is_plain_pager_or_bool(const struct xylem_hook__git_setting *setting)
{
    return !setting->has_value || xylem_policy__listed(OFF " true yes on 1", setting->value) || is_plain_pager(setting);
}

/* The sign between `%` and `G` is an option of the placeholder. */
static bool shows_no_signatures(const struct xylem_hook__git_setting *setting)
{
    return !xylem_policy__view_contains(setting->value, "%G") && !xylem_policy__view_contains(setting->value, "%+G") &&
           !xylem_policy__view_contains(setting->value, "%-G") && !xylem_policy__view_contains(setting->value, "% G");
}

static bool sorts_by_no_signature(const struct xylem_hook__git_setting *setting)
{
    return !xylem_policy__view_contains(setting->value, "signature");
}

/* The first row that fits decides. `*` stands for any section or key; the subsection never matters. */
static const struct {
    const char *section;
    const char *keys;
    enum xylem_hook__git_effect effect;
    const char *values; /* a list of values without effect, or NULL */
    harmless *harmless; /* true for more such values, or NULL */
} rows[] = {
    {"core", "fsmonitor", XYLEM_HOOK__GIT_RUNS, "false", NULL},
    {"core", "pager", XYLEM_HOOK__GIT_RUNS, NULL, is_plain_pager},
    {"core", "alternaterefscommand attributesfile", XYLEM_HOOK__GIT_RUNS, NULL, NULL},
    {"core", "hookspath", XYLEM_HOOK__GIT_MOVES_HOOKS, NULL, NULL},
    {"core", "sshcommand", XYLEM_HOOK__GIT_RUNS_OTHERWISE, NULL, NULL},
    {"pager", "*", XYLEM_HOOK__GIT_RUNS, NULL, is_plain_pager_or_bool},
    {"gpg", "program", XYLEM_HOOK__GIT_CHECKS_SIGNATURES, NULL, NULL},
    {"gpg", "*", XYLEM_HOOK__GIT_RUNS_OTHERWISE, NULL, NULL},
    {"log", "showsignature", XYLEM_HOOK__GIT_SHOWS_SIGNATURES, OFF, NULL},
    {"format", "pretty", XYLEM_HOOK__GIT_SHOWS_SIGNATURES, NULL, shows_no_signatures},
    {"pretty", "*", XYLEM_HOOK__GIT_SHOWS_SIGNATURES, NULL, shows_no_signatures},
    {"branch", "sort", XYLEM_HOOK__GIT_SHOWS_SIGNATURES, NULL, sorts_by_no_signature},
    {"tag", "sort", XYLEM_HOOK__GIT_SHOWS_SIGNATURES, NULL, sorts_by_no_signature},
    {"tag", "gpgsign forcesignannotated", XYLEM_HOOK__GIT_RUNS_OTHERWISE, OFF, NULL},
    {"log", "diffmerges", XYLEM_HOOK__GIT_MERGES_ANEW, NO_REMERGE, NULL},
    {"merge", "driver", XYLEM_HOOK__GIT_MERGES, NULL, NULL},
    {"diff", "submodule", XYLEM_HOOK__GIT_OPENS_SUBMODULES, "short", NULL},
    {"status", "submodulesummary", XYLEM_HOOK__GIT_OPENS_SUBMODULES, OFF, NULL},
    {"submodule", "recurse", XYLEM_HOOK__GIT_OPENS_SUBMODULES, OFF, NULL},
    {"diff", "command textconv external", XYLEM_HOOK__GIT_RUNS, NULL, NULL},
    {"filter", "*", XYLEM_HOOK__GIT_RUNS, NULL, NULL},
    /* The user's filters take their programs from the configuration of the repository. */
    {"lfs", "clean smudge path args standalonetransferagent", XYLEM_HOOK__GIT_RUNS, NULL, NULL},
    {"annex", "*", XYLEM_HOOK__GIT_RUNS, NULL, NULL},
    {"hook", "*", XYLEM_HOOK__GIT_RUNS, NULL, NULL},            /* later versions have hooks in the configuration */
    {"alias", "*", XYLEM_HOOK__GIT_RUNS_OTHERWISE, NULL, NULL}, /* never in place of git's own commands */
    {"trailer", "command cmd", XYLEM_HOOK__GIT_RUNS_OTHERWISE, NULL, NULL},
    {"extensions", "partialclone", XYLEM_HOOK__GIT_RUNS, NULL, NULL}, /* missing objects are fetched from there */
    {"*", "promisor partialclonefilter", XYLEM_HOOK__GIT_RUNS, NULL, NULL},
};

enum xylem_hook__git_effect xylem_hook__git_effect(const struct xylem_hook__git_setting *setting)
{
    if (xylem_policy__view_begins(setting->section, "include")) {
        return XYLEM_HOOK__GIT_INCLUDES;
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool section = *rows[i].section == '*' || xylem_base__view_is(setting->section, rows[i].section);
        if (section && (*rows[i].keys == '*' || xylem_policy__listed(rows[i].keys, setting->key))) {
            bool listed = rows[i].values && setting->has_value && xylem_policy__listed(rows[i].values, setting->value);
            /* Older versions of git make a blank of each tab in a value, and newer ones do not. */
            bool passes = xylem_policy__view_is_printed(setting->value) &&
                          (listed || (rows[i].harmless && rows[i].harmless(setting)));
            return passes ? XYLEM_HOOK__GIT_DATA : rows[i].effect;
        }
    }
    return XYLEM_HOOK__GIT_DATA;
}
