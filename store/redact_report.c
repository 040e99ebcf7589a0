/* Reports a redaction: matches, and session files that still have the bytes. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "store/redact.h"

int xylem_store__redact_matches_text(const struct xylem_store__redaction *redaction, struct xylem_view text)
{
    return text.bytes == 0 ? 0 : redaction->matcher->text(redaction->matcher->context, text, redaction->err);
}

bool xylem_store__redact_in_scope(const struct xylem_store__redaction *redaction, uint64_t session)
{
    return redaction->sessions.count == 0 || xylem_base__numbers_have(&redaction->sessions, session);
}

int xylem_store__redact_follows(const struct xylem_store__redaction *redaction, uint64_t session)
{
    struct xylem_session row;
    int code = xylem_session_read(&row, redaction->txn, session, redaction->err);
    return code < 0 ? code : row.owner.data != NULL;
}

int xylem_store__redact_may(const struct xylem_store__redaction *redaction, struct xylem_position target)
{
    struct xylem_store__branch branch;
    if (redaction->taken) {
        return 1;
    }
    int code = xylem_store__branch_read(&branch, redaction->txn, target.branch, redaction->err);
    code = code < 0 ? code : xylem_store__redact_follows(redaction, branch.session);
    return code < 0 ? code : !code;
}

int xylem_store__redact_tell(struct xylem_store__redaction *redaction, const struct xylem_match *match)
{
    struct xylem_match told = *match;
    struct xylem_session session;
    uint64_t counts[XYLEM_SECRETS_MAX]; /* of the match: the ids are searched below */
    assert(redaction->matcher && redaction->scope);
    redaction->report->kept_count += !match->taken;
    if (!redaction->scope->found) {
        return XYLEM_OK;
    }
    if (redaction->matcher->secret_counts) {
        memcpy(counts, redaction->matcher->secret_counts, sizeof counts);
        told.secret_counts = counts;
    }
    if (told.session != 0) {
        int code = xylem_session_read(&session, redaction->txn, told.session, redaction->err);
        int matches = code < 0 ? code : xylem_store__redact_matches_text(redaction, session.id);
        if (matches < 0) {
            return matches;
        }
        bool is_telling = matches == 0 && session.id.bytes > 0 && session.name_space.bytes == 0;
        told.session_id = is_telling ? session.id : (struct xylem_view){NULL, 0};
    }
    int matches = xylem_store__redact_matches_text(redaction, told.entry_id);
    if (matches != 0) {
        told.entry_id = (struct xylem_view){NULL, 0};
    }
    if (matches < 0) {
        return matches;
    }
    return redaction->scope->found(redaction->scope->context, &told) == 0
               ? XYLEM_OK
               : xylem_base__fail(redaction->err, XYLEM_E_STOPPED, "the redaction was stopped by the caller");
}

int xylem_store__redact_source(struct xylem_store__redaction *redaction, struct xylem_view name)
{
    struct xylem_redact_report *report = redaction->report;
    struct xylem_error *err = redaction->err;
    /* A matching path is not reported here: it is reported as a match that stays. */
    int matches = redaction->matcher ? redaction->matcher->text(redaction->matcher->context, name, err) : 0;
    if (matches != 0) {
        return matches < 0 ? matches : XYLEM_OK;
    }
    for (size_t i = 0; i < report->source_count; i++) {
        if (xylem_base__view_equal(report->sources[i], name)) {
            return XYLEM_OK;
        }
    }
    struct xylem_view *sources = reallocarray(report->sources, report->source_count + 1, sizeof *sources);
    if (!sources) {
        return xylem_base__fail_memory(err);
    }
    report->sources = sources;
    char *copy = malloc(name.bytes + 1);
    if (!copy) {
        return xylem_base__fail_memory(err);
    }
    memcpy(copy, name.data, name.bytes);
    copy[name.bytes] = '\0';
    sources[report->source_count++] = (struct xylem_view){copy, name.bytes};
    return XYLEM_OK;
}
