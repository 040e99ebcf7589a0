/* xylem: may a tool run, in this state? The rules of xylem.h hold for every call. */
#ifndef XYLEM_GATE_H
#define XYLEM_GATE_H

#include "state.h"
#include "policy.h"
#include "reads.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Gate --------------------------------------------------------------------------------------------------------- */

/*
 * The question of a host before each tool call: may the tool run in the present state? The rules and the texts come
 * from the design of the readonly mode (pi-agenticoding). While readonly is on, the first rule that fits decides:
 * - `write`, `edit`, `apply_patch`, `powershell` and `write_tools` of the options are blocked
 * - the command of `bash`, and of `shell_tools` of the options, is judged
 * - a tool with the annotation of MCP `destructiveHint: true` or `readOnlyHint: false` is blocked
 * - with `block_others`, a tool without the annotation `readOnlyHint: true` is blocked, but `read`, `grep`, `find` and
 *   `ls` go on
 * - every other tool goes on
 * Then, with `reads` of the options, a call of `edit` or `write` must pass xylem_reads_check_file(), also while
 * readonly is off. The names of tools count in upper and lower case.
 */

/* Borrowed for the call. */
struct xylem_tool_call {
    struct xylem_view name;  /* of the tool */
    struct xylem_view input; /* a JSON object, from the model; of a shell tool the string `command` is judged */
    const char *cwd;         /* the directory of the call: an absolute path; NULL: not known */
    bool destructive;        /* the tool is annotated `destructiveHint: true` */
    const bool *read_only;   /* the annotation `readOnlyHint`; NULL: not declared */
};

/* Borrowed for the call. Lists end in NULL; a NULL list has no name. */
struct xylem_gate_options {
    const char *const *write_tools; /* further tools that write */
    const char *const *shell_tools; /* further tools with a shell command in `command` */
    bool block_others;              /* blocks unknown tools, unless annotated as read-only */
    /*
     * The noted files of the session, asked for the file in `path`, or `file_path`, of the input. A call without a
     * sound path is blocked. The call waits for the file system, and reads a file that may have changed. NULL: not
     * asked.
     */
    struct xylem_reads *reads;
    const char *home; /* for `~` in such a path; NULL: not known */
    /*
     * For such a path in a call without `cwd`: an absolute path; NULL: not known. Then a path that does not begin with a
     * slash is blocked.
     */
    const char *cwd;
};

/* Starts zeroed, and ends in xylem_gate_release(). A zeroed answer blocks nothing: nothing was asked. */
struct xylem_gate {
    bool block;
    struct xylem_buffer reason;    /* for the model: the design's words, then the policy's; empty for no block */
    bool judged;                   /* `verdict` was filled */
    struct xylem_verdict verdict;  /* of a shell command */
    struct xylem_buffer offending; /* the deciding part of the command, if any; empty for no block */
    bool reads_asked;              /* `reads_why` was filled */
    enum xylem_reads_why reads_why;
};

/*
 * Says whether a tool call is blocked. While readonly is on, an unreadable input (no JSON, no object, a `command` that
 * is no string) blocks a judged call. `policy` NULL: the built-in readonly policy. `options` NULL: the defaults. `gate`
 * is emptied first; after an error the gate blocks. Any thread.
 *
 * Errors:
 * - ARGUMENT: no state or no call, or a `cwd` that is not absolute
 * - MEMORY
 */
XYLEM_API int xylem_gate_ask(struct xylem_gate *gate, const struct xylem_state *state,
                             const struct xylem_tool_call *call, const struct xylem_policy *policy,
                             const struct xylem_gate_options *options, struct xylem_error *err);
XYLEM_API void xylem_gate_release(struct xylem_gate *gate);

/*
 * The gate for hosts that speak JSON. `call` is an object with the name of the tool (`toolName`, as in pi's event, or
 * `tool_name`, or `name`), the input (`input` or `tool_input`), maybe `cwd`, and maybe `annotations`, an object with
 * maybe the bools `readOnlyHint` and `destructiveHint`. A call of another shape is blocked while readonly is on, and
 * without a name also with `reads`.
 * `decision` gets the decision of the verdict for a command that the policy blocks, else DENY or ALLOW. Any thread.
 * Appends one document without a newline, with the members:
 * - `schema`: 1
 * - `block`, `readonly`: bools
 * - `reason`, `tool`: a string or null
 * - `verdict` (`allow`, `ask` or `deny`), `rule`, `why` (the reason of the verdict), `offending` (the deciding part of
 *   the command): of a judged command, else null
 * - `reads`, only with `reads` of the options: the name of the verdict on the file (xylem_reads_why_name()), or null
 *
 * Errors:
 * - ARGUMENT: no answer, decision or state, or a `cwd` that is not absolute
 * - MEMORY
 */
XYLEM_API int xylem_gate_json(struct xylem_buffer *answer, enum xylem_decision *decision,
                              const struct xylem_state *state, struct xylem_view call,
                              const struct xylem_policy *policy, const struct xylem_gate_options *options,
                              struct xylem_error *err);

/*
 * The tools of a child session: moves the allowed names to the front, in their order, and gives their number. While
 * readonly is on, the names that the gate blocks are not allowed. A name has no annotation: with `block_others` every
 * unknown name is blocked. The strings belong to the caller. Any thread.
 */
XYLEM_API size_t xylem_gate_child_tools(const struct xylem_state *state, const char **names, size_t count,
                                        const struct xylem_gate_options *options);

/* The addition of a host to the prompt of a child; "" while readonly is off. Static; any thread. */
XYLEM_API const char *xylem_gate_child_notice(const struct xylem_state *state);

/* The message of a due nudge, or NULL. Static; any thread. */
XYLEM_API const char *xylem_gate_nudge(const struct xylem_state *state);

/* The text of a status line, in UTF-8; "" while readonly is off. Static; any thread. */
XYLEM_API const char *xylem_gate_badge(const struct xylem_state *state);

#ifdef __cplusplus
}
#endif

#endif
