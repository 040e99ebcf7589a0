/* Which sessions are whole: those that have no problem, and share nothing that has one. */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "store/branch.h"
#include "format/keys.h"
#include "store/session.h"
#include "care/verify.h"

static int note_position(struct xylem_care__verify *verify, struct xylem_position position)
{
    struct xylem_care__damage *damage = &verify->damage;
    struct xylem_position *last = damage->position_count ? &damage->positions[damage->position_count - 1] : NULL;
    if (position.branch == 0) {
        return XYLEM_OK;
    }
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

int xylem_care__damage_note(struct xylem_care__verify *verify, const struct xylem_care__place *place)
{
    int code = xylem_base__numbers_note(&verify->damage.sessions, place->session, verify->err);
    return code < 0 ? code : note_position(verify, place->position);
}

void xylem_care__damage_release(struct xylem_care__damage *damage)
{
    free(damage->sessions.list);
    free(damage->inherited.list);
    free(damage->positions);
    memset(damage, 0, sizeof *damage);
}

/* Sorts them by branch, each branch once, with the first of its positions. */
static void sort_positions(struct xylem_care__damage *damage)
{
    size_t kept = 0;
    if (damage->position_count == 0) {
        return;
    }
    qsort(damage->positions, damage->position_count, sizeof *damage->positions, xylem_base__compare_positions);
    for (size_t i = 1; i < damage->position_count; i++) {
        if (damage->positions[i].branch != damage->positions[kept].branch) {
            damage->positions[++kept] = damage->positions[i];
        }
    }
    damage->position_count = kept + 1;
}

static int compare_branch(const void *key, const void *element)
{
    const struct xylem_position *position = element;
    return xylem_base__compare_numbers(key, &position->branch);
}

/* Is there a problem at this position, or on the path before it? */
static bool is_damaged(const struct xylem_care__damage *damage, struct xylem_position at)
{
    if (at.branch == 0) {
        return false;
    }
    const struct xylem_position *first =
        damage->position_count == 0
            ? NULL
            : bsearch(&at.branch, damage->positions, damage->position_count, sizeof *damage->positions, compare_branch);
    return (first && first->depth <= at.depth) || xylem_base__numbers_have(&damage->inherited, at.branch);
}

/*
 * One pass along the branches. A branch has a greater number than those that its path crosses, so what is known of them
 * is known when it is reached, and `inherited` ascends. What a row that is damaged would say was noted as a problem.
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
    bool inherits = is_damaged(damage, parent);
    int code = inherits ? xylem_base__numbers_add(&damage->inherited, number, verify->err) : XYLEM_OK;
    return code < 0 || !is_damaged(damage, last)
               ? code
               : xylem_base__numbers_note(&damage->sessions, branch.session, verify->err);
}

static int visit_session(struct xylem_care__verify *verify, struct xylem_view key, struct xylem_view row)
{
    struct xylem_session session = {.id = {NULL, 0}};
    uint64_t number = 0;
    if (!xylem_format__key_read_u64(&number, key)) {
        return XYLEM_OK;
    }
    bool readable = row.data && xylem_store__session_decode(&session, number, row, NULL) == XYLEM_OK;
    if (readable && session.state == XYLEM_SESSION_FREED) {
        return XYLEM_OK; /* it is none any more: those that share its entries are */
    }
    if (!xylem_base__numbers_have(&verify->damage.sessions, number) &&
        !(readable && is_damaged(&verify->damage, session.base))) {
        return XYLEM_OK;
    }
    verify->report->damaged_session_count++;
    verify->report->session_count += row.data == NULL; /* nobody else counted it, as it does not have its sum */
    struct xylem_view id = readable ? session.id : (struct xylem_view){NULL, 0};
    return verify->options->damaged && verify->options->damaged(verify->context, number, id) != 0
               ? xylem_base__fail(verify->err, XYLEM_E_STOPPED, "the verification was stopped by the caller")
               : XYLEM_OK;
}

/* Each row of a table; `row` of one without its sum is given as `data` NULL. */
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
    int found = xylem_lmdb__rows_step(&key, &row, rows, XYLEM_LMDB__FIRST, &reason);
    while (code == XYLEM_OK && found > 0) {
        if (xylem_lmdb__check_summed(&row, verify->txn, table, key, &reason) < 0) {
            row = (struct xylem_view){NULL, 0};
        }
        code = visit(verify, key, row);
        found = code < 0 ? 0 : xylem_lmdb__rows_step(&key, &row, rows, XYLEM_LMDB__NEXT, &reason);
    }
    xylem_lmdb__rows_free(rows);
    return code;
}

/* Without these it cannot be said of a session that it is whole. */
static bool are_read(const struct xylem_care__verify *verify)
{
    static const enum xylem_format__table needed[] = {XYLEM_FORMAT__META, XYLEM_FORMAT__SESSIONS,
                                                      XYLEM_FORMAT__BRANCHES, XYLEM_FORMAT__LOG, XYLEM_FORMAT__KINDS};
    bool read = true;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        read = read && !xylem_lmdb__table_is_shut(verify->txn, needed[i]);
    }
    return read;
}

int xylem_care__damage_report(struct xylem_care__verify *verify)
{
    verify->report->sessions_known = are_read(verify);
    if (!verify->report->sessions_known || verify->report->problem_count == 0) {
        return XYLEM_OK;
    }
    sort_positions(&verify->damage);
    int code = visit_rows(verify, XYLEM_FORMAT__BRANCHES, visit_branch);
    xylem_base__numbers_sort(&verify->damage.sessions);
    return code < 0 ? code : visit_rows(verify, XYLEM_FORMAT__SESSIONS, visit_session);
}
