/* Describes a session for `delete` and `undelete`. */
#include "cli/deleting.h"

int xylem_cli__describe_session(struct xylem_cli *cli, struct xylem_cli__text *text,
                                const struct xylem_session *session)
{
    struct xylem_labels labels = {0};
    int code = xylem_labels_read(&labels, cli->txn, session->number, &cli->err);
    xylem_cli__add(text, "session ");
    xylem_cli__add_shown(cli, text, session->id, XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_cli__add(text, " (");
    if (labels.name.data) {
        xylem_cli__add_shown(cli, text, labels.name, XYLEM_CLI__ONE_LINE, 60);
        xylem_cli__add(text, ", ");
    }
    if (session->state == XYLEM_SESSION_IMPORTING || session->import_unfinished) {
        xylem_cli__add(text, "its import has not finished)");
    } else {
        xylem_cli__addf(text, "its leaf has depth %llu)", (unsigned long long)session->leaf.depth);
    }
    xylem_labels_release(&labels);
    return code != 0 || !text->failed ? code : xylem_cli__fail_memory(cli);
}
