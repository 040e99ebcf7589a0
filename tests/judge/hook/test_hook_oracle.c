/*
 * git itself says whether the hook was right. Each plant makes a repository that names a program, the hook is asked
 * about a command, and then bash runs the command: where the program runs, the hook must have said nothing, and where
 * the hook approves, the program must not run. Besides, every key of git's configuration is given the program as its
 * value. XYLEM_SEED=n says which keys are drawn, XYLEM_ROUNDS=n how many.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "judge/hook/git_config.h"
#include "judge/hook/git_index.h"
#include "judge/policy/git/tables.h"
#include "tests/lib/chance.h"
#include "tests/lib/test.h"
#include "xylem/policy.h"

#define ROUNDS_DEFAULT 40
#define CONFIGS_DEFAULT 200
#define ROUNDS_AT_LENGTH 6000
#define KEYS_MAX 2048
#define COUNT(array) (sizeof array / sizeof *(array))

static struct {
    char directory[256];
    char work[300];   /* where the commands run */
    char marker[300]; /* there once the program ran */
    char home_config[300];
    char stand_in[300]; /* the directory of the git that prefers aliases to deprecated builtins; empty: git does */
    bool has_git;
    char *keys[KEYS_MAX];
    size_t key_count;
} world;

/* Runs a script of bash in `directory`; its output goes to `out`, or nowhere. */
static int run(const char *directory, const char *script, const char *out)
{
    char home[300];
    char program[300];
    char path[4096];
    char *words[] = {"bash", "-c", (char *)script, NULL};
    char *environment[] = {home,
                           program,
                           path,
                           "GIT_CONFIG_NOSYSTEM=1",
                           "GIT_AUTHOR_NAME=a",
                           "GIT_AUTHOR_EMAIL=a@example.org",
                           "GIT_COMMITTER_NAME=a",
                           "GIT_COMMITTER_EMAIL=a@example.org",
                           "GIT_TERMINAL_PROMPT=0",
                           NULL};
    posix_spawn_file_actions_t actions;
    pid_t child = 0;
    int status = 0;
    (void)snprintf(home, sizeof home, "HOME=%s", world.directory);
    (void)snprintf(program, sizeof program, "P=%s/program", world.directory);
    const char *inherited = !getenv("PATH") ? "/usr/bin:/bin" : getenv("PATH");
    (void)snprintf(path, sizeof path, "PATH=%s%s%s", world.stand_in, world.stand_in[0] == '\0' ? "" : ":", inherited);
    assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
    assert_int_equal(posix_spawn_file_actions_addchdir_np(&actions, directory), 0);
    assert_int_equal(posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", 0, 0), 0);
    assert_int_equal(posix_spawn_file_actions_addopen(&actions, 1, out ? out : "/dev/null", 01 | 0100 | 01000, 0600),
                     0);
    assert_int_equal(posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", 1, 0), 0);
    int failed = posix_spawnp(&child, words[0], &actions, NULL, words, environment);
    posix_spawn_file_actions_destroy(&actions);
    while (failed == 0 && waitpid(child, &status, 0) == -1 && errno == EINTR) {
    }
    return failed == 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

static bool program_ran(void)
{
    return unlink(world.marker) == 0;
}

/* The strict policy with every subcommand that is plain. */
static struct xylem_policy *make_policy(void)
{
    struct xylem_policy *policy = NULL;
    char json[2048] = "{\"git_readonly_subcommands\":[\"";
    size_t at = strlen(json);
    for (const char *name = xylem_policy__git_plain_subcommands; *name != '\0'; name++) {
        at +=
            (size_t)snprintf(json + at, sizeof json - at, "%.*s", *name == ' ' ? 3 : 1, *name == ' ' ? "\",\"" : name);
    }
    (void)snprintf(json + at, sizeof json - at, "\"]}");
    assert_int_equal(xylem_policy_new_json(&policy, XYLEM_POLICY_STRICT, xylem_view_of(json), NULL), 0);
    return policy;
}

/* The hook is asked from where the command runs, as hosts do it. */
static bool is_approved(const char *command, struct xylem_buffer *why)
{
    const char *const configs[] = {world.home_config, NULL};
    const struct xylem_hook_options options = {.why = why, .git_user_configs = configs, .home = world.directory};
    struct xylem_policy *policy = make_policy();
    struct xylem_buffer input = {0};
    struct xylem_buffer output = {0};
    char before[4096];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(world.work), 0);
    static const char head[] = "{\"hook_event_name\":\"PermissionRequest\",\"tool_name\":\"Bash\",\"cwd\":";
    static const char middle[] = ",\"tool_input\":{\"command\":";
    assert_int_equal(xylem_buffer_add(&input, head, strlen(head)), 0);
    assert_int_equal(xylem_buffer_add_json_string(&input, xylem_view_of(world.work)), 0);
    assert_int_equal(xylem_buffer_add(&input, middle, strlen(middle)), 0);
    assert_int_equal(xylem_buffer_add_json_string(&input, xylem_view_of(command)), 0);
    assert_int_equal(xylem_buffer_add(&input, "}}", 2), 0);
    int code = xylem_policy_hook(&output, policy, (struct xylem_view){input.data, input.bytes}, &options, NULL);
    assert_true(code >= 0);
    xylem_buffer_release(&input);
    xylem_buffer_release(&output);
    xylem_policy_free(policy);
    assert_int_equal(chdir(before), 0);
    return code == 1;
}

/* --- Plants --- */

/* `benign` and `evil DIR`: repositories; `evil` names the program where every git status looks. */
static const char FUNCTIONS[] =
    "set -e\n"
    "benign() { git init -q -b main \"$1\"; (cd \"$1\"; echo 1 >f; echo 1 >g; git add f g; git commit -qm 1); }\n"
    "evil() { benign \"$1\"; git -C \"$1\" config core.fsmonitor \"$P\"; }\n"
    /* a submodule in the history, that neither the index nor .gitmodules names any more */
    "with_gone_submodule() {\n"
    "  benign .; git init -q -b main sub; (cd sub; echo 1 >a; git add a; git commit -qm 1)\n"
    "  git config -f .gitmodules submodule.sub.path sub; git config -f .gitmodules submodule.sub.url x\n"
    "  git config submodule.sub.active true; git add sub .gitmodules; git commit -qm sub; (cd sub; echo 2 >a; git "
    "commit -qam 2); git commit -qam more\n"
    "  git rm -q --cached sub .gitmodules; git commit -qm gone; git -C sub config core.fsmonitor \"$P\"\n"
    "  git -C sub config diff.external \"$P\"; }\n"
    "with_signed() {\n"
    "  benign .; { git cat-file commit HEAD | sed '/^$/,$d'\n"
    "    printf 'gpgsig -----BEGIN PGP SIGNATURE-----\\n \\n x\\n -----END PGP SIGNATURE-----\\n\\nsigned\\n'; } "
    ">../c\n"
    "  git reset -q --hard $(git hash-object -t commit -w ../c); }\n"
    "with_merge() {\n"
    "  benign .; echo '* merge=x' >.git/info/attributes; git checkout -q -b side; echo 2 >f; git commit -qam 2\n"
    "  git checkout -q main; echo 3 >f; git commit -qam 3; git merge -q side || { echo 4 >f; git commit -qam 4; }; }\n";

struct plant {
    const char *make;
    const char *command;
};

static const struct plant programs_run[] = {
    /* git and the hook are two processes, each with a /proc/self of its own */
    {"evil a/g; benign g; echo 'gitdir: /proc/self/cwd/g/.git' >a/.git", "cd a && git status"},
    {"evil a/g; benign g; ln -s /proc/self/cwd/g/.git a/.git", "cd a && git status"},
    {"evil b/gb; benign gb; ln -s /proc/thread-self/cwd/gb/.git b/.git", "git -C b diff"},
    {"benign a; benign .; mv a/.git/config a/c; git -C a config --file c core.fsmonitor \"$P\";"
     " ln -s /proc/self/cwd/c a/.git/config; cp .git/config c",
     "cd a && git status"},
    {"benign a; benign .; mv a/.git/config a/c; git -C a config --file c core.fsmonitor \"$P\";"
     " ln -s /proc/self/cwd/c a/.git/config",
     "cd a && git status"},
    {"benign a; evil a/e; benign e; echo /proc/self/cwd/e/.git >a/.git/commondir", "cd a && git diff"},
    {"evil evil; benign .", "cd evil && git -C /proc/self/cwd status"},
    {"evil evil; benign .", "cd evil && git -C /dev/fd/../cwd status"},
    {"mkdir deep; benign here; evil deep/here; mkdir deep/er; ln -s deep/er ev", "cd ev && git -C ../here status"},
    {"benign .; git config core.hooksPath /proc/self/cwd/../hk; mkdir ../hk; cp \"$P\" ../hk/post-index-change;"
     " sleep 0.01; touch f",
     "git status"},
    /* submodules that only the history names, and other gits */
    {"with_gone_submodule", "git log -p --submodule=diff"},
    {"with_gone_submodule", "git show HEAD~1 --submodule=diff"},
    {"with_gone_submodule; git config diff.submodule diff", "git show HEAD~1"},
    {"with_gone_submodule; git config diff.submodule diff", "git log -p"},
    {"with_gone_submodule; git config diff.submodule diff", "git diff HEAD~2 HEAD~1"},
    {"with_gone_submodule; git config --global diff.submodule diff", "git diff HEAD~2 HEAD~1"},
    {"with_gone_submodule; git config --file ../more diff.submodule diff; git config --global include.path more",
     "git diff HEAD~2 HEAD~1"},
    {"with_gone_submodule; git reset -q --soft HEAD~1; git config diff.submodule diff", "git status -v"},
    {"with_gone_submodule; mv sub/.git ../gone; mkdir .git/modules; mv ../gone .git/modules/sub; rm -rf sub;"
     " git config -f .gitmodules submodule.sub.path sub; git config -f .gitmodules submodule.sub.url x; rm -rf sub",
     "git log -p --submodule=diff"},
    {"with_gone_submodule", "git grep --recurse-submodules 1 HEAD~1"},
    {"with_gone_submodule; git config submodule.recurse true", "git grep 1 HEAD~1"},
    {"with_gone_submodule; cd sub; git config core.repositoryformatversion 1; git config extensions.partialClone o;"
     " git config remote.o.url .; git config remote.o.promisor true; git config remote.o.uploadpack \"$P\";"
     " find .git/objects -type f -delete",
     "git log -p --submodule=log"},
    {"benign .; git config core.fsmonitor \"$P\"; benign inner",
     "cd inner && git rev-parse --show-superproject-working-tree"},
    {"benign .; benign ../alt; echo $PWD/../alt/.git/objects >.git/objects/info/alternates;"
     " git config core.alternateRefsCommand \"$P\"",
     "git log --alternate-refs"},
    /* settings */
    {"benign .; git config core.hooksPath hk; mkdir hk; cp \"$P\" hk/post-index-change; sleep 0.01; touch f",
     "git status"},
    {"benign .; mkdir .husky; cp \"$P\" .husky/post-index-change; git config core.hooksPath .husky; mkdir src; sleep "
     "0.01;"
     " touch f",
     "cd src && git status"},
    {"with_signed; git config gpg.program \"$P\"; git config --global log.showSignature true", "git log"},
    {"with_signed; git config gpg.program \"$P\"; git config --global format.pretty %G?", "git show"},
    {"with_signed; git config gpg.program \"$P\"; git config log.showSignature true", "git log"},
    {"with_merge; git config merge.x.driver \"$P\"; git config --global log.diffMerges remerge",
     "git show --diff-merges=on"},
    {"with_merge; git config merge.x.driver \"$P\"; git config log.diffMerges remerge", "git log -p -m"},
    /* relative paths in the configuration of the user lead into the work tree */
    {"benign .; mkdir src; cp \"$P\" fsm; git config --global core.fsmonitor ./fsm", "cd src && git status"},
    {"benign .; mkdir src; cp \"$P\" src/fsm; git config --global core.fsmonitor 'sh -c src/fsm'", "git status"},
    {"benign .; cp \"$P\" x; echo 2 >f; git config --global diff.external ./x", "git diff"},
    {"benign .; mkdir .githooks src; cp \"$P\" .githooks/post-index-change; git config --global core.hooksPath "
     ".githooks; sleep 0.01; touch f",
     "cd src && git status"},
    {"benign .; benign sub; git add sub; git commit -qm sub; mkdir sub/.githooks;"
     " cp \"$P\" sub/.githooks/post-index-change; git config --global core.hooksPath .githooks; sleep 0.01; touch "
     "sub/f",
     "git status"},
    {"with_signed; cp \"$P\" gpg; git config --global gpg.program ./gpg; git config --global log.showSignature true",
     "git log"},
    {"benign .; git config alias.whatchanged \"!$P\"", "git whatchanged"},
    {"benign .; git config alias.pack-redundant \"!$P\"", "git pack-redundant --all"},
    {"benign .; git config core.pager \"$P\"", "git log"},
    {"benign .; git config pager.log \"$P\"", "git log"},
};

/* A pager runs where the output is a terminal: these commands run on one. */
static bool needs_terminal(const struct plant *plant)
{
    return strstr(plant->make, "pager") != NULL;
}

static const struct plant no_program_runs[] = {
    {"benign .; mkdir .husky; cp \"$P\" .husky/pre-commit; git config core.hooksPath .husky; sleep 0.01; touch f",
     "git status"},
    {"benign .; for h in pre-commit pre-push post-checkout post-merge reference-transaction pre-auto-gc; do"
     " mkdir -p .husky/_; cp \"$P\" .husky/_/$h; done; git config core.hooksPath .husky/_; echo 2 >f",
     "git status; git diff; git log -p; git show; git ls-files -m; git blame f; git rev-parse HEAD; git show-ref"},
    {"benign .; for a in log status diff show st rev-parse; do git config alias.$a \"!$P\"; done",
     "git status; git diff; git log; git show; git rev-parse HEAD"},
    {"with_signed; git config gpg.program \"$P\"; git config gpg.ssh.program \"$P\"; git config gpg.format ssh",
     "git log -3; git show; git log --format='%h %s'; git status"},
    {"with_merge; git config merge.x.driver \"$P %O %A %B\"",
     "git log -p -m; git show; git log --cc; git diff HEAD~1; git status; git log --diff-merges=on; git blame f"},
    {"benign .; git config core.sshCommand \"$P\"; git remote add origin ssh://localhost/x;"
     " git config branch.main.remote origin; git config branch.main.merge refs/heads/main",
     "git status -sb; git log; git diff; git ls-files; git show-ref"},
    {"benign .; mkdir .githooks; cp \"$P\" .githooks/pre-commit; git config --global core.hooksPath .githooks;"
     " sleep 0.01; touch f",
     "git status; git diff; git log"},
    {"benign .; git config pager.log false; git config pager.diff true; git config core.pager cat",
     "git log; git diff"},
    {"benign .; git config trailer.x.command \"$P\"; git config tag.gpgSign true; git config gpg.program \"$P\"",
     "git log --format='%(trailers)'; git show"},
};

static void make_plant(const struct plant *plant)
{
    char script[8192];
    (void)snprintf(script, sizeof script, "rm -rf w more hk alt gone c ran .gitconfig; mkdir w; cd w; %s%s", FUNCTIONS,
                   plant->make);
    if (run(world.directory, script, NULL) != 0) {
        fail_msg("it cannot be planted: %s", plant->make);
    }
    (void)program_ran();
}

static void run_command(const struct plant *plant)
{
    char script[1024];
    if (needs_terminal(plant)) {
        (void)snprintf(script, sizeof script, "script -qec '%s' /dev/null", plant->command);
    }
    (void)run(world.work, needs_terminal(plant) ? script : plant->command, NULL);
}

TEST(the_hook_says_nothing_where_a_program_runs)
{
    for (size_t i = 0; world.has_git && i < COUNT(programs_run); i++) {
        struct xylem_buffer why = {0};
        make_plant(&programs_run[i]);
        if (is_approved(programs_run[i].command, &why)) {
            fail_msg("approved: %s, after: %s", programs_run[i].command, programs_run[i].make);
        }
        xylem_buffer_release(&why);
        run_command(&programs_run[i]);
        bool may_differ = needs_terminal(&programs_run[i]); /* script is not installed everywhere */
        if (!program_ran() && !may_differ) {
            fail_msg("no program ran: %s, after: %s", programs_run[i].command, programs_run[i].make);
        }
    }
}

TEST(the_hook_approves_where_a_reading_command_cannot_run_the_program)
{
    for (size_t i = 0; world.has_git && i < COUNT(no_program_runs); i++) {
        struct xylem_buffer why = {0};
        make_plant(&no_program_runs[i]);
        if (!is_approved(no_program_runs[i].command, &why)) {
            fail_msg("not approved: %s, after: %s: %s", no_program_runs[i].command, no_program_runs[i].make, why.data);
        }
        xylem_buffer_release(&why);
        run_command(&no_program_runs[i]);
        if (program_ran()) {
            fail_msg("a program ran: %s, after: %s", no_program_runs[i].command, no_program_runs[i].make);
        }
    }
}

/* --- Every key --- */

/* A key of `git help --config` with a name in place of `<name>` or `*`. */
static void add_key(const char *line)
{
    static const char *const names[][2] = {
        {"branch.<name>", "branch.main"},
        {"<name>", "o"},
        {"<driver>", "x"},
        {"<format>", "openpgp"},
        {"pager.<cmd>", "pager.log"},
        {"<cmd>", "log"},
        {"alias.*", "alias.log"},
        {"<condition>", "gitdir:/"},
        {"<tool>", "x"},
        {"<url>", "ssh://h"},
    };
    char text[256];
    char changed[512];
    (void)snprintf(text, sizeof text, "%s", line);
    for (size_t i = 0; i < COUNT(names); i++) {
        char *found = strstr(text, names[i][0]);
        if (found) {
            (void)snprintf(changed, sizeof changed, "%.*s%s%s", (int)(found - text), text, names[i][1],
                           found + strlen(names[i][0]));
            (void)snprintf(text, sizeof text, "%.255s", changed);
        }
    }
    if (!strchr(text, '<') && !strchr(text, '*') && strchr(text, '.') && !strchr(text, ' ') &&
        world.key_count < KEYS_MAX) {
        world.keys[world.key_count] = strdup(text);
        assert_non_null(world.keys[world.key_count]);
        world.key_count++;
    }
}

static void read_keys(void)
{
    static const char *const more[] = {"filter.x.process", "remote.o.promisor", "gpg.ssh.defaultKeyCommand",
                                       "trailer.x.cmd",    "core.gitProxy",     "hook.x.command",
                                       "pager.status",     "pager.diff",        "extensions.partialClone"};
    char path[300];
    char line[256];
    (void)snprintf(path, sizeof path, "%s/keys", world.directory);
    assert_int_equal(run(world.directory, "git help --config", path), 0);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        add_key(line);
    }
    assert_int_equal(fclose(file), 0);
    for (size_t i = 0; i < COUNT(more); i++) {
        add_key(more[i]);
    }
    assert_true(world.key_count > 500);
}

static const char KEYS_REPOSITORY[] =
    "with_merge; with_signed 2>/dev/null || :; echo '* diff=x filter=x merge=x' >.git/info/attributes; git tag -a -m m "
    "v1;"
    "git remote add o ssh://localhost/x; mkdir hk; for h in post-index-change reference-transaction pre-auto-gc; do"
    " cp \"$P\" hk/$h; done; cp .git/config .git/index ..; echo 4 >f; git stash -q; git notes add -m n; sleep 0.01; "
    "echo 5 "
    ">f";

static const char *const reading[] = {
    "git status",
    "git log -p -m",
    "git show",
    "git show v1",
    "git diff",
    "git diff HEAD~1",
    "git diff --cached",
    "git blame f",
    "git ls-files -m",
    "git rev-parse HEAD",
    "git show-ref",
    "git log --oneline",
    "git log --graph",
    "git status -v",
    "git ls-tree HEAD",
    "git diff --stat",
    "git log -g --stat",
    "git status -sb",
    "git log --cc -p",
    "git show --format=%B HEAD~1",
    "git branch -vv",
    "git tag -n",
    "git remote -v",
    "git stash list",
    "git stash show -p",
    "git config --list",
    "git describe --dirty --always",
    "git shortlog HEAD",
    "git reflog",
    "git for-each-ref",
    "git cat-file -p HEAD",
    "git grep 1",
    "git name-rev HEAD",
    "git worktree list",
    "git notes show",
    "git fsck",
    "git format-patch --stdout -1",
    "git range-diff HEAD~2..HEAD~1 HEAD~1..HEAD",
    "git symbolic-ref HEAD",
    "git show-branch",
    "git check-ignore f",
    "git check-attr -a f",
    "git diff-index -p HEAD",
    "git diff-files -p",
    "git rev-list --all",
    "git merge-base HEAD HEAD~1",
    "git cherry HEAD~1",
    "git annotate f",
    "git var -l",
    "git version",
    "git archive --list",
    "git bisect log",
    "git bisect terms",
    "git sparse-checkout list",
};

/* The drawn key gets the program, or the directory of hooks, as its value. */
static void plant_key(const char *key, struct chance *chance)
{
    static const char *const values[] = {"\"$P\"", "\"$P\"", "\"!$P\"", "true", "hk", "diff", "remerge", "log"};
    char script[1024];
    (void)snprintf(script, sizeof script, "cp ../config ../index .git; git config --add '%s' %s; touch f g", key,
                   strcasestr(key, "hook") != NULL ? "hk" : values[chance_below(chance, COUNT(values))]);
    (void)run(world.work, script, NULL);
    (void)program_ran();
}

TEST(no_key_runs_a_program_where_the_hook_approves)
{
    uint64_t seed = test_number_from("XYLEM_SEED", (uint64_t)time(NULL));
    uint64_t rounds =
        test_number_from("XYLEM_ROUNDS", getenv("XYLEM_TORTURE") ? ROUNDS_AT_LENGTH : test_rounds(ROUNDS_DEFAULT));
    struct chance chance = chance_of(seed);
    uint64_t approved = 0;
    (void)state;
    if (!world.has_git) {
        return;
    }
    read_keys();
    make_plant(&(struct plant){KEYS_REPOSITORY, ""});
    for (size_t i = 0; i < COUNT(reading); i++) {
        struct xylem_buffer why = {0};
        if (!is_approved(reading[i], &why)) {
            fail_msg("not approved: %s: %s", reading[i], why.data);
        }
        xylem_buffer_release(&why);
    }
    for (uint64_t i = 0; i < rounds; i++) {
        struct xylem_buffer why = {0};
        const char *key = world.keys[chance_below(&chance, (int)world.key_count)];
        const char *command = reading[chance_below(&chance, COUNT(reading))];
        plant_key(key, &chance);
        bool approves = is_approved(command, &why);
        xylem_buffer_release(&why);
        if (!approves) {
            continue;
        }
        approved++;
        (void)run(world.work, command, NULL);
        if (program_ran()) {
            print_error("again: XYLEM_SEED=%" PRIu64 " build/tests/judge/hook/test_hook_oracle\n", seed);
            fail_msg("a program ran: %s, with %s", command, key);
        }
    }
    print_message("figures: %" PRIu64 " keys of %zu, %" PRIu64 " approved: no program ran\n", rounds, world.key_count,
                  approved);
    assert_true(approved > 0);
}

/* --- The format of a configuration --- */

/* As `git config --list -z` prints a setting. */
static bool print_setting(void *context, const struct xylem_hook__git_setting *setting)
{
    struct xylem_buffer *text = context;
    bool sub = setting->has_subsection;
    return xylem_buffer_add(text, setting->section.data, setting->section.bytes) == 0 &&
           xylem_buffer_add(text, ".", sub) == 0 &&
           xylem_buffer_add(text, setting->subsection.data, setting->subsection.bytes) == 0 &&
           xylem_buffer_add(text, ".", 1) == 0 && xylem_buffer_add(text, setting->key.data, setting->key.bytes) == 0 &&
           xylem_buffer_add(text, "\n", setting->has_value) == 0 &&
           xylem_buffer_add(text, setting->value.data, setting->value.bytes) == 0 && xylem_buffer_add(text, "", 1) == 0;
}

static size_t draw_config(struct chance *chance, char *text)
{
    static const char *const pieces[] = {
        "[a]\n", "[A \"B\"]\n", "[a.B]", "[core]\r\n", "[a \"\"]", "x",   "Key = ", "k-1=",        "=",
        " ",     "\t",          "\n",    "\n",         "\r\n",     "\r",  "\"",     "\"v 1\"",     "\\",
        "\\n",   "\\\"",        "\\\\",  "\\\n",       "\\\r\n",   "#",   ";",      "value",       "a = b\n",
        "\v",    "\f",          "[",     "]",          ".",        "\\t", "\\x",    "k = v ; c\n",
    };
    size_t bytes = 0;
    text[0] = '\0';
    if (chance_one_in(chance, 8)) {
        bytes = (size_t)snprintf(text, 8, "\xef\xbb\xbf");
    }
    bytes += (size_t)snprintf(text + bytes, 16, "%s", chance_one_in(chance, 10) ? "" : "[s]k=v\n");
    for (int i = chance_below(chance, 14); i > 0; i--) {
        bytes += (size_t)snprintf(text + bytes, 16, "%s", pieces[chance_below(chance, COUNT(pieces))]);
    }
    return bytes;
}

/* Before version 2.45 git makes a blank of a tab in a value. */
static void blank_tabs(char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        text[i] = text[i] == '\t' || text[i] == '\r' ? ' ' : text[i];
    }
}

