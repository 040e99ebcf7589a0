#include "fleet/cluster.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"

#define ASK_MS 10000u
#define COMMIT_MS 60000u   /* a commit that waits for a standby */
#define VACUUM_MS 3600000u /* VACUUM FULL of a large partition */
#define SETTLE_MS 60000    /* a node that makes no progress for so long is given up */
#define REST_MS 600        /* replay that stands still for so long, and waits for more, has all */
#define POLL_MS 100
#define CONNINFO_MAX 4096u

extern const char fleet_init_sql[];

/* --- Asking --------------------------------------------------------------------------------------------------------- */

static int ask(struct fleet_sql *sql, struct fleet_sql_rows **rows, const char *statement, struct xylem_error *err)
{
    return fleet_sql_run(sql, rows, statement, NULL, 0, ASK_MS, err);
}

static const char *cell(const struct fleet_sql_rows *rows, size_t row, size_t column)
{
    const char *text = fleet_sql_cell(rows, row, column);
    return text ? text : "";
}

static uint64_t cell_number(const struct fleet_sql_rows *rows, size_t row, size_t column, int base)
{
    return strtoull(cell(rows, row, column), NULL, base);
}

static bool cell_is(const struct fleet_sql_rows *rows, size_t row, size_t column, const char *word)
{
    return strcmp(cell(rows, row, column), word) == 0;
}

/* True if the text fits. */
static bool copy(char *out, size_t bytes, const char *text)
{
    size_t length = strlen(text);
    (void)snprintf(out, bytes, "%s", text);
    return length < bytes;
}

__attribute__((format(printf, 3, 4))) static void tell(fleet_step *step, void *context, const char *format, ...)
{
    char line[1024];
    va_list arguments;
    if (!step) {
        return;
    }
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    step(context, line);
}

static void wait_a_little(void)
{
    struct timespec pause = {.tv_nsec = POLL_MS * 1000000L};
    (void)nanosleep(&pause, NULL);
}

/* --- Looking at one node -------------------------------------------------------------------------------------------- */

/* The settings of a standby are hidden from logins without pg_read_all_settings: no row. */
static const char node_query[] =
    "SELECT r, current_setting('fsync'), current_setting('full_page_writes'),"
    " current_setting('synchronous_standby_names'),"
    " coalesce(substring(c FROM '(?:^|[\\s?&])application_name\\s*=\\s*''?([^''&\\s]+)'), "
    "current_setting('cluster_name')),"
    " coalesce(c = '', false), (SELECT count(*) FROM pg_stat_wal_receiver WHERE pid IS NOT NULL),"
    " CASE WHEN r THEN greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) ELSE pg_current_wal_lsn() END - "
    "'0/0',"
    " CASE WHEN r THEN pg_last_wal_replay_lsn() - '0/0' END,"
    " CASE WHEN r THEN (SELECT to_hex(timeline_id) FROM pg_control_checkpoint())"
    " ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END,"
    " has_function_privilege('pg_ls_waldir()', 'EXECUTE'), pg_has_role('pg_read_all_stats', 'USAGE'),"
    " (SELECT wait_event FROM pg_stat_activity WHERE backend_type = 'startup')"
    " FROM pg_is_in_recovery() r,"
    " (SELECT (SELECT setting FROM pg_settings WHERE name = 'primary_conninfo') AS c) x";

enum node_column {
    IN_RECOVERY,
    FSYNC,
    PAGES,
    LIST,
    NAME,
    NO_UPSTREAM,
    RECEIVERS,
    PLACE,
    REPLAYED,
    TIMELINE,
    LISTS_WAL,
    SEES_ALL,
    STARTUP
};

/* The newest WAL is of the timeline that the node is on, also before its first checkpoint there. */
static int look_at_wal(struct fleet_node_state *state, struct fleet_sql *sql, struct xylem_error *err)
{
    struct fleet_sql_rows *rows;
    int code = ask(sql, &rows, "SELECT max(left(name, 8)) FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}$'", err);
    if (code == XYLEM_OK && *cell(rows, 0, 0)) {
        state->node.timeline = cell_number(rows, 0, 0, 16);
    }
    fleet_sql_rows_free(rows);
    return code;
}

static void take_standby(struct fleet_node_state *state, const struct fleet_sql_rows *rows, size_t row)
{
    struct fleet_standby *standby = &state->standbys[state->standby_count++];
    copy(standby->name, sizeof standby->name, cell(rows, row, 0));
    standby->streaming = cell_is(rows, row, 1, "streaming");
    standby->counts = standby->streaming && (cell_is(rows, row, 2, "sync") || cell_is(rows, row, 2, "quorum"));
    standby->flushed = cell_number(rows, row, 3, 10);
}

/* Who streams is hidden from logins without pg_read_all_stats; the schema has a function for them. */
static int look_at_standbys(struct fleet_node_state *state, struct fleet_sql *sql, bool sees_all,
                            struct xylem_error *err)
{
    struct fleet_sql_rows *rows;
    char query[256];
    (void)snprintf(query, sizeof query,
                   "SELECT application_name, state, sync_state, flush_lsn - '0/0' FROM %s ORDER BY"
                   " (sync_state IN ('sync', 'quorum')) DESC, application_name",
                   sees_all ? "pg_stat_replication" : "xylem.standbys()");
    int code = ask(sql, &rows, query, err);
    for (size_t i = 0; code == XYLEM_OK && i < fleet_sql_row_count(rows) && i < FLEET_NODES_MAX; i++) {
        take_standby(state, rows, i);
    }
    fleet_sql_rows_free(rows);
    return code;
}

