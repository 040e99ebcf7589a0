/*
 * Checks the log. The rows of a branch stand together and ascend, and a branch has a greater number than the other
 * branches on its path. So one pass visits every entry after its parent. The pass computes again what an append
 * computes, and compares:
 *
 *   payload, line, redaction    against their hashes                             check_parts
 *   check, links, lsn           against the parent's check, heads and lsn        check_path
 *   feed                        the feed's row leads to the entry                check_feed
 *   id                          a look-up in the session finds the entry         check_lookup
 *
 * After a damaged record the path is unknown. The next readable entry starts the path again, without check_path: the
 * damage before it is reported once.
 */
#include <assert.h>
#include <inttypes.h>

#include "base/buffer.h"
#include "store/feed.h"
#include "store/find.h"
#include "store/heads.h"
#include "store/format/hash.h"
#include "store/format/keys.h"
#include "store/log.h"
#include "store/meta.h"
#include "store/format/minted_id.h"
#include "care/verify.h"

/* The state of the pass. */
struct pass {
    struct xylem_care__verify *verify;
    struct xylem_care__place place; /* of the current entry */
    struct xylem_store__branch branch;
    struct xylem_session session;
    bool branch_known;   /* `branch` and `session` are of the current entry */
    uint64_t next_depth; /* the expected depth of the next entry of the branch */
    bool parent_known;   /* the members `parent_` and `heads` are of the parent */
    uint64_t parent_check;
    uint64_t parent_lsn;
    struct xylem_store__heads heads;
    struct xylem_lmdb__rows *feed;
    struct xylem_buffer links;
    struct xylem_buffer line;
    struct xylem_base__tree tree;
};

static int problem(struct pass *pass, const char *text)
{
    return xylem_care__problem(pass->verify, &pass->place, "%s", text);
}

/* Reads the branch and its session, and check, lsn and heads of the parent of the branch's first entry. */
static int begin_branch(struct pass *pass, uint64_t number)
{
    struct xylem_error reason;
    struct xylem_entry parent;
    int code = xylem_store__branch_read(&pass->branch, pass->verify->txn, number, &reason);
    if (code == XYLEM_OK) {
        code = xylem_session_read(&pass->session, pass->verify->txn, pass->branch.session, &reason);
    }
    pass->branch_known = code == XYLEM_OK;
    pass->branch.number = number;
    if (code < 0) {
        pass->parent_known = false;
        pass->next_depth = pass->place.position.depth;
        return xylem_care__problem_if(pass->verify, &pass->place, code, &reason);
    }
    pass->place.session = pass->session.number;
    pass->next_depth = pass->branch.first_depth;
    xylem_store__heads_release(&pass->heads);
    pass->parent_check = 0;
    pass->parent_lsn = 0;
    pass->parent_known = true;
    struct xylem_position fork_point = {pass->branch.parent_branch, pass->branch.first_depth - 1};
    if (xylem_format__position_none(fork_point)) {
        return XYLEM_OK;
    }
    if ((code = xylem_entry_read(&parent, pass->verify->txn, fork_point, &reason)) < 0 ||
        (code = xylem_store__heads_start(&pass->heads, &parent, &reason)) < 0) {
        pass->parent_known = false;
        return xylem_care__problem_if(pass->verify, &pass->place, code, &reason);
    }
    pass->parent_check = parent.check;
    pass->parent_lsn = parent.lsn;
    return XYLEM_OK;
}

/*
 * Checks a redacted entry: the payload is gone, the flags agree with the store's features, and the reason has its hash.
 */
static int check_redaction(struct pass *pass, const struct xylem_entry *entry)
{
    struct xylem_error reason;
    struct xylem_view text;
    struct xylem_stat meta = {.features = 0};
    int code;
    if (entry->payload_bytes > 0 && (code = problem(pass, "the entry is redacted, but still has its payload")) < 0) {
        return code;
    }
    if (entry->flags & XYLEM_ENTRY_HASH_DROPPED) {
        /* The transaction's own row: the features at the opening of the environment may be older than the flag. */
        int read = xylem_store__meta_stat(&meta, pass->verify->txn, &reason);
        if ((code = xylem_care__problem_if(pass->verify, &pass->place, read, &reason)) < 0 ||
            (!(meta.features & XYLEM_FORMAT__FEATURE_HASH_DROPPED) &&
             (code = problem(pass, "the entry says that its hash was dropped, against the store's features")) < 0)) {
            return code;
        }
    }
    int read = xylem_entry_redaction(&text, entry, &reason);
    return xylem_care__problem_if(pass->verify, &pass->place, read, &reason);
}

