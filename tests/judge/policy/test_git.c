/* git commands: what passes under each tier, and for every rule the twin that does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "judge/policy/words/names.h"
#include "judge/policy/git/forms.h"
#include "judge/policy/git/tables.h"
#include "judge/policy/words/options.h"
#include "judge/policy/words/words.h"
#include "tests/lib/git_judge.h"
#include "tests/lib/test.h"

#define READONLY XYLEM_POLICY__GIT_READONLY
#define STRICT XYLEM_POLICY__GIT_STRICT
#define LOCAL XYLEM_POLICY__GIT_LOCAL_WRITES
#define COUNT(array) (sizeof array / sizeof *(array))

static void expect(enum xylem_policy__git_tier under, const char *command, bool passes)
{
    struct xylem_verdict verdict = git_judge(under, command);
    if ((verdict.decision == XYLEM_ALLOW) != passes) {
        fail_msg("tier %d: %s: %s (%.*s)", (int)under, command, passes ? "is refused" : "passes",
                 (int)verdict.reason.bytes, (const char *)verdict.reason.data);
    }
    if (!passes) {
        assert_true(strcmp(verdict.rule, "git") == 0 || strcmp(verdict.rule, "git-option") == 0);
    }
    xylem_verdict_release(&verdict);
}

/* Of each pair the first passes, and the second does not. */
struct twins {
    const char *passes;
    const char *refused;
};

static void expect_twins(enum xylem_policy__git_tier under, const struct twins *twins, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        expect(under, twins[i].passes, true);
        expect(under, twins[i].refused, false);
    }
}

/* --- Every row of the tables --- */

/* A family of options may have a name again that stands before it: the first counts. */
static bool stands_before(const char *list, const char *at, const char *name)
{
    size_t bytes = strlen(name);
    for (const char *found = list; (found = strstr(found, name)) && found < at; found += bytes) {
        bool begins = found == list || found[-1] == ' ';
        if (begins && strchr(" :?", found[bytes])) {
            return true;
        }
    }
    return false;
}

/* Calls back with each name of a list, its suffix taken off. */
static void each_name(const char *list, void (*call)(const char *name, char takes, void *context), void *context)
{
    char name[128];
    for (const char *at = list; *at != '\0'; at += strspn(at, " ")) {
        size_t bytes = strcspn(at, " ");
        char takes = bytes > 2 && (at[bytes - 1] == ':' || at[bytes - 1] == '?') ? at[bytes - 1] : ' ';
        size_t kept = bytes - (takes != ' ');
        kept -= takes == '?' && at[kept - 1] == '#'; /* digits, as those that are tried are */
        assert_true(kept < sizeof name);
        memcpy(name, at, kept);
        name[kept] = '\0';
        if (!stands_before(list, at, name)) {
            call(name, takes, context);
        }
        at += bytes;
    }
}

struct row {
    enum xylem_policy__git_tier tier;
    const struct xylem_policy__git_form *form;
    const char *subcommand;
    char begins[256]; /* git SUBCOMMAND VERB NEEDED */
    unsigned count;
};

static void expect_option(const char *name, char takes, void *context)
{
    struct row *row = context;
    bool letter = name[1] != '-';
    char command[512];
    if (strcmp(name, "*") == 0) {
        return;
    }
    const char *value = takes == ' ' ? "" : letter ? "7" : takes == ':' ? " 7" : "=7";
    const char *spelt = strcmp(name, "-#") == 0 ? "-12" : name;
    bool sets = row->form->sets != NULL && xylem_policy__listed(row->form->sets, xylem_view_of(name));
    (void)snprintf(command, sizeof command, "%s %s%s%s", row->begins, spelt, value, sets ? " user.name" : "");
    bool annotates = row->form->asks_editor && (strcmp(name, "-a") == 0 || strcmp(name, "--annotate") == 0);
    expect(row->tier, command, !annotates);
    row->count++;
}

static void expect_row(const char *verb, char takes, void *context)
{
    struct row *row = context;
    char command[512];
    const char *needed = row->form->needs ? row->form->needs : "";
    (void)takes;
    (void)snprintf(row->begins, sizeof row->begins, "git %s %s %.*s", row->subcommand, verb, (int)strcspn(needed, " "),
                   needed);
    expect(row->tier, row->begins, true);
    each_name(row->form->options, expect_option, row);
    if (strcmp(row->form->options, "*") == 0) {
        return;
    }
    (void)snprintf(command, sizeof command, "%s --output=f", row->begins);
    expect(row->tier, command, false);
    (void)snprintf(command, sizeof command, "%s -@", row->begins);
    expect(row->tier, command, false);
}

