/*
 * Reads the outline of a session for lists, as the store keeps it, or from the entries.
 *
 * The last `session_info` entry, in lsn order over all branches, holds the name. Lsns ascend along a path. So the last
 * `session_info` entry is also the newest one on the path of a branch's last entry, or on the path of the base. The
 * heads in the records lead to the entry, and the session is not scanned.
 */
#include <inttypes.h>

#include "base/buffer.h"
#include "base/error.h"
#include "branch/branch.h"
#include "branch/labels.h"
#include "branch/outline.h"

/* Replaces `last` by the newest `session_info` entry on the path of `from`, if that entry is newer. */
static int keep_newest(struct xylem_entry *last, struct xylem_txn *txn, const struct xylem_entry *from,
                       struct xylem_error *err)
{
    static const struct xylem_kind kind = {
        XYLEM_CLASS_HOST, {XYLEM_FORMAT__SESSION_INFO_NAME, sizeof XYLEM_FORMAT__SESSION_INFO_NAME - 1}};
    struct xylem_entry found;
    int code = xylem_store__newest_of_kind(&found, txn, from, kind, err);
    if (code > 0 && found.lsn > last->lsn) {
        *last = found;
    }
    return code < 0 ? code : XYLEM_OK;
}

/* Appends the name, if the caller wants the name: 1, or 0 for an empty name. */
static int add_name(struct xylem_buffer *name, struct xylem_view text, struct xylem_error *err)
{
    if (text.bytes == 0 || !name) {
        return text.bytes > 0;
    }
    return xylem_buffer_add(name, text.data, text.bytes) < 0 ? xylem_base__fail_memory(err) : 1;
}

/* 1 and the name, or 0 if there is none. */
static int read_name(struct xylem_buffer *name, struct xylem_txn *txn, const struct xylem_entry *last, uint64_t session,
                     struct xylem_error *err)
{
    struct xylem_base__tree tree = {0};
    struct xylem_view text = {NULL, 0};
    struct xylem_labels labels;
    struct xylem_error why = {0};
    int code = xylem_store__payload_decode(&tree, last, &why);
    bool says = code == XYLEM_OK && xylem_branch__name_of(&text, tree.node_count > 0 ? &tree.nodes[0] : NULL);
    if (code == XYLEM_E_MEMORY || code == XYLEM_E_CORRUPT) {
        code = xylem_base__fail(err, code, "%s", why.text);
    } else if (says) {
        code = add_name(name, text, err);
    } else { /* the last entry does not mention the name, so an older entry counts */
        code = xylem_labels_read(&labels, txn, session, err);
        code = code < 0 ? code : add_name(name, labels.name, err);
        xylem_labels_release(&labels);
    }
    xylem_base__tree_release(&tree);
    return code;
}

int xylem_branch__outline_active(int64_t *active_ms, struct xylem_txn *txn, const struct xylem_session *session,
                                 struct xylem_error *err)
{
    struct xylem_entry leaf;
    *active_ms = session->created_ms;
    if (xylem_format__position_none(session->leaf)) {
        return XYLEM_OK;
    }
    int code = xylem_entry_read(&leaf, txn, session->leaf, err);
    if (code == XYLEM_OK) {
        *active_ms = leaf.time_ms;
    }
    return xylem_store__no_entry(code)
               ? xylem_base__fail(err, XYLEM_E_CORRUPT, "the leaf at " XYLEM_FORMAT__AT_FORMAT " is missing",
                                  XYLEM_FORMAT__AT_ARGUMENTS(session->leaf))
               : code;
}

