#include "fleet/archive.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "fleet/wait.h"

#define PAGE_ROWS 256u
#define PAGE_PIECES 16u

/* A segment that the archive has of an older generation. */
struct older {
    uint64_t from;
    uint64_t generation;
};

struct archiving {
    const struct fleet_archive_options *options;
    struct fleet_archive_count *count;
    struct fleet_waiting from;
    struct fleet_waiting to;
    bool stopped;           /* the archive failed: the rest is only looked at */
    struct xylem_error why; /* of the stop */
    struct xylem_error *err;
    /* The present session. */
    struct xylem_view id;
    struct fleet_row here;  /* the engine's row, without its views */
    struct fleet_row there; /* the archive's; next 1 without one */
    uint64_t upto;          /* what was acknowledged; behind it nothing is copied */
    bool has_about;
    bool has_head;
    struct xylem_buffer host;
    struct xylem_buffer about;
    struct xylem_buffer head;
    struct older *older;
    size_t older_count;
    size_t older_capacity;
};

/* How a step of a session ended, beside negative codes. */
enum step { GOES_ON, ENDED };

/* --- Telling ------------------------------------------------------------------------------------------------------ */

static void tell(const struct archiving *archiving, enum fleet_news_type type, uint64_t from, uint64_t to,
                 const char *text)
{
    const struct fleet_news news = {
        .type = type, .session = archiving->id, .from = from, .to = to, .epoch = archiving->here.epoch, .text = text};
    if (archiving->options->tell) {
        archiving->options->tell(archiving->options->context, &news);
    }
}

/* The session cannot be copied; the next one may. */
static int fail_session(struct archiving *archiving, const char *text)
{
    archiving->count->failed++;
    tell(archiving, FLEET_NEWS_DAMAGED, archiving->there.next, archiving->here.next, text);
    return ENDED;
}

/* The archive takes nothing more. */
static int stop(struct archiving *archiving, const struct fleet_answer *answer)
{
    archiving->stopped = true;
    (void)xylem_base__fail(&archiving->why, XYLEM_E_IO, "the archive stopped at the session %.*s: %s",
                           XYLEM_BASE__SHOWN(archiving->id), answer->text);
    return ENDED;
}

/* --- Asking ------------------------------------------------------------------------------------------------------- */

/* Of the engine: DONE or NO. Without an answer the run ends. */
static int ask_engine(struct fleet_answer *answer, struct archiving *archiving, const struct fleet_request *request)
{
    int code = fleet_wait(answer, &archiving->from, request, archiving->err);
    if (code == 0 && answer->outcome != FLEET_DONE && answer->outcome != FLEET_NO &&
        !(answer->outcome == FLEET_REFUSED && request->ask == FLEET_READ)) {
        code = xylem_base__fail(archiving->err, XYLEM_E_IO, "the engine answers `%s` to `%s`: %s; the next run goes on",
                                fleet_outcome_word(answer->outcome), fleet_ask_word(request->ask), answer->text);
    }
    return code;
}

/* Writes into the archive. */
static int write_archive(struct archiving *archiving, const struct fleet_request *request)
{
    struct fleet_answer answer;
    int code = fleet_wait(&answer, &archiving->to, request, archiving->err);
    return code < 0                       ? code
           : answer.outcome == FLEET_DONE ? GOES_ON
           : answer.outcome == FLEET_NO   ? fail_session(archiving, answer.text)
                                          : stop(archiving, &answer);
}

/* The archive's row; next 1 without one. A row that cannot be read ends the session. */
static int read_there(struct archiving *archiving)
{
    const struct fleet_request request = {.ask = FLEET_ROW, .session = archiving->id};
    struct fleet_answer answer;
    int code = fleet_wait(&answer, &archiving->to, &request, archiving->err);
    archiving->there = (struct fleet_row){.next = 1};
    if (code == 0 && answer.outcome == FLEET_DONE && answer.row_count == 1) {
        archiving->there = answer.rows[0];
    } else if (code == 0 && answer.outcome != FLEET_NO) {
        return fail_session(archiving, answer.text);
    }
    return code;
}