static void expect_subcommand(const char *subcommand, char takes, void *context)
{
    struct row *row = context;
    (void)takes;
    row->subcommand = subcommand;
    if (!row->form->verb || row->form->verb[0] == '\0') {
        expect_row("", ' ', row);
    } else {
        each_name(row->form->verb, expect_row, row);
    }
}

TEST(every_form_passes_with_each_of_its_options_and_with_no_other)
{
    struct row row = {.tier = READONLY};
    for (size_t i = 0; i < xylem_policy__git_reading_count; i++) {
        row.form = &xylem_policy__git_reading[i];
        each_name(row.form->subcommand, expect_subcommand, &row);
    }
    row.tier = LOCAL;
    for (size_t i = 0; i < xylem_policy__git_local_count; i++) {
        row.form = &xylem_policy__git_local[i];
        each_name(row.form->subcommand, expect_subcommand, &row);
    }
    assert_true(row.count > 1000);
}

static void expect_write(const char *name, char takes, void *context)
{
    char command[256];
    const char *local[] = {"add"};
    (void)takes;
    (void)context;
    (void)snprintf(command, sizeof command, "git %s", name);
    expect(READONLY, command, false);
    expect(STRICT, command, false);
    (void)snprintf(command, sizeof command, "git %s --dry-run -n x", name);
    expect(READONLY, command, false);
    expect(LOCAL, command, strcmp(name, local[0]) == 0);
}

TEST(what_always_writes_is_refused_whatever_its_flags)
{
    each_name(xylem_policy__git_writing, expect_write, NULL);
}

/* --- git itself --- */

TEST(without_a_literal_and_known_subcommand_it_is_refused)
{
    static const char *const refused[] = {
        "git",
        "git -C x",
        "git --no-pager",
        "git st",
        "git lg",
        "git $x",
        "git \"$x\"",
        "git $x status",
        "git \"$x\" log",
        "git $(echo log)",
        "git {log,push}",
        "git l*",
        "git ''",
        "git help log",
        "git --help",
        "git -h",
        "git gui",
        "git ls-remotes",
        "git -- status",
        "git --html-path",
        "git --exec-path",
        "git --list-cmds=main",
        "git ~/log",
    };
    for (size_t i = 0; i < COUNT(refused); i++) {
        expect(READONLY, refused[i], false);
        expect(STRICT, refused[i], false);
        expect(LOCAL, refused[i], false);
    }
}

TEST(its_own_options_are_read_as_git_reads_them)
{
    static const struct twins twins[] = {
        {"git -C push status", "git -C status push"},
        {"git --git-dir push status", "git --git-dir status push"},
        {"git --git-dir=x status", "git --git-dir=status push"},
        {"git --work-tree push status", "git --work-tree status push"},
        {"git --namespace push status", "git --namespace status push"},
        {"git --no-pager log", "git -p log"},
        {"git -P log", "git --paginate log"},
        {"git -C a -C b log", "git -C a -C log push"},
        {"git --bare --no-optional-locks status", "git -c core.pager=x status"},
        {"git --literal-pathspecs status", "git -ccore.pager=x status"},
        {"git --icase-pathspecs status", "git --config-env=core.pager=X status"},
        {"git --no-replace-objects log", "git --config-env core.pager=X log"},
        {"git log", "git --super-prefix=x log"},
        {"git log", "git --exec-path=/x log"},
        {"git log", "git --no-pag log"},
        {"git 'log'", "git 'push'"},
        {"git l\\og", "git pu\\sh"},
    };
    for (int under = READONLY; under <= (int)LOCAL; under++) {
        expect_twins(under, twins, COUNT(twins));
    }
    expect(READONLY, "git -C {a,push} status", false);
    expect(READONLY, "git -C $d status", true);
    expect(STRICT, "git -C $d status", false);
    expect(STRICT, "git -C \"$d\" status", true);
    expect(READONLY, "git --git-dir=$d status", true);
    expect(STRICT, "git --git-dir=$d status", false);
}