/* Reports a damaged payload or line. The place of the problem names the entry, so a wrong hash gets a short text. */
static int part_problem(struct pass *pass, int code, int hashed, const char *part, const struct xylem_error *reason)
{
    return hashed == XYLEM_E_CORRUPT
               ? xylem_care__problem(pass->verify, &pass->place, "the %s does not match its hash", part)
               : xylem_care__problem_if(pass->verify, &pass->place, code, reason);
}

/* Payload and line have their hashes, the data of an extension is msgpack, and a line is a line with its values. */
static int check_parts(struct pass *pass, const struct xylem_entry *entry)
{
    struct xylem_error reason;
    struct xylem_view bytes;
    int code;
    if (entry->kind.kind_class == XYLEM_CLASS_CUSTOM && entry->format >= XYLEM_FORMAT_JSON &&
        (code = problem(pass, "the data of an extension's entry is no msgpack")) < 0) {
        return code;
    }
    if (entry->flags & XYLEM_ENTRY_REDACTED) {
        return check_redaction(pass, entry);
    }
    int hashed = xylem_entry_payload(&bytes, entry, &reason);
    int read =
        entry->format == XYLEM_FORMAT_MSGPACK ? xylem_store__payload_decode(&pass->tree, entry, &reason) : hashed;
    if ((code = part_problem(pass, read, hashed, "payload", &reason)) < 0 || hashed < 0) {
        return code; /* without the payload nobody can read the line */
    }
    xylem_base__buffer_clear(&pass->line);
    read = xylem_store__line_part(&pass->line, entry, &reason);
    int whole = xylem_store__line_whole(entry) ? XYLEM_OK : XYLEM_E_CORRUPT;
    if ((code = part_problem(pass, read, whole, "line", &reason)) < 0 || read < 0 ||
        entry->format != XYLEM_FORMAT_LINE) {
        return code;
    }
    code = xylem_store__line_check(&pass->tree, bytes, xylem_base__buffer_view(&pass->line), &reason);
    return code == XYLEM_E_MALFORMED ? xylem_care__problem(pass->verify, &pass->place, "the line: %s", reason.text)
                                     : xylem_care__problem_if(pass->verify, &pass->place, code, &reason);
}

/* Makes check and links anew from the parent, and compares check, links and lsn. */
static int check_path(struct pass *pass, const struct xylem_entry *entry)
{
    struct xylem_error reason;
    unsigned flags = 0;
    bool is_message = xylem_store__kind_is_message(entry->kind);
    assert(pass->parent_known);
    int code = xylem_store__check_fits(pass->verify->txn, entry, pass->parent_check, &reason);
    if (code < 0) {
        return xylem_care__problem_if(pass->verify, &pass->place, code, &reason);
    }
    if (code == 0 &&
        (code = problem(pass, "the entry's check (a hash of the entry and its history) does not match")) < 0) {
        return code;
    }
    if (entry->lsn <= pass->parent_lsn &&
        (code = problem(pass, "the entry's lsn is not greater than the parent's lsn")) < 0) {
        return code;
    }
    xylem_base__buffer_clear(&pass->links);
    code = xylem_store__heads_links(&pass->links, &flags, &pass->heads, pass->verify->txn, entry->position, is_message,
                                    &reason);
    if (code < 0) {
        return xylem_care__problem_if(pass->verify, &pass->place, code, &reason);
    }
    struct xylem_view links = {entry->unverified.links, entry->unverified.links_bytes};
    unsigned of_links = XYLEM_ENTRY_STARTS_BRANCH | XYLEM_ENTRY_HEADS_INCOMPLETE;
    return (entry->flags & of_links) == flags && xylem_base__view_equal(links, xylem_base__buffer_view(&pass->links))
               ? XYLEM_OK
               : problem(pass, "the entry's links do not agree with its path");
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
                 xylem_store__feed_decode(&feed, at, row) == XYLEM_OK && feed.tag == XYLEM_FORMAT__FEED_APPENDED &&
                 entry->lsn >= feed.first_lsn && entry->lsn <= feed.last_lsn &&
                 feed.position.branch == entry->position.branch &&
                 feed.position.depth + (entry->lsn - feed.first_lsn) == entry->position.depth;
    return right ? XYLEM_OK : problem(pass, "the feed does not lead to the entry");
}

