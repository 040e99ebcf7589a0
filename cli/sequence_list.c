/* xylem sequence list: the sequences of all sessions, or the snapshots of one session. */
#include "cli/sequence.h"

static const struct xylem_reduce_options only_sequence = {.pieces = XYLEM_PIECE_SEQUENCE};

#define NARROW_CELLS 120u
#define FIRST_CELLS 72u /* of a first step, if the width of a line is not known */

struct listing {
    struct xylem_cli__documents documents;
    struct xylem_cli__table table;
    struct xylem_cli__text text;
    struct xylem_cli__short_ids short_ids; /* empty: ids are shown whole */
    uint64_t count;
};

/* --- All sessions ------------------------------------------------------------------------------------------------- */

static const struct xylem_cli__column session_columns[] = {
    {"SESSION", false, 24, XYLEM_CLI__YELLOW, true}, {"STEPS", true, 0, NULL, false},
    {"UPDATED", true, 0, XYLEM_CLI__DIM, false},     {"FIRST STEP", false, 10, NULL, false},
    {"ENTRY", false, 0, XYLEM_CLI__YELLOW, true}, /* only where there is room */
};
#define SESSION_COLUMNS (sizeof session_columns / sizeof session_columns[0])

static int put_session(struct xylem_cli *cli, struct listing *listing, const struct xylem_session *session,
                       const struct xylem_state *state)
{
    struct xylem_cli__table *table = &listing->table;
    struct xylem_cli__text *text = &listing->text;
    struct xylem_entry entry;
    struct xylem_view first = state->sequence.step_count > 0 ? state->sequence.steps[0] : (struct xylem_view){NULL, 0};
    if (listing->documents.wanted) {
        xylem_cli__json_document(text);
        xylem_cli__member_string(text, "session", session->id);
        xylem_cli__member_string(text, "sequence_id", state->sequence.sequence_id);
        xylem_cli__member_count(text, "step_count", state->sequence.step_count);
        xylem_cli__member_number(text, "updated_ms", state->sequence.updated_at);
        xylem_cli__member_string(text, "entry", state->sequence.entry_id);
        xylem_cli__member_maybe(text, "first_step", first);
        xylem_cli__json_end(text, '}');
        return xylem_cli__documents_put(cli, &listing->documents, text);
    }
    int code = xylem_cli__entry_read(cli, &entry, state->sequence.position);
    if (code < 0) {
        return code;
    }
    xylem_cli__table_add(table, xylem_cli__short_id(&listing->short_ids, session->id));
    xylem_cli__table_add_count(table, state->sequence.step_count);
    xylem_cli__add_when(cli, &table->cell, entry.time_ms);
    xylem_cli__table_end_cell(table);
    xylem_cli__add_shown(cli, &table->cell, first.data ? first : xylem_view_of("-"), XYLEM_CLI__ONE_LINE, FIRST_CELLS);
    xylem_cli__table_end_cell(table);
    if (table->column_count == SESSION_COLUMNS) {
        xylem_cli__table_add(table, state->sequence.entry_id);
    }
    return 0;
}

static int list_session(struct xylem_cli *cli, void *context, const struct xylem_session *session)
{
    struct listing *listing = context;
    struct xylem_state state = {0};
    if (session->state != XYLEM_SESSION_LIVE) {
        return 0;
    }
    int code = xylem_cli__rehydrate(cli, &state, session->leaf, NULL, &only_sequence);
    if (code == 0 && state.sequence.present) {
        listing->count++;
        code = put_session(cli, listing, session, &state);
    }
    xylem_state_release(&state);
    return code;
}

/* --- One session -------------------------------------------------------------------------------------------------- */

static const struct xylem_cli__column snapshot_columns[] = {
    {"ENTRY", false, 0, XYLEM_CLI__YELLOW, true},
    {"TIME", true, 0, XYLEM_CLI__DIM, false},
    {"STEPS", true, 0, NULL, false},
    {"STATE", false, 12, NULL, false},
};

