/* Walks a tree and judges each command, redirection and assignment in the tree. */
#include <stdlib.h>

#include "base/buffer.h"
#include "judge/policy/words/braces.h"
#include "judge/policy/engine/engine.h"
#include "judge/shell/parse.h"
#include "judge/policy/engine/variables.h"
#include "judge/policy/words/words.h"

static void walk_nodes(struct xylem_policy__judge *judge, const struct xylem_shell__node *nodes);
static void walk_words(struct xylem_policy__judge *judge, const struct xylem_shell__word *words);

/*
 * --- Words that a program's name could come from --------------------------------------------------------------------
 */

static void add_value(struct xylem_policy__judge *judge, const struct xylem_shell__word *word)
{
    void *moved = xylem_base__with_room(judge->values.words, &judge->values.capacity, judge->values.count, sizeof word);
    if (!moved) {
        judge->failed = true;
        return;
    }
    judge->values.words = moved;
    judge->values.words[judge->values.count++] = word;
}

static void collect_nodes(struct xylem_policy__judge *judge, const struct xylem_shell__node *nodes);

static void collect_words(struct xylem_policy__judge *judge, const struct xylem_shell__word *words, bool name_first)
{
    for (const struct xylem_shell__word *word = words; word; word = word->next) {
        if (!(name_first && word == words && word->literal)) {
            add_value(judge, word);
        }
        for (const struct xylem_shell__part *part = word->parts; part; part = part->next) {
            collect_words(judge, part->words, false);
            collect_nodes(judge, part->body);
        }
    }
}

/* True for an option of echo or printf, and for a format such as `%s\n`. */
static bool is_not_printed(const struct xylem_shell__word *word)
{
    return word->literal && word->text.bytes > 0 &&
           (word->text.data[0] == '%' ||
            (word->text.data[0] == '-' && xylem_policy__view_of_only(word->text, "-neEv")));
}

/*
 * `echo sed -i s/a/b/ f | sh`: echo and printf print their words as one text, and a shell may read the text. Adds the
 * text with a newline for each `\n`: printf prints a newline there, and so does some shells' echo.
 */
static void add_printed(struct xylem_policy__judge *judge, const struct xylem_shell__node *node)
{
    const struct xylem_shell__word *word = node->words;
    if (!judge->policy->rules->programs || node->type != XYLEM_SHELL__SIMPLE || !word ||
        !(xylem_shell__word_is(word, "echo") || xylem_shell__word_is(word, "printf"))) {
        return;
    }
    const struct xylem_shell__word **words = xylem_shell__arena_take(&judge->arena, node->word_count * sizeof *words);
    size_t count = 0;
    for (word = word->next; word && words; word = word->next) {
        if (count > 0 || !is_not_printed(word)) {
            words[count++] = word;
        }
    }
    const struct xylem_shell__word *said = count == 0 ? NULL : xylem_policy__joined(&judge->arena, words, count);
    bool option = said && xylem_policy__view_begins(said->text, "-"); /* `echo -rf | xargs rm d` */
    if (!said || !said->literal || (count == 1 && !option && !xylem_policy__view_contains(said->text, "\\n"))) {
        return;
    }
    struct xylem_shell__word *printed = xylem_shell__arena_take(&judge->arena, sizeof *printed);
    char *text = xylem_shell__arena_take(&judge->arena, said->text.bytes + 1);
    if (!printed || !text) {
        return;
    }
    *printed = *said;
    printed->text.data = text;
    for (size_t i = 0; i < said->text.bytes; i++) {
        bool ends_line = said->text.data[i] == '\\' && i + 1 < said->text.bytes && said->text.data[i + 1] == 'n';
        text[i] = ends_line ? ' ' : said->text.data[i];
        if (ends_line) {
            text[++i] = '\n';
        }
    }
    if (option) {
        text[printed->text.bytes++] = '\n';
    }
    add_value(judge, printed);
}

