/* The fleet of the configuration, and who this store is there. */
#include "base/clock.h"
#include "fleet/cli/cli.h"
#include "fleet/shipper.h"

#include <stdlib.h>
#include <string.h>

const struct xylem_cli__option fleet_cli_json_table[] = {FLEET_CLI_JSON, FLEET_CLI_END};

static void end(struct fleet_cli *fleet)
{
    struct fleet_engine *engines[] = {fleet->waiting.engine, fleet->archive};
    for (size_t i = 0; i < 2; i++) {
        if (engines[i]) {
            engines[i]->free(engines[i]);
        }
    }
    for (size_t i = 0; i < fleet->tale_count; i++) {
        xylem_cli__text_release(&fleet->tales[i].text);
    }
    free(fleet->tales);
    free(fleet->ids);
    xylem_cli__text_release(&fleet->members);
    fleet_nodes_free(fleet->nodes);
    fleet_config_release(&fleet->config);
}

int fleet_cli_run(struct xylem_cli *cli, char **arguments, const void *options, fleet_cli_verb *verb)
{
    struct fleet_cli fleet = {.cli = cli, .given = options};
    int code = verb(&fleet, arguments);
    end(&fleet);
    return code;
}

int fleet_cli_nodes(struct fleet_cli *fleet)
{
    struct xylem_error *err = &fleet->cli->err;
    int code = fleet_config_read(&fleet->config, err);
    if (code == 0 && !fleet->config.url) {
        return xylem_cli__fail(
            fleet->cli, XYLEM_E_NOT_FOUND,
            "no fleet is named: set XYLEM_FLEET, or write the line `url postgresql://n1,n2,n3/xylem` to %s",
            fleet->config.path ? fleet->config.path : "~/.config/xylem/fleet");
    }
    return code < 0 ? code : fleet_nodes_new(&fleet->nodes, fleet->config.url, err);
}

int fleet_cli_connect(struct fleet_cli *fleet, bool allow_single)
{
    const struct fleet_postgres_options options = {.allow_single = allow_single};
    xylem_cli__signals_defer();
    int code = fleet_engine_postgres(&fleet->waiting.engine, fleet->nodes, &options, &fleet->cli->err);
    return code == XYLEM_E_IO
               ? xylem_cli__fail(fleet->cli, code, "%s (`xylem fleet status` says what to do)", fleet->cli->err.text)
               : code;
}

int fleet_cli_engine(struct fleet_cli *fleet, bool allow_single)
{
    int code = fleet_cli_nodes(fleet);
    return code < 0 ? code : fleet_cli_connect(fleet, allow_single);
}

int fleet_cli_open_if_there(struct fleet_cli *fleet)
{
    int code = xylem_cli__open_reading(fleet->cli);
    return code == XYLEM_E_NOT_FOUND ? 0 : code;
}

int fleet_cli_token(struct fleet_cli *fleet)
{
    const struct fleet_shipper_options options = {.host = xylem_view_of(fleet->config.host), .group_ms = UINT64_MAX};
    struct fleet_shipper *shipper = NULL;
    int code = fleet_shipper_new(&shipper, fleet->cli->store, fleet->waiting.engine, &options, &fleet->cli->err);
    if (code == 0) {
        memcpy(fleet->token, fleet_shipper_token(shipper), sizeof fleet->token);
    }
    fleet_shipper_free(shipper);
    return code;
}

int fleet_cli_token_read(struct fleet_cli *fleet)
{
    struct fleet_cursor cursor;
    struct xylem_cli *cli = fleet->cli;
    int code = cli->txn ? fleet_cursor_read(&cursor, cli->txn, fleet->waiting.engine->id, &cli->err) : 0;
    if (code == 1) {
        memcpy(fleet->token, cursor.token, sizeof fleet->token);
        return 0;
    }
    return code < 0 ? code : xylem_base__random(fleet->token, sizeof fleet->token, &cli->err);
}
