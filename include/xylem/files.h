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
    /* The most bytes of lines in one commit; 0: as many as fit into 250 ms, so that no other writer waits for longer. */
    uint64_t batch_bytes;
    /* Called after each batch; anything but 0 stops the import after the committed batches, with XYLEM_E_STOPPED. */
    int (*progress)(void *context, const struct xylem_import_progress *progress);
    void *context;
    bool share_nothing; /* store all entries of a fork again, even with the source session in the store */
    bool whole;         /* read the whole file, also if the file seems to be the known file with more lines */
};

/*
 * The reason why a line was not placed, or another remark. VANISHED: the store does not remember the file of an entry,
 * so the import reports vanished entries of a session with a single file alone, and only once. REDACTED: a redacted
 * entry of the session has the id of the line, or an id in quotes in a damaged line; the bytes are neither stored nor
 * put into quarantine.
 */
#define XYLEM_IMPORT_PROBLEM_LIST(X)                                                                               \
    X(XYLEM_IMPORT_NOT_JSON, "not-json", "the line is not a JSON object")                                          \
    X(XYLEM_IMPORT_BLANK, "blank", "the line is blank")                                                            \
    X(XYLEM_IMPORT_NUL_PADDING, "nul-padding", "NUL bytes in place of a line")                                     \
    X(XYLEM_IMPORT_NO_ID, "no-id", "the id is missing, or is not a string of 1 to 64 bytes")                       \
    X(XYLEM_IMPORT_NO_TYPE, "no-type", "the type is missing, or is not a string")                                  \
    X(XYLEM_IMPORT_LIMIT, "limit", "the line exceeds a limit")                                                     \
    X(XYLEM_IMPORT_DUPLICATE, "duplicate", "another line has the same id, and is used instead")                    \
    X(XYLEM_IMPORT_CONFLICT, "conflict", "the session has an entry of this id with other bytes or another parent") \
    X(XYLEM_IMPORT_HEADER, "header", "a second header, or a header that differs from the session's header")        \
    X(XYLEM_IMPORT_ORPHAN, "orphan", "no line has the id of the entry's parent: placed as a root")                 \
    X(XYLEM_IMPORT_CYCLE, "cycle", "the entry's parents lead back to the entry: placed as a root")                 \
    X(XYLEM_IMPORT_TORN, "torn", "the last line has no newline and is not an entry: not consumed")                 \
    X(XYLEM_IMPORT_VANISHED, "vanished", "the entry was imported earlier, and is missing from the file now: kept") \
    X(XYLEM_IMPORT_REDACTED, "redacted", "the entry was redacted in the store: the line was not stored")           \
    X(XYLEM_IMPORT_DAMAGED, "damaged", "bytes of an entry that a repair could not save")

#define XYLEM_IMPORT_PROBLEM_ENUM_ROW(name, word, text) name,
enum xylem_import_problem_type { XYLEM_IMPORT_PROBLEM_LIST(XYLEM_IMPORT_PROBLEM_ENUM_ROW) XYLEM_IMPORT_PROBLEM_COUNT };
#undef XYLEM_IMPORT_PROBLEM_ENUM_ROW

/* The word and the text of a problem type. Static. */
XYLEM_API const char *xylem_import_problem_word(enum xylem_import_problem_type type);
XYLEM_API const char *xylem_import_problem_text(enum xylem_import_problem_type type);

/*
 * A problem. Every problem is reported, in any number: a problem takes 40 bytes and the bytes of the entry id, and the
 * list may have room for half as many problems again.
 */
struct xylem_import_problem {
    enum xylem_import_problem_type type;
    bool quarantined;
    uint64_t line;              /* 1 is the header; 0: no line (vanished) */
    uint64_t offset;            /* of the line's first byte in the file */
    struct xylem_view entry_id; /* the bytes of the file: escape them to show them; data NULL: none */
};

enum xylem_import_outcome {
    XYLEM_IMPORT_NEW = 0,         /* "new": the session is new */
    XYLEM_IMPORT_GREW,            /* "grew": the file has the lines of the last import, and more */
    XYLEM_IMPORT_CHANGED,         /* "changed": another file or version of a known session: each line was matched */
    XYLEM_IMPORT_UNCHANGED,       /* "unchanged": nothing was written */
    XYLEM_IMPORT_SKIPPED_DELETED, /* "skipped": the session is marked deleted: nothing was done */
    XYLEM_IMPORT_FAILED           /* "failed": the import ended with an error */
};

/* The word of an outcome. Static. */
XYLEM_API const char *xylem_import_outcome_word(enum xylem_import_outcome outcome);

