/* Packs the changes of a session into segments. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "store/feed.h"
#include "store/format/hash.h"
#include "store/ordinals.h"
#include "store/side.h"
#include "store/source.h"
#include "store/lmdb/tables.h"
#include "travel/jsonl/patterns.h"
#include "travel/travel.h"
#include "xylem/branch.h"
#include "xylem/feed.h"

struct xylem_packing {
    struct xylem_txn *txn;
    struct xylem_session session;
    struct xylem_pack_options options;
    bool is_whole;                       /* for export --all: the document tells which files are of this machine */
    struct xylem_store__matcher matcher; /* with patterns */
    struct xylem_store__ordinals ordinals;
    struct xylem_scan *scan; /* of a freed session */
    uint64_t next;           /* the ordinal that comes next */
    uint64_t to;
    size_t bytes_max; /* a segment takes no further change at this size */
    bool done;
    struct xylem_buffer changes;
    struct xylem_error *err;
    /* Of the present segment. */
    uint32_t *kinds; /* numbers in the store, in the order of the segment */
    size_t kind_count;
    size_t kind_capacity;
    uint64_t change_count;
    uint64_t taken_count;
    bool checked;
    struct xylem_position last; /* the last entry; none: no entry yet */
    uint64_t last_check;
};

static int put(const struct xylem_packing *packing, bool made)
{
    return made ? XYLEM_OK : xylem_base__fail_memory(packing->err);
}

/* --- Patterns ----------------------------------------------------------------------------------------------------- */

/* Refuses a match in a text that cannot be taken out. */
static int check_text(const struct xylem_packing *packing, struct xylem_view text, const char *what)
{
    if (!packing->options.patterns || text.bytes == 0) {
        return XYLEM_OK;
    }
    int matches = packing->matcher.text(packing->matcher.context, text, packing->err);
    return matches <= 0
               ? matches
               : xylem_base__fail(packing->err, XYLEM_E_CONFLICT,
                                  "a pattern matches %s: nothing can be taken out there, so the session cannot travel "
                                  "with these patterns",
                                  what);
}

/* A hash that tells nothing of the text, and is the same each time. */
static uint64_t blank_hash(const struct xylem_packing *packing, struct xylem_view name)
{
    return xylem_format__hash_seeded(name, packing->options.patterns_sum);
}

/* --- Changes ------------------------------------------------------------------------------------------------------ */

/* The id of the entry at a position; empty for none. */
static int id_of(struct xylem_view *id, const struct xylem_packing *packing, struct xylem_position position)
{
    struct xylem_entry entry;
    *id = (struct xylem_view){NULL, 0};
    if (xylem_format__position_none(position)) {
        return XYLEM_OK;
    }
    int code = xylem_entry_read(&entry, packing->txn, position, packing->err);
    *id = code < 0 ? *id : entry.id;
    return code;
}

/* The number of the entry's kind in the segment; `is_new`: the kind comes for the first time. */
static int find_kind(uint64_t *kind, bool *is_new, struct xylem_packing *packing, const struct xylem_entry *entry)
{
    size_t number = 0;
    while (number < packing->kind_count && packing->kinds[number] != entry->unverified.kind_number) {
        number++;
    }
    *kind = number;
    *is_new = number == packing->kind_count;
    if (!*is_new) {
        return XYLEM_OK;
    }
    uint32_t *kinds =
        xylem_base__with_room(packing->kinds, &packing->kind_capacity, packing->kind_count, sizeof *kinds);
    if (!kinds) {
        return xylem_base__fail_memory(packing->err);
    }
    packing->kinds = kinds;
    packing->kinds[packing->kind_count++] = entry->unverified.kind_number;
    return check_text(packing, entry->kind.name, "the name of a kind");
}

/*
 * True if the store that takes changes from `from` on has the checks of this store. A dropped hash at `from` or later
 * has changed checks here, and there only behind its own change.
 */
static bool has_checks(const struct xylem_packing *packing, uint64_t from)
{
    return !packing->options.patterns && packing->ordinals.dropped < from;
}

