#include "tests/lib/travel_model.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* --- Looking ------------------------------------------------------------------------------------------------------ */

static bool is_remains(const struct travel_session *session, const char *id)
{
    return session->state == XYLEM_SESSION_FREED && strcmp(session->id, id) == 0;
}

int travel_session_of(const struct travel_store *store, const char *id)
{
    for (int i = 0; i < store->session_count; i++) {
        const struct travel_session *session = &store->sessions[i];
        if (session->state != XYLEM_SESSION_FREED && session->state != TRAVEL_GONE && strcmp(session->id, id) == 0) {
            return i;
        }
    }
    return TRAVEL_NONE;
}

int travel_remains_of(const struct travel_store *store, const char *id)
{
    for (int i = 0; i < store->session_count; i++) {
        if (is_remains(&store->sessions[i], id)) {
            return i;
        }
    }
    return TRAVEL_NONE;
}

bool travel_on_path(const struct travel_store *store, int entry, int from)
{
    while (from != TRAVEL_NONE && from != entry) {
        from = store->entries[from].parent;
    }
    return from == entry;
}

bool travel_belongs(const struct travel_store *store, int session, int entry)
{
    bool own = store->entries[entry].owner == session;
    return !store->entries[entry].freed && (own || travel_on_path(store, entry, store->sessions[session].base));
}

int travel_find(const struct travel_store *store, int session, const char *id)
{
    for (int i = 0; i < store->entry_count; i++) {
        if (strcmp(store->entries[i].id, id) == 0 && travel_belongs(store, session, i)) {
            return i;
        }
    }
    return TRAVEL_NONE;
}

