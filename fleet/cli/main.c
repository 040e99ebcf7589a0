/* The program `xylem-fleet`: one command, `fleet`, whose verbs `xylem fleet ...` names; with its help and completion. */
#include "fleet/cli/cli.h"

#include <stdlib.h>
#include <string.h>

static const struct xylem_cli__command *const verbs[] = {
#define VERB(name) &fleet_cli_##name,
#include "fleet/cli/verbs.h"
#undef VERB
    NULL};

static const struct xylem_cli__command fleet_command = {
    .name = "fleet",
    .group = XYLEM_CLI__KEEP,
    .summary = XYLEM_CLI__FLEET_SUMMARY,
    .usage = "VERB [OPTION...] [ARGUMENT...]",
    .details =
        "The sessions of all hosts lie in a PostgreSQL cluster of three nodes. `ship` brings the changes of this "
        "store there: a change that is acknowledged is on the disks of two nodes. `resume` goes on here with a "
        "session of another host; the other host is told, and keeps what only it has as a fork. One host at a "
        "time writes a session.\n\n"
        "The fleet is $XYLEM_FLEET, a URL such as postgresql://n1,n2,n3/xylem, or the line `url` of "
        "~/.config/xylem/fleet. Passwords stand in ~/.pgpass. `xylem help fleet VERB` shows the options of a "
        "verb.\n",
    .verbs = verbs,
};

extern const struct xylem_cli__command xylem_cli__cmd_help;
extern const struct xylem_cli__command xylem_cli__cmd_complete;

static const struct xylem_cli__command *const commands[] = {&fleet_command, &xylem_cli__cmd_help,
                                                            &xylem_cli__cmd_complete, NULL};

/* True for a line that names `fleet` itself, or needs no name: `help fleet ship`, `help`, `complete -- ...`. */
static bool is_whole(int argc, char *const *argv)
{
    bool asks = argc > 1 && strcmp(argv[1], "help") == 0;
    bool names = argc < 3 || strcmp(argv[2], "fleet") == 0 || *argv[2] == '-';
    return argc < 1 || (asks && names) || (argc > 1 && strcmp(argv[1], "complete") == 0);
}

/* `xylem-fleet ship` is `xylem fleet ship`, and `xylem-fleet help ship` is `xylem help fleet ship`. */
int main(int argc, char **argv)
{
    static char word[] = "fleet";
    size_t kept = argc > 1 && strcmp(argv[1], "help") == 0 ? 2 : 1; /* words before `fleet` */
    char **words = calloc((size_t)argc + 3, sizeof *words);
    if (is_whole(argc, argv) || !words) {
        free(words);
        return xylem_cli__program(commands, argc, argv);
    }
    memcpy(words, argv, kept * sizeof *words);
    words[kept] = word;
    memcpy(words + kept + 1, argv + kept, ((size_t)argc - kept) * sizeof *words);
    int result = xylem_cli__program(commands, argc + 1, words);
    free(words);
    return result;
}
