/*
 * Requests as calls of the functions of init.sql. Each request has a slot with a connection of its own, to the node that
 * takes writes. Nothing here waits but fleet_engine_postgres().
 *
 *     nowhere ── submit ──> seeking ──> there
 *        ^                     │ none, or refused
 *        └─────────────────────┴──────────┘ a connection broke, an outcome is unknown
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
#define PROVED_MS 30000   /* an old primary answers reads for ever: behind so long a time reads ask all nodes again */
#define TICK_NS 100000000 /* as often is looked whether a connection that opens is late */
#define ROW_COLUMNS 13u

/* --- Statements --------------------------------------------------------------------------------------------------------- */

/* What a connection says first. The last statement asks whether the cluster is what the engine wants. */
static const char hello[] =
    "PREPARE \"row\" AS SELECT * FROM xylem.\"row\"($1, $2, true);"
    "PREPARE claim AS SELECT * FROM xylem.claim($1, $2, $3, $4, $5::bigint <> 0);"
    "PREPARE look AS SELECT * FROM xylem.look($1, $2);"
    "PREPARE append AS SELECT xylem.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12);"
    "PREPARE rewrite AS SELECT xylem.rewrite($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11);"
    "PREPARE free AS SELECT xylem.free($1, $2, $3, $4, $5, $6, $7);"
    "PREPARE release AS SELECT xylem.release($1, $2, $3);"
    "PREPARE list AS SELECT * FROM xylem.list($1, $2, $3);"
    "PREPARE chunk AS SELECT xylem.chunk($1, $2, $3, $4, $5, $6, $7, $8);"
    /* One statement, so that the row and the segments are of one moment. A row for each part of a frame. */
    "PREPARE read AS SELECT r.*, p.ord, p.upto, p.chain, p.generation, p.parts, i,"
    " CASE WHEN i = 0 THEN p.body ELSE (SELECT xylem.part($1, p.ord, p.sum, i)) END"
    " FROM xylem.\"row\"($1, $2, false) r LEFT JOIN xylem.read($1, $3, $4, $5) p ON true"
    " LEFT JOIN LATERAL generate_series(0, p.parts) i ON true ORDER BY p.ord, i;"
    "SELECT encode(e.id, 'hex'), e.version, e.grp, current_setting('synchronous_standby_names'),"
    " current_setting('fsync') FROM xylem.engine() e";

/* The letters name the parameters, as send_next() knows them. */
static const struct statement {
    const char *letters;
    bool is_truth; /* the answer is true or false; else rows */
} statements[FLEET_ASK_COUNT] = {
    [FLEET_ROW] = {"so", false},
    [FLEET_CLAIM] = {"seohm", false},
    [FLEET_LOOK] = {"so", false},
    [FLEET_APPEND] = {"seoftyzbnkAH", true},
    [FLEET_REWRITE] = {"seogftbnkAH", true},
    [FLEET_FREE] = {"seobnkA", true},
    [FLEET_RELEASE] = {"seo", true},
    [FLEET_READ] = {"soflL", false},
    [FLEET_LIST] = {"oxl", false},
};
static const char chunk_letters[] = "seoGFkiB";

/* --- The engine --------------------------------------------------------------------------------------------------------- */

/* A request on its way, and its answer. */
struct errand {
    struct fleet_request request; /* views point into `bytes` */
    struct xylem_buffer bytes;
    struct xylem_buffer frame; /* of the body */
    struct xylem_buffer head;  /* a frame, too: a row of more than 2 KB would be written in pieces */
    uint64_t sum;              /* of a frame in parts */
    size_t part;               /* the next chunk, from 1 on; the statement itself has the first part */
    size_t parts;              /* further ones */
    struct fleet_sql_rows *rows;
    struct xylem_buffer plain; /* of pieces, one behind the other; or the head of the row */
    struct fleet_row *shown;
    struct fleet_piece *pieces;
    struct fleet_answer answer;
    char text[XYLEM_ERROR_TEXT_BYTES];
};

enum slot_state { FREE, WAITING, SENT, DONE };

struct slot {
    enum slot_state state;
    struct fleet_sql *sql; /* NULL: none */
    uint64_t visit;        /* of the connection: with another than the engine's it takes no further request */
    struct errand errand;
};

enum place { NOWHERE, SEEKING, THERE };

