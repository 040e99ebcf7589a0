#include "tests/lib/shell_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void put(FILE *out, struct xylem_view view)
{
    if (view.bytes > 0) {
        (void)fwrite(view.data, 1, view.bytes, out);
    }
}

static bool is_plain(struct xylem_view view)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,+@%^=!#{}~*?";
    for (size_t i = 0; i < view.bytes; i++) {
        if (view.data[i] == '\0' || !strchr(plain, view.data[i])) {
            return false;
        }
    }
    return view.bytes > 0;
}

static void put_quoted(FILE *out, struct xylem_view view)
{
    bool plain = is_plain(view);
    if (!plain) {
        (void)fputc('"', out);
    }
    put(out, view);
    if (!plain) {
        (void)fputc('"', out);
    }
}

static void put_nodes(FILE *out, const struct xylem_shell__node *node);

static void put_word(FILE *out, const struct xylem_shell__word *word);

static void put_words(FILE *out, const struct xylem_shell__word *word)
{
    for (; word; word = word->next) {
        (void)fputc(' ', out);
        put_word(out, word);
    }
}

static void put_part(FILE *out, const struct xylem_shell__part *part)
{
    static const char *const begins[] = {"", "$", "$(", "<(", "$((", "", "", ""};
    (void)fputs(begins[part->type], out);
    if (part->type == XYLEM_SHELL__PART_COMMAND || part->type == XYLEM_SHELL__PART_PROCESS) {
        put_nodes(out, part->body);
        (void)fputc(')', out);
    } else if (part->type == XYLEM_SHELL__PART_ARITHMETIC) {
        put_words(out, part->words);
        (void)fputs("))", out);
    } else if (part->type == XYLEM_SHELL__PART_PARAMETER) {
        put(out, part->text);
        if (part->words) {
            (void)fputs(part->assigns ? "{=" : "{", out);
            put_words(out, part->words);
            (void)fputc('}', out);
        }
    } else {
        put_quoted(out, part->text);
    }
}

static void put_word(FILE *out, const struct xylem_shell__word *word)
{
    if (word->literal) {
        put_quoted(out, word->text);
        return;
    }
    (void)fputc('[', out);
    for (const struct xylem_shell__part *part = word->parts; part; part = part->next) {
        put_part(out, part);
        if (part->next) {
            (void)fputc(' ', out);
        }
    }
    (void)fputs(word->splits ? "]+" : "]", out);
}

static void put_assignments(FILE *out, const struct xylem_shell__assignment *assignment)
{
    for (; assignment; assignment = assignment->next) {
        (void)fputc('<', out);
        put(out, assignment->name);
        for (const struct xylem_shell__word *word = assignment->subscripts; word; word = word->next) {
            (void)fputc('[', out);
            put_word(out, word);
            (void)fputc(']', out);
        }
        (void)fputs(assignment->append ? "+=" : "=", out);
        if (assignment->array) {
            (void)fputc('(', out);
        }
        put_words(out, assignment->values);
        (void)fputs(assignment->array ? " )> " : "> ", out);
    }
}

static void put_redirections(FILE *out, const struct xylem_shell__redirection *redirection)
{
    static const char *const types[] = {"<", ">", "<>", "dup", "dup?", "<<", "<<<"};
    for (; redirection; redirection = redirection->next) {
        (void)fputc(' ', out);
        if (redirection->descriptor_named) {
            (void)fputc('$', out);
        }
        put(out, redirection->descriptor);
        (void)fputs(types[redirection->type], out);
        put_word(out, redirection->target);
        if (redirection->body) {
            (void)fputc('=', out);
            put_word(out, redirection->body);
        }
    }
}

static void put_node(FILE *out, const struct xylem_shell__node *node)
{
    static const char *const names[] = {"",      "pipe",      "subshell",   "group",    "if",    "loop",
                                        "case ", "condition", "arithmetic", "function", "coproc"};
    static const char *const connectors[] = {"", " &&", " ||", " &", " |"};
    (void)fputs(node->negated ? "!" : "", out);
    (void)fputs(node->timed ? "time" : "", out);
    (void)fprintf(out, "(%s", names[node->type]);
    if (node->name.bytes > 0) {
        (void)fputc(' ', out);
        put(out, node->name);
        (void)fputc(':', out);
    }
    put_assignments(out, node->assignments);
    for (const struct xylem_shell__word *word = node->words; word; word = word->next) {
        if (node->type != XYLEM_SHELL__SIMPLE || word != node->words) {
            (void)fputc(' ', out);
        }
        put_word(out, word);
    }
    if (node->children) {
        (void)fputc(' ', out);
        put_nodes(out, node->children);
    }
    put_redirections(out, node->redirections);
    (void)fprintf(out, ")%s", connectors[node->then]);
}

