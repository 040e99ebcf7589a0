/*
 * Sessions that travel between two stores, against a plain model (tests/lib/travel_model.h). Both stores own sessions
 * and follow those of the other; a third is a copy of the first, which is written too and ships as if it were the first.
 * What is packed lies in a network that loses, doubles and delays. Each delivery must end as the model says, and
 * afterwards the store must hold what the model holds. At the end both stores are healed, and must have the same
 * sessions. A seed decides everything. It is printed; XYLEM_SEED=n runs that one alone, XYLEM_ROUNDS=n runs more of them.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/chance.h"
#include "tests/lib/same_session.h"
#include "tests/lib/test.h"
#include "tests/lib/travel_model.h"
#include "tests/lib/verified.h"
#include "tests/lib/way_out.h"
#include "xylem/append.h"
#include "xylem/branch.h"
#include "xylem/care.h"
#include "xylem/files.h"
#include "xylem/outline.h"
#include "xylem/redact.h"
#include "xylem/segment.h"

#define STEPS_OF_A_SEED 130
#define NETWORK_MAX 40
#define WORDS_MAX 4096
#define FILES_MAX 3
#define ROUNDS_DEFAULT 40

enum which { FIRST, SECOND, COPY, STORE_COUNT };

/* The copy ships under the name of the first. */
static const char *const names[STORE_COUNT] = {"A", "B", "A"};

struct store {
    bool exists;
    char path[200];
    struct xylem_store *store;
    struct xylem_txn *txn;
    uint64_t lsn; /* of the last change that the model knows */
    struct travel_store model;
    bool has_backup;
    uint64_t backup_lsn;
    struct travel_store backup;
};

struct parcel {
    struct xylem_buffer bytes;
    struct travel_segment segment;
    const char *owner;
    uint64_t epoch;
    enum which from;
};

static struct {
    uint64_t seed;
    struct chance chance;
    char place[128];
    struct store stores[STORE_COUNT];
    struct parcel network[NETWORK_MAX];
    int parcel_count;
    unsigned word_count;
    unsigned session_count; /* ids that were given */
    unsigned backup_count;
    int file_lines[FILES_MAX]; /* of session files, written so far */
    struct travel_store scratch;
} world;

/* What happened in all rounds: each must be met. */
static struct {
    unsigned made;
    unsigned extended;
    unsigned known;
    unsigned gaps;
    unsigned conflicts;
    unsigned deleted;
    unsigned diverged;
    unsigned gone_words;
    unsigned compared;
    unsigned stranded;
    unsigned taken;
    unsigned arrived;
} met;

static struct xylem_error err;

static int must(int code)
{
    if (code < 0) {
        fail_msg("seed %" PRIu64 ": %s: %s", world.seed, xylem_code_text(code), err.text);
    }
    return code;
}

static int draw(int bound)
{
    return chance_below(&world.chance, bound);
}

static bool one_in(int odds)
{
    return chance_one_in(&world.chance, odds);
}

static void copy_id(travel_id id, struct xylem_view view)
{
    assert_true(view.bytes < sizeof(travel_id));
    memset(id, 0, sizeof(travel_id));
    memcpy(id, view.bytes > 0 ? view.data : "", view.bytes);
}

static void copy_text(char *text, size_t room, struct xylem_view view)
{
    assert_true(view.bytes < room);
    memset(text, 0, room);
    memcpy(text, view.bytes > 0 ? view.data : "", view.bytes);
}

/* --- Stores ------------------------------------------------------------------------------------------------------- */

static void open_store(struct store *at)
{
    struct xylem_open_options options = {
        .create = true, .durability = XYLEM_DURABILITY_NONE, .map_bytes = UINT64_C(64) << 20};
    must(xylem_open(&at->store, at->path, &options, &err));
    at->exists = true;
}

static void close_store(struct store *at)
{
    must(xylem_close(at->store, &err));
    at->store = NULL;
}

static void begin(struct store *at)
{
    must(xylem_begin(&at->txn, at->store, XYLEM_WRITE, &err));
}

static void commit(struct store *at)
{
    struct xylem_txn *txn = at->txn;
    at->txn = NULL;
    must(xylem_commit(txn, &err));
}

static void roll_back(struct store *at)
{
    xylem_abort(at->txn);
    at->txn = NULL;
}

/* --- The model learns what a store did to its own sessions -------------------------------------------------------- */

static int entry_at(const struct travel_store *model, struct xylem_position position)
{
    for (int i = 0; position.branch > 0 && i < model->entry_count; i++) {
        if (model->entries[i].position.branch == position.branch &&
            model->entries[i].position.depth == position.depth) {
            return i;
        }
    }
    assert_int_equal(position.branch, 0);
    return TRAVEL_NONE;
}

static int session_numbered(const struct travel_store *model, uint64_t number)
{
    int i = model->session_count - 1;
    while (i >= 0 && model->sessions[i].number != number) {
        i--;
    }
    return i;
}

static struct travel_content content_of(const struct xylem_entry *entry)
{
    struct xylem_view view;
    struct travel_content content = {.kind_class = entry->kind.kind_class,
                                     .format = entry->format,
                                     .time_ms = entry->time_ms,
                                     .imported = (entry->flags & XYLEM_ENTRY_IMPORTED) != 0,
                                     .redacted = (entry->flags & XYLEM_ENTRY_REDACTED) != 0,
                                     .dropped = (entry->flags & XYLEM_ENTRY_HASH_DROPPED) != 0,
                                     .hash = entry->unverified.payload_hash};
    copy_text(content.kind, sizeof content.kind, entry->kind.name);
    must(content.redacted ? xylem_entry_redaction(&view, entry, &err) : xylem_entry_payload(&view, entry, &err));
    copy_text(content.payload, sizeof content.payload, view);
    struct xylem_buffer line = {0};
    must(xylem_entry_imported_line(&line, entry, &err));
    copy_text(content.line, sizeof content.line, (struct xylem_view){line.data, line.bytes});
    xylem_buffer_release(&line);
    return content;
}

static void learn_session(struct store *at, uint64_t number)
{
    struct xylem_session row;
    assert_true(at->model.session_count < TRAVEL_SESSIONS_MAX);
    struct travel_session *made = &at->model.sessions[at->model.session_count++];
    must(xylem_session_read(&row, at->txn, number, &err));
    memset(made, 0, sizeof *made);
    copy_id(made->id, row.id);
    made->number = number;
    made->base = made->leaf = entry_at(&at->model, row.base);
    made->imported_leaf = TRAVEL_NONE;
}

static void learn_entry(struct store *at, const struct xylem_change *change, int session)
{
    struct travel_store *model = &at->model;
    struct xylem_entry entry;
    assert_true(model->entry_count < TRAVEL_ENTRIES_MAX);
    must(xylem_entry_read(&entry, at->txn, change->position, &err));
    struct travel_entry *made = &model->entries[model->entry_count];
    *made = (struct travel_entry){.owner = session,
                                  .parent = entry_at(model, entry.parent),
                                  .position = change->position,
                                  .content = content_of(&entry)};
    copy_id(made->id, entry.id);
    model->entry_count++;
}

