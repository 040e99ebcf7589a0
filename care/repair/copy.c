/*
 * Appends the saved entries to the new store in the order of their lsns, and a placeholder for each gap.
 *
 *   the damaged store     1 ── 2 ── 3    x    x    6 ── 7      depths 4 and 5 are lost
 *   the new store         1 ── 2 ── 3 ── P ── 6' ── 7'         P is an entry of the kind xylem_lost; 6' has depth 5
 *
 * Entries are copied in batches: runs of entries that follow each other on one branch. After a batch fails as a whole,
 * its entries are copied one by one:
 *
 *   the library takes the batch                     the copies
 *   the library refuses one entry                   a placeholder for this entry, its bytes in quarantine, the others
 *   the parent is no entry of the session           a placeholder as a new root, and the copies below
 *   the parent is lost                              the parent's placeholder first, and the copies below
 *
 * Rows beside entries that have a place among the entries are written before the first entry with a greater lsn, and
 * keep their lsns as entries do.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "store/branch.h"
#include "store/feed.h"
#include "store/format/hash.h"
#include "store/meta.h"
#include "care/repair/repair.h"
#include "store/session.h"
#include "store/side.h"
#include "xylem/files.h"
#include "xylem/append.h"

#define BATCH_ENTRIES 256u
#define BATCH_BYTES (UINT64_C(4) << 20)
#define COMMIT_BYTES (UINT64_C(32) << 20)

/* The reason of a placeholder in place of a lost parent. */
#define PARENT_UNKNOWN "the parent of the next entry is unknown"

/* Gaps with a gap as parent nest on the stack. Behind this many the placeholder becomes a root. */
#define NESTED_MAX 256u

/* A run of entries that follow each other on one branch. */
struct batch {
    size_t count;
    uint64_t bytes;
    struct xylem_position parent; /* of the first entry, in the damaged store */
    struct xylem_repair__entry *of[BATCH_ENTRIES];
    struct xylem_buffer values[BATCH_ENTRIES];
    struct xylem_new_entry entries[BATCH_ENTRIES];
    struct xylem_store__copied copied[BATCH_ENTRIES];
    struct xylem_view lines[BATCH_ENTRIES];
    struct xylem_buffer kept[BATCH_ENTRIES]; /* the bytes of kept lines in `lines` */
    int64_t times[BATCH_ENTRIES];
    const char *refused[BATCH_ENTRIES];              /* why the entry cannot be copied; NULL: the entry can be copied */
    const char *damage[BATCH_ENTRIES];               /* the entry's loss in words; NULL: no loss */
    bool withheld[BATCH_ENTRIES];                    /* the text is left out, as it may have been redacted or deleted */
    struct xylem_repair__content raw[BATCH_ENTRIES]; /* the values lie in `values`; the keys are gone */
};

/* --- Sessions --------------------------------------------------------------------------------------------------- */

/* Makes the session in the new store, unless the session is there. */
static int make_session(struct xylem_repair__copying *copying, size_t index)
{
    struct xylem_repair__session *session = &copying->plan->sessions[index];
    struct xylem_session made = session->row;
    struct xylem_repair__session *first = &copying->plan->sessions[session->group];
    if (session->number > 0) {
        return XYLEM_OK;
    }
    /* Appends, set_base() and finish.c fill in the rest. */
    made.number = 0;
    made.owner = (struct xylem_view){NULL, 0}; /* with another history the session follows nobody */
    made.base = made.leaf = made.imported_leaf = (struct xylem_position){0, 0};
    made.last_lsn = made.move_count = made.newest_branch = 0;
    made.tree = first->tree;
    int code = copying->told ? xylem_store__session_add(copying->txn, &made, copying->repair->err)
                             : xylem_store__session_add_rows(copying->txn, &made, copying->repair->err);
    session->number = made.number;
    first->tree = first->tree > 0 ? first->tree : made.number;
    copying->repair->report->session_count += code == XYLEM_OK;
    return code;
}

/* The session that must come before a session, since it owns the base; the session itself: none must. */
static size_t comes_before(const struct xylem_repair__plan *plan, size_t index)
{
    const struct xylem_repair__branch *branch =
        xylem_repair__branch_of(plan, plan->sessions[index].row.base.branch); /* NULL also without a base */
    size_t owner = branch ? branch->session : index;
    bool ready = owner == XYLEM_REPAIR__NONE || plan->sessions[owner].number > 0 || plan->sessions[owner].waiting;
    return ready ? index : owner;
}