/* Both may refuse a text; but a text that both read must say the same to both. */
TEST(a_configuration_says_the_same_to_git)
{
    uint64_t seed = test_number_from("XYLEM_SEED", (uint64_t)time(NULL));
    uint64_t rounds =
        test_number_from("XYLEM_ROUNDS", getenv("XYLEM_TORTURE") ? ROUNDS_AT_LENGTH : test_rounds(CONFIGS_DEFAULT));
    struct chance chance = chance_of(seed);
    uint64_t read_by_both = 0;
    char path[300];
    char said_path[300];
    (void)state;
    (void)snprintf(path, sizeof path, "%s/text", world.directory);
    (void)snprintf(said_path, sizeof said_path, "%s/said", world.directory);
    for (uint64_t i = 0; world.has_git && i < rounds; i++) {
        struct xylem_buffer ours = {0};
        char text[512];
        char said[8192];
        size_t bytes = draw_config(&chance, text);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        assert_int_equal(fwrite(text, 1, bytes, file), bytes);
        assert_int_equal(fclose(file), 0);
        bool git_reads = run(world.directory, "git config -z --list --file text", said_path) == 0;
        int code = xylem_hook__git_config((struct xylem_view){text, bytes}, print_setting, &ours);
        file = fopen(said_path, "r");
        assert_non_null(file);
        size_t said_bytes = fread(said, 1, sizeof said, file);
        assert_int_equal(fclose(file), 0);
        blank_tabs(said, said_bytes);
        blank_tabs(ours.data, ours.bytes);
        bool same = said_bytes == ours.bytes && (said_bytes == 0 || memcmp(said, ours.data, said_bytes) == 0);
        if (git_reads && code == 0) {
            read_by_both++;
            if (!same) {
                print_error("again: XYLEM_SEED=%" PRIu64 " build/tests/judge/hook/test_hook_oracle\n", seed);
                fail_msg("read in two ways: %s", text);
            }
        }
        xylem_buffer_release(&ours);
    }
    print_message("figures: %" PRIu64 " configurations, %" PRIu64 " read by git and by us\n", rounds, read_by_both);
    assert_true(!world.has_git || read_by_both > 0);
}

