/* What a repository's own configuration may make git run: found, or not there, or not known for certain. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "judge/hook/git_config.h"
#include "judge/hook/repository.h"
#include "tests/lib/test.h"

static char root[128];

static int set_up(void **state)
{
    (void)state;
    test_directory_make(root, sizeof root, "repository");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    test_directory_remove(root);
    return 0;
}

static const char *place(const char *name)
{
    static char paths[4][512];
    static size_t turn;
    turn = (turn + 1) % 4;
    snprintf(paths[turn], sizeof paths[turn], "%s/%s", root, name);
    return paths[turn];
}

static void make_directory(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s", place(name));
    for (char *slash = strchr(path + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0755);
        *slash = '/';
    }
    mkdir(path, 0755);
    assert_int_equal(access(path, F_OK), 0);
}

static void write_bytes(const char *name, const void *data, size_t bytes)
{
    FILE *file = fopen(place(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

static void write_text(const char *name, const char *text)
{
    write_bytes(name, text, strlen(text));
}

/* Removes a file, or a directory with all that is in it. */
static void remove_all(const char *name)
{
    test_directory_remove(place(name));
}

/* A directory that git takes for that of a repository. */
static void make_git_directory(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/objects", name);
    make_directory(path);
    snprintf(path, sizeof path, "%s/refs", name);
    make_directory(path);
    snprintf(path, sizeof path, "%s/HEAD", name);
    write_text(path, "ref: refs/heads/main\n");
}

/* Commands that do more than read, and commands that only read. */
static const struct xylem_hook__git_use others = {.plain = false};
static const struct xylem_hook__git_use writers = {.writes = true};
static const char *const no_configs[] = {NULL};
static const struct xylem_hook__git_use readers = {.plain = true, .user_configs = no_configs};

/* The answer for a directory below the root; `expected` is a part of the reason, NULL: nothing runs. */
static void assert_runs_for(const struct xylem_hook__git_use *use, const char *directory, const char *expected)
{
    struct xylem_buffer why = {0};
    int code = xylem_hook__repository_runs(&why, directory, use);
    const char *text = why.data ? why.data : "";
    if (code != (expected != NULL) || !strstr(text, expected ? expected : "")) {
        print_message("%s: %d, %s; expected: %s\n", directory, code, text, expected ? expected : "nothing");
    }
    assert_int_equal(code, expected != NULL);
    assert_true(!expected ? why.bytes == 0 : strstr(text, expected) != NULL);
    xylem_buffer_release(&why);
}

static void assert_runs(const char *directory, bool writes, const char *expected)
{
    assert_runs_for(writes ? &writers : &others, directory, expected);
}

static void assert_harmless(const char *name)
{
    assert_runs(place(name), false, NULL);
}

static void assert_asks(const char *name, const char *expected)
{
    assert_runs(place(name), false, expected);
}

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

IN_SCENE(where_no_repository_is_nothing_runs)
{
    make_directory("plain/below");
    assert_harmless("plain/below");
    assert_runs("/", false, NULL);
}

IN_SCENE(a_directory_that_is_not_known_asks)
{
    assert_runs("relative", false, "is not known");
    assert_runs("", false, "is not known");
    assert_asks("nowhere", "nowhere does not exist");
}

IN_SCENE(an_ordinary_configuration_is_harmless)
{
    make_git_directory("repo/.git");
    write_text("repo/.git/config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tfsmonitor = false\n"
                                   "[remote \"origin\"]\n\turl = git@example.org:x.git\n"
                                   "\tfetch = +refs/heads/*:refs/remotes/origin/*\n"
                                   "[branch \"main\"]\n\tremote = origin ; here\n\tmerge = refs/heads/main\n"
                                   "[diff]\n\talgorithm = histogram\n[pretty]\n\tshort = %h %s\n");
    make_directory("repo/src/deep");
    make_directory("repo/.git/hooks");
    write_text("repo/.git/hooks/post-index-change.sample", "#!/bin/sh\n");
    write_text("repo/.git/hooks/pre-commit", "#!/bin/sh\n");
    assert_harmless("repo");
    assert_harmless("repo/src/deep");
    assert_harmless("repo/.git/refs");
}