/*
 * Makes all sessions, the owner of a base before its forks: a search of an id takes the numbers of sessions for their
 * age. A session whose row was lost stands behind its forks in the plan. Damaged rows may form a circle.
 */
static int make_sessions(struct xylem_repair__copying *copying)
{
    struct xylem_repair__plan *plan = copying->plan;
    size_t *waiting = calloc(plan->session_count + 1, sizeof *waiting);
    int code = waiting ? XYLEM_OK : xylem_base__fail_memory(copying->repair->err);
    for (size_t i = 0; code == XYLEM_OK && i < plan->session_count; i++) {
        size_t count = 0;
        waiting[count++] = i;
        while (code == XYLEM_OK && count > 0) {
            size_t at = waiting[count - 1];
            size_t before = comes_before(plan, at);
            if (plan->sessions[at].number > 0) {
                count--;
            } else if (before != at) {
                plan->sessions[at].waiting = true;
                waiting[count++] = before;
            } else {
                code = make_session(copying, at);
            }
        }
    }
    free(waiting);
    return code;
}

int xylem_repair__session_made(struct xylem_session *made, struct xylem_buffer *copies,
                               struct xylem_repair__copying *copying, size_t index)
{
    assert(copies->bytes == 0);
    int code = xylem_session_read(made, copying->txn, copying->plan->sessions[index].number, copying->repair->err);
    if (code == XYLEM_OK && xylem_store__session_own(copies, made) < 0) {
        code = xylem_base__fail_memory(copying->repair->err);
    }
    return code;
}

/* Sets the base of a session in the new store. A session gets its base before its first own entry or row. */
static int set_base(struct xylem_repair__copying *copying, size_t index)
{
    struct xylem_position base = {0, 0};
    struct xylem_store__branch branch;
    if (copying->plan->sessions[index].based) {
        return XYLEM_OK;
    }
    copying->plan->sessions[index].based = true; /* before place(): damaged rows may form a circle */
    int found = xylem_repair__place(&base, copying, copying->plan->sessions[index].row.base);
    if (found <= 0 || xylem_format__position_none(base)) {
        return found < 0 ? found : XYLEM_OK;
    }
    struct xylem_session made;
    struct xylem_buffer copies = {NULL, 0, 0};
    int code = xylem_store__branch_read(&branch, copying->txn, base.branch, copying->repair->err);
    if (code == XYLEM_OK && (code = xylem_repair__session_made(&made, &copies, copying, index)) == XYLEM_OK &&
        branch.session != made.number) {
        made.base = base;
        code = xylem_store__session_write(copying->txn, &made, copying->repair->err);
    }
    xylem_buffer_release(&copies);
    return code;
}

/* --- Appending -------------------------------------------------------------------------------------------------- */

/* Appends entries to a session. The first entry gives a session without a row its time. */
static int append(struct xylem_position *first, struct xylem_repair__copying *copying, size_t session,
                  struct xylem_position parent, const struct xylem_new_entry *entries, size_t count,
                  const struct xylem_store__copied *copied, const struct xylem_view *lines)
{
    bool root = xylem_format__position_none(parent);
    const struct xylem_append_options given = {.parent = root ? XYLEM_PARENT_NONE : XYLEM_PARENT_AT,
                                               .parent_position = parent};
    const struct xylem_store__append_options options = {
        .given = &given, .payload_checked = true, .copied = copied, .lines = lines};
    int code;
    if ((code = set_base(copying, session)) < 0 ||
        (code = xylem_store__append(first, copying->txn, copying->plan->sessions[session].number, entries, count,
                                    &options, copying->repair->err)) < 0) {
        return code;
    }
    struct xylem_repair__session *owner = &copying->plan->sessions[session];
    owner->newest = (struct xylem_position){first->branch, first->depth + count - 1};
    owner->row.created_ms = owner->dated || owner->known ? owner->row.created_ms : copying->time_ms;
    owner->dated = true;
    return XYLEM_OK;
}

