#include "tests/lib/shell_rewrite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge/policy/words/options.h"
#include "judge/shell/parse.h"

#define EDITS_MAX 4096

/* A piece of the command, in whose place something else is written. */
struct edit {
    size_t at;
    size_t bytes;
};

struct edits {
    struct edit list[EDITS_MAX];
    size_t count;
    struct xylem_view text;
};

/* Which pieces of a simple command are wanted. */
enum wanted { WORDS, NAMES, BEGINNINGS };

static void add(struct xylem_buffer *out, const char *data, size_t bytes)
{
    if (bytes > 0 && xylem_buffer_add(out, data, bytes) != 0) {
        abort();
    }
}

static void add_text(struct xylem_buffer *out, const char *text)
{
    add(out, text, strlen(text));
}

/*
 * --- Finding pieces -------------------------------------------------------------------------------------------------
 */

static bool is_plain(struct xylem_view text)
{
    for (size_t i = 0; i < text.bytes; i++) {
        char c = text.data[i];
        bool alphanumeric = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!alphanumeric && (c == '\0' || !strchr("_./:=@%+,-", c))) {
            return false;
        }
    }
    return text.bytes > 0;
}

/* What stands in a copy that was unescaped is not rewritten. */
static void add_edit(struct edits *edits, struct xylem_view raw, size_t bytes)
{
    uintptr_t at = (uintptr_t)raw.data;
    uintptr_t begin = (uintptr_t)edits->text.data;
    if (raw.data && at >= begin && at + raw.bytes <= begin + edits->text.bytes && edits->count < EDITS_MAX) {
        edits->list[edits->count++] = (struct edit){(size_t)(at - begin), bytes};
    }
}

static void find_in_nodes(struct edits *edits, const struct xylem_shell__node *nodes, enum wanted wanted);

static void find_in_words(struct edits *edits, const struct xylem_shell__word *words, enum wanted wanted)
{
    for (const struct xylem_shell__word *word = words; word; word = word->next) {
        for (const struct xylem_shell__part *part = word->parts; part; part = part->next) {
            find_in_words(edits, part->words, wanted);
            find_in_nodes(edits, part->body, wanted);
        }
    }
}

/* A literal word that is spelt as it is. */
static bool is_spelt_plainly(const struct xylem_shell__word *word)
{
    return word->literal && word->raw.data && word->raw.bytes == word->text.bytes && is_plain(word->raw) &&
           memcmp(word->raw.data, word->text.data, word->raw.bytes) == 0;
}

static void find_plain(struct edits *edits, const struct xylem_shell__word *words)
{
    for (const struct xylem_shell__word *word = words; word; word = word->next) {
        if (is_spelt_plainly(word)) {
            add_edit(edits, word->raw, word->raw.bytes);
        }
    }
}

/* Quoted, or behind `command`, these take no arrays any more: `declare a=(x)`. */
static bool declares(const struct xylem_shell__word *name)
{
    return xylem_policy__listed("declare typeset local export readonly alias eval let", name->text);
}

/* Those of bash, which are no programs; and what is no program's name. */
static bool is_program(const struct xylem_shell__word *name)
{
    static const char builtins[] = ". : [ alias bg bind break builtin caller cd command compgen complete compopt "
                                   "continue declare dirs disown echo enable eval exec exit export false fc fg getopts "
                                   "hash help history jobs kill let local logout mapfile popd printf pushd pwd read "
                                   "readarray readonly return set shift shopt source suspend test times trap true type "
                                   "typeset ulimit umask unalias unset wait";
    return is_spelt_plainly(name) && !memchr(name->text.data, '/', name->text.bytes) &&
           !memchr(name->text.data, '=', name->text.bytes) && !xylem_policy__listed(builtins, name->text);
}

/*
 * The first of its words, assignments and redirections: its raw text begins with what stands before it, such as `!`.
 * Behind a redirection an array is not decidable: bash reads `>f a=(x)` in two ways.
 */