/* --- The index --- */

static const char INDEX_REPOSITORY[] =
    "benign .; for s in a d/bc d/bcd lib/long-name-of-a-submodule z; do git init -q -b main $s; (cd $s; echo 1 >x;"
    " git add x; git commit -qm 1); git add $s; done; mkdir -p d/e; echo 1 >d/e/f; git add d; echo 1 >n; git add -N n";

/* Appends the path with a NUL at the end. */
static bool add_submodule(void *context, const char *path)
{
    return xylem_buffer_add(context, path, strlen(path) + 1) == 0;
}

/* Is the path among those, each of which ends in a NUL? */
static bool has_path(const struct xylem_buffer *paths, const char *path)
{
    for (size_t at = 0; at < paths->bytes; at += strlen(paths->data + at) + 1) {
        if (strcmp(paths->data + at, path) == 0) {
            return true;
        }
    }
    return false;
}

/* A few bytes become others, most of them near the begin of entries, where lengths and modes stand. */
static void damage(struct chance *chance, unsigned char *bytes, size_t count)
{
    for (int i = chance_below(chance, 4); i >= 0; i--) {
        size_t at = (size_t)chance_below(chance, (int)count);
        static const unsigned char values[] = {0, 1, 2, 3, 7, 8, 0x0f, 0x40, 0x60, 0x80, 0xe0, 0xff};
        bytes[at] = chance_one_in(chance, 2) ? values[chance_below(chance, COUNT(values))]
                                             : (unsigned char)chance_below(chance, 256);
    }
}

