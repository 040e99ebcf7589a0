/* Draws the lines that lead from a session to the sessions below. */
#include "cli/show/entries.h"

void xylem_cli__add_lanes(const struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_cli__lanes *lanes,
                          size_t level, bool goes_on)
{
    size_t drawn = level > lanes->level_max ? lanes->level_max : level;
    if (level > drawn) {
        xylem_cli__addf(text, "(%zu) ", level - drawn);
    }
    for (size_t i = 0; i < drawn; i++) {
        bool leads = i + 1 == drawn;
        bool open = leads ? goes_on : lanes->open[i];
        xylem_cli__add(text, xylem_cli__utf8(cli) ? (leads ? (open ? "├─" : "└─") : (open ? "│ " : "  "))
                                                  : (leads ? (open ? "|-" : "`-") : (open ? "| " : "  ")));
    }
    if (level > 0 && level <= XYLEM_CLI__LANES_MAX) {
        lanes->open[level - 1] = goes_on;
    }
}
