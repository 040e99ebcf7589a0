/*
 * The engine on PostgreSQL, against real servers. FLEET_TEST_URL is the URL of a superuser, to a database with the schema
 * of `fleet init`. The test makes the logins xylem_test_a, xylem_test_b and xylem_test_c, unless they are there; they get in
 * without a password, or with one of PGPASSFILE.
 */
#include "tests/lib/test.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "fleet/postgres.h"
#include "fleet/promotion.h"

#define SQL_MS 10000u
#define MIB (1u << 20)

static struct xylem_error err;
static struct fleet_nodes *nodes_of[3]; /* the superuser; a host of the group `a`; a host of the group `b` */
static struct fleet_engine *engine_a;
static struct fleet_engine *other_a; /* another host of the group */
static struct fleet_engine *engine_b;
static struct fleet_sql *super;
static struct fleet_answer answer;
static const unsigned char ours[FLEET_TOKEN_BYTES] = "token of a host";
static const unsigned char theirs[FLEET_TOKEN_BYTES] = "another's token";

enum { SUPER, HOST_A, HOST_B };

/* --- Connections ------------------------------------------------------------------------------------------------------ */

/* The URL of the surroundings; with `user` that of another user, and with a text in `database` of another database. */
static void url_of(char *out, size_t bytes, const char *user, const char *database)
{
    const char *url = getenv("FLEET_TEST_URL");
    if (!url) {
        fail_msg("FLEET_TEST_URL is missing: postgresql://postgres@HOST:PORT/DATABASE");
        return;
    }
    if (!user) {
        (void)snprintf(out, bytes, "%s", url);
        return;
    }
    const char *rest = strstr(url, "://") + 3;
    const char *at = strchr(rest, '@');
    rest = at ? at + 1 : rest;
    size_t hosts = strcspn(rest, "/");
    const char *options = strchr(rest, '?') ? strchr(rest, '?') : "";
    const char *path = rest + hosts;
    size_t path_bytes = strcspn(path, "?");
    (void)snprintf(out, bytes, "postgresql://%s@%.*s%s%.*s%s", user, (int)hosts, rest, database,
                   database[0] ? 0 : (int)path_bytes, path, options);
}

static struct fleet_nodes *nodes_new(const char *user, const char *database)
{
    char url[1024];
    struct fleet_nodes *nodes;
    url_of(url, sizeof url, user, database);
    if (fleet_nodes_new(&nodes, url, &err) < 0) {
        fail_msg("%s: %s", url, err.text);
    }
    return nodes;
}

static struct fleet_engine *engine_new(const struct fleet_nodes *nodes)
{
    const struct fleet_postgres_options options = {.allow_single = true, .connections = 2};
    struct fleet_engine *engine;
    if (fleet_engine_postgres(&engine, nodes, &options, &err) < 0) {
        fail_msg("%s", err.text);
    }
    return engine;
}

static struct fleet_sql *sql_new(int who)
{
    struct fleet_sql *sql;
    if (fleet_sql_open_writable(&sql, nodes_of[who], NULL, &err) < 0) {
        fail_msg("%s", err.text);
    }
    return sql;
}

static void run(struct fleet_sql *sql, const char *statement)
{
    if (fleet_sql_run(sql, NULL, statement, NULL, 0, SQL_MS, &err) < 0) {
        fail_msg("%s: %s", statement, err.text);
    }
}

/* The only cell of the answer, in memory that the next call overwrites; "" for null. */
static const char *cell(struct fleet_sql *sql, const char *statement)
{
    static char text[256];
    struct fleet_sql_rows *rows;
    if (fleet_sql_run(sql, &rows, statement, NULL, 0, SQL_MS, &err) < 0) {
        fail_msg("%s: %s", statement, err.text);
    }
    assert_int_equal(fleet_sql_row_count(rows), 1);
    const char *found = fleet_sql_cell(rows, 0, 0);
    (void)snprintf(text, sizeof text, "%s", found ? found : "");
    fleet_sql_rows_free(rows);
    return text;
}

static void assert_forbidden(struct fleet_sql *sql, const char *statement)
{
    assert_int_equal(fleet_sql_run(sql, NULL, statement, NULL, 0, SQL_MS, &err), XYLEM_E_CONFLICT);
    assert_string_equal(fleet_sql_state(sql), "42501");
}

/* A login that is there keeps its password. */
static void login(const char *name, const char *group)
{
    char text[512];
    (void)snprintf(text, sizeof text,
                   "DO $$ BEGIN IF to_regrole('%s') IS NULL THEN CREATE ROLE %s LOGIN; END IF; END $$;"
                   "GRANT xylem_host TO %s; SELECT xylem.member_set('%s', '%s')",
                   name, name, name, name, group);
    run(super, text);
}

static int set_up(void **state)
{
    (void)state;
    nodes_of[SUPER] = nodes_new(NULL, "");
    nodes_of[HOST_A] = nodes_new("xylem_test_a", "");
    nodes_of[HOST_B] = nodes_new("xylem_test_b", "");
    super = sql_new(SUPER);
    login("xylem_test_a", "test a");
    login("xylem_test_b", "test b");
    engine_a = engine_new(nodes_of[HOST_A]);
    other_a = engine_new(nodes_of[HOST_A]);
    engine_b = engine_new(nodes_of[HOST_B]);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    struct fleet_engine *const engines[] = {engine_a, other_a, engine_b};
    for (int i = 0; i < 3; i++) {
        if (engines[i]) {
            engines[i]->free(engines[i]);
        }
    }
    fleet_sql_close(super);
    for (int i = 0; i < 3; i++) {
        fleet_nodes_free(nodes_of[i]);
    }
    return 0;
}

TEST_FILE(set_up, tear_down)

/* --- Requests ----------------------------------------------------------------------------------------------------------- */

static void submit(struct fleet_engine *engine, uint64_t number, const struct fleet_request *request)
{
    if (engine->submit(engine, number, request, &err) < 0) {
        fail_msg("%s", err.text);
    }
}