/* What the engine acknowledges: its rows and pieces alone may be lost with a primary. */
static int acknowledge(struct archiving *archiving)
{
    const struct fleet_request request = {.ask = FLEET_LOOK, .session = archiving->id};
    struct fleet_answer answer;
    archiving->upto = archiving->here.next;
    if (archiving->options->from_archive) {
        return GOES_ON;
    }
    int code = ask_engine(&answer, archiving, &request);
    if (code == 0 && (answer.outcome != FLEET_DONE || answer.row_count != 1)) {
        return fail_session(archiving, "the engine does not have the session any more");
    }
    archiving->upto = code == 0 ? answer.rows[0].next : 0;
    archiving->here.freed = code == 0 && answer.rows[0].freed;
    return code;
}

/* --- Segments ----------------------------------------------------------------------------------------------------- */

/* The segment must be what the engine says: an archive of damage would be found when it is needed. */
static int check_piece(struct xylem_segment *segment, struct archiving *archiving, const struct fleet_piece *piece)
{
    struct xylem_error why = {0};
    int code = xylem_segment_read(segment, piece->body, &why);
    if (code == XYLEM_E_MEMORY) {
        return xylem_base__fail_memory(archiving->err);
    }
    bool right = code == 0 && segment->session.bytes == archiving->id.bytes &&
                 memcmp(segment->session.data, archiving->id.data, archiving->id.bytes) == 0 &&
                 segment->freed == (piece->from == 0) &&
                 (segment->freed ||
                  (segment->from == piece->from && segment->to == piece->to && segment->chain == piece->chain));
    if (!right) {
        char text[XYLEM_ERROR_TEXT_BYTES];
        (void)snprintf(text, sizeof text, "the segment from %" PRIu64 " on: %.400s", piece->from,
                       code < 0 ? why.text : "it is of another session or of other changes than its row says");
        return fail_session(archiving, text);
    }
    return GOES_ON;
}

/* What lists show, and the head, as the engine has both now: redacted texts may stand in those of the archive. */
static void add_shown(struct fleet_request *request, const struct archiving *archiving)
{
    const struct xylem_view none = {NULL, 0};
    request->about = archiving->has_about ? xylem_base__buffer_view(&archiving->about) : none;
    request->head = archiving->has_head ? xylem_base__buffer_view(&archiving->head) : none;
}

static struct fleet_request append_of(const struct archiving *archiving, const struct fleet_piece *piece,
                                      const struct xylem_segment *segment)
{
    struct fleet_request request = {.ask = FLEET_APPEND,
                                    .session = archiving->id,
                                    .epoch = archiving->here.epoch,
                                    .host = xylem_base__buffer_view(&archiving->host),
                                    .from = piece->from,
                                    .to = piece->to,
                                    .before = segment->chain_before,
                                    .after = piece->chain,
                                    .body = piece->body,
                                    .generation = piece->generation};
    if (piece->to == archiving->here.next) {
        add_shown(&request, archiving);
    }
    return request;
}

static int copy_piece(struct archiving *archiving, const struct fleet_piece *piece)
{
    struct xylem_segment segment;
    if (piece->from != archiving->there.next) {
        return fail_session(archiving, "the segments of the engine overlap, or one is missing");
    }
    int code = check_piece(&segment, archiving, piece);
    if (code == GOES_ON) {
        const struct fleet_request request = append_of(archiving, piece, &segment);
        code = write_archive(archiving, &request);
    }
    if (code == GOES_ON) {
        archiving->there.next = piece->to;
        archiving->count->copied++;
        archiving->count->bytes += piece->body.bytes;
        tell(archiving, FLEET_NEWS_SHIPPED, piece->from, piece->to, NULL);
    }
    return code;
}

