/* Compares the states at two entries. */
#include "cli/show/diff.h"
#include "cli/show/pieces.h"

#include <stdlib.h>
#include <string.h>

#define NAME_CELLS 10u
#define FOREIGN_CELLS 40u
#define PART_CELLS 100u /* if the width of a line is not known */
#define PARTS_SHOWN 10u /* of each side */

static const struct xylem_event event = {.type = XYLEM_EVENT_SESSION_START, .reason = XYLEM_REASON_RESUME};

enum side { LEFT = 0, RIGHT = 1, BOTH = 2 };

static const char *const marks[] = {"<", ">", "="};
static const char *const mark_colors[] = {XYLEM_CLI__RED, XYLEM_CLI__GREEN, NULL};

struct states {
    struct xylem_cli *cli;
    struct xylem_cli__text *text;
    const struct xylem_cli__end *ends[2];
    struct xylem_state at[2];
};

/* Begins `readonly  < `: only the first row has the name. */
static void begin_row(const struct states *states, const char *name, enum side side)
{
    xylem_cli__add_column(states->cli, states->text, xylem_view_of(side == RIGHT ? "" : name), NAME_CELLS,
                          XYLEM_CLI__DIM);
    xylem_cli__add_colored(states->cli, states->text, xylem_view_of(marks[side]), mark_colors[side]);
    xylem_cli__add(states->text, " ");
}

static void add_row(const struct states *states, size_t index, enum side side)
{
    const struct xylem_words_options options = {
        .detail = XYLEM_DETAIL_WHOLE, .event = &event, .other = side == BOTH ? &states->at[1] : NULL};
    static const struct xylem_cli__look look = {.shape = XYLEM_CLI__EXACT, .cells = FOREIGN_CELLS};
    begin_row(states, xylem_piece_names()[index], side);
    xylem_cli__add_piece(states->cli, states->text, &states->at[side == RIGHT], 1u << index, &options, &look);
    xylem_cli__add(states->text, "\n");
}

/* True if the parts are the same. A part whose number is only its place may have moved. */
static bool part_equal(const struct states *states, unsigned piece, const size_t at[2])
{
    struct xylem_part parts[2];
    return xylem_piece_part(&parts[0], &states->at[0], piece, at[0]) &&
           xylem_piece_part(&parts[1], &states->at[1], piece, at[1]) && parts[0].number == parts[1].number &&
           strcmp(parts[0].mark, parts[1].mark) == 0 && xylem_base__view_equal(parts[0].text, parts[1].text);
}

/* Adds the parts between the common beginning and the common end of both lists. */
static void add_parts(const struct states *states, unsigned piece)
{
    size_t first[2] = {0, 0};
    size_t ends[2] = {0, 0};
    size_t width = states->cli->width;
    size_t cells = width == 0 ? PART_CELLS : width > NAME_CELLS + 30 ? width - NAME_CELLS - 10 : 20;
    struct xylem_part part;
    for (size_t side = 0; side < 2; side++) {
        while (xylem_piece_part(&part, &states->at[side], piece, ends[side])) {
            ends[side]++;
        }
    }
    while (part_equal(states, piece, first)) {
        first[0]++;
        first[1]++;
    }
    while (ends[0] > first[0] && ends[1] > first[1] &&
           part_equal(states, piece, (const size_t[]){ends[0] - 1, ends[1] - 1})) {
        ends[0]--;
        ends[1]--;
    }
    for (size_t side = 0; side < 2; side++) {
        for (size_t i = first[side]; i < ends[side] && i < first[side] + PARTS_SHOWN; i++) {
            begin_row(states, "", (enum side)side);
            xylem_piece_part(&part, &states->at[side], piece, i);
            xylem_cli__add_part(states->cli, states->text, &part, i, cells);
            xylem_cli__add(states->text, "\n");
        }
        if (ends[side] > first[side] + PARTS_SHOWN) {
            begin_row(states, "", (enum side)side);
            xylem_cli__addf(states->text, "%s and %zu more (--json lists all)\n",
                            xylem_cli__utf8(states->cli) ? "\u2026" : "...", ends[side] - first[side] - PARTS_SHOWN);
        }
    }
}

static bool differs(const struct states *states, size_t index)
{
    int code = xylem_piece_differs(&states->at[0], &states->at[1], 1u << index);
    states->text->failed = states->text->failed || code < 0;
    return code == 1;
}

/* True if the piece has words for this state. */
static bool is_present(const struct xylem_state *state, unsigned piece)
{
    struct xylem_word words[XYLEM_WORDS_MAX];
    return xylem_piece_words(words, state, piece, NULL) > 0;
}

/* Adds a label's text, or `none`. */
static void add_label(const struct states *states, struct xylem_view id, enum side side)
{
    struct xylem_view label = xylem_cli__label_text(&states->ends[side]->labels, id);
    begin_row(states, "label", side);
    xylem_cli__add_colored(states->cli, states->text, id, XYLEM_CLI__YELLOW);
    xylem_cli__add(states->text, " ");
    xylem_cli__color_on(states->cli, states->text, XYLEM_CLI__MAGENTA);
    if (!label.data) {
        xylem_cli__add(states->text, "none");
    } else {
        xylem_cli__add(states->text, "[");
        xylem_cli__add_shown(states->cli, states->text, label, XYLEM_CLI__ONE_LINE, 40);
        xylem_cli__add(states->text, "]");
    }
    xylem_cli__color_off(states->cli, states->text, XYLEM_CLI__MAGENTA);
    xylem_cli__add(states->text, "\n");
}