/* Waits for an answer; false: none within the time. */
static bool wait_for(struct fleet_engine *engine, int ms)
{
    struct pollfd events = {.fd = engine->fd(engine), .events = POLLIN};
    int64_t end = xylem_base__steady_ms() + ms;
    int found;
    while ((found = engine->poll(engine, &answer, &err)) == 0 && xylem_base__steady_ms() < end) {
        (void)poll(&events, 1, (int)(end - xylem_base__steady_ms()));
    }
    assert_true(found >= 0);
    return found == 1;
}

static enum fleet_outcome ask(struct fleet_engine *engine, const struct fleet_request *request)
{
    submit(engine, 7, request);
    assert_true(wait_for(engine, 10000));
    assert_int_equal(answer.number, 7);
    assert_int_equal(answer.ask, request->ask);
    assert_true(answer.outcome == FLEET_DONE || answer.text[0] != '\0');
    return answer.outcome;
}

static char id_text[64];

/* An id that no test had before. */
static struct xylem_view new_id(void)
{
    uint64_t chance;
    assert_int_equal(xylem_base__random(&chance, sizeof chance, &err), XYLEM_OK);
    (void)snprintf(id_text, sizeof id_text, "t%016llx", (unsigned long long)chance);
    return xylem_view_of(id_text);
}

static struct fleet_request request_of(enum fleet_ask ask_for, struct xylem_view id, uint64_t epoch)
{
    struct fleet_request request = {.ask = ask_for, .session = id, .epoch = epoch, .limit = 100};
    memcpy(request.owner, ours, sizeof ours);
    return request;
}

static enum fleet_outcome claim(struct fleet_engine *engine, struct xylem_view id, uint64_t epoch,
                                const unsigned char *token, bool make)
{
    struct fleet_request request = request_of(FLEET_CLAIM, id, epoch);
    memcpy(request.owner, token, sizeof request.owner);
    request.host = xylem_view_of("h\xc3\xb6st");
    request.make = make;
    return ask(engine, &request);
}

static struct fleet_request append_of(struct xylem_view id, uint64_t from, struct xylem_view body)
{
    struct fleet_request request = request_of(FLEET_APPEND, id, 1);
    request.from = from;
    request.to = from + 2;
    request.before = from == 1 ? 0 : UINT64_MAX - from; /* a chain needs all 64 bits */
    request.after = UINT64_MAX - request.to;
    request.body = body;
    return request;
}

static void must_append(struct xylem_view id, uint64_t from, struct xylem_view body)
{
    struct fleet_request request = append_of(id, from, body);
    if (ask(engine_a, &request) != FLEET_DONE) {
        fail_msg("%s", answer.text);
    }
}

/* A session of the group `a` that is ours, with the epoch 1. */
static struct xylem_view new_session(void)
{
    struct xylem_view id = new_id();
    assert_int_equal(claim(engine_a, id, 0, ours, true), FLEET_DONE);
    return id;
}

static const struct fleet_row *row_of(struct xylem_view id)
{
    struct fleet_request request = request_of(FLEET_ROW, id, 0);
    assert_int_equal(ask(engine_a, &request), FLEET_DONE);
    assert_int_equal(answer.row_count, 1);
    return answer.rows;
}

static enum fleet_outcome read_from(struct xylem_view id, uint64_t from, uint32_t limit)
{
    struct fleet_request request = request_of(FLEET_READ, id, 0);
    request.from = from;
    request.limit = limit;
    return ask(engine_a, &request);
}

static void assert_view(struct xylem_view found, const char *wanted)
{
    assert_int_equal(found.bytes, strlen(wanted));
    assert_memory_equal(found.data, wanted, found.bytes);
}

/* Bytes that do not compress, in memory of the caller. */
static struct xylem_buffer noise(size_t bytes, uint64_t seed)
{
    struct xylem_buffer out = {NULL, 0, 0};
    uint64_t state = seed * 2685821657736338717u + 1;
    assert_int_equal(xylem_base__buffer_reserve(&out, bytes), XYLEM_OK);
    for (; out.bytes < bytes; out.bytes++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        out.data[out.bytes] = (char)state;
    }
    return out;
}

/* A statement about the session of the last new_id(); %s is its id. */
static const char *cell_of_id(const char *format)
{
    char text[512];
    char where[128];
    (void)snprintf(where, sizeof where, "convert_to('%s', 'UTF8')", id_text);
    const char *at = strstr(format, "%s");
    (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(at - format), format, where, at + 2);
    return cell(super, text);
}

/* --- The URL -------------------------------------------------------------------------------------------------------------- */

static void assert_url_refused(const char *url, const char *says)
{
    struct fleet_nodes *nodes;
    assert_int_equal(fleet_nodes_new(&nodes, url, &err), XYLEM_E_ARGUMENT);
    assert_null(nodes);
    assert_non_null(strstr(err.text, says));
    assert_null(strstr(err.text, "geheim"));
}

TEST(a_url_without_hosts_or_with_a_password_is_refused_and_the_password_is_not_said)
{
    assert_url_refused("postgresql://u:geheim@n1/x", ".pgpass");
    assert_url_refused("postgresql://u@n1/x?password=geheim", ".pgpass");
    assert_url_refused("postgresql://u:geheim@n1/x?nothing=1", "libpq");
    assert_url_refused("host=n1", "URL");
    assert_url_refused("postgresql:///x", "hosts");
    assert_url_refused("postgresql://n1,,n3/x", "host");
    assert_url_refused("postgresql://n1:1,n2:2/x?hostaddr=1.1.1.1", "hostaddr");
    assert_url_refused("postgresql://a,b,c,d,e,f,g,h,i,j/x", "at most 9");
}

TEST(a_url_names_each_node)
{
    struct fleet_nodes *nodes;
    assert_int_equal(fleet_nodes_new(&nodes, "postgresql://u@n1,[::1]:7,n3:5433/x", &err), XYLEM_OK);
    assert_int_equal(fleet_nodes_count(nodes), 3);
    assert_string_equal(fleet_nodes_name(nodes, 0), "n1:5432");
    assert_string_equal(fleet_nodes_host(nodes, 1), "::1");
    assert_string_equal(fleet_nodes_port(nodes, 2), "5433");
    fleet_nodes_free(nodes);
}