/* Where git and the hook both read an index, the hook has every submodule that git has. */
TEST(an_index_has_no_submodule_for_git_alone)
{
    uint64_t seed = test_number_from("XYLEM_SEED", (uint64_t)time(NULL));
    uint64_t rounds =
        test_number_from("XYLEM_ROUNDS", getenv("XYLEM_TORTURE") ? ROUNDS_AT_LENGTH : test_rounds(CONFIGS_DEFAULT));
    struct chance chance = chance_of(seed);
    uint64_t read_by_both = 0;
    char path[400];
    char said_path[400];
    (void)state;
    if (!world.has_git) {
        return;
    }
    make_plant(&(struct plant){INDEX_REPOSITORY, ""});
    (void)snprintf(path, sizeof path, "%s/damaged", world.directory);
    (void)snprintf(said_path, sizeof said_path, "%s/said", world.directory);
    for (uint64_t i = 0; i < rounds; i++) {
        unsigned char bytes[8192];
        char said[8192] = "";
        char *line = said;
        struct xylem_buffer ours = {0};
        const char *why = NULL;
        if (i % 50 == 0) {
            char script[128];
            (void)snprintf(script, sizeof script, "git update-index --index-version %d; cp .git/index ../whole",
                           i / 50 % 2 == 0 ? 2 : 4);
            (void)run(world.work, script, NULL);
        }
        (void)snprintf(path, sizeof path, "%s/whole", world.directory);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        size_t count = fread(bytes, 1, sizeof bytes, file);
        assert_int_equal(fclose(file), 0);
        assert_true(count > 100 && count < sizeof bytes);
        if (i % 50 != 0) {
            damage(&chance, bytes, count - 20);
        }
        (void)snprintf(path, sizeof path, "%s/damaged", world.directory);
        file = fopen(path, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(bytes, 1, count, file), count);
        assert_int_equal(fclose(file), 0);
        bool git_reads = run(world.work, "GIT_INDEX_FILE=../damaged git ls-files -z -s", said_path) == 0;
        int code = xylem_hook__git_index(path, 20, add_submodule, &ours, &why);
        file = fopen(said_path, "rb");
        assert_non_null(file);
        size_t said_bytes = fread(said, 1, sizeof said - 1, file);
        assert_int_equal(fclose(file), 0);
        bool both = git_reads && code == 0;
        read_by_both += both;
        assert_true(i % 50 != 0 || (both && ours.bytes > 0));
        for (; both && line < said + said_bytes; line += strlen(line) + 1) {
            const char *name = strchr(line, '\t');
            if (strncmp(line, "160000 ", 7) == 0 && (!name || !has_path(&ours, name + 1))) {
                print_error("again: XYLEM_SEED=%" PRIu64 " build/tests/judge/hook/test_hook_oracle\n", seed);
                fail_msg("a submodule for git alone: %s, in round %" PRIu64, line, i);
            }
        }
        xylem_buffer_release(&ours);
    }
    print_message("figures: %" PRIu64 " indexes, %" PRIu64 " read by git and by us\n", rounds, read_by_both);
}

