/*
 * Rewrites records, and drops the hash of a payload. The check of an entry covers the hash of its payload and the check
 * of its parent, so the checks of all later entries on a path cover the hash, too. Each of these checks could confirm a
 * guess of the payload. So the target gets a random hash, and the target and all later entries get new checks:
 *
 *     branch 1   1--2--3*-4--5         3* is the target.
 *                   |     |
 *     branch 2      +--3  |            New checks: 3, 4, 5 of branch 1; 5 and 6 of branch 3.
 *     branch 3            +--5--6
 *
 * A branch has a greater number than its parent branch, so one pass over the table branches finds all such branches.
 *
 * The new checks are written in pieces, branch by branch. Between two pieces the checks before a place are new, and the
 * checks behind it are old: as made from the old check of the entry before. The row `redacting` has such places with
 * the old check there (redact_pieces.c), and whoever verifies a check asks for it.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "store/branch.h"
#include "store/feed.h"
#include "store/format/keys.h"
#include "store/meta.h"
#include "store/format/record.h"
#include "store/redact.h"
#include "xylem/feed.h"

/* The index of the first target at or behind a position; `target_count` for none. */
static size_t seek_target(const struct xylem_store__redaction *redaction, struct xylem_position position)
{
    size_t from = 0;
    size_t to = redaction->target_count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        struct xylem_position at = redaction->targets[middle];
        bool before = at.branch < position.branch || (at.branch == position.branch && at.depth < position.depth);
        from = before ? middle + 1 : from;
        to = before ? to : middle;
    }
    return from;
}

/* True if a target is at the position. */
bool xylem_store__redact_is_target(const struct xylem_store__redaction *redaction, struct xylem_position position)
{
    size_t at = seek_target(redaction, position);
    return at < redaction->target_count && xylem_format__position_equal(redaction->targets[at], position);
}

struct xylem_view xylem_store__redact_reason(const struct xylem_store__redaction *redaction,
                                             struct xylem_position position)
{
    size_t at = seek_target(redaction, position);
    return redaction->taken && at < redaction->target_count ? redaction->taken[at].reason : redaction->options.reason;
}

/* The first depth of a branch at which checks change; 0: no check of the branch changes. */
static uint64_t first_changed(const struct xylem_store__redaction *redaction, const struct xylem_store__branch *branch)
{
    const struct xylem_store__behind *parent =
        redaction->behind_count == 0 ? NULL
                                     : bsearch(&branch->parent_branch, redaction->behind, redaction->behind_count,
                                               sizeof *parent, xylem_base__compare_numbers);
    if (parent && parent->first_depth < branch->first_depth) {
        return branch->first_depth;
    }
    size_t at = seek_target(redaction, (struct xylem_position){branch->number, 0});
    bool has = at < redaction->target_count && redaction->targets[at].branch == branch->number;
    return has ? redaction->targets[at].depth : 0;
}

/* Reads the check of an entry's parent from the store; 0 for a root. */
static int parent_check(uint64_t *check, const struct xylem_entry *entry, struct xylem_store__redaction *redaction)
{
    struct xylem_entry parent;
    *check = 0;
    if (xylem_format__position_none(entry->parent)) {
        return XYLEM_OK;
    }
    int code = xylem_store__entry_read(&parent, redaction->txn, entry->parent, redaction->err);
    if (xylem_store__no_entry(code)) {
        return xylem_base__fail(redaction->err, XYLEM_E_CORRUPT, "the record at " XYLEM_FORMAT__AT_FORMAT " is missing",
                                XYLEM_FORMAT__AT_ARGUMENTS(entry->parent));
    }
    *check = code < 0 ? 0 : parent.check;
    return code;
}

static int visit_branch(void *context, struct xylem_view key, struct xylem_view row)
{
    struct xylem_store__redaction *redaction = context;
    struct xylem_store__branch branch;
    struct xylem_entry entry;
    uint64_t number = 0;
    if (!xylem_format__key_read_u64(&number, key)) {
        return xylem_base__fail(redaction->err, XYLEM_E_CORRUPT, "%s: a key of the table branches has %zu bytes",
                                xylem_lmdb__path(redaction->txn), key.bytes);
    }
    int code = xylem_store__branch_decode(&branch, number, row, redaction->err);
    redaction->last_branch = number;
    if (code < 0) {
        return code;
    }
    struct xylem_position at = {number, first_changed(redaction, &branch)};
    if (at.depth == 0) {
        return XYLEM_OK;
    }
    struct xylem_store__behind *behind =
        xylem_base__with_room(redaction->behind, &redaction->behind_capacity, redaction->behind_count, sizeof *behind);
    if (!behind) {
        return xylem_base__fail_memory(redaction->err);
    }
    redaction->behind = behind;
    behind += redaction->behind_count;
    *behind = (struct xylem_store__behind){.branch = number, .first_depth = at.depth};
    code = xylem_store__entry_read(&entry, redaction->txn, at, redaction->err);
    if (xylem_store__no_entry(code)) {
        return XYLEM_OK; /* freed since the search, and all entries behind */
    }
    redaction->behind_count++;
    return code < 0 ? code : parent_check(&behind->above, &entry, redaction);
}