/* Appends one entry for a run of lost entries, so that a walk, an export and a person see the loss. */
static int append_placeholder(struct xylem_position *now, struct xylem_repair__copying *copying, size_t session,
                              struct xylem_position parent, uint64_t first, uint64_t last, const char *reason)
{
    static const struct xylem_store__copied nothing = {.flags = 0};
    struct xylem_buffer json = {NULL, 0, 0};
    int code;
    assert(first <= last);
    if (xylem_base__buffer_add_format(
            &json, "{\"lost\":%" PRIu64 ",\"first_depth\":%" PRIu64 ",\"last_depth\":%" PRIu64 ",\"reason\":",
            last - first + 1, first, last) < 0 ||
        xylem_buffer_add_json_string(&json, xylem_view_of(reason)) < 0 || xylem_buffer_add(&json, "}", 1) < 0) {
        code = xylem_base__fail_memory(copying->repair->err);
        goto out;
    }
    struct xylem_new_entry entry = {.kind = {XYLEM_CLASS_HOST, xylem_view_of(XYLEM_REPAIR__LOST_KIND)},
                                    .time_ms = &copying->time_ms,
                                    .format = XYLEM_FORMAT_JSON,
                                    .payload = xylem_base__buffer_view(&json)};
    code = append(now, copying, session, parent, &entry, 1, &nothing, NULL);
    if (code == XYLEM_E_NOT_FOUND) {
        code = append(now, copying, session, (struct xylem_position){0, 0}, &entry, 1, &nothing, NULL);
    }
    copying->repair->report->placeholder_count += code == XYLEM_OK;
out:
    xylem_buffer_release(&json);
    return code;
}

/* Appends the placeholder of a gap, below the entry or the placeholder before the gap. */
static int place_gap(struct xylem_repair__copying *copying, size_t index)
{
    const struct xylem_repair__gap *gap = &copying->plan->gaps[index];
    const struct xylem_repair__branch *branch = &copying->plan->branches[gap->branch];
    struct xylem_position parent = {0, 0};
    struct xylem_position before = {gap->first > branch->first_depth ? branch->number : branch->parent_branch,
                                    gap->first - 1};
    if (!xylem_format__position_none(gap->now)) {
        return XYLEM_OK;
    }
    int found = 0;
    copying->plan->gaps[index].placing = true;
    if (before.branch > 0 && before.depth > 0 && copying->nested < NESTED_MAX) {
        copying->nested++;
        found = xylem_repair__place(&parent, copying, before);
        copying->nested--;
    }
    struct xylem_position now;
    int code = found < 0 ? found
                         : append_placeholder(&now, copying, branch->session, parent, gap->first, gap->last,
                                              "found no copy of the record with a correct checksum");
    if (code == XYLEM_OK) {
        copying->plan->gaps[index].now = now;
    }
    return code;
}

int xylem_repair__place(struct xylem_position *now, struct xylem_repair__copying *copying, struct xylem_position old)
{
    const struct xylem_repair__entry *entry = xylem_repair__entry_at(copying->plan, old);
    const struct xylem_repair__gap *gap = entry ? NULL : xylem_repair__gap_at(copying->plan, old);
    *now = (struct xylem_position){0, 0};
    if (entry) {
        *now = entry->now;
        return !xylem_format__position_none(entry->now);
    }
    if (!gap || (gap->placing && xylem_format__position_none(gap->now))) {
        return 0;
    }
    int code = place_gap(copying, (size_t)(gap - copying->plan->gaps));
    *now = gap->now;
    return code < 0 ? code : 1;
}

/* --- One batch -------------------------------------------------------------------------------------------------- */

/*
 * Fills in payload, line and flags of the copy of an entry with a proven record:
 *
 *   payload and line have their hashes         both
 *   the text may have been removed since       neither; the entry is redacted, with a reason
 *   the payload is lost                        neither; the entry is redacted, with a reason
 *   the line is lost                           the payload
 *   the values of a host's line are lost       the payload with empty holes, if that is an object still; else neither
 *   the entry was redacted                     the reason of the redaction, if the reason has its hash
 *
 * The header of a proven record proves the id, the kind, the time and the payload's hash. So the checks of later
 * entries stay right without the payload, and a redacted entry decides no state by a payload that is not there.
 */