TEST(version_is_a_subcommand)
{
    expect(READONLY, "git --version", true);
    expect(READONLY, "git -v", true);
    expect(READONLY, "git version --build-options", true);
    expect(STRICT, "git --version", false);
}

/* These start another git where nobody looked, or read objects there, which a promisor remote may be asked for. */
TEST(a_form_that_leads_git_to_other_repositories_is_told)
{
    static const struct {
        const char *command;
        bool elsewhere;
    } cases[] = {
        {"git log -p --submodule=diff", true},
        {"git log -p --submodule=log", true},
        {"git show --submodule", true},
        {"git diff --subm HEAD~1", true},
        {"git diff-tree -p --submod=diff HEAD", true},
        {"git diff --submodule=short", false},
        {"git stash show --submodule=diff", true},
        {"git format-patch --stdout --submodule=diff -1", true},
        {"git grep --recurse-submodules x HEAD~1", true},
        {"git grep --recurse-sub x", true},
        {"git grep --no-recurse-submodules x", false},
        {"git ls-files --recurse-submodules", true},
        {"git rev-parse --show-superproject-working-tree", true},
        {"git rev-parse --verify --show-superproject-working-tree", true},
        {"git rev-parse \"$x\"", true},
        {"git rev-parse HEAD~\"$x\"", false},
        {"git rev-parse --show-toplevel", false},
        {"git log --alternate-refs", true},
        {"git rev-list --alternate-refs --all", true},
        {"git log --all", false},
        {"git submodule summary", true},
        {"git submodule -q summary HEAD", true},
        {"git submodule status", false},
        {"git remote show origin", true},
        {"git remote show -n origin", false},
        {"git remote -v", false},
        {"git merge-tree a b", true},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct xylem_verdict verdict = git_judge(READONLY, cases[i].command);
        if (verdict.decision != XYLEM_ALLOW || verdict.git_directory_unknown != cases[i].elsewhere) {
            print_message("%s\n", cases[i].command);
        }
        assert_int_equal(verdict.decision, XYLEM_ALLOW);
        assert_int_equal(verdict.git_directory_unknown, cases[i].elsewhere);
        assert_int_equal(verdict.git_directory_count, 1);
        xylem_verdict_release(&verdict);
    }
}

struct directory {
    const char *command;
    const char *directory; /* NULL: unknown */
};

