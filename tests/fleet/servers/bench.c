/*
 * How long the fleet takes on three nodes with quorum commit, for bench.sh. Every figure stands beside a floor: what
 * PostgreSQL or the store must do at least for the same, measured in turns with the figure. A ratio is the median of the
 * ratios of the turns. A wrong result (not acknowledged, other bytes) ends the bench: it is no figure.
 *
 *     bench URL PRIMARY HOST PROGRAM DIRECTORY [--quick] [--json FILE] [PART...]
 *
 * URL: of all nodes, of a login that is a host. PRIMARY and HOST: URLs of the primary, of a superuser and of the host.
 * PROGRAM: xylem-fleet. Parts: append, ship, follow, resume, catch-up, beside. Two further modes are its own processes,
 * as hosts have them: `bench ship URL STORE GROUP_MS`, `bench pull URL STORE FOLLOWED`.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libpq-fe.h>
#include <linux/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "fleet/claim.h"
#include "fleet/frame.h"
#include "fleet/postgres.h"
#include "fleet/puller.h"
#include "fleet/shipper.h"
#include "fleet/voyage.h"
#include "xylem/append.h"
#include "xylem/wake.h"

#define BATCH_MAX 1000u
#define PAYLOAD_MAX 1024u
#define SAMPLES_MAX 20000u
#define P99_SAMPLES 100u /* fewer have no p99 */
#define READ_AT_ONCE 8u  /* segments of one read */
#define FDS_MAX 64       /* the bench opens few */
#define PATIENCE_MS 60000
#define FLEETS "two nodes have it, fenced"
#define INSERTS "two nodes have it"

static struct xylem_error err;
static struct ZSTD_CCtx_s *compressor;
static struct fleet_answer answer;
static const char *url;
static const char *primary_url;
static const char *host_url;
static const char *program;
static const char *directory;
static bool quick;
static FILE *json;

__attribute__((format(printf, 1, 2), noreturn)) static void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)fputs("bench: ", stderr);
    (void)vfprintf(stderr, format, arguments);
    va_end(arguments);
    (void)fputc('\n', stderr);
    exit(1);
}

static int must(int code, const char *what)
{
    if (code < 0) {
        die("%s: %s", what, err.code == code ? err.text : xylem_code_text(code));
    }
    return code;
}

#define MUST(call) must((call), #call)

static void check(bool ok, const char *what)
{
    if (!ok) {
        die("a wrong result, and no figure: %s", what);
    }
}

static double now_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static uint64_t chance(uint64_t below)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
}

static unsigned rounds(unsigned full)
{
    return quick ? (full + 14) / 15 + 2 : full;
}

/* --- Samples, and the table --------------------------------------------------------------------------------------------- */

struct series {
    double values[SAMPLES_MAX];
    size_t count;
};

/* A figure, its floor, and the ratios of the turns. */
struct figure {
    struct series ours;
    struct series floor;
    struct series ratios;
};

static void add(struct series *series, double value)
{
    check(series->count < SAMPLES_MAX, "more samples than there is room for");
    series->values[series->count++] = value;
}

static void add_turn(struct figure *figure, double ours, double floor)
{
    add(&figure->ours, ours);
    add(&figure->floor, floor);
    add(&figure->ratios, ours / floor);
}

static struct figure *new_figure(void)
{
    struct figure *figure = calloc(1, sizeof *figure);
    if (!figure) {
        die("no memory");
    }
    return figure;
}

static int order(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The value that so large a part does not exceed. Sorts: the turns of a series fall apart. */
static double part_of(struct series *series, double part)
{
    qsort(series->values, series->count, sizeof *series->values, order);
    size_t at = (size_t)(part * (double)series->count);
    return series->count == 0 ? -1 : series->values[at < series->count ? at : series->count - 1];
}

static const char *show(char text[24], double value)
{
    int digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    (void)snprintf(text, 24, value < 0 ? "-" : "%.*f", digits, value);
    return text;
}

static void put_json(const char *member, double value)
{
    (void)fprintf(json, value < 0 ? ", \"%s\": null" : ", \"%s\": %.4f", member, value);
}

static void head_line(const char *title)
{
    printf("\n%s\n  %-46s %8s %8s  %8s %8s  %6s %6s  %-30s %s\n", title, "", "p50", "p99", "floor50", "floor99",
           "ratio", "turns", "says", "floor");
}

/* `ours` and `floors` say what the two guarantee. Ends the figure. */
static void report(struct figure *figure, const char *name, const char *unit, const char *ours, const char *floors)
{
    char cells[5][24];
    size_t turns = figure->ours.count;
    bool has_p99 = turns >= P99_SAMPLES;
    const double values[5] = {part_of(&figure->ours, 0.5), has_p99 ? part_of(&figure->ours, 0.99) : -1,
                              part_of(&figure->floor, 0.5), has_p99 ? part_of(&figure->floor, 0.99) : -1,
                              part_of(&figure->ratios, 0.5)};
    static const char *const members[] = {"p50", "p99", "floor_p50", "floor_p99", "ratio"};
    for (int i = 0; i < 5; i++) {
        (void)show(cells[i], values[i]);
    }
    printf("  %-46s %8s %8s  %8s %8s  %6s %6zu  %-30s %s\n", name, cells[0], cells[1], cells[2], cells[3], cells[4],
           turns, ours, floors);
    (void)fflush(stdout);
    if (json) {
        (void)fprintf(json, "{\"type\": \"figure\", \"name\": \"%s\", \"unit\": \"%s\", \"says\": \"%s\"", name, unit,
                      ours);
        (void)fprintf(json, ", \"floor\": \"%s\", \"turns\": %zu", floors, turns);
        for (int i = 0; i < 5; i++) {
            put_json(members[i], values[i]);
        }
        (void)fprintf(json, "}\n");
    }
    free(figure);
}

static void report_value(const char *name, double value, const char *unit, const char *says)
{
    printf("  %-46s %8.4g %s  (%s)\n", name, value, unit, says);
    (void)fflush(stdout);
    if (json) {
        (void)fprintf(json, "{\"type\": \"value\", \"name\": \"%s\", \"unit\": \"%s\", \"says\": \"%s\"", name, unit,
                      says);
        put_json("value", value);
        (void)fprintf(json, "}\n");
    }
}

/* --- Entries and stores --------------------------------------------------------------------------------------------------- */

static char payloads[BATCH_MAX][PAYLOAD_MAX];
static struct xylem_new_entry entries[BATCH_MAX];
static uint64_t payload_bytes; /* of all entries that were made */

/* A step of an agent, about 500 bytes: words that come again, and ids and numbers that do not. */
static void make_payload(char *out)
{
    static const char *const words[] = {
        "the",  "function",  "returns", "error",   "test",   "when",   "file",   "a",     "line",    "buffer", "reads",
        "into", "store",     "session", "because", "of",     "commit", "branch", "which", "is",      "not",    "path",
        "open", "directory", "change",  "it",      "should", "then",   "check",  "build", "warning", "value",  "and",
        "list", "parse",     "token",   "request", "answer", "to",     "loop",   "index", "with",    "struct", "for"};
    char text[400];
    size_t bytes = 0;
    while (bytes < 260) {
        bytes +=
            (size_t)snprintf(text + bytes, sizeof text - bytes, "%s ", words[chance(sizeof words / sizeof *words)]);
    }
    int made =
        snprintf(out, PAYLOAD_MAX,
                 "{\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"%s\"}],"
                 "\"api\":\"messages\",\"model\":\"a-model\",\"usage\":{\"input\":%u,\"output\":%u,\"cacheRead\":%u},"
                 "\"stopReason\":\"stop\",\"responseId\":\"msg_%016" PRIx64 "\",\"timestamp\":17951%08u}}",
                 text, (unsigned)chance(9000), (unsigned)chance(900), (unsigned)chance(90000), chance(UINT64_MAX),
                 (unsigned)chance(99999999));
    payload_bytes += (uint64_t)made;
}

static void make_entries(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        make_payload(payloads[i]);
        entries[i] = (struct xylem_new_entry){.kind = {XYLEM_CLASS_HOST, xylem_view_of("message")},
                                              .format = XYLEM_FORMAT_JSON,
                                              .payload = xylem_view_of(payloads[i])};
    }
}