static void take_node(struct fleet_node_state *state, const struct fleet_sql_rows *rows)
{
    struct fleet_node *node = &state->node;
    bool is_standby = cell_is(rows, 0, IN_RECOVERY, "t");
    node->role = is_standby ? FLEET_NODE_STANDBY : FLEET_NODE_PRIMARY;
    copy(node->name, sizeof node->name, cell(rows, 0, NAME));
    node->timeline = cell_number(rows, 0, TIMELINE, 16);
    node->place = cell_number(rows, 0, PLACE, 10);
    state->fsync = cell_is(rows, 0, FSYNC, "on");
    state->full_page_writes = cell_is(rows, 0, PAGES, "on");
    state->quorum_understood =
        copy(state->list, sizeof state->list, cell(rows, 0, LIST)) && fleet_quorum_parse(&state->quorum, state->list);
    state->receiving = is_standby && cell_number(rows, 0, RECEIVERS, 10) > 0;
    node->cut_off = is_standby && !state->receiving && cell_is(rows, 0, NO_UPSTREAM, "t");
    node->still = is_standby && cell_number(rows, 0, REPLAYED, 10) == node->place &&
                  strncmp(cell(rows, 0, STARTUP), "Recovery", strlen("Recovery")) == 0;
}

static int look_through(struct fleet_node_state *state, struct fleet_sql *sql, struct xylem_error *err)
{
    struct fleet_sql_rows *rows;
    int code = ask(sql, &rows, node_query, err);
    if (code == XYLEM_OK) {
        take_node(state, rows);
    }
    bool sees_all = code == XYLEM_OK && cell_is(rows, 0, SEES_ALL, "t");
    bool lists_wal = code == XYLEM_OK && cell_is(rows, 0, LISTS_WAL, "t");
    fleet_sql_rows_free(rows);
    if (code == XYLEM_OK && state->node.role == FLEET_NODE_PRIMARY) {
        code = look_at_standbys(state, sql, sees_all, err);
    } else if (code == XYLEM_OK && lists_wal) {
        code = look_at_wal(state, sql, err);
    }
    return code;
}

static void look_at_node(struct fleet_node_state *state, const struct fleet_nodes *nodes, size_t at)
{
    struct xylem_error said = {0};
    struct fleet_sql *sql;
    memset(state, 0, sizeof *state);
    copy(state->where, sizeof state->where, fleet_nodes_name(nodes, at));
    int code = fleet_sql_open(&sql, nodes, at, &said);
    if (code == XYLEM_OK) {
        code = look_through(state, sql, &said);
        fleet_sql_close(sql);
    }
    if (code < 0) {
        state->node = (struct fleet_node){.role = FLEET_NODE_UNREACHABLE};
        copy(state->why, sizeof state->why, said.text);
    }
}

/* --- Looking at all of them ------------------------------------------------------------------------------------------- */

