#include "judge/policy/engine/environment.h"

#include "judge/policy/words/options.h"

#define RULE "environment"

/* True for letters and digits; behind the first character also the characters of `others`. */
static bool made_of(struct xylem_view value, const char *others)
{
    for (size_t i = 0; i < value.bytes; i++) {
        char c = value.data[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!plain && (i == 0 || c == '\0' || !strchr(others, c))) {
            return false;
        }
    }
    return true;
}

static bool value_allowed(enum xylem_policy__allowed_value allowed, const struct xylem_shell__word *value)
{
    if (allowed == XYLEM_POLICY__VALUE_ANY) {
        return true;
    }
    if (!value || !value->literal) {
        return false;
    }
    switch (allowed) {
    case XYLEM_POLICY__VALUE_LOCALE:
        return value->text.bytes == 0 || xylem_policy__listed("C POSIX en_US", value->text) ||
               (!xylem_policy__view_has(value->text, '/') &&
                xylem_policy__listed("*.UTF-8 *.utf8 *.utf-8 *.UTF8", value->text));
    case XYLEM_POLICY__VALUE_ZONE:
        return made_of(value->text, "/_+-"); /* no dot: a name leads to no other directory */
    case XYLEM_POLICY__VALUE_NAME:
        return made_of(value->text, "-+_.");
    case XYLEM_POLICY__VALUE_NUMBER:
        return value->text.bytes == 0 || (value->text.bytes < 6 && xylem_shell__all_digits(value->text));
    default:
        return xylem_base__view_is(value->text, "cat");
    }
}

const char *xylem_policy__environment(struct xylem_view name, const struct xylem_shell__word *value, bool exported)
{
    const struct xylem_policy__allowed_variable *allowed = xylem_policy__environment_allowed;
    while (allowed->names && !xylem_policy__listed(allowed->names, name)) {
        allowed++;
    }
    if (allowed->names) {
        return value_allowed(allowed->value, value) ? NULL : allowed->what;
    }
    const struct xylem_policy__table_row *row = xylem_policy__find_row(xylem_policy__environment_table, name);
    if (row) {
        return row->what;
    }
    return exported ? "is not among the variables that are known to be harmless" : NULL;
}