static int take_parts(struct xylem_repair__copying *copying, struct batch *batch, size_t at,
                      const struct xylem_entry *entry, bool kind_lost)
{
    struct xylem_repair__plan *plan = copying->plan;
    struct xylem_new_entry *copy = &batch->entries[at];
    const struct xylem_repair__salvaged *row = batch->of[at]->row;
    bool held = entry->payload_bytes > 0 || entry->line_bytes > 0;
    bool withheld = held && !(entry->flags & XYLEM_ENTRY_REDACTED) &&
                    xylem_repair__withholds(plan, row, xylem_repair__session_of_branch(plan, row->first));
    bool payload_lost = withheld || (row->flags & XYLEM_REPAIR__ROW_PAYLOAD_LOST);
    bool line_lost = (row->flags & XYLEM_REPAIR__ROW_LINE_LOST) != 0;
    batch->copied[at].flags = entry->flags | (payload_lost ? XYLEM_ENTRY_REDACTED : 0u);
    batch->copied[at].payload_hash = entry->unverified.payload_hash;
    copy->format = entry->format;
    copy->payload = (struct xylem_view){entry->unverified.payload, entry->payload_bytes};
    batch->lines[at] = (struct xylem_view){NULL, 0};
    if (payload_lost) {
        copy->payload = (struct xylem_view){NULL, 0};
        batch->lines[at] = xylem_view_of(withheld ? XYLEM_REPAIR__WITHHELD_REASON : XYLEM_REPAIR__LOST_REASON);
    } else if (entry->flags & XYLEM_ENTRY_REDACTED) {
        copy->payload = (struct xylem_view){NULL, 0};
        xylem_entry_redaction(&batch->lines[at], entry, NULL); /* a damaged reason stays empty */
    } else if (!line_lost) {
        xylem_base__buffer_clear(&batch->kept[at]);
        int code = xylem_store__line_part(&batch->kept[at], entry, NULL);
        if (code == XYLEM_E_MEMORY) {
            return xylem_base__fail_memory(plan->repair->err);
        }
        line_lost = code < 0;
        batch->lines[at] = xylem_base__buffer_view(&batch->kept[at]);
    }
    bool values_lost =
        line_lost && !payload_lost && entry->format == XYLEM_FORMAT_LINE && !(entry->flags & XYLEM_ENTRY_REDACTED);
    int empty = values_lost ? xylem_store__line_check(&copying->tree, copy->payload, (struct xylem_view){NULL, 0}, NULL)
                            : XYLEM_OK;
    if (empty == XYLEM_E_MEMORY) {
        return xylem_base__fail_memory(plan->repair->err);
    }
    if (empty < 0) {
        batch->copied[at].flags |= XYLEM_ENTRY_REDACTED;
        copy->payload = (struct xylem_view){NULL, 0};
        batch->lines[at] = xylem_view_of(XYLEM_REPAIR__LOST_REASON);
    }
    bool reason_lost = line_lost && (entry->flags & XYLEM_ENTRY_REDACTED);
    batch->withheld[at] = withheld;
    batch->damage[at] = withheld       ? NULL
                        : payload_lost ? "the payload is lost: the entry is kept without its payload"
                        : reason_lost  ? "the reason of the redaction is lost"
                        : empty < 0    ? "the values of the line are lost: the entry is kept without its payload"
                        : values_lost  ? "the values of the line are lost: the entry is kept with empty holes"
                        : line_lost    ? "the imported line is lost: the entry is kept without its line"
                        : kind_lost    ? "the name of the entry's kind is lost"
                                       : NULL;
    if (!withheld || !plan->repair->hashes_dropped) {
        return XYLEM_OK;
    }
    /* A random hash: the right hash would confirm a guess of the redacted text. */
    batch->copied[at].flags |= XYLEM_ENTRY_HASH_DROPPED;
    return xylem_base__random(&batch->copied[at].payload_hash, sizeof batch->copied[at].payload_hash,
                              plan->repair->err);
}

/* Reads an entry into the batch: 1; 0: the entry is no child of the batch's last entry, and stays out. */
static int load(struct xylem_repair__copying *copying, struct batch *batch, struct xylem_repair__entry *of)
{
    size_t at = batch->count;
    struct xylem_entry entry;
    struct xylem_kind kind;
    bool kind_lost = false;
    int code = xylem_repair__record_read(&entry, &batch->raw[at], &batch->values[at], copying->repair, of->row);
    if (code < 0) {
        return code;
    }
    if (at == 0) {
        batch->parent = entry.parent;
    } else if (entry.flags & XYLEM_ENTRY_STARTS_BRANCH) {
        return 0;
    }
    if ((code = xylem_repair__kind_of(&kind, &kind_lost, copying->plan, entry.unverified.kind_number)) < 0) {
        return code;
    }
    batch->of[at] = of;
    batch->times[at] = entry.time_ms;
    batch->entries[at] = (struct xylem_new_entry){.id = entry.id, .kind = kind, .time_ms = &batch->times[at]};
    if ((code = take_parts(copying, batch, at, &entry, kind_lost)) < 0) {
        return code;
    }
    /* xylem_verify() would refuse in the new store what is refused here. */
    const struct xylem_new_entry *copy = &batch->entries[at];
    bool custom = kind.kind_class == XYLEM_CLASS_CUSTOM;
    bool no_data =
        !(batch->copied[at].flags & XYLEM_ENTRY_REDACTED) &&
        ((custom && copy->format >= XYLEM_FORMAT_JSON) ||
         (copy->format == XYLEM_FORMAT_LINE &&
          xylem_store__line_check(&copying->tree, copy->payload, batch->lines[at], NULL) < 0) ||
         (copy->format == XYLEM_FORMAT_MSGPACK && xylem_format__data_decode(&copying->tree, copy->payload, NULL) < 0));
    batch->refused[at] = copy->id.bytes == 0 ? "the entry has no id"
                         : no_data           ? "data: expected msgpack, or a line"
                                             : NULL;
    batch->bytes += batch->raw[at].value_bytes;
    batch->count++;
    return 1;
}

