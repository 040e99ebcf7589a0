/* Reports problems and progress to the caller of xylem_verify(). */
#include "care/verify.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "store/branch.h"
#include "store/lmdb/tables.h"

#define PROGRESS_ROWS 64u

/* Cuts the store's path from the beginning of an error's text: every problem is a problem of this store. */
static const char *without_path(const char *text, const char *path)
{
    size_t bytes = strlen(path);
    return strncmp(text, path, bytes) == 0 && strncmp(text + bytes, ": ", 2) == 0 ? text + bytes + 2 : text;
}

int xylem_care__problem(struct xylem_care__verify *verify, const struct xylem_care__place *place, const char *format,
                        ...)
{
    char text[XYLEM_ERROR_TEXT_BYTES];
    va_list arguments;
    assert(place->table < XYLEM_FORMAT__TABLE_COUNT);
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    struct xylem_error escaped;
    struct xylem_care__place whole = *place;
    struct xylem_view name_space = {NULL, 0};
    struct xylem_store__branch branch;
    struct xylem_session session;
    struct xylem_entry entry;
    xylem_base__fail(&escaped, XYLEM_E_CORRUPT, "%s", without_path(text, xylem_lmdb__path(verify->txn)));
    /* Session and entry follow from the position, if the rows can be read. */
    if (whole.session == 0 && whole.position.branch != 0 &&
        xylem_store__branch_read(&branch, verify->txn, whole.position.branch, NULL) == XYLEM_OK) {
        whole.session = branch.session;
    }
    if (!whole.entry_id.data && whole.position.depth != 0 &&
        xylem_entry_read(&entry, verify->txn, whole.position, NULL) == XYLEM_OK) {
        whole.entry_id = entry.id;
    }
    if (whole.session && xylem_session_read(&session, verify->txn, whole.session, NULL) == XYLEM_OK) {
        whole.session_id = session.id;
        name_space = session.name_space;
    }
    xylem_lmdb__refused_as_shut(verify->txn); /* forgets the refusals of the reads above: they are no problems */
    struct xylem_problem problem = {.table = whole.in_no_table ? NULL : xylem_format__table_name(whole.table),
                                    .page = whole.page,
                                    .session_id = whole.session_id,
                                    .name_space = name_space,
                                    .position = whole.position,
                                    .entry_id = whole.entry_id,
                                    .text = escaped.text};
    verify->report->problem_count++;
    if (verify->found && verify->found(verify->context, &problem) != 0) {
        return xylem_base__fail(verify->err, XYLEM_E_STOPPED, "the verification was stopped by the caller");
    }
    return xylem_care__damage_note(verify, &whole);
}

int xylem_care__problem_if(struct xylem_care__verify *verify, const struct xylem_care__place *place, int code,
                           const struct xylem_error *reason)
{
    if (code >= 0) {
        return XYLEM_OK;
    }
    assert(reason->code == code);
    if (code == XYLEM_E_MEMORY || code == XYLEM_E_IO || code == XYLEM_E_STOPPED || code == XYLEM_E_FORKED) {
        return xylem_base__fail(verify->err, code, "%s", reason->text);
    }
    if (xylem_lmdb__refused_as_shut(verify->txn)) {
        return XYLEM_OK; /* the pass over the pages has reported the shut table */
    }
    return xylem_care__problem(verify, place, "%s", reason->text);
}

int xylem_care__verify_progress(struct xylem_care__verify *verify)
{
    bool due = verify->report->row_count % PROGRESS_ROWS == 0 && verify->options->progress;
    return due && verify->options->progress(verify->context, verify->report) != 0
               ? xylem_base__fail(verify->err, XYLEM_E_STOPPED, "the verification was stopped by the caller")
               : XYLEM_OK;
}