/* A look-up of the entry's id in the entry's session must find the entry. */
static int check_lookup(struct pass *pass, const struct xylem_entry *entry)
{
    struct xylem_position position = {0, 0};
    struct xylem_error reason;
    uint64_t lsn = 0;
    if (entry->id.bytes == 0 || entry->id.bytes > XYLEM_ENTRY_ID_BYTES_MAX) {
        return problem(pass, "the entry's id is empty or too long");
    }
    int code;
    if (entry->flags & XYLEM_ENTRY_MINTED && (!xylem_format__minted_lsn(&lsn, entry->id) || lsn != entry->lsn) &&
        (code = problem(pass, "the entry says that xylem made its id, but the id does not hold the lsn")) < 0) {
        return code;
    }
    if (!pass->branch_known) {
        return XYLEM_OK;
    }
    int found = xylem_store__find(&position, pass->verify->txn, &pass->session, entry->id, &reason);
    if (found < 0) {
        return xylem_care__problem_if(pass->verify, &pass->place, found, &reason);
    }
    return found > 0 && xylem_format__position_equal(position, entry->position)
               ? XYLEM_OK
               : problem(pass, "a look-up of the entry's id in its session does not find the entry");
}

static int check_entry(struct pass *pass, const struct xylem_entry *entry)
{
    struct xylem_error reason;
    int code = check_parts(pass, entry);
    if (code < 0) {
        return code;
    }
    int heads;
    if (!pass->parent_known) {
        xylem_store__heads_release(&pass->heads);
        heads = xylem_store__heads_start(&pass->heads, entry, &reason);
        pass->parent_known = heads == XYLEM_OK;
    } else {
        if ((code = check_path(pass, entry)) < 0) {
            return code;
        }
        heads = xylem_store__heads_advance(&pass->heads, entry->position, entry->unverified.kind_number,
                                           xylem_store__kind_is_message(entry->kind), &reason);
    }
    pass->parent_check = entry->check;
    pass->parent_lsn = entry->lsn;
    if ((code = xylem_care__problem_if(pass->verify, &pass->place, heads, &reason)) < 0 ||
        (pass->feed && (code = check_feed(pass, entry)) < 0)) {
        return code;
    }
    return check_lookup(pass, entry);
}

