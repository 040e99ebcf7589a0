/* xylem help: prints help on the program or on a command. */
#include "cli/cli.h"

struct help_options {
    struct xylem_cli__form form;
};

static const struct xylem_cli__option help_table[] = {
    XYLEM_CLI__FORM_ROWS(struct help_options, "print one JSON document a line for every command"),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

/* The help of a command that is a program of its own: the program has this command, too. */
static int ask_beside(struct xylem_cli *cli, char **arguments, struct xylem_cli__form form)
{
    char *words[] = {"help", arguments[0], NULL, NULL, NULL};
    size_t count = 2;
    if (arguments[1]) {
        words[count++] = arguments[1];
    }
    if (form.json || form.jsonl) {
        words[count] = form.json ? "--json" : "--jsonl";
    }
    return xylem_cli__become(cli, arguments[0], words, NULL);
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct help_options *given = options;
    const struct xylem_cli__command *command = NULL;
    struct xylem_cli__documents documents;
    struct xylem_cli__text text = {0};
    if (arguments[0] && !(command = xylem_cli__command_find(cli, arguments[0]))) {
        int code = ask_beside(cli, arguments, given->form);
        return code != 0 ? code : xylem_cli__no_command(cli, arguments[0]);
    }
    if (arguments[0] && arguments[1]) {
        const struct xylem_cli__command *verb = command->verbs ? xylem_cli__verb_find(command, arguments[1]) : NULL;
        if (!verb) {
            return command->verbs ? xylem_cli__no_verb(cli, command, arguments[1])
                                  : xylem_cli__usage(cli, "unexpected argument '%s'", arguments[1]);
        }
        command = verb;
    }
    int code = xylem_cli__documents_start(cli, &documents, given->form, command ? NULL : "commands");
    if (code != 0 || !documents.wanted) {
        return code != 0 ? code : command ? xylem_cli__help_command(cli, command) : xylem_cli__help_program(cli);
    }
    for (size_t i = 0; code == 0 && (command ? i == 0 : cli->commands[i] != NULL); i++) {
        xylem_cli__help_document(&text, command ? command : cli->commands[i]);
        code = xylem_cli__documents_put(cli, &documents, &text);
    }
    xylem_cli__text_release(&text);
    return code != 0 ? code : xylem_cli__documents_end(cli, &documents);
}

const struct xylem_cli__command xylem_cli__cmd_help = {
    .name = "help",
    .group = XYLEM_CLI__PLUMBING,
    .helps = true,
    .summary = "Show help on the program or on a command",
    .usage = "[COMMAND [VERB]] [--json|--jsonl]",
    .options = help_table,
    .options_bytes = sizeof(struct help_options),
    .arguments_max = 2,
    .arguments = {XYLEM_CLI__COMMAND, XYLEM_CLI__WORD},
    .run = run,
};
