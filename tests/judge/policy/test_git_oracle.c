/*
 * git itself says whether the tables were right: generated commands that pass are run in a repository, and nothing in
 * it changes, and no program runs that its configuration names. A seed decides everything about a command; XYLEM_SEED=n
 * runs that one alone, XYLEM_ROUNDS=n runs so many.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "judge/policy/git/tables.h"
#include "judge/policy/words/words.h"
#include "tests/lib/chance.h"
#include "tests/lib/git_judge.h"
#include "tests/lib/test.h"

#define ROUNDS_DEFAULT 1000
#define ROUNDS_AT_LENGTH 60000
#define WORDS_MAX 24
#define NAMES_MAX 2048
#define COUNT(array) (sizeof array / sizeof *(array))

static struct {
    char directory[256];
    char repository[300];
    char marker[300];
    char home[300];
    bool has_git;
    char *names[NAMES_MAX]; /* options of the tables */
    size_t name_count;
} world;

/*
 * What was found in the repository. Objects are apart, since merge-tree may leave some to which nothing refers, and the
 * index is, since git may refresh what it remembers there of the times of files.
 */
static struct {
    uint64_t all;
    uint64_t objects;
    uint64_t index;
    uint64_t staged; /* what the index says besides */
} seen;

/* --- The repository --- */

static uint64_t mixed(uint64_t sum, const void *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        sum = (sum ^ ((const unsigned char *)data)[i]) * UINT64_C(1099511628211);
    }
    return sum;
}

/* Order does not count: sums of what is known of each file. */
static int look(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)place;
    uint64_t sum = mixed(UINT64_C(14695981039346656037), path, strlen(path));
    if (type != FTW_D) {
        sum = mixed(sum, &status->st_size, sizeof status->st_size);
        sum = mixed(sum, &status->st_mtim.tv_sec, sizeof status->st_mtim.tv_sec);
        sum = mixed(sum, &status->st_mtim.tv_nsec, sizeof status->st_mtim.tv_nsec);
        sum = mixed(sum, &status->st_ino, sizeof status->st_ino);
        sum = mixed(sum, &status->st_mode, sizeof status->st_mode);
    }
    bool object = strstr(path, "/.git/objects/") != NULL;
    bool index = strstr(path, "/.git/index") != NULL;
    *(object ? &seen.objects : index ? &seen.index : &seen.all) += sum;
    return 0;
}

/* Runs it in `directory`; true if it could be started. */
static bool run(const char *directory, char *const *words)
{
    char home[400];
    char path[4096];
    char *environment[] = {home,
                           path,
                           "GIT_CONFIG_NOSYSTEM=1",
                           "GIT_TERMINAL_PROMPT=0",
                           "GIT_OPTIONAL_LOCKS=0",
                           "GIT_ALLOW_PROTOCOL=none",
                           "TERM=dumb",
                           NULL};
    posix_spawn_file_actions_t actions;
    pid_t child = 0;
    int status = 0;
    (void)snprintf(home, sizeof home, "HOME=%s", world.home);
    (void)snprintf(path, sizeof path, "PATH=%s", !getenv("PATH") ? "/usr/bin:/bin" : getenv("PATH"));
    assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
    assert_int_equal(posix_spawn_file_actions_addchdir_np(&actions, directory), 0);
    for (int fd = 0; fd < 3; fd++) {
        assert_int_equal(posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", fd == 0 ? 0 : 1, 0), 0);
    }
    int failed = posix_spawnp(&child, words[0], &actions, NULL, words, environment);
    posix_spawn_file_actions_destroy(&actions);
    while (failed == 0 && waitpid(child, &status, 0) == -1 && errno == EINTR) {
    }
    return failed == 0 && !(WIFEXITED(status) && WEXITSTATUS(status) == 127);
}

/* The sum of a file's bytes. */
static uint64_t sum_of_file(const char *path)
{
    char bytes[4096];
    uint64_t sum = 1;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    for (size_t count = fread(bytes, 1, sizeof bytes, file); count > 0; count = fread(bytes, 1, sizeof bytes, file)) {
        sum = mixed(sum, bytes, count);
    }
    assert_int_equal(fclose(file), 0);
    return sum;
}

static void look_around(void)
{
    char *list[] = {"sh", "-c", "git ls-files --stage >../staged", NULL};
    char path[400];
    uint64_t index = seen.index;
    seen.all = 0;
    seen.objects = 0;
    seen.index = 0;
    assert_int_equal(nftw(world.repository, look, 16, FTW_PHYS), 0);
    if (seen.index != index) {
        assert_true(run(world.repository, list));
        (void)snprintf(path, sizeof path, "%s/staged", world.directory);
        seen.staged = sum_of_file(path);
    }
}

static const char MAKE_REPOSITORY[] =
    "set -e; rm -rf r; mkdir r; cd r; git init -q --template= -b main .; git config user.name n; git config user.email "
    "e;"
    "git config commit.gpgSign false; printf 'a\\nb\\nc\\n' >f; echo x >d; git add .; git commit -q -m one; git branch "
    "topic; git tag v1; git tag -a -m m v2;"
    "echo d >>f; git commit -q -a -m two; git checkout -q topic; echo z >g; git add g; git commit -q -m three;"
    "git checkout -q main; echo e >>f; git stash -q; echo work >>f; git notes add -m note; git remote add origin "
    "../none;"
    "git config a.b c; git diff >p;"
    "{ git cat-file commit HEAD | sed '/^$/,$d';"
    "  printf 'gpgsig -----BEGIN PGP SIGNATURE-----\\n \\n abc\\n -----END PGP SIGNATURE-----\\n\\nsigned\\n'; } >../c;"
    "git update-ref refs/heads/main $(git hash-object -t commit -w ../c); rm ../c;"
    "for key in core.pager core.editor core.sshCommand core.askPass gpg.program sequence.editor interactive.diffFilter;"
    "do git config $key \"$1\"; done; echo made >made";

static void make_repository(void)
{
    char program[400];
    (void)snprintf(program, sizeof program, "%s/program", world.directory);
    char *words[] = {"sh", "-c", (char *)MAKE_REPOSITORY, "sh", program, NULL};
    char head[400];
    (void)snprintf(head, sizeof head, "%s/made", world.repository);
    assert_true(run(world.directory, words));
    look_around();
    assert_int_equal(access(head, F_OK), 0);
    assert_true(seen.all != 0 && seen.objects != 0);
}

static void make_program(void)
{
    char path[400];
    (void)snprintf(path, sizeof path, "%s/program", world.directory);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fprintf(file, "#!/bin/sh\necho ran >>%s\n", world.marker) > 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0700), 0);
}

