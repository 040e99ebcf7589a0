/* The confirm policy's rules: for each a command that passes, and its twin that is asked about. */

#include <string.h>

#include "judge/policy/words/tables.h"
#include "xylem/policy.h"
#include "tests/lib/test.h"

struct twin {
    const char *passes;
    const char *asked;
};

static struct xylem_policy *policy;

static int make_policy(void **state)
{
    const struct xylem_policy_config config = {.type = XYLEM_POLICY_CONFIRM};
    (void)state;
    return xylem_policy_new(&policy, &config, NULL);
}

static int free_policy(void **state)
{
    (void)state;
    xylem_policy_free(policy);
    return 0;
}

/* `rule`: NULL where it passes. */
static void assert_verdict(const char *command, const char *rule)
{
    struct xylem_verdict verdict = {0};
    assert_int_equal(xylem_policy_judge(&verdict, policy, xylem_view_of(command), NULL, NULL), XYLEM_OK);
    enum xylem_decision expected = rule ? XYLEM_ASK : XYLEM_ALLOW;
    if (verdict.decision != expected || (rule && strcmp(verdict.rule, rule) != 0)) {
        fail_msg("%s\n    expected %s, found %s: %.*s", command, rule ? rule : "allowed", verdict.rule,
                 (int)verdict.reason.bytes, verdict.reason.data);
    }
    xylem_verdict_release(&verdict);
}

static void assert_twins(const char *rule, const struct twin *twins)
{
    for (; twins->passes || twins->asked; twins++) {
        if (twins->passes) {
            assert_verdict(twins->passes, NULL);
        }
        if (twins->asked) {
            assert_verdict(twins->asked, rule);
        }
    }
}

TEST(recursive_rm_is_asked_about)
{
    static const struct twin twins[] = {
        {"rm x", "rm -r x"},
        {"rm -f x", "rm -rf x"},
        {"rm -f -v x", "rm -fR x"},
        {"rm -- -r x", "rm x -r"},
        {"rm --force x", "rm --recursive x"},
        {"rm --preserve-root x", "rm --rec x"},
        {"rm -d x", "rm --r x"},
        {"rm -f \"$x\"", "x=-rf; rm -f \"$x\" d"},
        {"rm \"$x\" \"$y\"", "rm \"${x:--rf}\" \"$y\""},
        {"x=-r; rm \"$x\"", "x=-r; find . -exec rm \"$x\" {} +"},
        {"rm \"$x\" -- d", "read x <<< -rf; rm \"$x\" -- d"},
        {"rm \"$(basename x)\" d", "rm \"$(echo -rf)\" d"},
        {"x=a.o; rm $x", "x=-rf; rm $x d"},
        {"rm *.o", "rm {-rf,d}"},
        {"rm \"$d/\"*", "rm $d/*"},
        {"ls | xargs -r rm", "echo -rf d | xargs rm"},
        {"grep -rl x | xargs rm", "echo -rf | xargs rm d"},
        {"find . -print0 | xargs -0 rm", "xargs rm <<< '-rf d'"},
        {"find f $x -exec ls {} ';'", "x=-exec; find f $x rm -rf d ';'"},
        {"rm \"a$x\"", "rm $x"},
        {"rm ~/x", "rm -f$x"},
        {"rm ./*.o", "rm *"},
        {"echo 'rm -rf /'", "\\rm -rf /"},
        {"command -v rm", "command rm -fr x"},
        {"/bin/rm x", "/bin/rm -r x"},
        {"find . -name x", "find . -exec rm -r {} +"},
        {"ls | xargs rm", "ls | xargs rm \"$x\""},
        {"sh -c 'rm x'", "sh -c 'rm -r x'"},
        {"ls | xargs echo rm -r", "ls | xargs rm -rf"},
        {"git rm -r x", "cd x && rm -rf build"},
        {"grep -r 'rm -rf' .", "echo $(rm -rf x)"},
        {NULL, NULL},
    };
    (void)state;
    assert_twins("recursive-rm", twins);
}

