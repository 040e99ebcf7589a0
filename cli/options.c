/* Parses the command line by tables of options. */
#include "cli/cli.h"

#include <assert.h>
#include <string.h>

static const char *const color_choices[] = {"auto", "always", "never", NULL};

const struct xylem_cli__option xylem_cli__global_options[] = {
    {"store", 's', "DIR", XYLEM_CLI__TEXT, offsetof(struct xylem_cli, store_option), "the store's directory", NULL},
    {"color", 0, "WHEN", XYLEM_CLI__CHOICE, offsetof(struct xylem_cli, color_option),
     "auto (on a terminal), always or never", color_choices},
    {"no-pager", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct xylem_cli, no_pager), "do not start a pager", NULL},
    {"no-lock", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct xylem_cli, no_lock),
     "read without locks, while nobody writes to the store", NULL},
    {"allow-network-fs", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct xylem_cli, allow_network_fs),
     "use a store on a network file system", NULL},
    {"wait", 0, "SECONDS", XYLEM_CLI__COUNT, offsetof(struct xylem_cli, wait),
     "wait at most this long for another writer (default: 10)", NULL},
    {"help", 'h', NULL, XYLEM_CLI__FLAG, offsetof(struct xylem_cli, help), "show this help", NULL},
    {"version", 'V', NULL, XYLEM_CLI__FLAG, offsetof(struct xylem_cli, version), "show the version", NULL},
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