IN_SCENE(every_setting_that_runs_a_program_asks)
{
    static const char *const settings[] = {
        "[core]fsmonitor=./x",
        "[core]fsmonitor",
        "[core]fsmonitor=true",
        "[core]fsmonitor=FALSE",
        "[core]fsmonitor=\"false \"",
        "[core]fsmonitor=false \\\n",
        "[CORE]FsMonitor=x",
        "[core]pager=x",
        "[core]hooksPath=x",
        "[core]sshCommand=x",
        "[core]alternateRefsCommand=x",
        "[pretty]x=%\tG?",
        "[core]pager=less -F\t-R",
        "[core]hooksPath=a\tb",
        "[lfs \"extension.x\"]clean=y",
        "[lfs \"customtransfer.x\"]path=y",
        "[lfs]standaloneTransferAgent=x",
        "[annex]x-command=y",
        "[core]attributesFile=x",
        "[include]path=x",
        "[includeIf \"gitdir:/\"]path=x",
        "[includeSoon]x=x",
        "[pager]log=x",
        "[pager]anything=x",
        "[gpg]program=x",
        "[gpg \"ssh\"]program=x",
        "[log]showSignature=true",
        "[diff]external=x",
        "[diff \"x\"]command=x",
        "[diff \"x\"]textconv=x",
        "[diff.x]textconv=x",
        "[filter \"lfs\"]clean=x",
        "[filter \"lfs\"]process=x",
        "[alias]st=!x",
        "[merge \"x\"]driver=y",
        "[alias \"x\"]y=z",
        "[remote \"origin\"]promisor=true",
        "[remote \"origin\"]partialCloneFilter=blob:none",
        "[extensions]partialClone=origin",
        "[format]pretty=%G?",
        "[pretty]mine=format:%h %GS",
        "[core]bare=false\n[user]name=a\n[core]pager=x",
        "\xef\xbb\xbf[core]\r\n\tpager=x\r\n",
        "# [core]\n[core] ; x\n  pager = x",
        "[core]bare=a\\\nb\npager=x",
        "[a \"]\"]b=c\n[core]pager=x",
        "[extensions]objectFormat=sha3",
        "[core]worktree=/elsewhere",
    };
    (void)state;
    make_git_directory("repo/.git");
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        write_text("repo/.git/config", settings[i]);
        assert_asks("repo", "repo/.git/config");
    }
}

IN_SCENE(what_looks_like_such_a_setting_and_is_none_is_harmless)
{
    static const char *const settings[] = {
        "",
        "[core]bare=x\n# pager=x\n",
        "[core]bare=x ; pager=x",
        "[core]bare=\"\\n[alias]\\nx=!y\"",
        "[core]bare=x\\\npager=x",
        "[branch \"alias\"]merge=x",
        "[branch \"x\\\"]\\n[alias]\"]y=z",
        "[user]pager=x",
        "[core]pagers=x",
        "[diff]renames=x",
        "[log]date=iso",
        "[pretty]mine=%h",
        "[user]name=%G",
        "[core]fsmonitor = false # off",
        "[extensions]objectFormat=sha1",
        "[core]worktree=..",
    };
    (void)state;
    make_git_directory("repo/.git");
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        write_text("repo/.git/config", settings[i]);
        assert_harmless("repo");
    }
}

IN_SCENE(a_configuration_that_is_not_understood_asks)
{
    static const char *const settings[] = {"x=1",         "[core",       "[core]1=2",       "[core]x y",
                                           "[core]x=\"y", "[core]x=\\q", "[a \"b]x=1",      "[a \"b\" ]x=1",
                                           "[a b]x=1",    "[]x=1",       "[a \"b\nc\"]x=1", "[a_b]x=1",
                                           "[core]=1",    "[core]x #y",  "[ \"b\"]x=1",     "[a \"b\\",
                                           "[core]x=\\",  "]",           "[.core]x=1",      "[core]\vpager=1"};
    (void)state;
    make_git_directory("repo/.git");
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        write_text("repo/.git/config", settings[i]);
        assert_asks("repo", "repo/.git/config is not understood");
    }
    write_bytes("repo/.git/config", "[core]x=1\0", 10);
    assert_asks("repo", "is not understood");
}

IN_SCENE(a_configuration_that_cannot_be_read_asks)
{
    char *large = calloc(1, 1048577);
    (void)state;
    assert_non_null(large);
    make_git_directory("repo/.git");
    memset(large, '\n', 1048577);
    write_bytes("repo/.git/config", large, 1048576);
    assert_harmless("repo");
    write_bytes("repo/.git/config", large, 1048577);
    assert_asks("repo", "has more than 1048576 bytes");
    free(large);
    unlink(place("repo/.git/config"));
    assert_harmless("repo");
    make_directory("repo/.git/config");
    assert_asks("repo", "regular file");
    rmdir(place("repo/.git/config"));
    assert_int_equal(mkfifo(place("repo/.git/config"), 0600), 0);
    assert_asks("repo", "regular file");
    unlink(place("repo/.git/config"));
    assert_int_equal(symlink("config", place("repo/.git/config")), 0);
    assert_asks("repo", "too many symbolic links");
}

IN_SCENE(links_are_followed)
{
    make_git_directory("other.git");
    write_text("other.git/config", "[alias]x=!y");
    make_directory("repo/src");
    assert_int_equal(symlink(place("other.git"), place("repo/.git")), 0);
    assert_asks("repo/src", "sets alias.x");
    make_directory("plain");
    assert_int_equal(symlink(place("repo/src"), place("plain/link")), 0);
    assert_asks("plain/link", "sets alias.x");
    assert_harmless("plain");
    unlink(place("other.git/config"));
    write_text("elsewhere", "[alias]x=!y");
    assert_int_equal(symlink(place("elsewhere"), place("other.git/config")), 0);
    assert_asks("repo", "sets alias.x");
}

