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

extern const char fleet_init_sql[];

/* What init, promote and redact --finish work with. */
struct work {
    const struct fleet_nodes *nodes;
    fleet_step *step;
    void *context;
    struct fleet_cluster_state state;
    /* of a promotion */
    const char *dead; /* the name of a primary that answers, and is not to come back; NULL: none */
    struct fleet_node plain[FLEET_NODES_MAX]; /* what promotion.c looks at */
    bool promoted;                            /* by this call */
    int64_t moved;                            /* when a standby that is cut off was last seen to move */
};

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
    (void)snprintf(out, bytes, "%s", text);
    return strlen(text) < bytes;
}

__attribute__((format(printf, 2, 3))) static void tell(const struct work *work, const char *format, ...)
{
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    work->step(work->context, line);
}

static void rest(unsigned ms)
{
    struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    (void)nanosleep(&pause, NULL);
}

/* Runs one statement on one node. `is_so` (may be NULL): whether the answer is `t`. */
static int run_on(const struct work *work, size_t at, const char *statement, unsigned deadline_ms, bool *is_so,
                  struct xylem_error *err)
{
    struct fleet_sql *sql;
    struct fleet_sql_rows *rows = NULL;
    int code = fleet_sql_open(&sql, work->nodes, at, err);
    if (code < 0) {
        return code;
    }
    code = fleet_sql_run(sql, &rows, statement, NULL, 0, deadline_ms, err);
    if (is_so) {
        *is_so = code == XYLEM_OK && cell_is(rows, 0, 0, "t");
    }
    fleet_sql_rows_free(rows);
    fleet_sql_close(sql);
    return code;
}

/* Waits until a node answers `t`. `otherwise` goes on behind the name of the node. */
static int wait_until(const struct work *work, size_t at, const char *query, const char *otherwise,
                      struct xylem_error *err)
{
    int64_t deadline = xylem_base__steady_ms() + SETTLE_MS;
    while (xylem_base__steady_ms() < deadline) {
        bool is_so;
        int code = run_on(work, at, query, ASK_MS, &is_so, err);
        if (code < 0 || is_so) {
            return code;
        }
        rest(POLL_MS);
    }
    return xylem_base__fail(err, XYLEM_E_IO, "%s %s", fleet_nodes_name(work->nodes, at), otherwise);
}

/* --- Looking at one node -------------------------------------------------------------------------------------------- */

/*
 * The settings of a standby are hidden from logins without pg_read_all_settings, and what it receives from logins without
 * pg_read_all_stats: no row, or null. What the node replays is of the timeline of its last checkpoint at least. Replay that
 * waits for more WAL has replayed all whole records: a record that came in part, when its primary died, never is.
 */
static const char node_query[] =
    "SELECT r, current_setting('fsync') = 'on', current_setting('full_page_writes') = 'on', w,"
    " r AND NOT w AND c = '', r AND (SELECT wait_event IN ('RecoveryWalStream', 'RecoveryRetrieveRetryInterval')"
    " FROM pg_stat_activity WHERE backend_type = 'startup'),"
    " CASE WHEN r THEN has_function_privilege('pg_ls_waldir()', 'EXECUTE')"
    " ELSE pg_has_role('pg_read_all_stats', 'USAGE') END,"
    " l - '0/0', CASE WHEN r THEN to_hex(greatest((SELECT timeline_id FROM pg_control_checkpoint()),"
    " (SELECT received_tli FROM pg_stat_wal_receiver WHERE status = 'streaming')))"
    " ELSE left(pg_walfile_name(l), 8) END, current_setting('synchronous_standby_names'),"
    " coalesce(substring(c FROM '(?:^|[\\s?&])application_name\\s*=\\s*''?([^''&\\s]+)'),"
    " current_setting('cluster_name')), current_setting('is_superuser') = 'on'"
    " FROM (SELECT r, CASE WHEN r THEN greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn())"
    " ELSE pg_current_wal_lsn() END AS l,"
    " EXISTS (SELECT FROM pg_stat_wal_receiver WHERE r AND pid IS NOT NULL) AS w,"
    " (SELECT setting FROM pg_settings WHERE name = 'primary_conninfo') AS c FROM pg_is_in_recovery() r OFFSET 0) x";