static struct xylem_store *open_store(const char *path, enum xylem_durability durability)
{
    const struct xylem_open_options options = {.create = true, .durability = durability};
    struct xylem_store *store;
    MUST(xylem_open(&store, path, &options, &err));
    return store;
}

static const char *path_of(const char *name)
{
    static char path[512];
    static unsigned number;
    (void)snprintf(path, sizeof path, "%s/%s-%u", directory, name, ++number);
    return path;
}

static void remove_store(const char *path)
{
    static const char *const files[] = {"data.mdb", "lock.mdb", "xylem.lock"};
    char text[600];
    for (size_t i = 0; i < 3; i++) {
        (void)snprintf(text, sizeof text, "%s/%s", path, files[i]);
        (void)unlink(text);
    }
    (void)rmdir(path);
}

/* A session of a store: one host's. */
struct site {
    struct xylem_store *store;
    uint64_t session;
    char id[64];
    char path[512];
};

static struct xylem_txn *begin(struct xylem_store *store, enum xylem_txn_mode mode)
{
    struct xylem_txn *txn;
    MUST(xylem_begin(&txn, store, mode, &err));
    return txn;
}

static void new_session(struct site *site)
{
    struct xylem_session row;
    (void)snprintf(site->id, sizeof site->id, "bench-%016" PRIx64 "%016" PRIx64, chance(UINT64_MAX),
                   (uint64_t)xylem_base__now_ms());
    const struct xylem_session_options options = {.id = xylem_view_of(site->id),
                                                  .cwd = xylem_view_of("/home/u/project")};
    struct xylem_txn *txn = begin(site->store, XYLEM_WRITE);
    MUST(xylem_session_create(&row, txn, &options, &err));
    site->session = row.number;
    MUST(xylem_commit(txn, &err));
}

static void new_site(struct site *site, enum xylem_durability durability)
{
    (void)snprintf(site->path, sizeof site->path, "%s", path_of("host"));
    site->store = open_store(site->path, durability);
    new_session(site);
}

static void close_store(struct xylem_store *store)
{
    MUST(xylem_close(store, &err));
}

/* What a host does with a step of its agent; the entries were made before. */
static void append(const struct site *site, size_t count)
{
    struct xylem_txn *txn = begin(site->store, XYLEM_WRITE);
    MUST(xylem_append(NULL, txn, site->session, entries, count, NULL, &err));
    MUST(xylem_commit(txn, &err));
}

/* The session as a store has it. */
static struct xylem_history history_of(struct xylem_store *store, const char *id)
{
    struct xylem_session row;
    struct xylem_txn *txn = begin(store, XYLEM_READ);
    MUST(xylem_session_find(&row, txn, xylem_view_of(id), &err));
    struct xylem_history history = row.history;
    xylem_abort(txn);
    return history;
}

static uint64_t count_of(const struct site *site)
{
    return history_of(site->store, site->id).count;
}

static struct xylem_packing *start_packing(struct xylem_txn *txn, const char *id, uint64_t count)
{
    struct xylem_session row;
    struct xylem_packing *packing;
    const struct xylem_pack_options options = {.from = 1, .to = count + 1};
    MUST(xylem_session_find(&row, txn, xylem_view_of(id), &err));
    MUST(xylem_packing_new(&packing, txn, row.number, &options, &err));
    return packing;
}

/* Both stores have the same session, byte for byte. */
static void check_same(struct xylem_store *left, struct xylem_store *right, const char *id)
{
    struct xylem_history history = history_of(left, id);
    struct xylem_history other = history_of(right, id);
    struct xylem_buffer bytes[2] = {{NULL, 0, 0}, {NULL, 0, 0}};
    struct xylem_segment segment;
    check(history.count == other.count && history.chain == other.chain, "the other store has another history");
    struct xylem_txn *txns[2] = {begin(left, XYLEM_READ), begin(right, XYLEM_READ)};
    struct xylem_packing *packings[2];
    packings[0] = start_packing(txns[0], id, history.count);
    packings[1] = start_packing(txns[1], id, history.count);
    int more = 1;
    while (more == 1) {
        more = MUST(xylem_packing_next(&bytes[0], &segment, packings[0], &err));
        check(MUST(xylem_packing_next(&bytes[1], &segment, packings[1], &err)) == more &&
                  (more == 0 ||
                   (bytes[0].bytes == bytes[1].bytes && memcmp(bytes[0].data, bytes[1].data, bytes[0].bytes) == 0)),
              "the other store has other bytes");
    }
    for (int i = 0; i < 2; i++) {
        xylem_packing_free(packings[i]);
        xylem_abort(txns[i]);
        xylem_buffer_release(&bytes[i]);
    }
}

/* --- The engine ------------------------------------------------------------------------------------------------------------ */

static struct fleet_engine *open_engine(unsigned connections)
{
    static struct fleet_nodes *nodes; /* lives as long as the process */
    const struct fleet_postgres_options options = {.connections = connections};
    struct fleet_engine *engine;
    if (!nodes) {
        MUST(fleet_nodes_new(&nodes, url, &err));
    }
    MUST(fleet_engine_postgres(&engine, nodes, &options, &err));
    return engine;
}

static void wait_for(struct fleet_engine *engine, struct xylem_wake *wake, uint64_t ms)
{
    struct pollfd fds[] = {{.fd = engine->fd(engine), .events = POLLIN},
                           {.fd = wake ? xylem_wake_fd(wake) : -1, .events = POLLIN}};
    (void)poll(fds, 2, (int)(ms < 500 ? ms : 500));
    if (fds[1].revents != 0) {
        MUST(xylem_wake_take(wake, &err));
    }
}

