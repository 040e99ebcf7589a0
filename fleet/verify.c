#include "fleet/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"
#include "fleet/wait.h"
#include "xylem/branch.h"
#include "xylem/entry.h"

#define PAGE_ROWS 256u
#define PAGE_PIECES 16u

/* A redacted entry of the store's session. */
struct redacted {
    uint64_t ordinal;
    size_t id_at; /* in `ids` */
    size_t id_bytes;
};

/* What the store says of the present session. */
struct local {
    bool found;
    uint64_t number;
    uint64_t count;
    struct redacted *redacted;
    size_t redacted_count;
    size_t redacted_capacity;
    struct xylem_buffer ids;
};

/* A place in a session's changes that both sides may know. */
struct boundary {
    uint64_t next;
    uint64_t chain;
    bool known;
};

/* One look at all segments of a session, of the engine or of the archive. */
struct walk {
    const char *where;
    struct fleet_waiting *waiting;
    struct boundary at;      /* behind the last segment */
    struct boundary store;   /* the last one that the store has, too */
    struct boundary archive; /* that of the archive's row */
    uint64_t archive_next;
    struct fleet_row row; /* without its views */
    bool found;
    bool readable;
};

struct verifying {
    const struct fleet_verify_options *options;
    struct fleet_verify_report *report;
    struct fleet_waiting engine;
    struct fleet_waiting archive;
    struct xylem_txn *txn; /* of the store, for the present session; NULL: none */
    struct xylem_view id;
    struct local local;
    struct xylem_error *err;
};

const char *fleet_finding_word(enum fleet_finding_type type)
{
    static const char *const words[FLEET_FINDING_TYPE_COUNT] = {[FLEET_FINDING_UNREADABLE] = "unreadable",
                                                                [FLEET_FINDING_OTHER] = "other",
                                                                [FLEET_FINDING_GAP] = "gap",
                                                                [FLEET_FINDING_CHAIN] = "chain",
                                                                [FLEET_FINDING_MISSING] = "missing",
                                                                [FLEET_FINDING_HISTORY] = "history",
                                                                [FLEET_FINDING_AHEAD] = "ahead",
                                                                [FLEET_FINDING_REMAINS] = "remains",
                                                                [FLEET_FINDING_OUTDATED] = "outdated",
                                                                [FLEET_FINDING_TEXT] = "text"};
    return type < FLEET_FINDING_TYPE_COUNT ? words[type] : "unknown";
}

/* --- Findings ----------------------------------------------------------------------------------------------------- */

static void find_entry(const struct verifying *verifying, enum fleet_finding_type type, const char *where,
                       uint64_t ordinal, struct xylem_view entry, const char *expected, const char *found)
{
    const struct fleet_finding finding = {type, where, verifying->id, ordinal, entry, expected, found};
    verifying->report->findings++;
    if (verifying->options->find) {
        verifying->options->find(verifying->options->context, &finding);
    }
}

static void find(const struct verifying *verifying, enum fleet_finding_type type, const char *where, uint64_t ordinal,
                 const char *expected, const char *found)
{
    find_entry(verifying, type, where, ordinal, (struct xylem_view){NULL, 0}, expected, found);
}

/* `what` and a number each. */
static void find_numbers(const struct verifying *verifying, enum fleet_finding_type type, const char *where,
                         uint64_t ordinal, const char *what, uint64_t expected, uint64_t found)
{
    char expected_text[96];
    char found_text[96];
    bool chain = type == FLEET_FINDING_CHAIN || type == FLEET_FINDING_HISTORY;
    (void)snprintf(expected_text, sizeof expected_text, chain ? "%s %016" PRIx64 : "%s %" PRIu64, what, expected);
    (void)snprintf(found_text, sizeof found_text, chain ? "%s %016" PRIx64 : "%s %" PRIu64, what, found);
    find(verifying, type, where, ordinal, expected_text, found_text);
}