/* Finds the branches whose checks change, among the branches that were not looked at yet. */
static int find_behind(struct xylem_store__redaction *redaction)
{
    struct xylem_lmdb__rows *rows;
    struct xylem_format__key next;
    int code = xylem_lmdb__rows_new(&rows, redaction->txn, XYLEM_FORMAT__BRANCHES, redaction->err);
    if (code < 0) {
        return code;
    }
    struct xylem_view row = {NULL, 0};
    xylem_format__key_u64(&next, redaction->last_branch + 1);
    struct xylem_view key = next.view;
    int found = xylem_lmdb__rows_step_summed(&key, &row, rows, XYLEM_LMDB__AT_OR_AFTER, redaction->err);
    while (found > 0 && (code = visit_branch(redaction, key, row)) == XYLEM_OK) {
        found = xylem_lmdb__rows_step_summed(&key, &row, rows, XYLEM_LMDB__NEXT, redaction->err);
    }
    xylem_lmdb__rows_free(rows);
    return found < 0 ? found : code;
}

/*
 * Verifies the check of an entry: a new check in place of a wrong check would hide the damage. `above`: the check of
 * the parent, replaced by the check of the entry.
 */
static int verify_check(struct xylem_store__redaction *redaction, const struct xylem_entry *entry, uint64_t *above)
{
    int fits = xylem_store__check_fits(redaction->txn, entry, *above, redaction->err);
    *above = entry->check;
    return fits != 0 ? fits
                     : xylem_base__fail(redaction->err, XYLEM_E_CORRUPT,
                                        "entry %.*s at " XYLEM_FORMAT__AT_FORMAT
                                        ": its check (a hash of the entry and its history) does not match",
                                        XYLEM_BASE__SHOWN(entry->id), XYLEM_FORMAT__AT_ARGUMENTS(entry->position));
}

/* Verifies the checks of a branch from a depth to its end. */
static int verify_branch(struct xylem_store__redaction *redaction, const struct xylem_store__behind *behind)
{
    struct xylem_store__log *log;
    struct xylem_entry entry;
    uint64_t above = behind->above;
    int found = xylem_store__log_new(&log, redaction->txn, redaction->err);
    if (found < 0) {
        return found;
    }
    struct xylem_position at = {behind->branch, behind->first_depth};
    found = xylem_store__log_seek(&entry, log, at, redaction->err);
    for (found = found < 0 ? found : 1; found > 0; at.depth++) {
        if (entry.position.depth != at.depth) {
            found = xylem_base__fail(redaction->err, XYLEM_E_CORRUPT,
                                     "the record at " XYLEM_FORMAT__AT_FORMAT " is missing",
                                     XYLEM_FORMAT__AT_ARGUMENTS(at));
            break;
        }
        redaction->report->rechecked_count += !xylem_store__redact_is_target(redaction, at);
        found = verify_check(redaction, &entry, &above);
        found = found < 0 ? found : xylem_store__log_next(&entry, log, redaction->err);
    }
    xylem_store__log_free(log);
    return found;
}

int xylem_store__redact_verify_behind(struct xylem_store__redaction *redaction)
{
    int code = find_behind(redaction);
    for (size_t i = 0; code == XYLEM_OK && i < redaction->behind_count; i++) {
        code = verify_branch(redaction, &redaction->behind[i]);
    }
    return code;
}

static int put_record(struct xylem_store__redaction *redaction, struct xylem_position position)
{
    struct xylem_format__key key;
    xylem_format__key_pair(&key, position.branch, position.depth);
    return xylem_lmdb__put(redaction->txn, XYLEM_FORMAT__LOG, key.view, xylem_base__buffer_view(&redaction->record),
                           true, redaction->err);
}