TEST(a_connection_without_tls_is_refused_unless_the_url_allows_it)
{
    struct fleet_nodes *nodes;
    struct fleet_sql *sql;
    char url[512];
    char *known = getenv("PGSSLROOTCERT") ? strdup(getenv("PGSSLROOTCERT")) : NULL;
    unsetenv("PGSSLROOTCERT");
    (void)snprintf(url, sizeof url, "postgresql://xylem_test_a@%s:%s/postgres", fleet_nodes_host(nodes_of[SUPER], 0),
                   fleet_nodes_port(nodes_of[SUPER], 0));
    assert_int_equal(fleet_nodes_new(&nodes, url, &err), XYLEM_OK);
    assert_int_equal(fleet_sql_open(&sql, nodes, 0, &err), XYLEM_E_IO); /* the server has no TLS, or no known name */
    assert_null(sql);
    fleet_nodes_free(nodes);
    if (known) {
        setenv("PGSSLROOTCERT", known, 1);
    }
    free(known);
}

/* --- Opening ---------------------------------------------------------------------------------------------------------------- */

static int open_code(const char *user, const char *database, bool allow_single)
{
    const struct fleet_postgres_options options = {.allow_single = allow_single};
    struct fleet_nodes *nodes = nodes_new(user, database);
    struct fleet_engine *engine;
    int code = fleet_engine_postgres(&engine, nodes, &options, &err);
    if (code == XYLEM_OK) {
        engine->free(engine);
    }
    fleet_nodes_free(nodes);
    return code;
}

TEST(a_database_without_the_schema_is_named)
{
    assert_int_equal(open_code("xylem_test_a", "/postgres", true), XYLEM_E_NOT_FOUND);
    assert_non_null(strstr(err.text, "fleet init"));
}

TEST(a_cluster_that_acknowledges_on_one_node_is_refused_unless_that_is_meant)
{
    bool is_single = *cell(super, "SELECT current_setting('synchronous_standby_names')") == '\0';
    assert_int_equal(open_code("xylem_test_a", "", true), XYLEM_OK);
    assert_int_equal(open_code("xylem_test_a", "", false), is_single ? XYLEM_E_CONFLICT : XYLEM_OK);
}

TEST(a_login_without_a_role_or_a_group_is_told_what_to_ask_for)
{
    login("xylem_test_c", "test a");
    run(super, "REVOKE xylem_host FROM xylem_test_c; SELECT xylem.member_remove('xylem_test_c')");
    assert_int_equal(open_code("xylem_test_c", "", true), XYLEM_E_CONFLICT);
    assert_non_null(strstr(err.text, "xylem_host"));
    run(super, "GRANT xylem_host TO xylem_test_c");
    assert_int_equal(open_code("xylem_test_c", "", true), XYLEM_E_CONFLICT);
    assert_non_null(strstr(err.text, "member_set"));
}

TEST(a_newer_schema_is_refused)
{
    run(super, "UPDATE xylem.fleet SET version = 2");
    assert_int_equal(open_code("xylem_test_a", "", true), XYLEM_E_TOO_NEW);
    run(super, "UPDATE xylem.fleet SET version = 1");
}

TEST(a_node_that_does_not_answer_is_passed_by_and_named_if_it_is_the_only_one)
{
    char url[512];
    const char *options = strchr(getenv("FLEET_TEST_URL"), '?');
    struct fleet_nodes *nodes;
    struct fleet_sql *sql;
    size_t at;
    assert_int_equal(fleet_sql_open_writable(&sql, nodes_of[SUPER], &at, &err), XYLEM_OK);
    fleet_sql_close(sql);
    (void)snprintf(url, sizeof url, "postgresql://xylem_test_a@127.0.0.1:1,%s:%s/postgres%s",
                   fleet_nodes_host(nodes_of[SUPER], at), fleet_nodes_port(nodes_of[SUPER], at),
                   options ? options : "");
    assert_int_equal(fleet_nodes_new(&nodes, url, &err), XYLEM_OK);
    assert_int_equal(fleet_sql_open_writable(&sql, nodes, &at, &err), XYLEM_OK);
    assert_int_equal(at, 1);
    fleet_sql_close(sql);
    fleet_nodes_free(nodes);
    assert_int_equal(fleet_nodes_new(&nodes, "postgresql://u@127.0.0.1:1/x", &err), XYLEM_OK);
    assert_int_equal(fleet_sql_open_writable(&sql, nodes, &at, &err), XYLEM_E_IO);
    assert_non_null(strstr(err.text, "127.0.0.1:1: "));
    fleet_nodes_free(nodes);
}

/* --- Claims ------------------------------------------------------------------------------------------------------------------ */

TEST(a_claim_said_twice_is_said_once)
{
    struct xylem_view id = new_session();
    assert_int_equal(answer.rows[0].epoch, 1);
    assert_int_equal(answer.rows[0].next, 1);
    assert_int_equal(claim(engine_a, id, 0, ours, true), FLEET_DONE);
    assert_int_equal(answer.rows[0].epoch, 1);
    assert_true(answer.rows[0].mine);
    assert_view(answer.rows[0].host, "h\xc3\xb6st");
    assert_view(answer.rows[0].id, id_text);
    assert_null(answer.rows[0].about.data);
    assert_int_equal(claim(engine_a, id, 1, theirs, false), FLEET_DONE);
    assert_int_equal(answer.rows[0].epoch, 2);
    assert_int_equal(claim(engine_a, id, 0, ours, true), FLEET_NO);
    assert_int_equal(answer.row_count, 0);
}

TEST(a_missing_session_is_made_only_if_asked_and_behind_the_epoch_that_was_seen)
{
    struct xylem_view id = new_id();
    assert_int_equal(claim(engine_a, id, 4, ours, false), FLEET_NO);
    assert_int_equal(claim(engine_a, id, 4, ours, true), FLEET_DONE);
    assert_int_equal(answer.rows[0].epoch, 5);
}

