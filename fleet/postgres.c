#include "fleet/wire.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libpq-fe.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "fleet/promotion.h"

#define OPTIONS_MAX 64u /* libpq has about 45 */
#define NAMED_MAX 32u   /* prepared statements of a connection */
#define BYTEA_OID 17u
#define BOOL_OID 16u
#define INT8_OID 20u

/* --- Where ---------------------------------------------------------------------------------------------------------- */

struct node {
    char *host; /* these three are owned */
    char *port;
    char *name;
};

struct fleet_nodes {
    PQconninfoOption *options; /* what the URL says; value NULL: nothing */
    struct node each[FLEET_NODES_MAX];
    size_t count;
};

static const char *option(const struct fleet_nodes *nodes, const char *keyword)
{
    for (const PQconninfoOption *at = nodes->options; at->keyword; at++) {
        if (strcmp(at->keyword, keyword) == 0) {
            return at->val && *at->val ? at->val : NULL;
        }
    }
    return NULL;
}

/* The piece `at` of a list with commas, as an owned text; the one piece of a list of one is in every place. */
static char *piece(const char *list, size_t at, const char *otherwise)
{
    const char *only = list && strchr(list, ',') ? NULL : list;
    for (; list && !only && at > 0; at--) {
        list = strchr(list, ',');
        list += list ? 1 : 0;
    }
    size_t bytes = list ? strcspn(list, ",") : 0;
    return bytes > 0 ? strndup(list, bytes) : strdup(otherwise);
}

static size_t pieces(const char *list)
{
    size_t count = 1;
    for (; *list; list++) {
        count += *list == ',';
    }
    return count;
}

static int add_node(struct fleet_nodes *nodes, size_t at, struct xylem_error *err)
{
    struct node *node = &nodes->each[nodes->count++];
    node->host = piece(option(nodes, "host"), at, "");
    node->port = piece(option(nodes, "port"), at, "5432");
    if (!node->host || !node->port || asprintf(&node->name, "%s:%s", node->host, node->port) < 0) {
        node->name = NULL;
        return xylem_base__fail_memory(err);
    }
    return *node->host
               ? XYLEM_OK
               : xylem_base__fail(err, XYLEM_E_ARGUMENT,
                                  "expected a host before each comma of the URL, found none in place %zu", at + 1);
}

static int check_options(const struct fleet_nodes *nodes, struct xylem_error *err)
{
    if (option(nodes, "password") || option(nodes, "sslpassword")) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT,
                                "the URL has a password in it: put the password into ~/.pgpass, and take it out of the "
                                "URL, where other users and logs see it");
    }
    const char *hosts = option(nodes, "host");
    if (!hosts || option(nodes, "hostaddr")) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "expected the hosts of all nodes in the URL (%s), found %s",
                                "postgresql://n1:5432,n2:5432/xylem", hosts ? "`hostaddr`" : "none");
    }
    const char *ports = option(nodes, "port");
    if (pieces(hosts) > FLEET_NODES_MAX || (ports && pieces(ports) != 1 && pieces(ports) != pieces(hosts))) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT,
                                "expected at most %u hosts in the URL, and one port or a port for each, found %zu and "
                                "%zu",
                                FLEET_NODES_MAX, pieces(hosts), ports ? pieces(ports) : 0);
    }
    return XYLEM_OK;
}

static int parse_url(struct fleet_nodes *nodes, const char *url, struct xylem_error *err)
{
    if (strncmp(url, "postgresql://", 13) != 0 && strncmp(url, "postgres://", 11) != 0) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT,
                                "expected a URL such as postgresql://n1:5432,n2:5432/xylem, found something else");
    }
    char *why = NULL;
    nodes->options = PQconninfoParse(url, &why);
    if (!nodes->options && !why) {
        return xylem_base__fail_memory(err);
    }
    if (!nodes->options) { /* the text of libpq may repeat the URL, and a password with the URL */
        PQfreemem(why);
        return xylem_base__fail(err, XYLEM_E_ARGUMENT,
                                "the URL of the fleet is none that libpq understands: compare "
                                "with postgresql://n1:5432,n2:5432/xylem?sslmode=verify-full");
    }
    return check_options(nodes, err);
}

