#include "judge/hook/git_settings.h"

#include <string.h>

#include "base/value.h"
#include "judge/policy/words/options.h"
#include "judge/policy/words/words.h"

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
    return !setting->has_value || xylem_policy__listed("false no off 0 true yes on 1", setting->value) ||
           is_plain_pager(setting);
}

/* The sign between `%` and `G` is an option of the placeholder. */
static bool shows_no_signatures(const struct xylem_hook__git_setting *setting)
{
    return !xylem_policy__view_contains(setting->value, "%G") && !xylem_policy__view_contains(setting->value, "%+G") &&
           !xylem_policy__view_contains(setting->value, "%-G") && !xylem_policy__view_contains(setting->value, "% G");
}

static bool is_harmless(enum xylem_hook__git_harmless values, const struct xylem_hook__git_setting *setting)
{
    switch (values) {
    case XYLEM_HOOK__GIT_PAGER:
        return is_plain_pager(setting);
    case XYLEM_HOOK__GIT_PAGER_OR_BOOL:
        return is_plain_pager_or_bool(setting);
    case XYLEM_HOOK__GIT_NO_SIGNATURES:
        return shows_no_signatures(setting);
    case XYLEM_HOOK__GIT_NO_SIGNATURE_ORDER:
        return !xylem_policy__view_contains(setting->value, "signature");
    default:
        return false;
    }
}

enum xylem_hook__git_effect xylem_hook__git_effect(const struct xylem_hook__git_setting *setting)
{
    if (xylem_policy__view_begins(setting->section, "include")) {
        return XYLEM_HOOK__GIT_INCLUDES;
    }
    for (const struct xylem_hook__git_setting_row *row = xylem_hook__git_setting_rows; row->names; row++) {
        bool section = *row->names == '*' || xylem_base__view_is(setting->section, row->names);
        if (section && (*row->keys == '*' || xylem_policy__listed(row->keys, setting->key))) {
            bool listed = row->values && setting->has_value && xylem_policy__listed(row->values, setting->value);
            /* Older versions of git make a blank of each tab in a value, and newer ones do not. */
            bool passes =
                xylem_policy__view_is_printed(setting->value) && (listed || is_harmless(row->harmless, setting));
            return passes ? XYLEM_HOOK__GIT_DATA : row->effect;
        }
    }
    return XYLEM_HOOK__GIT_DATA;
}