/* Reads the entries with consecutive lsns from index `from` of the lsns. A refused entry is a batch of its own. */
static int load_batch(struct xylem_repair__copying *copying, struct batch *batch, size_t from)
{
    int loaded = 1;
    batch->count = 0;
    batch->bytes = 0;
    for (size_t i = from; loaded > 0 && i < copying->plan->entry_count; i++) {
        struct xylem_repair__entry *of = &copying->plan->entries[copying->plan->by_lsn[i]];
        const struct xylem_repair__salvaged *last = batch->count > 0 ? batch->of[batch->count - 1]->row : NULL;
        bool full = batch->count == BATCH_ENTRIES || batch->bytes > BATCH_BYTES;
        bool follows = last && last->first == of->row->first && last->second + 1 == of->row->second &&
                       last->newness + 1 == of->row->newness;
        if (last && (full || !follows || batch->refused[batch->count - 1])) {
            break;
        }
        loaded = load(copying, batch, of);
        if (loaded > 0 && batch->refused[batch->count - 1] && batch->count > 1) {
            batch->count--;
            break;
        }
    }
    return loaded < 0 ? loaded : XYLEM_OK;
}

/* --- Quarantine ------------------------------------------------------------------------------------------------- */

int xylem_repair__quarantine(struct xylem_repair__copying *copying, size_t session, uint64_t offset,
                             struct xylem_view raw, uint64_t raw_bytes)
{
    struct xylem_quarantined row = {.offset = offset,
                                    .hash = xylem_format__hash(raw),
                                    .reason = XYLEM_IMPORT_DAMAGED,
                                    .source = xylem_view_of(copying->repair->from),
                                    .raw_bytes = raw_bytes};
    bool kept = raw.bytes == raw_bytes && raw.bytes <= XYLEM_LINE_BYTES_MAX;
    row.raw = kept ? raw : row.raw;
    int code;
    if (copying->repair->removed.redacted_before > 0 || copying->repair->removed.deleted_before > 0) {
        return XYLEM_OK; /* the bytes prove no session and no lsn, so they may have been removed */
    }
    if (session == XYLEM_REPAIR__NONE) {
        if (copying->lost_session == XYLEM_REPAIR__NONE &&
            (code = xylem_repair__session_add(&copying->lost_session, copying->plan, 0, "lost")) < 0) {
            return code;
        }
        session = copying->lost_session;
    }
    if ((code = make_session(copying, session)) < 0) {
        return code;
    }
    int added =
        xylem_store__quarantine_add(copying->txn, copying->plan->sessions[session].number, &row, copying->repair->err);
    copying->repair->report->quarantined_bytes += added > 0 ? row.raw.bytes : 0;
    return added < 0 ? added : XYLEM_OK;
}

/* Reports a problem of an entry of the batch, and puts the entry's bytes into quarantine. */
static int tell(struct xylem_repair__copying *copying, const struct batch *batch, size_t at, const char *what)
{
    const struct xylem_repair__salvaged *row = batch->of[at]->row;
    size_t session = xylem_repair__session_of_branch(copying->plan, row->first);
    struct xylem_problem where = {.table = "log",
                                  .page = row->page,
                                  .session_id = copying->plan->sessions[session].row.id,
                                  .name_space = copying->plan->sessions[session].row.name_space,
                                  .position = {row->first, row->second},
                                  .entry_id = batch->entries[at].id};
    /* The bytes that the file has: the end of the file may cut the record. */
    struct xylem_view raw = batch->raw[at].value;
    int code = xylem_repair__found(copying->repair, &where, "%s", what);
    return code < 0 ? code : xylem_repair__quarantine(copying, session, batch->raw[at].offset, raw, raw.bytes);
}

/* --- Copying ---------------------------------------------------------------------------------------------------- */

