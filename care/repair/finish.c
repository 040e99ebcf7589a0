/*
 * Writes the rows that refer to entries, once all entries are in the new store:
 *
 *   leaves and navigations   old positions are replaced by new ones, (0, 0) if the entry is lost
 *   sources                  old lsns of displaced lines are replaced by new ones, dropped if the entry is lost
 *   values of sessions       under the new lsns of their entries
 *   quarantine               the old lines, plus the bytes of damaged records and pages
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/error.h"
#include "store/branch.h"
#include "store/feed.h"
#include "store/pages/page.h"
#include "care/repair/repair.h"
#include "store/note.h"
#include "store/session.h"
#include "store/side.h"
#include "store/source.h"
#include "xylem/branch.h"
#include "xylem/feed.h"
#include "xylem/note.h"

/* --- Leaves and navigations ------------------------------------------------------------------------------------- */

/* The new position of an old position; none if the entry is lost, or does not belong to the session. */
static int place_of_session(struct xylem_position *now, struct xylem_repair__copying *copying,
                            const struct xylem_session *made, struct xylem_position old)
{
    int found = xylem_repair__place(now, copying, old);
    if (found > 0) {
        found = xylem_store__belongs(copying->txn, made, *now, copying->repair->err);
    }
    if (found <= 0) {
        *now = (struct xylem_position){0, 0};
    }
    return found < 0 ? found : XYLEM_OK;
}

static int copy_moves(struct xylem_repair__copying *copying, size_t index, struct xylem_session *made)
{
    const struct xylem_repair__session *session = &copying->plan->sessions[index];
    struct xylem_repair__rows rows = xylem_repair__rows_of(copying->repair->salvage, XYLEM_FORMAT__MOVES,
                                                           session->old_number > 0 ? session->old_number : UINT64_MAX);
    struct xylem_error *err = copying->repair->err;
    for (size_t i = 0; i < rows.count; i++) {
        int code;
        struct xylem_repair__content content;
        struct xylem_move move;
        bool counted = !session->current || rows.list[i].second <= session->row.move_count;
        if (!counted || rows.list[i].second == 0) {
            continue; /* the navigation was never committed */
        }
        if ((code = xylem_repair__salvage_read(&content, copying->repair->salvage, &rows.list[i], err)) < 0 ||
            (code = xylem_store__move_decode(&move, rows.list[i].second, content.value, err)) < 0 ||
            (code = place_of_session(&move.from, copying, made, move.from)) < 0 ||
            (code = place_of_session(&move.to, copying, made, move.to)) < 0) {
            return code;
        }
        made->move_count++;
        if ((code = xylem_store__move_add(copying->txn, made, &move, err)) < 0) {
            return code;
        }
    }
    if (!session->known || made->move_count >= session->row.move_count) {
        return XYLEM_OK;
    }
    struct xylem_problem where = {
        .table = "moves", .session_id = session->row.id, .name_space = session->row.name_space};
    uint64_t lost = session->row.move_count - made->move_count;
    copying->repair->report->lost_row_count += lost;
    return xylem_repair__found(copying->repair, &where,
                               "%" PRIu64 " of the session's %" PRIu64 " navigations are lost: later navigations get "
                               "lower numbers",
                               lost, session->row.move_count);
}

/*
 * Writes the leaf and the times of a session, and tells of the session in the feed. A session without a row gets its
 * newest entry, else its base, as leaf.
 */
