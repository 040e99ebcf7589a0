/* Appends the entries of a segment, run by run. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "store/session.h"
#include "store/meta.h"
#include "travel/applying.h"
#include "xylem/branch.h"

int xylem_travel__read_session(struct xylem_travel__applying *applying, uint64_t number)
{
    int code = xylem_session_read(&applying->session, applying->txn, number, applying->err);
    xylem_buffer_release(&applying->copies);
    return code == XYLEM_OK && xylem_store__session_own(&applying->copies, &applying->session) < 0
               ? xylem_base__fail_memory(applying->err)
               : code;
}

int xylem_travel__place_of(struct xylem_position *position, struct xylem_travel__applying *applying,
                           struct xylem_view id)
{
    *position = (struct xylem_position){0, 0};
    int found = id.bytes == 0 ? 1 : xylem_store__find(position, applying->txn, &applying->session, id, applying->err);
    return found != 0 ? (found < 0 ? found : XYLEM_OK)
                      : xylem_base__fail(applying->err, XYLEM_E_MALFORMED,
                                         "the segment of the session %.*s names the entry %.*s, which the session does "
                                         "not have",
                                         XYLEM_BASE__SHOWN(applying->session.id), XYLEM_BASE__SHOWN(id));
}

static int fail_checks(const struct xylem_travel__applying *applying)
{
    return xylem_base__fail(applying->err, XYLEM_E_CONFLICT,
                            "the checks of the session %.*s are not those of the segment: the hash of a redacted entry "
                            "was dropped on one side; changes of its owner from before %" PRIu64 " must come first",
                            XYLEM_BASE__SHOWN(applying->reader.segment.session), applying->next);
}

/*
 * Behind a dropped hash the store has checks of its own, and a segment from before the drop has other checks. A fork of a
 * lost owner may have such segments for ever. The hashes compare the content of the entries.
 */
int xylem_travel__check_fits(const struct xylem_travel__applying *applying, struct xylem_position position,
                             uint64_t check)
{
    struct xylem_walk *walk;
    struct xylem_entry entry;
    int code = xylem_entry_read(&entry, applying->txn, position, applying->err);
    if (code < 0 || check == 0 || entry.check == check) {
        return code < 0 ? code : 1;
    }
    if ((code = xylem_walk_new(&walk, applying->txn, position, applying->err)) < 0) {
        return code;
    }
    while ((code = xylem_walk_next(&entry, walk, applying->err)) == 1 && !(entry.flags & XYLEM_ENTRY_HASH_DROPPED)) {
    }
    xylem_walk_free(walk);
    return code;
}

int xylem_travel__run_check(const struct xylem_travel__applying *applying, uint64_t check)
{
    if (check == 0 || xylem_format__position_none(applying->last)) {
        return XYLEM_OK;
    }
    int fits = xylem_travel__check_fits(applying, applying->last, check);
    return fits < 0 ? fits : fits == 1 ? XYLEM_OK : fail_checks(applying);
}

int xylem_travel__run_flush(struct xylem_travel__applying *applying)
{
    bool root = xylem_format__position_none(applying->parent);
    const struct xylem_append_options given = {.parent = root ? XYLEM_PARENT_NONE : XYLEM_PARENT_AT,
                                               .parent_position = applying->parent};
    const struct xylem_store__append_options options = {
        .given = &given, .copied = applying->copied, .lines = applying->lines};
    struct xylem_position first = {0, 0};
    struct xylem_error reason;
    size_t count = applying->count;
    if (count == 0) {
        return XYLEM_OK;
    }
    applying->count = 0;
    int code = xylem_store__append(&first, applying->txn, applying->session.number, applying->entries, count, &options,
                                   &reason);
    if (code < 0) { /* no owner gives an id twice */
        return xylem_base__fail(applying->err, code == XYLEM_E_EXISTS ? XYLEM_E_MALFORMED : code, "%s", reason.text);
    }
    applying->last = (struct xylem_position){first.branch, first.depth + count - 1};
    applying->has_leaf = true;
    applying->leaf = applying->last;
    return xylem_travel__read_session(applying, applying->session.number);
}

/* Begins a run below the parent that the entry names. */
static int begin(struct xylem_travel__applying *applying, const struct xylem_travel__change *change)
{
    int code = xylem_travel__run_flush(applying);
    applying->parent = applying->last;
    if (code < 0 || change->parent_is == XYLEM_TRAVEL__BEFORE) {
        return code;
    }
    applying->parent = (struct xylem_position){0, 0};
    if ((code = xylem_travel__run_check(applying, change->check_before)) < 0 ||
        change->parent_is == XYLEM_TRAVEL__NO_PARENT) {
        return code;
    }
    int found = xylem_store__find(&applying->parent, applying->txn, &applying->session, change->parent, applying->err);
    if (found == 0) { /* remains have no ordinals, which would tell of a gap */
        const struct xylem_segment *segment = &applying->reader.segment;
        return xylem_base__fail(applying->err, segment->freed ? XYLEM_E_NOT_FOUND : XYLEM_E_MALFORMED,
                                "the entry %.*s of the segment has the parent %.*s, which the session %.*s does not "
                                "have%s",
                                XYLEM_BASE__SHOWN(change->id), XYLEM_BASE__SHOWN(change->parent),
                                XYLEM_BASE__SHOWN(segment->session),
                                segment->freed ? ": a segment with the parent must come first" : "");
    }
    int fits = found < 0 ? found : xylem_travel__check_fits(applying, applying->parent, change->parent_check);
    return fits < 0 ? fits : fits == 1 ? XYLEM_OK : fail_checks(applying);
}

int xylem_travel__run_add(struct xylem_travel__applying *applying, const struct xylem_travel__change *change)
{
    bool goes_on =
        applying->count > 0 && applying->count < XYLEM_TRAVEL__RUN_MAX && change->parent_is == XYLEM_TRAVEL__BEFORE;
    int code;
    if (!applying->entries) {
        applying->entries = calloc(XYLEM_TRAVEL__RUN_MAX, sizeof *applying->entries);
        applying->copied = calloc(XYLEM_TRAVEL__RUN_MAX, sizeof *applying->copied);
        applying->lines = calloc(XYLEM_TRAVEL__RUN_MAX, sizeof *applying->lines);
        applying->times = calloc(XYLEM_TRAVEL__RUN_MAX, sizeof *applying->times);
        if (!applying->entries || !applying->copied || !applying->lines || !applying->times) {
            return xylem_base__fail_memory(applying->err);
        }
    }
    if ((!goes_on && (code = begin(applying, change)) < 0) ||
        (change->flags & XYLEM_ENTRY_HASH_DROPPED &&
         (code = xylem_store__feature_add(applying->txn, XYLEM_FORMAT__FEATURE_HASH_DROPPED, applying->err)) < 0)) {
        return code;
    }
    size_t at = applying->count++;
    bool redacted = (change->flags & XYLEM_ENTRY_REDACTED) != 0;
    applying->times[at] = change->time_ms;
    applying->entries[at] = (struct xylem_new_entry){.id = change->id,
                                                     .kind = change->kind,
                                                     .time_ms = &applying->times[at],
                                                     .format = change->format,
                                                     .payload = change->payload};
    applying->copied[at] = (struct xylem_store__copied){.flags = change->flags, .payload_hash = change->payload_hash};
    applying->lines[at] = redacted ? change->reason : change->line;
    return XYLEM_OK;
}

void xylem_travel__run_release(struct xylem_travel__applying *applying)
{
    free(applying->entries);
    free(applying->copied);
    free(applying->lines);
    free(applying->times);
    free(applying->taken);
    free(applying->taken_sides);
}
