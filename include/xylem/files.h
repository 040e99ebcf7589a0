/* xylem: session files: import, export, quarantine. The rules of xylem.h hold for every call. */
#ifndef XYLEM_FILES_H
#define XYLEM_FILES_H

#include "entry.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Session files ---------------------------------------------------------------------------------------------- */

struct xylem_import_progress {
    const char *path;
    size_t file_index; /* in the paths of xylem_import_files(); else 0 */
    uint64_t bytes_done;
    uint64_t bytes_total;
};

struct xylem_import_options {
    uint64_t batch_bytes; /* of lines in one commit; 0: 32 MiB */
    /* Called after each batch; anything but 0 stops the import after what is committed, with XYLEM_E_STOPPED. */
    int (*progress)(void *context, const struct xylem_import_progress *progress);
    void *context;
    bool share_nothing; /* store a fork's entries again, also those that its source session has in the store */
};

/*
 * Why a line was not placed as it stands, or what else was remarkable. VANISHED: the store does not remember which file
 * an entry came from, so it is reported only where the file is the session's only one; and only once, by the import that
 * misses a line which the one before had found. REDACTED: the session has the line's id, or one that stands in quotes in
 * a damaged line, as that of a redacted entry; its bytes are neither stored nor put into quarantine, whatever they are.
 */
#define XYLEM_IMPORT_PROBLEM_LIST(X)                                                                               \
    X(XYLEM_IMPORT_NOT_JSON, "not-json", "the line is no JSON object")                                             \
    X(XYLEM_IMPORT_BLANK, "blank", "the line is blank")                                                            \
    X(XYLEM_IMPORT_NUL_PADDING, "nul-padding", "NUL bytes in place of a line")                                     \
    X(XYLEM_IMPORT_NO_ID, "no-id", "the entry has no id, or one that is no string of 1 to 64 bytes")               \
    X(XYLEM_IMPORT_NO_TYPE, "no-type", "the entry has no type, or one that is no string")                          \
    X(XYLEM_IMPORT_LIMIT, "limit", "the line exceeds a limit")                                                     \
    X(XYLEM_IMPORT_DUPLICATE, "duplicate", "another line has the same id, and counts")                             \
    X(XYLEM_IMPORT_CONFLICT, "conflict", "the session has an entry of this id with other bytes or another parent") \
    X(XYLEM_IMPORT_HEADER, "header", "a second header, or one that differs from the session's")                    \
    X(XYLEM_IMPORT_ORPHAN, "orphan", "no line has the id of its parent: placed as a root")                         \
    X(XYLEM_IMPORT_CYCLE, "cycle", "its parents lead back to it: placed as a root")                                \
    X(XYLEM_IMPORT_TORN, "torn", "the last line has no end and is no entry: not consumed")                         \
    X(XYLEM_IMPORT_VANISHED, "vanished", "the entry was imported earlier, and the file has it no more: kept")      \
    X(XYLEM_IMPORT_REDACTED, "redacted", "the entry was redacted in the store: the line was not stored")           \
    X(XYLEM_IMPORT_DAMAGED, "damaged", "bytes of an entry that could not be saved by a repair")

#define XYLEM_IMPORT_PROBLEM_ENUM_ROW(name, word, text) name,
enum xylem_import_problem_type { XYLEM_IMPORT_PROBLEM_LIST(XYLEM_IMPORT_PROBLEM_ENUM_ROW) XYLEM_IMPORT_PROBLEM_COUNT };
#undef XYLEM_IMPORT_PROBLEM_ENUM_ROW

/* The word and the text of a problem type. Static. */
XYLEM_API const char *xylem_import_problem_word(enum xylem_import_problem_type type);
XYLEM_API const char *xylem_import_problem_text(enum xylem_import_problem_type type);

/*
 * One problem. Every one is reported, however many there are: a problem takes 40 bytes and those of its entry's id, and
 * the list may have room for half as many again.
 */
struct xylem_import_problem {
    enum xylem_import_problem_type type;
    bool quarantined;
    uint64_t line;              /* 1 is the header; 0: no line (vanished) */
    uint64_t offset;            /* of the line's first byte in the file */
    struct xylem_view entry_id; /* as the file has it: escape it to show it; data NULL where there is none */
};

enum xylem_import_outcome {
    XYLEM_IMPORT_NEW = 0,        /* the session is new */
    XYLEM_IMPORT_GREW,           /* the file begins as it was imported last, and has more */
    XYLEM_IMPORT_CHANGED,        /* the session was known from another file or version: each line was matched */
    XYLEM_IMPORT_UNCHANGED,      /* nothing was written */
    XYLEM_IMPORT_SKIPPED_DELETED /* the session is marked deleted: nothing was done */
};

/*
 * What became of the source, the session that a new session was forked from. It is the one whose id stands in the last
 * part of the header's `parentSession` after the last `_` (without `.jsonl`), as pi names its files; else the one whose
 * id is the whole of `parentSession`, as xylem_fork() names it; else the one in the header of the file at that path (a
 * relative one starts at the directory of the file that is imported), if it can be read.
 */