int fleet_nodes_new(struct fleet_nodes **out, const char *url, struct xylem_error *err)
{
    struct fleet_nodes *nodes = calloc(1, sizeof *nodes);
    *out = NULL;
    if (!nodes) {
        return xylem_base__fail_memory(err);
    }
    int code = parse_url(nodes, url, err);
    for (size_t i = 0, count = code < 0 ? 0 : pieces(option(nodes, "host")); code == XYLEM_OK && i < count; i++) {
        code = add_node(nodes, i, err);
    }
    if (code < 0) {
        fleet_nodes_free(nodes);
        return code;
    }
    *out = nodes;
    return XYLEM_OK;
}

size_t fleet_nodes_count(const struct fleet_nodes *nodes)
{
    return nodes->count;
}

const char *fleet_nodes_name(const struct fleet_nodes *nodes, size_t at)
{
    return nodes->each[at].name;
}

const char *fleet_nodes_host(const struct fleet_nodes *nodes, size_t at)
{
    return nodes->each[at].host;
}

const char *fleet_nodes_port(const struct fleet_nodes *nodes, size_t at)
{
    return nodes->each[at].port;
}

void fleet_nodes_free(struct fleet_nodes *nodes)
{
    if (!nodes) {
        return;
    }
    for (size_t i = 0; i < nodes->count; i++) {
        free(nodes->each[i].host);
        free(nodes->each[i].port);
        free(nodes->each[i].name);
    }
    PQconninfoFree(nodes->options);
    free(nodes);
}

/* --- A connection opens ----------------------------------------------------------------------------------------------- */

enum opening { SHAKING_HANDS, ASKING };

struct fleet_sql {
    PGconn *connection; /* NULL: closed */
    enum fleet_wire_phase phase;
    enum opening opening;
    PostgresPollingStatusType wanted; /* while hands are shaken */
    int64_t deadline;
    const char *name; /* of the nodes */
    bool writable;
    uint64_t timeline;
    bool unsent; /* libpq holds bytes that the socket did not take yet */
    bool warned; /* a warning came with the statement */
    bool ending; /* the server said good-bye, and nobody had asked */
    char warning[256];
    fleet_sql_hear *hear; /* NULL: nobody */
    void *hear_context;
    PGresult *answer;                /* of the statement: the first that failed, else the last */
    char state[6];                   /* of the last refusal */
    char why[512];                   /* of BROKEN */
    const char *prepared[NAMED_MAX]; /* names of statements */
    size_t prepared_count;
    /* A statement that waits until it is prepared. */
    const char *pending;
    const struct fleet_wire_value *values;
    size_t value_count;
};

struct fleet_sql_rows {
    PGresult *result;
};

/* What every connection has, whatever the URL says. */
static size_t fill_options(const char **keywords, const char **values, const struct fleet_nodes *nodes, size_t at)
{
    static const char *const fixed[] = {"host", "port", "application_name", "target_session_attrs", "client_encoding"};
    const char *const fixed_values[] = {nodes->each[at].host, nodes->each[at].port, "xylem-fleet", "any", "UTF8"};
    size_t count = 0;
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++, count++) {
        keywords[count] = fixed[i];
        values[count] = fixed_values[i];
    }
    /* An encryption of another kind would go around the check of the server's name. */
    keywords[count] = "gssencmode";
    values[count++] = option(nodes, "gssencmode") ? option(nodes, "gssencmode") : "disable";
    keywords[count] = "sslmode";
    values[count++] = option(nodes, "sslmode") ? option(nodes, "sslmode") : "verify-full";
    for (const PQconninfoOption *o = nodes->options; o->keyword && count < OPTIONS_MAX; o++) {
        bool known = false;
        for (size_t i = 0; i < count && !known; i++) {
            known = strcmp(keywords[i], o->keyword) == 0;
        }
        if (!known && o->val && *o->val) {
            keywords[count] = o->keyword;
            values[count++] = o->val;
        }
    }
    return count;
}