enum node_column { STANDBY, FSYNC, PAGES, RECEIVES, CUT_OFF, STILL, SEES_ALL, PLACE, TIMELINE, LIST, NAME, SUPERUSER };

/* The newest WAL is of the timeline that the node is on, also before its first checkpoint there. */
static const char wal_query[] = "SELECT max(left(name, 8)) FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}$'";

/*
 * Who streams is hidden from logins without pg_read_all_stats; the schema has a function for them. A base backup that takes
 * WAL along under the name of a node counts at the primary, but is no node yet.
 */
#define STANDBYS_QUERY(from)                                                                                \
    "SELECT application_name, state, sync_state IN ('sync', 'quorum') AND application_name NOT IN (SELECT " \
    "application_name FROM " from " WHERE state = 'backup') FROM " from                                     \
    " ORDER BY (sync_state IN ('sync', 'quorum')) DESC, application_name"

static void take_standby(struct fleet_node_state *state, const struct fleet_sql_rows *rows, size_t row)
{
    struct fleet_standby *standby = &state->standbys[state->standby_count++];
    copy(standby->name, sizeof standby->name, cell(rows, row, 0));
    standby->streaming = cell_is(rows, row, 1, "streaming");
    standby->counts = standby->streaming && cell_is(rows, row, 2, "t");
}

static void take_node(struct fleet_node_state *state, const struct fleet_sql_rows *rows)
{
    struct fleet_node *node = &state->node;
    node->role = cell_is(rows, 0, STANDBY, "t") ? FLEET_NODE_STANDBY : FLEET_NODE_PRIMARY;
    state->fsync = cell_is(rows, 0, FSYNC, "t");
    state->full_page_writes = cell_is(rows, 0, PAGES, "t");
    state->receiving = cell_is(rows, 0, RECEIVES, "t");
    state->sees_all = cell_is(rows, 0, SEES_ALL, "t");
    state->is_superuser = cell_is(rows, 0, SUPERUSER, "t");
    node->cut_off = cell_is(rows, 0, CUT_OFF, "t");
    node->still = cell_is(rows, 0, STILL, "t");
    node->place = cell_number(rows, 0, PLACE, 10);
    node->timeline = cell_number(rows, 0, TIMELINE, 16);
    state->quorum_understood =
        copy(state->list, sizeof state->list, cell(rows, 0, LIST)) && fleet_quorum_parse(&state->quorum, state->list);
    copy(node->name, sizeof node->name, cell(rows, 0, NAME));
}

static int look_through(struct fleet_node_state *state, struct fleet_sql *sql, struct xylem_error *err)
{
    struct fleet_sql_rows *rows = NULL;
    int code = ask(sql, &rows, node_query, err);
    if (code < 0) {
        return code;
    }
    take_node(state, rows);
    bool is_standby = state->node.role == FLEET_NODE_STANDBY;
    fleet_sql_rows_free(rows);
    if (is_standby && !state->sees_all) {
        return XYLEM_OK;
    }
    code = ask(sql, &rows,
               is_standby        ? wal_query
               : state->sees_all ? STANDBYS_QUERY("pg_stat_replication")
                                 : STANDBYS_QUERY("xylem.standbys()"),
               err);
    if (code == XYLEM_OK && is_standby) {
        uint64_t newest = cell_number(rows, 0, 0, 16);
        state->node.timeline = newest > state->node.timeline ? newest : state->node.timeline;
    }
    for (size_t i = 0; code == XYLEM_OK && !is_standby && i < fleet_sql_row_count(rows) && i < FLEET_NODES_MAX; i++) {
        take_standby(state, rows, i);
    }
    fleet_sql_rows_free(rows);
    return code;
}

static const char *name_of(const struct fleet_node_state *state)
{
    return state->node.name[0] ? state->node.name : state->where;
}

static bool is_there(const struct fleet_node_state *state)
{
    return state->node.role != FLEET_NODE_UNREACHABLE;
}

static bool is_synced(const struct fleet_node_state *state)
{
    return state->fsync && state->full_page_writes;
}

