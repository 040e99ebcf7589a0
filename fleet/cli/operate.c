/* xylem fleet init, promote and redact: what a person who operates the cluster does. Each step is a line. */
#include "fleet/cli/cli.h"
#include "fleet/cluster.h"

static void step(void *context, const char *line)
{
    struct fleet_cli *fleet = context;
    struct xylem_cli__text text = {0};
    if (fleet->given->form.json) {
        xylem_cli__json_string(&fleet->members, xylem_view_of(line));
        return;
    }
    xylem_cli__add_shown(fleet->cli, &text, xylem_view_of(line), XYLEM_CLI__ONE_LINE, SIZE_MAX);
    xylem_cli__add(&text, "\n");
    (void)fleet_cli_put_now(fleet, &text, false); /* a failed write is told at the end */
}

static int end(struct fleet_cli *fleet, int code, const char *done)
{
    bool json = fleet->given->form.json;
    struct xylem_cli__text text = {0};
    if (code < 0) {
        return code;
    }
    if (json) {
        xylem_cli__json_document(&text);
        xylem_cli__member_bool(&text, "done", true);
        xylem_cli__member_list(&text, "steps", &fleet->members);
        xylem_cli__json_end(&text, '}');
    } else {
        xylem_cli__addf(&text, "%s\n", done);
    }
    return xylem_cli__put_output(fleet->cli, &text, json);
}

/* --- init --------------------------------------------------------------------------------------------------------- */

static int run_init(struct fleet_cli *fleet, char **arguments)
{
    (void)arguments;
    int code = fleet_cli_nodes(fleet);
    code =
        code == 0 ? fleet_cluster_init(fleet->nodes, fleet->given->allow_single, step, fleet, &fleet->cli->err) : code;
    return end(fleet, code,
               "ready. Each login of a host needs a group, and the role of a host: `SELECT xylem.member_set('LOGIN', "
               "'GROUP')`, `GRANT xylem_host TO LOGIN`; then `xylem fleet ship --dry-run --all` on a host shows what "
               "would go");
}

static const struct xylem_cli__option init_table[] = {
    FLEET_CLI_FLAG("allow-single", 0, allow_single,
                   "also where one node alone acknowledges: then a lost disk loses sessions"),
    FLEET_CLI_JSON, FLEET_CLI_END};

FLEET_CLI_VERB(init, init_table, .usage = "[--allow-single] [--json]",
               .summary = "Make the fleet's tables, functions and roles in the cluster, or bring them up to date",
               .details =
                   "Run once, as a user of PostgreSQL who may make roles; run again after an upgrade of xylem-fleet. "
                   "Said twice is done once. All nodes of the URL must answer, have fsync on, and name each other in "
                   "synchronous_standby_names, so that a commit is on the disks of two nodes before it is "
                   "acknowledged.\n");

/* --- promote ------------------------------------------------------------------------------------------------------ */

static int run_promote(struct fleet_cli *fleet, char **arguments)
{
    (void)arguments;
    int code = fleet_cli_nodes(fleet);
    code = code == 0 ? fleet_cluster_promote(fleet->nodes, fleet->given->dead, step, fleet, &fleet->cli->err) : code;
    return end(fleet, code,
               "done; `xylem fleet status` shows the cluster. The old primary returns by a new base backup only");
}

static const struct xylem_cli__option promote_table[] = {
    FLEET_CLI_ROW("dead", 0, "NODE", TEXT, dead, "the primary NODE answers, and is not to come back"), FLEET_CLI_JSON,
    FLEET_CLI_END};

FLEET_CLI_VERB(promote, promote_table, .usage = "[--dead NODE] [--json]",
               .summary = "Make a standby the primary, after the primary was lost",
               .details =
                   "Cuts the standbys off from the old primary, waits until their replay stands still, compares, and "
                   "promotes the one that has most: it has every change that was acknowledged. Refuses while a standby "
                   "cannot be reached that may have more, and names it: start it, then run the command again. A "
                   "cluster that elects by itself (Patroni) does not need this command.\n");

/* --- redact ------------------------------------------------------------------------------------------------------- */

static int run_redact(struct fleet_cli *fleet, char **arguments)
{
    (void)arguments;
    if (!fleet->given->finish) {
        return xylem_cli__usage(fleet->cli,
                                "`xylem redact SESSION:ENTRY` redacts, and `xylem fleet ship` brings the redaction to "
                                "the fleet; --finish then removes the text from the engine's files");
    }
    int code = fleet_cli_nodes(fleet);
    code = code == 0 ? fleet_cluster_finish(fleet->nodes, step, fleet, &fleet->cli->err) : code;
    return end(fleet, code,
               "done; followers lose the text with their next `xylem fleet pull`, the archive with the next `xylem "
               "fleet archive`");
}

static const struct xylem_cli__option redact_table[] = {
    FLEET_CLI_FLAG("finish", 0, finish, "remove redacted text from the tables' files on every node"), FLEET_CLI_JSON,
    FLEET_CLI_END};

FLEET_CLI_VERB(redact, redact_table, .usage = "--finish [--json]",
               .summary = "Remove what redactions left in the files of the engine",
               .details =
                   "Rewrites the parts of the tables that held redacted or freed text (VACUUM FULL; appends to these "
                   "parts wait meanwhile), checks that no older snapshot kept the text, and makes a checkpoint on "
                   "every node. Needs the role xylem_admin.\n");
