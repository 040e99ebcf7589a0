/* xylem: may a tool run, in this state? The rules of xylem.h hold for every call. */
#ifndef XYLEM_GATE_H
#define XYLEM_GATE_H

#include "state.h"
#include "policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Gate --------------------------------------------------------------------------------------------------------- */

/*
 * The question of a host before each tool call: may the tool run in the present state? The rules and the texts come
 * from the design of the readonly mode (pi-agenticoding). While readonly is on, `write` and `edit` are blocked, a
 * `bash` command is judged, and every other tool goes on. The names of the three tools count in upper and lower case.
 */

/* Borrowed for the call. */
struct xylem_tool_call {
    struct xylem_view name;  /* of the tool */
    struct xylem_view input; /* a JSON object, from the model; for `bash` the string `command` is judged */
    const char *cwd;         /* the directory of the call: an absolute path; NULL: not known */
};

/* Starts zeroed, and ends in xylem_gate_release(). A zeroed answer blocks nothing: nothing was asked. */
struct xylem_gate {
    bool block;
    struct xylem_buffer reason;    /* for the model: the design's words, then the policy's; empty for no block */
    bool judged;                   /* `verdict` was filled */
    struct xylem_verdict verdict;  /* of a bash command */
    struct xylem_buffer offending; /* the deciding part of the command, if any; empty for no block */
};

/*
 * Says whether a tool call is blocked. While readonly is on, an unreadable input (no JSON, no object, a `command` that
 * is no string) blocks a bash call. `policy` NULL: the built-in readonly policy. `gate` is emptied first; after an
 * error the gate blocks. Any thread.
 *
 * Errors:
 * - ARGUMENT: no state or no call, or a `cwd` that is not absolute
 * - MEMORY
 */
XYLEM_API int xylem_gate_ask(struct xylem_gate *gate, const struct xylem_state *state,
                             const struct xylem_tool_call *call, const struct xylem_policy *policy,
                             struct xylem_error *err);
XYLEM_API void xylem_gate_release(struct xylem_gate *gate);

/*
 * The gate for hosts that speak JSON. `call` is an object with the name of the tool (`toolName`, as in pi's event, or
 * `tool_name`, or `name`), the input (`input` or `tool_input`) and maybe `cwd`. A call of another shape is blocked
 * while readonly is on. `decision` gets the decision of the verdict for a command that the policy blocks, else DENY or
 * ALLOW. Any thread. Appends one document without a newline, with the members:
 * - `schema`: 1
 * - `block`, `readonly`: bools
 * - `reason`, `tool`: a string or null
 * - `verdict` (`allow`, `ask` or `deny`), `rule`, `why` (the reason of the verdict), `offending` (the deciding part of
 *   the command): of a judged command, else null
 *
 * Errors:
 * - ARGUMENT: no answer, decision or state, or a `cwd` that is not absolute
 * - MEMORY
 */
XYLEM_API int xylem_gate_json(struct xylem_buffer *answer, enum xylem_decision *decision,
                              const struct xylem_state *state, struct xylem_view call,
                              const struct xylem_policy *policy, struct xylem_error *err);

/*
 * The tools of a child session: moves the allowed names to the front, in their order, and gives their number. While
 * readonly is on, all names but `write` and `edit` are allowed. The strings belong to the caller. Any thread.
 */
XYLEM_API size_t xylem_gate_child_tools(const struct xylem_state *state, const char **names, size_t count);

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
