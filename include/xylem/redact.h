/* xylem: taking payloads out of a store. The rules of xylem.h hold for every call. */
#ifndef XYLEM_REDACT_H
#define XYLEM_REDACT_H

#include "files.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Redaction --------------------------------------------------------------------------------------------------- */

struct xylem_redact_options {
    struct xylem_view reason; /* 1 to XYLEM_REASON_BYTES_MAX bytes of text, kept in place of the payload */
    /*
     * Also replace the hash of the payload by a random hash, since the hash confirms a guess of the payload. The checks
     * of the entry and of all descendants, on every branch and fork, would confirm the guess too, and are made anew:
     * the store verifies, but its checks differ from the checks of other stores. The hashes of the imported session
     * files go too: the next import of such a file matches every line.
     */
    bool drop_hash;
    bool only_this; /* leave copies, records, quarantined lines and torn tails alone */
    bool dry_run;   /* write nothing, only report; a read transaction is enough */
};

/* The result of a redaction, or of a dry run. The struct owns its bytes and outlives the transaction. */
struct xylem_redact_report {
    bool was_redacted;          /* the entry was redacted before; the first reason stays */
    uint64_t redacted_count;    /* redacted entries: the entry and its copies */
    uint64_t redacted_bytes;    /* of the removed payloads and lines */
    uint64_t dropped_count;     /* entries with a replaced hash */
    uint64_t rechecked_count;   /* descendants with a new check */
    uint64_t quarantined_count; /* quarantined lines without bytes now */
    uint64_t tail_count;        /* session files with a removed torn last line */
    uint64_t side_count;        /* records, and values of sessions in shared entries, without bytes now */
    uint64_t kept_count;        /* remaining matches; of xylem_redact(): copies in sessions that follow another store */
    uint64_t session_count;     /* sessions, in any state, with the entry or a copy */
    /* The session files behind the sessions and lines: the files still have the bytes. */
    struct xylem_view *sources;
    size_t source_count;
    struct xylem_store__redaction *found; /* private: of a dry run, for xylem_redact_write() */
};

/*
 * Takes payload and line of an entry of the session out of the store; the session may be deleted. Id, kind, time, check
 * and links stay, and without `drop_hash` the hash, so the store still verifies. Every session with the shared entry
 * loses the payload. Without `only_this` the call also takes out:
 * - copies: entries anywhere in the store with the same id and a payload of the same hash
 * - quarantined lines and remembered torn last lines, of any session: lines with the id of the entry; lines that are no
 *   JSON object with an id, and have the id in quotes; lines with the payload or the kept line inside, if these have 8
 *   bytes or more. The description of such a line stays, the bytes go. Records of other hosts (line.h) go in the same
 *   way; the values that sessions have in the entry go in any case.
 * In sessions that follow another store (segment.h) all of these but the values stay, and `kept_count` counts them.
 *
 * The store does not know other repetitions of the payload: summaries, labels, names, headers, other entries. The bytes
 * stay in free pages of the file until xylem_compact() replaces the file.
 *
 * An entry that was redacted before is unchanged, but `drop_hash` drops the hash, and copies and lines are searched
 * again; without the hash copies cannot be found. Later imports leave out lines of redacted entries. The call reads
 * every record of the store, unless `only_this` is set. Release `report` in any case.
 *
 * Errors:
 * - NOT_FOUND: of the session, or of an entry of the session at `position`
 * - ARGUMENT: no reason
 * - LIMIT: the reason is too long
 * - MALFORMED: the reason is not UTF-8
 * - FREED: of the session
 * - CONFLICT: another store owns the session, or the source of a fork that has the entry
 * - BUSY: a hash is to be dropped while a redaction of xylem_redact_write() is under way, or was ended in the middle
 * - READ_ONLY, MAP_FULL, NO_SPACE, IO, CORRUPT, MEMORY
 */
XYLEM_API int xylem_redact(struct xylem_redact_report *report, struct xylem_txn *txn, uint64_t session,
                           struct xylem_position position, const struct xylem_redact_options *options,
                           struct xylem_error *err);

/*
 * Writes what a dry run found, in transactions of its own: a large redaction takes several, and each holds the lock for
 * 250 ms at most, but for what docs/durability.md names. So nobody waits for the search. What came into the store after
 * the transaction of the dry run stays, but for values in the entries: look again. An entry or line that went since is
 * no error. A kill between two transactions leaves a sound store, and the rest of the entries is noted there: each call
 * first finishes such a rest, and `report` NULL does nothing else. The calling thread must have no write transaction
 * open.
 *
 * 1 if an earlier redaction was finished, else 0. After an error the entries of earlier transactions are redacted, and
 * the next call goes on.
 *
 * Errors:
 * - ARGUMENT: the report is not of a dry run, or was written
 * - BUSY: another redaction is under way; or another writer, after `wait_ms`
 * - STOPPED, READ_ONLY, MAP_FULL, NO_SPACE, IO, CORRUPT, MEMORY
 */
