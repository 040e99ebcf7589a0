/*
 * Requests as calls of the functions of init.sql. Each request has a slot with a connection of its own, to the node that
 * takes writes. Nothing here waits but fleet_engine_postgres().
 *
 *     nowhere ── submit ──> seeking ──> greeting ──> there
 *        ^                     │ none      │ refused    │ a connection broke, an outcome is unknown
 *        └─────────────────────┴───────────┴────────────┘
 */
#include "fleet/wire.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "fleet/frame.h"
#include "fleet/promotion.h"

#define SCHEMA_VERSION 1
#define SLOTS_DEFAULT 4u
#define SLOTS_MAX 32u
#define PART_BYTES 1048576u      /* of a frame, in one statement */
#define ANSWER_BYTES 8388608u    /* of frames, in one answer to READ, unless one frame has more */
#define EXPANDED_BYTES 67108864u /* pieces behind so many bytes are left for the next READ */
#define HEAD_BYTES_MAX 65536u
#define PROVED_MS 30000 /* an old primary answers reads for ever: behind so long a time reads ask all nodes again */
#define ROW_COLUMNS 13u

struct statement {
    const char *name;
    const char *text;
};

static const struct statement statements[FLEET_ASK_COUNT] = {
    [FLEET_ROW] = {"row", "SELECT * FROM xylem.\"row\"($1, $2, true)"},
    [FLEET_CLAIM] = {"claim", "SELECT * FROM xylem.claim($1, $2, $3, $4, $5)"},
    [FLEET_LOOK] = {"look", "SELECT * FROM xylem.look($1, $2)"},
    [FLEET_APPEND] = {"append", "SELECT xylem.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)"},
    [FLEET_REWRITE] = {"rewrite", "SELECT xylem.rewrite($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)"},
    [FLEET_FREE] = {"free", "SELECT xylem.free($1, $2, $3, $4, $5, $6, $7)"},
    [FLEET_RELEASE] = {"release", "SELECT xylem.release($1, $2, $3)"},
    /* One statement, so that the row and the segments are of one moment. */
    [FLEET_READ] = {"read",
                    "SELECT * FROM xylem.\"row\"($1, $2, false) r LEFT JOIN xylem.read($1, $3, $4, $5) p ON true "
                    "ORDER BY p.ord"},
    [FLEET_LIST] = {"list", "SELECT * FROM xylem.list($1, $2, $3)"},
};
static const struct statement chunk_statement = {"chunk", "SELECT xylem.chunk($1, $2, $3, $4, $5, $6, $7, $8)"};
static const struct statement part_statement = {"part", "SELECT * FROM xylem.part($1, $2, $3, $4)"};
static const struct statement hello_statement = {
    "hello", "SELECT e.id, e.version::bigint, convert_to(e.grp, 'UTF8'), "
             "convert_to(current_setting('synchronous_standby_names'), 'UTF8'), current_setting('fsync') = 'on' "
             "FROM xylem.engine() e"};

enum slot_state { FREE, WAITING, SENT, DONE };

struct slot {
    enum slot_state state;
    struct fleet_sql *sql; /* NULL: none */
    bool stale;            /* the connection is closed when the request has its answer */
    /* The request. Views point into `bytes`. */
    uint64_t number;
    struct fleet_request request;
    struct xylem_buffer bytes;
    struct xylem_buffer frame; /* of the body; with READ of the piece that comes in parts */
    uint64_t sum;
    size_t part;  /* the next chunk; 0: the first part, which the statement itself has */
    size_t parts; /* further ones */
    struct fleet_wire_value values[FLEET_WIRE_VALUES_MAX];
    size_t value_count;
    /* The answer. */
    struct fleet_sql_rows *rows;
    struct xylem_buffer plain; /* of pieces, one behind the other */
    struct fleet_row *shown;
    size_t shown_count;
    struct fleet_piece *pieces;
    size_t piece_count;
    enum fleet_outcome outcome;
    char text[XYLEM_ERROR_TEXT_BYTES];
};

enum place { NOWHERE, SEEKING, GREETING, THERE };

struct postgres {
    struct fleet_engine engine; /* first */
    const struct fleet_nodes *nodes;
    bool allow_single;
    bool known; /* engine.id is the engine's */
    enum place place;
    struct fleet_seek *seek;
    struct fleet_sql *greeter;
    int64_t greeting_ends;
    size_t at; /* the node that takes writes */
    uint64_t timeline;
    int64_t proved; /* when all nodes were asked last, or this one acknowledged a write */
    int events;     /* an epoll with all sockets and the timer */
    int timer;
    int64_t due; /* of the timer */
    struct ZSTD_CCtx_s *compressor;
    struct slot slots[SLOTS_MAX];
    size_t slot_count;
    struct slot given; /* what the last answer shows */
};

static struct postgres *postgres_of(struct fleet_engine *engine)
{
    return (struct postgres *)engine;
}

/* --- What to wait for --------------------------------------------------------------------------------------------------- */

/* A closed socket leaves the epoll by itself, and the next one may have its number. */
static void watch_fd(const struct postgres *postgres, int fd, uint32_t events)
{
    struct epoll_event event = {.events = events, .data = {.fd = fd}};
    if (fd >= 0 && epoll_ctl(postgres->events, EPOLL_CTL_MOD, fd, &event) < 0) {
        (void)epoll_ctl(postgres->events, EPOLL_CTL_ADD, fd, &event);
    }
}

/* Gives the time at which something is due. */
static int64_t watch_sql(const struct postgres *postgres, const struct fleet_sql *sql)
{
    short events = 0;
    if (!sql) {
        return INT64_MAX;
    }
    int fd = fleet_wire_fd(sql, &events);
    watch_fd(postgres, fd, ((events & POLLIN) != 0 ? EPOLLIN : 0u) | ((events & POLLOUT) != 0 ? EPOLLOUT : 0u));
    return fleet_wire_phase(sql) == FLEET_WIRE_OPENING ? fleet_wire_deadline(sql) : INT64_MAX;
}

