/*
 * Writes an append. prepare.c refused everything that can be refused, so an error here leaves a half-written append and
 * marks the transaction as failed. The writes, in order:
 *   branches   a row, if a new branch begins
 *   kinds      two rows for each new kind
 *   log        a record for each entry
 *   ids        a row for each entry without a minted id
 *   feed       one row for all entries: the last row grows, or a row is new
 *   outlines   a notice, if an entry may name the session
 *   sessions   the row of the session, with its new leaf and counts
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "store/append.h"
#include "store/branch.h"
#include "store/feed.h"
#include "store/find.h"
#include "store/format/keys.h"
#include "store/history.h"
#include "store/kind.h"
#include "store/format/minted_id.h"
#include "store/format/record.h"
#include "store/lmdb/tables.h"
#include "xylem/feed.h"

/*
 * Chooses the position of the first entry:
 *   the session owns the branch of the parent, and the parent is its tip   the branch grows
 *   any other parent, or gc has cut the branch                             a new branch begins below the parent
 *   no parent                                                              a new branch begins at a root
 * `newest`: the parent is the newest entry of the store, and so a tip.
 */
static int choose_branch(struct xylem_position *first, struct xylem_store__appending *appending, bool newest)
{
    struct xylem_txn *txn = appending->txn;
    struct xylem_position parent = appending->parent;
    struct xylem_store__branch crossed = {.session = 0};
    bool at_root = xylem_format__position_none(parent);
    first->depth = parent.depth + 1;
    if (!at_root) {
        struct xylem_position tip = parent;
        int code;
        if ((code = xylem_store__branch_read(&crossed, txn, parent.branch, appending->err)) < 0 ||
            (!newest && (code = xylem_store__branch_tip(&tip, txn, parent.branch, appending->err)) < 0)) {
            return code;
        }
        bool whole = crossed.session == appending->session.number && crossed.end_depth == 0;
        if (whole && xylem_format__position_equal(tip, parent)) {
            first->branch = parent.branch;
            return XYLEM_OK;
        }
    }
    struct xylem_store__branch branch = {.session = appending->session.number,
                                         .first_depth = first->depth,
                                         .parent_branch = parent.branch,
                                         .previous_branch = appending->session.newest_branch};
    int code;
    if ((code = xylem_store__branch_next(&branch.number, txn, appending->err)) < 0 ||
        (code = xylem_store__branch_lay_skip(&branch, at_root ? NULL : &crossed, txn, appending->err)) < 0) {
        return code;
    }
    first->branch = branch.number;
    appending->session.newest_branch = branch.number;
    return xylem_store__branch_write(txn, &branch, false, appending->err);
}

/* The flags of the origin of an entry. The other flags depend on the place of the entry in this store. */
#define COPIED_FLAGS (XYLEM_ENTRY_IMPORTED | XYLEM_ENTRY_REDACTED | XYLEM_ENTRY_HASH_DROPPED)

static int write_record(struct xylem_store__appending *appending, const struct xylem_store__prepared *entry,
                        struct xylem_position own, uint64_t lsn)
{
    bool is_message = xylem_store__kind_is_message(entry->kind);
    struct xylem_format__record record = {.lsn = lsn,
                                          .time_ms = entry->time_ms,
                                          .kind_number = entry->kind_number,
                                          .format = entry->format,
                                          .id = entry->id,
                                          .payload = entry->payload,
                                          .line = entry->line};
    unsigned copied_flags = entry->copied ? entry->copied->flags & COPIED_FLAGS : 0u;
    record.payload_hash =
        copied_flags & XYLEM_ENTRY_REDACTED ? entry->copied->payload_hash : xylem_format__hash(entry->payload);
    xylem_base__buffer_clear(&appending->links);
    xylem_base__buffer_clear(&appending->record);
    struct xylem_error *err = appending->err;
    int code = xylem_store__heads_links(&appending->links, &record.flags, &appending->heads, appending->txn, own,
                                        is_message, err);
    record.flags |= copied_flags | (appending->options->imported ? XYLEM_ENTRY_IMPORTED : 0u) |
                    (entry->found_by_lsn ? XYLEM_ENTRY_MINTED : 0u);
    record.links = xylem_base__buffer_view(&appending->links);
    if (code < 0 ||
        (code = xylem_format__record_check(&record.check, appending->parent_check, entry->kind, entry->time_ms,
                                           entry->format, entry->id, record.payload_hash, err)) < 0 ||
        (code = xylem_format__record_encode(&appending->record, own, &record, err)) < 0) {
        return code;
    }
    struct xylem_format__key key;
    xylem_format__key_pair(&key, own.branch, own.depth);
    code = xylem_lmdb__put(appending->txn, XYLEM_FORMAT__LOG, key.view, xylem_base__buffer_view(&appending->record),
                           false, err);
    appending->parent_check = record.check;
    return code < 0 ? code : xylem_store__heads_advance(&appending->heads, own, entry->kind_number, is_message, err);
}

