/* Words, their quotes and their parameters. Each command is compared with what the parser makes of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/lib/shell_tree.h"
#include "tests/lib/test.h"

TEST(words_keep_their_parts)
{
    static const struct shell_tree_row rows[] = {
        {"a 'b c' \"d e\" f\\ g ''  \"\"", "(a \"b c\" \"d e\" \"f g\" \"\" \"\")"},
        {"a\"b\"'c'd", "(abcd)"},
        {"\"a$b\"c", "([a $b c])"},
        {"'it'\\''s'", "(\"it's\")"},
        {"\"a\\\"b\\\\c\\d\\$e\\`f\"", "(\"a\"b\\c\\d$e`f\")"},
        {"\\\\ \\' \\\" \\$ \\#", "(\"\\\" \"'\" \"\"\" \"$\" #)"},
        {"a#b #c", "(a#b)"},
        {"a;#b\nc", "(a) (c)"},
        {"\"\n\" '\n'", "(\"\n\" \"\n\")"},
        {"a\\\nb", "(ab)"},
        {"a 'b\\\nc'", "(a \"b\\\nc\")"},
        {"\"a\\\nb\"", "(ab)"},
        {"x{}y {} {a} {a,b} a{1..3}b {a {,} {a}{b,c}", "(x{}y {} {a} [{ a,b}] [a { 1..3}b] {a [{ ,}] [{ a} { b,c}])"},
        {"'{a,b}' {\"a\",b} \\{a,b} {a\\,b}", "({a,b} [{ a ,b}] {a,b} {a,b})"},
        {"* a*b ? [a] [ ] [a a] [!a]* '*' \\* \"[a]\"",
         "([*] [a * b] [?] [\"[\" \"a]\"] \"[\" \"]\" \"[a\" \"a]\" [\"[\" \"!a]\" *] * * \"[a]\")"},
        {"~ ~a ~/b a~ '~' \\~ \"~/a\" a:~ a=~ a=b:~/c --x=~ =~",
         "([~] [~ a] [~ /b] a~ ~ ~ ~/a a:~ [a= ~] [a=b: ~ /c] [--x= ~] =~)"},
        {"- -- -a --b=c a=b dd if=x", "(- -- -a --b=c a=b dd if=x)"},
        {"! a", "!(a)"},
        {"a !", "(a !)"},
        {"echo if then fi { } do done [[ ]] time", "(echo if then fi { } do done \"[[\" \"]]\" time)"},
        {"-a$b /x/$b $b/x", "([-a $b]+ [/x/ $b]+ [$b /x]+)"},
        {"é \"“q”\" $é", "(\"é\" \"“q”\" \"$é\")"},
        {"!a a!b ^a a^b @ % + = , . :", "(!a a!b ^a a^b @ % + = , . :)"},
    };
    (void)state;
    shell_tree_check_rows(rows, sizeof rows / sizeof rows[0]);
}

TEST(ansi_quotes_are_decoded)
{
    static const struct shell_tree_row rows[] = {
        {"$'a\\tb\\n\\\\\\'\\\"\\?\\e'", "(\"a\tb\n\\'\"?\033\")"},
        {"$'\\x72m' $'\\162m' $'\\u0072m' $'\\U00000072m' $'r\\x6d' r$'\\x6d'", "(rm rm rm rm rm rm)"},
        {"$'a\\0b'c $'\\x00m'x", "(ac x)"},
        {"$'\\cAb' $'\\c?' $'\\q' $'\\x' $'\\xg' $'\\u' $'\\400'",
         "(\"\001b\" \"\177\" \"\\q\" \"\\x\" \"\\xg\" \"\\u\" \"\")"},
        {"\"$'a'\" $'\\u00e9'", "(\"$'a'\" \"é\")"},
        {"$\"a $b\" $\"rm\"", "([\"a \" $b] rm)"},
    };
    (void)state;
    shell_tree_check_rows(rows, sizeof rows / sizeof rows[0]);
}

TEST(strange_escapes_are_not_understood)
{
    static const struct shell_tree_row rows[] = {
        {"a; $'\\x{72}m'", "(a) ?{$'\\x{72}m'}"},
        {"a; $'\\c\\\\'", "(a) ?{$'\\c\\\\'}"},
        {"a; $'\\c\\\\a'", "(a) ?{$'\\c\\\\a'}"},
        {"a; $'\\c\xc3\xa9'", "(a) ?{$'\\c\xc3\xa9'}"},
        {"a; $'\\ud800'", "(a) ?{$'\\ud800'}"},
        {"a; $'\\U00110000'", "(a) ?{$'\\U00110000'}"},
        {"a; $'a", "(a) ?{$'a}"},
        {"a; 'a", "(a) ?{'a}"},
        {"a; \"a", "(a) ?{\"a}"},
        {"a; \\", "(a) ?{\\}"},
    };
    (void)state;
    shell_tree_check_rows(rows, sizeof rows / sizeof rows[0]);
}

TEST(parameters_are_parts)
{
    static const struct shell_tree_row rows[] = {
        {"$a $a_1b $1 $12 $@ $* $# $? $- $$ $! $0 $_",
         "([$a]+ [$a_1b]+ [$1]+ [$1 2]+ [$@]+ [$*]+ [$#]+ [$?]+ [$-]+ [$$]+ [$!]+ [$0]+ [$_]+)"},
        {"\"$@\" \"$*\" \"${@}\" \"${a[@]}\" \"${a[*]}\" \"${a[0]}\" \"a$@b\" \"${@:1}\" \"${!a@}\" \"${a[@]:1:2}\"",
         "([$@]+ [$*] [$@]+ [$a{ @}]+ [$a{ *}]+ [$a{ 0}] [a $@ b]+ [$@{ 1}]+ [$a]+ [$a{ @ 1:2}]+)"},
        {"$ $% $. \"$\" \"a$\" $/x $'' $+", "(\"$\" \"$%\" \"$.\" \"$\" \"a$\" \"$/x\" \"\" \"$+\")"},
        {"${a} ${1} ${10} ${@} ${#} ${#a} ${#a[@]} ${#@} ${?}",
         "([$a]+ [$1]+ [$10]+ [$@]+ [$#]+ [$a]+ [$a{ @}]+ [$@]+ [$?]+)"},
        {"${a:-b} ${a-b} ${a:=b} ${a=b} ${a:?b} ${a?} ${a:+b} ${a+b}",
         "([$a{ b}]+ [$a{ b}]+ [$a{= b}]+ [$a{= b}]+ [$a{ b}]+ [$a{ \"\"}]+ [$a{ b}]+ [$a{ b}]+)"},
        {"${a#b} ${a##*/} ${a%b} ${a%%.*} ${a/b/c} ${a//b/c} ${a/#b/c} ${a/%b} ${a//\\//x} ${a^} ${a^^} ${a,} "
         "${a,,[x]}",
         "([$a{ b}]+ [$a{ #*/}]+ [$a{ b}]+ [$a{ %.*}]+ [$a{ b c}]+ [$a{ b c}]+ [$a{ #b c}]+ [$a{ %b}]+ [$a{ / x}]+ "
         "[$a{ \"\"}]+ [$a{ ^}]+ [$a{ \"\"}]+ [$a{ \",[x]\"}]+)"},
        {"${a:-b c} ${a:-\"b c\"} ${a:-'b }'} ${a:-\\}} ${a:-${b:-c}} \"${a:-${b}}\" ${a:-$(ls)} ${a:-`ls`}",
         "([$a{ \"b c\"}]+ [$a{ \"b c\"}]+ [$a{ \"b }\"}]+ [$a{ }}]+ [$a{ [$b{ c}]+}]+ [$a{ [$b]}] [$a{ [$((ls))]+}]+ "
         "[$a{ [$((ls))]+}]+)"},
        {"${a:-<(ls)} \"${a:-<(ls)}\"", "([$a{ [<((ls))]}]+ [$a{ \"<(ls)\"}])"},
        {"\"${a:-\"b c\"}\" \"${a#\"b\"}\"", "([$a{ \"b c\"}] [$a{ b}])"},
        {"${a:1} ${a:1:2} ${a: -1} ${a:(-1)} ${a:b:1} ${a:$b}",
         "([$a{ 1}]+ [$a{ 1:2}]+ [$a{ \" -1\"}]+ [$a{ \"(-1)\"}]+ [$a{ b:1}]+ [$a{ [$b]}]+) !{b} !{$b}"},
        {"${!a} ${!a[@]} ${!a*} ${!a@} ${!a:-b} ${!1}",
         "([$a]+ [$a{ @}]+ [$a]+ [$a]+ [$a{ b}]+ [$1]+) !{${!a}} !{${!a:-b}} !{${!1}}"},
        {"${a@Q} ${a@P} ${a@E} ${a@A} ${a[@]@K}", "([$a]+ [$a]+ [$a]+ [$a]+ [$a{ @}]+) !{${a@P}}"},
        {"${a[1]} ${a[b]} ${a[$b]} ${a[$(ls)]} ${a[\"x\"]} ${a[1+2]} ${a[-1]}",
         "([$a{ 1}]+ [$a{ b}]+ [$a{ [$b]}]+ [$a{ [$((ls))]}]+ [$a{ x}]+ [$a{ 1+2}]+ [$a{ -1}]+) !{b} !{$b} !{$(ls)} "
         "!{\"x\"}"},
    };
    (void)state;
    shell_tree_check_rows(rows, sizeof rows / sizeof rows[0]);
}