static int64_t sooner(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void watch(struct postgres *postgres)
{
    int64_t due = watch_sql(postgres, postgres->greeter);
    if (postgres->place == GREETING) {
        due = sooner(due, postgres->greeting_ends);
    }
    for (size_t i = 0; postgres->seek && i < fleet_nodes_count(postgres->nodes); i++) {
        due = sooner(due, watch_sql(postgres, fleet_seek_connection(postgres->seek, i)));
    }
    for (size_t i = 0; i < postgres->slot_count; i++) {
        due = sooner(due, watch_sql(postgres, postgres->slots[i].sql));
        due = postgres->slots[i].state == DONE ? 0 : due;
    }
    struct itimerspec when = {.it_value = {0, 0}};
    if (due <
        INT64_MAX) { /* a millisecond later than due, since the clock is cut to milliseconds; 0 0 would be never */
        when.it_value = (struct timespec){due / 1000, due % 1000 * 1000000 + 1000000 - 1};
        when.it_value.tv_sec += when.it_value.tv_nsec >= 1000000000;
        when.it_value.tv_nsec %= 1000000000;
    }
    (void)timerfd_settime(postgres->timer, TFD_TIMER_ABSTIME, &when, NULL);
}

/* --- Answers that end a request --------------------------------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static void end(struct slot *slot, enum fleet_outcome outcome, const char *format,
                                                      ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(slot->text, sizeof slot->text, format, arguments);
    va_end(arguments);
    slot->outcome = outcome;
    slot->state = DONE;
    if (outcome != FLEET_DONE) {
        slot->shown_count = 0;
        slot->piece_count = 0;
    }
    if (slot->stale) {
        fleet_sql_close(slot->sql);
        slot->sql = NULL;
        slot->stale = false;
    }
}

/* What the engine knows of the nodes may be wrong: idle connections go, and the next request asks every node. */
static void doubt(struct postgres *postgres)
{
    for (size_t i = 0; i < postgres->slot_count; i++) {
        struct slot *slot = &postgres->slots[i];
        slot->stale = slot->sql && slot->state == SENT;
        if (!slot->stale) {
            fleet_sql_close(slot->sql);
            slot->sql = NULL;
        }
    }
    if (postgres->place == THERE) {
        postgres->place = NOWHERE;
    }
}

/* The connection was lost, or the deadline of the asker has passed. */
static void lose(struct postgres *postgres, struct slot *slot, const char *why)
{
    bool writes = fleet_ask_writes(slot->request.ask);
    const char *word = fleet_ask_word(slot->request.ask);
    slot->stale = true; /* end() closes the connection, to which `why` belongs */
    if (writes) {
        end(slot, FLEET_UNKNOWN, "it is not known whether the %s took place: look at the session first: %.300s", word,
            why);
    } else {
        end(slot, FLEET_UNREACHABLE, "the %s got no answer, and is asked again: %.300s", word, why);
    }
    doubt(postgres);
}

/* An answer of another shape than init.sql gives: what took place is not known. */
static void misunderstand(struct postgres *postgres, struct slot *slot)
{
    lose(postgres, slot, "the engine's answer has another shape than the functions of `xylem fleet init` give");
}

static bool begins_with(const char *state, const char *const *some)
{
    for (; *some; some++) {
        if (strncmp(state, *some, strlen(*some)) == 0) {
            return true;
        }
    }
    return false;
}

/* The server refused the statement: its transaction was taken back. */
static void refuse(struct postgres *postgres, struct slot *slot, const char *state, const char *text)
{
    static const char *const meets[] = {"40001", "40P01", "40000", "40002", "55P03", "57014", NULL};
    static const char *const lost[] = {"08", "40003", "57P01", "57P02", "57P04", "57P05", NULL};
    static const char *const elsewhere[] = {"25006", "57P03", NULL};
    static const char *const schema[] = {"3F000", "42883", "42P01", NULL};
    static const char *const permission[] = {"42501", NULL};
    static const char *const room[] = {"53", NULL};
    if (begins_with(state, lost)) {
        lose(postgres, slot, text);
    } else if (begins_with(state, meets)) {
        end(slot, FLEET_RETRY, "two transactions met, nothing was written: try again: %.300s", text);
    } else if (begins_with(state, elsewhere)) {
        end(slot, FLEET_UNREACHABLE, "the node takes no writes any more, the others are asked next: %.300s", text);
        doubt(postgres);
    } else {
        const char *next = begins_with(state, permission)
                               ? "this login may not do that: an administrator grants it the role xylem_host"
                           : begins_with(state, schema) ? "the schema is missing or older: run `xylem fleet init`"
                           : begins_with(state, room) ? "the server has no room: free disk, memory or connections there"
                                                      : "look at the log of the server";
        end(slot, FLEET_REFUSED, "%s: %.300s (%s)", next, text, state);
    }
}

/* --- What the server says ------------------------------------------------------------------------------------------------------ */

/* Columns of a row; `good` falls with the first that has another shape. */
struct reading {
    const struct fleet_sql_rows *rows;
    size_t row;
    size_t column;
    bool good;
};

static struct xylem_view read_bytes(struct reading *reading, size_t most)
{
    struct xylem_view cell = fleet_wire_cell(reading->rows, reading->row, reading->column++);
    reading->good = reading->good && cell.bytes <= most;
    return cell;
}

static uint64_t read_bits(struct reading *reading)
{
    struct xylem_view cell = read_bytes(reading, 8);
    struct xylem_base__cursor cursor = xylem_base__cursor_of(cell.data, cell.bytes);
    uint64_t number = xylem_base__read_u64_be(&cursor);
    reading->good = reading->good && cell.data && xylem_base__cursor_ended(&cursor);
    return number;
}

static uint64_t read_count(struct reading *reading)
{
    uint64_t number = read_bits(reading);
    reading->good = reading->good && number <= FLEET_ORDINAL_MAX;
    return number;
}

static bool read_bool(struct reading *reading)
{
    struct xylem_view cell = read_bytes(reading, 1);
    reading->good = reading->good && cell.bytes == 1;
    return reading->good && cell.data[0] != 0;
}

static bool read_row(struct fleet_row *row, struct reading *reading)
{
    row->id = read_bytes(reading, XYLEM_SESSION_ID_BYTES_MAX);
    row->epoch = read_count(reading);
    row->next = read_count(reading);
    row->chain = read_bits(reading);
    row->mine = read_bool(reading);
    row->unowned = read_bool(reading);
    row->freed = read_bool(reading);
    row->generation = read_count(reading);
    row->bytes = read_count(reading);
    row->host = read_bytes(reading, FLEET_HOST_BYTES_MAX);
    row->silent_ms = read_count(reading);
    row->about = read_bytes(reading, FLEET_ABOUT_BYTES_MAX);
    row->head = read_bytes(reading, HEAD_BYTES_MAX);
    return reading->good && row->id.bytes > 0 && row->next > 0;
}

/* Fills slot->shown with the first `count` rows of the answer. */
static bool take_rows(struct slot *slot, size_t count)
{
    slot->shown = calloc(count > 0 ? count : 1, sizeof *slot->shown);
    for (size_t i = 0; slot->shown && i < count; i++) {
        struct reading reading = {slot->rows, i, 0, true};
        if (!read_row(&slot->shown[i], &reading)) {
            return false;
        }
    }
    slot->shown_count = slot->shown ? count : 0;
    return slot->shown != NULL;
}

/* True and false of a function that writes. `more`: another statement of the request follows. */
static bool answer_bool(struct postgres *postgres, struct slot *slot, const struct fleet_sql_rows *rows, bool more)
{
    struct reading reading = {rows, 0, 0, fleet_sql_row_count(rows) == 1};
    bool done = read_bool(&reading);
    if (!reading.good) {
        misunderstand(postgres, slot);
    } else if (!done) {
        end(slot, FLEET_NO,
            "the row of the session says otherwise, or there is none in this group: nothing was written");
    } else if (!more) {
        end(slot, FLEET_DONE, "%s", "");
    }
    return reading.good && done;
}

static void answer_rows(struct postgres *postgres, struct slot *slot)
{
    size_t count = fleet_sql_row_count(slot->rows);
    bool is_list = slot->request.ask == FLEET_LIST;
    if (count > (is_list ? slot->request.limit : 1u) || !take_rows(slot, count)) {
        misunderstand(postgres, slot);
    } else if (count == 0 && !is_list) {
        end(slot, FLEET_NO,
            slot->request.ask == FLEET_CLAIM ? "the session has another epoch, or there is none in this group"
                                             : "this group has no such session");
    } else {
        end(slot, FLEET_DONE, "%s", "");
    }
}

/* --- Segments ------------------------------------------------------------------------------------------------------------------ */

static void send_statement(struct slot *slot, const struct statement *statement)
{
    slot->state = SENT;
    fleet_wire_send(slot->sql, statement->name, statement->text, slot->values, slot->value_count);
}

static void put_bytes(struct slot *slot, struct xylem_view bytes)
{
    slot->values[slot->value_count++] = (struct fleet_wire_value){.type = FLEET_WIRE_BYTES, .bytes = bytes};
}

static void put_number(struct slot *slot, uint64_t number)
{
    slot->values[slot->value_count++] = (struct fleet_wire_value){.type = FLEET_WIRE_NUMBER, .number = number};
}

struct stored {
    struct fleet_piece piece;
    uint64_t parts;
    uint64_t sum;
    struct xylem_view first;
};

static bool read_stored(struct stored *stored, const struct slot *slot, size_t row)
{
    struct reading reading = {slot->rows, row, ROW_COLUMNS, true};
    struct fleet_piece *piece = &stored->piece;
    piece->from = read_count(&reading);
    piece->to = read_count(&reading);
    piece->chain = read_bits(&reading);
    piece->generation = read_count(&reading);
    stored->parts = read_count(&reading);
    stored->sum = read_bits(&reading);
    stored->first = read_bytes(&reading, PART_BYTES);
    return reading.good && stored->first.data && piece->from < piece->to &&
           stored->parts <= FLEET_FRAME_BYTES_MAX / PART_BYTES;
}

/*
 * Appends a piece. A frame that cannot be expanded becomes a piece without bytes, which is no segment: whoever applies it
 * says that the engine has a damaged segment, and of which ordinals.
 */
static int add_piece(struct slot *slot, const struct stored *stored, struct xylem_view frame)
{
    struct xylem_error err;
    struct fleet_piece *piece = &slot->pieces[slot->piece_count];
    size_t before = slot->plain.bytes;
    int code = fleet_frame_expand(&slot->plain, frame, &err);
    *piece = stored->piece;
    piece->body.bytes = slot->plain.bytes - before;
    slot->piece_count += code != XYLEM_E_MEMORY;
    return code == XYLEM_E_MEMORY ? code : XYLEM_OK;
}

/* Views of pieces are set when the memory does not move any more. */
static void place_pieces(struct slot *slot)
{
    const char *data = slot->plain.data ? slot->plain.data : "";
    for (size_t i = 0; i < slot->piece_count; i++) {
        slot->pieces[i].body.data = data;
        data += slot->pieces[i].body.bytes;
    }
    end(slot, FLEET_DONE, "%s", "");
}

static void ask_part(struct slot *slot, const struct stored *stored)
{
    slot->value_count = 0;
    put_bytes(slot, slot->request.session);
    put_number(slot, stored->piece.from);
    put_number(slot, stored->sum);
    put_number(slot, slot->part);
    send_statement(slot, &part_statement);
}

/* Expands the pieces of the answer one after the other; asks for the chunks of a large one first. */
static void answer_pieces(struct postgres *postgres, struct slot *slot)
{
    size_t count = fleet_sql_row_count(slot->rows);
    while (slot->piece_count < count && slot->plain.bytes < EXPANDED_BYTES) {
        struct stored stored;
        if (!read_stored(&stored, slot, slot->piece_count)) {
            misunderstand(postgres, slot);
            return;
        }
        xylem_base__buffer_cut(&slot->frame, slot->part == 0 ? 0 : slot->frame.bytes);
        int code = slot->part == 0 ? xylem_buffer_add(&slot->frame, stored.first.data, stored.first.bytes) : XYLEM_OK;
        slot->part += slot->part == 0;
        if (code == XYLEM_OK && slot->part <= stored.parts) {
            ask_part(slot, &stored);
            return;
        }
        slot->part = 0;
        if (code < 0 || add_piece(slot, &stored, xylem_base__buffer_view(&slot->frame)) < 0) {
            end(slot, FLEET_RETRY, "no memory for the segments of the answer");
            return;
        }
    }
    place_pieces(slot);
}

static void answer_part(struct postgres *postgres, struct slot *slot, const struct fleet_sql_rows *rows)
{
    struct xylem_view part = fleet_wire_cell(rows, 0, 0);
    if (!part.data) {
        end(slot, FLEET_RETRY, "the segment was written anew while it was read: read it again");
    } else if (part.bytes > PART_BYTES) {
        misunderstand(postgres, slot);
    } else if (xylem_buffer_add(&slot->frame, part.data, part.bytes) < 0) {
        end(slot, FLEET_RETRY, "no memory for the segments of the answer");
    } else {
        slot->part++;
        answer_pieces(postgres, slot);
    }
}

static void answer_read(struct postgres *postgres, struct slot *slot)
{
    size_t count = fleet_sql_row_count(slot->rows);
    slot->pieces = calloc(count > 0 ? count : 1, sizeof *slot->pieces);
    if (count > (slot->request.limit > 0 ? slot->request.limit : 1u) || !slot->pieces ||
        !take_rows(slot, count > 0 ? 1 : 0)) {
        misunderstand(postgres, slot);
    } else if (count == 0) {
        end(slot, FLEET_NO, "this group has no such session");
    } else if (!fleet_wire_cell(slot->rows, 0, ROW_COLUMNS).data) {
        end(slot, FLEET_DONE, "%s", ""); /* the row alone */
    } else {
        answer_pieces(postgres, slot);
    }
}

/* --- Requests ------------------------------------------------------------------------------------------------------------------- */

static struct xylem_view part_of(const struct slot *slot, size_t part)
{
    size_t begin = part * PART_BYTES;
    size_t left = slot->frame.bytes - begin;
    return (struct xylem_view){slot->frame.data ? slot->frame.data + begin : "", left < PART_BYTES ? left : PART_BYTES};
}

static struct xylem_view token_of(const struct slot *slot)
{
    return (struct xylem_view){(const char *)slot->request.owner, FLEET_TOKEN_BYTES};
}

static void put_owned(struct slot *slot)
{
    slot->value_count = 0;
    put_bytes(slot, slot->request.session);
    put_number(slot, slot->request.epoch);
    put_bytes(slot, token_of(slot));
}

static void put_frame(struct slot *slot)
{
    put_bytes(slot, part_of(slot, 0));
    put_number(slot, slot->parts);
    put_number(slot, slot->sum);
}

static void send_chunk(struct slot *slot)
{
    const struct fleet_request *request = &slot->request;
    put_owned(slot);
    put_number(slot, request->ask == FLEET_REWRITE ? request->generation : UINT64_MAX);
    put_number(slot, request->ask == FLEET_FREE ? 0 : request->from);
    put_number(slot, slot->sum);
    put_number(slot, slot->part);
    put_bytes(slot, part_of(slot, slot->part));
    send_statement(slot, &chunk_statement);
}

static void put_append(struct slot *slot)
{
    const struct fleet_request *request = &slot->request;
    put_owned(slot);
    put_number(slot, request->from);
    put_number(slot, request->to);
    put_number(slot, request->before);
    put_number(slot, request->after);
    put_frame(slot);
    put_bytes(slot, request->about);
    put_bytes(slot, request->head);
}

static void put_rewrite(struct slot *slot)
{
    put_owned(slot);
    put_number(slot, slot->request.generation);
    put_number(slot, slot->request.from);
    put_number(slot, slot->request.to);
    put_frame(slot);
    put_bytes(slot, slot->request.about);
    put_bytes(slot, slot->request.head);
}

static void put_claim(struct slot *slot)
{
    put_owned(slot);
    put_bytes(slot, slot->request.host);
    slot->values[slot->value_count++] =
        (struct fleet_wire_value){.type = FLEET_WIRE_BOOL, .number = slot->request.make};
}

static void put_row(struct slot *slot)
{
    slot->value_count = 0;
    put_bytes(slot, slot->request.session);
    put_bytes(slot, token_of(slot));
}

static void put_read(struct slot *slot)
{
    put_row(slot);
    put_number(slot, slot->request.from);
    put_number(slot, slot->request.limit);
    put_number(slot, ANSWER_BYTES);
}

static void put_list(struct slot *slot)
{
    slot->value_count = 0;
    put_bytes(slot, token_of(slot));
    put_bytes(slot, slot->request.behind);
    put_number(slot, slot->request.limit);
}

static void put_free(struct slot *slot)
{
    put_owned(slot);
    put_frame(slot);
    put_bytes(slot, slot->request.about);
}

static void send_request(struct slot *slot)
{
    static void (*const put[FLEET_ASK_COUNT])(struct slot *) = {
        [FLEET_ROW] = put_row,       [FLEET_CLAIM] = put_claim,     [FLEET_LOOK] = put_row,
        [FLEET_APPEND] = put_append, [FLEET_REWRITE] = put_rewrite, [FLEET_FREE] = put_free,
        [FLEET_RELEASE] = put_owned, [FLEET_READ] = put_read,       [FLEET_LIST] = put_list,
    };
    if (slot->parts > 0 && slot->part <= slot->parts && fleet_ask_writes(slot->request.ask)) {
        send_chunk(slot);
        return;
    }
    put[slot->request.ask](slot);
    send_statement(slot, &statements[slot->request.ask]);
}

/* A chunk was taken, or not. */
static void answer_chunk(struct postgres *postgres, struct slot *slot, struct fleet_sql_rows *rows)
{
    if (answer_bool(postgres, slot, rows, true)) {
        slot->part++;
        send_request(slot);
    }
    fleet_sql_rows_free(rows);
}

static void answer(struct postgres *postgres, struct slot *slot, struct fleet_sql_rows *rows)
{
    bool writes = fleet_ask_writes(slot->request.ask);
    if (writes && slot->parts > 0 && slot->part <= slot->parts) {
        answer_chunk(postgres, slot, rows);
        return;
    }
    if (slot->rows) { /* of the READ, whose chunks come now */
        answer_part(postgres, slot, rows);
        fleet_sql_rows_free(rows);
        return;
    }
    slot->rows = rows;
    switch (slot->request.ask) {
    case FLEET_READ:
        answer_read(postgres, slot);
        break;
    case FLEET_ROW:
    case FLEET_CLAIM:
    case FLEET_LOOK:
    case FLEET_LIST:
        answer_rows(postgres, slot);
        break;
    default:
        answer_bool(postgres, slot, rows, false);
    }
}

static void take_answer(struct postgres *postgres, struct slot *slot)
{
    struct fleet_sql_rows *rows = NULL;
    struct xylem_error err;
    int code = fleet_wire_take(slot->sql, &rows, &err);
    if (code == XYLEM_OK) {
        answer(postgres, slot, rows);
    } else if (code == XYLEM_E_CONFLICT) {
        char state[6];
        (void)snprintf(state, sizeof state, "%s", fleet_sql_state(slot->sql));
        refuse(postgres, slot, state, err.text);
    } else { /* a warning; or no memory for an answer that is there */
        lose(postgres, slot, err.text);
    }
}

/* --- The node that takes writes --------------------------------------------------------------------------------------------------- */

/* Requests that wait have their answer: no node takes them. */
static void fail_waiting(struct postgres *postgres, const struct xylem_error *err)
{
    bool unreachable = err->code == XYLEM_E_IO || err->code == XYLEM_E_MEMORY;
    for (size_t i = 0; i < postgres->slot_count; i++) {
        if (postgres->slots[i].state == WAITING) {
            end(&postgres->slots[i], unreachable ? FLEET_UNREACHABLE : FLEET_REFUSED, "%s", err->text);
        }
    }
    fleet_sql_close(postgres->greeter);
    postgres->greeter = NULL;
    postgres->place = NOWHERE;
}

static int check_list(const struct postgres *postgres, struct xylem_view list, bool fsync, struct xylem_error *err)
{
    char text[1024];
    struct fleet_quorum quorum;
    (void)snprintf(text, sizeof text, "%.*s", (int)(list.bytes < sizeof text ? list.bytes : sizeof text), list.data);
    if (postgres->allow_single) {
        return XYLEM_OK;
    }
    if (!fsync) {
        return xylem_base__fail(
            err, XYLEM_E_CONFLICT,
            "fsync is off on the primary, so a power cut loses what was acknowledged: set fsync = on "
            "on every node, or say --allow-single");
    }
    if (!fleet_quorum_parse(&quorum, text) || quorum.wanted == 0 || quorum.star) {
        return xylem_base__fail(err, XYLEM_E_CONFLICT,
                                "the cluster acknowledges on one node alone, so its loss loses sessions: set "
                                "synchronous_standby_names = 'ANY 1 (n1, n2, n3)' with the names of all nodes on every "
                                "node, or say --allow-single; found '%.200s'",
                                text);
    }
    return XYLEM_OK;
}

static int check_hello(struct postgres *postgres, const struct fleet_sql_rows *rows, struct xylem_error *err)
{
    struct reading reading = {rows, 0, 0, fleet_sql_row_count(rows) == 1};
    struct xylem_view id = read_bytes(&reading, sizeof postgres->engine.id);
    uint64_t version = read_count(&reading);
    struct xylem_view group = read_bytes(&reading, 65536);
    struct xylem_view list = read_bytes(&reading, 65536);
    bool fsync = read_bool(&reading);
    if (!reading.good || id.bytes != sizeof postgres->engine.id || !list.data) {
        return xylem_base__fail(err, XYLEM_E_NOT_FOUND, "the schema of this database is none of `xylem fleet init`");
    }
    if (version > SCHEMA_VERSION) {
        return xylem_base__fail(
            err, XYLEM_E_TOO_NEW,
            "the schema has version %llu, and this xylem-fleet knows %d: install a newer xylem-fleet",
            (unsigned long long)version, SCHEMA_VERSION);
    }
    if (!group.data) {
        return xylem_base__fail(
            err, XYLEM_E_CONFLICT,
            "this login belongs to no group: an administrator calls xylem.member_set(LOGIN, GROUP)");
    }
    if (postgres->known && memcmp(postgres->engine.id, id.data, id.bytes) != 0) {
        return xylem_base__fail(err, XYLEM_E_CONFLICT,
                                "another engine answers under the URL than before: start anew if that is meant");
    }
    memcpy(postgres->engine.id, id.data, id.bytes);
    postgres->known = true;
    return check_list(postgres, list, fsync, err);
}

/* Why the server refused the first statement. */
static int fail_hello(const char *state, struct xylem_error *err)
{
    struct xylem_error said = *err;
    if (strcmp(state, "3F000") == 0 || strcmp(state, "42883") == 0 || strcmp(state, "42P01") == 0) {
        return xylem_base__fail(
            err, XYLEM_E_NOT_FOUND,
            "the database has no schema of a fleet: an administrator runs `xylem fleet init`: %.300s", said.text);
    }
    if (strcmp(state, "42501") == 0) {
        return xylem_base__fail(
            err, XYLEM_E_CONFLICT,
            "this login may not use the fleet: an administrator grants it the role xylem_host: %.300s", said.text);
    }
    return xylem_base__fail(err, XYLEM_E_IO, "%s", said.text);
}

/* A slot without a connection; better one that waits. */
static struct slot *without_connection(struct postgres *postgres)
{
    struct slot *found = NULL;
    for (size_t i = 0; i < postgres->slot_count; i++) {
        struct slot *slot = &postgres->slots[i];
        if (!slot->sql && (!found || (slot->state == WAITING && found->state != WAITING))) {
            found = slot;
        }
    }
    return found;
}

static int greeted(struct postgres *postgres, struct xylem_error *err)
{
    struct fleet_sql_rows *rows = NULL;
    int code = fleet_wire_take(postgres->greeter, &rows, err);
    if (code == XYLEM_OK) {
        code = check_hello(postgres, rows, err);
    } else if (code == XYLEM_E_CONFLICT) {
        code = fail_hello(fleet_sql_state(postgres->greeter), err);
    }
    fleet_sql_rows_free(rows);
    return code;
}

/* The node was asked, and takes this engine's requests. */
static void arrive(struct postgres *postgres)
{
    struct slot *slot = without_connection(postgres);
    if (slot) {
        slot->sql = postgres->greeter;
    } else {
        fleet_sql_close(postgres->greeter);
    }
    postgres->greeter = NULL;
    postgres->proved = xylem_base__steady_ms();
    postgres->place = THERE;
}

static int step_greeting(struct postgres *postgres, struct xylem_error *err)
{
    enum fleet_wire_phase phase = fleet_wire_step(postgres->greeter);
    if (phase == FLEET_WIRE_BUSY && xylem_base__steady_ms() < postgres->greeting_ends) {
        return XYLEM_OK;
    }
    if (phase != FLEET_WIRE_ANSWERED) {
        return xylem_base__fail(err, XYLEM_E_IO, "%s: %s", fleet_nodes_name(postgres->nodes, postgres->at),
                                phase == FLEET_WIRE_BROKEN ? fleet_wire_why(postgres->greeter)
                                                           : "no answer within 3 seconds");
    }
    int code = greeted(postgres, err);
    if (code == XYLEM_OK) {
        arrive(postgres);
    }
    return code;
}

static int step_seeking(struct postgres *postgres, struct xylem_error *err)
{
    if (!fleet_seek_step(postgres->seek)) {
        return XYLEM_OK;
    }
    int code = fleet_seek_take(&postgres->greeter, &postgres->at, postgres->seek, err);
    fleet_seek_free(postgres->seek);
    postgres->seek = NULL;
    if (code < 0) {
        return code;
    }
    (void)fleet_wire_writable(postgres->greeter, &postgres->timeline);
    postgres->greeting_ends = xylem_base__steady_ms() + FLEET_CONNECT_MS;
    postgres->place = GREETING;
    fleet_wire_send(postgres->greeter, hello_statement.name, hello_statement.text, NULL, 0);
    return XYLEM_OK;
}

/* One step on the way to the node. */
static int approach(struct postgres *postgres, struct xylem_error *err)
{
    if (postgres->place == NOWHERE) {
        int code = fleet_seek_start(&postgres->seek, postgres->nodes, err);
        if (code < 0) {
            return code;
        }
        postgres->place = SEEKING;
    }
    return postgres->place == SEEKING    ? step_seeking(postgres, err)
           : postgres->place == GREETING ? step_greeting(postgres, err)
                                         : XYLEM_OK;
}

/* --- Slots --------------------------------------------------------------------------------------------------------------------------- */

/* A connection that was just opened may have come to a node that is no primary any more. */
static bool is_the_node(const struct postgres *postgres, const struct fleet_sql *sql)
{
    uint64_t timeline;
    return fleet_wire_writable(sql, &timeline) && timeline == postgres->timeline;
}

/* A request that waits, at a node that is known. */
static void step_waiting(struct postgres *postgres, struct slot *slot)
{
    struct xylem_error err;
    if (!slot->sql && fleet_wire_start(&slot->sql, postgres->nodes, postgres->at, &err) < 0) {
        end(slot, FLEET_UNREACHABLE, "%s", err.text);
        return;
    }
    bool was_idle = fleet_wire_phase(slot->sql) == FLEET_WIRE_IDLE;
    switch (fleet_wire_step(slot->sql)) {
    case FLEET_WIRE_IDLE:
        if (is_the_node(postgres, slot->sql)) {
            send_request(slot);
        } else {
            doubt(postgres);
        }
        break;
    case FLEET_WIRE_BROKEN: /* a connection that broke while nobody used it says only that the nodes must be asked again */
        if (!was_idle) {
            end(slot, FLEET_UNREACHABLE, "%.300s", fleet_wire_why(slot->sql));
        }
        doubt(postgres);
        break;
    default:
        break;
    }
}

static void step_sent(struct postgres *postgres, struct slot *slot)
{
    enum fleet_wire_phase phase = fleet_wire_step(slot->sql);
    while (slot->state == SENT && phase == FLEET_WIRE_ANSWERED) {
        take_answer(postgres, slot);
        phase = slot->state == SENT ? fleet_wire_step(slot->sql) : phase;
    }
    if (slot->state == DONE && slot->outcome == FLEET_DONE && fleet_ask_writes(slot->request.ask)) {
        postgres->proved = xylem_base__steady_ms();
    }
    if (slot->state == SENT && phase == FLEET_WIRE_BROKEN) {
        lose(postgres, slot, fleet_wire_why(slot->sql));
    }
}

static void step_slot(struct postgres *postgres, struct slot *slot)
{
    if (slot->state == WAITING && postgres->place == THERE) {
        step_waiting(postgres, slot);
    }
    if (slot->state == SENT) {
        step_sent(postgres, slot);
    } else if (slot->sql && slot->state == FREE && fleet_wire_step(slot->sql) == FLEET_WIRE_BROKEN) {
        doubt(postgres);
    }
}

static bool has_waiting(const struct postgres *postgres)
{
    for (size_t i = 0; i < postgres->slot_count; i++) {
        if (postgres->slots[i].state == WAITING) {
            return true;
        }
    }
    return false;
}

/* Does what can be done without waiting. */
static void work(struct postgres *postgres)
{
    struct xylem_error err;
    do { /* again, if a slot doubted the node */
        if ((postgres->place != NOWHERE || has_waiting(postgres)) && approach(postgres, &err) < 0) {
            fail_waiting(postgres, &err);
        }
        for (size_t i = 0; i < postgres->slot_count; i++) {
            step_slot(postgres, &postgres->slots[i]);
        }
    } while (postgres->place == NOWHERE && has_waiting(postgres));
    watch(postgres);
}

/* Forgets request and answer, and keeps the connection. */
static void clear_slot(struct slot *slot)
{
    struct fleet_sql *sql = slot->sql;
    bool stale = slot->stale;
    xylem_buffer_release(&slot->bytes);
    xylem_buffer_release(&slot->frame);
    xylem_buffer_release(&slot->plain);
    fleet_sql_rows_free(slot->rows);
    free(slot->shown);
    free(slot->pieces);
    memset(slot, 0, sizeof *slot);
    slot->sql = sql;
    slot->stale = stale;
}

/* --- The table of functions ------------------------------------------------------------------------------------------------------------ */

static int check_bytes(const char *what, struct xylem_view view, size_t least, size_t most, struct xylem_error *err)
{
    return view.bytes >= least && view.bytes <= most
               ? XYLEM_OK
               : xylem_base__fail(err, XYLEM_E_LIMIT, "%s has %zu to %zu bytes, and this has %zu", what, least, most,
                                  view.bytes);
}

static int check_request(const struct fleet_request *request, struct xylem_error *err)
{
    size_t id_least = request->ask != FLEET_LIST;
    if ((unsigned)request->ask >= FLEET_ASK_COUNT) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "expected a request of engine.h, found %d", (int)request->ask);
    }
    if (request->epoch >= FLEET_ORDINAL_MAX || request->from > FLEET_ORDINAL_MAX || request->to > FLEET_ORDINAL_MAX ||
        request->generation >= FLEET_ORDINAL_MAX) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "the engine counts epochs and ordinals below 2^63");
    }
    int code = check_bytes("the id of a session", request->session, id_least, XYLEM_SESSION_ID_BYTES_MAX, err);
    if (code < 0 || (code = check_bytes("the name of a host", request->host, 0, FLEET_HOST_BYTES_MAX, err)) < 0 ||
        (code = check_bytes("what lists show", request->about, 0, FLEET_ABOUT_BYTES_MAX, err)) < 0 ||
        (code = check_bytes("a head", request->head, 0, HEAD_BYTES_MAX, err)) < 0) {
        return code;
    }
    return check_bytes("the id of a session", request->behind, 0, XYLEM_SESSION_ID_BYTES_MAX, err);
}