/* A list should force a flush on another node, whoever of its names is primary. */
static void find_flaw(struct fleet_node_state *at)
{
    const char *off = at->fsync ? "full_page_writes" : "fsync";
    const char *list = at->list[0] == '\0'      ? "is empty: one node alone acknowledges"
                       : at->quorum.star        ? "has `*`: any client that takes a name counts as a standby"
                       : !at->quorum_understood ? "is not understood"
                                                : NULL;
    if (!is_synced(at)) {
        (void)snprintf(at->why, sizeof at->why,
                       "%s has %s off, so a loss of power there takes what was acknowledged: ALTER SYSTEM SET %s = on, "
                       "then SELECT pg_reload_conf()",
                       name_of(at), off, off);
    } else if (list) {
        (void)snprintf(at->why, sizeof at->why,
                       "synchronous_standby_names of %s %s: set ANY 1 (all names of nodes) on every node, then SELECT "
                       "pg_reload_conf()",
                       name_of(at), list);
    }
}

/* The node runs, and does not let this user in, or this user does not trust the node. */
static bool is_refusal(const struct xylem_error *said)
{
    static const char *const words[] = {"password",  "authentication", "pg_hba.conf", "not permitted", "permission",
                                        "SSL error", "support SSL",    "certificate", "does not exist"};
    bool is_so = said->code == XYLEM_E_CONFLICT;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        is_so = is_so || strstr(said->text, words[i]);
    }
    return is_so;
}

static void look_at_node(struct fleet_node_state *state, const struct fleet_nodes *nodes, size_t at)
{
    struct xylem_error said = {0};
    struct fleet_sql *sql;
    copy(state->where, sizeof state->where, fleet_nodes_name(nodes, at));
    int code = fleet_sql_open(&sql, nodes, at, &said);
    if (code == XYLEM_OK) {
        code = look_through(state, sql, &said);
        fleet_sql_close(sql);
    }
    if (code == XYLEM_OK) {
        find_flaw(state);
    } else {
        memset(&state->node, 0, sizeof state->node);
        copy(state->why, sizeof state->why, said.text);
        state->refused = is_refusal(&said);
    }
}

/* --- Looking at all of them ------------------------------------------------------------------------------------------- */

static struct fleet_node *find_node(struct fleet_cluster_state *state, const char *name)
{
    for (size_t i = 0; i < state->count; i++) {
        if (strcasecmp(state->nodes[i].node.name, name) == 0) {
            return &state->nodes[i].node;
        }
    }
    return NULL;
}

/* A list of all nodes gives the last of them its name, also if the node does not answer. */
static void name_the_last(struct fleet_cluster_state *state)
{
    const struct fleet_quorum *quorum = NULL;
    struct fleet_node *nameless = NULL;
    const char *left = NULL;
    for (size_t i = 0; i < state->count; i++) {
        struct fleet_node_state *at = &state->nodes[i];
        if (!at->node.name[0] && nameless) {
            return;
        }
        nameless = at->node.name[0] ? nameless : &at->node;
        quorum = is_there(at) && at->quorum_understood ? &at->quorum : quorum;
    }
    for (size_t i = 0; quorum && i < quorum->name_count; i++) {
        bool is_left = !find_node(state, quorum->names[i]);
        if (is_left && left) {
            return;
        }
        left = is_left ? quorum->names[i] : left;
    }
    if (nameless && left) {
        copy(nameless->name, sizeof nameless->name, left);
    }
}