TEST(of_two_claimers_one_wins)
{
    struct fleet_engine *const engines[] = {engine_a, other_a};
    struct xylem_view id = new_session();
    for (uint64_t epoch = 1; epoch <= 200; epoch++) {
        int won = 0;
        for (int i = 0; i < 2; i++) {
            struct fleet_request request = request_of(FLEET_CLAIM, id, epoch);
            request.owner[0] = (unsigned char)i;
            request.owner[1] = (unsigned char)epoch;
            submit(engines[i], 1, &request);
        }
        for (int i = 0; i < 2; i++) {
            assert_true(wait_for(engines[i], 10000));
            assert_true(answer.outcome == FLEET_DONE || answer.outcome == FLEET_NO);
            won += answer.outcome == FLEET_DONE;
        }
        assert_int_equal(won, 1);
    }
}

/* --- Appends ------------------------------------------------------------------------------------------------------------------ */

TEST(an_append_with_another_epoch_owner_ordinal_or_chain_writes_nothing)
{
    struct xylem_view id = new_session();
    must_append(id, 1, xylem_view_of("one"));
    for (int i = 0; i < 8; i++) {
        struct fleet_request request = append_of(id, 3, xylem_view_of("two"));
        request.epoch += i == 0 ? 1 : 0;
        request.epoch -= i == 1 ? 1 : 0;
        request.owner[15] ^= i == 2;
        request.from += i == 3;
        request.from -= i == 4;
        request.before += i == 5;
        request.to = i == 6 ? request.from : request.to;
        request.session = i == 7 ? xylem_view_of("missing") : request.session;
        request.about = xylem_view_of("{}");
        assert_int_equal(ask(engine_a, &request), FLEET_NO);
        assert_int_equal(row_of(id)->next, 3);
        assert_int_equal(answer.rows[0].chain, UINT64_MAX - 3);
        assert_null(answer.rows[0].about.data);
        assert_int_equal(read_from(id, 1, 10), FLEET_DONE);
        assert_int_equal(answer.piece_count, 1);
    }
    must_append(id, 3, xylem_view_of("two"));
    assert_int_equal(row_of(id)->next, 5);
}

TEST(what_lists_show_and_the_head_stay_until_an_append_has_others)
{
    struct xylem_view id = new_session();
    struct fleet_request request = append_of(id, 1, xylem_view_of("one"));
    request.about = xylem_view_of("{\"name\":\"\xff\"}");
    request.head = xylem_view_of("{\"head\":1}");
    assert_int_equal(ask(engine_a, &request), FLEET_DONE);
    request = append_of(id, 3, xylem_view_of("two"));
    request.head = xylem_view_of("{\"head\":2}");
    assert_int_equal(ask(engine_a, &request), FLEET_DONE);
    must_append(id, 5, xylem_view_of("three"));
    assert_view(row_of(id)->about, "{\"name\":\"\xff\"}");
    assert_view(answer.rows[0].head, "{\"head\":2}");
    assert_true(answer.rows[0].bytes > 0);
    assert_true(answer.rows[0].silent_ms < 60000);
}

TEST(a_member_beyond_its_limit_is_refused_before_it_is_sent)
{
    struct xylem_view id = new_id();
    struct xylem_buffer large = noise(65537, 1);
    struct fleet_request request = append_of(id, 1, xylem_view_of("one"));
    request.head = xylem_base__buffer_view(&large);
    assert_int_equal(engine_a->submit(engine_a, 1, &request, &err), XYLEM_E_LIMIT);
    request = append_of(id, 1, xylem_view_of("one"));
    request.about = (struct xylem_view){large.data, FLEET_ABOUT_BYTES_MAX + 1};
    assert_int_equal(engine_a->submit(engine_a, 1, &request, &err), XYLEM_E_LIMIT);
    request = append_of((struct xylem_view){large.data, 201}, 1, xylem_view_of("one"));
    assert_int_equal(engine_a->submit(engine_a, 1, &request, &err), XYLEM_E_LIMIT);
    request = append_of((struct xylem_view){"", 0}, 1, xylem_view_of("one"));
    assert_int_equal(engine_a->submit(engine_a, 1, &request, &err), XYLEM_E_LIMIT);
    request = append_of(id, 1, xylem_view_of("one"));
    request.to = (uint64_t)FLEET_ORDINAL_MAX + 1;
    assert_int_equal(engine_a->submit(engine_a, 1, &request, &err), XYLEM_E_LIMIT);
    request = request_of(FLEET_CLAIM, id, 0);
    request.host = (struct xylem_view){large.data, FLEET_HOST_BYTES_MAX + 1};
    assert_int_equal(engine_a->submit(engine_a, 1, &request, &err), XYLEM_E_LIMIT);
    xylem_buffer_release(&large);
}

TEST(ids_may_be_any_bytes)
{
    struct xylem_view id = {"\x00\xff'\\ \xed\xa0\x80", 8};
    struct fleet_request request = request_of(FLEET_ROW, id, 0);
    (void)claim(engine_a, id, 0, ours, true);
    assert_int_equal(ask(engine_a, &request), FLEET_DONE);
    assert_int_equal(answer.rows[0].id.bytes, 8);
    assert_memory_equal(answer.rows[0].id.data, id.data, 8);
}

/* --- Commits -------------------------------------------------------------------------------------------------------------------- */

/* Calls a function in a transaction, and gives the setting that its COMMIT has. */
static void assert_commits_on(struct fleet_sql *sql, const char *call)
{
    char text[512];
    (void)snprintf(text, sizeof text, "SELECT count(*) FROM xylem.%s", call);
    run(sql, "SET synchronous_commit = off");
    run(sql, "BEGIN");
    run(sql, text);
    assert_string_equal(cell(sql, "SHOW synchronous_commit"), "on");
    run(sql, "ROLLBACK");
    assert_string_equal(cell(sql, "SHOW synchronous_commit"), "off");
}

