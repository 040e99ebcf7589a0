/*
 * Redacts all matching entries:
 * 1. One pass over the log matches the entries of the searched sessions.
 * 2. If only some sessions are searched, a second pass finds copies of the matching entries in other sessions.
 * 3. Everything else is the same as for xylem_redact(), with many targets.
 *
 * Matches in ids, kinds, headers, navigations and paths stay, because the store needs these texts. The caller gets a
 * report of each such match.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "store/branch.h"
#include "store/format/keys.h"
#include "store/log.h"
#include "store/redact.h"
#include "store/session.h"
#include "xylem/branch.h"

/* A target, sorted by the two hashes, which a copy shares. */
struct original {
    uint64_t payload_hash;
    uint64_t id_hash;
    struct xylem_position position;
};

/* The pass over the log. */
struct pass {
    struct xylem_store__redaction *redaction;
    struct xylem_store__branch branch; /* of the current entry; number 0: none yet */
    bool follows;                      /* the owner of the branch follows another store: its entries stay */
    bool is_owners;                    /* the owner of the branch is searched, and so the whole branch */
    uint64_t *sharers;                 /* otherwise: the searched sessions that share the first entry of the branch */
    size_t sharer_count;
    unsigned char *kinds; /* by number: 1 if the name was searched; unused for a search of the whole store */
    size_t kind_count;
    struct original *originals; /* sorted; only in the second pass */
};

static bool is_all(const struct xylem_store__redaction *redaction)
{
    return redaction->sessions.count == 0;
}

static int tell_if(struct xylem_store__redaction *redaction, const struct xylem_match *match, struct xylem_view text)
{
    int matches = xylem_store__redact_matches_text(redaction, text);
    return matches > 0 ? xylem_store__redact_tell(redaction, match) : matches;
}

/* --- Entries ------------------------------------------------------------------------------------------------------ */

/*
 * Finds the searched sessions that share the first entry of a branch. No other searched session shares a later entry.
 */
static int find_sharers(struct pass *pass, struct xylem_position first)
{
    struct xylem_store__redaction *redaction = pass->redaction;
    pass->sharer_count = 0;
    for (size_t i = 0; i < redaction->sessions.count; i++) {
        struct xylem_session session;
        int code = xylem_session_read(&session, redaction->txn, redaction->sessions.list[i], redaction->err);
        int shares = code < 0 ? code : xylem_store__belongs(redaction->txn, &session, first, redaction->err);
        if (shares < 0) {
            return shares;
        }
        if (shares > 0) {
            pass->sharers[pass->sharer_count++] = session.number;
        }
    }
    return XYLEM_OK;
}

/* 1 if the entry belongs to a searched session, else 0. */
static int is_meant(struct pass *pass, const struct xylem_entry *entry)
{
    struct xylem_store__redaction *redaction = pass->redaction;
    if (entry->position.branch != pass->branch.number) {
        int code;
        if ((code = xylem_store__branch_read(&pass->branch, redaction->txn, entry->position.branch, redaction->err)) <
                0 ||
            (code = xylem_store__redact_follows(redaction, pass->branch.session)) < 0) {
            return code;
        }
        pass->follows = code > 0;
        pass->is_owners = xylem_store__redact_in_scope(redaction, pass->branch.session);
        code = pass->is_owners ? XYLEM_OK : find_sharers(pass, entry->position);
        if (code < 0) {
            return code;
        }
    }
    int meant = pass->is_owners;
    for (size_t i = 0; meant == 0 && i < pass->sharer_count; i++) {
        struct xylem_session session;
        int code = xylem_session_read(&session, redaction->txn, pass->sharers[i], redaction->err);
        meant = code < 0 ? code : xylem_store__belongs(redaction->txn, &session, entry->position, redaction->err);
    }
    return meant;
}