/* Copies what the views of the request show. */
static int copy_request(struct slot *slot, const struct fleet_request *request)
{
    struct fleet_request *copy = &slot->request;
    *copy = *request;
    copy->body = (struct xylem_view){NULL, 0}; /* its frame was made */
    struct xylem_view *const views[] = {&copy->session, &copy->host, &copy->about, &copy->head, &copy->behind};
    size_t bytes = 0;
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        bytes += views[i]->bytes;
    }
    if (xylem_base__buffer_reserve(&slot->bytes, bytes) < 0) {
        return XYLEM_E_MEMORY;
    }
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        const char *at = slot->bytes.data + slot->bytes.bytes;
        if (xylem_buffer_add(&slot->bytes, views[i]->data, views[i]->bytes) < 0) {
            return XYLEM_E_MEMORY;
        }
        views[i]->data = views[i]->data ? at : NULL;
    }
    if (request->ask == FLEET_CLAIM && !copy->host.data) {
        copy->host = (struct xylem_view){"", 0};
    }
    return XYLEM_OK;
}

static int fill_slot(struct postgres *postgres, struct slot *slot, uint64_t number, const struct fleet_request *request,
                     struct xylem_error *err)
{
    bool has_body = request->ask == FLEET_APPEND || request->ask == FLEET_REWRITE ||
                    (request->ask == FLEET_FREE && request->body.bytes > 0);
    int code = has_body ? fleet_frame_pack_more(&postgres->compressor, &slot->frame, request->body, err) : XYLEM_OK;
    if (code < 0) {
        return code;
    }
    if (copy_request(slot, request) < 0) {
        return xylem_base__fail_memory(err);
    }
    slot->number = number;
    slot->parts = slot->frame.bytes > PART_BYTES ? (slot->frame.bytes - 1) / PART_BYTES : 0;
    slot->part = slot->parts > 0 ? 1 : 0;
    slot->sum = slot->parts > 0 ? fleet_frame_sum(xylem_base__buffer_view(&slot->frame)) : 0;
    slot->state = WAITING;
    return XYLEM_OK;
}