/* Fills in what the change is about. */
static void learn_details(struct store *at, struct travel_change *made, const struct xylem_change *change, int session)
{
    struct travel_store *model = &at->model;
    struct xylem_move move;
    struct xylem_entry entry;
    int to;
    switch (change->type) {
    case XYLEM_CHANGE_ENTRY:
        learn_entry(at, change, session);
        made->entry = model->entry_count - 1;
        made->time_ms = model->entries[made->entry].content.time_ms;
        strcpy(made->id, model->entries[made->entry].id);
        break;
    case XYLEM_CHANGE_MOVED:
        must(xylem_move_read(&move, at->txn, change->session, change->move_number, &err));
        to = entry_at(model, move.to);
        made->time_ms = move.time_ms;
        strcpy(made->id, to == TRAVEL_NONE ? "" : model->entries[to].id);
        break;
    case XYLEM_CHANGE_REDACTED:
        made->entry = entry_at(model, change->position);
        strcpy(made->id, model->entries[made->entry].id);
        if (xylem_entry_read(&entry, at->txn, change->position, &err) == XYLEM_OK) {
            model->entries[made->entry].content = content_of(&entry);
        }
        break;
    default:
        break;
    }
}

static void learn_change(struct store *at, const struct xylem_change *change)
{
    struct travel_store *model = &at->model;
    if (change->type == XYLEM_CHANGE_CREATED || change->type == XYLEM_CHANGE_FORKED) {
        learn_session(at, change->session);
    }
    int index = session_numbered(model, change->session);
    assert_true(index >= 0);
    struct travel_session *session = &model->sessions[index];
    if (change->type == XYLEM_CHANGE_FREED) {
        return;
    }
    bool state = change->type == XYLEM_CHANGE_DELETED || change->type == XYLEM_CHANGE_UNDELETED;
    if (session->owner[0] != '\0' && !state) {
        fail_msg("seed %" PRIu64 ": a %s of the session %s, which follows %s", world.seed,
                 xylem_change_word(change->type), session->id, session->owner);
    }
    if (session->state == XYLEM_SESSION_FREED) { /* a redaction of what is left */
        struct travel_change unused = {.type = change->type};
        learn_details(at, &unused, change, index);
        return;
    }
    assert_true(session->count < TRAVEL_CHANGES_MAX);
    struct travel_change made = {.type = change->type, .entry = TRAVEL_NONE};
    learn_details(at, &made, change, index);
    session->changes[session->count++] = made;
    assert_int_equal(change->ordinal, session->count);
    if (change->type == XYLEM_CHANGE_DELETED) {
        session->state = XYLEM_SESSION_DELETED;
    } else if (change->type == XYLEM_CHANGE_UNDELETED) {
        session->owner[0] = '\0';
    }
}

static int read_lines(struct travel_line *lines, struct xylem_txn *txn, uint64_t session)
{
    struct xylem_quarantine *quarantine;
    struct xylem_quarantined line;
    int count = 0;
    must(xylem_quarantine_new(&quarantine, txn, session, &err));
    while (must(xylem_quarantine_next(&line, quarantine, &err)) == 1) {
        assert_true(count < TRAVEL_LINES_MAX);
        lines[count].line = line.line;
        lines[count].empty = line.raw.bytes == 0;
        copy_text(lines[count].raw, sizeof lines[count].raw, line.raw);
        count++;
    }
    xylem_quarantine_free(quarantine);
    return count;
}

/* What follows from rows: of the sessions of the store, state and document; of entries, which were freed. */
static void learn_rows(struct store *at)
{
    struct travel_store *model = &at->model;
    struct xylem_entry entry;
    for (int i = 0; i < model->entry_count; i++) {
        struct travel_entry *known = &model->entries[i];
        int code = known->freed ? XYLEM_E_FREED : xylem_entry_read(&entry, at->txn, known->position, &err);
        known->freed = code == XYLEM_E_FREED || code == XYLEM_E_NOT_FOUND;
        assert_true(known->freed || code == XYLEM_OK);
    }
    for (int i = 0; i < model->session_count; i++) {
        struct travel_session *session = &model->sessions[i];
        struct xylem_session row;
        if (session->state == TRAVEL_GONE) {
            continue;
        }
        int code = xylem_session_read(&row, at->txn, session->number, &err);
        if (code == XYLEM_E_NOT_FOUND || row.state == XYLEM_SESSION_FREED) {
            session->state = code < 0 ? TRAVEL_GONE : XYLEM_SESSION_FREED;
            session->count = session->line_count = 0;
            session->leaf = session->imported_leaf = TRAVEL_NONE;
            session->base = code < 0 ? TRAVEL_NONE : entry_at(model, row.base); /* as deep as it is needed */
        } else if (must(code) == XYLEM_OK && session->owner[0] == '\0') {
            session->state = row.state;
            session->leaf = entry_at(model, row.leaf);
            session->imported_leaf = entry_at(model, row.imported_leaf);
            memset(session->lines, 0, sizeof session->lines);
            session->line_count = read_lines(session->lines, at->txn, session->number);
        }
    }
}

static void learn(struct store *at)
{
    struct xylem_feed *feed;
    struct xylem_change change;
    must(xylem_begin(&at->txn, at->store, XYLEM_READ, &err));
    must(xylem_feed_new(&feed, at->txn, NULL, &err)); /* a store that went back in time begins another life */
    while (must(xylem_feed_next(&change, feed, &err)) == 1) {
        if (change.lsn > at->lsn) {
            learn_change(at, &change);
            at->lsn = change.lsn;
        }
    }
    xylem_feed_free(feed);
    learn_rows(at);
    xylem_abort(at->txn);
    at->txn = NULL;
}

/* --- A store holds what its model holds --------------------------------------------------------------------------- */

static void differ(const struct store *at, const struct travel_session *session, const char *what)
{
    fail_msg("seed %" PRIu64 ": in the store %s the session %s (number %" PRIu64 ") has another %s", world.seed,
             at->path + strlen(world.place), session->id, session->number, what);
}

static void check_place(struct store *at, const struct travel_session *session, struct xylem_position found,
                        int expected, const char *what)
{
    struct xylem_position wanted = {0, 0};
    if (expected != TRAVEL_NONE) {
        wanted = at->model.entries[expected].position;
    }
    if (found.branch != wanted.branch || found.depth != wanted.depth) {
        differ(at, session, what);
    }
}

static void check_entry(struct store *at, const struct travel_session *session, const struct xylem_entry *found,
                        struct travel_entry *expected)
{
    struct xylem_view parent = {"", 0};
    struct travel_content content = content_of(found);
    travel_id id;
    copy_id(id, found->id);
    if (expected->position.branch == 0) {
        expected->position = found->position;
    }
    must(xylem_entry_parent_id(&parent, at->txn, found, &err));
    travel_id parent_id;
    copy_id(parent_id, parent);
    const char *wanted = expected->parent == TRAVEL_NONE ? "" : at->model.entries[expected->parent].id;
    bool same = strcmp(id, expected->id) == 0 && found->position.branch == expected->position.branch &&
                found->position.depth == expected->position.depth && strcmp(parent_id, wanted) == 0;
    const struct travel_content *other = &expected->content;
    if (!same || strcmp(content.kind, other->kind) != 0 || content.kind_class != other->kind_class ||
        content.format != other->format || content.time_ms != other->time_ms || content.imported != other->imported ||
        content.redacted != other->redacted || content.dropped != other->dropped || content.hash != other->hash ||
        strcmp(content.payload, other->payload) != 0 || strcmp(content.line, other->line) != 0) {
        fail_msg("seed %" PRIu64 ": the entry %s of the session %s is %s \"%s\", expected %s \"%s\" (%d%d, %d%d)",
                 world.seed, expected->id, session->id, id, content.payload, expected->id, other->payload,
                 content.redacted, content.dropped, other->redacted, other->dropped);
    }
}