/* Searches the name of each kind once. In a search of the whole store, visit_kind() does this. */
static int search_kind(struct pass *pass, const struct xylem_entry *entry)
{
    size_t number = entry->unverified.kind_number;
    if (is_all(pass->redaction)) {
        return XYLEM_OK;
    }
    if (number >= pass->kind_count) {
        unsigned char *kinds = realloc(pass->kinds, number + 1);
        if (!kinds) {
            return xylem_base__fail_memory(pass->redaction->err);
        }
        memset(kinds + pass->kind_count, 0, number + 1 - pass->kind_count);
        pass->kinds = kinds;
        pass->kind_count = number + 1;
    }
    struct xylem_match match = {.place = XYLEM_MATCH_KIND};
    bool looked = pass->kinds[number];
    pass->kinds[number] = 1;
    return looked ? XYLEM_OK : tell_if(pass->redaction, &match, entry->kind.name);
}

/* Searches an entry: a match in the payload or the line makes the entry a target, other matches are reported. */
static int search_entry(struct pass *pass, const struct xylem_entry *entry)
{
    struct xylem_store__redaction *redaction = pass->redaction;
    struct xylem_match match = {
        .session = pass->branch.session, .position = entry->position, .entry_id = entry->id, .taken = true};
    int code;
    if (entry->flags & XYLEM_ENTRY_REDACTED) {
        struct xylem_view reason = {NULL, 0};
        match.place = XYLEM_MATCH_REASON;
        match.taken = false;
        if ((code = xylem_entry_redaction(&reason, entry, redaction->err)) < 0 ||
            (code = tell_if(redaction, &match, reason)) < 0) {
            return code;
        }
    } else {
        match.place = XYLEM_MATCH_ENTRY;
        match.taken = !pass->follows;
        code = redaction->matcher->entry(redaction->matcher->context, entry, redaction->err);
        if (code < 0 || (code > 0 && ((match.taken && (code = xylem_store__redact_add(redaction, entry)) < 0) ||
                                      (code = xylem_store__redact_tell(redaction, &match)) < 0))) {
            return code;
        }
    }
    match.place = XYLEM_MATCH_ENTRY_ID;
    match.taken = false;
    if ((code = tell_if(redaction, &match, entry->id)) < 0) {
        return code;
    }
    return search_kind(pass, entry);
}

static int visit_meant(void *context, const struct xylem_entry *entry)
{
    struct pass *pass = context;
    int meant = is_meant(pass, entry);
    return meant > 0 ? search_entry(pass, entry) : meant;
}

/* --- Copies ------------------------------------------------------------------------------------------------------- */

static int compare_originals(const void *left, const void *right)
{
    const struct original *a = left;
    const struct original *b = right;
    int order = xylem_base__compare_numbers(&a->payload_hash, &b->payload_hash);
    return order != 0 ? order : xylem_base__compare_numbers(&a->id_hash, &b->id_hash);
}

/* Notes an entry outside of the searched sessions that is a copy of a target. */
static int visit_copy(void *context, const struct xylem_entry *entry)
{
    struct pass *pass = context;
    struct xylem_store__redaction *redaction = pass->redaction;
    struct original wanted = {entry->unverified.payload_hash, xylem_format__hash(entry->id), entry->position};
    const struct original *found =
        bsearch(&wanted, pass->originals, redaction->target_count, sizeof wanted, compare_originals);
    if (!found || (entry->flags & XYLEM_ENTRY_REDACTED)) {
        return XYLEM_OK;
    }
    int meant = is_meant(pass, entry);
    if (meant != 0) {
        return meant < 0 ? meant : XYLEM_OK;
    }
    struct xylem_entry original;
    int code = xylem_store__entry_read(&original, redaction->txn, found->position, redaction->err);
    if (code < 0 || !xylem_base__view_equal(original.id, entry->id)) {
        return code;
    }
    struct xylem_match match = {.place = XYLEM_MATCH_ENTRY,
                                .taken = !pass->follows,
                                .session = pass->branch.session,
                                .position = entry->position,
                                .entry_id = entry->id};
    if (match.taken &&
        xylem_buffer_add(&redaction->record, (const char *)&entry->position, sizeof entry->position) < 0) {
        return xylem_base__fail_memory(redaction->err);
    }
    int matches = redaction->matcher->entry(redaction->matcher->context, entry, redaction->err); /* for its secrets */
    return matches < 0 ? matches : xylem_store__redact_tell(redaction, &match);
}

