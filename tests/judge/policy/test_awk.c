/* awk programs that only read and print, and their twins that write, run, or are not understood. */
#include <string.h>

#include "judge/policy/words/awk.h"
#include "tests/judge/policy/scripts.h"
#include "tests/lib/test.h"

#define CHECK(examples) check_examples(xylem_policy__awk, examples, sizeof examples / sizeof *(examples))

TEST(what_reads_and_prints_is_harmless)
{
    static const struct example EXAMPLES[] = {
        {"", HARMLESS},
        {"1", HARMLESS},
        {"{print $1}", HARMLESS},
        {"{print $1, $NF}", HARMLESS},
        {"{ printf \"%s %d\\n\", $1, $2 }", HARMLESS},
        {"$3 > 100", HARMLESS},
        {"$3 > 100 {print}", HARMLESS},
        {"$3 >= 100 && $2 < 5 || !x", HARMLESS},
        {"{ if ($1 > 5) print $2 }", HARMLESS},
        {"{ print ($1 > 5) }", HARMLESS},
        {"{ print ($1 > 5 ? \"a\" : \"b\") }", HARMLESS},
        {"{ print $1 >= 5 }", HARMLESS},
        {"{ print; if ($1 > 5) x++ }", HARMLESS},
        {"{ print\n if ($1 > 5) x++\n y = x > 3 }", HARMLESS},
        {"{ print $1\n y = x > 3 }", HARMLESS},
        {"{ print $1 } $2 > 3", HARMLESS},
        {"{ print \"a > b | c\" }", HARMLESS},
        {"{ print \"say \\\"hi\\\" > x\" }", HARMLESS},
        {"/a|b/", HARMLESS},
        {"/a>b/ {print}", HARMLESS},
        {"$1 ~ /system(\"x\")/", HARMLESS},
        {"!/x/", HARMLESS},
        {"$1 ~ /=/ { print }", HARMLESS},
        {"/[/]/ {print}", HARMLESS},
        {"/[^/]+$/ {print}", HARMLESS},
        {"{gsub(/[^/]*\\//,\"\")} 1", HARMLESS},
        {"/\\/usr\\/bin/", HARMLESS},
        {"/\\[[^\\]]*\\]/", HARMLESS},
        {"{ x = $1 / $2 / 3 }", HARMLESS},
        {"{ x /= 2; print x / 2 }", HARMLESS},
        {"{ print a[1]/2, NF/2, (1)/2, 4/2 }", HARMLESS},
        {"{ s += $1 } END { print s, s/NR }", HARMLESS},
        {"# print > x\n1", HARMLESS},
        {"{ print } # | sh", HARMLESS},
        {"BEGIN { FS=\",\"; OFS=\"\\t\" } { print $1, $2 }", HARMLESS},
        {"BEGIN{while(i<5){i++;print i}}", HARMLESS},
        {"BEGIN{for(i=0;i<5;i++)print i}", HARMLESS},
        {"{ for (k in a) if (a[k] > 1) print k }", HARMLESS},
        {"END { for (k in a) print k, a[k] }", HARMLESS},
        {"!seen[$0]++", HARMLESS},
        {"function f(x, y) { return x > y } { print f($1, $2) }", HARMLESS},
        {"function max(a,b) { return (a > b) ? a : b }\n{ print max($1,\n$2) }", HARMLESS},
        {"{ print length($0), substr($0, 1, 3), toupper($1) }", HARMLESS},
        {"length > 72", HARMLESS},
        {"{ n = split($0, parts, /[ ,]/); print n }", HARMLESS},
        {"{ getline; print }", HARMLESS},
        {"{ getline line; print line }", HARMLESS},
        {"{ while ((getline line) > 0) n++; print n < 5 }", HARMLESS},
        {"{ print ENVIRON[\"HOME\"] }", HARMLESS},
        {"{ close(\"x\"); fflush() }", HARMLESS},
        {"{ $1 = \"\"; print $0 }", HARMLESS},
        {"NR==FNR { a[$1]; next } $1 in a", HARMLESS},
        {"{ if (x) /re/; else print }", HARMLESS},
        {"{ a = 1 \\\n + 2 }", HARMLESS},
        {"{ print system_load, my_system }", HARMLESS},
        {"{ x = y > z }", HARMLESS},
        {"{ exit 1 }", HARMLESS},
        {"{ delete a[1]; next }", HARMLESS},
        {"{ print -1 \" \" -1, 1e5, .5, 2^3, 7%2 }", HARMLESS},
        {"{ do { x++ } while (x < 5) }", HARMLESS},
        {"/start/,/end/", HARMLESS},
        {"/a/ && /b/ || !/c/", HARMLESS},
        {"{ print \"\xC3\xA9\" }", HARMLESS},
        {"{ switch ($1) { case /a/: print; break; default: print \"x\" } }", HARMLESS},
    };
    (void)state;
    CHECK(EXAMPLES);
}

