#include "tests/lib/command_names.h"

#include <string.h>

/* Builtins that run their arguments as a command; and those that may run code that stands in arguments or variables. */
static const char *const runners[] = {"command", "builtin", "exec", NULL};
static const char *const coders[] = {"eval",    "source",   ".",    "trap",    "alias",  "jobs",
                                     "compgen", "complete", "bind", "hash",    "enable", "shopt",
                                     "fc",      "history",  "let",  "compopt", NULL};
/* Those that evaluate a subscript in the name of a variable. */
static const char *const namers[] = {"read",      "unset", "declare", "local",  "typeset",  "mapfile",
                                     "readarray", "wait",  "getopts", "export", "readonly", NULL};
/* Variables whose value is evaluated as arithmetic when they are set. */
static const char *const numbers[] = {"RANDOM", "SRANDOM", "OPTIND", "HISTCMD", NULL};
static const char *const testers[] = {"test", "[", "printf", NULL};

static bool is(struct xylem_view view, const char *text)
{
    return view.bytes == strlen(text) && memcmp(view.data, text, view.bytes) == 0;
}

static bool listed(const char *const *list, struct xylem_view name)
{
    for (; *list; list++) {
        if (is(name, *list)) {
            return true;
        }
    }
    return false;
}

static bool has_byte(struct xylem_view view, char byte)
{
    return view.bytes > 0 && memchr(view.data, byte, view.bytes);
}

static void add(struct command_names *names, struct xylem_view name)
{
    if (names->count == COMMAND_NAMES_MAX) {
        names->undecided = true;
        return;
    }
    names->names[names->count++] = name;
}

/* NAME, or NAME=value, of one of these variables. */
static bool sets_number(struct xylem_view text)
{
    const char *equals = text.bytes == 0 ? NULL : memchr(text.data, '=', text.bytes);
    return listed(numbers, (struct xylem_view){text.data, equals ? (size_t)(equals - text.data) : text.bytes});
}

static bool argument_runs_code(struct xylem_view command, const struct xylem_shell__word *word)
{
    if (listed(testers, command)) {
        return word->literal && is(word->text, "-v");
    }
    bool option = word->text.bytes > 1 && word->text.data[0] == '-';
    if (is(command, "set")) {
        return !word->literal || (option && (has_byte(word->text, 'x') || has_byte(word->text, 'k'))) ||
               is(word->text, "xtrace") || is(word->text, "keyword");
    }
    return listed(namers, command) && (!word->literal || has_byte(word->text, '[') || sets_number(word->text) ||
                                       (option && (has_byte(word->text, 'i') || has_byte(word->text, 'n') ||
                                                   has_byte(word->text, 'C') || has_byte(word->text, 'p'))));
}

static void find_name(struct command_names *names, const struct xylem_shell__node *node)
{
    const struct xylem_shell__word *first = node->words;
    if (!first) {
        return;
    }
    if (!first->literal) {
        names->undecided = true;
        return;
    }
    add(names, first->text);
    names->runs_code = names->runs_code || listed(coders, first->text);
    bool runs = listed(runners, first->text);
    for (const struct xylem_shell__word *word = first->next; word; word = word->next) {
        names->runs_code = names->runs_code || argument_runs_code(first->text, word);
        if (!runs) {
            continue;
        }
        names->undecided = names->undecided || !word->literal;
        names->runs_code = names->runs_code || listed(coders, word->text) || listed(namers, word->text) ||
                           listed(testers, word->text) || is(word->text, "set");
        add(names, word->text);
    }
}

static void find_in_nodes(struct command_names *names, const struct xylem_shell__node *node);

static void find_in_words(struct command_names *names, const struct xylem_shell__word *word)
{
    for (; word; word = word->next) {
        for (const struct xylem_shell__part *part = word->parts; part; part = part->next) {
            names->runs_code = names->runs_code || (part->assigns && listed(numbers, part->text));
            find_in_words(names, part->words);
            find_in_nodes(names, part->body);
        }
    }
}

static void find_in_nodes(struct command_names *names, const struct xylem_shell__node *node)
{
    for (; node; node = node->next) {
        if (node->type == XYLEM_SHELL__SIMPLE) {
            find_name(names, node);
        }
        names->runs_code = names->runs_code || (node->type == XYLEM_SHELL__LOOP && listed(numbers, node->name));
        for (const struct xylem_shell__assignment *set = node->assignments; set; set = set->next) {
            names->runs_code = names->runs_code || listed(numbers, set->name);
            find_in_words(names, set->subscripts);
            find_in_words(names, set->values);
        }
        for (const struct xylem_shell__redirection *to = node->redirections; to; to = to->next) {
            names->runs_code = names->runs_code || to->expands_twice;
            find_in_words(names, to->target);
            find_in_words(names, to->body);
        }
        find_in_words(names, node->words);
        find_in_nodes(names, node->children);
    }
}

void command_names_find(struct command_names *names, const struct xylem_shell__tree *tree)
{
    names->count = 0;
    names->undecided = names->runs_code = false;
    find_in_nodes(names, tree->nodes);
}

bool command_names_hold(const struct command_names *names, const char *name)
{
    const char *slash = strrchr(name, '/');
    for (size_t i = 0; i < names->count; i++) {
        struct xylem_view found = names->names[i];
        for (size_t at = found.bytes; at-- > 0;) {
            if (found.data[at] == '/') {
                found.data += at + 1;
                found.bytes -= at + 1;
                break;
            }
        }
        if (is(found, slash ? slash + 1 : name)) {
            return true;
        }
    }
    return false;
}