#define XYLEM_IMPORT_SOURCE_LIST(X)                                                                            \
    X(XYLEM_IMPORT_SOURCE_NONE, "none", "the header names no source, or the session was there already")        \
    X(XYLEM_IMPORT_SOURCE_SHARED, "shared", "entries are shared with the source")                              \
    X(XYLEM_IMPORT_SOURCE_DIFFERS, "differs", "the file does not begin with entries of the source")            \
    X(XYLEM_IMPORT_SOURCE_MISSING, "missing", "the source is not in the store, or its import is not finished") \
    X(XYLEM_IMPORT_SOURCE_DELETED, "deleted", "the source is deleted")                                         \
    X(XYLEM_IMPORT_SOURCE_UNUSED, "unused", "sharing was not wanted")

#define XYLEM_IMPORT_SOURCE_ENUM_ROW(name, word, text) name,
enum xylem_import_source { XYLEM_IMPORT_SOURCE_LIST(XYLEM_IMPORT_SOURCE_ENUM_ROW) XYLEM_IMPORT_SOURCE_COUNT };
#undef XYLEM_IMPORT_SOURCE_ENUM_ROW

/* The word and the text of what became of a source. Static. */
XYLEM_API const char *xylem_import_source_word(enum xylem_import_source source);
XYLEM_API const char *xylem_import_source_text(enum xylem_import_source source);

/* What an import did. Owns its bytes. */
struct xylem_import_report {
    char session_id[XYLEM_SESSION_ID_BYTES_MAX + 1u];
    uint64_t session;
    enum xylem_import_outcome outcome;
    enum xylem_import_source source;                 /* of a session that this import made */
    char source_id[XYLEM_SESSION_ID_BYTES_MAX + 1u]; /* the id that was looked for; empty: there was none to look for */
    int version;                                     /* of the file: 1, 2 or 3 */
    uint64_t line_count;                             /* lines of the file, the header included */
    uint64_t file_bytes;
    uint64_t added_count;   /* entries appended by this import */
    uint64_t shared_count;  /* lines whose entries the new session shares with its source: none was added for them */
    uint64_t shared_bytes;  /* of the records of these entries: what the log would have taken for them again */
    uint64_t matched_count; /* lines whose entries the session had already */
    uint64_t quarantined_count; /* lines put into quarantine by this import */
    uint64_t kept_line_count;   /* entries whose line is kept beside their payload */
    uint64_t unconsumed_bytes;  /* of a torn last line */
    bool leaf_stayed;           /* the leaf had been moved since the last import, so it was left where it is */
    struct xylem_import_problem *problems; /* by line; those without a line come last */
    size_t problem_count;
    void *storage;
};

/*
 * Imports a session file of pi (formats 1, 2 and 3), or what it has more than at the last import. Uses write
 * transactions of its own: the calling thread must not have one open. Commits in batches; what is committed stays, and
 * the next import goes on from there. A problem with a line is no error: look at `report->problems`.
 * A new session shares with its source the path that the file begins with: a line is shared if its parent is the line
 * before it, which is shared (the first: if it is a root in both), and if its bytes are those of the source's entry; the
 * first line that is not ends it. The source must be in the store already: xylem_import_order() brings files into an
 * order for that.
 * Several imports of one session may run at the same time, in this process or in others: an import that was overtaken
 * looks again for the rest, and its report covers all its attempts.
 * Release `report` in any case. Errors: IO (the file cannot be read), MALFORMED (no session header), BUSY, STOPPED,
 * CONFLICT (another import got ahead 64 times, or the session has another owner), and as append.
 */
XYLEM_API int xylem_import(struct xylem_import_report *report, struct xylem_store *store, const char *path,
                           const struct xylem_import_options *options, struct xylem_error *err);
XYLEM_API void xylem_import_report_release(struct xylem_import_report *report);

/* The result of one file of xylem_import_files(). Everything in it lives until the callback returns. */
struct xylem_imported {
    size_t index; /* in the paths */
    const char *path;
    int code;                                 /* the code that xylem_import() gives for the file */
    const struct xylem_import_report *report; /* after a failure: of the part that was committed */
    const struct xylem_error *err;            /* of a negative code */
};

/*
 * Imports session files in the order of `paths`, each like xylem_import(). Consecutive small files share a transaction,
 * at most 256 files of at most 4 MiB together (of `batch_bytes`, if that is less), and so one sync. A file that fails
 * takes nothing from other files.
 * `imported` is called for each file, in order, after the commit with the file's entries. With durability FULL such a file
 * survives a power loss. A crash leaves whole small files; the next import goes on behind them. `imported` may use the
 * store. A result other than 0 stops the import: the other files of the same commit are still reported, later files are
 * not begun.
 * `options->progress` is also called before each file, with `bytes_done` 0, and stops the import in the same way. The
 * calling thread may have a write transaction open at that time, so `progress` must not use the store. Both callbacks get
 * `options->context`, in the calling thread, which must have no write transaction open at the call.
 * Errors: ARGUMENT, MEMORY, and STOPPED by a callback. The error of a file goes to `imported`.
 */