/* --- The store ---------------------------------------------------------------------------------------------------- */

static int add_redacted(struct verifying *verifying, uint64_t ordinal, struct xylem_view id)
{
    struct local *local = &verifying->local;
    struct redacted *redacted =
        xylem_base__with_room(local->redacted, &local->redacted_capacity, local->redacted_count, sizeof *redacted);
    if (!redacted) {
        return xylem_base__fail_memory(verifying->err);
    }
    local->redacted = redacted;
    redacted[local->redacted_count++] =
        (struct redacted){.ordinal = ordinal, .id_at = local->ids.bytes, .id_bytes = id.bytes};
    return xylem_buffer_add(&local->ids, id.data, id.bytes) < 0 ? xylem_base__fail_memory(verifying->err) : 0;
}

static int note_redacted(struct verifying *verifying, const struct xylem_entry *entry)
{
    uint64_t owner;
    uint64_t ordinal;
    int code = xylem_entry_ordinal(&owner, &ordinal, verifying->txn, entry->position, verifying->err);
    return code < 0 ? code : add_redacted(verifying, ordinal, entry->id);
}

/* The session's own entries. Those on the path of the base have smaller lsns, and are in segments of other sessions. */
static int scan_redacted(struct verifying *verifying, struct xylem_position base)
{
    struct xylem_entry entry = {.lsn = 0};
    struct xylem_scan *scan;
    int code = base.branch > 0 ? xylem_entry_read(&entry, verifying->txn, base, verifying->err) : 0;
    code =
        code < 0 ? code : xylem_scan_after(&scan, verifying->txn, verifying->local.number, entry.lsn, verifying->err);
    if (code < 0) {
        return code;
    }
    while (code >= 0 && (code = xylem_scan_next(&entry, scan, verifying->err)) == 1) {
        code = entry.flags & XYLEM_ENTRY_REDACTED ? note_redacted(verifying, &entry) : 0;
    }
    xylem_scan_free(scan);
    return code;
}

/* The session of the id in any state but importing and freed: 1, or 0. */
static int find_session(struct xylem_session *session, struct verifying *verifying)
{
    struct xylem_sessions *sessions;
    int code = xylem_sessions_beginning(&sessions, verifying->txn, verifying->id, verifying->err);
    if (code < 0) {
        return code;
    }
    code = xylem_sessions_next(session, sessions, verifying->err); /* the shortest id comes first */
    xylem_sessions_free(sessions);
    return code == 1 && session->id.bytes == verifying->id.bytes && session->state != XYLEM_SESSION_IMPORTING;
}

static int read_local(struct verifying *verifying)
{
    struct local *local = &verifying->local;
    struct xylem_session session;
    int code = verifying->options->store
                   ? xylem_begin(&verifying->txn, verifying->options->store, XYLEM_READ, verifying->err)
                   : 0;
    local->found = false;
    local->redacted_count = 0;
    xylem_base__buffer_clear(&local->ids);
    code = code == 0 && verifying->txn ? find_session(&session, verifying) : code;
    if (code == 1) {
        local->found = true;
        local->number = session.number;
        local->count = session.history.count;
        code = scan_redacted(verifying, session.base);
        verifying->report->redacted += local->redacted_count;
    }
    return code;
}

static void leave_local(struct verifying *verifying)
{
    if (verifying->txn) {
        xylem_abort(verifying->txn);
    }
    verifying->txn = NULL;
}

/* At the last place that both have. */
static int compare_store(struct verifying *verifying, const struct walk *walk)
{
    uint64_t chain;
    uint64_t ordinal = walk->store.next - 1;
    if (!verifying->local.found || !walk->store.known || walk->row.freed) {
        return 0;
    }
    int code = xylem_session_chain(&chain, verifying->txn, verifying->local.number, ordinal, verifying->err);
    if (code == 0 && chain != walk->store.chain) {
        find_numbers(verifying, FLEET_FINDING_HISTORY, walk->where, ordinal, "in the store the chain", chain,
                     walk->store.chain);
    }
    verifying->report->compared += code == 0;
    return code;
}

