/*
 * Writes a session as a session file. Two kinds of lines keep their old line number: quarantined lines (the import
 * could not use them), and displaced lines (their entries are out of lsn order). The other imported entries fill the
 * remaining numbers in lsn order. Last come entries without a line: gone from the file, or never in a file.
 *
 * Example: line 4 is quarantined, and line 6 belongs to lsn 12:
 *
 *     line       1        2        3        4             5        6        7
 *     content    header   lsn 10   lsn 11   quarantined   lsn 13   lsn 12   lsn 14
 *
 * Without quarantine, line 4 is not written; its number stays reserved.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/value.h"
#include "store/side.h"
#include "store/store.h"
#include "travel/jsonl/header.h"
#include "travel/jsonl/patterns.h"
#include "travel/jsonl/render.h"
#include "xylem/branch.h"

#define PIECE_BYTES 65536u

/* A displaced line, and its entry once the scan has passed it. */
struct displaced_line {
    uint64_t line;
    uint64_t lsn;
    struct xylem_position position;
};

struct export
{
    struct xylem_txn *txn;
    uint64_t session;
    bool with_quarantine;
    const struct xylem_patterns *patterns; /* NULL: none */
    struct xylem_export_redactions *redactions;
    struct xylem_match__searcher searcher;
    int (*write)(void *context, const void *data, size_t bytes);
    void *context;
    bool has_source;
    struct xylem_store__source source;
    struct xylem_quarantine *quarantine;
    struct xylem_quarantined quarantined; /* the next row of the source, if `has_quarantined` */
    bool has_quarantined;
    struct displaced_line *displaced; /* by lsn, as in the source's list */
    size_t *by_line;                  /* indexes into `displaced`, sorted by line */
    size_t line_at;                   /* index into `by_line`: the next to write */
    size_t lsn_at;                    /* index into `displaced`: the next that the scan will pass */
    size_t found_count;               /* displaced lines with an entry */
    bool has_natives;                 /* the scan passed entries without a line */
    uint64_t next_line;               /* the next number that may be free */
    uint64_t last_line;               /* the number of the last written line; 0: none */
    bool lacks_newline;               /* the last written bytes do not end in a newline */
    struct xylem_buffer out;
    struct xylem_base__tree tree;
    struct xylem_entry previous; /* the last written entry: the parent of most entries */
};

/* Hands the collected bytes to the caller. */
static int push(struct export *export, struct xylem_error *err)
{
    int answer = export->out.bytes == 0 ? 0 : export->write(export->context, export->out.data, export->out.bytes);
    xylem_base__buffer_clear(&export->out);
    return answer == 0 ? XYLEM_OK : xylem_base__fail(err, XYLEM_E_STOPPED, "the export was stopped by the caller");
}

/* Adds the newline that the last written bytes lack. */
static int end_line(struct export *export, struct xylem_error *err)
{
    if (!export->lacks_newline) {
        return XYLEM_OK;
    }
    export->lacks_newline = false;
    int code = xylem_base__buffer_add_text(&export->out, "\n");
    return code < 0 ? xylem_base__fail_memory(err) : XYLEM_OK;
}

/* Searches the last written line, of an entry or the header, and replaces the matches in the line. */
static int replace_matches(struct export *export, size_t start, struct xylem_view entry_id, struct xylem_error *err)
{
    struct xylem_buffer *out = &export->out;
    struct xylem_error reason;
    if (!export->patterns) {
        return XYLEM_OK;
    }
    struct xylem_view line = {out->data + start, out->bytes - start};
    struct xylem_view replaced;
    int found =
        xylem_jsonl__patterns_line(&replaced, &export->searcher, export->patterns, line, export->redactions, &reason);
    if (found == 0) {
        return XYLEM_OK;
    }
    if (found < 0) {
        return xylem_base__fail(err, found, "the line of %s%.*s cannot be searched: %s",
                                entry_id.bytes > 0 ? "entry " : "the header", XYLEM_BASE__SHOWN(entry_id), reason.text);
    }
    out->bytes = start;
    return xylem_buffer_add(out, replaced.data, replaced.bytes) < 0 ? xylem_base__fail_memory(err) : XYLEM_OK;
}

/*
 * Searches a line that is not an entry, and replaces the matches: 1, or 0 if the export must leave the line out. A line
 * that is not JSON is searched as it stands, and left out if a pattern matches.
 */
