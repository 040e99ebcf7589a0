#include "fleet/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"
#include "fleet/settle.h"
#include "fleet/wait.h"
#include "xylem/branch.h"
#include "xylem/entry.h"

#define PAGE_PIECES 16u

/* The last place in a session's changes that another side may know, up to an ordinal. */
struct mark {
    uint64_t upto;
    uint64_t next; /* 0: none */
    uint64_t chain;
};

/* One look at all segments of a session, of the engine or of the archive. */
struct walk {
    struct fleet_waiting *waiting;
    struct mark at;       /* behind the last segment */
    struct mark store;    /* up to what the store has, too */
    struct mark archive;  /* up to the archive's row */
    struct fleet_row row; /* without its views */
    bool readable;
};

struct verifying {
    const struct fleet_verify_options *options;
    struct fleet_verify_report *report;
    struct fleet_waiting engine;
    struct fleet_waiting archive;
    struct xylem_txn *txn; /* of the store, for the present session; NULL: none */
    struct xylem_view id;
    bool has_local; /* the store has the session */
    struct xylem_session local;
    struct xylem_buffer redacted; /* entries of the store's session: an ordinal, and the id, sized */
    /* What a finding is about, beside the session. */
    const char *where;
    struct xylem_view entry; /* data NULL: none */
    struct xylem_error *err;
};

const char *fleet_finding_word(enum fleet_finding_type type)
{
    static const char *const words[] = {"unreadable", "other", "gap",     "chain",    "missing",
                                        "history",    "ahead", "remains", "outdated", "text"};
    _Static_assert(sizeof words / sizeof *words == FLEET_FINDING_TYPE_COUNT, "in the order of the types");
    return type < FLEET_FINDING_TYPE_COUNT ? words[type] : "unknown";
}

/* --- Findings ----------------------------------------------------------------------------------------------------- */

static void find(const struct verifying *verifying, enum fleet_finding_type type, uint64_t ordinal,
                 const char *expected, const char *found)
{
    const struct fleet_finding finding = {type, verifying->where, verifying->id, ordinal, verifying->entry, expected,
                                          found};
    verifying->report->findings++;
    if (verifying->options->find) {
        verifying->options->find(verifying->options->context, &finding);
    }
}

/* `what` and a number each. */
static void find_numbers(const struct verifying *verifying, enum fleet_finding_type type, uint64_t ordinal,
                         const char *what, uint64_t expected, uint64_t found)
{
    char texts[2][96];
    const char *format =
        type == FLEET_FINDING_CHAIN || type == FLEET_FINDING_HISTORY ? "%s %016" PRIx64 : "%s %" PRIu64;
    (void)snprintf(texts[0], sizeof texts[0], format, what, expected);
    (void)snprintf(texts[1], sizeof texts[1], format, what, found);
    find(verifying, type, ordinal, texts[0], texts[1]);
}

/* --- The store ---------------------------------------------------------------------------------------------------- */

static int note_redacted(struct verifying *verifying, const struct xylem_entry *entry)
{
    uint64_t owner;
    uint64_t ordinal;
    int code = xylem_entry_ordinal(&owner, &ordinal, verifying->txn, entry->position, verifying->err);
    if (code == 0 && (xylem_base__add_u64(&verifying->redacted, ordinal) < 0 ||
                      xylem_base__add_sized(&verifying->redacted, entry->id) < 0)) {
        code = xylem_base__fail_memory(verifying->err);
    }
    verifying->report->redacted += code == 0;
    return code;
}

/* The session's own entries. Those on the path of the base have smaller lsns, and are in segments of other sessions. */
static int scan_redacted(struct verifying *verifying)
{
    const struct xylem_session *local = &verifying->local;
    struct xylem_entry entry = {.lsn = 0};
    struct xylem_scan *scan;
    int code = local->base.branch > 0 ? xylem_entry_read(&entry, verifying->txn, local->base, verifying->err) : 0;
    code = code < 0 ? code : xylem_scan_after(&scan, verifying->txn, local->number, entry.lsn, verifying->err);
    if (code < 0) {
        return code;
    }
    while (code >= 0 && (code = xylem_scan_next(&entry, scan, verifying->err)) == 1) {
        code = entry.flags & XYLEM_ENTRY_REDACTED ? note_redacted(verifying, &entry) : 0;
    }
    xylem_scan_free(scan);
    return code;
}

