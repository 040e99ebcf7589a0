/*
 * xylem fleet status: whether the cluster acknowledges, each node, what of this store is not acknowledged yet, and what to
 * do next.
 */
#include "fleet/cli/cli.h"
#include "fleet/cluster.h"
#include "fleet/shipper.h"
#include "xylem/entry.h"
#include "xylem/feed.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/numbers.h"

struct status {
    struct fleet_cli fleet;
    struct fleet_cluster_state *cluster;
    bool asked;    /* the engine was asked for its rows */
    char why[512]; /* it was not: why */
    bool has_store;
    uint64_t owned_count; /* sessions of the fleet that this store owns */
    uint64_t followed_count;
    uint64_t other_count;               /* sessions of the fleet that the store does not have */
    uint64_t lag_changes;               /* of its own sessions */
    uint64_t lagging_count;             /* sessions */
    struct xylem_base__numbers lagging; /* their numbers */
    int64_t lag_ms;                     /* age of the oldest change that is not acknowledged; -1: not known */
    struct xylem_cli__text fenced;      /* elements of a list, or lines */
    uint64_t fenced_count;
    uint64_t tail_count; /* of these, sessions with changes that only this store has */
};

/* --- This store --------------------------------------------------------------------------------------------------- */

static void add_fenced(struct status *status, const struct fleet_row *row, bool json)
{
    struct xylem_cli__text *text = &status->fenced;
    const struct xylem_cli *cli = status->fleet.cli;
    struct xylem_view host = row->unowned ? xylem_view_of("nobody") : row->host;
    status->fenced_count++;
    if (json) {
        xylem_cli__json_begin(text, '{');
        xylem_cli__member_string(text, "session", row->id);
        xylem_cli__member_maybe(text, "host", row->unowned ? (struct xylem_view){NULL, 0} : row->host);
        xylem_cli__member_count(text, "epoch", row->epoch);
        xylem_cli__json_end(text, '}');
        return;
    }
    xylem_cli__add(text, "fenced     ");
    xylem_cli__add_shown(cli, text, row->id, XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_cli__add(text, ": ");
    xylem_cli__add_shown(cli, text, host, XYLEM_CLI__ONE_LINE, SIZE_MAX);
    xylem_cli__add(text, " has it\n");
}

struct joining {
    struct status *status;
    bool json;
};

static int join(struct fleet_cli *fleet, void *context, const struct fleet_row *row)
{
    struct joining *joining = context;
    struct status *status = joining->status;
    struct xylem_session session;
    int code = fleet->cli->txn ? xylem_cli__session_exact(fleet->cli, &session, row->id) : 0;
    if (code <= 0) {
        status->other_count++;
        return code;
    }
    bool follows = session.owner.bytes > 0;
    bool owned = !follows && row->mine && session.epoch == row->epoch;
    status->followed_count += follows ? 1 : 0;
    status->owned_count += owned ? 1 : 0;
    if (owned && session.history.count + 1 > row->next) {
        status->lagging_count++;
        status->lag_changes += session.history.count + 1 - row->next;
        return xylem_base__numbers_add(&status->lagging, session.number, &fleet->cli->err);
    }
    if (!follows && !owned && session.epoch > 0) {
        status->tail_count += session.history.count + 1 > row->next ? 1 : 0;
        add_fenced(status, row, joining->json);
    }
    return 0;
}

/* The age of the first change behind the cursor that is of a session with a lag. */
static int find_age(struct status *status)
{
    struct xylem_cli *cli = status->fleet.cli;
    struct fleet_cursor cursor;
    struct xylem_feed *feed = NULL;
    struct xylem_change change;
    struct xylem_entry entry;
    status->lag_ms = status->lagging_count == 0 ? 0 : -1;
    if (status->lagging_count == 0 || fleet_cursor_read(&cursor, cli->txn, status->fleet.engine->id, &cli->err) != 1) {
        return 0;
    }
    xylem_base__numbers_sort(&status->lagging);
    int code = xylem_feed_new(&feed, cli->txn, cursor.cursor.lsn > 0 ? &cursor.cursor : NULL, &cli->err);
    while (code == 0 && status->lag_ms < 0 && (code = xylem_feed_next(&change, feed, &cli->err)) == 1) {
        code = 0;
        if (change.type == XYLEM_CHANGE_ENTRY && xylem_base__numbers_have(&status->lagging, change.session) &&
            xylem_entry_read(&entry, cli->txn, change.position, &cli->err) == 0) {
            int64_t age_ms = xylem_base__now_ms() - entry.time_ms;
            status->lag_ms = age_ms > 0 ? age_ms : 0;
        }
    }
    xylem_feed_free(feed);
    return code == XYLEM_E_CONFLICT || code > 0 ? 0 : code; /* another life of the store: the next ship begins anew */
}

/* An engine that does not answer is a finding, and no error. */
static int look_at_store(struct status *status, bool json)
{
    struct fleet_cli *fleet = &status->fleet;
    struct joining joining = {status, json};
    int code = fleet_cli_open_if_there(fleet);
    status->has_store = fleet->cli->txn;
    if (code < 0) {
        return code;
    }
    const struct fleet_postgres_options options = {.allow_single = true};
    xylem_cli__signals_defer();
    code = fleet_engine_postgres(&fleet->engine, fleet->nodes, &options, &fleet->cli->err);
    code = code < 0 ? code : fleet_cli_token_read(fleet);
    code = code < 0 ? code : fleet_cli_each_row(fleet, join, &joining);
    code = code < 0 || !status->has_store ? code : find_age(status);
    status->asked = code == 0;
    if (code < 0 && code != XYLEM_E_STOPPED && code != XYLEM_E_CORRUPT && code != XYLEM_E_MEMORY) {
        size_t bytes = xylem_cli__least(strlen(fleet->cli->err.text), sizeof status->why - 1);
        memcpy(status->why, fleet->cli->err.text, bytes);
        status->why[bytes] = '\0';
        code = 0;
    }
    return code;
}

/* What the primary sees of a standby. NULL: nothing. */
static const struct fleet_standby *seen(const struct fleet_cluster_state *cluster, const char *name)
{
    const struct fleet_node_state *primary =
        cluster->primary < cluster->count ? &cluster->nodes[cluster->primary] : NULL;
    for (size_t i = 0; primary && i < primary->standby_count; i++) {
        if (strcmp(primary->standbys[i].name, name) == 0) {
            return &primary->standbys[i];
        }
    }
    return NULL;
}

/* --- What to do next ---------------------------------------------------------------------------------------------- */

static const char *next_step(const struct status *status)
{
    const struct fleet_cluster_state *cluster = status->cluster;
    bool standby = false;
    bool refused = false; /* a node runs, and does not let this user in */
    size_t missing = 0;   /* nodes that neither take writes nor follow */
    for (size_t i = 0; i < cluster->count; i++) {
        const struct fleet_standby *seen_as = seen(cluster, cluster->nodes[i].node.name);
        standby = standby || cluster->nodes[i].node.role == FLEET_NODE_STANDBY;
        refused = refused || strstr(cluster->nodes[i].why, "password") || strstr(cluster->nodes[i].why, "SSL") ||
                  strstr(cluster->nodes[i].why, "pg_hba.conf") || strstr(cluster->nodes[i].why, "does not exist");
        missing += i != cluster->primary && (!seen_as || !seen_as->streaming) ? 1 : 0;
    }
    if (cluster->primary == cluster->count) {
        return refused   ? "a node runs and refuses: look at user and database of the URL, ~/.pgpass, and PGSSLROOTCERT"
               : standby ? "start the primary again; if it is lost for good, `xylem fleet promote`"
                         : "start the nodes of the cluster; hosts keep their changes, and ship them later";
    }
    if (!cluster->acknowledges) {
        return "mend what is named above; until then hosts keep their changes, and ship them later";
    }
    if (!status->asked) {
        return "see the reason above";
    }
    if (missing > 0) {
        return "bring back the node that does not follow: one loss more may stop writes. An old primary returns by a "
               "new base backup";
    }
    return status->tail_count > 0 ? "`xylem fleet ship` keeps as forks what another host took over without having all"
           : status->fenced_count > 0 ? "`xylem fleet pull ID` follows a session that another host took over"
           : status->lag_changes > 0  ? "`xylem fleet ship` sends the rest, if no `ship --follow` runs"
                                      : "nothing is to be done";
}

/* --- For people --------------------------------------------------------------------------------------------------- */

static const char *role_word(enum fleet_node_role role)
{
    return role == FLEET_NODE_PRIMARY ? "primary" : role == FLEET_NODE_STANDBY ? "standby" : "unreachable";
}

static void add_node_says(const struct xylem_cli *cli, struct xylem_cli__text *cell, const struct status *status,
                          size_t at)
{
    const struct fleet_cluster_state *cluster = status->cluster;
    const struct fleet_node_state *state = &cluster->nodes[at];
    const struct fleet_standby *standby = seen(cluster, state->node.name);
    if (state->node.role == FLEET_NODE_UNREACHABLE) {
        size_t bytes = strlen(state->where); /* the reason begins with it, and the row has it */
        bool again = strncmp(state->why, state->where, bytes) == 0 && strncmp(state->why + bytes, ": ", 2) == 0;
        xylem_cli__add_shown(cli, cell, xylem_view_of(state->why + (again ? bytes + 2 : 0)), XYLEM_CLI__ONE_LINE,
                             SIZE_MAX);
        return;
    }
    xylem_cli__add(cell, state->fsync ? "" : "fsync is off; ");
    xylem_cli__add(cell, state->full_page_writes ? "" : "full_page_writes is off; ");
    if (at == cluster->primary) {
        xylem_cli__add(cell, "waits for ");
        xylem_cli__add_shown(cli, cell, xylem_view_of(*state->list != '\0' ? state->list : "nobody"),
                             XYLEM_CLI__ONE_LINE, SIZE_MAX);
    } else if (state->node.role == FLEET_NODE_PRIMARY) {
        xylem_cli__add(cell, "an old primary: nothing is acknowledged there; it returns by a new base backup");
    } else {
        xylem_cli__add(cell, standby && standby->streaming
                                 ? standby->counts ? "follows, and counts" : "follows, does not count"
                             : state->receiving ? "receives"
                                                : "receives from nobody");
    }
}

static int put_nodes(struct xylem_cli *cli, const struct status *status)
{
    static const struct xylem_cli__column columns[] = {{.title = "NODE", .color = XYLEM_CLI__YELLOW},
                                                       {.title = "WHERE"},
                                                       {.title = "ROLE"},
                                                       {.title = "TIMELINE", .right = true},
                                                       {.title = "SAYS", .cut_cells = 12}};
    struct xylem_cli__table table = {.columns = columns, .column_count = 5};
    for (size_t i = 0; i < status->cluster->count; i++) {
        const struct fleet_node_state *state = &status->cluster->nodes[i];
        bool there = state->node.role != FLEET_NODE_UNREACHABLE;
        xylem_cli__add_shown(cli, &table.cell, xylem_view_of(*state->node.name != '\0' ? state->node.name : "-"),
                             XYLEM_CLI__ONE_LINE, SIZE_MAX);
        xylem_cli__table_end_cell(&table);
        xylem_cli__add_shown(cli, &table.cell, xylem_view_of(state->where), XYLEM_CLI__ONE_LINE, SIZE_MAX);
        xylem_cli__table_end_cell(&table);
        xylem_cli__table_add(&table, xylem_view_of(role_word(state->node.role)));
        xylem_cli__addf(&table.cell, there ? "%" PRIu64 : "-", state->node.timeline);
        xylem_cli__table_end_cell(&table);
        add_node_says(cli, &table.cell, status, i);
        xylem_cli__table_end_cell(&table);
    }
    int code = xylem_cli__table_put(cli, &table);
    xylem_cli__table_release(&table);
    return code;
}

static void add_lag(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct status *status)
{
    xylem_cli__add(text, "lag        ");
    if (status->lag_changes == 0) {
        xylem_cli__add(text, "none: all that was shipped from here is acknowledged\n");
        return;
    }
    xylem_cli__add_counted(text, status->lag_changes, "change of ", "changes of ");
    xylem_cli__add_counted(text, status->lagging_count, "session", "sessions");
    if (status->lag_ms >= 0) {
        xylem_cli__add(text, ", the oldest for ");
        if (status->lag_ms < 10000) {
            xylem_cli__addf(text, "%" PRId64 " ms", status->lag_ms);
        } else {
            xylem_cli__add_age(cli, text, cli->now_ms - status->lag_ms);
        }
    }
    xylem_cli__add(text, "\n");
}

static int put_words(struct xylem_cli *cli, struct status *status)
{
    const struct fleet_cluster_state *cluster = status->cluster;
    struct xylem_cli__text text = {0};
    xylem_cli__add(&text, "quorum     ");
    if (cluster->acknowledges) {
        xylem_cli__add(&text, "yes: what is acknowledged is on the disks of two nodes\n");
    } else {
        xylem_cli__add(&text, "no: ");
        xylem_cli__add_shown(cli, &text, xylem_view_of(cluster->why_not), XYLEM_CLI__ONE_LINE, SIZE_MAX);
        xylem_cli__add(&text, "\n");
    }
    int code = xylem_cli__put(cli, &text);
    code = code == 0 ? put_nodes(cli, status) : code;
    if (!status->asked && cluster->primary < cluster->count) { /* else the table has the reasons */
        xylem_cli__add(&text, "engine     ");
        xylem_cli__add_shown(cli, &text, xylem_view_of(status->why), XYLEM_CLI__ONE_LINE, SIZE_MAX);
        xylem_cli__add(&text, "\n");
    } else if (status->asked) {
        xylem_cli__addf(&text, "host       %s%s\n", status->fleet.config.host, status->has_store ? "" : " (no store)");
        xylem_cli__add(&text, "sessions   ");
        xylem_cli__add_counted(&text, status->owned_count, "owned here", "owned here");
        xylem_cli__addf(&text, ", %" PRIu64 " followed, %" PRIu64 " not here\n", status->followed_count,
                        status->other_count);
        add_lag(cli, &text, status);
        struct xylem_view fenced = xylem_cli__text_view(&status->fenced);
        xylem_cli__add_bytes(&text, fenced.data, fenced.bytes);
    }
    xylem_cli__addf(&text, "next       %s\n", next_step(status));
    return code < 0 ? code : xylem_cli__put_output(cli, &text, false);
}

/* --- For programs ------------------------------------------------------------------------------------------------- */

static void add_node(struct xylem_cli__text *text, const struct fleet_cluster_state *cluster, size_t at)
{
    const struct fleet_node_state *state = &cluster->nodes[at];
    const struct fleet_standby *standby = seen(cluster, state->node.name);
    bool there = state->node.role != FLEET_NODE_UNREACHABLE;
    xylem_cli__json_begin(text, '{');
    xylem_cli__member_maybe(text, "name",
                            *state->node.name != '\0' ? xylem_view_of(state->node.name) : (struct xylem_view){NULL, 0});
    xylem_cli__member_string(text, "where", xylem_view_of(state->where));
    xylem_cli__member_string(text, "role", xylem_view_of(role_word(state->node.role)));
    xylem_cli__member_bool(text, "takes_writes", at == cluster->primary);
    if (there) {
        xylem_cli__member_count(text, "timeline", state->node.timeline);
        xylem_cli__member_bool(text, "fsync", state->fsync);
        xylem_cli__member_bool(text, "full_page_writes", state->full_page_writes);
        xylem_cli__member_string(text, "list", xylem_view_of(state->list));
        xylem_cli__member_bool(text, "streaming", standby && standby->streaming);
        xylem_cli__member_bool(text, "counts", standby && standby->counts);
    } else {
        xylem_cli__member_string(text, "why", xylem_view_of(state->why));
    }
    xylem_cli__json_end(text, '}');
}

static int put_document(struct xylem_cli *cli, const struct status *status)
{
    const struct fleet_cluster_state *cluster = status->cluster;
    struct xylem_cli__text text = {0};
    xylem_cli__json_document(&text);
    xylem_cli__member_bool(&text, "acknowledges", cluster->acknowledges);
    xylem_cli__member_maybe(&text, "why_not",
                            cluster->acknowledges ? (struct xylem_view){NULL, 0} : xylem_view_of(cluster->why_not));
    xylem_cli__member_begin(&text, "nodes", '[');
    for (size_t i = 0; i < cluster->count; i++) {
        add_node(&text, cluster, i);
    }
    xylem_cli__json_end(&text, ']');
    xylem_cli__member_maybe(&text, "engine_error",
                            status->asked ? (struct xylem_view){NULL, 0} : xylem_view_of(status->why));
    xylem_cli__member_string(&text, "host", xylem_view_of(status->fleet.config.host));
    if (status->asked) {
        xylem_cli__member_count(&text, "owned", status->owned_count);
        xylem_cli__member_count(&text, "followed", status->followed_count);
        xylem_cli__member_count(&text, "not_here", status->other_count);
        xylem_cli__member_count(&text, "lag_changes", status->lag_changes);
        if (status->lag_ms >= 0) {
            xylem_cli__member_count(&text, "lag_ms", (uint64_t)status->lag_ms);
        }
        xylem_cli__member_list(&text, "fenced", &status->fenced);
    }
    xylem_cli__member_string(&text, "next", xylem_view_of(next_step(status)));
    xylem_cli__json_end(&text, '}');
    return xylem_cli__put_output(cli, &text, true);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct xylem_cli__form *given = options;
    struct status status = {.fleet = {.cli = cli}};
    (void)arguments;
    int code = fleet_cli_nodes(&status.fleet, cli);
    status.cluster = code == 0 ? calloc(1, sizeof *status.cluster) : NULL;
    if (code == 0 && !status.cluster) {
        code = xylem_cli__fail_memory(cli);
    }
    code = code == 0 ? fleet_cluster_look(status.cluster, status.fleet.nodes, &cli->err) : code;
    code = code == 0 ? look_at_store(&status, given->json) : code;
    if (code == 0) {
        bool well = status.asked && status.cluster->acknowledges && status.fenced_count == 0;
        code = given->json ? put_document(cli, &status) : put_words(cli, &status);
        code = code == 0 && !well ? XYLEM_CLI__PROBLEM : code;
    }
    xylem_cli__text_release(&status.fenced);
    free(status.lagging.list);
    free(status.cluster);
    fleet_cli_end(&status.fleet);
    return code;
}

const struct xylem_cli__command fleet_cli_status = {
    .name = "fleet status",
    .summary = "Say whether the fleet acknowledges, what is not shipped yet, and what to do next",
    .usage = "[--json]",
    .details =
        "The exit code is 0 if the engine acknowledges on two nodes and no session of this store was taken over, else\n"
        "1. A lag is no problem: changes wait for the next shipment.\n",
    .options = xylem_cli__form_json,
    .options_bytes = sizeof(struct xylem_cli__form),
    .run = run,
};