static void find_beginning(struct edits *edits, const struct xylem_shell__node *node)
{
    struct xylem_view begin = {NULL, 0};
    struct xylem_view candidates[] = {node->words == NULL ? begin : node->words->raw,
                                      node->assignments == NULL ? begin : node->assignments->raw,
                                      node->redirections == NULL ? begin : node->redirections->raw};
    for (const struct xylem_shell__assignment *set = node->assignments; set; set = set->next) {
        if (set->array) {
            return;
        }
    }
    for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++) {
        if (candidates[i].data && (!begin.data || candidates[i].data < begin.data)) {
            begin = candidates[i];
        }
    }
    add_edit(edits, begin, 0);
}

static void find_in_simple(struct edits *edits, const struct xylem_shell__node *node, enum wanted wanted)
{
    const struct xylem_shell__word *name = node->words;
    switch (wanted) {
    case WORDS:
        find_plain(edits, name != NULL && declares(name) ? NULL : name);
        for (const struct xylem_shell__redirection *to = node->redirections; to; to = to->next) {
            if (to->type == XYLEM_SHELL__REDIRECT_WRITE || to->type == XYLEM_SHELL__REDIRECT_READ) {
                find_plain(edits, to->target);
            }
        }
        break;
    case NAMES:
        if (name && is_program(name)) {
            add_edit(edits, name->raw, 0);
        }
        break;
    case BEGINNINGS:
        find_beginning(edits, node);
        break;
    }
}

static void find_in_nodes(struct edits *edits, const struct xylem_shell__node *nodes, enum wanted wanted)
{
    for (const struct xylem_shell__node *node = nodes; node; node = node->next) {
        if (node->type == XYLEM_SHELL__SIMPLE) {
            find_in_simple(edits, node, wanted);
        }
        for (const struct xylem_shell__assignment *set = node->assignments; set; set = set->next) {
            find_in_words(edits, set->values, wanted);
            find_in_words(edits, set->subscripts, wanted);
        }
        find_in_words(edits, node->words, wanted);
        for (const struct xylem_shell__redirection *to = node->redirections; to; to = to->next) {
            find_in_words(edits, to->target, wanted);
            find_in_words(edits, to->body, wanted);
        }
        find_in_nodes(edits, node->children, wanted);
    }
}

static int by_place(const void *left, const void *right)
{
    const struct edit *a = left;
    const struct edit *b = right;
    return (a->at > b->at) - (a->at < b->at);
}

/* Writes the command with each piece in another form. False: there are none. */
static bool rewrite(struct xylem_buffer *out, struct xylem_view command, enum wanted wanted,
                    void (*write)(struct xylem_buffer *out, struct xylem_view piece))
{
    static struct edits edits;
    struct xylem_shell__arena arena = {0};
    struct xylem_shell__tree tree;
    size_t done = 0;
    edits.count = 0;
    edits.text = command;
    if (xylem_shell__parse(&tree, &arena, command, 0) != 0) {
        abort();
    }
    find_in_nodes(&edits, tree.nodes, wanted);
    xylem_shell__arena_release(&arena);
    qsort(edits.list, edits.count, sizeof edits.list[0], by_place);
    for (size_t i = 0; i < edits.count; i++) {
        const struct edit *edit = &edits.list[i];
        if (edit->at < done || (i > 0 && edit->at == edits.list[i - 1].at)) {
            continue;
        }
        add(out, command.data + done, edit->at - done);
        write(out, (struct xylem_view){command.data + edit->at, edit->bytes});
        done = edit->at + edit->bytes;
    }
    add(out, command.data + done, command.bytes - done);
    return edits.count > 0;
}

/*
 * --- Words ----------------------------------------------------------------------------------------------------------
 */

static void write_single(struct xylem_buffer *out, struct xylem_view word)
{
    add_text(out, "'");
    add(out, word.data, word.bytes);
    add_text(out, "'");
}

static void write_double(struct xylem_buffer *out, struct xylem_view word)
{
    add_text(out, "\"");
    add(out, word.data, word.bytes);
    add_text(out, "\"");
}

static void write_half(struct xylem_buffer *out, struct xylem_view word)
{
    size_t half = word.bytes / 2;
    add(out, word.data, half);
    write_single(out, (struct xylem_view){word.data + half, word.bytes - half});
}