TEST(strange_parameters_are_not_understood)
{
    static const struct shell_tree_row rows[] = {
        {"a; ${ ls; }", "(a) ?{${ ls; }}"},
        {"a; ${|ls; }", "(a) ?{${|ls; }}"},
        {"a; ${a", "(a) ?{${a}"},
        {"a; ${a b}", "(a) ?{${a b}}"},
        {"a; ${}", "(a) ?{${}}"},
        {"a; ${a@Z}", "(a) ?{${a@Z}}"},
        {"a; ${a!b}", "(a) ?{${a!b}}"},
        {"a; \"${a:-'b'}\"", "(a) ?{\"${a:-'b'}\"}"},
        {"a; \"${a#'b'}\"", "(a) ?{\"${a#'b'}\"}"},
        {"a; \"${a:-\"it's\"}\"", "(a) ?{\"${a:-\"it's\"}\"}"},
        {"a; \"${a:-$'b'}\"", "(a) ?{\"${a:-$'b'}\"}"},
        {"a; ${a:-<(echo })}", "(a) ?{${a:-<(echo })}}"},
        {"a; ${#a:-b}", "(a) ?{${#a:-b}}"},
        {"a; ${##}", "(a) ?{${##}}"},
        {"a; ${a[1}", "(a) ?{${a[1}}"},
        {"a; ${a:-b'c}", "(a) ?{${a:-b'c}}"},
    };
    (void)state;
    shell_tree_check_rows(rows, sizeof rows / sizeof rows[0]);
}
