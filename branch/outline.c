/*
 * What a list says of a session: how many entries it has, and its name, which is what its last `session_info` entry
 * says, in lsn order, on any branch. Lsns ascend along a path, so that entry is the newest of its kind on the path of
 * some branch's last entry, or of the base, and the records lead there.
 */
#include <stdlib.h>

#include "base/error.h"
#include "branch/branch.h"
#include "branch/labels.h"

/* Takes over the newest `session_info` entry on the path of `from`, if it is newer than the one that is known. */
static int look(struct xylem_entry *last, struct xylem_txn *txn, const struct xylem_entry *from,
                struct xylem_error *err)
{
    static const struct xylem_kind kind = {XYLEM_CLASS_HOST, {"session_info", sizeof("session_info") - 1}};
    struct xylem_entry found;
    int code = xylem_store__newest_of_kind(&found, txn, from, kind, err);
    if (code > 0 && found.lsn > last->lsn) {
        *last = found;
    }
    return code < 0 ? code : XYLEM_OK;
}

static int look_at_base(struct xylem_entry *last, struct xylem_txn *txn, struct xylem_position base,
                        struct xylem_error *err)
{
    struct xylem_entry entry;
    if (xylem_format__position_none(base)) {
        return XYLEM_OK;
    }
    int code = xylem_entry_read(&entry, txn, base, err);
    if (xylem_store__no_entry(code)) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "the base at branch %llu, depth %llu should exist and does not",
                                (unsigned long long)base.branch, (unsigned long long)base.depth);
    }
    return code < 0 ? code : look(last, txn, &entry, err);
}

/* Counts the entries, and finds the last `session_info` entry; its lsn is 0 if there is none. */
static int gather(uint64_t *entry_count, struct xylem_entry *last, struct xylem_txn *txn,
                  const struct xylem_session *session, struct xylem_error *err)
{
    uint64_t number = session->newest_branch;
    struct xylem_branch__met met = {0, 0};
    last->lsn = 0;
    int code = look_at_base(last, txn, session->base, err);
    while (code == XYLEM_OK && number != 0) {
        struct xylem_store__branch branch;
        struct xylem_entry tip;
        code = xylem_branch__own(&branch, &tip, txn, session, number, err);
        if (code == XYLEM_OK) {
            xylem_branch__meet(&met, &branch, &tip);
            number = branch.previous_branch;
            code = look(last, txn, &tip, err);
        }
    }
    *entry_count = session->base.depth + met.entry_count;
    return code < 0 ? code : xylem_branch__met_all(&met, session, err);
}

static int add_name(struct xylem_buffer *name, struct xylem_view text, struct xylem_error *err)
{
    if (text.bytes == 0 || !name) {
        return text.bytes > 0;
    }
    return xylem_buffer_add(name, text.data, text.bytes) < 0 ? xylem_base__fail_memory(err) : 1;
}

/* The name as the labels are read: where the last entry says nothing of it, an older one counts. */
static int read_all(struct xylem_buffer *name, struct xylem_txn *txn, uint64_t session, struct xylem_error *err)
{
    struct xylem_labels labels;
    int code = xylem_labels_read(&labels, txn, session, err);
    code = code < 0 ? code : add_name(name, labels.name, err);
    xylem_labels_release(&labels);
    return code;
}

/* 1 and the name, or 0 if there is none. */
static int read_name(struct xylem_buffer *name, struct xylem_txn *txn, const struct xylem_entry *last, uint64_t session,
                     struct xylem_error *err)
{
    struct xylem_base__tree tree = {0};
    struct xylem_view text = {NULL, 0};
    struct xylem_error why = {0};
    int code = xylem_store__payload_decode(&tree, last, &why);
    bool says = code == XYLEM_OK && xylem_branch__name_of(&text, tree.node_count > 0 ? &tree.nodes[0] : NULL);
    if (code == XYLEM_E_MEMORY || code == XYLEM_E_CORRUPT) {
        code = xylem_base__fail(err, code, "%s", why.text);
    } else {
        code = says ? add_name(name, text, err) : read_all(name, txn, session, err);
    }
    xylem_base__tree_release(&tree);
    return code;
}

int xylem_outline_read(struct xylem_outline *outline, struct xylem_buffer *name, struct xylem_txn *txn,
                       const struct xylem_session *session, struct xylem_error *err)
{
    struct xylem_outline read = {0};
    struct xylem_entry last;
    int code = gather(&read.entry_count, &last, txn, session, err);
    if (code == XYLEM_OK && last.lsn != 0) {
        code = read_name(name, txn, &last, session->number, err);
        read.has_name = code > 0;
    }
    if (code >= 0) {
        *outline = read;
    }
    return code < 0 ? code : XYLEM_OK;
}