XYLEM_API int xylem_import_files(struct xylem_store *store, const char *const *paths, size_t path_count,
                                 const struct xylem_import_options *options,
                                 int (*imported)(void *context, const struct xylem_imported *file),
                                 struct xylem_error *err);

/*
 * Finds an order in which session files are best imported: all files of a session's source come before the files of the
 * session, else they come as they are given; of sources that lead back to themselves, those of the file that is given
 * first come first. Of several files of a session the first that names a source counts. `order` has room for `path_count`
 * indexes of `paths`. A file whose header cannot be read stays where it is. Reads the header of every file. Errors:
 * MEMORY.
 */
XYLEM_API int xylem_import_order(size_t *order, const char *const *paths, size_t path_count, struct xylem_error *err);

/*
 * Appends the entry as a line of a session file (format 3), without a newline. A redacted entry has its place, its kind,
 * and a member `redacted` with the reason: in `data`, if it is a custom one. Errors: CORRUPT, MEMORY.
 */
XYLEM_API int xylem_entry_json(struct xylem_buffer *buffer, struct xylem_txn *txn, const struct xylem_entry *entry,
                               struct xylem_error *err);

/* Patterns for texts that must not be in an export, or in a store. */
struct xylem_patterns;

/*
 * Reads patterns: one POSIX extended regular expression a line; blank lines and lines that begin with `#` are left out,
 * and so is a carriage return at the end of a line. They are matched on bytes, whatever the locale. Refused are back
 * references and repetitions that nest deeper than 4, which can take any time, and patterns that match the empty text.
 * The patterns outlive `text`, and may be used by several threads at once. While they are compiled the thread's own
 * locale, not the process's, is "C".
 * Errors, each with the number of the line: MALFORMED (with what regcomp() says), LIMIT; or MALFORMED (there is no
 * pattern at all, which would be an export as it is), MEMORY.
 */
XYLEM_API int xylem_patterns_new(struct xylem_patterns **patterns, struct xylem_view text, struct xylem_error *err);
XYLEM_API void xylem_patterns_free(struct xylem_patterns *patterns);

/* What patterns did to an export: counted on. */
struct xylem_export_redactions {
    uint64_t string_count;   /* strings in which something was replaced; keys of objects are strings too */
    uint64_t line_count;     /* lines that have such strings */
    uint64_t kept_count;     /* strings that say what a line is and where it stands, and match: left as they are */
    uint64_t left_out_count; /* lines that are no JSON, and match: left out */
};

struct xylem_export_options {
    /*
     * Also what an import could not place, at its place, and what it did not consume: a torn last line, which stays last,
     * behind the entries that were in no file, as behind it nothing could complete it any more.
     */
    bool with_quarantine;
    /*
     * NULL, or patterns: each match in a string is replaced by `[redacted]`, keys of objects included, but not in the
     * members `type`, `id`, `parentId` and `timestamp` of a line itself. Strings are searched as they are once their
     * escapes are decoded; numbers are not searched. A string of more than XYLEM_PATTERN_STRING_MAX bytes is searched
     * line by line: a line of it that is longer is replaced as a whole if it has a match, and so is the string if one
     * goes beyond a line, or `^` or `$` would match at a line's ends. Lines of the file without a match come out as
     * without patterns. A quarantined line or a torn one that is no JSON is searched as it stands, and left out if it
     * matches.
     */
    const struct xylem_patterns *patterns;
    struct xylem_export_redactions *redactions; /* NULL, or where to count */
};

/*
 * Writes the session as a session file of pi (format 3): imported entries in the order of their lines, then the others.
 * `write` gets the bytes in pieces; anything but 0 from it ends the export with XYLEM_E_STOPPED.
 * Errors: NOT_FOUND, CORRUPT, MEMORY, STOPPED, LIMIT (with_quarantine, and a line was too long to be kept;
 * or patterns, and an entry's line that exceeds a limit of JSON texts, so that it cannot be searched).
 */
XYLEM_API int xylem_export(struct xylem_txn *txn, uint64_t session, const struct xylem_export_options *options,
                           int (*write)(void *context, const void *data, size_t bytes), void *context,
                           struct xylem_error *err);

/* What an import could not place. */
struct xylem_quarantined {
    uint64_t line; /* 0: it was a line of an earlier version of the file */
    uint64_t offset;
    uint64_t hash; /* XXH3-64 of the bytes; of redacted ones: of where they stood */
    enum xylem_import_problem_type reason;
    struct xylem_view source; /* the file */
    struct xylem_view raw;    /* the bytes, the newline included; empty where they were too long, or were redacted */
    uint64_t raw_bytes;       /* how many bytes there were */
};

/* Iterates over the session's quarantine in the order of lines. */
struct xylem_quarantine;
XYLEM_API int xylem_quarantine_new(struct xylem_quarantine **quarantine, struct xylem_txn *txn, uint64_t session,
                                   struct xylem_error *err);
XYLEM_API int xylem_quarantine_next(struct xylem_quarantined *row, struct xylem_quarantine *quarantine,
                                    struct xylem_error *err);
XYLEM_API void xylem_quarantine_free(struct xylem_quarantine *quarantine);

#ifdef __cplusplus
}
#endif

#endif
