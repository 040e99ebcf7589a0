#include "store/format/line_names.h"

#include <string.h>

#include "base/error.h"
#include "base/json.h"

static int has_quoted(struct xylem_view line, struct xylem_view id, struct xylem_error *err)
{
    struct xylem_buffer quoted = {NULL, 0, 0};
    if (xylem_buffer_add_json_string(&quoted, id) < 0) {
        xylem_buffer_release(&quoted);
        return xylem_base__fail_memory(err);
    }
    int found = line.bytes > 0 && memmem(line.data, line.bytes, quoted.data, quoted.bytes) != NULL;
    xylem_buffer_release(&quoted);
    return found;
}

int xylem_format__line_names(struct xylem_base__tree *tree, struct xylem_view line, const struct xylem_view *ids,
                             size_t id_count, struct xylem_error *err)
{
    int code = xylem_base__json_parse_members(tree, line, NULL);
    int found = code == XYLEM_E_MEMORY ? xylem_base__fail_memory(err) : 0;
    const struct xylem_value *value = code < 0 ? NULL : xylem_value_get(tree->nodes, "id");
    struct xylem_view id = xylem_value_string(value);
    bool has_id = xylem_value_type(value) == XYLEM_VALUE_STRING;
    for (size_t i = 0; found == 0 && i < id_count; i++) {
        found = has_id ? xylem_base__view_equal(id, ids[i]) : has_quoted(line, ids[i], err);
    }
    return found;
}
