/* sed programs that only read and print, and their twins that write, run, or are not understood. */
#include "judge/policy/words/sed.h"
#include "tests/judge/policy/scripts.h"
#include "tests/lib/test.h"

#define CHECK(examples) check_examples(xylem_policy__sed, examples, sizeof examples / sizeof *(examples))

TEST(what_reads_edits_and_prints_is_harmless)
{
    static const struct example EXAMPLES[] = {
        {"", HARMLESS},
        {"p", HARMLESS},
        {"1p", HARMLESS},
        {"1,5p", HARMLESS},
        {"10q", HARMLESS},
        {"10q5", HARMLESS},
        {"$!d", HARMLESS},
        {"$!{h;d}", HARMLESS},
        {"1~2d;0~3p", HARMLESS},
        {"2,+3p;2,~4p", HARMLESS},
        {"0,/x/d", HARMLESS},
        {"/a/,/b/p", HARMLESS},
        {"/a/I,/b/IMp", HARMLESS},
        {"\\,/usr/,p", HARMLESS},
        {"/^$/d", HARMLESS},
        {"/^#/d; /^$/d", HARMLESS},
        {"s/a/b/", HARMLESS},
        {"s/a/b/g", HARMLESS},
        {"s/a/b/2gI;p", HARMLESS},
        {"s/a/b/gp", HARMLESS},
        {"s|/usr|/opt|g", HARMLESS},
        {"s,a\\,b,c,", HARMLESS},
        {"s#a#b#;s#w#e#", HARMLESS},
        {"s/w/e/;s/e/w/", HARMLESS},
        {"s/\\//w x/", HARMLESS},
        {"s/a/\\\nb/", HARMLESS},
        {"s/.*\\///", HARMLESS},
        {"s/[^/]*$//", HARMLESS},
        {"s/[^/]*$/foo/", HARMLESS},
        {"s/[]/]/x/", HARMLESS},
        {"s/[^]/]/x/", HARMLESS},
        {"s/[[:space:]/]*$//", HARMLESS},
        {"s/[\\/]/x/", HARMLESS},
        {"s/\\[[^\\]]*\\]//", HARMLESS},
        {"y/abc/xyz/", HARMLESS},
        {"y/w/e/;p", HARMLESS},
        {":a;N;$!ba;s/\\n/ /g", HARMLESS},
        {":a\nN\n$!ba\ns/\\n/ /g", HARMLESS},
        {"/x/{s/a/b/;b};p", HARMLESS},
        {"/x/b end;p;:end", HARMLESS},
        {"ta;T;t", HARMLESS},
        {"G;h;H;g;x;D;P;N;n;z;F;=", HARMLESS},
        {"l;l 5;l5", HARMLESS},
        {"p # w x", HARMLESS},
        {"# w x\np", HARMLESS},
        {"a w x", HARMLESS},
        {"a\\\nw x", HARMLESS},
        {"a\\text", HARMLESS},
        {"a one\\\ntwo", HARMLESS},
        {"$a\\", HARMLESS},
        {"i\\  foo", HARMLESS},
        {"1i #!/bin/sh", HARMLESS},
        {"c e ls", HARMLESS},
        {"r file", HARMLESS},
        {"R file\np", HARMLESS},
        {"/x/{r w\n}", HARMLESS},
        {"1 ! p", HARMLESS},
        {"{p;p}", HARMLESS},
        {"{{p}}", HARMLESS},
        {"{p};p", HARMLESS},
        {";;p;", HARMLESS},
        {"v 4.2\np", HARMLESS},
        {"s/\xC3\xA9/e/", HARMLESS},
    };
    (void)state;
    CHECK(EXAMPLES);
}

TEST(what_writes_a_file_or_runs_a_program_is_harmful)
{
    static const struct example EXAMPLES[] = {
        {"w x", HARMFUL},
        {"wx", HARMFUL},
        {"W x", HARMFUL},
        {"1w x", HARMFUL},
        {"$!w x", HARMFUL},
        {"/a/w x", HARMFUL},
        {"/a/Iw x", HARMFUL},
        {"1,2w x", HARMFUL},
        {"1~2w x", HARMFUL},
        {"\\,a,w x", HARMFUL},
        {"/[/]/w x", HARMFUL},
        {"e", HARMFUL},
        {"e ls", HARMFUL},
        {"1e rm x", HARMFUL},
        {"{e ls\n}", HARMFUL},
        {"p;w x", HARMFUL},
        {"p\nw x", HARMFUL},
        {"s/a/b/w x", HARMFUL},
        {"s/a/b/gw x", HARMFUL},
        {"s/a/b/2w x", HARMFUL},
        {"s/a/b/ w x", HARMFUL},
        {"s/a/b/e", HARMFUL},
        {"s/a/b/ge", HARMFUL},
        {"s/a/b/pe", HARMFUL},
        {"s|a|b|e", HARMFUL},
        {"s/[/]/x/e", HARMFUL},
        {"s/\\/\\//x/e", HARMFUL},
        {"s/x/[/;w f", HARMFUL},
        {"s/a/b/;s/c/d/e", HARMFUL},
        {"y/a/b/;w x", HARMFUL},
        {"a text\nw x", HARMFUL},
        {"a text\\\\\nw x", HARMFUL},
        {"a\\\ntext\nw x", HARMFUL},
        {"# x \\\nw x", HARMFUL},
        {"# x\nw x", HARMFUL},
        {"r f\nw x", HARMFUL},
        {":a;w x", HARMFUL},
        {"ba;w x", HARMFUL},
        {"q5;w x", HARMFUL},
        {"l 5;w x", HARMFUL},
        {"{p}\nw x", HARMFUL},
        {"/x/ ! w x", HARMFUL},
        {"w /dev/stdout", HARMFUL},
        {"sxaxbxw pwn", HARMFUL},
        {"s1a1b1;w x", HARMFUL},
        {"s a b e", HARMFUL},
        {"\\nanw x", HARMFUL},
        {"s]a]b]w x", HARMFUL},
        {"ba;w x #", HARMFUL},
    };
    (void)state;
    CHECK(EXAMPLES);
}

