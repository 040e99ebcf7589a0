/* Makes a missing store; changes a session, and prints the change. */
#include "cli/cli.h"

int xylem_cli__open_or_make(struct xylem_cli *cli)
{
    bool created = false;
    int code = xylem_cli__open_creating(cli, false, &created);
    if (created) {
        xylem_cli__note(cli, "%s is a new xylem store", cli->store_path);
    }
    return code;
}

int xylem_cli__change_and_put(struct xylem_cli *cli, int (*change)(struct xylem_cli *cli, void *context), void *context,
                              struct xylem_cli__text *text, bool json)
{
    int code = xylem_cli__change(cli, change, context);
    code = code == 0 && json ? xylem_cli__put_json(cli, text) : code == 0 ? xylem_cli__put(cli, text) : code;
    xylem_cli__text_release(text);
    return code;
}