/* A free slot; better one with a connection. */
static struct slot *free_slot(struct postgres *postgres)
{
    struct slot *found = NULL;
    for (size_t i = 0; i < postgres->slot_count; i++) {
        struct slot *slot = &postgres->slots[i];
        if (slot->state == FREE && (!found || (slot->sql && !found->sql))) {
            found = slot;
        }
    }
    return found;
}

static int submit(struct fleet_engine *engine, uint64_t number, const struct fleet_request *request,
                  struct xylem_error *err)
{
    struct postgres *postgres = postgres_of(engine);
    struct slot *slot = free_slot(postgres);
    int code = check_request(request, err);
    if (code < 0) {
        return code;
    }
    if (!slot) {
        return xylem_base__fail(err, XYLEM_E_BUSY, "%zu requests are on their way", postgres->slot_count);
    }
    code = fill_slot(postgres, slot, number, request, err);
    if (code < 0) {
        clear_slot(slot);
        return code;
    }
    if (!fleet_ask_writes(request->ask) && xylem_base__steady_ms() - postgres->proved > PROVED_MS) {
        doubt(postgres);
    }
    work(postgres);
    return XYLEM_OK;
}

static void fill_answer(struct fleet_answer *answer, const struct slot *slot)
{
    *answer = (struct fleet_answer){.number = slot->number,
                                    .ask = slot->request.ask,
                                    .outcome = slot->outcome,
                                    .rows = slot->shown,
                                    .row_count = slot->shown_count,
                                    .pieces = slot->pieces,
                                    .piece_count = slot->piece_count,
                                    .text = slot->text};
}

