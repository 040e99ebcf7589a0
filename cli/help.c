/* Prints help from the tables of commands and options. */
#include "cli/cli.h"

#include <string.h>

#define HELP_COLUMN 26u  /* where the help texts begin */
#define NARROW_CELLS 60u /* on narrower terminals help texts stand below their options */
#define NARROW_COLUMN 8u
#define NARROW_INDENT 4u  /* of the lines of a usage, except the first line */
#define WIDTH_DEFAULT 80u /* if the width of a line is not known */
#define WIDTH_MAX 100u    /* longer lines are hard to read */

static const char *const titles[] = {
    [XYLEM_CLI__FIND] = "find, and go on",
    [XYLEM_CLI__LOOK] = "look into a session",
    [XYLEM_CLI__CHANGE] = "change",
    [XYLEM_CLI__KEEP] = "keep",
    [XYLEM_CLI__PLUMBING] = "for hosts and scripts",
};

static size_t help_width(const struct xylem_cli *cli)
{
    return cli->width == 0 ? WIDTH_DEFAULT : cli->width > WIDTH_MAX ? WIDTH_MAX : cli->width;
}

/* Returns the bytes up to the end of the next word. In a usage, text in brackets is one word. */
static size_t word_bytes(const char *at, bool usage)
{
    size_t open = 0;
    size_t bytes = 0;
    for (; at[bytes] != '\0' && (open > 0 || (at[bytes] != ' ' && at[bytes] != '\n')); bytes++) {
        open += usage && at[bytes] == '[' ? 1 : 0;
        open -= open > 0 && at[bytes] == ']' ? 1 : 0;
    }
    return bytes;
}

/*
 * Adds words behind `used` cells of a line, and wraps further lines behind `indent` blanks. An empty line ends a
 * paragraph.
 */
static void add_words(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *words, size_t used,
                      size_t indent, bool usage)
{
    size_t width = help_width(cli);
    size_t gap = 0;         /* before the word: none before the first word of a line */
    bool paragraph = false; /* the word begins a paragraph */
    while (*words != '\0') {
        size_t bytes = word_bytes(words, usage);
        if (used > indent && (paragraph || used + gap + bytes > width)) {
            xylem_cli__end_line(text);
            xylem_cli__add(text, paragraph ? "\n" : "");
            used = indent;
            gap = indent;
        }
        xylem_cli__add_repeated(text, " ", gap);
        xylem_cli__add_bytes(text, words, bytes);
        used += bytes + (used > indent ? gap : 0);
        words += bytes;
        paragraph = strncmp(words, "\n\n", 2) == 0;
        words += strspn(words, " \n");
        gap = 1;
    }
    xylem_cli__end_line(text);
}

static void add_options(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *title,
                        const struct xylem_cli__option *option)
{
    size_t column = help_width(cli) < NARROW_CELLS ? NARROW_COLUMN : HELP_COLUMN; /* of the help text */
    if (!option || !option->name) {
        return;
    }
    xylem_cli__addf(text, "\n%s:\n", title);
    for (; option->name; option++) {
        size_t start = text->bytes.bytes;
        if (option->letter != 0) {
            xylem_cli__addf(text, "  -%c, --%s", option->letter, option->name);
        } else {
            xylem_cli__addf(text, "      --%s", option->name);
        }
        if (option->argument) {
            xylem_cli__addf(text, " %s", option->argument);
        }
        size_t filled = text->bytes.bytes - start;
        if (filled + 2 > column) { /* on a new line */
            xylem_cli__add(text, "\n");
            filled = 0;
        }
        xylem_cli__add_repeated(text, " ", column - filled);
        add_words(cli, text, option->help, column, column, false);
    }
}

/* The ways to name what a command is about. */
static void add_rules(const struct xylem_cli *cli, struct xylem_cli__text *text, bool place, bool entry,
                      bool has_default)
{
    static const char *const rules[] = {
        "PLACE is SESSION (its leaf), SESSION:ENTRY, :ENTRY of the default session, or the whole id of an entry.",
        "SESSION is an id or its beginning (8 characters), a name, a file, @last, @last~2, . (of this directory), or, "
        "to look, the end of an id or a part of a name (4 characters).",
        "ENTRY is an id or its beginning, a label, @ (the leaf), @{2} (the leaf before its last two moves) or "
        "none; @~3 is three entries before the leaf, @^17 the entry of depth 17, and ~3 and ^17 also stand behind an "
        "id.",
        "The default is the session of this directory that was last active."};
    const bool wanted[] = {place, true, entry, has_default};
    xylem_cli__add(text, "\n");
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (wanted[i]) {
            add_words(cli, text, rules[i], 0, 2, false);
        }
    }
}