/*
 * The result for the source, the session before the fork. The header's `parentSession` names the source, in this order:
 * - the id is the part after the last `_` of the last component, without `.jsonl`: the file names of pi
 * - the id is the whole `parentSession`: the parents of xylem_fork()
 * - the id is in the header of the file at the path `parentSession`, relative to the directory of the imported file
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

/* The word and the text of a result for a source. Static. */
XYLEM_API const char *xylem_import_source_word(enum xylem_import_source source);
XYLEM_API const char *xylem_import_source_text(enum xylem_import_source source);

/* The result of an import. The struct owns its bytes. */
struct xylem_import_report {
    char session_id[XYLEM_SESSION_ID_BYTES_MAX + 1u];
    uint64_t session;
    enum xylem_import_outcome outcome;
    enum xylem_import_source source;                 /* of a new session */
    char source_id[XYLEM_SESSION_ID_BYTES_MAX + 1u]; /* the id of the source; empty: none */
    int version;                                     /* of the file: 1, 2 or 3 */
    uint64_t line_count;                             /* lines of the file, the header included */
    uint64_t file_bytes;
    uint64_t added_count;       /* entries appended by this import */
    uint64_t shared_count;      /* lines with shared entries of the source: no entry was added */
    uint64_t shared_bytes;      /* of the records of the shared entries: the saved room */
    uint64_t matched_count;     /* lines with known entries of the session */
    uint64_t quarantined_count; /* lines put into quarantine by this import */
    uint64_t kept_line_count;   /* entries with a kept line beside the payload */
    uint64_t unconsumed_bytes;  /* of a torn last line */
    bool leaf_stayed;           /* the leaf moved since the last import, so the import did not move the leaf */
    struct xylem_import_problem *problems; /* by line; problems without a line come last */
    size_t problem_count;
    void *storage;
};

/*
 * Imports a session file of pi (formats 1, 2 and 3), or the growth of the file since the last import. A file of format 3
 * that was imported to its end is known by device, inode, size and times, by the bytes of its last block (1 to 16 KiB)
 * and by its last line; then only these bytes and the new lines are read. So the import does not find
 * - a change of earlier bytes in a file that also grew
 * - a change of earlier bytes that left size and times as they were: within one tick of the clock of the file system
 *
 * `whole` reads the whole file, and finds every change. A file of the known size with other times, a file with a new
 * line that has the id of an entry before, and a file of formats 1 and 2 are read whole in any case.
 *
 * The call uses write transactions of its own: the calling thread must have none open. The import commits in batches;
 * committed batches stay, and the next import goes on. A problem with a line is no error: look at `report->problems`.
 *
 * A new session shares the first path of the file with its source. A line is shared if its parent is the line before,
 * also shared (the first entry: a root in both sessions), and if its bytes equal the entry of the source. The first
 * different line ends the sharing. The source must be in the store: xylem_import_order() finds an order for several
 * files.
 *
 * Several imports of a session may run at once, in any process: an overtaken import looks for the rest again, and the
 * report covers all attempts. docs/embedding.md has a recipe. Release `report` in any case.
 *
 * Errors:
 * - IO: the file cannot be read
 * - MALFORMED: the file has no session header
 * - CONFLICT: another import got ahead 64 times, or another handle owns the session
 * - BUSY: the thread has a write transaction open, or another writer, after `wait_ms`
 * - STOPPED: `progress`, or the `waiting` of the handle
 * - DELETED: the session was deleted during the import
 * - READ_ONLY, MAP_FULL, NO_SPACE, CORRUPT, LIMIT, MEMORY
 */
XYLEM_API int xylem_import(struct xylem_import_report *report, struct xylem_store *store, const char *path,
                           const struct xylem_import_options *options, struct xylem_error *err);
XYLEM_API void xylem_import_report_release(struct xylem_import_report *report);

/*
 * Appends the report as members of a JSON object, with commas between, without braces: the members of a file of
 * `xylem import --json`, from `session` to `problems` (docs/commands.md). After an error the buffer is unchanged.
 *
 * Errors:
 * - MEMORY
 */
XYLEM_API int xylem_import_report_json(struct xylem_buffer *buffer, const struct xylem_import_report *report);