/* Interns the kind of an entry. The kinds of earlier entries of the append are remembered. */
static int intern_kind(struct xylem_store__appending *appending, struct xylem_store__prepared *entry)
{
    for (size_t i = 0; i < appending->kind_count; i++) {
        const struct xylem_store__interned_kind *known = &appending->kinds[i];
        if (xylem_store__kind_equal(&known->kind, &entry->kind)) {
            entry->kind_number = known->number;
            return XYLEM_OK;
        }
    }
    int code = xylem_store__kind_intern(&entry->kind_number, appending->txn, entry->kind, appending->err);
    if (code == XYLEM_OK && appending->kind_count < XYLEM_STORE__INTERNED_KINDS_MAX) {
        appending->kinds[appending->kind_count++] =
            (struct xylem_store__interned_kind){entry->kind, entry->kind_number};
    }
    return code;
}

static int write_entry(struct xylem_store__appending *appending, struct xylem_store__prepared *entry,
                       struct xylem_position own, uint64_t lsn)
{
    uint64_t held;
    /* A copied entry whose minted id holds its lsn in this store, too, needs no row in `ids`. */
    entry->found_by_lsn = entry->copied && (entry->copied->flags & XYLEM_ENTRY_MINTED) != 0 &&
                          xylem_format__minted_lsn(&held, entry->id) && held == lsn;
    int code = intern_kind(appending, entry);
    if (code < 0) {
        return code;
    }
    if (entry->mint) {
        entry->id = (struct xylem_view){entry->minted, sizeof entry->minted};
        entry->found_by_lsn = lsn <= XYLEM_FORMAT__MINTED_LSN_MAX;
        if (entry->found_by_lsn) {
            xylem_format__minted_id(entry->minted, xylem_base__now_ms(), lsn, entry->chance);
        } else {
            code = xylem_base__uuid_v7(entry->minted, appending->err);
            entry->id_hash = xylem_format__hash(entry->id);
        }
    }
    if (code < 0 || (code = write_record(appending, entry, own, lsn)) < 0 || entry->found_by_lsn) {
        return code;
    }
    return appending->options->ids
               ? xylem_store__new_id_add(appending->options->ids, entry->id_hash, own, appending->err)
               : xylem_store__id_write(appending->txn, &appending->session, entry->id_hash, own, appending->err);
}

/*
 * The end of the feed, and with it the lsn of the first entry. An lsn at or below the last lsn of the session proves
 * that the end of the table feed is lost.
 */
static int feed_end(struct xylem_store__feed_end *end, struct xylem_store__appending *appending)
{
    int code = xylem_store__feed_end(end, appending->txn, &appending->parent_entry, appending->err);
    if (code == XYLEM_OK && end->next_lsn <= appending->session.last_lsn) {
        code = xylem_base__fail(
            appending->err, XYLEM_E_CORRUPT,
            "%s: the table feed ends before lsn %" PRIu64 ", the lsn of the last entry of the session %.*s",
            xylem_lmdb__path(appending->txn), appending->session.last_lsn, XYLEM_BASE__SHOWN(appending->session.id));
    }
    return code;
}

/* True if an entry may name the session. Of very many kinds the last are not remembered. Remains have no name. */
static bool may_name(const struct xylem_store__appending *appending)
{
    static const struct xylem_kind name = {
        XYLEM_CLASS_HOST, {XYLEM_FORMAT__SESSION_INFO_NAME, sizeof XYLEM_FORMAT__SESSION_INFO_NAME - 1}};
    bool may = appending->kind_count == XYLEM_STORE__INTERNED_KINDS_MAX;
    for (size_t i = 0; !may && i < appending->kind_count; i++) {
        may = xylem_store__kind_equal(&appending->kinds[i].kind, &name);
    }
    return may && appending->session.state != XYLEM_SESSION_FREED;
}

