/*
 * Checks the table `outlines`: each row as new as its session is made anew from the entries and compared, each row of
 * a list must be the row that the outline gives, and each session that is not stale must have an outline. A problem here
 * damages no session: everything in the table follows from other tables.
 */
#include <inttypes.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "branch/outline.h"
#include "care/verify.h"

static const struct xylem_care__place in_outlines = {.table = XYLEM_FORMAT__OUTLINES};

/* 1 and the session of a row; 0: a problem was reported. */
static int read_session(struct xylem_session *session, struct xylem_care__verify *verify, uint64_t number)
{
    struct xylem_error reason;
    int code = xylem_session_read(session, verify->txn, number, &reason);
    if (code < 0) {
        code = xylem_care__problem_if(verify, &in_outlines, code, &reason);
        return code < 0 ? code : 0;
    }
    if (session->state == XYLEM_SESSION_FREED) {
        return xylem_care__problem(verify, &in_outlines, "a row of the freed session number %" PRIu64, number);
    }
    return 1;
}

/* The row of a list must be among the keys of its session. */
static int check_listed(struct xylem_care__verify *verify, uint64_t number, struct xylem_view key)
{
    struct xylem_session session;
    struct xylem_store__outline_keys keys = {.count = 0};
    struct xylem_error reason;
    int found = read_session(&session, verify, number);
    if (found <= 0) {
        return found;
    }
    int code = xylem_store__outline_keys(&keys, verify->txn, &session, true, &reason);
    if (code < 0) {
        return xylem_care__problem_if(verify, &in_outlines, code, &reason);
    }
    size_t i = 0;
    while (i < keys.count && !xylem_base__view_equal(keys.list[i].view, key)) {
        i++;
    }
    return i < keys.count
               ? XYLEM_OK
               : xylem_care__problem(verify, &in_outlines,
                                     "a row of a list does not fit the outline of session number %" PRIu64, number);
}

static bool words_equal(struct xylem_view kept, const struct xylem_buffer *made)
{
    return xylem_base__view_equal(kept, xylem_base__buffer_view(made));
}

static int compare(struct xylem_care__verify *verify, const struct xylem_session *session,
                   struct xylem_store__outline *kept)
{
    struct xylem_buffer name = {NULL, 0, 0};
    struct xylem_buffer first = {NULL, 0, 0};
    struct xylem_buffer last = {NULL, 0, 0};
    struct xylem_outline made = {0};
    struct xylem_error reason;
    const char *differs = NULL;
    int words = xylem_store__outline_words(kept, verify->txn, session->number, &reason);
    int code = xylem_care__problem_if(verify, &in_outlines, words, &reason);
    if (code == XYLEM_OK && words == XYLEM_OK &&
        (code = xylem_branch__outline_make(&made, &name, verify->txn, session, &reason)) == XYLEM_OK &&
        (code = xylem_branch__outline_make_words(&first, &last, verify->txn, session, &reason)) == XYLEM_OK) {
        differs = made.active_ms != kept->outline.active_ms       ? "another activity"
                  : made.entry_count != kept->outline.entry_count ? "another count of entries"
                  : made.tip_count != kept->outline.tip_count     ? "another count of tips"
                  : made.has_name != kept->outline.has_name || !words_equal(kept->name, &name) ? "another name"
                  : !words_equal(kept->first, &first)                                          ? "other first words"
                  : !words_equal(kept->last, &last)                                            ? "other last words"
                                                                                               : NULL;
    }
    xylem_buffer_release(&name);
    xylem_buffer_release(&first);
    xylem_buffer_release(&last);
    if (code == XYLEM_E_CORRUPT) {
        return XYLEM_OK; /* the visit of the damaged row reports it */
    }
    return code < 0 || !differs
               ? xylem_care__problem_if(verify, &in_outlines, code, &reason)
               : xylem_care__problem(verify, &in_outlines, "the outline of session number %" PRIu64 " has %s",
                                     session->number, differs);
}

