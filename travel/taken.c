/*
 * Takes out what the owner redacted. All of a segment goes at its end, in one pass: a dropped hash changes the
 * checks of all entries behind.
 */

#include "base/buffer.h"
#include "base/error.h"
#include "store/side.h"
#include "travel/applying.h"

int xylem_travel__taken_note(struct xylem_travel__applying *applying, struct xylem_position position,
                             const struct xylem_travel__change *change)
{
    struct xylem_store__taken *taken =
        xylem_base__with_room(applying->taken, &applying->taken_capacity, applying->taken_count, sizeof *taken);
    if (!taken) {
        return xylem_base__fail_memory(applying->err);
    }
    applying->taken = taken;
    applying->taken[applying->taken_count++] =
        (struct xylem_store__taken){.position = position,
                                    .reason = change->reason,
                                    .drops = (change->flags & XYLEM_ENTRY_HASH_DROPPED) != 0,
                                    .hash = change->payload_hash};
    return XYLEM_OK;
}

int xylem_travel__taken_note_side(struct xylem_travel__applying *applying, uint64_t lsn,
                                  const struct xylem_travel__change *change)
{
    struct xylem_travel__taken_side *taken = xylem_base__with_room(
        applying->taken_sides, &applying->taken_side_capacity, applying->taken_side_count, sizeof *taken);
    if (!taken) {
        return xylem_base__fail_memory(applying->err);
    }
    applying->taken_sides = taken;
    taken[applying->taken_side_count++] = (struct xylem_travel__taken_side){lsn, change->side.text};
    return XYLEM_OK;
}

int xylem_travel__taken_redact(struct xylem_travel__applying *applying)
{
    uint64_t count = 0;
    int code = xylem_store__redact_follow(&count, applying->txn, applying->taken, applying->taken_count, applying->err);
    applying->wrote |= count > 0;
    applying->report->redacted_count += count;
    applying->taken_count = 0;
    for (size_t i = 0; code >= 0 && i < applying->taken_side_count; i++) {
        const struct xylem_travel__taken_side *side = &applying->taken_sides[i];
        code =
            xylem_store__side_follow(applying->txn, applying->session.number, side->lsn, side->reason, applying->err);
        applying->wrote |= code > 0;
    }
    applying->taken_side_count = 0;
    return code < 0 ? code : XYLEM_OK;
}
