/* Substitutions and arithmetic. Each command is compared with what the parser makes of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/lib/shell_tree.h"
#include "tests/lib/test.h"

TEST(substitutions_hold_commands)
{
    static const struct shell_tree_row rows[] = {
        {"$(ls) \"$(ls)\" $(ls; pwd) a$(ls)b $() $( )",
         "([$((ls))]+ [$((ls))] [$((ls) (pwd))]+ [a $((ls)) b]+ [$()]+ [$()]+)"},
        {"`ls` \"`ls`\" a`ls`b `` `ls; pwd`", "([$((ls))]+ [$((ls))] [a $((ls)) b]+ [$()]+ [$((ls) (pwd))]+)"},
        {"$(ls $(pwd)) \"$(ls \"$(pwd)\")\" $(ls `pwd`) `ls $(pwd)`",
         "([$((ls [$((pwd))]+))]+ [$((ls [$((pwd))]))] [$((ls [$((pwd))]+))]+ [$((ls [$((pwd))]+))]+)"},
        {"`ls \\`pwd \\\\\\`id\\\\\\`\\``", "([$((ls [$((pwd [$((id))]+))]+))]+)"},
        {"`ls \\$x \\\\x \"a\\\"b\"` \"`ls \\\"a b\\\"`\"", "([$((ls [$x]+ x \"a\"b\"))]+ [$((ls \"a b\"))])"},
        {"`echo 'a\\\nb'`", "([$((echo ab))]+)"},
        {"$(ls # a )\n)", "([$((ls))]+)"},
        {"$(case x in a) ls;; esac) $(case x in (a) ls; esac)", "([$((case  x a (ls)))]+ [$((case  x a (ls)))]+)"},
        {"$(\nls\n)", "([$((ls))]+)"},
        {"$(time a); $(time a | b); `time { a; }`",
         "([$(time(a))]+) ([$(time(pipe (a) | (b)))]+) ([$(time(group (a)))]+)"},
        {"$(time { a; }) $(coproc { a; }); $(coproc a b)",
         "([$(time(group (a)))]+ [$((coproc (group (a))))]+) ([$((coproc (a b)))]+) !{readings}"},
        {"a; <(! time -p (b)); c |", "(a) ([<(!time(subshell (b)))]) !{readings} ?{c |}"},
        {"$(ls) > $(pwd)", "([$((ls))]+ >[$((pwd))]+)"},
        {"<(ls) a<(ls) >(cat) \"<(ls)\" <(ls; pwd) 2<(ls)",
         "([<((ls))] [a <((ls))] [<((cat))] \"<(ls)\" [<((ls) (pwd))] [2 <((ls))])"},
        {"diff <(ls a) <(ls b)", "(diff [<((ls a))] [<((ls b))])"},
        {"$((1+2)) $((1 + 0x1f*(2-3))) \"$((1))\" $(( 16#ff )) $((1,2)) $((1?2:3)) $(((1)))",
         "([$(( 1+2))]+ [$(( \"1 + 0x1f*(2-3)\"))]+ [$(( 1))] [$(( \" 16#ff \"))]+ [$(( 1,2))]+ [$(( 1?2:3))]+ [$(( "
         "\"(1)\"))]+)"},
        {"$((a)) $((a+1)) $(($a)) $(($#)) $((${#a})) $(($?+1)) $(($(ls))) $((`ls`))",
         "([$(( a))]+ [$(( a+1))]+ [$(( [$a]))]+ [$(( [$#]))]+ [$(( [$a]))]+ [$(( [$? +1]))]+ [$(( [$((ls))]))]+ [$(( "
         "[$((ls))]))]+) !{a} !{a} !{$a} !{$(ls)} !{`ls`}"},
        {"$((\"a\")) $((a[1])) $((i++)) $(('1'))",
         "([$(( a))]+ [$(( \"a[1]\"))]+ [$(( i++))]+ [$(( 1))]+) !{\"a\"} !{a} !{[} !{]} !{i} !{'1'}"},
        {"$[1] $[a] $[$(ls)] $[(1)]", "([$(( 1))]+ [$(( a))]+ [$(( [$((ls))]))]+ [$(( \"(1)\"))]+) !{a} !{$(ls)}"},
        {"$((ls a); rm x) $((ls) | (rm)) $( (ls) ) $((ls)) $(((ls)); rm)",
         "([$((subshell (ls a)) (rm x))]+ [$((pipe (subshell (ls)) | (subshell (rm))))]+ [$((subshell (ls)))]+ [$(( "
         "ls))]+ [$((arithmetic ls) (rm))]+) !{ls} !{ls}"},
        {"\"$((ls a); rm x)\"", "([$((subshell (ls a)) (rm x))])"},
        {"$(((ls a); rm x); id)", "([$((subshell (subshell (ls a)) (rm x)) (id))]+)"},
        {"$(($((1)))) $(($((a))))", "([$(( [$(( 1))]))]+ [$(( [$(( a))]))]+) !{a}"},
        {"$((1\n+2))", "([$(( \"1\n+2\"))]+)"},
        {"$(true $((1+2)) ) $(f() { ls; }; f)", "([$((true [$(( 1+2))]+))]+ [$((function f: (group (ls))) (f))]+)"},
        {"a=$(ls) b=`ls` c=$((1)) d", "(<a= [$((ls))]+> <b= [$((ls))]+> <c= [$(( 1))]+> d)"},
        {"\"a$(ls \"b$(id \"c\")d\")e\"", "([a $((ls [b $((id c)) d])) e])"},
        {"$(ls) & `ls`;", "([$((ls))]+) & ([$((ls))]+)"},
    };
    (void)state;
    shell_tree_check_rows(rows, sizeof rows / sizeof rows[0]);
}

TEST(what_is_not_closed_is_not_understood)
{
    static const struct shell_tree_row rows[] = {
        {"a; $(ls", "(a) ?{$(ls}"},
        {"a; $(ls;;)", "(a) ?{$(ls;;)}"},
        {"a; $(ls }", "(a) ?{$(ls }}"},
        {"a; `ls", "(a) ?{`ls}"},
        {"a; `ls)`", "(a) ?{`ls)`}"},
        {"a; `if`", "(a) ?{`if`}"},
        {"a; \"$(ls)", "(a) ?{\"$(ls)}"},
        {"a; \"`ls\\\"", "(a) ?{\"`ls\\\"}"},
        {"a; $((1", "(a) ?{$((1}"},
        {"a; $((1)", "(a) ?{$((1)}"},
        {"a; $((ls) rm)", "(a) ?{$((ls) rm)}"},
        {"a; $(((ls) )", "(a) ?{$(((ls) )}"},
        {"a; <(ls", "(a) ?{<(ls}"},
        {"a; $((echo # ) x\n); rm)", "(a) ?{$((echo # ) x\n); rm)}"},
        {"a; $((1\\)))", "(a) ?{$((1\\)))}"},
        {"a; $[1", "(a) ?{$[1}"},
        {"a; $(ls <<E)\nE", "(a) ?{$(ls <<E)\nE}"},
        {"a; $((cat <<E\nE\n); ls)", "(a) ?{$((cat <<E\nE\n); ls)}"},
        {"a; $(('$(rm)'))", "(a) ?{$(('$(rm)'))}"},
        {"a; $(($'1'))", "(a) ?{$(($'1'))}"},
        {"a; $((1)`)", "(a) ?{$((1)`)}"},
    };
    (void)state;
    shell_tree_check_rows(rows, sizeof rows / sizeof rows[0]);
}
