/* Which sessions of the store go to the fleet. */
#ifndef FLEET_CLI_CHOICE_H
#define FLEET_CLI_CHOICE_H

#include "base/numbers.h"
#include "fleet/cli/cli.h"

struct fleet_cli_choice {
    struct fleet_cli *fleet;
    struct fleet_config_words directories; /* of the command line */
    struct xylem_base__numbers named;      /* sessions, and the sources of forks among them; sorted */
    struct xylem_base__numbers held;       /* sessions that are held back, with their forks; sorted */
};

/*
 * Reads the choice from the options, in `cli->txn`. ARGUMENT: nothing is chosen, and the text says what to type. Release
 * in any case. Directories of the command line replace the directories of the configuration; sessions that the
 * configuration holds back stay held back.
 */
int fleet_cli_choose(struct fleet_cli_choice *choice, struct fleet_cli *fleet, char **sessions);
/* A fleet_ships of shipper.h; `context` is the choice. */
int fleet_cli_ships(void *context, struct xylem_txn *txn, const struct xylem_session *session, const char **reason);
/* True if the reason of a 0 is that nobody asked for the session, and not that something holds it back. */
bool fleet_cli_unchosen(const char *reason);
/*
 * The chosen sessions that a ship must look at without news from the feed: sessions that were never shipped, named
 * sessions, and sessions whose row differs from what the store expects. No transaction may be open.
 */
int fleet_cli_missed(struct fleet_cli_choice *choice, struct xylem_base__numbers *numbers);
void fleet_cli_choice_release(struct fleet_cli_choice *choice);

#endif
