/* Reads the name of a session from the payload of a `session_info` entry. */
#include "base/utf8.h"
#include "branch/labels.h"

bool xylem_branch__text_of(struct xylem_view *text, const struct xylem_value *value)
{
    *text = xylem_value_string(value);
    return xylem_value_type(value) == XYLEM_VALUE_STRING || xylem_value_type(value) == XYLEM_VALUE_NIL;
}

bool xylem_branch__name_of(struct xylem_view *name, const struct xylem_value *payload)
{
    struct xylem_view text;
    /* Without a payload the entry removes the name, like a payload without a member `name`. */
    if ((payload && xylem_value_type(payload) != XYLEM_VALUE_MAP) ||
        !xylem_branch__text_of(&text, xylem_value_get(payload, "name"))) {
        return false;
    }
    text = xylem_base__trim(text); /* as pi does */
    *name = text.bytes > 0 ? text : (struct xylem_view){NULL, 0};
    return true;
}