static void put_nodes(FILE *out, const struct xylem_shell__node *node)
{
    for (; node; node = node->next) {
        put_node(out, node);
        (void)fputs(node->next ? " " : "", out);
    }
}

char *shell_tree_text(const struct xylem_shell__tree *tree)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    put_nodes(out, tree->nodes);
    const struct xylem_shell__doubt *doubts[64];
    size_t count = 0;
    for (const struct xylem_shell__doubt *doubt = tree->doubts; doubt && count < 64; doubt = doubt->next) {
        doubts[count++] = doubt;
    }
    while (count > 0) {
        const struct xylem_shell__doubt *doubt = doubts[--count];
        (void)fputs(" !{", out);
        put(out, doubt->type == XYLEM_SHELL__DOUBT_READINGS ? xylem_view_of("readings") : doubt->at);
        (void)fputc('}', out);
    }
    if (tree->not_understood_why) {
        (void)fputs(tree->nodes || tree->doubts ? " ?{" : "?{", out);
        put(out, tree->not_understood);
        (void)fputc('}', out);
    }
    assert_int_equal(fclose(out), 0);
    return text;
}

char *shell_tree_of(struct xylem_view command)
{
    struct xylem_shell__arena arena = {0};
    struct xylem_shell__tree tree;
    assert_int_equal(xylem_shell__parse(&tree, &arena, command, 0), 0);
    shell_tree_check(&tree);
    char *text = shell_tree_text(&tree);
    xylem_shell__arena_release(&arena);
    return text;
}

void shell_tree_check_rows(const struct shell_tree_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *text = shell_tree_of((struct xylem_view){rows[i].command, strlen(rows[i].command)});
        if (strcmp(text, rows[i].tree) != 0) {
            print_error("command: %s\n", rows[i].command);
        }
        assert_string_equal(text, rows[i].tree);
        free(text);
    }
}

/* --- Checking */

struct check {
    const struct xylem_shell__tree *tree;
    unsigned depth;
};

static bool lies_in(struct xylem_view view, struct xylem_view text)
{
    uintptr_t begin = (uintptr_t)view.data;
    uintptr_t outer = (uintptr_t)text.data;
    return begin >= outer && begin + view.bytes <= outer + text.bytes;
}

/* In the command, or in a copy of a part of it. */
static void check_raw(const struct check *check, struct xylem_view raw)
{
    bool found = lies_in(raw, check->tree->text);
    for (const struct xylem_shell__text *text = check->tree->texts; text && !found; text = text->next) {
        found = lies_in(raw, text->copy);
    }
    assert_true(found);
}

static void check_nodes(struct check check, const struct xylem_shell__node *node);

static void check_words(struct check check, const struct xylem_shell__word *word)
{
    assert_in_range(++check.depth, 1, 120);
    for (; word; word = word->next) {
        bool texts_alone = true;
        check_raw(&check, word->raw);
        for (const struct xylem_shell__part *part = word->parts; part; part = part->next) {
            check_raw(&check, part->raw);
            texts_alone &= part->type == XYLEM_SHELL__PART_TEXT;
            check_words(check, part->words);
            check_nodes(check, part->body);
        }
        assert_int_equal(word->literal, texts_alone);
        assert_false(word->literal && word->splits);
    }
}

static void check_nodes(struct check check, const struct xylem_shell__node *node)
{
    assert_in_range(++check.depth, 1, 120);
    for (; node; node = node->next) {
        size_t count = 0;
        check_raw(&check, node->raw);
        for (const struct xylem_shell__word *word = node->words; word; word = word->next) {
            count++;
        }
        assert_int_equal(count, node->word_count);
        check_words(check, node->words);
        for (const struct xylem_shell__assignment *a = node->assignments; a; a = a->next) {
            check_raw(&check, a->raw);
            check_words(check, a->subscripts);
            check_words(check, a->values);
        }
        for (const struct xylem_shell__redirection *r = node->redirections; r; r = r->next) {
            check_raw(&check, r->raw);
            assert_non_null(r->target);
            check_words(check, r->target);
            check_words(check, r->body);
        }
        check_nodes(check, node->children);
    }
}

void shell_tree_check(const struct xylem_shell__tree *tree)
{
    struct check check = {tree, 0};
    check_nodes(check, tree->nodes);
    for (const struct xylem_shell__doubt *doubt = tree->doubts; doubt; doubt = doubt->next) {
        check_raw(&check, doubt->at);
        assert_non_null(doubt->why);
    }
    for (const struct xylem_shell__text *text = tree->texts; text; text = text->next) {
        check_raw(&check, text->at);
    }
    if (!tree->not_understood_why) {
        assert_int_equal(tree->not_understood.bytes, 0);
        return;
    }
    assert_true(lies_in(tree->not_understood, tree->text));
    if (tree->text.bytes > 0) {
        assert_ptr_equal(tree->not_understood.data + tree->not_understood.bytes, tree->text.data + tree->text.bytes);
    }
}