static int search_bytes(struct xylem_view *bytes, struct export *export, struct xylem_error *err)
{
    struct xylem_error reason;
    struct xylem_view replaced;
    if (!export->patterns) {
        return 1;
    }
    bool ended = bytes->bytes > 0 && bytes->data[bytes->bytes - 1] == '\n';
    struct xylem_view line = {bytes->data, bytes->bytes - (ended ? 1 : 0)};
    int found =
        xylem_jsonl__patterns_line(&replaced, &export->searcher, export->patterns, line, export->redactions, &reason);
    bool is_json = export->searcher.tree.node_count > 0;
    if (!is_json && (found == XYLEM_E_MALFORMED || found == XYLEM_E_LIMIT)) {
        found = xylem_match__patterns_match_torn(&export->searcher, export->patterns, line, err);
        export->redactions->left_out_count += found > 0;
        return found < 0 ? found : found == 0;
    }
    if (found < 0) {
        return xylem_base__fail(err, found, "%s", reason.text);
    }
    if (found > 0) {
        if (ended && xylem_buffer_add(&export->searcher.line, "\n", 1) < 0) {
            return xylem_base__fail_memory(err);
        }
        *bytes = xylem_base__buffer_view(&export->searcher.line);
    }
    return 1;
}

static int put_bytes(struct export *export, struct xylem_view bytes, uint64_t line, struct xylem_error *err)
{
    int code = end_line(export, err);
    if (code == XYLEM_OK && xylem_buffer_add(&export->out, bytes.data, bytes.bytes) < 0) {
        code = xylem_base__fail_memory(err);
    }
    export->lacks_newline = bytes.bytes == 0 || bytes.data[bytes.bytes - 1] != '\n';
    export->last_line = line;
    return code == XYLEM_OK && export->out.bytes >= PIECE_BYTES ? push(export, err) : code;
}

static int write_entry(struct export *export, const struct xylem_entry *entry, uint64_t line, struct xylem_error *err)
{
    struct xylem_entry parent = export->previous;
    bool is_root = xylem_format__position_none(entry->parent);
    int code = end_line(export, err);
    if (code == XYLEM_OK && !is_root && !xylem_format__position_equal(parent.position, entry->parent)) {
        code = xylem_entry_read(&parent, export->txn, entry->parent, err);
    }
    if (code < 0) {
        return code;
    }
    size_t start = export->out.bytes;
    if ((code = xylem_jsonl__entry_line(&export->out, &export->tree, entry, is_root ? NULL : &parent.id, err)) < 0 ||
        (code = replace_matches(export, start, entry->id, err)) < 0) {
        return code;
    }
    export->previous = *entry;
    export->lacks_newline = true;
    export->last_line = line;
    return export->out.bytes >= PIECE_BYTES ? push(export, err) : XYLEM_OK;
}

/* Goes to the next row of the quarantine with a line of the source. */
static int next_quarantined(struct export *export, struct xylem_error *err)
{
    int code;
    do {
        code = xylem_quarantine_next(&export->quarantined, export->quarantine, err);
    } while (code == 1 && (export->quarantined.line == 0 ||
                           !xylem_base__view_equal(export->quarantined.source, export->source.name)));
    export->has_quarantined = code == 1;
    return code < 0 ? code : XYLEM_OK;
}

static int write_quarantined(struct export *export, struct xylem_error *err)
{
    const struct xylem_quarantined *row = &export->quarantined;
    if (!export->with_quarantine || row->reason == XYLEM_IMPORT_REDACTED) {
        return next_quarantined(export, err); /* the number stays taken, so the lines behind keep their numbers */
    }
    if (row->raw.bytes != row->raw_bytes) {
        return xylem_base__fail(err, XYLEM_E_LIMIT,
                                "line %llu was too long to be kept: %llu bytes; export without quarantine",
                                (unsigned long long)row->line, (unsigned long long)row->raw_bytes);
    }
    struct xylem_view raw = row->raw;
    int code = search_bytes(&raw, export, err);
    if (code < 0 || (code == 1 && (code = put_bytes(export, raw, row->line, err)) < 0)) {
        return code;
    }
    return next_quarantined(export, err);
}