TEST(it_is_told_where_git_would_run)
{
    static const struct directory cases[] = {
        {"git status", "/w"},
        {"git -C a status", "/w/a"},
        {"git -C a -C b status", "/w/a/b"},
        {"git -C a -C /b -C c status", "/b/c"},
        {"git -C '' status", "/w"},
        {"git -C a --git-dir=g status", NULL},
        {"git --git-dir=/g -C /a status", NULL},
        {"git --work-tree=/t status", NULL},
        {"git --bare status", NULL},
        {"cd s && git -C a status", "/w/s/a"},
        {"git -C \"$x\" status", NULL},
        {"git -C \"$x\" -C b status", NULL},
        {"git -C \"$x\" -C /b status", "/b"},
        {"git --git-dir=\"$x\" status", NULL},
        {"git -C $x status", NULL},
        {"git -C 1 -C 2 -C 3 -C 4 -C 5 -C 6 -C 7 -C 8 status", "/w/1/2/3/4/5/6/7/8"},
        {"git -C 1 -C 2 -C 3 -C 4 -C 5 -C 6 -C 7 -C 8 -C 9 status", NULL},
        {"find . -type d -exec git -C {} status ';'", NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct xylem_verdict verdict = git_judge(READONLY, cases[i].command);
        assert_int_equal(verdict.decision, XYLEM_ALLOW);
        assert_int_equal(verdict.git_directory_unknown, cases[i].directory == NULL);
        assert_int_equal(verdict.git_directory_count, cases[i].directory != NULL);
        if (cases[i].directory) {
            assert_int_equal(verdict.git_directories[0].bytes, strlen(cases[i].directory));
            assert_memory_equal(verdict.git_directories[0].data, cases[i].directory, strlen(cases[i].directory));
        }
        xylem_verdict_release(&verdict);
    }
}

/* --- What reads --- */

TEST(options_that_write_or_run_are_refused_also_when_they_are_abbreviated)
{
    static const struct twins twins[] = {
        {"git log --output-indicator-new=x", "git log --output=f"},
        {"git diff --output-indicator-old x", "git diff --output f"},
        {"git show -p", "git show --outp=f"},
        {"git blame f", "git blame --output=f f"},
        {"git diff -- --output=f", "git diff HEAD --output=f"},
        {"git log --no-ext-diff", "git log --ext-diff"},
        {"git log --no-textconv", "git log --textc"},
        {"git log --no-show-signature", "git log --show-sig"},
        {"git log --diff-merges=on", "git log --diff-merges=remerge"},
        {"git log --diff-merges=cc", "git log --diff-merges r"},
        {"git log -m", "git log --remerge-diff"},
        {"git log --format=%h", "git log --format=%G?"},
        {"git log --format='%an G?'", "git log --format='%h %+GK'"},
        {"git log --pretty='% an'", "git log --pretty=format:'% GS'"},
        {"git log --grep='%G?'", "git log --pretty=%-G?"},
        {"git log -1 --date=format:%G", "git show -s --pretty=tformat:%GG"},
        {"git rev-parse HEAD", "git rev-parse --help"},
    };
    expect_twins(READONLY, twins, COUNT(twins));
    expect_twins(STRICT, twins, COUNT(twins));
    expect(READONLY, "git status --help", false);
    expect(STRICT, "git status --help", false);
    static const struct twins readonly[] = {
        {"git shortlog -sn HEAD", "git shortlog --output=f HEAD"},
        {"git shortlog --group=author", "git shortlog --group=format:%GS"},
        {"git rev-list --count HEAD", "git rev-list --output=f HEAD"},
        {"git range-diff a..b c..d", "git range-diff --output=f a..b c..d"},
        {"git reflog", "git reflog --output=f"},
        {"git stash show -p", "git stash show --output=f"},
        {"git stash list -p", "git stash list --output=f"},
        {"git grep -n -e -O", "git grep -O x"},
        {"git grep -- -O", "git grep -nOvi x"},
        {"git grep --only-matching x", "git grep --open=vi x"},
        {"git grep --no-textconv x", "git grep --textconv x"},
        {"git cat-file -p HEAD:f", "git cat-file --filters HEAD:f"},
        {"git cat-file --batch-check", "git cat-file --textconv HEAD:f"},
        {"git fsck --full", "git fsck --lost-f"},
        {"git format-patch --stdout -1", "git format-patch -1"},
        {"git format-patch -1 --stdout -s", "git format-patch -1 --stdout --no-stdo"},
        {"git format-patch --stdout HEAD~2 -- f", "git format-patch -1 -- --stdout"},
        {"git format-patch --stdout -1 -n", "git format-patch --stdout -1 -o d"},
        {"git for-each-ref --format='%(refname)'", "git for-each-ref --format='%(signature:key)'"},
        {"git for-each-ref --sort=-committerdate", "git for-each-ref --sort=-signature"},
        {"git branch --format='%(HEAD)'", "git branch --format='%(*signature)'"},
    };
    expect_twins(READONLY, readonly, COUNT(readonly));
}

TEST(options_that_are_not_known_pass_in_readonly_alone_and_only_long_ones)
{
    expect(READONLY, "git log --next-version-option", true);
    expect(READONLY, "git log --next=3 --oneline", true);
    expect(STRICT, "git log --next-version-option", false);
    expect(READONLY, "git log -@", false);
    expect(READONLY, "git log -p@", false);
    expect(READONLY, "git branch --next", false);
    expect(READONLY, "git config --next a.b", false);
    expect(STRICT, "git status --unt=no", false);
    expect(READONLY, "git status --unt=no", true);
}

/* git reads the words once for the command and once for revisions: --decorate-refs is gone when --author looks for its
 * value, so this wrote a file named `hole`. */
TEST(a_value_that_looks_like_an_option_cannot_hide_one)
{
    for (int under = READONLY; under <= (int)LOCAL; under++) {
        expect(under, "git log --author --decorate-refs foo --grep --output=hole", false);
        expect(under, "git log -S --output=hole", false);
        expect(under, "git log -n 5 -S x --author me", true);
    }
    expect(READONLY, "git branch --sort -committerdate", true);
    expect(READONLY, "git grep -e --output", true);
    expect(READONLY, "git log --author \"$x\" foo --grep \"$y\"", true);
    expect(STRICT, "git log --author \"$x\"", false);
}

TEST(words_that_are_not_literal_ask_where_they_may_be_options)
{
    static const char *const everyday[] = {
        "git log \"$branch\"",
        "git show $rev",
        "git diff \"$(git merge-base main HEAD)\"..HEAD",
        "git log -n $n",
        "git log -\"$n\"",
        "git log --format=\"$day\"",
        "git diff *",
        "git diff {HEAD~1,HEAD}",
        "git log $(git describe --tags --abbrev=0)..HEAD",
        "git log --format=\"%h $x\"",
        "base=$(git merge-base main HEAD); git diff $base",
        "for b in $(git branch --list); do git log -1 \"$b\"; done",
    };
    for (size_t i = 0; i < COUNT(everyday); i++) {
        expect(READONLY, everyday[i], true);
        expect(STRICT, everyday[i], false);
    }
    static const char *const both[] = {"git show HEAD:\"$f\"", "git log -- $f", "git diff HEAD -- *.c",
                                       "git log src/*.c", "git rev-parse $x"};
    for (size_t i = 0; i < COUNT(both); i++) {
        expect(READONLY, both[i], true);
        expect(STRICT, both[i], true);
    }
    static const char *const neither[] = {"git log --out$x", "git log --output\"$x\"", "git log {HEAD,--output=f}",
                                          "git log --{output=f,all}", "git log -{-output=f,p}"};
    for (size_t i = 0; i < COUNT(neither); i++) {
        expect(READONLY, neither[i], false);
        expect(STRICT, neither[i], false);
    }
}

/* --- What lists, and what writes --- */

static const struct twins mixed_twins[] = {
    {"git branch", "git branch N"},
    {"git branch -vv", "git branch -vv N"},
    {"git branch --sort=x", "git branch --sort=x N"},
    {"git branch --sort x", "git branch --sort x N"},
    {"git branch --column", "git branch --column N"},
    {"git branch --color=always", "git branch --color N"},
    {"git branch --abbrev=7", "git branch --abbrev 7"},
    {"git branch --list N", "git branch --list --no-list N"},
    {"git branch --contains HEAD N", "git branch -q N"},
    {"git branch -avv --merged main", "git branch -av main"},
    {"git branch --show-current", "git branch --edit-description"},
    {"git branch -l", "git branch -ld N"},
    {"git branch --list \"$x\"", "git branch \"$x\""},
    {"git branch --list $x", "git branch $x"},
    {"git branch --list {a,b}", "git branch --list {a,-D} b"},
    {"git branch --sort=a", "git branch --sort {a,-D} b"},
    {"git tag", "git tag N"},
    {"git tag -l N", "git tag -i N"},
    {"git tag -n5 N", "git tag --sort=x N"},
    {"git tag --contains HEAD", "git tag -a"},
    {"git tag --points-at HEAD", "git tag -d N"},
    {"git tag -l", "git tag -v N"},
    {"git remote", "git remote add o u"},
    {"git remote -v", "git remote -v add o u"},
    {"git remote -v show", "git remote -v update"},
    {"git remote get-url o", "git remote set-url o u"},
    {"git remote show -n o", "git remote prune o"},
    {"git remote -v", "git remote -- add o u"},
    {"git remote -v", "git remote $x"},
    {"git config a.b", "git config a.b c"},
    {"git config --list", "git config a.b c --list"},
    {"git config --type=bool a.b", "git config --type=bool a.b c"},
    {"git config --get a.b c", "git config --add a.b c"},
    {"git config --get-regexp a b", "git config --unset a.b"},
    {"git config --global --get a.b", "git config --global a.b c"},
    {"git config -f x -l", "git config -f x a.b c"},
    {"git config get a.b", "git config set a.b c"},
    {"git config list", "git config edit"},
    {"git config --get a.b", "git config -e"},
    {"git config --get \"$k\"", "git config \"$k\" v"},
    {"git config --get $k", "git config $k"},
    {"git config --get-all {a,b}.c", "git config {a,b}.c"},
    {"git stash list", "git stash"},
    {"git stash list --oneline", "git stash -q list"},
    {"git stash show -p stash@{0}", "git stash pop"},
    {"git stash show", "git stash -- show"},
    {"git stash list", "git stash \"$x\""},
    {"git reflog", "git reflog expire --all"},
    {"git reflog show main", "git reflog delete main@{0}"},
    {"git reflog -5", "git reflog -5 expire"},
    {"git reflog exists main", "git reflog \"$x\""},
    {"git reflog main", "git reflog exp\"$x\""},
    {"git notes", "git notes add"},
    {"git notes --ref add list", "git notes --ref list add"},
    {"git notes show HEAD", "git notes \"$x\""},
    {"git worktree list", "git worktree add x"},
    {"git worktree list --porcelain", "git worktree"},
    {"git submodule", "git submodule update"},
    {"git submodule --quiet status", "git submodule --quiet foreach ls"},
    {"git submodule summary", "git submodule foreach git status"},
    {"git apply --check p", "git apply p"},
    {"git apply --stat --summary p", "git apply --stat --apply p"},
    {"git apply --numstat p", "git apply --numstat --no-numstat p"},
    {"git apply --check p", "git apply --check --reject p"},
    {"git apply --stat p", "git apply --stat --build-fake-ancestor=f p"},
    {"git bisect log", "git bisect start"},
    {"git bisect terms", "git bisect run make"},
    {"git bisect log", "git bisect visualize"},
    {"git symbolic-ref HEAD", "git symbolic-ref HEAD refs/heads/x"},
    {"git symbolic-ref --short HEAD", "git symbolic-ref -d HEAD"},
    {"git symbolic-ref \"$x\"", "git symbolic-ref $x"},
    {"git sparse-checkout list", "git sparse-checkout set x"},
};

TEST(mixed_subcommands_are_decided_by_what_git_does)
{
    expect_twins(READONLY, mixed_twins, COUNT(mixed_twins));
}

TEST(what_is_put_behind_a_command_by_another_is_not_known)
{
    static const struct twins twins[] = {
        {"ls | xargs git log", "ls | xargs git branch"},
        {"ls | xargs git blame", "ls | xargs git"},
        {"ls | xargs git branch --list", "ls | xargs git tag -n"},
        {"ls | xargs -n1 git log --oneline --", "ls | xargs git stash"},
        {"ls | xargs git config --get", "ls | xargs git config a.b"},
        {"ls | xargs git diff", "ls | xargs git reflog"},
        {"find . -exec git log {} ';'", "find . -exec git remote {} ';'"},
        {"ls | xargs -I% git log %", "ls | xargs -I% git %"},
    };
    expect_twins(READONLY, twins, 2);
    expect(READONLY, twins[2].passes, true);
    expect_twins(READONLY, twins + 3, COUNT(twins) - 3);
    for (size_t i = 0; i < COUNT(twins); i++) {
        expect(STRICT, twins[i].passes, false);
        expect(STRICT, twins[i].refused, false);
    }
    expect(LOCAL, "ls | xargs git add", false);
    expect(LOCAL, "ls | xargs git add --", false);
}

/* --- strict --- */

TEST(strict_knows_what_its_list_names)
{
    static char *names[] = {"shortlog", "branch", "push", "frobnicate", "version"};
    struct xylem_policy__names defaults = git_judge_names;
    expect(STRICT, "git shortlog", false);
    expect(STRICT, "git branch", false);
    git_judge_names = (struct xylem_policy__names){names, COUNT(names)};
    expect(STRICT, "git shortlog -s", true);
    expect(STRICT, "git shortlog --output=f", false);
    expect(STRICT, "git branch -a", true);
    expect(STRICT, "git branch N", false);
    expect(STRICT, "git push", false);
    expect(STRICT, "git log", false);
    expect(STRICT, "git --version", true);
    expect(STRICT, "git frobnicate x --all", true);
    expect(STRICT, "git frobnicate --output=f", false);
    expect(STRICT, "git frobnicate -x", false);
    git_judge_names = defaults;
}

TEST(local_writes_pass_but_for_those_that_reach_further)
{
    static const struct twins twins[] = {
        {"git add .", "git add -p"},
        {"git add -A", "git add -Ap"},
        {"git add -- -p", "git add . -i"},
        {"git add -u", "git add --edit"},
        {"git add x/\"$f\"", "git add \"$f\""},
        {"git add --chmod +x f", "git add --inter"},
        {"git branch N", "git branch --edit-description"},
        {"git branch -vv N", "git branch --edit-d"},
        {"git branch -D N", "git branch -i N"},
        {"git branch -u origin/main", "git branch --frob N"},
        {"git tag v1", "git tag -s v1 -m x"},
        {"git tag -a v1 -m x", "git tag -a v1"},
        {"git tag -a v1 --file=f", "git tag --annotate v1"},
        {"git tag -d v1", "git tag -v v1"},
        {"git tag -f v1", "git tag -u key v1 -m x"},
        {"git tag -m x v1", "git tag -e -m x v1"},
        {"git tag -m x v1", "git tag -m \"$x\" v1"},
        {"git tag -l --format='%(refname)'", "git tag -l --format='%(signature)'"},
        {"git stash", "git stash -p"},
        {"git stash -u -m x", "git stash push --patch"},
        {"git stash pop", "git stash branch N"},
        {"git stash drop stash@{1}", "git stash frob"},
        {"git stash show -p", "git stash show --output=f"},
        {"git stash list", "git stash $x"},
        {"git remote -v", "git remote show origin"},
        {"git remote add o u", "git remote add -f o u"},
        {"git remote -v add o u", "git remote -v update"},
        {"git remote rename a b", "git remote prune o"},
        {"git remote set-head o main", "git remote set-head o -a"},
        {"git remote set-url o u", "git remote frob"},
        {"git config user.name x", "git config --global user.name x"},
        {"git config --local user.name x", "git config --system user.name x"},
        {"git config user.name", "git config --global user.name"},
        {"git config --list", "git config user.name x --global"},
        {"git config --get core.pager", "git config core.pager x"},
        {"git config core.pager", "git config core.pager x --list"},
        {"git config --unset user.name", "git config --unset core.pager"},
        {"git config --add user.name x", "git config --add core.pager x"},
        {"git config set user.name x", "git config set core.pager x"},
        {"git config unset user.name", "git config unset core.pager"},
        {"git config get core.pager", "git config -f x user.name y"},
        {"git config list", "git config --file=x user.name y"},
        {"git config --type=bool pull.rebase true", "git config --blob HEAD:x user.name"},
        {"git config user.name x y", "git config --rename-section a b"},
        {"git config --get-regexp x y", "git config --edit"},
        {"git config --bool user.name x", "git config \"$k\" v"},
        {"git config user.name \"J. Doe\"", "git config $x"},
        {"git config user.name 'a;b'", "git config edit"},
    };
    expect_twins(LOCAL, twins, COUNT(twins));
    for (size_t i = 0; i < COUNT(twins); i++) {
        expect(STRICT, twins[i].passes, false);
    }
    expect(LOCAL, "git log --oneline", true);
    expect(LOCAL, "git shortlog", false);
}

static const char *const data_keys[] = {
    "user.name",
    "USER.Name",
    "core.autocrlf",
    "Core.AutoCRLF",
    "branch.x.merge",
    "branch.a.b.remote",
    "remote.origin.fetch",
    "color.ui",
    "color.diff.meta",
    "advice.detachedHead",
    "diff.x.wordRegex",
    "pull.rebase",
    "branch.autoSetupRebase",
};

static const char *const others_of_keys[] = {
    "diff.submodule",
    "status.submoduleSummary",
    "submodule.recurse",
    "log.diffMerges",
    "branch.sort",
    "tag.sort",
    "",
    "user",
    ".",
    "user.",
    "user.x.name",
    "core.pager",
    "CORE.PAGER",
    "core.editor",
    "core.fsmonitor",
    "core.hooksPath",
    "core.sshCommand",
    "core.askPass",
    "core.gitProxy",
    "core.attributesFile",
    "core.worktree",
    "core.alternateRefsCommand",
    "alias.x",
    "diff.external",
    "diff.x.command",
    "diff.x.textconv",
    "filter.x.clean",
    "filter.x.process",
    "gpg.program",
    "gpg.ssh.program",
    "pager.log",
    "credential.helper",
    "credential.x.helper",
    "sequence.editor",
    "include.path",
    "includeIf.gitdir:x.path",
    "merge.x.driver",
    "merge.tool",
    "remote.x.uploadpack",
    "remote.x.receivepack",
    "remote.x.vcs",
    "remote.x.proxy",
    "protocol.ext.allow",
    "url.x.insteadOf",
    "http.proxy",
    "interactive.diffFilter",
    "browser.x.cmd",
    "man.x.cmd",
    "uploadpack.packObjectsHook",
    "sendemail.smtpServer",
    "extensions.worktreeConfig",
    "submodule.x.update",
    "init.templateDir",
    "commit.template",
    "difftool.x.cmd",
    "mergetool.x.cmd",
    "trailer.x.command",
    "tar.x.command",
    "hook.x.command",
    "lfs.x",
    "log.showSignature",
    "commit.gpgSign",
    "tag.gpgSign",
    "branch.mergeoptions",
    "branch.x.mergeoptions",
    "foo.bar",
    "gc.recentObjectsHook",
    "web.browser",
    "instaweb.httpd",
    "format.pretty",
    "pretty.x",
    "core.bare",
};

TEST(keys_are_data_or_may_name_a_program)
{
    for (size_t i = 0; i < COUNT(data_keys); i++) {
        if (!xylem_policy__git_key_harmless(xylem_view_of(data_keys[i]))) {
            fail_msg("%s is data_keys", data_keys[i]);
        }
    }
    for (size_t i = 0; i < COUNT(others_of_keys); i++) {
        if (xylem_policy__git_key_harmless(xylem_view_of(others_of_keys[i]))) {
            fail_msg("%s is not known to be data_keys", others_of_keys[i]);
        }
    }
}

/* --- confirm --- */

static struct xylem_shell__word spelt(const char *text)
{
    return (struct xylem_shell__word){.raw = xylem_view_of(text), .text = xylem_view_of(text), .literal = true};
}

TEST(the_subcommand_is_found_behind_any_options)
{
    static const char *const commands[][6] = {
        {"git", "push", "x", NULL},           {"git", "-c", "status", "push", NULL},
        {"git", "-C", "a", "push", NULL},     {"git", "--frobnicate", "push", NULL},
        {"git", "--git-dir=x", "push", NULL}, {"git", "-p", "--exec-path=x", "push", NULL},
    };
    for (size_t i = 0; i < COUNT(commands); i++) {
        struct xylem_shell__word words[6];
        const struct xylem_shell__word *pointers[6];
        struct xylem_policy__command command = {.words = pointers};
        size_t count = 0;
        for (; commands[i][command.count]; command.count++) {
            words[command.count] = spelt(commands[i][command.count]);
            pointers[command.count] = &words[command.count];
        }
        const struct xylem_shell__word *const *found = xylem_policy__git_subcommand(&command, &count);
        assert_non_null(found);
        assert_true(xylem_shell__word_is(found[0], "push"));
        assert_int_equal(count, i == 0 ? 2 : 1);
    }
}

TEST(there_is_no_subcommand_where_none_is_literal)
{
    struct xylem_shell__word git = spelt("git");
    struct xylem_shell__word unknown = {.raw = {"$x", 2}, .text = {"", 0}, .splits = true};
    const struct xylem_shell__word *words[] = {&git, &unknown};
    struct xylem_policy__command command = {.words = words, .count = 2};
    size_t count = 1;
    assert_null(xylem_policy__git_subcommand(&command, &count));
    assert_int_equal(count, 0);
    command.count = 1;
    assert_null(xylem_policy__git_subcommand(&command, &count));
}

/*
 * A name that a later git has is the abbreviation of another one to a git of before: `cat-file --filter` runs filters
 * there.
 */
TEST(no_option_of_a_form_may_be_the_abbreviation_of_a_hatch)
{
    for (size_t i = 0; i < xylem_policy__git_reading_count; i++) {
        const struct xylem_policy__git_form *form = &xylem_policy__git_reading[i];
        const char *list = form->options;
        struct xylem_view name;
        while (xylem_policy__next_name(&name, &list)) {
            name.bytes -= strchr(":?", name.data[name.bytes - 1]) != NULL;
            bool filters = xylem_base__view_is(name, "--filter") && !strstr(form->subcommand, "cat-file");
            bool old = xylem_policy__listed("--text --int", name); /* every git has these */
            if (!filters && !old && name.bytes > 2 && xylem_policy__view_begins(name, "--") &&
                xylem_policy__begins_one_of(xylem_policy__git_hatches, name)) {
                fail_msg("git %s %.*s", form->subcommand, (int)name.bytes, name.data);
            }
        }
    }
}
