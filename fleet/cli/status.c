/*
 * xylem fleet status: shows whether the cluster acknowledges, the state of each node, the changes of this store that are
 * not acknowledged, and the next step.
 */
#include "fleet/cli/cli.h"
#include "fleet/cluster.h"
#include "fleet/shipper.h"
#include "xylem/entry.h"
#include "xylem/feed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/numbers.h"

#define NARROW_CELLS 80u

/* A session of this store, of which the engine lacks changes. */
struct lagging {
    uint64_t number;
    uint64_t next; /* the first ordinal that is not acknowledged */
};

struct status {
    struct fleet_cli *fleet;
    struct fleet_cluster_state cluster;
    bool asked;           /* the engine was asked for its rows */
    char why[512];        /* if the engine was not asked: the reason */
    uint64_t owned_count; /* sessions of the fleet that this store owns */
    uint64_t followed_count;
    uint64_t other_count;            /* sessions of the fleet that the store does not have */
    struct xylem_base__numbers seen; /* sessions that are here and in the engine */
    uint64_t unshipped_count;        /* sessions that never were in the engine */
    uint64_t lacking_count;          /* sessions of other hosts that are here, and not in the engine */
    uint64_t lag_changes;            /* changes of owned sessions that the engine lacks */
    struct lagging *lagging;         /* the owned sessions with a lag, by number */
    size_t lagging_count;
    size_t lagging_capacity;
    int64_t lag_ms;                /* since when the oldest change waits for an acknowledgement; -1: not known */
    struct xylem_cli__text fenced; /* elements of a list, or lines */
    uint64_t fenced_count;
    uint64_t tail_count;         /* fenced sessions with changes that only this store has */
    struct xylem_cli__text next; /* what to do */
};

/* --- This store --------------------------------------------------------------------------------------------------- */

