/*
 * Reads the lines of a session as its host wrote them. Three sources come together by their lsns:
 *
 *     a run      entries of one path, one after the other: the path of the base, or what a row REPEAT or SHARED names
 *     the scan   the session's own entries; `own` comes next
 *     the sides  the session's rows; `side` comes next
 */
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "branch/branch.h"
#include "store/session.h"
#include "store/side.h"
#include "xylem/branch.h"

struct xylem_stream {
    struct xylem_txn *txn;
    struct xylem_session session;
    struct xylem_buffer copies;
    struct xylem_scan *scan;
    struct xylem_entry own; /* lsn UINT64_MAX: none */
    struct xylem_side side;
    uint64_t side_lsn;         /* UINT64_MAX: none */
    struct xylem_position run; /* the last entry of the run */
    uint64_t run_next;         /* the depth that comes next */
    bool again;
    struct xylem_buffer line;
};

/* Steps to the next row with a place in the stream, behind an lsn. The values of shared entries have none. */
static int step_side(struct xylem_stream *stream, uint64_t lsn, struct xylem_error *err)
{
    int found;
    do {
        found = xylem_store__side_behind(&lsn, &stream->side, stream->txn, stream->session.number, err);
    } while (found > 0 && stream->side.type == XYLEM_SIDE_VALUES);
    stream->side_lsn = found > 0 ? lsn : UINT64_MAX;
    return found < 0 ? found : XYLEM_OK;
}

static int step_own(struct xylem_stream *stream, struct xylem_error *err)
{
    int found = xylem_scan_next(&stream->own, stream->scan, err);
    stream->own.lsn = found > 0 ? stream->own.lsn : UINT64_MAX;
    return found < 0 ? found : XYLEM_OK;
}

/* The base's path is the first run, unless a row says where the path stands. */
static int begin(struct xylem_stream *stream, uint64_t session, struct xylem_error *err)
{
    struct xylem_entry base = {.lsn = 0};
    int code;
    if ((code = xylem_session_read(&stream->session, stream->txn, session, err)) < 0) {
        return code;
    }
    if (xylem_store__session_own(&stream->copies, &stream->session) < 0) {
        return xylem_base__fail_memory(err);
    }
    stream->run = stream->session.base;
    stream->run_next = 1;
    if ((stream->run.depth > 0 && (code = xylem_entry_read(&base, stream->txn, stream->run, err)) < 0) ||
        (code = xylem_scan_after(&stream->scan, stream->txn, session, base.lsn, err)) < 0 ||
        (code = step_own(stream, err)) < 0) {
        return code;
    }
    while (code == XYLEM_OK && stream->run.depth > 0 && stream->side_lsn < UINT64_MAX) {
        code = step_side(stream, stream->side_lsn, err);
        stream->run.depth = stream->side.type == XYLEM_SIDE_SHARED ? 0 : stream->run.depth;
    }
    return code < 0 ? code : step_side(stream, 0, err);
}

int xylem_stream_new(struct xylem_stream **stream, struct xylem_txn *txn, uint64_t session, struct xylem_error *err)
{
    struct xylem_stream *made = calloc(1, sizeof *made);
    if (!made) {
        return xylem_base__fail_memory(err);
    }
    made->txn = txn;
    int code = begin(made, session, err);
    if (code < 0) {
        xylem_stream_free(made);
        return code;
    }
    *stream = made;
    return XYLEM_OK;
}

/* 1 and the line of an entry; 0: the entry is no line. */
static int give_entry(struct xylem_stream_line *line, struct xylem_stream *stream, const struct xylem_entry *entry,
                      bool again, struct xylem_error *err)
{
    if (entry->format != XYLEM_FORMAT_LINE) {
        return 0;
    }
    int code = xylem_store__side_line(&stream->line, stream->txn, &stream->session, entry, err);
    *line = (struct xylem_stream_line){
        .position = entry->position, .lsn = entry->lsn, .again = again, .redacted = code == XYLEM_E_REDACTED};
    line->bytes = line->redacted ? line->bytes : xylem_base__buffer_view(&stream->line);
    return code < 0 && !line->redacted ? code : 1;
}

/* 1 and the line of a record; 0: a run begins. */
static int give_side(struct xylem_stream_line *line, struct xylem_stream *stream, struct xylem_error *err)
{
    const struct xylem_side *side = &stream->side;
    bool record = side->type == XYLEM_SIDE_RECORD;
    xylem_base__buffer_clear(&stream->line);
    if (!record) {
        stream->run = side->position;
        stream->run_next = side->position.depth - side->count + 1;
        stream->again = side->type == XYLEM_SIDE_REPEAT;
    } else if (xylem_buffer_add(&stream->line, side->bytes.data, side->bytes.bytes) < 0) {
        return xylem_base__fail_memory(err);
    }
    *line = (struct xylem_stream_line){
        .bytes = xylem_base__buffer_view(&stream->line), .lsn = stream->side_lsn, .redacted = side->redacted};
    int code = step_side(stream, stream->side_lsn, err);
    return code < 0 ? code : record;
}

int xylem_stream_next(struct xylem_stream_line *line, struct xylem_stream *stream, struct xylem_error *err)
{
    int found = 0;
    while (found == 0) {
        struct xylem_entry entry = stream->own;
        if (stream->run_next <= stream->run.depth) {
            struct xylem_position at;
            found = xylem_store__ancestor_at(&at, stream->txn, stream->run, stream->run_next++, err);
            found = found < 0 ? found : xylem_entry_read(&entry, stream->txn, at, err);
            found = found < 0 ? found : give_entry(line, stream, &entry, stream->again, err);
        } else if (stream->side_lsn < entry.lsn) {
            found = give_side(line, stream, err);
        } else if (entry.lsn < UINT64_MAX) {
            found = give_entry(line, stream, &entry, false, err);
            int code = found < 0 ? found : step_own(stream, err);
            found = code < 0 ? code : found;
        } else {
            return 0;
        }
    }
    return found;
}

void xylem_stream_free(struct xylem_stream *stream)
{
    if (stream) {
        xylem_scan_free(stream->scan);
        xylem_buffer_release(&stream->copies);
        xylem_buffer_release(&stream->line);
        free(stream);
    }
}