/* Until the answer is there: what a host waits for. */
static void ask(struct fleet_engine *engine, const struct fleet_request *request)
{
    static uint64_t number;
    double end = now_ms() + PATIENCE_MS;
    int found;
    MUST(engine->submit(engine, ++number, request, &err));
    while ((found = MUST(engine->poll(engine, &answer, &err))) == 0 && now_ms() < end) {
        wait_for(engine, NULL, 500);
    }
    if (found == 0 || answer.number != number || answer.outcome != FLEET_DONE) {
        die("%s: %s: %s", fleet_ask_word(request->ask), found ? fleet_outcome_word(answer.outcome) : "no answer",
            found ? answer.text : "");
    }
}

static void draw_token(unsigned char token[FLEET_TOKEN_BYTES])
{
    MUST(xylem_base__random(token, FLEET_TOKEN_BYTES, &err));
}

static void ship_all(struct fleet_engine *engine, struct xylem_store *store)
{
    const struct fleet_shipper_options options = {.host = xylem_view_of("host a")};
    struct fleet_shipper *shipper;
    struct fleet_turn turn = {.idle = false};
    MUST(fleet_shipper_new(&shipper, store, engine, &options, &err));
    while (!turn.idle) {
        MUST(fleet_shipper_turn(&turn, shipper, (uint64_t)xylem_base__steady_ms(), &err));
        if (!turn.idle) {
            wait_for(engine, NULL, turn.wait_ms);
        }
    }
    check(fleet_shipper_backlog(shipper) == 0, "the ship is idle, and not all is acknowledged");
    fleet_shipper_free(shipper);
}

/* When the news of the type came, of the changes up to `to`. */
struct heard {
    enum fleet_news_type type;
    uint64_t to;
    double ms;
    int out; /* a pipe that gets the same; -1: none */
};

struct report_line {
    uint64_t to;
    double ms;
};

static void hear(void *context, const struct fleet_news *news)
{
    struct heard *heard = context;
    if (news->type != heard->type) {
        return;
    }
    heard->to = news->to;
    heard->ms = now_ms();
    const struct report_line line = {heard->to, heard->ms};
    if (heard->out >= 0 && write(heard->out, &line, sizeof line) != (ssize_t)sizeof line) {
        exit(0); /* the bench is gone */
    }
}

/* Pulls until the store has all. `epoch` > 0: the caller has claimed the session. */
static void pull(struct fleet_engine *engine, struct xylem_store *store, const char *id, const unsigned char *token,
                 uint64_t epoch, struct heard *heard)
{
    struct fleet_puller_options options = {.tell = hear, .context = heard};
    struct fleet_puller *puller;
    struct fleet_turn turn = {.idle = false};
    memcpy(options.token, token, sizeof options.token);
    MUST(fleet_puller_new(&puller, store, engine, &options, &err));
    MUST(fleet_puller_add(puller, xylem_view_of(id), epoch > 0, epoch, &err));
    while (!turn.idle) {
        MUST(fleet_puller_turn(&turn, puller, (uint64_t)xylem_base__steady_ms(), &err));
        if (!turn.idle) {
            wait_for(engine, NULL, turn.wait_ms);
        }
    }
    check(fleet_puller_failed(puller) == 0, "a pull that failed");
    fleet_puller_free(puller);
}

/* --- Floors: libpq alone ---------------------------------------------------------------------------------------------------- */

static PGconn *floor_sql; /* a superuser at the primary */

static PGconn *open_floor(const char *where)
{
    PGconn *sql = PQconnectdb(where);
    if (PQstatus(sql) != CONNECTION_OK) {
        die("%s", PQerrorMessage(sql));
    }
    return sql;
}

static PGresult *took(PGconn *sql, PGresult *result)
{
    ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
        die("%s", PQerrorMessage(sql));
    }
    return result;
}

static void run(PGconn *sql, const char *statement)
{
    PQclear(took(sql, PQexec(sql, statement)));
}

static const char *cell(const char *statement)
{
    static char text[128];
    PGresult *result = took(floor_sql, PQexec(floor_sql, statement));
    (void)snprintf(text, sizeof text, "%s", PQgetvalue(result, 0, 0));
    PQclear(result);
    return text;
}

static void prepare(PGconn *sql, const char *name, const char *statement)
{
    PQclear(took(sql, PQprepare(sql, name, statement, 0, NULL)));
}

#define VALUES_MAX 12

/* Parameters in binary: numbers as bigint. */
struct values {
    const char *data[VALUES_MAX];
    int bytes[VALUES_MAX];
    int formats[VALUES_MAX];
    char numbers[VALUES_MAX][8];
    int count;
};

static void put_view(struct values *values, struct xylem_view view)
{
    values->data[values->count] = view.data;
    values->bytes[values->count] = (int)view.bytes;
    values->formats[values->count++] = 1;
}

static void put_number(struct values *values, uint64_t number)
{
    char *out = values->numbers[values->count];
    for (int i = 0; i < 8; i++) {
        out[i] = (char)(number >> (56 - 8 * i));
    }
    put_view(values, (struct xylem_view){out, 8});
}

static PGresult *run_prepared(PGconn *sql, const char *name, const struct values *values)
{
    return took(sql, PQexecPrepared(sql, name, values->count, values->data, values->bytes, values->formats, 1));
}

static void open_floors(void)
{
    floor_sql = open_floor(primary_url);
    run(floor_sql,
        "CREATE TABLE IF NOT EXISTS floor (session bytea, ord bigint, upto bigint, chain bigint, body bytea);"
        "ALTER TABLE floor ALTER body SET STORAGE EXTERNAL;"
        "CREATE TABLE IF NOT EXISTS floor_row (one int PRIMARY KEY, n bigint);"
        "INSERT INTO floor_row VALUES (1, 0) ON CONFLICT DO NOTHING");
    prepare(floor_sql, "insert", "INSERT INTO floor VALUES ($1, $2, $3, $4, $5)");
    prepare(floor_sql, "one", "SELECT 1");
    prepare(floor_sql, "update", "UPDATE floor_row SET n = n + 1 WHERE one = 1");
    prepare(floor_sql, "read",
            "SELECT body FROM xylem.segments WHERE session = $1 AND upto > $2::bigint + 1 ORDER BY ord LIMIT 8");
    check(strcmp(cell("SHOW synchronous_commit"), "on") == 0, "synchronous_commit is not on");
    check(*cell("SHOW synchronous_standby_names") != '\0', "there is no list of standbys");
}

/* The time of a prepared INSERT of the frame. */
static double time_insert(struct xylem_view id, uint64_t from, uint64_t to, struct xylem_view frame)
{
    struct values values = {.count = 0};
    put_view(&values, id);
    put_number(&values, from);
    put_number(&values, to);
    put_number(&values, to);
    put_view(&values, frame);
    double start = now_ms();
    PQclear(run_prepared(floor_sql, "insert", &values));
    return now_ms() - start;
}

