/* A program of commands: turns a command line into an exit code. */
#include "cli/cli.h"
#include "cli/policy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A session's id has a dash, and an entry's id need not have one. */
static bool is_session_id(const char *word)
{
    return xylem_cli__looks_like_id(word) && strchr(word, '-');
}

/* True if session and entry are two words. */
static bool is_apart(const struct xylem_cli__command *command, char *const *arguments)
{
    const char *entry = arguments[1];
    bool is_label =
        !command->surplus && xylem_cli__looks_like_id(arguments[0]) && !strpbrk(entry, "./") && *entry != '-';
    bool is_entry =
        strchr("@~^", *entry) || is_label || (strlen(entry) >= 4 && entry[strspn(entry, "0123456789abcdef-")] == '\0');
    return command->arguments[0] == XYLEM_CLI__SESSION_ENTRY && *entry != '\0' && is_entry &&
           !strpbrk(arguments[0], ": ") && !strpbrk(entry, ": ");
}

/* True if the words may be the name of a session. */
static bool is_spoken(const struct xylem_cli__command *command, char *const *arguments)
{
    bool session = command->arguments[0] == XYLEM_CLI__SESSION || command->arguments[0] == XYLEM_CLI__SESSION_ENTRY;
    return session && command->arguments_max == 1 && !command->surplus && *arguments[1] != '-' &&
           !strpbrk(arguments[0], ": @") && !xylem_cli__looks_like_id(arguments[0]);
}

static int check_argument_count(struct xylem_cli *cli, char *const *arguments)
{
    const struct xylem_cli__command *command = cli->command;
    size_t count = 0;
    while (arguments[count]) {
        count++;
    }
    if (count == 0 && command->arguments_min > 0 && command->words &&
        !command->answers_host) { /* a group without its verb */
        int code = xylem_cli__help_command(cli, command);
        return code < 0 ? code : XYLEM_CLI__USAGE;
    }
    if (count < command->arguments_min) {
        return xylem_cli__usage_missing(cli);
    }
    bool surplus = count > command->arguments_max && command->arguments_max > 0;
    if (surplus && is_apart(command, arguments)) {
        bool turned = is_session_id(arguments[1]) && !is_session_id(arguments[0]);
        return xylem_cli__usage(cli, "a place is one word: '%s:%s' for an entry", arguments[turned],
                                arguments[!turned]);
    }
    if (surplus && is_spoken(command, arguments)) {
        struct xylem_cli__text text = {0};
        xylem_cli__addf(&text, "unexpected argument '%s': a name of several words stands in quotes: '", arguments[1]);
        for (size_t i = 0; arguments[i]; i++) {
            xylem_cli__addf(&text, "%s%s", i > 0 ? " " : "", arguments[i]);
        }
        xylem_cli__add(&text, "'");
        return xylem_cli__usage_text(cli, &text);
    }
    if (count > command->arguments_max) {
        const char *meant = command->surplus                 ? command->surplus
                            : xylem_cli__takes_text(command) ? "a text of several words stands in quotes"
                                                             : NULL;
        return xylem_cli__usage(cli, "unexpected argument '%s'%s%s", arguments[command->arguments_max],
                                meant ? ": " : "", meant ? meant : "");
    }
    return 0;
}

static int run_command(struct xylem_cli *cli, char **words)
{
    const struct xylem_cli__command *command = cli->command;
    void *options = calloc(1, command->options_bytes == 0 ? 1 : command->options_bytes);
    if (!options) {
        return xylem_cli__fail_memory(cli);
    }
    int code = xylem_cli__parse(cli, options, words);
    xylem_cli__terminal_look(cli);
    if (code == 0 && cli->help) {
        code = xylem_cli__help_command(cli, command);
    } else if (code == 0 && cli->version) {
        code = xylem_cli__show_version(cli);
    } else if (code == 0 && command->verbs && !*words) {
        code = xylem_cli__help_command(cli, command);
        code = code < 0 ? code : XYLEM_CLI__USAGE;
    } else if (code == 0 && command->verbs) { /* the options before the verb were parsed */
        const struct xylem_cli__command *verb = xylem_cli__verb_find(command, *words);
        cli->command = verb ? verb : command;
        code = verb ? run_command(cli, words + 1) : xylem_cli__no_verb(cli, command, *words);
    } else if (code == 0 && (code = check_argument_count(cli, words)) == 0) {
        code = command->run(cli, words, options);
    }
    free(options);
    return code;
}

