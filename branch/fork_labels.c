/*
 * xylem_fork_labels(). A fork shares the entries of its path with its source, but the source's `label` entries may lie
 * on another branch. The call appends the label changes that the fork lacks, removals included. The call skips these
 * targets:
 *
 * - targets with the same label in both sessions
 * - targets that the fork itself labelled after the fork was made: the newer label wins
 * - targets whose id names a different entry in the fork
 */
#include <assert.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/value.h"
#include "branch/labels.h"
#include "store/store.h"
#include "xylem/append.h"

/*
 * 1 if the source's label is missing in the fork, else 0. The target's id must mean the same entry in both sessions: the
 * fork may have used the id for a new entry.
 */
static int is_missing(const struct xylem_label *label, const struct xylem_branch__labels *own, struct xylem_txn *txn,
                      uint64_t fork, uint64_t source, struct xylem_error *err)
{
    struct xylem_position in_source;
    struct xylem_position in_fork;
    struct xylem_error why = {0};
    const struct xylem_label *now = xylem_branch__labels_find(own, label->target_id);
    struct xylem_view text = now ? now->text : (struct xylem_view){NULL, 0};
    if (xylem_base__view_equal(text, label->text)) {
        return 0;
    }
    int code = now ? xylem_belongs(txn, source, now->entry, err) : 1;
    if (code <= 0) {
        return code;
    }
    if ((code = xylem_find(&in_source, txn, source, label->target_id, &why)) < 0 ||
        (code = xylem_find(&in_fork, txn, fork, label->target_id, &why)) < 0) {
        return code == XYLEM_E_NOT_FOUND ? 0 : xylem_base__fail(err, code, "%s", why.text);
    }
    return xylem_format__position_equal(in_source, in_fork);
}

/* Drops all labels but the missing labels. */
static int keep_missing(struct xylem_labels *labels, const struct xylem_branch__labels *own, struct xylem_txn *txn,
                        uint64_t fork, uint64_t source, struct xylem_error *err)
{
    size_t kept = 0;
    for (size_t i = 0; i < labels->label_count; i++) {
        int code = is_missing(&labels->labels[i], own, txn, fork, source, err);
        if (code < 0) {
            return code;
        }
        if (code > 0) {
            labels->labels[kept++] = labels->labels[i];
        }
    }
    labels->label_count = kept;
    return XYLEM_OK;
}

static int append_labels(struct xylem_txn *txn, uint64_t fork, const struct xylem_label *labels, size_t count,
                         struct xylem_error *err)
{
    struct xylem_new_entry *entries = calloc(count, sizeof *entries);
    struct xylem_buffer *payloads = calloc(count, sizeof *payloads);
    struct xylem_position first;
    assert(count > 0);
    int code = entries && payloads ? XYLEM_OK : xylem_base__fail_memory(err);
    for (size_t i = 0; code == XYLEM_OK && i < count; i++) {
        struct xylem_buffer *payload = &payloads[i];
        /* An entry without a text removes the label. */
        bool added =
            xylem_base__buffer_add_text(payload, "{\"targetId\":") == XYLEM_OK &&
            xylem_buffer_add_json_string(payload, labels[i].target_id) == XYLEM_OK &&
            (labels[i].text.bytes == 0 || (xylem_base__buffer_add_text(payload, ",\"label\":") == XYLEM_OK &&
                                           xylem_buffer_add_json_string(payload, labels[i].text) == XYLEM_OK)) &&
            xylem_base__buffer_add_text(payload, "}") == XYLEM_OK;
        code = added ? XYLEM_OK : xylem_base__fail_memory(err);
        entries[i].kind = (struct xylem_kind){XYLEM_CLASS_HOST, xylem_view_of("label")};
        entries[i].format = XYLEM_FORMAT_JSON;
        entries[i].payload = xylem_base__buffer_view(payload);
    }
    if (code == XYLEM_OK) {
        code = xylem_append(&first, txn, fork, entries, count, NULL, err);
    }
    for (size_t i = 0; payloads && i < count; i++) {
        xylem_buffer_release(&payloads[i]);
    }
    free(payloads);
    free(entries);
    return code;
}

int xylem_fork_labels(size_t *label_count, struct xylem_txn *txn, uint64_t fork, uint64_t source,
                      struct xylem_error *err)
{
    struct xylem_session row;
    struct xylem_branch__labels theirs = {0};
    struct xylem_branch__labels own = {0};
    struct xylem_labels *missing = &theirs.labels;
    int code;
    if ((code = xylem_store__session_for_write(&row, txn, fork, err)) < 0 ||
        (code = xylem_branch__labels_read(&theirs, txn, source, err)) < 0 ||
        (code = xylem_branch__labels_read(&own, txn, fork, err)) < 0 ||
        (code = keep_missing(missing, &own, txn, fork, source, err)) < 0) {
        goto out;
    }
    if (missing->label_count > XYLEM_APPEND_ENTRIES_MAX) {
        code = xylem_base__fail(err, XYLEM_E_LIMIT, "%zu labels are missing in the fork; one append takes at most %u",
                                missing->label_count, XYLEM_APPEND_ENTRIES_MAX);
        goto out;
    }
    if (missing->label_count > 0 && (code = append_labels(txn, fork, missing->labels, missing->label_count, err)) < 0) {
        goto out;
    }
    *label_count = missing->label_count;
out:
    xylem_branch__labels_release(&theirs);
    xylem_branch__labels_release(&own);
    return code;
}