/* 1 if the entry with that id is on the common part of both paths. */
static int is_common(struct xylem_cli *cli, const struct xylem_cli__end *end, struct xylem_view id, uint64_t depth_max)
{
    struct xylem_position position;
    struct xylem_position at = {0, 0};
    int code = xylem_find(&position, cli->txn, end->session.number, id, &cli->err);
    if (code == XYLEM_E_NOT_FOUND) {
        return 0;
    }
    if (code == 0 && position.depth <= depth_max &&
        (code = xylem_cli__ancestor_at(cli, &at, end->position, position.depth)) == 0) {
        code = xylem_cli__position_equal(at, position);
    }
    return code;
}

int xylem_cli__diff_labels(struct xylem_cli *cli, struct xylem_cli__labels_differ *differ,
                           const struct xylem_cli__end *a, const struct xylem_cli__end *b, uint64_t depth_max)
{
    const struct xylem_cli__end *ends[2] = {a, b};
    size_t most = a->labels.label_count + b->labels.label_count;
    int code = 0;
    *differ = (struct xylem_cli__labels_differ){0};
    differ->ids = calloc(most == 0 ? 1 : most, sizeof(*differ->ids));
    if (!differ->ids) {
        return xylem_cli__fail_memory(cli);
    }
    for (size_t side = 0; side < 2; side++) {
        const struct xylem_labels *other = &ends[1 - side]->labels;
        for (size_t i = 0; i < ends[side]->labels.label_count; i++) {
            const struct xylem_label *label = &ends[side]->labels.labels[i];
            const struct xylem_label *there = xylem_cli__label_of(other, label->target_id);
            if ((side == 1 && there) || (there && xylem_base__view_equal(there->text, label->text))) {
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
    for (size_t i = 0; xylem_piece_names()[i]; i++) {
        if (!differs(states, i)) {
            add_row(states, i, BOTH);
            continue;
        }
        add_row(states, i, LEFT);
        add_row(states, i, RIGHT);
        if (is_present(&states->at[0], 1u << i) && is_present(&states->at[1], 1u << i)) {
            add_parts(states, 1u << i);
        }
    }
    for (size_t i = 0; i < labels->count; i++) {
        add_label(states, labels->ids[i], LEFT);
        add_label(states, labels->ids[i], RIGHT);
    }
}

/* Adds the document of `xylem state --json` as a member, without `schema`. */
static void add_state(const struct states *states, const char *key, size_t side)
{
    static const char head[] = "{\"schema\":1,";
    struct xylem_buffer json = {0};
    xylem_cli__json_key(states->text, key);
    if (xylem_state_json(&json, &states->at[side], states->ends[side]->session.id) != 0) {
        states->text->failed = true;
    } else {
        xylem_cli__add(states->text, "{");
        xylem_cli__add_bytes(states->text, json.data + sizeof head - 1, json.bytes - (sizeof head - 1));
    }
    xylem_buffer_release(&json);
}

static void add_document(const struct states *states, const struct xylem_cli__labels_differ *labels)
{
    add_state(states, "a_state", 0);
    add_state(states, "b_state", 1);
    xylem_cli__member_begin(states->text, "differs", '[');
    for (size_t i = 0; xylem_piece_names()[i]; i++) {
        if (differs(states, i)) {
            xylem_cli__json_string(states->text, xylem_view_of(xylem_piece_names()[i]));
        }
    }
    if (labels->count > 0) {
        xylem_cli__json_string(states->text, xylem_view_of("labels"));
    }
    xylem_cli__json_end(states->text, ']');
    xylem_cli__member_begin(states->text, "labels", '[');
    for (size_t i = 0; i < labels->count; i++) {
        xylem_cli__json_begin(states->text, '{');
        xylem_cli__member_string(states->text, "entry", labels->ids[i]);
        xylem_cli__member_maybe(states->text, "a_label",
                                xylem_cli__label_text(&states->ends[0]->labels, labels->ids[i]));
        xylem_cli__member_maybe(states->text, "b_label",
                                xylem_cli__label_text(&states->ends[1]->labels, labels->ids[i]));
        xylem_cli__json_end(states->text, '}');
    }
    xylem_cli__json_end(states->text, ']');
}

int xylem_cli__diff_states(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_cli__end *a,
                           const struct xylem_cli__end *b, const struct xylem_cli__labels_differ *labels, bool document)
{
    struct states states = {.cli = cli, .text = text, .ends = {a, b}};
    int code = xylem_cli__rehydrate(cli, &states.at[0], a->position, &event, NULL);
    if (code == 0 && (code = xylem_cli__rehydrate(cli, &states.at[1], b->position, &event, NULL)) == 0) {
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