struct postgres {
    struct fleet_engine engine; /* first */
    const struct fleet_nodes *nodes;
    bool allow_single;
    bool known; /* engine.id is the engine's */
    enum place place;
    uint64_t visit;                          /* counts the doubts of the node */
    struct fleet_sql *seek[FLEET_NODES_MAX]; /* while SEEKING */
    size_t at;                               /* the node that takes writes */
    uint64_t timeline;
    int64_t proved; /* when all nodes were asked last, or this one acknowledged a write */
    int events;     /* an epoll with all sockets and the timer */
    int timer;
    struct ZSTD_CCtx_s *compressor;
    struct slot slots[SLOTS_MAX];
    size_t slot_count;
    struct errand given; /* what the last answer shows */
};

static struct postgres *postgres_of(struct fleet_engine *engine)
{
    return (struct postgres *)engine;
}

/* A slot in a state; better one with a connection. */
static struct slot *slot_of(struct postgres *postgres, enum slot_state state)
{
    struct slot *found = NULL;
    for (size_t i = 0; i < postgres->slot_count; i++) {
        struct slot *slot = &postgres->slots[i];
        if (slot->state == state && (!found || (slot->sql && !found->sql))) {
            found = slot;
        }
    }
    return found;
}

/* --- What to wait for --------------------------------------------------------------------------------------------------- */

_Static_assert(EPOLLIN == POLLIN && EPOLLOUT == POLLOUT, "epoll has other events than poll");

/* A closed socket leaves the epoll by itself, and the next one may have its number. */
static void watch_fd(const struct postgres *postgres, int fd, short events)
{
    struct epoll_event event = {.events = (uint32_t)events, .data = {.fd = fd}};
    if (fd >= 0 && epoll_ctl(postgres->events, EPOLL_CTL_MOD, fd, &event) < 0) {
        (void)epoll_ctl(postgres->events, EPOLL_CTL_ADD, fd, &event);
    }
}

/* The timer is due at once for an answer, and while a connection opens again and again: its deadline may pass. */
static void watch(struct postgres *postgres)
{
    long due = 0;
    for (size_t i = 0; i < FLEET_NODES_MAX + postgres->slot_count; i++) {
        const struct fleet_sql *sql =
            i < FLEET_NODES_MAX ? postgres->seek[i] : postgres->slots[i - FLEET_NODES_MAX].sql;
        short events = 0;
        if (sql) {
            int fd = fleet_wire_fd(sql, &events);
            watch_fd(postgres, fd, events);
            due = fleet_wire_opens(sql) ? TICK_NS : due;
        }
    }
    struct itimerspec when = {.it_value = {0, slot_of(postgres, DONE) ? 1 : due}};
    (void)timerfd_settime(postgres->timer, 0, &when, NULL);
}

/* --- Answers that end a request --------------------------------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static void end(struct slot *slot, enum fleet_outcome outcome, const char *format,
                                                      ...)
{
    struct errand *errand = &slot->errand;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(errand->text, sizeof errand->text, format, arguments);
    va_end(arguments);
    slot->state = DONE;
    errand->answer.outcome = outcome;
    if (outcome != FLEET_DONE) {
        errand->answer.row_count = 0;
        errand->answer.piece_count = 0;
    }
}

/* What the engine knows of the nodes may be wrong: the next request asks every node. */
static void doubt(struct postgres *postgres)
{
    if (postgres->place == THERE) {
        postgres->place = NOWHERE;
        postgres->visit++;
    }
}

/* The connection was lost, or the deadline of the asker has passed. */
static void lose(struct postgres *postgres, struct slot *slot, const char *why)
{
    enum fleet_ask ask = slot->errand.request.ask;
    bool writes = fleet_ask_writes(ask);
    end(slot, writes ? FLEET_UNKNOWN : FLEET_UNREACHABLE,
        writes ? "it is not known whether the %s took place: look at the session first: %.300s"
               : "the %s got no answer, and is asked again: %.300s",
        fleet_ask_word(ask), why);
    fleet_sql_close(slot->sql);
    slot->sql = NULL;
    doubt(postgres);
}

