/* xylem: taking payloads out of a store. The rules of xylem.h hold for every call. */
#ifndef XYLEM_REDACT_H
#define XYLEM_REDACT_H

#include "files.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Redaction --------------------------------------------------------------------------------------------------- */

struct xylem_redact_options {
    struct xylem_view reason; /* 1 to XYLEM_REASON_BYTES_MAX bytes of text, which is kept in place of the payload */
    /*
     * Also replace the hash of the payload, by which somebody who guesses the payload could be sure of it, by a random
     * one. The checks of the entry and of all entries behind it, on every branch and fork, are made anew, as they would
     * tell the same: the store verifies, but its checks do not equal those of other stores any more.
     */
    bool drop_hash;
    bool only_this; /* leave copies, quarantined lines and torn tails as they are */
    bool dry_run;   /* write nothing, say what would be done; a read transaction will do */
};

/* What a redaction did, or would do. Owns its bytes and outlives the transaction. */
struct xylem_redact_report {
    bool was_redacted;          /* the entry itself had been redacted before; its first reason stays */
    uint64_t redacted_count;    /* entries whose payload and line were taken out: this one, and its copies */
    uint64_t redacted_bytes;    /* of these payloads and lines */
    uint64_t dropped_count;     /* entries whose hash was replaced */
    uint64_t rechecked_count;   /* entries behind them whose checks were made anew */
    uint64_t quarantined_count; /* quarantined lines whose bytes were taken out */
    uint64_t tail_count;        /* session files of which a torn last line was kept, and was taken out */
    uint64_t kept_count;        /* of xylem_redact_matches(): matches that stay */
    uint64_t session_count;     /* sessions, in whatever state, that have the entry or a copy of it */
    /* The session files that these sessions and lines were imported from: they have the bytes still. */
    struct xylem_view *sources;
    size_t source_count;
};

/*
 * Takes payload and line of an entry of the session, which may be deleted, out of the store. Its id, kind, time, check
 * and links stay, and with `drop_hash` unset its hash, so that the store still verifies. As entries are shared, every
 * session that has the entry loses them. Also taken out, unless `only_this` is set:
 * - copies: entries anywhere in the store with the same id and a payload of the same hash;
 * - quarantined lines, and torn last lines that are remembered of session files, of any session, that are the entry by
 *   their id; or have the id in them, in quotes, where they are no JSON object with an id; or have the payload or the
 *   kept line in them, if these have 8 bytes or more. What is known of such a line stays, its bytes do not.
 * What else may repeat the payload is not known to the store: summaries, labels, names, headers, other entries.
 * The bytes stay in free pages of the file until xylem_compact() has replaced it.
 * An entry that was redacted before stays as it is, but its hash is dropped if this call asks for it, and what has come
 * into the store since is looked for again; once the hash is dropped, copies cannot be found any more. An import leaves
 * out lines whose entry the session has redacted. Reads every record of the store, unless `only_this` is set.
 * Release `report` in any case. Errors: NOT_FOUND (the entry is none of the session's), LIMIT, ARGUMENT and MALFORMED (the
 * reason is too long, not given, or not UTF-8), FREED, CORRUPT, and as append.
 */
XYLEM_API int xylem_redact(struct xylem_redact_report *report, struct xylem_txn *txn, uint64_t session,
                           struct xylem_position position, const struct xylem_redact_options *options,
                           struct xylem_error *err);
XYLEM_API void xylem_redact_report_release(struct xylem_redact_report *report);