static int run(struct xylem_cli *cli, char **words)
{
    int code = xylem_cli__parse(cli, NULL, words);
    if (code != 0) {
        return code;
    }
    if (cli->help) {
        return xylem_cli__help_program(cli);
    }
    if (cli->version) {
        return xylem_cli__show_version(cli);
    }
    if (!*words) {
        return xylem_cli__help_short(cli);
    }
    cli->command = xylem_cli__command_find(cli, *words);
    if (!cli->command) {
        code = xylem_cli__become(cli, *words, cli->typed, *words); /* options before the word go with it */
        return code != 0 ? code : xylem_cli__no_command(cli, *words);
    }
    code = xylem_cli__clock_look(cli);
    return code != 0 ? code : run_command(cli, words + 1);
}

/*
 * True if the words ask a hook to enforce a policy. An error of such a hook must forbid the command, because no policy
 * judged the command.
 */
static bool enforces(char *const *words)
{
    static const char option[] = "--enforce";
    size_t bytes = sizeof option - 1;
    for (; *words; words++) {
        if (strncmp(*words, option, bytes) == 0 && ((*words)[bytes] == '\0' || (*words)[bytes] == '=')) {
            return true;
        }
    }
    return false;
}

static bool is_one_of(const char *const *words, const char *word)
{
    while (*words && strcmp(*words, word) != 0) {
        words++;
    }
    return *words;
}

/*
 * A host reads exit code 2 of a hook as a ban. If the command line is wrong before the command is known, the word
 * `hook` on the line shows that a host waits.
 */
static bool is_hook(const struct xylem_cli *cli, char *const *words)
{
    for (; !cli->command && *words; words++) {
        for (size_t i = 0; cli->commands[i]; i++) {
            if (cli->commands[i]->answers_host && is_one_of(cli->commands[i]->words(), *words)) {
                return true;
            }
        }
    }
    return cli->command && cli->command->answers_host;
}

/*
 * Opens /dev/null for each closed standard stream. Otherwise the next opened file, such as a file of the store, would
 * become standard output. /dev/null is opened in the wrong direction, so that reads and writes still fail as on a
 * closed stream.
 */
static void take_closed_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd) {
            dprintf(STDERR_FILENO, "xylem: a standard stream is closed, and /dev/null cannot be opened in its place\n");
            _exit(XYLEM_CLI__IO);
        }
    }
}

int xylem_cli__program(const struct xylem_cli__command *const *commands, int argc, char **argv)
{
    struct xylem_cli__locale locale = {0};
    struct xylem_cli cli = {.locale = &locale, .commands = commands};
    take_closed_streams();
    xylem_cli__signals_start();
    xylem_cli__terminal_look(&cli);
    bool enforced = enforces(argv); /* the parsing moves the words */
    char **typed = calloc((size_t)argc + 1, sizeof *typed);
    if (typed && argc > 0) {
        memcpy(typed, argv + 1, (size_t)argc * sizeof *typed); /* with the NULL at their end */
        cli.typed = typed;
    }
    int code = run(&cli, argc > 0 ? argv + 1 : argv);
    int written = xylem_cli__flush(&cli);
    if (written != 0) { /* wins over any other error, because other errors follow from it */
        bool left = cli.pager != 0 && cli.output_errno == EPIPE;
        code = left ? XYLEM_CLI__OK : written; /* a pager that the user left is no error */
    }
    int result = code < 0 ? xylem_cli__exit_code(code) : code;
    if (code == XYLEM_E_BUSY) {
        xylem_cli__close_store(&cli); /* another process that waits for the store must not also wait for the output */
    }
    if (code < 0) {
        xylem_cli__note(&cli, "%s", code == XYLEM_E_STOPPED ? "interrupted" : cli.err.text);
    }
    xylem_cli__left_out_end(&cli, code < 0);
    xylem_cli__note_next(&cli, code, result);
    xylem_cli__close(&cli);
    free(typed);
    if (xylem_cli__pager_end(&cli) != 0) {
        xylem_cli__note(&cli, "%s", cli.err.text);
        result = XYLEM_CLI__IO;
    }
    if (is_hook(&cli, argv) && result != XYLEM_CLI__OK) {
        return enforced ? XYLEM_CLI__HOOK_FORBIDS : XYLEM_CLI__PROBLEM;
    }
    return result;
}