TEST(sudo_is_asked_about)
{
    static const struct twin twins[] = {
        {"echo sudo", "sudo ls"},          {"man sudo", "sudo"},           {"sudoku", "ls | sudo tee x"},
        {"./sudo.sh", "/usr/bin/sudo -l"}, {"doas ls", "env A=b sudo ls"}, {NULL, NULL},
    };
    (void)state;
    assert_twins("sudo", twins);
}

TEST(the_mode_777_is_asked_about)
{
    static const struct twin twins[] = {
        {"chmod 755 x", "chmod 777 x"},
        {"chmod -R 755 x", "chmod -R 0777 x"},
        {"chmod 7770 x", "chown 777 x"},
        {"chmod \"$mode\" x", "mode=777; chmod \"$mode\" x"},
        {"chmod 644 \"$x\"", "chmod \"${mode:-0777}\" x"},
        {"chmod u+$x f", "chmod $mode x"},
        {"chown user: x", "chown -R -- 777 x"},
        {"chown \"$user:$group\" x", "chmod 7$x f"},
        {"chmod -w \"x$y\"", "ls | xargs chmod 777"},
        {"ls | xargs chmod 644", "ls | xargs chmod"},
        {"chown ~/x y", "chmod 00777 x"},
        {"echo chmod 777", "find . -exec chmod 777 {} ';'"},
        {NULL, NULL},
    };
    (void)state;
    assert_twins("mode-777", twins);
}

TEST(dd_and_mkfs_are_asked_about)
{
    static const struct twin dd[] = {
        {"dd --help", "dd if=/dev/zero of=x"},
        {"dd bs=1 count=1", "dd bs=1 of=x"},
        {"dd \"bs=$n\"", "dd if=$x"},
        {"dd status=none", "dd \"$x\""},
        {"echo dd if=x", "/bin/dd \"of=$x\""},
        {"dd bs=\"$n\"", "ls | xargs dd"},
        {NULL, NULL},
    };
    static const struct twin mkfs[] = {
        {"man mkfs", "mkfs /dev/sda1"}, {"mkfsx", "mkfs.ext4 /dev/sda1"}, {"./mkfs-test", "mkfs"}, {NULL, NULL}};
    (void)state;
    assert_twins("dd", dd);
    assert_twins("mkfs", mkfs);
}

TEST(a_forced_push_is_asked_about)
{
    static const struct twin twins[] = {
        {"git push", "git push -f"},
        {"git push origin main", "git push origin +main"},
        {"git push -u origin main", "git push -uf origin main"},
        {"git push --follow-tags", "git push --force"},
        {"git push --no-force-with-lease", "git push --force-with-lease"},
        {"git push --force-if-includes", "git push --force-with-lease=main:abc"},
        {"git push -o f", "git push --force-w"},
        {"git push -ofx", "git push -fo x"},
        {"git push -- origin main", "git push -- origin +HEAD:main"},
        {"git push origin \"$x\"", "x=+main; git push origin \"$x\""},
        {"git push origin \"HEAD:$x\"", "git push origin $x"},
        {"git push origin \"$(git branch --show-current)\"", "git push origin \"$(echo +main)\""},
        {"git push -f --dry-run", "git push -f --dry-run --no-dry-run"},
        {"git push -fn", "git push -fn $x"},
        {"git -C push status", "git -C \"$dir\" push --force"},
        {"git status", "git $x"},
        {"git log --grep=push -f", "git -c a.b=c push origin main -f"},
        {"git fetch -f", "env X=y git push -f"},
        {"git push \"--repo=$x\" && ls", NULL},
        {NULL, NULL},
    };
    (void)state;
    assert_twins("force-push", twins);
}