static void judge(struct fleet_cluster_state *state)
{
    const struct fleet_node_state *primary = NULL;
    const struct fleet_node_state *flawed = NULL;
    const struct fleet_node_state *unsynced = NULL;
    bool refused = false;
    unsigned counted = 0;
    for (size_t i = state->count; i-- > 0;) {
        const struct fleet_node_state *at = &state->nodes[i];
        bool is_highest = !primary || at->node.timeline >= primary->node.timeline;
        primary = at->node.role == FLEET_NODE_PRIMARY && is_highest ? at : primary;
        flawed = at->why[0] ? at : flawed;
        unsynced = is_there(at) && !is_synced(at) ? at : unsynced;
        refused = refused || at->refused;
    }
    for (size_t i = 0; primary && i < primary->standby_count; i++) {
        struct fleet_node *node = find_node(state, primary->standbys[i].name);
        counted += primary->standbys[i].counts ? 1 : 0;
        if (node && node->role == FLEET_NODE_STANDBY && primary->standbys[i].streaming && !node->cut_off &&
            node->timeline < primary->node.timeline) {
            node->timeline = primary->node.timeline; /* a host's login does not see what a standby receives */
        }
    }
    state->primary = primary ? (size_t)(primary - state->nodes) : state->count;
    const struct fleet_node_state *worst = unsynced ? unsynced : primary && primary->why[0] ? primary : NULL;
    if (!primary) {
        copy(state->why_not, sizeof state->why_not,
             refused ? "no node that lets this user in takes writes: see who refuses, and why"
                     : "no node that takes writes can be reached");
    } else if (!worst && counted < primary->quorum.wanted) {
        (void)snprintf(
            state->why_not, sizeof state->why_not,
            "%.200s waits for %u of the standbys of %.150s and has %u: nothing is acknowledged, and nothing is "
            "lost; start the standbys that are missing",
            name_of(primary), primary->quorum.wanted, primary->list, counted);
    } else {
        state->acknowledges = !worst;
        copy(state->why_not, sizeof state->why_not, worst ? worst->why : flawed ? flawed->why : "");
    }
}

void fleet_cluster_look(struct fleet_cluster_state *state, const struct fleet_nodes *nodes)
{
    memset(state, 0, sizeof *state);
    state->count = fleet_nodes_count(nodes);
    for (size_t i = 0; i < state->count; i++) {
        look_at_node(&state->nodes[i], nodes, i);
    }
    name_the_last(state);
    judge(state);
}

/* --- Init ------------------------------------------------------------------------------------------------------------- */

int fleet_cluster_init(const struct fleet_nodes *nodes, bool allow_single, fleet_step *step, void *context,
                       struct xylem_error *err)
{
    struct work work = {.nodes = nodes, .step = step, .context = context};
    struct fleet_sql *sql;
    size_t at;
    fleet_cluster_look(&work.state, nodes);
    if (!allow_single && work.state.why_not[0]) {
        return xylem_base__fail(err, XYLEM_E_CONFLICT, "not every node is ready: %s. Mend that, or say --allow-single",
                                work.state.why_not);
    }
    int code = fleet_sql_open_writable(&sql, nodes, &at, err);
    if (code < 0) {
        return code;
    }
    const struct fleet_node_state *primary = &work.state.nodes[at];
    if (!allow_single) {
        tell(&work, "%zu nodes answer, with fsync on; %s acknowledges by %s", work.state.count, name_of(primary),
             primary->list);
    }
    tell(&work, "makes schema, roles, tables and functions on %s, in one transaction", name_of(primary));
    code =
        fleet_sql_run(sql, NULL, fleet_init_sql, NULL, 0, COMMIT_MS, err); /* several statements are one transaction */
    fleet_sql_close(sql);
    return code;
}

/* --- Promotion: one standby ------------------------------------------------------------------------------------------- */

/* A cut off standby knows its upstream no more, so a file beside its data does: a promotion may end in the middle. */
static const char keep_upstream[] =
    "DO $do$ DECLARE c text := current_setting('primary_conninfo'); BEGIN IF c <> '' THEN"
    " EXECUTE format('COPY (SELECT %L) TO %L', encode(convert_to(c, 'UTF8'), 'hex'),"
    " current_setting('data_directory') || '/xylem_fleet_upstream'); END IF; END $do$";

/*
 * The statement that points a standby at host $1, port $2, or at nobody; ALTER SYSTEM takes no parameters, and runs in no
 * function. The later of two settings of one name counts, so only what an earlier promotion added is taken away. Null: the
 * upstream is not known, or a URL.
 */
static const char alter_query[] =
    "SELECT format('ALTER SYSTEM SET primary_conninfo = %L', CASE WHEN $1::text IS NULL THEN '' ELSE"
    " split_part(c, ' hostaddr='''' host=', 1) || format(' hostaddr='''' host=''%s'' port=''%s''',"
    " regexp_replace($1, '([''\\\\])', '\\\\\\1', 'g'), $2::text) END) FROM (SELECT CASE WHEN now <> '' THEN now ELSE"
    " convert_from(decode(btrim(pg_read_file('xylem_fleet_upstream', 0, 65536, true), E'\\n'), 'hex'), 'UTF8') END"
    " FROM current_setting('primary_conninfo') now) x(c) WHERE c <> '' AND c !~ '^postgres(ql)?://'";