/* FNV-1a: any hash does. */
static uint64_t mix(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    for (size_t i = 0; i < bytes; i++) {
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
    return mix(hash, text, strlen(text) + 1);
}

uint64_t travel_check(const struct travel_store *store, int entry)
{
    if (entry == TRAVEL_NONE) {
        return 0;
    }
    const struct travel_entry *at = &store->entries[entry];
    uint64_t hash = travel_check(store, at->parent);
    hash = mix_text(mix_text(mix(hash, &at->content.hash, sizeof at->content.hash), at->id), at->content.kind);
    hash = mix(mix(hash, &at->content.time_ms, sizeof at->content.time_ms), &at->content.format, sizeof(unsigned));
    return mix(hash, &at->content.kind_class, sizeof at->content.kind_class);
}

/* Behind an entry whose hash was dropped here, a store has checks of its own: an entry is then known by its id. */
static bool check_fits(const struct travel_store *store, int entry, uint64_t check)
{
    bool fits = travel_check(store, entry) == check;
    for (int at = entry; !fits && at != TRAVEL_NONE; at = store->entries[at].parent) {
        fits = store->entries[at].content.dropped;
    }
    return fits;
}

static uint64_t chain_link(uint64_t chain, const struct travel_change *change)
{
    chain = mix(chain, &change->type, sizeof change->type);
    return mix_text(mix(chain, &change->time_ms, sizeof change->time_ms), change->id);
}

uint64_t travel_chain(const struct travel_session *session, uint64_t count)
{
    uint64_t chain = 1;
    for (uint64_t i = 0; i < count; i++) {
        chain = chain_link(chain, &session->changes[i]);
    }
    return chain;
}

/* --- Packing ------------------------------------------------------------------------------------------------------ */

static const char *id_of(const struct travel_store *store, int entry)
{
    return entry == TRAVEL_NONE ? "" : store->entries[entry].id;
}

static struct travel_sent send_change(const struct travel_store *store, const struct travel_change *change)
{
    struct travel_sent sent = {.change = *change};
    if (change->type == XYLEM_CHANGE_ENTRY || change->type == XYLEM_CHANGE_REDACTED) {
        const struct travel_entry *entry = &store->entries[change->entry];
        sent.content = entry->content;
        strcpy(sent.parent, id_of(store, entry->parent));
        sent.parent_check = travel_check(store, entry->parent);
        sent.check = travel_check(store, change->entry);
    }
    return sent;
}

static void pack_freed(struct travel_segment *segment, const struct travel_store *store, int session)
{
    segment->freed = true;
    segment->changes = calloc(TRAVEL_ENTRIES_MAX, sizeof *segment->changes);
    assert(segment->changes);
    for (int i = 0; i < store->entry_count; i++) {
        if (store->entries[i].owner == session && !store->entries[i].freed) {
            struct travel_change change = {.type = XYLEM_CHANGE_ENTRY, .entry = i};
            change.time_ms = store->entries[i].content.time_ms;
            strcpy(change.id, store->entries[i].id);
            segment->changes[segment->count++] = send_change(store, &change);
        }
    }
}

/* The newest change from `from` on that redacted an entry without a hash; 0: none. */
static uint64_t newest_drop(const struct travel_store *store, const struct travel_session *session, uint64_t from)
{
    for (uint64_t i = (uint64_t)session->count; i >= from && i > 0; i--) {
        const struct travel_change *change = &session->changes[i - 1];
        if (change->type == XYLEM_CHANGE_REDACTED && store->entries[change->entry].content.dropped) {
            return i;
        }
    }
    return 0;
}

struct travel_segment travel_pack(const struct travel_store *store, int session, uint64_t from, uint64_t to)
{
    const struct travel_session *packed = &store->sessions[session];
    struct travel_segment segment = {.has_checks = true};
    strcpy(segment.session, packed->id);
    if (packed->base != TRAVEL_NONE) {
        strcpy(segment.base_session, store->sessions[store->entries[packed->base].owner].id);
        strcpy(segment.base_entry, store->entries[packed->base].id);
        segment.base_check = travel_check(store, packed->base);
    }
    if (packed->state == XYLEM_SESSION_FREED) {
        pack_freed(&segment, store, session);
        return segment;
    }
    segment.has_document = to == 0;
    segment.from = from;
    segment.to = to ? to : (uint64_t)packed->count + 1;
    segment.has_checks = newest_drop(store, packed, from) == 0;
    segment.has_last_check = newest_drop(store, packed, segment.to) == 0;
    segment.before = travel_chain(packed, from - 1);
    segment.changes = calloc(segment.to - from + 1, sizeof *segment.changes);
    assert(segment.changes);
    for (uint64_t i = from; i < segment.to; i++) {
        segment.changes[segment.count++] = send_change(store, &packed->changes[i - 1]);
    }
    strcpy(segment.leaf, id_of(store, packed->leaf));
    strcpy(segment.imported_leaf, id_of(store, packed->imported_leaf));
    memcpy(segment.lines, packed->lines, sizeof segment.lines);
    segment.line_count = packed->line_count;
    return segment;
}

/* --- Applying ----------------------------------------------------------------------------------------------------- */

struct applying {
    struct travel_report *report;
    struct travel_store *store;
    const struct travel_segment *segment;
    int session;
};

static bool same_content(const struct travel_store *store, const struct travel_entry *own,
                         const struct travel_sent *sent)
{
    const struct travel_content *here = &own->content;
    const struct travel_content *there = &sent->content;
    bool same = strcmp(id_of(store, own->parent), sent->parent) == 0 && here->kind_class == there->kind_class &&
                strcmp(here->kind, there->kind) == 0 && here->format == there->format &&
                here->imported == there->imported;
    bool same_hash = here->dropped || there->dropped || here->hash == there->hash;
    bool redacted = here->redacted || there->redacted;
    return same && same_hash && (redacted || strcmp(here->line, there->line) == 0);
}

/* Takes out what is out in the store of the segment. The first reason stays. */
static void take_out(struct travel_content *here, const struct travel_content *there)
{
    if (there->redacted && !here->redacted) {
        here->redacted = true;
        strcpy(here->payload, there->payload);
        here->line[0] = '\0';
    }
    if (there->dropped && !here->dropped) {
        here->dropped = true;
        here->hash = there->hash;
    }
}

static int add_entry(struct applying *applying, const struct travel_sent *sent)
{
    struct travel_store *store = applying->store;
    assert(store->entry_count < TRAVEL_ENTRIES_MAX);
    struct travel_entry *made = &store->entries[store->entry_count];
    *made = (struct travel_entry){.owner = applying->session, .parent = TRAVEL_NONE, .content = sent->content};
    strcpy(made->id, sent->change.id);
    if (sent->parent[0] != '\0') {
        made->parent = travel_find(store, applying->session, sent->parent);
        if (made->parent == TRAVEL_NONE) {
            return applying->segment->freed ? XYLEM_E_NOT_FOUND : XYLEM_E_MALFORMED;
        }
    }
    applying->report->entry_count++;
    store->entry_count++;
    return XYLEM_OK;
}

/* An empty id is no entry. A base that was taken by its id alone may lack an entry (see check_fits()). */
static int place(int *entry, const struct applying *applying, const char *id)
{
    *entry = id[0] == '\0' ? TRAVEL_NONE : travel_find(applying->store, applying->session, id);
    return id[0] != '\0' && *entry == TRAVEL_NONE ? XYLEM_E_MALFORMED : XYLEM_OK;
}

static int add_change(struct applying *applying, const struct travel_sent *sent)
{
    struct travel_store *store = applying->store;
    struct travel_session *session = &store->sessions[applying->session];
    assert(session->count < TRAVEL_CHANGES_MAX);
    struct travel_change *change = &session->changes[session->count++];
    *change = sent->change;
    applying->report->change_count++;
    switch (change->type) {
    case XYLEM_CHANGE_ENTRY: {
        int code = add_entry(applying, sent);
        change->entry = session->leaf = store->entry_count - 1;
        return code;
    }
    case XYLEM_CHANGE_REDACTED:
        change->entry = travel_find(store, applying->session, change->id);
        if (change->entry == TRAVEL_NONE) {
            return XYLEM_E_MALFORMED;
        }
        take_out(&store->entries[change->entry].content, &sent->content);
        return XYLEM_OK;
    case XYLEM_CHANGE_MOVED:
        return place(&session->leaf, applying, change->id);
    case XYLEM_CHANGE_DELETED:
    case XYLEM_CHANGE_UNDELETED:
        session->state = change->type == XYLEM_CHANGE_DELETED ? XYLEM_SESSION_DELETED : XYLEM_SESSION_LIVE;
        return XYLEM_OK;
    default:
        return XYLEM_OK;
    }
}

/* Makes the session, with the base of the segment. */
static int add_session(struct applying *applying, const char *owner, uint64_t epoch)
{
    struct travel_store *store = applying->store;
    const struct travel_segment *segment = applying->segment;
    int base = TRAVEL_NONE;
    bool other = false; /* an entry of another history has the id of the base */
    int source = travel_session_of(store, segment->base_session);
    for (int i = TRAVEL_NONE; i < store->session_count && base == TRAVEL_NONE; i++) {
        int in = i == TRAVEL_NONE ? source : is_remains(&store->sessions[i], segment->base_session) ? i : TRAVEL_NONE;
        base = in == TRAVEL_NONE ? TRAVEL_NONE : travel_find(store, in, segment->base_entry);
        if (base != TRAVEL_NONE && !check_fits(store, base, segment->base_check)) {
            other = true;
            base = TRAVEL_NONE;
        }
    }
    if (base == TRAVEL_NONE && segment->base_session[0] != '\0') {
        return other ? XYLEM_E_CONFLICT : XYLEM_E_NOT_FOUND;
    }
    assert(store->session_count < TRAVEL_SESSIONS_MAX);
    applying->session = store->session_count++;
    struct travel_session *made = &store->sessions[applying->session];
    memset(made, 0, sizeof *made);
    strcpy(made->id, segment->session);
    strcpy(made->owner, owner);
    made->epoch = epoch;
    made->base = made->leaf = base;
    made->imported_leaf = TRAVEL_NONE;
    applying->report->is_new = true;
    return XYLEM_OK;
}

/* 1: the store takes the rest of the segment; 0: the store has all of it. */
static int look(struct applying *applying, const char *owner, uint64_t epoch)
{
    const struct travel_segment *segment = applying->segment;
    struct travel_session *session = &applying->store->sessions[applying->session];
    uint64_t count = (uint64_t)session->count;
    bool follows = session->owner[0] != '\0' && strcmp(session->owner, owner) == 0;
    int other = session->state == XYLEM_SESSION_DELETED && !follows ? XYLEM_E_DELETED : XYLEM_E_CONFLICT;
    if (segment->from > count + 1) {
        return XYLEM_E_NOT_FOUND;
    }
    uint64_t chain = travel_chain(session, segment->from - 1);
    if (chain != segment->before) {
        return other;
    }
    for (uint64_t i = segment->from; i < segment->to && i <= count; i++) {
        const struct travel_sent *sent = &segment->changes[i - segment->from];
        const struct travel_change *own = &session->changes[i - 1];
        if (chain_link(1, own) != chain_link(1, &sent->change) ||
            (own->type == XYLEM_CHANGE_ENTRY &&
             !same_content(applying->store, &applying->store->entries[own->entry], sent))) {
            return other;
        }
    }
    bool more = segment->to - 1 > count || (follows && segment->has_document && segment->to - 1 == count);
    return !more ? XYLEM_OK : !follows ? other : epoch < session->epoch ? XYLEM_E_CONFLICT : 1;
}

/*
 * The checks of the entries from index `first` on, and of the entry before, are those of the store of the segment.
 * Behind a dropped hash this is known of the last entry alone.
 */
static bool checks_fit(const struct applying *applying, int first)
{
    const struct travel_segment *segment = applying->segment;
    first = segment->has_checks ? first : segment->count;
    while (first > 0 && segment->changes[first - 1].change.type != XYLEM_CHANGE_ENTRY) {
        first--;
    }
    for (int i = first > 0 ? first - 1 : 0; segment->has_last_check && i < segment->count; i++) {
        const struct travel_sent *sent = &segment->changes[i];
        if (sent->change.type == XYLEM_CHANGE_ENTRY) {
            int own = travel_find(applying->store, applying->session, sent->change.id);
            if (!check_fits(applying->store, own, sent->check)) {
                return false;
            }
        }
    }
    return true;
}

static bool follows(const struct travel_session *session, const char *owner)
{
    return session->owner[0] != '\0' && strcmp(session->owner, owner) == 0;
}

/* Without ordinals to compare, what is redacted in the store of the segment is redacted here. */
static void take_out_known(struct applying *applying, int session)
{
    for (int i = 0; i < applying->segment->count; i++) {
        const struct travel_sent *sent = &applying->segment->changes[i];
        bool named = sent->change.type == XYLEM_CHANGE_ENTRY || sent->change.type == XYLEM_CHANGE_REDACTED;
        int own = named ? travel_find(applying->store, session, sent->change.id) : TRAVEL_NONE;
        struct travel_content *here = own == TRAVEL_NONE ? NULL : &applying->store->entries[own].content;
        if (here && (sent->content.dropped || here->hash == sent->content.hash)) {
            take_out(here, &sent->content);
        }
    }
}

/* Takes out the entries that the session has already, and that come redacted. */
static void take_out_again(struct applying *applying)
{
    const struct travel_session *session = &applying->store->sessions[applying->session];
    for (int i = 0; i < applying->segment->count; i++) {
        const struct travel_sent *sent = &applying->segment->changes[i];
        if ((int)applying->segment->from + i <= session->count && sent->change.type == XYLEM_CHANGE_ENTRY) {
            int own = session->changes[(int)applying->segment->from + i - 1].entry;
            take_out(&applying->store->entries[own].content, &sent->content);
        }
    }
}

/* Has the session no other entry under an id of the remains? Sets `lacks` if an entry is missing. */
static bool remains_fit(const struct applying *applying, int session, bool *lacks)
{
    const struct travel_store *store = applying->store;
    *lacks = false;
    for (int i = 0; i < applying->segment->count; i++) {
        const struct travel_sent *sent = &applying->segment->changes[i];
        int own = travel_find(store, session, sent->change.id);
        bool hangs = i > 0 || sent->parent[0] == '\0' || travel_find(store, session, sent->parent) != TRAVEL_NONE;
        *lacks |= own == TRAVEL_NONE;
        if (own == TRAVEL_NONE ? !hangs
                               : !same_content(store, &store->entries[own], sent) ||
                                     store->entries[own].content.time_ms != sent->content.time_ms) {
            return false;
        }
    }
    return true;
}

/* Remains with other entries under the ids are another session's. */
static int apply_freed(struct applying *applying, const char *owner)
{
    const struct travel_segment *segment = applying->segment;
    struct travel_store *store = applying->store;
    int known = travel_session_of(store, segment->session);
    bool lacks = true;
    if (known != TRAVEL_NONE && follows(&store->sessions[known], owner)) {
        take_out_known(applying, known);
    }
    if (known != TRAVEL_NONE && remains_fit(applying, known, &lacks) && !lacks) {
        return XYLEM_OK;
    }
    applying->session = TRAVEL_NONE;
    for (int i = 0; i < store->session_count && applying->session == TRAVEL_NONE; i++) {
        if (is_remains(&store->sessions[i], segment->session) && remains_fit(applying, i, &lacks)) {
            applying->session = i;
        }
    }
    if (applying->session == TRAVEL_NONE) {
        int code = add_session(applying, owner, 0);
        if (code < 0) {
            return code;
        }
        store->sessions[applying->session].state = XYLEM_SESSION_FREED;
        store->sessions[applying->session].leaf = TRAVEL_NONE;
    }
    for (int i = 0; i < segment->count; i++) {
        const struct travel_sent *sent = &segment->changes[i];
        if (travel_find(store, applying->session, sent->change.id) == TRAVEL_NONE) {
            int code = add_entry(applying, sent);
            applying->report->change_count++;
            if (code < 0 || !check_fits(store, store->entry_count - 1, sent->check)) {
                return code < 0 ? code : XYLEM_E_CONFLICT;
            }
        }
    }
    return XYLEM_OK;
}

int travel_apply(struct travel_report *report, struct travel_store *store, const struct travel_segment *segment,
                 const char *owner, uint64_t epoch)
{
    struct applying applying = {.report = report, .store = store, .segment = segment};
    bool remains = false;
    memset(report, 0, sizeof *report);
    for (int i = 0; i < store->session_count; i++) {
        if (is_remains(&store->sessions[i], segment->session) && follows(&store->sessions[i], owner)) {
            take_out_known(&applying, i);
            remains = true;
        }
    }
    if (segment->freed) {
        return apply_freed(&applying, owner);
    }
    applying.session = travel_session_of(store, segment->session);
    int code = 1;
    if (applying.session == TRAVEL_NONE && segment->from == 1 && segment->to == 1) {
        return XYLEM_OK; /* nothing */
    }
    if (applying.session == TRAVEL_NONE && segment->from > 1 && remains) {
        report->deleted = true;
        return XYLEM_OK;
    }
    if (applying.session == TRAVEL_NONE) {
        code = segment->from > 1 ? XYLEM_E_NOT_FOUND : add_session(&applying, owner, epoch);
        code = code < 0 ? code : 1;
    } else {
        const struct travel_session *known = &store->sessions[applying.session];
        code = look(&applying, owner, epoch);
        if (code < 0 && known->state == XYLEM_SESSION_DELETED && follows(known, owner)) {
            take_out_known(&applying, applying.session);
            report->deleted = true;
            return XYLEM_OK;
        }
        if (code >= 0 && follows(known, owner)) { /* an entry comes again, redacted by now: the change may lie behind */
            take_out_again(&applying);
        }
    }
    if (code <= 0) {
        return code;
    }
    struct travel_session *session = &store->sessions[applying.session];
    int known = session->count < (int)segment->from ? 0 : session->count + 1 - (int)segment->from;
    for (int i = known; i < segment->count; i++) {
        if ((code = add_change(&applying, &segment->changes[i])) < 0) {
            return code;
        }
    }
    if (known < segment->count && !checks_fit(&applying, known)) {
        return XYLEM_E_CONFLICT;
    }
    session->epoch = session->epoch < epoch ? epoch : session->epoch;
    if (segment->has_document) {
        if ((code = place(&session->leaf, &applying, segment->leaf)) < 0 ||
            (code = place(&session->imported_leaf, &applying, segment->imported_leaf)) < 0) {
            return code;
        }
        memcpy(session->lines, segment->lines, sizeof session->lines);
        session->line_count = segment->line_count;
    }
    return XYLEM_OK;
}
