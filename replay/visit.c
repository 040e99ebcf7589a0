/* Shared parts of the visitors of all pieces. */
#include <assert.h>
#include <string.h>

#include "base/value.h"
#include "branch/arena.h"
#include "replay/pieces.h"

int xylem_replay__found_set(struct xylem_replay__found *found, const struct xylem_visit *visit)
{
    assert(found->storage);
    found->found = true;
    found->position = visit->entry->position;
    found->lsn = visit->entry->lsn;
    int code = xylem_branch__arena_copy(&found->id, found->storage, visit->entry->id);
    return code < 0 ? code : XYLEM_VISIT_DONE;
}

static bool is_redacted_key(const struct xylem_value *key)
{
    return xylem_base__view_equal(key->as.string, XYLEM_BASE__LITERAL("redacted"));
}

/*
 * An export writes {"redacted": "..."} in the place of redacted data, and an import stores this map as data. Held JSON
 * may have the key several times; the last counts. The first key rules out nearly all data.
 */
bool xylem_replay__is_redacted(const struct xylem_visit *visit)
{
    const struct xylem_value *data = visit->data;
    const struct xylem_value *reason = NULL;
    if (!data || data->type != XYLEM_VALUE_MAP || data->child_count == 0 || !is_redacted_key(data + 1)) {
        return visit->data_code == XYLEM_E_REDACTED;
    }
    const struct xylem_value *key = data + 1;
    while (key && is_redacted_key(key)) {
        reason = xylem_value_next(data, key);
        key = xylem_value_next(data, reason);
    }
    return !key && xylem_value_type(reason) == XYLEM_VALUE_STRING;
}

const char *xylem_replay__data_problem(const struct xylem_visit *visit)
{
    if (xylem_replay__is_redacted(visit)) {
        return "the data was redacted";
    }
    if (visit->data_code != XYLEM_OK) {
        return "the data cannot be decoded";
    }
    if (!visit->data) {
        return "there is no data";
    }
    return xylem_value_type(visit->data) == XYLEM_VALUE_MAP ? NULL : "the data is not a map";
}

const char *xylem_replay__versioned_problem(const struct xylem_visit *visit, const struct xylem_value *value)
{
    int64_t version = 0;
    const char *problem = xylem_replay__data_problem(visit);
    return problem || (xylem_value_integer(&version, value) && version == 1) ? problem : "version is not 1";
}

void xylem_replay__members(const struct xylem_value **values, const struct xylem_visit *visit,
                           const struct xylem_view *keys, size_t count)
{
    const struct xylem_value *map = visit->data;
    const struct xylem_value *key = xylem_value_first(map);
    size_t next = 0; /* hosts write the keys in one order, so the key behind the last found one is tried first */
    memset(values, 0, count * sizeof *values);
    for (size_t left = xylem_value_type(map) == XYLEM_VALUE_MAP ? map->child_count / 2 : 0; left > 0; left--) {
        const struct xylem_value *value = key + key->node_count;
        bool found = false;
        for (size_t tries = 0; tries < count && !found; tries++) {
            found = xylem_base__view_equal(key->as.string, keys[next]);
            if (found) {
                values[next] = value;
            }
            next = next + 1 < count ? next + 1 : 0;
        }
        key = value + value->node_count;
    }
}

const struct xylem_value *xylem_replay__result_details(const struct xylem_visit *visit, struct xylem_view tool)
{
    const struct xylem_value *message = xylem_base__value_get(visit->data, XYLEM_BASE__LITERAL("message"));
    struct xylem_view role = xylem_value_string(xylem_base__value_get(message, XYLEM_BASE__LITERAL("role")));
    struct xylem_view name = xylem_value_string(xylem_base__value_get(message, XYLEM_BASE__LITERAL("toolName")));
    const struct xylem_value *details = xylem_base__value_get(message, XYLEM_BASE__LITERAL("details"));
    bool result = xylem_base__view_equal(role, XYLEM_BASE__LITERAL("toolResult")) &&
                  xylem_base__view_equal(name, tool) && xylem_value_type(details) != XYLEM_VALUE_NIL;
    return result ? details : NULL;
}

int xylem_replay__skip(struct xylem_visit *visit, const char *reason)
{
    visit->reason = reason;
    return XYLEM_VISIT_SKIP;
}