/* How the entry names its parent; at the end of a run, the check of the run's last entry. */
static int fill_parent(struct xylem_travel__change *change, const struct xylem_packing *packing,
                       const struct xylem_entry *entry)
{
    bool first = xylem_format__position_none(packing->last);
    struct xylem_entry parent;
    if (!first && xylem_format__position_equal(entry->parent, packing->last)) {
        change->parent_is = XYLEM_TRAVEL__BEFORE;
        return XYLEM_OK;
    }
    bool root = xylem_format__position_none(entry->parent);
    change->parent_is = root ? XYLEM_TRAVEL__NO_PARENT : XYLEM_TRAVEL__NAMED;
    change->check_before = packing->checked && !first ? packing->last_check : 0;
    int code = root ? XYLEM_OK : xylem_entry_read(&parent, packing->txn, entry->parent, packing->err);
    if (!root && code == XYLEM_OK) {
        change->parent = parent.id;
        change->parent_check = packing->checked ? parent.check : 0;
    }
    return code;
}

/* Flags, and the payload with its line; of a redacted entry, or an entry that a pattern takes, the hash and a reason. */
static int fill_content(struct xylem_travel__change *change, struct xylem_buffer *line, struct xylem_packing *packing,
                        const struct xylem_entry *entry)
{
    bool redacted = (entry->flags & XYLEM_ENTRY_REDACTED) != 0;
    int code = XYLEM_OK;
    change->flags = entry->flags & XYLEM_TRAVEL__ENTRY_FLAGS;
    change->payload_hash = entry->unverified.payload_hash;
    change->reason = packing->options.reason;
    if (redacted) {
        code = xylem_entry_redaction(&change->reason, entry, packing->err);
        code = code < 0 ? code : check_text(packing, change->reason, "the reason of a redaction");
    } else if (packing->options.patterns) {
        code = packing->matcher.entry(packing->matcher.context, entry, packing->err);
        redacted = code > 0;
        packing->taken_count += redacted;
    }
    if (packing->options.patterns && redacted) { /* nobody can search what is gone */
        change->flags |= XYLEM_ENTRY_REDACTED | XYLEM_ENTRY_HASH_DROPPED;
        change->payload_hash = blank_hash(packing, entry->id);
    }
    if (code < 0 || redacted) {
        return code < 0 ? code : XYLEM_OK;
    }
    code = xylem_entry_payload(&change->payload, entry, packing->err);
    code = code < 0 ? code : xylem_store__line_part(line, entry, packing->err);
    change->line = xylem_base__buffer_view(line);
    return code;
}

static int add_entry(struct xylem_packing *packing, struct xylem_travel__change *change,
                     const struct xylem_entry *entry)
{
    struct xylem_buffer line = {NULL, 0, 0};
    uint64_t kind = 0;
    bool is_new = false;
    bool made = change->type == XYLEM_CHANGE_ENTRY;
    int code = XYLEM_OK;
    change->id = entry->id;
    change->kind = entry->kind;
    change->time_ms = entry->time_ms;
    change->format = entry->format;
    if (!made || ((code = fill_parent(change, packing, entry)) == XYLEM_OK &&
                  (code = check_text(packing, entry->id, "the id of an entry")) == XYLEM_OK &&
                  (code = find_kind(&kind, &is_new, packing, entry)) == XYLEM_OK)) {
        code = fill_content(change, &line, packing, entry);
    }
    if (made) {
        packing->last = entry->position;
        packing->last_check = entry->check;
    }
    code = code < 0 ? code : put(packing, xylem_travel__put_change(&packing->changes, change, kind, is_new));
    xylem_buffer_release(&line);
    return code;
}

/* 1 if a pattern takes the text of a row, or the line with the values of a row, without the id of the session; else 0. */
static int takes_side(struct xylem_packing *packing, const struct xylem_side *side, const struct xylem_entry *entry)
{
    struct xylem_buffer line = {NULL, 0, 0};
    struct xylem_view text = side->bytes;
    int code = XYLEM_OK;
    if (!packing->options.patterns || side->redacted || side->count > 0) {
        return 0;
    }
    if (side->type == XYLEM_SIDE_VALUES) {
        code = xylem_store__line_text(&line, entry, &side->values, (struct xylem_view){"", 0}, packing->err);
        text = xylem_base__buffer_view(&line);
    }
    code = code < 0 ? code : packing->matcher.line(packing->matcher.context, text, packing->err);
    xylem_base__buffer_wipe(&line);
    return code == XYLEM_E_REDACTED ? 1 : code; /* nobody can search the line */
}

