#include "travel/jsonl/reader.h"

#include "base/buffer.h"
#include "base/error.h"
#include "store/format/hash.h"
#include "travel/jsonl/migrate.h"

void xylem_jsonl__reader_init(struct xylem_jsonl__reader *reader)
{
    reader->file = (struct xylem_jsonl__file){.fd = -1};
    xylem_jsonl__header_init(&reader->header);
    xylem_jsonl__index_init(&reader->index);
    reader->near = (struct xylem_jsonl__window){.step_bytes = 0};
    reader->far = (struct xylem_jsonl__window){.step_bytes = 0};
    xylem_jsonl__parser_init(&reader->parser);
    reader->migrated = (struct xylem_buffer){NULL, 0, 0};
    reader->last_row = XYLEM_JSONL__NO_ROW;
    reader->last_id.bytes = 0;
}

int xylem_jsonl__reader_index(struct xylem_jsonl__reader *reader, uint64_t offset, uint64_t line,
                              struct xylem_error *err)
{
    const struct xylem_jsonl__header *header = &reader->header;
    reader->index.file = &reader->file;
    reader->index.version = header->version;
    reader->index.session_id = header->id;
    reader->index.hash = xylem_format__hash;
    reader->index.first_offset = offset;
    reader->index.first_line = line;
    reader->index.unterminated = !header->terminated;
    reader->parser.whole_trees = header->version < 3; /* a migration needs all members of a line */
    reader->far.step_bytes = 4096; /* far lines lie apart: a longer read would bring nothing of use */
    reader->last_row = XYLEM_JSONL__NO_ROW;
    return xylem_jsonl__index_build(&reader->index, err);
}

void xylem_jsonl__reader_release(struct xylem_jsonl__reader *reader)
{
    xylem_jsonl__file_close(&reader->file);
    xylem_jsonl__header_release(&reader->header);
    xylem_jsonl__index_release(&reader->index);
    xylem_jsonl__window_release(&reader->near);
    xylem_jsonl__window_release(&reader->far);
    xylem_jsonl__parser_release(&reader->parser);
    xylem_buffer_release(&reader->migrated);
}

void xylem_jsonl__reader_trim(struct xylem_jsonl__reader *reader)
{
    xylem_jsonl__parser_trim(&reader->parser);
    xylem_jsonl__window_trim(&reader->near);
    xylem_jsonl__window_trim(&reader->far);
    xylem_jsonl__buffer_trim(&reader->migrated);
    xylem_jsonl__index_trim(&reader->index);
}

int xylem_jsonl__fail_changed(const struct xylem_jsonl__reader *reader, struct xylem_error *err)
{
    return xylem_base__fail(err, XYLEM_E_IO, "%s: the file changed during the import; import it again",
                            reader->file.path);
}

/* Returns the id of a row. The id of the candidate read last is in memory. */
static int id_of_row(struct xylem_jsonl__id *id, struct xylem_jsonl__reader *reader, uint32_t row,
                     struct xylem_error *err)
{
    if (row == reader->last_row) {
        *id = reader->last_id;
        return XYLEM_OK;
    }
    int code = xylem_jsonl__index_id(id, &reader->index, row, err);
    xylem_jsonl__index_trim(&reader->index);
    return code;
}

/*
 * Turns a line of format 1 or 2 into a line of format 3. A line of format 1 gets ids for the entry, its parent, and a
 * compaction's first entry.
 */