/* --- The list of plain subcommands --- */

/* Builtins that git deprecates: git 2.52 and later run an alias of that name before the builtin. */
static const char DEPRECATED[] = "pack-redundant whatchanged";

/* The output of a command, with a blank before and behind each line. */
static void read_lines(const char *command, char *lines, size_t bytes)
{
    char path[300];
    (void)snprintf(path, sizeof path, "%s/lines", world.directory);
    assert_int_equal(run(world.directory, command, path), 0);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    lines[0] = ' ';
    size_t read = fread(lines + 1, 1, bytes - 2, file);
    lines[read + 1] = '\0';
    assert_int_equal(fclose(file), 0);
    for (char *at = lines; *at != '\0'; at++) {
        *at = (char)(*at == '\n' ? ' ' : *at);
    }
}

/* Is the word one of the words between blanks? */
static bool lists(const char *words, const char *word, size_t bytes)
{
    for (const char *at = words; (at = strstr(at, word)); at++) {
        bool begins = at == words || at[-1] == ' ';
        if (begins && (at[bytes] == ' ' || at[bytes] == '\0')) {
            return true;
        }
    }
    return false;
}

TEST(each_plain_subcommand_is_a_command_of_git_that_no_alias_replaces)
{
    char commands[16384];
    char deprecated[4096] = "";
    (void)state;
    assert_true(lists(DEPRECATED, "whatchanged", 11) && !lists("whatchanged2", "whatchanged", 11)); /* of the control */
    if (world.has_git) {
        read_lines("git --list-cmds=main", commands, sizeof commands);
        read_lines("git --list-cmds=deprecated || :", deprecated, sizeof deprecated); /* since git 2.52 */
    }
    for (const char *at = xylem_policy__git_plain_subcommands; *at != '\0'; at += strspn(at, " ")) {
        char name[64];
        size_t bytes = strcspn(at, " ");
        (void)snprintf(name, sizeof name, "%.*s", (int)bytes, at);
        if (lists(DEPRECATED, name, bytes) || lists(deprecated, name, bytes)) {
            fail_msg("git %s is deprecated: an alias may replace the command", name);
        }
        if (world.has_git && !lists(commands, name, bytes)) {
            fail_msg("git %s is no command of git: an alias may have the name", name);
        }
        at += bytes;
    }
}

