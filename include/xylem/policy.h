/* xylem: judging shell commands. The rules of xylem.h hold for every call. */
#ifndef XYLEM_POLICY_H
#define XYLEM_POLICY_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Policy ------------------------------------------------------------------------------------------------------ */

/*
 * May an agent run a shell command? A policy judges the command from the syntax tree of bash 5, and touches nothing: no
 * file, no process, no environment. For a text that the parser does not understand, or that only bash can know (`eval
 * "$X"`), strict asks. readonly and confirm search such a text for redirections and for the names of refused programs,
 * and let the text pass without a match. A policy is a guard rail, not a sandbox: docs/policy.md has the subjects of
 * each policy, and the limits of all.
 */

/* The severest first: a zeroed verdict refuses. */
enum xylem_decision { XYLEM_DENY = 0, XYLEM_ASK, XYLEM_ALLOW };

enum xylem_policy_type {
    XYLEM_POLICY_READONLY = 0, /* allow or deny: denies known changes of files, processes, packages */
    XYLEM_POLICY_STRICT,       /* allow or ask: allows proven reads alone */
    XYLEM_POLICY_CONFIRM,      /* allow or ask: asks about known destruction */
};

struct xylem_policy;

/* Borrowed for the call. A NULL list means the built-in list, as xylem_policy_tables() shows the list. */
struct xylem_policy_config {
    enum xylem_policy_type type;
    /*
     * readonly: a directory (absolute, below `/`, without `..`). Redirections, tee, touch and mkdir may write to
     * literal paths below the directory. NULL: no directory.
     */
    const char *temp_writes;
    /* strict */
    const char *const *allowed_commands;
    size_t allowed_command_count;
    const char *const *git_readonly_subcommands;
    size_t git_readonly_subcommand_count;
    const char *const *wrapper_commands; /* wrappers with built-in knowledge alone */
    size_t wrapper_command_count;
    const char *const *command_directories; /* besides the system's: for commands with a slash, and in PATH */
    size_t command_directory_count;
    bool allow_output_redirections;
    bool git_local_writes;
    /*
     * A person's own rules, besides what is built in: the words of one simple command, such as `make test **`. `*`
     * stands for one argument, `**` for the rest. The most specific rule decides, of two the severer.
     * docs/policy.md#teaching has the details. `readonly` heeds `deny` alone.
     */
    const char *const *allow;
    size_t allow_count;
    const char *const *ask;
    size_t ask_count;
    const char *const *deny;
    size_t deny_count;
};

/* The function behind xylem_policy_new(): `abi` is the XYLEM_ABI of the caller. */
XYLEM_API int xylem_policy_new_abi(uint32_t abi, struct xylem_policy **policy, const struct xylem_policy_config *config,
                                   struct xylem_error *err);

/*
 * Makes a policy. Judging never changes the policy: any number of threads may judge with one policy at once.
 *
 * Errors:
 * - ARGUMENT: a value that no policy can have, or an option of another policy; a text that is no rule, or a rule of
 *   `allow` that would allow any code; a header with another XYLEM_ABI
 * - MEMORY
 */
static inline int xylem_policy_new(struct xylem_policy **policy, const struct xylem_policy_config *config,
                                   struct xylem_error *err)
{
    return xylem_policy_new_abi(XYLEM_ABI, policy, config, err);
}

/* The function behind xylem_policy_new_json(): `abi` is the XYLEM_ABI of the caller. */
XYLEM_API int xylem_policy_new_json_abi(uint32_t abi, struct xylem_policy **policy, enum xylem_policy_type type,
                                        struct xylem_view json, struct xylem_error *err);

/*
 * Makes a policy from a JSON object. An empty view means the defaults. The members:
 * - `allowed_commands`, `git_readonly_subcommands`, `wrapper_commands`, `command_directories`: arrays of strings
 * - `allow_output_redirections`: a bool
 * - `feature_flags`: an object with the bool `git_local_writes`. The planned flags `network_reads`, `safe_file_writes`
 *   and `allow_output_redirections` may be false, not true.
 * - `temp_writes`: a string
 * - `log`: a string. No policy uses the member; `xylem hook` does.
 * - `allow`, `ask`, `deny`: arrays of strings, the rules of a person. Hand in the person's own file, never a file of the
 *   project: whoever writes the project must not teach the judge.
 *
 * The names are from the briefing of a read-only permission hook. Other members and repeated members are refused, so
 * that no slip of the pen stays unseen.
 *
 * Errors:
 * - MALFORMED: the text names the member, the expected and the found
 * - LIMIT: the nesting, or more than XYLEM_CONFIG_BYTES_MAX
 * - ARGUMENT: as in xylem_policy_new()
 * - MEMORY
 */
