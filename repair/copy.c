/* Appends what was saved, in the order of its lsns, and a placeholder in place of each gap. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "store/branch.h"
#include "format/hash.h"
#include "store/meta.h"
#include "repair/repair.h"
#include "repair/salvage_prove.h"
#include "store/session.h"

#define BATCH_ENTRIES 256u
#define BATCH_BYTES (UINT64_C(4) << 20)
#define COMMIT_BYTES (UINT64_C(32) << 20)

/* Gaps whose parents are gaps: beyond so many, the next one begins a path of its own. They nest on the stack. */
#define NESTED_MAX 256u

/* Entries that follow each other on one branch, in memory. */
struct batch {
    size_t count;
    uint64_t bytes;
    struct xylem_position parent; /* of the first, in the damaged store */
    struct xylem_repair__entry *of[BATCH_ENTRIES];
    struct xylem_buffer values[BATCH_ENTRIES];
    struct xylem_new_entry entries[BATCH_ENTRIES];
    struct xylem_store__copied copied[BATCH_ENTRIES];
    struct xylem_view lines[BATCH_ENTRIES];
    int64_t times[BATCH_ENTRIES];
    const char *refused[BATCH_ENTRIES]; /* why it cannot be copied; NULL: it can */
    const char *damage[BATCH_ENTRIES];  /* what it lost; NULL: nothing */
    bool withheld[BATCH_ENTRIES];       /* what it holds is left out, as it may have been removed */
    struct {
        uint64_t offset;
        uint64_t bytes;
    } raw[BATCH_ENTRIES];
};

/* --- Sessions --------------------------------------------------------------------------------------------------- */

int xylem_repair__session_make(struct xylem_repair__copying *copying, size_t index)
{
    struct xylem_repair__session *session = &copying->plan->sessions[index];
    static const struct xylem_position none = {0, 0};
    struct xylem_session made = session->row;
    if (session->number > 0) {
        return XYLEM_OK;
    }
    /* The rest is filled in once the entries are there, by appending them or in the end. */
    made.number = 0;
    made.base = made.leaf = made.imported_leaf = none;
    made.last_lsn = made.move_count = made.newest_branch = 0;
    made.tree = session->group == index ? 0 : copying->plan->sessions[session->group].number;
    int code = xylem_store__session_add(copying->txn, &made, copying->repair->err);
    session->number = made.number;
    copying->repair->report->session_count += code == XYLEM_OK;
    return code;
}

/* Reads a session's row in the new store; its views are in `copies`, which is empty. */
static int read_made(struct xylem_session *made, struct xylem_buffer *copies, struct xylem_repair__copying *copying,
                     size_t index)
{
    int code = xylem_session_read(made, copying->txn, copying->plan->sessions[index].number, copying->repair->err);
    if (code == XYLEM_OK && xylem_store__session_own(copies, made) < 0) {
        code = xylem_base__fail_memory(copying->repair->err);
    }
    return code;
}

/* The session of a branch's entries has its base before it has entries of its own. */
static int set_base(struct xylem_repair__copying *copying, size_t index)
{
    struct xylem_position base = {0, 0};
    struct xylem_store__branch branch;
    if (copying->plan->sessions[index].based) {
        return XYLEM_OK;
    }
    copying->plan->sessions[index].based = true; /* first: a damaged row may lead in a circle */
    int found = xylem_repair__place(&base, copying, copying->plan->sessions[index].row.base);
    if (found <= 0 || xylem_format__position_none(base)) {
        return found < 0 ? found : XYLEM_OK;
    }
    struct xylem_session made;
    struct xylem_buffer copies = {NULL, 0, 0};
    int code = xylem_store__branch_read(&branch, copying->txn, base.branch, copying->repair->err);
    code = code < 0 ? code : read_made(&made, &copies, copying, index);
    if (code == XYLEM_OK && branch.session != made.number) {
        made.base = base;
        code = xylem_store__session_write(copying->txn, &made, copying->repair->err);
    }
    xylem_buffer_release(&copies);
    return code;
}

/* --- Appending -------------------------------------------------------------------------------------------------- */

