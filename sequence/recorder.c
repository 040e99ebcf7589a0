/* The steps of a recording, in memory. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/value.h"
#include "sequence/snapshot.h"

/* A list of steps, each with bytes of its own. */
struct steps {
    struct xylem_view list[XYLEM_SEQUENCE_STEPS_MAX];
    size_t count;
};

struct xylem_recorder {
    struct steps now;
    struct steps first; /* at the beginning */
};

/* Copies a step. The copy of an empty step has data too. */
static int copy_step(struct xylem_view *copy, struct xylem_view step, struct xylem_error *err)
{
    char *bytes = malloc(step.bytes + 1);
    if (!bytes) {
        return xylem_base__fail_memory(err);
    }
    if (step.bytes > 0) {
        memcpy(bytes, step.data, step.bytes);
    }
    bytes[step.bytes] = '\0';
    *copy = (struct xylem_view){bytes, step.bytes};
    return XYLEM_OK;
}

static void free_step(struct xylem_view step)
{
    free((void *)(uintptr_t)step.data);
}

static int copy_steps(struct steps *steps, const struct xylem_view *from, size_t count, struct xylem_error *err)
{
    int code = XYLEM_OK;
    for (size_t i = 0; code == XYLEM_OK && i < count; i++) {
        code = copy_step(&steps->list[i], from[i], err);
        steps->count += code == XYLEM_OK;
    }
    return code;
}

static void free_steps(const struct steps *steps)
{
    for (size_t i = 0; i < steps->count; i++) {
        free_step(steps->list[i]);
    }
}

int xylem_recorder_new(struct xylem_recorder **recorder, const struct xylem_view *steps, size_t step_count,
                       struct xylem_error *err)
{
    *recorder = NULL;
    int code = xylem_sequence__check_limits(steps, step_count, err);
    if (code < 0) {
        return code;
    }
    struct xylem_recorder *made = calloc(1, sizeof *made);
    if (!made) {
        return xylem_base__fail_memory(err);
    }
    if ((code = copy_steps(&made->now, steps, step_count, err)) < 0 ||
        (code = copy_steps(&made->first, steps, step_count, err)) < 0) {
        xylem_recorder_free(made);
        return code;
    }
    *recorder = made;
    return XYLEM_OK;
}

/* Puts a copy of the step behind the last step, or in the place of the step at `at`. */
static int put(struct xylem_recorder *recorder, size_t at, struct xylem_view raw, struct xylem_error *err)
{
    struct steps *steps = &recorder->now;
    struct xylem_view wanted[XYLEM_SEQUENCE_STEPS_MAX + 1];
    size_t count = at == steps->count ? at + 1 : steps->count;
    int code;
    memcpy(wanted, steps->list, steps->count * sizeof *wanted);
    wanted[at] = raw;
    if ((code = xylem_sequence__check_limits(wanted, count, err)) < 0 ||
        (code = copy_step(&wanted[at], raw, err)) < 0) {
        return code;
    }
    if (at < steps->count) {
        free_step(steps->list[at]);
    }
    steps->list[at] = wanted[at];
    steps->count = count;
    return XYLEM_OK;
}

static int check_place(const struct xylem_recorder *recorder, size_t at, struct xylem_error *err)
{
    return at < recorder->now.count ? XYLEM_OK
                                    : xylem_base__fail(err, XYLEM_E_ARGUMENT, "there is no step at %zu, of %zu steps",
                                                       at, recorder->now.count);
}

int xylem_recorder_add(struct xylem_step *step, struct xylem_recorder *recorder,
                       const struct xylem_catalogue *catalogue, struct xylem_view raw, struct xylem_error *err)
{
    int code = xylem_step_resolve(step, catalogue, raw, err);
    return code < 0 || step->problem != XYLEM_STEP_FINE ? code : put(recorder, recorder->now.count, raw, err);
}

int xylem_recorder_replace(struct xylem_step *step, struct xylem_recorder *recorder,
                           const struct xylem_catalogue *catalogue, size_t at, struct xylem_view raw,
                           struct xylem_error *err)
{
    int code;
    if ((code = check_place(recorder, at, err)) < 0 || (code = xylem_step_resolve(step, catalogue, raw, err)) < 0 ||
        step->problem != XYLEM_STEP_FINE) {
        return code;
    }
    return put(recorder, at, raw, err);
}

int xylem_recorder_remove(struct xylem_recorder *recorder, size_t at, struct xylem_error *err)
{
    struct steps *steps = &recorder->now;
    int code = check_place(recorder, at, err);
    if (code < 0) {
        return code;
    }
    free_step(steps->list[at]);
    memmove(&steps->list[at], &steps->list[at + 1], (steps->count - at - 1) * sizeof *steps->list);
    steps->count--;
    return XYLEM_OK;
}

void xylem_recorder_steps(const struct xylem_view **steps, size_t *step_count, bool *changed,
                          const struct xylem_recorder *recorder)
{
    const struct steps *now = &recorder->now;
    const struct steps *first = &recorder->first;
    bool same = now->count == first->count;
    for (size_t i = 0; same && i < now->count; i++) {
        same = xylem_base__view_equal(now->list[i], first->list[i]);
    }
    *steps = now->list;
    *step_count = now->count;
    *changed = !same;
}

void xylem_recorder_free(struct xylem_recorder *recorder)
{
    if (recorder) {
        free_steps(&recorder->now);
        free_steps(&recorder->first);
        free(recorder);
    }
}