/* Visits a row of the log: begins a branch if the row is its first, then checks depth and entry. */
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
        return xylem_care__problem(pass->verify, &pass->place, "a key of %zu bytes is no position", key.bytes);
    }
    int code = at.position.branch == pass->branch.number ? XYLEM_OK : begin_branch(pass, at.position.branch);
    if (code == XYLEM_OK && at.position.depth != pass->next_depth) {
        code = xylem_care__problem(pass->verify, &pass->place,
                                   "entries before this entry are missing: expected depth %" PRIu64, pass->next_depth);
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

/* The lsns of the feed. */
struct lsns {
    uint64_t entries;
    uint64_t freed;
    uint64_t changes; /* told without an entry, or skipped */
};

/* Compares the feed's numbers of lsns with the log, and with the counts in `meta`. */
static int check_feed_counts(struct pass *pass, const struct lsns *lsns)
{
    struct xylem_error reason;
    struct xylem_store__freed counted = {0, 0};
    uint64_t logged = pass->verify->report->entry_count;
    uint64_t changes;
    int code;
    if (lsns->entries != logged && (code = xylem_care__problem(pass->verify, &pass->place,
                                                               "the feed has %" PRIu64 " entries, the log has %" PRIu64,
                                                               lsns->entries, logged)) < 0) {
        return code;
    }
    if (xylem_store__changes_read(&changes, pass->verify->txn, NULL) == XYLEM_OK && lsns->changes != changes &&
        (code = xylem_care__problem(pass->verify, &pass->place,
                                    "the feed has %" PRIu64 " changes without an entry, the row %s counts %" PRIu64,
                                    lsns->changes, XYLEM_FORMAT__META_FORMAT, changes)) < 0) {
        return code;
    }
    int read = xylem_store__freed_read(&counted, pass->verify->txn, &reason);
    if (read == XYLEM_E_CORRUPT) {
        return XYLEM_OK; /* the visit of the row reports the damage */
    }
    if (read < 0) {
        return xylem_care__problem_if(pass->verify, &pass->place, read, &reason);
    }
    return lsns->freed == counted.entry_count
               ? XYLEM_OK
               : xylem_care__problem(pass->verify, &pass->place,
                                     "the feed has %" PRIu64 " freed entries, the row %s counts %" PRIu64, lsns->freed,
                                     XYLEM_FORMAT__META_FREED, counted.entry_count);
}

/* Checks that the feed's rows follow each other without a gap, and counts their entries. */
static int check_feed_gaps(struct pass *pass)
{
    struct xylem_view key = {NULL, 0};
    struct xylem_view row = {NULL, 0};
    struct xylem_error reason;
    uint64_t next = 1;
    struct lsns lsns = {0, 0, 0};
    pass->place = (struct xylem_care__place){.table = XYLEM_FORMAT__FEED};
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
            assert(feed.last_lsn >= feed.first_lsn);
            next = feed.last_lsn + 1;
            *(feed.tag == XYLEM_FORMAT__FEED_APPENDED ? &lsns.entries
              : feed.tag == XYLEM_FORMAT__FEED_FREED  ? &lsns.freed
                                                      : &lsns.changes) += feed.last_lsn - feed.first_lsn + 1;
        }
        found = code < 0 ? 0 : xylem_lmdb__rows_step(&key, &row, pass->feed, XYLEM_LMDB__NEXT, &reason);
    }
    if (code < 0 || (code = xylem_care__problem_if(pass->verify, &pass->place, found, &reason)) < 0) {
        return code;
    }
    return check_feed_counts(pass, &lsns);
}

int xylem_care__verify_log(struct xylem_care__verify *verify)
{
    struct pass pass = {.verify = verify};
    struct xylem_lmdb__rows *rows = NULL;
    struct xylem_view key = {NULL, 0};
    struct xylem_view record = {NULL, 0};
    struct xylem_error reason;
    if (xylem_lmdb__table_is_shut(verify->txn, XYLEM_FORMAT__LOG)) {
        return XYLEM_OK;
    }
    int found = 0;
    int code = xylem_lmdb__table_is_shut(verify->txn, XYLEM_FORMAT__FEED)
                   ? XYLEM_OK
                   : xylem_lmdb__rows_new(&pass.feed, verify->txn, XYLEM_FORMAT__FEED, verify->err);
    if (code == XYLEM_OK) {
        code = xylem_lmdb__rows_new(&rows, verify->txn, XYLEM_FORMAT__LOG, verify->err);
    }
    while (code == XYLEM_OK && (found = xylem_lmdb__rows_step(&key, &record, rows, XYLEM_LMDB__NEXT, &reason)) > 0) {
        if ((code = visit_record(&pass, key, record)) == XYLEM_OK) {
            code = xylem_care__verify_progress(verify);
        }
    }
    if (code == XYLEM_OK) {
        code = xylem_care__problem_if(verify, &pass.place, found, &reason);
    }
    if (code == XYLEM_OK && pass.feed) {
        code = check_feed_gaps(&pass);
    }
    xylem_lmdb__rows_free(rows);
    xylem_lmdb__rows_free(pass.feed);
    xylem_store__heads_release(&pass.heads);
    xylem_buffer_release(&pass.links);
    xylem_buffer_release(&pass.line);
    xylem_base__tree_release(&pass.tree);
    return code;
}
