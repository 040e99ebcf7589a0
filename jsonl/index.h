/*
 * The first pass over a session file: where each line is, what is wrong with it, and which line is its parent. It takes
 * 32 bytes a line, and a table of 5 bytes an entry; no line and no id is held.
 */
#ifndef XYLEM_JSONL_INDEX_H
#define XYLEM_JSONL_INDEX_H

#include "jsonl/line.h"
#include "jsonl/lines.h"

#define XYLEM_JSONL__NO_ROW UINT32_MAX
#define XYLEM_JSONL__ROWS_PER_CHUNK 1024u /* most files have fewer lines, and a chunk is cleared */

/* A row's state: in the low bits 0, or the type of its problem plus 1; then: */
#define XYLEM_JSONL__PROBLEM_MASK 0x000fu
#define XYLEM_JSONL__ORPHAN 0x0010u    /* it names a parent that no line has */
#define XYLEM_JSONL__CYCLE 0x0020u     /* its parents led back to it, and it comes first among them */
#define XYLEM_JSONL__AHEAD 0x0040u     /* it was dealt with before its turn, as the parent of an earlier line */
#define XYLEM_JSONL__ON_CHAIN 0x0080u  /* it waits for its parents to be placed */
#define XYLEM_JSONL__REFUSED 0x0100u   /* an earlier import of the file put it into quarantine */
#define XYLEM_JSONL__REPEATS 0x0200u   /* an earlier import of the file placed another line that has its id */
#define XYLEM_JSONL__STRAIGHT 0x0400u  /* of format 3: it can be split, if it still has its `text_hash` */
#define XYLEM_JSONL__ATTEMPT_SHIFT 10u /* of format 1: at which attempt its id was free */
#define XYLEM_JSONL__ATTEMPT_MAX 63u

/* A line: row 0 is line 2, the first after the header. */
struct xylem_jsonl__row {
    uint64_t id_hash;
    uint32_t parent; /* a row, or XYLEM_JSONL__NO_ROW; during the pass the low half of the hash of the parent's id */
    uint32_t link;   /* on a chain: the row that waits for this one; of format 1: lines parsed so far, this included;
                        during the pass the high half of that hash */
    uint32_t offset_low;
    uint16_t offset_high;
    uint16_t state;
    uint64_t text_hash; /* of a straight line */
};

struct xylem_jsonl__index {
    /* To be set before it is built. */
    const struct xylem_jsonl__file *file;
    int version;
    struct xylem_view session_id;
    uint64_t (*hash)(struct xylem_view bytes);
    uint64_t first_offset; /* of line 2 */
    /* What it found. */
    uint32_t row_count;
    uint64_t end_offset; /* behind the last line that can be consumed */
    bool unterminated;   /* that line (or the header) has no newline */
    /* Its own. */
    struct xylem_jsonl__row **chunks;
    size_t chunk_count;
    size_t chunk_capacity;
    uint32_t *slots;
    uint64_t slot_count;
    bool collided; /* two ids have the same hash: compare them truly */
    struct xylem_jsonl__parser parser;
    struct xylem_jsonl__window near; /* for reading on */
    struct xylem_jsonl__window far;  /* for looking back */
};

/* An entry's id, copied. */
struct xylem_jsonl__id {
    char data[XYLEM_ENTRY_ID_BYTES_MAX];
    size_t bytes;
};

int xylem_jsonl__index_build(struct xylem_jsonl__index *index, struct xylem_error *err);
/* Gives back the memory that a long line took. */
void xylem_jsonl__index_trim(struct xylem_jsonl__index *index);
void xylem_jsonl__index_release(struct xylem_jsonl__index *index);

struct xylem_jsonl__row *xylem_jsonl__index_row(const struct xylem_jsonl__index *index, uint32_t row);
uint64_t xylem_jsonl__row_offset(const struct xylem_jsonl__row *row);
/* The bytes of a row's line, the newline included, and where the line after it begins. */
uint64_t xylem_jsonl__index_line_end(const struct xylem_jsonl__index *index, uint32_t row);
/* The number of a row's line in the file. */
uint64_t xylem_jsonl__line_number(uint32_t row);
void xylem_jsonl__row_set_problem(struct xylem_jsonl__row *row, enum xylem_import_problem_type type);

/* Reads a row's line through a window, without its newline; it must not be too long. */
int xylem_jsonl__index_text(struct xylem_view *text, const struct xylem_jsonl__index *index,
                            struct xylem_jsonl__window *window, uint32_t row, struct xylem_error *err);
/*
 * Splits the text of a row that is straight. False if it is not, or has another text now: then it has to be read. The
 * hash tells a text that was changed by accident; who makes another one of the same hash gets its members split as they
 * stand, whatever they are, but nothing outside of the text is looked at.
 */
bool xylem_jsonl__index_split(struct xylem_jsonl__entry *entry, const struct xylem_jsonl__index *index, uint32_t row,
                              struct xylem_view text);
/* Reads a row's id from its line; an id of no bytes if it has none. */
int xylem_jsonl__index_id(struct xylem_jsonl__id *id, struct xylem_jsonl__index *index, uint32_t row,
                          struct xylem_error *err);
/* The row whose line has that id and counts: 1 or 0. Compared truly. */
int xylem_jsonl__index_find(uint32_t *row, struct xylem_jsonl__index *index, struct xylem_view id,
                            struct xylem_error *err);
/* Of format 1: the row of the n-th line that was parsed, the header being 0: true, or false if there is none. */
bool xylem_jsonl__index_nth_parsed(uint32_t *row, const struct xylem_jsonl__index *index, uint64_t n);

struct xylem_view xylem_jsonl__id_view(const struct xylem_jsonl__id *id);

#endif
