/* Opens the store for the commands whose output may be long. */
#include "cli/cli.h"

int xylem_cli__open_paged(struct xylem_cli *cli, bool paged)
{
    if (paged) {
        xylem_cli__pager_start(cli);
    }
    return xylem_cli__open_reading(cli);
}
