/*
 * Finds the names of kinds in a damaged store. A record names the kind by a number, and the table `kinds` holds the
 * name of each number; in a small store one page holds all names. The name of a number comes from the first of these:
 *
 *   1. a row of the table, from number to name
 *   2. a row of the table, from name to number; a long name is cut in the key, so only short names count
 *   3. a guess: the check of a record covers the kind's name. Among the names that hosts and this library use, only the
 *      right name gives the record's check.
 *   4. a made-up name: the entries of the number still have a common kind
 */
#include <assert.h>
#include <inttypes.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"
#include "care/repair/repair.h"
#include "xylem/state.h"

#define LOST_KIND_FORMAT XYLEM_REPAIR__LOST_KIND "_kind_%" PRIu32

static struct xylem_repair__kind *find_kind(const struct xylem_repair__plan *plan, uint32_t number)
{
    for (size_t i = 0; i < plan->kind_count; i++) {
        if (plan->kinds[i].number == number) {
            return &plan->kinds[i];
        }
    }
    return NULL;
}

static int add_kind(struct xylem_repair__plan *plan, uint32_t number, struct xylem_kind kind)
{
    if (find_kind(plan, number)) {
        return XYLEM_OK;
    }
    struct xylem_repair__kind *kinds =
        xylem_base__with_room(plan->kinds, &plan->kind_capacity, plan->kind_count, sizeof *kinds);
    if (!kinds) {
        return xylem_base__fail_memory(plan->repair->err);
    }
    plan->kinds = kinds;
    struct xylem_repair__kind *added = &plan->kinds[plan->kind_count++];
    *added = (struct xylem_repair__kind){.number = number, .kind_class = kind.kind_class};
    return xylem_buffer_add(&added->name, kind.name.data, kind.name.bytes) < 0
               ? xylem_base__fail_memory(plan->repair->err)
               : XYLEM_OK;
}

int xylem_repair__kinds_read(struct xylem_repair__plan *plan)
{
    struct xylem_repair__rows rows = xylem_repair__salvage_rows(plan->repair->salvage, XYLEM_FORMAT__KINDS);
    int code = XYLEM_OK;
    for (size_t i = 0; code == XYLEM_OK && i < rows.count; i++) {
        struct xylem_repair__content content;
        struct xylem_kind kind;
        uint32_t number = 0;
        code = xylem_repair__salvage_read(&content, plan->repair->salvage, &rows.list[i], plan->repair->err);
        if (code < 0) {
            return code;
        }
        struct xylem_base__cursor keys = xylem_base__cursor_of(content.key.data, content.key.bytes);
        struct xylem_base__cursor values = xylem_base__cursor_of(content.value.data, content.value.bytes);
        uint8_t tag = xylem_base__read_u8(&keys);
        if (tag == XYLEM_FORMAT__KIND_NUMBER_TAG) { /* from number to name */
            for (unsigned j = 0; j < 4; j++) {
                number = number << 8 | xylem_base__read_u8(&keys);
            }
            kind.kind_class = (enum xylem_class)xylem_base__read_u8(&values);
            kind.name = xylem_base__read_bytes(&values, values.left);
        } else { /* from name to number */
            kind.kind_class = (enum xylem_class)tag;
            kind.name = xylem_base__read_bytes(&keys, keys.left);
            number = kind.name.bytes < XYLEM_FORMAT__NAME_KEY_BYTES_MAX ? xylem_base__read_u32(&values) : 0;
        }
        if (number > 0 && !keys.failed && !values.failed) {
            code = add_kind(plan, number, kind);
        }
    }
    return code;
}

/* True if the entry's check covers this kind. `before`: the check of the entry's parent. */
static bool is_kind(const struct xylem_entry *entry, uint64_t before, struct xylem_kind kind)
{
    uint64_t check = 0;
    return xylem_format__record_check(&check, before, kind, entry->time_ms, entry->format, entry->id,
                                      entry->unverified.payload_hash, NULL) == XYLEM_OK &&
           check == entry->check;
}

