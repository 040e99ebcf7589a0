#include "policy/words.h"

struct xylem_view xylem_policy__basename(struct xylem_view path)
{
    const char *slash = path.bytes == 0 ? NULL : memrchr(path.data, '/', path.bytes);

    if (slash == NULL) {
        return path;
    }
    size_t before = (size_t)(slash + 1 - path.data);
    return (struct xylem_view){slash + 1, path.bytes - before};
}

struct xylem_view xylem_policy__behind_home(const struct xylem_policy__word *word)
{
    const struct xylem_policy__part *home = word->parts;
    const struct xylem_policy__part *behind = home ? home->next : NULL;
    bool tilde = home && home->type == XYLEM_POLICY__PART_TILDE && xylem_base__view_is(home->raw, "~");
    bool variable = home && home->type == XYLEM_POLICY__PART_PARAMETER && !home->words &&
                    (xylem_base__view_is(home->raw, "$HOME") || xylem_base__view_is(home->raw, "${HOME}"));
    if ((!tilde && !variable) || !behind || behind->type != XYLEM_POLICY__PART_TEXT ||
        !xylem_policy__view_begins(behind->text, "/")) {
        return (struct xylem_view){NULL, 0};
    }
    return behind->text;
}

bool xylem_policy__may_be_option(const struct xylem_policy__word *word)
{
    if (word->text.bytes > 0) {
        return word->text.data[0] == '-' || word->splits;
    }
    if (word->literal || word->path) {
        return false;
    }
    return word->splits || word->parts == NULL ||
           (word->parts->type != XYLEM_POLICY__PART_TILDE && word->parts->type != XYLEM_POLICY__PART_PROCESS);
}

bool xylem_policy__may_multiply(const struct xylem_policy__word *word)
{
    const struct xylem_policy__part *part = word->literal ? NULL : word->parts;

    while (part != NULL && part->type != XYLEM_POLICY__PART_GLOB && part->type != XYLEM_POLICY__PART_BRACE) {
        part = part->next;
    }
    return part != NULL || word->splits;
}

struct xylem_view xylem_policy__known_basename(const struct xylem_policy__word *word)
{
    const struct xylem_policy__part *last = word->parts;
    bool braces = false; /* `{/bin/rm,x}`: the first word that they give is the name */

    while (last != NULL && last->next != NULL) {
        braces |= last->type == XYLEM_POLICY__PART_BRACE;
        last = last->next;
    }
    if (last == NULL || word->splits || braces || last->type != XYLEM_POLICY__PART_TEXT || last->text.bytes == 0 ||
        memrchr(last->text.data, '/', last->text.bytes) == NULL) {
        return (struct xylem_view){NULL, 0};
    }
    return xylem_policy__basename(last->text);
}