/* What a SQLSTATE means: the first that begins it. The transaction was taken back, but for UNKNOWN. */
static const struct refusal {
    const char *state;
    enum fleet_outcome outcome;
    int code; /* at the opening */
    const char *next;
} refusals[] = {
    {"40003", FLEET_UNKNOWN, XYLEM_E_IO, "the server does not know"},
    {"40", FLEET_RETRY, XYLEM_E_IO, "two transactions met, nothing was written: try again"},
    {"55P03", FLEET_RETRY, XYLEM_E_IO, "two transactions met, nothing was written: try again"},
    {"57014", FLEET_RETRY, XYLEM_E_IO, "the statement was cancelled, nothing was written: try again"},
    {"57P03", FLEET_UNREACHABLE, XYLEM_E_IO, "the node takes no writes any more, the others are asked next"},
    {"25006", FLEET_UNREACHABLE, XYLEM_E_IO, "the node takes no writes any more, the others are asked next"},
    {"57P", FLEET_UNKNOWN, XYLEM_E_IO, "the server ends"},
    {"08", FLEET_UNKNOWN, XYLEM_E_IO, "the connection was lost"},
    {"3F000", FLEET_REFUSED, XYLEM_E_NOT_FOUND, "the schema is missing or older: run `xylem fleet init`"},
    {"42883", FLEET_REFUSED, XYLEM_E_NOT_FOUND, "the schema is missing or older: run `xylem fleet init`"},
    {"42P01", FLEET_REFUSED, XYLEM_E_NOT_FOUND, "the schema is missing or older: run `xylem fleet init`"},
    {"42501", FLEET_REFUSED, XYLEM_E_CONFLICT,
     "this login may not do that: an administrator grants it the role xylem_host"},
    {"53", FLEET_REFUSED, XYLEM_E_IO, "the server has no room: free disk, memory or connections there"},
    {"", FLEET_REFUSED, XYLEM_E_IO, "look at the log of the server"},
};

static const struct refusal *refusal_of(const char *state)
{
    const struct refusal *refusal = refusals;
    while (strncmp(state, refusal->state, strlen(refusal->state)) != 0) {
        refusal++;
    }
    return refusal;
}

