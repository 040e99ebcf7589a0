/*
 * The log: the rows of a branch stand together and ascend, and a branch comes after all that its path crosses. So one
 * pass over the table sees every entry after its parent, and makes anew what append made.
 */
#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "store/feed.h"
#include "store/find.h"
#include "store/heads.h"
#include "format/hash.h"
#include "format/keys.h"
#include "store/log.h"
#include "store/meta.h"
#include "format/minted_id.h"
#include "format/record.h"
#include "care/verify.h"

/* Where the pass is. */
struct pass {
    struct xylem_care__verify *verify;
    struct xylem_care__place place; /* of the entry that is looked at */
    struct xylem_store__branch branch;
    struct xylem_session session;
    bool branch_known;   /* `branch` and `session` are those of the entry */
    uint64_t next_depth; /* that the next entry of this branch must have */
    bool parent_known;   /* the parent was whole: */
    uint64_t parent_check;
    uint64_t parent_lsn;
    struct xylem_store__heads heads;
    struct xylem_lmdb__rows *feed;
    struct xylem_buffer links;
    struct xylem_base__tree tree;
};

static int problem(struct pass *pass, const char *text)
{
    return xylem_care__problem(pass->verify, &pass->place, "%s", text);
}

/* What is known of the path before the first entry of a branch. */
static int begin_path(struct pass *pass, struct xylem_position parent_position)
{
    struct xylem_error reason;
    xylem_store__heads_release(&pass->heads);
    pass->parent_check = 0;
    pass->parent_lsn = 0;
    pass->parent_known = true;
    if (xylem_format__position_none(parent_position)) {
        return XYLEM_OK;
    }
    struct xylem_entry parent;
    int code = xylem_entry_read(&parent, pass->verify->txn, parent_position, &reason);
    code = code < 0 ? code : xylem_store__heads_start(&pass->heads, &parent, &reason);
    if (code < 0) {
        pass->parent_known = false;
        return xylem_care__problem_if(pass->verify, &pass->place, code, &reason);
    }
    pass->parent_check = parent.check;
    pass->parent_lsn = parent.lsn;
    return XYLEM_OK;
}

static int begin_branch(struct pass *pass, uint64_t number)
{
    struct xylem_error reason;
    int code = xylem_store__branch_read(&pass->branch, pass->verify->txn, number, &reason);
    code = code < 0 ? code : xylem_session_read(&pass->session, pass->verify->txn, pass->branch.session, &reason);
    pass->branch_known = code == XYLEM_OK;
    pass->branch.number = number;
    if (code < 0) {
        pass->parent_known = false;
        pass->next_depth = pass->place.position.depth;
        return xylem_care__problem_if(pass->verify, &pass->place, code, &reason);
    }
    pass->place.session = pass->session.number;
    pass->next_depth = pass->branch.first_depth;
    struct xylem_position parent = {pass->branch.parent_branch, pass->branch.first_depth - 1};
    return begin_path(pass, parent);
}

/* What was redacted is gone, and what is said of that can be read. */
static int check_redaction(struct pass *pass, const struct xylem_entry *entry)
{
    struct xylem_error reason;
    struct xylem_view text;
    struct xylem_stat meta = {.features = 0};
    int code = entry->payload_bytes > 0 ? problem(pass, "it is redacted, and has its payload still") : XYLEM_OK;
    if (code == XYLEM_OK && (entry->flags & XYLEM_ENTRY_HASH_DROPPED)) {
        /* What the environment was opened with may be older than the flag. */
        code = xylem_care__problem_if(pass->verify, &pass->place,
                                      xylem_store__meta_stat(&meta, pass->verify->txn, &reason), &reason);
        if (code == XYLEM_OK && !(meta.features & XYLEM_FORMAT__FEATURE_HASH_DROPPED)) {
            code = problem(pass, "its hash is said to be dropped, which the store's features do not allow");
        }
    }
    int read = code < 0 ? XYLEM_OK : xylem_entry_redaction(&text, entry, &reason);
    return code < 0 ? code : xylem_care__problem_if(pass->verify, &pass->place, read, &reason);
}

/* The place says already which entry it is, so the reason need not. */
static int part_problem(struct pass *pass, int code, int hashed, const char *part, const struct xylem_error *reason)
{
    return hashed == XYLEM_E_CORRUPT
               ? xylem_care__problem(pass->verify, &pass->place, "its %s does not have its hash", part)
               : xylem_care__problem_if(pass->verify, &pass->place, code, reason);
}