/* --- A command --- */

struct command {
    char *words[WORDS_MAX + 2];
    size_t count;
    char text[2048];
};

static void add_word(struct command *command, const char *word)
{
    if (command->count < WORDS_MAX) {
        command->words[command->count++] = (char *)word;
    }
}

/* As the shell reads it. */
static void spell(struct command *command)
{
    size_t at = 0;
    for (size_t i = 0; i < command->count; i++) {
        int wrote =
            snprintf(command->text + at, sizeof command->text - at, "%s'%s'", i == 0 ? "" : " ", command->words[i]);
        assert_true(wrote > 0 && at + (size_t)wrote < sizeof command->text);
        at += (size_t)wrote;
    }
}

static bool passes(enum xylem_policy__git_tier tier, const struct command *command)
{
    struct xylem_verdict verdict = git_judge(tier, command->text);
    bool allowed = verdict.decision == XYLEM_ALLOW;
    xylem_verdict_release(&verdict);
    return allowed;
}

static bool program_ran(void)
{
    return unlink(world.marker) == 0;
}

/* Did it change something, or run what the configuration names? The repository is made anew if it did. */
static bool does_something(const struct command *command)
{
    uint64_t all = seen.all;
    uint64_t objects = seen.objects;
    uint64_t staged = seen.staged;
    bool may_leave_objects = strcmp(command->words[1], "merge-tree") == 0;
    assert_true(run(world.repository, command->words));
    look_around();
    bool ran = program_ran();
    bool changed = seen.all != all || seen.staged != staged || (seen.objects != objects && !may_leave_objects);
    if (changed) {
        make_repository();
    }
    return ran || changed;
}

/* --- Tests --- */