static int finish_session(struct xylem_repair__copying *copying, size_t index, struct xylem_session *made)
{
    const struct xylem_repair__session *session = &copying->plan->sessions[index];
    int code;
    if ((code = place_of_session(&made->leaf, copying, made, session->row.leaf)) < 0 ||
        (code = place_of_session(&made->imported_leaf, copying, made, session->row.imported_leaf)) < 0) {
        return code;
    }
    bool wanted = !session->known || !xylem_format__position_none(session->row.leaf);
    if (wanted && xylem_format__position_none(made->leaf)) {
        made->leaf = xylem_format__position_none(session->newest) ? made->base : session->newest;
    }
    made->created_ms = session->row.created_ms;
    static const struct xylem_position none = {0, 0};
    bool has_base = !xylem_format__position_none(made->base);
    const struct xylem_change told = {.type = has_base ? XYLEM_CHANGE_FORKED : XYLEM_CHANGE_CREATED,
                                      .session = made->number};
    if ((code = xylem_store__feed_change(copying->txn, made, &told, none, 0, copying->repair->err)) < 0 ||
        (code = xylem_store__session_write(copying->txn, made, copying->repair->err)) < 0 ||
        (code = copy_moves(copying, index, made)) < 0 || made->state != XYLEM_SESSION_DELETED) {
        return code;
    }
    return xylem_store__feed_tell(copying->txn, made->number, XYLEM_CHANGE_DELETED, copying->repair->err);
}

static int finish_sessions(struct xylem_repair__copying *copying)
{
    int code = XYLEM_OK;
    for (size_t i = 0; code == XYLEM_OK && i < copying->plan->session_count; i++) {
        struct xylem_session made;
        struct xylem_buffer copies = {NULL, 0, 0};
        if ((code = xylem_repair__session_made(&made, &copies, copying, i)) == XYLEM_OK) {
            code = finish_session(copying, i, &made);
        }
        xylem_buffer_release(&copies);
    }
    copying->told = true;
    return code;
}

/* --- Sources ---------------------------------------------------------------------------------------------------- */

/* Maps an old lsn to the new lsn; 0: the entry is lost. */
static uint64_t lsn_now(const struct xylem_repair__plan *plan, uint64_t old)
{
    size_t low = 0;
    size_t high = plan->entry_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (plan->entries[plan->by_lsn[middle]].row->newness < old) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const struct xylem_repair__entry *found = low < plan->entry_count ? &plan->entries[plan->by_lsn[low]] : NULL;
    return found && found->row->newness == old ? found->now_lsn : 0;
}

static int copy_source(struct xylem_repair__copying *copying, const struct xylem_repair__salvaged *row, size_t session)
{
    struct xylem_repair__content content;
    struct xylem_store__source source;
    int code = xylem_repair__salvage_read(&content, copying->repair->salvage, row, copying->repair->err);
    if (code < 0) {
        return code;
    }
    struct xylem_base__cursor cursor = xylem_base__cursor_of(content.value.data, content.value.bytes);
    if (!xylem_store__source_fields(&source, &cursor)) {
        return xylem_base__fail(copying->repair->err, XYLEM_E_BUSY,
                                "a row of the table sources changed while it was read: end the programs that write to "
                                "the store, and try again");
    }
    struct xylem_store__displaced *displaced = calloc(source.displaced_count + 1, sizeof *displaced);
    if (!displaced) {
        return xylem_base__fail_memory(copying->repair->err);
    }
    size_t kept = 0;
    for (size_t i = 0; i < source.displaced_count; i++) {
        displaced[kept].lsn = lsn_now(copying->plan, xylem_base__read_u64(&cursor));
        displaced[kept].line = xylem_base__read_u64(&cursor);
        kept += displaced[kept].lsn > 0;
    }
    source.displaced = displaced;
    source.displaced_count = kept;
    bool withheld = source.tail.bytes > 0 && xylem_repair__withholds(copying->plan, row, session);
    code = xylem_repair__tell_older(copying->plan, row, session, withheld);
    if (withheld) {
        source.tail = (struct xylem_view){NULL, 0}; /* a redaction empties the tail in the same way */
    }
    if (code == XYLEM_OK) {
        code = xylem_store__source_write(copying->txn, copying->plan->sessions[session].number, &source,
                                         copying->repair->err);
    }
    free(displaced);
    return code;
}