/* Payload and line have their hashes; the data of an extension is msgpack, whoever appended it. */
static int check_parts(struct pass *pass, const struct xylem_entry *entry)
{
    struct xylem_error reason;
    struct xylem_view bytes;
    bool redacted = entry->flags & XYLEM_ENTRY_REDACTED;
    int code = XYLEM_OK;
    if (entry->kind.kind_class == XYLEM_CLASS_CUSTOM && entry->format == XYLEM_FORMAT_JSON) {
        code = problem(pass, "it is an extension's, and its data is no msgpack");
    }
    if (code == XYLEM_OK && !redacted) {
        int read = entry->format == XYLEM_FORMAT_MSGPACK ? xylem_store__payload_decode(&pass->tree, entry, &reason)
                                                         : xylem_entry_payload(&bytes, entry, &reason);
        code = part_problem(pass, read, xylem_entry_payload(&bytes, entry, NULL), "payload", &reason);
    }
    if (code < 0 || redacted) {
        return code < 0 ? code : check_redaction(pass, entry);
    }
    int read = xylem_entry_imported_line(&bytes, entry, &reason);
    return part_problem(pass, read, read, "line", &reason);
}

/* The check, the links and the lsn follow from the parent. */
static int check_path(struct pass *pass, const struct xylem_entry *entry)
{
    struct xylem_error reason;
    uint64_t check = 0;
    unsigned flags = 0;
    bool is_message = xylem_store__kind_is_message(entry->kind);
    int code = xylem_format__record_check(&check, pass->parent_check, entry->kind, entry->time_ms, entry->format,
                                          entry->id, entry->unverified.payload_hash, &reason);
    if (code == XYLEM_OK && check != entry->check) {
        code = problem(pass, "its check does not cover its history");
    }
    code =
        code == XYLEM_OK && entry->lsn <= pass->parent_lsn ? problem(pass, "its lsn is not above its parent's") : code;
    xylem_base__buffer_clear(&pass->links);
    code = code < 0 ? code
                    : xylem_store__heads_links(&pass->links, &flags, &pass->heads, pass->verify->txn, entry->position,
                                               is_message, &reason);
    if (code < 0) {
        return xylem_care__problem_if(pass->verify, &pass->place, code, &reason);
    }
    struct xylem_view links = {entry->unverified.links, entry->unverified.links_bytes};
    unsigned of_links = XYLEM_ENTRY_STARTS_BRANCH | XYLEM_ENTRY_HEADS_INCOMPLETE;
    return (entry->flags & of_links) == flags && xylem_base__view_equal(links, xylem_base__buffer_view(&pass->links))
               ? XYLEM_OK
               : problem(pass, "its links do not lead where its path is");
}

/* The row of the feed that covers the entry's lsn must lead to the entry. */
static int check_feed(struct pass *pass, const struct xylem_entry *entry)
{
    struct xylem_format__key key;
    struct xylem_view row = {NULL, 0};
    struct xylem_error reason;
    struct xylem_store__feed feed;
    xylem_format__key_u64(&key, entry->lsn);
    struct xylem_view at = key.view;
    int found = xylem_lmdb__rows_step(&at, &row, pass->feed, XYLEM_LMDB__AT_OR_AFTER, &reason);
    if (found == 0) {
        found = xylem_lmdb__rows_step(&at, &row, pass->feed, XYLEM_LMDB__LAST, &reason);
    } else if (found > 0 && !xylem_base__view_equal(at, key.view)) {
        found = xylem_lmdb__rows_step(&at, &row, pass->feed, XYLEM_LMDB__PREVIOUS, &reason);
    }
    if (found < 0) {
        return xylem_care__problem_if(pass->verify, &pass->place, found, &reason);
    }
    bool right = found > 0 && xylem_format__row_unseal(&row, XYLEM_FORMAT__FEED, at) &&
                 xylem_store__feed_decode(&feed, at, row) == XYLEM_OK && !feed.freed && entry->lsn >= feed.first_lsn &&
                 entry->lsn <= feed.last_lsn && feed.position.branch == entry->position.branch &&
                 feed.position.depth + (entry->lsn - feed.first_lsn) == entry->position.depth;
    return right ? XYLEM_OK : problem(pass, "the feed does not lead to it");
}