static void collect_nodes(struct xylem_policy__judge *judge, const struct xylem_shell__node *nodes)
{
    for (const struct xylem_shell__node *node = nodes; node; node = node->next) {
        for (const struct xylem_shell__assignment *set = node->assignments; set; set = set->next) {
            collect_words(judge, set->values, false);
            collect_words(judge, set->subscripts, false);
        }
        collect_words(judge, node->words, node->type == XYLEM_SHELL__SIMPLE);
        add_printed(judge, node);
        for (const struct xylem_shell__redirection *to = node->redirections; to; to = to->next) {
            collect_words(judge, to->type == XYLEM_SHELL__REDIRECT_HERE_DOCUMENT ? to->body : to->target, false);
            collect_words(judge, to->kept, false); /* `read` can put the body into a variable */
        }
        collect_nodes(judge, node->children);
    }
}

/*
 * --- Places ---------------------------------------------------------------------------------------------------------
 */

static bool changes_directory(const struct xylem_shell__node *nodes)
{
    for (const struct xylem_shell__node *node = nodes; node; node = node->next) {
        for (const struct xylem_shell__word *word = node->words; word; word = word->next) {
            if (xylem_shell__word_is(word, "cd") || xylem_shell__word_is(word, "pushd") ||
                xylem_shell__word_is(word, "popd")) {
                return true;
            }
        }
        if (changes_directory(node->children)) {
            return true;
        }
    }
    return false;
}

/* The node runs in a child shell: the directory of this shell does not change. */
static bool runs_apart(const struct xylem_shell__node *node)
{
    return node->type == XYLEM_SHELL__SUBSHELL || node->type == XYLEM_SHELL__PIPELINE ||
           node->type == XYLEM_SHELL__COPROC || node->then == XYLEM_SHELL__THEN_BACKGROUND ||
           node->then == XYLEM_SHELL__THEN_PIPE;
}

/*
 * --- The tree -------------------------------------------------------------------------------------------------------
 */

/* zsh evaluates the names in `$f[n]`. */
static bool is_evaluated(const struct xylem_shell__word *word, const struct xylem_shell__part *part)
{
    struct xylem_view raw = {part->raw.data, word->raw.bytes - (size_t)(part->raw.data - word->raw.data)};
    return xylem_policy__zsh_reads_on(word, part, "[") && xylem_base__skip(raw, part->raw.bytes + 1, "0123456789,-") <
                                                              xylem_shell__find_any(raw, part->raw.bytes + 1, "]");
}

static void walk_words(struct xylem_policy__judge *judge, const struct xylem_shell__word *words)
{
    for (const struct xylem_shell__word *word = words; word; word = word->next) {
        for (const struct xylem_shell__part *part = word->parts; part; part = part->next) {
            if (is_evaluated(word, part)) {
                xylem_policy__undecided(judge, word->raw, "arithmetic",
                                        "write ${NAME} before the bracket: zsh evaluates what stands in the brackets");
            }
            walk_words(judge, part->words);
            if (part->assigns) {
                xylem_policy__judge_variable(judge, part->text, XYLEM_POLICY__SET_OTHERWISE, NULL);
            }
            if (part->body) { /* a substitution runs in a child shell */
                struct xylem_policy__place here = judge->place;
                judge->depth++;
                walk_nodes(judge, part->body);
                judge->depth--;
                judge->place = here;
            }
        }
    }
}

/* A refused redirection refuses the command with that record; 0: the redirections belong to no command. */
static void walk_redirections(struct xylem_policy__judge *judge, const struct xylem_shell__redirection *redirections,
                              size_t record)
{
    size_t before = judge->current;
    for (const struct xylem_shell__redirection *to = redirections; to; to = to->next) {
        walk_words(judge, to->target);
        walk_words(judge, to->body);
        judge->current = record;
        if (to->descriptor_named) {
            xylem_policy__judge_variable(judge, to->descriptor, XYLEM_POLICY__SET_OTHERWISE, NULL);
        }
        judge->policy->rules->redirection(judge, to);
        judge->current = before;
    }
}

/*
 * Judges the NAME=VALUE words before a command (NULL: no command follows). Gives the rule of the last refusal, or NULL.
 */
static const char *walk_assignments(struct xylem_policy__judge *judge, const struct xylem_shell__node *node,
                                    const struct xylem_policy__command *command)
{
    judge->refused_outside = NULL;
    for (const struct xylem_shell__assignment *set = node->assignments; set; set = set->next) {
        judge->set = (struct xylem_policy__set_value){.value = set->values, .partial = set->append || set->array};
        xylem_policy__judge_variable(judge, set->name, !command ? XYLEM_POLICY__SET_BARE : XYLEM_POLICY__SET_PREFIX,
                                     command);
        xylem_policy__judge_number(judge, set->name, set->raw, set->array ? NULL : set->values);
        judge->set = (struct xylem_policy__set_value){0};
    }
    return judge->refused_outside;
}