static void write_with_nothing(struct xylem_buffer *out, struct xylem_view word)
{
    add_text(out, "\"\"");
    add(out, word.data, word.bytes);
    add_text(out, "''");
}

static void write_backslashes(struct xylem_buffer *out, struct xylem_view word)
{
    for (size_t i = 0; i < word.bytes; i++) {
        add_text(out, "\\");
        add(out, word.data + i, 1);
    }
}

static void write_ansi(struct xylem_buffer *out, struct xylem_view word, const char *format)
{
    add_text(out, "$'");
    for (size_t i = 0; i < word.bytes; i++) {
        char code[16];
        switch (format[0]) {
        case 'x':
            (void)snprintf(code, sizeof code, "\\x%02x", (unsigned)(unsigned char)word.data[i]);
            break;
        case 'u':
            (void)snprintf(code, sizeof code, "\\u%04x", (unsigned)(unsigned char)word.data[i]);
            break;
        default:
            (void)snprintf(code, sizeof code, "\\%03o", (unsigned)(unsigned char)word.data[i]);
            break;
        }
        add_text(out, code);
    }
    add_text(out, "'");
}

static void write_hexadecimal(struct xylem_buffer *out, struct xylem_view word)
{
    write_ansi(out, word, "x");
}

static void write_octal(struct xylem_buffer *out, struct xylem_view word)
{
    write_ansi(out, word, "o");
}

static void write_code_points(struct xylem_buffer *out, struct xylem_view word)
{
    write_ansi(out, word, "u");
}

static void write_broken(struct xylem_buffer *out, struct xylem_view word)
{
    add_text(out, "\\\n");
    for (size_t i = 0; i < word.bytes; i++) {
        add(out, word.data + i, 1);
        add_text(out, "\\\n");
    }
}

static void write_spaced(struct xylem_buffer *out, struct xylem_view word)
{
    add_text(out, " \t\\\n ");
    add(out, word.data, word.bytes);
    add_text(out, " \\\n\t ");
}

static bool quote_single(struct xylem_buffer *out, struct xylem_view command)
{
    return rewrite(out, command, WORDS, write_single);
}

static bool quote_double(struct xylem_buffer *out, struct xylem_view command)
{
    return rewrite(out, command, WORDS, write_double);
}

static bool quote_half(struct xylem_buffer *out, struct xylem_view command)
{
    return rewrite(out, command, WORDS, write_half);
}

static bool quote_nothing(struct xylem_buffer *out, struct xylem_view command)
{
    return rewrite(out, command, WORDS, write_with_nothing);
}

static bool quote_backslash(struct xylem_buffer *out, struct xylem_view command)
{
    return rewrite(out, command, WORDS, write_backslashes);
}

static bool spell_hexadecimal(struct xylem_buffer *out, struct xylem_view command)
{
    return rewrite(out, command, WORDS, write_hexadecimal);
}

static bool spell_octal(struct xylem_buffer *out, struct xylem_view command)
{
    return rewrite(out, command, WORDS, write_octal);
}

static bool spell_code_points(struct xylem_buffer *out, struct xylem_view command)
{
    return rewrite(out, command, WORDS, write_code_points);
}

static bool break_words(struct xylem_buffer *out, struct xylem_view command)
{
    return rewrite(out, command, WORDS, write_broken);
}

static bool space_words(struct xylem_buffer *out, struct xylem_view command)
{
    return rewrite(out, command, WORDS, write_spaced);
}

/*
 * --- Names and beginnings -------------------------------------------------------------------------------------------
 */

static void write_command(struct xylem_buffer *out, struct xylem_view place)
{
    (void)place;
    add_text(out, "command ");
}

static void write_path(struct xylem_buffer *out, struct xylem_view place)
{
    (void)place;
    add_text(out, "/usr/bin/");
}

static void write_input(struct xylem_buffer *out, struct xylem_view place)
{
    (void)place;
    add_text(out, "</dev/null ");
}

static bool name_with_command(struct xylem_buffer *out, struct xylem_view command)
{
    return rewrite(out, command, NAMES, write_command);
}

static bool name_with_path(struct xylem_buffer *out, struct xylem_view command)
{
    return rewrite(out, command, NAMES, write_path);
}