TEST(git_shows_what_it_does)
{
    static const char *const commands[] = {
        "git branch -vv N",
        "git branch --sort=refname N",
        "git branch --column N",
        "git tag -i N",
        "git remote -v add o u",
        "git config user.name V --list",
        "git config --type=bool x.y true",
        "git log --author --decorate-refs foo --grep --output=hole",
        "git log --output=F",
        "git diff --output F",
        "git blame --output=F f",
        "git shortlog --output=F HEAD",
        "git rev-list --output=F HEAD",
        "git range-diff --output=F HEAD~1..HEAD HEAD~1..topic",
        "git reflog --output=F",
        "git stash show --output=F",
        "git stash list -p --output=F",
        "git format-patch -1",
        "git log --show-signature",
        "git log --format=%G?",
        "git log --pretty=%+GK",
        "git reflog expire --expire=all --all",
        "git symbolic-ref HEAD refs/heads/topic",
        "git notes add -f -m x",
        "git grep -O a",
        "git apply -R p",
        "git stash -q list",
        "git bisect start",
        "git worktree add ../w",
        "git tag -a N",
        "git branch --edit-description",
        "git config -e",
        "git -C . config x.y z",
        "git pack-refs --all",
    };
    for (size_t i = 0; world.has_git && i < COUNT(commands); i++) {
        struct command command = {.count = 0};
        char copy[256];
        (void)snprintf(copy, sizeof copy, "%s", commands[i]);
        char *rest = NULL;
        for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
            add_word(&command, word);
        }
        spell(&command);
        if (passes(XYLEM_POLICY__GIT_READONLY, &command)) {
            fail_msg("passes: %s", commands[i]);
        }
        bool terminal = strstr(commands[i], "grep -O") != NULL || strstr(commands[i], "stash -q list");
        if (!does_something(&command) && !terminal) { /* one wants a terminal, the other no such pathspec */
            fail_msg("does nothing: %s", commands[i]);
        }
    }
}

static const char *const values[] = {"HEAD", "3", "x", "--output=Z", "-d", "--apply", "format:%h", "main", "user.name"};
static const char *const hatches[] = {
    "--output=Z",
    "--output",
    "--outp=Z",
    "-O",
    "-OZ",
    "-o",
    "--ext-d",
    "--textconv",
    "--show-sig",
    "--lost-found",
    "--edit",
    "--apply",
    "--no-list",
    "-d",
    "-D",
    "-m",
    "--stdout",
    "--no-stdout",
    "--format=%G?",
    "--pretty=%+GK %s",
    "--format=%h",
    "--unset",
    "--add",
    "--expire=now",
    "--remerge-diff",
    "--diff-merges=r",
    "-vv",
    "-U3",
    "-M90%",
    "-n5",
    "-n",
    "--filters",
    "--open=Z",
    "--sort=x",
    "--column",
    "--delete",
    "--exec=Z",
    "--quit",
    "--index",
    "--check",
    "--stat",
    "--reject",
};
static const char *const operands[] = {
    "HEAD", "main", "topic", "v1",   "Z",      "f",   "HEAD~1", "topic..main", "a.b",       "user.name",    "x",
    "--",   "list", "show",  "add",  "expire", "p",   "get",    "set",         "stash@{0}", "refs/heads/q", "HEAD:f",
    "edit", "drop", "log",   "main", "origin", "tag", "update", "delete",      "status",    "commit",       "d",
};

