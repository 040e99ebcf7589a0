/* xylem hook: answers a permission hook of an agent host. */
#include "base/error.h"
#include "base/json.h"
#include "base/os.h"
#include "cli/policy.h"
#include "xylem/gate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <unistd.h>

#define LOGGED_CELLS_MAX 4096u /* cells of an input in the log */
#define GIT_KEYS_MAX 64u       /* keys of git's configuration in the environment */
#define LOG_BYTES_MAX (10 * 1024 * 1024)

struct hook_options {
    const char *config;
    int protocol;
    int enforced;
    struct xylem_cli__list tools;
};

/* The host's question names the event, so either name of the hook answers both events. */
static const char *const hooks[] = {"permission-request", "pre-tool-use", NULL};

static const char *const protocols[] = {"documented", "seed", NULL};

static const char *const enforced_names[] = {"readonly", "confirm", NULL};
static const enum xylem_policy_type enforced_types[] = {XYLEM_POLICY_READONLY, XYLEM_POLICY_CONFIRM};

static const struct xylem_cli__option hook_table[] = {
    {"config", 0, "FILE", XYLEM_CLI__TEXT, offsetof(struct hook_options, config),
     "the policy's options, as JSON (default without --enforce: xylem/policy.json in the configuration directory)",
     NULL},
    {"protocol", 0, "PROTOCOL", XYLEM_CLI__CHOICE, offsetof(struct hook_options, protocol),
     "the form of an approval: documented (default), or seed", protocols},
    {"enforce", 0, "POLICY", XYLEM_CLI__CHOICE, offsetof(struct hook_options, enforced),
     "deny what readonly denies, or ask about what confirm asks about; approve nothing", enforced_names},
    {"tool", 't', "NAME=EFFECT", XYLEM_CLI__LIST, offsetof(struct hook_options, tools),
     "with --enforce: the tool NAME writes (write), runs its command (shell) or only reads (read); NAME* stands for "
     "all tools that begin so (may be repeated)",
     NULL},
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

/* --- The policy ------------------------------------------------------------------------------------------------- */

/*
 * Without a file, the defaults hold. A dangling link is an error, because a configuration was intended. A pipe or a
 * device is an error, because reading could wait for ever.
 */
static int check_default_config(struct xylem_cli *cli, const char *path)
{
    struct stat status;
    if (!path || lstat(path, &status) != 0) {
        return 0; /* opening the file reports the error */
    }
    if (S_ISLNK(status.st_mode) && stat(path, &status) != 0) {
        return xylem_cli__fail(cli, XYLEM_E_IO, "%s is a symbolic link that cannot be followed: %s", path,
                               strerror(errno));
    }
    return S_ISREG(status.st_mode) ? 0 : xylem_cli__fail(cli, XYLEM_E_IO, "%s is not a regular file", path);
}

/* The configuration in the default place, `policy.json`, is for the strict policy; none if there is no such place. */
static int read_policy(struct xylem_cli *cli, struct xylem_policy **policy, struct xylem_cli__text *json,
                       const struct hook_options *given)
{
    char *path;
    if (given->enforced > 0) {
        return xylem_cli__policy_read_text(cli, policy, json, enforced_types[given->enforced - 1], given->config);
    }
    if (given->config) {
        return xylem_cli__policy_read_text(cli, policy, json, XYLEM_POLICY_STRICT, given->config);
    }
    if (xylem_base__config_path(&path, "policy.json", NULL) < 0) {
        return xylem_cli__fail_memory(cli);
    }
    int code = check_default_config(cli, path);
    if (code == 0) {
        code = xylem_cli__policy_read_text(cli, policy, json, XYLEM_POLICY_STRICT, path);
    }
    if (code == XYLEM_E_NOT_FOUND) {
        code = xylem_cli__policy_read(cli, policy, XYLEM_POLICY_STRICT, NULL);
    }
    free(path);
    return code;
}

/* Names of tools, and a NULL at their end. */
typedef char *tool_names[XYLEM_CLI__LIST_MAX + 1];

/* Reads --tool into the lists of tools that write, that run commands, and that only read. */
static int read_tools(struct xylem_cli *cli, tool_names lists[3], const struct hook_options *given)
{
    static const char *const effects[] = {"write", "shell", "read"};
    if (given->tools.count > 0 && given->enforced == 0) {
        return xylem_cli__usage(cli, "--tool goes with --enforce: without --enforce only Bash is approved");
    }
    for (size_t i = 0; i < given->tools.count; i++) {
        const char *text = given->tools.texts[i];
        const char *equals = strrchr(text, '=');
        const char *star = strchr(text, '*');
        size_t effect = 0;
        while (equals && effect < 3 && strcmp(equals + 1, effects[effect]) != 0) {
            effect++;
        }
        if (!equals || equals == text || effect == 3 || (star && star + 1 != equals)) {
            return xylem_cli__usage(
                cli, "--tool takes NAME=write, NAME=shell or NAME=read, not '%s'; a * may end the NAME", text);
        }
        char **end = lists[effect];
        while (*end) {
            end++;
        }
        if (!(*end = strndup(text, (size_t)(equals - text)))) {
            return xylem_cli__fail_memory(cli);
        }
    }
    return 0;
}

/* True if the environment leads git away from the repository around the command, or `cd` away from its argument. */
static bool git_is_led(void)
{
    static const char *const names[] = {"GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (getenv(names[i])) {
            return true;
        }
    }
    const char *search = getenv("CDPATH");
    return getenv("GIT_OBJECT_DIRECTORY") || (search && *search != '\0');
}

