/* Redirections and here-documents. Each command is compared with what the parser makes of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/lib/shell_tree.h"
#include "tests/lib/test.h"

TEST(redirections_are_known_by_their_operators)
{
    static const struct shell_tree_row rows[] = {
        {"a >b >>c >|d <e <>f &>g &>>h <<<i", "(a >b >c >d <e <>f >g >h <<<i)"},
        {"a 2>b 1>>c 3<d 4<>e 10>|f 0<<<g {fd}>h {fd}<&-", "(a 2>b 1>c 3<d 4<>e 10>f 0<<<g $fd>h $fddup-)"},
        {"a2>b a 2 >b '2'>b \\2>b \"2\">b 2\\\n>b $x>b {a}>b {1}>b '{a}'>b",
         "(a2 a 2 2 2 2 [$x]+ {1} {a} >b >b >b >b >b 2>b >b $a>b >b >b)"},
        {">&2 2>&1 >&- <&- <&3 3<&4- 2>&1- >& 2 <& 1",
         "( dup2 2dup1 dup- dup- dup3 3dup4- 2dup1- dup2 dup1) !{readings}"},
        {">&f >&$x <&$x >&\"1\" <&f 2>&f >&a1 >&1a", "( >f >[$x]+ dup?[$x]+ dup1 dup?f 2>f >a1 >1a)"},
        {">&-x <&-x >& -x", "(x x x dup- dup- dup-) !{readings} !{readings}"},
        {"a >b c <d e", "(a c e >b <d)"},
        {">a b c", "(b c >a)"},
        {">a", "( >a)"},
        {"a=b >c", "(<a= b>  >c)"},
        {"> $x >$(ls) >a$b >~/a >{a,b} >*.c", "( >[$x]+ >[$((ls))]+ >[a $b]+ >[~ /a] >[{ a,b}] >[* .c])"},
        {"a 2>/dev/null >/dev/null 2>&1", "(a 2>/dev/null >/dev/null 2dup1)"},
        {"{ a; } >b 2>&1", "(group (a) >b 2dup1)"},
        {"(a) >b <c", "(subshell (a) >b <c)"},
        {"if a; then b; fi >c", "(if (a) (b) >c)"},
        {"while a; do b; done <c >d", "(loop (a) (b) <c >d)"},
        {"for a in b; do c; done >d", "(loop a: b (c) >d)"},
        {"case a in b) c;; esac >d", "(case  a b (c) >d)"},
        {"[[ a ]] >b", "(condition a >b)"},
        {"((1)) >b", "(arithmetic 1 >b)"},
        {"f() { a; } >b", "(function f: (group (a) >b))"},
        {"a >b | c <d && e 2>f", "(pipe (a >b) | (c <d)) && (e 2>f)"},
        {"a <<<b <<< \"c $d\" <<<$(ls)", "(a <<<b <<<[\"c \" $d] <<<[$((ls))]+)"},
        {"a &>b& c", "(a >b) & (c)"},
        {"echo a>b c", "(echo a c >b)"},
        {"[ a > b ]", "(\"[\" a \"]\" >b)"},
        {"[ 1 -gt 2 ]", "(\"[\" 1 -gt 2 \"]\")"},
        {"a >'b c' >\"d$e\"", "(a >\"b c\" >[d $e])"},
        {"if=a >b", "(<if= a>  >b)"},
    };
    (void)state;
    shell_tree_check_rows(rows, sizeof rows / sizeof rows[0]);
}

TEST(descriptors_without_redirections_are_not_understood)
{
    static const struct shell_tree_row rows[] = {
        {"a; b >", "(a) ?{b >}"},
        {"a; b > ;", "(a) ?{b > ;}"},
        {"a; b > | c", "(a) ?{b > | c}"},
        {"a; b <", "(a) ?{b <}"},
        {"a; b >> && c", "(a) ?{b >> && c}"},
        {"a; 1234567890>x", "(a) ?{1234567890>x}"},
        {"a; b >1>x", "(a) ?{b >1>x}"},
        {"a; b 2>", "(a) ?{b 2>}"},
        {"a; {a[1]}>x", "(a) ?{{a[1]}>x}"},
        {"a; b <<", "(a) ?{b <<}"},
        {"a; b >(ls", "(a) ?{b >(ls}"},
        {"a; b >&", "(a) ?{b >&}"},
    };
    (void)state;
    shell_tree_check_rows(rows, sizeof rows / sizeof rows[0]);
}

TEST(here_documents_are_read)
{
    static const struct shell_tree_row rows[] = {
        {"cat <<E\na\nE", "(cat <<E=\"a\n\")"},
        {"cat <<E\nE", "(cat <<E=\"\")"},
        {"cat <<E\na $x $(ls) `pwd` \"b\" 'c'\nE\nls",
         "(cat <<E=[\"a \" $x \" \" $((ls)) \" \" $((pwd)) \" \"b\" 'c'\n\"]) (ls)"},
        {"cat <<'E'\n$(ls)\nE", "(cat <<E)"},
        {"cat <<\"E\"\n$(ls)\nE", "(cat <<E)"},
        {"cat <<\\E\n$(ls)\nE", "(cat <<E)"},
        {"cat <<E'F'\n$(ls)\nEF", "(cat <<EF)"},
        {"cat <<''\na\n\nls", "(cat <<\"\") (ls)"},
        {"cat <<-E\n\ta\n\t\tE\nls", "(cat <<E=\"a\n\") (ls)"},
        {"cat <<-'E'\n\ta\n\tE\nls", "(cat <<E) (ls)"},
        {"cat <<E\n\tE\nE", "(cat <<E=\"\tE\n\")"},
        {"cat <<A <<B\n1\nA\n2\nB\nls", "(cat <<A=\"1\n\" <<B=\"2\n\") (ls)"},
        {"cat <<E | grep a && ls\nb\nE\npwd", "(pipe (cat <<E=\"b\n\") | (grep a)) && (ls) (pwd)"},
        {"cat <<E; ls\na\nE", "(cat <<E=\"a\n\") (ls)"},
        {"cat <<E >f 2>&1 g\na\nE", "(cat g <<E=\"a\n\" >f 2dup1)"},
        {"if a; then cat <<E; fi\nb\nE\nls", "(if (a) (cat <<E=\"b\n\")) (ls)"},
        {"{ cat <<E\na\nE\n}", "(group (cat <<E=\"a\n\"))"},
        {"$(cat <<E\na $(ls)\nE\n)", "([$((cat <<E=[\"a \" $((ls)) \"\n\"]))]+)"},
        {"\"$(cat <<'E'\nit's\nE\n)\"", "([$((cat <<E))])"},
        {"\"$(cat <<'E'\nit's\nE)\"", "([$((cat <<E))])"},
        {"cat <<E\na\\\nE\nE", "(cat <<E=\"aE\n\")"},
        {"cat <<E\na\\\\\nE\nls", "(cat <<E=\"a\\\n\") (ls)"},
        {"cat <<'E'\na\\\nE\nls", "(cat <<E) (ls)"},
        {"cat <<E\n$(echo 'a\\\nb')\nE", "(cat <<E=[$((echo ab)) \"\n\"])"},
        {"cat <<-E\n$(cat <<F\n\tx\n\tF\nls)\nE", "(cat <<E=[$((cat <<F=\"x\n\") (ls)) \"\n\"])"},
        {"cat <<E\n\\$(ls) \\`ls\\` \\\\\nE", "(cat <<E=\"$(ls) `ls` \\\n\")"},
        {"cat <<E\n${x:-$(ls)}\nE", "(cat <<E=[$x{ [$((ls))]} \"\n\"])"},
        {"cat <<E\n$((1+a))\nE", "(cat <<E=[$(( 1+a)) \"\n\"]) !{a}"},
        {"cat <<E \"a\nb\"\nc\nE\nls", "(cat \"a\nb\" <<E=\"c\n\") (ls)"},
        {"3<<E cat\na\nE", "(cat 3<<E=\"a\n\")"},
        {"cat <<E # c\na\nE", "(cat <<E=\"a\n\")"},
        {"cat <<E &\na\nE\nls", "(cat <<E=\"a\n\") & (ls)"},
        {"while cat <<E\na\nE\ndo ls; done", "(loop (cat <<E=\"a\n\") (ls))"},
        {"f() { cat <<E\na\nE\n}", "(function f: (group (cat <<E=\"a\n\")))"},
        {"cat <<E\na\nE \nE", "(cat <<E=\"a\nE \n\")"},
        {"cat <<E-F\na\nE-F", "(cat <<E-F=\"a\n\")"},
        {"a <<E\n\nE\n\nb", "(a <<E=\"\n\") (b)"},
        {"`cat <<E\n$(ls)\nE`", "([$((cat <<E=[$((ls)) \"\n\"]))]+)"},
    };
    (void)state;
    shell_tree_check_rows(rows, sizeof rows / sizeof rows[0]);
}

TEST(here_documents_that_may_be_read_otherwise_are_not_understood)
{
    static const struct shell_tree_row rows[] = {
        {"a; cat <<E", "(a) ?{cat <<E}"},
        {"a; cat <<E\nb", "(a) ?{cat <<E\nb}"},
        {"a; cat <<E\nb\n E", "(a) ?{cat <<E\nb\n E}"},
        {"a; cat <<E; ls\nb", "(a) ?{cat <<E; ls\nb}"},
        {"a; cat <<$E\nb\n$E", "(a) ?{cat <<$E\nb\n$E}"},
        {"a; cat <<`E`\nb", "(a) ?{cat <<`E`\nb}"},
        {"a; cat <<$'E'\nb\nE", "(a) ?{cat <<$'E'\nb\nE}"},
        {"a; cat <<E $(ls\n)\nb\nE", "(a) ?{cat <<E $(ls\n)\nb\nE}"},
        {"a; $(cat <<E)\nb\nE", "(a) ?{$(cat <<E)\nb\nE}"},
        {"a; $(cat <<E\nb\nEx )\nE\n)", "(a) ?{$(cat <<E\nb\nEx )\nE\n)}"},
        {"a; cat <<E\n$(ls\nE", "(a) ?{cat <<E\n$(ls\nE}"},
        {"a; cat <<E\n${x:-'a'}\nE", "(a) ?{cat <<E\n${x:-'a'}\nE}"},
        {"a; cat <<E\n${x:-\"a\"}\nE", "(a) ?{cat <<E\n${x:-\"a\"}\nE}"},
        {"a; cat <<E\n`echo \\\"`\nE", "(a) ?{cat <<E\n`echo \\\"`\nE}"},
        {"a; cat <<E\n${ ls; }\nE", "(a) ?{cat <<E\n${ ls; }\nE}"},
        {"a; cat <<\"E\nF\"\nE\nF", "(a) ?{cat <<\"E\nF\"\nE\nF}"},
        {"a; ((cat <<E) ; b)\nE", "(a) ?{((cat <<E) ; b)\nE}"},
        {"a=(<<E)\nE", "?{a=(<<E)\nE}"},
        {"a; cat <<A <<B\n1\nA\n2", "(a) ?{cat <<A <<B\n1\nA\n2}"},
    };
    (void)state;
    shell_tree_check_rows(rows, sizeof rows / sizeof rows[0]);
}