static int find_copies(struct pass *pass)
{
    struct xylem_store__redaction *redaction = pass->redaction;
    if (is_all(redaction) || redaction->options.only_this || redaction->target_count == 0) {
        return XYLEM_OK;
    }
    pass->originals = calloc(redaction->target_count, sizeof *pass->originals);
    int code = pass->originals ? XYLEM_OK : xylem_base__fail_memory(redaction->err);
    for (size_t i = 0; code == XYLEM_OK && i < redaction->target_count; i++) {
        struct xylem_entry entry;
        code = xylem_store__entry_read(&entry, redaction->txn, redaction->targets[i], redaction->err);
        if (code == XYLEM_OK) {
            pass->originals[i] =
                (struct original){entry.unverified.payload_hash, xylem_format__hash(entry.id), entry.position};
        }
    }
    if (code == XYLEM_OK) {
        qsort(pass->originals, redaction->target_count, sizeof *pass->originals, compare_originals);
        pass->branch.number = 0;
        code = xylem_store__each_entry(redaction->txn, visit_copy, pass, redaction->err);
    }
    /* The positions of the copies are in the buffer `record`, which is unused until the writing begins. */
    for (size_t at = 0; code == XYLEM_OK && at < redaction->record.bytes; at += sizeof(struct xylem_position)) {
        struct xylem_position position;
        struct xylem_entry entry;
        memcpy(&position, redaction->record.data + at, sizeof position);
        code = xylem_store__entry_read(&entry, redaction->txn, position, redaction->err);
        code = code < 0 ? code : xylem_store__redact_add(redaction, &entry);
    }
    qsort(redaction->targets, redaction->target_count, sizeof *redaction->targets, xylem_base__compare_positions);
    return code;
}

/* --- Matches that stay -------------------------------------------------------------------------------------------- */

static int search_session(void *context, const struct xylem_session *session)
{
    struct xylem_store__redaction *redaction = context;
    if (session->state == XYLEM_SESSION_FREED || !xylem_store__redact_in_scope(redaction, session->number)) {
        return XYLEM_OK;
    }
    const struct {
        enum xylem_match_place place;
        struct xylem_view text;
    } texts[] = {{XYLEM_MATCH_SESSION_ID, session->id},
                 {XYLEM_MATCH_NAMESPACE, session->name_space},
                 {XYLEM_MATCH_CWD, session->cwd},
                 {XYLEM_MATCH_PARENT, session->parent}};
    struct xylem_match match = {.session = session->number};
    int code = XYLEM_OK;
    for (size_t i = 0; code == XYLEM_OK && i < sizeof texts / sizeof *texts; i++) {
        match.place = texts[i].place;
        code = tell_if(redaction, &match, texts[i].text);
    }
    match.place = XYLEM_MATCH_HEADER;
    if (code == XYLEM_OK && session->header.bytes > 0) {
        code = redaction->matcher->line(redaction->matcher->context, session->header, redaction->err);
        code = code > 0 ? xylem_store__redact_tell(redaction, &match) : code;
    }
    match.place = XYLEM_MATCH_NAVIGATION;
    for (uint64_t number = 1; code == XYLEM_OK && number <= session->move_count; number++) {
        struct xylem_move move;
        match.number = number;
        code = xylem_move_read(&move, redaction->txn, session->number, number, redaction->err);
        code = code < 0 ? code : tell_if(redaction, &match, move.reason);
    }
    return code;
}