/*
 * True if the environment sets keys of git's configuration other than the user's name and similar keys. The environment
 * belongs to the user, and the hook trusts the programs that the user's configuration names. So the list differs from
 * the harmless keys of a repository's configuration (judge/policy/git/git_forms.txt): there, a credential.helper may
 * be a program of the repository.
 */
static bool environment_configures_git(void)
{
    static const char *const known[] = {"safe.", "user.", "credential.", "url.", "http.", "advice.", "color."};
    const char *count = getenv("GIT_CONFIG_COUNT");
    const char *parameters = getenv("GIT_CONFIG_PARAMETERS");
    char *end = NULL;
    unsigned long keys = count ? strtoul(count, &end, 10) : 0;
    if ((parameters && *parameters != '\0') || (count && *end != '\0') || keys > GIT_KEYS_MAX) {
        return true;
    }
    for (unsigned long i = 0; i < keys; i++) {
        char name[64];
        snprintf(name, sizeof name, "GIT_CONFIG_KEY_%lu", i);
        const char *key = getenv(name);
        bool harmless = false;
        for (size_t j = 0; key && j < sizeof known / sizeof known[0]; j++) {
            harmless |= strncasecmp(key, known[j], strlen(known[j])) == 0;
        }
        if (!harmless) {
            return true;
        }
    }
    return false;
}

/* Files of git's configuration outside of a repository. */
struct git_files {
    char *home_config; /* owned */
    char *xdg_config;  /* owned */
    const char *paths[7];
};

/* A relative path counts from the directory of git, which is not known here: sets `led`. */
static void add_file(struct git_files *files, const char *path, bool *led)
{
    size_t count = 0;
    if (!path || *path == '\0') {
        return;
    }
    *led |= *path != '/';
    while (files->paths[count]) {
        count++;
    }
    files->paths[count] = path;
}

static int find_git_files(struct xylem_cli *cli, struct git_files *files, bool *led)
{
    const char *home = getenv("HOME");
    const char *config = getenv("XDG_CONFIG_HOME");
    bool named = config && *config != '\0';
    home = home && *home != '\0' ? home : NULL;
    if (home && asprintf(&files->home_config, "%s/.gitconfig", home) < 0) {
        files->home_config = NULL;
        return xylem_cli__fail_memory(cli);
    }
    if ((named || home) &&
        asprintf(&files->xdg_config, "%s%s/git/config", named ? config : home, named ? "" : "/.config") < 0) {
        files->xdg_config = NULL;
        return xylem_cli__fail_memory(cli);
    }
    add_file(files, "/etc/gitconfig", led);
    add_file(files, "/usr/local/etc/gitconfig", led);
    add_file(files, getenv("GIT_CONFIG_SYSTEM"), led);
    add_file(files, getenv("GIT_CONFIG_GLOBAL"), led);
    add_file(files, files->xdg_config, led);
    add_file(files, files->home_config, led);
    return 0;
}

/* --- The log ---------------------------------------------------------------------------------------------------- */

/* Opens a log, readable by the owner alone, and makes the log if missing. -1 and errno if that fails. */
static int open_log(const char *path, struct stat *status)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (fd >= 0 && (fstat(fd, status) != 0 || !S_ISREG(status->st_mode) || status->st_uid != geteuid() ||
                    ((status->st_mode & 0777u) != 0600 && fchmod(fd, 0600) != 0))) {
        close(fd);
        errno = EPERM;
        return -1;
    }
    return fd;
}