TEST(writing_to_a_device_is_asked_about)
{
    static const struct twin twins[] = {
        {"ls > /dev/null", "ls > /dev/sda"},
        {"ls > /dev/stderr", "ls >> /dev/sda"},
        {"ls > /dev/stdout", "ls > //dev/./sda"},
        {"ls > /dev/tty", "ls > /tmp/../dev/sda"},
        {"ls > /dev/fd/3", "ls > /dev/fd/../sda"},
        {"ls < /dev/sda", "ls <> /dev/sda"},
        {"ls > f", "ls > /dev/$x"},
        {"ls > \"$x\"", "x=/dev/sda; ls > \"$x\""},
        {"ls > dev/sda", "ls > ../../dev/sda"},
        {"ls > /home/dev/x", "cat x &> /dev/nvme0n1"},
        {"ls > '/devices'", "ls > '/dev/sda'"},
        {"ls > ~/x", "> /dev/sda"},
        {"ls | tee /dev/null", "ls | tee /dev/sda"},
        {"ls | tee f -a", "ls | tee -a f /dev/sda"},
        {"ls | tee /dev/fd/3", "ls | tee /dev/$n"},
        {"ls | xargs -n1 echo tee", "x=/dev/sda; ls | tee $x"},
        {"echo '> /dev/sda'", "while :; do ls; done > /dev/sda"},
        {NULL, NULL},
    };
    (void)state;
    assert_twins("device-write", twins);
}

TEST(truncating_to_nothing_is_asked_about)
{
    static const struct twin twins[] = {
        {"truncate -s 1 f", "truncate -s 0 f"},
        {"truncate -s10 f", "truncate -s0 f"},
        {"truncate --size=10 f", "truncate --size=0 f"},
        {"truncate --size 5K f", "truncate --size 0K f"},
        {"truncate -s +0 f", "truncate -s 00 f"},
        {"truncate -s -0 f", "truncate -s '<0' f"},
        {"truncate -s 010 f", "truncate f -cs 0"},
        {"truncate -r x f", "truncate -s \"$n\" f"},
        {"truncate -s 5 -- \"$f\"", "truncate --siz=0 f"},
        {"truncate -s 5 \"a$b\"", "truncate --unknown f"},
        {"truncate -s 5 ./*.c", "truncate $x f"},
        {"ls | xargs truncate -s 5", "ls | xargs truncate -s 0"},
        {NULL, NULL},
    };
    (void)state;
    assert_twins("truncate-to-zero", twins);
}

TEST(what_is_not_decidable_is_asked_about_for_a_word_in_it)
{
    assert_twins("not-decidable", (const struct twin[]){{"$x ls", "$x rm"},
                                                        {"x=ls; $x a", "x='rm -rf y'; $x"},
                                                        {"$x > f", "$x 'a >/dev/sda'"},
                                                        {"$x 'a 2>/dev/null'", "$x 'a > /dev/null/../sda'"},
                                                        {NULL, NULL}});
    assert_twins("not-understood", (const struct twin[]){{"echo 'open", "echo 'open; sudo x"},
                                                         {"echo 'open > f", "echo 'open > /dev/sda"},
                                                         {"echo 'mkfsx", "echo 'mkfs.ext4"},
                                                         {NULL, NULL}});
    assert_twins("wrapper", (const struct twin[]){{"timeout --unknown ls", "timeout --unknown rm x"}, {NULL, NULL}});
    assert_twins("arithmetic", (const struct twin[]){{"(( rm + dd ))", "[[ 'a[$(rm y)]' -eq 0 ]]"}, {NULL, NULL}});
    (void)state;
}

/* bash 5.2 reads these substitutions in a way of its own: the commands in them count as other versions read them. */
TEST(a_substitution_with_two_readings_is_judged_by_its_commands)
{
    assert_twins("device-write", (const struct twin[]){{"echo $(time { D=/tmp; : > $D/sda; })", /* no device */
                                                        "echo $( time -p -- ! { D=/dev; : > $D/sda; })"},
                                                       {NULL, NULL}});
    assert_twins("recursive-rm",
                 (const struct twin[]){{"x=\"$(time { fd -xls; })\"", "x=\"$(time { fd -xrm -r x; })\""},
                                       {"echo $(coproc fd -xls)", "echo $(coproc fd -xrm -r x)"},
                                       {NULL, NULL}});
    assert_twins("not-understood", (const struct twin[]){{"echo $(time { a; }); b", "echo $(time { a; }); echo rm"},
                                                         {"echo $(coproc a)", "echo $(time (coproc a sudo))"},
                                                         {NULL, NULL}});
    (void)state;
}

