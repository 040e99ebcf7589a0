#include "fleet/wire.h"

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
#define BYTEA_OID 17u
#define INT8_OID 20u
#define TICK_MS 100 /* a waiting caller looks at the deadline so often */

/* --- Where ---------------------------------------------------------------------------------------------------------- */

struct fleet_nodes {
    PQconninfoOption *options; /* what the URL says; value NULL: nothing. The lists of hosts and ports are cut up */
    const char *hosts[FLEET_NODES_MAX];
    const char *ports[FLEET_NODES_MAX];
    char names[FLEET_NODES_MAX][512];
    size_t count;
};

static char *option(const struct fleet_nodes *nodes, const char *keyword)
{
    for (const PQconninfoOption *at = nodes->options; at->keyword; at++) {
        if (strcmp(at->keyword, keyword) == 0) {
            return at->val && *at->val ? at->val : NULL;
        }
    }
    return NULL;
}

/* Cuts a list at its commas; counts also the pieces that have no room. */
static size_t split(const char **pieces, char *list)
{
    size_t count = 0;
    for (char *piece; (piece = strsep(&list, ",")) != NULL; count++) {
        if (count < FLEET_NODES_MAX) {
            pieces[count] = piece;
        }
    }
    return count;
}

static int name_nodes(struct fleet_nodes *nodes, size_t ports, struct xylem_error *err)
{
    for (size_t i = 0; i < nodes->count; i++) {
        const char *port = ports == 1 ? nodes->ports[0] : nodes->ports[i];
        nodes->ports[i] = port && *port ? port : "5432";
        if (!*nodes->hosts[i]) {
            return xylem_base__fail(err, XYLEM_E_ARGUMENT,
                                    "expected a host before each comma of the URL, found none in place %zu", i + 1);
        }
        (void)snprintf(nodes->names[i], sizeof nodes->names[i], "%s:%s", nodes->hosts[i], nodes->ports[i]);
    }
    return XYLEM_OK;
}

static int read_options(struct fleet_nodes *nodes, struct xylem_error *err)
{
    if (option(nodes, "password") || option(nodes, "sslpassword")) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT,
                                "the URL has a password in it: put the password into ~/.pgpass, and take it out of the "
                                "URL, where other users and logs see it");
    }
    char *hosts = option(nodes, "host");
    if (!hosts || option(nodes, "hostaddr")) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "expected the hosts of all nodes in the URL (%s), found %s",
                                "postgresql://n1:5432,n2:5432/xylem", hosts ? "`hostaddr`" : "none");
    }
    size_t count = split(nodes->hosts, hosts);
    size_t ports = split(nodes->ports, option(nodes, "port"));
    if (count > FLEET_NODES_MAX || (ports > 1 && ports != count)) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT,
                                "expected at most %u hosts in the URL, and one port or a port for each, found %zu and "
                                "%zu",
                                FLEET_NODES_MAX, count, ports);
    }
    nodes->count = count;
    return name_nodes(nodes, ports, err);
}

static int parse_url(struct fleet_nodes *nodes, const char *url, struct xylem_error *err)
{
    if (strncmp(url, "postgresql://", 13) != 0 && strncmp(url, "postgres://", 11) != 0) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT,
                                "expected a URL such as postgresql://n1:5432,n2:5432/xylem, found something else");
    }
    nodes->options = PQconninfoParse(url, NULL); /* its text may repeat the URL, and a password with the URL */
    return nodes->options ? read_options(nodes, err)
                          : xylem_base__fail(err, XYLEM_E_ARGUMENT,
                                             "the URL of the fleet is none that libpq understands: compare "
                                             "with postgresql://n1:5432,n2:5432/xylem?sslmode=verify-full");
}