/*
 * Appends lines to a log. A full log becomes PATH.1, in the place of an older PATH.1, and a new log begins. Of two hooks
 * one renames: the lock keeps the other away, and later the name leads to another file. The other hook writes into the
 * log that it has open. -1 and errno if that fails.
 */
static int append_log(const char *path, struct xylem_view lines)
{
    struct stat status;
    struct stat now;
    char *old = NULL;
    int fd = open_log(path, &status);
    if (fd >= 0 && (size_t)status.st_size + lines.bytes > LOG_BYTES_MAX && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
        stat(path, &now) == 0 && now.st_ino == status.st_ino && asprintf(&old, "%s.1", path) >= 0) {
        int renamed = rename(path, old);
        free(old);
        close(fd);
        fd = renamed == 0 ? open_log(path, &status) : -1;
    }
    ssize_t written = fd < 0 ? -1 : write(fd, lines.data, lines.bytes);
    if (fd >= 0) {
        close(fd);
    }
    return written < 0 ? -1 : 0;
}

/*
 * The log for READONLY_HOOK_DEBUG: a line of time, answer, reason and input. Errors of the log are ignored: the answer
 * does not depend on the log.
 */
static void log_answer(const struct xylem_cli *cli, const char *said, struct xylem_view why, struct xylem_view input)
{
    static const char *const names[] = {"/.claude", "/.claude/hooks", "/.claude/hooks/readonly_bash.log"};
    const char *debug = getenv("READONLY_HOOK_DEBUG");
    const char *home = getenv("HOME");
    struct xylem_cli__text line = {0};
    char *path = NULL;
    if (!debug || strcmp(debug, "1") != 0 || !home || *home != '/') {
        return;
    }
    xylem_cli__add_iso(&line, cli->now_ms);
    xylem_cli__add(&line, said);
    xylem_cli__add_shown(cli, &line, why, XYLEM_CLI__ONE_LINE, LOGGED_CELLS_MAX);
    xylem_cli__add(&line, ": ");
    xylem_cli__add_shown(cli, &line, input, XYLEM_CLI__ONE_LINE, LOGGED_CELLS_MAX);
    xylem_cli__add(&line, "\n");
    for (size_t i = 0; i < 3 && !line.failed && asprintf(&path, "%s%s", home, names[i]) >= 0; i++) {
        if (i < 2) {
            mkdir(path, 0700);
        } else {
            append_log(path, xylem_cli__text_view(&line));
        }
        free(path);
    }
    xylem_cli__text_release(&line);
}

/* The path of the `log` of a sound configuration; NULL: there is none. */
static int find_log(struct xylem_cli *cli, char **path, struct xylem_view config)
{
    struct xylem_base__tree tree;
    xylem_base__tree_init(&tree);
    int code = config.bytes > 0 ? xylem_base__json_parse_members(&tree, config, &cli->err) : 0;
    struct xylem_view log = xylem_value_string(config.bytes > 0 ? xylem_value_get(tree.nodes, "log") : NULL);
    bool in_home = xylem_base__view_begins(log, XYLEM_BASE__LITERAL("~/"));
    const char *home = in_home ? getenv("HOME") : "";
    if (log.bytes > 0 && (!home || (in_home ? home : log.data)[0] != '/')) {
        code = xylem_cli__fail(cli, XYLEM_E_MALFORMED,
                               "log of the configuration: expected an absolute path, or ~/ and a HOME, found '%.*s'",
                               XYLEM_BASE__SHOWN(log));
    } else if (log.bytes > 0 && asprintf(path, "%s%.*s", home, (int)log.bytes - in_home, log.data + in_home) < 0) {
        *path = NULL;
        code = xylem_cli__fail_memory(cli);
    }
    xylem_base__tree_release(&tree);
    return code;
}

/* --- The hook --------------------------------------------------------------------------------------------------- */