/* --- Segments ----------------------------------------------------------------------------------------------------- */

/* Looks for the texts of the redacted entries that the piece has; of remains all entries may be there. */
static int look_for_texts(struct verifying *verifying, const struct walk *walk, const struct fleet_piece *piece)
{
    const struct local *local = &verifying->local;
    int code = 0;
    for (size_t i = 0; code >= 0 && i < local->redacted_count; i++) {
        const struct redacted *redacted = &local->redacted[i];
        const struct xylem_view id = {local->ids.data + redacted->id_at, redacted->id_bytes};
        bool there = piece->from == 0 || (redacted->ordinal >= piece->from && redacted->ordinal < piece->to);
        code = there ? xylem_segment_holds(piece->body, id, verifying->err) : 0;
        if (code == 1) {
            find_entry(verifying, FLEET_FINDING_TEXT, walk->where, redacted->ordinal, id, "no text, it was redacted",
                       "the text");
        }
    }
    return code < 0 ? code : 0;
}

static bool is_as_said(const struct verifying *verifying, const struct fleet_piece *piece,
                       const struct xylem_segment *segment)
{
    bool remains = piece->from == 0;
    return segment->session.bytes == verifying->id.bytes && !segment->name_space.data &&
           memcmp(segment->session.data, verifying->id.data, verifying->id.bytes) == 0 && segment->freed == remains &&
           (remains || (segment->from == piece->from && segment->to == piece->to && segment->chain == piece->chain));
}

static void follow(struct verifying *verifying, struct walk *walk, const struct fleet_piece *piece,
                   const struct xylem_segment *segment)
{
    if (piece->from != walk->at.next) {
        find_numbers(verifying, FLEET_FINDING_GAP, walk->where, walk->at.next, "a segment from ordinal", walk->at.next,
                     piece->from);
    } else if (segment && segment->chain_before != walk->at.chain) {
        find_numbers(verifying, FLEET_FINDING_CHAIN, walk->where, piece->from, "before the segment the chain",
                     walk->at.chain, segment->chain_before);
    }
    walk->at = (struct boundary){piece->to, piece->chain, true};
    if (verifying->local.found && piece->to - 1 <= verifying->local.count) {
        walk->store = walk->at;
    }
    if (piece->to == walk->archive_next) {
        walk->archive = walk->at;
    }
}

/* A damaged segment is told, and the next one is looked at: its row says where the next begins. */
static int look_at_piece(struct verifying *verifying, struct walk *walk, const struct fleet_piece *piece)
{
    struct xylem_segment segment;
    struct xylem_error why = {0};
    int code = xylem_segment_read(&segment, piece->body, &why);
    if (code == XYLEM_E_MEMORY) {
        return xylem_base__fail_memory(verifying->err);
    }
    verifying->report->segments++;
    verifying->report->bytes += piece->body.bytes;
    if (code < 0) {
        find(verifying, FLEET_FINDING_UNREADABLE, walk->where, piece->from, "a segment", why.text);
    } else if (!is_as_said(verifying, piece, &segment)) {
        find(verifying, FLEET_FINDING_OTHER, walk->where, piece->from, "the session, changes and chain of the row",
             "a segment of others");
    }
    if (!walk->row.freed) {
        follow(verifying, walk, piece, code < 0 ? NULL : &segment);
    }
    return code < 0 ? 0 : look_for_texts(verifying, walk, piece);
}

/* --- Sessions ----------------------------------------------------------------------------------------------------- */

