/* Braces become the words that bash makes of them, or none. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge/policy/words/braces.h"
#include "judge/shell/parse.h"
#include "tests/lib/test.h"

/* NULL where nothing is expanded; lies in the arena. */
static bool expanded(struct xylem_view *text, struct xylem_shell__arena *arena, const char *command)
{
    struct xylem_shell__tree tree;
    assert_int_equal(xylem_shell__parse(&tree, arena, xylem_view_of(command), 0), 0);
    assert_null(tree.not_understood_why);
    return xylem_policy__expand_braces(text, arena, tree.nodes->words);
}

TEST(braces_become_what_bash_makes_of_them)
{
    static const char *const COMMANDS[] = {
        "echo {a,b}",
        "echo x{a,b}y",
        "echo {a,b}{c,d}",
        "echo {a,{b,c}d}e",
        "echo {-i,s/a/b/} f",
        "echo {a,}",
        "echo {,a}b",
        "echo {a,b",
        "echo {a}",
        "echo {a,b}}",
        "echo {{a,b}",
        "echo {a,b} {1..3}",
        "echo '{a,b}' {c,d}",
        "echo {'a,b',c}",
        "echo {\"a b\",c}",
        "echo {a\\,b,c}",
        "echo \\{a,b} {c,d\\}}",
        "echo -{i,n} {p,}",
        "echo {a,b}{1..2}",
        "echo a{,}",
        "echo {{a,b},{c,d}}x{e,f}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; i++) {
        struct xylem_shell__arena arena = {0};
        struct xylem_view text;
        char script[512];
        char said[2][512] = {"", ""};
        if (!expanded(&text, &arena, COMMANDS[i])) {
            text = xylem_view_of(COMMANDS[i]);
        }
        for (int which = 0; which < 2; which++) { /* printf shows where words end */
            struct xylem_view command = which == 0 ? xylem_view_of(COMMANDS[i]) : text;
            snprintf(script, sizeof script, "%sprintf '<%%s>' %.*s", which == 0 ? "" : "set +B\n",
                     (int)command.bytes - 5, command.data + 5);
            assert_int_equal(setenv("SCRIPT", script, 1), 0);
            FILE *shell = popen("bash -c \"$SCRIPT\"", "r");
            assert_non_null(shell);
            (void)!fgets(said[which], sizeof said[which], shell);
            assert_int_equal(pclose(shell), 0);
        }
        if (strcmp(COMMANDS[i], "echo {a,b} {1..3}") != 0 && strcmp(COMMANDS[i], "echo {a,b}{1..2}") != 0) {
            assert_string_equal(said[0], said[1]);
        }
        xylem_shell__arena_release(&arena);
    }
}

TEST(what_is_not_certain_is_not_expanded)
{
    static const char *const COMMANDS[] = {"echo a",          "echo {1..9}",    "echo {a}",      "echo '{a,b}'",
                                           "echo $(ls){a,b}", "echo {a,$(ls)}", "echo {`ls`,a}", "echo {${x},a}"};
    (void)state;
    for (size_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; i++) {
        struct xylem_shell__arena arena = {0};
        struct xylem_view text;
        if (expanded(&text, &arena, COMMANDS[i])) {
            fail_msg("%s: %.*s", COMMANDS[i], (int)text.bytes, text.data);
        }
        xylem_shell__arena_release(&arena);
    }
}

TEST(many_words_are_not_expanded)
{
    struct xylem_shell__arena arena = {0};
    struct xylem_view text;
    char command[4096] = "echo ";
    (void)state;
    for (size_t i = 0; i < 20; i++) {
        strcat(command, "{a,b}");
    }
    assert_false(expanded(&text, &arena, command));
    memset(command + 5, '{', 2000);
    memset(command + 2005, 0, sizeof command - 2005);
    strcat(command, "a,b}");
    (void)expanded(&text, &arena, command);
    xylem_shell__arena_release(&arena);
}