static void refuse(struct postgres *postgres, struct slot *slot, const char *text)
{
    const char *state = fleet_sql_state(slot->sql);
    const struct refusal *refusal = refusal_of(state);
    if (refusal->outcome == FLEET_UNKNOWN) {
        lose(postgres, slot, text);
        return;
    }
    end(slot, refusal->outcome, "%s: %.300s (%s)", refusal->next, text, state);
    if (refusal->outcome == FLEET_UNREACHABLE) {
        doubt(postgres);
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
    reading->good = reading->good && !cursor.failed;
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

static bool take_head(struct errand *errand, struct fleet_row *row)
{
    struct xylem_error err;
    if (!row->head.data) {
        return true;
    }
    bool good = errand->plain.bytes == 0 && fleet_frame_expand(&errand->plain, row->head, &err) == XYLEM_OK;
    row->head = xylem_base__buffer_view(&errand->plain);
    return good && row->head.bytes <= HEAD_BYTES_MAX;
}

static bool take_rows(struct errand *errand, size_t count)
{
    bool good = true;
    errand->shown = calloc(count + 1, sizeof *errand->shown);
    for (size_t i = 0; errand->shown && good && i < count; i++) {
        struct reading reading = {errand->rows, i, 0, true};
        good = read_row(&errand->shown[i], &reading) && take_head(errand, &errand->shown[i]);
    }
    errand->answer.rows = errand->shown;
    errand->answer.row_count = count;
    return errand->shown && good;
}

/*
 * Adds the part of a piece that a row has; `part` is the one that comes next. A frame that cannot be expanded becomes a
 * piece without bytes, which is no segment: whoever applies it says that the engine has a damaged segment, and of which
 * ordinals.
 */
static bool take_part(struct errand *errand, size_t row, uint64_t *part)
{
    struct reading reading = {errand->rows, row, ROW_COLUMNS, true};
    struct fleet_piece *piece = &errand->pieces[errand->answer.piece_count];
    struct xylem_error err;
    piece->from = read_count(&reading);
    piece->to = read_count(&reading);
    piece->chain = read_bits(&reading);
    piece->generation = read_count(&reading);
    uint64_t parts = read_count(&reading);
    bool is_next = read_count(&reading) == *part;
    struct xylem_view bytes = read_bytes(&reading, PART_BYTES);
    if (!reading.good || !is_next || piece->from >= piece->to || parts > FLEET_FRAME_BYTES_MAX / PART_BYTES ||
        xylem_buffer_add(&errand->frame, bytes.data, bytes.bytes) < 0) {
        return false;
    }
    *part = *part < parts ? *part + 1 : 0;
    if (*part > 0) {
        return true;
    }
    size_t before = errand->plain.bytes;
    int code = fleet_frame_expand(&errand->plain, xylem_base__buffer_view(&errand->frame), &err);
    piece->body.bytes = errand->plain.bytes - before;
    errand->answer.piece_count++;
    xylem_base__buffer_clear(&errand->frame);
    return code != XYLEM_E_MEMORY;
}

static bool take_pieces(struct errand *errand, size_t count)
{
    uint64_t part = 0;
    bool good = true;
    if (!fleet_wire_cell(errand->rows, 0, ROW_COLUMNS).data) { /* the row alone */
        return true;
    }
    errand->pieces = calloc(count, sizeof *errand->pieces);
    for (size_t i = 0; errand->pieces && good && i < count; i++) {
        if (part == 0 && errand->plain.bytes >= EXPANDED_BYTES) {
            break;
        }
        good = take_part(errand, i, &part);
    }
    const char *data = errand->plain.data ? errand->plain.data : "";
    for (size_t i = 0; i < errand->answer.piece_count; i++) { /* the memory does not move any more */
        errand->pieces[i].body.data = data;
        data += errand->pieces[i].body.bytes;
    }
    errand->answer.pieces = errand->pieces;
    return errand->pieces && good && part == 0 &&
           errand->answer.piece_count <= (errand->request.limit > 0 ? errand->request.limit : 1u);
}

/* --- Requests ------------------------------------------------------------------------------------------------------------------- */

static struct fleet_wire_value number_of(uint64_t number)
{
    return (struct fleet_wire_value){.is_number = true, .number = number};
}

static struct fleet_wire_value bytes_of(struct xylem_view bytes)
{
    return (struct fleet_wire_value){.bytes = bytes};
}

static struct fleet_wire_value part_of(const struct errand *errand, size_t part)
{
    size_t begin = part * PART_BYTES;
    size_t left = errand->frame.bytes - begin;
    const char *data = errand->frame.data ? errand->frame.data + begin : "";
    return bytes_of((struct xylem_view){data, left < PART_BYTES ? left : PART_BYTES});
}

/* Sends the next chunk of the frame, or behind the last one what the request says. */
static void send_next(struct slot *slot)
{
    const struct errand *errand = &slot->errand;
    const struct fleet_request *request = &errand->request;
    bool is_chunk = errand->part <= errand->parts;
    const char *letters = is_chunk ? chunk_letters : statements[request->ask].letters;
    const struct fleet_wire_value known[] = {
        ['s'] = bytes_of(request->session),
        ['e'] = number_of(request->epoch),
        ['o'] = bytes_of((struct xylem_view){(const char *)request->owner, FLEET_TOKEN_BYTES}),
        ['h'] = bytes_of(request->host.data ? request->host : xylem_view_of("")),
        ['m'] = number_of(request->make),
        ['f'] = number_of(request->from),
        ['t'] = number_of(request->to),
        ['y'] = number_of(request->before),
        ['z'] = number_of(request->after),
        ['b'] = part_of(errand, 0),
        ['n'] = number_of(errand->parts),
        ['k'] = number_of(errand->sum),
        ['A'] = bytes_of(request->about),
        ['H'] = bytes_of(xylem_base__buffer_view(&errand->head)),
        ['g'] = number_of(request->generation),
        ['l'] = number_of(request->limit),
        ['L'] = number_of(ANSWER_BYTES),
        ['x'] = bytes_of(request->behind),
        /* of a chunk */
        ['G'] = number_of(request->ask == FLEET_REWRITE ? request->generation : UINT64_MAX),
        ['F'] = number_of(request->ask == FLEET_FREE ? 0 : request->from),
        ['i'] = number_of(errand->part),
        ['B'] = is_chunk ? part_of(errand, errand->part) : number_of(0),
    };
    struct fleet_wire_value values[FLEET_WIRE_VALUES_MAX];
    size_t count = 0;
    for (; letters[count]; count++) {
        values[count] = known[(unsigned char)letters[count]];
    }
    slot->state = SENT;
    fleet_wire_send(slot->sql, is_chunk ? "chunk" : fleet_ask_word(request->ask), values, count);
}

/* An answer of another shape than init.sql gives: what took place is not known. */
static void misunderstand(struct postgres *postgres, struct slot *slot)
{
    lose(postgres, slot,
         "the engine's answer has another shape than the functions of `xylem fleet init` give, or does not fit into "
         "the memory");
}

/* True and false of a function that writes, or of a chunk. */
static void answer_truth(struct postgres *postgres, struct slot *slot)
{
    struct errand *errand = &slot->errand;
    struct reading reading = {errand->rows, 0, 0, fleet_sql_row_count(errand->rows) == 1};
    bool done = read_bool(&reading);
    if (!reading.good) {
        misunderstand(postgres, slot);
    } else if (!done) {
        end(slot, FLEET_NO,
            "the row of the session says otherwise, or there is none in this group: nothing was written");
    } else if (errand->part <= errand->parts) {
        errand->part++;
        send_next(slot);
    } else {
        end(slot, FLEET_DONE, "%s", "");
    }
}

static void answer_rows(struct postgres *postgres, struct slot *slot)
{
    struct errand *errand = &slot->errand;
    enum fleet_ask ask = errand->request.ask;
    size_t count = fleet_sql_row_count(errand->rows);
    size_t shown = ask == FLEET_READ && count > 0 ? 1 : count;
    if (count == 0 && ask != FLEET_LIST) {
        end(slot, FLEET_NO, "this group has no such session, or the session has another epoch");
    } else if (shown > (ask == FLEET_LIST ? errand->request.limit : 1u) || !take_rows(errand, shown) ||
               (ask == FLEET_READ && !take_pieces(errand, count))) {
        misunderstand(postgres, slot);
    } else {
        end(slot, FLEET_DONE, "%s", "");
    }
}

static void take_answer(struct postgres *postgres, struct slot *slot)
{
    struct errand *errand = &slot->errand;
    struct xylem_error err;
    fleet_sql_rows_free(errand->rows);
    int code = fleet_wire_take(slot->sql, &errand->rows, &err);
    if (code == XYLEM_E_CONFLICT) {
        refuse(postgres, slot, err.text);
    } else if (code < 0) { /* a warning, or a connection that is lost */
        lose(postgres, slot, err.text);
    } else if (statements[errand->request.ask].is_truth) {
        answer_truth(postgres, slot);
    } else {
        answer_rows(postgres, slot);
    }
}

/* --- The node that takes writes --------------------------------------------------------------------------------------------------- */

/* False if the text is none of 16 bytes in hexadecimal digits. */
static bool read_id(unsigned char *id, const char *text)
{
    size_t count = 0;
    while (count < 16 && sscanf(text + 2 * count, "%2hhx", &id[count]) == 1) {
        count++;
    }
    return count == 16;
}

/* The columns of the last statement of the hello. */
static int check_hello(struct postgres *postgres, const struct fleet_sql_rows *rows, struct xylem_error *err)
{
    enum { ID, VERSION, GROUP, LIST, FSYNC, COLUMNS };
    const char *said[COLUMNS];
    unsigned char id[sizeof postgres->engine.id];
    struct fleet_quorum quorum;
    for (size_t i = 0; i < COLUMNS; i++) {
        said[i] = fleet_sql_cell(rows, 0, i) ? fleet_sql_cell(rows, 0, i) : "";
    }
    bool has_id = read_id(id, said[ID]);
    bool is_single = !fleet_quorum_parse(&quorum, said[LIST]) || quorum.wanted == 0 || quorum.star;
    const struct {
        bool is_wrong;
        int code;
        const char *text;
    } checks[] = {
        {!has_id, XYLEM_E_NOT_FOUND, "the schema of this database is none of `xylem fleet init`"},
        {strtoull(said[VERSION], NULL, 10) > SCHEMA_VERSION, XYLEM_E_TOO_NEW,
         "the schema is newer than this xylem-fleet: install a newer xylem-fleet"},
        {!*said[GROUP], XYLEM_E_CONFLICT,
         "this login belongs to no group: an administrator calls xylem.member_set(LOGIN, GROUP)"},
        {postgres->known && memcmp(postgres->engine.id, id, sizeof id) != 0, XYLEM_E_CONFLICT,
         "another engine answers under the URL than before: start anew if that is meant"},
        {!postgres->allow_single && strcmp(said[FSYNC], "on") != 0, XYLEM_E_CONFLICT,
         "fsync is off on the primary, so a power cut loses what was acknowledged: set fsync = on on every node, or "
         "say "
         "--allow-single"},
        {!postgres->allow_single && is_single, XYLEM_E_CONFLICT,
         "the cluster acknowledges on one node alone, so its loss loses sessions: set synchronous_standby_names = 'ANY "
         "1 "
         "(n1, n2, n3)' with the names of all nodes on every node, or say --allow-single"},
    };
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        if (checks[i].is_wrong) {
            return xylem_base__fail(err, checks[i].code, "%s (found the version '%.20s', the list '%.100s')",
                                    checks[i].text, said[VERSION], said[LIST]);
        }
    }
    memcpy(postgres->engine.id, id, sizeof id);
    postgres->known = true;
    return XYLEM_OK;
}

/* Takes the answer to the hello of a connection that was opened. */
static int greet(struct postgres *postgres, struct fleet_sql *sql, struct xylem_error *err)
{
    struct fleet_sql_rows *rows;
    struct xylem_error said;
    int code = fleet_wire_take(sql, &rows, &said);
    if (code == XYLEM_OK) {
        code = check_hello(postgres, rows, err);
    } else {
        const struct refusal *refusal = refusal_of(fleet_sql_state(sql));
        code = code == XYLEM_E_CONFLICT ? xylem_base__fail(err, refusal->code, "%s: %.300s", refusal->next, said.text)
                                        : xylem_base__fail(err, XYLEM_E_IO, "%s", said.text);
    }
    fleet_sql_rows_free(rows);
    return code;
}

/* The connection that found the node goes to a slot. */
static void arrive(struct postgres *postgres, struct fleet_sql *sql)
{
    struct slot *slot = slot_of(postgres, WAITING);
    slot = slot ? slot : slot_of(postgres, FREE);
    postgres->place = THERE;
    postgres->proved = xylem_base__steady_ms();
    postgres->timeline = fleet_wire_timeline(sql);
    if (slot) {
        fleet_sql_close(slot->sql);
        slot->sql = sql;
        slot->visit = postgres->visit;
    } else {
        fleet_sql_close(sql);
    }
}

/* One step on the way to the node. */
static int approach(struct postgres *postgres, struct xylem_error *err)
{
    size_t count = fleet_nodes_count(postgres->nodes);
    struct fleet_sql *sql = NULL;
    int code = XYLEM_OK;
    if (postgres->place == NOWHERE) {
        code = fleet_seek_start(postgres->seek, postgres->nodes, hello, err);
        postgres->place = code < 0 ? NOWHERE : SEEKING;
    }
    if (postgres->place != SEEKING || !fleet_seek_step(postgres->seek, count)) {
        return code;
    }
    code = fleet_seek_take(&sql, &postgres->at, postgres->seek, count, err);
    postgres->place = NOWHERE;
    if (code < 0 || (code = greet(postgres, sql, err)) < 0) {
        fleet_sql_close(sql);
        return code;
    }
    arrive(postgres, sql);
    return XYLEM_OK;
}

/* --- Slots --------------------------------------------------------------------------------------------------------------------------- */

/* A connection that was just opened may have come to a node that is no primary any more. */
static bool is_welcome(struct postgres *postgres, struct fleet_sql *sql, enum fleet_wire_phase phase)
{
    struct xylem_error err;
    return fleet_wire_timeline(sql) == postgres->timeline &&
           (phase == FLEET_WIRE_IDLE || greet(postgres, sql, &err) == XYLEM_OK);
}

/* A request that waits, at a node that is known. */
static void step_waiting(struct postgres *postgres, struct slot *slot)
{
    struct xylem_error err;
    if (!slot->sql && fleet_wire_start(&slot->sql, postgres->nodes, postgres->at, hello, &err) < 0) {
        end(slot, FLEET_UNREACHABLE, "%s", err.text);
        return;
    }
    enum fleet_wire_phase phase = fleet_wire_step(slot->sql);
    if (phase < FLEET_WIRE_IDLE) {
        return;
    }
    if (phase == FLEET_WIRE_BROKEN || !is_welcome(postgres, slot->sql, phase)) {
        doubt(postgres);
        return;
    }
    send_next(slot);
}

static void step_sent(struct postgres *postgres, struct slot *slot)
{
    while (slot->state == SENT && fleet_wire_step(slot->sql) >= FLEET_WIRE_ANSWERED) {
        take_answer(postgres, slot);
    }
    if (slot->state == DONE && slot->errand.answer.outcome == FLEET_DONE &&
        fleet_ask_writes(slot->errand.request.ask)) {
        postgres->proved = xylem_base__steady_ms();
    }
}

static void step_slot(struct postgres *postgres, struct slot *slot)
{
    if (slot->visit != postgres->visit && slot->state != SENT) {
        fleet_sql_close(slot->sql);
        slot->sql = NULL;
        slot->visit = postgres->visit;
    }
    if (slot->state == WAITING && postgres->place == THERE) {
        step_waiting(postgres, slot);
    }
    if (slot->state == SENT) {
        step_sent(postgres, slot);
    } else if (slot->sql && slot->state == FREE && fleet_wire_step(slot->sql) == FLEET_WIRE_BROKEN) {
        doubt(postgres);
    }
}

/* Requests that wait have their answer: no node takes them. */
static void fail_waiting(struct postgres *postgres, const struct xylem_error *err)
{
    bool unreachable = err->code == XYLEM_E_IO || err->code == XYLEM_E_MEMORY;
    for (struct slot *slot; (slot = slot_of(postgres, WAITING)) != NULL;) {
        end(slot, unreachable ? FLEET_UNREACHABLE : FLEET_REFUSED, "%s", err->text);
    }
}

/* Does what can be done without waiting. watch() comes behind. */
static void work(struct postgres *postgres)
{
    struct xylem_error err;
    do { /* again, if a slot doubted the node */
        if ((postgres->place == SEEKING || slot_of(postgres, WAITING)) && approach(postgres, &err) < 0) {
            fail_waiting(postgres, &err);
        }
        for (size_t i = 0; i < postgres->slot_count; i++) {
            step_slot(postgres, &postgres->slots[i]);
        }
    } while (postgres->place == NOWHERE && slot_of(postgres, WAITING));
}

static void clear_errand(struct errand *errand)
{
    xylem_buffer_release(&errand->bytes);
    xylem_buffer_release(&errand->frame);
    xylem_buffer_release(&errand->head);
    xylem_buffer_release(&errand->plain);
    fleet_sql_rows_free(errand->rows);
    free(errand->shown);
    free(errand->pieces);
    memset(errand, 0, sizeof *errand);
}

/* --- The table of functions ------------------------------------------------------------------------------------------------------------ */

/* Copies a request, and what its views show but the body. */
static int copy_request(struct errand *errand, const struct fleet_request *request, struct xylem_error *err)
{
    struct fleet_request *copy = &errand->request;
    *copy = *request;
    const struct {
        struct xylem_view *view;
        size_t most;
    } members[] = {
        {&copy->session, XYLEM_SESSION_ID_BYTES_MAX},
        {&copy->behind, XYLEM_SESSION_ID_BYTES_MAX},
        {&copy->host, FLEET_HOST_BYTES_MAX},
        {&copy->about, FLEET_ABOUT_BYTES_MAX},
        {&copy->head, HEAD_BYTES_MAX},
    };
    bool fits = (request->ask == FLEET_LIST || request->session.bytes > 0) && request->epoch < FLEET_ORDINAL_MAX &&
                request->generation < FLEET_ORDINAL_MAX && request->from <= FLEET_ORDINAL_MAX &&
                request->to <= FLEET_ORDINAL_MAX;
    size_t bytes = 0;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        fits = fits && members[i].view->bytes <= members[i].most;
        bytes += members[i].view->bytes;
    }
    if (!fits) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "the request has a member beyond its limit");
    }
    if (xylem_base__buffer_reserve(&errand->bytes, bytes) < 0) {
        return xylem_base__fail_memory(err);
    }
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        struct xylem_view view = *members[i].view;
        members[i].view->data = view.data ? errand->bytes.data + errand->bytes.bytes : NULL;
        (void)xylem_buffer_add(&errand->bytes, view.data, view.bytes); /* there is room */
    }
    return XYLEM_OK;
}