/* DONE, NO or REFUSED; without an answer the verification ends. */
static int ask(struct fleet_answer *answer, struct verifying *verifying, struct fleet_waiting *waiting,
               const struct fleet_request *request)
{
    int code = fleet_wait(answer, waiting, request, verifying->err);
    if (code == 0 && answer->outcome != FLEET_DONE && answer->outcome != FLEET_NO &&
        (answer->outcome != FLEET_REFUSED || request->ask == FLEET_LIST)) {
        code = xylem_base__fail(verifying->err, XYLEM_E_IO, "the %s answers `%s` to `%s`: %s",
                                waiting == &verifying->engine ? "engine" : "archive",
                                fleet_outcome_word(answer->outcome), fleet_ask_word(request->ask), answer->text);
    }
    return code;
}

/* Reads from an ordinal on. What cannot be read ends the walk. */
static int read_pieces(struct fleet_answer *answer, struct verifying *verifying, struct walk *walk, uint64_t from)
{
    const struct fleet_request request = {
        .ask = FLEET_READ, .session = verifying->id, .from = from, .limit = PAGE_PIECES};
    int code = ask(answer, verifying, walk->waiting, &request);
    walk->readable = code == 0 && answer->outcome == FLEET_DONE && answer->row_count == 1;
    walk->found = walk->found || walk->readable;
    if (walk->readable) {
        walk->row = answer->rows[0];
    } else if (code == 0 && answer->outcome == FLEET_REFUSED) {
        walk->found = true;
        find(verifying, FLEET_FINDING_UNREADABLE, walk->where, from, "segments", answer->text);
    }
    return code;
}

static int look_at_freed(struct verifying *verifying, struct walk *walk)
{
    struct fleet_answer answer;
    int code = read_pieces(&answer, verifying, walk, 0);
    for (size_t i = 0; code == 0 && walk->readable && i < answer.piece_count; i++) {
        if (answer.pieces[i].from > 0) {
            find(verifying, FLEET_FINDING_REMAINS, walk->where, answer.pieces[i].from,
                 "of a freed session its remains alone", "a segment");
        }
        code = look_at_piece(verifying, walk, &answer.pieces[i]);
    }
    return code;
}

/* True if the answer brought the walk forward. */
static int look_at_pieces(struct verifying *verifying, struct walk *walk, const struct fleet_answer *answer)
{
    uint64_t before = walk->at.next;
    int code = 0;
    for (size_t i = 0; code == 0 && i < answer->piece_count && walk->at.next >= before; i++) {
        code = look_at_piece(verifying, walk, &answer->pieces[i]);
    }
    if (code == 0 && walk->at.next <= before && walk->at.next < walk->row.next) {
        find_numbers(verifying, FLEET_FINDING_GAP, walk->where, before, "changes up to ordinal", walk->row.next - 1,
                     before - 1);
        walk->readable = false;
    }
    return code;
}

static int walk_session(struct walk *walk, struct verifying *verifying)
{
    struct fleet_answer answer;
    walk->at = (struct boundary){1, 0, true};
    int code = read_pieces(&answer, verifying, walk, 1);
    if (code == 0 && walk->readable && walk->row.freed) {
        return look_at_freed(verifying, walk);
    }
    while (code == 0 && walk->readable && !walk->row.freed && walk->at.next < walk->row.next) {
        code = look_at_pieces(verifying, walk, &answer);
        if (code == 0 && walk->readable && walk->at.next < walk->row.next) {
            code = read_pieces(&answer, verifying, walk, walk->at.next);
        }
    }
    if (code == 0 && walk->readable && !walk->row.freed && walk->at.next == walk->row.next &&
        walk->at.chain != walk->row.chain) {
        find_numbers(verifying, FLEET_FINDING_CHAIN, walk->where, walk->row.next - 1, "by the row the chain",
                     walk->row.chain, walk->at.chain);
    }
    return code;
}