static bool redirect_first(struct xylem_buffer *out, struct xylem_view command)
{
    return rewrite(out, command, BEGINNINGS, write_input);
}

/*
 * --- Around the command ---------------------------------------------------------------------------------------------
 */

/*
 * May something be put around it? A backslash at the end would act on what follows, a parenthesis that closes nothing
 * would close ours, and where there is no command at all, none may be missing.
 */
static bool can_be_wrapped(struct xylem_view command)
{
    struct xylem_shell__arena arena = {0};
    struct xylem_shell__tree tree;
    if (xylem_shell__parse(&tree, &arena, command, 0) != 0) {
        abort();
    }
    bool understood = tree.not_understood_why == NULL;
    bool can = understood ? tree.nodes != NULL : memchr(command.data, ')', command.bytes) == NULL;
    xylem_shell__arena_release(&arena);
    return can && command.data[command.bytes - 1] != '\\';
}

static bool around(struct xylem_buffer *out, struct xylem_view command, const char *before, const char *behind)
{
    if (!can_be_wrapped(command)) {
        return false;
    }
    add_text(out, before);
    add(out, command.data, command.bytes);
    add_text(out, behind);
    return true;
}

static bool blanks(struct xylem_buffer *out, struct xylem_view command)
{
    return around(out, command, "\n \t\\\n\n  ", "\n\n  ");
}

static bool group(struct xylem_buffer *out, struct xylem_view command)
{
    return around(out, command, "{ ", "\n}");
}

static bool subshell(struct xylem_buffer *out, struct xylem_view command)
{
    return around(out, command, "( ", "\n)");
}

static bool condition(struct xylem_buffer *out, struct xylem_view command)
{
    return around(out, command, "if :; then ", "\nfi");
}

static bool case_arm(struct xylem_buffer *out, struct xylem_view command)
{
    return around(out, command, "case x in x) ", "\nesac");
}

static bool substitution(struct xylem_buffer *out, struct xylem_view command)
{
    return around(out, command, "echo $( ", "\n)");
}

static bool quoted_substitution(struct xylem_buffer *out, struct xylem_view command)
{
    return around(out, command, "x=\"$( ", "\n)\"");
}

static bool default_value(struct xylem_buffer *out, struct xylem_view command)
{
    return around(out, command, ": ${nothing_is_set:-$( ", "\n)}");
}

static bool process(struct xylem_buffer *out, struct xylem_view command)
{
    return around(out, command, ": <( ", "\n)");
}

/* With one of these before it, an operator that nothing stands before would have something there. */
static bool begins_with_operator(struct xylem_view command)
{
    size_t at = 0;
    while (at < command.bytes && strchr(" \t\\\n", command.data[at]) && command.data[at] != '\0') {
        at++;
    }
    return at == command.bytes || (command.data[at] != '\0' && strchr(";&|", command.data[at]));
}

static bool negated(struct xylem_buffer *out, struct xylem_view command)
{
    return !begins_with_operator(command) && around(out, command, "! ", "");
}

static bool negated_group(struct xylem_buffer *out, struct xylem_view command)
{
    return around(out, command, "! { ", "\n}");
}

static bool timed(struct xylem_buffer *out, struct xylem_view command)
{
    return !begins_with_operator(command) && around(out, command, "time ", "");
}

static bool timed_portably(struct xylem_buffer *out, struct xylem_view command)
{
    return around(out, command, "time -p -- ! { ", "\n}");
}

static bool appended(struct xylem_buffer *out, struct xylem_view command)
{
    return around(out, command, "", "\necho ${ :; }");
}

static bool appended_to_line(struct xylem_buffer *out, struct xylem_view command)
{
    bool ends_line = memchr(command.data, '#', command.bytes) != NULL || memchr(command.data, '\n', command.bytes);
    bool here = memmem(command.data, command.bytes, "<<", 2) != NULL;
    char last = command.data[command.bytes - 1];
    return !ends_line && !here && !strchr("&;|(", last) && around(out, command, "", "; echo ${ :; }");
}