static int append(struct xylem_position *first, struct xylem_repair__copying *copying, size_t session,
                  struct xylem_position parent, const struct xylem_new_entry *entries, size_t count,
                  const struct xylem_store__copied *copied, const struct xylem_view *lines)
{
    struct xylem_store__append_options options = {.payload_checked = true, .copied = copied, .lines = lines};
    bool root = xylem_format__position_none(parent);
    options.public_options.parent = root ? XYLEM_PARENT_NONE : XYLEM_PARENT_AT;
    options.public_options.parent_position = parent;
    int code = set_base(copying, session);
    code = code < 0 ? code
                    : xylem_store__append(first, copying->txn, copying->plan->sessions[session].number, entries, count,
                                          &options, copying->repair->err);
    if (code == XYLEM_OK) {
        struct xylem_repair__session *owner = &copying->plan->sessions[session];
        owner->newest = (struct xylem_position){first->branch, first->depth + count - 1};
        owner->row.created_ms = owner->dated || owner->known ? owner->row.created_ms : copying->time_ms;
        owner->dated = true;
    }
    return code;
}

/* Appends the entry that stands for lost ones, so that a walk, an export and a person see that something was there. */
static int append_placeholder(struct xylem_position *now, struct xylem_repair__copying *copying, size_t session,
                              struct xylem_position parent, uint64_t first, uint64_t last, const char *reason)
{
    static const struct xylem_store__copied nothing = {.flags = 0};
    struct xylem_buffer json = {NULL, 0, 0};
    int code = xylem_base__buffer_add_format(
        &json,
        "{\"lost\":%" PRIu64 ",\"first_depth\":%" PRIu64 ",\"last_depth\":%" PRIu64 ",\"reason\":", last - first + 1,
        first, last);
    code = code < 0 ? code : xylem_buffer_add_json_string(&json, xylem_view_of(reason));
    code = code < 0 ? code : xylem_buffer_add(&json, "}", 1);
    if (code < 0) {
        xylem_buffer_release(&json);
        return xylem_base__fail_memory(copying->repair->err);
    }
    struct xylem_new_entry entry = {.kind = {XYLEM_CLASS_HOST, xylem_view_of(XYLEM_REPAIR__LOST_KIND)},
                                    .time_ms = &copying->time_ms,
                                    .format = XYLEM_FORMAT_JSON,
                                    .payload = xylem_base__buffer_view(&json)};
    static const struct xylem_position none = {0, 0};
    code = append(now, copying, session, parent, &entry, 1, &nothing, NULL);
    if (code == XYLEM_E_NOT_FOUND) {
        code = append(now, copying, session, none, &entry, 1, &nothing, NULL);
    }
    xylem_buffer_release(&json);
    copying->repair->report->placeholder_count += code == XYLEM_OK;
    return code;
}

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
                                              "no copy of a record that has its sum was found in the damaged store");
    if (code == XYLEM_OK) {
        copying->plan->gaps[index].now = now;
    }
    return code;
}

/* 1 if there is such an entry or gap, else 0. */
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

/* Deep verification reads every payload that is no host's own JSON. What it would refuse is not copied. */
static const char *look_at_payload(struct xylem_base__tree *tree, const struct xylem_new_entry *entry, unsigned flags)
{
    bool custom = entry->kind.kind_class == XYLEM_CLASS_CUSTOM;
    if (entry->id.bytes == 0) {
        return "it has no id";
    }
    if (flags & XYLEM_ENTRY_REDACTED) {
        return NULL;
    }
    if ((custom && entry->format == XYLEM_FORMAT_JSON) ||
        (entry->format == XYLEM_FORMAT_MSGPACK && xylem_format__data_decode(tree, entry->payload, NULL) < 0)) {
        return "its data is no msgpack";
    }
    return NULL;
}