/* True if the id of an entry that is flagged as minted holds the lsn of the entry. */
static bool flag_agrees(const struct xylem_entry *entry)
{
    uint64_t lsn = 0;
    return !(entry->flags & XYLEM_ENTRY_MINTED) || (xylem_format__minted_lsn(&lsn, entry->id) && lsn == entry->lsn);
}

/* Looking its id up in its own session must find it, and nothing else. */
static int check_lookup(struct pass *pass, const struct xylem_entry *entry)
{
    struct xylem_position position = {0, 0};
    struct xylem_error reason;
    if (entry->id.bytes == 0 || entry->id.bytes > XYLEM_ENTRY_ID_BYTES_MAX) {
        return problem(pass, "its id is empty or too long");
    }
    int code = flag_agrees(entry)
                   ? XYLEM_OK
                   : problem(pass, "it is said to be found by its lsn, but its id does not hold the lsn");
    if (code < 0 || !pass->branch_known) {
        return code;
    }
    int found = xylem_store__find(&position, pass->verify->txn, &pass->session, entry->id, &reason);
    if (found < 0) {
        return xylem_care__problem_if(pass->verify, &pass->place, found, &reason);
    }
    return found > 0 && xylem_format__position_equal(position, entry->position)
               ? XYLEM_OK
               : problem(pass, "looking its id up in its session does not find it");
}

static int check_entry(struct pass *pass, const struct xylem_entry *entry)
{
    struct xylem_error reason;
    int code = check_parts(pass, entry);
    if (code < 0) {
        return code;
    }
    if (!pass->parent_known) {
        /* Its own record is all there is to go on from; the damage before it was reported. */
        xylem_store__heads_release(&pass->heads);
        int started = xylem_store__heads_start(&pass->heads, entry, &reason);
        code = xylem_care__problem_if(pass->verify, &pass->place, started, &reason);
        pass->parent_known = started == XYLEM_OK;
    } else {
        code = check_path(pass, entry);
        int advanced = code < 0
                           ? XYLEM_OK
                           : xylem_store__heads_advance(&pass->heads, entry->position, entry->unverified.kind_number,
                                                        xylem_store__kind_is_message(entry->kind), &reason);
        code = code < 0 ? code : xylem_care__problem_if(pass->verify, &pass->place, advanced, &reason);
    }
    pass->parent_check = entry->check;
    pass->parent_lsn = entry->lsn;
    code = code < 0 || !pass->feed ? code : check_feed(pass, entry);
    return code < 0 ? code : check_lookup(pass, entry);
}

static int visit_record(struct pass *pass, struct xylem_view key, struct xylem_view record)
{
    struct xylem_entry entry;
    struct xylem_error reason;
    struct xylem_care__place at = {.table = XYLEM_FORMAT__LOG};
    pass->verify->report->row_count++;
    pass->verify->report->entry_count++;
    bool readable = xylem_format__key_read_pair(&at.position.branch, &at.position.depth, key);
    at.session = at.position.branch == pass->branch.number ? pass->place.session : 0;
    pass->place = at;
    if (!readable) {
        return problem(pass, "a key of the table log has another length than 16 bytes");
    }
    int code = at.position.branch == pass->branch.number ? XYLEM_OK : begin_branch(pass, at.position.branch);
    if (code == XYLEM_OK && at.position.depth != pass->next_depth) {
        code = xylem_care__problem(pass->verify, &pass->place, "entries are missing before it: expected depth %" PRIu64,
                                   pass->next_depth);
        pass->parent_known = false;
    }
    pass->next_depth = at.position.depth + 1;
    if (code < 0) {
        return code;
    }
    code = xylem_store__entry_decode(&entry, pass->verify->txn, at.position, record, &reason);
    if (code < 0) {
        pass->parent_known = false;
        return xylem_care__problem_if(pass->verify, &pass->place, code, &reason);
    }
    pass->place.entry_id = entry.id;
    return check_entry(pass, &entry);
}