static double time_floor(const char *name)
{
    const struct values values = {.count = 0};
    double start = now_ms();
    PQclear(run_prepared(floor_sql, name, &values));
    return now_ms() - start;
}

/* --- Part: append ----------------------------------------------------------------------------------------------------------- */

/* Bytes that crossed this process's sockets to the primary in both directions, TLS included; `floors`: those of floor_sql. */
static uint64_t wire_bytes(bool floors)
{
    uint64_t sum = 0;
    long port = strtol(PQport(floor_sql), NULL, 10);
    for (int fd = 3; fd < FDS_MAX; fd++) {
        struct sockaddr_in peer = {.sin_family = AF_UNSPEC};
        struct tcp_info info = {.tcpi_bytes_sent = 0};
        socklen_t peer_bytes = sizeof peer;
        socklen_t info_bytes = sizeof info;
        if (getpeername(fd, (struct sockaddr *)&peer, &peer_bytes) == 0 && peer.sin_family == AF_INET &&
            ntohs(peer.sin_port) == port && (fd == PQsocket(floor_sql)) == floors &&
            getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &info_bytes) == 0) {
            sum += info.tcpi_bytes_sent + info.tcpi_bytes_received;
        }
    }
    return sum;
}

enum lane { INSERT, ENGINE, HEADLESS, BARE, LANES };

struct appending {
    struct fleet_engine *engine;
    PGconn *bare; /* the host's, for append() without the engine */
    struct site site;
    struct fleet_request requests[LANES];
    char ids[LANES][80];
    struct fleet_shipper shipper; /* packs */
    struct xylem_buffer frame;
    uint64_t *sums; /* of the segments */
    size_t sent;
    double times[LANES];
    uint64_t wire[LANES];
    uint64_t frame_bytes;
    uint64_t body_bytes;
};

static void begin_lanes(struct appending *appending)
{
    for (int lane = 0; lane < LANES; lane++) {
        struct fleet_request *request = &appending->requests[lane];
        (void)snprintf(appending->ids[lane], sizeof appending->ids[lane], lane == ENGINE ? "%s" : "%s-%d",
                       appending->site.id, lane);
        *request = (struct fleet_request){.ask = FLEET_CLAIM,
                                          .session = xylem_view_of(appending->ids[lane]),
                                          .host = xylem_view_of("host a"),
                                          .make = true};
        draw_token(request->owner);
        ask(appending->engine, request);
        request->ask = FLEET_APPEND;
        request->epoch = 1;
    }
}

/* Packs the changes from `from` on as a ship does, but for the sync. */
static void pack_as_ship(struct fleet_request *request, struct fleet_shipper *shipper, const struct site *site,
                         uint64_t from)
{
    struct fleet_voyage voyage = {.shipper = shipper, .number = site->session};
    shipper->is_synced = true;
    shipper->txn = begin(site->store, XYLEM_READ);
    check(MUST(fleet_voyage_pack(request, &voyage, from, 0, false, &err)) == 1 && request->head.data,
          "a batch that is no segment");
    xylem_abort(shipper->txn);
}

/* A batch in the store, as segment and frame, with what the ship sends beside. */
static void pack(struct appending *appending, size_t batch)
{
    struct fleet_request packed = {.from = 0};
    struct fleet_request *request = &appending->requests[ENGINE];
    uint64_t from = request->to > 0 ? request->to : 1;
    make_entries(batch);
    append(&appending->site, batch);
    pack_as_ship(&packed, &appending->shipper, &appending->site, from);
    xylem_base__buffer_clear(&appending->frame);
    MUST(fleet_frame_pack_more(&compressor, &appending->frame, packed.body, &err));
    for (int lane = 0; lane < LANES; lane++) {
        request = &appending->requests[lane];
        request->from = packed.from;
        request->to = packed.to;
        request->before = packed.before;
        request->after = packed.after;
        request->body = packed.body;
        request->about = lane == HEADLESS ? (struct xylem_view){NULL, 0} : packed.about;
        request->head = lane == HEADLESS ? (struct xylem_view){NULL, 0} : packed.head;
    }
    appending->sums[appending->sent++] = fleet_frame_sum(packed.body);
    appending->frame_bytes += appending->frame.bytes;
    appending->body_bytes += packed.body.bytes;
}

static double time_bare(const struct appending *appending)
{
    const struct fleet_request *request = &appending->requests[BARE];
    struct values values = {.count = 0};
    put_view(&values, request->session);
    put_number(&values, request->epoch);
    put_view(&values, (struct xylem_view){(const char *)request->owner, FLEET_TOKEN_BYTES});
    put_number(&values, request->from);
    put_number(&values, request->to);
    put_number(&values, request->before);
    put_number(&values, request->after);
    put_view(&values, xylem_base__buffer_view(&appending->frame));
    put_number(&values, 0);
    put_number(&values, 0);
    put_view(&values, request->about);
    put_view(&values, request->head);
    double start = now_ms();
    PGresult *result = run_prepared(appending->bare, "append", &values);
    double end = now_ms();
    check(PQntuples(result) == 1 && *PQgetvalue(result, 0, 0) == 1, "append() said no");
    PQclear(result);
    return end - start;
}

static void time_lane(struct appending *appending, enum lane lane)
{
    const struct fleet_request *request = &appending->requests[lane];
    uint64_t before = wire_bytes(lane == INSERT);
    double start = now_ms();
    if (lane == INSERT) {
        appending->times[lane] =
            time_insert(request->session, request->from, request->to, xylem_base__buffer_view(&appending->frame));
    } else if (lane == BARE) {
        appending->times[lane] = time_bare(appending);
    } else {
        ask(appending->engine, request);
        appending->times[lane] = now_ms() - start;
    }
    appending->wire[lane] += wire_bytes(lane == INSERT) - before;
}

/* The engine gives back what was sent, with no gap. */
static void check_kept(struct appending *appending, size_t batch)
{
    struct fleet_request read = {
        .ask = FLEET_READ, .session = xylem_view_of(appending->ids[ENGINE]), .limit = READ_AT_ONCE};
    size_t at = 0;
    uint64_t next = 1;
    do {
        read.from = next;
        ask(appending->engine, &read);
        for (size_t i = 0; i < answer.piece_count; i++) {
            const struct fleet_piece *piece = &answer.pieces[i];
            check(at < appending->sent && piece->from == next && piece->to > next &&
                      fleet_frame_sum(piece->body) == appending->sums[at],
                  "the engine has other bytes than were acknowledged");
            next = piece->to;
            at++;
        }
    } while (answer.piece_count > 0);
    check(at == appending->sent && next > at * batch, "the engine has less than was acknowledged");
}