static bool has_name(const struct fleet_cluster_state *state, const char *name)
{
    for (size_t i = 0; i < state->count; i++) {
        if (strcasecmp(state->nodes[i].node.name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* A list of all nodes gives the last of them its name, also if the node does not answer. */
static void name_the_last(struct fleet_cluster_state *state)
{
    const struct fleet_quorum *quorum = NULL;
    struct fleet_node *nameless = NULL;
    const char *left = NULL;
    size_t nameless_count = 0;
    size_t left_count = 0;
    for (size_t i = 0; i < state->count; i++) {
        struct fleet_node_state *at = &state->nodes[i];
        quorum = !quorum && at->node.role != FLEET_NODE_UNREACHABLE && at->quorum_understood ? &at->quorum : quorum;
        nameless = at->node.name[0] ? nameless : &at->node;
        nameless_count += at->node.name[0] ? 0 : 1;
    }
    for (size_t i = 0; quorum && i < quorum->name_count; i++) {
        bool is_left = !has_name(state, quorum->names[i]);
        left = is_left ? quorum->names[i] : left;
        left_count += is_left ? 1 : 0;
    }
    if (nameless_count == 1 && left_count == 1) {
        copy(nameless->name, sizeof nameless->name, left);
    }
}

static const char *name_of(const struct fleet_node_state *state)
{
    return state->node.name[0] ? state->node.name : state->where;
}

static size_t find_primary(const struct fleet_cluster_state *state)
{
    size_t found = state->count;
    for (size_t i = 0; i < state->count; i++) {
        const struct fleet_node *node = &state->nodes[i].node;
        if (node->role == FLEET_NODE_PRIMARY &&
            (found == state->count || node->timeline > state->nodes[found].node.timeline)) {
            found = i;
        }
    }
    return found;
}

/* A list forces a flush on another node, whoever of its names is primary. */
static bool forces(const struct fleet_node_state *state)
{
    return state->quorum_understood && state->quorum.wanted > 0 && !state->quorum.star;
}

static const struct fleet_node_state *first_without_fsync(const struct fleet_cluster_state *state)
{
    for (size_t i = 0; i < state->count; i++) {
        const struct fleet_node_state *at = &state->nodes[i];
        if (at->node.role != FLEET_NODE_UNREACHABLE && !(at->fsync && at->full_page_writes)) {
            return at;
        }
    }
    return NULL;
}

static const struct fleet_node_state *first_without_list(const struct fleet_cluster_state *state)
{
    for (size_t i = 0; i < state->count; i++) {
        if (state->nodes[i].node.role != FLEET_NODE_UNREACHABLE && !forces(&state->nodes[i])) {
            return &state->nodes[i];
        }
    }
    return NULL;
}

static void say_unsynced(char *out, size_t bytes, const struct fleet_node_state *at)
{
    (void)snprintf(out, bytes,
                   "%s has %s off, so a loss of power there takes what was acknowledged: ALTER SYSTEM SET %s = on, "
                   "then SELECT pg_reload_conf()",
                   name_of(at), at->fsync ? "full_page_writes" : "fsync", at->fsync ? "full_page_writes" : "fsync");
}

static void say_list(char *out, size_t bytes, const struct fleet_node_state *at)
{
    const char *what = at->list[0] == '\0' ? "is empty: one node alone acknowledges"
                       : at->quorum.star   ? "has `*`: any client that takes a name counts as a standby"
                                           : "is not understood";
    (void)snprintf(out, bytes,
                   "synchronous_standby_names of %s %s: set ANY 1 (all names of nodes) on every node, then SELECT "
                   "pg_reload_conf()",
                   name_of(at), what);
}

static void say_standbys(char *out, size_t bytes, const struct fleet_node_state *primary, size_t counted)
{
    (void)snprintf(out, bytes,
                   "%s waits for %u standby%s of %s and has %zu: nothing is acknowledged, and nothing is lost; start "
                   "the standbys that are missing",
                   name_of(primary), primary->quorum.wanted, primary->quorum.wanted == 1 ? "" : "s", primary->list,
                   counted);
}

static void judge(struct fleet_cluster_state *state)
{
    const struct fleet_node_state *bad;
    size_t counted = 0;
    state->primary = find_primary(state);
    if (state->primary == state->count) {
        (void)snprintf(state->why_not, sizeof state->why_not,
                       "no node takes writes: start the primary, or run `xylem fleet promote` if the primary is lost");
        return;
    }
    const struct fleet_node_state *primary = &state->nodes[state->primary];
    for (size_t i = 0; i < primary->standby_count; i++) {
        counted += primary->standbys[i].counts ? 1 : 0;
    }
    if ((bad = first_without_fsync(state))) {
        say_unsynced(state->why_not, sizeof state->why_not, bad);
    } else if (!forces(primary)) {
        say_list(state->why_not, sizeof state->why_not, primary);
    } else if (counted < primary->quorum.wanted) {
        say_standbys(state->why_not, sizeof state->why_not, primary, counted);
    } else {
        state->acknowledges = true;
        if ((bad = first_without_list(state))) {
            say_list(state->why_not, sizeof state->why_not, bad);
        }
    }
}

int fleet_cluster_look(struct fleet_cluster_state *state, const struct fleet_nodes *nodes, struct xylem_error *err)
{
    memset(state, 0, sizeof *state);
    if (fleet_nodes_count(nodes) > FLEET_NODES_MAX) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "a fleet has at most %u nodes, and the URL has %zu",
                                FLEET_NODES_MAX, fleet_nodes_count(nodes));
    }
    state->count = fleet_nodes_count(nodes);
    for (size_t i = 0; i < state->count; i++) {
        look_at_node(&state->nodes[i], nodes, i);
    }
    name_the_last(state);
    judge(state);
    return XYLEM_OK;
}

/* --- Init ------------------------------------------------------------------------------------------------------------- */

static int refuse_unsynced(const struct fleet_cluster_state *state, struct xylem_error *err)
{
    char why[512];
    const struct fleet_node_state *bad = first_without_fsync(state);
    if (!bad) {
        return XYLEM_OK;
    }
    say_unsynced(why, sizeof why, bad);
    return xylem_base__fail(err, XYLEM_E_CONFLICT, "%s", why);
}

static int check_for_init(const struct fleet_cluster_state *state, struct xylem_error *err)
{
    char why[512];
    int code = refuse_unsynced(state, err);
    if (code < 0) {
        return code;
    }
    for (size_t i = 0; i < state->count; i++) {
        const struct fleet_node_state *at = &state->nodes[i];
        if (at->node.role == FLEET_NODE_UNREACHABLE) {
            return xylem_base__fail(err, XYLEM_E_CONFLICT,
                                    "%s cannot be asked for fsync and its list: start %s first (%s)", name_of(at),
                                    name_of(at), at->why);
        }
        if (!forces(at)) {
            say_list(why, sizeof why, at);
            return xylem_base__fail(err, XYLEM_E_CONFLICT, "%s; or say --allow-single", why);
        }
    }
    return state->acknowledges ? XYLEM_OK : xylem_base__fail(err, XYLEM_E_CONFLICT, "%s", state->why_not);
}

static int run_schema(struct fleet_sql *sql, struct xylem_error *err)
{
    char *script = NULL;
    if (asprintf(&script, "BEGIN;\n%s\nCOMMIT;", fleet_init_sql) < 0) {
        return xylem_base__fail_memory(err);
    }
    int code = fleet_sql_run(sql, NULL, script, NULL, 0, COMMIT_MS, err);
    free(script);
    return code;
}

int fleet_cluster_init(const struct fleet_nodes *nodes, bool allow_single, fleet_step *step, void *context,
                       struct xylem_error *err)
{
    struct fleet_cluster_state state;
    struct fleet_sql *sql;
    size_t at;
    int code = fleet_cluster_look(&state, nodes, err);
    if (code == XYLEM_OK && !allow_single) {
        code = check_for_init(&state, err);
    }
    if (code < 0 || (code = fleet_sql_open_writable(&sql, nodes, &at, err)) < 0) {
        return code;
    }
    if (!allow_single) {
        tell(step, context, "%zu nodes answer, with fsync on; %s acknowledges by %s", state.count,
             name_of(&state.nodes[at]), state.nodes[at].list);
    }
    tell(step, context, "makes schema, roles, tables and functions on %s, in one transaction",
         name_of(&state.nodes[at]));
    code = run_schema(sql, err);
    fleet_sql_close(sql);
    return code;
}

/* --- Promotion: one standby ------------------------------------------------------------------------------------------- */

struct promoting {
    const struct fleet_nodes *nodes;
    const char *dead;                    /* as the caller names it; NULL: none */
    char dead_name[FLEET_NODE_NAME_MAX]; /* as the list names it; empty: unknown */
    fleet_step *step;
    void *context;
    struct fleet_cluster_state state;
    struct fleet_node plain[FLEET_NODES_MAX]; /* what promotion.c looks at */
    uint64_t places[FLEET_NODES_MAX];         /* where a cut off standby stood, and since when it stands there */
    int64_t since[FLEET_NODES_MAX];
};

/* A cut off standby knows its upstream no more, so a file beside its data does: a promotion may end in the middle. */
static const char keep_upstream[] =
    "DO $do$ DECLARE c text := current_setting('primary_conninfo'); BEGIN IF c <> '' THEN"
    " EXECUTE format('COPY (SELECT %L) TO %L', encode(convert_to(c, 'UTF8'), 'hex'),"
    " current_setting('data_directory') || '/xylem_fleet_upstream'); END IF; END $do$";
static const char read_upstream[] = "SELECT CASE WHEN c <> '' THEN c ELSE "
                                    "convert_from(decode(btrim(pg_read_file('xylem_fleet_upstream', 0, 16384, true),"
                                    " E'\\n'), 'hex'), 'UTF8') END FROM current_setting('primary_conninfo') c";

/* ALTER SYSTEM takes no parameters, and runs in no function. */
static int set_upstream(struct fleet_sql *sql, const char *conninfo, struct xylem_error *err)
{
    struct fleet_sql_rows *rows;
    char statement[3 * CONNINFO_MAX];
    int code = fleet_sql_run(sql, &rows, "SELECT quote_literal($1)", &conninfo, 1, ASK_MS, err);
    if (code == XYLEM_OK) {
        (void)snprintf(statement, sizeof statement, "ALTER SYSTEM SET primary_conninfo = %s", cell(rows, 0, 0));
        code = ask(sql, NULL, statement, err);
    }
    fleet_sql_rows_free(rows);
    return code == XYLEM_OK ? ask(sql, NULL, "SELECT pg_reload_conf()", err) : code;
}

static int get_upstream(char *conninfo, struct fleet_sql *sql, const char *name, struct xylem_error *err)
{
    struct fleet_sql_rows *rows;
    int code = ask(sql, &rows, read_upstream, err);
    bool fits = code == XYLEM_OK && copy(conninfo, CONNINFO_MAX, cell(rows, 0, 0));
    fleet_sql_rows_free(rows);
    if (code == XYLEM_OK && !*conninfo) {
        return xylem_base__fail(err, XYLEM_E_CONFLICT,
                                "%s has no primary_conninfo, and no note of an earlier one: set primary_conninfo of %s "
                                "by hand",
                                name, name);
    }
    if (code == XYLEM_OK && (!fits || strstr(conninfo, "://"))) {
        return xylem_base__fail(err, XYLEM_E_CONFLICT,
                                "primary_conninfo of %s is a URL or longer than %u bytes: write it as `host=... "
                                "port=... user=...`, then run the command again",
                                name, CONNINFO_MAX);
    }
    return code;
}

/* Waits until a query answers `t`. */
static int wait_until(struct fleet_sql *sql, const char *query, const char *otherwise, struct xylem_error *err)
{
    int64_t deadline = xylem_base__steady_ms() + SETTLE_MS;
    while (xylem_base__steady_ms() < deadline) {
        struct fleet_sql_rows *rows;
        int code = ask(sql, &rows, query, err);
        bool is_so = code == XYLEM_OK && cell_is(rows, 0, 0, "t");
        fleet_sql_rows_free(rows);
        if (code < 0 || is_so) {
            return code;
        }
        wait_a_little();
    }
    return xylem_base__fail(err, XYLEM_E_IO, "%s", otherwise);
}

static int cut_off(struct promoting *all, size_t at, struct xylem_error *err)
{
    const char *name = name_of(&all->state.nodes[at]);
    char conninfo[CONNINFO_MAX];
    struct fleet_sql *sql;
    tell(all->step, all->context, "cuts %s off from the old primary", name);
    int code = fleet_sql_open(&sql, all->nodes, at, err);
    if (code < 0) {
        return code;
    }
    if ((code = get_upstream(conninfo, sql, name, err)) == XYLEM_OK &&
        (code = ask(sql, NULL, keep_upstream, err)) == XYLEM_OK && (code = set_upstream(sql, "", err)) == XYLEM_OK) {
        code = wait_until(
            sql, "SELECT current_setting('primary_conninfo') = '' AND NOT EXISTS (SELECT FROM pg_stat_wal_receiver)",
            "a standby still receives a minute after it was cut off: look into its log", err);
    }
    fleet_sql_close(sql);
    return code;
}

/* The later of two settings of one name counts, so only what an earlier promotion added is taken away. */
static int point_at(char *conninfo, const struct fleet_nodes *nodes, size_t primary, struct xylem_error *err)
{
    static const char mark[] = " hostaddr='' host='";
    const char *host = fleet_nodes_host(nodes, primary);
    char *added = strstr(conninfo, mark);
    size_t used = added ? (size_t)(added - conninfo) : strlen(conninfo);
    int more =
        snprintf(conninfo + used, CONNINFO_MAX - used, "%s%s' port='%s'", mark, host, fleet_nodes_port(nodes, primary));
    if (strpbrk(host, "'\\") || more < 0 || (size_t)more >= CONNINFO_MAX - used) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "the name of the host %.100s does not fit into primary_conninfo",
                                host);
    }
    return XYLEM_OK;
}

