/* The shape of an entry: everything is checked before the first use. */
#include "replay/reads/shape.h"

#include <assert.h>

#include "base/value.h"
#include "replay/reads/table.h"
#include "replay/visit.h"

#define LISTED_MAX 10000u /* files, or gone files, of one entry */
static_assert(LISTED_MAX == 10000, "the reasons name the limit");

static struct xylem_view string_of(const struct xylem_value *map, struct xylem_view key)
{
    return xylem_value_string(xylem_base__value_get(map, key));
}

const char *xylem_reads__read_file(struct xylem_read_file *file, const struct xylem_value *value)
{
    int64_t bytes = 0;
    const char *problem;
    file->key = string_of(value, XYLEM_BASE__LITERAL("path"));
    file->hash = string_of(value, XYLEM_BASE__LITERAL("hash"));
    if ((problem = xylem_reads__key_problem(file->key)) || (problem = xylem_reads__hash_problem(file->hash))) {
        return problem;
    }
    if (!xylem_value_integer(&bytes, xylem_base__value_get(value, XYLEM_BASE__LITERAL("bytes"))) || bytes < 0 ||
        !xylem_value_integer(&file->at_ms, xylem_base__value_get(value, XYLEM_BASE__LITERAL("at"))) ||
        file->at_ms < 0) {
        return "bytes or at of a file is not a whole number from 0";
    }
    file->bytes = (uint64_t)bytes;
    struct xylem_view by = string_of(value, XYLEM_BASE__LITERAL("by"));
    for (file->by = XYLEM_READ_BY_READ; file->by <= XYLEM_READ_BY_WRITE; file->by++) {
        if (xylem_base__view_is(by, xylem_reads__by_word(file->by))) {
            return NULL;
        }
    }
    return "by of a file is not read, edit or write";
}

/* NULL: the value is a list, or there is none and `needed` is false. */
static const char *list_problem(const struct xylem_value *list, bool needed)
{
    enum xylem_value_type type = xylem_value_type(list);
    if (type != XYLEM_VALUE_ARRAY && (needed || type != XYLEM_VALUE_NIL)) {
        return "files or gone is not a list";
    }
    return xylem_value_count(list) > LISTED_MAX ? "a list has more than 10000 paths" : NULL;
}

const char *xylem_reads__entry_problem(const struct xylem_visit *visit)
{
    int64_t version = 0;
    const char *problem = xylem_replay__data_problem(visit);
    const struct xylem_value *data = visit->data;
    const struct xylem_value *files = xylem_base__value_get(data, XYLEM_BASE__LITERAL("files"));
    const struct xylem_value *gone = xylem_base__value_get(data, XYLEM_BASE__LITERAL("gone"));
    if (problem) {
        return problem;
    }
    if (!xylem_value_integer(&version, xylem_base__value_get(data, XYLEM_BASE__LITERAL("version"))) || version != 1) {
        return "the version is not 1";
    }
    if (xylem_value_type(xylem_base__value_get(data, XYLEM_BASE__LITERAL("whole"))) != XYLEM_VALUE_BOOL) {
        return "whole is not a boolean";
    }
    if ((problem = list_problem(files, true)) || (problem = list_problem(gone, false))) {
        return problem;
    }
    for (const struct xylem_value *one = xylem_value_first(files); one; one = xylem_value_next(files, one)) {
        struct xylem_read_file file;
        if ((problem = xylem_reads__read_file(&file, one))) {
            return problem;
        }
    }
    for (const struct xylem_value *one = xylem_value_first(gone); one; one = xylem_value_next(gone, one)) {
        if ((problem = xylem_reads__key_problem(xylem_value_string(one)))) {
            return problem;
        }
    }
    return NULL;
}