/* What is kept of an entry whose record has its sum, and the rest of it has not. */
static int take_parts(struct xylem_repair__plan *plan, struct batch *batch, size_t at, const struct xylem_entry *entry,
                      bool kind_lost)
{
    struct xylem_new_entry *copy = &batch->entries[at];
    const struct xylem_repair__salvaged *row = batch->of[at]->row;
    bool held = entry->payload_bytes > 0 || entry->line_bytes > 0;
    bool withheld = held && !(entry->flags & XYLEM_ENTRY_REDACTED) &&
                    xylem_repair__withholds(plan, row, xylem_repair__session_of_branch(plan, row->first));
    /*
     * An entry without its payload is kept as a redacted one: its id, its kind and its time are proven, the payload's
     * hash too, so what follows still verifies; and a redacted entry never decides anything by what it does not say.
     */
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
        xylem_entry_redaction(&batch->lines[at], entry, NULL); /* a damaged one is as good as none */
    } else if (!line_lost) {
        xylem_entry_imported_line(&batch->lines[at], entry, NULL);
    }
    bool reason_lost = line_lost && (entry->flags & XYLEM_ENTRY_REDACTED);
    batch->withheld[at] = withheld;
    batch->damage[at] = withheld       ? NULL
                        : payload_lost ? "its payload is lost: it is kept without"
                        : reason_lost  ? "the reason of its redaction is lost"
                        : line_lost    ? "the line that it was imported from is lost: it is kept without"
                        : kind_lost    ? "the name of its kind is lost"
                                       : NULL;
    if (!withheld || !plan->repair->hashes_dropped) {
        return XYLEM_OK;
    }
    /* Whoever guesses what was redacted must not find it confirmed. */
    batch->copied[at].flags |= XYLEM_ENTRY_HASH_DROPPED;
    return xylem_base__random(&batch->copied[at].payload_hash, sizeof batch->copied[at].payload_hash,
                              plan->repair->err);
}

/* Reads the record of an entry into the batch's next place. */
static int load_record(struct xylem_entry *entry, struct xylem_repair__repair *repair, struct batch *batch,
                       const struct xylem_repair__salvaged *row)
{
    size_t at = batch->count;
    struct xylem_view key;
    struct xylem_view value;
    struct xylem_position position = {row->first, row->second};
    int code = xylem_repair__salvage_read(&key, &value, repair->salvage, row, repair->err);
    if (code < 0) {
        return code;
    }
    batch->raw[at].offset = xylem_repair__salvage_offset(repair->salvage);
    batch->raw[at].bytes = xylem_repair__salvage_value_bytes(repair->salvage);
    xylem_base__buffer_clear(&batch->values[at]);
    if (xylem_buffer_add(&batch->values[at], value.data, value.bytes) < 0) {
        return xylem_base__fail_memory(repair->err);
    }
    return xylem_repair__salvage_record(entry, position, xylem_base__buffer_view(&batch->values[at]),
                                        batch->raw[at].bytes)
               ? XYLEM_OK
               : xylem_base__fail(repair->err, XYLEM_E_BUSY, "the record at " XYLEM_FORMAT__AT_FORMAT " changed",
                                  XYLEM_FORMAT__AT_ARGUMENTS(position));
}

/* Reads an entry into the batch: 1, or 0 if it is no child of the one before it. */
static int load(struct xylem_repair__copying *copying, struct batch *batch, struct xylem_repair__entry *of)
{
    size_t at = batch->count;
    struct xylem_entry entry;
    struct xylem_kind kind;
    bool kind_lost = false;
    int code = load_record(&entry, copying->repair, batch, of->row);
    if (code < 0) {
        return code;
    }
    if (at == 0) {
        batch->parent = entry.parent;
    } else if (entry.flags & XYLEM_ENTRY_STARTS_BRANCH) {
        return 0;
    }
    code = xylem_repair__kind_of(&kind, &kind_lost, copying->plan, entry.unverified.kind_number);
    if (code < 0) {
        return code;
    }
    batch->of[at] = of;
    batch->times[at] = entry.time_ms;
    batch->entries[at] = (struct xylem_new_entry){.id = entry.id, .kind = kind, .time_ms = &batch->times[at]};
    code = take_parts(copying->plan, batch, at, &entry, kind_lost);
    if (code < 0) {
        return code;
    }
    batch->refused[at] = look_at_payload(&copying->tree, &batch->entries[at], batch->copied[at].flags);
    batch->bytes += batch->raw[at].bytes;
    batch->count++;
    return 1;
}

