/* xylem: searching the sessions of a store. The rules of xylem.h hold for every call. */
#ifndef XYLEM_SEARCH_H
#define XYLEM_SEARCH_H

#include "entry.h"
#include "inspect.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Search ------------------------------------------------------------------------------------------------------- */

struct xylem_patterns;

enum xylem_search_syntax {
    XYLEM_SEARCH_SMART = 0, /* a literal; without a capital letter in the pattern, the case of letters is ignored */
    XYLEM_SEARCH_EXACT,     /* a literal */
    XYLEM_SEARCH_REGEX      /* a regular expression of PCRE2 */
};

/* The searched parts of an entry. */
#define XYLEM_SEARCH_PART_LIST(X)                                      \
    X(XYLEM_SEARCH_TEXT, "text", "the text of a message")              \
    X(XYLEM_SEARCH_THINKING, "thinking", "the thinking of a model")    \
    X(XYLEM_SEARCH_CALL, "call", "the name or the input of a tool")    \
    X(XYLEM_SEARCH_RESULT, "result", "the result of a tool")           \
    X(XYLEM_SEARCH_FAILURE, "failure", "the text of an error")         \
    X(XYLEM_SEARCH_SUMMARY, "summary", "a summary")                    \
    X(XYLEM_SEARCH_LABEL, "label", "the label of an entry")            \
    X(XYLEM_SEARCH_NAME, "name", "the name of a session")              \
    X(XYLEM_SEARCH_DATA, "data", "the data of an extension or a host") \
    X(XYLEM_SEARCH_QUARANTINE, "quarantine", "a line in quarantine")

#define XYLEM_SEARCH_PART_ENUM_ROW(name, word, text) name,
enum xylem_search_part { XYLEM_SEARCH_PART_LIST(XYLEM_SEARCH_PART_ENUM_ROW) XYLEM_SEARCH_PART_COUNT };
#undef XYLEM_SEARCH_PART_ENUM_ROW

/* The word and the text of a part; "unknown" for any other number. Static. */
XYLEM_API const char *xylem_search_part_word(enum xylem_search_part part);
XYLEM_API const char *xylem_search_part_text(enum xylem_search_part part);

#define XYLEM_SEARCH_HITS_DEFAULT 50u     /* kept hits without another limit */
#define XYLEM_SEARCH_LINE_BYTES_MAX 4096u /* a longer line of a hit is cut around the match */
#define XYLEM_SEARCH_COUNT_MAX 1000u      /* matches that are counted in one entry */
#define XYLEM_SEARCH_THREADS_MAX 64u      /* readers of one search */
#define XYLEM_SEARCH_PATTERNS_MAX 32u     /* patterns of one search */

/* The work of a search so far. */
struct xylem_search_progress {
    uint64_t entry_count; /* searched entries */
    uint64_t entry_total; /* entries to search */
    uint64_t match_count; /* matching entries */
};

struct xylem_search_options {
    /*
     * Up to XYLEM_SEARCH_PATTERNS_MAX patterns, separated by NUL bytes, each of at most XYLEM_PATTERN_BYTES_MAX bytes of
     * UTF-8. An entry matches if each pattern has a match in one of its strings; the matches of the first pattern are
     * counted and shown. Without a pattern every entry matches that has a payload and passes the filters, and its first
     * string is the text of the hit.
     */
    struct xylem_view pattern;
    enum xylem_search_syntax syntax;
    /*
     * Filters; a list without items passes everything. All filters hold together, one item of a list is enough; kinds
     * and roles are one list: of a kind, or a message of a role.
     */
    const uint64_t *sessions; /* numbers of sessions, of any namespace */
    size_t session_count;
    struct xylem_view name_space;  /* without numbers: the sessions of one namespace; data NULL: of the empty one */
    const struct xylem_view *cwds; /* absolute paths: the working directory of the session, or a directory above */
    size_t cwd_count;
    const struct xylem_kind *kinds;
    size_t kind_count;
    const struct xylem_view *roles; /* of messages: `user`, `assistant`, `toolResult` */
    size_t role_count;
    const struct xylem_view *tools; /* only calls and results of tools with these names */
    size_t tool_count;
    const int64_t *since_ms; /* NULL: any */
    const int64_t *until_ms; /* NULL: any */
    bool errors;             /* only results of tools that failed, and answers and commands that ended in an error */
    bool quarantine;         /* also lines in quarantine, unless a filter of entries is set */
    bool runs;               /* also the ledgers of runs */
    /*
     * NULL, or patterns: the search sees every string as an export with these patterns writes the string, so no answer
     * tells what is left out. Names that the filters compare, and ids, are compared and reported as they are.
     */
    const struct xylem_patterns *patterns;
    /*
     * Verify only records that may match: that pass the filters, and whose raw bytes may have the longest pattern. Each
     * hit is verified. Damage in all other records stays unseen, also damage that hides a match; lost entries, damaged
     * pages and rows are told. A sound store gives the same report.
     */
    bool fast;
    uint64_t hits_max; /* keep only the newest hits; 0: XYLEM_SEARCH_HITS_DEFAULT */
    unsigned threads;  /* readers, the calling thread included; 0: a reader for each processor */
    /* Called in the calling thread about twenty times a second. Anything but 0 ends the call with XYLEM_E_STOPPED. */
    int (*progress)(void *context, const struct xylem_search_progress *so_far);
    /* Called in the calling thread after the pass, for each damaged place. Anything but 0 ends the call likewise. */
    int (*damaged)(void *context, const struct xylem_problem *problem);
    void *context; /* for both callbacks */
};