TEST(a_session_without_synchronous_commit_commits_with_it_behind_each_function_that_writes)
{
    struct fleet_sql *sql = sql_new(HOST_A);
    assert_commits_on(sql, "claim('x', 0, '0123456789abcdef', 'h', true)");
    assert_commits_on(sql, "append('x', 1, '0123456789abcdef', 1, 2, 0, 0, 'b', 0, 0, NULL, NULL)");
    assert_commits_on(sql, "chunk('x', 1, '0123456789abcdef', -1, 1, 0, 1, 'b')");
    assert_commits_on(sql, "look('x', '0123456789abcdef')");
    assert_commits_on(sql, "rewrite('x', 1, '0123456789abcdef', 0, 1, 2, 'b', 0, 0, NULL, NULL)");
    assert_commits_on(sql, "free('x', 1, '0123456789abcdef', '', 0, 0, NULL)");
    assert_commits_on(sql, "release('x', 1, '0123456789abcdef')");
    assert_commits_on(super, "member_set('nobody', 'nothing')");
    assert_commits_on(super, "member_remove('nobody')");
    run(super, "SET synchronous_commit = on");
    fleet_sql_close(sql);
}

TEST(a_look_writes)
{
    struct fleet_sql *sql = sql_new(HOST_A);
    char text[128];
    (void)new_session();
    (void)snprintf(text, sizeof text, "SELECT count(*) FROM xylem.look('%s', '0123456789abcdef')", id_text);
    run(sql, "BEGIN");
    assert_string_equal(cell(sql, "SELECT pg_current_xact_id_if_assigned()"), "");
    assert_string_equal(cell(sql, text), "1");
    assert_string_not_equal(cell(sql, "SELECT pg_current_xact_id_if_assigned()"), "");
    run(sql, "COMMIT");
    fleet_sql_close(sql);
}

TEST(a_look_shows_the_row_to_its_owner_and_to_others)
{
    struct xylem_view id = new_session();
    struct fleet_request request = request_of(FLEET_LOOK, id, 0);
    must_append(id, 1, xylem_view_of("one"));
    assert_int_equal(ask(engine_a, &request), FLEET_DONE);
    assert_true(answer.rows[0].mine);
    assert_int_equal(answer.rows[0].next, 3);
    memcpy(request.owner, theirs, sizeof theirs);
    assert_int_equal(ask(engine_a, &request), FLEET_DONE);
    assert_false(answer.rows[0].mine);
    request.session = xylem_view_of("missing");
    assert_int_equal(ask(engine_a, &request), FLEET_NO);
}

TEST(a_warning_at_the_commit_is_an_unknown_outcome)
{
    struct xylem_view id = new_session();
    run(super, "CREATE FUNCTION pg_temp.warn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
               "RAISE WARNING 'has already committed locally'; RETURN NULL; END $$;"
               "CREATE CONSTRAINT TRIGGER warn AFTER UPDATE ON xylem.sessions DEFERRABLE INITIALLY DEFERRED "
               "FOR EACH ROW EXECUTE FUNCTION pg_temp.warn()");
    struct fleet_request request = append_of(id, 1, xylem_view_of("one"));
    assert_int_equal(ask(engine_a, &request), FLEET_UNKNOWN);
    assert_non_null(strstr(answer.text, "has already committed locally"));
    char text[128];
    (void)snprintf(text, sizeof text, "UPDATE xylem.sessions SET epoch = epoch WHERE id = '%s'", id_text);
    assert_int_equal(fleet_sql_run(super, NULL, text, NULL, 0, SQL_MS, &err), XYLEM_E_OUTCOME_UNKNOWN);
    run(super, "DROP TRIGGER warn ON xylem.sessions");
    assert_int_equal(row_of(id)->next, 3); /* the engine goes on */
}

/* Another transaction has the session's row. */
static void hold_row(void)
{
    char text[128];
    run(super, "BEGIN");
    (void)snprintf(text, sizeof text, "SELECT FROM xylem.sessions WHERE id = '%s' FOR UPDATE", id_text);
    run(super, text);
}

TEST(a_dropped_request_that_writes_is_unknown_and_is_not_cancelled_at_the_server)
{
    struct xylem_view id = new_session();
    struct fleet_request request = append_of(id, 1, xylem_view_of("one"));
    hold_row();
    submit(engine_a, 5, &request);
    assert_false(wait_for(engine_a, 300));
    engine_a->drop(engine_a, 5);
    assert_true(wait_for(engine_a, 0));
    assert_int_equal(answer.number, 5);
    assert_int_equal(answer.outcome, FLEET_UNKNOWN);
    run(super, "COMMIT");
    request = request_of(FLEET_LOOK, id, 1); /* waits for the append at the server */
    do {
        assert_int_equal(ask(engine_a, &request), FLEET_DONE);
    } while (answer.rows[0].next == 1);
    assert_int_equal(answer.rows[0].next, 3);
}