const struct xylem_cli__option xylem_cli__form_json[] = {XYLEM_CLI__JSON_ROW(struct xylem_cli__form),
                                                         {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

struct parser {
    struct xylem_cli *cli;
    void *options;
    char **words;
    size_t at;
};

static const struct xylem_cli__option *find_in(const struct xylem_cli__option *table, const char *name, size_t bytes,
                                               char letter)
{
    for (; table && table->name; table++) {
        if (letter != 0 ? table->letter == letter
                        : strlen(table->name) == bytes && memcmp(table->name, name, bytes) == 0) {
            return table;
        }
    }
    return NULL;
}

const struct xylem_cli__option *xylem_cli__option_find(const struct xylem_cli__command *command, const char *name,
                                                       size_t bytes, char letter)
{
    const struct xylem_cli__option *own = command ? find_in(command->options, name, bytes, letter) : NULL;
    return own ? own : find_in(xylem_cli__global_options, name, bytes, letter);
}

static void consider_options(struct xylem_cli__suggestions *suggestions, const struct xylem_cli__option *option)
{
    for (; option && option->name; option++) {
        xylem_cli__suggest_word(suggestions, "--", option->name);
    }
}

/* The options that are meant by names of other programs. */
static const struct {
    const char *name;
    const char *meant;
} meanings[] = {{"cwd", "dir"},   {"directory", "dir"}, {"role", "kind"},    {"limit", "number"}, {"max", "number"},
                {"force", "yes"}, {"format", "json"},   {"verbose", "full"}, {"cost", "usage"}};

/* NULL: none */
static const char *meant_by(const struct xylem_cli__command *command, const char *name, size_t bytes)
{
    for (size_t i = 0; command && i < sizeof meanings / sizeof meanings[0]; i++) {
        if (strlen(meanings[i].name) == bytes && memcmp(meanings[i].name, name, bytes) == 0 &&
            find_in(command->options, meanings[i].meant, strlen(meanings[i].meant), 0)) {
            return meanings[i].meant;
        }
    }
    return NULL;
}

/* True if the command, or a verb of the command, has the option. */
static bool has_option(const struct xylem_cli__command *command, const char *name, size_t bytes, char letter)
{
    const struct xylem_cli__command *const *verbs = command->verbs;
    bool found = find_in(command->options, name, bytes, letter) != NULL;
    for (; !found && verbs && *verbs; verbs++) {
        found = find_in((*verbs)->options, name, bytes, letter) != NULL;
    }
    return found;
}

/* True if some command has the option. */
static bool is_of_a_command(const struct xylem_cli *cli, const char *name, size_t bytes, char letter)
{
    for (size_t i = 0; cli->commands[i]; i++) {
        if (has_option(cli->commands[i], name, bytes, letter)) {
            return true;
        }
    }
    return false;
}

#define OTHERS_MAX 3u

/* Adds the other commands that have the option. */
static void add_others(struct xylem_cli *cli, struct xylem_cli__text *text, const char *name, size_t bytes)
{
    size_t count = 0;
    for (size_t i = 0; cli->commands[i]; i++) {
        if (has_option(cli->commands[i], name, bytes, 0) && ++count <= OTHERS_MAX) {
            xylem_cli__addf(text, "%s%s", count == 1 ? ": it is an option of " : ", ", cli->commands[i]->name);
        }
    }
    xylem_cli__add(text, count > OTHERS_MAX ? " and others" : "");
}

static int no_option(struct xylem_cli *cli, const char *name, size_t bytes)
{
    const char *meant = meant_by(cli->command, name, bytes);
    if (meant) {
        return xylem_cli__usage(cli, "there is no option --%.*s: --%s is meant", (int)bytes, name, meant);
    }
    if (cli->command && bytes == 4 && memcmp(name, "name", bytes) == 0 && cli->command->group == XYLEM_CLI__CHANGE) {
        return xylem_cli__usage(cli, "there is no option --name: `xylem rename SESSION NAME` names a session");
    }
    if (cli->command && bytes == 7 && memcmp(name, "session", bytes) == 0 &&
        (cli->command->arguments[0] == XYLEM_CLI__SESSION || cli->command->arguments[0] == XYLEM_CLI__SESSION_ENTRY)) {
        return xylem_cli__usage(cli,
                                "there is no option --session: the session stands without an option, `xylem %s "
                                "SESSION`",
                                cli->command->name);
    }
    if (!cli->command && is_of_a_command(cli, name, bytes, 0)) {
        return xylem_cli__usage(cli, "--%.*s stands behind the name of a command", (int)bytes, name);
    }
    struct xylem_cli__suggestions suggestions = {.wanted = {name, bytes}};
    struct xylem_cli__text text = {0};
    consider_options(&suggestions, cli->command ? cli->command->options : NULL);
    consider_options(&suggestions, xylem_cli__global_options);
    xylem_cli__addf(&text, "there is no option --%.*s", (int)bytes, name);
    if (cli->command && suggestions.count == 0) {
        add_others(cli, &text, name, bytes);
    }
    xylem_cli__add_suggestions(&text, &suggestions, "");
    return xylem_cli__usage_text(cli, &text);
}

/* What an unknown letter may mean. */
static const char *letter_meant(const struct parser *parser, char letter)
{
    const struct xylem_cli__command *command = parser->cli->command;
    bool digit = letter >= '0' && letter <= '9';
    return letter == 'v'                                                    ? ": -V shows the version"
           : digit && xylem_cli__option_find(command, NULL, 0, 'n')         ? ": -n N is meant"
           : letter == 'f' && xylem_cli__option_find(command, NULL, 0, 'y') ? ": --yes is meant"
           : command && xylem_cli__takes_text(command) && parser->at > 0    ? ": a text with options stands in quotes"
                                                                            : "";
}

static int set_choice(struct xylem_cli *cli, const struct xylem_cli__option *option, int *target, const char *value)
{
    const char *const *choices = option->choices;
    struct xylem_cli__text words = {0};
    assert(choices && choices[0]);
    for (int i = 0; choices[i]; i++) {
        if (strcmp(choices[i], value) == 0) {
            *target = i + 1;
            return 0;
        }
    }
    for (int i = 0; choices[i]; i++) {
        xylem_cli__addf(&words, "%s%s", i == 0 ? "" : choices[i + 1] ? ", " : " or ", choices[i]);
    }
    int code =
        xylem_cli__usage(cli, "--%s takes %s, not '%s'", option->name, words.bytes.data ? words.bytes.data : "", value);
    xylem_cli__text_release(&words);
    return code;
}

static int set(const struct parser *parser, const struct xylem_cli__option *option, const char *value)
{
    struct xylem_cli *cli = parser->cli;
    bool global = find_in(xylem_cli__global_options, option->name, strlen(option->name), 0) == option;
    void *place = (global ? (char *)cli : (char *)parser->options) + option->offset;
    struct xylem_cli__count *count = place;
    struct xylem_cli__list *list = place;
    switch (option->type) {
    case XYLEM_CLI__FLAG:
        *(bool *)place = true;
        return 0;
    case XYLEM_CLI__TEXT:
        if (*(const char **)place) {
            return xylem_cli__usage(cli, "--%s is given twice", option->name);
        }
        *(const char **)place = value;
        return 0;
    case XYLEM_CLI__LIST:
        if (list->count == XYLEM_CLI__LIST_MAX) {
            return xylem_cli__usage(cli, "--%s may be given at most %u times", option->name, XYLEM_CLI__LIST_MAX);
        }
        list->texts[list->count++] = value;
        return 0;
    case XYLEM_CLI__COUNT:
        count->given = xylem_cli__number(&count->number, value);
        return count->given
                   ? 0
                   : xylem_cli__usage(cli, "--%s takes a number%s, not '%s'", option->name,
                                      *value == '\0' || value[strspn(value, "0123456789")] ? "" : " below 2^64", value);
    case XYLEM_CLI__CHOICE:
        return set_choice(cli, option, place, value);
    }
    return 0;
}

static int parse_long(struct parser *parser)
{
    const char *name = parser->words[parser->at] + 2;
    const char *equals = strchr(name, '=');
    size_t bytes = equals ? (size_t)(equals - name) : strlen(name);
    const char *value = equals ? equals + 1 : NULL;
    const struct xylem_cli__option *option = xylem_cli__option_find(parser->cli->command, name, bytes, 0);
    if (!option) {
        return no_option(parser->cli, name, bytes);
    }
    if (option->type == XYLEM_CLI__FLAG && value) {
        return xylem_cli__usage(parser->cli, "--%s takes no value", option->name);
    }
    if (option->type != XYLEM_CLI__FLAG && !value) {
        value = parser->words[parser->at + 1];
        if (!value) {
            return xylem_cli__usage(parser->cli, "--%s needs a value: %s", option->name, option->argument);
        }
        parser->at++;
    }
    parser->at++;
    return set(parser, option, value);
}

/* `-a`, `-ab` of flags, `-n5`, `-n 5`. */
static int parse_letters(struct parser *parser)
{
    for (const char *letter = parser->words[parser->at] + 1; *letter != '\0'; letter++) {
        const struct xylem_cli__option *option = xylem_cli__option_find(parser->cli->command, NULL, 0, *letter);
        if (!option) {
            const char *word = parser->words[parser->at] + 1;
            if (strlen(word) > 1 && xylem_cli__option_find(parser->cli->command, word, strlen(word), 0)) {
                return xylem_cli__usage(parser->cli, "there is no option -%s: --%s is meant", word, word);
            }
            if (!parser->cli->command && is_of_a_command(parser->cli, NULL, 0, *letter)) {
                return xylem_cli__usage(parser->cli, "-%c stands behind the name of a command", *letter);
            }
            return xylem_cli__usage(parser->cli, "there is no option -%c%s", *letter, letter_meant(parser, *letter));
        }
        if (option->type == XYLEM_CLI__FLAG) {
            set(parser, option, NULL);
            continue;
        }
        const char *value = letter[1] != '\0' ? letter + 1 : parser->words[parser->at + 1];
        if (!value) {
            return xylem_cli__usage(parser->cli, "-%c needs a value: %s", *letter, option->argument);
        }
        parser->at += letter[1] != '\0' ? 1 : 2;
        return set(parser, option, value);
    }
    parser->at++;
    return 0;
}

int xylem_cli__parse(struct xylem_cli *cli, void *options, char **words)
{
    struct parser parser = {.cli = cli, .options = options, .words = words};
    bool only_arguments = false;
    size_t count = 0;
    while (words[parser.at]) {
        char *word = words[parser.at];
        int code = 0;
        if (only_arguments || word[0] != '-' || word[1] == '\0') {
            only_arguments = only_arguments || !cli->command || cli->command->verbs;
            words[count++] = word;
            parser.at++;
        } else if (strcmp(word, "--") == 0) {
            only_arguments = true;
            parser.at++;
        } else if (word[1] == '-') {
            code = parse_long(&parser);
        } else {
            code = parse_letters(&parser);
        }
        if (code < 0) {
            return code;
        }
    }
    words[count] = NULL;
    return 0;
}
