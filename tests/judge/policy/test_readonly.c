/* The readonly policy's rules: for each a command that passes, and its twin that is denied. */

#include <string.h>

#include "judge/policy/words/options.h"
#include "judge/policy/words/tables.h"
#include "xylem/policy.h"
#include "tests/lib/test.h"

struct twin {
    const char *passes;
    const char *denied;
    const char *rule;
};

static struct xylem_policy *policy;      /* without options */
static struct xylem_policy *temp_policy; /* which may write below /tmp/agent */

static int make_policies(void **state)
{
    struct xylem_policy_config config = {.type = XYLEM_POLICY_READONLY};
    (void)state;
    int code = xylem_policy_new(&policy, &config, NULL);
    config.temp_writes = "/tmp/agent";
    return code != 0 ? code : xylem_policy_new(&temp_policy, &config, NULL);
}

static int free_policies(void **state)
{
    (void)state;
    xylem_policy_free(policy);
    xylem_policy_free(temp_policy);
    return 0;
}

static void assert_verdict(const struct xylem_policy *by, const char *command, const char *rule)
{
    struct xylem_verdict verdict = {0};
    assert_int_equal(xylem_policy_judge(&verdict, by, xylem_view_of(command), "/home/user/project", NULL), XYLEM_OK);
    bool allowed = verdict.decision == XYLEM_ALLOW;
    if (allowed != (rule == NULL) ||
        (rule != NULL && (verdict.decision != XYLEM_DENY || strcmp(verdict.rule, rule) != 0))) {
        fail_msg("%s\n    expected %s, found %s: %.*s", command, rule ? rule : "allowed", verdict.rule,
                 (int)verdict.reason.bytes, verdict.reason.data);
    }
    assert_true(verdict.reason.bytes > 0);
    xylem_verdict_release(&verdict);
}

static void assert_twins(const struct xylem_policy *by, const struct twin *twins)
{
    for (; twins->denied || twins->passes; twins++) {
        if (twins->passes) {
            assert_verdict(by, twins->passes, NULL);
        }
        if (twins->denied) {
            assert_verdict(by, twins->denied, twins->rule);
        }
    }
}

/* Calls `visit` with each name of a list. */
static void each_name(const char *list, void (*visit)(const char *name, const void *data), const void *data)
{
    char name[256];
    while (*list != '\0') {
        size_t bytes = strcspn(list, " ");
        assert_true(bytes < sizeof name);
        memcpy(name, list, bytes);
        name[bytes] = '\0';
        if (bytes > 0) {
            visit(name, data);
        }
        list += bytes + (list[bytes] == ' ');
    }
}

/* The words of `format` with `%s` replaced. */
static const char *spell(char *text, size_t size, const char *format, const char *name)
{
    const char *at = strstr(format, "%s");
    assert_non_null(at);
    assert_true(strlen(format) + strlen(name) < size);
    memcpy(text, format, (size_t)(at - format));
    stpcpy(stpcpy(text + (at - format), name), at + 2);
    return text;
}

static void deny_program(const char *name, const void *data)
{
    static const char *const forms[] = {
        "%s x",         "/usr/bin/%s x",        "ls; env A=b %s", "echo \"$(%s)\"",    "xargs %s",
        "sh -c '%s x'", "find . -exec %s {} +", "command \\%s x", "if %s; then ls; fi"};
    const struct xylem_policy__table_row *row = data;
    char text[512];
    char plain[256];
    stpcpy(plain, name);
    char *star = strchr(plain, '*');
    if (star) {
        stpcpy(star, "xy");
    }
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        assert_verdict(policy, spell(text, sizeof text, forms[i], plain), row->rule);
    }
    assert_verdict(policy, spell(text, sizeof text, "echo %s", plain), NULL);
    assert_verdict(policy, spell(text, sizeof text, "command -v %s", plain), NULL);
    assert_verdict(policy, spell(text, sizeof text, "./not%sx", plain), NULL);
}

TEST(every_program_of_the_table_is_denied_wherever_it_runs)
{
    for (const struct xylem_policy__table_row *row = xylem_policy__readonly_programs; row->names; row++) {
        each_name(row->names, deny_program, row);
    }
}

struct verb_case {
    const struct xylem_policy__verb_row *row;
    const char *program;
};