static void check_entries(struct store *at, int index)
{
    struct travel_store *model = &at->model;
    struct travel_session *session = &model->sessions[index];
    struct xylem_scan *scan;
    struct xylem_entry entry;
    must(xylem_scan_new(&scan, at->txn, session->number, &err));
    for (int own = 0; own < 2; own++) { /* first the path of the base, from its root, then what is its own */
        for (int i = 0; i < model->entry_count; i++) {
            if ((model->entries[i].owner == index) == own && travel_belongs(model, index, i)) {
                if (must(xylem_scan_next(&entry, scan, &err)) != 1) {
                    differ(at, session, "number of entries");
                }
                check_entry(at, session, &entry, &model->entries[i]);
            }
        }
    }
    if (must(xylem_scan_next(&entry, scan, &err)) != 0) {
        differ(at, session, "number of entries");
    }
    xylem_scan_free(scan);
}

static void check_moves(struct store *at, const struct travel_session *session, uint64_t count)
{
    struct xylem_move move;
    uint64_t moves = 0;
    for (int i = 0; i < session->count; i++) {
        const struct travel_change *change = &session->changes[i];
        if (change->type == XYLEM_CHANGE_MOVED) {
            must(xylem_move_read(&move, at->txn, session->number, ++moves, &err));
            int to =
                change->id[0] ? travel_find(&at->model, (int)(session - at->model.sessions), change->id) : TRAVEL_NONE;
            check_place(at, session, move.to, to, "target of a navigation");
            assert_int_equal(move.time_ms, change->time_ms);
        }
    }
    assert_int_equal(moves, count);
}

static void check_session(struct store *at, int index)
{
    struct travel_session *session = &at->model.sessions[index];
    struct travel_line lines[TRAVEL_LINES_MAX];
    struct xylem_session row;
    travel_id id = "";
    char owner[8] = "";
    must(xylem_session_read(&row, at->txn, session->number, &err));
    check_entries(at, index);
    if ((int)row.state != session->state) {
        differ(at, session, "state");
    }
    if (session->state == XYLEM_SESSION_FREED) {
        return;
    }
    copy_id(id, row.id);
    memcpy(owner, row.owner.data ? row.owner.data : "", row.owner.bytes);
    if (strcmp(id, session->id) != 0 || strcmp(owner, session->owner) != 0 || row.epoch != session->epoch) {
        differ(at, session, "id, owner or epoch");
    }
    if (row.history.count != (uint64_t)session->count) {
        differ(at, session, "number of changes");
    }
    check_place(at, session, row.base, session->base, "base");
    check_place(at, session, row.leaf, session->leaf, "leaf");
    check_place(at, session, row.imported_leaf, session->imported_leaf, "leaf of the import");
    check_moves(at, session, row.move_count);
    memset(lines, 0, sizeof lines);
    int count = read_lines(lines, at->txn, session->number);
    if (count != session->line_count || memcmp(lines, session->lines, sizeof lines) != 0) {
        differ(at, session, "quarantine");
    }
}

static void check_store(struct store *at)
{
    struct xylem_sessions *sessions;
    struct xylem_session row;
    int expected = 0;
    must(xylem_begin(&at->txn, at->store, XYLEM_READ, &err));
    for (int i = 0; i < at->model.session_count; i++) {
        if (at->model.sessions[i].state != TRAVEL_GONE) {
            check_session(at, i);
            expected++;
        }
    }
    must(xylem_sessions_new(&sessions, at->txn, &err));
    while (must(xylem_sessions_next(&row, sessions, &err)) == 1) {
        expected--;
    }
    xylem_sessions_free(sessions);
    assert_int_equal(expected, 0);
    xylem_abort(at->txn);
    at->txn = NULL;
}

static void verify_store(struct store *at)
{
    must(xylem_begin(&at->txn, at->store, XYLEM_READ, &err));
    assert_verified(at->txn);
    assert_changes_agree(at->txn);
    xylem_abort(at->txn);
    at->txn = NULL;
}

/* --- What a store does to its own sessions ------------------------------------------------------------------------ */

/* Each word comes once: wZ000017Z. */
static const char *new_word(void)
{
    static char word[16];
    assert_true(world.word_count < WORDS_MAX);
    (void)snprintf(word, sizeof word, "wZ%06uZ", world.word_count++);
    return word;
}

/* A random session of that state, owned by the store or not, or TRAVEL_NONE. */
static int any_session(const struct store *at, int state, bool owned)
{
    int found = TRAVEL_NONE;
    int count = 0;
    for (int i = 0; i < at->model.session_count; i++) {
        const struct travel_session *session = &at->model.sessions[i];
        if (session->state == state && (session->owner[0] == '\0') == owned && one_in(++count)) {
            found = i;
        }
    }
    return found;
}

static int any_entry(const struct store *at, int session)
{
    int found = TRAVEL_NONE;
    int count = 0;
    for (int i = 0; i < at->model.entry_count; i++) {
        if (travel_belongs(&at->model, session, i) && one_in(++count)) {
            found = i;
        }
    }
    return found;
}

static struct xylem_position place_of(const struct store *at, int entry)
{
    return entry == TRAVEL_NONE ? (struct xylem_position){0, 0} : at->model.entries[entry].position;
}

static bool has_room(const struct store *at)
{
    return at->model.session_count < TRAVEL_SESSIONS_MAX - 8 && at->model.entry_count < TRAVEL_ENTRIES_MAX - 160;
}

static bool session_has_room(const struct store *at, int session)
{
    return has_room(at) && at->model.sessions[session].count < TRAVEL_CHANGES_MAX - 12;
}

static void create(struct store *at)
{
    char id[24];
    struct xylem_session session;
    (void)snprintf(id, sizeof id, "s%u", world.session_count++);
    struct xylem_session_options options = {.id = xylem_view_of(id), .cwd = xylem_view_of("/home/dev")};
    must(xylem_session_create(&session, at->txn, &options, &err));
}

static void fork_any(struct store *at)
{
    char id[24];
    struct xylem_session session;
    int source = any_session(at, XYLEM_SESSION_LIVE, one_in(2));
    if (source == TRAVEL_NONE) {
        return;
    }
    (void)snprintf(id, sizeof id, "s%u", world.session_count++);
    struct xylem_session_options options = {.id = xylem_view_of(id)};
    int entry = any_entry(at, source);
    uint64_t number = at->model.sessions[source].number;
    if (entry == TRAVEL_NONE || one_in(4)) {
        must(xylem_clone(&session, at->txn, number, &options, &err));
    } else {
        enum xylem_fork_kind kind = one_in(3) ? XYLEM_FORK_BEFORE : XYLEM_FORK_AT;
        must(xylem_fork(&session, at->txn, number, place_of(at, entry), kind, &options, &err));
    }
}

/*
 * Appends up to three entries. Ids and times follow from the number of entries, so a store that went back in time, and
 * a copy, give the same again to other payloads.
 */