static bool is_refusal(int code)
{
    return code == XYLEM_E_LIMIT || code == XYLEM_E_MALFORMED || code == XYLEM_E_EXISTS || code == XYLEM_E_ARGUMENT;
}

/* Appends entries of the batch. If the parent is no entry of the session, a placeholder becomes the parent. */
static int append_copies(struct xylem_position *first, struct xylem_repair__copying *copying, const struct batch *batch,
                         size_t from, size_t count, struct xylem_position parent)
{
    size_t session = xylem_repair__session_of_branch(copying->plan, batch->of[from]->row->first);
    int code = append(first, copying, session, parent, batch->entries + from, count, batch->copied + from,
                      batch->lines + from);
    if (code != XYLEM_E_NOT_FOUND) {
        return code;
    }
    uint64_t depth = batch->of[from]->row->second;
    struct xylem_position root;
    code = append_placeholder(&root, copying, session, (struct xylem_position){0, 0}, 1, depth > 1 ? depth - 1 : 1,
                              PARENT_UNKNOWN);
    return code < 0 ? code
                    : append(first, copying, session, root, batch->entries + from, count, batch->copied + from,
                             batch->lines + from);
}

/* Notes the new position of a copied entry, and counts and reports the differences to the damaged store. */
static int note_copied(struct xylem_repair__copying *copying, const struct batch *batch, size_t at,
                       struct xylem_position now)
{
    struct xylem_entry entry;
    int code = xylem_entry_read(&entry, copying->txn, now, copying->repair->err);
    if (code < 0) {
        return code;
    }
    batch->of[at]->now = now;
    batch->of[at]->now_lsn = entry.lsn;
    copying->repair->report->entry_count++;
    if (entry.flags & XYLEM_ENTRY_HASH_DROPPED &&
        (code = xylem_store__feature_add(copying->txn, XYLEM_FORMAT__FEATURE_HASH_DROPPED, copying->repair->err)) < 0) {
        return code;
    }
    const struct xylem_repair__salvaged *row = batch->of[at]->row;
    size_t session = xylem_repair__session_of_branch(copying->plan, row->first);
    copying->repair->report->changed_entry_count += entry.check != row->detail;
    code = xylem_repair__tell_older(copying->plan, row, session, batch->withheld[at]);
    if (code < 0 || !batch->damage[at]) {
        return code;
    }
    copying->repair->report->damaged_entry_count++;
    return tell(copying, batch, at, batch->damage[at]);
}

/* Copies the entries of a batch one by one, after the library refused the whole batch. */
static int copy_apart(struct xylem_repair__copying *copying, const struct batch *batch, struct xylem_position parent)
{
    int code = XYLEM_OK;
    for (size_t i = 0; code == XYLEM_OK && i < batch->count; i++) {
        struct xylem_position now;
        struct xylem_error reason = {0, ""};
        struct xylem_error *err = copying->repair->err;
        copying->time_ms = batch->times[i];
        code = batch->refused[i] ? XYLEM_E_MALFORMED : XYLEM_OK;
        if (code == XYLEM_OK) {
            copying->repair->err = &reason;
            code = append_copies(&now, copying, batch, i, 1, parent);
            copying->repair->err = err;
        }
        if (is_refusal(code)) {
            const struct xylem_repair__salvaged *row = batch->of[i]->row;
            const char *why = batch->refused[i] ? batch->refused[i] : reason.text;
            code = append_placeholder(&now, copying, xylem_repair__session_of_branch(copying->plan, row->first), parent,
                                      row->second, row->second, why);
            copying->repair->report->lost_entry_count++;
            code = code < 0 ? code : tell(copying, batch, i, why);
            batch->of[i]->now = now;
        } else if (code < 0) {
            code = xylem_base__fail(err, code, "%s", reason.text);
        } else {
            code = note_copied(copying, batch, i, now);
        }
        parent = now;
    }
    return code;
}

