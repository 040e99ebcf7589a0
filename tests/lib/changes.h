/*
 * Reads the feed of a store from the beginning, and holds each change against the rows of the store. Without cmocka, as
 * fuzz targets and killed processes ask, too.
 */
#ifndef XYLEM_TESTS_LIB_CHANGES_H
#define XYLEM_TESTS_LIB_CHANGES_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/branch.h"
#include "store/format/keys.h"
#include "store/lmdb/tables.h"
#include "xylem/feed.h"
#include "xylem/session.h"

/* What the feed told of a session so far. */
struct changes_session {
    bool made;
    bool forked;
    bool deleted;
    bool freed; /* remains may come from another store, and get entries later */
    bool seen;  /* the session has a row */
    uint64_t move_count;
    uint64_t told;    /* changes, but that it was freed */
    uint64_t ordinal; /* of the last of them */
};

struct changes {
    struct xylem_txn *txn;
    bool repaired; /* entries and rows beside them come first, and nothing tells of earlier redactions */
    struct changes_session *sessions;
    uint64_t session_room;
    uint64_t entry_count;
    uint64_t lsn;
    char problem[240];
};

__attribute__((format(printf, 2, 3))) static inline bool changes_say(struct changes *changes, const char *format, ...)
{
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    (void)snprintf(changes->problem, sizeof changes->problem, "lsn %" PRIu64 ": %s", changes->lsn, text);
    return false;
}

static inline struct changes_session *changes_of(struct changes *changes, uint64_t session)
{
    if (session >= changes->session_room) {
        uint64_t room = session + 64;
        struct changes_session *grown = realloc(changes->sessions, (size_t)room * sizeof *grown);
        if (!grown) {
            abort();
        }
        memset(grown + changes->session_room, 0, (size_t)(room - changes->session_room) * sizeof *grown);
        changes->sessions = grown;
        changes->session_room = room;
    }
    return &changes->sessions[session];
}

/* An entry that was appended is there: what was freed is not told. */
static inline bool changes_entry(struct changes *changes, const struct xylem_change *change)
{
    struct xylem_entry entry;
    struct xylem_store__branch branch;
    struct xylem_error err = {0, ""};
    if (xylem_entry_read(&entry, changes->txn, change->position, &err) < 0 ||
        xylem_store__branch_read(&branch, changes->txn, change->position.branch, &err) < 0) {
        return changes_say(changes, "%s", err.text);
    }
    if (entry.lsn != change->lsn || branch.session != change->session) {
        return changes_say(changes, "the entry of session %" PRIu64 " is another one", change->session);
    }
    changes->entry_count++;
    return true;
}

static inline bool changes_redacted(struct changes *changes, const struct xylem_change *change)
{
    struct xylem_entry entry;
    int code = xylem_entry_read(&entry, changes->txn, change->position, NULL);
    bool right = code == XYLEM_OK ? (entry.flags & XYLEM_ENTRY_REDACTED) && entry.lsn < change->lsn
                                  : code == XYLEM_E_FREED || code == XYLEM_E_NOT_FOUND;
    return right || changes_say(changes, "the entry was not redacted");
}

/* The row is there, unless the session was freed. */
static inline bool changes_side(struct changes *changes, const struct xylem_change *change)
{
    struct xylem_session row;
    struct xylem_format__key key;
    struct xylem_view side = {NULL, 0};
    xylem_format__key_pair(&key, change->session, change->side_lsn);
    bool there =
        xylem_session_read(&row, changes->txn, change->session, NULL) == XYLEM_OK && row.state != XYLEM_SESSION_FREED;
    return change->side_lsn > 0 && change->side_lsn <= change->lsn &&
           (!there || xylem_lmdb__get_summed(&side, changes->txn, XYLEM_FORMAT__SIDES, key.view, NULL) == 1 ||
            changes_say(changes, "the row of lsn %" PRIu64 " is missing", change->side_lsn));
}