static void report_wire(const struct appending *appending, size_t batch, uint64_t made)
{
    char name[80];
    double count = (double)(appending->sent * batch);
    const struct {
        const char *what;
        double bytes;
        const char *says;
    } rows[] = {{"payload", (double)made, "JSON of the host"},
                {"segment", (double)appending->body_bytes, "packed, not compressed"},
                {"frame", (double)appending->frame_bytes, "compressed: what the engine keeps"},
                {"wire, INSERT", (double)appending->wire[INSERT], "TCP_INFO of the socket, both ways, with TLS"},
                {"wire, APPEND without head", (double)appending->wire[HEADLESS], "the same"},
                {"wire, APPEND", (double)appending->wire[ENGINE], "the same"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        (void)snprintf(name, sizeof name, "batch of %zu: %s", batch, rows[i].what);
        report_value(name, rows[i].bytes / count, "B an entry", rows[i].says);
    }
}

static void measure_batch(size_t batch, unsigned turns)
{
    static const char *const names[LANES] = {NULL, "APPEND by the engine", "the same without head and about",
                                             "append() by libpq, frame made before"};
    struct appending appending = {.engine = open_engine(1), .bare = open_floor(host_url)};
    struct figure *figures[LANES] = {NULL, new_figure(), new_figure(), new_figure()};
    char name[80];
    prepare(appending.bare, "append", "SELECT xylem.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)");
    appending.sums = calloc(turns + 10, sizeof *appending.sums);
    new_site(&appending.site, XYLEM_DURABILITY_NONE);
    begin_lanes(&appending);
    uint64_t made = payload_bytes;
    for (unsigned turn = 0; turn < turns + 10; turn++) {
        pack(&appending, batch);
        for (unsigned i = 0, first = (unsigned)chance(LANES); i < LANES; i++) {
            time_lane(&appending, (enum lane)((first + i) % LANES));
        }
        for (int lane = ENGINE; lane < LANES && turn >= 10; lane++) {
            add_turn(figures[lane], appending.times[lane], appending.times[INSERT]);
        }
    }
    check_kept(&appending, batch);
    for (int lane = ENGINE; lane < LANES; lane++) {
        (void)snprintf(name, sizeof name, "%zu: %s", batch, names[lane]);
        report(figures[lane], name, "ms", FLEETS, "INSERT: " INSERTS);
    }
    report_wire(&appending, batch, payload_bytes - made);
    PQfinish(appending.bare);
    appending.engine->free(appending.engine);
    close_store(appending.site.store);
    remove_store(appending.site.path);
    free(appending.sums);
    struct xylem_buffer *const buffers[] = {&appending.shipper.body, &appending.frame, &appending.shipper.about,
                                            &appending.shipper.head};
    for (int i = 0; i < 4; i++) {
        xylem_buffer_release(buffers[i]);
    }
}

static void part_append(void)
{
    head_line("One APPEND to acknowledged, ms, beside a prepared INSERT of the same frame into a table without a key; "
              "goal for a "
              "batch of 100: 1.2");
    measure_batch(1, rounds(500));
    measure_batch(100, rounds(500));
    measure_batch(1000, rounds(150));
}

/* --- Processes of the two hosts ---------------------------------------------------------------------------------------------- */

/* `bench ship URL STORE GROUP_MS`: the ship of host A; writes a line for each acknowledgement. */
__attribute__((noreturn)) static void run_ship(const char *path, const char *group_ms)
{
    struct heard heard = {.type = FLEET_NEWS_SHIPPED, .out = STDOUT_FILENO};
    const struct fleet_shipper_options options = {
        .host = xylem_view_of("host a"), .tell = hear, .context = &heard, .group_ms = strtoull(group_ms, NULL, 10)};
    struct xylem_store *store = open_store(path, XYLEM_DURABILITY_FULL);
    struct fleet_engine *engine = open_engine(4);
    struct xylem_wake *wake;
    struct fleet_shipper *shipper;
    struct fleet_turn turn;
    MUST(xylem_wake_new(&wake, store, &err));
    MUST(fleet_shipper_new(&shipper, store, engine, &options, &err));
    for (;;) {
        MUST(fleet_shipper_turn(&turn, shipper, (uint64_t)xylem_base__steady_ms(), &err));
        wait_for(engine, wake, turn.wait_ms);
    }
}

/* `bench pull URL STORE FOLLOWED`: host B. Follows a session, or pulls the sessions whose ids it reads, each at once. */
static int run_pull(const char *path, const char *followed)
{
    struct heard heard = {.type = FLEET_NEWS_PULLED, .out = STDOUT_FILENO};
    struct fleet_puller_options options = {.tell = hear, .context = &heard, .follow = true};
    struct xylem_store *store = open_store(path, XYLEM_DURABILITY_FULL);
    struct fleet_engine *engine = open_engine(4);
    struct fleet_puller *puller;
    struct fleet_turn turn;
    char id[80];
    draw_token(options.token);
    while (*followed == '\0' && fgets(id, sizeof id, stdin)) {
        id[strcspn(id, "\n")] = '\0';
        pull(engine, store, id, options.token, 0, &heard);
    }
    if (*followed == '\0') {
        return 0;
    }
    MUST(fleet_puller_new(&puller, store, engine, &options, &err));
    MUST(fleet_puller_add(puller, xylem_view_of(followed), false, 0, &err));
    for (;;) {
        MUST(fleet_puller_turn(&turn, puller, (uint64_t)xylem_base__steady_ms(), &err));
        wait_for(engine, NULL, turn.wait_ms);
    }
}

struct process {
    pid_t pid;
    int in;  /* what the process reads */
    int out; /* what it writes */
};

static void start(struct process *process, char *const *words, bool speaks)
{
    int in[2];
    int out[2];
    if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0 || (process->pid = fork()) < 0) {
        die("a process cannot be made: %s", strerror(errno));
    }
    if (process->pid == 0) {
        int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
        (void)dup2(in[0], STDIN_FILENO);
        (void)dup2(speaks ? out[1] : null, STDOUT_FILENO);
        (void)execv(words[0], words);
        _exit(127);
    }
    (void)close(in[0]);
    (void)close(out[1]);
    process->in = in[1];
    process->out = out[0];
}

static void start_own(struct process *process, const char *mode, const char *path, const char *last)
{
    char *const words[] = {"/proc/self/exe", (char *)mode, (char *)url, (char *)path, (char *)last, NULL};
    start(process, words, true);
}

static void end(struct process *process, int with)
{
    int status;
    check(waitpid(process->pid, &status, WNOHANG) == 0, "a process of a host ended early");
    (void)kill(process->pid, with);
    (void)waitpid(process->pid, &status, 0);
    (void)close(process->in);
    (void)close(process->out);
}

/* When the process has told of the changes before `to`. */
static double wait_told(const struct process *process, uint64_t to)
{
    struct report_line line = {0, 0};
    while (line.to < to) {
        struct pollfd wait = {.fd = process->out, .events = POLLIN};
        check(poll(&wait, 1, PATIENCE_MS) == 1 && read(process->out, &line, sizeof line) == (ssize_t)sizeof line,
              "a process of a host does not answer");
    }
    return line.ms;
}