static void append(struct store *at, int session)
{
    static const char *const kinds[] = {"message", "message", "note", "label", "session_info"};
    char ids[3][24];
    char payloads[3][80];
    int64_t times[3];
    struct xylem_new_entry entries[3];
    struct xylem_position first;
    const struct travel_session *model = &at->model.sessions[session];
    struct xylem_append_options options = {.parent = XYLEM_PARENT_LEAF};
    int any = any_entry(at, session);
    int count = one_in(3) ? 3 : 1;
    memset(entries, 0, sizeof entries);
    for (int i = 0; i < count; i++) {
        const char *kind = kinds[draw(5)];
        int number = model->count + i;
        (void)snprintf(ids[i], sizeof ids[i], "%.10s-%d", model->id, number);
        times[i] = INT64_C(1700000000000) + number;
        bool label = strcmp(kind, "label") == 0;
        (void)snprintf(payloads[i], sizeof payloads[i], "{\"%s\":\"%s\"%s%.20s%s}",
                       label                               ? "label"
                       : strcmp(kind, "session_info") == 0 ? "name"
                                                           : "text",
                       new_word(), label ? ",\"targetId\":\"" : "", label && any >= 0 ? at->model.entries[any].id : "",
                       label ? "\"" : "");
        entries[i] = (struct xylem_new_entry){.id = xylem_view_of(ids[i]),
                                              .kind = {strcmp(kind, "note") == 0, xylem_view_of(kind)},
                                              .time_ms = &times[i],
                                              .format = XYLEM_FORMAT_JSON,
                                              .payload = xylem_view_of(payloads[i])};
        if (one_in(4) && !label) {
            entries[i].id.bytes = 0; /* made */
        }
    }
    if (one_in(8)) {
        options.parent = XYLEM_PARENT_NONE;
    } else if (any != TRAVEL_NONE && one_in(3)) {
        options = (struct xylem_append_options){.parent = XYLEM_PARENT_AT, .parent_position = place_of(at, any)};
    }
    int code = xylem_append(&first, at->txn, model->number, entries, (size_t)count, &options, &err);
    if (code != XYLEM_E_EXISTS) {
        must(code);
    }
}

static void navigate(struct store *at, int session)
{
    int to = one_in(6) ? TRAVEL_NONE : any_entry(at, session);
    must(xylem_navigate(at->txn, at->model.sessions[session].number, place_of(at, to), xylem_view_of("because"), &err));
}

/* The owner of an entry redacts it. Copies in sessions that follow stay, and are counted. */
static void redact(struct store *at, int session)
{
    struct xylem_redact_report report;
    struct xylem_redact_options options = {
        .reason = xylem_view_of("a secret"), .drop_hash = one_in(2), .only_this = one_in(2)};
    int entry = any_entry(at, session);
    if (entry == TRAVEL_NONE) {
        return;
    }
    int code = xylem_redact(&report, at->txn, at->model.sessions[session].number, place_of(at, entry), &options, &err);
    xylem_redact_report_release(&report);
    const struct travel_store *model = &at->model;
    if (model->sessions[model->entries[entry].owner].owner[0] != '\0') {
        assert_int_equal(code, XYLEM_E_CONFLICT);
    } else {
        must(code);
    }
}

/* What only the owner may do is refused in a store that follows. */
static void try_followed(struct store *at)
{
    int session = any_session(at, XYLEM_SESSION_LIVE, false);
    if (session == TRAVEL_NONE) {
        return;
    }
    uint64_t number = at->model.sessions[session].number;
    struct xylem_position first;
    struct xylem_new_entry entry = {.kind = {XYLEM_CLASS_HOST, xylem_view_of("message")}};
    assert_int_equal(xylem_append(&first, at->txn, number, &entry, 1, NULL, &err), XYLEM_E_CONFLICT);
    assert_int_equal(xylem_navigate(at->txn, number, (struct xylem_position){0, 0}, xylem_view_of(""), &err),
                     XYLEM_E_CONFLICT);
}

/* An operation in a transaction of the caller. */
static void change_any(struct store *at)
{
    int live = any_session(at, XYLEM_SESSION_LIVE, true);
    int deleted = any_session(at, XYLEM_SESSION_DELETED, true);
    int choice = draw(40);
    if (live != TRAVEL_NONE && choice < 22) {
        if (session_has_room(at, live)) {
            append(at, live);
        }
    } else if (live != TRAVEL_NONE && choice < 26) {
        if (session_has_room(at, live)) {
            navigate(at, live);
        }
    } else if (choice < 29) {
        int any = live == TRAVEL_NONE || one_in(3) ? any_session(at, XYLEM_SESSION_LIVE, false) : live;
        if (any != TRAVEL_NONE && session_has_room(at, any)) {
            redact(at, any);
        }
    } else if (choice < 31 && has_room(at)) {
        create(at);
    } else if (choice < 34 && has_room(at)) {
        fork_any(at);
    } else if (choice < 36) {
        int any = one_in(3) ? any_session(at, XYLEM_SESSION_LIVE, false) : live;
        if (any != TRAVEL_NONE && session_has_room(at, any)) {
            must(xylem_session_delete(at->txn, at->model.sessions[any].number, &err));
        }
    } else if (choice < 38) {
        if (deleted != TRAVEL_NONE && session_has_room(at, deleted)) {
            must(xylem_session_undelete(at->txn, at->model.sessions[deleted].number, &err));
        }
    } else {
        try_followed(at);
    }
}

/* --- Session files ------------------------------------------------------------------------------------------------ */

static void write_line(FILE *file, int number)
{
    int kind = draw(8);
    if (kind == 0) { /* into quarantine */
        fprintf(file, "{\"type\":\"message\", %s\n", new_word());
        return;
    }
    int id = kind == 1 && number > 1 ? draw(number) : number; /* an id of a line before: into quarantine */
    char parent[32];
    int before = one_in(3) ? draw(number + 1) : number;
    (void)snprintf(parent, sizeof parent, before == 0 ? "null" : "\"l%d\"", before - 1);
    fprintf(file,
            "{\"type\":%s\"message\",\"id\":\"l%d\",\"parentId\":%s,\"timestamp\":\"2026-11-20T10:00:%02d.000Z\","
            "\"message\":{\"role\":\"user\",\"content\":\"%s\"}}\n",
            one_in(3) ? " " : "", id, parent, number % 60, new_word());
}

/* Lets a session file grow, and imports it. The session of a file belongs to the first store, or nobody reads it. */
static void import(struct store *at)
{
    char path[260];
    char id[24];
    struct xylem_import_report report;
    int which = draw(FILES_MAX);
    (void)snprintf(id, sizeof id, "f%d", which);
    (void)snprintf(path, sizeof path, "%s/%s.jsonl", world.place, id);
    int session = travel_session_of(&at->model, id);
    if (!has_room(at) || (session != TRAVEL_NONE && !session_has_room(at, session))) {
        return;
    }
    FILE *file = fopen(path, "ab");
    assert_non_null(file);
    if (world.file_lines[which] == 0) {
        fprintf(file,
                "{\"type\":\"session\",\"version\":3,\"id\":\"%s\",\"timestamp\":\"2026-11-20T10:00:00.000Z\","
                "\"cwd\":\"/home\"}\n",
                id);
    }
    for (int count = draw(4); count > 0 && world.file_lines[which] < 40; count--) {
        write_line(file, world.file_lines[which]++);
    }
    assert_int_equal(fclose(file), 0);
    int code = xylem_import(&report, at->store, path, NULL, &err);
    xylem_import_report_release(&report);
    bool followed = session != TRAVEL_NONE && at->model.sessions[session].owner[0] != '\0';
    if (code != XYLEM_E_CONFLICT || !followed) { /* nothing new in the file is no conflict */
        must(code);
    }
}