/* Lines of a session that a host holds in memory. Borrowed for the call, and no views of the call's transaction. */
struct xylem_held_lines {
    struct xylem_view header;       /* the first line of the session file, without newline: format 3 */
    const struct xylem_view *lines; /* an entry each, without newline */
    size_t line_count;
    uint64_t first_line;              /* the number of lines[0] in the session file; 0: 2, the line behind the header */
    const struct xylem_view *leaf_id; /* the host's leaf; NULL: the entry of the last line; an empty view: none */
    struct xylem_view leaf_reason;    /* of the navigation, if the leaf must be moved; empty: "host" */
    struct xylem_view source_name;    /* for quarantine: where the lines come from; empty: "memory" */
};

/*
 * Imports lines of a session in the caller's write transaction, in the way of xylem_import(): the same places, ids,
 * problems and quarantine, and the same sharing of a new session with its source. `source_id` comes from the text of
 * `parentSession` alone: no file is read. Of the options only `share_nothing` counts. The time grows with the given
 * lines, not with the session.
 *
 * A line of a known entry with equal bytes is matched, so a host may hand over a line again. The parent of a line is
 * the entry of another given line, or an entry of the session; without such a parent the line becomes a root, reported
 * as an orphan. So hand lines over in their order, or all lines at once. Of several given lines with one id the last
 * counts; a later call with other bytes of the id is a conflict. A header that differs from the session's header is a
 * problem (HEADER) and goes to quarantine; the lines are imported.
 *
 * The leaf moves to each new entry, as with xylem_append(). If the leaf then differs from `leaf_id`, the leaf is moved
 * by a navigation with `leaf_reason`.
 *
 * A later xylem_import() of the session file finds the lines: nothing is added, and without hostile lines no problem is
 * reported. Afterwards an export equals the file. The store does not know the file before: see
 * xylem_session_file_note().
 *
 * In the report, `outcome` is NEW, GREW or UNCHANGED (nothing was written); `line_count` counts the given lines and the
 * header; `file_bytes` and the offsets of problems are those of a file of the header and the given lines alone.
 *
 * After ARGUMENT, MALFORMED, LIMIT, NOT_FOUND, DELETED and CONFLICT the transaction is unchanged and can go on. After
 * any other error the transaction can only be aborted. Release `report` in any case.
 *
 * Errors:
 * - ARGUMENT: a part of `held` is missing, a view has a length but no bytes, `first_line` is 1 or too large for the
 *   numbers of the lines, or the source name has a NUL byte
 * - MALFORMED: no session header, or no valid session id in the header; a header of format 1 or 2; a newline inside of
 *   a line
 * - NOT_FOUND: the import of the session is not finished; or the leaf is no entry of the session
 * - DELETED: the session is deleted
 * - CONFLICT: another handle owns the session, or the lease of the handle was broken
 * - LIMIT: the reason has more than XYLEM_REASON_BYTES_MAX bytes
 * - READ_ONLY, MAP_FULL, NO_SPACE, IO, CORRUPT, MEMORY
 */
XYLEM_API int xylem_import_lines(struct xylem_import_report *report, struct xylem_txn *txn,
                                 const struct xylem_held_lines *held, const struct xylem_import_options *options,
                                 struct xylem_error *err);

/*
 * Notes that the host keeps the session in this file. The note is for a session that xylem_import_lines() mirrors: the
 * store then knows the file, and can tell that the file was deleted. An import of the file does not need a note, and a
 * note changes no import and no export. 1 if the note was written; 0 if the store knew the file, and nothing was
 * written.
 *
 * The file must exist: a session whose only file was never written would look like a session whose file was deleted. So
 * call after the host wrote the file.
 *
 * After ARGUMENT, NOT_FOUND, DELETED, CONFLICT, and IO for the file, the transaction is unchanged and can go on.
 *
 * Errors:
 * - ARGUMENT: no path
 * - IO: the file cannot be opened, or is no regular file
 * - NOT_FOUND, DELETED, FREED: of the session
 * - CONFLICT: another handle owns the session, or the lease of the handle was broken
 * - READ_ONLY, MAP_FULL, NO_SPACE, CORRUPT, MEMORY
 */
XYLEM_API int xylem_session_file_note(struct xylem_txn *txn, uint64_t session, const char *path,
                                      struct xylem_error *err);

/* A session file that was imported or noted. */
struct xylem_session_file {
    struct xylem_view path; /* absolute, links resolved */
    uint64_t bytes;         /* imported, from the beginning of the file; 0: the file is only noted */
};

/*
 * Iterates over the known files of the session, ordered by their paths (beyond 400 bytes: by a hash of the path). The
 * files may be gone. Of a session that came from another store (xylem_segment_apply()), the files there are left out.
 *
 * Errors:
 * - NOT_FOUND: of the session
 * - CORRUPT, IO, MEMORY
 */
