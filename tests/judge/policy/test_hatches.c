/* Options, operands and programs in words with which a program that reads writes a file, or runs another. */
#include "tests/lib/test.h"
#include "tests/lib/verdicts.h"

#include "judge/policy/rules/hatches.h"
#include "judge/policy/words/options.h"

static const struct xylem_policy_config STRICT = {.type = XYLEM_POLICY_STRICT};
static const struct xylem_policy_config READONLY = {.type = XYLEM_POLICY_READONLY};

#define CHECK(config, examples) check_verdicts(&(config), examples, sizeof examples / sizeof *(examples))

static const struct example harmless_examples[] = {
    {"sort -t\"$x\" -- -o f", XYLEM_ASK},
    {"awk -F\"$x\" 1 'BEGIN{system(\"rm\")}'", XYLEM_ASK},
    {"sort -k\"$k\" f", XYLEM_ASK},
    {"sort -k1\"$k\" f", XYLEM_ALLOW},
    {"sort --key=\"$k\" f", XYLEM_ALLOW},
    {"sed -n -e\"$p\" f", XYLEM_ASK},
    {"uniq f -c", XYLEM_ASK},
    {"xxd f -p", XYLEM_ASK},
    {"find . -name \"$x\"", XYLEM_ALLOW},
    {"find . -name *", XYLEM_ASK},
    {"find . -name *.c", XYLEM_ASK},
    {"find . -name 'a*' -newermt '2024-01-01' -print0", XYLEM_ALLOW},
    {"find . -newerxx -delete", XYLEM_ASK},
    {"find . -maxdepth \"$n\" -delete", XYLEM_ASK},
    {"find . $x", XYLEM_ASK},
    {"find . -type f -exec grep -l foo {} +", XYLEM_ALLOW},
    {"find . -type f -exec grep -l foo {} + -delete", XYLEM_ASK},
    {"find . -oX", XYLEM_ASK},
    {"find . -O3 -name x", XYLEM_ALLOW},
    {"find . -name {a,-delete}", XYLEM_ASK},
    {"sed -n '1,5p;10q' f", XYLEM_ALLOW},
    {"sed -e 'a\\' -e 'w x' f", XYLEM_ASK},
    {"sed -n p -e 'w x' f", XYLEM_ASK},
    {"sed 'w x' -e p f", XYLEM_ASK},
    {"sed --expression='w x' f", XYLEM_ASK},
    {"sed -e 's/a/b/' -e 's/c/d/' f", XYLEM_ALLOW},
    {"sed -e '/x/{' -e 's/a/b/' -e '}' f", XYLEM_ALLOW},
    {"sed -e 's/a/b/' -i f", XYLEM_ASK},
    {"sed -ni p f", XYLEM_ASK},
    {"sed --in-place=.bak p f", XYLEM_ASK},
    {"sed -s -f x f", XYLEM_ASK},
    {"sed -n $'1p\\nw x' f", XYLEM_ASK},
    {"sed -E 's/(a|b)/\\1/' f", XYLEM_ALLOW},
    {"awk -f x f", XYLEM_ASK},
    {"awk -vx=1 -f x f", XYLEM_ASK},
    {"awk -v x=\"$y\" '{print x}' f", XYLEM_ALLOW},
    {"awk -F: '{print $1}' /etc/passwd", XYLEM_ALLOW},
    {"awk -F '\\t' '{print $1}' f", XYLEM_ALLOW},
    {"awk \"{print $1}\" f", XYLEM_ASK},
    {"awk -- '{print > \"x\"}' f", XYLEM_ASK},
    {"awk -e 1 'BEGIN{system(\"x\")}'", XYLEM_ASK},
    {"awk -Wexec=x f", XYLEM_ASK},
    {"less +F f", XYLEM_ASK},
    {"less -N -x4 f", XYLEM_ALLOW},
    {"less -x4Ofile f", XYLEM_ASK},
    {"less -b10Ofile f", XYLEM_ASK},
    {"less -Pfoo f", XYLEM_ASK},
    {"less -- \"$f\"", XYLEM_ALLOW},
    {"tree -Lo 2 x", XYLEM_ASK},
    {"tree -L2", XYLEM_ALLOW},
    {"tree -I \"$x\"", XYLEM_ALLOW},
    {"rg -t \"$x\" y", XYLEM_ASK},
    {"rg -t --pre=x y", XYLEM_ASK},
    {"ag -C --pager=x y", XYLEM_ASK},
    {"rg -e foo -g \"!$x\"", XYLEM_ALLOW},
    {"date 01010000", XYLEM_ASK},
    {"date -- 01010000", XYLEM_ASK},
    {"date -- \"$x\"", XYLEM_ASK},
    {"date +\"$fmt\"", XYLEM_ALLOW},
    {"date $x", XYLEM_ASK},
    {"hostname foo", XYLEM_ASK},
    {"hostname -- \"$x\"", XYLEM_ASK},
    {"hostname -f", XYLEM_ALLOW},
    {"man -r 'x$-Of' ls", XYLEM_ASK},
    {"man ./x.1", XYLEM_ASK},
    {"man -l x", XYLEM_ASK},
    {"file -C -m x", XYLEM_ASK},
    {"diff -u a b", XYLEM_ALLOW},
    {"diff -u3 a b", XYLEM_ALLOW},
    {"diff -l a b", XYLEM_ASK},
    {"env -S 'rm x'", XYLEM_ASK},
    {"env -i -S 'rm x'", XYLEM_ASK},
    {"env -vS 'rm x'", XYLEM_ASK},
    {"env -C /tmp ls", XYLEM_ASK},
    {"env -i -u HOME ls", XYLEM_ALLOW},
    {"env - ls", XYLEM_ALLOW},
    {"\\time -o x ls", XYLEM_ASK},
    {"\\time -p ls", XYLEM_ALLOW},
    {"nice -n 5 ls", XYLEM_ALLOW},
    {"nice -5 ls", XYLEM_ALLOW},
    {"nice --adj=5 ls", XYLEM_ASK},
    {"ls | xargs sort", XYLEM_ASK},
    {"ls | xargs env", XYLEM_ASK},
    {"ls | xargs -I{} env {} ls", XYLEM_ASK},
    {"yq -o -i f", XYLEM_ASK},
    {"yq -i=true . f", XYLEM_ASK},
    {"yq -o json . f", XYLEM_ALLOW},
    {"fd -l", XYLEM_ASK},
    {"more '+/x' f", XYLEM_ASK},
    {"column -t \"$f\"", XYLEM_ASK},
    {"column -t -s \"$x\" f", XYLEM_ALLOW},
    {"diff <(sort a) <(sort b)", XYLEM_ALLOW},
    {"diff <(sort a) <(rm b)", XYLEM_ASK},
    {"diff ~/a ~/b", XYLEM_ALLOW},
    {"sort $(echo -o f)", XYLEM_ASK},
    {"sort -t o f", XYLEM_ALLOW},
    {"sort -to f", XYLEM_ALLOW},
    {"sort --outp=x f", XYLEM_ASK},
    {"sort --rev f", XYLEM_ASK},
    {"sort -T /tmp f", XYLEM_ASK},
    {"sort --compress-program=sh f", XYLEM_ASK},
    {"uniq in out", XYLEM_ASK},
    {"uniq -- in out", XYLEM_ASK},
    {"uniq -c", XYLEM_ALLOW},
    {"uniq -f 1 f", XYLEM_ALLOW},
    {"uniq -f 1 in out", XYLEM_ASK},
    {"uniq {a,b}", XYLEM_ASK},
    {"uniq \"$f\"", XYLEM_ASK},
    {"uniq a\"$f\"", XYLEM_ASK},
    {"xxd a b", XYLEM_ASK},
    {"xxd -s 16 -l 32 f", XYLEM_ALLOW},
    {"xxd -r f", XYLEM_ASK},
    {"xxd -rp f", XYLEM_ASK},
    {"xxd -ar f", XYLEM_ASK},
    {"tree -ao x", XYLEM_ASK},
    {"tree -R", XYLEM_ASK},
    {"tree -H . ", XYLEM_ASK},
    {"tree -I{1,2} x", XYLEM_ASK},
    {"rg --pre x y", XYLEM_ASK},
    {"rg --pre=x y", XYLEM_ASK},
    {"rg --hostname-bin=x y", XYLEM_ASK},
    {"rg -nz y", XYLEM_ASK},
    {"rg --no-pre y", XYLEM_ALLOW},
    {"rg -- --pre y", XYLEM_ALLOW},
    {"rg --frobnicate y", XYLEM_ASK},
    {"fd x -x rm", XYLEM_ASK},
    {"fd x -Hx rm", XYLEM_ASK},
    {"fd -X rm", XYLEM_ASK},
    {"fd -e c -t f", XYLEM_ALLOW},
    {"ag --python foo", XYLEM_ALLOW},
    {"ag --pager=x foo", XYLEM_ASK},
    {"yq -i .a f", XYLEM_ASK},
    {"yq -ri .a f", XYLEM_ASK},
    {"yq -s .a f", XYLEM_ASK},
    {"yq --security-enable-system-operator .a f", XYLEM_ASK},
    {"yq -r .a f", XYLEM_ALLOW},
    {"less -k keys f", XYLEM_ASK},
    {"less -t tag", XYLEM_ASK},
    {"less -No log f", XYLEM_ASK},
    {"less -FRX f", XYLEM_ALLOW},
    {"more f", XYLEM_ALLOW},
    {"man -P x ls", XYLEM_ASK},
    {"man -aPx ls", XYLEM_ASK},
    {"man --pag=x ls", XYLEM_ASK},
    {"man -H ls", XYLEM_ASK},
    {"man -M x ls", XYLEM_ASK},
    {"man 3 printf", XYLEM_ALLOW},
    {"man -k x", XYLEM_ALLOW},
    {"date -s x", XYLEM_ASK},
    {"date -us x", XYLEM_ASK},
    {"date --set=x", XYLEM_ASK},
    {"date -d \"$x\" +%F", XYLEM_ALLOW},
    {"date -Iseconds", XYLEM_ALLOW},
    {"hostname -F x", XYLEM_ASK},
    {"hostname -b", XYLEM_ASK},
    {"file -C", XYLEM_ASK},
    {"file -z x", XYLEM_ASK},
    {"file -bz x", XYLEM_ASK},
    {"file -p x", XYLEM_ASK},
    {"file -b --mime-type x", XYLEM_ALLOW},
    {"diff --paginate a b", XYLEM_ASK},
    {"diff -U 3 --color=never a b", XYLEM_ALLOW},
    {"column -ts, f", XYLEM_ALLOW},
    {"find . -fls x", XYLEM_ASK},
    {"find . -fprint0 x", XYLEM_ASK},
    {"find . -fprintf x %p", XYLEM_ASK},
    {"find . -frobnicate", XYLEM_ASK},
    {"find . -exec rm {} +", XYLEM_ASK},
    {"find . -exec \\;", XYLEM_ASK},
    {"find . -exec ls", XYLEM_ASK},
    {"find . \\( -name a -o -name b \\) -prune -o -print", XYLEM_ALLOW},
    {"find -L . -maxdepth 2 -type d ! -empty", XYLEM_ALLOW},
    {"find . -name \"$x\" -delete", XYLEM_ASK},
    {"find \"$x\"", XYLEM_ASK},
    {"find ./\"$x\"", XYLEM_ALLOW},
    {"sed \"$p\" f", XYLEM_ASK},
    {"sed p\"$x\" f", XYLEM_ASK},
    {"sed p ./\"$f\"", XYLEM_ALLOW},
    {"sed p \"$f\"", XYLEM_ASK},
    {"sed p -- \"$f\"", XYLEM_ALLOW},
    {"sed 's/a/b/w x' f", XYLEM_ASK},
    {"sed -n '$p;e ls' f", XYLEM_ASK},
    {"sed --version", XYLEM_ALLOW},
    {"sed", XYLEM_ALLOW},
    {"sed -e p -e", XYLEM_ASK},
    {"awk '{print | \"sh\"}' f", XYLEM_ASK},
    {"awk '{print > \"x\"}' f", XYLEM_ASK},
    {"awk -l x 1 f", XYLEM_ASK},
    {"awk -i inplace 1 f", XYLEM_ASK},
    {"awk -o 1 f", XYLEM_ASK},
    {"awk -E x", XYLEM_ASK},
    {"awk '$3 > 100' f", XYLEM_ALLOW},
    {"awk -vOFS=, '{print $1,$2}' f", XYLEM_ALLOW},
    {"find . -exec sed -n 1p {} \\;", XYLEM_ALLOW},
    {"find $x -exec sed -n 1p {} \\;", XYLEM_ASK},
    {"find . -exec awk 1 {} +", XYLEM_ALLOW},
    {"find . -execdir awk 1 {} +", XYLEM_ASK},
    {"xargs file", XYLEM_ASK},
    {"grep -r \"rm -rf\" .", XYLEM_ALLOW},
};

