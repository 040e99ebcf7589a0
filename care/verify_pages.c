/* Checks the pages of the file. Verify reads no row of a table before the pages of the table are checked. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "store/pages/check.h"
#include "care/verify.h"

/* Attempts to read a snapshot while other processes commit faster than the check reads two meta pages. */
#define SNAPSHOTS_MAX 8

struct hearing {
    struct xylem_care__verify *verify;
    int code;
};

static int hear_problem(void *context, uint64_t page, const char *table, const char *text)
{
    struct hearing *hearing = context;
    struct xylem_care__place place = {.table = XYLEM_FORMAT__META, .page = page, .in_no_table = !table};
    while (table && place.table < XYLEM_FORMAT__TABLE_COUNT - 1 &&
           strcmp(table, xylem_format__table_name(place.table)) != 0) {
        place.table++;
    }
    hearing->code = xylem_care__problem(hearing->verify, &place, "%s", text);
    return hearing->code;
}

static int hear_progress(void *context, uint64_t page_count)
{
    struct xylem_care__verify *verify = ((struct hearing *)context)->verify;
    verify->report->page_count = page_count;
    return verify->options->progress ? verify->options->progress(verify->context, verify->report) : 0;
}

static int check(struct xylem_care__verify *verify, struct xylem_txn *snapshot, struct xylem_pages__pages_found *found)
{
    struct hearing hearing = {verify, XYLEM_OK};
    struct xylem_pages__pages_listener listener = {hear_problem, hear_progress, &hearing};
    struct xylem_pages__pages pages;
    struct xylem_error reason;
    xylem_lmdb__pages_of(&pages, snapshot);
    int code = xylem_pages__pages_check_all(found, &pages, &listener, &reason);
    if (hearing.code < 0 || code == XYLEM_OK) {
        return hearing.code;
    }
    return xylem_base__fail(verify->err, code, "%s", reason.text);
}

/* After two later commits no meta page leads to the transaction's snapshot: the newest snapshot is checked instead. */
static int check_newest(struct xylem_care__verify *verify, struct xylem_pages__pages_found *found)
{
    int code = XYLEM_OK;
    for (int attempt = 0; code == XYLEM_OK && found->snapshot_gone && attempt < SNAPSHOTS_MAX; attempt++) {
        struct xylem_txn *newest = NULL;
        code = xylem_begin(&newest, xylem_lmdb__handle(verify->txn), XYLEM_READ, verify->err);
        if (code == XYLEM_OK) {
            code = check(verify, newest, found);
        }
        xylem_abort(newest);
    }
    if (code == XYLEM_OK && found->snapshot_gone) {
        struct xylem_care__place place = {.in_no_table = true};
        code =
            xylem_care__problem(verify, &place, "no meta page belongs to the transaction that LMDB says is the newest");
    }
    return code;
}

int xylem_care__verify_pages(struct xylem_care__verify *verify)
{
    const uint32_t all = (UINT32_C(1) << XYLEM_FORMAT__TABLE_COUNT) - 1;
    struct xylem_pages__pages_found found;
    struct xylem_pages__pages pages;
    xylem_lmdb__pages_of(&pages, verify->txn);
    if (pages.txn_id == 0) {
        return XYLEM_OK;
    }
    xylem_lmdb__tables_shut(verify->txn, all); /* problems of pages name no session: no row is proven yet */
    int code = check(verify, verify->txn, &found);
    if (code == XYLEM_OK) {
        code = check_newest(verify, &found);
    }
    if (verify->report->problem_count > 0) {
        xylem_lmdb__env_damaged(verify->txn);
    }
    if (code == XYLEM_OK) {
        verify->report->page_count = found.used_count;
        verify->report->leaked_page_count = found.leaked_count;
    }
    /* Each table with a damaged page, or with a damaged page on the way to the table, is a problem. */
    for (unsigned table = 0; code == XYLEM_OK && table < XYLEM_FORMAT__TABLE_COUNT; table++) {
        if (found.unsound_tables & UINT32_C(1) << table) {
            struct xylem_care__place place = {.table = table};
            verify->report->unread_table_count++;
            code = xylem_care__problem(verify, &place,
                                       "the table's rows were not read: pages that lead to the rows are damaged");
        }
    }
    xylem_lmdb__tables_shut(verify->txn, code < 0 ? all : found.unsound_tables);
    if (code == XYLEM_OK) {
        xylem_lmdb__pages_were_checked(verify->txn);
    }
    return code;
}