static int read_local(struct verifying *verifying)
{
    int code = verifying->options->store
                   ? xylem_begin(&verifying->txn, verifying->options->store, XYLEM_READ, verifying->err)
                   : 0;
    xylem_base__buffer_clear(&verifying->redacted);
    if (code == 0 && verifying->txn) {
        code = fleet_session_find(&verifying->local, verifying->txn, verifying->id, verifying->err);
    }
    verifying->has_local = code == 1 && verifying->local.state != XYLEM_SESSION_IMPORTING;
    return code < 0 ? code : verifying->has_local ? scan_redacted(verifying) : 0;
}

/* At the last place that both have. */
static int compare_store(struct verifying *verifying, const struct walk *walk)
{
    uint64_t chain;
    uint64_t ordinal = walk->store.next - 1;
    if (!verifying->has_local || walk->store.next == 0 || walk->row.freed) {
        return 0;
    }
    int code = xylem_session_chain(&chain, verifying->txn, verifying->local.number, ordinal, verifying->err);
    if (code == 0 && chain != walk->store.chain) {
        find_numbers(verifying, FLEET_FINDING_HISTORY, ordinal, "in the store the chain", chain, walk->store.chain);
    }
    verifying->report->compared += code == 0;
    return code;
}

/* --- Segments ----------------------------------------------------------------------------------------------------- */

/* Looks for the texts of the redacted entries that the piece has; of remains all entries may be there. */
static int look_for_texts(struct verifying *verifying, const struct fleet_piece *piece)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of(verifying->redacted.data, verifying->redacted.bytes);
    int code = 0;
    while (code >= 0 && cursor.left > 0) {
        uint64_t ordinal = xylem_base__read_u64(&cursor);
        verifying->entry = xylem_base__read_sized(&cursor);
        bool there = piece->from == 0 || (ordinal >= piece->from && ordinal < piece->to);
        code = there ? xylem_segment_holds(piece->body, verifying->entry, verifying->err) : 0;
        if (code == 1) {
            find(verifying, FLEET_FINDING_TEXT, ordinal, "no text, it was redacted", "the text");
        }
    }
    verifying->entry = (struct xylem_view){NULL, 0};
    return code < 0 ? code : 0;
}

static void move(struct mark *mark, const struct fleet_piece *piece)
{
    if (piece->to <= mark->upto) {
        mark->next = piece->to;
        mark->chain = piece->chain;
    }
}

static void follow(struct verifying *verifying, struct walk *walk, const struct fleet_piece *piece,
                   const struct xylem_segment *segment)
{
    if (piece->from != walk->at.next) {
        find_numbers(verifying, FLEET_FINDING_GAP, walk->at.next, "a segment from ordinal", walk->at.next, piece->from);
    } else if (segment && segment->chain_before != walk->at.chain) {
        find_numbers(verifying, FLEET_FINDING_CHAIN, piece->from, "before the segment the chain", walk->at.chain,
                     segment->chain_before);
    }
    move(&walk->at, piece);
    move(&walk->store, piece);
    move(&walk->archive, piece);
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
        find(verifying, FLEET_FINDING_UNREADABLE, piece->from, "a segment", why.text);
    } else if (!fleet_piece_fits(piece, &segment, verifying->id)) {
        find(verifying, FLEET_FINDING_OTHER, piece->from, "the session, changes and chain of the row",
             "a segment of others");
    }
    if (!walk->row.freed) {
        follow(verifying, walk, piece, code < 0 ? NULL : &segment);
    } else if (piece->from > 0) {
        find(verifying, FLEET_FINDING_REMAINS, piece->from, "of a freed session its remains alone", "a segment");
    }
    return code < 0 ? 0 : look_for_texts(verifying, piece);
}