TEST(strict_allows_what_is_known_to_be_harmless)
{
    CHECK(STRICT, harmless_examples);
}

TEST(readonly_denies_what_is_known_to_write_or_run)
{
    static const struct example EXAMPLES[] = {
        {"sort -o x f", XYLEM_DENY},
        {"sort --outp=x f", XYLEM_DENY},
        {"sort --o=x f", XYLEM_DENY},
        {"sort --rev f", XYLEM_ALLOW},
        {"sort --frobnicate f", XYLEM_ALLOW},
        {"sort \"$f\"", XYLEM_ALLOW},
        {"sort *.txt", XYLEM_ALLOW},
        {"sort \"$x\" -o f", XYLEM_DENY},
        {"uniq a b", XYLEM_DENY},
        {"uniq -c a", XYLEM_ALLOW},
        {"uniq \"$f\"", XYLEM_ALLOW},
        {"xxd -r a", XYLEM_DENY},
        {"xxd a b", XYLEM_DENY},
        {"sed -i p f", XYLEM_DENY},
        {"sed -f x f", XYLEM_DENY},
        {"sed 's/a/b/w x' f", XYLEM_DENY},
        {"sed -e p -e 'w x' f", XYLEM_DENY},
        {"sed \"$p\" f", XYLEM_ALLOW},
        {"sed -n 5p f", XYLEM_ALLOW},
        {"sed 'k' f", XYLEM_ALLOW},
        {"sed 'k; rm' f", XYLEM_DENY},
        {"awk '{print > \"x\"}' f", XYLEM_DENY},
        {"awk 'BEGIN{system(\"x\")}'", XYLEM_DENY},
        {"awk \"$p\" f", XYLEM_ALLOW},
        {"awk '{x++ / 2}' f", XYLEM_ALLOW},
        {"rg --pre=x y", XYLEM_DENY},
        {"rg --pr=x y", XYLEM_DENY},
        {"rg -t \"$x\" y", XYLEM_ALLOW},
        {"tree -o x", XYLEM_DENY},
        {"tree -Lo 2 x", XYLEM_DENY},
        {"less -O x f", XYLEM_DENY},
        {"less +F f", XYLEM_ALLOW},
        {"less +/foo f", XYLEM_ALLOW},
        {"less +12 f", XYLEM_ALLOW},
        {"less '+!rm x' f", XYLEM_DENY},
        {"man -P x ls", XYLEM_DENY},
        {"man ./x.1", XYLEM_ALLOW},
        {"date -s x", XYLEM_DENY},
        {"date 01010000", XYLEM_DENY},
        {"date +%F", XYLEM_ALLOW},
        {"date -- \"$x\"", XYLEM_ALLOW},
        {"hostname x", XYLEM_DENY},
        {"hostname -f", XYLEM_ALLOW},
        {"file -C", XYLEM_DENY},
        {"diff -l a b", XYLEM_DENY},
        {"yq -i .a f", XYLEM_DENY},
        {"yq -i=true .a f", XYLEM_DENY},
        {"yq --inplace=true .a f", XYLEM_DENY},
        {"find . -delete", XYLEM_DENY},
        {"find . -fls x", XYLEM_DENY},
        {"find . -frobnicate", XYLEM_ALLOW},
        {"find . -name *.c", XYLEM_ALLOW},
        {"find . -exec grep x {} +", XYLEM_ALLOW},
        {"find . -exec sed -n 1p {} +", XYLEM_ALLOW},
        {"find . -exec sed -i p {} +", XYLEM_DENY},
        {"\\time -o x ls", XYLEM_DENY},
        {"env -i ls", XYLEM_ALLOW},
        {"fd -x ls", XYLEM_ALLOW},
        {"fd -x rm", XYLEM_DENY},
    };
    (void)state;
    CHECK(READONLY, EXAMPLES);
}

