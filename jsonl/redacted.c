/*
 * Recognizes lines of redacted entries. The session file still has the redacted bytes. An import knows such a line by
 * the id of the entry, and neither stores the line nor puts the line into quarantine.
 */
#include <stdlib.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"
#include "jsonl/import.h"

void xylem_jsonl__redacted_forget(struct xylem_jsonl__redacted *redacted)
{
    free(redacted->ids);
    redacted->ids = NULL;
    redacted->count = 0;
    xylem_buffer_release(&redacted->bytes);
}

/*
 * Reads the whole session. An import asks only about a line with a problem, or a torn line. The ids come into one
 * buffer; views of the buffer come later, since the buffer moves while it grows.
 */
static int load(struct xylem_jsonl__redacted *redacted, struct xylem_txn *txn, uint64_t session,
                struct xylem_error *err)
{
    struct xylem_scan *scan;
    struct xylem_entry entry;
    int code = xylem_scan_new(&scan, txn, session, err);
    if (code < 0) {
        return code;
    }
    while ((code = xylem_scan_next(&entry, scan, err)) == 1) {
        if (!(entry.flags & XYLEM_ENTRY_REDACTED)) {
            continue;
        }
        if (xylem_base__add_sized(&redacted->bytes, entry.id) < 0) {
            code = xylem_base__fail_memory(err);
            break;
        }
        redacted->count++;
    }
    xylem_scan_free(scan);
    if (code == XYLEM_OK && !(redacted->ids = calloc(redacted->count + 1, sizeof *redacted->ids))) {
        code = xylem_base__fail_memory(err);
    }
    if (code < 0) {
        xylem_jsonl__redacted_forget(redacted);
        return code;
    }
    struct xylem_base__cursor cursor = xylem_base__cursor_of(redacted->bytes.data, redacted->bytes.bytes);
    for (size_t i = 0; i < redacted->count; i++) {
        redacted->ids[i] = xylem_base__read_sized(&cursor);
    }
    return XYLEM_OK;
}

int xylem_jsonl__redacted_line(struct xylem_jsonl__placing *placing, struct xylem_view line, struct xylem_error *err)
{
    if (placing->mode == XYLEM_JSONL__MODE_NEW && placing->report->shared_count == 0) {
        return 0; /* this import made every entry of the session: none is redacted */
    }
    struct xylem_jsonl__redacted *redacted = &placing->batch.redacted;
    int code = redacted->ids ? XYLEM_OK : load(redacted, placing->batch.txn, placing->progress.session, err);
    if (code < 0 || redacted->count == 0) {
        return code;
    }
    return xylem_format__line_names(&placing->reader->parser.data, line, redacted->ids, redacted->count, err);
}