static void end_backends(void)
{
    run(super, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'xylem_test_a'");
}

TEST(a_request_whose_connection_is_lost_is_unknown)
{
    struct xylem_view id = new_session();
    struct fleet_request request = append_of(id, 1, xylem_view_of("one"));
    hold_row();
    submit(engine_a, 5, &request);
    assert_false(wait_for(engine_a, 300));
    end_backends();
    assert_true(wait_for(engine_a, 5000));
    assert_int_equal(answer.outcome, FLEET_UNKNOWN);
    run(super, "COMMIT");
    assert_int_equal(row_of(id)->next, 1);
}

TEST(an_idle_connection_that_is_lost_is_made_again)
{
    struct xylem_view id = new_session();
    end_backends();
    for (int i = 0;
         i < 100 && *cell(super, "SELECT count(*) FROM pg_stat_activity WHERE usename = 'xylem_test_a'") != '0'; i++) {
        (void)poll(NULL, 0, 20);
    }
    must_append(id, 1, xylem_view_of("one"));
    assert_int_equal(row_of(id)->next, 3);
}

TEST(a_request_that_met_another_may_be_said_again)
{
    struct xylem_view id = new_session();
    struct fleet_request request = append_of(id, 1, xylem_view_of("one"));
    run(super, "ALTER ROLE xylem_test_a SET default_transaction_isolation = serializable");
    struct fleet_engine *strict = engine_new(nodes_of[HOST_A]);
    hold_row();
    run(super, "UPDATE xylem.sessions SET heard = now()");
    submit(strict, 5, &request);
    assert_false(wait_for(strict, 300));
    run(super, "COMMIT");
    assert_true(wait_for(strict, 5000));
    assert_int_equal(answer.outcome, FLEET_RETRY);
    assert_int_equal(ask(strict, &request), FLEET_DONE);
    strict->free(strict);
    run(super, "ALTER ROLE xylem_test_a RESET default_transaction_isolation");
}

TEST(more_requests_than_connections_are_refused_as_busy)
{
    struct xylem_view id = new_session();
    struct fleet_request request = request_of(FLEET_ROW, id, 0);
    submit(engine_a, 1, &request);
    submit(engine_a, 2, &request);
    assert_int_equal(engine_a->submit(engine_a, 3, &request, &err), XYLEM_E_BUSY);
    uint64_t sum = 0;
    for (int i = 0; i < 2; i++) {
        assert_true(wait_for(engine_a, 5000));
        assert_int_equal(answer.outcome, FLEET_DONE);
        sum += answer.number;
    }
    assert_int_equal(sum, 3);
}

/* --- Who may what --------------------------------------------------------------------------------------------------------------- */

TEST(a_host_of_another_group_reads_and_writes_nothing)
{
    struct xylem_view id = new_session();
    must_append(id, 1, xylem_view_of("one"));
    for (int i = 0; i < FLEET_ASK_COUNT; i++) {
        struct fleet_request request = append_of(id, 3, xylem_view_of("two"));
        request.ask = (enum fleet_ask)i;
        request.limit = 1000;
        request.make = true;
        if (i == FLEET_REWRITE) {
            request.from = 1;
            request.to = 3;
        }
        if (i != FLEET_LIST) {
            assert_int_equal(ask(engine_b, &request), FLEET_NO);
        } else {
            assert_int_equal(ask(engine_b, &request), FLEET_DONE);
        }
        assert_int_equal(answer.row_count, 0);
    }
    assert_int_equal(row_of(id)->epoch, 1);
    assert_int_equal(answer.rows[0].next, 3);
    assert_int_equal(answer.rows[0].generation, 0);
    assert_false(answer.rows[0].freed);
}

TEST(a_temporary_table_does_not_reach_into_the_functions)
{
    struct fleet_sql *sql = sql_new(HOST_B);
    char text[160];
    must_append(new_session(), 1, xylem_view_of("one"));
    (void)snprintf(text, sizeof text, "SELECT count(*) FROM xylem.read('%s', 0, 10, 1000)", id_text);
    assert_string_equal(cell(sql, text), "0");
    run(sql, "CREATE TEMPORARY TABLE members (login name, grp text)");
    run(sql, "INSERT INTO members VALUES (session_user, 'test a')");
    run(sql, "SET search_path = pg_temp, xylem, public");
    (void)snprintf(text, sizeof text, "SELECT count(*) FROM xylem.\"row\"('%s', '', true)", id_text);
    assert_string_equal(cell(sql, text), "0");
    (void)snprintf(text, sizeof text, "SELECT count(*) FROM xylem.claim('%s', 1, '0123456789abcdef', '', false)",
                   id_text);
    assert_string_equal(cell(sql, text), "0");
    assert_string_equal(cell(sql, "SELECT count(*) FROM xylem.list('', NULL, 1000)"), "0");
    fleet_sql_close(sql);
}

TEST(tables_roles_and_what_is_inside_are_closed)
{
    static const char *const forbidden[] = {
        "SELECT * FROM xylem.sessions",
        "SELECT * FROM xylem.segments_7",
        "UPDATE xylem.sessions SET epoch = 0",
        "DELETE FROM xylem.members",
        "SET ROLE xylem_owner",
        "CREATE TABLE xylem.mine (x int)",
        "CREATE FUNCTION xylem.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "SELECT xylem.member_set(session_user::name, 'test b')",
        "SELECT xylem.member_list()",
        "SELECT xylem.sweep('x')",
        "SELECT xylem.note('x')",
        "SELECT xylem.show(NULL, 'x', true)",
    };
    struct fleet_sql *sql = sql_new(HOST_A);
    for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++) {
        assert_forbidden(sql, forbidden[i]);
    }
    fleet_sql_close(sql);
    assert_string_equal(cell(super,
                             "SELECT count(*) FROM pg_proc p, pg_namespace n WHERE p.pronamespace = n.oid AND "
                             "nspname = 'xylem' AND (NOT prosecdef OR proowner <> 'xylem_owner'::regrole OR "
                             "proconfig[1] !~ '^search_path=(xylem|pg_catalog), pg_temp$' OR has_function_privilege("
                             "'public', p.oid, 'EXECUTE'))"),
                        "0");
}

TEST(a_part_that_is_too_large_is_refused_without_its_bytes)
{
    struct fleet_sql *sql = sql_new(HOST_A);
    char text[256];
    (void)new_session();
    (void)snprintf(
        text, sizeof text,
        "SELECT xylem.append('%s', 1, 'token of a host', 1, 2, 0, 0, convert_to(repeat('secret', 200000), 'UTF8'), "
        "0, 0, NULL, NULL)",
        id_text);
    assert_int_equal(fleet_sql_run(sql, NULL, text, NULL, 0, SQL_MS, &err), XYLEM_E_CONFLICT);
    assert_null(strstr(err.text, "secret"));
    assert_non_null(strstr(err.text, "at most 1048576 bytes"));
    fleet_sql_close(sql);
}

/* --- Segments -------------------------------------------------------------------------------------------------------------------- */