static void add_fenced(struct status *status, const struct fleet_row *row)
{
    struct xylem_cli__text *text = &status->fenced;
    const struct xylem_cli *cli = status->fleet->cli;
    struct xylem_view host = fleet_cli_owner(row);
    status->fenced_count++;
    if (status->fleet->given->form.json) {
        xylem_cli__json_begin(text, '{');
        xylem_cli__member_string(text, "session", row->id);
        xylem_cli__member_maybe(text, "host", host);
        xylem_cli__member_count(text, "epoch", row->epoch);
        xylem_cli__json_end(text, '}');
        return;
    }
    xylem_cli__add(text, "fenced     ");
    xylem_cli__add_shown(cli, text, row->id, XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_cli__add(text, ": ");
    xylem_cli__add_shown(cli, text, host.data ? host : xylem_view_of("nobody"), XYLEM_CLI__ONE_LINE, SIZE_MAX);
    xylem_cli__add(text, " has it\n");
}

static int add_lagging(struct status *status, const struct xylem_session *session, uint64_t next)
{
    const struct lagging lagging = {session->number, next};
    status->lag_changes += session->history.count + 1 - next;
    return xylem_cli__list_add(status->fleet->cli, &status->lagging, &status->lagging_count, &status->lagging_capacity,
                               &lagging, sizeof lagging);
}

static int join(struct fleet_cli *fleet, void *context, const struct fleet_row *row)
{
    struct status *status = context;
    struct xylem_session session;
    int code = fleet->cli->txn ? xylem_cli__session_exact(fleet->cli, &session, row->id) : 0;
    if (code <= 0) {
        status->other_count++;
        return code;
    }
    uint64_t lag = session.history.count + 1 > row->next ? session.history.count + 1 - row->next : 0;
    enum fleet_cli_here here = fleet_cli_here(&session, row);
    status->followed_count += here == FLEET_CLI_FOLLOWS;
    status->owned_count += here == FLEET_CLI_OWNS;
    code = xylem_base__numbers_add(&status->seen, session.number, &fleet->cli->err);
    if (here == FLEET_CLI_FENCED) {
        status->tail_count += lag > 0;
        add_fenced(status, row);
    } else if (code == 0 && here == FLEET_CLI_OWNS && lag > 0) {
        code = add_lagging(status, &session, row->next);
    }
    return code;
}

/* What the engine does not have at all. */
static int look_at_session(struct xylem_cli *cli, void *context, const struct xylem_session *session)
{
    struct status *status = context;
    (void)cli;
    if (session->state != XYLEM_SESSION_LIVE || session->history.count == 0 ||
        xylem_base__numbers_have(&status->seen, session->number)) {
        return 0;
    }
    status->lacking_count += session->owner.bytes > 0;
    status->unshipped_count += session->owner.bytes == 0 && session->epoch == 0;
    return session->owner.bytes == 0 && session->epoch > 0 ? add_lagging(status, session, 1) : 0;
}

static int order(const void *left, const void *right)
{
    uint64_t a = ((const struct lagging *)left)->number;
    uint64_t b = ((const struct lagging *)right)->number;
    return (a > b) - (a < b);
}

static bool is_waiting(const struct status *status, const struct xylem_change *change)
{
    const struct lagging key = {.number = change->session};
    const struct lagging *found = bsearch(&key, status->lagging, status->lagging_count, sizeof key, order);
    return found && change->ordinal >= found->next;
}

/*
 * Finds the first change behind the cursor that waits, and since when. A store keeps no times of its commits: the change came
 * with the newest entry up to it, since what a claim or an import brings before may be old.
 */
static int find_age(struct status *status)
{
    struct xylem_cli *cli = status->fleet->cli;
    int64_t newest_ms = INT64_MIN;
    struct fleet_cursor cursor;
    struct xylem_feed *feed = NULL;
    struct xylem_change change;
    struct xylem_entry entry;
    status->lag_ms = status->lagging_count == 0 ? 0 : -1;
    if (status->lagging_count == 0 ||
        fleet_cursor_read(&cursor, cli->txn, status->fleet->waiting.engine->id, &cli->err) != 1) {
        return 0;
    }
    qsort(status->lagging, status->lagging_count, sizeof *status->lagging, order);
    int code = xylem_feed_new(&feed, cli->txn, cursor.cursor.lsn > 0 ? &cursor.cursor : NULL, &cli->err);
    code = code == 0 ? 1 : code;
    while (code == 1 && status->lag_ms < 0 && (code = xylem_feed_next(&change, feed, &cli->err)) == 1) {
        if (change.type == XYLEM_CHANGE_ENTRY && xylem_entry_read(&entry, cli->txn, change.position, &cli->err) == 0 &&
            entry.time_ms > newest_ms) {
            newest_ms = entry.time_ms;
        }
        if (newest_ms > INT64_MIN && is_waiting(status, &change)) {
            int64_t age_ms = xylem_base__now_ms() - newest_ms;
            status->lag_ms = age_ms > 0 ? age_ms : 0;
        }
    }
    xylem_feed_free(feed);
    return code == XYLEM_E_CONFLICT || code > 0 ? 0 : code; /* another life of the store: the next ship begins anew */
}

/* An engine that does not answer is a finding, and no error. */
static int look_at_store(struct status *status)
{
    struct fleet_cli *fleet = status->fleet;
    struct xylem_cli *cli = fleet->cli;
    const struct fleet_postgres_options options = {.allow_single = true};
    int code = fleet_cli_open_if_there(fleet);
    if (code < 0) {
        return code;
    }
    xylem_cli__signals_defer();
    code = fleet_engine_postgres(&fleet->waiting.engine, fleet->nodes, &options, &cli->err);
    code = code < 0 ? code : fleet_cli_token_read(fleet);
    code = code < 0 ? code : fleet_cli_each_row(fleet, join, status);
    xylem_base__numbers_sort(&status->seen);
    code = code < 0 || !cli->txn ? code : xylem_cli__each_session(cli, look_at_session, status);
    code = code < 0 || !cli->txn ? code : find_age(status);
    status->asked = code == 0;
    (void)snprintf(status->why, sizeof status->why, "%s", code < 0 ? cli->err.text : "");
    return code == XYLEM_E_STOPPED || code == XYLEM_E_CORRUPT || code == XYLEM_E_MEMORY ? code : 0;
}

/* --- What nodes say ----------------------------------------------------------------------------------------------- */

/* A node as the table and the document show it. */
struct node {
    const struct fleet_node_state *state;
    const struct fleet_standby
        *standby; /* the node as the primary sees the node; NULL: the primary does not see the node */
    const char *role;
    bool is_up;
    bool takes_writes;
    bool follows;
};

static struct node node_of(const struct fleet_cluster_state *cluster, size_t at)
{
    const struct fleet_node_state *primary = &cluster->nodes[cluster->primary];
    const struct fleet_node_state *state = &cluster->nodes[at];
    struct node node = {
        .state = state, .is_up = state->node.role != FLEET_NODE_UNREACHABLE, .takes_writes = at == cluster->primary};
    for (size_t i = 0; cluster->primary < cluster->count && i < primary->standby_count; i++) {
        if (strcmp(primary->standbys[i].name, state->node.name) == 0) {
            node.standby = &primary->standbys[i];
        }
    }
    node.follows = node.standby && node.standby->streaming;
    node.role = !node.is_up ? "unreachable" : state->node.role == FLEET_NODE_PRIMARY ? "primary" : "standby";
    return node;
}

/* The reason without HOST:PORT: each node has another HOST:PORT. */
static const char *reason_of(const struct fleet_node_state *state)
{
    const char *failed = strstr(state->why, "failed: ");
    size_t bytes = strlen(state->where);
    bool again = strncmp(state->why, state->where, bytes) == 0 && strncmp(state->why + bytes, ": ", 2) == 0;
    return failed ? failed + strlen("failed: ") : state->why + (again ? bytes + 2 : 0);
}

/* --- What to do next ---------------------------------------------------------------------------------------------- */

#define GRANT                                                                                                  \
    "an administrator lets this login in: `GRANT xylem_host TO LOGIN`, and `SELECT xylem.member_set('LOGIN', " \
    "'GROUP')`"

/* A text of a node or of the engine, and the remedy. The first row that fits counts. */
static const struct {
    const char *said;
    const char *next;
} remedies[] = {
    {"member_set", GRANT},
    {"permission denied", GRANT},
    {"schema", "an administrator runs `xylem fleet init`, once for a cluster"},
    {"password",
     "the node runs and refuses the login: write the line HOST:PORT:DATABASE:USER:PASSWORD to ~/.pgpass, and "
     "`chmod 600 ~/.pgpass`; the URL names user and database"},
    {"pg_hba.conf",
     "the node runs and refuses the login: its pg_hba.conf needs a line `hostssl` for this user, database "
     "and address"},
    {"certificate",
     "the node runs, and its certificate is not taken: PGSSLROOTCERT names the file of the CA, and the URL "
     "the name in the certificate"},
    {"not permitted", "the node runs and refuses the login: an administrator runs `ALTER ROLE ... LOGIN`"},
    {"SSL", "the node runs without TLS: set ssl = on there, or say ?sslmode=... in the URL"},
    {"authentication", "the node runs and refuses the login: its pg_hba.conf says how this user proves who that is"},
    {"database \"", "the node runs and has no such database: `createdb` it, or mend the URL; then `xylem fleet init`"},
    {"role \"", "the node runs and has no such user: `CREATE ROLE` it, or mend the URL"},
};

static const char *remedy(const char *said)
{
    for (size_t i = 0; i < sizeof remedies / sizeof *remedies; i++) {
        if (strstr(said, remedies[i].said)) {
            return remedies[i].next;
        }
    }
    return NULL;
}

/* Who keeps the cluster without an interest in sessions. */
static bool needs_no_group(const struct status *status)
{
    const struct fleet_cluster_state *cluster = &status->cluster;
    return cluster->primary < cluster->count && cluster->nodes[cluster->primary].sees_all &&
           strstr(status->why, "member_set");
}

static void find_next(struct status *status)
{
    const struct fleet_cluster_state *cluster = &status->cluster;
    struct xylem_cli__text *next = &status->next;
    struct xylem_cli__text missing = {0}; /* nodes that neither take writes nor follow */
    bool has_primary = cluster->primary < cluster->count;
    bool has_standby = false;
    const char *helps = NULL;
    for (size_t i = 0; i < cluster->count; i++) {
        struct node node = node_of(cluster, i);
        has_standby = has_standby || node.state->node.role == FLEET_NODE_STANDBY;
        /* a node that runs and refuses this user is no reason to promote another */
        helps = helps || !node.state->refused ? helps : remedy(node.state->why);
        if (!node.takes_writes && !node.follows) {
            xylem_cli__addf(&missing, "%s%s", missing.bytes.bytes > 0 ? ", " : "",
                            *node.state->node.name != '\0' ? node.state->node.name : node.state->where);
        }
    }
    const char *names = missing.bytes.bytes > 0 ? missing.bytes.data : NULL;
    if (helps) {
        xylem_cli__add(next, helps);
    } else if (!has_primary) {
        xylem_cli__add(next, has_standby
                                 ? "start the primary again; if it is lost for good, `xylem fleet promote`"
                                 : "start the nodes of the cluster; hosts keep their changes, and ship them later");
    } else if (!cluster->acknowledges) {
        xylem_cli__addf(next, "%s%s; until then hosts keep their changes, and ship them later",
                        names ? "start " : "do what `quorum` says above", names ? names : "");
    } else if (names) {
        xylem_cli__addf(
            next, "bring %s back: one loss more may stop writes. An old primary returns by a new base backup", names);
    } else if (!status->asked && !needs_no_group(status)) {
        helps = remedy(status->why);
        xylem_cli__add(next,
                       helps ? helps : "`xylem fleet status` again: the engine did not answer all that was asked");
    } else {
        xylem_cli__add(next, status->tail_count > 0
                                 ? "`xylem fleet ship` keeps as forks what another host took over without having all"
                             : status->fenced_count > 0
                                 ? "`xylem fleet pull ID` follows a session that another host took over"
                             : status->lag_changes > 0 ? "`xylem fleet ship` sends the rest, if no `ship --follow` runs"
                             : status->lacking_count > 0
                                 ? "the hosts that own the sessions not in the fleet run `xylem fleet ship`; for those "
                                   "of a lost host, `xylem clone ID` goes on here, under another id"
                             : status->unshipped_count > 0
                                 ? "nothing, if what was never shipped is to stay here; `xylem fleet ship --all` sends "
                                   "all of it"
                                 : "nothing is to be done");
    }
    xylem_cli__part_end(next, &missing);
}

/* --- For people --------------------------------------------------------------------------------------------------- */

static void add_line(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *label, const char *before,
                     const char *value)
{
    xylem_cli__addf(text, "%-11s%s", label, before);
    xylem_cli__add_shown(cli, text, xylem_view_of(value), XYLEM_CLI__ONE_LINE, SIZE_MAX);
    xylem_cli__add(text, "\n");
}

static void add_says(struct xylem_cli__text *cell, const struct node *node)
{
    const struct fleet_node_state *state = node->state;
    xylem_cli__add(cell, !node->is_up || state->fsync ? "" : "fsync is off; ");
    xylem_cli__add(cell, !node->is_up || state->full_page_writes ? "" : "full_page_writes is off; ");
    if (node->takes_writes) {
        xylem_cli__addf(cell, "waits for %s", *state->list != '\0' ? state->list : "nobody");
        return;
    }
    xylem_cli__add(cell, !node->is_up                             ? (state->refused ? "refuses" : "does not answer")
                         : state->node.role == FLEET_NODE_PRIMARY ? "an old primary: acknowledges nothing"
                         : node->follows && node->standby->counts ? "follows, and counts"
                         : node->follows                          ? "follows, does not count"
                         : state->receiving                       ? "receives"
                                                                  : "receives from nobody");
}

/* A narrow terminal has no room for WHERE: there NODE shows the place of a node without a name. */
static int put_nodes(struct xylem_cli *cli, const struct fleet_cluster_state *cluster)
{
    static const struct xylem_cli__column columns[] = {{.title = "NODE", .color = XYLEM_CLI__YELLOW},
                                                       {.title = "WHERE"},
                                                       {.title = "ROLE"},
                                                       {.title = "TIMELINE", .right = true},
                                                       {.title = "SAYS", .cut_cells = 12}};
    bool narrow = cli->width > 0 && cli->width < NARROW_CELLS;
    const size_t parts[] = {SIZE_MAX, narrow ? 0 : SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX};
    struct xylem_cli__table table = {.columns = columns, .column_count = 5};
    for (size_t i = 0; i < cluster->count; i++) {
        struct node node = node_of(cluster, i);
        const char *name = *node.state->node.name != '\0' ? node.state->node.name : narrow ? node.state->where : "-";
        xylem_cli__table_add(&table, xylem_view_of(name));
        xylem_cli__table_add(&table, xylem_view_of(node.state->where));
        xylem_cli__table_add(&table, xylem_view_of(node.role));
        xylem_cli__addf(&table.cell, node.is_up ? "%" PRIu64 : "-", node.state->node.timeline);
        xylem_cli__table_end_cell(&table);
        add_says(&table.cell, &node);
        xylem_cli__table_end_cell(&table);
    }
    int code = xylem_cli__table_put_part(cli, &table, parts);
    xylem_cli__table_release(&table);
    return code;
}

/* Adds the reasons of nodes that do not answer, each reason once. A reason is too long for a cell of the table. */
static void add_reasons(const struct xylem_cli *cli, struct xylem_cli__text *text,
                        const struct fleet_cluster_state *cluster)
{
    const char *last = "";
    for (size_t i = 0; i < cluster->count; i++) {
        const char *reason = reason_of(&cluster->nodes[i]);
        if (!node_of(cluster, i).is_up && strcmp(reason, last) != 0) {
            add_line(cli, text, "reason", "", reason);
            last = reason;
        }
    }
}

static void add_lag(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct status *status)
{
    if (status->lag_changes == 0) {
        add_line(cli, text, "lag", "none: ", "all that was shipped from here is acknowledged");
        return;
    }
    xylem_cli__add(text, "lag        ");
    xylem_cli__add_counted(text, status->lag_changes, "change of ", "changes of ");
    xylem_cli__add_counted(text, status->lagging_count, "session", "sessions");
    if (status->lag_ms >= 10000) {
        xylem_cli__add(text, ", the oldest for ");
        xylem_cli__add_age(cli, text, cli->now_ms - status->lag_ms);
    } else if (status->lag_ms >= 0) {
        xylem_cli__addf(text, ", the oldest for %" PRId64 " ms", status->lag_ms);
    }
    xylem_cli__add(text, "\n");
}

static int put_words(struct xylem_cli *cli, const struct status *status)
{
    const struct fleet_cluster_state *cluster = &status->cluster;
    struct xylem_cli__text text = {0};
    add_line(cli, &text, "quorum", cluster->acknowledges ? "yes: " : "no: ",
             cluster->acknowledges ? "what is acknowledged is on the disks of two nodes" : cluster->why_not);
    int code = xylem_cli__put(cli, &text);
    code = code == 0 ? put_nodes(cli, cluster) : code;
    add_reasons(cli, &text, cluster);
    if (status->asked) {
        struct xylem_view fenced = xylem_cli__text_view(&status->fenced);
        add_line(cli, &text, "host", "", status->fleet->config.host);
        xylem_cli__addf(&text,
                        "sessions   %" PRIu64 " owned here, %" PRIu64 " followed, %" PRIu64 " not here, %" PRIu64
                        " never shipped, %" PRIu64 " of others not in the fleet\n",
                        status->owned_count, status->followed_count, status->other_count, status->unshipped_count,
                        status->lacking_count);
        add_lag(cli, &text, status);
        xylem_cli__add_bytes(&text, fenced.data, fenced.bytes);
    } else if (cluster->primary < cluster->count) { /* without a primary the reasons of the nodes say why */
        add_line(cli, &text, "engine", "", status->why);
    }
    add_line(cli, &text, "next", "", status->next.failed ? "" : status->next.bytes.data);
    return code < 0 ? code : xylem_cli__put_output(cli, &text, false);
}

/* --- For programs ------------------------------------------------------------------------------------------------- */

static void add_node(struct xylem_cli__text *text, const struct fleet_cluster_state *cluster, size_t at)
{
    struct node node = node_of(cluster, at);
    const struct fleet_node_state *state = node.state;
    xylem_cli__json_begin(text, '{');
    xylem_cli__member_maybe(text, "name", xylem_view_of(*state->node.name != '\0' ? state->node.name : NULL));
    xylem_cli__member_string(text, "where", xylem_view_of(state->where));
    xylem_cli__member_string(text, "role", xylem_view_of(node.role));
    xylem_cli__member_bool(text, "takes_writes", node.takes_writes);
    if (node.is_up) {
        xylem_cli__member_count(text, "timeline", state->node.timeline);
        xylem_cli__member_bool(text, "fsync", state->fsync);
        xylem_cli__member_bool(text, "full_page_writes", state->full_page_writes);
        xylem_cli__member_string(text, "list", xylem_view_of(state->list));
        xylem_cli__member_bool(text, "streaming", node.follows);
        xylem_cli__member_bool(text, "counts", node.standby && node.standby->counts);
    } else {
        xylem_cli__member_string(text, "why", xylem_view_of(state->why));
    }
    xylem_cli__json_end(text, '}');
}

static int put_document(struct xylem_cli *cli, const struct status *status)
{
    const struct fleet_cluster_state *cluster = &status->cluster;
    struct xylem_cli__text text = {0};
    xylem_cli__json_document(&text);
    xylem_cli__member_bool(&text, "acknowledges", cluster->acknowledges);
    xylem_cli__member_maybe(&text, "why_not", xylem_view_of(cluster->acknowledges ? NULL : cluster->why_not));
    xylem_cli__member_begin(&text, "nodes", '[');
    for (size_t i = 0; i < cluster->count; i++) {
        add_node(&text, cluster, i);
    }
    xylem_cli__json_end(&text, ']');
    xylem_cli__member_maybe(&text, "engine_error", xylem_view_of(status->asked ? NULL : status->why));
    xylem_cli__member_string(&text, "host", xylem_view_of(status->fleet->config.host));
    if (status->asked) {
        xylem_cli__member_count(&text, "owned", status->owned_count);
        xylem_cli__member_count(&text, "followed", status->followed_count);
        xylem_cli__member_count(&text, "not_here", status->other_count);
        xylem_cli__member_count(&text, "never_shipped", status->unshipped_count);
        xylem_cli__member_count(&text, "not_in_fleet", status->lacking_count);
        xylem_cli__member_count(&text, "lag_changes", status->lag_changes);
        if (status->lag_ms >= 0) {
            xylem_cli__member_count(&text, "lag_ms", (uint64_t)status->lag_ms);
        }
        xylem_cli__member_list(&text, "fenced", &status->fenced);
    }
    xylem_cli__member_string(&text, "next", xylem_cli__text_view(&status->next));
    xylem_cli__json_end(&text, '}');
    return xylem_cli__put_output(cli, &text, true);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static int run_status(struct fleet_cli *fleet, char **arguments)
{
    struct xylem_cli *cli = fleet->cli;
    struct status *status = calloc(1, sizeof *status);
    (void)arguments;
    if (!status) {
        return xylem_cli__fail_memory(cli);
    }
    status->fleet = fleet;
    int code = fleet_cli_nodes(fleet);
    if (code == 0) {
        fleet_cluster_look(&status->cluster, fleet->nodes);
        code = look_at_store(status);
    }
    if (code == 0) {
        find_next(status);
        code = fleet->given->form.json ? put_document(cli, status) : put_words(cli, status);
        bool well =
            (status->asked || needs_no_group(status)) && status->cluster.acknowledges && status->fenced_count == 0;
        code = code == 0 && !well ? XYLEM_CLI__PROBLEM : code;
    }
    xylem_cli__text_release(&status->next);
    xylem_cli__text_release(&status->fenced);
    free(status->lagging);
    free(status->seen.list);
    free(status);
    return code;
}

FLEET_CLI_VERB(status, fleet_cli_json_table, .usage = "[--json]",
               .summary = "Say whether the fleet acknowledges, what is not shipped yet, and what to do next",
               .details =
                   "The exit code is 0 if the engine answers and acknowledges on two nodes, and no session of this "
                   "store was taken over, else 1. A lag is no problem: changes wait for the next shipment.\n");