static int write_entries(struct xylem_position *first, struct xylem_store__appending *appending)
{
    struct xylem_position own;
    struct xylem_store__feed_end end;
    const struct xylem_entry *parent = &appending->parent_entry;
    int code = feed_end(&end, appending);
    if (code < 0) {
        return code;
    }
    bool newest = end.next_lsn == parent->lsn + 1 && end.last.tag == XYLEM_FORMAT__FEED_APPENDED &&
                  end.last.last_lsn == parent->lsn && end.last.position.branch == parent->position.branch;
    if ((code = choose_branch(&own, appending, newest)) < 0) {
        return code;
    }
    uint64_t last_lsn = end.next_lsn + appending->entry_count - 1;
    bool extends =
        newest && own.branch == parent->position.branch && last_lsn - end.last.first_lsn < XYLEM_STORE__ROW_ENTRIES_MAX;
    struct xylem_store__feed feed = {.first_lsn = end.next_lsn, .position = own, .chain = end.chain};
    struct xylem_history *history = &appending->session.history;
    if (extends) {
        feed = end.last;
    } else {
        xylem_store__history_begin(&feed, history);
    }
    feed.last_lsn = last_lsn;
    *first = own;
    xylem_lmdb__seen(appending->txn)->changed = appending->session.number;
    for (size_t i = 0; i < appending->entry_count; i++, own.depth++) {
        struct xylem_store__prepared *entry = &appending->entries[i];
        if ((code = write_entry(appending, entry, own, end.next_lsn + i)) < 0) {
            return code;
        }
        struct xylem_format__link link = {.lsn = end.next_lsn + i,
                                          .session = appending->session.number,
                                          .type = XYLEM_CHANGE_ENTRY,
                                          .time_ms = entry->time_ms,
                                          .id = entry->id};
        feed.chain = xylem_format__store_chain(feed.chain, &link);
        xylem_store__history_add(history, &link);
    }
    if ((code = xylem_store__feed_write(appending->txn, &feed, extends, appending->err)) < 0) {
        return code;
    }
    const struct xylem_store__append_options *options = appending->options;
    const struct xylem_position last = {own.branch, own.depth - 1};
    if (options->leaf_follows) {
        appending->session.imported_leaf = last;
    }
    if (options->leaf_follows || (!options->imported && !options->copied)) {
        appending->session.leaf = last;
    }
    appending->session.last_lsn = feed.last_lsn;
    appending->session.own_entry_count += appending->entry_count;
    if (may_name(appending) &&
        (code = xylem_store__outline_notice(appending->txn, appending->session.number, appending->err)) < 0) {
        return code;
    }
    return xylem_store__session_write(appending->txn, &appending->session, appending->err);
}

int xylem_store__append(struct xylem_position *first, struct xylem_txn *txn, uint64_t session,
                        const struct xylem_new_entry *entries, size_t entry_count,
                        const struct xylem_store__append_options *options, struct xylem_error *err)
{
    if (entry_count == 0 || entry_count > XYLEM_APPEND_ENTRIES_MAX) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "an append has %zu entries; it must have 1 to %u", entry_count,
                                XYLEM_APPEND_ENTRIES_MAX);
    }
    static const struct xylem_append_options defaults = {.expected_leaf = NULL};
    const struct xylem_append_options *given = options->given ? options->given : &defaults;
    struct xylem_store__appending appending = {
        .txn = txn, .entry_count = entry_count, .options = options, .given = given, .err = err};
    assert(!options->imported || !options->copied);
    appending.entries = calloc(entry_count, sizeof *appending.entries);
    int code =
        appending.entries ? xylem_store__appending_prepare(&appending, session, entries) : xylem_base__fail_memory(err);
    if (code < 0) {
        goto out;
    }
    struct xylem_position at;
    if ((code = write_entries(&at, &appending)) < 0) {
        xylem_lmdb__write_failed(txn, code); /* a commit would store half an append */
        goto out;
    }
    if (first) {
        *first = at;
    }
    if (given->first_lsn) {
        *given->first_lsn = appending.session.last_lsn - (entry_count - 1);
    }
out:
    xylem_store__appending_release(&appending);
    return code;
}

int xylem_append(struct xylem_position *first, struct xylem_txn *txn, uint64_t session,
                 const struct xylem_new_entry *entries, size_t entry_count, const struct xylem_append_options *options,
                 struct xylem_error *err)
{
    const struct xylem_store__append_options all = {.given = options};
    return xylem_store__append(first, txn, session, entries, entry_count, &all, err);
}