/* --- Whole stores ------------------------------------------------------------------------------------------------- */

static void compact(struct store *at)
{
    close_store(at);
    must(xylem_compact(NULL, at->path, NULL, &err));
    open_store(at);
}

static void collect(struct store *at)
{
    begin(at);
    must(xylem_gc(NULL, at->txn, NULL, &err));
    commit(at);
}

static void backup_path(char path[240], const struct store *at)
{
    (void)snprintf(path, 240, "%s.backup", at->path);
}

static void back_up(struct store *at)
{
    char path[240];
    backup_path(path, at);
    test_directory_remove(path);
    must(xylem_backup(NULL, at->store, path, NULL, &err));
    at->has_backup = true;
    at->backup_lsn = at->lsn;
    at->backup = at->model;
}

/* The backup takes the place of the store, and stays. */
static void restore(struct store *at)
{
    char path[240];
    if (!at->has_backup) {
        return;
    }
    backup_path(path, at);
    close_store(at);
    test_directory_remove(at->path);
    assert_int_equal(rename(path, at->path), 0);
    at->model = at->backup;
    at->lsn = at->backup_lsn;
    open_store(at);
    back_up(at);
}

/* A copy of the first store begins where the first store is. */
static void copy_first(void)
{
    struct store *first = &world.stores[FIRST];
    struct store *copy = &world.stores[COPY];
    if (copy->exists) {
        close_store(copy);
        test_directory_remove(copy->path);
    }
    must(xylem_backup(NULL, first->store, copy->path, NULL, &err));
    copy->model = first->model;
    copy->lsn = first->lsn;
    open_store(copy);
}

/* One store gives a session to the other, which has what came so far. */
static void hand_over(struct store *from, struct store *to, const char *name)
{
    int mine = any_session(from, XYLEM_SESSION_LIVE, true);
    int theirs = mine == TRAVEL_NONE ? TRAVEL_NONE : travel_session_of(&to->model, from->model.sessions[mine].id);
    if (theirs == TRAVEL_NONE || to->model.sessions[theirs].state != XYLEM_SESSION_LIVE) {
        return;
    }
    struct travel_session *given = &from->model.sessions[mine];
    struct travel_session *taken = &to->model.sessions[theirs];
    uint64_t epoch = (given->epoch > taken->epoch ? given->epoch : taken->epoch) + 1;
    begin(from);
    begin(to);
    must(xylem_session_follow(from->txn, given->number, xylem_view_of(name), epoch, &err));
    must(xylem_session_own(to->txn, taken->number, epoch, &err));
    commit(from);
    commit(to);
    strcpy(given->owner, name);
    taken->owner[0] = '\0';
    given->epoch = taken->epoch = epoch;
}

/* --- Shipping ----------------------------------------------------------------------------------------------------- */

static void release(struct parcel *parcel)
{
    xylem_buffer_release(&parcel->bytes);
    free(parcel->segment.changes);
    memset(parcel, 0, sizeof *parcel);
}

static void lose(int index)
{
    release(&world.network[index]);
    world.network[index] = world.network[--world.parcel_count];
}

/* Packs the changes [from, to) of a session; `to` 0: all, with the document. */
static struct parcel pack(struct store *at, int index, uint64_t from, uint64_t to)
{
    enum which which = (enum which)(at - world.stores);
    const struct travel_session *session = &at->model.sessions[index];
    struct parcel parcel = {.owner = names[which], .epoch = session->epoch, .from = which};
    const struct xylem_pack_options options = {.from = from, .to = to};
    struct xylem_packing *packing;
    struct xylem_segment segment;
    struct xylem_buffer rest = {NULL, 0, 0};
    struct xylem_txn *txn;
    must(xylem_begin(&txn, at->store, XYLEM_READ, &err));
    must(xylem_packing_new(&packing, txn, session->number, &options, &err));
    assert_int_equal(must(xylem_packing_next(&parcel.bytes, &segment, packing, &err)), 1);
    assert_int_equal(must(xylem_packing_next(&rest, &segment, packing, &err)), 0);
    xylem_packing_free(packing);
    xylem_buffer_release(&rest);
    xylem_abort(txn);
    parcel.segment = travel_pack(&at->model, index, from, to);
    return parcel;
}

/* Packs a session that the store owns, or the remains of a freed one, into the network. */
static void ship(struct store *at)
{
    int index = one_in(8) ? any_session(at, XYLEM_SESSION_FREED, true)
                          : any_session(at, one_in(6) ? XYLEM_SESSION_DELETED : XYLEM_SESSION_LIVE, true);
    if (index == TRAVEL_NONE) {
        return;
    }
    const struct travel_session *session = &at->model.sessions[index];
    int theirs = travel_session_of(&world.stores[at == &world.stores[SECOND] ? FIRST : SECOND].model, session->id);
    int known = theirs == TRAVEL_NONE
                    ? 0
                    : world.stores[at == &world.stores[SECOND] ? FIRST : SECOND].model.sessions[theirs].count;
    uint64_t from = one_in(3) ? 1 : 1 + (uint64_t)draw(session->count + 1);
    if (known <= session->count && one_in(3)) {
        from = (uint64_t)known + 1;
    }
    uint64_t to = one_in(3) ? from + (uint64_t)draw(session->count + 2 - (int)from) : 0;
    if (session->state == XYLEM_SESSION_FREED) {
        from = to = 0;
    }
    if (world.parcel_count == NETWORK_MAX) {
        lose(draw(NETWORK_MAX));
    }
    world.network[world.parcel_count++] = pack(at, index, from, to);
}

static const char *describe(const struct travel_segment *segment)
{
    static char text[200];
    (void)snprintf(text, sizeof text, "%s [%" PRIu64 ", %" PRIu64 ")%s%s on %s %s", segment->session, segment->from,
                   segment->to, segment->has_document ? " with document" : "", segment->freed ? " freed" : "",
                   segment->base_session, segment->base_entry);
    return text;
}

static void count_outcome(int code, const struct travel_report *report)
{
    met.made += code == XYLEM_OK && report->is_new;
    met.extended += code == XYLEM_OK && !report->is_new && report->change_count > 0;
    met.known += code == XYLEM_OK && !report->is_new && report->change_count == 0;
    met.gaps += code == XYLEM_E_NOT_FOUND;
    met.conflicts += code == XYLEM_E_CONFLICT;
    met.deleted += code == XYLEM_E_DELETED;
}