static bool is_understood(struct xylem_view command)
{
    struct xylem_shell__arena arena = {0};
    struct xylem_shell__tree tree;
    if (xylem_shell__parse(&tree, &arena, command, 0) != 0) {
        abort();
    }
    xylem_shell__arena_release(&arena);
    return tree.not_understood_why == NULL;
}

/*
 * Backslashes in backticks lose their meaning twice. What is not understood is searched as it stands, with all of them.
 */
static bool backticks(struct xylem_buffer *out, struct xylem_view command)
{
    if (!can_be_wrapped(command) || !is_understood(command)) {
        return false;
    }
    add_text(out, "echo `");
    for (size_t i = 0; i < command.bytes; i++) {
        if (command.data[i] == '`' || command.data[i] == '\\') {
            add_text(out, "\\");
        }
        add(out, command.data + i, 1);
    }
    add_text(out, "\n`");
    return true;
}

/*
 * A here-document's body loses its backslash-newlines before what stands in it is read; and its end must stand nowhere
 * else.
 */
static bool here_document(struct xylem_buffer *out, struct xylem_view command)
{
    bool taken = memmem(command.data, command.bytes, "inner_end", strlen("inner_end")) != NULL;
    if (memmem(command.data, command.bytes, "\\\n", 2) ||
        memmem(command.data, command.bytes, "outer_end", strlen("outer_end"))) {
        return false;
    }
    return taken ? around(out, command, ": <<outer_end\nx $( ", "\n) y\nouter_end\n")
                 : around(out, command, ": <<inner_end\nx $( ", "\n) y\ninner_end\n");
}

const struct shell_rewrite shell_rewrites[] = {
    {"single quotes", SHELL_REWRITE_SAME, false, quote_single},
    {"double quotes", SHELL_REWRITE_SAME, false, quote_double},
    {"quotes around half of the word", SHELL_REWRITE_SAME, false, quote_half},
    {"empty quotes", SHELL_REWRITE_SAME, false, quote_nothing},
    {"backslashes", SHELL_REWRITE_SAME, false, quote_backslash},
    {"$'\\x..'", SHELL_REWRITE_SAME, false, spell_hexadecimal},
    {"$'\\...'", SHELL_REWRITE_SAME, false, spell_octal},
    {"$'\\u....'", SHELL_REWRITE_SAME, false, spell_code_points},
    {"backslash-newline in words", SHELL_REWRITE_SAME, false, break_words},
    {"spaces, tabs and backslash-newline between words", SHELL_REWRITE_SAME, false, space_words},
    {"command", SHELL_REWRITE_SAME, false, name_with_command},
    {"an absolute path", SHELL_REWRITE_PLACE, false, name_with_path},
    {"a redirection before each command", SHELL_REWRITE_INPUT, false, redirect_first},
    {"blank lines around", SHELL_REWRITE_SAME, true, blanks},
    {"{ }", SHELL_REWRITE_SAME, true, group},
    {"( )", SHELL_REWRITE_SAME, true, subshell},
    {"if", SHELL_REWRITE_SAME, true, condition},
    {"case", SHELL_REWRITE_SAME, true, case_arm},
    {"$( )", SHELL_REWRITE_SAME, true, substitution},
    {"\"$( )\"", SHELL_REWRITE_SAME, true, quoted_substitution},
    {"${x:-$( )}", SHELL_REWRITE_SAME, true, default_value},
    {"<( )", SHELL_REWRITE_SAME, true, process},
    {"backticks", SHELL_REWRITE_SAME, true, backticks},
    {"a here-document's body", SHELL_REWRITE_SAME, true, here_document},
    {"!", SHELL_REWRITE_STATUS, true, negated},
    {"! { }", SHELL_REWRITE_SAME, true, negated_group},
    {"time", SHELL_REWRITE_SAME, true, timed},
    {"time -p -- !", SHELL_REWRITE_SAME, true, timed_portably},
    {"${ :; } on the next line", SHELL_REWRITE_LAST, true, appended},
    {"${ :; } on the same line", SHELL_REWRITE_LAST, true, appended_to_line},
};
const size_t shell_rewrite_count = sizeof shell_rewrites / sizeof shell_rewrites[0];
