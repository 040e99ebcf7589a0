/*
 * Reads the labels and the name of a session. Of several entries for one target, the last in lsn order over all
 * branches counts.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "branch/arena.h"
#include "branch/labels.h"
#include "store/store.h"

static size_t *slot_of(const struct xylem_branch__labels *table, struct xylem_view target)
{
    assert(table->slot_count > table->labels.label_count && (table->slot_count & (table->slot_count - 1)) == 0);
    size_t at = (size_t)xylem_format__hash(target) & (table->slot_count - 1);
    while (table->slots[at] != 0 &&
           !xylem_base__view_equal(table->labels.labels[table->slots[at] - 1].target_id, target)) {
        at = (at + 1) & (table->slot_count - 1);
    }
    return &table->slots[at];
}

static int grow(struct xylem_branch__labels *table, struct xylem_error *err)
{
    if (table->labels.label_count < table->label_capacity) {
        return XYLEM_OK;
    }
    size_t capacity = table->label_capacity ? table->label_capacity * 2 : 16;
    struct xylem_label *labels = realloc(table->labels.labels, capacity * sizeof *labels);
    if (!labels) {
        return xylem_base__fail_memory(err);
    }
    table->labels.labels = labels;
    size_t *slots = calloc(capacity * 2, sizeof *slots);
    if (!slots) {
        return xylem_base__fail_memory(err);
    }
    free(table->slots);
    table->label_capacity = capacity;
    table->slots = slots;
    table->slot_count = capacity * 2;
    for (size_t i = 0; i < table->labels.label_count; i++) {
        *slot_of(table, labels[i].target_id) = i + 1;
    }
    return XYLEM_OK;
}

/*
 * Sets the label of a target. A removed label stays in the list with an empty text: the target may get a label again.
 */
static int set_label(struct xylem_branch__labels *table, struct xylem_view target, struct xylem_view text,
                     struct xylem_position entry, struct xylem_error *err)
{
    struct xylem_labels *labels = &table->labels;
    int code = grow(table, err);
    if (code < 0) {
        return code;
    }
    size_t *slot = slot_of(table, target);
    if (*slot == 0) {
        struct xylem_label *label = &labels->labels[labels->label_count];
        *label = (struct xylem_label){.entry = entry};
        if (xylem_branch__arena_copy(&label->target_id, &labels->storage, target) < 0) {
            return xylem_base__fail_memory(err);
        }
        *slot = ++labels->label_count;
    }
    struct xylem_label *label = &labels->labels[*slot - 1];
    if (xylem_branch__arena_copy(&label->text, &labels->storage, text) < 0) {
        return xylem_base__fail_memory(err);
    }
    label->entry = entry;
    return XYLEM_OK;
}

/* Takes the label or the name from an entry. `tree` is memory for reuse. */
static int read_entry(struct xylem_branch__labels *table, struct xylem_base__tree *tree,
                      const struct xylem_entry *entry, struct xylem_error *err)
{
    struct xylem_labels *labels = &table->labels;
    bool label = xylem_base__view_is(entry->kind.name, "label");
    if (entry->kind.kind_class != XYLEM_CLASS_HOST ||
        (!label && !xylem_base__view_is(entry->kind.name, "session_info"))) {
        return XYLEM_OK;
    }
    struct xylem_error why = {0};
    int code = xylem_store__payload_decode(tree, entry, &why);
    if (code == XYLEM_E_MALFORMED || code == XYLEM_E_LIMIT || code == XYLEM_E_REDACTED) {
        return XYLEM_OK;
    }
    if (code < 0) {
        return xylem_base__fail(err, code, "%s", why.text);
    }
    const struct xylem_value *payload = tree->node_count > 0 ? tree->nodes : NULL;
    struct xylem_view text;
    if (label) {
        const struct xylem_value *target = xylem_value_get(payload, "targetId");
        bool valid = xylem_value_type(target) == XYLEM_VALUE_STRING &&
                     xylem_branch__text_of(&text, xylem_value_get(payload, "label"));
        return valid ? set_label(table, xylem_value_string(target), text, entry->position, err) : XYLEM_OK;
    }
    if (xylem_branch__name_of(&text, payload)) {
        labels->name = text;
        if (text.bytes > 0 && xylem_branch__arena_copy(&labels->name, &labels->storage, text) < 0) {
            return xylem_base__fail_memory(err);
        }
    }
    return XYLEM_OK;
}

int xylem_branch__labels_read(struct xylem_branch__labels *table, struct xylem_txn *txn, uint64_t session,
                              struct xylem_error *err)
{
    struct xylem_scan *scan = NULL;
    struct xylem_base__tree tree = {0};
    *table = (struct xylem_branch__labels){0};
    int code = xylem_scan_new(&scan, txn, session, err);
    struct xylem_entry entry;
    while (code >= 0 && (code = xylem_scan_next(&entry, scan, err)) > 0) {
        code = read_entry(table, &tree, &entry, err);
    }
    xylem_scan_free(scan);
    xylem_base__tree_release(&tree);
    return code;
}

const struct xylem_label *xylem_branch__labels_find(const struct xylem_branch__labels *table, struct xylem_view target)
{
    size_t slot = table->slot_count == 0 ? 0 : *slot_of(table, target);
    return slot == 0 ? NULL : &table->labels.labels[slot - 1];
}

void xylem_branch__labels_release(struct xylem_branch__labels *table)
{
    xylem_labels_release(&table->labels);
    free(table->slots);
    *table = (struct xylem_branch__labels){0};
}

int xylem_labels_read(struct xylem_labels *labels, struct xylem_txn *txn, uint64_t session, struct xylem_error *err)
{
    struct xylem_branch__labels table;
    size_t kept = 0;
    *labels = (struct xylem_labels){0};
    int code = xylem_branch__labels_read(&table, txn, session, err);
    if (code == XYLEM_OK) {
        *labels = table.labels;
        table.labels = (struct xylem_labels){0};
        for (size_t i = 0; i < labels->label_count; i++) {
            if (labels->labels[i].text.bytes > 0) { /* the label was not removed */
                labels->labels[kept++] = labels->labels[i];
            }
        }
        labels->label_count = kept;
    }
    xylem_branch__labels_release(&table);
    return code;
}

void xylem_labels_release(struct xylem_labels *labels)
{
    if (labels) {
        free(labels->labels);
        xylem_branch__arena_release(&labels->storage);
        *labels = (struct xylem_labels){0};
    }
}