/* Is `next` the entry behind `last` on one branch? */
static bool follows(const struct xylem_repair__entry *last, const struct xylem_repair__entry *next)
{
    return last->row->first == next->row->first && last->row->second + 1 == next->row->second;
}

static int load_batch(struct xylem_repair__copying *copying, struct batch *batch, size_t from)
{
    int loaded = 1;
    batch->count = 0;
    batch->bytes = 0;
    for (size_t i = from; loaded > 0 && i < copying->plan->entry_count; i++) {
        struct xylem_repair__entry *of = &copying->plan->entries[copying->plan->by_lsn[i]];
        bool full = batch->count == BATCH_ENTRIES || batch->bytes > BATCH_BYTES;
        if (batch->count > 0 &&
            (full || !follows(batch->of[batch->count - 1], of) || batch->refused[batch->count - 1] != NULL)) {
            break;
        }
        loaded = load(copying, batch, of);
        if (loaded > 0 && batch->refused[batch->count - 1] && batch->count > 1) {
            batch->count--; /* it comes alone */
            break;
        }
    }
    return loaded < 0 ? loaded : XYLEM_OK;
}

/* --- What cannot be saved --------------------------------------------------------------------------------------- */

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
    int code = XYLEM_OK;
    if (copying->repair->removed.redacted_before > 0 || copying->repair->removed.deleted_before > 0) {
        return XYLEM_OK; /* nothing tells whose bytes these are: they may have been removed */
    }
    if (session == XYLEM_REPAIR__NONE) {
        code = copying->lost_session != XYLEM_REPAIR__NONE
                   ? XYLEM_OK
                   : xylem_repair__session_add(&copying->lost_session, copying->plan, 0, "lost");
        session = copying->lost_session;
    }
    code = code < 0 ? code : xylem_repair__session_make(copying, session);
    if (code < 0) {
        return code;
    }
    int added =
        xylem_store__quarantine_add(copying->txn, copying->plan->sessions[session].number, &row, copying->repair->err);
    copying->repair->report->quarantined_bytes += added > 0 ? row.raw.bytes : 0;
    return added < 0 ? added : XYLEM_OK;
}

/* Tells of an entry of the batch, and puts its bytes into quarantine. */
static int tell(struct xylem_repair__copying *copying, const struct batch *batch, size_t at, const char *what)
{
    const struct xylem_repair__salvaged *row = batch->of[at]->row;
    size_t session = xylem_repair__session_of_branch(copying->plan, row->first);
    struct xylem_problem where = {.table = "log",
                                  .page = row->page,
                                  .session_id = copying->plan->sessions[session].row.id,
                                  .position = {row->first, row->second},
                                  .entry_id = batch->entries[at].id};
    /* What there is, if the end of the file cut it. */
    struct xylem_view raw = xylem_base__buffer_view(&batch->values[at]);
    int code = xylem_repair__found(copying->repair, &where, "%s", what);
    return code < 0 ? code : xylem_repair__quarantine(copying, session, batch->raw[at].offset, raw, raw.bytes);
}

/* --- Copying ---------------------------------------------------------------------------------------------------- */

static bool is_refusal(int code)
{
    return code == XYLEM_E_LIMIT || code == XYLEM_E_MALFORMED || code == XYLEM_E_EXISTS || code == XYLEM_E_ARGUMENT;
}

/* Appends entries of the batch; below a placeholder of their own if their parent is no entry of their session. */
static int append_copies(struct xylem_position *first, struct xylem_repair__copying *copying, const struct batch *batch,
                         size_t from, size_t count, struct xylem_position parent)
{
    size_t session = xylem_repair__session_of_branch(copying->plan, batch->of[from]->row->first);
    int code = append(first, copying, session, parent, batch->entries + from, count, batch->copied + from,
                      batch->lines + from);
    if (code == XYLEM_E_NOT_FOUND) {
        static const struct xylem_position none = {0, 0};
        uint64_t depth = batch->of[from]->row->second;
        struct xylem_position root;
        code = append_placeholder(&root, copying, session, none, 1, depth > 1 ? depth - 1 : 1,
                                  "the entry before the next one is not known");
        code = code < 0 ? code
                        : append(first, copying, session, root, batch->entries + from, count, batch->copied + from,
                                 batch->lines + from);
    }
    return code;
}

