/*
 * Decides about rows of earlier commits. An older row may hold a text that was redacted since, or may show a session as
 * live that was deleted since. The row `removed` of `meta` has two marks: `redacted_before` is the next lsn at the last
 * redaction, `deleted_before` the next lsn at the last deletion; 0 stands for no redaction, or no deletion. Without a
 * readable row `removed` both marks are the greatest number.
 *
 *   row                                     condition                              the new store gets
 *   current row of any table                                                       the row
 *   older record                            lsn < redacted_before                  the entry without its text
 *   older source, line, or row beside       redacted_before > 0                    the row without its text
 *   either, of a deleted session            deleted_before > 0                     the row without its text
 *   older row of sessions, or no row        last sign of life < deleted_before     a deleted session
 *   older row of another table              a redaction changes no such row        the row
 *
 * repair.h says where an older record is used at all.
 */
#include "store/format/format.h"
#include "care/repair/repair.h"

static bool is_older(const struct xylem_repair__salvaged *row)
{
    return (row->flags & XYLEM_REPAIR__ROW_OLDER) != 0;
}

int xylem_repair__older_begin(struct xylem_repair__repair *repair, bool take_all)
{
    const struct xylem_repair__salvaged *format =
        xylem_repair__salvage_meta(repair->salvage, XYLEM_FORMAT__META_FORMAT);
    struct xylem_repair__content content;
    uint64_t features = 0;
    if (format) {
        int code = xylem_repair__salvage_read(&content, repair->salvage, format, repair->err);
        if (code < 0 || (code = xylem_format__format_check(&features, repair->from, content.value, repair->err)) < 0) {
            return code;
        }
    }
    repair->hashes_dropped = !format || is_older(format) || (features & XYLEM_FORMAT__FEATURE_HASH_DROPPED) != 0;
    if (!take_all) {
        repair->removed = xylem_repair__salvage_removed(repair->salvage);
    }
    return XYLEM_OK;
}

bool xylem_repair__current(const struct xylem_repair__repair *repair, const struct xylem_repair__salvaged *row)
{
    return !is_older(row) && xylem_repair__salvage_up_to_date(repair->salvage);
}

bool xylem_repair__withholds(const struct xylem_repair__plan *plan, const struct xylem_repair__salvaged *row,
                             size_t session)
{
    bool deleted = session != XYLEM_REPAIR__NONE && plan->sessions[session].row.state == XYLEM_SESSION_DELETED;
    uint64_t lsn = row->table == XYLEM_FORMAT__LOG ? row->newness : 0; /* other rows have no lsn of their own */
    return is_older(row) &&
           (lsn < plan->repair->removed.redacted_before || (deleted && plan->repair->removed.deleted_before > 0));
}

/* --- Sessions --------------------------------------------------------------------------------------------------- */

int xylem_repair__older_sessions(struct xylem_repair__plan *plan)
{
    int code = XYLEM_OK;
    /*
     * Find `alive_lsn`, the last lsn at which each session lived. A deleted session gets no entries, so a deletion
     * before `alive_lsn` deleted another session.
     */
    for (size_t i = 0; i < plan->session_count; i++) {
        plan->sessions[i].alive_lsn = plan->sessions[i].known ? plan->sessions[i].row.last_lsn : 0;
    }
    for (size_t i = 0; i < plan->branch_count; i++) {
        const struct xylem_repair__branch *branch = &plan->branches[i];
        struct xylem_repair__session *session = &plan->sessions[branch->session];
        for (size_t j = 0; j < branch->entry_count; j++) {
            const struct xylem_repair__salvaged *row = plan->entries[branch->entry_begin + j].row;
            session->alive_lsn =
                !is_older(row) && row->newness > session->alive_lsn ? row->newness : session->alive_lsn;
        }
    }
    for (size_t i = 0; code == XYLEM_OK && i < plan->session_count; i++) {
        struct xylem_repair__session *session = &plan->sessions[i];
        if ((session->known && !session->older) || session->row.state == XYLEM_SESSION_DELETED ||
            session->alive_lsn >= plan->repair->removed.deleted_before) {
            continue;
        }
        session->row.import_unfinished = session->row.state == XYLEM_SESSION_IMPORTING;
        session->row.state = XYLEM_SESSION_DELETED;
        struct xylem_problem where = {
            .table = "sessions", .session_id = session->row.id, .name_space = session->row.name_space};
        plan->repair->report->withheld_count++;
        code = xylem_repair__found(plan->repair, &where,
                                   "the session's row is lost, and the session may have been deleted: the new store "
                                   "has it as a deleted session");
    }
    return code;
}

/* --- Telling ---------------------------------------------------------------------------------------------------- */

int xylem_repair__tell_older(struct xylem_repair__plan *plan, const struct xylem_repair__salvaged *row, size_t session,
                             bool withheld)
{
    if (!is_older(row)) {
        return XYLEM_OK;
    }
    struct xylem_problem where = {.table = xylem_format__table_name(row->table), .page = row->page};
    if (session != XYLEM_REPAIR__NONE) {
        where.session_id = plan->sessions[session].row.id;
        where.name_space = plan->sessions[session].row.name_space;
    }
    if (row->table == XYLEM_FORMAT__LOG) {
        where.position = (struct xylem_position){row->first, row->second};
    }
    *(withheld ? &plan->repair->report->withheld_count : &plan->repair->report->older_count) += 1;
    return xylem_repair__found(plan->repair, &where, "only an older copy was found: %s",
                               withheld ? "the text was left out, as it may have been redacted or deleted since"
                                        : "the copy was taken");
}

/* Reports older rows of the tables without text: a redaction changes no row of them. */
int xylem_repair__tell_older_rows(struct xylem_repair__plan *plan)
{
    static const enum xylem_format__table tables[] = {XYLEM_FORMAT__SESSION_IDS, XYLEM_FORMAT__BRANCHES,
                                                      XYLEM_FORMAT__KINDS, XYLEM_FORMAT__MOVES};
    int code = XYLEM_OK;
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        struct xylem_repair__rows rows = xylem_repair__salvage_rows(plan->repair->salvage, tables[t]);
        for (size_t i = 0; code == XYLEM_OK && i < rows.count; i++) {
            code = xylem_repair__tell_older(plan, &rows.list[i], XYLEM_REPAIR__NONE, false);
        }
    }
    return code;
}