/* The row as it is now: a change that wrote a row carries its redaction, too. */
static int add_side(struct xylem_packing *packing, struct xylem_travel__change *told, const struct xylem_change *change)
{
    struct xylem_entry entry = {.id = {NULL, 0}};
    struct xylem_side side;
    uint64_t made = change->ordinal;
    int code;
    if ((code = xylem_side_read(&side, packing->txn, packing->session.number, change->side_lsn, packing->err)) < 0 ||
        (side.type == XYLEM_SIDE_RECORD && (code = xylem_store__side_told(&made, packing->txn, packing->session.number,
                                                                          change->side_lsn, packing->err)) <= 0)) {
        return code < 0 && code != XYLEM_E_NOT_FOUND
                   ? code
                   : xylem_base__fail(packing->err, XYLEM_E_CORRUPT,
                                      "a row beside the entries is missing, or its change");
    }
    bool record = side.type == XYLEM_SIDE_RECORD;
    if ((!record && (code = xylem_entry_read(&entry, packing->txn, side.position, packing->err)) < 0) ||
        (code = takes_side(packing, &side, &entry)) < 0) {
        return code;
    }
    packing->taken_count += code > 0;
    side.reason = code > 0 ? packing->options.reason : side.reason;
    side.redacted = side.redacted || code > 0;
    if ((code = check_text(packing, side.reason, "the reason of a redaction")) < 0) {
        return code;
    }
    told->side.type = side.type;
    told->side.redacted = side.redacted;
    told->side.dialect = side.dialect;
    told->side.count = side.count;
    told->side.text = *xylem_store__side_text(&side);
    told->about = entry.id;
    told->back = change->ordinal - made;
    return put(packing, xylem_travel__put_change(&packing->changes, told, 0, false));
}

static int add_change(struct xylem_packing *packing, const struct xylem_change *change, const struct xylem_entry *entry)
{
    struct xylem_travel__change told = {.type = change->type};
    struct xylem_move move;
    int code;
    packing->change_count++;
    switch (change->type) {
    case XYLEM_CHANGE_ENTRY:
    case XYLEM_CHANGE_REDACTED:
        return add_entry(packing, &told, entry);
    case XYLEM_CHANGE_MOVED:
        if ((code = xylem_move_read(&move, packing->txn, packing->session.number, change->move_number, packing->err)) <
                0 ||
            (code = check_text(packing, move.reason, "the reason of a navigation")) < 0 ||
            (code = id_of(&told.from, packing, move.from)) < 0 || (code = id_of(&told.id, packing, move.to)) < 0) {
            return code;
        }
        told.time_ms = move.time_ms;
        told.reason = move.reason;
        break;
    case XYLEM_CHANGE_SIDE:
        return add_side(packing, &told, change);
    default:
        break;
    }
    return put(packing, xylem_travel__put_change(&packing->changes, &told, 0, false));
}

/* --- Document ----------------------------------------------------------------------------------------------------- */

static int add_source(struct xylem_packing *packing, struct xylem_store__source *source)
{
    int code = check_text(packing, source->name, "the path of a session file");
    if (code == XYLEM_OK && packing->options.patterns) {
        source->hash = source->order > 0 ? blank_hash(packing, source->name) : 0;
        code =
            source->tail.bytes == 0 ? 0 : packing->matcher.line(packing->matcher.context, source->tail, packing->err);
        source->tail.bytes = code > 0 ? 0 : source->tail.bytes;
    }
    source->elsewhere = source->elsewhere || !packing->is_whole;
    code = code < 0 ? code : put(packing, xylem_travel__put_source(&packing->changes, source));
    for (size_t i = 0; code == XYLEM_OK && i < source->displaced_count; i++) {
        const struct xylem_store__displaced *displaced = &source->displaced[i];
        struct xylem_position position = {0, 0};
        struct xylem_view id;
        code = xylem_store__feed_find(&position, packing->txn, displaced->lsn, displaced->lsn, packing->err);
        if (code < 0 || (code = id_of(&id, packing, position)) < 0) {
            return code;
        }
        if (id.bytes == 0) {
            return xylem_base__fail(packing->err, XYLEM_E_CORRUPT,
                                    "a session file of the session %.*s names lsn %" PRIu64 ", which is of no entry",
                                    XYLEM_BASE__SHOWN(packing->session.id), displaced->lsn);
        }
        code = put(packing, xylem_travel__put_displaced(&packing->changes, id, displaced->line));
    }
    return code;
}