/* --- Sessions ----------------------------------------------------------------------------------------------------- */

/* Reads from an ordinal on. What cannot be read ends the walk. */
static int read_pieces(struct fleet_answer *answer, struct verifying *verifying, struct walk *walk, uint64_t from)
{
    const struct fleet_request request = {
        .ask = FLEET_READ, .session = verifying->id, .from = from, .limit = PAGE_PIECES};
    int code = fleet_wait_done(answer, walk->waiting, &request, verifying->err);
    walk->readable = code == 0 && answer->outcome == FLEET_DONE;
    if (walk->readable) {
        walk->row = answer->rows[0];
    } else if (code == 0 && answer->outcome == FLEET_REFUSED) {
        find(verifying, FLEET_FINDING_UNREADABLE, walk->at.next, "segments", answer->text);
    } else if (code == 0 && walk->waiting == &verifying->engine) {
        find(verifying, FLEET_FINDING_MISSING, 0, "the session", "nothing of it");
    }
    return code;
}

static int walk_session(struct walk *walk, struct verifying *verifying)
{
    struct fleet_answer answer;
    const struct fleet_row *row = &walk->row;
    int code = 0;
    verifying->where = walk->waiting->name;
    walk->at = (struct mark){.upto = UINT64_MAX, .next = 1};
    uint64_t from = 0;
    for (bool more = true; code == 0 && more;) {
        uint64_t before = walk->at.next;
        code = read_pieces(&answer, verifying, walk, from);
        for (size_t i = 0; code == 0 && walk->readable && i < answer.piece_count; i++) {
            code = look_at_piece(verifying, walk, &answer.pieces[i]);
        }
        from = walk->at.next;
        more = code == 0 && walk->readable && !row->freed && from < row->next;
        if (more && from <= before) {
            find_numbers(verifying, FLEET_FINDING_GAP, before, "changes up to ordinal", row->next - 1, before - 1);
            walk->readable = more = false;
        }
    }
    if (code == 0 && walk->readable && !row->freed && walk->at.next == row->next && walk->at.chain != row->chain) {
        find_numbers(verifying, FLEET_FINDING_CHAIN, row->next - 1, "by the row the chain", row->chain, walk->at.chain);
    }
    return code;
}

/* What both must agree on: the archive may have less, but nothing else. */
static void compare_archive(struct verifying *verifying, const struct walk *engine, const struct walk *archive)
{
    const struct fleet_row *here = &engine->row;
    const struct fleet_row *there = &archive->row;
    verifying->where = "archive";
    if (here->freed && !there->freed) {
        find(verifying, FLEET_FINDING_REMAINS, 0, "freed, as in the engine", "all of its segments");
    } else if (there->freed) {
        if (!here->freed) {
            find(verifying, FLEET_FINDING_HISTORY, 0, "a session, as in the engine", "a freed one");
        }
    } else if (there->next > here->next) {
        find_numbers(verifying, FLEET_FINDING_AHEAD, here->next, "changes up to ordinal", here->next - 1,
                     there->next - 1);
    } else if (engine->archive.next == there->next && engine->archive.chain != there->chain) {
        find_numbers(verifying, FLEET_FINDING_HISTORY, there->next - 1, "in the engine the chain",
                     engine->archive.chain, there->chain);
    } else if (there->generation < here->generation) {
        find_numbers(verifying, FLEET_FINDING_OUTDATED, 0, "generation", here->generation, there->generation);
    }
    verifying->where = verifying->engine.name;
}