/* Tries all known names, then the kinds of all pieces; false: none gives the entry's check, or the parent is lost. */
static bool guess(struct xylem_kind *kind, const struct xylem_repair__plan *plan, const struct xylem_entry *entry)
{
    static const char *const names[] = {XYLEM_FORMAT__MESSAGE_NAME,
                                        "model_change",
                                        "thinking_level_change",
                                        "compaction",
                                        "branch_summary",
                                        "custom",
                                        "custom_message",
                                        "label",
                                        "session_info",
                                        "file-reads",
                                        XYLEM_REPAIR__LOST_KIND};
    const char *const *texts;
    struct xylem_buffer storage = {NULL, 0, 0};
    const struct xylem_repair__entry *parent = xylem_repair__entry_at(plan, entry->parent);
    uint64_t before = parent ? parent->row->detail : 0;
    bool found = false;
    if (!parent && !xylem_format__position_none(entry->parent)) {
        return false;
    }
    for (size_t i = 0; i < 2 * (sizeof names / sizeof *names) && !found; i++) {
        kind->kind_class = i % 2 ? XYLEM_CLASS_CUSTOM : XYLEM_CLASS_HOST;
        kind->name = xylem_view_of(names[i / 2]);
        found = is_kind(entry, before, *kind);
    }
    for (unsigned piece = 1; !found && (texts = xylem_state_kinds(piece)); piece <<= 1) {
        for (; *texts && !found; texts++) {
            found = xylem_kind_parse(kind, &storage, xylem_view_of(*texts), NULL) == XYLEM_OK &&
                    is_kind(entry, before, *kind);
        }
    }
    xylem_buffer_release(&storage); /* the kinds of pieces are custom kinds, whose names lie in their texts */
    return found;
}

/* Adds the kind with a made-up name, and reports the lost name. */
static int make_up(struct xylem_repair__plan *plan, uint32_t number)
{
    struct xylem_buffer name = {NULL, 0, 0};
    struct xylem_problem where = {.table = "kinds"};
    int code = xylem_base__buffer_add_format(&name, LOST_KIND_FORMAT, number);
    struct xylem_kind kind = {XYLEM_CLASS_HOST, xylem_base__buffer_view(&name)};
    code = code < 0 ? xylem_base__fail_memory(plan->repair->err) : add_kind(plan, number, kind);
    if (code == XYLEM_OK) {
        find_kind(plan, number)->lost = true;
        plan->repair->report->lost_row_count++;
        code =
            xylem_repair__found(plan->repair, &where,
                                "the name of kind %" PRIu32 " is lost: its entries get the kind %s", number, name.data);
    }
    xylem_buffer_release(&name);
    return code;
}

int xylem_repair__kind_of(struct xylem_kind *kind, bool *lost, struct xylem_repair__plan *plan, uint32_t number)
{
    const struct xylem_repair__kind *known = find_kind(plan, number);
    int code = XYLEM_OK;
    /* A guess needs an entry with a saved parent: all entries of the kind are tried before a name is made up. */
    for (size_t i = 0; !known && i < plan->entry_count; i++) {
        struct xylem_repair__content content;
        struct xylem_entry entry;
        code = xylem_repair__record_read(&entry, &content, NULL, plan->repair, plan->entries[i].row);
        if (code == XYLEM_OK && entry.unverified.kind_number == number && guess(kind, plan, &entry)) {
            code = add_kind(plan, number, *kind);
            known = find_kind(plan, number);
        }
        if (code < 0) {
            return code;
        }
    }
    if (!known && (code = make_up(plan, number)) < 0) {
        return code;
    }
    known = known ? known : find_kind(plan, number);
    assert(known);
    *kind = (struct xylem_kind){known->kind_class, xylem_base__buffer_view(&known->name)};
    *lost = known->lost;
    return XYLEM_OK;
}