static void ask_pull(const struct process *process, const char *id)
{
    char line[80];
    int bytes = snprintf(line, sizeof line, "%s\n", id);
    check(write(process->in, line, (size_t)bytes) == bytes, "a process of a host does not read");
}

/* --- Part: ship ---------------------------------------------------------------------------------------------------------------- */

/* The INSERT of the changes from `from` on, as a frame. */
static double time_insert_of(const struct site *site, uint64_t from)
{
    struct fleet_shipper shipper = {.store = site->store};
    struct fleet_request packed = {.from = 0};
    struct xylem_buffer frame = {NULL, 0, 0};
    pack_as_ship(&packed, &shipper, site, from);
    MUST(fleet_frame_pack_more(&compressor, &frame, packed.body, &err));
    double ms = time_insert(xylem_view_of(site->id), packed.from, packed.to, xylem_base__buffer_view(&frame));
    xylem_buffer_release(&shipper.body);
    xylem_buffer_release(&shipper.head);
    xylem_buffer_release(&shipper.about);
    xylem_buffer_release(&frame);
    return ms;
}

#define GROUP_USUAL "18446744073709551615" /* as a ship without the option */

struct hosts {
    struct site site; /* A */
    struct process ship;
    struct process pull; /* B */
    char path[512];
};

static void start_hosts(struct hosts *hosts, const char *group_ms, bool follows)
{
    new_site(&hosts->site, XYLEM_DURABILITY_FULL);
    (void)snprintf(hosts->path, sizeof hosts->path, "%s", path_of("other"));
    start_own(&hosts->ship, "ship", hosts->site.path, group_ms);
    make_entries(1);
    append(&hosts->site, 1);
    (void)wait_told(&hosts->ship, count_of(&hosts->site) + 1);
    start_own(&hosts->pull, "pull", hosts->path, follows ? hosts->site.id : "");
    if (!follows) {
        ask_pull(&hosts->pull, hosts->site.id);
    }
    (void)wait_told(&hosts->pull, count_of(&hosts->site) + 1);
}

static void end_hosts(struct hosts *hosts)
{
    end(&hosts->ship, SIGTERM);
    end(&hosts->pull, SIGTERM);
    struct xylem_store *other = open_store(hosts->path, XYLEM_DURABILITY_FULL);
    check_same(hosts->site.store, other, hosts->site.id);
    close_store(other);
    close_store(hosts->site.store);
    remove_store(hosts->path);
    remove_store(hosts->site.path);
}

/* The times of one batch since its append began: committed here, acknowledged, available there. */
static void time_batch(struct hosts *hosts, size_t batch, double times[3])
{
    make_entries(batch);
    double begun = now_ms();
    append(&hosts->site, batch);
    times[0] = now_ms() - begun;
    uint64_t to = count_of(&hosts->site) + 1;
    times[1] = wait_told(&hosts->ship, to) - begun;
    if (hosts->pull.in >= 0) {
        ask_pull(&hosts->pull, hosts->site.id);
    }
    times[2] = wait_told(&hosts->pull, to) - begun;
}

static void measure_hosts(const char *group_ms, const char *group, size_t batch, unsigned turns)
{
    static const char *const names[] = {"committed on A", "to acknowledged", "to available, B asks at once"};
    static const char *const says[] = {"A has it", FLEETS, "applied in B, committed"};
    struct hosts hosts;
    struct figure *figures[3] = {new_figure(), new_figure(), new_figure()};
    double times[3];
    char name[80];
    start_hosts(&hosts, group_ms, false);
    for (unsigned turn = 0; turn < turns; turn++) {
        uint64_t from = count_of(&hosts.site) + 1;
        time_batch(&hosts, batch, times);
        double floor = time_insert_of(&hosts.site, from);
        for (int i = 0; i < 3; i++) {
            add_turn(figures[i], times[i], floor);
        }
    }
    end_hosts(&hosts);
    for (int i = 0; i < 3; i++) {
        (void)snprintf(name, sizeof name, "%zu, %s: %s", batch, group, names[i]);
        report(figures[i], name, "ms", says[i], "INSERT: " INSERTS);
    }
}

static void part_ship(void)
{
    static const struct {
        size_t batch;
        unsigned turns;
    } batches[] = {{1, 300}, {100, 300}, {1000, 100}};
    head_line("From the append on host A, ms, beside the same INSERT");
    for (size_t i = 0; i < 3; i++) {
        measure_hosts("0", "group 0 ms", batches[i].batch, rounds(batches[i].turns));
        measure_hosts(GROUP_USUAL, "group 20 ms", batches[i].batch, rounds(batches[i].turns));
    }
}

/* A follower looks once a second, so an append at any time of that second waits for the look. */
static void part_follow(void)
{
    struct hosts hosts;
    struct figure *figure = new_figure();
    double times[3];
    head_line("From the append on host A to available on host B, which follows, ms");
    start_hosts(&hosts, GROUP_USUAL, true);
    (void)close(hosts.pull.in);
    hosts.pull.in = -1;
    for (unsigned turn = 0, turns = rounds(120); turn < turns; turn++) {
        (void)usleep((useconds_t)chance(1000000));
        uint64_t from = count_of(&hosts.site) + 1;
        time_batch(&hosts, 1, times);
        add_turn(figure, times[2], time_insert_of(&hosts.site, from));
    }
    end_hosts(&hosts);
    report(figure, "1, group 20 ms: to available, B follows", "ms", "applied in B, committed", "INSERT: " INSERTS);
}

/* --- Part: resume -------------------------------------------------------------------------------------------------------------- */

enum stage { OPENED, SEEN, CLAIMED, SHOWN, ONE_READ, OWNED, STAGES };

static void claim(struct fleet_engine *engine, const char *id, const unsigned char *token, struct fleet_claim *claim,
                  double times[STAGES])
{
    double begun = now_ms();
    fleet_claim_begin(claim, true);
    for (int step = 0; step < 2; step++) {
        enum fleet_claim_act act = fleet_claim_next(claim);
        struct fleet_request request = {.ask = act == FLEET_CLAIM_ROW ? FLEET_ROW : FLEET_CLAIM,
                                        .session = xylem_view_of(id),
                                        .epoch = claim->seen,
                                        .host = xylem_view_of("host b")};
        memcpy(request.owner, token, sizeof request.owner);
        fleet_claim_sent(claim);
        double asked = now_ms();
        ask(engine, &request);
        times[act == FLEET_CLAIM_ROW ? SEEN : CLAIMED] = now_ms() - asked;
        check(answer.row_count == 1 && answer.rows[0].head.bytes > 0, "an answer without a head");
        fleet_claim_answer(claim, &answer);
    }
    times[SHOWN] = now_ms() - begun;
    check(fleet_claim_next(claim) == FLEET_CLAIM_WON, "a claim that was not won");
}