static int copy_batch(struct xylem_repair__copying *copying, struct batch *batch)
{
    struct xylem_position parent = {0, 0};
    struct xylem_position first;
    uint64_t lsn = batch->of[0]->row->newness;
    copying->time_ms = batch->times[0];
    int found = xylem_repair__place(&parent, copying, batch->parent);
    if (found == 0 && !xylem_format__position_none(batch->parent)) {
        found = append_placeholder(&parent, copying,
                                   xylem_repair__session_of_branch(copying->plan, batch->of[0]->row->first), parent, 1,
                                   batch->parent.depth, PARENT_UNKNOWN);
    }
    /* Ids that hold an lsn lead to their entries only if the entries keep their lsns. Placeholders have lost lsns. */
    if (found >= 0 && lsn > 1 && lsn <= XYLEM_FORMAT__MINTED_LSN_MAX) {
        found = xylem_store__feed_skip(copying->txn, lsn - 1, copying->repair->err);
    }
    if (found < 0) {
        return found;
    }
    if (batch->refused[0]) {
        return copy_apart(copying, batch, parent);
    }
    int code = append_copies(&first, copying, batch, 0, batch->count, parent);
    if (is_refusal(code)) {
        return copy_apart(copying, batch, parent);
    }
    for (size_t i = 0; code == XYLEM_OK && i < batch->count; i++) {
        code = note_copied(copying, batch, i, (struct xylem_position){first.branch, first.depth + i});
    }
    return code;
}

/* --- Rows beside entries ---------------------------------------------------------------------------------------- */

static int compare_lsns(const void *left, const void *right)
{
    const struct xylem_repair__salvaged *const *a = left;
    const struct xylem_repair__salvaged *const *b = right;
    return (*a)->second != (*b)->second ? ((*a)->second < (*b)->second ? -1 : 1)
                                        : ((*a)->first < (*b)->first ? -1 : (*a)->first > (*b)->first);
}

static int list_sides(struct xylem_repair__copying *copying)
{
    struct xylem_repair__rows rows = xylem_repair__salvage_rows(copying->repair->salvage, XYLEM_FORMAT__SIDES);
    copying->sides = calloc(rows.count + 1, sizeof *copying->sides);
    if (!copying->sides) {
        return xylem_base__fail_memory(copying->repair->err);
    }
    for (size_t i = 0; i < rows.count; i++) {
        if (rows.list[i].detail != XYLEM_SIDE_VALUES) {
            copying->sides[copying->side_count++] = &rows.list[i];
        }
    }
    qsort(copying->sides, copying->side_count, sizeof *copying->sides, compare_lsns);
    return XYLEM_OK;
}

/* Commits if much was written since the last commit. */
static int commit_full(struct xylem_repair__copying *copying)
{
    struct xylem_txn *txn = copying->txn;
    if (copying->batched_bytes <= COMMIT_BYTES) {
        return XYLEM_OK;
    }
    copying->txn = NULL;
    copying->batched_bytes = 0;
    int code = xylem_commit(txn, copying->repair->err);
    return code < 0 ? code : xylem_begin(&copying->txn, copying->store, XYLEM_WRITE, copying->repair->err);
}

/*
 * Finds the new place of the entry of a row: 1, or 0 and the reason if the row fits nothing any more. Values get the
 * entry's new lsn.
 */
static int place_side(struct xylem_side *side, uint64_t *lsn, struct xylem_repair__copying *copying,
                      const struct xylem_session *made, struct xylem_error *reason)
{
    struct xylem_entry entry;
    bool record = side->type == XYLEM_SIDE_RECORD;
    int found = record ? 1 : xylem_repair__place(&side->position, copying, side->position);
    if (found <= 0) {
        xylem_base__fail(reason, XYLEM_E_NOT_FOUND, "its entry is lost");
        return found;
    }
    /* One placeholder stands for a run of entries, so the path may be shorter. */
    side->count = side->count < side->position.depth ? side->count : side->position.depth;
    int code = xylem_store__side_check(&entry, copying->txn, made, side, reason);
    if (code < 0) {
        return xylem_store__side_unfit(code) ? 0 : xylem_base__fail(copying->repair->err, code, "%s", reason->text);
    }
    *lsn = side->type == XYLEM_SIDE_VALUES ? entry.lsn : 0;
    return 1;
}