TEST(what_prints_to_a_standard_stream_is_told_apart)
{
    static const struct example EXAMPLES[] = {
        {"{print > \"/dev/stderr\"}", TELLS},       {"{print $1 > \"/dev/stdout\" ; n++}", TELLS},
        {"{print >\"/dev/stderr\"\nn++}", TELLS},   {"{print > \"/dev/stderr\"", TELLS},
        {"{print > \"/dev/stderr\"; k(}", UNKNOWN},
    };
    (void)state;
    CHECK(EXAMPLES);
}

TEST(what_writes_a_file_or_runs_a_program_is_harmful)
{
    static const struct example EXAMPLES[] = {
        {"{print > \"x\"}", HARMFUL},
        {"{print >\"x\"}", HARMFUL},
        {"{print $1 > $2}", HARMFUL},
        {"{print $1, $2 > \"x\"}", HARMFUL},
        {"{print >> \"x\"}", HARMFUL},
        {"{print(1) > \"x\"}", HARMFUL},
        {"{print (1)(2) > \"x\"}", HARMFUL},
        {"{print (1, 2) > \"x\"}", HARMFUL},
        {"{print (1 > 2) > \"x\"}", HARMFUL},
        {"{printf(\"%s\", $1) > \"x\"}", HARMFUL},
        {"{printf \"%s\", $1 > \"x\"}", HARMFUL},
        {"{print a[1] > \"x\"}", HARMFUL},
        {"{print a[1 > \"x\"]}", HARMFUL},
        {"{print 1 ? 2 : 3 > \"x\"}", HARMFUL},
        {"{print !x > \"x\"}", HARMFUL},
        {"{print 1,\n2 > \"x\"}", HARMFUL},
        {"{print 1 +\n2 > \"x\"}", HARMFUL},
        {"{print 1 ?\n2 : 3 > \"x\"}", HARMFUL},
        {"{print 1 &&\n2 > \"x\"}", HARMFUL},
        {"{print (1,\n2) > \"x\"}", HARMFUL},
        {"{print 1 \\\n > \"x\"}", HARMFUL},
        {"{print 1 # c\n}\n{print > \"x\"}", HARMFUL},
        {"{ # c \\\nprint > \"x\" }", HARMFUL},
        {"{if (1) print > \"x\"}", HARMFUL},
        {"{if (1) x; else print > \"x\"}", HARMFUL},
        {"BEGIN{for (print \"x\" > \"f\"; i<1; i++) print 2}", HARMFUL},
        {"BEGIN{for (;;) print 2 > \"f\"}", HARMFUL},
        {"{print > \"/dev/stderr.\"}", HARMFUL},
        {"{print > \"/dev/stderr\" x}", HARMFUL},
        {"{print > \"/dev/stderr\"; print > \"f\"}", HARMFUL},
        {"BEGIN{system(\"rm x\")}", HARMFUL},
        {"BEGIN{system (\"rm x\")}", HARMFUL},
        {"BEGIN{x=1system(\"rm x\")}", HARMFUL},
        {"BEGIN{print 1; system(\"rm x\")}", HARMFUL},
        {"BEGIN{awk::system(\"rm x\")}", HARMFUL},
        {"BEGIN{extension(\"x.so\", \"f\")}", HARMFUL},
        {"{print | \"sh\"}", HARMFUL},
        {"{print |& \"sh\"}", HARMFUL},
        {"{print | $1}", HARMFUL},
        {"BEGIN{\"date\" | getline d}", HARMFUL},
        {"BEGIN{while ((\"ls\" | getline l) > 0) print l}", HARMFUL},
        {"BEGIN{\"x\" |& getline}", HARMFUL},
        {"BEGIN{getline < \"f\"}", HARMFUL},
        {"BEGIN{getline x < \"f\"}", HARMFUL},
        {"BEGIN{getline a[1] < \"f\"}", HARMFUL},
        {"BEGIN{while ((getline line < \"f\") > 0) print line}", HARMFUL},
        {"@include \"x\"", HARMFUL},
        {"@load \"x\"", HARMFUL},
        {"BEGIN{f=\"system\"; @f(\"rm x\")}", HARMFUL},
        {"@namespace \"x\"", HARMFUL},
    };
    (void)state;
    CHECK(EXAMPLES);
}