/* One of the words of a list. */
static const char *draw_word(struct chance *chance, const char *list, char *room, size_t room_bytes)
{
    size_t count = 0;
    for (const char *at = list; *at != '\0'; at += strspn(at, " ")) {
        at += strcspn(at, " ");
        count++;
    }
    const char *at = list;
    for (int skip = count == 0 ? 0 : chance_below(chance, (int)count); skip > 0; skip--) {
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    size_t bytes = strcspn(at, " ");
    bytes -= bytes > 2 && strchr(":?", at[bytes - 1]);
    (void)snprintf(room, room_bytes, "%.*s", (int)bytes, at);
    return room;
}

struct drawn {
    struct command command;
    char rooms[WORDS_MAX][64];
};

static void draw_argument(struct chance *chance, struct drawn *drawn, const struct xylem_policy__git_form *form)
{
    char *room = drawn->rooms[drawn->command.count % WORDS_MAX];
    int kind = chance_below(chance, 10);
    if (kind < 4 && form->options[0] != '\0' && form->options[0] != '*') {
        add_word(&drawn->command, draw_word(chance, form->options, room, sizeof drawn->rooms[0]));
    } else if (kind < 5) {
        add_word(&drawn->command, world.names[chance_below(chance, (int)world.name_count)]);
    } else if (kind < 6) {
        add_word(&drawn->command, hatches[chance_below(chance, COUNT(hatches))]);
    } else if (kind < 7) {
        add_word(&drawn->command, values[chance_below(chance, COUNT(values))]);
    } else {
        add_word(&drawn->command, operands[chance_below(chance, COUNT(operands))]);
    }
}

static void draw_command(struct drawn *drawn, uint64_t seed, const struct xylem_policy__git_form *forms, size_t count)
{
    struct chance chance = chance_of(seed);
    const struct xylem_policy__git_form *form = &forms[chance_below(&chance, (int)count)];
    static char subcommand[64];
    static char verb[64];
    memset(drawn, 0, sizeof *drawn);
    add_word(&drawn->command, "git");
    add_word(&drawn->command, draw_word(&chance, form->subcommand, subcommand, sizeof subcommand));
    if (form->verb && form->verb[0] != '\0' && !chance_one_in(&chance, 8)) {
        add_word(&drawn->command, draw_word(&chance, form->verb, verb, sizeof verb));
    }
    for (int left = chance_below(&chance, 6); left > 0; left--) {
        draw_argument(&chance, drawn, form);
    }
    spell(&drawn->command);
}

static uint64_t first_seed(void)
{
    return test_number_from("XYLEM_SEED", (uint64_t)time(NULL) * 1000000u);
}

static uint64_t rounds(void)
{
    if (getenv("XYLEM_SEED")) {
        return 1;
    }
    return test_number_from("XYLEM_ROUNDS", getenv("XYLEM_TORTURE") ? ROUNDS_AT_LENGTH : test_rounds(ROUNDS_DEFAULT));
}

TEST(what_passes_changes_nothing_and_runs_nothing)
{
    uint64_t ran = 0;
    uint64_t seed = first_seed();
    uint64_t drawn_count = world.has_git ? rounds() : 0;
    for (uint64_t i = 0; i < drawn_count; i++) {
        struct drawn drawn;
        draw_command(&drawn, seed + i, xylem_policy__git_reading, xylem_policy__git_reading_count);
        if (!passes(XYLEM_POLICY__GIT_READONLY, &drawn.command)) {
            continue;
        }
        ran++;
        if (does_something(&drawn.command)) {
            print_error("again: XYLEM_SEED=%" PRIu64 " build/tests/judge/policy/test_git_oracle\n", seed + i);
            fail_msg("it passes, and does something: %s", drawn.command.text);
        }
    }
    print_message("figures: %" PRIu64 " commands of git, %" PRIu64 " passed and were run: none did anything\n",
                  drawn_count, ran);
}

TEST(local_writes_run_no_program)
{
    uint64_t ran = 0;
    uint64_t seed = first_seed();
    uint64_t drawn_count = world.has_git ? rounds() / 10 + 1 : 0;
    for (uint64_t i = 0; i < drawn_count; i++) {
        struct drawn drawn;
        draw_command(&drawn, seed + i, xylem_policy__git_local, xylem_policy__git_local_count);
        if (!passes(XYLEM_POLICY__GIT_LOCAL_WRITES, &drawn.command)) {
            continue;
        }
        ran++;
        uint64_t all = seen.all;
        assert_true(run(world.repository, drawn.command.words));
        if (program_ran()) {
            print_error("again: XYLEM_SEED=%" PRIu64 " build/tests/judge/policy/test_git_oracle\n", seed + i);
            fail_msg("it passes, and runs a program: %s", drawn.command.text);
        }
        look_around();
        if (seen.all != all) { /* what is staged may stay so */
            make_repository();
        }
    }
    print_message("figures: %" PRIu64 " local writes were run: none ran a program\n", ran);
}

/* --- Around them --- */

static void collect_names(const struct xylem_policy__git_form *forms, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (const char *at = forms[i].options; *at != '\0'; at += strspn(at, " ")) {
            size_t bytes = strcspn(at, " ");
            size_t kept = bytes - (bytes > 2 && strchr(":?", at[bytes - 1]));
            char *name = strndup(at, kept);
            assert_non_null(name);
            size_t known = 0;
            while (known < world.name_count && strcmp(world.names[known], name) != 0) {
                known++;
            }
            if (known < world.name_count || world.name_count == NAMES_MAX) {
                free(name);
            } else {
                world.names[world.name_count++] = name;
            }
            at += bytes;
        }
    }
}

static int set_up(void **state)
{
    (void)state;
    test_directory_make(world.directory, sizeof world.directory, "git");
    (void)snprintf(world.repository, sizeof world.repository, "%s/r", world.directory);
    (void)snprintf(world.marker, sizeof world.marker, "%s/ran", world.directory);
    (void)snprintf(world.home, sizeof world.home, "%s", world.directory);
    char *version[] = {"git", "--version", NULL};
    world.has_git = run(world.directory, version);
    if (!world.has_git) {
        print_message("figures: git does not start here, nothing was run\n");
        return 0;
    }
    collect_names(xylem_policy__git_reading, xylem_policy__git_reading_count);
    collect_names(xylem_policy__git_local, xylem_policy__git_local_count);
    make_program();
    make_repository();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    char *words[] = {"rm", "-rf", world.directory, NULL};
    for (size_t i = 0; i < world.name_count; i++) {
        free(world.names[i]);
    }
    return run("/", words) ? 0 : -1;
}

TEST_FILE(set_up, tear_down)
