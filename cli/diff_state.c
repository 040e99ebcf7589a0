/* How the states at two entries differ. */
#include "cli/diff.h"

#include <stdlib.h>
#include <string.h>

#define NAME_CELLS 10u
#define STEP_CELLS 100u /* where the width of a line is not known */
#define STEPS_SHOWN 10u /* of each side */

enum side { LEFT = 0, RIGHT = 1, BOTH = 2 };

static const char *const marks[] = {"<", ">", "="};
static const char *const mark_colors[] = {XYLEM_CLI__RED, XYLEM_CLI__GREEN, NULL};

struct states {
    struct xylem_cli *cli;
    struct xylem_cli__text *text;
    const struct xylem_cli__end *ends[2];
    struct xylem_state at[2];
};

static bool readonly_differs(const struct states *states)
{
    return states->at[0].readonly.enabled != states->at[1].readonly.enabled;
}

static bool nudge_differs(const struct states *states)
{
    return states->at[0].nudge.due != states->at[1].nudge.due ||
           (states->at[0].nudge.due && states->at[0].nudge.direction_on != states->at[1].nudge.direction_on);
}

/* How many of the first steps are the same. */
static size_t steps_in_common(const struct states *states)
{
    size_t count = 0;

    while (count < states->at[0].sequence.step_count && count < states->at[1].sequence.step_count &&
           xylem_cli__view_equal(states->at[0].sequence.steps[count], states->at[1].sequence.steps[count])) {
        count++;
    }
    return count;
}

static bool steps_differ(const struct states *states)
{
    size_t common = steps_in_common(states);

    return common != states->at[0].sequence.step_count || common != states->at[1].sequence.step_count;
}

static bool sequence_differs(const struct states *states)
{
    const struct xylem_state *a = &states->at[0];
    const struct xylem_state *b = &states->at[1];

    if (!a->sequence.present || !b->sequence.present) {
        return a->sequence.present != b->sequence.present;
    }
    return !xylem_cli__view_equal(a->sequence.sequence_id, b->sequence.sequence_id) ||
           a->sequence.updated_at < b->sequence.updated_at || a->sequence.updated_at > b->sequence.updated_at ||
           steps_differ(states);
}

/* `readonly  < `: the name stands before the first row alone. */
static void begin_row(const struct states *states, const char *name, enum side side)
{
    xylem_cli__add_column(states->cli, states->text, xylem_view_of(side == RIGHT ? "" : name), NAME_CELLS,
                          XYLEM_CLI__DIM);
    xylem_cli__color_on(states->cli, states->text, mark_colors[side]);
    xylem_cli__add(states->text, marks[side]);
    xylem_cli__color_off(states->cli, states->text, mark_colors[side]);
    xylem_cli__add(states->text, " ");
}