static int follow(struct promoting *all, size_t at, size_t primary, struct xylem_error *err)
{
    const char *name = name_of(&all->state.nodes[at]);
    char conninfo[CONNINFO_MAX];
    char otherwise[512];
    struct fleet_sql *sql;
    tell(all->step, all->context, "points %s at %s", name, name_of(&all->state.nodes[primary]));
    (void)snprintf(otherwise, sizeof otherwise,
                   "%s does not follow %s within a minute: its log says why; a new base backup of %s helps in any case",
                   name, name_of(&all->state.nodes[primary]), name_of(&all->state.nodes[primary]));
    int code = fleet_sql_open(&sql, all->nodes, at, err);
    if (code < 0) {
        return code;
    }
    if ((code = get_upstream(conninfo, sql, name, err)) == XYLEM_OK &&
        (code = point_at(conninfo, all->nodes, primary, err)) == XYLEM_OK &&
        (code = set_upstream(sql, conninfo, err)) == XYLEM_OK) {
        code = wait_until(sql, "SELECT EXISTS (SELECT FROM pg_stat_wal_receiver WHERE status = 'streaming')", otherwise,
                          err);
    }
    fleet_sql_close(sql);
    return code;
}

/* --- Promotion: all of them --------------------------------------------------------------------------------------------- */