int xylem_cli__help_command(struct xylem_cli *cli, const struct xylem_cli__command *command)
{
    struct xylem_cli__text text = {0};
    struct xylem_cli__text summary = {0};
    bool place = strstr(command->usage, "PLACE");
    bool entry = place || strstr(command->usage, "ENTRY");
    xylem_cli__addf(&text, "usage: xylem %s ", command->name);
    size_t begin = text.bytes.bytes;
    add_words(cli, &text, command->usage, begin, help_width(cli) < NARROW_CELLS ? NARROW_INDENT : begin, true);
    xylem_cli__addf(&summary, "%s.", command->summary);
    xylem_cli__add(&text, "\n");
    add_words(cli, &text, summary.failed ? command->summary : summary.bytes.data, 0, 0, false);
    xylem_cli__text_release(&summary);
    if (command->details) {
        xylem_cli__add(&text, "\n");
        add_words(cli, &text, command->details, 0, 0, false);
    }
    xylem_cli__add(&text, command->verbs ? "\nverbs:\n" : "");
    for (size_t i = 0; command->verbs && command->verbs[i]; i++) {
        xylem_cli__addf(&text, "  %-12s", xylem_cli__verb_word(command->verbs[i]));
        add_words(cli, &text, command->verbs[i]->summary, 14, 14, false);
    }
    add_options(cli, &text, "options", command->options);
    add_options(cli, &text, "options of every command", xylem_cli__global_options);
    if (entry || strstr(command->usage, "SESSION")) {
        add_rules(cli, &text, place, entry, place || command == xylem_cli__command_find(cli, "export"));
    }
    return xylem_cli__put_output(cli, &text, false);
}

static void add_command(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *name,
                        const char *summary)
{
    xylem_cli__addf(text, "  %-12s", name);
    add_words(cli, text, summary, 14, 14, false);
}

/* With `often`, only the commands that people use often. */
static void add_commands(const struct xylem_cli *cli, struct xylem_cli__text *text, bool often)
{
    xylem_cli__add(text, "usage: xylem ");
    add_words(cli, text, "COMMAND [OPTION...] [ARGUMENT...]", text->bytes.bytes, NARROW_INDENT, true);
    xylem_cli__add(text, "\n");
    add_words(cli, text, "Keeps the sessions of coding agents, branch by branch, and brings their state back.", 0, 0,
              false);
    int group = -1;
    for (size_t i = 0; cli->commands[i]; i++) {
        const struct xylem_cli__command *command = cli->commands[i];
        if (often && !command->often) {
            continue;
        }
        if (group != (int)command->group) {
            group = (int)command->group;
            xylem_cli__addf(text, "\n%s:\n", titles[group]);
        }
        add_command(cli, text, command->name, command->summary);
        const struct xylem_cli__command *next = cli->commands[i + 1];
        const struct xylem_cli__program *program = NULL;
        bool here = command->group == XYLEM_CLI__KEEP && next && next->group != XYLEM_CLI__KEEP && !often;
        while (here && (program = xylem_cli__program_next(cli, program))) {
            add_command(cli, text, program->word, program->summary);
        }
    }
}

int xylem_cli__help_short(struct xylem_cli *cli)
{
    struct xylem_cli__text text = {0};
    add_commands(cli, &text, true);
    add_rules(cli, &text, true, true, true);
    xylem_cli__add(&text, "\n");
    add_words(cli, &text, "`xylem help` lists all commands, `xylem COMMAND --help` the options of a command.", 0, 0,
              false);
    int code = xylem_cli__put_output(cli, &text, false);
    return code < 0 ? code : XYLEM_CLI__USAGE;
}