static bool has_braces(const struct xylem_shell__word *words)
{
    for (const struct xylem_shell__word *word = words; word; word = word->next) {
        for (const struct xylem_shell__part *part = word->literal ? NULL : word->parts; part; part = part->next) {
            if (part->type == XYLEM_SHELL__PART_BRACE) {
                return true;
            }
        }
    }
    return false;
}

static void walk_simple(struct xylem_policy__judge *judge, const struct xylem_shell__node *node)
{
    struct xylem_policy__command outer = {.node = node, .raw = node->raw};
    for (const struct xylem_shell__assignment *set = node->assignments; set; set = set->next) {
        walk_words(judge, set->subscripts);
        walk_words(judge, set->values);
    }
    walk_words(judge, node->words);
    const struct xylem_shell__word **words = xylem_policy__words_of(&judge->arena, node);
    size_t count = node->word_count;
    if (!words) {
        return;
    }
    struct xylem_policy__command command = {.words = words, .count = count, .node = node, .raw = node->raw};
    if (count > 0 && words[0]->literal) {
        command.name = xylem_policy__basename(words[0]->text);
    }
    const char *rule = walk_assignments(judge, node, count == 0 ? NULL : &command);
    size_t before = judge->verdict->judged_count;
    xylem_policy__judge_words(judge, &outer, words, count, false);
    size_t record = judge->verdict->judged_count > before ? before + 1 : 0;
    if (rule && record > 0) {
        xylem_policy__refuse_record(judge, record, rule);
    }
    walk_redirections(judge, node->redirections, record);
    /* A permissive policy judges the expansion of braces as well: `sed {-i,s/a/b/} f` is `sed -i s/a/b/ f`. */
    struct xylem_shell__word expanded = {.raw = node->raw, .literal = true};
    if (judge->policy->rules->programs && has_braces(node->words) &&
        xylem_policy__expand_braces(&expanded.text, &judge->arena, node->words)) {
        (void)xylem_policy__judge_possible_code(judge, &expanded, "not-decidable");
    }
}

static void walk_node(struct xylem_policy__judge *judge, const struct xylem_shell__node *node)
{
    if (node->type == XYLEM_SHELL__SIMPLE) {
        walk_simple(judge, node);
        return;
    }
    /* The second run begins in the directory in which the first run ended. The walk does not follow the second run. */
    bool runs_again = node->type == XYLEM_SHELL__LOOP || node->type == XYLEM_SHELL__FUNCTION;
    if (runs_again && changes_directory(node->children)) {
        xylem_policy__place_change(judge, NULL);
    }
    if (node->type == XYLEM_SHELL__LOOP) {
        xylem_policy__judge_loop_variable(judge, node);
        for (const struct xylem_shell__word *word = node->words; word && node->name.bytes > 0; word = word->next) {
            xylem_policy__judge_number(judge, node->name, word->raw, word);
        }
    }
    bool named = node->type == XYLEM_SHELL__FUNCTION || node->type == XYLEM_SHELL__COPROC;
    if (named && judge->policy->rules->node) {
        judge->policy->rules->node(judge, node);
    }
    bool inside = node->type != XYLEM_SHELL__PIPELINE; /* a pipeline does not enclose its commands */
    struct xylem_policy__place here = judge->place;
    walk_words(judge, node->words);
    if (node->type == XYLEM_SHELL__FUNCTION) { /* the body runs where the function is called */
        xylem_policy__place_change(judge, NULL);
    }
    judge->depth += inside;
    walk_nodes(judge, node->children);
    judge->depth -= inside;
    judge->place = node->type == XYLEM_SHELL__FUNCTION ? here : judge->place;
    walk_redirections(judge, node->redirections, 0);
}

/*
 * Walks a list of commands and follows the directory of the shell:
 * - `cd x && git status`: git runs in x;
 * - `cd x; git status`: cd may fail, so git runs in x or in the directory before;
 * - `(cd x); git status`, `cd x | y; git status`, `cd x & git status`: cd runs in a child shell, git in the directory
 *   before.
 */