int xylem_repair__copy_side(struct xylem_repair__copying *copying, const struct xylem_repair__salvaged *row)
{
    struct xylem_repair__repair *repair = copying->repair;
    struct xylem_repair__content content;
    struct xylem_side side;
    struct xylem_session made;
    struct xylem_buffer copies = {NULL, 0, 0};
    struct xylem_buffer bytes = {NULL, 0, 0};
    struct xylem_error reason;
    uint64_t lsn = 0;
    size_t session = xylem_repair__session_of(copying->plan, row->first);
    if (session == XYLEM_REPAIR__NONE) {
        return XYLEM_OK; /* the scan found a row of a freed session */
    }
    int code = xylem_repair__salvage_read(&content, repair->salvage, row, repair->err);
    if (code == XYLEM_OK && xylem_buffer_add(&bytes, content.value.data, content.value.bytes) < 0) {
        code = xylem_base__fail_memory(repair->err); /* placing reads other rows */
    }
    if (code < 0 || (code = xylem_store__side_decode(&side, (struct xylem_view){bytes.data, bytes.bytes})) < 0 ||
        (code = set_base(copying, session)) < 0 ||
        (code = xylem_repair__session_made(&made, &copies, copying, session)) < 0 ||
        (code = place_side(&side, &lsn, copying, &made, &reason)) < 0) {
        goto out;
    }
    if (code == 0) {
        struct xylem_problem where = {
            .table = "sides", .page = row->page, .session_id = made.id, .name_space = made.name_space};
        repair->report->lost_row_count++;
        code = xylem_repair__found(repair, &where, "the row of lsn %" PRIu64 " is lost: %s", row->second, reason.text);
        goto out;
    }
    bool withheld = !side.redacted && side.count == 0 && xylem_repair__withholds(copying->plan, row, session);
    if (withheld) {
        side.redacted = true;
        side.reason = xylem_view_of(XYLEM_REPAIR__WITHHELD_REASON);
    }
    code = xylem_repair__tell_older(copying->plan, row, session, withheld);
    if (code == XYLEM_OK && side.type != XYLEM_SIDE_VALUES && row->second > 1 &&
        row->second <= XYLEM_FORMAT__MINTED_LSN_MAX) {
        code = xylem_store__feed_skip(copying->txn, row->second - 1, repair->err);
    }
    xylem_buffer_release(&copies); /* placing and skipping may have written the row of the session */
    if (code < 0 || (code = xylem_repair__session_made(&made, &copies, copying, session)) < 0) {
        goto out;
    }
    code = xylem_store__side_write(NULL, copying->txn, &made, &side, lsn, repair->err);
out:
    copying->batched_bytes += bytes.bytes;
    xylem_buffer_release(&copies);
    xylem_buffer_release(&bytes);
    return code < 0 ? code : commit_full(copying);
}

static int copy_sides(struct xylem_repair__copying *copying, uint64_t before)
{
    int code = XYLEM_OK;
    while (code == XYLEM_OK && copying->side_next < copying->side_count &&
           copying->sides[copying->side_next]->second < before) {
        code = xylem_repair__copy_side(copying, copying->sides[copying->side_next++]);
    }
    return code;
}

/* ---------------------------------------------------------------------------------------------------------------- */

static int copy_entries(struct xylem_repair__copying *copying, struct batch *batch)
{
    int code = XYLEM_OK;
    for (size_t i = 0; code == XYLEM_OK && i < copying->plan->entry_count; i += batch->count) {
        const struct xylem_repair__entry *next = &copying->plan->entries[copying->plan->by_lsn[i]];
        if ((code = copy_sides(copying, next->row->newness)) < 0 || (code = load_batch(copying, batch, i)) < 0) {
            break;
        }
        assert(batch->count > 0);
        if ((code = copy_batch(copying, batch)) < 0) {
            break;
        }
        copying->batched_bytes += batch->bytes;
        code = commit_full(copying);
        for (size_t j = 0; j < BATCH_ENTRIES && batch->bytes > BATCH_BYTES; j++) {
            xylem_buffer_release(&batch->values[j]); /* give back the memory of a large batch */
            xylem_buffer_release(&batch->kept[j]);
        }
    }
    return code;
}

int xylem_repair__copy(struct xylem_repair__copying *copying)
{
    struct batch *batch = calloc(1, sizeof *batch);
    if (!batch) {
        return xylem_base__fail_memory(copying->repair->err);
    }
    int code;
    if ((code = xylem_repair__tell_losses(copying->plan)) < 0 ||
        (code = xylem_repair__tell_older_rows(copying->plan)) < 0) {
        goto out;
    }
    if ((code = make_sessions(copying)) < 0 || (code = list_sides(copying)) < 0 ||
        (code = copy_entries(copying, batch)) < 0 || (code = copy_sides(copying, UINT64_MAX)) < 0) {
        goto out;
    }
    for (size_t i = 0; code == XYLEM_OK && i < copying->plan->gap_count; i++) {
        code = place_gap(copying, i);
    }
    for (size_t i = 0; code == XYLEM_OK && i < copying->plan->session_count; i++) {
        code = set_base(copying, i);
    }
out:
    free(copying->sides);
    copying->sides = NULL;
    for (size_t i = 0; i < BATCH_ENTRIES; i++) {
        xylem_buffer_release(&batch->values[i]);
        xylem_buffer_release(&batch->kept[i]);
    }
    free(batch);
    return code;
}