/* The archive comes first: its row says up to where both are compared. */
static int verify_both(struct verifying *verifying)
{
    struct walk engine = {.waiting = &verifying->engine};
    struct walk archive = {.waiting = &verifying->archive};
    int code = verifying->archive.engine ? walk_session(&archive, verifying) : 0;
    engine.archive.upto = archive.readable ? archive.row.next : 0;
    engine.store.upto = verifying->has_local ? verifying->local.history.count + 1 : 0;
    code = code < 0 ? code : walk_session(&engine, verifying);
    if (code == 0 && engine.readable) {
        const struct fleet_row *row = &engine.row;
        bool all = archive.readable && (row->freed ? archive.row.freed : archive.row.next == row->next);
        verifying->report->changes += engine.at.next - 1;
        verifying->report->archived += all;
        verifying->report->behind += verifying->archive.engine && !all;
        if (archive.readable) {
            compare_archive(verifying, &engine, &archive);
        }
    }
    return code < 0 ? code : compare_store(verifying, &engine);
}

static int verify_session(void *context, const struct fleet_row *row)
{
    struct verifying *verifying = context;
    verifying->id = row->id;
    int code = read_local(verifying);
    code = code < 0 ? code : verify_both(verifying);
    if (verifying->txn) {
        xylem_abort(verifying->txn);
    }
    verifying->txn = NULL;
    verifying->report->sessions++;
    if (code == 0 && verifying->options->progress) {
        verifying->options->progress(verifying->options->context, verifying->report);
    }
    return code;
}

/* --- All sessions ------------------------------------------------------------------------------------------------- */

/* The sessions of the engine itself are verified with the engine. */
static int find_missing(void *context, const struct fleet_row *row)
{
    struct verifying *verifying = context;
    const struct fleet_request request = {.ask = FLEET_ROW, .session = row->id};
    struct fleet_answer answer;
    int code = fleet_wait_done(&answer, &verifying->engine, &request, verifying->err);
    verifying->id = row->id;
    if (code == 0 && answer.outcome == FLEET_NO) {
        find(verifying, FLEET_FINDING_MISSING, 0, "the session, which was shipped or archived", "nothing of it");
    }
    return code;
}

/* Sessions that the store has shipped or pulled: an epoch tells so. */
static int find_missing_of_store(struct verifying *verifying)
{
    struct xylem_sessions *sessions = NULL;
    struct xylem_session session;
    struct xylem_txn *txn;
    int code = xylem_begin(&txn, verifying->options->store, XYLEM_READ, verifying->err);
    if (code < 0) {
        return code;
    }
    code = xylem_sessions_new(&sessions, txn, verifying->err);
    while (code >= 0 && (code = xylem_sessions_next(&session, sessions, verifying->err)) == 1) {
        const struct fleet_row row = {.id = session.id};
        bool shipped = session.epoch > 0 && session.id.bytes > 0 && !session.name_space.data;
        code = shipped ? find_missing(verifying, &row) : 0;
    }
    xylem_sessions_free(sessions);
    xylem_abort(txn);
    return code;
}

static int verify_all(struct verifying *verifying)
{
    const struct fleet_verify_options *options = verifying->options;
    int code = fleet_each_row(&verifying->engine, verify_session, verifying, verifying->err);
    if (code == 0 && verifying->archive.engine) {
        code = fleet_each_row(&verifying->archive, find_missing, verifying, verifying->err);
    }
    return code == 0 && options->engine && options->store ? find_missing_of_store(verifying) : code;
}

int fleet_verify(struct fleet_verify_report *report, const struct fleet_verify_options *options,
                 struct xylem_error *err)
{
    struct xylem_error unused;
    struct verifying verifying = {
        .options = options,
        .report = report,
        .engine = {.engine = options->engine, .name = "engine", .deadline_ms = options->deadline_ms},
        .archive = {.engine = options->archive, .name = "archive", .deadline_ms = options->deadline_ms},
        .err = err ? err : &unused};
    *report = (struct fleet_verify_report){0};
    if (!options->engine) { /* an archive is an engine, too */
        verifying.engine = verifying.archive;
        verifying.archive.engine = NULL;
    }
    verifying.where = verifying.engine.name;
    int code = verify_all(&verifying);
    xylem_buffer_release(&verifying.redacted);
    return code;
}
