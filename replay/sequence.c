/* Sequence: the newest valid snapshot of a recorded sequence on the path. */
#include <math.h>

#include "base/value.h"
#include "branch/arena.h"
#include "replay/pieces.h"

/* The newest snapshot, copied. */
struct sequence {
    struct xylem_replay__found found;
    struct xylem_view sequence_id;
    struct xylem_view *steps;
    size_t step_count;
    double updated_at;
};

#define KINDS(KIND) KIND("sequence") KIND("agenticoding-sequence")
XYLEM_REPLAY__DEFINE_KINDS(struct sequence, KINDS);

enum { VERSION, SEQUENCE_ID, STEPS, UPDATED_AT, MEMBER_COUNT };
static const struct xylem_view keys[MEMBER_COUNT] = {
    {"version", 7}, {"sequenceId", 10}, {"steps", 5}, {"updatedAt", 9}};

/* NULL and the snapshot, whose views and steps lie in the visited data; or the reason of a skip. */
static const char *read_snapshot(struct sequence *sequence, const struct xylem_value **steps,
                                 const struct xylem_visit *visit)
{
    const struct xylem_value *members[MEMBER_COUNT];
    xylem_replay__members(members, visit, keys, MEMBER_COUNT);
    const char *problem = xylem_replay__versioned_problem(visit, members[VERSION]);
    if (problem) {
        return problem;
    }
    sequence->sequence_id = xylem_value_string(members[SEQUENCE_ID]);
    if (sequence->sequence_id.bytes == 0) {
        return "sequenceId is not a string, or is empty";
    }
    *steps = members[STEPS];
    if (!*steps) {
        return "steps is missing";
    }
    if (xylem_value_type(*steps) != XYLEM_VALUE_ARRAY) {
        return "steps is not an array";
    }
    for (const struct xylem_value *step = xylem_value_first(*steps); step; step = xylem_value_next(*steps, step)) {
        if (xylem_value_type(step) != XYLEM_VALUE_STRING) {
            return "a step is not a string";
        }
    }
    if (!xylem_value_number(&sequence->updated_at, members[UPDATED_AT]) || !isfinite(sequence->updated_at)) {
        return "updatedAt is not a finite number";
    }
    return NULL;
}

static int visit_snapshot(void *context, struct xylem_visit *visit)
{
    struct sequence *sequence = context;
    struct sequence read = *sequence;
    const struct xylem_value *steps;
    void **storage = sequence->found.storage;
    const char *problem = read_snapshot(&read, &steps, visit);
    if (problem) {
        return xylem_replay__skip(visit, problem);
    }
    *sequence = read;
    sequence->steps = xylem_branch__arena_take(storage, xylem_value_count(steps) * sizeof *sequence->steps);
    if (!sequence->steps) {
        return XYLEM_E_MEMORY;
    }
    int code = xylem_branch__arena_copy(&sequence->sequence_id, storage, read.sequence_id);
    for (const struct xylem_value *step = xylem_value_first(steps); step && code == XYLEM_OK;
         step = xylem_value_next(steps, step)) {
        code = xylem_branch__arena_copy(&sequence->steps[sequence->step_count++], storage, xylem_value_string(step));
    }
    return code < 0 ? code : xylem_replay__found_set(&sequence->found, visit);
}

static void decide(struct xylem_state *state, const void *context)
{
    const struct sequence *sequence = context;
    state->sequence.present = sequence->found.found;
    state->sequence.sequence_id = sequence->sequence_id;
    state->sequence.steps = sequence->steps;
    state->sequence.step_count = sequence->step_count;
    state->sequence.updated_at = sequence->updated_at;
    state->sequence.position = sequence->found.position;
    state->sequence.entry_id = sequence->found.id;
}

static void write_json(struct xylem_base__writer *writer, const struct xylem_state *state, enum xylem_detail detail)
{
    if (detail == XYLEM_DETAIL_BRIEF) {
        xylem_base__write_member(writer, "\"sequence_id\":", state->sequence.sequence_id);
        return;
    }
    if (!state->sequence.present) {
        xylem_base__write(writer, "\"sequence\":null");
        return;
    }
    xylem_base__write_member(writer, "\"sequence\":{\"sequence_id\":", state->sequence.sequence_id);
    xylem_base__write(writer, ",\"steps\":");
    xylem_base__write_strings(writer, state->sequence.steps, state->sequence.step_count);
    xylem_base__write(writer, ",\"updated_ms\":");
    xylem_base__write_number(writer, state->sequence.updated_at);
    if (detail >= XYLEM_DETAIL_WHOLE) {
        xylem_base__write_member(writer, ",\"entry\":", state->sequence.entry_id);
    }
    xylem_base__write(writer, "}");
}

static void say(struct xylem_replay__words *words, const struct xylem_state *state,
                const struct xylem_words_options *options)
{
    if (!state->sequence.present) {
        if (options->detail != XYLEM_DETAIL_BRIEF) {
            xylem_replay__say(words, "none");
        }
        return;
    }
    xylem_replay__say_foreign(words, state->sequence.sequence_id);
    if (options->detail == XYLEM_DETAIL_VALUE) {
        xylem_replay__say(words, " (");
        xylem_replay__say_count(words, state->sequence.step_count);
        xylem_replay__say(words, ")");
    } else if (options->detail >= XYLEM_DETAIL_WHOLE) {
        xylem_replay__say(words, ", ");
        xylem_replay__say_count(words, state->sequence.step_count);
        xylem_replay__say(words, state->sequence.step_count == 1 ? " step, from " : " steps, from ");
        xylem_replay__say_entry(words, state->sequence.position, state->sequence.entry_id);
    }
}

static bool part(struct xylem_part *part, const struct xylem_state *state, size_t index)
{
    if (index >= state->sequence.step_count) {
        return false;
    }
    *part = (struct xylem_part){.mark = "", .text = state->sequence.steps[index]};
    return true;
}

const struct xylem_replay__piece xylem_replay__sequence_piece = {
    .kinds = kinds,
    .parsed = parsed,
    .on_new = true,
    .visit = visit_snapshot,
    .decide = decide,
    .json = write_json,
    .words = say,
    .part = part,
};