static int add_line(struct xylem_packing *packing, struct xylem_quarantined *line)
{
    int code = check_text(packing, line->source, "the path of a session file");
    if (code == XYLEM_OK && packing->options.patterns && line->raw.bytes > 0) {
        code = packing->matcher.line(packing->matcher.context, line->raw, packing->err);
        if (code > 0) {
            xylem_store__quarantine_empty(line);
        }
    }
    return code < 0 ? code : put(packing, xylem_travel__put_line(&packing->changes, line));
}

/* Appends the rows of the session in a table, behind their number. */
static int add_rows(struct xylem_packing *packing, enum xylem_format__table table)
{
    struct xylem_lmdb__rows *rows;
    struct xylem_view key = {NULL, 0};
    struct xylem_view row = {NULL, 0};
    size_t at = packing->changes.bytes;
    uint32_t count = 0;
    int code = put(packing, xylem_base__add_u32(&packing->changes, 0) == XYLEM_OK);
    code = code < 0 ? code : xylem_lmdb__rows_new(&rows, packing->txn, table, packing->err);
    if (code < 0) {
        return code;
    }
    int found;
    while ((found = xylem_lmdb__rows_next_of(&key, &row, rows, packing->session.number, packing->err)) > 0) {
        struct xylem_store__source source;
        struct xylem_quarantined line;
        bool is_source = table == XYLEM_FORMAT__SOURCES;
        found = is_source ? xylem_store__source_decode(&source, packing->txn, row, packing->err)
                          : xylem_store__quarantine_decode(&line, key, row, packing->err);
        found = found < 0 ? found : is_source ? add_source(packing, &source) : add_line(packing, &line);
        if (found < 0) {
            break;
        }
        count++;
    }
    xylem_lmdb__rows_free(rows);
    if (found == XYLEM_OK) {
        xylem_base__put_u32((unsigned char *)packing->changes.data + at, count);
    }
    return found;
}

static int add_document(struct xylem_packing *packing)
{
    struct xylem_view leaf;
    struct xylem_view imported;
    int code;
    if ((code = id_of(&leaf, packing, packing->session.leaf)) < 0 ||
        (code = id_of(&imported, packing, packing->session.imported_leaf)) < 0 ||
        (code = put(packing, xylem_base__add_sized(&packing->changes, leaf) == XYLEM_OK &&
                                 xylem_base__add_sized(&packing->changes, imported) == XYLEM_OK)) < 0 ||
        (code = add_rows(packing, XYLEM_FORMAT__SOURCES)) < 0) {
        return code;
    }
    return add_rows(packing, XYLEM_FORMAT__QUARANTINE);
}

int xylem_travel__pack_document(struct xylem_buffer *out, struct xylem_txn *txn, const struct xylem_session *session,
                                bool is_whole, struct xylem_error *err)
{
    struct xylem_packing packing = {.txn = txn, .session = *session, .is_whole = is_whole, .changes = *out, .err = err};
    int code = add_document(&packing);
    *out = packing.changes;
    return code;
}

/* --- Head and row ------------------------------------------------------------------------------------------------- */

/* Finds the id and the namespace of a freed session in the feed, which tells of each. */
static int find_freed_id(struct xylem_session *row, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_feed *feed;
    struct xylem_change change;
    int code = xylem_feed_new(&feed, txn, NULL, err);
    if (code < 0) {
        return code;
    }
    int found;
    while ((found = xylem_feed_next(&change, feed, err)) > 0) {
        if (change.type == XYLEM_CHANGE_FREED && change.session == row->number) {
            row->id = change.freed_id;
            row->name_space = change.freed_name_space;
            break;
        }
    }
    xylem_feed_free(feed);
    return found != 0 ? (found < 0 ? found : XYLEM_OK)
                      : xylem_base__fail(err, XYLEM_E_NOT_FOUND,
                                         "the id of the freed session number %" PRIu64
                                         " is lost, since the store was repaired: sessions that share its entries "
                                         "cannot travel",
                                         row->number);
}

