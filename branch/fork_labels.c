/* Labels that a fork would lose, because they stand off its path, appended to it anew. */
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/value.h"
#include "store/store.h"

/* Does the label's target mean the same entry in both sessions? An id may also have been used anew in the fork. */
static int target_is_shared(struct xylem_txn *txn, uint64_t fork, uint64_t source, struct xylem_view target,
                            struct xylem_error *err)
{
    struct xylem_position in_source;
    struct xylem_position in_fork;
    struct xylem_error why = {0};
    int code = xylem_find(&in_source, txn, source, target, &why);
    if (code == XYLEM_OK) {
        code = xylem_find(&in_fork, txn, fork, target, &why);
    }
    if (code < 0) {
        return code == XYLEM_E_NOT_FOUND ? 0 : xylem_base__fail(err, code, "%s", why.text);
    }
    return xylem_store__position_equal(in_source, in_fork);
}

static bool has_label(const struct xylem_labels *labels, struct xylem_view target)
{
    for (size_t i = 0; i < labels->label_count; i++) {
        if (xylem_base__view_equal(labels->labels[i].target_id, target)) {
            return true;
        }
    }
    return false;
}

/* Keeps, in the source's labels, those that the fork lacks. */
static int keep_missing(struct xylem_labels *labels, const struct xylem_labels *own, struct xylem_txn *txn,
                        uint64_t fork, uint64_t source, struct xylem_error *err)
{
    size_t kept = 0;
    for (size_t i = 0; i < labels->label_count; i++) {
        if (has_label(own, labels->labels[i].target_id)) {
            continue;
        }
        int code = target_is_shared(txn, fork, source, labels->labels[i].target_id, err);
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

static int payload_add(struct xylem_buffer *payload, const struct xylem_label *label, struct xylem_error *err)
{
    int code = xylem_base__buffer_add_text(payload, "{\"targetId\":");
    if (code == XYLEM_OK) {
        code = xylem_buffer_add_json_string(payload, label->target_id);
    }
    if (code == XYLEM_OK) {
        code = xylem_base__buffer_add_text(payload, ",\"label\":");
    }
    if (code == XYLEM_OK) {
        code = xylem_buffer_add_json_string(payload, label->text);
    }
    if (code == XYLEM_OK) {
        code = xylem_base__buffer_add_text(payload, "}");
    }
    return code < 0 ? xylem_base__fail_memory(err) : XYLEM_OK;
}

static int append_labels(struct xylem_txn *txn, uint64_t fork, const struct xylem_label *labels, size_t count,
                         struct xylem_error *err)
{
    struct xylem_new_entry *entries = calloc(count, sizeof(*entries));
    struct xylem_buffer *payloads = calloc(count, sizeof(*payloads));
    struct xylem_position first;
    int code = entries && payloads ? XYLEM_OK : xylem_base__fail_memory(err);
    for (size_t i = 0; code == XYLEM_OK && i < count; i++) {
        code = payload_add(&payloads[i], &labels[i], err);
        entries[i].kind = (struct xylem_kind){XYLEM_CLASS_HOST, xylem_view_of("label")};
        entries[i].format = XYLEM_FORMAT_JSON;
        entries[i].payload = xylem_base__buffer_view(&payloads[i]);
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
    struct xylem_labels labels = {0};
    struct xylem_labels own = {0};
    int code = xylem_store__session_for_write(&row, txn, fork, err);
    if (code == XYLEM_OK) {
        code = xylem_labels_read(&labels, txn, source, err);
    }
    if (code == XYLEM_OK) {
        code = xylem_labels_read(&own, txn, fork, err);
    }
    if (code == XYLEM_OK) {
        code = keep_missing(&labels, &own, txn, fork, source, err);
    }
    if (code == XYLEM_OK && labels.label_count > XYLEM_APPEND_ENTRIES_MAX) {
        code = xylem_base__fail(err, XYLEM_E_LIMIT, "%zu labels are missing in the fork, one append takes at most %u",
                                labels.label_count, XYLEM_APPEND_ENTRIES_MAX);
    }
    if (code == XYLEM_OK && labels.label_count > 0) {
        code = append_labels(txn, fork, labels.labels, labels.label_count, err);
    }
    if (code == XYLEM_OK) {
        *label_count = labels.label_count;
    }
    xylem_labels_release(&labels);
    xylem_labels_release(&own);
    return code;
}