static void first_line(char *out, size_t bytes, const char *text)
{
    struct xylem_error line;
    (void)xylem_base__fail(&line, XYLEM_E_IO, "%.*s", (int)strcspn(text, "\n"), text);
    size_t length = strnlen(line.text, bytes - 1);
    memcpy(out, line.text, length);
    out[length] = '\0';
}

static void close_connection(struct fleet_sql *sql)
{
    PQclear(sql->answer);
    sql->answer = NULL;
    PQfinish(sql->connection);
    sql->connection = NULL;
    sql->phase = FLEET_WIRE_BROKEN;
}

static void fail_connection(struct fleet_sql *sql, const char *why)
{
    const char *text = why ? why : PQerrorMessage(sql->connection);
    first_line(sql->why, sizeof sql->why, *text ? text : "the connection was lost");
    close_connection(sql);
}

/* A commit that was not replicated succeeds with a warning: so a warning is never a success. */
static void take_notice(void *context, const PGresult *notice)
{
    struct fleet_sql *sql = (struct fleet_sql *)context;
    const char *severity = PQresultErrorField(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
    const char *text = PQresultErrorField(notice, PG_DIAG_MESSAGE_PRIMARY);
    sql->ending = sql->ending || (severity && (strcmp(severity, "FATAL") == 0 || strcmp(severity, "PANIC") == 0));
    if (!severity || strcmp(severity, "WARNING") == 0) {
        sql->warned = true;
        first_line(sql->warning, sizeof sql->warning, text ? text : "a warning");
    } else if (sql->hear) {
        sql->hear(sql->hear_context, text ? text : "", PQresultErrorField(notice, PG_DIAG_MESSAGE_DETAIL));
    }
}

int fleet_wire_start(struct fleet_sql **out, const struct fleet_nodes *nodes, size_t at, struct xylem_error *err)
{
    const char *keywords[OPTIONS_MAX + 1] = {NULL};
    const char *values[OPTIONS_MAX + 1] = {NULL};
    struct fleet_sql *sql = calloc(1, sizeof *sql);
    *out = NULL;
    if (!sql) {
        return xylem_base__fail_memory(err);
    }
    fill_options(keywords, values, nodes, at);
    sql->name = nodes->each[at].name;
    sql->wanted = PGRES_POLLING_WRITING;
    sql->deadline = xylem_base__steady_ms() + FLEET_CONNECT_MS;
    sql->connection = PQconnectStartParams(keywords, values, 0);
    if (!sql->connection) {
        free(sql);
        return xylem_base__fail_memory(err);
    }
    PQsetNoticeReceiver(sql->connection, take_notice, sql);
    if (PQstatus(sql->connection) == CONNECTION_BAD) {
        fail_connection(sql, NULL);
    }
    *out = sql;
    return XYLEM_OK;
}

/* --- A statement is on its way ------------------------------------------------------------------------------------------ */

static void flush(struct fleet_sql *sql)
{
    int left = PQflush(sql->connection);
    sql->unsent = left > 0;
}

/* Keeps what a caller wants to see of several results. */
static void keep_result(struct fleet_sql *sql, PGresult *result)
{
    if (sql->answer && PQresultStatus(sql->answer) == PGRES_FATAL_ERROR) {
        PQclear(result);
        return;
    }
    PQclear(sql->answer);
    sql->answer = result;
}

/* True if the answer is complete. */
static bool read_results(struct fleet_sql *sql)
{
    if (sql->unsent) {
        flush(sql);
    }
    bool alive = PQconsumeInput(sql->connection) == 1;
    while (!PQisBusy(sql->connection)) {
        PGresult *result = PQgetResult(sql->connection);
        if (!result) {
            alive = alive && PQstatus(sql->connection) == CONNECTION_OK;
            break;
        }
        ExecStatusType status = PQresultStatus(result);
        if (status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH) { /* would never end */
            PQclear(result);
            fail_connection(sql, "the server began to copy, which nobody asked for");
            return false;
        }
        keep_result(sql, result);
    }
    if (!alive || PQstatus(sql->connection) == CONNECTION_BAD) {
        fail_connection(sql, NULL);
        return false;
    }
    return !PQisBusy(sql->connection);
}

static void begin_statement(struct fleet_sql *sql)
{
    PQclear(sql->answer);
    sql->answer = NULL;
    sql->warned = false;
    sql->state[0] = '\0';
    sql->phase = FLEET_WIRE_BUSY;
}

static void send_failed_or_flush(struct fleet_sql *sql, int sent)
{
    if (!sent) {
        fail_connection(sql, NULL);
        return;
    }
    flush(sql);
}

/* --- What the node is ---------------------------------------------------------------------------------------------------- */

static const char what_it_is[] =
    "SELECT pg_catalog.pg_is_in_recovery(), CASE WHEN pg_catalog.pg_is_in_recovery() THEN '0' "
    "ELSE pg_catalog.left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 8) END";

static void take_what_it_is(struct fleet_sql *sql)
{
    PGresult *answer = sql->answer;
    if (PQresultStatus(answer) != PGRES_TUPLES_OK || PQntuples(answer) != 1 || PQnfields(answer) != 2) {
        fail_connection(sql, answer && *PQresultErrorMessage(answer) ? PQresultErrorMessage(answer)
                                                                     : "the node does not say what it is");
        return;
    }
    sql->writable = strcmp(PQgetvalue(answer, 0, 0), "f") == 0;
    sql->timeline = strtoull(PQgetvalue(answer, 0, 1), NULL, 16);
    PQclear(answer);
    sql->answer = NULL;
    sql->phase = FLEET_WIRE_IDLE;
}

static void ask_what_it_is(struct fleet_sql *sql)
{
    PQsetnonblocking(sql->connection, 1);
    begin_statement(sql);
    sql->phase = FLEET_WIRE_OPENING;
    sql->opening = ASKING;
    send_failed_or_flush(sql, PQsendQuery(sql->connection, what_it_is));
}

/* libpq takes a connection that is not made yet for made, if it is asked before the socket is ready. */
static bool is_ready(const struct fleet_sql *sql)
{
    struct pollfd ready = {.fd = PQsocket(sql->connection),
                           .events = sql->wanted == PGRES_POLLING_WRITING ? POLLOUT : POLLIN};
    return poll(&ready, 1, 0) == 1;
}

static void step_opening(struct fleet_sql *sql)
{
    if (sql->opening == SHAKING_HANDS && is_ready(sql)) {
        sql->wanted = PQconnectPoll(sql->connection);
        if (sql->wanted == PGRES_POLLING_FAILED) {
            fail_connection(sql, NULL);
        } else if (sql->wanted == PGRES_POLLING_OK) {
            ask_what_it_is(sql);
        }
    } else if (sql->opening == ASKING && read_results(sql)) {
        take_what_it_is(sql);
    }
    if (sql->phase == FLEET_WIRE_OPENING && xylem_base__steady_ms() >= sql->deadline) {
        fail_connection(sql, "no answer within 3 seconds");
    }
}

/* --- The wire -------------------------------------------------------------------------------------------------------------- */

static void send_pending(struct fleet_sql *sql);

/* A statement that had to be prepared is sent when it is. */
static void statement_answered(struct fleet_sql *sql)
{
    if (sql->pending && PQresultStatus(sql->answer) == PGRES_COMMAND_OK) {
        sql->prepared[sql->prepared_count++] = sql->pending;
        begin_statement(sql);
        send_pending(sql);
        return;
    }
    sql->pending = NULL;
    sql->phase = FLEET_WIRE_ANSWERED;
}

/* False for an idle connection that ended. PQisBusy() reads what the server said unasked. */
static bool is_alive(struct fleet_sql *sql)
{
    bool reads = PQconsumeInput(sql->connection) == 1;
    (void)PQisBusy(sql->connection);
    return reads && !sql->ending && PQstatus(sql->connection) == CONNECTION_OK;
}

enum fleet_wire_phase fleet_wire_step(struct fleet_sql *sql)
{
    if (sql->phase == FLEET_WIRE_OPENING) {
        step_opening(sql);
    } else if (sql->phase == FLEET_WIRE_BUSY && read_results(sql)) {
        statement_answered(sql);
    } else if (sql->phase == FLEET_WIRE_IDLE && !is_alive(sql)) {
        fail_connection(sql, NULL);
    }
    return sql->phase;
}

enum fleet_wire_phase fleet_wire_phase(const struct fleet_sql *sql)
{
    return sql->phase;
}

int fleet_wire_fd(const struct fleet_sql *sql, short *events)
{
    bool shaking = sql->phase == FLEET_WIRE_OPENING && sql->opening == SHAKING_HANDS;
    bool writes = shaking ? sql->wanted == PGRES_POLLING_WRITING : sql->unsent;
    *events = shaking && writes ? POLLOUT : writes ? POLLIN | POLLOUT : POLLIN;
    return sql->connection ? PQsocket(sql->connection) : -1;
}

int64_t fleet_wire_deadline(const struct fleet_sql *sql)
{
    return sql->deadline;
}

bool fleet_wire_writable(const struct fleet_sql *sql, uint64_t *timeline)
{
    *timeline = sql->timeline;
    return sql->writable;
}

const char *fleet_wire_why(const struct fleet_sql *sql)
{
    return sql->why;
}

/* Parameters as libpq wants them. */
struct packed {
    Oid types[FLEET_WIRE_VALUES_MAX];
    const char *values[FLEET_WIRE_VALUES_MAX];
    int lengths[FLEET_WIRE_VALUES_MAX];
    int formats[FLEET_WIRE_VALUES_MAX];
    unsigned char numbers[FLEET_WIRE_VALUES_MAX][8];
};

static void pack(struct packed *packed, const struct fleet_wire_value *values, size_t count)
{
    static const Oid types[] = {
        [FLEET_WIRE_BYTES] = BYTEA_OID, [FLEET_WIRE_NUMBER] = INT8_OID, [FLEET_WIRE_BOOL] = BOOL_OID};
    for (size_t i = 0; i < count; i++) {
        unsigned char *number = packed->numbers[i];
        packed->types[i] = types[values[i].type];
        packed->formats[i] = 1;
        if (values[i].type == FLEET_WIRE_BYTES) {
            packed->values[i] = values[i].bytes.data;
            packed->lengths[i] = (int)values[i].bytes.bytes;
            continue;
        }
        xylem_base__put_u64_be(number, values[i].number);
        bool is_bool = values[i].type == FLEET_WIRE_BOOL;
        packed->values[i] = (const char *)number + (is_bool ? 7 : 0);
        packed->lengths[i] = is_bool ? 1 : 8;
    }
}

static void send_pending(struct fleet_sql *sql)
{
    struct packed packed;
    const char *name = sql->pending;
    sql->pending = NULL;
    pack(&packed, sql->values, sql->value_count);
    send_failed_or_flush(sql, PQsendQueryPrepared(sql->connection, name, (int)sql->value_count, packed.values,
                                                  packed.lengths, packed.formats, 1));
}

static bool is_prepared(const struct fleet_sql *sql, const char *name)
{
    for (size_t i = 0; i < sql->prepared_count; i++) {
        if (strcmp(sql->prepared[i], name) == 0) {
            return true;
        }
    }
    return false;
}

void fleet_wire_send(struct fleet_sql *sql, const char *name, const char *statement,
                     const struct fleet_wire_value *values, size_t count)
{
    if (sql->phase != FLEET_WIRE_IDLE) {
        return;
    }
    begin_statement(sql);
    sql->pending = name;
    sql->values = values;
    sql->value_count = count;
    if (is_prepared(sql, name)) {
        send_pending(sql);
        return;
    }
    struct packed packed;
    pack(&packed, values, count);
    send_failed_or_flush(sql, sql->prepared_count < NAMED_MAX &&
                                  PQsendPrepare(sql->connection, name, statement, (int)count, packed.types));
}

static int refuse(struct fleet_sql *sql, struct xylem_error *err)
{
    const char *state = PQresultErrorField(sql->answer, PG_DIAG_SQLSTATE);
    const char *text = PQresultErrorField(sql->answer, PG_DIAG_MESSAGE_PRIMARY);
    char line[sizeof sql->why];
    (void)snprintf(sql->state, sizeof sql->state, "%s", state ? state : "XX000");
    first_line(line, sizeof line, text && *text ? text : "the server refused");
    return xylem_base__fail(err, XYLEM_E_CONFLICT, "%s: %s", sql->name, line);
}

int fleet_wire_take(struct fleet_sql *sql, struct fleet_sql_rows **rows, struct xylem_error *err)
{
    ExecStatusType status = PQresultStatus(sql->answer);
    int code = XYLEM_OK;
    if (rows) {
        *rows = NULL;
    }
    if (sql->phase != FLEET_WIRE_ANSWERED) {
        return xylem_base__fail(err, XYLEM_E_IO, "%s: %s", sql->name, sql->why);
    }
    sql->phase = FLEET_WIRE_IDLE;
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK && status != PGRES_EMPTY_QUERY) {
        code = refuse(sql, err);
    } else if (sql->warned) {
        code = xylem_base__fail(err, XYLEM_E_OUTCOME_UNKNOWN,
                                "%s: a warning came with the commit, so another node may not have it: %s", sql->name,
                                sql->warning);
    } else if (rows) {
        *rows = calloc(1, sizeof **rows);
        code = *rows ? XYLEM_OK : xylem_base__fail_memory(err);
    }
    if (rows && *rows) {
        (*rows)->result = sql->answer;
    } else {
        PQclear(sql->answer);
    }
    sql->answer = NULL;
    return code;
}