/* An entry such as "workspace/STAR/add" as words. */
static void deny_verb(const char *entry, const void *data)
{
    const struct verb_case *verb = data;
    char text[512];
    char *at = stpcpy(stpcpy(text, verb->program), " ");
    for (; *entry != '\0'; entry++) {
        bool any = *entry == '*' && (at[-1] == ' ');
        if (*entry == '*' && !any) {
            continue; /* what begins so: the beginning itself */
        }
        *at++ = any ? 'x' : *entry == '/' ? ' ' : *entry;
    }
    *at = '\0';
    assert_verdict(policy, text, verb->row->does.rule);
}

static void deny_verbs(const char *name, const void *data)
{
    const struct verb_case verb = {data, !strchr(name, '*') ? name : "pip3.11"};
    if (!strchr(name, '*') || strcmp(name, "pip3.*") == 0) {
        each_name(verb.row->writes ? verb.row->writes : "", deny_verb, &verb);
        each_name(verb.row->destroys ? verb.row->destroys : "", deny_verb, &verb);
    }
}

TEST(every_verb_that_writes_is_denied)
{
    for (const struct xylem_policy__verb_row *row = xylem_policy__verb_table; row->names; row++) {
        each_name(row->names, deny_verbs, row);
    }
}

/* What the evaluation looks up by name must be told apart by name. */
TEST(every_option_of_the_table_is_one_that_is_read)
{
    for (const struct xylem_policy__verb_row *row = xylem_policy__verb_table; row->names; row++) {
        assert_non_null(row->source);
        assert_non_null(row->does.what);
        assert_true(!row->modules || strstr(row->options, row->modules));
        assert_true(!row->only_reads || row->reads);
    }
}

TEST(package_managers_are_judged_by_verb)
{
    static const struct twin twins[] = {
        {"npm run build", "npm install", "package-manager"},
        {"npm --prefix web test", "npm --prefix web ci", "package-manager"},
        {"npm --silent run install", "npm --silent install x", "package-manager"},
        {"npm --unknown run", "npm --unknown list install", "package-manager"},
        {"npm config get registry", "npm config set registry x", "package-manager"},
        {"npm version", "npm version patch", "package-manager"},
        {"npm exec -- tsc", "npm exec -- rm x", "file-mutation"},
        {"npx -y tsc --noEmit", "npx -y rimraf-x && npx rm x", "file-mutation"},
        {"npx -c 'tsc -v'", "npx -c 'rm x'", "file-mutation"},
        {"npx --call=tsc", "npx --call='rm x'", "package-manager"},
        {"npx \"$tool\"", "npx \"$tool\"; npm \"$verb\"", "package-manager"},
        {"npm run \"$script\"", "npm $verb", "package-manager"},
        {"ls | xargs npm view", "ls | xargs npm", "package-manager"},
        {"yarn build", "yarn", "package-manager"},
        {"yarn --version", "yarn --frozen-lockfile", "package-manager"},
        {"yarn workspace web test", "yarn workspace web add x", "package-manager"},
        {"bundle exec rspec", "bundle", "package-manager"},
        {"bundle exec rspec", "bundle exec rm x", "file-mutation"},
        {"pip list", "pip install x", "package-manager"},
        {"pip3.11 show x", "pip3.11 install x", "package-manager"},
        {"python -m pip list", "python -m pip install x", "package-manager"},
        {"python3 -m pytest", "python3.11 -mpip install x", "package-manager"},
        {"python3 -m venv", "python3 -I -m ensurepip", "package-manager"},
        {"python -m json.tool x", "python -m pip._internal install x", "package-manager"},
        {"python -m \"$module\" x", "module=pip; python -m \"$module\" x", "package-manager"},
        {"python script.py -m pip install", "python -m uv pip install x", "package-manager"},
        {"uv run --with x pytest", "uv run rm x", "file-mutation"},
        {"uv run \"$script\"", "uv run --unknown value rm x", "file-mutation"},
        {"uv pip list", "uv --quiet pip install x", "package-manager"},
        {"uv tool run ruff check", "uv tool run rm x", "file-mutation"},
        {"uvx ruff check", "uvx pip install x", "package-manager"},
        {"poetry run pytest", "poetry run pip install x", "package-manager"},
        {"conda run -n env python x", "conda run -n env rm x", "file-mutation"},
        {"conda env list", "conda env create -f x", "package-manager"},
        {"cargo +nightly test", "cargo +nightly install x", "package-manager"},
        {"rustup run nightly cargo test", "rustup run nightly cargo add x", "package-manager"},
        {"corepack pnpm test", "corepack pnpm add x", "package-manager"},
        {"go list ./...", "go -C sub get x", "package-manager"},
        {"go mod graph", "go mod tidy", "package-manager"},
        {"brew info x", "brew install x", "package-manager"},
        {"apt-get -s -o A=b check", "apt-get -o A=b -y install x", "package-manager"},
        {"dnf history list", "dnf history undo 3", "package-manager"},
        {"nix profile list", "nix profile install x", "package-manager"},
        {"systemctl status x", "systemctl --user restart x", "process"},
        {"service x status", "service x stop", "process"},
        {NULL, NULL, NULL},
    };
    (void)state;
    assert_twins(policy, twins);
}

