/* xylem fleet init, promote and redact: what a person who operates the cluster does. Each step is a line. */
#include "fleet/cli/cli.h"
#include "fleet/cluster.h"

struct operating {
    struct fleet_cli fleet;
    bool json;
    struct xylem_cli__text steps; /* elements of a list */
};

static void step(void *context, const char *line)
{
    struct operating *operating = context;
    struct xylem_cli__text text = {0};
    if (operating->json) {
        xylem_cli__json_string(&operating->steps, xylem_view_of(line));
        return;
    }
    xylem_cli__add_shown(operating->fleet.cli, &text, xylem_view_of(line), XYLEM_CLI__ONE_LINE, SIZE_MAX);
    xylem_cli__add(&text, "\n");
    (void)xylem_cli__put_output(operating->fleet.cli, &text, false); /* a failed write is told at the end */
    (void)xylem_cli__flush(operating->fleet.cli);
}

static int end(struct operating *operating, int code, const char *done)
{
    struct xylem_cli__text text = {0};
    if (code == 0 && operating->json) {
        xylem_cli__json_document(&text);
        xylem_cli__member_bool(&text, "done", true);
        xylem_cli__member_list(&text, "steps", &operating->steps);
        xylem_cli__json_end(&text, '}');
    } else if (code == 0) {
        xylem_cli__addf(&text, "%s\n", done);
    }
    code = code == 0 ? xylem_cli__put_output(operating->fleet.cli, &text, operating->json) : code;
    xylem_cli__text_release(&operating->steps);
    fleet_cli_end(&operating->fleet);
    return code;
}

/* --- init --------------------------------------------------------------------------------------------------------- */

struct init_options {
    bool allow_single;
    bool json;
};

static const struct xylem_cli__option init_table[] = {
    {"allow-single", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct init_options, allow_single),
     "also where one node alone acknowledges: then a lost disk loses sessions", NULL},
    XYLEM_CLI__JSON_ROW(struct init_options),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

static int run_init(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct init_options *given = options;
    struct operating operating = {.json = given->json};
    (void)arguments;
    int code = fleet_cli_nodes(&operating.fleet, cli);
    code =
        code == 0 ? fleet_cluster_init(operating.fleet.nodes, given->allow_single, step, &operating, &cli->err) : code;
    return end(&operating, code,
               "ready. Each login of a host needs a group, and the role of a host: `SELECT xylem.member_set('LOGIN', "
               "'GROUP')`, "
               "`GRANT xylem_host TO LOGIN`; then `xylem fleet ship --dry-run --all` on a host shows what would go");
}

const struct xylem_cli__command fleet_cli_init = {
    .name = "fleet init",
    .summary = "Make the fleet's tables, functions and roles in the cluster, or bring them up to date",
    .usage = "[--allow-single] [--json]",
    .details = "Run once, as a user of PostgreSQL who may make roles; run again after an upgrade of xylem-fleet. Said "
               "twice is\n"
               "done once. All nodes of the URL must answer, have fsync on, and name each other in\n"
               "synchronous_standby_names, so that a commit is on the disks of two nodes before it is acknowledged.\n",
    .options = init_table,
    .options_bytes = sizeof(struct init_options),
    .run = run_init,
};

/* --- promote ------------------------------------------------------------------------------------------------------ */

struct promote_options {
    const char *dead;
    bool json;
};

static const struct xylem_cli__option promote_table[] = {{"dead", 0, "NODE", XYLEM_CLI__TEXT,
                                                          offsetof(struct promote_options, dead),
                                                          "the primary NODE answers, and is not to come back", NULL},
                                                         XYLEM_CLI__JSON_ROW(struct promote_options),
                                                         {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

static int run_promote(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct promote_options *given = options;
    struct operating operating = {.json = given->json};
    (void)arguments;
    int code = fleet_cli_nodes(&operating.fleet, cli);
    code = code == 0 ? fleet_cluster_promote(operating.fleet.nodes, given->dead, step, &operating, &cli->err) : code;
    return end(&operating, code,
               "done; `xylem fleet status` shows the cluster. The old primary returns by a new base "
               "backup only");
}

const struct xylem_cli__command fleet_cli_promote = {
    .name = "fleet promote",
    .summary = "Make a standby the primary, after the primary was lost",
    .usage = "[--dead NODE] [--json]",
    .details =
        "Cuts the standbys off from the old primary, waits until their replay stands still, compares, and promotes "
        "the\n"
        "one that has most: it has every change that was acknowledged. Refuses while a standby cannot be reached that\n"
        "may have more, and names it: start it, then run the command again. A cluster that elects by itself (Patroni)\n"
        "does not need this command.\n",
    .options = promote_table,
    .options_bytes = sizeof(struct promote_options),
    .run = run_promote,
};

/* --- redact ------------------------------------------------------------------------------------------------------- */

struct redact_options {
    bool finish;
    bool json;
};

static const struct xylem_cli__option redact_table[] = {
    {"finish", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct redact_options, finish),
     "remove redacted text from the tables' files on every node", NULL},
    XYLEM_CLI__JSON_ROW(struct redact_options),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

static int run_redact(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct redact_options *given = options;
    struct operating operating = {.json = given->json};
    (void)arguments;
    if (!given->finish) {
        return xylem_cli__usage(cli,
                                "`xylem redact SESSION:ENTRY` redacts, and `xylem fleet ship` brings the redaction "
                                "to the fleet; --finish then removes the text from the engine's files");
    }
    int code = fleet_cli_nodes(&operating.fleet, cli);
    code = code == 0 ? fleet_cluster_finish(operating.fleet.nodes, step, &operating, &cli->err) : code;
    return end(&operating, code,
               "done; followers lose the text with their next `xylem fleet pull`, the archive with the next `xylem "
               "fleet archive`");
}

const struct xylem_cli__command fleet_cli_redact = {
    .name = "fleet redact",
    .summary = "Remove what redactions left in the files of the engine",
    .usage = "--finish [--json]",
    .details =
        "Rewrites the parts of the tables that held redacted or freed text (VACUUM FULL; appends to these parts wait\n"
        "meanwhile), checks that no older snapshot kept the text, and makes a checkpoint on every node. Needs the "
        "role\n"
        "xylem_admin.\n",
    .options = redact_table,
    .options_bytes = sizeof(struct redact_options),
    .run = run_redact,
};
