/* xylem: judging shell commands. The rules of xylem.h hold for every call. */
#ifndef XYLEM_POLICY_H
#define XYLEM_POLICY_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Policy ------------------------------------------------------------------------------------------------------ */

/*
 * May an agent run this shell command? A policy judges it from its syntax tree, as bash 5 reads it, and touches nothing:
 * no file, no process, no environment. Of a text that the parser does not know for certain, or that only bash can know
 * (`eval "$X"`), strict asks. readonly and confirm search such a text for the names of the programs that they refuse and
 * for redirections, and let it pass where they find none. A policy is a guard rail, not a sandbox: docs/policy.md says what
 * each one looks at, and what none can see.
 */

/* The severest first: a zeroed verdict refuses. */
enum xylem_decision { XYLEM_DENY = 0, XYLEM_ASK, XYLEM_ALLOW };

enum xylem_policy_type {
    XYLEM_POLICY_READONLY = 0, /* allow or deny: everything but what is known to change files, processes, packages */
    XYLEM_POLICY_STRICT,       /* allow or ask: nothing but what is proven to read only */
    XYLEM_POLICY_CONFIRM,      /* allow or ask: everything but what is known to destroy */
};

struct xylem_policy;

/* Borrowed for the call. A list that is NULL means the built-in one, which docs/policy.md shows. */
struct xylem_policy_config {
    enum xylem_policy_type type;
    /*
     * readonly: a directory (absolute, below `/`, without `..`) below which redirections, tee, touch and mkdir may write to
     * literal paths. NULL: nowhere.
     */
    const char *temp_writes;
    /* strict */
    const char *const *allowed_commands;
    size_t allowed_command_count;
    const char *const *git_readonly_subcommands;
    size_t git_readonly_subcommand_count;
    const char *const *wrapper_commands; /* of those that the library can see through */
    size_t wrapper_command_count;
    const char *const *command_directories; /* besides the system's: where a command with a slash in its name may lie */
    size_t command_directory_count;
    bool allow_output_redirections;
    bool git_local_writes;
};

/* The function behind xylem_policy_new(): `abi` is the XYLEM_ABI of the caller. */
XYLEM_API int xylem_policy_new_abi(uint32_t abi, struct xylem_policy **policy, const struct xylem_policy_config *config,
                                   struct xylem_error *err);

/*
 * Makes a policy, which is never changed by what uses it: any number of threads may judge with it at once. ARGUMENT (a
 * value that no policy can have, an option of another policy), MEMORY.
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
 * The same from a JSON object: `allowed_commands`, `git_readonly_subcommands`, `wrapper_commands` and
 * `command_directories` (arrays of strings), `allow_output_redirections` (a bool), `feature_flags` (an object of bools:
 * `git_local_writes`), `temp_writes` (a string). Its source is the briefing of a read-only permission hook; other keys
 * are refused, and one that stands there twice, so that a slip of the pen does not go unseen. The briefing's flags for
 * later (`network_reads`, `safe_file_writes`, and `allow_output_redirections` among the flags) may be false, not true.
 * An empty view: the defaults. MALFORMED (says which key, what was expected, what was found), LIMIT (nesting, or more
 * than XYLEM_CONFIG_BYTES_MAX), ARGUMENT (as xylem_policy_new()), MEMORY.
 */
static inline int xylem_policy_new_json(struct xylem_policy **policy, enum xylem_policy_type type,
                                        struct xylem_view json, struct xylem_error *err)
{
    return xylem_policy_new_json_abi(XYLEM_ABI, policy, type, json, err);
}

/* NULL is allowed. Nothing may be judging with it. */
XYLEM_API void xylem_policy_free(struct xylem_policy *policy);

/* A command that was found in the text, and what the policy says of it alone. */
struct xylem_judged {
    size_t offset; /* into the text that was judged */
    size_t bytes;
    uint32_t depth; /* in how many others it stands: substitutions, subshells, `sh -c` */
    enum xylem_decision decision;
    const char *rule;         /* static: the rule that met it */
    struct xylem_buffer name; /* of the program, where it is literal; else empty */
};