static int poll_answer(struct fleet_engine *engine, struct fleet_answer *answer, struct xylem_error *err)
{
    struct postgres *postgres = postgres_of(engine);
    (void)err;
    clear_slot(&postgres->given);
    work(postgres);
    for (size_t i = 0; i < postgres->slot_count; i++) {
        struct slot *slot = &postgres->slots[i];
        if (slot->state == DONE) { /* what the answer shows moves out, so that the slot takes the next request */
            struct fleet_sql *sql = slot->sql;
            postgres->given = *slot;
            postgres->given.sql = NULL;
            memset(slot, 0, sizeof *slot);
            slot->sql = sql;
            fill_answer(answer, &postgres->given);
            watch(postgres);
            return 1;
        }
    }
    return 0;
}

static int descriptor(struct fleet_engine *engine)
{
    return postgres_of(engine)->events;
}

static void drop(struct fleet_engine *engine, uint64_t number)
{
    struct postgres *postgres = postgres_of(engine);
    for (size_t i = 0; i < postgres->slot_count; i++) {
        struct slot *slot = &postgres->slots[i];
        if (slot->number == number && (slot->state == WAITING || slot->state == SENT)) {
            lose(postgres, slot, "no answer before the deadline");
        }
    }
    watch(postgres);
}

static void release(struct fleet_engine *engine)
{
    struct postgres *postgres = engine ? postgres_of(engine) : NULL;
    if (!postgres) {
        return;
    }
    for (size_t i = 0; i < postgres->slot_count; i++) {
        fleet_sql_close(postgres->slots[i].sql);
        postgres->slots[i].sql = NULL;
        clear_slot(&postgres->slots[i]);
    }
    clear_slot(&postgres->given);
    fleet_sql_close(postgres->greeter);
    fleet_seek_free(postgres->seek);
    fleet_frame_forget(postgres->compressor);
    if (postgres->timer >= 0) {
        (void)close(postgres->timer);
    }
    if (postgres->events >= 0) {
        (void)close(postgres->events);
    }
    free(postgres);
}