/* What both must agree on: the archive may have less, but nothing else. */
static void compare_archive(struct verifying *verifying, const struct walk *engine, const struct walk *archive)
{
    const struct fleet_row *here = &engine->row;
    const struct fleet_row *there = &archive->row;
    if (here->freed && !there->freed) {
        find(verifying, FLEET_FINDING_REMAINS, archive->where, 0, "freed, as in the engine", "all of its segments");
    } else if (there->freed) {
        if (!here->freed) {
            find(verifying, FLEET_FINDING_HISTORY, archive->where, 0, "a session, as in the engine", "a freed one");
        }
    } else if (there->next > here->next) {
        find_numbers(verifying, FLEET_FINDING_AHEAD, archive->where, here->next, "changes up to ordinal",
                     here->next - 1, there->next - 1);
    } else if (engine->archive.known && engine->archive.chain != there->chain) {
        find_numbers(verifying, FLEET_FINDING_HISTORY, archive->where, there->next - 1, "in the engine the chain",
                     engine->archive.chain, there->chain);
    } else if (there->generation < here->generation) {
        find_numbers(verifying, FLEET_FINDING_OUTDATED, archive->where, 0, "generation", here->generation,
                     there->generation);
    }
}

static void count_archive(struct verifying *verifying, const struct walk *engine, const struct walk *archive)
{
    bool all = archive->found && archive->readable &&
               (engine->row.freed ? archive->row.freed : archive->row.next == engine->row.next);
    verifying->report->archived += all;
    verifying->report->behind += !all;
}

/* The archive comes first: its row says up to where both are compared. */
static int verify_both(struct verifying *verifying)
{
    struct walk engine = {.where = "engine", .waiting = &verifying->engine};
    struct walk archive = {.where = "archive", .waiting = &verifying->archive};
    int code = verifying->options->archive ? walk_session(&archive, verifying) : 0;
    engine.archive_next = archive.found && archive.readable ? archive.row.next : 0;
    code = code < 0 ? code : walk_session(&engine, verifying);
    if (code < 0) {
        return code;
    }
    if (!engine.found) {
        find(verifying, FLEET_FINDING_MISSING, engine.where, 0, "the session", "nothing of it");
    }
    if (engine.found && engine.readable) {
        verifying->report->changes += engine.at.next - 1;
        if (verifying->options->archive) {
            count_archive(verifying, &engine, &archive);
        }
        if (archive.found && archive.readable) {
            compare_archive(verifying, &engine, &archive);
        }
    }
    return compare_store(verifying, &engine);
}

static int verify_session(struct verifying *verifying, struct xylem_view id)
{
    verifying->id = id;
    int code = read_local(verifying);
    code = code < 0 ? code : verify_both(verifying);
    leave_local(verifying);
    verifying->report->sessions++;
    if (code == 0 && verifying->options->progress) {
        verifying->options->progress(verifying->options->context, verifying->report);
    }
    return code;
}

/* --- All sessions ------------------------------------------------------------------------------------------------- */

/* Ids, sized each. */
static int add_id(struct xylem_buffer *ids, struct xylem_view id, struct xylem_error *err)
{
    return xylem_base__add_sized(ids, id) < 0 ? xylem_base__fail_memory(err) : 0;
}

/* The ids of the page behind an id. */
static int read_page(struct xylem_buffer *ids, struct xylem_view behind, struct verifying *verifying,
                     struct fleet_waiting *waiting)
{
    const struct fleet_request request = {.ask = FLEET_LIST, .behind = behind, .limit = PAGE_ROWS};
    struct fleet_answer answer;
    int code = ask(&answer, verifying, waiting, &request);
    xylem_base__buffer_clear(ids);
    for (size_t i = 0; code == 0 && i < answer.row_count; i++) {
        code = add_id(ids, answer.rows[i].id, verifying->err);
    }
    return code;
}