/* An entry that the library refuses to append: its placeholder. */
static int replace(struct xylem_position *now, struct xylem_repair__copying *copying, const struct batch *batch,
                   size_t at, struct xylem_position parent, const char *why)
{
    const struct xylem_repair__salvaged *row = batch->of[at]->row;
    int code = append_placeholder(now, copying, xylem_repair__session_of_branch(copying->plan, row->first), parent,
                                  row->second, row->second, why);
    copying->repair->report->lost_entry_count++;
    return code < 0 ? code : tell(copying, batch, at, why);
}

/* What an entry is now: where it lies, and whether its history is the one that it had. */
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
    uint64_t check = entry.check;
    copying->repair->report->entry_count++;
    if (entry.flags & XYLEM_ENTRY_HASH_DROPPED) {
        code = xylem_store__feature_add(copying->txn, XYLEM_FORMAT__FEATURE_HASH_DROPPED, copying->repair->err);
        if (code < 0) {
            return code;
        }
    }
    const struct xylem_repair__salvaged *row = batch->of[at]->row;
    size_t session = xylem_repair__session_of_branch(copying->plan, row->first);
    copying->repair->report->changed_entry_count += check != row->detail;
    code = xylem_repair__tell_older(copying->plan, row, session, batch->withheld[at]);
    if (code < 0 || !batch->damage[at]) {
        return code;
    }
    copying->repair->report->damaged_entry_count++;
    return tell(copying, batch, at, batch->damage[at]);
}

/* One entry after the other, where not all of them can be appended at once. */
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
            code = replace(&now, copying, batch, i, parent, batch->refused[i] ? batch->refused[i] : reason.text);
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
    copying->time_ms = batch->times[0];
    int found = xylem_repair__place(&parent, copying, batch->parent);
    if (found == 0 && !xylem_format__position_none(batch->parent)) {
        found = append_placeholder(&parent, copying,
                                   xylem_repair__session_of_branch(copying->plan, batch->of[0]->row->first), parent, 1,
                                   batch->parent.depth, "the entry before the next one is not known");
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

/* Commits what was written, and begins anew. */
static int commit(struct xylem_repair__copying *copying)
{
    struct xylem_txn *txn = copying->txn;
    copying->txn = NULL;
    copying->batched_bytes = 0;
    int code = xylem_commit(txn, copying->repair->err);
    return code < 0 ? code : xylem_begin(&copying->txn, copying->store, XYLEM_WRITE, copying->repair->err);
}

static int copy_entries(struct xylem_repair__copying *copying, struct batch *batch)
{
    int code = XYLEM_OK;
    for (size_t i = 0; code == XYLEM_OK && i < copying->plan->entry_count; i += batch->count) {
        code = load_batch(copying, batch, i);
        code = code < 0 ? code : copy_batch(copying, batch);
        copying->batched_bytes += batch->bytes;
        if (code == XYLEM_OK && copying->batched_bytes > COMMIT_BYTES) {
            code = commit(copying);
        }
        for (size_t j = 0; j < BATCH_ENTRIES && batch->bytes > BATCH_BYTES; j++) {
            xylem_buffer_release(&batch->values[j]); /* large ones are not kept */
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
    int code = xylem_repair__tell_losses(copying->plan);
    code = code < 0 ? code : xylem_repair__tell_older_rows(copying->plan);
    for (size_t i = 0; code == XYLEM_OK && i < copying->plan->session_count; i++) {
        code = xylem_repair__session_make(copying, i);
    }
    code = code < 0 ? code : copy_entries(copying, batch);
    for (size_t i = 0; code == XYLEM_OK && i < copying->plan->gap_count; i++) {
        code = place_gap(copying, i);
    }
    for (size_t i = 0; code == XYLEM_OK && i < copying->plan->session_count; i++) {
        code = set_base(copying, i);
    }
    for (size_t i = 0; i < BATCH_ENTRIES; i++) {
        xylem_buffer_release(&batch->values[i]);
    }
    free(batch);
    return code;
}