/* Writes the lines with a number of their own, up to the next free number (`all`: all such lines). */
static int write_numbered(struct export *export, bool all, struct xylem_error *err)
{
    for (;;) {
        const struct displaced_line *next = NULL;
        if (export->line_at < export->source.displaced_count) {
            next = &export->displaced[export->by_line[export->line_at]];
        }
        uint64_t quarantined = export->has_quarantined ? export->quarantined.line : UINT64_MAX;
        uint64_t displaced = next ? next->line : UINT64_MAX;
        uint64_t line = quarantined <= displaced ? quarantined : displaced;
        if (line == UINT64_MAX || (line > export->next_line && !all)) {
            return XYLEM_OK;
        }
        int code;
        if (quarantined <= displaced) {
            code = write_quarantined(export, err);
        } else {
            struct xylem_entry entry;
            assert(next);
            export->line_at++;
            code = xylem_entry_read(&entry, export->txn, next->position, err);
            code = code < 0 ? code : write_entry(export, &entry, line, err);
        }
        if (code < 0) {
            return code;
        }
        export->next_line = line >= export->next_line ? line + 1 : export->next_line;
    }
}

/* FIND: finds the positions of displaced lines. LINES: writes entries with a line. NATIVES: writes the others. */
enum pass { FIND, LINES, NATIVES };

/* Scans the entries of the session. */
static int pass_entries(struct export *export, enum pass pass, struct xylem_error *err)
{
    size_t count = export->source.displaced_count;
    struct xylem_scan *scan;
    struct xylem_entry entry;
    int code = xylem_scan_new(&scan, export->txn, export->session, err);
    if (code < 0) {
        return code;
    }
    export->lsn_at = 0;
    while (code == XYLEM_OK && (code = xylem_scan_next(&entry, scan, err)) == 1) {
        while (export->lsn_at < count && export->displaced[export->lsn_at].lsn < entry.lsn) {
            export->lsn_at++; /* entries come by ascending lsn */
        }
        struct displaced_line *noted = export->lsn_at < count ? &export->displaced[export->lsn_at] : NULL;
        noted = noted && noted->lsn == entry.lsn ? noted : NULL;
        bool lineless = noted ? noted->line == XYLEM_STORE__NO_LINE : !(entry.flags & XYLEM_ENTRY_IMPORTED);
        bool native = export->has_source && lineless;
        code = XYLEM_OK;
        /* write_numbered() writes a displaced entry at its number. */
        if (pass == FIND && noted) {
            noted->position = entry.position;
            export->found_count++;
        } else if (pass == NATIVES && native) {
            code = write_entry(export, &entry, 0, err);
        } else if (pass == LINES && native) {
            export->has_natives = true;
        } else if (pass == LINES && !noted && (code = write_numbered(export, false, err)) == XYLEM_OK) {
            code = write_entry(export, &entry, export->next_line++, err);
        }
    }
    xylem_scan_free(scan);
    return code;
}

static int compare_lines(const void *left, const void *right, void *context)
{
    const struct displaced_line *displaced = context;
    uint64_t a = displaced[*(const size_t *)left].line;
    uint64_t b = displaced[*(const size_t *)right].line;
    return a < b ? -1 : a > b;
}

/* Reads the source, if the session has a source: its displaced lines and their entries, and its quarantine. */
static int load_source(struct export *export, struct xylem_error *err)
{
    struct xylem_store__source *source = &export->source;
    int code = xylem_store__source_first(source, export->txn, export->session, err);
    if (code <= 0) {
        memset(source, 0, sizeof *source);
        return code;
    }
    export->has_source = true;
    size_t count = source->displaced_count;
    if (count > 0) {
        export->displaced = calloc(count, sizeof *export->displaced);
        export->by_line = calloc(count, sizeof *export->by_line);
        if (!export->displaced || !export->by_line) {
            return xylem_base__fail_memory(err);
        }
        for (size_t i = 0; i < count; i++) {
            export->displaced[i].line = source->displaced[i].line;
            export->displaced[i].lsn = source->displaced[i].lsn;
            export->by_line[i] = i;
        }
        qsort_r(export->by_line, count, sizeof *export->by_line, compare_lines, export->displaced);
        if ((code = pass_entries(export, FIND, err)) < 0) {
            return code;
        }
    }
    if (export->found_count != count) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT,
                                "session lacks entries of the source %.*s: %zu lines are noted as out of order, %zu "
                                "entries found",
                                XYLEM_BASE__SHOWN(source->name), count, export->found_count);
    }
    code = xylem_quarantine_new(&export->quarantine, export->txn, export->session, err);
    return code < 0 ? code : next_quarantined(export, err);
}