/* Where a pattern of xylem_redact_matches() can match: the first three places are taken out, the others stay. */
#define XYLEM_MATCH_PLACE_LIST(X)                                             \
    X(XYLEM_MATCH_ENTRY, "entry", "what an entry says")                       \
    X(XYLEM_MATCH_QUARANTINE, "quarantine", "a line in quarantine")           \
    X(XYLEM_MATCH_TAIL, "tail", "the torn last line of a session file")       \
    X(XYLEM_MATCH_ENTRY_ID, "entry-id", "the id of an entry")                 \
    X(XYLEM_MATCH_KIND, "kind", "the name of a kind")                         \
    X(XYLEM_MATCH_REASON, "reason", "the reason of an earlier redaction")     \
    X(XYLEM_MATCH_SESSION_ID, "session-id", "the id of a session")            \
    X(XYLEM_MATCH_CWD, "cwd", "the working directory of a session")           \
    X(XYLEM_MATCH_PARENT, "parent", "what a session says it was forked from") \
    X(XYLEM_MATCH_HEADER, "header", "the header of a session")                \
    X(XYLEM_MATCH_NAVIGATION, "navigation", "the reason of a navigation")     \
    X(XYLEM_MATCH_SOURCE, "source", "the path of a session file")

#define XYLEM_MATCH_PLACE_ENUM_ROW(name, word, text) name,
enum xylem_match_place { XYLEM_MATCH_PLACE_LIST(XYLEM_MATCH_PLACE_ENUM_ROW) XYLEM_MATCH_PLACE_COUNT };
#undef XYLEM_MATCH_PLACE_ENUM_ROW

/* The word and the text of a place; "unknown" for any other number. Static. */
XYLEM_API const char *xylem_match_place_word(enum xylem_match_place place);
XYLEM_API const char *xylem_match_place_text(enum xylem_match_place place);

/* A match, without the matching text: an id that matches is left out. The views live until the callback returns. */
struct xylem_match {
    enum xylem_match_place place;
    bool taken;                     /* false: the match stays */
    uint64_t session;               /* the session's number; of an entry, the owner of the branch; 0: a kind */
    struct xylem_view session_id;   /* data NULL: the id matches, or is gone */
    struct xylem_position position; /* of an entry */
    struct xylem_view entry_id;     /* data NULL: none, or the id matches */
    uint64_t number;                /* of the quarantined line, or of the navigation */
};

struct xylem_redact_matches_options {
    struct xylem_redact_options redact; /* as for one entry */
    /* Numbers of the sessions to search, in whatever state. None: search the whole store. */
    const uint64_t *sessions;
    size_t session_count;
    /* May be NULL. Called for each match; anything but 0 ends the call with XYLEM_E_STOPPED, with nothing changed. */
    int (*found)(void *context, const struct xylem_match *match);
    void *context;
};

/*
 * Redacts every entry of the sessions in which a pattern matches the payload or the kept line, as xylem_redact() does.
 * Unless `only_this` is set, copies of these entries in any session go too, and so do matching lines in quarantine and
 * remembered torn lines of the searched sessions. All happens in the caller's write transaction, or nothing.
 * Patterns are matched with each string by itself, escapes decoded, names of members included; with numbers as JSON writes
 * numbers; with the bytes of a kept line, unless the line's `type`, `id`, `parentId` or `timestamp` matches; and with a
 * line that is no JSON, first as the line is and then with decoded escapes. A text that is split over two strings is not
 * found.
 * A match in a place that cannot be taken out stays: `found` gets `taken` false, and `kept_count` counts. Such places are
 * ids, kinds, reasons, what sessions say about themselves, and paths of session files. `sources` lacks paths that match.
 * Reads every record of the store. Memory: 16 bytes for each target, 48 with a search for copies, and the largest payload,
 * decoded. Release `report` in any case; `was_redacted` is not set.
 * Errors: ARGUMENT (also: a pattern matches the reason), STOPPED, CORRUPT (also: the payload of an entry cannot be read, so
 * nobody knows whether a pattern matches), and as xylem_redact().
 */
XYLEM_API int xylem_redact_matches(struct xylem_redact_report *report, struct xylem_txn *txn,
                                   const struct xylem_patterns *patterns,
                                   const struct xylem_redact_matches_options *options, struct xylem_error *err);

#ifdef __cplusplus
}
#endif

#endif