/* Fills in what a session has from the beginning. */
static int fill_row(struct xylem_segment *segment, struct xylem_travel__row *row, struct xylem_packing *packing)
{
    const struct xylem_session *session = &packing->session;
    bool based = !xylem_format__position_none(session->base);
    struct xylem_store__branch branch;
    struct xylem_session owner = {.number = 0};
    struct xylem_entry base = {.check = 0};
    int code;
    if (based &&
        ((code = xylem_entry_read(&base, packing->txn, session->base, packing->err)) < 0 ||
         (code = xylem_store__branch_read(&branch, packing->txn, session->base.branch, packing->err)) < 0 ||
         (code = xylem_session_read(&owner, packing->txn, branch.session, packing->err)) < 0 ||
         (owner.state == XYLEM_SESSION_FREED && (code = find_freed_id(&owner, packing->txn, packing->err)) < 0))) {
        return code;
    }
    segment->base_session = owner.id;
    segment->base_name_space = owner.name_space;
    segment->base_entry = base.id;
    *row = (struct xylem_travel__row){.created_ms = session->created_ms,
                                      .cwd = session->cwd,
                                      .parent = session->parent,
                                      .header = session->header,
                                      .base_check = packing->options.patterns ? 0 : base.check};
    if ((code = check_text(packing, session->cwd, "the directory of a session")) < 0 ||
        (code = check_text(packing, session->parent, "the source that a session names")) < 0 ||
        (code = check_text(packing, session->header, "the header of a session")) < 0 ||
        (code = check_text(packing, owner.name_space, "the namespace of the source of a fork")) < 0 ||
        (code = check_text(packing, owner.id, "the id of the source of a fork")) < 0) {
        return code;
    }
    return check_text(packing, base.id, "the id of an entry");
}

/* Joins head, row, changes and sum. */
static int finish(struct xylem_buffer *out, struct xylem_segment *segment, struct xylem_packing *packing)
{
    struct xylem_travel__row row = {.created_ms = 0};
    int code;
    segment->session = packing->session.id;
    segment->name_space = packing->session.name_space;
    if ((code = check_text(packing, segment->session, "the id of a session")) < 0 ||
        (code = check_text(packing, segment->name_space, "the namespace of a session")) < 0 ||
        ((segment->freed || segment->from == 1) && (code = fill_row(segment, &row, packing)) < 0) ||
        (code = put(packing, xylem_travel__put_segment(out, segment, &row, packing->change_count, &packing->changes))) <
            0) {
        return code;
    }
    code = xylem_segment_read(segment, xylem_base__buffer_view(out), packing->err);
    segment->taken_count = packing->taken_count;
    return code;
}

/* --- The calls ---------------------------------------------------------------------------------------------------- */

static int begin(struct xylem_packing *packing, uint64_t session)
{
    struct xylem_session *row = &packing->session;
    const struct xylem_pack_options *options = &packing->options;
    struct xylem_error *err = packing->err;
    int code = xylem_session_read(row, packing->txn, session, err);
    if (code < 0) {
        return code;
    }
    if (options->patterns && ((code = xylem_store__redact_check_reason(options->reason, err)) < 0 ||
                              (code = xylem_jsonl__matcher_new(&packing->matcher, options->patterns, err)) < 0 ||
                              (code = packing->matcher.text(packing->matcher.context, options->reason, err)) != 0)) {
        return code < 0 ? code
                        : xylem_base__fail(err, XYLEM_E_ARGUMENT, "a pattern matches the reason, which would travel");
    }
    if (row->state == XYLEM_SESSION_FREED) {
        code = find_freed_id(row, packing->txn, err);
        return code < 0 ? code : xylem_scan_new(&packing->scan, packing->txn, session, err);
    }
    if (row->state == XYLEM_SESSION_IMPORTING) {
        return xylem_base__fail(err, XYLEM_E_NOT_FOUND, "the import of the session %.*s has not finished",
                                XYLEM_BASE__SHOWN(row->id));
    }
    packing->next = options->from ? options->from : 1;
    packing->to = options->to ? options->to : row->history.count + 1;
    bool backwards = options->to > 0 && packing->next > options->to;
    if (packing->next > packing->to || packing->to > row->history.count + 1) {
        return xylem_base__fail(err, backwards ? XYLEM_E_ARGUMENT : XYLEM_E_NOT_FOUND,
                                "the session %.*s has %" PRIu64 " changes; those from %" PRIu64 " to before %" PRIu64
                                " are wanted",
                                XYLEM_BASE__SHOWN(row->id), row->history.count, packing->next, packing->to);
    }
    return xylem_store__ordinals_begin(&packing->ordinals, packing->txn, row, packing->next, err);
}

