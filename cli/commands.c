/* Finds a command, or a verb of a command, by name. */
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

const char *xylem_cli__verb_word(const struct xylem_cli__command *verb)
{
    return strchr(verb->name, ' ') + 1;
}

const struct xylem_cli__command *xylem_cli__verb_find(const struct xylem_cli__command *command, const char *name)
{
    for (size_t i = 0; command->verbs[i]; i++) {
        if (strcmp(xylem_cli__verb_word(command->verbs[i]), name) == 0) {
            return command->verbs[i];
        }
    }
    return NULL;
}

int xylem_cli__no_verb(struct xylem_cli *cli, const struct xylem_cli__command *command, const char *name)
{
    struct xylem_cli__suggestions suggestions = {.wanted = xylem_view_of(name)};
    struct xylem_cli__text text = {0};
    for (size_t i = 0; command->verbs[i]; i++) {
        xylem_cli__suggest_word(&suggestions, "", xylem_cli__verb_word(command->verbs[i]));
    }
    xylem_cli__addf(&text, "'%s' is not a verb of %s", name, command->name);
    xylem_cli__add_suggestions(&text, &suggestions, "'");
    return xylem_cli__usage_text(cli, &text);
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
