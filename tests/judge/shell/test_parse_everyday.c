/* The commands that everybody types are understood, so that only the programs in them decide. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/lib/shell_tree.h"
#include "tests/lib/test.h"

TEST(everyday_commands_are_understood)
{
    static const struct shell_tree_row rows[] = {
        {"cd x && make 2>&1 | tail -20", "(cd x) && (pipe (make 2dup1) | (tail -20))"},
        {"git commit -m \"$(cat <<'EOF'\nit's a message\n\nEOF\n)\"", "(git commit -m [$((cat <<EOF))])"},
        {"git commit -m \"$(cat <<'EOF'\nit's a message\nEOF)\"", "(git commit -m [$((cat <<EOF))])"},
        {"for f in *.c; do echo \"$f\"; done", "(loop f: [* .c] (echo [$f]))"},
        {"while IFS= read -r l; do echo \"$l\"; done < <(git ls-files)",
         "(loop (<IFS= \"\"> read -r l) (echo [$l]) <[<((git ls-files))])"},
        {"if [ -f x ]; then echo; fi", "(if (\"[\" -f x \"]\") (echo))"},
        {"[[ -n $x && $y == *.c ]]", "(condition -n [$x]+ [$y]+ [* .c])"},
        {"case \"$x\" in a|b) echo 1;; *) echo 2; esac", "(case  [$x] a b [*] (echo 1) (echo 2))"},
        {"jq '.a[] | select(.b > 1)' f.json", "(jq \".a[] | select(.b > 1)\" f.json)"},
        {"grep -E 'a|b' f", "(grep -E \"a|b\" f)"},
        {"awk '$3 > 100 {print $1 > \"/dev/null\"}' f", "(awk \"$3 > 100 {print $1 > \"/dev/null\"}\" f)"},
        {"command -v x >/dev/null 2>&1 || echo no", "(command -v x >/dev/null 2dup1) || (echo no)"},
        {"a=(x y); echo \"${a[@]}\"", "(<a=( x y )> ) (echo [$a{ @}]+)"},
        {"cd \"$(git rev-parse --show-toplevel)\"", "(cd [$((git rev-parse --show-toplevel))])"},
        {"echo ${x:-d} ${x%.*} ${x##*/} ${#x}", "(echo [$x{ d}]+ [$x{ .*}]+ [$x{ #*/}]+ [$x]+)"},
        {"x=$(ls a) && echo \"$x\"", "(<x= [$((ls a))]+> ) && (echo [$x])"},
        {"VAR=v make", "(<VAR= v> make)"},
        {"set -euo pipefail; ls", "(set -euo pipefail) (ls)"},
        {"{ ls; pwd; } 2>&1", "(group (ls) (pwd) 2dup1)"},
        {"cmd & wait $!", "(cmd) & (wait [$!]+)"},
        {"cat <<EOF | grep x\na $b\nEOF", "(pipe (cat <<EOF=[\"a \" $b \"\n\"]) | (grep x))"},
        {"ls || true", "(ls) || (true)"},
        {"# comment", ""},
        {"ls # comment \\\nrm y", "(ls) (rm y)"},
        {"find . -del\\\nete", "(find . -delete)"},
        {"echo \"$\\\n(rm x)\"", "(echo [$((rm x))])"},
    };
    (void)state;
    shell_tree_check_rows(rows, sizeof rows / sizeof rows[0]);
}
