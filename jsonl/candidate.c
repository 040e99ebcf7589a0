#include "jsonl/candidate.h"

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "jsonl/migrate.h"

int xylem_jsonl__fail_changed(const struct xylem_jsonl__file *file, struct xylem_error *err)
{
    return xylem_base__fail(err, XYLEM_E_IO, "%s: the file changed during the import; import it again", file->path);
}

/* Returns the id of a row. The id of the row placed last is in memory. */
static int id_of_row(struct xylem_jsonl__id *id, const struct xylem_jsonl__progress *progress,
                     struct xylem_jsonl__index *index, uint32_t row, struct xylem_error *err)
{
    if (row == progress->placed_row) {
        *id = progress->placed_id;
        return XYLEM_OK;
    }
    int code = xylem_jsonl__index_id(id, index, row, err);
    xylem_jsonl__index_trim(index);
    return code;
}

void xylem_jsonl__candidate_trim(struct xylem_jsonl__import *import)
{
    xylem_jsonl__parser_trim(&import->parser);
    xylem_jsonl__window_trim(&import->near);
    xylem_jsonl__window_trim(&import->far);
    xylem_jsonl__buffer_trim(&import->migrated);
    xylem_jsonl__buffer_trim(&import->stored);
    xylem_jsonl__index_trim(&import->index);
}

/*
 * Turns a line of format 1 into a line of format 3: with ids for the entry, its parent, and a compaction's first
 * entry.
 */
static int migrate_first_format(struct xylem_jsonl__import *import, uint32_t row, struct xylem_error *err)
{
    const struct xylem_value *object = import->parser.tree.nodes;
    struct xylem_jsonl__id id;
    struct xylem_jsonl__id parent_id;
    struct xylem_jsonl__id kept_id;
    struct xylem_jsonl__minted minted = {.parent_id = {NULL, 0}};
    int code = xylem_jsonl__index_id(&id, &import->index, row, err);
    minted.id = xylem_jsonl__id_view(&id);
    uint32_t parent = xylem_jsonl__index_row(&import->index, row)->parent;
    if (code == XYLEM_OK && parent != XYLEM_JSONL__NO_ROW) {
        code = id_of_row(&parent_id, &import->progress, &import->index, parent, err);
        minted.parent_id = xylem_jsonl__id_view(&parent_id);
    }
    uint64_t kept_index;
    uint32_t kept;
    if (code == XYLEM_OK && xylem_jsonl__first_kept_index(&kept_index, object) &&
        xylem_jsonl__index_nth_parsed(&kept, &import->index, kept_index) && kept <= row &&
        !(xylem_jsonl__index_row(&import->index, kept)->state & XYLEM_JSONL__PROBLEM_MASK)) {
        code = xylem_jsonl__index_id(&kept_id, &import->index, kept, err);
        minted.first_kept_id = xylem_jsonl__id_view(&kept_id);
    }
    xylem_jsonl__index_trim(&import->index);
    if (code == XYLEM_OK && xylem_jsonl__migrate_line(&import->migrated, object, &minted) < 0) {
        code = xylem_base__fail_memory(err);
    }
    return code;
}

/* Turns the candidate's line into a line of format 3. */
static int migrate(struct xylem_jsonl__candidate *candidate, struct xylem_jsonl__import *import,
                   struct xylem_error *err)
{
    int code = XYLEM_OK;
    xylem_base__buffer_clear(&import->migrated);
    if (xylem_jsonl__reserve(&import->migrated, candidate->text.bytes) < 0) {
        return xylem_base__fail_memory(err);
    }
    if (import->index.version == 1) {
        code = migrate_first_format(import, candidate->row, err);
    } else if (xylem_jsonl__migrate_line(&import->migrated, import->parser.tree.nodes, NULL) < 0) {
        code = xylem_base__fail_memory(err);
    }
    candidate->text = xylem_base__buffer_view(&import->migrated);
    xylem_jsonl__parser_trim(&import->parser);
    xylem_jsonl__window_trim(&import->near);
    xylem_jsonl__window_trim(&import->far);
    return code;
}

int xylem_jsonl__candidate_read(struct xylem_jsonl__candidate *candidate, struct xylem_jsonl__import *import,
                                uint32_t row, bool ahead, struct xylem_error *err)
{
    struct xylem_jsonl__index *index = &import->index;
    const struct xylem_jsonl__row *known = xylem_jsonl__index_row(index, row);
    *candidate = (struct xylem_jsonl__candidate){
        .row = row, .ahead = ahead, .parent_row = known->parent, .orphan = (known->state & XYLEM_JSONL__ORPHAN) != 0};
    struct xylem_jsonl__window *window = ahead ? &import->far : &import->near;
    struct xylem_jsonl__entry *entry = &candidate->entry;
    enum xylem_import_problem_type problem;
    int code = xylem_jsonl__index_text(&candidate->text, index, window, row, err);
    if (code < 0) {
        return code;
    }
    if (!xylem_jsonl__index_split(entry, index, row, candidate->text)) {
        bool without_id = index->version == 1;
        code = xylem_jsonl__line_read(entry, &problem, &import->parser, candidate->text, without_id, err);
        if (code > 0 && index->version < 3 && (code = migrate(candidate, import, err)) == XYLEM_OK) {
            code = xylem_jsonl__line_read(entry, &problem, &import->parser, candidate->text, false, err);
        }
        if (code <= 0) {
            return code < 0 ? code : xylem_jsonl__fail_changed(&import->file, err);
        }
    }
    if (index->hash(entry->id) != known->id_hash) {
        return xylem_jsonl__fail_changed(&import->file, err);
    }
    struct xylem_jsonl__id parent;
    if (known->parent == XYLEM_JSONL__NO_ROW) {
        return XYLEM_OK;
    }
    if ((code = id_of_row(&parent, &import->progress, index, known->parent, err)) < 0) {
        return code;
    }
    if (!xylem_base__view_equal(xylem_jsonl__id_view(&parent), entry->parent_id)) {
        candidate->parent_row = XYLEM_JSONL__NO_ROW; /* two ids with one hash: no line has the parent's id */
        candidate->orphan = true;
    }
    return XYLEM_OK;
}

void xylem_jsonl__candidate_placed(struct xylem_jsonl__progress *progress,
                                   const struct xylem_jsonl__candidate *candidate, struct xylem_position position)
{
    progress->placed_row = candidate->row;
    progress->placed = position;
    progress->placed_id.bytes = candidate->entry.id.bytes;
    memcpy(progress->placed_id.data, candidate->entry.id.data, candidate->entry.id.bytes);
}

int xylem_jsonl__candidate_report(struct xylem_jsonl__import *import, const struct xylem_jsonl__candidate *candidate,
                                  enum xylem_import_problem_type type, struct xylem_error *err)
{
    uint64_t offset = xylem_jsonl__row_offset(xylem_jsonl__index_row(&import->index, candidate->row));
    return xylem_jsonl__report_problem(import->report, type, false, xylem_jsonl__line_number(candidate->row), offset,
                                       candidate->entry.id, err);
}
