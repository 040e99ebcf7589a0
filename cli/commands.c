/* Finding a command by its name. */
#include "cli/cli.h"

#include <string.h>

const struct xylem_cli__command *xylem_cli__command_find(const struct xylem_cli *cli, const char *name)
{
    for (size_t i = 0; cli->commands[i]; i++) {
        if (strcmp(cli->commands[i]->name, name) == 0) {
            return cli->commands[i];
        }
    }
    return NULL;
}

int xylem_cli__no_command(struct xylem_cli *cli, const char *name)
{
    struct xylem_cli__suggestions suggestions = {.wanted = xylem_view_of(name)};
    struct xylem_cli__text text = {0};

    for (size_t i = 0; cli->commands[i]; i++) {
        xylem_cli__suggest_word(&suggestions, "", cli->commands[i]->name);
    }
    xylem_cli__addf(&text, "there is no command '%s'", name);
    xylem_cli__add_suggestions(&text, &suggestions, "'");
    return xylem_cli__usage_text(cli, &text);
}

int xylem_cli__no_piece(struct xylem_cli *cli, const char *name)
{
    struct xylem_cli__suggestions suggestions = {.wanted = xylem_view_of(name)};
    struct xylem_cli__text text = {0};

    xylem_cli__add(&text, "WHAT is");
    for (const char *const *word = cli->command->words; *word; word++) {
        const char *before = word == cli->command->words ? " " : !word[1] ? " or " : ", ";
        xylem_cli__addf(&text, "%s%s", before, *word);
        xylem_cli__suggest_word(&suggestions, "", *word);
    }
    xylem_cli__addf(&text, ", not '%s'", name);
    xylem_cli__add_suggestions(&text, &suggestions, "'");
    return xylem_cli__usage_text(cli, &text);
}