IN_SCENE(a_way_back_out_of_a_link_asks)
{
    make_directory("a/b/c");
    make_directory("other/place");
    assert_harmless("a/b/c/../../b");
    assert_harmless("a/./b//c/..");
    assert_runs("/../..", false, NULL);
    assert_int_equal(symlink(place("other/place"), place("a/link")), 0);
    assert_harmless("a/link");
    assert_asks("a/link/..", "symbolic link");
    assert_asks("a/b/../link/./..", "symbolic link");
    assert_asks("a/nowhere/..", "symbolic link");
}

IN_SCENE(the_configuration_of_a_work_tree_counts)
{
    make_git_directory("repo/.git");
    write_text("repo/.git/config.worktree", "[core]pager=x");
    assert_asks("repo", "config.worktree sets core.pager");
}

IN_SCENE(a_linked_work_tree_leads_to_the_common_directory)
{
    char gitdir[512];
    (void)state;
    make_git_directory("repo/.git");
    make_directory("repo/.git/worktrees/side");
    write_text("repo/.git/worktrees/side/HEAD", "0123456789012345678901234567890123456789\n");
    write_text("repo/.git/worktrees/side/commondir", "../..\n");
    make_directory("side/src");
    snprintf(gitdir, sizeof gitdir, "gitdir: %s\n", place("repo/.git/worktrees/side"));
    write_text("side/.git", gitdir);
    assert_harmless("side/src");
    write_text("repo/.git/config", "[diff]external=x");
    assert_asks("side/src", "sets diff.external");
    unlink(place("repo/.git/config"));
    write_text("repo/.git/worktrees/side/config.worktree", "[diff]external=x");
    assert_asks("side/src", "sets diff.external");
    unlink(place("repo/.git/worktrees/side/config.worktree"));
    make_directory("repo/.git/hooks");
    write_text("repo/.git/hooks/post-index-change", "");
    assert_asks("side/src", "is a hook");
    write_text("repo/.git/worktrees/side/commondir", "../nowhere\n");
    assert_asks("side/src", "does not lead to a repository");
    write_text("repo/.git/worktrees/side/commondir", "../..\nand more\n");
    assert_asks("side/src", "one path");
}

IN_SCENE(a_bare_repository_is_found)
{
    make_git_directory("bare.git");
    assert_harmless("bare.git/refs");
    write_text("bare.git/config", "[alias]x=y");
    assert_asks("bare.git", "sets alias.x");
    assert_asks("bare.git/refs", "sets alias.x");
}

IN_SCENE(a_git_file_that_leads_nowhere_asks)
{
    static const char *const texts[] = {"", "gitdir: ", "gitdir:x", "x", "gitdir: nowhere\n", "gitdir: a\nb\n"};
    (void)state;
    make_directory("repo");
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        write_text("repo/.git", texts[i]);
        assert_asks("repo", "repo/.git");
    }
    unlink(place("repo/.git"));
    assert_int_equal(symlink("nowhere", place("repo/.git")), 0);
    assert_asks("repo", "has no target");
}

static void assert_every_file_asks(const char *path)
{
    static const char *const files[] = {
        "repo/.git/config",  "repo/.git/config.worktree", "repo/.git/index",     "repo/.git/HEAD",
        "repo/.git/objects", "repo/.git/hooks",           "repo/.git/commondir", "repo/.git"};
    char text[128];
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        make_git_directory("repo/.git");
        if (access(place(files[i]), F_OK) == 0) {
            remove_all(files[i]);
        }
        make_directory("repo");
        assert_int_equal(symlink(path, place(files[i])), 0);
        assert_asks("repo", files[i]);
        remove_all("repo");
    }
    make_directory("repo");
    snprintf(text, sizeof text, "gitdir: %s\n", path);
    write_text("repo/.git", text);
    assert_asks("repo", "leads into /proc or /sys");
    unlink(place("repo/.git"));
    make_git_directory("repo/.git");
    snprintf(text, sizeof text, "%s\n", path);
    write_text("repo/.git/commondir", text);
    assert_asks("repo", "leads into /proc or /sys");
    unlink(place("repo/.git/commondir"));
    snprintf(text, sizeof text, "[core]worktree=%s\n", path);
    write_text("repo/.git/config", text);
    assert_asks("repo", "leads into /proc or /sys");
    remove_all("repo");
    assert_runs(path, false, path);
}

/* Where git reads a file that this process does not see: each process finds its own files below /proc. */
IN_SCENE(what_leads_into_proc_asks)
{
    static const char *const paths[] = {
        "/proc/self/cwd/x", "/proc/thread-self/cwd/x", "/dev/fd/0", "/dev/stdin", "/proc/self/task/1/../../../../tmp",
        "/proc/1/cwd",      "/../proc/self/nowhere",   "//proc"};
    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        assert_every_file_asks(paths[i]);
    }
}

/* A root that a person entered with chroot has no /sys. */
IN_SCENE(what_leads_into_sys_asks)
{
    (void)state;
    if (access("/sys/kernel", F_OK) != 0) {
        skip();
    }
    assert_every_file_asks("/sys/kernel");
}