TEST(segments_are_read_by_their_ordinals)
{
    struct xylem_view id = new_session();
    for (uint64_t from = 1; from < 11; from += 2) {
        char text[16];
        (void)snprintf(text, sizeof text, "body %d", (int)from);
        must_append(id, from, xylem_view_of(text));
    }
    assert_int_equal(read_from(id, 1, 100), FLEET_DONE);
    assert_int_equal(answer.piece_count, 5);
    assert_int_equal(answer.row_count, 1);
    assert_int_equal(answer.rows[0].next, 11);
    assert_view(answer.pieces[4].body, "body 9");
    assert_int_equal(answer.pieces[4].chain, UINT64_MAX - 11);
    assert_int_equal(read_from(id, 4, 2), FLEET_DONE); /* amid a segment */
    assert_int_equal(answer.piece_count, 2);
    assert_int_equal(answer.pieces[0].from, 3);
    assert_int_equal(answer.pieces[1].to, 7);
    assert_view(answer.pieces[1].body, "body 5");
    assert_int_equal(read_from(id, 11, 10), FLEET_DONE);
    assert_int_equal(answer.piece_count, 0);
    assert_int_equal(answer.row_count, 1);
    assert_int_equal(read_from(xylem_view_of("missing"), 1, 10), FLEET_NO);
}

TEST(an_answer_has_about_eight_mebibytes)
{
    struct xylem_view id = new_session();
    struct xylem_buffer body = noise(1000000, 3);
    for (uint64_t from = 1; from < 25; from += 2) {
        must_append(id, from, xylem_base__buffer_view(&body));
    }
    assert_int_equal(read_from(id, 1, 100), FLEET_DONE);
    assert_int_equal(answer.piece_count, 8);
    assert_int_equal(read_from(id, answer.pieces[7].to, 100), FLEET_DONE);
    assert_int_equal(answer.piece_count, 4);
    xylem_buffer_release(&body);
}

static void assert_one_piece(struct xylem_view id, const struct xylem_buffer *body)
{
    assert_int_equal(read_from(id, 1, 1), FLEET_DONE);
    assert_int_equal(answer.piece_count, 1);
    assert_int_equal(answer.pieces[0].body.bytes, body->bytes);
    assert_memory_equal(answer.pieces[0].body.data, body->data, body->bytes);
}

TEST(a_large_segment_comes_back_from_its_chunks)
{
    struct xylem_view id = new_session();
    struct xylem_buffer body = noise(3 * MIB, 5);
    must_append(id, 1, xylem_base__buffer_view(&body));
    must_append(id, 3, xylem_view_of("small"));
    assert_one_piece(id, &body);
    assert_int_equal(read_from(id, 1, 10), FLEET_DONE);
    assert_int_equal(answer.piece_count, 2);
    assert_view(answer.pieces[1].body, "small");
    assert_true(answer.rows[0].bytes > 3 * MIB && answer.rows[0].bytes < 3 * MIB + 10000);
    assert_string_equal(cell_of_id("SELECT count(*) FROM xylem.chunks WHERE session = %s"), "3");
    struct xylem_buffer other = noise(3 * MIB, 7);
    struct fleet_request late = append_of(id, 1, xylem_base__buffer_view(&other));
    assert_int_equal(ask(engine_a, &late), FLEET_NO); /* and its chunks are not taken either */
    late = append_of(id, 1, xylem_base__buffer_view(&other));
    late.ask = FLEET_REWRITE;
    late.generation = 1;
    assert_int_equal(ask(engine_a, &late), FLEET_NO);
    assert_string_equal(cell_of_id("SELECT count(*) FROM xylem.chunks WHERE session = %s"), "3");
    xylem_buffer_release(&other);
    xylem_buffer_release(&body);
}

TEST(chunks_that_stayed_without_their_segment_go_with_the_next_append)
{
    struct xylem_view id = new_session();
    struct xylem_buffer body = noise(3 * MIB, 6);
    struct fleet_request request = append_of(id, 1, xylem_base__buffer_view(&body));
    request.before = 99; /* the chunks are taken, and the append is not */
    assert_int_equal(ask(engine_a, &request), FLEET_NO);
    assert_string_equal(cell_of_id("SELECT count(*) FROM xylem.chunks WHERE session = %s"), "3");
    must_append(id, 1, xylem_view_of("small"));
    assert_string_equal(cell_of_id("SELECT count(*) FROM xylem.chunks WHERE session = %s"), "0");
    xylem_buffer_release(&body);
}

TEST(an_append_without_one_of_its_chunks_writes_nothing)
{
    struct fleet_sql *sql = sql_new(HOST_A);
    char text[256];
    (void)new_session();
    (void)snprintf(text, sizeof text,
                   "SELECT xylem.append('%s', 1, decode('%s', 'hex'), 1, 2, 0, 0, 'b', 2, 7, NULL, NULL)", id_text,
                   "746f6b656e206f66206120686f737400");
    assert_string_equal(cell(sql, text), "f");
    fleet_sql_close(sql);
    assert_string_equal(cell_of_id("SELECT next_ord FROM xylem.sessions WHERE id = %s"), "1");
}

TEST(a_damaged_frame_is_a_piece_without_bytes)
{
    struct xylem_view id = new_session();
    must_append(id, 1, xylem_view_of("one"));
    must_append(id, 3, xylem_view_of("two"));
    char text[160];
    (void)snprintf(text, sizeof text, "UPDATE xylem.segments SET body = 'rubbish' WHERE session = '%s' AND ord = 1",
                   id_text);
    run(super, text);
    assert_int_equal(read_from(id, 1, 10), FLEET_DONE);
    assert_int_equal(answer.piece_count, 2);
    assert_int_equal(answer.pieces[0].body.bytes, 0);
    assert_view(answer.pieces[1].body, "two");
}

static const char *part_times(void)
{
    return cell_of_id(
        "SELECT coalesce(sum(times), 0) FROM xylem.rewritten w, (SELECT substring(relname FROM '[0-9]+$')::int n "
        "FROM pg_class, xylem.segments g WHERE pg_class.oid = g.tableoid AND g.session = %s LIMIT 1) p "
        "WHERE w.part = p.n");
}

static struct fleet_request rewrite_of(struct xylem_view id, uint64_t generation, struct xylem_view body)
{
    struct fleet_request request = append_of(id, 1, body);
    request.ask = FLEET_REWRITE;
    request.generation = generation;
    return request;
}