static int rewrite_piece(struct archiving *archiving, const struct fleet_piece *piece)
{
    struct fleet_request request = {.ask = FLEET_REWRITE,
                                    .session = archiving->id,
                                    .from = piece->from,
                                    .to = piece->to,
                                    .body = piece->body,
                                    .generation = piece->generation};
    struct xylem_segment segment;
    add_shown(&request, archiving);
    int code = check_piece(&segment, archiving, piece);
    code = code == GOES_ON ? write_archive(archiving, &request) : code;
    if (code == GOES_ON) {
        archiving->count->rewritten++;
        archiving->count->bytes += piece->body.bytes;
        tell(archiving, FLEET_NEWS_REWRITTEN, piece->from, piece->to, NULL);
    }
    return code;
}

/* --- Sessions ----------------------------------------------------------------------------------------------------- */

static int read_pieces(struct fleet_answer *answer, struct archiving *archiving, uint64_t from, uint32_t limit)
{
    const struct fleet_request request = {.ask = FLEET_READ, .session = archiving->id, .from = from, .limit = limit};
    int code = ask_engine(answer, archiving, &request);
    if (code == 0 && answer->outcome != FLEET_DONE) {
        return fail_session(archiving, answer->text);
    }
    return code;
}

static int compare_older(const void *left, const void *right)
{
    const struct older *one = left;
    const struct older *other = right;
    return (one->generation > other->generation) - (one->generation < other->generation);
}

static int note_older(struct archiving *archiving, const struct fleet_piece *piece)
{
    struct older *older =
        xylem_base__with_room(archiving->older, &archiving->older_capacity, archiving->older_count, sizeof *older);
    if (!older) {
        return xylem_base__fail_memory(archiving->err);
    }
    archiving->older = older;
    older[archiving->older_count++] = (struct older){piece->from, piece->generation};
    return GOES_ON;
}

/* Of what the archive has, the segments that were rewritten since. */
static int find_older(struct archiving *archiving)
{
    struct fleet_answer answer;
    uint64_t from = 1;
    int code = GOES_ON;
    archiving->older_count = 0;
    while (code == GOES_ON && from < archiving->there.next) {
        code = read_pieces(&answer, archiving, from, PAGE_PIECES);
        if (code == GOES_ON && answer.piece_count == 0) {
            break;
        }
        for (size_t i = 0; code == GOES_ON && i < answer.piece_count; i++) {
            const struct fleet_piece *piece = &answer.pieces[i];
            bool older = piece->from < archiving->there.next && piece->generation > archiving->there.generation;
            code = older ? note_older(archiving, piece) : GOES_ON;
            from = piece->to > from ? piece->to : UINT64_MAX;
        }
    }
    return code;
}

/*
 * In the order of the generations, for the archive's row takes the generation of each: an interrupted run leaves a row
 * that tells what is still to be done.
 */
static int rewrite_older(struct archiving *archiving)
{
    struct fleet_answer answer;
    int code = find_older(archiving);
    if (archiving->older_count > 0) {
        qsort(archiving->older, archiving->older_count, sizeof *archiving->older, compare_older);
    }
    for (size_t i = 0; code == GOES_ON && i < archiving->older_count; i++) {
        uint64_t from = archiving->older[i].from;
        code = read_pieces(&answer, archiving, from, 1);
        if (code == GOES_ON && answer.piece_count == 1 && answer.pieces[0].from == from) {
            code = rewrite_piece(archiving, &answer.pieces[0]);
        }
    }
    return code;
}

/* A row that was rewritten meanwhile is for the next run: its older segments come before newer ones. */
static int copy_missing(struct archiving *archiving)
{
    struct fleet_answer answer;
    int code = GOES_ON;
    while (code == GOES_ON && archiving->there.next < archiving->upto) {
        code = read_pieces(&answer, archiving, archiving->there.next, PAGE_PIECES);
        if (code != GOES_ON || answer.rows[0].generation != archiving->here.generation || answer.rows[0].freed) {
            break;
        }
        if (answer.piece_count == 0) {
            return fail_session(archiving, "the engine lacks a segment that its row tells of");
        }
        for (size_t i = 0; code == GOES_ON && i < answer.piece_count && answer.pieces[i].to <= archiving->upto; i++) {
            code = copy_piece(archiving, &answer.pieces[i]);
        }
        if (code == GOES_ON && answer.pieces[0].to > archiving->upto) {
            break;
        }
    }
    return code;
}

