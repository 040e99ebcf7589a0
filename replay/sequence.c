/* Sequence: the newest valid snapshot of a recorded sequence on the path. */
#include <math.h>
#include <stdint.h>

#include "base/value.h"
#include "branch/arena.h"
#include "replay/reducers.h"

#define KINDS(KIND) KIND("sequence") KIND("agenticoding-sequence")
XYLEM_REPLAY__DEFINE_KINDS(sequence, KINDS)

static const char *steps_problem(const struct xylem_value *steps)
{
    if (!steps) {
        return "steps is missing";
    }
    if (xylem_value_type(steps) != XYLEM_VALUE_ARRAY) {
        return "steps is no array";
    }
    for (const struct xylem_value *step = xylem_value_first(steps); step; step = xylem_value_next(steps, step)) {
        if (xylem_value_type(step) != XYLEM_VALUE_STRING) {
            return "a step is no string";
        }
    }
    return NULL;
}

/* What a snapshot holds. */
struct snapshot {
    struct xylem_view sequence_id;
    const struct xylem_value *steps;
    double updated_at;
};

/* NULL and the snapshot, or what is wrong with it. */
static const char *read_snapshot(struct snapshot *snapshot, const struct xylem_visit *visit)
{
    int64_t version = 0;
    const char *problem = xylem_replay__data_problem(visit);
    if (problem) {
        return problem;
    }
    if (!xylem_value_integer(&version, xylem_base__value_get(visit->data, XYLEM_BASE__LITERAL("version"))) ||
        version != 1) {
        return "version is not 1";
    }
    snapshot->sequence_id = xylem_value_string(xylem_base__value_get(visit->data, XYLEM_BASE__LITERAL("sequenceId")));
    if (snapshot->sequence_id.bytes == 0) {
        return "sequenceId is no string, or an empty one";
    }
    snapshot->steps = xylem_base__value_get(visit->data, XYLEM_BASE__LITERAL("steps"));
    problem = steps_problem(snapshot->steps);
    if (problem) {
        return problem;
    }
    if (!xylem_value_number(&snapshot->updated_at,
                            xylem_base__value_get(visit->data, XYLEM_BASE__LITERAL("updatedAt"))) ||
        !isfinite(snapshot->updated_at)) {
        return "updatedAt is no finite number";
    }
    return NULL;
}

static int copy_steps(struct xylem_replay__sequence *sequence, const struct xylem_value *steps)
{
    size_t count = xylem_value_count(steps);
    size_t at = 0;
    if (count > SIZE_MAX / sizeof(*sequence->steps)) {
        return XYLEM_E_MEMORY;
    }
    sequence->steps = xylem_branch__arena_take(&sequence->storage, count * sizeof(*sequence->steps));
    if (!sequence->steps) {
        return XYLEM_E_MEMORY;
    }
    for (const struct xylem_value *step = xylem_value_first(steps); step; step = xylem_value_next(steps, step)) {
        int code = xylem_branch__arena_copy(&sequence->steps[at++], &sequence->storage, xylem_value_string(step));
        if (code < 0) {
            return code;
        }
    }
    sequence->step_count = count;
    return XYLEM_OK;
}

int xylem_replay__sequence_visit(void *context, struct xylem_visit *visit)
{
    struct xylem_replay__sequence *sequence = context;
    struct snapshot snapshot;
    const char *problem = read_snapshot(&snapshot, visit);
    if (problem) {
        return xylem_replay__skip(visit, problem);
    }
    int code = xylem_branch__arena_copy(&sequence->sequence_id, &sequence->storage, snapshot.sequence_id);
    if (code == XYLEM_OK) {
        code = copy_steps(sequence, snapshot.steps);
    }
    if (code < 0) {
        return code;
    }
    sequence->updated_at = snapshot.updated_at;
    sequence->found = true;
    xylem_replay__source_set(&sequence->source, visit->entry);
    return XYLEM_VISIT_DONE;
}