/* --- Around them --- */

/*
 * Writes a git that runs the alias of a deprecated builtin, as git 2.52 and later do. A git that does so itself is asked
 * as it is.
 */
static bool make_stand_in(void)
{
    char path[400];
    char real[300] = "";
    char directory[300];
    (void)snprintf(path, sizeof path, "%s/real", world.directory);
    FILE *file = run(world.directory, "command -v git", path) == 0 ? fopen(path, "r") : NULL;
    bool found = file && fgets(real, sizeof real, file);
    if (file && fclose(file) != 0) {
        return false;
    }
    if (!found || run(world.directory, "git --list-cmds=deprecated", NULL) == 0) {
        return true;
    }
    real[strcspn(real, "\n")] = '\0';
    (void)snprintf(directory, sizeof directory, "%.280s/stand-in", world.directory);
    (void)snprintf(path, sizeof path, "%s/git", directory);
    file = mkdir(directory, 0700) == 0 ? fopen(path, "w") : NULL;
    if (!file ||
        fprintf(file,
                "#!/bin/sh\noptions=; value=\nfor word; do\n"
                "  case $value$word in\n  -C | -c | --git-dir | --work-tree) value=1; options=\"$options $word\" ;;\n"
                "  1*) value=; options=\"$options $word\" ;;\n  -*) options=\"$options $word\" ;;\n"
                "  *) break ;;\n  esac\ndone\n"
                "case ' %s ' in *\" $word \"*)\n"
                "  if alias=$('%s' $options config --get \"alias.$word\"); then\n"
                "    case $alias in !*) exec sh -c \"${alias#!}\" ;; *) exec '%s' $options $alias ;; esac\n  fi ;;\n"
                "esac\nexec '%s' \"$@\"\n",
                DEPRECATED, real, real, real) < 0 ||
        fclose(file) != 0 || chmod(path, 0700) != 0) {
        return false;
    }
    memcpy(world.stand_in, directory, sizeof directory);
    return true;
}