/* Gives one standby another upstream, or none, and waits until the standby answers `t`. */
static int redirect(const struct work *work, size_t at, const char *const upstream[2], const char *query,
                    const char *otherwise, struct xylem_error *err)
{
    struct fleet_sql_rows *rows = NULL;
    struct fleet_sql *sql;
    int code = fleet_sql_open(&sql, work->nodes, at, err);
    if (code < 0) {
        return code;
    }
    code = fleet_sql_run(sql, &rows, alter_query, upstream, 2, ASK_MS, err);
    const char *const statements[] = {keep_upstream, code == XYLEM_OK ? cell(rows, 0, 0) : "",
                                      "SELECT pg_reload_conf()"};
    if (code == XYLEM_OK && !*statements[1]) {
        code = xylem_base__fail(err, XYLEM_E_CONFLICT,
                                "primary_conninfo of %s is a URL, or empty without a note of an earlier one: write it "
                                "as `host=... port=... user=...` by hand, then run the command again",
                                name_of(&work->state.nodes[at]));
    }
    for (size_t i = 0; code == XYLEM_OK && i < sizeof statements / sizeof *statements; i++) {
        code = ask(sql, NULL, statements[i], err);
    }
    fleet_sql_rows_free(rows);
    fleet_sql_close(sql);
    return code < 0 ? code : wait_until(work, at, query, otherwise, err);
}

static int cut_off(const struct work *work, size_t at, struct xylem_error *err)
{
    const char *const nobody[] = {NULL, NULL};
    tell(work, "cuts %s off from the old primary", name_of(&work->state.nodes[at]));
    return redirect(work, at, nobody,
                    "SELECT current_setting('primary_conninfo') = '' AND NOT EXISTS (SELECT FROM pg_stat_wal_receiver)",
                    "still receives a minute after it was cut off: look into its log", err);
}

static int follow(const struct work *work, size_t at, size_t primary, struct xylem_error *err)
{
    const char *const upstream[] = {fleet_nodes_host(work->nodes, primary), fleet_nodes_port(work->nodes, primary)};
    tell(work, "points %s at %s", name_of(&work->state.nodes[at]), name_of(&work->state.nodes[primary]));
    return redirect(work, at, upstream, "SELECT EXISTS (SELECT FROM pg_stat_wal_receiver WHERE status = 'streaming')",
                    "does not follow the new primary within a minute: its log says why; a new base backup of the "
                    "primary helps in any case",
                    err);
}

/* --- Promotion: all of them --------------------------------------------------------------------------------------------- */

static int promote_farthest(struct work *work, size_t chosen, struct xylem_error *err)
{
    for (size_t i = 0; i < work->state.count; i++) {
        const struct fleet_node *node = &work->plain[i];
        if (node->cut_off) {
            tell(work, "%s stands still at %X/%X of timeline %llu", name_of(&work->state.nodes[i]),
                 (unsigned)(node->place >> 32), (unsigned)node->place, (unsigned long long)node->timeline);
        }
    }
    tell(work, "promotes %s, which has all that was acknowledged", name_of(&work->state.nodes[chosen]));
    work->promoted = true;
    int code = run_on(work, chosen, "SELECT pg_promote(false)", ASK_MS, NULL, err);
    return code < 0 ? code
                    : wait_until(work, chosen, "SELECT NOT pg_is_in_recovery()",
                                 "did not become primary within a minute: look into its log", err);
}

/*
 * A primary lives, by this call or an earlier one: the standbys that are cut off are pointed at it, and nothing else is done.
 * Only when the primary counts them again does it acknowledge.
 */
static int primary_lives(const struct work *work, size_t chosen, struct xylem_error *err)
{
    const char *name = name_of(&work->state.nodes[chosen]);
    char query[160];
    unsigned followers = 0;
    for (size_t i = 0; i < work->state.count; i++) {
        if (work->state.nodes[i].node.cut_off) {
            int code = follow(work, i, chosen, err);
            if (code < 0) {
                return code;
            }
            followers++;
        }
    }
    if (followers == 0 && !work->dead && !work->promoted) {
        return xylem_base__fail(err, XYLEM_E_CONFLICT,
                                "%s is primary and answers, so there is nothing to promote; if %s must go: --dead %s",
                                name, name, name);
    }
    (void)snprintf(query, sizeof query,
                   "SELECT count(*) >= %u FROM pg_stat_replication WHERE state = 'streaming' AND sync_state <> 'async'",
                   followers);
    return wait_until(work, chosen, query, "does not count its standbys after a minute: `xylem fleet status`", err);
}

