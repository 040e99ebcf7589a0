/*
 * Builds the index in three steps:
 *
 * 1. read_rows():        for each line the offset, the problem or the hash of the id, and the hash of the parent's id
 * 2. enter_rows():       a hash table from id to row. A second line with the same id takes the slot: the earlier line
 *                        becomes a DUPLICATE. Lines of format 1 have no ids, so ids are minted; if a minted id is
 *                        taken, another id is minted.
 * 3. resolve_parents():  the parent's row in place of the hash, or ORPHAN
 *
 * The table compares hashes of 64 bits. Two rows with one hash are compared by their ids, read again from the file.
 * After the first collision of two ids, step 3 compares ids too.
 */
#include "travel/jsonl/index.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "travel/jsonl/migrate.h"

static_assert(sizeof(struct xylem_jsonl__row) == 32, "a row of the index has 32 bytes");
static_assert(XYLEM_IMPORT_PROBLEM_COUNT <= XYLEM_JSONL__PROBLEM_MASK, "a row's state holds every problem");

/* Until resolve_parents(): the row names a parent. Afterwards the bit means ON_CHAIN. */
#define NAMES_PARENT XYLEM_JSONL__ON_CHAIN

struct xylem_jsonl__row *xylem_jsonl__index_row(const struct xylem_jsonl__index *index, uint32_t row)
{
    assert(row < index->row_count);
    return &index->chunks[row / XYLEM_JSONL__ROWS_PER_CHUNK][row % XYLEM_JSONL__ROWS_PER_CHUNK];
}

uint64_t xylem_jsonl__index_offset(const struct xylem_jsonl__index *index, uint32_t row)
{
    const struct xylem_jsonl__row *known = xylem_jsonl__index_row(index, row);
    return (uint64_t)known->offset_high << 32 | known->offset_low;
}

uint64_t xylem_jsonl__index_bytes(const struct xylem_jsonl__index *index, uint32_t row)
{
    uint64_t end = row + 1 < index->row_count ? xylem_jsonl__index_offset(index, row + 1) : index->end_offset;
    return end - xylem_jsonl__index_offset(index, row);
}

void xylem_jsonl__row_set_problem(struct xylem_jsonl__row *row, enum xylem_import_problem_type type)
{
    row->state = (uint16_t)((row->state & ~XYLEM_JSONL__PROBLEM_MASK) | ((unsigned)type + 1));
}

struct xylem_view xylem_jsonl__id_view(const struct xylem_jsonl__id *id)
{
    struct xylem_view view = {id->data, id->bytes};
    return view;
}

void xylem_jsonl__id_set(struct xylem_jsonl__id *id, struct xylem_view view)
{
    id->bytes = view.bytes <= sizeof id->data ? view.bytes : 0;
    if (id->bytes > 0) {
        memcpy(id->data, view.data, id->bytes);
    }
}

static bool in_problem(const struct xylem_jsonl__row *row)
{
    return (row->state & XYLEM_JSONL__PROBLEM_MASK) != 0;
}

static int add_row(struct xylem_jsonl__row **row, struct xylem_jsonl__index *index, struct xylem_error *err)
{
    if (index->row_count >= UINT32_MAX - 2) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "%s: more than %u lines", index->file->path, UINT32_MAX - 2);
    }
    size_t chunk = index->row_count / XYLEM_JSONL__ROWS_PER_CHUNK;
    if (chunk == index->chunk_count) {
        struct xylem_jsonl__row **chunks =
            xylem_base__with_room(index->chunks, &index->chunk_capacity, chunk, sizeof *chunks);
        if (!chunks) {
            return xylem_base__fail_memory(err);
        }
        index->chunks = chunks;
        bool few = index->rows_max > 0 && index->rows_max < XYLEM_JSONL__ROWS_PER_CHUNK;
        chunks[chunk] = calloc(few ? (size_t)index->rows_max : XYLEM_JSONL__ROWS_PER_CHUNK, sizeof **chunks);
        if (!chunks[chunk]) {
            return xylem_base__fail_memory(err);
        }
        index->chunk_count++;
    }
    *row = xylem_jsonl__index_row(index, index->row_count++);
    return XYLEM_OK;
}