static inline int xylem_policy_new_json(struct xylem_policy **policy, enum xylem_policy_type type,
                                        struct xylem_view json, struct xylem_error *err)
{
    return xylem_policy_new_json_abi(XYLEM_ABI, policy, type, json, err);
}

/*
 * Adds a rule, as the lists `allow`, `ask` and `deny` of a configuration do. No call may be judging with the policy.
 *
 * Errors:
 * - ARGUMENT: no policy; a text that is no rule, or a rule of `allow` that would allow any code: the error has the text
 * - MEMORY
 */
XYLEM_API int xylem_policy_teach(struct xylem_policy *policy, enum xylem_decision decision, const char *rule,
                                 struct xylem_error *err);

/*
 * Proposes a rule of `allow` for a refused part of a command, as `judged` of a verdict gives the part. 1: `rule` has a
 * rule that would allow the part. The rule ends in `**` if readonly passes its other words, else the rule has exactly
 * the words of the part. 0: no rule can, and `note` has the reason, one line. Both texts are emptied first. The policy
 * is as before, but no other call may use the policy meanwhile.
 *
 * Errors:
 * - ARGUMENT: an argument is missing
 * - MEMORY
 */
XYLEM_API int xylem_policy_propose(struct xylem_buffer *rule, struct xylem_buffer *note, struct xylem_policy *policy,
                                   struct xylem_view part, struct xylem_error *err);

/* Frees the policy. NULL is allowed. No call may be judging with the policy. */
XYLEM_API void xylem_policy_free(struct xylem_policy *policy);

/*
 * Appends the tables of the policies as text for people: the rules, and all programs, options, variables and forms of
 * git that the policies know. After an error the text is unchanged. Any thread.
 *
 * Errors:
 * - MEMORY
 */
XYLEM_API int xylem_policy_tables(struct xylem_buffer *text, struct xylem_error *err);

/* A command in the text, with the verdict on the command alone. */
struct xylem_judged {
    size_t offset; /* into the judged text */
    size_t bytes;
    uint32_t depth; /* number of commands around: substitutions, subshells, `sh -c` */
    enum xylem_decision decision;
    const char *rule;         /* static: the deciding rule */
    struct xylem_buffer name; /* of the program, if literal; else empty */
};

/* Starts zeroed and ends in xylem_verdict_release(). A verdict may be used for many judgements. */
struct xylem_verdict {
    enum xylem_decision decision;
    const char *rule;            /* static, such as "redirection"; xylem_policy_tables() lists them */
    struct xylem_buffer reason;  /* one line, escaped as error texts are; empty after an error */
    size_t offset;               /* of the deciding part, in the judged text */
    size_t bytes;                /* 0: no part in particular */
    struct xylem_judged *judged; /* in the order of the text, but inner commands before outer commands */
    size_t judged_count;
    size_t judged_capacity;
    /*
     * The directories in which git would run: absolute if `cwd` was given or the command has an absolute path, else
     * relative to the directory of the command. The configuration of a repository can run programs. Judging reads no
     * file, so the caller looks at the directories (xylem_policy_hook() does).
     */
    struct xylem_buffer *git_directories;
    size_t git_directory_count;
    size_t git_directory_capacity;
    bool git_directory_unknown; /* and in an unknown directory, or in a directory that only a repository names */
    /*
     * What a person can grant for a session, one text for each refusal, each text once: `sudo apt (sudo)`, `dd (dd)`,
     * `rm (recursive-rm) in /home/me/x`. A command with grants may run unasked if the person granted each of them
     * before. Empty: a yes counts for this command alone. Only `confirm` has grants.
     */
    struct xylem_buffer *grants;
    size_t grant_count;
    size_t grant_capacity;
    bool unlisted; /* `judged` lacks a refusal: of a part outside of the commands, or of a command by a second rule */
};

/* Frees the memory of the verdict, and zeroes the verdict. NULL is allowed. */
XYLEM_API void xylem_verdict_release(struct xylem_verdict *verdict);

/*
 * Judges the commands of `bash -c COMMAND`, started in `cwd` (an absolute path; NULL: not known). The length of the
 * command bounds time and memory. Any bytes are judged. `verdict` is emptied first; after an error the verdict refuses.
 * Any thread, any number at once on one policy.
 *
 * Errors:
 * - ARGUMENT: no policy or no command, or a `cwd` that is not absolute
 * - MEMORY
 */
