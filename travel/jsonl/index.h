/*
 * Reads a session file for the first time, and lists the offset, the problem and the parent of each line. The index
 * takes 32 bytes a line, and a hash table of 5 to 6 bytes an entry. The index holds no line and no id: for an id, the
 * line is read again.
 */
#ifndef XYLEM_JSONL_INDEX_H
#define XYLEM_JSONL_INDEX_H

#include "travel/jsonl/line.h"
#include "travel/jsonl/lines.h"

#define XYLEM_JSONL__NO_ROW UINT32_MAX
#define XYLEM_JSONL__ROWS_PER_CHUNK 1024u /* most files fit in one chunk; a new chunk is cleared whole */

/*
 * The state of a row, 16 bits:
 *
 *     15 ... 10   9         8         7          6       5       4        3 ... 0
 *     attempt     REPEATS   REFUSED   ON_CHAIN   AHEAD   CYCLE   ORPHAN   problem
 *     (format 3: bit 10 is STRAIGHT)
 *
 * The problem is 0 (none), or the type of the problem plus 1.
 */
#define XYLEM_JSONL__PROBLEM_MASK 0x000fu
#define XYLEM_JSONL__ORPHAN 0x0010u    /* no line has the named parent */
#define XYLEM_JSONL__CYCLE 0x0020u     /* the first row of a cycle of parents: becomes a root */
#define XYLEM_JSONL__AHEAD 0x0040u     /* dealt with before its turn, as the parent of an earlier line */
#define XYLEM_JSONL__ON_CHAIN 0x0080u  /* waits for its parents to be placed */
#define XYLEM_JSONL__REFUSED 0x0100u   /* an earlier import of the file put the row into quarantine */
#define XYLEM_JSONL__REPEATS 0x0200u   /* an earlier import of the file placed another line with the same id */
#define XYLEM_JSONL__STRAIGHT 0x0400u  /* format 3: the line can be split while it has the hash `text_hash` */
#define XYLEM_JSONL__ATTEMPT_SHIFT 10u /* format 1: the attempt at which the minted id was free */
#define XYLEM_JSONL__ATTEMPT_MAX 63u

/*
 * A line. Row 0 of a whole file is line 2, the first line after the header. Two members change their meaning:
 *
 *               while lines are read               afterwards
 *     parent    low half of the parent id's hash   the parent's row, or XYLEM_JSONL__NO_ROW
 *     link      high half of the same hash         on a chain: the row that waits for this row
 *     link      format 1: the number of parsed lines so far, this line included
 */
struct xylem_jsonl__row {
    uint64_t id_hash;
    uint32_t parent;
    uint32_t link;
    uint32_t offset_low;
    uint16_t offset_high;
    uint16_t state;
    uint64_t text_hash; /* of a straight line */
};

struct xylem_jsonl__index {
    /* The caller sets these members before xylem_jsonl__index_build(). */
    const struct xylem_jsonl__file *file;
    int version;
    struct xylem_view session_id;
    uint64_t (*hash)(struct xylem_view bytes);
    uint64_t first_offset; /* of row 0 */
    uint64_t first_line;   /* the number of the line of row 0: 2, behind the header of a whole file */
    uint64_t rows_max;     /* 0: any number of lines may come */
    /* The result. */
    uint32_t row_count;
    uint64_t end_offset; /* behind the last line that can be consumed */
    bool unterminated;   /* the last consumed line has no newline; the header counts */
    /* Private. */
    struct xylem_jsonl__row **chunks;
    size_t chunk_count;
    size_t chunk_capacity;
    uint32_t *slots;
    uint64_t slot_count;
    bool collided;                   /* two ids have the same hash: compare the ids, not only the hashes */
    struct xylem_jsonl__window near; /* for reading on */
    struct xylem_jsonl__window far;  /* for looking back */
    struct xylem_jsonl__parser parser;
};

/* An entry's id, copied. */
struct xylem_jsonl__id {
    char data[XYLEM_ENTRY_ID_BYTES_MAX];
    size_t bytes;
};

/* The same as a zeroed struct. Faster, since a tree is large. */
void xylem_jsonl__index_init(struct xylem_jsonl__index *index);
int xylem_jsonl__index_build(struct xylem_jsonl__index *index, struct xylem_error *err);
/* Releases the memory of a long line. */
void xylem_jsonl__index_trim(struct xylem_jsonl__index *index);
void xylem_jsonl__index_release(struct xylem_jsonl__index *index);

struct xylem_jsonl__row *xylem_jsonl__index_row(const struct xylem_jsonl__index *index, uint32_t row);
/* The place of a row's line in the file, the newline included. */
uint64_t xylem_jsonl__index_offset(const struct xylem_jsonl__index *index, uint32_t row);
uint64_t xylem_jsonl__index_bytes(const struct xylem_jsonl__index *index, uint32_t row);
void xylem_jsonl__row_set_problem(struct xylem_jsonl__row *row, enum xylem_import_problem_type type);

/* Reads a row's line through a window, without the newline. The line must not be too long for the index. */
int xylem_jsonl__index_text(struct xylem_view *text, const struct xylem_jsonl__index *index,
                            struct xylem_jsonl__window *window, uint32_t row, struct xylem_error *err);
/*
 * Splits the text of a straight row. False if the row is not straight, or if the text changed: then parse the line. The
 * hash detects accidental changes. A forged text with the same hash is split as it stands, but the split never reads
 * outside of the text.
 */
bool xylem_jsonl__index_split(struct xylem_jsonl__entry *entry, const struct xylem_jsonl__index *index, uint32_t row,
                              struct xylem_view text);
/* Reads a row's id from its line. The id is empty if the line has none. */
int xylem_jsonl__index_id(struct xylem_jsonl__id *id, struct xylem_jsonl__index *index, uint32_t row,
                          struct xylem_error *err);
/* Finds the row that counts for the id: 1 or 0. Compares the ids, not only the hashes. */
int xylem_jsonl__index_find(uint32_t *row, struct xylem_jsonl__index *index, struct xylem_view id,
                            struct xylem_error *err);
/* Format 1 only: finds the row of the n-th parsed line; the header is number 0. False if there is none. */
bool xylem_jsonl__index_nth_parsed(uint32_t *row, const struct xylem_jsonl__index *index, uint64_t n);

struct xylem_view xylem_jsonl__id_view(const struct xylem_jsonl__id *id);
/* Copies an id. An id that is too long becomes empty. */
void xylem_jsonl__id_set(struct xylem_jsonl__id *id, struct xylem_view view);

#endif