int xylem_jsonl__index_text(struct xylem_view *text, const struct xylem_jsonl__index *index,
                            struct xylem_jsonl__window *window, uint32_t row, struct xylem_error *err)
{
    size_t bytes = (size_t)xylem_jsonl__index_bytes(index, row);
    int code = xylem_jsonl__window_see(text, window, index->file, xylem_jsonl__index_offset(index, row), bytes, err);
    if (code < 0) {
        return code;
    }
    text->bytes = bytes > 0 && text->data[bytes - 1] == '\n' ? bytes - 1 : bytes;
    return XYLEM_OK;
}

bool xylem_jsonl__index_split(struct xylem_jsonl__entry *entry, const struct xylem_jsonl__index *index, uint32_t row,
                              struct xylem_view text)
{
    const struct xylem_jsonl__row *known = xylem_jsonl__index_row(index, row);
    bool straight = index->version == 3 && (known->state & XYLEM_JSONL__STRAIGHT) != 0;
    bool same = straight && (index->file->held || index->hash(text) == known->text_hash); /* held bytes stay */
    return same && xylem_jsonl__line_split(entry, text);
}

/*
 * Classifies a line: finds the problem, or the hashes of the id and of the parent's id. 1 if the line is torn, else 0.
 * A torn line has no newline and is not an entry yet: a later import may find the whole line.
 */
static int read_row(struct xylem_jsonl__row *row, struct xylem_jsonl__index *index,
                    const struct xylem_jsonl__line *line, struct xylem_error *err)
{
    struct xylem_jsonl__entry entry;
    enum xylem_import_problem_type problem = line->nul_only ? XYLEM_IMPORT_NUL_PADDING : XYLEM_IMPORT_LIMIT;
    bool mint = index->version == 1;
    int code = 0;
    if (!line->too_long) {
        code = xylem_jsonl__line_read(&entry, &problem, &index->parser, line->text, mint, err);
    }
    if (code == 0 && !line->terminated) {
        return 1;
    }
    /* An encoded payload can be longer than its line, but never four times as long. */
    if (code > 0 && line->text.bytes > XYLEM_PAYLOAD_BYTES_MAX / 4) {
        problem = XYLEM_IMPORT_LIMIT;
        code = xylem_jsonl__line_payload(&entry, &index->parser, err);
    }
    if (code < 0) {
        return code;
    }
    if (code == 0) {
        xylem_jsonl__row_set_problem(row, problem);
        return XYLEM_OK;
    }
    if (mint) {
        char id[XYLEM_JSONL__MINTED_BYTES + 1];
        code =
            xylem_jsonl__mint_id(id, index->session_id, index->first_line + index->row_count - 1, line->text, 0, err);
        row->id_hash = index->hash(xylem_view_of(id));
        return code;
    }
    row->id_hash = index->hash(entry.id);
    if (entry.straight && index->version == 3) {
        row->state |= XYLEM_JSONL__STRAIGHT;
        row->text_hash = index->file->held ? 0 : index->hash(line->text);
    }
    if (entry.has_parent) {
        uint64_t parent_hash = index->hash(entry.parent_id);
        row->parent = (uint32_t)parent_hash;
        row->link = (uint32_t)(parent_hash >> 32);
        row->state |= NAMES_PARENT;
    }
    return XYLEM_OK;
}

static int read_rows(struct xylem_jsonl__index *index, struct xylem_error *err)
{
    struct xylem_jsonl__line line;
    uint32_t parsed = 0;
    int code;
    index->end_offset = index->first_offset;
    while ((code = xylem_jsonl__line_at(&line, &index->near, index->file, index->end_offset, err)) == 1) {
        struct xylem_jsonl__row *row = NULL;
        if ((code = add_row(&row, index, err)) < 0) {
            break;
        }
        row->offset_low = (uint32_t)line.offset;
        row->offset_high = (uint16_t)(line.offset >> 32);
        if ((code = read_row(row, index, &line, err)) != XYLEM_OK) {
            index->row_count--;
            break;
        }
        if (index->version == 1) {
            unsigned problem = row->state & XYLEM_JSONL__PROBLEM_MASK;
            bool unparsed = problem == XYLEM_IMPORT_NOT_JSON + 1 || problem == XYLEM_IMPORT_BLANK + 1 ||
                            problem == XYLEM_IMPORT_NUL_PADDING + 1;
            parsed += unparsed ? 0 : 1;
            row->link = parsed;
        }
        index->end_offset += line.bytes;
        index->unterminated = !line.terminated;
    }
    return code < 0 ? code : XYLEM_OK;
}