IN_SCENE(what_git_takes_for_no_repository_is_passed_by)
{
    make_git_directory("outer/.git");
    write_text("outer/.git/config", "[alias]x=y");
    make_directory("outer/inner/.git");
    write_text("outer/inner/.git/config", "[core]bare=false");
    assert_asks("outer/inner", "outer/.git/config sets alias.x");
    write_text("outer/inner/.git/HEAD", "ref: refs/heads/main\n");
    assert_asks("outer/inner", "outer/.git/config sets alias.x");
    make_directory("outer/inner/.git/objects");
    assert_asks("outer/inner", "outer/.git/config sets alias.x");
    make_directory("outer/inner/.git/refs");
    assert_harmless("outer/inner");
}

/* Git asks whether it may be executed, and not what it is. */
IN_SCENE(a_file_in_place_of_a_directory_is_enough_for_git)
{
    make_directory("repo/.git/refs");
    write_text("repo/.git/HEAD", "ref: refs/heads/main\n");
    write_text("repo/.git/config", "[alias]x=y");
    write_text("repo/.git/objects", "");
    assert_harmless("repo");
    assert_int_equal(chmod(place("repo/.git/objects"), 0755), 0);
    assert_asks("repo", "sets alias.x");
}

IN_SCENE(a_head_that_is_not_understood_asks)
{
    static const char *const heads[] = {"",
                                        "refs/heads/main",
                                        "ref:refs/heads/main\n",
                                        "ref: main\n",
                                        "012345\n",
                                        "0123456789012345678901234567890123456789x\n"};
    (void)state;
    make_git_directory("repo/.git");
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        write_text("repo/.git/HEAD", heads[i]);
        assert_asks("repo", "HEAD is not understood");
    }
    unlink(place("repo/.git/HEAD"));
    assert_int_equal(symlink("refs/heads/main", place("repo/.git/HEAD")), 0);
    assert_asks("repo", "HEAD");
}

IN_SCENE(hooks_ask_and_samples_do_not)
{
    make_git_directory("repo/.git");
    make_directory("repo/.git/hooks");
    write_text("repo/.git/hooks/post-index-change", "");
    assert_asks("repo", "hooks/post-index-change is a hook");
    unlink(place("repo/.git/hooks/post-index-change"));
    assert_int_equal(symlink("nowhere", place("repo/.git/hooks/post-index-change")), 0);
    assert_asks("repo", "hooks/post-index-change is not followed");
    unlink(place("repo/.git/hooks/post-index-change"));
    write_text("repo/.git/hooks/reference-transaction", "");
    assert_harmless("repo");
    assert_runs(place("repo"), true, "reference-transaction is a hook");
    unlink(place("repo/.git/hooks/reference-transaction"));
    write_text("repo/.git/hooks/post-checkout", "");
    assert_harmless("repo");
    assert_runs(place("repo"), true, "post-checkout is a hook");
}

/* --- Commands that only read ------------------------------------------------------------------------------------ */

IN_SCENE(a_setting_that_only_other_commands_meet_passes_readers)
{
    static const char *const settings[] = {
        "[core]sshCommand=x",
        "[core]hooksPath=nowhere",
        "[core]hooksPath=/dev/null",
        "[alias]st=!x",
        "[alias \"x\"]command=!x",
        "[gpg]format=ssh",
        "[gpg]program=x",
        "[gpg \"ssh\"]program=x",
        "[gpg]minTrustLevel=fully",
        "[merge \"x\"]driver=y %A %O",
        "[trailer \"x\"]command=y",
        "[trailer \"x\"]cmd=y",
        "[tag]gpgSign=true",
    };
    (void)state;
    make_git_directory("repo/.git");
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        write_text("repo/.git/config", settings[i]);
        assert_runs_for(&readers, place("repo"), NULL);
        assert_asks("repo", "repo/.git/config sets");
        assert_runs(place("repo"), true, "repo/.git/config sets");
    }
}

IN_SCENE(a_setting_that_reading_commands_meet_asks)
{
    static const char *const settings[] = {
        "[diff]submodule=diff",
        "[diff]submodule=log",
        "[diff]submodule",
        "[status]submoduleSummary=1",
        "[status]submoduleSummary",
        "[submodule]recurse=true",
        "[submodule]recurse",
        "[log]diffMerges=remerge",
        "[log]diffMerges=r",
        "[log]diffMerges=newer",
        "[branch]sort=-signature",
        "[tag]sort=signature:key",
        "[hook \"x\"]command=y",
        "[format]pretty=%-GS",
        "[pretty]x=%+GK",
        "[core]pager=x",
        "[core]pager=less -o x",
        "[core]pager=\"less -FRX;x\"",
        "[core]pager=less -k x",
        "[core]pager=lesser",
        "[core]pager",
        "[pager]log=x",
        "[pager]log=less x",
        "[core]hooksPath=~/x",
        "[core]hooksPath=%(prefix)/x",
        "[core]hooksPath=",
        "[core]hooksPath",
        "[core]fsmonitor=x",
        "[filter \"x\"]clean=y",
        "[diff \"x\"]textconv=y",
        "[include]path=x",
        "[core]alternateRefsCommand=x",
    };
    (void)state;
    make_git_directory("repo/.git");
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        write_text("repo/.git/config", settings[i]);
        assert_runs_for(&readers, place("repo"), "repo/.git/config sets");
        assert_asks("repo", "repo/.git/config sets");
    }
}