struct xylem_view fleet_wire_cell(const struct fleet_sql_rows *rows, size_t row, size_t column)
{
    const char *text = fleet_sql_cell(rows, row, column);
    return (struct xylem_view){text, text ? (size_t)PQgetlength(rows->result, (int)row, (int)column) : 0};
}

/* --- Waiting ------------------------------------------------------------------------------------------------------------------ */

static bool is_settled(const struct fleet_sql *sql)
{
    return sql->phase != FLEET_WIRE_OPENING && sql->phase != FLEET_WIRE_BUSY;
}

/* Waits for the first event of any of the connections, until `deadline` at most. */
static void wait_for(struct fleet_sql *const *each, size_t count, int64_t deadline)
{
    struct pollfd fds[FLEET_NODES_MAX];
    nfds_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (each[i] && !is_settled(each[i])) {
            fds[used].fd = fleet_wire_fd(each[i], &fds[used].events);
            used++;
        }
    }
    int64_t left = deadline - xylem_base__steady_ms();
    (void)poll(fds, used, left < 0 ? 0 : left > 60000 ? 60000 : (int)left);
}

static void settle(struct fleet_sql *sql, int64_t deadline)
{
    while (!is_settled(sql) && xylem_base__steady_ms() < deadline) {
        wait_for(&sql, 1, deadline);
        fleet_wire_step(sql);
    }
}