TEST(some_programs_are_judged_by_their_options)
{
    static const struct twin twins[] = {
        {"pacman -Ss x", "pacman -S x", "package-manager"},
        {"pacman -Qu", "pacman -Su", "package-manager"},
        {"pacman --sync --search x", "pacman -Ssy x", "package-manager"},
        {"pacman -Qi x", "pacman -Rns x", "package-manager"},
        {"yay -Si x", "yay", "package-manager"},
        {"dpkg -l", "dpkg -i x.deb", "package-manager"},
        {"dpkg --print-architecture", "dpkg --unknown --purge=x x", "package-manager"},
        {"rpm -qi x", "rpm -i x", "package-manager"},
        {"rpm -qa", "rpm -Uvh x", "package-manager"},
        {"rpm -q --qf '%{NAME}' x", "rpm -q --pipe 'rm x' y", "package-manager"},
        {"ls | xargs dpkg -S", "ls | xargs dpkg", "package-manager"},
        {"dpkg -s \"x$y\"", "dpkg $flags x", "package-manager"},
        {"nix-env -q", "nix-env -iA x", "package-manager"},
        {"emerge -p x", "emerge x", "package-manager"},
        {"crontab -l", "crontab -e", "file-mutation"},
        {"crontab -u x -l", "crontab x", "file-mutation"},
        {"fdisk -l /dev/sda", "fdisk /dev/sda", "file-mutation"},
        {"mount", "mount /dev/sda1 /mnt", "file-mutation"},
        {"mount -t ext4", "mount -a", "file-mutation"},
        {"fuser 80/tcp", "fuser -k 80/tcp", "process"},
        {"perl -ne 'print' x", "perl -pi -e 's/a/b/' x", "file-mutation"},
        {"perl -e 'print \"-i\"' -- -i", "perl -i.bak -pe 1 x", "file-mutation"},
        {"perl script.pl -i", "perl -0777 -i -pe 1 x", "file-mutation"},
        {"ruby -e 1", "ruby -i -pe 1 x", "file-mutation"},
        {NULL, NULL, NULL},
    };
    (void)state;
    assert_twins(policy, twins);
}

TEST(writing_redirections_are_denied)
{
    static const struct twin twins[] = {
        {"ls > /dev/null", "ls > f", "redirection"},
        {"ls >/dev/null 2>&1", "ls >f 2>&1", "redirection"},
        {"ls 2>> /dev/null", "ls 2>> f", "redirection"},
        {"ls &> /dev/null", "ls &> f", "redirection"},
        {"ls >| /dev/null", "ls >| f", "redirection"},
        {"ls <> /dev/null", "ls <> f", "redirection"},
        {"ls >& 2", "ls >& f", "redirection"},
        {"ls 3>&- 2>&1-", "ls >& $fd", "redirection"},
        {"ls <& $fd", "ls > \"$file\"", "redirection"},
        {"ls < \"$file\"", "ls > /dev/null$x", "redirection"},
        {"ls < f", "> f", "redirection"},
        {"exec {fd}>/dev/null", "exec {fd}>f", "redirection"},
        {"cat <<< '> f'", "cat <<< x > f", "redirection"},
        {"while read -r l; do :; done < f", "while read -r l; do :; done > f", "redirection"},
        {"f() { ls; }", "f() { ls; } > f", "redirection"},
        {"[ a \\> b ]", "[ a > b ]", "redirection"},
        {"[[ a > b ]]", "[[ a ]] > b", "redirection"},
        {"cat < /dev/stdin", "cat < /dev/tcp/host/80", "network-redirection"},
        {"cat < /dev/fd/$n", "cat < /dev/tcp/$host/80", "network-redirection"},
        {"cat < /device/$n", "cat < /dev/$n", "network-redirection"},
        {NULL, "exec 3<>/dev/udp/host/53", "network-redirection"},
        {NULL, NULL, NULL},
    };
    (void)state;
    assert_twins(policy, twins);
}