/* Applies a segment, and holds the answer and the store against the model. */
static int deliver(struct store *to, const struct parcel *parcel)
{
    struct travel_report expected;
    struct xylem_apply_report report;
    const char *owner = to == &world.stores[FIRST] && strcmp(parcel->owner, "A") == 0    ? ""
                        : to == &world.stores[SECOND] && strcmp(parcel->owner, "B") == 0 ? ""
                                                                                         : parcel->owner;
    const struct xylem_apply_options options = {.owner = xylem_view_of(owner), .epoch = parcel->epoch};
    world.scratch = to->model;
    int wanted = travel_apply(&expected, &world.scratch, &parcel->segment, owner, parcel->epoch);
    begin(to);
    struct xylem_view bytes = {parcel->bytes.data, parcel->bytes.bytes};
    int code = xylem_segment_apply(&report, to->txn, bytes, &options, &err);
    if (code != wanted) {
        fail_msg("seed %" PRIu64 ": %s of %s to %s: %s (%s), expected %s", world.seed, describe(&parcel->segment),
                 parcel->owner, to->path + strlen(world.place), xylem_code_text(code), code < 0 ? err.text : "",
                 xylem_code_text(wanted));
    }
    count_outcome(code, &expected);
    if (code < 0) {
        roll_back(to);
        return code;
    }
    if (report.is_new != expected.is_new || report.change_count != expected.change_count ||
        report.entry_count != expected.entry_count || report.deleted != expected.deleted) {
        fail_msg("seed %" PRIu64 ": %s of %s to %s: %" PRIu64 " changes, %" PRIu64 " entries (%d%d), expected %" PRIu64
                 ", %" PRIu64 " (%d%d)",
                 world.seed, describe(&parcel->segment), parcel->owner, to->path + strlen(world.place),
                 report.change_count, report.entry_count, report.is_new, report.deleted, expected.change_count,
                 expected.entry_count, expected.is_new, expected.deleted);
    }
    struct xylem_cursor last;
    must(xylem_feed_last(&last, to->txn, &err));
    to->lsn = last.lsn;
    commit(to);
    to->model = world.scratch;
    if (expected.is_new) {
        to->model.sessions[to->model.session_count - 1].number = report.session;
    }
    return code;
}

static void deliver_any(void)
{
    if (world.parcel_count == 0) {
        return;
    }
    int index = draw(world.parcel_count);
    struct parcel *parcel = &world.network[index];
    bool to_owner = one_in(8);
    enum which other = strcmp(parcel->owner, "A") == 0 ? SECOND : FIRST;
    struct store *to = &world.stores[to_owner ? SECOND - other : other];
    if (!one_in(10) && has_room(to)) {
        deliver(to, parcel);
        check_store(to);
    }
    if (!one_in(3)) {
        lose(index);
    }
}

/* --- Healing ------------------------------------------------------------------------------------------------------ */

/* Gives the session of a store that follows another id, since its owner has another history. */
static void diverge(struct store *at, int index)
{
    struct travel_session *model = &at->model.sessions[index];
    struct xylem_session session;
    char id[24];
    (void)snprintf(id, sizeof id, "d%u", world.session_count++);
    begin(at);
    must(xylem_session_diverge(&session, at->txn, model->number, xylem_view_of(id), xylem_view_of("diverged"), &err));
    commit(at);
    memset(model->id, 0, sizeof model->id);
    strcpy(model->id, id);
    model->owner[0] = '\0';
    learn(at);
    check_store(at);
    met.diverged++;
}

/* Of two stores that own a session, or of none, one stays: that of the greater epoch. */
static void settle_owner(struct store *first, struct store *second, int mine, int theirs)
{
    struct travel_session *a = &first->model.sessions[mine];
    struct travel_session *b = &second->model.sessions[theirs];
    if (a->state != XYLEM_SESSION_LIVE || b->state != XYLEM_SESSION_LIVE) {
        return;
    }
    if (a->owner[0] != '\0' && b->owner[0] != '\0') {
        uint64_t epoch = (a->epoch > b->epoch ? a->epoch : b->epoch) + 1;
        begin(first);
        must(xylem_session_own(first->txn, a->number, epoch, &err));
        commit(first);
        a->owner[0] = '\0';
        a->epoch = epoch;
    } else if (a->owner[0] == '\0' && b->owner[0] == '\0') {
        bool second_wins = b->epoch > a->epoch;
        diverge(second_wins ? first : second, second_wins ? mine : theirs);
    }
}

static void settle_owners(void)
{
    struct store *first = &world.stores[FIRST];
    struct store *second = &world.stores[SECOND];
    for (int i = 0; i < first->model.session_count; i++) {
        int state = first->model.sessions[i].state;
        int other = state == XYLEM_SESSION_FREED || state == TRAVEL_GONE
                        ? TRAVEL_NONE
                        : travel_session_of(&second->model, first->model.sessions[i].id);
        if (other != TRAVEL_NONE) {
            settle_owner(first, second, i, other);
        }
    }
}

/* True if the other store has more of the session than its owner, which went back in time. */
static bool is_behind(const struct store *from, int index, const struct store *to, int theirs)
{
    return to->model.sessions[theirs].count > from->model.sessions[index].count;
}

/* A store that follows takes the sessions that their owner has freed. */
static void adopt_orphans(struct store *at, const struct store *other)
{
    for (int i = 0; i < at->model.session_count; i++) {
        struct travel_session *session = &at->model.sessions[i];
        if (session->state == XYLEM_SESSION_LIVE && session->owner[0] != '\0' &&
            travel_session_of(&other->model, session->id) == TRAVEL_NONE) {
            begin(at);
            must(xylem_session_own(at->txn, session->number, ++session->epoch, &err));
            commit(at);
            session->owner[0] = '\0';
        }
    }
}

/*
 * True if an entry is redacted otherwise than at the owner, though the changes are the same. An owner that went back in
 * time may redact the entry again, with or without the hash, and the chain of changes does not tell the two apart; or
 * the redaction came with remains, from before the owner went back. An owner that still has the remains sends the
 * redaction each time, and another copy of the session would be no better.
 */
static bool is_redacted_otherwise(const struct store *from, int index, const struct store *to, int theirs)
{
    bool has_remains = travel_remains_of(&from->model, from->model.sessions[index].id) != TRAVEL_NONE;
    for (int i = 0; i < from->model.entry_count && !has_remains; i++) {
        const struct travel_entry *mine = &from->model.entries[i];
        int other = mine->owner == index ? travel_find(&to->model, theirs, mine->id) : TRAVEL_NONE;
        const struct travel_content *found = other == TRAVEL_NONE ? NULL : &to->model.entries[other].content;
        if (found && (mine->content.hash != found->hash || mine->content.redacted != found->redacted)) {
            return true;
        }
    }
    return false;
}

/* Ships a session from its first change on. With `diverges` another history in the other store makes room. */
static void ship_whole(struct store *from, int index, struct store *to, bool diverges)
{
    const struct travel_session *session = &from->model.sessions[index];
    if (session->owner[0] != '\0' || session->state == TRAVEL_GONE) {
        return;
    }
    bool freed = session->state == XYLEM_SESSION_FREED;
    struct parcel parcel = pack(from, index, freed ? 0 : 1, 0);
    int code = deliver(to, &parcel);
    int theirs = freed ? TRAVEL_NONE : travel_session_of(&to->model, session->id);
    bool follows = theirs != TRAVEL_NONE && to->model.sessions[theirs].owner[0] != '\0';
    bool differs = code == XYLEM_E_CONFLICT ||
                   (code == XYLEM_OK && follows &&
                    (is_behind(from, index, to, theirs) || is_redacted_otherwise(from, index, to, theirs)));
    if (diverges && differs && follows && to->model.sessions[theirs].state == XYLEM_SESSION_LIVE) {
        diverge(to, theirs);
        deliver(to, &parcel);
    }
    release(&parcel);
    check_store(to);
}

static void ship_all(struct store *from, struct store *to, bool diverges)
{
    for (int i = 0; i < from->model.session_count; i++) {
        ship_whole(from, i, to, diverges);
    }
}

/*
 * True if one store owns the session and the other follows, and both have its base in the same session. What a store
 * has freed, or deleted for itself, comes back by no segment, and a fork of a session that got another id stays there.
 */