int xylem_packing_new(struct xylem_packing **packing, struct xylem_txn *txn, uint64_t session,
                      const struct xylem_pack_options *options, struct xylem_error *err)
{
    static const struct xylem_pack_options defaults;
    struct xylem_packing *made = calloc(1, sizeof *made);
    if (!made) {
        return xylem_base__fail_memory(err);
    }
    *made = (struct xylem_packing){.txn = txn, .options = options ? *options : defaults, .bytes_max = XYLEM_SEGMENT_BYTES, .err = err};
    int code = begin(made, session);
    if (code < 0) {
        xylem_packing_free(made);
        return code;
    }
    *packing = made;
    return XYLEM_OK;
}

void xylem_packing_whole(struct xylem_packing *packing)
{
    packing->bytes_max = SIZE_MAX;
}

void xylem_travel__pack_whole(struct xylem_packing *packing)
{
    packing->is_whole = true;
}

/* Adds the remaining entries of a freed session until the segment is full. */
static int add_freed(struct xylem_packing *packing)
{
    struct xylem_entry entry;
    int found = 1;
    while (packing->changes.bytes < packing->bytes_max && packing->change_count < XYLEM_TRAVEL__CHANGES_MAX &&
           (found = xylem_scan_next(&entry, packing->scan, packing->err)) > 0) {
        struct xylem_store__branch branch;
        const struct xylem_change change = {.type = XYLEM_CHANGE_ENTRY};
        int code = xylem_store__branch_read(&branch, packing->txn, entry.position.branch, packing->err);
        bool own = branch.session == packing->session.number; /* the scan gives the path of the base, too */
        if (code < 0 || (own && (code = add_change(packing, &change, &entry)) < 0)) {
            return code;
        }
    }
    packing->done = found == 0;
    return found < 0 ? found : XYLEM_OK;
}

static int add_changes(struct xylem_packing *packing)
{
    struct xylem_change change;
    struct xylem_entry entry;
    int code = XYLEM_OK;
    while (code == XYLEM_OK && packing->next < packing->to && packing->changes.bytes < packing->bytes_max &&
           packing->change_count < XYLEM_TRAVEL__CHANGES_MAX) {
        code = xylem_store__ordinals_next(&change, &entry, &packing->ordinals, &packing->session, packing->err);
        code = code < 0 ? code : add_change(packing, &change, &entry);
        packing->next++;
    }
    packing->done = packing->next == packing->to;
    return code;
}

int xylem_packing_next(struct xylem_buffer *bytes, struct xylem_segment *segment, struct xylem_packing *packing,
                       struct xylem_error *err)
{
    bool freed = packing->session.state == XYLEM_SESSION_FREED;
    packing->err = err;
    xylem_base__buffer_clear(bytes);
    if (packing->done) {
        return 0;
    }
    xylem_base__buffer_clear(&packing->changes);
    packing->kind_count = 0;
    packing->change_count = 0;
    packing->taken_count = 0;
    packing->last = (struct xylem_position){0, 0};
    packing->last_check = 0;
    *segment = (struct xylem_segment){
        .from = packing->next, .chain_before = freed ? 0 : packing->ordinals.chain, .freed = freed};
    packing->checked = freed ? !packing->options.patterns : has_checks(packing, packing->next);
    int code = freed ? add_freed(packing) : add_changes(packing);
    if (code == XYLEM_OK && freed && packing->change_count == 0) {
        return 0; /* the last segment was full with the last entry */
    }
    bool checked = packing->checked || (!freed && has_checks(packing, packing->next));
    code = code < 0
               ? code
               : put(packing, xylem_base__add_u64(&packing->changes, checked ? packing->last_check : 0) == XYLEM_OK);
    segment->to = packing->next;
    segment->chain = freed ? 0 : packing->ordinals.chain;
    segment->has_document = packing->done && !freed && packing->options.to == 0;
    if (code < 0 || (segment->has_document && (code = add_document(packing)) < 0) ||
        (code = finish(bytes, segment, packing)) < 0) {
        return code;
    }
    return 1;
}

void xylem_packing_free(struct xylem_packing *packing)
{
    if (packing) {
        xylem_jsonl__matcher_free(&packing->matcher);
        xylem_store__ordinals_release(&packing->ordinals);
        xylem_scan_free(packing->scan);
        xylem_buffer_release(&packing->changes);
        free(packing->kinds);
        free(packing);
    }
}
