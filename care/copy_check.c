#include "care/copy_check.h"

#include "base/error.h"
#include "store/lmdb/handle.h"
#include "store/lmdb/tables.h"

/* Keeps the first problem. */
static int note_problem(void *context, const struct xylem_problem *problem)
{
    struct xylem_error *first = context;
    return xylem_base__fail(first, 1, "%s: %s", problem->table ? problem->table : "pages", problem->text);
}

int xylem_care__check_sound(struct xylem_verify_report *report, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_error first = {0, ""};
    struct xylem_error own;
    int code = xylem_verify(report, txn, NULL, note_problem, &first, &own);
    if (code == XYLEM_E_STOPPED || code == XYLEM_E_CORRUPT) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s is damaged: %s", xylem_lmdb__path(txn),
                                code == XYLEM_E_STOPPED ? first.text : own.text);
    }
    return code < 0 ? xylem_base__fail(err, code, "%s", own.text) : XYLEM_OK;
}

int xylem_care__copy_check(struct xylem_verify_report *report, const char *directory, const char *name,
                           struct xylem_error *err)
{
    struct xylem_store *copy = NULL;
    struct xylem_txn *txn = NULL;
    struct xylem_error own;
    int code;
    if ((code = xylem_lmdb__open_alone(&copy, directory, name, &own)) == XYLEM_OK &&
        (code = xylem_begin(&txn, copy, XYLEM_READ, &own)) == XYLEM_OK) {
        code = xylem_care__check_sound(report, txn, &own);
    }
    xylem_abort(txn);
    xylem_close(copy, NULL);
    if (code == XYLEM_E_CORRUPT) {
        code = XYLEM_E_IO; /* the original is sound, so disk or memory failed */
    }
    return code < 0 ? xylem_base__fail(err, code, "the copy cannot be relied on, and was removed: %s", own.text)
                    : XYLEM_OK;
}