/* A matching entry, or a matching line in quarantine. */
struct xylem_search_hit {
    uint64_t session;               /* the owner of the entry; without an owner in scope, a session that shares it */
    struct xylem_position position; /* none: a line in quarantine */
    struct xylem_view entry_id;     /* empty: a line in quarantine */
    struct xylem_kind kind;
    int64_t time_ms;
    uint64_t lsn;
    uint64_t line;               /* of a line in quarantine; 0: an entry */
    enum xylem_search_part part; /* of the first match */
    struct xylem_view role;      /* of a message; else empty */
    struct xylem_view tool;      /* of a call or a result; else empty */
    bool failed;                 /* the result of a tool that failed, or an answer that ended in an error */
    uint64_t match_count;        /* matches in the whole entry, 1 to XYLEM_SEARCH_COUNT_MAX */
    struct xylem_view text;      /* the line with the first match */
    size_t match_offset;         /* of the first match, in `text` */
    size_t match_bytes;          /* of the first match, as far as `text` has the match */
    bool cut_before;             /* the line begins before `text` */
    bool cut_after;              /* the line goes on behind `text` */
    const uint64_t *sessions;    /* numbers of all live sessions that have the entry, ascending */
    size_t session_count;
    bool redacted; /* the string of `text` has a replacement */
};

/* The matches of a session. A shared entry counts once, for the `session` of its hit. */
struct xylem_search_session {
    uint64_t number;
    uint64_t match_count; /* matching entries and lines */
    int64_t newest_ms;    /* time of the newest matching entry; INT64_MIN: only lines in quarantine match */
};

/* The result of a search. The struct owns its bytes and outlives the transaction. */
struct xylem_search_report {
    const struct xylem_search_hit *hits;         /* the newest entry first; lines in quarantine last */
    size_t hit_count;                            /* at most `hits_max` */
    uint64_t match_count;                        /* matching entries and lines, also without a kept hit */
    const struct xylem_search_session *sessions; /* sessions with matches, the newest match first */
    size_t session_count;
    uint64_t entry_count;   /* searched entries */
    uint64_t payload_bytes; /* of searched entries */
    uint64_t problem_count; /* damaged places: entries that were not searched */
    unsigned thread_count;  /* readers */
    bool ignored_case;      /* all patterns were literals without a capital letter */
    void *storage;
};

/*
 * Searches the entries of all live sessions, or of the sessions that pass the filters, in one pass over the log. A
 * shared entry is found once. Searched are the strings of the decoded payload that a person or a model reads:
 * - messages: text, thinking, names and inputs of tools, results, errors
 * - summaries, labels, names of sessions, data of extensions and of other entries of a host
 * Not searched: keys of objects, ids, signatures, images, redacted payloads. A match lies in one string. A match of no
 * bytes does not count. docs/commands.md ("search") says more.
 *
 * The work is shared by several threads, each with a read transaction of the same snapshot: `txn` must be a read
 * transaction for more than one. A thread that finds a newer commit does not take part. The result is the same for any
 * number of threads.
 *
 * Damage does not end the search: each damaged place is counted and told to `damaged`. The call verifies every payload
 * that it searches, unless `fast` is set. Release `report` in any case; after an error it is empty.
 *
 * Errors:
 * - ARGUMENT: a number that is not a live session
 * - LIMIT: a pattern is too long, or there are more than XYLEM_SEARCH_PATTERNS_MAX patterns; or a regular expression
 *   met a limit of work: the text names the entry
 * - MALFORMED: the pattern is not UTF-8, or no regular expression
 * - STOPPED: a callback answered anything but 0
 * - CORRUPT: the tables of sessions and branches cannot be read
 * - IO, MEMORY
 */
XYLEM_API int xylem_search(struct xylem_search_report *report, struct xylem_txn *txn,
                           const struct xylem_search_options *options, struct xylem_error *err);
XYLEM_API void xylem_search_report_release(struct xylem_search_report *report);

#ifdef __cplusplus
}
#endif

#endif
