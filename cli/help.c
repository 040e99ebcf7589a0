/* Help, made from the tables of commands and options. */
#include "cli/cli.h"

#include <string.h>

#define HELP_COLUMN 26u /* where the help texts begin */

static void add_options(struct xylem_cli__text *text, const char *title, const struct xylem_cli__option *option)
{
    if (option == NULL || option->name == NULL) {
        return;
    }
    xylem_cli__addf(text, "\n%s:\n", title);
    for (; option->name != NULL; option++) {
        size_t start = text->bytes.bytes;

        if (option->letter != 0) {
            xylem_cli__addf(text, "  -%c, --%s", option->letter, option->name);
        } else {
            xylem_cli__addf(text, "      --%s", option->name);
        }
        if (option->argument != NULL) {
            xylem_cli__addf(text, " %s", option->argument);
        }
        size_t filled = text->bytes.bytes - start;
        if (filled + 2 > HELP_COLUMN) {
            xylem_cli__add(text, "\n");
            filled = 0;
        }
        xylem_cli__add_repeated(text, " ", HELP_COLUMN - filled);
        xylem_cli__addf(text, "%s\n", option->help);
    }
}

int xylem_cli__help_command(struct xylem_cli *cli, const struct xylem_cli__command *command)
{
    struct xylem_cli__text text = {0};

    xylem_cli__addf(&text, "usage: xylem %s%s%s\n\n%s.\n", command->name, *command->usage == '\0' ? "" : " ",
                    command->usage, command->summary);
    if (command->details != NULL) {
        xylem_cli__addf(&text, "\n%s", command->details);
    }
    add_options(&text, "options", command->options);
    add_options(&text, "options of every command", xylem_cli__global_options);
    int code = xylem_cli__put(cli, &text);
    xylem_cli__text_release(&text);
    return code;
}

int xylem_cli__help_program(struct xylem_cli *cli)
{
    struct xylem_cli__text text = {0};

    xylem_cli__add(&text, "usage: xylem COMMAND [OPTION...] [ARGUMENT...]\n\n"
                          "Keeps the sessions of coding agents, branch by branch, and brings their state back.\n\n"
                          "commands:\n");
    for (size_t i = 0; xylem_cli__commands[i] != NULL; i++) {
        xylem_cli__addf(&text, "  %-12s%s\n", xylem_cli__commands[i]->name, xylem_cli__commands[i]->summary);
    }
    add_options(&text, "options of every command", xylem_cli__global_options);
    xylem_cli__add(&text,
                   "\n"
                   "SESSION is a session's id, or a unique beginning of it (four characters or more). ENTRY is an\n"
                   "entry's id or a unique beginning of it, @ for the leaf, or @{2} for where the leaf was before it\n"
                   "was moved the last two times; ~3 behind any of them goes three entries back.\n"
                   "Without --store, the store is $XYLEM_STORE, else $XDG_DATA_HOME/xylem, else\n"
                   "~/.local/share/xylem.\n\n"
                   "exit codes: 0 done, 1 a problem was found, 2 wrong usage, 3 not found, 4 conflict or busy,\n"
                   "5 damaged store, 6 input, output or space, 7 store newer than this program, 130 interrupted\n");
    int code = xylem_cli__put(cli, &text);
    xylem_cli__text_release(&text);
    return code;
}

static void json_option(struct xylem_cli__text *text, const struct xylem_cli__option *option, bool global)
{
    xylem_cli__json_begin(text, '{');
    xylem_cli__json_key(text, "name");
    xylem_cli__json_string(text, xylem_view_of(option->name));
    xylem_cli__json_key(text, "letter");
    xylem_cli__json_maybe(text, (struct xylem_view){option->letter == 0 ? NULL : &option->letter, 1});
    xylem_cli__json_key(text, "argument");
    xylem_cli__json_maybe(text, xylem_view_of(option->argument));
    xylem_cli__json_key(text, "choices");
    if (option->choices == NULL) {
        xylem_cli__json_null(text);
    } else {
        xylem_cli__json_begin(text, '[');
        for (size_t i = 0; option->choices[i] != NULL; i++) {
            xylem_cli__json_string(text, xylem_view_of(option->choices[i]));
        }
        xylem_cli__json_end(text, ']');
    }
    xylem_cli__json_key(text, "help");
    xylem_cli__json_string(text, xylem_view_of(option->help));
    xylem_cli__json_key(text, "global");
    xylem_cli__json_bool(text, global);
    xylem_cli__json_end(text, '}');
}

/* The usage on one line: a table may have broken it for the terminal. */
static void json_usage(struct xylem_cli__text *text, const char *usage)
{
    struct xylem_cli__text line = {0};

    for (const char *at = usage; *at != '\0'; at++) {
        if (*at == '\n') {
            at += strspn(at, "\n ") - 1;
            xylem_cli__add(&line, " ");
        } else {
            xylem_cli__add_bytes(&line, at, 1);
        }
    }
    text->failed = text->failed || line.failed;
    xylem_cli__json_string(text, xylem_cli__text_view(&line));
    xylem_cli__text_release(&line);
}

void xylem_cli__help_document(struct xylem_cli__text *text, const struct xylem_cli__command *command)
{
    const struct xylem_cli__option *option = command->options;

    xylem_cli__json_document(text);
    xylem_cli__json_key(text, "command");
    xylem_cli__json_string(text, xylem_view_of(command->name));
    xylem_cli__json_key(text, "summary");
    xylem_cli__json_string(text, xylem_view_of(command->summary));
    xylem_cli__json_key(text, "usage");
    json_usage(text, command->usage);
    xylem_cli__json_key(text, "details");
    xylem_cli__json_maybe(text, xylem_view_of(command->details));
    xylem_cli__json_key(text, "options");
    xylem_cli__json_begin(text, '[');
    for (; option != NULL && option->name != NULL; option++) {
        json_option(text, option, false);
    }
    for (option = xylem_cli__global_options; option->name != NULL; option++) {
        json_option(text, option, true);
    }
    xylem_cli__json_end(text, ']');
    xylem_cli__json_end(text, '}');
}

int xylem_cli__show_version(struct xylem_cli *cli)
{
    struct xylem_cli__text text = {0};

    xylem_cli__addf(&text, "xylem %s\n", xylem_version());
    int code = xylem_cli__put(cli, &text);
    xylem_cli__text_release(&text);
    return code;
}