int fleet_nodes_new(struct fleet_nodes **nodes, const char *url, struct xylem_error *err)
{
    *nodes = calloc(1, sizeof **nodes);
    int code = *nodes ? parse_url(*nodes, url, err) : xylem_base__fail_memory(err);
    if (code < 0) {
        fleet_nodes_free(*nodes);
        *nodes = NULL;
    }
    return code;
}

size_t fleet_nodes_count(const struct fleet_nodes *nodes)
{
    return nodes->count;
}

const char *fleet_nodes_name(const struct fleet_nodes *nodes, size_t at)
{
    return nodes->names[at];
}

const char *fleet_nodes_host(const struct fleet_nodes *nodes, size_t at)
{
    return nodes->hosts[at];
}

const char *fleet_nodes_port(const struct fleet_nodes *nodes, size_t at)
{
    return nodes->ports[at];
}

void fleet_nodes_free(struct fleet_nodes *nodes)
{
    if (nodes) {
        PQconninfoFree(nodes->options);
        free(nodes);
    }
}

/* --- A connection ----------------------------------------------------------------------------------------------------- */

struct fleet_sql {
    PGconn *connection; /* NULL: closed */
    enum fleet_wire_phase phase;
    int64_t deadline;     /* of a phase before IDLE */
    const char *name;     /* of the nodes */
    const char *hello;    /* NULL: none */
    uint64_t timeline;    /* 0: takes no writes */
    bool writes;          /* libpq waits until the socket takes bytes */
    bool ending;          /* the server said good-bye, and nobody had asked */
    fleet_sql_hear *hear; /* NULL: nobody */
    void *hear_context;
    PGresult *answer;           /* of the statement: the first that failed, else the last */
    struct xylem_error warning; /* code 0: none came with the statement */
    char state[6];              /* of the last refusal */
    struct xylem_error said;    /* what the node is, or why the connection is BROKEN */
};

static int fail_line(struct xylem_error *err, int code, const struct fleet_sql *sql, const char *text)
{
    return xylem_base__fail(err, code, "%s: %.*s", sql->name, (int)strcspn(text, "\n"), text);
}

static void close_connection(struct fleet_sql *sql)
{
    PQclear(sql->answer);
    sql->answer = NULL;
    PQfinish(sql->connection);
    sql->connection = NULL;
    sql->phase = FLEET_WIRE_BROKEN;
}

/* `why` NULL: what libpq says. */
static void fail_connection(struct fleet_sql *sql, const char *why)
{
    const char *text = why ? why : PQerrorMessage(sql->connection);
    (void)fail_line(&sql->said, XYLEM_E_IO, sql, *text ? text : "the connection was lost");
    close_connection(sql);
}