IN_SCENE(the_harmless_values_of_such_a_setting_pass)
{
    static const char *const settings[] = {
        "[diff]submodule=short",
        "[status]submoduleSummary=false",
        "[submodule]recurse=false",
        "[log]diffMerges=first-parent",
        "[branch]sort=-committerdate",
        "[tag]sort=v:refname",
        "[core]pager=",
        "[core]pager=cat",
        "[core]pager=less",
        "[core]pager=less -FRX",
        "[core]pager=less -F -R -X",
        "[pager]log=false",
        "[pager]branch=off",
        "[pager]diff",
        "[pager]diff=true",
        "[pager]log=less -S",
        "[log]showSignature=false",
        "[submodule \"x\"]url=y",
        "[submodule]active=.",
        "[lfs]repositoryformatversion=0",
        "[lfs \"https://example.org/x.git/info/lfs\"]locksverify=true",
    };
    (void)state;
    make_git_directory("repo/.git");
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        write_text("repo/.git/config", settings[i]);
        assert_runs_for(&readers, place("repo"), NULL);
        assert_harmless("repo");
    }
}

IN_SCENE(moved_hooks_are_looked_at)
{
    char text[512];
    (void)state;
    make_git_directory("repo/.git");
    make_directory("repo/src");
    make_directory("repo/.husky/_");
    write_text("repo/.husky/_/pre-commit", "");
    write_text("repo/.husky/_/reference-transaction", "");
    write_text("repo/.git/config", "[core]hooksPath=.husky/_");
    assert_runs_for(&readers, place("repo/src"), NULL);
    write_text("repo/.husky/_/post-index-change", "");
    assert_runs_for(&readers, place("repo/src"), ".husky/_/post-index-change is a hook");
    make_directory("elsewhere");
    snprintf(text, sizeof text, "[core]hooksPath=%s", place("elsewhere"));
    write_text("repo/.git/config", text);
    assert_runs_for(&readers, place("repo"), NULL);
    write_text("elsewhere/post-index-change", "");
    assert_runs_for(&readers, place("repo"), "elsewhere/post-index-change is a hook");
    make_git_directory("bare.git");
    write_text("bare.git/config", "[core]hooksPath=refs");
    assert_runs_for(&readers, place("bare.git/objects"), NULL);
    write_text("bare.git/config", "[core]hooksPath=/proc/self/cwd/x");
    assert_runs_for(&readers, place("bare.git/objects"), "leads into /proc or /sys");
    write_text("bare.git/config", "[core]hooksPath=refs");
    write_text("bare.git/refs/post-index-change", "");
    assert_runs_for(&readers, place("bare.git/objects"), "refs/post-index-change is a hook");
}

/* The user's programs are the user's own, but the user's settings may run those of the repository. */
IN_SCENE(what_the_user_switches_on_asks)
{
    static const struct {
        const char *user;
        const char *repository;
        bool asks;
    } cases[] = {
        {"[alias]x=!y\n[core]pager=x\n[gpg]program=x\n[filter \"lfs\"]clean=x", "", false},
        {"[diff]submodule=log", "", true},
        {"[submodule]recurse=true", "", true},
        {"[status]submoduleSummary=true", "", true},
        {"[diff]submodule=short", "", false},
        {"[log]showSignature=true", "", false},
        {"[log]showSignature=true", "[gpg]program=x", true},
        {"[pretty]mine=%h %G?", "[gpg \"ssh\"]program=x", true},
        {"[log]showSignature=false", "[gpg]program=x", false},
        {"[log]diffMerges=remerge", "", false},
        {"[log]diffMerges=remerge", "[merge \"x\"]driver=y", true},
        {"[log]diffMerges=on", "[merge \"x\"]driver=y", false},
        {"[include]path=more", "", true},
        {"[include]path=~/more", "", true},
        {"[include]path=~//more", "", true}, /* $HOME//more, not /more */
        {"[includeIf \"gitdir:/nowhere\"]path=more", "", true},
        {"[include]path=nowhere", "", false},
        {"[include]path=~root/more", "", true},
        {"[include]path=%(prefix)/more", "", true},
        {"[include]path=", "", true},
        {"[include]path=user", "", true}, /* without end */
        {"[includeIf \"x\"]other=more", "", false},
        {"[core", "", true},
        {"[core]fsmonitor=./fsm", "", true},
        {"[core]fsmonitor=.git/hooks/fsmonitor-watchman", "", true},
        {"[core]fsmonitor=sh tools/fsm", "", true},
        {"[core]fsmonitor=/usr/bin/fsm", "", false},
        {"[core]fsmonitor=~/bin/fsm --quiet", "", false},
        {"[core]fsmonitor=true", "", false},
        {"[diff]external='tools/show'", "", true},
        {"[diff \"x\"]textconv=a <b/c", "", true},
        {"[filter \"x\"]process=$HOME/x -f=/y", "", false},
        {"[filter \"x\"]process=$PWD/x", "", true},
        {"[gpg]program=../gpg", "", true},
        {"[merge \"x\"]driver=tools/merge %O %A %B", "", true},
        {"[alias]x=!a/b\n[core]sshCommand=a/b", "", false},
    };
    char home[512];
    char user[512];
    const char *const configs[] = {user, NULL};
    const struct xylem_hook__git_use use = {.plain = true, .user_configs = configs, .home = home};
    const struct xylem_hook__git_use unknown = {.plain = true};

    (void)state;
    snprintf(home, sizeof home, "%s", place("home"));
    snprintf(user, sizeof user, "%s", place("home/user"));
    make_directory("home");
    make_git_directory("repo/.git");
    assert_runs_for(&use, place("repo"), NULL);
    write_text("home/more", "[diff]submodule=diff");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_text("home/user", cases[i].user);
        write_text("repo/.git/config", cases[i].repository);
        assert_runs_for(&use, place("repo"), cases[i].asks ? "home/" : NULL);
        assert_runs_for(&use, place("home"), NULL);
    }
    write_text("repo/.git/config", "[gpg]program=x");
    assert_runs_for(&unknown, place("repo"), "gpg.program");
    write_text("repo/.git/config", "[merge \"x\"]driver=y");
    assert_runs_for(&unknown, place("repo"), "merge.x.driver");
}