int fleet_sql_open(struct fleet_sql **sql, const struct fleet_nodes *nodes, size_t at, struct xylem_error *err)
{
    int code = fleet_wire_start(sql, nodes, at, err);
    if (code < 0) {
        return code;
    }
    while (!is_settled(*sql)) { /* an opening connection ends at its own deadline */
        wait_for(sql, 1, (*sql)->deadline);
        fleet_wire_step(*sql);
    }
    if ((*sql)->phase == FLEET_WIRE_BROKEN) {
        code = xylem_base__fail(err, XYLEM_E_IO, "%s: %s", (*sql)->name, (*sql)->why);
        fleet_sql_close(*sql);
        *sql = NULL;
    }
    return code;
}

static void send_texts(struct fleet_sql *sql, const char *statement, const char *const *parameters, size_t count)
{
    begin_statement(sql);
    send_failed_or_flush(
        sql, count == 0 ? PQsendQuery(sql->connection, statement)
                        : PQsendQueryParams(sql->connection, statement, (int)count, NULL, parameters, NULL, NULL, 0));
}

int fleet_sql_run(struct fleet_sql *sql, struct fleet_sql_rows **rows, const char *statement,
                  const char *const *parameters, size_t parameter_count, unsigned deadline_ms, struct xylem_error *err)
{
    if (fleet_wire_step(sql) == FLEET_WIRE_IDLE) {
        send_texts(sql, statement, parameters, parameter_count);
        settle(sql, xylem_base__steady_ms() + deadline_ms);
    }
    if (sql->phase == FLEET_WIRE_BUSY) { /* a cancelled COMMIT would answer success: so the socket is closed instead */
        char why[64];
        (void)snprintf(why, sizeof why, "no answer within %u ms", deadline_ms);
        fail_connection(sql, why);
    }
    return fleet_wire_take(sql, rows, err);
}