TEST(a_word_that_bash_expands_twice_is_searched)
{
    assert_twins("not-decidable", (const struct twin[]){{"x='$(rm -r y)'; : > $x", "x='$(rm -r y)'; : >&$x"},
                                                        {"x='$(ls y)'; : >&$x", "x='`dd`'; : 1>&\"${x}\""},
                                                        {"echo git rm >&$fd", "a='$'; b='(rm)'; : >& $a$b"},
                                                        {"make >& \"$LOG\" && rm a.o", "x='<(rm y)'; : >&a$x"},
                                                        {"make >&build.log", ": >&'$(y)'"},
                                                        {"make >&'a b;c'", ": >&\"'/dev/'sda\""},
                                                        {"make >&~/log 2>&1-", ": >&'/d[e]v/sda'"},
                                                        {NULL, NULL}});
    (void)state;
}

/* A caller that remembers the programs of `judged` must not take them for all that was refused. */
TEST(a_refusal_that_no_judged_command_shows_is_unlisted)
{
    static const struct {
        const char *command;
        bool unlisted;
    } rows[] = {
        {"rm -r x; sudo y", false},
        {"rm -r \"$(sudo y)\"", false},
        {"ls > f", false},
        {"rm -r x; { :; } > /dev/sda", true},
        {"sh -c '> /dev/sda'", true},
        {"rm -r x > /dev/sda", true},
        {"echo 'a; rm", true},
    };
    (void)state;
    struct xylem_verdict verdict = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(xylem_policy_judge(&verdict, policy, xylem_view_of(rows[i].command), NULL, NULL), XYLEM_OK);
        if (verdict.unlisted != rows[i].unlisted) {
            fail_msg("%s: unlisted is %d", rows[i].command, verdict.unlisted);
        }
    }
    xylem_verdict_release(&verdict);
}

/* The grants of a command, started in /p, with a newline behind each. */
static void assert_grants(const char *command, const char *expected)
{
    struct xylem_verdict verdict = {0};
    struct xylem_buffer all = {0};
    assert_int_equal(xylem_policy_judge(&verdict, policy, xylem_view_of(command), "/p", NULL), XYLEM_OK);
    for (size_t i = 0; i < verdict.grant_count; i++) {
        assert_int_equal(xylem_buffer_add(&all, verdict.grants[i].data, verdict.grants[i].bytes), XYLEM_OK);
        assert_int_equal(xylem_buffer_add(&all, "\n", 1), XYLEM_OK);
    }
    if (all.bytes != strlen(expected) || (all.bytes > 0 && memcmp(all.data, expected, all.bytes) != 0)) {
        fail_msg("%s\n    expected %s    found %.*s", command, expected, (int)all.bytes, all.data);
    }
    xylem_buffer_release(&all);
    xylem_verdict_release(&verdict);
}

TEST(a_grant_names_the_program_and_the_rule)
{
    (void)state;
    assert_grants("ls", "");
    assert_grants("dd if=a", "dd (dd)\n");
    assert_grants("/bin/dd if=a", "/bin/dd (dd)\n");
    assert_grants("chmod 777 a; chmod 0777 b; mkfs.ext4 c", "chmod (mode-777)\nmkfs.ext4 (mkfs)\n");
    assert_grants("git push -f && truncate -s 0 a | tee /dev/sda",
                  "git (force-push)\ntruncate (truncate-to-zero)\ntee (device-write)\n");
}

TEST(a_grant_of_sudo_names_what_stands_behind)
{
    (void)state;
    assert_grants("sudo true", "sudo true (sudo)\n");
    assert_grants("sudo -n -u bob A=b /usr/bin/apt install x", "sudo -n -u bob A=b /usr/bin/apt (sudo)\n");
    static const char *const none[] = {"sudo",
                                       "sudo -l",
                                       "sudo -i",
                                       "sudo $X",
                                       "sudo -u $X true",
                                       "sudo --odd true",
                                       "sudo sh -c ls",
                                       "sudo env ls",
                                       "sudo xargs true",
                                       "sudo python3 x",
                                       "sudo rm a",
                                       "sudo dd",
                                       "sudo -s",
                                       "sudo rm -rf a",
                                       "sudo -n dd if=a",
                                       "sudo bash",
                                       "sudo sudo true",
                                       "sudo 'a\tb'",
                                       "sudo nice rm",
                                       "sudo git push -f",
                                       "sudo A=$(x) true",
                                       "sudo true > /dev/sda"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        assert_grants(none[i], "");
    }
}

