/*
 * Writes what a dry run found, in pieces. The search took seconds and no lock; a piece holds the lock for a moment:
 *
 *     piece 1    lines, values and torn tails, the first entries; the row `redacting` has the other positions
 *     piece 2..  more entries; an entry that was redacted before is stepped over
 *     last       the last entries, and values that came since; the row goes
 *
 * A crash between two pieces leaves a sound store with the row, and the next call of anybody goes on with the row. A
 * redaction that drops hashes writes the row with each piece, with the places up to which checks are new.
 */
#include "base/clock.h"
#include "base/error.h"
#include "store/meta.h"
#include "store/redact.h"

struct writing {
    struct xylem_store__redaction *redaction;
    struct xylem_store__piece piece;
    uint64_t id; /* of the row, apart from the rows of other redactions */
    bool noted;  /* the row is there */
    size_t next; /* targets before it are written in the pieces before */
};

static int write_piece(struct xylem_txn *txn, void *context, struct xylem_error *err)
{
    struct writing *writing = context;
    struct xylem_store__redaction *redaction = writing->redaction;
    struct xylem_store__redacting row;
    redaction->txn = txn;
    redaction->err = err;
    redaction->target_next = writing->next;
    int noted = xylem_store__redacting_read(&row, txn, err);
    if (noted < 0 || (writing->noted && noted == 0)) { /* without the row another process has written the rest */
        return noted;
    }
    if (noted == 1 && row.id != writing->id) {
        return xylem_base__fail(err, XYLEM_E_BUSY, "another redaction of %s is under way", xylem_lmdb__path(txn));
    }
    int code;
    if ((code = xylem_store__redacting_behind(redaction, noted == 1 ? &row : NULL)) < 0 ||
        (code = xylem_store__removal_note(txn, XYLEM_STORE__REDACTION, err)) < 0 ||
        (!writing->noted &&
         ((code = xylem_store__redact_lines(redaction)) < 0 || (code = xylem_store__redact_values(redaction)) < 0)) ||
        (code = xylem_store__redact_entries(redaction, &writing->piece)) < 0) {
        return code;
    }
    int more = code;
    if (more == 0 && writing->noted && (code = xylem_store__redact_values(redaction)) < 0) {
        return code;
    }
    if (more == 0) {
        code = noted == 1
                   ? xylem_lmdb__remove(txn, XYLEM_FORMAT__META, xylem_view_of(XYLEM_FORMAT__META_REDACTING), err)
                   : XYLEM_OK;
    } else if (noted == 0 || redaction->drops) {
        code = xylem_store__redacting_write(redaction, writing->id, err);
    }
    return code < 0 ? code : more;
}

static int write_all(struct xylem_store *store, struct writing *writing, struct xylem_error *err)
{
    int more;
    do {
        more = xylem_store__write_piece(&writing->piece, store, write_piece, writing, err);
        writing->next = writing->redaction->target_next;
        writing->noted = true;
    } while (more == 1);
    return more;
}

/* Goes on with a redaction that did not end: 1, or 0 without such a redaction. */
static int write_noted(struct xylem_store *store, struct xylem_error *err)
{
    struct xylem_redact_report ignored = {.redacted_count = 0};
    struct writing writing = {.noted = true};
    struct xylem_txn *txn;
    struct xylem_store__redacting row;
    int code = xylem_begin(&txn, store, XYLEM_READ, err);
    if (code < 0) {
        return code;
    }
    int found = xylem_store__redacting_read(&row, txn, err);
    if (found == 1 && !(writing.redaction = xylem_store__redacting_redaction(&row))) {
        found = xylem_base__fail_memory(err);
    }
    if (found == 1) {
        writing.id = row.id;
        writing.redaction->report = &ignored;
    }
    xylem_abort(txn);
    code = found == 1 ? write_all(store, &writing, err) : XYLEM_OK;
    xylem_store__redact_free(writing.redaction);
    return code < 0 ? code : found;
}

int xylem_redact_write(struct xylem_redact_report *report, struct xylem_store *store, struct xylem_error *err)
{
    if (!store || (report && !report->found)) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "to write a redaction needs a store, and a report of a dry run");
    }
    int noted = write_noted(store, err);
    if (noted < 0 || !report) {
        return noted;
    }
    struct writing writing = {.redaction = report->found};
    writing.redaction->report = report;
    int code = xylem_base__random(&writing.id, sizeof writing.id, err);
    code = code < 0 ? code : write_all(store, &writing, err);
    xylem_store__redact_free(report->found);
    report->found = NULL;
    return code < 0 ? code : noted;
}