TEST(temp_writes_are_bounded_by_the_directory)
{
    static const struct twin twins[] = {
        {"ls > /tmp/agent/f", "ls > /tmp/agentx/f", "redirection"},
        {"ls > /tmp//agent/./d/f", "ls > /tmp/agent/../f", "redirection"},
        {"ls >> '/tmp/agent/a b'", "ls > /tmp/agent/$x", "redirection"},
        {"ls > /tmp/agent/\"f\"", "ls > /tmp/agent", "redirection"},
        {"ls 2> /tmp/agent/f", "cd /tmp && ls > agent/f", "redirection"},
        {NULL, "ls > /tmp/agent/{a,b}", "redirection"},
        {NULL, "ls > ~/f", "redirection"},
        {"ls >& /tmp/agent/f", "ls >& '/tmp/agent/$(id)'", "redirection"},
        {"ls &> '/tmp/agent/$x'", "ls >& '/tmp/agent/$x'", "redirection"},
        {"ls | tee -a /tmp/agent/f", "ls | tee /tmp/agent/f g", "file-mutation"},
        {"ls | tee", "ls | tee --appen /tmp/agent/f", "file-mutation"},
        {"touch -d \"$date\" /tmp/agent/f", "touch -d $date /tmp/agent/f", "file-mutation"},
        {"touch -r /etc/passwd /tmp/agent/f", "touch \"$f\" /tmp/agent/f", "file-mutation"},
        {"mkdir -p -m 700 /tmp/agent/a/b", "mkdir -p /tmp/agent", "file-mutation"},
        {"mkdir -m700 -- /tmp/agent/a", "mkdir -Z /tmp/agent/a", "file-mutation"},
        {"env A=b tee /tmp/agent/f", "env chroot /mnt tee /tmp/agent/f", "file-mutation"},
        {NULL, "chroot /mnt tee /tmp/agent/f", "file-mutation"},
        {NULL, "ls | xargs touch /tmp/agent/f", "file-mutation"},
        {NULL, "rm /tmp/agent/f", "file-mutation"},
        {NULL, "cp a /tmp/agent/f", "file-mutation"},
        {NULL, NULL, NULL},
    };
    (void)state;
    assert_twins(temp_policy, twins);
    assert_verdict(policy, "ls > /tmp/agent/f", "redirection");
    assert_verdict(policy, "mkdir /tmp/agent/f", "file-mutation");
}

TEST(variables_that_name_a_command_are_judged_as_one)
{
    static const struct twin twins[] = {
        {"GIT_PAGER=cat git log", "GIT_PAGER='rm x' git log", "file-mutation"},
        {"PAGER=less git log", "PAGER='sh -c \"rm x\"' git log", "file-mutation"},
        {"export GIT_PAGER=cat; b=$(git rev-parse HEAD)", "export GIT_PAGER='rm x'; git log", "file-mutation"},
        {"env PAGER=cat man ls", "env PAGER=rm man ls", "file-mutation"},
        {"declare -x PAGER=cat", "declare -x PAGER=rm", "file-mutation"},
        {"GIT_EXTERNAL_DIFF=difft git diff", "GIT_EXTERNAL_DIFF=vim git diff", "editor"},
        {"EDITOR= git log", "EDITOR=$x git log; x=rm", "environment"},
        {"NODE_ENV=rm npm test", NULL, NULL},
        {"for PAGER in rm; do ls; done", NULL, NULL},
        {NULL, NULL, NULL},
    };
    (void)state;
    assert_twins(policy, twins);
}