static double time_select(const struct site *site, uint64_t behind)
{
    struct values values = {.count = 0};
    put_view(&values, xylem_view_of(site->id));
    put_number(&values, behind);
    double begun = now_ms();
    PGresult *result = run_prepared(floor_sql, "read", &values);
    double ms = now_ms() - begun;
    check(PQntuples(result) == 1, "a SELECT of other rows");
    PQclear(result);
    return ms;
}

static double time_read(struct fleet_engine *engine, const struct site *site, uint64_t from)
{
    const struct fleet_request read = {
        .ask = FLEET_READ, .session = xylem_view_of(site->id), .from = from, .limit = READ_AT_ONCE};
    double begun = now_ms();
    ask(engine, &read);
    double ms = now_ms() - begun;
    check(answer.piece_count == 1, "a READ of other segments");
    return ms;
}

static void resume_once(const struct site *site, double times[STAGES], double floors[STAGES])
{
    unsigned char token[FLEET_TOKEN_BYTES];
    struct heard heard = {.type = FLEET_NEWS_OWNED, .out = -1};
    struct fleet_claim claimed;
    char path[512];
    double begun = now_ms();
    PQfinish(open_floor(primary_url));
    floors[OPENED] = now_ms() - begun;
    begun = now_ms();
    struct fleet_engine *engine = open_engine(4);
    times[OPENED] = now_ms() - begun;
    (void)snprintf(path, sizeof path, "%s", path_of("resumed"));
    struct xylem_store *store = open_store(path, XYLEM_DURABILITY_FULL);
    draw_token(token);
    floors[SEEN] = time_floor("one");
    floors[CLAIMED] = floors[SHOWN] = floors[OWNED] = time_floor("update");
    claim(engine, site->id, token, &claimed, times);
    uint64_t next = answer.rows[0].next;
    floors[ONE_READ] = time_select(site, next - 2);
    times[ONE_READ] = time_read(engine, site, next - 1);
    begun = now_ms();
    pull(engine, store, site->id, token, claimed.epoch, &heard);
    times[OWNED] = times[SHOWN] + heard.ms - begun;
    check(heard.to == count_of(site) + 1, "the store does not own all of the session");
    check_same(site->store, store, site->id);
    close_store(store);
    engine->free(engine);
    remove_store(path);
}

static void measure_resume(size_t count, unsigned turns)
{
    static const char *const names[STAGES] = {"engine opened, every node asked",
                                              "ROW with head, one round trip",
                                              "CLAIM with head, one round trip",
                                              "state shown: ROW and CLAIM",
                                              "READ of the newest segment, one round trip",
                                              "owned, with all entries"};
    static const char *const says[STAGES] = {"the writable node is known", "seen, may be lost",        FLEETS, FLEETS,
                                             "seen, may be lost",          "all of it in B, committed"};
    static const char *const floor_says[STAGES] = {"one connection",           "SELECT 1",
                                                   "UPDATE: " INSERTS,         "UPDATE: " INSERTS,
                                                   "SELECT of the same frame", "UPDATE: " INSERTS};
    struct site site;
    struct figure *figures[STAGES];
    double times[STAGES] = {0};
    double floors[STAGES] = {0};
    char name[80];
    struct fleet_engine *engine = open_engine(4);
    new_site(&site, XYLEM_DURABILITY_NONE);
    for (size_t done = 0; done < count; done += 100) {
        make_entries(100);
        append(&site, 100);
        if (done % 1000 == 0) { /* segments as they came into being */
            ship_all(engine, site.store);
        }
    }
    ship_all(engine, site.store);
    engine->free(engine);
    for (int i = 0; i < STAGES; i++) {
        figures[i] = new_figure();
    }
    for (unsigned turn = 0; turn < turns; turn++) {
        resume_once(&site, times, floors);
        for (int i = 0; i < STAGES; i++) {
            add_turn(figures[i], times[i], floors[i]);
        }
    }
    for (int i = 0; i < STAGES; i++) {
        (void)snprintf(name, sizeof name, "%zu entries: %s", count, names[i]);
        report(figures[i], name, "ms", says[i], floor_says[i]);
    }
    close_store(site.store);
    remove_store(site.path);
}

static void part_resume(void)
{
    head_line("Resume on another host, ms; the floors are one statement of libpq alone");
    measure_resume(100, rounds(100));
    measure_resume(10000, rounds(30));
}

/* --- Part: catch-up ------------------------------------------------------------------------------------------------------------- */

/* All segments by plain SELECTs, and their bytes. */
static double time_selects(const char *id, uint64_t *bytes)
{
    uint64_t count = 0;
    int rows = 1;
    *bytes = 0;
    prepare(floor_sql, "", "SELECT ord, body FROM xylem.segments WHERE session = $1 AND ord > $2 ORDER BY ord LIMIT 8");
    double begun = now_ms();
    while (rows > 0) {
        struct values values = {.count = 0};
        put_view(&values, xylem_view_of(id));
        put_number(&values, count);
        PGresult *result = run_prepared(floor_sql, "", &values);
        rows = PQntuples(result);
        for (int i = 0; i < rows; i++) {
            struct xylem_base__cursor cursor = xylem_base__cursor_of(PQgetvalue(result, i, 0), 8);
            count = xylem_base__read_u64_be(&cursor);
            *bytes += (uint64_t)PQgetlength(result, i, 1);
        }
        PQclear(result);
    }
    return now_ms() - begun;
}

static void part_catch_up(void)
{
    struct site site;
    struct figure *figure = new_figure();
    struct fleet_engine *engine = open_engine(4);
    size_t count = quick ? 10000 : 100000;
    unsigned char token[FLEET_TOKEN_BYTES];
    uint64_t bytes = 0;
    char name[80];
    draw_token(token);
    head_line("A new follower catches up, s, beside reading the same frames by plain SELECTs");
    new_site(&site, XYLEM_DURABILITY_NONE);
    for (size_t done = 0; done < count; done += 1000) {
        make_entries(1000);
        append(&site, 1000);
    }
    ship_all(engine, site.store);
    for (unsigned turn = 0, turns = quick ? 3 : 9; turn < turns; turn++) {
        struct heard heard = {.type = FLEET_NEWS_PULLED, .out = -1};
        char path[512];
        (void)snprintf(path, sizeof path, "%s", path_of("follower"));
        struct xylem_store *store = open_store(path, XYLEM_DURABILITY_FULL);
        double floor = time_selects(site.id, &bytes);
        double begun = now_ms();
        pull(engine, store, site.id, token, 0, &heard);
        add_turn(figure, (now_ms() - begun) / 1000, floor / 1000);
        check_same(site.store, store, site.id);
        close_store(store);
        remove_store(path);
    }
    double seconds = part_of(&figure->ours, 0.5);
    (void)snprintf(name, sizeof name, "%zu entries in a new store", count);
    report(figure, name, "s", "all of it in B, committed", "SELECT: read, no more");
    report_value("entries a second", (double)count / seconds, "entries/s", "median");
    report_value("frames read", (double)bytes / (double)count, "B an entry", "compressed");
    engine->free(engine);
    close_store(site.store);
    remove_store(site.path);
}