/* Git runs the hooks of a relative path in each work tree. */
IN_SCENE(the_users_relative_hooks_are_looked_at)
{
    static const char hook[] = ".githooks/post-index-change is a hook";
    char home[512];
    char user[512];
    char text[1024];
    const char *const configs[] = {user, NULL};
    const struct xylem_hook__git_use use = {.plain = true, .user_configs = configs, .home = home};
    const struct xylem_hook__git_use with_writes = {.writes = true, .user_configs = configs, .home = home};
    (void)state;
    snprintf(home, sizeof home, "%s", place("home"));
    snprintf(user, sizeof user, "%s", place("home/user"));
    make_directory("home");
    make_git_directory("repo/.git");
    make_directory("repo/src");
    make_directory("repo/.githooks");
    write_text("repo/.githooks/pre-commit", "");
    write_text("home/user", "[core]hooksPath=.githooks");
    assert_runs_for(&use, place("repo/src"), NULL);
    assert_runs_for(&with_writes, place("repo"), "user sets core.hookspath");
    write_text("repo/.githooks/post-index-change", "");
    assert_runs_for(&use, place("repo/src"), hook);
    static const char *const trusted[] = {"~/hooks", "%(prefix)/hooks"};
    for (size_t i = 0; i < sizeof trusted / sizeof trusted[0]; i++) {
        snprintf(text, sizeof text, "[core]hooksPath=%s", trusted[i]);
        write_text("home/user", text);
        assert_runs_for(&use, place("repo"), NULL);
    }
    snprintf(text, sizeof text, "[core]hooksPath=%s", place("repo/.githooks"));
    write_text("home/user", text);
    assert_runs_for(&use, place("repo"), NULL);
    write_text("home/user", "[core]hooksPath=");
    assert_runs_for(&use, place("repo"), "user sets core.hookspath");
}

/* --- The index -------------------------------------------------------------------------------------------------- */

/* An index under construction. */
struct index {
    unsigned char bytes[4096];
    size_t count;
    size_t name_bytes; /* of the last entry */
};

static void index_add(struct index *index, const void *data, size_t bytes)
{
    assert_true(index->count + bytes <= sizeof index->bytes);
    memcpy(index->bytes + index->count, data, bytes);
    index->count += bytes;
}

static void index_begin(struct index *index, unsigned char version, unsigned char entries)
{
    unsigned char head[12] = {'D', 'I', 'R', 'C', 0, 0, 0, version, 0, 0, 0, entries};
    index->count = 0;
    index->name_bytes = 0;
    index_add(index, head, sizeof head);
}

/* `before`: the bytes that version 4 has between flags and name, none in other versions. */
static void index_entry(struct index *index, unsigned mode, size_t hash_bytes, bool extended, const char *before,
                        const char *name)
{
    static const unsigned char zeros[64];
    unsigned char mode_bytes[4] = {0, 0, (unsigned char)(mode >> 8), (unsigned char)mode};
    size_t kept = !before ? 0 : index->name_bytes - (unsigned char)before[0];
    unsigned char flags[2] = {extended ? 0x40 : 0, (unsigned char)(kept + strlen(name))};
    size_t begin = index->count;
    index->name_bytes = kept + strlen(name);

    index_add(index, zeros, 24);
    index_add(index, mode_bytes, 4);
    index_add(index, zeros, 12);
    index_add(index, zeros, hash_bytes);
    index_add(index, flags, 2);
    index_add(index, zeros, extended ? 2 : 0);
    if (before) {
        index_add(index, before, strlen(before) == 0 ? 1 : strlen(before));
    }
    index_add(index, name, strlen(name) + 1);
    index_add(index, zeros, !before ? (8 - (index->count - begin) % 8) % 8 : 0);
}