const char *fleet_sql_state(const struct fleet_sql *sql)
{
    return sql->state;
}

void fleet_sql_listen(struct fleet_sql *sql, fleet_sql_hear *hear, void *context)
{
    sql->hear = hear;
    sql->hear_context = context;
}

void fleet_sql_close(struct fleet_sql *sql)
{
    if (sql) {
        close_connection(sql);
        free(sql);
    }
}

size_t fleet_sql_row_count(const struct fleet_sql_rows *rows)
{
    return rows ? (size_t)PQntuples(rows->result) : 0;
}

const char *fleet_sql_cell(const struct fleet_sql_rows *rows, size_t row, size_t column)
{
    bool is_there = row < fleet_sql_row_count(rows) && column < (size_t)PQnfields(rows->result) &&
                    !PQgetisnull(rows->result, (int)row, (int)column);
    return is_there ? PQgetvalue(rows->result, (int)row, (int)column) : NULL;
}

void fleet_sql_rows_free(struct fleet_sql_rows *rows)
{
    if (rows) {
        PQclear(rows->result);
        free(rows);
    }
}

/* --- The node that takes writes --------------------------------------------------------------------------------------------- */

struct fleet_seek {
    struct fleet_sql *each[FLEET_NODES_MAX];
    size_t count;
};