/* --- Part: beside --------------------------------------------------------------------------------------------------------------- */

static double processor_ms(pid_t pid)
{
    clockid_t clock;
    struct timespec spent = {0, 0};
    check(clock_getcpuclockid(pid, &clock) == 0 && clock_gettime(clock, &spent) == 0, "no clock of the process");
    return (double)spent.tv_sec * 1e3 + (double)spent.tv_nsec / 1e6;
}

/* Until the engine has all that the store has. */
static void wait_shipped(struct fleet_engine *engine, const struct site *site)
{
    const struct fleet_request row = {.ask = FLEET_LOOK, .session = xylem_view_of(site->id)};
    struct xylem_history history = history_of(site->store, site->id);
    double patience = now_ms() + PATIENCE_MS;
    do {
        check(now_ms() < patience, "the command does not ship");
        (void)usleep(5000);
        ask(engine, &row);
    } while (answer.rows[0].next <= history.count);
    check(answer.rows[0].chain == history.chain, "the engine has another history");
}

static void start_command(struct process *process, const struct site *site)
{
    char *const words[] = {(char *)program, "ship", "--all", "--follow", "--store", (char *)site->path, NULL};
    start(process, words, false);
}

/* Appends of one entry each, `most_us` at most apart; their median is given, all go to `all`. */
static double append_block(const struct site *site, unsigned count, unsigned most_us, struct series *all)
{
    static struct series block;
    block.count = 0;
    for (unsigned i = 0; i < count; i++) {
        if (most_us > 0) {
            (void)usleep((useconds_t)(most_us / 7 + chance(most_us)));
        }
        make_entries(1);
        double begun = now_ms();
        append(site, 1);
        double ms = now_ms() - begun;
        add(&block, ms);
        add(all, ms);
    }
    return part_of(&block, 0.5);
}

static void measure_beside(const char *name, unsigned blocks, unsigned count, unsigned most_us)
{
    struct site site;
    struct process command;
    struct figure *figure = new_figure();
    struct fleet_engine *engine = open_engine(1);
    double processor = 0;
    char text[80];
    new_site(&site, XYLEM_DURABILITY_FULL);
    make_entries(1);
    append(&site, 1);
    ship_all(engine, site.store);
    for (unsigned block = 0; block < blocks; block++) {
        double medians[2];
        for (unsigned i = 0; i < 2; i++) {
            bool ships = (block + i) % 2 == 0;
            if (ships) {
                start_command(&command, &site);
                make_entries(1);
                append(&site, 1);
                wait_shipped(engine, &site);
                processor -= processor_ms(command.pid);
            }
            medians[ships] = append_block(&site, count, most_us, ships ? &figure->ours : &figure->floor);
            if (ships) {
                wait_shipped(engine, &site);
                processor += processor_ms(command.pid);
                end(&command, SIGTERM);
            }
        }
        add(&figure->ratios, medians[1] / medians[0]);
    }
    report(figure, name, "ms", "A has it; ship --follow runs", "the same, no ship runs");
    (void)snprintf(text, sizeof text, "%s: CPU of the ship", name);
    report_value(text, processor / blocks / count * 1000, "ms per 1,000 entries", "user and system, waits included");
    engine->free(engine);
    close_store(site.store);
    remove_store(site.path);
}

static void part_beside(void)
{
    head_line("A host's own append and durable commit of one entry, with the ship in the background and without, ms; "
              "goal 1.05");
    measure_beside("paced, 5 to 40 ms apart", rounds(30), quick ? 30 : 100, 35000);
    measure_beside("back to back", rounds(30), quick ? 50 : 200, 0);
}

/* --- The program ---------------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*measure)(void);
} parts[] = {{"append", part_append}, {"ship", part_ship},         {"follow", part_follow},
             {"resume", part_resume}, {"catch-up", part_catch_up}, {"beside", part_beside}};

#define PARTS (sizeof parts / sizeof *parts)

static void put_machine(void)
{
    static const char *const facts[][2] = {{"PostgreSQL", "SHOW server_version"},
                                           {"standbys", "SHOW synchronous_standby_names"},
                                           {"fsync", "SHOW fsync"},
                                           {"TLS", "SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()"}};
    double load = 0;
    (void)getloadavg(&load, 1);
    printf("cores %ld, load at start %.2f", sysconf(_SC_NPROCESSORS_ONLN), load);
    if (json) {
        (void)fprintf(json, "{\"type\": \"machine\", \"cores\": %ld, \"load\": %.2f", sysconf(_SC_NPROCESSORS_ONLN),
                      load);
    }
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        const char *found = cell(facts[i][1]);
        printf(", %s %s", facts[i][0], found);
        if (json) {
            (void)fprintf(json, ", \"%s\": \"%s\"", facts[i][0], found);
        }
    }
    printf("%s\n", quick ? "; --quick: few turns, ratios say little" : "");
    if (json) {
        (void)fprintf(json, "}\n");
    }
}

static void measure(bool const wanted[PARTS])
{
    bool some = false;
    for (size_t i = 0; i < PARTS; i++) {
        some = some || wanted[i];
    }
    open_floors();
    put_machine();
    for (size_t i = 0; i < PARTS; i++) {
        if (!some || wanted[i]) {
            parts[i].measure();
        }
    }
    printf("\nratio: the median of the ratios of the turns; p99 of %u turns and more\n", P99_SAMPLES);
}

static void choose(bool wanted[PARTS], const char *word)
{
    for (size_t i = 0; i < PARTS; i++) {
        if (strcmp(word, parts[i].name) == 0) {
            wanted[i] = true;
            return;
        }
    }
    die("there is no part %s", word);
}

int main(int argc, char **argv)
{
    bool wanted[PARTS] = {false};
    (void)signal(SIGPIPE, SIG_IGN);
    if (argc == 5 && strcmp(argv[1], "ship") == 0) {
        url = argv[2];
        run_ship(argv[3], argv[4]);
    }
    if (argc == 5 && strcmp(argv[1], "pull") == 0) {
        url = argv[2];
        return run_pull(argv[3], argv[4]);
    }
    if (argc < 6) {
        die("usage: bench URL PRIMARY HOST PROGRAM DIRECTORY [--quick] [--json FILE] [PART...]");
    }
    url = argv[1];
    primary_url = argv[2];
    host_url = argv[3];
    program = argv[4];
    directory = argv[5];
    for (int i = 6; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0) {
            quick = true;
        } else if (strcmp(argv[i], "--json") == 0 && i + 1 < argc) {
            json = fopen(argv[++i], "w");
            if (!json) {
                die("%s: %s", argv[i], strerror(errno));
            }
        } else {
            choose(wanted, argv[i]);
        }
    }
    measure(wanted);
    fleet_frame_forget(compressor);
    if (json && fclose(json) != 0) {
        die("the figures cannot be written: %s", strerror(errno));
    }
    return 0;
}
