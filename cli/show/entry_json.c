/* Writes an entry as members of a JSON document. */
#include "cli/show/show.h"

int xylem_cli__json_entry(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_entry *entry,
                          unsigned members)
{
    xylem_cli__json_separate(text);
    return text->failed ? 0 : xylem_entry_describe(&text->bytes, cli->txn, entry, members, &cli->err);
}