/* Starts zeroed and ends in xylem_verdict_release(); one verdict may be used for many judgements. */
struct xylem_verdict {
    enum xylem_decision decision;
    const char *rule;            /* static, such as "redirection"; docs/policy.md lists them */
    struct xylem_buffer reason;  /* one line, escaped as error texts are; empty after an error */
    size_t offset;               /* of what decided, in the text that was judged */
    size_t bytes;                /* 0: nothing in particular did */
    struct xylem_judged *judged; /* as in the text, but what stands in a command's words comes before it */
    size_t judged_count;
    size_t judged_capacity;
    /*
     * Where git would run: absolute if `cwd` was given or the command names it absolutely, else relative to where the
     * command runs. A repository's own configuration can run programs; judging reads no file, so looking at these
     * directories is left to the caller (xylem_policy_hook() does).
     */
    struct xylem_buffer *git_directories;
    size_t git_directory_count;
    size_t git_directory_capacity;
    bool git_directory_unknown; /* and in a directory that is not known, or that only a repository names */
};

/* Frees what it holds, and zeroes it. NULL is allowed. */
XYLEM_API void xylem_verdict_release(struct xylem_verdict *verdict);

/*
 * Judges a command: what `bash -c COMMAND` would run, started in `cwd` (an absolute path; NULL: not known). Time and
 * memory are bounded by the command's length. Any bytes are judged; only MEMORY and ARGUMENT are errors, and then the
 * verdict refuses. `verdict` is emptied first. Any thread, any number at once on one policy.
 */
XYLEM_API int xylem_policy_judge(struct xylem_verdict *verdict, const struct xylem_policy *policy,
                                 struct xylem_view command, const char *cwd, struct xylem_error *err);

/*
 * Answers one line of JSON, `{"command":...,"cwd":...}`, by `{"verdict":"allow|ask|deny","reason":...,"rule":...}`, which
 * is appended to `output` without a newline. `cwd` (absolute, or NULL: not known) counts where the line has none, or
 * null; other members are not looked at. What is no such line, or longer than XYLEM_HOOK_BYTES_MAX, gets the policy's
 * refusal, with the rule `input`. Only MEMORY and ARGUMENT are errors. Any thread.
 */
XYLEM_API int xylem_policy_answer(struct xylem_buffer *output, const struct xylem_policy *policy,
                                  struct xylem_view line, const char *cwd, struct xylem_error *err);

/* How a PermissionRequest is approved. */
enum xylem_hook_protocol {
    XYLEM_HOOK_DOCUMENTED = 0, /* {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":...}} */
    XYLEM_HOOK_SEED            /* {"decision":"approve","reason":...}, as the briefing has it */
};

struct xylem_hook_options {
    enum xylem_hook_protocol protocol;
    bool enforce; /* says what the policy refuses, and approves nothing */
    /* The environment leads git elsewhere than to the repository around it (GIT_DIR): what runs git is not approved. */
    bool git_is_led;
    /*
     * Files of the user's and the system's configuration of git: absolute paths, the last followed by NULL. Some settings
     * in them let git run what a repository names. NULL: they are not known, and less is approved.
     */
    const char *const *git_user_configs;
    const char *home;         /* where `~` leads in them: an absolute path, or NULL: not known */
    struct xylem_buffer *why; /* NULL, or one line is appended that says why it is approved, or is not: for a log */
};

/*
 * A hook of Claude Code: approves a command that the policy allows, and says nothing to all else, so that the host asks
 * its user. `input` is the hook's JSON: for the events `PermissionRequest` and `PreToolUse`, which `hook_event_name`
 * tells apart, with `tool_name` `Bash` and a string as `tool_input.command`; `cwd` counts where it is absolute. 1: what
 * the host is to read is appended to `output`, without a newline. 0: nothing is. Any other input is no error: broken
 * JSON, a member that counts and stands there twice, a command that is to run outside of the host's sandbox, more than
 * XYLEM_HOOK_BYTES_MAX.
 *
 * With `enforce` it approves nothing. It denies what the policy denies, and has the host ask its user about what the policy
 * asks about, with the verdict's reason and the offending text; to what the policy allows it says nothing. An input that
 * is broken, names no event or no tool, or is about Bash and has no command that can be read, is MALFORMED then: the host
 * is not to run it.
 *
 * Otherwise, unlike the judge it looks at files: in each directory where git would run it goes up to the repository, and approves
 * nothing if that is not known, or its configuration or hooks can make git run programs (docs/hooks.md lists what is
 * looked for), in its submodules too, or any of it cannot be read.
 * Errors: MEMORY, ARGUMENT, with `enforce` MALFORMED; `output` is as it was. Any thread.
 */
XYLEM_API int xylem_policy_hook(struct xylem_buffer *output, const struct xylem_policy *policy, struct xylem_view input,
                                const struct xylem_hook_options *options, struct xylem_error *err);

#ifdef __cplusplus
}
#endif

#endif