/* A commit that was not replicated succeeds with a warning: so a warning is never a success. */
static void take_notice(void *context, const PGresult *notice)
{
    struct fleet_sql *sql = context;
    const char *severity = PQresultErrorField(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
    const char *text = PQresultErrorField(notice, PG_DIAG_MESSAGE_PRIMARY);
    text = text ? text : "";
    sql->ending = sql->ending || (severity && (strcmp(severity, "FATAL") == 0 || strcmp(severity, "PANIC") == 0));
    if (!severity || strcmp(severity, "WARNING") == 0) {
        (void)xylem_base__fail(&sql->warning, XYLEM_E_OUTCOME_UNKNOWN,
                               "%s: a warning came with the commit, so another node may not have it: %.*s", sql->name,
                               (int)strcspn(text, "\n"), text);
    } else if (sql->hear) {
        sql->hear(sql->hear_context, text, PQresultErrorField(notice, PG_DIAG_MESSAGE_DETAIL));
    }
}

static void begin(struct fleet_sql *sql, enum fleet_wire_phase phase, unsigned deadline_ms)
{
    PQclear(sql->answer);
    sql->answer = NULL;
    sql->warning.code = XYLEM_OK;
    sql->state[0] = '\0';
    sql->phase = phase;
    sql->deadline = deadline_ms > 0 ? xylem_base__steady_ms() + deadline_ms : INT64_MAX;
}

/* `sent` is the answer of a function of libpq that sends. */
static void check_sent(struct fleet_sql *sql, int sent)
{
    if (!sent) {
        fail_connection(sql, NULL);
        return;
    }
    sql->writes = PQflush(sql->connection) > 0;
}

int fleet_wire_start(struct fleet_sql **out, const struct fleet_nodes *nodes, size_t at, const char *hello,
                     struct xylem_error *err)
{
    static const char *const fixed[] = {"host", "port", "application_name", "target_session_attrs", "client_encoding"};
    const char *const fixed_values[] = {nodes->hosts[at], nodes->ports[at], "xylem-fleet", "any", "UTF8"};
    /*
     * An encryption of another kind would go around the check of the server's name. Of a keyword that is there twice the
     * last value counts.
     */
    const char *keywords[OPTIONS_MAX + 8] = {"gssencmode", "sslmode"};
    const char *values[OPTIONS_MAX + 8] = {"disable", "verify-full"};
    struct fleet_sql *sql = calloc(1, sizeof *sql);
    size_t count = 2;
    *out = sql;
    for (const PQconninfoOption *option = nodes->options; option->keyword && count < OPTIONS_MAX; option++) {
        keywords[count] = option->keyword;
        values[count++] = option->val;
    }
    memcpy(keywords + count, fixed, sizeof fixed);
    memcpy(values + count, fixed_values, sizeof fixed_values);
    if (!sql || !(sql->connection = PQconnectStartParams(keywords, values, 0))) {
        free(sql);
        *out = NULL;
        return xylem_base__fail_memory(err);
    }
    sql->name = nodes->names[at];
    sql->hello = hello;
    sql->writes = true;
    begin(sql, FLEET_WIRE_CONNECTING, FLEET_CONNECT_MS);
    PQsetNoticeReceiver(sql->connection, take_notice, sql);
    if (PQstatus(sql->connection) == CONNECTION_BAD) {
        fail_connection(sql, NULL);
    }
    return XYLEM_OK;
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
    bool done = false;
    if (sql->writes) {
        check_sent(sql, 1);
    }
    bool alive = PQconsumeInput(sql->connection) == 1;
    while (!done && !PQisBusy(sql->connection)) {
        PGresult *result = PQgetResult(sql->connection);
        ExecStatusType status = PQresultStatus(result);
        done = !result;
        if (result) {
            keep_result(sql, result);
        }
        if (status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH) { /* would never end */
            fail_connection(sql, "the server began to copy, which nobody asked for");
            return false;
        }
    }
    if (!alive || PQstatus(sql->connection) != CONNECTION_OK) {
        fail_connection(sql, NULL);
        return false;
    }
    return done;
}

/* --- A connection opens ----------------------------------------------------------------------------------------------- */

/* What the node is. Its plans go uncompiled: the functions of init.sql look dear to the planner, and are not. */
static const char what_it_is[] =
    "SELECT t, CASE t WHEN '0' THEN 'a standby' ELSE 'takes writes on timeline ' || t END, "
    "pg_catalog.set_config('jit', 'off', false) FROM (SELECT CASE WHEN pg_catalog.pg_is_in_recovery() THEN '0' "
    "ELSE pg_catalog.left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 8) END) x(t)";

static void take_what_it_is(struct fleet_sql *sql)
{
    PGresult *answer = sql->answer;
    if (PQresultStatus(answer) != PGRES_TUPLES_OK || PQntuples(answer) != 1 || PQnfields(answer) != 3) {
        const char *text = PQresultErrorMessage(answer);
        fail_connection(sql, *text ? text : "the node does not say what it is");
        return;
    }
    sql->timeline = strtoull(PQgetvalue(answer, 0, 0), NULL, 16);
    (void)fail_line(&sql->said, XYLEM_E_IO, sql, PQgetvalue(answer, 0, 1));
    sql->phase = sql->timeline > 0 && sql->hello ? FLEET_WIRE_BUSY : FLEET_WIRE_IDLE;
    PQclear(answer);
    sql->answer = NULL;
    if (sql->phase == FLEET_WIRE_BUSY) {
        check_sent(sql, PQsendQuery(sql->connection, sql->hello));
    }
}

/* libpq takes a connection that is not made yet for made, if it is asked before the socket is ready. */
static void shake_hands(struct fleet_sql *sql)
{
    struct pollfd ready = {.fd = PQsocket(sql->connection), .events = sql->writes ? POLLOUT : POLLIN};
    if (poll(&ready, 1, 0) != 1) {
        return;
    }
    PostgresPollingStatusType wanted = PQconnectPoll(sql->connection);
    sql->writes = wanted == PGRES_POLLING_WRITING;
    if (wanted == PGRES_POLLING_FAILED) {
        fail_connection(sql, NULL);
    } else if (wanted == PGRES_POLLING_OK) {
        PQsetnonblocking(sql->connection, 1);
        sql->warning.code = XYLEM_OK;
        sql->phase = FLEET_WIRE_ASKING;
        check_sent(sql, PQsendQuery(sql->connection, what_it_is));
    }
}

/* --- The wire ------------------------------------------------------------------------------------------------------------ */

/* False for an idle connection that ended. PQisBusy() reads what the server said unasked. */
static bool is_alive(struct fleet_sql *sql)
{
    bool reads = PQconsumeInput(sql->connection) == 1;
    (void)PQisBusy(sql->connection);
    return reads && !sql->ending && PQstatus(sql->connection) == CONNECTION_OK;
}

static bool is_settled(const struct fleet_sql *sql)
{
    return sql->phase >= FLEET_WIRE_IDLE;
}

enum fleet_wire_phase fleet_wire_step(struct fleet_sql *sql)
{
    if (sql->phase == FLEET_WIRE_CONNECTING) {
        shake_hands(sql);
    } else if (sql->phase == FLEET_WIRE_ASKING && read_results(sql)) {
        take_what_it_is(sql);
    } else if (sql->phase == FLEET_WIRE_BUSY && read_results(sql)) {
        sql->phase = FLEET_WIRE_ANSWERED;
    } else if (sql->phase == FLEET_WIRE_IDLE && !is_alive(sql)) {
        fail_connection(sql, NULL);
    }
    if (!is_settled(sql) && xylem_base__steady_ms() >= sql->deadline) {
        fail_connection(sql, "no answer in time"); /* unasked, the server goes on: a cancelled COMMIT answers success */
    }
    return sql->phase;
}

int fleet_wire_fd(const struct fleet_sql *sql, short *events)
{
    short reads = sql->phase == FLEET_WIRE_CONNECTING && sql->writes ? 0 : POLLIN;
    *events = (short)(reads | (sql->writes ? POLLOUT : 0));
    return sql->connection ? PQsocket(sql->connection) : -1;
}

bool fleet_wire_opens(const struct fleet_sql *sql)
{
    return !is_settled(sql) && sql->deadline < INT64_MAX;
}

uint64_t fleet_wire_timeline(const struct fleet_sql *sql)
{
    return sql->timeline;
}

void fleet_wire_send(struct fleet_sql *sql, const char *name, const struct fleet_wire_value *values, size_t count)
{
    const char *data[FLEET_WIRE_VALUES_MAX];
    int lengths[FLEET_WIRE_VALUES_MAX];
    int formats[FLEET_WIRE_VALUES_MAX];
    unsigned char numbers[FLEET_WIRE_VALUES_MAX][8];
    for (size_t i = 0; i < count; i++) {
        bool is_number = values[i].is_number;
        xylem_base__put_u64_be(numbers[i], values[i].number);
        data[i] = is_number ? (const char *)numbers[i] : values[i].bytes.data;
        lengths[i] = is_number ? 8 : (int)values[i].bytes.bytes;
        formats[i] = 1;
    }
    begin(sql, FLEET_WIRE_BUSY, 0);
    check_sent(sql, PQsendQueryPrepared(sql->connection, name, (int)count, data, lengths, formats, 1));
}

static int refuse(struct fleet_sql *sql, const PGresult *answer, struct xylem_error *err)
{
    const char *state = PQresultErrorField(answer, PG_DIAG_SQLSTATE);
    const char *text = PQresultErrorField(answer, PG_DIAG_MESSAGE_PRIMARY);
    (void)snprintf(sql->state, sizeof sql->state, "%s", state ? state : "XX000");
    return fail_line(err, XYLEM_E_CONFLICT, sql, text && *text ? text : "the server refused");
}

int fleet_wire_take(struct fleet_sql *sql, struct fleet_sql_rows **rows, struct xylem_error *err)
{
    PGresult *answer = sql->answer;
    ExecStatusType status = PQresultStatus(answer);
    int code = XYLEM_OK;
    if (rows) {
        *rows = NULL;
    }
    if (sql->phase != FLEET_WIRE_ANSWERED) {
        return xylem_base__fail(err, XYLEM_E_IO, "%s", sql->said.text);
    }
    sql->answer = NULL;
    sql->phase = FLEET_WIRE_IDLE;
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK && status != PGRES_EMPTY_QUERY) {
        code = refuse(sql, answer, err);
    } else if (sql->warning.code < 0) {
        code = xylem_base__fail(err, sql->warning.code, "%s", sql->warning.text);
    }
    if (rows && code == XYLEM_OK) {
        *rows = (struct fleet_sql_rows *)answer;
    } else {
        PQclear(answer);
    }
    return code;
}