/* With brackets, s/[/]/w x/ is a replacement by `w x`; without them it writes a file named `x/`, or is refused. */
TEST(where_seds_read_brackets_differently_none_may_do_harm)
{
    static const struct example EXAMPLES[] = {
        {"s/[/]/x/", HARMLESS},   {"s/[/]/w x/", HARMFUL}, {"s/[/]/e;p/", HARMFUL},   {"s/[/]/gw x/", HARMFUL},
        {"/[/w x\n]/p", UNKNOWN}, {"/[/w x]/p", HARMFUL},  {"/[\\/w x]/p", HARMLESS},
    };
    (void)state;
    CHECK(EXAMPLES);
}

/* busybox reads a label up to a blank, `;` or the line's end, `#` and `}` included. */
TEST(a_comment_begins_where_every_sed_has_ended_the_label)
{
    static const struct example EXAMPLES[] = {
        {":a #c;w z", HARMLESS},     {"bx #c;w z", HARMLESS},  {"{p;b}", HARMLESS},      {"{p;b };#c;w z", HARMLESS},
        {"{p;b\n}#c;w z", HARMLESS}, {":a\n#c\nba", HARMLESS}, {":a#c;w z", UNKNOWN},    {"b#c;w z", UNKNOWN},
        {"b #c;w z", UNKNOWN},       {"ta#c;w z", UNKNOWN},    {"T#c;w z", UNKNOWN},     {":#c;w z", UNKNOWN},
        {"{p;b}#c;w z", UNKNOWN},    {"{bx}#c;w z", UNKNOWN},  {"{{b}}#c;w z", UNKNOWN},
    };
    (void)state;
    CHECK(EXAMPLES);
}

TEST(what_is_not_known_is_not_understood)
{
    static const struct example EXAMPLES[] = {
        {"k", UNKNOWN},
        {"pp", UNKNOWN},
        {"p w", UNKNOWN},
        {"s/a/b", UNKNOWN},
        {"s/a", UNKNOWN},
        {"s", UNKNOWN},
        {"s/a/b/k", UNKNOWN},
        {"s/a/b/g x", UNKNOWN},
        {"sxaxbx", UNKNOWN},
        {"s[a[b[", UNKNOWN},
        {"s\\a\\b\\", UNKNOWN},
        {"s a b ", UNKNOWN},
        {"s\xC3\xA9"
         "a\xC3\xA9"
         "b\xC3\xA9",
         UNKNOWN},
        {"y/a/b", UNKNOWN},
        {"y/a/b/g", UNKNOWN},
        {"/a", UNKNOWN},
        {"/a/", UNKNOWN},
        {"/a\nb/p", UNKNOWN},
        {"\\nanp", UNKNOWN},
        {"s/a/\nb/", UNKNOWN},
        {"1,p", UNKNOWN},
        {"1,", UNKNOWN},
        {"1", UNKNOWN},
        {"{p", UNKNOWN},
        {"p}", UNKNOWN},
        {"}", UNKNOWN},
        {"{p}p", UNKNOWN},
        {"a", UNKNOWN},
        {"a\np", UNKNOWN},
        {"a\\\\\nw x", UNKNOWN},
        {"a\\ \nw x", UNKNOWN},
        {":a b", UNKNOWN},
        {"b a b", UNKNOWN},
        {"ba/b", UNKNOWN},
        {"l x", UNKNOWN},
        {"-n", UNKNOWN},
        {"*", UNKNOWN},
        {"s/[[:x/]/y/", UNKNOWN},
        {"s/[\\[:alpha:]/]/y/", UNKNOWN},
        {"s/[a\\]/]/y/", UNKNOWN},
        {"s/[a/b/", UNKNOWN},
        {"s/a\\", UNKNOWN},
    };
    (void)state;
    CHECK(EXAMPLES);
}

TEST(a_program_with_a_nul_is_not_understood)
{
    static const char PROGRAM[] = "p\0w x";
    const char *why = NULL;
    (void)state;
    assert_int_equal(xylem_policy__sed((struct xylem_view){PROGRAM, sizeof PROGRAM - 1}, &why), UNKNOWN);
    assert_string_equal(why, "the sed program was not understood");
}
