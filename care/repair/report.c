/* Reports each problem to the caller's function, and adds each loss to the counts of the report. */
#include "care/repair/repair.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"

/* A gap of more entries than this is one problem; a shorter gap is one problem for each entry. */
#define TOLD_APART_MAX 10000u

int xylem_repair__found(struct xylem_repair__repair *repair, const struct xylem_problem *where, const char *format, ...)
{
    char text[XYLEM_ERROR_TEXT_BYTES];
    struct xylem_error escaped;
    struct xylem_problem problem = *where;
    va_list arguments;
    if (!repair->found) {
        return XYLEM_OK;
    }
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    xylem_base__fail(&escaped, XYLEM_E_CORRUPT, "%s", text);
    problem.text = escaped.text;
    return repair->found(repair->context, &problem) == 0
               ? XYLEM_OK
               : xylem_base__fail(repair->err, XYLEM_E_STOPPED, "the repair was stopped by the caller");
}

/* --- What the plan lacks ---------------------------------------------------------------------------------------- */

/* Reports each missing entry of the gaps. */
static int tell_gaps(struct xylem_repair__plan *plan)
{
    int code = XYLEM_OK;
    for (size_t i = 0; code == XYLEM_OK && i < plan->gap_count; i++) {
        const struct xylem_repair__gap *gap = &plan->gaps[i];
        const struct xylem_repair__branch *branch = &plan->branches[gap->branch];
        uint64_t count = gap->last - gap->first + 1;
        struct xylem_problem where = {.table = "log",
                                      .session_id = plan->sessions[branch->session].row.id,
                                      .name_space = plan->sessions[branch->session].row.name_space,
                                      .position = {branch->number, gap->first}};
        plan->repair->report->lost_entry_count += count;
        if (count > TOLD_APART_MAX) {
            code = xylem_repair__found(plan->repair, &where, "%" PRIu64 " entries from here on are lost", count);
            continue;
        }
        for (; code == XYLEM_OK && where.position.depth <= gap->last; where.position.depth++) {
            code = xylem_repair__found(plan->repair, &where, "the entry is lost");
        }
    }
    return code;
}

/*
 * A session's row counts the entries of the session's branches. The plan may know fewer: the rest is lost at the ends.
 */
static int tell_uncounted(struct xylem_repair__plan *plan)
{
    int code = XYLEM_OK;
    for (size_t i = 0; code == XYLEM_OK && i < plan->session_count; i++) {
        const struct xylem_repair__session *session = &plan->sessions[i];
        struct xylem_problem where = {
            .table = "log", .session_id = session->row.id, .name_space = session->row.name_space};
        uint64_t counted = session->row.own_entry_count;
        if (session->known && counted > session->own_count) {
            plan->repair->report->lost_entry_count += counted - session->own_count;
            code = xylem_repair__found(plan->repair, &where,
                                       "%" PRIu64 " entries at the ends of the session's branches are lost",
                                       counted - session->own_count);
        }
    }
    return code;
}

/*
 * The number of entries in the damaged store:
 *
 *   the log's tree is known       the tree's count of rows
 *   the row `format` is lost      unknown, as any lsn may be of a change without an entry: 0
 *   else                          the greatest known lsn less the lsns of freed entries and of other changes
 */
static uint64_t count_all(const struct xylem_repair__plan *plan)
{
    uint64_t count;
    if (xylem_repair__salvage_row_count(&count, plan->repair->salvage, XYLEM_FORMAT__LOG)) {
        return count;
    }
    const struct xylem_repair__salvaged *freed =
        xylem_repair__salvage_meta(plan->repair->salvage, XYLEM_FORMAT__META_FREED);
    const struct xylem_repair__salvaged *format =
        xylem_repair__salvage_meta(plan->repair->salvage, XYLEM_FORMAT__META_FORMAT);
    if (!format) {
        return 0;
    }
    uint64_t others = (freed ? freed->newness : 0) + format->newness;
    count = plan->entry_count > 0 ? plan->entries[plan->by_lsn[plan->entry_count - 1]].row->newness : 0;
    for (size_t i = 0; i < plan->session_count; i++) {
        count = plan->sessions[i].row.last_lsn > count ? plan->sessions[i].row.last_lsn : count;
    }
    return count > others ? count - others : 0;
}

/*
 * Reports lost entries without a known position. Where the newest meta page or the root of the log is lost, the damaged
 * store may have had entries that no row tells of: the repair is then never complete.
 */
static int tell_unknown(struct xylem_repair__plan *plan)
{
    uint64_t ignored;
    uint64_t all = count_all(plan);
    uint64_t known = plan->entry_count + plan->repair->report->lost_entry_count;
    struct xylem_problem where = {.table = "log"};
    int code = XYLEM_OK;
    if (all > known) {
        plan->repair->report->lost_entry_count += all - known;
        code = xylem_repair__found(plan->repair, &where,
                                   "%" PRIu64 " more entries are lost: their positions are unknown", all - known);
    }
    if (code == XYLEM_OK && !xylem_repair__salvage_up_to_date(plan->repair->salvage)) {
        where.table = NULL;
        plan->repair->uncertain = true;
        code = xylem_repair__found(plan->repair, &where,
                                   "a meta page of data.mdb is damaged: if the page was the newest meta page, the last "
                                   "commit may be lost");
    } else if (code == XYLEM_OK &&
               !xylem_repair__salvage_row_count(&ignored, plan->repair->salvage, XYLEM_FORMAT__LOG)) {
        plan->repair->uncertain = true;
        code = xylem_repair__found(plan->repair, &where, "the number of entries in the damaged store is unknown");
    }
    return code;
}

/* Reports older rows of sessions. Every append changes the session's row, so an older row has an older leaf. */
static int tell_stale(struct xylem_repair__plan *plan)
{
    int code = XYLEM_OK;
    for (size_t i = 0; code == XYLEM_OK && i < plan->session_count; i++) {
        const struct xylem_repair__session *session = &plan->sessions[i];
        struct xylem_problem where = {
            .table = "sessions", .session_id = session->row.id, .name_space = session->row.name_space};
        if (!session->known || !session->older) {
            continue;
        }
        plan->repair->report->older_count++;
        code = xylem_repair__found(plan->repair, &where,
                                   "the session's row is lost, and an older copy was found: the leaf and the last "
                                   "navigations may be out of date");
    }
    return code;
}

int xylem_repair__tell_losses(struct xylem_repair__plan *plan)
{
    int code = tell_gaps(plan);
    if (code < 0 || (code = tell_uncounted(plan)) < 0 || (code = tell_unknown(plan)) < 0) {
        return code;
    }
    return tell_stale(plan);
}
