/* Tells the ledgers of runs from the sessions of hosts. */
#include "cli/store/store.h"
#include "xylem/branch.h"
#include "xylem/sequence.h"

int xylem_cli__is_ledger(struct xylem_cli *cli, const struct xylem_session *session)
{
    const struct xylem_kind kind = {XYLEM_CLASS_CUSTOM, xylem_view_of("sequence-run")};
    struct xylem_position start;
    struct xylem_entry entry;
    struct xylem_view run_id;
    if (session->name_space.bytes > 0 || !xylem_run_of_session(&run_id, session->id)) {
        return 0;
    }
    if (session->state != XYLEM_SESSION_LIVE) {
        return 1;
    }
    int code = xylem_find(&start, cli->txn, session->number, xylem_view_of("start"), &cli->err);
    if (code == XYLEM_E_NOT_FOUND) {
        return 0;
    }
    code = code < 0 ? code : xylem_cli__entry_read(cli, &entry, start);
    return code < 0 ? code : xylem_cli__kind_equal(entry.kind, kind);
}
