/*
 * Finds the damaged sessions: sessions with a problem, and sessions that share a damaged entry.
 *
 *   branch 1 (session a)     1 ── 2 ── X ── 4          X: a damaged entry at depth 3
 *                                 │         └── 5      branch 2 (session b) starts after X: damaged
 *                                 └── 3                branch 3 (session c) starts before X: whole
 */
#include <assert.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "store/branch.h"
#include "store/format/keys.h"
#include "store/session.h"
#include "care/verify.h"

int xylem_care__damage_note(struct xylem_care__verify *verify, const struct xylem_care__place *place)
{
    struct xylem_care__damage *damage = &verify->damage;
    struct xylem_position position = place->position;
    int code = xylem_base__numbers_note(&damage->sessions, place->session, verify->err);
    if (code < 0 || position.branch == 0) {
        return code;
    }
    /* Problems come in runs of one branch, so the last item often takes the position. */
    struct xylem_position *last = damage->position_count ? &damage->positions[damage->position_count - 1] : NULL;
    if (last && last->branch == position.branch) {
        last->depth = position.depth < last->depth ? position.depth : last->depth;
        return XYLEM_OK;
    }
    struct xylem_position *positions =
        xylem_base__with_room(damage->positions, &damage->position_capacity, damage->position_count, sizeof *positions);
    if (!positions) {
        return xylem_base__fail_memory(verify->err);
    }
    damage->positions = positions;
    damage->positions[damage->position_count++] = position;
    return XYLEM_OK;
}

void xylem_care__damage_release(struct xylem_care__damage *damage)
{
    free(damage->sessions.list);
    free(damage->inherited.list);
    free(damage->positions);
}

/* True if the entry at the position, or an entry on the path before, is damaged. Needs sorted positions. */
static bool is_damaged(const struct xylem_care__damage *damage, struct xylem_position at)
{
    if (at.branch == 0) {
        return false;
    }
    const struct xylem_position *first = damage->position_count == 0
                                             ? NULL
                                             : bsearch(&at.branch, damage->positions, damage->position_count,
                                                       sizeof *damage->positions, xylem_base__compare_numbers);
    return (first && first->depth <= at.depth) || xylem_base__numbers_have(&damage->inherited, at.branch);
}

/*
 * Visits branches by ascending number. A branch has a greater number than the other branches on its path, so the damage
 * of the path is complete, and `inherited` ascends. A damaged row is a noted problem, and needs no visit.
 */
static int visit_branch(struct xylem_care__verify *verify, struct xylem_view key, struct xylem_view row)
{
    struct xylem_store__branch branch;
    struct xylem_care__damage *damage = &verify->damage;
    uint64_t number = 0;
    if (!xylem_format__key_read_u64(&number, key) || xylem_store__branch_decode(&branch, number, row, NULL) < 0) {
        return XYLEM_OK;
    }
    struct xylem_position parent = {branch.parent_branch, branch.first_depth - 1};
    struct xylem_position last = {number, UINT64_MAX};
    assert(damage->inherited.count == 0 || damage->inherited.list[damage->inherited.count - 1] < number);
    if (is_damaged(damage, parent)) {
        int code = xylem_base__numbers_add(&damage->inherited, number, verify->err);
        if (code < 0) {
            return code;
        }
    }
    return is_damaged(damage, last) ? xylem_base__numbers_note(&damage->sessions, branch.session, verify->err)
                                    : XYLEM_OK;
}

/* Counts and reports a damaged session. */
static int visit_session(struct xylem_care__verify *verify, struct xylem_view key, struct xylem_view row)
{
    struct xylem_session session = {.id = {NULL, 0}};
    uint64_t number = 0;
    if (!xylem_format__key_read_u64(&number, key)) {
        return XYLEM_OK;
    }
    bool readable = row.data && xylem_store__session_decode(&session, number, row, NULL) == XYLEM_OK;
    if (readable && session.state == XYLEM_SESSION_FREED) {
        return XYLEM_OK; /* a freed session does not count; sessions with shared entries do */
    }
    if (!xylem_base__numbers_have(&verify->damage.sessions, number) &&
        !(readable && is_damaged(&verify->damage, session.base))) {
        return XYLEM_OK;
    }
    verify->report->damaged_session_count++;
    verify->report->session_count += !row.data; /* the pass over sessions counts only rows with their sums */
    struct xylem_view id = readable ? session.id : (struct xylem_view){NULL, 0};
    return verify->options->damaged && verify->options->damaged(verify->context, number, id) != 0
               ? xylem_base__fail(verify->err, XYLEM_E_STOPPED, "the verification was stopped by the caller")
               : XYLEM_OK;
}

/* Visits each row of a table. A row without its sum has `data` NULL. */
static int visit_rows(struct xylem_care__verify *verify, enum xylem_format__table table, xylem_care__visit_row *visit)
{
    struct xylem_lmdb__rows *rows;
    struct xylem_error reason;
    int code = xylem_lmdb__rows_new(&rows, verify->txn, table, verify->err);
    if (code < 0) {
        return code;
    }
    struct xylem_view key = {NULL, 0};
    struct xylem_view row = {NULL, 0};
    while (code == XYLEM_OK && xylem_lmdb__rows_step(&key, &row, rows, XYLEM_LMDB__NEXT, &reason) > 0) {
        if (xylem_lmdb__check_summed(&row, verify->txn, table, key, &reason) < 0) {
            row = (struct xylem_view){NULL, 0};
        }
        code = visit(verify, key, row);
    }
    xylem_lmdb__rows_free(rows);
    return code;
}

int xylem_care__damage_report(struct xylem_care__verify *verify)
{
    /* The tables that the damage of sessions depends on. */
    static const enum xylem_format__table needed[] = {XYLEM_FORMAT__META, XYLEM_FORMAT__SESSIONS,
                                                      XYLEM_FORMAT__BRANCHES, XYLEM_FORMAT__LOG, XYLEM_FORMAT__KINDS};
    struct xylem_care__damage *damage = &verify->damage;
    verify->report->sessions_known = true;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        verify->report->sessions_known &= !xylem_lmdb__table_is_shut(verify->txn, needed[i]);
    }
    if (!verify->report->sessions_known || verify->report->problem_count == 0) {
        return XYLEM_OK;
    }
    /* Sort by branch, and keep the first position of each branch. */
    if (damage->position_count > 0) {
        size_t kept = 0;
        qsort(damage->positions, damage->position_count, sizeof *damage->positions, xylem_base__compare_positions);
        for (size_t i = 1; i < damage->position_count; i++) {
            if (damage->positions[i].branch != damage->positions[kept].branch) {
                damage->positions[++kept] = damage->positions[i];
            }
        }
        damage->position_count = kept + 1;
    }
    int code = visit_rows(verify, XYLEM_FORMAT__BRANCHES, visit_branch);
    xylem_base__numbers_sort(&damage->sessions);
    return code < 0 ? code : visit_rows(verify, XYLEM_FORMAT__SESSIONS, visit_session);
}