/* Visits a row of the table kinds. A row under a number has the class and the name. */
static int visit_kind(void *context, struct xylem_view key, struct xylem_view row)
{
    struct xylem_store__redaction *redaction = context;
    struct xylem_match match = {.place = XYLEM_MATCH_KIND};
    bool by_number = key.bytes > 0 && (unsigned char)key.data[0] == XYLEM_FORMAT__KIND_NUMBER_TAG && row.bytes > 1;
    return by_number ? tell_if(redaction, &match, (struct xylem_view){row.data + 1, row.bytes - 1}) : XYLEM_OK;
}

static int visit_source(void *context, struct xylem_view key, struct xylem_view row)
{
    struct xylem_store__redaction *redaction = context;
    struct xylem_match match = {.place = XYLEM_MATCH_SOURCE, .session = xylem_format__key_first(key)};
    struct xylem_store__source source;
    if (!xylem_store__redact_in_scope(redaction, match.session)) {
        return XYLEM_OK;
    }
    int code = xylem_store__source_decode(&source, redaction->txn, row, redaction->err);
    return code < 0 ? code : tell_if(redaction, &match, source.name);
}

/* --- The whole ---------------------------------------------------------------------------------------------------- */

static int begin(struct xylem_store__redaction *redaction)
{
    const struct xylem_redact_matches_options *scope = redaction->scope;
    int code;
    if ((code = xylem_store__redact_check_reason(redaction->options.reason, redaction->err)) < 0 ||
        (!redaction->options.dry_run && (code = xylem_lmdb__writable(redaction->txn, redaction->err)) < 0) ||
        (code = xylem_store__redact_matches_text(redaction, redaction->options.reason)) < 0) {
        return code;
    }
    if (code > 0) {
        return xylem_base__fail(redaction->err, XYLEM_E_ARGUMENT,
                                "a pattern matches the reason, which would stay in the store");
    }
    for (size_t i = 0; i < scope->session_count; i++) {
        struct xylem_session session;
        if ((code = xylem_session_read(&session, redaction->txn, scope->sessions[i], redaction->err)) < 0 ||
            (code = xylem_base__numbers_add(&redaction->sessions, scope->sessions[i], redaction->err)) < 0) {
            return code;
        }
    }
    xylem_base__numbers_sort(&redaction->sessions);
    return XYLEM_OK;
}

static int find_all(struct xylem_store__redaction *redaction)
{
    struct xylem_error *err = redaction->err;
    struct xylem_txn *txn = redaction->txn;
    struct pass pass = {.redaction = redaction};
    pass.sharers = calloc(redaction->sessions.count + 1, sizeof *pass.sharers);
    int code = pass.sharers ? xylem_store__each_entry(txn, visit_meant, &pass, err) : xylem_base__fail_memory(err);
    code = code < 0 ? code : find_copies(&pass);
    free(pass.sharers);
    free(pass.kinds);
    free(pass.originals);
    if (code < 0 || (!redaction->options.only_this && (code = xylem_store__redact_find_lines(redaction)) < 0) ||
        (code = xylem_store__redact_find_sides(redaction)) < 0 ||
        (code = xylem_store__each_session(txn, search_session, redaction, err)) < 0 ||
        (code = xylem_lmdb__each_row(txn, XYLEM_FORMAT__SOURCES, visit_source, redaction, err)) < 0 ||
        (is_all(redaction) &&
         (code = xylem_lmdb__each_row(txn, XYLEM_FORMAT__KINDS, visit_kind, redaction, err)) < 0) ||
        (code = xylem_store__redact_find_sessions(redaction)) < 0) {
        return code;
    }
    return redaction->report->dropped_count == 0 ? XYLEM_OK : xylem_store__redact_verify_behind(redaction);
}

int xylem_store__redact_matches(struct xylem_redact_report *report, struct xylem_txn *txn,
                                const struct xylem_redact_matches_options *options,
                                const struct xylem_store__matcher *matcher, struct xylem_error *err)
{
    struct xylem_store__redaction redaction = {
        .txn = txn, .report = report, .options = options->redact, .scope = options, .matcher = matcher, .err = err};
    int code = begin(&redaction);
    return xylem_store__redact_finish(&redaction, code < 0 ? code : find_all(&redaction));
}