/* Of two nodes that do not answer nobody knows which was the primary: all are named. */
static int too_few(const struct work *work, size_t chosen, struct xylem_error *err)
{
    char unseen[512] = "";
    size_t used = 0;
    if (chosen == work->state.count) {
        return xylem_base__fail(err, XYLEM_E_CONFLICT,
                                "the URL names fewer nodes than the list, and one that it does not name may have more "
                                "than the others: put all nodes into the URL");
    }
    for (size_t i = 0; i < work->state.count && used < sizeof unseen; i++) {
        const struct fleet_node_state *at = &work->state.nodes[i];
        if (i == chosen || !is_there(at)) {
            used += (size_t)snprintf(unseen + used, sizeof unseen - used, "%s%s (%.150s)", used > 0 ? ", " : "",
                                     name_of(at),
                                     is_there(at) ? "it is on an older timeline, or not in the list" : at->why);
        }
    }
    return xylem_base__fail(err, XYLEM_E_CONFLICT,
                            "refused: a node that is not seen may have acknowledged changes that the others lack. "
                            "Start each standby among these, or the primary itself, then run the command again: %s",
                            unseen);
}

/* The list of the lost primary counts, and the others tell it only if all have one. */
static int find_list(const struct work *work, const struct fleet_node_state **found, struct xylem_error *err)
{
    const struct fleet_node_state *first = NULL;
    for (size_t i = 0; i < work->state.count; i++) {
        const struct fleet_node_state *at = &work->state.nodes[i];
        if (!is_there(at)) {
            continue;
        }
        first = first ? first : at;
        if (!at->is_superuser) {
            return xylem_base__fail(err, XYLEM_E_CONFLICT,
                                    "this login is no superuser on %s, and only a superuser may point a standby at "
                                    "another node: run this with the URL of the operator. Nothing was done",
                                    name_of(at));
        }
        if (!is_synced(at)) {
            return xylem_base__fail(err, XYLEM_E_CONFLICT, "%s", at->why);
        }
        if (!at->quorum_understood || strcmp(first->list, at->list) != 0) {
            return xylem_base__fail(err, XYLEM_E_CONFLICT,
                                    "synchronous_standby_names of %s is `%s` and of %s `%s`: who may be promoted "
                                    "depends on the list of the lost primary; give all nodes that list, then run the "
                                    "command again",
                                    name_of(first), first->list, name_of(at), at->list);
        }
    }
    *found = first;
    return first ? XYLEM_OK : xylem_base__fail(err, XYLEM_E_IO, "no node answers: %s", work->state.nodes[0].why);
}

/* Replay rests if all standbys that are cut off stood in one place for a while, and wait for WAL that nobody sends. */
static void watch_replay(struct work *work)
{
    int64_t now = xylem_base__steady_ms();
    for (size_t i = 0; i < work->state.count; i++) {
        const struct fleet_node *node = &work->state.nodes[i].node;
        bool moves = node->cut_off && !(work->plain[i].cut_off && work->plain[i].place == node->place);
        work->moved = moves ? now : work->moved;
        work->plain[i] = *node;
    }
    for (size_t i = 0; i < work->state.count; i++) {
        work->plain[i].still = work->plain[i].still && now - work->moved >= REST_MS;
    }
}

static int look_again(struct work *work, const struct fleet_node_state **lister, struct xylem_error *err)
{
    fleet_cluster_look(&work->state, work->nodes);
    watch_replay(work);
    if (work->dead && (!*work->dead || !find_node(&work->state, work->dead))) {
        return xylem_base__fail(err, XYLEM_E_CONFLICT,
                                "no node has the name %.100s: `xylem fleet status` shows the names", work->dead);
    }
    return find_list(work, lister, err);
}