static int free_there(struct archiving *archiving)
{
    struct fleet_answer answer;
    int code = read_pieces(&answer, archiving, 0, 1);
    if (code != GOES_ON || !answer.rows[0].freed) {
        return code;
    }
    struct fleet_request request = {
        .ask = FLEET_FREE, .session = archiving->id, .generation = answer.rows[0].generation};
    add_shown(&request, archiving);
    if (answer.piece_count > 0) {
        struct xylem_segment segment;
        code = check_piece(&segment, archiving, &answer.pieces[0]);
        request.body = answer.pieces[0].body;
    }
    code = code == GOES_ON ? write_archive(archiving, &request) : code;
    if (code == GOES_ON) {
        archiving->count->freed++;
        tell(archiving, FLEET_NEWS_FREED, 0, 0, NULL);
    }
    return code;
}

static bool is_current(const struct archiving *archiving)
{
    const struct fleet_row *here = &archiving->here;
    const struct fleet_row *there = &archiving->there;
    return here->freed
               ? there->freed
               : here->next == there->next && here->chain == there->chain && here->generation <= there->generation;
}

static int copy_session(struct archiving *archiving)
{
    const struct fleet_row *there = &archiving->there;
    int code = acknowledge(archiving);
    if (code != GOES_ON || archiving->here.freed) {
        return code == GOES_ON ? free_there(archiving) : code;
    }
    if (there->freed || there->next > archiving->here.next ||
        (there->next == archiving->here.next && there->chain != archiving->here.chain)) {
        return fail_session(archiving, there->freed ? "the archive has the remains of a freed session of the id"
                                       : there->next > archiving->here.next
                                           ? "the archive has more changes than the engine, which lost some: compare "
                                             "both with the owner's store"
                                           : "the archive has another history of the session than the engine");
    }
    if (archiving->here.generation > there->generation) {
        code = rewrite_older(archiving);
    }
    return code == GOES_ON ? copy_missing(archiving) : code;
}

static bool keep(struct xylem_buffer *buffer, struct xylem_view text)
{
    xylem_base__buffer_clear(buffer);
    return xylem_buffer_add(buffer, text.data ? text.data : "", text.bytes) == 0;
}

/* The engine's row with its head, kept beyond the answer. */
static int keep_row(struct archiving *archiving, const struct fleet_row *row)
{
    archiving->here = *row;
    archiving->has_about = row->about.data != NULL;
    archiving->has_head = row->head.data != NULL;
    return keep(&archiving->host, row->host) && keep(&archiving->about, row->about) && keep(&archiving->head, row->head)
               ? 0
               : xylem_base__fail_memory(archiving->err);
}

/* Looks at one session of the engine: ENDED or GOES_ON alike, the next comes. */
static int take_session(struct archiving *archiving, const struct fleet_row *listed)
{
    const struct fleet_request request = {.ask = FLEET_ROW, .session = archiving->id};
    struct fleet_answer answer;
    archiving->count->sessions++;
    archiving->here = *listed;
    int code = read_there(archiving);
    if (code != GOES_ON) {
        return code;
    }
    if (is_current(archiving)) {
        archiving->count->current++;
        return GOES_ON;
    }
    if (!archiving->stopped && !archiving->options->look_only) {
        code = ask_engine(&answer, archiving, &request);
        if (code == GOES_ON && answer.row_count == 1) {
            code = keep_row(archiving, &answer.rows[0]);
            code = code == GOES_ON ? copy_session(archiving) : code;
        }
    }
    if (code >= 0 && (archiving->stopped || archiving->options->look_only)) {
        archiving->count->left++;
        tell(archiving, FLEET_NEWS_BEHIND, archiving->there.next, archiving->here.next, NULL);
    }
    return code;
}