bool xylem_jsonl__index_nth_parsed(uint32_t *row, const struct xylem_jsonl__index *index, uint64_t n)
{
    uint32_t low = 0;
    uint32_t high = index->row_count;
    assert(index->version == 1);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (xylem_jsonl__index_row(index, middle)->link < n) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *row = low;
    return n > 0 && low < index->row_count && xylem_jsonl__index_row(index, low)->link == n;
}

/* Reads a row's id, or (`of_parent`) the id of the parent that the row names. */
static int read_id(struct xylem_jsonl__id *id, struct xylem_jsonl__index *index, uint32_t row, bool of_parent,
                   struct xylem_error *err)
{
    struct xylem_view text;
    int code = xylem_jsonl__index_text(&text, index, &index->far, row, err);
    if (code < 0) {
        return code;
    }
    if (index->version == 1) {
        char minted[XYLEM_JSONL__MINTED_BYTES + 1];
        unsigned attempt = xylem_jsonl__index_row(index, row)->state >> XYLEM_JSONL__ATTEMPT_SHIFT;
        code = xylem_jsonl__mint_id(minted, index->session_id, index->first_line + row, text, attempt, err);
        xylem_jsonl__id_set(id, xylem_view_of(minted));
        return code;
    }
    struct xylem_jsonl__entry entry;
    enum xylem_import_problem_type problem;
    code = xylem_jsonl__index_split(&entry, index, row, text)
               ? 1
               : xylem_jsonl__line_read(&entry, &problem, &index->parser, text, false, err);
    if (code < 0) {
        return code;
    }
    struct xylem_view found = of_parent ? entry.parent_id : entry.id;
    xylem_jsonl__id_set(id, code == 1 ? found : (struct xylem_view){NULL, 0});
    return XYLEM_OK;
}

int xylem_jsonl__index_id(struct xylem_jsonl__id *id, struct xylem_jsonl__index *index, uint32_t row,
                          struct xylem_error *err)
{
    return read_id(id, index, row, false, err);
}

/* Finds the slot of a row with the id (1), or a free slot for the id (0). With `id` NULL the hash alone decides. */
static int probe(uint64_t *slot, struct xylem_jsonl__index *index, uint64_t hash, const struct xylem_jsonl__id *id,
                 struct xylem_error *err)
{
    uint64_t at = (hash >> 33) * index->slot_count >> 31; /* scales the upper 31 bits to 0 ... slot_count - 1 */
    while (index->slots[at] != XYLEM_JSONL__NO_ROW) {
        uint32_t row = index->slots[at];
        if (xylem_jsonl__index_row(index, row)->id_hash == hash) {
            struct xylem_jsonl__id other = {.bytes = 0};
            int code = id ? read_id(&other, index, row, false, err) : XYLEM_OK;
            if (code < 0) {
                return code;
            }
            if (!id || (other.bytes == id->bytes && memcmp(other.data, id->data, id->bytes) == 0)) {
                *slot = at;
                return 1;
            }
            index->collided = true;
        }
        at = at + 1 < index->slot_count ? at + 1 : 0;
    }
    *slot = at;
    return 0;
}

int xylem_jsonl__index_find(uint32_t *row, struct xylem_jsonl__index *index, struct xylem_view id,
                            struct xylem_error *err)
{
    struct xylem_jsonl__id copy;
    xylem_jsonl__id_set(&copy, id);
    if (copy.bytes == 0) {
        return 0;
    }
    uint64_t slot;
    int code = probe(&slot, index, index->hash(id), &copy, err);
    if (code == 1) {
        *row = index->slots[slot];
    }
    return code;
}

/* Mints the next id for a row of format 1: another row has the last id. */
static int mint_again(struct xylem_jsonl__id *id, struct xylem_jsonl__index *index, uint32_t number,
                      struct xylem_error *err)
{
    struct xylem_jsonl__row *row = xylem_jsonl__index_row(index, number);
    if (row->state >> XYLEM_JSONL__ATTEMPT_SHIFT == XYLEM_JSONL__ATTEMPT_MAX) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "%s: line %llu: no free id found for the entry of format 1",
                                index->file->path, (unsigned long long)(index->first_line + number));
    }
    row->state = (uint16_t)(row->state + (1u << XYLEM_JSONL__ATTEMPT_SHIFT));
    int code = read_id(id, index, number, false, err);
    row->id_hash = index->hash(xylem_jsonl__id_view(id));
    return code;
}