/* --- Rows ------------------------------------------------------------------------------------------------------------------ */

/* What callers know as rows. */
static const PGresult *result_of(const struct fleet_sql_rows *rows)
{
    return (const PGresult *)rows;
}

size_t fleet_sql_row_count(const struct fleet_sql_rows *rows)
{
    return (size_t)PQntuples(result_of(rows));
}

const char *fleet_sql_cell(const struct fleet_sql_rows *rows, size_t row, size_t column)
{
    bool is_there = row < fleet_sql_row_count(rows) && column < (size_t)PQnfields(result_of(rows)) &&
                    !PQgetisnull(result_of(rows), (int)row, (int)column);
    return is_there ? PQgetvalue(result_of(rows), (int)row, (int)column) : NULL;
}

struct xylem_view fleet_wire_cell(const struct fleet_sql_rows *rows, size_t row, size_t column)
{
    const char *data = fleet_sql_cell(rows, row, column);
    return (struct xylem_view){data, data ? (size_t)PQgetlength(result_of(rows), (int)row, (int)column) : 0};
}

void fleet_sql_rows_free(struct fleet_sql_rows *rows)
{
    PQclear((PGresult *)rows);
}

/* --- Waiting ------------------------------------------------------------------------------------------------------------------ */

bool fleet_seek_step(struct fleet_sql *const *each, size_t count)
{
    bool done = true;
    for (size_t i = 0; i < count; i++) {
        if (each[i]) {
            (void)fleet_wire_step(each[i]);
            done = is_settled(each[i]) && done;
        }
    }
    return done;
}