/* Only when the primary counts the standbys again does it acknowledge. */
static int wait_for_followers(struct promoting *all, size_t primary, size_t count, struct xylem_error *err)
{
    char query[160];
    struct fleet_sql *sql;
    (void)snprintf(
        query, sizeof query,
        "SELECT count(*) >= %zu FROM pg_stat_replication WHERE state = 'streaming' AND sync_state <> 'async'", count);
    int code = fleet_sql_open(&sql, all->nodes, primary, err);
    if (code == XYLEM_OK) {
        code = wait_until(sql, query,
                          "the new primary does not count its standbys after a minute: `xylem fleet status`", err);
        fleet_sql_close(sql);
    }
    return code;
}

/* Points standbys that are cut off at the primary; `count` counts them. */
static int follow_all(struct promoting *all, size_t primary, size_t *count, struct xylem_error *err)
{
    int code = XYLEM_OK;
    *count = 0;
    for (size_t i = 0; code == XYLEM_OK && i < all->state.count; i++) {
        if (i != primary && all->state.nodes[i].node.role == FLEET_NODE_STANDBY && all->state.nodes[i].node.cut_off) {
            code = follow(all, i, primary, err);
            (*count)++;
        }
    }
    return code == XYLEM_OK && *count > 0 ? wait_for_followers(all, primary, *count, err) : code;
}

static int promote_farthest(struct promoting *all, size_t chosen, struct xylem_error *err)
{
    const char *name = name_of(&all->state.nodes[chosen]);
    struct fleet_sql *sql;
    struct fleet_sql_rows *rows = NULL;
    size_t followers;
    for (size_t i = 0; i < all->state.count; i++) {
        const struct fleet_node *node = &all->plain[i];
        if (node->role == FLEET_NODE_STANDBY) {
            tell(all->step, all->context, "%s stands still at %X/%X of timeline %llu", name_of(&all->state.nodes[i]),
                 (unsigned)(node->place >> 32), (unsigned)node->place, (unsigned long long)node->timeline);
        }
    }
    tell(all->step, all->context, "promotes %s, which has all that was acknowledged", name);
    int code = fleet_sql_open(&sql, all->nodes, chosen, err);
    if (code < 0) {
        return code;
    }
    code = fleet_sql_run(sql, &rows, "SELECT pg_promote(true, 60)", NULL, 0, SETTLE_MS + ASK_MS, err);
    if (code == XYLEM_OK && !cell_is(rows, 0, 0, "t")) {
        code = xylem_base__fail(err, XYLEM_E_IO, "%s did not become primary within a minute: look into its log", name);
    }
    fleet_sql_rows_free(rows);
    fleet_sql_close(sql);
    return code == XYLEM_OK ? follow_all(all, chosen, &followers, err) : code;
}