TEST(reasons_name_the_option_and_what_it_does)
{
    check_reason(&STRICT, "sort -uo x f", "sort -uo writes its result to a file");
    check_reason(&STRICT, "tree -R", "tree -R writes a file in each directory");
    check_reason(&STRICT, "find . -delete", "find -delete deletes files");
    check_reason(&STRICT, "uniq a b", "uniq b ");
    check_reason(&STRICT, "date 0101", "date 0101 sets the clock");
    check_reason(&STRICT, "sed 'w x' f", "sed's w writes a file");
    check_reason(&STRICT, "awk 'BEGIN{system(1)}'", "awk's system() runs a program");
    check_reason(&STRICT, "ls | xargs sort", "write the words of sort out");
    check_reason(&STRICT, "rg --xyz a", "rg --xyz ");
    assert_string_equal(rule_of(&STRICT, "sort -o x"), "option");
    assert_string_equal(rule_of(&STRICT, "sed 'w x' f"), "sed");
    assert_string_equal(rule_of(&STRICT, "awk '{print > 1}' f"), "awk");
    assert_string_equal(rule_of(&STRICT, "awk \"$p\" f"), "option");
    assert_string_equal(rule_of(&STRICT, "awk p\"$p\" f"), "awk");
}

/* An option of the one list in the other would be read as harmless, or never be found. */
TEST(no_option_is_both_harmless_and_known_to_do_harm)
{
    char name[64];
    (void)state;
    for (const struct xylem_policy__hatch *hatch = xylem_policy__hatch_table; hatch->names; hatch++) {
        for (const struct xylem_policy__table_row *row = hatch->known; row->names; row++) {
            assert_non_null(row->what);
            for (const char *at = row->names; *at != '\0';) {
                size_t bytes = strcspn(at, " ");
                size_t name_bytes = bytes - (at[bytes - 1] == ':' || at[bytes - 1] == '?');
                assert_true(name_bytes < sizeof name);
                memcpy(name, at, name_bytes);
                name[name_bytes] = '\0';
                if (xylem_policy__listed(hatch->harmless, xylem_view_of(name))) {
                    fail_msg("%s %s", hatch->names, name);
                }
                at += bytes + (at[bytes] == ' ');
            }
        }
    }
}