int xylem_branch__outline_make(struct xylem_outline *outline, struct xylem_buffer *name, struct xylem_txn *txn,
                               const struct xylem_session *session, struct xylem_error *err)
{
    struct xylem_outline made = {0};
    struct xylem_branch__met met = {0, 0};
    struct xylem_entry last = {.lsn = 0}; /* the last `session_info` entry; lsn 0: there is none */
    struct xylem_entry tip;
    int code = XYLEM_OK;
    bool base_is_tip = !xylem_format__position_none(session->base);
    if (base_is_tip) {
        code = xylem_entry_read(&tip, txn, session->base, err);
        if (xylem_store__no_entry(code)) {
            return xylem_base__fail(err, XYLEM_E_CORRUPT, "the base at " XYLEM_FORMAT__AT_FORMAT " is missing",
                                    XYLEM_FORMAT__AT_ARGUMENTS(session->base));
        }
        code = code < 0 ? code : keep_newest(&last, txn, &tip, err);
    }
    for (uint64_t number = session->newest_branch; code == XYLEM_OK && number != 0;) {
        struct xylem_store__branch branch;
        if ((code = xylem_branch__own(&branch, &tip, txn, session, number, err)) < 0 ||
            (code = keep_newest(&last, txn, &tip, err)) < 0) {
            return code;
        }
        xylem_branch__meet(&met, &branch, &tip);
        base_is_tip = base_is_tip && !xylem_format__position_equal(xylem_store__fork_point(&branch), session->base);
        made.tip_count++;
        number = branch.previous_branch;
    }
    made.tip_count += base_is_tip;
    made.entry_count = session->base.depth + met.entry_count;
    if (code < 0 || (code = xylem_branch__met_all(&met, session, err)) < 0 ||
        (code = xylem_branch__outline_active(&made.active_ms, txn, session, err)) < 0 ||
        (last.lsn != 0 && (code = read_name(name, txn, &last, session->number, err)) < 0)) {
        return code;
    }
    made.has_name = code > 0;
    *outline = made;
    return XYLEM_OK;
}

/*
 * Takes a stale outline along, if all entries since the outline was made stand behind its leaf, on the same branch: 1;
 * else 0. Reads none of the other tips.
 *
 *     kept   1 ── 2 ── 3             6 entries, leaf 3
 *                 └─── a ── b ── c
 *     now    1 ── 2 ── 3 ── 4 ── 5   8 entries: 4 and 5 are two, and their lsns are new, so nothing else is new
 */
static int extend(struct xylem_outline *outline, struct xylem_buffer *name, struct xylem_txn *txn,
                  const struct xylem_session *session, const struct xylem_store__outline *kept, struct xylem_error *err)
{
    struct xylem_outline made = kept->outline;
    uint64_t entry_count = session->base.depth + session->own_entry_count;
    uint64_t number = session->leaf.branch;
    struct xylem_entry entry;
    if (number == 0 || number != kept->leaf.branch || entry_count <= kept->outline.entry_count) {
        return 0;
    }
    uint64_t count = entry_count - kept->outline.entry_count;
    int code = xylem_store__branch_last(&entry, txn, number, err);
    if (code < 0 || entry.position.depth != kept->leaf.depth + count) {
        return code < 0 ? code : 0;
    }
    const struct xylem_position behind = {number, kept->leaf.depth + 1};
    code = count == 1 ? XYLEM_OK : xylem_entry_read(&entry, txn, behind, err);
    if (code < 0 || entry.lsn <= kept->last_lsn ||
        (code = xylem_store__outline_noticed(txn, session->number, err)) != 0) {
        return code < 0 ? code : 0; /* a navigation, maybe to a branch of another session, or another name */
    }
    made.entry_count = entry_count;
    if ((code = add_name(name, kept->name, err)) < 0 ||
        (code = xylem_branch__outline_active(&made.active_ms, txn, session, err)) < 0) {
        return code;
    }
    *outline = made;
    return 1;
}

int xylem_outline_read(struct xylem_outline *outline, struct xylem_buffer *name, struct xylem_txn *txn,
                       const struct xylem_session *session, struct xylem_error *err)
{
    struct xylem_store__outline kept;
    struct xylem_error damage;
    int found = xylem_store__outline_row(&kept, txn, session->number, &damage);
    if (found == 1 && !xylem_store__outline_is_fresh(&kept, session)) {
        size_t before = name ? name->bytes : 0;
        found = extend(outline, name, txn, session, &kept, &damage);
        if (found == 1 || found == XYLEM_E_MEMORY) {
            return found == 1 ? XYLEM_OK : xylem_base__fail_memory(err);
        }
        if (name && name->bytes > before) {
            xylem_base__buffer_cut(name, before);
        }
        found = 0; /* the entries decide, also about damage */
    }
    if (found <= 0) {
        return xylem_branch__outline_make(outline, name, txn, session, err);
    }
    int code = add_name(name, kept.name, err);
    if (code >= 0) {
        *outline = kept.outline;
    }
    return code < 0 ? code : XYLEM_OK;
}