static int give_up_or_wait(const struct work *work, size_t chosen, struct xylem_error *err)
{
    if (xylem_base__steady_ms() - work->moved > SETTLE_MS) {
        return xylem_base__fail(err, XYLEM_E_IO,
                                "the replay of %s does not come to rest: is it paused (SELECT pg_wal_replay_resume()), "
                                "or delayed by recovery_min_apply_delay? Then run the command again",
                                name_of(&work->state.nodes[chosen]));
    }
    rest(POLL_MS);
    return XYLEM_OK;
}

static int no_quorum(const struct fleet_node_state *lister, struct xylem_error *err)
{
    return xylem_base__fail(
        err, XYLEM_E_CONFLICT,
        "the list `%s` %s, so nobody knows who has all: choose by hand (pg_promote()), and expect losses", lister->list,
        lister->quorum.star ? "has `*`: any client that takes a name acknowledges" : "acknowledges without a standby");
}

static int promote(struct work *work, struct xylem_error *err)
{
    int code = XYLEM_OK;
    while (code == XYLEM_OK) {
        const struct fleet_node_state *lister;
        size_t chosen;
        if ((code = look_again(work, &lister, err)) < 0) {
            return code;
        }
        switch (fleet_promotion_choose(&chosen, work->plain, work->state.count, &lister->quorum, work->dead)) {
        case FLEET_PROMOTE:
            code = promote_farthest(work, chosen, err);
            break;
        case FLEET_PROMOTE_PRIMARY_LIVES:
            return primary_lives(work, chosen, err);
        case FLEET_PROMOTE_TOO_FEW:
            return too_few(work, chosen, err);
        case FLEET_PROMOTE_NO_QUORUM:
            return no_quorum(lister, err);
        case FLEET_PROMOTE_CUT_FIRST:
            code = cut_off(work, chosen, err);
            break;
        case FLEET_PROMOTE_WAIT:
            code = give_up_or_wait(work, chosen, err);
            break;
        }
    }
    return code;
}

int fleet_cluster_promote(const struct fleet_nodes *nodes, const char *dead, fleet_step *step, void *context,
                          struct xylem_error *err)
{
    struct work work = {.nodes = nodes, .dead = dead, .step = step, .context = context};
    struct xylem_error said = {0};
    int code = promote(&work, &said);
    return code == XYLEM_OK
               ? code
               : xylem_base__fail(err, code, "%s%s", said.text,
                                  code == XYLEM_E_IO ? ". Nothing is lost; the command may be run again" : "");
}

/* --- What redactions left in the files ---------------------------------------------------------------------------------- */

/* Who keeps row versions that nobody else needs. */
static const char holders_query[] =
    "SELECT coalesce(string_agg(w, ', '), 'a transaction that has ended meanwhile: run the command again') FROM ("
    "SELECT format('process %s of %s%s, which began %s ago', pid, coalesce(usename, backend_type),"
    " CASE WHEN application_name <> '' THEN ' (' || application_name || ')' END,"
    " date_trunc('second', now() - coalesce(xact_start, backend_start))) w FROM pg_stat_activity"
    " WHERE (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL) AND pid <> pg_backend_pid()"
    " AND backend_type IN ('client backend', 'walsender', 'parallel worker') UNION ALL"
    " SELECT format('replication slot %s', slot_name) FROM pg_replication_slots WHERE xmin IS NOT NULL OR"
    " catalog_xmin IS NOT NULL UNION ALL"
    " SELECT format('prepared transaction %s', gid) FROM pg_prepared_xacts) x";

/* `times` counts redactions: a text that was taken out meanwhile keeps the row. */
static const char tables_query[] =
    "SELECT kind || '_' || part, format('DELETE FROM xylem.rewritten WHERE part = %s AND times = %s', part, times),"
    " kind = 'heads' FROM xylem.rewritten, unnest('{segments,chunks,heads}'::text[]) WITH ORDINALITY k(kind, n)"
    " ORDER BY part, n";

struct rewriting {
    const char *table;
    uint64_t kept; /* dead row versions */
    bool counted;
};

/* The first number of the detail counts the dead row versions that stay, in any language of the server. */
static void hear_vacuum(void *context, const char *text, const char *detail)
{
    struct rewriting *rewriting = context;
    if (detail && strstr(text, rewriting->table)) {
        detail += strcspn(detail, "0123456789");
        rewriting->counted = rewriting->counted || *detail;
        rewriting->kept += strtoull(detail, NULL, 10);
    }
}

