#include "fleet/archive.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/buffer.h"
#include "base/error.h"
#include "fleet/directory.h"
#include "fleet/frame.h"
#include "fleet/wait.h"

#define PAGE_PIECES 16u

struct archiving {
    const struct fleet_archive_options *options;
    struct fleet_archive_count *count;
    struct fleet_waiting from;
    struct fleet_waiting to;
    struct ZSTD_CCtx_s *compressor; /* kept for the run */
    struct xylem_error *err;
    /* The present session. */
    struct xylem_view id;
    struct fleet_row here;  /* the engine's row: as listed, then as acknowledged, with the views below */
    struct fleet_row there; /* the archive's; without a row next is 1 */
    struct xylem_buffer host;
    struct xylem_buffer about;
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

/* This session cannot be copied, the next session may. */
static int fail_session(struct archiving *archiving, const char *text)
{
    archiving->count->failed++;
    tell(archiving, FLEET_NEWS_DAMAGED, archiving->there.next, archiving->here.next, text);
    return ENDED;
}

/* --- Asking ------------------------------------------------------------------------------------------------------- */

/* The archive's row; without a row next is 1. An unreadable row ends the session. */
static int read_there(struct archiving *archiving)
{
    const struct fleet_request request = {.ask = FLEET_ROW, .session = archiving->id};
    struct fleet_answer answer;
    int code = fleet_wait(&answer, &archiving->to, &request, archiving->err);
    archiving->there = (struct fleet_row){.next = 1};
    if (code == 0 && answer.outcome == FLEET_DONE) {
        archiving->there = answer.rows[0];
    } else if (code == 0 && answer.outcome != FLEET_NO) {
        return fail_session(archiving, answer.text);
    }
    return code;
}

static bool keep(struct xylem_view *text, struct xylem_buffer *buffer)
{
    xylem_base__buffer_clear(buffer);
    bool kept = xylem_buffer_add(buffer, text->data, text->bytes) == 0;
    text->data = text->data ? buffer->data : NULL;
    return kept;
}

/* What the engine acknowledges: a primary may take listed rows and pieces along when the primary is lost. */
static int acknowledge(struct archiving *archiving)
{
    const struct fleet_request request = {.ask = FLEET_LOOK, .session = archiving->id};
    struct fleet_answer answer;
    int code = fleet_wait_done(&answer, &archiving->from, &request, archiving->err);
    if (code < 0 || answer.outcome != FLEET_DONE) {
        return code < 0 ? code : fail_session(archiving, "the engine does not have the session any more");
    }
    archiving->here = answer.rows[0];
    return keep(&archiving->here.host, &archiving->host) && keep(&archiving->here.about, &archiving->about)
               ? GOES_ON
               : xylem_base__fail_memory(archiving->err);
}

static int read_pieces(struct fleet_answer *answer, struct archiving *archiving, uint64_t from, uint32_t limit)
{
    const struct fleet_request request = {.ask = FLEET_READ, .session = archiving->id, .from = from, .limit = limit};
    int code = fleet_wait_done(answer, &archiving->from, &request, archiving->err);
    return code < 0 || answer->outcome == FLEET_DONE ? code : fail_session(archiving, answer->text);
}

/* --- Segments ----------------------------------------------------------------------------------------------------- */

/* The segment must fit the engine's words: else the damage would be found in the hour of need. */
static int check_piece(struct xylem_segment *segment, struct archiving *archiving, const struct fleet_piece *piece)
{
    struct xylem_error why = {0};
    char text[XYLEM_ERROR_TEXT_BYTES];
    int code = xylem_segment_read(segment, piece->body, &why);
    if (code == XYLEM_E_MEMORY) {
        return xylem_base__fail_memory(archiving->err);
    }
    if (code == 0 && fleet_piece_fits(piece, segment, archiving->id)) {
        return GOES_ON;
    }
    (void)snprintf(text, sizeof text, "the segment from %" PRIu64 " on: %.400s", piece->from,
                   code < 0 ? why.text : "it is of another session or of other changes than its row says");
    return fail_session(archiving, text);
}

static int write_object(struct archiving *archiving, const struct fleet_object *object)
{
    struct xylem_error why;
    int code = fleet_directory_write(archiving->options->to, object, &why);
    return code < 0 ? xylem_base__fail(archiving->err, code,
                                       "the archive stopped at the session %.*s: %s; the next run goes on",
                                       XYLEM_BASE__SHOWN(archiving->id), why.text)
                    : GOES_ON;
}

static int write_segment(struct archiving *archiving, const struct fleet_piece *piece)
{
    struct xylem_buffer frame = {0};
    int code = fleet_frame_pack_more(&archiving->compressor, &frame, piece->body, archiving->err);
    const struct fleet_object object = {.type = FLEET_OBJECT_SEGMENT,
                                        .id = archiving->id,
                                        .from = piece->from,
                                        .to = piece->to,
                                        .chain = piece->chain,
                                        .generation = piece->generation,
                                        .frame = xylem_base__buffer_view(&frame)};
    code = code < 0 ? code : write_object(archiving, &object);
    xylem_buffer_release(&frame);
    archiving->count->bytes += code == GOES_ON ? piece->body.bytes : 0;
    return code;
}

/*
 * The row comes behind its segments: the next run repeats the work of an interrupted run. The row has the present words
 * of lists, because the archive's words may hold redacted texts.
 */
static int write_row(struct archiving *archiving)
{
    const struct fleet_row *there = &archiving->there;
    const struct fleet_object object = {.type = FLEET_OBJECT_ROW,
                                        .id = archiving->id,
                                        .freed = there->freed,
                                        .to = there->next,
                                        .chain = there->chain,
                                        .generation = there->generation,
                                        .epoch = archiving->here.epoch,
                                        .host = archiving->here.host,
                                        .about = archiving->here.about};
    return write_object(archiving, &object);
}

/* --- Redactions --------------------------------------------------------------------------------------------------- */

/* In the place of a segment of the same changes alone. */
static int rewrite_piece(struct archiving *archiving, const struct fleet_piece *piece)
{
    const struct fleet_request request = {.ask = FLEET_READ, .session = archiving->id, .from = piece->from, .limit = 1};
    struct fleet_answer answer;
    struct xylem_segment segment;
    int code = check_piece(&segment, archiving, piece);
    code = code == GOES_ON ? fleet_wait(&answer, &archiving->to, &request, archiving->err) : code;
    if (code != GOES_ON || answer.outcome != FLEET_DONE) {
        return code != GOES_ON ? code : fail_session(archiving, answer.text);
    }
    if (answer.piece_count != 1 || answer.pieces[0].from != piece->from || answer.pieces[0].to != piece->to) {
        return fail_session(archiving, "the archive has no segment of the changes that were redacted");
    }
    code = write_segment(archiving, piece);
    if (code == GOES_ON) {
        archiving->count->rewritten++;
        tell(archiving, FLEET_NEWS_REWRITTEN, piece->from, piece->to, NULL);
    }
    return code;
}

/* The archive's row takes the newer generation behind all rewrites: the run behind an interrupted run repeats them. */
static int rewrite_older(struct archiving *archiving)
{
    struct fleet_row *there = &archiving->there;
    struct fleet_answer answer = {.piece_count = 1};
    int code = GOES_ON;
    for (uint64_t from = 1; code == GOES_ON && from < there->next && answer.piece_count > 0;) {
        code = read_pieces(&answer, archiving, from, PAGE_PIECES);
        for (size_t i = 0; code == GOES_ON && i < answer.piece_count; i++) {
            const struct fleet_piece *piece = &answer.pieces[i];
            bool older = piece->from < there->next && piece->generation > there->generation;
            code = older ? rewrite_piece(archiving, piece) : GOES_ON;
            from = piece->to > from ? piece->to : UINT64_MAX;
        }
    }
    if (code == GOES_ON) {
        there->generation = archiving->here.generation;
        code = there->next > 1 ? write_row(archiving) : GOES_ON;
    }
    return code;
}

/* --- Sessions ----------------------------------------------------------------------------------------------------- */

static int append_piece(struct archiving *archiving, const struct fleet_piece *piece)
{
    struct xylem_segment segment;
    int code = piece->from == archiving->there.next
                   ? check_piece(&segment, archiving, piece)
                   : fail_session(archiving, "the segments of the engine overlap, or one is missing");
    if (code == GOES_ON && segment.chain_before != archiving->there.chain) {
        code = fail_session(archiving, "the archive has another history of the session than the engine");
    }
    code = code == GOES_ON ? write_segment(archiving, piece) : code;
    if (code == GOES_ON) {
        archiving->there.next = piece->to;
        archiving->there.chain = piece->chain;
        code = write_row(archiving);
    }
    if (code == GOES_ON) {
        archiving->count->copied++;
        tell(archiving, FLEET_NEWS_SHIPPED, piece->from, piece->to, NULL);
    }
    return code;
}

/* Copies the pieces up to the last acknowledgement. */
static int copy_pieces(struct archiving *archiving, const struct fleet_answer *answer)
{
    int code = GOES_ON;
    if (answer->piece_count == 0) {
        return fail_session(archiving, "the engine lacks a segment that its row tells of");
    }
    for (size_t i = 0; code == GOES_ON && i < answer->piece_count; i++) {
        const struct fleet_piece *piece = &answer->pieces[i];
        if (piece->to > archiving->here.next) {
            return ENDED;
        }
        code = append_piece(archiving, piece);
    }
    return code;
}

/* A row with a newer rewrite waits for the next run: older segments come before newer segments. */
static int copy_missing(struct archiving *archiving)
{
    struct fleet_answer answer;
    int code = GOES_ON;
    while (code == GOES_ON && archiving->there.next < archiving->here.next) {
        code = read_pieces(&answer, archiving, archiving->there.next, PAGE_PIECES);
        if (code != GOES_ON || answer.rows[0].generation != archiving->here.generation || answer.rows[0].freed) {
            return code;
        }
        code = copy_pieces(archiving, &answer);
    }
    return code;
}

/* The remains come first, the row last: the next run repeats an interrupted run. */
static int free_there(struct archiving *archiving)
{
    struct fleet_answer answer;
    struct xylem_segment segment;
    int code = read_pieces(&answer, archiving, 0, 1);
    if (code != GOES_ON) {
        return code;
    }
    bool remain = answer.piece_count > 0;
    if (remain) {
        const struct fleet_piece remains = {.body = answer.pieces[0].body};
        code = check_piece(&segment, archiving, &remains);
        code = code == GOES_ON ? write_segment(archiving, &remains) : code;
    }
    code =
        code == GOES_ON ? fleet_directory_clear(archiving->options->to, archiving->id, !remain, archiving->err) : code;
    archiving->there.freed = true;
    archiving->there.generation = archiving->here.generation;
    code = code == GOES_ON ? write_row(archiving) : code;
    if (code == GOES_ON) {
        archiving->count->freed++;
        tell(archiving, FLEET_NEWS_FREED, 0, 0, NULL);
    }
    return code;
}

static bool is_current(const struct fleet_row *here, const struct fleet_row *there)
{
    return here->freed
               ? there->freed
               : here->next == there->next && here->chain == there->chain && here->generation <= there->generation;
}

/* Why the archive cannot go on with the engine's session; NULL: it can. */
static const char *parted(const struct fleet_row *here, const struct fleet_row *there)
{
    return there->freed               ? "the archive has the remains of a freed session of the id"
           : there->next > here->next ? "the archive has more changes than the engine, which lost some: compare both "
                                        "with the owner's store"
           : there->next == here->next && there->chain != here->chain
               ? "the archive has another history of the session than the engine"
               : NULL;
}

static int copy_session(struct archiving *archiving)
{
    int code = acknowledge(archiving);
    if (code != GOES_ON || archiving->here.freed) {
        return code == GOES_ON ? free_there(archiving) : code;
    }
    const char *why = parted(&archiving->here, &archiving->there);
    if (why) {
        return fail_session(archiving, why);
    }
    if (archiving->here.generation > archiving->there.generation) {
        code = rewrite_older(archiving);
    }
    return code == GOES_ON ? copy_missing(archiving) : code;
}

/* The end of a session is not the end of the run. */
static int take_session(void *context, const struct fleet_row *row)
{
    struct archiving *archiving = context;
    archiving->id = row->id;
    archiving->here = *row;
    archiving->count->sessions++;
    int code = read_there(archiving);
    bool current = code == GOES_ON && is_current(row, &archiving->there);
    archiving->count->current += current;
    code = code == GOES_ON && !current ? copy_session(archiving) : code;
    return code < 0 ? code : 0;
}

int fleet_archive(struct fleet_archive_count *count, const struct fleet_archive_options *options,
                  struct xylem_error *err)
{
    struct xylem_error unused;
    struct archiving archiving = {
        .options = options,
        .count = count,
        .from = {.engine = options->from, .name = "engine", .deadline_ms = options->deadline_ms},
        .to = {.engine = options->to, .name = "archive", .deadline_ms = options->deadline_ms},
        .err = err ? err : &unused};
    *count = (struct fleet_archive_count){0};
    int code = fleet_each_row(&archiving.from, take_session, &archiving, archiving.err);
    fleet_frame_forget(archiving.compressor);
    xylem_buffer_release(&archiving.host);
    xylem_buffer_release(&archiving.about);
    return code;
}
