/*
 * Writes the entries of a batch. The ids of a new session are written at the end of the batch, sorted like the table
 * `ids`. In the order of the file, each id would touch another page of the table.
 *
 * Until then xylem_find() does not find the entries of the batch, and a parent is found in two steps:
 * 1. by row, in `positions`: the parent is in the same batch, at its turn. The usual case.
 * 2. by id, after the collected ids are written: the parent is in an earlier batch, or was placed before its turn.
 */
#include <assert.h>

#include "base/buffer.h"
#include "base/error.h"
#include "jsonl/import.h"

void xylem_jsonl__batch_begin(struct xylem_jsonl__import *import)
{
    assert(import->run.count == 0);
    import->ids.count = 0;
    xylem_jsonl__redacted_forget(&import->redacted);
    import->batch.count = 0;
    import->batch.first_row = import->progress.cursor;
    import->run.ids = import->mode == XYLEM_JSONL__MODE_NEW ? &import->ids : NULL;
}

int xylem_jsonl__batch_note(struct xylem_jsonl__import *import, struct xylem_position first, struct xylem_error *err)
{
    const struct xylem_jsonl__run *run = &import->run;
    struct xylem_jsonl__batch *batch = &import->batch;
    for (size_t i = 0; run->ids && i < run->count; i++) {
        if (run->entries[i].ahead) {
            continue; /* the row may lie far behind the batch */
        }
        assert(run->entries[i].row >= batch->first_row);
        size_t at = run->entries[i].row - batch->first_row;
        while (batch->count <= at) {
            struct xylem_position *positions =
                xylem_base__with_room(batch->positions, &batch->capacity, batch->count, sizeof *positions);
            if (!positions) {
                return xylem_base__fail_memory(err);
            }
            batch->positions = positions;
            positions[batch->count++] = (struct xylem_position){0, 0};
        }
        batch->positions[at] = (struct xylem_position){first.branch, first.depth + i};
    }
    return XYLEM_OK;
}

int xylem_jsonl__batch_find(struct xylem_position *position, struct xylem_jsonl__import *import, uint32_t row,
                            struct xylem_view id, struct xylem_error *err)
{
    const struct xylem_jsonl__batch *batch = &import->batch;
    size_t at = (size_t)row - batch->first_row;
    if (row >= batch->first_row && at < batch->count && !xylem_format__position_none(batch->positions[at])) {
        *position = batch->positions[at];
        return XYLEM_OK;
    }
    int code = xylem_jsonl__batch_write_ids(import, err);
    return code < 0 ? code : xylem_find(position, import->txn, import->progress.session, id, err);
}

int xylem_jsonl__batch_write_ids(struct xylem_jsonl__import *import, struct xylem_error *err)
{
    return xylem_store__new_ids_write(import->txn, import->progress.session, &import->ids, err);
}