/* `reason` NULL: the snapshot is valid. */
static int put_snapshot(struct xylem_cli *cli, struct listing *listing, struct xylem_position position,
                        size_t step_count, const char *reason)
{
    struct xylem_cli__table *table = &listing->table;
    struct xylem_cli__text *text = &listing->text;
    struct xylem_entry entry;
    int code = xylem_cli__entry_read(cli, &entry, position);
    if (code < 0) {
        return code;
    }
    const char *state = reason ? "skipped" : listing->count++ == 0 ? "counts" : "older";
    if (!listing->documents.wanted) {
        xylem_cli__table_add(table, entry.id);
        xylem_cli__add_when(cli, &table->cell, entry.time_ms);
        xylem_cli__table_end_cell(table);
        if (reason) {
            xylem_cli__table_add(table, xylem_view_of("-"));
        } else {
            xylem_cli__table_add_count(table, step_count);
        }
        xylem_cli__addf(&table->cell, "%s%s%s", state, reason ? ": " : "", reason ? reason : "");
        xylem_cli__table_end_cell(table);
        return 0;
    }
    xylem_cli__json_document(text);
    xylem_cli__member_string(text, "entry", entry.id);
    xylem_cli__member_count(text, "depth", position.depth);
    xylem_cli__member_time(text, "time", entry.time_ms);
    if (reason) {
        xylem_cli__member_maybe(text, "step_count", xylem_view_of(NULL));
    } else {
        xylem_cli__member_count(text, "step_count", step_count);
    }
    xylem_cli__member_string(text, "state", xylem_view_of(state));
    xylem_cli__member_maybe(text, "reason", xylem_view_of(reason));
    xylem_cli__json_end(text, '}');
    return xylem_cli__documents_put(cli, &listing->documents, text);
}

/*
 * A rehydration reads down to the newest valid snapshot, and lists the skipped snapshots on the way. Rehydrations from
 * the entry before each valid snapshot give all snapshots.
 */
static int list_path(struct xylem_cli *cli, struct listing *listing, struct xylem_position at)
{
    bool more = true;
    int code = 0;
    listing->table.columns = snapshot_columns;
    listing->table.column_count = sizeof snapshot_columns / sizeof snapshot_columns[0];
    while (code == 0 && more) {
        struct xylem_state state = {0};
        code = xylem_cli__rehydrate(cli, &state, at, NULL, &only_sequence);
        for (size_t i = 0; code == 0 && i < state.reduction.skipped_count; i++) {
            const struct xylem_skipped *skipped = &state.reduction.skipped[i];
            code = put_snapshot(cli, listing, skipped->position, 0, skipped->reason);
        }
        more = code == 0 && state.sequence.present;
        if (more) {
            code = put_snapshot(cli, listing, state.sequence.position, state.sequence.step_count, NULL);
            more = state.sequence.position.depth > 1;
        }
        if (code == 0 && more) {
            struct xylem_position from = state.sequence.position;
            code = xylem_cli__ancestor_at(cli, &at, from, from.depth - 1);
        }
        xylem_state_release(&state);
    }
    return code;
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct xylem_cli__form *form = options;
    struct listing listing = {.count = 0};
    struct xylem_cli__place place;
    int code;
    if ((code = xylem_cli__documents_start(cli, &listing.documents, *form, "sequences")) < 0 ||
        (code = xylem_cli__open_paged(cli, !listing.documents.wanted)) < 0) {
        goto out;
    }
    if (!arguments[0]) {
        bool narrow = cli->width > 0 && cli->width < NARROW_CELLS;
        listing.table.columns = session_columns;
        listing.table.column_count = narrow ? SESSION_COLUMNS - 1 : SESSION_COLUMNS;
        code = narrow ? xylem_cli__short_ids_read(cli, &listing.short_ids) : 0;
        if (code == 0 && (code = xylem_cli__each_session(cli, list_session, &listing)) == 0 && listing.count == 0 &&
            !listing.documents.wanted) {
            xylem_cli__note(cli, "no session has a sequence at its leaf");
        }
    } else if ((code = xylem_cli__place_find(cli, &place, arguments[0], XYLEM_CLI__NAMED, xylem_cli__entry_or_none)) ==
                   0 &&
               (code = list_path(cli, &listing, place.position)) == 0 && listing.table.cell_count == 0 &&
               !listing.documents.wanted) {
        xylem_cli__note(cli, "no entry of the path is a snapshot of a sequence");
    }
    if (code == 0 && (code = xylem_cli__documents_end(cli, &listing.documents)) == 0) {
        code = xylem_cli__table_put(cli, &listing.table);
    }
out:
    xylem_cli__short_ids_release(&listing.short_ids);
    xylem_cli__table_release(&listing.table);
    xylem_cli__text_release(&listing.text);
    return code;
}

const struct xylem_cli__command xylem_cli__sequence_list = {
    .name = "sequence list",
    .summary = "List the sequences of all sessions, or the snapshots of a session",
    .usage = "[SESSION[:ENTRY]] [--json|--jsonl]",
    .details = "Without SESSION a line is a session with a sequence at its leaf. With SESSION a line is an entry that\n"
               "holds a snapshot, the newest first: the newest valid snapshot counts. Where there is little room, the\n"
               "sessions come without the entry.\n",
    .options = xylem_cli__form_lines,
    .options_bytes = sizeof(struct xylem_cli__form),
    .arguments_max = 1,
    .arguments = {XYLEM_CLI__SESSION_ENTRY},
    .run = run,
};