struct xylem_session_files;
XYLEM_API int xylem_session_files_new(struct xylem_session_files **files, struct xylem_txn *txn, uint64_t session,
                                      struct xylem_error *err);
XYLEM_API int xylem_session_files_next(struct xylem_session_file *file, struct xylem_session_files *files,
                                       struct xylem_error *err);
XYLEM_API void xylem_session_files_free(struct xylem_session_files *files);

/* The result for a file of xylem_import_files(). All of the result lives until the callback returns. */
struct xylem_imported {
    size_t index; /* in the paths */
    const char *path;
    int code;                                 /* the result of xylem_import() for the file */
    const struct xylem_import_report *report; /* after a failure: of the committed part */
    const struct xylem_error *err;            /* of a negative code */
};

/*
 * Imports session files in the order of `paths`, each like xylem_import(). Consecutive small files share a transaction
 * and a sync: at most 256 files, at most 4 MiB together (or `batch_bytes`, if less), no longer than 250 ms. A failing
 * file takes nothing from other files.
 *
 * `imported` is called for each file, in order, after the commit with the entries of the file. With durability FULL the
 * file then survives a power loss. A crash leaves whole small files; the next import goes on. `imported` may use the
 * store. A result other than 0 stops the import: the other files of the same commit are still reported, later files are
 * not begun.
 *
 * `options->progress` is also called before each file, with `bytes_done` 0, and stops the import in the same way. The
 * calling thread may have a write transaction open at that time, so `progress` must not use the store. Both callbacks
 * get `options->context`, in the calling thread, which must have no write transaction open at the call.
 *
 * Errors:
 * - STOPPED: a callback answered anything but 0
 * - ARGUMENT, MEMORY
 *
 * The error of a file goes to `imported`.
 */
XYLEM_API int xylem_import_files(struct xylem_store *store, const char *const *paths, size_t path_count,
                                 const struct xylem_import_options *options,
                                 int (*imported)(void *context, const struct xylem_imported *file),
                                 struct xylem_error *err);

/*
 * Finds a good order for the import of session files: the files of a source come before the files of its forks; other
 * files keep their order. In a circle of sources, the files of the first given file come first. Of several files of a
 * session, the first file with a source counts. `order` has room for `path_count` indexes of `paths`. The call reads
 * the header of every file; a file with an unreadable header keeps its place.
 *
 * Errors:
 * - ARGUMENT: no paths, or no room
 * - MEMORY
 */
XYLEM_API int xylem_import_order(size_t *order, const char *const *paths, size_t path_count, struct xylem_error *err);

/*
 * Appends the entry as a line of a session file (format 3), without a newline. A redacted entry keeps its place and its
 * kind, and has a member `redacted` with the reason: of a custom entry, in `data`.
 *
 * Errors:
 * - CORRUPT, IO, MEMORY
 */
XYLEM_API int xylem_entry_json(struct xylem_buffer *buffer, struct xylem_txn *txn, const struct xylem_entry *entry,
                               struct xylem_error *err);

/* Patterns for texts that must not be in an export, or in a store. */
struct xylem_patterns;

/*
 * Reads patterns: a regular expression of PCRE2 a line. Blank lines and lines that begin with `#` are left out, and so
 * is a carriage return at the end of a line. Patterns match bytes, in every locale; `.` is any byte, `^` and `$` match at
 * the ends of lines, and of alternatives the first that matches counts. Refused are patterns that match the empty text,
 * back references, and parts that would leave a secret by surprise, such as parts with another meaning in POSIX
 * expressions: docs/commands.md ("export") has the list. The patterns outlive `text`; several threads may use the
 * patterns at once. The errors name the number of the line.
 *
 * Errors:
 * - MALFORMED: a refused pattern, with the text of PCRE2; or no pattern at all, which would export everything
 * - LIMIT: XYLEM_PATTERNS_MAX, XYLEM_PATTERN_BYTES_MAX or XYLEM_PATTERN_NESTING_MAX, or too large when compiled
 * - MEMORY
 */
XYLEM_API int xylem_patterns_new(struct xylem_patterns **patterns, struct xylem_view text, struct xylem_error *err);
XYLEM_API void xylem_patterns_free(struct xylem_patterns *patterns);

#define XYLEM_SECRETS_MAX 64u /* kinds of secrets, at most */

/* A built-in pattern: a kind of secrets with a documented form. All strings are static. */
struct xylem_secret {
    const char *kind;       /* such as `github-token` */
    const char *starts;     /* the literals with which a match starts, with spaces between */
    const char *expression; /* of PCRE2 */
    const char *source;     /* the address of the document with the form */
};