/* Holds a change against the changes before. */
static inline bool changes_take(struct changes *changes, const struct xylem_change *change)
{
    struct changes_session *session = changes_of(changes, change->session);
    bool before = change->type == XYLEM_CHANGE_CREATED || change->type == XYLEM_CHANGE_FORKED;
    bool early = changes->repaired && (change->type == XYLEM_CHANGE_ENTRY || change->type == XYLEM_CHANGE_SIDE);
    bool right = change->session > 0 && (session->made != before || early);
    switch (change->type) {
    case XYLEM_CHANGE_CREATED:
    case XYLEM_CHANGE_FORKED:
        session->made = true;
        session->forked = change->type == XYLEM_CHANGE_FORKED;
        break;
    case XYLEM_CHANGE_ENTRY:
        right = right && (!session->deleted || session->freed) && changes_entry(changes, change);
        break;
    case XYLEM_CHANGE_DELETED:
        right = right && !session->deleted;
        session->deleted = true;
        break;
    case XYLEM_CHANGE_UNDELETED:
        right = right && session->deleted && !session->freed;
        session->deleted = false;
        break;
    case XYLEM_CHANGE_MOVED:
        right = right && !session->deleted && change->move_number == ++session->move_count;
        break;
    case XYLEM_CHANGE_REDACTED:
        right = right && changes_redacted(changes, change);
        break;
    case XYLEM_CHANGE_FREED:
        right = (session->deleted || !session->made) && !session->freed && change->freed_id.bytes > 0;
        session->made = session->deleted = session->freed = true;
        break;
    case XYLEM_CHANGE_DOCUMENT:
        break;
    case XYLEM_CHANGE_SIDE:
        right = right && (!session->deleted || session->freed) && changes_side(changes, change);
        break;
    default:
        right = false;
    }
    if (change->type != XYLEM_CHANGE_FREED) {
        right = right && change->ordinal > session->ordinal;
        session->ordinal = change->ordinal;
        session->told++;
    }
    return right || changes->problem[0] != '\0' ||
           changes_say(changes, "session %" PRIu64 " was not ready for '%s'", change->session,
                       xylem_change_word(change->type));
}

static inline bool changes_read(struct changes *changes)
{
    struct xylem_feed *feed = NULL;
    struct xylem_change change;
    struct xylem_error err = {0, ""};
    struct xylem_cursor last = {.lsn = 0};
    int code;
    if ((code = xylem_feed_last(&last, changes->txn, &err)) < 0 ||
        (code = xylem_feed_new(&feed, changes->txn, NULL, &err)) < 0) {
        return changes_say(changes, "%s", err.text);
    }
    while (changes->problem[0] == '\0' && (code = xylem_feed_next(&change, feed, &err)) == 1) {
        if (change.lsn <= changes->lsn || change.lsn > last.lsn) {
            changes_say(changes, "lsn %" PRIu64 " comes behind; the last one is %" PRIu64, change.lsn, last.lsn);
        } else {
            changes->lsn = change.lsn;
            changes_take(changes, &change);
        }
    }
    xylem_feed_free(feed);
    if (code < 0) {
        changes_say(changes, "%s", err.text);
    }
    return changes->problem[0] == '\0';
}

/* A session is as the feed told. */
static inline bool changes_hold(struct changes *changes, const struct xylem_session *row)
{
    struct changes_session *session = changes_of(changes, row->number);
    bool freed = row->state == XYLEM_SESSION_FREED;
    session->seen = true;
    bool right = session->made && session->freed == freed &&
                 (freed || (session->forked == (row->base.branch != 0) && session->move_count == row->move_count &&
                            session->deleted == (row->state == XYLEM_SESSION_DELETED) &&
                            session->told == row->history.count && session->ordinal == row->history.count));
    return right || changes_say(changes, "at the end session %" PRIu64 " is not as the feed told", row->number);
}

/* Each entry and each session was told, and nothing else. */
static inline bool changes_compare(struct changes *changes)
{
    struct xylem_sessions *sessions = NULL;
    struct xylem_session row;
    struct xylem_lmdb__table_size log;
    struct xylem_error err = {0, ""};
    int code;
    if ((code = xylem_lmdb__table_size(&log, changes->txn, XYLEM_FORMAT__LOG, &err)) < 0 ||
        (code = xylem_sessions_new(&sessions, changes->txn, &err)) < 0) {
        return changes_say(changes, "%s", err.text);
    }
    while (changes->problem[0] == '\0' && (code = xylem_sessions_next(&row, sessions, &err)) == 1) {
        changes_hold(changes, &row);
    }
    xylem_sessions_free(sessions);
    if (code < 0) {
        return changes_say(changes, "%s", err.text);
    }
    for (uint64_t i = 0; i < changes->session_room && changes->problem[0] == '\0'; i++) {
        const struct changes_session *session = &changes->sessions[i];
        if (!session->seen && session->made && !session->freed) {
            changes_say(changes, "session %" PRIu64 " is gone, and nothing tells that it was freed", i);
        }
    }
    return changes->problem[0] == '\0' && (changes->entry_count == log.rows ||
                                           changes_say(changes, "%" PRIu64 " entries were told, %" PRIu64 " are there",
                                                       changes->entry_count, (uint64_t)log.rows));
}

/* True if the feed and the rows of the store agree; else `changes->problem` says where they do not. */
static inline bool changes_agree(struct changes *changes, struct xylem_txn *txn, bool repaired)
{
    *changes = (struct changes){.txn = txn, .repaired = repaired};
    bool agree = changes_read(changes) && changes_compare(changes);
    free(changes->sessions);
    changes->sessions = NULL;
    return agree;
}

#endif
