/*
 * The rows of the menu, in their order:
 *
 *     no snapshot, no run            none: recording starts at once
 *     snapshot                       run, edit, new, cancel
 *     run that goes on               status, stop, cancel
 *     paused run                     continue, stop, and then the rows as without a run
 *     interrupted run                retry, skip, stop, cancel
 *     open run of another session    status, and then the rows as without a run
 */
#include <assert.h>

#include "base/buffer.h"
#include "sequence/status.h"

struct menu {
    struct xylem_menu_row *rows;
    size_t count;
};

static struct xylem_menu_row *add(struct menu *menu, const char *word, const char *label)
{
    assert(menu->count < XYLEM_MENU_ROWS_MAX);
    struct xylem_menu_row *row = &menu->rows[menu->count++];
    *row = (struct xylem_menu_row){.word = word, .label = label, .enabled = true, .reason = {"", 0}};
    return row;
}

/* The rows of a snapshot. Without a snapshot: recording, behind the rows of a run. */
static void add_snapshot(struct menu *menu, const struct xylem_resolution *resolution)
{
    if (!resolution && menu->count == 0) {
        return;
    }
    if (resolution) {
        struct xylem_menu_row *run = add(menu, "run", "Run the sequence");
        run->enabled = resolution->problem == XYLEM_SEQUENCE_FINE;
        if (!run->enabled) {
            run->reason = xylem_base__buffer_view(&resolution->message);
        }
        add(menu, "edit", "Edit the sequence");
    }
    add(menu, "new", "Record a new sequence");
    add(menu, "cancel", "Cancel");
}

size_t xylem_sequence_menu(struct xylem_menu_row *rows, const struct xylem_resolution *resolution,
                           const struct xylem_run_state *state, struct xylem_view own_session)
{
    struct menu menu = {rows, 0};
    if (!state || !xylem_sequence__is_open(state)) {
        add_snapshot(&menu, resolution);
    } else if (!xylem_sequence__is_own(state, own_session)) {
        add(&menu, "status", "Show the run");
        add_snapshot(&menu, resolution);
    } else if (state->phase == XYLEM_RUN_PAUSED) {
        add(&menu, "continue", "Go on with the run");
        add(&menu, "stop", "Stop the run");
        add_snapshot(&menu, resolution);
    } else if (state->phase == XYLEM_RUN_INTERRUPTED) {
        add(&menu, "retry", "Execute the step again");
        add(&menu, "skip", "Skip the step");
        add(&menu, "stop", "Stop the run");
        add(&menu, "cancel", "Cancel");
    } else {
        add(&menu, "status", "Show the run");
        add(&menu, "stop", "Stop the run");
        add(&menu, "cancel", "Cancel");
    }
    return menu.count;
}