/* Tries for some seconds: the holder may be a transaction that ends soon. */
static int rewrite_table(const struct work *work, struct fleet_sql *sql, const char *table, struct xylem_error *err)
{
    char holders[512] = "";
    char statement[128];
    (void)snprintf(statement, sizeof statement, "VACUUM (FULL, VERBOSE) xylem.%.80s", table);
    for (int tries = 0; tries < 4; tries++) {
        struct rewriting rewriting = {.table = table};
        struct fleet_sql_rows *rows = NULL;
        int code = ask(sql, &rows, holders_query, err);
        copy(holders, sizeof holders, code == XYLEM_OK ? cell(rows, 0, 0) : "");
        fleet_sql_rows_free(rows);
        fleet_sql_listen(sql, hear_vacuum, &rewriting);
        code = code == XYLEM_OK ? fleet_sql_run(sql, NULL, statement, NULL, 0, VACUUM_MS, err) : code;
        fleet_sql_listen(sql, NULL, NULL);
        if (code < 0 || (rewriting.counted && rewriting.kept == 0)) {
            return code;
        }
        tell(work, "%s keeps %llu old row versions; held by %s; tries again", table, (unsigned long long)rewriting.kept,
             holders);
        rest(1000);
    }
    return xylem_base__fail(err, XYLEM_E_CONFLICT,
                            "not done: %s still has redacted text, kept for %s; end that, then run the command again",
                            table, holders);
}

static int rewrite_tables(const struct work *work, struct fleet_sql *sql, struct xylem_error *err)
{
    struct fleet_sql_rows *rows = NULL;
    int code = ask(sql, &rows, tables_query, err);
    size_t count = code == XYLEM_OK ? fleet_sql_row_count(rows) : 0;
    if (code == XYLEM_OK && count == 0) {
        tell(work, "no part of the tables holds redacted text");
    }
    for (size_t i = 0; code == XYLEM_OK && i < count; i++) {
        tell(work, "rewrites %s", cell(rows, i, 0));
        code = rewrite_table(work, sql, cell(rows, i, 0), err);
        if (code == XYLEM_OK && cell_is(rows, i, 2, "t")) {
            code = fleet_sql_run(sql, NULL, cell(rows, i, 1), NULL, 0, COMMIT_MS, err);
        }
    }
    fleet_sql_rows_free(rows);
    return code;
}

/* The file that a table had before is empty at once, and removed by a checkpoint; a standby first replays all of that. */
static int checkpoint(const struct work *work, size_t at, const char *place, struct xylem_error *err)
{
    char query[128];
    (void)snprintf(query, sizeof query, "SELECT NOT pg_is_in_recovery() OR pg_last_wal_replay_lsn() >= '%.40s'", place);
    tell(work, "makes a checkpoint on %s", fleet_nodes_name(work->nodes, at));
    int code = wait_until(work, at, query, "does not replay: run the command again when it does", err);
    return code < 0 ? code : run_on(work, at, "CHECKPOINT", VACUUM_MS, NULL, err);
}

/* The primary first. Every node is tried; the first failure is told. */
static int checkpoint_all(const struct work *work, struct fleet_sql *sql, size_t primary, struct xylem_error *err)
{
    struct fleet_sql_rows *rows = NULL;
    int code = checkpoint(work, primary, "0/0", err);
    code = code == XYLEM_OK ? ask(sql, &rows, "SELECT pg_current_wal_flush_lsn()", err) : code;
    bool primary_done = code == XYLEM_OK;
    for (size_t i = 0; primary_done && i < fleet_nodes_count(work->nodes); i++) {
        struct xylem_error other;
        int result = i == primary ? XYLEM_OK : checkpoint(work, i, cell(rows, 0, 0), &other);
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
    struct work work = {.nodes = nodes, .step = step, .context = context};
    struct fleet_sql *sql;
    size_t primary;
    int code = fleet_sql_open_writable(&sql, nodes, &primary, err);
    if (code < 0) {
        return code;
    }
    code = rewrite_tables(&work, sql, err);
    code = code == XYLEM_OK ? checkpoint_all(&work, sql, primary, err) : code;
    fleet_sql_close(sql);
    return code;
}