static void index_write(struct index *index, size_t hash_bytes, const char *extension)
{
    static const unsigned char zeros[64];
    unsigned char bytes[4] = {0, 0, 0, 5};
    if (extension) {
        index_add(index, extension, 4);
        index_add(index, bytes, 4);
        index_add(index, zeros, 5);
    }
    index_add(index, zeros, hash_bytes);
    write_bytes("repo/.git/index", index->bytes, index->count);
}

static void make_submodule(void)
{
    make_git_directory("repo/.git");
    make_git_directory("repo/lib/sub/.git");
    write_text("repo/lib/sub/.git/config", "[core]fsmonitor=x");
}

IN_SCENE(a_submodule_is_looked_at)
{
    struct index index;
    (void)state;
    make_submodule();
    index_begin(&index, 2, 3);
    index_entry(&index, 0100644, 20, false, NULL, "a");
    index_entry(&index, 0160000, 20, false, NULL, "lib/sub");
    index_entry(&index, 0100755, 20, false, NULL, "z");
    index_write(&index, 20, "TREE");
    assert_asks("repo", "lib/sub/.git/config sets core.fsmonitor");
    for (size_t bytes = 1; bytes <= 9; bytes++) { /* every padding */
        index_begin(&index, 2, 2);
        index_entry(&index, 0100644, 20, false, NULL, &"bbbbbbbbb"[9 - bytes]);
        index_entry(&index, 0160000, 20, false, NULL, "lib/sub");
        index_write(&index, 20, NULL);
        assert_asks("repo", "lib/sub/.git/config sets core.fsmonitor");
    }
    write_text("repo/lib/sub/.git/config", "");
    assert_harmless("repo");
    index_begin(&index, 2, 1);
    index_entry(&index, 0160000, 20, false, NULL, "not/checked/out");
    index_write(&index, 20, NULL);
    assert_harmless("repo");
}

IN_SCENE(the_users_relative_hooks_are_looked_at_in_submodules)
{
    struct index index;
    char user[512];
    const char *const configs[] = {user, NULL};
    const struct xylem_hook__git_use use = {.plain = true, .user_configs = configs};
    (void)state;
    make_submodule();
    write_text("repo/lib/sub/.git/config", "");
    index_begin(&index, 2, 1);
    index_entry(&index, 0160000, 20, false, NULL, "lib/sub");
    index_write(&index, 20, NULL);
    snprintf(user, sizeof user, "%s", place("user"));
    write_text("user", "[core]hooksPath=.githooks");
    assert_runs_for(&use, place("repo"), NULL);
    make_directory("repo/lib/sub/.githooks");
    write_text("repo/lib/sub/.githooks/post-index-change", "");
    assert_runs_for(&use, place("repo"), "lib/sub/.githooks/post-index-change is a hook");
}

IN_SCENE(each_version_of_the_index_is_read)
{
    struct index index;
    (void)state;
    make_submodule();
    index_begin(&index, 3, 2);
    index_entry(&index, 0100644, 20, true, NULL, "a-longer-name");
    index_entry(&index, 0160000, 20, false, NULL, "lib/sub");
    index_write(&index, 20, NULL);
    assert_asks("repo", "core.fsmonitor");
    index_begin(&index, 4, 3);
    index_entry(&index, 0100644, 20, false, "", "lib/a.txt");
    index_entry(&index, 0100644, 20, false, "\5", "b.txt");
    index_entry(&index, 0160000, 20, false, "\5", "sub");
    index_write(&index, 20, NULL);
    assert_asks("repo", "core.fsmonitor");
    write_text("repo/.git/config", "[extensions]objectFormat=sha256");
    index_begin(&index, 2, 2);
    index_entry(&index, 0100644, 32, false, NULL, "lib/a.txt");
    index_entry(&index, 0160000, 32, false, NULL, "lib/sub");
    index_write(&index, 32, NULL);
    assert_asks("repo", "core.fsmonitor");
}

IN_SCENE(an_index_that_is_not_understood_asks)
{
    struct index index;
    (void)state;
    make_git_directory("repo/.git");
    index_begin(&index, 5, 0);
    index_write(&index, 20, NULL);
    assert_asks("repo", "index of version");
    write_text("repo/.git/index", "DIRC");
    assert_asks("repo", "ends too early");
    index_begin(&index, 2, 2);
    index_entry(&index, 0100644, 20, false, NULL, "a");
    write_bytes("repo/.git/index", index.bytes, index.count);
    assert_asks("repo", "ends too early");
    index_begin(&index, 4, 1);
    index_entry(&index, 0100644, 20, false, "\1", "a");
    index_write(&index, 20, NULL);
    assert_asks("repo", "not understood");
    index_begin(&index, 4, 1);
    index_entry(&index, 0100644, 20, false, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "a");
    index_write(&index, 20, NULL);
    assert_asks("repo", "not understood");
    index_begin(&index, 2, 0);
    index_write(&index, 20, "link");
    assert_asks("repo", "split");
    index_begin(&index, 2, 0);
    index_write(&index, 20, "EOIE");
    assert_asks("repo", "index.threads");
    index_begin(&index, 2, 0);
    index_write(&index, 20, "IEOT");
    assert_asks("repo", "index.threads");
    index_begin(&index, 3, 2);
    index_entry(&index, 0100644, 20, false, NULL, "a");
    index_entry(&index, 0040000, 20, true, NULL, "lib/");
    index_write(&index, 20, "sdir");
    assert_asks("repo", "sparse");
    unlink(place("repo/.git/index"));
    make_directory("repo/.git/index");
    assert_asks("repo", "regular file");
}