static bool is_settled(const struct store *from, int mine, const struct store *to)
{
    const struct travel_session *session = &from->model.sessions[mine];
    int theirs = travel_session_of(&to->model, session->id);
    if (theirs == TRAVEL_NONE || travel_session_of(&from->model, session->id) != mine ||
        travel_remains_of(&from->model, session->id) != TRAVEL_NONE ||
        travel_remains_of(&to->model, session->id) != TRAVEL_NONE ||
        (session->owner[0] == '\0') == (to->model.sessions[theirs].owner[0] == '\0')) {
        return false;
    }
    if (session->base == TRAVEL_NONE) {
        return true;
    }
    int here = from->model.entries[session->base].owner;
    int there = to->model.entries[to->model.sessions[theirs].base].owner;
    return strcmp(from->model.sessions[here].id, to->model.sessions[there].id) == 0 && is_settled(from, here, to);
}

/* Each session that follows is as its owner's. */
static void compare_all(struct store *from, struct store *to)
{
    must(xylem_begin(&from->txn, from->store, XYLEM_READ, &err));
    must(xylem_begin(&to->txn, to->store, XYLEM_READ, &err));
    for (int i = 0; i < from->model.session_count; i++) {
        const struct travel_session *session = &from->model.sessions[i];
        if (session->owner[0] != '\0' || session->state == XYLEM_SESSION_FREED || session->state == TRAVEL_GONE) {
            continue;
        }
        int theirs = travel_session_of(&to->model, session->id);
        int base = session->base == TRAVEL_NONE ? TRAVEL_NONE : from->model.entries[session->base].owner;
        if (base != TRAVEL_NONE && !is_settled(from, base, to)) {
            met.stranded++;
            continue;
        }
        if (theirs == TRAVEL_NONE) {
            fail_msg("seed %" PRIu64 ": the session %s did not come to %s", world.seed, session->id,
                     to->path + strlen(world.place));
        }
        if (is_settled(from, i, to)) {
            assert_same_session(from->txn, to->txn, session->id);
            met.compared++;
        }
    }
    xylem_abort(from->txn);
    xylem_abort(to->txn);
    from->txn = to->txn = NULL;
}

/* --- Words -------------------------------------------------------------------------------------------------------- */

static char *read_file(const char *path, size_t *bytes)
{
    struct stat status;
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0 && fstat(fd, &status) == 0);
    *bytes = (size_t)status.st_size;
    char *data = malloc(*bytes + 1);
    assert_non_null(data);
    assert_int_equal(read(fd, data, *bytes), status.st_size);
    close(fd);
    return data;
}

static void note_words(bool *there, const char *text)
{
    for (const char *at = text; (at = strstr(at, "wZ")); at += 2) {
        there[strtoul(at + 2, NULL, 10)] = true;
    }
}

/* The words that the model of the store has. */
static void model_words(bool *there, const struct travel_store *model)
{
    for (int i = 0; i < model->entry_count; i++) {
        if (!model->entries[i].freed) {
            note_words(there, model->entries[i].content.payload);
            note_words(there, model->entries[i].content.line);
        }
    }
    for (int i = 0; i < model->session_count; i++) {
        for (int j = 0; j < model->sessions[i].line_count; j++) {
            note_words(there, model->sessions[i].lines[j].raw);
        }
    }
}

/* The words that are in the bytes of the closed store. */
static void find_words(bool *found, const struct store *at)
{
    char path[260];
    size_t bytes;
    (void)snprintf(path, sizeof path, "%s/data.mdb", at->path);
    char *data = read_file(path, &bytes);
    size_t last = bytes - sizeof "wZ000000Z"; /* where a word may begin */
    for (const char *word = data; (word = memmem(word, last - (size_t)(word - data), "wZ", 2)); word += 2) {
        unsigned number = WORDS_MAX;
        char end = '\0';
        char text[10] = "";
        memcpy(text, word, 9);
        bool whole = sscanf(text, "wZ%6u%c", &number, &end) == 2 && end == 'Z' && number < WORDS_MAX;
        found[whole ? number : WORDS_MAX] = true;
    }
    free(data);
}

/* After a compaction the bytes of the store have the words that the model has, and no other. */
static void check_words(struct store *at)
{
    bool expected[WORDS_MAX + 1] = {false};
    bool found[WORDS_MAX + 1] = {false};
    must(xylem_outlines_refresh(NULL, at->store, &err));
    close_store(at);
    must(xylem_compact(NULL, at->path, NULL, &err));
    model_words(expected, &at->model);
    find_words(found, at);
    open_store(at);
    for (unsigned i = 0; i < world.word_count; i++) {
        if (expected[i] != found[i]) {
            fail_msg("seed %" PRIu64 ": the word wZ%06uZ is %s in the bytes of %s", world.seed, i,
                     found[i] ? "still" : "not", at->path + strlen(world.place));
        }
        met.gone_words += !found[i];
    }
}

/* --- A round ------------------------------------------------------------------------------------------------------ */

static void begin_world(uint64_t seed)
{
    memset(&world, 0, sizeof world);
    world.seed = seed;
    world.chance = chance_of(seed);
    test_directory_make(world.place, sizeof world.place, "shipping");
    for (int i = 0; i < STORE_COUNT; i++) {
        (void)snprintf(world.stores[i].path, sizeof world.stores[i].path, "%s/%s", world.place,
                       i == FIRST    ? "first"
                       : i == SECOND ? "second"
                                     : "copy");
    }
    open_store(&world.stores[FIRST]);
    open_store(&world.stores[SECOND]);
}

static void end_world(void)
{
    while (world.parcel_count > 0) {
        lose(0);
    }
    for (int i = 0; i < STORE_COUNT; i++) {
        if (world.stores[i].exists) {
            close_store(&world.stores[i]);
        }
    }
    test_directory_remove(world.place);
    world.place[0] = '\0';
}

/* What a failed round left behind: its stores stay open until the end of the process. */
static int clear_world(void **state)
{
    (void)state;
    if (world.place[0] != '\0') {
        test_directory_remove(world.place);
    }
    return 0;
}

static void care_for(struct store *at)
{
    switch (draw(6)) {
    case 0:
        compact(at);
        break;
    case 1:
        back_up(at);
        break;
    case 2:
        restore(at);
        break;
    case 3:
        must(xylem_outlines_refresh(NULL, at->store, &err));
        break;
    case 4:
        copy_first();
        break;
    default:
        collect(at);
        break;
    }
}

static void step(void)
{
    struct store *first = &world.stores[FIRST];
    struct store *second = &world.stores[SECOND];
    bool copied = world.stores[COPY].exists && one_in(6);
    struct store *at = copied ? &world.stores[COPY] : one_in(3) ? second : first;
    int choice = draw(30);
    if (choice < 8) {
        ship(at);
        return;
    }
    if (choice < 17) {
        deliver_any();
        return;
    }
    if (choice == 17) {
        at = copied ? first : at;
        care_for(at);
    } else if (choice == 18 && one_in(3)) {
        bool turn = one_in(2);
        hand_over(turn ? first : second, turn ? second : first, turn ? "B" : "A");
    } else if (choice == 19 && !copied) {
        import(at);
    } else {
        begin(at);
        change_any(at);
        commit(at);
    }
    learn(at);
    check_store(at);
}