static int fill_errand(struct postgres *postgres, struct errand *errand, const struct fleet_request *request,
                       struct xylem_error *err)
{
    bool has_body = request->ask == FLEET_APPEND || request->ask == FLEET_REWRITE ||
                    (request->ask == FLEET_FREE && request->body.bytes > 0);
    int code = copy_request(errand, request, err);
    if (code == XYLEM_OK && errand->request.head.data) {
        code = fleet_frame_pack_more(&postgres->compressor, &errand->head, errand->request.head, err);
    }
    if (code < 0 || !has_body) {
        return code;
    }
    code = fleet_frame_pack_more(&postgres->compressor, &errand->frame, request->body, err);
    if (errand->frame.bytes > PART_BYTES) {
        errand->parts = (errand->frame.bytes - 1) / PART_BYTES;
        errand->sum = fleet_frame_sum(xylem_base__buffer_view(&errand->frame));
    }
    return code;
}

static int submit(struct fleet_engine *engine, uint64_t number, const struct fleet_request *request,
                  struct xylem_error *err)
{
    struct postgres *postgres = postgres_of(engine);
    struct slot *slot = slot_of(postgres, FREE);
    if (!slot) {
        return xylem_base__fail(err, XYLEM_E_BUSY, "%zu requests are on their way", postgres->slot_count);
    }
    int code = fill_errand(postgres, &slot->errand, request, err);
    if (code < 0) {
        clear_errand(&slot->errand);
        return code;
    }
    slot->errand.answer.number = number;
    slot->errand.answer.ask = request->ask;
    slot->errand.part = 1;
    slot->state = WAITING;
    if (!fleet_ask_writes(request->ask) && xylem_base__steady_ms() - postgres->proved > PROVED_MS) {
        doubt(postgres);
    }
    work(postgres);
    watch(postgres);
    return XYLEM_OK;
}

