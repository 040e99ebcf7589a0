/*
 * Rows of a session as lines of JSON: what its segments say, in words that any program can read (docs/format.md,
 * "Changes of a session as JSON"):
 *
 *     {"row":"session","schema":1,"session":"01a1f9f7-22cb-...","created":"2026-11-20T17:18:05.515Z","cwd":"/home/dev"}
 *     {"row":"created"}
 *     {"row":"entry","entry":"b7f2eeaa","kind":"message","time":"...","format":"json","payload":"{...}"}
 *     {"row":"moved","time":"...","from":"b7f2eeaa","reason":"before all"}
 *     {"row":"file","path":"/home/dev/.pi/...","order":1,"bytes":30342,...}
 *     {"row":"quarantined","line":3,"offset":319,"type":"duplicate",...}
 *     {"row":"end","leaf":"b7f2eeaa","chain":"33e33feca94f0439"}
 *
 * told.c has the members of each row, tell.c writes files of rows, take.c reads them.
 */
#ifndef XYLEM_TRAVEL_TOLD_H
#define XYLEM_TRAVEL_TOLD_H

#include "base/value.h"
#include "travel/jsonl/lines.h"
#include "travel/travel.h"
#include "xylem/feed.h"
#include "xylem/files.h"

/* The types of rows: those of changes, and */
enum {
    XYLEM_TRAVEL__TOLD_SESSION = XYLEM_CHANGE_TYPE_COUNT, /* the first: what a session has from the beginning */
    XYLEM_TRAVEL__TOLD_FILE,                              /* a session file */
    XYLEM_TRAVEL__TOLD_DISPLACED,                         /* a line of the file before, out of order */
    XYLEM_TRAVEL__TOLD_QUARANTINED,
    XYLEM_TRAVEL__TOLD_END, /* the last */
    XYLEM_TRAVEL__TOLD_COUNT
};

/* A row: the members of all types. Members that a row lacks are 0, or empty. */
struct xylem_travel__told {
    unsigned type;
    struct xylem_segment segment;
    struct xylem_travel__row row;
    struct xylem_view owner;
    uint64_t epoch;
    uint64_t schema;
    struct xylem_travel__change change;
    struct xylem_store__source source;
    uint64_t displaced_line; /* of the entry change.id */
    struct xylem_quarantined line;
    struct xylem_view leaf;
    struct xylem_view imported_leaf;
    uint64_t chain;
};

/* Memory of a row that was read: its views lie in the text, in the tree, and in the buffers. */
struct xylem_travel__told_memory {
    struct xylem_base__tree tree;
    struct xylem_buffer bytes;
    struct xylem_buffer kind;
};

/* Appends the row as a line. MEMORY. */
int xylem_travel__told_write(struct xylem_buffer *out, const struct xylem_travel__told *told);
/*
 * Reads an object of `memory->tree` as a row of the type, without its other members; or, with COUNT, of the type that
 * its member `row` names. MALFORMED: the text names the member, what was expected, and what was found.
 */
int xylem_travel__told_read(struct xylem_travel__told *told, struct xylem_travel__told_memory *memory,
                            const struct xylem_value *object, unsigned type, struct xylem_error *err);
void xylem_travel__told_release(struct xylem_travel__told_memory *memory);

/* xylem_import_changes() of an open file, or of lines in memory. `report` is zeroed, `path` is for errors. */
int xylem_travel__take(struct xylem_apply_report *report, struct xylem_txn *txn, const struct xylem_jsonl__file *file,
                       const char *path, struct xylem_error *err);
/*
 * The same of a document ID.json of format 2, in `memory`: adds moves, leaf, deletion, quarantine and names of files to
 * the session, whose session file was imported.
 */
int xylem_travel__take_document(struct xylem_txn *txn, struct xylem_travel__told_memory *memory,
                                struct xylem_error *err);

#endif
