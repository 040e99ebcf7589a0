/* Whatever stands in a text, the parser ends, and what it says holds together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/lib/chance.h"
#include "tests/lib/shell_tree.h"
#include "tests/lib/test.h"

static struct chance seeded(void)
{
    const char *given = getenv("XYLEM_SEED");
    uint64_t seed = !given ? UINT64_C(6006) : strtoull(given, NULL, 10);
    print_message("XYLEM_SEED=%llu\n", (unsigned long long)seed);
    return chance_of(seed);
}

static int rounds(int usual)
{
    return !getenv("XYLEM_TORTURE") ? usual : usual * 50;
}

/* What stands before the part that was not understood is understood by itself, and gives the same commands. */
static void check_prefix(const struct xylem_shell__tree *tree)
{
    struct xylem_shell__arena arena = {0};
    struct xylem_shell__tree again;
    struct xylem_shell__tree before = *tree;
    struct xylem_view text = {tree->text.data, (size_t)(tree->not_understood.data - tree->text.data)};
    assert_int_equal(xylem_shell__parse(&again, &arena, text, 0), 0);
    assert_null(again.not_understood_why);
    before.not_understood_why = NULL;
    char *first = shell_tree_text(&before);
    char *second = shell_tree_text(&again);
    assert_string_equal(first, second);
    free(first);
    free(second);
    xylem_shell__arena_release(&arena);
}

/* What was understood means the same where another command follows in a line of its own. */
static void check_suffix(const struct xylem_shell__tree *tree)
{
    char *text = malloc(tree->text.bytes + 3);
    struct xylem_shell__arena arena = {0};
    struct xylem_shell__tree longer;
    assert_non_null(text);
    memcpy(text, tree->text.data, tree->text.bytes);
    memcpy(text + tree->text.bytes, "\nZ", 2);
    assert_int_equal(xylem_shell__parse(&longer, &arena, (struct xylem_view){text, tree->text.bytes + 2}, 0), 0);
    assert_null(longer.not_understood_why);
    const struct xylem_shell__node *last = longer.nodes;
    size_t count = 0;
    for (; last && last->next; last = last->next) {
        count++;
    }
    assert_non_null(last);
    assert_true(last->type == XYLEM_SHELL__SIMPLE && last->raw.bytes == 1 && *last->raw.data == 'Z');
    for (const struct xylem_shell__node *node = tree->nodes; node; node = node->next) {
        count--;
    }
    assert_int_equal(count, 0);
    free(text);
    xylem_shell__arena_release(&arena);
}

/* An escaped newline at its end would join the next line. */
static bool ends_with_backslash(struct xylem_view text)
{
    return text.bytes > 0 && memchr(text.data, '\\', text.bytes);
}

static bool check(struct xylem_view text)
{
    struct xylem_shell__arena arena = {0};
    struct xylem_shell__tree tree;
    char *copy = malloc(text.bytes + 1); /* of its own, so that a byte too far is noticed */
    assert_non_null(copy);
    memcpy(copy, text.data, text.bytes);
    assert_int_equal(xylem_shell__parse(&tree, &arena, (struct xylem_view){copy, text.bytes}, 0), 0);
    shell_tree_check(&tree);
    bool understood = tree.not_understood_why == NULL;
    if (!understood && tree.not_understood.data != copy) {
        check_prefix(&tree);
    } else if (understood && text.bytes > 0 && !ends_with_backslash(text)) {
        check_suffix(&tree);
    }
    xylem_shell__arena_release(&arena);
    free(copy);
    return understood;
}

TEST(any_bytes_are_read_to_their_end)
{
    struct chance chance = seeded();
    char text[64];
    (void)state;
    for (int i = 0; i < rounds(20000); i++) {
        size_t bytes = (size_t)chance_below(&chance, sizeof text);
        for (size_t j = 0; j < bytes; j++) {
            text[j] =
                (char)(chance_one_in(&chance, 50) ? chance_below(&chance, 256) : 0x20 + chance_below(&chance, 95));
        }
        (void)check((struct xylem_view){text, bytes});
    }
}