/* git takes some of a name by the length in the flags, and some of it up to the next NUL. */
IN_SCENE(a_name_is_as_long_as_the_flags_say)
{
    struct index index;
    (void)state;
    make_submodule();
    index_begin(&index, 2, 1);
    index_entry(&index, 0160000, 20, false, NULL, "lib/subxy");
    index.bytes[12 + 61] = 7;
    index_write(&index, 20, NULL);
    assert_asks("repo", "not understood");
    index_begin(&index, 2, 1);
    index_entry(&index, 0160000, 20, false, NULL, "lib");
    index.bytes[12 + 61] = 7;
    index_write(&index, 20, NULL);
    assert_asks("repo", "not understood");
    index_begin(&index, 2, 1);
    index_entry(&index, 0160000, 20, false, NULL, "");
    index_write(&index, 20, NULL);
    assert_asks("repo", "not understood");
    index_begin(&index, 4, 1);
    index_entry(&index, 0160000, 20, false, "", "lib/subxy");
    index.bytes[12 + 61] = 7;
    index_write(&index, 20, NULL);
    assert_asks("repo", "not understood");
    write_text("repo/.git/config", "[extensions]objectFormat=sha256");
    index_begin(&index, 2, 1);
    index_entry(&index, 0160000, 32, false, NULL, "lib/sub");
    index_write(&index, 32, NULL);
    assert_asks("repo", "lib/sub/.git/config sets core.fsmonitor");
}

/* Another length of objects' names makes another index of the same bytes. */
IN_SCENE(only_the_configuration_of_the_repository_says_how_objects_are_named)
{
    struct index index;
    (void)state;
    make_submodule();
    index_begin(&index, 2, 1);
    index_entry(&index, 0160000, 20, false, NULL, "lib/sub");
    index_write(&index, 20, NULL);
    write_text("repo/.git/config", "[extensions \"x\"]objectFormat=sha256");
    assert_asks("repo", "lib/sub/.git/config sets core.fsmonitor");
    write_text("repo/.git/config", "[extensions \"\"]objectFormat=sha256");
    assert_asks("repo", "lib/sub/.git/config sets core.fsmonitor");
    write_text("repo/.git/config", "");
    write_text("repo/.git/config.worktree", "[extensions]objectFormat=sha256");
    assert_asks("repo", "config.worktree: extensions.objectformat");
}

IN_SCENE(submodules_that_lead_to_each_other_come_to_an_end)
{
    struct index index;
    (void)state;
    make_git_directory("repo/.git");
    make_directory("repo/sub");
    write_text("repo/sub/.git", "gitdir: ../.git\n");
    index_begin(&index, 2, 1);
    index_entry(&index, 0160000, 20, false, NULL, "sub");
    index_write(&index, 20, NULL);
    assert_int_equal(symlink("..", place("repo/sub/sub")), 0);
    assert_asks("repo", "too many submodules");
}

/* --- The format ------------------------------------------------------------------------------------------------- */

static bool print_setting(void *context, const struct xylem_hook__git_setting *setting)
{
    struct xylem_buffer *text = context;
    const struct xylem_view parts[] = {setting->section, setting->subsection, setting->key, setting->value};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(xylem_buffer_add(text, parts[i].data, parts[i].bytes), 0);
        assert_int_equal(xylem_buffer_add(text, i < 2 ? "/" : setting->has_value ? "=" : "!", i < 3 ? 1 : 0), 0);
    }
    return xylem_buffer_add(text, "|", 1) == 0;
}

static void assert_reads(const char *config, const char *expected)
{
    struct xylem_buffer text = {0};
    assert_int_equal(xylem_hook__git_config(xylem_view_of(config), print_setting, &text), 0);
    assert_string_equal(text.data ? text.data : "", expected);
    xylem_buffer_release(&text);
}

IN_SCENE(the_format_is_read_as_git_reads_it)
{
    assert_reads("[A.b \"C\"]X=1", "a/b.C/x=1|");
    assert_reads("[a \"B\\\"\\\\\\c\"]x=1", "a/B\"\\c/x=1|");
    assert_reads("[a]x\n[b]y =\t2  \n", "a//x!|b//y=2|");
    assert_reads("[a]x=\" 1 \" 2 ;3", "a//x= 1  2|");
    assert_reads("[a]x=1\\\n  2\\t\\\"\n", "a//x=1  2\t\"|");
    assert_reads("[a]x=1\r\ny=2\r", "a//x=1|a//y=2|");
    assert_reads("[a]x=\"#\" y # z \\\ny=2", "a//x=# y|a//y=2|");
    assert_reads("[a]x=1 \\\n", "a//x=1 |");
    assert_reads("\xef\xbb\xbf  [a] x = 1", "a//x=1|");
    assert_reads("[a]x=", "a//x=|");
    assert_reads(";[a]\n#x=1", "");
}