int fleet_seek_start(struct fleet_seek **out, const struct fleet_nodes *nodes, struct xylem_error *err)
{
    struct fleet_seek *seek = calloc(1, sizeof *seek);
    int code = seek ? XYLEM_OK : xylem_base__fail_memory(err);
    *out = NULL;
    for (size_t i = 0; code == XYLEM_OK && i < nodes->count; i++) {
        code = fleet_wire_start(&seek->each[i], nodes, i, err);
        seek->count += code == XYLEM_OK;
    }
    if (code < 0) {
        fleet_seek_free(seek);
        return code;
    }
    *out = seek;
    return XYLEM_OK;
}

bool fleet_seek_step(struct fleet_seek *seek)
{
    bool done = true;
    for (size_t i = 0; i < seek->count; i++) {
        fleet_wire_step(seek->each[i]);
        done = is_settled(seek->each[i]) && done;
    }
    return done;
}

struct fleet_sql *fleet_seek_connection(const struct fleet_seek *seek, size_t at)
{
    return at < seek->count ? seek->each[at] : NULL;
}

static bool takes_writes(const struct fleet_sql *sql)
{
    return sql->phase == FLEET_WIRE_IDLE && sql->writable;
}

static size_t highest(const struct fleet_seek *seek)
{
    size_t found = seek->count;
    for (size_t i = 0; i < seek->count; i++) {
        const struct fleet_sql *sql = seek->each[i];
        if (takes_writes(sql) && (found == seek->count || sql->timeline > seek->each[found]->timeline)) {
            found = i;
        }
    }
    return found;
}