static void walk_nodes(struct xylem_policy__judge *judge, const struct xylem_shell__node *nodes)
{
    struct xylem_policy__place begin = judge->place;
    bool reads_paths = false; /* the node: by a pipe from the node before */
    bool outer_reads_paths = judge->reads_paths;
    xylem_policy__variables_of_list(judge, nodes);
    for (const struct xylem_shell__node *node = nodes; node; node = node->next) {
        struct xylem_policy__place here = judge->place;
        judge->reads_paths = reads_paths && !node->redirections;
        walk_node(judge, node);
        reads_paths = node->then == XYLEM_SHELL__THEN_PIPE && xylem_policy__prints_paths(judge, node);
        if (runs_apart(node)) {
            judge->place = here;
        }
        if (node->then != XYLEM_SHELL__THEN_AND || node->negated) {
            xylem_policy__place_join(&judge->place, &begin);
        }
        if (node->then != XYLEM_SHELL__THEN_AND && node->then != XYLEM_SHELL__THEN_OR) {
            begin = judge->place;
        }
    }
    judge->reads_paths = outer_reads_paths;
}

/*
 * --- A text ---------------------------------------------------------------------------------------------------------
 */

static int by_address(const void *left, const void *right)
{
    const struct xylem_shell__text *const *a = left;
    const struct xylem_shell__text *const *b = right;
    return ((*a)->copy.data > (*b)->copy.data) - ((*a)->copy.data < (*b)->copy.data);
}

/* Sorts the unescaped parts of the text by the address of their copies, for a binary search. */
static bool sort_unescaped(struct xylem_policy__judge *judge, struct xylem_policy__frame *frame,
                           const struct xylem_shell__tree *tree)
{
    size_t count = 0;
    for (const struct xylem_shell__text *text = tree->texts; text; text = text->next) {
        count++;
    }
    frame->unescaped = xylem_shell__arena_take(&judge->arena, (count + 1) * sizeof *frame->unescaped);
    if (!frame->unescaped) {
        return false;
    }
    for (const struct xylem_shell__text *text = tree->texts; text; text = text->next) {
        frame->unescaped[frame->unescaped_count++] = text;
    }
    qsort(frame->unescaped, count, sizeof *frame->unescaped, by_address);
    return true;
}

static const char *const rule_of_doubt[] = {
    [XYLEM_SHELL__DOUBT_ARITHMETIC] = "arithmetic",
    [XYLEM_SHELL__DOUBT_CODE] = "not-decidable",
    [XYLEM_SHELL__DOUBT_READINGS] = "not-understood",
};

void xylem_policy__judge_text(struct xylem_policy__judge *judge, struct xylem_view text, struct xylem_view at)
{
    struct xylem_policy__frame frame = {.outer = judge->frame, .text = text, .at = at};
    struct xylem_policy__place here = judge->place;
    struct xylem_shell__tree tree;
    size_t record = judge->current;
    const char *refused_outside = judge->refused_outside;
    if (xylem_shell__parse(&tree, &judge->arena, text, judge->code_depth) < 0 ||
        !sort_unescaped(judge, &frame, &tree)) {
        return;
    }
    judge->frame = &frame;
    judge->current = 0;
    frame.value_begin = judge->values.count;
    collect_nodes(judge, tree.nodes);
    frame.value_end = judge->values.count;
    walk_nodes(judge, tree.nodes);
    xylem_policy__ask_about_expansions(judge, &frame);
    for (const struct xylem_shell__doubt *doubt = tree.doubts; doubt; doubt = doubt->next) {
        if (doubt->type != XYLEM_SHELL__DOUBT_ARITHMETIC || !xylem_policy__holds_number(judge, doubt->at)) {
            xylem_policy__undecided(judge, doubt->at, rule_of_doubt[doubt->type], doubt->why);
        }
    }
    if (tree.not_understood_why) {
        xylem_policy__undecided(judge, tree.not_understood, "not-understood", tree.not_understood_why);
    }
    judge->current = record;
    judge->refused_outside = refused_outside;
    judge->frame = frame.outer;
    judge->place = here;
}