/* Fills in the answer, which may be empty. After an error `why` is the error's text, and the answer is empty. */
static int answer(struct xylem_cli *cli, struct xylem_cli__text *said, struct xylem_cli__text *why,
                  struct xylem_cli__text *input, const struct hook_options *given,
                  const struct xylem_gate_options *tools)
{
    struct xylem_policy *policy = NULL;
    struct xylem_cli__text config = {0};
    struct xylem_buffer logged = {0};
    char *log = NULL;
    struct xylem_hook_options options = {.protocol = given->protocol == 2 ? XYLEM_HOOK_SEED : XYLEM_HOOK_DOCUMENTED,
                                         .enforce = given->enforced > 0,
                                         .tools = tools,
                                         .git_is_led = git_is_led() || environment_configures_git(),
                                         .home = getenv("HOME"),
                                         .why = &why->bytes,
                                         .log = &logged,
                                         .now_ms = cli->now_ms};
    struct git_files files = {NULL, NULL, {NULL}};
    int code = find_git_files(cli, &files, &options.git_is_led);
    options.git_user_configs = files.paths;
    if (code == 0 &&
        (code = xylem_cli__read_all(cli, input, STDIN_FILENO, XYLEM_HOOK_BYTES_MAX + 1u, true, "standard input")) ==
            0 &&
        (code = read_policy(cli, &policy, &config, given)) == 0 &&
        (code = find_log(cli, &log, xylem_cli__text_view(&config))) == 0) {
        code = xylem_policy_hook(&said->bytes, policy, xylem_cli__text_view(input), &options, &cli->err);
    }
    if (code < 0) {
        xylem_cli__text_clear(said);
        xylem_cli__add(why, cli->err.text);
        xylem_cli__note(cli, "%s", cli->err.text);
    } else if (log && logged.bytes > 0 && append_log(log, (struct xylem_view){logged.data, logged.bytes}) < 0) {
        xylem_cli__note(cli, "the log %s cannot be written: %s", log, strerror(errno));
    }
    free(log);
    xylem_buffer_release(&logged);
    xylem_cli__text_release(&config);
    xylem_policy_free(policy);
    free(files.xdg_config);
    free(files.home_config);
    return code;
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    struct xylem_cli__text said = {0};
    struct xylem_cli__text why = {0};
    struct xylem_cli__text input = {0};
    const struct hook_options *given = options;
    tool_names lists[3] = {{NULL}};
    const struct xylem_gate_options tools = {.write_tools = (const char *const *)lists[0],
                                             .shell_tools = (const char *const *)lists[1],
                                             .read_tools = (const char *const *)lists[2]};
    bool forbids = false;
    int code = 0;
    if (strcmp(arguments[0], hooks[0]) != 0 && strcmp(arguments[0], hooks[1]) != 0) {
        return xylem_cli__usage(cli, "there is no hook '%s': expected %s or %s", arguments[0], hooks[0], hooks[1]);
    }
    if ((code = read_tools(cli, lists, given)) < 0) {
        goto out;
    }
    forbids = answer(cli, &said, &why, &input, given, &tools) < 0 && given->enforced > 0;
    log_answer(cli,
               said.bytes.bytes == 0 ? " nothing said: "
               : given->enforced > 0 ? " refused: "
                                     : " approved: ",
               xylem_cli__text_view(&why), xylem_cli__text_view(&input));
    if (said.bytes.bytes > 0) {
        code = xylem_cli__put_json(cli, &said);
    }
out:
    for (size_t i = 0; i < 3 * XYLEM_CLI__LIST_MAX; i++) {
        free(lists[i / XYLEM_CLI__LIST_MAX][i % XYLEM_CLI__LIST_MAX]);
    }
    xylem_cli__text_release(&said);
    xylem_cli__text_release(&why);
    xylem_cli__text_release(&input);
    return code == 0 && forbids ? XYLEM_CLI__HOOK_FORBIDS : code;
}

static const char *const *hook_words(void)
{
    return hooks;
}

const struct xylem_cli__command xylem_cli__cmd_hook = {
    .name = "hook",
    .group = XYLEM_CLI__PLUMBING,
    .summary = "Answer an agent host's hook: approve reading commands, or enforce a policy",
    .usage = "permission-request|pre-tool-use [--enforce readonly|confirm [--tool NAME=EFFECT]...] [--config FILE] "
             "[--protocol documented|seed]",
    .details =
        "Reads the host's question from standard input, and approves a command that the strict policy allows. On\n"
        "any other command prints nothing, and the host asks its user. Exit codes: 0, or 1 if the command line is\n"
        "wrong or the answer cannot be written; never 2, because 2 would forbid the command.\n"
        "\n"
        "With --enforce nothing is approved: readonly denies a command, or confirm has the host ask its user. The\n"
        "commands of Bash and Monitor are judged, PowerShell is refused, and readonly denies Write, Edit, MultiEdit,\n"
        "NotebookEdit and apply_patch too. Every other tool goes on unless --tool names the tool; of several names\n"
        "the longest counts. The exit code is 2, which forbids the tool, if the hook cannot judge, the command line\n"
        "is wrong, or the answer cannot be written.\n",
    .options = hook_table,
    .options_bytes = sizeof(struct hook_options),
    .arguments_min = 1,
    .arguments_max = 1,
    .arguments = {XYLEM_CLI__WORD},
    .words = hook_words,
    .answers_host = true,
    .run = run,
};