/* A primary lives: what an earlier call left undone is done, and nothing else. */
static int primary_lives(struct promoting *all, size_t chosen, struct xylem_error *err)
{
    const char *name = name_of(&all->state.nodes[chosen]);
    size_t followers;
    int code = follow_all(all, chosen, &followers, err);
    if (code < 0) {
        return code;
    }
    if (followers > 0 || all->dead) {
        tell(all->step, all->context, "%s is the primary", name);
        return XYLEM_OK;
    }
    return xylem_base__fail(err, XYLEM_E_CONFLICT,
                            "%s is primary and answers, so there is nothing to promote; if %s must go: --dead %s", name,
                            name, name);
}

/* Of two nodes that do not answer nobody knows which was the primary. */
static void say_unseen(char *out, size_t bytes, const struct fleet_cluster_state *state,
                       const struct fleet_node_state *first)
{
    size_t used = (size_t)snprintf(out, bytes, "%s", name_of(first));
    for (size_t i = 0; i < state->count && used < bytes; i++) {
        if (&state->nodes[i] != first && state->nodes[i].node.role == FLEET_NODE_UNREACHABLE) {
            used += (size_t)snprintf(out + used, bytes - used, ", %s", name_of(&state->nodes[i]));
        }
    }
}

static int too_few(const struct promoting *all, size_t chosen, struct xylem_error *err)
{
    if (chosen == all->state.count) {
        return xylem_base__fail(err, XYLEM_E_CONFLICT,
                                "the URL names fewer nodes than the list, and one that it does not name may have more "
                                "than the others: put all nodes into the URL");
    }
    const struct fleet_node_state *at = &all->state.nodes[chosen];
    const char *what = at->node.role == FLEET_NODE_UNREACHABLE ? at->why
                       : at->node.role == FLEET_NODE_STANDBY   ? "it is on an older timeline, or not in the list"
                                                               : "it takes writes on an older timeline";
    char unseen[512];
    say_unseen(unseen, sizeof unseen, &all->state, at);
    return xylem_base__fail(err, XYLEM_E_CONFLICT,
                            "refused: a node that is not seen may have acknowledged changes that the others lack. "
                            "Start each standby among %s, or the primary itself, then run the command again (%s)",
                            unseen, what);
}

/* The list of the lost primary counts, and the others tell it only if all have one. */
static int find_list(const struct promoting *all, const struct fleet_node_state **found, struct xylem_error *err)
{
    const struct fleet_node_state *first = NULL;
    for (size_t i = 0; i < all->state.count; i++) {
        const struct fleet_node_state *at = &all->state.nodes[i];
        if (at->node.role == FLEET_NODE_UNREACHABLE) {
            continue;
        }
        first = first ? first : at;
        if (!at->quorum_understood || strcmp(first->list, at->list) != 0) {
            return xylem_base__fail(err, XYLEM_E_CONFLICT,
                                    "synchronous_standby_names of %s is `%s` and of %s `%s`: who may be promoted "
                                    "depends on the list of the lost primary; give all nodes that list, then run the "
                                    "command again",
                                    name_of(first), first->list, name_of(at), at->list);
        }
    }
    *found = first;
    return first ? XYLEM_OK : xylem_base__fail(err, XYLEM_E_IO, "no node answers: %s", all->state.nodes[0].why);
}

/* A person names the dead primary as the list does, or by its address. */
static int find_dead(struct promoting *all, struct xylem_error *err)
{
    bool is_known = !all->dead;
    for (size_t i = 0; all->dead && i < all->state.count; i++) {
        const struct fleet_node_state *at = &all->state.nodes[i];
        bool is_it = strcasecmp(all->dead, at->node.name) == 0 || strcmp(all->dead, at->where) == 0;
        is_known = is_known || is_it || !at->node.name[0];
        if (is_it && at->node.name[0]) {
            copy(all->dead_name, sizeof all->dead_name, at->node.name);
        }
    }
    return is_known ? XYLEM_OK
                    : xylem_base__fail(err, XYLEM_E_CONFLICT,
                                       "no node has the name %.100s: `xylem fleet status` shows the names", all->dead);
}

/* Replay rests if it stood in one place for a while, and waits for WAL that nobody sends. */
static void watch_replay(struct promoting *all)
{
    int64_t now = xylem_base__steady_ms();
    for (size_t i = 0; i < all->state.count; i++) {
        struct fleet_node *node = &all->state.nodes[i].node;
        bool rests = node->cut_off && node->still && node->place == all->places[i];
        all->since[i] = rests && all->since[i] ? all->since[i] : rests ? now : 0;
        all->places[i] = node->place;
        all->plain[i] = *node;
        all->plain[i].still = rests && now - all->since[i] >= REST_MS;
    }
}

static int look_again(struct promoting *all, const struct fleet_node_state **lister, struct xylem_error *err)
{
    int code = fleet_cluster_look(&all->state, all->nodes, err);
    if (code < 0 || (code = find_list(all, lister, err)) < 0 || (code = refuse_unsynced(&all->state, err)) < 0) {
        return code;
    }
    watch_replay(all);
    return find_dead(all, err);
}

