/* Prints a problem of verify or repair, as a line or as a part of a document. */
#include "cli/show/show.h"
#include "xylem/inspect.h"

#include <string.h>

void xylem_cli__add_problem(const struct xylem_cli *cli, struct xylem_cli__text *text,
                            const struct xylem_problem *problem, uint64_t count)
{
    bool lost = strcmp(problem->text, "the entry is lost") == 0;
    xylem_cli__add_colored(cli, text, xylem_view_of(problem->table ? problem->table : "store"), XYLEM_CLI__RED);
    xylem_cli__add(text, ": ");
    if (problem->page != 0) {
        xylem_cli__addf(text, "page %llu: ", (unsigned long long)problem->page);
    }
    if (problem->session_id.data) {
        xylem_cli__add(text, "session ");
        xylem_cli__add_shown(cli, text, problem->session_id, XYLEM_CLI__EXACT, SIZE_MAX);
        xylem_cli__add_name_space(cli, text, problem->name_space);
        xylem_cli__add(text, ": ");
    }
    if (problem->entry_id.data) {
        xylem_cli__add(text, "entry ");
        xylem_cli__add_shown(cli, text, problem->entry_id, XYLEM_CLI__EXACT, SIZE_MAX);
        xylem_cli__add(text, ": ");
    }
    if (problem->position.branch != 0) {
        xylem_cli__addf(text, "branch %llu", (unsigned long long)problem->position.branch);
        if (count > 1) {
            xylem_cli__addf(text, ", depths %llu to %llu", (unsigned long long)problem->position.depth,
                            (unsigned long long)(problem->position.depth + count - 1));
        } else if (problem->position.depth != 0) {
            xylem_cli__addf(text, ", depth %llu", (unsigned long long)problem->position.depth);
        }
        xylem_cli__add(text, ": ");
    }
    if (count > 1) {
        xylem_cli__add_count(text, count);
        xylem_cli__add(text, lost ? " entries are lost" : problem->position.branch != 0 ? " entries: " : " rows: ");
    }
    if (!lost || count <= 1) {
        xylem_cli__add_shown(cli, text, xylem_view_of(problem->text), XYLEM_CLI__ONE_LINE, SIZE_MAX);
    }
    xylem_cli__add(text, "\n");
}

void xylem_cli__json_problem(struct xylem_cli__text *text, const struct xylem_problem *problem)
{
    xylem_cli__json_begin(text, '{');
    xylem_cli__member_maybe(text, "table", xylem_view_of(problem->table));
    xylem_cli__member_session(text, problem->session_id, problem->name_space);
    xylem_cli__member_maybe(text, "entry", problem->entry_id);
    xylem_cli__member_count(text, "branch", problem->position.branch);
    xylem_cli__member_count(text, "depth", problem->position.depth);
    xylem_cli__member_count(text, "page", problem->page);
    xylem_cli__member_string(text, "text", xylem_view_of(problem->text));
    xylem_cli__json_end(text, '}');
}