/* --- Opening ----------------------------------------------------------------------------------------------------------------------------- */

static int begin(struct postgres *postgres, const struct fleet_nodes *nodes,
                 const struct fleet_postgres_options *options, struct xylem_error *err)
{
    unsigned wanted = options->connections > 0 ? options->connections : SLOTS_DEFAULT;
    postgres->engine.submit = submit;
    postgres->engine.poll = poll_answer;
    postgres->engine.fd = descriptor;
    postgres->engine.drop = drop;
    postgres->engine.free = release;
    postgres->nodes = nodes;
    postgres->allow_single = options->allow_single;
    postgres->due = INT64_MAX;
    postgres->slot_count = wanted < SLOTS_MAX ? wanted : SLOTS_MAX;
    postgres->events = epoll_create1(EPOLL_CLOEXEC);
    postgres->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (postgres->events < 0 || postgres->timer < 0) {
        return xylem_base__fail(err, XYLEM_E_IO, "cannot wait for connections: %s", xylem_base__errno_text(errno));
    }
    watch_fd(postgres, postgres->timer, EPOLLIN);
    return XYLEM_OK;
}

static int wait_until_there(struct postgres *postgres, struct xylem_error *err)
{
    struct pollfd events = {.fd = postgres->events, .events = POLLIN};
    while (postgres->place != THERE) {
        int code = approach(postgres, err);
        if (code < 0) {
            return code;
        }
        watch(postgres);
        if (postgres->place != THERE) {
            (void)poll(&events, 1, (int)FLEET_CONNECT_MS);
        }
    }
    return XYLEM_OK;
}

int fleet_engine_postgres(struct fleet_engine **engine, const struct fleet_nodes *nodes,
                          const struct fleet_postgres_options *options, struct xylem_error *err)
{
    struct postgres *postgres = calloc(1, sizeof *postgres);
    *engine = NULL;
    if (!postgres) {
        return xylem_base__fail_memory(err);
    }
    int code = begin(postgres, nodes, options, err);
    if (code < 0 || (code = wait_until_there(postgres, err)) < 0) {
        release(&postgres->engine);
        return code;
    }
    *engine = &postgres->engine;
    return XYLEM_OK;
}