XYLEM_API int xylem_policy_judge(struct xylem_verdict *verdict, const struct xylem_policy *policy,
                                 struct xylem_view command, const char *cwd, struct xylem_error *err);

/*
 * Answers a line of JSON, `{"command":...,"cwd":...}`, by `{"verdict":"allow|ask|deny","reason":...,"rule":...}`,
 * appended to `output` without a newline. `cwd` (absolute, or NULL: not known) counts for a line without a cwd, or with
 * null. Other members are ignored. Any other input, and a line of more than XYLEM_HOOK_BYTES_MAX, gets the refusal of
 * the policy with the rule `input`. Any thread.
 *
 * Errors:
 * - ARGUMENT: as in xylem_policy_judge()
 * - MEMORY
 */
XYLEM_API int xylem_policy_answer(struct xylem_buffer *output, const struct xylem_policy *policy,
                                  struct xylem_view line, const char *cwd, struct xylem_error *err);

/* The form of an approval of a PermissionRequest. */
enum xylem_hook_protocol {
    XYLEM_HOOK_DOCUMENTED = 0, /* {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":...}} */
    XYLEM_HOOK_SEED            /* {"decision":"approve","reason":...}, the form of the briefing */
};

struct xylem_gate_options;

struct xylem_hook_options {
    enum xylem_hook_protocol protocol;
    bool enforce;                           /* refuse for the policy, and approve nothing */
    const struct xylem_gate_options *tools; /* with `enforce`: what further tools do (gate.h), or NULL */
    /* The environment leads git away from the repository around (GIT_DIR): commands with git are not approved. */
    bool git_is_led;
    /*
     * The files with the user's and the system's configuration of git: absolute paths, and NULL at the end. Some
     * settings in the files let git run programs that a repository names. NULL: the files are not known, and the hook
     * approves less.
     */
    const char *const *git_user_configs;
    const char *home;         /* the meaning of `~` in the files: an absolute path, or NULL: not known */
    struct xylem_buffer *why; /* NULL, or the place for a line with the reason of the answer, for a log */
    /*
     * NULL, or the place for a line of JSON, with its newline, about a tool call that the policy asks about or denies:
     * `time`, `policy`, `command` (null: the tool has none), `cwd` (null: not known), `decision`, `rule`, `reason`. The
     * rule is `repository` if the policy allows the command, but git may run programs, and `tool` if the tool alone
     * decides.
     */
    struct xylem_buffer *log;
    int64_t now_ms; /* the time in the line */
};

/*
 * A hook of Claude Code. The hook approves commands that the policy allows, and is silent about all other input; then
 * the host asks its user. `input` is the JSON of the hook: `hook_event_name` is `PermissionRequest` or `PreToolUse`,
 * `tool_name` is `Bash`, `tool_input.command` is a string, and an absolute `cwd` counts. 1: the answer for the host is
 * appended to `output`, without a newline. 0: no answer. No answer is given to broken JSON, to repeated members that
 * count, to a command that is to run outside of the sandbox of the host, and to more than XYLEM_HOOK_BYTES_MAX.
 *
 * Unlike the judge, the hook reads files: from each directory of git the hook goes up to the repository. Without a
 * known repository, or with a configuration or hooks through which git can run programs, in submodules too, or with
 * unreadable files, the hook approves nothing. docs/hooks.md has the details.
 *
 * With `enforce` the hook approves nothing and reads no files. The hook denies for a policy that denies, and lets the
 * host ask for a policy that asks, with the reason of the verdict and the offending text. The tools are those of the
 * gate (gate.h): the command of `Bash`, `Monitor` and `shell_tools` is judged, `PowerShell` is refused, and so are tools
 * that write, which `confirm` lets pass. An allowed command and every other tool get no answer. Any thread.
 *
 * Errors:
 * - MALFORMED: with `enforce`, a broken input, an input without event or tool, or a tool that runs commands without a
 *   readable command: the host must not run the tool. `output` is unchanged.
 * - ARGUMENT, MEMORY: `output` is unchanged
 */
XYLEM_API int xylem_policy_hook(struct xylem_buffer *output, const struct xylem_policy *policy, struct xylem_view input,
                                const struct xylem_hook_options *options, struct xylem_error *err);

#ifdef __cplusplus
}
#endif

#endif