int xylem_cli__help_program(struct xylem_cli *cli)
{
    static const struct {
        int code;
        const char *meaning;
    } codes[] = {
        {XYLEM_CLI__OK, "done"},
        {XYLEM_CLI__PROBLEM, "a problem was found, or a difference"},
        {XYLEM_CLI__USAGE, "the command line is wrong, or data is refused"},
        {XYLEM_CLI__NOT_FOUND, "there is no such store, session, entry or file"},
        {XYLEM_CLI__CONFLICT, "conflict: taken, ambiguous, changed by another, or busy"},
        {XYLEM_CLI__CORRUPT, "the store is damaged"},
        {XYLEM_CLI__IO, "input or output failed; no permission, space or memory"},
        {XYLEM_CLI__NEWER, "the store is newer or older than this program"},
        {XYLEM_CLI__ASK, "a policy wants a person to be asked"},
        {XYLEM_CLI__INTERRUPTED, "interrupted"},
    };
    static const char *const paragraphs[] = {
        "Without --store, the store is $XYLEM_STORE, else $XDG_DATA_HOME/xylem, else ~/.local/share/xylem.",
        "`xylem help COMMAND` shows a command's options; `man xylem-COMMAND` also describes the output.",
    };
    struct xylem_cli__text text = {0};
    xylem_cli__pager_start(cli);
    add_commands(cli, &text, false);
    add_options(cli, &text, "options of every command", xylem_cli__global_options);
    add_rules(cli, &text, true, true, true);
    for (size_t i = 0; i < sizeof paragraphs / sizeof paragraphs[0]; i++) {
        xylem_cli__add(&text, "\n");
        add_words(cli, &text, paragraphs[i], 0, 0, false);
    }
    xylem_cli__add(&text, "\nexit codes:\n");
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        xylem_cli__addf(&text, "  %-5d", codes[i].code);
        add_words(cli, &text, codes[i].meaning, 7, 7, false);
    }
    return xylem_cli__put_output(cli, &text, false);
}

static void json_option(struct xylem_cli__text *text, const struct xylem_cli__option *option, bool global)
{
    xylem_cli__json_begin(text, '{');
    xylem_cli__member_string(text, "name", xylem_view_of(option->name));
    xylem_cli__member_maybe(text, "letter", (struct xylem_view){option->letter == 0 ? NULL : &option->letter, 1});
    xylem_cli__member_maybe(text, "argument", xylem_view_of(option->argument));
    if (!option->choices) {
        xylem_cli__member_maybe(text, "choices", xylem_view_of(NULL));
    } else {
        xylem_cli__member_begin(text, "choices", '[');
        for (size_t i = 0; option->choices[i]; i++) {
            xylem_cli__json_string(text, xylem_view_of(option->choices[i]));
        }
        xylem_cli__json_end(text, ']');
    }
    xylem_cli__member_string(text, "help", xylem_view_of(option->help));
    xylem_cli__member_bool(text, "global", global);
    xylem_cli__json_end(text, '}');
}

/* The members of a command, or of a verb. A verb has the options of every command too. */
static void json_members(struct xylem_cli__text *text, const struct xylem_cli__command *command)
{
    const struct xylem_cli__option *option = command->options;
    xylem_cli__member_string(text, "command", xylem_view_of(command->name));
    xylem_cli__member_string(text, "summary", xylem_view_of(command->summary));
    xylem_cli__member_string(text, "usage", xylem_view_of(command->usage));
    xylem_cli__member_maybe(text, "details", xylem_view_of(command->details));
    xylem_cli__member_begin(text, "options", '[');
    for (; option && option->name; option++) {
        json_option(text, option, false);
    }
    for (option = xylem_cli__global_options; option->name; option++) {
        json_option(text, option, true);
    }
    xylem_cli__json_end(text, ']');
}

void xylem_cli__help_document(struct xylem_cli__text *text, const struct xylem_cli__command *command)
{
    xylem_cli__json_document(text);
    json_members(text, command);
    if (command->verbs) {
        xylem_cli__member_begin(text, "verbs", '[');
        for (size_t i = 0; command->verbs[i]; i++) {
            xylem_cli__json_begin(text, '{');
            json_members(text, command->verbs[i]);
            xylem_cli__json_end(text, '}');
        }
        xylem_cli__json_end(text, ']');
    }
    xylem_cli__json_end(text, '}');
}

int xylem_cli__show_version(struct xylem_cli *cli)
{
    struct xylem_cli__text text = {0};
    xylem_cli__addf(&text, "xylem %s\n", xylem_version());
    return xylem_cli__put_output(cli, &text, false);
}