/* Does something with each session of the engine or the archive. */
static int each_session(struct verifying *verifying, struct fleet_waiting *waiting,
                        int (*each)(struct verifying *verifying, struct xylem_view id))
{
    struct xylem_buffer ids = {0};
    struct xylem_buffer last = {0};
    int code = read_page(&ids, (struct xylem_view){NULL, 0}, verifying, waiting);
    while (code == 0 && ids.bytes > 0) {
        struct xylem_base__cursor cursor = xylem_base__cursor_of(ids.data, ids.bytes);
        while (code == 0 && cursor.left > 0) {
            struct xylem_view id = xylem_base__read_sized(&cursor);
            xylem_base__buffer_clear(&last);
            code = xylem_buffer_add(&last, id.data, id.bytes) < 0 ? xylem_base__fail_memory(verifying->err)
                                                                  : each(verifying, id);
        }
        code = code < 0 ? code : read_page(&ids, xylem_base__buffer_view(&last), verifying, waiting);
    }
    xylem_buffer_release(&ids);
    xylem_buffer_release(&last);
    return code;
}

/* The sessions of the engine itself are verified with the engine. */
static int find_missing(struct verifying *verifying, struct xylem_view id)
{
    const struct fleet_request request = {.ask = FLEET_ROW, .session = id};
    struct fleet_answer answer;
    int code = ask(&answer, verifying, &verifying->engine, &request);
    verifying->id = id;
    if (code == 0 && answer.outcome == FLEET_NO) {
        find(verifying, FLEET_FINDING_MISSING, "engine", 0, "the session, which was shipped or archived",
             "nothing of it");
    }
    return code;
}

static int list_shipped(struct xylem_buffer *ids, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_sessions *sessions;
    struct xylem_session session;
    int code = xylem_sessions_new(&sessions, txn, err);
    if (code < 0) {
        return code;
    }
    while (code >= 0 && (code = xylem_sessions_next(&session, sessions, err)) == 1) {
        bool shipped = session.epoch > 0 && session.id.bytes > 0 && !session.name_space.data;
        code = shipped ? add_id(ids, session.id, err) : 0;
    }
    xylem_sessions_free(sessions);
    return code;
}

/* Sessions that the store has shipped or pulled: an epoch tells so. */
static int find_missing_of_store(struct verifying *verifying)
{
    struct xylem_buffer ids = {0};
    struct xylem_txn *txn;
    int code = xylem_begin(&txn, verifying->options->store, XYLEM_READ, verifying->err);
    if (code == 0) {
        code = list_shipped(&ids, txn, verifying->err);
        xylem_abort(txn);
    }
    struct xylem_base__cursor cursor = xylem_base__cursor_of(ids.data, ids.bytes);
    while (code == 0 && cursor.left > 0) {
        code = find_missing(verifying, xylem_base__read_sized(&cursor));
    }
    xylem_buffer_release(&ids);
    return code;
}

static int verify_all(struct verifying *verifying)
{
    const struct fleet_verify_options *options = verifying->options;
    int code = 0;
    if (options->session_count == 0) {
        code = each_session(verifying, &verifying->engine, verify_session);
        code = code == 0 && options->archive ? each_session(verifying, &verifying->archive, find_missing) : code;
        return code == 0 && options->store ? find_missing_of_store(verifying) : code;
    }
    for (size_t i = 0; code == 0 && i < options->session_count; i++) {
        code = verify_session(verifying, options->sessions[i]);
    }
    return code;
}

int fleet_verify(struct fleet_verify_report *report, const struct fleet_verify_options *options,
                 struct xylem_error *err)
{
    struct xylem_error unused;
    struct verifying verifying = {.options = options,
                                  .report = report,
                                  .engine = {.engine = options->engine, .deadline_ms = options->deadline_ms},
                                  .archive = {.engine = options->archive, .deadline_ms = options->deadline_ms},
                                  .err = err ? err : &unused};
    *report = (struct fleet_verify_report){0};
    int code = verify_all(&verifying);
    free(verifying.local.redacted);
    xylem_buffer_release(&verifying.local.ids);
    return code;
}