/* What looks like a string, a regular expression or a comment, and is none. */
TEST(data_does_not_hide_what_runs)
{
    static const struct example EXAMPLES[] = {
        {"BEGIN{x = \"\\\\\"; system(\"rm x\") #\"\n}", HARMFUL},
        {"{if (1) /a\"/; print \"x\" > \"f\" #\"/\n}", HARMFUL},
        {"{while (1) /a\"/; print \"x\" > \"f\" #\"/\n}", HARMFUL},
        {"{if (x = /\"/) ; print \"x\" > \"f\" }", HARMFUL},
        {"{ x = y / 2; print > \"a/b\" }", HARMFUL},
        {"{ x = (y) / 2; print > \"a/b\" }", HARMFUL},
        {"{ x = a[1] / 2; system(\"a/b\") }", HARMFUL},
        {"{ x /= 2; system(\"a/b\") }", HARMFUL},
        {"{ print /a#/; system(\"x\") }", HARMFUL},
        {"{ print 1 }\n/#/ { system(\"x\") }", HARMFUL},
        {"BEGIN { print /[/\"]/; print \"x\" > \"f\" #\"]/ }\n}", HARMFUL},
        {"/[/ { system(\"x\") } #]/", HARMFUL},
        {"/[[]/ { system(\"x\") } #]/", HARMFUL},
        {"/\\/ { system(\"x\") }/ { print }", HARMLESS},
        {"/\\\\/ { system(\"x\") } #/ { print }", HARMFUL},
    };
    (void)state;
    CHECK(EXAMPLES);
}

TEST(what_is_not_known_is_not_understood)
{
    static const struct example EXAMPLES[] = {
        {"{ print `x` }", UNKNOWN},
        {"{ print 'x' }", UNKNOWN},
        {"{ print \"x }", UNKNOWN},
        {"{ print \"x\n\" }", UNKNOWN},
        {"/x", UNKNOWN},
        {"/x\n/", UNKNOWN},
        {"/x\\\ny/", UNKNOWN},
        {"{ x = \\ y }", UNKNOWN},
        {"{ x = a & b }", UNKNOWN},
        {"{ x++ / 2 }", UNKNOWN},
        {"{ print length / 2 }", UNKNOWN},
        {"{ print \"a\" / 2 / 3 }", UNKNOWN},
        {"{ getline / 2 }", UNKNOWN},
        {"{ if /x/ print }", UNKNOWN},
        {"{ print (1 }", UNKNOWN},
        {"{ print 1) }", UNKNOWN},
        {"{ print 1] }", UNKNOWN},
        {"(1", UNKNOWN},
        {"/[a\\]/]/", UNKNOWN},
        {"/[[:x/]/", UNKNOWN},
        {"\xC3\xA9 = 1", UNKNOWN},
        {"\x01", UNKNOWN},
    };
    (void)state;
    CHECK(EXAMPLES);
}

TEST(parentheses_nest_to_a_bound)
{
    char program[200];
    const char *why = NULL;
    (void)state;
    for (size_t depth = 64; depth <= 65; depth++) {
        memset(program, '(', depth);
        program[depth] = '1';
        memset(program + depth + 1, ')', depth);
        enum xylem_policy__script found = xylem_policy__awk((struct xylem_view){program, 2 * depth + 1}, &why);
        assert_int_equal(found, depth == 64 ? HARMLESS : UNKNOWN);
    }
}