/* --- Runs --------------------------------------------------------------------------------------------------------- */

/* A page of rows, kept beyond the answer. */
struct page {
    struct fleet_row rows[PAGE_ROWS];
    struct xylem_buffer ids[PAGE_ROWS];
    size_t count;
};

static int read_page(struct page *page, struct archiving *archiving, struct xylem_view behind)
{
    const struct fleet_request request = {.ask = FLEET_LIST, .behind = behind, .limit = PAGE_ROWS};
    struct fleet_answer answer;
    int code = ask_engine(&answer, archiving, &request);
    page->count = 0;
    for (size_t i = 0; code == 0 && i < answer.row_count && i < PAGE_ROWS; i++) {
        page->rows[i] = answer.rows[i];
        code = keep(&page->ids[i], answer.rows[i].id) ? 0 : xylem_base__fail_memory(archiving->err);
        page->count = i + 1;
    }
    return code;
}

static int take_page(const struct page *page, struct archiving *archiving)
{
    int code = 0;
    for (size_t i = 0; code >= 0 && i < page->count; i++) {
        archiving->id = xylem_base__buffer_view(&page->ids[i]);
        code = take_session(archiving, &page->rows[i]);
    }
    return code;
}

static int take_all(struct archiving *archiving)
{
    struct page *page = calloc(1, sizeof *page);
    struct xylem_buffer behind = {0};
    int code =
        page ? read_page(page, archiving, (struct xylem_view){NULL, 0}) : xylem_base__fail_memory(archiving->err);
    while (code >= 0 && page->count > 0) {
        code = take_page(page, archiving);
        if (code >= 0 && !keep(&behind, xylem_base__buffer_view(&page->ids[page->count - 1]))) {
            code = xylem_base__fail_memory(archiving->err);
        }
        code = code < 0 ? code : read_page(page, archiving, xylem_base__buffer_view(&behind));
    }
    for (size_t i = 0; page && i < PAGE_ROWS; i++) {
        xylem_buffer_release(&page->ids[i]);
    }
    xylem_buffer_release(&behind);
    free(page);
    return code;
}

static int take_named(struct archiving *archiving)
{
    const struct fleet_archive_options *options = archiving->options;
    int code = 0;
    for (size_t i = 0; code >= 0 && i < options->session_count; i++) {
        const struct fleet_request request = {.ask = FLEET_ROW, .session = options->sessions[i]};
        struct fleet_answer answer;
        archiving->id = options->sessions[i];
        archiving->there = archiving->here = (struct fleet_row){.next = 1};
        code = ask_engine(&answer, archiving, &request);
        if (code == 0 && answer.row_count == 1) {
            const struct fleet_row listed = answer.rows[0];
            code = take_session(archiving, &listed);
        } else if (code == 0) {
            archiving->count->sessions++;
            code = fail_session(archiving, "the engine has no such session");
        }
    }
    return code;
}

int fleet_archive(struct fleet_archive_count *count, const struct fleet_archive_options *options,
                  struct xylem_error *err)
{
    struct xylem_error unused;
    struct archiving archiving = {.options = options,
                                  .count = count,
                                  .from = {.engine = options->from, .deadline_ms = options->deadline_ms},
                                  .to = {.engine = options->to, .deadline_ms = options->deadline_ms},
                                  .err = err ? err : &unused};
    *count = (struct fleet_archive_count){0};
    int code = options->session_count > 0 ? take_named(&archiving) : take_all(&archiving);
    xylem_buffer_release(&archiving.host);
    xylem_buffer_release(&archiving.about);
    xylem_buffer_release(&archiving.head);
    free(archiving.older);
    return code >= 0 && archiving.stopped ? xylem_base__fail(err, archiving.why.code, "%s", archiving.why.text)
           : code < 0                     ? code
                                          : 0;
}