static int check_row(struct xylem_care__verify *verify, uint64_t number)
{
    struct xylem_session session;
    struct xylem_store__outline kept;
    struct xylem_store__outline_keys keys = {.count = 0};
    struct xylem_error reason;
    int found = read_session(&session, verify, number);
    if (found <= 0) {
        return found;
    }
    found = xylem_store__outline_row(&kept, verify->txn, number, &reason);
    if (found < 0) {
        return xylem_care__problem_if(verify, &in_outlines, found, &reason);
    }
    bool fresh = found == 1 && xylem_store__outline_is_fresh(&kept, &session);
    /* The rows of the lists to which the outline leads must be there. */
    int code = xylem_store__outline_keys(&keys, verify->txn, &session, false, &reason);
    bool listed = true;
    for (size_t i = 0; code >= 0 && listed && i < keys.count; i++) {
        struct xylem_view row;
        code = xylem_lmdb__get_summed(&row, verify->txn, XYLEM_FORMAT__OUTLINES, keys.list[i].view, &reason);
        listed = code != 0;
    }
    code = listed
               ? xylem_care__problem_if(verify, &in_outlines, code, &reason)
               : xylem_care__problem(verify, &in_outlines, "a list lacks its row of session number %" PRIu64, number);
    if (code < 0 || (!fresh && (!verify->stale_known || xylem_base__numbers_have(&verify->stale, number)))) {
        return code;
    }
    return fresh ? compare(verify, &session, &kept)
                 : xylem_care__problem(verify, &in_outlines,
                                       "the outline of session number %" PRIu64 " is stale, and no notice says so",
                                       number);
}

int xylem_care__visit_outline(struct xylem_care__verify *verify, struct xylem_view key, struct xylem_view row)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of(key.data, key.bytes);
    unsigned tag = xylem_base__read_u8(&cursor);
    uint64_t number = 0;
    int64_t active_ms;
    struct xylem_view name;
    bool right = true;
    switch (tag) {
    case XYLEM_FORMAT__OUTLINE_HEAD:
        right = key.bytes == 1 && row.bytes == 16;
        return right ? XYLEM_OK : xylem_care__problem(verify, &in_outlines, "the head: expected 16 bytes");
    case XYLEM_FORMAT__OUTLINE_ROW:
    case XYLEM_FORMAT__OUTLINE_WORDS:
    case XYLEM_FORMAT__OUTLINE_STALE:
        number = xylem_base__read_ordered(&cursor);
        right = xylem_base__cursor_ended(&cursor);
        break;
    case XYLEM_FORMAT__OUTLINE_ACTIVE:
    case XYLEM_FORMAT__OUTLINE_DIRECTORY:
        right = xylem_format__key_read_outline_place(&active_ms, &number, key);
        break;
    case XYLEM_FORMAT__OUTLINE_NAME:
        right = xylem_format__key_read_outline_name(&name, &number, key);
        break;
    default:
        right = false;
    }
    if (!right) {
        return xylem_care__problem(verify, &in_outlines, "a key of %zu bytes with the tag %u is not known", key.bytes,
                                   tag);
    }
    return tag == XYLEM_FORMAT__OUTLINE_ROW ? check_row(verify, number) : check_listed(verify, number, key);
}

int xylem_care__find_stale(struct xylem_care__verify *verify)
{
    struct xylem_sessions *sessions = NULL;
    struct xylem_session session;
    struct xylem_store__outline kept;
    struct xylem_error reason;
    if (xylem_lmdb__table_is_shut(verify->txn, XYLEM_FORMAT__OUTLINES)) {
        return XYLEM_OK;
    }
    int code = xylem_store__outline_stale(&verify->stale, NULL, verify->txn, false, &reason);
    verify->stale_known = code == XYLEM_OK;
    code = code < 0 ? code : xylem_sessions_new(&sessions, verify->txn, &reason);
    while (code >= 0 && (code = xylem_sessions_next(&session, sessions, &reason)) > 0) {
        if (session.state == XYLEM_SESSION_FREED || xylem_base__numbers_have(&verify->stale, session.number)) {
            continue;
        }
        int found = xylem_store__outline_row(&kept, verify->txn, session.number, &reason);
        int checked = found == 0
                          ? xylem_care__problem(verify, &in_outlines,
                                                "the outline of session number %" PRIu64 " is missing", session.number)
                          : xylem_care__problem_if(verify, &in_outlines, found, &reason);
        if (checked < 0) {
            xylem_sessions_free(sessions);
            return checked;
        }
    }
    xylem_sessions_free(sessions);
    return code == XYLEM_E_CORRUPT && verify->report->problem_count > 0
               ? XYLEM_OK
               : xylem_care__problem_if(verify, &in_outlines, code, &reason);
}