static void settle(struct fleet_sql *const *each, size_t count)
{
    while (!fleet_seek_step(each, count)) {
        struct pollfd fds[FLEET_NODES_MAX];
        for (size_t i = 0; i < count; i++) {
            fds[i].fd = fleet_wire_fd(each[i], &fds[i].events);
            fds[i].fd = is_settled(each[i]) ? -1 : fds[i].fd;
        }
        (void)poll(fds, count, TICK_MS);
    }
}

int fleet_sql_open(struct fleet_sql **sql, const struct fleet_nodes *nodes, size_t at, struct xylem_error *err)
{
    int code = fleet_wire_start(sql, nodes, at, NULL, err);
    if (code < 0) {
        return code;
    }
    settle(sql, 1);
    if ((*sql)->phase == FLEET_WIRE_BROKEN) {
        code = fleet_wire_take(*sql, NULL, err);
        fleet_sql_close(*sql);
        *sql = NULL;
    }
    return code;
}

int fleet_sql_run(struct fleet_sql *sql, struct fleet_sql_rows **rows, const char *statement,
                  const char *const *parameters, size_t parameter_count, unsigned deadline_ms, struct xylem_error *err)
{
    int count = (int)parameter_count;
    if (fleet_wire_step(sql) == FLEET_WIRE_IDLE) {
        begin(sql, FLEET_WIRE_BUSY, deadline_ms);
        check_sent(sql, count == 0
                            ? PQsendQuery(sql->connection, statement)
                            : PQsendQueryParams(sql->connection, statement, count, NULL, parameters, NULL, NULL, 0));
        settle(&sql, 1);
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

/* --- The node that takes writes --------------------------------------------------------------------------------------------- */

static void close_each(struct fleet_sql **each, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fleet_sql_close(each[i]);
        each[i] = NULL;
    }
}

int fleet_seek_start(struct fleet_sql **each, const struct fleet_nodes *nodes, const char *hello,
                     struct xylem_error *err)
{
    int code = XYLEM_OK;
    for (size_t i = 0; code == XYLEM_OK && i < nodes->count; i++) {
        code = fleet_wire_start(&each[i], nodes, i, hello, err);
        if (code < 0) {
            close_each(each, i);
        }
    }
    return code;
}

static bool takes_writes(const struct fleet_sql *sql)
{
    return sql->phase != FLEET_WIRE_BROKEN && sql->timeline > 0;
}

/* The place of the writable node of the highest timeline, `count` if there is none. */
static size_t highest(struct fleet_sql *const *each, size_t count, bool *has_twin)
{
    size_t found = count;
    *has_twin = false;
    for (size_t i = 0; i < count; i++) {
        if (!takes_writes(each[i]) || (found < count && each[i]->timeline < each[found]->timeline)) {
            continue;
        }
        *has_twin = found < count && each[i]->timeline == each[found]->timeline;
        found = i;
    }
    return found;
}

int fleet_seek_take(struct fleet_sql **sql, size_t *at, struct fleet_sql **each, size_t count, struct xylem_error *err)
{
    char said[XYLEM_ERROR_TEXT_BYTES] = "";
    bool has_twin;
    size_t found = highest(each, count, &has_twin);
    size_t used = 0;
    int code = XYLEM_OK;
    for (size_t i = 0; i < count && used < sizeof said; i++) {
        int more = snprintf(said + used, sizeof said - used, "%s%s", i > 0 ? "; " : "", each[i]->said.text);
        used += more > 0 ? (size_t)more : 0;
    }
    *sql = NULL;
    if (found == count) {
        code = xylem_base__fail(err, XYLEM_E_IO, "no node takes writes: %s", said);
    } else if (has_twin) {
        code = xylem_base__fail(
            err, XYLEM_E_IO, "two nodes take writes on one timeline, so one is a copy: stop the wrong one: %s", said);
    } else {
        *sql = each[found];
        *at = found;
        each[found] = NULL;
    }
    close_each(each, count);
    return code;
}

int fleet_sql_open_writable(struct fleet_sql **sql, const struct fleet_nodes *nodes, size_t *at,
                            struct xylem_error *err)
{
    struct fleet_sql *each[FLEET_NODES_MAX] = {NULL};
    size_t found;
    *sql = NULL;
    int code = fleet_seek_start(each, nodes, NULL, err);
    if (code < 0) {
        return code;
    }
    settle(each, nodes->count);
    return fleet_seek_take(sql, at ? at : &found, each, nodes->count, err);
}