/* Enters each row under its id. The last of several lines with one id counts. */
static int enter_rows(struct xylem_jsonl__index *index, struct xylem_error *err)
{
    index->slot_count = (uint64_t)index->row_count + index->row_count / 3 + 16;
    index->slots = malloc((size_t)index->slot_count * sizeof *index->slots);
    if (!index->slots) {
        return xylem_base__fail_memory(err);
    }
    memset(index->slots, 0xff, (size_t)index->slot_count * sizeof *index->slots);
    for (uint32_t number = 0; number < index->row_count; number++) {
        const struct xylem_jsonl__row *row = xylem_jsonl__index_row(index, number);
        uint64_t slot;
        if (in_problem(row)) {
            continue;
        }
        int code = probe(&slot, index, row->id_hash, NULL, err);
        if (code == 1) {
            struct xylem_jsonl__id id;
            if ((code = read_id(&id, index, number, false, err)) < 0) {
                return code;
            }
            while ((code = probe(&slot, index, row->id_hash, &id, err)) == 1 && index->version == 1) {
                if ((code = mint_again(&id, index, number, err)) < 0) {
                    return code;
                }
            }
            if (code == 1) {
                xylem_jsonl__row_set_problem(xylem_jsonl__index_row(index, index->slots[slot]), XYLEM_IMPORT_DUPLICATE);
            }
        }
        if (code < 0) {
            return code;
        }
        index->slots[slot] = number;
    }
    return XYLEM_OK;
}

/*
 * Finds the rows of the parents. Without a collision so far the hash decides; the second pass compares the ids
 * (reader.c).
 */
static int resolve_parents(struct xylem_jsonl__index *index, struct xylem_error *err)
{
    uint32_t previous = XYLEM_JSONL__NO_ROW;
    for (uint32_t number = 0; number < index->row_count; number++) {
        struct xylem_jsonl__row *row = xylem_jsonl__index_row(index, number);
        if (index->version == 1) {
            row->parent = previous;
            previous = in_problem(row) ? previous : number;
            continue;
        }
        uint64_t parent_hash = (uint64_t)row->link << 32 | row->parent;
        row->parent = XYLEM_JSONL__NO_ROW;
        if (!(row->state & NAMES_PARENT)) {
            continue;
        }
        row->state &= (uint16_t)~NAMES_PARENT;
        struct xylem_jsonl__id id = {.bytes = 0};
        uint64_t slot;
        int code;
        if ((index->collided && (code = read_id(&id, index, number, true, err)) < 0) ||
            (code = probe(&slot, index, parent_hash, index->collided ? &id : NULL, err)) < 0) {
            return code;
        }
        if (code == 1) {
            row->parent = index->slots[slot];
        } else {
            row->state |= XYLEM_JSONL__ORPHAN;
        }
    }
    return XYLEM_OK;
}

void xylem_jsonl__index_init(struct xylem_jsonl__index *index)
{
    memset(index, 0, offsetof(struct xylem_jsonl__index, parser));
    xylem_jsonl__parser_init(&index->parser);
}

int xylem_jsonl__index_build(struct xylem_jsonl__index *index, struct xylem_error *err)
{
    index->far.step_bytes = 4096;
    int code = read_rows(index, err);
    xylem_jsonl__window_release(&index->near);
    xylem_jsonl__index_trim(index);
    if (code == XYLEM_OK && (code = enter_rows(index, err)) == XYLEM_OK) {
        code = resolve_parents(index, err);
    }
    xylem_jsonl__index_trim(index);
    return code;
}

void xylem_jsonl__index_trim(struct xylem_jsonl__index *index)
{
    xylem_jsonl__parser_trim(&index->parser);
    xylem_jsonl__window_trim(&index->near);
    xylem_jsonl__window_trim(&index->far);
}

void xylem_jsonl__index_release(struct xylem_jsonl__index *index)
{
    for (size_t i = 0; i < index->chunk_count; i++) {
        free(index->chunks[i]);
    }
    free(index->chunks);
    free(index->slots);
    xylem_jsonl__parser_release(&index->parser);
    xylem_jsonl__window_release(&index->near);
    xylem_jsonl__window_release(&index->far);
}