static int poll_answer(struct fleet_engine *engine, struct fleet_answer *answer, struct xylem_error *err)
{
    struct postgres *postgres = postgres_of(engine);
    (void)err;
    clear_errand(&postgres->given);
    work(postgres);
    struct slot *slot = slot_of(postgres, DONE);
    if (slot) {
        postgres->given = slot->errand; /* so that the slot takes the next request */
        memset(&slot->errand, 0, sizeof slot->errand);
        slot->state = FREE;
        *answer = postgres->given.answer;
        answer->text = postgres->given.text;
    }
    watch(postgres);
    return slot ? 1 : 0;
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
        if (slot->errand.answer.number != number) {
            continue;
        }
        if (slot->state == SENT) {
            lose(postgres, slot, "no answer before the deadline");
        } else if (slot->state == WAITING) { /* nothing was sent, and the search for the node goes on for the next */
            end(slot, FLEET_UNREACHABLE, "no node that takes writes was found before the deadline");
        }
    }
    watch(postgres);
}

static void release(struct fleet_engine *engine)
{
    struct postgres *postgres = postgres_of(engine);
    for (size_t i = 0; i < postgres->slot_count; i++) {
        fleet_sql_close(postgres->slots[i].sql);
        clear_errand(&postgres->slots[i].errand);
    }
    for (size_t i = 0; i < FLEET_NODES_MAX; i++) {
        fleet_sql_close(postgres->seek[i]);
    }
    clear_errand(&postgres->given);
    fleet_frame_forget(postgres->compressor);
    (void)close(postgres->timer);
    (void)close(postgres->events);
    free(postgres);
}