/* Says of each node but `found` what it said; of nodes that are not surprising only if none was found. */
static void say_each(char *out, size_t bytes, const struct fleet_seek *seek, size_t found)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < seek->count && used < bytes; i++) {
        const struct fleet_sql *sql = seek->each[i];
        const char *comma = used > 0 ? "; " : "";
        int more = 0;
        if (i == found || (found < seek->count && !takes_writes(sql))) {
            continue;
        }
        if (takes_writes(sql)) {
            more = snprintf(out + used, bytes - used, "%s%s takes writes on timeline %llu", comma, sql->name,
                            (unsigned long long)sql->timeline);
        } else {
            const char *said = sql->phase == FLEET_WIRE_BROKEN ? sql->why : "a standby";
            more = snprintf(out + used, bytes - used, "%s%s: %s", comma, sql->name, said);
        }
        used += more > 0 ? (size_t)more : 0;
    }
}

static bool has_twin(const struct fleet_seek *seek, size_t found)
{
    for (size_t i = 0; i < seek->count; i++) {
        if (i != found && takes_writes(seek->each[i]) && seek->each[i]->timeline == seek->each[found]->timeline) {
            return true;
        }
    }
    return false;
}

int fleet_seek_take(struct fleet_sql **sql, size_t *at, struct fleet_seek *seek, struct xylem_error *err)
{
    char said[XYLEM_ERROR_TEXT_BYTES];
    size_t found = highest(seek);
    say_each(said, sizeof said, seek, found);
    *sql = NULL;
    if (found == seek->count) {
        return xylem_base__fail(err, XYLEM_E_IO, "no node takes writes: %s", said);
    }
    if (has_twin(seek, found)) {
        return xylem_base__fail(err, XYLEM_E_IO,
                                "two nodes take writes on one timeline, so one is a copy: stop the wrong one: %s, and "
                                "%s does, too",
                                said, seek->each[found]->name);
    }
    if (err) {
        err->text[0] = '\0';
        if (*said) {
            (void)xylem_base__fail(err, XYLEM_OK, "an old primary acknowledges nothing, stop it: %s, and %s on %llu",
                                   said, seek->each[found]->name, (unsigned long long)seek->each[found]->timeline);
        }
        err->code = XYLEM_OK;
    }
    *sql = seek->each[found];
    seek->each[found] = NULL;
    *at = found;
    return XYLEM_OK;
}

void fleet_seek_free(struct fleet_seek *seek)
{
    for (size_t i = 0; seek && i < seek->count; i++) {
        fleet_sql_close(seek->each[i]);
    }
    free(seek);
}

int fleet_sql_open_writable(struct fleet_sql **sql, const struct fleet_nodes *nodes, size_t *at,
                            struct xylem_error *err)
{
    struct fleet_seek *seek;
    size_t found;
    *sql = NULL;
    int code = fleet_seek_start(&seek, nodes, err);
    if (code < 0) {
        return code;
    }
    while (!fleet_seek_step(seek)) {
        wait_for(seek->each, seek->count, xylem_base__steady_ms() + FLEET_CONNECT_MS);
    }
    code = fleet_seek_take(sql, at ? at : &found, seek, err);
    fleet_seek_free(seek);
    return code;
}