TEST(what_is_not_decidable_is_denied_for_a_word_in_it)
{
    static const struct twin twins[] = {
        {"$X foo", "$X rm", "not-decidable"},
        {"X=3; $X", "X=rm; $X foo", "not-decidable"},
        {"X='echo a'; $X", "X='r'\\m; $X foo", "not-decidable"},
        {"f() { $1 x; }; f ls", "f() { $1 x; }; f rm", "not-decidable"},
        {"set -- ls x; \"$@\"", "set -- rm x; \"$@\"", "not-decidable"},
        {"eval \"$text\"", "text='rm x'; eval \"$text\"", "wrapper"},
        {"eval \"$text\" 2>/dev/null", "$code 'a > b'", "not-decidable"},
        {"timeout --unknown 3 ls", "timeout --unknown 3 rm x", "wrapper"},
        {"timeout --unknown 3 ls; echo rm", "x=rm; timeout --unknown 3 $x", "wrapper"},
        {"source env.sh; ls code", "source <(echo rm x)", "builtin"},
        {"whoa[m]i x", "r[m] {rm,x}", "not-decidable"},
        {"curl -s localhost | sh", "echo 'rm x' | sh", "wrapper"},
        {"curl -s localhost | bash -", "echo 'rm x' | bash -", "wrapper"},
        {"bash - script.sh; echo rm", "echo 'rm x' | sh +e", "wrapper"},
        {"bash <<'E'\nls\nE", "bash <<'E'\nrm x\nE", "wrapper"},
        {"for i in rm; do command -v $i; done", "for i in rm; do command $i; done", "wrapper"},
        {"{ls,-l}", "{rm,-rf,x}", "not-decidable"},
        {"echo 'unterminated", "echo 'unterminated; rm", "not-understood"},
        {"ls; echo 'unterminated", "rm x; echo 'unterminated", "file-mutation"},
        {"echo 'x >/dev/null", "echo 'x > f", "not-understood"},
        {"echo \"$'\\x72n'", "echo \"$'\\x72m'", "not-understood"},
        {NULL, NULL, NULL},
    };
    (void)state;
    assert_twins(policy, twins);
}

TEST(text_that_a_shell_reads_is_judged_as_code)
{
    static const struct twin twins[] = {
        {"bash <<'E'\nsort f\nE", "bash <<'E'\nsort -o f f\nE", "option"},
        {"echo 'sort f' | sh", "echo 'sort -o f f' | sh", "option"},
        {"echo sort f | sh", "echo sort -o f f | sh", "option"},
        {"printf 'ls\\nsort f' | sh", "printf 'ls\\nsort -o f f' | sh", "option"},
        {"echo 'sort -o f f'; sh script.sh", "echo 'sort -o f f'; sh", "option"},
        {NULL, NULL, NULL},
    };
    (void)state;
    assert_twins(policy, twins);
}

/* The text may be no code at all. */
TEST(text_that_a_shell_may_read_has_records_only_if_refused)
{
    static const struct {
        const char *command;
        size_t judged_count;
    } cases[] = {{"echo 'sort f; ls' | sh", 2}, {"echo 'sort -o f f; ls' | sh", 4}, {"sort {-u,f}", 1}};
    struct xylem_verdict verdict = {0};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(xylem_policy_judge(&verdict, policy, xylem_view_of(cases[i].command), NULL, NULL), XYLEM_OK);
        assert_int_equal(verdict.judged_count, cases[i].judged_count);
    }
    xylem_verdict_release(&verdict);
}

TEST(arithmetic_is_no_false_alarm)
{
    static const struct twin twins[] = {
        {"code=$?; exit $((code + 1))", "[[ 'a[$(rm y)]' -eq 0 ]]", "arithmetic"},
        {"(( n > 5 )) && git status", "n='a[$(rm y)]'; (( n > 5 ))", "arithmetic"},
        {"n=$(git rev-list --count HEAD); echo $((n + 1))", "read 'a[$(rm y)]'", "arithmetic"},
        {"[ $code -eq 0 ] && echo rm", "x='-v a[$(rm y)]'; [ $x ]", "arithmetic"},
        {"[[ $code -gt 0 ]]", "let 'a[$(rm)]'", "arithmetic"},
        {"n=3; re='[0-9]+$'; echo rm $((n))", "echo $(( $(rm x) + 1 ))", "file-mutation"},
        {"echo ${a[i]} $((a[i] > 5))", "echo $((a[`rm x`]))", "file-mutation"},
        {NULL, NULL, NULL},
    };
    (void)state;
    assert_twins(policy, twins);
}

TEST(git_and_the_hatches_are_asked)
{
    static const struct twin twins[] = {
        {"git status", "git push", "git"},
        {"/usr/bin/git log", "/usr/lib/git-core/git-rm x", "git"},
        {"find . -name x", "find . -delete", "option"},
        {"sed -n 1p f", "sed -i s/a/b/ f", "option"},
        {"sort f", "sort -o f f", "option"},
        {"fd -x wc -l", "fd -x rm", "file-mutation"},
        {"env -S 'ls -l'", "env -S 'rm -l'", "wrapper"},
        {"diff <(git show HEAD:f) f", "diff <(git rm f) f", "git"},
        {"find . -exec ls {} +", "find . -exec rm {} +", "file-mutation"},
        {NULL, NULL, NULL},
    };
    (void)state;
    assert_twins(policy, twins);
}

TEST_FILE(make_policies, free_policies)