XYLEM_API int xylem_redact_write(struct xylem_redact_report *report, struct xylem_store *store,
                                 struct xylem_error *err);
XYLEM_API void xylem_redact_report_release(struct xylem_redact_report *report);

/* The places of matches of xylem_redact_matches(): the first four places are redacted, other places stay. */
#define XYLEM_MATCH_PLACE_LIST(X)                                         \
    X(XYLEM_MATCH_ENTRY, "entry", "the content of an entry")              \
    X(XYLEM_MATCH_QUARANTINE, "quarantine", "a line in quarantine")       \
    X(XYLEM_MATCH_TAIL, "tail", "the torn last line of a session file")   \
    X(XYLEM_MATCH_SIDE, "side", "a line beside the entries")              \
    X(XYLEM_MATCH_ENTRY_ID, "entry-id", "the id of an entry")             \
    X(XYLEM_MATCH_KIND, "kind", "the name of a kind")                     \
    X(XYLEM_MATCH_REASON, "reason", "the reason of an earlier redaction") \
    X(XYLEM_MATCH_SESSION_ID, "session-id", "the id of a session")        \
    X(XYLEM_MATCH_NAMESPACE, "namespace", "the namespace of a session")   \
    X(XYLEM_MATCH_CWD, "cwd", "the working directory of a session")       \
    X(XYLEM_MATCH_PARENT, "parent", "the source that a session names")    \
    X(XYLEM_MATCH_HEADER, "header", "the header of a session")            \
    X(XYLEM_MATCH_NAVIGATION, "navigation", "the reason of a navigation") \
    X(XYLEM_MATCH_SOURCE, "source", "the path of a session file")

#define XYLEM_MATCH_PLACE_ENUM_ROW(name, word, text) name,
enum xylem_match_place { XYLEM_MATCH_PLACE_LIST(XYLEM_MATCH_PLACE_ENUM_ROW) XYLEM_MATCH_PLACE_COUNT };
#undef XYLEM_MATCH_PLACE_ENUM_ROW

/* The word and the text of a place; "unknown" for any other number. Static. */
XYLEM_API const char *xylem_match_place_word(enum xylem_match_place place);
XYLEM_API const char *xylem_match_place_text(enum xylem_match_place place);

/* A match, without the matching text: a matching id is left out. The views live until the callback returns. */
struct xylem_match {
    enum xylem_match_place place;
    bool taken;                     /* false: the match stays */
    uint64_t session;               /* the number of the session; of an entry, the owner of the branch; 0: a kind */
    struct xylem_view session_id;   /* data NULL: the id matches, or is gone, or is of a namespace */
    struct xylem_position position; /* of an entry */
    struct xylem_view entry_id;     /* data NULL: none, or the id matches */
    uint64_t number;                /* of the quarantined line, or of the navigation */
    /* With the built-in patterns: for each xylem_secret_row() the number of secrets in the place; else NULL. */
    const uint64_t *secret_counts;
};

struct xylem_redact_matches_options {
    struct xylem_redact_options redact; /* as for an entry */
    /* Numbers of the sessions to search, in any state. None: search the whole store. */
    const uint64_t *sessions;
    size_t session_count;
    /* May be NULL. Called for each match; anything but 0 ends the call with XYLEM_E_STOPPED, with nothing changed. */
    int (*found)(void *context, const struct xylem_match *match);
    void *context;
};

/*
 * Redacts every entry of the sessions with a match in the payload or the kept line, like xylem_redact(). Without
 * `only_this` the call also redacts copies of the entries in any session, and matching records, lines in quarantine and
 * remembered torn lines of the searched sessions. All happens in the caller's write transaction, or nothing.
 *
 * docs/embedding.md ("Redaction by patterns") lists the texts that patterns are matched with. A text that is split over
 * two strings is not found. A match in ids, kinds, reasons, descriptions of sessions, paths of session files, and in
 * sessions that follow another store stays: `found` gets `taken` false, and `kept_count` counts. `sources` lacks
 * matching paths.
 *
 * The call reads every record of the store. Memory: 16 bytes for each target, 48 with a search for copies, and the
 * largest payload, decoded. Release `report` in any case; `was_redacted` is not set.
 *
 * Errors:
 * - ARGUMENT: no reason, or a pattern matches the reason
 * - STOPPED: `found` answered anything but 0; nothing is changed
 * - LIMIT: also if a pattern exceeds a limit of searches; the text names the pattern's line, the entry and the limit
 * - CORRUPT: also if the payload of an entry is unreadable, so nobody knows about its matches
 * - the other errors of xylem_redact()
 */
XYLEM_API int xylem_redact_matches(struct xylem_redact_report *report, struct xylem_txn *txn,
                                   const struct xylem_patterns *patterns,
                                   const struct xylem_redact_matches_options *options, struct xylem_error *err);

#ifdef __cplusplus
}
#endif

#endif