TEST(a_rewrite_changes_the_body_and_notes_the_partition)
{
    struct xylem_view id = new_session();
    must_append(id, 1, xylem_view_of("a text to take out"));
    must_append(id, 3, xylem_view_of("another"));
    assert_null(row_of(id)->head.data);
    long before = atol(part_times());
    struct fleet_request request = rewrite_of(id, 0, xylem_view_of("less"));
    request.about = xylem_view_of("{\"less\":1}");
    request.head = xylem_view_of("{\"head\":1}");
    assert_int_equal(ask(engine_a, &request), FLEET_DONE);
    assert_view(row_of(id)->about, "{\"less\":1}");
    assert_view(answer.rows[0].head, "{\"head\":1}");
    assert_int_equal(atol(part_times()), before + 1);
    assert_int_equal(read_from(id, 1, 10), FLEET_DONE);
    assert_view(answer.pieces[0].body, "less");
    assert_int_equal(answer.pieces[0].generation, 1);
    assert_int_equal(answer.pieces[0].chain, UINT64_MAX - 3);
    assert_int_equal(answer.pieces[1].generation, 0);
    assert_int_equal(answer.rows[0].generation, 1);
    assert_int_equal(ask(engine_a, &request), FLEET_NO); /* late */
    request = rewrite_of(id, 1, xylem_view_of("no"));
    request.to = 4;
    assert_int_equal(ask(engine_a, &request), FLEET_NO);
    memcpy(request.owner, theirs, sizeof theirs);
    request.to = 3;
    assert_int_equal(ask(engine_a, &request), FLEET_NO);
    assert_int_equal(row_of(id)->generation, 1);
}

TEST(a_rewrite_of_a_large_segment_leaves_no_chunk_of_the_text_before)
{
    struct xylem_view id = new_session();
    struct xylem_buffer body = noise(3 * MIB, 8);
    struct xylem_buffer less = noise(2 * MIB, 9);
    must_append(id, 1, xylem_base__buffer_view(&body));
    struct fleet_request request = rewrite_of(id, 0, xylem_base__buffer_view(&less));
    assert_int_equal(ask(engine_a, &request), FLEET_DONE);
    assert_one_piece(id, &less);
    assert_true(answer.rows[0].bytes > 2 * MIB && answer.rows[0].bytes < 2 * MIB + 10000);
    assert_string_equal(cell_of_id("SELECT count(*) FROM xylem.chunks WHERE session = %s"), "2");
    request = rewrite_of(id, 1, xylem_view_of("small"));
    assert_int_equal(ask(engine_a, &request), FLEET_DONE);
    assert_string_equal(cell_of_id("SELECT count(*) FROM xylem.chunks WHERE session = %s"), "0");
    assert_true(row_of(id)->bytes < 100);
    xylem_buffer_release(&body);
    xylem_buffer_release(&less);
}

TEST(of_a_freed_session_the_remains_stay)
{
    struct xylem_view id = new_session();
    struct fleet_request request = append_of(id, 1, xylem_view_of("one"));
    request.about = xylem_view_of("{}");
    request.head = xylem_view_of("a text of an entry");
    assert_int_equal(ask(engine_a, &request), FLEET_DONE);
    long before = atol(part_times());
    request = request_of(FLEET_FREE, id, 1);
    request.body = xylem_view_of("what forks need");
    assert_int_equal(ask(engine_a, &request), FLEET_DONE);
    assert_int_equal(ask(engine_a, &request), FLEET_DONE); /* twice */
    assert_int_equal(read_from(id, 0, 10), FLEET_DONE);
    assert_true(answer.rows[0].freed);
    assert_view(answer.rows[0].about, "{}");
    assert_int_equal(answer.piece_count, 1);
    assert_int_equal(answer.pieces[0].from, 0);
    assert_int_equal(answer.pieces[0].to, 1);
    assert_view(answer.pieces[0].body, "what forks need");
    assert_int_equal(atol(part_times()), before + 2);
    assert_null(row_of(id)->head.data);
    request = append_of(id, 3, xylem_view_of("two"));
    assert_int_equal(ask(engine_a, &request), FLEET_NO);
    request = request_of(FLEET_FREE, id, 1); /* without remains */
    request.about = xylem_view_of("{\"freed\":1}");
    assert_int_equal(ask(engine_a, &request), FLEET_DONE);
    assert_int_equal(read_from(id, 0, 10), FLEET_DONE);
    assert_int_equal(answer.piece_count, 0);
    assert_view(answer.rows[0].about, "{\"freed\":1}");
}

TEST(a_released_session_has_no_owner_and_can_be_claimed)
{
    struct xylem_view id = new_session();
    struct fleet_request request = request_of(FLEET_RELEASE, id, 1);
    assert_int_equal(ask(engine_a, &request), FLEET_DONE);
    assert_true(row_of(id)->unowned);
    assert_false(answer.rows[0].mine);
    request = append_of(id, 1, xylem_view_of("one"));
    assert_int_equal(ask(engine_a, &request), FLEET_NO);
    assert_int_equal(claim(engine_a, id, 1, theirs, false), FLEET_DONE);
    assert_int_equal(answer.rows[0].epoch, 2);
    assert_false(answer.rows[0].unowned);
}

TEST(a_list_goes_on_behind_an_id)
{
    char ids[3][80];
    (void)new_id();
    for (int i = 0; i < 3; i++) {
        (void)snprintf(ids[i], sizeof ids[i], "%s-%d", id_text, i);
        assert_int_equal(claim(engine_a, xylem_view_of(ids[i]), 0, ours, true), FLEET_DONE);
    }
    struct fleet_request request = {.ask = FLEET_LIST, .limit = 2, .behind = xylem_view_of(id_text)};
    assert_int_equal(ask(engine_a, &request), FLEET_DONE);
    assert_int_equal(answer.row_count, 2);
    assert_view(answer.rows[0].id, ids[0]);
    assert_view(answer.rows[1].id, ids[1]);
    request.behind = xylem_view_of(ids[1]);
    request.limit = 1;
    assert_int_equal(ask(engine_a, &request), FLEET_DONE);
    assert_view(answer.rows[0].id, ids[2]);
    request.behind = (struct xylem_view){NULL, 0};
    assert_int_equal(ask(engine_a, &request), FLEET_DONE);
    assert_int_equal(answer.row_count, 1);
}