/* Reports the difference between the tree's count of rows and the saved rows. */
static int tell_missing(struct xylem_repair__repair *repair, enum xylem_format__table table, size_t saved)
{
    uint64_t expected;
    struct xylem_problem where = {.table = xylem_format__table_name(table)};
    if (!xylem_repair__salvage_row_count(&expected, repair->salvage, table) || expected <= saved) {
        return XYLEM_OK;
    }
    repair->report->lost_row_count += expected - saved;
    return xylem_repair__found(repair, &where, "%" PRIu64 " of the table's %" PRIu64 " rows are lost", expected - saved,
                               expected);
}

/* Copies the values that sessions have in the entries that they share. copy.c copied the other rows beside entries. */
static int copy_values(struct xylem_repair__copying *copying)
{
    struct xylem_repair__rows rows = xylem_repair__salvage_rows(copying->repair->salvage, XYLEM_FORMAT__SIDES);
    int code = tell_missing(copying->repair, XYLEM_FORMAT__SIDES, rows.count);
    for (size_t i = 0; code == XYLEM_OK && i < rows.count; i++) {
        code = rows.list[i].detail == XYLEM_SIDE_VALUES ? xylem_repair__copy_side(copying, &rows.list[i]) : XYLEM_OK;
    }
    return code;
}

static int copy_sources(struct xylem_repair__copying *copying)
{
    struct xylem_repair__rows rows = xylem_repair__salvage_rows(copying->repair->salvage, XYLEM_FORMAT__SOURCES);
    int code = tell_missing(copying->repair, XYLEM_FORMAT__SOURCES, rows.count);
    for (size_t i = 0; code == XYLEM_OK && i < rows.count; i++) {
        size_t session = xylem_repair__session_of(copying->plan, rows.list[i].first);
        code = session == XYLEM_REPAIR__NONE ? XYLEM_OK : copy_source(copying, &rows.list[i], session);
    }
    return code;
}

/* --- Quarantine ------------------------------------------------------------------------------------------------- */

/* All quarantined lines, and of each redacted line the session and the hash of the line's place. */
struct redacted_lines {
    struct xylem_repair__rows rows;
    struct {
        uint64_t session;
        uint64_t hash;
    } * list;
    size_t redacted_count;
};

static int read_quarantined(struct xylem_quarantined *line, struct xylem_repair__repair *repair,
                            const struct xylem_repair__salvaged *row)
{
    struct xylem_repair__content content;
    int code = xylem_repair__salvage_read(&content, repair->salvage, row, repair->err);
    return code < 0 ? code : xylem_store__quarantine_decode(line, content.key, content.value, repair->err);
}

/*
 * True if an older line was redacted since. A redaction gives the line another key, so the line from before may still
 * lie on a page that LMDB freed, and must not come back. A current line was not redacted.
 */
static bool was_redacted(const struct redacted_lines *lines, const struct xylem_repair__repair *repair,
                         const struct xylem_repair__salvaged *row, const struct xylem_quarantined *line)
{
    struct xylem_quarantined emptied = *line;
    bool current = xylem_repair__current(repair, row);
    bool found = false;
    xylem_store__quarantine_empty(&emptied);
    for (size_t i = 0; !current && line->reason != XYLEM_IMPORT_REDACTED && i < lines->redacted_count && !found; i++) {
        found = lines->list[i].session == row->first && lines->list[i].hash == emptied.hash;
    }
    return found;
}