TEST(a_grant_of_rm_holds_in_one_directory)
{
    (void)state;
    assert_grants("rm -rf ./a", "rm (recursive-rm) in /p\n");
    assert_grants("rm a/ -r -- b -c /x//y/./z", "rm (recursive-rm) in /p\nrm (recursive-rm) in /x/y\n");
    assert_grants("cd a && rm -r b/c", "rm (recursive-rm) in /p/a/b\n");
    assert_grants("cd a; rm -r b", "rm (recursive-rm) in /p/a\nrm (recursive-rm) in /p\n");
    assert_grants("f() { ls; }; rm -r b", "rm (recursive-rm) in /p\n");
    assert_grants("rm -r a \"$(rm -r /b/c)\"", "");
    assert_grants("echo $(rm -r a)", "rm (recursive-rm) in /p\n");
    static const char *const none[] = {"rm -r ~/b",
                                       "rm -r $X",
                                       "rm -r a*",
                                       "rm -r ../a",
                                       "rm -r a/../b",
                                       "rm -r /",
                                       "rm -r",
                                       "rm -r .",
                                       "rm -r a $X",
                                       "cd; rm -r a",
                                       "cd - && rm -r a",
                                       ". ./x; rm -r a",
                                       "eval x; rm -r a",
                                       "f() { rm -r a; }; f",
                                       "ssh h rm -r /a/b",
                                       "find . -exec rm -r a ';'",
                                       "sh -c 'rm -r a'",
                                       "nice rm -r a",
                                       "echo a | xargs rm -r",
                                       "docker exec c rm -r /a",
                                       "rm -r a; $X rm",
                                       "trap 'rm -r a' EXIT",
                                       "rm -r a > /dev/sda",
                                       "$X/rm -r a"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        assert_grants(none[i], "");
    }
}

TEST(only_confirm_offers_grants)
{
    struct xylem_policy *readonly = NULL;
    struct xylem_verdict verdict = {0};
    (void)state;
    assert_int_equal(xylem_policy_new(&readonly, NULL, NULL), XYLEM_OK);
    assert_int_equal(xylem_policy_judge(&verdict, readonly, xylem_view_of("sudo true"), "/p", NULL), XYLEM_OK);
    assert_int_equal(verdict.decision, XYLEM_DENY);
    assert_int_equal(verdict.grant_count, 0);
    xylem_verdict_release(&verdict);
    xylem_policy_free(readonly);
}

TEST(every_pattern_of_the_table_has_its_rule)
{
    size_t count = 0;
    (void)state;
    for (const struct xylem_policy__table_row *row = xylem_policy__confirm_patterns; row->names; row++) {
        assert_non_null(row->rule);
        assert_non_null(row->what);
        count++;
    }
    assert_int_equal(count, 9);
    assert_verdict("", NULL);
    assert_verdict(" # rm -rf /", NULL);
}

TEST_FILE(make_policy, free_policy)

/* An entry such as "compute/STAR/delete" as words behind the first name of the row. */
static void ask_about_entry(const struct xylem_policy__verb_row *row, const char *entry, size_t bytes)
{
    char text[512];
    size_t name = strcspn(row->names, " *");
    char *at = stpcpy(mempcpy(text, row->names, name), " ");
    for (size_t i = 0; i < bytes && !(bytes == 1 && entry[0] == '.'); i++) {
        bool any = entry[i] == '*' && at[-1] == ' ';
        if (entry[i] != '*' || any) {
            *at++ = any ? 'x' : entry[i] == '/' ? ' ' : entry[i];
        }
    }
    stpcpy(at, " y");
    assert_verdict(text, "destroys");
}

TEST(every_verb_of_the_table_that_destroys_asks)
{
    for (const struct xylem_policy__verb_row *row = xylem_policy__verb_table; row->names; row++) {
        for (const char *entry = row->destroys ? row->destroys : ""; *entry != '\0'; entry += strspn(entry, " ")) {
            size_t bytes = strcspn(entry, " ");
            ask_about_entry(row, entry, bytes);
            entry += bytes;
        }
    }
}