/* The built-in pattern of a number from 0 on; NULL behind the last. A later version may have more and other patterns. */
XYLEM_API const struct xylem_secret *xylem_secret_row(size_t number);

/*
 * Makes patterns of the built-in patterns of secrets, and of the patterns in `text`, which may be empty. A match of a
 * built-in pattern is replaced by `[redacted: KIND]`. What they do not find: docs/threat-model.md ("The reader of what
 * is handed on").
 *
 * Errors:
 * - MALFORMED: a refused pattern
 * - LIMIT, MEMORY: as of xylem_patterns_new()
 */
XYLEM_API int xylem_patterns_new_secrets(struct xylem_patterns **patterns, struct xylem_view text,
                                         struct xylem_error *err);

/*
 * 1 if a pattern matches somewhere in the bytes, for example of a file, else 0.
 *
 * Errors:
 * - LIMIT: a pattern exceeds a limit of searches; the text names the pattern's line
 * - MEMORY
 */
XYLEM_API int xylem_patterns_match(const struct xylem_patterns *patterns, struct xylem_view bytes,
                                   struct xylem_error *err);

/*
 * Appends a text, or a JSON text, with all matches replaced as in an export: of JSON in all strings, values and names of
 * members, and the text stays JSON. Gives the number of strings with replacements. After an error `buffer` is unchanged.
 *
 * Errors:
 * - MALFORMED: not JSON
 * - LIMIT: of JSON texts, or of searches; the text names the pattern's line
 * - MEMORY
 */
XYLEM_API int xylem_patterns_redact_text(struct xylem_buffer *buffer, const struct xylem_patterns *patterns,
                                         struct xylem_view text, struct xylem_error *err);
XYLEM_API int xylem_patterns_redact_json(struct xylem_buffer *buffer, const struct xylem_patterns *patterns,
                                         struct xylem_view json, struct xylem_error *err);

/* The matches of an export, added to the former counts. */
struct xylem_export_redactions {
    uint64_t string_count;   /* strings with replacements; keys of objects are strings too */
    uint64_t line_count;     /* lines with replacements */
    uint64_t kept_count;     /* matching strings about the type and the place of a line: left as they are */
    uint64_t left_out_count; /* matching lines that are no JSON: left out */
};

struct xylem_export_options {
    /*
     * Include quarantined lines at their places, and an unconsumed torn last line. The torn line comes last, behind
     * entries without a file, since nothing could complete a torn line in the middle.
     */
    bool with_quarantine;
    /*
     * NULL, or patterns: `[redacted]`, or `[redacted: KIND]`, replaces each match in a string, even in keys of objects,
     * but not in the members `type`, `id`, `parentId` and `timestamp` of a line. Strings are searched with decoded
     * escapes; numbers are not searched. Lines without a match are unchanged. A quarantined or torn line that is no JSON
     * is searched as text, as found and with decoded escapes, and left out after a match.
     */
    const struct xylem_patterns *patterns;
    struct xylem_export_redactions *redactions; /* NULL, or counters */
};

/*
 * Writes the session as a session file of pi (format 3): imported entries in the order of their lines, then other
 * entries. `write` gets the bytes in pieces.
 *
 * Errors:
 * - NOT_FOUND: of the session, or the session is importing
 * - MALFORMED: the session has lines of another host, or rows beside entries
 * - STOPPED: `write` answered anything but 0
 * - LIMIT: with `with_quarantine`, a line was too long to be kept; with `patterns`, the line of an entry exceeds a
 *   limit of JSON texts and cannot be searched, or a pattern exceeds a limit of searches
 * - CORRUPT, IO, MEMORY
 */
XYLEM_API int xylem_export(struct xylem_txn *txn, uint64_t session, const struct xylem_export_options *options,
                           int (*write)(void *context, const void *data, size_t bytes), void *context,
                           struct xylem_error *err);

/* A line without a place. */
struct xylem_quarantined {
    uint64_t line; /* 0: a line of an earlier version of the file */
    uint64_t offset;
    uint64_t hash; /* XXH3-64 of the bytes; for redacted bytes: of their place */
    enum xylem_import_problem_type reason;
    struct xylem_view source; /* the file */
    struct xylem_view raw;    /* the bytes with the newline; empty: too long, or redacted */
    uint64_t raw_bytes;       /* the number of the original bytes */
};

/*
 * Iterates over the quarantine of the session in the order of lines.
 *
 * Errors:
 * - NOT_FOUND: of the session
 * - CORRUPT, IO, MEMORY
 */
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