static int migrate(struct xylem_jsonl__candidate *candidate, struct xylem_jsonl__reader *reader,
                   struct xylem_error *err)
{
    struct xylem_jsonl__index *index = &reader->index;
    const struct xylem_value *object = reader->parser.tree.nodes;
    struct xylem_jsonl__id id;
    struct xylem_jsonl__id parent_id;
    struct xylem_jsonl__id kept_id;
    struct xylem_jsonl__minted minted = {.parent_id = {NULL, 0}};
    uint64_t kept_index;
    uint32_t kept;
    int code;
    xylem_base__buffer_clear(&reader->migrated);
    if (xylem_jsonl__reserve(&reader->migrated, candidate->text.bytes) < 0) {
        return xylem_base__fail_memory(err);
    }
    if (index->version == 1) {
        if ((code = xylem_jsonl__index_id(&id, index, candidate->row, err)) < 0) {
            return code;
        }
        minted.id = xylem_jsonl__id_view(&id);
        if (candidate->parent_row != XYLEM_JSONL__NO_ROW) {
            if ((code = id_of_row(&parent_id, reader, candidate->parent_row, err)) < 0) {
                return code;
            }
            minted.parent_id = xylem_jsonl__id_view(&parent_id);
        }
        if (xylem_jsonl__first_kept_index(&kept_index, object) &&
            xylem_jsonl__index_nth_parsed(&kept, index, kept_index) && kept <= candidate->row &&
            !(xylem_jsonl__index_row(index, kept)->state & XYLEM_JSONL__PROBLEM_MASK)) {
            if ((code = xylem_jsonl__index_id(&kept_id, index, kept, err)) < 0) {
                return code;
            }
            minted.first_kept_id = xylem_jsonl__id_view(&kept_id);
        }
        xylem_jsonl__index_trim(index);
    }
    if (xylem_jsonl__migrate_line(&reader->migrated, object, index->version == 1 ? &minted : NULL) < 0) {
        return xylem_base__fail_memory(err);
    }
    candidate->text = xylem_base__buffer_view(&reader->migrated);
    xylem_jsonl__parser_trim(&reader->parser);
    xylem_jsonl__window_trim(&reader->near);
    xylem_jsonl__window_trim(&reader->far);
    return XYLEM_OK;
}

int xylem_jsonl__candidate_read(struct xylem_jsonl__candidate *candidate, struct xylem_jsonl__reader *reader,
                                uint32_t row, bool ahead, struct xylem_error *err)
{
    struct xylem_jsonl__index *index = &reader->index;
    const struct xylem_jsonl__row *known = xylem_jsonl__index_row(index, row);
    *candidate = (struct xylem_jsonl__candidate){
        .row = row, .ahead = ahead, .parent_row = known->parent, .orphan = (known->state & XYLEM_JSONL__ORPHAN) != 0};
    struct xylem_jsonl__window *window = ahead ? &reader->far : &reader->near;
    struct xylem_jsonl__entry *entry = &candidate->entry;
    enum xylem_import_problem_type problem;
    int code = xylem_jsonl__index_text(&candidate->text, index, window, row, err);
    if (code < 0) {
        return code;
    }
    if (!xylem_jsonl__index_split(entry, index, row, candidate->text)) {
        bool without_id = index->version == 1;
        code = xylem_jsonl__line_read(entry, &problem, &reader->parser, candidate->text, without_id, err);
        if (code > 0 && index->version < 3 && (code = migrate(candidate, reader, err)) == XYLEM_OK) {
            code = xylem_jsonl__line_read(entry, &problem, &reader->parser, candidate->text, false, err);
        }
        if (code <= 0) {
            return code < 0 ? code : xylem_jsonl__fail_changed(reader, err);
        }
    }
    if (index->hash(entry->id) != known->id_hash) {
        return xylem_jsonl__fail_changed(reader, err);
    }
    if (known->parent != XYLEM_JSONL__NO_ROW) {
        struct xylem_jsonl__id parent;
        if ((code = id_of_row(&parent, reader, known->parent, err)) < 0) {
            return code;
        }
        if (!xylem_base__view_equal(xylem_jsonl__id_view(&parent), entry->parent_id)) {
            candidate->parent_row = XYLEM_JSONL__NO_ROW; /* two ids with one hash: no line has the parent's id */
            candidate->orphan = true;
        }
    }
    reader->last_row = row;
    xylem_jsonl__id_set(&reader->last_id, entry->id);
    return XYLEM_OK;
}
