/*
 * What was placed in a batch of a new session. Its ids are written together when the batch ends: in the order of the
 * table `ids`, which has nothing to do with that of the file, each would lie on another page. A parent is mostly in the
 * same batch, and is found by its row; where it is not, the ids are written before it is looked up.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "jsonl/import.h"

void xylem_jsonl__batch_begin(struct xylem_jsonl__import *import)
{
    import->ids.count = 0;
    xylem_jsonl__redacted_forget(&import->redacted);
    import->batch.count = 0;
    import->batch.first_row = import->progress.cursor;
    import->run.ids = import->mode == XYLEM_JSONL__MODE_NEW ? &import->ids : NULL;
}

/* Makes room for so many positions; those that are new are none. */
static int reserve(struct xylem_jsonl__batch *batch, size_t count, struct xylem_error *err)
{
    if (count > batch->capacity) {
        size_t capacity = count < 256 ? 512 : 2 * count;
        struct xylem_position *positions = realloc(batch->positions, capacity * sizeof *positions);
        if (!positions) {
            return xylem_base__fail_memory(err);
        }
        batch->positions = positions;
        batch->capacity = capacity;
    }
    if (count > batch->count) {
        memset(&batch->positions[batch->count], 0, (count - batch->count) * sizeof *batch->positions);
        batch->count = count;
    }
    return XYLEM_OK;
}

int xylem_jsonl__batch_note(struct xylem_jsonl__import *import, struct xylem_position first, struct xylem_error *err)
{
    const struct xylem_jsonl__run *run = &import->run;
    for (size_t i = 0; run->ids && i < run->count; i++) {
        if (run->entries[i].ahead) {
            continue; /* it may stand far behind the batch */
        }
        size_t at = run->entries[i].row - import->batch.first_row;
        int code = reserve(&import->batch, at + 1, err);
        if (code < 0) {
            return code;
        }
        import->batch.positions[at] = (struct xylem_position){first.branch, first.depth + i};
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