static int give_up(const struct promoting *all, size_t chosen, struct xylem_error *err)
{
    return xylem_base__fail(err, XYLEM_E_IO,
                            "the replay of %s does not come to rest: is it paused (SELECT pg_wal_replay_resume()), or "
                            "delayed by recovery_min_apply_delay? Then run the command again",
                            name_of(&all->state.nodes[chosen]));
}

static int promote(struct promoting *all, struct xylem_error *err)
{
    const struct fleet_node_state *lister;
    uint64_t seen = 0;
    int64_t moved = xylem_base__steady_ms();
    for (;;) {
        size_t chosen;
        int code = look_again(all, &lister, err);
        if (code < 0) {
            return code;
        }
        switch (fleet_promotion_choose(&chosen, all->plain, all->state.count, &lister->quorum,
                                       all->dead_name[0] ? all->dead_name : NULL)) {
        case FLEET_PROMOTE:
            return promote_farthest(all, chosen, err);
        case FLEET_PROMOTE_PRIMARY_LIVES:
            return primary_lives(all, chosen, err);
        case FLEET_PROMOTE_TOO_FEW:
            return too_few(all, chosen, err);
        case FLEET_PROMOTE_NO_QUORUM:
            return xylem_base__fail(err, XYLEM_E_CONFLICT,
                                    "the list `%s` acknowledges without a standby, so nobody knows who has all: choose "
                                    "by hand (pg_promote()), and expect losses",
                                    lister->list);
        case FLEET_PROMOTE_CUT_FIRST:
            code = cut_off(all, chosen, err);
            moved = xylem_base__steady_ms();
            break;
        case FLEET_PROMOTE_WAIT:
            moved = all->plain[chosen].place != seen ? xylem_base__steady_ms() : moved;
            seen = all->plain[chosen].place;
            code = xylem_base__steady_ms() - moved > SETTLE_MS ? give_up(all, chosen, err) : XYLEM_OK;
            wait_a_little();
            break;
        }
        if (code < 0) {
            return code;
        }
    }
}

int fleet_cluster_promote(const struct fleet_nodes *nodes, const char *dead, fleet_step *step, void *context,
                          struct xylem_error *err)
{
    struct promoting all = {.nodes = nodes, .dead = dead, .step = step, .context = context};
    struct xylem_error said = {0};
    int code = promote(&all, &said);
    if (code == XYLEM_E_IO) {
        return xylem_base__fail(err, code, "%s. Nothing is lost; the command may be run again", said.text);
    }
    return code < 0 ? xylem_base__fail(err, code, "%s", said.text) : code;
}

/* --- What redactions left in the files ---------------------------------------------------------------------------------- */

/* Who keeps row versions that nobody else needs; `$1` is the backend that asks. */
static const char holders_query[] =
    "SELECT string_agg(w, ', ') FROM ("
    "SELECT format('process %s of %s%s, which began %s ago', pid, coalesce(usename, backend_type),"
    " CASE WHEN application_name <> '' THEN ' (' || application_name || ')' END,"
    " date_trunc('second', now() - coalesce(xact_start, backend_start))) w FROM pg_stat_activity"
    " WHERE (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL) AND pid <> pg_backend_pid()"
    " AND backend_type IN ('client backend', 'walsender', 'parallel worker') UNION ALL"
    " SELECT format('replication slot %s', slot_name) FROM pg_replication_slots WHERE xmin IS NOT NULL OR"
    " catalog_xmin IS NOT NULL UNION ALL"
    " SELECT format('prepared transaction %s', gid) FROM pg_prepared_xacts) x";

struct finishing {
    struct fleet_sql *sql;
    fleet_step *step;
    void *context;
    const char *table; /* that is being rewritten */
    uint64_t kept;     /* dead row versions that it keeps */
    bool counted;
};

/* The first number of the detail counts the dead row versions that stay, in any language of the server. */
static void hear_vacuum(void *context, const char *text, const char *detail)
{
    struct finishing *finishing = context;
    size_t at = detail && strstr(text, finishing->table) ? strcspn(detail, "0123456789") : 0;
    if (detail && strstr(text, finishing->table) && detail[at]) {
        finishing->kept += strtoull(detail + at, NULL, 10);
        finishing->counted = true;
    }
}

static void find_holders(char *out, size_t bytes, struct fleet_sql *sql)
{
    struct fleet_sql_rows *rows;
    int code = ask(sql, &rows, holders_query, NULL);
    const char *who = code == XYLEM_OK ? cell(rows, 0, 0) : "";
    copy(out, bytes, *who ? who : "a transaction that has ended meanwhile: run the command again");
    fleet_sql_rows_free(rows);
}

static int rewrite_table(struct finishing *finishing, const char *kind, uint64_t part, struct xylem_error *err)
{
    char table[64];
    char statement[128];
    (void)snprintf(table, sizeof table, "%s_%u", kind, (unsigned)part);
    (void)snprintf(statement, sizeof statement, "VACUUM (FULL, VERBOSE) xylem.%s", table);
    finishing->table = table;
    finishing->counted = false;
    finishing->kept = 0;
    int code = fleet_sql_run(finishing->sql, NULL, statement, NULL, 0, VACUUM_MS, err);
    if (code == XYLEM_OK && !finishing->counted) {
        return xylem_base__fail(err, XYLEM_E_CONFLICT, "the server does not tell what it kept of %s", table);
    }
    return code;
}

