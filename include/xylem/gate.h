/* xylem: may a tool run, while readonly is on or off? The rules of xylem.h hold for every call. */
#ifndef XYLEM_GATE_H
#define XYLEM_GATE_H

#include "policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Gate --------------------------------------------------------------------------------------------------------- */

/*
 * The question of a host before each tool call: may the tool run? The rules and the texts come from the design of the
 * readonly mode (pi-agenticoding). `readonly` is `readonly.enabled` of the state (xylem/state.h), or what another host
 * keeps. While readonly is on, the first rule that fits decides:
 * - `write`, `edit`, `multiedit`, `notebookedit`, `apply_patch`, `powershell` and `write_tools` of the options are
 *   blocked
 * - the command of `bash` and `monitor`, and of `shell_tools` of the options, is judged
 * - a tool with the annotation of MCP `destructiveHint: true` or `readOnlyHint: false` is blocked
 * - with `block_others`, a tool without the annotation `readOnlyHint: true` is blocked, but `read`, `grep`, `glob`,
 *   `find`, `ls` and `read_tools` of the options go on
 * - every other tool goes on
 * Then, in a host that guards files, a call of `edit` or `write` needs a verdict that lets the call pass, also while
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

/*
 * Borrowed for the call. Lists end in NULL; a NULL list has no name. A name with `*` at its end stands for all tools
 * that begin so: `mcp__github__*`. The longest name that fits the tool counts, the whole name before a beginning, a name
 * of the lists before the same built-in name, and `write_tools` before `shell_tools` before `read_tools`.
 */
struct xylem_gate_options {
    const char *const *write_tools; /* further tools that write */
    const char *const *shell_tools; /* further tools with a shell command in `command` */
    const char *const *read_tools;  /* further tools that only read */
    bool block_others;              /* blocks unknown tools, unless annotated as read-only */
};

/*
 * The verdict of the host on the file of a call of `edit` or `write`, such as xylem_reads_check_call() gives. Borrowed
 * for the call. A zeroed verdict blocks: nobody looked at the file.
 */
struct xylem_gate_file {
    bool pass;
    struct xylem_view reason; /* for the model, of a verdict that does not let the call pass */
    const char *verdict;      /* static: the name, such as `changed`; NULL: nobody looked at the file */
};

/* Starts zeroed, and ends in xylem_gate_release(). A zeroed answer blocks nothing: nothing was asked. */
struct xylem_gate {
    bool block;
    struct xylem_buffer reason;    /* for the model: the design's words, then the policy's; empty for no block */
    bool judged;                   /* `verdict` was filled */
    struct xylem_verdict verdict;  /* of a shell command */
    struct xylem_buffer offending; /* the deciding part of the command, if any; empty for no block */
    const char *file_verdict;      /* `verdict` of the verdict on the file, if that was needed; else NULL */
};

/*
 * Says whether a tool call is blocked. While readonly is on, an unreadable input (no JSON, no object, a `command` that
 * is no string) blocks a judged call. `file` NULL: the host guards no files. `policy` NULL: the built-in readonly
 * policy. `options` NULL: the defaults. `gate` is emptied first; after an error the gate blocks. Any thread.
 *
 * Errors:
 * - ARGUMENT: no call, or a `cwd` that is not absolute
 * - MEMORY
 */
XYLEM_API int xylem_gate_ask(struct xylem_gate *gate, bool readonly, const struct xylem_tool_call *call,
                             const struct xylem_gate_file *file, const struct xylem_policy *policy,
                             const struct xylem_gate_options *options, struct xylem_error *err);
XYLEM_API void xylem_gate_release(struct xylem_gate *gate);

/* A call that was read from JSON. Starts zeroed, and ends in xylem_gate_call_release(). */
struct xylem_gate_call {
    struct xylem_tool_call tool; /* `input` borrows from the JSON */
    bool read_only;              /* what `tool.read_only` points to; do not move the struct */
    struct xylem_buffer name;    /* the bytes of `tool.name` */
    struct xylem_buffer cwd;     /* the bytes of `tool.cwd` */
};

/*
 * Reads a call: an object with the name of the tool (`toolName`, as in pi's event, or `tool_name`, or `name`), the
 * input (`input` or `tool_input`), maybe `cwd`, and maybe `annotations`, an object with maybe the bools `readOnlyHint`
 * and `destructiveHint`. For a host that needs the name and the input for its verdict on the file. `call` is released
 * first. Any thread.
 *
 * Errors:
 * - MALFORMED: a call of another shape; `tool.name` is filled if the call has a sound name
 * - LIMIT: the nesting, or the number of values
 * - ARGUMENT, MEMORY
 */
XYLEM_API int xylem_gate_call_read(struct xylem_gate_call *call, struct xylem_view json, struct xylem_error *err);
XYLEM_API void xylem_gate_call_release(struct xylem_gate_call *call);

/*
 * The gate for hosts that speak JSON. `json` is a call as xylem_gate_call_read() reads calls. A call of another shape
 * is blocked while readonly is on, and without a name also in a host that guards files (`file`). `decision` gets the
 * decision of the verdict for a command that the policy blocks, else DENY or ALLOW. Any thread. Appends one document
 * without a newline, with the members:
 * - `schema`: 1
 * - `block`, `readonly`: bools
 * - `reason`, `tool`: a string or null
 * - `verdict` (`allow`, `ask` or `deny`), `rule`, `why` (the reason of the verdict), `offending` (the deciding part of
 *   the command): of a judged command, else null
 * - `reads_verdict`, only in a host that guards files: the name of the verdict on the file, or null
 *
 * Errors:
 * - ARGUMENT: no answer or no decision
 * - MEMORY
 */
XYLEM_API int xylem_gate_json(struct xylem_buffer *answer, enum xylem_decision *decision, bool readonly,
                              struct xylem_view json, const struct xylem_gate_file *file,
                              const struct xylem_policy *policy, const struct xylem_gate_options *options,
                              struct xylem_error *err);

/*
 * The tools of a child session: moves the allowed names to the front, in their order, and gives their number. While
 * readonly is on, the names that the gate blocks are not allowed. A name has no annotation: with `block_others` every
 * unknown name is blocked. The strings belong to the caller. Any thread.
 */
XYLEM_API size_t xylem_gate_child_tools(bool readonly, const char **names, size_t count,
                                        const struct xylem_gate_options *options);

/* The addition of a host to the prompt of a child; "" while readonly is off. Static; any thread. */
XYLEM_API const char *xylem_gate_child_notice(bool readonly);

/* The message of a nudge (`nudge` of the state), or NULL: no nudge is due. Static; any thread. */
XYLEM_API const char *xylem_gate_nudge(bool due, bool direction_on);

/* The text of a status line, in UTF-8; "" while readonly is off. Static; any thread. */
XYLEM_API const char *xylem_gate_badge(bool readonly);

#ifdef __cplusplus
}
#endif

#endif