/* --- Opening ----------------------------------------------------------------------------------------------------------------------------- */

static int wait_until_there(struct postgres *postgres, struct xylem_error *err)
{
    struct pollfd events = {.fd = postgres->events, .events = POLLIN};
    int code = XYLEM_OK;
    if (postgres->events < 0 || postgres->timer < 0) {
        return xylem_base__fail(err, XYLEM_E_IO, "cannot wait for connections: %s", xylem_base__errno_text(errno));
    }
    watch_fd(postgres, postgres->timer, POLLIN);
    while ((code = approach(postgres, err)) == XYLEM_OK && postgres->place != THERE) {
        watch(postgres);
        (void)poll(&events, 1, (int)FLEET_CONNECT_MS);
    }
    return code;
}

int fleet_engine_postgres(struct fleet_engine **engine, const struct fleet_nodes *nodes,
                          const struct fleet_postgres_options *options, struct xylem_error *err)
{
    unsigned wanted = options->connections > 0 ? options->connections : SLOTS_DEFAULT;
    struct postgres *postgres = calloc(1, sizeof *postgres);
    *engine = NULL;
    if (!postgres) {
        return xylem_base__fail_memory(err);
    }
    postgres->engine =
        (struct fleet_engine){.submit = submit, .poll = poll_answer, .fd = descriptor, .drop = drop, .free = release};
    postgres->nodes = nodes;
    postgres->allow_single = options->allow_single;
    postgres->slot_count = wanted < SLOTS_MAX ? wanted : SLOTS_MAX;
    postgres->events = epoll_create1(EPOLL_CLOEXEC);
    postgres->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    int code = wait_until_there(postgres, err);
    if (code < 0) {
        release(&postgres->engine);
        return code;
    }
    *engine = &postgres->engine;
    return XYLEM_OK;
}