/* Tries for some seconds: the holder may be a transaction that ends soon. */
static int rewrite_or_name(struct finishing *finishing, const char *kind, uint64_t part, struct xylem_error *err)
{
    char before[512] = "";
    for (int tries = 0; tries < 4; tries++) {
        int code;
        find_holders(before, sizeof before, finishing->sql);
        if ((code = rewrite_table(finishing, kind, part, err)) < 0 || finishing->kept == 0) {
            return code;
        }
        tell(finishing->step, finishing->context, "%s_%u keeps %llu old row versions; held by %s; tries again", kind,
             (unsigned)part, (unsigned long long)finishing->kept, before);
        struct timespec pause = {.tv_sec = 1};
        (void)nanosleep(&pause, NULL);
    }
    return xylem_base__fail(
        err, XYLEM_E_CONFLICT,
        "not done: %s_%u still has redacted text, kept for %s; end that, then run the command again", kind,
        (unsigned)part, before);
}

/* `times` counts redactions: a text that was taken out meanwhile keeps the row. */
static int finish_part(struct finishing *finishing, const char *part, const char *times, struct xylem_error *err)
{
    static const char *const kinds[] = {"segments", "chunks", "heads"};
    const char *parameters[] = {part, times};
    uint64_t number = strtoull(part, NULL, 10);
    int code = XYLEM_OK;
    tell(finishing->step, finishing->context, "rewrites part %s of segments, chunks and heads", part);
    for (size_t i = 0; code == XYLEM_OK && i < sizeof kinds / sizeof *kinds; i++) {
        code = rewrite_or_name(finishing, kinds[i], number, err);
    }
    return code == XYLEM_OK ? fleet_sql_run(finishing->sql, NULL,
                                            "DELETE FROM xylem.rewritten WHERE part = $1::int AND times = $2::bigint",
                                            parameters, 2, COMMIT_MS, err)
                            : code;
}

static int finish_parts(struct finishing *finishing, struct xylem_error *err)
{
    struct fleet_sql_rows *rows;
    int code = ask(finishing->sql, &rows, "SELECT part, times FROM xylem.rewritten ORDER BY part", err);
    size_t count = code == XYLEM_OK ? fleet_sql_row_count(rows) : 0;
    if (code == XYLEM_OK && count == 0) {
        tell(finishing->step, finishing->context, "no part of the tables holds redacted text");
    }
    for (size_t i = 0; code == XYLEM_OK && i < count; i++) {
        code = finish_part(finishing, cell(rows, i, 0), cell(rows, i, 1), err);
    }
    fleet_sql_rows_free(rows);
    return code;
}

/* The file that a table had before is empty at once, and removed by a checkpoint; a standby first replays all of that. */
static int checkpoint(struct finishing *finishing, const struct fleet_nodes *nodes, size_t at, const char *place,
                      struct xylem_error *err)
{
    char query[128];
    char otherwise[300];
    struct fleet_sql *sql;
    tell(finishing->step, finishing->context, "makes a checkpoint on %s", fleet_nodes_name(nodes, at));
    int code = fleet_sql_open(&sql, nodes, at, err);
    if (code < 0) {
        return code;
    }
    (void)snprintf(query, sizeof query, "SELECT NOT pg_is_in_recovery() OR pg_last_wal_replay_lsn() >= '%.40s'", place);
    (void)snprintf(otherwise, sizeof otherwise, "%.200s does not replay: run the command again when it does",
                   fleet_nodes_name(nodes, at));
    code = wait_until(sql, query, otherwise, err);
    code = code == XYLEM_OK ? fleet_sql_run(sql, NULL, "CHECKPOINT", NULL, 0, VACUUM_MS, err) : code;
    fleet_sql_close(sql);
    return code;
}

/* The primary first. Every node is tried; the first failure is told. */
static int checkpoint_all(struct finishing *finishing, const struct fleet_nodes *nodes, size_t primary,
                          struct xylem_error *err)
{
    struct fleet_sql_rows *rows = NULL;
    struct xylem_error other;
    int code = checkpoint(finishing, nodes, primary, "0/0", err);
    code = code == XYLEM_OK ? ask(finishing->sql, &rows, "SELECT pg_current_wal_flush_lsn()", err) : code;
    bool primary_done = code == XYLEM_OK;
    for (size_t i = 0; primary_done && i < fleet_nodes_count(nodes); i++) {
        int result = i == primary ? XYLEM_OK : checkpoint(finishing, nodes, i, cell(rows, 0, 0), &other);
        if (result < 0 && code == XYLEM_OK) {
            code = xylem_base__fail(err, result,
                                    "not done on every node: %s. The files there may hold redacted text until the node "
                                    "follows again and the command is run again",
                                    other.text);
        }
    }
    fleet_sql_rows_free(rows);
    return code;
}

int fleet_cluster_finish(const struct fleet_nodes *nodes, fleet_step *step, void *context, struct xylem_error *err)
{
    struct finishing finishing = {.step = step, .context = context};
    size_t primary;
    int code = fleet_sql_open_writable(&finishing.sql, nodes, &primary, err);
    if (code < 0) {
        return code;
    }
    fleet_sql_listen(finishing.sql, hear_vacuum, &finishing);
    code = finish_parts(&finishing, err);
    code = code == XYLEM_OK ? checkpoint_all(&finishing, nodes, primary, err) : code;
    fleet_sql_close(finishing.sql);
    return code;
}