/* Copies the quarantined lines, without the lines that were redacted since. */
static int copy_lines(struct xylem_repair__copying *copying, const struct redacted_lines *lines)
{
    int code = XYLEM_OK;
    for (size_t i = 0; code == XYLEM_OK && i < lines->rows.count; i++) {
        struct xylem_quarantined line;
        size_t session = xylem_repair__session_of(copying->plan, lines->rows.list[i].first);
        if (session == XYLEM_REPAIR__NONE) {
            continue; /* the scan found a line of a freed session */
        }
        code = read_quarantined(&line, copying->repair, &lines->rows.list[i]);
        if (code < 0 || was_redacted(lines, copying->repair, &lines->rows.list[i], &line)) {
            continue;
        }
        bool withheld = line.raw.bytes > 0 && xylem_repair__withholds(copying->plan, &lines->rows.list[i], session);
        code = xylem_repair__tell_older(copying->plan, &lines->rows.list[i], session, withheld);
        if (withheld) {
            xylem_store__quarantine_empty(&line);
        }
        if (code < 0) {
            return code;
        }
        int added = xylem_store__quarantine_add(copying->txn, copying->plan->sessions[session].number, &line,
                                                copying->repair->err);
        code = added < 0 ? added : XYLEM_OK;
    }
    return code;
}

static int copy_quarantine(struct xylem_repair__copying *copying)
{
    struct redacted_lines lines = {.rows =
                                       xylem_repair__salvage_rows(copying->repair->salvage, XYLEM_FORMAT__QUARANTINE)};
    int code = tell_missing(copying->repair, XYLEM_FORMAT__QUARANTINE, lines.rows.count);
    if (code < 0) {
        return code;
    }
    lines.list = calloc(lines.rows.count + 1, sizeof *lines.list);
    if (!lines.list) {
        return xylem_base__fail_memory(copying->repair->err);
    }
    for (size_t i = 0; code == XYLEM_OK && i < lines.rows.count; i++) {
        struct xylem_quarantined line;
        code = read_quarantined(&line, copying->repair, &lines.rows.list[i]);
        if (code == XYLEM_OK && line.reason == XYLEM_IMPORT_REDACTED) {
            lines.list[lines.redacted_count].session = lines.rows.list[i].first;
            lines.list[lines.redacted_count++].hash = line.hash;
        }
    }
    code = code < 0 ? code : copy_lines(copying, &lines);
    free(lines.list);
    return code;
}

/*
 * Puts records without their sums into quarantine:
 *
 *   the position has a saved entry                                 no
 *   a tree leads to the record                                     yes
 *   the bytes look like a record, on a page without a tree         yes, if the position lies in a gap
 *   all bytes are zero                                             no
 */
static int keep_damaged_rows(struct xylem_repair__copying *copying)
{
    struct xylem_repair__rows rows = xylem_repair__salvage_rows(copying->repair->salvage, XYLEM_FORMAT__LOG);
    int code = XYLEM_OK;
    for (size_t i = 0; code == XYLEM_OK && i < rows.count; i++) {
        struct xylem_repair__content content;
        struct xylem_position position = {rows.list[i].first, rows.list[i].second};
        bool reached = (rows.list[i].flags & XYLEM_REPAIR__ROW_REACHED) != 0;
        if (rows.list[i].flags & XYLEM_REPAIR__ROW_PROVEN || xylem_repair__entry_at(copying->plan, position) ||
            (!reached && !xylem_repair__gap_at(copying->plan, position))) {
            continue;
        }
        code = xylem_repair__salvage_read(&content, copying->repair->salvage, &rows.list[i], copying->repair->err);
        if (code == XYLEM_OK && !xylem_repair__is_zero(content.value)) {
            code = xylem_repair__quarantine(copying, xylem_repair__session_of_branch(copying->plan, position.branch),
                                            content.offset, content.value, content.value.bytes);
        }
    }
    return code;
}

/*
 * True if a redacted record stands on the page: LMDB may leave the record from before the redaction between the nodes.
 */
static bool has_redacted(const struct xylem_repair__salvage *salvage, uint64_t page)
{
    struct xylem_repair__rows rows = xylem_repair__salvage_rows(salvage, XYLEM_FORMAT__LOG);
    for (size_t i = 0; i < rows.count; i++) {
        if (rows.list[i].page == page && rows.list[i].flags & XYLEM_REPAIR__ROW_REDACTED) {
            return true;
        }
    }
    return false;
}