/* What the feed tells of entries is what the log has, and of freed ones, what was counted when they were. */
static int check_feed_counts(struct pass *pass, uint64_t entries, uint64_t freed)
{
    struct xylem_error reason;
    struct xylem_store__freed counted = {0, 0};
    uint64_t logged = pass->verify->report->entry_count;
    int code = entries == logged
                   ? XYLEM_OK
                   : xylem_care__problem(pass->verify, &pass->place,
                                         "it tells of %" PRIu64 " entries; the log has %" PRIu64, entries, logged);
    int read = code < 0 ? code : xylem_store__freed_read(&counted, pass->verify->txn, &reason);
    if (code < 0 || read < 0) {
        return code < 0 || read == XYLEM_E_CORRUPT ? code /* the row is visited with the others of its table */
                                                   : xylem_care__problem_if(pass->verify, &pass->place, read, &reason);
    }
    return freed == counted.entry_count
               ? XYLEM_OK
               : xylem_care__problem(pass->verify, &pass->place,
                                     "it tells of %" PRIu64 " freed entries; %" PRIu64 " were counted", freed,
                                     counted.entry_count);
}

/* The feed's rows follow each other without a gap, and count as many entries as the log has. */
static int check_feed_gaps(struct pass *pass)
{
    struct xylem_view key = {NULL, 0};
    struct xylem_view row = {NULL, 0};
    struct xylem_error reason;
    uint64_t next = 1;
    uint64_t entries = 0;
    uint64_t freed = 0;
    memset(&pass->place, 0, sizeof pass->place);
    pass->place.table = XYLEM_FORMAT__FEED;
    int code = XYLEM_OK;
    int found = xylem_lmdb__rows_step(&key, &row, pass->feed, XYLEM_LMDB__FIRST, &reason);
    while (code == XYLEM_OK && found > 0) {
        struct xylem_store__feed feed;
        if (xylem_format__row_unseal(&row, XYLEM_FORMAT__FEED, key) &&
            xylem_store__feed_decode(&feed, key, row) == XYLEM_OK) {
            if (feed.first_lsn != next) {
                code = xylem_care__problem(pass->verify, &pass->place, "lsn %" PRIu64 " follows lsn %" PRIu64,
                                           feed.first_lsn, next - 1);
            }
            next = feed.last_lsn + 1;
            *(feed.freed ? &freed : &entries) += feed.last_lsn - feed.first_lsn + 1;
        }
        found = code < 0 ? 0 : xylem_lmdb__rows_step(&key, &row, pass->feed, XYLEM_LMDB__NEXT, &reason);
    }
    code = code < 0 ? code : xylem_care__problem_if(pass->verify, &pass->place, found, &reason);
    return code < 0 ? code : check_feed_counts(pass, entries, freed);
}

static int visit_log(struct pass *pass)
{
    struct xylem_lmdb__rows *rows;
    struct xylem_error reason;
    int code = xylem_lmdb__rows_new(&rows, pass->verify->txn, XYLEM_FORMAT__LOG, pass->verify->err);
    if (code < 0) {
        return code;
    }
    struct xylem_view key = {NULL, 0};
    struct xylem_view record = {NULL, 0};
    int found = xylem_lmdb__rows_step(&key, &record, rows, XYLEM_LMDB__FIRST, &reason);
    while (code == XYLEM_OK && found > 0) {
        code = visit_record(pass, key, record);
        code = code < 0 ? code : xylem_care__verify_progress(pass->verify);
        found = code < 0 ? 0 : xylem_lmdb__rows_step(&key, &record, rows, XYLEM_LMDB__NEXT, &reason);
    }
    xylem_lmdb__rows_free(rows);
    code = code < 0 ? code : xylem_care__problem_if(pass->verify, &pass->place, found, &reason);
    return code < 0 || !pass->feed ? code : check_feed_gaps(pass);
}

int xylem_care__verify_log(struct xylem_care__verify *verify)
{
    struct pass pass;
    memset(&pass, 0, sizeof pass);
    pass.verify = verify;
    if (xylem_lmdb__table_is_shut(verify->txn, XYLEM_FORMAT__LOG)) {
        return XYLEM_OK;
    }
    int code = xylem_lmdb__table_is_shut(verify->txn, XYLEM_FORMAT__FEED)
                   ? XYLEM_OK
                   : xylem_lmdb__rows_new(&pass.feed, verify->txn, XYLEM_FORMAT__FEED, verify->err);
    if (code == XYLEM_OK) {
        code = visit_log(&pass);
        xylem_lmdb__rows_free(pass.feed);
    }
    xylem_store__heads_release(&pass.heads);
    xylem_buffer_release(&pass.links);
    xylem_base__tree_release(&pass.tree);
    return code;
}