static int set_up(void **state)
{
    char path[300];
    char resolved[256];
    (void)state;
    test_directory_make(world.directory, sizeof world.directory, "hook");
    if (strlen(world.directory) >= sizeof resolved) {
        return -1;
    }
    (void)snprintf(world.work, sizeof world.work, "%s/w", world.directory);
    (void)snprintf(world.marker, sizeof world.marker, "%s/ran", world.directory);
    (void)snprintf(world.home_config, sizeof world.home_config, "%s/.gitconfig", world.directory);
    (void)snprintf(path, sizeof path, "%s/program", world.directory);
    FILE *file = fopen(path, "w");
    if (!file || fprintf(file, "#!/bin/sh\necho ran >>%s\nexit 1\n", world.marker) < 0 || fclose(file) != 0 ||
        chmod(path, 0700) != 0) {
        return -1;
    }
    if (!make_stand_in()) {
        return -1;
    }
    world.has_git = run(world.directory, "git --version", NULL) == 0;
    if (!world.has_git) {
        print_message("figures: git does not start here, nothing was run\n");
    }
    return 0;
}

static int tear_down(void **state)
{
    char script[400];
    (void)state;
    for (size_t i = 0; i < world.key_count; i++) {
        free(world.keys[i]);
    }
    (void)snprintf(script, sizeof script, "rm -rf %s", world.directory);
    return run("/", script, NULL);
}

TEST_FILE(set_up, tear_down)