static int write_header(struct export *export, struct xylem_error *err)
{
    struct xylem_session session;
    int code = xylem_session_read(&session, export->txn, export->session, err);
    if (code < 0) {
        return code;
    }
    if (session.state == XYLEM_SESSION_IMPORTING) {
        return xylem_base__fail(err, XYLEM_E_NOT_FOUND, "session %.*s is still being imported",
                                XYLEM_BASE__SHOWN(session.id));
    }
    if (session.state == XYLEM_SESSION_FREED) {
        return xylem_base__fail(err, XYLEM_E_FREED, "session number %llu was deleted and freed",
                                (unsigned long long)session.number);
    }
    export->lacks_newline = true;
    export->last_line = 1;
    code = xylem_jsonl__session_header(&export->out, &session);
    return code < 0 ? xylem_base__fail_memory(err) : replace_matches(export, 0, (struct xylem_view){NULL, 0}, err);
}

/* Rows beside entries have no place in a session file. */
static int check_sides(struct export *export, struct xylem_error *err)
{
    struct xylem_side side;
    uint64_t lsn = 0;
    int found = xylem_store__side_behind(&lsn, &side, export->txn, export->session, err);
    return found <= 0 ? found
                      : xylem_base__fail(err, XYLEM_E_MALFORMED,
                                         "session number %llu has rows beside its entries, and a session file of pi "
                                         "cannot have them",
                                         (unsigned long long)export->session);
}

/* Writes the end of the file: the torn last line, or a newline if the file had a newline there. */
static int write_end(struct export *export, struct xylem_error *err)
{
    const struct xylem_store__source *source = &export->source;
    bool redacted = source->tail.bytes == 0 && source->tail_bytes <= XYLEM_LINE_BYTES_MAX; /* short, but not kept */
    if (export->with_quarantine && source->tail_bytes > 0 && !redacted) {
        if (source->tail.bytes != source->tail_bytes) {
            return xylem_base__fail(err, XYLEM_E_LIMIT,
                                    "the torn last line was too long to be kept: %llu bytes; export without quarantine",
                                    (unsigned long long)source->tail_bytes);
        }
        struct xylem_view tail = source->tail;
        int code = search_bytes(&tail, export, err);
        if (code != 0) {
            return code < 0 || (code = put_bytes(export, tail, 0, err)) < 0 ? code : push(export, err);
        }
    }
    bool unterminated = export->has_source && source->unterminated && export->last_line == source->lines;
    int code = unterminated ? XYLEM_OK : end_line(export, err);
    return code < 0 ? code : push(export, err);
}

int xylem_export(struct xylem_txn *txn, uint64_t session, const struct xylem_export_options *options,
                 int (*write)(void *context, const void *data, size_t bytes), void *context, struct xylem_error *err)
{
    if (!txn || !write) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "an export needs a transaction and a function that writes");
    }
    struct xylem_export_redactions uncounted = {0};
    struct export export = {
        .txn = txn,
        .session = session,
        .with_quarantine = options && options->with_quarantine,
        .patterns = options ? options->patterns : NULL,
        .redactions = options && options->redactions ? options->redactions : &uncounted,
        .write = write,
        .context = context,
        .next_line = 2,
    };
    int code;
    if ((code = write_header(&export, err)) == XYLEM_OK && (code = check_sides(&export, err)) == XYLEM_OK &&
        (code = load_source(&export, err)) == XYLEM_OK &&
        (code = pass_entries(&export, LINES, err)) == XYLEM_OK &&
        (code = write_numbered(&export, true, err)) == XYLEM_OK &&
        (!export.has_natives || (code = pass_entries(&export, NATIVES, err)) == XYLEM_OK)) {
        code = write_end(&export, err);
    }
    xylem_quarantine_free(export.quarantine);
    free(export.displaced);
    free(export.by_line);
    xylem_buffer_release(&export.out);
    xylem_base__tree_release(&export.tree);
    xylem_match__searcher_release(&export.searcher);
    return code;
}