static void add_id(const struct states *states, struct xylem_view id)
{
    xylem_cli__color_on(states->cli, states->text, XYLEM_CLI__YELLOW);
    xylem_cli__add_shown(states->cli, states->text, id, XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_cli__color_off(states->cli, states->text, XYLEM_CLI__YELLOW);
}

static void add_readonly(const struct states *states, enum side side)
{
    const struct xylem_state *state = &states->at[side == RIGHT];
    const struct xylem_state *other = &states->at[side != RIGHT];

    begin_row(states, "readonly", side);
    xylem_cli__add_column(states->cli, states->text, xylem_view_of(state->readonly.enabled ? "on" : "off"), 5,
                          state->readonly.enabled ? XYLEM_CLI__RED : XYLEM_CLI__GREEN);
    if (state->readonly.from != XYLEM_FROM_PATH) {
        xylem_cli__add(states->text, "the default: nothing decides");
    } else {
        xylem_cli__add(states->text, "decided by ");
        add_id(states, state->readonly.entry_id);
    }
    if (side == BOTH && !xylem_cli__view_equal(state->readonly.entry_id, other->readonly.entry_id)) {
        xylem_cli__add(states->text, other->readonly.from == XYLEM_FROM_PATH ? " and by " : ", and there");
        if (other->readonly.from == XYLEM_FROM_PATH) {
            add_id(states, other->readonly.entry_id);
        } else {
            xylem_cli__add(states->text, " by nothing");
        }
    }
    xylem_cli__add(states->text, "\n");
}

static void add_nudge(const struct states *states, enum side side)
{
    const struct xylem_state *state = &states->at[side == RIGHT];

    begin_row(states, "nudge", side);
    xylem_cli__addf(states->text, "%s\n",
                    !state->nudge.due           ? "none due"
                    : state->nudge.direction_on ? "due: readonly went on"
                                                : "due: readonly went off");
}

static void add_sequence(const struct states *states, enum side side)
{
    const struct xylem_state *state = &states->at[side == RIGHT];

    begin_row(states, "sequence", side);
    if (state->sequence.present) {
        xylem_cli__add_shown(states->cli, states->text, state->sequence.sequence_id, XYLEM_CLI__EXACT, 40);
        xylem_cli__add(states->text, ", ");
        xylem_cli__add_counted(states->text, state->sequence.step_count, "step", "steps");
        xylem_cli__add(states->text, ", from ");
        add_id(states, state->sequence.entry_id);
        xylem_cli__add(states->text, "\n");
    } else {
        xylem_cli__add(states->text, "none\n");
    }
}

/* The steps between those that both begin with and those that both end with. */
static void add_steps(const struct states *states)
{
    size_t first = steps_in_common(states);
    size_t ends[2] = {states->at[0].sequence.step_count, states->at[1].sequence.step_count};
    size_t width = states->cli->width;
    size_t cells = width == 0 ? STEP_CELLS : width > NAME_CELLS + 30 ? width - NAME_CELLS - 10 : 20;

    while (
        ends[0] > first && ends[1] > first &&
        xylem_cli__view_equal(states->at[0].sequence.steps[ends[0] - 1], states->at[1].sequence.steps[ends[1] - 1])) {
        ends[0]--;
        ends[1]--;
    }
    for (size_t side = 0; side < 2; side++) {
        for (size_t i = first; i < ends[side] && i < first + STEPS_SHOWN; i++) {
            begin_row(states, "", side == 0 ? LEFT : RIGHT);
            xylem_cli__addf(states->text, "%zu. ", i + 1);
            xylem_cli__add_shown(states->cli, states->text, states->at[side].sequence.steps[i], XYLEM_CLI__EXACT,
                                 cells);
            xylem_cli__add(states->text, "\n");
        }
        if (ends[side] > first + STEPS_SHOWN) {
            begin_row(states, "", side == 0 ? LEFT : RIGHT);
            xylem_cli__addf(states->text, "%s and %zu more (--json lists all)\n",
                            xylem_cli__utf8(states->cli) ? "\u2026" : "...", ends[side] - first - STEPS_SHOWN);
        }
    }
}

static void add_rows(const struct states *states, bool differs,
                     void (*add)(const struct states *states, enum side side))
{
    if (differs) {
        add(states, LEFT);
        add(states, RIGHT);
    } else {
        add(states, BOTH);
    }
}

/* A label's text, or none. */
static void add_label(const struct states *states, struct xylem_view id, enum side side)
{
    struct xylem_view label = xylem_cli__label_text(&states->ends[side]->labels, id);

    begin_row(states, "label", side);
    add_id(states, id);
    xylem_cli__add(states->text, " ");
    xylem_cli__color_on(states->cli, states->text, XYLEM_CLI__MAGENTA);
    if (label.data == NULL) {
        xylem_cli__add(states->text, "none");
    } else {
        xylem_cli__add(states->text, "[");
        xylem_cli__add_shown(states->cli, states->text, label, XYLEM_CLI__ONE_LINE, 40);
        xylem_cli__add(states->text, "]");
    }
    xylem_cli__color_off(states->cli, states->text, XYLEM_CLI__MAGENTA);
    xylem_cli__add(states->text, "\n");
}

/* 1 if the entry of that id lies on what both paths have in common. */
static int is_common(struct xylem_cli *cli, const struct xylem_cli__end *end, struct xylem_view id, uint64_t depth_max)
{
    struct xylem_position position;
    struct xylem_position at = {0, 0};
    int code = xylem_find(&position, cli->txn, end->session.number, id, &cli->err);

    if (code == XYLEM_E_NOT_FOUND) {
        return 0;
    }
    if (code == 0 && position.depth <= depth_max) {
        code = xylem_cli__ancestor_at(cli, &at, end->position, position.depth);
    }
    return code != 0 ? code : xylem_cli__position_equal(at, position);
}

int xylem_cli__diff_labels(struct xylem_cli *cli, struct xylem_cli__labels_differ *differ,
                           const struct xylem_cli__end *a, const struct xylem_cli__end *b, uint64_t depth_max)
{
    const struct xylem_cli__end *ends[2] = {a, b};
    size_t most = a->labels.label_count + b->labels.label_count;
    int code = 0;

    *differ = (struct xylem_cli__labels_differ){0};
    differ->ids = calloc(most == 0 ? 1 : most, sizeof(*differ->ids));
    if (differ->ids == NULL) {
        return xylem_cli__fail_memory(cli);
    }
    for (size_t side = 0; side < 2; side++) {
        const struct xylem_labels *other = &ends[1 - side]->labels;
        for (size_t i = 0; i < ends[side]->labels.label_count; i++) {
            const struct xylem_label *label = &ends[side]->labels.labels[i];
            const struct xylem_label *there = xylem_cli__label_of(other, label->target_id);
            if ((side == 1 && there != NULL) || (there != NULL && xylem_cli__view_equal(there->text, label->text))) {
                continue;
            }
            code = is_common(cli, ends[side], label->target_id, depth_max);
            if (code < 0) {
                return code;
            }
            differ->ids[differ->count] = label->target_id;
            differ->count += (size_t)code;
        }
    }
    return 0;
}

static void add_human(const struct states *states, const struct xylem_cli__labels_differ *labels)
{
    add_rows(states, readonly_differs(states), add_readonly);
    add_rows(states, nudge_differs(states), add_nudge);
    add_rows(states, sequence_differs(states), add_sequence);
    if (states->at[0].sequence.present && states->at[1].sequence.present) {
        add_steps(states);
    }
    for (size_t i = 0; i < labels->count; i++) {
        add_label(states, labels->ids[i], LEFT);
        add_label(states, labels->ids[i], RIGHT);
    }
}

/* What `xylem state --json` prints, as a member: without a schema of its own. */
static void add_state(const struct states *states, const char *key, size_t side)
{
    static const char head[] = "{\"schema\":1,";
    struct xylem_buffer json = {0};

    xylem_cli__json_key(states->text, key);
    if (xylem_state_json(&json, &states->at[side], states->ends[side]->session.id) != 0) {
        states->text->failed = true;
    } else {
        xylem_cli__add(states->text, "{");
        xylem_cli__add_bytes(states->text, json.data + sizeof(head) - 1, json.bytes - (sizeof(head) - 1));
    }
    xylem_buffer_release(&json);
}

static void add_document(const struct states *states, const struct xylem_cli__labels_differ *labels)
{
    const struct {
        const char *name;
        bool differs;
    } rows[] = {{"readonly", readonly_differs(states)},
                {"nudge", nudge_differs(states)},
                {"sequence", sequence_differs(states)},
                {"labels", labels->count > 0}};

    xylem_cli__json_key(states->text, "state");
    xylem_cli__json_begin(states->text, '{');
    add_state(states, "a", 0);
    add_state(states, "b", 1);
    xylem_cli__json_key(states->text, "differs");
    xylem_cli__json_begin(states->text, '[');
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].differs) {
            xylem_cli__json_string(states->text, xylem_view_of(rows[i].name));
        }
    }
    xylem_cli__json_end(states->text, ']');
    xylem_cli__json_end(states->text, '}');
    xylem_cli__json_key(states->text, "labels");
    xylem_cli__json_begin(states->text, '[');
    for (size_t i = 0; i < labels->count; i++) {
        xylem_cli__json_begin(states->text, '{');
        xylem_cli__json_key(states->text, "entry");
        xylem_cli__json_string(states->text, labels->ids[i]);
        xylem_cli__json_key(states->text, "a");
        xylem_cli__json_maybe(states->text, xylem_cli__label_text(&states->ends[0]->labels, labels->ids[i]));
        xylem_cli__json_key(states->text, "b");
        xylem_cli__json_maybe(states->text, xylem_cli__label_text(&states->ends[1]->labels, labels->ids[i]));
        xylem_cli__json_end(states->text, '}');
    }
    xylem_cli__json_end(states->text, ']');
}

int xylem_cli__diff_states(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_cli__end *a,
                           const struct xylem_cli__end *b, const struct xylem_cli__labels_differ *labels, bool document)
{
    static const struct xylem_event event = {.type = XYLEM_EVENT_SESSION_START, .reason = XYLEM_REASON_RESUME};
    struct states states = {.cli = cli, .text = text, .ends = {a, b}};
    int code = xylem_cli__rehydrate(cli, &states.at[0], a->position, &event, NULL);

    if (code == 0) {
        code = xylem_cli__rehydrate(cli, &states.at[1], b->position, &event, NULL);
    }
    if (code == 0) {
        if (document) {
            add_document(&states, labels);
        } else {
            add_human(&states, labels);
        }
    }
    xylem_state_release(&states.at[0]);
    xylem_state_release(&states.at[1]);
    return code;
}