/* Everything ships until both stores agree. */
static void heal(void)
{
    struct store *first = &world.stores[FIRST];
    struct store *second = &world.stores[SECOND];
    collect(first);
    collect(second);
    learn(first);
    learn(second);
    settle_owners();
    for (int round = 0; round < 6; round++) {
        if (round == 2) {
            adopt_orphans(first, second);
            adopt_orphans(second, first);
        }
        ship_all(first, second, round >= 2);
        ship_all(second, first, round >= 2);
    }
    compare_all(first, second);
    compare_all(second, first);
    verify_store(first);
    verify_store(second);
    check_words(first);
    check_words(second);
}

/* All that a store holds goes out, and into an empty one. */
static void leave(enum which which)
{
    begin(&world.stores[which]);
    assert_way_out(world.stores[which].txn);
    roll_back(&world.stores[which]);
}

static void run_seed(uint64_t seed)
{
    begin_world(seed);
    for (int i = 0; i < STEPS_OF_A_SEED; i++) {
        step();
    }
    leave(FIRST);
    leave(SECOND);
    heal();
    end_world();
}

/* --- Patterns ----------------------------------------------------------------------------------------------------- */

#define PATTERN "wZ[0-9]*7Z"
#define PATTERN_REASON "a pattern"

static bool is_taken(const struct travel_content *content)
{
    const char *texts[] = {content->payload, content->line};
    for (int i = 0; i < 2; i++) {
        const char *word = content->redacted ? NULL : strstr(texts[i], "wZ");
        if (word && word[7] == '7') {
            return true;
        }
    }
    return false;
}

/* Ships what the second store lacks of a session, without what the patterns match. */
static void ship_with_patterns(int index, const struct xylem_patterns *patterns)
{
    struct store *first = &world.stores[FIRST];
    struct store *second = &world.stores[SECOND];
    const struct travel_session *session = &first->model.sessions[index];
    const struct xylem_apply_options applied = {.owner = xylem_view_of("A"), .epoch = 1};
    struct xylem_apply_report report;
    struct xylem_session known = {.history.count = 0};
    struct xylem_buffer bytes = {NULL, 0, 0};
    struct xylem_packing *packing;
    struct xylem_segment segment;
    struct xylem_txn *txn;
    uint64_t number = second->model.sessions[index].number; /* of the same session, 0 for none */
    begin(second);
    must(number ? xylem_session_read(&known, second->txn, number, &err) : XYLEM_OK);
    const struct xylem_pack_options options = {.from = one_in(4) ? 1 : known.history.count + 1,
                                               .patterns = patterns,
                                               .patterns_sum = 7,
                                               .reason = xylem_view_of(PATTERN_REASON)};
    must(xylem_begin(&txn, first->store, XYLEM_READ, &err));
    must(xylem_packing_new(&packing, txn, session->number, &options, &err));
    while (must(xylem_packing_next(&bytes, &segment, packing, &err)) == 1) {
        must(xylem_segment_apply(&report, second->txn, (struct xylem_view){bytes.data, bytes.bytes}, &applied, &err));
        second->model.sessions[index].number = report.session;
    }
    xylem_packing_free(packing);
    xylem_buffer_release(&bytes);
    xylem_abort(txn);
    commit(second);
}

/* Each entry is there: as it is in the first store, or without what a pattern takes. */
static void compare_with_patterns(int index)
{
    struct store *first = &world.stores[FIRST];
    struct store *second = &world.stores[SECOND];
    const struct travel_session *session = &first->model.sessions[index];
    struct xylem_position position;
    struct xylem_entry entry;
    uint64_t number = second->model.sessions[index].number;
    must(xylem_begin(&second->txn, second->store, XYLEM_READ, &err));
    for (int i = 0; i < first->model.entry_count; i++) {
        const struct travel_entry *expected = &first->model.entries[i];
        if (!travel_belongs(&first->model, index, i)) {
            continue;
        }
        must(xylem_find(&position, second->txn, number, xylem_view_of(expected->id), &err));
        must(xylem_entry_read(&entry, second->txn, position, &err));
        struct travel_content found = content_of(&entry);
        if (found.dropped && strcmp(found.payload, PATTERN_REASON) == 0) {
            met.taken++; /* it may have been redacted since */
            assert_true(is_taken(&expected->content) || expected->content.redacted);
        } else if (strcmp(found.payload, expected->content.payload) != 0 ||
                   strcmp(found.line, expected->content.line) != 0 || is_taken(&found)) {
            fail_msg("seed %" PRIu64 ": the entry %s of %s is \"%s\", expected \"%s\"", world.seed, expected->id,
                     session->id, found.payload, expected->content.payload);
        }
    }
    xylem_abort(second->txn);
    second->txn = NULL;
}

/* The words that are in the bytes of the second store, and are matched by the pattern: none. */
static void check_pattern_words(struct store *at)
{
    bool found[WORDS_MAX + 1] = {false};
    unsigned count = 0;
    must(xylem_outlines_refresh(NULL, at->store, &err));
    close_store(at);
    must(xylem_compact(NULL, at->path, NULL, &err));
    find_words(found, at);
    open_store(at);
    for (unsigned i = 0; i < world.word_count; i++) {
        count += found[i];
        if (found[i] && i % 10 == 7) {
            fail_msg("seed %" PRIu64 ": the word wZ%06uZ is in the bytes of the store that follows", world.seed, i);
        }
    }
    met.arrived += count;
}

static void run_seed_with_patterns(uint64_t seed)
{
    struct xylem_patterns *patterns;
    begin_world(seed);
    struct store *first = &world.stores[FIRST];
    must(xylem_patterns_new(&patterns, xylem_view_of(PATTERN), &err));
    for (int i = 0; i < STEPS_OF_A_SEED / 2; i++) {
        if (one_in(4)) {
            import(first);
        } else {
            begin(first);
            change_any(first);
            commit(first);
        }
        learn(first);
        for (int j = 0; (i % 8 == 7 || i + 1 == STEPS_OF_A_SEED / 2) && j < first->model.session_count; j++) {
            ship_with_patterns(j, patterns);
        }
    }
    for (int j = 0; j < first->model.session_count; j++) {
        compare_with_patterns(j);
    }
    xylem_patterns_free(patterns);
    verify_store(&world.stores[SECOND]);
    check_pattern_words(&world.stores[SECOND]);
    end_world();
}

TEST_WITH(words_that_patterns_match_do_not_arrive, NULL, clear_world)
{
    test_seeds(run_seed_with_patterns, test_rounds(ROUNDS_DEFAULT));
    print_message("figures: %u entries were taken, %u words arrived\n", met.taken, met.arrived);
    assert_true(getenv("XYLEM_SEED") || (met.taken > 0 && met.arrived > 0));
}

TEST_WITH(stores_that_ship_sessions_hold_what_a_plain_model_holds, NULL, clear_world)
{
    if (!getenv("XYLEM_SEED")) {
        run_seed(1); /* meets every kind; ten seeds by chance met no conflict in one run of 600 */
    }
    test_seeds(run_seed, test_rounds(ROUNDS_DEFAULT));
    print_message("figures: %u made, %u extended, %u known, %u gaps, %u conflicts, %u deleted, %u diverged; %u words "
                  "gone; %u sessions are the same, %u rest on others that are not\n",
                  met.made, met.extended, met.known, met.gaps, met.conflicts, met.deleted, met.diverged, met.gone_words,
                  met.compared, met.stranded);
    if (!getenv("XYLEM_SEED")) {
        assert_true(met.made > 0 && met.extended > 0 && met.known > 0 && met.gaps > 0 && met.conflicts > 0);
    }
}