/* Reports the bad pages. Puts a bad page of the log into quarantine if entries are lost: they may have stood there. */
static int keep_bad_pages(struct xylem_repair__copying *copying)
{
    size_t count;
    const struct xylem_repair__bad_page *pages = xylem_repair__salvage_bad_pages(&count, copying->repair->salvage);
    bool missing = copying->repair->report->lost_entry_count > 0;
    int code = XYLEM_OK;
    for (size_t i = 0; code == XYLEM_OK && i < count; i++) {
        struct xylem_view bytes;
        bool page = pages[i].page != XYLEM_PAGES__NO_PAGE;
        struct xylem_problem where = {
            .table = pages[i].table >= XYLEM_FORMAT__TABLE_COUNT ? NULL : xylem_format__table_name(pages[i].table),
            .page = page ? pages[i].page : 0};
        copying->repair->report->bad_page_count += page;
        code = xylem_repair__found(copying->repair, &where, "%s", pages[i].reason);
        if (code < 0 || !missing || !page || pages[i].legible || pages[i].table != XYLEM_FORMAT__LOG ||
            xylem_repair__salvage_page(&bytes, copying->repair->salvage, pages[i].page, NULL) < 0 ||
            xylem_repair__is_zero(bytes) || has_redacted(copying->repair->salvage, pages[i].page)) {
            continue;
        }
        code = xylem_repair__quarantine(copying, xylem_repair__session_of_branch(copying->plan, pages[i].branch),
                                        pages[i].page * xylem_repair__salvage_page_bytes(copying->repair->salvage),
                                        bytes, bytes.bytes);
    }
    return code;
}

/* Copies the notes. An older copy is left out: the note may have been changed or removed since. */
static int copy_notes(struct xylem_repair__copying *copying)
{
    struct xylem_repair__repair *repair = copying->repair;
    struct xylem_repair__rows rows = xylem_repair__salvage_rows(repair->salvage, XYLEM_FORMAT__META);
    struct xylem_problem where = {.table = "meta"};
    uint64_t copied = 0;
    uint64_t older = 0;
    struct xylem_repair__content content;
    for (size_t i = 0; i < rows.count; i++) {
        struct xylem_view name;
        int code = xylem_repair__salvage_read(&content, repair->salvage, &rows.list[i], repair->err);
        bool note = code == XYLEM_OK && xylem_store__note_name(&name, content.key, content.value);
        bool current = xylem_repair__current(repair, &rows.list[i]);
        if (code < 0 ||
            (note && current && (code = xylem_note_put(copying->txn, name, content.value, repair->err)) < 0)) {
            return code;
        }
        copied += note && current;
        older += note && !current;
    }
    /* A current row `notes` has the number of all notes. */
    const struct xylem_repair__salvaged *counted =
        xylem_repair__salvage_meta(repair->salvage, XYLEM_FORMAT__META_NOTES);
    bool known = counted && xylem_repair__current(repair, counted) &&
                 xylem_repair__salvage_read(&content, repair->salvage, counted, NULL) == XYLEM_OK;
    struct xylem_base__cursor cursor =
        known ? xylem_base__cursor_of(content.value.data, content.value.bytes) : xylem_base__cursor_of(NULL, 0);
    uint64_t all = xylem_base__read_u64(&cursor);
    uint64_t lost = cursor.failed ? older : all > copied ? all - copied : 0;
    repair->report->lost_row_count += lost;
    return lost == 0 ? XYLEM_OK
                     : xylem_repair__found(repair, &where, "%" PRIu64 " notes are lost, or only older copies are there",
                                           lost);
}

int xylem_repair__finish(struct xylem_repair__copying *copying)
{
    int code;
    if ((code = finish_sessions(copying)) < 0 || (code = copy_notes(copying)) < 0 ||
        (code = copy_values(copying)) < 0 || (code = copy_sources(copying)) < 0 ||
        (code = copy_quarantine(copying)) < 0 || (code = keep_damaged_rows(copying)) < 0) {
        return code;
    }
    return keep_bad_pages(copying);
}