static const char *const tokens[] = {"a",
                                     "ls",
                                     "x=1",
                                     "a[1]=2",
                                     "\"q $x\"",
                                     "'s'",
                                     "$x",
                                     "${x:-a}",
                                     "${x}",
                                     "$(",
                                     "`",
                                     ")",
                                     "(",
                                     "((",
                                     "))",
                                     "$((",
                                     "{",
                                     "}",
                                     "[[",
                                     "]]",
                                     "if",
                                     "then",
                                     "else",
                                     "elif",
                                     "fi",
                                     "for",
                                     "in",
                                     "do",
                                     "done",
                                     "while",
                                     "case",
                                     "esac",
                                     "select",
                                     "function",
                                     "f()",
                                     "coproc",
                                     "time",
                                     "!",
                                     "&&",
                                     "||",
                                     "|",
                                     "|&",
                                     "&",
                                     ";",
                                     ";;",
                                     ";&",
                                     "\n",
                                     "\n",
                                     ">",
                                     ">>",
                                     "<",
                                     "2>&1",
                                     ">&",
                                     "<&",
                                     "<>",
                                     "&>",
                                     "2>",
                                     "{fd}>",
                                     "<<<",
                                     "<<E\nb $(c)\nE\n",
                                     "#",
                                     "\\\n",
                                     "\\",
                                     "~",
                                     "*",
                                     "?",
                                     "[",
                                     "]",
                                     "{a,b}",
                                     "1",
                                     "+",
                                     "==",
                                     "=~",
                                     "-eq",
                                     "-f",
                                     "a=(",
                                     "\"",
                                     "'",
                                     "$",
                                     "$'",
                                     "$\"",
                                     "<(",
                                     ">(",
                                     "@(",
                                     "${",
                                     "x",
                                     "-",
                                     "<<'E'\n$(\nE\n",
                                     "<<-E\n\tb\n\tE\n",
                                     "${x[",
                                     "$[",
                                     "\\`",
                                     "é",
                                     "\t",
                                     "=",
                                     ";"};

TEST(any_words_and_operators_are_read_to_their_end)
{
    struct chance chance = seeded();
    int understood = 0;
    (void)state;
    for (int i = 0; i < rounds(30000); i++) {
        char text[512];
        size_t bytes = 0;
        for (int count = 1 + chance_below(&chance, 12); count > 0; count--) {
            const char *token = tokens[chance_below(&chance, (int)(sizeof tokens / sizeof tokens[0]))];
            memcpy(text + bytes, token, strlen(token));
            bytes += strlen(token);
            if (!chance_one_in(&chance, 4)) {
                text[bytes++] = ' ';
            }
        }
        understood += check((struct xylem_view){text, bytes});
    }
    assert_true(understood > 100);
}

/* A text and its nesting in a substitution, in quotes, in a group are understood alike, if it has lines of its own. */
TEST(what_is_understood_is_understood_in_other_places_too)
{
    static const char *const places[][2] = {{"$(\n", "\n)"},
                                            {"\"$(\n", "\n)\""},
                                            {"{\n", "\n}"},
                                            {"(\n", "\n)"},
                                            {"if a; then\n", "\nfi"},
                                            {"<(\n", "\n)"},
                                            {"f() {\n", "\n}"},
                                            {"cat <<ZZ\n$(\n", "\n)\nZZ"},
                                            {"a=$(\n", "\n)"},
                                            {"${x:-$(\n", "\n)}"},
                                            {"case a in b)\n", "\n;; esac"}};
    struct chance chance = seeded();
    (void)state;
    for (int i = 0; i < rounds(4000); i++) {
        char text[512];
        char nested[600];
        size_t bytes = 0;
        for (int count = 1 + chance_below(&chance, 6); count > 0; count--) {
            const char *token = tokens[chance_below(&chance, (int)(sizeof tokens / sizeof tokens[0]))];
            bytes += (size_t)snprintf(text + bytes, sizeof text - bytes, "%s ", token);
        }
        /* In a substitution bash reads a backslash, and what stands behind time and coproc, in other ways. */
        bool apart =
            memchr(text, '\\', bytes) != NULL || memmem(text, bytes, "time", 4) || memmem(text, bytes, "coproc", 6);
        if (apart || !check((struct xylem_view){text, bytes})) {
            continue;
        }
        struct xylem_shell__arena arena = {0};
        struct xylem_shell__tree tree;
        assert_int_equal(xylem_shell__parse(&tree, &arena, (struct xylem_view){text, bytes}, 0), 0);
        bool any = tree.nodes != NULL;
        xylem_shell__arena_release(&arena);
        for (size_t j = 0; any && j < sizeof places / sizeof places[0]; j++) {
            int length = snprintf(nested, sizeof nested, "%s%.*s%s", places[j][0], (int)bytes, text, places[j][1]);
            if (!check((struct xylem_view){nested, (size_t)length})) {
                print_error("understood alone, but not in its place: %s\n", nested);
                fail();
            }
        }
    }
}