int xylem_store__redact_record(struct xylem_store__redaction *redaction, const struct xylem_entry *entry,
                               uint64_t payload_hash, uint64_t check)
{
    struct xylem_view reason = xylem_store__redact_reason(redaction, entry->position);
    int code = xylem_entry_redaction(&reason, entry, redaction->err); /* the first reason stays */
    if (code < 0) {
        return code;
    }
    bool dropped = payload_hash != entry->unverified.payload_hash;
    struct xylem_format__record record = {.check = check,
                                          .payload_hash = payload_hash,
                                          .lsn = entry->lsn,
                                          .time_ms = entry->time_ms,
                                          .kind_number = entry->unverified.kind_number,
                                          .flags = entry->flags | XYLEM_ENTRY_REDACTED,
                                          .format = entry->format,
                                          .id = entry->id,
                                          .links = {entry->unverified.links, entry->unverified.links_bytes},
                                          .line = reason};
    record.flags |= dropped ? XYLEM_ENTRY_HASH_DROPPED : 0;
    xylem_base__buffer_clear(&redaction->record);
    const struct xylem_position at = entry->position; /* a write makes the entry invalid */
    struct xylem_store__branch branch;
    if ((code = xylem_format__record_encode(&redaction->record, at, &record, redaction->err)) < 0 ||
        (code = xylem_store__branch_read(&branch, redaction->txn, at.branch, redaction->err)) < 0 ||
        (code = put_record(redaction, at)) < 0 || redaction->taken) {
        return code;
    }
    const struct xylem_change change = {.type = XYLEM_CHANGE_REDACTED, .session = branch.session, .position = at};
    return xylem_store__feed_add(redaction->txn, &change, redaction->err);
}

/* Rewrites an entry. `above`: the new check of the parent, replaced by the new check of the entry. */
static int write_entry(struct xylem_store__redaction *redaction, const struct xylem_entry *entry, uint64_t *above)
{
    uint64_t hash = entry->unverified.payload_hash;
    bool wanted =
        xylem_store__redact_is_target(redaction, entry->position) && !(entry->flags & XYLEM_ENTRY_HASH_DROPPED);
    int may = wanted ? xylem_store__redact_may(redaction, entry->position) : 0;
    bool drops = may > 0;
    int code = may < 0 ? may : XYLEM_OK;
    if (drops && redaction->taken) {
        hash = redaction->taken[seek_target(redaction, entry->position)].hash;
    }
    while (code == XYLEM_OK && drops && hash == entry->unverified.payload_hash) {
        code = xylem_base__random(&hash, sizeof hash, redaction->err);
    }
    if (code < 0 || (code = xylem_format__record_check(above, *above, entry->kind, entry->time_ms, entry->format,
                                                       entry->id, hash, redaction->err)) < 0) {
        return code;
    }
    if (drops) {
        return xylem_store__redact_record(redaction, entry, hash, *above);
    }
    struct xylem_format__key key;
    struct xylem_view bytes = {NULL, 0};
    xylem_format__key_pair(&key, entry->position.branch, entry->position.depth);
    code = xylem_lmdb__get(&bytes, redaction->txn, XYLEM_FORMAT__LOG, key.view, redaction->err);
    xylem_base__buffer_clear(&redaction->record);
    if (code >= 0 && xylem_buffer_add(&redaction->record, bytes.data, bytes.bytes) < 0) {
        code = xylem_base__fail_memory(redaction->err);
    }
    if (code < 0) {
        return code;
    }
    xylem_format__record_recheck(&redaction->record, entry->position, *above);
    return put_record(redaction, entry->position);
}

/* Rewrites a branch until the piece is full: 1, or 0 at the end of the branch. */
static int write_behind(struct xylem_store__redaction *redaction, struct xylem_store__behind *behind,
                        struct xylem_store__piece *piece)
{
    struct xylem_position at = {behind->branch, behind->first_depth};
    struct xylem_position tip;
    struct xylem_entry entry;
    uint64_t above = 0;
    int code = xylem_store__entry_read(&entry, redaction->txn, at, redaction->err);
    if (xylem_store__no_entry(code)) {
        return 0; /* freed since the last piece, and all entries behind */
    }
    if (code < 0 || (code = xylem_store__branch_tip(&tip, redaction->txn, at.branch, redaction->err)) < 0 ||
        (code = parent_check(&above, &entry, redaction)) < 0) {
        return code;
    }
    while (code == XYLEM_OK && !xylem_store__piece_full(piece)) {
        piece->written += xylem_format__record_bytes(&entry);
        if ((code = verify_check(redaction, &entry, &behind->above)) < 0 ||
            (code = write_entry(redaction, &entry, &above)) < 0) {
            return code;
        }
        behind->first_depth = ++at.depth;
        if (at.depth > tip.depth) {
            return 0;
        }
        code = xylem_store__entry_read(&entry, redaction->txn, at, redaction->err);
    }
    return code < 0 ? code : 1;
}

int xylem_store__redact_drop(struct xylem_store__redaction *redaction, struct xylem_store__piece *piece)
{
    int code = xylem_store__feature_add(redaction->txn, XYLEM_FORMAT__FEATURE_HASH_DROPPED, redaction->err);
    if (code < 0 || (code = find_behind(redaction)) < 0) {
        return code;
    }
    for (; redaction->behind_next < redaction->behind_count; redaction->behind_next++) {
        struct xylem_store__behind *behind = &redaction->behind[redaction->behind_next];
        if ((code = write_behind(redaction, behind, piece)) != 0) {
            redaction->target_next =
                seek_target(redaction, (struct xylem_position){behind->branch, behind->first_depth});
            return code;
        }
    }
    return 0;
}
